"""DMJ10 Lemma 10 and Theorem 12 from one table of multipliers, for every convex phi at once."""

from fractions import Fraction
from itertools import combinations, pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.core.inequalities import face_points
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.exact import LogRational
from consistency_lab.phi import X, parse
from consistency_lab.proofs.format_1.distribution import integers
from consistency_lab.proofs.format_1.document import Face, Universal
from consistency_lab.proofs.format_1.orders import Costs, Optimum
from consistency_lab.proofs.format_1.terms import Term

from .mutations import edited, replaced
from .oracle import verify
from .oracle.families import Difference, Edge, Family, Margin, pair
from .oracle.universal import check_universal
from .witnesses import Document, linear_strict, logistic_consistent, universal_four, universal_three

NAMES = ["1", "2", "3"]
PHI = parse("exp(-x)")
EDGE = Edge("exponential", PHI, X)
FACE = ("universal", "faces", 0)


def signs(gaps: tuple[int, ...]) -> tuple[bool, ...]:
    """How the differences alpha_i - alpha_j, i < j, compare with each other."""
    m = len(gaps) + 1
    deltas = [sum(gaps[i:j]) for i, j in combinations(range(m), 2)]
    return tuple(a < b for pair in combinations(deltas, 2) for a, b in (pair, pair[::-1]))


@pytest.mark.parametrize(("m", "number", "largest"), [(2, 1, 2), (3, 3, 4), (4, 25, 6)])
def test_there_is_a_point_in_every_face(m: int, number: int, largest: int) -> None:
    points = face_points(m)
    assert all(alpha > beta for point in points for alpha, beta in pairwise(point))
    found = {signs(tuple(a - b for a, b in pairwise(point))) for point in points}
    assert len(points) == len(found) == number
    assert found == {signs(gaps) for gaps in product(range(1, largest + 1), repeat=m - 1)}


def lemma_10(h12: Fraction, h13: Fraction, h23: Fraction, h31: Fraction) -> Universal:
    """The proof of Lemma 10 under Condition 1 as multipliers."""
    z2 = 1 / (h31 * h12 / (h23 * (h13 + h12)) - 1)
    z1 = z2 * h12 / h23 * h13 / (h13 + h12)
    balance = (-z1 / h13, -z2 / h23, Fraction(0))
    comparisons = (((0, 1), (0, 2), z1), ((2, 0), (1, 2), z2), ((2, 0), None, Fraction(1)))
    return Universal((0, 1, 2), (Face(balance, comparisons),))


def check(
    universal: Universal, surrogate: Family, h: dict[tuple[int, int], Fraction], margin: str = "0"
) -> None:
    """Check multipliers for W = sum h_ij phi(alpha_i - alpha_j - margin), with the aggregate h."""
    terms = [pair(c, PHI, i, j, LogRational.parse(margin)) for (i, j), c in h.items()]
    a = tuple(tuple(h.get((i, j), Fraction(0)) for j in range(3)) for i in range(3))
    check_universal(universal, surrogate, terms, Optimum.of(Costs.of(*integers(a))), NAMES)


positive = st.integers(1, 30).map(lambda n: Fraction(n, 10))


@given(positive, positive, st.integers(1, 19), positive)
def test_condition_1_of_lemma_10_suffices(h12: Fraction, extra: Fraction, share: int, h31: Fraction) -> None:
    h13 = h31 + extra
    h23 = Fraction(share, 20) * h31 * h12 / (h13 + h12)
    check(lemma_10(h12, h13, h23, h31), EDGE, {(0, 1): h12, (0, 2): h13, (1, 2): h23, (2, 0): h31})


THEOREM_12 = {
    (0, 1): Fraction(1, 4),
    (1, 2): Fraction(1, 100),
    (0, 2): Fraction(1, 2),
    (2, 0): Fraction(6, 25),
}
PROOF_12 = lemma_10(THEOREM_12[0, 1], THEOREM_12[0, 2], THEOREM_12[1, 2], THEOREM_12[2, 0])


@pytest.mark.parametrize("margin", ["0", "1", "1/2", "log(2)"])
def test_theorem_12_for_margin_losses(margin: str) -> None:
    check(PROOF_12, Margin("margin-exponential", PHI, X), THEOREM_12, margin)


def test_a_negative_margin_may_turn_the_slope_at_0() -> None:
    with pytest.raises(RejectedError, match="one margin for all edges, which is at least 0"):
        check(PROOF_12, Margin("margin-exponential", PHI, X), THEOREM_12, "-1")


def test_margins_must_be_equal() -> None:
    terms: list[Term] = [pair(c, PHI, i, j, LogRational(Fraction(i))) for (i, j), c in THEOREM_12.items()]
    optimum = Optimum.of(Costs.of(((0, 25, 50), (0, 0, 1), (24, 0, 0)), 100))
    with pytest.raises(RejectedError, match="one margin for all edges"):
        check_universal(PROOF_12, Margin("margin-exponential", PHI, X), terms, optimum, NAMES)


