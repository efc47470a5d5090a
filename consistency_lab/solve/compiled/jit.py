"""How functions become machine code here."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "nogil": True,
        # Dividing by zero gives infinity, as in NumPy; a check for it would keep loops from being vectorized.
        "error_model": "numpy",
        # Fused multiplications only: what may reorder sums or forget infinities is not safe here.
        "fastmath": {"contract"},
    }
)


def inlined(function: F) -> F:
    """A function that only machine code calls."""
    return cast(F, numba.njit(**_OPTIONS)(function))


def entry(function: F, signature: tuple[Any, ...] | None = None) -> F:
    """A function that Python calls: kept on disk, in `__pycache__` or, if that is read-only, with the user.

    A change is noticed in the file of the entry alone, so what it calls belongs into the same file. With the
    types of its arguments it is compiled at once, and for these alone.
    """
    options: dict[str, Any] = {**_OPTIONS, "signature_or_function": signature}
    try:
        return cast(F, numba.njit(cache=True, **options)(function))
    except (RuntimeError, ImportError, AttributeError):
        # There is nowhere to write, or what was kept names a class that another version had: compiled again.
        return cast(F, numba.njit(**options)(function))
