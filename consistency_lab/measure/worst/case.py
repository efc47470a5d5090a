"""The worst case of a surrogate under a condition: both ends of the bracket, and what the floats saw."""

from dataclasses import replace
from fractions import Fraction
from typing import Final

import numpy as np

from consistency_lab.certify.witness import Witness
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.measure.certified import certified_regret
from consistency_lab.measure.worst.answer import (
    APPROACHED,
    STRICT,
    TIE,
    UNKNOWN,
    ClosedForm,
    WorstCase,
)
from consistency_lab.measure.worst.bounds import Cell
from consistency_lab.measure.worst.branch import Ceiling, ceiling
from consistency_lab.measure.worst.climb import Summit, climb, zoom
from consistency_lab.measure.worst.linear import certified, worst_net_order
from consistency_lab.measure.worst.nearby import nearby, simple_gaps, worst_at
from consistency_lab.measure.worst.pieces import pieces
from consistency_lab.measure.worst.polyhedral import is_exactly
from consistency_lab.measure.worst.recognize import recognize
from consistency_lab.measure.worst.slopes import SlopeTable
from consistency_lab.model.surrogates import (
    DifferenceSurrogate,
    EdgeSurrogate,
    LinearSurrogate,
    Surrogate,
    as_surrogate,
    family_of,
)
from consistency_lab.phi import Expression, X
from consistency_lab.search.effort import Effort
from consistency_lab.search.find import find
from consistency_lab.solve.kinds import Kind, is_convex, kind_of

_WIDTH: Final = Fraction(1, 1000)
_ZERO_WIDTH: Final = Fraction(1, 10**6)
"""How far above 0 an upper end may be where no witness was found."""

_MOST_BOXES: Final = 400_000
"""More would take more than a gigabyte of memory, and boxes that have not closed by then rarely do."""

_FIRST_BOXES: Final = 20_000
_MORE_BOXES: Final = 5
_BETTER: Final = 1 + 1e-7
_SMALLEST_GAP: Final = 1e-4
_CLEAR_GAP: Final = 0.25
"""A gap that stays one when it is rounded to a simple number."""
_CLOSE: Final = 1e-2
_NOTHING: Final = 1e-7
_TIE: Final = 1e-6
_SAME: Final = 5e-9
_ROUNDING: Final = 1e-6
_SIMPLE: Final = 200
_NOTE: Final = "close to the largest normalized regret under this condition"


def worst_case(
    surrogate: Surrogate | str,
    condition: str,
    m: int,
    *,
    width: Fraction = _WIDTH,
    effort: Effort | None = None,
    provenance: dict[str, str] | None = None,
) -> WorstCase:
    """Bracket the largest normalized regret of scores that minimize the surrogate risk.

    See docs/theory.md, How wrong and how often.

    Parameters
    ----------
    surrogate
        An edge loss with h = a, or a loss of the difference graph, with a phi that is proved convex; or the
        linear loss with a smooth r, or the regression on the net preference.
    condition, m
        A name of `model.conditions`, and the number of items.
    width
        The relative width of the bracket to aim for.
    effort
        The budget, 60 seconds if None; an interruption (Ctrl-C) ends the search and keeps the best so far.
    provenance
        Texts for the witness document, which also has a note of what it is close to.

    Raises
    ------
    InputError
        If the width is not positive, m is below 2, or there is no such condition.
    UnsupportedError
        If the surrogate is of another kind, or the condition has too many shapes on m items.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import surrogate
    >>> case = worst_case(surrogate("hinge"), "low-noise", 3)
    >>> case.lower, case.upper, case.attained
    (Fraction(1, 6), Fraction(1, 6), 'only at a tie')
    """
    surrogate = as_surrogate(surrogate)
    if width <= 0:
        raise InputError(f"the relative width is {width}; it must be above 0")
    if m < 2:
        raise InputError(f"there are {m} items; a ranking needs at least 2")
    effort = effort or Effort(60.0)
    texts = {**(provenance or {}), "note": _NOTE}
    if family_of(surrogate).affine:
        return _by_net_preference(surrogate, condition, m, effort, texts)
    return _by_gaps(surrogate, _phi(surrogate), condition, m, width, effort, texts)


