"""Consistency by exact linear algebra, where the minimizer orders the items by net preference.

See docs/theory.md, Consistency by linear algebra.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from typing import final

from consistency_lab.certify.proofs.file import provenance_entry, sealed
from consistency_lab.certify.proofs.names import surrogate_entry
from consistency_lab.decide.theorems.base import EXACT_INFEASIBILITY, Evidence
from consistency_lab.decide.theorems.linear import ordered_by_net
from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import condition, cone, net, orientations_for
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.posets import Cone, LinearForm, Relation, combined, form, net_gap, orientations
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.numbers.exact import ONE, ZERO, Matrix, integer_multiple
from consistency_lab.solve.lp import FloatSolver, LPSolution, LPStatus, solve_lp

# --- Multipliers for any number of items from multipliers for three (the argument of DMJ10 Lemma 14) -----
# On an edge (i, k), N_i - N_k = 2 d_ik + sum over the other items j of (d_ij + d_jk). Where the condition
# holds for every three items by themselves, as for low noise, it is enough to write d_ij + d_jk as a
# combination of the rows of the three items i, j, k. There are only a few cases of that, and each is one tiny
# linear program.

Weighted = tuple[tuple[Fraction, LinearForm], ...]
"""Multiples of linear forms."""


@frozen
class Multipliers:
    """A combination of a cone's rows: any multiples of zero forms, positive ones of nonnegative forms."""

    equalities: Weighted
    inequalities: Weighted

    def total(self) -> LinearForm:
        """The form that they add up to."""
        return combined([*self.equalities, *self.inequalities])


def by_triples(
    relation: Relation,
    edge: tuple[int, int],
    m: int,
    three: Callable[[Relation, tuple[int, int]], Multipliers | None],
) -> Multipliers | None:
    """N_i - N_k as a combination of the cone's rows, or None if three items at a time are not enough."""
    equalities: list[tuple[Fraction, LinearForm]] = []
    inequalities = [(Fraction(2), form({edge: 1}))]
    for j in range(m):
        if j in edge:
            continue
        items = sorted((*edge, j))
        pairs = combinations(range(3), 2)
        induced = frozenset((a, b) for a, b in pairs if (items[a], items[b]) in relation)
        part = three(induced, (items.index(edge[0]), items.index(edge[1])))
        if part is None:
            return None
        equalities += _moved(part.equalities, items)
        inequalities += _moved(part.inequalities, items)
    return Multipliers(added(equalities), added(inequalities))


@final
class Triples:
    """The multipliers of three items for one condition, each worked out once."""

    def __init__(self, condition_name: str) -> None:
        self._name = condition_name
        self._solver = FloatSolver()
        self._known: dict[tuple[Relation, tuple[int, int]], Multipliers | None] = {}

    def multipliers(self, relation: Relation, edge: tuple[int, int], m: int) -> Multipliers | None:
        """N_i - N_k as a combination of the cone's rows, or None if three items at a time are not enough."""
        return by_triples(relation, edge, m, self._three)

    def _three(self, induced: Relation, edge: tuple[int, int]) -> Multipliers | None:
        if (induced, edge) not in self._known:
            self._known[induced, edge] = self._solve(induced, third_item(edge))
        return self._known[induced, edge]

    def _solve(self, induced: Relation, target: LinearForm) -> Multipliers | None:
        rows, pairs = cone(self._name, induced, 3), list(combinations(range(3), 2))
        signs = [1] * len(rows.inequalities) + [1, -1] * len(rows.equalities)
        columns = [*rows.inequalities, *(row for row in rows.equalities for _ in (1, -1))]
        solution = solve_lp(
            [ONE] * len(columns),
            [[sign * c.get(pair, ZERO) for sign, c in zip(signs, columns, strict=True)] for pair in pairs],
            [target.get(pair, ZERO) for pair in pairs],
            solver=self._solver,
        )
        if solution.status is not LPStatus.OPTIMAL:
            return None
        count = len(rows.inequalities)
        weighted = [(sign * x, c) for sign, x, c in zip(signs, solution.x, columns, strict=True)]
        return Multipliers(added(weighted[count:]), added(weighted[:count]))


def third_item(edge: tuple[int, int]) -> LinearForm:
    """d_ij + d_jk for the edge (i, k) of three items and the third one, j."""
    i, k = edge
    j = 3 - i - k
    return combined([(ONE, _directed(i, j)), (ONE, _directed(j, k))])


