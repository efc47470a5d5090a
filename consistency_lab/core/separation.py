"""Bounds of the risk on half-spaces, all above its value at given scores.

Each atom has an affine minorant <g_t, u> + k_t. If sum_t g_t = λ (e_i - e_j) with λ >= 0, then on {u_i >=
u_j}

    W(u) >= sum_t k_t =: D.

If D > W(scores) for every half-space, then whatever comes near the infimum of W lies outside all of them. The
half-spaces are told by the scores' own order: {u_i >= u_j} where the scores put j strictly above i.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

from consistency_lab.core.messages import shown
from consistency_lab.core.risk import Atom, Bracket, Scores, Slope, total
from consistency_lab.errors import RejectedError
from consistency_lab.exact import Ball, enclose, working_precision

Pair = tuple[int, int]

PRECISIONS: Final = (64, 128, 256, 512, 1024, 2048, 4096)


@final
@dataclass(frozen=True, slots=True)
class Bound:
    """A bound of W on {u_i >= u_j} for the pair (j, i), which the scores order the other way round."""

    above: int
    below: int
    slopes: tuple[Slope, ...]
    brackets: tuple[Bracket, ...]


@final
@dataclass(frozen=True, slots=True)
class Separation:
    """The bounds, and by how much they exceed the value at the scores at least."""

    bounds: tuple[Bound, ...]
    gap: Fraction


def check_separation(
    atoms: Sequence[Atom], certificate: Separation, scores: Scores, names: Sequence[str]
) -> list[Pair]:
    """Check the bounds: every u with W(u) <= W(scores) has u_i > u_j for each pair (i, j) that is returned.

    Raises
    ------
    RejectedError
        If the scores do not order a pair as stated, an identity fails, or a bound or the gap is not certain.
    """
    if certificate.gap <= 0:
        raise RejectedError(f"the gap is {shown(certificate.gap)}; it must be positive")
    if not certificate.bounds:
        raise RejectedError("a separation needs at least one bound")
    for bound in certificate.bounds:
        if not scores[bound.below] < scores[bound.above]:
            raise RejectedError(f"the scores do not put {names[bound.above]} above {names[bound.below]}")
    failure = RejectedError("the gap is not certain")
    for bits in PRECISIONS:
        try:
            found = margins(atoms, certificate.bounds, scores, bits, names)
        except _UncertainError as error:
            failure = RejectedError(str(error))
            continue
        with working_precision(bits):
            short = [
                (bound, margin)
                for bound, margin in zip(certificate.bounds, found, strict=True)
                if not bool(margin >= enclose(certificate.gap))
            ]
        if not short:
            return [(bound.above, bound.below) for bound in certificate.bounds]
        bound, margin = short[0]
        failure = RejectedError(
            f"the bound for {names[bound.above]} above {names[bound.below]} exceeds the value at the scores "
            f"by {margin.str(8)}, not certainly by {enclose(certificate.gap).str(8, radius=False)}"
        )
    raise failure


class _UncertainError(RejectedError):
    """More bits may help."""


def margins(
    atoms: Sequence[Atom], bounds: Sequence[Bound], scores: Scores, bits: int, names: Sequence[str]
) -> list[Ball]:
    """D - W(scores) for each bound, enclosed with `bits` bits.

    Raises
    ------
    RejectedError
        If the slopes of a bound prove none.
    """
    with working_precision(bits):
        at_scores = enclose(0)
        for atom in atoms:
            at_scores += atom.value(scores, bits)
        return [_dual(atoms, bound, bits, names) - at_scores for bound in bounds]


def _dual(atoms: Sequence[Atom], bound: Bound, bits: int, names: Sequence[str]) -> Ball:
    """D, after the check that the slopes leave λ (e_i - e_j) with λ >= 0."""
    if not len(bound.slopes) == len(bound.brackets) == len(atoms):
        raise RejectedError(f"a bound needs one slope and one bracket for each of the {len(atoms)} atoms")
    directions, constant = [], enclose(0)
    for atom, slope, bracket in zip(atoms, bound.slopes, bound.brackets, strict=True):
        try:
            direction, part = atom.minorant(slope, bracket, bits)
        except RejectedError as error:
            raise _UncertainError(str(error)) from None
        directions.append(direction)
        constant += part
    rest = dict(total(directions))
    up, down = rest.pop(bound.below, Fraction(0)), rest.pop(bound.above, Fraction(0))
    if rest or up != -down or up < 0:
        raise RejectedError(
            f"the slopes of the bound for {names[bound.above]} above {names[bound.below]} do not balance: "
            f"they leave {shown(up)} and {shown(down)} there"
            + (f" and {shown(next(iter(rest.values())))} at {names[next(iter(rest))]}" if rest else "")
        )
    return constant
