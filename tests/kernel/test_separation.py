from decimal import Decimal

import pytest

from consistency_lab.errors import RejectedError

from .mutations import edited, replaced
from .newton import minimizer, risk, separation
from .oracle import certified_gap, verify
from .witnesses import (
    HINGE,
    LOGISTIC,
    Document,
    bound,
    conditions,
    difference_consistent,
    edge,
    failure,
    graph,
    hinge_tie,
    logistic_consistent,
    logistic_separation,
    matrix,
    optimum,
    witness,
)

BOUND = ("certificate", "bounds", 0)
GAP = ("certificate", "gap")


@pytest.mark.parametrize(
    ("a12", "a13", "a23", "a31", "wrong", "regret"),
    [
        (3, 8, 1, 4, (1, 2), 1),
        (14, 97, 40, 43, (0, 1), 14),
        (4, 41, 20, 17, (0, 1), 4),
        (1000, 3021, 11, 2010, (1, 2), 11),
    ],
)
def test_newton_proposes_and_the_kernel_decides(
    a12: int, a13: int, a23: int, a31: int, wrong: tuple[int, int], regret: int
) -> None:
    found = verify(separation(a12, a13, a23, a31, wrong, regret))
    edges = {(0, 1): a12, (0, 2): a13, (1, 2): a23, (2, 0): a31}
    third = 3 - sum(wrong)
    on_boundary = risk(edges, minimizer(edges, [[int(k == third) for k in range(3)]]))
    least = risk(edges, minimizer(edges, [[1, 0, 0], [0, 1, 0]]))
    assert found.gap is not None
    assert 0 < float(found.gap) <= on_boundary - least


def test_a_gap_must_be_certain_and_sharp() -> None:
    for text in ("0.06448", "0.0639"):
        assert verify(replaced(logistic_separation(), GAP, text))
    with pytest.raises(RejectedError, match="not certainly by the gap"):
        verify(replaced(logistic_separation(), GAP, "0.06449"))
    with pytest.raises(RejectedError, match="larger by more than 1%"):
        verify(replaced(logistic_separation(), GAP, "0.06"))
    with pytest.raises(RejectedError, match="must be positive"):
        verify(replaced(logistic_separation(), GAP, "0"))


def test_the_gap_to_state() -> None:
    assert certified_gap(logistic_separation()) == Decimal("0.0644860")
    assert certified_gap(replaced(logistic_separation(), GAP, "0")) == Decimal("0.0644860")
    assert certified_gap(difference_consistent()) == 1
    assert certified_gap(hinge_tie()) is None


def test_the_gap_to_state_is_accepted() -> None:
    document = replaced(logistic_separation(), GAP, str(certified_gap(logistic_separation())))
    assert verify(document).gap is not None


def test_no_gap_can_be_stated_for_bounds_that_are_too_low() -> None:
    document = replaced(logistic_consistent(), ("scores", 0), "log(20)")
    assert certified_gap(document) is None


def test_no_gap_can_be_stated_for_a_bracket_that_misses_the_slope() -> None:
    assert certified_gap(replaced(logistic_separation(), (*BOUND, "brackets", 0), ["1/100", "1/50"])) is None


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("brackets", 0), ["51/50", "101/100"], "the bracket .* is empty"),
        (("brackets", 0), ["51/50", "51/50"], "at 51/50 is not certainly at most -4/15"),
        (("brackets", 0), ["101/100", "101/100"], "at 101/100 is not certainly at least -4/15"),
        (("brackets", 0), None, "the slope -4/15 of .* needs a bracket"),
        (("multiplier",), "-3/10", "the multiplier of the pair .2, 3. is negative"),
        (("multiplier",), "1/5", "the slopes sum to 3/10 at item 2, not to 1/5"),
        (("pair",), ["3", "2"], "the scores lie in the half-space"),
        (("pair",), ["1", "3"], "the scores lie in the half-space"),
    ],
)
def test_a_bound_that_fails(path: tuple[str | int, ...], value: object, message: str) -> None:
    with pytest.raises(RejectedError, match=message):
        verify(replaced(logistic_separation(), (*BOUND, *path), value))


