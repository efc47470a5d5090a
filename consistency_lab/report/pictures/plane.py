"""The plane of the score differences of three items: x = alpha_1 - alpha_2, y = alpha_2 - alpha_3.

Shifting all scores changes neither an order nor the risk of score differences, so three scores are a point
of this plane. The lines x = 0, y = 0 and x + y = 0 are the ties; they bound six chambers, one an order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, radians, sin
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Point = tuple[float, float]
Order = tuple[int, ...]

WALLS: Final[tuple[tuple[float, float, int, int], ...]] = ((1, 0, 0, 1), (0, 1, 1, 2), (1, 1, 0, 2))
"""Normals (a, b) of the lines a x + b y = 0, and the two items that tie there."""

CHAMBERS: Final[tuple[tuple[Order, float, float], ...]] = (
    ((0, 1, 2), 0, 90),
    ((1, 0, 2), 90, 135),
    ((1, 2, 0), 135, 180),
    ((2, 1, 0), 180, 270),
    ((2, 0, 1), 270, 315),
    ((0, 2, 1), 315, 360),
)
"""Orders, best item first, with the two angles between which they lie."""


def point_of(scores: Sequence[float]) -> Point:
    """Where scores lie.

    Examples
    --------
    >>> point_of([3.0, 1.0, 0.0])
    (2.0, 1.0)
    """
    return scores[0] - scores[1], scores[1] - scores[2]


def scores_at(x: Array, y: Array) -> Array:
    """Scores of mean zero for each point, shape (..., 3)."""
    scores = np.stack([x + y, y, np.zeros_like(y)], axis=-1)
    return np.asarray(scores - scores.mean(axis=-1, keepdims=True))


def outline(start: float, end: float, far: float) -> list[Point]:
    """The chamber between two angles, up to a distance, as a polygon."""
    angles = (start, (start + end) / 2, end)
    return [(0.0, 0.0), *((far * cos(radians(angle)), far * sin(radians(angle))) for angle in angles)]


@final
@dataclass(frozen=True, slots=True)
class Window:
    """A square part of the plane.

    Parameters
    ----------
    x, y
        The middle.
    half
        Half the length of a side.
    """

    x: float
    y: float
    half: float

    @staticmethod
    def around(points: Sequence[Point], wider: float = 1.0) -> "Window":
        """The origin, where all chambers meet, and the points, with room around them; or `wider` than that.

        Examples
        --------
        >>> Window.around([(2.0, 1.0)])
        Window(x=0.8, y=0.4, half=1.8)
        """
        every = [(0.0, 0.0), *points]
        low, high = (np.array(bound(every, axis=0)) for bound in (np.min, np.max))
        size = float(np.max(high - low)) or 1.0
        x, y = (0.4 * (low + high)).tolist()
        return Window(x, y, 0.9 * size * wider)

    def grid(self, steps: int) -> tuple[Array, Array]:
        """The points of a square grid, as two matrices."""
        ticks = np.linspace(-self.half, self.half, steps)
        x, y = np.meshgrid(self.x + ticks, self.y + ticks)
        return x, y

    def roomiest(
        self, start: float, end: float, size: tuple[float, float], avoid: Sequence[Point]
    ) -> tuple[Point, float]:
        """Where a box has most room in a chamber, clear of the frame and of some points.

        Parameters
        ----------
        start, end
            The angles of the chamber.
        size
            Width and height of the box.
        avoid
            Points that the box must not cover.

        Returns
        -------
        The middle of the box, and the factor by which it could grow there.
        """
        x, y = self.grid(121)
        w, h = size[0] / 2, size[1] / 2
        angle = np.degrees(np.arctan2(y, x)) % 360
        room = np.minimum((self.half - abs(x - self.x)) / w, (self.half - abs(y - self.y)) / h)
        for a, b, _, _ in WALLS:
            room = np.minimum(room, abs(a * x + b * y) / (a * w + b * h))
        for px, py in avoid:
            room = np.minimum(room, np.maximum(abs(x - px) / w, abs(y - py) / h))
        room = np.where((angle > start) & (angle < end), room, -1.0)
        best = int(np.argmax(room))
        return (float(x.flat[best]), float(y.flat[best])), float(room.flat[best])
