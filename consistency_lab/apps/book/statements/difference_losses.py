"""Losses on the difference graph: DMJ13 §5.3, and the square loss on additive differences (ours)."""

from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Final

from consistency_lab.apps.book.polynomials import sp
from consistency_lab.apps.book.risk import linear_falls, refuted_by_core, weights
from consistency_lab.apps.book.statement import (
    FalseVariant,
    Line,
    Lines,
    Refutation,
    Statement,
    Step,
    also,
    check,
    drawn,
    false,
    step,
)
from consistency_lab.apps.book.ticked import ticked
from consistency_lab.decide.theorems.base import Evidence
from consistency_lab.decide.theorems.difference import SQUARE_ON_ADDITIVE
from consistency_lab.model.distribution import Distribution, Matrix
from consistency_lab.model.surrogates import surrogate
from consistency_lab.numbers.exact.linear import solve_linear

# --- DMJ13 §5.3: losses on the difference graph are consistent wherever that graph is acyclic ------------

_SQUARE_WEIGHTS: Final = weights(4, {(1, 2): 9, (1, 3): 15, (1, 4): 72, (2, 3): 6, (2, 4): 7, (3, 4): 1})
_CYCLE: Final = weights(3, {(1, 3): 1, (3, 2): 2, (2, 1): 1})


def square_under_low_noise() -> Refutation:
    """Four items at which the square loss on the difference graph is strictly wrong."""
    return refuted_by_core(surrogate("difference-square"), _SQUARE_WEIGHTS, "low-noise", strict=True)


@false("A convex, nonincreasing φ will do without φ'(0) < 0.")
def _flat() -> Refutation:
    loss = surrogate(phi="max(0,-x)", form="difference")
    return refuted_by_core(loss, weights(2, {(1, 2): 1}), "additive", scores=(0, 0))


@false("A convex, nonincreasing φ with φ'(0) < 0 will do, bounded below or not.")
def _unbounded() -> Refutation:
    p = Distribution.from_aggregate(weights(3, {(1, 2): 1, (2, 3): 1, (1, 3): 2}))
    return linear_falls(p, (3, -2, -1), "φ(x) = −x, ")


DMJ13_DIFFERENCE: Final = Statement(
    latex=(
        r"If the difference graph is acyclic, \(\sum_{i,j} [d_{ij}]_+ \phi(\alpha_i - \alpha_j)\) is"
        r" consistent when \(\phi\) is nonincreasing, convex and bounded below with \(\phi'(0) < 0\)."
    ),
    plain="Losses on the edges of the difference graph are consistent wherever that graph is acyclic.",
    hypotheses=(
        r"\(\tilde G\) is a DAG",
        r"\(\phi\) is nonincreasing and bounded below",
        r"\(\phi'(0) < 0\) and \(\phi\) is convex, or, which is enough, \(\phi(0) > \inf \phi\)",
    ),
    citation="DMJ13 §5.3; that convexity is not needed is ours",
    check=check(
        "all m, all φ nonincreasing and bounded below with φ(0) > inf φ",
        lambda: [
            step(
                "The idea: a wrong edge i → j costs at least d_ij (φ(0) − inf φ)",
                "all m",
                "in short; Coq has every step",
                "Scores along a topological order, far apart, bring every term near its infimum, and scores",
                "outside A(p) have α_i ≤ α_j on some edge, where φ(α_i − α_j) ≥ φ(0).",
            )
        ],
        "Convexity is not needed, so the sigmoid and ramp losses are covered too (ours).",
        "That φ is nonincreasing is needed: the square loss is refused, and fails for low noise.",
    ),
    variants=(
        FalseVariant(
            "It is consistent for every distribution, with cycles too.",
            lambda: refuted_by_core(surrogate("difference-logistic"), _CYCLE, "any", strict=True),
        ),
        FalseVariant(
            "A convex φ with φ'(0) < 0 that is not nonincreasing will do: the square loss.",
            square_under_low_noise,
        ),
        _flat,
        _unbounded,
    ),
)


# --- Ours: the square loss on the difference graph is consistent on additive differences, not for low noise


def _normal_equations() -> Step:
    return step(
        "The minimizer solves Σ_j |y_i − y_j| (α_i − α_j) = Σ_j (y_i − y_j)",
        "all m",
        "derivatives for one pair, by SymPy",
        "φ(x) = a x² + b x + c', a > 0 > b, is (1 − t)² up to scale and a constant:",
        ticked("a x² + b x = (b²/(4a)) ((1 − t)² − 1) for x = −b t/(2a)"),
        "So let φ(x) = (1 − x)². For y_i > y_j the pair has c = y_i − y_j = |y_i − y_j| and",
        ticked("−½ ∂/∂α_i (c(1 − α_i + α_j)²) = c − c(α_i − α_j)"),
        ticked("−½ ∂/∂α_j (c(1 − α_i + α_j)²) = −c − c(α_j − α_i)"),
        "so α minimizes W if and only if, for every i,",
        "    Σ_j |y_i − y_j| (α_i − α_j) = Σ_j (y_i − y_j),                                      (1)",
        "If the y_i are not all equal, items with different y are joined by an edge and every item has",
        "one, so W is strictly convex and coercive up to shifts: one minimizer up to shifts.",
    )