def _phi(surrogate: Surrogate) -> Expression:
    """The scalar loss, if this is a surrogate for branch and bound."""
    if type(surrogate) is EdgeSurrogate and surrogate.h != X:
        raise UnsupportedError(
            f"{surrogate.name} counts edges by h = {surrogate.h.text('a')}; worst cases need h = a"
        )
    if type(surrogate) is not EdgeSurrogate and type(surrogate) is not DifferenceSurrogate:
        raise UnsupportedError(
            "worst cases are known for edge, difference, linear and regression surrogates; "
            f"{surrogate.name} is none of them"
        )
    if not is_convex(surrogate.phi):
        raise UnsupportedError(f"{surrogate.phi} is not proved convex; a worst case needs a convex phi")
    return surrogate.phi


def _by_net_preference(
    surrogate: Surrogate,
    condition: str,
    m: int,
    effort: Effort,
    provenance: dict[str, str],
) -> WorstCase:
    """Exact linear programs; the bracket is a point."""
    if type(surrogate) is LinearSurrogate and not (
        is_convex(surrogate.r) and kind_of(surrogate.r) is Kind.SMOOTH
    ):
        raise UnsupportedError(
            f"r = {surrogate.r} is not proved convex and smooth; only then does the linear loss order the "
            "items by net preference"
        )
    found = worst_net_order(condition, m, effort)
    witness = certified(surrogate, condition, found.a, provenance) if found.a else None
    lower = Fraction(0) if witness is None else certified_regret(witness)
    attained = UNKNOWN
    if witness is not None:
        close = found.strict >= found.regret * (1 - Fraction(_CLOSE))
        attained = STRICT if witness.verified.failure == "strict" else APPROACHED if close else TIE
    exact = found.complete and lower == found.regret
    return WorstCase(
        surrogate,
        condition,
        m,
        lower,
        found.regret if found.complete else None,
        witness,
        attained,
        float(found.strict),
        ClosedForm(str(lower), str(lower), proved=True) if exact else None,
        found.programs,
        exact,
        "exact linear programs, one for each shape and order of the net preferences",
    )


def _by_gaps(
    surrogate: Surrogate,
    phi: Expression,
    condition: str,
    m: int,
    width: Fraction,
    effort: Effort,
    provenance: dict[str, str],
) -> WorstCase:
    """Branch and bound over the gaps between the scores."""
    table = SlopeTable(phi)
    parts = pieces(condition, m, differences=family_of(surrogate).takes_differences)
    cells = tuple(Cell(piece, order) for piece in parts for order in piece.orders())
    case = WorstCase(
        surrogate, condition, m, Fraction(0), None, None, UNKNOWN, None, None, 0, False, "interrupted"
    )
    try:
        effort.ration(3)
        summits = climb(cells, table, effort)
        effort.until = None
        summit = summits[0] if summits else None
        limit, searched = _FIRST_BOXES, False
        while True:
            if summit is not None:
                found = nearby(surrogate, phi, condition, summit, 1 - width / 4, effort, provenance)
                if found is not None and found.regret > case.lower:
                    case = replace(case, lower=found.regret, witness=found.witness)
            # Where nothing can be certified, boxes close at what the floats see.
            seen = Fraction(0) if case.lower or not summits else Fraction(summits[0].regret)
            proof = _proof(cells, table, phi, max(case.lower, seen), width, effort, limit)
            proof = replace(proof, finished=proof.finished and not seen)
            boxes = case.boxes + proof.boxes
            case = replace(
                case, upper=proof.upper, boxes=boxes, finished=proof.finished, note=_note(case, proof)
            )
            if proof.finished or effort.expired or proof.hardest is None or case.boxes > _MOST_BOXES:
                break
            if not searched:
                # Scores near the floats' may not be certifiable where others are.
                searched = True
                known = find(surrogate, condition, (m,), effort=effort, provenance=provenance)
                if known is not None and certified_regret(known) > case.lower:
                    case = replace(case, lower=certified_regret(known), witness=known)
                    summit = None
                    continue
            # The boxes do not close: perhaps because there are better scores among them.
            other = zoom(proof.hardest[0], np.array(proof.hardest[1]), table, effort)
            limit *= _MORE_BOXES
            better = not summits or other.regret > summits[0].regret * _BETTER
            summit, summits = (other, (other, *summits)) if better else (None, summits)
        if summits and not effort.interrupted:
            case = replace(case, closed_form=_closed_form(phi, summits[0], case))
            apart = _apart(table, summits[0], effort)
            clear = _apart(table, summits[0], effort, _CLEAR_GAP)
            shown = _shown_strict(surrogate, phi, condition, clear, case, effort, provenance)
            if shown is not None:
                case = replace(case, attained=STRICT, strict=float(case.lower), witness=shown)
            else:
                attained, strict = _attained(cells, table, summits[0], apart, effort)
                if strict is not None and case.upper is not None:
                    strict = min(strict, float(case.upper))  # what floats see above it is rounding
                case = replace(case, attained=attained, strict=strict)
    except KeyboardInterrupt:
        effort.interrupted = True
    return case


