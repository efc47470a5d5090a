"""The losses of `LOSSES` as PyTorch modules, to train a network with.

Their formulas are written again here for batches and automatic differentiation; tests compare both.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, final

from consistency_lab.apps.learn.losses import Loss, loss_of
from consistency_lab.errors import InputError, need
from consistency_lab.model.checked import checked

need("torch", "a loss as a module")

from torch import Tensor  # noqa: E402
from torch.nn import Module  # noqa: E402
from torch.nn.functional import log_softmax, relu, softmax, softplus  # noqa: E402


def _ahead(alpha: Tensor) -> Tensor:
    """alpha_i - alpha_j, shape (..., m, m)."""
    return alpha.unsqueeze(-1) - alpha.unsqueeze(-2)


def _of_pairs(weights: Tensor, values: Tensor) -> Tensor:
    return (weights * values).sum((-2, -1))


def _hinge(alpha: Tensor, structure: Tensor, nu: float) -> Tensor:
    return _of_pairs(structure, relu(1.0 - _ahead(alpha)))


def _logistic(alpha: Tensor, structure: Tensor, nu: float) -> Tensor:
    return _of_pairs(structure, softplus(-_ahead(alpha)))


def _linear(alpha: Tensor, structure: Tensor, nu: float) -> Tensor:
    return nu / 2.0 * (alpha * alpha).sum(-1) - _of_pairs(structure, _ahead(alpha))


def _difference(structure: Tensor) -> Tensor:
    """The weights of the difference graph: [s_ij - s_ji]_+."""
    return relu(structure - structure.transpose(-2, -1))


def _regression(alpha: Tensor, structure: Tensor, nu: float) -> Tensor:
    return ((alpha - structure) ** 2).mean(-1) / 2.0


def _softmax(alpha: Tensor, structure: Tensor, nu: float) -> Tensor:
    return -(softmax(structure, -1) * log_softmax(alpha, -1)).sum(-1)


_FORMULAS: Final[Mapping[str, Callable[[Tensor, Tensor, float], Tensor]]] = MappingProxyType(
    {
        "hinge": _hinge,
        "logistic": _logistic,
        "linear": _linear,
        "difference-hinge": lambda alpha, structure, nu: _hinge(alpha, _difference(structure), nu),
        "difference-logistic": lambda alpha, structure, nu: _logistic(alpha, _difference(structure), nu),
        "regression": _regression,
        "softmax": _softmax,
    }
)


@final
class StructureLoss(Module):  # type: ignore[misc]
    """A loss of scores, given the aggregated judgments.

    Parameters
    ----------
    loss
        A name of `consistency_lab.apps.learn.LOSSES`.
    nu
        The weight of the regularizer of the loss "linear".

    Raises
    ------
    UnsupportedError
        If PyTorch is not installed.

    Examples
    --------
    >>> import torch
    >>> scores = torch.tensor([1.0, 0.0], requires_grad=True)
    >>> value = StructureLoss("linear")(scores, torch.tensor([[0.0, 3.0], [1.0, 0.0]]))
    >>> value.backward()
    >>> value.item(), scores.grad.tolist()
    (-1.5, [-1.0, 2.0])
    """

    @checked
    def __init__(self, loss: str = "difference-logistic", nu: float = 1.0) -> None:
        super().__init__()
        self.loss: Loss = loss_of(loss)[0]
        self.nu = nu

    @checked
    def forward(self, scores: Tensor, structure: Tensor) -> Tensor:
        """The loss, its mean over a batch.

        Parameters
        ----------
        scores
            Shape (..., m).
        structure
            Shape (..., m, m), as ``AverageAdjacency().matrix(wins)`` gives it; or (..., m), as
            ``.scores(wins)`` does, for the losses "regression" and "softmax".
        """
        wanted = (*scores.shape, *scores.shape[-1:]) if self.loss.takes == "matrix" else (*scores.shape,)
        if structure.shape != wanted:
            raise InputError(
                f"scores have shape {(*scores.shape,)} and the structure {(*structure.shape,)}; the loss "
                f"{self.loss.name} takes (..., m) and (..., {'m, m' if self.loss.takes == 'matrix' else 'm'})"
            )
        return _FORMULAS[self.loss.name](scores, structure, self.nu).mean()

    def extra_repr(self) -> str:
        """What PyTorch prints of it."""
        return repr(self.loss.name) + (f", nu={self.nu}" if self.loss.name == "linear" else "")
