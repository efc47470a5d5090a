"""Judges of whom everything is known: how often they prefer what to what, and which order is right."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, permutations
from types import MappingProxyType
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.certify.separation_proof import separation_proofs
from consistency_lab.certify.witness import certify
from consistency_lab.errors import RejectedError
from consistency_lab.exact import LogRational
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import Term
from consistency_lab.model.targets.pairwise import loss, total_weight
from consistency_lab.phi import named
from consistency_lab.proofs.file import sealed
from consistency_lab.proofs.verified import verify
from consistency_lab.solve.minimize import minimize
from consistency_lab.solve.optimal import optimal_orders

Floats = NDArray[np.float64]
Matrix = tuple[tuple[Fraction, ...], ...]

_SAME: Final = 1e-9
"""Scores nearer than this are a tie."""


@final
@dataclass(frozen=True)
class Limit:
    """Where the pairwise logistic loss ends on infinitely many judgments.

    Parameters
    ----------
    order
        The items by falling score.
    regret
        Of that order, as a share of all preferences; exact.
    certified
        What is proved of the order, in words; empty if nothing is.
    """

    order: tuple[int, ...]
    regret: Fraction
    certified: str


@final
@dataclass(frozen=True)
class Instance:
    """A population of judges, each of whom compares two items.

    Parameters
    ----------
    name, title
        What it is called, and what it shows.
    items
        Names.
    wins
        A judge says "i before j" with a chance proportional to this.
    features
        A row of whole numbers for each item; None for one weight an item.
    source
        Where it comes from.
    """

    name: str
    title: str
    items: tuple[str, ...]
    wins: Matrix
    features: tuple[tuple[int, ...], ...] | None
    source: str

    @cached_property
    def a(self) -> Floats:
        """How often one judge says "i before j"; the entries sum to 1."""
        counts = np.array(self.wins, dtype=np.float64)
        return np.asarray(counts / counts.sum())

    @cached_property
    def X(self) -> Floats:
        """The features, shape (m, d)."""
        return np.eye(len(self.items)) if self.features is None else np.array(self.features, dtype=np.float64)

    @cached_property
    def best(self) -> tuple[int, ...]:
        """An order of least pairwise disagreement."""
        return next(iter(optimal_orders(self.wins).orders(1)))

    @cached_property
    def _least(self) -> float:
        return float(loss(self.wins, self.best) / total_weight(self.wins))

    def exact_regret(self, order: tuple[int, ...]) -> Fraction:
        """What an order costs more than the best one, as a share of all preferences (DMJ10 Eq. 7)."""
        return (loss(self.wins, order) - loss(self.wins, self.best)) / total_weight(self.wins)

    def regret(self, scores: Floats) -> float:
        """The same of scores; items of equal score stand either way with equal chance."""
        ahead = np.subtract.outer(scores, scores)
        wrong = np.where(ahead < -_SAME, 1.0, np.where(ahead > _SAME, 0.0, 0.5))
        return float((self.a * wrong).sum()) - self._least

    def counts(self, n: int, rng: np.random.Generator) -> Floats:
        """What n judges say: how often "i before j", shape (m, m)."""
        return np.asarray(rng.multinomial(n, self.a.ravel()).reshape(self.a.shape), dtype=np.float64)

    @cached_property
    def limit(self) -> Limit:
        """Where the pairwise logistic loss ends; the core accepts a proof of what is called certified."""
        if self.features is not None:
            return _with_features(self, self.features)
        p = Distribution.from_aggregate(self.wins, self.items)
        witness = certify("logistic", p)
        scores = minimize("logistic", p).scores if witness is None else [float(x) for x in witness.scores]
        said = "" if witness is None else f"the order is {'wrong' if witness.inconsistent else 'optimal'}"
        return _limit(self, np.array(scores), said)

    def regret_bound(self, n: int) -> float:
        r"""What n judges lose at most in expectation, by the aggregated loss.

        .. math:: \min(1, \sum_{i,j: a_{ij} > a_{ji}} e^{-n (\sqrt{a_{ij}} - \sqrt{a_{ji}})^2})
                  \sum_{i,j} [a_{ij} - a_{ji}]_+

        The first factor bounds the chance that a majority is false or tied (Chernoff, for N_ji - N_ij >= 0);
        the second what any order contradicts beyond the best one. Without a false majority all of them agree
        with the best order, if each pair has a majority, and the difference-graph loss falls to its infimum
        only where the scores agree with them all.
        """
        roots, pairs = np.sqrt(self.a), list(combinations(self.best, 2))
        chance = sum(float(np.exp(-n * (roots[i, j] - roots[j, i]) ** 2)) for i, j in pairs)
        return min(1.0, chance) * sum(float(self.a[i, j] - self.a[j, i]) for i, j in pairs)


def _limit(instance: Instance, scores: Floats, certified: str) -> Limit:
    order = tuple(int(k) for k in np.argsort(-scores, kind="stable"))
    return Limit(order, instance.exact_regret(order), certified)


def _with_features(instance: Instance, features: tuple[tuple[int, ...], ...]) -> Limit:
    """The minimizer within linear scores; certified is one pair that it has the wrong way round.

    That "i before j" is a half-space of the weights, and the proof is about pairs of coordinates, so it is
    tried for pairs whose features differ by a multiple of e_p - e_q.
    """
    phi, nothing, d = named("logistic").expression, LogRational(Fraction(0)), len(features[0])
    terms = []
    for i, j in permutations(range(len(features)), 2):
        v = tuple((k, x - y) for k, (x, y) in enumerate(zip(features[i], features[j], strict=True)) if x != y)
        if instance.wins[i][j]:
            terms.append(Term(instance.wins[i][j], phi, v, nothing))
    weights = minimize(terms, d).scores
    names = tuple(f"w{k + 1}" for k in range(d))
    for i, j in combinations(instance.best, 2):
        apart = np.subtract(features[i], features[j])
        if (apart @ weights) >= 0 or np.count_nonzero(apart) != 2 or apart.sum() != 0:
            continue
        p, q = int(apart.argmax()), int(apart.argmin())
        better = (p, q, *(k for k in range(d) if k not in (p, q)))
        costs = {(p, q): instance.wins[i][j] - instance.wins[j][i]}
        for proof in separation_proofs(terms, costs, names, weights.tolist(), better, [(q, p)]):
            try:
                verify(sealed(proof, {}, {}))
            except RejectedError:
                continue
            said = f"{instance.items[j]} stands above {instance.items[i]}"
            return _limit(instance, instance.X @ weights, said)
    return _limit(instance, instance.X @ weights, "")


def _matrix(rows: tuple[tuple[int, ...], ...]) -> Matrix:
    return tuple(tuple(map(Fraction, row)) for row in rows)


def _bradley_terry(strengths: tuple[int, ...]) -> Matrix:
    return tuple(
        tuple(Fraction(x, x + y) if i != j else Fraction(0) for j, y in enumerate(strengths))
        for i, x in enumerate(strengths)
    )


INSTANCES: Final[Mapping[str, Instance]] = MappingProxyType(
    {
        instance.name: instance
        for instance in (
            Instance(
                "lemma-10",
                "logistic is wrong",
                ("1", "2", "3"),
                _matrix(((0, 3, 8), (0, 0, 1), (4, 0, 0))),
                None,
                "counterexamples/logistic-additive-3items-ca20d338.json, after DMJ10 Lemma 10",
            ),
            Instance(
                "features",
                "logistic is wrong, with features",
                ("A", "B", "C", "D"),
                _matrix(((0, 1, 3, 3), (3, 0, 3, 3), (1, 1, 0, 0), (1, 1, 4, 0))),
                ((0, 0), (0, -3), (2, -1), (3, -2)),
                "pairs of three rankings B > A > D > C and one D > C > A > B: all prefer D to C",
            ),
            Instance(
                "bradley-terry",
                "logistic is right",
                ("1", "2", "3", "4", "5", "6"),
                _bradley_terry((6, 5, 4, 3, 2, 1)),
                None,
                "Bradley and Terry's model with strengths 6, 5, 4, 3, 2, 1, all pairs equally often",
            ),
        )
    }
)
