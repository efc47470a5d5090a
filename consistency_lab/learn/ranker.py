"""A linear ranker that learns from what was said of rows, as scikit-learn wants it."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from math import inf
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any, Final, Self, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consistency_lab.aggregate import Clicks, Preferences, Structure
from consistency_lab.aggregate.rows import codes
from consistency_lab.checked import checked
from consistency_lab.errors import InputError
from consistency_lab.extras import need
from consistency_lab.learn.closed import closed_form
from consistency_lab.learn.compiled import L1_BALL, L2, L2_BALL, NO_PENALTY, Descent
from consistency_lab.learn.fobos import Walk, features_of
from consistency_lab.learn.label_table import label_table
from consistency_lab.learn.losses import Loss, loss_of
from consistency_lab.learn.risk import contradicted
from consistency_lab.learn.terms import terms

need("sklearn", "StructureRanker")

from sklearn.base import BaseEstimator  # noqa: E402
from sklearn.utils import Tags, check_random_state, column_or_1d  # noqa: E402
from sklearn.utils.metaestimators import available_if  # noqa: E402
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data  # noqa: E402

PENALTIES: Final[Mapping[str | None, int]] = MappingProxyType(
    {"l2": L2, "l2-ball": L2_BALL, "l1-ball": L1_BALL, None: NO_PENALTY}
)
SOLVERS: Final = ("sgd", "closed")

_COUNT: Final = (Integral, "a whole number from 1 on", lambda value: value >= 1)
_FROM_0: Final = (Real, "a number from 0 on", lambda value: 0.0 <= value < inf)
_ABOVE_0: Final = (Real, "a number above 0", lambda value: 0.0 < value < inf)
_NUMBERS: Final[Mapping[str, tuple[type, str, Callable[[Any], bool]]]] = MappingProxyType(
    {
        "k": _COUNT,
        "steps": _COUNT,
        "lam": _FROM_0,
        "nu": _FROM_0,
        "radius": _ABOVE_0,
        "eta0": _ABOVE_0,
        "average": (Integral, "True, False or a whole number from 0 on", lambda value: value >= 0),
    }
)


def _takes_steps(ranker: "StructureRanker") -> bool:
    """Whether there are steps, of which more could be taken."""
    return ranker.solver == "sgd"


@final
class StructureRanker(BaseEstimator):  # type: ignore[misc]
    """Scores x'w, learned from preferences that are aggregated before they are judged (DMJ13 §3 and §6).

    It minimizes sum_q (n_q/n) C(n_q, k)^-1 sum over i_1 < ... < i_k of phi(X_q w, s(Y_i1, ..., Y_ik)) and a
    penalty on w, by steps of the composite stochastic gradient: a query is drawn with probability n_q/n, then
    k of its labels (all if it has no more); they are aggregated, and one step is taken. What a step costs
    does not depend on how much was said, but for the first one of a query of which all labels are taken.

    Parameters
    ----------
    structure
        What k labels are aggregated to, one of `consistency_lab.aggregate`; None for what belongs to the
        loss: ``AverageAdjacency()`` for "hinge", "logistic" and "linear", else ``BTLLogOdds(c=1)``.
    loss
        "hinge", "logistic", "linear", "difference-logistic", "difference-hinge", "regression" or "softmax".
    k
        How many labels are aggregated; None for all of a query, which is done once and kept. Too few of them
        rarely contradict each other, and then the wrong order may be learned: docs/learn.md, How many labels.
    lam
        The weight of the penalty "l2".
    penalty
        "l2" adds lam |w|^2/2; "l1-ball" and "l2-ball" keep w in a ball of `radius`; None does nothing.
    radius
        That of the ball.
    nu
        The weight of the regularizer of the loss "linear".
    steps
        How many steps `fit`, and each `partial_fit`, takes.
    average
        Whether the weights are the mean of the iterates; a whole number of steps after which the mean begins.
    eta0
        1/L: step t has size 1/(L + lam t) with the penalty "l2", else 1/(L sqrt(t)). None for a bound L of
        the curvature, of 100 terms that are drawn.
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
        The mean of the terms that were drawn, without the penalty, in each twentieth of the steps.

    Examples
    --------
    >>> from consistency_lab.aggregate import Preferences
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
        found: dict[str, Any] = super().get_params(deep=False)
        return found | dict(_nested("structure__", self.structure)) if deep else found

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
            What was said of the rows: preferences; clicks; pairs (P, 2), the row that was preferred and the
            other one, each a label; or grades (N,), one judge's for each query. To be split by rows, as in a
            search over parameters, pairs must be preferences.
        groups
            Shape (N,): the query of each row, for pairs and grades; left out, all rows are of one.
            Preferences and clicks know their queries.

        Raises
        ------
        InputError
            If a parameter, or what was said, makes no sense.
        """
        return self._learn(X, y, groups, fresh=True)

    @available_if(_takes_steps)  # type: ignore[untyped-decorator]
    def partial_fit(
        self, X: Any, y: Preferences | Clicks | ArrayLike, groups: ArrayLike | None = None
    ) -> Self:
        """Take `steps` more steps, on these rows, as the parameters now are (but `average`); only with "sgd".

        Parameters
        ----------
        X, y, groups
            As for `fit`.

        Raises
        ------
        InputError
            As `fit`.
        """
        return self._learn(X, y, groups, fresh=not hasattr(self, "coef_"))

    def predict(self, X: Any) -> NDArray[np.float64]:
        """A score of each row, larger for what is to stand higher: shape (N,)."""
        check_is_fitted(self)
        rows = self._rows(X, reset=False)
        found: NDArray[np.float64] = rows @ self.coef_
        return found

    def score(self, X: Any, y: Preferences | Clicks | ArrayLike, groups: ArrayLike | None = None) -> float:
        """1 less the share, by weight, of what was said that the scores contradict (DMJ10 Eq. 7); ties half.

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
            raise InputError(
                "the weights grew beyond all numbers; take a smaller eta0, or scale the features"
            )
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
        """The loss and the structure, if all parameters make sense."""
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
            raise InputError(f"there is no closed form with the penalty {self.penalty!r}; take 'l2'")
        return loss_of(self.loss, self.structure)


