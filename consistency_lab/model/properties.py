"""What is known of a scalar function phi, and how it is known.

Every answer is proved, refuted or unknown. The methods are tried in this order: the normal form of piecewise
polynomials (which decides), composition rules (which prove), interval arithmetic on a small grid (which
refutes), exact one-sided slopes, implications between the properties, and last, where something is still
unknown, limits by SymPy of a formula that is built from our own tree, never from text.
"""

from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from functools import cached_property, lru_cache
from math import inf
from typing import Final

from consistency_lab.frozen import frozen, frozen_with_cache
from consistency_lab.model.limits import STOPPED, SlopesAtZero, Tail, slopes_at_zero, towards
from consistency_lab.numbers.balls import ORIGIN
from consistency_lab.numbers.exact import Ball, LogRational, working_precision
from consistency_lab.numbers.phi import (
    Expression,
    Facts,
    PiecewisePolynomial,
    enclose_slopes,
    enclose_value,
    exact_slopes,
    facts,
    is_differentiable,
)

CONVEX: Final = "convex"
NEGATIVE_SLOPE: Final = "phi'(0) < 0"
NONINCREASING: Final = "nonincreasing"
BOUNDED_BELOW: Final = "bounded below"
ASSUMPTION_A: Final = "Assumption A"
SMOOTH: Final = "smooth at 0"

_PRECISION: Final = 128
_SIZES: Final = (*map(Fraction, range(9)), *(Fraction(n, 4) for n in range(32) if n % 4))
_GRID: Final = tuple(dict.fromkeys(sign * size for size in _SIZES for sign in (1, -1)))
_STEPS: Final = (Fraction(1), Fraction(1, 4), Fraction(4))
_PIECEWISE: Final = "piecewise polynomial"
_RULES: Final = "composition rules"


