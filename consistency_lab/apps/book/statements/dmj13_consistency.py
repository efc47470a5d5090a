"""From regret and excess at one p to risks: DMJ10 Eq. 4, and DMJ13 on uniform and structure consistency."""

from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Final

from consistency_lab.apps.book.polynomials import UNSAT, answer, question
from consistency_lab.apps.book.risk import refuted_by_core
from consistency_lab.apps.book.statement import (
    FalseVariant,
    Line,
    Refutation,
    Statement,
    Step,
    also,
    check,
    drawn,
    false,
    step,
)
from consistency_lab.apps.book.statements.dmj10_limits import WRONG, not_closed
from consistency_lab.model.surrogates import surrogate


def impossible(text: str, *claims: str) -> Line:
    """The line that follows since no real numbers fulfill these claims, by z3."""
    return Line(text, answer(question(text, claims)) == UNSAT)


# --- DMJ10 Eq. 4: the convex hull of H, and the bound of R by a concave function of R_phi ----------------


def _shares() -> Step:
    return step(
        "The largest convex function below H on [0, B] is at least (ε/2B) H(ε/2)",
        "all m, every loss of regret at most B, every nondecreasing H ≥ 0",
        "two cases, by z3; the rest in words",
        "Let X be a regret, a random number in [0, B] with mean ε. It is at least ε/2 with chance P, and",
        impossible("    X ≤ ε/2 + B·1(X ≥ ε/2), as X ≤ B", "x <= b", "e > 0", "x > e+b"),
        "so P ≥ ε/2B, and E H(X) ≥ P H(ε/2) ≥ (ε/2B) H(ε/2). The hull at ε is the least such mean.",
        "If H > 0 on (0, B] the hull ζ is positive there, and being convex with ζ(0) = 0 it increases",
        "strictly. Its inverse ξ is concave with ξ(0) = 0, and right continuous there, since ξ(x) ≤ ε for",
        "x < ζ(ε). Lemma 1 says ζ(R − R*) ≤ R_φ − R_φ*: this is R − R* ≤ ξ(R_φ − R_φ*).",
    )


def hull(values: Sequence[Fraction]) -> list[Fraction]:
    """The largest convex sequence below another.

    Examples
    --------
    >>> list(map(str, hull([Fraction(0), Fraction(2), Fraction(2)])))
    ['0', '1', '2']
    """
    n = range(len(values))
    chords = [
        [
            (values[i] * (j - k) + values[j] * (k - i)) / (j - i) if i < j else values[k]
            for i in n
            for j in n
            if i <= k <= j
        ]
        for k in n
    ]
    return [min(through) for through in chords]


