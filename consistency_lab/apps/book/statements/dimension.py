"""How many scores a convex surrogate needs, and what an excess of least squares costs.

Labels y = 1, …, n, predictions t = 1, …, k, losses ℓ(y, t), ℓ_t the column of t; calibrated as in RAT13.
"""

from fractions import Fraction
from itertools import combinations, permutations
from typing import Final, NamedTuple, final

from consistency_lab.apps.book.statement import Line, Refutation, Statement, Step, check, false, step
from consistency_lab.apps.book.ticked import ticked
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.construction import Offsets, construct, least_dimensions
from consistency_lab.model.tasks.discrete import LossMatrix, matrix_of
from consistency_lab.numbers.exact.linear import common_denominator, integer_rank

_ANY: Final = "all finite losses"
_ONE: Final = Fraction(1)


def fewest(matrix: LossMatrix, p: tuple[Fraction, ...]) -> int:
    """What the theorem says at p: no convex calibrated surrogate has fewer scores.

    Examples
    --------
    >>> rows = tuple(tuple(Fraction(y != t) for t in range(3)) for y in range(3))
    >>> fewest(LossMatrix(tuple("abc"), tuple("abc"), rows), (Fraction(1, 3),) * 3)
    2
    """
    held = [y for y, q in enumerate(p) if q]
    columns = [[matrix.rows[y][t] for y in held] for t in range(len(matrix.predictions))]
    costs = [sum((p[y] * x for y, x in zip(held, column, strict=True)), Fraction(0)) for column in columns]
    best = [column for column, cost in zip(columns, costs, strict=True) if cost == min(costs)]
    gaps = [[x - z for x, z in zip(column, best[0], strict=True)] for column in best]
    return integer_rank(common_denominator([[_ONE] * len(held), *gaps])[0]) - 1


@final
class _Case(NamedTuple):
    name: str
    target: str
    labels: tuple[int, ...] | str | None
    sizes: tuple[int, ...]
    more: tuple[int, ...]  #: The sizes at which more scores than items are needed.

    def numbers(self, r: int) -> tuple[int, int]:
        """At least, by the theorem where all labels are alike, and enough, by RAT13 Theorem 3."""
        matrix = matrix_of(target(self.target, items=r, labels=self.labels))
        n = len(matrix.labels)
        return fewest(matrix, (Fraction(1, n),) * n), least_dimensions(matrix).of[Offsets.BOTH]


_CASES: Final = (
    _Case("0-1 loss", "zero-one", None, (2, 3, 4, 5), ()),
    _Case("P@1", "wta", (0, 1), (2, 3, 4), ()),
    _Case("ERU, grades 0..2", "eru", (0, 1, 2), (2, 3, 4), ()),
    _Case("MAP", "map", (0, 1), (2, 3, 4, 5), (3, 4, 5)),
    _Case("ERR, grades 0..1", "err", (0, 1), (2, 3, 4), (3, 4)),
    _Case("PD, rankings", "pairwise", "rankings", (2, 3, 4), (4,)),
    _Case("PD, all DAGs", "pairwise", "dags", (2, 3, 4), (4,)),
)


# --- The convex calibration dimension --------------------------------------------------------------------


def _kernels() -> Step:
    return step(
        "If ψ ≥ 0 is convex in d scores and calibrated, d ≥ rank{1, ℓ_s − ℓ_t : s, t optimal at p} − 1",
        f"{_ANY}, every p, taken on the labels with p_y > 0",
        "approximate subgradients and a limit, in words",
        "Let p_y > 0 on n labels, p·ψ(u_m) ≤ inf p·ψ + ε_m, ε_m → 0. Then 0 = Σ p_y w_y with w_y an",
        "(ε_m/p_y)-subgradient of ψ_y at u_m. The q with Σ q_y w_y = 0 form a space that holds p, of",
        "dimension at least n − d; those of sum 1 are p + V_m, dim V_m ≥ n − 1 − d. For q ≥ 0 among them,",
        "q·ψ(u_m) ≤ inf q·ψ + ε_m max q_y/p_y. Take a subsequence along which V_m (cut to n − 1 − d",
        "dimensions) tends to some V, and pred(u_m) is one t. For small v in V let v_m in V_m tend to v.",
        "ψ(u_m) is bounded, as p·ψ(u_m) is, and inf q·ψ is concave, so continuous at q = p + v > 0: hence",
        "q·ψ(u_m) → inf q·ψ, and, ψ being calibrated, t is optimal at p + v and at p − v, and so at p.",
        "If s is optimal at p too, (ℓ_s − ℓ_t)·v ≥ 0 and ≤ 0: V lies in {v : Σ v = 0, (ℓ_s − ℓ_t)·v = 0},",
        "a space of dimension n − rank, whence n − 1 − d ≤ n − rank.",
    )


