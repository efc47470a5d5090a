r"""Bounds of the risk on half-spaces, all above its value at given scores.

Each atom has an affine minorant <g_t, u> + k_t. If sum_t g_t = λ (e_i - e_j) with λ >= 0, then on {u_i >=
u_j}

    W(u) >= sum_t k_t =: D.

If D > W(scores) for every half-space, then whatever comes near the infimum of W lies outside all of them. The
half-spaces are told by the scores' own order: {u_i >= u_j} where the scores put j strictly above i.

Many bounds may differ in few atoms. Then the slopes of the others are stated once, as *common* slopes whose
minorants add up to a constant, sum_t g_t = 0. With the loss f_t(scores) - <g_t, scores> - k_t >= 0 of each
minorant at the scores, any bound is

    D - W(scores) = λ (scores_j - scores_i) - sum_t (loss of t),

since the minorants add up to λ (u_i - u_j) + D everywhere, hence also at the scores. So a bound needs the
losses and the λ of those atoms alone that it changes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

from consistency_lab.core.messages import shown
from consistency_lab.core.reals import UncertainError
from consistency_lab.core.risk import Atom, Bracket, Direction, Scores, Slope, scaled, total
from consistency_lab.errors import RejectedError
from consistency_lab.exact import Ball, enclose, working_precision

Pair = tuple[int, int]

PRECISIONS: Final = (64, 128, 256, 512, 1024, 2048, 4096)

_MOST_CHANGED: Final = 200_000
"""Most coordinates of the atoms that the bounds change, each counted as often as it is changed."""

_MOST_WORK: Final = 500_000
_WORK_OF_ONE: Final = 64
"""Most operations in atoms, for all bounds and precisions: so many, or so many an atom that is listed."""


@final
@dataclass(frozen=True, slots=True)
class Bound:
    """A bound of W on {u_i >= u_j} for the pair (j, i), which the scores order the other way round.

    Parameters
    ----------
    above, below
        The pair.
    slopes, brackets
        One entry an atom.
    terms
        The numbers of these atoms, from 0, where the others have the common slopes; None if all are meant.
    """

    above: int
    below: int
    slopes: tuple[Slope, ...]
    brackets: tuple[Bracket, ...]
    terms: tuple[int, ...] | None = None

    def listed(self, count: int) -> Sequence[int]:
        """The numbers of the atoms, of `count` in all, that the slopes belong to."""
        return range(count) if self.terms is None else self.terms


@final
@dataclass(frozen=True, slots=True)
class Common:
    """Slopes of all atoms that sum to zero, and within which radius of the scores they are attained."""

    slopes: tuple[Slope, ...]
    radii: tuple[Fraction | None, ...]


@final
@dataclass(frozen=True, slots=True)
class Separation:
    """The bounds, and by how much they exceed the value at the scores at least."""

    bounds: tuple[Bound, ...]
    gap: Fraction
    common: Common | None = None


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
    _check_terms(atoms, certificate)
    parts, left = [atom.parts for atom in atoms], _allowed(atoms, certificate)
    failure, open_bounds = RejectedError("the gap is not certain"), certificate.bounds
    for bits in PRECISIONS:
        once = sum(parts) if certificate.common is not None else 0
        left -= once + sum(parts[t] for bound in open_bounds for t in bound.listed(len(atoms)))
        if left < 0:
            raise RejectedError("the bounds take too much work to tell; state fewer, or a smaller gap")
        try:
            found = margins(atoms, open_bounds, scores, bits, names, certificate.common)
        except UncertainError as error:
            failure = RejectedError(str(error))
            continue
        with working_precision(bits):
            gap = enclose(certificate.gap)
            short = [
                (bound, margin)
                for bound, margin in zip(open_bounds, found, strict=True)
                if not bool(margin >= gap)
            ]
            certain = next((pair for pair in short if pair[1] < gap), None)
        if not short:
            return [(bound.above, bound.below) for bound in certificate.bounds]
        bound, margin = certain or short[0]
        failure = RejectedError(
            f"the bound for {names[bound.above]} above {names[bound.below]} exceeds the value at the scores "
            f"by {margin.str(8)}, not certainly by {gap.str(8, radius=False)}"
        )
        if certain:
            break
        open_bounds = tuple(bound for bound, _ in short)
    raise failure


def _allowed(atoms: Sequence[Atom], certificate: Separation) -> int:
    """How much work the bounds may take, from how much they list."""
    common = len(atoms) if certificate.common is not None else 0
    return max(_MOST_WORK, _WORK_OF_ONE * (common + sum(len(bound.slopes) for bound in certificate.bounds)))


def _check_terms(atoms: Sequence[Atom], certificate: Separation) -> None:
    """Check that what the bounds and the common slopes list fits to the atoms, before any of it is used."""
    count, common, changed = len(atoms), certificate.common, 0
    if common is not None and not len(common.slopes) == len(common.radii) == count:
        raise RejectedError(f"the common slopes need one slope and one radius for each of the {count} atoms")
    for bound in certificate.bounds:
        if (bound.terms is None) != (common is None):
            raise RejectedError("bounds list their terms where there are common slopes, and only there")
        listed = bound.listed(count)
        if not len(bound.slopes) == len(bound.brackets) == len(listed):
            raise RejectedError(
                f"a bound needs one slope and one bracket for each of the {len(listed)} atoms"
            )
        if bound.terms is not None:
            if len(set(listed)) < len(listed) or not all(0 <= t < count for t in listed):
                raise RejectedError(f"the terms of a bound are numbers from 0 to {count - 1}, each once")
            changed += sum(len(v) for t in listed for v in atoms[t].directions())
    if changed > _MOST_CHANGED:
        raise RejectedError(f"the bounds change atoms of more than {_MOST_CHANGED} coordinates")


def margins(
    atoms: Sequence[Atom],
    bounds: Sequence[Bound],
    scores: Scores,
    bits: int,
    names: Sequence[str],
    common: Common | None = None,
) -> list[Ball]:
    """D - W(scores) for each bound, or a little less, enclosed with `bits` bits.

    Raises
    ------
    RejectedError
        If the slopes of a bound prove none.
    """
    with working_precision(bits):
        if common is not None:
            return _changed(atoms, bounds, scores, bits, names, common)
        at_scores = enclose(0)
        for atom in atoms:
            at_scores += atom.value(scores, bits)
        return [_dual(atoms, bound, bits, names) - at_scores for bound in bounds]


def _dual(atoms: Sequence[Atom], bound: Bound, bits: int, names: Sequence[str]) -> Ball:
    """D, after the check that the slopes leave λ (e_i - e_j) with λ >= 0."""
    directions, constant = [], enclose(0)
    for atom, slope, bracket in zip(atoms, bound.slopes, bound.brackets, strict=True):
        direction, part = atom.minorant(slope, bracket, bits)
        directions.append(direction)
        constant += part
    _multiplier(total(directions), bound, names)
    return constant


def _changed(
    atoms: Sequence[Atom],
    bounds: Sequence[Bound],
    scores: Scores,
    bits: int,
    names: Sequence[str],
    common: Common,
) -> list[Ball]:
    """λ (scores_j - scores_i) less the losses, after the check that the common slopes sum to 0."""
    near = [
        atom.near_loss(slope, radius, scores, bits)
        for atom, slope, radius in zip(atoms, common.slopes, common.radii, strict=True)
    ]
    changes = [
        [
            (near[t], atoms[t].loss(slope, bracket, scores, bits))
            for t, slope, bracket in zip(bound.terms or (), bound.slopes, bound.brackets, strict=True)
        ]
        for bound in bounds
    ]
    for k, rest in total(direction for direction, _ in near):
        raise RejectedError(f"the common slopes sum to {shown(rest)} at {names[k]}, not to 0")
    whole, found = sum((loss for _, loss in near), enclose(0)), []
    for bound, changed in zip(bounds, changes, strict=True):
        moved, lost = [], whole
        for (old, before), (new, after) in changed:
            moved += [new, scaled(old, Fraction(-1))]
            lost += after - before
        far = scores[bound.above] - scores[bound.below]
        found.append(enclose(_multiplier(total(moved), bound, names)) * far.ball() - lost)
    return found


def _multiplier(direction: Direction, bound: Bound, names: Sequence[str]) -> Fraction:
    """λ, if the direction is λ (e_i - e_j) with λ >= 0 (RejectedError)."""
    rest = dict(direction)
    up, down = rest.pop(bound.below, Fraction(0)), rest.pop(bound.above, Fraction(0))
    if rest or up != -down or up < 0:
        raise RejectedError(
            f"the slopes of the bound for {names[bound.above]} above {names[bound.below]} do not balance: "
            f"they leave {shown(up)} and {shown(down)} there"
            + (f" and {shown(next(iter(rest.values())))} at {names[next(iter(rest))]}" if rest else "")
        )
    return up
