"""The convex pieces of a label's loss, and which slopes they have at exact scores."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

from consistency_lab.core.numbers import shown
from consistency_lab.core.risk import convexity, rational_slopes
from consistency_lab.errors import RejectedError
from consistency_lab.exact import LogRational
from consistency_lab.proofs.format_1.terms import Term

Direction = tuple[tuple[int, Fraction], ...]
"""((coordinate, factor), ...) without zeros."""


@final
@dataclass(frozen=True, slots=True)
class LogSumExp:
    """``c * log(sum over i of exp(u_i))``."""

    c: Fraction
    over: tuple[int, ...]


@final
@dataclass(frozen=True, slots=True)
class Max:
    """``c * max over k of (<v_k, u> + b_k)``."""

    c: Fraction
    pieces: tuple[tuple[Direction, Fraction], ...]


@final
@dataclass(frozen=True, slots=True)
class Linear:
    """``<v, u>``."""

    v: Direction


Atom = Term | LogSumExp | Max | Linear

Slope = Fraction | tuple[Fraction, ...]
"""What a file states: the slope of a Term, the weights of the pieces of a Max."""

LOG: Final = LogRational(Fraction(0))


def stated(atoms: Sequence[Atom]) -> int:
    """How many of the atoms need a stated slope."""
    return sum(isinstance(atom, Term | Max) for atom in atoms)


def check_convex(atom: Atom) -> str | None:
    """How the scalar function of a Term is proved convex; None for an atom that is convex by its form.

    Raises
    ------
    RejectedError
        If it is not proved, or a coefficient is negative.
    """
    if isinstance(atom, Linear):
        return None
    if atom.c < 0:
        raise RejectedError(f"an atom has the negative coefficient {shown(atom.c)}")
    return convexity(atom.phi) if isinstance(atom, Term) else None


def term_gradient(term: Term, slope: Fraction, scores: Sequence[LogRational]) -> Direction:
    """c s v, where the slope s is seen to lie in the subdifferential (RejectedError if not)."""
    point = term.at(scores)
    left, right = rational_slopes(term.phi, point)
    if left is None or right is None:
        raise RejectedError(f"the slopes of {term.phi} at {shown(point)} are not known to be rational")
    if not left <= slope <= right:
        allowed = f"is {shown(left)}" if left == right else f"lies between {shown(left)} and {shown(right)}"
        raise RejectedError(
            f"a slope is stated as {shown(slope)}, but that of {term.phi} at {shown(point)} {allowed}"
        )
    return tuple((i, term.c * slope * n) for i, n in term.v)


def max_gradient(atom: Max, weights: Sequence[Fraction], scores: Sequence[LogRational]) -> Direction:
    """c sum_k w_k v_k, where weights w >= 0 sum to 1 and stand only on largest pieces (RejectedError)."""
    if len(weights) != len(atom.pieces):
        raise RejectedError(f"a maximum of {len(atom.pieces)} pieces has {len(weights)} weights")
    if sum(weights) != 1 or min(weights) < 0:
        raise RejectedError("the weights of a maximum must be at least 0 and sum to 1")
    values = [_value(v, scores) + LogRational(b) for v, b in atom.pieces]
    found: list[tuple[int, Fraction]] = []
    for (v, _), weight, value in zip(atom.pieces, weights, values, strict=True):
        if weight and any(value < other for other in values):
            raise RejectedError("a weight stands on a piece that does not attain the maximum")
        found += [(i, atom.c * weight * n) for i, n in v]
    return tuple(found)


def exponential_gradient(atom: LogSumExp, scores: Sequence[LogRational]) -> Direction:
    """c exp(u_i) / sum exp(u), rational if the scores differ by logarithms only (RejectedError if not)."""
    some = [scores[i] for i in atom.over]
    if any(score.a != some[0].a for score in some):
        raise RejectedError("the scores of a log-sum-exp differ by more than a logarithm of a rational")
    total = sum((score.q for score in some), Fraction(0))
    return tuple((i, atom.c * score.q / total) for i, score in zip(atom.over, some, strict=True))


def _value(v: Direction, scores: Sequence[LogRational]) -> LogRational:
    found = LOG
    for i, factor in v:
        part = scores[i].times(factor)
        if part is None:
            raise RejectedError(f"{shown(factor)} times the score {shown(scores[i])} is not known exactly")
        found = found + part
    return found
