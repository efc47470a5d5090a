"""The risk W(u) as a sum of convex atoms, and what a stated slope of each of them proves."""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import field, replace
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from operator import add, sub
from typing import Any, Final, Self

from consistency_lab.core.reading import (
    Names,
    Reader,
    array,
    entries,
    expression,
    fraction,
    log_rational,
    many,
    row,
)
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.frozen import frozen, frozen_base
from consistency_lab.numbers.balls import (
    BITS,
    ORIGIN,
    Real,
    UncertainError,
    at_most,
    below,
    brief_total,
    exp,
    is_known,
    is_zero,
    log,
    minus,
    plus,
    shown,
    times,
    union,
)
from consistency_lab.numbers.exact import ONE, ZERO, Ball, LogRational, enclose, working_precision
from consistency_lab.numbers.expression import Expression
from consistency_lab.numbers.shape import Shape, convexity_proof, facts
from consistency_lab.numbers.values import exact_slopes, jet, slopes_at_many, value_at

# --- What the core asks about a scalar function ----------------------------------------------------------
# What the core asks about a scalar function phi, remembered for the few functions and points of a file.


@lru_cache(maxsize=256)
def convexity(phi: Expression) -> str:
    """How phi is proved to be finite and convex on the whole line.

    RejectedError if it is not proved.
    """
    proof = convexity_proof(phi)
    if proof is None:
        raise RejectedError(f"convexity of {phi} is not proved")
    return proof


@lru_cache(maxsize=256)
def nodes(phi: Expression) -> int:
    """How many operations and numbers phi has."""
    return phi.nodes


@lru_cache(maxsize=2048)
def rational_slopes(phi: Expression, x: LogRational) -> tuple[Fraction | None, Fraction | None]:
    """Left and right derivative at x, None where it is not known to be rational."""
    with working_precision(BITS):
        return exact_slopes(phi, x)


@lru_cache(maxsize=2048)
def near(phi: Expression, x: LogRational, bits: int) -> tuple[Real, Real, Real]:
    """phi(x), and the left and the right derivative there, in one pass with `bits` bits."""
    with working_precision(bits):
        return jet(phi, x)


@lru_cache(maxsize=2048)
def value(phi: Expression, x: LogRational, bits: int) -> Real:
    """phi(x), exactly or with `bits` bits."""
    with working_precision(bits):
        return value_at(phi, x)


# --- The risk W(u) as a sum of convex atoms, and what a stated slope of each of them proves --------------
# An atom f is c times one of
#
# * phi(<v, u> - b) for a convex scalar phi (`PhiAtom`),
# * log sum_k exp(u_k) over some coordinates (`LogSumExp`),
# * max_k (<v_k, u> + b_k) (`Max`),
# * <v, u> (`Linear`),
#
# with c >= 0 rational. Evidence about it is a slope: a number s for phi, weights on the exponentials, weights
# on the pieces. It gives an exact subgradient at exact scores, and for every u an affine minorant <g, u> + k
# <= f(u).

MAX_BITS: Final = 200_000
"""Longest logarithm in a sum of scores."""


Scores = Sequence[LogRational]
Direction = tuple[tuple[int, Fraction], ...]
"""((coordinate, factor), ...) by rising coordinate, without zeros."""

Slope = Fraction | tuple[Fraction, ...] | None
"""What a file states of an atom; None where nothing needs to be stated."""

Bracket = tuple[Fraction, Fraction] | None
"""x_l <= x_r with phi'(x_l) <= s <= phi'(x_r); None for s = 0 where phi is bounded below."""


