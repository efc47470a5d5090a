"""Forward search: minimize W for whole-number distributions, all the small ones or many random ones."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.exact import integer_multiple
from consistency_lab.phi import facts
from consistency_lab.search.effort import SINGLY, Effort
from consistency_lab.search.judge import judge
from consistency_lab.search.reach import reachable
from consistency_lab.search.realize import TermTable
from consistency_lab.search.space import Space, fulfilling, steps
from consistency_lab.solve.batch import minimize_batch
from consistency_lab.solve.compiled.running import in_pieces, pays

_CONVERGED: Final = 1e-7
_ROUND: Final = 20_000
_PLENTY: Final = 20


@final
@dataclass(frozen=True, slots=True)
class Suspect:
    """A whole-number aggregate whose float minimizer looks wrong.

    Parameters
    ----------
    a
        The aggregate.
    strict
        Whether every way of breaking ties is wrong.
    edges, weight
        How many edges it has, and their sum.
    regret
        Its regret as a share of the total weight.
    """

    a: tuple[tuple[Fraction, ...], ...]
    strict: bool
    edges: int
    weight: int
    regret: float


def suspects_of_weight(aggregates: Space, total: int, table: TermTable, effort: Effort) -> Iterator[Suspect]:
    """All suspects of one total weight, strict ones and those with fewer edges first.

    All are found and put into order at once; the search stops early only when the budget runs out.
    """
    found: list[_Wrong] = []
    for a in aggregates.of_weight(total):
        if effort.expired:
            break
        found.append(_wrong(a, table, effort))
    return _listed(found, lambda wrong: -wrong.regret)


def sampled_suspects(
    aggregates: Space, table: TermTable, effort: Effort, seed: int, rounds: int
) -> list[Suspect]:
    """Suspects among random distributions: so many rounds of thousands, strict ones first."""
    generator = np.random.default_rng(seed)
    found: list[_Wrong] = []
    for _ in range(rounds):
        if effort.expired or sum(len(wrong.a) for wrong in found) >= _PLENTY:
            break
        found.append(_wrong(aggregates.sample(generator, _ROUND), table, effort))
    return list(_listed(found, lambda wrong: -wrong.regret))


def shrunk_suspects(
    a: Sequence[Sequence[Fraction]], condition: str, table: TermTable, effort: Effort
) -> list[Suspect]:
    """Suspects that remain when coordinates of an aggregate are lowered, the smallest first.

    Coordinates are the entries of the differences and the common parts of opposite edges, so that a
    condition on the differences is kept where it can be.
    """
    whole = np.array(integer_multiple([x for row in a for x in row])[0], dtype=np.int64).reshape(table.m, -1)
    trials: dict[bytes, NDArray[np.int64]] = {}
    for step in steps(condition, whole):
        trials.setdefault(step.tobytes(), step)
    if not trials:
        return []
    block = fulfilling(condition, np.stack(list(trials.values())))
    return list(_listed([_wrong(block, table, effort)], lambda wrong: wrong.weight))


@final
@dataclass(frozen=True, eq=False, slots=True)
class _Wrong:
    """Suspects as arrays, one a row; the names are those of `Suspect`."""

    a: NDArray[np.int64]
    strict: NDArray[np.bool_]
    regret: NDArray[np.float64]

    @property
    def edges(self) -> NDArray[np.intp]:
        return np.asarray(np.count_nonzero(self.a, axis=(1, 2)))

    @property
    def weight(self) -> NDArray[np.int64]:
        return np.asarray(self.a.sum(axis=(1, 2)))


def _wrong(a: NDArray[np.int64], table: TermTable, effort: Effort) -> _Wrong:
    # Machine code is loaded once as much has been looked at without it as its loading would cost.
    compiled = pays(table.m, len(a) + effort.distributions)
    effort.count(steps=len(a))
    a = a[surely_attained(a, table, compiled=compiled)]
    if not len(a):
        return _Wrong(a, np.zeros(0, dtype=bool), np.zeros(0))
    minimum = minimize_batch(table.structure, table.coefficients(a), compiled=compiled)
    effort.count(distributions=len(a), each=1 if table.batched else SINGLY)
    verdict = judge(a, minimum.scores, compiled=compiled)
    weight = a.sum(axis=(1, 2))
    good = minimum.converged | (minimum.gradient_norm <= _CONVERGED * (1.0 + weight))
    chosen = np.flatnonzero(verdict.wrong & good)
    return _Wrong(a[chosen], verdict.strict[chosen], verdict.regret[chosen] / weight[chosen])


def _listed(blocks: Sequence[_Wrong], third: Callable[[_Wrong], NDArray[np.generic]]) -> Iterator[Suspect]:
    """All, strict ones first, then those with few edges, then by a third key and by the aggregate."""
    blocks = [block for block in blocks if len(block.a)]
    if not blocks:
        return iter(())
    found = _Wrong(*(np.concatenate([getattr(block, name) for block in blocks]) for name in _Wrong.__slots__))
    entries = np.moveaxis(found.a, 0, -1).reshape(-1, len(found.a))
    order = np.lexsort((*entries[::-1], third(found), found.edges, ~found.strict))
    # Few of them are looked at again, and exact numbers take long to make.
    return (
        Suspect(
            tuple(tuple(map(Fraction, row)) for row in found.a[k].tolist()),
            bool(found.strict[k]),
            int(np.count_nonzero(found.a[k])),
            int(found.a[k].sum()),
            float(found.regret[k]),
        )
        for k in order
    )


def surely_attained(a: NDArray[np.int64], table: TermTable, *, compiled: bool = False) -> NDArray[np.bool_]:
    """Where the minimum need not be looked for at infinity.

    For nonincreasing functions of score differences: where all edges lie on cycles (docs/theory.md,
    Attainment). Other functions grow both ways, and single items are held by their own terms.
    """
    falling = all(facts(phi).nonincreasing for phi in table.structure.functions)
    if not falling or any(len(term.v) != 2 for term in table.terms):
        return np.ones(len(a), dtype=bool)
    if compiled:
        from consistency_lab.solve.compiled.judging import connect

        rows, connected = np.ascontiguousarray(a), np.empty(len(a), dtype=bool)
        in_pieces(lambda start, stop: connect(rows, table.difference, start, stop, connected), len(a))
        return connected
    used = np.maximum(a - a.transpose(0, 2, 1), 0) if table.difference else a
    return np.asarray(reachable(used > 0).all(axis=(1, 2)))
