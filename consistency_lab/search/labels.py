"""Inverse search over the labels of a finite task, for surrogates that are sums of convex atoms."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from math import inf
from typing import Final

import numpy as np

from consistency_lab.certify.proofs.task_proof import LabelQuestion, LabelWitness, Slope, is_strict, regret
from consistency_lab.core.risk import Max
from consistency_lab.frozen import frozen, frozen_with_cache
from consistency_lab.model.conditions import TASK_CONDITIONS, Condition
from consistency_lab.model.labels import Label
from consistency_lab.model.posets import LabelCone
from consistency_lab.model.surrogates import Term
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate
from consistency_lab.model.surrogates.tasks.decoders import decoder_for
from consistency_lab.model.tasks.task import Prediction, Task
from consistency_lab.numbers.arrays import Floats, Indices
from consistency_lab.numbers.exact import ONE, ZERO, simplest_between
from consistency_lab.search.atoms import AtomTable, Columns, Extreme, label_scores, label_size, loss_table
from consistency_lab.search.effort import OF_LABELS, Effort
from consistency_lab.solve.lp import FloatSolver, LPStatus, solve_lp
from consistency_lab.solve.stationary import Scores

# --- What an inverse search over labels asks, prepared for many linear programs at many scores -----------


@frozen
class FloatCone:
    """A cone of a condition, with its rows over all labels in floats as well."""

    exact: LabelCone
    equalities: Floats  #: Forms that are 0 on the cone,
    inequalities: Floats  #: those that are at least 0 on the closed cone,
    strict: Floats  #: and those that are positive on the cone.


def _no_features(label: Label) -> tuple[()]:
    """What is known of a label here: conditions on features are about means."""
    return ()


@frozen_with_cache
class Prepared:
    """A surrogate, a task and a condition, prepared for many linear programs."""

    #: The question.
    surrogate: AtomSurrogate
    task: Task
    condition: Condition
    solver: FloatSolver = field(default_factory=FloatSolver)
    _losses: dict[Prediction, Floats] = field(default_factory=dict)
    _returned: dict[tuple[Fraction, ...], tuple[Prediction, ...]] = field(default_factory=dict)

    @cached_property
    def table(self) -> AtomTable:
        """The atoms of all labels."""
        return AtomTable.of(self.surrogate, self.task)

    @cached_property
    def cones(self) -> tuple[FloatCone, ...]:
        """The condition's cones; none if it has no polyhedral form."""
        cones = () if self.condition.cones is None else self.condition.cones(self.task.space, _no_features)
        labels = len(self.task.space.labels)

        def floats(rows: Sequence[Sequence[Fraction]]) -> Floats:
            return np.array([list(map(float, row)) for row in rows]).reshape(len(rows), labels)

        return tuple(
            FloatCone(
                cone, floats(cone.equalities), floats((*cone.inequalities, *cone.strict)), floats(cone.strict)
            )
            for cone in cones
        )

    def returned(self, scores: Scores) -> tuple[Prediction, ...]:
        """All predictions that may be returned at exact scores; sorting and argmax see only their order."""
        rising = sorted(set(scores))
        levels = tuple(Fraction(rising.index(score)) for score in scores)
        if levels not in self._returned:
            decoder = decoder_for(self.surrogate, self.task)
            self._returned[levels] = decoder.returns(self.surrogate, self.task, levels)
        return self._returned[levels]

    def losses(self, prediction: Prediction) -> Floats:
        """The loss of a prediction on each label."""
        if prediction not in self._losses:
            self._losses[prediction] = loss_table(self.task, self.task.space.labels, (prediction,))[:, 0]
        return self._losses[prediction]

    def gaps(self, wrong: "Wrong") -> Floats:
        """How much more each wrong prediction (row) costs on each label (column) than the better one."""
        return np.array([self.losses(t) - self.losses(wrong.better) for t in wrong.predictions])

    def excess(self, label: int, prediction: Prediction, better: Prediction) -> Fraction:
        """The loss of a prediction less that of a better one; rounded to a rational if it is irrational."""
        y = self.task.space.labels[label]
        gap = self.task.loss(y, prediction) - self.task.loss(y, better)
        return gap if isinstance(gap, Fraction) else Fraction(float(gap)).limit_denominator(10**9)