@contextmanager
def _refusing() -> Iterator[None]:
    """An error of scikit-learn's checks is one of the input; its conventions want a TypeError as it is."""
    try:
        yield
    except (ValueError, OverflowError) as error:
        raise InputError(str(error)) from None


def _nested(prefix: str, structure: Any) -> Iterator[tuple[str, Any]]:
    """The parameters of a structure, and of the one that it is made of."""
    for each in fields(structure) if is_dataclass(structure) else ():
        value = getattr(structure, each.name)
        yield prefix + each.name, value
        yield from _nested(f"{prefix}{each.name}__", value)


def _replaced(structure: Any, path: list[str], value: Any) -> Any:
    """The structure with another value of a parameter."""
    new = _replaced(getattr(structure, path[0]), path[1:], value) if path[1:] else value
    return replace(structure, **{path[0]: new})


def _said(y: Any, groups: ArrayLike | None, count: int) -> Preferences | Clicks:
    """What was said of so many rows: pairs and grades become preferences.

    Raises
    ------
    InputError
        If the groups divide the rows in another way than what was said.
    """
    if isinstance(y, Preferences | Clicks):
        with _refusing():
            check_consistent_length(np.empty(count), y)
        if groups is not None:
            given = codes(groups, "groups")
            both = np.unique(np.c_[y.queries, given], axis=0) if given.shape == y.shape else np.empty((0, 2))
            if not len(both) == np.unique(y.queries).size == np.unique(given).size:
                raise InputError("the groups divide the rows otherwise than the queries of what was said")
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
