"""Packages that one command or one kind of question needs: they are installed by an extra of this one."""

from collections.abc import Mapping
from importlib.util import find_spec
from types import MappingProxyType
from typing import Final

from consistency_lab.errors import UnsupportedError

EXTRAS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "matplotlib": ("Matplotlib", "plot"),
        "z3": ("z3", "book"),
        "distributed": ("Dask", "cluster"),
        "networkx": ("networkx", "graphs"),
        "polars": ("Polars", "tables"),
        "pandas": ("pandas", "frames"),
        "evalica": ("evalica", "ratings"),
        "pref_voting": ("pref_voting", "elections"),
        "cvxpy": ("cvxpy", "convex"),
        "clarabel": ("Clarabel", "convex"),
        "sklearn": ("scikit-learn", "learn"),
        "torch": ("PyTorch", "torch"),
    }
)
"""By the name under which it is imported: what it is called, and the extra that installs it."""


def need(package: str, what: str) -> None:
    """See to it that a package is there.

    Parameters
    ----------
    package
        A key of `EXTRAS`.
    what
        What needs it.

    Raises
    ------
    UnsupportedError
        If it is not installed.
    """
    if find_spec(package) is None:
        name, extra = EXTRAS[package]
        raise UnsupportedError(
            f"{what} needs {name}, which is not installed here; install it with: "
            f"pip install 'consistency-lab[{extra}]'"
        )
