"""What the page on mean average precision compares exactly, and what refutes its false variants."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from consistency_lab.apps.book.rat13 import (
    diagonal,
    feature,
    law,
    map_task,
    means,
    numbers,
    optimal,
    positive_sum,
    ranking,
    reinforces,
    text,
    wrong_diagonal,
)
from consistency_lab.apps.book.statement import Refutation

Demand = Callable[[Sequence[Fraction]], Fraction]

_DEMANDS: Final[Mapping[str, Demand]] = MappingProxyType(
    {"plain": lambda gaps: sum(gaps, Fraction(0)), "largest": lambda gaps: max(*gaps, Fraction(0))}
)
"""What may stand in P_reinforce in place of the sum of the positive parts."""


def by_diagonal(weights: str, demand: str = "") -> Refutation:
    """Sorting the diagonal is wrong at "101:4 010:3", though P_reinforce with this demand holds."""
    labels = (one.split(":") for one in weights.split())
    p = law({tuple(map(int, label)): int(weight) for label, weight in labels})
    return wrong_diagonal(p, _DEMANDS[demand] if demand else None)


def scaled(factor: str, items: str) -> Refutation:
    """The same with a factor c < 1 before the sum, at one family of laws."""
    c, rest = Fraction(factor), (0,) * (int(items) - 3)
    p = law({(1, 0, 1, *rest): 2, (1, 0, 0, *rest): 2, (0, 1, 0, *rest): 1 + c})
    return wrong_diagonal(p, lambda gaps: c * positive_sum(gaps))


def sharp() -> bool:
    return all(scaled(f"{k}/10", items).refuted for k in range(1, 10) for items in ("3", "4"))


def rows_sum_to_y() -> Iterator[Mapping[str, str] | bool]:
    labels = [y for r in (2, 3, 4) for y in map_task(r).space.labels]
    yield {"labels": str(len(labels))}
    yield all(sum(feature(y, i, g) for g in range(len(y))) == y[i] for y in labels for i in range(len(y)))


def only_reinforced() -> Refutation:
    p = law({(1, 0, 0): 3, (0, 1, 1): 4})
    u, task = means(p), map_task(3)
    best = optimal(task, p)
    return Refutation(
        not reinforces(u) and best == {(0, 1, 2), (0, 2, 1)},
        f"{text(task, p)}: the diagonal is {numbers(diagonal(u))} and 1 > 2 > 3, 1 > 3 > 2 are the optimal "
        "orders, as it says; yet u_11 = 3/7 < u_22 + (u_23 − u_13)_+ = 4/7",
    )


def without_division() -> Refutation:
    """Two laws with the same E Y, both in P_reinforce, that no one order serves."""
    laws = [law({(1, 0, 0): 1, (0, 1, 1): 1}), law({(0, 1, 0): 1, (1, 0, 1): 1})]
    task = map_task(3)
    expected = {tuple(sum(weight * y[i] for y, weight in p.items()) for i in range(3)) for p in laws}
    first, second = (optimal(task, p) for p in laws)
    refuted = len(expected) == 1 and all(reinforces(means(p)) for p in laws) and not first & second
    shown = " | ".join(
        f"{text(task, p)}: optimal {', '.join(map(ranking, sorted(best)))}"
        for p, best in zip(laws, (first, second), strict=True)
    )
    return Refutation(
        refuted, f"{shown} | both have the minimizer E Y = (1/2, 1/2, 1/2), and no order is in both"
    )
