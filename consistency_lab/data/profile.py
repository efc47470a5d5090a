"""Real preferences, from a file to a distribution over preference graphs."""

import difflib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final, final, get_args

from consistency_lab.data.bundled import sample_path, samples
from consistency_lab.data.contents import Contents, Tally, Unranked
from consistency_lab.data.formats import read_contents
from consistency_lab.data.text import located
from consistency_lab.errors import InputError
from consistency_lab.model.distribution import Distribution, item_names

MAX_ITEMS: Final = 15
"""Most items that are kept: the optimal orders are found by a dynamic program over all sets of items."""


@final
@dataclass(frozen=True)
class Profile:
    """A distribution that was read from a file.

    Parameters
    ----------
    distribution
        The graphs with p = count / total.
    title
        What the data are.
    voters
        The total: how many voters, how many comparisons, or the probability 1; `counted` says which.
    format
        The format of the file, for people.
    notes
        Sentences that must be said wherever the result is shown.
    counted
        What `voters` counts: ``"voters"``, ``"comparisons"`` or ``"probability"``.
    """

    distribution: Distribution
    title: str
    voters: int | Fraction
    format: str
    notes: tuple[str, ...] = ()
    counted: str = "voters"


def read_profile(
    path: str | os.PathLike[str],
    unranked: Unranked = "last",
    items: Sequence[str] | None = None,
) -> Profile:
    """Read a profile in any format of `FORMATS`.

    A ballot is a weak order; it becomes the preference graph with an edge of weight 1 from each item to each
    item below it, tied items without an edge, and p = count / voters. A counted pair becomes a graph with
    one edge of weight 1.

    Parameters
    ----------
    path
        The file, or the name of a bundled sample that is not hidden by a file of that name.
    unranked
        What items stand for that a ballot does not rank: ``"last"`` (below all ranked ones and tied) or
        ``"unknown"`` (no edge at them).
    items
        Keep these items only, in this order. The order of the items breaks ties.

    Raises
    ------
    InputError
        If the file cannot be read, has one item or no voters, or keeps more than `MAX_ITEMS` items. The
        message is one sentence that names file and line.

    Examples
    --------
    >>> profile = read_profile("vermont.toc")
    >>> profile.voters, profile.distribution.items
    (1960, ('Beck', 'Fay', 'South', 'Willhoit'))
    >>> profile.distribution.aggregate[0][1] * 1960
    Fraction(908, 1)
    """
    if unranked not in get_args(Unranked):
        raise InputError(f"unranked is {unranked!r}; it must be one of {', '.join(get_args(Unranked))}")
    name = os.fspath(path)
    place, found_at = _find(name)
    contents = read_contents(place)
    with located(name):
        names = contents.items
        _refuse_doubles(names)
        kept = chosen_numbers(names, items)
        tally = contents.tally(kept, unranked)
    distribution = _distribution([names[i] for i in kept], tally)
    return Profile(
        distribution=distribution,
        title=contents.title or Path(name).stem,
        voters=_whole(tally.total),
        format=contents.format,
        notes=(*found_at, *_left_out(contents, kept), *tally.notes),
        counted=contents.counted,
    )


def _find(name: str) -> tuple[Path, tuple[str, ...]]:
    """The file to read, and what must be said of it."""
    path = Path(name)
    try:
        exists, folder = path.exists(), path.is_dir()
    except OSError:  # where even that may not be asked, reading it will say why
        exists, folder = True, False
    if folder:
        raise InputError(f"{name} is a folder; name a file in it")
    if exists:
        return path, ()
    sample = sample_path(name)
    if sample is not None:
        return sample, (f"{name} is not in this folder; the sample of that name in the package is read",)
    near = difflib.get_close_matches(path.name, samples(), n=1)
    hint = f"did you mean the sample {near[0]}?" if near else f"samples are {', '.join(samples())}"
    raise InputError(f"{name} does not exist; {hint}")


def chosen_numbers(names: tuple[str, ...], wanted: Sequence[str] | None) -> tuple[int, ...]:
    """The numbers of the items that are kept, in the order asked for.

    Raises
    ------
    InputError
        If there is no such item, one is named twice, or too many are left.
    """
    kept = tuple(range(len(names))) if wanted is None else tuple(_number(name, names) for name in wanted)
    if len(kept) > MAX_ITEMS:
        raise InputError(
            f"there are {len(kept)} items; at most {MAX_ITEMS} are treated, since the optimal orders are "
            "found by a dynamic program over all 2^m sets of items; keep fewer by name (--select A,B,C)"
        )
    item_names([names[i] for i in kept])
    return kept


def _refuse_doubles(names: Sequence[str]) -> None:
    """The same as in `item_names`, for files with many more items than are kept."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(f"two items are called {name[:40]!r}; names must differ")
        seen.add(name)


def _number(name: str, names: tuple[str, ...]) -> int:
    if name in names:
        return names.index(name)
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"the items are {', '.join(names[:20])}"
    quotes = " (in --select a name with a comma stands in double quotes)" if near and "," in near[0] else ""
    raise InputError(f"there is no item {name[:40]!r}; {hint}{quotes}")


def _distribution(items: Sequence[str], tally: Tally) -> Distribution:
    """The graphs are weak orders, single edges or checked ones, so they are not checked again."""
    total = tally.total
    return Distribution(
        tuple(items),
        tuple(graph for graph, _ in tally.weights),
        tuple(weight / total for _, weight in tally.weights),
    )


def _whole(total: Fraction) -> int | Fraction:
    return int(total) if total.denominator == 1 else total


def _left_out(contents: Contents, kept: Sequence[int]) -> tuple[str, ...]:
    if len(kept) == len(contents.items):
        return ()
    return (f"{len(kept)} of {len(contents.items)} items are kept; what concerns the others is left out",)
