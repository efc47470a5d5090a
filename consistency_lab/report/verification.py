"""What was found of a file, in one line and as JSON; imports nothing but the records of what was found."""

from typing import Final

from consistency_lab.kernel import VerifiedTask
from consistency_lab.proofs.record import VerifiedProof

_KINDS: Final = {"strict": "strict inversion", "tie": "tie"}
_UNITS: Final = {"zero-one": "classes", "matrix": "rows"}


def accepted_line(verified: VerifiedTask | VerifiedProof) -> str:
    """Claim, kind of failure, and names."""
    return _task_line(verified) if isinstance(verified, VerifiedTask) else _proof_line(verified)


def accepted_document(verified: VerifiedTask | VerifiedProof) -> dict[str, object]:
    """All that was derived."""
    return _task_document(verified) if isinstance(verified, VerifiedTask) else _proof_document(verified)


def _proof_line(verified: VerifiedProof) -> str:
    """Two things: what the core proves, and which names were recomputed."""
    size = f"{verified.systems} systems" if verified.systems else f"{verified.m} items"
    kind = "" if verified.failure is None else f", {_KINDS[verified.failure]}"
    reach = ", of everything near the infimum of W" if verified.every else ""
    reach += ", for every convex phi" if verified.universal else ""
    names = []
    if verified.recomputed:
        names.append(f"{', '.join(verified.recomputed)}: recomputed and equal")
    if verified.unknown:
        names.append(f"{', '.join(verified.unknown)}: not known here")
    return f"proof: accepted, {verified.claim} ({size}){kind}{reach}; named: {'; '.join(names) or 'nothing'}"


def _proof_document(verified: VerifiedProof) -> dict[str, object]:
    return {
        "claim": verified.claim,
        "items": verified.m,
        "failure": verified.failure,
        "regret": str(verified.regret),
        "every": verified.every,
        "gap": None if verified.gap is None else str(float(verified.gap)),
        "universal": verified.universal,
        "surrogate": verified.surrogate,
        "conditions": dict(verified.conditions),
        "recomputed": list(verified.recomputed),
        "unknown": list(verified.unknown),
        "convexity": list(verified.convexity),
        "systems": verified.systems,
    }


def size(verified: VerifiedTask) -> str:
    """How large the task is, in words."""
    return f"{verified.m} {_UNITS.get(verified.target, 'items')}"


def _task_line(verified: VerifiedTask) -> str:
    family = "" if verified.family == verified.surrogate else f" [{verified.family}]"
    kind = "tie" if verified.failure == "tie" else "strict"
    # None where there is no field.
    attracting = {True: " (attracting)", False: " (not proved attracting)", None: ""}[verified.attracting]
    return (
        f"{verified.claim} for {verified.target} ({verified.surrogate}{family}, {verified.condition}, "
        f"{size(verified)}), {kind}, regret {float(verified.regret):.6g}, {verified.certificate}{attracting}"
    )


def _task_document(verified: VerifiedTask) -> dict[str, object]:
    return {
        "claim": verified.claim,
        "target": verified.target,
        "surrogate": verified.surrogate,
        "family": verified.family,
        "decoder": verified.decoder,
        "condition": verified.condition,
        "size": verified.m,
        "labels": verified.labels,
        "failure": verified.failure,
        "regret": str(verified.regret),
        "certificate": verified.certificate,
        "attracting": verified.attracting,
        "convexity": list(verified.convexity),
    }
