"""How often a surrogate is wrong: uniform samples of a condition, shares and their intervals."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.apps.measure.cones import Ray, SimplicialCone, pieces_of, rays_of
from consistency_lab.apps.measure.right import SURELY_TIED, Support, rationals, screened
from consistency_lab.certify.witness import Witness, certify
from consistency_lab.data.draws import wilson
from consistency_lab.decide.theorems.catalogue import consistency_theorem
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import CONDITIONS, cone, implied_by, numbered
from consistency_lab.model.conditions import condition as condition_named
from consistency_lab.model.posets import LinearForm, chain, shape_rows
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.model.surrogates.own import as_surrogate
from consistency_lab.numbers.arrays import Floats, Whole
from consistency_lab.search.effort import LARGEST, Effort
from consistency_lab.search.forward import fulfilling
from consistency_lab.search.size import TermTable, edge_weight, realize, refuse_unequal

# --- Estimated shares of failures, with their intervals --------------------------------------------------


@frozen
class FailureRate:
    """An estimated share of failures."""

    margin: Fraction  #: All |d_ij| were at least this share of the total weight; 0 for the whole condition.
    #: How many were drawn, on how many the surrogate fails, and on how many by a strict inversion.
    samples: int
    failures: int
    strict: int
    #: The estimate, None without samples, and its 95 % interval (Wilson).
    share: float | None
    interval: tuple[float, float]

    @staticmethod
    def of(margin: Fraction, samples: int, failures: int, strict: int) -> "FailureRate":
        """The share of this many failures."""
        estimate = failures / samples if samples else None
        return FailureRate(margin, samples, failures, strict, estimate, wilson(failures, samples))

    @property
    def ties(self) -> int:
        """The number of failures by a tie."""
        return self.failures - self.strict


@frozen
class Rate:
    """How often a surrogate fails under a condition."""

    #: The question.
    surrogate: Surrogate
    condition: str
    m: int
    overall: FailureRate  #: The share of the condition's normalized polytope.
    #: The same where all differences are bounded away from zero, smallest margin first.
    by_margin: tuple[FailureRate, ...]
    #: A certified witness near a failing sample, for strict inversions and ties, where one was found.
    witnesses: tuple[Witness, ...]
    method: str  #: How the samples were drawn.
    proved_zero: str | None  #: A theorem that proves the surrogate consistent, or None.
    note: str  #: What the numbers are, in words.


# --- Hit-and-run: a random walk whose law tends to the uniform one on a polytope (Smith 1984) ------------


CHAINS: Final = 64
"""Walks side by side."""

_BURN_IN: Final = 12
"""Each walk first takes this many times n * n steps, n being the dimension, to forget its start."""

_THINNING: Final = 2
"""Steps between two kept points, as a multiple of n."""


def hit_and_run(
    rows: Floats, start: Floats, margin: float, generator: np.random.Generator, size: int
) -> tuple[Floats, Floats]:
    """Points (d, c), each of shape (size, P), with rows . d >= 0, d >= margin, c >= 0, sum d + 2 sum c = 1.

    The walks start at a multiple of `start`, some d inside the cone of the rows (R, P). Neighbors in one walk
    are not quite independent.
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


# --- Uniform samples of the normalized aggregates of a condition -----------------------------------------
# See docs/theory.md, How wrong and how often. Where the cone has too many pieces, hit-and-run walks through
# the polytope. Under net-order a margin is drawn from the orthant, and kept if the condition holds; and so
# are, with any margin, the aggregates of a condition that is not about d alone.


_DECOMPOSED: Final = 4
"""The most items for which a cone such as that of net-order is decomposed: with 5 it has 188 rays."""

_ROUNDS: Final = 60
"""Rejection gives up after this many rounds."""


