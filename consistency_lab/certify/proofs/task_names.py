"""Names beside a proof about a task: what they mean is written again, and compared."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import islice, product
from types import MappingProxyType
from typing import Any, Final, final

from consistency_lab.certify.proofs.record import VerifiedProof, same_risk
from consistency_lab.certify.proofs.task_proof import SORT, LabelQuestion
from consistency_lab.core.certificates import Equilibrium, KnownMean, Minimum, Separation
from consistency_lab.core.document import Proof
from consistency_lab.core.equilibrium import MOST_SLOPES, Box, Program, check_equilibrium
from consistency_lab.core.orders import Cells, Order
from consistency_lab.core.reading import array, expression, integer, name, real
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
from consistency_lab.numbers.tape import Number, as_ball

OF: Final = " of "
"""Between a condition and the features that it is about: "p-f of gain"."""

_FIELD: Final = "field"
"""The family of gradient fields."""

_LONGEST: Final = 60


def agrees(stated: object, derived: object, where: str) -> bool:
    """Whether JSON is certainly what was derived; False where enclosures do not tell two numbers apart.

    RejectedError names the first entry that certainly is something else. Of an object only what was derived
    is compared; rationals are compared as such, other numbers by their expressions.
    """
    if isinstance(derived, Mapping) and isinstance(stated, Mapping) and derived.keys() <= stated.keys():
        return False not in [agrees(stated[key], x, f"{where}.{key}") for key, x in derived.items()]
    if isinstance(derived, list | tuple) and isinstance(stated, list) and len(stated) == len(derived):
        pairs = enumerate(zip(stated, derived, strict=True))
        return False not in [agrees(x, y, f"{where}[{k}]") for k, (x, y) in pairs]
    if isinstance(derived, Fraction | Number):
        number = real(stated, where)
        exact = rational(number)
        if isinstance(derived, Fraction) and exact is not None:
            known = equal = exact == derived
        else:
            equal = bool(ball(number).overlaps(as_ball(derived)))
            known = (
                isinstance(derived, Number) and expression(stated, where, variable="") == derived.expression
            )
        if equal:
            return known
    elif stated == derived:
        return True
    raise RejectedError(f"{where} is stated as {_brief(stated)}, but is {_brief(derived)}")


def _brief(value: object) -> str:
    """A text for a message; of lists only the lengths differ, since entries are compared one by one."""
    return f"a list of {len(value)}" if isinstance(value, list | tuple) else shown(value)


@final
class LabelNames:
    """The names of a file about a task, read, and what they are compared with.

    Each name is told with whether it was recomputed; one that is known and means something else is a
    RejectedError.
    """

    conditions: Mapping[str, bool] = MappingProxyType({})

    def __init__(self, fields: Mapping[str, Any], proof: Proof, entry: Mapping[str, Any]) -> None:
        if "graphs" in fields:
            raise InputError("named has labels and graphs; a proof is about one kind of these")
        self.proof, self.entry = proof, entry
        self.task = task = described_task(fields["target"]) if "target" in fields else None
        decoder = name(fields.get("decoder", SORT), "named.decoder")
        self.built = built = _built(fields["surrogate"], decoder) if "surrogate" in fields else None
        self.labels = labels = array(fields["labels"], "named.labels", _label)
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
            _check_fit(built, task)
            if built.describe(task).keys() == fields["surrogate"].keys():
                self.question = LabelQuestion(built, task, self.weights)

    def target(self, value: Any) -> tuple[str, bool]:
        """The task, and whether the losses of the proof are known to be its losses."""
        task = self.task
        if task is None:
            return str(value.get("loss")), False
        if any(label.losses is None for label in self.proof.labels):
            raise RejectedError(f"the target is called {task.title}, but losses are not listed one by one")
        listed = [self._prediction(task, t) for t in self.entry.get("predictions", [])]
        derived = [{"losses": [task.loss(label, t) for t in listed]} for label in self.labels]
        return task.title, agrees(self.entry["labels"], derived, f"for the target {task.title}, proof.labels")

    def surrogate(self, value: Any) -> tuple[str, list[tuple[str, bool]]]:
        """The name, and the family with its parameters if no table has the name."""
        called, question = name(value.get("name"), "named.surrogate.name"), self.question
        if question is None:
            return called, [(f"{called} (of the family {value.get('family')})", False)]
        family, means = _family(value), name_means(question.surrogate, question.task)
        if not means and called == value["family"]:  # a family is not one of its losses
            return called, [(family, self._has_the_psi(question))]
        if means is False:
            raise RejectedError(
                f"the surrogate is called {shown(repr(called))}, but by its parts it is something else"
            )
        known = self._has_the_psi(question)
        return called, [(called, known)] if means else [(family, known), (called, False)]

    def decoder(self, value: Any) -> list[tuple[str, bool]]:
        """The decoder, and whether it is known to return what that of the proof returns."""
        return [(value, self._decodes(value))]

    def holds(self, condition: str) -> bool | None:
        """Whether a condition on labels, perhaps with features of a name, holds; None if it is not known."""
        word, _, f = condition.partition(OF)
        known, task = TASK_CONDITIONS.get(word), self.task
        if known is None or task is None or known.fits(task.space):
            return None
        if not known.needs_f:
            return None if f else known.holds_for(task.space, self.weights, lambda label: ())
        values = self._features(task, f)
        return None if values is None else known.holds_for(task.space, self.weights, values.__getitem__)

    def _features(self, task: Task, f: str) -> Mapping[Label, Sequence[Any]] | None:
        """What a condition is about: features of a name, or those of the surrogate."""
        if not f:
            own = None if self.question is None else self.question.surrogate
            if not isinstance(own, MeanSurrogate):
                return None
            return {label: own.vector(task, label) for label in self.labels}
        feature = FEATURES.get(f)
        if feature is None:
            return None
        scale = {label: task.scale(label) if feature.scaled else Fraction(1) for label in self.labels}
        return {label: tuple(x * scale[label] for x in feature.values(task, label)) for label in self.labels}

    def _prediction(self, task: Task, value: object) -> Prediction:
        """A prediction of the proof as the task numbers it."""
        words = value if isinstance(value, list) else str(value).split(" > ")
        t = tuple(int(word) - 1 if word.isascii() and word.isdecimal() else -1 for word in words)
        names = tuple(str(item + 1) for item in range(task.space.m))
        if t not in task.predictions or (isinstance(value, list) and self.proof.coordinates != names):
            raise RejectedError(f"{shown(value)} is no prediction of {task.title}")
        return t

    def _has_the_psi(self, question: LabelQuestion) -> bool:
        """Whether what the proof says of each label is what the surrogate is there."""
        surrogate, task, proof = question.surrogate, question.task, self.proof
        failure = f"the risk of the proof is not that of the surrogate {surrogate.name}"
        if proof.coordinates != question.coordinates:
            wanted = ", ".join(question.coordinates)
            raise RejectedError(f"{failure}, whose coordinates are {shown(wanted)}")
        if isinstance(surrogate, ShippedField):
            return check_field(surrogate.field, self.labels, proof)
        wanted = "a minimum or a separation"
        if isinstance(surrogate, MeanSurrogate):
            if isinstance(proof.certificate, KnownMean) and proof.certificate.risk == surrogate.risk:
                derived = [{"psi": surrogate.vector(task, label)} for label in self.labels]
                return agrees(
                    self.entry["labels"], derived, f"for the surrogate {surrogate.name}, proof.labels"
                )
            wanted = f"a mean with the risk {surrogate.risk!r}"
        elif isinstance(surrogate, AtomSurrogate) and isinstance(proof.certificate, Minimum | Separation):
            for label, part in zip(self.labels, proof.labels, strict=True):
                same_risk(part.atoms, question.atoms(label), proof.coordinates, surrogate.name)
            return True
        raise RejectedError(f"{failure}, whose certificate is {wanted}")

    def _decodes(self, called: str) -> bool:
        """Whether the named decoder certainly returns at these scores what that of the proof does."""
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
        if mine != theirs:
            raise RejectedError(
                f"the cells do not return what the decoder {called} returns at these scores: "
                f"{shown(', '.join(sorted(mine)))}"
            )
        return True


def _label(value: object, where: str) -> Label:
    return array(value, where, lambda x, at: integer(x, at, 0, 1000))


def _check_fit(surrogate: TaskSurrogate, task: Task) -> None:
    try:
        surrogate.check(task)
        decoder_for(surrogate, task)
    except (InputError, UnsupportedError) as error:
        raise RejectedError(f"the surrogate does not fit the target: {error}") from None


def _family(entry: Mapping[str, Any]) -> str:
    """The family with its parameters."""
    parts = [f"{key}={value}" for key, value in entry.items() if key not in ("family", "name")]
    words = f"{entry['family']}{' with ' if parts else ''}{' '.join(parts)}"
    return words if len(words) <= _LONGEST else str(entry["family"])


def _built(entry: object, decoder: str) -> TaskSurrogate | None:
    """What a ``surrogate`` entry means; None if its family or field is not known here."""
    if isinstance(entry, Mapping) and entry.get("family") == _FIELD:
        field = named_field(entry)
        return None if field is None else ShippedField(field)
    return described_surrogate(entry, decoder)


def question_of(named: Mapping[str, Any], verified: VerifiedProof) -> LabelQuestion | None:
    """What an accepted file about labels asks; None if it is about none, or not all is known here."""
    keys = {"target", "labels", "surrogate", "decoder"}
    if verified.proof is None or not keys <= named.keys():
        return None
    entry, decoder, known = named["surrogate"], named["decoder"], set(verified.recomputed)
    task, surrogate = described_task(named["target"]), _built(entry, decoder)
    if task is None or surrogate is None or not {task.title, decoder} <= known:
        return None
    if known.isdisjoint({entry["name"], _family(entry)}):  # by its family, its own name may be unknown
        return None
    weights = [label.probability for label in verified.proof.labels]
    return LabelQuestion(surrogate, task, dict(zip(map(tuple, named["labels"]), weights, strict=True)))


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
    values = {key: value for key, value in entry.items() if key not in ("family", "name")}
    if (values.pop("library", None), values.pop("objective", None)) != (known.library, known.objective):
        raise RejectedError(
            f"library and objective are not those of the field {shown(repr(called))}, which are "
            f"{known.library!r} and {known.objective!r}"
        )
    if values.keys() != set(known.parameters):
        return None
    try:
        return known.with_parameters(**values)
    except InputError as error:
        raise RejectedError(f"the field {shown(repr(called))} has no such parameters: {error}") from None


def check_field(field: GradientField, labels: Sequence[Label], proof: Proof) -> bool:
    """Whether the programs of an accepted proof are those of a field, or prove the same of it.

    RejectedError if a program is certainly not that of the field, or a label is not one that it takes.
    """
    order, m = proof.prediction, len(proof.coordinates)
    if not isinstance(proof.certificate, Equilibrium) or not isinstance(order, tuple):
        raise RejectedError(f"{field.name} is a gradient field, and the proof is about none")
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
