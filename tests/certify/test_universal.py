"""Proofs about all convex phi at once, against DMJ10 Lemma 10, Theorem 11 and Theorem 12."""

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import pytest

from consistency_lab.certify.universal import universal_proof
from consistency_lab.core.inequalities import face_points
from consistency_lab.errors import UnsupportedError

Matrix = list[list[Fraction]]

# Additive differences of y = (4, 3, 1, 0) and of (4, 3, 2, 1, 0), and weight 4 against the outermost pair.
FOUR_ITEMS = ((0, 1, 3, 8), (0, 0, 2, 3), (0, 0, 0, 1), (4, 0, 0, 0))
FIVE_ITEMS = ((0, 1, 2, 3, 8), (0, 0, 1, 2, 3), (0, 0, 0, 1, 2), (0, 0, 0, 0, 1), (4, 0, 0, 0, 0))


def _matrix(rows: Sequence[Sequence[int | str]]) -> Matrix:
    return [[Fraction(value) for value in row] for row in rows]


def _triangle(h12: object, h23: object, h13: object, h31: object) -> Matrix:
    return [[Fraction(str(x)) for x in row] for row in ((0, h12, h13), (0, 0, h23), (h31, 0, 0))]


def _faces(proof: Sequence[dict[str, Any]]) -> list[tuple[list[Fraction], list[tuple[Any, Any, Fraction]]]]:
    def slot(t: Any) -> tuple[int, int] | None:
        return None if t == "0" else (int(t[0]) - 1, int(t[1]) - 1)

    return [
        (
            [Fraction(y) for y in face["balance"]],
            [(slot(t), slot(u), Fraction(z)) for t, u, z in face["monotone"]],
        )
        for face in proof
    ]


def _identity_holds(h: Matrix, proof: Sequence[dict[str, Any]]) -> bool:
    """The multipliers add up to g_0, whatever the slopes."""
    m = len(h)
    for balance, monotone in _faces(proof):
        total: dict[tuple[int, int] | None, Fraction] = {None: Fraction(-1)}
        for i, j in product(range(m), repeat=2):
            total[i, j] = (balance[i] - balance[j]) * h[i][j]
        for t, u, z in monotone:
            total[u] += z
            total[t] -= z
        if any(total.values()) or any(z <= 0 for *_, z in monotone):
            return False
    return True


def _served(proof: Sequence[dict[str, Any]], scores: Sequence[int]) -> bool:
    """Whether some face's comparisons hold at these scores."""

    def argument(t: tuple[int, int] | None) -> int:
        return 0 if t is None else scores[t[0]] - scores[t[1]]

    return any(all(argument(t) < argument(u) for t, u, _ in monotone) for _, monotone in _faces(proof))


@pytest.mark.parametrize(
    "h",
    [
        # Additive differences 3, 1, 4: Condition 1 of Lemma 10, 1 < 4 * 3 / (8 + 3).
        _triangle(3, 1, 8, 4),
        # Its mirror image: Condition 2.
        _triangle(1, 3, 8, 4),
        # DMJ10 Theorem 12: p = (.25, .01, .5, .24) on the single edges 12, 23, 13, 31.
        _triangle("0.25", "0.01", "0.5", "0.24"),
        _matrix(FOUR_ITEMS),
        _matrix(FIVE_ITEMS),
    ],
    ids=["condition 1", "condition 2", "theorem 12", "four items", "five items"],
)
def test_no_convex_loss_is_right(h: Matrix) -> None:
    proof = universal_proof(h)
    assert proof is not None
    assert _identity_holds(h, proof)
    for gaps in product(range(1, 6), repeat=len(h) - 1):
        assert _served(proof, [sum(gaps[i:]) for i in range(len(h))])


def test_the_kernels_faces_are_served_whenever_there_is_a_proof() -> None:
    chance = random.Random(0)
    served = 0
    for _ in range(60):
        y = sorted(chance.sample(range(9), 4), reverse=True)
        h = [[Fraction(max(above - below, 0)) for below in y] for above in y]
        for i, j in combinations(range(4), 2):
            extra = chance.choice((0, 0, 1, 4, 8))
            h[i][j] += extra
            h[j][i] += extra
        proof = universal_proof(h)
        if proof is not None:
            served += 1
            assert _identity_holds(h, proof)
            assert all(_served(proof, scores) for scores in face_points(4))
    assert served > 4


def test_theorem_11_for_a_nonlinear_h() -> None:
    # G1 = {12, 13}, G2 = {23, 31} with probability 1/2; h(a) = a^2; weights 12: 2, 13: 4, 31: 3, 23: 1.
    h = _triangle(2, Fraction(1, 2), 8, Fraction(9, 2))
    assert universal_proof(h) is not None


@pytest.mark.parametrize(
    "h",
    [
        # Disagreement too small to matter: the logistic minimizer has the right order.
        _triangle(3, 2, 8, 1),
        # All items alike: (0, 0, 0) is stationary for every phi, and so it is for some phi next to it.
        _matrix(((0, 1, 1), (1, 0, 1), (1, 1, 0))),
        # Two items are never wrong.
        _matrix(((0, 2), (1, 0))),
    ],
    ids=["little disagreement", "indifference", "two items"],
)
def test_some_convex_loss_may_be_right(h: Matrix) -> None:
    assert universal_proof(h) is None


@pytest.mark.parametrize(
    "h",
    [_triangle(3, 1, 8, 0), _matrix(((0, 3, 8), (1, 0, 1), (0, 0, 0))), _matrix(((0, 0), (0, 0)))],
    ids=["acyclic", "item 3 never wins", "nothing"],
)
def test_no_proof_without_a_strongly_connected_support(h: Matrix) -> None:
    assert universal_proof(h) is None


def test_lemma_10_is_sharp_on_a_grid() -> None:
    # With h13 > h31 there is a proof exactly where Condition 1 or 2 holds: together they are necessary too.
    both = {True: 0, False: 0}
    for h12, h23, h13, h31 in product(range(1, 6), repeat=4):
        if h31 < h13:
            first = h23 * (h13 + h12) < h31 * h12
            second = h12 * (h13 + h23) < h31 * h23
            found = universal_proof(_triangle(h12, h23, h13, h31)) is not None
            assert found == (first or second)
            both[found] += 1
    assert both == {True: 26, False: 224}


def test_a_factor_changes_nothing() -> None:
    for factor in (Fraction(1, 7), Fraction(100)):
        h = [[factor * x for x in row] for row in _matrix(FOUR_ITEMS)]
        proof = universal_proof(h)
        assert proof is not None
        assert _identity_holds(h, proof)


def test_items_are_named_and_the_numbers_are_text() -> None:
    proof = universal_proof(_triangle(3, 1, 8, 4), ["Ann", "Bob", "Cy"])
    assert proof is not None
    assert proof == [
        {
            "balance": ["8", "0", "11"],
            "monotone": [
                [["Ann", "Bob"], ["Ann", "Cy"], "24"],
                [["Cy", "Ann"], "0", "1"],
                [["Cy", "Ann"], ["Bob", "Cy"], "11"],
            ],
        }
    ]


def test_more_items_have_too_many_faces() -> None:
    with pytest.raises(UnsupportedError, match="the limit is 5 items"):
        universal_proof([[Fraction(i != j) for j in range(6)] for i in range(6)])
