"""Hit-and-run: a random walk whose law tends to the uniform one on a polytope (Smith 1984)."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

CHAINS: Final = 64
"""So many walks side by side."""

_BURN_IN: Final = 12
"""Each walk first takes so many times n * n steps, n being the dimension, for the start to be forgotten."""

_THINNING: Final = 2
"""Between two points that are kept lie so many times n steps."""


def hit_and_run(
    rows: Floats, start: Floats, margin: float, generator: np.random.Generator, size: int
) -> tuple[Floats, Floats]:
    """Points (d, c) with rows . d >= 0, d >= margin, c >= 0 and sum d + 2 sum c = 1.

    Parameters
    ----------
    rows
        Shape (R, P).
    start
        Shape (P,): some d inside the cone of the rows, of which the walks start at a multiple.
    margin
        The least entry of d.
    generator
        The source of chance.
    size
        How many points; neighbors in one walk are not quite independent.

    Returns
    -------
    d, c
        Shape (size, P) each.
    """
    pairs = len(start)
    weights = np.concatenate([np.ones(pairs), np.full(pairs, 2.0)])
    nothing = np.zeros((len(rows), pairs))
    limits = np.concatenate([np.eye(2 * pairs), np.concatenate([rows, nothing], axis=1)])
    floor = np.concatenate([np.full(pairs, margin), np.zeros(pairs + len(rows))])
    x = _inside(start, margin)
    x = np.repeat(x[None], CHAINS, axis=0)
    n = 2 * pairs - 1
    kept: list[Floats] = []
    burn, between = _BURN_IN * n * n, _THINNING * n
    for step in range(burn + between * -(-size // CHAINS)):
        direction = generator.standard_normal(x.shape)
        direction -= (direction @ weights)[:, None] * weights / (weights @ weights)
        room = x @ limits.T - floor
        speed = direction @ limits.T
        with np.errstate(divide="ignore", invalid="ignore"):
            reach = -room / speed
        ahead = np.where(speed < 0, reach, np.inf).min(axis=1)
        behind = np.where(speed > 0, reach, -np.inf).max(axis=1)
        x = x + (behind + (ahead - behind) * generator.random(len(x)))[:, None] * direction
        x = np.maximum(x, np.concatenate([np.full(pairs, margin), np.zeros(pairs)]))
        x /= (x @ weights)[:, None]
        if step >= burn and (step - burn + 1) % between == 0:
            kept.append(x)
    points = np.concatenate(kept)[:size]
    return points[:, :pairs], points[:, pairs:]


def _inside(start: Floats, margin: float) -> Floats:
    """A point of the polytope off its boundary: d a multiple of `start`, c constant."""
    pairs = len(start)
    least = margin / start.min() * start
    d = least + (1 - least.sum()) / 2 * start / start.sum()
    rest = 1 - d.sum()
    return np.concatenate([d, np.full(pairs, rest / (2 * pairs))])
