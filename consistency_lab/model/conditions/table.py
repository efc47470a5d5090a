"""The table of noise conditions, and the lattice of what implies what.

    additive ⊂ low-noise ⊂ net-order ⊂ acyclic ⊂ any,    strong-stochastic-transitivity ⊂ acyclic.

The conditions of the chain depend on a distribution only through d_ij = a_ij - a_ji. Once the shape of the
difference graph is given (a naturally labeled relation, see `posets`), they are cut out by linear forms in d;
`cone` lists them.
"""

from collections.abc import Callable, Mapping, Sequence, Sized
from difflib import get_close_matches
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from consistency_lab.checked import checked
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.exact import rational
from consistency_lab.model.conditions.acyclic import ACYCLIC, ANY
from consistency_lab.model.conditions.additive import ADDITIVE
from consistency_lab.model.conditions.condition import Condition, whole
from consistency_lab.model.conditions.differences import Differences
from consistency_lab.model.conditions.low_noise import LOW_NOISE
from consistency_lab.model.conditions.net_order import NET_ORDER
from consistency_lab.model.conditions.strong_transitivity import STRONG_TRANSITIVITY
from consistency_lab.model.cones import Cone, shape_rows
from consistency_lab.model.posets import Relation

CONDITIONS: Final[Mapping[str, Condition]] = MappingProxyType(
    {
        condition.name: condition
        for condition in (ADDITIVE, LOW_NOISE, NET_ORDER, STRONG_TRANSITIVITY, ACYCLIC, ANY)
    }
)
"""The conditions, none before one that implies it."""

USUAL: Final = tuple(name for name, condition in CONDITIONS.items() if condition.usual)
"""What is asked about where nobody names a condition."""


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
    """Whether every aggregate with the condition `smaller` also has the condition `larger`.

    Examples
    --------
    >>> implies("additive", "acyclic"), implies("any", "acyclic")
    (True, False)
    >>> implies("additive", "strong-stochastic-transitivity")
    False
    """
    known, wanted = condition(smaller), condition(larger).name
    return known.name == wanted or any(implies(above, wanted) for above in known.larger)


def numbered(name: str) -> bool:
    """Whether the condition keeps the difference graph acyclic, so that the items are numbered along it.

    Examples
    --------
    >>> numbered("low-noise"), numbered("any")
    (True, False)
    """
    return implies(name, ACYCLIC.name)


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


def conditions_at(a: Sequence[Sequence[Fraction | int]]) -> dict[str, bool]:
    """Which of the conditions an aggregate has, by name.

    Examples
    --------
    >>> [name for name, holds in conditions_at([[0, 2, 2], [1, 0, 2], [1, 1, 0]]).items() if not holds]
    ['additive', 'low-noise']
    """
    numbers = whole(a)
    return {name: bool(condition.test(numbers)) for name, condition in CONDITIONS.items()}


@checked
def conditions_of(d: Sequence[Sequence[object]]) -> dict[str, bool]:
    """Which of the conditions on the differences hold, by name.

    Parameters
    ----------
    d
        The differences d_ij = a_ij - a_ji, numbers that `exact.rational` reads.

    Raises
    ------
    InputError
        If d is empty, not a square matrix of numbers, or not antisymmetric, as an aggregate is not.

    Examples
    --------
    >>> conditions_of([[0, 1], [-1, 0]])["additive"]
    True
    """
    if not d:
        raise InputError("d is empty; it has a row and a column for each item")
    exact = _antisymmetric(d)
    a = [[max(x, Fraction(0)) for x in row] for row in exact]
    return {name: condition.holds(a) for name, condition in CONDITIONS.items() if condition.of_differences}


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
        As `cone`, `posets.posets` and `posets.orientations` do.
    """
    shapes = condition(name).shapes
    if shapes is None:
        _rows(name)
        return None
    return shapes(m)


def fewest_shapes(name: str, m: int) -> tuple[Relation, ...] | None:
    """As `orientations_for`, without shapes whose closed cones lie in those of others.

    Examples
    --------
    >>> [len(fewest_shapes(name, 3)) for name in ("low-noise", "net-order", "acyclic")]
    [5, 1, 1]
    """
    closed = condition(name).closed
    return orientations_for(name, m) if closed is None else closed(m)


def cone(name: str, relation: Relation, m: int) -> Cone:
    """The cone of condition `name` where d_ij >= 0 on `relation` and d_ij = 0 on the other pairs i < j.

    For ``"any"`` it is the cone of ``"acyclic"``: the part of all d that has this shape.

    Raises
    ------
    InputError
        If a pair of `relation` is not i < j < m, or ``"low-noise"`` is asked of a relation that is not
        transitive (low noise forces it).
    UnsupportedError
        If the condition is not made of cones in d.

    Examples
    --------
    >>> from consistency_lab.model.posets import chain
    >>> [dict(form) for form in cone("low-noise", chain(3), 3).inequalities][-1]
    {(0, 2): Fraction(1, 1), (0, 1): Fraction(-1, 1), (1, 2): Fraction(-1, 1)}
    """
    return shape_rows(relation, m).joined(_rows(name)(relation, m))


def _rows(name: str) -> Callable[[Relation, int], Cone]:
    found = condition(name).rows
    if found is None:
        raise UnsupportedError(
            f"the condition {name} is about more than the differences a_ij - a_ji, so it has no cones in them"
        )
    return found
