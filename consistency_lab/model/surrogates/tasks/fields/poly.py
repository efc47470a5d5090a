"""The gradient of the poly-1 softmax loss: cross-entropy and a first polynomial term (Leng et al. 2022)."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from consistency_lab.model.surrogates.tasks.fields.numbers import N, softmax, total
from consistency_lab.model.surrogates.tasks.fields.smooth import Gradient
from consistency_lab.model.surrogates.tasks.fields.written import whole
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.task import Prediction


@final
@dataclass(frozen=True, slots=True)
class PolySoftmax:
    """The gradient of - sum_i s_i log r_i + epsilon (1 - sum_i b_i r_i), r = softmax(u), b = s / sum s.

    It is (sum s) r_i - s_i - epsilon r_i (b_i - sum_j b_j r_j). The loss is convex in r, and r runs through
    the inside of the simplex: a zero of a mean of such gradients is the only minimizer, up to a shift.

    Parameters
    ----------
    epsilon
        The weight of the polynomial term.
    """

    epsilon: Fraction

    def at(self, label: Label, ranking: Prediction) -> Gradient:
        shares = [whole(self.epsilon * grade / (sum(label) or 1)) for grade in label]
        heavy, grades = whole(sum(label)), [whole(-grade) for grade in label]

        def gradient(scores: Sequence[N], /) -> Sequence[N]:
            r = softmax(scores)
            mean = total([x.scaled(b) for x, b in zip(r, shares, strict=True)])
            return [
                (x * mean.shifted(heavy - b)).shifted(grade)
                for x, b, grade in zip(r, shares, grades, strict=True)
            ]

        return gradient
