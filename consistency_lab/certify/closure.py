"""Proofs from exact scores with ties: where a tie may be broken wrongly, the infimum is approached wrongly.

Exact scores that minimize W, or along which W falls to its infimum, are near points of every order that
breaks their ties. If one of these orders is worse than optimal, the infimum of W is also that over the scores
outside A(p), whichever way a rule for ties breaks them (DMJ10 Definition 2 compares with an infimum).
"""

from collections.abc import Sequence

from consistency_lab.core.decoding import levels
from consistency_lab.core.orders import Costs, Order, by_levels, cost
from consistency_lab.exact import LogRational, rational_text
from consistency_lab.model.surrogates import Term
from consistency_lab.proofs.entries import Entry, evidence_entry, label_entry, named
from consistency_lab.proofs.order_evidence import order_evidence
from consistency_lab.solve.stationary import stationary_slopes


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
    ('tie', ['3', '2', '1'])
    """
    slopes = stationary_slopes(terms, len(names), scores)
    if slopes is None:
        return None
    level, least = levels(scores), cost(costs, better)
    worse = max(_two_orders(level), key=lambda order: cost(costs, order))
    if cost(costs, worse) == least:
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


def _two_orders(level: Sequence[int]) -> tuple[Order, Order]:
    """An order in which the levels fall, and the one that breaks all ties the other way round.

    For every order that breaks the ties, its cost and that of its counterpart add up to one and the same sum.
    So if both of these cost the least, then all orders that break the ties do, and no more of them need to be
    tried.
    """
    upward = sorted(range(len(level)), key=lambda k: (-level[k], k))
    return tuple(upward), tuple(sorted(upward, key=lambda k: (-level[k], -k)))
