"""Witness documents about finite tasks (docs/task-witness-format.md): the kernel has the last word."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

from consistency_lab.certify.document import provenance_entry, sealed
from consistency_lab.errors import RejectedError
from consistency_lab.exact import LogRational, lower_decimal, working_precision
from consistency_lab.kernel import INCONSISTENT, TASK_FORMAT, WRONG_EQUILIBRIUM, VerifiedTask, verify_task
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.real import as_ball
from consistency_lab.model.tasks.task import PRECISION, Prediction, Task, certainly_above

ANY: Final[Mapping[str, object]] = {"name": "any"}

Weights = Mapping[Label, Fraction]
Slope = Fraction | tuple[Fraction, ...]
"""Of a `Term` its slope, of a `Max` the weights of its pieces."""

_LONGEST: Final = 60


@final
@dataclass(frozen=True)
class LabelWitness:
    """A distribution and exact scores that minimize the surrogate's risk and are decoded wrongly.

    Parameters
    ----------
    surrogate, task
        The question.
    condition
        The ``condition`` entry of the document, which the weights fulfill.
    weights
        The positive probabilities, in the order of the labels.
    scores
        Exact minimizing scores.
    prediction, better
        What the decoder may return there, and a prediction of less expected loss.
    slopes
        For each label and each of its terms and maxima, in order: a subgradient.
    strict
        Whether everything that the decoder may return is worse than `better`.
    """

    surrogate: TaskSurrogate
    task: Task
    condition: Mapping[str, object]
    weights: Weights
    scores: tuple[LogRational, ...]
    prediction: Prediction
    better: Prediction
    slopes: tuple[Slope, ...]
    strict: bool


@final
@dataclass(frozen=True)
class TaskWitness:
    """A document that the kernel has accepted.

    Parameters
    ----------
    document
        The witness document.
    verified
        What the kernel derived from it.
    surrogate, task
        What it is about.
    """

    document: Mapping[str, object]
    verified: VerifiedTask
    surrogate: TaskSurrogate
    task: Task

    @property
    def file_name(self) -> str:
        """``<surrogate>-<target>-<condition>-<m>items-<digest8>.json``."""
        return task_file_name(self.document)


def certify_labels(witness: LabelWitness, provenance: Mapping[str, str] | None = None) -> TaskWitness | None:
    """The stationary witness as a document, if the kernel accepts it."""
    document = _document(
        witness.surrogate,
        witness.task,
        witness.condition,
        witness.weights,
        (witness.prediction, witness.better),
        provenance,
        scores=[str(score) for score in witness.scores],
        strict=witness.strict,
        certificate={
            "kind": "stationary",
            "slopes": [
                str(slope) if isinstance(slope, Fraction) else list(map(str, slope))
                for slope in witness.slopes
            ],
        },
    )
    return accepted(document, witness.surrogate, witness.task)


def mean_document(
    surrogate: TaskSurrogate,
    task: Task,
    condition: Mapping[str, object],
    weights: Weights,
    prediction: Prediction,
    better: Prediction,
    provenance: Mapping[str, str] | None = None,
    *,
    strict: bool = True,
) -> dict[str, object]:
    """The document of a surrogate whose minimizer is a function of a mean: the kernel derives it.

    Parameters
    ----------
    surrogate, task, condition, weights, prediction, better, strict
        As in `LabelWitness`.
    provenance
        Texts for the document.
    """
    return _document(
        surrogate,
        task,
        condition,
        weights,
        (prediction, better),
        provenance,
        scores=None,
        strict=strict,
        certificate={"kind": "mean"},
    )


def equilibrium_document(
    surrogate: TaskSurrogate,
    task: Task,
    condition: Mapping[str, object],
    weights: Weights,
    prediction: Prediction,
    better: Prediction,
    box: Sequence[tuple[Fraction, Fraction]],
    attracting: bool,
    provenance: Mapping[str, str] | None = None,
) -> dict[str, object]:
    """The document of a gradient field that vanishes in a wrong order.

    Parameters
    ----------
    surrogate, task, condition, weights, prediction, better
        As in `LabelWitness`; the surrogate is a gradient field, minimized by nothing that is known.
    box
        An interval for each score but the last, which is 0: it holds a zero and lies inside one order.
    attracting
        Whether the field flows towards the zero.
    provenance
        Texts for the document.
    """
    return _document(
        surrogate,
        task,
        condition,
        weights,
        (prediction, better),
        provenance,
        scores=None,
        strict=True,
        certificate={
            "kind": "equilibrium",
            "box": [[str(low), str(high)] for low, high in box],
            "attracting": attracting,
        },
        claim=WRONG_EQUILIBRIUM,
    )


def accepted(document: Mapping[str, object], surrogate: TaskSurrogate, task: Task) -> TaskWitness | None:
    """The document as a witness if the kernel accepts it, else None."""
    try:
        verified = verify_task(document)
    except RejectedError:
        return None
    return TaskWitness(document, verified, surrogate, task)


def moved(witness: TaskWitness, task: Task) -> TaskWitness | None:
    """The same witness written for another task, with more grades for instance, if the kernel accepts it."""
    if witness.task == task:
        return witness
    entries = {"target": task.describe(), "surrogate": witness.surrogate.describe(task)}
    document = {key: value for key, value in witness.document.items() if key != "digest"}
    return accepted(sealed({**document, **entries}), witness.surrogate, task)


def regret(task: Task, weights: Weights, prediction: Prediction, better: Prediction) -> Fraction:
    """A decimal of six digits that is certainly not above E l(y, prediction) - E l(y, better).

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> weights = {(0,): Fraction(2, 3), (1,): Fraction(1, 3)}
    >>> regret(target("zero-one", items=2), weights, (1,), (0,))
    Fraction(333333, 1000000)
    """
    with working_precision(PRECISION):
        gap = task.expected_loss(weights, prediction) - task.expected_loss(weights, better)
        return lower_decimal(as_ball(gap))


def is_strict(task: Task, weights: Weights, returned: Sequence[Prediction], better: Prediction) -> bool:
    """Whether every prediction that may be returned is certainly worse than `better`."""
    best = task.expected_loss(weights, better)
    return all(certainly_above(task.expected_loss(weights, t), best) for t in returned)


def task_file_name(document: Mapping[str, object]) -> str:
    """``<surrogate>-<target>-<condition>-<m>items-<digest8>.json``.

    Examples
    --------
    >>> task_file_name(
    ...     {
    ...         "surrogate": {"name": "xgboost:rank:pairwise"},
    ...         "target": {"loss": "ndcg", "labels": {"kind": "grades", "items": 3}},
    ...         "condition": {"name": "any"},
    ...         "digest": "sha256:0123456789abcdef",
    ...     }
    ... )
    'xgboost-rank-pairwise-ndcg-any-3items-01234567.json'
    """
    surrogate, target, condition = document["surrogate"], document["target"], document["condition"]
    assert isinstance(surrogate, Mapping) and isinstance(target, Mapping) and isinstance(condition, Mapping)
    labels = target["labels"]
    number, unit = next((labels[key], key) for key in ("items", "classes", "rows") if key in labels)
    words = "-".join((str(surrogate["name"]), str(target["loss"]), str(condition["name"])))
    slug = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")[:_LONGEST].rstrip("-")
    return f"{slug}-{number}{unit}-{str(document['digest']).removeprefix('sha256:')[:8]}.json"


def _document(
    surrogate: TaskSurrogate,
    task: Task,
    condition: Mapping[str, object],
    weights: Weights,
    predictions: tuple[Prediction, Prediction],
    provenance: Mapping[str, str] | None,
    *,
    scores: list[str] | None,
    strict: bool,
    certificate: Mapping[str, object],
    claim: str = INCONSISTENT,
) -> dict[str, object]:
    prediction, better = predictions
    gap = max(regret(task, weights, prediction, better), Fraction(0))  # the kernel rejects 0
    document: dict[str, object] = {
        "format": TASK_FORMAT,
        "claim": claim,
        "target": task.describe(),
        "surrogate": surrogate.describe(task),
        "decoder": surrogate.decoder,
        "distribution": [
            {"label": list(label), "probability": str(weight)} for label, weight in weights.items()
        ],
        "condition": dict(condition),
        "scores": scores,
        "prediction": list(prediction),
        "better": list(better),
        "regret": _decimal(gap),
        "failure": "strict" if strict else "tie",
        "certificate": dict(certificate),
        "provenance": provenance_entry(provenance or {}),
    }
    return sealed(document)


def _decimal(value: Fraction) -> str:
    """A fraction of at least 0 whose denominator divides a power of 10, as a decimal."""
    places = 0
    while (value * 10**places).denominator > 1:
        places += 1
    digits = str(value.numerator * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}" if places else digits
