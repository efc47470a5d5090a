"""Each loss: its value, its gradient, and the same loss as the engine of verdicts defines it."""

import re

import numpy as np
import pytest

from consistency_lab import Distribution, InputError, minimize, surrogate, task_surrogate
from consistency_lab import target as lab_target
from consistency_lab.apps.learn import LOSSES
from consistency_lab.apps.learn.aggregate import AverageAdjacency, BTLLogOdds
from consistency_lab.apps.learn.losses import loss_of
from consistency_lab.solve.numeric import compiled

NU = 0.75


def target(name, seed, m=4):
    """A random structure that the loss can be taken of."""
    rng = np.random.default_rng(seed)
    if LOSSES[name].takes == "scores":
        return rng.normal(size=m)
    matrix = rng.random((m, m)) if LOSSES[name].nonnegative else rng.normal(size=(m, m))
    np.fill_diagonal(matrix, 0.0)
    return matrix


def at(name, structure, alpha):
    slope = np.zeros(alpha.size)
    return LOSSES[name].kernel(structure, alpha, slope, NU), slope


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", LOSSES)
def test_the_gradient_is_that_of_the_value(name, seed):
    structure, alpha = target(name, seed), np.random.default_rng(100 + seed).normal(size=4)
    _, slope = at(name, structure, alpha)
    h = 1e-6
    for i, step in enumerate(h * np.eye(4)):
        difference = (at(name, structure, alpha + step)[0] - at(name, structure, alpha - step)[0]) / (2 * h)
        assert slope[i] == pytest.approx(difference, abs=1e-8)


@pytest.mark.parametrize("name", ["hinge", "difference-hinge"])
def test_at_a_kink_the_slope_is_a_subgradient(name):
    structure, alpha = target(name, 0, 2), np.array([1.0, 0.0])
    value, slope = at(name, structure, alpha)
    for other in np.random.default_rng(1).normal(size=(50, 2)):
        assert at(name, structure, other)[0] >= value + slope @ (other - alpha) - 1e-12


def test_a_gradient_is_added_to_what_is_there():
    for name in LOSSES:
        structure, alpha = target(name, 3), np.arange(4.0)
        slope = np.ones(4)
        LOSSES[name].kernel(structure, alpha, slope, NU)
        assert slope == pytest.approx(1.0 + at(name, structure, alpha)[1])


@pytest.mark.parametrize("name", ["hinge", "logistic", "linear", "difference-logistic", "difference-hinge"])
def test_it_is_the_surrogate_of_which_verdicts_speak(name):
    wins = [[0, 3, 8], [0, 0, 1], [4, 2, 0]]
    asked = surrogate("linear", nu="3/4") if name == "linear" else surrogate(name)
    terms = asked.risk_terms(Distribution.from_aggregate(wins))
    for alpha in np.random.default_rng(0).normal(size=(5, 3)):
        value = 0.0
        for term in terms:
            x = sum(direction * alpha[item] for item, direction in term.v)
            value += float(term.c) * float(compiled(term.phi)(np.array([x]))[0][0])
        assert at(name, np.array(wins, float), alpha)[0] == pytest.approx(value)


@pytest.mark.parametrize("name", ["logistic", "difference-logistic"])
def test_the_minimizer_that_the_engine_finds_has_gradient_0(name):
    wins = [[0, 3, 8], [1, 0, 1], [4, 2, 0]] if name == "logistic" else [[0, 3, 0], [1, 0, 2], [2, 0, 0]]
    scores = np.array(minimize(name, Distribution.from_aggregate(wins)).scores)
    assert at(name, np.array(wins, float), scores)[1] == pytest.approx(np.zeros(3), abs=1e-8)


def test_closed_minimizers():
    wins, scores = np.array([[0.0, 3.0], [1.0, 0.0]]), np.array([0.4, -1.0, 2.0])
    # DMJ10 Eq. 15: alpha_i = sum_j d_ij / nu.
    assert at("linear", wins, np.array([2.0, -2.0]) / NU)[1] == pytest.approx([0.0, 0.0])
    assert at("regression", scores, scores) == (0.0, pytest.approx(np.zeros(3)))
    # Softmax has the minimizers s + constant, and the entropy of softmax(s) as its least value.
    p = np.exp(scores) / np.exp(scores).sum()
    value, slope = at("softmax", scores, scores + 5.0)
    assert value == pytest.approx(-(p * np.log(p)).sum())
    assert slope == pytest.approx(np.zeros(3), abs=1e-15)


def test_large_scores_neither_overflow_nor_lose_the_slope():
    alpha = np.array([800.0, 0.0])
    wrong = np.array([[0.0, 0.0], [1.0, 0.0]])
    for name in ("logistic", "difference-logistic"):
        assert at(name, wrong, alpha) == (800.0, pytest.approx([1.0, -1.0]))
        assert at(name, np.ascontiguousarray(wrong.T), alpha)[0] == 0.0
    value, slope = at("softmax", np.array([0.0, 0.0]), alpha)
    assert value == pytest.approx(400.0)
    assert slope == pytest.approx([0.5, -0.5])


def test_a_loss_of_pairs_lets_items_alone_that_are_not_in_the_structure():
    alpha = np.array([1.0, -1.0, 5.0])
    for name in ("hinge", "logistic", "difference-logistic", "difference-hinge"):
        part, whole = np.array([[0.0, 2.0], [1.0, 0.0]]), np.zeros((3, 3))
        whole[:2, :2] = part
        value, slope = at(name, whole, alpha)
        assert at(name, part, alpha) == (value, pytest.approx(slope))
        assert slope[2] == 0.0
    assert at("linear", np.zeros((2, 2)), alpha)[0] == pytest.approx(NU * 27 / 2)


def test_which_structure_a_loss_is_taken_of():
    assert loss_of("logistic")[1] == AverageAdjacency()
    assert loss_of("difference-logistic")[1] == BTLLogOdds(c=1)
    assert loss_of("regression", AverageAdjacency())[1] == AverageAdjacency()


@pytest.mark.parametrize(
    ("name", "structure", "message"),
    [
        ("logistik", None, "there is no loss 'logistik'; did you mean 'logistic'?"),
        (3, None, "there is no loss '3'; they are hinge, logistic, linear, difference-logistic"),
        ("hinge", BTLLogOdds(), "it needs the structure AverageAdjacency(), got BTLLogOdds(c=1.0)"),
        ("regression", "borda", "the structure is 'borda'; it must be one of consistency_lab.apps.learn"),
    ],
)
def test_what_cannot_be_asked(name, structure, message):
    with pytest.raises(InputError, match=re.escape(message)):
        loss_of(name, structure)


def test_the_softmax_is_listnet():
    # Cao, Qin, Liu, Tsai and Li 2007: P = exp(grades), normalized.
    grades = (0, 2, 1)
    weights = [float(x) for x in task_surrogate("listnet").features(lab_target("ndcg"), grades)]
    alpha = np.array([0.3, -1.0, 2.0])
    log_q = alpha - np.log(np.exp(alpha).sum())
    assert at("softmax", np.array(grades, float), alpha)[0] == pytest.approx(-np.dot(weights, log_q))
