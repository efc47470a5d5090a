"""Noise conditions on preference graphs and on labels: the rows of one table, and what implies what.

A condition on the aggregate a of a distribution speaks of preference graphs, and of all labels that stand for
preferences between items: there a is the aggregate of the labels' edges. The others are about the labels
themselves; what each says of them is in `label_cones`, which is loaded when it is asked.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from consistency_lab.core.orders import Pair
from consistency_lab.errors import InputError, UnsupportedError, did_you_mean
from consistency_lab.frozen import frozen
from consistency_lab.model.checked import checked
from consistency_lab.model.distribution import difference
from consistency_lab.model.posets import (
    Cone,
    LabelCone,
    LinearForm,
    Relation,
    form,
    is_transitive,
    net_gap,
    only_chain,
    orientations,
    posets,
    shape_rows,
    weak_orders,
)
from consistency_lab.numbers.exact import integer_multiple, rational
from consistency_lab.numbers.phi import spelled

if TYPE_CHECKING:
    from consistency_lab.model.label_cones import OnLabels
    from consistency_lab.model.labels import Feature, LabelSpace, Weights

# --- What a noise condition is: all that is known of it, told once ---------------------------------------

Entries = Sequence[Sequence[Any]]
"""A square matrix of numbers, or of NumPy arrays of numbers: of many matrices at once."""


def every(facts: Iterable[Any]) -> Any:
    """All of the facts, truth values or arrays of them, up to a plain False; "p implies q" is p <= q."""
    found: Any = True
    for fact in facts:
        found = found & fact
        if found is False:
            break
    return found


def whole(a: Sequence[Sequence[Fraction | int]]) -> list[list[int]]:
    """The smallest whole numbers in the proportions of an aggregate, on which the tests are quickest."""
    m = len(a)
    numbers, _ = integer_multiple(x if isinstance(x, Fraction) else Fraction(x) for row in a for x in row)
    return [numbers[i * m : (i + 1) * m] for i in range(m)]


def _of_labels(a: Entries) -> Any:
    raise UnsupportedError("the condition is about labels, of which an aggregate says too little")


@frozen
class Condition:
    """One noise condition on a distribution; one on the aggregate a is the same for every multiple of a."""

    name: str  #: What the command line calls it.
    title: str  #: What an answer calls preferences that have it.
    #: The condition in LaTeX, and in plain text.
    statement: str
    words: str
    citation: str  #: Where it comes from.
    next_larger: tuple[str, ...]  #: The names of the next larger conditions, which follow from it.
    #: Whether a has it; the entries may be arrays, and then the answer is one.
    test: Callable[[Entries], Any] = _of_labels
    #: What a shape of the difference graph does not yet say of the condition, as linear forms in d_ij = a_ij
    #: - a_ji; None if it is not about d alone, or not polyhedral.
    rows: Callable[[Relation, int], Cone] | None = None
    #: The shapes on m items whose cones together are the condition, up to relabeling; None where d is not
    #: confined to such a union.
    shapes: Callable[[int], tuple[Relation, ...]] | None = None
    #: The fewest shapes whose closed cones together are its closure, if those are fewer.
    closed: Callable[[int], tuple[Relation, ...]] | None = None
    #: The shapes whose open cones together are the condition, if those of `shapes` are so only when closed.
    opened: Callable[[int], tuple[Relation, ...]] | None = None
    #: Groups of edges whose sums, with any pairs of opposite edges, are all aggregates that have it, fewer
    #: than single edges are; None for these.
    steps: Callable[[int], list[list[Pair]]] | None = None
    usual: bool = True  #: Whether it is asked about where nobody names a condition.
    needs_f: bool = False  #: Whether it is about the features of the surrogate.

    @property
    def larger(self) -> tuple[str, ...]:
        """The names of all conditions that follow from it."""
        return implied_by(self.name)[1:]

    def holds(self, a: Sequence[Sequence[Fraction | int]]) -> bool:
        """The exact test on an aggregate."""
        return bool(self.test(whole(a)))

    @property
    def of_differences(self) -> bool:
        """Whether it is about d alone, and its cones are known."""
        return self.rows is not None

    @property
    def of_graphs(self) -> bool:
        """Whether it speaks of preference graphs."""
        return self.test is not _of_labels

    @property
    def _on_labels(self) -> "OnLabels":
        from consistency_lab.model.label_cones import ON_LABELS, of_aggregates

        return ON_LABELS.get(self.name) or of_aggregates(self.holds, self.parts if self.rows else None)

    def parts(self, m: int) -> Iterator[Cone]:
        """Its cones in d, up to relabeling; UnsupportedError if it has none."""
        return (cone(self.name, shape, m) for shape in (self.opened or self.shapes or orientations)(m))

    def fits(self, space: "LabelSpace") -> str:
        """Why it does not apply to a label space, or ""."""
        if not self.of_graphs:
            return self._on_labels.about(space)
        if not self.of_differences:
            return "it applies to preference graphs; leave the target out"
        return space.unrelated if self.shapes else ""

    def holds_for(self, space: "LabelSpace", weights: "Weights", f: "Feature") -> bool:
        """The exact test on a distribution over labels."""
        return self._on_labels.test(space, weights, f)

    @property
    def cones(self) -> "Callable[[LabelSpace, Feature], tuple[LabelCone, ...]] | None":
        """Its cones in p up to relabeling; None where it is not a union of polyhedral cones."""
        return self._on_labels.cones


# --- What conditions say about: the differences d_ij = a_ij - a_ji, their graph and their sums -----------

Differences = Sequence[Sequence[Fraction]]
"""The antisymmetric matrix d."""


def edges(d: Differences) -> Iterator[tuple[int, int]]:
    """The edges (i, j) of the difference graph, where d_ij > 0, in index order."""
    return ((i, j) for i, row in enumerate(d) for j, value in enumerate(row) if value > 0)


def net(d: Differences) -> list[Fraction]:
    """The net preference of each item, sum over j of d_ij (the scores of DMJ10 Eq. 15 increase with it)."""
    return [sum(row, Fraction(0)) for row in d]


def has_no_cycle(d: Entries) -> Any:
    """Whether the difference graph is acyclic: no item is reached from itself (Warshall's algorithm)."""
    # Of plain numbers it is seen sooner: items from which no edge leads to another are left out, and again.
    everyone = range(len(d))
    reached = [[x > 0 for x in row] for row in d]
    if all(type(x) is bool for row in reached for x in row):
        ahead, left = [sum(x << j for j, x in enumerate(row)) for row in reached], (1 << len(d)) - 1
        while last := sum(1 << i for i in everyone if left >> i & 1 and not ahead[i] & left):
            left &= ~last
        return not left
    for k in everyone:
        for i in everyone:
            passes = reached[i][k]
            if passes is not False:
                reached[i] = [x | (passes & y) for x, y in zip(reached[i], reached[k], strict=True)]
    return every(reached[i][i] <= False for i in everyone)


# --- Acyclic difference graphs, and no condition at all --------------------------------------------------


def _no_rows(relation: Relation, m: int) -> Cone:
    """Nothing beyond the shape."""
    return Cone((), (), ())


ACYCLIC: Final = Condition(
    "acyclic",
    "acyclic",
    r"\{(i,j) : d_{ij} > 0\} \text{ is acyclic}",
    "the difference graph of the preferences has no cycle",
    "DMJ10 Theorem 13; RAT13 Theorem 7 (P_DAG)",
    ("any",),
    lambda a: has_no_cycle(difference(a)),
    _no_rows,
    orientations,
    only_chain,
)

ANY: Final = Condition(
    "any",
    "any",
    r"\text{every } d",
    "it asks for nothing",
    "DMJ10 Definition 2; RAT13 Definition 1",
    (),
    lambda a: True,
    _no_rows,
)


# --- Additive differences: d is the difference of values of the items ------------------------------------


def _is_additive(a: Entries) -> Any:
    """It is enough to try y_i = d_i0."""
    d = difference(a)
    return every(value == row[0] - d[j][0] for row in d for j, value in enumerate(row))


def _additive_rows(relation: Relation, m: int) -> Cone:
    """d_ij + d_jk = d_ik on all triples i < j < k."""
    triples = combinations(range(m), 3)
    return Cone(tuple(form({(i, j): 1, (j, k): 1, (i, k): -1}) for i, j, k in triples), (), ())


def _steps(m: int) -> list[list[Pair]]:
    """The first k items above the others by one step."""
    return [[(i, j) for i in range(k) for j in range(k, m)] for k in range(1, m)]


ADDITIVE: Final = Condition(
    "additive",
    "additive noise",
    r"d_{ij} = y_i - y_j \text{ for some } y \in \mathbf{R}^m",
    "d_ij = y_i - y_j for some y",
    "DMJ10 §3.1",
    ("low-noise",),
    _is_additive,
    _additive_rows,
    only_chain,
    opened=weak_orders,
    steps=_steps,
)


# --- Low noise: the reverse triangle inequality of DMJ10 Definition 8 ------------------------------------


def _has_low_noise(a: Entries) -> Any:
    d = difference(a)
    return every(
        ((d[i][j] > 0) & (d[j][k] > 0)) <= (d[i][k] >= d[i][j] + d[j][k])
        for i, j, k in permutations(range(len(d)), 3)
    )


def low_noise_rows(relation: Relation, m: int) -> Cone:
    """d_ik >= d_ij + d_jk along every path of two edges; the relation must be transitive (InputError)."""
    if not is_transitive(relation):
        raise InputError("the relation is not transitive; a low-noise difference graph always is")
    pairs = sorted(relation)
    paths = [(i, j, k) for i, j in pairs for h, k in pairs if h == j]
    return Cone((), tuple(form({(i, k): 1, (i, j): -1, (j, k): -1}) for i, j, k in paths), ())


LOW_NOISE: Final = Condition(
    "low-noise",
    "low noise",
    r"d_{ij} > 0,\ d_{jk} > 0 \implies d_{ik} \ge d_{ij} + d_{jk}",
    "d_ij > 0 and d_jk > 0 imply d_ik ≥ d_ij + d_jk",
    "DMJ10 Definition 8",
    ("row-dominated",),
    _has_low_noise,
    low_noise_rows,
    posets,
)


# --- Rows in order: the better of two items does at least as well against every other one ----------------


def _has_dominated_rows(a: Entries) -> Any:
    d = difference(a)
    return every((d[i][j] > 0) <= (d[i][k] >= d[j][k]) for i, j, k in permutations(range(len(d)), 3))


def _row_dominated_rows(relation: Relation, m: int) -> Cone:
    """d_ik >= d_jk for every edge (i, j) and every other k."""

    def at_least(i: int, j: int, k: int) -> LinearForm:
        return form({(min(i, k), max(i, k)): 1 if i < k else -1, (min(j, k), max(j, k)): -1 if j < k else 1})

    others = ((i, j, k) for i, j in sorted(relation) for k in range(m) if k not in {i, j})
    return Cone((), tuple(at_least(*triple) for triple in others), ())


ROW_DOMINATED: Final = Condition(
    "row-dominated",
    "rows in order",
    r"d_{ij} > 0 \implies d_{ik} \ge d_{jk} \text{ for all } k \ne i, j",
    "d_ij > 0 implies d_ik ≥ d_jk for every other k",
    "docs/theory.md, Designs",
    ("net-order",),
    _has_dominated_rows,
    _row_dominated_rows,
    posets,
    usual=False,
)


# --- Net preferences in order: the condition of DMJ10 Eq. 16 ---------------------------------------------


def _is_in_net_order(a: Entries) -> Any:
    d = difference(a)
    nets = [sum(row) for row in d]
    return every((d[i][k] > 0) <= (nets[i] > nets[k]) for i, k in permutations(range(len(d)), 2))


def _net_order_rows(relation: Relation, m: int) -> Cone:
    """sum_j d_ij > sum_j d_kj on every edge (i, k)."""
    gaps = tuple(net_gap(i, k, m) for i, k in sorted(relation))
    return Cone((), gaps, gaps)


NET_ORDER: Final = Condition(
    "net-order",
    "net order",
    r"d_{ik} > 0 \implies \sum_j d_{ij} > \sum_j d_{kj}",
    "d_ik > 0 implies sum_j d_ij > sum_j d_kj",
    "DMJ10 Eq. 16; RAT13 Theorem 6 with f_i = sum_j (y_ij - y_ji)",
    ("acyclic",),
    _is_in_net_order,
    _net_order_rows,
    orientations,
    only_chain,
)


# --- Strong stochastic transitivity ---------------------------------------------------------------------
# It is about the shares P_ij = a_ij / (a_ij + a_ji) of a pair's comparisons.
#
# It is about ratios of entries of the aggregate, so it is no union of cones in the differences d, and its
# searches go by the exact test alone. "P_ij >= 1/2" is then a total preorder, hence the difference graph is
# acyclic. Neither does it imply net-order, nor do additive differences imply it: how often a pair is compared
# is free in the first, and d says nothing of it in the second.


def _is_strongly_transitive(a: Entries) -> Any:
    """The inequality of fractions P_ik >= P_ij is a_ik a_ji >= a_ij a_ki."""
    d, m = difference(a), len(a)
    compared = every(a[i][j] + a[j][i] > 0 for i, j in combinations(range(m), 2))
    return compared & every(
        ((d[i][j] >= 0) & (d[j][k] >= 0))
        <= ((a[i][k] * a[j][i] >= a[i][j] * a[k][i]) & (a[i][k] * a[k][j] >= a[j][k] * a[k][i]))
        for i, j, k in permutations(range(m), 3)
    )


STRONG_TRANSITIVITY: Final = Condition(
    "strong-stochastic-transitivity",
    "strongly transitive",
    r"P_{ij} \ge 1/2,\ P_{jk} \ge 1/2 \implies P_{ik} \ge \max(P_{ij}, P_{jk}),"
    r"\ P_{ij} = a_{ij}/(a_{ij} + a_{ji}), \text{ every pair being compared}",
    "P_ij ≥ 1/2 and P_jk ≥ 1/2 imply P_ik ≥ max(P_ij, P_jk), P_ij = a_ij/(a_ij + a_ji), "
    "every pair being compared",
    "Davidson and Marschak 1959",
    ("acyclic",),
    _is_strongly_transitive,
    usual=False,
)


# --- Bradley-Terry, and AUC: the chances come from one number an item ------------------------------------


def strengths(a: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    """Numbers w > 0 with a_ij w_j = a_ji w_i for all pairs, if there are any, along compared pairs."""
    m = len(a)
    found: dict[int, Fraction] = {}
    for root in range(m):
        waiting = [] if root in found else [root]
        found.setdefault(root, Fraction(1))
        for i in waiting:
            for j in range(m):
                if j not in found and a[i][j] and a[j][i]:
                    found[j] = found[i] * Fraction(a[j][i]) / Fraction(a[i][j])
                    waiting.append(j)
    return [found[i] for i in range(m)]


def _is_bradley_terry(a: Entries) -> Any:
    if getattr(a[0][-1], "ndim", 0):
        return _one_by_one(_is_bradley_terry, a)
    w = strengths(a)
    return all(a[i][j] * w[j] == a[j][i] * w[i] for i, j in combinations(range(len(a)), 2))


BRADLEY_TERRY: Final = Condition(
    "bradley-terry",
    "Bradley-Terry",
    r"a_{ij} s_j = a_{ji} s_i \text{ for some } s > 0",
    "a_ij / a_ji = s_i / s_j for some s > 0, where i and j are compared",
    "Zermelo 1929; Bradley and Terry 1952",
    ("acyclic",),
    _is_bradley_terry,
    usual=False,
)


def factors(a: Sequence[Sequence[Fraction]]) -> tuple[list[Fraction], list[Fraction]]:
    """Numbers x and y with a_ij = x_i y_j for different i, j, if there are any; m > 1, and all a_ij > 0."""
    m = len(a)
    if m == 2:
        return [Fraction(1)] * 2, [Fraction(a[1][0]), Fraction(a[0][1])]
    y = [Fraction(0), *map(Fraction, a[0][1:])]
    x = [Fraction(1), *(a[k][1 + (k == 1)] / y[1 + (k == 1)] for k in range(1, m))]
    y[0] = a[1][0] / x[1]
    return x, y


def _is_auc(a: Entries) -> Any:
    """a_ij = x_i y_j for different i, j, with x, y > 0."""
    if getattr(a[0][-1], "ndim", 0):
        return _one_by_one(_is_auc, a)
    m = len(a)
    if any(a[i][j] <= 0 for i, j in permutations(range(m), 2)):
        return False
    if m < 3:
        return True
    x, y = factors(a)
    return all(a[i][j] == x[i] * y[j] for i, j in permutations(range(m), 2))


def _one_by_one(test: Callable[[Entries], Any], a: Entries) -> Any:
    """The test at each of many matrices, for one that is not made of comparisons of entries."""
    import numpy as np

    many: Any = np.array(a)
    return np.array([test(many[..., k].tolist()) for k in range(many.shape[-1])])


AUC: Final = Condition(
    "auc",
    "AUC",
    r"a_{ij} = \mu_i \mu_j \eta_i (1 - \eta_j),\ \mu > 0,\ 0 < \eta < 1",
    "a_ij = mu_i mu_j eta_i (1 - eta_j) with mu > 0 and 0 < eta < 1",
    "Gao and Zhou 2015",
    ("bradley-terry", "strong-stochastic-transitivity"),
    _is_auc,
    usual=False,
)


# --- Conditions on labels: their tests and cones are in `label_cones`, by name ---------------------------

P_F: Final = Condition(
    "p-f",
    "E f in order",
    r"E Y_{ij} > E Y_{ji} \implies E f_i(Y) > E f_j(Y)",
    "E a_ij > E a_ji implies E f_i > E f_j",
    "RAT13 Theorem 6 (P_f)",
    ("acyclic",),
    needs_f=True,
)

REINFORCE: Final = Condition(
    "reinforce",
    "reinforcing relevance",
    r"u_{ii} \ge u_{jj} \implies u_{ii} \ge u_{jj}"
    r" + \sum_{\gamma \ne i,j} (u_{j\gamma} - u_{i\gamma})_+,\ u = E[y y^\top / \sum y]",
    "u_ii ≥ u_jj implies u_ii ≥ u_jj + sum_k (u_jk - u_ik)_+, u = E[y yᵀ / sum y]",
    "RAT13 Theorem 4 (P_reinforce)",
    ("any",),
)

ORDER_PRESERVING: Final = Condition(
    "order-preserving",
    "order-preserving labels",
    r"\text{in one order of the items: } i \text{ before } j,\ y \text{ prefers } i \text{ to } j"
    r" \implies p(y) > p(y \text{ with } i, j \text{ exchanged})",
    "in one order of the items, exchanging two that a label has in this order makes it less probable",
    "Xia, Liu, Wang, Zhang and Li 2008",
    ("rank-differentiable",),
)

RANK_DIFFERENTIABLE: Final = Condition(
    "rank-differentiable",
    "rank-differentiable labels",
    r"\text{the same with } \ge, \text{ and } > \text{ for at least one } y",
    "in one order of the items, exchanging two that a label has in this order "
    "makes it no more probable, and once less probable",
    "Lan, Guo, Cheng and Liu 2012",
    ("any",),
)

INDEPENDENT: Final = Condition(
    "independent",
    "independent labels",
    r"p(y) = \prod_i p_i(y_i)",
    "P(y) is the product of the probabilities of its grades",
    "DMJ13 (ERR)",
    ("any",),
)


# --- The table of noise conditions, and the lattice of what implies what ---------------------------------
#     additive ⊂ low-noise ⊂ row-dominated ⊂ net-order ⊂ acyclic ⊂ any,
#     auc ⊂ bradley-terry ⊂ acyclic,    auc ⊂ strong-stochastic-transitivity ⊂ acyclic.
#
# The conditions of the chain depend on a distribution only through d_ij = a_ij - a_ji. Once the shape of the
# difference graph is given (a naturally labeled relation, see `posets`), they are cut out by linear forms in
# d; `cone` lists them.

TASK_CONDITIONS: Final[Mapping[str, Condition]] = MappingProxyType(
    {
        row.name: row
        for row in (
            *(P_F, ADDITIVE, LOW_NOISE, ROW_DOMINATED, NET_ORDER),
            *(AUC, BRADLEY_TERRY, STRONG_TRANSITIVITY, ACYCLIC),
            *(REINFORCE, ORDER_PRESERVING, RANK_DIFFERENTIABLE, INDEPENDENT, ANY),
        )
    }
)
"""The conditions, none before one that implies it; what they say of labels is in `Condition.fits`."""

CONDITIONS: Final[Mapping[str, Condition]] = MappingProxyType(
    {name: row for name, row in TASK_CONDITIONS.items() if row.of_graphs}
)
"""Those that speak of preference graphs."""

USUAL: Final = tuple(name for name, condition in CONDITIONS.items() if condition.usual)
"""What is asked about where nobody names a condition."""


def condition(name: str) -> Condition:
    """Look a condition on preference graphs up."""
    return _looked_up(name, CONDITIONS)


def task_condition(name: str, space: "LabelSpace") -> Condition:
    """Look a condition up that applies to a label space."""
    found = _looked_up(name, TASK_CONDITIONS)
    if why := found.fits(space):
        raise InputError(f"the condition {name} does not apply to these labels ({space.kind}): {why}")
    return found


_SHORT: Final = MappingProxyType(
    dict.fromkeys(("sst", "strongtransitivity"), STRONG_TRANSITIVITY.name)
    | dict.fromkeys(("bt", "btl", "bradleyterryluce"), BRADLEY_TERRY.name)
)
"""Other names that people type, without blanks and hyphens."""


def _looked_up(name: str, table: Mapping[str, Condition]) -> Condition:
    if name in table:
        return table[name]
    short = {one.replace("-", ""): one for one in table} | _SHORT
    meant = short.get(spelled(name).replace("-", ""), "")
    if meant not in table:
        hint = did_you_mean(spelled(name), table, "the conditions are")
        raise InputError(f"there is no condition {name!r}; {hint}")
    return table[meant]


@cache
def implies(smaller: str, larger: str) -> bool:
    """Whether every distribution with the condition `smaller` also has the condition `larger`."""
    known, wanted = (_looked_up(name, TASK_CONDITIONS) for name in (smaller, larger))
    return known is wanted or any(implies(above, wanted.name) for above in known.next_larger)


def numbered(name: str) -> bool:
    """Whether the condition keeps the difference graph acyclic, so that the items are numbered along it."""
    return implies(name, ACYCLIC.name)


@cache
def implied_by(name: str) -> tuple[str, ...]:
    """The conditions that follow from `name`, itself first: what a witness under it settles as well."""
    return tuple(other for other in TASK_CONDITIONS if implies(name, other))


@cache
def implying(name: str) -> tuple[str, ...]:
    """The conditions on graphs that `name` follows from, itself last: what a proof under it settles."""
    return tuple(other for other in CONDITIONS if implies(other, name))


def conditions_at(a: Sequence[Sequence[Fraction | int]]) -> dict[str, bool]:
    """Which of the conditions an aggregate has, by name."""
    numbers = whole(a)
    return {name: bool(condition.test(numbers)) for name, condition in CONDITIONS.items()}


@checked
def conditions_of(d: Sequence[Sequence[object]]) -> dict[str, bool]:
    """Which of the conditions on the differences hold, by name.

    Parameters
    ----------
    d
        The differences d_ij = a_ij - a_ji, numbers that `exact.rational` reads.

    Examples
    --------
    >>> conditions_of([[0, 1], [-1, 0]])["additive"]
    True
    """
    if not d:
        raise InputError("d is empty; it has a row and a column for each item")
    exact = _antisymmetric(d)
    a = [[max(x, Fraction(0)) for x in row] for row in exact]
    return {name: condition.holds(a) for name, condition in CONDITIONS.items() if condition.of_differences}


def _antisymmetric(d: Sequence[Sequence[object]]) -> Differences:
    if any(not isinstance(row, Sized) or len(row) != len(d) for row in d):
        raise InputError("d is not a square matrix; it has a row and a column for each item")
    exact = [[rational(x, f"the entry d[{i}][{j}]") for j, x in enumerate(row)] for i, row in enumerate(d)]
    for i, row in enumerate(exact):
        for j, x in enumerate(row[: i + 1]):
            if x != -exact[j][i]:
                raise InputError(
                    f"d is not antisymmetric: d[{j}][{i}] = {exact[j][i]} and d[{i}][{j}] = {x}; conditions "
                    "are about the differences a_ij - a_ji (Distribution.difference of an aggregate a)"
                )
    return exact


def orientations_for(name: str, m: int) -> tuple[Relation, ...] | None:
    """The shapes whose closed cones together are the closure of a condition; None where there are none."""
    shapes = condition(name).shapes
    if shapes is None:
        _all_rows(name)
        return None
    return shapes(m)


def fewest_shapes(name: str, m: int) -> tuple[Relation, ...] | None:
    """As `orientations_for`, without shapes whose closed cones lie in those of others."""
    closed = condition(name).closed
    return orientations_for(name, m) if closed is None else closed(m)


def cone(name: str, relation: Relation, m: int) -> Cone:
    """The cone of a condition where d_ij >= 0 on the relation, else 0; of "any" that of "acyclic"."""
    return shape_rows(relation, m).joined(_all_rows(name)(relation, m))


def _all_rows(name: str) -> Callable[[Relation, int], Cone]:
    found = condition(name).rows
    if found is None:
        raise UnsupportedError(
            f"the condition {name} depends on more than the differences a_ij - a_ji, so it has no cones"
        )
    return found
