"""Proofs worked out by hand, each small enough to be checked on paper."""

from collections.abc import Callable, Mapping
from typing import Any, Final

Entry = dict[str, Any]

HINGE: Final = "max(0,1-x)"
LOGISTIC: Final = "log(1+exp(-x))"


def prefers(text: str) -> list[list[str]]:
    """Preferences from a text such as "A B 3, B A 2"."""
    return [part.split() for part in text.split(", ")]


def edges(phi: str, preferences: list[list[str]]) -> list[Entry]:
    """sum a_ij phi(u_i - u_j)."""
    terms = [[weight, {i: "1", j: "-1"}] for i, j, weight in preferences]
    return [{"phi": phi, "offset": "0", "terms": terms}]


def on_pairs(phi: str, text: str, coordinates: str, **entries: object) -> Entry:
    """A proof about one label of preferences and the edge loss of phi on them."""
    preferences = prefers(text)
    label = {"probability": "1", "prefers": preferences, "psi": edges(phi, preferences)}
    return {"coordinates": list(coordinates), "decoder": "sort", "labels": [label], **entries}


def fails(prediction: str, better: str, failure: str, regret: str) -> Entry:
    """The entries about a failure."""
    return {
        "claim": "inconsistent",
        "prediction": list(prediction),
        "better": list(better),
        "failure": failure,
        "regret": regret,
    }


def tie() -> Entry:
    """Additive d = (1, 2, 1); the hinge ties B and C at (1, 0, 0).

    The arguments are 1, 1, 0 and -1, the slopes -1, 0 (at kinks), -1 and -1. Item A: -1 + 0 + 1 = 0, item B:
    1 - 1 = 0, item C: 0 + 1 - 1 = 0.
    """
    return on_pairs(
        HINGE,
        "A B 1, A C 3, B C 1, C A 1",
        "ABC",
        **fails("ACB", "ABC", "tie", "1"),
        scores=["1", "0", "0"],
        certificate={"kind": "minimum", "slopes": ["-1", "0", "-1", "-1"]},
    )


def escape() -> Entry:
    """D is preferred to C alone, and never the other way round; A, B and C are as in `tie`."""
    return on_pairs(
        HINGE,
        "A B 1, A C 3, B C 1, C A 1, D C 1",
        "ABCD",
        **fails("DACB", "DABC", "tie", "1"),
        scores=["1", "0", "0", "0"],
        direction=[0, 0, 0, 1],
        certificate={"kind": "minimum", "slopes": ["-1", "0", "-1", "-1", None]},
    )


def chamber() -> Entry:
    """(u_A - u_B - 1)^2 near its least value keeps A above B: on u_A <= u_B it is at least 1.

    The slope at 0 is -2, so that the bound has the multiplier 2; the tangents at 0 and 0 give phi*(-2) = -1.
    """
    preferences = prefers("A B 3, B A 2")
    psi = [{"phi": "(x-1)**2", "offset": "0", "terms": [["1", {"A": "1", "B": "-1"}]]}]
    bound = {"above": "A", "below": "B", "slopes": ["-2"], "brackets": [["0", "0"]]}
    return {
        "claim": "consistent-at-p",
        "coordinates": ["A", "B"],
        "decoder": "sort",
        "labels": [{"probability": "1", "prefers": preferences, "psi": psi}],
        "scores": ["1", "0"],
        "certificate": {"kind": "separation", "bounds": [bound], "gap": "0.9"},
    }


def wrong_chamber() -> Entry:
    """The same risk where B is preferred more often: whatever comes near its least value is wrong."""
    found = chamber()
    found["labels"][0]["prefers"] = prefers("A B 2, B A 3")
    return {**found, **fails("AB", "BA", "strict", "1")}


def mean() -> Entry:
    """Regression on discounted grades: A's feature is 1/log2(3) half of the time, else 0; B has 49/100.

    The mean of A is about .315 and that of B .49, so B is sorted first; the loss wants A.
    """
    labels = [
        {"probability": "1/2", "losses": ["0", "1"], "psi": ["1/log2(3)", "49/100"]},
        {"probability": "1/2", "losses": ["0", "1/log2(3)"], "psi": ["0", "49/100"]},
    ]
    return {
        **fails("BA", "AB", "strict", "0.815464"),
        "coordinates": ["A", "B"],
        "decoder": "sort",
        "predictions": [["A", "B"], ["B", "A"]],
        "labels": labels,
        "scores": None,
        "certificate": {"kind": "mean", "risk": "squares"},
    }


