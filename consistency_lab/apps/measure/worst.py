"""The worst case of a surrogate under a condition."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import floor, sqrt
from typing import Final

import numpy as np

from consistency_lab.apps.measure.cones import RegretPiece, pieces
from consistency_lab.apps.measure.smallest import certified_regret
from consistency_lab.apps.measure.worst_bounds import (
    BOX,
    UNIT,
    WHOLE,
    Boxes,
    Ceiling,
    OrderedPiece,
    SlopeTable,
    bounded,
    ceiling,
)
from consistency_lab.apps.measure.worst_nearby import (
    APPROACHED,
    AT_TIE,
    UNKNOWN,
    ClosedForm,
    Gate,
    Summit,
    WorstCase,
    climb,
    closed_form,
    worst_between,
    zoom,
)
from consistency_lab.certify.witness import Witness, certify
from consistency_lab.core.document import STRICT
from consistency_lab.core.orders import Order
from consistency_lab.decide.theorems.base import CLASSIFYING, IS_NONINCREASING, Hypothesis
from consistency_lab.decide.theorems.catalogue import consistency_theorem
from consistency_lab.decide.theorems.linear import OWN_WEIGHTS
from consistency_lab.decide.theorems.unequal_counts import UNEQUAL_COUNTS, unequal_counts
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.model.designs import design as named_design
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.posets import net_gap
from consistency_lab.model.surrogates import (
    DifferenceSurrogate,
    EdgeSurrogate,
    LinearSurrogate,
    Surrogate,
    family_of,
)
from consistency_lab.model.surrogates.own import as_surrogate
from consistency_lab.numbers.exact import LogRational, integer_multiple, rational_text
from consistency_lab.numbers.phi import Expression, X
from consistency_lab.numbers.reflection import Push, odd_slope, push
from consistency_lab.search.effort import EXACT, Effort
from consistency_lab.search.find import find
from consistency_lab.solve.kinds import Kind, is_convex, kind_of
from consistency_lab.solve.lp import LPStatus, solve_lp

# --- Orders by the net preference sum_j d_ij: the worst case is exact ------------------------------------
# The value-regularized linear loss (DMJ10 Eq. 15: alpha_i = (r')^{-1}(sum_j d_ij / nu), r' increasing) and
# the regression on the net preference (RAT13 Theorem 6). On one shape and one order of the net preferences,
# the regret is linear in a: one exact linear program.

_APART: Final = Fraction(1, 10**4)


@frozen
class NetWorst:
    """The largest regret of an order by net preference, exactly, and an aggregate at which it occurs."""

    regret: Fraction  #: The supremum; it is attained at `a`, at a tie perhaps.
    #: The aggregate in whole numbers, so named that ties are broken for the worst; empty if the regret is 0.
    a: tuple[tuple[Fraction, ...], ...]
    strict: Fraction  #: The same with net preferences at least 10^-4 apart in that order, so without ties.
    programs: int  #: How many programs were solved.
    complete: bool  #: Whether all of them were.


def worst_net_order(condition: str, m: int, effort: Effort) -> NetWorst:
    """Go through all shapes and orders."""
    best = NetWorst(Fraction(0), (), Fraction(0), 0, True)
    for piece in pieces(condition, m, differences=True):
        for order in piece.orders():
            solution = None if effort.expired else _program(piece, order)
            effort.count(programs=1, each=EXACT)
            if solution is None:
                return replace(best, complete=False)
            best = replace(best, programs=best.programs + 1)
            if solution[1] > best.regret:
                apart = _program(piece, order, _APART)
                strict = Fraction(0) if apart is None else apart[1]
                best = replace(best, regret=solution[1], a=_named(piece, order, solution[0]), strict=strict)
    return best


def witness_at(
    surrogate: Surrogate, condition: str, a: Sequence[Sequence[Fraction]], provenance: dict[str, str]
) -> Witness | None:
    """A witness at the aggregate that the core accepts and that has the condition, or None."""
    witness = certify(surrogate, Distribution.from_aggregate(a), provenance=provenance)
    return witness if witness is not None and witness.fails_under(condition) else None


def _program(
    piece: RegretPiece, order: Order, apart: Fraction = Fraction(0)
) -> tuple[tuple[Fraction, ...], Fraction] | None:
    """The worst aggregate and its regret; (0, 0) where the order occurs nowhere; None if undecided."""
    gaps = (
        net_gap(i, k, piece.m) if i < k else {pair: -c for pair, c in net_gap(k, i, piece.m).items()}
        for i, k in pairwise(order)
    )
    least = [*((form, Fraction(0)) for form in piece.least), *((form, apart) for form in gaps)]
    # Where the condition asks for net_i > net_k on an edge i → k, an order with k first leaves d_ik = 0.
    cost = {pair: c for pair, c in piece.regret(order).items() if net_gap(*pair, piece.m) not in piece.strict}
    one, zero = Fraction(1), Fraction(0)
    solution = solve_lp(
        [-x for x in piece.on_pairs(cost)],
        [[one] * len(piece.pairs), *map(piece.on_pairs, piece.equal)],
        [one, *(zero for _ in piece.equal)],
        [[-x for x in piece.on_pairs(form)] for form, _ in least],
        [-bound for _, bound in least],
    )
    if solution.status is LPStatus.INFEASIBLE:
        return (zero,) * len(piece.pairs), zero
    if solution.status is not LPStatus.OPTIMAL or solution.value is None:
        return None
    return solution.x, -solution.value


def _named(piece: RegretPiece, order: Order, x: Sequence[Fraction]) -> tuple[tuple[Fraction, ...], ...]:
    """The aggregate in whole numbers, items named from the lowest place up: ties put higher names first."""
    a = [[Fraction(0)] * piece.m for _ in range(piece.m)]
    for (i, j), value in zip(piece.pairs, integer_multiple(x)[0], strict=True):
        a[i][j] = Fraction(value)
    names = tuple(reversed(order))
    return tuple(tuple(a[i][j] for j in names) for i in names)


# --- Piecewise linear phi, whose slopes change at finitely many gaps: exact proofs -----------------------

_PROGRAMS: Final = 400


def is_exactly(cells: tuple[OrderedPiece, ...], table: SlopeTable, lower: Fraction, effort: Effort) -> int:
    """Prove that no regret in the cells is above a rational, by exact programs on boxes of gaps.

    How many boxes the proof took; 0 if it did not end within the budget, which refutes nothing.
    """
    goal, programs, count = floor(lower * WHOLE), 0, 0
    for cell in cells:
        waiting = Boxes.everything(cell.piece.m)
        while len(waiting.axis):
            halves = bounded(cell, waiting.halves(), table, goal)
            count += len(halves.axis)
            effort.count(steps=BOX * len(halves.axis))
            still = halves.bounds > goal
            for k in np.flatnonzero(still):
                programs += 1
                if programs > _PROGRAMS or effort.expired:
                    return 0
                effort.count(programs=1, each=EXACT)
                still[k] = not _settled(cell, halves, int(k), table, lower)
            waiting = halves.where(still)
    return count


def _settled(cell: OrderedPiece, boxes: Boxes, k: int, table: SlopeTable, lower: Fraction) -> bool:
    least, most = cell.slopes(boxes.low[k : k + 1], boxes.high[k : k + 1], table)
    pairs = list(zip(least[0], most[0], strict=True))
    if any(isinstance(slope, float) for pair in pairs for slope in pair):
        return False
    slopes = [(Fraction(low, 1 << UNIT), Fraction(high, 1 << UNIT)) for low, high in pairs]
    solution = worst_between(cell, slopes)
    return solution is not None and solution[1] <= lower


# --- Both ends of the bracket, and the floats behind it --------------------------------------------------

_WIDTH: Final = Fraction(1, 1000)
_ZERO_WIDTH: Final = Fraction(1, 10**6)
"""The largest upper end that counts as 0 if no witness was found."""

_MOST_BOXES: Final = 400_000
"""More would need over a gigabyte of memory, and boxes still open by then rarely close."""

_FIRST_BOXES: Final = 20_000
_MORE_BOXES: Final = 5
_BETTER: Final = 1 + 1e-7
_SMALLEST_GAP: Final = 1e-4
_CLEAR_GAP: Final = 0.25
"""A gap that stays positive when rounded to a simple number."""
_CLOSE: Final = 1e-2
_NOTHING: Final = 1e-7
_TIE: Final = 1e-6
_ROUNDING: Final = 1e-6
_NOTE: Final = "close to the largest normalized regret under this condition"


def worst_case(
    surrogate: Surrogate | str,
    condition: str,
    m: int,
    *,
    design: str = "any",
    width: Fraction = _WIDTH,
    near: WorstCase | None = None,
    effort: Effort | None = None,
    provenance: dict[str, str] | None = None,
) -> WorstCase:
    """Bracket the largest normalized regret of minimizers (docs/theory.md, How wrong and how often)."""
    surrogate = as_surrogate(surrogate)
    if width <= 0:
        raise InputError(f"the relative width is {width}; it must be above 0")
    if m < 2:
        raise InputError(f"there are {m} items; a ranking needs at least 2")
    effort = effort or Effort(60.0)
    texts = {**(provenance or {}), "note": _NOTE}
    ratio = ratio_of(design)
    if ratio is not None and type(surrogate) is not EdgeSurrogate:
        raise UnsupportedError(
            f"{surrogate.name} ignores how often pairs are compared; a design needs an edge surrogate"
        )
    if family_of(surrogate).affine:
        return _by_net_preference(surrogate, condition, m, effort, texts)
    gate = Gate(surrogate, _phi(surrogate), condition, effort, texts, named_design(design))
    if ratio is None:
        return _by_gaps(gate, m, width)
    case = _proved_under(gate, m, ratio) or _by_gaps(gate, m, width, ratio, near)
    guess = conjectured(surrogate, condition, ratio, m)
    if guess is not None and case.closed_form is None and case.lower <= guess[1] <= (case.upper or 1):
        case = replace(case, closed_form=ClosedForm(guess[0], f"{guess[1]:.12g}", proved=False))
    return replace(case, design=design, margin=harmless_margin(surrogate, condition, ratio, m))


def _proved_under(gate: Gate, m: int, ratio: Fraction) -> WorstCase | None:
    """The result of a theorem for this ratio of counts, if one applies."""
    asked = gate.surrogate, gate.condition, m
    evidence = consistency_theorem(gate.surrogate, gate.condition, m=m, design=gate.design.name)
    nought = Fraction(0)
    if evidence is not None:
        form = ClosedForm("0", "0", proved=True)
        return WorstCase(*asked, nought, nought, None, UNKNOWN, None, form, 0, True, evidence.citation)
    if not of_three(*asked):
        return None
    known = unequal_counts(ratio)
    below = LogRational(nought, (1 - known.tau) / (1 + known.tau))
    p = Distribution.from_aggregate(known.a)
    for scores in ((LogRational(nought), LogRational(nought), below), None):
        witness = certify(gate.surrogate, p, scores, provenance=gate.provenance)
        if witness is not None and witness.fails_under(gate.condition) and gate.design.holds(known.a):
            lower, upper = certified_regret(witness), known.upper
            value = str(upper) if lower == upper else known.regret.str(30, radius=False)
            form = ClosedForm(known.formula, value, proved=True)
            strict = float(upper)
            return WorstCase(*asked, lower, upper, witness, APPROACHED, strict, form, 0, True, UNEQUAL_COUNTS)
    return None


def _phi(surrogate: Surrogate) -> Expression:
    """The scalar loss, if this is a surrogate for branch and bound."""
    if type(surrogate) is EdgeSurrogate and surrogate.h != X:
        raise UnsupportedError(
            f"{surrogate.name} weights edges by h = {surrogate.h.text('a')}; worst cases need h = a"
        )
    if type(surrogate) is not EdgeSurrogate and type(surrogate) is not DifferenceSurrogate:
        raise UnsupportedError(
            f"worst cases need an edge, difference, linear or regression surrogate, got {surrogate.name}"
        )
    if not is_convex(surrogate.phi):
        raise UnsupportedError(f"{surrogate.phi} is not proved convex; a worst case needs a convex phi")
    return surrogate.phi


def _by_net_preference(
    surrogate: Surrogate, condition: str, m: int, effort: Effort, provenance: dict[str, str]
) -> WorstCase:
    """Exact linear programs; the bracket is a point."""
    if type(surrogate) is LinearSurrogate and not (
        is_convex(surrogate.r) and kind_of(surrogate.r) is Kind.SMOOTH
    ):
        raise UnsupportedError(
            f"r = {surrogate.r} is not proved convex and smooth, as the linear loss needs to order the items "
            "by net preference"
        )
    worst = worst_net_order(condition, m, effort)
    witness = witness_at(surrogate, condition, worst.a, provenance) if worst.a else None
    lower = Fraction(0) if witness is None else certified_regret(witness)
    attained = UNKNOWN
    if witness is not None:
        close = worst.strict >= worst.regret * (1 - Fraction(_CLOSE))
        attained = STRICT if witness.verified.failure == "strict" else APPROACHED if close else AT_TIE
    exact = worst.complete and lower == worst.regret
    return WorstCase(
        surrogate,
        condition,
        m,
        lower,
        worst.regret if worst.complete else None,
        witness,
        attained,
        float(worst.strict),
        ClosedForm(str(lower), str(lower), proved=True) if exact else None,
        worst.programs,
        exact,
        "exact linear programs, one for each shape and order of the net preferences",
    )


def _by_gaps(
    gate: Gate, m: int, width: Fraction, ratio: Fraction | None = None, near: WorstCase | None = None
) -> WorstCase:
    """Branch and bound over the gaps between the scores."""
    surrogate, phi, condition, effort = gate.surrogate, gate.phi, gate.condition, gate.effort
    table = SlopeTable(phi)
    parts = pieces(condition, m, differences=family_of(surrogate).takes_differences, ratio=ratio)
    cells = tuple(OrderedPiece(piece, order) for piece in parts for order in piece.orders())
    case = WorstCase(
        surrogate, condition, m, Fraction(0), None, None, UNKNOWN, None, None, 0, False, "interrupted"
    )
    try:
        effort.ration(3)
        summits = _from(near, cells, table, effort) or climb(cells, table, effort)
        effort.until = None
        summit = summits[0] if summits else None
        limit, searched = _FIRST_BOXES, False
        while True:
            if summit is not None:
                nearby = gate.nearby(summit, 1 - width / 4)
                if nearby is not None and nearby[0] > case.lower:
                    case = replace(case, lower=nearby[0], witness=nearby[1], summit=summit)
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
            if not searched and ratio is None:
                # Scores near the floats' may not be certifiable where others are.
                searched = True
                known = find(surrogate, condition, (m,), effort=effort, provenance=gate.provenance)
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
            case = replace(case, closed_form=closed_form(phi, summits[0], case))
            apart = _apart(table, summits[0], effort)
            clear = _apart(table, summits[0], effort, _CLEAR_GAP)
            shown = _shown_strict(gate, clear, case)
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


def _from(
    near: WorstCase | None, cells: tuple[OrderedPiece, ...], table: SlopeTable, effort: Effort
) -> tuple[Summit, ...]:
    """The best scores near those of another design; the boxes show whether others are better."""
    start = None if near is None else near.summit
    if start is None:
        return ()

    def shape(cell: OrderedPiece) -> tuple[Order, RegretPiece]:
        return cell.order, replace(cell.piece, schedule=())  # the designs differ in that alone

    same = [cell for cell in cells if shape(cell) == shape(start.cell)]
    return tuple(zoom(cell, np.array(start.gaps), table, effort) for cell in same[:1])


def _proof(
    cells: tuple[OrderedPiece, ...],
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


def _shown_strict(gate: Gate, apart: Summit, case: WorstCase) -> Witness | None:
    """A strict inversion that the core accepts and that has the exact worst regret, if there is one."""
    if case.witness is None or case.lower != case.upper:
        return None
    if apart.regret < float(case.lower) * (1 - _ROUNDING):
        return None
    if case.witness.verified.failure == STRICT:
        return case.witness
    nearby = gate.nearby(apart, Fraction(1))
    shown = nearby is not None and nearby[0] == case.upper and nearby[1].verified.failure == STRICT
    return nearby[1] if nearby is not None and shown else None


def _attained(
    cells: tuple[OrderedPiece, ...], table: SlopeTable, summit: Summit, near: Summit, effort: Effort
) -> tuple[str, float | None]:
    """Whether the best scores are free of ties, and the worst regret in floats at scores without ties."""
    if min(summit.gaps) >= _TIE:
        return STRICT, summit.regret
    if near.regret >= summit.regret * (1 - _CLOSE):
        return APPROACHED, near.regret
    apart = climb(cells, table, effort, least_gap=_SMALLEST_GAP)
    strict = max(near.regret, *(other.regret for other in apart), 0.0)
    strict = strict if strict > _NOTHING else 0.0
    return (APPROACHED if strict >= summit.regret * (1 - _CLOSE) else AT_TIE), strict


def _note(case: WorstCase, proof: Ceiling) -> str:
    if case.witness is None:
        return "no witness was found; the upper end is proved"
    if proof.finished:
        return "the lower end is a witness that the core accepts; the upper end is proved"
    return "the upper end is proved, but the bracket may be wider than requested"


# --- The worst regret at several ratios ------------------------------------------------------------------

RATIOS: Final = tuple(map(Fraction, ("1", "6/5", "3/2", "2", "3", "5", "8", "12")))


@frozen
class Ends:
    """What is proved of the worst regret at one ratio."""

    surrogate: str  #: Its name.
    m: int
    ratio: Fraction
    lower: Fraction  #: Shown by a witness that the core accepts; 0 if there is none.
    upper: Fraction | None  #: Proved; None if nothing is.


def nested(ends: Sequence[Ends]) -> list[Ends]:
    """The ends by rising ratio, tightened by each other: what a ratio allows, larger ones allow too."""
    risen = [replace(end, lower=max(one.lower for one in ends[: k + 1])) for k, end in enumerate(ends)]
    return [
        replace(end, upper=min((one.upper for one in ends[k:] if one.upper is not None), default=None))
        for k, end in enumerate(risen)
    ]


@frozen
class OverRatio:
    """The worst regrets of some surrogates and numbers of items, each at the same ratios."""

    condition: str
    ends: tuple[Ends, ...]  #: By surrogate, number of items and ratio.

    @property
    def curves(self) -> dict[tuple[str, int], list[Ends]]:
        """The ends of each surrogate and number of items."""
        curves: dict[tuple[str, int], list[Ends]] = {}
        for end in self.ends:
            curves.setdefault((end.surrogate, end.m), []).append(end)
        return curves


# --- Which question of counts is settled, and the rule for practitioners ---------------------------------

_ROWS: Final = ("additive", "low-noise")


def ratio_of(design: str) -> Fraction | None:
    """The number R of ``ratio:R``, 1 for balanced, None for any; other designs are refused."""
    known = named_design(design)
    if known.ratio is None and known.name != "any":
        raise InputError(f"the worst regret is known for balanced, ratio:R and any, not for {design}")
    return known.ratio


def of_three(surrogate: Surrogate, condition: str, m: int) -> bool:
    """Whether `unequal_counts` is proved to be the answer."""
    return m == 3 and condition in _ROWS and _has_constant_push(surrogate)


def _has_constant_push(surrogate: Surrogate) -> bool:
    """Whether phi is regular, with u constant where phi' < 0, and differences stay in that range."""
    if type(surrogate) is not EdgeSurrogate or not _has(surrogate, OWN_WEIGHTS, *CLASSIFYING):
        return False
    falls = _has(surrogate, IS_NONINCREASING) or odd_slope(surrogate.phi) is not None
    return falls and push(surrogate.phi) is Push.CONSTANT