@frozen_base
class Atom(ABC):
    """A convex summand c f of the risk."""

    c: Fraction

    @property
    def shape(self) -> Hashable:
        """All but the coefficient: atoms that agree in it may be added up."""
        return replace(self, c=ONE)

    def times(self, factor: Fraction) -> Self:
        """The atom with its coefficient multiplied."""
        return self if factor == 1 else replace(self, c=factor * self.c)

    def check(self) -> str | None:
        """Check that it is convex; how that of a scalar function is proved, None where the form says it.

        RejectedError if the coefficient is negative, or convexity is not proved.
        """
        if self.c.numerator < 0:
            raise RejectedError(f"an atom has the negative coefficient {shown(self.c)}")
        return None

    @abstractmethod
    def gradient(self, slope: Slope, scores: Scores) -> Direction:
        """An exact subgradient at the scores (RejectedError if the slope does not prove one)."""

    @abstractmethod
    def minorant(self, slope: Slope, bracket: Bracket, bits: int) -> tuple[Direction, Real]:
        """g and k with <g, u> + k <= f(u) for all u (RejectedError if not proved)."""

    @abstractmethod
    def value(self, scores: Scores, bits: int) -> Real:
        """f at exact scores, at the working precision where it is not known exactly."""

    def loss(self, slope: Slope, bracket: Bracket, scores: Scores, bits: int) -> tuple[Direction, Real]:
        """g, and how far the minorant lies below f at the scores (RejectedError if not proved)."""
        direction, constant = self.minorant(slope, bracket, bits)
        line = (times(LogRational(-n), scores[k]) for k, n in direction)
        return direction, brief_total([self.value(scores, bits), -constant, *line])

    def near_loss(
        self, slope: Slope, radius: Fraction | None, scores: Scores, bits: int
    ) -> tuple[Direction, Real]:
        """The same, or a little more, for a slope that is attained within a radius of the scores."""
        if radius is not None:
            raise RejectedError("a radius belongs to the slope of a scalar function")
        return self.loss(slope, None, scores, bits)

    @property
    def parts(self) -> int:
        """How many operations and numbers it takes to work it out."""
        return sum(len(v) for v in self.directions())

    @abstractmethod
    def directions(self) -> Iterable[Direction]:
        """The v for which f depends on <v, u>."""

    def settles(self, direction: Sequence[int]) -> bool:
        """Whether f(u + t d) falls to inf f as t grows (True), or does not depend on t (False).

        RejectedError if neither is proved.
        """
        if any(_rate(v, direction) for v in self.directions()):
            raise RejectedError("it moves along the direction, and is not proved to fall to its infimum")
        return False


@frozen
class PhiAtom(Atom):
    """``c * phi(<v, u> - b)``."""

    phi: Expression
    v: Direction
    b: LogRational
    _shape: Hashable = field(init=False, repr=False, compare=False, default=None)

    @property
    def shape(self) -> Hashable:
        if self._shape is None:  # the hash of a fraction takes long
            v = tuple([(k, n.numerator, n.denominator) for k, n in self.v])
            shape = self.phi, v, self.b.a.as_integer_ratio(), self.b.q.as_integer_ratio()
            object.__setattr__(self, "_shape", shape)
        return self._shape

    def check(self) -> str | None:
        Atom.check(self)  # not super(): with slots a class is made anew, and super() would ask the old one
        return convexity(self.phi)

    def at(self, scores: Scores) -> LogRational:
        """<v, u> - b."""
        return form(self.v, scores, -self.b)

    def gradient(self, slope: Slope, scores: Scores) -> Direction:
        s = _number(slope)
        point = self.at(scores)
        left, right = rational_slopes(self.phi, point)
        if left is None or right is None:
            raise RejectedError(f"the slopes of {self.phi} at {shown(point)} are not known to be rational")
        if not left <= s <= right:
            allowed = f"is {shown(left)}" if left == right else f"lies from {shown(left)} to {shown(right)}"
            raise RejectedError(
                f"a slope is stated as {shown(s)}, but that of {self.phi} at {shown(point)} {allowed}"
            )
        return scaled(self.v, self.c * s)

    def minorant(self, slope: Slope, bracket: Bracket, bits: int) -> tuple[Direction, Real]:
        # phi(x) >= s x - phi*(s), so c phi(<v, u> - b) >= <c s v, u> - c (s b + phi*(s)).
        s = _number(slope)
        offset = plus(times(LogRational(s), self.b), conjugate(self.phi, s, bracket, bits))
        return scaled(self.v, self.c * s), times(LogRational(-self.c), offset)

    def value(self, scores: Scores, bits: int) -> Real:
        return times(LogRational(self.c), value(self.phi, self.at(scores), bits))

    def near_loss(
        self, slope: Slope, radius: Fraction | None, scores: Scores, bits: int
    ) -> tuple[Direction, Real]:
        if radius is None:
            return self.loss(slope, None, scores, bits)
        s = _number(slope)
        rest = near_rest(self.phi, s, self.at(scores), radius, bits)
        return scaled(self.v, self.c * s), brief_total([times(LogRational(self.c), rest)])

    @property
    def parts(self) -> int:
        return nodes(self.phi)

    def directions(self) -> Iterable[Direction]:
        return (self.v,)

    def settles(self, direction: Sequence[int]) -> bool:
        rate = _rate(self.v, direction)
        if not rate:
            return False
        known, wanted = facts(self.phi), Shape.NONINCREASING if rate > 0 else Shape.NONDECREASING
        if known is None or known.lower is None or wanted not in known.shape:
            raise RejectedError(f"{self.phi} is not proved to fall to its infimum along the direction")
        return True


