"""Counterexamples to false variants, certified and then accepted by the core."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from consistency_lab.book.statement import Refutation
from consistency_lab.certify.witness import Witness, certify
from consistency_lab.core.document import INCONSISTENT, STRICT
from consistency_lab.exact import LogRational
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import Surrogate


def weights(m: int, on: Mapping[tuple[int, int], object]) -> list[list[object]]:
    """The m x m aggregate with these entries, items numbered from 1; the others are 0.

    Examples
    --------
    >>> weights(2, {(1, 2): 3})
    [[0, 3], [0, 0]]
    """
    return [[on.get((i, j), 0) for j in range(1, m + 1)] for i in range(1, m + 1)]


def refuted_by_core(
    surrogate: Surrogate,
    aggregate: Sequence[Sequence[object]],
    condition: str,
    *,
    strict: bool = False,
    scores: Sequence[int | Fraction] | None = None,
) -> Refutation:
    """Refute "this surrogate is consistent under this condition" at one aggregate.

    Parameters
    ----------
    surrogate, aggregate
        Where it fails.
    condition
        The noise condition that has to hold there; the core derives whether it does.
    strict
        Whether the failure has to be strict, wrong under every rule for ties.
    scores
        Scores to be shown minimal; otherwise W is minimized.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import surrogate
    >>> refuted_by_core(surrogate("linear"), weights(3, {(1, 2): 1, (2, 3): 2}), "acyclic").witness
    'd = (12: 1, 23: 2), scores (1, 1, -2): tie, accepted by the core'
    """
    distribution = Distribution.from_aggregate(aggregate)
    exact = None if scores is None else [LogRational(Fraction(score)) for score in scores]
    witness = certify(surrogate, distribution, exact)
    d = differences(distribution)
    if witness is None or witness.verified.claim != INCONSISTENT:
        return Refutation(False, f"{d}: no failure of {surrogate.name} was certified")
    found = witness.verified
    if not found.conditions[condition] or (strict and found.failure != STRICT):
        return Refutation(False, f"{d}: {condition} does not hold there, or the failure is only a tie")
    return Refutation(True, f"{d}, scores {scores_of(witness)}: {found.failure}, accepted by the core")


def differences(distribution: Distribution) -> str:
    """The edges of the difference graph with their weights, items by number from 1.

    Examples
    --------
    >>> differences(Distribution.from_aggregate([[0, 3], [1, 0]]))
    'd = (12: 2)'
    """
    shown = (
        f"{i + 1}{j + 1}: {value}"
        for i, row in enumerate(distribution.difference)
        for j, value in enumerate(row)
        if value > 0
    )
    return f"d = ({', '.join(shown)})"


def scores_of(witness: Witness) -> str:
    """The scores of a witness in parentheses."""
    return f"({', '.join(map(str, witness.scores))})"
