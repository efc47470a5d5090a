"""Names beside a proof about a task, recomputed from the tables."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import islice, product
from types import MappingProxyType
from typing import Any, Final, final

from consistency_lab.certify.proofs.record import VerifiedProof
from consistency_lab.certify.proofs.task_proof import SORT, LabelQuestion, Weights, atoms
from consistency_lab.core.certificates import Equilibrium, KnownMean, Minimum, Separation
from consistency_lab.core.document import Proof
from consistency_lab.core.equilibrium import MOST_SLOPES, Box, Program, check_equilibrium
from consistency_lab.core.orders import Cells, Order
from consistency_lab.core.reading import array, expression, integer, name, real
from consistency_lab.core.risk import merged
from consistency_lab.errors import InputError, RejectedError, UnsupportedError
from consistency_lab.model.conditions import TASK_CONDITIONS
from consistency_lab.model.labels import MOST_ITEMS, Label
from consistency_lab.model.surrogates.tasks.base import FEATURES, AtomSurrogate, MeanSurrogate, TaskSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import ShippedField, described_surrogate, name_means
from consistency_lab.model.surrogates.tasks.decoders import DECODERS, decoder_for
from consistency_lab.model.surrogates.tasks.fields import FIELDS, GradientField
from consistency_lab.model.tasks.catalogue import described_task
from consistency_lab.model.tasks.task import Prediction, Task
from consistency_lab.numbers.balls import ball, rational, shown
from consistency_lab.numbers.exact import LogRational, enclose, working_precision
from consistency_lab.numbers.tape import Real, as_ball

# --- Names of gradient fields beside a proof: traced again from the tables, and compared -----------------
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

    Raises
    ------
    RejectedError
        If library and objective are not those of the name, or a parameter has no value that it may have.

    Examples
    --------
    >>> from consistency_lab.model.surrogates.tasks.fields import field
    >>> named_field(field("lightgbm:lambdarank").describe()) == field("lightgbm:lambdarank")
    True
    """
    called = str(entry.get("name"))
    found = FIELDS.get(called)
    if found is None:
        return None
    values = {key: value for key, value in entry.items() if key not in ("family", "name")}
    if (values.pop("library", None), values.pop("objective", None)) != (found.library, found.objective):
        raise RejectedError(f"library and objective are not those of the field {shown(repr(called))}")
    if set(values) != set(found.parameters):
        return None
    try:
        return found.with_parameters(**values)
    except InputError as error:
        raise RejectedError(f"the field {shown(repr(called))} has no such parameters: {error}") from None


def check_field(field: GradientField, labels: Sequence[Label], proof: Proof) -> bool:
    """Whether the programs of an accepted proof are those of a field, or prove the same of it.

    Raises
    ------
    RejectedError
        If a program is certainly not that of the field, or a label is not one that the field takes.
    """
    certificate, order = proof.certificate, proof.prediction
    if not isinstance(certificate, Equilibrium) or not isinstance(order, tuple):
        raise RejectedError(f"{field.name} is a gradient field, and the proof is about none")
    m = len(proof.coordinates)
    if len(labels) != len(proof.labels):
        raise RejectedError(f"{len(labels)} labels are named, and the proof has {len(proof.labels)}")
    if any(len(label) != m or not 0 <= min(label) <= max(label) <= field.most for label in labels):
        raise RejectedError(f"the labels of {field.name} must be {m} grades each, from 0 to {field.most}")
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
    """The programs of the labels; None if they are more than a proof may have or than are traced here."""
    m = len(order)
    if m > MOST_ITEMS:
        return None
    found: list[Program] = []
    left = MOST_SLOPES // m
    for label in labels:
        found.append(field.piece(label, order).program(m))
        left -= len(found[-1].steps)
        if left < 0:
            return None
    return found


def _differ(mine: Program, theirs: Program, box: Box) -> bool:
    """Whether values or slopes of two programs certainly differ at the middle or at a corner of the box."""
    middle = tuple((low + high) / 2 for low, high in box)
    with working_precision(_BITS):
        return any(_differ_at(mine, theirs, point) for point in (middle, *islice(product(*box), _CORNERS)))


def _differ_at(mine: Program, theirs: Program, point: Sequence[Fraction]) -> bool:
    at = [enclose(x) for x in point]
    return any(
        not (
            x.value.overlaps(y.value) and all(a.overlaps(b) for a, b in zip(x.slopes, y.slopes, strict=True))
        )
        for x, y in zip(mine.run(at), theirs.run(at), strict=True)
    )


# --- Names beside a proof about a task: target, labels, surrogate, decoder and conditions, recomputed ----
# Numbers are compared exactly: rationals as rationals, others by their expressions. Where an expression is
# written differently and enclosures do not tell the numbers apart, nothing is said of the name.

OF: Final = " of "
"""Between a condition and the features that it is about: "p-f of gain"."""

FIELD: Final = "field"
"""The family of gradient fields."""

_LONGEST: Final = 60


