"""Gradient fields agree with the libraries, and with losses where there are some."""

from math import exp, log

import numpy as np
import pytest

from consistency_lab.errors import InputError
from consistency_lab.model.surrogates.tasks.fields import FIELDS, LOSS_FIELDS, expected_shares, field
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.numbers.exact import enclose, working_precision
from consistency_lab.numbers.tape import as_ball
from tests.gradients import curvature, floats, gradient

THREE = ((0, 2, 1), (0.9, 0.4, -0.3))
FOUR = ((3, 0, 1, 1), (-0.2, 0.7, 0.1, 0.4))

BINARY = ((0, 1, 0, 1), (0.8, 0.3, 0.5, -0.6))
TIED = ((4, 4, 4, 2), (0.103, 0.168, 1.274, 1.813))
PLAIN, APART = {"lambdarank_normalization": False}, {"lambdarank_score_normalization": False}
ONE, TWO = ({"lambdarank_num_pair_per_sample": n} for n in (1, 2))
GRADES, MEAN = {"ndcg_exp_gain": False}, {"lambdarank_pair_method": "mean"}
STEEP = {"lambdarank_norm": False, "sigmoid": 2, "lambdarank_truncation_level": 1}
GAINS = {"label_gain": [0, 1, 2, 4]}

# Gradients that one boosting step of XGBoost 3.2.0 and LightGBM 4.7.0 revealed: a stump on the indicator of
# each item, many copies of the query, leaf values -g/(h + lambda) for two lambdas. LightGBM reads its sigmoid
# from a table of a million bins; rank_xendcg is the mean of 100,000 queries.
MEASURED = [
    ("xgboost:rank:pairwise", {}, THREE, (0.997417, -0.907222, -0.090195), 1e-6),
    ("xgboost:rank:pairwise", PLAIN, THREE, (1.855653, -1.687850, -0.167803), 1e-6),
    ("xgboost:rank:pairwise", APART | ONE, THREE, (0.959569, -0.429403, -0.530166), 1e-6),
    ("xgboost:rank:ndcg", {}, FOUR, (-0.550436, 0.461896, 0.025784, 0.062756), 1e-6),
    ("xgboost:rank:ndcg", GRADES | TWO, FOUR, (-0.413844, 0.599598, -0.124562, -0.061192), 1e-6),
    ("xgboost:rank:map", {}, BINARY, (0.515402, -0.500303, 0.264822, -0.279921), 2e-6),
    ("lightgbm:lambdarank", {}, FOUR, (-0.550439, 0.461898, 0.025785, 0.062755), 1e-5),
    ("lightgbm:lambdarank", STEEP, FOUR, (-0.977130, 1.155004, -0.109789, -0.068084), 1e-5),
    ("lightgbm:lambdarank", GAINS, FOUR, (-0.473996, 0.506473, -0.024347, -0.008130), 1e-5),
    ("lightgbm:rank_xendcg", {}, THREE, (0.351281, -0.259033, -0.092248), 1e-3),
    ("xgboost:rank:ndcg", MEAN | TWO, TIED, (-0.134859, -0.121837, -0.204275, 0.460970), 2e-6),
]

SHIPPED = list(FIELDS.values())


def labels_for(entry):
    return [(0, 1, 1, 0), (1, 0, 0, 1), (0, 0, 1, 0)] if entry.highest == 1 else [(0, 2, 1, 1), (4, 0, 3, 1)]


@pytest.mark.parametrize(("name", "parameters", "at", "measured", "tolerance"), MEASURED)
def test_gradients_are_those_of_the_libraries(name, parameters, at, measured, tolerance):
    label, scores = at
    found = gradient(field(name, **parameters), label, np.array(scores))
    assert np.abs(found - measured).max() < tolerance


@pytest.mark.parametrize("entry", SHIPPED, ids=lambda entry: entry.name)
def test_gradients_add_up_to_zero_and_do_not_see_a_shift(entry):
    scores = np.random.default_rng(1).uniform(-2, 2, (20, 4))
    for label in labels_for(entry):
        found = gradient(entry, label, scores)
        assert np.abs(found.sum(axis=1)).max() < 1e-12
        assert np.abs(found - gradient(entry, label, scores + 1)).max() < 1e-9


def test_without_normalizations_rank_pairwise_is_ranknet():
    """Boosting divides each item's gradient by its own second derivative, of which there is no other part."""
    plain = field("xgboost:rank:pairwise", **PLAIN, **APART)
    u, label, steps = np.array([0.3, -0.8, 1.1]), (2, 0, 1), 1e-6 * np.eye(3)
    pairs = [(i, j) for i in range(3) for j in range(3) if label[i] > label[j]]

    def loss(scores):  # Burges et al. 2005
        return sum(log(1 + exp(scores[j] - scores[i])) for i, j in pairs)

    slopes = [(loss(u + h) - loss(u - h)) / 2e-6 for h in steps]
    assert np.abs(gradient(plain, label, u) - slopes).max() < 1e-8
    piece = plain.piece(label, (2, 0, 1))
    bends = [((floats(piece, u + h) - floats(piece, u - h)) / 2e-6)[i] for i, h in enumerate(steps)]
    assert np.abs(curvature(piece, u) - bends).max() < 1e-8


