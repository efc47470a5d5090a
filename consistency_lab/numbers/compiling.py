"""Machine code by Numba: whether it is there, and how functions are compiled and kept."""

import sys
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, Final, TypeVar, cast

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


def is_loaded() -> bool:
    """Whether something has imported the compiler already."""
    return sys.modules.get("numba") is not None


def is_installed() -> bool:
    """Whether the compiler could be imported; it is not."""
    return find_spec("numba") is not None


def _compiler() -> Any:
    """Numba, told that BLAS is there: to find out it would import SciPy's linear algebra, for .2 s."""
    import numba
    from numba.np import linalg

    look = getattr(linalg, "ensure_blas", None)  # another version may ask otherwise
    if look is not None and "numba.np.arraymath" not in sys.modules:
        linalg.ensure_blas = lambda: None
        try:
            import numba.np.arraymath
        finally:
            linalg.ensure_blas = look
    return numba


def inlined(function: F) -> F:
    """A function that only machine code calls."""
    return cast(F, _compiler().njit(**_OPTIONS)(function))


def entry(function: F, signature: tuple[Any, ...] | None = None) -> F:
    """A function that Python calls: kept on disk, in `__pycache__` or, if that is read-only, with the user.

    A change is noticed in the file of the entry alone, so what it calls belongs into the same file. With the
    types of its arguments it is compiled at once, and for these alone.
    """
    options: dict[str, Any] = {**_OPTIONS, "signature_or_function": signature}
    try:
        return cast(F, _compiler().njit(cache=True, **options)(function))
    except (RuntimeError, ImportError, AttributeError):
        # There is nowhere to write, or what was kept names a class that another version had: compiled again.
        return cast(F, _compiler().njit(**options)(function))
