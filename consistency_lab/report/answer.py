"""The answers of `check` as JSON documents (docs/cli.md)."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from consistency_lab.certify.witness import Witness
from consistency_lab.data import Profile
from consistency_lab.data.labels import LabelProfile
from consistency_lab.decide import Answer, Decision, ProfileDecision
from consistency_lab.decide.answers import Prescription
from consistency_lab.frozen import record
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.tasks.task import Task
from consistency_lab.proofs.task_proof import LabelWitness
from consistency_lab.report.listing import formula
from consistency_lab.report.task_proof import reached
from consistency_lab.report.tasks import (
    counted_labels,
    exact_text,
    losses,
    means,
    parameters,
    regret_text,
    surrogate_parameters,
    target_formula,
)
from consistency_lab.report.text import decimal
from consistency_lab.report.verification import accepted_document
from consistency_lab.report.witness import gap
from consistency_lab.search.effort import Effort
from consistency_lab.theorems.infeasibility import InfeasibilityProof

Files = Mapping[str, Path]
"""Where witnesses were saved, by digest."""


def decision_document(
    decision: Decision, proofs: Mapping[str, Mapping[str, object]], files: Files
) -> dict[str, object]:
    """The answer about a surrogate; `proofs` are the files of exact infeasibility, by condition."""
    return {"format": "consistency-lab/check/1"} | record(
        decision,
        "target surrogate properties verdict answers strict universal proofs prescriptions effort",
        target=None if decision.target is None else target_document(decision.target),
        surrogate=surrogate_document(decision.surrogate, decision.target),
        properties={name: record(known, "status how value") for name, known in decision.properties.items()},
        answers=[_answer(answer, files) for answer in decision.answers],
        strict=_witness(decision.strict, files),
        universal=_witness(decision.universal, files),
        proofs={condition: _path(document, files) for condition, document in proofs.items()},
        prescriptions=[_prescription(advice) for advice in decision.prescriptions],
        effort=effort_document(decision.effort),
    )


def profile_document(
    decision: ProfileDecision, profile: Profile | LabelProfile, files: Files
) -> dict[str, object]:
    """The answer about one distribution."""
    witness = decision.witness
    if isinstance(profile, LabelProfile):
        assert decision.target is not None
        counted, told = counted_labels(decision.target.space), _of_labels(profile)
    else:
        counted, told = profile.counted, _of_graphs(decision, profile.items)
    return {
        "format": "consistency-lab/check-profile/1",
        "target": None if decision.target is None else target_document(decision.target),
        "surrogate": surrogate_document(decision.surrogate, decision.target),
        "items": list(profile.items),
        "voters": str(profile.voters),
        "counted": counted,
        "notes": list(decision.notes),
        "verdict": str(decision.verdict),
        "reason": decision.reason,
        **told,
        "proof": None if witness is None else accepted_document(witness.verified),
        "witness": _witness(witness, files),
    }


def _of_labels(profile: LabelProfile) -> dict[str, object]:
    labels = sorted(profile.weights.items())
    return {"labels": [{"label": list(label), "probability": str(p)} for label, p in labels]}


def _of_graphs(decision: ProfileDecision, items: Sequence[str]) -> dict[str, object]:
    witness = decision.witness
    return {
        "conditions": None if witness is None else dict(witness.verified.conditions),
        "scores": None if witness is None else [decimal(score) for score in witness.scores],
        "failure": None if witness is None else _failure(witness),
        "optimum": None if witness is None else _optimum(witness),
        "gap": None if witness is None else gap(witness),
        "minimizers": _minimizers(decision, items),
    }


def _failure(witness: Witness) -> dict[str, object] | None:
    """The kind of failure, and the pairs that every optimal order has the other way round."""
    if witness.verified.failure is None:
        return None
    names, d = witness.distribution.items, witness.distribution.difference
    pairs = [
        {
            "preferred": names[i],
            "over": names[j],
            "difference": str(d[i][j]),
            "scored": "equal" if witness.scores[i] == witness.scores[j] else "below",
        }
        for i, j in witness.wrong_pairs
    ]
    return {"kind": witness.verified.failure, "pairs": pairs}


def _optimum(witness: Witness) -> dict[str, object]:
    """The target losses of an optimal order and of the prediction."""
    names = witness.distribution.items
    return {
        "loss": str(witness.optimum.loss),
        "loss_of_scores": str(witness.loss),
        "regret": str(witness.verified.regret),
        "normalized_regret": str(witness.normalized_regret),
        "order": [names[i] for i in witness.better],
        "orders": str(witness.optimum.count()),
    }


def _minimizers(decision: ProfileDecision, names: Sequence[str]) -> dict[str, object] | None:
    known = decision.minimizers
    if known is None:
        return None
    direction = None if known.direction is None else dict(zip(names, known.direction, strict=True))
    right = None if known.right is None else dict(zip(names, known.right, strict=True))
    return record(known, "attained every direction right", direction=direction, right=right)


def target_document(task: Task) -> dict[str, object]:
    """The target loss with its labels."""
    return record(
        task,
        "name=target title formula parameters citation labels predictions",
        formula=target_formula(task),
        parameters=parameters(task),
        labels={**task.space.describe(), "number": len(task.space.labels)},
        predictions=len(task.predictions),
    )


def surrogate_document(surrogate: Surrogate | TaskSurrogate, target: Task | None = None) -> dict[str, object]:
    """Name and formula; for a target the number of scores and the decoder too."""
    if isinstance(surrogate, TaskSurrogate):
        assert target is not None
        return record(
            surrogate,
            "name formula parameters citation scores decoder",
            parameters=surrogate_parameters(surrogate, target),
            scores=len(surrogate.coordinates(target)),
        )
    known = formula(surrogate)
    shape = "name formula parameters citation"
    return record(known, shape, name=surrogate.name, parameters=dict(known.parameters))


def effort_document(effort: Effort) -> dict[str, object]:
    """What the searches cost."""
    return record(
        effort,
        "distributions linear_programs=programs certificates seconds spent interrupted "
        "stopped_by_clock=stopped budget_used_up=used_up",
        seconds=round(effort.elapsed, 3),
        spent=round(effort.spent, 3),
    )


def witness_document(witness: Witness, files: Files) -> dict[str, object]:
    """What a witness says, and where it was saved."""
    about = witness.about
    if isinstance(about, Distribution):
        said: dict[str, object] = {
            "items": list(about.items),
            "conditions": [name for name, holds in witness.verified.conditions.items() if holds],
            "scores": list(map(str, witness.scores)),
            "prediction": [about.items[i] for i in witness.prediction],
            "better": [about.items[i] for i in witness.better],
            "regret": str(witness.verified.regret),
        }
    elif isinstance(about, LabelWitness):
        said = _of_found(witness)
    else:
        proof = witness.document["proof"]
        said = {key: proof.get(key) for key in ("scores", "prediction", "better", "regret")}
    return {
        **said,
        "failure": witness.failure,
        "certificate": witness.certificate,
        "file": _path(witness.document, files),
    }


def _of_found(witness: Witness) -> dict[str, object]:
    found, task = witness.found, witness.found.task
    mean = means(witness)
    return record(
        found,
        "condition labels means scores box attracting reached_from_zero_in_floats prediction better "
        "expected_losses regret",
        labels=[{"label": task.space.text(y), "probability": p} for y, p in found.weights.items()],
        means=None if mean is None else list(map(exact_text, mean)),
        attracting=witness.verified.attracting,
        reached_from_zero_in_floats=reached(witness.document),
        prediction=task.prediction_text(found.prediction),
        better=task.prediction_text(found.better),
        expected_losses=list(map(exact_text, losses(witness))),
        regret=regret_text(witness),
    )


def _answer(answer: Answer, files: Files) -> dict[str, object]:
    hypotheses = answer.evidence.hypotheses if answer.evidence is not None else ()
    return record(
        answer,
        "condition verdict scope reason citation hypotheses failure proof witness",
        hypotheses=[{"statement": statement, "how": how} for statement, how in hypotheses],
        failure=None if answer.witness is None else answer.witness.failure,
        proof=_proof(answer),
        witness=_witness(answer.witness, files),
    )


def _proof(answer: Answer) -> dict[str, object] | None:
    """How many systems have no solution."""
    one = isinstance(answer.proof, InfeasibilityProof)
    return record(answer.proof, "systems=cases" if one else "systems by_symmetry rescaled")


def _prescription(advice: Prescription) -> dict[str, object]:
    surrogate = surrogate_document(advice.surrogate, advice.target)
    return record(advice, "surrogate how condition reason command", surrogate=surrogate)


def _witness(witness: Witness | None, files: Files) -> dict[str, object] | None:
    return None if witness is None else witness_document(witness, files)


def _path(document: Mapping[str, object], files: Files) -> str | None:
    path = files.get(str(document["digest"]))
    return None if path is None else str(path)
