"""What the page on how many scores are needed computes, and what refutes its false variants."""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations, permutations
from typing import Final, NamedTuple, final

from consistency_lab.apps.book.rat13 import expected_scores, law, losses, optimal, ranking, regret, text
from consistency_lab.apps.book.rat13 import numbers as listed
from consistency_lab.apps.book.statement import Line, Refutation
from consistency_lab.decide.answers import Verdict
from consistency_lab.decide.tasks import decide_task
from consistency_lab.model.labels import Label
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.construction import Offsets, construct, least_dimensions
from consistency_lab.model.tasks.discrete import LossMatrix, matrix_of
from consistency_lab.model.tasks.task import Prediction, Task
from consistency_lab.numbers.exact.linear import common_denominator, integer_rank

_ONE: Final = Fraction(1)


def fewest(matrix: LossMatrix, p: tuple[Fraction, ...]) -> int:
    """What the theorem says at p: no convex calibrated surrogate has fewer scores."""
    held = [y for y, q in enumerate(p) if q]
    columns = [[matrix.rows[y][t] for y in held] for t in range(len(matrix.predictions))]
    costs = [sum((p[y] * x for y, x in zip(held, column, strict=True)), Fraction(0)) for column in columns]
    best = [column for column, cost in zip(columns, costs, strict=True) if cost == min(costs)]
    gaps = [[x - z for x, z in zip(column, best[0], strict=True)] for column in best]
    return integer_rank(common_denominator([[_ONE] * len(held), *gaps])[0]) - 1


@final
class _Case(NamedTuple):
    name: str
    target: str
    labels: tuple[int, ...] | str | None
    sizes: tuple[int, ...]
    more: tuple[int, ...]  #: The sizes at which more scores than items are needed.

    def numbers(self, r: int) -> tuple[int, int]:
        """At least, by the theorem where all labels are alike, and enough, by RAT13 Theorem 3."""
        matrix = matrix_of(target(self.target, items=r, labels=self.labels))
        n = len(matrix.labels)
        return fewest(matrix, (Fraction(1, n),) * n), least_dimensions(matrix).of[Offsets.BOTH]


_CASES: Final = (
    _Case("0-1 loss", "zero-one", None, (2, 3, 4, 5), ()),
    _Case("P@1", "wta", (0, 1), (2, 3, 4), ()),
    _Case("ERU, grades 0..2", "eru", (0, 1, 2), (2, 3, 4), ()),
    _Case("MAP", "map", (0, 1), (2, 3, 4, 5), (3, 4, 5)),
    _Case("ERR, grades 0..1", "err", (0, 1), (2, 3, 4), (3, 4)),
    _Case("PD, rankings", "pairwise", "rankings", (2, 3, 4), (4,)),
    _Case("PD, all DAGs", "pairwise", "dags", (2, 3, 4), (4,)),
)


def numbers() -> Iterator[Mapping[str, str] | Line]:
    found = [(one, r, *one.numbers(r)) for one in _CASES for r in one.sizes]
    yield {"matrices": str(len(found))}
    for one in _CASES:
        mine = [(low, enough) for case, _, low, enough in found if case is one]
        shown = ", ".join(str(low) for low, _ in mine)
        yield Line(
            f"{one.name}: {shown}   (r = {', '.join(map(str, one.sizes))})",
            all(low == enough for low, enough in mine),
        )


def all_predictions() -> Refutation:
    matrix = matrix_of(target("wta", items=3, labels=(0, 1)))
    enough = construct(matrix).dimension
    return Refutation(
        enough == 2 and len(matrix.predictions) == 6,
        "P@1 of three items: 6 predictions, and 2 scores are enough",
    )


def plain_rank() -> Refutation:
    rows = tuple(tuple(Fraction(y != t) for t in range(3)) for y in range(3))
    found = construct(LossMatrix(tuple("abc"), tuple("abc"), rows))
    return Refutation(
        found.dimension == 2 and integer_rank([[int(x) for x in row] for row in rows]) == 3,
        "two scores do, and the rank is 3",
    )


def too_many() -> Iterator[Line | bool]:
    for one in _CASES:
        for r in one.sizes:
            low, _ = one.numbers(r)
            if r in one.more:
                yield Line(f"{one.name}, r = {r}: at least {low} scores", low > r)
            else:
                yield low <= r


