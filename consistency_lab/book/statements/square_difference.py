"""Ours: the square loss on the difference graph is consistent on additive differences, not for low noise."""

from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Final

from consistency_lab.book.polynomials import Lines, is_positive, step, vanishes
from consistency_lab.book.risk import refuted_by_core, weights
from consistency_lab.book.statement import Checked, FalseVariant, Kind, Refutation, Statement, Step, concluded
from consistency_lab.book.statements.dmj13_difference_graph import square_under_low_noise
from consistency_lab.exact.linear import solve_linear
from consistency_lab.model.distribution import Matrix
from consistency_lab.model.surrogates import surrogate
from consistency_lab.theorems.base import Evidence
from consistency_lab.theorems.difference import SQUARE_ON_ADDITIVE


def check() -> Checked:
    """Check the statement."""
    return concluded(
        Kind.PROOF_ALL_M,
        "all m, φ(x) = a x² + b x + c with a > 0 > b",
        [_normal_equations(), _ratio(), _constant(), _three_items(), _four_items(), _examples()],
        ("With three items it is right for every acyclic difference graph: four is the least that fails.",),
    )


def _normal_equations() -> Step:
    import sympy as sp

    c = sp.Symbol("c", positive=True)
    x, y = sp.symbols("alpha_i alpha_j", real=True)
    a, slope, t = sp.symbols("a b t", real=True)
    risk = c * (1 - x + y) ** 2
    scaled = a * (-slope * t / (2 * a)) ** 2 + slope * (-slope * t / (2 * a))
    lines: Lines = [
        "φ(x) = a x² + b x + c', a > 0 > b, is (1 − t)² up to scale and a constant at x = −b t/(2a):",
        vanishes(
            "φ(−b t/(2a)) = (b²/(4a)) ((1 − t)² − 1) + c'", scaled - slope**2 / (4 * a) * ((1 - t) ** 2 - 1)
        ),
        "So let φ(x) = (1 − x)². For y_i > y_j the pair has c = y_i − y_j = |y_i − y_j| and",
        vanishes("−½ ∂/∂α_i c(1 − α_i + α_j)² = c − c(α_i − α_j)", -sp.diff(risk, x) / 2 - c + c * (x - y)),
        vanishes("−½ ∂/∂α_j c(1 − α_i + α_j)² = −c − c(α_j − α_i)", -sp.diff(risk, y) / 2 + c + c * (y - x)),
        "so α minimizes W if and only if, for every i,",
        "    Σ_j |y_i − y_j| (α_i − α_j) = Σ_j (y_i − y_j),                                      (1)",
        "If the y_i are not all equal, items with different y are joined by an edge and every item has",
        "one, so W is strictly convex and coercive up to shifts: one minimizer up to shifts.",
    ]
    return step(
        "The minimizer solves Σ_j |y_i − y_j| (α_i − α_j) = Σ_j (y_i − y_j)",
        Kind.PROOF_ALL_M,
        "all m",
        "derivatives for one pair, by SymPy",
        lines,
    )


def _ratio() -> Step:
    import sympy as sp

    y, p, q, r, s = sp.symbols("y p q r s", real=True)
    k = sp.Symbol("k", positive=True)
    alpha, v, du, dv = sp.symbols("alpha v u' v'", real=True)
    u_line, v_line = p * y + q, r * y + s
    wronskian = sp.diff(u_line, y) * v_line - u_line * sp.diff(v_line, y)
    jump = (du + 2 * k * alpha) * v - alpha * v * (dv + 2 * k) - (du * v - alpha * v * dv)
    lines: Lines = [
        "(1) says α_i = u(y_i)/v(y_i) with u(y) = Σ_j (y − y_j) + Σ_j |y − y_j| α_j and",
        "v(y) = Σ_j |y − y_j| > 0, both linear between neighboring values of the y_j. Let K = u'v − uv'.",
        "Between neighboring values u = p y + q, v = r y + s, and K is constant:",
        vanishes("K' = 0", sp.diff(wronskian, y)),
        "At a value y_i that k items share (their α are equal, by (1)), u' jumps by 2kα_i, v' by 2k, and",
        "u = α_i v there, so K does not jump:",
        vanishes("(u' + 2kα_i) v − α_i v (v' + 2k) = u' v − α_i v v'", jump),
        "So K is one constant, and between neighboring values",
        vanishes("(u/v)' = K/v²", sp.diff(u_line / v_line, y) - wronskian / v_line**2),
    ]
    return step(
        "Scores are u(y)/v(y) with (u/v)' = K/v² for one constant K",
        Kind.PROOF_ALL_M,
        "all m",
        "identities for linear functions, by SymPy",
        lines,
    )


def _constant() -> Step:
    import sympy as sp

    y, a, s, b = sp.symbols("y A S B", real=True)
    m = sp.Symbol("m", positive=True)
    u, v = m * y - s + a * y - b, m * y - s
    k = sp.diff(u, y) * v - u * sp.diff(v, y)
    c = sp.Symbol("c", positive=True)
    i, j = sp.symbols("alpha_i alpha_j", real=True)
    lines: Lines = [
        "Above all y_j, with S = Σ y_j, A = Σ α_j, B = Σ y_j α_j: u = m y − S + A y − B, v = m y − S, and",
        vanishes("K = mB − SA, for every y and m", k - (m * b - s * a)),
        "(1) times α_i, summed over i, has Σ_ij (y_i − y_j) α_i = mB − SA on the right; on the left, with",
        "c = |y_i − y_j|, the pair {i, j} has",
        vanishes(
            "c(α_i − α_j)α_i + c(α_j − α_i)α_j = c(α_i − α_j)²",
            c * (i - j) * i + c * (j - i) * j - c * (i - j) ** 2,
        ),
        "so K = Σ over pairs of |y_i − y_j| (α_i − α_j)² ≥ 0. It is not 0: else α would be the same for",
        "all items, as those of different y are joined, and (1) would give 0 = Σ_j (y_i − y_j) for the",
        "top item. So u/v strictly increases: y_i > y_j implies α_i > α_j, and α lies inside A(p).",
        "W has no other minimizer up to shifts and is coercive up to shifts: W* < inf outside A(p).",
    ]
    return step(
        "K = Σ |y_i − y_j| (α_i − α_j)² > 0, so the scores increase strictly with y",
        Kind.PROOF_ALL_M,
        "all m",
        "identities with symbolic m, by SymPy; the rest by hand",
        lines,
    )


