"""Consistency made visible: what losses learn from n simulated judges of whom the best order is known."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.aggregate import CascadeMLE, Clicks
from consistency_lab.experiments.exact import expected_leads, pairwise_logistic
from consistency_lab.experiments.instances import INSTANCES, Instance
from consistency_lab.experiments.ranges import check_ranges
from consistency_lab.experiments.simulate import cascade_sessions, click_chances

Floats = NDArray[np.float64]
Tell = Callable[[str], None]

PAIRWISE: Final = "pairwise logistic"
AGGREGATED: Final = "aggregated, k = n"
ORDER_K: Final = "order k"
CASCADE: Final = "cascade model"

SATISFIES: Final = (0.5, 0.4, 0.3)
LISTS: Final = ((0, 1, 2), (2, 1, 0))
CHANCES: Final = (0.9, 0.1)
"""Clicks: how often each row satisfies, the lists that are shown, and how often."""


@final
@dataclass(frozen=True)
class JudgesPlan:
    """What is measured.

    Parameters
    ----------
    sizes
        Numbers n of judges.
    orders
        Orders k of the aggregation.
    runs
        How often judges are drawn.
    lam
        Of the penalty lam |w|^2/2, so small that it only chooses among minimizers.
    seed
        Of all draws.

    Raises
    ------
    InputError
        If a number is out of range.
    """

    sizes: tuple[int, ...] = (10, 15, 20, 30, 50, 70, 100, 200, 500, 1000, 2000, 5000)
    orders: tuple[int, ...] = (1, 2, 3, 5, 8, 12, 20, 32, 50)
    runs: int = 100
    lam: float = 1e-6
    seed: int = 0

    def __post_init__(self) -> None:
        check_ranges(self, ("sizes", "orders", "runs", "lam"), ("seed",))


def judges(plan: JudgesPlan, tell: Tell = lambda _: None) -> dict[str, Any]:
    """Measure what is learned from simulated judges.

    For each of `INSTANCES` n judges are drawn, and the order is that of the minimizer of the pairwise
    logistic risk, and of the U-statistic of order k with the difference-graph loss, neither of them sampled.
    For clicks, the pairwise logistic risk of "clicked over passed by", and estimates of the cascade model.

    Returns
    -------
    A document with a list of regrets, one a run, for each n and loss, and what theory says beside it.
    """
    return {
        "experiment": "judges",
        "settings": asdict(plan),
        "instances": [_compared(instance, plan, tell) for instance in INSTANCES.values()],
        "clicks": _clicked(plan, tell),
    }


def learned(instance: Instance, weights: Floats, lam: float) -> Floats:
    """The scores that minimize the logistic loss with these weights of pairs."""
    if not weights.any():
        return np.zeros(len(instance.items))
    return np.asarray(instance.X @ pairwise_logistic([instance.X], [weights], lam))


def _compared(instance: Instance, plan: JudgesPlan, tell: Tell) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []
    for n in plan.sizes:
        tell(f"{instance.name}, {n} judges")
        orders = [k for k in plan.orders if k < n]
        found: dict[tuple[str, int], list[float]] = {}
        for run in range(plan.runs):
            counts = instance.counts(n, np.random.default_rng([plan.seed, n, run]))
            weights = {(PAIRWISE, 1): counts, (AGGREGATED, n): np.maximum(counts - counts.T, 0.0)}
            weights |= {(ORDER_K, k): expected_leads(counts, k, n) for k in orders}
            for key, one in weights.items():
                found.setdefault(key, []).append(instance.regret(learned(instance, one, plan.lam)))
        rows += [{"loss": loss, "n": n, "k": k, "regrets": regrets} for (loss, k), regrets in found.items()]
    limits = {
        k: instance.regret(learned(instance, expected_leads(instance.a, k), plan.lam)) for k in plan.orders
    }
    return {
        "name": instance.name,
        "title": instance.title,
        "source": instance.source,
        "best": [instance.items[k] for k in instance.best],
        "logistic_limit": {
            "order": [instance.items[k] for k in instance.limit.order],
            "regret": str(instance.limit.regret),
            "certified": instance.limit.certified,
        },
        "limits_by_k": [{"k": k, "regret": regret} for k, regret in limits.items()],
        "bounds": [{"n": n, "regret": instance.regret_bound(n)} for n in plan.sizes],
        "measured": rows,
    }


def _clicked(plan: JudgesPlan, tell: Tell) -> dict[str, Any]:
    p, lists, chances = np.array(SATISFIES), [np.array(one) for one in LISTS], np.array(CHANCES)
    worse = np.maximum(p[:, None] - p[None, :], 0.0)  # what it costs to have i below j

    def regret(scores: Floats) -> float:
        below = np.subtract.outer(scores, scores)
        return float((worse * np.where(below < 0, 1.0, np.where(below > 0, 0.0, 0.5))).sum() / worse.sum())

    def pairwise(wins: Floats) -> Floats:
        return pairwise_logistic([np.eye(len(p))], [wins], plan.lam) if wins.any() else np.zeros(len(p))

    rows = []
    for n in plan.sizes:
        tell(f"clicks, {n} sessions")
        found: dict[str, list[float]] = {PAIRWISE: [], CASCADE: []}
        for run in range(plan.runs):
            clicks = cascade_sessions(p, lists, chances, n, np.random.default_rng([plan.seed, n, run]))
            found[PAIRWISE].append(regret(pairwise(passed_by(clicks))))
            found[CASCADE].append(regret(CascadeMLE().scores(*clicks.counts())))
        rows += [{"loss": loss, "n": n, "k": n, "regrets": regrets} for loss, regrets in found.items()]
    return {
        "name": "clicks",
        "title": "clicks, pairs are wrong",
        "satisfies": SATISFIES,
        "lists": LISTS,
        "chances": CHANCES,
        "logistic_limit": {"regret": regret(pairwise(expected_pairs(p, lists, chances)))},
        "measured": rows,
    }


def passed_by(clicks: Clicks) -> Floats:
    """How often row i was clicked, and row j above it was not: a pair for every such j.

    Examples
    --------
    >>> passed_by(Clicks([[2, 0, 1], [0, 1, 2]], [1, None], [0, 0, 0])).tolist()
    [[0.0, 0.0, 1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    found = np.zeros((len(clicks), len(clicks)))
    for start, click in zip(clicks.starts[:-1], clicks.clicked, strict=True):
        if click > 0:
            found[clicks.rows[start + click], clicks.rows[start : start + click]] += 1.0
    return found


def expected_pairs(satisfies: Floats, lists: Sequence[NDArray[np.int64]], chances: Floats) -> Floats:
    """How often a session gives each pair of `passed_by`, in expectation."""
    found = np.zeros((len(satisfies), len(satisfies)))
    for shown, weight in zip(lists, chances, strict=True):
        for place, chance in enumerate(click_chances(satisfies, shown)[:-1]):
            found[shown[place], shown[:place]] += weight * chance
    return found
