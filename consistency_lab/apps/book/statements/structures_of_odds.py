"""Structures of ratios: log odds, least squares on them, and the principal eigenvector."""

from fractions import Fraction
from math import prod
from random import Random
from typing import Any, Final

from consistency_lab.apps.book.risk import close
from consistency_lab.apps.book.statement import (
    Cases,
    Refutation,
    Statement,
    Step,
    also,
    check,
    drawn,
    false,
    step,
)
from consistency_lab.apps.book.ticked import ticked
from consistency_lab.solve.structure_kernels import least_squares, perron

# --- Log odds: what they tend to, that smoothing keeps their signs, and that it costs their sums ---------


def _limit() -> Step:
    return step(
        "A → log((P_ij + c)/(P_ji + c)), which has the sign of d_ij",
        "all m, all c > 0, all P",
        "continuity, and a rational identity by SymPy",
        "P̂ → P almost surely, and log is continuous at P + c > 0: A → log((P_ij + c)/(P_ji + c)).",
        "Let P_ij = q + e and P_ji = q. The argument of the logarithm is above 1:",
        ticked("    (P_ij + c)/(P_ji + c) − 1 = e/(q + c) > 0 for P_ij = q + e, P_ji = q, q, e, c > 0"),
        "so A_ij > 0 exactly if P_ij > P_ji: the difference graph of the limit has the edges of d.",
    )


def _model() -> Step:
    return step(
        "On Bradley-Terry-Luce labels A tends to log s_i − log s_j as c → 0",
        "all m, all positive s, all rates",
        "an identity for one pair, by SymPy",
        "If P_ij = n s_i/(s_i + s_j), whatever the rate n > 0 of the pair, P_ij/P_ji is",
        ticked("    n s_i/(s_i + s_j)/(n s_j/(s_i + s_j)) = s_i/s_j"),
        "so as c → 0 A_ij tends to log s_i − log s_j: additive, whatever the design.",
    )


def ratio(wins: tuple[int, int], k: int, c: Fraction) -> Fraction:
    """exp A_ij for the wins of i and of j among k comparisons.

    Examples
    --------
    >>> str(ratio((3, 1), 8, Fraction(1)))
    '11/9'
    """
    return (Fraction(wins[0], k) + c) / (Fraction(wins[1], k) + c)


@false("They are unbiased at every k.")
def _unbiased() -> Refutation:
    """Two comparisons of a pair that i wins with chance 2/3; c = 1: exp of the mean is not the limit."""
    c = Fraction(1)
    ratios = {won: ratio((won, 2 - won), 2, c) for won in range(3)}
    # 9 times the mean log: 4 of 2:0, 4 of 1:1, 1 of 0:2. It is a logarithm of this number.
    ninth = ratios[2] ** 4 * ratios[1] ** 4 * ratios[0]
    limit = ratio((2, 1), 3, c) ** 9
    return Refutation(
        ninth != limit, f"P = 2/3, k = 2, c = 1: 9 E A = log {ninth}, and 9 times the limit is log {limit}"
    )


@false("With c = 1 their row means are in the order of the strengths under any design.")
def _sums() -> Refutation:
    """Strengths 4, 2, 1, but the pair 1, 3 is drawn often and 1, 2 hardly ever."""
    s = (Fraction(4), Fraction(2), Fraction(1))
    rate = {(0, 1): Fraction(1, 20), (0, 2): Fraction(1, 20), (1, 2): Fraction(9, 10)}
    c = Fraction(1)

    def smoothed(i: int, j: int) -> Fraction:
        return rate[min(i, j), max(i, j)] * s[i] / (s[i] + s[j]) + c

    sums = [
        (smoothed(i, j) / smoothed(j, i)) * (smoothed(i, k) / smoothed(k, i))
        for i, j, k in ((0, 1, 2), (1, 0, 2))
    ]
    return Refutation(
        sums[0] < sums[1],
        f"s = (4, 2, 1), rates 1/20, 1/20, 9/10, c = 1: exp of the first two row sums: {sums[0]} < {sums[1]}",
    )


