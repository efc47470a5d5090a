"""Paths in many graphs at once, against an edge-by-edge closure."""

import numpy as np
import pytest

from consistency_lab.search.size import reachable


@pytest.mark.parametrize("m", [1, 2, 3, 5, 8])
def test_reachable_is_the_reflexive_transitive_closure(m):
    arcs = np.random.default_rng(m).random((200, m, m)) < 1.5 / m
    before, found = arcs.copy(), reachable(arcs)
    assert (arcs == before).all()
    for b in range(len(arcs)):
        expected = arcs[b] | np.eye(m, dtype=bool)
        for k in range(m):  # Warshall
            expected |= expected[:, k : k + 1] & expected[k]
        assert (found[b] == expected).all()


def test_the_longest_path_is_followed_to_its_end():
    for m in range(1, 10):
        assert (reachable(np.eye(m, k=1, dtype=bool)[None])[0] == np.triu(np.ones((m, m), dtype=bool))).all()
