"""Lines of algebra that SymPy confirms, and findings made of them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, final

from consistency_lab.book.statement import Finding, Kind
from consistency_lab.book.steps import Step


@final
@dataclass(frozen=True, slots=True)
class Line:
    """One line of a proof.

    Parameters
    ----------
    text
        The line, in readable mathematics.
    holds
        Whether it was confirmed.
    """

    text: str
    holds: bool

    def __str__(self) -> str:
        return f"{'✓' if self.holds else '✗'} {self.text}"


Lines = list[Line | str]
"""Checked lines, and lines of text that join them."""


def vanishes(text: str, expression: Any) -> Line:
    """The line that an expression of SymPy is 0 identically.

    Examples
    --------
    >>> from sympy import symbols
    >>> a, b = symbols("a b", real=True)
    >>> print(vanishes("(a+b)² = a² + 2ab + b²", (a + b) ** 2 - a**2 - 2 * a * b - b**2))
    ✓ (a+b)² = a² + 2ab + b²
    >>> vanishes("(a+b)² = a² + b²", (a + b) ** 2 - a**2 - b**2).holds
    False
    """
    from sympy import simplify

    return Line(text, bool(simplify(expression) == 0))


def is_positive(text: str, expression: Any) -> Line:
    """The line that an expression of SymPy is above 0, by the signs that its symbols are known to have.

    Examples
    --------
    >>> from sympy import symbols
    >>> a, b = symbols("a b", positive=True)
    >>> is_positive("a/(a+b) > 0", a / (a + b)).holds, is_positive("a - b > 0", a - b).holds
    (True, False)
    """
    return Line(text, expression.is_positive is True)


def step(claim: str, kind: Kind, scope: str, how: str, lines: Iterable[Line | str], *confirmed: bool) -> Step:
    """A finding with these details; it stands if every checked line holds, and all of `confirmed`.

    Parameters
    ----------
    claim, kind, scope, how
        Of the finding.
    lines
        Checked lines, and lines of text that join them.
    confirmed
        What else was checked, without a line of its own.

    Examples
    --------
    >>> step("1 < 2", Kind.TEST, "one case", "by counting", ["so it is"], 1 < 2).stands
    True
    """
    listed = list(lines)
    stands = all(line.holds for line in listed if isinstance(line, Line)) and all(confirmed)
    return Step(stands, Finding(claim, kind, scope, how, tuple(map(str, listed))))
