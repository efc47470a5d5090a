"""Witness documents worked out by hand, each small enough to be checked on paper."""

from collections.abc import Callable, Mapping
from typing import Final

from consistency_lab.files import digest
from consistency_lab.proofs.format_1.document import FORMAT, STATEMENT

Document = dict[str, object]

LOGISTIC: Final = "log(1+exp(-x))"
HINGE: Final = "max(0,1-x)"
SQUARED_HINGE: Final = "max(0,1-x)**2"


def sealed(document: Mapping[str, object]) -> Document:
    """The document with the digest of its content."""
    return {**document, "digest": digest(document)}


def witness(**entries: object) -> Document:
    """A document with the entries that are the same everywhere, sealed."""
    return sealed(
        {
            "format": FORMAT,
            "target": {"loss": "pairwise-disagreement", "ties": "higher-index-first"},
            "provenance": {"citation": "", "tool": "by hand", "version": "1", "command": "", "note": ""},
            **entries,
        }
    )


def graph(probability: str, *edges: str) -> Document:
    """A graph from texts such as "1 2 3/4": preferred, over, weight."""
    return {"probability": probability, "edges": [edge.split() for edge in edges]}


def matrix(*rows: str) -> list[list[str]]:
    return [row.split() for row in rows]


def edge(c: str, phi: str, i: str, j: str, offset: str = "0") -> Document:
    return {"coefficient": c, "phi": phi, "along": {i: 1, j: -1}, "offset": offset}


def single(c: str, phi: str, i: str, offset: str = "0") -> Document:
    return {"coefficient": c, "phi": phi, "along": {i: 1}, "offset": offset}


def conditions(narrowest: str) -> Document:
    """The conditions from the named one on hold."""
    names = ["additive", "low-noise", "net-order", "acyclic", "any"]
    return {name: names.index(name) >= names.index(narrowest) for name in names}


def optimum(
    loss: str, of_scores: str, regret: str, normalized: str, order: str, orders: str = "1"
) -> Document:
    return {
        "loss": loss,
        "loss_of_scores": of_scores,
        "regret": regret,
        "normalized_regret": normalized,
        "order": order.split(),
        "orders": orders,
    }


def failure(kind: str, *pairs: str) -> Document:
    """From texts such as "1 2 3 below": preferred, over, difference, how it is scored."""
    keys = ("preferred", "over", "difference", "scored")
    return {"kind": kind, "pairs": [dict(zip(keys, pair.split(), strict=True)) for pair in pairs]}


def stationary(terms: list[Document], slopes: str) -> Document:
    return {"kind": "stationary", "terms": terms, "slopes": slopes.split()}


def bound(pair: str, multiplier: str, slopes: str, *brackets: str) -> Document:
    return {
        "pair": pair.split(),
        "multiplier": multiplier,
        "slopes": slopes.split(),
        "brackets": [bracket.split() for bracket in brackets],
    }


def hinge_tie() -> Document:
    """Every minimizer of the hinge risk is alpha = (1, 0, 0) up to shifts, a tie of 2 and 3."""
    return witness(
        claim="inconsistent",
        items=["1", "2", "3"],
        graphs=[graph("1/2", "1 2 2", "1 3 6", "2 3 2"), graph("1/2", "3 1 2")],
        aggregate=matrix("0 1 3", "0 0 1", "1 0 0"),
        surrogate={"family": "edge", "name": "hinge", "phi": HINGE, "h": "a"},
        conditions=conditions("additive"),
        scores=["1", "0", "0"],
        decimals=["1.000000", "0.000000", "0.000000"],
        optimum=optimum("1", "2", "1", "1/6", "1 2 3"),
        failure=failure("tie", "2 3 1 equal"),
        certificate=stationary(
            [
                edge("1", HINGE, "1", "2"),
                edge("3", HINGE, "1", "3"),
                edge("1", HINGE, "2", "3"),
                edge("1", HINGE, "3", "1"),
            ],
            "-1 0 -1 -1",
        ),
    )


