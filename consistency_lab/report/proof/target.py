"""What the target loss sees of the distribution, and which orders are optimal."""

from collections.abc import Iterator
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter

from consistency_lab.report.proof.case import Case
from consistency_lab.report.text import Line, chain, large_matrix, listed, number, paragraph, short, tight


def target(case: Case) -> Iterator[Line]:
    """Aggregate, difference graph, optimal orders and why they are."""
    a, names = case.witness.distribution.aggregate, case.names
    yield from paragraph("Aggregate a_ij = sum over G of p_G a^G_ij (row i preferred to column j):")
    yield large_matrix(a, names, indent=5)
    yield from paragraph("Difference graph (i → j where d_ij = a_ij - a_ji > 0, with d_ij):")
    edges = ", ".join(_weighted(case, i, j) for i, j in case.edges) or "no edge"
    yield from paragraph(edges, 5, 2)
    optimum = case.witness.optimum
    order = chain(names, case.witness.better)
    floor = sum((min(a[i][j], a[j][i]) for i in range(len(names)) for j in range(i)), Fraction(0))
    cycle = cycle_of(case)
    if cycle is None:
        yield from paragraph(
            "An order that ranks j above i costs a_ij, so every order costs at least "
            f"sum over pairs of min(a_ij, a_ji) = {number(floor)}, "
            "with equality if and only if i is above j for every edge i → j."
        )
        yield from paragraph(
            "The difference graph has no cycle, so such orders exist: the optimal orders are those that keep "
            f"all its edges, {_count(optimum.count(), order)}"
        )
    else:
        yield from paragraph(
            f"An order that ranks j above i costs a_ij. The difference graph has the cycle "
            f"{' → '.join(names[i] for i in cycle)}, so no order keeps all its edges."
        )
        broken = _broken(case)
        yield from paragraph(
            f"The least loss of all {len(names)}! orders (found by going through all 2^{len(names)} sets of "
            f"items) is {number(optimum.loss)}, attained by {_count(optimum.count(), order)}"
        )
        if broken:
            yield from paragraph(f"It gives up {listed(broken)}.")


def cycle_of(case: Case) -> list[int] | None:
    """A cycle of the difference graph, its first item again at the end, along the edges; None if acyclic."""
    before: dict[int, list[int]] = {}
    for i, j in case.edges:
        before.setdefault(j, []).append(i)
    try:
        TopologicalSorter(before).prepare()
    except CycleError as error:
        return list(error.args[1])
    return None


def _count(orders: int, order: str) -> str:
    return f"one order: {order}." if orders == 1 else f"{orders} orders, one of them {order}."


def _broken(case: Case) -> list[str]:
    place = {item: n for n, item in enumerate(case.witness.better)}
    return [_weighted(case, i, j) for i, j in case.edges if place[i] > place[j]]


def _weighted(case: Case, i: int, j: int) -> str:
    return tight(f"{case.edge(i, j)} ({short(case.d[i][j])})")
