"""The kernel's verdict on a witness: all of the file is derived again, and the first false claim named."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Final, final

from consistency_lab.core.numbers import same, shown
from consistency_lab.core.risk import convexity
from consistency_lab.errors import RejectedError
from consistency_lab.exact import certainly_less, enclose, working_precision
from consistency_lab.files import digest
from consistency_lab.proofs.format_1.distribution import (
    Matrix,
    aggregate,
    check_distribution,
    difference,
    integers,
)
from consistency_lab.proofs.format_1.document import CONSISTENT_AT_P, INCONSISTENT, Separation, Witness
from consistency_lab.proofs.format_1.orders import Costs, Optimum, levels_of, order_of
from consistency_lab.proofs.format_1.reading import read_witness
from consistency_lab.proofs.format_1.target import check_claim, check_optimum, failure_of
from consistency_lab.proofs.format_1.terms import Term

from .conditions import CONDITIONS
from .families import read_surrogate
from .separation import check_cover, check_separation, largest_gap
from .stationary import check_stationary
from .universal import check_universal

_ROUNDING: Final = Fraction(500_001, 10**12)
"""Half a unit of the sixth decimal, and a little for how the writer rounded."""


@final
@dataclass(frozen=True, slots=True)
class Verified:
    """What a witness proves.

    Parameters
    ----------
    claim
        "inconsistent" or "consistent-at-p".
    failure
        "strict" or "tie", None for consistency.
    regret
        The regret of the scores for the target loss.
    gap
        For a separation certificate: how far the bounds lie above the value of W at the scores, at least.
    universal
        Whether the file also proves the claim for every convex phi (see the documentation of the format).
    surrogate
        The name of the surrogate.
    conditions
        For each noise condition, from the narrowest to the widest, whether the distribution satisfies it.
    m
        The number of items.
    convexity
        How the convexity of the scalar functions was proved.
    """

    claim: str
    failure: str | None
    regret: Fraction
    gap: Fraction | None
    universal: bool
    surrogate: str
    conditions: Mapping[str, bool]
    m: int
    convexity: tuple[str, ...]


def certified_gap(document: Mapping[str, object]) -> Decimal | None:
    """The gap that a document with a separation certificate may state, whatever it states now.

    Returns
    -------
    Decimal or None
        The least certain distance between a bound and the value at the scores, rounded down to six digits;
        None if there is no separation certificate, or a bound is not certainly above that value.

    Raises
    ------
    InputError
        If it is not a document of the format ``consistency-lab/witness/1``.
    """
    witness = read_witness(document)
    if not isinstance(witness.certificate, Separation):
        return None
    gap = largest_gap(witness.certificate, witness.scores)
    # Six digits and a power of ten: the quotient of two such decimals is exact.
    return None if gap is None else Decimal(gap.numerator) / Decimal(gap.denominator)


def verify(document: Mapping[str, object]) -> Verified:
    """Verify a witness document.

    Raises
    ------
    InputError
        If it is not a document of the format ``consistency-lab/witness/1``.
    RejectedError
        If something that it claims is not so; the message names the first such claim.
    """
    witness = read_witness(document)
    same("the digest", document["digest"], digest(document))
    m, names = len(witness.items), witness.items
    check_distribution(witness.graphs, names)
    a = aggregate(witness.graphs, m)
    _same_matrix(witness, a)
    whole, scale = integers(a)
    d = difference(whole)
    for condition, holds in CONDITIONS.items():
        same(f"the condition {condition}", witness.conditions[condition], holds(d))
    _check_decimals(witness)

    costs = Costs.of(whole, scale)
    optimum = Optimum.of(costs)
    order = order_of(witness.scores)
    levels = levels_of(witness.scores, order)
    loss_of_scores = costs.loss(order)
    total = Fraction(sum(map(sum, whole)), scale)
    regret = loss_of_scores - optimum.loss
    check_optimum(witness.optimum, costs, optimum, loss_of_scores, regret, total)
    derived = failure_of(difference(a), costs, optimum, levels) if regret else None
    check_claim(witness.claim, witness.failure, regret, derived, names)

    items = {name: i for i, name in enumerate(names)}
    surrogate = read_surrogate(document["surrogate"], "surrogate", items)
    surrogate.check_name()
    terms = surrogate.terms(witness.graphs, a)
    _same_terms(witness.certificate.terms, terms)
    methods = tuple(sorted({convexity(term.phi) for term in terms}))
    if isinstance(witness.certificate, Separation):
        check_cover(witness.claim, witness.certificate.bounds, costs, optimum, levels, names)
        check_separation(witness.claim, witness.certificate, witness.scores, names)
    elif witness.claim == CONSISTENT_AT_P:
        raise RejectedError("a stationary point in A(p) does not prove consistency at p; a separation does")
    else:
        check_stationary(witness.certificate, witness.scores, names)
    if witness.universal is not None:
        if witness.claim != INCONSISTENT:
            raise RejectedError("a universal claim is about an inconsistency")
        check_universal(witness.universal, surrogate, terms, optimum, names)
    return Verified(
        claim=witness.claim,
        failure=None if derived is None else derived.kind,
        regret=regret,
        gap=witness.certificate.gap if isinstance(witness.certificate, Separation) else None,
        universal=witness.universal is not None,
        surrogate=surrogate.name,
        conditions=MappingProxyType({name: witness.conditions[name] for name in CONDITIONS}),
        m=m,
        convexity=methods,
    )


def _same_matrix(witness: Witness, a: Matrix) -> None:
    same("the number of rows of the aggregate", len(witness.aggregate), len(a))
    for name, stated, line in zip(witness.items, witness.aggregate, a, strict=True):
        same(f"the number of aggregate entries of {name}", len(stated), len(line))
        for other, x, y in zip(witness.items, stated, line, strict=True):
            same(f"the aggregate entry {name} → {other}", x, y)


def _check_decimals(witness: Witness) -> None:
    for name, score, decimal in zip(witness.items, witness.scores, witness.decimals, strict=True):
        # Digits enough to tell even a large number from one that rounds to another decimal.
        with working_precision(64 + decimal.numerator.bit_length()):
            distance = abs(score.ball() - enclose(decimal))
        if not certainly_less(distance, enclose(_ROUNDING)):
            raise RejectedError(
                f"the score of {name} is {shown(score)}, which does not round to its entry in decimals"
            )


def _same_terms(stated: tuple[Term, ...], derived: tuple[Term, ...]) -> None:
    same("the number of terms of the risk", len(stated), len(derived))
    for number, (given, right) in enumerate(zip(stated, derived, strict=True), start=1):
        same(f"term {number} of the risk", given, right)
