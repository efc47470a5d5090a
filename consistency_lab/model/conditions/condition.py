"""What a noise condition is: all that is known of it, told once."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

from consistency_lab.exact import integer_multiple
from consistency_lab.model.cones import Cone
from consistency_lab.model.posets import Relation, chain

Entries = Sequence[Sequence[Any]]
"""A square matrix of numbers, or of NumPy arrays of numbers: of many matrices at once."""

Pair = tuple[int, int]


def every(facts: Iterable[Any]) -> Any:
    """All of the facts, each a truth value or an array of them; "p implies q" is written p <= q.

    A truth value that is false ends it: of hundreds of items most triples need not be looked at.

    Examples
    --------
    >>> every(n <= 2 for n in (1, 2)), every([])
    (True, True)
    """
    found: Any = True
    for fact in facts:
        found = found & fact
        if found is False:
            break
    return found


def whole(a: Sequence[Sequence[Fraction | int]]) -> list[list[int]]:
    """The smallest whole numbers in the proportions of an aggregate, on which the tests are quickest.

    Examples
    --------
    >>> whole([[0, Fraction(1, 2)], [1, 0]])
    [[0, 1], [2, 0]]
    """
    m = len(a)
    numbers, _ = integer_multiple(x if isinstance(x, Fraction) else Fraction(x) for row in a for x in row)
    return [numbers[i * m : (i + 1) * m] for i in range(m)]


def only_chain(m: int) -> tuple[Relation, ...]:
    """The shape of all pairs i < j: its closed cones contain those of other shapes."""
    return (chain(m),)


@final
@dataclass(frozen=True, slots=True)
class Condition:
    """One noise condition on the aggregate a of a distribution; it is the same for every multiple of a.

    Parameters
    ----------
    name, title
        What the command line and what a table calls it.
    statement, words
        The condition in LaTeX, and in plain text.
    citation
        Where it comes from.
    larger
        The names of the next larger conditions, which follow from it.
    test
        Whether a has it; the entries may be arrays, and then the answer is one.
    rows
        What a shape of the difference graph does not yet say of the condition, as linear forms in d_ij =
        a_ij - a_ji; None if it is not about d alone, or not polyhedral.
    shapes
        The shapes on m items whose cones together are the condition, up to relabeling; None where d is not
        confined to such a union.
    closed
        The fewest shapes whose closed cones together are its closure, if those are fewer.
    opened
        The shapes whose open cones together are the condition, if those of `shapes` are so only when closed.
    steps
        Groups of edges whose sums, with any pairs of opposite edges, are all aggregates that have it, fewer
        than single edges are; None for these.
    usual
        Whether it is asked about where nobody names a condition.
    """

    name: str
    title: str
    statement: str
    words: str
    citation: str
    larger: tuple[str, ...]
    test: Callable[[Entries], Any]
    rows: Callable[[Relation, int], Cone] | None = None
    shapes: Callable[[int], tuple[Relation, ...]] | None = None
    closed: Callable[[int], tuple[Relation, ...]] | None = None
    opened: Callable[[int], tuple[Relation, ...]] | None = None
    steps: Callable[[int], list[list[Pair]]] | None = None
    usual: bool = True

    def holds(self, a: Sequence[Sequence[Fraction | int]]) -> bool:
        """The exact test on an aggregate.

        Examples
        --------
        >>> from consistency_lab.model.conditions.low_noise import LOW_NOISE
        >>> LOW_NOISE.holds([[0, 1, 2], [0, 0, 1], [0, 0, 0]])
        True
        """
        return bool(self.test(whole(a)))

    @property
    def of_differences(self) -> bool:
        """Whether it is about d alone, and its cones are known."""
        return self.rows is not None
