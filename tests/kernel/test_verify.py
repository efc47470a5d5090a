import copy
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from consistency_lab.errors import InputError, RejectedError
from consistency_lab.files import digest
from consistency_lab.proofs.dispatch import verify as verify_any
from consistency_lab.proofs.dispatch import verify_file

from .mutations import edited, replaced
from .oracle import Verified, verify
from .witnesses import (
    HINGE,
    LOGISTIC,
    WITNESSES,
    Document,
    conditions,
    difference_consistent,
    edge,
    failure,
    graph,
    hinge_tie,
    linear_strict,
    logistic_consistent,
    logistic_separation,
    logistic_strict,
    matrix,
    optimum,
    sealed,
    stationary,
    universal_three,
    witness,
)


@pytest.mark.parametrize(
    ("make", "kind", "regret", "gap", "universal", "holding"),
    [
        (hinge_tie, "tie", "1", None, False, 5),
        (linear_strict, "strict", "1", None, False, 2),
        (logistic_strict, "strict", "14", None, False, 5),
        (logistic_separation, "strict", "1", "0.06448", False, 5),
        (universal_three, "strict", "1", None, True, 5),
        (difference_consistent, None, "0", "1", False, 5),
    ],
)
def test_what_a_witness_proves(
    make: Callable[[], Document],
    kind: str | None,
    regret: str,
    gap: str | None,
    universal: bool,
    holding: int,
) -> None:
    found = verify(make())
    assert (found.failure, found.regret, found.universal) == (kind, Fraction(regret), universal)
    assert found.gap == (None if gap is None else Fraction(gap))
    assert found.claim == ("consistent-at-p" if kind is None else "inconsistent")
    assert sum(found.conditions.values()) == holding
    assert list(found.conditions) == ["additive", "low-noise", "net-order", "acyclic", "any"]


@pytest.mark.parametrize("name", WITNESSES)
def test_every_hand_made_witness_is_accepted(name: str) -> None:
    assert isinstance(verify(WITNESSES[name]()), Verified)


def test_how_convexity_is_known() -> None:
    assert verify(hinge_tie()).convexity == ("piecewise polynomial",)
    assert verify(logistic_strict()).convexity == ("composition rules",)


def test_the_verdict_cannot_be_changed() -> None:
    found = verify(hinge_tie())
    with pytest.raises(AttributeError):
        found.regret = Fraction(2)  # type: ignore[misc]
    with pytest.raises(TypeError):
        found.conditions["acyclic"] = False  # type: ignore[index]


def test_a_file_is_verified(tmp_path: Path) -> None:
    path = tmp_path / "witness.json"
    path.write_text(json.dumps(hinge_tie(), indent=2), encoding="utf-8")
    assert verify_file(path) == verify_any(hinge_tie())


@pytest.mark.parametrize(
    ("text", "message"), [("[1]", "a witness is a JSON object"), ("{", "ends too early")]
)
def test_a_file_that_is_no_witness(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "foreign.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        verify_file(path)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("consistency-lab/witness/2", "of the format 'consistency-lab/witness/2', but this version knows"),
        ("other/1", "of the format 'other/1', but this version knows"),
        (1, "lacks the entry"),
    ],
)
def test_another_format_is_named_before_anything_else(value: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        verify_any({"format": value, "new": "key"})


def test_a_document_that_is_no_object() -> None:
    with pytest.raises(InputError, match="document is a list of 0; pass the JSON object of a proof"):
        verify_any([])  # type: ignore[arg-type]


@pytest.mark.parametrize("path", ["path.json", Path("path.json")])
def test_a_path_in_place_of_a_document_is_told_where_to_go(path: object) -> None:
    words = "pass the JSON object of a proof; verify_file takes a path"
    with pytest.raises(InputError, match=words):
        verify_any(path)  # type: ignore[arg-type]


def test_a_wrong_digest_is_rejected() -> None:
    with pytest.raises(RejectedError, match="the digest is stated as"):
        verify({**hinge_tie(), "digest": "sha256:0"})


def test_names_may_be_spelled_otherwise_throughout() -> None:
    text = json.dumps(logistic_separation()["certificate"])
    document = logistic_separation()
    names = {"1": "Fay", "2": "Ä→b", "3": "0"}
    renamed = json.loads(text)
    for term in renamed["terms"]:
        term["along"] = {names[item]: n for item, n in term["along"].items()}
    renamed["bounds"][0]["pair"] = ["Ä→b", "0"]
    changed = {
        **document,
        "items": list(names.values()),
        "graphs": [
            {"probability": "1/2", "edges": [["Ä→b", "0", "2"], ["Fay", "Ä→b", "6"], ["Fay", "0", "16"]]},
            {"probability": "1/2", "edges": [["0", "Fay", "8"]]},
        ],
        "optimum": optimum("4", "5", "1", "1/16", "Fay Ä→b 0"),
        "failure": failure("strict", "Ä→b 0 1 below"),
        "certificate": renamed,
    }
    assert verify(sealed(changed)) == verify(document)


def test_a_number_may_be_written_as_an_unreduced_fraction() -> None:
    assert verify(replaced(hinge_tie(), ("aggregate", 0, 2), "6/2"))


@pytest.mark.parametrize("text", ["0.5", "1e3", "+1", " 1", "1/0", "½", "1_0", "٣", "nan", "inf", "9" * 2001])
def test_numbers_in_another_form_are_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"aggregate\[0\]\[2\]"):
        verify(replaced(hinge_tie(), ("aggregate", 0, 2), text))


