"""Check one statement of the theorem book, with the time it took and whatever went wrong."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import perf_counter
from typing import final

from consistency_lab.book.book import statement
from consistency_lab.book.statement import Checked, FalseVariant, Outcome, Refutation


@final
@dataclass(frozen=True, slots=True)
class Examined:
    """What became of one statement; it can be sent from one process to another.

    Parameters
    ----------
    name, title
        As in the book.
    claimed
        The outcome that the book expects.
    checked
        What the check found; None if it ended in an error.
    seconds
        How long that took.
    variants
        False variants and what became of them; empty if they were not asked for.
    error
        What went wrong, or "".
    """

    name: str
    title: str
    claimed: Outcome
    checked: Checked | None
    seconds: float
    variants: tuple[tuple[str, Refutation], ...] = ()
    error: str = ""

    @property
    def as_claimed(self) -> bool:
        """Whether the outcome is what the book claims, and every false variant that was tried is refuted."""
        return (
            self.checked is not None
            and self.checked.outcome is self.claimed
            and all(refutation.refuted for _, refutation in self.variants)
        )


def examine(name: str, variants: bool = False) -> Examined:
    """Check a statement, and its false variants too if they are asked for.

    An error does not pass: one statement must not stop a whole book.

    Raises
    ------
    InputError
        If there is no such statement.
    """
    asked = statement(name)
    start = perf_counter()
    checked, error = _attempt(asked.check)
    refutations = tuple(_refuted(asked.variants)) if variants and checked is not None else ()
    return Examined(name, asked.title, asked.claimed, checked, perf_counter() - start, refutations, error)


def failed(name: str, error: str) -> Examined:
    """What became of a statement whose check never answered.

    Raises
    ------
    InputError
        If there is no such statement.
    """
    asked = statement(name)
    return Examined(name, asked.title, asked.claimed, None, 0.0, (), error)


def _attempt(check: Callable[[], Checked]) -> tuple[Checked | None, str]:
    try:
        return check(), ""
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"


def _refuted(variants: Iterable[FalseVariant]) -> Iterable[tuple[str, Refutation]]:
    for variant in variants:
        try:
            refutation = variant.refute()
        except Exception as error:
            refutation = Refutation(refuted=False, witness=f"{type(error).__name__}: {error}")
        yield variant.statement, refutation
