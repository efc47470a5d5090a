"""For which distributions of labels are given scores optimal, and how wrong can they be? A linear program.

The unknowns are the probabilities of the labels, split where an atom has a kink over its extreme gradients.
Floats propose a vertex; rational arithmetic on the vertex's own columns decides.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

import numpy as np

from consistency_lab.exact import simplest_between
from consistency_lab.model.surrogates import Term
from consistency_lab.model.surrogates.tasks.atoms import Max
from consistency_lab.model.tasks.labels import Label
from consistency_lab.proofs.task_proof import LabelWitness, Slope, is_strict, regret
from consistency_lab.search.labels.gradients import Floats
from consistency_lab.search.labels.question import Cone, Indices, Place, Question, Wrong
from consistency_lab.solve.exact_lp import LPStatus, solve_lp

WORTH: Final = 1e-7
"""Regrets below this are not followed up."""

_ZERO: Final = Fraction(0)
_ONE: Final = Fraction(1)
_SUPPORT: Final = 1e-9


def worst(question: Question, place: Place, wrong: Wrong, cone: Cone) -> Indices | None:
    """The columns of a distribution in the cone at which the scores are optimal and most wrong, in floats.

    Maximize s subject to s <= regret of each prediction.

    Returns
    -------
    array or None
        Empty if no regret is positive; None if no distribution in the cone makes the scores optimal.
    """
    gaps = question.gaps(wrong)[:, place.columns.labels]
    lift = 1.0 + np.abs(gaps).max()  # s >= 0, as all unknowns, must not cut off negative regrets
    objective = _Objective(gaps + lift, np.zeros(len(gaps)), len(gaps))
    proposal = _proposed(question, place, cone, objective)
    if proposal is None:
        return None
    value, support = proposal
    return support if value > lift + WORTH else support[:0]


def inside(question: Question, place: Place, wrong: Wrong, cone: Cone, least: Fraction) -> Indices | None:
    """The same with regrets of at least `least`, and s at most each of the cone's strict forms."""
    owners = place.columns.labels
    strict, gaps = cone.strict[:, owners], question.gaps(wrong)[:, owners]
    right = np.concatenate([np.zeros(len(strict)), np.full(len(gaps), -float(least))])
    proposal = _proposed(question, place, cone, _Objective(np.vstack([strict, gaps]), right, len(strict)))
    return None if proposal is None or proposal[0] <= WORTH else proposal[1]


@final
@dataclass(frozen=True)
class _Objective:
    """Rows: the first `bounding` say s <= row, the others 0 <= row; less what `right` says."""

    rows: Floats
    right: Floats
    bounding: int


def _proposed(
    question: Question, place: Place, cone: Cone, objective: _Objective
) -> tuple[float, Indices] | None:
    """The largest s and the columns that are used."""
    owners = place.columns.labels
    gradient = place.columns.gradient.T
    n, d = len(owners), len(gradient)
    equal = np.vstack([gradient, np.ones((1, n)), cone.equalities[:, owners]])
    sums = np.zeros(len(equal))
    sums[d] = 1.0
    upper = -np.vstack([objective.rows, cone.inequalities[:, owners]])
    last = np.zeros(len(upper))
    last[: objective.bounding] = 1.0
    solution = question.solver.solve(
        np.concatenate([np.zeros(n), [-1.0]]),
        np.hstack([equal, np.zeros((len(equal), 1))]),
        sums,
        np.hstack([upper, last[:, None]]),
        np.concatenate([objective.right, np.zeros(len(cone.inequalities))]),
    )
    if solution.status is not LPStatus.OPTIMAL:
        return None
    return float(solution.x[-1]), np.flatnonzero(solution.x[:-1] > _SUPPORT)


def decided(
    question: Question, place: Place, wrong: Wrong, cone: Cone, support: Indices
) -> LabelWitness | None:
    """The witness on these columns, in rational arithmetic; None if there is none."""
    solved = _exactly(question, place, wrong, cone, support)
    if solved is None:
        return None
    weights = _weights(question, place, solved)
    if not question.condition.holds(question.task.space, weights, question.f):
        # The vertex lies on the border of an open cone, so a point inside is taken that is half as wrong.
        value = min(_value(question, solved, place, wrong))
        least = simplest_between(value / 3, value / 2)
        more = inside(question, place, wrong, cone, least)
        solved = None if more is None else _exactly(question, place, wrong, cone, more, least)
        if solved is None:
            return None
        weights = _weights(question, place, solved)
        if not question.condition.holds(question.task.space, weights, question.f):
            return None
    return _finished(question, place, wrong, weights, solved)


