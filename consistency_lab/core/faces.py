"""How the numbers delta_ij = alpha_i - alpha_j can be ordered when alpha_1 > ... > alpha_m.

In the gaps x_k = alpha_k - alpha_{k+1} > 0 the comparisons delta_t < delta_u cut the cone x > 0 into the
faces of a hyperplane arrangement. A face of dimension k contains the sum of k of its extreme rays, so the
sums of at most m - 1 rays meet every face.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Final

from consistency_lab.exact import integer_multiple, null_space

MAX_FACE_ITEMS: Final = 4
"""Most items: the number of faces grows faster than m!."""

Vector = tuple[int, ...]


@lru_cache(maxsize=MAX_FACE_ITEMS)
def face_points(m: int) -> tuple[Vector, ...]:
    """A vector alpha in every face of {alpha_1 > ... > alpha_m}, one a face.

    Examples
    --------
    Three items: the gaps are equal, the first is the larger, or the second is.

    >>> sorted(face_points(3))
    [(2, 1, 0), (3, 1, 0), (3, 2, 0)]
    """
    dimension = m - 1
    # delta_ij for i < j is the sum of the gaps between i and j. A comparison with 0 or with a negative delta
    # is settled on the open cone, and so is that of two deltas whose difference has only one sign.
    intervals = [tuple(int(i <= k < j) for k in range(dimension)) for i, j in combinations(range(m), 2)]
    differences = {tuple(x - y for x, y in zip(*two, strict=True)) for two in combinations(intervals, 2)}
    cuts = sorted(normal for normal in differences if min(normal) < 0 < max(normal))
    walls = [tuple(int(k == place) for k in range(dimension)) for place in range(dimension)]
    rays = sorted(
        {ray for normals in combinations([*walls, *cuts], dimension - 1) if (ray := _ray(normals, dimension))}
    )
    found: dict[Vector, Vector] = {}
    for number in range(1, dimension + 1):
        for some in combinations(rays, number):
            point = tuple(map(sum, zip(*some, strict=True)))
            if min(point) > 0:
                signs = tuple(_sign(sum(a * b for a, b in zip(cut, point, strict=True))) for cut in cuts)
                found.setdefault(signs, point)
    return tuple(tuple(sum(gaps[k:]) for k in range(m)) for gaps in found.values())


def _ray(normals: Sequence[Vector], dimension: int) -> Vector:
    """The primitive nonnegative vector orthogonal to the normals; () if there is none, or not just one."""
    basis = null_space([[Fraction(x) for x in normal] for normal in normals], dimension)
    if len(basis) > 1:
        return ()
    line, _ = integer_multiple(basis[0])
    if min(line) < 0 < max(line):
        return ()
    return tuple(map(abs, line))


def _sign(value: int) -> int:
    return (value > 0) - (value < 0)
