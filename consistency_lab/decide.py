"""Decide a surrogate: theorems and exact proofs on one side, certified witnesses on the other.

Nothing is INCONSISTENT without a witness that the kernel accepts, nor CONSISTENT without a theorem whose
hypotheses were checked or an exact proof. Everything else is UNDECIDED and says what was searched.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, final

from consistency_lab.certify.witness import Witness, certify
from consistency_lab.errors import ConsistencyLabError, InputError, UnsupportedError
from consistency_lab.kernel import INCONSISTENT
from consistency_lab.model.conditions import CONDITIONS, condition, implied_by, implying
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.properties import Property, Status, properties, refuse_undefined
from consistency_lab.model.surrogates import LinearSurrogate, RegressionSurrogate, Surrogate
from consistency_lab.phi import convexity_proof
from consistency_lab.search.effort import Effort
from consistency_lab.search.find import Search
from consistency_lab.search.nonconvex import survey
from consistency_lab.search.realize import realize
from consistency_lab.search.universal import UNIVERSAL_AGGREGATE
from consistency_lab.theorems.catalogue import Evidence, consistency_theorem
from consistency_lab.theorems.infeasibility import AffineWitness, InfeasibilityProof, prove_affine

ITEMS: Final = (2, 3, 4, 5)
PROOF_ITEMS: Final = 5
PROFILE_DECIMALS: Final = 4
"""Scores of people or products are read, so they are not rounded as far as those of a made-up witness."""


_STRICT_SHARE: Final = 4
"""A fourth of the time that is left may go into looking for a strict inversion behind a tie."""


class Verdict(StrEnum):
    """The three verdicts."""

    CONSISTENT = "CONSISTENT"
    INCONSISTENT = "INCONSISTENT"
    UNDECIDED = "UNDECIDED"


@final
@dataclass(frozen=True)
class Answer:
    """The verdict on one condition, with its evidence.

    Parameters
    ----------
    condition
        The noise condition.
    verdict
        The verdict.
    scope
        For which numbers of items it holds, in words.
    reason
        One sentence: the evidence, or what was searched.
    citation
        The source of a theorem, or "".
    witness
        The accepted witness of an inconsistency.
    evidence
        The checked theorem.
    """

    condition: str
    verdict: Verdict
    scope: str
    reason: str
    citation: str = ""
    witness: Witness | None = None
    evidence: Evidence | None = None
    proof: InfeasibilityProof | None = None


@final
@dataclass(frozen=True)
class Decision:
    """All answers about one surrogate.

    Parameters
    ----------
    surrogate
        What was asked about.
    properties
        What is known of its scalar function.
    answers
        One for each condition asked, in the order of the conditions.
    universal
        A second witness at which no convex phi with phi'(0) < 0 has the right order, if there is one.
    strict
        A strict inversion with more items, where the smallest witness is only a tie.
    effort
        What the searches cost.
    """

    surrogate: Surrogate
    properties: Mapping[str, Property]
    answers: tuple[Answer, ...]
    universal: Witness | None
    strict: Witness | None
    effort: Effort

    @property
    def verdict(self) -> Verdict:
        """Over all conditions asked: any inconsistency, else anything undecided, else consistent."""
        found = {answer.verdict for answer in self.answers}
        for verdict in (Verdict.INCONSISTENT, Verdict.UNDECIDED):
            if verdict in found:
                return verdict
        return Verdict.CONSISTENT

    @property
    def witnesses(self) -> tuple[Witness, ...]:
        """The different witnesses, smallest condition first, then a strict one, the universal one last."""
        found: dict[object, Witness] = {}
        for witness in (*(answer.witness for answer in self.answers), self.strict, self.universal):
            if witness is not None:
                found.setdefault(witness.document["digest"], witness)
        return tuple(found.values())


def decide(
    surrogate: Surrogate,
    conditions: Sequence[str] = tuple(CONDITIONS),
    *,
    items: Sequence[int] = ITEMS,
    effort: Effort | None = None,
    command: str = "",
    seed: int = 0,
) -> Decision:
    """Decide a surrogate under the given noise conditions.

    Parameters
    ----------
    surrogate
        From `surrogate`, or one of your own.
    conditions
        Names of conditions; all five if not given.
    items
        Numbers of items to search with.
    effort
        Budget of the searches.
    command
        The command that repeats this, for the witness file.
    seed
        Of the searches: the same seed finds the same witness.

    Raises
    ------
    InputError
        If a condition is unknown, or phi is undefined somewhere or unbounded below.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import surrogate
    >>> str(decide(surrogate("linear"), ["low-noise"]).verdict)
    'CONSISTENT'
    """
    asked = [name for name in CONDITIONS if name in {condition(c).name for c in conditions}]
    known = _properties(surrogate)
    spending = effort or Effort()
    settled: dict[str, Answer] = {}
    _settle_by_theorem(surrogate, asked, settled)
    for name in asked:
        if name not in settled:
            spending.ration(sum(other not in settled for other in asked))
            _settle(surrogate, name, known, items, spending, command, seed, settled)
    answers = tuple(settled[name] for name in asked)
    strict = _strict(surrogate, answers, items, spending, command, seed)
    return Decision(surrogate, known, answers, _universal(surrogate, answers, command), strict, spending)


def _properties(surrogate: Surrogate) -> Mapping[str, Property]:
    """What is known of phi; a phi that the question does not apply to is refused."""
    phi = surrogate.functions[-1]
    for function in surrogate.functions:
        refuse_undefined(function)
    known = properties(phi)
    if len(surrogate.functions) == 1 and known["bounded below"].status is Status.REFUTED:
        raise InputError(
            f"{phi} is not bounded below, so W* = -infinity; consistency (DMJ10 Definition 2) asks for a "
            "surrogate that is bounded below"
        )
    return known


def _settle_by_theorem(surrogate: Surrogate, asked: Sequence[str], settled: dict[str, Answer]) -> None:
    """Proofs, the largest condition first: each covers the smaller ones."""
    for name in reversed(asked):
        if name in settled:
            continue
        evidence = consistency_theorem(surrogate, name)
        if evidence is None:
            continue
        proof = prove_affine(surrogate, name, PROOF_ITEMS) if _affine(surrogate) else None
        checked = proof if isinstance(proof, InfeasibilityProof) else None
        reason = f"{evidence.citation}, hypotheses checked"
        if checked is not None:
            reason += f"; and exact infeasibility for m <= {PROOF_ITEMS} ({checked.cases} systems)"
        for covered in implying(name):
            if covered in asked:
                settled[covered] = Answer(
                    covered,
                    Verdict.CONSISTENT,
                    evidence.scope,
                    reason if covered == name else f"inside {name}: {evidence.citation}, as there",
                    evidence.citation,
                    evidence=evidence,
                    proof=checked,
                )


def _affine(surrogate: Surrogate) -> bool:
    return isinstance(surrogate, LinearSurrogate | RegressionSurrogate)


def _settle(
    surrogate: Surrogate,
    name: str,
    known: Mapping[str, Property],
    items: Sequence[int],
    effort: Effort,
    command: str,
    seed: int,
    settled: dict[str, Answer],
) -> None:
    unproved = [phi for phi in surrogate.functions if convexity_proof(phi) is None]
    if unproved:
        status = known["convex"].status
        word = "is not convex" if status is Status.REFUTED else "is not proved convex"
        looked = survey(surrogate, name, effort)
        settled[name] = Answer(
            name, Verdict.UNDECIDED, "", f"{unproved[0]} {word}, so no certificate applies; {looked}"
        )
        return
    provenance = {"command": command, "citation": _illustrates(surrogate)}
    search = Search(surrogate, name, effort, seed=seed, provenance=provenance)
    try:
        witness = _by_linear_algebra(surrogate, name, provenance) or search.run(items)
    except UnsupportedError as error:
        settled[name] = Answer(name, Verdict.UNDECIDED, "", f"not searched: {error}")
        return
    if witness is None:
        ended = "interrupted; " if effort.interrupted else ("budget used up; " if effort.expired else "")
        looked = ", ".join(search.looked) or "nothing"
        settled[name] = Answer(
            name,
            Verdict.UNDECIDED,
            "",
            f"no witness found ({ended}searched {looked} completely on the grids; {effort.summary()})",
        )
        return
    _settle_larger(surrogate, name, witness, settled)


def _by_linear_algebra(surrogate: Surrogate, name: str, provenance: Mapping[str, str]) -> Witness | None:
    """A witness without a search, where the minimizer is affine in p."""
    if not _affine(surrogate):
        return None
    found = prove_affine(surrogate, name, PROOF_ITEMS)
    if not isinstance(found, AffineWitness):
        return None
    witness = certify(surrogate, realize(surrogate, found.aggregate), provenance=provenance)
    return witness if witness is not None and witness.verified.claim == INCONSISTENT else None


def _settle_larger(surrogate: Surrogate, name: str, witness: Witness, settled: dict[str, Answer]) -> None:
    how = (
        "strict inversion"
        if witness.verified.failure == "strict"
        else "tie, wrong under the paper's tie rule"
    )
    m = witness.distribution.m
    for covered in implied_by(name):
        if covered not in settled:
            text = f"certified witness with {m} items ({how})"
            settled[covered] = Answer(
                covered,
                Verdict.INCONSISTENT,
                f"m = {m}",
                text if covered == name else f"the witness under {name}, which lies inside",
                witness=witness,
            )
        elif settled[covered].verdict is Verdict.CONSISTENT:
            raise ConsistencyLabError(
                f"{surrogate.name} has a witness under {name} and a proof under {covered}; "
                "one of them is wrong: please report this"
            )


def _illustrates(surrogate: Surrogate) -> str:
    return _THEOREMS.get(getattr(surrogate, "family", ""), "DMJ10 Definition 2")


_THEOREMS: Final[Mapping[str, str]] = {
    "edge": "DMJ10 Theorem 11",
    "margin": "DMJ10 Theorem 12",
    "linear": "DMJ10 Theorem 13",
    "regression": "RAT13 Theorem 6",
    "difference": "DMJ13 §5.3",
}


def _strict(
    surrogate: Surrogate,
    answers: Sequence[Answer],
    items: Sequence[int],
    effort: Effort,
    command: str,
    seed: int,
) -> Witness | None:
    """If the smallest witness is a tie: a strict inversion under the same condition, with more items."""
    first = next((answer for answer in answers if answer.witness is not None), None)
    if first is None or first.witness is None or first.witness.verified.failure == "strict":
        return None
    provenance = {"command": command, "citation": _illustrates(surrogate)}
    effort.ration(_STRICT_SHARE)
    search = Search(surrogate, first.condition, effort, strict=True, seed=seed, provenance=provenance)
    return search.run([m for m in items if m > first.witness.distribution.m])


def _universal(surrogate: Surrogate, answers: Sequence[Answer], command: str) -> Witness | None:
    """The witness at which no convex phi with phi'(0) < 0 is right, certified for this surrogate."""
    if not any(answer.witness is not None for answer in answers):
        return None
    if getattr(surrogate, "family", "") not in ("edge", "margin"):
        return None
    note = "no convex phi with phi'(0) < 0 has its minimizer in A(p) here"
    try:
        distribution = realize(surrogate, UNIVERSAL_AGGREGATE)
        found = certify(
            surrogate,
            distribution,
            provenance={"command": command, "citation": "DMJ10 Lemma 10", "note": note},
            universal=True,
        )
    except UnsupportedError:
        return None
    return found if found is not None and found.verified.universal else None


