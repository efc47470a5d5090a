"""Surrogates whose minimizer is a known mean: consistency on one task is a question of linear inequalities.

The scores are E f(y), so they are linear in p; the closed cell of a prediction t is a polyhedron of scores; a
condition is a union of polyhedral cones; and "t is worse than t'" is one more linear inequality. For each t,
t' and cone the system

    cell rows . p >= 0,  condition rows . p >= 0 (= 0, >= 1 where strict),  (l_t - l_t') . p >= 1,  p >= 0

either has a solution, which scaled to sum 1 is a witness (all rows are homogeneous), or Farkas multipliers
that the core checks. If all systems have multipliers, the surrogate is calibrated on this task.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Final

from consistency_lab.core.inequalities import check_farkas
from consistency_lab.errors import RejectedError, UnsupportedError
from consistency_lab.frozen import frozen, frozen_with_cache
from consistency_lab.model.conditions import Condition
from consistency_lab.model.labels import Label
from consistency_lab.model.posets import LabelCone
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate
from consistency_lab.model.surrogates.tasks.decoders import decoder_for
from consistency_lab.model.tasks.task import PositionalTask, Prediction, Task
from consistency_lab.numbers.exact import ONE, ZERO, Vector, as_fraction, simplest_between
from consistency_lab.numbers.tape import Real
from consistency_lab.search.effort import EXACT, OF_LABELS, Effort
from consistency_lab.solve.lp import FloatSolver, LPStatus, solve_lp

_FINE: Final = Fraction(1, 10**12)
_MARGIN: Final = Fraction(1, 1000)
_MOST_SYSTEMS: Final = 3_000
_MOST_ENTRIES: Final = 10_000_000
"""Limits on the systems, and on all their entries together: more would take minutes."""


@frozen
class AffineProof:
    """Every system has Farkas multipliers that the core accepted."""

    systems: int  #: How many.
    by_symmetry: bool  #: Whether one prediction stands for all, by relabeling.
    rescaled: bool  #: Whether the unknown is p(y)/Z(y) in place of p(y).


@frozen
class AffineLabels:
    """A distribution at which the decoder may return a prediction that is worse than another one."""

    weights: dict[Label, Fraction]
    prediction: Prediction
    better: Prediction


def settle_affine(
    surrogate: MeanSurrogate, task: Task, condition: Condition, effort: Effort | None = None
) -> AffineProof | AffineLabels | None:
    """Decide a known minimizer on one task, under one condition; None where that stays open."""
    surrogate.check(task)
    case = _Case.of(surrogate, task, condition)
    try:
        if case is None or case.too_large:
            return None
    except UnsupportedError:
        return None
    solver = FloatSolver()
    count = 0
    for t, better, rows, strict, equal in case.systems():
        if effort is not None:
            if effort.expired:
                return None
            effort.count(programs=1, each=EXACT * OF_LABELS * len(task.space.labels))
        weights = case.settle(solver, rows, strict, equal)
        if weights is None:
            return None
        if weights:
            total = sum(weights.values())
            return AffineLabels({y: x / total for y, x in weights.items()}, t, better)
        count += 1
    return AffineProof(count, case.by_symmetry, case.rescaled) if case.exact else None


@frozen_with_cache
class _Case:
    surrogate: MeanSurrogate
    task: Task
    condition: Condition
    features: tuple[tuple[Fraction, ...], ...]
    scales: tuple[Fraction, ...]
    exact: bool
    rescaled: bool

    @staticmethod
    def of(surrogate: MeanSurrogate, task: Task, condition: Condition) -> "_Case | None":
        if condition.cones is None or decoder_for(surrogate, task).cell is None:
            return None
        labels = task.space.labels
        plain = [surrogate.features(task, label) for label in labels]
        scales: list[Real] = [task.scale(label) for label in labels]
        rational = all(isinstance(x, Fraction) for x in scales)
        if surrogate.scaled and not rational and condition.name == "any":
            # With q(y) = p(y)/Z(y) both the scores and the target are rational again.
            return _Case(surrogate, task, condition, _rational(plain), (ONE,) * len(labels), True, True)
        if surrogate.scaled:
            plain = [tuple(x * s for x in vector) for vector, s in zip(plain, scales, strict=True)]
        exact = rational and all(isinstance(x, Fraction) for vector in plain for x in vector)
        return _Case(surrogate, task, condition, _rational(plain), _rational([scales])[0], exact, False)

    @cached_property
    def cones(self) -> tuple[LabelCone, ...]:
        assert self.condition.cones is not None
        return self.condition.cones(self.task.space, lambda label: self.features[self.index[label]])

    @cached_property
    def index(self) -> dict[Label, int]:
        return {label: k for k, label in enumerate(self.task.space.labels)}

    @property
    def by_symmetry(self) -> bool:
        """Without a condition all predictions are alike, if relabeling maps the labels onto themselves."""
        return self.task.space.symmetric and self.condition.name == "any"

    @property
    def too_large(self) -> bool:
        predictions = 1 if self.by_symmetry else len(self.task.predictions)
        systems = predictions * len(self.cones) * self._rivals
        rows = max(len(c.equalities) + len(c.inequalities) + len(c.strict) for c in self.cones)
        entries = systems * (rows + self.task.space.m) * len(self.task.space.labels)
        return systems > _MOST_SYSTEMS or entries > _MOST_ENTRIES

    @property
    def _rivals(self) -> int:
        if isinstance(self.task, PositionalTask):
            return len(self.task.steps)
        return 1 if self._oriented else len(self.task.predictions) - 1

    @property
    def _oriented(self) -> bool:
        """Whether each cone has the preferences of the identity order, so that this one is optimal there."""
        return self.task.target in ("pairwise", "kendall") and self.condition.name in (
            "additive",
            "low-noise",
            "net-order",
            "p-f",
            "acyclic",
        )

    def systems(self) -> Iterator[tuple[Prediction, Prediction, list[Vector], list[Vector], list[Vector]]]:
        """Each prediction, a better one, and rows that must be >= 0, >= 1 and = 0."""
        decoder = decoder_for(self.surrogate, self.task)
        assert decoder.cell is not None
        for t in self.task.predictions[:1] if self.by_symmetry else self.task.predictions:
            cell = [
                tuple(sum((w * x for w, x in zip(normal, f, strict=True) if w), b) for f in self.features)
                for normal, b in decoder.cell(self.surrogate, self.task, t)
            ]
            for part in self.cones:
                for better, gap in self._gaps(t):
                    yield t, better, [*cell, *part.inequalities], [*part.strict, gap], list(part.equalities)

    def _gaps(self, t: Prediction) -> Iterator[tuple[Prediction, Vector]]:
        """Predictions that may be better, each with the row of l_t - l_t' (up to a positive factor)."""
        labels = self.task.space.labels
        if isinstance(self.task, PositionalTask):
            gains = [
                tuple(g * s for g in self.task.gains(label))
                for label, s in zip(labels, self.scales, strict=True)
            ]
            for k, n in self.task.steps:
                swapped = list(t)
                swapped[k], swapped[n] = t[n], t[k]
                yield tuple(swapped), tuple(g[t[n]] - g[t[k]] for g in gains)
            return
        rivals = [tuple(range(self.task.space.m))] if self._oriented else self.task.predictions
        for other in rivals:
            if other != t:
                yield other, tuple(self._loss(y, t) - self._loss(y, other) for y in labels)

    def _loss(self, label: Label, prediction: Prediction) -> Fraction:
        value = self.task.loss(label, prediction)
        assert isinstance(value, Fraction)  # only positional losses may be irrational
        return value

    def settle(
        self, solver: FloatSolver, rows: Sequence[Vector], strict: Sequence[Vector], equal: Sequence[Vector]
    ) -> dict[Label, Fraction] | None:
        """A solution; {} where the core accepts that there is none; None if that stays open."""
        n = len(self.task.space.labels)
        margin = ZERO if self.exact else _MARGIN
        left = [tuple(-x for x in row) for row in (*rows, *strict)]
        right = [*(-margin for _ in rows), *(-ONE for _ in strict)]
        zeros = [ZERO] * len(equal)
        solution = solve_lp([ONE] * n, equal, zeros, left, right, solver)
        if solution.status is LPStatus.OPTIMAL:
            return {y: x for y, x in zip(self.task.space.labels, solution.x, strict=True) if x}
        if solution.status is not LPStatus.INFEASIBLE:
            return None
        try:
            check_farkas(left, right, equal, zeros, solution.dual_ub, [-x for x in solution.dual_eq])
        except RejectedError:
            return None
        return {}


def _rational(rows: Sequence[Sequence[Real]]) -> tuple[tuple[Fraction, ...], ...]:
    """Each number itself, or a rational so near that only the core can tell."""
    return tuple(tuple(_near(x) for x in row) for row in rows)


def _near(value: Real) -> Fraction:
    if isinstance(value, Fraction):
        return value
    middle = as_fraction(value.ball.mid())
    return simplest_between(middle - _FINE, middle + _FINE)
