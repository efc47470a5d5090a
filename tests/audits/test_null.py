"""Bradley-Terry taken for true: which games are played again, and which are not."""

import numpy as np
import pytest

from consistency_lab.audits.losses import rule
from consistency_lab.audits.resamples import bradley_terry_null
from consistency_lab.data.votes import Games

A, B, C = range(3)


def games(counts: list[int], first: list[int], second: list[int], tied: list[bool]) -> Games:
    """Ties are halves: a comparison that is decided counts 2 halves, one that is tied 1 for each."""
    share = [1 if even else 2 for even in tied]
    return Games(
        3, np.array(counts), np.array(first), np.array(second), np.array(share), np.array(tied), unit=2
    )


def test_ties_are_not_played_to_a_decision() -> None:
    """A beats B, B beats C, always; all else is tied: what the model plays again can end in one way only."""
    votes = games([9, 9, 30, 30], [A, B, A, B], [B, C, C, C], [False, False, True, True])
    null = bradley_terry_null(rule("logistic"), votes, 50, seed=0)
    assert (null.found, null.low, null.high, null.share) == (0, 0, 0, 1.0)


def test_ties_beside_decided_games_change_nothing() -> None:
    """A circle of 6 : 5: ties beside it change neither who plays again nor what is expected."""
    decided = games([6, 5, 6, 5, 6, 5], [A, B, B, C, C, A], [B, A, C, B, A, C], [False] * 6)
    null = bradley_terry_null(rule("logistic"), decided, 200, seed=0)
    ties = games(
        [6, 5, 6, 5, 6, 5, 40, 40, 40],
        [A, B, B, C, C, A, A, B, C],
        [B, A, C, B, A, C, B, C, A],
        [False] * 6 + [True] * 3,
    )
    beside = bradley_terry_null(rule("logistic"), ties, 200, seed=0)
    assert null.mean == pytest.approx(beside.mean)
    assert null.low < null.high
