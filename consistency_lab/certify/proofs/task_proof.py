"""A question about a task, written out for the core as a proof with names beside it.

Names that are read are checked against the question that they ask: what it means is written again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, partial
from itertools import islice, product
from math import factorial
from types import MappingProxyType
from typing import Any, Final, final

from consistency_lab.certify.proofs.record import (
    OWN,
    Entry,
    Told,
    agrees,
    as_atom,
    atom_entries,
    same_risk,
    terms_of,
)
from consistency_lab.core.certificates import Equilibrium, KnownMean, Minimum, Separation
from consistency_lab.core.document import CONSISTENT_AT_P, INCONSISTENT, STRICT, TIE, WRONG_EQUILIBRIUM, Proof
from consistency_lab.core.equilibrium import MOST_SLOPES, Box, Program, check_equilibrium
from consistency_lab.core.orders import Cells, Order, Pair, closure, extensions
from consistency_lab.core.reading import array, integer, many, name
from consistency_lab.core.risk import Atom, Max, PhiAtom, merged
from consistency_lab.core.risk import Slope as AtomSlope
from consistency_lab.errors import InputError, RejectedError, UnsupportedError
from consistency_lab.model.conditions import TASK_CONDITIONS
from consistency_lab.model.labels import MOST_ITEMS, Label, Weights
from consistency_lab.model.surrogates.families import Term as ModelTerm
from consistency_lab.model.surrogates.tasks.base import FEATURES, AtomSurrogate, MeanSurrogate, TaskSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import ShippedField, described_surrogate, name_means
from consistency_lab.model.surrogates.tasks.decoders import DECODERS, cell_at, decoder_for, returned_at
from consistency_lab.model.surrogates.tasks.fields import FIELDS, GradientField
from consistency_lab.model.surrogates.tasks.means import Regression, SoftPairs
from consistency_lab.model.tasks.catalogue import described_task
from consistency_lab.model.tasks.task import PRECISION, Prediction, Task, certainly_above
from consistency_lab.numbers.balls import shown
from consistency_lab.numbers.exact import (
    LogRational,
    enclose,
    lower_decimal,
    rational_text,
    working_precision,
)
from consistency_lab.numbers.tape import Real, as_ball

SORT: Final = "sort"
ANY: Final = "any"
_WORTH: Final = 1e-9


@final
@dataclass(frozen=True)
class LabelQuestion:
    """A surrogate at one distribution over the labels of a task.

    The one place that knows how a target, a surrogate and a decoder become numbers of a proof. Files are made
    of it, and names beside a proof are checked against it.
    """

    #: The question; the decoder is the surrogate's.
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
            return _items(self.task)
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
"""Of a `PhiAtom` its slope, of a `Max` the weights of its pieces."""


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
            slope = next(stated, None) if isinstance(atom, PhiAtom | Max) else None
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


# --- Names beside a proof about a task: what they mean is written again, and compared ----------------------

OF: Final = " of "
"""Between a condition and the features that it is about: "p-f of gain"."""

_FIELD: Final = "field"
"""The family of gradient fields."""

_LONGEST: Final = 60


@final
class LabelNames:
    """The names of a file about a task, read, and what they are compared with.

    Each name is told with whether it was recomputed; one that is known and means something else is a
    RejectedError. Conditions are those that the file speaks of.
    """

    conditions: Mapping[str, bool] = MappingProxyType({})
    called: str | None = None  #: What the file calls its surrogate.

    def __init__(self, fields: Mapping[str, Any], proof: Proof, entry: Mapping[str, Any]) -> None:
        if other := fields.keys() & {"graphs", "features"}:
            raise InputError(f"named has labels and {min(other)}; a proof is about one kind of these")
        self.proof, self.entry = proof, entry
        self.task = task = described_task(fields["target"]) if "target" in fields else None
        decoder = name(fields.get("decoder", SORT), "named.decoder")
        built: TaskSurrogate | None = None
        stated = fields.get("surrogate")
        if isinstance(stated, Mapping) and stated.get("family") == _FIELD:
            field = named_field(stated)
            built = None if field is None else ShippedField(field)
        elif "surrogate" in fields:
            built = described_surrogate(stated, decoder)
        grades = many(lambda x, where: integer(x, where, 0, 1000))
        self.labels = labels = array(fields["labels"], "named.labels", grades)
        #: What the names say that the proof is about; None if not all of it is known.
        self.question: LabelQuestion | None = None
        if task is None:
            return
        if len(labels) != len(proof.labels):
            raise RejectedError(f"{len(labels)} labels are named, and {len(proof.labels)} are in the proof")
        if len(set(labels)) < len(labels) or not set(labels) <= set(task.space.labels):
            raise RejectedError(f"the labels are not different ones of {task.title}")
        self.weights = {y: stated.probability for y, stated in zip(labels, proof.labels, strict=True)}
        if built is not None and built.decoder in DECODERS:
            try:
                built.check(task)
                decoder_for(built, task)
            except (InputError, UnsupportedError) as error:
                raise RejectedError(f"the surrogate does not fit the target: {error}") from None
            if built.describe(task).keys() == fields["surrogate"].keys():
                self.question = LabelQuestion(built, task, self.weights)

    def target(self, value: Any) -> Told:
        """The task, and whether the losses of the proof are known to be its losses."""
        task = self.task
        if task is None:
            return [(str(value.get("loss")), False)]
        if any(label.losses is None for label in self.proof.labels):
            raise RejectedError(f"the target is called {task.title}, but losses are not listed one by one")
        listed = [self._prediction(task, t) for t in self.entry.get("predictions", [])]
        derived = [{"losses": [task.loss(label, t) for t in listed]} for label in self.labels]
        known = agrees(self.entry["labels"], derived, f"for the target {task.title}, proof.labels")
        return [(task.title, known)]

    def surrogate(self, value: Any) -> Told:
        """The name, and the family with its parameters if no table has the name."""
        self.called = called = name(value.get("name"), "named.surrogate.name")
        question = self.question
        if question is None:
            return [(f"{called} (of the family {value.get('family')})", False)]
        family, means = _family(value), name_means(question.surrogate, question.task)
        if means is False and called != value["family"]:  # the name of a family is not the name of a loss
            raise RejectedError(
                f"the surrogate is called {shown(repr(called))}, but by its parts it is something else"
            )
        known = self._has_the_psi(question)
        if means:
            return [(called, known)]
        return [(family, known), *([] if called == value["family"] else [(called, False)])]

    def decoder(self, value: Any) -> Told:
        """The named decoder, and whether it is known to agree with the decoder of the proof."""
        return [(value, self._decodes(value))]

    def holds(self, condition: str) -> bool | None:
        """Whether a condition on labels, perhaps with features of a name, holds; None if it is not known."""
        word, _, f = condition.partition(OF)
        known, task = TASK_CONDITIONS.get(word), self.task
        if known is None or task is None or known.fits(task.space) or (f and not known.needs_f):
            return None
        if not known.needs_f:
            return known.holds_for(task.space, self.weights, lambda label: ())
        own = None if self.question is None else self.question.surrogate
        about = Regression(f) if f in FEATURES else None if f else own
        if not isinstance(about, MeanSurrogate):
            return None
        values: Callable[[Label], Any] = partial(about.vector, task)
        return known.holds_for(task.space, self.weights, values)

    def _prediction(self, task: Task, value: object) -> Prediction:
        """A prediction of the proof as the task numbers it."""
        words = value if isinstance(value, list) else str(value).split(" > ")
        t = tuple(int(word) - 1 if word.isascii() and word.isdecimal() else -1 for word in words)
        if t not in task.predictions or (isinstance(value, list) and self.proof.coordinates != _items(task)):
            raise RejectedError(f"{shown(value)} is no prediction of {task.title}")
        return t

    def _has_the_psi(self, question: LabelQuestion) -> bool:
        """Whether the proof's risk at each label is the surrogate's."""
        surrogate, task, proof = question.surrogate, question.task, self.proof
        certificate, wanted = proof.certificate, "a minimum or a separation"
        failure = f"the risk of the proof is not that of the surrogate {surrogate.name}"
        if proof.coordinates != question.coordinates:
            coordinates = shown(", ".join(question.coordinates))
            raise RejectedError(f"{failure}, whose coordinates are {coordinates}")
        if isinstance(surrogate, ShippedField):
            return check_field(surrogate.field, self.labels, proof)
        if isinstance(surrogate, MeanSurrogate):
            if isinstance(certificate, KnownMean) and certificate.risk == surrogate.risk:
                derived = [{"psi": surrogate.vector(task, label)} for label in self.labels]
                where = f"for the surrogate {surrogate.name}, proof.labels"
                return agrees(self.entry["labels"], derived, where)
            wanted = f"a mean with the risk {surrogate.risk!r}"
        elif isinstance(surrogate, AtomSurrogate) and isinstance(certificate, Minimum | Separation):
            for label, part in zip(self.labels, proof.labels, strict=True):
                derived_atoms = merged(question.atoms(label))
                same_risk(merged(part.atoms), derived_atoms, proof.coordinates, surrogate.name)
            return True
        raise RejectedError(f"{failure}, whose certificate is {wanted}")

    def _decodes(self, called: str) -> bool:
        """Whether the named decoder and the decoder of the proof certainly agree at the proof's scores."""
        question, stated = self.question, self.proof.decoder
        if called not in DECODERS or question is None:
            return False
        if question.surrogate.decoder != called:
            raise RejectedError(
                f"the decoder {called} does not fit the surrogate; it is {question.surrogate.decoder}"
            )
        if question.sorted != (not isinstance(stated, Cells)):
            raise RejectedError(f"the decoder is called {called}, and that of the proof is another one")
        if not isinstance(stated, Cells):
            return True
        point = question.point(self.proof.scores)
        exact = [LogRational(x) for x in point if isinstance(x, Fraction)]
        if len(exact) < len(point):
            return False
        theirs = {self.entry["predictions"][number] for number in stated.may_return(exact)}
        mine = {str(question.prediction(t)) for t in question.returned(self.proof.scores)}
        where = f"the cells do not return what the decoder {called} returns at these scores: it"
        return agrees(", ".join(sorted(theirs)), ", ".join(sorted(mine)), where)


