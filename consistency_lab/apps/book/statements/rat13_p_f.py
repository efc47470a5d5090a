"""RAT13 section 7.2: P_f is inside P_DAG for every f, and when strictly."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations
from math import factorial
from typing import Final, final

from consistency_lab.apps.book.rat13 import Law, in_p_dag, in_p_f, law, net_feature, text, topological_orders
from consistency_lab.apps.book.statement import (
    FalseVariant,
    Line,
    Lines,
    Refutation,
    Statement,
    Step,
    check,
    excluded,
    false,
    step,
)
from consistency_lab.apps.book.statements.rat13_disagreement import sorted_wrongly
from consistency_lab.apps.book.ticked import ticked
from consistency_lab.model.label_cones import differences
from consistency_lab.model.labels import Dags, Grades, Label, LabelSpace, Rankings
from consistency_lab.model.tasks.discrete import PairwiseDisagreement

# --- Six distributions in P_DAG that no P_f has all of ---------------------------------------------------
# Two for each edge of a cycle, one mean (RAT13 §7.2).

CYCLE: Final = ((0, 1), (1, 2), (2, 0))

_ZERO = Fraction(0)
_ONE = Fraction(1)


@final
@dataclass(frozen=True)
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
    """One third of an edge of the cycle with two thirds of the next, or of the one before; labels as in Dags.

    Examples
    --------
    >>> from consistency_lab.model.labels import Dags
    >>> single_edges().stands(Dags(3)), single_edges().laws[0][1]
    (True, {(0, 1): Fraction(1, 3), (1, 2): Fraction(2, 3)})
    """
    return Six(tuple((edge, law({edge: 1, other: 2})) for edge in CYCLE for other in CYCLE if other != edge))


def additive(space: LabelSpace, label: Label, three: tuple[int, ...] | None = None) -> bool:
    """Whether d_ij + d_jk = d_ik at a label, for these three items or for all.

    Examples
    --------
    >>> from consistency_lab.model.labels import Grades
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
    >>> from consistency_lab.model.labels import Rankings
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


# --- RAT13 §7.2: P_f ⊂ P_DAG for every f, and when the inclusion is strict for every f -------------------
# The paper finds P_f != P_DAG easy to see for every f, but does not say for which labels. The proof has six
# distributions in P_DAG: for each edge of a cycle two that keep it, with one mean for all three edges.

_RICH: Final[tuple[LabelSpace, ...]] = (
    Dags(3),
    Rankings(3),
    Grades(3, (0, 1, 2)),
    Dags(4),
    Rankings(4),
    Grades(4, (0, 1, 2)),
)
_ADDITIVE: Final[tuple[LabelSpace, ...]] = (Dags(2), Rankings(2), Grades(3, (0, 1)), Grades(4, (0, 1)))


_INCLUSION: Final = step(
    "P_f ⊂ P_DAG",
    "all r, all f, all labels",
    "the sum around a cycle",
    "If p in P_f had d_ij > 0 on every edge i → j of a cycle, then E f_i > E f_j on every edge, and",
    "the sum of E f_i − E f_j around the cycle, which is 0, would be a sum of positive numbers.",
)


def _singles() -> Step:
    """The plainest case: labels that are single edges."""
    six = single_edges()
    space = Dags(3)
    task = PairwiseDisagreement(space)
    lines: Lines = ["With labels that are single edges, and any f, each of these has one path and no cycle:"]
    lines += [f"    {text(task, p)}: so E f_{i + 1} > E f_{j + 1} in P_f" for (i, j), p in six]
    lines += [
        "The first two have the mean μ, the uniform one on the cycle; so have the next two, and the last.",
        "If all six were in P_f, E_μ f_1 > E_μ f_2 > E_μ f_3 > E_μ f_1. So for every f one of them is not.",
        "Their weights do not matter: 1 → 2 → 3 stays a path. So any such labels with weights do as well.",
    ]
    return step(
        "For every f one of six distributions on single edges is in P_DAG and not in P_f",
        "all r ≥ 3, all f, labels that have the single edges of a cycle",
        "Farkas multipliers 1, …, 1 on the unknowns f_i(y), accepted by the core",
        *lines,
        six.stands(space),
        proved(six, 3),
    )


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


