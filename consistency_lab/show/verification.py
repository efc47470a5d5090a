"""What was found of files, in one line, on one screen and as JSON."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Annotated, Any, Final, Literal

from consistency_lab.certify.proofs.record import VerifiedProof
from consistency_lab.core.orders import Sort
from consistency_lab.errors import printed
from consistency_lab.show.documents import Record
from consistency_lab.shown import WIDTH

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
        kind += ", with the stated decoder" if verified.stated_decoder else ""
    reach = ", of everything near the infimum of W" if verified.every else ""
    reach += "; wrong for every convex phi with phi'(0) < 0" if verified.universal else ""
    reach += ", only for distributions in the cones of the file" if verified.cones else ""
    if verified.attracting is not None:
        reach += ", attracting" if verified.attracting else ", not proved attracting"
    return f"{verified.claim} ({_size(verified)}){kind}{reach}"


# --- Several files on one screen -------------------------------------------------------------------------

_OF_LABELS: Final = "inconsistent for labels"
_NOUNS: Final[Mapping[tuple[str, str | None], tuple[str, str]]] = {
    ("inconsistent", "strict"): ("strict inversion", "strict inversions"),
    ("inconsistent", "tie"): ("tie", "ties"),
    (_OF_LABELS, "strict"): ("wrong prediction", "wrong predictions"),
    (_OF_LABELS, "tie"): ("tie", "ties"),
    ("consistent-at-p", None): (
        "proof that a loss is right at its data",
        "proofs that losses are right at their data",
    ),
    ("wrong-equilibrium", "strict"): ("rest point in a wrong order", "rest points in a wrong order"),
    ("wrong-equilibrium", "tie"): ("rest point with a tie", "rest points with a tie"),
    ("infeasible", None): ("proof about a noise condition", "proofs about noise conditions"),
    ("link", None): ("proof that some decoder is right", "proofs that some decoder is right"),
    ("decoder", None): ("proof that a decoder is right", "proofs that decoders are right"),
    ("no-link", None): ("proof that no decoder is right", "proofs that no decoder is right"),
}
_DIGEST: Final = re.compile(r"(sha256:[0-9a-f]{8})[0-9a-f]+")
_MOST_REJECTED: Final = 4
_MOST_SIZES: Final = 4
_INDENT: Final = " " * 11


def summary(
    accepted: Sequence[VerifiedProof], rejected: Sequence[tuple[str, str]], files: int
) -> Iterator[str]:
    """How many files can be trusted, the first that cannot, and what the others prove."""
    unread = files - len(accepted) - len(rejected)
    told = [_are(len(rejected), "rejected")] if rejected else []
    told += [f"{unread:,} cannot be read"] if unread else []
    told += [_are(len(accepted), "accepted")] if accepted else []
    first = told[0].replace(" ", f" of {files:,} files ", 1)
    yield (
        f"All {files:,} files are accepted."
        if len(accepted) == files
        else f"{'; '.join([first, *told[1:]])}."
    )
    for number, (name, why) in enumerate(rejected[:_MOST_REJECTED]):
        yield from ("",) if number == 0 else ()
        yield from wrapped(name, f" {'rejected' if number == 0 else '':<8}  ", _INDENT)
        yield from wrapped(_DIGEST.sub(r"\1…", why), _INDENT, _INDENT, most=2)
    if len(rejected) > _MOST_REJECTED:
        yield f"{_INDENT}and {len(rejected) - _MOST_REJECTED:,} more"
    if accepted:
        yield ""
        yield from wrapped(_proved(accepted), " accepted  ", _INDENT)
        yield from wrapped(_names(accepted), _INDENT, _INDENT)
    yield from ("", " more: --details (a line per file)" + ("   show FILE" if accepted else ""))


def wrapped(text: str, first: str, later: str, most: int | None = None) -> list[str]:
    """Lines that break no name in two."""
    return wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=later,
        break_long_words=False,
        break_on_hyphens=False,
        max_lines=most,
        placeholder=" …",
    )


def _are(number: int, what: str) -> str:
    return f"{number:,} {'is' if number == 1 else 'are'} {what}"


def _proved(accepted: Sequence[VerifiedProof]) -> str:
    from consistency_lab.show.text import listed  # of several files

    kinds = Counter(_NOUNS[_kind(one), one.failure] for one in accepted).most_common()
    sizes = Counter(map(_size, accepted)).most_common()
    of = [f"{number:,} of {size}" for size, number in sizes[:_MOST_SIZES]]
    of += [f"{sum(n for _, n in sizes[_MOST_SIZES:]):,} of other sizes"] if sizes[_MOST_SIZES:] else []
    return f"{listed([f'{n:,} {noun[n != 1]}' for noun, n in kinds])}; {listed(of)}"


def _kind(one: VerifiedProof) -> str:
    return _OF_LABELS if one.claim == "inconsistent" and not one.about_preferences else one.claim


def _names(accepted: Sequence[VerifiedProof]) -> str:
    without = sum(bool(one.unknown) or not one.recomputed for one in accepted)
    if not without:
        return "Named conditions and losses were recomputed and are equal in all."
    told = "names that are not known here, or with none; the other names are recomputed and equal"
    return f"{without:,} with {told}."


_KEYS: Final = (
    "claim items=m failure regret least_regret every gap universal attracting surrogate conditions "
    "recomputed unknown convexity systems reports cones"
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
    may={
        "line1": str,
        "reached_from_zero_in_floats": bool | None,
        "picture": str,
        "witness": dict[str, object],
    },
    file=_FILE,
    status=_STATUS,
    gap=_GAP,
)
"""What `show` says of a file."""


def _size(verified: VerifiedProof) -> str:
    if verified.reports:
        return f"{verified.reports} report{'s' if verified.reports > 1 else ''}"
    if verified.proof is None:
        return f"{verified.systems} systems"
    what = "item" if isinstance(verified.proof.decoder, Sort) else "score"
    return f"{verified.m} {what}{'s' if verified.m > 1 else ''}"
