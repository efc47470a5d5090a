"""Proofs about one distribution, written out for the core: at exact scores, or by separation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise, permutations, product
from typing import Final, final

from consistency_lab.certify.closure import closure_proof
from consistency_lab.certify.document import provenance_entry
from consistency_lab.certify.separation_proof import levels_of, separation_proof
from consistency_lab.certify.telling_pairs import has_pairs, shared_pairs, wrong_pairs
from consistency_lab.core.orders import Costs, Order, Pair
from consistency_lab.errors import InputError, RejectedError, UnsupportedError
from consistency_lab.exact import LogRational
from consistency_lab.model.conditions import conditions_at
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import Surrogate, Term, pair
from consistency_lab.phi import parse
from consistency_lab.proofs.entries import Entry
from consistency_lab.proofs.file import sealed
from consistency_lab.proofs.names import surrogate_entry
from consistency_lab.proofs.record import VerifiedProof
from consistency_lab.proofs.verified import verify
from consistency_lab.solve.minimize import Minimum, minimize
from consistency_lab.solve.optimal import OptimalOrders, optimal_orders

MAX_ITEMS: Final = 15
"""Most items: all optimal orders are found by going through all sets of items."""

_NUDGE: Final = Fraction(1, 10**4)
_APART: Final = (Fraction(2), Fraction(1, 2), Fraction(1, 1000))
_PULL: Final = parse("max(0,-x)")


@final
@dataclass(frozen=True)
class Proven:
    """A file that the core has accepted.

    Parameters
    ----------
    document
        The file.
    verified
        What was proved, and which names were recomputed.
    """

    document: Mapping[str, object]
    verified: VerifiedProof


@final
@dataclass(frozen=True)
class _Case:
    """One question to certify: a surrogate at a distribution."""

    surrogate: Surrogate
    distribution: Distribution
    terms: tuple[Term, ...]
    costs: Costs
    optimum: OptimalOrders
    provenance: Mapping[str, str]

    @property
    def better(self) -> Order:
        """An optimal order."""
        return tuple(next(iter(self.optimum.orders(1))))

    def accepted(self, proof: Entry | None) -> Proven | None:
        """The proof as a file that the core accepts, or None."""
        if proof is None:
            return None
        graphs = [
            {
                "probability": str(p),
                "edges": [
                    [self.distribution.items[i], self.distribution.items[j], str(w)] for i, j, w in graph
                ],
            }
            for p, graph in zip(self.distribution.probabilities, self.distribution.graphs, strict=True)
        ]
        named = {
            "surrogate": surrogate_entry(self.surrogate.describe(self.distribution)),
            "graphs": graphs,
            "target": "pairwise-disagreement",
            "conditions": conditions_at(self.distribution.aggregate),
        }
        document = sealed(proof, named, self.provenance)
        try:
            return Proven(document, verify(document))
        except (InputError, RejectedError):  # an InputError: numbers too long for a file
            return None


def prove(
    surrogate: Surrogate,
    distribution: Distribution,
    *,
    provenance: Mapping[str, str] | None = None,
    decimals: int = 1,
) -> Proven | None:
    """Prove that a surrogate is wrong, or right, at one distribution; None if no proof is found.

    Ties are failures whichever way a rule for ties would break them (DMJ10 Definition 2 compares with an
    infimum), so the order of the items does not matter; nor does it how many orders are optimal, or whether
    there is a minimizer.

    Parameters
    ----------
    surrogate, distribution
        The question.
    provenance
        Texts for the document.
    decimals
        Scores are rounded to the fewest decimals that can be certified, but not to fewer than these.

    Raises
    ------
    UnsupportedError
        If there are more items than all sets of items can be gone through for, or floats overflow.

    Examples
    --------
    The linear loss ties the items of a cycle; three of the six orders are optimal.

    >>> from consistency_lab.model.surrogates import surrogate
    >>> cycle = Distribution.from_aggregate([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    >>> prove(surrogate("linear"), cycle).verified.failure
    'tie'
    """
    if distribution.m > MAX_ITEMS:
        raise UnsupportedError(f"there are {distribution.m} items; proofs are made for at most {MAX_ITEMS}")
    a, terms = distribution.aggregate, surrogate.risk_terms(distribution)
    costs = {(i, j): x for i, line in enumerate(a) for j, x in enumerate(line) if x}
    case = _Case(surrogate, distribution, terms, costs, optimal_orders(a), provenance_entry(provenance or {}))
    try:
        minimum = minimize(terms, distribution.m)
        found = _at_a_minimum(case, minimum.exact) if minimum.exact is not None else None
        return found or _by_separation(case, minimum, decimals) or _at_another_minimum(case, minimum)
    except OverflowError:
        raise UnsupportedError("a weight is too large for floats, so they propose nothing") from None


def _at_a_minimum(case: _Case, scores: Sequence[LogRational]) -> Proven | None:
    return case.accepted(closure_proof(case.terms, case.costs, case.distribution.items, scores, case.better))


def _at_another_minimum(case: _Case, minimum: Minimum) -> Proven | None:
    """Of many minimizers one that is wrong: a small pull between two items chooses among them.

    That the result is a minimizer is decided by its slopes in W alone.
    """
    if minimum.exact is None or minimum.unique is True:
        return None
    least = min(term.c for term in case.terms)
    for i, k in permutations(range(case.distribution.m), 2):
        for apart in _APART:
            pull = pair(least * _NUDGE, _PULL, i, k, LogRational(apart))
            exact = minimize([*case.terms, pull], case.distribution.m).exact
            found = None if exact is None else _at_a_minimum(case, exact)
            if found is not None:
                return found
    return None


def _by_separation(case: _Case, minimum: Minimum, decimals: int) -> Proven | None:
    """Few pairs that optimal orders have the other way round, or share; or else all levels of the scores."""
    floats = minimum.scores.tolist()
    question = (case.terms, case.costs, case.distribution.items, floats, case.better)
    shared = shared_pairs(case.optimum, len(floats))
    few = [(j, i) for i, j in wrong_pairs(case.optimum, floats)]
    if not few and has_pairs(floats, shared):
        few = shared
    for pairs in (few, _levels(floats)):
        found = case.accepted(separation_proof(*question, pairs, decimals))
        if found is not None:
            return found
    return None


def _levels(scores: Sequence[float]) -> list[Pair]:
    """Each item of a level above each of the next: near the infimum nothing else may be returned."""
    levels = levels_of(scores)
    return [pair for upper, lower in pairwise(levels) for pair in product(upper, lower)]
