"""The losses that a ranker can minimize: value and (sub)gradient in the scores, in machine code.

All formulas stand in this file, for a change is noticed only there. A kernel has the signature
``(structure, alpha, slope, nu) -> value``; it adds the gradient to `slope`. A loss of pairs may be given a
structure of the first t items only: then the others were not compared.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal

import numpy as np

from consistency_lab.apps.learn.aggregate import AverageAdjacency, BTLLogOdds, Structure
from consistency_lab.errors import InputError, did_you_mean
from consistency_lab.frozen import frozen
from consistency_lab.numbers.arrays import Floats
from consistency_lab.numbers.compiling import entry, inlined


@inlined
def _logistic(x: float) -> tuple[float, float]:
    """log(1 + e^-x) and its slope."""
    decay = np.exp(-abs(x))
    value = np.log1p(decay) + max(0.0, -x)
    return value, -(decay if x >= 0.0 else 1.0) / (1.0 + decay)


@inlined
def _hinge(x: float) -> tuple[float, float]:
    """max(0, 1 - x) and its slope, -1/2 at the kink."""
    return max(0.0, 1.0 - x), -1.0 if x < 1.0 else (0.0 if x > 1.0 else -0.5)


@inlined
def _of_pairs(structure: Floats, alpha: Floats, slope: Floats, back: float, hinged: bool) -> float:
    """sum_ij [s_ij - back s_ji]_+ phi(alpha_i - alpha_j), phi the hinge or the logistic function."""
    total = 0.0
    for i in range(structure.shape[0]):
        for j in range(structure.shape[0]):
            weight = structure[i, j] - back * structure[j, i]
            if weight > 0.0:
                x = alpha[i] - alpha[j]
                value, down = _hinge(x) if hinged else _logistic(x)
                total += weight * value
                slope[i] += weight * down
                slope[j] -= weight * down
    return total


@entry
def hinge(structure: Floats, alpha: Floats, slope: Floats, nu: float) -> float:
    """sum_ij a_ij max(0, 1 - alpha_i + alpha_j)."""
    return _of_pairs(structure, alpha, slope, 0.0, True)


@entry
def logistic(structure: Floats, alpha: Floats, slope: Floats, nu: float) -> float:
    """sum_ij a_ij log(1 + exp(alpha_j - alpha_i))."""
    return _of_pairs(structure, alpha, slope, 0.0, False)


@entry
def difference_hinge(structure: Floats, alpha: Floats, slope: Floats, nu: float) -> float:
    """sum_ij [s_ij - s_ji]_+ max(0, 1 - alpha_i + alpha_j)."""
    return _of_pairs(structure, alpha, slope, 1.0, True)


@entry
def difference_logistic(structure: Floats, alpha: Floats, slope: Floats, nu: float) -> float:
    """sum_ij [s_ij - s_ji]_+ log(1 + exp(alpha_j - alpha_i))."""
    return _of_pairs(structure, alpha, slope, 1.0, False)


@entry
def linear(structure: Floats, alpha: Floats, slope: Floats, nu: float) -> float:
    """sum_ij s_ij (alpha_j - alpha_i) + nu sum_i alpha_i^2 / 2."""
    total = 0.0
    for i in range(structure.shape[0]):
        for j in range(i):
            weight = structure[i, j] - structure[j, i]
            total += weight * (alpha[j] - alpha[i])
            slope[i] -= weight
            slope[j] += weight
    for i in range(alpha.size):
        total += 0.5 * nu * alpha[i] * alpha[i]
        slope[i] += nu * alpha[i]
    return total


@entry
def regression(structure: Floats, alpha: Floats, slope: Floats, nu: float) -> float:
    """sum_i (alpha_i - s_i)^2 / (2m)."""
    total = 0.0
    for i in range(alpha.size):
        off = alpha[i] - structure[i]
        total += 0.5 * off * off / alpha.size
        slope[i] += off / alpha.size
    return total


@entry
def softmax(structure: Floats, alpha: Floats, slope: Floats, nu: float) -> float:
    """- sum_i p_i log q_i with p the softmax of s and q that of alpha."""
    top, peak = np.max(structure), np.max(alpha)
    mass, sum_given, total = 0.0, 0.0, 0.0
    for i in range(alpha.size):
        mass += np.exp(structure[i] - top)
        sum_given += np.exp(alpha[i] - peak)
    for i in range(alpha.size):
        p = np.exp(structure[i] - top) / mass
        total += p * (peak + np.log(sum_given) - alpha[i])
        slope[i] += np.exp(alpha[i] - peak) / sum_given - p
    return total


@frozen
class Loss:
    """The properties of one loss."""

    takes: Literal["matrix", "scores"]  #: Whether its kernel takes a matrix of pairs or scores of items.
    kernel: Callable[..., Any]  #: Value and gradient.
    structure: Structure  #: The default structure.
    #: A bound of the second derivative of its scalar loss: of each pair, or m times that of each score. Only
    #: the size of the first steps rests on it; the hinge has that of a kink which is a unit wide.
    curvature: float
    #: Its formula and its source.
    formula: str
    citation: str
    #: Whether it needs weights of at least 0, hence the average adjacency.
    nonnegative: bool = False
    every_item: bool = False  #: Whether items that were not compared count too.

    @property
    def name(self) -> str:
        """Its name on the command line."""
        return self.kernel.__name__.replace("_", "-")


_KINK, _BEND = "max(0, 1 − α_i + α_j)", "log(1 + exp(α_j − α_i))"
_MEAN, _ODDS = AverageAdjacency(), BTLLogOdds(c=1)
_ROWS: Final = (
    Loss("matrix", hinge, _MEAN, 1.0, f"Σ a_ij {_KINK}", "DMJ10 §4", nonnegative=True),
    Loss("matrix", logistic, _MEAN, 0.25, f"Σ a_ij {_BEND}", "DMJ10 §4", nonnegative=True),
    Loss("matrix", linear, _MEAN, 0.0, "Σ s_ij (α_j − α_i) + ν Σ α_i²/2", "DMJ10 Eq. 14", every_item=True),
    Loss("matrix", difference_logistic, _ODDS, 0.25, f"Σ [s_ij − s_ji]₊ {_BEND}", "DMJ13 §5.3"),
    Loss("matrix", difference_hinge, _ODDS, 1.0, f"Σ [s_ij − s_ji]₊ {_KINK}", "DMJ13 §5.3"),
    Loss("scores", regression, _ODDS, 1.0, "Σ (α_i − s_i)²/(2m)", "DMJ13 §6", every_item=True),
    Loss(
        "scores",
        softmax,
        _ODDS,
        1.0,
        "−Σ p_i log q_i, p = softmax(s), q = softmax(α)",
        "Cao and others 2007 (ListNet)",
        every_item=True,
    ),
)
LOSSES: Final[Mapping[str, Loss]] = MappingProxyType({loss.name: loss for loss in _ROWS})
"""The losses by name."""


def loss_of(name: object, structure: object = None) -> tuple[Loss, Structure]:
    """A loss by its name, with its structure."""
    loss = LOSSES.get(name) if isinstance(name, str) else None
    if loss is None:
        hint = did_you_mean(str(name), LOSSES, "they are")
        raise InputError(f"there is no loss {str(name)[:40]!r}; {hint}")
    chosen = loss.structure if structure is None else structure
    if not isinstance(chosen, Structure):
        raise InputError(
            f"the structure is {chosen!r}; it must be one of consistency_lab.apps.learn.aggregate, or None"
        )
    if loss.nonnegative and type(chosen) is not AverageAdjacency:
        raise InputError(
            f"the loss {name} weights each preference separately, so it needs the structure "
            f"AverageAdjacency(), got {chosen!r}; use difference-{name} with that structure"
        )
    return loss, chosen
