"""DMJ10 Lemmas 7 and 16: the pairwise disagreement, and the reduction from feedback arc set."""

from fractions import Fraction
from itertools import combinations, permutations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from consistency_lab.apps.book.risk import any_differences, rational_scores, score_orders, with_differences
from consistency_lab.apps.book.statement import Cases, tried
from consistency_lab.apps.book.statements import dmj10_disagreement as feedback
from consistency_lab.apps.book.statements import dmj10_disagreement as lemma
from consistency_lab.apps.book.statements.dmj10_disagreement import least_feedback, topological_order
from consistency_lab.model.distribution import scores_loss
from consistency_lab.numbers.exact import LogRational
from consistency_lab.solve.optimal import optimal_orders


@pytest.mark.parametrize(
    ("arcs", "m", "size"),
    [
        ([(0, 1), (1, 2), (0, 2)], 3, 0),
        ([(0, 1), (1, 2), (2, 0)], 3, 1),
        (list(permutations(range(3), 2)), 3, 3),
        (list(permutations(range(4), 2)), 4, 6),
        # Two triangles with an arc in common: one arc is enough; without a common arc it takes two.
        ([(0, 1), (1, 2), (2, 0), (1, 3), (3, 0)], 4, 1),
        ([(0, 1), (1, 2), (2, 0), (0, 3), (3, 4), (4, 0)], 5, 2),
    ],
)
def test_known_feedback_arc_sets(arcs, m, size):
    assert len(least_feedback(arcs, m)) == size
    assert optimal_orders(lemma.reduction(tuple(arcs), m).aggregate).loss == size


def test_numbers_of_digraphs():
    # OEIS A053763 and A000273.
    assert [sum(1 for _ in feedback.digraphs(m)) for m in (1, 2, 3, 4)] == [1, 4, 64, 4096]
    assert [len(feedback.unlabeled_digraphs(m)) for m in (1, 2, 3, 4)] == [1, 3, 16, 218]


@st.composite
def questions(draw):
    m = draw(st.integers(2, 5))
    arcs = draw(st.sets(st.sampled_from(list(permutations(range(m), 2))), max_size=9))
    return tuple(sorted(arcs)), draw(st.lists(st.integers(0, 3), min_size=m, max_size=m))


@given(question=questions())
def test_scores_become_feedback_arc_sets_and_back(question):
    arcs, scores = question
    m = len(scores)
    p = lemma.reduction(arcs, m)
    back = lemma.charged(arcs, scores)
    order = topological_order([arc for arc in arcs if arc not in back], m)
    assert scores_loss(p.aggregate, rational_scores(scores)) == len(back)
    assert lemma.charged(arcs, [-order.index(i) for i in range(m)]) <= back


def test_each_arc_is_a_graph_of_its_own():
    p = lemma.reduction(((0, 1), (1, 2), (2, 0)), 3)
    assert p.probabilities == (Fraction(1, 3),) * 3
    assert [graph.edges for graph in p.graphs] == [((0, 1, 3),), ((1, 2, 3),), ((2, 0, 3),)]
    assert lemma.reduction((), 2).aggregate == ((0, 0), (0, 0))


def test_a_wrong_reduction_is_noticed(monkeypatch):
    def charged(arcs, scores):
        return frozenset((i, j) for i, j in arcs if scores[i] < scores[j])  # ties cost nothing

    assert lemma.agrees(((0, 1), (1, 0)), 2)
    monkeypatch.setattr(lemma, "charged", charged)
    assert not lemma.agrees(((0, 1), (1, 0)), 2)


def test_every_decision_is_the_same_at_random_digraphs():
    """Some alpha has l(p, alpha) <= k if and only if some feedback arc set has at most k arcs."""

    def holds(rng, size):
        m, count = size
        arcs = tuple(sorted(rng.sample(list(permutations(range(m), 2)), count)))
        p, least = lemma.reduction(arcs, m), least_feedback(arcs, m)
        best = optimal_orders(p.aggregate)
        order = next(best.orders(1))
        back = lemma.charged(arcs, [-order.index(i) for i in range(m)])
        acyclic = topological_order([arc for arc in arcs if arc not in back], m) is not None
        return acyclic and len(back) == best.loss == len(least)

    assert tried(holds, [(5, 9)] * 3 + [(6, 11)] * 2 + [(7, 12)], 10, 1972) == Cases(60, 60)


def test_least_feedback_is_least():
    arcs = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 1)]
    least = least_feedback(arcs, 4)
    for size in range(len(least)):
        for removed in combinations(arcs, size):
            assert topological_order([arc for arc in arcs if arc not in removed], 4) is None


def test_a_tie_is_charged_to_the_pair_that_runs_up_the_indices():
    assert lemma.eq_8(((Fraction(0), Fraction(3)), (Fraction(1), Fraction(0))), (0, 0)) == 3


def test_eq_8_is_the_target_loss():
    rng = Random(1)
    a = with_differences(any_differences(rng, 4), rng).aggregate
    for scores in score_orders(4):
        assert lemma.eq_8(a, scores) == scores_loss(a, [LogRational(Fraction(x)) for x in scores])
