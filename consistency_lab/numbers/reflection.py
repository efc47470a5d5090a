"""phi(x) beside phi(-x), compared exactly; and whether phi is differentiable."""

from collections.abc import Sequence
from enum import Enum
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from typing import Final, final

from flint import fmpq_poly

from consistency_lab.frozen import frozen
from consistency_lab.numbers.exact import ONE, ZERO
from consistency_lab.numbers.exact.rational import fraction, quotient
from consistency_lab.numbers.expression import Algebra, Expression, fold
from consistency_lab.numbers.shape import (
    Pieces,
    beside,
    facts,
    is_nonnegative,
    pieces_of,
    polynomial,
    sign,
    sign_changes,
    value,
)

_MINUS_X: Final = fmpq_poly([0, -1])


def is_differentiable(phi: Expression) -> bool:
    """Whether phi is proved differentiable on the whole line.

    A piecewise polynomial is decided. All else is made of smooth operations, where a fractional or negative
    power needs a base that is certainly positive, and no maximum may remain.
    """
    pieces = pieces_of(phi)
    if pieces is not None:
        return _joins_smoothly(pieces)
    if phi.op in ("max", "min", "abs"):
        return False
    if phi.op == "sqrt" or (phi.op == "power" and (phi.exponent.denominator > 1 or phi.exponent < 0)):
        base = facts(phi.args[0])
        if base is None or not base.range.positive:
            return False
    return all(map(is_differentiable, phi.args))


def _joins_smoothly(f: Pieces) -> bool:
    inner = [high for _, high, _ in f if high is not None]
    slopes = ([p.derivative()(quotient(x)) for p in beside(f, x)] for x in inner)
    return all(left == right for left, right in slopes)


# phi(x) - phi(-x) is worked out exactly for a sum of
#
# * products of powers of x and exp(r x), r rational: sum_r p_r(x) exp(r x) in one way, p_r polynomials,
# * multiples of log A(x), A of that kind: if A(x) = exp(s x) A(-x), then log A(x) - log A(-x) = s x,
# * even functions of any kind, which cancel.


def odd_slope(phi: Expression) -> Fraction | None:
    """2c, if it is proved that phi(x) - phi(-x) = 2 c x for all x.

    Then -phi'(x) - phi'(-x) is the constant -2c.
    """
    pieces = pieces_of(phi)
    if pieces is not None:
        return _odd_slope_of_pieces(pieces)
    try:
        form = fold(phi, _Forms())
    except _NoFormError:
        return None
    slope = _linear(_add(form.sum, _reflect(form.sum), -1))
    for factor, inside in form.logs:
        s = min(inside) + max(inside) if inside else ZERO
        shifted = {s + r: p for r, p in _reflect(inside).items()}
        if slope is None or not inside or shifted != inside:
            return None
        slope += factor * s
    return slope


def _odd_slope_of_pieces(f: Pieces) -> Fraction | None:
    """The same between the places where f or its reflection changes its polynomial."""
    places = sorted({ZERO, *(abs(high) for _, high, _ in f if high is not None)})
    inside = [(x + y) / 2 for x, y in pairwise([*places, places[-1] + 1])]
    slopes = {_linear(_add({ZERO: beside(f, x)[0]}, _reflect({ZERO: beside(f, -x)[0]}), -1)) for x in inside}
    return slopes.pop() if len(slopes) == 1 else None


def odds_rate(phi: Expression) -> Fraction | None:
    """k, if it is proved that phi'(-x) = exp(k x) phi'(x) for all x.

    Then the chance at which the difference x is optimal is 1/(1 + exp(-k x)), that of a logistic function.
    """
    try:
        form = fold(phi, _Forms())
        if form.even:
            return None
        # phi' = above/below with below the product of the A of all logarithms.
        below = reduce(_product, (inside for _, inside in form.logs), _number(ONE))
        above = _product(_derivative(form.sum), below)
        for n, (factor, inside) in enumerate(form.logs):
            others = (other for k, (_, other) in enumerate(form.logs) if k != n)
            part = reduce(_product, others, _product(_number(factor), _derivative(inside)))
            above = _add(above, part, 1)
        left, right = _product(_reflect(above), below), _product(above, _reflect(below))
    except _NoFormError:
        return None
    if not left or not right:
        return None
    k = max(left) - max(right)
    return k if left == {k + r: p for r, p in right.items()} else None


@final
class Push(Enum):
    """What is proved of u(x) = -phi'(x) - phi'(-x) over all x > 0 with phi'(x) < 0, of a convex phi."""

    CONSTANT = "u is constant there"
    LARGEST_AT_0 = "u is at most u(0) there"
    UNKNOWN = "nothing is proved of u there"


