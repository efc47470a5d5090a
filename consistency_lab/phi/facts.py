"""What is proved of a function, one entry a fact; with `smooth`, that no proof needs."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import final

from consistency_lab.core.phi import shape
from consistency_lab.core.phi.expression import Expression
from consistency_lab.core.phi.ranges import undominated
from consistency_lab.core.phi.shape import Shape
from consistency_lab.phi.piecewise import PiecewisePolynomial


@final
@dataclass(frozen=True, slots=True)
class Facts:
    """What is proved of a function on the whole real line; False or None means "not proved".

    Parameters
    ----------
    defined
        It has a finite value at every real x. Without this nothing else is claimed.
    lower, upper
        Bounds on its values.
    lower_strict, upper_strict
        Whether the bound is proved not to be attained.
    convex, concave, nonincreasing, nondecreasing
        As the words say.
    log_convex, log_concave
        It is positive and its logarithm is convex, or concave.
    smooth
        It is twice differentiable.
    """

    defined: bool = False
    lower: Fraction | None = None
    upper: Fraction | None = None
    lower_strict: bool = False
    upper_strict: bool = False
    convex: bool = False
    concave: bool = False
    nonincreasing: bool = False
    nondecreasing: bool = False
    log_convex: bool = False
    log_concave: bool = False
    smooth: bool = False

    @property
    def constant(self) -> bool:
        """Whether it is proved constant."""
        return self.nonincreasing and self.nondecreasing

    @property
    def positive(self) -> bool:
        """Whether every value is proved to be above 0."""
        return self.lower is not None and (self.lower, self.lower_strict) > (Fraction(0), False)


@lru_cache(maxsize=512)
def facts(e: Expression) -> Facts:
    """Everything that the rules prove of a function.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> known = facts(parse("log(1+exp(-x))"))
    >>> known.convex, known.nonincreasing, known.lower, known.lower_strict
    (True, True, Fraction(0, 1), True)
    """
    known = shape.facts(e)
    if known is None:
        return Facts()
    (low, low_strict), (minus, minus_strict) = known.range.low, known.range.minus
    return Facts(
        defined=True,
        lower=_exact(low),
        upper=_exact(-minus),
        lower_strict=low_strict,
        upper_strict=minus_strict,
        smooth=_is_smooth(e, known),
        **{kind.name.lower(): kind in known.shape for kind in Shape if kind.name},
    )


def _exact(bound: Fraction | float) -> Fraction | None:
    return bound if isinstance(bound, Fraction) else None


def _is_smooth(e: Expression, known: shape.Facts) -> bool:
    """Whether a function that is finite everywhere is proved to be twice differentiable."""
    if shape.AFFINE in known.shape:
        return True
    form = PiecewisePolynomial.of(e)
    if form is not None:
        return form.is_twice_differentiable()
    parts = [part for child in e.args if (part := shape.facts(child)) is not None]
    smooth = [_is_smooth(child, part) for child, part in zip(e.args, parts, strict=True)]
    if e.op == "abs":
        return smooth[0] and (parts[0].range.nonnegative or (-parts[0].range).nonnegative)
    if e.op in ("max", "min"):
        kept = undominated([part.range if e.op == "max" else -part.range for part in parts])
        return len(kept) == 1 and smooth[kept[0]]
    if e.op not in ("power", "sqrt"):
        return all(smooth)
    exponent = Fraction(1, 2) if e.op == "sqrt" else e.exponent
    return smooth[0] and (parts[0].range.positive or exponent.denominator == 1 or exponent >= 2)