def _hulls() -> Step:
    def holds(rng: Random, n: int) -> bool:
        h = [Fraction(0)]
        while len(h) <= n:
            h.append(h[-1] + rng.choice((0, 1, 1, 9)) + Fraction(len(h) == 1, 5))
        return all(least >= Fraction(k, 2 * n) * h[(k + 1) // 2] for k, least in enumerate(hull(h)))

    how = "the hull and the bound compared exactly for {} random H"
    return drawn("The same for random H on a grid", "regrets k/n, n ≤ 12", how, holds, (3, 6, 12), 8, 4)


@false("H need not be made convex: R − R* ≥ ε implies R_φ − R_φ* ≥ H(ε).")
def half_of_the_queries() -> Refutation:
    """One sure edge of weight 1, the ramp, and scores that are wrong for half of the queries."""
    excess = regret = Fraction(1)  # of a wrong order: the ramp is 1 there, and 0 at its least
    h = excess  # H(1/2), as no regret lies in (0, 1)
    return Refutation(
        regret / 2 >= Fraction(1, 2) and excess / 2 < h,
        f"φ(x) = max(0,min(1,1-x)), one edge of weight 1, half of the queries wrong: R − R* = {regret / 2},"
        f" R_φ − R_φ* = {excess / 2} < H(1/2) = {h}",
    )


@false("The loss need not be bounded.")
def _unbounded() -> Refutation:
    chances = [Fraction(1, n) for n in (1, 10, 1000)]
    regrets = [chance * weight for chance, weight in zip(chances, (1, 10, 1000), strict=True)]
    return Refutation(
        set(regrets) == {Fraction(1)} and chances[-1] < Fraction(1, 100),
        "that φ with h(a) = min(a, 1), one edge of weight n ≥ 1, wrong for the share 1/n of the queries:"
        " H(ε) = 1 for every ε > 0 and R − R* = 1, but R_φ − R_φ* = 1/n → 0",
    )


EQ_4: Final = Statement(
    latex=(
        r"If \(H(\varepsilon) > 0\) for all \(\varepsilon > 0\) and regrets are at most \(B\), then"
        r" \(R(f) - R^* \le \xi(R_\varphi(f) - R_\varphi^*)\) with \(\xi\) concave, right continuous at 0,"
        r" \(\xi(0) = 0\); and \(\frac{r}{2B} H(\frac r2) \le R_\varphi(f) - R_\varphi^*\) for"
        r" \(r = R(f) - R^*\)."
    ),
    plain="If no regret is free, the risk is bounded by a concave function of the surrogate risk.",
    hypotheses=(r"\(H(\varepsilon) > 0\) for every \(\varepsilon > 0\)", "the loss is bounded"),
    citation="DMJ10 Eq. 4 (by Zhang 2004, Corollary 26); the explicit bound is ours",
    check=check("all m, all bounded losses", lambda: [_shares(), also(_hulls())]),
    variants=(half_of_the_queries, _unbounded),
)


# --- DMJ13: pointwise consistency is uniform consistency -------------------------------------------------


def _uniform() -> Step:
    return step(
        "R_φ(f) ≤ R_φ* + (ε/2)H(ε/2) implies R(f) ≤ R* + ε, for all distributions of queries and structures",
        "all m, every loss in [0, 1], every φ bounded below with finite R_φ*",
        "two cases, by z3; the rest in words",
        "Write r for the regret and x ≥ 0 for the excess of one query, e for ε, h = H(e/2) > 0. Then",
        impossible(
            "    r ≤ e/2 + x/h where r ≥ e/2, as x ≥ H(r) ≥ h and r ≤ 1",
            "r <= 1",
            "2*r >= e",
            "e > 0",
            "h > 0",
            "x >= h",
            "2*h*r > e*h+2*x",
        ),
        impossible("    and where r < e/2", "2*r < e", "h > 0", "x >= 0", "2*h*r > e*h+2*x"),
        "The mean over the queries is R − R* ≤ ε/2 + (R_φ − R_φ*)/H(ε/2) ≤ ε.",
        "Conversely let H(ε) = 0. Some p and α have regret ≥ ε and excess as small as one likes: with that",
        "one query, no δ serves ε/2.",
    )


DMJ13_UNIFORM: Final = Statement(
    latex=(
        r"\(H(\varepsilon) > 0\) for every \(\varepsilon > 0\) if and only if for every"
        r" \(\varepsilon > 0\) some \(\delta > 0\) has: \(R_\varphi(f) \le R_\varphi^* + \delta\) implies"
        r" \(R(f) \le R^* + \varepsilon\), whatever the distribution."
    ),
    plain="A surrogate is pointwise consistent exactly if it is uniformly Fisher-consistent.",
    hypotheses=(r"\(L\) has values in \([0, 1]\)", r"\(\varphi\) is bounded below, \(R_\varphi^*\) finite"),
    citation="DMJ13 §3 (proposition on uniform consistency); δ = (ε/2)H(ε/2) is ours",
    check=check("all m, all losses in [0, 1], all distributions", lambda: [_uniform()]),
    variants=(
        half_of_the_queries,
        FalseVariant(
            "Fisher consistency for each distribution of a class is enough: net-order and the linear loss.",
            not_closed.refute,
        ),
    ),
)


# --- DMJ13: structure consistency is uniform consistency, for finite S, and for compact S with coercive W -


def _finite() -> Step:
    return step(
        "Finite S: structure-consistent implies H(ε) > 0, and Fisher-consistent implies structure-consistent",
        "all finite S, every discrete L, every φ bounded below",
        "compactness, in words; one line by z3",
        "Suppose p_n, α_n have regret ≥ ε, excess → 0. Take a subsequence with p_n → p and L(α_n, ·) one of",
        "its finitely many vectors. With |ℓ(p_n, α) − ℓ(p, α)| ≤ η for every α, the regret at p has",
        impossible(
            "    r ≥ ε − 2η",
            "a-b >= e",
            "a-c <= n",
            "d-b <= n",
            "c-d < e-2*n",
        ),
        "so it is at least ε. Let φ ≥ 0. W(p, α_n) ≤ max_s (p_s/p_n,s) W(p_n, α_n), the maximum over the",
        "support of p, tends to at most lim W*(p_n) ≤ W*(p) (lemma-3). So W(p, α_n) → W*(p) outside",
        "argmin ℓ(p, ·): φ is not structure-consistent at p. With dmj13-uniform this is the first claim.",
        "If φ is not structure-consistent at p, let W(p, α_n) → W*(p), α_n outside argmin ℓ(p, ·). Regrets",
        "there have finitely many values, so R(f_n) − R* ≥ c > 0 for the one query p and f_n = α_n.",
    )


_COMPACT: Final = step(
    "Compact S: the same if φ is convex in α and every W(p, ·) tends to infinity with |α|",
    "all compact S, L constant on finitely many sets of α and continuous on S",
    "compactness, in words",
    "Let p_n → p weakly. W(p_n, α) → W(p, α) for each α, and convex functions that converge at each",
    "point converge uniformly on balls. Let W(p, α₀) < W*(p) + 1, and |α − α₀| = ρ imply W(p, α) >",
    "W*(p) + 3. For large n W(p_n, ·) is below W*(p) + 1 at α₀ and above W*(p) + 2 on that sphere, by",
    "convexity beyond it too: the α_n stay in the ball, W*(p_n) → W*(p) and W(p, α_n) → W*(p), and the",
    "regret of a set of α at p_n tends to that at p. The rest is as for finite S.",
)


@false("For compact S convexity is enough, W need not tend to infinity.")
def _not_coercive() -> Refutation:
    """S = [0, 1], scores (x, y), L = 1(x ≤ 0), φ = |x − 1 + sy| + s²|y|."""
    pieces = ("u >= x-1+s*y", "u >= 1-x-s*y", "v >= y", "v >= 0-y")
    right = impossible("", "x <= 0", "s > 0", "s <= 1", *pieces, "u+s*s*v < s").holds
    right = right and impossible("", "x <= 0", "u >= x-1", "u >= 1-x", "u < 1").holds
    costs = [abs(0 - 1 + s * (1 / s)) + s * s * (1 / s) for s in (Fraction(1, n) for n in (1, 10, 1000))]
    return Refutation(
        right and costs == [Fraction(1, n) for n in (1, 10, 1000)],
        "S = [0, 1], L = 1(x ≤ 0), φ = |x − 1 + sy| + s²|y|: W*(p) = 0 at (1, 0), and φ ≥ s where x ≤ 0 (1 if"
        " s = 0), so φ is structure-consistent at every p; but at (0, 1/s) it is s, so H(1) = 0",
    )


@false("It is enough that φ is right at every single structure.")
def _point_masses() -> Refutation:
    return refuted_by_core(surrogate("logistic"), WRONG[0].aggregate, "additive", strict=True)


DMJ13_STRUCTURE: Final = Statement(
    latex=(
        r"If \(\mathcal S\) is finite, \(\varphi\) is structure-consistent if and only if it is uniformly"
        r" Fisher-consistent, if and only if it is Fisher-consistent. The same holds for compact"
        r" \(\mathcal S\) if \(\varphi\) is convex in \(\alpha\) and \(\int \varphi(\alpha, s)\, dp(s) \to"
        r" \infty\) as \(|\alpha| \to \infty\)."
    ),
    plain="Being right at each p is consistency, if there are finitely many structures or W is coercive.",
    hypotheses=(
        r"\(\mathcal S\) is finite and \(L\) discrete; or \(\mathcal S\) is compact, \(L\) constant on"
        r" finitely many sets of \(\alpha\) and continuous in \(s\)",
        r"\(\varphi\) is bounded below and continuous; for compact \(\mathcal S\) convex and coercive",
    ),
    citation="DMJ13 §3 (theorem on structure consistency; its proof is in a supplement, this one is ours)",
    check=check(
        "all finite S; all compact S with convex, coercive W",
        lambda: [_finite(), _COMPACT],
        "A loss of score differences is invariant to shifts, so it is coercive only modulo shifts.",
        "For a fixed distribution of queries no compactness is needed: see theorem-6.",
    ),
    variants=(_not_coercive, _point_masses),
)