def push(phi: Expression) -> Push:
    """Decide it for piecewise polynomials; of others only a u that is constant everywhere is seen."""
    f = pieces_of(phi)
    if f is None:
        return Push.UNKNOWN if odd_slope(phi) is None else Push.CONSTANT
    u_at_0 = polynomial([-2 * value(beside(f, ZERO)[1].derivative(), ZERO)])
    places = sorted({ZERO, *(abs(high) for _, high, _ in f if high is not None)})
    found = Push.CONSTANT
    for low, high in zip(places, [*places[1:], None], strict=True):
        inside = low + 1 if high is None else (low + high) / 2
        slope, mirrored = (beside(f, x)[0].derivative() for x in (inside, -inside))
        falling = sign(slope, low, high)
        if falling in {0, 1}:
            break
        # Where the slope reaches 0 at an irrational place, more is asked for than is needed.
        ends = sign_changes(slope, low, high) if falling is None else None
        below = u_at_0 + slope + mirrored(_MINUS_X)
        if not is_nonnegative(below, low, ends[0] if ends else high):
            return Push.UNKNOWN
        if below.degree() >= 0:
            found = Push.LARGEST_AT_0
    return found


Sum = dict[Fraction, fmpq_poly]
"""sum_r p_r(x) exp(r x), by r; no p_r is 0."""

_MOST_TERMS: Final = 64


@frozen
class _Form:
    """The sum, multiples of logarithms of sums, and perhaps an even function that is not told."""

    sum: Sum
    logs: tuple[tuple[Fraction, Sum], ...] = ()
    even: bool = False

    @property
    def plain(self) -> bool:
        return not self.logs and not self.even

    @property
    def constant(self) -> Fraction | None:
        """The number that it is."""
        if not self.plain or any(r or p.degree() > 0 for r, p in self.sum.items()):
            return None
        return fraction(self.sum[ZERO][0]) if self.sum else ZERO

    @property
    def is_even(self) -> bool:
        return not self.logs and self.sum == _reflect(self.sum)


class _NoFormError(Exception):
    """The function is not of this form, or too long."""


@final
class _Forms(Algebra[_Form]):
    """The form of each operation."""

    def number(self, value: Fraction) -> _Form:
        return _Form(_number(value))

    def variable(self) -> _Form:
        return _Form({ZERO: fmpq_poly([0, 1])})

    def add(self, u: _Form, v: _Form) -> _Form:
        return _Form(_add(u.sum, v.sum, 1), u.logs + v.logs, u.even or v.even)

    def multiply(self, u: _Form, v: _Form) -> _Form:
        for factor, other in ((u, v), (v, u)):
            c = factor.constant
            if c is not None:
                scaled = {r: quotient(c) * p for r, p in other.sum.items()} if c else {}
                return _Form(scaled, tuple((c * q, inside) for q, inside in other.logs if c), other.even)
        return _Form(_product(u.sum, v.sum)) if u.plain and v.plain else self._even(u, v)

    def power(self, u: _Form, exponent: Fraction) -> _Form:
        if exponent.denominator == 1 and exponent >= 0 and u.plain:
            found = self.number(ONE)
            for _ in range(int(exponent)):
                found = self.multiply(found, u)
            return found
        c = u.constant
        if c and exponent.denominator == 1:
            return self.number(c ** int(exponent))
        return self._even(u)

    def exp(self, u: _Form) -> _Form:
        line = u.sum.get(ZERO, fmpq_poly())
        if u.plain and u.sum.keys() <= {ZERO} and line.degree() <= 1 and line[0] == 0:
            return _Form({fraction(line[1]): fmpq_poly([1])})
        return self._even(u)

    def log(self, u: _Form) -> _Form:
        return _Form({}, ((ONE, u.sum),)) if u.plain else self._even(u)

    def maximum(self, parts: Sequence[_Form]) -> _Form:
        return self._even(*parts)

    def _even(self, *parts: _Form) -> _Form:
        """An operation on even functions gives an even one, whatever it is."""
        if all(part.is_even for part in parts):
            return _Form({}, even=True)
        raise _NoFormError


def _add(f: Sum, g: Sum, sign: int) -> Sum:
    """f + g or f - g."""
    if len(f) + len(g) > _MOST_TERMS or any(p.degree() > _MOST_TERMS for p in (*f.values(), *g.values())):
        raise _NoFormError
    both = {r: f.get(r, fmpq_poly()) + sign * g.get(r, fmpq_poly()) for r in f.keys() | g.keys()}
    return {r: p for r, p in both.items() if p.degree() >= 0}


def _number(value: Fraction) -> Sum:
    return {ZERO: fmpq_poly([quotient(value)])} if value else {}


def _product(f: Sum, g: Sum) -> Sum:
    found: Sum = {}
    for r, p in f.items():
        found = _add(found, {r + s: p * q for s, q in g.items()}, 1)
    return found


def _derivative(f: Sum) -> Sum:
    found = {r: p.derivative() + quotient(r) * p for r, p in f.items()}
    return {r: p for r, p in found.items() if p.degree() >= 0}


def _reflect(f: Sum) -> Sum:
    """f(-x)."""
    return {-r: p(_MINUS_X) for r, p in f.items()}


def _linear(f: Sum) -> Fraction | None:
    """The c of a sum that is c x (one that is odd and linear), None for others."""
    if not f:
        return ZERO
    line = f.get(ZERO)
    fits = line is not None and len(f) == 1 and line.degree() == 1 and line[0] == 0
    return fraction(line[1]) if line is not None and fits else None
