"""The target losses, as a table, and how each is made from what a user asks for."""

from collections.abc import Mapping
from difflib import get_close_matches
from fractions import Fraction
from types import MappingProxyType
from typing import Annotated, Final

from consistency_lab.checked import between, checked
from consistency_lab.errors import InputError
from consistency_lab.model.tasks.average_precision import MAP
from consistency_lab.model.tasks.err import ERR
from consistency_lab.model.tasks.eru import ERU
from consistency_lab.model.tasks.kendall import KENDALL
from consistency_lab.model.tasks.labels import Classes, Dags, Grades, LabelSpace, Rankings, Rows
from consistency_lab.model.tasks.matrix import MATRIX
from consistency_lab.model.tasks.ndcg import NDCG
from consistency_lab.model.tasks.pairwise import PAIRWISE
from consistency_lab.model.tasks.precision import PRECISION, WINNER
from consistency_lab.model.tasks.reciprocal_rank import RECIPROCAL_RANK
from consistency_lab.model.tasks.target import ITEMS, Asked, Target
from consistency_lab.model.tasks.task import Task
from consistency_lab.model.tasks.zero_one import ZERO_ONE

TARGETS: Final[Mapping[str, Target]] = MappingProxyType(
    {
        line.name: line
        for line in (PAIRWISE, NDCG, PRECISION, WINNER, ERR, RECIPROCAL_RANK, MAP, ERU, KENDALL, ZERO_ONE)
    }
)
"""Targets by name."""

DEFINITIONS: Final[Mapping[str, Target]] = MappingProxyType({**TARGETS, MATRIX.name: MATRIX})
"""All that a document may name: a matrix comes from a file."""

TASKS: Final[tuple[type[Task], ...]] = tuple(dict.fromkeys(line.task for line in DEFINITIONS.values()))
SPACES: Final[tuple[type[LabelSpace], ...]] = (Classes, Dags, Grades, Rankings, Rows)
"""The classes that theorems and the core know; a class derived from one may say something else."""

_OPTIONS: Final = ("labels", "gain", "discount", "k", "v", "w")
_DIGITS: Final = 9
"""Longest k after @."""


@checked
def target(
    name: str,
    *,
    items: Annotated[int, between(0, 1000)] = ITEMS,
    labels: tuple[int, ...] | str | None = None,
    gain: str | None = None,
    discount: str | None = None,
    k: int | None = None,
    v: Fraction | None = None,
    w: Fraction | None = None,
) -> Task:
    """Build a target loss by name.

    Parameters
    ----------
    name
        A name of `TARGETS`; "ndcg@10" is "ndcg" with k = 10.
    items, labels, gain, discount, k, v, w
        As in `Asked`.

    Raises
    ------
    InputError
        If there is no such target, or it does not understand an option, or a value is out of range.

    Examples
    --------
    >>> target("ndcg", k=2).title, target("ndcg@10").title
    ('NDCG@2', 'NDCG@10 (NDCG for 3 items)')
    """
    name, k = _counting(name, k)
    line = TARGETS.get(name)
    if line is None:
        near = get_close_matches(name.lower(), TARGETS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"the targets are {', '.join(TARGETS)}"
        raise InputError(f"there is no target {name!r}; {hint}")
    asked = Asked(items, labels, gain, discount, k, v, w)
    for option in _OPTIONS:
        if getattr(asked, option) is not None and option not in line.options:
            known = f"its options are {', '.join(line.options)}" if line.options else "it has no options"
            raise InputError(f"the target {name} has no {option}; {known}")
    return line.build(asked)


def _counting(name: str, k: int | None) -> tuple[str, int | None]:
    """The name of a target without its @k, and k."""
    base, at, digits = name.partition("@")
    if not at or base not in TARGETS:
        return name, k
    if not (digits.isascii() and digits.isdigit() and len(digits) <= _DIGITS):
        raise InputError(
            f"the target {base}@ has no number of positions after @; write {base}@10, for instance"
        )
    if k not in (None, int(digits)):
        raise InputError(f"the target {name} counts {digits} positions and k is {k}; leave one of them out")
    return base, int(digits)
