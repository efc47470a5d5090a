"""Pairwise disagreement on preference graphs, and the rule by which tied scores become an order."""

from collections.abc import Sequence
from fractions import Fraction

from consistency_lab.errors import InputError
from consistency_lab.numbers.exact import LogRational

# --- Pairwise disagreement, and the rule by which tied scores become an order (DMJ10 Eq. 7, 8) -----------
# The loss of scores is that of the order tau(alpha): items by score, ties with the higher index first. A tie
# of i < j costs a_ij, which is just what ranking j above i costs, so no weak orders are needed.

Matrix = Sequence[Sequence[Fraction]]


def order_of(scores: Sequence[LogRational]) -> tuple[int, ...]:
    """tau(alpha): items from top to bottom, ties with the higher index first; comparisons are exact."""
    # Python's sort is stable also in reverse, so equal scores stay in this falling order of the indices.
    return tuple(sorted(reversed(range(len(scores))), key=lambda item: scores[item], reverse=True))


def loss(a: Matrix, order: Sequence[int]) -> Fraction:
    """The pairwise disagreement of an order: the sum of a_ij over pairs that have j above i."""
    if sorted(order) != list(range(len(a))):
        raise InputError(f"the order {tuple(order)} must name each of the {len(a)} items once")
    return sum(
        (a[i][j] for place, i in enumerate(order) for j in order[:place]),
        Fraction(0),
    )


def scores_loss(a: Matrix, scores: Sequence[LogRational]) -> Fraction:
    r"""The loss of scores (DMJ10 Eq. 7, 8).

    .. math:: \sum_{i<j} a_{ij} 1(\alpha_i \le \alpha_j) + \sum_{i>j} a_{ij} 1(\alpha_i < \alpha_j)
    """
    if len(scores) != len(a):
        raise InputError(f"there are {len(scores)} scores for {len(a)} items; give one score for each item")
    return loss(a, order_of(scores))


def total_weight(a: Matrix) -> Fraction:
    """The sum of all a_ij: the scale of the loss."""
    return sum((x for row in a for x in row), Fraction(0))


def regret(a: Matrix, scores: Sequence[LogRational], optimum: Fraction) -> Fraction:
    """How much the scores lose more than the least loss `optimum` of any order."""
    return scores_loss(a, scores) - optimum


def normalized_regret(a: Matrix, scores: Sequence[LogRational], optimum: Fraction) -> Fraction:
    """The regret as a share of the sum of a, between 0 and 1; 0 if there are no preferences at all."""
    total = total_weight(a)
    return regret(a, scores, optimum) / total if total else Fraction(0)
