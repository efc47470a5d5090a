"""The lower end of a worst case: climb in floats, then an exact witness nearby."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import exp
from typing import Any, Final

import numpy as np

from consistency_lab.apps.measure.smallest import certified_regret
from consistency_lab.apps.measure.worst_bounds import WHOLE, OrderedPiece, SlopeTable, propose, proved
from consistency_lab.certify.witness import Witness, certify
from consistency_lab.core.document import STRICT
from consistency_lab.frozen import frozen
from consistency_lab.model.designs import ANY, Design
from consistency_lab.model.distribution import Distribution, normalized_regret
from consistency_lab.model.posets import LinearForm
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.numbers.arrays import Floats
from consistency_lab.numbers.exact import LogRational, integer_multiple, working_precision
from consistency_lab.numbers.exact.linear import rank
from consistency_lab.numbers.phi import Expression, enclose_slopes, exact_slopes
from consistency_lab.search.effort import EXACT, Effort
from consistency_lab.solve.lp import LPStatus, solve_lp
from consistency_lab.solve.optimal import optimal_orders
from consistency_lab.solve.stationary import Scores

# --- What is known about a worst case: a bracket, a witness at its lower end, and what floats suggest ----

APPROACHED: Final = "only approached at a tie"
AT_TIE: Final = "only at a tie"
UNKNOWN: Final = "unknown"


@frozen
class ClosedForm:
    """An algebraic number that equals the worst case, or seems to."""

    text: str  #: A formula, or the polynomial whose root it is.
    value: str  #: Its decimals.
    proved: bool  #: False: the number was recognized from its decimals, and is conjectured.


@frozen
class WorstCase:
    """sup of the normalized regret over all p in a condition and all scores that minimize W(p, .).

    The upper end covers minimizing sequences too, whose scores may move apart without end.

    The regret of scores is that of `scores_loss`: a tie puts the higher index first. As a condition does not
    depend on the names of the items, each way of breaking a tie occurs under some naming, and the supremum is
    one over the worst ways.
    """

    #: The question.
    surrogate: Surrogate
    condition: str
    m: int
    lower: Fraction  #: The normalized regret that `witness` proves of every minimizer; 0 if none was found.
    upper: Fraction | None  #: Proved: no regret is larger. None if nothing was proved.
    witness: Witness | None  #: Accepted by the core, at the lower end.
    #: "strict": the best scores have no tie; proved if `shown_strict`. The others are what floats see, not a
    #: proof. "only approached at a tie": the best scores have one, and failures under every tie rule come
    #: close to it. "only at a tie": those stay below. "unknown" otherwise.
    attained: str
    #: A float: the worst regret seen at scores without ties (gaps of at least 10^-4), `upper` at most.
    strict: float | None
    closed_form: ClosedForm | None  #: The number itself, where it was recognized.
    boxes: int  #: How many boxes of score gaps were bounded.
    finished: bool  #: Whether upper is within the requested relative width.
    note: str  #: A sentence on what else matters.
    design: str = "any"  #: How often pairs are compared, see `model.designs`.
    #: Under a ratio: no order is wrong where moreover every pair is won with a chance above 1/2 plus this.
    margin: Fraction | None = None
    summit: "Summit | None" = None  #: Where the floats saw the worst.

    @property
    def shown_strict(self) -> bool:
        """Whether the witness is a strict inversion, of one minimizer at least, with the worst regret."""
        return (
            self.witness is not None
            and self.witness.verified.failure == STRICT
            and self.lower == self.upper
            and self.attained == STRICT
        )


# --- The lower end of a worst case in floats: the best scores of each order, on a grid that zooms --------


_MARKS: Final = (
    (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 10.0),
    (0.0, 0.5, 1.0, 1.5, 2.0, 4.0),
    (0.0, 1.0, 2.0),
)
"""Grids of gaps; the first that is not too large for the number of items is used."""

_MANY: Final = 250
_STARTS: Final = 8
_PER_CELL: Final = 2
_ROUNDS: Final = 200
_FINEST: Final = 2.0**-34
_NOTHING: Final = 1e-7
"""Float regrets below this are 0."""


@frozen
class Summit:
    """The best scores that the floats found in one cell."""

    cell: OrderedPiece  #: The piece and the order.
    gaps: tuple[float, ...]  #: From above to below; 0 is a tie.
    regret: float  #: The normalized regret of the worst distribution at these scores, a float.


def climb(
    cells: tuple[OrderedPiece, ...], table: SlopeTable, effort: Effort, *, least_gap: float = 0.0
) -> tuple[Summit, ...]:
    """The best scores of each cell on a grid, improved in the best cells, with gaps from `least_gap` on."""
    summits = []
    for cell in cells:
        steps = cell.piece.m - 1
        marks = next((marks for marks in _MARKS if len(marks) ** steps <= _MANY), _MARKS[-1])
        grid = np.maximum(np.array(list(product(marks, repeat=steps))), least_gap)
        summits.append((cell, grid, regrets(cell, grid, table, effort)))
        if effort.expired:
            break
    starts = [
        (float(values[k]), cell, grid[k])
        for cell, grid, values in summits
        for k in np.argsort(-values)[:_PER_CELL]
        if values[k] > _NOTHING
    ]
    starts.sort(key=lambda start: -start[0])
    improved = [zoom(cell, point, table, effort, least_gap=least_gap) for _, cell, point in starts[:_STARTS]]
    return tuple(sorted(improved, key=lambda summit: -summit.regret))


def regrets(cell: OrderedPiece, gaps: Floats, table: SlopeTable, effort: Effort) -> Floats:
    """The worst normalized regret at each vector of gaps, shape (B, m - 1), in floats."""
    least, most = cell.slopes(gaps, gaps, table)
    effort.count(programs=len(gaps))
    proposal = propose(cell, least, most)
    # The value of the rounded multipliers is closer than the solver's, whose costs are perturbed.
    exact = (proved(cell, proposal, least, most) / WHOLE).astype(float)
    return np.where(proposal.optimal, np.minimum(proposal.values, exact), 0.0)


def zoom(
    cell: OrderedPiece, start: Floats, table: SlopeTable, effort: Effort, *, least_gap: float = 0.0
) -> Summit:
    """A pattern search from `start`: all neighbors at one step, the step halved where none is better."""
    moves = np.array(list(product((-1.0, 0.0, 1.0), repeat=len(start))))
    here, value, step = start, -np.inf, 0.25
    for _ in range(_ROUNDS):
        around = np.maximum(here + step * moves, least_gap)
        values = regrets(cell, around, table, effort)
        k = int(values.argmax())
        if values[k] > value + 1e-14:
            here, value = around[k], float(values[k])
        else:
            step /= 2
        if step < _FINEST or effort.expired:
            break
    return Summit(cell, tuple(map(float, here)), value)


# --- An exact witness next to scores that the floats propose: simple scores, then one exact program ------


_DENOMINATORS: Final = (4, 12, 60, 300, 2_000, 20_000, 200_000)
_TIE: Final = 1e-6
_TIES: Final = tuple(Fraction(1, n) for n in (10, 30, 100, 300, 1_000, 3_000, 10_000))
_PROBES: Final = (LogRational(Fraction(1, 3)), LogRational(Fraction(0), Fraction(2)))
_LONGEST: Final = 512
"""Bits of a weight above which an aggregate is not worth certifying: it would be a page of digits."""

_INSIDE: Final = (Fraction(0), Fraction(1, 10**4), Fraction(1, 10**6))
"""How far inside the condition the aggregate stays: first on the boundary, where most still hold."""


ProvedRegret = tuple[Fraction, Witness]
"""The normalized regret that an accepted witness proves, and the witness."""


@frozen
class Gate:
    """A question whose witnesses the core accepts or refuses."""

    surrogate: Surrogate
    phi: Expression  #: The scalar loss of the surrogate.
    condition: str
    effort: Effort
    provenance: dict[str, str]  #: Texts for the witness documents.
    design: Design = ANY

    def nearby(self, summit: Summit, enough: Fraction) -> ProvedRegret | None:
        """The first witness whose regret is `enough` times the summit's or more, else the best one found."""
        best: ProvedRegret | None = None
        for gaps in simple_gaps(self.phi, summit.gaps):
            for margin in _INSIDE:
                if self.effort.expired and best is not None:
                    return best
                near = self._at(summit.cell, gaps, margin)
                if near is not None and (best is None or near[0] > best[0]):
                    best = near
                if best is not None and best[0] >= enough * Fraction(summit.regret):
                    return best
        return best

    def _at(self, cell: OrderedPiece, gaps: Scores, margin: Fraction) -> ProvedRegret | None:
        self.effort.count(programs=1, each=EXACT)
        solution = worst_at(self.phi, cell, gaps, margin)
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
            named = tuple(tuple(a[i][j] for j in names) for i in names)
            own = tuple(scores[i] for i in names)
            if normalized_regret(named, own, optimal_orders(named).loss) < solution[1]:
                continue
            self.effort.count(certificates=1)
            self.effort.say(f"certifying a normalized regret of {float(solution[1]):.6f}")
            p = Distribution.from_aggregate(named)
            witness = certify(self.surrogate, p, own, provenance=self.provenance)
            if witness is None or not self.design.holds(named):
                continue
            if witness.fails_under(self.condition):
                return certified_regret(witness), witness
        return None