@frozen
class Polytope:
    """The normalized aggregates of a condition, numbered along the chain."""

    #: The condition and the number of items.
    condition: str
    m: int
    #: The decomposition of the cone of d, coordinates in the order of `upper_pairs`; None for hit-and-run.
    pieces: tuple[SimplicialCone, ...] | None

    @property
    def method(self) -> str:
        """The sampling method, in words."""
        if self.pieces is None:
            return "hit-and-run"
        if not CONDITIONS[self.condition].of_differences:
            return f"exactly uniform, by rejection from {_wider(self.condition)}"
        count = len(self.pieces)
        return f"exactly uniform, {count} simpl{'ex' if count == 1 else 'ices'} of known volume"

    def largest_margin(self) -> Fraction:
        """The largest t with |d_ij| >= t on all pairs somewhere in the polytope."""
        return Fraction(1, sum(_least(self.condition, self.m)))

    def sample(self, generator: np.random.Generator, size: int, margin: Fraction = Fraction(0)) -> Floats:
        """Aggregates of sum 1, shape (B, m, m), B at most `size` (fewer only if rejection gives up).

        All |d_ij| are at least the margin, which is below `largest_margin`.
        """
        if not CONDITIONS[self.condition].of_differences or (margin and not _shifts(self.condition, self.m)):
            return self._rejected(generator, size, margin)
        if self.pieces is None:
            rows = _rows(self.condition, self.m)
            start = np.array([(j - i) ** 2 for i, j in upper_pairs(self.m)], dtype=np.float64)
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

    def whole(self, a: Floats, parts: int) -> Whole:
        """An aggregate near `a` in whole parts, still in the closed cone of the condition.

        Its coordinates on the rays of the piece that holds it are rounded.
        """
        upper = np.array([a[i, j] - a[j, i] for i, j in upper_pairs(self.m)])
        c = np.array([min(a[i, j], a[j, i]) for i, j in upper_pairs(self.m)])
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
    """The polytope of a condition."""
    if not CONDITIONS[condition].of_differences:
        return Polytope(condition, m, polytope(_wider(condition), m).pieces)
    if m > _DECOMPOSED and not _shifts(condition, m):
        return Polytope(condition, m, None)
    size = m * (m - 1) // 2
    if cone(condition, chain(m), m) == shape_rows(chain(m), m):
        units: tuple[Ray, ...] = tuple(tuple(int(k == n) for k in range(size)) for n in range(size))
        return Polytope(condition, m, (SimplicialCone(units, Fraction(1)),))
    of_d = cone(condition, chain(m), m)
    inequalities = [_row(form, m) for form in of_d.inequalities]
    rays = rays_of(size, [_row(form, m) for form in of_d.equalities], inequalities)
    return Polytope(condition, m, pieces_of(rays, inequalities))


@lru_cache(maxsize=8)
def upper_pairs(m: int) -> tuple[tuple[int, int], ...]:
    """The pairs i < j, the coordinates of d and of c."""
    return tuple(combinations(range(m), 2))


def _row(form: LinearForm, m: int) -> tuple[Fraction, ...]:
    return tuple(form.get(pair, Fraction(0)) for pair in upper_pairs(m))


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
    return [1 if even else j - i for i, j in upper_pairs(m)]


def _shifts(condition: str, m: int) -> bool:
    """Whether the d of the cone with all margins 1 are the whole cone, moved by the smallest of them."""
    least = dict(zip(upper_pairs(m), _least(condition, m), strict=True))
    shape, rows = shape_rows(chain(m), m), cone(condition, chain(m), m)
    beyond = [row for row in (*rows.equalities, *rows.inequalities) if row not in shape.inequalities]
    return not any(sum(c * least[pair] for pair, c in row.items()) for row in beyond)


def _wider(condition: str) -> str:
    """The next larger condition on the differences."""
    return next(name for name in implied_by(condition)[1:] if CONDITIONS[name].of_differences)


def _aggregates(d: Floats, c: Floats, turned: NDArray[np.bool_], m: int) -> Floats:
    a = np.zeros((len(d), m, m))
    for k, (i, j) in enumerate(upper_pairs(m)):
        a[:, i, j] = c[:, k] + np.where(turned[:, k], 0, d[:, k])
        a[:, j, i] = c[:, k] + np.where(turned[:, k], d[:, k], 0)
    return a


# --- How often a surrogate is wrong: the share of a condition's distributions on which it fails ----------
# The share is estimated in floats from uniform samples, and says so; a witness that the core accepts goes
# with each kind of failure as evidence that such failures exist.

MARGINS: Final = (Fraction(1, 100), Fraction(1, 50), Fraction(1, 20), Fraction(1, 10))
"""Margins on |d_ij|, as shares of the total weight; those that leave no distribution are skipped."""

_BUDGET: Final = 60.0
_CHUNK: Final = 20_000
_SINGLY: Final = 100
"""The chunk size if risks are minimized one at a time."""

_TRIED: Final = 8
_PARTS: Final = (24, 60, 200, 1000, 10_000)
"""A failing sample is rounded to the first of these numbers of parts that can be certified."""

_KINDS: Final = ("strict", "tie")


def rate(
    surrogate: Surrogate | str,
    condition: str,
    m: int,
    *,
    samples: int = 100_000,
    seed: int = 0,
    margins: Sequence[Fraction] = MARGINS,
    effort: Effort | None = None,
    provenance: dict[str, str] | None = None,
) -> Rate:
    """Estimate the share of a condition's distributions on which a surrogate fails."""
    surrogate = as_surrogate(surrogate)
    name = condition_named(condition).name
    if not 2 <= m <= LARGEST:
        raise InputError(f"there are {m} items; rates are estimated for 2 to {LARGEST}")
    refuse_unequal(surrogate, m)
    if samples < 1:
        raise InputError(f"samples is {samples}; it must be at least 1")
    drawing = _Drawing(surrogate, polytope(name, m), effort or Effort(_BUDGET), provenance or {}, samples)
    largest = drawing.polytope.largest_margin()
    try:
        for n, margin in enumerate((Fraction(0), *sorted(t for t in set(margins) if 0 < t < largest))):
            drawing.draw(margin, np.random.default_rng([seed, n]))
        drawing.certify()
    except KeyboardInterrupt:
        drawing.effort.interrupted = True
    return drawing.answer()


