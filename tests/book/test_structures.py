"""What the statements on structures say, at random: the package computes the limits that they prove."""

from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest

from consistency_lab.apps.book.risk import close
from consistency_lab.apps.book.statement import Cases, tried
from consistency_lab.apps.book.statements.structures_of_odds import matrices
from consistency_lab.apps.book.statements.structures_of_pairs import rates
from consistency_lab.model.conditions import conditions_of, net
from consistency_lab.model.distribution import Distribution
from consistency_lab.solve.structure_kernels import least_squares
from consistency_lab.solve.structures import AmmarShah


def test_row_sums_fall_along_every_edge_exactly_under_eq_16_of_dmj10() -> None:
    def agree(rng: Random, m: int) -> bool:
        a = [[rng.randint(0, 6) if i != j else 0 for j in range(m)] for i in range(m)]
        d = Distribution.from_aggregate(a).difference
        sums = list(map(sum, d))
        is_right = all(sums[i] > sums[j] for i in range(m) for j in range(m) if d[i][j] > 0)
        return conditions_of(d)["net-order"] is is_right and list(net(d)) == sums

    assert tried(agree, (3, 4, 5), 12, 13) == Cases(36, 36)


def test_win_rates_of_bradley_terry_luce_are_in_the_order_of_the_strengths() -> None:
    def agree(rng: Random, m: int) -> bool:
        s = sorted((rng.randint(1, 9) for _ in range(m)), reverse=True)
        wins = [[0.0] * m for _ in range(m)]
        for i in range(m):
            for j in range(i):
                rate = rng.randint(1, 50)
                wins[i][j], wins[j][i] = float(rate * s[i]), float(rate * s[j])
        limit = rates([[Fraction(x, x + y) for y in s] for x in s])
        return close(AmmarShah().scores(wins), limit) and all(x >= y for x, y in pairwise(limit))

    assert tried(agree, (2, 3, 4, 6), 5, 52) == Cases(20, 20)


def test_least_squares_recover_scores_on_every_connected_design() -> None:
    def agree(rng: Random, m: int) -> bool:
        t = [rng.randint(-9, 9) * m for _ in range(m)]
        pairs = frozenset((rng.randrange(j), j) for j in range(1, m)) | frozenset(
            (i, j) for j in range(m) for i in range(j) if rng.random() < 1 / 4
        )
        assert least_squares(*matrices(t, pairs)) == pytest.approx([x - sum(t) / m for x in t], abs=1e-9)
        return True

    assert tried(agree, (2, 3, 5, 8), 6, 51) == Cases(24, 24)