@final
@dataclass(frozen=True)
class ProfileDecision:
    """The verdict on a surrogate at one given distribution.

    Parameters
    ----------
    verdict
        INCONSISTENT: the minimizer certainly ranks wrongly here. CONSISTENT: it certainly ranks rightly
        here, which says nothing about other distributions.
    reason
        One sentence.
    witness
        The accepted document, for either verdict.
    """

    surrogate: Surrogate
    distribution: Distribution
    verdict: Verdict
    reason: str
    witness: Witness | None
    notes: tuple[str, ...] = field(default=())


def decide_profile(
    surrogate: Surrogate, distribution: Distribution, *, notes: Sequence[str] = (), command: str = ""
) -> ProfileDecision:
    """Decide one distribution exactly.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import surrogate
    >>> p = Distribution.of(2, [("3/4", {(0, 1): 1}), ("1/4", {(1, 0): 1})])
    >>> str(decide_profile(surrogate("logistic"), p).verdict)
    'CONSISTENT'
    """
    _properties(surrogate)
    unproved = [phi for phi in surrogate.functions if convexity_proof(phi) is None]
    if unproved:
        reason = f"{unproved[0]} is not proved convex, so no certificate applies"
        return ProfileDecision(surrogate, distribution, Verdict.UNDECIDED, reason, None, tuple(notes))
    provenance = {"command": command, "citation": _illustrates(surrogate), "note": "; ".join(notes)}
    try:
        found = certify(
            surrogate, distribution, provenance=provenance, universal=True, decimals=PROFILE_DECIMALS
        )
    except UnsupportedError as error:
        return ProfileDecision(surrogate, distribution, Verdict.UNDECIDED, str(error), None, tuple(notes))
    if found is None:
        reason = (
            "the minimizer could be certified neither right nor wrong here; it may lie on a tie, or only be "
            "approached at infinity"
        )
        return ProfileDecision(surrogate, distribution, Verdict.UNDECIDED, reason, None, tuple(notes))
    wrong = found.verified.claim == INCONSISTENT
    return ProfileDecision(
        surrogate,
        distribution,
        Verdict.INCONSISTENT if wrong else Verdict.CONSISTENT,
        "certified: the minimizer of W is outside A(p)"
        if wrong
        else "certified: the minimizer of W is in A(p)",
        found,
        tuple(notes),
    )
