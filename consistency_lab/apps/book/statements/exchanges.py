"""What the page on exchanging two items computes: counts of rankings, and what refutes false variants."""

from collections.abc import Iterator, Mapping
from itertools import combinations, permutations

from consistency_lab.apps.book.risk import exact_risk, rational_scores, refuted_by_core, weights
from consistency_lab.apps.book.statement import Refutation
from consistency_lab.model.designs import design
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate
from consistency_lab.search.designs import constructions


def at_counts(name: str, a: str, condition: str) -> Refutation:
    """What the core sees refuted at this aggregate, a_ij row by row."""
    found = refuted_by_core(surrogate(name), [[int(x) for x in row] for row in a.split()], condition)
    return Refutation(found.refuted, f"{name}, a = {a}: {found.witness}")


def constructed(name: str, noise: str, schedule: str, m: str) -> Refutation:
    """What a construction refutes under this condition and design."""
    for one in constructions(surrogate(name).functions[0], noise, schedule, int(m)):
        found = refuted_by_core(surrogate(name), one.aggregate, noise, strict=one.strict)
        if found.refuted and design(schedule).holds(one.aggregate):
            return Refutation(True, f"{name}, {schedule}: {found.witness}")
    return Refutation(False, "no construction")


def moves(name: str) -> Refutation:
    counts = weights(3, {(1, 2): 1, (2, 1): 1, (1, 3): 2, (3, 1): 1, (2, 3): 1})
    terms = surrogate(name).risk_terms(Distribution.from_aggregate(counts))
    x, y = (exact_risk(terms, rational_scores(scores)) for scores in ((1, 0, 0), (0, 1, 0)))
    return Refutation(None not in (x, y) and x != y, f"{name}, N_1 = N_2: W = {x}, {y}")


def compared_once() -> Iterator[bool | Mapping[str, str]]:
    rankings = [t for m in (2, 3, 4) for t in permutations(range(m))]
    yield {"rankings": str(len(rankings))}
    yield all(
        (t.index(i) < t.index(j)) != (t.index(j) < t.index(i))
        for t in rankings
        for i, j in combinations(t, 2)
    )
