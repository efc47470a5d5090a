"""A question about a task, written out for the core as a proof with names beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from math import factorial
from typing import Final, final

from consistency_lab.certify.proofs.record import OWN, Entry, as_atom, atom_entries, terms_of
from consistency_lab.core.document import CONSISTENT_AT_P, INCONSISTENT, STRICT, TIE, WRONG_EQUILIBRIUM
from consistency_lab.core.equilibrium import Box, Program
from consistency_lab.core.orders import Pair, closure, extensions
from consistency_lab.core.risk import Atom, Max, Term, merged
from consistency_lab.core.risk import Slope as AtomSlope
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.model.labels import Label
from consistency_lab.model.surrogates.families import Term as ModelTerm
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate, MeanSurrogate, TaskSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import ShippedField, name_means
from consistency_lab.model.surrogates.tasks.decoders import cell_at, returned_at
from consistency_lab.model.surrogates.tasks.means import SoftPairs
from consistency_lab.model.tasks.task import PRECISION, Prediction, Task, certainly_above
from consistency_lab.numbers.exact import LogRational, lower_decimal, rational_text, working_precision
from consistency_lab.numbers.tape import Real, as_ball

SORT: Final = "sort"
ANY: Final = "any"
_WORTH: Final = 1e-9

Weights = Mapping[Label, Fraction]


@final
@dataclass(frozen=True)
class LabelQuestion:
    """A surrogate at one distribution over the labels of a task.

    The one place that knows how a target, a surrogate and a decoder become numbers of a proof. Files are made
    of it, and names beside a proof are checked against it.
    """

    #: What is asked about; the decoder is that of the surrogate.
    surrogate: TaskSurrogate
    task: Task
    weights: Weights  #: The positive probabilities.

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

    def point(self, scores: Sequence[LogRational] | None) -> tuple[Real, ...]:
        """Where the decoder is asked: at the mean, or at numbers in the order of exact scores."""
        if isinstance(self.surrogate, MeanSurrogate):
            return self.surrogate.mean(self.task, self.weights)
        rising = sorted(set(scores or ()))
        return tuple(Fraction(rising.index(score)) for score in scores or ())

    def returned(self, scores: Sequence[LogRational] | None) -> tuple[Prediction, ...]:
        """What the decoder may return there; nothing where enclosures leave it open."""
        return returned_at(self.surrogate, self.task, self.point(scores))

    def wrong(
        self,
        scores: Sequence[LogRational] | None,
        prediction: Prediction,
        better: Prediction,
        *,
        strict: bool,
    ) -> Entry:
        """A proof that they are wrong, without scores and certificate.

        Only predictions that matter are listed: the two that are compared, and what else may be returned,
        where all of it is claimed to be worse or where it is the decoder that has to be written out.
        """
        known = not self.sorted or (strict and not isinstance(self.surrogate, ShippedField))
        returned = self.returned(scores) if known else ()
        listed = tuple(dict.fromkeys((*returned, prediction, better)))
        decoder = SORT if self.sorted else self._cells(scores, returned)
        wrong = self._wrong(prediction, better, strict=strict)
        return {**self._entry(listed, prediction), "decoder": decoder, **wrong}

    def atoms(self, label: Label) -> tuple[Atom, ...]:
        """The summands of a label, as the core has them (UnsupportedError if it is no sum of atoms)."""
        if not isinstance(self.surrogate, AtomSurrogate):
            raise UnsupportedError(f"{self.surrogate.name} is no sum of convex terms")
        return tuple(map(as_atom, self.surrogate.atoms(self.task, label)))

    @cached_property
    def risk(self) -> tuple[Atom, ...]:
        """The atoms of the risk, in the order in which a certificate speaks of them."""
        return merged(atom.times(p) for y, p in self.weights.items() for atom in self.atoms(y))

    @cached_property
    def terms(self) -> tuple[ModelTerm, ...]:
        """The risk as terms (UnsupportedError if it is no sum of them)."""
        terms = terms_of(self.risk)
        if not terms:
            raise UnsupportedError(f"{self.surrogate.name} is no sum of terms c phi(<v, u> - b) here")
        return terms

    def outcome(self, forced: Sequence[Pair], levels: Sequence[Sequence[int]]) -> Entry | None:
        """As `OrderQuestion.outcome`, by the losses of all predictions."""
        m = len(self.coordinates)
        losses = {t: self.task.expected_loss(self.weights, t) for t in self.task.predictions}
        better = min(losses, key=lambda t: float(losses[t]))
        inside = list(extensions(closure(m, forced), factorial(m)))
        prediction = tuple(k for level in levels for k in level)
        if all(certainly_above(losses[t], losses[better]) for t in inside):
            listed = tuple(dict.fromkeys((*inside, better)))
            return {**self._entry(listed, prediction), **self._wrong(prediction, better, strict=True)}
        if any(float(losses[t]) > float(losses[better]) + _WORTH for t in inside):
            return None
        return {**self._entry(self.task.predictions, prediction), "claim": CONSISTENT_AT_P}

    def _wrong(self, prediction: Prediction, better: Prediction, *, strict: bool) -> Entry:
        gap = max(regret(self.task, self.weights, prediction, better), Fraction(0))  # the core rejects 0
        return {
            "claim": INCONSISTENT,
            "prediction": self.prediction(prediction),
            "better": self.prediction(better),
            "failure": STRICT if strict else TIE,
            "regret": f"{Decimal(gap.numerator) / Decimal(gap.denominator):f}",
        }

    def _entry(self, listed: Sequence[Prediction], order: Prediction) -> Entry:
        """A proof with the losses of some predictions, sorted; the scores are in an order."""
        return {
            "coordinates": list(self.coordinates),
            "decoder": SORT,
            "predictions": [self.prediction(t) for t in listed],
            "labels": [
                {
                    "probability": str(p),
                    "losses": [str(self.task.loss(label, t)) for t in listed],
                    "psi": self._psi(label, order),
                }
                for label, p in self.weights.items()
            ],
        }

    def _psi(self, label: Label, order: Prediction) -> object:
        """What the surrogate is at a label, in the order of the scores."""
        surrogate = self.surrogate
        if isinstance(surrogate, MeanSurrogate):
            return list(map(str, surrogate.vector(self.task, label)))
        if isinstance(surrogate, AtomSurrogate):
            return atom_entries(self.atoms(label), self.coordinates)
        if isinstance(surrogate, ShippedField):
            return program_entry(surrogate.field.piece(label, order).program(len(self.coordinates)))
        raise UnsupportedError(f"{surrogate.name} is not written out for the core")

    def named(self, condition: str = ANY) -> Entry:
        """The ``named`` entry of a file; a surrogate with the name of another one is called "own: ..."."""
        task, surrogate = self.task, self.surrogate.describe(self.task)
        if surrogate["name"] != surrogate["family"] and name_means(self.surrogate, task) is False:
            surrogate["name"] = f"{OWN}{surrogate['name']}"
        return {
            "target": task.describe(),
            "labels": [list(label) for label in self.weights],
            "surrogate": surrogate,
            "decoder": self.surrogate.decoder,
            "conditions": {} if condition == ANY else {condition: True},
        }

    def _cells(self, scores: Sequence[LogRational] | None, returned: Sequence[Prediction]) -> Entry:
        at = [x for x in self.point(scores) if isinstance(x, Fraction)]
        cells = {str(self.prediction(t)): cell_at(self.surrogate, self.task, t, at) for t in returned}
        return {t: [[[list(map(str, w)), str(b)] for w, b in cell]] for t, cell in cells.items()}


def program_entry(program: Program) -> Entry:
    """The ``psi`` entry of a label where a gradient field is written out."""
    steps = [str(step) if isinstance(step, Fraction) else list(step) for step in program.steps]
    return {"steps": steps, "gradient": list(program.gradient)}


def slope_entry(slope: AtomSlope) -> object:
    """A slope, as a proof has it."""
    if isinstance(slope, tuple):
        return list(map(rational_text, slope))
    return None if slope is None else rational_text(slope)


# --- What a search has found about a task, written out as a proof ----------------------------------------

Slope = Fraction | tuple[Fraction, ...]
"""Of a `Term` its slope, of a `Max` the weights of its pieces."""


@final
@dataclass(frozen=True)
class LabelWitness:
    """What a search has found, and nothing has proved yet: a distribution that is decoded wrongly."""

    question: LabelQuestion  #: The surrogate at the distribution.
    #: Exact minimizing scores; None where they follow from a mean, or are only known to lie in a box.
    scores: tuple[LogRational, ...] | None
    #: What the decoder may return there, and a prediction of less expected loss.
    prediction: Prediction
    better: Prediction
    #: For each label and each of its terms and maxima, in order: a subgradient.
    slopes: tuple[Slope, ...] = ()
    strict: bool = True  #: Whether everything that the decoder may return is worse than `better`.
    condition: str = (
        ANY  #: What the weights fulfill; "p-f of gain" for a condition on features that are named.
    )
    #: For a gradient field: an interval for each score but the last, which is 0; it holds a zero.
    box: Box | None = None
    attracting: bool = False  #: Whether the field flows towards that zero.


def proof_entry(witness: LabelWitness) -> Entry:
    """The ``proof`` entry of a file (UnsupportedError if the surrogate is not written out)."""
    scores = None if witness.scores is None else list(map(str, witness.scores))
    return {
        **witness.question.wrong(witness.scores, witness.prediction, witness.better, strict=witness.strict),
        **({} if witness.box is None else {"claim": WRONG_EQUILIBRIUM}),
        "scores": scores,
        "certificate": _certificate(witness),
    }


def _certificate(witness: LabelWitness) -> Entry:
    surrogate = witness.question.surrogate
    if witness.box is not None:
        box = [[str(low), str(high)] for low, high in witness.box]
        return {"kind": "equilibrium", "box": box, "attracting": witness.attracting}
    if isinstance(surrogate, MeanSurrogate):
        return {"kind": "mean", "risk": surrogate.risk}
    return {"kind": "minimum", "slopes": list(map(slope_entry, _slopes(witness)))}


def _slopes(witness: LabelWitness) -> list[AtomSlope]:
    """One slope for each atom of the risk; where `merged` adds atoms up, their slopes are averaged."""
    stated = iter(witness.slopes)
    slopes: dict[Atom, tuple[Fraction, AtomSlope]] = {}
    for label, p in witness.question.weights.items():
        for atom in witness.question.atoms(label):
            slope = next(stated, None) if isinstance(atom, Term | Max) else None
            if atom.c:
                shape, d = atom.times(1 / atom.c), p * atom.c
                c, known = slopes.get(shape, (Fraction(0), slope))
                slopes[shape] = (c + d, _average(c, known, d, slope))
    if next(stated, None) is not None:
        raise InputError("there are more slopes than terms and maxima")
    return [slope for _, slope in slopes.values()]


def _average(c: Fraction, x: AtomSlope, d: Fraction, y: AtomSlope) -> AtomSlope:
    if isinstance(x, Fraction) and isinstance(y, Fraction):
        return (c * x + d * y) / (c + d)
    if isinstance(x, tuple) and isinstance(y, tuple):
        return tuple((c * a + d * b) / (c + d) for a, b in zip(x, y, strict=True))
    return None


def regret(task: Task, weights: Weights, prediction: Prediction, better: Prediction) -> Fraction:
    """A decimal of six digits that is certainly not above E l(y, prediction) - E l(y, better)."""
    with working_precision(PRECISION):
        gap = task.expected_loss(weights, prediction) - task.expected_loss(weights, better)
        return lower_decimal(as_ball(gap))


def is_strict(task: Task, weights: Weights, returned: Sequence[Prediction], better: Prediction) -> bool:
    """Whether every prediction that may be returned is certainly worse than `better`."""
    best = task.expected_loss(weights, better)
    return all(certainly_above(task.expected_loss(weights, t), best) for t in returned)