def _numbers() -> Step:
    found = [(one, r, *one.numbers(r)) for one in _CASES for r in one.sizes]
    shown = [
        Line(
            f"{one.name}: {', '.join(str(low) for case, _, low, _ in found if case is one)}   "
            f"(r = {', '.join(map(str, one.sizes))})",
            all(low == enough for case, _, low, enough in found if case is one),
        )
        for one in _CASES
    ]
    return step(
        "Where all predictions are optimal at a p of full support, the least number of scores is this rank",
        "r ≤ 5",
        f"{len(found)} loss matrices, ranks by exact elimination; at uniform p all predictions cost the same",
        "With offsets c_y and b_t RAT13 Theorem 3 needs the rank of the double differences of ℓ, which is",
        "rank{1, ℓ_s − ℓ_t} − 1 over all s, t: the two bounds meet. Scores needed and enough:",
        *shown,
    )


@false("As many scores as predictions less one are always needed.")
def _all_predictions() -> Refutation:
    matrix = matrix_of(target("wta", items=3, labels=(0, 1)))
    enough = construct(matrix).dimension
    return Refutation(
        enough == 2 and len(matrix.predictions) == 6,
        "P@1 of three items: 6 predictions, and 2 scores are enough",
    )


@false("The rank of ℓ is needed, without 1 and offsets: the 0-1 loss of three classes.")
def _plain_rank() -> Refutation:
    rows = tuple(tuple(Fraction(y != t) for t in range(3)) for y in range(3))
    found = construct(LossMatrix(tuple("abc"), tuple("abc"), rows))
    return Refutation(
        found.dimension == 2 and integer_rank([[int(x) for x in row] for row in rows]) == 3,
        "two scores do, and the rank is 3",
    )


CALIBRATION_DIMENSION: Final = Statement(
    latex=(
        r"A convex \(\psi: Y \times \mathbf{R}^d \to \mathbf{R}_+\) that is calibrated with \(\ell\)"
        r" has \(d \ge"
        r" \mathrm{rank}\{1, \ell_s - \ell_t : s, t \text{ optimal at } p\} - 1\) for every p; and"
        r" if all t are"
        r" optimal at a p of full support, so many are enough."
    ),
    plain="The least number of scores of a convex calibrated surrogate is a rank, if one p makes all ties.",
    hypotheses=(
        r"\(\psi\) is finite and convex in u",
        "for equality: all predictions are optimal at one p > 0",
    ),
    citation=(
        "after Ramaswamy and Agarwal 2012, 2016 (read: the abstracts; their bound has the dimension"
        " of feasible"
        " subspaces); the proof, and the equality, are ours"
    ),
    check=check(
        _ANY,
        lambda: [_kernels(), _numbers()],
        "At these r it is r(r + 1)/2 − 2 for MAP, r(r − 1)/2 for PD, and r − 1 for P@1 and ERU.",
    ),
    variants=(_all_predictions, _plain_rank),
)


# --- Calauzènes, Usunier and Gallinari 2012 --------------------------------------------------------------


def _too_many() -> Step:
    found = [(one, r, one.numbers(r)[0]) for one in _CASES for r in one.sizes]
    lines = [
        Line(f"{one.name}, r = {r}: at least {low} scores", low > r) for one, r, low in found if r in one.more
    ]
    return step(
        "MAP and ERR of three items, and PD of four, need more scores than there are items",
        "r = 3, 4, 5 (MAP), 3, 4 (ERR), 4 (PD)",
        "calibration-dimension at the uniform p, by exact ranks",
        *lines,
        all((low > r) == (r in one.more) for one, r, low in found),
    )


@false("The dimension excludes it for PD of three items as well.")
def _three() -> Refutation:
    low, enough = next(one for one in _CASES if one.name == "PD, all DAGs").numbers(3)
    return Refutation(
        low == enough == 3, "r = 3: three scores are enough, u_12, u_13, u_23, though not decoded by sorting"
    )


@false("No convex surrogate of r scores is calibrated for ERU.")
def _eru() -> Refutation:
    low, enough = next(one for one in _CASES if one.target == "eru").numbers(3)
    return Refutation(low == enough == 2, "r = 3: two scores are enough")


