"""What "smaller" means for a witness, in one place.

The *total weight* of a distribution is the sum of its aggregate a_ij in the smallest whole numbers with the
same proportions: how many preferences a person has to write down. Of two witnesses the smaller one

1. has fewer items;
2. is a strict inversion, where the other is a tie (an inversion is wrong under every tie rule);
3. has the smaller total weight;
4. has fewer edges, that is pairs (i, j) with a_ij > 0, counted once for each graph;
5. has fewer graphs;
6. has the larger certified gap.

The search keeps the smaller of two witnesses, shrinking goes on while it finds a smaller one, and
`measure.smallest` goes through all total weights in turn, for ties and inversions alike.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from consistency_lab.certify.witness import Witness
from consistency_lab.exact import integer_multiple


@final
@dataclass(frozen=True, order=True)
class Size:
    """The size of a witness; smaller compares less, in the order of the fields.

    Parameters
    ----------
    items
        How many items.
    tie
        Whether it is only a tie.
    weight
        The total weight.
    edges, graphs
        How many there are.
    minus_gap
        Minus the certified gap, 0 where there is none.
    """

    items: int
    tie: bool
    weight: int
    edges: int
    graphs: int
    minus_gap: Fraction


def size(witness: Witness) -> Size:
    """The size of a witness.

    Examples
    --------
    >>> from consistency_lab.certify.witness import certify
    >>> from consistency_lab.model.distribution import Distribution
    >>> from consistency_lab.model.surrogates import surrogate
    >>> p = Distribution.from_aggregate([[0, 1, 6], [0, 0, 2], [3, 0, 0]])
    >>> found = size(certify(surrogate("logistic"), p))
    >>> found.items, found.tie, found.weight, found.edges
    (3, False, 12, 4)
    """
    p = witness.distribution
    return Size(
        items=p.m,
        tie=witness.verified.failure == "tie",
        weight=total_weight(p.aggregate),
        edges=sum(len(tuple(graph)) for graph in p.graphs),
        graphs=len(p.graphs),
        minus_gap=-(witness.verified.gap or Fraction(0)),
    )


def total_weight(a: Sequence[Sequence[Fraction]]) -> int:
    """The sum of an aggregate in the smallest whole numbers with the same proportions.

    Examples
    --------
    >>> total_weight([[Fraction(0), Fraction(1, 2)], [Fraction(3, 4), Fraction(0)]])
    5
    """
    return sum(integer_multiple(x for row in a for x in row)[0])