@pytest.mark.parametrize(
    "text", ["log(0)", "log(-1)", "log(2", "2*log(3)", "log(log(2))", "log(2)+1", "exp(1)"]
)
def test_scores_in_another_form_are_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"scores\[0\]"):
        verify(replaced(hinge_tie(), ("scores", 0), text))


@pytest.mark.parametrize(
    ("graphs", "message"),
    [
        ([], "the probabilities sum to 0, not to 1"),
        ([graph("1/2", "1 2 2", "2 3 6")], "the probabilities sum to 1/2"),
        ([graph("3/2", "1 2 1"), graph("-1/2", "2 3 1")], "graph 2 has probability -1/2"),
        ([graph("1", "1 2 1", "2 3 1", "3 1 1")], "runs in a circle"),
        ([graph("1", "1 1 1")], "runs in a circle"),
        ([graph("1", "1 2 1", "1 2 3")], "the edge 1 → 2 of graph 1 stands twice"),
        ([graph("1", "1 2 -1")], "has weight -1; it must be positive"),
        ([graph("1", "1 2 0")], "has weight 0; it must be positive"),
    ],
)
def test_what_is_no_distribution_is_rejected(graphs: list[Document], message: str) -> None:
    with pytest.raises(RejectedError, match=message):
        verify(replaced(linear_strict(), ("graphs",), graphs))


def test_the_order_of_edges_in_a_graph_does_not_matter() -> None:
    assert verify(
        edited(hinge_tie(), lambda d: d["graphs"][0]["edges"].reverse())  # type: ignore[index]
    )


