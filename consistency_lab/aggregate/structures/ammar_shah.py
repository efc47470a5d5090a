"""Ammar and Shah: the chance to win against somebody."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, final

from consistency_lab.aggregate.kernels import win_rates
from consistency_lab.aggregate.structures.base import ScoreStructure


@final
@dataclass(frozen=True, slots=True)
class AmmarShah(ScoreStructure):
    """Mean win rate: s_i = (1/(m-1)) sum_j P(i over j) (DMJ13 §5.1, after Ammar and Shah).

    P(i over j) is here the share of i's wins among the comparisons of i and j, 1/2 where there are none:
    then s_i estimates the chance to win against an opponent chosen uniformly, however often each pair is
    compared. It is 1/2 + (Borda count of the matrix P - 1/2)/(m-1).

    Examples
    --------
    >>> AmmarShah().scores([[0, 3, 0], [1, 0, 0], [0, 0, 0]]).tolist()
    [0.625, 0.375, 0.5]
    """

    name: ClassVar[str] = "ammar-shah"
    title: ClassVar[str] = "Ammar-Shah win rate"
    formula: ClassVar[str] = "s_i = (1/(m−1)) Σ_j P̂(i≻j)"
    limit: ClassVar[str] = "the chance that i wins against an opponent drawn uniformly"

    @property
    def kernel(self) -> Callable[..., Any]:
        return win_rates
