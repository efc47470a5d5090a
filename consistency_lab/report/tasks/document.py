"""The answers about tasks as JSON documents (docs/cli.md)."""

from consistency_lab.certify.witness import Witness
from consistency_lab.decide.tasks import (
    FieldFinding,
    LibraryDecision,
    Prescription,
    TaskAnswer,
    TaskDecision,
)
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.tasks.task import Task
from consistency_lab.report.answer import Files, effort_document
from consistency_lab.report.tasks.heading import parameters, surrogate_parameters, target_formula
from consistency_lab.report.tasks.library import finding, verdict
from consistency_lab.report.tasks.numbers import exact_text
from consistency_lab.report.tasks.witness import Facts, regret_text


def decision_document(decision: TaskDecision, files: Files) -> dict[str, object]:
    """The answer about a surrogate."""
    return {
        "target": target_document(decision.task),
        **_decision(decision, files),
        "effort": effort_document(decision.effort),
    }


def library_document(decision: LibraryDecision, task: Task, files: Files) -> dict[str, object]:
    """The answers about an objective of a library."""
    entry, known = decision.entry, decision.plain or decision.shipped
    return {
        "library": {
            "name": entry.name,
            "formula": entry.formula,
            "citation": entry.citation,
            "version": entry.release.version,
            "defaults": dict(entry.defaults),
            "shipped": entry.shipped,
            "note": entry.note,
        },
        "target": target_document(task),
        "verdict": str(verdict(decision)),
        "plain": None if decision.plain is None else _decision(decision.plain, files),
        "shipped": _shipped(decision, files),
        "effort": None if known is None else effort_document(known.effort),
    }


def target_document(task: Task) -> dict[str, object]:
    """The target loss with its labels."""
    return {
        "name": task.target,
        "title": task.title,
        "formula": target_formula(task),
        "parameters": parameters(task),
        "citation": task.citation,
        "labels": {**task.space.describe(), "number": len(task.space.labels)},
        "predictions": len(task.predictions),
    }


def surrogate_document(surrogate: TaskSurrogate, task: Task) -> dict[str, object]:
    """The surrogate with its decoder."""
    return {
        "name": surrogate.name,
        "formula": surrogate.formula,
        "parameters": surrogate_parameters(surrogate, task),
        "citation": surrogate.citation,
        "scores": len(surrogate.coordinates(task)),
        "decoder": surrogate.decoder,
    }


def witness_document(witness: Witness, files: Files) -> dict[str, object]:
    """What a witness says, and where it was saved."""
    facts, task = Facts.of(witness), witness.found.task
    path = files.get(witness.digest)
    return {
        "condition": witness.found.condition,
        "labels": [{"label": task.space.text(y), "probability": str(p)} for y, p in facts.weights],
        "means": None if facts.means is None else list(map(exact_text, facts.means)),
        "scores": None if facts.scores is None else list(map(str, facts.scores)),
        "box": None if facts.box is None else [[str(low), str(high)] for low, high in facts.box],
        "attracting": witness.verified.attracting,
        "reached_from_zero_in_floats": facts.reached,
        "prediction": task.prediction_text(facts.prediction),
        "better": task.prediction_text(facts.better),
        "expected_losses": [exact_text(loss) for loss in facts.losses],
        "regret": regret_text(facts),
        "failure": witness.failure,
        "certificate": witness.certificate,
        "file": None if path is None else str(path),
    }


def _decision(decision: TaskDecision, files: Files) -> dict[str, object]:
    return {
        "surrogate": surrogate_document(decision.surrogate, decision.task),
        "verdict": str(decision.verdict),
        "answers": [_answer(answer, files) for answer in decision.answers],
        "prescriptions": [_prescription(advice) for advice in decision.prescriptions],
    }


def _answer(answer: TaskAnswer, files: Files) -> dict[str, object]:
    hypotheses = answer.evidence.hypotheses if answer.evidence is not None else ()
    proof = answer.proof
    return {
        "condition": answer.condition,
        "verdict": str(answer.verdict),
        "scope": answer.scope,
        "reason": answer.reason,
        "citation": answer.citation,
        "hypotheses": [{"statement": statement, "how": how} for statement, how in hypotheses],
        "proof": None
        if proof is None
        else {"systems": proof.systems, "by_symmetry": proof.by_symmetry, "rescaled": proof.rescaled},
        "witness": None if answer.witness is None else witness_document(answer.witness, files),
    }


def _prescription(advice: Prescription) -> dict[str, object]:
    return {
        "surrogate": surrogate_document(advice.surrogate, advice.task),
        "condition": advice.condition,
        "reason": advice.reason,
        "decoding": advice.decoder,
        "command": advice.command,
    }


def _shipped(decision: LibraryDecision, files: Files) -> dict[str, object] | None:
    shipped = decision.shipped
    if decision.entry.shipped == "same":
        return None
    if isinstance(shipped, TaskDecision):
        return _decision(shipped, files)
    word, reason = finding(decision)
    witness = shipped.witness if isinstance(shipped, FieldFinding) else None
    return {
        "finding": word.lower(),
        "reason": reason,
        "parameters": {}
        if shipped is None
        else {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in shipped.field.parameters.items()
        },
        "witness": None if witness is None else witness_document(witness, files),
    }
