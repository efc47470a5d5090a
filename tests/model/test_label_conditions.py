"""Conditions on distributions of labels, by their definitions."""

from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from itertools import combinations, permutations, product

import pytest

from consistency_lab.model.conditions import CONDITIONS, TASK_CONDITIONS, conditions_of
from consistency_lab.model.surrogates.tasks.base import net
from consistency_lab.model.tasks.catalogue import target

RANKINGS, GRADES, BINARY = target("kendall"), target("pairwise"), target("map")
DAGS = target("pairwise", labels="dags")

# --- On the differences d_ij = a_ij - a_ji ---------------------------------------------------------------


def additive(d):
    """d_ij = y_i - y_j for some y, that is, d_ij = d_i1 - d_j1."""
    return all(x == line[0] - other[0] for line in d for x, other in zip(line, d, strict=True))


def low_noise(d):
    """DMJ10 Definition 8: edges i → j and j → k imply d_ik >= d_ij + d_jk."""
    triples = permutations(range(len(d)), 3)
    return all(d[i][k] >= d[i][j] + d[j][k] for i, j, k in triples if d[i][j] > 0 and d[j][k] > 0)


def rows_in_order(d):
    """docs/theory.md, Designs: an edge i → j implies d_ik >= d_jk for every other k."""
    return all(d[i][k] >= d[j][k] for i, j, k in permutations(range(len(d)), 3) if d[i][j] > 0)


def net_order(d):
    """DMJ10 Eq. 16: an edge i → k implies sum_j d_ij > sum_j d_kj."""
    nets = [sum(line) for line in d]
    return all(nets[i] > nets[k] for i, k in permutations(range(len(d)), 2) if d[i][k] > 0)


def acyclic(d):
    edges = {i: [j for j, x in enumerate(line) if x > 0] for i, line in enumerate(d)}
    try:
        TopologicalSorter(edges).prepare()
    except CycleError:
        return False
    return True


ON_DIFFERENCES = {
    "additive": additive,
    "low-noise": low_noise,
    "row-dominated": rows_in_order,
    "net-order": net_order,
    "acyclic": acyclic,
    "any": lambda d: True,
}


def antisymmetric(m, upper):
    """The difference matrix with these entries above the diagonal."""
    d = [[0] * m for _ in range(m)]
    for (i, j), x in zip(combinations(range(m), 2), upper, strict=True):
        d[i][j], d[j][i] = x, -x
    return d


