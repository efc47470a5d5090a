"""The faces of the comparisons of score differences, against all patterns of small gaps."""

from itertools import accumulate, combinations, product

import pytest

from consistency_lab.core.inequalities import face_points


def pattern(alpha):
    """How the differences of scores compare, all pairs of pairs."""
    deltas = [alpha[i] - alpha[j] for i, j in combinations(range(len(alpha)), 2)]
    return tuple((x > y) - (x < y) for x, y in combinations(deltas, 2))


@pytest.mark.parametrize(("m", "largest"), [(2, 3), (3, 5), (4, 8)])
def test_each_face_has_one_point_and_none_is_missing(m, largest):
    # The remembered answer would hide what the function does.
    points = face_points.__wrapped__(m)
    patterns = [pattern(point) for point in points]
    assert len(set(patterns)) == len(patterns)
    seen = set()
    for gaps in product(range(1, largest + 1), repeat=m - 1):
        rising = (0, *accumulate(gaps))
        seen.add(pattern(tuple(reversed(rising))))
    assert set(patterns) == seen
