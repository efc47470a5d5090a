"""What the page on structures that average computes, and what refutes its false variants."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Final

from consistency_lab.apps.book.risk import close, differences
from consistency_lab.apps.book.statement import Line, Refutation
from consistency_lab.model.conditions import conditions_of
from consistency_lab.model.distribution import Distribution
from consistency_lab.solve.structures import CascadeMLE

# --- The average adjacency matrix: its limit, its mean at every k, and the loss that orders by it --------

ELECTION: Final = ((Fraction(1, 2), (0, 1, 2)), (Fraction(1, 3), (1, 2, 0)), (Fraction(1, 6), (2, 1, 0)))
"""Orders of three items, with probabilities."""


def enumerated() -> Iterator[Line | bool]:
    a = labels().aggregate
    yield Line("a_12 = a_13 = 1/2", a[0][1] == a[0][2] == Fraction(1, 2))
    yield Line("a_23 = 5/6", a[1][2] == Fraction(5, 6))
    yield all(mean_of(k) == [list(row) for row in a] for k in (1, 2, 3, 4))


def labels() -> Distribution:
    """The election as a distribution of graphs."""
    graphs = [(p, {(i, j): 1 for x, i in enumerate(order) for j in order[x + 1 :]}) for p, order in ELECTION]
    return Distribution.of(3, graphs)


def mean_of(k: int) -> list[list[Fraction]]:
    """E s over all samples of k ballots."""
    total = [[Fraction(0)] * 3 for _ in range(3)]
    for sample in combinations_with_replacement(range(len(ELECTION)), k):
        times = [sample.count(ballot) for ballot in range(len(ELECTION))]
        chance = Fraction(factorial(k), prod(map(factorial, times)))
        chance *= prod((p**n for (p, _), n in zip(ELECTION, times, strict=True)), start=Fraction(1))
        for (_, order), n in zip(ELECTION, times, strict=True):
            for x, i in enumerate(order):
                for j in order[x + 1 :]:
                    total[i][j] += chance * Fraction(n, k)
    return total


def positive_part() -> Refutation:
    """Of one ballot [s_12 - s_21]_+ is 1 with chance 1/2, and [a_12 - a_21]_+ = 0."""
    a = mean_of(1)
    mean = sum((p for p, order in ELECTION if order.index(0) < order.index(1)), Fraction(0))
    limit = max(a[0][1] - a[1][0], Fraction(0))
    return Refutation(
        mean != limit, f"at the election E [s_12 − s_21]_+ = {mean} with k = 1, and the limit is {limit}"
    )


# --- Borda: the row sums of the differences --------------------------------------------------------------


def acyclic() -> Refutation:
    p = Distribution.from_aggregate([[0, 1, 0], [0, 0, 3], [0, 0, 0]])
    sums = [Fraction(sum(row)) / 2 for row in p.difference]
    held = conditions_of(p.difference)
    return Refutation(
        held["acyclic"] and sums[1] > sums[0] and p.difference[0][1] > 0,
        f"{differences(p)}: s = ({', '.join(map(str, sums))}) puts 2 above 1",
    )


# --- Ammar and Shah's win rates: the chance to win -------------------------------------------------------

Shares = list[list[Fraction]]


def rates(shares: Shares) -> list[Fraction]:
    """Mean share of each item against the others."""
    m = len(shares)
    return [sum((row[j] for j in range(m) if j != i), Fraction(0)) / (m - 1) for i, row in enumerate(shares)]


def weak() -> Refutation:
    """1 beats both others narrowly, 2 beats 3 always."""
    half, third = Fraction(1, 2), Fraction(3, 5)
    shares = [[half, third, third], [1 - third, half, Fraction(1)], [1 - third, Fraction(0), half]]
    found = rates(shares)
    return Refutation(
        found[1] > found[0] and shares[0][1] > half,
        f"P_12 = P_13 = 3/5, P_23 = 1: s = ({', '.join(map(str, found))}) puts 2 above 1",
    )


def design() -> Refutation:
    """Strengths 4, 2, 1; the pair 2, 3 is drawn far more often: sums of joint shares follow the design."""
    rate = {(0, 1): 1, (0, 2): 1, (1, 2): 8}
    s = (4, 2, 1)
    joint = [
        sum(
            Fraction(rate[min(i, j), max(i, j)] * (s[i] - s[j]), 10 * (s[i] + s[j]))
            for j in range(3)
            if j != i
        )
        for i in range(3)
    ]
    return Refutation(
        joint[1] > joint[0],
        f"s = (4, 2, 1), rates 1, 1, 8 of 10: Σ_j d_ij = ({', '.join(map(str, joint))}) puts 2 above 1",
    )


# --- The cascade model: clicks over examinations ---------------------------------------------------------

THETA: Final = (Fraction(1, 5), Fraction(1, 2), Fraction(1, 3))
SHOWN: Final = {(0, 1, 2): Fraction(3, 4), (1, 0, 2): Fraction(3, 20), (2, 1, 0): Fraction(1, 10)}
"""How often each order is presented."""


def all_sessions() -> Iterator[Line | bool]:
    """The truth from all sessions, in fractions, and the same ratios by the package in floats."""
    clicked, examined = expected()
    for c, n, t in zip(clicked, examined, THETA, strict=True):
        yield Line(f"clicked with chance {c}, examined with chance {n}, and {c}/{n} = {t}", c / n == t)
    yield close(CascadeMLE().scores([float(x) for x in clicked], [float(x) for x in examined]), THETA)


def expected() -> tuple[list[Fraction], list[Fraction]]:
    """The chance of each item to be clicked, and to be examined."""
    clicked, examined = ([Fraction(0)] * 3 for _ in range(2))
    for order, chance in SHOWN.items():
        going = chance
        for item in order:
            examined[item] += going
            clicked[item] += going * THETA[item]
            going *= 1 - THETA[item]
    return clicked, examined


def click_through(first: str, second: str) -> Refutation:
    """Clicks over presentations depend on the place."""
    theta = (Fraction(first), Fraction(second))
    clicked = (theta[0], (1 - theta[0]) * theta[1])
    return Refutation(
        clicked[0] > clicked[1] and theta[0] < theta[1],
        f"θ = ({first}, {second}), always shown as 1, 2: clicked in {clicked[0]} and in {clicked[1]} of the"
        " sessions",
    )