def test_conditions_on_small_matrices():
    """All of three items with entries up to 2, and of four items with entries up to 1."""
    for m, largest in ((3, 2), (4, 1)):
        for upper in product(range(-largest, largest + 1), repeat=m * (m - 1) // 2):
            d = antisymmetric(m, upper)
            found = conditions_of(d)
            assert {name: test(d) for name, test in ON_DIFFERENCES.items()} == {
                name: found[name] for name in ON_DIFFERENCES
            }


# --- On labels -------------------------------------------------------------------------------------------


def pairs_of(task, label):
    return {(i, j) for i, j, _ in task.space.preferences(label)}


def differences(task, p):
    a, items = task.space.aggregate(p), range(task.space.m)
    return [[a[i][j] - a[j][i] for j in items] for i in items]


def p_f(task, p):
    """RAT13 Theorem 6: d_ij > 0 implies E f_i > E f_j, here with the net preferences for f."""
    d, items = differences(task, p), range(task.space.m)
    mean = [sum(w * net(task, y)[i] for y, w in p.items()) for i in items]
    return all(mean[i] > mean[j] for i, j in permutations(items, 2) if d[i][j] > 0)


def reinforce(task, p):
    """RAT13 §6: u_ii >= u_jj implies u_ii >= u_jj + sum_k (u_jk - u_ik)_+ over k other than i and j."""
    items = range(task.space.m)
    u = [[sum(w * Fraction(y[i] * y[j], sum(y) or 1) for y, w in p.items()) for j in items] for i in items]
    return all(
        u[i][i] >= u[j][j] + sum(max(u[j][k] - u[i][k], 0) for k in items if k not in (i, j))
        for i, j in permutations(items, 2)
        if u[i][i] >= u[j][j]
    )


def independent(task, p):
    """P(y) is the product of the probabilities of its grades; so on the support, and then everywhere."""
    for label, weight in p.items():
        chance = Fraction(1)
        for i, grade in enumerate(label):
            chance *= sum(w for y, w in p.items() if y[i] == grade)
        if chance != weight:
            return False
    return True


def exchanging(right):
    """Whether in some order of the items P(y) - P(y with i, j exchanged) is right for its pairs i, j."""

    def test(task, p):
        space, none = task.space, Fraction(0)

        def good(i, j):
            swap = list(range(space.m))
            swap[i], swap[j] = j, i
            preferring = [y for y in space.labels if (i, j) in pairs_of(task, y)]
            return right([p.get(y, none) - p.get(space.relabeled(y, swap), none) for y in preferring])

        fine = {pair for pair in permutations(range(space.m), 2) if good(*pair)}
        return any(fine >= set(combinations(order, 2)) for order in permutations(range(space.m)))

    return test


ON_LABELS = {
    "p-f": p_f,
    "reinforce": reinforce,
    "order-preserving": exchanging(lambda drops: min(drops) > 0),  # Xia et al. 2008
    "rank-differentiable": exchanging(lambda drops: min(drops) >= 0 and max(drops) > 0),  # Lan et al. 2012
    "independent": independent,
}


def by_definition(name, task, p):
    if name in ON_LABELS:
        return ON_LABELS[name](task, p)
    return ON_DIFFERENCES[name](differences(task, p))


def p(**probabilities):
    """From keywords such as y21="3/5": the digits are the label."""
    return {tuple(int(digit) for digit in word[1:]): Fraction(x) for word, x in probabilities.items()}


# Strengths 3, 2, 1: order-preserving (Xia et al. 2008).
PLACKETT_LUCE = p(y012="1/3", y021="1/6", y102="1/4", y120="1/12", y201="1/10", y210="1/15")


@pytest.mark.parametrize(
    ("task", "name", "weights", "expected"),
    [
        (RANKINGS, "order-preserving", PLACKETT_LUCE, True),
        (RANKINGS, "rank-differentiable", PLACKETT_LUCE, True),
        (RANKINGS, "order-preserving", p(y012="1"), False),
        (RANKINGS, "rank-differentiable", p(y012="1"), True),
        (RANKINGS, "rank-differentiable", p(y012="1/2", y210="1/2"), False),
        (RANKINGS, "rank-differentiable", p(y012="2/3", y210="1/3"), False),
        (GRADES, "independent", p(y000="1/2", y100="1/2"), True),
        (GRADES, "independent", p(y000="1/2", y110="1/2"), False),
        (GRADES, "independent", p(y000="1/4", y010="1/4", y200="1/4", y210="1/4"), True),
        (BINARY, "reinforce", p(y100="1/2", y010="1/4", y001="1/4"), True),
        # u_22 = 2/5 > 3/10 = u_11, but item 1 gains 3/10 more from item 3 (RAT13 §6).
        (BINARY, "reinforce", p(y010="2/5", y101="3/5"), False),
        (DAGS, "acyclic", p(y01="1/3", y12="1/3", y20="1/3"), False),
        (DAGS, "low-noise", p(y01="1/2", y12="1/2"), False),
        (DAGS, "low-noise", p(y01="1/4", y12="1/4", y02="1/2"), True),
        (DAGS, "additive", p(y01="1/4", y12="1/4", y02="1/2"), True),
        (DAGS, "net-order", p(y01="1/2", y12="1/2"), True),
        (DAGS, "net-order", p(y01="1/6", y12="5/6"), False),  # the nets are 1/6, 4/6 and -5/6
    ],
)
def test_known_examples(task, name, weights, expected):
    assert TASK_CONDITIONS[name].holds_for(task.space, weights, lambda y: net(task, y)) is expected
    assert by_definition(name, task, weights) is expected


@pytest.mark.parametrize(
    "task", [RANKINGS, GRADES, DAGS, BINARY], ids=["rankings", "grades", "dags", "binary"]
)
def test_conditions_of_labels(task):
    """On every distribution of small whole weights on a few labels."""
    chosen = task.space.labels[1 :: max(1, len(task.space.labels) // 4)][:4]
    fitting = [name for name in ON_LABELS if not TASK_CONDITIONS[name].fits(task.space)]
    seen = set()
    for counts in product(range(3), repeat=len(chosen)):
        if not any(counts):
            continue
        weights = {y: Fraction(n, sum(counts)) for y, n in zip(chosen, counts, strict=True) if n}
        for name in (*fitting, "net-order"):
            found = TASK_CONDITIONS[name].holds_for(task.space, weights, lambda y: net(task, y))
            assert found is by_definition(name, task, weights), (name, weights)
            seen.add((name, found))
    assert len(seen) > len(fitting)


def test_every_condition_is_compared():
    assert set(ON_DIFFERENCES) <= set(CONDITIONS)
    assert set(ON_DIFFERENCES) | set(ON_LABELS) <= set(TASK_CONDITIONS)
