"""Gradients of losses that count, smoothly, which items are above: sigma_ij = 1/(1 + exp((u_i - u_j)/T)).

With q_ij = sigma_ij (1 - sigma_ij)/T, the slope of sigma_ij in u_j, every gradient here is
g_i = sum_j q_ij a_ij for some a_ij = -a_ji. All q_ij vanish as scores move apart: training also comes to
rest, ever more slowly, at infinity, in any order.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations
from types import MappingProxyType
from typing import Final, final

from consistency_lab.model.surrogates.tasks.fields.gains import WEIGHTS
from consistency_lab.model.surrogates.tasks.fields.numbers import N, total
from consistency_lab.model.surrogates.tasks.fields.smooth import Gradient
from consistency_lab.model.surrogates.tasks.fields.written import ONE, Written, whole
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.task import Prediction


def _logarithmic(position: N) -> N:
    """The slope of 1/log2(1 + r), -log(2) / ((1 + r) log(1 + r)^2)."""
    log = position.log1p()
    return position.constant(-whole(2).log()) / (position.shifted(ONE) * log * log)


def _reciprocal(position: N) -> N:
    """The slope of 1/r."""
    return position.constant(-ONE) / (position * position)


def _falls(metric: str, position: N) -> N:
    return _logarithmic(position) if metric == "ndcg" else _reciprocal(position)


@final
@dataclass(frozen=True, slots=True)
class SmoothMetric:
    """The gradient of -sum_i w_i D(r_i), r_i = 1 + sum_{j != i} sigma_ij: a_ij = w_i D'(r_i) - w_j D'(r_j).

    Parameters
    ----------
    metric
        "ndcg" or "mrr", as in `WEIGHTS`.
    temperature
        T.
    """

    metric: str
    temperature: Fraction

    def at(self, label: Label, ranking: Prediction) -> Gradient:
        items = range(len(label))
        rate = whole(1 / self.temperature)
        weights = [w * rate for w in WEIGHTS[self.metric](label)]

        def gradient(scores: Sequence[N], /) -> Sequence[N]:
            above = _above(scores, rate)
            positions = [total([above[i, j] for j in items if j != i]).shifted(ONE) for i in items]
            pulls = [_falls(self.metric, r).scaled(w) for r, w in zip(positions, weights, strict=True)]
            return [
                total([above[i, j] * above[j, i] * (pulls[i] - pulls[j]) for j in items if j != i])
                for i in items
            ]

        return gradient


def _whole(label: Label) -> Fraction:
    return Fraction(1)


def _share(label: Label) -> Fraction:
    pairs = sum(a > b for a in label for b in label)
    return Fraction(1, pairs or 1)


NORMALIZED: Final[Mapping[str, Callable[[Label], Fraction]]] = MappingProxyType(
    {"none": _whole, "pairs": _share}
)
"""What multiplies a label's loss: nothing, or 1 over its number of pairs."""


@final
@dataclass(frozen=True, slots=True)
class SoftCount:
    """The gradient of the sum over s_i > s_j of sigma_ij: a_ij = sign(s_j - s_i).

    Parameters
    ----------
    temperature
        T.
    normalized
        A name of `NORMALIZED`.
    """

    temperature: Fraction
    normalized: str

    def at(self, label: Label, ranking: Prediction) -> Gradient:
        items = range(len(label))
        rate, share = whole(1 / self.temperature), NORMALIZED[self.normalized](label) / self.temperature
        signs = {(i, j): (label[i] < label[j]) - (label[i] > label[j]) for i, j in permutations(items, 2)}
        factors = {pair: whole(share * sign) for pair, sign in signs.items()}

        def gradient(scores: Sequence[N], /) -> Sequence[N]:
            above = _above(scores, rate)
            return [
                total([(above[i, j] * above[j, i]).scaled(factors[i, j]) for j in items if j != i])
                for i in items
            ]

        return gradient


def _above(scores: Sequence[N], rate: Written) -> dict[tuple[int, int], N]:
    """sigma_ij = 1/(1 + exp((u_i - u_j)/T)), rate = 1/T: how much j counts as above i."""
    found = {}
    for i, j in combinations(range(len(scores)), 2):
        apart = (scores[i] - scores[j]).scaled(rate)
        one = apart.constant(ONE)
        found[i, j] = one / apart.exp().shifted(ONE)
        found[j, i] = one - found[i, j]
    return found
