"""Conditions on the matrix d_ij = a_ij - a_ji, and on distributions of labels."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import combinations, permutations
from typing import Final

from .decoders import acyclic
from .numbers import Misfit, dot, plus, sign, times
from .surrogates import FEATURES
from .targets import Label, Target

Matrix = list[list[Fraction]]
Distribution = Mapping[Label, Fraction]


def _low_noise(d: Matrix) -> bool:
    """Edges i → j and j → k imply d_ik >= d_ij + d_jk (DMJ10 Definition 8)."""
    triples = permutations(range(len(d)), 3)
    return all(d[i][k] >= d[i][j] + d[j][k] for i, j, k in triples if d[i][j] > 0 and d[j][k] > 0)


def _net_order(d: Matrix) -> bool:
    """An edge i → k implies sum_j d_ij > sum_j d_kj (DMJ10 Eq. 16)."""
    net = [sum(line) for line in d]
    return all(net[i] > net[k] for i, k in permutations(range(len(d)), 2) if d[i][k] > 0)


ON_DIFFERENCES: Final[Mapping[str, Callable[[Matrix], bool]]] = {
    # d_ij = y_i - y_j for some y, that is, d_ij = d_i1 - d_j1.
    "additive": lambda d: all(
        x == line[0] - other[0] for line in d for x, other in zip(line, d, strict=True)
    ),
    "low-noise": _low_noise,
    "net-order": _net_order,
    "acyclic": lambda d: acyclic(
        frozenset((i, j) for i, line in enumerate(d) for j, x in enumerate(line) if x > 0)
    ),
    "any": lambda d: True,
}
"""Tests by name, from the narrowest to the widest."""


def differences(target: Target, p: Distribution) -> Matrix:
    """d_ij = P(i → j) - P(j → i)."""
    d = [[Fraction(0)] * target.m for _ in range(target.m)]
    for label, weight in p.items():
        for i, j in target.edges(label):
            d[i][j] += weight
            d[j][i] -= weight
    return d


def _p_f(target: Target, p: Distribution, f: str) -> bool:
    """d_ij > 0 implies E f_i > E f_j (RAT13 Theorem 6)."""
    d = differences(target, p)
    columns = zip(*(FEATURES[f](target, label) for label in p), strict=True)
    mean = [dot(p.values(), column) for column in columns]
    pairs = [(i, j) for i, j in permutations(range(target.m), 2) if d[i][j] > 0]
    return all(sign(plus(mean[i], times(Fraction(-1), mean[j]))) > 0 for i, j in pairs)


def _reinforce(target: Target, p: Distribution, f: str) -> bool:
    """u_ii >= u_jj implies u_ii >= u_jj + sum_k (u_jk - u_ik)_+ over k other than i and j (RAT13 §6)."""
    if target.grades != (0, 1):
        raise Misfit("reinforce is about labels of the grades 0 and 1")
    items = range(target.m)
    u = [[sum(w * Fraction(y[i] * y[j], sum(y) or 1) for y, w in p.items()) for j in items] for i in items]
    return all(
        u[i][i] >= u[j][j] + sum(max(u[j][k] - u[i][k], Fraction(0)) for k in items if k not in (i, j))
        for i, j in permutations(items, 2)
        if u[i][i] >= u[j][j]
    )


def _independent(target: Target, p: Distribution, f: str) -> bool:
    """P(y) is the product of the probabilities of its grades; so on the support, and then everywhere."""
    if target.kind != "grades":
        raise Misfit("independent is about labels of grades")
    for label, weight in p.items():
        product = Fraction(1)
        for i, grade in enumerate(label):
            product *= sum(w for y, w in p.items() if y[i] == grade)
        if product != weight:
            return False
    return True


def _exchange(right: Callable[[list[Fraction]], bool]) -> Callable[[Target, Distribution, str], bool]:
    """Whether in some order of the items P(y) - P(y with i, j exchanged) is right for its pairs i, j."""

    def test(target: Target, p: Distribution, f: str) -> bool:
        if target.kind not in ("grades", "rankings"):
            raise Misfit("exchanged items are about labels of grades or rankings")
        items, none = range(target.m), Fraction(0)
        good = {
            (i, j): right(
                [
                    p.get(y, none) - p.get(target.exchanged(y, i, j), none)
                    for y in target.labels()
                    if (i, j) in target.edges(y)
                ]
            )
            for i, j in permutations(items, 2)
        }
        return any(all(good[pair] for pair in combinations(order, 2)) for order in permutations(items))

    return test


ON_LABELS: Final[Mapping[str, Callable[[Target, Distribution, str], bool]]] = {
    "p-f": _p_f,
    "reinforce": _reinforce,
    "order-preserving": _exchange(lambda drops: min(drops) > 0),  # Xia et al. 2008
    "rank-differentiable": _exchange(lambda drops: min(drops) >= 0 and max(drops) > 0),  # Lan et al. 2012
    "independent": _independent,
}
"""Tests of distributions over labels; the last argument names the features of p-f."""


def holds(name: str, target: Target, p: Distribution, f: str = "net") -> bool:
    """Whether a distribution satisfies a condition."""
    if name == "any":
        return True
    if name in ON_DIFFERENCES:
        return ON_DIFFERENCES[name](differences(target, p))
    return ON_LABELS[name](target, p, f)
