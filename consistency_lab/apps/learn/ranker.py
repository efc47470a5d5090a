"""A linear ranker that learns from judgments of rows, with the interface of scikit-learn's estimators."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from math import inf
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any, ClassVar, Final, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, check_random_state, column_or_1d
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from consistency_lab.apps.learn.aggregate import AverageAdjacency, Clicks, Preferences, Structure
from consistency_lab.apps.learn.aggregate.preferences import codes
from consistency_lab.apps.learn.compiled import (
    L1_BALL,
    L2,
    L2_BALL,
    MATRIX,
    NO_PENALTY,
    Descent,
    FeatureRows,
    LabelTable,
    Scratch,
    compiled,
    curvature,
    label_table,
    steps,
)
from consistency_lab.apps.learn.losses import Loss, loss_of
from consistency_lab.apps.learn.risk import Terms, contradicted, label_sets, terms
from consistency_lab.errors import InputError, need
from consistency_lab.model.checked import checked
from consistency_lab.numbers.arrays import Floats

# --- Closed forms: the linear loss and the regression are quadratic in the weights -----------------------


def closed_form(
    matrix: Any, said: LabelTable, loss: Loss, structure: Structure, k: int | None, nu: float, lam: float
) -> Floats:
    """The weights w that minimize the U-statistic risk and lam |w|^2/2, the shortest if there are several.

    Both are quadratic: with the gradient g of the risk at scores 0, the share p_q = n_q/n of a query and its
    m_q items, (nu sum_q p_q X_q'X_q + lam) w = -X'g for the linear loss (DMJ10 Eq. 14 at alpha = Xw), and
    (sum_q p_q X_q'X_q/m_q + lam) w = -X'g for the regression.

    The average adjacency is linear in the labels, so its mean over sets is that of all labels.
    """
    if loss.name not in ("linear", "regression"):
        raise InputError(
            f'the loss {loss.name} has no closed form; use solver="sgd", or the loss linear or regression'
        )
    made = terms(said, loss, structure, None if type(structure) is AverageAdjacency else k, nu)
    wanted, nothing = np.zeros((2, said.rows.size))
    for query, share, labels in label_sets(said, made.setting.k):
        made.add(query, labels, nothing, wanted, -share)
    size, shares = np.diff(said.row_start), np.diff(said.said_start) / said.said_start[-1]
    of_row = np.empty(said.rows.size)
    of_row[said.rows] = np.repeat(shares / size if loss.name == "regression" else nu * shares, size)
    weighted = (
        matrix.multiply(of_row[:, None]).tocsr() if hasattr(matrix, "indptr") else matrix * of_row[:, None]
    )
    square = matrix.T @ weighted
    square = square.toarray() if hasattr(square, "toarray") else square
    weights: Floats = np.linalg.lstsq(square + lam * np.eye(square.shape[0]), matrix.T @ wanted)[0]
    return weights


# --- Composite stochastic gradient -----------------------------------------------------------------------
# One term a step, a proximal step, the mean of the iterates (DMJ13 §6.1).

MOST_KEPT: Final = 2**25
"""At most so many numbers of aggregated queries are kept (256 MB); others are aggregated at each step."""


def features_of(matrix: Any) -> FeatureRows:
    """Rows of a dense array, or of a CSR matrix, as the compiled loop reads them."""
    dense = isinstance(matrix, np.ndarray)
    if dense:
        indices, starts = np.empty(0, np.int64), np.arange(matrix.shape[0] + 1) * matrix.shape[1]
    else:
        indices, starts = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    data = np.ascontiguousarray(matrix if dense else matrix.data, np.float64).reshape(-1)
    read = data[:]
    read.flags.writeable = False
    return FeatureRows(dense, read, indices, starts)


@final
class Walk:
    """Composite stochastic gradient descent (FOBOS, DMJ13 §6.1)."""

    draws: ClassVar[int] = 100
    """The number of terms that bound the curvature."""

    parts: ClassVar[int] = 20
    """The number of blocks of steps; progress is shown, and Ctrl-C heeded, between them."""

    def __init__(self, width: int, descent: Descent, rng: np.random.Generator) -> None:
        self.weights, self.mean, self.done = np.zeros(width), np.zeros(width), 0
        self.descent, self.rng, self.curvature = descent, rng, descent.curvature

    def go(self, features: FeatureRows, made: Terms, count: int, verbose: bool) -> list[float]:
        """Take some steps; the mean of the terms met in each twentieth of them."""
        scratch = _scratch(made)
        self.curvature = self.descent.curvature or self.curvature
        if not self.curvature:
            width = self.weights.size
            bound = compiled(curvature)(*made.parts, features, scratch, self.rng, width, self.draws)
            self.curvature = bound or 1.0
        descent = self.descent._replace(curvature=self.curvature)
        ends = np.unique(np.linspace(0, count, min(count, self.parts) + 1).astype(np.int64))
        means, go_on = [], compiled(steps)
        for block in _told(np.diff(ends).tolist(), verbose):
            state = self.rng, self.weights, self.mean, self.done
            means.append(go_on(*made.parts, features, descent, scratch, *state, block))
            self.done += block
        return means


def _told(blocks: list[int], verbose: bool) -> Iterator[int]:
    """The blocks of steps, with a progress bar on stderr if requested."""
    if not verbose:
        yield from blocks
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = TextColumn("steps"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("", total=sum(blocks))
        for block in blocks:
            yield block
            bar.advance(task, block)


def _scratch(made: Terms) -> Scratch:
    """Memory of the steps, with room for the structures of the queries that have one term."""
    said, setting = made.said, made.setting
    size = np.diff(said.row_start)
    widest = int(size.max())
    buffers = np.full(widest, -1), np.empty(widest, np.int64), np.empty(widest), np.empty(widest)
    wide = said.compared if setting.kind == MATRIX and not setting.scores else size
    room = np.where(np.diff(said.label_start) <= setting.k, wide if setting.scores else wide**2, 0)
    room[np.cumsum(room) > MOST_KEPT] = 0
    kept = np.empty(int(room.sum())), np.r_[0, np.cumsum(room)], np.zeros(size.size, np.int64)
    return Scratch(np.arange(said.label_start[-1]), *buffers, *kept)


# --- A linear ranker that learns from judgments of rows, with scikit-learn's interface -------------------

need("sklearn", "StructureRanker")


PENALTIES: Final[Mapping[str | None, int]] = MappingProxyType(
    {"l2": L2, "l2-ball": L2_BALL, "l1-ball": L1_BALL, None: NO_PENALTY}
)
SOLVERS: Final = ("sgd", "closed")

_COUNT: Final = (Integral, "a whole number, at least 1", lambda value: value >= 1)
_FROM_0: Final = (Real, "a finite number, at least 0", lambda value: 0.0 <= value < inf)
_ABOVE_0: Final = (Real, "a finite number above 0", lambda value: 0.0 < value < inf)
_NUMBERS: Final[Mapping[str, tuple[type, str, Callable[[Any], bool]]]] = MappingProxyType(
    {
        "k": _COUNT,
        "steps": _COUNT,
        "lam": _FROM_0,
        "nu": _FROM_0,
        "radius": _ABOVE_0,
        "eta0": _ABOVE_0,
        "average": (Integral, "True, False or a whole number, at least 0", lambda value: value >= 0),
    }
)


def _takes_steps(ranker: "StructureRanker") -> bool:
    """Whether the solver takes steps, so that `partial_fit` can take more."""
    return ranker.solver == "sgd"


@final
class StructureRanker(BaseEstimator):  # type: ignore[misc]
    """Linear scores x'w, learned from preferences that are aggregated first (DMJ13 §3 and §6).

    It minimizes sum_q (n_q/n) C(n_q, k)^-1 sum over i_1 < ... < i_k of phi(X_q w, s(Y_i1, ..., Y_ik)) and a
    penalty on w, by steps of the composite stochastic gradient: a query is drawn with probability n_q/n, then
    k of its labels (or all if it has at most k); they are aggregated, and one step is taken. The cost of a
    step does not depend on the number of judgments, except the first one for a query with at most k labels.

    Parameters
    ----------
    structure
        How k labels are aggregated, one of `consistency_lab.apps.learn.aggregate`; None for the default:
        ``AverageAdjacency()`` for "hinge", "logistic" and "linear", else ``BTLLogOdds(c=1)``.
    loss
        "hinge", "logistic", "linear", "difference-logistic", "difference-hinge", "regression" or "softmax".
    k
        The number of labels aggregated; None for all of a query, which are aggregated once. Too few labels
        rarely contradict each other, and then a wrong order may be learned: docs/learn.md, How many labels.
    lam
        The weight of the penalty "l2".
    penalty
        "l2" adds lam |w|^2/2; "l1-ball" and "l2-ball" keep w in a ball of `radius`; None does nothing.
    radius
        The radius of the ball.
    nu
        The weight of the regularizer of the loss "linear".
    steps
        The number of steps of `fit`, and of each `partial_fit`.
    average
        Whether the weights are the mean of the iterates, or the number of steps after which the mean begins.
    eta0
        1/L: step t has size 1/(L + lam t) with the penalty "l2", else 1/(L sqrt(t)). None for a bound L on
        the curvature of 100 random terms.
    solver
        "sgd", or "closed" for the exact minimum for "linear" and "regression" with the penalty "l2".
    random_state
        As in scikit-learn.
    verbose
        1 for a progress bar on stderr.

    Attributes
    ----------
    coef_
        Shape (d,): the weights w.
    n_features_in_, feature_names_in_
        As in scikit-learn.
    n_iter_
        Steps taken.
    loss_curve_
        The mean of the drawn terms, without the penalty, in each twentieth of the steps.

    Examples
    --------
    >>> from consistency_lab.apps.learn.aggregate import Preferences
    >>> said = Preferences([0, 0, 1], [1, 2, 2], ["q", "q", "q"])
    >>> ranker = StructureRanker(loss="regression", k=None, solver="closed").fit([[2.0], [1.0], [0.0]], said)
    >>> ranker.predict([[2.0], [1.0], [0.0]]).round(3).tolist(), ranker.score([[2.0], [1.0], [0.0]], said)
    ([0.153, 0.077, 0.0], 1.0)
    """

    def __init__(
        self,
        structure: Structure | None = None,
        loss: str = "difference-logistic",
        k: int | None = None,
        lam: float = 1e-3,
        penalty: str | None = "l2",
        radius: float = 1.0,
        nu: float = 1.0,
        steps: int = 20_000,
        average: bool | int = True,
        eta0: float | None = None,
        solver: str = "sgd",
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.structure = structure
        self.loss = loss
        self.k = k
        self.lam = lam
        self.penalty = penalty
        self.radius = radius
        self.nu = nu
        self.steps = steps
        self.average = average
        self.eta0 = eta0
        self.solver = solver
        self.random_state = random_state
        self.verbose = verbose

    @checked
    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters and, if `deep`, those of the structure, as ``structure__c``."""
        own: dict[str, Any] = super().get_params(deep=False)
        return own | dict(_nested("structure__", self.structure)) if deep else own

    def set_params(self, **params: Any) -> Self:
        """Set parameters, also those of the structure: ``structure__c=0.1`` makes a new one with that c.

        Raises
        ------
        ValueError
            If there is no such parameter.
        """
        inner = {name: value for name, value in params.items() if name.startswith("structure__")}
        super().set_params(**{name: value for name, value in params.items() if name not in inner})
        for name, value in inner.items():
            if name not in dict(_nested("structure__", self.structure)):
                raise InputError(f"there is no parameter {name[:40]!r} of the structure {self.structure!r}")
            self.structure = _replaced(self.structure, name.split("__")[1:], value)
        return self

    def fit(self, X: Any, y: Preferences | Clicks | ArrayLike, groups: ArrayLike | None = None) -> Self:
        """Learn the weights.

        Parameters
        ----------
        X
            Shape (N, d), dense or sparse: a row for each item of each query.
        y
            Judgments of the rows: preferences; clicks; pairs (P, 2), the preferred row and the other one,
            each a label; or grades (N,), one judge's for each query. A search over parameters, which splits
            rows, needs preferences in place of pairs.
        groups
            Shape (N,): the query of each row, for pairs and grades; by default all rows belong to one query.
            Preferences and clicks contain their queries.
        """
        return self._learn(X, y, groups, fresh=True)

    @available_if(_takes_steps)  # type: ignore[untyped-decorator]
    def partial_fit(
        self, X: Any, y: Preferences | Clicks | ArrayLike, groups: ArrayLike | None = None
    ) -> Self:
        """Take `steps` more steps with the current parameters (except `average`); only for "sgd".

        Parameters
        ----------
        X, y, groups
            As for `fit`.
        """
        return self._learn(X, y, groups, fresh=not hasattr(self, "coef_"))

    def predict(self, X: Any) -> NDArray[np.float64]:
        """A score for each row, larger for rows that rank higher: shape (N,)."""
        check_is_fitted(self)
        rows = self._rows(X, reset=False)
        scores: NDArray[np.float64] = rows @ self.coef_
        return scores

    def score(self, X: Any, y: Preferences | Clicks | ArrayLike, groups: ArrayLike | None = None) -> float:
        """1 minus the weighted share of contradicted preferences (DMJ10 Eq. 7); ties count half.

        Parameters
        ----------
        X, y, groups
            As for `fit`.
        """
        scores = self.predict(X)
        return 1.0 - contradicted(scores, _said(y, groups, scores.size))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags

    def _learn(self, X: Any, y: Any, groups: ArrayLike | None, fresh: bool) -> Self:
        loss, structure = self._checked()
        rows = self._rows(X, reset=fresh, ensure_min_samples=2)
        said = _said(y, groups, rows.shape[0])
        table = label_table(said, structure)
        if self.solver == "closed":
            lam = self.lam if self.penalty == "l2" else 0.0
            self.coef_ = closed_form(rows, table, loss, structure, self.k, self.nu, lam)
            self._walk, self.n_iter_, self.loss_curve_ = None, 1, list[float]()
            return self
        if fresh or self._walk is None:
            state = check_random_state(self.random_state).randint(2**31, size=4)
            self._walk = Walk(rows.shape[1], self._descent(), np.random.default_rng(state))
            self.loss_curve_ = list[float]()
        average_from = self._walk.descent.average_from
        self._walk.descent = self._descent()._replace(average_from=average_from)
        made = terms(table, loss, structure, self.k, self.nu)
        curve = self._walk.go(features_of(rows), made, int(self.steps), bool(self.verbose))
        self.loss_curve_ = [*self.loss_curve_, *curve]
        started = self.average is not False and self._walk.done > average_from
        self.coef_ = (self._walk.mean if started else self._walk.weights).copy()
        self.n_iter_ = self._walk.done
        if not np.isfinite(self.coef_).all():
            raise InputError("the weights overflowed; use a smaller eta0, or scale the features")
        return self

    def _rows(self, X: Any, **how: Any) -> Any:
        """The features, checked."""
        with _refusing():
            return validate_data(self, X, accept_sparse="csr", dtype=np.float64, **how)

    def _descent(self) -> Descent:
        penalty = PENALTIES[self.penalty]
        return Descent(
            NO_PENALTY if penalty == L2 and self.lam == 0 else penalty,
            float(self.lam),
            float(self.radius),
            0.0 if self.eta0 is None else 1.0 / float(self.eta0),
            int(self.average) if type(self.average) is not bool else 0,
        )

    def _checked(self) -> tuple[Loss, Structure]:
        """The loss and the structure, after checking all parameters."""
        for name, (kind, wanted, fits) in _NUMBERS.items():
            value = getattr(self, name)
            optional = name in ("k", "eta0") and value is None
            if not (optional or (isinstance(value, kind) and fits(value))):
                raise InputError(f"{name} is {value!r}; it must be {wanted}")
        if not isinstance(self.penalty, Hashable) or self.penalty not in PENALTIES:
            known = ", ".join(map(repr, PENALTIES))
            raise InputError(f"the penalty is {self.penalty!r}; it must be one of {known}")
        if self.solver not in SOLVERS:
            raise InputError(f"the solver is {self.solver!r}; it must be {' or '.join(map(repr, SOLVERS))}")
        if self.solver == "closed" and self.penalty not in ("l2", None):
            raise InputError(f"there is no closed form for the penalty {self.penalty!r}; use 'l2' or None")
        return loss_of(self.loss, self.structure)


@contextmanager
def _refusing() -> Iterator[None]:
    """Turn errors of scikit-learn's checks into InputError, except TypeError, as its conventions require."""
    try:
        yield
    except (ValueError, OverflowError) as error:
        raise InputError(str(error)) from None


def _nested(prefix: str, structure: Any) -> Iterator[tuple[str, Any]]:
    """The parameters of a structure, and of the one that it contains."""
    for each in fields(structure) if is_dataclass(structure) else ():
        value = getattr(structure, each.name)
        yield prefix + each.name, value
        yield from _nested(f"{prefix}{each.name}__", value)


def _replaced(structure: Any, path: list[str], value: Any) -> Any:
    """The structure with another value of a parameter."""
    new = _replaced(getattr(structure, path[0]), path[1:], value) if path[1:] else value
    return replace(structure, **{path[0]: new})


def _said(y: Any, groups: ArrayLike | None, count: int) -> Preferences | Clicks:
    """Judgments of `count` rows, with pairs and grades turned into preferences."""
    if isinstance(y, Preferences | Clicks):
        with _refusing():
            check_consistent_length(np.empty(count), y)
        if groups is not None:
            given = codes(groups, "groups")
            both = np.unique(np.c_[y.queries, given], axis=0) if given.shape == y.shape else np.empty((0, 2))
            if not len(both) == np.unique(y.queries).size == np.unique(given).size:
                raise InputError("the groups do not match the queries of y")
        return y
    if y is None:
        raise InputError(
            "requires y to be passed, but the target y is None: preferences, clicks, pairs or grades"
        )
    queries = np.zeros(count, np.int64) if groups is None else groups
    with _refusing():
        if np.ndim(y) == 2 and np.shape(y)[1] == 2:
            winners, losers = np.asarray(y).T
            return Preferences(winners, losers, queries)
        return Preferences.from_grades(column_or_1d(y, dtype=np.float64, warn=True), queries)