BTL_LOG_ODDS: Final = Statement(
    latex=(
        r"\(\log\frac{\hat P(i \succ j) + c}{\hat P(j \succ i) + c} \to"
        r" \log\frac{P(i \succ j) + c}{P(j \succ i) + c}\) almost surely, which has the sign of \(d_{ij}\),"
        r" and tends to \(\log s_i - \log s_j\) as \(c \to 0\) on Bradley-Terry-Luce labels."
    ),
    plain="The smoothed log odds estimate the log odds of each pair, and never their wrong sign.",
    hypotheses=("independent comparisons of one distribution", r"\(c > 0\)"),
    citation="DMJ13 §5.1",
    check=check(
        "all m, all c > 0, all P",
        lambda: [_limit(), _model()],
        "P(i ≻ j) is the share among all comparisons, so it also says how often the pair is drawn.",
    ),
    variants=(_unbiased, _sums),
)


# --- Thurstone and Mosteller's least squares: exact where the matrix is additive and all is connected ----

Pairs = frozenset[tuple[int, int]]


def _normal() -> Step:
    return step(
        "If A_ij = t_i − t_j on a connected design then s = t − mean(t)",
        "all m, all connected designs",
        "the normal equations, by SymPy for one pair",
        "Let f(s) = Σ (A_ij − s_i + s_j)² over the compared pairs, each once. One pair adds to ∂f/∂s_i",
        ticked("    ∂/∂s_i ((A_ij − s_i + s_j)²) = −2 (A_ij − (s_i − s_j))"),
        "so f, which is convex, is least exactly where L s = (Ω∘A)1, L the Laplacian of Ω.",
        "If A_ij = t_i − t_j on Ω then f(t) = 0 and L t = (Ω∘A)1. Of a connected graph 1 spans the kernel",
        "of L, so the solutions are t + const, and the shortest one, L⁺(Ω∘A)1, has mean 0.",
    )


_COMPLETE: Final = step(
    "With all pairs compared s = A1/m",
    "all m, all skew-symmetric A",
    "by hand",
    "Then L = m I − 11ᵀ. As A is skew-symmetric the sum of A1 is 0, so L (A1/m) = A1, and A1/m,",
    "which has mean 0, is the shortest solution.",
)


def _computed_scores() -> Step:
    """The compiled formula at whole numbers t on random connected designs."""
    import numpy as np

    def agree(rng: Random, m: int) -> bool:
        t = [rng.randint(-9, 9) * m for _ in range(m)]
        pairs = frozenset((rng.randrange(j), j) for j in range(1, m)) | frozenset(
            (i, j) for j in range(m) for i in range(j) if rng.random() < 1 / 4
        )
        found = least_squares(*_matrices(t, pairs))
        return bool(np.allclose(found, [x - sum(t) / m for x in t], atol=1e-9))

    claim, how = "The package computes t − mean(t)", "floats, at {} random connected designs"
    return drawn(claim, "m ≤ 8, whole numbers t", how, agree, (2, 3, 5, 8), 6, 51)


def _matrices(t: list[int], pairs: Pairs) -> Any:
    """The differences of t on the design, and a comparison of each of its pairs."""
    import numpy as np

    matrix, wins = np.zeros((2, len(t), len(t)))
    for i, j in pairs:
        matrix[i, j], matrix[j, i], wins[i, j] = t[i] - t[j], t[j] - t[i], 1.0
    return matrix, wins


@false("They recover t up to a shift on every design, connected or not.")
def _two_components() -> Refutation:
    """1 > 2 and 3 > 4 by 1 each, t = (1, 0, 11, 10): each component has mean 0."""
    t = [1, 0, 11, 10]
    found = [Fraction(float(x)) for x in least_squares(*_matrices(t, frozenset({(0, 1), (2, 3)})))]
    return Refutation(
        abs(found[0] - found[2]) < Fraction(1, 10**9) and t[0] != t[2],
        "t = (1, 0, 11, 10), pairs 12 and 34 compared: s = (1/2, −1/2, 1/2, −1/2) puts 1 and 3 level",
    )


