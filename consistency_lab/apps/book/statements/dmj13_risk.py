"""DMJ13 §4 and §6: the U-statistic risk, its mean and its limit, and the rate of its minimization."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import prod
from typing import Final

from consistency_lab.apps.book.polynomials import sp
from consistency_lab.apps.book.statement import Line, Refutation, Statement, Step, check, false, step
from consistency_lab.apps.book.ticked import ticked

# --- The risk of order k, exactly, for a sample of (query, label), and its mean over all samples ---------

Label = tuple[int, int]
"""A query and a label."""

Law = Mapping[Label, Fraction]
Loss = Callable[[int, Sequence[int]], Fraction]
"""What aggregated labels of a query cost, at fixed scores."""

_LAW: Final[Law] = {
    (0, 0): Fraction(1, 2),
    (0, 1): Fraction(1, 6),
    (1, 0): Fraction(1, 12),
    (1, 1): Fraction(1, 4),
}
_SIZES: Final = ((1, 1), (3, 1), (3, 2), (4, 2), (4, 3), (4, 9))
"""n and k."""


def squared_mean(query: int, labels: Sequence[int]) -> Fraction:
    """(α − s)² with s the mean label and α = 1/3 + query."""
    return (Fraction(1, 3) + query - Fraction(sum(labels), len(labels))) ** 2


_LOSSES: Final[tuple[Loss, ...]] = (
    squared_mean,
    lambda query, labels: abs(Fraction(1, 2) - Fraction(sum(labels), len(labels))),
    lambda query, labels: Fraction(max(labels) + query),
)


def risk(sample: Sequence[Label], k: int, loss: Loss) -> Fraction:
    """Σ_q (n_q/n) C(n_q, k)⁻¹ Σ φ over the sets of k labels of q; of all of them where n_q < k.

    Examples
    --------
    >>> str(risk([(0, 0), (0, 1), (0, 1)], 2, squared_mean))
    '1/6'
    """
    total = Fraction(0)
    for query in {q for q, _ in sample}:
        labels = [y for q, y in sample if q == query]
        sets = list(combinations(labels, min(k, len(labels))))
        total += Fraction(len(labels), len(sample) * len(sets)) * sum(loss(query, chosen) for chosen in sets)
    return total


def samples(law: Law, n: int) -> Iterator[tuple[tuple[Label, ...], Fraction]]:
    """Every sample of n, with its chance."""
    return (
        (sample, prod((law[one] for one in sample), start=Fraction(1))) for sample in product(law, repeat=n)
    )


def mean_risk(n: int, k: int, loss: Loss) -> Fraction:
    """The mean of the risk over all samples of n."""
    return sum((chance * risk(sample, k, loss) for sample, chance in samples(_LAW, n)), Fraction(0))


def population(n: int, k: int, loss: Loss) -> Fraction:
    """Σ_q Σ_c P(n_q = c) (c/n) E φ(s(Y_1, ..., Y_min(k, c))), with c binomial."""
    total = Fraction(0)
    for query in (0, 1):
        share = _LAW[query, 0] + _LAW[query, 1]
        given = {(query, y): _LAW[query, y] / share for y in (0, 1)}
        for c in range(1, n + 1):
            chance = int(sp.binomial(n, c)) * share**c * (1 - share) ** (n - c)
            drawn = samples(given, min(k, c))
            mean = sum((p * loss(query, [y for _, y in sample]) for sample, p in drawn), Fraction(0))
            total += chance * Fraction(c, n) * mean
    return total


# --- DMJ13 §4: the U-statistic is unbiased, and full aggregation is its limit case -----------------------


def _unbiased() -> Step:
    cases = [(n, k, loss) for n, k in _SIZES for loss in _LOSSES]
    equal = sum(mean_risk(*case) == population(*case) for case in cases)
    return step(
        "E of the empirical risk is Σ_q E[(n_q/n) E φ(f(q), s(Y_1, ..., Y_min(k, n_q)))]",
        "all n, k, structures and φ with finite means, f fixed",
        f"linearity, in words; {len(cases)} cases with every sample gone through, exactly",
        "Given n_1, n_2, ..., the labels of q are independent with its law, so each of the C(n_q, k) sets",
        "has the law of Y_1, ..., Y_k, whatever s does with them; their mean has the mean E φ(f(q), s(Y)).",
        "Where n_q < k there is one set, of all n_q labels. Then take the mean over n_1, n_2, ....",
        Line(
            f"    two queries, two labels, n ≤ 4: equal in {equal} of {len(cases)} cases", equal == len(cases)
        ),
    )


@false("It is unbiased for the risk in the limit of aggregation, φ(f(q), s_q).")
def _biased_for_the_limit() -> Refutation:
    law = {(0, 0): Fraction(1, 2), (0, 1): Fraction(1, 2)}
    mean = sum((p * risk(sample, 2, squared_mean) for sample, p in samples(law, 3)), Fraction(0))
    limit = (Fraction(1, 3) - Fraction(1, 2)) ** 2
    return Refutation(
        mean - limit == Fraction(1, 8),
        f"(α − mean label)², a fair coin, α = 1/3, k = 2: the mean is {mean}, the limit {limit}; they"
        " differ by p(1 − p)/k = 1/8",
    )


@false("Drawing the k labels with replacement is unbiased too.")
def _with_replacement() -> Refutation:
    law = {(0, 0): Fraction(1, 2), (0, 1): Fraction(1, 2)}
    drawn = [
        (chance * Fraction(1, 4), [a[1], b[1]])
        for sample, chance in samples(law, 2)
        for a in sample
        for b in sample
    ]
    mean = sum((p * squared_mean(0, labels) for p, labels in drawn), Fraction(0))
    exact = sum((p * squared_mean(0, [a[1], b[1]]) for (a, b), p in samples(law, 2)), Fraction(0))
    return Refutation(mean != exact, f"the same with n = k = 2: {mean} in place of {exact}")


DMJ13_U_STATISTIC: Final = Statement(
    latex=(
        r"\(\mathbf E \sum_q \frac{n_q}{n} \binom{n_q}{k}^{-1} \sum_{i_1 < \dots < i_k} \varphi(f(q),"
        r" s(Y_{i_1}, \dots, Y_{i_k})) = \sum_q \mathbf E [\frac{n_q}{n} \mathbf E \varphi(f(q),"
        r" s(Y_1, \dots, Y_{k \wedge n_q}))]\)"
    ),
    plain="The U-statistic risk is an unbiased estimate of the mean of its terms.",
    hypotheses=("queries and labels are drawn independently", r"\(f\) does not depend on the sample"),
    citation="DMJ13 §4 (after the definition of the empirical risk)",
    check=check("all n, k, s and φ", lambda: [_unbiased()]),
    variants=(_biased_for_the_limit, _with_replacement),
)


def full(sample: Sequence[Label], loss: Loss) -> Fraction:
    """Σ_q (n_q/n) φ(f(q), s(all labels of q)).

    Examples
    --------
    >>> str(full([(0, 0), (0, 1), (0, 1)], squared_mean))
    '1/9'
    """
    by_query = {q: [y for query, y in sample if query == q] for q, _ in sample}
    return sum((Fraction(len(y), len(sample)) * loss(q, y) for q, y in by_query.items()), Fraction(0))


_FULL: Final = step(
    "It converges to Σ_q p_q φ(f(q), s_q) almost surely, if s(Y_1, ..., Y_k) → s_q for every q",
    "every f, φ(f(q), ·) bounded by one constant and continuous at s_q",
    "the law of large numbers, in words",
    "From k = max n_q on the U-statistic is this risk: there is one set of n_q labels. Its limit:",
    "Where p_q > 0 almost surely n_q → ∞, so s → s_q, φ(f(q), s) → φ(f(q), s_q), and n_q/n → p_q.",
    "Both n_q/n and p_q add up to 1, so Σ_q |n_q/n − p_q| → 0 (Scheffé), and φ is bounded: the sums",
    "converge. Means of adjacency matrices, log odds and click rates converge so, as their counts do.",
)


@false("The risk of full aggregation is the mean of the risks of single labels.")
def _jensen() -> Refutation:
    sample = [(0, 0), (0, 1)]
    return Refutation(
        full(sample, squared_mean) != risk(sample, 1, squared_mean),
        f"(1/3 − s)², labels 0, 1: {full(sample, squared_mean)}, not {risk(sample, 1, squared_mean)}",
    )


@false("At each n it is unbiased for its limit.")
def _biased() -> Refutation:
    law = {(0, 0): Fraction(1, 2), (0, 1): Fraction(1, 2)}
    bias = [
        sum((p * full(sample, squared_mean) for sample, p in samples(law, n)), Fraction(0)) - Fraction(1, 36)
        for n in (1, 2, 4)
    ]
    return Refutation(
        bias == [Fraction(1, 4 * n) for n in (1, 2, 4)],
        "(1/3 − s)², a fair coin: it exceeds the limit by 1/4n",
    )


DMJ13_FULL_AGGREGATION: Final = Statement(
    latex=(
        r"\(\sum_q \frac{n_q}{n} \varphi(f(q), s(Y_1, \dots, Y_{n_q}))\) is the U-statistic risk for"
        r" \(k \ge \max n_q\), and tends to \(\sum_q p_q \varphi(f(q), s_q)\) almost surely if"
        r" \(s(Y_1, \dots, Y_k) \to s_q\) does."
    ),
    plain="Full aggregation is the U-statistic of largest order, and it has the right limit.",
    hypotheses=(r"\(\varphi(f(q), \cdot)\) is bounded, and continuous at \(s_q\)", r"\(f\) is fixed"),
    citation="DMJ13 §4 (the risk of full aggregation); the limit, for one f, is ours",
    check=check("every fixed f", lambda: [_FULL]),
    variants=(_jensen, _biased),
)


# --- DMJ13 §4: uniform convergence for given k_n, B_n and L_n --------------------------------------------


def _bounded_differences() -> Step:

    return step(
        "One datum changes the risk by at most 2kB/n, so by McDiarmid k_n B_n √(log N) = o(√n) is enough",
        "all n, k, 0 ≤ φ ≤ B, N scores that come within ε/4L_n of every f of F_n",
        "an identity by SymPy, and the inequality of McDiarmid",
        "Of the sets of q the share k/n_q has the datum. Let φ have the mean u over these, v over others,",
        "U over all:",
        ticked("    n_q U − (n_q − 1)v = k u − (k − 1)v for U = k u/n_q + (1 − k/n_q)v"),
        "which is between −(k − 1)B and kB: leaving q changes n times the risk by at most kB, and so does",
        "joining another query. P(|risk − its mean| > t) ≤ 2 exp(−n t²/2k²B²), for N scores at once at most",
        "N times that, and elsewhere φ differs by at most ε/4.",
    )


def _rare_queries() -> Step:
    return step(
        "Queries with fewer than k labels matter little if k_n B_n^{(1+β)/β} = o(n)",
        "P(q) ≤ K q^{−β−1}",
        "two terms made equal, by SymPy; the rest in words",
        "A query with p_q ≥ 2k/n has at least k labels but for a chance of at most e^{−k/4} (Chernoff), and",
        "B_n e^{−k_n/4} → 0 by condition I. The others, cut at q₀, have together at most the chance",
        "    q·2k/n + (K/β) q^(−β) with q for q₀; both terms are of one order where",
        ticked("    q k/n = q^(−β) for q = (n/k)^(1/(1 + β)), n, k, β > 0"),
        "What they cost, B(k/n)^(β/(1 + β)), tends to 0 if and only if its power (1 + β)/β does:",
        ticked("    (B(k/n)^(β/(1 + β)))^((1 + β)/β) = B^((1 + β)/β) k/n for B, k, n, β > 0"),
        "What is left is the mean of φ(f(q), s(Y_1, ..., Y_k)) against its limit, at most C B_n k_n^{−ρ}.",
    )


@false("The order k may stay fixed: condition I is not needed.")
def _fixed_order() -> Refutation:
    found = _biased_for_the_limit.refute()
    return Refutation(found.refuted, f"{found.witness}, for every n")


@false("One datum changes the risk by at most 2B/n, whatever k is.")
def _too_small() -> Refutation:
    def first(query: int, labels: Sequence[int]) -> Fraction:
        return Fraction(max(labels))

    sample = [(0, 1), (0, 0), (0, 0), (0, 0)]
    change = abs(risk(sample, 3, first) - risk([(0, 0), *sample[1:]], 3, first))
    return Refutation(change > Fraction(2, 4), f"the largest of k = 3 labels of 4: {change} > 2/4")


DMJ13_CONVERGENCE: Final = Statement(
    latex=(
        r"\(\sup_{f \in F_n} |\hat R_n(f) - R_\varphi(f)| \to 0\) in probability, if"
        r" \(P(q) \le K q^{-\beta-1}\), \(|\varphi| \le B_n\) and is \(L_n\)-Lipschitz on \(F_n\), "
        r" \(|\mathbf E \varphi(f(q), s(Y_1, \dots, Y_k)) - \lim| \le C B_n k^{-\rho}\) with"
        r" \(B_n = o(k_n^\rho)\), \(k_n B_n^{(1+\beta)/\beta} = o(n)\) and \(k_n B_n \sqrt{\log"
        r" N(\varepsilon / 4 L_n)} = o(\sqrt n)\)."
    ),
    plain="The U-statistic risk converges uniformly if its order grows, and not too fast.",
    hypotheses=(
        r"\(P(q) \le K q^{-\beta-1}\)",
        r"\(\varphi\) is bounded by \(B_n\) and \(L_n\)-Lipschitz in \(f \in F_n\)",
        r"condition I: means of \(\varphi\) converge at the rate \(B_n k^{-\rho}\)",
        "condition III: both conditions on growth",
    ),
    citation="DMJ13 §4 (convergence theorem; its proof is in a supplement, this one is ours)",
    check=check(
        "all F_n with these covering numbers",
        lambda: [_bounded_differences(), _rare_queries()],
        "The conditions on growth are stated as this proof needs them; condition II is not treated.",
    ),
    variants=(_fixed_order, _too_small),
)


# --- DMJ13 §6: the rate of composite stochastic gradient steps (FOBOS) -----------------------------------


def _one_step() -> Step:
    return step(
        "Convex: the mean iterate is within (D²/2c + cG²)/√T; strongly convex: within a multiple of log T/T",
        "η_t = c/√t; η_t = 1/λt and the regularizer r λ-strongly convex; |g| ≤ G, distances ≤ D",
        "one step, and sums, by SymPy",
        "f_{t+1} minimizes ½|f − f_t|² + η⟨g, f⟩ + ηr(f) on F, (1 + ηλ)-strongly convex: for u in F",
        "    η(⟨g, f_{t+1} − u⟩ + r(f_{t+1}) − r(u)) ≤",
        "        ½|f_t − u|² − ½(1 + ηλ)|f_{t+1} − u|² − ½|f_{t+1} − f_t|²,",
        "and η g x ≤ ½η²g² + ½x², as",
        ticked("    ½η²g² + ½x² − η g x = ½(ηg − x)²"),
        "so η(⟨g, f_t − u⟩ + r(f_{t+1}) − r(u)) ≤ ½|f_t − u|² − ½(1 + ηλ)|f_{t+1} − u|² + ½η²G². The mean",
        "of ⟨g, f_t − u⟩ is at least the losses' difference. Divide by η, add up, with r(f_1) least.",
        ticked("    (1 + λη)/(2η) = λ(t + 1)/2 for η = 1/(λt)"),
        "    for λ > 0, so all but ½λD² cancels, and Σ ½ηG² ≤ G²(1 + log T)/2λ. λ = 0: what remains is",
        "    D²/2η_T = D²√T/2c, and by",
        ticked("    2(√t − √(t − 1)) − 1/√t = (√t − √(t − 1))²/√t for t > 0"),
        "    Σ 1/√t ≤ 2√T. Divide by T; the mean iterate costs no more than the mean cost.",
    )


def mean_iterate(c: Fraction, steps: int) -> Fraction:
    """The mean of the mean iterate from 0, for losses −w and 3w alike, r = w²/2 on [0, 1], and η_t = c/t.

    Examples
    --------
    >>> str(mean_iterate(Fraction(1), 2))
    '1/8'
    """
    states, total = {Fraction(0): Fraction(1)}, Fraction(0)
    for t in range(1, steps + 1):
        total += sum((w * chance for w, chance in states.items()), Fraction(0))
        following: dict[Fraction, Fraction] = {}
        for w, chance in states.items():
            for g in (-1, 3):
                new = min(max((w - c / t * g) / (1 + c / t), Fraction(0)), Fraction(1))
                following[new] = following.get(new, Fraction(0)) + chance / 2
        states = following
    return total / steps


def _logarithm() -> Step:
    tried = [(Fraction(x), n) for x in ("1/2", "1", "2") for n in (4, 8, 12)]
    above = [
        mean_iterate(x, n) >= sum((x / (2 * (t + x)) for t in range(1, n)), Fraction(0)) / n for x, n in tried
    ]
    return step(
        "The factor log T is needed: with η_t = c/t the mean iterate is not within a multiple of 1/T",
        "one example, every c > 0",
        f"one step by SymPy; {len(tried)} cases with all draws gone through, exactly",
        "Losses −w and 3w, drawn alike, r(w) = w²/2 on F = [0, 1]: the objective w + w²/2 is strongly",
        "convex, least at 0. A step with −w, half of them, leads from w ≥ 0 to (w + c/t)/(1 + c/t), or 1,",
        "and at least to",
        ticked("    (c/t)/(1 + c/t) = c/(t + c)"),
        "so E w_{t+1} ≥ c/2(t + c), and the mean iterate costs at least (1/T) Σ_{t<T} c/2(t + c), of order",
        "log T/T.",
        all(above),
    )


@false("Strongly convex, η_t = c/t: the mean iterate is within 1/T of the least value, times a constant.")
def _no_logarithm() -> Refutation:
    grown = [2**j * mean_iterate(Fraction(1), 2**j) for j in (1, 2, 3, 4)]
    step = all(b - a >= Fraction(1, 8) for a, b in pairwise(grown))
    return Refutation(
        step and _logarithm().stands,
        f"losses −w, 3w, r = w²/2 on [0, 1]: T·E w̄_T = {', '.join(f'{float(x):.3f}' for x in grown)} at"
        " T = 2, 4, 8, 16, and at least the sum of 1/2(t + 1), which has no bound",
    )


DMJ13_FOBOS: Final = Statement(
    latex=(
        r"\(\mathbf E F(\bar f_T) - \inf F = O(1/\sqrt T)\) for \(\eta_t = c/\sqrt t\), and"
        r" \(O(\log T / T)\) for strongly convex regularizers and \(\eta_t = 1/(\lambda t)\)."
    ),
    plain="Composite stochastic gradient steps converge as 1/√T, or log T/T if strongly convex.",
    hypotheses=(
        "losses are convex with slopes of at most G, the domain has diameter D",
        "it starts where r is least",
    ),
    citation=(
        "DMJ13 §6 (on Duchi and Singer 2009); that the mean iterate needs the logarithm: Rakhlin, Shamir and"
        " Sridharan 2012, here for composite steps"
    ),
    check=check(
        "all convex losses with bounded slopes; steps c/√t, and 1/λt for λ-strongly convex r",
        lambda: [_one_step(), _logarithm()],
        "The paper prints O(1/T) for strongly convex objectives, step sizes proportional to 1/t and the mean"
        " of the iterates. Where the least value is at a kink, or on the border of F with a slope that is not"
        " 0, as here, that lacks a factor log T (Rakhlin, Shamir and Sridharan 2012, with much the same"
        " example for gradient steps); means with weights t have no such factor (Lacoste-Julien, Schmidt,"
        " Bach 2012).",
    ),
    variants=(_no_logarithm,),
)