@frozen
class LogSumExp(Atom):
    """``c * log(sum over k of exp(u_k))``."""

    over: tuple[int, ...]

    def gradient(self, slope: Slope, scores: Scores) -> Direction:
        """c softmax(u), which is rational if the scores differ by logarithms of rationals."""
        _unstated(slope, "slope at a minimum")
        some = [scores[k] for k in self.over]
        if any(score.a != some[0].a for score in some):
            raise RejectedError("the scores of a log-sum-exp differ by more than a logarithm of a rational")
        total = sum((score.q for score in some), Fraction(0))
        return tuple((k, self.c * score.q / total) for k, score in zip(self.over, some, strict=True))

    def minorant(self, slope: Slope, bracket: Bracket, bits: int) -> tuple[Direction, Real]:
        _unstated(bracket, "bracket")
        # log sum exp(u_k) >= sum w_k u_k - sum w_k log w_k for weights w (Gibbs).
        weights = _weights(slope, len(self.over))
        entropy = brief_total(times(LogRational(-w), log(LogRational(w))) for w in weights if w)
        direction = tuple((k, self.c * w) for k, w in zip(self.over, weights, strict=True) if w)
        return direction, times(LogRational(self.c), entropy)

    def value(self, scores: Scores, bits: int) -> Real:
        return times(LogRational(self.c), log(brief_total(exp(scores[k]) for k in self.over)))

    def directions(self) -> Iterable[Direction]:
        return (((k, Fraction(1)),) for k in self.over)


@frozen
class Max(Atom):
    """``c * max over k of (<v_k, u> + b_k)``."""

    pieces: tuple[tuple[Direction, Fraction], ...]

    def gradient(self, slope: Slope, scores: Scores) -> Direction:
        weights = _weights(slope, len(self.pieces))
        values = [form(v, scores, LogRational(b)) for v, b in self.pieces]
        for weight, found in zip(weights, values, strict=True):
            if weight and any(found < other for other in values):
                raise RejectedError("a weight stands on a piece that does not attain the maximum")
        return self._mixed(weights)

    def minorant(self, slope: Slope, bracket: Bracket, bits: int) -> tuple[Direction, Real]:
        _unstated(bracket, "bracket")
        weights = _weights(slope, len(self.pieces))
        constant = sum((w * b for w, (_, b) in zip(weights, self.pieces, strict=True)), Fraction(0))
        return self._mixed(weights), LogRational(self.c * constant)

    def _mixed(self, weights: Sequence[Fraction]) -> Direction:
        parts = [scaled(v, self.c * w) for w, (v, _) in zip(weights, self.pieces, strict=True)]
        return total(parts)

    def value(self, scores: Scores, bits: int) -> Real:
        values = [form(v, scores, LogRational(b)) for v, b in self.pieces]
        return times(LogRational(self.c), next(x for x in values if not any(x < y for y in values)))

    def directions(self) -> Iterable[Direction]:
        return (v for v, _ in self.pieces)


