"""Forward search: minimize W for whole-number distributions, all the small ones or many random ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.exact import integer_multiple
from consistency_lab.phi import facts
from consistency_lab.search.effort import Effort
from consistency_lab.search.judge import judge
from consistency_lab.search.realize import TermTable
from consistency_lab.search.space import Space, fulfilling, steps
from consistency_lab.solve.batch import minimize_batch

_CONVERGED: Final = 1e-7
_ROUND: Final = 20_000
_PLENTY: Final = 20


@final
@dataclass(frozen=True)
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


def suspects_of_weight(aggregates: Space, total: int, table: TermTable, effort: Effort) -> list[Suspect]:
    """All suspects of one total weight, strict ones and those with fewer edges first.

    The list is cut short only when the budget runs out.
    """
    found: list[Suspect] = []
    for a in aggregates.of_weight(total):
        if effort.expired:
            break
        if len(a):
            found += _suspects(a, table, effort)
    return sorted(found, key=lambda s: (not s.strict, s.edges, -s.regret, s.a))


def sampled_suspects(
    aggregates: Space, table: TermTable, effort: Effort, seed: int, rounds: int
) -> list[Suspect]:
    """Suspects among random distributions: so many rounds of thousands, strict ones first."""
    generator = np.random.default_rng(seed)
    found: list[Suspect] = []
    for _ in range(rounds):
        if effort.expired or len(found) >= _PLENTY:
            break
        a = aggregates.sample(generator, _ROUND)
        if len(a):
            found += _suspects(a, table, effort)
    return sorted(found, key=lambda s: (not s.strict, s.edges, -s.regret, s.a))


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
    return sorted(_suspects(block, table, effort), key=lambda s: (not s.strict, s.edges, s.weight, s.a))


def _suspects(a: NDArray[np.int64], table: TermTable, effort: Effort) -> Iterator[Suspect]:
    a = a[surely_attained(a, table)]
    if not len(a):
        return
    minimum = minimize_batch(table.structure, table.coefficients(a))
    effort.distributions += len(a)
    verdict = judge(a, minimum.scores)
    good = minimum.gradient_norm <= _CONVERGED * (1.0 + a.sum(axis=(1, 2)))
    for k in np.flatnonzero(verdict.wrong & (minimum.converged | good)):
        yield Suspect(
            tuple(tuple(Fraction(int(x)) for x in row) for row in a[k]),
            bool(verdict.strict[k]),
            int((a[k] > 0).sum()),
            int(a[k].sum()),
            float(verdict.regret[k] / a[k].sum()),
        )


def surely_attained(a: NDArray[np.int64], table: TermTable) -> NDArray[np.bool_]:
    """Where the minimum need not be looked for at infinity.

    For nonincreasing functions of score differences: where all edges lie on cycles (THEORY §2). Other
    functions grow both ways, and single items are held by their own terms.
    """
    free = all(len(term.v) == 2 and facts(term.phi).nonincreasing for term in table.terms)
    if not free:
        return np.ones(len(a), dtype=bool)
    used = np.maximum(a - a.transpose(0, 2, 1), 0) if table.difference else a
    reach = (used > 0) | np.eye(table.m, dtype=bool)
    for _ in range(table.m.bit_length()):
        reach = np.matmul(reach.astype(np.uint8), reach.astype(np.uint8)) > 0
    return np.asarray(reach.all(axis=(1, 2)))
