r"""DMJ10 Lemma 3: W* is continuous on the simplex, also where its infimum is not attained.

The proof, for finitely many graphs and phi(alpha, G) >= 0 (subtract the lower bound: that shifts W* by a
constant). Let s(p, q) = min{1, q_G / p_G over the G with p_G > 0}; then q_G >= s p_G for every G, so

    W(q, alpha) >= s W(p, alpha) for every alpha, hence W*(q) >= s(p, q) W*(p).

And W* is an infimum of functions that are linear in p: for every alpha,

    W*(q) <= W(q, alpha) = W(p, alpha) + sum_G (q_G - p_G) phi(alpha, G).

As q tends to p, s(p, q) tends to 1, so the first bound tends to W*(p); the second, for an alpha with
W(p, alpha) < W*(p) + epsilon, ends below W*(p) + epsilon. No minimizer is needed, and graphs may die out on
the way to p. Both bounds are inequalities in one graph's probability: they are checked symbolically, and then
along sequences.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Final

from consistency_lab.book.risk import coin, enclosed_risk, entropy, exact_risk, least_risk, rational_scores
from consistency_lab.book.statement import (
    Checked,
    FalseVariant,
    Finding,
    Kind,
    Refutation,
    Statement,
    Step,
    concluded,
)
from consistency_lab.exact import Ball, LogRational, certainly_less, enclose, working_precision
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import Surrogate, surrogate
from consistency_lab.solve.connectivity import attainment
from consistency_lab.solve.minimize import minimize
from consistency_lab.solve.stationary import stationary_slopes

_BITS: Final = 256
_ZERO: Final = Fraction(0)
_ONE: Final = Fraction(1)

Graph = dict[tuple[int, int], int]
Weights = Sequence[Fraction]


def share(p: Weights, q: Weights) -> Fraction:
    """The largest s <= 1 with q_G >= s p_G for every graph.

    Examples
    --------
    >>> share([Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 4), Fraction(3, 4)])
    Fraction(1, 2)
    """
    return min([_ONE, *(new / old for old, new in zip(p, q, strict=True) if old)])


def _one_graph() -> Step:
    """The two inequalities for a single graph, by z3 and again by identities."""
    import sympy
    import z3

    p, q, s, w = z3.Reals("p q s w")
    present = [p > 0, q >= 0, w >= 0, s * p <= q, q * w < s * p * w]
    absent = [p == 0, q >= 0, w >= 0, q * w < s * p * w]
    answers = []
    for case in (present, absent):
        solver = z3.Solver()
        solver.add(*case)
        answers.append(solver.check() == z3.unsat)
    P, Q, S, W = sympy.symbols("p q s w")
    lower = sympy.expand(Q * W - S * P * W - (Q - S * P) * W) == 0
    upper = sympy.expand(Q * W - (P * W + (Q - P) * W)) == 0
    details = (
        "Let s = min{1, q_G/p_G : p_G > 0} and phi >= 0.",
        "q_G phi(α,G) - s p_G phi(α,G) = (q_G - s p_G) phi(α,G) >= 0      since s p_G <= q_G",
        "Sum over G, infimum over α:          W*(q) >= s W*(p),  and s → 1 as q → p",
        "q_G phi(α,G) = p_G phi(α,G) + (q_G - p_G) phi(α,G)",
        "Sum over G, for one fixed α:         W*(q) <= W(p,α) + Σ_G (q_G - p_G) phi(α,G) → W(p,α)",
        "Choose α with W(p,α) < W*(p) + ε:    limsup W*(q) <= W*(p) + ε for every ε > 0.",
    )
    how = "for each graph by itself: z3 finds no exception, and SymPy confirms the identities behind them"
    claim = "s(p,q) W*(p) <= W*(q) <= W(q,α) for every α, with s(p,q) → 1 as q → p"
    finding = Finding(claim, Kind.PROOF_ALL_M, "all m, finitely many graphs, phi >= 0", how, details)
    return Step(all(answers) and lower and upper, finding)


def _geometric(x: Fraction) -> Ball:
    return 2 * enclose(x * (1 - x)).sqrt()


_Coin = tuple[str, Callable[[int], Fraction], Callable[[int], Fraction], Callable[[Fraction], Ball]]

_COINS: Final[tuple[_Coin, ...]] = (
    ("logistic", lambda n: Fraction(1, 1 + 2**n), lambda n: Fraction(1, 2**n), entropy),
    ("exponential", lambda n: Fraction(1, 1 + 4**n), lambda n: Fraction(1, 2**n), _geometric),
)
"""A loss, x_n = P(1 → 2), the q_n for which log(q_n) minimizes W at x_n, and W* as a function of x."""


def _closed_forms(row: _Coin) -> Step:
    """Two items, x → 0: W* is known, tends to 0 = W*(0), and is not attained there."""
    name, chances, odds, formula = row
    loss = surrogate(name)
    stands, previous = True, enclose(3)
    with working_precision(_BITS):
        for n in range(1, 41):
            terms = loss.risk_terms(coin(chances(n)))
            scores = (LogRational(_ZERO, odds(n)), LogRational(_ZERO))
            value = enclosed_risk(terms, scores)
            error = value - formula(chances(n))
            stands = stands and stationary_slopes(terms, 2, scores) is not None
            stands = stands and certainly_less(abs(error), enclose(Fraction(1, 2**200)))
            stands = stands and certainly_less(value, previous)
            previous = value
        stands = stands and certainly_less(previous, enclose(Fraction(1, 10**9)))
        last = previous.str(3, radius=False)
    stands = stands and attainment(loss.risk_terms(coin(_ZERO)), 2).attained is False
    names = {"logistic": "-x log x - (1-x) log(1-x)", "exponential": "2 sqrt(x(1-x))"}
    how = (
        f"exact stationary points log(2^-n) at x = {chances(1)}, {chances(2)}, ..., n <= 40; enclosures "
        f"of 256 bits agree with the formula; W* falls to {last}"
    )
    claim = f"{name}: W*(x) = {names[name]} tends to W*(0) = 0, which is not attained"
    return Step(stands, Finding(claim, Kind.TEST, "m = 2, x = P(1 → 2) → 0", how))


def _shrinking_support() -> Step:
    """Three items, six graphs of one edge, worths 4^n, 2^n, 1: in the limit three graphs remain."""
    loss = surrogate("logistic")
    stands = True
    values: list[Ball] = []
    with working_precision(_BITS):
        for n in range(1, 31):
            worth = [Fraction(4) ** n, Fraction(2) ** n, _ONE]
            chances = {(i, j): worth[i] / (worth[i] + worth[j]) / 3 for i, j in permutations(range(3), 2)}
            p = Distribution.of(3, [(chance, {edge: 1}) for edge, chance in chances.items()])
            terms = loss.risk_terms(p)
            scores = [LogRational(_ZERO, x) for x in worth]
            stands = stands and stationary_slopes(terms, 3, scores) is not None
            pairs = [(worth[i], worth[j]) for i, j in ((0, 1), (0, 2), (1, 2))]
            formula = sum((entropy(x / (x + y)) for x, y in pairs), enclose(0)) / 3
            value = enclosed_risk(terms, scores)
            stands = stands and bool((value - formula).contains(0))
            stands = stands and (not values or certainly_less(value, values[-1]))
            values.append(value)
        end = loss.risk_terms(Distribution.from_aggregate([[0, 1, 1], [0, 0, 1], [0, 0, 0]]))
        escape = attainment(end, 3)
        stands = (
            stands and escape.attained is False and certainly_less(values[-1], enclose(Fraction(1, 10**7)))
        )
    how = (
        "P(i → j) = 4^n, 2^n, 1 in proportion: the scores log of these are stationary, exactly; "
        f"W* falls to {values[-1].str(3, radius=False)} at n = 30"
    )
    detail = f"the limit has the edges 1→2, 1→3, 2→3 only: W* = 0, escaping along {escape.direction}"
    claim = "logistic: W*(p(n)) → W*(p) = 0 as three of six graphs die out and the infimum escapes"
    return Step(stands, Finding(claim, Kind.TEST, "m = 3, n <= 30", how, (detail,)))


_GRAPHS: Final[tuple[Graph, ...]] = (
    {(0, 1): 2, (0, 2): 3},
    {(1, 2): 1},
    {(2, 0): 2},
    {(2, 1): 3, (1, 0): 1},
)
_ENDS: Final = (
    ((1, 1, 0, 0), (1, 1, 1, 1)),
    ((0, 0, 1, 2), (3, 1, 0, 1)),
    ((5, 2, 3, 0), (0, 1, 0, 3)),
    ((1, 0, 0, 0), (0, 1, 1, 1)),
)


def _hinge_sequences() -> Step:
    """Three items: p(n) = p + (q - p)/n, W* by exact linear programs, both bounds of the proof exactly."""
    loss = surrogate("hinge")
    stands, details = True, ["|W*(p + (q-p)/n) - W*(p)| for n = 1, 4, 16, 64, 256, 1024:"]
    for start, other in _ENDS:
        p = [Fraction(x, sum(start)) for x in start]
        q = [Fraction(x, sum(other)) for x in other]
        limit, attained_at = _hinge_minimum(loss, p)
        gaps = []
        for n in (1, 4, 16, 64, 256, 1024):
            now = [x + (y - x) / n for x, y in zip(p, q, strict=True)]
            least, _ = _hinge_minimum(loss, now)
            fixed = exact_risk(loss.risk_terms(_mixture(now)), attained_at)
            stands = stands and fixed is not None and share(p, now) * limit <= least <= fixed
            gaps.append(abs(least - limit))
        stands = stands and gaps[-1] <= Fraction(1, 100)
        shown = ", ".join(map(str, gaps))
        details.append(f"p ~ {start}, q ~ {other}: {shown}")
    how = "6 points on each of 4 lines, also where the support shrinks to one graph; exact linear programs"
    claim = "hinge: s W*(p) <= W*(p(n)) <= W(p(n), α*) and W*(p(n)) → W*(p)"
    return Step(stands, Finding(claim, Kind.TEST, "m = 3, four graphs", how, tuple(details)))


def _mixture(p: Weights) -> Distribution:
    return Distribution.of(3, [(x, graph) for x, graph in zip(p, _GRAPHS, strict=True)])


def _hinge_minimum(loss: Surrogate, p: Weights) -> tuple[Fraction, tuple[LogRational, ...]]:
    terms = loss.risk_terms(_mixture(p))
    scores = minimize(terms, 3).exact
    value = None if scores is None else least_risk(terms, 3, scores)
    assert scores is not None  # the exact linear program names a vertex,
    assert value is not None  # and its subgradient proves it
    return value, scores


def _check() -> Checked:
    steps = [_one_graph(), *map(_closed_forms, _COINS), _shrinking_support(), _hinge_sequences()]
    remarks = (
        "The appendix prints Σ p(n)_G φ(α,G) → Σ φ(α,G); the limit lacks its factor p_G.",
        "The set of graphs must be finite (it is, in §1) and φ bounded below; attainment is not needed.",
    )
    return concluded(Kind.PROOF_ALL_M, "all m, finitely many graphs", steps, remarks)


def _unbounded_below() -> Refutation:
    # W is 1 - 2x times the score difference, so W* = 0 at x = 1/2 and minus infinity elsewhere.
    loss = surrogate(phi="-x")
    values = []
    for n in (10, 1000, 100000):
        terms = loss.risk_terms(coin(Fraction(1, 2) + Fraction(1, n)))
        values.append(exact_risk(terms, rational_scores([n * n, 0])))
    witness = (
        "phi = -x, two items: W* = 0 at P(1 → 2) = 1/2, but at 1/2 + 1/n the scores (n^2, 0) have W = -2n: "
        f"{', '.join(map(str, values))} for n = 10, 1000, 100000"
    )
    return Refutation(values == [-20, -2000, -200000], witness)


def _lipschitz() -> Refutation:
    slope, n = 100, 150
    with working_precision(_BITS):
        x = Fraction(1, 2**n)
        scores = (LogRational(_ZERO, x / (1 - x)), LogRational(_ZERO))
        terms = surrogate("logistic").risk_terms(coin(x))
        value = enclosed_risk(terms, scores)
        least = stationary_slopes(terms, 2, scores) is not None
        refuted = least and certainly_less(enclose(slope * x), value)
        quotient = (value / enclose(x)).str(6, radius=False)
    witness = (
        f"logistic, two items: W*(0) = 0 and W*(2^-{n}) = {quotient} · 2^-{n}, steeper than {slope}; "
        "the quotient grows like n log 2"
    )
    return Refutation(refuted, witness)


STATEMENT: Final = Statement(
    name="lemma-3",
    title="DMJ10 Lemma 3",
    latex=r"\(W^*(p) = \inf_\alpha W(p, \alpha)\) is continuous on the simplex \(\Delta\).",
    plain="The least surrogate risk depends continuously on the distribution, attained or not.",
    hypotheses=(
        r"\(\varphi(\cdot, G)\) is bounded below for every \(G\)",
        r"there are finitely many graphs \(G\)",
    ),
    citation="DMJ10 Lemma 3 (proof in Appendix A)",
    check=_check,
    variants=(
        FalseVariant("Lemma 3 for losses that are not bounded below.", _unbounded_below),
        FalseVariant("W* is Lipschitz continuous on the simplex.", _lipschitz),
    ),
)
