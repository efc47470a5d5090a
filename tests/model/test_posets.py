"""Shapes of difference graphs: counts from the OEIS, labels, isomorphism."""

from itertools import combinations, permutations

import pytest

from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.model.posets import Relation, chain, is_transitive, orientations, posets


@pytest.mark.parametrize(("m", "count"), list(enumerate((1, 2, 5, 16, 63, 318), start=1)))
def test_number_of_posets_is_oeis_a000112(m: int, count: int) -> None:
    assert len(posets(m)) == count


@pytest.mark.parametrize(("m", "count"), list(enumerate((1, 2, 6, 31, 302), start=1)))
def test_number_of_acyclic_digraphs_is_oeis_a003087(m: int, count: int) -> None:
    assert len(orientations(m)) == count


@pytest.mark.parametrize("m", range(1, 6))
def test_all_are_naturally_labeled_and_posets_are_transitive(m: int) -> None:
    assert all(i < j < m for relation in orientations(m) for i, j in relation)
    assert all(i < j < m for relation in posets(m) for i, j in relation)
    assert all(map(is_transitive, posets(m)))


@pytest.mark.parametrize("m", range(1, 5))
def test_no_two_are_isomorphic_and_every_relation_has_its_like(m: int) -> None:
    for found, wanted in ((orientations(m), lambda relation: True), (posets(m), is_transitive)):
        classes = [_class(relation, m) for relation in found]
        assert len(set(classes)) == len(found)
        pairs = list(combinations(range(m), 2))
        for mask in range(1 << len(pairs)):
            relation = frozenset(pair for k, pair in enumerate(pairs) if mask >> k & 1)
            assert not wanted(relation) or _class(relation, m) in classes


@pytest.mark.parametrize("m", range(1, 6))
def test_the_posets_are_the_transitive_orientations(m: int) -> None:
    transitive = [relation for relation in orientations(m) if is_transitive(relation)]
    assert len(transitive) == len(posets(m))


def test_small_ones_come_first_and_the_chain_last() -> None:
    assert posets(4)[0] == frozenset()
    assert posets(4)[-1] == orientations(4)[-1] == chain(4)
    assert [len(relation) for relation in posets(3)] == [0, 1, 2, 2, 3]


def test_limits_are_said() -> None:
    with pytest.raises(InputError, match="there are 0 items"):
        posets(0)
    with pytest.raises(UnsupportedError, match="the limit is 6 items"):
        posets(7)
    with pytest.raises(UnsupportedError, match="the limit is 5 items"):
        orientations(6)


def _class(relation: Relation, m: int) -> frozenset[Relation]:
    return frozenset(frozenset((place[i], place[j]) for i, j in relation) for place in permutations(range(m)))
