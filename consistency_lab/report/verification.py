"""What was found of a file, in one line and as JSON; imports nothing but the records of what was found."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, Literal

from consistency_lab.core.orders import Sort
from consistency_lab.documents import Record
from consistency_lab.errors import printed
from consistency_lab.proofs.record import VerifiedProof

_KINDS: Final = {"strict": "strict inversion", "tie": "tie"}


def accepted_line(verified: VerifiedProof) -> str:
    """Two things: what the core proves, and which names were recomputed."""
    return f"proof: accepted, {claim_words(verified)}; named: {names_words(verified) or 'nothing'}"


def names_words(verified: VerifiedProof, joined: Callable[[Sequence[str]], str] = ", ".join) -> str:
    """What became of the names beside the proof; "" if there are none."""
    known = f"{joined(verified.recomputed)}: recomputed and equal" if verified.recomputed else ""
    unknown = f"{joined(list(map(printed, verified.unknown)))}: not known here" if verified.unknown else ""
    return "; ".join(filter(None, (known, unknown)))


def claim_words(verified: VerifiedProof) -> str:
    """What the core proves."""
    failure = str(verified.failure)
    kind = "" if verified.failure is None else f", {_KINDS.get(failure, failure)}"
    if not verified.about_preferences and verified.failure is not None:
        kind = f", {verified.failure}, regret {float(verified.regret):.6g}"
    reach = ", of everything near the infimum of W" if verified.every else ""
    reach += "; wrong for every convex phi with phi'(0) < 0" if verified.universal else ""
    if verified.attracting is not None:
        reach += ", attracting" if verified.attracting else ", not proved attracting"
    return f"{verified.claim} ({_size(verified)}){kind}{reach}"


_KEYS: Final = (
    "claim items=m failure regret least_regret every gap universal attracting surrogate conditions "
    "recomputed unknown convexity systems"
)
_GAP: Final = str | None, lambda gap: None if gap is None else str(float(gap))
_FILE: Final = str, lambda _, file: file
_STATUS: Final = Literal["ok"], lambda _: "ok"

accepted_document: Final = Record(VerifiedProof, _KEYS, gap=_GAP)
"""All that was derived."""

ACCEPTED: Final = Record(VerifiedProof, f"file=. status=. {_KEYS}", file=_FILE, status=_STATUS, gap=_GAP)
REFUSED: Final = Record(
    str,
    "file=. status=. reason=.",
    file=_FILE,
    status=(Literal["rejected", "unreadable"], lambda reason, file, status: status),
)
VERIFIED: Final = Record(
    list,
    "files=.",
    format="consistency-lab/verify/1",
    files=(list[Annotated[Any, ACCEPTED, REFUSED]], lambda files: files),
)
"""What `verify` says of its files, each of them `ACCEPTED` or `REFUSED`."""

SHOWN: Final = Record(
    VerifiedProof,
    f"file=. status=. {_KEYS}",
    format="consistency-lab/show/1",
    may={"reached_from_zero_in_floats": bool | None, "picture": str, "witness": dict[str, object]},
    file=_FILE,
    status=_STATUS,
    gap=_GAP,
)
"""What `show` says of a file."""


def _size(verified: VerifiedProof) -> str:
    if verified.proof is None:
        return f"{verified.systems} systems"
    what = "item" if isinstance(verified.proof.decoder, Sort) else "score"
    return f"{verified.m} {what}{'s' if verified.m > 1 else ''}"
