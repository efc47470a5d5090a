"""Separation certificates for the logistic loss on three items, by Newton's method in plain Python."""

from fractions import Fraction
from math import exp, floor, log, log1p

from consistency_lab.exact import rank, solve_linear

from .oracle import certified_gap
from .witnesses import (
    LOGISTIC,
    Document,
    bound,
    conditions,
    edge,
    failure,
    graph,
    optimum,
    sealed,
    witness,
)

Edges = dict[tuple[int, int], int]
_DIGITS = 10**7


def risk(edges: Edges, alpha: list[float]) -> float:
    return sum(a * log1p(exp(alpha[j] - alpha[i])) for (i, j), a in edges.items())


def minimizer(edges: Edges, free: list[list[int]]) -> list[float]:
    """Minimize over alpha in the span of one or two 0/1 vectors."""
    alpha = [0.0, 0.0, 0.0]
    for _ in range(60):
        gradient, hessian = [0.0] * len(free), [[0.0] * len(free) for _ in free]
        for (i, j), a in edges.items():
            s = -1 / (1 + exp(alpha[i] - alpha[j]))
            along = [u[i] - u[j] for u in free]
            for k, x in enumerate(along):
                gradient[k] += a * s * x
                for n, y in enumerate(along):
                    hessian[k][n] -= a * s * (1 + s) * x * y
        step = _solve(hessian, gradient)
        alpha = [x - sum(t * u[i] for t, u in zip(step, free, strict=True)) for i, x in enumerate(alpha)]
    return alpha


def _solve(matrix: list[list[float]], right: list[float]) -> list[float]:
    if len(right) == 1:
        return [right[0] / matrix[0][0]]
    (a, b), (c, d) = matrix
    determinant = a * d - b * c
    return [(d * right[0] - b * right[1]) / determinant, (a * right[1] - c * right[0]) / determinant]


def separation(a12: int, a13: int, a23: int, a31: int, wrong: tuple[int, int], regret: int) -> Document:
    """A document for additive d in the order 1, 2, 3, of which the minimizer inverts the pair `wrong`."""
    edges: Edges = {(0, 1): a12, (0, 2): a13, (1, 2): a23, (2, 0): a31}
    i, j = wrong
    third = 3 - i - j
    alpha = minimizer(edges, [[1, 0, 0], [0, 1, 0]])
    scores = [Fraction(round(x * 100), 100) for x in alpha]
    boundary = minimizer(edges, [[int(k == third) for k in range(3)]])
    proposed = [Fraction(round(-_DIGITS / (1 + exp(boundary[x] - boundary[y]))), _DIGITS) for x, y in edges]
    multiplier, slopes = _balanced(edges, proposed, wrong)
    names = ["1", "2", "3"]
    document = witness(
        claim="inconsistent",
        items=names,
        graphs=[
            graph("1/2", f"1 2 {2 * a12}", f"1 3 {2 * a13}", f"2 3 {2 * a23}"),
            graph("1/2", f"3 1 {2 * a31}"),
        ],
        aggregate=[["0", str(a12), str(a13)], ["0", "0", str(a23)], [str(a31), "0", "0"]],
        surrogate={"family": "edge", "name": "logistic", "phi": LOGISTIC, "h": "a"},
        conditions=conditions("additive"),
        scores=[str(x) for x in scores],
        decimals=[f"{float(x):.6f}" for x in scores],
        optimum=optimum(
            str(a31),
            str(a31 + regret),
            str(regret),
            str(Fraction(regret, a12 + a13 + a23 + a31)),
            "1 2 3",
        ),
        failure=failure("strict", f"{names[i]} {names[j]} {edges[wrong]} below"),
        certificate={
            "kind": "separation",
            "terms": [edge(str(a), LOGISTIC, names[x], names[y]) for (x, y), a in edges.items()],
            "bounds": [
                bound(
                    f"{names[i]} {names[j]}",
                    str(multiplier),
                    " ".join(map(str, slopes)),
                    *map(_bracket, slopes),
                )
            ],
            "gap": "0",
        },
    )
    document["certificate"]["gap"] = str(certified_gap(document))  # type: ignore[index]
    return sealed(document)


def _balanced(
    edges: Edges, proposed: list[Fraction], pair: tuple[int, int]
) -> tuple[Fraction, list[Fraction]]:
    """Slopes near the proposed ones with sum a s (e_i - e_j) = multiplier * (e_pair[0] - e_pair[1])."""
    columns = [[Fraction(a * ((k == i) - (k == j))) for k in range(3)] for (i, j), a in edges.items()]
    target = [Fraction((k == pair[1]) - (k == pair[0])) for k in range(3)]
    # Two balances are independent: they fix the multiplier and the slope of one term across the half-space.
    for t, column in enumerate(columns):
        rows = [list(row) for row in zip(target, column, strict=True)]
        if rank(rows) == 2:
            others = [n for n in range(len(columns)) if n != t]
            right = [-sum((columns[n][k] * proposed[n] for n in others), Fraction(0)) for k in range(3)]
            solution = solve_linear(rows, right)
            assert solution is not None
            return solution[0], [*proposed[:t], solution[1], *proposed[t + 1 :]]
    raise AssertionError("the graph is connected, so one of the edges will do")


def _bracket(slope: Fraction) -> str:
    """Decimals around the point log((1 + s)/(-s)) at which the slope is s."""
    point = log(float((1 + slope) / -slope)) * 10**6
    return f"{Fraction(floor(point) - 1, 10**6)} {Fraction(floor(point) + 2, 10**6)}"
