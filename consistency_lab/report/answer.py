"""The answer of `check` as one JSON document (docs/cli.md)."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

from consistency_lab.certify.witness import Witness
from consistency_lab.decide import Decision, ProfileDecision
from consistency_lab.decide.answers import GraphAnswer
from consistency_lab.model.properties import Property
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.report.formula import formula
from consistency_lab.report.text import decimal
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
    return {
        "surrogate": surrogate_document(decision.surrogate),
        "items": list(decision.distribution.items),
        "voters": str(voters),
        "counted": counted,
        "notes": list(decision.notes),
        "verdict": str(decision.verdict),
        "reason": decision.reason,
        "conditions": None if witness is None else dict(witness.verified.conditions),
        "scores": None if witness is None else [decimal(score) for score in witness.scores],
        "failure": None if witness is None else _failure(witness),
        "optimum": None if witness is None else _optimum(witness),
        "gap": None if witness is None else gap(witness),
        "minimizers": _minimizers(decision),
        "proof": None if witness is None else accepted_document(witness.verified),
        "witness": _file(witness, files),
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


def gap(witness: Witness) -> str | None:
    """The certified gap of a separation as the file has it; a minimum has none."""
    found = witness.document["proof"]["certificate"].get("gap")
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
        "failure": None if answer.witness is None else answer.witness.verified.failure,
        "witness": _file(answer.witness, files),
    }


def _file(witness: Witness | None, files: Files) -> str | None:
    return None if witness is None else _path(witness.document, files)


def _path(document: Mapping[str, object], files: Files) -> str | None:
    path = files.get(str(document["digest"]))
    return None if path is None else str(path)
