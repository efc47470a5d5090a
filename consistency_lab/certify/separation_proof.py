"""Proofs by separation: whatever comes near the infimum of W orders some pairs of items like the scores.

Scores fall into levels (equal scores together). If W is certainly larger wherever an item of one level is not
above one of the next, then whatever comes near the infimum orders the levels like the scores. All orders that
break the ties inside the levels may be optimal (W is right here), or all worse (wrong). It does not matter
how many orders are optimal, nor whether the infimum is attained.
"""

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Final

from consistency_lab.certify.gaps import certain_gap, proposed_gap
from consistency_lab.certify.separation import (
    Dual,
    boundary_minimizer,
    dual_slopes,
    exact_dual,
    rounded_scores,
)
from consistency_lab.core.orders import Costs, Order, Pair, closure, cost, reversed_costs
from consistency_lab.exact import LogRational, rational_text
from consistency_lab.model.surrogates import Term
from consistency_lab.proofs.entries import Entry, evidence_entry, label_entry, named
from consistency_lab.proofs.order_evidence import order_evidence

TIED: Final = (1e-6, 1e-10)
"""Scores so near are taken for equal; then, for the sake of near ties, only nearer ones."""

_DIGITS: Final = (1, 2, 3, 4, 5, 6, 8, 10, 12)


def levels_of(scores: Sequence[float], tied: float = TIED[0]) -> list[list[int]]:
    """The items by falling score, those that are as good as equal together.

    Examples
    --------
    >>> levels_of([0.5, 1.0, 0.5])
    [[1], [0, 2]]
    """
    falling = sorted(range(len(scores)), key=lambda k: (-scores[k], k))
    levels = [[falling[0]]]
    for upper, lower in pairwise(falling):
        if scores[upper] - scores[lower] > tied:
            levels.append([])
        levels[-1].append(lower)
    return levels


def separation_proofs(
    terms: Sequence[Term],
    costs: Costs,
    names: Sequence[str],
    floats: Sequence[float],
    better: Order,
    forced: Sequence[Pair],
    decimals: int = 1,
    tied: float = TIED[0],
) -> Iterator[Entry]:
    """Proofs that W is right, or wrong, near its infimum, by pairs of items; none if they do not say it.

    The gap of a proof is proposed in floats; where the core does not accept it, the next proof has a certain
    one.

    Parameters
    ----------
    terms
        Of W.
    costs
        What orders pay for pairs.
    names
        Of the items.
    floats
        A minimizer of W, or scores that come near its infimum.
    better
        An optimal order.
    forced
        Pairs (above, below) that the scores order so.
    decimals
        Scores are rounded to the fewest decimals that serve, but not to fewer than these.
    tied
        Scores so near are taken for equal.

    Examples
    --------
    >>> from consistency_lab.model.distribution import Distribution
    >>> from consistency_lab.model.surrogates import surrogate
    >>> p = Distribution.from_aggregate([[0, 3], [1, 0]])
    >>> costs = {(0, 1): Fraction(3), (1, 0): Fraction(1)}
    >>> terms = surrogate("exponential").risk_terms(p)
    >>> next(separation_proofs(terms, costs, p.items, [0.275, -0.275], (0, 1), [(0, 1)]))["claim"]
    'consistent-at-p'
    """
    outcome = _outcome(costs, names, forced, levels_of(floats, tied), better) if forced else None
    if outcome is None:
        return
    labels = [label_entry(terms, costs, names)]
    for found in separations(terms, names, floats, forced, decimals, tied):
        yield {"coordinates": list(names), "decoder": "sort", "labels": labels, **found, **outcome}


def separations(
    terms: Sequence[Term],
    names: Sequence[str],
    floats: Sequence[float],
    forced: Sequence[Pair],
    decimals: int = 1,
    tied: float = TIED[0],
) -> Iterator[Entry]:
    """Scores and certificates that whatever comes near the infimum of W orders the pairs so.

    Parameters
    ----------
    terms, names, floats, forced, decimals, tied
        As in `separation_proofs`.
    """
    m, levels = len(names), levels_of(floats, tied)
    centers = {k: sum(floats[i] for i in level) / len(level) for level in levels for k in level}
    boundaries = {pair: boundary_minimizer(terms, m, pair) for pair in forced}
    for digits in (n for n in _DIGITS if n >= decimals):
        scores = rounded_scores([centers[k] for k in range(m)], digits)
        duals: dict[Pair, Dual] = {}
        for above, below in forced:
            boundary, w = boundaries[above, below], (below, above)
            found = exact_dual(terms, m, boundary, w) or dual_slopes(terms, m, boundary, w, digits + 1)
            if found is None:
                break
            duals[above, below] = found
        if len(duals) < len(forced):
            continue
        for gap in _gaps(terms, scores, duals):
            bounds = [_bound_entry(pair, dual, names) for pair, dual in duals.items()]
            certificate = {"kind": "separation", "bounds": bounds, "gap": str(gap)}
            yield {"scores": list(map(str, scores)), "certificate": certificate}


def _gaps(
    terms: Sequence[Term], scores: Sequence[LogRational], duals: Mapping[Pair, Dual]
) -> Iterator[Decimal]:
    """The gap that floats see, if they see any; then a certain one."""
    likely = proposed_gap(terms, scores, list(duals.values()))
    if likely is not None and likely <= 0:
        return
    if likely is not None:
        yield likely
    certain = certain_gap(terms, scores, duals)
    if certain is not None and certain != likely:
        yield certain


def _bound_entry(pair: Pair, dual: Dual, names: Sequence[str]) -> Entry:
    above, below = pair
    return {
        "above": names[above],
        "below": names[below],
        "slopes": list(map(rational_text, dual.slopes)),
        "brackets": [None if b is None else list(map(rational_text, b)) for b in dual.brackets],
    }


def _outcome(
    costs: Costs, names: Sequence[str], forced: Sequence[Pair], levels: Sequence[Sequence[int]], better: Order
) -> Entry | None:
    """What follows if the pairs are forced: all orders are optimal, or all worse than the better one."""
    least, below = cost(costs, better), closure(len(names), forced)
    whole = sum(costs.values(), Fraction(0))
    extensions = order_evidence(reversed_costs(costs), below, whole - least)
    if extensions is not None:
        orders = order_evidence(costs, closure(len(names), ()), least)
        if orders is None:
            return None
        return {
            "claim": "consistent-at-p",
            "orders": evidence_entry(orders, names),
            "extensions": evidence_entry(extensions, names),
        }
    orders = order_evidence(costs, below, least, more=True)
    if orders is None:
        return None
    prediction = tuple(k for level in levels for k in level)
    return {
        "claim": "inconsistent",
        "orders": evidence_entry(orders, names),
        "prediction": named(prediction, names),
        "better": named(better, names),
        "failure": "strict",
        "regret": rational_text(cost(costs, prediction) - least),
    }
