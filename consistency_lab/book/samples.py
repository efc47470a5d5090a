"""Random distributions of a given kind, the same in every run, for the statements that are tested."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from random import Random

from consistency_lab.book.risk import Scores, rational_scores
from consistency_lab.model.distribution import Distribution, Matrix

Sampler = Callable[[Random, int], Matrix]


def any_differences(rng: Random, m: int) -> Matrix:
    """Antisymmetric integers between -3 and 3."""
    return _mirrored(m, lambda i, j: rng.randint(-3, 3))


def downward(rng: Random, m: int) -> Matrix:
    """Differences whose edges all run from a lower number to a higher one."""
    return _mirrored(m, lambda i, j: rng.choice((0, 1, 1, 2, 3, 5)))


def superadditive(rng: Random, m: int) -> Matrix:
    """Downward differences, each at least every sum along a path between its ends; sums of such are such."""
    weights: dict[tuple[int, int], int] = {}
    for length in range(1, m):
        for i in range(m - length):
            k = i + length
            longest = max((weights[i, j] + weights[j, k] for j in range(i + 1, k)), default=0)
            weights[i, k] = longest + rng.choice((0, 0, 1, 3))
    return _mirrored(m, lambda i, j: weights[i, j])


def acyclic_differences(rng: Random, m: int) -> Matrix:
    """Differences whose graph is acyclic, in a random order of the items."""
    return relabeled(downward(rng, m), shuffled(rng, m))


def low_noise_differences(rng: Random, m: int) -> Matrix:
    """Differences under DMJ10 Definition 8, in a random order of the items."""
    return relabeled(superadditive(rng, m), shuffled(rng, m))


def shuffled(rng: Random, m: int) -> list[int]:
    """The items in a random order."""
    return rng.sample(range(m), m)


def relabeled(d: Matrix, order: Sequence[int]) -> Matrix:
    """The same differences with the items in another order."""
    return tuple(tuple(d[i][j] for j in order) for i in order)


def with_differences(d: Matrix, rng: Random | None = None) -> Distribution:
    """A distribution with these differences; with `rng`, opposite preferences are added that cancel out."""
    m = len(d)
    a = [[max(x, Fraction(0)) for x in row] for row in d]
    for i in range(m):
        for j in range(i):
            common = rng.randint(0, 2) if rng else 0
            a[i][j] += common
            a[j][i] += common
    return Distribution.from_aggregate(a)


def random_scores(rng: Random, m: int) -> Scores:
    """Multiples of 1/2 between -3 and 3, so that ties are frequent."""
    return rational_scores([Fraction(rng.randint(-6, 6), 2) for _ in range(m)])


def _mirrored(m: int, value: Callable[[int, int], int]) -> Matrix:
    d = [[Fraction(0)] * m for _ in range(m)]
    for i in range(m):
        for j in range(i + 1, m):
            d[i][j] = Fraction(value(i, j))
            d[j][i] = -d[i][j]
    return tuple(map(tuple, d))
