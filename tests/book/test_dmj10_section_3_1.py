"""DMJ10 section 3.1: labels that are scores, and order-preserving spaces."""

from fractions import Fraction
from random import Random

import pytest

from consistency_lab.apps.book.book import statement
from consistency_lab.apps.book.statement import Cases, Kind, Outcome, tried
from consistency_lab.apps.book.statements import labels as section
from consistency_lab.model.conditions import conditions_of
from consistency_lab.model.distribution import Distribution


def test_it_holds() -> None:
    checked = statement("section-3.1").check()
    assert (checked.outcome, checked.kind) == (Outcome.HOLDS, Kind.HAND)
    assert "2/5 (2 − w2) + 1 (w2 q − p) = 1/5 > 0" in checked.findings[2].details[-1]


def _of_scores(labels: list[list[int]]) -> Distribution:
    m = len(labels[0])
    graphs = [{(i, j): y[i] - y[j] for i in range(m) for j in range(m) if y[i] > y[j]} for y in labels]
    return Distribution.of(m, [(Fraction(1, len(labels)), graph) for graph in graphs])


def test_random_scores_have_additive_low_noise_differences() -> None:
    def agree(rng: Random, m: int) -> bool:
        held = conditions_of(_of_scores([[rng.randint(0, 4) for _ in range(m)] for _ in range(3)]).difference)
        return held["additive"] and held["low-noise"]

    assert tried(agree, (2, 3, 4, 5), 8, 31) == Cases(32, 32)


def test_the_aggregate_is_not_the_difference_of_the_means() -> None:
    two = _of_scores([[1, 0], [0, 1]])
    assert two.aggregate[0][1] == Fraction(1, 2)
    assert two.difference[0][1] == 0


@pytest.mark.parametrize("multipliers", [("2/5", "0"), ("0", "1"), ("1", "1"), ("-2/5", "-1"), ("1/5", "1")])
def test_other_multipliers_are_rejected(multipliers: tuple[str, str]) -> None:
    assert False in section.no_w2("3/5", *multipliers)


@pytest.mark.parametrize("w2", ["0", "1/2", "1", "4/3", "7/5", "3/2", "2", "3"])
def test_no_w2_at_three_fifths(w2: str) -> None:
    p, w = Fraction(3, 5), Fraction(w2)
    first = {(0, 1): 1, (1, 2): 1, (0, 2): w}
    second = {(1, 2): 1, (2, 0): 1, (1, 0): w}
    d = Distribution.of(3, [(p, first), (1 - p, second)]).difference
    assert not (conditions_of(d)["low-noise"] and d[0][1] > 0)
