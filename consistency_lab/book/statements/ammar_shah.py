"""Ammar and Shah's win rates: the chance to win, right under strong stochastic transitivity."""

from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Final

from consistency_lab.aggregate.structures import AmmarShah
from consistency_lab.book.polynomials import Lines, step, vanishes
from consistency_lab.book.statement import Checked, FalseVariant, Kind, Refutation, Statement, Step, concluded

Shares = list[list[Fraction]]


def check() -> Checked:
    """Check the statement."""
    return concluded(
        Kind.PROOF_ALL_M,
        "all m, all designs that compare every pair",
        [_limit(), _transitive(), _computed()],
        ("Pairs that are never compared count 1/2, and then the limit is another number.",),
    )


def _limit() -> Step:
    import sympy as sp

    p, m = sp.symbols("P m", positive=True)
    rest = sp.symbols("R")
    lines: Lines = [
        "The share of i's wins among the comparisons of i and j tends to P_ij, at whatever rate they are",
        "drawn, so s_i → (1/(m−1)) Σ_{j≠i} P_ij: the chance to win against j drawn uniformly.",
        "With R the sum over all other j and P = P_ij, taking ½ from each term takes ½ from the mean:",
        vanishes(
            "    (R + P)/(m−1) − ½ = ((R − (m−2)/2) + (P − ½))/(m−1)",
            (rest + p) / (m - 1) - sp.Rational(1, 2) - (rest - (m - 2) / 2 + p - sp.Rational(1, 2)) / (m - 1),
        ),
        "so s = ½ + (Borda count of P − ½)/(m−1).",
    ]
    return step(
        "s_i → the chance that i wins against an opponent drawn uniformly",
        Kind.PROOF_ALL_M,
        "all m, all designs that compare every pair",
        "the strong law of large numbers, and an identity by SymPy",
        lines,
    )


def _transitive() -> Step:
    return step(
        "Under strong stochastic transitivity the order by s is right",
        Kind.PROOF_ALL_M,
        "all m, P_ij + P_ji = 1, P_ij > ½ implies P_il ≥ P_jl for each l",
        "by hand, term by term",
        [
            "Let P_ij > ½. Of l ≠ i, j the terms are P_il ≥ P_jl, and there is P_ij > P_ji: s_i > s_j.",
        ],
    )


def _computed() -> Step:
    """The package at whole-number wins of a Bradley-Terry-Luce model under random rates."""
    rng = Random(52)
    total = agreed = 0
    for m in (2, 3, 4, 6):
        for _ in range(5):
            s = sorted((rng.randint(1, 9) for _ in range(m)), reverse=True)
            wins = [[0.0] * m for _ in range(m)]
            for i in range(m):
                for j in range(i):
                    rate = rng.randint(1, 50)
                    wins[i][j], wins[j][i] = float(rate * s[i]), float(rate * s[j])
            found = AmmarShah().scores(wins)
            limit = rates([[Fraction(x, x + y) for y in s] for x in s])
            total += 1
            agreed += all(
                abs(Fraction(float(x)) - y) < Fraction(1, 10**12) for x, y in zip(found, limit, strict=True)
            )
            agreed -= any(x < y for x, y in pairwise(limit))
    return step(
        "The package has these limits, in the order of the strengths",
        Kind.TEST,
        "m ≤ 6, Bradley-Terry-Luce shares, random rates",
        f"floats beside fractions, at {agreed} of {total} models",
        [],
        agreed == total,
    )


def rates(shares: Shares) -> list[Fraction]:
    """Mean share of each item against the others.

    Examples
    --------
    >>> [str(rate) for rate in rates([[Fraction(0), Fraction(3, 4)], [Fraction(1, 4), Fraction(0)]])]
    ['3/4', '1/4']
    """
    m = len(shares)
    return [sum((row[j] for j in range(m) if j != i), Fraction(0)) / (m - 1) for i, row in enumerate(shares)]


def _weak() -> Refutation:
    """1 beats both others narrowly, 2 beats 3 always."""
    half, third = Fraction(1, 2), Fraction(3, 5)
    shares = [[half, third, third], [1 - third, half, Fraction(1)], [1 - third, Fraction(0), half]]
    found = rates(shares)
    return Refutation(
        found[1] > found[0] and shares[0][1] > half,
        f"P_12 = P_13 = 3/5, P_23 = 1: s = ({', '.join(map(str, found))}) puts 2 above 1",
    )


def _design() -> Refutation:
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


STATEMENT: Final = Statement(
    name="ammar-shah",
    title="Structure: Ammar-Shah",
    latex=(
        r"\(\tfrac{1}{m-1} \sum_{j \ne i} \hat P(i \succ j \mid \{i, j\}) \to"
        r" \tfrac{1}{m-1} \sum_{j \ne i} P_{ij}\) under every design that compares all pairs, and under"
        r" strong stochastic transitivity its order is right."
    ),
    plain="Win rates estimate the chance to win against a random opponent, however often pairs are drawn.",
    hypotheses=("every pair is drawn", "for the order: strong stochastic transitivity"),
    citation="DMJ13 §5.1, after Ammar and Shah",
    check=check,
    variants=(
        FalseVariant("Its order is right under weak stochastic transitivity too.", _weak),
        FalseVariant("The Borda count of the average adjacency does not mind the design either.", _design),
    ),
)
