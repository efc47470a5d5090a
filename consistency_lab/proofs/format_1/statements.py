"""What the first format states beside the proof, derived again: digits, optimum, wrong pairs, multipliers.

The core needs none of it and so never sees it. A file that states something false is rejected all the same.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from consistency_lab.core import risk
from consistency_lab.core.certificates import PRECISIONS, margins
from consistency_lab.core.certificates import Bound as CoreBound
from consistency_lab.core.numbers import same, shown
from consistency_lab.errors import RejectedError
from consistency_lab.exact import certainly_less, certainly_positive, enclose, working_precision
from consistency_lab.files import digest
from consistency_lab.proofs.format_1.distribution import aggregate, check_distribution, difference, integers
from consistency_lab.proofs.format_1.document import CONSISTENT_AT_P, INCONSISTENT, Bound, Separation, Witness
from consistency_lab.proofs.format_1.orders import Costs, Optimum, levels_of, order_of
from consistency_lab.proofs.format_1.target import check_claim, check_optimum, failure_of

_ROUNDING: Final = Fraction(500_001, 10**12)
"""Half a unit of the sixth decimal, and a little for how the writer rounded."""

_SHARPNESS: Final = Fraction(99, 100)


def check_statements(document: Mapping[str, object], witness: Witness) -> None:
    """Check what the core does not.

    Raises
    ------
    RejectedError
        If something is false; the message names the first such thing.
    """
    same("the digest", document["digest"], digest(document))
    m, names, certificate = len(witness.items), witness.items, witness.certificate
    check_distribution(witness.graphs, names)
    a = aggregate(witness.graphs, m)
    same("the aggregate", witness.aggregate, a)
    _check_decimals(witness)
    whole, scale = integers(a)
    costs = Costs.of(whole, scale)
    optimum = Optimum.of(costs)
    order = order_of(witness.scores)
    loss = costs.loss(order)
    regret = loss - optimum.loss
    check_optimum(witness.optimum, costs, optimum, loss, regret, Fraction(sum(map(sum, whole)), scale))
    levels = levels_of(witness.scores, order)
    derived = failure_of(difference(a), costs, optimum, levels) if regret else None
    check_claim(witness.claim, witness.failure, regret, derived, names)
    witness.surrogate.check_terms(witness.graphs, certificate.terms)
    if isinstance(certificate, Separation):
        _check_multipliers(witness, certificate)
        _check_gap(witness, certificate)
    if witness.universal is not None:
        if witness.claim != INCONSISTENT:
            raise RejectedError("a universal claim is about an inconsistency")
        same("the order of the universal claim", witness.universal.order, tuple(range(m)))


def _check_decimals(witness: Witness) -> None:
    for name, score, decimal in zip(witness.items, witness.scores, witness.decimals, strict=True):
        # Digits enough to tell even a large number from one that rounds to another decimal.
        with working_precision(64 + decimal.numerator.bit_length()):
            distance = abs(score.ball() - enclose(decimal))
        if not certainly_less(distance, enclose(_ROUNDING)):
            raise RejectedError(
                f"the score of {name} is {shown(score)}, which does not round to its entry in decimals"
            )


def _check_multipliers(witness: Witness, certificate: Separation) -> None:
    """The slopes of each bound leave its multiplier at the end of the pair that the half-space puts first."""
    if len({bound.pair for bound in certificate.bounds}) < len(certificate.bounds):
        raise RejectedError("a separation certificate bounds W on one half-space twice")
    for bound in certificate.bounds:
        _, first = _ends(witness, bound)
        found = sum(
            (
                term.c * slope * n
                for term, slope in zip(certificate.terms, bound.slopes, strict=True)
                for item, n in term.v
                if item == first
            ),
            Fraction(0),
        )
        same(f"the multiplier of the bound at {witness.items[first]}", bound.multiplier, found)


def _check_gap(witness: Witness, certificate: Separation) -> None:
    """The gap is a statement and not a guess: at least 99/100 of what it could be."""
    atoms = [risk.Term(t.c, t.phi, tuple((k, Fraction(n)) for k, n in t.v), t.b) for t in certificate.terms]
    bounds = [CoreBound(*_ends(witness, b), b.slopes, b.brackets) for b in certificate.bounds]
    for bits in PRECISIONS:
        with working_precision(bits):
            try:
                found = margins(atoms, bounds, witness.scores, bits, witness.items)
            except RejectedError:
                continue
            if any(certainly_positive(enclose(certificate.gap / _SHARPNESS) - margin) for margin in found):
                return
    raise RejectedError(f"the gap is stated as {shown(certificate.gap)}, but is larger by more than 1%")


def _ends(witness: Witness, bound: Bound) -> tuple[int, int]:
    """(above, below): what the scores say of the pair, and the half-space does not."""
    i, j = bound.pair
    return (i, j) if witness.claim == CONSISTENT_AT_P else (j, i)
