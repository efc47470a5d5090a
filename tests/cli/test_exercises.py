"""Sheets of exercises: each solution is computed again, by other means."""

from itertools import permutations

import mpmath
import pytest

import consistency_lab as lab
from consistency_lab.apps.explore.exercises import ON_SHEET, exercises

SLOPES = {"logistic": lambda x: -1 / (1 + mpmath.exp(x)), "exponential": lambda x: -mpmath.exp(-x)}


def beats(one, i, j):
    return one.counts[i][j] - one.counts[j][i]


def falling(scores):
    assert min(abs(scores[i] - scores[j]) for i, j in ((0, 1), (0, 2), (1, 2))) > 1e-9
    return tuple(sorted(range(3), key=lambda i: -scores[i]))


def learned(one, name, counts):
    """The order at the zero of the gradient, with 40 digits."""
    slope = SLOPES[name]

    def pull(i, u):
        others = [j for j in range(3) if j != i]
        return sum(counts[i][j] * slope(u[i] - u[j]) - counts[j][i] * slope(u[j] - u[i]) for j in others)

    with mpmath.workdps(40):
        x, y = mpmath.findroot(lambda x, y: [pull(i, [x, y, 0]) for i in (0, 1)], (0, 0))
        return falling([x, y, mpmath.mpf(0)])


@pytest.fixture(scope="module")
def sheet():
    return list(exercises(6, 5))


@pytest.mark.parametrize("number", range(6))
def test_each_solution_is_right(sheet, number):
    one = sheet[number]
    costs = {order: one.against(order) for order in permutations(range(3))}
    assert costs == {
        t: one.counts[t[1]][t[0]] + one.counts[t[2]][t[0]] + one.counts[t[2]][t[1]] for t in costs
    }
    assert [order for order in costs if costs[order] == min(costs.values())] == [one.best]
    leaders = [i for i in range(3) if all(beats(one, i, j) > 0 for j in range(3) if j != i)]
    assert [one.winner] == (leaders or [None])
    found = dict(zip(ON_SHEET, one.orders, strict=True))
    assert found["linear"] == falling([sum(beats(one, i, j) for j in range(3)) for i in range(3)])
    for name in SLOPES:
        assert found[name] == learned(one, name, [list(row) for row in one.counts])
    if leaders:  # no cycle, so that the scores fall apart in the order of the majorities
        assert found["difference-logistic"] == one.best
        assert all(beats(one, one.best[i], one.best[j]) > 0 for i, j in ((0, 1), (0, 2), (1, 2)))
    else:
        surplus = [[max(0, beats(one, i, j)) for j in range(3)] for i in range(3)]
        assert found["difference-logistic"] == learned(one, "logistic", surplus)


def test_what_is_called_wrong_is_certified(sheet):
    wrong = [
        (name, one) for one in sheet for name, t in zip(ON_SHEET, one.orders, strict=True) if t != one.best
    ]
    assert 3 <= len(wrong) <= 20
    for name, one in wrong:
        witness = lab.certify_at(lab.surrogate(name), lab.Distribution.from_aggregate(one.counts))
        assert witness.inconsistent
        assert witness.failure == "strict"


def test_a_seed_draws_the_same_sheet_and_fewer_are_its_first(sheet):
    assert list(exercises(3, 5)) == sheet[:3]
    assert next(exercises(1, 6)) != sheet[0]


def test_a_number_that_no_class_needs(refused):
    assert refused("exercises 0") == "number is 0; it must be a number from 1 to 60\n"


def test_a_sheet_in_latex_has_the_elections_of_the_text(cli, sheet):
    written = cli("exercises 2 --seed 5 --answers --format latex").out
    assert written.count(r"\item") == written.count(r"\begin{tabular}") == 2
    for one in sheet[:2]:
        assert rf"A &  & {one.counts[0][1]} & {one.counts[0][2]} \\" in written
        assert " ".join(one.solution()[0].split()).replace(">", "$>$") in written
    bare = cli("exercises 2 --seed 5 --format latex").out
    assert "beats both others." not in bare and bare.count(r"\item") == 2
