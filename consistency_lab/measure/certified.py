"""What a witness proves about the regret of every minimizer, and not only of the scores in it."""

from fractions import Fraction
from itertools import permutations

from consistency_lab.certify.witness import Witness
from consistency_lab.model.targets.pairwise import loss, total_weight
from consistency_lab.solve.optimal import optimal_orders


def certified_regret(witness: Witness) -> Fraction:
    """The normalized regret that all scores with nearly the least surrogate risk have at least.

    The scores of a stationary certificate are a minimizer, and have their own regret. Those of a separation
    certificate are only near: every dual bound lies above W there, so whatever has no larger W lies in none
    of the half-spaces {alpha_i >= alpha_j} of the bounds. It ranks j above i for each of these pairs, and
    costs at least what the cheapest such order does.

    Parameters
    ----------
    witness
        An accepted witness of an inconsistency.

    Examples
    --------
    >>> from consistency_lab.certify.witness import certify
    >>> from consistency_lab.model.distribution import Distribution
    >>> from consistency_lab.model.surrogates import surrogate
    >>> p = Distribution.from_aggregate([[0, 1, 6], [0, 0, 2], [3, 0, 0]])
    >>> certified_regret(certify(surrogate("logistic"), p))  # every minimizer has 2 above 1
    Fraction(1, 12)
    """
    certificate, optimum = witness.document["certificate"], witness.document["optimum"]
    assert isinstance(certificate, dict) and isinstance(optimum, dict)
    if certificate["kind"] == "stationary":
        return Fraction(str(optimum["normalized_regret"]))
    a, names = witness.distribution.aggregate, witness.distribution.items
    pairs = [tuple(names.index(name) for name in bound["pair"]) for bound in certificate["bounds"]]
    costs = (
        loss(a, order)
        for order in permutations(range(len(a)))
        if all(order.index(j) < order.index(i) for i, j in pairs)
    )
    return (min(costs) - optimal_orders(a).loss) / total_weight(a)
