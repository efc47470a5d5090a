"""Small distributions over labels at which a surrogate with a known minimizer decodes wrongly.

Floats list candidates: a few labels with small whole weights, or product measures. Each suspect is decoded
again in exact arithmetic; the caller has the witness certified.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import combinations, permutations, product
from math import gcd, prod
from random import Random
from typing import Final

import numpy as np

from consistency_lab.frozen import frozen, frozen_with_cache
from consistency_lab.model.conditions import Condition
from consistency_lab.model.labels import Grades, Label
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate, TaskSurrogate
from consistency_lab.model.surrogates.tasks.decoders import Face, decoder_for, returned_at
from consistency_lab.model.tasks.task import PRECISION, Prediction, Task, certainly_above, combination
from consistency_lab.numbers.exact import integer_multiple, working_precision
from consistency_lab.numbers.normal_form import certainly_equal
from consistency_lab.numbers.tape import Real
from consistency_lab.search.atoms import counted_size, loss_table
from consistency_lab.search.effort import Effort

_FEW_LABELS: Final = 130
"""The most labels combined with each other, those with the lowest grades."""

_MANY_LABELS: Final = 400
"""The most labels tried here."""

_TRIPLES_UP_TO: Final = 30
_HEAVIEST: Final = 7
_TOLERANCE: Final = 1e-9
_EXACT_CHECKS: Final = 60
_SAMPLES: Final = 6_000
_JUDGED: Final = 5_000
"""The cost of decoding a mean exactly, in steps."""

_SLOWLY: Final = 5
"""The reduction if cells are not polyhedra and each decoding runs in Python."""

_MARGINALS: Final = (Fraction(1, 2), Fraction(1, 3), Fraction(2, 3), Fraction(1, 4), Fraction(3, 4))


_Candidate = tuple[tuple[int, ...], tuple[int, ...]]
"""The numbers of some labels, and their weights."""


@frozen
class MeanWitness:
    """A distribution, what the decoder may return there, and a better prediction."""

    weights: dict[Label, Fraction]  #: p.
    #: What may be returned, and what costs less.
    prediction: Prediction
    better: Prediction
    strict: bool  #: Whether everything that may be returned costs more than `better`.

    def relabeled(self, task: Task) -> "MeanWitness":
        """The witness with its items numbered in the better order, where that changes nothing else."""
        if not task.space.symmetric or len(self.better) != task.space.m:
            return self
        sigma = [self.better.index(item) for item in range(task.space.m)]
        weights = {task.space.relabeled(y, sigma): p for y, p in self.weights.items()}
        prediction = tuple(sigma[item] for item in self.prediction)
        return MeanWitness(weights, prediction, tuple(range(task.space.m)), self.strict)


def judged(
    surrogate: MeanSurrogate, task: Task, condition: Condition, weights: Mapping[Label, Fraction]
) -> MeanWitness | None:
    """As `decoded`, with the items numbered in the better order, where that changes nothing else."""
    wrong = decoded(surrogate, task, condition, weights)
    return None if wrong is None else wrong.relabeled(task)


def decoded(
    surrogate: MeanSurrogate, task: Task, condition: Condition, weights: Mapping[Label, Fraction]
) -> MeanWitness | None:
    """Decode E f(y) exactly; None if nothing worse than the best can certainly be returned."""
    if not holds_at(condition, surrogate, task, weights):
        return None
    returned, losses = _at_mean(surrogate, task, weights)
    if not returned:
        return None
    best = min(losses, key=lambda t: float(losses[t]))
    worst = max(returned, key=lambda t: float(losses[t]))
    if not certainly_above(losses[worst], losses[best]):
        return None
    strict = all(certainly_above(losses[t], losses[best]) for t in returned)
    return MeanWitness(dict(weights), worst, best, strict)


def proved_right(surrogate: MeanSurrogate, task: Task, weights: Mapping[Label, Fraction]) -> bool:
    """Whether all that may be returned at E f(y), and so near the infimum, certainly has the least loss."""
    returned, losses = _at_mean(surrogate, task, weights)
    return bool(returned) and best_predictions(losses).issuperset(returned)


def best_predictions(losses: Mapping[Prediction, Real]) -> set[Prediction]:
    """The predictions that certainly lose least; none where that is not certain."""
    best = losses[min(losses, key=lambda t: float(losses[t]))]
    with working_precision(PRECISION):
        # Enclosures tell most of them apart; equal numbers must be proved equal, which takes far longer.
        least = {t for t, x in losses.items() if not certainly_above(x, best)}
        return least if all(certainly_equal(losses[t], best) for t in least) else set()


def holds_at(
    condition: Condition, surrogate: TaskSurrogate, task: Task, weights: Mapping[Label, Fraction]
) -> bool:
    """Whether a distribution has a condition; "p-f" asks about the features of a known mean."""

    def feature(label: Label) -> list[Fraction]:
        assert isinstance(surrogate, MeanSurrogate)
        # Of irrational features nothing is claimed: an order that no d can agree with.
        return [x if isinstance(x, Fraction) else Fraction(0) for x in surrogate.vector(task, label)]

    with working_precision(PRECISION):
        return condition.holds_for(task.space, weights, feature)


def _at_mean(
    surrogate: MeanSurrogate, task: Task, weights: Mapping[Label, Fraction]
) -> tuple[tuple[Prediction, ...], dict[Prediction, Real]]:
    """The predictions that may be returned at E f(y), and the expected loss of every one."""
    with working_precision(PRECISION):
        vectors = {y: surrogate.vector(task, y) for y in weights}
        d = len(next(iter(vectors.values())))
        u = [combination((p, vectors[y][k]) for y, p in weights.items()) for k in range(d)]
        returned = returned_at(surrogate, task, u)
        return returned, {t: task.expected_loss(weights, t) for t in task.predictions} if returned else {}


def small_mean_witness(
    surrogate: MeanSurrogate, task: Task, condition: Condition, effort: Effort, seed: int = 0
) -> MeanWitness | None:
    """The smallest witness among candidates of growing size, or None."""
    surrogate.check(task)
    case = _Case(surrogate, task)
    best: MeanWitness | None = None
    smallest: tuple[bool, int, int, int] | None = None
    for candidates in case.rounds(condition, seed):
        if effort.expired:
            break
        effort.count(distributions=len(candidates))
        for weights in case.suspects(candidates)[:_EXACT_CHECKS]:
            wrong = judged(surrogate, task, condition, weights)
            effort.count(steps=_JUDGED)
            if wrong is not None:
                size = counted_size(wrong.weights, wrong.strict)
                if smallest is None or size < smallest:
                    best, smallest = wrong, size
        if best is not None and best.strict:
            break
    return best


@frozen_with_cache
class _Case:
    surrogate: MeanSurrogate
    task: Task

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """The labels that are combined, low grades first."""
        ordered = sorted(self.task.space.labels, key=lambda y: (max(y, default=0), sum(y), len(y), y))
        return tuple(ordered[:_MANY_LABELS])

    @cached_property
    def features(self) -> np.ndarray:
        with working_precision(PRECISION):
            rows = [self.surrogate.vector(self.task, y) for y in self.labels]
            return np.array([[float(x) for x in row] for row in rows])

    @cached_property
    def losses(self) -> np.ndarray:
        return loss_table(self.task, self.labels, self.task.predictions)

    def rounds(self, condition: Condition, seed: int) -> Iterator[list[_Candidate]]:
        """Candidates of growing size: pairs (label numbers, weights)."""
        slow = _SLOWLY if decoder_for(self.surrogate, self.task).cell is None else 1
        few = range(min(len(self.labels), _FEW_LABELS // slow))
        if condition.name == "independent":
            yield self._products()
            return
        yield [((k,), (1,)) for k in range(len(self.labels))]
        for total in range(2, _HEAVIEST + 1):
            shares = [(a, total - a) for a in range(1, total) if gcd(a, total) == 1]
            yield [(pair, share) for pair in combinations(few, 2) for share in shares]
        if len(few) <= _TRIPLES_UP_TO:
            for total in range(3, _HEAVIEST):
                shares3 = [(a, b, total - a - b) for a in range(1, total) for b in range(1, total - a)]
                yield [(triple, share) for triple in combinations(few, 3) for share in shares3]
        random = Random(seed)
        for _ in range(4):
            yield [self._drawn(random) for _ in range(_SAMPLES // slow)]

    def _drawn(self, random: Random) -> _Candidate:
        count = random.choice((2, 3, 3, 4)) if len(self.labels) >= 4 else 2
        return (
            tuple(random.sample(range(len(self.labels)), count)),
            tuple(random.randint(1, 5) for _ in range(count)),
        )

    def _products(self) -> list[_Candidate]:
        assert isinstance(self.task.space, Grades)
        grades = self.task.space.grades
        marginals: list[dict[int, Fraction]] = [{g: Fraction(1)} for g in grades]
        marginals += [{a: p, b: 1 - p} for a, b in combinations(grades, 2) for p in _MARGINALS]
        index = {y: k for k, y in enumerate(self.labels)}
        products: list[_Candidate] = []
        size = len(marginals) ** self.task.space.m
        chosen = product(marginals, repeat=self.task.space.m)
        random = Random(size)
        for parts in chosen:
            if size > 40_000 and random.random() > 40_000 / size:
                continue
            joint = list(product(*parts))
            if any(y not in index for y in joint):
                continue
            whole, _ = integer_multiple(
                prod((part[g] for part, g in zip(parts, y, strict=True)), start=Fraction(1)) for y in joint
            )
            products.append((tuple(index[y] for y in joint), tuple(whole)))
        return products

    def suspects(self, candidates: list[_Candidate]) -> list[dict[Label, Fraction]]:
        """The candidates that look wrong in floats, the smallest first."""
        p = np.zeros((len(candidates), len(self.labels)))
        for row, (numbers, weights) in enumerate(candidates):
            p[row, list(numbers)] = np.array(weights) / sum(weights)
        regret = self._regret(p @ self.features, p @ self.losses)
        wrong = [candidates[row] for row in np.flatnonzero(regret > _TOLERANCE)]
        wrong.sort(key=lambda c: (len(c[0]), sum(c[1]), sum(sum(self.labels[k]) for k in c[0])))
        return [
            {self.labels[k]: Fraction(w, sum(weights)) for k, w in zip(numbers, weights, strict=True)}
            for numbers, weights in wrong
        ]

    def _regret(self, u: np.ndarray, losses: np.ndarray) -> np.ndarray:
        """About how much more the worst prediction that may be returned costs than the best."""
        decoder = decoder_for(self.surrogate, self.task)
        least = losses.min(axis=1)
        worst: np.ndarray = np.full(len(u), -np.inf)
        cell = decoder.cell or _topological_cell
        for column, t in enumerate(self.task.predictions):
            inside = np.ones(len(u), dtype=bool)
            for w, b in cell(self.surrogate, self.task, t):
                inside &= u @ np.array([float(x) for x in w]) + float(b) >= -_TOLERANCE
            worst[inside] = np.maximum(worst[inside], losses[inside, column])
        place = {t: k for k, t in enumerate(self.task.predictions)}
        for row in np.flatnonzero(worst == -np.inf):
            exact = [Fraction(float(x)).limit_denominator(10_000) for x in u[row]]
            worst[row] = max(losses[row, place[t]] for t in decoder.returns(self.surrogate, self.task, exact))
        regret: np.ndarray = worst - least
        return regret


def _topological_cell(surrogate: MeanSurrogate, task: Task, t: Prediction) -> tuple[Face, ...]:
    """Where no edge (u_ij - u_ji)_+ runs against the ranking, so that Algorithm 1 has no cycle to break."""
    numbers = {pair: k for k, pair in enumerate(permutations(range(task.space.m), 2))}
    faces = []
    for i, j in combinations(t, 2):
        w = [Fraction(0)] * len(numbers)
        w[numbers[i, j]], w[numbers[j, i]] = Fraction(1), Fraction(-1)
        faces.append((tuple(w), Fraction(0)))
    return tuple(faces)