CALAUZENES_2012: Final = Statement(
    latex=(
        r"No convex \(\psi: Y \times \mathbf{R}^r \to \mathbf{R}_+\), with whatever decoder, is"
        r" calibrated for MAP"
        r" of 3, 4 or 5 items, ERR of 3 or 4, or PD of 4, for all p."
    ),
    plain="No convex loss of one score an item is right at every distribution for MAP, ERR or disagreement.",
    hypotheses=(r"\(\psi\) is finite and convex in u", "relevance 0 or 1 (MAP, ERR), rankings or DAGs (PD)"),
    citation="after Calauzènes, Usunier and Gallinari 2012 (read: the abstract, on sorting by"
    " scores); proof ours",
    check=check(
        "r ≤ 5 (MAP), r ≤ 4 (ERR, PD)",
        lambda: [_kernels(), _too_many()],
        "The paper is about scores that are sorted, for which it may exclude more: PD of three"
        " items, say. Here"
        " any decoder is excluded.",
    ),
    variants=(_three, _eru),
)


# --- Osokin, Bach and Lacoste-Julien 2017, beside our H --------------------------------------------------


def _zero_one_excess() -> Step:
    return step(
        "For the 0-1 loss of k classes H(ε) = ε²/(4k), for (1/(2k)) |f + ℓ_y|² with free f",
        "all k ≥ 2",
        "identities, by SymPy",
        "The minimizer is f = −Σ p_y ℓ_y = p − 1, the excess |f − p + 1|²/(2k). Where t is predicted and",
        "p_s − p_t = ε, f_t ≥ f_s, and the nearest such f has both at the middle c:",
        ticked("((p_s − c)² + (p_t − c)²)/(2k) = (p_s − p_t)²/(4k) for c = (p_s + p_t)/2"),
        "With D² = |e_s − e_t|² = 2 this is",
        ticked("ε²/(2k D²) = ε²/(4k) for D = √2"),
        "so the bound H(ε) ≥ ε²/D² of rat13-theorem-3, divided by 2k, is attained.",
    )


def _beside() -> Step:
    shown = []
    for r in (2, 3, 4):
        first, *others = permutations(range(r))
        pairs = list(combinations(range(r), 2))
        most = max(sum(t.index(i) > t.index(j) for i, j in pairs) for t in others)
        shown.append(Line(f"r = {r}: D² = {most} from {first}", most == r * (r - 1) // 2))
    return step(
        "For pairwise disagreement the r(r − 1)/2 scores of pairs have H(ε) ≥ ε²/(r(r − 1)/2) at every p",
        "all r",
        "rat13-theorem-3, D by counting",
        "With u_ij ≈ y_ij − y_ji, i < j, β_t has the entries 0 and −1 up to offsets: two orders are at most",
        "√(r(r − 1)/2) apart. Regression on r net preferences has H = 0 for r ≥ 3 (docs/measure.md),",
        "and 3r/(r² − 1) ε² where differences are additive: fewer scores, and the same power of ε.",
        *shown,
    )


@false("Twice the bound holds for the 0-1 loss: ε²/(2k).")
def _twice() -> Refutation:
    p, f = (Fraction(3, 4), Fraction(1, 4)), (Fraction(1, 2), Fraction(1, 2))
    excess = sum(((x - y) ** 2 for x, y in zip(p, f, strict=True)), Fraction(0)) / 4
    return Refutation(
        excess == Fraction(1, 4) / 8, f"k = 2, p = (3/4, 1/4), f a tie: regret 1/2, excess {excess} = ε²/8"
    )


OSOKIN_2017: Final = Statement(
    latex=(
        r"Least squares \(\frac{1}{2k} |f + \ell_y|^2\) has \(H(\epsilon) \ge \epsilon^2 / (2k"
        r" D^2)\), \(D\) the"
        r" largest distance of two predictions; for the 0-1 loss \(H(\epsilon) = \epsilon^2/(4k)\)."
    ),
    plain="The least-squares surrogate of Osokin, Bach and Lacoste-Julien has the bound of RAT13 Theorem 3.",
    hypotheses=("Y = T has k elements, f is free",),
    citation="after Osokin, Bach and Lacoste-Julien 2017 (read: the abstract); the proof is ours",
    check=check(
        "all k",
        lambda: [_zero_one_excess(), _beside()],
        "The paper's theorem was not read; constants may differ from its own.",
    ),
    variants=(_twice,),
)
