"""Upper bounds on H at one regret: a population of points, refined in floats; then proved."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

import numpy as np

from consistency_lab.exact import enclose
from consistency_lab.measure.calibration.least import least_risk_bound
from consistency_lab.measure.calibration.pairwise import Array, EdgeRisk, Vector
from consistency_lab.solve.batch import minimize_batch

_MEMBERS: Final = 240
_KEPT: Final = 24
_ROUNDS: Final = 30
_BITS: Final = 24
_TRIED: Final = 3
_DIGITS: Final = 9


@final
@dataclass(frozen=True)
class Region:
    """One case at one regret: the order of the scores and the corners of the distributions."""

    order: tuple[int, ...]
    corners: tuple[Vector, ...]


def upper_bound(
    risk: EdgeRisk, regions: Sequence[Region], infimum: Fraction, seed: int
) -> tuple[Fraction, tuple[int, ...]]:
    """A proved upper bound on H over the regions, and the regions by rising excess as found in floats.

    Parameters
    ----------
    risk, regions
        The loss, and where to look; there is at least one region.
    infimum
        A proved lower bound on phi.
    seed
        Of the population.

    Raises
    ------
    UnsupportedError
        If the risk cannot be minimized in batches.
    """
    random = np.random.default_rng(seed)
    found = [_searched(risk, region, random) for region in regions]
    ranking = sorted(range(len(regions)), key=lambda k: found[k][0])
    bounds = [_proved(risk, regions[k], *found[k][1:]) for k in ranking[:_TRIED]]
    known = [bound for bound in bounds if bound is not None]
    return min([*known, _trivial(risk, infimum)]), tuple(ranking)


def _trivial(risk: EdgeRisk, infimum: Fraction) -> Fraction:
    """All scores tied, total weight 1: W - W* is at most phi(0) - inf phi."""
    return _up(float((risk.value(Fraction(0)) - enclose(infimum)).upper()))


def _searched(risk: EdgeRisk, region: Region, random: np.random.Generator) -> tuple[float, Array, Array]:
    """The least excess found, with the shares of the corners and the gaps of the scores."""
    weights = risk.weights(region.corners)
    shares = random.dirichlet(np.full(len(weights), 0.5), _MEMBERS)
    gaps = random.exponential(1.0, (_MEMBERS, risk.m - 1)) * random.integers(0, 2, (_MEMBERS, risk.m - 1))
    best = _excess(risk, region, weights, shares, gaps)
    size = 0.5
    for _ in range(_ROUNDS):
        kept = np.argsort(best)[:_KEPT]
        parents = random.choice(kept, _MEMBERS)
        more = np.clip(
            shares[parents] + size * random.standard_normal((_MEMBERS, len(weights))) * 0.3, 0, None
        )
        more /= np.maximum(more.sum(axis=1, keepdims=True), 1e-12)
        wider = np.clip(gaps[parents] + size * random.standard_normal((_MEMBERS, risk.m - 1)), 0, None)
        values = _excess(risk, region, weights, more, wider)
        shares, gaps = np.vstack([shares[kept], more]), np.vstack([gaps[kept], wider])
        best = np.concatenate([best[kept], values])
        size *= 0.8
    first = int(np.argmin(best))
    return float(best[first]), shares[first], gaps[first]


def _excess(risk: EdgeRisk, region: Region, weights: Array, shares: Array, gaps: Array) -> Array:
    c = shares @ weights
    scores = _scores(region.order, gaps)
    aggregates = np.zeros((len(c), risk.m, risk.m))
    for k, (i, j) in enumerate(risk.pairs):
        aggregates[:, i, j] = c[:, k]
    least = minimize_batch(risk.table.structure, risk.table.coefficients(aggregates), tolerance=1e-8).value
    return np.asarray((c * risk.floats(scores)).sum(axis=1) - least)


def _scores(order: Sequence[int], gaps: Array) -> Array:
    scores = np.zeros((len(gaps), len(order)))
    scores[:, list(order[1:])] = -np.cumsum(gaps, axis=1)
    return scores


def _proved(risk: EdgeRisk, region: Region, shares: Array, gaps: Array) -> Fraction | None:
    """The excess at a rational point next to the proposal, rounded up; W* by weak duality."""
    scale = 1 << _BITS
    whole = [round(float(x) * scale) for x in shares]
    total = sum(whole)
    aggregate = tuple(
        sum(
            (Fraction(n, total) * corner[k] for n, corner in zip(whole, region.corners, strict=True)),
            Fraction(0),
        )
        for k in range(risk.m**2)
    )
    scores = [Fraction(0)] * risk.m
    height = Fraction(0)
    for item, gap in zip(region.order[1:], gaps, strict=True):
        height -= Fraction(round(float(gap) * scale), scale)
        scores[item] = height
    least = least_risk_bound(risk.terms(aggregate), risk.m)
    return None if least is None else _up(float((risk.at(aggregate, scores) - least).upper()))


def _up(value: float) -> Fraction:
    """A decimal that is certainly not below what the float stands for."""
    scale = 10**_DIGITS
    return max(Fraction(int(value * scale) + 2, scale), Fraction(0))
