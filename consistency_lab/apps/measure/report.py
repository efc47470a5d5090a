"""How the numbers of `measure` read: text and JSON."""

from collections.abc import Iterator
from dataclasses import astuple
from fractions import Fraction
from functools import partial
from math import ceil, floor
from typing import TYPE_CHECKING, Annotated, Any, Final

from consistency_lab.apps.measure.rate import FailureRate, Rate
from consistency_lab.apps.measure.smallest import Level, Smallest
from consistency_lab.apps.measure.worst import Ends, OverRatio
from consistency_lab.apps.measure.worst_nearby import ClosedForm, WorstCase
from consistency_lab.certify.witness import Witness
from consistency_lab.model.conditions import CONDITIONS, whole
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.show.answer import EFFORT, SURROGATE
from consistency_lab.show.canvas import Picture
from consistency_lab.show.documents import Record
from consistency_lab.show.frontier import example_lines, labeled
from consistency_lab.show.text import Line, as_decimal, columns, flush, inset, number, paragraph
from consistency_lab.show.witness import Files, certificate_line, file_of, path_of, witness_block

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# --- The smallest witnesses, and what was gone through to prove it, as text and JSON ---------------------

_MAY: Final = {"effort": EFFORT}
_HEAD: Final = ("total", "aggregates", "suspect", "right", "tied", "wrong", "at infinity", "open")


def smallest_report(found: Smallest, files: Files, details: bool = False) -> Iterator[Line]:
    """The answer in a sentence, the example, and how much was gone through."""
    note = found.note[:1].upper() + found.note[1:]
    yield from paragraph(f"{headline(found)}. {note}.", 0)
    if found.witness is not None and found.witness is not found.strict:
        yield from paragraph(strict_sentence(found), 0)
    if found.witness is not None:
        yield from _example(found.witness, found.condition, files, details)
    if found.levels:
        gone, most = sum(level.aggregates for level in found.levels), found.levels[-1].total
        wrong = sum(level.wrong + level.ties for level in found.levels)
        yield ""
        yield from paragraph(
            f"Of {gone:,} data of at most {most} comparisons {wrong:,} are proved to fool it; those that "
            "differ by names of items or by a factor are counted once.",
            0,
        )


def smallest_details(found: Smallest, files: Files) -> Iterator[Line]:
    """The witnesses, and one row a total weight."""
    if found.witness is not None:
        yield from (*flush(certificate_line(found.witness)), "")
    if found.strict is not None and found.strict is not found.witness:
        title = f"The smallest strict inversion{'' if found.strict_proved else ' found'}"
        yield from (*witness_block(title, found.strict, files), "")
    if found.levels:
        yield "Aggregates by total weight, up to relabeling and multiples:"
        rows = [[f"{n:,}" for n in astuple(level)] for level in found.levels if level.aggregates]
        yield from columns([list(_HEAD), *rows], indent=2, right=range(len(_HEAD)))


def _example(witness: Witness, condition: str, files: Files, details: bool) -> Iterator[Line]:
    """The counts and scores of a witness, and its file."""
    yield ""
    yield from example_lines(witness, CONDITIONS[condition].title)
    path = path_of(witness.document, files)
    yield ""
    ways = "--worst   --rate" if details else "--worst   --rate   --details"
    yield from labeled("more:", ways + (f"\nshow {path}" if path else ""))


def headline(found: Smallest) -> str:
    """The answer in a sentence, but for its end."""
    title = CONDITIONS[found.condition].title
    if found.witness is None:
        return f"No data of {found.m} items that fool {found.surrogate.name} under {title} were found"
    tie = ", by a tie," if found.witness.verified.failure == "tie" else ""
    known = "" if found.proved else " found"
    fool = f"fool {found.surrogate.name}{tie or ','}"
    what = f"The smallest data{known} with {found.m} items that {fool} under {title}"
    return f"{what}, have {found.total} comparisons"


def strict_sentence(found: Smallest) -> str:
    """What is known of strict inversions where the lightest witness is a tie."""
    if found.strict is None:
        most = found.levels[-1].total if found.levels else 0
        return f"No strict inversion of total weight up to {most} was found."
    sure = "smallest" if found.strict_proved else "smallest found"
    return f"The {sure} strict inversion has total weight {found.strict_total}."


def _aggregate(witness: Witness | None) -> list[list[int]] | None:
    """The aggregate in its smallest whole numbers."""
    return None if witness is None else whole(witness.distribution.aggregate)


_LEVEL: Final = Record(
    Level, "total aggregates suspects=screened right=certified_right ties wrong at_infinity=escapes open"
)
_STRICT: Final = Record(
    Smallest,
    "total=strict_total proved=strict_proved aggregate=strict witness=strict",
    aggregate=_aggregate,
    witness=file_of,
)
smallest_document: Final = Record(
    Smallest,
    "total proved failure=witness.failure aggregate=witness witness strict=. open note levels",
    may=_MAY,
    aggregate=_aggregate,
    witness=file_of,
    strict=_STRICT,
    levels=_LEVEL,
)


