"""Proofs from exact scores with ties: where a tie may be broken wrongly, the infimum is approached wrongly.

Exact scores that minimize W, or along which W falls to its infimum, are near points of every order that
breaks their ties. If one of these orders is worse than optimal, the infimum of W is also that over the scores
outside A(p), whichever way a rule for ties breaks them (DMJ10 Definition 2 compares with an infimum).
"""

from collections.abc import Iterator, Sequence
from itertools import permutations, product
from math import factorial, prod
from typing import Final

from consistency_lab.core.decoding import levels
from consistency_lab.core.orders import Costs, Order, by_levels, cost
from consistency_lab.exact import LogRational, rational_text
from consistency_lab.model.surrogates import Term
from consistency_lab.proofs.entries import Entry, evidence_entry, label_entry, named
from consistency_lab.proofs.order_evidence import order_evidence
from consistency_lab.solve.stationary import stationary_slopes

_MOST: Final = 5040
"""Most orders of tied items that are gone through; more are tried in part."""


def closure_proof(
    terms: Sequence[Term],
    costs: Costs,
    names: Sequence[str],
    scores: Sequence[LogRational],
    better: Order,
) -> Entry | None:
    """A proof that exact minimizing scores are wrong, strictly or by a tie; None if they are not.

    Parameters
    ----------
    terms
        Of W.
    costs
        What orders pay for pairs.
    names
        Of the items.
    scores
        Exact scores that minimize W.
    better
        An optimal order.

    Examples
    --------
    The linear loss ties the items of a cycle, and the item order is an optimal one; others are not.

    >>> from fractions import Fraction
    >>> from consistency_lab.model.distribution import Distribution
    >>> from consistency_lab.model.surrogates import surrogate
    >>> p = Distribution.from_aggregate([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    >>> costs = {(0, 1): Fraction(1), (1, 2): Fraction(1), (2, 0): Fraction(1)}
    >>> nought = [LogRational(Fraction(0))] * 3
    >>> proof = closure_proof(surrogate("linear").risk_terms(p), costs, p.items, nought, (0, 1, 2))
    >>> proof["failure"], proof["prediction"]
    ('tie', ['1', '3', '2'])
    """
    slopes = stationary_slopes(terms, len(names), scores)
    if slopes is None:
        return None
    level, least = levels(scores), cost(costs, better)
    worse = next((t for t in _orders(level) if cost(costs, t) > least), None)
    if worse is None:
        return None
    strictly = order_evidence(costs, by_levels(level), least, more=True)
    return {
        "claim": "inconsistent",
        "coordinates": list(names),
        "decoder": "sort",
        "labels": [label_entry(terms, costs, names)],
        "scores": list(map(str, scores)),
        "prediction": named(worse, names),
        "better": named(better, names),
        "failure": "tie" if strictly is None else "strict",
        "regret": rational_text(cost(costs, worse) - least),
        "certificate": {"kind": "minimum", "slopes": list(map(rational_text, slopes))},
        **({} if strictly is None else {"orders": evidence_entry(strictly, names)}),
    }


def _orders(level: Sequence[int]) -> Iterator[Order]:
    """The orders in which the levels fall; each group of ties reversed only, where there are too many."""
    groups = [[k for k, n in enumerate(level) if n == height] for height in sorted(set(level), reverse=True)]
    if prod(factorial(len(group)) for group in groups) <= _MOST:
        ways = [list(permutations(group)) for group in groups]
    else:
        ways = [[tuple(group), tuple(reversed(group))] for group in groups]
    for parts in product(*ways):
        yield tuple(k for part in parts for k in part)
