"""Time to fit Bradley-Terry to many items, against choix, evalica and scikit-learn, at equal accuracy.

Run with ``python benchmarks/bench_fit.py``. All fit the same seeded games, in which all pairs meet or one in
ten, about 20 times each. choix gets the matrix of wins for its quickest algorithm, and a list of games, where
they are few, for `opt_pairwise`, which goes through them in Python. evalica gets rows of pairs, indexed
before, with their wins as weights, for its compiled iteration. scikit-learn gets a row of the sparse design
for each pair and way, weighted by its wins, and no penalty. What is compared is processor time of the fit
alone, the data being in the form that each of them wants, at the tightest tolerance at which each ends well;
the excess is by how much the average loss of a game is above the least that any of them has found, and the
gradient is its largest entry divided by the largest number of wins. Peers that are not installed are left
out.

A second table grows: games of items drawn at random, 33 for each item, which ours gets as a matrix and as a
sparse array. Its peers are evalica and the least code that does the same, a sparse Newton of 25 lines.
"""

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, cg
from timing import cpu_of, load, print_table, single_threaded

from consistency_lab.numbers.phi import named
from consistency_lab.solve.edges import minimize_edges

SIZES = (50, 150, 300)
GROWING = (375, 750, 1500, 3000)
GAMES = 33
DENSEST = 5000
"""No matrix is made of more items."""

SHARES = (1.0, 0.1)
RUNS = 5
FEW_GAMES = 5_000
PHI = named("logistic").expression

Array = NDArray[np.float64]
Fit = Callable[[], Array]


def games(m: int, share: float) -> Array:
    rng = np.random.default_rng(m)
    u = rng.normal(size=m)
    n = np.triu(rng.poisson(20, (m, m)) * (rng.random((m, m)) < share), 1)
    won = rng.binomial(n, 1 / (1 + np.exp(u[None] - u[:, None])))
    return np.asarray(won + (n - won).T, dtype=np.float64)


def quality(a: Array, scores: Array) -> tuple[float, float]:
    """The average loss of a game, and the largest entry of the gradient over the most wins."""
    x = scores[:, None] - scores[None, :]
    below = 1 / (1 + np.exp(x))
    flow = a * below
    gradient = flow.sum(axis=0) - flow.sum(axis=1)
    return float((a * np.logaddexp(0, -x)).sum() / a.sum()), float(np.abs(gradient).max() / a.max())


def with_scikit(a: Array, tolerance: float, solver: str) -> Fit:
    """A row for each ordered pair that has wins: +1 for the first, -1 for the second, and the class is 1.

    A regression needs both classes, so each row of a pair i > j is turned round.
    """
    from scipy.sparse import csr_array
    from sklearn.linear_model import LogisticRegression

    i, j = np.nonzero(a)
    rows = np.repeat(np.arange(len(i)), 2)
    turned = np.where(i > j, -1.0, 1.0)
    values = np.stack((turned, -turned), axis=1).ravel()
    design = csr_array((values, (rows, np.stack((i, j), axis=1).ravel())), shape=(len(i), len(a)))
    # The last score is 0, or else the minimum is not unique and Newton's method fails.
    design = design[:, :-1]
    model = LogisticRegression(C=np.inf, fit_intercept=False, tol=tolerance, max_iter=10_000, solver=solver)

    def fit() -> Array:
        model.fit(design, turned > 0, sample_weight=a[i, j])
        return np.append(model.coef_[0], 0.0)

    return fit


def with_choix(a: Array) -> Fit:
    import choix

    return partial(choix.ilsr_pairwise_dense, a, max_iter=1000)


def with_evalica(a: Array) -> Fit:
    from evalica import Winner, bradley_terry
    from pandas import Index

    i, j = np.nonzero(a)
    names = list(range(len(a)))
    given = i.tolist(), j.tolist(), [Winner.X] * len(i)
    options = {"weights": a[i, j].tolist(), "index": Index(names)}

    def fit() -> Array:
        found = bradley_terry(*given, **options, tolerance=1e-8, limit=10_000).scores
        return np.log(found[names].to_numpy(dtype=np.float64))

    return fit


def game_by_game(a: Array) -> Fit:
    import choix

    i, j = np.nonzero(a)
    counts = a[i, j].astype(int)
    pairs = list(zip(np.repeat(i, counts).tolist(), np.repeat(j, counts).tolist(), strict=True))
    return partial(choix.opt_pairwise, len(a), pairs)