@frozen
class Place:
    """Scores, with the labels that may be used there."""

    #: Exact scores, and what the decoder may make of them.
    scores: Scores
    returned: tuple[Prediction, ...]
    #: The gradients of the atoms, and the unknowns.
    extremes: list[tuple[Extreme, ...]]
    columns: Columns

    @staticmethod
    def at(question: Prepared, scores: Scores, labels: Indices) -> "Place | None":
        """The place of these scores with these labels, None if gradients are not rational there."""
        extremes = question.table.extremes(scores)
        if extremes is None:
            return None
        columns = question.table.columns(extremes, labels)
        return None if columns is None else Place(scores, question.returned(scores), extremes, columns)

    def gradient(self, question: Prepared, column: int) -> list[Fraction]:
        """The exact gradient of a column, divided by the unit."""
        label, choice = int(self.columns.labels[column]), self.columns.choice(column)
        exact = question.table.gradient(self.extremes, label, choice)
        return [x / self.columns.unit for x in exact]


@frozen
class Wrong:
    """The required mistake: each of these predictions is worse than `better`."""

    predictions: tuple[Prediction, ...]
    better: Prediction


# --- The worst distribution for given scores: a linear program -------------------------------------------
# For which distributions of labels are given scores optimal, and how wrong can they be? The unknowns are the
# probabilities of the labels, split where an atom has a kink over its extreme gradients, and a bound s of the
# regrets. Floats propose a vertex; rational arithmetic on the vertex's own columns decides.

WORTH: Final = 1e-7
"""Regrets below this are ignored."""

_SUPPORT: Final = 1e-9

Solved = Mapping[int, Fraction]
"""The positive weights of columns."""


