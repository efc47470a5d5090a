"""What the statements of RAT13 stand on: laws, programs and counterexamples on tasks."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise, permutations
from types import MappingProxyType
from typing import Final, final

from consistency_lab.book.statement import Refutation
from consistency_lab.errors import RejectedError
from consistency_lab.exact import LogRational, lower_decimal
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import TASK_CONDITIONS, condition
from consistency_lab.model.label_cones import differences
from consistency_lab.model.labels import Grades, Label, LabelSpace
from consistency_lab.model.surrogates.families import Term
from consistency_lab.model.surrogates.tasks.atoms import PairsSurrogate
from consistency_lab.model.tasks.discrete import PairwiseDisagreement
from consistency_lab.model.tasks.positional import AveragePrecision
from consistency_lab.model.tasks.real import as_ball
from consistency_lab.model.tasks.task import Prediction, Task, certainly_above
from consistency_lab.phi import exact_slopes
from consistency_lab.solve.lp import FloatSolver, LPStatus, solve_lp

# --- Distributions on the labels of a task, and what they make of its predictions, all exact -------------

Law = Mapping[Label, Fraction]
"""The probability of each label that has one; the others have none."""


def law(weights: Mapping[Label, int | Fraction]) -> Law:
    """The distribution with probabilities in proportion to these weights.

    Examples
    --------
    >>> law({(0, 1): 1, (1, 1): 3})
    {(0, 1): Fraction(1, 4), (1, 1): Fraction(3, 4)}
    """
    total = sum(weights.values(), Fraction(0))
    return {label: Fraction(weight) / total for label, weight in weights.items()}


def losses(task: Task, p: Law) -> dict[Prediction, Fraction]:
    """The expected loss of every prediction, for a task whose losses are rational."""
    found = {}
    for prediction in task.predictions:
        value = task.expected_loss(p, prediction)
        assert isinstance(value, Fraction)  # that the losses are rational is what these statements are about
        found[prediction] = value
    return found


def optimal(task: Task, p: Law) -> set[Prediction]:
    """The predictions of least expected loss."""
    found = losses(task, p)
    least = min(found.values())
    return {prediction for prediction, value in found.items() if value == least}


def regret(task: Task, p: Law, prediction: Prediction) -> Fraction:
    """The expected loss of a prediction above the least one.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> regret(target("map", items=2), law({(1, 0): 2, (0, 1): 1}), (1, 0))
    Fraction(1, 6)
    """
    found = losses(task, p)
    return found[prediction] - min(found.values())


def sorted_orders(scores: Sequence[Fraction]) -> Iterator[Prediction]:
    """Every order that sorts the scores from the largest down, with ties broken in every way.

    Examples
    --------
    >>> list(sorted_orders([Fraction(1), Fraction(2), Fraction(1)]))
    [(1, 0, 2), (1, 2, 0)]
    """
    for order in permutations(range(len(scores))):
        if all(scores[i] >= scores[j] for i, j in pairwise(order)):
            yield order


def text(task: Task, p: Law) -> str:
    """The distribution as a person reads it."""
    return "; ".join(f"{task.space.text(label)} with {weight}" for label, weight in p.items() if weight)


def ranking(order: Prediction) -> str:
    """The order of the items, numbered from 1.

    Examples
    --------
    >>> ranking((1, 0, 2))
    '2 > 1 > 3'
    """
    return " > ".join(str(item + 1) for item in order)


def numbers(values: Sequence[Fraction]) -> str:
    """Rationals in parentheses."""
    return f"({', '.join(map(str, values))})"


# --- Pairwise disagreement in RAT13 §7 -------------------------------------------------------------------
# Algorithm 1, the sets P_f and P_DAG, and some scores f of a label.

Matrix = Sequence[Sequence[Fraction]]
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


def _wins(space: LabelSpace) -> Feature:
    return lambda label: [
        sum((w for i, _, w in space.preferences(label) if i == item), _ZERO) for item in range(space.m)
    ]


def _losses(space: LabelSpace) -> Feature:
    return lambda label: [
        -sum((w for _, j, w in space.preferences(label) if j == item), _ZERO) for item in range(space.m)
    ]


def _depth(space: LabelSpace) -> Feature:
    def longest(label: Label, item: int) -> int:
        return max((1 + longest(label, j) for i, j, _ in space.preferences(label) if i == item), default=0)

    return lambda label: [Fraction(longest(label, item)) for item in range(space.m)]


SCORES: Final[Mapping[str, Callable[[LabelSpace], Feature]]] = MappingProxyType(
    {"wins − losses": net_feature, "wins": _wins, "−losses": _losses, "longest path down": _depth}
)
"""Scores f of a preference graph that come to mind."""


def topological_orders(edges: Edges, m: int) -> Iterator[Prediction]:
    """The orders of m items along all edges; none if there is a cycle.

    Examples
    --------
    >>> list(topological_orders(frozenset({(0, 1), (2, 1)}), 3))
    [(0, 2, 1), (2, 0, 1)]
    """
    for order in permutations(range(m)):
        place = {item: k for k, item in enumerate(order)}
        if all(place[i] < place[j] for i, j in edges):
            yield order


def upside_down(d: Matrix, rival: Prediction) -> Fraction:
    """Σ d_ij over the i < j that the rival has upside down: what it loses to 1 > 2 > … > r.

    Examples
    --------
    >>> print(upside_down([[0, Fraction(2)], [Fraction(-2), 0]], (1, 0)))
    2
    """
    return sum((d[i][j] for j, i in combinations(rival, 2) if i < j), _ZERO)


def edges_of(d: Matrix) -> str:
    """The positive entries of d, items numbered from 1.

    Examples
    --------
    >>> edges_of([[Fraction(0), Fraction(1, 2)], [Fraction(-1, 2), Fraction(0)]])
    'd_12 = 1/2'
    """
    pairs = permutations(range(len(d)), 2)
    return ", ".join(f"d_{i + 1}{j + 1} = {d[i][j]}" for i, j in pairs if d[i][j] > 0)


# --- Exact linear programs over P_DAG, which is a union of polytopes -------------------------------------
# D ≥ 0 along some order (RAT13 §7).

_ONE = Fraction(1)
Row = list[Fraction]


@final
@dataclass(frozen=True)
class Programs:
    """The programs for one task on a small label space.

    Examples
    --------
    >>> from consistency_lab.model.labels import Dags
    >>> from consistency_lab.book.rat13 import net_feature
    >>> programs = Programs(PairwiseDisagreement(Dags(3)))
    >>> programs.along_worst()
    Fraction(0, 1)
    >>> programs.sorted_worst(net_feature(programs.task.space))[0]
    Fraction(1, 2)
    """

    task: PairwiseDisagreement  #: Pairwise disagreement.

    def difference(self, i: int, j: int) -> Row:
        """d_ij as a linear form in p."""
        return [differences(self.task.space, {y: _ONE})[i][j] for y in self.task.space.labels]

    def along(self, order: Prediction) -> list[Row]:
        """−d_ij for i before j: with right-hand side 0 they say that d ≥ 0 along the order."""
        return [self.difference(j, i) for i, j in combinations(order, 2)]

    def along_worst(self) -> Fraction:
        """The greatest regret of 1 > 2 > … > r over the p with d ≥ 0 along it."""
        return max(lost for lost, *_ in _regrets(self.task, self.along(self.task.predictions[0])))

    def sorted_worst(self, f: Feature) -> tuple[Fraction, Law]:
        """The greatest regret over P_DAG of 1 > 2 > … > r where it sorts E f, and where it is attained.

        For an f that moves with the items this is the greatest regret of regression on f over P_DAG.
        """
        order, *_ = self.task.predictions
        scores = [f(y) for y in self.task.space.labels]
        falling = [[x[j] - x[i] for x in scores] for i, j in pairwise(order)]
        ways = (self.along(way) for way in self.task.predictions)
        found = (one for way in ways for one in _regrets(self.task, [*falling, *way]))
        lost, p, _ = max(found, key=lambda one: one[0])
        return lost, p


def _regrets(
    task: PairwiseDisagreement | AveragePrecision, rows: list[Row], others: int = 0
) -> Iterator[tuple[Fraction, Law, Prediction]]:
    """The greatest regret of 1 > 2 > … > r against each rival, with `rows` of p and `others` ≤ 0."""
    solver, labels, zeros = FloatSolver(), task.space.labels, [_ZERO] * others
    first, *rivals = task.predictions
    for rival in rivals:
        costs = [task.loss(y, rival) - task.loss(y, first) for y in labels]
        total = [[_ONE] * len(labels) + zeros]
        found = solve_lp([*costs, *zeros], total, [_ONE], rows, [_ZERO] * len(rows), solver)
        if found.status is not LPStatus.OPTIMAL or found.value is None:
            raise RejectedError(
                f"a linear program on {task.space.m} items is not solved: {found.status.value}"
            )
        yield -found.value, {y: x for y, x in zip(labels, found.x, strict=False) if x}, rival


# --- Mean average precision as RAT13 §6 writes it --------------------------------------------------------
# The matrix u = E[y yᵀ / Σy], and sorting by its diagonal.


def map_task(r: int) -> AveragePrecision:
    """Mean average precision of r items."""
    return AveragePrecision(Grades(r, (0, 1)))


def feature(label: Label, i: int, j: int) -> Fraction:
    """f_ij(y) = y_i y_j / Σy, and 0 where no item is relevant.

    Examples
    --------
    >>> feature((1, 0, 1), 0, 2), feature((0, 0, 0), 0, 0)
    (Fraction(1, 2), Fraction(0, 1))
    """
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
    """1/max(σ(i), σ(j)) for i ≤ j: the factor of u_ij in what an order earns.

    Examples
    --------
    >>> coefficients((1, 0))
    {(0, 0): Fraction(1, 2), (0, 1): Fraction(1, 2), (1, 1): Fraction(1, 1)}
    """
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
    """Whether u_ii ≥ u_jj implies u_ii − u_jj ≥ demand(u_jγ − u_iγ for the other γ) (RAT13 §6, P_reinforce).

    Examples
    --------
    >>> reinforces(means({(1, 0, 0): Fraction(1, 2), (0, 1, 1): Fraction(1, 2)}))
    True
    >>> reinforces(means({(1, 0, 0): Fraction(3, 7), (0, 1, 1): Fraction(4, 7)}))
    False
    """
    return all(
        u[i][i] - u[j][j] >= demand([u[j][g] - u[i][g] for g in range(len(u)) if g not in (i, j)])
        for i, j in permutations(range(len(u)), 2)
        if u[i][i] >= u[j][j]
    )


def exchange_holds(order: Prediction, k: int) -> bool:
    """Exchanging the items at positions k and k + 1 costs (1/k − 1/(k+1)) times what the proof says.

    That is u_ii − u_jj + Σ (u_iγ − u_jγ) over the items γ above both; every coefficient is compared.

    Examples
    --------
    >>> exchange_holds((2, 0, 1), 2)
    True
    """
    i, j = order[k - 1], order[k]
    swapped = (*order[: k - 1], j, i, *order[k + 1 :])
    before, after = coefficients(order), coefficients(swapped)
    step = Fraction(1, k) - Fraction(1, k + 1)
    expected = {(i, i): step, (j, j): -step}
    for above in order[: k - 1]:
        expected[min(i, above), max(i, above)] = step
        expected[min(j, above), max(j, above)] = -step
    return all(before[pair] - after[pair] == expected.get(pair, _ZERO) for pair in before)


# --- Exact linear programs over all distributions on the binary labels of a few items (RAT13 §6) ---------


@frozen
class Worst:
    """The greatest regret of sorting by the diagonal, and a distribution that attains it."""

    regret: Fraction  #: Against the best order.
    p: Law  #: Where it is attained.
    better: Prediction  #: An order that is better by so much.
    programs: int  #: How many programs were solved: one for each other order.


def worst_diagonal(r: int, *, reinforced: bool) -> Worst:
    """Maximize the regret of the order 1 > 2 > … > r over the p with u_11 ≥ … ≥ u_rr.

    By symmetry it is the worst regret of any order sorted by the diagonal. With `reinforced` the p are those
    of P_reinforce with this order, where (u_jγ − u_iγ)_+ is a variable n ≥ 0 with n ≥ u_jγ − u_iγ. Every
    optimum is exact, with multipliers that prove it.

    Examples
    --------
    >>> worst_diagonal(3, reinforced=False).regret, worst_diagonal(3, reinforced=True).regret
    (Fraction(1, 18), Fraction(0, 1))
    """
    task = map_task(r)
    labels = task.space.labels
    falls = [(i, j, g) for i, j in combinations(range(r), 2) for g in range(r) if g not in (i, j)]

    def row(values: Sequence[Fraction], on: dict[tuple[int, int, int], Fraction]) -> list[Fraction]:
        return [*values, *(on.get(fall, _ZERO) for fall in falls)]

    rows = []
    for i, j in combinations(range(r), 2):
        others = [fall for fall in falls if fall[:2] == (i, j)]
        gap = [feature(y, j, j) - feature(y, i, i) for y in labels]
        rows.append(row(gap, dict.fromkeys(others, _ONE) if reinforced else {}))
        rows += [
            row([feature(y, j, g) - feature(y, i, g) for y in labels], {(i, j, g): -_ONE}) for *_, g in others
        ]
    found = list(_regrets(task, rows, len(falls)))
    return Worst(*max(found, key=lambda one: one[0]), len(found))


# --- Counterexamples to false variants about sorting the diagonal (RAT13 §6) -----------------------------


def wrong_diagonal(p: Law, demand: Callable[[Sequence[Fraction]], Fraction] | None = None) -> Refutation:
    """Refute "sorting the diagonal is right" at a p whose diagonal has no ties, outside P_reinforce.

    Parameters
    ----------
    p
        Where it is wrong.
    demand
        What the variant asks of the gap of the diagonal, as in `reinforces`; nothing if not given.
    """
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

Weights = Mapping[Label, Fraction]
Scores = Sequence[LogRational]
Pair = tuple[int, int]
_NONE: Final[Mapping[Pair, Fraction]] = MappingProxyType({})


def gradient(
    surrogate: PairsSurrogate,
    task: Task,
    weights: Weights,
    scores: Scores,
    kinks: Mapping[Pair, Fraction] = _NONE,
) -> tuple[Fraction, ...] | None:
    """A subgradient of the risk of a loss of pairs; None if a slope is not known to be rational.

    Parameters
    ----------
    surrogate, task, weights, scores
        The risk and where its slopes are taken.
    kinks
        The slope chosen for phi(u_i - u_j) where phi has a kink; it has to lie between the one-sided slopes.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> from consistency_lab.phi import named
    >>> ranknet = PairsSurrogate("ranknet", named("logistic").expression)
    >>> p = {(1, 0): Fraction(3, 5), (0, 1): Fraction(2, 5)}
    >>> gradient(ranknet, target("ndcg", items=2), p, [LogRational.parse("log(3/2)"), LogRational.parse("0")])
    (Fraction(0, 1), Fraction(0, 1))
    """
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
    """Refute "this loss of pairs is calibrated for this task" by minimal scores that may be sorted wrongly.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> from consistency_lab.phi import named
    >>> ranknet = PairsSurrogate("ranknet", named("logistic").expression)
    >>> p = {(2, 1): Fraction(3, 5), (0, 1): Fraction(2, 5)}
    >>> scores = [LogRational.parse("log(3/2)"), LogRational.parse("0")]
    >>> refuted_at(ranknet, target("ndcg", items=2), p, scores, (1, 0)).witness
    'p(2, 1) = 3/5, p(0, 1) = 2/5: scores (log(3/2), 0) are minimal and lose at least 0.0256 to 2 > 1: strict'
    """
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
