"""What items are worth by position in the shipped metrics, exactly."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from consistency_lab.model.surrogates.tasks.fields.numbers import total
from consistency_lab.model.surrogates.tasks.fields.written import ONE, ZERO, Written, whole
from consistency_lab.model.tasks.labels import Label


def discount(position: int) -> Written:
    """1/log2(2 + position), for positions from 0 on.

    Examples
    --------
    >>> round(float(discount(0)), 6), round(float(discount(1)), 6)
    (1.0, 0.63093)
    """
    return ONE if position == 0 else whole(2).log() / whole(position + 2).log()


def ideal(gains: Sequence[Fraction], top: int) -> Written:
    """The largest discounted sum of the gains in the first positions.

    Examples
    --------
    >>> float(ideal([Fraction(0), Fraction(3)], 2))
    3.0
    """
    best = sorted(gains, reverse=True)[:top]
    return total([whole(gain) * discount(k) for k, gain in enumerate(best)])


def _ndcg(label: Label) -> tuple[Written, ...]:
    gains = [Fraction(2**grade - 1) for grade in label]
    if not any(gains):
        return (ZERO,) * len(label)
    most = ideal(gains, len(gains))
    return tuple(whole(gain) / most for gain in gains)


def _reciprocal_rank(label: Label) -> tuple[Written, ...]:
    return tuple(whole(Fraction(grade, sum(label) or 1)) for grade in label)


WEIGHTS: Final[Mapping[str, Callable[[Label], tuple[Written, ...]]]] = MappingProxyType(
    {"ndcg": _ndcg, "mrr": _reciprocal_rank}
)
"""What weighs the discount of each item in the metrics of `relaxed.METRICS`."""
