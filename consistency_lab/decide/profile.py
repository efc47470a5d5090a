"""Decide a surrogate at one given distribution, over preference graphs or over labels."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations, product
from typing import Annotated, Final

from consistency_lab.certify.labels import certify_labels, certify_task_at, exact_scores, orders_near
from consistency_lab.certify.minimizers import minimizers
from consistency_lab.certify.proofs.task_proof import ANY, LabelQuestion, LabelWitness, is_strict, regret
from consistency_lab.certify.witness import MAX_WITNESS_ITEMS, Witness, certify
from consistency_lab.core.document import INCONSISTENT
from consistency_lab.data.profile import Profile
from consistency_lab.decide.answers import COUNTS, SUPPORT, Answer, Decision, ProfileDecision, Verdict
from consistency_lab.decide.cases import illustrated_theorem
from consistency_lab.decide.certified import Certified, certified
from consistency_lab.decide.labels import understood
from consistency_lab.decide.surrogate import known_properties
from consistency_lab.decide.theorems.catalogue import consistency_theorem
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.model.checked import Where, checked
from consistency_lab.model.conditions import TASK_CONDITIONS, condition, conditions_at
from consistency_lab.model.designs import described, schedule
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.labels import LabelProfile
from consistency_lab.model.surrogates import EdgeSurrogate, Surrogate, Term
from consistency_lab.model.surrogates.listwise import FloatSurrogate
from consistency_lab.model.surrogates.own import as_surrogate
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate, MeanSurrogate, TaskSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import ShippedField
from consistency_lab.model.surrogates.tasks.decoders import decoder_for
from consistency_lab.model.tasks.task import Prediction, Task
from consistency_lab.search.designs import constructions
from consistency_lab.search.effort import Effort
from consistency_lab.search.equilibria import equilibrium_at
from consistency_lab.search.means import best_predictions, decoded, holds_at, proved_right
from consistency_lab.solve.minimize import minimize
from consistency_lab.solve.stationary import stationary_slopes

_GIVEN: Final = Where(
    "a Distribution (Distribution.from_aggregate reads a matrix) or what read_profile returns"
)


@checked
def decide_profile(
    surrogate: Surrogate | TaskSurrogate | str,
    distribution: Annotated[Distribution | Profile | LabelProfile, _GIVEN],
    *,
    target: Task | str | None = None,
    notes: Sequence[str] = (),
    command: str = "",
) -> ProfileDecision:
    """Decide one distribution exactly.

    Parameters
    ----------
    surrogate
        From `surrogate`, its name, or one of your own; with a target from `task_surrogate`, or its name.
    distribution
        The distribution, or what `read_profile` returned, whose notes are taken over; with a target what
        `read_labels` returned.
    target
        What `target` returns, or its name; None for preference graphs of any weights.
    notes
        What else is to be told of it.
    command
        The command that repeats this, for the witness file.

    Examples
    --------
    >>> p = Distribution.of(2, [("3/4", {(0, 1): 1}), ("1/4", {(1, 0): 1})])
    >>> str(decide_profile("logistic", p).verdict)
    'CONSISTENT'
    """
    if isinstance(distribution, Profile | LabelProfile):
        notes = (*distribution.notes, *notes)
    if isinstance(distribution, Profile):
        distribution = distribution.distribution
    if target is not None:
        if not isinstance(distribution, LabelProfile):
            kind = type(distribution).__name__
            raise InputError(f"expected labels for a target, got {kind}; pass what read_labels returns")
        if type(surrogate) is ShippedField and isinstance(target, Task):
            return _at_labels(surrogate, target, distribution, tuple(notes), command)
        known, task, compared = understood(surrogate, target, occurring=tuple(distribution.weights))
        notes = notes if compared is None else (*notes, f"{compared.function} was {compared.sentence}")
        return replace(_at_labels(known, task, distribution, tuple(notes), command), compared=compared)
    surrogate = as_surrogate(surrogate)
    if type(distribution) is not Distribution:
        raise InputError("expected a target for labels; pass target=, or what read_profile returns")
    return _at_graphs(surrogate, distribution, tuple(notes), command)


# --- At a distribution over labels, for a target --------------------------------------------------------


_NOT_CERTAIN: Final = (
    "the scores that minimize the risk are known, but some scores or losses are irrational and too close to "
    "compare"
)
_NOT_EXACT: Final = (
    "no proof was found that scores near the infimum of the risk are decoded wrongly, nor that they are "
    "decoded correctly"
)
_NO_PROOF: Final = "no exact minimizer of this loss is known, and no other kind of proof applies"


def _at_labels(
    surrogate: TaskSurrogate, task: Task, profile: LabelProfile, notes: tuple[str, ...], command: str
) -> ProfileDecision:
    """Whether what the surrogate makes of this distribution over labels is wrong for the target."""
    surrogate.check(task)
    weights = profile.within(task.space)
    note = f"{profile.title}: {', '.join(profile.items)}"
    provenance = {"command": command, "citation": surrogate.citation, "note": note}
    if type(surrogate) is ShippedField:
        return _at_rest(surrogate, task, profile, notes, provenance)
    question = LabelQuestion(surrogate, task, weights)
    reason, witness = _NO_PROOF, None
    try:
        if isinstance(surrogate, MeanSurrogate):
            reason, witness = _NOT_CERTAIN, _by_mean(question, surrogate, provenance)
        elif isinstance(surrogate, AtomSurrogate):
            reason = _NOT_EXACT
            witness = _at_a_minimum(question, surrogate, provenance) or certify_task_at(question, provenance)
        elif isinstance(surrogate, FloatSurrogate):
            reason = f"not certified: {surrogate.reason}"
    except UnsupportedError as error:
        reason = str(error)
    if witness is None:
        right = _right(question)
        verdict = Verdict.UNDECIDED if right is None else Verdict.CONSISTENT
        return ProfileDecision(surrogate, task, profile, verdict, right or reason, notes=notes)
    verdict = Verdict.INCONSISTENT if witness.verified.claim == INCONSISTENT else Verdict.CONSISTENT
    sentence = witness.verified.sentence
    return ProfileDecision(surrogate, task, profile, verdict, sentence, witness, notes)


_ALL_ALIKE: Final = "every prediction is optimal here"
_NO_REST: Final = "it minimizes no fixed loss; no rest point in a wrong order was found, which proves nothing"


def _at_rest(
    surrogate: ShippedField,
    task: Task,
    profile: LabelProfile,
    notes: tuple[str, ...],
    provenance: Mapping[str, str],
) -> ProfileDecision:
    """Whether training with a gradient field can rest in a wrong order; the file has items in that order."""
    weights = profile.within(task.space)
    losses = {t: task.expected_loss(weights, t) for t in task.predictions}
    if len(best_predictions(losses)) == len(losses):
        return ProfileDecision(surrogate, task, profile, Verdict.CONSISTENT, _ALL_ALIKE, notes=notes)
    equilibrium = equilibrium_at(surrogate.field, task, weights)
    witness = None
    if equilibrium is not None:
        order, rest = equilibrium
        moved = {tuple(label[k] for k in order): p for label, p in weights.items()}
        items = tuple(profile.items[k] for k in order)
        places = {tuple(label[k] for k in order): place for label, place in profile.places.items()}
        profile = replace(profile, items=items, weights=moved, places=places)
        stated = rest.stated(LabelQuestion(surrogate, task, profile.within(task.space)))
        witness = certify_labels(stated, {**provenance, "note": f"{profile.title}: {', '.join(items)}"})
    if witness is None:
        return ProfileDecision(surrogate, task, profile, Verdict.UNDECIDED, _NO_REST, notes=notes)
    verdict, reason = Verdict.INCONSISTENT, witness.verified.sentence
    return ProfileDecision(surrogate, task, profile, verdict, reason, witness, notes)


def _right(question: LabelQuestion) -> str | None:
    """Why it is right here though no file proves it, in words: by its exact minimizer, or by a theorem."""
    surrogate, task, weights = question.surrogate, question.task, question.weights
    losses = {t: task.expected_loss(weights, t) for t in task.predictions}
    if len(best_predictions(losses)) == len(losses):
        return _ALL_ALIKE
    if isinstance(surrogate, MeanSurrogate) and proved_right(surrogate, task, weights):
        return "everything that the decoder may return at the known minimizer of the risk is optimal"
    if isinstance(surrogate, AtomSurrogate):
        with suppress(UnsupportedError):
            near = orders_near(question)
            if near and best_predictions(losses).issuperset(near):
                return (
                    "whatever comes near the infimum of W is certainly in A(p): bounds of W leave only "
                    "orders whose losses are proved equal and least"
                )
    for one in TASK_CONDITIONS.values():
        if one.fits(task.space) or (one.needs_f and not isinstance(surrogate, MeanSurrogate)):
            continue
        evidence = consistency_theorem(surrogate, one.name, task)
        if evidence is not None and holds_at(one, surrogate, task, weights):
            return f"{evidence.citation}, hypotheses checked; {one.name} holds here"
    return None


def _by_mean(
    question: LabelQuestion, surrogate: MeanSurrogate, provenance: Mapping[str, str]
) -> Witness | None:
    wrong_at = decoded(surrogate, question.task, TASK_CONDITIONS[ANY], question.weights)
    if wrong_at is None:
        return None
    wrong = LabelWitness(question, None, wrong_at.prediction, wrong_at.better, strict=wrong_at.strict)
    return certify_labels(wrong, provenance)


def _at_a_minimum(
    question: LabelQuestion, surrogate: AtomSurrogate, provenance: Mapping[str, str]
) -> Witness | None:
    """At exact scores where zero is a subgradient of the risk."""
    task, weights = question.task, question.weights
    atoms = [(p, atom) for label, p in weights.items() for atom in surrogate.atoms(task, label)]
    terms = [Term(p * atom.c, *atom.key) for p, atom in atoms if isinstance(atom, Term)]
    d = len(surrogate.coordinates(task))
    try:
        plain = bool(terms) and len(terms) == len(atoms)
        scores = minimize(terms, d).exact if plain else exact_scores(question.risk, d)
    except OverflowError:
        raise UnsupportedError("a weight is too large for floats, so no proof could be proposed") from None
    slopes = () if not plain or scores is None else stationary_slopes(terms, d, scores)
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
    stated = LabelWitness(question, tuple(scores), worst, better, tuple(slopes), strict)
    return certify_labels(stated, provenance)


# --- At a distribution over preference graphs ------------------------------------------------------------


def _at_graphs(
    surrogate: Surrogate, distribution: Distribution, notes: tuple[str, ...], command: str
) -> ProfileDecision:
    """Whether the surrogate ranks this distribution wrongly, and what would be right."""
    known_properties(surrogate)
    seen = distribution.added_up if surrogate.of_aggregate else distribution.grouped
    if seen is not distribution:
        notes = (*notes, _fewer(surrogate, len(distribution.graphs), len(seen.graphs)))
    provenance = {"command": command, "citation": illustrated_theorem(surrogate), "note": "; ".join(notes)}
    known = certified(surrogate, seen, provenance=provenance)
    witness, reason, near = known.witness, known.reason, None
    if witness is not None:
        near = minimizers(witness)
        reason = near.proved(witness.verified.claim, witness.verified.failure)
    return ProfileDecision(
        surrogate,
        None,
        distribution,
        known.verdict,
        reason,
        witness,
        notes,
        minimizers=near,
        design=seen.design,
        by_addition=known.by_addition,
        repairs=known.repairs,
    )


def decide_design(
    surrogate: Surrogate | str,
    profile: Profile,
    conditions: Sequence[str] = (),
    *,
    support: bool = False,
    command: str = "",
) -> Decision:
    """Whether an edge loss is right wherever as often, or (`support`) the same pairs are compared."""
    surrogate, a = as_surrogate(surrogate), profile.wins
    properties = known_properties(surrogate)
    if type(surrogate) is not EdgeSurrogate or not surrogate.of_aggregate:
        raise InputError(
            f"{surrogate.name} depends on more than the weights of edges, so counts:FILE does not apply"
        )
    if len(a) > MAX_WITNESS_ITEMS:
        raise InputError(f"there are {len(a)} items; counts:FILE takes at most {MAX_WITNESS_ITEMS}")
    names = dict.fromkeys(condition(name).name for name in conditions or _OF_COUNTS)
    p, said = Distribution.from_aggregate(a, profile.items), {"command": command, "note": profile.title}
    itself = certified(surrogate, p, provenance=said)
    answers = tuple(_with_counts(surrogate, name, profile, itself, command, support) for name in names)
    design = f"{SUPPORT if support else COUNTS}{profile.title}"
    return Decision(surrogate, None, answers, Effort(), properties=properties, design=design)


def _with_counts(
    surrogate: EdgeSurrogate, name: str, profile: Profile, itself: Certified, command: str, support: bool
) -> Answer:
    what, a = "compared pairs" if support else "counts", profile.wins
    scope, designs = f"{profile.m} items, these {what}", described(a).names
    for design in reversed([one for one in designs if not support or one in _OF_SUPPORT]):
        known = consistency_theorem(surrogate, name, m=profile.m, design=design)
        if known is not None:
            reason = f"{known.citation}, hypotheses checked; the design is {design}"
            return Answer(name, Verdict.CONSISTENT, scope, reason, known.citation, evidence=known)
    if itself.verdict is Verdict.INCONSISTENT and conditions_at(a)[name]:
        reason = f"at the file itself: {itself.reason}"
        return Answer(name, Verdict.INCONSISTENT, scope, reason, witness=itself.witness)
    counts = [schedule(a), *(_uneven(a) if support else ())]
    for one in chain.from_iterable(constructions(surrogate.phi, name, n) for n in counts):
        p = Distribution.from_aggregate(one.aggregate, profile.items)
        provenance = {"command": command, "citation": one.citation, "note": profile.title}
        witness = certify(surrogate, p, one.scores, provenance=provenance)
        if witness is not None and witness.fails_under(name):
            reason = f"{one.citation}; a distribution with exactly these {what}"
            return Answer(name, Verdict.INCONSISTENT, scope, reason, one.citation, witness=witness)
    return Answer(name, Verdict.UNDECIDED, scope, f"no construction with these {what} was certified")


_OF_SUPPORT: Final = ("complete", "forest", "any")
_TIMES: Final = (3, 6)


def _uneven(a: Sequence[Sequence[Fraction]]) -> Iterator[list[list[Fraction]]]:
    """Counts of the pairs that are compared, one pair several times as often as the others."""
    n = schedule(a)
    met = [[Fraction(bool(x)) for x in row] for row in n]
    for times, (i, j) in product(_TIMES, combinations(range(len(a)), 2)):
        if met[i][j]:
            counts = [list(row) for row in met]
            counts[i][j] = counts[j][i] = Fraction(times)
            yield counts


_OF_COUNTS: Final = ("additive", "low-noise", "sst")


def _fewer(surrogate: Surrogate, graphs: int, few: int) -> str:
    """A note that the graphs of the distribution were added up before W was minimized."""
    left = "1 graph replaces" if few == 1 else f"{few} graphs replace"
    if surrogate.of_aggregate:
        return (
            f"{graphs} different graphs are added up, since this loss depends only on their aggregate; "
            f"{left} them, in the file too"
        )
    return f"of {graphs} graphs some are equal; {left} them, in the file too"
