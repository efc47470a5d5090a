"""Calling the machine code: when it can be had and pays, and on all processors."""

import os
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.solve.compiled.packing import Packed

# --- Whether machine code can be had ---------------------------------------------------------------------
# Where the compiler is missing, the plain programs do all the work.

_NAME: Final = "numba"


def is_loaded() -> bool:
    """Whether something has imported the compiler already."""
    return sys.modules.get(_NAME) is not None


def is_installed() -> bool:
    """Whether the compiler could be imported; it is not."""
    return find_spec(_NAME) is not None


# --- Calling the machine code: when it pays, and on all processors ---------------------------------------

Array = NDArray[np.float64]

_PIECE: Final = 4096
"""So many risks are handed to a thread at once, and fewer go without threads."""

_START: Final = 0.7
"""Seconds to import the compiler and to load what it has kept on disk."""

_SAVED: Final = 1.2e-7
"""Seconds saved on one risk of m items, divided by m**2."""

_FEW: Final = 16
"""For fewer risks even a call is not worth it."""


def pays(m: int, count: int, saved: float | None = None) -> bool:
    """Whether so many risks of m items are solved sooner by the machine code, its start included.

    Parameters
    ----------
    m, count
        The items, and how many risks.
    saved
        Seconds saved on one risk; by default against the batch in NumPy.

    Examples
    --------
    >>> pays(10, 10), pays(10, 1_000_000)
    (False, True)
    """
    if "consistency_lab.solve.compiled.kernels" in sys.modules:
        return count >= _FEW
    each = _SAVED * m * m if saved is None else saved
    return each * count > _START and is_installed()


def minimizers(risks: Packed, C: Array, tolerance: float, iterations: int) -> tuple[Array, Array, Array]:
    """Scores of shape (B, m) with mean zero, their values, and the gradient norms.

    What is said to have a large gradient norm has not converged, and may be anything.
    """
    from consistency_lab.solve.compiled.kernels import descend, measure

    scores = np.zeros((len(C), risks.m))
    value, norm = np.empty((2, len(C)))
    about = np.ascontiguousarray(C), risks.pairs, risks.shape.kind, risks.shape.numbers

    def piece(start: int, stop: int) -> None:
        descend(*about, tolerance, iterations, start, stop, scores)
        measure(*about, start, stop, scores, value, norm)

    in_pieces(piece, len(C))
    return scores, value, norm


def in_pieces(work: Callable[[int, int], None], size: int) -> None:
    """Call ``work(start, stop)`` on pieces of ``range(size)``, on all processors.

    The threads live for one call: threads kept ready would be lost, or be waited for, in a forked process.
    """
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    starts = range(0, size, _PIECE)
    if processors == 1 or len(starts) < 2:
        work(0, size)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(min(processors, len(starts))) as pool:
        for _ in pool.map(work, starts, (min(size, start + _PIECE) for start in starts)):
            pass
