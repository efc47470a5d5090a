"""The score plane of a distribution over three items: where W is least, and where it should be."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import dist
from typing import Final, final

import numpy as np

from consistency_lab.certify.witness import Witness
from consistency_lab.errors import InputError
from consistency_lab.exact import LogRational
from consistency_lab.model.surrogates import Term
from consistency_lab.model.targets.pairwise import Matrix, order_of
from consistency_lab.report.naming import narrowest
from consistency_lab.report.pictures.canvas import Picture
from consistency_lab.report.pictures.labels import drawable
from consistency_lab.report.pictures.plane import Array, Order, Point, point_of, scores_at
from consistency_lab.report.pictures.plane_drawing import Mark, PlaneDrawing
from consistency_lab.solve.minimize import Minimum, minimize
from consistency_lab.solve.optimal import optimal_orders
from consistency_lab.solve.structure import RiskStructure, stack

ITEMS: Final = 3

_SIZE: Final = (5.8, 6.8)
_FAR: Final = 30.0
"""Scores further apart than this come from a minimum that is not attained."""

_DIGITS: Final = 7
"""Scores that agree so far are drawn as a tie."""

_SAME: Final = 1e-12
_CLOSE: Final = 0.05
_RED: Final = "#d62728"
_BLUE: Final = "#1f77b4"
_SHRINK: Final = 0.7
_ROUNDS: Final = 60


def witness_plane(witness: Witness) -> Picture:
    """The score plane of a witness.

    Raises
    ------
    InputError
        If it has more or fewer than three items, or its risk is no sum of terms.
    """
    p, verified = witness.distribution, witness.verified
    if p.m != ITEMS:
        raise InputError(f"the witness has {p.m} items; a picture shows {ITEMS} items, no more and no fewer")
    title = f"{verified.called}, noise: {narrowest(verified.conditions)}"
    return score_plane(witness.terms, p.aggregate, p.items, witness.scores, title)


def score_plane(
    terms: Sequence[Term],
    a: Matrix,
    names: Sequence[str] = ("1", "2", "3"),
    scores: Sequence[LogRational] | None = None,
    title: str = "score plane",
) -> Picture:
    """The six orders of three items, A(p), the contours of W and its minimizer.

    If W changes when all scores are shifted, its least value over all shifts is drawn.

    Parameters
    ----------
    terms
        The terms of W(p, alpha).
    a
        The aggregate of p.
    names
        Of the items.
    scores
        Scores to be marked besides the minimizer, or in its place where W has none.
    title
        The heading.

    Raises
    ------
    InputError
        If there are more or fewer than three items.
    """
    if len(a) != ITEMS or len(names) != ITEMS:
        raise InputError(f"there are {len(a)} items; a picture shows {ITEMS} items, no more and no fewer")
    found = minimize(terms, ITEMS)
    structure, C = stack([terms], ITEMS)
    risk = _Risk(structure, C[0], float(found.scores.mean()))
    exists = found.attained is not False and float(np.ptp(found.scores)) < _FAR
    flat = found.value if exists and found.unique is False else None
    drawing = PlaneDrawing(
        risk,
        tuple(optimal_orders(a).orders()),
        drawable(names),
        tuple(_marks(found, exists, risk, scores)),
        flat,
        title,
    )
    return Picture(title, *_SIZE, drawing)


def _marks(
    found: Minimum, exists: bool, risk: "_Risk", scores: Sequence[LogRational] | None
) -> Iterator[Mark]:
    """The minimizer; and the scores, unless they are a minimizer themselves, or too close to tell apart."""
    name = "a minimizer of W" if found.unique is False else "minimizer of W"
    if scores is None:
        if exists:
            yield _star(name, *_minimizer(found))
        return
    at, order = point_of([float(x) for x in scores]), order_of(scores)
    if not exists:
        yield Mark("scores of the witness", at, order, "D", 7.0, _BLUE)
    elif risk.at(at) <= found.value + _SAME * (1 + abs(found.value)):
        yield _star(name, at, order)
    else:
        best, its_order = _minimizer(found)
        if order == its_order and dist(at, best) < _CLOSE * max(map(abs, (*at, *best))):
            yield _star(f"{name}; the witness is close", best, its_order)
        else:
            yield _star(name, best, its_order)
            yield Mark("scores of the witness", at, order, "D", 7.0, _BLUE)


def _star(what: str, at: Point, order: Order) -> Mark:
    return Mark(what, at, order, "*", 15.0, _RED)


def _minimizer(found: Minimum) -> tuple[Point, Order]:
    x, y = (round(value, _DIGITS) for value in point_of(found.scores.tolist()))
    level = [round(x + y, _DIGITS), y, 0.0]
    return (x, y), tuple(sorted(reversed(range(ITEMS)), key=lambda item: level[item], reverse=True))


@final
@dataclass(frozen=True, eq=False)
class _Risk:
    """W over the plane."""

    structure: RiskStructure
    coefficients: Array
    level: float

    def at(self, point: Point) -> float:
        """W at one point."""
        return float(self(np.array([point[0]]), np.array([point[1]]))[0])

    def __call__(self, x: Array, y: Array) -> Array:
        scores = scores_at(x, y).reshape(-1, ITEMS)
        C = np.broadcast_to(self.coefficients, (len(scores), len(self.coefficients)))
        if self.structure.shift_invariant:
            return self.structure.value(C, scores).reshape(x.shape)

        def shifted(by: Array) -> Array:
            return self.structure.value(C, scores + by[:, None])

        # W is convex along the shift: keep the better two thirds of an interval again and again.
        reach = 2.0 * float(np.abs(scores).max()) + 1.0
        low, high = np.full(len(scores), self.level - reach), np.full(len(scores), self.level + reach)
        for _ in range(_ROUNDS):
            left, right = low + (1 - _SHRINK) * (high - low), low + _SHRINK * (high - low)
            falls = shifted(left) > shifted(right)
            low, high = np.where(falls, left, low), np.where(falls, high, right)
        return shifted((low + high) / 2).reshape(x.shape)
