"""Inverse search over labels: what it finds is exact, small and wrong; what is consistent has nothing."""

from fractions import Fraction
from functools import cache
from math import exp, log

import numpy as np
import pytest
from scipy.optimize import minimize

from consistency_lab.certify.labels import certify_labels
from consistency_lab.core.risk import Linear, LogSumExp
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.model.conditions import TASK_CONDITIONS
from consistency_lab.model.surrogates.tasks.atoms import (
    CrammerSinger,
    LeeLinWahba,
    ListMleSurrogate,
    PairsSurrogate,
    WestonWatkins,
)
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import named
from consistency_lab.search.atoms import label_scores, label_size
from consistency_lab.search.effort import Effort
from consistency_lab.search.labels import label_witnesses


def pairs(phi, weights="unit"):
    return PairsSurrogate(phi, named(phi).expression, weights)


@cache
def found(surrogate, task, name="any"):
    """All that a search finds, under a condition of this name."""
    return label_witnesses(surrogate, task, TASK_CONDITIONS[name], Effort(60))


INCONSISTENT = [
    # DMJ13: no loss of pairs alone is calibrated for NDCG, because Z(s) is that of the whole list.
    (pairs("logistic"), target("ndcg"), True),
    (pairs("logistic", "zhang-gain"), target("ndcg"), True),
    (pairs("hinge"), target("ndcg"), True),
    # DMJ10 Theorem 11 on graded labels.
    (pairs("logistic"), target("pairwise"), True),
    (pairs("logistic"), target("pairwise", labels="dags"), True),
    (pairs("logistic"), target("err"), True),
    (pairs("logistic"), target("map"), True),
    (ListMleSurrogate(), target("ndcg"), True),
    (ListMleSurrogate(), target("kendall"), True),
    # Zhang 2004; Tewari and Bartlett 2007: without a majority its minimizers tell nothing apart.
    (CrammerSinger(), target("zero-one"), False),
    # Liu 2007; Tewari and Bartlett 2007, Example 1.
    (WestonWatkins(), target("zero-one"), False),
]


@pytest.mark.parametrize(("surrogate", "task", "strict"), INCONSISTENT)
def test_known_inconsistencies_have_small_verified_witnesses(surrogate, task, strict):
    witness = found(surrogate, task)[0]
    assert certify_labels(witness) is not None
    assert witness.strict is strict
    assert len(witness.question.weights) <= 3
    assert sum(witness.question.weights.values()) == 1


CONSISTENT = [
    # DMJ13: Zhang's loss with phi convex, nonincreasing and differentiable, phi'(0) < 0; discount j keeps
    # 1/Z rational.
    (pairs("logistic", "zhang"), target("ndcg", discount="j")),
    (pairs("exponential", "zhang"), target("ndcg", discount="j", k=1)),
    # Where Z does not depend on the label the gains alone are as good.
    (pairs("logistic", "zhang-gain"), target("eru")),
    (pairs("logistic", "zhang-gain"), target("precision", k=2)),
    # Two items leave nothing to confuse in binary relevance.
    (pairs("logistic"), target("wta", items=2)),
    # Lee, Lin and Wahba 2004; Tewari and Bartlett 2007.
    (LeeLinWahba(), target("zero-one")),
]


@pytest.mark.long
@pytest.mark.parametrize(("surrogate", "task"), CONSISTENT)
def test_nothing_is_found_where_theorems_say_consistent(surrogate, task):
    assert found(surrogate, task) == []


@pytest.mark.parametrize("surrogate", [pairs("logistic"), ListMleSurrogate()])
def test_a_float_minimizer_agrees_with_the_exact_scores(surrogate):
    """These risks are strictly convex up to a shift at the witness, so their minimizer is the one found."""
    witness = found(surrogate, target("ndcg"))[0]

    def risk(u):
        total = 0.0
        for label, p in witness.question.weights.items():
            for atom in surrogate.atoms(witness.question.task, label):
                if isinstance(atom, Linear):
                    value = sum(float(c) * u[i] for i, c in atom.v)
                elif isinstance(atom, LogSumExp):
                    value = float(atom.c) * log(sum(exp(u[i]) for i in atom.over))
                else:
                    value = float(atom.c) * log(1 + exp(-sum(n * u[i] for i, n in atom.v)))
                total += float(p) * value
        return total

    u = minimize(risk, np.zeros(3), tol=1e-10).x
    assert u - u[-1] == pytest.approx([float(score) for score in witness.scores], abs=1e-4)


CONDITIONS = [
    (pairs("logistic"), target("ndcg"), "additive"),
    (pairs("logistic"), target("map"), "reinforce"),
    (ListMleSurrogate(), target("kendall"), "net-order"),
    (pairs("hinge"), target("wta"), "rank-differentiable"),
]


@pytest.mark.parametrize(("surrogate", "task", "name"), CONDITIONS)
def test_witnesses_fulfill_the_condition(surrogate, task, name):
    """The condition is recomputed from the distribution."""
    witness = found(surrogate, task, name)[0]
    assert witness.condition == name
    certified = certify_labels(witness)
    assert certified.verified.conditions == {witness.condition: True}
    assert witness.condition in certified.verified.recomputed


def test_the_smallest_comes_first_and_none_twice():
    witnesses = found(pairs("logistic"), target("ndcg"))
    sizes = [label_size(witness) for witness in witnesses]
    assert sizes == sorted(sizes)
    assert len({(tuple(w.question.weights.items()), w.scores) for w in witnesses}) == len(witnesses)


def test_two_items_show_that_ranknet_ignores_the_normalizer():
    """Lists (2, 1) are worth less than (0, 1) to NDCG, though their pairs weigh the same (DMJ13)."""
    witness = found(pairs("logistic"), target("ndcg", items=2))[0]
    assert witness.question.weights == {(0, 1): Fraction(2, 5), (2, 1): Fraction(3, 5)}
    assert witness.scores == (LogRational.parse("log(3/2)"), LogRational.parse("0"))
    assert (witness.prediction, witness.better) == ((0, 1), (1, 0))


@pytest.mark.long
def test_rank_differentiable_labels_help_the_logistic_loss():
    """Lan, Guo, Cheng and Liu 2012 introduce the condition for losses of pairs."""
    loss, task = pairs("logistic"), target("precision", k=2)
    assert found(loss, task)
    assert not found(loss, task, "rank-differentiable")


def test_without_a_grid_of_rational_slopes_nothing_is_searched():
    odd = PairsSurrogate("odd", named("exponential").expression + named("squared-hinge").expression)
    assert label_scores(odd.atoms(target("ndcg"), (1, 0, 0)), 3, True) == []
    assert label_witnesses(odd, target("ndcg")) == []
    assert label_witnesses(pairs("logistic"), target("ndcg"), effort=Effort(0)) == []
    assert not found(pairs("logistic"), target("mrr"), "independent")  # a condition without cones


def test_what_cannot_be_asked_is_refused():
    with pytest.raises(InputError, match="classes"):
        label_witnesses(CrammerSinger(), target("ndcg"))
    with pytest.raises(UnsupportedError, match="irrational"):
        label_witnesses(pairs("logistic", "zhang"), target("ndcg"))