def _items(task: Task) -> tuple[str, ...]:
    return tuple(str(item + 1) for item in range(task.space.m))


def _family(entry: Mapping[str, Any]) -> str:
    """The family with its parameters."""
    parts = [f"{key}={value}" for key, value in entry.items() if key not in ("family", "name")]
    words = f"{entry['family']}{' with ' if parts else ''}{' '.join(parts)}"
    return words if len(words) <= _LONGEST else str(entry["family"])


# --- Gradient fields: traced again from the tables, and compared -----------------------------------------
# The same formula may be written out differently by another version, and no one can decide whether two
# programs are the same function. So programs that are not equal are compared by what they prove: they must
# not certainly differ at the middle and the corners of the box, and the field of that name must itself vanish
# in the box, and attract there if the proof says so. Then what the file says is so of the field that it
# names.

_BITS: Final = 256
_CORNERS: Final = 16
"""Most corners of a box that are looked at."""


def named_field(entry: Mapping[str, object]) -> GradientField | None:
    """The field that a ``surrogate`` entry of the family "field" means; None if it is not known here.

    RejectedError if library and objective are not those of the name, or a parameter may not be so.
    """
    called = str(entry.get("name"))
    known = FIELDS.get(called)
    if known is None:
        return None
    fixed = {"library": known.library, "objective": known.objective}
    agrees(entry, fixed, f"of the field {shown(called)}, named.surrogate")
    values = {key: value for key, value in entry.items() if key not in ("family", "name", *fixed)}
    if values.keys() != set(known.parameters):
        return None
    try:
        return known.with_parameters(**values)
    except InputError as error:
        raise RejectedError(f"the field {shown(repr(called))} has no such parameters: {error}") from None


