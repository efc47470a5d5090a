"""What "smaller" means for a witness about labels, in one place."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from consistency_lab.exact import integer_multiple
from consistency_lab.model.tasks.labels import Label
from consistency_lab.proofs.task_proof import LabelWitness
from consistency_lab.search.labels.grid import height


@final
@dataclass(frozen=True, order=True)
class LabelSize:
    """The size of a witness; smaller compares less.

    A strict failure before a tie (it is wrong under every tie rule), then fewer labels, a smaller sum of the
    probabilities in whole numbers, smaller grades (more exactly: the sum of the numbers that the labels
    consist of), simpler scores, and last the texts, so that no two witnesses are equally small.
    """

    tie: bool
    labels: int
    weight: int
    grades: int
    height: int
    text: tuple[tuple[int, ...], ...]


def label_size(witness: LabelWitness) -> LabelSize:
    """The size of a witness."""
    counted = counted_size(witness.weights, witness.strict)
    return LabelSize(*counted, height(witness.scores or ()), tuple(witness.weights))


def counted_size(weights: Mapping[Label, Fraction], strict: bool) -> tuple[bool, int, int, int]:
    """The first four fields of `LabelSize`: what needs no scores.

    Examples
    --------
    >>> counted_size({(0, 2): Fraction(1, 3), (1, 0): Fraction(2, 3)}, strict=True)
    (False, 2, 3, 3)
    """
    whole, _ = integer_multiple(weights.values())
    return not strict, len(weights), sum(whole), sum(map(sum, weights))