def linear_strict() -> Document:
    """DMJ10 Eq. 16 fails: sum_j d_1j = 1 < 2 = sum_j d_2j although 1 is preferred to 2."""
    return witness(
        claim="inconsistent",
        items=["1", "2", "3"],
        graphs=[graph("1", "1 2 1", "2 3 3")],
        aggregate=matrix("0 1 0", "0 0 3", "0 0 0"),
        surrogate={"family": "linear", "name": "linear", "r": "x**2/2", "nu": "1"},
        conditions=conditions("acyclic"),
        scores=["1", "2", "-3"],
        decimals=["1.000000", "2.000000", "-3.000000"],
        optimum=optimum("0", "1", "1", "1/4", "1 2 3"),
        failure=failure("strict", "1 2 1 below"),
        certificate=stationary(
            [
                edge("1", "-x", "1", "2"),
                edge("3", "-x", "2", "3"),
                single("1", "x**2/2", "1"),
                single("1", "x**2/2", "2"),
                single("1", "x**2/2", "3"),
            ],
            "-1 -1 1 2 -3",
        ),
    )


def regression_strict() -> Document:
    """The same distribution for least squares on the net preference, whose minimizer is the same."""
    return witness(
        claim="inconsistent",
        items=["1", "2", "3"],
        graphs=[graph("1", "1 2 1", "2 3 3")],
        aggregate=matrix("0 1 0", "0 0 3", "0 0 0"),
        surrogate={"family": "regression", "name": "regression", "f": "net"},
        conditions=conditions("acyclic"),
        scores=["1", "2", "-3"],
        decimals=["1.000000", "2.000000", "-3.000000"],
        optimum=optimum("0", "1", "1", "1/4", "1 2 3"),
        failure=failure("strict", "1 2 1 below"),
        certificate=stationary(
            [
                single("1", "x**2", "1", "1"),
                single("1", "x**2", "2", "2"),
                single("1", "x**2", "3", "-3"),
            ],
            "0 0 0",
        ),
    )


def logistic_strict() -> Document:
    """At log 3, log 4, 0 the slopes are -4/7, -1/4, -1/5 and -3/4, so all flows are exact."""
    return witness(
        claim="inconsistent",
        items=["1", "2", "3"],
        graphs=[graph("1/2", "1 2 28", "1 3 194", "2 3 80"), graph("1/2", "3 1 86")],
        aggregate=matrix("0 14 97", "0 0 40", "43 0 0"),
        surrogate={"family": "edge", "name": "logistic", "phi": LOGISTIC, "h": "a"},
        conditions=conditions("additive"),
        scores=["log(3)", "log(4)", "0"],
        decimals=["1.098612", "1.386294", "0.000000"],
        optimum=optimum("43", "57", "14", "7/97", "1 2 3"),
        failure=failure("strict", "1 2 14 below"),
        certificate=stationary(
            [
                edge("14", LOGISTIC, "1", "2"),
                edge("97", LOGISTIC, "1", "3"),
                edge("40", LOGISTIC, "2", "3"),
                edge("43", LOGISTIC, "3", "1"),
            ],
            "-4/7 -1/4 -1/5 -3/4",
        ),
    )


def squared_hinge_strict() -> Document:
    return witness(
        claim="inconsistent",
        items=["1", "2", "3"],
        graphs=[graph("1/2", "1 2 8", "1 3 82", "2 3 40"), graph("1/2", "3 1 34")],
        aggregate=matrix("0 4 41", "0 0 20", "17 0 0"),
        surrogate={"family": "edge", "name": "squared-hinge", "phi": SQUARED_HINGE, "h": "a"},
        conditions=conditions("additive"),
        scores=["1/2", "3/4", "0"],
        decimals=["0.500000", "0.750000", "0.000000"],
        optimum=optimum("17", "21", "4", "2/41", "1 2 3"),
        failure=failure("strict", "1 2 4 below"),
        certificate=stationary(
            [
                edge("4", SQUARED_HINGE, "1", "2"),
                edge("41", SQUARED_HINGE, "1", "3"),
                edge("20", SQUARED_HINGE, "2", "3"),
                edge("17", SQUARED_HINGE, "3", "1"),
            ],
            "-5/2 -1 -1/2 -3",
        ),
    )


