"""The convex pieces that losses of labels are made of."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from consistency_lab.model.surrogates.base import Term

Direction = tuple[tuple[int, Fraction], ...]
"""``((coordinate, factor), ...)`` sorted by coordinate, without zeros."""


@final
@dataclass(frozen=True, slots=True)
class LogSumExp:
    """``c * log(sum over i of exp(u_i))``.

    Parameters
    ----------
    c
        Its coefficient, at least 0.
    over
        The coordinates that are summed over.
    """

    c: Fraction
    over: tuple[int, ...]


@final
@dataclass(frozen=True, slots=True)
class Max:
    """``c * max over k of (<v_k, u> + b_k)``.

    Parameters
    ----------
    c
        Its coefficient, at least 0.
    pieces
        The pairs (v_k, b_k).
    """

    c: Fraction
    pieces: tuple[tuple[Direction, Fraction], ...]


@final
@dataclass(frozen=True, slots=True)
class Linear:
    """``<v, u>``."""

    v: Direction


Atom = Term | LogSumExp | Max | Linear
"""One summand; a `Term` is ``c * phi(<v, u> - b)``."""
