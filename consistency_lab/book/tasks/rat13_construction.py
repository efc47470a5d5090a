"""The losses of RAT13 with the dimensions they need, and random losses to try Theorem 3 on."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from random import Random
from typing import Final, NamedTuple, final

from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.construction import Construction, construct
from consistency_lab.model.tasks.dimension import Offsets
from consistency_lab.model.tasks.loss_matrix import LossMatrix, matrix_of

_SEED: Final = 2013
_EACH: Final = 5

_Size = Callable[[int], int]


@final
class Claim(NamedTuple):
    """What a loss needs for r items: with a constant c as in the paper, and with offsets c_y.

    Parameters
    ----------
    name
        What a person calls it.
    target, labels, k
        Of `catalogue.target`.
    sizes
        The r that are checked.
    constant, label
        The least dimensions.
    shown
        The two formulas.
    """

    name: str
    target: str
    labels: tuple[int, ...] | str | None
    k: int | None
    sizes: Sequence[int]
    constant: _Size
    label: _Size
    shown: str

    def matrix(self, r: int) -> LossMatrix:
        """The loss for r items."""
        return matrix_of(target(self.target, items=r, labels=self.labels, k=self.k))


def _items(r: int) -> int:
    return r


def _fewer(r: int) -> int:
    return r - 1


def _pairs(r: int) -> int:
    return r * (r - 1) // 2


def _one_more(r: int) -> int:
    return _pairs(r) + 1


def _products(r: int) -> int:
    return r * (r + 1) // 2 - 1


def _products_fewer(r: int) -> int:
    return r * (r + 1) // 2 - 2


CLAIMS: Final = (
    Claim("P@1", "precision", None, 1, (2, 3, 4, 5), _items, _fewer, "r, r − 1"),
    Claim("P@2", "precision", None, 2, (3, 4, 5), _items, _fewer, "r, r − 1"),
    Claim("ERU, grades 0..1", "eru", (0, 1), None, (2, 3, 4, 5), _items, _fewer, "r, r − 1"),
    Claim("ERU, grades 0..2", "eru", (0, 1, 2), None, (2, 3, 4), _items, _fewer, "r, r − 1"),
    Claim("MAP", "map", None, None, (2, 3, 4, 5), _products, _products_fewer, "r(r+1)/2 − 1, r(r+1)/2 − 2"),
    Claim("PD, all DAGs", "pairwise", "dags", None, (2, 3, 4), _one_more, _pairs, "r(r−1)/2 + 1, r(r−1)/2"),
    Claim("PD, rankings", "pairwise", "rankings", None, (2, 3, 4), _pairs, _pairs, "r(r−1)/2, r(r−1)/2"),
)


def claimed(name: str) -> Claim:
    """The claim of this name."""
    return next(claim for claim in CLAIMS if claim.name == name)


def sampled() -> Iterator[tuple[Construction, tuple[Fraction, ...]]]:
    """Constructions of all kinds, with random distributions, some of which have few labels."""
    rng = Random(_SEED)
    matrices = [claim.matrix(3) for claim in CLAIMS]
    matrices += [_random(rng, n, k, d) for n, k, d in ((3, 4, 1), (5, 4, 2), (6, 9, 3))]
    for matrix in matrices:
        for kind in Offsets:
            construction = construct(matrix, kind)
            for number in range(_EACH):
                weights = [
                    rng.randint(0, 4) if rng.random() < (number + 1) / _EACH else 0 for _ in matrix.labels
                ]
                weights[rng.randrange(len(weights))] += 1
                total = sum(weights)
                yield construction, tuple(Fraction(x, total) for x in weights)


def _random(rng: Random, n: int, k: int, d: int) -> LossMatrix:
    """A loss of rank d plus offsets of both kinds."""
    alpha, beta = ([[rng.randint(-3, 3) for _ in range(d)] for _ in range(size)] for size in (n, k))
    by_label, by_prediction = ([rng.randint(0, 9) for _ in range(size)] for size in (n, k))
    rows = tuple(
        tuple(
            Fraction(
                sum(x * z for x, z in zip(alpha[y], beta[t], strict=True)) + by_label[y] + by_prediction[t], 2
            )
            for t in range(k)
        )
        for y in range(n)
    )
    return LossMatrix(tuple(f"y{y}" for y in range(n)), tuple(f"t{t}" for t in range(k)), rows)


def expected(matrix: LossMatrix, p: Sequence[Fraction]) -> list[Fraction]:
    """The expected loss of each prediction."""
    return [
        sum((q * loss for q, loss in zip(p, column, strict=True)), Fraction(0))
        for column in zip(*matrix.rows, strict=True)
    ]