def _proof(
    cells: tuple[Cell, ...],
    table: SlopeTable,
    phi: Expression,
    lower: Fraction,
    width: Fraction,
    effort: Effort,
    limit: int,
) -> Ceiling:
    """The upper end: the lower end itself where finitely many programs show it, else branch and bound."""
    if lower and kind_of(phi) in (Kind.PIECEWISE_LINEAR, Kind.STRAIGHT):
        boxes = is_exactly(cells, table, lower, effort)
        if boxes:
            return Ceiling(lower, boxes, True)
    return ceiling(cells, table, lower * (1 + width) if lower else _ZERO_WIDTH, effort, limit)


def _apart(table: SlopeTable, summit: Summit, effort: Effort, least: float = _SMALLEST_GAP) -> Summit:
    """The best scores without ties near the best ones."""
    if min(summit.gaps) >= _TIE:
        return summit
    return zoom(summit.cell, np.array(summit.gaps), table, effort, least_gap=least)


def _shown_strict(
    surrogate: Surrogate,
    phi: Expression,
    condition: str,
    apart: Summit,
    case: WorstCase,
    effort: Effort,
    provenance: dict[str, str],
) -> Witness | None:
    """A strict inversion that the core accepts and that has the exact worst regret, if there is one."""
    if case.witness is None or case.lower != case.upper:
        return None
    if apart.regret < float(case.lower) * (1 - _ROUNDING):
        return None
    if case.witness.verified.failure == STRICT:
        return case.witness
    found = nearby(surrogate, phi, condition, apart, Fraction(1), effort, provenance)
    if found is None or found.regret != case.upper or found.witness.verified.failure != STRICT:
        return None
    return found.witness


def _attained(
    cells: tuple[Cell, ...], table: SlopeTable, summit: Summit, near: Summit, effort: Effort
) -> tuple[str, float | None]:
    """Whether the best scores are free of ties, and the worst that floats see at scores without ties."""
    if min(summit.gaps) >= _TIE:
        return STRICT, summit.regret
    if near.regret >= summit.regret * (1 - _CLOSE):
        return APPROACHED, near.regret
    apart = climb(cells, table, effort, least_gap=_SMALLEST_GAP)
    strict = max(near.regret, *(other.regret for other in apart), 0.0)
    strict = strict if strict > _NOTHING else 0.0
    return (APPROACHED if strict >= summit.regret * (1 - _CLOSE) else TIE), strict


def _closed_form(phi: Expression, summit: Summit, case: WorstCase) -> ClosedForm | None:
    """The exact value if it is proved, or an algebraic number that agrees with the bracket."""
    if case.witness is None or not case.finished:
        return None
    if case.upper == case.lower:
        return ClosedForm(str(case.lower), str(case.lower), proved=True)
    for gaps in simple_gaps(phi, summit.gaps):
        solution = worst_at(phi, summit.cell, gaps)
        if solution is None:
            continue
        value = solution[1]
        if value.denominator <= _SIMPLE and abs(float(value) - summit.regret) <= _SAME:
            return ClosedForm(str(value), str(value), proved=False)
        form = recognize(phi, summit.cell, gaps, summit.regret)
        if form is not None:
            return form
    return None


def _note(case: WorstCase, proof: Ceiling) -> str:
    if case.witness is None:
        return "no witness was found; the upper end is proved"
    if proof.finished:
        return "the lower end is a witness that the core accepts, the upper end is proved"
    return "the upper end is proved, but not as close as was asked for, or no witness came closer to it"
