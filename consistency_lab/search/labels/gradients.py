"""The atoms of all labels in one table, and their gradients at exact scores."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache, reduce
from itertools import product
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.exact import LogRational
from consistency_lab.model.surrogates.tasks.atoms import Atom, Direction, Linear, LogSumExp, Max
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate
from consistency_lab.model.tasks.task import Task
from consistency_lab.phi import Expression, exact_slopes
from consistency_lab.solve.stationary import argument

Scores = tuple[LogRational, ...]
Vector = tuple[Fraction, ...]
Floats = NDArray[np.float64]
Choice = tuple[int, ...]
"""For each kinked atom of a label, which of its extreme gradients is taken."""

_ZERO: Final = Fraction(0)
_ONE: Final = Fraction(1)
_MOST_COLUMNS: Final = 60_000


@final
@dataclass(frozen=True, slots=True)
class Extreme:
    """An extreme gradient of an atom with coefficient 1, and how the core is told of it.

    Parameters
    ----------
    gradient
        One number a coordinate.
    slope
        The slope of a `Term`, the number of the piece of a `Max`, None for a smooth atom by its form.
    """

    gradient: Vector
    slope: Fraction | int | None


@final
@dataclass(frozen=True)
class Columns:
    """The unknowns of a linear program at given scores: a label, and a choice of extreme gradients.

    Parameters
    ----------
    labels
        For each column, the number of its label.
    choices
        For each column its choice; None if no atom has a kink at these scores.
    gradient
        In floats, of shape (columns, coordinates).
    """

    labels: NDArray[np.intp]
    choices: list[Choice] | None
    gradient: Floats

    def choice(self, column: int) -> Choice | None:
        """The choice of a column."""
        return None if self.choices is None else self.choices[column]


@final
@dataclass(frozen=True)
class AtomTable:
    """The atoms of every label: distinct ones with coefficient 1, and who has how much of which.

    Parameters
    ----------
    units
        The distinct atoms.
    parts
        For each label the pairs (number of the unit, coefficient), in the order of its atoms.
    d
        The number of coordinates.
    """

    units: tuple[Atom, ...]
    parts: tuple[tuple[tuple[int, Fraction], ...], ...]
    d: int

    @staticmethod
    def of(surrogate: AtomSurrogate, task: Task) -> "AtomTable":
        """The table of a surrogate on a task."""
        index: dict[Atom, int] = {}
        parts = []
        for label in task.space.labels:
            row = []
            for atom in surrogate.atoms(task, label):
                unit, c = (atom, _ONE) if isinstance(atom, Linear) else (replace(atom, c=_ONE), atom.c)
                row.append((index.setdefault(unit, len(index)), c))
            parts.append(tuple(row))
        return AtomTable(tuple(index), tuple(parts), len(surrogate.coordinates(task)))

    @cached_property
    def coefficients(self) -> Floats:
        """The coefficients as an array of shape (labels, units)."""
        found = np.zeros((len(self.parts), len(self.units)))
        for row, parts in enumerate(self.parts):
            for unit, c in parts:
                found[row, unit] += float(c)
        return found

    def extremes(self, scores: Scores) -> list[tuple[Extreme, ...]] | None:
        """The extreme gradients of each unit, or None where one is not known to be rational."""
        found = []
        for unit in self.units:
            extremes = _extremes(unit, scores)
            if extremes is None:
                return None
            found.append(extremes)
        return found

    def columns(self, extremes: Sequence[tuple[Extreme, ...]], labels: NDArray[np.intp]) -> Columns | None:
        """The columns of the labels with these numbers; None if there are too many."""
        first = np.array([[float(x) for x in unit[0].gradient] for unit in extremes])
        base = self.coefficients[labels] @ first
        kinked = {unit for unit, several in enumerate(extremes) if len(several) > 1}
        if not kinked:
            return Columns(labels, None, base)
        owners: list[int] = []
        choices: list[Choice] = []
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
        return Columns(np.array(owners, dtype=np.intp), choices, np.array(rows))

    def chosen(
        self, extremes: Sequence[tuple[Extreme, ...]], label: int, choice: Choice | None
    ) -> list[tuple[Fraction, Extreme]]:
        """For each atom of a label its coefficient and the extreme that a choice takes."""
        following = iter(choice or ())
        return [
            (c, extremes[unit][next(following) if len(extremes[unit]) > 1 else 0])
            for unit, c in self.parts[label]
        ]

    def gradient(
        self, extremes: Sequence[tuple[Extreme, ...]], label: int, choice: Choice | None
    ) -> list[Fraction]:
        """The gradient of a column, exactly."""
        total = [_ZERO] * self.d
        for c, extreme in self.chosen(extremes, label, choice):
            for i, x in enumerate(extreme.gradient):
                total[i] += c * x
        return total


def _extremes(unit: Atom, scores: Scores) -> tuple[Extreme, ...] | None:
    d = len(scores)
    if isinstance(unit, Linear):
        return (Extreme(_dense(unit.v, _ONE, d), None),)
    if isinstance(unit, LogSumExp):
        if len({scores[i].a for i in unit.over}) > 1:
            return None
        total = sum((scores[i].q for i in unit.over), _ZERO)
        return (Extreme(_dense(tuple((i, scores[i].q) for i in unit.over), 1 / total, d), None),)
    if isinstance(unit, Max):
        values = [_value(v, b, scores) for v, b in unit.pieces]
        if None in values:
            return None
        known = [value for value in values if value is not None]
        largest = reduce(lambda x, y: y if x < y else x, known)
        return tuple(
            Extreme(_dense(v, _ONE, d), k)
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
    row = [_ZERO] * d
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
