"""Shapes of difference graphs: counts from the OEIS, labels, isomorphism."""

from itertools import combinations, permutations

import pytest

from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.model.posets import chain, is_transitive, orientations, posets


def test_numbers_of_posets_and_acyclic_digraphs_are_oeis_a000112_and_a003087():
    assert [len(posets(m)) for m in range(1, 7)] == [1, 2, 5, 16, 63, 318]
    assert [len(orientations(m)) for m in range(1, 6)] == [1, 2, 6, 31, 302]


@pytest.mark.parametrize("m", range(1, 6))
def test_all_are_naturally_labeled_and_the_posets_are_the_transitive_ones(m):
    assert all(i < j < m for relation in (*orientations(m), *posets(m)) for i, j in relation)
    assert all(map(is_transitive, posets(m)))
    assert sum(map(is_transitive, orientations(m))) == len(posets(m))


@pytest.mark.parametrize("m", range(1, 5))
def test_no_two_are_isomorphic_and_every_relation_has_its_like(m):
    for found, wanted in ((orientations(m), lambda relation: True), (posets(m), is_transitive)):
        classes = [_class(relation, m) for relation in found]
        assert len(set(classes)) == len(found)
        pairs = list(combinations(range(m), 2))
        for mask in range(1 << len(pairs)):
            relation = frozenset(pair for k, pair in enumerate(pairs) if mask >> k & 1)
            assert not wanted(relation) or _class(relation, m) in classes


def test_small_ones_come_first_and_the_chain_last():
    assert posets(4)[0] == frozenset()
    assert posets(4)[-1] == orientations(4)[-1] == chain(4)
    assert [len(relation) for relation in posets(3)] == [0, 1, 2, 2, 3]


def test_limits_are_said():
    with pytest.raises(InputError, match="there are 0 items"):
        posets(0)
    with pytest.raises(UnsupportedError, match="the limit is 6 items"):
        posets(7)
    with pytest.raises(UnsupportedError, match="the limit is 5 items"):
        orientations(6)


def _class(relation, m):
    return frozenset(frozenset((place[i], place[j]) for i, j in relation) for place in permutations(range(m)))
