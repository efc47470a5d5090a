"""A question about a task, written out for the core: coordinates, predictions, decoder, labels.

The one place that knows how a target, a surrogate and a decoder become numbers of a proof. Files are made of
it, and names beside a proof are checked against it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Final, final

from consistency_lab.core.risk import Atom, Linear, LogSumExp, Max, Slope, Term
from consistency_lab.errors import UnsupportedError
from consistency_lab.exact import LogRational
from consistency_lab.model.surrogates.base import Term as ModelTerm
from consistency_lab.model.surrogates.tasks.atoms import Atom as ModelAtom
from consistency_lab.model.surrogates.tasks.atoms import LogSumExp as ModelLogSumExp
from consistency_lab.model.surrogates.tasks.atoms import Max as ModelMax
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate, MeanSurrogate, TaskSurrogate
from consistency_lab.model.surrogates.tasks.decoders import cell_at, returned_at
from consistency_lab.model.surrogates.tasks.relaxed import SoftPairs
from consistency_lab.model.surrogates.tasks.shipped import ShippedField
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.task import Prediction, Task
from consistency_lab.proofs.entries import Entry, atom_entries
from consistency_lab.proofs.programs import program_entry

if TYPE_CHECKING:
    from consistency_lab.model.tasks.real import Real

SORT: Final = "sort"

Weights = Mapping[Label, Fraction]


@final
@dataclass(frozen=True)
class Question:
    """A surrogate at one distribution over the labels of a task.

    Parameters
    ----------
    surrogate, task
        What is asked about; the decoder is that of the surrogate.
    weights
        The positive probabilities.
    """

    surrogate: TaskSurrogate
    task: Task
    weights: Weights

    @property
    def sorted(self) -> bool:
        """Whether the proof sorts its coordinates; else the cells of predictions are written out."""
        return self.surrogate.decoder == SORT or isinstance(self.surrogate, SoftPairs)

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """The names of the scores."""
        if isinstance(self.surrogate, SoftPairs):  # its means belong to pairs, its scores to items
            return tuple(str(item + 1) for item in range(self.task.space.m))
        return self.surrogate.coordinates(self.task)

    def prediction(self, t: Prediction) -> list[str] | str:
        """A prediction, as a proof names it."""
        names = [str(k + 1) for k in t]
        return names if self.sorted else " > ".join(names)

    def point(self, scores: Sequence[LogRational] | None) -> "tuple[Real, ...]":
        """Where the decoder is asked: at the mean, or at numbers in the order of exact scores."""
        if isinstance(self.surrogate, MeanSurrogate):
            return self.surrogate.mean(self.task, self.weights)
        rising = sorted(set(scores or ()))
        return tuple(Fraction(rising.index(score)) for score in scores or ())

    def returned(self, scores: Sequence[LogRational] | None) -> tuple[Prediction, ...]:
        """What the decoder may return there; nothing where enclosures leave it open."""
        return returned_at(self.surrogate, self.task, self.point(scores))

    def elaborated(
        self,
        scores: Sequence[LogRational] | None,
        prediction: Prediction,
        better: Prediction,
        *,
        strict: bool,
    ) -> Entry:
        """The entries of a proof.

        Only predictions that matter are listed: the two that are compared, and what else may be returned,
        where all of it is claimed to be worse or where it is the decoder that has to be written out.

        Examples
        --------
        >>> from consistency_lab.model.surrogates.tasks.regression import Regression
        >>> from consistency_lab.model.tasks.catalogue import target
        >>> question = Question(Regression(), target("wta", items=2), {(1, 0): Fraction(1)})
        >>> question.elaborated(None, (0, 1), (1, 0), strict=True)["labels"]
        [{'probability': '1', 'losses': ['0', '1'], 'psi': ['1', '0']}]
        """
        known = not self.sorted or (strict and not isinstance(self.surrogate, ShippedField))
        returned = self.returned(scores) if known else ()
        listed = tuple(dict.fromkeys((*returned, prediction, better)))
        return {
            "coordinates": list(self.coordinates),
            "predictions": [self.prediction(t) for t in listed],
            "decoder": SORT if self.sorted else self._cells(scores, returned),
            "labels": self.labels(listed, prediction),
        }

    def labels(self, listed: Sequence[Prediction], order: Prediction) -> list[Entry]:
        """The labels of a proof, with the losses of some predictions; the scores are in an order."""
        return [
            {
                "probability": str(p),
                "losses": [str(self.task.loss(label, t)) for t in listed],
                "psi": psi_entry(self, label, order),
            }
            for label, p in self.weights.items()
        ]

    def _cells(self, scores: Sequence[LogRational] | None, returned: Sequence[Prediction]) -> Entry:
        at = [x for x in self.point(scores) if isinstance(x, Fraction)]
        cells = {str(self.prediction(t)): cell_at(self.surrogate, self.task, t, at) for t in returned}
        return {t: [[[list(map(str, w)), str(b)] for w, b in cell]] for t, cell in cells.items()}


def psi_entry(question: Question, label: Label, order: Prediction) -> object:
    """What the surrogate is at a label, in the order of the scores: one case for each family.

    Raises
    ------
    UnsupportedError
        If it is of no family that is written out.
    """
    surrogate, task = question.surrogate, question.task
    if isinstance(surrogate, MeanSurrogate):
        return list(map(str, surrogate.vector(task, label)))
    if isinstance(surrogate, AtomSurrogate):
        return atom_entries(atoms(surrogate, task, label), question.coordinates)
    if isinstance(surrogate, ShippedField):
        return program_entry(surrogate.field.piece(label, order).program(len(question.coordinates)))
    raise UnsupportedError(f"{surrogate.name} is not written out for the core")


def atoms(surrogate: AtomSurrogate, task: Task, label: Label) -> tuple[Atom, ...]:
    """The summands of a label, as the core has them."""
    return tuple(map(_atom, surrogate.atoms(task, label)))


def merged_slopes(parts: Iterable[tuple[Atom, Slope]]) -> list[Slope]:
    """One slope for each atom of a risk, from those of its summands.

    Subgradients of summands that differ in their coefficient only are averaged.

    Examples
    --------
    >>> one, two = (LogSumExp(Fraction(c), (0, 1)) for c in (1, 2))
    >>> merged_slopes([(one, None), (two, None)])
    [None]
    """
    found: dict[Atom, tuple[Fraction, Slope]] = {}
    for atom, slope in parts:
        if not atom.c:
            continue
        shape = atom.times(1 / atom.c)
        c, known = found.get(shape, (Fraction(0), slope))
        found[shape] = (c + atom.c, _average(c, known, atom.c, slope))
    return [slope for _, slope in found.values()]


def _average(c: Fraction, x: Slope, d: Fraction, y: Slope) -> Slope:
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return (c * x + d * y) / (c + d)
    if isinstance(x, tuple) and isinstance(y, tuple):
        return tuple((c * a + d * b) / (c + d) for a, b in zip(x, y, strict=True))
    return None


def slope_entry(slope: Slope) -> object:
    """A slope, as a proof has it."""
    return list(map(str, slope)) if isinstance(slope, tuple) else None if slope is None else str(slope)


def _atom(atom: ModelAtom) -> Atom:
    if isinstance(atom, ModelTerm):
        return Term(atom.c, atom.phi, tuple((k, Fraction(n)) for k, n in atom.v), atom.b)
    if isinstance(atom, ModelLogSumExp):
        return LogSumExp(atom.c, tuple(sorted(atom.over)))
    if isinstance(atom, ModelMax):
        return Max(atom.c, atom.pieces)
    return Linear(Fraction(1), atom.v)
