"""How much may be spent on a search, and how much has been."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import final

from consistency_lab.errors import InputError


@final
@dataclass
class Effort:
    """A budget and its counters; the only object of a search that changes.

    Parameters
    ----------
    seconds
        How long all searches together may take.
    report
        Called now and then with a short text for a progress bar.

    Attributes
    ----------
    distributions, programs, certificates
        How many distributions were minimized, linear programs solved, certificates built.
    interrupted
        Whether the user has interrupted.
    until
        When the share of the present search ends; None for the whole budget.
    cut
        Whether an earlier search used up its share.
    """

    seconds: float = 20.0
    report: Callable[[str], None] | None = None
    started: float = field(default_factory=monotonic)
    distributions: int = 0
    programs: int = 0
    certificates: int = 0
    interrupted: bool = False
    until: float | None = None
    cut: bool = False

    @property
    def spent(self) -> float:
        """Seconds since the start."""
        return monotonic() - self.started

    @property
    def expired(self) -> bool:
        """Whether this search has used up its share, or the user has interrupted."""
        return self.interrupted or self._over

    @property
    def used_up(self) -> bool:
        """Whether the budget has ended a search: this one, or an earlier one at the end of its share.

        Examples
        --------
        >>> effort = Effort(seconds=-1.0)
        >>> effort.ration(1)
        >>> effort.used_up, effort.ending
        (True, 'budget used up; ')
        """
        return self.cut or self._over

    @property
    def _over(self) -> bool:
        return self.spent > (self.seconds if self.until is None else self.until)

    @property
    def ending(self) -> str:
        """Why a search stopped before its end, to stand before what it did; "" if it did not."""
        if self.interrupted:
            return "interrupted; "
        if not self._over:
            return ""
        return "budget used up; " if self.spent > self.seconds else "its share of the budget used up; "

    def ration(self, parts: int) -> None:
        """Let the next search have one of so many equal parts of what is left."""
        self.cut = self.used_up
        self.until = self.spent + max(self.seconds - self.spent, 0.0) / parts

    @contextmanager
    def part(self, share: float) -> Iterator[None]:
        """Within it, this share of what the present search has left."""
        end = self.until
        left = (self.seconds if end is None else end) - self.spent
        self.until = self.spent + max(left, 0.0) * share
        try:
            yield
        finally:
            self.cut = self.used_up
            self.until = end

    def say(self, text: str) -> None:
        """Tell the progress bar."""
        if self.report is not None:
            self.report(text)

    def summary(self) -> str:
        """What was done, in words."""
        return (
            f"{self.distributions:,} distributions minimized, {self.programs:,} linear programs, "
            f"{self.certificates:,} certificates"
        )


def as_effort(given: Effort | float | None) -> Effort:
    """An effort as it is, a new one for a number of seconds, and the usual one for None.

    Raises
    ------
    InputError
        If it is anything else.

    Examples
    --------
    >>> as_effort(5).seconds
    5.0
    """
    if isinstance(given, Effort):
        return given
    if given is None:
        return Effort()
    if isinstance(given, bool) or not isinstance(given, int | float) or not given >= 0:
        raise InputError(f"effort is {given!r}; pass a number of seconds, or Effort(seconds=20)")
    return Effort(float(given))