def _general() -> Step:
    return step(
        "P_f ≠ P_DAG for every f if labels are closed under relabeling and one of them is not additive",
        "all r ≥ 3, all f",
        "six distributions with one mean for the two of each edge of a cycle; identities by SymPy",
        "Let s = d_12 + d_23 + d_31 ≠ 0 at a label y, say s > 0, and q uniform on all relabelings of y,",
        "where all d are 0. Let μ be q and a share τ of each of the three rotations of 1, 2, 3 in y, less",
        "τ of each of the three reflections. Rotations give each of d_12, d_23, d_31 in all s, reflections",
        "−s, so they are c = 2τs; on other pairs the two cancel, and d = 0.",
        "As y has an edge and no cycle, some place k in it has a net preference N_k > 0. Let w_3 be uniform",
        "on the relabelings with 3 at place k, less q: there d_3j = κ = N_k/(r − 1) for all j, other d are",
        "0. Now μ ± M w_3 have the mean μ and d_12 = c. With L = Mκ = 2c, say, they have no cycle: by",
        "    with +: d_32 = L − c and d_31 = L + c, so all edges at 3 leave it,",
        ticked("    L − c = c > 0 for L = 2c, c > 0"),
        "    with −: d_23 = L + c and d_13 = L − c, so all edges at 3 enter it,",
        ticked("    L + c > 0 for L = 2c, c > 0"),
        "and besides there is only 1 → 2. Both are distributions if τ and M are small. With 1 and with 2 in",
        "place of 3 this makes six, two for each edge of the cycle 1 → 2 → 3 → 1. If P_f had all six, then",
        "E_μ f_1 > E_μ f_2 > E_μ f_3 > E_μ f_1. So for every f one of them is not in P_f.",
    )


