"""What refutes the false variants of the page on losses of several classes."""

from fractions import Fraction
from itertools import combinations
from typing import Final

from consistency_lab.apps.book.statement import Refutation
from consistency_lab.numbers.exact import Ball, LogRational, certainly_less, enclose
from consistency_lab.numbers.phi import exact_slopes, named

_ZERO: Final = Fraction(0)
_HALF: Final = Fraction(1, 2)


def divergence(p: tuple[Fraction, ...], q: list[Fraction]) -> Ball:
    """KL(p, q) in a ball."""
    return sum((enclose(x) * enclose(x / y).log() for x, y in zip(p, q, strict=True) if x), enclose(0))


def excess_of_hinges(p: tuple[Fraction, ...], v: list[Fraction]) -> Fraction:
    """Σ (1 − p_j) [v_j]₊ − (1 − P) m: the excess, or more."""
    return sum(((1 - q) * max(x, _ZERO) for q, x in zip(p, v, strict=True)), _ZERO) - (1 - max(p)) * len(p)


def ordinal() -> Refutation:
    p = (Fraction(2, 5), Fraction(1, 5), Fraction(2, 5))
    lost = [sum((q * abs(y - t) for y, q in enumerate(p)), _ZERO) for t in range(3)]
    shown = ", ".join(map(str, lost))
    return Refutation(
        lost[1] < min(lost[0], lost[2]) and p[1] < p[0],
        f"p = (2/5, 1/5, 2/5): the largest score is that of class 1 or 3, and |y − t| costs {shown}",
    )


def linear_bound() -> Refutation:
    excess = divergence((Fraction(3, 5), Fraction(2, 5)), [_HALF] * 2)
    return Refutation(
        certainly_less(excess, enclose(Fraction(1, 5))),
        f"p = (3/5, 2/5), u = 0: a regret of 1/5 costs {excess.str(4, radius=False)}",
    )


def one_against_all_hinge() -> Refutation:
    phi, p = named("hinge").expression, (Fraction(2, 5), Fraction(7, 20), Fraction(1, 4))
    at = LogRational(Fraction(-1))
    (won, _), (left, right) = exact_slopes(phi, at), exact_slopes(phi, -at)
    assert won is not None and left is not None and right is not None
    # The slope of p phi(u) + (1 - p) phi(-u) at -1 has 0 between its one-sided values.
    minimal = all(q * won - (1 - q) * right <= 0 <= q * won - (1 - q) * left for q in p)
    return Refutation(
        minimal, "p = (2/5, 7/20, 1/4): u = (−1, −1, −1) is minimal, and any class may be predicted"
    )


def more_than_the_regret() -> Refutation:
    p = (Fraction(3, 4), Fraction(1, 4))
    excess = excess_of_hinges(p, [Fraction(1)] * 2)
    return Refutation(
        excess == p[0] - p[1], f"p = (3/4, 1/4), u = 0: class 2 has regret 1/2 and excess {excess}"
    )


def hinge_of_two() -> Refutation:
    p, u = (_HALF, Fraction(3, 10), Fraction(1, 5)), (1, 0, 0)
    # Slopes at u of the one active piece for y = 2, 3, and of two active pieces for y = 1.
    first = [
        Fraction(4, 5) * x + Fraction(1, 5) * y
        for x, y in zip((-_HALF, _HALF, _ZERO), (-_HALF, _ZERO, _HALF), strict=True)
    ]
    slopes = (first, (_HALF, Fraction(-1), _HALF), (_HALF, _HALF, Fraction(-1)))
    total = [sum(q * x for q, x in zip(p, column, strict=True)) for column in zip(*slopes, strict=True)]
    values = [_hinges(u, y) for y in range(3)]
    return Refutation(
        not any(total) and values == [[0, 0, 0], [1, Fraction(3, 2), _HALF], [Fraction(3, 2), 1, _HALF]],
        "p = (1/2, 3/10, 1/5): slopes at u = (1, 0, 0) add up to 0, so it is minimal; 2 and 3 tie",
    )


def _hinges(u: tuple[int, ...], y: int) -> list[Fraction]:
    """The means over the pairs 12, 13, 23 of what the top-2 hinge sums up."""
    margins = [Fraction((j != y) + u[j] - u[y]) for j in range(3)]
    return [(a + b) / 2 for a, b in combinations(margins, 2)]
