"""Thurstone and Mosteller's least squares: exact where the matrix is additive and all is connected."""

from fractions import Fraction
from random import Random
from typing import Any, Final

from consistency_lab.aggregate.kernels import least_squares
from consistency_lab.book.polynomials import Lines, step, vanishes
from consistency_lab.book.statement import Checked, FalseVariant, Kind, Refutation, Statement, Step, concluded

Pairs = frozenset[tuple[int, int]]


def check() -> Checked:
    """Check the statement."""
    return concluded(
        Kind.PROOF_ALL_M,
        "all m, all connected designs",
        [_normal(), _complete(), _computed()],
        ("The limit is a continuous function of that of A, so it is a point (DMJ13 §5.1).",),
    )


def _normal() -> Step:
    import sympy as sp

    a, x, y = sp.symbols("A_ij s_i s_j", real=True)
    square = (a - x + y) ** 2
    lines: Lines = [
        "Let f(s) = Σ (A_ij − s_i + s_j)² over the compared pairs, each once. One pair adds to ∂f/∂s_i",
        vanishes("    −2 (A_ij − (s_i − s_j))", sp.diff(square, x) + 2 * (a - x + y)),
        "so f, which is convex, is least exactly where L s = (Ω∘A)1, L the Laplacian of Ω.",
        "If A_ij = t_i − t_j on Ω then f(t) = 0 and L t = (Ω∘A)1. Of a connected graph 1 spans the kernel",
        "of L, so the solutions are t + const, and the shortest one, L⁺(Ω∘A)1, has mean 0.",
    ]
    return step(
        "If A_ij = t_i − t_j on a connected design then s = t − mean(t)",
        Kind.PROOF_ALL_M,
        "all m, all connected designs",
        "the normal equations, by SymPy for one pair",
        lines,
    )


def _complete() -> Step:
    return step(
        "With all pairs compared s = A1/m",
        Kind.PROOF_ALL_M,
        "all m, all skew-symmetric A",
        "by hand",
        [
            "Then L = m I − 11ᵀ. As A is skew-symmetric the sum of A1 is 0, so L (A1/m) = A1, and A1/m,",
            "which has mean 0, is the shortest solution.",
        ],
    )


def _computed() -> Step:
    """The compiled formula at whole numbers t on random connected designs."""
    import numpy as np

    rng = Random(51)
    total = agreed = 0
    for m in (2, 3, 5, 8):
        for _ in range(6):
            t = [rng.randint(-9, 9) * m for _ in range(m)]
            pairs = frozenset((rng.randrange(j), j) for j in range(1, m)) | frozenset(
                (i, j) for j in range(m) for i in range(j) if rng.random() < 1 / 4
            )
            found = least_squares(*_matrices(t, pairs))
            total += 1
            agreed += bool(np.allclose(found, [x - sum(t) / m for x in t], atol=1e-9))
    return step(
        "The package computes t − mean(t)",
        Kind.TEST,
        "m ≤ 8, whole numbers t",
        f"floats, at {agreed} of {total} random connected designs",
        [],
        agreed == total,
    )


def _matrices(t: list[int], pairs: Pairs) -> Any:
    """The differences of t on the design, and a comparison of each of its pairs."""
    import numpy as np

    matrix, wins = np.zeros((2, len(t), len(t)))
    for i, j in pairs:
        matrix[i, j], matrix[j, i], wins[i, j] = t[i] - t[j], t[j] - t[i], 1.0
    return matrix, wins


def _two_components() -> Refutation:
    """1 > 2 and 3 > 4 by 1 each, t = (1, 0, 11, 10): each component has mean 0."""
    t = [1, 0, 11, 10]
    found = [Fraction(float(x)) for x in least_squares(*_matrices(t, frozenset({(0, 1), (2, 3)})))]
    return Refutation(
        abs(found[0] - found[2]) < Fraction(1, 10**9) and t[0] != t[2],
        "t = (1, 0, 11, 10), pairs 12 and 34 compared: s = (1/2, −1/2, 1/2, −1/2) puts 1 and 3 level",
    )


def _row_means() -> Refutation:
    """A path 1 - 2 - 3 - 4 - 5 with t falling: the ends have one comparison, so their row means are small."""
    t = [4, 3, 2, 1, 0]
    pairs = frozenset((i, i + 1) for i in range(4))
    d = [
        [Fraction(t[i] - t[j]) if {(i, j), (j, i)} & pairs else Fraction(0) for j in range(5)]
        for i in range(5)
    ]
    means = [sum(row) / 5 for row in d]
    return Refutation(
        means[1] == means[2] == means[3] and t[1] > t[2] > t[3],
        "t = (4, 3, 2, 1, 0), neighbors compared: A1/m is 0 for each of 2, 3 and 4",
    )


STATEMENT: Final = Statement(
    name="thurstone-mosteller",
    title="Structure: Thurstone-Mosteller",
    latex=(
        r"If \(A_{ij} = t_i - t_j\) on the compared pairs \(\Omega\), whose graph is connected, then"
        r" \(L_\Omega^+ (\Omega \circ A) \mathbf{1} = t - \bar t\); and it is \(A\mathbf{1}/m\) for every"
        r" skew-symmetric \(A\) if all pairs are compared."
    ),
    plain="Least squares recover scores from their differences wherever comparisons connect all items.",
    hypotheses=(r"\(A\) is skew-symmetric", "the compared pairs connect all items"),
    citation="DMJ13 §5.1",
    check=check,
    variants=(
        FalseVariant("They recover t up to a shift on every design, connected or not.", _two_components),
        FalseVariant("A1/m does so on every connected design.", _row_means),
    ),
)
