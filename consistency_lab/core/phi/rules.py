"""A calculus of composition: facts about a function, proved from facts about its parts.

Every rule is a theorem of elementary convex analysis (Boyd and Vandenberghe, Convex Optimization, 3.2 and
3.5); a fact that is False is not refuted, only not proved. Parts that are piecewise polynomials with rational
breakpoints are decided exactly.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from consistency_lab.core.phi.expression import Expression
from consistency_lab.core.phi.piecewise import PiecewisePolynomial, combine
from consistency_lab.core.phi.ranges import Range, largest
from consistency_lab.core.phi.shape import NOTHING, Facts, closed, has_convex_power, of_piecewise


def facts(e: Expression) -> Facts:
    """Everything that the rules prove of a function.

    Examples
    --------
    >>> from consistency_lab.core.phi import parse
    >>> known = facts(parse("log(1+exp(-x))"))
    >>> known.convex, known.nonincreasing, known.lower, known.lower_strict
    (True, True, Fraction(0, 1), True)
    """
    return _examine(e)[0]


def _examine(e: Expression) -> tuple[Facts, PiecewisePolynomial | None]:
    """The facts, and the normal form if there is one: one pass over the tree."""
    children = [_examine(child) for child in (e.args[:1] if e.op == "power" else e.args)]
    parts = [known for known, _ in children]
    forms = [form for _, form in children if form is not None]
    form = combine(e, forms) if len(forms) == len(children) else None
    if form is not None:
        return of_piecewise(form), form
    if not all(part.defined for part in parts):
        return NOTHING, None
    if e.op in ("power", "sqrt"):
        exponent = Fraction(1, 2) if e.op == "sqrt" else e.exponent
        return closed(_power_of_form(parts[0], forms, exponent)), None
    if e.op == "multiply" and e.args[0] == e.args[1]:
        return closed(_power(parts[0], Fraction(2))), None
    return closed(_RULES[e.op](parts)), None


def _negate(u: Facts) -> Facts:
    return Facts(
        defined=u.defined,
        range=-u.range,
        convex=u.concave,
        concave=u.convex,
        nonincreasing=u.nondecreasing,
        nondecreasing=u.nonincreasing,
        smooth=u.smooth,
    )


def _add(parts: Sequence[Facts]) -> Facts:
    u, v = parts
    return Facts(
        defined=True,
        range=u.range + v.range,
        convex=u.convex and v.convex,
        concave=u.concave and v.concave,
        nonincreasing=u.nonincreasing and v.nonincreasing,
        nondecreasing=u.nondecreasing and v.nondecreasing,
        log_convex=u.log_convex and v.log_convex,
        smooth=u.smooth and v.smooth,
    )


def _product(u: Facts, v: Facts) -> Facts:
    for first, second in ((u, v), (v, u)):
        if first.range.nonpositive and not first.range.nonnegative:
            return _negate(closed(_product(closed(_negate(first)), second)))
    both = u.range.nonnegative and v.range.nonnegative
    up, down = u.nondecreasing and v.nondecreasing, u.nonincreasing and v.nonincreasing
    known = Facts(
        defined=True,
        range=u.range * v.range,
        convex=both and u.convex and v.convex and (up or down),
        nonincreasing=both and down,
        nondecreasing=both and up,
        log_convex=u.log_convex and v.log_convex,
        log_concave=u.log_concave and v.log_concave,
        smooth=u.smooth and v.smooth,
    )
    for scale, other in ((u, v), (v, u)):
        if scale.constant and scale.range.nonnegative:
            return replace(
                known,
                convex=known.convex or other.convex,
                concave=other.concave,
                nonincreasing=known.nonincreasing or other.nonincreasing,
                nondecreasing=known.nondecreasing or other.nondecreasing,
            )
    return known


def _power_of_form(u: Facts, forms: Sequence[PiecewisePolynomial], exponent: Fraction) -> Facts:
    known = _power(u, exponent)
    if not forms or not u.range.positive or exponent == 0:
        return known
    return replace(
        known,
        convex=known.convex or has_convex_power(forms[0], exponent, 1),
        concave=known.concave or has_convex_power(forms[0], exponent, -1),
    )


def _power(u: Facts, r: Fraction) -> Facts:
    whole, odd = r.denominator == 1, r.numerator % 2 == 1
    if r == 0:
        return Facts(defined=True, range=Range.point(1), nonincreasing=True, nondecreasing=True)
    if u.range.positive or (u.range.nonnegative and r > 0):
        return _power_of_nonnegative(u, r)
    if not whole or (r < 0 and not u.range.negative):
        return NOTHING
    if u.range.nonpositive:
        mirrored = closed(_power_of_nonnegative(closed(_negate(u)), r))
        return _negate(mirrored) if odd else mirrored
    return Facts(
        defined=True,
        range=u.range.power(r),
        convex=u.affine and not odd,
        nonincreasing=odd and u.nonincreasing,
        nondecreasing=odd and u.nondecreasing,
        smooth=u.smooth,
    )


def _power_of_nonnegative(u: Facts, r: Fraction) -> Facts:
    falling = r < 0
    return Facts(
        defined=True,
        range=u.range.power(r),
        convex=(r >= 1 and u.convex),
        concave=(0 < r <= 1 and u.concave),
        nonincreasing=u.nondecreasing if falling else u.nonincreasing,
        nondecreasing=u.nonincreasing if falling else u.nondecreasing,
        log_convex=u.log_concave if falling else u.log_convex,
        log_concave=u.log_convex if falling else u.log_concave,
        smooth=u.smooth and (u.range.positive or r.denominator == 1 or r >= 2),
    )


def _exp(u: Facts) -> Facts:
    return Facts(
        defined=True,
        range=u.range.exp(),
        convex=u.convex,
        nonincreasing=u.nonincreasing,
        nondecreasing=u.nondecreasing,
        log_convex=u.convex,
        log_concave=u.concave,
        smooth=u.smooth,
    )


def _log(u: Facts) -> Facts:
    if not u.range.positive:
        return NOTHING
    return Facts(
        defined=True,
        range=u.range.log(),
        convex=u.log_convex,
        concave=u.log_concave,
        nonincreasing=u.nonincreasing,
        nondecreasing=u.nondecreasing,
        smooth=u.smooth,
    )


def _max(parts: Sequence[Facts]) -> Facts:
    kept = list(parts)
    for part in parts:
        # An argument that never exceeds another one does not matter.
        if len(kept) > 1 and any(_below(part, other) for other in kept if other is not part):
            kept.remove(part)
    if len(kept) == 1:
        return kept[0]
    return Facts(
        defined=True,
        range=largest([u.range for u in kept]),
        convex=all(u.convex for u in kept),
        nonincreasing=all(u.nonincreasing for u in kept),
        nondecreasing=all(u.nondecreasing for u in kept),
        log_convex=all(u.log_convex for u in kept),
    )


def _below(u: Facts, v: Facts) -> bool:
    return u.range.upper is not None and v.range.lower is not None and u.range.upper <= v.range.lower


def _min(parts: Sequence[Facts]) -> Facts:
    known = _negate(closed(_max([closed(_negate(u)) for u in parts])))
    return replace(known, log_concave=all(u.log_concave for u in parts))


def _abs(u: Facts) -> Facts:
    if u.range.nonnegative:
        return u
    known = _max([u, closed(_negate(u))])
    return replace(known, range=known.range.intersect(Range(Fraction(0))))


_RULES: Final[Mapping[str, Callable[[Sequence[Facts]], Facts]]] = MappingProxyType(
    {
        "add": _add,
        "subtract": lambda parts: _add([parts[0], closed(_negate(parts[1]))]),
        "multiply": lambda parts: _product(*parts),
        "divide": lambda parts: (
            _product(parts[0], inverse)
            if (inverse := closed(_power(parts[1], Fraction(-1)))).defined
            else NOTHING
        ),
        "negate": lambda parts: _negate(parts[0]),
        "exp": lambda parts: _exp(parts[0]),
        "log": lambda parts: _log(parts[0]),
        "abs": lambda parts: _abs(parts[0]),
        "max": _max,
        "min": _min,
    }
)
