"""DMJ10 section 3.1: labels that are scores give low noise; order-preserving spaces need not."""

from fractions import Fraction
from random import Random
from typing import Any, Final

from consistency_lab.book.polynomials import Lines, is_positive, step, vanishes
from consistency_lab.book.risk import differences, weights
from consistency_lab.book.statement import Checked, FalseVariant, Kind, Refutation, Statement, Step, concluded
from consistency_lab.core.inequalities import check_farkas
from consistency_lab.errors import RejectedError
from consistency_lab.model.conditions import conditions_of
from consistency_lab.model.distribution import Distribution
from consistency_lab.solve.optimal import optimal_orders

P: Final = Fraction(3, 5)
"""A probability of the order 1 → 2 → 3 below 2/3; the order 2 → 3 → 1 has the rest."""

MULTIPLIERS: Final = (1 - P, Fraction(1))
"""Of w2 >= 2 and of d_12 >= 0."""


def check() -> Checked:
    """Check the statement."""
    return concluded(
        Kind.PROOF_ALL_M,
        "all m (scores); m = 3, the orders 1 → 2 → 3 and 2 → 3 → 1 (order-preserving spaces)",
        [_scores(), _labels(), _indifference(), no_w2(MULTIPLIERS), _two()],
        (
            "In the limit it is d_ij that equals ȳ_i − ȳ_j, not a_ij: a_ij is the mean of max(y_i − y_j, 0).",
            "Pairs must be drawn at equal rates that do not depend on the scores; the paper does not say so.",
            "w2 = 2 gives additive differences, hence low noise, for every p; what fails is that 1 → 2 → 3 "
            "is then not optimal for p < 2/3. The claim needs both demands, as its proof has them.",
        ),
    )


def _scores() -> Step:
    import sympy as sp

    y = sp.symbols("y_i y_j y_k", real=True)
    x = y[0] - y[1]
    lines: Lines = [
        "A label y gives the graph with a_ij = max(y_i − y_j, 0), which has no cycle:",
        vanishes("max(y_i−y_j, 0) − max(y_j−y_i, 0) = y_i − y_j", (sp.Abs(x) + x - (sp.Abs(-x) - x)) / 2 - x),
        "so the mean over labels, pairs drawn at one rate c, is d_ij = c(ȳ_i − ȳ_j), whatever the",
        "distribution of y. For any three items",
        vanishes("d_ik − d_ij − d_jk = 0", (y[0] - y[2]) - (y[0] - y[1]) - (y[1] - y[2])),
        "so d is additive, and satisfies the reverse triangle inequality with equality.",
    ]
    return step(
        "Labels that are scores give additive differences, hence low noise",
        Kind.PROOF_ALL_M,
        "all m",
        "identities for one pair and for three items, by SymPy",
        lines,
    )


def _labels() -> Step:
    """Random score labels, and a label distribution with a_ij other than the difference of the means."""
    rng = Random(31)
    total = additive = 0
    for m in (2, 3, 4, 5):
        for _ in range(8):
            labels = [[rng.randint(0, 4) for _ in range(m)] for _ in range(3)]
            held = conditions_of(_of_scores(labels).difference)
            total += 1
            additive += held["additive"] and held["low-noise"]
    two = _of_scores([[1, 0], [0, 1]])
    return step(
        "Random labels",
        Kind.TEST,
        "m ≤ 5",
        f"{additive} of {total} distributions on three labels have additive, low-noise differences; for y = "
        "(1, 0) or (0, 1) alike, a_12 = 1/2 though ȳ_1 − ȳ_2 = 0",
        [],
        additive == total,
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
        Kind.CERTIFICATE,
        "m = 3, one distribution",
        "all optimal orders, by dynamic programming",
        [],
        orders == [(0, 1, 2), (0, 2, 1)],
        conditions_of(p.difference)["low-noise"],
    )


def _edges(p: Any, q: Any, w: Any, v: Any) -> tuple[Any, Any, Any]:
    """d_12, d_13, d_23 for 1 → 2 → 3 (probability p, distant pair w) and 2 → 3 → 1 (q, distant pair v)."""
    return p - v * q, w * p - q, p + q