def measure(m: int, share: float) -> list[list[str]]:
    a = games(m, share)
    fits: dict[str, Fit] = {"ours": lambda: minimize_edges(PHI, a).scores}
    if find_spec("choix"):
        fits["choix ilsr_pairwise_dense"] = with_choix(a)
        if a.sum() < FEW_GAMES:
            fits["choix opt_pairwise"] = game_by_game(a)
    if find_spec("evalica"):
        fits["evalica"] = with_evalica(a)
    if find_spec("sklearn"):
        for solver in ("lbfgs", "newton-cholesky"):
            fits[f"scikit-learn {solver}"] = with_scikit(a, 1e-7, solver)
    timed = {name: cpu_of(RUNS, fit) for name, fit in fits.items()}
    found = {name: quality(a, np.asarray(scores)) for name, (_, scores) in timed.items()}
    least = min(value for value, _ in found.values())
    ours = timed["ours"][0]
    return [
        [
            f"{m}, {share:.0%}",
            name,
            f"{seconds * 1e3:.1f} ms",
            f"{seconds / ours:.1f}",
            f"{found[name][0] - least:.0e}",
            f"{found[name][1]:.0e}",
        ]
        for name, (seconds, _) in timed.items()
    ]


def drawn(m: int) -> csr_array:
    rng = np.random.default_rng(m)
    u, n = rng.normal(size=m), GAMES * m
    i = rng.integers(0, m, n)
    j = (i + rng.integers(1, m, n)) % m
    first = rng.random(n) < 1 / (1 + np.exp(u[j] - u[i]))
    return csr_array((np.ones(n), (np.where(first, i, j), np.where(first, j, i))), shape=(m, m))


def sparse_newton(a: csr_array) -> Array:
    m, wins = a.shape[0], a.tocoo()
    i, j, c = wins.row, wins.col, wins.data
    s = np.zeros(m)
    value = float((c * np.logaddexp(0, s[j] - s[i])).sum())
    for _ in range(60):
        lose = c / (1 + np.exp(s[i] - s[j]))
        gradient = np.bincount(j, lose, m) - np.bincount(i, lose, m)
        if np.abs(gradient).max() < 1e-9 * c.max():
            break
        bend = lose * (1 - lose / c)
        total = np.bincount(i, bend, m) + np.bincount(j, bend, m)
        entries = np.concatenate((total, -bend, -bend))
        rows = np.concatenate((np.arange(m), i, j))
        hessian = csr_array((entries, (rows, np.concatenate((np.arange(m), j, i)))), shape=(m, m))
        accuracy = min(0.1, float(np.sqrt(np.abs(gradient).max() / c.sum())))
        jacobi = LinearOperator((m, m), matvec=partial(np.multiply, 1 / np.maximum(total, 1e-12)))
        step = cg(hessian, -gradient, rtol=accuracy, M=jacobi, maxiter=400)[0]
        length = 1.0
        while (
            reached := float((c * np.logaddexp(0, (s + length * step)[j] - (s + length * step)[i])).sum())
        ) > (value + 1e-4 * length * float(gradient @ step)) and length > 1e-10:
            length /= 2
        s, value = s + length * step, reached
    return s - s.mean()


def grow(m: int) -> list[list[str]]:
    a = drawn(m)
    fits: dict[str, Fit] = {"ours, sparse": lambda: minimize_edges(PHI, a).scores}
    if m <= DENSEST:
        dense = a.toarray()
        fits["ours, a matrix"] = lambda: minimize_edges(PHI, dense).scores
        if find_spec("evalica"):
            fits["evalica"] = with_evalica(dense)
    fits["sparse Newton of 25 lines"] = partial(sparse_newton, a)
    timed = {name: cpu_of(RUNS, fit) for name, fit in fits.items()}
    ours = timed["ours, sparse"][0]
    i, j = a.nonzero()
    rows = []
    for name, (seconds, scores) in timed.items():
        lose = a.data / (1 + np.exp(scores[i] - scores[j]))
        gradient = np.abs(np.bincount(j, lose, m) - np.bincount(i, lose, m)).max() / a.data.max()
        rows.append([f"{m:,}", name, f"{seconds * 1e3:.1f} ms", f"{seconds / ours:.1f}", f"{gradient:.0e}"])
    return rows


def main() -> None:
    print_table(
        f"Bradley-Terry of many items, processor time; {load()}",
        ["items, pairs", "fit", "time", "ratio", "excess", "gradient"],
        [row for m in SIZES for share in SHARES for row in measure(m, share)],
        texts=2,
    )
    print_table(
        f"Bradley-Terry of {GAMES} games an item, processor time; {load()}",
        ["items", "fit", "time", "ratio", "gradient"],
        [row for m in GROWING for row in grow(m)],
        texts=2,
    )


if __name__ == "__main__":
    single_threaded()
    main()
