"""Equilibria of shipped ranking objectives in a wrong order of the scores.

A distribution p has an equilibrium at u if sum_y p_y g(y, u) = 0: training stands still there. For given
scores this is linear in p, and so is how much worse their order is than another: small linear programs find
labels that balance. Newton then finds the zero for small whole-number probabilities, and the core proves it.
Equilibria that training reaches from zero scores are preferred, as floats see it.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations, pairwise, permutations, product
from random import Random
from typing import Final

import numpy as np

from consistency_lab.certify.proofs.names import graphs_entry
from consistency_lab.certify.proofs.orders import OrderQuestion, order_evidence
from consistency_lab.certify.proofs.task_proof import LabelQuestion, LabelWitness, program_entry
from consistency_lab.certify.witness import Witness, sealed_witness
from consistency_lab.core.document import WRONG_EQUILIBRIUM
from consistency_lab.core.equilibrium import check_equilibrium
from consistency_lab.core.orders import closure, cost
from consistency_lab.errors import RejectedError, UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.labels import Label
from consistency_lab.model.surrogates import EdgeSurrogate, Surrogate
from consistency_lab.model.surrogates.tasks.fields import GradientField, of_pairs
from consistency_lab.model.tasks.task import Prediction, Task, certainly_above
from consistency_lab.numbers.arrays import Floats
from consistency_lab.numbers.exact import Ball, integer_multiple
from consistency_lab.numbers.phi import X
from consistency_lab.search.atoms import loss_table
from consistency_lab.search.effort import OF_LABELS, Effort
from consistency_lab.search.flow import (
    FieldInOrder,
    StationaryPoint,
    flow_from_zero,
    opposed_pairs,
    reached_from_zero,
    small_weights,
    start_grid,
    stationary_points,
)
from consistency_lab.solve.lp import FloatSolver, LPStatus
from consistency_lab.solve.optimal import optimal_orders

_WORTH: Final = 5e-3
_NEWTON: Final = 300
"""The cost of Newton's method from many starts, in minimizations."""

