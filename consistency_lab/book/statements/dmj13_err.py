"""DMJ13's lemma on ERR: if the grades are independent, sorting by E G(s_i) is optimal."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise, permutations, product
from math import prod
from random import Random
from typing import Final

from consistency_lab.book.polynomials import Lines, is_positive, step, vanishes
from consistency_lab.book.rat13 import Weights
from consistency_lab.book.statement import Checked, FalseVariant, Kind, Refutation, Statement, Step, concluded
from consistency_lab.model.surrogates.tasks.pointwise import Regression
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.positional import ExpectedReciprocalRank
from consistency_lab.model.tasks.task import Prediction
from consistency_lab.theorems.base import Evidence
from consistency_lab.theorems.dmj13 import ERR

_SCOPE: Final = "all m, all G in [0, 1], all F > 0 that do not fall"
_SAMPLES: Final = 25


def check() -> Checked:
    """Check the statement."""
    return concluded(
        Kind.PROOF_ALL_M,
        _SCOPE,
        [_product(), _neighbors(), _hypotheses(), _enumerated()],
        (
            "Every optimal order is sorted if F rises strictly and all E G < 1; below an item with E G = 1"
            " the order is free (ours).",
            "With two items sorting by E G is optimal for dependent grades too: three are the fewest that"
            " fail (ours).",
        ),
    )


def _product() -> Step:
    import sympy as sp

    a, b = sp.symbols("θ_a θ_b", real=True)
    lines: Lines = [
        "Let G_i = G(s_i), θ_i = E G_i, D_k = 1/F(k). The items of a ranking t are different, so for",
        "independent grades the mean of each product is the product of the means:",
        "    1 − L(t) = Σ_k D_k E[G_{t_k} Π_{l<k} (1 − G_{t_l})] = Σ_k D_k θ_{t_k} Π_{l<k} (1 − θ_{t_l}).",
        "It depends on p only through θ. Two neighbors are passed with the same chance in either order:",
        vanishes("    (1 − θ_a)(1 − θ_b) = (1 − θ_b)(1 − θ_a)", (1 - a) * (1 - b) - (1 - b) * (1 - a)),
    ]
    return step(
        "For independent grades the expected loss depends on p only through E G",
        Kind.PROOF_ALL_M,
        _SCOPE,
        "means of products of independent factors",
        lines,
    )


def _neighbors() -> Step:
    import sympy as sp

    a, b = sp.symbols("θ_a θ_b", real=True)
    upper, lower, reach = sp.symbols("D_k D_k+1 P", nonnegative=True)
    gap, fall, chance = sp.symbols("g d P", positive=True)
    above = reach * (upper * a + lower * (1 - a) * b)
    below = reach * (upper * b + lower * (1 - b) * a)
    lines: Lines = [
        "Let a stand right above b, at positions k and k + 1, which a reader reaches with chance",
        "P = Π_{l<k} (1 − θ_{t_l}) ≥ 0. What is earned before and after does not change, so",
        vanishes(
            "    L(a above b) − L(b above a) = −P (θ_a − θ_b)(D_k − D_{k+1})",
            sp.expand(below - above + reach * (a - b) * (upper - lower)),
        ),
        "If θ_a ≥ θ_b this is at most 0. Exchanging neighbors that stand against θ leads from any order",
        "to one sorted by θ and never raises L: every order sorted by θ is optimal.",
        "If F rises strictly and all θ < 1, then P > 0 and D_k − D_{k+1} = d > 0, and an order that is not",
        "sorted has neighbors with θ_b − θ_a = g > 0, whose exchange saves",
        is_positive("    P g d > 0: it is not optimal.", chance * gap * fall),
    ]
    return step(
        "Sorting by E G is optimal",
        Kind.PROOF_ALL_M,
        _SCOPE,
        "the exchange of two neighbors, by SymPy",
        lines,
    )


def _hypotheses() -> Step:
    """The theorem of the catalogue applies to regression on G under independence only."""
    lines: Lines = []
    agreed = True
    for f, condition, expected in (
        ("gain", "independent", True),
        ("gain", "any", False),
        ("grade", "independent", False),
    ):
        answer = ERR.applies(Regression(f), condition, target("err"))
        agreed = agreed and isinstance(answer, Evidence) is expected
        said = "covered" if isinstance(answer, Evidence) else "not covered"
        lines.append(f"regression on {f}, condition {condition}: {said}")
    return step(
        "The hypotheses hold for regression on G if grades are independent, and not otherwise",
        Kind.PROOF_THIS_M,
        "m = 3, G(s) = (2^s − 1)/2^S",
        "features compared with gains at every label",
        lines,
        agreed,
    )


def _enumerated() -> Step:
    """All rankings compared at random product measures."""
    rng = Random(2009)
    total = right = 0
    for items, grades in ((2, (0, 1, 2)), (3, (0, 1, 2)), (4, (0, 1))):
        task = target("err", items=items, labels=grades)
        assert isinstance(task, ExpectedReciprocalRank)
        for _ in range(_SAMPLES):
            p, theta = independent(task, [[rng.randint(0, 3) for _ in grades] for _ in range(items)])
            losses = {t: task.expected_loss(p, t) for t in task.predictions}
            least = min(losses.values())
            total += 1
            right += all(
                (loss == least) is all(theta[a] >= theta[b] for a, b in pairwise(t))
                for t, loss in losses.items()
            )
    return step(
        "The optimal rankings are those sorted by E G (here E G < 1 always)",
        Kind.TEST,
        "m ≤ 4, F(j) = j",
        f"all rankings compared exactly at {right} of {total} random product measures",
        [],
        right == total,
    )


def independent(
    task: ExpectedReciprocalRank, marginals: Sequence[Sequence[int]]
) -> tuple[dict[tuple[int, ...], Fraction], list[Fraction]]:
    """The product measure with these marginals (one more is added to the lowest grade), and E G.

    Examples
    --------
    >>> task = target("err", items=2, labels=(0, 1))
    >>> p, theta = independent(task, [[0, 1], [0, 0]])
    >>> {label: str(weight) for label, weight in p.items()}, str(theta[0])
    ({(0, 0): '1/2', (1, 0): '1/2'}, '1/4')
    """
    grades = task.space.grades
    chances = [[Fraction(w + (k == 0), 1 + sum(row)) for k, w in enumerate(row)] for row in marginals]
    weights = {
        tuple(grades[k] for k in chosen): prod((row[k] for row, k in zip(chances, chosen, strict=True)))
        for chosen in product(range(len(grades)), repeat=len(chances))
    }
    theta = [
        sum((c * task.table[grade] for c, grade in zip(row, grades, strict=True)), Fraction(0))
        for row in chances
    ]
    return {label: Fraction(w) for label, w in weights.items() if w}, theta


def earned(theta: Sequence[Fraction], discounts: Sequence[Fraction], order: Prediction) -> Fraction:
    """1 - L for independent grades.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> earned([half, half], [Fraction(1), half], (0, 1))
    Fraction(5, 8)
    """
    total, going = Fraction(0), Fraction(1)
    for item, factor in zip(order, discounts, strict=True):
        total += factor * going * theta[item]
        going *= 1 - theta[item]
    return total


def _dependent() -> Refutation:
    task = target("err", items=3, labels=(0, 1))
    assert isinstance(task, ExpectedReciprocalRank)
    p: Weights = {(1, 1, 0): Fraction(3, 5), (0, 0, 1): Fraction(2, 5)}
    losses = {t: sum((w * task.loss(y, t) for y, w in p.items()), Fraction(0)) for t in task.predictions}
    by_mean = [losses[0, 1, 2], losses[1, 0, 2]]
    return Refutation(
        min(by_mean) > losses[0, 2, 1],
        "p(1, 1, 0) = 3/5, p(0, 0, 1) = 2/5, G = s/2: E G = (3/10, 3/10, 1/5), but the orders with 3 last"
        f" lose {min(by_mean)}, and 1 > 3 > 2 only {losses[0, 2, 1]}",
    )


def _rising() -> Refutation:
    theta, discounts = (Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 2), Fraction(1))
    sorted_value, other = (earned(theta, discounts, order) for order in permutations(range(2)))
    return Refutation(
        sorted_value < other,
        f"F = (2, 1), E G = (3/4, 1/4): 1 > 2 earns {sorted_value}, and 2 > 1 earns {other}",
    )


def _certain() -> Refutation:
    theta = (Fraction(1), Fraction(1, 2), Fraction(1, 4))
    discounts = tuple(Fraction(1, j) for j in (1, 2, 3))
    values = {order: earned(theta, discounts, order) for order in permutations(range(3))}
    return Refutation(
        values[0, 2, 1] == max(values.values()),
        f"F(j) = j, E G = (1, 1/2, 1/4): 1 > 3 > 2 earns {values[0, 2, 1]}, as much as any order",
    )


STATEMENT: Final = Statement(
    name="dmj13-err",
    title="DMJ13 ERR lemma",
    latex=(
        r"If \(s_1, \dots, s_m\) are independent, the orders in which \(\mathbf{E} G(s_i)\) falls minimize"
        r" \(\mathbf{E}[1 - \sum_i \frac{1}{F(i)} G(s_{\pi^{-1}(i)}) \prod_{k<i} (1 - G(s_{\pi^{-1}(k)}))]\)."
    ),
    plain="For independent grades, sorting by the expected gain minimizes the ERR loss.",
    hypotheses=(
        r"\(p\) is a product measure",
        r"\(0 \le G \le 1\)",
        r"\(F\) is positive and does not fall",
    ),
    citation="DMJ13 (lemma on ERR; its proof is in a supplement, this one is ours)",
    check=check,
    variants=(
        FalseVariant("Sorting by E G is optimal for dependent grades too.", _dependent),
        FalseVariant("It is optimal for every positive F, falling or not.", _rising),
        FalseVariant("If F rises strictly, no other order is optimal, even where E G = 1.", _certain),
    ),
)