# --- How often a surrogate fails, as text and JSON -------------------------------------------------------


def rate_report(found: Rate, files: Files, details: bool = False) -> Iterator[Line]:
    """The share with its interval, how it falls with the margin, and a witness for each kind of failure."""
    overall = found.overall
    distributions = f"the distributions with {found.m} items under {found.condition}"
    if overall.share is None:
        says = f"How often {found.surrogate.name} fails on {distributions} is unknown: no sample met it"
    else:
        says = (
            f"{found.surrogate.name} fails on {_percent(overall.share)} of {distributions} "
            f"(95 % interval {_interval(overall)})"
        )
    yield from flush(f"{says}: {found.note}.")
    if found.proved_zero is not None:
        yield from inset(f"The share is provably 0: {found.proved_zero}.")
    yield from inset(f"Sampling: {found.method}.")
    if overall.share is None:
        return
    yield ""
    yield "Where all |d_ij| are at least a share of the total weight:"
    head = ["share", "samples", "failures", "inverted", "tied", "rate", "95 % interval"]
    rows = [_row(share) for share in (overall, *found.by_margin)]
    yield from columns([head, *rows], indent=2, right=range(len(head)))
    for witness in found.witnesses[:1]:
        yield from _example(witness, found.condition, files, details)


def rate_details(found: Rate, files: Files) -> Iterator[Line]:
    """A witness for each other kind of failure, and why the first is certain."""
    for witness in found.witnesses[:1]:
        yield from flush(certificate_line(witness))
    for witness in found.witnesses[1:]:
        yield ""
        kind = "a tie" if witness.verified.failure == "tie" else "a strict inversion"
        yield from witness_block(f"Near a failing sample, {kind}", witness, files)


_SHARE: Final = Record(FailureRate, "margin samples failures strict ties share interval")
rate_document: Final = Record(
    Rate,
    " ".join(f"{key}=overall.{key}" for key in _SHARE.keys) + " by_margin witnesses method proved_zero note",
    may=_MAY,
    by_margin=_SHARE,
    witnesses=Record(Witness, "failure witness=.", witness=file_of),
)


def _row(share: FailureRate) -> list[str]:
    counts = [f"{n:,}" for n in (share.samples, share.failures, share.strict, share.ties)]
    return [str(share.margin), *counts, _percent(share.share), _interval(share)]


def _interval(share: FailureRate) -> str:
    return " to ".join(map(_percent, share.interval))


def _percent(share: float | None) -> str:
    return "unknown" if share is None else f"{100 * share:.2f} %"


# --- A worst case as text and JSON -----------------------------------------------------------------------


def worst_report(found: WorstCase, files: Files, details: bool = False) -> Iterator[Line]:
    """The bracket, where it is attained, the closed form, and the witness at the lower end."""
    design = "" if found.design == "any" else f" and {found.design}"
    what = f"The worst normalized regret of {found.surrogate.name} with {found.m} items"
    yield from flush(f"{what} under {found.condition}{design} {_bracket(found)}.")
    if found.witness is not None:
        seen = "as floats see it" if found.boxes else "by the theorem"
        how = "the witness shows it" if found.shown_strict else seen
        yield from inset(f"Attained: {found.attained} ({how}).")
    if found.closed_form is not None:
        form = found.closed_form
        sure = "proved" if form.proved else "conjectured"
        digits = "" if form.value == form.text else f" = {form.value}"
        yield from inset(f"Closed form, {sure}: {form.text}{digits}.")
    if found.margin:
        chance = number(found.margin + Fraction(1, 2))
        yield from inset(
            f"Still harmless: if each pair is won with a probability above {chance}, no order is wrong."
        )
    if found.witness is not None:
        yield from _example(found.witness, found.condition, files, details)


def worst_details(found: WorstCase, files: Files) -> Iterator[Line]:
    """The note, and why the witness is certain."""
    if found.note and found.boxes:
        yield from inset(f"Note: {found.note}.")
    if found.witness is not None:
        yield from flush(certificate_line(found.witness))


def _bracket(found: WorstCase) -> str:
    if found.finished and not found.boxes and found.upper is not None:
        exact = found.lower == found.upper
        ends = number(found.lower) if exact else f"{as_decimal(found.upper)} (a certified witness is near)"
        return f"is {ends}: {found.note}"
    if found.upper is None:
        proved = "nothing is proved about its upper end"
    elif found.upper == 0:
        return f"is 0 (proved; {found.boxes:,} boxes)"
    else:
        proved = f"{number(found.upper)} (proved; {found.boxes:,} boxes)"
    if found.witness is None:
        return f"is unknown: {proved}" if found.upper is None else f"is at most {proved}"
    lower = f"{number(found.lower)} (a certified witness)"
    return f"is at least {lower}; {proved}" if found.upper is None else f"lies between {lower} and {proved}"


