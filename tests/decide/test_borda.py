"""Complete rankings: which losses of pairs order by Borda's count, and that the proof's inequality holds."""

from fractions import Fraction
from itertools import permutations
from random import Random

import pytest

from consistency_lab.apps.book.rat13 import gradient
from consistency_lab.decide.answers import Verdict
from consistency_lab.decide.tasks import decide_task
from consistency_lab.decide.theorems.catalogue import Evidence, Theorem
from consistency_lab.decide.theorems.orders import BORDA, LOW_NOISE_RANKINGS
from consistency_lab.model.conditions import TASK_CONDITIONS
from consistency_lab.model.labels import differences
from consistency_lab.model.surrogates.tasks.atoms import PairsSurrogate
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.task import Task
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import parse
from consistency_lab.search.effort import Effort

LOGISTIC, SQUARE, QUARTIC = "log(1+exp(-x))", "(1-x)**2", "x**4-x"
RANKINGS = target("pairwise", labels="rankings")


def pairs(phi: str, normalized: str = "none") -> PairsSurrogate:
    return PairsSurrogate("pairs", parse(phi), normalized=normalized)


def proved(
    surrogate: PairsSurrogate, task: Task = RANKINGS, condition: str = "net-order", theorem: Theorem = BORDA
) -> bool:
    return isinstance(theorem.applies(surrogate, condition, task), Evidence)


@pytest.mark.parametrize("phi", [LOGISTIC, SQUARE, QUARTIC, "log(1+exp(-2*x))/3"])
@pytest.mark.parametrize("items", [2, 3, 4])
def test_covered_where_net_order_holds(phi: str, items: int) -> None:
    for normalized in ("none", "pairs"):
        for task in (target("pairwise", labels="rankings", items=items), target("kendall", items=items)):
            for condition in ("additive", "low-noise", "net-order"):
                assert proved(pairs(phi, normalized), task, condition)
    assert not proved(pairs(phi), RANKINGS, "acyclic")
    assert not proved(pairs(phi), RANKINGS, "any")


@pytest.mark.parametrize(
    "phi", ["exp(-x)", "max(0,1-x)", "max(0,1-x)**2", "max(0,-x)", "-x", "x**4+x", "x**2"]
)
def test_not_covered(phi: str) -> None:
    """Other slopes, a kink at 0, no lower bound, a rise at 0, no slope at 0."""
    assert not proved(pairs(phi))


@pytest.mark.parametrize("labels", [(0, 1), (0, 1, 2), "dags"])
def test_labels_that_leave_pairs_out_are_not_covered(labels: tuple[int, ...] | str) -> None:
    """DMJ10 Theorem 11: with unequal numbers of comparisons the logistic loss fails under low-noise."""
    assert not proved(pairs(LOGISTIC), target("pairwise", labels=labels))


def slopes_below(phi: str, m: int, seed: int) -> bool:
    """Whether N_i > N_k and u_i <= u_k give a slope of at most c (N_i - N_k), at random p and u, exactly."""
    random = Random(seed)
    task = target("pairwise", labels="rankings", items=m)
    drawn = {random.choice(task.space.labels): random.randint(1, 4) for _ in range(random.randint(1, 5))}
    p = {label: Fraction(weight, sum(drawn.values())) for label, weight in drawn.items()}
    logarithms = phi in (LOGISTIC, "exp(-x)")
    numbers = [Fraction(random.randint(1, 9), random.randint(1, 9)) for _ in range(m)]
    u = [LogRational(Fraction(0), q) if logarithms else LogRational(q) for q in numbers]
    net = list(map(sum, differences(task.space, p)))
    c = {LOGISTIC: Fraction(-1, 2), SQUARE: Fraction(-2)}.get(phi, Fraction(-1))
    slopes = gradient(pairs(phi), task, p, u)
    assert slopes is not None
    return all(
        slopes[i] - slopes[k] <= c * (net[i] - net[k])
        for i, k in permutations(range(m), 2)
        if net[i] > net[k] and numbers[i] <= numbers[k]
    )


