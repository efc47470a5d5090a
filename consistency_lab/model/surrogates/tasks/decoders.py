"""Decoders: how scores become a prediction; RAT13 Algorithm 1 among them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations, pairwise, permutations, product
from types import MappingProxyType
from typing import Final

from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen
from consistency_lab.model.distribution import Edge
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.surrogates.tasks.means import FactorSurrogate, MapRegression, PairRegression
from consistency_lab.model.tasks.task import Prediction, Task, certainly_above
from consistency_lab.numbers.exact import ONE, ZERO
from consistency_lab.numbers.normal_form import certainly_equal
from consistency_lab.numbers.tape import Real

# --- RAT13 Algorithm 1: the lightest edges go until no cycle is left; then any order along the rest ------

Face = tuple[tuple[Fraction, ...], Fraction]
"""w and b of the half-space <w, u> + b >= 0."""

Scores = Sequence[Fraction]


def algorithm_1(u: Scores, m: int) -> tuple[Prediction, ...]:
    """What may be returned, with every way to break ties."""
    return tuple(sorted({t for _, _, orders in _endings(u, m) for t in orders}))


def algorithm_1_cell(u: Scores, prediction: Prediction) -> tuple[Face, ...]:
    """A polyhedron around the scores in which a prediction that may be returned there may be returned."""
    # Where edges were deleted, those without weight come first in it, then these in their order, then the
    # others: the algorithm deletes the same edges, and leaves the same.
    m = len(prediction)
    number = {pair: k for k, pair in enumerate(permutations(range(m), 2))}

    def weight(i: int, j: int) -> list[Fraction]:
        row = [Fraction(0)] * len(number)
        row[number[i, j]], row[number[j, i]] = ONE, -ONE
        return row

    along = list(combinations(prediction, 2))
    deleted, kept, _ = next(ending for ending in _endings(u, m) if prediction in ending[2])
    if not deleted:
        return tuple((tuple(weight(*pair)), Fraction(0)) for pair in along)
    flat = [(i, j) for i, j in along if u[number[i, j]] == u[number[j, i]]]
    rising = [weight(*edge) for edge in (*flat, *deleted)]
    above = [(low, high) for low, high in pairwise(rising)]
    above += [(rising[-1], weight(*edge)) for edge in sorted(kept)]
    rows = [rising[0], *([y - x for x, y in zip(low, high, strict=True)] for low, high in above)]
    return tuple((tuple(row), Fraction(0)) for row in rows)


def _endings(u: Scores, m: int) -> Iterator[tuple[tuple[Edge, ...], frozenset[Edge], list[Prediction]]]:
    """Edges deleted one after the other, the edges that are left, and the orders along these."""
    weight = dict(zip(permutations(range(m), 2), u, strict=True))
    edges = {(i, j): weight[i, j] - weight[j, i] for i, j in weight if weight[i, j] > weight[j, i]}
    seen: set[frozenset[Edge]] = set()
    waiting: list[tuple[tuple[Edge, ...], frozenset[Edge]]] = [((), frozenset(edges))]
    while waiting:
        deleted, kept = waiting.pop()
        if kept in seen:
            continue
        seen.add(kept)
        orders = [t for t in permutations(range(m)) if not any((b, a) in kept for a, b in combinations(t, 2))]
        if orders:
            yield deleted, kept, orders
        else:
            least = min(edges[edge] for edge in kept)
            waiting += [((*deleted, edge), kept - {edge}) for edge in kept if edges[edge] == least]


# --- Decoders: which predictions scores may become, when ties may be broken in any way -------------------
# A prediction may be returned at u if u lies in its closed cell. RAT13's calibration asks for an infimum over
# the wrong cells, which is the same over their closures, so this is not pessimism but the definition.


@frozen
class Decoder:
    """One way to decode."""

    #: What the command line and what a table calls it.
    name: str
    title: str
    fits: Callable[[TaskSurrogate, Task], str]  #: Why it does not fit a surrogate and a task, or "".
    #: The half-spaces of the closed cell of a prediction; None where cells are not polyhedra.
    cell: Callable[[TaskSurrogate, Task, Prediction], tuple[Face, ...]] | None
    cost: str  #: What decoding takes, in words.

    def returns(self, surrogate: TaskSurrogate, task: Task, u: Scores) -> tuple[Prediction, ...]:
        """All predictions that may be returned at exact scores."""
        if self.cell is None:
            return algorithm_1(u, task.space.m)
        return tuple(
            t
            for t in task.predictions
            if all(
                sum((x * y for x, y in zip(w, u, strict=True)), b) >= 0
                for w, b in self.cell(surrogate, task, t)
            )
        )


def returned_at(surrogate: TaskSurrogate, task: Task, u: Sequence[Real]) -> tuple[Prediction, ...]:
    """What may be returned at scores that are perhaps irrational; nothing where it is left open."""
    decoder = decoder_for(surrogate, task)
    exact = [x for x in u if isinstance(x, Fraction)]
    if len(exact) == len(u):
        return decoder.returns(surrogate, task, exact)
    if decoder.name != "sort":
        return ()
    order = sorted(range(len(u)), key=lambda i: -float(u[i]))
    levels = [order[:1]]
    for i, j in pairwise(order):
        if certainly_equal(u[i], u[j]):
            levels[-1].append(j)
        elif certainly_above(u[i], u[j]):
            levels.append([j])
        else:
            return ()
    return tuple(
        tuple(chain.from_iterable(t)) for t in product(*(permutations(sorted(one)) for one in levels))
    )


def cell_at(surrogate: TaskSurrogate, task: Task, prediction: Prediction, u: Scores) -> tuple[Face, ...]:
    """Half-spaces that hold the scores, and in which the prediction may be returned."""
    decoder = decoder_for(surrogate, task)
    if prediction not in decoder.returns(surrogate, task, u):
        raise InputError(
            f"the decoder {decoder.name} does not return {task.prediction_text(prediction)} here"
        )
    if decoder.cell is not None:
        return decoder.cell(surrogate, task, prediction)
    return algorithm_1_cell(u, prediction)


def _difference(d: int, i: int, j: int) -> Face:
    w = [ZERO] * d
    w[i], w[j] = Fraction(1), Fraction(-1)
    return tuple(w), ZERO


def _sort_cell(surrogate: TaskSurrogate, task: Task, t: Prediction) -> tuple[Face, ...]:
    return tuple(_difference(task.space.m, i, j) for i, j in pairwise(t))


def _argmax_cell(surrogate: TaskSurrogate, task: Task, t: Prediction) -> tuple[Face, ...]:
    m = task.space.m
    return tuple(_difference(m, t[0], k) for k in range(m) if k != t[0])


def _diagonal_cell(surrogate: TaskSurrogate, task: Task, t: Prediction) -> tuple[Face, ...]:
    names = surrogate.coordinates(task)
    place = [names.index(f"{i + 1},{i + 1}") for i in range(task.space.m)]
    return tuple(_difference(len(names), place[i], place[j]) for i, j in pairwise(t))


def _linear_cell(surrogate: TaskSurrogate, task: Task, t: Prediction) -> tuple[Face, ...]:
    assert isinstance(surrogate, FactorSurrogate)
    beta, b = surrogate.column(task, t)
    found = []
    for other in task.predictions:
        if other != t:
            column, offset = surrogate.column(task, other)
            found.append((tuple(y - x for x, y in zip(beta, column, strict=True)), offset - b))
    return tuple(found)


def _scores_of_items(surrogate: TaskSurrogate, task: Task) -> str:
    if task.space.kind in ("classes", "rows"):
        return f"its predictions are rankings, but the labels of {task.title} are {task.space.kind}"
    if len(surrogate.coordinates(task)) != task.space.m:
        return f"{surrogate.name} does not have one score an item"
    return ""


def _classes(surrogate: TaskSurrogate, task: Task) -> str:
    return "" if task.space.kind == "classes" else f"it picks a class, and {task.title} has none"


def _only(kind: type[TaskSurrogate], lacks: str) -> Callable[[TaskSurrogate, Task], str]:
    return lambda surrogate, task: "" if isinstance(surrogate, kind) else f"{surrogate.name} has no {lacks}"


_DIAGONAL: Final = _only(MapRegression, "scores u_ii to sort")
_FACTORS: Final = _only(FactorSurrogate, "factor beta to decode by")
_PAIRS: Final = _only(PairRegression, "scores u_ij of pairs")

DECODERS: Final[Mapping[str, Decoder]] = MappingProxyType(
    {
        line.name: line
        for line in (
            Decoder("sort", "sort by score", _scores_of_items, _sort_cell, "sorting"),
            Decoder("argmax", "the largest score", _classes, _argmax_cell, "one pass"),
            Decoder("diagonal", "sort by u_ii (predMAP)", _DIAGONAL, _diagonal_cell, "sorting"),
            Decoder(
                "linear",
                "argmin over t of <u, beta_t> + b_t",
                _FACTORS,
                _linear_cell,
                "a search over all predictions (for rankings NP-hard in general)",
            ),
            Decoder("algorithm-1", "RAT13 Algorithm 1", _PAIRS, None, "sorting the pairs"),
        )
    }
)
"""Decoders by name."""

_OTHER_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {"mwfas": "linear", "qap": "linear", "predmap": "diagonal", "topological": "algorithm-1"}
)


def decoder_name(name: str) -> str:
    """The name of the table for a name that a user types."""
    key = _OTHER_NAMES.get(name.lower(), name.lower())
    if key not in DECODERS:
        raise InputError(f"there is no decoder {name!r}; the decoders are {', '.join(DECODERS)}")
    return key


def decoder_for(surrogate: TaskSurrogate, task: Task) -> Decoder:
    """The decoder of a surrogate, if it fits."""
    found = DECODERS[surrogate.decoder]
    why = found.fits(surrogate, task)
    if why:
        raise InputError(f"the decoder {found.name} does not fit: {why}")
    return found