@frozen
class ConeProgram:
    """Distributions in a cone at which the scores of a place are optimal and some predictions are wrong."""

    question: Prepared
    place: Place
    wrong: Wrong
    cone: FloatCone

    def worst(self) -> Indices | None:
        """The columns of a most wrong distribution, in floats: maximize s, at most the regret of each."""
        gaps = self.question.gaps(self.wrong)[:, self.place.columns.labels]
        lift = 1.0 + np.abs(gaps).max()  # s >= 0, as all unknowns, must not cut off negative regrets
        proposal = self._proposed(gaps + lift, np.zeros(len(gaps)), len(gaps))
        if proposal is None:
            return None
        value, support = proposal
        return support if value > lift + WORTH else support[:0]

    def witness(self, support: Indices) -> LabelWitness | None:
        """The witness on these columns, in rational arithmetic; None if there is none."""
        solved = self._exactly(support)
        if solved is not None and not self._holds(solved):
            # The vertex lies on the border of an open cone, so a point inside is taken that is half as wrong.
            value = min(self._regrets(solved))
            least = simplest_between(value / 3, value / 2)
            more = self._inside(least)
            solved = None if more is None else self._exactly(more, least)
            if solved is not None and not self._holds(solved):
                return None
        return None if solved is None else self._finished(solved)

    def _inside(self, least: Fraction) -> Indices | None:
        """Columns with regrets of at least `least`, and s at most each of the cone's strict forms."""
        owners = self.place.columns.labels
        strict, gaps = self.cone.strict[:, owners], self.question.gaps(self.wrong)[:, owners]
        right = np.concatenate([np.zeros(len(strict)), np.full(len(gaps), -float(least))])
        proposal = self._proposed(np.vstack([strict, gaps]), right, len(strict))
        return None if proposal is None or proposal[0] <= WORTH else proposal[1]

    def _proposed(self, rows: Floats, right: Floats, bounding: int) -> tuple[float, Indices] | None:
        """The largest s and the columns used: the first `bounding` rows are at least s, others at least 0."""
        owners, gradient = self.place.columns.labels, self.place.columns.gradient.T
        n, d = len(owners), len(gradient)
        equal = np.vstack([gradient, np.ones((1, n)), self.cone.equalities[:, owners]])
        sums = np.zeros(len(equal))
        sums[d] = 1.0
        upper = -np.vstack([rows, self.cone.inequalities[:, owners]])
        last = np.zeros(len(upper))
        last[:bounding] = 1.0
        solution = self.question.solver.solve(
            np.concatenate([np.zeros(n), [-1.0]]),
            np.hstack([equal, np.zeros((len(equal), 1))]),
            sums,
            np.hstack([upper, last[:, None]]),
            np.concatenate([right, np.zeros(len(self.cone.inequalities))]),
        )
        if solution.status is not LPStatus.OPTIMAL:
            return None
        return float(solution.x[-1]), np.flatnonzero(solution.x[:-1] > _SUPPORT)

    def _exactly(self, support: Indices, least: Fraction | None = None) -> Solved | None:
        question, place, wrong, cone = self.question, self.place, self.wrong, self.cone.exact
        owners = [int(place.columns.labels[k]) for k in support]
        gradients = [place.gradient(question, int(k)) for k in support]
        equal = [[*row, ZERO] for row in zip(*gradients, strict=True)]
        sums = [ZERO] * len(equal) + [ONE] + [ZERO] * len(cone.equalities)
        equal.append([ONE] * len(owners) + [ZERO])
        equal += [[*(row[y] for y in owners), ZERO] for row in cone.equalities]
        gaps = [[-question.excess(y, t, wrong.better) for y in owners] for t in wrong.predictions]
        strict = [[-row[y] for y in owners] for row in cone.strict]
        bounding, bounded = (gaps, strict) if least is None else (strict, gaps)
        upper = [[*row, ONE] for row in bounding] + [[*row, ZERO] for row in bounded]
        right = [ZERO] * len(bounding) + [ZERO if least is None else -least] * len(bounded)
        upper += [[*(-row[y] for y in owners), ZERO] for row in cone.inequalities]
        right += [ZERO] * len(cone.inequalities)
        cost = [ZERO] * len(owners) + [-ONE]
        solution = solve_lp(cost, equal, sums, upper, right, question.solver)
        if solution.status is not LPStatus.OPTIMAL or solution.x[-1] <= 0:
            return None
        return {int(k): x for k, x in zip(support, solution.x[:-1], strict=True) if x}

    def _holds(self, solved: Solved) -> bool:
        question = self.question
        return question.condition.holds_for(question.task.space, self._weights(solved), _no_features)

    def _regrets(self, solved: Solved) -> list[Fraction]:
        owners, better = self.place.columns.labels, self.wrong.better
        return [
            sum((x * self.question.excess(int(owners[k]), t, better) for k, x in solved.items()), ZERO)
            for t in self.wrong.predictions
        ]

    def _weights(self, solved: Solved) -> dict[Label, Fraction]:
        total: dict[int, Fraction] = {}
        for column, x in solved.items():
            owner = int(self.place.columns.labels[column])
            total[owner] = total.get(owner, ZERO) + x
        return {self.question.task.space.labels[y]: total[y] for y in sorted(total)}

    def _finished(self, solved: Solved) -> LabelWitness | None:
        question, place, better = self.question, self.place, self.wrong.better
        task, weights = question.task, self._weights(solved)
        regrets = {t: regret(task, weights, t, better) for t in place.returned}
        prediction = max(self.wrong.predictions, key=lambda t: regrets[t])
        if regrets[prediction] <= 0:
            return None
        return LabelWitness(
            LabelQuestion(question.surrogate, task, weights),
            place.scores,
            prediction,
            better,
            tuple(self._slopes(weights, solved)),
            is_strict(task, weights, place.returned, better),
            question.condition.name,
        )

    def _slopes(self, weights: Mapping[Label, Fraction], solved: Solved) -> Iterator[Slope]:
        """For each label and each of its terms and maxima the average over the label's columns."""
        table, columns = self.question.table, self.place.columns
        number = {label: k for k, label in enumerate(self.question.task.space.labels)}
        for label, p in weights.items():
            shares = [
                (x / p, table.chosen(self.place.extremes, number[label], columns.choice(k)))
                for k, x in solved.items()
                if columns.labels[k] == number[label]
            ]
            for place_of, (unit, _) in enumerate(table.parts[number[label]]):
                stated = [(share, chosen[place_of][1].slope) for share, chosen in shares]
                atom = table.units[unit]
                if isinstance(atom, Term):
                    yield sum((share * slope for share, slope in stated if slope is not None), ZERO)
                elif isinstance(atom, Max):
                    yield tuple(
                        sum((share for share, piece in stated if piece == k), ZERO)
                        for k in range(len(atom.pieces))
                    )


