"""Labels that are ballots or scores: approval, Bradley-Terry-Luce, DMJ10 section 3.1."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab import Distribution, InputError, PreferenceGraph, conditions_of
from consistency_lab.apps.book.book import statement
from consistency_lab.apps.book.statement import Cases, Outcome, tried
from consistency_lab.apps.book.statements import labels as page
from consistency_lab.apps.book.statements import labels as section
from consistency_lab.apps.book.statements.labels import approved, approving, are_differences


def test_the_sample_of_the_package_is_read(tmp_path, monkeypatch):
    (tmp_path / "vermont.toc").write_text("# NUMBER ALTERNATIVES: 2\n1: 1,2\n")
    monkeypatch.chdir(tmp_path)
    assert statement("approval-ballots").check().outcome is Outcome.HOLDS


def test_the_difference_is_that_of_the_shares_on_random_ballots():
    def agree(rng, m):
        chosen = [frozenset(i for i in range(m) if rng.random() < 1 / 2) for _ in range(4)]
        counts = [rng.randint(1, 9) for _ in chosen]
        ballots = [(Fraction(n, sum(counts)), s) for n, s in zip(counts, chosen, strict=True)]
        shares = [sum((p for p, s in ballots if i in s), Fraction(0)) for i in range(m)]
        return are_differences(approving(ballots, m).difference, shares)

    assert tried(agree, (2, 3, 4, 5, 6), 8, 3) == Cases(40, 40)


def test_a_ballot_of_three_levels_is_refused():
    with pytest.raises(InputError, match="not that of an approval ballot"):
        approved(PreferenceGraph.of({(0, 1): 1, (1, 2): 1, (0, 2): 1}), 3)
    assert approved(PreferenceGraph.of({}), 3) == frozenset()
    assert approved(PreferenceGraph.of({(0, 2): 1, (1, 2): 1}), 3) == {0, 1}


GRADES = st.lists(st.fractions(Fraction(1, 9), 9, max_denominator=9), min_size=3, max_size=4)


def test_two_grades_give_additive_differences():
    def agree(rng, m):
        high = Fraction(rng.randint(2, 9))
        d = page.labels([high if rng.random() < 1 / 2 else Fraction(1) for _ in range(m)]).difference
        return conditions_of(d)["additive"]

    assert tried(agree, (2, 3, 4, 5), 6, 2) == Cases(24, 24)


@given(GRADES)
def test_the_defect_is_the_product(grades):
    d = page.labels(grades).difference
    i, j, k = 0, 1, 2
    assert d[i][j] + d[j][k] - d[i][k] == d[i][j] * d[j][k] * d[i][k]
    held = conditions_of(d)
    assert held["low-noise"] is (len(set(grades)) < 3)
    assert held["net-order"]


def _of_scores(labels):
    m = len(labels[0])
    graphs = [{(i, j): y[i] - y[j] for i in range(m) for j in range(m) if y[i] > y[j]} for y in labels]
    return Distribution.of(m, [(Fraction(1, len(labels)), graph) for graph in graphs])


def test_random_scores_have_additive_low_noise_differences():
    def agree(rng, m):
        held = conditions_of(_of_scores([[rng.randint(0, 4) for _ in range(m)] for _ in range(3)]).difference)
        return held["additive"] and held["low-noise"]

    assert tried(agree, (2, 3, 4, 5), 8, 31) == Cases(32, 32)


def test_the_aggregate_is_not_the_difference_of_the_means():
    two = _of_scores([[1, 0], [0, 1]])
    assert two.aggregate[0][1] == Fraction(1, 2)
    assert two.difference[0][1] == 0


@pytest.mark.parametrize("multipliers", [("2/5", "0"), ("0", "1"), ("1", "1"), ("-2/5", "-1"), ("1/5", "1")])
def test_other_multipliers_are_rejected(multipliers):
    assert False in section.no_w2("3/5", *multipliers)


@pytest.mark.parametrize("w2", ["0", "1/2", "1", "4/3", "7/5", "3/2", "2", "3"])
def test_no_w2_at_three_fifths(w2):
    p, w = Fraction(3, 5), Fraction(w2)
    first = {(0, 1): 1, (1, 2): 1, (0, 2): w}
    second = {(1, 2): 1, (2, 0): 1, (1, 0): w}
    d = Distribution.of(3, [(p, first), (1 - p, second)]).difference
    assert not (conditions_of(d)["low-noise"] and d[0][1] > 0)
