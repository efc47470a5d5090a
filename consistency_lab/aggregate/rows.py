"""Rows of a feature matrix, and how a part of them is numbered again: what scikit-learn does to a y."""

from collections.abc import Iterable
from types import EllipsisType
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consistency_lab.errors import InputError

Integers = NDArray[np.int64]

Key = slice | ArrayLike | tuple[slice | ArrayLike, EllipsisType]
"""What may choose rows: numbers, a mask, a slice, or one of these and an ellipsis."""


MAX_ITEMS: Final = 5_000
"""Most items of a query whose pairs are counted: a matrix of so many takes 200 MB."""


def check_size(query: object, count: int) -> None:
    """Find out whether the pairs of so many items can be held.

    Raises
    ------
    InputError
        If there are more than `MAX_ITEMS`.
    """
    if count > MAX_ITEMS:
        raise InputError(
            f"query {str(query)[:40]!r} has {count} items; pairs of at most {MAX_ITEMS} are counted"
        )


def chosen_rows(key: Any, count: int) -> Integers:
    """The numbers of the rows that a key chooses, in its order.

    Raises
    ------
    InputError
        If a row is out of range or chosen twice.
    """
    if isinstance(key, tuple):
        if len(key) != 2 or key[1] is not Ellipsis:
            raise InputError("preferences have one dimension, their rows; choose them by one key")
        key = key[0]
    if isinstance(key, int | np.integer):
        raise InputError(f"row {key} alone has no preferences; choose several rows, as in [[{key}]]")
    try:
        found: Integers = np.arange(count)[np.asarray(key, dtype=np.int64) if _is_empty(key) else key]
    except (IndexError, TypeError, ValueError) as error:
        raise InputError(f"these rows cannot be chosen: {error}") from None
    if found.ndim != 1 or np.unique(found).size != found.size:
        raise InputError("a row is chosen twice; each row can be chosen once")
    return found


def _is_empty(key: Any) -> bool:
    return not isinstance(key, slice) and np.size(key) == 0


def places(rows: Integers, count: int) -> Integers:
    """For each of all rows its place among the chosen ones; -1 for the others."""
    found = np.full(count, -1)
    found[rows] = np.arange(rows.size)
    return found


def numbers(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """An array of floats.

    Raises
    ------
    InputError
        If the values are something else.
    """
    try:
        return np.ascontiguousarray(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"the {what} are no array of numbers") from None


def codes(values: ArrayLike | Iterable[object], what: str) -> Integers:
    """Numbers from 0 on for values, in the order in which they appear.

    Raises
    ------
    InputError
        If they are not one-dimensional.

    Examples
    --------
    >>> codes(["b", "a", "b"], "queries").tolist()
    [0, 1, 0]
    """
    try:
        given = np.asarray(values)
        _, first, inverse = np.unique(given, return_index=True, return_inverse=True)
    except (TypeError, ValueError):
        raise InputError(f"the {what} are no array of values that can be compared") from None
    if given.ndim != 1:
        raise InputError(f"the {what} have shape {given.shape}; give one for each row")
    order = np.empty(first.size, np.int64)
    order[np.argsort(first)] = np.arange(first.size)
    numbers: Integers = order[inverse]
    return numbers


def row_numbers(values: ArrayLike, count: int, what: str) -> Integers:
    """Row numbers, checked.

    Raises
    ------
    InputError
        If they are no whole numbers, or there is no such row.
    """
    try:
        given = np.asarray(values)
    except ValueError:  # rows of different lengths
        given = np.empty((0, 0))
    if given.ndim != 1 or (given.size and not np.issubdtype(given.dtype, np.integer)):
        raise InputError(f"the {what} must be numbers of rows, one-dimensional and whole")
    wrong = given[(given < 0) | (given >= count)]
    if wrong.size:
        raise InputError(f"row {wrong[0]} is among the {what}; there are rows 0 to {count - 1}")
    return given.astype(np.int64)