def _spaces() -> Step:
    """The six distributions, built and checked for labels of the plain label spaces."""
    labels = {space: [y for y in space.labels if not additive(space, y, (0, 1, 2))] for space in _RICH}
    some = {space: found[:: max(1, len(found) // 6)] for space, found in labels.items()}
    sixes = [(space, six_laws(space, y)) for space, tried in some.items() for y in tried]
    return step(
        "No f has P_f = P_DAG for DAGs, rankings, or grades 0, 1, 2",
        "r = 3, 4, all f",
        "the six distributions of the proof, built exactly; Farkas multipliers accepted by the core",
        *(
            Line(
                f"{space.kind}, {space.m} items: {len(found)} of {len(space.labels)} labels are not additive "
                f"on items 1, 2, 3, {len(some[space])} of them tried",
                bool(some[space]),
            )
            for space, found in labels.items()
        ),
        all(six.stands(space) and proved(six, space.m) for space, six in sixes),
    )


def _equality() -> Step:
    agreed = all(equal(space) for space in _ADDITIVE)
    return step(
        "P_f = P_DAG = all p for f = wins − losses if all labels are additive",
        "all r",
        "the sum over k; compared exactly at every label for two items, and for grades 0, 1 of 3 and 4 items",
        "If d_ij + d_jk = d_ik for all items at every label, then also at every p, and for each k",
        ticked("d_ik − d_jk = d_ij for d_jk = d_ik − d_ij"),
        "so with f_i = N_i = Σ_k d_ik, E f_i − E f_j = r d_ij: P_f is everything, and P_DAG with it.",
        agreed,
    )


def equal(space: LabelSpace) -> bool:
    """Whether N_i − N_j = r d_ij at every label, so that P_f = P_DAG for f = N."""
    f = net_feature(space)
    for y in space.labels:
        nets, d = f(y), differences(space, {y: Fraction(1)})
        if any(nets[i] - nets[j] != space.m * d[i][j] for i, j in permutations(range(space.m), 2)):
            return False
    return True


def _union() -> Step:
    space = Dags(3)
    laws = [p for _, p in (*single_edges(), *six_laws(space, (0, 1, 1, 2)))]
    return step(
        "Each p in P_DAG is in P_f for some f: P_DAG is the union of all P_f",
        "all r",
        f"a constant f; compared exactly at {len(laws)} distributions",
        "For p in P_DAG take an order along its edges, and the constant f_i(y) = −(position of i).",
        all(has_some_f(space, p) for p in laws),
    )


def has_some_f(space: LabelSpace, p: Law) -> bool:
    """Whether p is in P_f for the constant f that falls along the edges of p."""
    d = differences(space, p)
    edges = frozenset((i, j) for i, j in permutations(range(space.m), 2) if d[i][j] > 0)
    order = next(topological_orders(edges, space.m), None)
    if order is None:
        return False
    scores = [-Fraction(order.index(i)) for i in range(space.m)]
    return in_p_f(space, p, lambda _: scores)


@false("P_f ≠ P_DAG for every f whatever the labels are, if items are three.")
def _relevance() -> Refutation:
    space = Grades(3, (0, 1))
    return Refutation(
        equal(space) and all(additive(space, y) for y in space.labels),
        "three items with grades 0, 1: a label prefers i to j by y_i − y_j, so d_ij = E Y_i − E Y_j, and for "
        "f(y) = y, P_f and P_DAG are everything",
    )


@false("P_f = P_DAG for f = wins − losses, on DAGs of three items.")
def _nets() -> Refutation:
    p = law({(0, 1): 1, (1, 2): 3})
    space = Dags(3)
    found = sorted_wrongly(p, in_p_dag(space, p) and not in_p_f(space, p, net_feature(space)))
    return Refutation(found.refuted, f"in P_DAG, not in P_f: {found.witness}")


@false("Some p in P_DAG is in no P_f.")
def _in_no_p_f() -> Refutation:
    space = Dags(3)
    p = law({(0, 1): 1, (1, 2): 3})
    return Refutation(
        has_some_f(space, p) and in_p_dag(space, p),
        f"{text(PairwiseDisagreement(space), p)}: it is in P_f for the constant f = (0, −1, −2); each p "
        "in P_DAG is in such a P_f",
    )


RAT13_P_F: Final = Statement(
    latex=(
        r"\(P_f \subset P_{\mathrm{DAG}}\) for every \(f\). If the labels are closed under relabeling,"
        r" \(P_f \ne P_{\mathrm{DAG}}\) for every \(f\) if and only if some label has differences with"
        r" \(d_{ij} + d_{jk} \ne d_{ik}\)"
    ),
    plain=(
        "No scores of a preference graph are right wherever Algorithm 1 is, if labels are closed under "
        "relabeling and one of them is not additive; if all are additive, wins − losses is."
    ),
    hypotheses=(
        "labels are DAGs with nonnegative weights, closed under relabeling (not in the paper, but needed)",
        r"for \(\ne\): some label is not additive, which needs three items (not in the paper, but needed)",
    ),
    citation="RAT13 §7.2; the exact hypothesis and the proof are ours",
    check=check(
        "all r, all f; strictness for label spaces closed under relabeling with a label that is not additive",
        lambda: [_INCLUSION, _singles(), _general(), _spaces(), _equality(), _union()],
        "The paper claims P_f ≠ P_DAG for all f and any labels; this is false for two items, "
        "and for relevance 0 and 1.",
        "If the labels are closed under relabeling, it holds exactly if some label has differences that are "
        "not additive (ours).",
        "P_DAG is the union of all P_f: each p in P_DAG is in P_f for a constant f, which depends on p.",
    ),
    variants=(
        FalseVariant(
            "P_f ≠ P_DAG for every f with two items too.",
            lambda: Refutation(
                equal(Dags(2)) and equal(Rankings(2)),
                "two items, f = wins − losses: E f_1 − E f_2 = 2 d_12 for every p, so P_f and P_DAG are"
                " everything",
            ),
        ),
        _relevance,
        _nets,
        _in_no_p_f,
    ),
)
