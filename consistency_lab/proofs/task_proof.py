"""What a search has found about a task, written out as a proof and the names beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

from consistency_lab.core import risk as core
from consistency_lab.core.document import INCONSISTENT, STRICT, TIE, WRONG_EQUILIBRIUM
from consistency_lab.core.field import Box
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.exact import LogRational, lower_decimal, working_precision
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate, MeanSurrogate, TaskSurrogate
from consistency_lab.model.surrogates.tasks.naming import is_called_so
from consistency_lab.model.tasks.real import as_ball
from consistency_lab.model.tasks.task import PRECISION, Prediction, Task, certainly_above
from consistency_lab.proofs.elaboration import Question, Weights, atoms, merged_slopes, slope_entry
from consistency_lab.proofs.entries import Entry

ANY: Final = "any"
OWN: Final = "own: "

Slope = Fraction | tuple[Fraction, ...]
"""Of a `Term` its slope, of a `Max` the weights of its pieces."""


@final
@dataclass(frozen=True)
class LabelWitness:
    """What a search has found, and nothing has proved yet: a distribution that is decoded wrongly.

    Parameters
    ----------
    surrogate, task
        The question.
    condition
        What the weights fulfill; "p-f of gain" for a condition on features that are named.
    weights
        The positive probabilities, in the order of the labels.
    scores
        Exact minimizing scores; None where they follow from a mean, or are only known to lie in a box.
    prediction, better
        What the decoder may return there, and a prediction of less expected loss.
    slopes
        For each label and each of its terms and maxima, in order: a subgradient.
    strict
        Whether everything that the decoder may return is worse than `better`.
    box
        For a gradient field: an interval for each score but the last, which is 0; it holds a zero.
    attracting
        Whether the field flows towards that zero.
    """

    surrogate: TaskSurrogate
    task: Task
    condition: str
    weights: Weights
    scores: tuple[LogRational, ...] | None
    prediction: Prediction
    better: Prediction
    slopes: tuple[Slope, ...] = ()
    strict: bool = True
    box: Box | None = None
    attracting: bool = False

    @property
    def question(self) -> Question:
        """The surrogate at the distribution."""
        return Question(self.surrogate, self.task, self.weights)


def proof_entry(found: LabelWitness) -> Entry:
    """The ``proof`` entry of a file.

    Raises
    ------
    UnsupportedError
        If the surrogate is of no family that is written out.
    """
    question = found.question
    scores = None if found.scores is None else list(map(str, found.scores))
    gap = max(regret(found.task, found.weights, found.prediction, found.better), Fraction(0))
    return {
        "claim": INCONSISTENT if found.box is None else WRONG_EQUILIBRIUM,
        **question.elaborated(found.scores, found.prediction, found.better, strict=found.strict),
        "scores": scores,
        "prediction": question.prediction(found.prediction),
        "better": question.prediction(found.better),
        "failure": STRICT if found.strict else TIE,
        "regret": decimal_text(gap),  # the core rejects 0
        "certificate": _certificate(found),
    }


def named_entry(question: Question, condition: str = ANY) -> Entry:
    """The ``named`` entry of a file; a surrogate that takes the name of another one is called "own: ..."."""
    task = question.task
    surrogate = question.surrogate.describe(task)
    if surrogate["name"] != surrogate["family"] and is_called_so(question.surrogate, task) is False:
        surrogate["name"] = f"{OWN}{surrogate['name']}"
    return {
        "target": task.describe(),
        "labels": [list(label) for label in question.weights],
        "surrogate": surrogate,
        "decoder": question.surrogate.decoder,
        "conditions": {} if condition == ANY else {condition: True},
    }


def _certificate(found: LabelWitness) -> Entry:
    surrogate = found.surrogate
    if found.box is not None:
        box = [[str(low), str(high)] for low, high in found.box]
        return {"kind": "equilibrium", "box": box, "attracting": found.attracting}
    if isinstance(surrogate, MeanSurrogate):
        return {"kind": "mean", "risk": surrogate.risk}
    if not isinstance(surrogate, AtomSurrogate):
        raise UnsupportedError(f"{surrogate.name} is not written out for the core")
    return {"kind": "minimum", "slopes": [slope_entry(slope) for slope in _slopes(surrogate, found)]}


def _slopes(surrogate: AtomSurrogate, found: LabelWitness) -> Sequence[core.Slope]:
    """The slopes of the atoms of W, from those of each label."""
    stated = iter(found.slopes)
    parts: list[tuple[core.Atom, core.Slope]] = []
    for label, p in found.weights.items():
        for atom in atoms(surrogate, found.task, label):
            needed = isinstance(atom, core.Term | core.Max)
            parts.append((atom.times(p), next(stated, None) if needed else None))
    if next(stated, None) is not None:
        raise InputError("there are more slopes than terms and maxima")
    return merged_slopes(parts)


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


def decimal_text(value: Fraction) -> str:
    """A fraction of at least 0 whose denominator divides a power of 10, as a decimal."""
    places = 0
    while (value * 10**places).denominator > 1:
        places += 1
    digits = str(value.numerator * 10**places // value.denominator).rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}" if places else digits
