"""Whether machine code can be had: where the compiler is missing, the plain programs do all the work."""

import sys
from importlib.util import find_spec
from typing import Final

_NAME: Final = "numba"


def is_loaded() -> bool:
    """Whether something has imported the compiler already."""
    return sys.modules.get(_NAME) is not None


def is_installed() -> bool:
    """Whether the compiler could be imported; it is not."""
    return find_spec(_NAME) is not None
