"""Sheets of small elections for a class, with solutions whose verdicts the core has checked."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, permutations, zip_longest
from typing import TYPE_CHECKING, Final

from consistency_lab.core.orders import Order
from consistency_lab.frozen import frozen
from consistency_lab.show.text import Line, paragraph

if TYPE_CHECKING:
    from consistency_lab.data.draws import Stream

ON_SHEET: Final = ("linear", "logistic", "exponential", "difference-logistic")
"""The losses of a sheet; the first can be done by hand."""

_MOST: Final = 9
_ITEMS: Final = "ABC"


@frozen
class Exercise:
    """An election of three items with a majority in each pair, one best order, and scores without ties."""

    counts: tuple[tuple[int, ...], ...]  #: How often the row was preferred to the column.
    best: Order  #: The order that goes against the fewest comparisons.
    orders: tuple[Order, ...]  #: How each of `ON_SHEET` orders the items; certified where wrong or right.

    def against(self, order: Order) -> int:
        """How many comparisons an order goes against."""
        return _cost(self.counts, order)

    @property
    def winner(self) -> int | None:
        """The item that beats both others, if there is one."""
        a = self.counts
        return next((i for i in range(3) if all(a[i][j] > a[j][i] for j in range(3) if j != i)), None)

    def solution(self) -> list[str]:
        """The solution, a line each."""
        winner = "Nobody" if self.winner is None else _ITEMS[self.winner]
        lines = [f"{winner} beats both others. Best: {_named(self.best)}, against {self.against(self.best)}."]
        for name, order in zip(ON_SHEET, self.orders, strict=True):
            more = self.against(order) - self.against(self.best)
            lines.append(f"{name:20} {_named(order)}  {f'wrong, against {more} more' if more else 'right'}")
        return lines


def exercises(number: int, seed: int) -> Iterator[Exercise]:
    """Draw elections; in about half of them a loss is wrong."""
    from consistency_lab.data.draws import Stream

    stream = Stream(seed)
    for _ in range(number):
        wrong = bool(stream.random(1)[0] < 0.5)
        while (exercise := _drawn(stream)) is None or wrong == (set(exercise.orders) == {exercise.best}):
            pass
        yield exercise


def _drawn(stream: "Stream") -> Exercise | None:
    """The next election of the stream, if it has one clear solution."""
    six = [1 + int(x) for x in stream.random(6) * _MOST]
    a = ((0, six[0], six[1]), (six[2], 0, six[3]), (six[4], six[5], 0))
    cheap, dear = sorted(permutations(range(3)), key=lambda order: _cost(a, order))[:2]
    if any(a[i][j] == a[j][i] for i, j in combinations(range(3), 2)) or _cost(a, cheap) == _cost(a, dear):
        return None
    orders = [_certified(name, a, cheap) for name in ON_SHEET]
    return None if None in orders else Exercise(a, cheap, tuple(filter(None, orders)))


def _certified(name: str, a: tuple[tuple[int, ...], ...], best: Order) -> Order | None:
    """How a loss orders the items, if the core accepts that this is the best order, or that it is not."""
    from consistency_lab.certify.witness import certify
    from consistency_lab.model.distribution import Distribution
    from consistency_lab.model.surrogates import surrogate

    total = sum(map(sum, a))
    given = Distribution.from_aggregate([[Fraction(x, total) for x in row] for row in a], items=list(_ITEMS))
    witness = certify(surrogate(name), given)
    if witness is None:
        return None
    if not witness.inconsistent:
        return best
    return None if witness.failure == "tie" else tuple(witness.prediction)


def _cost(a: tuple[tuple[int, ...], ...], order: Order) -> int:
    return sum(a[j][i] for i, j in combinations(order, 2))


def _named(order: Order) -> str:
    return " > ".join(_ITEMS[i] for i in order)


def latex_sheet(number: int, seed: int, answers: bool) -> str:
    """The same sheet as the body of a LaTeX document: an item of a list for each election."""
    lines = [f"% exercises {number} --seed {seed}", _TASK.format(", ".join(ON_SHEET)), r"\begin{enumerate}"]
    for one in exercises(number, seed):
        lines += [r"\item\strut", r"\begin{tabular}[t]{c|ccc}", rf"& {' & '.join(_ITEMS)} \\ \hline"]
        for i, (name, row) in enumerate(zip(_ITEMS, one.counts, strict=True)):
            told = " & ".join("" if i == j else str(x) for j, x in enumerate(row))
            lines.append(rf"{name} & {told} \\")
        lines.append(r"\end{tabular}")
        if answers:
            solution = "\\\\\n".join(" ".join(line.split()).replace(">", "$>$") for line in one.solution())
            lines.append(rf"\par\noindent {solution}")
    return "\n".join([*lines, r"\end{enumerate}"])


_TASK: Final = (
    "In each election the row was preferred to the column so often. (a) Does an item beat both others? "
    "(b) Which order goes against the fewest comparisons? (c) How do these losses order the items, and "
    "which are right: {}?"
)


def sheet(number: int, seed: int, answers: bool, most: int | None = None) -> Iterator[Line]:
    """The lines of a sheet: what is asked, and the elections, at most so many, with or without solutions."""
    yield from paragraph(_TASK.format(", ".join(ON_SHEET)), indent=0)
    for k, one in enumerate(exercises(min(number, most or number), seed), start=1):
        rows = [f"{k:>3}.", *("    ", "    ", "    ")]
        table = ["     A  B  C"] + [
            f"  {name}" + "".join("  ." if i == j else f"{x:3}" for j, x in enumerate(row))
            for i, (name, row) in enumerate(zip(_ITEMS, one.counts, strict=True))
        ]
        yield ""
        solution = one.solution() if answers else []
        for left, right in zip_longest(map(str.__add__, rows, table), solution, fillvalue=""):
            yield f"{left:20}{right}".rstrip()
    asked = f"exercises {number} --seed {seed}"
    yield ""
    if most is not None and most < number:
        yield f"{number - most} more: {asked}{' --answers' if answers else ''} > FILE"
        return
    yield from paragraph(
        "Right and wrong are certified. Where a loss is wrong, its order rests on floats."
        if answers
        else f"Solutions: {asked} --answers",
        indent=0,
    )
