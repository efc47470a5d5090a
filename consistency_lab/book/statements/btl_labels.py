"""Ours: Bradley-Terry-Luce labels have low noise only if there are at most two different grades."""

from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Any, Final

from consistency_lab.book.polynomials import Lines, confirmed, is_positive, question, step, vanishes
from consistency_lab.book.risk import differences
from consistency_lab.book.statement import Checked, FalseVariant, Kind, Refutation, Statement, Step, concluded
from consistency_lab.model.conditions import conditions_of, net
from consistency_lab.model.distribution import Distribution

FILE: Final = "btl_labels.smt2"


def check() -> Checked:
    """Check the statement."""
    return concluded(
        Kind.PROOF_ALL_M,
        "all m, all positive grades",
        [_defect(), _two_grades(), _net_order(), _logistic(), _examples()],
        (
            "Labels drawn from a Bradley-Terry-Luce model lie outside the low-noise condition as soon as "
            "three grades differ; Eq. 16 holds all the same, so the linear loss is right there.",
            "The logistic loss is right there too: its minimizer is the vector of the log grades.",
        ),
    )


def _defect() -> Step:
    """The identity behind the subadditivity of tanh."""
    import sympy as sp

    s3, e, f = sp.symbols("s_k e f", positive=True)
    s2, s1 = s3 + e, s3 + e + f
    t, u = sp.symbols("t u", positive=True)
    d12, d23, d13 = _d(s1, s2), _d(s2, s3), _d(s1, s3)
    lines: Lines = [
        "With P(i over j) = s_i/(s_i + s_j), d_ij = P(i over j) − P(j over i) = (s_i − s_j)/(s_i + s_j).",
        "In t_i = log s_i this is tanh((t_i − t_j)/2):",
        vanishes("tanh(x) = (e^{2x} − 1)/(e^{2x} + 1)", (sp.tanh(t) - _d(sp.exp(2 * t), 1)).rewrite(sp.exp)),
        "Let s_i > s_j > s_k. Then i → j → k in the difference graph, and",
        vanishes("d_ij + d_jk − d_ik = d_ij d_jk d_ik", d12 + d23 - d13 - d12 * d23 * d13),
        vanishes(
            "    (tanh x + tanh y − tanh(x+y) = tanh x tanh y tanh(x+y))",
            (_addition(t, u)).rewrite(sp.exp),
        ),
        *(is_positive(f"d_{name} > 0", sp.factor(d)) for name, d in (("ij", d12), ("jk", d23), ("ik", d13))),
        "so d_ik < d_ij + d_jk: the reverse triangle inequality fails on every such path.",
    ]
    return step(
        "Three different grades violate low noise, on every path",
        Kind.PROOF_ALL_M,
        "all m, all positive grades",
        "a rational identity, and signs, by SymPy; z3 finds no three grades with d_ik ≥ d_ij + d_jk either",
        lines,
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


def _d(s: Any, r: Any) -> Any:
    """d_ij for the grades s of i and r of j."""
    return (s - r) / (s + r)


def _addition(t: Any, u: Any) -> Any:
    """What the addition theorem says is 0."""
    import sympy as sp

    x, y, z = sp.tanh(t), sp.tanh(u), sp.tanh(t + u)
    return x + y - z - x * y * z


def _two_grades() -> Step:
    total = agreed = 0
    rng = Random(2)
    for m in (2, 3, 4, 5):
        for _ in range(6):
            high = Fraction(rng.randint(2, 9))
            d = labels([high if rng.random() < 1 / 2 else Fraction(1) for _ in range(m)]).difference
            total += 1
            agreed += conditions_of(d)["additive"]
    return step(
        "At most two different grades give additive differences",
        Kind.PROOF_ALL_M,
        "all m, all positive grades",
        f"by hand; confirmed at {agreed} of {total} random grades",
        ["All d_ij between the grades s > r are c = (s − r)/(s + r), others 0: y_i = c on s and 0 on r."],
        agreed == total,
    )


def _net_order() -> Step:
    import sympy as sp

    r, e, z = sp.symbols("s_k e s_j", positive=True)
    s = r + e
    lines: Lines = [
        "Let s_i > s_k. For every j",
        is_positive(
            "d_ij − d_kj = 2 s_j (s_i − s_k)/((s_i + s_j)(s_k + s_j)) > 0", sp.factor(_d(s, z) - _d(r, z))
        ),
        "so N_i − N_k = Σ_j (d_ij − d_kj) > 0 on every edge i → k.",
    ]
    return step(
        "Eq. 16 always holds: N is in the order of the grades",
        Kind.PROOF_ALL_M,
        "all m, all positive grades",
        "a rational identity, and signs, by SymPy",
        lines,
    )


def _logistic() -> Step:
    import sympy as sp

    s, r = sp.symbols("s_i s_j", positive=True)
    slope = -1 / (1 + s / r)
    back = -1 / (1 + r / s)
    lines: Lines = [
        "φ(x) = log(1 + e^{−x}) has φ'(log q) = −1/(1 + q). At α = log s each pair is stationary by itself:",
        vanishes(
            "P(i over j) φ'(α_i − α_j) − P(j over i) φ'(α_j − α_i) = 0",
            s / (s + r) * slope - r / (s + r) * back,
        ),
    ]
    return step(
        "The logistic loss is right: its minimizer is α_i = log s_i",
        Kind.PROOF_ALL_M,
        "all m, all pairs at one rate",
        "an identity for one pair, by SymPy; the logistic loss is strictly convex",
        lines,
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
    rng = Random(5)
    total = agreed = 0
    for m in (3, 4, 5):
        for _ in range(8):
            grades = [Fraction(rng.randint(1, 5)) for _ in range(m)]
            held = conditions_of(labels(grades).difference)
            total += 1
            agreed += held["low-noise"] is (len(set(grades)) < 3) and held["net-order"]
    return step(
        "Low noise exactly if fewer than three grades differ, and Eq. 16 always",
        Kind.TEST,
        "m ≤ 5",
        f"at {agreed} of {total} random vectors of grades",
        [],
        agreed == total,
    )


def _low_noise() -> Refutation:
    p = labels([Fraction(3), Fraction(2), Fraction(1)])
    d = p.difference
    refuted = not conditions_of(d)["low-noise"] and d[0][2] < d[0][1] + d[1][2]
    return Refutation(refuted, f"s = (3, 2, 1): {differences(p)}, and 1/2 < 1/5 + 1/3 = 8/15")


def _never() -> Refutation:
    p = labels([Fraction(2), Fraction(1), Fraction(1)])
    held = conditions_of(p.difference)
    return Refutation(held["low-noise"] and held["additive"], f"s = (2, 1, 1): {differences(p)} is additive")


def _wrong_net() -> Refutation:
    p = labels([Fraction(3), Fraction(2), Fraction(1)])
    n = net(p.difference)
    refuted = n[0] > n[1] > n[2] and conditions_of(p.difference)["net-order"]
    shown = ", ".join(map(str, n))
    return Refutation(refuted, f"s = (3, 2, 1): N = ({shown}) is in order")


STATEMENT: Final = Statement(
    name="btl-labels",
    title="BTL labels are not low-noise",
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
    check=check,
    variants=(
        FalseVariant("Bradley-Terry-Luce labels satisfy low noise.", _low_noise),
        FalseVariant("They violate low noise for all grades that are not all equal.", _never),
        FalseVariant("With three different grades they violate Eq. 16 as well.", _wrong_net),
    ),
    files=(FILE,),
)
