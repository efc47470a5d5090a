"""What the dynamic program finds: the least loss, and a graph whose paths are the optimal orders."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

LARGEST: Final = 1 << 61
"""Losses below this leave room for the sum of two of them in 64 bits."""


@final
@dataclass(frozen=True, eq=False, slots=True)
class OrderTable:
    """The optimal orders as the paths of a graph on subsets (bit i stands for item i).

    Parameters
    ----------
    least
        The least loss; not below the price of what is forbidden if no order is allowed.
    count
        How many orders attain it.
    after
        For each subset, the items that some optimal order has right below it as its top part.
    below
        For each item, the items that some optimal order has below it.
    """

    least: int
    count: int
    after: "Sequence[int] | NDArray[np.int32]"
    below: Sequence[int]
