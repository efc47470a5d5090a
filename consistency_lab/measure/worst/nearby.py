"""An exact witness next to scores that the floats propose: simple exact scores, then one exact program."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp
from typing import Final, final

from consistency_lab.certify.witness import Witness, certify
from consistency_lab.exact import LogRational, integer_multiple
from consistency_lab.measure.certified import certified_regret
from consistency_lab.measure.worst.bounds import Cell
from consistency_lab.measure.worst.climb import Summit
from consistency_lab.measure.worst.pieces import Form
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.model.targets.pairwise import normalized_regret
from consistency_lab.phi import Expression, enclose_slopes, exact_slopes
from consistency_lab.search.effort import EXACT, Effort
from consistency_lab.solve.exact_lp import LPStatus, solve_lp
from consistency_lab.solve.optimal import optimal_orders

Scores = tuple[LogRational, ...]

_DENOMINATORS: Final = (4, 12, 60, 300, 2_000, 20_000, 200_000)
_TIE: Final = 1e-6
_TIES: Final = tuple(Fraction(1, n) for n in (10, 30, 100, 300, 1_000, 3_000, 10_000))
_PROBES: Final = (LogRational(Fraction(1, 3)), LogRational(Fraction(0), Fraction(2)))
_LONGEST: Final = 512
"""Bits of a weight above which an aggregate is not worth certifying: it would be a page of digits."""

_INSIDE: Final = (Fraction(0), Fraction(1, 10**4), Fraction(1, 10**6))
"""How far inside the condition the aggregate stays: first on the boundary, where most still hold."""


@final
@dataclass(frozen=True, slots=True)
class Found:
    """An accepted witness and its normalized regret."""

    witness: Witness
    regret: Fraction


def nearby(
    surrogate: Surrogate,
    phi: Expression,
    condition: str,
    summit: Summit,
    enough: Fraction,
    effort: Effort,
    provenance: dict[str, str],
) -> Found | None:
    """The first witness with a regret of at least `enough` times the summit's, else the best one found.

    Parameters
    ----------
    surrogate, phi, condition
        The question.
    summit
        Where the floats see the worst case. Gaps below 10^-6 become ties.
    enough
        The share of the float regret to reach.
    effort
        The budget.
    provenance
        Texts for the witness document.
    """
    best: Found | None = None
    for gaps in simple_gaps(phi, summit.gaps):
        for margin in _INSIDE:
            if effort.expired and best is not None:
                return best
            found = _at(surrogate, phi, condition, summit.cell, gaps, margin, effort, provenance)
            if found is not None and (best is None or found.regret > best.regret):
                best = found
            if best is not None and best.regret >= enough * Fraction(summit.regret):
                return best
    return best


def simple_gaps(phi: Expression, gaps: Sequence[float]) -> Iterator[Scores]:
    """Exact gaps near floats, of growing denominators: logarithms where those make the slopes rational.

    Where neither does, ties become small gaps, as only strict failures can be certified then.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> [str(gap) for gap in next(simple_gaps(parse("exp(-x)"), (0.7, 0.0)))]
    ['log(2)', '0']
    """
    logs = not _is_exact(phi, _PROBES[0])
    exact = any(_is_exact(phi, probe) for probe in _PROBES)
    seen = set()
    for bound, tie in zip(_DENOMINATORS, _TIES, strict=True):
        values = tuple(
            LogRational(Fraction(0) if exact else tie)
            if gap < _TIE
            else LogRational(Fraction(0), Fraction(exp(gap)).limit_denominator(bound))
            if logs and exact
            else LogRational(Fraction(gap).limit_denominator(bound))
            for gap in gaps
        )
        if values not in seen and all(value.sign() >= 0 for value in values):
            seen.add(values)
            yield values


def _is_exact(phi: Expression, x: LogRational) -> bool:
    return None not in exact_slopes(phi, x)


def worst_at(
    phi: Expression, cell: Cell, gaps: Scores, margin: Fraction = Fraction(0)
) -> tuple[tuple[Fraction, ...], Fraction] | None:
    """The worst aggregate at exact gaps, pair by pair and of sum 1, and its regret: an exact program.

    A slope that is not known to be rational is rounded to six digits. None where nothing is stationary.

    Examples
    --------
    >>> from consistency_lab.measure.worst.pieces import pieces
    >>> from consistency_lab.phi import parse
    >>> gaps = (LogRational(Fraction(1)), LogRational(Fraction(0)))
    >>> str(worst_at(parse("max(0,1-x)"), Cell(pieces("additive", 3)[0], (0, 2, 1)), gaps)[1])
    '1/6'
    """
    return worst_between(cell, _slopes(phi, cell, gaps), margin)


def worst_between(
    cell: Cell, slopes: Sequence[tuple[Fraction, Fraction]], margin: Fraction = Fraction(0)
) -> tuple[tuple[Fraction, ...], Fraction] | None:
    """The same where the subgradient of each pair is anything between two slopes."""
    piece = cell.piece
    columns = [(k, slope) for k, ends in enumerate(slopes) for slope in dict.fromkeys(ends)]

    def row(form: Form, sign: int = 1) -> list[Fraction]:
        on_pairs = piece.on_pairs(form)
        return [sign * on_pairs[k] for k, _ in columns]

    balance = [
        [slope * ((piece.pairs[k][0] == i) - (piece.pairs[k][1] == i)) for k, slope in columns]
        for i in range(piece.m - 1)
    ]
    equal = [*balance, [Fraction(1)] * len(columns), *map(row, piece.equal)]
    right = [Fraction(int(n == len(balance))) for n in range(len(equal))]
    # The sum of a is 1, so a margin is a constant.
    least = [(form, margin if form in piece.strict else Fraction(0)) for form in piece.least]
    solution = solve_lp(
        row(piece.regret(cell.order), -1),
        equal,
        right,
        [row(form, -1) for form, _ in least],
        [-bound for _, bound in least],
    )
    if solution.status is not LPStatus.OPTIMAL or solution.value is None:
        return None
    a = [Fraction(0)] * len(piece.pairs)
    for (k, _), value in zip(columns, solution.x, strict=True):
        a[k] += value
    return tuple(a), -solution.value


def _slopes(phi: Expression, cell: Cell, gaps: Scores) -> list[tuple[Fraction, Fraction]]:
    found = []
    for p, q, sign in cell.spans:
        total = LogRational(Fraction(0))
        for gap in gaps[p:q]:
            total += gap
        x = total if sign > 0 else -total
        exact = exact_slopes(phi, x)
        left, right = (
            Fraction(float(ball)).limit_denominator(10**6) if slope is None else slope
            for slope, ball in zip(exact, enclose_slopes(phi, x), strict=True)
        )
        found.append((left, right))
    return found


def _at(
    surrogate: Surrogate,
    phi: Expression,
    condition: str,
    cell: Cell,
    gaps: Scores,
    margin: Fraction,
    effort: Effort,
    provenance: dict[str, str],
) -> Found | None:
    effort.count(programs=1, each=EXACT)
    solution = worst_at(phi, cell, gaps, margin)
    if solution is None or solution[1] <= 0:
        return None
    m, whole = cell.piece.m, integer_multiple(solution[0])[0]
    if max(value.bit_length() for value in whole) > _LONGEST:
        return None
    scores = [LogRational(Fraction(0))] * m
    for k in reversed(range(m - 1)):
        scores[cell.order[k]] = scores[cell.order[k + 1]] + gaps[k]
    a = [[Fraction(0)] * m for _ in range(m)]
    for (i, j), value in zip(cell.piece.pairs, whole, strict=True):
        a[i][j] = Fraction(value)
    # In the names of the shape first; else so named that ties put the items in the order of the cell.
    for names in (tuple(range(m)), tuple(reversed(cell.order))):
        named = [[a[i][j] for j in names] for i in names]
        own = tuple(scores[i] for i in names)
        if normalized_regret(_tuple(named), own, optimal_orders(named).loss) < solution[1]:
            continue
        effort.count(certificates=1)
        effort.say(f"certifying a normalized regret of {float(solution[1]):.6f}")
        witness = certify(surrogate, Distribution.from_aggregate(named), own, provenance=provenance)
        if witness is not None and witness.fails_under(condition):
            return Found(witness, certified_regret(witness))
    return None


def _tuple(a: Sequence[Sequence[Fraction]]) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(map(tuple, a))
