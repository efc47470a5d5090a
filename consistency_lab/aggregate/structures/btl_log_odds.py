"""Bradley, Terry and Luce: the log odds of each pair."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, final

from consistency_lab.aggregate import kernels
from consistency_lab.aggregate.structures import base


@final
@dataclass(frozen=True, slots=True)
class BTLLogOdds(base.MatrixStructure):
    """Smoothed log odds: A_ij = log((P(i over j) + c) / (P(j over i) + c)) (DMJ13 §5.1).

    P(i over j) is the share, among the k labels, of those that prefer i to j. Pairs that were never compared
    have A_ij = 0, and the smoothing keeps those finite that only one item has won.

    Parameters
    ----------
    c
        The smoothing, above 0.

    Raises
    ------
    InputError
        If c is not above 0.

    Examples
    --------
    >>> BTLLogOdds(c=1).matrix([[0, 1], [0, 0]]).round(3).tolist()
    [[0.0, 0.693], [-0.693, 0.0]]
    """

    c: float = 1.0

    name: ClassVar[str] = "btl-log-odds"
    title: ClassVar[str] = "Bradley-Terry-Luce log odds"
    formula: ClassVar[str] = "A_ij = log((P̂(i≻j) + c)/(P̂(j≻i) + c))"
    limit: ClassVar[str] = "log((P(i≻j) + c)/(P(j≻i) + c))"

    def __post_init__(self) -> None:
        base.smoothing(self.c)

    @property
    def smoothing(self) -> float:
        return float(self.c)

    @property
    def kernel(self) -> Callable[..., Any]:
        return kernels.log_odds
