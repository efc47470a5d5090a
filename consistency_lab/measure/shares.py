"""Estimated shares of failures, with their intervals."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from consistency_lab.certify.witness import Witness
from consistency_lab.measure.wilson import wilson
from consistency_lab.model.surrogates import Surrogate


@final
@dataclass(frozen=True, slots=True)
class Share:
    """An estimated share of failures.

    Parameters
    ----------
    margin
        All |d_ij| were at least this share of the total weight; 0 for the whole condition.
    samples, failures, strict
        How many were drawn, on how many the surrogate fails, and on how many by a strict inversion.
    share, interval
        The estimate, None without samples, and its 95 % interval (Wilson).
    """

    margin: Fraction
    samples: int
    failures: int
    strict: int
    share: float | None
    interval: tuple[float, float]

    @staticmethod
    def of(margin: Fraction, samples: int, failures: int, strict: int) -> "Share":
        """The share of so many failures."""
        estimate = failures / samples if samples else None
        return Share(margin, samples, failures, strict, estimate, wilson(failures, samples))

    @property
    def ties(self) -> int:
        """On how many it fails by a tie."""
        return self.failures - self.strict


@final
@dataclass(frozen=True, slots=True)
class Rate:
    """How often a surrogate fails under a condition.

    Parameters
    ----------
    surrogate, condition, m
        The question.
    overall
        The share of the condition's normalized polytope.
    by_margin
        The same where all differences are bounded away from zero, smallest margin first.
    witnesses
        A certified witness near a failing sample, for strict inversions and ties, where one was found.
    method
        How the samples were drawn.
    proved_zero
        A theorem that proves the surrogate consistent, or None.
    note
        What the numbers are, in words.
    """

    surrogate: Surrogate
    condition: str
    m: int
    overall: Share
    by_margin: tuple[Share, ...]
    witnesses: tuple[Witness, ...]
    method: str
    proved_zero: str | None
    note: str
