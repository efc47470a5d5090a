"""What the kernel found, in one line and as JSON; imports nothing but the kernel's own types."""

from typing import Final

from consistency_lab.kernel import Verified, VerifiedTask
from consistency_lab.report.naming import narrowest

_KINDS: Final = {"strict": "strict inversion", "tie": "tie", None: "right order"}
_UNITS: Final = {"zero-one": "classes", "matrix": "rows"}


def accepted_line(verified: Verified | VerifiedTask) -> str:
    """Claim, kind and gap."""
    if isinstance(verified, VerifiedTask):
        return _task_line(verified)
    certificate = "stationary" if verified.gap is None else f"separation, gap {float(verified.gap):.6g}"
    universal = ", for every convex phi" if verified.universal else ""
    return (
        f"{verified.claim} ({verified.surrogate}, {narrowest(verified.conditions)}, {verified.m} items), "
        f"{_KINDS[verified.failure]}, {certificate}{universal}"
    )


def accepted_document(verified: Verified | VerifiedTask) -> dict[str, object]:
    """All that the kernel derived."""
    if isinstance(verified, VerifiedTask):
        return _task_document(verified)
    return {
        "claim": verified.claim,
        "surrogate": verified.surrogate,
        "items": verified.m,
        "failure": verified.failure,
        "regret": str(verified.regret),
        "certificate": "stationary" if verified.gap is None else "separation",
        "gap": None if verified.gap is None else str(float(verified.gap)),
        "universal": verified.universal,
        "conditions": dict(verified.conditions),
        "convexity": list(verified.convexity),
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
