"""LambdaRank and RankNet as libraries ship them: pair forces, weighted and normalized.

A pair with grades s_i > s_j and scores apart by d = u_i - u_j pulls i up and j down with the force
``w c / (1 + exp(c d))``, divided by ``|d| + 1/100`` if asked for; w is the weight of the pair in the current
ranking. If asked for, all forces of the query are multiplied by ``log2(1 + S)/S``, S twice their sum.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final, final

from consistency_lab.exact import working_precision
from consistency_lab.model.surrogates.tasks.fields.numbers import N
from consistency_lab.model.surrogates.tasks.fields.pairs import PairRule
from consistency_lab.model.surrogates.tasks.fields.rules import Piece, Rule
from consistency_lab.model.surrogates.tasks.fields.swaps import Setting, Swap
from consistency_lab.model.surrogates.tasks.fields.written import ONE, ZERO, Written, whole
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.task import PRECISION, Prediction

if TYPE_CHECKING:
    from consistency_lab.model.surrogates.tasks.fields.numbers import Array

OFFSET: Final = Fraction(1, 100)
"""What both libraries add to |d| before they divide by it."""

_TWO: Final = whole(2)


@final
@dataclass(frozen=True, slots=True)
class LambdaRule(Rule):
    """A pair rule, a weight and two normalizations.

    Parameters
    ----------
    pairs, number
        Which pairs meet, and its parameter.
    swap, setting
        The weight of a pair in the current ranking.
    steepness
        The factor c of the score differences.
    by_score
        Whether a force is divided by |d| + 1/100.
    by_sum
        Whether the forces of a query are multiplied by log2(1 + S)/S.
    factor
        What all forces are multiplied with.
    """

    pairs: PairRule
    number: int
    swap: Swap
    setting: Setting
    steepness: Fraction = Fraction(1)
    by_score: bool = True
    by_sum: bool = True
    factor: Fraction = Fraction(1)

    def piece(self, label: Label, ranking: Prediction) -> "LambdaPiece":
        forces: list[tuple[int, int, Written]] = []
        with working_precision(PRECISION):
            for k, n, count in self.pairs(label, ranking, self.number):
                weight = self.swap(label, ranking, k, n, self.setting).scaled(whole(self.factor * count))
                i, j = ranking[k], ranking[n]
                if weight.origin != 0:
                    forces.append((i, j, weight) if label[i] > label[j] else (j, i, weight))
        return LambdaPiece(self, tuple(forces), {item: place for place, item in enumerate(ranking)})


@final
@dataclass(frozen=True, slots=True)
class LambdaPiece(Piece):
    """The forces (item of higher grade, item of lower grade, weight) in one order of the scores.

    Parameters
    ----------
    rule
        What is done with them.
    forces
        One a pair, of positive weight.
    place
        The position of each item.
    """

    rule: LambdaRule
    forces: tuple[tuple[int, int, Written], ...]
    place: dict[int, int]

    def floats(self, scores: "Array") -> "Array":
        return self._sums(scores)[0]

    def curvature(self, scores: "Array") -> "Array":
        """The second derivatives c^2 / (2 + exp(c d) + exp(-c d)) of pairs, with what scales their forces.

        XGBoost doubles them, which is the same as a shorter step.
        """
        return self._sums(scores)[1]

    def _sums(self, scores: "Array") -> tuple["Array", "Array"]:
        """The gradient, and what the library takes for its slopes."""
        import numpy as np

        c = float(self.rule.steepness)
        found, slopes = np.zeros_like(scores), np.zeros_like(scores)
        total = np.zeros(scores.shape[:-1])
        spread = scores.max(axis=-1) != scores.min(axis=-1)
        for i, j, weight in self.forces:
            gap = scores[..., i] - scores[..., j]
            share = 1 / (1 + np.exp(np.minimum(c * gap, 700.0)))
            pull = float(weight) * c * share
            if self.rule.by_score:  # The libraries leave it out while all scores are equal.
                pull = np.where(spread, pull / (np.abs(gap) + float(OFFSET)), pull)
            slope = c * (1 - share) * pull
            found[..., i] -= pull
            found[..., j] += pull
            slopes[..., i] += slope
            slopes[..., j] += slope
            total += 2 * pull
        if self.rule.by_sum:
            safe = np.where(total > 0, total, 1.0)
            factor = np.where(total > 0, np.log1p(safe) / np.log(2) / safe, 1.0)[..., None]
            return found * factor, slopes * factor
        return found, slopes

    def entries(self, scores: Sequence[N]) -> tuple[N, ...]:
        zero = scores[0].constant(ZERO)
        found = [zero] * len(scores)
        total = zero
        for i, j, weight in self.forces:
            pull = self._pull(scores[i] - scores[j], self.place[i] < self.place[j]).scaled(weight)
            found[i] = found[i] - pull
            found[j] = found[j] + pull
            total = total + pull.scaled(_TWO)
        if self.rule.by_sum and self.forces:
            share = total.log1p().scaled(ONE / _TWO.log()) / total
            found = [share * entry for entry in found]
        return tuple(found)

    def _pull(self, gap: N, above: bool) -> N:
        """c / (1 + exp(c d)), perhaps divided by |d| + 1/100; |d| is smooth inside an order."""
        c = whole(self.rule.steepness)
        pull = gap.constant(c) / gap.scaled(c).exp().shifted(ONE)
        if not self.rule.by_score:
            return pull
        return pull / (gap if above else -gap).shifted(whole(OFFSET))
