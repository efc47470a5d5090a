"""A survey in floats for surrogates that no certificate covers: it can only ever raise a suspicion."""

from typing import Final

import numpy as np

from consistency_lab.errors import ConsistencyLabError
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.search.effort import Effort
from consistency_lab.search.judge import judge
from consistency_lab.search.realize import TermTable, sees_difference_only
from consistency_lab.search.space import space
from consistency_lab.solve.numeric import compiled

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
