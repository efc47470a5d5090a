"""How much a metric changes when two items of the current ranking swap places: the weights of LambdaRank."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from consistency_lab.model.surrogates.tasks.fields.gains import discount, ideal
from consistency_lab.model.surrogates.tasks.fields.written import ONE, ZERO, Written, whole
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.task import Prediction


@final
@dataclass(frozen=True, slots=True)
class Setting:
    """What a weight may look at besides the label and the current ranking.

    Parameters
    ----------
    gain
        G of a grade.
    top
        How many positions the ideal DCG counts.
    """

    gain: Callable[[int], Fraction]
    top: int


Swap = Callable[[Label, Prediction, int, int, Setting], Written]
"""Weight of a pair at positions k < l of the ranking, at least 0."""


def no_metric(label: Label, ranking: Prediction, k: int, n: int, setting: Setting) -> Written:
    """All pairs weigh 1 (RankNet)."""
    return ONE


def ndcg_change(label: Label, ranking: Prediction, k: int, n: int, setting: Setting) -> Written:
    """|NDCG before - NDCG after| = |G_i - G_j| (1/log2(1+k) - 1/log2(1+l)) / ideal DCG (Burges 2010, §5).

    Examples
    --------
    >>> setting = Setting(lambda grade: Fraction(grade), 32)
    >>> weight = ndcg_change((1, 0), (1, 0), 0, 1, setting)
    >>> round(float(weight), 6)  # 1 - log(2)/log(3)
    0.36907
    """
    gains = [setting.gain(grade) for grade in label]
    gap = abs(gains[ranking[k]] - gains[ranking[n]])
    return whole(gap) * (discount(k) - discount(n)) / ideal(gains, setting.top) if gap else ZERO


def average_precision_change(label: Label, ranking: Prediction, k: int, n: int, setting: Setting) -> Written:
    """|AP before - AP after|, AP the mean over the relevant items of the precision at their positions.

    Examples
    --------
    >>> average_precision_change((0, 1, 1), (0, 1, 2), 0, 1, Setting(Fraction, 32)).origin
    Fraction(1, 4)
    """
    swapped = list(ranking)
    swapped[k], swapped[n] = ranking[n], ranking[k]
    return whole(abs(_average_precision(label, ranking) - _average_precision(label, swapped)))


def _average_precision(label: Label, ranking: Prediction | list[int]) -> Fraction:
    found, relevant = Fraction(0), 0
    for position, item in enumerate(ranking, start=1):
        relevant += label[item]
        found += Fraction(label[item] * relevant, position)
    return found / relevant
