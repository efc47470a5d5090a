"""Which noise conditions hold, each with its reason."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from graphlib import TopologicalSorter
from itertools import permutations
from types import MappingProxyType
from typing import Final

from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.report.proof.case import Case
from consistency_lab.report.proof.target import cycle_of
from consistency_lab.report.text import Line, chain, paragraph, short


def noise(case: Case) -> Iterator[Line]:
    """One line a condition."""
    longest = max(map(len, case.verified.conditions))
    for name, holds in case.verified.conditions.items():
        word = "holds" if holds else "fails"
        reason = _REASONS[name](case) if name in _REASONS else CONDITIONS[name].words
        yield from paragraph(f"{name.ljust(longest)}  {word}: {reason}", 3, longest + 2)


def _d(case: Case, i: int, j: int) -> str:
    return f"d({case.names[i]},{case.names[j]}) = {short(case.d[i][j])}"


def _additive(case: Case) -> str:
    d, everyone = case.d, range(len(case.names))
    for i in everyone:
        for j in everyone:
            if d[i][j] != d[i][0] - d[j][0]:
                via = f"d({case.names[i]},{case.names[0]}) - d({case.names[j]},{case.names[0]})"
                return f"{_d(case, i, j)}, but {via} = {short(d[i][0] - d[j][0])}"
    lowest = min(row[0] for row in d)
    values = ", ".join(short(row[0] - lowest) for row in d)
    return f"d_ij = y_i - y_j for all pairs with y = ({values})"


def _low_noise(case: Case) -> str:
    d, names = case.d, case.names
    paths = [
        (d[i][k] - d[i][j] - d[j][k], i, j, k)
        for i, j, k in permutations(range(len(names)), 3)
        if d[i][j] > 0 and d[j][k] > 0
    ]
    if not paths:
        return "no two edges follow each other"
    slack, i, j, k = min(paths)
    sign = "≥" if slack >= 0 else "<"
    sum_of = f"{short(d[i][j])} + {short(d[j][k])}"
    path = f"{names[i]} → {names[j]} → {names[k]}"
    closest = f"along {path}, {_d(case, i, k)} {sign} {sum_of}"
    if slack < 0:
        return closest
    return f"{closest}" + (f", the tightest of {len(paths)} paths of two edges" if len(paths) > 1 else "")


def _net_order(case: Case) -> str:
    nets = [sum(row, Fraction(0)) for row in case.d]
    for i, k in case.edges:
        if nets[i] <= nets[k]:
            return (
                f"{case.edge(i, k)} is an edge, but the net preference of {case.names[i]} is "
                f"{short(nets[i])} and that of {case.names[k]} is {short(nets[k])}"
            )
    values = ", ".join(f"{name} {short(net)}" for name, net in zip(case.names, nets, strict=True))
    return f"the net preferences sum_j d_ij fall along every edge ({values})"


def _acyclic(case: Case) -> str:
    cycle = cycle_of(case)
    if cycle is not None:
        return "the difference graph has the cycle " + " → ".join(case.names[i] for i in cycle)
    before: dict[int, list[int]] = {i: [] for i in range(len(case.names))}
    for i, j in case.edges:
        before[j].append(i)
    order = TopologicalSorter(before).static_order()
    return f"every edge of the difference graph goes to the right in {chain(case.names, order)}"


def _any(case: Case) -> str:
    return "it asks for nothing"


_REASONS: Final[Mapping[str, Callable[[Case], str]]] = MappingProxyType(
    {
        "additive": _additive,
        "low-noise": _low_noise,
        "net-order": _net_order,
        "acyclic": _acyclic,
        "any": _any,
    }
)
