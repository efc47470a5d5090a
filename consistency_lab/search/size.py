"""What "smaller" means for a witness, in one place."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from consistency_lab.certify.witness import Witness
from consistency_lab.exact import integer_multiple


@final
@dataclass(frozen=True, order=True)
class Size:
    """The size of a witness; smaller compares less.

    Fewer items first, then a strict inversion before a tie (it is wrong under every tie rule), then fewer
    graphs, fewer edges, a smaller total weight in whole numbers, and the larger certified gap.
    """

    items: int
    tie: bool
    graphs: int
    edges: int
    weight: int
    minus_gap: Fraction


def size(witness: Witness) -> Size:
    """The size of a witness.

    Total weight: the sum of p_G a^G_ij over all graphs and edges, in the smallest whole numbers with the
    same proportions.
    """
    p = witness.distribution
    masses = [
        probability * w
        for probability, graph in zip(p.probabilities, p.graphs, strict=True)
        for *_, w in graph
    ]
    return Size(
        items=p.m,
        tie=witness.verified.failure == "tie",
        graphs=len(p.graphs),
        edges=len(masses),
        weight=sum(integer_multiple(masses)[0]),
        minus_gap=-(witness.verified.gap or Fraction(0)),
    )