@pytest.mark.parametrize(
    ("items", "message"), [(["1"], "2 to 15 items"), ([str(k) for k in range(16)], "2 to 15 items")]
)
def test_the_number_of_items_is_limited(items: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        verify(replaced(hinge_tie(), ("items",), items))


def test_a_stationary_point_does_not_prove_consistency() -> None:
    document = logistic_consistent()
    terms = [edge("2", LOGISTIC, "cat", "dog"), edge("1", LOGISTIC, "dog", "cat")]
    document["certificate"] = stationary(terms, "-1/3 -2/3")
    with pytest.raises(RejectedError, match="does not prove consistency"):
        verify(sealed(document))


def test_right_scores_witness_no_inconsistency() -> None:
    document = {**logistic_consistent(), "claim": "inconsistent", "failure": failure("strict")}
    with pytest.raises(RejectedError, match="witness no inconsistency"):
        verify(sealed(document))


def test_wrong_scores_do_not_show_consistency() -> None:
    with pytest.raises(RejectedError, match="have the regret 1"):
        verify(sealed({**hinge_tie(), "claim": "consistent-at-p", "failure": None}))


def two_items(phi: str, slopes: str) -> Document:
    """Scores 0, 0 for W = phi(x) + phi(-x)."""
    return witness(
        claim="inconsistent",
        items=["1", "2"],
        graphs=[graph("1/2", "1 2 2"), graph("1/2", "2 1 1")],
        aggregate=matrix("0 1", "1/2 0"),
        surrogate={
            "family": "terms",
            "name": "mine",
            "terms": [[edge("2", phi, "1", "2")], [edge("2", phi, "2", "1")]],
        },
        conditions=conditions("additive"),
        scores=["0", "0"],
        decimals=["0.000000", "0.000000"],
        optimum=optimum("1/2", "1", "1/2", "1/3", "1 2"),
        failure=failure("tie", "1 2 1/2 equal"),
        certificate=stationary([edge("1", phi, "1", "2"), edge("1", phi, "2", "1")], slopes),
    )


def test_a_symmetric_loss_ties_two_items() -> None:
    assert verify(two_items(LOGISTIC, "-1/2 -1/2")).failure == "tie"


@pytest.mark.parametrize(
    ("phi", "slopes", "message"),
    [
        ("1/(1+exp(x))", "-1/4 -1/4", "convexity of .* is not proved"),
        ("-abs(x)", "0 0", "convexity of .* is not proved"),
        ("x**3", "0 0", "convexity of .* is not proved"),
        ("-sqrt(1+x)", "-1/2 -1/2", "is not proved"),
        ("exp(1-x)", "-1 -1", "not known to be rational"),
        (LOGISTIC, "-1/2 -1/3", "the slope of term 2 is stated as -1/3, but .* is -1/2"),
        (HINGE, "-1/2 -1/2", "but that of .* is -1"),
        ("abs(x)", "2 2", "lies between -1 and 1"),
    ],
)
def test_what_proves_no_minimum_is_rejected(phi: str, slopes: str, message: str) -> None:
    with pytest.raises(RejectedError, match=message):
        verify(two_items(phi, slopes))


def test_slopes_must_balance() -> None:
    with pytest.raises(RejectedError, match="the slopes sum to 1/2 at item 1, not to 0"):
        verify(two_items("abs(x)", "1/2 0"))


def test_a_slope_may_be_anything_between_the_sides_of_a_kink() -> None:
    assert verify(two_items("abs(x)", "1/3 1/3"))


def test_an_expression_that_cannot_be_read() -> None:
    with pytest.raises(InputError, match=r"surrogate.phi cannot be read: '__import__'"):
        verify(replaced(hinge_tie(), ("surrogate", "phi"), "__import__('os')"))


def test_numbers_too_long_for_a_message_are_described() -> None:
    parts = [Fraction(1, 10**1900 + k) for k in range(1, 4)]
    p = [graph(str(part), "1 2 1") for part in parts]
    with pytest.raises(RejectedError, match="sum to a number of thousands of digits, not to 1"):
        verify(replaced(linear_strict(), ("graphs",), p))
    with pytest.raises(RejectedError, match="does not round to its entry"):
        verify(replaced(linear_strict(), ("scores", 0), str(10**1990)))


def test_decimals_are_rounded_to_the_nearest() -> None:
    assert verify(replaced(logistic_strict(), ("decimals", 0), "1.098612"))
    for text in ("1.098613", "1.098611", "1.098612000"):
        with pytest.raises((RejectedError, InputError)):
            verify(replaced(logistic_strict(), ("decimals", 0), text))


def test_the_digest_of_the_content_is_what_other_programs_compute() -> None:
    document = hinge_tie()
    content = {key: value for key, value in document.items() if key != "digest"}
    assert document["digest"] == digest(json.loads(json.dumps(content)))


def test_a_document_is_left_as_it_is() -> None:
    document = logistic_separation()
    before = copy.deepcopy(document)
    verify(document)
    assert document == before


def shifted(document: Document, denominators: list[int]) -> Document:
    """The document with one more graph for each denominator, and a right digest."""
    names = document["items"]
    more = [
        {"probability": f"1/{d}", "edges": [[names[0], names[1], "1"]]}  # type: ignore[index]
        for d in denominators
    ]
    return sealed({**document, "graphs": [*document["graphs"], *more]})  # type: ignore[misc]


def test_denominators_that_share_no_factor_are_refused_before_they_are_added() -> None:
    # Fermat numbers are pairwise coprime (Goldbach); these have 1, 1, 2, ..., 1234 digits.
    fermat = [2**2**n + 1 for n in range(13)]
    powers = [3**4000, 5**2800, 7**2300, 11**1900, 13**1700]
    with pytest.raises(InputError, match=r"common denominator .* has more than 10_000 digits; round"):
        verify(shifted(hinge_tie(), fermat + powers))
    with pytest.raises(RejectedError, match="sum"):
        verify(shifted(hinge_tie(), fermat))
