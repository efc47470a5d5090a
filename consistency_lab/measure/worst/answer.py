"""What is known of a worst case: a bracket, a witness at its lower end, and what was seen besides."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

from consistency_lab.certify.witness import Witness
from consistency_lab.model.surrogates import Surrogate

STRICT: Final = "strict"
APPROACHED: Final = "only approached at a tie"
TIE: Final = "only at a tie"
UNKNOWN: Final = "unknown"


@final
@dataclass(frozen=True, slots=True)
class ClosedForm:
    """An algebraic number that the worst case is, or seems to be.

    Parameters
    ----------
    text
        A formula, or the polynomial whose root it is.
    value
        Its decimals.
    proved
        False: the number was recognized from its decimals, and is conjectured.
    """

    text: str
    value: str
    proved: bool


@final
@dataclass(frozen=True, slots=True)
class WorstCase:
    """sup of the normalized regret over all p in a condition and all scores that minimize W(p, .).

    The upper end covers minimizing sequences too, whose scores may move apart without end.

    The regret of scores is that of `scores_loss`: a tie puts the higher index first. As a condition does not
    depend on the names of the items, each way of breaking a tie occurs under some naming, and the supremum is
    one over the worst ways.

    Parameters
    ----------
    surrogate, condition, m
        The question.
    lower
        The normalized regret that `witness` proves of every minimizer; 0 if none was found.
    upper
        Proved: no regret is larger. None if nothing was proved.
    witness
        Accepted by the core, at the lower end.
    attained
        "strict": the best scores have no tie; proved if `shown_strict`. The others are what floats see, not a
        proof. "only approached at a tie": the best scores have one, and failures under every tie rule come
        close to it. "only at a tie": those stay below. "unknown" otherwise.
    strict
        A float: the worst regret seen at scores without ties (gaps of at least 10^-4), `upper` at most.
    closed_form
        The number itself, where it was recognized.
    boxes
        How many boxes of score gaps were bounded.
    finished
        Whether upper is within the relative width that was asked for.
    note
        What else is to be said, in a sentence.
    """

    surrogate: Surrogate
    condition: str
    m: int
    lower: Fraction
    upper: Fraction | None
    witness: Witness | None
    attained: str
    strict: float | None
    closed_form: ClosedForm | None
    boxes: int
    finished: bool
    note: str

    @property
    def shown_strict(self) -> bool:
        """Whether the witness is a strict inversion, of one minimizer at least, with the worst regret."""
        return (
            self.witness is not None
            and self.witness.verified.failure == STRICT
            and self.lower == self.upper
            and self.attained == STRICT
        )
