"""How much may be spent on a search, and how much has been."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from types import MappingProxyType
from typing import Annotated, Final, final

from consistency_lab.errors import InputError
from consistency_lab.model.checked import between, checked

COST: Final[Mapping[str, float]] = MappingProxyType(
    {"distributions": 5e-6, "programs": 2.5e-4, "certificates": 2e-2, "steps": 1e-6}
)
"""The usual cost of one of each, in seconds of an ordinary machine; the budget counts these."""

SINGLY: Final = 5_000
"""The cost factor of a distribution that cannot be minimized in a batch of thousands."""

EXACT: Final = 12
"""The cost factor of a program solved in rationals."""

OF_LABELS: Final = 0.4
"""The cost factor of a program over labels, for each label."""


LARGEST: Final = 6
"""The most items for which all orders are tried."""

_Done = Annotated[int, between(0, 10**15)]


@final
@checked
@dataclass
class Effort:
    """A budget and its counters; the only object of a search that changes.

    Work is counted, not timed, so that an answer is the same on a slow machine and on a fast one. A clock may
    stop it earlier; then the answer says so.
    """

    #: How much all searches together may do, in seconds of an ordinary machine: each thing that is done has
    #: its `COST`.
    seconds: float = 20.0
    #: Called now and then with a short text: the share of the budget that is used up, and what is searched.
    report: Callable[[str], None] | None = None
    clock: float | None = None  #: Seconds by the clock after which everything stops; None for never.
    started: float = field(default_factory=monotonic)
    #: How many distributions were minimized, linear programs solved, certificates built.
    distributions: int = 0
    programs: int = 0
    certificates: int = 0
    spent: float = 0.0  #: How much of the budget is used up.
    interrupted: bool = False  #: Whether the user has interrupted.
    stopped: bool = False  #: Whether the clock has ended the search.
    until: float | None = None  #: When the share of the present search ends; None for the whole budget.
    cut: bool = False  #: Whether an earlier search used up its share.

    @checked
    def count(
        self,
        *,
        distributions: _Done = 0,
        programs: _Done = 0,
        certificates: _Done = 0,
        steps: _Done = 0,
        each: float = 1.0,
    ) -> None:
        """Say what was done."""
        self.distributions += distributions
        self.programs += programs
        self.certificates += certificates
        done = {"distributions": distributions, "programs": programs, "certificates": certificates}
        self.spent += each * sum(COST[what] * number for what, number in (*done.items(), ("steps", steps)))

    def __getstate__(self) -> dict[str, object]:
        return vars(self) | {"report": None}  # whom to tell is not part of an answer

    @property
    def elapsed(self) -> float:
        """Seconds since the start, by the clock."""
        return monotonic() - self.started

    @property
    def expired(self) -> bool:
        """Whether this search has used up its share, or was stopped by the clock or the user."""
        if self.clock is not None and self.elapsed > self.clock:
            self.stopped = True
        return self.interrupted or self.stopped or self._over

    @property
    def used_up(self) -> bool:
        """Whether the budget has ended a search: this one, or an earlier one at the end of its share."""
        return self.cut or self._over

    @property
    def _over(self) -> bool:
        return self.spent >= (self.seconds if self.until is None else self.until)

    @property
    def ending(self) -> str:
        """Why a search stopped early, as a prefix to what it did; "" if it did not."""
        if self.interrupted:
            return "interrupted; "
        if self.stopped:
            return f"stopped by the clock after {self.clock:g} s, before its budget was used up; "
        if not self._over:
            return ""
        return "budget used up; " if self.spent >= self.seconds else "its share of the budget used up; "

    @checked
    def ration(self, parts: Annotated[int, between(1, 10**6)]) -> None:
        """Give the next search the rest of the budget divided by `parts`."""
        self.cut = self.used_up
        self.until = self.spent + max(self.seconds - self.spent, 0.0) / parts

    @checked
    @contextmanager
    def part(self, share: float) -> Iterator[None]:
        """Limit the block to this share of the current search's remaining budget."""
        end = self.until
        left = (self.seconds if end is None else end) - self.spent
        self.until = self.spent + max(left, 0.0) * share
        try:
            yield
        finally:
            self.cut = self.used_up
            self.until = end

    @checked
    def say(self, text: str) -> None:
        """Update the progress bar."""
        if self.report is not None:
            share = min(self.spent / self.seconds, 1.0) if self.seconds > 0 else 1.0
            self.report(f"{share:4.0%} {text}")

    def summary(self) -> str:
        """What was done, in words."""
        return (
            f"{self.distributions:,} distributions, {self.programs:,} linear programs, "
            f"{self.certificates:,} certificates"
        )


def as_effort(given: Effort | float | None) -> Effort:
    """An effort as it is, a new one for a budget in seconds, and the usual one for None."""
    if isinstance(given, Effort):
        return given
    if given is None:
        return Effort()
    if isinstance(given, bool) or not isinstance(given, int | float) or not given >= 0:
        raise InputError(f"effort is {given!r}; pass a number of seconds, or Effort(seconds=20)")
    return Effort(float(given))


def item_counts(items: Iterable[int] | int) -> tuple[int, ...]:
    """Numbers of items to search with, from one or several."""
    counts = (items,) if isinstance(items, int) or not isinstance(items, Iterable) else tuple(items)
    for m in counts or (items,):
        if type(m) is not int or not 2 <= m <= LARGEST:
            raise InputError(f"the number of items is {m!r}; it must be a whole number from 2 to {LARGEST}")
    return counts
