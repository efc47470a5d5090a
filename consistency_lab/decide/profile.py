"""Decide a surrogate at one given distribution, over preference graphs or over labels."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations, permutations, product
from math import log
from typing import Annotated, Final, Literal

import numpy as np

from consistency_lab.certify.addition import ByAddition, proved_by_addition
from consistency_lab.certify.listwise import exact_scores
from consistency_lab.certify.minimizers import minimizers
from consistency_lab.certify.witness import (
    MAX_ITEMS,
    Witness,
    certify,
    certify_by_addition,
    certify_labels,
    certify_task_at,
    orders_near,
)
from consistency_lab.checked import Where, checked
from consistency_lab.core.addition import DOMINATION, lacking
from consistency_lab.core.document import INCONSISTENT
from consistency_lab.data.labels import LabelProfile
from consistency_lab.data.profile import Profile
from consistency_lab.decide.answers import (
    COUNTS,
    SUPPORT,
    Answer,
    Decision,
    Policy,
    PolicyPair,
    ProfileDecision,
    Repair,
    Verdict,
)
from consistency_lab.decide.cases import illustrated_theorem, not_proved_convex
from consistency_lab.decide.surrogate import known_properties, understood
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.model.conditions import TASK_CONDITIONS, condition, conditions_at
from consistency_lab.model.designs import described, nearest_product, schedule
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import EdgeSurrogate, Surrogate, Term, as_surrogate
from consistency_lab.model.surrogates.listwise import FloatSurrogate
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate, MeanSurrogate, TaskSurrogate
from consistency_lab.model.surrogates.tasks.decoders import decoder_for
from consistency_lab.model.targets import loss
from consistency_lab.model.tasks.task import Prediction, Task
from consistency_lab.proofs.task_proof import ANY, LabelQuestion, LabelWitness, is_strict, regret
from consistency_lab.search.designs import constructions
from consistency_lab.search.effort import Effort
from consistency_lab.search.means import best_predictions, decoded, holds_at, proved_right
from consistency_lab.solve.minimize import minimize
from consistency_lab.solve.optimal import optimal_orders
from consistency_lab.solve.stationary import stationary_slopes
from consistency_lab.theorems.catalogue import consistency_theorem
from consistency_lab.theorems.difference import parts_apart

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


def _right(question: LabelQuestion) -> str | None:
    """Why it is right here though no file proves it, in words: by its exact minimizer, or by a theorem."""
    surrogate, task, weights = question.surrogate, question.task, question.weights
    losses = {t: task.expected_loss(weights, t) for t in task.predictions}
    if len(best_predictions(losses)) == len(losses):
        return "every prediction is optimal here"
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
    found = decoded(surrogate, question.task, TASK_CONDITIONS[ANY], question.weights)
    if found is None:
        return None
    wrong = LabelWitness(question, None, found.prediction, found.better, strict=found.strict)
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
    found = LabelWitness(question, tuple(scores), worst, better, tuple(slopes), strict)
    return certify_labels(found, provenance)


# --- At a distribution over preference graphs ------------------------------------------------------------

DECIMALS: Final = 4
"""Scores of people or products are read, so they are not rounded as far as those of a made-up witness."""


def _at_graphs(
    surrogate: Surrogate, distribution: Distribution, notes: tuple[str, ...], command: str
) -> ProfileDecision:
    """Whether the surrogate ranks this distribution wrongly, and what would be right."""
    found = _judged(surrogate, distribution, notes, command)
    wrong = found.verdict is Verdict.INCONSISTENT
    return replace(found, repairs=repairs(surrogate, distribution)) if wrong else found


def repairs(surrogate: Surrogate, p: Distribution) -> tuple[Repair, ...]:
    """What may be right where an edge loss is wrong: another loss, or the same with its pairs weighed.

    What is right most often comes first (docs/audit.md). Weights keep the majorities, so without a cycle of
    these they keep the optimal orders too; with one they do not, and weighing is not tried. Under strong
    stochastic transitivity each of them is right (docs/designs.md); otherwise it is decided like any other
    distribution.

    Examples
    --------
    >>> p = Distribution.from_aggregate([[0, 2, 9], [1, 0, 1], [1, 0, 0]])
    >>> [(one.kind, str(one.verdict)) for one in repairs(as_surrogate("logistic"), p)][:2]
    [('loss', 'CONSISTENT'), ('loss', 'CONSISTENT')]
    """
    if type(surrogate) is not EdgeSurrogate or not surrogate.of_aggregate or p.m > MAX_ITEMS:
        return ()
    tried: list[tuple[Literal["loss", "balanced", "product"], Surrogate, Distribution]] = []
    for name in (f"difference-{surrogate.name}", "linear"):
        with suppress(InputError):
            tried.append(("loss", as_surrogate(name), p))
    if TASK_CONDITIONS["acyclic"].holds(p.aggregate):
        n = schedule(p.aggregate)
        most = max(map(max, n))  # counts beyond floats have shares too
        w = nearest_product(np.array([[float(x / most) for x in row] for row in n]))
        least = Fraction(1, _WEIGHTS)
        popular = [max(Fraction(float(x)).limit_denominator(_WEIGHTS), least) for x in w / w.max()]
        designs: dict[Literal["balanced", "product"], list[Fraction]] = {
            "balanced": [Fraction(1)] * p.m,
            "product": popular,
        }
        for kind, x in designs.items():
            weighed = [
                [a * x[i] * x[j] / n[i][j] if n[i][j] else a for j, a in enumerate(row)]
                for i, row in enumerate(p.aggregate)
            ]
            tried.append((kind, surrogate, Distribution.from_aggregate(weighed, p.items)))
    return tuple(Repair(kind, one, _judged(one, q, (), "").verdict) for kind, one, q in tried)


_WEIGHTS: Final = 10_000
"""Popularities are rounded to fractions of so small denominators, and the least ones to no less than one."""


def decide_design(
    surrogate: Surrogate | str,
    profile: Profile,
    conditions: Sequence[str] = (),
    *,
    support: bool = False,
    command: str = "",
) -> Decision:
    """Whether an edge loss is right wherever pairs are compared as often as those of a profile.

    Or, of its `support` alone, wherever the same pairs are compared, each as often as one likes.

    Under each condition (additive, low-noise and strong stochastic transitivity, if none is named) a theorem
    about a design that the counts n_ij have proves it right; or a construction with these very counts,
    certified, shows it wrong.

    Examples
    --------
    >>> from consistency_lab.data import read_profile
    >>> found = decide_design("logistic", read_profile("vermont.toc"), ["sst"])
    >>> str(found.verdict), found.answers[0].witness.failure
    ('INCONSISTENT', 'strict')
    """
    surrogate, a = as_surrogate(surrogate), profile.wins
    properties = known_properties(surrogate)
    if type(surrogate) is not EdgeSurrogate or not surrogate.of_aggregate:
        raise InputError(
            f"{surrogate.name} depends on more than the weights of edges, so counts:FILE does not apply"
        )
    if len(a) > MAX_ITEMS:
        raise InputError(f"there are {len(a)} items; counts:FILE takes at most {MAX_ITEMS}")
    names = dict.fromkeys(condition(name).name for name in conditions or _OF_COUNTS)
    answers = tuple(_with_counts(surrogate, name, profile, command, support) for name in names)
    design = f"{SUPPORT if support else COUNTS}{profile.title}"
    return Decision(surrogate, None, answers, Effort(), properties=properties, design=design)


def _with_counts(
    surrogate: EdgeSurrogate, name: str, profile: Profile, command: str, support: bool
) -> Answer:
    what, a = "compared pairs" if support else "counts", profile.wins
    scope, designs = f"{profile.m} items, these {what}", described(a).names
    for design in reversed([one for one in designs if not support or one in _OF_SUPPORT]):
        known = consistency_theorem(surrogate, name, m=profile.m, design=design)
        if known is not None:
            reason = f"{known.citation}, hypotheses checked; the design is {design}"
            return Answer(name, Verdict.CONSISTENT, scope, reason, known.citation, evidence=known)
    counts = [schedule(a), *(_uneven(a) if support else ())]
    for one in chain.from_iterable(constructions(surrogate.phi, name, n) for n in counts):
        p = Distribution.from_aggregate(one.aggregate, profile.items)
        provenance = {"command": command, "citation": one.citation, "note": profile.title}
        found = certify(surrogate, p, one.scores, provenance=provenance)
        if found is not None and found.fails_under(name):
            reason = f"{one.citation}; a distribution with exactly these {what}"
            return Answer(name, Verdict.INCONSISTENT, scope, reason, one.citation, witness=found)
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


def _judged(
    surrogate: Surrogate, distribution: Distribution, notes: tuple[str, ...], command: str
) -> ProfileDecision:
    known_properties(surrogate)
    seen = distribution.added_up if surrogate.of_aggregate else distribution.grouped
    if seen is not distribution:
        notes = (*notes, _fewer(surrogate, len(distribution.graphs), len(seen.graphs)))

    design, added = described(seen.aggregate), pairs_by_addition(surrogate, seen.aggregate)

    def answer(verdict: Verdict, reason: str, witness: Witness | None = None) -> ProfileDecision:
        found = ProfileDecision(surrogate, None, distribution, verdict, reason, witness, notes)
        return replace(found, design=design, by_addition=added)

    if not any(any(row) for row in distribution.difference):
        return answer(Verdict.CONSISTENT, "all preferences balance, so every order is optimal here")

    def unproved(reason: str) -> ProfileDecision:
        """Without a file only a theorem decides."""
        theorem = _theorem(surrogate, seen)
        return answer(Verdict.UNDECIDED if theorem is None else Verdict.CONSISTENT, theorem or reason)

    bent = not_proved_convex(surrogate)
    if bent is not None:
        return unproved(f"{bent} is not proved convex, so no certificate applies")
    provenance = {"command": command, "citation": illustrated_theorem(surrogate), "note": "; ".join(notes)}
    try:
        found = None
        if added is not None:
            found = certify_by_addition(surrogate, seen, provenance=provenance, universal=True, found=added)
        if found is None and seen.m > MAX_ITEMS:
            return unproved(_MANY.format(m=seen.m))
        if found is None:
            found = certify(surrogate, seen, provenance=provenance, universal=True, decimals=DECIMALS)
        if found is None:
            return unproved(_open(surrogate, seen))
    except UnsupportedError as error:
        return unproved(str(error))
    known = minimizers(found)
    verdict = Verdict.INCONSISTENT if found.inconsistent else Verdict.CONSISTENT
    reason = known.proved(found.verified.claim, found.verified.failure)
    return replace(answer(verdict, reason, found), minimizers=known)


def pairs_by_addition(surrogate: Surrogate, a: Sequence[Sequence[Fraction]]) -> ByAddition | None:
    """The pairs that adding comparisons up puts in order; None where it proves nothing of this loss."""
    if (
        type(surrogate) is not EdgeSurrogate
        or not surrogate.of_aggregate
        or DOMINATION in lacking(surrogate.phi)
    ):
        return None
    return proved_by_addition(surrogate.phi, a, quick=len(a) > BY_ADDITION_ALONE)


BY_ADDITION_ALONE: Final = 300
"""Of more items no other proof is tried, and no other factor than 1, which needs no sorting."""


def _theorem(surrogate: Surrogate, p: Distribution) -> str | None:
    """The theorem that speaks of p by a condition and a design that it has, in words."""
    designs = described(p.aggregate).names
    for name, holds in conditions_at(p.aggregate).items():
        for design in reversed(designs) if holds else ():
            evidence = consistency_theorem(surrogate, name, m=p.m, design=design)
            if evidence is not None:
                also = "" if design == "any" else f", the design is {design}"
                return (
                    f"{evidence.citation}, hypotheses checked, for {evidence.scope}; {name} holds here{also}"
                )
    parts = parts_apart(surrogate, p.aggregate) or ()
    if len(parts) > 1 and all(_right_alone(surrogate, p, part) for part in parts):
        return (
            f"each of the {len(parts)} strong components is right alone, and they move apart "
            "(docs/theory.md, Components)"
        )
    return None


def _right_alone(surrogate: Surrogate, p: Distribution, part: Sequence[int]) -> bool:
    if len(part) == 1:
        return True
    alone = Distribution.from_aggregate([[p.aggregate[i][j] for j in part] for i in part])
    return _judged(surrogate, alone, (), "").verdict is Verdict.CONSISTENT


def _open(surrogate: Surrogate, p: Distribution) -> str:
    """Why nothing is proved, in words: what floats see near the infimum of W, and what is missing."""
    scores = minimize(surrogate.risk_terms(p), p.m, exact=False).scores
    pairs = [(abs(scores[i] - scores[j]), i, j) for i, j in combinations(range(p.m), 2) if p.difference[i][j]]
    gap, i, j = min(pairs)
    if gap <= _NEAR:
        seen = f"differ by {gap:.1g}" if gap else "do not differ in floats"
        return (
            f"near the infimum of W the scores of {p.items[i]} and {p.items[j]} {seen}; neither an exact tie "
            "nor a gap of W between the two orders could be proved"
        )
    order = sorted(range(p.m), key=lambda k: -scores[k])
    best = optimal_orders(p.aggregate).loss
    word = "right" if loss(p.aggregate, order) == best else "wrong"
    return (
        f"floats order the items {' > '.join(p.items[k] for k in order)}, which is {word}, but no bound on W "
        "was found that proves this near its infimum"
    )


_NEAR: Final = 1e-6
_MANY: Final = (
    "there are {m} items, and addition does not decide the order; nothing else is tried "
    f"here with more than {MAX_ITEMS} (audit proves what it can)"
)


def _fewer(surrogate: Surrogate, graphs: int, few: int) -> str:
    """What was done to the distribution before anything was minimized."""
    left = "1 graph replaces" if few == 1 else f"{few} graphs replace"
    if surrogate.of_aggregate:
        return (
            f"{graphs} different graphs are added up, since this loss depends only on their aggregate; "
            f"{left} them, in the file too"
        )
    return f"of {graphs} graphs some are equal; {left} them, in the file too"


# --- What a policy makes of the scores, from the reference that it starts at -----------------------------

_ONCE: Final = ("logistic", "hinge", "cdpo", "exo", "discopop", "bco", "nca", "apo-zero", "apo-down")
_PER_BETA: Final = {**dict.fromkeys(_ONCE, 1), "square": 2, "sppo": 2}
"""The scores are beta times so much times log(pi/pi_ref); per token for the square loss."""


_MOST_NATS: Final = 10**6


def policy(decision: ProfileDecision, reference: Mapping[str, Fraction], beta: Fraction) -> Policy:
    """The order of pi, and which gaps of the reference survive: docs/alignment.md.

    The reference has log pi_ref of each answer, up to a constant; per token for ipo.

    Raises
    ------
    UnsupportedError
        If no scores of least loss are known.
    """
    loss, p = decision.surrogate, decision.distribution
    name = loss.name
    if name not in _PER_BETA or not isinstance(loss, Surrogate) or not isinstance(p, Distribution):
        raise InputError(f"{name} has no reference policy; use dpo, ipo or a similar loss")
    if wrong := sorted({*p.items} ^ {*reference}):
        raise InputError(
            f"the answer {wrong[0][:40]!r} is in only one of the two files; both need every answer"
        )
    found = minimize(loss.risk_terms(p), p.m)
    if found.unique is not True or described(p.aggregate).parts > 1:
        raise UnsupportedError("the minimizer is not proved unique, so the order of the policy is open")
    scores = found.scores.tolist()
    if not 1 / _MOST_NATS <= beta <= _MOST_NATS or any(abs(x) > _MOST_NATS for x in reference.values()):
        raise InputError(f"beta must be from 1/{_MOST_NATS} to {_MOST_NATS}, and logp at most so large")
    per = float(_PER_BETA[name] * beta)
    start = [float(reference[item]) for item in p.items]
    log_pi = [r / per + x for r, x in zip(scores, start, strict=True)]
    pairs = []
    for i, j in permutations(range(p.m), 2):
        won, lost = p.aggregate[i][j], p.aggregate[j][i]
        if won > lost:
            alone = None
            if name == "logistic" and lost:
                alone = log(won / lost) / per
            elif name == "square":
                alone = float((won - lost) / (won + lost)) / per
            trained = (scores[i] - scores[j]) / per
            pairs.append(PolicyPair(i, j, trained, start[j] - start[i], alone))

    def falling(values: Sequence[float]) -> tuple[int, ...]:
        return tuple(sorted(range(p.m), key=lambda k: -values[k]))

    return Policy(beta, falling(scores), falling(log_pi), tuple(pairs))
