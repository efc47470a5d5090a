"""What the kernel says of a witness about a prediction task; apart from its checker, which is large."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

TASK_FORMAT: Final = "consistency-lab/task-witness/1"
WRONG_EQUILIBRIUM: Final = "wrong-equilibrium"


@final
@dataclass(frozen=True, slots=True)
class VerifiedTask:
    """What a witness about a task proves.

    Parameters
    ----------
    claim
        "inconsistent" or "wrong-equilibrium".
    failure
        "strict" if every prediction that the decoder may return is worse, and else "tie".
    regret
        E(loss of the prediction) - E(loss of the better one), or a little less where that is irrational.
    target, surrogate, family, decoder, condition, certificate
        Their names; that of the surrogate is the file's own.
    m
        The number of items, classes or rows.
    labels
        The number of labels of positive probability.
    attracting
        Whether the equilibrium is proved to be attracting; None where there is no field.
    convexity
        How the convexity of the scalar functions was proved.
    """

    claim: str
    failure: str
    regret: Fraction
    target: str
    surrogate: str
    family: str
    decoder: str
    condition: str
    certificate: str
    m: int
    labels: int
    attracting: bool | None
    convexity: tuple[str, ...]
