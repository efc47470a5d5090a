"""What "smaller" means for a witness about labels, in one place."""

from dataclasses import dataclass
from typing import final

from consistency_lab.certify.tasks import LabelWitness
from consistency_lab.exact import integer_multiple
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
    return LabelSize(
        not witness.strict,
        len(witness.weights),
        sum(integer_multiple(witness.weights.values())[0]),
        sum(map(sum, witness.weights)),
        height(witness.scores),
        tuple(witness.weights),
    )
