"""Six distributions in P_DAG that no P_f has all of: two for each edge of a cycle, one mean (RAT13 §7.2)."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations
from math import factorial
from typing import Final, final

from consistency_lab.book.tasks.rat13_laws import Law, law
from consistency_lab.book.tasks.rat13_pairwise import in_p_dag
from consistency_lab.model.tasks.conditions import differences
from consistency_lab.model.tasks.labels import Label, LabelSpace

CYCLE: Final = ((0, 1), (1, 2), (2, 0))

_ZERO = Fraction(0)
_ONE = Fraction(1)


@final
@dataclass(frozen=True)
class Six:
    """Distributions, each with an edge of `CYCLE`, or of the cycle the other way around.

    Parameters
    ----------
    laws
        Two for each edge.
    """

    laws: tuple[tuple[tuple[int, int], Law], ...]

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
    """One third of an edge of the cycle with two thirds of the next, or of the one before; labels as in Dags.

    Examples
    --------
    >>> from consistency_lab.model.tasks.labels import Dags
    >>> single_edges().stands(Dags(3)), single_edges().laws[0][1]
    (True, {(0, 1): Fraction(1, 3), (1, 2): Fraction(2, 3)})
    """
    return Six(tuple((edge, law({edge: 1, other: 2})) for edge in CYCLE for other in CYCLE if other != edge))


def additive(space: LabelSpace, label: Label, three: tuple[int, ...] | None = None) -> bool:
    """Whether d_ij + d_jk = d_ik at a label, for these three items or for all.

    Examples
    --------
    >>> from consistency_lab.model.tasks.labels import Grades
    >>> additive(Grades(3, (0, 1)), (1, 0, 1)), additive(Grades(3, (0, 1, 2)), (2, 0, 1))
    (True, False)
    """
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

    Examples
    --------
    >>> from consistency_lab.model.tasks.labels import Rankings
    >>> six_laws(Rankings(3), (0, 1, 2)).stands(Rankings(3))
    True
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
