"""Proofs from the scores' own order: near the infimum of W nothing else is returned, or only ties are open.

Scores fall into levels (equal scores together). If W is certainly larger wherever an item of one level is not
above one of the next, then whatever comes near the infimum orders the levels like the scores. All orders that
break the ties inside the levels may be optimal (W is right here), or all worse (wrong). It does not matter
how many orders are optimal, nor whether the infimum is attained.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Final

from consistency_lab.certify.gaps import proposed_gap
from consistency_lab.certify.separation import boundary_minimizer, dual_slopes, exact_dual, rounded_scores
from consistency_lab.core.orders import Costs, Order, Pair, cost, reversed_costs
from consistency_lab.model.surrogates import Term
from consistency_lab.proofs.entries import Entry, evidence_entry, label_entry, named
from consistency_lab.proofs.order_evidence import order_evidence

_TIED: Final = 1e-6
_DIGITS: Final = (2, 4, 6, 9)


def levels_of(scores: Sequence[float]) -> list[list[int]]:
    """The items by falling score, those that are as good as equal together.

    Examples
    --------
    >>> levels_of([0.5, 1.0, 0.5])
    [[1], [0, 2]]
    """
    falling = sorted(range(len(scores)), key=lambda k: (-scores[k], k))
    levels = [[falling[0]]]
    for upper, lower in pairwise(falling):
        if scores[upper] - scores[lower] > _TIED:
            levels.append([])
        levels[-1].append(lower)
    return levels


def chamber_proof(
    terms: Sequence[Term], costs: Costs, names: Sequence[str], floats: Sequence[float], better: Order
) -> Entry | None:
    """A proof that W is right, or wrong, near its infimum; None where the levels do not decide it.

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

    Examples
    --------
    >>> from consistency_lab.model.distribution import Distribution
    >>> from consistency_lab.model.surrogates import surrogate
    >>> p = Distribution.from_aggregate([[0, 3], [1, 0]])
    >>> costs = {(0, 1): Fraction(3), (1, 0): Fraction(1)}
    >>> terms = surrogate("exponential").risk_terms(p)
    >>> chamber_proof(terms, costs, p.items, [0.275, -0.275], (0, 1))["claim"]
    'consistent-at-p'
    """
    m = len(names)
    levels = levels_of(floats)
    forced = [pair for upper, lower in pairwise(levels) for pair in product(upper, lower)]
    outcome = _outcome(costs, names, forced, levels, better)
    if outcome is None or not forced:
        return None
    centers = {k: sum(floats[i] for i in level) / len(level) for level in levels for k in level}
    boundaries = {pair: boundary_minimizer(terms, m, pair) for pair in forced}
    for digits in _DIGITS:
        scores = rounded_scores([centers[k] for k in range(m)], digits)
        duals = {}
        for above, below in forced:
            boundary, w = boundaries[above, below], (below, above)
            found = exact_dual(terms, m, boundary, w) or dual_slopes(terms, m, boundary, w, digits + 1)
            if found is None:
                break
            duals[above, below] = found
        if len(duals) < len(forced):
            continue
        gap = proposed_gap(terms, scores, list(duals.values()))
        if gap is None or gap <= 0:
            continue
        bounds = [
            {
                "above": names[above],
                "below": names[below],
                "slopes": list(map(str, dual.slopes)),
                "brackets": [None if b is None else list(map(str, b)) for b in dual.brackets],
            }
            for (above, below), dual in duals.items()
        ]
        return {
            "coordinates": list(names),
            "decoder": "sort",
            "labels": [label_entry(terms, costs, names)],
            "scores": list(map(str, scores)),
            "certificate": {"kind": "separation", "bounds": bounds, "gap": str(gap)},
            **outcome,
        }
    return None


def _outcome(
    costs: Costs, names: Sequence[str], forced: Sequence[Pair], levels: Sequence[Sequence[int]], better: Order
) -> Entry | None:
    """What follows if the pairs are forced: all orders are optimal, or all worse than the better one."""
    m, least = len(names), cost(costs, better)
    whole = sum(costs.values(), Fraction(0))
    extensions = order_evidence(reversed_costs(costs), m, forced, whole - least)
    if extensions is not None:
        orders = order_evidence(costs, m, [], least)
        if orders is None:
            return None
        return {
            "claim": "consistent-at-p",
            "orders": evidence_entry(orders, names),
            "extensions": evidence_entry(extensions, names),
        }
    orders = order_evidence(costs, m, forced, least, more=True)
    if orders is None:
        return None
    prediction = tuple(k for level in levels for k in level)
    return {
        "claim": "inconsistent",
        "orders": evidence_entry(orders, names),
        "prediction": named(prediction, names),
        "better": named(better, names),
        "failure": "strict",
        "regret": str(cost(costs, prediction) - least),
    }