def no_w2(multipliers: tuple[Fraction, Fraction]) -> Step:
    """No weight of the pair at distance two gives low noise with 1 above 2 and 2 above 3."""
    import sympy as sp

    p, q = sp.symbols("p q", positive=True)
    w = sp.Symbol("w2", real=True)
    d12, d13, d23 = _edges(p, q, w, w)
    rows = [[Fraction(-1)], [1 - P]]
    try:
        check_farkas(rows, [Fraction(-2), P], [], [], multipliers, [])
        accepted = True
    except RejectedError:
        accepted = False
    lines: Lines = [
        "p for 1 → 2 → 3, q = 1 − p for 2 → 3 → 1; adjacent pairs weigh 1, the distant pair weighs w2:",
        "d_12 = p − w2 q, d_13 = w2 p − q, d_23 = p + q = 1. On the path 1 → 2 → 3",
        vanishes("d_13 − d_12 − d_23 = (w2 − 2)(p + q)", d13 - d12 - d23 - (w - 2) * (p + q)),
        "so low noise with d_12 > 0 asks for w2 ≥ 2, and d_12 > 0 for w2 < p/q, which falls to 1 as p",
        "falls to 1/2: the two exclude each other for every p ≤ 2/3. (w2 = p/q gives low noise too, with",
        "d_12 = 0; but then 2 → 1 → 3 is as good, and this w2 depends on p.)",
        f"At p = {P}: {multipliers[0]} (2 − w2) + {multipliers[1]} (w2 q − p) = "
        f"{multipliers[0] * 2 - multipliers[1] * P} > 0, though neither summand is positive.",
    ]
    return step(
        "No w2 makes (G, p) low-noise with 1 → 2 → 3 the only optimal order, if 1/2 < p ≤ 2/3",
        Kind.PROOF_THIS_M,
        "m = 3, these two orders",
        f"an identity by SymPy, and Farkas multipliers at p = {P}, accepted by the core",
        lines,
        accepted,
    )


def _two() -> Step:
    """What w2 = 2 does: it is the difference of ranks, so a score."""
    import sympy as sp

    q = sp.Symbol("q", positive=True)
    x = sp.Symbol("x", positive=True)
    d12, d13, d23 = _edges(q + x, q, 2, 2)
    lines: Lines = [
        "With w2 = 2 the weights are differences of ranks:",
        vanishes("d_12 + d_23 = d_13", d12 + d23 - d13),
        is_positive("d_13 = 2p − q > 0", sp.expand(d13)),
        "and d_12 = p − 2q < 0 for p < 2/3: the optimal order is then 2 > 1 > 3, and low noise holds.",
    ]
    return step(
        "w2 = 2 gives additive differences for every p",
        Kind.PROOF_THIS_M,
        "m = 3, these two orders",
        "identities by SymPy",
        lines,
    )


def _orders(p: Fraction, w: Fraction, v: Fraction) -> Distribution:
    """The distribution on the two orders, with distant pairs of weights w and v."""
    first = {(0, 1): 1, (1, 2): 1, (0, 2): w}
    second = {(1, 2): 1, (2, 0): 1, (1, 0): v}
    return Distribution.of(3, [(p, first), (1 - p, second)])


def _unequal_rates() -> Refutation:
    rates = {(0, 1): Fraction(2, 5), (1, 2): Fraction(2, 5), (0, 2): Fraction(1, 5)}
    p = Distribution.of(3, [(rate, {(i, j): j - i}) for (i, j), rate in rates.items()])
    refuted = not conditions_of(p.difference)["low-noise"]
    return Refutation(
        refuted,
        f"y = (2, 1, 0), the pairs 12, 23, 13 drawn at rates 2/5, 2/5, 1/5: {differences(p)}, and"
        " d_13 < d_12 + d_23",
    )


def _w2_of_the_order() -> Refutation:
    import sympy as sp

    q, x = sp.symbols("q x", positive=True)
    d12, d13, d23 = _edges(q + x, q, 4, sp.Rational(1, 2))
    lines = [is_positive("", sp.expand(expression)) for expression in (d12, d13 - d12 - d23, d23)]
    p = _orders(P, Fraction(4), Fraction(1, 2))
    best = list(optimal_orders(p.aggregate).orders())
    refuted = all(line.holds for line in lines) and best == [(0, 1, 2)]
    return Refutation(
        refuted and conditions_of(p.difference)["low-noise"],
        f"w2 = 4 in 1 → 2 → 3 and 1/2 in 2 → 3 → 1: low noise with 1 > 2 > 3 optimal for every p > 1/2; at"
        f" p = {P}, {differences(p)}",
    )


def _any_order_optimal() -> Refutation:
    p = _orders(P, Fraction(2), Fraction(2))
    best = list(optimal_orders(p.aggregate).orders())
    held = conditions_of(p.difference)
    return Refutation(
        held["low-noise"] and held["additive"],
        f"w2 = 2, p = {P}: {differences(p)} is additive; the optimal order is "
        + " > ".join(str(item + 1) for item in best[0]),
    )


STATEMENT: Final = Statement(
    name="section-3.1",
    title="DMJ10 §3.1",
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
    check=check,
    variants=(
        FalseVariant(
            "Labels that are scores give low noise at whatever rates pairs are drawn.", _unequal_rates
        ),
        FalseVariant("There are no weights either that may depend on the order.", _w2_of_the_order),
        FalseVariant("There is no w2 for low noise alone, whichever order is optimal.", _any_order_optimal),
    ),
)