@final
class LabelNames:
    """The names of a file about a task, read, and what they are compared with."""

    conditions: Mapping[str, bool] = MappingProxyType({})

    def __init__(self, fields: Mapping[str, Any], proof: Proof, entry: Mapping[str, Any]) -> None:
        if "graphs" in fields:
            raise InputError("named has labels and graphs; a proof is about one kind of these")
        self.proof, self.entry = proof, entry
        self.task = task = described_task(fields["target"]) if "target" in fields else None
        decoder = name(fields.get("decoder", SORT), "named.decoder")
        built = built_surrogate(fields["surrogate"], decoder) if "surrogate" in fields else None
        self.labels = labels = array(fields["labels"], "named.labels", _label)
        if task is not None:
            if len(labels) != len(proof.labels):
                raise RejectedError(
                    f"{len(labels)} labels are named, and {len(proof.labels)} are in the proof"
                )
            if len(set(labels)) < len(labels) or not set(labels) <= set(task.space.labels):
                raise RejectedError(f"the labels are not different ones of {task.title}")
        if task is not None and built is not None:
            known = built.describe(task).keys() if fits(built, task) else ()
            if known != fields["surrogate"].keys():
                built = None
        self.built = built

    @property
    def question(self) -> LabelQuestion | None:
        """What the names say that the proof is about; None if not all of it is known."""
        if self.task is None or self.built is None:
            return None
        return LabelQuestion(self.built, self.task, self.weights)

    @property
    def weights(self) -> Weights:
        """The labels with the probabilities of the proof."""
        return dict(zip(self.labels, (label.probability for label in self.proof.labels), strict=True))

    def target(self, value: Any) -> tuple[str, bool]:
        """The task; its losses are those of the proof."""
        if self.task is None:
            return str(value.get("loss")), False
        return self.task.title, self._has_the_losses(self.task)

    def surrogate(self, value: Any) -> tuple[str, list[tuple[str, bool]]]:
        """Its name, and what its family and parameters mean if no table has the name."""
        called = name(value.get("name"), "named.surrogate.name")
        if self.task is None or self.built is None:
            return called, [(f"{called} (of the family {value.get('family')})", False)]
        family, means = _family(value), name_means(self.built, self.task)
        if not means and called == value["family"]:  # a family is not one of its losses
            return called, [(family, self._has_the_psi())]
        if means is False:
            raise RejectedError(
                f"the surrogate is called {shown(repr(called))}, but by its parts it is something else"
            )
        known = self._has_the_psi()
        return called, [(called, known)] if means else [(family, known), (called, False)]

    def decoder(self, value: Any) -> list[tuple[str, bool]]:
        """Whether the named decoder may return at these scores what that of the proof may."""
        return [(value, self._decodes(value))]

    def holds(self, condition: str) -> bool | None:
        """Whether a condition on labels, perhaps with features of a name, holds."""
        word, _, f = condition.partition(OF)
        found, task, p = TASK_CONDITIONS.get(word), self.task, self.weights
        if found is None or task is None or found.fits(task.space):
            return None
        if not found.needs_f:
            return None if f else found.holds_for(task.space, p, lambda label: ())
        values = self._features(task, f)
        return None if values is None else found.holds_for(task.space, p, values.__getitem__)

    def _has_the_losses(self, task: Task) -> bool:
        """Whether the losses of the proof are those of the task."""
        if any(label.losses is None for label in self.proof.labels):
            raise RejectedError(f"the target is called {task.title}, but losses are not listed one by one")
        predictions = [self._prediction(task, t) for t in self.entry.get("predictions", [])]
        rows = (label["losses"] for label in self.entry["labels"])
        found = [
            _equal(stated, task.loss(label, t), f"the loss of {task.title} at {task.space.text(label)}")
            for label, row in zip(self.labels, rows, strict=True)
            for t, stated in zip(predictions, row, strict=True)
        ]
        return all(found)

    def _prediction(self, task: Task, value: object) -> Prediction:
        """A prediction of the proof as the task numbers it."""
        words = value if isinstance(value, list) else str(value).split(" > ")
        found = tuple(int(word) - 1 if word.isascii() and word.isdecimal() else -1 for word in words)
        names = tuple(str(item + 1) for item in range(task.space.m))
        if found not in task.predictions or (isinstance(value, list) and self.proof.coordinates != names):
            raise RejectedError(f"{shown(value)} is no prediction of {task.title}")
        return found

    def _has_the_psi(self) -> bool:
        """Whether what the proof says of each label is what the surrogate is there."""
        question, proof = self.question, self.proof
        assert question is not None
        failure = RejectedError(
            f"the risk of the proof is not that of the surrogate {question.surrogate.name}"
        )
        surrogate, task = question.surrogate, question.task
        if proof.coordinates != question.coordinates:
            raise failure
        if isinstance(surrogate, ShippedField):
            return check_field(surrogate.field, self.labels, proof)
        match surrogate, proof.certificate:
            case MeanSurrogate(), KnownMean(risk=risk):
                if risk != surrogate.risk:
                    raise failure
                rows = [surrogate.vector(task, label) for label in self.labels]
                stated = [label["psi"] for label in self.entry["labels"]]
                if any(len(x) != len(y) for x, y in zip(stated, rows, strict=True)):
                    raise failure
                what = f"a number of {surrogate.name}"
                pairs = [pair for x, y in zip(stated, rows, strict=True) for pair in zip(x, y, strict=True)]
                found = [_equal(x, y, what) for x, y in pairs]
                return all(found)
            case AtomSurrogate(), Minimum() | Separation():
                for label, part in zip(self.labels, proof.labels, strict=True):
                    if set(merged(part.atoms)) != set(merged(atoms(surrogate, task, label))):
                        raise failure
                return True
        raise failure

    def _decodes(self, called: str) -> bool:
        question = self.question
        if called not in DECODERS or question is None:
            return False
        if question.surrogate.decoder != called:
            raise RejectedError(
                f"the decoder {called} does not fit the surrogate; it is {question.surrogate.decoder}"
            )
        if question.sorted != (not isinstance(self.proof.decoder, Cells)):
            raise RejectedError(f"the decoder is called {called}, and that of the proof is another one")
        if not isinstance(self.proof.decoder, Cells):
            return True
        point = question.point(self.proof.scores)
        exact = [LogRational(x) for x in point if isinstance(x, Fraction)]
        if len(exact) < len(point):
            return False
        mine = {str(question.prediction(t)) for t in question.returned(self.proof.scores)}
        numbers = self.proof.decoder.may_return(exact)
        theirs = {self.entry["predictions"][number] for number in numbers}
        if mine != theirs:
            raise RejectedError(f"the cells do not return what the decoder {called} returns at these scores")
        return True

    def _features(self, task: Task, f: str) -> Mapping[Label, Sequence[Any]] | None:
        """What a condition is about: features of a name, or those of the surrogate."""
        if not f:
            own = self.built
            if not isinstance(own, MeanSurrogate):
                return None
            return {label: own.vector(task, label) for label in self.labels}
        feature = FEATURES.get(f)
        if feature is None:
            return None
        scale = {label: task.scale(label) if feature.scaled else Fraction(1) for label in self.labels}
        return {label: tuple(x * scale[label] for x in feature.values(task, label)) for label in self.labels}