def test_a_wider_bracket_proves_less() -> None:
    with pytest.raises(RejectedError, match="not certainly by the gap"):
        verify(replaced(logistic_separation(), (*BOUND, "brackets", 0), ["1/2", "3/2"]))


def test_a_certificate_without_bounds_proves_nothing() -> None:
    with pytest.raises(RejectedError, match="at least one bound"):
        verify(replaced(logistic_separation(), ("certificate", "bounds"), []))


def test_consistency_needs_all_of_the_half_spaces() -> None:
    with pytest.raises(RejectedError, match="an order outside all the half-spaces has loss"):
        verify(
            edited(difference_consistent(), lambda d: d["certificate"]["bounds"].pop())  # type: ignore[index]
        )


def test_inconsistency_needs_half_spaces_that_contain_every_optimal_order() -> None:
    # Without an edge between 2 and 3 the orders 1, 2, 3 and 1, 3, 2 are both optimal.
    document = witness(
        claim="inconsistent",
        items=["1", "2", "3"],
        graphs=[graph("1", "1 2 1", "1 3 1")],
        aggregate=matrix("0 1 1", "0 0 0", "0 0 0"),
        surrogate={
            "family": "terms",
            "name": "mine",
            "terms": [[edge("1", "x**2", "1", "2", "-1"), edge("1", "x**2", "1", "3", "-1")]],
        },
        conditions=conditions("additive"),
        scores=["0", "1/2", "1"],
        decimals=["0.000000", "0.500000", "1.000000"],
        optimum=optimum("0", "2", "2", "1", "1 2 3", "2"),
        failure=failure("strict", "1 2 1 below", "1 3 1 below"),
        certificate={
            "kind": "separation",
            "terms": [edge("1", "x**2", "1", "2", "-1"), edge("1", "x**2", "1", "3", "-1")],
            "bounds": [bound("2 3", "0", "0 0", "0 0", "0 0")],
            "gap": "1",
        },
    )
    with pytest.raises(RejectedError, match="an optimal order lies outside all the half-spaces"):
        verify(document)


def zero_slope(phi: str, bracket: object) -> Document:
    """1 is preferred to 2 and to 3; the second term has slope 0 in the bound on {alpha_1 <= alpha_2}."""
    terms = [edge("1", phi, "1", "2"), edge("1", phi, "1", "3")]
    first = bound("1 2", "1/2", "-1/2 0", "0 0")
    second = bound("1 3", "1/2", "0 -1/2", "0 0")
    first["brackets"], second["brackets"] = [["0", "0"], bracket], [bracket, ["0", "0"]]
    return witness(
        claim="consistent-at-p",
        items=["1", "2", "3"],
        graphs=[graph("1", "1 2 1", "1 3 1")],
        aggregate=matrix("0 1 1", "0 0 0", "0 0 0"),
        surrogate={"family": "difference", "name": "difference-logistic", "phi": phi},
        conditions=conditions("additive"),
        scores=["3", "0", "0"],
        decimals=["3.000000", "0.000000", "0.000000"],
        optimum=optimum("0", "0", "0", "0", "1 2 3", "2"),
        failure=None,
        certificate={"kind": "separation", "terms": terms, "bounds": [first, second], "gap": "0.5959"},
    )


def test_a_slope_of_zero_needs_no_bracket_where_phi_is_bounded_below() -> None:
    # log 2 - 2 log(1 + exp(-3)) = 0.59597...
    assert verify(zero_slope(LOGISTIC, None)).gap is not None


def test_no_bracket_holds_a_slope_that_is_only_approached() -> None:
    with pytest.raises(RejectedError, match="not certainly at least 0"):
        verify(zero_slope(LOGISTIC, ["0", "1000"]))


def test_each_half_space_is_bounded_once() -> None:
    with pytest.raises(RejectedError, match="bounds W on one half-space twice"):
        verify(
            edited(
                logistic_separation(),
                lambda d: d["certificate"]["bounds"].append(d["certificate"]["bounds"][0]),  # type: ignore[index]
            )
        )


def test_the_hinge_gap_on_the_edge_of_a_flat_piece() -> None:
    document = difference_consistent()
    assert document["surrogate"] == {"family": "difference", "name": "difference-hinge", "phi": HINGE}
    assert verify(replaced(document, (*BOUND, "brackets", 1), None))
