"""The formulas of the structures in machine code, all in one file, for a change is noticed only there.

A kernel of wins has the signature ``(wins, total, c)``: ``wins[i, j]`` is the weight with which i was
preferred to j, `total` the number k of labels, `c` the smoothing (ignored where there is none). So a
learner can call any of them inside its own compiled loop.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.numbers.arrays import Codes, Floats
from consistency_lab.numbers.compiling import entry

_STEPS: Final = 100_000
_SETTLED: Final = 1e-15


@entry
def average_adjacency(wins: Floats, total: float, c: float) -> Floats:
    """a_ij: the mean over the labels of what they say of i and j; 0 without labels."""
    return wins / total if total > 0.0 else np.zeros_like(wins)


@entry
def log_odds(wins: Floats, total: float, c: float) -> Floats:
    """A_ij = log((P(i over j) + c) / (P(j over i) + c)), exactly skew-symmetric."""
    m = wins.shape[0]
    matrix = np.zeros((m, m))
    if total <= 0.0:
        return matrix
    for i in range(m):
        for j in range(i):
            if wins[i, j] != wins[j, i]:
                matrix[i, j] = np.log(wins[i, j] / total + c) - np.log(wins[j, i] / total + c)
                matrix[j, i] = -matrix[i, j]
    return matrix


@entry
def row_sums(matrix: Floats) -> Floats:
    """Row sums of the skew part (A - A^T)/2: the sums of the rows of A where A is skew-symmetric."""
    m = matrix.shape[0]
    sums = np.zeros(m)
    for i in range(m):
        for j in range(i):
            half = 0.5 * (matrix[i, j] - matrix[j, i])
            sums[i] += half
            sums[j] -= half
    return sums


@entry
def row_means(matrix: Floats) -> Floats:
    """Row means of the skew part: A1/m where A is skew-symmetric."""
    sums = row_sums(matrix)
    sums /= max(1, matrix.shape[0])
    return sums


@entry
def components(wins: Floats) -> NDArray[np.int64]:
    """For each item the least item connected with it by comparisons, regardless of the winners."""
    m = wins.shape[0]
    component = np.full(m, -1)
    waiting = np.empty(m, np.int64)
    for first in range(m):
        if component[first] >= 0:
            continue
        component[first] = first
        waiting[0], count = first, 1
        while count:
            count -= 1
            i = waiting[count]
            for j in range(m):
                if component[j] < 0 and wins[i, j] + wins[j, i] > 0.0:
                    component[j] = first
                    waiting[count] = j
                    count += 1
    return component


@entry
def least_squares(matrix: Floats, wins: Floats) -> Floats:
    """s = L^+ (Omega o A)1: of the scores nearest to A on the pairs that were compared, the shortest.

    Omega has the compared pairs, L is its Laplacian, A is taken by its skew part. On each component of the
    graph of comparisons the scores have mean 0, which L + 11^T/size of the component turns into a positive
    definite system of the items that were compared at all.
    """
    m = wins.shape[0]
    component = components(wins)
    size = np.zeros(m)
    for i in range(m):
        size[component[i]] += 1.0
    active = np.array([i for i in range(m) if size[component[i]] > 1.0], np.int64)
    n = active.size
    factor = np.zeros((n, n))
    scores = np.zeros(n)
    for x in range(n):
        i = active[x]
        for y in range(x):
            j = active[y]
            if component[i] == component[j]:
                factor[x, y] += 1.0 / size[component[i]]
            if wins[i, j] + wins[j, i] > 0.0:
                half = 0.5 * (matrix[i, j] - matrix[j, i])
                scores[x] += half
                scores[y] -= half
                factor[x, y] -= 1.0
                factor[x, x] += 1.0
                factor[y, y] += 1.0
        factor[x, x] += 1.0 / size[component[i]]
    for x in range(n):  # Cholesky, in place, below the diagonal
        for y in range(x + 1):
            rest = factor[x, y]
            for z in range(y):
                rest -= factor[x, z] * factor[y, z]
            factor[x, y] = np.sqrt(rest) if x == y else rest / factor[y, y]
    for x in range(n):
        for z in range(x):
            scores[x] -= factor[x, z] * scores[z]
        scores[x] /= factor[x, x]
    for x in range(n - 1, -1, -1):
        for z in range(x + 1, n):
            scores[x] -= factor[z, x] * scores[z]
        scores[x] /= factor[x, x]
    found = np.zeros(m)
    for x in range(n):
        found[active[x]] = scores[x]
    return found


@entry
def thurstone_of_average(wins: Floats, total: float, c: float) -> Floats:
    """Thurstone and Mosteller's scores of the average adjacency."""
    return least_squares(average_adjacency(wins, total, c), wins)


