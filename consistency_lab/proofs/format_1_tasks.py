"""Witnesses about tasks of the first format, written out as proofs for the core.

The first format names a target, a surrogate and a decoder; what they mean is taken from the tables. What it
states beside what a proof has (scores that follow from a mean, the kind of failure) is checked here.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

from consistency_lab.core.document import INCONSISTENT, STRICT, TIE, WRONG_EQUILIBRIUM
from consistency_lab.core.numbers import check_denominators, same, shown
from consistency_lab.core.reading import (
    array,
    boolean,
    decimal,
    fraction,
    integer,
    log_rational,
    name,
    one_of,
    record,
    row,
    text,
)
from consistency_lab.errors import InputError, RejectedError, UnsupportedError
from consistency_lab.exact import LogRational
from consistency_lab.files import digest
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate
from consistency_lab.model.surrogates.tasks.decoders import DECODERS
from consistency_lab.model.tasks.catalogue import described_task
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.task import Prediction, Task
from consistency_lab.proofs.file import PROVENANCE, sealed
from consistency_lab.proofs.task_names import OF, built_surrogate, fits
from consistency_lab.proofs.task_proof import (
    LabelWitness,
    Question,
    Slope,
    Weights,
    is_strict,
    named_entry,
    proof_entry,
)

FORMAT: Final = "consistency-lab/task-witness/1"

_KEYS: Final = (
    *("format", "digest", "claim", "target", "surrogate", "decoder", "distribution", "condition", "scores"),
    *("prediction", "better", "regret", "failure", "certificate", "provenance"),
)
_LARGEST: Final = 1000


def converted_task(document: Mapping[str, object]) -> dict[str, object]:
    """A document of the format ``consistency-lab/task-witness/1`` as one of ``consistency-lab/proof/2``.

    Raises
    ------
    RejectedError
        If what it states beside a proof is false.
    """
    fields = record(dict(document), "the witness", _KEYS)
    one_of(fields["format"], "format", (FORMAT,))
    check_denominators(fields)
    text(fields["digest"], "digest")
    provenance = record(fields["provenance"], "provenance", PROVENANCE)
    texts = {key: text(provenance[key], f"provenance.{key}") for key in PROVENANCE}
    same("the digest", fields["digest"], digest(document))
    found = _found(fields)
    regret = fields["regret"]
    decimal(regret, "regret")
    try:
        proof = {**proof_entry(found), "regret": regret}
    except UnsupportedError as error:
        raise RejectedError(f"the surrogate has no certain meaning here: {error}") from None
    # The name is claimed as the document has it, so that a false one is refused.
    named = {**named_entry(found.question, found.condition), "surrogate": fields["surrogate"]}
    return sealed(proof, named, texts)


def _found(fields: Mapping[str, Any]) -> LabelWitness:
    """What the document says was found."""
    decoder = one_of(fields["decoder"], "decoder", DECODERS)
    task = described_task(fields["target"])
    surrogate = built_surrogate(fields["surrogate"], decoder)
    if task is None or surrogate is None:
        raise InputError("the target, or the family of the surrogate, is not known here")
    name(fields["surrogate"]["name"], "surrogate.name")
    fits(surrogate, task)
    if surrogate.decoder != decoder or surrogate.describe(task).keys() != fields["surrogate"].keys():
        raise RejectedError(f"the decoder {decoder}, or a parameter, does not fit this surrogate")
    scores = fields["scores"]
    given = None if scores is None else array(scores, "scores", log_rational)
    found = LabelWitness(
        surrogate,
        task,
        _condition(fields["condition"]),
        _weights(fields["distribution"], task),
        given,
        _prediction(fields["prediction"], "prediction", task),
        _prediction(fields["better"], "better", task),
        strict=one_of(fields["failure"], "failure", (STRICT, TIE)) == STRICT,
    )
    found = _with_certificate(found, fields["certificate"])
    claim = INCONSISTENT if found.box is None else WRONG_EQUILIBRIUM
    same("the claim", one_of(fields["claim"], "claim", (INCONSISTENT, WRONG_EQUILIBRIUM)), claim)
    if isinstance(surrogate, MeanSurrogate) and given is not None:
        _check_scores(surrogate, found.question, given)
        found = replace(found, scores=None)
    if found.box is None:
        returned = found.question.returned(found.scores)
        strict = is_strict(task, found.weights, returned, found.better)
        same("the kind of failure", fields["failure"], STRICT if strict else TIE)
    return found


def _with_certificate(found: LabelWitness, value: object) -> LabelWitness:
    kind = value.get("kind") if isinstance(value, dict) else None
    kind = one_of(kind, "certificate.kind", ("mean", "stationary", "equilibrium"))
    mean = isinstance(found.surrogate, MeanSurrogate)
    field = found.surrogate.describe(found.task)["family"] == "field"
    if kind != ("equilibrium" if field else "mean" if mean else "stationary"):
        raise RejectedError("this kind of certificate does not fit the family of the surrogate")
    if kind == "stationary":
        fields = record(value, "certificate", ("kind", "slopes"))
        if found.scores is None:
            raise RejectedError("the certificate needs exact scores")
        if len(found.scores) != len(found.question.coordinates):
            raise RejectedError("the scores are not one a coordinate")
        return replace(found, slopes=array(fields["slopes"], "certificate.slopes", _slope))
    if kind == "equilibrium":
        fields = record(value, "certificate", ("kind", "box", "attracting"))
        if found.scores is not None:
            raise RejectedError("the scores of an equilibrium are not known exactly; they must be null")
        box = array(fields["box"], "certificate.box", _interval)
        return replace(found, box=box, attracting=boolean(fields["attracting"], "certificate.attracting"))
    record(value, "certificate", ("kind",))
    return found


def _weights(value: object, task: Task) -> Weights:
    def entry(value: object, where: str) -> tuple[Label, Fraction]:
        fields = record(value, where, ("label", "probability"))
        return _integers(fields["label"], f"{where}.label"), fraction(
            fields["probability"], f"{where}.probability"
        )

    entries = array(value, "distribution", entry)
    weights = dict(entries)
    if len(weights) < len(entries) or not set(weights) <= set(task.space.labels):
        raise RejectedError(f"the labels are not different ones of {task.title}")
    return weights


def _condition(value: object) -> str:
    fields = record(value, "condition", ("name",), ("f",))
    condition = text(fields["name"], "condition.name")
    return f"{condition}{OF}{text(fields['f'], 'condition.f')}" if "f" in fields else condition


def _prediction(value: object, where: str, task: Task) -> Prediction:
    found = _integers(value, where)
    if found not in task.predictions:
        raise InputError(f"{where} must be one of the predictions of {task.title}")
    return found


def _integers(value: object, where: str) -> tuple[int, ...]:
    return array(value, where, lambda entry, place: integer(entry, place, 0, _LARGEST))


def _slope(value: object, where: str) -> Slope:
    return array(value, where, fraction) if isinstance(value, list) else fraction(value, where)


def _interval(value: object, where: str) -> tuple[Fraction, Fraction]:
    low, high = (fraction(entry, where) for entry in row(value, where, 2))
    if low > high:
        raise InputError(f"{where} is empty; the lower end comes first")
    return low, high


def _log(x: Fraction) -> LogRational | None:
    return LogRational(Fraction(0), x) if x > 0 else None


_LINKS: Final[Mapping[str, Callable[[Fraction], LogRational | None]]] = MappingProxyType(
    {
        "identity": LogRational,
        "2x-1": lambda x: LogRational(2 * x - 1),
        "log": _log,
        "logit": lambda x: _log(x / (1 - x)) if x < 1 else None,
        "limit": lambda x: None,
    }
)


def _check_scores(surrogate: MeanSurrogate, question: Question, stated: tuple[LogRational, ...]) -> None:
    """Scores that are written out are the minimizer exactly (RejectedError)."""
    means = question.point(None)
    same("the number of scores", len(stated), len(means))
    for number, (score, x) in enumerate(zip(stated, means, strict=True), start=1):
        exact = _LINKS[surrogate.link](x) if isinstance(x, Fraction) else None
        if exact is None:
            raise RejectedError(f"the score {number} is not known exactly; scores must be null")
        if score != exact:
            raise RejectedError(f"the score {number} is stated as {shown(score)}, but is {shown(exact)}")
