"""The answers of `check` as JSON documents (docs/cli.md)."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, Final

from consistency_lab.certify.addition import ByAddition
from consistency_lab.certify.minimizers import Minimizers
from consistency_lab.certify.proofs.task_proof import ANY
from consistency_lab.certify.witness import Witness
from consistency_lab.core.equilibrium import Box
from consistency_lab.decide.answers import (
    Answer,
    Decision,
    Policy,
    Prescription,
    ProfileDecision,
    Repair,
    Strongest,
)
from consistency_lab.decide.theorems.affine import AffineProof
from consistency_lab.decide.theorems.catalogue import Evidence
from consistency_lab.decide.theorems.infeasibility import InfeasibilityProof
from consistency_lab.model.designs import Described
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.labels import LabelProfile
from consistency_lab.model.properties import Property
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.model.surrogates.own import Compared
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.tasks.task import Task
from consistency_lab.search.effort import Effort
from consistency_lab.show.documents import Make, Record
from consistency_lab.show.task_proof import reached
from consistency_lab.show.text import decimal
from consistency_lab.show.verification import accepted_document
from consistency_lab.show.witness import (
    Files,
    counted_labels,
    exact_text,
    file_of,
    gap,
    losses,
    means,
    parameters,
    path_of,
    regret_text,
    surrogate_parameters,
    target_formula,
)
from consistency_lab.solve.optimal import MAX_ITEMS as ALL_ORDERS

if TYPE_CHECKING:
    from consistency_lab.data.profile import Profile

ON_SCREEN: Final[Mapping[str, object]] = {"line1": str, "rows": list[list[str]], "instead": str}
"""What the screen says first: a command adds it to its answer."""


# --- The question, and what the searches cost ------------------------------------------------------------

SURROGATE: Final = Record(
    Surrogate,
    "name formula parameters=. citation",
    parameters=(dict[str, str], lambda surrogate: dict(surrogate.parameters())),
)
"""A surrogate of preference graphs."""

_LABELS: Final = Record(
    TaskSurrogate,
    "name formula parameters=. citation scores=. decoder",
    parameters=surrogate_parameters,
    scores=(int, lambda surrogate, target: len(surrogate.coordinates(target))),
)
TARGET: Final = Record(
    Task,
    "name=target title formula=. parameters=. citation labels=space predictions",
    formula=target_formula,
    parameters=parameters,
    labels=(dict[str, object], lambda space: {**space.describe(), "number": len(space.labels)}),
    predictions=(int, len),
)
EFFORT: Final = Record(
    Effort,
    "distributions linear_programs=programs certificates spent interrupted "
    "stopped_by_clock=stopped budget_used_up=used_up",
    spent=(float, lambda spent: round(spent, 3)),
)


def asked_about(about: Any) -> Annotated[Any, SURROGATE, _LABELS]:
    """The surrogate of a decision or of a remedy; for a target the number of scores and the decoder too."""
    record = _LABELS if isinstance(about.surrogate, TaskSurrogate) else SURROGATE
    return record(about.surrogate, getattr(about, "target", None))


# --- Witnesses: what is said of each kind, and where it was saved ----------------------------------------


def _of_items(attribute: str) -> tuple[object, Make]:
    """Items by name, in the order of an attribute."""
    return list[str], lambda one: [one.distribution.items[i] for i in getattr(one, attribute)]


_ON_GRAPHS: Final = Record(
    Witness,
    "items=distribution.items conditions=verified scores prediction=. better=. regret=verified.regret "
    "failure certificate file=.",
    conditions=(list[str], lambda verified: [name for name, holds in verified.conditions.items() if holds]),
    prediction=_of_items("prediction"),
    better=_of_items("better"),
    file=file_of,
)
WITNESS_ON_LABELS: Final = Record(
    Witness,
    "condition=document labels=asked means=. scores=proof.scores box=proof "
    "attracting=verified.attracting reached_from_zero_in_floats=document prediction=. better=. "
    "expected_losses=. regret=. failure certificate file=.",
    condition=(str, lambda document: next(iter(document["named"]["conditions"]), ANY)),
    labels=(
        list[dict[str, str]],
        lambda asked: [
            {"label": asked.task.space.text(y), "probability": str(p)} for y, p in asked.weights.items()
        ],
    ),
    box=(Box | None, lambda proof: getattr(proof.certificate, "box", None)),
    means=(list[str] | None, lambda one: (known := means(one)) and list(map(exact_text, known))),
    reached_from_zero_in_floats=reached,
    prediction=(str, lambda one: one.asked.task.prediction_text(one.prediction)),
    better=(str, lambda one: one.asked.task.prediction_text(one.better)),
    expected_losses=(list[str], lambda one: list(map(exact_text, losses(one)))),
    regret=regret_text,
    file=file_of,
)
AT_LABELS: Final = Record(
    Witness,
    "scores=. prediction=. better=. regret=. failure certificate file=.",
    scores=(list[str] | None, lambda one: one.document["proof"].get("scores")),
    prediction=(list[str] | str | None, lambda one: one.document["proof"].get("prediction")),
    better=(list[str] | str | None, lambda one: one.document["proof"].get("better")),
    regret=(str | None, lambda one: one.document["proof"].get("regret")),
    file=file_of,
)


def witness_document(
    witness: Witness | None, files: Files
) -> Annotated[Any, _ON_GRAPHS, WITNESS_ON_LABELS, AT_LABELS, None]:
    """What a witness says, and where it was saved."""
    if witness is not None and isinstance(witness.about, Distribution):
        return _ON_GRAPHS(witness, files)
    at_scores = witness is not None and witness.certificate != "separation"
    return (WITNESS_ON_LABELS if at_scores else AT_LABELS)(witness, files)


# --- The answer about a surrogate ------------------------------------------------------------------------

_CASES: Final = Record(InfeasibilityProof, "systems=cases")
_AFFINE: Final = Record(AffineProof, "systems by_symmetry rescaled")


def _proof(proof: InfeasibilityProof | AffineProof | None) -> Annotated[Any, _CASES, _AFFINE, None]:
    """How many systems have no solution."""
    return (_CASES if isinstance(proof, InfeasibilityProof) else _AFFINE)(proof)


def _hypotheses(evidence: Evidence | None) -> list[dict[str, str]]:
    known = () if evidence is None else evidence.hypotheses
    return [{"statement": statement, "how": how} for statement, how in known]


ANSWER: Final = Record(
    Answer,
    "condition verdict scope reason citation hypotheses=evidence failure=witness.failure proof witness",
    hypotheses=_hypotheses,
    proof=_proof,
    witness=witness_document,
)
PRESCRIPTION: Final = Record(Prescription, "surrogate=. how condition reason command", surrogate=asked_about)
_OF_PAIR: Final = Record(
    Answer,
    "condition design verdict scope reason citation hypotheses=evidence failure=witness.failure witness",
    hypotheses=_hypotheses,
    witness=_ON_GRAPHS,
)
_FRONTIER: Final = Record(Strongest, "answers=shown", answers=_OF_PAIR)
"""Under which conditions and designs a surrogate of preference graphs is right, and where it stops."""

decision_document: Final = Record(
    Decision,
    "target design surrogate=. compared properties convex verdict answers frontier strict universal proofs=. "
    "prescriptions effort",
    format="consistency-lab/check/1",
    may=ON_SCREEN,
    target=TARGET,
    surrogate=asked_about,
    compared=Record(Compared, "function surrogate items"),
    properties=Record(Property, "status how value"),
    answers=ANSWER,
    frontier=_FRONTIER,
    strict=witness_document,
    universal=witness_document,
    proofs=(
        dict[str, str | None],
        lambda _, files, proofs: {name: path_of(document, files) for name, document in proofs.items()},
    ),
    prescriptions=PRESCRIPTION,
    effort=EFFORT,
)
"""The answer about a surrogate, with where files are, and the files of exact infeasibility by condition."""


# --- The answer about one distribution -------------------------------------------------------------------


def _failure(witness: Witness | None) -> dict[str, object] | None:
    """The kind of failure, and the pairs that every optimal order has the other way round."""
    if witness is None or witness.failure is None:
        return None
    names, d = witness.distribution.items, witness.distribution.difference
    pairs = [
        {
            "preferred": names[i],
            "over": names[j],
            "difference": str(d[i][j]),
            "scored": "equal" if witness.scores and witness.scores[i] == witness.scores[j] else "below",
        }
        for i, j in witness.wrong_pairs
    ]
    return {"kind": witness.failure, "pairs": pairs}


_OPTIMUM: Final = Record(
    Witness,
    "loss=optimum.loss loss_of_scores=loss regret=verified.regret normalized_regret order=. orders=optimum",
    order=_of_items("better"),
    orders=(str, lambda optimum: str(optimum.count())),
)


def _optimum(witness: Witness | None, files: Files, profile: "Profile") -> Annotated[Any, _OPTIMUM, None]:
    """All optimal orders, where the items are few enough."""
    few = witness is not None and witness.distribution.m <= ALL_ORDERS
    return _OPTIMUM(witness if few else None, files, profile)


def labels_document(profile: LabelProfile) -> list[dict[str, object]]:
    """The labels that occur, with their probabilities."""
    return [{"label": label, "probability": str(p)} for label, p in sorted(profile.weights.items())]


def _by_item(values: tuple[object, ...] | None, _: object, profile: "Profile") -> dict[str, Any] | None:
    return None if values is None else dict(zip(profile.items, values, strict=True))


def _of_profile(keys: str, **made: Any) -> Record:
    """The record of an answer about one distribution, with what is said of its kind alone."""
    return Record(
        ProfileDecision,
        f"target surrogate=. convex items=. voters=. counted=. notes verdict reason {keys} "
        "proof=witness.verified witness",
        format="consistency-lab/check-profile/1",
        target=TARGET,
        surrogate=asked_about,
        items=(list[str], lambda _, files, profile: profile.items),
        voters=(str, lambda _, files, profile: str(profile.voters)),
        proof=accepted_document,
        witness=witness_document,
        **made,
    )


ON_LABELS: Final = _of_profile(
    "labels=.",
    counted=(str, lambda decision: counted_labels(decision.target.space)),
    labels=(list[dict[str, object]], lambda _, files, profile: labels_document(profile)),
)


DESIGN: Final = Record(
    Described,
    "names ratio pairs compared parts divergence",
    divergence=(float, lambda divergence: round(divergence, 6)),
)


REPAIRS: Final = Record(Repair, "kind loss=surrogate.name verdict")


def added_up(
    proof: ByAddition | None, items: Sequence[str], unit: Fraction | int = 1
) -> list[dict[str, str | int]] | None:
    """The pairs that adding comparisons up puts in order, upper item first, and by which rule."""
    if proof is None:
        return None
    return [
        {
            "above": items[pair.above],
            "below": items[pair.below],
            "rule": pair.rule,
            "factor": str(pair.factor),
            "radius": proof.radius(number, unit),
        }
        for number, pair in enumerate(proof.pairs)
    ]


_REFERRED: Final = ("trained", "gap", "alone")


def _policy(policy: Policy | None, _: object, profile: "Profile") -> dict[str, Any] | None:
    """The orders of r and of pi, and each pair, the chosen answer first; in floats."""
    if policy is None:
        return None
    items = profile.items
    pairs = [
        {"above": items[pair.above], "below": items[pair.below], "survives": pair.survives}
        | {key: None if (x := getattr(pair, key)) is None else round(x, 6) for key in _REFERRED}
        for pair in policy.pairs
    ]
    orders = {key: [items[k] for k in getattr(policy, key)] for key in ("rewards", "order")}
    return {"beta": str(policy.beta), **orders, "pairs": pairs}


ON_GRAPHS: Final = _of_profile(
    "conditions=witness.verified.conditions scores=witness.scores failure=witness optimum=witness "
    "gap=witness minimizers design by_addition repairs policy",
    counted=(str, lambda _, files, profile: profile.counted),
    scores=(list[str] | None, lambda scores: None if scores is None else list(map(decimal, scores))),
    failure=_failure,
    optimum=_optimum,
    gap=gap,
    minimizers=Record(Minimizers, "attained every direction right", direction=_by_item, right=_by_item),
    design=DESIGN,
    repairs=REPAIRS,
    by_addition=(
        list[dict[str, str | int]] | None,
        lambda found, files, profile: added_up(found, profile.items, profile.voters),
    ),
    policy=_policy,
    may={"line1": str},
)


def profile_document(
    decision: ProfileDecision, profile: "Profile | LabelProfile", files: Files
) -> Annotated[Any, ON_GRAPHS, ON_LABELS]:
    """The answer about one distribution."""
    return (ON_LABELS if isinstance(profile, LabelProfile) else ON_GRAPHS)(decision, files, profile)