def simple_gaps(phi: Expression, gaps: Sequence[float]) -> Iterator[Scores]:
    """Exact gaps near floats, of growing denominators: logarithms where those make the slopes rational.

    Where neither does, ties become small gaps, as only strict failures can be certified then.
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
    phi: Expression, cell: OrderedPiece, gaps: Scores, margin: Fraction = Fraction(0)
) -> tuple[tuple[Fraction, ...], Fraction] | None:
    """The worst aggregate at exact gaps, pair by pair and of sum 1, and its regret: an exact program.

    A slope that is not known to be rational is rounded to six digits. None where nothing is stationary.
    """
    return worst_between(cell, _slopes(phi, cell, gaps), margin)


def worst_between(
    cell: OrderedPiece, slopes: Sequence[tuple[Fraction, Fraction]], margin: Fraction = Fraction(0)
) -> tuple[tuple[Fraction, ...], Fraction] | None:
    """`worst_at` where the subgradient of each pair is anything between two slopes."""
    piece = cell.piece
    columns = [(k, slope) for k, ends in enumerate(slopes) for slope in dict.fromkeys(ends)]

    def spread(on_pairs: Sequence[Fraction], sign: int = 1) -> list[Fraction]:
        return [sign * on_pairs[k] for k, _ in columns]

    def row(form: LinearForm, sign: int = 1) -> list[Fraction]:
        return spread(piece.on_pairs(form), sign)

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
        [*(row(form, -1) for form, _ in least), *(spread(counts, -1) for counts in piece.schedule)],
        [*(-bound for _, bound in least), *(Fraction(0) for _ in piece.schedule)],
    )
    if solution.status is not LPStatus.OPTIMAL or solution.value is None:
        return None
    a = [Fraction(0)] * len(piece.pairs)
    for (k, _), value in zip(columns, solution.x, strict=True):
        a[k] += value
    return tuple(a), -solution.value


def _slopes(phi: Expression, cell: OrderedPiece, gaps: Scores) -> list[tuple[Fraction, Fraction]]:
    slopes = []
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
        slopes.append((left, right))
    return slopes


# --- Which algebraic number is it? An integer relation between powers of the optimum ---------------------
# At the best scores the worst distribution is a vertex: the solution of a linear system whose coefficients
# are slopes. Along the gaps that are not ties its regret is smooth as long as the vertex stays, so Newton's
# method finds the optimum to as many digits as the slopes have. A polynomial with small coefficients that has
# it as a root to all those digits is a conjecture, not a proof.

Number = Any
"""An mpf of mpmath."""

_SAME: Final = 5e-9
_SIMPLE: Final = 200
_DIGITS: Final = 140
_BITS: Final = 500
_STEP: Final = 40
"""Differences are taken over 10^-40, so that about 60 digits of the optimum are right."""

_RIGHT: Final = 55
_NEWTON: Final = 12
_DEGREE: Final = 6
_COEFFICIENT: Final = 10**5


def closed_form(phi: Expression, summit: Summit, case: WorstCase) -> ClosedForm | None:
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


def recognize(
    phi: Expression, cell: OrderedPiece, gaps: Sequence[LogRational], value: float
) -> ClosedForm | None:
    """The closed form of the worst regret near exact gaps, of which zeros stay zero; None if none is found.

    The `value` is the optimum in floats, to seven digits: a check that Newton's method stayed near.
    """
    import mpmath  # type: ignore[import-untyped]

    with mpmath.workdps(_DIGITS), working_precision(_BITS):
        best = _optimum(phi, cell, gaps)
        if best is None or abs(float(best) - value) > 1e-7:
            return None
        with mpmath.workdps(_RIGHT):
            best = +best
            for degree in range(1, _DEGREE + 1):
                polynomial = mpmath.findpoly(
                    best, degree, maxcoeff=_COEFFICIENT, tol=mpmath.mpf(10) ** (5 - _RIGHT)
                )
                if polynomial is not None:
                    return ClosedForm(_text(polynomial, float(best)), mpmath.nstr(best, 30), proved=False)
    return None


def _optimum(phi: Expression, cell: OrderedPiece, gaps: Sequence[LogRational]) -> Number | None:
    """The regret where its gradient along the gaps that are no ties vanishes."""
    import mpmath

    regret = _vertex(phi, cell, gaps)
    if regret is None:
        return None
    free = [k for k, gap in enumerate(gaps) if gap.sign()]
    start = [_number(gap.ball()) if gap.sign() else mpmath.mpf(0) for gap in gaps]

    def at(moves: Sequence[Number]) -> Number:
        point = list(start)
        for k, move in zip(free, moves, strict=True):
            point[k] += move
        return regret(point)

    h, n = mpmath.mpf(10) ** -_STEP, len(free)
    x = [mpmath.mpf(0)] * n

    def shifted(*moved: tuple[int, int]) -> Number:
        return at([x[k] + h * sum(sign for index, sign in moved if index == k) for k in range(n)])

    try:
        for _ in range(_NEWTON if n else 0):
            gradient = mpmath.matrix([(shifted((k, 1)) - shifted((k, -1))) / (2 * h) for k in range(n)])
            hessian = mpmath.matrix(n, n)
            for k in range(n):
                for j in range(n):
                    corners = [s * t * shifted((k, s), (j, t)) for s in (1, -1) for t in (1, -1)]
                    hessian[k, j] = sum(corners) / (4 * h * h)
            step = mpmath.lu_solve(hessian, gradient)
            x = [value - move for value, move in zip(x, step, strict=True)]
            if max(map(abs, x)) > 1:
                return None
        if n and mpmath.norm(step, mpmath.inf) > mpmath.mpf(10) ** -_STEP:
            return None
        return at(x)
    except (ZeroDivisionError, ValueError):
        return None


def _vertex(
    phi: Expression, cell: OrderedPiece, gaps: Sequence[LogRational]
) -> Callable[[Sequence[Number]], Number] | None:
    """The regret of the vertex that is worst at the gaps, as a function of gaps nearby."""
    import mpmath

    solution = worst_at(phi, cell, tuple(gaps))
    if solution is None:
        return None
    piece, (a, _) = cell.piece, solution
    used = [k for k, value in enumerate(a) if value]
    fixed = [[Fraction(1)] * len(a), *map(piece.on_pairs, piece.equal)]
    for row in (*map(piece.on_pairs, piece.least), *map(list, piece.schedule)):
        if sum(c * x for c, x in zip(row, a, strict=True)) == 0:
            fixed.append(row)
    rows = [[row[k] for k in used] for row in fixed]
    kept: list[list[Fraction]] = []
    for row in rows:
        if rank([*kept, row]) == len(kept) + 1:
            kept.append(row)
    # The sum and the tight forms fill up what the balance of all items but one leaves open.
    if len(kept) + piece.m - 1 != len(used):
        return None
    cost = piece.on_pairs(piece.regret(cell.order))

    def regret(point: Sequence[Number]) -> Number:
        slopes = {}
        for k in used:
            p, q, sign = cell.spans[k]
            slopes[k] = _slope(phi, sign * sum(point[p:q], mpmath.mpf(0)))
        table = [[mpmath.mpf(c.numerator) / c.denominator for c in row] for row in kept]
        for i in range(piece.m - 1):
            table.append([((piece.pairs[k][0] == i) - (piece.pairs[k][1] == i)) * slopes[k] for k in used])
        right = mpmath.matrix([1] + [0] * (len(table) - 1))
        solved = mpmath.lu_solve(mpmath.matrix(table), right)
        return sum(int(cost[k]) * x for k, x in zip(used, solved, strict=True))

    return regret


def _slope(phi: Expression, x: Number) -> Number:
    sign, mantissa, exponent, _ = x._mpf_
    exact = Fraction(-int(mantissa) if sign else int(mantissa)) * Fraction(2) ** exponent
    return _number(enclose_slopes(phi, LogRational(exact))[0])


def _number(ball: Any) -> Number:
    import mpmath

    mantissa, exponent = ball.mid().man_exp()
    return mpmath.ldexp(mpmath.mpf(int(mantissa)), int(exponent))


def _text(coefficients: Sequence[int], value: float) -> str:
    """The root near the value: a formula up to degree 2, else its polynomial."""
    import sympy

    x = sympy.Symbol("x")
    sign = 1 if coefficients[0] > 0 else -1
    polynomial = sympy.Poly([sign * int(c) for c in coefficients], x)
    if polynomial.degree() <= 2:
        return str(min(sympy.roots(polynomial), key=lambda root: abs(float(root) - value)))
    return f"the root near {value:.6f} of {polynomial.as_expr()}"
