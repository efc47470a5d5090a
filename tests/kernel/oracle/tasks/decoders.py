"""Which predictions a decoder may return at given scores: ties go any way, so closed cells are meant."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cmp_to_key
from graphlib import CycleError, TopologicalSorter
from itertools import combinations_with_replacement, pairwise, permutations
from types import MappingProxyType
from typing import Final

from consistency_lab.core.numbers import Real, compare, plus, times, total
from consistency_lab.errors import RejectedError
from consistency_lab.exact import LogRational

from .family import Form
from .target import Prediction, Target

Forms = Callable[[Prediction], Form]
Edges = frozenset[tuple[int, int]]


def levels(scores: Sequence[LogRational]) -> tuple[Fraction, ...]:
    """Small integers in the order of exact scores, equal for equal ones.

    Examples
    --------
    >>> levels([LogRational.parse("log(3)"), LogRational.parse("1"), LogRational.parse("log(3)")])
    (Fraction(1, 1), Fraction(0, 1), Fraction(1, 1))
    """
    rising = sorted(set(scores))
    return tuple(Fraction(rising.index(score)) for score in scores)


def _sort(u: Sequence[Real], target: Target, forms: Forms | None) -> tuple[Prediction, ...]:
    """All orders in which the scores do not rise."""
    if not target.ranks or len(u) != target.space.m:
        raise RejectedError("the decoder sort needs one score an item")
    rank = _ranks(u)
    return tuple(t for t in target.predictions if all(rank[i] >= rank[j] for i, j in pairwise(t)))


def _diagonal(u: Sequence[Real], target: Target, forms: Forms | None) -> tuple[Prediction, ...]:
    """Sort by u_ii (RAT13 Theorem 4)."""
    pairs = combinations_with_replacement(range(target.space.m), 2)
    return _sort([x for x, (i, j) in zip(u, pairs, strict=True) if i == j], target, forms)


def _argmax(u: Sequence[Real], target: Target, forms: Forms | None) -> tuple[Prediction, ...]:
    """All classes of largest score."""
    if target.ranks or len(u) != len(target.predictions):
        raise RejectedError("the decoder argmax needs one score a class")
    rank = _ranks(u)
    return tuple((k,) for k, place in enumerate(rank) if place == max(rank))


def _linear(u: Sequence[Real], target: Target, forms: Forms | None) -> tuple[Prediction, ...]:
    """All t that minimize <u, beta_t> + offset_t."""
    if forms is None:
        raise RejectedError("this surrogate has no linear decoder")
    values = []
    for t in target.predictions:
        beta, offset = forms(t)
        values.append(plus(offset, total(times(x, b) for x, b in zip(u, beta, strict=True))))
    rank = _ranks(values)
    return tuple(t for t, place in zip(target.predictions, rank, strict=True) if place == min(rank))


def _algorithm_1(u: Sequence[Real], target: Target, forms: Forms | None) -> tuple[Prediction, ...]:
    """Delete edges of (u_ij - u_ji)_+ from the lightest on until no cycle is left; any order along the rest.

    RAT13 Algorithm 1; of edges of equal weight any may go first.
    """
    m = target.space.m
    scores = dict(zip(permutations(range(m), 2), u, strict=True))
    weights = {
        (i, j): plus(x, times(Fraction(-1), scores[j, i]))
        for (i, j), x in scores.items()
        if compare(x, scores[j, i], f"u_{i}{j} - u_{j}{i}") > 0
    }
    rank = dict(zip(weights, _ranks(list(weights.values())), strict=True))
    # At most one of i → j and j → i has a positive weight: for 5 items there are no more than 2^10 graphs.
    final: set[Edges] = set()
    seen: set[Edges] = set()
    waiting = [frozenset(weights)]
    while waiting:
        edges = waiting.pop()
        if edges in seen:
            continue
        seen.add(edges)
        if _acyclic(edges):
            final.add(edges)
            continue
        lightest = min(rank[edge] for edge in edges)
        waiting += [edges - {edge} for edge in edges if rank[edge] == lightest]
    return tuple(
        t
        for t in target.predictions
        if any(all(t.index(i) < t.index(j) for i, j in edges) for edges in final)
    )


Decoder = Callable[[Sequence[Real], Target, Forms | None], tuple[Prediction, ...]]

DECODERS: Final[Mapping[str, Decoder]] = MappingProxyType(
    {
        "sort": _sort,
        "argmax": _argmax,
        "diagonal": _diagonal,
        "linear": _linear,
        "algorithm-1": _algorithm_1,
    }
)
"""Decoders by name; each raises RejectedError if balls do not tell which numbers are larger."""


def _ranks(numbers: Sequence[Real]) -> list[int]:
    """A small integer for each number, in their order, equal for equal numbers."""

    def against(i: int, j: int) -> int:
        return compare(numbers[i], numbers[j], f"the difference of the numbers {i} and {j}")

    rising = sorted(range(len(numbers)), key=cmp_to_key(against))
    ranks = [0] * len(numbers)
    for lower, higher in pairwise(rising):
        ranks[higher] = ranks[lower] + (against(lower, higher) < 0)
    return ranks


def _acyclic(edges: Edges) -> bool:
    before: dict[int, list[int]] = {}
    for i, j in edges:
        before.setdefault(j, []).append(i)
    try:
        TopologicalSorter(before).prepare()
    except CycleError:
        return False
    return True