# --- The inverse search: which small distribution makes scores optimal that are decoded wrongly? ---------

_ENOUGH: Final = 200
_LONGER: Final = 2
_MORE: Final = 300
"""A search stops after this many witnesses, or after this multiple of the programs that the first one took,
plus this many: a smaller witness is worth some effort."""

_KEPT: Final = 20
"""The most witnesses handed on."""

_FEW: Final = 24
"""The most predictions of which each is tried as the better one; beyond, those that differ by an exchange."""

_DIGITS: Final = 9
_PLACE: Final = 500
"""The cost of one place, in steps."""


def label_witnesses(
    surrogate: AtomSurrogate,
    task: Task,
    condition: Condition = TASK_CONDITIONS["any"],
    effort: Effort | None = None,
) -> list[LabelWitness]:
    """At most 20 distributions over labels whose minimizers are decoded wrongly, the smallest first."""
    # For given scores the distributions that make them optimal form a polytope, and so does the condition
    # (docs/theory.md, Inverse search). First two labels are tried whose gradients are opposite, then all in
    # a program; witnesses that are wrong under every tie rule before those that are wrong under some.
    surrogate.check(task)
    effort = effort or Effort()
    question = Prepared(surrogate, task, condition)
    symmetric = task.space.symmetric and condition.name == "any"
    grid = label_scores(question.table.units, question.table.d, symmetric)
    levels = list(_levels(task))
    largest_first = sorted(question.cones, key=lambda cone: len(cone.equalities))
    stages = [
        (_opposed, question.cones, levels[-1:]),
        *((_programs, (cone,), levels) for cone in largest_first),
    ]
    for strict in (True, False):
        for search, cones, spaces in stages:
            witnesses: list[LabelWitness] = []
            start, last = effort.programs, inf
            for labels, scores in product(spaces, grid):
                if effort.expired or len(witnesses) >= _ENOUGH or effort.programs > last:
                    break
                place = Place.at(question, scores, labels)
                effort.count(steps=_PLACE)
                if place is not None:
                    witnesses += search(question, place, cones, strict, effort)
                if witnesses and last == inf:
                    last = effort.programs + _LONGER * (effort.programs - start) + _MORE
            if witnesses:
                return _smallest(question, witnesses)
    return []


def _smallest(question: Prepared, found: list[LabelWitness]) -> list[LabelWitness]:
    """The smallest witnesses in order, each distribution and scores once, with the best prediction there."""
    different = {
        (tuple(witness.question.weights.items()), witness.scores): witness
        for witness in sorted(found, key=label_size, reverse=True)
    }
    return [_with_best(question, witness) for witness in sorted(different.values(), key=label_size)[:_KEPT]]


def _with_best(question: Prepared, witness: LabelWitness) -> LabelWitness:
    """The witness with the prediction that is better than all others, as far as floats can tell."""
    task, weights = witness.question.task, witness.question.weights
    best = min(task.predictions, key=lambda t: round(float(task.expected_loss(weights, t)), _DIGITS))
    gain = float(task.expected_loss(weights, witness.better) - task.expected_loss(weights, best))
    if gain <= WORTH:
        return witness
    strict = is_strict(task, weights, question.returned(witness.scores or ()), best)
    return replace(witness, better=best, strict=strict)