_COARSE: Final = (0.03, 0.15, 0.5, 1.2, 2.5)
_FINE: Final = (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
"""Gaps between neighboring scores, for the starts of Newton's method and for linear programs."""

_STARTS: Final = 25
_PROGRAMS: Final = 150
"""The most starts, and the most scores at which programs are solved."""

_SUMS: Final = ((2, 4), (5, 8))
"""Denominators that are tried together."""

_MORE: Final = (7, 4)
"""How far denominators exceed the number of labels, if that is at most the number of items, or above it."""

_MOST_LABELS: Final = 40
"""With more labels, pairs of labels are not tried before the programs."""

_PATIENCE: Final = 15
"""How many more candidates and lists are tried to find one that is reached from zero scores."""

_EVERYWHERE: Final = 3
"""The most items for which, at given labels, every order is searched from many starts."""

_STEEP: Final = 0.02
_DIGITS: Final = range(2, 10)

Box = tuple[tuple[Fraction, Fraction], ...]
"""An interval for each score but the last, which is 0."""

_Find = Callable[[FieldInOrder, Effort, Random], Iterator[list[StationaryPoint]]]
"""Lists of candidates, the better kinds first."""


@frozen
class FieldEquilibrium:
    """A distribution at which training stands still in a wrong order: proved."""

    field: GradientField  #: Whose gradient vanishes.
    #: The distribution.
    labels: tuple[Label, ...]
    probabilities: tuple[Fraction, ...]
    box: Box  #: An interval for each score but the last, which is 0; a zero certainly lies inside.
    scores: tuple[Fraction, ...]  #: The center of the box and 0.
    #: The order of all scores in the box, from top to bottom, and an order that is certainly better.
    prediction: Prediction
    better: Prediction
    #: Whether gradient descent in the scores certainly draws nearer to the zero from all of the box.
    attracting: bool
    reached: bool  #: Whether the flow from zero scores comes to rest in the box: in floats, not proved.

    def stated(self, question: LabelQuestion) -> LabelWitness:
        """What it says of a question, to be certified."""
        return LabelWitness(
            question, None, self.prediction, self.better, box=self.box, attracting=self.attracting
        )


def find_equilibrium(
    field: GradientField, task: Task, effort: Effort | None = None, seed: int = 0
) -> FieldEquilibrium | None:
    """An equilibrium in a wrong order, small, reached from zero scores if possible."""
    field.check(task)
    spent = Effort() if effort is None else effort
    random = Random(seed)
    other: FieldEquilibrium | None = None
    patience = _PATIENCE
    for stage in ((_from_pairs, _from_programs), (partial(_from_programs, attracting=False),)):
        for ordered, candidates in _lists(stage, field, task, spent, random):
            for candidate in candidates:
                reached = _reached(ordered, candidate)
                if reached or other is None:
                    spent.count(certificates=1)
                    proved = prove(ordered, candidate)
                    if proved is not None and reached:
                        return proved
                    other = other or proved
                patience -= other is not None
                if other is not None and (patience <= 0 or spent.expired):
                    return other
            patience -= other is not None
            if patience <= 0:
                return other
        if other is not None:
            break
    return other


def equilibrium_at(
    field: GradientField, task: Task, weights: Mapping[Label, Fraction]
) -> tuple[tuple[int, ...], FieldEquilibrium] | None:
    """Where training can rest in a wrong order at given labels, and the items in the order of scores."""
    # Looked for where training from equal scores ends, and among few items everywhere. None proves nothing.
    m = task.space.m
    whole, _ = integer_multiple(weights.values())
    ends = flow_from_zero(field, weights).scores
    grid = start_grid(m, _COARSE) if m <= _EVERYWHERE else np.empty((0, m - 1))
    losses = loss_table(task, list(weights), task.predictions)
    place = {t: k for k, t in enumerate(task.predictions)}
    other = None
    for order in permutations(range(m)):
        arrived = ends[:, order] - ends[:, order[-1:]]
        starts = np.concatenate((arrived[(np.diff(arrived) < 0).all(axis=1), :-1], grid))
        labels = tuple(tuple(label[k] for k in order) for label in weights)
        renamed = [place[tuple(order[k] for k in t)] for t in task.predictions]
        ordered = FieldInOrder(field, task, labels, losses[:, renamed])
        candidates = stationary_points(ordered, tuple(range(len(labels))), [tuple(whole)], starts, 0)
        for candidate in sorted(candidates, key=lambda one: not one.attracting):
            proved = prove(ordered, candidate)
            if proved is not None and proved.reached:
                return order, proved
            other = other or (None if proved is None else (order, proved))
    return other


def _lists(
    stage: Sequence[_Find], field: GradientField, task: Task, effort: Effort, random: Random
) -> Iterator[tuple[FieldInOrder, list[StationaryPoint]]]:
    """The candidates that a stage finds, list by list, the smallest of each list first."""
    for find in stage:
        for ordered in _fields_in_order(field, task):
            for found in find(ordered, effort, random):
                yield ordered, sorted(found, key=lambda candidate: _size(ordered, candidate))
                if effort.expired:
                    return


def _reached(ordered: FieldInOrder, candidate: StationaryPoint) -> bool:
    labels = (ordered.labels[k] for k in candidate.support)
    weights = dict(zip(labels, candidate.probabilities, strict=True))
    return reached_from_zero(ordered.field, weights, [(x, x) for x in map(Fraction, candidate.scores)])


def prove(ordered: FieldInOrder, candidate: StationaryPoint) -> FieldEquilibrium | None:
    """The candidate with a box of few digits around a zero that the core accepts; None if it accepts none."""
    m = ordered.task.space.m
    labels = tuple(ordered.labels[k] for k in candidate.support)
    weights = dict(zip(labels, candidate.probabilities, strict=True))
    task = ordered.task
    better = min(task.predictions, key=lambda order: float(task.expected_loss(weights, order)))
    costs = [task.expected_loss(weights, order) for order in (ordered.order, better)]
    if not certainly_above(*costs):
        return None
    programs = [ordered.pieces[k].program(m) for k in candidate.support]
    field = list(zip(candidate.probabilities, programs, strict=True))
    for digits in _DIGITS:
        radius = Fraction(1, 10**digits)
        center = tuple(Fraction(round(x / radius)) * radius for x in map(Fraction, candidate.scores))
        scores = (*center, Fraction(0))
        if any(scores[k] - scores[k + 1] <= 2 * radius for k in range(m - 1)):
            continue
        box = box_around(center, radius)
        try:
            attracting = check_equilibrium(field, ordered.order, box)
        except RejectedError:
            continue
        if attracting or not candidate.attracting:
            return FieldEquilibrium(
                ordered.field,
                labels,
                candidate.probabilities,
                box,
                scores,
                ordered.order,
                better,
                attracting,
                reached_from_zero(ordered.field, weights, box),
            )
    return None


_LONGEST_STEP: Final = 0.02
_STEPS: Final = 2_000
_AT_REST: Final = 1e-13


def pair_equilibrium(
    surrogate: Surrogate, distribution: Distribution, provenance: Mapping[str, str]
) -> Witness | None:
    """Where descent from equal scores comes to rest, if the core accepts that as a wrong order."""
    if type(surrogate) is not EdgeSurrogate or surrogate.h != X:
        return None
    a, m = distribution.aggregate, distribution.m
    costs = {(i, j): x for i, row in enumerate(a) for j, x in enumerate(row) if x}
    try:
        program = of_pairs(surrogate.phi, list(costs.items()), m)
    except UnsupportedError:
        return None
    # Implicit steps of the flow of all scores less the last; longer where it is slow, Newton's at the end.
    u, eye = np.zeros(m - 1), np.eye(m - 1)
    whole = eye + 1
    for _ in range(_STEPS):
        entries = program.run([Ball(x) for x in u])
        slopes = whole @ np.array([[float(x) for x in entry.slopes] for entry in entries])
        pull = whole @ np.array([float(entry.value) for entry in entries])
        far = np.abs(pull).max()
        if far <= _AT_REST * sum(map(float, costs.values())):
            break
        try:
            u -= np.linalg.solve(eye * far / _LONGEST_STEP + slopes, pull)
        except np.linalg.LinAlgError:
            return None
        if not np.isfinite(u).all():
            return None
    order = tuple(sorted(range(m), key=lambda k: -(*u, 0.0)[k]))
    optimum = optimal_orders(a)
    better = next(iter(optimum.orders(1)))
    question = OrderQuestion.of((), a, distribution.items)
    if cost(costs, order) <= cost(costs, better):
        return None
    strictly = order_evidence(costs, closure(m, pairwise(order)), cost(costs, better), more=True)
    for digits in _DIGITS:
        box = box_around([Fraction(round(x * 10**digits), 10**digits) for x in u], Fraction(1, 10**digits))
        try:
            attracting = check_equilibrium([(Fraction(1), program)], order, box)
        except RejectedError:
            continue
        ends = [[str(low), str(high)] for low, high in box]
        stated = {
            **question.wrong(order, better, strictly),
            "claim": WRONG_EQUILIBRIUM,
            "scores": None,
            "certificate": {"kind": "equilibrium", "box": ends, "attracting": attracting},
        }
        proof = question.entry(stated, program_entry(program))
        return sealed_witness(proof, graphs_entry(surrogate, distribution), provenance, distribution)
    return None


def box_around(center: Sequence[Fraction], radius: Fraction) -> Box:
    """The cube around a point."""
    return tuple((x - radius, x + radius) for x in center)


def _fields_in_order(field: GradientField, task: Task) -> Iterator[FieldInOrder]:
    """The labels by their highest grade, so that small grades come first."""
    labels = [label for label in task.space.labels if len(set(label)) > 1]
    for top in sorted({max(label) for label in labels}):
        yield FieldInOrder(field, task, tuple(label for label in labels if max(label) <= top))


def _from_pairs(ordered: FieldInOrder, effort: Effort, random: Random) -> Iterator[list[StationaryPoint]]:
    """Attracting equilibria of two labels."""
    if len(ordered.labels) > _MOST_LABELS:
        return
    starts = _some(start_grid(ordered.task.space.m, _COARSE), _STARTS, random)
    pairs = opposed_pairs(ordered, starts)
    for least, most in _SUMS:
        weights = list(small_weights(2, least, most))
        attracting: list[StationaryPoint] = []
        for pair in pairs:
            candidates = stationary_points(ordered, pair, weights, starts, _WORTH)
            attracting += [one for one in candidates if one.attracting]
            effort.count(distributions=len(weights), each=_NEWTON)
            if effort.expired:
                break
        yield attracting


def _from_programs(
    ordered: FieldInOrder, effort: Effort, random: Random, *, attracting: bool = True
) -> Iterator[list[StationaryPoint]]:
    """Equilibria of the labels that a linear program chooses."""
    m = ordered.task.space.m
    starts = _some(start_grid(m, _COARSE), _STARTS, random)
    seen: set[tuple[int, ...]] = set()
    for at in _some(start_grid(m, _FINE), _PROGRAMS, random):
        near = np.concatenate((at[None, :], starts))
        for chosen in _balancing(ordered, at[None, :], effort, attracting):
            for size in range(2, len(chosen) + 1):
                weights = list(small_weights(size, size, size + _MORE[size > m]))
                candidates: list[StationaryPoint] = []
                for support in combinations(chosen, size):
                    if support not in seen and not effort.expired:
                        seen.add(support)
                        effort.count(distributions=len(weights), each=_NEWTON)
                        candidates += stationary_points(ordered, support, weights, near, _WORTH)
                yield [one for one in candidates if one.attracting or not attracting]
        if effort.expired:
            return


def _balancing(ordered: FieldInOrder, at: Floats, effort: Effort, stable: bool) -> Iterator[tuple[int, ...]]:
    """The labels of distributions that balance at these scores and make their order as bad as possible."""
    count = len(ordered.labels)
    pulls = np.array([ordered.pull(k, at)[0] for k in range(count)]).T
    rows = np.vstack((pulls, np.ones(count)))
    right = np.zeros(len(rows))
    right[-1] = 1
    bound = np.empty((0, count))
    if stable:
        slopes = np.array([ordered.slopes(k, at)[0] for k in range(count)])
        # Small whole vectors, one of each pair v and -v.
        whole = (v for v in product(range(-2, 3), repeat=len(pulls)) if next((x for x in v if x), 0) > 0)
        ways = (np.array(v, dtype=float) for v in whole)
        bound = -np.array([np.einsum("i,kij,j->k", v, slopes, v) / (v @ v) for v in ways])
    limits = np.full(len(bound), -_STEEP)
    solver = FloatSolver()
    for other in np.flatnonzero(ordered.excess.max(axis=0) > 0):
        effort.count(programs=1, each=OF_LABELS * count)
        solution = solver.solve(-ordered.excess[:, other], rows, right, bound, limits)
        if solution.status is LPStatus.OPTIMAL and -solution.value > _WORTH:
            yield tuple(int(k) for k in np.flatnonzero(solution.x > 1e-9))


def _some(rows: Floats, most: int, random: Random) -> Floats:
    if len(rows) <= most:
        return rows
    return rows[sorted(random.sample(range(len(rows)), most))]


def _size(ordered: FieldInOrder, candidate: StationaryPoint) -> tuple[object, ...]:
    grades = sum(sum(ordered.labels[k]) for k in candidate.support)
    return (
        not candidate.attracting,
        sum(candidate.weights),
        -round(candidate.regret, 4),
        grades,
        candidate.scores,
    )
