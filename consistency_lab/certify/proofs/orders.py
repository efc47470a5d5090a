"""A question about orders of items, written out for the core: what orders cost, and evidence on that."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import count
from typing import Final, Protocol

from consistency_lab.certify.proofs.record import Entry, as_atom, atom_entries
from consistency_lab.core.document import (
    CONSISTENT_AT_P,
    INCONSISTENT,
    STRICT,
    TIE,
    Certificate,
    Proof,
    StatedLabel,
)
from consistency_lab.core.orders import (
    DEEPEST,
    Below,
    Costs,
    Cycles,
    Evidence,
    Order,
    Pair,
    Split,
    closure,
    cost,
    lower_bound,
    reversed_costs,
    with_pair,
)
from consistency_lab.core.verify import read_proof
from consistency_lab.frozen import frozen
from consistency_lab.model.surrogates import Term
from consistency_lab.numbers.exact import rational_text

# --- The entries of a proof about orders, as the file has them --------------------------------------------


@frozen
class OrderQuestion:
    """A risk made of terms, and what orders of the items pay for pairs."""

    terms: Sequence[Term]  #: Of W, in the order in which a certificate speaks of them.
    costs: Costs  #: What orders pay for pairs.
    coordinates: Sequence[str]  #: The names of the items.
    better: Order = ()  #: An optimal order, where one is known.

    @staticmethod
    def of(terms: Sequence[Term], a: Sequence[Sequence[Fraction]], names: Sequence[str]) -> "OrderQuestion":
        """The question at an aggregate: an order with j above i pays a_ij."""
        costs = {(i, j): x for i, row in enumerate(a) for j, x in enumerate(row) if x}
        return OrderQuestion(terms, costs, names)

    def entry(self, rest: Entry, psi: object = None) -> Entry:
        """The proof: one label of probability 1, its preferences added up; psi stands for its terms."""
        names = self.coordinates
        prefers = [[names[i], names[j], str(weight)] for (i, j), weight in self.costs.items()]
        label = {
            "probability": "1",
            "prefers": prefers,
            "psi": psi or atom_entries(map(as_atom, self.terms), names),
        }
        return {"coordinates": list(names), "decoder": "sort", "labels": [label], **rest}

    @property
    def label(self) -> StatedLabel:
        """The one label of the proof, as the core reads it."""
        return StatedLabel(
            Fraction(1), tuple(self.costs.items()), None, tuple([as_atom(term) for term in self.terms])
        )

    def outcome(self, forced: Sequence[Pair], levels: Sequence[Sequence[int]]) -> Entry | None:
        """A proof without scores and certificate: what follows if (above, below) are ordered so.

        All such orders are optimal, or all are worse than a better one, as the order of the `levels` is; None
        if neither is seen.
        """
        least, below = cost(self.costs, self.better), closure(len(self.coordinates), forced)
        whole = sum(self.costs.values(), _ZERO)
        extensions = order_evidence(reversed_costs(self.costs), below, whole - least)
        if extensions is not None:
            orders = order_evidence(self.costs, closure(len(self.coordinates), ()), least)
            return None if orders is None else self.entry(self.right(orders, extensions))
        strictly = order_evidence(self.costs, below, least, more=True)
        prediction = tuple(k for level in levels for k in level)
        return None if strictly is None else self.entry(self.wrong(prediction, self.better, strictly))

    def right(self, orders: Evidence, extensions: Evidence) -> Entry:
        """What is claimed where no order costs less, and all that may be returned cost as little."""
        return {
            "claim": CONSISTENT_AT_P,
            "orders": self._evidence(orders),
            "extensions": self._evidence(extensions),
        }

    def wrong(self, prediction: Order, better: Order, strictly: Evidence | None) -> Entry:
        """What is claimed where an order is worse: a tie, unless evidence says that all are."""
        return {
            "claim": INCONSISTENT,
            "prediction": self._named(prediction),
            "better": self._named(better),
            "failure": TIE if strictly is None else STRICT,
            "regret": rational_text(cost(self.costs, prediction) - cost(self.costs, better)),
            **({} if strictly is None else {"orders": self._evidence(strictly)}),
        }

    def at_a_minimum(
        self,
        scores: Sequence[object],
        slopes: Sequence[Fraction],
        prediction: Order,
        better: Order,
        strictly: Evidence | None,
    ) -> Entry:
        """What is claimed where exact minimizing scores allow a wrong order."""
        stated = {
            "scores": list(map(str, scores)),
            "certificate": {"kind": "minimum", "slopes": list(map(rational_text, slopes))},
        }
        return {**self.wrong(prediction, better, strictly), **stated}

    def _named(self, order: Order) -> list[str]:
        return [self.coordinates[k] for k in order]

    def _evidence(self, evidence: Evidence) -> Entry:
        if isinstance(evidence, Split):
            cases = {"above": evidence.above, "below": evidence.below}
            return {
                "split": self._named(evidence.pair),
                **{key: self._evidence(case) for key, case in cases.items()},
            }
        return {"cycles": [[str(y), self._named(cycle)] for y, cycle in evidence.parts]}


class Apart(Protocol):
    """A certificate that is written only if a file is wanted."""

    @property
    def stated(self) -> Certificate:
        """As the core reads it."""

    def entry(self, names: Sequence[str]) -> Entry:
        """As a file has it."""


@frozen
class Stated:
    """A proof about orders of many items, whose file is large: the core can read it without one."""

    question: OrderQuestion
    claim: Entry  #: What is claimed, and the scores; the certificate too, unless it is apart.
    apart: Apart | None = None

    @property
    def entry(self) -> Entry:
        """The proof as a file has it."""
        more = {} if self.apart is None else {"certificate": self.apart.entry(self.question.coordinates)}
        return self.question.entry({**self.claim, **more})

    @property
    def proof(self) -> Proof:
        """The same as the core reads it: of the text only what is short."""
        if self.apart is None:
            return read_proof(self.entry)
        short = {"coordinates": list(self.question.coordinates), "decoder": "sort", "labels": []}
        none = {"kind": "addition", "pairs": []}
        read = read_proof({**short, **self.claim, "certificate": none})
        return replace(read, labels=(self.question.label,), certificate=self.apart.stated)


# --- Evidence that orders cost at least so much ----------------------------------------------------------
# Multipliers on cycles, and cases where these do not suffice.

MAX_CASES: Final = 2000
"""Most cases that are distinguished."""

_ZERO: Final = Fraction(0)


def order_evidence(costs: Costs, below: Below, wanted: Fraction, *, more: bool = False) -> Evidence | None:
    """Evidence with which `core.orders.lower_bound` is at least `wanted`, or above it; None if not found.

    Short cycles are packed one after the other; where they do not reach the bound, the free pair that is most
    at odds is split into its two cases. It takes at most `MAX_CASES` cases, and `DEEPEST` inside each other.
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
    """The evidence for orders with some forced pairs, without the cases that these exclude."""
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
    """Cycles, the shortest first, each with as much weight as its arcs have left."""
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
    cycles = (path for start in range(m) if (path := _way_back(start, after)) is not None)
    return min(cycles, key=len, default=None)


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
