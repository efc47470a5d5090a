"""Which labels give low noise: scores (DMJ10 section 3.1), approval ballots, Bradley-Terry-Luce models."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any, Final

from consistency_lab.apps.book.polynomials import confirmed, question, sp
from consistency_lab.apps.book.risk import differences, refuted_by_core, weights
from consistency_lab.apps.book.statement import (
    Cases,
    Refutation,
    Statement,
    Step,
    also,
    check,
    drawn,
    excluded,
    false,
    step,
)
from consistency_lab.apps.book.ticked import ticked
from consistency_lab.data.profile import Profile, read_profile
from consistency_lab.data.text import sample_path
from consistency_lab.errors import InputError
from consistency_lab.model.conditions import conditions_of, net
from consistency_lab.model.distribution import Distribution, Matrix, PreferenceGraph
from consistency_lab.model.surrogates import surrogate
from consistency_lab.solve.optimal import optimal_orders

# --- DMJ10 section 3.1: labels that are scores give low noise; order-preserving spaces need not ----------

P: Final = Fraction(3, 5)
"""A probability of the order 1 → 2 → 3 below 2/3; the order 2 → 3 → 1 has the rest."""

MULTIPLIERS: Final = (1 - P, Fraction(1))
"""Of w2 >= 2 and of d_12 >= 0."""


def _scores() -> Step:
    return step(
        "Labels that are scores give additive differences, hence low noise",
        "all m",
        "identities for one pair and for three items, by SymPy",
        "A label y gives the graph with a_ij = max(y_i − y_j, 0), which has no cycle:",
        ticked("max(y_i − y_j, 0) − max(y_j − y_i, 0) = y_i − y_j"),
        "so the mean over labels, pairs drawn at one rate c, is d_ij = c(ȳ_i − ȳ_j), whatever the",
        "distribution of y. For any three items d_ik − d_ij − d_jk is c times the mean of",
        ticked("(y_i − y_k) − (y_i − y_j) − (y_j − y_k) = 0"),
        "so d is additive, and satisfies the reverse triangle inequality with equality.",
    )


def _labels() -> Step:
    """Random score labels, and a label distribution with a_ij other than the difference of the means."""

    def agree(rng: Random, m: int) -> bool:
        held = conditions_of(_of_scores([[rng.randint(0, 4) for _ in range(m)] for _ in range(3)]).difference)
        return held["additive"] and held["low-noise"]

    two = _of_scores([[1, 0], [0, 1]])
    return drawn(
        "Random labels",
        "m ≤ 5",
        "{} distributions on three labels have additive, low-noise differences; for y = "
        "(1, 0) or (0, 1) alike, a_12 = 1/2 though ȳ_1 − ȳ_2 = 0",
        agree,
        (2, 3, 4, 5),
        8,
        31,
        two.aggregate[0][1] == Fraction(1, 2) and two.difference[0][1] == 0,
    )


def _of_scores(labels: list[list[int]]) -> Distribution:
    m = len(labels[0])
    graphs = [{(i, j): y[i] - y[j] for i in range(m) for j in range(m) if y[i] > y[j]} for y in labels]
    return Distribution.of(m, [(Fraction(1, len(labels)), graph) for graph in graphs])


def _indifference() -> Step:
    p = Distribution.from_aggregate(weights(3, {(1, 2): 1, (1, 3): 1}))
    orders = list(optimal_orders(p.aggregate).orders())
    return step(
        "With edges 1 → 2 and 1 → 3 only, both orders of 2 and 3 are optimal",
        "m = 3, one distribution",
        "all optimal orders, by dynamic programming",
        orders == [(0, 1, 2), (0, 2, 1)],
        conditions_of(p.difference)["low-noise"],
    )


def _edges(p: Any, q: Any, w: Any, v: Any) -> tuple[Any, Any, Any]:
    """d_12, d_13, d_23 for 1 → 2 → 3 (probability p, distant pair w) and 2 → 3 → 1 (q, distant pair v)."""
    return p - v * q, w * p - q, p + q


def no_w2(multipliers: tuple[Fraction, Fraction]) -> Step:
    """No weight of the pair at distance two gives low noise with 1 above 2 and 2 above 3."""
    rows = [[Fraction(-1)], [1 - P]]
    return step(
        "No w2 makes (G, p) low-noise with 1 → 2 → 3 the only optimal order, if 1/2 < p ≤ 2/3",
        "m = 3, these two orders",
        f"an identity by SymPy, and Farkas multipliers at p = {P}, accepted by the core",
        "p for 1 → 2 → 3, q = 1 − p for 2 → 3 → 1; adjacent pairs weigh 1, the distant pair weighs w2:",
        "d_12 = p − w2 q, d_13 = w2 p − q, d_23 = p + q = 1. On the path 1 → 2 → 3, with w for w2,",
        ticked("d_13 − d_12 − d_23 = (w − 2)(p + q) for d_12 = p − w q, d_13 = w p − q, d_23 = p + q"),
        "so low noise with d_12 > 0 asks for w2 ≥ 2, and d_12 > 0 for w2 < p/q, which falls to 1 as p",
        "falls to 1/2: the two exclude each other for every p ≤ 2/3. (w2 = p/q gives low noise too, with",
        "d_12 = 0; but then 2 → 1 → 3 is as good, and this w2 depends on p.)",
        f"At p = {P}: {multipliers[0]} (2 − w2) + {multipliers[1]} (w2 q − p) = "
        f"{multipliers[0] * 2 - multipliers[1] * P} > 0, though neither summand is positive.",
        excluded(rows, [Fraction(-2), P], multipliers),
    )


def _two() -> Step:
    """What w2 = 2 does: it is the difference of ranks, so a score."""
    return step(
        "w2 = 2 gives additive differences for every p",
        "m = 3, these two orders",
        "identities by SymPy",
        "With w2 = 2 the weights are differences of ranks, and d_13 > 0 as p > q:",
        ticked("d_12 + d_23 = d_13 for d_12 = p − 2q, d_23 = p + q, d_13 = 2p − q"),
        ticked("2p − q > 0 for p = q + x, q, x > 0"),
        "and d_12 = p − 2q < 0 for p < 2/3: the optimal order is then 2 > 1 > 3, and low noise holds.",
    )


def _orders(p: Fraction, w: Fraction, v: Fraction) -> Distribution:
    """The distribution on the two orders, with distant pairs of weights w and v."""
    first = {(0, 1): 1, (1, 2): 1, (0, 2): w}
    second = {(1, 2): 1, (2, 0): 1, (1, 0): v}
    return Distribution.of(3, [(p, first), (1 - p, second)])


@false("Labels that are scores give low noise at whatever rates pairs are drawn.")
def _unequal_rates() -> Refutation:
    rates = {(0, 1): Fraction(2, 5), (1, 2): Fraction(2, 5), (0, 2): Fraction(1, 5)}
    p = Distribution.of(3, [(rate, {(i, j): j - i}) for (i, j), rate in rates.items()])
    refuted = not conditions_of(p.difference)["low-noise"]
    return Refutation(
        refuted,
        f"y = (2, 1, 0), the pairs 12, 23, 13 drawn at rates 2/5, 2/5, 1/5: {differences(p)}, and"
        " d_13 < d_12 + d_23",
    )


@false("There are no weights either that may depend on the order.")
def _w2_of_the_order() -> Refutation:
    q, x = sp.symbols("q x", positive=True)
    d12, d13, d23 = _edges(q + x, q, 4, sp.Rational(1, 2))
    signs = [sp.expand(x).is_positive is True for x in (d12, d13 - d12 - d23, d23)]
    p = _orders(P, Fraction(4), Fraction(1, 2))
    best = list(optimal_orders(p.aggregate).orders())
    refuted = all(signs) and best == [(0, 1, 2)]
    return Refutation(
        refuted and conditions_of(p.difference)["low-noise"],
        f"w2 = 4 in 1 → 2 → 3 and 1/2 in 2 → 3 → 1: low noise with 1 > 2 > 3 optimal for every p > 1/2; at"
        f" p = {P}, {differences(p)}",
    )


@false("There is no w2 for low noise alone, whichever order is optimal.")
def _any_order_optimal() -> Refutation:
    p = _orders(P, Fraction(2), Fraction(2))
    best = list(optimal_orders(p.aggregate).orders())
    held = conditions_of(p.difference)
    return Refutation(
        held["low-noise"] and held["additive"],
        f"w2 = 2, p = {P}: {differences(p)} is additive; the optimal order is "
        + " > ".join(str(item + 1) for item in best[0]),
    )


SECTION_3_1: Final = Statement(
    latex=(
        r"If \(a^G_{ij} = (y_i - y_j)_+\) for scores \(y\), then \(d_{ij} = \bar y_i - \bar y_j\) and"
        r" \((G,p)\) is low-noise. For \(\pi = 1 \to 2 \to 3\) and \(\hat\pi = 2 \to 3 \to 1\) with"
        r" \(p_\pi > p_{\hat\pi}\), no weight \(w_2\) of pairs at distance two gives low noise with"
        r" \(\pi\) optimal for all such \(p\)."
    ),
    plain=(
        "Labels that are scores give low noise; an order-preserving space of orders cannot be made "
        "low-noise by weights that depend on the distance in the order."
    ),
    hypotheses=(
        "pairs are drawn at one rate, whatever their scores (not in the paper, but needed)",
        r"pairs at distance one weigh 1, those at distance two weigh \(w_2\)",
    ),
    citation="DMJ10 §3.1 (on Cossock and Zhang 2008, and Xia et al. 2008)",
    check=check(
        "all m (scores); m = 3, the orders 1 → 2 → 3 and 2 → 3 → 1 (order-preserving spaces)",
        lambda: [_scores(), also(_labels()), _indifference(), no_w2(MULTIPLIERS), _two()],
        "In the limit it is d_ij that equals ȳ_i − ȳ_j, not a_ij: a_ij is the mean of max(y_i − y_j, 0).",
        "Pairs must be drawn at equal rates that do not depend on the scores; the paper does not say so.",
        "w2 = 2 gives additive differences, hence low noise, for every p; what fails is that 1 → 2 → 3 "
        "is then not optimal for p < 2/3. The claim needs both conditions, as in its proof.",
    ),
    variants=(_unequal_rates, _w2_of_the_order, _any_order_optimal),
)


# --- Ours: approval ballots always give additive difference graphs, with the approval shares as scores ---

SAMPLE: Final = "vermont.toc"


def _identity() -> Step:
    return step(
        "d_ij = (share approving i) − (share approving j)",
        "all m, all distributions on ballots",
        "an identity for one pair and one ballot, by SymPy; the mean is linear",
        "A ballot that approves the items S is the graph with an edge i → j of weight 1 for i ∈ S, j ∉ S.",
        "With x_i = 1 for i ∈ S and 0 otherwise, a_ij = x_i(1 − x_j) on this ballot, and a_ij − a_ji is",
        ticked("x_i(1 − x_j) − x_j(1 − x_i) = x_i − x_j"),
        "The mean over the ballots is d_ij = y_i − y_j with y_i the share of ballots that approve i.",
    )


def _converse() -> Step:
    """Thresholds of y give ballots with the shares y."""
    y = [Fraction(n, 12) for n in (10, 3, 7, 3, 0)]
    return step(
        "Every additive d with |d_ij| ≤ 1 comes from approval ballots",
        "all m",
        "by hand; tried out at y = (10, 3, 7, 3, 0)/12",
        "Let d_ij = y_i − y_j with least y 0. Draw t uniformly from [0, 1] and approve the items with",
        "y_i > t: item i is approved with probability y_i. There are finitely many such ballots.",
        _are_differences(_ballots(_thresholds(y), len(y)).difference, y),
    )


def _thresholds(y: list[Fraction]) -> list[tuple[Fraction, frozenset[int]]]:
    steps = sorted({Fraction(0), Fraction(1), *y})
    return [
        (high - low, frozenset(i for i, value in enumerate(y) if value > low))
        for low, high in pairwise(steps)
    ]


def _ballots(ballots: list[tuple[Fraction, frozenset[int]]], m: int) -> Distribution:
    graphs = [(p, {(i, j): 1 for i in chosen for j in range(m) if j not in chosen}) for p, chosen in ballots]
    return Distribution.of(m, graphs)


def _random() -> Step:
    def agree(rng: Random, m: int) -> bool:
        chosen = [frozenset(i for i in range(m) if rng.random() < 1 / 2) for _ in range(4)]
        counts = [rng.randint(1, 9) for _ in chosen]
        ballots = [(Fraction(n, sum(counts)), s) for n, s in zip(counts, chosen, strict=True)]
        shares = [sum((p for p, s in ballots if i in s), Fraction(0)) for i in range(m)]
        return _are_differences(_ballots(ballots, m).difference, shares)

    how = "d_ij is the difference of the shares at {} distributions on four ballots"
    return drawn("Random ballots", "m ≤ 6", how, agree, (2, 3, 4, 5, 6), 8, 3)


def _are_differences(d: Matrix, y: Sequence[Fraction]) -> bool:
    return all(value == y[i] - y[j] for i, row in enumerate(d) for j, value in enumerate(row))


def _election() -> Step:
    """The bundled election."""
    profile = _vermont()
    p = profile.distribution
    y = [
        sum(
            (q for q, graph in zip(p.probabilities, p.graphs, strict=True) if i in approved(graph, p.m)),
            Fraction(0),
        )
        for i in range(p.m)
    ]
    shown = ", ".join(f"{name} {value * profile.voters}" for name, value in zip(p.items, y, strict=True))
    return step(
        "A real election",
        f"m = {p.m}, {profile.title}",
        f"{len(p.graphs)} different ballots of {profile.voters} voters; d is additive, exactly",
        f"approvals on ballots that tell items apart: {shown}",
        Cases(int(_are_differences(p.difference, y) and conditions_of(p.difference)["additive"]), 1),
    )


def _vermont() -> Profile:
    path = sample_path(SAMPLE)
    assert path is not None  # it is part of the package
    return read_profile(path)


def approved(graph: PreferenceGraph, m: int) -> frozenset[int]:
    """The items above in a ballot of two levels.

    Examples
    --------
    >>> sorted(approved(PreferenceGraph.of({(0, 2): 1, (1, 2): 1}), 3))
    [0, 1]
    """
    above = frozenset(i for i, _, _ in graph)
    pairs = {(i, j) for i, j, _ in graph}
    if pairs != {(i, j) for i in above for j in range(m) if j not in above}:
        raise InputError("the graph is not that of an approval ballot: an item stands between two others")
    return above


@false("Ballots of three levels give additive difference graphs.")
def _three_levels() -> Refutation:
    p = Distribution.of(3, [(1, {(0, 1): 1, (1, 2): 1, (0, 2): 1})])
    held = conditions_of(p.difference)
    refuted = not held["additive"] and not held["low-noise"]
    return Refutation(refuted, f"the one ballot 1 > 2 > 3: {differences(p)}, not even low noise")


@false("Ballots of two levels on some of the items give additive difference graphs.")
def _gaps() -> Refutation:
    half = Fraction(1, 2)
    p = Distribution.of(3, [(half, {(0, 1): 1}), (half, {(1, 2): 1})])
    held = conditions_of(p.difference)
    refuted = not held["additive"] and not held["low-noise"]
    return Refutation(refuted, f"1 above 2 on one ballot, 2 above 3 on another: {differences(p)}, no edge 13")


@false("On approval ballots the logistic loss is consistent.")
def _logistic_on_ballots() -> Refutation:
    aggregate = _vermont().distribution.aggregate
    return refuted_by_core(surrogate("logistic"), aggregate, "additive", strict=True)


APPROVAL_BALLOTS: Final = Statement(
    latex=(
        r"If each graph is that of an approval ballot, \(a^G_{ij} = 1(i \in S_G, j \notin S_G)\), then"
        r" \(d_{ij} = P(i \in S_G) - P(j \in S_G)\); and every additive \(d\) with \(|d_{ij}| \le 1\)"
        r" arises so."
    ),
    plain="Approval ballots always give additive difference graphs: the scores are the approval shares.",
    hypotheses=("each ballot has two levels and ranks all items",),
    citation="ours",
    check=check(
        "all m",
        lambda: [_identity(), _converse(), also(_random()), also(_election())],
        "So approval ballots satisfy every noise condition of the book, and the linear loss is "
        "consistent on them (Corollary 15), while the logistic loss is not.",
        "Ballots may have weights: y_i is then the mean weight of the ballots that approve i.",
    ),
    variants=(_three_levels, _gaps, _logistic_on_ballots),
)


# --- Ours: Bradley-Terry-Luce labels have low noise only if there are at most two different grades -------

FILE: Final = "btl_labels.smt2"


def _defect() -> Step:
    """The identity behind the subadditivity of tanh."""
    return step(
        "Three different grades violate low noise, on every path",
        "all m, all positive grades",
        "a rational identity, and signs, by SymPy; z3 finds no three grades with d_ik ≥ d_ij + d_jk either",
        "With P(i over j) = s_i/(s_i + s_j), d_ij = P(i over j) − P(j over i) = (s_i − s_j)/(s_i + s_j).",
        "In t_i = log s_i this is tanh((t_i − t_j)/2):",
        ticked("tanh(x) = (exp(2x) − 1)/(exp(2x) + 1)"),
        "Let s_i > s_j > s_k. Then i → j → k in the difference graph, and with r, s, t for them",
        ticked(
            "d_ij + d_jk − d_ik = d_ij d_jk d_ik",
            "    for d_ij = (r − s)/(r + s), d_jk = (s − t)/(s + t), d_ik = (r − t)/(r + t)",
        ),
        ticked("tanh(x) + tanh(y) − tanh(x + y) = tanh(x) tanh(y) tanh(x + y)"),
        "where all three d are above 0, as",
        ticked("(s_i − s_j)/(s_i + s_j) > 0 for s_i = s_j + e, s_j, e > 0"),
        "so d_ik < d_ij + d_jk: the reverse triangle inequality fails on every such path.",
        confirmed(FILE, smt_question()),
    )


def smt_question() -> str:
    """Are there three different grades on which the reverse triangle inequality holds?"""
    return question(
        "Three different grades: d_13 < d_12 + d_23 for Bradley-Terry-Luce labels, denominators cleared.",
        [
            "s1 > s2",
            "s2 > s3",
            "s3 > 0",
            "(s1-s3)*(s1+s2)*(s2+s3) >= ((s1-s2)*(s2+s3)+(s2-s3)*(s1+s2))*(s1+s3)",
        ],
    )


def _two_grades() -> tuple[Step, Step]:
    def agree(rng: Random, m: int) -> bool:
        high = Fraction(rng.randint(2, 9))
        d = labels([high if rng.random() < 1 / 2 else Fraction(1) for _ in range(m)]).difference
        return conditions_of(d)["additive"]

    claim, how = "At most two different grades give additive differences", "at {} random grades"
    said = "All d_ij between the grades s > r are c = (s − r)/(s + r), others 0: y_i = c on s and 0 on r."
    return (
        step(claim, "all m, all positive grades", "by hand", said),
        also(drawn(claim, "m ≤ 5", how, agree, (2, 3, 4, 5), 6, 2)),
    )


def _net_order() -> Step:
    return step(
        "Eq. 16 always holds: N is in the order of the grades",
        "all m, all positive grades",
        "a rational identity, and signs, by SymPy",
        "Let s_i > s_k. For every j d_ij − d_kj is, with r, s, t for s_i, s_j, s_k,",
        ticked(
            "(r − s)/(r + s) − (t − s)/(t + s) = 2s(r − t)/((r + s)(t + s)) > 0 for r = t + e, s, t, e > 0"
        ),
        "so N_i − N_k = Σ_j (d_ij − d_kj) > 0 on every edge i → k.",
    )


def _logistic() -> Step:
    return step(
        "The logistic loss is right: its minimizer is α_i = log s_i",
        "all m, all pairs at one rate",
        "an identity for one pair, by SymPy; the logistic loss is strictly convex",
        "φ(x) = log(1 + e^{−x}) has φ'(log q) = −1/(1 + q). At α = log s each pair is stationary by",
        "itself: P(i over j) φ'(α_i − α_j) − P(j over i) φ'(α_j − α_i) is",
        ticked("−s_i/(s_i + s_j)/(1 + s_i/s_j) + s_j/(s_i + s_j)/(1 + s_j/s_i) = 0"),
    )


def labels(grades: Sequence[Fraction]) -> Distribution:
    """Every pair drawn at one rate, with the winner by Bradley, Terry and Luce.

    Examples
    --------
    >>> labels([Fraction(3), Fraction(1)]).aggregate[0][1]
    Fraction(3, 4)
    """
    m = range(len(grades))
    return Distribution.from_aggregate(
        [[grades[i] / (grades[i] + grades[j]) if i != j else 0 for j in m] for i in m]
    )


def _examples() -> Step:
    def agree(rng: Random, m: int) -> bool:
        grades = [Fraction(rng.randint(1, 5)) for _ in range(m)]
        held = conditions_of(labels(grades).difference)
        return held["low-noise"] is (len(set(grades)) < 3) and held["net-order"]

    claim = "Low noise exactly if fewer than three grades differ, and Eq. 16 always"
    return drawn(claim, "m ≤ 5", "at {} random vectors of grades", agree, (3, 4, 5), 8, 5)


@false("Bradley-Terry-Luce labels satisfy low noise.")
def _low_noise() -> Refutation:
    p = labels([Fraction(3), Fraction(2), Fraction(1)])
    d = p.difference
    refuted = not conditions_of(d)["low-noise"] and d[0][2] < d[0][1] + d[1][2]
    return Refutation(refuted, f"s = (3, 2, 1): {differences(p)}, and 1/2 < 1/5 + 1/3 = 8/15")


@false("They violate low noise for all grades that are not all equal.")
def _never() -> Refutation:
    p = labels([Fraction(2), Fraction(1), Fraction(1)])
    held = conditions_of(p.difference)
    return Refutation(held["low-noise"] and held["additive"], f"s = (2, 1, 1): {differences(p)} is additive")


@false("With three different grades they violate Eq. 16 as well.")
def _wrong_net() -> Refutation:
    p = labels([Fraction(3), Fraction(2), Fraction(1)])
    n = net(p.difference)
    refuted = n[0] > n[1] > n[2] and conditions_of(p.difference)["net-order"]
    shown = ", ".join(map(str, n))
    return Refutation(refuted, f"s = (3, 2, 1): N = ({shown}) is in order")


BTL_LABELS: Final = Statement(
    latex=(
        r"If \(P(i \succ j) = s_i/(s_i + s_j)\), then \(d_{ij} = \tanh((t_i - t_j)/2)\) with"
        r" \(t = \log s\), and \(d_{ij} + d_{jk} - d_{ik} = d_{ij} d_{jk} d_{ik} > 0\) for"
        r" \(s_i > s_j > s_k\): low noise holds if and only if at most two grades differ."
    ),
    plain=(
        "Bradley-Terry-Luce labels never satisfy low noise with three different grades, though their net "
        "preferences are always in order."
    ),
    hypotheses=(r"\(s_i > 0\)", "all pairs are drawn at one rate, each with weight 1"),
    citation="ours",
    check=check(
        "all m, all positive grades",
        lambda: [_defect(), *_two_grades(), _net_order(), _logistic(), also(_examples())],
        "Labels drawn from a Bradley-Terry-Luce model lie outside the low-noise condition as soon as "
        "three grades differ; Eq. 16 holds all the same, so the linear loss is right there.",
        "The logistic loss is right there too: its minimizer is the vector of the log grades.",
    ),
    variants=(_low_noise, _never, _wrong_net),
    files=(FILE,),
)