def test_the_curvature_of_xendcg_is_that_of_the_softmax_and_of_a_loss_1():
    u = np.log(np.array([1.0, 2.0, 5.0]))
    found = curvature(field("lightgbm:rank_xendcg").piece((0, 2, 1), (2, 1, 0)), u)
    assert np.abs(found - [7 / 64, 12 / 64, 15 / 64]).max() < 1e-12
    piece = field("tf-ranking:approx_ndcg_loss").piece((0, 2, 1), (2, 1, 0))
    assert curvature(piece, u).tolist() == [1, 1, 1]


def slopes_are_symmetric(entry):
    """By balls in the first two scores of three: the last slopes follow, as no field sees a shift."""
    first, second = entry.piece((0, 2, 1), (0, 1, 2)).program(3).run([enclose(3), enclose(2)])
    return first.slopes[1].overlaps(second.slopes[0])


@pytest.mark.parametrize(
    "name", ["xgboost:rank:pairwise", "xgboost:rank:ndcg", "lightgbm:lambdarank", "lightgbm:rank_xendcg"]
)
def test_what_is_the_gradient_of_no_loss(name):
    """By the rescaling by the own forces; by the terms of a Newton step."""
    assert not slopes_are_symmetric(field(name))


@pytest.mark.parametrize(
    "entry",
    [*LOSS_FIELDS, field("xgboost:rank:pairwise", lambdarank_normalization=False)],
    ids=lambda entry: entry.name,
)
def test_what_is_the_gradient_of_a_loss(entry):
    """The division by the distance alone still has one."""
    assert slopes_are_symmetric(entry)


@pytest.mark.parametrize("label", [(0, 0, 0), (1, 0), (4, 0, 2, 1, 4), (30, 0, 3)])
def test_expected_shares_are_positive_and_add_up_to_one(label):
    """To many digits, though those of large grades cancel."""
    with working_precision(256):
        shares = [as_ball(share) for share in expected_shares(label)]
        assert all(share > 0 and share.rad() < 1e-60 for share in shares)
        assert abs(sum(shares) - 1) < 1e-60


def test_expected_shares_are_the_mean_over_the_random_numbers():
    """By Gauss-Legendre quadrature over the three uniform numbers."""
    nodes, weights = np.polynomial.legendre.leggauss(20)
    nodes, weights = (nodes + 1) / 2, weights / 2
    x = np.stack(np.meshgrid(3 + nodes, nodes, 1 + nodes, indexing="ij"))
    mean = np.einsum("kabc,a,b,c->k", x / x.sum(axis=0), weights, weights, weights)
    assert [float(share) for share in expected_shares((2, 0, 1))] == pytest.approx(mean, abs=1e-12)


def test_what_a_witness_says_of_a_field():
    assert field("xgboost:rank:pairwise", lambdarank_normalization=False).describe() == {
        "family": "field",
        "name": "xgboost:rank:pairwise",
        "library": "xgboost",
        "objective": "rank:pairwise",
        "lambdarank_pair_method": "topk",
        "lambdarank_num_pair_per_sample": 32,
        "lambdarank_normalization": False,
        "lambdarank_score_normalization": True,
    }


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("xgboost:rank:pair", {}, "did you mean 'xgboost:rank:pairwise'"),
        ("xgboost:rank:map", {"sigmoid": "1"}, "has no parameter 'sigmoid'"),
        ("xgboost:rank:map", {"lambdarank_normalization": 1}, "must be true or false"),
        ("xgboost:rank:map", {"lambdarank_num_pair_per_sample": 0}, "must be a positive integer"),
        ("xgboost:rank:map", {"lambdarank_pair_method": "all"}, "must be 'topk' or 'mean'"),
        ("lightgbm:lambdarank", {"sigmoid": "0"}, "must be a positive rational"),
        ("lightgbm:lambdarank", {"label_gain": [1, 0]}, "do not fall"),
    ],
)
def test_wrong_parameters(name, parameters, message):
    with pytest.raises(InputError, match=message):
        field(name, **parameters)


@pytest.mark.parametrize(
    ("entry", "task", "message"),
    [
        (field("xgboost:rank:map"), target("ndcg"), "takes grades up to 1"),
        (field("lightgbm:lambdarank", label_gain=[0, 1]), target("ndcg"), "takes grades up to 1"),
        (field("xgboost:rank:ndcg"), target("kendall"), "needs graded labels"),
    ],
)
def test_labels_that_do_not_fit(entry, task, message):
    with pytest.raises(InputError, match=message):
        entry.check(task)
