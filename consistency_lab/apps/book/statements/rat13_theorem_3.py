r"""RAT13 Theorem 3: a loss of low rank has a calibrated least-squares surrogate of as many scores.

Here with offsets c_y of the label and b_t of the prediction in place of the one constant c, with the bound
H(e) >= e^2 / max |beta_t - beta_t'|^2, and with the least number of scores, which Coq does not have.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final, NamedTuple, final

from consistency_lab.apps.book.statement import Refutation, Statement, Step, check, false, idea, step
from consistency_lab.apps.book.ticked import ticked
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


# --- The statement ---------------------------------------------------------------------------------------


def _least() -> Step:
    return step(
        "The least d with c_y and b_t is the rank of the double differences",
        "all finite losses",
        "an identity, by SymPy; ranks by hand",
        "Let D(y,t) = ℓ(y,t) − ℓ(y,0) − ℓ(0,t) + ℓ(0,0). If ℓ(y,t) = g_yt + c_y + b_t, g_yt = ⟨α_y,β_t⟩:",
        "D(y,t) is",
        ticked(
            "g_yt + c_y + b_t − (g_y0 + c_y + b_0) − (g_0t + c_0 + b_t) + g_00 + c_0 + b_0",
            "    = g_yt − g_y0 − g_0t + g_00",
        ),
        "which is ⟨α_y − α_0, β_t − β_0⟩: D has rank at most d. Conversely D = ABᵀ with rank D columns",
        "gives such α and β, with c_y = ℓ(y,0), b_t = ℓ(0,t) − ℓ(0,0). Without b_t the same holds for",
        "ℓ(y,t) − ℓ(y,0). With one constant c it is the least rank of ℓ − c 1 1ᵀ: rank ℓ − 1 if the",
        "vectors 1 lie in the row and the column space and c = 1/Σ(M⁻¹) for a full nonsingular minor M",
        "of ℓ with Σ(M⁻¹) ≠ 0, and rank ℓ otherwise.",
    )


def _dimensions() -> Step:

    def is_least(claim: Claim, r: int) -> bool:
        least = least_dimensions(claim.matrix(r)).of
        found = (least[Offsets.CONSTANT], least[Offsets.LABEL], least[Offsets.BOTH])
        return found == (claim.constant(r), claim.label(r), claim.label(r))

    proved = [is_least(claim, r) for claim in CLAIMS for r in claim.sizes]
    lines = [
        "Least d with one constant c, and with offsets c_y; b_t saves nothing more:",
        *(f"    {one.name}: {one.shown}   (r = {', '.join(map(str, one.sizes))})" for one in CLAIMS),
        "Why c_y saves one: Σ_i 1(σ(i) ≤ q), Σ_i 2^(1−σ(i)) and, for MAP, Σ_i 1/σ(i) as well as",
        "Σ_{j≤i} 1/max(σ(i),σ(j)) = r do not depend on σ, so a multiple of each may go into c_y. For PD,",
        "1(σ(i) > σ(j)) + 1(σ(j) > σ(i)) = 1 leaves one score a pair: u_ij ≈ y_ij − y_ji, i < j.",
    ]
    return step(
        "At most r scores for P@q and ERU, r(r+1)/2 for MAP, and with c_y r(r−1)/2 for PD",
        "r ≤ 5, PD on r ≤ 4",
        f"{len(proved)} loss matrices, ranks by exact elimination; none above what RAT13 §4–7 uses",
        *lines,
        all(proved),
    )


@false("The decoder may ignore b_t.")
def _ignoring() -> Refutation:
    """Decode without b_t where it is needed."""
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


@false("P@q has a factorization with one score less.")
def _fewer_scores() -> Refutation:
    """P@1 of three items: a minor of the double differences that is not singular."""
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


@false("With one constant c, r(r−1)/2 scores are enough for PD on all DAGs.")
def _one_constant() -> Refutation:
    """RAT13's remark on the rank of PD."""
    matrix = claimed("PD, all DAGs").matrix(2)
    least = least_dimensions(matrix).of
    return Refutation(
        least[Offsets.CONSTANT] == 2 and least[Offsets.LABEL] == 1,
        "r = 2 with the labels {}, 1 → 2 and 2 → 1: the rows −c (1, 1), (−c, 1 − c) and (1 − c, −c) span 2 "
        "dimensions for every c, not 1 = r(r−1)/2; with c_y one is enough",
    )


@false("The bound holds with twice the factor: H(ε) ≥ 2ε²/D².")
def _twice_the_bound() -> Refutation:
    """The bound is attained where u lies half way between two cells."""
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


RAT13_THEOREM_3: Final = Statement(
    latex=(
        r"If \(\ell(y,t) = \sum_{i \le d} \alpha_{yi} \beta_{ti} + c\), then"
        r" \(\sum_{i \le d} (u_i - \alpha_{yi})^2\) with"
        r" pred\((u) \in\) argmin over t of \(\sum_{i \le d} u_i \beta_{ti}\) is calibrated for all p."
    ),
    plain="Every loss matrix of low rank has a calibrated least-squares surrogate with as many scores.",
    hypotheses=(r"Y and T are finite", r"pred breaks ties in any way"),
    citation="RAT13 Theorem 3, and §4–7 for the dimensions; the offsets, the bound and the least d are ours",
    check=check(
        "all finite losses, all d, every p, every rule for ties",
        lambda: [
            idea(
                "The idea: scores near E α decode to a prediction of least expected loss",
                "all d, all p, all ties",
                "The excess of pᵀψ at u is |u − E α|². If u decodes to t, its regret over t' is at most ⟨E",
                "α − u, β_t − β_t'⟩ ≤ |u − E α| |β_t − β_t'|, by Cauchy and Schwarz.",
            ),
            _least(),
            _dimensions(),
        ],
        "RAT13 has one constant c; an offset c_y for each label is as good, since it cancels in regrets, and "
        "so is an offset b_t for each prediction that the decoder adds. H(ε) ≥ ε²/D², D = max |β_t − β_t'|.",
        "The least d is a rank: that step and the table of dimensions are not in Coq (ours).",
        "RAT13 §7 says that the loss matrix of PD has rank at most r(r−1)/2. Where the labels are all "
        "DAGs it is r(r−1)/2 + 1 and no constant c lowers it (r ≤ 4); c_y = Σ_{i<j} y_ji does.",
        "The dimensions are the least for this construction; another convex surrogate may do with fewer.",
    ),
    variants=(_ignoring, _fewer_scores, _one_constant, _twice_the_bound),
)
