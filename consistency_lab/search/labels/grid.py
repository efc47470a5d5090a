"""Scores at which the gradients of a surrogate's atoms are rational, the simplest first."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, permutations
from typing import Final

from consistency_lab.exact import LogRational
from consistency_lab.model.surrogates import Term
from consistency_lab.model.surrogates.tasks.atoms import Atom, LogSumExp, Max
from consistency_lab.phi import exact_slopes
from consistency_lab.search.grids import grid_for
from consistency_lab.search.labels.gradients import Scores

_LOGS: Final = tuple(
    LogRational(Fraction(0), Fraction(q))
    for q in ("1", "5/4", "4/3", "3/2", "5/3", "2", "5/2", "3", "4", "5", "6", "8", "12")
)
_WHOLE: Final = tuple(LogRational(Fraction(n)) for n in range(6))
_LARGEST: Final = 1500


def label_scores(atoms: Sequence[Atom], d: int, symmetric: bool) -> list[Scores]:
    """Candidate scores, the last or least one 0.

    Parameters
    ----------
    atoms
        All atoms that occur.
    d
        The number of scores.
    symmetric
        Whether the scores may be assumed to fall from the first to the last; else every order is tried.

    Returns
    -------
    list
        By `height`; empty if no grid makes the slopes rational.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> from consistency_lab.model.surrogates import pair
    >>> grid = label_scores([pair(Fraction(1), parse("exp(-x)"), 0, 1)], 2, True)
    >>> [str(score) for score in grid[1]]
    ['log(2)', '0']
    """
    values = list(_values(atoms))
    found: list[Scores] = []
    while values:
        found = [(*reversed(upper), values[0]) for upper in combinations_with_replacement(values, d - 1)]
        if len(found) <= _LARGEST:
            break
        values.pop()
    if not symmetric:
        found = list(dict.fromkeys(order for scores in found for order in permutations(scores)))
    return sorted(found, key=height)


def height(scores: Scores) -> int:
    """How complicated scores are to write: numerators and denominators added up; 0 for zeros.

    Examples
    --------
    >>> height((LogRational.parse("log(3/2)"), LogRational.parse("0")))
    3
    """
    return sum(
        abs(score.a.numerator) + score.a.denominator + score.q.numerator + score.q.denominator - 3
        for score in scores
    )


def _values(atoms: Sequence[Atom]) -> tuple[LogRational, ...]:
    terms = [atom for atom in atoms if isinstance(atom, Term)]
    if any(isinstance(atom, LogSumExp) for atom in atoms):
        probe = _LOGS[1]
        return _LOGS if all(None not in exact_slopes(term.phi, probe - term.b) for term in terms) else ()
    if any(isinstance(atom, Max) for atom in atoms):
        return _WHOLE
    grid = grid_for(terms)
    if not grid.exact:
        return ()
    return _LOGS if grid.name == "log-rational" else grid.values
