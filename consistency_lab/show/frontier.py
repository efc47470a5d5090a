"""Where a surrogate of preference graphs is right or wrong, on one screen; and the map of many."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from textwrap import wrap
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from consistency_lab.certify.witness import Witness
from consistency_lab.core.document import TIE
from consistency_lab.decide.answers import (
    COUNTS,
    SUPPORT,
    Answer,
    Decision,
    NamePair,
    Verdict,
    lies_inside,
    narrowest,
    widest,
)
from consistency_lab.decide.cases import GraphCase
from consistency_lab.decide.frontier import known
from consistency_lab.decide.remedies import library_replacement, replacement, surplus_is_right
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import CONDITIONS, whole
from consistency_lab.model.designs import DESIGNS, design
from consistency_lab.model.surrogates import AnswerSurrogate, Surrogate, surrogate
from consistency_lab.model.surrogates.families import Loss
from consistency_lab.model.surrogates.tasks.libraries import PAIR_LIBRARIES, PairEntry
from consistency_lab.numbers.exact import LogRational, integer_multiple
from consistency_lab.numbers.phi import OF_ANSWERS
from consistency_lab.search.effort import Effort
from consistency_lab.show.text import (
    Grid,
    Line,
    Paragraph,
    beside,
    chain,
    columns,
    decimal,
    fitted,
    listed,
    short_citation,
    tabular,
    typed,
    with_names,
)
from consistency_lab.show.witness import WORDS, Files, caveat, file_of, percent
from consistency_lab.shown import WIDTH

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from consistency_lab.show.canvas import Picture


SST: Final = "strong-stochastic-transitivity"
_KNOWN_BEST: Final = (
    *("bradley-terry", "additive", "low-noise", "row-dominated", "net-order", "acyclic"),
    *("strong-stochastic-transitivity", "auc", "any"),
)
_ORDER: Final = tuple(dict.fromkeys((*_KNOWN_BEST, *CONDITIONS)))
"""The conditions in the order of the rows, those that people know best first."""

_HEAD: Final = ("", "preferences", "pairs compared", "items", "theorem or example")
_MOST_OPEN: Final = 3
_MANY: Final = 8
"""With more rows than this, those about few items are one row."""

MAX_DRAWN: Final = 6
"""More items than this are told in a sentence, without a matrix."""


@frozen
class _View:
    """The answers that say more than others."""

    right: tuple[Answer, ...]
    few: tuple[Answer, ...]  #: Right for one number of items, and not implied by the others.
    wrong: tuple[Answer, ...]
    open: tuple[Answer, ...]

    @classmethod
    def of(cls, decision: Decision) -> "_View":
        known = decision.frontier
        if known is not None:
            return cls(known.right, known.right_of_few, known.wrong, widest(known.answers, Verdict.UNDECIDED))
        # All have one design, which need not be one of the table.
        plain = [replace(one, design="any") for one in decision.answers]
        parts = widest(plain, Verdict.CONSISTENT), (), narrowest(plain)
        every = (*parts, tuple(one for one in plain if one.verdict is Verdict.UNDECIDED))
        return cls(*(tuple(replace(one, design=decision.design) for one in part) for part in every))

    @property
    def shown(self) -> tuple[Answer, ...]:
        """All of them; what is right however often pairs are compared is so at the counts of a file."""
        every = (*self.right, *self.few, *self.wrong, *self.open)
        return tuple(replace(one, design="any") if _of_file(one) else one for one in every)


def screen(
    decision: Decision,
    asked: str,
    entry: PairEntry | None,
    files: Files,
    note: str = "",
    details: bool = False,
) -> Iterator[Line]:
    """The answer; if too long, without results for few items, then without the meaning of the word."""
    ways = () if details else ("--details",)
    view = _View.of(decision)
    example = _example(view)
    witness = None if example is None else example.witness

    def page(shorter: int) -> Iterator[Line]:
        second = note or (translated(decision.surrogate, asked, entry) if shorter < 2 else "")
        yield from (Paragraph(text, 0, 0) for text in (first_line(decision, asked), second) if text)
        yield from ("", *rows(replace(view, few=()) if shorter else view, witness), "")
        if decision.frontier is None or not view.wrong:
            for reason in dict.fromkeys(one.reason for one in view.open):
                yield from (*labeled("open:", reason), "")
        if example is not None and witness is not None:
            yield from (*example_lines(witness, CONDITIONS[example.condition].title), "")
        yield from labeled("instead:", _instead(decision, view, entry))
        yield from labeled("more:", _more(view, witness, files, ways))

    yield from fitted([*page(shorter)] for shorter in range(3))


def example_of(decision: Decision) -> Witness | None:
    """The example that the screen shows."""
    example = _example(_View.of(decision))
    return None if example is None else example.witness


def told(decision: Decision, asked: str, entry: PairEntry | None) -> dict[str, object]:
    """What the screen says first, for JSON."""
    view = _View.of(decision)
    table = [line.rows[1:] for line in rows(view, None) if isinstance(line, Grid)]
    return {
        "line1": first_line(decision, asked),
        "rows": [list(row) for part in table for row in part],
        "instead": _instead(decision, view, entry),
    }


def first_line(decision: Decision, asked: str) -> str:
    """Where it is right, and whether it can be wrong."""
    view = _View.of(decision)
    right = f"{asked} is right {listed([_where(one) for one in view.right])}"
    if decision.frontier is None:
        wrong = f"can be wrong {listed([_where(one, wrong=True) for one in view.wrong])}"
        if view.right:
            return f"{right}{f'; it {wrong}' if view.wrong else ''}{caveat(decision)}."
        return f"{asked} {wrong}." if view.wrong else f"{asked} is open: no theorem or example is known here."
    best = min(view.right, key=_fame, default=None)
    if best is None and not view.wrong:
        return f"{asked} is open: neither a theorem nor an example is known here."
    if best is None and view.open:
        return f"{asked} can be wrong{_even(view)[1]}; where it is right is open."
    if best is None:
        fewest = min(one.witness.distribution.m for one in view.wrong if one.witness is not None)
        return f"{asked} can be wrong whatever the preferences, even with {fewest} items."
    right = f"{asked} is right {_where(best)}"
    if best.pair == ("any", "any"):
        return f"{right}{caveat(decision)}."
    if not view.wrong:
        return f"{right}; the rest is open."
    return f"{right}; otherwise it can be wrong{_even(view)[1]}."


_EVEN: Final = (
    (("additive", "balanced"), ", even at equal counts"),
    (("bradley-terry", "any"), ", even under Bradley-Terry"),
    (("any", "any"), ""),
)
"""What shows most clearly how little is needed."""


def _even(view: _View) -> tuple[NamePair, str]:
    """The first row of `_EVEN` at which the loss is wrong."""
    return next(row for row in _EVEN if any(lies_inside(one.pair, row[0]) for one in view.wrong))


_WIDE: Final = ("any", "balanced", "forest", "product", "complete")
_FAMOUS: Final = ("any", "acyclic", "bradley-terry", "net-order")


def _fame(answer: Answer) -> tuple[int, int, int]:
    """The place in which a reader asks for it: first however often pairs are compared."""
    name = answer.condition
    famous = _FAMOUS.index(name) if name in _FAMOUS else len(_FAMOUS)
    return _WIDE.index(answer.design), famous, -rank(name)


def _where(answer: Answer, *, wrong: bool = False) -> str:
    name, few = answer.condition, "" if answer.scope.startswith("all") else answer.scope
    under = f"under {CONDITIONS[name].title}"
    if name in ("acyclic", SST):
        under = f"for {'' if wrong else 'all '}{CONDITIONS[name].title} preferences"
    if name == "any":
        under = "" if wrong else "for all preferences"
    told = {
        "any": under if wrong or name in _FAMOUS[:3] else f"{under}, however often pairs are compared",
        "balanced": f"at equal counts {under}",
        "forest": "if the compared pairs form no cycle" if name == "any" else f"{under} without cycles",
        "product": f"{under} if pairs are compared by popularity",
        "complete": f"{under} if all pairs are compared",
    }.get(answer.design, f"{under} if pairs are compared {often(answer.design)}")
    items = f" with {few.removeprefix('m = ')} items" if few and not wrong and not _of_file(answer) else ""
    return f"{told.strip()}{items}" or "in general"


def _of_file(answer: Answer) -> bool:
    return answer.design.startswith((COUNTS, SUPPORT))


def often(name: str) -> str:
    """How often pairs are compared, by a design or as in a file."""
    for prefix, words in ((COUNTS, "as often as in"), (SUPPORT, "only as in")):
        if name.startswith(prefix):
            return f"{words} {name.removeprefix(prefix)}"
    return design(name).title


def translated(loss: Loss, asked: str, entry: PairEntry | None) -> str:
    """What the user's word stands for, if the loss has another name here, or more than one function."""
    assert isinstance(loss, Surrogate)
    phi = typed(str(loss.functions[-1]))
    # Of answers one by one, or beside another function, phi alone would be taken for the loss of a pair.
    of_pairs = len(loss.functions) == 1 and type(loss) is not AnswerSurrogate
    formula = f", phi(x) = {phi}" if of_pairs else ""
    if entry is not None:
        library = f"{entry.library.upper()} {entry.release.version}"
        smoothing = entry.defaults.get("label_smoothing")
        at = f" at its default label_smoothing = {float(smoothing):g}" if smoothing is not None else ""
        return f"In {library}: {entry.objective}. It is the {loss.name} loss{at}{formula}."
    namesake = PAIR_LIBRARIES.get(f"trl:{asked}")
    if namesake is not None and namesake.loss not in (None, loss.name):
        return f"In TRL, {asked} is another loss ({namesake.loss}): check {namesake.name}."
    if asked == loss.name:
        return f"It has{formula[1:]}." if formula and asked in OF_ANSWERS else ""
    called = loss.name != str(loss.functions[-1])
    return f"It is the {loss.name} loss{formula}." if called else f"Read as phi(x) = {phi}."