def _directed(i: int, j: int) -> LinearForm:
    """d_ij as a form, whichever of i and j is smaller."""
    return form({(min(i, j), max(i, j)): 1 if i < j else -1})


def added(weighted: Iterable[tuple[Fraction, LinearForm]]) -> Weighted:
    """Equal forms together, multipliers 0 left out."""
    totals: dict[tuple[tuple[tuple[int, int], Fraction], ...], Fraction] = {}
    for weight, row in weighted:
        key = tuple(sorted(row.items()))
        totals[key] = totals.get(key, Fraction(0)) + weight
    return tuple((weight, dict(key)) for key, weight in totals.items() if weight)


def _moved(weighted: Weighted, items: list[int]) -> list[tuple[Fraction, LinearForm]]:
    return [(weight, {(items[a], items[b]): c for (a, b), c in row.items()}) for weight, row in weighted]


# --- The exact decision -------------------------------------------------------------------------------


@frozen
class Step:
    """One shape of the difference graph and one of its edges, with Farkas multipliers."""

    m: int  #: The number of items.
    relation: Relation  #: The shape.
    edge: tuple[int, int]  #: The pair (i, k).
    multipliers: Multipliers  #: A combination of the rows of the condition's cone that equals N_i - N_k.

    def proves(self, rows: Cone) -> bool:
        """Check, in exact arithmetic, that N_i > N_k in the cone wherever (i, k) is an edge."""
        gap = net_gap(*self.edge, self.m)
        positive = [form({self.edge: 1}), *(row for row in rows.strict if row == gap)]
        weighted = self.multipliers.inequalities
        return (
            all(row in rows.equalities for _, row in self.multipliers.equalities)
            and all(weight > 0 and row in rows.inequalities for weight, row in weighted)
            and any(row in positive for _, row in weighted)
            and self.multipliers.total() == gap
        )


@frozen
class InfeasibilityProof:
    """No d under the condition has an edge (i, k) with N_k >= N_i, for 2..m items."""

    condition: str  #: The noise condition.
    m: int  #: The largest number of items covered.
    steps: tuple[Step, ...]  #: A case for every shape up to relabeling and every edge.
    hypotheses: tuple[tuple[str, str], ...]  #: Why the minimizer orders by N, and how that was checked.

    @property
    def cases(self) -> int:
        return len(self.steps)

    def document(self, surrogate: Surrogate, provenance: Mapping[str, str]) -> dict[str, object]:
        """The multipliers as a file that the core checks; see `proofs.systems`."""
        from consistency_lab.certify.proofs.systems import shape_edges, systems_entry, systems_names

        entries = [
            case.entry(step.multipliers.equalities, step.multipliers.inequalities)
            for case, step in zip(shape_edges(self.condition, self.m), self.steps, strict=True)
        ]
        described = surrogate.describe(Distribution.from_aggregate([[0, 1], [0, 0]]))
        named = systems_names(surrogate_entry(described), self.condition, self.m)
        return sealed(systems_entry(entries), named, provenance_entry(provenance))

    def evidence(self) -> Evidence:
        systems = ("no system has a solution", f"{self.cases} systems, exact Farkas multipliers")
        citation = "DMJ10 Eq. 16, exact linear algebra"
        return Evidence(EXACT_INFEASIBILITY, citation, f"m <= {self.m}", (*self.hypotheses, systems))


@frozen
class AffineWitness:
    """Differences under the condition at which the minimizer orders an edge wrongly."""

    condition: str  #: The noise condition, which holds at d.
    d: Matrix  #: Antisymmetric integers.
    edge: tuple[int, int]  #: The pair (i, k) with d_ik > 0 and N_k >= N_i.
    strict: bool  #: Whether N_k > N_i.

    @property
    def m(self) -> int:
        return len(self.d)

    @property
    def net(self) -> tuple[Fraction, ...]:
        return tuple(net(self.d))

    @property
    def aggregate(self) -> Matrix:
        """The smallest aggregate with these differences: their positive parts."""
        return tuple(tuple(max(value, ZERO) for value in row) for row in self.d)


