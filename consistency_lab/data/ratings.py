"""Ratings and graded judgments: who gave what grade to which item."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final

from consistency_lab.data.ballots import Ballots, Levels
from consistency_lab.data.rows import BadRows, Dropped, called, rows
from consistency_lab.errors import InputError
from consistency_lab.exact import rational

TITLE: Final = "table of ratings"
_ONE_JUDGE: Final = (
    "it has grades of one judge, which are an order that no loss can contradict; what is needed is several "
    "judges, rankers or clicks for each query"
)


def read_ratings(
    path: str | os.PathLike[str],
    user: str,
    item: str,
    rating: str,
    *,
    top: int | None = None,
    bad_rows: BadRows = "report",
) -> Ballots:
    """Read ratings: each user's become a ballot that ranks the items by them, equal ones tied.

    Parameters
    ----------
    path
        CSV, JSON lines or Parquet; ``"-"`` for standard input.
    user, item, rating
        What the columns are called. A rating is a number.
    top
        Keep the items with the most ratings; all if None.
    bad_rows
        What becomes of rows that cannot be read.

    Raises
    ------
    InputError
        If there is no such file or column, or no rating in it.
    """
    name = called(path)
    dropped = Dropped(name, bad_rows)
    given, again = _grades(path, (user, item, rating), dropped)
    rated = Counter(one for grades in given.values() for one in grades)
    if not rated:
        raise InputError(f"{name}: there are no ratings; {dropped.nothing}")
    kept = [one for one, _ in rated.most_common(top)]
    numbers = {one: number for number, one in enumerate(kept)}
    few = f"{len(kept)} of {len(rated)} items are kept; what concerns the others is left out"
    said = (*([few] if len(kept) < len(rated) else []), *again, *dropped.notes)
    return Ballots(TITLE, "", tuple(kept), _ballots(given.values(), numbers), said, left=dropped.left)


def read_queries(
    path: str | os.PathLike[str],
    query: str,
    item: str,
    judge: str,
    grade: str,
    *,
    bad_rows: BadRows = "report",
) -> dict[str, Ballots | str]:
    """Read the grades of several judges: for each query a profile in which each judge casts a ballot.

    For a query of one judge or one item there is the reason why it has none.

    Parameters
    ----------
    path
        CSV, JSON lines or Parquet; ``"-"`` for standard input.
    query, item, judge, grade
        What the columns are called. A grade is a number.
    bad_rows
        What becomes of rows that cannot be read.

    Raises
    ------
    InputError
        If there is no such file or column, or no grade in it.
    """
    name = called(path)
    dropped = Dropped(name, bad_rows)
    given, again = _grades(path, (judge, item, grade, query), dropped)
    queries: dict[str, list[dict[str, Fraction]]] = {}
    for (asked, _), grades in given.items():
        queries.setdefault(asked, []).append(grades)
    if not queries:
        raise InputError(f"{name}: there are no grades; {dropped.nothing}")
    found: dict[str, Ballots | str] = {}
    for asked, judges in queries.items():
        items = tuple(dict.fromkeys(one for grades in judges for one in grades))
        numbers = {one: number for number, one in enumerate(items)}
        found[asked] = _ONE_JUDGE if len(judges) < 2 else "it has one item"
        if len(judges) > 1 and len(items) > 1:
            ballots, said = _ballots(judges, numbers), (*again, *dropped.notes)
            found[asked] = Ballots("table of judgments", asked, items, ballots, said, left=dropped.left)
    return found


def _grades(
    path: str | os.PathLike[str], columns: tuple[str, ...], dropped: Dropped
) -> tuple[dict[tuple[str, ...], dict[str, Fraction]], tuple[str, ...]]:
    """The grades that each voter (of each query, if there is a fourth column) gave, and what must be said."""
    given: dict[tuple[str, ...], dict[str, Fraction]] = {}
    numbers: dict[str, Fraction] = {}
    again = 0
    for line, (voter, item, grade, *query) in rows(path, columns, dropped):
        if not (voter and item and all(query)):
            dropped.row(line, "a name is missing")
            continue
        if grade not in numbers:
            try:
                numbers[grade] = rational(grade, "the grade")
            except InputError:
                dropped.row(line, "the grade is not a number")
                continue
        grades = given.setdefault((*query, voter), {})
        again += item in grades
        grades[item] = numbers[grade]
    return given, (f"{again} items were graded twice by one voter; the last grade counts",) if again else ()


def _ballots(
    given: Iterable[Mapping[str, Fraction]], numbers: Mapping[str, int]
) -> tuple[tuple[int, Levels], ...]:
    """Weak orders by falling grade, equal ballots counted once."""
    found: Counter[Levels] = Counter()
    for grades in given:
        levels: dict[Fraction, list[int]] = {}
        for item, grade in grades.items():
            if item in numbers:
                levels.setdefault(grade, []).append(numbers[item])
        if levels:
            found[tuple(tuple(sorted(levels[grade])) for grade in sorted(levels, reverse=True))] += 1
    return tuple((count, levels) for levels, count in found.items())