# --- Rows ------------------------------------------------------------------------------------------------


def rows(view: _View, example: Witness | None) -> list[Line]:
    """The widest pairs that are right, the narrowest that are wrong, and the widest that are open."""
    found, few = (
        [_row(one, _items(one), short_citation(one.citation)) for one in sorted(part, key=_place)]
        for part in (view.right, view.few)
    )
    crowded = sum(map(len, (view.right, view.few, view.wrong, view.open))) > _MANY
    if crowded and few:  # as one row: `3: Bradley-Terry; 2: any`
        told = "; ".join(f"{items}: {name}" for _, name, _, items, _ in few)
        few = [(few[0][0], told, few[0][2], "few", f"{len(few)} theorems")]
    found += few
    by_witness: dict[str, Answer] = {}
    for one in sorted(view.wrong, key=_place):
        by_witness.setdefault(one.witness.digest if one.witness else "", one)
    for one in by_witness.values():
        witness = one.witness
        assert witness is not None
        told = comparisons(witness) + (", below" if witness == example else "")
        told += ", a tie" if witness.failure == TIE else ""
        found.append(_row(one, str(witness.distribution.m), told))
    found += [_row(one, "any", "none known here") for one in view.open[:_MOST_OPEN]]
    if len(view.open) > _MOST_OPEN:
        found.append(("", f"and {len(view.open) - _MOST_OPEN} more", "", "", "--details"))
    return tabular([_HEAD, *found], indent=1)


