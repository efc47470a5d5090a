"""Reading a document of the format ``consistency-lab/task-witness/1``."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from consistency_lab.core.document import INCONSISTENT, STRICT, TIE
from consistency_lab.core.numbers import check_denominators
from consistency_lab.core.reading import (
    array,
    boolean,
    decimal,
    fraction,
    integer,
    log_rational,
    one_of,
    record,
    row,
    text,
)
from consistency_lab.errors import InputError

from .atoms import Slope
from .conditions import read_condition
from .decoders import DECODERS
from .document import (
    Balance,
    Equilibrium,
    Mean,
    TaskWitness,
)
from .families import read_surrogate
from .labels import Label
from .target import Prediction, Target
from .targets import read_target
from .task_verdict import TASK_FORMAT, WRONG_EQUILIBRIUM

_KEYS: Final = (
    *("format", "digest", "claim", "target", "surrogate", "decoder", "distribution", "condition", "scores"),
    *("prediction", "better", "regret", "failure", "certificate", "provenance"),
)
_PROVENANCE: Final = ("citation", "tool", "version", "command", "note")
_CERTIFICATES: Final = ("mean", "stationary", "equilibrium")
_LARGEST: Final = 1000


def read_task_witness(document: Mapping[str, object]) -> TaskWitness:
    """Read a document; irrational numbers in it are enclosed at the working precision.

    Raises
    ------
    InputError
        If it is of another format, lacks a key or has an unknown one, a value has a wrong type, or the
        denominators are too long together.
    RejectedError
        If its target or surrogate has no certain meaning.
    """
    if not isinstance(document, Mapping):
        raise InputError("a witness is a JSON object")
    if document.get("format") != TASK_FORMAT:
        raise InputError(f'this is not a witness about a task: it lacks the entry "format": "{TASK_FORMAT}"')
    fields = record(dict(document), "the witness", _KEYS)
    check_denominators(fields)
    text(fields["digest"], "digest")
    provenance = record(fields["provenance"], "provenance", _PROVENANCE)
    for key in _PROVENANCE:
        text(provenance[key], f"provenance.{key}")
    target = read_target(fields["target"], "target")
    surrogate = read_surrogate(fields["surrogate"], "surrogate", target)
    scores = fields["scores"]
    entry = fields["surrogate"]
    assert isinstance(entry, dict)
    return TaskWitness(
        claim=one_of(fields["claim"], "claim", (INCONSISTENT, WRONG_EQUILIBRIUM)),
        target=target,
        surrogate=surrogate,
        name=str(entry["name"]),
        decoder=one_of(fields["decoder"], "decoder", DECODERS),
        distribution=array(fields["distribution"], "distribution", _entry),
        condition=read_condition(fields["condition"], "condition"),
        scores=None if scores is None else array(scores, "scores", log_rational),
        prediction=_prediction(fields["prediction"], "prediction", target),
        better=_prediction(fields["better"], "better", target),
        regret=decimal(fields["regret"], "regret"),
        failure=one_of(fields["failure"], "failure", (STRICT, TIE)),
        certificate=_certificate(fields["certificate"], "certificate"),
    )


def _integers(value: object, where: str) -> tuple[int, ...]:
    return array(value, where, lambda entry, place: integer(entry, place, 0, _LARGEST))


def _entry(value: object, where: str) -> tuple[Label, Fraction]:
    fields = record(value, where, ("label", "probability"))
    return _integers(fields["label"], f"{where}.label"), fraction(
        fields["probability"], f"{where}.probability"
    )


def _prediction(value: object, where: str, target: Target) -> Prediction:
    found = _integers(value, where)
    if found not in target.predictions:
        wanted = "an order of the items" if target.ranks else "one of the predictions of the target"
        raise InputError(f"{where} must be {wanted}")
    return found


def _certificate(value: object, where: str) -> Mean | Balance | Equilibrium:
    kind = value.get("kind") if isinstance(value, dict) else None
    if isinstance(value, dict) and "kind" in value:
        kind = one_of(kind, f"{where}.kind", _CERTIFICATES)
    if kind == "stationary":
        fields = record(value, where, ("kind", "slopes"))
        return Balance(array(fields["slopes"], f"{where}.slopes", _slope))
    if kind == "equilibrium":
        fields = record(value, where, ("kind", "box", "attracting"))
        box = array(fields["box"], f"{where}.box", _interval)
        return Equilibrium(box, boolean(fields["attracting"], f"{where}.attracting"))
    record(value, where, ("kind",))
    return Mean()


def _slope(value: object, where: str) -> Slope:
    return array(value, where, fraction) if isinstance(value, list) else fraction(value, where)


def _interval(value: object, where: str) -> tuple[Fraction, Fraction]:
    low, high = (fraction(entry, where) for entry in row(value, where, 2))
    if low > high:
        raise InputError(f"{where} is empty; the lower end comes first")
    return low, high