@frozen
class Linear(Atom):
    """``c * <v, u>``."""

    v: Direction

    def gradient(self, slope: Slope, scores: Scores) -> Direction:
        _unstated(slope, "slope")
        return scaled(self.v, self.c)

    def minorant(self, slope: Slope, bracket: Bracket, bits: int) -> tuple[Direction, Real]:
        _unstated(slope, "slope")
        _unstated(bracket, "bracket")
        return scaled(self.v, self.c), ORIGIN

    def value(self, scores: Scores, bits: int) -> Real:
        return times(LogRational(self.c), form(self.v, scores, ORIGIN))

    def directions(self) -> Iterable[Direction]:
        return (self.v,)


def merged(atoms: Iterable[Atom]) -> tuple[Atom, ...]:
    """Atoms that differ in c alone added up, in order of first appearance; those with c = 0 dropped."""
    found: dict[Hashable, list[Atom]] = {}
    for atom in atoms:
        if atom.c:
            found.setdefault(atom.shape, []).append(atom)
    sums = ((alike, sum((atom.c for atom in alike[1:]), alike[0].c)) for alike in found.values())
    return tuple(alike[0] if len(alike) == 1 else replace(alike[0], c=c) for alike, c in sums if c)


def total(parts: Iterable[Direction]) -> Direction:
    """The sum of directions."""
    return combined((part, ONE) for part in parts)


def combined(parts: Iterable[tuple[Direction, Fraction]]) -> Direction:
    """The sum of multiples of directions: whole numbers are added up for each denominator."""
    found: dict[int, dict[int, int]] = {}
    for v, factor in parts:
        above, below = factor.as_integer_ratio()
        for k, n in v:
            sums, denominator = found.setdefault(k, {}), below * n.denominator
            sums[denominator] = sums.get(denominator, 0) + above * n.numerator
    sums_of = ((k, sum(map(Fraction, sums.values(), sums), ZERO)) for k, sums in found.items())
    return tuple(sorted((k, n) for k, n in sums_of if n))


def scaled(v: Direction, factor: Fraction) -> Direction:
    """A multiple of a direction."""
    return tuple((k, factor * n) for k, n in v) if factor else ()


def _rate(v: Direction, direction: Sequence[int]) -> Fraction:
    return sum((n * direction[k] for k, n in v), Fraction(0))


def form(v: Iterable[tuple[int, Fraction]], scores: Scores, constant: LogRational) -> LogRational:
    """<v, u> plus a constant.

    RejectedError if a multiple of a score is not of the form a + log q, or the sum has more than `MAX_BITS`
    bits.
    """
    found, v = constant, tuple(v)
    if sum(bits * max(ONE, abs(n)) for k, n in v if (bits := _bits(scores[k].q))) > MAX_BITS:
        raise RejectedError(f"a sum of scores has more than {MAX_BITS} bits; write scores with fewer digits")
    for k, n in v:
        part = scores[k].times(n)
        if part is None:
            raise RejectedError(f"{shown(n)} times the score {shown(scores[k])} is not known exactly")
        found = found + part
    return found


def _bits(q: Fraction) -> int:
    return 0 if q == 1 else max(q.numerator.bit_length(), q.denominator.bit_length())


def conjugate(phi: Expression, slope: Fraction, bracket: Bracket, bits: int) -> Real:
    """An upper bound of phi*(s) = sup_x (s x - phi(x)), from the two tangents at the ends of a bracket.

    phi*(s) <= s x_l - phi(x_l) + (s - phi'(x_l)) (x_r - x_l) where phi'(x_l) <= s <= phi'(x_r).

    RejectedError if the slopes at the ends are not certainly on either side of s.
    """
    if bracket is None:
        known = facts(phi)
        if slope or known is None or known.lower is None:
            raise RejectedError(f"the slope {shown(slope)} of {phi} needs a bracket")
        return LogRational(-known.lower)
    (left, right), s = bracket, LogRational(slope)
    if left > right:
        raise RejectedError(f"the bracket [{shown(left)}, {shown(right)}] is empty")
    value, lowest, low = near(phi, LogRational(left), bits)
    _, _, high = near(phi, LogRational(right), bits)
    if not at_most(lowest, s):
        words = f"the slope of {phi} at {shown(left)} is not certainly at most {shown(slope)}"
        raise _refusal(s, lowest, words)
    if not at_most(s, high):
        words = f"the slope of {phi} at {shown(right)} is not certainly at least {shown(slope)}"
        raise _refusal(high, s, words)
    # The larger of the two slopes at the left end gives the better bound, if it is below s. Where that is
    # open the ball holds both bounds, so that no bound is said to fail that more bits would mend.
    tangent = low if at_most(low, s) else lowest
    if is_known(low) and not (at_most(low, s) or below(s, low)):
        tangent = union([tangent, low])
    beyond = times(minus(s, tangent), LogRational(right - left))
    return plus(minus(LogRational(slope * left), value), beyond)