def _has(surrogate: Surrogate, *asked: Hypothesis) -> bool:
    return all(one.check(surrogate, None) is not None for one in asked)


def conjectured(surrogate: Surrogate, condition: str, ratio: Fraction, m: int) -> tuple[str, float] | None:
    """A regret on four items under low noise, and its decimals: perhaps the largest, unproved."""
    # Items 1, 2 are tied, and 3, 4, with n_14 = r, n_13 = n_24 = s, all others 1.
    if m != 4 or condition != "low-noise" or not _has_constant_push(surrogate):
        return None
    s = sqrt((ratio + 1) / 2)
    where = f"s = sqrt((r+1)/2) at r = {rational_text(ratio)}"
    if ratio <= 7:
        return f"(s-1)/(s^2+s+1), {where}", (s - 1) / (s * s + s + 1)
    if (ratio - 5) ** 2 <= 32:
        return f"(s-1)/(s^2+2*s-1), {where}", (s - 1) / (s * s + 2 * s - 1)
    return "(2-sqrt(2))/4", (2 - sqrt(2)) / 4


def harmless_ratio(g: Fraction, m: int) -> Fraction:
    """Counts that differ by a smaller factor are harmless if each pair is won with 1/2 + g or more.

    Under low noise, of the edge losses with a regular, nonincreasing phi and u constant, such as the logistic
    loss (docs/theory.md, Unequal counts): 1 + 2gm/(m-2) for any m. Three items stand (1 + 4g)/(1 - 2g) as
    long as that is at most 1 + sqrt(3), and no more.
    """
    if not 0 < g <= Fraction(1, 2):
        raise InputError(f"the margin is {g}; it must be above 0 and at most 1/2, since P >= 1/2 + g")
    if m < 3:
        raise InputError(f"there are {m} items; ratios of counts need at least 3")
    plain = 1 + 2 * g * m / (m - 2)
    if m > 3:
        return plain
    if g < Fraction(1, 2) and (exact := (1 + 4 * g) / (1 - 2 * g)) <= _HARMLESS:
        return exact
    return max(plain, _HARMLESS)


_HARMLESS: Final = Fraction(30, 11)
"""Just below 1 + sqrt(3)."""


def harmless_margin(surrogate: Surrogate, condition: str, ratio: Fraction, m: int) -> Fraction | None:
    """The g above which `harmless_ratio` is larger than the ratio; None if the rule does not apply."""
    if m < 3 or condition not in _ROWS or type(surrogate) is not EdgeSurrogate:
        return None
    if odd_slope(surrogate.phi) is None or not _has(surrogate, OWN_WEIGHTS, *CLASSIFYING, IS_NONINCREASING):
        return None
    plain = (ratio - 1) * (m - 2) / (2 * m)
    margin = (ratio - 1) / (ratio + 2) / 2 if m == 3 and ratio <= _HARMLESS else plain
    return margin if margin < Fraction(1, 2) else None
