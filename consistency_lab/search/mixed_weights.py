"""Two items whose edges have different weights: what no distribution on equal weights shows.

An edge loss with another h than a weighs p h(v) against (1 - p) h(w) where the target weighs p v against
(1 - p) w; the signs differ for some p unless h(v)/v = h(w)/w.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations
from typing import Final

from consistency_lab.model.distribution import Distribution

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