def _refusal(x: Real, y: Real, words: str) -> RejectedError:
    """Why x >= y is not known: it is false, or the balls are too wide."""
    return RejectedError(words) if below(x, y) else UncertainError(words)


def near_rest(phi: Expression, slope: Fraction, x: LogRational, radius: Fraction, bits: int) -> Real:
    """An upper bound of phi(x) + phi*(s) - s x from slopes alone, for an s that is attained near x.

    Let phi'(x - r) <= s <= phi'(x + r), with the left derivative on the left and the right one on the right.
    Then phi(y) - s y is least at some y with abs(y - x) <= r, so phi*(s) = s y - phi(y). With a subgradient p
    at x,

        phi(x) + phi*(s) - s x = phi(x) - phi(y) + s (y - x) <= (s - p) (y - x),

    and both s and p lie between phi'(x - r) and phi'(x + r). So it is at most r (phi'(x + r) - phi'(x - r)),
    which is of second order in r where phi' is smooth. No value of phi is needed, nothing cancels, and kinks
    do no harm.

    RejectedError if s is not certainly between the two slopes, or r < 0.
    """
    if radius < 0:
        raise RejectedError(f"the radius {shown(radius)} is negative")
    aside, s = LogRational(radius), LogRational(slope)
    low, high = near(phi, x - aside, bits)[1], near(phi, x + aside, bits)[2]
    if not (at_most(low, s) and at_most(s, high)):
        reach = f"within {shown(radius)} of {shown(x)}"
        words = f"the slope {shown(slope)} of {phi} is not certainly attained {reach}"
        raise _refusal(s, low, words) if at_most(s, high) else _refusal(high, s, words)
    return times(aside, minus(high, low))


Sloped = tuple[Direction, Fraction, Real]
"""A direction and a factor, whose product is the slope of a minorant; and how far below the atom that is."""


def near_losses(
    stated: Sequence[tuple[Atom, Slope, Fraction | None]], scores: Scores, bits: int
) -> list[Sloped]:
    """`Atom.near_loss` of each atom, slope and radius; of one function in one pass, where balls tell."""
    u, terms = [score.ball() for score in scores], dict[Expression, list[_Near]]()
    for place, (atom, slope, radius) in enumerate(stated):
        if isinstance(atom, PhiAtom) and isinstance(slope, Fraction) and radius is not None and radius >= 0:
            terms.setdefault(atom.phi, []).append((place, atom, slope, radius))
    found: dict[int, Sloped] = {}
    for phi, some in terms.items():
        x = [_ball_at(atom, u) for _, atom, *_ in some]
        r = [enclose(radius) for *_, radius in some]
        lows, highs = slopes_at_many(phi, map(sub, x, r)), slopes_at_many(phi, map(add, x, r))
        for (place, atom, slope, _), aside, low, high in zip(some, r, lows, highs, strict=True):
            if low <= enclose(slope) <= high:
                rest = aside * (high - low)  # as in `near_rest`
                found[place] = atom.v, atom.c * slope, enclose(atom.c) * rest
    for place, (atom, slope, radius) in enumerate(stated):
        if place not in found:
            v, loss = atom.near_loss(slope, radius, scores, bits)
            found[place] = v, ONE, loss
    return [found[place] for place in range(len(stated))]


