"""What is known of the smallest witnesses, total weight by total weight."""

from dataclasses import dataclass
from typing import final

from consistency_lab.certify.witness import Witness
from consistency_lab.model.surrogates import Surrogate


@final
@dataclass(frozen=True, slots=True)
class Level:
    """What is known of all aggregates of one total weight.

    Parameters
    ----------
    total
        The total weight.
    aggregates
        How many there are, up to relabeling and without multiples of smaller ones.
    screened
        For how many of them the minimizer in floats looks wrong, or tied.
    certified_right
        Where the surrogate is proved to be right.
    ties
        Where it is proved to be wrong by a tie only: the minimizer is the only one, and inverts no pair.
    wrong
        Other witnesses.
    escapes
        Where Definition 2 fails at infinity only: a strong component of fewer items has a proved tie, and the
        rest runs away from it in the right order (`components`), so no finite scores are a witness.
    open
        The rest: not decided.
    """

    total: int
    aggregates: int
    screened: int
    certified_right: int
    ties: int
    wrong: int
    escapes: int
    open: int


@final
@dataclass(frozen=True, slots=True)
class Smallest:
    """The smallest witnesses with a given number of items.

    Parameters
    ----------
    surrogate, condition, m
        The question.
    witness, total
        The lightest witness that the core accepts, tie or inversion, and its total weight; None if none
        was found.
    proved
        Whether no witness is lighter, for certain; without a witness: whether there is none at all.
    strict, strict_total, strict_proved
        The same for strict inversions.
    levels
        What was gone through, by total weight.
    note
        What is proved and what is not, in words.
    """

    surrogate: Surrogate
    condition: str
    m: int
    witness: Witness | None
    total: int | None
    proved: bool
    strict: Witness | None
    strict_total: int | None
    strict_proved: bool
    levels: tuple[Level, ...]
    note: str

    @property
    def open(self) -> int:
        """How many aggregates lighter than the witness are not decided."""
        return sum(level.open for level in self.levels if self.total is None or level.total < self.total)
