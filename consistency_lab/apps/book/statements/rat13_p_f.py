"""What the page on P_f and P_DAG computes, and what refutes its false variants."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations, permutations
from math import factorial
from typing import Final

from consistency_lab.apps.book.rat13 import Law, in_p_dag, in_p_f, law, net_feature, text, topological_orders
from consistency_lab.apps.book.statement import Line, Refutation, excluded
from consistency_lab.apps.book.statements.rat13_disagreement import sorted_wrongly
from consistency_lab.frozen import frozen_with_cache
from consistency_lab.model.labels import Dags, Grades, Label, LabelSpace, Rankings, differences
from consistency_lab.model.tasks.discrete import PairwiseDisagreement

# --- Six distributions in P_DAG that no P_f has all of ---------------------------------------------------
# Two for each edge of a cycle, one mean (RAT13 §7.2).

CYCLE: Final = ((0, 1), (1, 2), (2, 0))

_ZERO = Fraction(0)
_ONE = Fraction(1)


@frozen_with_cache
class Six:
    """Distributions, each with an edge of `CYCLE`, or of the cycle the other way around."""

    laws: tuple[tuple[tuple[int, int], Law], ...]  #: Two for each edge.

    def __iter__(self) -> Iterator[tuple[tuple[int, int], Law]]:
        return iter(self.laws)

    def stands(self, space: LabelSpace) -> bool:
        """Whether all are in P_DAG with their edge, and each two have the same mean, around a cycle."""
        means = []
        for edge in sorted({edge for edge, _ in self.laws}):
            two = [p for other, p in self.laws if other == edge]
            labels = {y for p in two for y in p}
            means.append({y: sum((p.get(y, _ZERO) for p in two), _ZERO) / len(two) for y in labels})
        edges = {edge for edge, _ in self.laws}
        return (
            edges in (set(CYCLE), {(j, i) for i, j in CYCLE})
            and all(mean == means[0] for mean in means)
            and all(sum(p.values()) == 1 and min(p.values()) > 0 for _, p in self.laws)
            and all(in_p_dag(space, p) and differences(space, p)[i][j] > 0 for (i, j), p in self.laws)
        )


def single_edges() -> Six:
    """A third of an edge of the cycle with two of the next, or of the one before; labels as in Dags."""
    return Six(tuple((edge, law({edge: 1, other: 2})) for edge in CYCLE for other in CYCLE if other != edge))


def additive(space: LabelSpace, label: Label, three: tuple[int, ...] | None = None) -> bool:
    """Whether d_ij + d_jk = d_ik at a label, for these three items or for all."""
    triples = combinations(range(space.m), 3) if three is None else [three]
    return not any(_around(space, label, triple) for triple in triples)


def _around(space: LabelSpace, label: Label, three: tuple[int, ...]) -> Fraction:
    d = differences(space, {label: _ONE})
    i, j, k = three
    return d[i][j] + d[j][k] + d[k][i]


def six_laws(space: LabelSpace, label: Label) -> Six:
    """The six distributions on relabelings of a label whose first three items are not additive.

    The general proof, step by step: q is uniform, μ = q + τ (rotations − reflections) has a cycle and nothing
    else, and μ ± M w moves one item of the cycle to the top, or to the bottom.
    """
    m = space.m
    turn = _around(space, label, (0, 1, 2))
    nets = [sum(row, _ZERO) for row in differences(space, {label: _ONE})]
    top = max(range(m), key=lambda i: nets[i])
    q = _uniform(space, label, {})
    share = Fraction(1, 2 * (m - 1))
    kappa = nets[top] / (m - 1)
    # c = 2 τ |turn| must stay below Mκ, and τ below the 1/(2 m!) that q − M w leaves to each relabeling.
    tau = min(Fraction(1, 4 * factorial(m)), share * kappa / (4 * abs(turn)))
    cyclic: dict[Label, Fraction] = {}
    for order in permutations(range(3)):
        sign = 1 if sum(order[a] > order[b] for a, b in combinations(range(3), 2)) % 2 == 0 else -1
        _add(cyclic, {space.relabeled(label, (*order, *range(3, m))): _ONE}, sign * tau)
    cycle = CYCLE if turn > 0 else tuple((j, i) for i, j in CYCLE)
    found = []
    for i, j in cycle:
        (third,) = {0, 1, 2} - {i, j}
        raised = _uniform(space, label, {top: third})
        for sign in (1, -1):
            p: dict[Label, Fraction] = {}
            _add(p, q, _ONE - sign * share)
            _add(p, cyclic, _ONE)
            _add(p, raised, sign * share)
            found.append(((i, j), {y: x for y, x in p.items() if x}))
    return Six(tuple(found))


def _uniform(space: LabelSpace, label: Label, fixed: dict[int, int]) -> dict[Label, Fraction]:
    """The uniform distribution on the relabelings that send some items where they are told."""
    found: dict[Label, Fraction] = {}
    sigmas = [s for s in permutations(range(space.m)) if all(s[i] == j for i, j in fixed.items())]
    for sigma in sigmas:
        _add(found, {space.relabeled(label, sigma): _ONE}, Fraction(1, len(sigmas)))
    return found


def _add(total: dict[Label, Fraction], more: Law, factor: Fraction) -> None:
    for label, weight in more.items():
        total[label] = total.get(label, _ZERO) + factor * weight


# --- What the page shows, and false variants -----------------------------------------------------------

_RICH: Final[tuple[LabelSpace, ...]] = (
    Dags(3),
    Rankings(3),
    Grades(3, (0, 1, 2)),
    Dags(4),
    Rankings(4),
    Grades(4, (0, 1, 2)),
)
_ADDITIVE: Final[tuple[LabelSpace, ...]] = (Dags(2), Rankings(2), Grades(3, (0, 1)), Grades(4, (0, 1)))


def singles() -> Iterator[str | bool]:
    """The plainest case: labels that are single edges."""
    six, space = single_edges(), Dags(3)
    task = PairwiseDisagreement(space)
    for (i, j), p in six:
        yield f"    {text(task, p)}: so E f_{i + 1} > E f_{j + 1} in P_f"
    yield six.stands(space)
    yield proved(six, 3)


def proved(six: Six, m: int) -> bool:
    """Whether the core accepts that no f has E_p f_i > E_p f_j for all six (p, edge).

    The unknowns are f_i(y) ≥ 0, which is no loss, as one constant may be added to all; after scaling, every
    difference is at least 1.
    """
    labels = sorted({y for _, p in six for y in p})
    unknowns = [(y, i) for y in labels for i in range(m)]
    zero = Fraction(0)
    rows = [[p.get(y, zero) * ((k == j) - (k == i)) for y, k in unknowns] for (i, j), p in six]
    return excluded(rows, [Fraction(-1)] * 6, [Fraction(1)] * 6)


def spaces() -> Iterator[Line | bool]:
    """The six distributions, built and checked for labels of the plain label spaces."""
    for space in _RICH:
        found = [y for y in space.labels if not additive(space, y, (0, 1, 2))]
        tried = found[:: max(1, len(found) // 6)]
        yield Line(
            f"{space.kind}, {space.m} items: {len(found)} of {len(space.labels)} labels are not additive "
            f"on items 1, 2, 3, {len(tried)} of them tried",
            bool(tried),
        )
        sixes = [six_laws(space, y) for y in tried]
        yield all(six.stands(space) and proved(six, space.m) for six in sixes)


def equality() -> bool:
    return all(equal(space) for space in _ADDITIVE)


def equal(space: LabelSpace) -> bool:
    """Whether N_i − N_j = r d_ij at every label, so that P_f = P_DAG for f = N."""
    f = net_feature(space)
    for y in space.labels:
        nets, d = f(y), differences(space, {y: Fraction(1)})
        if any(nets[i] - nets[j] != space.m * d[i][j] for i, j in permutations(range(space.m), 2)):
            return False
    return True


def union() -> tuple[Mapping[str, str], bool]:
    space = Dags(3)
    laws = [p for _, p in (*single_edges(), *six_laws(space, (0, 1, 1, 2)))]
    return {"laws": str(len(laws))}, all(has_some_f(space, p) for p in laws)


def has_some_f(space: LabelSpace, p: Law) -> bool:
    """Whether p is in P_f for the constant f that falls along the edges of p."""
    d = differences(space, p)
    edges = frozenset((i, j) for i, j in permutations(range(space.m), 2) if d[i][j] > 0)
    order = next(topological_orders(edges, space.m), None)
    if order is None:
        return False
    scores = [-Fraction(order.index(i)) for i in range(space.m)]
    return in_p_f(space, p, lambda _: scores)


def two_items() -> Refutation:
    return Refutation(
        equal(Dags(2)) and equal(Rankings(2)),
        "two items, f = wins − losses: E f_1 − E f_2 = 2 d_12 for every p, so P_f and P_DAG are everything",
    )


def relevance() -> Refutation:
    space = Grades(3, (0, 1))
    return Refutation(
        equal(space) and all(additive(space, y) for y in space.labels),
        "three items with grades 0, 1: a label prefers i to j by y_i − y_j, so d_ij = E Y_i − E Y_j, and for "
        "f(y) = y, P_f and P_DAG are everything",
    )


def nets(first: str, second: str) -> Refutation:
    p = law({(0, 1): int(first), (1, 2): int(second)})
    space = Dags(3)
    found = sorted_wrongly(p, in_p_dag(space, p) and not in_p_f(space, p, net_feature(space)))
    return Refutation(found.refuted, f"in P_DAG, not in P_f: {found.witness}")


def in_no_p_f(first: str, second: str) -> Refutation:
    space = Dags(3)
    p = law({(0, 1): int(first), (1, 2): int(second)})
    return Refutation(
        has_some_f(space, p) and in_p_dag(space, p),
        f"{text(PairwiseDisagreement(space), p)}: it is in P_f for the constant f = (0, −1, −2); each p "
        "in P_DAG is in such a P_f",
    )
