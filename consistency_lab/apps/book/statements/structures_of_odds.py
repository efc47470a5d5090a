"""What the page on structures of ratios computes, and what refutes its false variants."""

from fractions import Fraction
from math import prod
from typing import Any

from consistency_lab.apps.book.risk import close
from consistency_lab.apps.book.statement import Cases, Refutation
from consistency_lab.solve.structure_kernels import least_squares, perron

# --- Log odds --------------------------------------------------------------------------------------------


def ratio(wins: tuple[int, int], k: int, c: Fraction) -> Fraction:
    """exp A_ij for the wins of i and of j among k comparisons."""
    return (Fraction(wins[0], k) + c) / (Fraction(wins[1], k) + c)


def unbiased() -> Refutation:
    """Two comparisons of a pair that i wins with chance 2/3; c = 1: exp of the mean is not the limit."""
    c = Fraction(1)
    ratios = {won: ratio((won, 2 - won), 2, c) for won in range(3)}
    # 9 times the mean log: 4 of 2:0, 4 of 1:1, 1 of 0:2. It is a logarithm of this number.
    ninth = ratios[2] ** 4 * ratios[1] ** 4 * ratios[0]
    limit = ratio((2, 1), 3, c) ** 9
    return Refutation(
        ninth != limit, f"P = 2/3, k = 2, c = 1: 9 E A = log {ninth}, and 9 times the limit is log {limit}"
    )


def sums() -> Refutation:
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


# --- Thurstone and Mosteller's least squares -------------------------------------------------------------

Pairs = frozenset[tuple[int, int]]


def matrices(t: list[int], pairs: Pairs) -> Any:
    """The differences of t on the design, and a comparison of each of its pairs."""
    import numpy as np

    matrix, wins = np.zeros((2, len(t), len(t)))
    for i, j in pairs:
        matrix[i, j], matrix[j, i], wins[i, j] = t[i] - t[j], t[j] - t[i], 1.0
    return matrix, wins


def two_components() -> Refutation:
    """1 > 2 and 3 > 4 by 1 each, t = (1, 0, 11, 10): each component has mean 0."""
    t = [1, 0, 11, 10]
    found = [Fraction(float(x)) for x in least_squares(*matrices(t, frozenset({(0, 1), (2, 3)})))]
    return Refutation(
        abs(found[0] - found[2]) < Fraction(1, 10**9) and t[0] != t[2],
        "t = (1, 0, 11, 10), pairs 12 and 34 compared: s = (1/2, −1/2, 1/2, −1/2) puts 1 and 3 level",
    )


def row_means() -> Refutation:
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


# --- Saaty's principal eigenvector -----------------------------------------------------------------------


def eigenvector(weights: str) -> Cases:
    """Whether the package finds these weights from wins with c k = 1."""
    exact = tuple(map(int, weights.split()))
    found = perron(*_wins(exact))
    return Cases(int(close(found, [Fraction(w, sum(exact)) for w in exact])), 1)


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
    """A positive reciprocal matrix, whose entries above the diagonal are 2, 1, 1/2, 1/3, 4, 1/4."""
    above = {(0, 1): "2", (0, 2): "1", (0, 3): "1/2", (1, 2): "1/3", (1, 3): "4", (2, 3): "1/4"}
    entries = {pair: Fraction(entry) for pair, entry in above.items()}
    entries |= {(j, i): 1 / entry for (i, j), entry in entries.items()}
    return [[entries.get((i, j), Fraction(1)) for j in range(4)] for i in range(4)]


def geometric() -> Refutation:
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