def _equal(stated: object, number: Real, what: str) -> bool:
    """Whether two numbers are certainly equal (RejectedError if they certainly are not)."""
    found = real(stated, what)
    exact = rational(found)
    if exact is not None and isinstance(number, Fraction):
        equal, known = exact == number, True
    else:
        equal = bool(ball(found).overlaps(as_ball(number)))
        known = (
            not isinstance(number, Fraction) and expression(stated, what, variable="") == number.expression
        )
    if not equal:
        raise RejectedError(f"{what} is stated as {shown(stated)}, but is {shown(str(number))}")
    return known


def _label(value: object, where: str) -> Label:
    return array(value, where, lambda x, at: integer(x, at, 0, 1000))


def built_surrogate(entry: object, decoder: str) -> TaskSurrogate | None:
    """What a ``surrogate`` entry means; None if its family or field is not known here.

    Raises
    ------
    RejectedError
        If it is known and no such one can be.
    """
    if isinstance(entry, Mapping) and entry.get("family") == FIELD:
        field = named_field(entry)
        return None if field is None else ShippedField(field)
    return described_surrogate(entry, decoder)


def question_of(named: Mapping[str, Any], verified: VerifiedProof) -> LabelQuestion | None:
    """What an accepted file about labels asks; None if it is about none, or not all is known here."""
    if verified.proof is None or any(
        key not in named for key in ("target", "labels", "surrogate", "decoder")
    ):
        return None
    task, surrogate = described_task(named["target"]), built_surrogate(named["surrogate"], named["decoder"])
    # The target, the surrogate (perhaps by its family, with its own name unknown) and the decoder.
    if task is None or surrogate is None or len(verified.recomputed) < 3:
        return None
    labels = map(tuple, named["labels"])
    weights = [label.probability for label in verified.proof.labels]
    return LabelQuestion(surrogate, task, dict(zip(labels, weights, strict=True)))


def fits(surrogate: TaskSurrogate, task: Task) -> bool:
    """Whether a surrogate and its decoder are for a task: true, or else RejectedError."""
    try:
        surrogate.check(task)
        decoder_for(surrogate, task)
    except (InputError, UnsupportedError) as error:
        raise RejectedError(f"the surrogate does not fit the target: {error}") from None
    return True


def _family(entry: Mapping[str, Any]) -> str:
    """The family with its parameters."""
    parts = [f"{key}={value}" for key, value in entry.items() if key not in ("family", "name")]
    words = f"{entry['family']}{' with ' if parts else ''}{' '.join(parts)}"
    return words if len(words) <= _LONGEST else str(entry["family"])