def _row(answer: Answer, items: str, evidence: str) -> tuple[str, ...]:
    if items == "2" and answer.verdict is Verdict.INCONSISTENT:  # two items have every condition and design
        return WORDS[answer.verdict], "all", "however often", items, evidence
    title = CONDITIONS[answer.condition].title
    counts = "as in the file" if _of_file(answer) else often(answer.design)
    return WORDS[answer.verdict], title, counts, items, evidence


def _place(answer: Answer) -> tuple[int, int]:
    design = _WIDE.index(answer.design) if answer.design in _WIDE else len(_WIDE)
    return rank(answer.condition), design


def rank(condition: str) -> int:
    """The place of a condition among rows: behind the best known, the others in the order of the table."""
    return _ORDER.index(condition) if condition in _ORDER else len(_ORDER) + [*CONDITIONS].index(condition)


def _items(answer: Answer) -> str:
    number = answer.scope.removeprefix("m = ").split()[0].rstrip(",")
    return "any" if number == "all" else number


def comparisons(witness: Witness) -> str:
    """How many there are, in the smallest whole numbers."""
    total = sum(map(sum, whole(witness.distribution.aggregate)))
    return f"{total:,} comparison{'s' if total > 1 else ''}"


# --- An example ------------------------------------------------------------------------------------------


def _example(view: _View) -> Answer | None:
    """The lightest that refutes what the first line calls wrong."""
    refuting = [
        one for one in view.wrong if one.design not in DESIGNS or lies_inside(one.pair, _even(view)[0])
    ]
    return min(sorted(refuting, key=_place), key=lambda one: sum(map(sum, counts(one) or ())), default=None)


