"""Where to put the scores of an inverse search: grids on which slopes are exact, if there is one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Final, final

from consistency_lab.exact import LogRational
from consistency_lab.model.surrogates import Term
from consistency_lab.phi import PiecewisePolynomial, exact_slopes

Scores = tuple[LogRational, ...]

_QUARTERS: Final = tuple(LogRational(Fraction(n, 4)) for n in (0, 1, 2, 3, 4, 5, 6, 8, 10, 12, 16))
_WHOLE: Final = range(5)
_LOGS: Final = tuple(
    LogRational(Fraction(0), Fraction(q))
    for q in ("1", "5/4", "3/2", "2", "5/2", "3", "4", "6", "8", "12", "20")
)
_PROBES: Final = (
    ("rational", LogRational(Fraction(1, 3))),
    ("log-rational", LogRational(Fraction(0), Fraction(2))),
)
_LARGEST: Final = 4000


@final
@dataclass(frozen=True)
class Grid:
    """Candidate scores.

    Parameters
    ----------
    name
        "corners", "rational", "log-rational" or "floating" (slopes not exact anywhere we know).
    values
        The values that a score may take, increasing from 0.
    """

    name: str
    values: tuple[LogRational, ...]

    @property
    def exact(self) -> bool:
        """Whether slopes are rational on it."""
        return self.name != "floating"

    def scores(self, m: int) -> Iterator[Scores]:
        """All score vectors with least score 0, fewer values for more items, ties included."""
        values = self.values
        while len(values) ** m > _LARGEST * m and len(values) > m:
            values = values[:-1]
        zero = LogRational(Fraction(0))
        return (s for s in product(values, repeat=m) if zero in s)


def grid_for(terms: Sequence[Term]) -> Grid:
    """The finest grid on which all terms have rational slopes.

    Where all terms are piecewise linear with one kink, minimizers have their corners at multiples of where
    the score difference meets the kink; that is the grid then.
    """
    corner = _corner(terms)
    if corner is not None:
        return Grid("corners", tuple(_multiple(corner, n) for n in _WHOLE))
    for name, probe in _PROBES:
        if all(None not in exact_slopes(term.phi, probe - term.b) for term in terms):
            return Grid(name, _LOGS if name == "log-rational" else _QUARTERS)
    return Grid("floating", _QUARTERS)


def _corner(terms: Sequence[Term]) -> LogRational | None:
    """The one positive score difference at which all terms have their kink, if there is one."""
    corners = set()
    for term in terms:
        form = PiecewisePolynomial.of(term.phi)
        if form is None or form.degree > 1 or len(form.breakpoints) != 1 or len(term.v) != 2:
            return None
        corners.add(LogRational(form.breakpoints[0]) + term.b)
    corner = corners.pop() if len(corners) == 1 else None
    return corner if corner is not None and corner.sign() > 0 else None


def _multiple(value: LogRational, n: int) -> LogRational:
    product = value.times(Fraction(n))
    assert product is not None  # whole multiples always exist
    return product
