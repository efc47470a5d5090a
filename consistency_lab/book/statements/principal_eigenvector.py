"""Saaty's principal eigenvector: the weights of consistent ratios, and for three items geometric means."""

from fractions import Fraction
from math import prod
from typing import Any, Final

from consistency_lab.aggregate.kernels import perron
from consistency_lab.book.polynomials import Lines, step, vanishes
from consistency_lab.book.statement import Checked, FalseVariant, Kind, Refutation, Statement, Step, concluded


def check() -> Checked:
    """Check the statement."""
    return concluded(
        Kind.PROOF_ALL_M,
        "all m; geometric means for m = 3",
        [_consistent(), _three(), _computed()],
        ("It depends continuously on the matrix, so the limit is that of the limit ratios.",),
    )


def _consistent() -> Step:
    import sympy as sp

    w, u = sp.symbols("w_i w_j", positive=True)
    lines: Lines = [
        "Let A_ij = w_i/w_j. Each term of (Aw)_i is",
        vanishes("    (w_i/w_j) w_j = w_i", w / u * u - w),
        "so A w = m w. A positive matrix has one positive eigenvector up to its sum (Perron), so it is w.",
    ]
    return step(
        "If A_ij = w_i/w_j then s = w/Σw",
        Kind.PROOF_ALL_M,
        "all m, all positive w",
        "an identity by SymPy, and Perron's theorem",
        lines,
    )


def _three() -> Step:
    import sympy as sp

    u, v, w = sp.symbols("u v w", positive=True)
    a, b, c = u**3, v**3, w**3
    matrix = sp.Matrix([[1, a, c], [1 / a, 1, b], [1 / c, 1 / b, 1]])
    means = sp.Matrix([u * w, v / u, 1 / (v * w)])
    q = u * v / w
    rest = matrix * means - (1 + q + 1 / q) * means
    lines: Lines = [
        "Let A_12 = u³, A_23 = v³, A_13 = w³, all others by A_ji = 1/A_ij. The rows have the geometric",
        "means g = (uw, v/u, 1/(vw)), and with q = uv/w",
        *(vanishes(f"    (A g)_{i + 1} = (1 + q + 1/q) g_{i + 1}", rest[i]) for i in range(3)),
        "so g is positive and an eigenvector: it is the principal one. Its logarithms are the row means of",
        "log A, so for three items the order is that of the row means of the log odds.",
    ]
    return step(
        "For three items s has the geometric means of the rows",
        Kind.PROOF_ALL_M,
        "m = 3, all positive reciprocal matrices",
        "three identities by SymPy, and Perron's theorem",
        lines,
    )


def _computed() -> Step:
    """Ratios of (8, 4, 2, 1) by wins with c k = 1, as the package computes them."""
    weights = (8, 4, 2, 1)
    found = perron(*_wins(weights))
    agreed = all(
        abs(Fraction(float(x)) - Fraction(w, 15)) < Fraction(1, 10**12)
        for x, w in zip(found, weights, strict=True)
    )
    return step(
        "The package finds the weights (8, 4, 2, 1)/15",
        Kind.TEST,
        "m = 4",
        "floats, by power iteration",
        [],
        agreed,
    )


def _wins(weights: tuple[int, ...]) -> Any:
    """Wins, their sum and a smoothing, with which the ratios are those of these falling weights."""
    import numpy as np

    m = len(weights)
    wins = np.zeros((m, m))
    for i in range(m):
        for j in range(i + 1, m):
            wins[i, j] = weights[i] / weights[j] - 1
    return wins, float(wins.sum()), 1.0 / float(wins.sum())


def four() -> list[list[Fraction]]:
    """A positive reciprocal matrix, whose entries above the diagonal are 2, 1, 1/2, 1/3, 4, 1/4.

    Examples
    --------
    >>> [str(prod(row)) for row in four()]
    ['1', '2/3', '3/4', '2']
    """
    above = {(0, 1): "2", (0, 2): "1", (0, 3): "1/2", (1, 2): "1/3", (1, 3): "4", (2, 3): "1/4"}
    entries = {pair: Fraction(entry) for pair, entry in above.items()}
    entries |= {(j, i): 1 / entry for (i, j), entry in entries.items()}
    return [[entries.get((i, j), Fraction(1)) for j in range(4)] for i in range(4)]


def _geometric() -> Refutation:
    """The principal eigenvector x = A^16 x/λ^16 is a positive combination of the columns of A^16."""
    power = four()
    first, second = prod(power[0]), prod(power[1])
    for _ in range(4):
        columns = list(zip(*power, strict=True))
        power = [
            [sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0)) for column in columns]
            for row in power
        ]
    ratios = [x / y for x, y in zip(power[1], power[0], strict=True)]
    return Refutation(
        first > second and min(ratios) > Fraction(7, 5),
        "m = 4, above the diagonal 2, 1, 1/2; 1/3, 4; 1/4: the products of the first two rows are"
        f" {first} > {second}, but s_2/s_1 > 7/5",
    )


STATEMENT: Final = Statement(
    name="principal-eigenvector",
    title="Structure: principal eigenvector",
    latex=(
        r"If \(A_{ij} = w_i/w_j\) its Perron vector is \(w/\sum w\); and for \(m = 3\) the Perron vector of a"
        r" reciprocal matrix is proportional to the geometric means of its rows."
    ),
    plain="The principal eigenvector finds the weights of consistent ratios; for m = 3, geometric means.",
    hypotheses=(r"\(A_{ij} > 0\), \(A_{ij} A_{ji} = 1\)",),
    citation="DMJ13 §5.1, after Saaty; the case of three items is well known",
    check=check,
    variants=(FalseVariant("Its order is that of the geometric means for four items too.", _geometric),),
)
