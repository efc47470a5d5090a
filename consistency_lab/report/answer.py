"""The answer of `check` as one JSON document (docs/cli.md)."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

from consistency_lab.certify.proving import Proven
from consistency_lab.certify.witness import Witness
from consistency_lab.decide import Decision, ProfileDecision
from consistency_lab.decide.answers import GraphAnswer
from consistency_lab.model.properties import Property
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.report.formula import formula
from consistency_lab.report.verification import accepted_document
from consistency_lab.search.effort import Effort

Files = Mapping[str, Path]
"""Where witnesses were saved, by digest."""


def decision_document(
    decision: Decision, proofs: Mapping[str, Mapping[str, object]], files: Files
) -> dict[str, object]:
    """The answer about a surrogate; `proofs` are the files of exact infeasibility, by condition."""
    return {
        "surrogate": surrogate_document(decision.surrogate),
        "properties": {name: _property(known) for name, known in decision.properties.items()},
        "verdict": str(decision.verdict),
        "answers": [_answer(answer, files) for answer in decision.answers],
        "strict": _file(decision.strict, files),
        "universal": _file(decision.universal, files),
        "proofs": {condition: _path(document, files) for condition, document in proofs.items()},
        "prescriptions": [
            {
                "surrogate": remedy.name,
                "how": remedy.how,
                "condition": remedy.condition,
                "reason": remedy.reason,
                "command": remedy.command,
            }
            for remedy in decision.prescriptions
        ],
        "effort": effort_document(decision.effort),
    }


def profile_document(
    decision: ProfileDecision, files: Files, voters: int | Fraction, counted: str
) -> dict[str, object]:
    """The answer about one distribution."""
    witness = decision.witness
    document = witness.document if witness is not None else {}
    verified = None if decision.proven is None else decision.proven.verified
    return {
        "surrogate": surrogate_document(decision.surrogate),
        "items": list(decision.distribution.items),
        "voters": str(voters),
        "counted": counted,
        "notes": list(decision.notes),
        "verdict": str(decision.verdict),
        "reason": decision.reason,
        "conditions": document.get("conditions") if verified is None else dict(verified.conditions),
        "scores": document.get("decimals"),
        "failure": document.get("failure"),
        "optimum": document.get("optimum"),
        "gap": gap(witness) if witness is not None else None,
        "minimizers": _minimizers(decision),
        "proof": None if verified is None else accepted_document(verified),
        "witness": _file(witness or decision.proven, files),
    }


def _minimizers(decision: ProfileDecision) -> dict[str, object] | None:
    known, names = decision.minimizers, decision.distribution.items
    if known is None:
        return None
    return {
        "attained": known.attained,
        "every": known.every,
        "direction": None if known.direction is None else dict(zip(names, known.direction, strict=True)),
        "right": None if known.right is None else dict(zip(names, map(str, known.right), strict=True)),
    }


def surrogate_document(surrogate: Surrogate) -> dict[str, object]:
    """Name and formula."""
    known = formula(surrogate)
    return {
        "name": surrogate.name,
        "formula": known.formula,
        "parameters": dict(known.parameters),
        "citation": known.citation,
    }


def effort_document(effort: Effort) -> dict[str, object]:
    """What the searches cost."""
    return {
        "distributions": effort.distributions,
        "linear_programs": effort.programs,
        "certificates": effort.certificates,
        "seconds": round(effort.elapsed, 3),
        "spent": round(effort.spent, 3),
        "interrupted": effort.interrupted,
        "stopped_by_clock": effort.stopped,
        "budget_used_up": effort.used_up,
    }


def failure_kind(witness: Witness) -> str | None:
    """How the scores fail: "strict" or "tie", None for consistency at p."""
    failure = witness.document["failure"]
    return str(failure["kind"]) if isinstance(failure, Mapping) else None


def gap(witness: Witness) -> str | None:
    """The certified gap of a separation certificate as a decimal text; a stationary one has none."""
    certificate = witness.document["certificate"]
    assert isinstance(certificate, Mapping)
    found = certificate.get("gap")
    return None if found is None else str(found)


def _property(known: Property) -> dict[str, object]:
    return {"status": known.status.value, "how": known.how, "value": known.value}


def _answer(answer: GraphAnswer, files: Files) -> dict[str, object]:
    hypotheses = answer.evidence.hypotheses if answer.evidence is not None else ()
    return {
        "condition": answer.condition,
        "verdict": str(answer.verdict),
        "scope": answer.scope,
        "reason": answer.reason,
        "citation": answer.citation,
        "hypotheses": [{"statement": statement, "how": how} for statement, how in hypotheses],
        "failure": failure_kind(answer.witness) if answer.witness is not None else None,
        "witness": _file(answer.witness, files),
    }


def _file(witness: Witness | Proven | None, files: Files) -> str | None:
    return None if witness is None else _path(witness.document, files)


def _path(document: Mapping[str, object], files: Files) -> str | None:
    path = files.get(str(document["digest"]))
    return None if path is None else str(path)
