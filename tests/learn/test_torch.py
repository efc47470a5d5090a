"""The losses as modules of PyTorch: the same values and gradients, and networks right and wrong."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

import consistency_lab as lab
from consistency_lab.apps.learn import LOSSES
from consistency_lab.apps.learn.torch import StructureLoss

FILE = Path(__file__).parents[2] / "counterexamples" / "logistic-additive-3items-ca20d338.json"


def structure(name, rng, m):
    if LOSSES[name].takes == "scores":
        return rng.normal(size=m)
    return rng.random((m, m)) if LOSSES[name].nonnegative else rng.normal(size=(m, m))


@pytest.mark.parametrize("name", LOSSES)
def test_values_and_gradients_are_those_of_the_compiled_losses(name):
    rng = np.random.default_rng(0)
    module = StructureLoss(name, nu=0.75)
    for m in (2, 5):
        given, alpha, slope = structure(name, rng, m), 2 * rng.normal(size=m), np.zeros(m)
        if LOSSES[name].takes == "matrix":
            np.fill_diagonal(given, 0.0)
        value = LOSSES[name].kernel(given, alpha, slope, 0.75)
        scores = torch.tensor(alpha, requires_grad=True)
        found = module(scores, torch.tensor(given))
        found.backward()
        assert found.item() == pytest.approx(value, rel=1e-12)
        assert scores.grad.numpy() == pytest.approx(slope, abs=1e-12)


@pytest.mark.parametrize("name", LOSSES)
def test_of_a_batch_it_is_the_mean(name):
    rng = np.random.default_rng(1)
    scores = torch.tensor(rng.normal(size=(4, 3)))
    given = torch.tensor(np.array([structure(name, rng, 3) for _ in range(4)]))
    module = StructureLoss(name)
    alone = [module(one, of) for one, of in zip(scores, given, strict=True)]
    assert module(scores, given).item() == pytest.approx(torch.stack(alone).mean().item())


def trained(loss, seed):
    """The order in which a network of two layers puts the items of the witness, one feature each."""
    torch.manual_seed(seed)
    aggregate = lab.Witness.of(json.loads(FILE.read_text(encoding="utf-8"))).distribution.aggregate
    matrix = torch.tensor([[float(x) for x in row] for row in aggregate])
    network = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
    module, descent = StructureLoss(loss), torch.optim.Adam(network.parameters(), lr=0.02)
    for _ in range(300):
        descent.zero_grad()
        module(network(torch.eye(3))[:, 0], matrix).backward()
        descent.step()
    scores = network(torch.eye(3))[:, 0].detach().numpy()
    return tuple(np.argsort(-scores).tolist())


@pytest.mark.parametrize("seed", [0])
def test_a_network_learns_the_order_that_its_loss_prescribes(seed):
    # The order is 1, 2, 3; the witness proves that the logistic loss is least at scores with 3 above 2.
    assert trained("logistic", seed) == (0, 2, 1)
    assert trained("difference-logistic", seed) == (0, 1, 2)


@pytest.mark.parametrize("name", LOSSES)
def test_shapes_that_would_be_broadcast_are_refused(name):
    m = (3, 3) if LOSSES[name].takes == "matrix" else (3,)
    for scores, given in (((3, 1), m), ((2, 3), m), ((2, 3, 1), (2, *m)), ((3,), (3, *m))):
        with pytest.raises(lab.InputError, match=r"scores have shape .* and the structure .*; the loss"):
            StructureLoss(name)(torch.zeros(scores), torch.zeros(given))