def three() -> Refutation:
    low, enough = next(one for one in _CASES if one.name == "PD, all DAGs").numbers(3)
    return Refutation(
        low == enough == 3, "r = 3: three scores are enough, u_12, u_13, u_23, though not decoded by sorting"
    )


def eru() -> Refutation:
    low, enough = next(one for one in _CASES if one.target == "eru").numbers(3)
    return Refutation(low == enough == 2, "r = 3: two scores are enough")


def distances() -> Iterator[Line]:
    """How far two orders are apart, squared, at most."""
    for r in (2, 3, 4):
        first, *others = permutations(range(r))
        pairs = list(combinations(range(r), 2))
        most = max(sum(t.index(i) > t.index(j) for i, j in pairs) for t in others)
        yield Line(f"r = {r}: D² = {most} from {first}", most == r * (r - 1) // 2)


def twice(first: str, second: str) -> Refutation:
    p, f = (Fraction(first), Fraction(second)), (Fraction(1, 2), Fraction(1, 2))
    excess = sum(((x - y) ** 2 for x, y in zip(p, f, strict=True)), Fraction(0)) / 4
    return Refutation(
        excess == (p[0] - p[1]) ** 2 / 8,
        f"k = 2, p = ({first}, {second}), f a tie: regret {p[0] - p[1]}, excess {excess} = ε²/8",
    )


# --- Scores that are sorted: optimal orders in parts that no exchange of neighbors connects --------------

_APART: Final[tuple[tuple[str, tuple[int, ...] | str, Mapping[Label, int]], ...]] = (
    ("pairwise", "rankings", {(0, 1, 2): 1, (1, 2, 0): 2, (2, 0, 1): 2}),
    ("map", (0, 1), {(0, 0, 1): 2, (0, 1, 0): 2, (1, 0, 1): 3, (1, 1, 0): 3}),
    ("err", (0, 1), {(0, 0, 1): 2, (1, 1, 0): 3}),
)


def parts(orders: Iterable[Prediction]) -> list[set[Prediction]]:
    """The orders in groups that exchanges of neighbors connect."""
    rest, found = set(orders), []
    while rest:
        group, new = set(), {min(rest)}
        while new:
            group |= new
            rest -= new
            new = {_exchanged(t, k) for t in new for k in range(len(t) - 1)} & rest
        found.append(group)
    return found


def _exchanged(order: Prediction, k: int) -> Prediction:
    return (*order[:k], order[k + 1], order[k], *order[k + 2 :])


def apart() -> Iterator[Line]:
    for name, labels, weights in _APART:
        task, p = target(name, items=3, labels=labels), law(weights)
        found = parts(optimal(task, p))
        jumps = all(_leaves(task, part, found) for part in found)
        shown = " | ".join(", ".join(map(ranking, sorted(part))) for part in found)
        yield Line(f"{name}, {text(task, p)}", len(found) > 1 and jumps)
        yield Line(f"    optimal: {shown}", len(found) == len(optimal(task, p)))


def _leaves(task: Task, part: set[Prediction], found: Iterable[set[Prediction]]) -> bool:
    """Whether an order of another part costs less than each in it on some label."""
    others = set().union(*found) - part
    costs = [losses(task, {label: _ONE}) for label in task.space.labels]
    return any(min(lost[t] for t in others) < min(lost[t] for t in part) for lost in costs)


def for_eru() -> Refutation:
    (answer,) = decide_task("regression", _eru(), ["any"], prescribe=False).answers
    right = answer.verdict is Verdict.CONSISTENT
    return Refutation(right, "least squares on the gain, three items, grades 0, 1, 2: proved consistent")


def _eru() -> Task:
    return target("eru", items=3, labels=(0, 1, 2))


def connected() -> Refutation:
    orders = optimal(_eru(), law(dict.fromkeys(_eru().space.labels, 1)))
    return Refutation(
        len(orders) == 6 and len(parts(orders)) == 1 and for_eru().refuted,
        "ERU at uniform p: all six orders are optimal, one part; the mean gains are continuous and right",
    )


def err_means() -> Refutation:
    task, p = target("err", items=3, labels=(0, 1)), law({(0, 0, 1): 2, (1, 1, 0): 3})
    means = expected_scores(p, lambda label: [Fraction(x) for x in label])
    lost = regret(task, p, (0, 1, 2))
    return Refutation(
        means[0] == means[1] > means[2] and lost > 0,
        f"{text(task, p)}: u = {listed(means)} is sorted into 1 > 2 > 3, which loses {lost}",
    )
