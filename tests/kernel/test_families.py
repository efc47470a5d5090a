from fractions import Fraction

import pytest

from consistency_lab.errors import InputError, RejectedError
from consistency_lab.phi import NAMED
from consistency_lab.proofs.format_1.distribution import Graph, aggregate
from consistency_lab.proofs.format_1.terms import Term

from .oracle.families import Family, read_surrogate
from .witnesses import HINGE, LOGISTIC, Document, edge

ITEMS = {"1": 0, "2": 1, "3": 2}


def family(**fields: object) -> Family:
    return read_surrogate(fields, "surrogate", ITEMS)


def graphs(*rows: str) -> tuple[Graph, ...]:
    """From texts such as "1/2: 1 2 3, 2 3 1"."""
    found = []
    for row in rows:
        probability, _, edges = row.partition(":")
        triples = [edge.split() for edge in edges.split(",")]
        found.append(
            Graph(Fraction(probability), tuple((int(i) - 1, int(j) - 1, Fraction(w)) for i, j, w in triples))
        )
    return tuple(found)


def shown(surrogate: Family, *rows: str) -> list[str]:
    p = graphs(*rows)
    return [str(term) for term in surrogate.terms(p, aggregate(p, 3))]


EDGE: Document = {"family": "edge", "name": "logistic", "phi": LOGISTIC, "h": "a"}


def test_edge_terms_are_added_up_in_order_of_appearance() -> None:
    assert shown(family(**EDGE), "1/2: 2 3 4", "1/2: 1 2 1, 2 3 1") == [
        f"5/2 * ({LOGISTIC}) along +α2 -α3, offset 0",
        f"1/2 * ({LOGISTIC}) along +α1 -α2, offset 0",
    ]


def test_h_counts_graph_by_graph() -> None:
    assert shown(family(**{**EDGE, "h": "a**2"}), "1/2: 1 2 2", "1/2: 1 2 4") == [
        f"10 * ({LOGISTIC}) along +α1 -α2, offset 0"
    ]


def test_a_common_irrational_factor_is_left_out() -> None:
    assert shown(family(**{**EDGE, "h": "sqrt(a)"}), "1/2: 1 2 2", "1/2: 2 1 2") == [
        f"1/2 * ({LOGISTIC}) along +α1 -α2, offset 0",
        f"1/2 * ({LOGISTIC}) along -α1 +α2, offset 0",
    ]


@pytest.mark.parametrize(
    ("h", "message"),
    [
        ("sqrt(a)", "not known to be rational"),  # at 1 and 2
        ("a-2", "h.1. is -1; it must be at least 0"),
        ("1/(a-1)", "not known to be rational"),
    ],
)
def test_h_must_be_rational_and_not_negative(h: str, message: str) -> None:
    with pytest.raises(RejectedError, match=message):
        shown(family(**{**EDGE, "h": h}), "1/2: 1 2 2", "1/2: 2 1 1")


def test_an_edge_of_count_zero_disappears() -> None:
    assert shown(family(**{**EDGE, "h": "a-1"}), "1: 1 2 1, 2 3 2") == [
        f"1 * ({LOGISTIC}) along +α2 -α3, offset 0"
    ]


def test_margin_terms_keep_their_margins_apart() -> None:
    margin = family(family="margin", name="margin-hinge", phi=HINGE, h="log(a)")
    assert shown(margin, "1/2: 1 2 2", "1/4: 1 2 3", "1/4: 1 2 2") == [
        f"3/4 * ({HINGE}) along +α1 -α2, offset log(2)",
        f"1/4 * ({HINGE}) along +α1 -α2, offset log(3)",
    ]


def test_a_margin_that_is_not_known_exactly() -> None:
    with pytest.raises(RejectedError, match="is not known exactly"):
        shown(family(family="margin", name="m", phi=HINGE, h="sqrt(a)"), "1: 1 2 2")


def test_linear_terms_come_before_the_regularizer() -> None:
    linear = family(family="linear", name="linear with r=x**4 nu=2", r="x**4", nu="2")
    linear.check_name()
    assert shown(linear, "1: 2 1 3") == [
        "3 * (-x) along -α1 +α2, offset 0",
        "2 * (x**4) along +α1, offset 0",
        "2 * (x**4) along +α2, offset 0",
        "2 * (x**4) along +α3, offset 0",
    ]


@pytest.mark.parametrize("nu", ["0", "-1"])
def test_the_regularizer_has_a_positive_weight(nu: str) -> None:
    with pytest.raises(RejectedError, match="it must be positive"):
        shown(family(family="linear", name="linear", r="x**2/2", nu=nu), "1: 1 2 1")


def test_difference_terms_see_differences_only() -> None:
    difference = family(family="difference", name="difference-hinge", phi=HINGE)
    assert shown(difference, "1/2: 1 2 4, 2 3 2", "1/2: 2 1 2, 3 2 2") == [
        f"1 * ({HINGE}) along +α1 -α2, offset 0"
    ]