def test_only_losses_of_one_function_on_edges() -> None:
    with pytest.raises(RejectedError, match="about the families edge and margin only"):
        check(PROOF_12, Difference("difference-exponential", PHI), THEOREM_12)
    entry = universal_three()["universal"]
    with pytest.raises(RejectedError, match="about the families edge and margin only"):
        verify(edited(linear_strict(), lambda d: d.update(universal=entry)))


def test_the_items_stand_in_the_only_optimal_order() -> None:
    swapped = {(1, 0): Fraction(1), (0, 2): Fraction(1), (1, 2): Fraction(1)}
    with pytest.raises(RejectedError, match="the order of the items to be the only optimal one"):
        check(PROOF_12, EDGE, swapped)
    with pytest.raises(RejectedError, match="the order of the items to be the only optimal one"):
        check(PROOF_12, EDGE, {(0, 1): Fraction(1), (0, 2): Fraction(1)})
    with pytest.raises(RejectedError, match="needs the items in the optimal order"):
        check(Universal((1, 0, 2), PROOF_12.faces), EDGE, THEOREM_12)


def test_without_a_way_back_the_minimum_need_not_be_attained() -> None:
    acyclic = {edge: c for edge, c in THEOREM_12.items() if edge != (2, 0)}
    with pytest.raises(RejectedError, match="lead from every item to every other one"):
        check(PROOF_12, EDGE, acyclic)


def test_the_multipliers_must_fit_the_weights() -> None:
    with pytest.raises(RejectedError, match="in the identity of face 1 the slope g_1,2 keeps the factor"):
        check(PROOF_12, EDGE, {**THEOREM_12, (0, 1): Fraction(1, 5)})


def test_multipliers_are_not_negative() -> None:
    face = Face((Fraction(0),) * 3, (((0, 1), None, Fraction(-1)),))
    with pytest.raises(RejectedError, match="face 1 has the multiplier -1"):
        check(Universal((0, 1, 2), (face,)), EDGE, THEOREM_12)


def test_every_face_needs_multipliers() -> None:
    with pytest.raises(RejectedError, match="no multipliers are given for the face"):
        verify(replaced(universal_three(), ("universal", "faces"), []))


def with_other_multipliers(document: Document) -> None:
    """Multipliers of universal_three that need delta_12 < delta_23."""
    document["universal"]["faces"][0] = {  # type: ignore[index]
        "balance": ["-1/4", "-11/8", "0"],
        "monotone": [
            [["1", "2"], ["1", "3"], "2"],
            [["1", "2"], ["2", "3"], "11/8"],
            [["3", "1"], "0", "1"],
        ],
    }


def test_multipliers_of_one_face_do_not_serve_all() -> None:
    with pytest.raises(RejectedError, match=r"no multipliers are given for the face that contains alpha"):
        verify(edited(universal_three(), with_other_multipliers))


def test_more_faces_than_needed_may_have_multipliers() -> None:
    def both(document: Document) -> None:
        first = universal_three()["universal"]["faces"][0]  # type: ignore[index]
        with_other_multipliers(document)
        document["universal"]["faces"].append(first)  # type: ignore[index]

    assert verify(edited(universal_three(), both)).universal


def test_multipliers_that_hold_nowhere() -> None:
    def impossible(document: Document) -> None:
        entry = document["universal"]["faces"]  # type: ignore[index]
        entry.append({**entry[0], "monotone": [*entry[0]["monotone"], [["1", "3"], ["1", "2"], "0"]]})

    with pytest.raises(RejectedError, match="the multipliers of face 2 hold on no face"):
        verify(edited(universal_three(), impossible))


def test_consistency_has_no_universal_form() -> None:
    entry = {**universal_three()["universal"], "order": ["cat", "dog"], "faces": []}  # type: ignore[dict-item]
    with pytest.raises(RejectedError, match="is about an inconsistency"):
        verify(edited(logistic_consistent(), lambda d: d.update(universal=entry)))


def test_the_number_of_items_is_limited() -> None:
    with pytest.raises(RejectedError, match="at most 4 items, and there are 5"):
        check_universal(
            PROOF_12, EDGE, [], Optimum.of(Costs.of(((0,) * 5,) * 5, 1)), ["1", "2", "3", "4", "5"]
        )


def test_four_items() -> None:
    assert verify(universal_four()).universal
    with pytest.raises(RejectedError, match="keeps the factor"):
        verify(replaced(universal_four(), (*FACE, "balance", 1), "1/3"))


def test_slots_are_pairs_of_items_or_zero() -> None:
    for slot in ("1", ["1"], ["1", "1"], ["1", "4"], None):
        with pytest.raises(InputError):
            verify(replaced(universal_three(), (*FACE, "monotone", 0, 0), slot))