@false("A1/m does so on every connected design.")
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


THURSTONE_MOSTELLER: Final = Statement(
    latex=(
        r"If \(A_{ij} = t_i - t_j\) on the compared pairs \(\Omega\), whose graph is connected, then"
        r" \(L_\Omega^+ (\Omega \circ A) \mathbf{1} = t - \bar t\); and it is \(A\mathbf{1}/m\) for every"
        r" skew-symmetric \(A\) if all pairs are compared."
    ),
    plain="Least squares recover scores from their differences wherever comparisons connect all items.",
    hypotheses=(r"\(A\) is skew-symmetric", "the compared pairs connect all items"),
    citation="DMJ13 §5.1",
    check=check(
        "all m, all connected designs",
        lambda: [_normal(), _COMPLETE, also(_computed_scores())],
        "The limit is a continuous function of that of A, so it is a point (DMJ13 §5.1).",
    ),
    variants=(_two_components, _row_means),
)


# --- Saaty's principal eigenvector: the weights of consistent ratios, and for three items geometric means ---


def _consistent() -> Step:
    return step(
        "If A_ij = w_i/w_j then s = w/Σw",
        "all m, all positive w",
        "an identity by SymPy, and Perron's theorem",
        "Let A_ij = w_i/w_j. Each term of (Aw)_i is",
        ticked("    (w_i/w_j) w_j = w_i"),
        "so A w = m w. A positive matrix has one positive eigenvector up to its sum (Perron), so it is w.",
    )


def _three() -> Step:
    return step(
        "For three items s has the geometric means of the rows",
        "m = 3, all positive reciprocal matrices",
        "three identities by SymPy, and Perron's theorem",
        "Let A_12 = u³, A_23 = v³, A_13 = w³, all others by A_ji = 1/A_ij. The rows have the geometric",
        "means g = (uw, v/u, 1/(vw)), and with q = uv/w",
        "A g = (1 + q + 1/q) g, row by row:",
        ticked("    uw + u³v/u + w³/(vw) = (1 + q + 1/q)uw for q = uv/w"),
        ticked("    uw/u³ + v/u + v³/(vw) = (1 + q + 1/q)v/u for q = uv/w"),
        ticked("    uw/w³ + v/(uv³) + 1/(vw) = (1 + q + 1/q)/(vw) for q = uv/w"),
        "so g is positive and an eigenvector: it is the principal one. Its logarithms are the row means of",
        "log A, so for three items the order is that of the row means of the log odds.",
    )


def _computed_weights() -> Step:
    """Ratios of (8, 4, 2, 1) by wins with c k = 1, as the package computes them."""
    weights = (8, 4, 2, 1)
    found = perron(*_wins(weights))
    agreed = close(found, [Fraction(w, 15) for w in weights])
    claim = "The package finds the weights (8, 4, 2, 1)/15"
    return step(claim, "m = 4", "floats, by power iteration", Cases(int(agreed), 1))


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


@false("Its order is that of the geometric means for four items too.")
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


PRINCIPAL_EIGENVECTOR: Final = Statement(
    latex=(
        r"If \(A_{ij} = w_i/w_j\) its Perron vector is \(w/\sum w\); and for \(m = 3\) the Perron vector of a"
        r" reciprocal matrix is proportional to the geometric means of its rows."
    ),
    plain="The principal eigenvector finds the weights of consistent ratios; for m = 3, geometric means.",
    hypotheses=(r"\(A_{ij} > 0\), \(A_{ij} A_{ji} = 1\)",),
    citation="DMJ13 §5.1, after Saaty; the case of three items is well known",
    check=check(
        "all m; geometric means for m = 3",
        lambda: [_consistent(), _three(), also(_computed_weights())],
        "It depends continuously on the matrix, so the limit is that of the limit ratios.",
    ),
    variants=(_geometric,),
)
