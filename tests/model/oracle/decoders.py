"""Which predictions a decoder may return at given scores: ties go any way, so closed cells are meant."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from itertools import combinations_with_replacement, pairwise, permutations
from typing import Final

from .numbers import Misfit, Number, dot, plus, ranks, sign, times
from .surrogates import Form
from .targets import Prediction, Target

Forms = Callable[[Prediction], Form]
Edges = frozenset[tuple[int, int]]


def _sort(u: Sequence[Number], target: Target, forms: Forms | None) -> tuple[Prediction, ...]:
    """All orders in which the scores do not rise."""
    if not target.ranks or len(u) != target.m:
        raise Misfit("the decoder sort needs one score an item")
    rank = ranks(u)
    return tuple(t for t in target.predictions if all(rank[i] >= rank[j] for i, j in pairwise(t)))


def _diagonal(u: Sequence[Number], target: Target, forms: Forms | None) -> tuple[Prediction, ...]:
    """Sort by u_ii (RAT13 Theorem 4)."""
    pairs = combinations_with_replacement(range(target.m), 2)
    return _sort([x for x, (i, j) in zip(u, pairs, strict=True) if i == j], target, forms)


def _argmax(u: Sequence[Number], target: Target, forms: Forms | None) -> tuple[Prediction, ...]:
    """All classes of largest score."""
    if target.ranks or len(u) != len(target.predictions):
        raise Misfit("the decoder argmax needs one score a class")
    rank = ranks(u)
    return tuple((k,) for k, place in enumerate(rank) if place == max(rank))


def _linear(u: Sequence[Number], target: Target, forms: Forms | None) -> tuple[Prediction, ...]:
    """All t that minimize <u, beta_t> + offset_t."""
    if forms is None:
        raise Misfit("this surrogate has no linear decoder")
    values = [plus(offset, dot(u, beta)) for beta, offset in map(forms, target.predictions)]
    rank = ranks(values)
    return tuple(t for t, place in zip(target.predictions, rank, strict=True) if place == min(rank))


def _algorithm_1(u: Sequence[Number], target: Target, forms: Forms | None) -> tuple[Prediction, ...]:
    """Delete edges of (u_ij - u_ji)_+ from the lightest on until no cycle is left; any order along the rest.

    RAT13 Algorithm 1; of edges of equal weight any may go first.
    """
    scores = dict(zip(permutations(range(target.m), 2), u, strict=True))
    gaps = {(i, j): plus(x, times(Fraction(-1), scores[j, i])) for (i, j), x in scores.items()}
    weights = {pair: gap for pair, gap in gaps.items() if sign(gap) > 0}
    rank = dict(zip(weights, ranks(list(weights.values())), strict=True))
    final: set[Edges] = set()
    seen: set[Edges] = set()
    waiting = [frozenset(weights)]
    while waiting:
        edges = waiting.pop()
        if edges in seen:
            continue
        seen.add(edges)
        if acyclic(edges):
            final.add(edges)
            continue
        lightest = min(rank[edge] for edge in edges)
        waiting += [edges - {edge} for edge in edges if rank[edge] == lightest]
    return tuple(
        t
        for t in target.predictions
        if any(all(t.index(i) < t.index(j) for i, j in edges) for edges in final)
    )


def acyclic(edges: Edges) -> bool:
    """Whether no edges run in a circle."""
    before: dict[int, list[int]] = {}
    for i, j in edges:
        before.setdefault(j, []).append(i)
    try:
        TopologicalSorter(before).prepare()
    except CycleError:
        return False
    return True


DECODERS: Final[Mapping[str, Callable[[Sequence[Number], Target, Forms | None], tuple[Prediction, ...]]]] = {
    "sort": _sort,
    "argmax": _argmax,
    "diagonal": _diagonal,
    "linear": _linear,
    "algorithm-1": _algorithm_1,
}
"""Decoders by name; each raises Misfit if balls do not tell which numbers are larger."""
