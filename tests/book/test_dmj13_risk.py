"""What the statements on risks compute: hulls, mean risks, conditions on growth, steps."""

from fractions import Fraction

from consistency_lab.apps.book.book import statement
from consistency_lab.apps.book.statement import Cases, tried
from consistency_lab.apps.book.statements import dmj13_risk
from consistency_lab.apps.book.statements.dmj10_section_2 import bent


def hull(values):
    n = range(len(values))
    chords = [
        [
            (values[i] * (j - k) + values[j] * (k - i)) / (j - i) if i < j else values[k]
            for i in n
            for j in n
            if i <= k <= j
        ]
        for k in n
    ]
    return [min(through) for through in chords]


def test_the_hull_of_h_is_above_the_bound_of_eq_4():
    """DMJ10 Eq. 4: it is at least (ε/2B) H(ε/2), for random H on a grid of regrets k/n."""

    def holds(rng, n):
        h = [Fraction(0)]
        while len(h) <= n:
            h.append(h[-1] + rng.choice((0, 1, 1, 9)) + Fraction(len(h) == 1, 5))
        return all(least >= Fraction(k, 2 * n) * h[(k + 1) // 2] for k, least in enumerate(hull(h)))

    assert tried(holds, (3, 6, 12), 8, 4) == Cases(24, 24)


def test_the_risks_of_a_sample_by_hand():
    sample = [(0, 0), (0, 1), (0, 1)]
    assert dmj13_risk.risk(sample, 2, dmj13_risk.squared_mean) == Fraction(1, 6)
    assert dmj13_risk.full(sample, dmj13_risk.squared_mean) == Fraction(1, 9)


def test_the_mean_over_all_samples_tells_a_wrong_share(monkeypatch):
    case = (3, 2, dmj13_risk.squared_mean)
    assert dmj13_risk.mean_risk(*case) == dmj13_risk.population(*case)
    right = dmj13_risk.risk
    monkeypatch.setattr(dmj13_risk, "risk", lambda sample, k, loss: right(sample, 1, loss))
    assert dmj13_risk.mean_risk(*case) != dmj13_risk.population(*case)
    assert statement("dmj13-u-statistic").check().outcome.value == "open"


def test_the_mean_iterate_by_hand():
    # One step from 0 with c = 1: (1/1)/(1 + 1) = 1/2 half of the time, else 0.
    assert dmj13_risk.mean_iterate(Fraction(1), 1) == 0
    assert dmj13_risk.mean_iterate(Fraction(1), 2) == Fraction(1, 8)


def test_a_bent_h_turns_the_preference_round():
    for h, value in (("a**2", 16), ("sqrt(a)", 2)):
        p = bent(h)
        (first, second), weights = p.probabilities, (4, 1)
        wanted = first * weights[0] - second * weights[1]
        assert wanted * (first * value - second) < 0