def _ball_at(atom: PhiAtom, u: Sequence[Ball]) -> Ball:
    """A ball around <v, u> - b, from balls around u."""
    parts = (u[k] if n == 1 else -u[k] if n == -1 else enclose(n) * u[k] for k, n in atom.v)
    return sum(parts, Ball(0) if is_zero(atom.b) else -atom.b.ball())


_Near = tuple[int, PhiAtom, Fraction, Fraction]
"""Where a term stands, the term, a slope and its radius."""


def _unstated(value: object, what: str) -> None:
    """Refuse what would not be looked at."""
    if value is not None:
        raise RejectedError(f"an atom of this kind has no {what} to state; it must be null")


def _number(slope: Slope) -> Fraction:
    if not isinstance(slope, Fraction):
        raise RejectedError("the slope of a term is one number")
    return slope


def _weights(slope: Slope, count: int) -> tuple[Fraction, ...]:
    if not isinstance(slope, tuple) or len(slope) != count:
        raise RejectedError(f"an atom of {count} pieces needs a list of {count} weights")
    if sum(slope) != 1 or min(slope) < 0:
        raise RejectedError("weights must be at least 0 and sum to 1")
    return slope


# --- Reading atoms and slopes ----------------------------------------------------------------------------

_SHORT: Final = 40
_LARGEST_FACTOR: Final = 10**_SHORT
"""Largest numerator and denominator of a factor of a score; `form` bounds the powers of logarithms."""


def read_slope(value: object, where: str) -> Slope:
    """A number, a list of weights, or null."""
    if value is None:
        return None
    return array(value, where, fraction) if isinstance(value, list) else fraction(value, where)


def read_atoms(coordinates: Names) -> Reader[tuple[Atom, ...]]:
    """The reader of the atoms of a label: blocks of terms that share phi and offset, and single ones."""

    def along(value: object, where: str, largest: int | None = _LARGEST_FACTOR) -> Direction:
        if not isinstance(value, dict):
            raise InputError(f"{where} must be an object that gives some coordinates a factor")
        found = [(coordinates.one(k, where), fraction(n, where)) for k, n in value.items()]
        # A text of fewer characters has no more digits.
        long = [n for text, (_, n) in zip(value.values(), found, strict=True) if len(text) > _SHORT]
        if largest and any(abs(n.numerator) > largest or n.denominator > largest for n in long):
            raise InputError(f"{where} has a factor of more than 40 digits; scale the term")
        return tuple(sorted((k, n) for k, n in found if n))

    def part(value: object, where: str) -> tuple[Fraction, Direction]:
        c, v = row(value, where, 2)
        return fraction(c, where), along(v, where)

    def piece(value: object, where: str) -> tuple[Direction, Fraction]:
        v, b = row(value, where, 2)
        return along(v, where), fraction(b, where)

    def over(value: object, where: str) -> tuple[int, ...]:
        return tuple(sorted(coordinates.different(value, where, 1)))

    kinds: dict[str, dict[str, Reader[Any]]] = {
        "phi": {"phi": expression, "offset": log_rational, "terms": many(part)},
        "log-sum-exp": {"log-sum-exp": fraction, "over": over},
        "max": {"max": fraction, "pieces": many(piece)},
        "linear": {"linear": lambda x, at: along(x, at, None)},
    }

    def block(value: object, where: str) -> tuple[Atom, ...]:
        kind = next((k for k in kinds if isinstance(value, dict) and k in value), None)
        if kind is None:
            raise InputError(f"{where} must be an object with the key {', '.join(kinds)}")
        first, *rest = entries(value, where, kinds[kind]).values()
        match kind:
            case "phi":
                offset, terms = rest
                return tuple(PhiAtom(c, first, v, offset) for c, v in terms)
            case "log-sum-exp":
                return (LogSumExp(first, *rest),)
            case "max" if not rest[0]:
                raise InputError(f"{where}.pieces must have at least one piece")
            case "max":
                return (Max(first, *rest),)
        return (Linear(ONE, first),)

    return lambda value, where: tuple(chain.from_iterable(array(value, where, block)))
