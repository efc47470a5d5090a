"""What can be proved of a function, as data, and what follows from it."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, final

from consistency_lab.core.phi.piecewise import PiecewisePolynomial
from consistency_lab.core.phi.polynomial import is_nonnegative
from consistency_lab.core.phi.ranges import ANYTHING, Range


@final
@dataclass(frozen=True, slots=True)
class Facts:
    """What is proved of a function on the whole real line; False or None means "not proved".

    Parameters
    ----------
    defined
        It has a finite value at every real x. Without this nothing else is claimed.
    range
        Bounds on its values.
    convex, concave, nonincreasing, nondecreasing
        As the words say.
    log_convex, log_concave
        It is positive and its logarithm is convex, or concave.
    smooth
        It is twice differentiable.
    """

    defined: bool = False
    range: Range = ANYTHING
    convex: bool = False
    concave: bool = False
    nonincreasing: bool = False
    nondecreasing: bool = False
    log_convex: bool = False
    log_concave: bool = False
    smooth: bool = False

    @property
    def lower(self) -> Fraction | None:
        """A proved lower bound."""
        return self.range.lower

    @property
    def upper(self) -> Fraction | None:
        """A proved upper bound."""
        return self.range.upper

    @property
    def lower_strict(self) -> bool:
        """Whether the lower bound is proved not to be attained."""
        return self.range.lower_strict

    @property
    def upper_strict(self) -> bool:
        """Whether the upper bound is proved not to be attained."""
        return self.range.upper_strict

    @property
    def constant(self) -> bool:
        """Whether it is proved constant."""
        return self.nonincreasing and self.nondecreasing

    @property
    def affine(self) -> bool:
        """Whether it is proved affine."""
        return self.convex and self.concave


NOTHING: Final = Facts()
"""Nothing is proved."""


def closed(known: Facts) -> Facts:
    """Draw the conclusions that hold for every function."""
    if not known.defined:
        return NOTHING
    positive = known.range.positive
    constant = known.constant or (known.lower is not None and known.lower == known.upper)
    convex = known.convex or constant or known.log_convex
    concave = known.concave or constant
    return replace(
        known,
        convex=convex,
        concave=concave,
        nonincreasing=known.nonincreasing or constant,
        nondecreasing=known.nondecreasing or constant,
        log_convex=known.log_convex or (constant and positive),
        log_concave=known.log_concave or (concave and positive),
        smooth=known.smooth or (convex and concave),
    )


def of_piecewise(f: PiecewisePolynomial) -> Facts:
    """A piecewise polynomial is decided, so what is False here is refuted."""
    if f.degree <= 1 and not f.breakpoints:
        return _of_affine(f.pieces[0])
    upper = (-f).lower_bound()
    values = Range(f.lower_bound(), None if upper is None else -upper)
    return closed(
        Facts(
            defined=True,
            range=values,
            convex=f.is_convex(),
            concave=(-f).is_convex(),
            nonincreasing=f.is_nonincreasing(),
            nondecreasing=(-f).is_nonincreasing(),
            log_convex=values.positive and has_convex_power(f, Fraction(0), 1),
            log_concave=values.positive and has_convex_power(f, Fraction(0), -1),
            smooth=f.is_twice_differentiable(),
        )
    )


def _of_affine(piece: tuple[Fraction, ...]) -> Facts:
    slope = piece[1] if len(piece) > 1 else Fraction(0)
    constant = piece[0] if piece else Fraction(0)
    return closed(
        Facts(
            defined=True,
            range=ANYTHING if slope else Range.point(constant),
            convex=True,
            concave=True,
            nonincreasing=slope <= 0,
            nondecreasing=slope >= 0,
        )
    )


def has_convex_power(f: PiecewisePolynomial, exponent: Fraction, sign: int) -> bool:
    """Whether ``sign * f**exponent`` (``sign * log f`` for exponent 0) is convex, f being positive.

    (f**r)'' = r f**(r-2) (f f'' + (r-1) f'**2) and (log f)'' = f**(-2) (f f'' - f'**2), and at a kink the
    slopes must not fall.
    """
    factor = sign * (exponent or 1)
    kinks = (f.slope(b) for b in f.breakpoints)
    if not all(left * factor <= right * factor for left, right in kinks):
        return False
    rank = exponent - 1
    for low, high, p in f.intervals():
        slope = p.derivative()
        bend = p * slope.derivative() + slope * slope * int(rank.numerator) / int(rank.denominator)
        if not is_nonnegative(bend if factor > 0 else -bend, low, high):
            return False
    return True
