"""Borda: the row sums of the differences, which order what the value-regularized linear loss orders."""

from fractions import Fraction
from random import Random
from typing import Final

from consistency_lab.book.polynomials import step
from consistency_lab.book.risk import differences
from consistency_lab.book.statement import Checked, FalseVariant, Kind, Refutation, Statement, Step, concluded
from consistency_lab.model.conditions import conditions_of, net
from consistency_lab.model.distribution import Distribution


def check() -> Checked:
    """Check the statement."""
    return concluded(
        Kind.PROOF_ALL_M,
        "all m, all d with Eq. 16",
        [_limit(), _orders(), _examples()],
        ("On complete orders it is Borda's count less (m − 1)/2: a_ij + a_ji = 1 for each pair.",),
    )


def _limit() -> Step:
    return step(
        "s_i → ½ Σ_j d_ij, half the minimizer of the linear loss with r = x²/2, ν = 1",
        Kind.PROOF_ALL_M,
        "all m",
        "linearity, the strong law of large numbers, and DMJ10 Eq. 15",
        [
            "s_i = ½ Σ_j (â_ij − â_ji) is linear in the average adjacency, which tends to a almost surely.",
            "Eq. 15 has the minimizer α_i = Σ_j d_ij.",
        ],
    )


def _orders() -> Step:
    return step(
        "Under Eq. 16 every order by s is optimal for pairwise disagreement",
        Kind.PROOF_ALL_M,
        "all m, all d with Eq. 16",
        "by hand, from the definition of the condition",
        [
            "Eq. 16: d_ij > 0 implies Σ_l d_il > Σ_l d_jl, so s_i > s_j on every edge i → j of the",
            "difference graph: sorting by s agrees with each edge, and costs Σ min(a_ij, a_ji), the least.",
        ],
    )


def _examples() -> Step:
    rng = Random(13)
    total = agreed = 0
    for m in (3, 4, 5):
        for _ in range(12):
            a = [[rng.randint(0, 6) if i != j else 0 for j in range(m)] for i in range(m)]
            d = Distribution.from_aggregate(a).difference
            sums = [sum(row[j] for j in range(m)) for row in d]
            is_right = all(sums[i] > sums[j] for i in range(m) for j in range(m) if d[i][j] > 0)
            total += 1
            agreed += conditions_of(d)["net-order"] is is_right and list(net(d)) == sums
    return step(
        "Row sums fall along every edge exactly if Eq. 16 holds",
        Kind.TEST,
        "m ≤ 5",
        f"at {agreed} of {total} random aggregates",
        [],
        agreed == total,
    )


def _acyclic() -> Refutation:
    p = Distribution.from_aggregate([[0, 1, 0], [0, 0, 3], [0, 0, 0]])
    sums = [Fraction(sum(row)) / 2 for row in p.difference]
    held = conditions_of(p.difference)
    return Refutation(
        held["acyclic"] and sums[1] > sums[0] and p.difference[0][1] > 0,
        f"{differences(p)}: s = ({', '.join(map(str, sums))}) puts 2 above 1",
    )


STATEMENT: Final = Statement(
    name="borda-count",
    title="Structure: Borda count",
    latex=(
        r"\(\tfrac12 \sum_j (\hat a_{ij} - \hat a_{ji}) \to \tfrac12 \sum_j d_{ij}\) almost surely, and under"
        r" DMJ10 Eq. 16 every order by it is optimal for pairwise disagreement."
    ),
    plain="Borda counts estimate the minimizer of the linear loss, and are right under its condition.",
    hypotheses=("independent labels of one distribution", "for the order: Eq. 16"),
    citation="DMJ13 §5.1, DMJ10 Eq. 15 and 16",
    check=check,
    variants=(FalseVariant("It orders rightly wherever the difference graph is acyclic.", _acyclic),),
)