def cells() -> Entry:
    """One score, "yes" where it is at least 1/2; its mean is 1/3, but "yes" is right more often."""
    yes, no = [[[["1"], "-1/2"]]], [[[["-1"], "1/2"]]]
    return {
        **fails("x", "x", "strict", "1/3"),
        "prediction": "no",
        "better": "yes",
        "coordinates": ["u"],
        "decoder": {"yes": yes, "no": no},
        "predictions": ["yes", "no"],
        "labels": [
            {"probability": "2/3", "losses": ["0", "1"], "psi": ["0"]},
            {"probability": "1/3", "losses": ["1", "0"], "psi": ["1"]},
        ],
        "scores": None,
        "certificate": {"kind": "mean", "risk": "squares"},
    }


def soft_pairs() -> Entry:
    """A sigmoid a pair: B is to be above A and C in 3/5 of the lists, else A; the loss wants A above B."""
    return {
        **fails("BAC", "ABC", "strict", "1"),
        "coordinates": ["A", "B", "C"],
        "decoder": "sort",
        "labels": [
            # f_AB, f_AC, f_BA, f_BC, f_CA, f_CB
            {"probability": "3/5", "prefers": prefers("A B 1"), "psi": ["0", "0", "1", "1", "0", "0"]},
            {"probability": "2/5", "prefers": prefers("A B 1"), "psi": ["1", "1", "0", "0", "0", "0"]},
        ],
        "scores": None,
        "certificate": {"kind": "mean", "risk": "soft-pairs"},
    }


def positions() -> Entry:
    """Approximate positions: the mean weight of A is 3/10, and that of B is 1/5."""
    return {
        **fails("AB", "BA", "strict", "1"),
        "coordinates": ["A", "B"],
        "decoder": "sort",
        "labels": [
            {"probability": "1/2", "prefers": prefers("B A 1"), "psi": ["3/5", "0"]},
            {"probability": "1/2", "prefers": prefers("B A 1"), "psi": ["0", "2/5"]},
        ],
        "scores": None,
        "certificate": {"kind": "mean", "risk": "positions"},
    }


def equilibrium() -> Entry:
    """exp(u_A - u_B) - 2 vanishes at u_A - u_B = log 2; its slope is positive, so descent is drawn there."""
    steps = [["difference", 0, 1], ["exp", 0], "2", ["subtract", 1, 2]]
    return {
        **fails("AB", "BA", "strict", "1"),
        "claim": "wrong-equilibrium",
        "coordinates": ["A", "B"],
        "decoder": "sort",
        "labels": [
            {"probability": "1", "prefers": prefers("B A 1"), "psi": {"steps": steps, "gradient": [3]}}
        ],
        "scores": None,
        "certificate": {"kind": "equilibrium", "box": [["69/100", "7/10"]], "attracting": True},
    }


def listwise() -> Entry:
    """log(e^u_A + e^u_B) - (2 u_A + u_B)/3 is least where e^u is as 2 : 1."""
    psi = [{"log-sum-exp": "1", "over": ["A", "B"]}, {"linear": {"A": "-2/3", "B": "-1/3"}}]
    return {
        **fails("AB", "BA", "strict", "1"),
        "coordinates": ["A", "B"],
        "decoder": "sort",
        "labels": [{"probability": "1", "prefers": prefers("B A 1"), "psi": psi}],
        "scores": ["log(2)", "0"],
        "certificate": {"kind": "minimum", "slopes": [None, None]},
    }


def multiclass() -> Entry:
    """max(u_A + 1, u_B) + max(u_B + 1, u_A) - u_A - u_B: two classes by Crammer and Singer, each half right.

    It is least wherever the two scores differ by at most 1, so at (1, 0) as well, whichever class costs less.
    """
    psi = [
        {"max": "1", "pieces": [[{"A": "1"}, "1"], [{"B": "1"}, "0"]]},
        {"max": "1", "pieces": [[{"B": "1"}, "1"], [{"A": "1"}, "0"]]},
        {"linear": {"A": "-1", "B": "-1"}},
    ]
    return {
        **fails("AB", "BA", "strict", "1"),
        "coordinates": ["A", "B"],
        "decoder": "sort",
        "labels": [{"probability": "1", "prefers": prefers("B A 1"), "psi": psi}],
        "scores": ["1", "0"],
        "certificate": {"kind": "minimum", "slopes": [["1", "0"], ["1", "0"], None]},
    }


def infeasible() -> Entry:
    """x >= 0 and x <= -1."""
    system = {"rows": [["1"]], "right": ["-1"], "equal_rows": [], "equal_right": [], "y": ["1"], "z": []}
    return {"claim": "infeasible", "systems": [system]}


PROOFS: Final[Mapping[str, Callable[[], Entry]]] = {
    maker.__name__: maker
    for maker in (
        tie,
        escape,
        chamber,
        wrong_chamber,
        mean,
        cells,
        soft_pairs,
        positions,
        equilibrium,
        listwise,
        multiclass,
        infeasible,
    )
}
