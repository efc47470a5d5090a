"""What the kernel found, in one line and as JSON; imports nothing but the kernel's own types."""

from consistency_lab.kernel import Verified
from consistency_lab.report.naming import narrowest


def accepted_line(verified: Verified) -> str:
    """Claim, kind and gap."""
    kind = {"strict": "strict inversion", "tie": "tie", None: "right order"}[verified.failure]
    certificate = "stationary" if verified.gap is None else f"separation, gap {float(verified.gap):.6g}"
    universal = ", for every convex phi" if verified.universal else ""
    return (
        f"{verified.claim} ({verified.surrogate}, {narrowest(verified.conditions)}, {verified.m} items), "
        f"{kind}, {certificate}{universal}"
    )


def accepted_document(verified: Verified) -> dict[str, object]:
    """All that the kernel derived."""
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
