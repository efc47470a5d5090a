import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.proofs.format_1.distribution import Integers

from .oracle.conditions import CONDITIONS


def antisymmetric(m: int, upper: list[int]) -> Integers:
    """The difference matrix with these entries above the diagonal."""
    d = [[0] * m for _ in range(m)]
    places = [(i, j) for i in range(m) for j in range(i + 1, m)]
    for (i, j), x in zip(places, upper, strict=True):
        d[i][j], d[j][i] = x, -x
    return tuple(map(tuple, d))


@pytest.mark.parametrize(
    ("upper", "narrowest"),
    [
        ([1, 3, 2], "additive"),  # d_13 = d_12 + d_23
        ([0, 0, 0], "additive"),
        ([1, 4, 2], "low-noise"),  # Definition 8 with room to spare
        ([2, 1, 1], "net-order"),  # d_13 < d_12 + d_23, net preferences 3 > -1 > -2
        ([1, 0, 3], "acyclic"),  # net preferences 1 < 2 although 1 is preferred to 2 (Eq. 16 fails)
        ([1, -1, 1], "any"),  # a circle
    ],
)
def test_three_items(upper: list[int], narrowest: str) -> None:
    d = antisymmetric(3, upper)
    names = list(CONDITIONS)
    assert [holds(d) for holds in CONDITIONS.values()] == [
        names.index(name) >= names.index(narrowest) for name in names
    ]


@given(
    st.integers(2, 5).flatmap(
        lambda m: st.tuples(
            st.just(m), st.lists(st.integers(-3, 3), min_size=m * (m - 1) // 2, max_size=m * (m - 1) // 2)
        )
    )
)
def test_each_condition_implies_the_next(drawn: tuple[int, list[int]]) -> None:
    d = antisymmetric(*drawn)
    holding = [holds(d) for holds in CONDITIONS.values()]
    assert holding == sorted(holding)


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=5))
def test_differences_of_numbers_are_additive(y: list[int]) -> None:
    assert CONDITIONS["additive"](tuple(tuple(a - b for b in y) for a in y))
