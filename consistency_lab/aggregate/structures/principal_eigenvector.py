"""Saaty: the principal eigenvector of the ratios."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, final

from consistency_lab.aggregate import kernels
from consistency_lab.aggregate.structures import base


@final
@dataclass(frozen=True, slots=True)
class PrincipalEigenvector(base.ScoreStructure):
    """Saaty's scores: the Perron vector of A_ij = (P(i over j) + c) / (P(j over i) + c) (DMJ13 §5.1).

    The matrix is reciprocal and positive, so the vector of sum 1 is unique and positive. If A_ij = w_i/w_j
    it is w, up to its sum. Pairs that were never compared have ratio 1.

    Parameters
    ----------
    c
        The smoothing, above 0. The smaller it is, the longer the power iteration takes.

    Raises
    ------
    InputError
        If c is not above 0.

    Examples
    --------
    >>> PrincipalEigenvector(c=1).scores([[0, 1], [0, 0]]).round(6).tolist()
    [0.666667, 0.333333]
    """

    c: float = 1.0

    name: ClassVar[str] = "principal-eigenvector"
    title: ClassVar[str] = "principal eigenvector"
    formula: ClassVar[str] = "As = λs, A_ij = (P̂(i≻j) + c)/(P̂(j≻i) + c)"
    limit: ClassVar[str] = "the Perron vector of the ratios (P(i≻j) + c)/(P(j≻i) + c)"

    def __post_init__(self) -> None:
        base.smoothing(self.c)

    @property
    def smoothing(self) -> float:
        return float(self.c)

    @property
    def kernel(self) -> Callable[..., Any]:
        return kernels.perron