def logistic_separation() -> Document:
    """On alpha_2 = alpha_3 the minimum is at alpha_1 - alpha_3 = log(11/4), where the slopes are rational."""
    return witness(
        claim="inconsistent",
        items=["1", "2", "3"],
        graphs=[graph("1/2", "1 2 6", "1 3 16", "2 3 2"), graph("1/2", "3 1 8")],
        aggregate=matrix("0 3 8", "0 0 1", "4 0 0"),
        surrogate={"family": "edge", "name": "logistic", "phi": LOGISTIC, "h": "a"},
        conditions=conditions("additive"),
        scores=["93/100", "-11/25", "0"],
        decimals=["0.930000", "-0.440000", "0.000000"],
        optimum=optimum("4", "5", "1", "1/16", "1 2 3"),
        failure=failure("strict", "2 3 1 below"),
        certificate={
            "kind": "separation",
            "terms": [
                edge("3", LOGISTIC, "1", "2"),
                edge("8", LOGISTIC, "1", "3"),
                edge("1", LOGISTIC, "2", "3"),
                edge("4", LOGISTIC, "3", "1"),
            ],
            "bounds": [
                bound(
                    "2 3",
                    "3/10",
                    "-4/15 -4/15 -1/2 -11/15",
                    "101/100 51/50",
                    "101/100 51/50",
                    "0 0",
                    "-51/50 -101/100",
                )
            ],
            "gap": "0.06448",
        },
    )


def universal_three() -> Document:
    """DMJ10 Lemma 10, Condition 1: h_23 = 1 < 12/11 = h_31 h_12 / (h_13 + h_12)."""
    return witness(
        claim="inconsistent",
        items=["1", "2", "3"],
        graphs=[graph("1/2", "1 2 6", "1 3 16", "2 3 2"), graph("1/2", "3 1 8")],
        aggregate=matrix("0 3 8", "0 0 1", "4 0 0"),
        surrogate={"family": "edge", "name": "squared-hinge", "phi": SQUARED_HINGE, "h": "a"},
        conditions=conditions("additive"),
        scores=["22/51", "-3/17", "0"],
        decimals=["0.431373", "-0.176471", "0.000000"],
        optimum=optimum("4", "5", "1", "1/16", "1 2 3"),
        failure=failure("strict", "2 3 1 below"),
        certificate=stationary(
            [
                edge("3", SQUARED_HINGE, "1", "2"),
                edge("8", SQUARED_HINGE, "1", "3"),
                edge("1", SQUARED_HINGE, "2", "3"),
                edge("4", SQUARED_HINGE, "3", "1"),
            ],
            "-40/51 -58/51 -40/17 -146/51",
        ),
        universal={
            "statement": STATEMENT,
            "order": ["1", "2", "3"],
            "faces": [
                {
                    "balance": ["-3", "-11", "0"],
                    "monotone": [
                        [["1", "2"], ["1", "3"], "24"],
                        [["3", "1"], ["2", "3"], "11"],
                        [["3", "1"], "0", "1"],
                    ],
                }
            ],
        },
    )


