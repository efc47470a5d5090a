"""The certificate "mean": the surrogate is minimized by an increasing function of each E f_i(y)."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from consistency_lab.core.numbers import Real, certainly_at_least, same, times, total
from consistency_lab.errors import RejectedError
from consistency_lab.exact import LogRational

from .document import TaskWitness
from .family import MeanFamily

ZERO: Final = Fraction(0)
ONE: Final = Fraction(1)


def _log(x: Fraction) -> LogRational | None:
    return LogRational(ZERO, x) if x > 0 else None


def _logit(x: Fraction) -> LogRational | None:
    return LogRational(ZERO, x / (1 - x)) if 0 < x < 1 else None


LINKS: Final[Mapping[str, Callable[[Fraction], LogRational | None]]] = MappingProxyType(
    {
        "identity": LogRational,
        "2x-1": lambda x: LogRational(2 * x - 1),
        "log": _log,
        "logit": _logit,
        "limit": lambda x: None,
    }
)
"""Strictly increasing functions; None stands for minus or plus infinity.

The link "limit" has no values: the minimum is only approached, far out in the orders that the decoder finds.
"""

RANGES: Final[Mapping[str, tuple[Fraction | None, Fraction | None]]] = MappingProxyType(
    {
        "identity": (None, None),
        "2x-1": (ZERO, ONE),
        "log": (ZERO, None),
        "logit": (ZERO, ONE),
        "limit": (ZERO, None),
    }
)
"""Where features must lie for the surrogate to have this minimizer."""


def means(family: MeanFamily, witness: TaskWitness) -> tuple[Real, ...]:
    """E f(y), coordinate by coordinate.

    Raises
    ------
    RejectedError
        If a feature is out of its range.
    """
    low, high = RANGES[family.link]
    features = {label: family.features(witness.target, label) for label in witness.p}
    for values in features.values():
        for x in values:
            if (low is not None and not certainly_at_least(x, low)) or (
                high is not None and not certainly_at_least(times(-ONE, x), -high)
            ):
                raise RejectedError("a feature of a label is out of the range of this surrogate")
    columns = zip(*features.values(), strict=True)
    return tuple(
        total(times(weight, x) for weight, x in zip(witness.p.values(), column, strict=True))
        for column in columns
    )


def check_scores(family: MeanFamily, witness: TaskWitness, found: tuple[Real, ...]) -> None:
    """Scores that are written out are the minimizer exactly (RejectedError).

    Where a mean is 0 and the link a logarithm, the minimum is only approached, by scores in the same order.
    """
    if witness.scores is None:
        return
    same("the number of scores", len(witness.scores), len(found))
    link = LINKS[family.link]
    for number, (score, x) in enumerate(zip(witness.scores, found, strict=True), start=1):
        if not isinstance(x, Fraction):
            raise RejectedError(f"the mean of coordinate {number} is not known to be rational")
        exact = link(x)
        if exact is None:
            raise RejectedError(f"the score {number} has no finite value; scores must be null")
        same(f"the score {number}", score, exact)