def example_lines(witness: Witness, preferences: str) -> list[str]:
    """A matrix of comparisons with scores, and beside it what is wrong."""
    p = witness.distribution
    kind = "" if preferences == "any" else f"{preferences}; "
    title = f" Example, {comparisons(witness)} ({kind}row beats column):"
    told = _told(witness)
    if p.m > MAX_DRAWN:
        return [title, *wrap(told, WIDTH - 1, initial_indent=" ", subsequent_indent=" ")]
    return [title, *beside(matrix_lines(witness), told)]


def matrix_lines(witness: Witness) -> list[str]:
    """The comparisons in whole numbers, and the scores if some are stated."""
    p = witness.distribution
    body = with_names([[Fraction(x) for x in row] for row in whole(p.aggregate)], p.items)
    if witness.scores:
        body = [[*row, x] for row, x in zip(body, ["score", *distinct(witness.scores)], strict=True)]
    return columns(body, indent=3, right=range(1, p.m + 2))


def distinct(scores: Sequence[LogRational | Fraction]) -> list[str]:
    """With two digits, or so many that different scores look different."""
    different = len({decimal(x, 12) for x in scores})
    every = ([decimal(x, digits) for x in scores] for digits in range(2, 13))
    return next(shown for shown in every if len(set(shown)) == different)


def _told(witness: Witness) -> str:
    """What is wrong, the right order, and what the scores' order costs."""
    names, a = witness.distribution.items, whole(witness.distribution.aggregate)
    order = chain(names, witness.better)
    only = witness.optimum.count() == 1
    right = f"{'The right' if only else 'A best'} order is {order}"
    _, scale = integer_multiple(x for row in witness.distribution.aggregate for x in row)
    cost = witness.verified.regret * scale
    more = f"{cost} comparison{'s' if cost != 1 else ''} more, {percent(witness.normalized_regret)} of all"
    if not witness.wrong_pairs:
        return f"The scores' order goes against {more}. {right}. Certified."
    i, j = witness.wrong_pairs[0]
    beats = f"{names[i]} beats {names[j]} by {a[i][j]} : {a[j][i]}"
    if witness.failure == TIE:
        return (
            f"{beats}, but both have one score, and scores as near as you like are in the wrong order, "
            f"against {more}. {right}. Certified."
        )
    wrong = f"but {names[j]} has the higher score" if witness.scores else f"but {names[j]} ends up above"
    return f"{beats}, {wrong}. {right}; the scores' order goes against {more}. Certified."


# --- What instead, and what else to type -----------------------------------------------------------------


_PRICE: Final = "its scores may grow without bound"


def _instead(decision: Decision, view: _View, entry: PairEntry | None) -> str:
    loss = decision.surrogate
    if not decision.convex:
        return f"difference-logistic is convex, and right for all acyclic preferences; {_PRICE}."
    if not view.wrong and not view.open:
        return ""
    if entry is not None:
        better = library_replacement(view.shown, entry)
        if better is not None:
            more = (
                f"right wherever {entry.objective} is, and more"
                if view.right
                else "proved right in more cases"
            )
            return f"{better.name} ({better.loss}), {more}."
        if surplus_is_right(loss):
            return (
                "keep only each pair's surplus (3 : 1 becomes 2 : 0): right for all acyclic preferences; "
                "rewards may then grow without bound."
            )
    other = replacement(view.shown)
    if other is not None:
        return f"{other}, right wherever this is, and for all acyclic preferences; {_PRICE}."
    if decision.prescriptions:
        advice = decision.prescriptions[-1]
        return f"{advice.surrogate.name}, right under {CONDITIONS[advice.condition].title}: {advice.how}."
    return ""


def _more(view: _View, example: Witness | None, files: Files, ways: tuple[str, ...]) -> str:
    known = any(one.condition == "net-order" for one in (*view.right, *view.wrong))
    words = [*ways, *([f'explain "{CONDITIONS["net-order"].title}"'] if known else [])]
    path = file_of(example, files)
    return "\n".join(filter(None, ("   ".join(words), f"show {path}" if path else "")))


def labeled(label: str, text: str) -> Iterator[Line]:
    """A paragraph behind a word that says what it is; a line of its own for each line of the text."""
    room = max(len("instead:"), len(label)) + 2
    for number, line in enumerate(text.split("\n") if text else ()):
        start = f" {label:<{room - 1}}" if number == 0 else " " * room
        later = " " * room
        yield from wrap(line, WIDTH, initial_indent=start, subsequent_indent=later, break_on_hyphens=False)


