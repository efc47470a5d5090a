"""The atoms of all labels in one table, and grids on which their gradients are rational."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, lru_cache, reduce
from itertools import combinations_with_replacement, permutations, product
from math import log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.certify.proofs.task_proof import LabelWitness
from consistency_lab.core.risk import Direction, Linear, LogSumExp, Max
from consistency_lab.frozen import frozen, frozen_with_cache
from consistency_lab.model.labels import Label
from consistency_lab.model.surrogates import Term
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate, LossAtom
from consistency_lab.model.tasks.task import Prediction, Task
from consistency_lab.numbers.arrays import Floats
from consistency_lab.numbers.exact import ONE, ZERO, LogRational, Vector, integer_multiple
from consistency_lab.numbers.phi import Expression, exact_slopes
from consistency_lab.search.inverse import grid_for
from consistency_lab.solve.stationary import Scores, argument

# --- The losses of a task as floats ----------------------------------------------------------------------


def loss_table(task: Task, labels: Sequence[Label], predictions: Sequence[Prediction]) -> NDArray[np.float64]:
    """One row a label, one column a prediction."""
    return np.array([[float(task.loss(y, t)) for t in predictions] for y in labels], dtype=float)


# --- The atoms of all labels in one table, and their gradients at exact scores ---------------------------

GradientChoice = tuple[int, ...]
"""For each kinked atom of a label, which of its extreme gradients is taken."""

_MOST_COLUMNS: Final = 60_000


@frozen
class Extreme:
    """An extreme gradient of an atom with coefficient 1, and its form in proof files."""

    gradient: Vector  #: One number a coordinate.
    #: The slope of a `Term`, the number of the piece of a `Max`, None for a smooth atom by its form.
    slope: Fraction | int | None


@frozen
class Columns:
    """The unknowns of a linear program at given scores: a label, and a choice of extreme gradients."""

    labels: NDArray[np.intp]  #: For each column, the number of its label.
    choices: list[GradientChoice] | None  #: For each column its choice; None if no atom has a kink here.
    gradient: Floats  #: In floats, of shape (columns, coordinates), divided by the unit.
    unit: Fraction  #: The size of the gradients: tolerances of linear programs mean something beside it.

    @staticmethod
    def of(labels: NDArray[np.intp], choices: list[GradientChoice] | None, gradient: Floats) -> "Columns":
        largest = np.abs(gradient).max(initial=0)
        unit = Fraction(1024) ** round(log(largest, 1024)) if largest else ONE
        return Columns(labels, choices, gradient / float(unit), unit)

    def choice(self, column: int) -> GradientChoice | None:
        return None if self.choices is None else self.choices[column]


@frozen_with_cache
class AtomTable:
    """The distinct atoms of all labels with coefficient 1, and the coefficients of each label."""

    units: tuple[LossAtom, ...]  #: The distinct atoms.
    #: For each label the pairs (number of the unit, coefficient), in the order of its atoms.
    parts: tuple[tuple[tuple[int, Fraction], ...], ...]
    d: int  #: The number of coordinates.

    @staticmethod
    def of(surrogate: AtomSurrogate, task: Task) -> "AtomTable":
        index: dict[LossAtom, int] = {}
        parts = []
        for label in task.space.labels:
            row = []
            for atom in surrogate.atoms(task, label):
                unit, c = (atom, ONE) if isinstance(atom, Linear) else (replace(atom, c=ONE), atom.c)
                row.append((index.setdefault(unit, len(index)), c))
            parts.append(tuple(row))
        return AtomTable(tuple(index), tuple(parts), len(surrogate.coordinates(task)))

    @cached_property
    def coefficients(self) -> Floats:
        """The coefficients as an array of shape (labels, units)."""
        table = np.zeros((len(self.parts), len(self.units)))
        for row, parts in enumerate(self.parts):
            for unit, c in parts:
                table[row, unit] += float(c)
        return table

    def extremes(self, scores: Scores) -> list[tuple[Extreme, ...]] | None:
        """The extreme gradients of each unit, or None where one is not known to be rational."""
        every = []
        for unit in self.units:
            extremes = _extremes(unit, scores)
            if extremes is None:
                return None
            every.append(extremes)
        return every

    def columns(self, extremes: Sequence[tuple[Extreme, ...]], labels: NDArray[np.intp]) -> Columns | None:
        """The columns of the labels with these numbers; None if there are too many."""
        first = np.array([[float(x) for x in unit[0].gradient] for unit in extremes])
        base = self.coefficients[labels] @ first
        kinked = {unit for unit, several in enumerate(extremes) if len(several) > 1}
        if not kinked:
            return Columns.of(labels, None, base)
        owners: list[int] = []
        choices: list[GradientChoice] = []
        rows: list[Floats] = []
        for place, label in enumerate(labels):
            bends = [(unit, float(c)) for unit, c in self.parts[label] if unit in kinked]
            for choice in product(*(range(len(extremes[unit])) for unit, _ in bends)):
                row = base[place].copy()
                for (unit, c), k in zip(bends, choice, strict=True):
                    if k:
                        row += c * (np.array(list(map(float, extremes[unit][k].gradient))) - first[unit])
                owners.append(int(label))
                choices.append(choice)
                rows.append(row)
            if len(rows) > _MOST_COLUMNS:
                return None
        return Columns.of(np.array(owners, dtype=np.intp), choices, np.array(rows))

    def chosen(
        self, extremes: Sequence[tuple[Extreme, ...]], label: int, choice: GradientChoice | None
    ) -> list[tuple[Fraction, Extreme]]:
        """For each atom of a label its coefficient and the extreme that a choice takes."""
        following = iter(choice or ())
        return [
            (c, extremes[unit][next(following) if len(extremes[unit]) > 1 else 0])
            for unit, c in self.parts[label]
        ]

    def gradient(
        self, extremes: Sequence[tuple[Extreme, ...]], label: int, choice: GradientChoice | None
    ) -> list[Fraction]:
        """The gradient of a column, exactly."""
        total = [ZERO] * self.d
        for c, extreme in self.chosen(extremes, label, choice):
            for i, x in enumerate(extreme.gradient):
                total[i] += c * x
        return total


def _extremes(unit: LossAtom, scores: Scores) -> tuple[Extreme, ...] | None:
    d = len(scores)
    if isinstance(unit, Linear):
        return (Extreme(_dense(unit.v, ONE, d), None),)
    if isinstance(unit, LogSumExp):
        if len({scores[i].a for i in unit.over}) > 1:
            return None
        total = sum((scores[i].q for i in unit.over), ZERO)
        return (Extreme(_dense(tuple((i, scores[i].q) for i in unit.over), 1 / total, d), None),)
    if isinstance(unit, Max):
        values = [_value(v, b, scores) for v, b in unit.pieces]
        if None in values:
            return None
        known = [value for value in values if value is not None]
        largest = reduce(lambda x, y: y if x < y else x, known)
        return tuple(
            Extreme(_dense(v, ONE, d), k)
            for k, ((v, _), value) in enumerate(zip(unit.pieces, known, strict=True))
            if (value - largest).sign() == 0
        )
    left, right = _slopes(unit.phi, argument(unit, scores))
    if left is None or right is None:
        return None
    v = tuple((i, Fraction(n)) for i, n in unit.v)
    return tuple(Extreme(_dense(v, slope, d), slope) for slope in sorted({left, right}))


@lru_cache(maxsize=4096)
def _slopes(phi: Expression, x: LogRational) -> tuple[Fraction | None, Fraction | None]:
    """The one-sided slopes, remembered: few points of a grid have many terms."""
    return exact_slopes(phi, x)


def _dense(v: Direction, factor: Fraction, d: int) -> Vector:
    row = [ZERO] * d
    for i, x in v:
        row[i] = x * factor
    return tuple(row)


def _value(v: Direction, b: Fraction, scores: Scores) -> LogRational | None:
    total = LogRational(b)
    for i, factor in v:
        part = scores[i].times(factor)
        if part is None:
            return None
        total = total + part
    return total


# --- Scores at which the gradients of a surrogate's atoms are rational, the simplest first ---------------

_LOGS: Final = tuple(
    LogRational(Fraction(0), Fraction(q))
    for q in ("1", "5/4", "4/3", "3/2", "5/3", "2", "5/2", "3", "4", "5", "6", "8", "12")
)
_WHOLE: Final = tuple(LogRational(Fraction(n)) for n in range(6))
_LARGEST: Final = 1500


def label_scores(atoms: Sequence[LossAtom], d: int, symmetric: bool) -> list[Scores]:
    """Candidate scores, the last or least one 0."""
    values = list(_values(atoms))
    grid: list[Scores] = []
    while values:
        grid = [(*reversed(upper), values[0]) for upper in combinations_with_replacement(values, d - 1)]
        if len(grid) <= _LARGEST:
            break
        values.pop()
    if not symmetric:
        grid = list(dict.fromkeys(order for scores in grid for order in permutations(scores)))
    return sorted(grid, key=height)


def height(scores: Scores) -> int:
    """The complexity of scores: the sum of numerators and denominators; 0 for zeros."""
    return sum(
        abs(score.a.numerator) + score.a.denominator + score.q.numerator + score.q.denominator - 3
        for score in scores
    )


def _values(atoms: Sequence[LossAtom]) -> tuple[LogRational, ...]:
    terms = [atom for atom in atoms if isinstance(atom, Term)]
    if any(isinstance(atom, LogSumExp) for atom in atoms):
        probe = _LOGS[1]
        return _LOGS if all(None not in exact_slopes(term.phi, probe - term.b) for term in terms) else ()
    if any(isinstance(atom, Max) for atom in atoms):
        return _WHOLE
    grid = grid_for(terms)
    if not grid.exact:
        return ()
    return _LOGS if grid.name == "log-rational" else grid.values


# --- What "smaller" means for a witness about labels, in one place ---------------------------------------


def label_size(witness: LabelWitness) -> tuple[object, ...]:
    """The size of a witness, less if smaller: strict, few labels, small weights, grades and scores."""
    counted = counted_size(witness.question.weights, witness.strict)
    return *counted, height(witness.scores or ()), tuple(witness.question.weights)


def counted_size(weights: Mapping[Label, Fraction], strict: bool) -> tuple[bool, int, int, int]:
    """The first four parts of `label_size`: what needs no scores."""
    whole, _ = integer_multiple(weights.values())
    return not strict, len(weights), sum(whole), sum(map(sum, weights))
