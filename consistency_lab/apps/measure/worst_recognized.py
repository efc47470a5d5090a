"""Which algebraic number is a worst case? An integer relation between powers of the optimum.

At the best scores the worst distribution is a vertex: the solution of a linear system whose coefficients
are slopes. Along the gaps that are not ties its regret is smooth as long as the vertex stays, so Newton's
method finds the optimum to as many digits as the slopes have. A polynomial with small coefficients that has
it as a root to all those digits is a conjecture, not a proof.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Final

from consistency_lab.apps.measure.worst_bounds import OrderedPiece
from consistency_lab.apps.measure.worst_nearby import ClosedForm, Summit, WorstCase, simple_gaps, worst_at
from consistency_lab.numbers.exact import LogRational, working_precision
from consistency_lab.numbers.exact.linear import rank
from consistency_lab.numbers.phi import Expression, enclose_slopes

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
