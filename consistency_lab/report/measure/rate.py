"""How often a surrogate fails, as text and JSON."""

from collections.abc import Iterator

from consistency_lab.measure.rate import Rate, Share
from consistency_lab.report.answer import Files
from consistency_lab.report.measure.smallest import file_of
from consistency_lab.report.text import Line, columns, paragraph
from consistency_lab.report.witness import saved, witness_block


def rate_report(found: Rate, files: Files) -> Iterator[Line]:
    """The share with its interval, how it falls with the margin, and a witness for each kind of failure."""
    overall = found.overall
    distributions = f"the distributions with {found.m} items under {found.condition}"
    if overall.share is None:
        says = f"How often {found.surrogate.name} fails on {distributions} is not known: no sample met it"
    else:
        says = (
            f"{found.surrogate.name} fails on {_percent(overall.share)} of {distributions} "
            f"(95 % interval {_interval(overall)})"
        )
    yield from paragraph(f"{says}: {found.note}.", indent=0, hanging=2)
    if found.proved_zero is not None:
        yield from paragraph(f"The share is 0 for certain: {found.proved_zero}.", indent=2, hanging=2)
    yield from paragraph(f"Sampling: {found.method}.", indent=2, hanging=2)
    if overall.share is None:
        return
    yield ""
    yield "Where all |d_ij| are at least a share of the total weight:"
    head = ["share", "samples", "failures", "inverted", "tied", "rate", "95 % interval"]
    rows = [_row(share) for share in (overall, *found.by_margin)]
    yield from columns([head, *rows], indent=2, right=range(len(head)))
    for witness in found.witnesses:
        yield ""
        kind = "a tie" if witness.verified.failure == "tie" else "a strict inversion"
        yield from witness_block(f"Near a failing sample, {kind}", witness)
        path = files.get(witness.digest)
        if path is not None:
            yield from saved(path)


def rate_document(found: Rate, files: Files) -> dict[str, object]:
    """The same as a JSON document."""
    return {
        **_share(found.overall),
        "by_margin": [_share(share) for share in found.by_margin],
        "witnesses": [
            {"failure": witness.verified.failure, "witness": file_of(witness, files)}
            for witness in found.witnesses
        ],
        "method": found.method,
        "proved_zero": found.proved_zero,
        "note": found.note,
    }


def _share(share: Share) -> dict[str, object]:
    return {
        "margin": str(share.margin),
        "samples": share.samples,
        "failures": share.failures,
        "strict": share.strict,
        "ties": share.ties,
        "share": share.share,
        "interval": list(share.interval),
    }


def _row(share: Share) -> list[str]:
    counts = [f"{n:,}" for n in (share.samples, share.failures, share.strict, share.ties)]
    return [str(share.margin), *counts, _percent(share.share), _interval(share)]


def _interval(share: Share) -> str:
    return " to ".join(map(_percent, share.interval))


def _percent(share: float | None) -> str:
    return "unknown" if share is None else f"{100 * share:.2f} %"
