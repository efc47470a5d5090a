"""Candidates for questions with a special form: unequal weights, nonconvex phi, every phi at once."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations
from typing import Final

import numpy as np

from consistency_lab.errors import ConsistencyLabError
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.search.effort import Effort
from consistency_lab.search.forward import judge, space
from consistency_lab.search.size import TermTable, sees_difference_only
from consistency_lab.solve.numeric import compiled

# --- Two items whose edges have different weights: what no distribution on equal weights shows -----------
# An edge loss with another h than a weighs p h(v) against (1 - p) h(w) where the target weighs p v against
# (1 - p) w; the signs differ for some p unless h(v)/v = h(w)/w.

_WEIGHTS: Final = (1, 2, 4, 9)
_SHARES: Final = tuple(Fraction(k, 8) for k in range(1, 8))


def two_items() -> Iterator[Distribution]:
    """Distributions on one edge of weight v from the first item and one of weight w from the second, v != w.

    Examples
    --------
    >>> next(two_items()).aggregate[0][1]
    Fraction(1, 8)
    """
    for v, w in permutations(_WEIGHTS, 2):
        for p in _SHARES:
            if p * v != (1 - p) * w:
                yield Distribution.of(2, [(p, {(0, 1): v}), (1 - p, {(1, 0): w})])


# --- A survey in floats for surrogates that no certificate covers: it can only ever raise a suspicion ----

_ITEMS: Final = 3
_WEIGHT: Final = 10
_MARGIN: Final = 1e-6
_SLOW: Final = 10
"""A grid of scores takes so many times as long as a minimization."""

_TOO_LARGE: Final = 1e300
"""Stands for values that leave the range of floats: no sum with it is least, and 0 times it is 0."""


def survey(surrogate: Surrogate, condition: str, effort: Effort) -> str:
    """Minimize W over a grid of scores for all small whole-number distributions; report in words."""
    try:
        table = TermTable(surrogate, _ITEMS)
    except ConsistencyLabError as error:
        return f"nothing was searched: {error}"
    ticks = np.concatenate([np.linspace(-6, 6, 49), [-30.0, 30.0]])
    first, second = np.meshgrid(ticks, ticks, indexing="ij")
    scores = np.stack([first.ravel(), second.ravel(), np.zeros(first.size)], axis=1)
    functions = [compiled(term.phi) for term in table.terms]
    values = np.stack(
        [
            function(scores @ direction - float(term.b))[0]
            for function, direction, term in zip(functions, table.structure.V, table.terms, strict=True)
        ]
    )
    values = np.nan_to_num(values, nan=_TOO_LARGE, posinf=_TOO_LARGE, neginf=-_TOO_LARGE)
    looked = suspects = 0
    for total in range(1, _WEIGHT + 1):
        for a in space(condition, _ITEMS, not sees_difference_only(surrogate)).of_weight(total):
            if effort.expired:
                break
            if not len(a):
                continue
            risk = table.coefficients(a) @ values
            best = risk.argmin(axis=1)
            wrong = judge(a, scores[best]).wrong
            looked += len(a)
            effort.count(distributions=len(a), each=_SLOW)
            for k in np.flatnonzero(wrong):
                right = ~judge(np.repeat(a[k : k + 1], len(scores), axis=0), scores).wrong
                suspects += bool(risk[k, right].min() > risk[k, best[k]] + _MARGIN)
    found = (
        f"at {suspects:,} of them a wrong order had the least risk: suspected inconsistent"
        if suspects
        else "no wrong order had the least risk"
    )
    return f"searched a grid of scores at {looked:,} distributions of {_ITEMS} items in floats: {found}"


# --- One aggregate at which every convex edge loss fails at once -----------------------------------------

UNIVERSAL_AGGREGATE: Final[tuple[tuple[Fraction, ...], ...]] = tuple(
    tuple(Fraction(x) for x in row) for row in ((0, 3, 8), (0, 0, 1), (4, 0, 0))
)
"""Additive differences (d = 3, 1, 4) that fulfil Condition 1 of DMJ10 Lemma 10: 1 < 4 * 3 / (8 + 3)."""