def _ratio() -> Step:
    return step(
        "Scores are u(y)/v(y) with (u/v)' = K/v² for one constant K",
        "all m",
        "identities for linear functions, by SymPy",
        "(1) says α_i = u(y_i)/v(y_i) with u(y) = Σ_j (y − y_j) + Σ_j |y − y_j| α_j and",
        "v(y) = Σ_j |y − y_j| > 0, both linear between neighboring values of the y_j. Let K = u'v − uv'.",
        "Between neighboring values u = p y + q, v = r y + s, and K has no y:",
        ticked("p(r y + s) − (p y + q)r = p s − q r"),
        "At a value y_i that k items share (their α are equal, by (1)), u' jumps by 2kα_i, v' by 2k, and",
        "u = α_i v there, so K does not jump:",
        ticked("(u' + 2kα_i) v − α_i v (v' + 2k) = u' v − α_i v v'"),
        "So K is one constant, and between neighboring values",
        "(u/v)' = K/v²:",
        ticked("∂/∂y ((p y + q)/(r y + s)) = (p s − q r)/(r y + s)²"),
    )


def _constant() -> Step:
    return step(
        "K = Σ |y_i − y_j| (α_i − α_j)² > 0, so the scores increase strictly with y",
        "all m",
        "identities with symbolic m, by SymPy; the rest by hand",
        "Above all y_j, with S = Σ y_j, A = Σ α_j, B = Σ y_j α_j: u = m y − S + A y − B, v = m y − S, K is",
        ticked("(m + A)(m y − S) − (m y − S + A y − B)m = mB − SA"),
        "(1) times α_i, summed over i, has Σ_ij (y_i − y_j) α_i = mB − SA on the right; on the left, with",
        "c = |y_i − y_j|, the pair {i, j} has",
        ticked("c(α_i − α_j)α_i + c(α_j − α_i)α_j = c(α_i − α_j)²"),
        "so K = Σ over pairs of |y_i − y_j| (α_i − α_j)² ≥ 0. It is not 0: else α would be the same for",
        "all items, as those of different y are joined, and (1) would give 0 = Σ_j (y_i − y_j) for the",
        "top item. So u/v strictly increases: y_i > y_j implies α_i > α_j, and α lies inside A(p).",
        "W has no other minimizer up to shifts and is coercive up to shifts: W* < inf outside A(p).",
    )


def _three_items() -> Step:
    """Three items: right for every acyclic difference graph."""
    d12, d23, d13 = sp.symbols("d_12 d_23 d_13", positive=True)
    x, y = sp.symbols("x y", real=True)
    risk = d12 * (1 - x) ** 2 + d23 * (1 - y) ** 2 + d13 * (1 - x - y) ** 2
    lines: Lines = [
        "With x = α_1 − α_2, y = α_2 − α_3 and edges 12, 23, 13 of positive weight, W is least at"
    ]
    found = sp.solve([sp.diff(risk, x), sp.diff(risk, y)], [x, y], dict=True)[0]
    for name, variable in (("x", x), ("y", y)):
        value = sp.factor(found[variable])
        shown = str(value).replace("**", "^").replace("*", " ")
        lines += [f"{name} =", ticked(f"{shown} > 0 for d_12, d_23, d_13 > 0")]
    lines.append("Fewer than three edges form a forest, where W is least with all differences 1 on edges.")
    return step(
        "With three items it is right for every acyclic difference graph",
        "m ≤ 3",
        "the minimizer in closed form, by SymPy",
        *lines,
    )


def _four_items() -> Step:
    found = square_under_low_noise()
    first, more = found.witness.replace(", scores", "\nscores").split("\n")
    return step(
        "With four items it is strictly wrong at a low-noise distribution",
        "m = 4",
        "an exact stationary point, accepted by the core",
        Line(first, found.refuted, (more,)),
    )


def _examples() -> Step:
    """Exact minimizers at random y, with ties among the y."""

    def agree(rng: Random, m: int) -> bool | None:
        y = [rng.randint(0, 2 * m) for _ in range(m)]
        if len(set(y)) == 1:
            return None
        scores = minimizer(tuple(tuple(Fraction(p - q) for q in y) for p in y))
        pairs = [(i, j) for i in range(m) for j in range(m) if y[i] > y[j]]
        spread = sum((y[i] - y[j]) * (scores[i] - scores[j]) ** 2 for i, j in pairs)
        k = m * sum(p * x for p, x in zip(y, scores, strict=True)) - sum(y) * sum(scores)
        return all(scores[i] > scores[j] for i, j in pairs) and k == spread > 0

    applies = SQUARE_ON_ADDITIVE.applies(surrogate("difference-square"), "additive")
    return drawn(
        "Exact minimizers are in order, and K is as stated",
        "m ≤ 6",
        "{} random y, linear systems in rational arithmetic",
        agree,
        (2, 3, 4, 5, 6),
        12,
        7,
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


@false("On additive differences every convex φ with φ'(0) < 0 is consistent.")
def _another_valley() -> Refutation:
    loss = surrogate(phi="abs(1-x)", form="difference")
    return refuted_by_core(loss, weights(3, {(1, 2): 1, (1, 3): 2, (2, 3): 1}), "additive")


@false("It is consistent on additive differences for b > 0 as well.")
def _rising() -> Refutation:
    loss = surrogate(phi="(1+x)**2", form="difference")
    return refuted_by_core(loss, weights(2, {(1, 2): 1}), "additive", strict=True)


SQUARE_DIFFERENCE: Final = Statement(
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
    check=check(
        "all m, φ(x) = a x² + b x + c with a > 0 > b",
        lambda: [
            _normal_equations(),
            _ratio(),
            _constant(),
            _three_items(),
            _four_items(),
            also(_examples()),
        ],
        "With three items it is right for every acyclic difference graph: four is the least that fails.",
    ),
    variants=(
        FalseVariant("It is consistent under low noise.", square_under_low_noise),
        _another_valley,
        _rising,
    ),
)