worst_document: Final = Record(
    WorstCase,
    "lower upper attained strict closed_form boxes finished witness note margin",
    may=_MAY,
    about={"margin": "no order is wrong where each pair is won with a chance above 1/2 plus this"},
    closed_form=Record(ClosedForm, "text value proved"),
    witness=file_of,
)


# --- The worst case over the ratio of counts -------------------------------------------------------------


def over_report(found: OverRatio) -> Iterator[Line]:
    """One row a ratio, one column a surrogate and number of items."""
    yield from flush(
        f"The worst normalized regret under {found.condition} where no pair is compared more than r times "
        "another, in % of all preferences:"
    )
    yield ""
    curves = found.curves
    heads = [["", *(name for name, _ in curves)], ["r", *(f"{m} items" for _, m in curves)]]
    ratios = [str(end.ratio) for end in next(iter(curves.values()))]
    cells = zip(*([_percents(end) for end in ends] for ends in curves.values()), strict=True)
    rows = [[ratio, *row] for ratio, row in zip(ratios, cells, strict=True)]
    yield from columns([*heads, *rows], indent=2, right=range(len(curves) + 1))
    yield ""
    yield from flush(
        "The lower end is the regret of a witness that the core accepts, the upper end is proved; both are "
        "rounded outwards. --design ratio:R in place of --over shows and saves the witness."
    )


def _percents(end: Ends) -> str:
    """Both ends in percent with two digits, rounded outwards; one number if they agree."""
    low = floor(10_000 * end.lower)
    if end.upper is None:
        return f"at least {low / 100:.2f}"
    high = ceil(10_000 * end.upper)
    if end.lower == end.upper and low == high:
        return f"{low / 100:.2f}"
    return f"{low / 100:.2f} to {high / 100:.2f}"


over_document: Final = Record(
    OverRatio,
    "condition ends",
    format="consistency-lab/measure-over/1",
    ends=Record(Ends, "surrogate items=m ratio lower upper"),
)

_COLORS: Final = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e")
_STYLES: Final = ("-", "--", ":", "-.")


def over_plot(found: OverRatio) -> Picture:
    """The curves over the ratio, named at their right ends; a band where lower and upper end differ."""
    return Picture("What unequal counts can cost", 7.4, 4.4, partial(_draw_over, found))


def _draw_over(found: OverRatio, figure: "Figure") -> None:
    axes = figure.subplots()
    curves = found.curves
    names, sizes = (list(dict.fromkeys(key[k] for key in curves)) for k in (0, 1))
    labels: dict[tuple[int, ...], tuple[float, list[str]]] = {}
    for (name, m), ends in curves.items():
        color, style = _COLORS[names.index(name) % len(_COLORS)], _STYLES[sizes.index(m) % len(_STYLES)]
        r = [float(end.ratio) for end in ends]
        low = [100 * float(end.lower) for end in ends]
        high = [100 * float(end.lower if end.upper is None else end.upper) for end in ends]
        same = tuple(round(20 * x) for x in high)
        least = "" if all(end.upper is not None for end in ends) else " (at least)"
        labels.setdefault(same, (high[-1], []))[1].append(f"{name}, {m} items{least}")
        if len(labels[same][1]) > 1:
            continue  # one line for curves that agree
        axes.fill_between(r, low, high, color=color, alpha=0.3, lw=0)
        axes.plot(r, high, color=color, ls=style, marker="o", ms=3.5, lw=1.8, clip_on=False)
    for height, texts in labels.values():
        axes.annotate(
            "\n".join(texts), (r[-1], height), xytext=(8, 0), textcoords="offset points", va="center"
        )
    axes.set_xscale("log")
    axes.set_xticks(r, [f"{x:g}" for x in r])
    axes.minorticks_off()
    axes.set(xlim=(r[0], r[-1]))
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3, lw=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("the most compared pair over the least compared one (r)")
    axes.set_ylabel("preferences lost at worst, %")
    figure.suptitle(f"What unequal counts can cost ({found.condition})", fontsize=12)


# --- The document: what is asked, and under the names of its parts what was found ------------------------

_UNSUPPORTED: Final = Record(str, "unsupported=.")
search_document: Final = Record(
    Surrogate,
    "surrogate=. condition=. items=. design=.",
    format="consistency-lab/measure/1",
    may={
        "worst": Annotated[Any, worst_document, _UNSUPPORTED],
        "smallest": Annotated[Any, smallest_document, _UNSUPPORTED],
        "rate": Annotated[Any, rate_document, _UNSUPPORTED],
    },
    surrogate=SURROGATE,
    condition=(str, lambda _, condition, m, design="any": condition),
    items=(int, lambda _, condition, m, design="any": m),
    design=(str, lambda _, condition, m, design="any": design),
)
"""The question, as the head of a JSON document."""
