"""Evidence beside orders and infeasible systems: multipliers, recomputed from their names."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, count
from typing import Final

from consistency_lab.core.inequalities import System
from consistency_lab.core.numbers import shown
from consistency_lab.core.orders import (
    DEEPEST,
    Below,
    Costs,
    Cycles,
    Evidence,
    Order,
    Pair,
    Split,
    lower_bound,
    with_pair,
)
from consistency_lab.core.reading import count as count_fields
from consistency_lab.core.reading import name, record
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import CONDITIONS, cone, orientations_for
from consistency_lab.model.posets import Cone, LinearForm, Relation, form, net_gap, orientations
from consistency_lab.model.surrogates import LinearSurrogate, RegressionSurrogate
from consistency_lab.phi import parse
from consistency_lab.proofs.names import named_surrogate
from consistency_lab.proofs.record import Entry, Named

# --- Evidence that orders cost at least so much ----------------------------------------------------------
# Multipliers on cycles, and cases where these do not suffice.

MAX_CASES: Final = 2000
"""Most cases that are distinguished."""

_ZERO: Final = Fraction(0)


def order_evidence(costs: Costs, below: Below, wanted: Fraction, *, more: bool = False) -> Evidence | None:
    """Evidence with which `core.orders.lower_bound` is at least `wanted`, or above it.

    Short cycles are packed one after the other; where they do not reach the bound, the free pair that is most
    at odds is split into its two cases.

    Parameters
    ----------
    costs, below
        As in `lower_bound`.
    wanted
        What every order with the forced pairs is to cost at least.
    more
        Whether it must cost more.

    Returns
    -------
    Evidence or None
        None if some order costs less, or if it would take more than `MAX_CASES` cases, or `DEEPEST` inside
        each other, to see that none does.

    Examples
    --------
    >>> one = Fraction(1)
    >>> cyclic = {(0, 1): one, (1, 2): one, (2, 0): 2 * one}
    >>> order_evidence(cyclic, (0, 0, 0), one)
    Cycles(parts=((Fraction(1, 1), (0, 1, 2)),))
    >>> order_evidence(cyclic, (0, 0, 0), 2 * one) is None
    True
    """
    return _evidence(costs, below, wanted, more, count(1), 0)


def _evidence(
    costs: Costs, below: Below, wanted: Fraction, more: bool, cases: Iterator[int], depth: int
) -> Evidence | None:
    if next(cases) > MAX_CASES or depth > DEEPEST:
        return None
    m, cycles = len(below), _packed(costs, len(below), below)
    bound = lower_bound(costs, below, cycles)
    if bound > wanted or (bound == wanted and not more):
        return cycles
    free = [(i, j) for i in range(m) for j in range(i) if not (below[i] >> j | below[j] >> i) & 1]
    if not free:
        return None
    i, j = max(free, key=lambda pair: abs(_difference(costs, *pair)))
    first = _evidence(costs, with_pair(below, i, j), wanted, more, cases, depth + 1)
    if first is None:
        return None
    second = _evidence(costs, with_pair(below, j, i), wanted, more, cases, depth + 1)
    return None if second is None else Split((i, j), first, second)


def restricted(evidence: Evidence, below: Below) -> Evidence:
    """The evidence for orders with some forced pairs, without the cases that these exclude.

    Examples
    --------
    >>> restricted(Split((0, 1), Cycles(), Split((1, 2), Cycles(), Cycles())), (0, 1, 0))
    Split(pair=(1, 2), above=Cycles(parts=()), below=Cycles(parts=()))
    """
    if isinstance(evidence, Cycles):
        return evidence
    i, j = evidence.pair
    if below[i] >> j & 1:
        return restricted(evidence.above, below)
    if below[j] >> i & 1:
        return restricted(evidence.below, below)
    above = restricted(evidence.above, with_pair(below, i, j))
    return Split((i, j), above, restricted(evidence.below, with_pair(below, j, i)))


def _difference(costs: Costs, i: int, j: int) -> Fraction:
    return costs.get((i, j), _ZERO) - costs.get((j, i), _ZERO)


def _packed(costs: Costs, m: int, below: Sequence[int]) -> Cycles:
    """Cycles with as much of their arcs as is left, the shortest first."""
    room = {
        (i, j): _difference(costs, i, j)
        for i in range(m)
        for j in range(m)
        if i != j and not (below[i] >> j | below[j] >> i) & 1 and _difference(costs, i, j) > 0
    }
    parts: list[tuple[Fraction, Order]] = []
    while (cycle := _shortest_cycle(m, room, below)) is not None:
        arcs = [arc for arc in zip(cycle, (*cycle[1:], cycle[0]), strict=True) if arc in room]
        y = min(room[arc] for arc in arcs)
        for arc in arcs:
            room[arc] -= y
            if not room[arc]:
                del room[arc]
        parts.append((y, cycle))
    return Cycles(tuple(parts))


def _shortest_cycle(m: int, room: Mapping[Pair, Fraction], below: Sequence[int]) -> Order | None:
    """A shortest cycle of arcs with room and forced pairs; None if there is none."""
    after = [[j for j in range(m) if (i, j) in room or below[i] >> j & 1] for i in range(m)]
    found = (path for start in range(m) if (path := _way_back(start, after)) is not None)
    return min(found, key=len, default=None)


def _way_back(start: int, after: Sequence[Sequence[int]]) -> Order | None:
    """A shortest closed way from an item, by breadth-first search."""
    before: dict[int, int] = {}
    waiting = deque([start])
    while waiting:
        here = waiting.popleft()
        for item in after[here]:
            if item == start:
                path = [here]
                while path[-1] != start:
                    path.append(before[path[-1]])
                return tuple(reversed(path))
            if item not in before:
                before[item] = here
                waiting.append(item)
    return None


# --- Systems of inequalities without a solution: what they are called, recomputed ------------------------
# Where the minimizer orders the items by their net preferences N_i = sum_j d_ij (DMJ10 Eq. 15), a surrogate
# fails at an acyclic d if and only if some edge (i, k) of the difference graph has N_k >= N_i (DMJ10 Theorem
# 13). For each shape of the graph and each edge this is a system in d >= 0:
#
#     the equalities and inequalities of the condition,  d_ik >= 1,  N_i - N_k <= 0.
#
# A proof lists one system for each, in the order of `cases`, and as many of its rows as it needs. If that
# part has no solution, the whole has none.

MAX_ITEMS: Final = 5
"""Most items: the number of shapes grows faster than m!."""

_HALF_SQUARE: Final = parse("x**2/2")

Weighted = Sequence[tuple[Fraction, LinearForm]]


@frozen
class Case:
    """One shape of the difference graph on m items, and one of its edges."""

    m: int
    relation: Relation
    edge: tuple[int, int]
    rows: Cone

    @property
    def gap(self) -> LinearForm:
        """N_i - N_k."""
        return net_gap(*self.edge, self.m)

    @property
    def positive(self) -> list[LinearForm]:
        """Forms that are positive here, so that they may be scaled to at least 1."""
        return [form({self.edge: 1}), *(row for row in self.rows.strict if row == self.gap)]

    def vector(self, row: LinearForm, sign: int = 1) -> tuple[Fraction, ...]:
        """A form as a row of coefficients of d_12, d_13, ..., d_23, ..."""
        return tuple(sign * row.get(pair, Fraction(0)) for pair in combinations(range(self.m), 2))

    def has(self, system: System) -> bool:
        """Whether every row of the system is one of this case."""
        zero, below = Fraction(0), Fraction(-1)
        upper = {(self.vector(row, -1), zero) for row in self.rows.inequalities}
        upper |= {(self.vector(row, -1), below) for row in self.positive}
        upper.add((self.vector(self.gap), zero))
        equal = {self.vector(row) for row in self.rows.equalities}
        return (
            set(zip(system.rows, system.right, strict=True)) <= upper
            and set(system.equal_rows) <= equal
            and not any(system.equal_right)
        )

    def entry(self, equalities: Weighted, inequalities: Weighted) -> Entry:
        """The system of a file, from N_i - N_k as a combination of the rows of the condition.

        At least one of the inequalities must be one of `positive`.
        """
        scaled = next(row for _, row in inequalities if row in self.positive)
        upper = [(weight, self.vector(row, -1), -1 if row is scaled else 0) for weight, row in inequalities]
        upper.append((Fraction(1), self.vector(self.gap), 0))
        return {
            "rows": [list(map(str, row)) for _, row, _ in upper],
            "right": [str(b) for *_, b in upper],
            "equal_rows": [list(map(str, self.vector(row))) for _, row in equalities],
            "equal_right": ["0" for _ in equalities],
            "y": [str(weight) for weight, *_ in upper],
            "z": [str(-weight) for weight, _ in equalities],
        }


def cases(condition: str, largest: int) -> Iterator[Case]:
    """Every shape up to relabeling and every edge, for 2 to `largest` items.

    Examples
    --------
    >>> sum(1 for _ in cases("low-noise", 3))
    9
    """
    for m in range(2, largest + 1):
        for relation in orientations_for(condition, m) or orientations(m):
            rows = cone(condition, relation, m)
            for edge in sorted(relation):
                yield Case(m, relation, edge, rows)


def check_systems(value: object, systems: Sequence[System]) -> Named:
    """Recompute the names of a file of systems: the condition, the number of items, the surrogate.

    Parameters
    ----------
    value
        The ``named`` entry: perhaps ``condition`` with ``items``, and ``surrogate``.
    systems
        What the core has found to have no solution.

    Raises
    ------
    RejectedError
        If a name that is known means something else.
    """
    fields = record(value, "named", (), ("condition", "items", "surrogate"))
    recomputed, unknown = [], []
    conditions: dict[str, bool] = {}
    if "items" in fields and "condition" not in fields:
        raise InputError("named.items says for how many items a condition is meant, and none is named")
    if "condition" in fields:
        condition = name(fields["condition"], "named.condition")
        largest = count_fields(fields.get("items"), "named.items")
        words = f"{condition} for 2 to {largest} items"
        if condition in CONDITIONS and CONDITIONS[condition].shapes and 2 <= largest <= MAX_ITEMS:
            _check_cases(condition, largest, systems)
            recomputed.append(words)
            conditions[condition] = True
        else:
            unknown.append(words)
    called = None
    if "surrogate" in fields:
        called, built = named_surrogate(fields["surrogate"])
        orders = type(built) is RegressionSurrogate or (
            type(built) is LinearSurrogate and built.r == _HALF_SQUARE and built.nu > 0
        )
        # For these the minimizer is N, or N / nu; for others a theorem says that it orders by N.
        (recomputed if orders else unknown).append(called)
    return Named(tuple(recomputed), tuple(unknown), called, conditions)


def _check_cases(condition: str, largest: int, systems: Sequence[System]) -> None:
    expected = list(cases(condition, largest))
    if len(expected) != len(systems):
        raise RejectedError(
            f"{condition} for 2 to {largest} items has {len(expected)} cases, and {len(systems)} systems "
            "are given"
        )
    for number, (case, system) in enumerate(zip(expected, systems, strict=True), start=1):
        if len(system.rows) != len(system.right) or not case.has(system):
            shape = shown(sorted(case.relation))
            raise RejectedError(f"system {number} is not that of the edge {case.edge} in the shape {shape}")


def systems_entry(entries: Sequence[Entry]) -> Entry:
    """The ``proof`` entry of a file of systems."""
    return {"claim": "infeasible", "systems": list(entries)}


def systems_names(surrogate: Mapping[str, object], condition: str, items: int) -> Entry:
    """The ``named`` entry of such a file."""
    return {"surrogate": dict(surrogate), "condition": condition, "items": str(items)}
