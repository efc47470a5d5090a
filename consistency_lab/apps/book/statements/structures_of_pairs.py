"""Structures that average: adjacency matrices, Borda counts, win rates, and clicks over examinations."""

from fractions import Fraction
from itertools import combinations_with_replacement, pairwise
from math import factorial, prod
from random import Random
from typing import Final

from consistency_lab.apps.book.risk import close, differences
from consistency_lab.apps.book.statement import (
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
from consistency_lab.apps.book.ticked import ticked
from consistency_lab.model.conditions import conditions_of, net
from consistency_lab.model.distribution import Distribution
from consistency_lab.solve.structures import AmmarShah, CascadeMLE

# --- The average adjacency matrix: its limit, its mean at every k, and the loss that orders by it --------

ELECTION: Final = ((Fraction(1, 2), (0, 1, 2)), (Fraction(1, 3), (1, 2, 0)), (Fraction(1, 6), (2, 1, 0)))
"""Orders of three items, with probabilities."""


_ARGUMENT: Final = step(
    "E s = a at every k, and s → a almost surely",
    "all m, all k",
    "linearity of the mean, and the strong law of large numbers",
    "s_ij = (1/k) Σ_l a_ij(Y_l) is a mean of k independent bounded numbers of mean a_ij = E a_ij(Y):",
    "E s_ij = a_ij, and s_ij → a_ij by the strong law.",
)


def _enumerated() -> Step:
    a = labels().aggregate
    agreed = all(mean_of(k) == [list(row) for row in a] for k in (1, 2, 3, 4))
    return step(
        "E s = a at an election",
        "m = 3, k ≤ 4, three orders with probabilities 1/2, 1/3, 1/6",
        "all samples of k ballots, with fractions",
        Line("a_12 = a_13 = 1/2", a[0][1] == a[0][2] == Fraction(1, 2)),
        Line("a_23 = 5/6", a[1][2] == Fraction(5, 6)),
        agreed,
    )


def labels() -> Distribution:
    """The election as a distribution of graphs."""
    graphs = [(p, {(i, j): 1 for x, i in enumerate(order) for j in order[x + 1 :]}) for p, order in ELECTION]
    return Distribution.of(3, graphs)


def mean_of(k: int) -> list[list[Fraction]]:
    """E s over all samples of k ballots.

    Examples
    --------
    >>> str(mean_of(2)[1][2])
    '5/6'
    """
    total = [[Fraction(0)] * 3 for _ in range(3)]
    for sample in combinations_with_replacement(range(len(ELECTION)), k):
        times = [sample.count(ballot) for ballot in range(len(ELECTION))]
        chance = Fraction(factorial(k), prod(map(factorial, times)))
        chance *= prod((p**n for (p, _), n in zip(ELECTION, times, strict=True)), start=Fraction(1))
        for (_, order), n in zip(ELECTION, times, strict=True):
            for x, i in enumerate(order):
                for j in order[x + 1 :]:
                    total[i][j] += chance * Fraction(n, k)
    return total


@false("The weights [s_ij − s_ji]_+ of the difference loss are unbiased too.")
def _positive_part() -> Refutation:
    """Of one ballot [s_12 - s_21]_+ is 1 with chance 1/2, and [a_12 - a_21]_+ = 0."""
    a = mean_of(1)
    mean = sum((p for p, order in ELECTION if order.index(0) < order.index(1)), Fraction(0))
    limit = max(a[0][1] - a[1][0], Fraction(0))
    return Refutation(
        mean != limit, f"at the election E [s_12 − s_21]_+ = {mean} with k = 1, and the limit is {limit}"
    )


AVERAGE_ADJACENCY: Final = Statement(
    latex=(
        r"\(\mathbf{E}\, \tfrac1k \sum_l a_{ij}(Y_l) = a_{ij}\) for every \(k\), and it tends to \(a_{ij}\)"
        r" almost surely."
    ),
    plain="The average adjacency matrix estimates the aggregate, without bias for every number of judgments.",
    hypotheses=(r"\(Y_1, Y_2, \dots\) are independent, with one distribution on finitely many graphs",),
    citation="DMJ13 §5.3",
    check=check(
        "all m, all k",
        lambda: [_ARGUMENT, _enumerated()],
        "So where d is acyclic its difference-graph loss is consistent (dmj13-difference).",
    ),
    variants=(_positive_part,),
)


# --- Borda: the row sums of the differences, which order what the value-regularized linear loss orders ---


_BORDA_LIMIT: Final = step(
    "s_i → ½ Σ_j d_ij, half the minimizer of the linear loss with r = x²/2, ν = 1",
    "all m",
    "linearity, the strong law of large numbers, and DMJ10 Eq. 15",
    "s_i = ½ Σ_j (â_ij − â_ji) is linear in the average adjacency, which tends to a almost surely.",
    "Eq. 15 has the minimizer α_i = Σ_j d_ij.",
)


_ORDERS: Final = step(
    "Under Eq. 16 every order by s is optimal for pairwise disagreement",
    "all m, all d with Eq. 16",
    "by hand, from the definition of the condition",
    "Eq. 16: d_ij > 0 implies Σ_l d_il > Σ_l d_jl, so s_i > s_j on every edge i → j of the",
    "difference graph: sorting by s agrees with each edge, and costs Σ min(a_ij, a_ji), the least.",
)


def _examples() -> Step:
    def agree(rng: Random, m: int) -> bool:
        a = [[rng.randint(0, 6) if i != j else 0 for j in range(m)] for i in range(m)]
        d = Distribution.from_aggregate(a).difference
        sums = list(map(sum, d))
        is_right = all(sums[i] > sums[j] for i in range(m) for j in range(m) if d[i][j] > 0)
        return conditions_of(d)["net-order"] is is_right and list(net(d)) == sums

    claim = "Row sums fall along every edge exactly if Eq. 16 holds"
    return drawn(claim, "m ≤ 5", "at {} random aggregates", agree, (3, 4, 5), 12, 13)


@false("It ranks correctly wherever the difference graph is acyclic.")
def _acyclic() -> Refutation:
    p = Distribution.from_aggregate([[0, 1, 0], [0, 0, 3], [0, 0, 0]])
    sums = [Fraction(sum(row)) / 2 for row in p.difference]
    held = conditions_of(p.difference)
    return Refutation(
        held["acyclic"] and sums[1] > sums[0] and p.difference[0][1] > 0,
        f"{differences(p)}: s = ({', '.join(map(str, sums))}) puts 2 above 1",
    )


BORDA_COUNT: Final = Statement(
    latex=(
        r"\(\tfrac12 \sum_j (\hat a_{ij} - \hat a_{ji}) \to \tfrac12 \sum_j d_{ij}\) almost surely, and under"
        r" DMJ10 Eq. 16 every order by it is optimal for pairwise disagreement."
    ),
    plain="Borda counts estimate the minimizer of the linear loss, and are right under its condition.",
    hypotheses=("independent labels of one distribution", "for the order: Eq. 16"),
    citation="DMJ13 §5.1, DMJ10 Eq. 15 and 16",
    check=check(
        "all m, all d with Eq. 16",
        lambda: [_BORDA_LIMIT, _ORDERS, also(_examples())],
        "On complete orders it is Borda's count less (m − 1)/2: a_ij + a_ji = 1 for each pair.",
    ),
    variants=(_acyclic,),
)


# --- Ammar and Shah's win rates: the chance to win, right under strong stochastic transitivity -----------

Shares = list[list[Fraction]]


def _rates_limit() -> Step:
    return step(
        "s_i → the chance that i wins against an opponent drawn uniformly",
        "all m, all designs that compare every pair",
        "the strong law of large numbers, and an identity by SymPy",
        "The share of i's wins among the comparisons of i and j tends to P_ij, at whatever rate they are",
        "drawn, so s_i → (1/(m−1)) Σ_{j≠i} P_ij: the chance to win against j drawn uniformly.",
        "With R the sum over all other j and P = P_ij, taking ½ from each term takes ½ from the mean:",
        ticked("    (R + P)/(m − 1) − ½ = ((R − (m − 2)/2) + (P − ½))/(m − 1)"),
        "so s = ½ + (Borda count of P − ½)/(m−1).",
    )


_TRANSITIVE: Final = step(
    "Under strong stochastic transitivity the order by s is right",
    "all m, P_ij + P_ji = 1, P_ij > ½ implies P_il ≥ P_jl for each l",
    "by hand, term by term",
    "Let P_ij > ½. Of l ≠ i, j the terms are P_il ≥ P_jl, and there is P_ij > P_ji: s_i > s_j.",
)


def _computed() -> Step:
    """The package at whole-number wins of a Bradley-Terry-Luce model under random rates."""

    def agree(rng: Random, m: int) -> bool:
        s = sorted((rng.randint(1, 9) for _ in range(m)), reverse=True)
        wins = [[0.0] * m for _ in range(m)]
        for i in range(m):
            for j in range(i):
                rate = rng.randint(1, 50)
                wins[i][j], wins[j][i] = float(rate * s[i]), float(rate * s[j])
        limit = rates([[Fraction(x, x + y) for y in s] for x in s])
        return close(AmmarShah().scores(wins), limit) and all(x >= y for x, y in pairwise(limit))

    return drawn(
        "The package has these limits, in the order of the strengths",
        "m ≤ 6, Bradley-Terry-Luce shares, random rates",
        "floats beside fractions, at {} models",
        agree,
        (2, 3, 4, 6),
        5,
        52,
    )


def rates(shares: Shares) -> list[Fraction]:
    """Mean share of each item against the others.

    Examples
    --------
    >>> [str(rate) for rate in rates([[Fraction(0), Fraction(3, 4)], [Fraction(1, 4), Fraction(0)]])]
    ['3/4', '1/4']
    """
    m = len(shares)
    return [sum((row[j] for j in range(m) if j != i), Fraction(0)) / (m - 1) for i, row in enumerate(shares)]


@false("Its order is right under weak stochastic transitivity too.")
def _weak() -> Refutation:
    """1 beats both others narrowly, 2 beats 3 always."""
    half, third = Fraction(1, 2), Fraction(3, 5)
    shares = [[half, third, third], [1 - third, half, Fraction(1)], [1 - third, Fraction(0), half]]
    found = rates(shares)
    return Refutation(
        found[1] > found[0] and shares[0][1] > half,
        f"P_12 = P_13 = 3/5, P_23 = 1: s = ({', '.join(map(str, found))}) puts 2 above 1",
    )


@false("The Borda count of the average adjacency does not depend on the design either.")
def _design() -> Refutation:
    """Strengths 4, 2, 1; the pair 2, 3 is drawn far more often: sums of joint shares follow the design."""
    rate = {(0, 1): 1, (0, 2): 1, (1, 2): 8}
    s = (4, 2, 1)
    joint = [
        sum(
            Fraction(rate[min(i, j), max(i, j)] * (s[i] - s[j]), 10 * (s[i] + s[j]))
            for j in range(3)
            if j != i
        )
        for i in range(3)
    ]
    return Refutation(
        joint[1] > joint[0],
        f"s = (4, 2, 1), rates 1, 1, 8 of 10: Σ_j d_ij = ({', '.join(map(str, joint))}) puts 2 above 1",
    )


AMMAR_SHAH: Final = Statement(
    latex=(
        r"\(\tfrac{1}{m-1} \sum_{j \ne i} \hat P(i \succ j \mid \{i, j\}) \to"
        r" \tfrac{1}{m-1} \sum_{j \ne i} P_{ij}\) under every design that compares all pairs, and under"
        r" strong stochastic transitivity its order is right."
    ),
    plain="Win rates estimate the chance to win against a random opponent, however often pairs are drawn.",
    hypotheses=("every pair is drawn", "for the order: strong stochastic transitivity"),
    citation="DMJ13 §5.1, after Ammar and Shah",
    check=check(
        "all m, all designs that compare every pair",
        lambda: [_rates_limit(), _TRANSITIVE, also(_computed())],
        "Pairs that are never compared count 1/2, and then the limit is another number.",
    ),
    variants=(_weak, _design),
)


# --- The cascade model: clicks over examinations are likeliest, and tend to the truth however it is shown ---

THETA: Final = (Fraction(1, 5), Fraction(1, 2), Fraction(1, 3))
SHOWN: Final = {(0, 1, 2): Fraction(3, 4), (1, 0, 2): Fraction(3, 20), (2, 1, 0): Fraction(1, 10)}
"""How often each order is presented."""


def _maximum() -> Step:
    return step(
        "The likelihood is largest at clicks/examinations",
        "all m, all sessions; of an item that was never examined it says nothing",
        "a derivative, by SymPy",
        "A session passes items, each with chance 1 − θ, and may click one, with chance θ. With c_i",
        "clicks on i, which n_i times was passed, log L = Σ_i c_i log θ_i + n_i log(1 − θ_i).",
        "Its slope along θ, c/θ − n/(1 − θ), is 0 there and falls:",
        ticked("    c/θ − n/(1 − θ) = 0 for θ = c/(c + n)"),
        ticked("    −∂/∂θ (c/θ − n/(1 − θ)) = c/θ² + n/(1 − θ)²"),
        "    which is above 0, so that there is one maximum: with κ = 1 − θ",
        ticked("    c/θ² + n/κ² > 0 for c, n, θ, κ > 0"),
        "With c = 0 or n = 0 (not both) the maximum is at 0 or 1, the same ratio.",
    )


_CASCADE_LIMIT: Final = step(
    "It tends to θ under every presentation",
    "all m, all presentations in which each item is examined with positive chance",
    "the strong law of large numbers",
    "Whether i is clicked once it is examined does not depend on what came before. So a session has",
    "E c_i = θ_i E(c_i + n_i); both means tend to these numbers almost surely, and E(c_i + n_i) > 0.",
)


def _all_sessions() -> Step:
    clicked, examined, _ = expected()
    found = CascadeMLE().scores([float(x) for x in clicked], [float(x) for x in examined])
    return step(
        "θ = (1/5, 1/2, 1/3), presented in three orders",
        "m = 3",
        "all sessions enumerated with fractions; the package has the same ratios in floats",
        *(
            Line(f"clicked with chance {c}, examined with chance {n}, and {c}/{n} = {t}", c / n == t)
            for c, n, t in zip(clicked, examined, THETA, strict=True)
        ),
        close(found, THETA),
    )


def expected() -> tuple[list[Fraction], list[Fraction], list[Fraction]]:
    """The chance of each item to be clicked, to be examined, and to be shown.

    Examples
    --------
    >>> [str(chance) for chance in expected()[1]]
    ['103/120', '49/60', '23/50']
    """
    clicked, examined, shown = ([Fraction(0)] * 3 for _ in range(3))
    for order, chance in SHOWN.items():
        going = chance
        for item in order:
            shown[item] += chance
            examined[item] += going
            clicked[item] += going * THETA[item]
            going *= 1 - THETA[item]
    return clicked, examined, shown


@false("Clicks divided by presentations order items by θ too.")
def _click_through() -> Refutation:
    """Clicks over presentations depend on the place."""
    theta = (Fraction(1, 2), Fraction(2, 3))
    clicked = (theta[0], (1 - theta[0]) * theta[1])
    return Refutation(
        clicked[0] > clicked[1] and theta[0] < theta[1],
        f"θ = (1/2, 2/3), always shown as 1, 2: clicked in {clicked[0]} and in {clicked[1]} of the sessions",
    )


CASCADE_MLE: Final = Statement(
    latex=(
        r"In the cascade model the likelihood is largest at \(\hat\theta_i =\) clicks on \(i\) / examinations"
        r" of \(i\), and \(\hat\theta \to \theta\) almost surely under every presentation that examines each"
        r" item."
    ),
    plain="Clicks divided by examinations are the likeliest satisfactions, and tend to the true ones.",
    hypotheses=(
        "sessions are independent, of one cascade model",
        "each item is examined with positive chance",
    ),
    citation="DMJ13 §5.2",
    check=check(
        "all m, all presentations in which each item is examined with positive chance",
        lambda: [_maximum(), _CASCADE_LIMIT, _all_sessions()],
        "So with it the ERR family is minimized by sorting (DMJ13 §5.2, dmj13-err): its limit is a point.",
    ),
    variants=(_click_through,),
)
