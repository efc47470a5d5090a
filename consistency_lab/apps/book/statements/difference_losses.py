"""What the page on losses on the difference graph computes, and what refutes its false variants."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from consistency_lab.apps.book.risk import by_core, linear_falls, weights
from consistency_lab.apps.book.statement import Line, Refutation
from consistency_lab.apps.book.ticked import sp, ticked
from consistency_lab.model.distribution import Distribution
from consistency_lab.numbers.exact import Matrix
from consistency_lab.numbers.exact.linear import solve_linear


def unbounded() -> Refutation:
    p = Distribution.from_aggregate(weights(3, {(1, 2): 1, (2, 3): 1, (1, 3): 2}))
    return linear_falls(p, (3, -2, -1), "φ(x) = −x, ")


def three_items() -> Iterator[str | Line]:
    """Where W is least: x and y in closed form."""
    d12, d23, d13 = sp.symbols("d_12 d_23 d_13", positive=True)
    x, y = sp.symbols("x y", real=True)
    risk = d12 * (1 - x) ** 2 + d23 * (1 - y) ** 2 + d13 * (1 - x - y) ** 2
    found = sp.solve([sp.diff(risk, x), sp.diff(risk, y)], [x, y], dict=True)[0]
    for name, variable in (("x", x), ("y", y)):
        shown = str(sp.factor(found[variable])).replace("**", "^").replace("*", " ")
        yield f"{name} ="
        yield ticked(f"{shown} > 0 for d_12, d_23, d_13 > 0")


def four_items(counts: str) -> Line:
    found = by_core("difference-square", counts, "low-noise", "strict")
    first, more = found.witness.replace(", scores", "\nscores").split("\n")
    return Line(first, found.refuted, (more,))


def minimizer(d: Matrix) -> Sequence[Fraction]:
    """The minimizer of sum [d_ij]_+ (1 - alpha_i + alpha_j)^2 with last score 0, if there is only one."""
    m = len(d)
    total = [sum(map(abs, row), Fraction(0)) for row in d]
    rows = [[total[i] if i == j else -abs(d[i][j]) for j in range(m)] for i in range(m)]
    rows.append([Fraction(j == m - 1) for j in range(m)])
    scores = solve_linear(rows, [*(sum(row, Fraction(0)) for row in d), Fraction(0)])
    assert scores is not None  # a connected graph
    return scores