@final
@dataclass
class _Drawing:
    """Samples as they are drawn."""

    surrogate: Surrogate
    polytope: Polytope
    effort: Effort
    provenance: dict[str, str]
    samples: int
    shares: list[FailureRate] = field(default_factory=list)
    failing: dict[str, list[tuple[float, NDArray[np.float64]]]] = field(default_factory=dict)
    witnesses: list[Witness] = field(default_factory=list)

    def draw(self, margin: Fraction, generator: np.random.Generator) -> None:
        """Draw and judge the samples of one margin; at least one chunk without a margin."""
        name, m = self.polytope.condition, self.polytope.m
        table = TermTable(self.surrogate, m)
        support = Support.of(table)
        drawn = failures = strict = 0
        title = f"{self.surrogate.name}, {name}, {m} items, margin {margin}"
        try:
            for a in self._chunks(generator, margin, _CHUNK if table.batched else _SINGLY):
                looked = screened(support, a, self.effort, SURELY_TIED)
                drawn += len(a)
                failures += int(looked.wrong.sum())
                strict += int(looked.strict.sum())
                self.effort.say(f"{title}: {failures:,} of {drawn:,} fail")
                if not margin:
                    self._remember("strict", looked.a, looked.regret, looked.strict)
                    self._remember("tie", looked.a, looked.regret, looked.wrong & ~looked.strict)
        finally:  # what was drawn before an interruption counts
            if drawn:
                self.shares.append(FailureRate.of(margin, drawn, failures, strict))

    def _chunks(
        self, generator: np.random.Generator, margin: Fraction, chunk: int
    ) -> Iterator[NDArray[np.float64]]:
        left = self.samples
        # A walk is begun once: its start has to be forgotten.
        whole = self.polytope.sample(generator, left, margin) if self.polytope.pieces is None else None
        while left > 0 and not (self.effort.expired and (margin or left < self.samples)):
            size = min(left, chunk)
            left -= size
            if whole is None:
                a = self.polytope.sample(generator, size, margin)
            else:
                a, whole = whole[:size], whole[size:]
            if not len(a):
                return
            yield a

    def _remember(
        self, kind: str, a: NDArray[Any], regret: NDArray[np.float64], which: NDArray[np.bool_]
    ) -> None:
        """The failing samples of largest regret."""
        rows = np.flatnonzero(which)
        rows = rows[np.argsort(-regret[rows], kind="stable")][:_TRIED]
        kept = self.failing.setdefault(kind, [])
        kept += [(float(regret[b]), np.asarray(a[b], dtype=np.float64)) for b in rows]
        kept.sort(key=lambda entry: -entry[0])
        del kept[_TRIED:]

    def certify(self) -> None:
        """One witness for each kind of failure, near a failing sample."""
        for kind in _KINDS:
            for _, a in self.failing.get(kind, []):
                witness = self._near(a, kind)
                if witness is not None:
                    self.witnesses.append(witness)
                    break

    def _near(self, a: NDArray[np.float64], kind: str) -> Witness | None:
        for parts in _PARTS:
            whole = self.polytope.whole(a, parts)
            self.effort.count(certificates=1)
            try:
                witness = certify(
                    self.surrogate, realize(self.surrogate, rationals(whole)), provenance=self.provenance
                )
            except (UnsupportedError, InputError):  # rounding may leave no weight at all
                continue
            if (
                witness is not None
                and witness.fails_under(self.polytope.condition)
                and witness.verified.failure == kind
            ):
                return witness
        return None

    def answer(self) -> Rate:
        name, m = self.polytope.condition, self.polytope.m
        overall = self.shares[0] if self.shares else FailureRate.of(Fraction(0), 0, 0, 0)
        theorem = consistency_theorem(self.surrogate, name, m=m)
        return Rate(
            self.surrogate,
            name,
            m,
            overall,
            tuple(self.shares[1:]),
            tuple(self.witnesses),
            self.polytope.method,
            None if theorem is None else theorem.citation,
            self._note(overall),
        )

    def _note(self, overall: FailureRate) -> str:
        says = "an estimate in floats from uniform samples"
        if self.polytope.pieces is None:
            says += "; neighbors in a walk are not independent, so the interval is approximate"
        if not self.surrogate.of_aggregate:
            weight = edge_weight(self.surrogate)
            says += f"; distributions on graphs of one edge of weight {weight} each"
        if overall.samples < self.samples:
            ended = self.effort.ending.removesuffix("; ")
            ended = ended or "too few random distributions fulfill the condition: ended"
            says += f"; {ended} after {overall.samples:,} samples"
        return says
