"""What refutes the false variants on the page from regret and excess at one p to risks."""

from fractions import Fraction

from consistency_lab.apps.book.statement import Refutation
from consistency_lab.apps.book.statements.dmj10_limits import not_closed
from consistency_lab.apps.book.ticked import ticked


def half_of_the_queries() -> Refutation:
    excess = regret = Fraction(1)  # of a wrong order: the ramp is 1 there, and 0 at its least
    h = excess  # H(1/2), as no regret lies in (0, 1)
    return Refutation(
        regret / 2 >= Fraction(1, 2) and excess / 2 < h,
        f"φ(x) = max(0,min(1,1-x)), one edge of weight 1, half of the queries wrong: R − R* = {regret / 2},"
        f" R_φ − R_φ* = {excess / 2} < H(1/2) = {h}",
    )


def unbounded() -> Refutation:
    chances = [Fraction(1, n) for n in (1, 10, 1000)]
    regrets = [chance * weight for chance, weight in zip(chances, (1, 10, 1000), strict=True)]
    return Refutation(
        set(regrets) == {Fraction(1)} and chances[-1] < Fraction(1, 100),
        "that φ with h(a) = min(a, 1), one edge of weight n ≥ 1, wrong for the share 1/n of the queries:"
        " H(ε) = 1 for every ε > 0 and R − R* = 1, but R_φ − R_φ* = 1/n → 0",
    )


def net_order() -> Refutation:
    return not_closed()


def not_coercive() -> Refutation:
    # S = [0, 1], scores (x, y), L = 1(x ≤ 0), φ = u + s²v with u = |x − 1 + sy|, v = |y|: where x ≤ 0, φ ≥ s
    # as no term on the right is negative, and φ ≥ 1 if s = 0.
    right = ticked("u + s²v − s = s(u − (1 − x − sy)) − sx + s²(v − y) + (1 − s)u").holds
    costs = [abs(0 - 1 + s * (1 / s)) + s * s * (1 / s) for s in (Fraction(1, n) for n in (1, 10, 1000))]
    return Refutation(
        right and costs == [Fraction(1, n) for n in (1, 10, 1000)],
        "S = [0, 1], L = 1(x ≤ 0), φ = |x − 1 + sy| + s²|y|: W*(p) = 0 at (1, 0), and φ ≥ s where x ≤ 0 (1 if"
        " s = 0), so φ is structure-consistent at every p; but at (0, 1/s) it is s, so H(1) = 0",
    )


def unbounded_at_one() -> Refutation:
    # One distribution: query q = 1, 2, ... has the chance 2^-q and one edge of weight 2^q.
    chances = [Fraction(1, 2**q) for q in (1, 2, 10)]
    regrets = [chance * 2**q for chance, q in zip(chances, (1, 2, 10), strict=True)]
    return Refutation(
        set(regrets) == {Fraction(1)} and chances[-1] < Fraction(1, 100),
        "φ(x) = max(0,min(1,1-x)), h(a) = min(a, 1), query q of chance 2^−q has one edge of weight 2^q:"
        " H(ε, q) = 1 for all ε ≤ 2^q; f_n wrong at q = n has R_φ(f_n) − R_φ* = 2^−n, R(f_n) − R* = 1",
    )
