"""Decide a surrogate for a target at one given distribution over labels."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

from consistency_lab.certify.tasks import (
    ANY,
    LabelWitness,
    Slope,
    TaskWitness,
    accepted,
    certify_labels,
    is_strict,
    mean_document,
    regret,
)
from consistency_lab.data.labels import LabelProfile
from consistency_lab.decide.answers import Verdict
from consistency_lab.errors import UnsupportedError
from consistency_lab.model.surrogates import Term
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate, MeanSurrogate, TaskSurrogate
from consistency_lab.model.surrogates.tasks.decoders import decoder_for
from consistency_lab.model.tasks.conditions import TASK_CONDITIONS
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.task import Prediction, Task
from consistency_lab.search.means import decoded
from consistency_lab.solve.minimize import minimize
from consistency_lab.solve.stationary import stationary_slopes

Weights = Mapping[Label, Fraction]

_NOT_WRONG: Final = (
    "the scores that minimize the risk are known, and nothing that is decoded from them is proved wrong; "
    "that nothing near them is wrong either is not proved here"
)
_NOT_EXACT: Final = (
    "the minimizer of the risk is not known exactly, so its decoding is not proved wrong or right"
)
_NOT_SCALAR: Final = (
    "the loss is no sum of scalar functions of score differences, and no other proof is made here"
)


@final
@dataclass(frozen=True)
class LabelProfileDecision:
    """The answer about one surrogate and target at one distribution over labels.

    Parameters
    ----------
    surrogate, task, profile
        What was asked about.
    verdict, reason
        The answer, and one sentence of why.
    witness
        The accepted witness of an inconsistency.
    """

    surrogate: TaskSurrogate
    task: Task
    profile: LabelProfile
    verdict: Verdict
    reason: str
    witness: TaskWitness | None = None


def decide_labels(
    surrogate: TaskSurrogate, task: Task, profile: LabelProfile, *, command: str = ""
) -> LabelProfileDecision:
    """Decide one distribution over labels: is what the surrogate makes of it wrong there?

    Parameters
    ----------
    surrogate, task
        The question.
    profile
        What `read_labels` returned.
    command
        The command that repeats this, for the witness file.

    Raises
    ------
    InputError
        If the surrogate does not fit the task, or a label of the profile is none of the task's.
    """
    surrogate.check(task)
    weights = profile.within(task.space)
    note = f"{profile.title}: {', '.join(profile.items)}"
    provenance = {"command": command, "citation": surrogate.citation, "note": note}
    reason, witness = _NOT_SCALAR, None
    try:
        if isinstance(surrogate, MeanSurrogate):
            reason, witness = _NOT_WRONG, _by_mean(surrogate, task, weights, provenance)
        elif isinstance(surrogate, AtomSurrogate):
            reason, witness = _by_atoms(surrogate, task, weights, provenance)
    except UnsupportedError as error:
        reason = str(error)
    if witness is None:
        return LabelProfileDecision(surrogate, task, profile, Verdict.UNDECIDED, reason)
    strict = witness.verified.failure == "strict"
    how = "all that may be returned there is wrong" if strict else "ties may be broken wrongly"
    reason = f"scores are proved to minimize the risk, and {how}"
    return LabelProfileDecision(surrogate, task, profile, Verdict.INCONSISTENT, reason, witness)


def _by_mean(
    surrogate: MeanSurrogate, task: Task, weights: Weights, provenance: Mapping[str, str]
) -> TaskWitness | None:
    found = decoded(surrogate, task, TASK_CONDITIONS["any"], weights)
    if found is None:
        return None
    document = mean_document(
        surrogate, task, ANY, weights, found.prediction, found.better, provenance, strict=found.strict
    )
    return accepted(document, surrogate, task)


def _by_atoms(
    surrogate: AtomSurrogate, task: Task, weights: Weights, provenance: Mapping[str, str]
) -> tuple[str, TaskWitness | None]:
    """At exact scores where zero is a subgradient of the risk."""
    terms = [
        Term(p * atom.c, *atom.key) if isinstance(atom, Term) else None
        for label, p in weights.items()
        for atom in surrogate.atoms(task, label)
    ]
    if not terms or None in terms:
        return _NOT_SCALAR, None
    scalar = [term for term in terms if term is not None]
    d = len(surrogate.coordinates(task))
    try:
        scores = minimize(scalar, d).exact
    except OverflowError:
        raise UnsupportedError("a weight is too large for floats, so they propose nothing") from None
    slopes = None if scores is None else stationary_slopes(scalar, d, scores)
    if scores is None or slopes is None:
        return _NOT_EXACT, None
    rising = sorted(set(scores))
    levels = tuple(Fraction(rising.index(score)) for score in scores)
    returned = decoder_for(surrogate, task).returns(surrogate, task, levels)
    better = min(task.predictions, key=lambda t: float(task.expected_loss(weights, t)))
    worst: Prediction = max(returned, key=lambda t: regret(task, weights, t, better))
    if regret(task, weights, worst, better) <= 0:
        return _NOT_WRONG, None
    stated: tuple[Slope, ...] = tuple(slopes)
    strict = is_strict(task, weights, returned, better)
    found = LabelWitness(surrogate, task, ANY, weights, tuple(scores), worst, better, stated, strict)
    return _NOT_EXACT, certify_labels(found, provenance)
