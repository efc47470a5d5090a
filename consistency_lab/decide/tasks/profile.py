"""Decide a surrogate for a target at one given distribution over labels."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from consistency_lab.certify.at_distribution import certify_task_at
from consistency_lab.certify.tasks import certify_labels
from consistency_lab.certify.witness import Witness
from consistency_lab.core.document import INCONSISTENT
from consistency_lab.data.labels import LabelProfile
from consistency_lab.decide.answers import ProfileDecision, Verdict
from consistency_lab.decide.tasks.question import understood
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.exact import LogRational
from consistency_lab.model.surrogates import Surrogate, Term
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate, MeanSurrogate, TaskSurrogate
from consistency_lab.model.surrogates.tasks.decoders import decoder_for
from consistency_lab.model.tasks.conditions import TASK_CONDITIONS
from consistency_lab.model.tasks.task import Prediction, Task
from consistency_lab.proofs.elaboration import Question
from consistency_lab.proofs.task_proof import ANY, LabelWitness, Slope, is_strict, regret
from consistency_lab.search.means import best_predictions, decoded, holds_at, proved_right
from consistency_lab.solve.minimize import minimize
from consistency_lab.solve.stationary import stationary_slopes
from consistency_lab.theorems.tasks.catalogue import task_theorem

_NOT_CERTAIN: Final = (
    "the scores that minimize the risk are known, but some of them, or of the losses, are irrational and as "
    "good as equal: which is larger is not certain"
)
_NOT_EXACT: Final = (
    "no proof was found that what comes near the infimum of the risk is decoded wrongly, or rightly"
)
_NO_PROOF: Final = "nothing is known that would minimize this loss exactly, and no other proof is made here"


def decide_labels(
    surrogate: TaskSurrogate | Surrogate | str,
    task: Task | str,
    profile: object,
    *,
    notes: Sequence[str] = (),
    command: str = "",
) -> ProfileDecision:
    """Decide one distribution over labels: is what the surrogate makes of it wrong there?

    Parameters
    ----------
    surrogate, task
        The question.
    profile
        What `read_labels` returned.
    notes
        What else is to be told of it.
    command
        The command that repeats this, for the witness file.

    Raises
    ------
    InputError
        If the surrogate does not fit the task, or a label of the profile is none of the task's.
    """
    surrogate, task = understood(surrogate, task)
    if not isinstance(profile, LabelProfile):
        raise InputError(
            f"a target is asked about labels, and a {type(profile).__name__} is given; pass what read_labels "
            "returns"
        )
    surrogate.check(task)
    notes = (*profile.notes, *notes)
    weights = profile.within(task.space)
    note = f"{profile.title}: {', '.join(profile.items)}"
    provenance = {"command": command, "citation": surrogate.citation, "note": note}
    question = Question(surrogate, task, weights)
    reason, witness = _NO_PROOF, None
    try:
        if isinstance(surrogate, MeanSurrogate):
            reason, witness = _NOT_CERTAIN, _by_mean(question, surrogate, provenance)
        elif isinstance(surrogate, AtomSurrogate):
            reason = _NOT_EXACT
            witness = _at_a_minimum(question, surrogate, provenance) or certify_task_at(question, provenance)
    except UnsupportedError as error:
        reason = str(error)
    if witness is None:
        right = _right(question)
        verdict = Verdict.UNDECIDED if right is None else Verdict.CONSISTENT
        return ProfileDecision(surrogate, task, profile, verdict, right or reason, notes=notes)
    verdict = Verdict.INCONSISTENT if witness.verified.claim == INCONSISTENT else Verdict.CONSISTENT
    sentence = witness.verified.sentence
    return ProfileDecision(surrogate, task, profile, verdict, sentence, witness, notes)


def _right(question: Question) -> str | None:
    """Why it is right here though no file proves it, in words: by its exact minimizer, or by a theorem."""
    surrogate, task, weights = question.surrogate, question.task, question.weights
    losses = {t: task.expected_loss(weights, t) for t in task.predictions}
    if len(best_predictions(losses)) == len(losses):
        return "every prediction is optimal here"
    if isinstance(surrogate, MeanSurrogate) and proved_right(surrogate, task, weights):
        return "all that may be decoded from the scores that minimize the risk, which are known, is optimal"
    for condition in TASK_CONDITIONS.values():
        if condition.fits(task.space) or (condition.needs_f and not isinstance(surrogate, MeanSurrogate)):
            continue
        evidence = task_theorem(surrogate, task, condition)
        if evidence is not None and holds_at(condition, surrogate, task, weights):
            return f"{evidence.citation}, hypotheses checked; {condition.name} holds here"
    return None


def _by_mean(question: Question, surrogate: MeanSurrogate, provenance: Mapping[str, str]) -> Witness | None:
    found = decoded(surrogate, question.task, TASK_CONDITIONS[ANY], question.weights)
    if found is None:
        return None
    return _accepted(question, None, found.prediction, found.better, (), found.strict, provenance)


def _at_a_minimum(
    question: Question, surrogate: AtomSurrogate, provenance: Mapping[str, str]
) -> Witness | None:
    """At exact scores where zero is a subgradient of the risk."""
    task, weights = question.task, question.weights
    atoms = [(p, atom) for label, p in weights.items() for atom in surrogate.atoms(task, label)]
    terms = [Term(p * atom.c, *atom.key) for p, atom in atoms if isinstance(atom, Term)]
    if not terms or len(terms) < len(atoms):
        return None
    d = len(surrogate.coordinates(task))
    try:
        scores = minimize(terms, d).exact
    except OverflowError:
        raise UnsupportedError("a weight is too large for floats, so they propose nothing") from None
    slopes = None if scores is None else stationary_slopes(terms, d, scores)
    if scores is None or slopes is None:
        return None
    rising = sorted(set(scores))
    levels = tuple(Fraction(rising.index(score)) for score in scores)
    returned = decoder_for(surrogate, task).returns(surrogate, task, levels)
    better = min(task.predictions, key=lambda t: float(task.expected_loss(weights, t)))
    worst: Prediction = max(returned, key=lambda t: regret(task, weights, t, better))
    if regret(task, weights, worst, better) <= 0:
        return None
    strict = is_strict(task, weights, returned, better)
    return _accepted(question, tuple(scores), worst, better, tuple(slopes), strict, provenance)


def _accepted(
    question: Question,
    scores: tuple[LogRational, ...] | None,
    prediction: Prediction,
    better: Prediction,
    slopes: tuple[Slope, ...],
    strict: bool,
    provenance: Mapping[str, str],
) -> Witness | None:
    found = LabelWitness(
        question.surrogate, question.task, ANY, question.weights, scores, prediction, better, slopes, strict
    )
    return certify_labels(found, provenance)