def universal_four() -> Document:
    """Additive d from y = (5, 4, 2, 1); one set of multipliers serves all 25 faces."""
    return witness(
        claim="inconsistent",
        items=["1", "2", "3", "4"],
        graphs=[
            graph("1/2", "1 2 2", "1 3 6", "1 4 24", "2 3 4", "2 4 6", "3 4 4"),
            graph("1/2", "4 1 16", "4 3 2"),
        ],
        aggregate=matrix("0 1 3 12", "0 0 2 3", "0 0 0 2", "8 0 1 0"),
        surrogate={"family": "edge", "name": "hinge", "phi": HINGE, "h": "a"},
        conditions=conditions("additive"),
        scores=["1", "1", "0", "0"],
        decimals=["1.000000", "1.000000", "0.000000", "0.000000"],
        optimum=optimum("9", "11", "2", "1/16", "1 2 3 4"),
        failure=failure("tie", "1 2 1 equal", "3 4 1 equal"),
        certificate=stationary(
            [
                edge("1", HINGE, "1", "2"),
                edge("3", HINGE, "1", "3"),
                edge("12", HINGE, "1", "4"),
                edge("2", HINGE, "2", "3"),
                edge("3", HINGE, "2", "4"),
                edge("2", HINGE, "3", "4"),
                edge("8", HINGE, "4", "1"),
                edge("1", HINGE, "4", "3"),
            ],
            "-1 -1/3 -1/2 0 -1/3 -1 -1 -1",
        ),
        universal={
            "statement": STATEMENT,
            "order": ["1", "2", "3", "4"],
            "faces": [
                {
                    "balance": ["-1/4", "1/2", "-1/4", "0"],
                    "monotone": [
                        [["2", "3"], ["1", "4"], "3/2"],
                        [["2", "4"], ["1", "4"], "3/2"],
                        [["4", "1"], "0", "1"],
                        [["4", "1"], ["1", "2"], "3/4"],
                        [["4", "1"], ["3", "4"], "1/4"],
                        [["4", "3"], ["3", "4"], "1/4"],
                    ],
                }
            ],
        },
    )


def universal_two() -> Document:
    """h = sqrt(a) counts the rare strong preference for 1 less than the common weak one for 2."""
    return witness(
        claim="inconsistent",
        items=["1", "2"],
        graphs=[graph("1/4", "1 2 4"), graph("3/4", "2 1 1")],
        aggregate=matrix("0 1", "3/4 0"),
        surrogate={
            "family": "edge",
            "name": "logistic with h=sqrt(a)",
            "phi": LOGISTIC,
            "h": "sqrt(a)",
        },
        conditions=conditions("additive"),
        scores=["log(2/3)", "0"],
        decimals=["-0.405465", "0.000000"],
        optimum=optimum("3/4", "1", "1/4", "1/7", "1 2"),
        failure=failure("strict", "1 2 1/4 below"),
        certificate=stationary(
            [edge("1/2", LOGISTIC, "1", "2"), edge("3/4", LOGISTIC, "2", "1")], "-3/5 -2/5"
        ),
        universal={
            "statement": STATEMENT,
            "order": ["1", "2"],
            "faces": [
                {
                    "balance": ["-4", "0"],
                    "monotone": [[["2", "1"], ["1", "2"], "2"], [["2", "1"], "0", "1"]],
                }
            ],
        },
    )


def logistic_consistent() -> Document:
    """Two items: the minimum log 2 lies on the right side, and at 0 the slope is exactly -1/2."""
    return witness(
        claim="consistent-at-p",
        items=["cat", "dog"],
        graphs=[graph("2/3", "cat dog 3"), graph("1/3", "dog cat 3")],
        aggregate=matrix("0 2", "1 0"),
        surrogate={"family": "edge", "name": "logistic", "phi": LOGISTIC, "h": "a"},
        conditions=conditions("additive"),
        scores=["log(2)", "0"],
        decimals=["0.693147", "0.000000"],
        optimum=optimum("1", "1", "0", "0", "cat dog"),
        failure=None,
        certificate={
            "kind": "separation",
            "terms": [edge("2", LOGISTIC, "cat", "dog"), edge("1", LOGISTIC, "dog", "cat")],
            "bounds": [bound("cat dog", "1/2", "-1/2 -1/2", "0 0", "0 0")],
            "gap": "0.1698",
        },
    )