Solved = Mapping[int, Fraction]
"""The positive weights of columns."""


def _exactly(
    question: Question,
    place: Place,
    wrong: Wrong,
    cone: Cone,
    support: Indices,
    least: Fraction | None = None,
) -> Solved | None:
    owners = [int(place.columns.labels[k]) for k in support]
    gradients = [place.gradient(question, int(k)) for k in support]
    equal = [[*row, _ZERO] for row in zip(*gradients, strict=True)]
    sums = [_ZERO] * len(equal)
    equal.append([_ONE] * len(owners) + [_ZERO])
    sums.append(_ONE)
    for row in cone.exact.equalities:
        equal.append([*(row[y] for y in owners), _ZERO])
        sums.append(_ZERO)
    gaps = [[-question.excess(y, t, wrong.better) for y in owners] for t in wrong.predictions]
    strict = [[-row[y] for y in owners] for row in cone.exact.strict]
    bounding, bounded = (gaps, strict) if least is None else (strict, gaps)
    upper = [[*row, _ONE] for row in bounding] + [[*row, _ZERO] for row in bounded]
    right = [_ZERO] * len(bounding) + [_ZERO if least is None else -least] * len(bounded)
    for row in cone.exact.inequalities:
        upper.append([*(-row[y] for y in owners), _ZERO])
        right.append(_ZERO)
    cost = [_ZERO] * len(owners) + [-_ONE]
    solution = solve_lp(cost, equal, sums, upper, right, question.solver)
    if solution.status is not LPStatus.OPTIMAL or solution.x[-1] <= 0:
        return None
    return {int(k): x for k, x in zip(support, solution.x[:-1], strict=True) if x}


def _value(question: Question, solved: Solved, place: Place, wrong: Wrong) -> list[Fraction]:
    owners = place.columns.labels
    return [
        sum((x * question.excess(int(owners[k]), t, wrong.better) for k, x in solved.items()), _ZERO)
        for t in wrong.predictions
    ]


def _weights(question: Question, place: Place, solved: Solved) -> dict[Label, Fraction]:
    total: dict[int, Fraction] = {}
    for column, x in solved.items():
        owner = int(place.columns.labels[column])
        total[owner] = total.get(owner, _ZERO) + x
    return {question.task.space.labels[y]: total[y] for y in sorted(total)}


def _finished(
    question: Question, place: Place, wrong: Wrong, weights: dict[Label, Fraction], solved: Solved
) -> LabelWitness | None:
    task = question.task
    regrets = {t: regret(task, weights, t, wrong.better) for t in place.returned}
    prediction = max(wrong.predictions, key=lambda t: regrets[t])
    if regrets[prediction] <= 0:
        return None
    return LabelWitness(
        question.surrogate,
        task,
        f"{question.condition.name}{f' of {question.about}' if question.about else ''}",
        weights,
        place.scores,
        prediction,
        wrong.better,
        tuple(_slopes(question, place, weights, solved)),
        is_strict(task, weights, place.returned, wrong.better),
    )


def _slopes(
    question: Question, place: Place, weights: Mapping[Label, Fraction], solved: Solved
) -> Iterator[Slope]:
    """For each label and each of its terms and maxima the average over the label's columns."""
    table, columns = question.table, place.columns
    number = {label: k for k, label in enumerate(question.task.space.labels)}
    for label, p in weights.items():
        shares = [
            (x / p, table.chosen(place.extremes, number[label], columns.choice(k)))
            for k, x in solved.items()
            if columns.labels[k] == number[label]
        ]
        for place_of, (unit, _) in enumerate(table.parts[number[label]]):
            stated = [(share, chosen[place_of][1].slope) for share, chosen in shares]
            atom = table.units[unit]
            if isinstance(atom, Term):
                yield sum((share * slope for share, slope in stated if slope is not None), _ZERO)
            elif isinstance(atom, Max):
                yield tuple(
                    sum((share for share, piece in stated if piece == k), _ZERO)
                    for k in range(len(atom.pieces))
                )
