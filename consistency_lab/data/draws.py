"""Draws that a seed alone determines, whatever the version of NumPy.

NumPy promises the bits of PCG64, but not what its versions make of them. Here exponentials, logarithms and
SciPy's normal quantiles may differ in the last digit between machines; nothing else may.
"""

from collections.abc import Iterable, Iterator
from math import sqrt
from typing import Final, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consistency_lab.numbers.arrays import Floats, Whole

_CHUNK: Final = 32_768
"""So many binomials are drawn at a time, which fits caches."""
_FEW: Final = 10.0
"""Binomials with a smaller mean are drawn by inversion."""
_BODY: Final = 0.07
"""Nearer than this to an end no draw is taken at a glance."""

_KINDS: Final = 1_000
"""From so many kinds of things on, numbers are looked up in tables when all things are drawn again."""
_DIGITS: Final = 20
"""Tables of Poisson numbers are for means of up to 2 to this power."""
_CELLS: Final = 1 << 16
_SHORT: Final = 3.0
"""By so many deviations their sum falls short, so that it is hardly ever too large."""


@final
class Stream:
    """Random numbers from the bits of PCG64."""

    def __init__(self, seed: int) -> None:
        self._bits = np.random.PCG64(seed)

    def random(self, size: int | tuple[int, ...]) -> Floats:
        """Uniform between 0 and 1, and neither: odd multiples of 2**-54."""
        raw = self._bits.random_raw(int(np.prod(size)))
        return np.asarray(((raw >> np.uint64(11)) + 0.5) * 2.0**-53).reshape(size)

    def normal(self, size: int | tuple[int, ...]) -> Floats:
        """Standard normal."""
        from scipy.special import ndtri

        return np.asarray(ndtri(self.random(size)))

    def multinomial(self, n: ArrayLike, weights: ArrayLike, size: int | None = None) -> Whole:
        """How often each column is drawn in `n` draws with these weights, split from half to half."""
        level = np.asarray(weights, dtype=np.float64)
        width, levels = level.shape[-1], list[Floats]()
        while level.shape[-1] > 1:
            if level.shape[-1] % 2:
                level = np.concatenate([level, np.zeros_like(level[..., :1])], axis=-1)
            levels.append(level)
            level = level[..., ::2] + level[..., 1::2]
        shape = level.shape[:-1] if size is None else (size,)
        counts = np.broadcast_to(np.asarray(n, dtype=np.int64), shape)[..., None]
        for level in reversed(levels):
            both = level[..., ::2] + level[..., 1::2]
            first = self.binomial(
                counts[..., : both.shape[-1]], level[..., ::2] / np.where(both > 0, both, 1.0)
            )
            rest = counts[..., : both.shape[-1]] - first
            counts = np.stack([first, rest], axis=-1).reshape(*first.shape[:-1], 2 * first.shape[-1])
        return counts[..., :width]

    def redrawn(self, counts: Whole, sizes: Iterable[int]) -> Iterator[Whole]:
        """How often each kind is drawn if all things are drawn again, put back each time; (size, K) a block.

        Independent Poisson numbers are multinomial given their sum. So with means a little below the counts
        what the sum lacks is drawn one by one, and rows with too large a sum are drawn anew. A number with
        the mean c is the sum of numbers with those powers of 2 as means that add up to c.
        """
        total, most = int(counts.sum()), int(counts.max(initial=0))
        if len(counts) < _KINDS or most >> _DIGITS:
            yield from (self.multinomial(total, counts / total, size=size) for size in sizes)
            return
        share, reached = max(0.0, 1.0 - _SHORT / sqrt(total)), np.cumsum(counts)
        digits = [
            (np.flatnonzero(counts >> k & 1), _poisson(share * 2.0**k)) for k in range(most.bit_length())
        ]
        for size in sizes:
            drawn, todo = np.zeros((size, len(counts)), dtype=np.int64), np.arange(size)
            while len(todo):
                rows = np.zeros((len(todo), len(counts)), dtype=np.int64)
                for kinds, law in digits:
                    rows[:, kinds] += self._looked_up(law, len(todo) * len(kinds)).reshape(len(todo), -1)
                lacks = total - rows.sum(axis=1)
                drawn[todo], todo = rows, todo[lacks < 0]
            lacks = total - drawn.sum(axis=1)
            one = np.searchsorted(reached, np.floor(self.random(int(lacks.sum())) * total), side="right")
            place = np.repeat(np.arange(size), lacks) * len(counts) + one
            yield drawn + np.bincount(place, minlength=drawn.size).reshape(drawn.shape)

    def _looked_up(self, law: "_Law", n: int) -> Whole:
        """Numbers of a law: 16 bits tell most, and others where in their cell they are."""
        reached, table = law
        cells = self._bits.random_raw(-(-n // 4)).astype("<u8").view("<u2")[:n]
        drawn: Whole = table[cells].astype(np.int64)
        open_ = np.flatnonzero(drawn < 0)
        drawn[open_] = np.searchsorted(
            reached, (cells[open_] + self.random(len(open_))) / _CELLS, side="right"
        )
        return drawn

    def binomial(self, n: ArrayLike, p: ArrayLike) -> Whole:
        """How many of `n` draws succeed, each with probability `p`."""
        games, chance = np.broadcast_arrays(np.asarray(n, dtype=np.int64), np.asarray(p, dtype=np.float64))
        drawn = np.empty(games.shape, dtype=np.int64)
        flat, tries, chances = drawn.reshape(-1), games.reshape(-1), chance.reshape(-1)
        for start in range(0, len(flat), _CHUNK):
            part = slice(start, start + _CHUNK)
            flat[part] = self._binomial(tries[part], chances[part])
        return drawn

    def _binomial(self, n: Whole, p: Floats) -> Whole:
        rare = np.minimum(p, 1.0 - p)
        mean = n * rare
        drawn = np.zeros(len(n), dtype=np.int64)
        for here, draw in (
            (np.flatnonzero((mean > 0) & (mean < _FEW)), self._inverted),
            (np.flatnonzero(mean >= _FEW), self._rejected),
        ):
            drawn[here] = draw(n[here], rare[here])
        return np.where(p > 0.5, n - drawn, drawn)

    def _inverted(self, n: Whole, p: Floats) -> Whole:
        """By adding up probabilities from 0 successes on, for a small mean."""
        left, chance, odds = self.random(len(n)), np.exp(n * np.log1p(-p)), p / (1.0 - p)
        drawn, here, k = np.zeros(len(n), dtype=np.int64), np.arange(len(n)), 0
        # What stops does not go on: nothing is left of it, or no success is.
        while len(going := np.flatnonzero((left > chance) & (n > k))):
            here, n, odds, left, k = here[going], n[going], odds[going], (left - chance)[going], k + 1
            chance = chance[going] * odds * (n - k + 1) / k
            drawn[here] = k
        return drawn

    def _rejected(self, n: Whole, p: Floats) -> Whole:
        """W. Hörmann's transformed rejection (BTRS, J. Stat. Comput. Simul. 46, 1993), for p up to 1/2."""
        spread = np.sqrt(n * p * (1.0 - p))
        b = 1.15 + 2.53 * spread
        a = -0.0873 + 0.0248 * b + 0.01 * p
        mode, log_odds = np.floor((n + 1) * p), np.log(p / (1.0 - p))
        peak = _tail(mode) + _tail(n - mode)
        drawn = np.empty(len(n), dtype=np.int64)
        here, games, mean, body = np.arange(len(n)), n, n * p, 0.92 - 4.2 / b
        while len(here):
            u, v = self.random((2, len(here)))
            u -= 0.5
            room = 0.5 - np.abs(u)
            k = np.floor((2.0 * a / room + b) * u + mean + 0.5)
            taken = (room >= _BODY) & (v <= body)  # well inside: its probability need not be known
            rest = np.flatnonzero(~taken & (k >= 0) & (k <= games))
            at, tried, total, wide, broad = here[rest], k[rest], games[rest], a[rest], b[rest]
            top, above, below = mode[at], tried + 1.0, total - tried + 1.0
            # The log of the probability of k over that of the mode, by Stirling's formula.
            height = (
                (top + 0.5) * np.log1p((top - tried) / above)
                + (total - top + 0.5) * np.log1p((tried - top) / below)
                + (tried - top) * (log_odds[at] + np.log(below / above))
                + (peak[at] - _tail(tried) - _tail(total - tried))
            )
            scale = (2.83 + 5.1 / broad) * spread[at]
            taken[rest] = np.log(v[rest] * scale / (wide / room[rest] ** 2 + broad)) <= height
            drawn[here[taken]] = k[taken]
            here, games, mean, body, a, b = (part[~taken] for part in (here, games, mean, body, a, b))
        return drawn


_Law = tuple[Floats, NDArray[np.int32]]
"""The chance of at most k for each k, and the number that a cell of [0, 1] means; -1 for several."""


def _poisson(mean: float) -> _Law:
    """The law of Poisson numbers, from the mode outwards."""
    mode = int(mean)
    up = np.cumprod(mean / np.arange(mode + 1.0, mode + 40.0 + 12.0 * sqrt(mean)))
    down = np.cumprod(np.arange(mode, 0.0, -1.0) / max(mean, 1e-300))[::-1]
    reached = np.cumsum(np.concatenate([down, [1.0], up]))
    reached /= reached[-1]
    edges = np.arange(_CELLS + 1) / _CELLS
    low = np.searchsorted(reached, edges[:-1], side="right")
    high = np.searchsorted(reached, edges[1:], side="left")
    return reached, np.where(low == high, low, -1).astype(np.int32)


_TAILS: Final = (
    *(0.0810614667953273, 0.0413406959554093, 0.0276779256849983, 0.0207906721037651, 0.0166446911898212),
    *(0.0138761288230707, 0.0118967099458918, 0.0104112652619720, 0.0092554621827127, 0.0083305634333631),
)
"""For k below 10 what Stirling's formula for log k! lacks."""


def _tail(k: NDArray[np.float64] | Whole) -> Floats:
    """log k! - (k + 1/2) log(k + 1) + (k + 1) - log(2 pi)/2."""
    x = k + 1.0
    far = (1 / 12 - (1 / 360 - 1 / 1260 / x**2) / x**2) / x
    return np.where(k < len(_TAILS), np.take(_TAILS, k.astype(np.int64), mode="clip"), far)


# --- What draws tell of a share ---------------------------------------------------------------------------

_Z: Final = 1.959963984540054
"""The 97.5 % point of the normal law."""


def wilson(failures: int, samples: int) -> tuple[float, float]:
    """The 95 % interval of a share by Wilson's score (1927), in [0, 1]; all of that without samples."""
    if samples == 0:
        return 0.0, 1.0
    share, z = failures / samples, _Z * _Z / samples
    middle = (share + z / 2) / (1 + z)
    half = _Z * sqrt(share * (1 - share) / samples + z / samples / 4) / (1 + z)
    low = 0.0 if failures == 0 else max(middle - half, 0.0)
    high = 1.0 if failures == samples else min(middle + half, 1.0)
    return low, high
