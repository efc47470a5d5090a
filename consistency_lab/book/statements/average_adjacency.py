"""The average adjacency matrix: its limit, its mean at every k, and the loss that orders by it."""

from fractions import Fraction
from itertools import combinations_with_replacement
from math import factorial, prod
from typing import Final

from consistency_lab.book.polynomials import step
from consistency_lab.book.statement import Checked, FalseVariant, Kind, Refutation, Statement, Step, concluded
from consistency_lab.model.distribution import Distribution

ELECTION: Final = ((Fraction(1, 2), (0, 1, 2)), (Fraction(1, 3), (1, 2, 0)), (Fraction(1, 6), (2, 1, 0)))
"""Orders of three items, with probabilities."""


def check() -> Checked:
    """Check the statement."""
    return concluded(
        Kind.PROOF_ALL_M,
        "all m, all k",
        [_argument(), _enumerated()],
        ("So where d is acyclic its difference-graph loss is consistent (dmj13-difference).",),
    )


def _argument() -> Step:
    return step(
        "E s = a at every k, and s → a almost surely",
        Kind.PROOF_ALL_M,
        "all m, all k",
        "linearity of the mean, and the strong law of large numbers",
        [
            "s_ij = (1/k) Σ_l a_ij(Y_l) is a mean of k independent bounded numbers of mean a_ij = E a_ij(Y):",
            "E s_ij = a_ij, and s_ij → a_ij by the strong law.",
        ],
    )


def _enumerated() -> Step:
    a = labels().aggregate
    agreed = all(mean_of(k) == [list(row) for row in a] for k in (1, 2, 3, 4))
    return step(
        "E s = a at an election",
        Kind.PROOF_THIS_M,
        "m = 3, k ≤ 4, three orders with probabilities 1/2, 1/3, 1/6",
        "all samples of k ballots, with fractions",
        ["a_12 = 1/2, a_13 = 1/2, a_23 = 5/6, and a_21, a_31, a_32 are what is left of 1"],
        agreed,
        a[0][1] == a[0][2] == Fraction(1, 2) and a[1][2] == Fraction(5, 6),
    )


def labels() -> Distribution:
    """The election as a distribution of graphs."""
    graphs = [(p, {(i, j): 1 for x, i in enumerate(order) for j in order[x + 1 :]}) for p, order in ELECTION]
    return Distribution.of(3, graphs)


def mean_of(k: int) -> list[list[Fraction]]:
    """E s over all samples of k ballots.

    Examples
    --------
    >>> str(mean_of(2)[1][2])
    '5/6'
    """
    total = [[Fraction(0)] * 3 for _ in range(3)]
    for drawn in combinations_with_replacement(range(len(ELECTION)), k):
        times = [drawn.count(ballot) for ballot in range(len(ELECTION))]
        chance = Fraction(factorial(k), prod(map(factorial, times)))
        chance *= prod((p**n for (p, _), n in zip(ELECTION, times, strict=True)), start=Fraction(1))
        for (_, order), n in zip(ELECTION, times, strict=True):
            for x, i in enumerate(order):
                for j in order[x + 1 :]:
                    total[i][j] += chance * Fraction(n, k)
    return total


def _positive_part() -> Refutation:
    """Of one ballot [s_12 - s_21]_+ is 1 with chance 1/2, and [a_12 - a_21]_+ = 0."""
    a = mean_of(1)
    mean = sum((p for p, order in ELECTION if order.index(0) < order.index(1)), Fraction(0))
    limit = max(a[0][1] - a[1][0], Fraction(0))
    return Refutation(
        mean != limit, f"at the election E [s_12 − s_21]_+ = {mean} with k = 1, and the limit is {limit}"
    )


STATEMENT: Final = Statement(
    name="average-adjacency",
    title="Structure: average adjacency",
    latex=(
        r"\(\mathbf{E}\, \tfrac1k \sum_l a_{ij}(Y_l) = a_{ij}\) for every \(k\), and it tends to \(a_{ij}\)"
        r" almost surely."
    ),
    plain="The average adjacency matrix estimates the aggregate, without bias for every number of judgments.",
    hypotheses=(r"\(Y_1, Y_2, \dots\) are independent, with one distribution on finitely many graphs",),
    citation="DMJ13 §5.3",
    check=check,
    variants=(
        FalseVariant("The weights [s_ij − s_ji]_+ of the difference loss are unbiased too.", _positive_part),
    ),
)