class Status(Enum):
    """How much is known of a property; the value is the word that people read."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNKNOWN = "unknown"


@frozen
class Property:
    """One property of a scalar function."""

    name: str  #: One of the six names of this module.
    status: Status  #: Whether it is proved, refuted or unknown.
    how: str  #: The method, in a few words.
    value: str | None = None  #: The number that belongs to it (such as phi'(0)), or None.


@frozen_with_cache
class _Evidence:
    """A function and what is worked out about it once."""

    phi: Expression

    @cached_property
    def form(self) -> PiecewisePolynomial | None:
        return PiecewisePolynomial.of(self.phi)

    @cached_property
    def facts(self) -> Facts:
        return facts(self.phi)

    @cached_property
    def ends(self) -> tuple[Tail, Tail]:
        """How phi behaves towards plus and minus infinity, by SymPy."""
        if not self.facts.defined:
            return Tail(), Tail()
        return towards(self.phi, 1), towards(self.phi, -1)

    def value(self, x: Fraction) -> Ball:
        return enclose_value(self.phi, LogRational(x))


@lru_cache(maxsize=32)
def properties(phi: Expression) -> Mapping[str, Property]:
    """Find out whether phi is convex, decreasing at 0, nonincreasing, bounded below, and more."""
    with working_precision(_PRECISION):
        evidence = _Evidence(phi)
        convex = _convex(evidence)
        falling = _nonincreasing(evidence, convex)
        bounded = _bounded_below(evidence, convex)
        assumption = _assumption_a(evidence, bounded)
        smooth, slope = _at_zero(evidence)
    return {p.name: p for p in (convex, slope, falling, bounded, assumption, smooth)}


def _decided(name: str, holds: bool, how: str, value: str | None = None) -> Property:
    return Property(name, Status.PROVED if holds else Status.REFUTED, how, value)


def _unknown(name: str, evidence: _Evidence, *limits: Tail | SlopesAtZero) -> Property:
    """Unknown, and why; `limits` are those that were asked for."""
    if any(limit.stopped for limit in limits):
        return Property(name, Status.UNKNOWN, f"no method decides it; {STOPPED}")
    if evidence.facts.defined:
        return Property(name, Status.UNKNOWN, "no method decides it")
    return Property(name, Status.UNKNOWN, "it is not proved that phi is finite everywhere")


def _convex(evidence: _Evidence) -> Property:
    if evidence.form is not None:
        return _decided(CONVEX, evidence.form.is_convex(), _PIECEWISE)
    if evidence.facts.convex:
        return Property(CONVEX, Status.PROVED, _RULES)
    for step in _STEPS:
        for x in _GRID:
            low, high = x - step, x + step
            if 2 * evidence.value(x) > evidence.value(low) + evidence.value(high):
                how = f"interval arithmetic: phi({x}) > (phi({low})+phi({high}))/2"
                return Property(CONVEX, Status.REFUTED, how)
    return _unknown(CONVEX, evidence)


def _nonincreasing(evidence: _Evidence, convex: Property) -> Property:
    if evidence.form is not None:
        return _decided(NONINCREASING, evidence.form.is_nonincreasing(), _PIECEWISE)
    if evidence.facts.nonincreasing:
        return Property(NONINCREASING, Status.PROVED, _RULES)
    for step in _STEPS:
        for x in _GRID:
            if evidence.value(x) < evidence.value(x + step):
                how = f"interval arithmetic: phi({x}) < phi({x + step})"
                return Property(NONINCREASING, Status.REFUTED, how)
    ends = evidence.ends[:1] if convex.status is Status.PROVED else ()
    slope = ends[0].slope if ends else None
    if slope is None:
        return _unknown(NONINCREASING, evidence, *ends)
    # A convex function is nonincreasing iff its recession slope is at most 0 (Rockafellar 1970, Thm 8.6).
    return _decided(NONINCREASING, slope.sign <= 0, f"convex, and by SymPy phi'_inf(1) = {slope}")


def _bounded_below(evidence: _Evidence, convex: Property) -> Property:
    known = evidence.facts
    if evidence.form is not None:
        bound = evidence.form.lower_bound()
        return _decided(BOUNDED_BELOW, bound is not None, _PIECEWISE, None if bound is None else str(bound))
    if known.lower is not None:
        return Property(BOUNDED_BELOW, Status.PROVED, _RULES, str(known.lower))
    values = [evidence.value(x) for x in (Fraction(0), Fraction(1))]
    if known.concave and (values[0] < values[1] or values[1] < values[0]):
        return Property(BOUNDED_BELOW, Status.REFUTED, "composition rules: concave and not constant")
    if convex.status is Status.PROVED and (how := _turning_point(evidence.phi)):
        return Property(BOUNDED_BELOW, Status.PROVED, how)
    limits = [end.value for end in evidence.ends]
    if any(limit is not None and limit.sign < 0 and not limit.finite for limit in limits):
        return Property(BOUNDED_BELOW, Status.REFUTED, "SymPy limit: phi tends to minus infinity")
    if None in limits:
        return _unknown(BOUNDED_BELOW, evidence, *evidence.ends)
    # phi is continuous, so between two limits above minus infinity it is bounded below.
    how = f"SymPy limit: phi tends to {limits[0]} at infinity and to {limits[1]} at minus infinity"
    return Property(BOUNDED_BELOW, Status.PROVED, how)


def _turning_point(phi: Expression) -> str | None:
    """Two points that show a convex function to fall and to rise, so that its tangents bound it below."""
    slopes = {x: enclose_slopes(phi, LogRational(x)) for x in _GRID}
    falls = next((x for x, (left, _) in slopes.items() if left <= 0), None)
    rises = next((x for x, (_, right) in slopes.items() if right >= 0), None)
    if falls is None or rises is None:
        return None
    return f"convex, with phi'({falls}) <= 0 <= phi'({rises}) by interval arithmetic"


def _assumption_a(evidence: _Evidence, bounded: Property) -> Property:
    if evidence.form is not None:
        forward, backward = evidence.form.recession()
        value = f"phi'_inf(1) = {forward}, phi'_inf(-1) = {backward}"
        return _decided(ASSUMPTION_A, forward >= 0 or backward == inf, _PIECEWISE, value)
    if bounded.status is Status.PROVED:
        return Property(ASSUMPTION_A, Status.PROVED, "bounded below, so phi'_inf(1) >= 0")
    ahead, behind = (end.slope for end in evidence.ends)
    if ahead is not None and ahead.sign >= 0:
        return Property(ASSUMPTION_A, Status.PROVED, "SymPy limit", f"phi'_inf(1) = {ahead}")
    if behind is not None and behind.sign > 0 and not behind.finite:
        return Property(ASSUMPTION_A, Status.PROVED, "SymPy limit", "phi'_inf(-1) = inf")
    if ahead is None or behind is None:
        return _unknown(ASSUMPTION_A, evidence, *evidence.ends)
    value = f"phi'_inf(1) = {ahead}, phi'_inf(-1) = {behind}"
    return Property(ASSUMPTION_A, Status.REFUTED, "SymPy limit", value)


def _at_zero(evidence: _Evidence) -> tuple[Property, Property]:
    """Whether phi is differentiable at 0, and whether its derivative there is negative."""
    phi = evidence.phi
    smooth = is_differentiable(phi, ORIGIN)
    left, right = exact_slopes(phi, ORIGIN)
    ball = enclose_slopes(phi, ORIGIN)[0]
    if smooth and left is not None:
        how = "exact slopes"
        return Property(SMOOTH, Status.PROVED, how), _decided(NEGATIVE_SLOPE, left < 0, how, str(left))
    if smooth and not ball.contains(0):
        slope = _decided(
            NEGATIVE_SLOPE, bool(ball < 0), "interval arithmetic", f"about {ball.str(8, radius=False)}"
        )
        return Property(SMOOTH, Status.PROVED, "no kink at 0"), slope
    if smooth is False:
        how = "interval arithmetic" if left is None or right is None else "exact slopes"
        return _no_derivative(how, left, right)
    limits = slopes_at_zero(phi)
    left_limit, right_limit = limits.left, limits.right
    if left_limit is None or right_limit is None:
        return _unknown(SMOOTH, evidence, limits), _unknown(NEGATIVE_SLOPE, evidence, limits)
    if left_limit != right_limit:
        return _no_derivative("SymPy limit", left_limit, right_limit)
    if not left_limit.finite:
        return _unknown(SMOOTH, evidence), _unknown(NEGATIVE_SLOPE, evidence)
    slope = _decided(NEGATIVE_SLOPE, left_limit.sign < 0, "SymPy limit", left_limit.text)
    return Property(SMOOTH, Status.PROVED, "SymPy limit"), slope


def _no_derivative(how: str, left: object, right: object) -> tuple[Property, Property]:
    value = None if left is None or right is None else f"{left} from the left, {right} from the right"
    return (
        Property(SMOOTH, Status.REFUTED, how, value),
        Property(NEGATIVE_SLOPE, Status.REFUTED, "phi has no derivative at 0", value),
    )