def _three_items() -> Step:
    """Three items: right for every acyclic difference graph."""
    import sympy as sp

    d12, d23, d13 = sp.symbols("d_12 d_23 d_13", positive=True)
    x, y = sp.symbols("x y", real=True)
    risk = d12 * (1 - x) ** 2 + d23 * (1 - y) ** 2 + d13 * (1 - x - y) ** 2
    lines: Lines = [
        "With x = α_1 − α_2, y = α_2 − α_3 and edges 12, 23, 13 of positive weight, W is least at"
    ]
    found = sp.solve([sp.diff(risk, x), sp.diff(risk, y)], [x, y], dict=True)[0]
    for name, variable in (("x", x), ("y", y)):
        value = sp.factor(found[variable])
        lines.append(is_positive(f"{name} = {str(value).replace('**', '^').replace('*', ' ')} > 0", value))
    lines.append("Fewer than three edges form a forest, where W is least with all differences 1 on edges.")
    return step(
        "With three items it is right for every acyclic difference graph",
        Kind.PROOF_THIS_M,
        "m ≤ 3",
        "the minimizer in closed form, by SymPy",
        lines,
    )


def _four_items() -> Step:
    found = square_under_low_noise()
    return step(
        "With four items it is strictly wrong at a low-noise distribution",
        Kind.CERTIFICATE,
        "m = 4",
        "an exact stationary point, accepted by the core",
        found.witness.replace(", scores", "\nscores").split("\n"),
        found.refuted,
    )


def _examples() -> Step:
    """Exact minimizers at random y, with ties among the y."""
    rng = Random(7)
    total = agreed = 0
    applies = SQUARE_ON_ADDITIVE.applies(surrogate("difference-square"), "additive")
    for m in (2, 3, 4, 5, 6):
        for _ in range(12):
            y = [rng.randint(0, 2 * m) for _ in range(m)]
            if len(set(y)) == 1:
                continue
            scores = minimizer(tuple(tuple(Fraction(p - q) for q in y) for p in y))
            pairs = [(i, j) for i in range(m) for j in range(m) if y[i] > y[j]]
            spread = sum((y[i] - y[j]) * (scores[i] - scores[j]) ** 2 for i, j in pairs)
            k = m * sum(p * x for p, x in zip(y, scores, strict=True)) - sum(y) * sum(scores)
            total += 1
            agreed += all(scores[i] > scores[j] for i, j in pairs) and k == spread > 0
    return step(
        "Exact minimizers are in order, and K is as stated",
        Kind.TEST,
        "m ≤ 6",
        f"{agreed} of {total} random y, linear systems in rational arithmetic",
        [],
        agreed == total,
        isinstance(applies, Evidence),
    )


def minimizer(d: Matrix) -> Sequence[Fraction]:
    """The minimizer of sum [d_ij]_+ (1 - alpha_i + alpha_j)^2 with last score 0, if there is only one."""
    m = len(d)
    total = [sum(map(abs, row), Fraction(0)) for row in d]
    rows = [[total[i] if i == j else -abs(d[i][j]) for j in range(m)] for i in range(m)]
    rows.append([Fraction(j == m - 1) for j in range(m)])
    scores = solve_linear(rows, [*(sum(row, Fraction(0)) for row in d), Fraction(0)])
    assert scores is not None  # a connected graph
    return scores


def _another_valley() -> Refutation:
    loss = surrogate(phi="abs(1-x)", form="difference")
    return refuted_by_core(loss, weights(3, {(1, 2): 1, (1, 3): 2, (2, 3): 1}), "additive")


def _rising() -> Refutation:
    loss = surrogate(phi="(1+x)**2", form="difference")
    return refuted_by_core(loss, weights(2, {(1, 2): 1}), "additive", strict=True)


STATEMENT: Final = Statement(
    name="square-difference",
    title="Square loss, additive differences",
    latex=(
        r"If \(d_{ij} = y_i - y_j\), then \(\sum_{i,j} [d_{ij}]_+ \phi(\alpha_i - \alpha_j)\) is consistent"
        r" for \(\phi(x) = a x^2 + b x + c\) with \(a > 0 > b\); under low noise it is not, for four items."
    ),
    plain=(
        "The square loss on the difference graph is consistent where differences are additive, and not "
        "under low noise."
    ),
    hypotheses=(r"\(d_{ij} = y_i - y_j\)", r"\(\phi(x) = a x^2 + b x + c\) with \(a > 0 > b\)"),
    citation="ours",
    check=check,
    variants=(
        FalseVariant("It is consistent under low noise.", square_under_low_noise),
        FalseVariant("On additive differences every convex φ with φ'(0) < 0 is consistent.", _another_valley),
        FalseVariant("It is consistent on additive differences for b > 0 as well.", _rising),
    ),
)