def _levels(task: Task) -> Iterator[Indices]:
    """The numbers of the labels: those with low grades first, then more, finally all."""
    labels = task.space.labels
    tops = [max(label, default=0) if task.space.kind == "grades" else 0 for label in labels]
    for top in sorted(set(tops)):
        chosen = np.array([k for k, own in enumerate(tops) if own <= top], dtype=np.intp)
        if len(chosen) > 1:
            yield chosen


def _mistakes(question: Prepared, place: Place, strict: bool) -> Iterator[Wrong]:
    """Possible mistakes at a place: all returned predictions, or (not strict) one of several."""
    if strict:
        for better in _rivals(question.task, place.returned[0]):
            if better not in place.returned:
                yield Wrong(place.returned, better)
    elif len(place.returned) > 1:
        for prediction in place.returned:
            for better in _rivals(question.task, prediction):
                yield Wrong((prediction,), better)


def _rivals(task: Task, prediction: Prediction) -> Iterator[Prediction]:
    if len(task.predictions) <= _FEW:
        yield from (t for t in task.predictions if t != prediction)
        return
    for k, n in combinations(range(len(prediction)), 2):
        swapped = list(prediction)
        swapped[k], swapped[n] = prediction[n], prediction[k]
        yield tuple(swapped)


def _programs(
    question: Prepared, place: Place, cones: Sequence[FloatCone], strict: bool, effort: Effort
) -> Iterator[LabelWitness]:
    """The worst distribution for each possible mistake."""
    for cone in cones:
        for wrong in _mistakes(question, place, strict):
            effort.count(programs=1, each=OF_LABELS * len(question.task.space.labels))
            program = ConeProgram(question, place, wrong, cone)
            support = program.worst()
            if support is None:
                break
            if len(support):
                witness = program.witness(support)
                if witness is not None:
                    yield witness


def _opposed(
    question: Prepared, place: Place, cones: Sequence[FloatCone], strict: bool, effort: Effort
) -> Iterator[LabelWitness]:
    """Two labels whose gradients are opposite, weighted so that they cancel."""
    gradient = place.columns.gradient
    length = np.linalg.norm(gradient, axis=1)
    moving = np.flatnonzero(length > WORTH)
    unit = gradient[moving] / length[moving, None]
    forward, backward = (np.round(sign * unit, _DIGITS) + 0.0 for sign in (1, -1))
    facing: dict[bytes, list[int]] = {}
    for k, row in zip(moving, forward, strict=True):
        facing.setdefault(row.tobytes(), []).append(int(k))
    pairs = [
        (int(k), other)
        for k, row in zip(moving, backward, strict=True)
        for other in facing.get(row.tobytes(), ())
        if k < other
    ]
    if not pairs:
        return
    index = np.array(pairs, dtype=np.intp)
    share = length[index[:, ::-1]] / length[index].sum(axis=1, keepdims=True)
    owners = place.columns.labels[index]
    for wrong in _mistakes(question, place, strict):
        gaps = question.gaps(wrong)
        regrets = (gaps[:, owners] * share).sum(axis=2).min(axis=0)
        for cone in cones:
            # Which of the pairs lie in the closed cone, in floats.
            equal = (np.abs((cone.equalities[:, owners] * share).sum(axis=2)) < WORTH).all(axis=0)
            upper = ((cone.inequalities[:, owners] * share).sum(axis=2) > -WORTH).all(axis=0)
            for k in np.flatnonzero((regrets > WORTH) & equal & upper):
                effort.count(programs=1, each=OF_LABELS * len(question.task.space.labels))
                witness = ConeProgram(question, place, wrong, cone).witness(index[k])
                if witness is not None:
                    yield witness
