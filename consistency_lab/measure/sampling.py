r"""Uniform samples of the normalized aggregates of a condition.

Every aggregate is a = [d]_+ + c with c_ij = c_ji = min(a_ij, a_ji), and the map (d, c) ↦ a keeps volumes. Up
to relabeling and sets of volume zero the difference graph is the chain: a tie d_ij = 0 is a boundary, and
so is the whole of any shape but the chain. So the polytope is {(d, c) : d in the cone of the condition over
the chain, c >= 0, sum d + 2 sum c = 1}, in the dimension that the condition leaves to d. With ``"any"`` each
pair of items is turned round by a fair coin.

The cone of d is decomposed into simplicial cones with exact volumes (`cones`); a piece is drawn by its
volume, and inside it a point by a Dirichlet(1, ..., 1) law, which is exactly uniform. Where there are too
many pieces, hit-and-run walks through the polytope (`walk`).

With a margin t, |d_ij| >= t for all pairs: d is then t s plus a point of the cone, where s is the smallest
element of the cone with all margins 1 (s_ij = j - i, or 1 where the cone is the orthant). Under
``"net-order"`` it is drawn from the orthant so, and kept if the condition holds; and so are, with any margin,
the aggregates of a condition that is not about d alone.

See docs/theory.md, How wrong and how often.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.measure.cones import Piece, Ray, pieces_of, rays_of
from consistency_lab.measure.walk import hit_and_run
from consistency_lab.model.conditions import CONDITIONS, cone, implied_by, numbered
from consistency_lab.model.cones import LinearForm, shape_rows
from consistency_lab.model.posets import chain
from consistency_lab.search.space import fulfilling

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_DECOMPOSED: Final = 4
"""Most items for which a cone such as that of net-order is decomposed: with 5 items it has 188 rays, and
too many pieces."""

_ROUNDS: Final = 60
"""Rejection gives up after so many rounds."""


@final
@dataclass(frozen=True)
class Polytope:
    """The normalized aggregates of a condition, numbered along the chain.

    Parameters
    ----------
    condition, m
        The condition and the number of items.
    pieces
        The decomposition of the cone of d, coordinates in the order of `pairs_of`; None for hit-and-run.
    """

    condition: str
    m: int
    pieces: tuple[Piece, ...] | None

    @property
    def method(self) -> str:
        """How it is sampled, in words."""
        if self.pieces is None:
            return "hit-and-run"
        if not CONDITIONS[self.condition].of_differences:
            return f"exactly uniform, those of {_wider(self.condition)} that fulfil the condition"
        count = len(self.pieces)
        return f"exactly uniform, {count} simpl{'ex' if count == 1 else 'ices'} of known volume"

    def largest_margin(self) -> Fraction:
        """The largest t with |d_ij| >= t on all pairs somewhere in the polytope."""
        return Fraction(1, sum(_least(self.condition, self.m)))

    def sample(self, generator: np.random.Generator, size: int, margin: Fraction = Fraction(0)) -> Floats:
        """Aggregates of sum 1, shape (B, m, m), B at most `size` (fewer only if rejection gives up).

        Parameters
        ----------
        generator
            The source of chance.
        size
            How many.
        margin
            The least |d_ij|, below `largest_margin`.
        """
        if not CONDITIONS[self.condition].of_differences or (margin and not _shifts(self.condition, self.m)):
            return self._rejected(generator, size, margin)
        if self.pieces is None:
            rows = _rows(self.condition, self.m)
            start = np.array([(j - i) ** 2 for i, j in pairs_of(self.m)], dtype=np.float64)
            d, c = hit_and_run(rows, start, float(margin), generator, size)
        else:
            d, c = self._drawn(generator, size)
            least = np.array(_least(self.condition, self.m), dtype=np.float64)
            t = float(margin)
            d, c = d * (1 - t * least.sum()) + t * least, c * (1 - t * least.sum())
        turned = np.zeros(d.shape, bool) if numbered(self.condition) else generator.random(d.shape) < 1 / 2
        return _aggregates(d, c, turned, self.m)

    def _drawn(self, generator: np.random.Generator, size: int) -> tuple[Floats, Floats]:
        assert self.pieces is not None
        volumes = np.array([float(piece.volume) for piece in self.pieces])
        counts = generator.multinomial(size, volumes / volumes.sum())
        pairs = self.m * (self.m - 1) // 2
        parts = []
        for piece, count in zip(self.pieces, counts, strict=True):
            rays = np.array(piece.rays, dtype=np.float64)
            shares = generator.dirichlet(np.ones(len(rays) + pairs), count)
            d = shares[:, : len(rays)] @ (rays / rays.sum(axis=1, keepdims=True))
            parts.append(np.concatenate([d, shares[:, len(rays) :] / 2], axis=1))
        drawn = generator.permutation(np.concatenate(parts))
        return drawn[:, :pairs], drawn[:, pairs:]

    def _rejected(self, generator: np.random.Generator, size: int, margin: Fraction) -> Floats:
        wider = polytope(_wider(self.condition), self.m)
        kept: list[Floats] = []
        for _ in range(_ROUNDS):
            if sum(map(len, kept)) >= size:
                break
            trial = wider.sample(generator, size, margin)
            kept.append(np.asarray(fulfilling(self.condition, trial)))  # type: ignore[arg-type]
        return np.concatenate(kept)[:size]

    def whole(self, a: Floats, parts: int) -> Integers:
        """An aggregate near `a` in whole parts, still in the closed cone of the condition.

        Its coordinates on the rays of the piece that holds it are rounded.
        """
        upper = np.array([a[i, j] - a[j, i] for i, j in pairs_of(self.m)])
        c = np.array([min(a[i, j], a[j, i]) for i, j in pairs_of(self.m)])
        d = np.abs(upper)
        rounded = np.rint(d * parts)
        for piece in self.pieces or ():
            rays = np.array(piece.rays, dtype=np.float64)
            on_rays = np.linalg.lstsq(rays.T, d, rcond=None)[0]
            if (on_rays >= -1e-9).all() and np.allclose(on_rays @ rays, d):
                rounded = np.rint(on_rays * parts) @ rays
                break
        shape = rounded[None], np.rint(c * parts)[None], (upper < 0)[None]
        return np.asarray(_aggregates(*shape, self.m)[0]).astype(np.int64)


@lru_cache(maxsize=64)
def polytope(condition: str, m: int) -> Polytope:
    """The polytope of a condition.

    Examples
    --------
    >>> [str(piece.volume) for piece in polytope("net-order", 3).pieces]
    ['1/6', '1/3', '1/6']
    >>> polytope("low-noise", 3).largest_margin()
    Fraction(1, 4)
    """
    if not CONDITIONS[condition].of_differences:
        return Polytope(condition, m, polytope(_wider(condition), m).pieces)
    if m > _DECOMPOSED and not _shifts(condition, m):
        return Polytope(condition, m, None)
    size = m * (m - 1) // 2
    if cone(condition, chain(m), m) == shape_rows(chain(m), m):
        units: tuple[Ray, ...] = tuple(tuple(int(k == n) for k in range(size)) for n in range(size))
        return Polytope(condition, m, (Piece(units, Fraction(1)),))
    found = cone(condition, chain(m), m)
    inequalities = [_row(form, m) for form in found.inequalities]
    rays = rays_of(size, [_row(form, m) for form in found.equalities], inequalities)
    return Polytope(condition, m, pieces_of(rays, inequalities))


@lru_cache(maxsize=8)
def pairs_of(m: int) -> tuple[tuple[int, int], ...]:
    """The pairs i < j, the coordinates of d and of c."""
    return tuple(combinations(range(m), 2))


def _row(form: LinearForm, m: int) -> tuple[Fraction, ...]:
    return tuple(form.get(pair, Fraction(0)) for pair in pairs_of(m))


def _rows(condition: str, m: int) -> Floats:
    """The inequalities of the cone of d in floats."""
    forms = cone(condition, chain(m), m).inequalities
    return np.array([[float(x) for x in _row(form, m)] for form in forms])


def _least(condition: str, m: int) -> Sequence[int]:
    """The smallest d with all margins 1: all 1 where that is in the cone, else j - i."""
    known = CONDITIONS[condition]
    rows = cone(condition if known.of_differences else _wider(condition), chain(m), m)
    even = all(sum(row.values()) == 0 for row in rows.equalities)
    even &= all(sum(row.values()) >= 0 for row in rows.inequalities)
    return [1 if even else j - i for i, j in pairs_of(m)]


def _shifts(condition: str, m: int) -> bool:
    """Whether the d of the cone with all margins 1 are the whole cone, moved by the smallest of them."""
    least = dict(zip(pairs_of(m), _least(condition, m), strict=True))
    shape, rows = shape_rows(chain(m), m), cone(condition, chain(m), m)
    beyond = [row for row in (*rows.equalities, *rows.inequalities) if row not in shape.inequalities]
    return not any(sum(c * least[pair] for pair, c in row.items()) for row in beyond)


def _wider(condition: str) -> str:
    """The next larger condition that is about the differences."""
    return next(name for name in implied_by(condition)[1:] if CONDITIONS[name].of_differences)


def _aggregates(d: Floats, c: Floats, turned: NDArray[np.bool_], m: int) -> Floats:
    a = np.zeros((len(d), m, m))
    for k, (i, j) in enumerate(pairs_of(m)):
        a[:, i, j] = c[:, k] + np.where(turned[:, k], 0, d[:, k])
        a[:, j, i] = c[:, k] + np.where(turned[:, k], d[:, k], 0)
    return a