# --- The map: which convex loss is right where, each cell a theorem or a certified example ----------------

MAPPED: Final = (
    *("hinge", "squared-hinge", "square", "smoothed-hinge", "huberized-hinge", "logistic", "exponential"),
    *("linear", "regression", "difference-logistic", "difference-square", "difference-hinge"),
    *("cdpo", "simpo", "bco"),
)
"""The rows: the convex scalar losses with a name, on edges; then other losses of preferences."""

COLUMNS: Final[Mapping[NamePair, tuple[str, str, str]]] = MappingProxyType(
    {
        ("bradley-terry", "any"): ("Bradley", "-Terry", "any"),
        ("net-order", "balanced"): ("net", "order", "equal"),
        ("strong-stochastic-transitivity", "product"): ("strong", "trans.", "popul."),
        ("auc", "complete"): ("AUC", "", "all"),
        ("any", "forest"): ("any", "", "trees"),
        ("additive", "product"): ("addit.", "noise", "popul."),
        ("acyclic", "balanced"): ("acyclic", "", "equal"),
        ("acyclic", "any"): ("acyclic", "", "any"),
    }
)
"""The columns: a condition and a design, with the lines of their head."""

_ITEMS: Final = (2, 3, 4)
_LEGEND: Final = (
    " Pairs are compared any number of times, equally often, by popularity, all at",
    " least once, or as trees: without a cycle. A wrong cell has a certified example.",
    " more: check LOSS   list --map --json",
)


@cache
def the_map() -> Mapping[str, Mapping[NamePair, Answer]]:
    """All cells by loss, without a search."""
    cells = {
        name: known(GraphCase(surrogate(name), (), Effort(), 0, f"check {name}", _ITEMS), COLUMNS)
        for name in MAPPED
    }
    return MappingProxyType(cells)


def map_lines() -> Iterator[str]:
    """As a table on one screen."""
    yield "Which loss orders items right, whatever their number: right, wrong or open."
    sides = ("preferences", "", "pairs compared")
    for line, side in enumerate(sides):
        yield _map_row(side, (head[line] for head in COLUMNS.values()))
    for name, row in the_map().items():
        yield _map_row(name, (WORDS[answer.verdict] for answer in row.values()))
    yield from ("", *_LEGEND)


def _map_row(name: str, texts: Iterator[str]) -> str:
    wide = (max(map(len, head)) for head in COLUMNS.values())
    line = " ".join(f"{text:<{width}}" for text, width in zip(texts, wide, strict=True))
    return f" {name:<19} {line}".rstrip()


def map_records() -> list[dict[str, object]]:
    """All cells as JSON objects, each with its theorem or the counts of its example."""
    keys = ("condition", "design", "verdict", "scope", "citation")
    return [
        {"loss": name, **{key: str(getattr(answer, key)) for key in keys}, "counts": counts(answer)}
        for name, row in the_map().items()
        for answer in row.values()
    ]


def counts(answer: Answer) -> list[list[int]] | None:
    """Of the example, in the smallest whole numbers: row beats column."""
    return None if answer.witness is None else whole(answer.witness.distribution.aggregate)


def map_picture() -> "Picture":
    """All cells in colors, each with its word; a file of it names each cell's verdict as an id."""
    from consistency_lab.show.canvas import Picture
    from consistency_lab.show.pictures import SLIDE

    return Picture("Which loss is right where", *SLIDE, _draw_map)


def _draw_map(figure: "Figure") -> None:
    from matplotlib.patches import Rectangle

    from consistency_lab.show.pictures import RIGHT, WRONG

    colors = {"right": RIGHT, "wrong": WRONG, "open": "white"}
    axes = figure.add_subplot()
    for y, (name, row) in enumerate(the_map().items()):
        for x, (pair, answer) in enumerate(row.items()):
            word = WORDS[answer.verdict]
            box = Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colors[word], edgecolor="#777777")
            box.set_gid(" ".join((name, *pair, word)).replace(" ", "_"))
            axes.add_patch(box)
            axes.text(x, y, word, ha="center", va="center")
    heads = ["\n".join(filter(None, head)) for head in COLUMNS.values()]
    axes.set_xticks(range(len(COLUMNS)), heads)
    axes.set_yticks(range(len(MAPPED)), MAPPED)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.set(xlim=(-0.5, len(COLUMNS) - 0.5), ylim=(len(MAPPED) - 0.5, -0.5))
