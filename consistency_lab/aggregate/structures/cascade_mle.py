"""The cascade model of clicks: the chance that an item satisfies who looks at it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np
from numpy.typing import ArrayLike

from consistency_lab.aggregate.kernels import click_rates
from consistency_lab.aggregate.rows import numbers
from consistency_lab.aggregate.structures.base import Array, Kind, Structure
from consistency_lab.errors import InputError


@final
@dataclass(frozen=True, slots=True)
class CascadeMLE(Structure):
    """Maximum likelihood in the cascade model: s_i = clicks on i / how often i was examined (DMJ13 §5.2).

    Who sees a list examines it from the top, and stops at the first item that satisfies, which is clicked;
    item i does so with probability s_i. So items up to the click were examined, all of them if there is
    none. On an item that was never examined the likelihood does not depend: it has 0, the least of the
    maximizers.

    Examples
    --------
    >>> CascadeMLE().scores(clicks=[2, 1, 0], examined=[4, 2, 0]).tolist()
    [0.5, 0.5, 0.0]
    """

    name: ClassVar[str] = "cascade-mle"
    title: ClassVar[str] = "cascade model of clicks"
    formula: ClassVar[str] = "s_i = (clicks on i)/(times i was examined)"
    limit: ClassVar[str] = "the chance that i satisfies who examines it"
    kind: ClassVar[Kind] = "clicks"

    @property
    def kernel(self) -> Callable[..., Any]:
        return click_rates

    def scores(self, clicks: ArrayLike, examined: ArrayLike) -> Array:
        """The chance of each item.

        Parameters
        ----------
        clicks, examined
            Shape (m,): how often each item was clicked, and how often it was examined.

        Raises
        ------
        InputError
            If they have different shapes, or an item was clicked more often than it was examined.
        """
        given = numbers(clicks, "clicks"), numbers(examined, "examinations")
        if given[0].ndim != 1 or given[0].shape != given[1].shape:
            raise InputError(
                f"clicks have shape {given[0].shape} and examinations {given[1].shape}; both must be (m,)"
            )
        if not np.all((given[0] >= 0.0) & (given[0] <= given[1]) & (given[1] < np.inf)):
            raise InputError("an item is clicked more often than it is examined, or less than never")
        found: Array = self.kernel(*given)
        return found