@pytest.mark.parametrize("phi", [LOGISTIC, SQUARE, QUARTIC])
@pytest.mark.parametrize("m", [3, 4, 5])
def test_the_slope_against_the_count_is_bounded(phi: str, m: int) -> None:
    """The inequality of the proof; supports that are not strongly connected are drawn too."""
    assert all(slopes_below(phi, m, seed) for seed in range(20))


def test_the_exponential_loss_has_no_such_bound() -> None:
    assert not all(slopes_below("exp(-x)", 5, seed) for seed in range(20))


def test_ranknet_on_rankings_is_decided_under_every_usual_condition() -> None:
    decision = decide_task(pairs(LOGISTIC), RANKINGS, effort=Effort(60), prescribe=False)
    assert [(a.condition, a.verdict) for a in decision.answers] == [
        *((name, Verdict.CONSISTENT) for name in ("additive", "low-noise", "net-order")),
        *((name, Verdict.INCONSISTENT) for name in ("acyclic", "any")),
    ]
    assert {a.scope for a in decision.answers[:3]} == {"all m"}


@pytest.mark.parametrize("phi", [LOGISTIC, "exp(-x)", "max(0,1-x)**2", "exp(-x)+log(1+exp(1-x))"])
def test_what_does_not_rise_is_covered_under_low_noise(phi: str) -> None:
    for task in (target("pairwise", labels="rankings", items=4), target("kendall")):
        assert all(proved(pairs(phi), task, c, LOW_NOISE_RANKINGS) for c in ("additive", "low-noise"))
        assert not any(
            proved(pairs(phi), task, c, LOW_NOISE_RANKINGS) for c in ("net-order", "acyclic", "any")
        )


@pytest.mark.parametrize("phi", [SQUARE, "max(0,1-x)", "max(0,-x)**2", "-x"])
def test_not_covered_under_low_noise(phi: str) -> None:
    """It rises, has a kink (which may tie), no slope at 0, no lower bound."""
    assert not proved(pairs(phi), RANKINGS, "low-noise", LOW_NOISE_RANKINGS)


@pytest.mark.parametrize("labels", [(0, 1, 2), "dags"])
def test_low_noise_alone_is_not_enough(labels: tuple[int, ...] | str) -> None:
    """DMJ10 Theorem 11."""
    task = target("pairwise", labels=labels)
    assert not proved(pairs("exp(-x)"), task, "low-noise", LOW_NOISE_RANKINGS)


def low_noise(m: int, seed: int) -> dict[tuple[int, ...], Fraction]:
    """p(ranking) = a constant plus the sum of y_i (m - 1 - 2 place of i): additive, so of low noise."""
    random = Random(seed)
    y = [random.randint(0, 5) for _ in range(m)]
    value = {
        label: sum(y[i] * (m - 1 - 2 * place) for place, i in enumerate(label))
        for label in target("kendall", items=m).space.labels
    }
    least = random.randint(0, 9) - min(value.values())
    whole = sum(x + least for x in value.values())
    return {label: Fraction(x + least, whole) for label, x in value.items() if x + least} if whole else {}


@pytest.mark.parametrize("phi", ["exp(-x)", "max(0,1-x)**2"])
@pytest.mark.parametrize("m", [3, 4])
def test_a_tie_of_unequal_items_has_a_slope(phi: str, m: int) -> None:
    """The inequality of the proof, with 2 phi'(0) = -2 and -4; and the rows of d dominate each other."""
    random, task, seen = Random(m), target("pairwise", labels="rankings", items=m), 0
    for seed in range(12):
        p = low_noise(m, seed)
        if not p:
            continue
        d = differences(task.space, p)
        assert TASK_CONDITIONS["low-noise"].holds_for(task.space, p, lambda y: ())
        for i, j in permutations(range(m), 2):
            if d[i][j] <= 0:
                continue
            assert all(d[i][k] >= d[j][k] for k in range(m) if k not in (i, j))
            q = [Fraction(random.randint(1, 9), random.randint(1, 9)) for _ in range(m)]
            q[j] = q[i]
            u = [LogRational(Fraction(0), x) if phi == "exp(-x)" else LogRational(x) for x in q]
            slopes = gradient(pairs(phi), task, p, u)
            assert slopes is not None
            assert slopes[i] - slopes[j] <= (-2 if phi == "exp(-x)" else -4) * d[i][j]
            seen += 1
    assert seen > 20