def prove_affine(
    surrogate: Surrogate, condition_name: str, max_m: int = 5
) -> InfeasibilityProof | AffineWitness | None:
    """Decide an order by net preference for 2..max_m items: a proof, the smallest witness, or None."""
    name = condition(condition_name).name
    if max_m < 2:
        raise InputError(f"max_m is {max_m}; a ranking needs at least 2 items")
    hypotheses = ordered_by_net(surrogate)
    if hypotheses is None or not condition(name).of_differences:
        return None
    steps: list[Step] = []
    tools = _Tools(name, Triples(name), FloatSolver())
    for m in range(2, max_m + 1):
        failed: list[AffineWitness] = []
        proved = True
        shapes = orientations_for(name, m)
        for relation in orientations(m) if shapes is None else shapes:
            rows = cone(name, relation, m)
            for edge in sorted(relation):
                step = tools.case(m, relation, rows, edge)
                if step is None:
                    proved = False
                    failed.extend(tools.witnesses(m, rows, edge))
                else:
                    steps.append(step)
        if not proved:
            return min(failed, key=_size, default=None)
    if condition(name).shapes is None:
        return None
    return InfeasibilityProof(name, max_m, tuple(steps), hypotheses)


def _size(witness: AffineWitness) -> tuple[bool, int, Fraction]:
    weights = [value for row in witness.d for value in row if value > 0]
    return not witness.strict, len(weights), sum(weights, ZERO)


@frozen
class _Tools:
    """A condition, and the tools that decide its cases."""

    name: str
    triples: Triples
    solver: FloatSolver

    def case(self, m: int, relation: Relation, rows: Cone, edge: tuple[int, int]) -> Step | None:
        """A checked case, by the condition itself, from three items at a time, or from a linear program."""
        gap = net_gap(*edge, m)
        multipliers = (
            Multipliers((), ((ONE, gap),))
            if gap in rows.strict
            else self.triples.multipliers(relation, edge, m) or self._farkas(m, rows, edge)
        )
        step = None if multipliers is None else Step(m, relation, edge, multipliers)
        return step if step is not None and step.proves(rows) else None

    def witnesses(self, m: int, rows: Cone, edge: tuple[int, int]) -> Iterator[AffineWitness]:
        """The lightest solutions of one system, with N_k > N_i and with N_k >= N_i."""
        for strict in (True, False):
            solution = self._system(m, rows, edge, strict)
            if solution.status is LPStatus.OPTIMAL:
                weights, _ = integer_multiple(solution.x)
                d = [[ZERO] * m for _ in range(m)]
                for (i, j), weight in zip(combinations(range(m), 2), weights, strict=True):
                    d[i][j], d[j][i] = Fraction(weight), Fraction(-weight)
                nets = net(d)
                wrong = nets[edge[1]] > nets[edge[0]] if strict else nets[edge[1]] >= nets[edge[0]]
                if wrong and condition(self.name).holds(d):
                    yield AffineWitness(self.name, tuple(map(tuple, d)), edge, strict)

    def _farkas(self, m: int, rows: Cone, edge: tuple[int, int]) -> Multipliers | None:
        """Multipliers from an infeasible system, scaled so that N_i - N_k has coefficient 1."""
        solution = self._system(m, rows, edge, strict=False)
        if solution.status is not LPStatus.INFEASIBLE or solution.dual_ub[-1] == 0:
            return None
        *weights, scale = solution.dual_ub
        zero = [(u / scale, row) for u, row in zip(solution.dual_eq, rows.equalities, strict=True)]
        used = zip(weights, (*rows.inequalities, form({edge: 1})), strict=True)
        nonnegative = [(w / scale, row) for w, row in used]
        rest = Multipliers(added(zero), added(nonnegative)).total()
        gap = net_gap(*edge, m)
        for pair in combinations(range(m), 2):
            # What is left over is at least 0 on every pair, as d is.
            left = gap.get(pair, ZERO) - rest.get(pair, ZERO)
            (nonnegative if form({pair: 1}) in rows.inequalities else zero).append((left, form({pair: 1})))
        return Multipliers(added(zero), added(nonnegative))

    def _system(self, m: int, rows: Cone, edge: tuple[int, int], strict: bool) -> LPSolution:
        """The lightest d in the cone with d_ik >= 1 and N_k - N_i >= 1 (strict) or >= 0."""
        pairs = list(combinations(range(m), 2))

        def on_pairs(row: LinearForm, sign: int) -> list[Fraction]:
            return [sign * row.get(pair, ZERO) for pair in pairs]

        upper = [on_pairs(row, -1) for row in (*rows.inequalities, form({edge: 1}))]
        right = [ZERO] * len(rows.inequalities) + [-ONE, -ONE if strict else ZERO]
        return solve_lp(
            [ONE] * len(pairs),
            [on_pairs(row, 1) for row in rows.equalities],
            [ZERO] * len(rows.equalities),
            [*upper, on_pairs(net_gap(*edge, m), 1)],
            right,
            self.solver,
        )
