"""What the page on designs of comparison computes, and what refutes its false variants."""

from fractions import Fraction
from functools import cache

from consistency_lab.apps.book.risk import refuted_by_core
from consistency_lab.apps.book.statement import Line, Refutation
from consistency_lab.certify.addition import proved_by_addition
from consistency_lab.decide.theorems.unequal_counts import unequal_counts
from consistency_lab.model.conditions import condition, whole
from consistency_lab.model.designs import design
from consistency_lab.model.surrogates import surrogate
from consistency_lab.search.designs import constructions


@cache
def built(name: str, noise: str, schedule: str, m: str) -> Refutation:
    """A construction leads to a witness against a loss, under a condition and a design, with m items."""
    for one in constructions(surrogate(name).functions[0], noise, schedule, int(m)):
        found = refuted_by_core(surrogate(name), one.aggregate, condition(noise).name, strict=one.strict)
        if found.refuted and design(schedule).holds(one.aggregate):
            return Refutation(True, f"{name}, {schedule}, counts {whole(one.aggregate)}: {found.witness}")
    return Refutation(False, f"{name}: no construction for {noise} and {schedule} with {m} items")


def unlike(rule: str, name: str, counts: str, i: str, j: str) -> Refutation:
    """The rule puts i above j for a regular loss, and this loss does not; a_ij row by row."""
    a = [[Fraction(x) for x in row] for row in counts.split()]
    regular = "logistic" if rule == "gap" else "exponential"  # of which the gap says nothing
    proved = proved_by_addition(surrogate(regular).functions[0], a, [(int(i) - 1, int(j) - 1)]).pairs
    found = refuted_by_core(surrogate(name), a, "acyclic", strict=True)
    refuted = found.refuted and any(one.rule == rule for one in proved)
    return Refutation(refuted, f"the {rule} proves {i} above {j}; {name}, {found.witness}")


def bracket() -> Line:
    values = [(Fraction(k, 4), unequal_counts(Fraction(k, 4)).reached) for k in range(4, 13)]
    exact = all(value == (x - 1) / (x + 2) ** 2 for x, value in values)
    return Line("the tool's bracket is (r − 1)/(r + 2)² at r = 1, 5/4, ..., 3", exact)
