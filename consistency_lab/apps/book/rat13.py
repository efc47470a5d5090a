"""What the statements of RAT13 stand on: laws, programs and counterexamples on tasks."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, permutations
from types import MappingProxyType
from typing import Final

from consistency_lab.apps.book.statement import Refutation
from consistency_lab.certify.proofs.task_proof import LabelQuestion
from consistency_lab.core.orders import Pair
from consistency_lab.core.risk import Scores
from consistency_lab.decide.tasks import decide_task
from consistency_lab.model.conditions import TASK_CONDITIONS, condition
from consistency_lab.model.labels import Grades, Label, LabelSpace, Weights, differences
from consistency_lab.model.surrogates.families import Term
from consistency_lab.model.surrogates.tasks.atoms import PairsSurrogate
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.positional import AveragePrecision
from consistency_lab.model.tasks.task import Prediction, Task, certainly_above
from consistency_lab.numbers.exact import Matrix, lower_decimal
from consistency_lab.numbers.phi import exact_slopes, named
from consistency_lab.numbers.tape import as_ball

# --- Distributions on the labels of a task, and what they make of its predictions, all exact -------------

Law = Mapping[Label, Fraction]
"""The probability of each label that has one; the others have none."""


def law(weights: Mapping[Label, int | Fraction]) -> Law:
    """The distribution with probabilities in proportion to these weights."""
    total = sum(weights.values(), Fraction(0))
    return {label: Fraction(weight) / total for label, weight in weights.items()}


def losses(task: Task, p: Law) -> dict[Prediction, Fraction]:
    """The expected loss of every prediction, for a task whose losses are rational."""
    found = {}
    for prediction in task.predictions:
        value = task.expected_loss(p, prediction)
        assert isinstance(value, Fraction)  # the statements are about rational losses
        found[prediction] = value
    return found


def optimal(task: Task, p: Law) -> set[Prediction]:
    """The predictions of least expected loss."""
    found = losses(task, p)
    least = min(found.values())
    return {prediction for prediction, value in found.items() if value == least}


def regret(task: Task, p: Law, prediction: Prediction) -> Fraction:
    """The expected loss of a prediction above the least one."""
    found = losses(task, p)
    return found[prediction] - min(found.values())


def sorted_orders(scores: Sequence[Fraction]) -> Iterator[Prediction]:
    """Every order that sorts the scores from the largest down, with ties broken in every way."""
    for order in permutations(range(len(scores))):
        if all(scores[i] >= scores[j] for i, j in pairwise(order)):
            yield order


def text(task: Task, p: Law) -> str:
    """The distribution as a person reads it."""
    return "; ".join(f"{task.space.text(label)} with {weight}" for label, weight in p.items() if weight)


def ranking(order: Prediction) -> str:
    """The order of the items, numbered from 1."""
    return " > ".join(str(item + 1) for item in order)


def numbers(values: Sequence[Fraction]) -> str:
    """Rationals in parentheses."""
    return f"({', '.join(map(str, values))})"


# --- Pairwise disagreement in RAT13 §7 -------------------------------------------------------------------
# Algorithm 1, the sets P_f and P_DAG, and some scores f of a label.

Feature = Callable[[Label], Sequence[Fraction]]
Edges = frozenset[tuple[int, int]]

_ZERO = Fraction(0)


def in_p_dag(space: LabelSpace, p: Law) -> bool:
    """Whether the edges with d_ij > 0 have no cycle."""
    return condition("acyclic").holds(differences(space, p))


def in_p_f(space: LabelSpace, p: Law, f: Feature) -> bool:
    """Whether d_ij > 0 implies E f_i > E f_j."""
    return TASK_CONDITIONS["p-f"].holds_for(space, p, f)


def expected_scores(p: Law, f: Feature) -> list[Fraction]:
    """E f(Y), the minimizer of least squares on f."""
    rows = [[weight * x for x in f(label)] for label, weight in p.items()]
    return [sum(column, _ZERO) for column in zip(*rows, strict=True)]


def net_feature(space: LabelSpace) -> Feature:
    """f_i(y) = Σ_j (y_ij − y_ji), with which Theorem 6 is about the loss of DMJ10 Eq. 15."""
    return lambda label: [sum(row, _ZERO) for row in differences(space, {label: Fraction(1)})]


def topological_orders(edges: Edges, m: int) -> Iterator[Prediction]:
    """The orders of m items along all edges; none if there is a cycle."""
    for order in permutations(range(m)):
        place = {item: k for k, item in enumerate(order)}
        if all(place[i] < place[j] for i, j in edges):
            yield order


def edges_of(d: Matrix) -> str:
    """The positive entries of d, items numbered from 1."""
    pairs = permutations(range(len(d)), 2)
    return ", ".join(f"d_{i + 1}{j + 1} = {d[i][j]}" for i, j in pairs if d[i][j] > 0)


# --- Mean average precision as RAT13 §6 writes it --------------------------------------------------------
# The matrix u = E[y yᵀ / Σy], and sorting by its diagonal.


def map_task(r: int) -> AveragePrecision:
    """Mean average precision of r items."""
    return AveragePrecision(Grades(r, (0, 1)))


def feature(label: Label, i: int, j: int) -> Fraction:
    """f_ij(y) = y_i y_j / Σy, and 0 where no item is relevant."""
    return Fraction(label[i] * label[j], sum(label)) if any(label) else _ZERO


def means(p: Law) -> Matrix:
    """u = E f(Y), a symmetric matrix."""
    r = len(next(iter(p)))
    return [
        [sum((weight * feature(label, i, j) for label, weight in p.items()), _ZERO) for j in range(r)]
        for i in range(r)
    ]


def diagonal(u: Matrix) -> list[Fraction]:
    """The r scores that are sorted."""
    return [u[i][i] for i in range(len(u))]


def coefficients(order: Prediction) -> dict[tuple[int, int], Fraction]:
    """1/max(σ(i), σ(j)) for i ≤ j: the factor of u_ij in what an order earns."""
    place = {item: k for k, item in enumerate(order, start=1)}
    r = len(order)
    return {(i, j): Fraction(1, max(place[i], place[j])) for i in range(r) for j in range(i, r)}


def earned(u: Matrix, order: Prediction) -> Fraction:
    """⟨u, β_σ⟩ = Σ_{i≤j} u_ij / max(σ(i), σ(j)); the expected loss is P(Y ≠ 0) minus it."""
    return sum((u[i][j] * factor for (i, j), factor in coefficients(order).items()), _ZERO)


def positive_sum(differences: Sequence[Fraction]) -> Fraction:
    """What P_reinforce asks the gap of the diagonal to be at least: the sum of the positive differences."""
    return sum((max(x, _ZERO) for x in differences), _ZERO)


def reinforces(u: Matrix, demand: Callable[[Sequence[Fraction]], Fraction] = positive_sum) -> bool:
    """Whether u_ii ≥ u_jj implies u_ii − u_jj ≥ demand(u_jγ − u_iγ, other γ) (RAT13 §6, P_reinforce)."""
    return all(
        u[i][i] - u[j][j] >= demand([u[j][g] - u[i][g] for g in range(len(u)) if g not in (i, j)])
        for i, j in permutations(range(len(u)), 2)
        if u[i][i] >= u[j][j]
    )


# --- Counterexamples to false variants about sorting the diagonal (RAT13 §6) -----------------------------


def wrong_diagonal(p: Law, demand: Callable[[Sequence[Fraction]], Fraction] | None = None) -> Refutation:
    """Refute "sorting the diagonal is right" at a p whose diagonal has no ties, outside P_reinforce."""
    u, r = means(p), len(next(iter(p)))
    scores, task = diagonal(u), map_task(r)
    order = tuple(sorted(range(r), key=lambda i: -scores[i]))
    lost = regret(task, p, order)
    return Refutation(
        (demand is None or reinforces(u, demand))
        and not reinforces(u)
        and lost > 0
        and len(set(scores)) == r,
        f"{text(task, p)}: the diagonal is {numbers(scores)}, so the order is {ranking(order)}; its regret "
        f"is {lost} against {ranking(min(optimal(task, p)))}",
    )


# --- Counterexamples on tasks: scores at which the slopes of a convex risk add up to zero, exactly -------

_NONE: Final[Mapping[Pair, Fraction]] = MappingProxyType({})


def gradient(
    surrogate: PairsSurrogate,
    task: Task,
    weights: Weights,
    scores: Scores,
    kinks: Mapping[Pair, Fraction] = _NONE,
) -> tuple[Fraction, ...] | None:
    """A subgradient of the risk of a loss of pairs; None if a slope is not known to be rational."""
    total = [Fraction(0)] * task.space.m
    for label, p in weights.items():
        for term in surrogate.atoms(task, label):
            slope = _slope(term, scores, kinks)
            if slope is None:
                return None
            for i, factor in term.v:
                total[i] += p * term.c * slope * factor
    return tuple(total)


def _slope(term: Term, scores: Scores, kinks: Mapping[Pair, Fraction]) -> Fraction | None:
    j, i = (i for i, _ in sorted(term.v, key=lambda entry: entry[1]))
    left, right = exact_slopes(term.phi, scores[i] - scores[j])
    if left is None or right is None:
        return None
    chosen = left if left == right else kinks.get((i, j))
    return chosen if chosen is not None and left <= chosen <= right else None


def sorts(prediction: Prediction, scores: Scores) -> bool:
    """Whether sorting may return the ranking, ties broken in some way."""
    return all(scores[below] <= scores[above] for above, below in pairwise(prediction))


def refuted_at(
    surrogate: PairsSurrogate,
    task: Task,
    weights: Weights,
    scores: Scores,
    better: Prediction,
    kinks: Mapping[Pair, Fraction] = _NONE,
) -> Refutation:
    """Refute "this loss of pairs is calibrated for this task" by minimal scores that may sort wrongly."""
    slopes = gradient(surrogate, task, weights, scores, kinks)
    known = ", ".join(f"p{task.space.text(label)} = {p}" for label, p in weights.items())
    shown = f"{known}: scores ({', '.join(map(str, scores))})"
    if slopes is None or any(slopes) or sum(weights.values()) != 1:
        return Refutation(False, f"{shown} are not shown to be minimal")
    best = task.expected_loss(weights, better)
    returned = [t for t in task.predictions if sorts(t, scores)]
    losses = [task.expected_loss(weights, t) for t in returned]
    worse = [certainly_above(loss, best) for loss in losses]
    if not any(worse):
        return Refutation(False, f"{shown} are minimal, but lose nothing to {task.prediction_text(better)}")
    worst = max(lower_decimal(as_ball(loss - best), 3) for loss in losses)
    failure = "strict" if all(worse) else "tie"
    return Refutation(
        True,
        f"{shown} are minimal and lose at least {float(worst)} to {task.prediction_text(better)}: {failure}",
    )


# --- Counterexamples on tasks that the deciding search finds, each accepted by the core -------------------


def refuted_on_task(surrogate: TaskSurrogate | str, task: Task, condition: str = "any") -> Refutation:
    """Refute "this surrogate is calibrated on this task under this condition"."""
    (answer,) = decide_task(surrogate, task, [condition], prescribe=False).answers
    if answer.witness is None:
        return Refutation(False, f"{answer.verdict} on {task.title} under {condition}")
    about = answer.witness.about
    assert isinstance(about, LabelQuestion)  # the question was about a task
    p = ", ".join(f"p{task.space.text(y)} = {x}" for y, x in about.weights.items())
    found = answer.witness.verified
    return Refutation(
        True, f"{task.title}, {p}: {found.failure}, loses {float(found.regret):.3g}; accepted by the core"
    )


def on_task(loss: str, task: str, condition: str = "any") -> Refutation:
    """The same in words, such as "pairs hinge", "pairwise rankings", "low-noise"."""
    kind, *rest = loss.split()
    name, *labels = task.split()
    built = PairsSurrogate(rest[0], named(rest[0]).expression, *rest[1:]) if kind == "pairs" else loss
    return refuted_on_task(built, target(name, labels=labels[0] if labels else None), condition)