def check_field(field: GradientField, labels: Sequence[Label], proof: Proof) -> bool:
    """Whether the programs of an accepted proof are those of a field, or prove the same of it.

    RejectedError if a program is certainly not that of the field.
    """
    order = proof.prediction
    if not isinstance(proof.certificate, Equilibrium) or not isinstance(order, tuple):
        raise RejectedError(f"{field.name} is a gradient field, and the proof is about none")
    derived = _derived(field, labels, order)
    return derived is not None and prove_the_same(derived, proof, field.name)


def prove_the_same(derived: Sequence[Program], proof: Proof, called: str) -> bool:
    """Whether the programs of an accepted proof are these, or these prove the same (RejectedError if not)."""
    certificate, order = proof.certificate, proof.prediction
    assert isinstance(certificate, Equilibrium)
    assert isinstance(order, tuple)
    stated = [label.psi for label in proof.labels if isinstance(label.psi, Program)]
    for number, (mine, theirs) in enumerate(zip(derived, stated, strict=True), start=1):
        if mine != theirs and _differ(mine, theirs, certificate.box):
            raise RejectedError(f"the program of label {number} is not that of the field {called}")
    if list(derived) == stated:
        return True
    weights = [label.probability for label in proof.labels]
    try:
        attracting = check_equilibrium(list(zip(weights, derived, strict=True)), order, certificate.box)
    except RejectedError:
        return False
    return attracting or not certificate.attracting


def _derived(field: GradientField, labels: Sequence[Label], order: Order) -> list[Program] | None:
    """The programs of the labels; None if they are too large for a proof, or to be traced here."""
    m = len(order)
    if m > MOST_ITEMS:
        return None
    programs: list[Program] = []
    left = MOST_SLOPES // m
    for label in labels:
        programs.append(field.piece(label, order).program(m))
        left -= len(programs[-1].steps)
        if left < 0:
            return None
    return programs


def _differ(mine: Program, theirs: Program, box: Box) -> bool:
    """Whether values or slopes of two programs certainly differ at the middle or at a corner of the box."""
    middle = tuple((low + high) / 2 for low, high in box)
    with working_precision(_BITS):
        for point in (middle, *islice(product(*box), _CORNERS)):
            at = [enclose(x) for x in point]
            for x, y in zip(mine.run(at), theirs.run(at), strict=True):
                both = zip((x.value, *x.slopes), (y.value, *y.slopes), strict=True)
                if not all(a.overlaps(b) for a, b in both):
                    return True
    return False
