"""What the losses of RAT13 need by the page on its Theorem 3, and what refutes its false variants."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final, NamedTuple, final

from consistency_lab.apps.book.statement import Refutation
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.construction import Offsets, construct, least_dimensions
from consistency_lab.model.tasks.discrete import LossMatrix, matrix_of
from consistency_lab.numbers.exact.linear import independent_minor

# --- The losses of RAT13 with the dimensions they need, and random losses to try Theorem 3 on ------------

_Size = Callable[[int], int]


@final
class Claim(NamedTuple):
    """What a loss needs for r items: with a constant c as in the paper, and with offsets c_y."""

    name: str  #: What a person calls it.
    #: Of `catalogue.target`.
    target: str
    labels: tuple[int, ...] | str | None
    k: int | None
    sizes: Sequence[int]  #: The r that are checked.
    #: The least dimensions, and the two formulas.
    constant: _Size
    label: _Size
    shown: str

    def matrix(self, r: int) -> LossMatrix:
        """The loss for r items."""
        return matrix_of(target(self.target, items=r, labels=self.labels, k=self.k))


_ITEMS: Final[tuple[_Size, _Size]] = (lambda r: r, lambda r: r - 1)
_PRODUCTS: Final[tuple[_Size, _Size]] = (lambda r: r * (r + 1) // 2 - 1, lambda r: r * (r + 1) // 2 - 2)
_DAGS: Final[tuple[_Size, _Size]] = (lambda r: r * (r - 1) // 2 + 1, lambda r: r * (r - 1) // 2)
_ORDERS: Final[tuple[_Size, _Size]] = (_DAGS[1], _DAGS[1])

CLAIMS: Final = (
    Claim("P@1", "precision", None, 1, (2, 3, 4, 5), *_ITEMS, "r, r − 1"),
    Claim("P@2", "precision", None, 2, (3, 4, 5), *_ITEMS, "r, r − 1"),
    Claim("ERU, grades 0..1", "eru", (0, 1), None, (2, 3, 4, 5), *_ITEMS, "r, r − 1"),
    Claim("ERU, grades 0..2", "eru", (0, 1, 2), None, (2, 3, 4), *_ITEMS, "r, r − 1"),
    Claim("MAP", "map", None, None, (2, 3, 4, 5), *_PRODUCTS, "r(r+1)/2 − 1, r(r+1)/2 − 2"),
    Claim("PD, all DAGs", "pairwise", "dags", None, (2, 3, 4), *_DAGS, "r(r−1)/2 + 1, r(r−1)/2"),
    Claim("PD, rankings", "pairwise", "rankings", None, (2, 3, 4), *_ORDERS, "r(r−1)/2, r(r−1)/2"),
)


def claimed(name: str) -> Claim:
    """The claim of this name."""
    return next(claim for claim in CLAIMS if claim.name == name)


def expected(matrix: LossMatrix, p: Sequence[Fraction]) -> list[Fraction]:
    """The expected loss of each prediction."""
    return [
        sum((q * loss for q, loss in zip(p, column, strict=True)), Fraction(0))
        for column in zip(*matrix.rows, strict=True)
    ]


def dimensions() -> Iterator[Mapping[str, str] | str | bool]:
    def is_least(claim: Claim, r: int) -> bool:
        least = least_dimensions(claim.matrix(r)).of
        found = (least[Offsets.CONSTANT], least[Offsets.LABEL], least[Offsets.BOTH])
        return found == (claim.constant(r), claim.label(r), claim.label(r))

    yield from (f"    {one.name}: {one.shown}   (r = {', '.join(map(str, one.sizes))})" for one in CLAIMS)
    proved = [is_least(claim, r) for claim in CLAIMS for r in claim.sizes]
    yield {"matrices": str(len(proved))}
    yield all(proved)


def ignoring() -> Refutation:
    matrix = LossMatrix(("a", "b"), ("1", "2", "3"), _integers([[0, 1, 3], [1, 1, 2]]))
    construction = construct(matrix)
    p = (Fraction(1, 2), Fraction(1, 2))
    u, losses = construction.minimizer(p), expected(matrix, p)
    costs = [sum(x * z for x, z in zip(u, beta, strict=True)) for beta in construction.factors.right]
    chosen = costs.index(min(costs))
    return Refutation(
        construction.offsets is Offsets.BOTH
        and costs.count(min(costs)) == 1
        and losses[chosen] > min(losses),
        f"ℓ = [[0, 1, 3], [1, 1, 2]], p = (1/2, 1/2): without b_t the decoder returns {chosen + 1}, of "
        f"expected loss {losses[chosen]} in place of {min(losses)}",
    )


def fewer_scores() -> Refutation:
    matrix = claimed("P@1").matrix(3)
    first = matrix.rows[0]
    double = [
        [int(x - row[0] - z + first[0]) for x, z in zip(row, first, strict=True)] for row in matrix.rows
    ]
    rows, columns = independent_minor(double)
    (a, b), (c, d) = ([double[y][t] for t in columns] for y in rows)
    labels = " and ".join(matrix.labels[y] for y in rows)
    predictions = " and ".join(matrix.predictions[t] for t in columns)
    return Refutation(
        len(rows) == construct(matrix).dimension == 2 and a * d != b * c,
        f"r = 3, q = 1: d = 2, and the double differences [[{a}, {b}], [{c}, {d}]] at the labels {labels} "
        f"and the orders {predictions} have the determinant {a * d - b * c}, so no d = 1 will do",
    )


def one_constant() -> Refutation:
    matrix = claimed("PD, all DAGs").matrix(2)
    least = least_dimensions(matrix).of
    return Refutation(
        least[Offsets.CONSTANT] == 2 and least[Offsets.LABEL] == 1,
        "r = 2 with the labels {}, 1 → 2 and 2 → 1: the rows −c (1, 1), (−c, 1 − c) and (1 − c, −c) span 2 "
        "dimensions for every c, not 1 = r(r−1)/2; with c_y one is enough",
    )


def twice_the_bound() -> Refutation:
    matrix = LossMatrix(("a", "b"), ("a", "b"), _integers([[0, 1], [1, 0]]))
    construction = construct(matrix)
    p = (Fraction(3, 4), Fraction(1, 4))
    u, tie = construction.minimizer(p), (Fraction(0),) * construction.dimension
    losses = expected(matrix, p)
    regret = max(losses[t] for t in construction.decode(tie)) - min(losses)
    excess = sum(((x - z) ** 2 for x, z in zip(u, tie, strict=True)), Fraction(0))
    return Refutation(
        len(construction.decode(tie)) == 2 and excess * construction.squared_distance == regret**2 > 0,
        f"0-1 loss of two classes, p = (3/4, 1/4), u = 0: the wrong class of regret {regret} costs {excess}, "
        f"just ε²/D² with D² = {construction.squared_distance}",
    )


def _integers(rows: list[list[int]]) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(map(Fraction, row)) for row in rows)
