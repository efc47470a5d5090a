"""The few pairs of items by which scores are seen to be right, or wrong."""

from collections.abc import Sequence
from typing import Final

from consistency_lab.solve.optimal import OptimalOrders

Pair = tuple[int, int]

_WRONG: Final = 1e-9
_MANY_ORDERS: Final = 2000


def shared_pairs(optimum: OptimalOrders, m: int) -> list[Pair]:
    """The covering pairs of the order that all optimal orders share, the upper item first."""
    forced = {(i, j) for i in range(m) for j in range(m) if i != j and optimum.forced(i, j)}
    return sorted(
        (i, j) for i, j in forced if not any((i, k) in forced and (k, j) in forced for k in range(m))
    )


def wrong_pairs(optimum: OptimalOrders, scores: Sequence[float]) -> list[Pair]:
    """Pairs that the scores invert and that together meet every optimal order, largest inversion first."""
    m = len(scores)
    inverted = sorted(
        (
            (i, j)
            for i in range(m)
            for j in range(m)
            if scores[i] < scores[j] - _WRONG and not optimum.forced(j, i)
        ),
        key=lambda pair: scores[pair[0]] - scores[pair[1]],
    )
    for pair in inverted:
        if optimum.forced(*pair):
            return [pair]
    chosen: list[Pair] = []
    missed = [{item: n for n, item in enumerate(order)} for order in optimum.orders(_MANY_ORDERS)]
    for i, j in inverted:
        if not missed:
            break
        rest = [place for place in missed if place[i] > place[j]]
        if len(rest) < len(missed):
            chosen.append((i, j))
            missed = rest
    return [] if missed else chosen


def has_pairs(scores: Sequence[float], pairs: Sequence[Pair]) -> bool:
    """Whether the scores clearly put the first item of each pair above the second."""
    return all(scores[i] > scores[j] + _WRONG for i, j in pairs)
