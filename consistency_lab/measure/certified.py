"""What a witness proves about the regret of minimizing the surrogate, and not only of the scores in it."""

from fractions import Fraction

from consistency_lab.certify.witness import Witness
from consistency_lab.core.separation import Separation
from consistency_lab.model.targets.pairwise import total_weight
from consistency_lab.solve.optimal import optimal_orders


def certified_regret(witness: Witness) -> Fraction:
    """The normalized regret that scores of nearly the least surrogate risk are proved to have.

    Where the scores are a minimizer, that is the regret of what sorting them may return. Those of a
    separation are only near: every dual bound lies above W there, so whatever has no larger W orders the
    pairs of the bounds like the scores. It costs at least what the cheapest such order does.

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
    certificate = witness.proof.certificate
    if not isinstance(certificate, Separation):
        return witness.normalized_regret
    a = witness.distribution.aggregate
    pairs = [(bound.above, bound.below) for bound in certificate.bounds]
    return (optimal_orders(a, pairs).loss - witness.optimum.loss) / total_weight(a)
