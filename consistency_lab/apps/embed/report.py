"""What `embed` tells a person, and as JSON."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from math import hypot
from pathlib import Path
from typing import TYPE_CHECKING, Final

from consistency_lab.apps.embed.embedding import DecoderDecision, Embedded, Embedding, LinkDecision, Linked
from consistency_lab.core.embedding import dot, kinks
from consistency_lab.errors import InputError
from consistency_lab.files import csv_text, write_atomic
from consistency_lab.model.polyhedral import ROWS, Polyhedral
from consistency_lab.show.canvas import Picture, drawable
from consistency_lab.show.documents import Record
from consistency_lab.show.pictures import AXES, Window
from consistency_lab.show.text import Line, columns, flush, inset, listed, paragraph, short
from consistency_lab.show.witness import Files

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FEW: Final = 3
_MOST: Final = 6
"""Most rows of a table without --details."""


def scores_text(embedding: Embedding, report: Embedded) -> str:
    """The weak order that the scores sort into, if no other report has the same; else their numbers."""
    names = embedding.psi.coordinates
    if not _sorts(embedding):
        told = ", ".join(short(x) for x in report.scores)
        return f"({told})" if len(names) > 1 else told
    levels: dict[Fraction, list[str]] = {}
    for name, score in zip(names, report.scores, strict=True):
        levels.setdefault(score, []).append(name)
    return " > ".join(" = ".join(levels[score]) for score in sorted(levels, reverse=True))


def _sorts(embedding: Embedding) -> bool:
    """Whether the reports are told apart by how they sort the coordinates."""
    orders = {
        tuple(sorted(set(report.scores)).index(x) for x in report.scores) for report in embedding.reports
    }
    differences = all(
        sum(n for _, n in v) == 0 for atoms in embedding.psi.psi for atom in atoms for v, _ in atom.pieces
    )
    return differences and len(orders) == len(embedding.reports) > 1


_WEAK_ORDERS: Final = {2: 3, 3: 13, 4: 75, 5: 541, 6: 4683}


def loss_name(embedding: Embedding) -> str:
    """What the embedded loss is known as, or how many reports it has."""
    count, d = len(embedding.reports), len(embedding.psi.coordinates)
    if _sorts(embedding):
        tied = any(len(set(report.scores)) == 1 for report in embedding.reports)
        if d > 2 and count == _WEAK_ORDERS.get(d, 0) - 1 and not tied:
            return f"a loss on {count:,} reports, all weak orders but that of equal scores"
    return f"a loss on {count:,} report{'s' if count > 1 else ''}"


def embed_answer(
    embedding: Embedding, decision: LinkDecision | None, asked: str, files: Files, details: bool
) -> Iterator[Line]:
    """Whether there is a decoder, the loss that the surrogate solves, and where it fails."""
    if decision is None:
        yield from flush(f"{asked} solves {loss_name(embedding)}.")
        yield ""
        yield from _reports(embedding, None, details)
    else:
        yield from _decided(embedding, decision, asked, details)
    line = ROWS.get(embedding.psi.name)
    if line is not None:
        # Of the smallest size nothing is claimed: two classes are one comparison.
        asked_for = "" if decision is None or embedding.psi.size == line.least else decision.target_name
        if asked_for in line.claims:
            yield from flush(f"Literature, for {asked_for}: {line.claims[asked_for]}.")
    yield ""
    for path in files.values():
        yield f" proof: {path}"
    yield " more: --details (all reports)   --json"


def _decided(embedding: Embedding, decision: LinkDecision, asked: str, details: bool) -> Iterator[Line]:
    target = decision.target_name
    where = f"under {decision.condition}" if decision.condition else "at every distribution"
    if decision.exists:
        yield from flush(f"Yes: some decoder of {asked} is right for {target}, {where}.")
        yield from inset(
            f"It solves {loss_name(embedding)}. At these scores predict as below; near them the same, by the "
            "link of Finocchiaro, Frongillo and Waggoner 2022."
        )
        yield ""
        yield from _reports(embedding, decision, details)
        return
    failing = decision.failing
    under = f", even {where}" if decision.condition else ""
    yield from flush(f"No decoder of {asked} is right for {target}{under}.")
    yield from inset(
        f"It solves {loss_name(embedding)}. At {len(failing):,} of these no prediction is right: they "
        f"minimize the risk of distributions {f'{where} ' if under else ''}that share no optimal prediction."
    )
    yield ""
    for k in failing if details else failing[:1]:
        yield from _failure(embedding, decision, embedding.reports[k], decision.links[k])
    if len(failing) > 1 and not details:
        others = [scores_text(embedding, embedding.reports[k]) for k in failing[1:]]
        told = others[:_MOST] + ([f"{len(others) - _MOST:,} more"] if len(others) > _MOST else [])
        yield from flush(f"The same holds at {listed(told)}.")


def _failure(embedding: Embedding, decision: LinkDecision, report: Embedded, link: Linked) -> Iterator[Line]:
    """Distributions that one report is a minimizer for, and what is optimal for each."""
    names, target = embedding.psi.labels, decision.target
    yield from flush(f"The scores {_numbers(embedding, report)} minimize the risk for each of these:")
    left, different = set(range(len(target.predictions))), dict.fromkeys(one.p for one in link.at)
    for number, p in enumerate(different):
        means = [dot(column, p) for column in zip(*target.rows, strict=True)]
        best = {t for t, mean in enumerate(means) if mean == min(means)}
        if best >= left and number:
            continue
        left &= best
        told = ", ".join(f"{names[y]}: {short(q)}" for y, q in enumerate(p) if q)
        optimal = [target.predictions[t] for t in sorted(best)]
        more = [f"{len(optimal) - _FEW} more"] if len(optimal) > _FEW else []
        yield from paragraph(f"{told} (best: {listed([*optimal[:_FEW], *more], 'or')})", 3, 2)
        if not left:
            break
    yield ""


def _numbers(embedding: Embedding, report: Embedded) -> str:
    return _scores(embedding, report.scores)


def _scores(embedding: Embedding, scores: Sequence[Fraction]) -> str:
    """Scores with the names of the coordinates."""
    names = embedding.psi.coordinates
    return ", ".join(f"{name}: {short(x)}" for name, x in zip(names, scores, strict=True))


def _reports(embedding: Embedding, decision: LinkDecision | None, details: bool) -> Iterator[Line]:
    shown = embedding.reports if details else embedding.reports[:_MOST]
    head = ["scores", *(["predict"] if decision else ["loss of " + ", ".join(embedding.psi.labels)[:40]])]
    rows: list[Sequence[str]] = [head]
    for k, report in enumerate(shown):
        link = decision.links[k] if decision else None
        if decision and link is not None and link.prediction is not None:
            second = decision.target.predictions[link.prediction]
        else:
            second = ", ".join(short(x) for x in report.losses)
        rows.append((_numbers(embedding, report), second))
    yield from columns(rows, 3)
    if len(shown) < len(embedding.reports):
        yield f"   and {len(embedding.reports) - len(shown):,} more"


def decoder_answer(decision: DecoderDecision, asked: str, decoder: str, files: Files) -> Iterator[Line]:
    """Whether a decoder is right, or where it is not."""
    link, at = decision.link, decision.at
    names, target = link.embedding.psi.labels, link.target_name
    if at is None:
        yield from flush(
            f"Yes: the decoder {decoder} of {asked} is right for {target}, at every distribution."
        )
        yield from inset(
            f"It solves {loss_name(link.embedding)}, and whatever the decoder may return at scores that are "
            f"least for some distribution is optimal for it: {len(decision.decoded):,} proofs."
        )
    else:
        assert decision.scores is not None
        told, better = link.target.predictions[decision.prediction], link.target.predictions[at.better]
        yield from flush(f"No: the decoder {decoder} of {asked} is wrong for {target}.")
        p = ", ".join(f"{names[y]}: {short(q)}" for y, q in enumerate(at.p) if q)
        yield from inset(
            f"The scores {_scores(link.embedding, decision.scores)} minimize the risk for {p}. It "
            f"{'' if decision.strict else 'may '}return{'s' if decision.strict else ''} {told} there, "
            f"and {better} is better."
        )
        other = "Another decoder is right" if link.exists else "No decoder is right either"
        yield from inset(f"{other}: leave --decoder out.")
    yield ""
    for path in files.values():
        yield f" proof: {path}"
    yield " more: --json"


def write_losses(embedding: Embedding, path: Path, warn: Callable[[str], None]) -> None:
    """Write the embedded loss: a row a label and a column a report, which a target may be read from."""
    psi = embedding.psi
    heads = [_scores(embedding, report.scores) for report in embedding.reports]
    columns = zip(psi.labels, *embedding.losses, strict=True)
    write_atomic(path, csv_text([["label", *heads], *columns], warn))
    warn(f"written: {path}")


# --- A picture -------------------------------------------------------------------------------------------

_SIZE: Final = (6.4, 6.4)
_LINKED: Final = "#1f77b4"
_FAILING: Final = "#d95f02"
_LONGEST: Final = 24


def embed_plot(embedding: Embedding, decision: LinkDecision | None) -> Picture:
    """The reports among the lines where two pieces are equal: of two scores, or of three up to a shift.

    InputError if there are more.
    """
    title = embedding.psi.name if decision is None else f"{embedding.psi.name}, {decision.target_name}"
    return Picture(title, *_SIZE, partial(_draw, embedding, decision, plane_of(embedding.psi), title))


def plane_of(psi: Polyhedral) -> tuple[Sequence[tuple[float, float]], str]:
    """Where a larger score of each coordinate leads, and this in words; InputError if no plane shows them."""
    names = drawable(psi.coordinates)
    if len(names) == 2:
        return ((1.0, 0.0), (0.0, 1.0)), f"{names[0]} grows to the right, {names[1]} upwards"
    if len(names) == 3 and all(sum(plane[:-1]) == 0 for plane in kinks(psi.psi)):
        return AXES, f"Scores up to a shift: {names[0]} up, {names[1]} lower left, {names[2]} lower right"
    raise InputError("a picture shows two scores, or three of which only differences count")


def _draw(
    embedding: Embedding,
    decision: LinkDecision | None,
    plane: tuple[Sequence[tuple[float, float]], str],
    title: str,
    figure: "Figure",
) -> None:
    axes, way = plane

    def at(numbers: Sequence[Fraction | int]) -> tuple[float, float]:
        x, y = (sum(float(n) * axis[k] for n, axis in zip(numbers, axes, strict=True)) for k in (0, 1))
        return x, y

    points = [at(report.scores) for report in embedding.reports]
    window, drawn = Window.around(points, 1.2), figure.add_subplot()
    far = 9 * window.half
    for plane_row in kinks(embedding.psi.psi):
        *normal, b = plane_row
        # Of three scores of mean zero u, <n, u> is 2/3 of the product of both points.
        (x, y), factor = at(normal), 1 if len(axes) == 2 else 2 / 3
        scale = factor * (x * x + y * y)
        foot = -b * x / scale, -b * y / scale
        length = hypot(x, y)
        ends = [(foot[0] - s * y / length, foot[1] + s * x / length) for s in (-far, far)]
        drawn.plot(*zip(*ends, strict=True), color="#999999", lw=0.8, zorder=1)
    for k, (report, point) in enumerate(zip(embedding.reports, points, strict=True)):
        link = None if decision is None else decision.links[k]
        fails = link is not None and link.prediction is None
        told = scores_text(embedding, report)
        if decision is not None and link is not None and link.prediction is not None:
            told = decision.target.predictions[link.prediction]
        drawn.plot(*point, marker="X" if fails else "o", ms=8, color=_FAILING if fails else _LINKED, zorder=3)
        told = drawable([told], _LONGEST)[0]
        drawn.annotate(told, point, xytext=(6, 5), textcoords="offset points", fontsize=8, parse_math=False)
    drawn.set(xlim=(window.x - window.half, window.x + window.half), xticks=[], yticks=[])
    drawn.set(ylim=(window.y - window.half, window.y + window.half), aspect="equal")
    drawn.set_xlabel(way, fontsize=9, parse_math=False)
    failing = decision is not None and decision.failing
    drawn.set_title(
        f"{title}{': X has no right prediction' if failing else ''}", fontsize=11, parse_math=False
    )


# --- JSON ------------------------------------------------------------------------------------------------

embed_document: Final = Record(
    Embedding,
    "surrogate=. labels=. coordinates=. hyperplanes vertices reports "
    "target=. condition=. link=. failing=. predictions=. file=.",
    format="consistency-lab/embed/1",
    surrogate=(str, lambda e: e.psi.name),
    labels=(list[str], lambda e: list(e.psi.labels)),
    coordinates=(list[str], lambda e: list(e.psi.coordinates)),
    reports=(
        list[dict[str, list[str]]],
        lambda found: [
            {
                "scores": list(map(str, one.scores)),
                "losses": list(map(str, one.losses)),
                "p": list(map(str, one.p)),
            }
            for one in found
        ],
    ),
    target=(str | None, lambda _, decision: decision and decision.target_name),
    condition=(str | None, lambda _, decision: (decision and decision.condition) or None),
    link=(bool | None, lambda _, decision: decision and decision.exists),
    failing=(list[int] | None, lambda _, decision: decision and list(decision.failing)),
    predictions=(
        list[str | None] | None,
        lambda _, decision: (
            decision
            and [
                None if one.prediction is None else decision.target.predictions[one.prediction]
                for one in decision.links
            ]
        ),
    ),
    file=(str | None, lambda _, decision, files: next(map(str, files.values()), None)),
)
"""The answer; `failing` are numbers of reports from 0, and `predictions` has one for each report."""


decoder_document: Final = Record(
    DecoderDecision,
    "surrogate=. target=. decoder=. right scores=. prediction=. better=. p=. strict=. file=.",
    format="consistency-lab/embed-decoder/1",
    surrogate=(str, lambda d: d.link.embedding.psi.name),
    target=(str, lambda d: d.link.target_name),
    decoder=(str, lambda _, called: called),
    scores=(list[str] | None, lambda d: None if d.right else list(map(str, d.scores))),
    prediction=(str | None, lambda d: None if d.right else d.link.target.predictions[d.prediction]),
    better=(str | None, lambda d: None if d.right else d.link.target.predictions[d.at.better]),
    p=(list[str] | None, lambda d: None if d.right else list(map(str, d.at.p))),
    strict=(bool | None, lambda d: None if d.right else d.strict),
    file=(str | None, lambda _, called, files: next(map(str, files.values()), None)),
)
"""The answer about a decoder; `scores` and what follows tell where it is wrong."""
