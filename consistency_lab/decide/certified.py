"""What is proved about a loss at one distribution over preference graphs, whoever asks.

A theorem that tells the order near the infimum of W decides by additions alone (`theorems.linear`). It
needs no file; one is made on demand, and must agree. Otherwise a proof that the core accepts decides; of more
than 15 items its file, which has megabytes, is made on demand too, and read back by the core. Where none is
found, a theorem about the scores of two items decides, or about a condition that holds here.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from itertools import chain, combinations
from types import NoneType
from typing import Any, Final, Literal, final

import numpy as np

from consistency_lab.certify.addition import ByAddition, proved_by_addition
from consistency_lab.certify.proofs.orders import order_evidence
from consistency_lab.certify.proofs.record import EVERYTHING
from consistency_lab.certify.witness import MAX_WITNESS_ITEMS, Case, Decided, Witness
from consistency_lab.core.addition import DOMINATION, lacking
from consistency_lab.core.document import INCONSISTENT, STRICT, TIE
from consistency_lab.core.orders import NO_CYCLES, by_levels, lower_bound
from consistency_lab.decide.answers import Repair, Verdict
from consistency_lab.decide.cases import not_proved_convex
from consistency_lab.decide.theorems.catalogue import consistency_theorem
from consistency_lab.decide.theorems.difference import EXCHANGE, exchangeable, parts_apart
from consistency_lab.decide.theorems.linear import NetOrder, net_order
from consistency_lab.errors import ConsistencyLabError, InputError, UnsupportedError
from consistency_lab.model.conditions import CONDITIONS, TASK_CONDITIONS
from consistency_lab.model.designs import nearest_product, schedule
from consistency_lab.model.distribution import Distribution, loss
from consistency_lab.model.surrogates import EdgeSurrogate, Surrogate
from consistency_lab.model.surrogates.own import as_surrogate
from consistency_lab.solve.kemeny import KemenyOrder, kemeny, worthwhile
from consistency_lab.solve.minimize import minimize
from consistency_lab.solve.optimal import optimal_orders

DECIMALS: Final = 4
"""Scores of people or products are read, so they are not rounded as far as those of a made-up witness."""

_MANY: Final = 7
"""From this many items on, proofs by neighbors in the order of the scores are faster."""

BY_ADDITION_ALONE: Final = 300
"""Of more items no other proof is tried, and no other factor than 1, which needs no sorting."""

_NEAR: Final = 1e-6
_TOO_MANY: Final = (
    "there are {m} items, and adding up comparisons does not decide; "
    f"with more than {BY_ADDITION_ALONE} items nothing else is tried"
)
_NAMED: Final = 12
_PARTS: Final = "strong components (docs/theory.md, Components)"
_NO_MAJORITY: Final = "without a majority every order is optimal"


@final
@dataclass(frozen=True, eq=False)
class Certified:
    """The verdict at one profile."""

    #: Whether scores near the infimum of W are certainly ordered wrongly (INCONSISTENT) or correctly
    #: (CONSISTENT).
    verdict: Verdict
    reason: str  #: One sentence.
    theorem: str | None = None  #: The theorem that decides without a file, if one does.
    failure: str | None = None  #: "strict" or "tie" where the loss is wrong.
    #: The items by falling score, ties together, if a theorem gives them exactly.
    levels: tuple[tuple[int, ...], ...] | None = None
    file: Callable[[], Witness | None] = NoneType  #: Looks for the file that proves it.
    #: The pairs of items ordered by adding up comparisons; None if that proves nothing about the loss.
    by_addition: ByAddition | None = None
    look: Callable[[], tuple[Repair, ...]] = tuple  #: Searches for repairs.

    @cached_property
    def repairs(self) -> tuple[Repair, ...]:
        """Repairs of an edge loss that is wrong, for few items only."""
        return self.look() if self.verdict is Verdict.INCONSISTENT else ()

    @cached_property
    def witness(self) -> Witness | None:
        """The file that proves it. If a theorem decides, the file is searched on first access."""
        found = self.file()
        if found is not None and found.inconsistent is not (self.verdict is Verdict.INCONSISTENT):
            raise ConsistencyLabError(
                f"{self.theorem} says {self.verdict}, but a file proves that {found.verified.sentence}; one "
                "of them is wrong, so please report this"
            )
        return found

    @property
    def document(self) -> Mapping[str, Any] | None:
        return None if self.witness is None else self.witness.document


def certified(
    surrogate: Surrogate,
    p: Distribution,
    best: KemenyOrder | None = None,
    provenance: Mapping[str, str] | None = None,
) -> Certified:
    """Prove what can be proved about a loss at a distribution."""
    a = p.aggregate
    added = pairs_by_addition(surrogate, a)
    known = partial(Certified, by_addition=added, look=partial(repairs, surrogate, p))
    told = _by_theorem(surrogate, p, best)
    if told is not None:
        verdict, reason, failure, order = told
        file = partial(_looked_for, surrogate, p, added, best, provenance)
        return known(verdict, reason, order.theorem, failure, order.levels or None, file)
    try:
        found = _proved(surrogate, p, added, best, provenance)
        why = _open(surrogate, p) if found is None else ""
    except UnsupportedError as error:
        found, why = None, str(error)
    if isinstance(found, Decided) and not found.proved.every:
        found = found.file  # its words are few items', and it is small
    if found is None:
        tied = exchangeable(surrogate, p.whole)
        if tied is not None:
            i, j = (p.items[k] for k in tied)
            reason = f"near the infimum of W {i} and {j} may be tied, but a majority prefers {i}"
            return known(Verdict.INCONSISTENT, reason, EXCHANGE, TIE)
        told_by = _by_condition(surrogate, p) or _by_parts(surrogate, p)
        return known(Verdict.UNDECIDED, why) if told_by is None else known(*told_by)
    if isinstance(found, Decided):
        claim, failure, reason = found.proved.claim, found.proved.failure, EVERYTHING[found.proved.claim]
    else:
        claim, failure, reason = found.verified.claim, found.failure, found.verified.sentence
    verdict = Verdict.INCONSISTENT if claim == INCONSISTENT else Verdict.CONSISTENT
    return known(verdict, reason, failure=failure, file=partial(_file, found))


def _proved(
    surrogate: Surrogate,
    p: Distribution,
    added: ByAddition | None,
    best: KemenyOrder | None,
    provenance: Mapping[str, str] | None,
) -> Witness | Decided | None:
    """What decides, by adding comparisons up if that does; of many items a file of it is not made yet."""
    bent = not_proved_convex(surrogate)
    if bent is not None:
        raise UnsupportedError(f"{bent} is not proved convex, so no certificate applies")
    case = Case(surrogate, p, provenance or {}, best, universal=True)
    found = None if added is None else case.by_addition(added)
    if found is None and p.m > BY_ADDITION_ALONE:
        raise UnsupportedError(_TOO_MANY.format(m=p.m))
    if p.m > MAX_WITNESS_ITEMS:
        return found or case.of_many()
    return found.file if found else case.decided(decimals=DECIMALS, quick=p.m >= _MANY)


# What an answer holds is a function of this module, so that it can be pickled.


def _looked_for(*asked: Any) -> Witness | None:
    with suppress(UnsupportedError):
        return _file(_proved(*asked))
    return None


def _file(found: Witness | Decided | None) -> Witness | None:
    return found.file if isinstance(found, Decided) else found


def _by_theorem(
    surrogate: Surrogate, p: Distribution, best: KemenyOrder | None
) -> tuple[Verdict, str, str | None, NetOrder] | None:
    """Verdict, reason and failure, with the order that a theorem gives; None if that is not enough."""
    a = p.aggregate
    if all(x == a[j][i] for i, row in enumerate(a) for j, x in enumerate(row)):
        return Verdict.CONSISTENT, _NO_MAJORITY, None, NetOrder((), f"the definition ({_NO_MAJORITY})")
    order_by_net = net_order(surrogate, p.whole)
    if order_by_net is None:
        return None
    best = best or kemeny(a, worthwhile(len(a)))
    reason = f"the items are ordered by their wins less losses: {order_by_net.theorem}"
    order = [item for level in order_by_net.levels for item in level]
    back = [item for level in order_by_net.levels for item in reversed(level)]
    # Of all orders that break the ties the costs of one and of its counterpart add up to the same sum.
    cost, most = sorted((loss(a, order), loss(a, back)))
    if most > best.cost:
        failure = STRICT if _all_cost_more(a, order_by_net.levels, best.cost) else TIE
        return Verdict.INCONSISTENT, reason, failure, order_by_net
    return (Verdict.CONSISTENT, reason, None, order_by_net) if cost == most == best.at_least else None


def _all_cost_more(a: Sequence[Sequence[Fraction]], levels: Sequence[Sequence[int]], least: Fraction) -> bool:
    """Whether all orders of these levels are proved to cost more, however their ties are broken."""
    costs = {(i, j): x for i, row in enumerate(a) for j, x in enumerate(row) if x and i != j}
    height = {item: -n for n, level in enumerate(levels) for item in level}
    below = by_levels([height[item] for item in range(len(a))])
    if len(a) > MAX_WITNESS_ITEMS:
        return lower_bound(costs, below, NO_CYCLES) > least
    return order_evidence(costs, below, least, more=True) is not None


def pairs_by_addition(surrogate: Surrogate, a: Sequence[Sequence[Fraction]]) -> ByAddition | None:
    """The pairs that adding comparisons up puts in order; None where it proves nothing of this loss."""
    if (
        type(surrogate) is not EdgeSurrogate
        or not surrogate.of_aggregate
        or DOMINATION in lacking(surrogate.phi)
    ):
        return None
    return proved_by_addition(surrogate.phi, a, quick=len(a) > BY_ADDITION_ALONE)


_Told = tuple[Verdict, str, str, str | None]
"""Verdict, reason, theorem and failure."""


def _by_condition(surrogate: Surrogate, p: Distribution) -> _Told | None:
    """The answer of a theorem about a condition and a design that p has."""
    for name, condition in CONDITIONS.items():
        for design in reversed(p.design.names):
            evidence = consistency_theorem(surrogate, name, m=p.m, design=design)
            if evidence is not None and condition.test(p.whole):
                also = "" if design == "any" else f", the design is {design}"
                reason = (
                    f"{evidence.citation}, hypotheses checked, for {evidence.scope}; {name} holds here{also}"
                )
                return Verdict.CONSISTENT, reason, evidence.citation, None
    return None


def _by_parts(surrogate: Surrogate, p: Distribution) -> _Told | None:
    """The answer of the strong components where they move apart: docs/theory.md, Components."""
    parts = parts_apart(surrogate, p.whole) or []
    if len(parts) < 2:
        return None
    a = p.aggregate
    alone = {
        part: certified(surrogate, Distribution.from_aggregate([[a[i][j] for j in part] for i in part]))
        for part in parts
        if len(part) > 1
    }
    for part, found in alone.items():
        if found.verdict is Verdict.INCONSISTENT:
            more = len(part) - _NAMED
            names = ", ".join(p.items[i] for i in part[:_NAMED]) + (f" and {more} more" if more > 0 else "")
            reason = f"{names} alone are wrong, and the strong components move apart"
            return found.verdict, reason, _PARTS, found.failure
    if all(found.verdict is Verdict.CONSISTENT for found in alone.values()):
        reason = f"each of the {len(parts)} strong components is right alone, and they move apart"
        return Verdict.CONSISTENT, reason, _PARTS, None
    return None


def _open(surrogate: Surrogate, p: Distribution) -> str:
    """Why nothing is proved, in words: what floats see near the infimum of W, and what is missing."""
    scores = minimize(surrogate.risk_terms(p), p.m, exact=False).scores
    pairs = [(abs(scores[i] - scores[j]), i, j) for i, j in combinations(range(p.m), 2) if p.difference[i][j]]
    gap, i, j = min(pairs)
    if gap <= _NEAR:
        seen = f"differ by {gap:.1g}" if gap else "do not differ in floats"
        return (
            f"near the infimum of W the scores of {p.items[i]} and {p.items[j]} {seen}; neither an exact tie "
            "nor a gap of W between the two orders could be proved"
        )
    order = sorted(range(p.m), key=lambda k: -scores[k])
    best = optimal_orders(p.aggregate).loss
    word = "right" if loss(p.aggregate, order) == best else "wrong"
    return (
        f"floats order the items {' > '.join(p.items[k] for k in order)}, which is {word}, but no bound on W "
        "was found that proves this near its infimum"
    )


def repairs(surrogate: Surrogate, p: Distribution) -> tuple[Repair, ...]:
    """What may be right where an edge loss is wrong, that first which is so most often (docs/audit.md)."""
    # Weights keep the majorities, and without a cycle of these the optimal orders; with one they do not, and
    # weighing is not tried. Under strong stochastic transitivity each is right (docs/designs.md).
    if type(surrogate) is not EdgeSurrogate or not surrogate.of_aggregate or p.m > MAX_WITNESS_ITEMS:
        return ()
    tried: list[tuple[Literal["loss", "balanced", "product"], Surrogate, Distribution]] = []
    for name in (f"difference-{surrogate.name}", "linear"):
        with suppress(InputError):
            tried.append(("loss", as_surrogate(name), p))
    if TASK_CONDITIONS["acyclic"].holds(p.aggregate):
        n = schedule(p.aggregate)
        most = max(map(max, n))  # counts beyond floats have shares too
        w = nearest_product(np.array([[float(x / most) for x in row] for row in n]))
        least = Fraction(1, _WEIGHTS)
        popular = [max(Fraction(float(x)).limit_denominator(_WEIGHTS), least) for x in w / w.max()]
        designs: dict[Literal["balanced", "product"], list[Fraction]] = {
            "balanced": [Fraction(1)] * p.m,
            "product": popular,
        }
        for kind, x in designs.items():
            weighed = [
                [a * x[i] * x[j] / n[i][j] if n[i][j] else a for j, a in enumerate(row)]
                for i, row in enumerate(p.aggregate)
            ]
            # Where this multiplies all of W by one number it is the loss that is wrong here.
            if len({y / x for x, y in zip(chain(*p.aggregate), chain(*weighed), strict=True) if x}) > 1:
                tried.append((kind, surrogate, Distribution.from_aggregate(weighed, p.items)))
    return tuple(Repair(kind, one, certified(one, q).verdict) for kind, one, q in tried)


_WEIGHTS: Final = 10_000
"""Popularities are rounded to fractions of so small denominators, and the least ones to no less than one."""