def difference_consistent() -> Document:
    """Two bounds are enough: an order with 1 above 2 and 2 above 3 is optimal."""
    terms = [edge("1", HINGE, "1", "2"), edge("2", HINGE, "1", "3"), edge("1", HINGE, "2", "3")]
    return witness(
        claim="consistent-at-p",
        items=["1", "2", "3"],
        graphs=[graph("1", "1 2 1", "1 3 2", "2 3 1")],
        aggregate=matrix("0 1 2", "0 0 1", "0 0 0"),
        surrogate={"family": "difference", "name": "difference-hinge", "phi": HINGE},
        conditions=conditions("additive"),
        scores=["2", "1", "0"],
        decimals=["2.000000", "1.000000", "0.000000"],
        optimum=optimum("0", "0", "0", "0", "1 2 3"),
        failure=None,
        certificate={
            "kind": "separation",
            "terms": terms,
            "bounds": [
                bound("1 2", "1", "-1 0 0", "0 1", "1 1", "1 1"),
                bound("2 3", "1", "0 0 -1", "1 1", "1 1", "0 1"),
            ],
            "gap": "1",
        },
    )


def margin_consistent() -> Document:
    """W = 3/4 max(0, 2 - x) + 1/4 max(0, 2 + x) is 1 at x = 2 and at least 2 for x <= 0."""
    return witness(
        claim="consistent-at-p",
        items=["1", "2"],
        graphs=[graph("3/4", "1 2 1"), graph("1/4", "2 1 1")],
        aggregate=matrix("0 3/4", "1/4 0"),
        surrogate={"family": "margin", "name": "margin-hinge", "phi": HINGE, "h": "a"},
        conditions=conditions("additive"),
        scores=["2", "0"],
        decimals=["2.000000", "0.000000"],
        optimum=optimum("1/4", "1/4", "0", "0", "1 2"),
        failure=None,
        certificate={
            "kind": "separation",
            "terms": [edge("3/4", HINGE, "1", "2", "1"), edge("1/4", HINGE, "2", "1", "1")],
            "bounds": [bound("1 2", "1/2", "-1 -1", "0 0", "0 0")],
            "gap": "1",
        },
    )


def irrational_factor() -> Document:
    """h(1) = e is common to both edges, so 1 takes its place."""
    return witness(
        claim="consistent-at-p",
        items=["1", "2"],
        graphs=[graph("2/3", "1 2 1"), graph("1/3", "2 1 1")],
        aggregate=matrix("0 2/3", "1/3 0"),
        surrogate={"family": "edge", "name": "hinge with h=exp(a)", "phi": HINGE, "h": "exp(a)"},
        conditions=conditions("additive"),
        scores=["1", "0"],
        decimals=["1.000000", "0.000000"],
        optimum=optimum("1/3", "1/3", "0", "0", "1 2"),
        failure=None,
        certificate={
            "kind": "separation",
            "terms": [edge("2/3", HINGE, "1", "2"), edge("1/3", HINGE, "2", "1")],
            "bounds": [bound("1 2", "1/3", "-1 -1", "0 0", "0 0")],
            "gap": "0.3333",
        },
    )


def own_terms() -> Document:
    """A loss of somebody's own that counts preferences for item 2 twice."""
    return witness(
        claim="inconsistent",
        items=["1", "2"],
        graphs=[graph("1/2", "1 2 3"), graph("1/2", "2 1 2")],
        aggregate=matrix("0 3/2", "1 0"),
        surrogate={
            "family": "terms",
            "name": "home-bias",
            "terms": [[edge("3", LOGISTIC, "1", "2")], [edge("4", LOGISTIC, "2", "1")]],
        },
        conditions=conditions("additive"),
        scores=["log(3/4)", "0"],
        decimals=["-0.287682", "0.000000"],
        optimum=optimum("1", "3/2", "1/2", "1/5", "1 2"),
        failure=failure("strict", "1 2 1/2 below"),
        certificate=stationary([edge("3/2", LOGISTIC, "1", "2"), edge("2", LOGISTIC, "2", "1")], "-4/7 -3/7"),
    )


WITNESSES: Final[Mapping[str, Callable[[], Document]]] = {
    make.__name__: make
    for make in (
        hinge_tie,
        linear_strict,
        regression_strict,
        logistic_strict,
        squared_hinge_strict,
        logistic_separation,
        universal_two,
        universal_three,
        universal_four,
        logistic_consistent,
        difference_consistent,
        margin_consistent,
        irrational_factor,
        own_terms,
    )
}
