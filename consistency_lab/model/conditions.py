"""Noise conditions on the differences d, each inside the next, as exact tests and as polyhedral cones.

All five depend on a distribution only through d_ij = a_ij - a_ji:

    additive ⊂ low-noise ⊂ net-order ⊂ acyclic ⊂ any.

Once the shape of the difference graph is given (a naturally labeled relation, see `posets`), the first four
are cut out by linear forms in d; `cone` lists them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from types import MappingProxyType
from typing import Final, final

from consistency_lab.errors import InputError
from consistency_lab.exact import rational
from consistency_lab.model.cones import (
    Cone,
    LinearForm,
    additive_rows,
    low_noise_rows,
    net_order_rows,
    no_rows,
    shape_rows,
)
from consistency_lab.model.posets import Relation, chain, orientations, posets

__all__ = [
    "CONDITIONS",
    "Condition",
    "Cone",
    "Differences",
    "LinearForm",
    "condition",
    "conditions_of",
    "cone",
    "edges",
    "implied_by",
    "implies",
    "implying",
    "net",
    "orientations_for",
]

Differences = Sequence[Sequence[Fraction]]
"""The antisymmetric matrix d."""


@final
@dataclass(frozen=True, slots=True)
class Condition:
    """One noise condition.

    Parameters
    ----------
    name, title
        What the command line and what a table calls it.
    statement
        The condition on d, in LaTeX.
    citation
        Where it comes from.
    holds
        The exact test on d.
    rows
        What a shape of the difference graph does not yet say of the condition, as linear forms.
    shapes
        The shapes on m items whose closed cones together are the closure of the condition, up to relabeling;
        None where d is not confined to such a union.
    """

    name: str
    title: str
    statement: str
    citation: str
    holds: Callable[[Differences], bool]
    rows: Callable[[Relation, int], Cone]
    shapes: Callable[[int], tuple[Relation, ...]] | None


def edges(d: Differences) -> Iterator[tuple[int, int]]:
    """The edges (i, j) of the difference graph, where d_ij > 0, in index order."""
    return ((i, j) for i, row in enumerate(d) for j, value in enumerate(row) if value > 0)


def net(d: Differences) -> list[Fraction]:
    """The net preference of each item, sum over j of d_ij (the scores of DMJ10 Eq. 15 increase with it)."""
    return [sum(row, Fraction(0)) for row in d]


def is_additive(d: Differences) -> bool:
    """Whether d_ij = y_i - y_j for some y: it is enough to try y_i = d_i0."""
    return all(value == row[0] - d[j][0] for row in d for j, value in enumerate(row))


def is_low_noise(d: Differences) -> bool:
    """Reverse triangle inequality of DMJ10 Definition 8."""
    below: list[list[int]] = [[] for _ in d]
    for i, j in edges(d):
        below[i].append(j)
    return all(d[i][k] >= d[i][j] + d[j][k] for i, lower in enumerate(below) for j in lower for k in below[j])


def is_net_order(d: Differences) -> bool:
    """DMJ10 Eq. 16."""
    nets = net(d)
    return all(nets[i] > nets[k] for i, k in edges(d))


def is_acyclic(d: Differences) -> bool:
    """Whether the difference graph is a DAG."""
    below: dict[int, set[int]] = {i: set() for i in range(len(d))}
    for i, j in edges(d):
        below[i].add(j)
    try:
        TopologicalSorter(below).prepare()
    except CycleError:
        return False
    return True


def is_anything(d: Differences) -> bool:
    """No condition at all."""
    return True


def _chain_only(m: int) -> tuple[Relation, ...]:
    return (chain(m),)


CONDITIONS: Final[Mapping[str, Condition]] = MappingProxyType(
    {
        condition.name: condition
        for condition in (
            Condition(
                "additive",
                "additive differences",
                r"d_{ij} = y_i - y_j \text{ for some } y \in \mathbf{R}^m",
                "DMJ10 §3.1",
                is_additive,
                additive_rows,
                _chain_only,
            ),
            Condition(
                "low-noise",
                "low noise",
                r"d_{ij} > 0,\ d_{jk} > 0 \implies d_{ik} \ge d_{ij} + d_{jk}",
                "DMJ10 Definition 8",
                is_low_noise,
                low_noise_rows,
                posets,
            ),
            Condition(
                "net-order",
                "net preferences in order",
                r"d_{ik} > 0 \implies \sum_j d_{ij} > \sum_j d_{kj}",
                "DMJ10 Eq. 16; RAT13 Theorem 6 with f_i = sum_j (y_ij - y_ji)",
                is_net_order,
                net_order_rows,
                orientations,
            ),
            Condition(
                "acyclic",
                "acyclic difference graph",
                r"\{(i,j) : d_{ij} > 0\} \text{ is acyclic}",
                "DMJ10 Theorem 13; RAT13 Theorem 7 (P_DAG)",
                is_acyclic,
                no_rows,
                orientations,
            ),
            Condition(
                "any", "no condition", r"\text{every } d", "DMJ10 Definition 2", is_anything, no_rows, None
            ),
        )
    }
)
"""The conditions from the smallest to the largest; each implies all that follow it."""


def condition(name: str) -> Condition:
    """Look a condition up.

    Raises
    ------
    InputError
        If there is none of this name; the message suggests the nearest.

    Examples
    --------
    >>> condition("low-noise").citation
    'DMJ10 Definition 8'
    """
    if name in CONDITIONS:
        return CONDITIONS[name]
    near = get_close_matches(name.lower().replace("_", "-"), CONDITIONS, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"the conditions are {', '.join(CONDITIONS)}"
    raise InputError(f"there is no condition {name!r}; {hint}")


def implies(smaller: str, larger: str) -> bool:
    """Whether every d with the condition `smaller` also has the condition `larger`.

    Examples
    --------
    >>> implies("additive", "acyclic"), implies("any", "acyclic")
    (True, False)
    """
    names = list(CONDITIONS)
    return names.index(condition(smaller).name) <= names.index(condition(larger).name)


def implied_by(name: str) -> tuple[str, ...]:
    """The conditions that follow from `name`, itself first: what a witness under it settles as well.

    Examples
    --------
    >>> implied_by("net-order")
    ('net-order', 'acyclic', 'any')
    """
    return tuple(other for other in CONDITIONS if implies(name, other))


def implying(name: str) -> tuple[str, ...]:
    """The conditions that `name` follows from, itself last: what a proof under it settles as well.

    Examples
    --------
    >>> implying("net-order")
    ('additive', 'low-noise', 'net-order')
    """
    return tuple(other for other in CONDITIONS if implies(other, name))


def conditions_of(d: Sequence[Sequence[object]]) -> dict[str, bool]:
    """Which of the conditions hold, by name.

    Parameters
    ----------
    d
        The differences d_ij = a_ij - a_ji, numbers that `exact.rational` reads.

    Raises
    ------
    InputError
        If d is not a square matrix of numbers, or not antisymmetric, as an aggregate is not.

    Examples
    --------
    >>> conditions_of([[0, 1], [-1, 0]])["additive"]
    True
    """
    exact = _antisymmetric(d)
    return {name: condition.holds(exact) for name, condition in CONDITIONS.items()}


def _antisymmetric(d: Sequence[Sequence[object]]) -> Differences:
    if any(not isinstance(row, Sized) or len(row) != len(d) for row in d):
        raise InputError("d is not a square matrix; it has a row and a column for each item")
    exact = [[rational(x, f"the entry d[{i}][{j}]") for j, x in enumerate(row)] for i, row in enumerate(d)]
    for i, row in enumerate(exact):
        for j, x in enumerate(row[: i + 1]):
            if x != -exact[j][i]:
                raise InputError(
                    f"d is not antisymmetric: d[{j}][{i}] = {exact[j][i]} and d[{i}][{j}] = {x}; conditions "
                    "are about the differences a_ij - a_ji (Distribution.difference of an aggregate a)"
                )
    return exact


def orientations_for(name: str, m: int) -> tuple[Relation, ...] | None:
    """The shapes whose closed cones together make up the (closure of the) condition, up to relabeling.

    None for ``"any"``, where the differences are not restricted to a union of shapes. For ``"additive"`` the
    chain is enough: ties y_i = y_j are on its boundary.

    Raises
    ------
    InputError, UnsupportedError
        As `posets.posets` and `posets.orientations` do.
    """
    shapes = condition(name).shapes
    return None if shapes is None else shapes(m)


def cone(name: str, relation: Relation, m: int) -> Cone:
    """The cone of condition `name` where d_ij >= 0 on `relation` and d_ij = 0 on the other pairs i < j.

    For ``"any"`` it is the cone of ``"acyclic"``: the part of all d that has this shape.

    Raises
    ------
    InputError
        If a pair of `relation` is not i < j < m, or ``"low-noise"`` is asked of a relation that is not
        transitive (low noise forces it).

    Examples
    --------
    >>> [dict(form) for form in cone("low-noise", chain(3), 3).inequalities][-1]
    {(0, 2): Fraction(1, 1), (0, 1): Fraction(-1, 1), (1, 2): Fraction(-1, 1)}
    """
    return shape_rows(relation, m).joined(condition(name).rows(relation, m))