@entry
def thurstone_of_log_odds(wins: Floats, total: float, c: float) -> Floats:
    """Thurstone and Mosteller's scores of the log odds."""
    return least_squares(log_odds(wins, total, c), wins)


@entry
def borda_of_average(wins: Floats, total: float, c: float) -> Floats:
    """Borda counts of the average adjacency."""
    return row_sums(average_adjacency(wins, total, c))


@entry
def borda_of_log_odds(wins: Floats, total: float, c: float) -> Floats:
    """Borda counts of the log odds."""
    return row_sums(log_odds(wins, total, c))


@entry
def win_rates(wins: Floats, total: float, c: float) -> Floats:
    """Mean over the other items of the share of i's wins against them; 1/2 where they never met."""
    m = wins.shape[0]
    rates = np.zeros(m)
    for i in range(m):
        for j in range(m):
            if i != j:
                met = wins[i, j] + wins[j, i]
                rates[i] += wins[i, j] / met if met > 0.0 else 0.5
        rates[i] /= max(1, m - 1)
    return rates


@entry
def perron(wins: Floats, total: float, c: float) -> Floats:
    """The positive eigenvector, of sum 1, of the ratios (P(i over j) + c) / (P(j over i) + c).

    By power iteration, with a quarter of the eigenvalue added to the diagonal: where the wins go round in a
    cycle and c is small, other eigenvalues are as large in modulus, and the plain iteration would go round.
    """
    m = wins.shape[0]
    ratios = np.exp(log_odds(wins, total, c))
    vector = np.full(m, 1.0 / max(1, m))
    for _ in range(_STEPS):
        after = np.zeros(m)
        for i in range(m):
            for j in range(m):
                after[i] += ratios[i, j] * vector[j]
        after += 0.25 * after.sum() * vector
        after /= after.sum()
        moved = np.max(np.abs(after - vector) / after) if m else 0.0
        vector = after
        if moved <= m * _SETTLED:
            break
    return vector


@entry
def click_rates(clicks: Floats, examined: Floats) -> Floats:
    """clicks_i / examined_i; 0, the least of the maximizers, where i was never examined."""
    rates = np.zeros(clicks.size)
    for i in range(clicks.size):
        if examined[i] > 0.0:
            rates[i] = clicks[i] / examined[i]
    return rates


@entry
def add_pairs(
    wins: Floats, chosen: Codes, winners: Codes, losers: Codes, weights: Floats, place: Codes
) -> None:
    """Add some comparisons to the wins; without weights each counts 1."""
    for one in chosen:
        weight = weights[one] if weights.size else 1.0
        wins[place[winners[one]], place[losers[one]]] += weight


@entry
def add_grades(
    wins: Floats, chosen: Codes, rows: Codes, labels: Codes, grades: Floats, place: Codes, shares: bool
) -> None:
    """Add the pairs of grades of each label, whose grades stand together: by 1, or by their difference."""
    first = 0
    for end in range(1, chosen.size + 1):
        if end == chosen.size or labels[chosen[end]] != labels[chosen[first]]:
            for x in chosen[first:end]:
                for y in chosen[first:end]:
                    if grades[x] > grades[y]:
                        wins[place[rows[x]], place[rows[y]]] += 1.0 if shares else grades[x] - grades[y]
            first = end