def test_regression_terms_are_merged_by_their_target() -> None:
    assert shown(family(family="regression", name="regression", f="net"), "1/2: 1 2 3", "1/2: 1 3 3") == [
        "1 * (x**2) along +α1, offset 3",
        "1/2 * (x**2) along +α2, offset -3",
        "1/2 * (x**2) along +α3, offset 0",
        "1/2 * (x**2) along +α2, offset 0",
        "1/2 * (x**2) along +α3, offset -3",
    ]


def explicit(*terms: list[Document]) -> Family:
    return family(family="terms", name="mine", terms=list(terms))


def test_explicit_terms_are_weighted_by_probability() -> None:
    assert shown(explicit([edge("3", HINGE, "1", "2", "1")], []), "1/3: 1 2 1", "2/3: 2 3 1") == [
        f"1 * ({HINGE}) along +α1 -α2, offset 1"
    ]


def test_explicit_terms_need_a_list_for_each_graph() -> None:
    with pytest.raises(RejectedError, match="terms are given for 2 graphs, but there are 1"):
        shown(explicit([], []), "1: 1 2 1")


def test_explicit_terms_have_no_negative_coefficient() -> None:
    with pytest.raises(RejectedError, match="has a negative coefficient"):
        shown(explicit([edge("-1", HINGE, "1", "2")]), "1: 1 2 1")


@pytest.mark.parametrize("named", NAMED.values(), ids=list(NAMED))
def test_functions_with_a_name_go_by_it(named: object) -> None:
    text, name = named.text, named.name  # type: ignore[attr-defined]
    family(family="edge", name=name, phi=text, h="a").check_name()
    family(family="margin", name=f"margin-{name}", phi=text, h="a").check_name()
    family(family="difference", name=f"difference-{name}", phi=text).check_name()
    with pytest.raises(RejectedError, match="but by its parts it is"):
        family(family="edge", name=name, phi="exp(-3*x)", h="a").check_name()


@pytest.mark.parametrize(
    "fields",
    [
        {"family": "edge", "name": "exp(-2*x)", "phi": "exp(-2*x)", "h": "a"},
        {"family": "edge", "name": "logistic with h=a**2", "phi": LOGISTIC, "h": "a**2"},
        {"family": "margin", "name": "margin-exp(-2*x) with h=2*a", "phi": "exp(-2*x)", "h": "2*a"},
        {"family": "linear", "name": "linear", "r": "x**2/2", "nu": "1"},
        {"family": "regression", "name": "regression", "f": "net"},
        {"family": "terms", "name": "top-heavy", "terms": []},
    ],
)
def test_right_names(fields: Document) -> None:
    family(**fields).check_name()


@pytest.mark.parametrize(
    "fields",
    [
        {"family": "edge", "name": "hinge", "phi": LOGISTIC, "h": "a"},
        {"family": "edge", "name": "ranknet", "phi": LOGISTIC, "h": "a"},
        {"family": "edge", "name": "logistic", "phi": LOGISTIC, "h": "a**2"},
        {"family": "edge", "name": "margin-logistic", "phi": LOGISTIC, "h": "a"},
        {"family": "margin", "name": "logistic", "phi": LOGISTIC, "h": "a"},
        {"family": "difference", "name": "difference-hinge", "phi": LOGISTIC},
        {"family": "linear", "name": "linear", "r": "x**2", "nu": "1"},
        {"family": "linear", "name": "linear", "r": "x**2/2", "nu": "2"},
        {"family": "regression", "name": "linear", "f": "net"},
        {"family": "terms", "name": "logistic", "terms": []},
        {"family": "terms", "name": "ranknet", "terms": []},
        {"family": "terms", "name": "linear", "terms": []},
        {"family": "terms", "name": "margin-mine", "terms": []},
    ],
)
def test_wrong_names(fields: Document) -> None:
    with pytest.raises(RejectedError, match="is called"):
        family(**fields).check_name()


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"family": "softmax", "name": "x"}, "surrogate.family is 'softmax'; it must be 'edge' or"),
        ({"family": ["edge"], "name": "x"}, "surrogate.family is a list"),
        ({"name": "x"}, "lacks the key 'family'"),
        ({**EDGE, "nu": "1"}, "unknown key 'nu'; its keys are family, name, phi, h"),
        ({**EDGE, "h": "x"}, "surrogate.h cannot be read"),
        ({**EDGE, "phi": "a"}, "surrogate.phi cannot be read"),
        ({"family": "regression", "name": "regression", "f": "gross"}, "surrogate.f is 'gross'"),
        ({"family": "terms", "name": "mine", "terms": {}}, "surrogate.terms must be a list"),
        ({"family": "terms", "name": "mine", "terms": [[{}]]}, "lacks the key 'coefficient'"),
        ({"family": "terms", "name": "mine", "terms": [[edge("1", "x", "1", "4")]]}, "not among the items"),
    ],
)
def test_entries_that_are_not_of_the_format(fields: Document, message: str) -> None:
    with pytest.raises(InputError, match=message):
        family(**fields)


def test_a_term_takes_its_argument_from_the_scores() -> None:
    from consistency_lab.exact import LogRational
    from consistency_lab.phi import X

    scores = [LogRational.parse(text) for text in ("log(2)", "1", "3")]
    term = Term(Fraction(1), X, ((0, 2), (1, -1)), LogRational.parse("log(3)"))
    assert str(term.at(scores)) == "-1+log(4/3)"
