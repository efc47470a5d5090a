"""What a surrogate is to the kernel: features with a known minimizer, convex atoms, or a gradient field."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from consistency_lab.core.numbers import Real

from .atoms import Atom
from .labels import Label
from .target import Prediction, Target

Form = tuple[tuple[Fraction, ...], Fraction]
"""(beta_t, offset_t) of a linear decoder, which minimizes <u, beta_t> + offset_t."""


@final
@dataclass(frozen=True, slots=True)
class MeanFamily:
    """A surrogate whose minimizer is a strictly increasing function of each coordinate of E f(y).

    Parameters
    ----------
    features
        f(y), one number a coordinate.
    link
        That function, a key of `mean.LINKS`.
    decoders
        The decoders that fit.
    form
        For a linear decoder.
    """

    features: Callable[[Target, Label], tuple[Real, ...]]
    link: str = "identity"
    decoders: tuple[str, ...] = ("sort",)
    form: Callable[[Target, Prediction], Form] | None = None


@final
@dataclass(frozen=True, slots=True)
class AtomFamily:
    """A surrogate that is a sum of convex atoms, label by label."""

    atoms: Callable[[Target, Label], tuple[Atom, ...]]
    decoders: tuple[str, ...] = ("sort",)


@final
@dataclass(frozen=True, slots=True)
class FieldFamily:
    """What training with a library follows, be it the gradient of a loss or not; decoded by sorting."""

    entry: Mapping[str, object]
    decoders: tuple[str, ...] = ("sort",)


Family = MeanFamily | AtomFamily | FieldFamily
Fields = Mapping[str, object]
Reader = Callable[[Fields, Target, str], Family]
