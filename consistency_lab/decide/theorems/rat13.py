"""RAT13 as theorems on tasks: factors of the loss, sorting for MAP and pairwise disagreement."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Final

from consistency_lab.decide.theorems.base import (
    IS_SORTED,
    Hypothesis,
    Theorem,
    factor_at_all_labels,
    one_factor,
    plain,
)
from consistency_lab.decide.theorems.dmj13 import FORCES_ORDER, OF_ONE_GRADE, kind
from consistency_lab.model.labels import Grades, Label, differences
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate, TaskSurrogate
from consistency_lab.model.surrogates.tasks.means import (
    FactorSurrogate,
    MapDiagonal,
    MapRegression,
    PairRegression,
    Regression,
    Softmax,
)
from consistency_lab.model.tasks.discrete import Kendall, PairwiseDisagreement
from consistency_lab.model.tasks.task import Prediction, Task
from consistency_lab.numbers.tape import Real

# --- The identities behind RAT13's theorems, compared in exact arithmetic on the task at hand ------------

MOST: Final = 10_000
"""About how many losses are compared, at evenly spaced labels, if the identity holds by definition."""


def loss_factor(
    task: Task, form: Callable[[Label, Prediction], Fraction], labels: tuple[Label, ...]
) -> Fraction | None:
    """The a > 0 with loss(y, t) = a form(y, t) + c(y) at these labels and all t; None if there is none."""
    first, *others = task.predictions
    return one_factor(
        (task.loss(label, t) - task.loss(label, first), form(label, t) - form(label, first))
        for label in labels
        for t in others
    )


def _compared(task: Task, form: Callable[[Label, Prediction], Fraction], *, all_labels: bool) -> str | None:
    labels = task.space.labels
    stride = 1 if all_labels else -(-len(labels) * len(task.predictions) // MOST)
    chosen = labels[::stride]
    factor = loss_factor(task, form, chosen)
    if factor is None:
        return None
    if stride == 1:
        return f"factor {factor} at all {len(labels)} labels and all predictions"
    return f"by definition; factor {factor} at {len(chosen)} of {len(labels)} labels and all predictions"


def factorizes(surrogate: TaskSurrogate, task: Task) -> str | None:
    """Whether loss = a (<alpha_y, beta_t> + b_t) + c(y) at every label and prediction."""
    if not isinstance(surrogate, FactorSurrogate):
        return None
    columns = {t: surrogate.column(task, t) for t in task.predictions}
    rows: dict[Label, list[tuple[int, Fraction]]] = {}
    for label in task.space.labels:
        row = surrogate.features(task, label)
        rows[label] = [(k, x) for k, x in enumerate(row) if isinstance(x, Fraction) and x]
        if not all(isinstance(x, Fraction) for x in row):
            return None

    def form(label: Label, t: Prediction) -> Fraction:
        beta, offset = columns[t]
        return sum((x * beta[k] for k, x in rows[label] if beta[k]), offset)

    return _compared(task, form, all_labels=not _of_pairs(surrogate, task))


def _of_pairs(surrogate: TaskSurrogate, task: Task) -> bool:
    return isinstance(surrogate, PairRegression) and isinstance(task, PairwiseDisagreement | Kendall)


@lru_cache(maxsize=32)
def _counts_inversions(task: Task) -> str | None:
    def form(label: Label, t: Prediction) -> Fraction:
        above = {(t[a], t[b]) for a, b in combinations(range(len(t)), 2)}
        return sum((w for i, j, w in task.space.preferences(label) if (j, i) in above), Fraction(0))

    return _compared(task, form, all_labels=False)


def diagonal_of_factor(surrogate: TaskSurrogate, task: Task) -> str | None:
    """Whether MAP is linear in y_i y_j / sum y, and the sorted scores have the means of its diagonal."""
    full = MapRegression()
    identity = factorizes(full, task)
    if identity is None or not isinstance(surrogate, MapDiagonal | MapRegression | Softmax):
        return None
    m, labels = task.space.m, task.space.labels
    at = [full.coordinates(task).index(f"{i + 1},{i + 1}") for i in range(m)]
    own = range(m) if isinstance(surrogate, MapDiagonal | Softmax) else at
    for label in labels:
        entries, scores = full.features(task, label), surrogate.features(task, label)
        if [scores[i] for i in own] != [entries[k] for k in at]:
            return None
    return f"compared at all {len(labels)} labels; MAP with the full matrix: {identity}"


def preference_factor(surrogate: TaskSurrogate, task: Task, *, nets: bool) -> Fraction | None:
    """The a > 0 with f_i - f_j = a d_ij (with `nets`, a (N_i - N_j)) at every label, or None."""
    if not isinstance(surrogate, MeanSurrogate) or (surrogate.scaled and task.normalized):
        return None

    def pairs() -> Iterator[tuple[Real, Real]]:
        for label in task.space.labels:
            d, f = differences(task.space, {label: Fraction(1)}), surrogate.features(task, label)
            total = [sum((x for x in row if x), Fraction(0)) for row in d]
            for i, j in combinations(range(task.space.m), 2):
                yield f[i] - f[j], total[i] - total[j] if nets else d[i][j]

    return one_factor(pairs())


def is_difference(surrogate: TaskSurrogate, task: Task) -> str | None:
    """Whether f_i - f_j = a d_ij at every label."""
    return factor_at_all_labels(preference_factor(surrogate, task, nets=False), task)


def _is_net(surrogate: TaskSurrogate, task: Task) -> str | None:
    return factor_at_all_labels(preference_factor(surrogate, task, nets=True), task)


def _is_net_by_definition(surrogate: TaskSurrogate, task: Task) -> str | None:
    """For all m: f is N, or two grades make this a multiple of d_ij."""
    is_n = kind(surrogate, task) == ("regression", "net")
    return "f is the net preference" if is_n else is_difference_of_two_grades(surrogate, task)


OF_TWO_GRADES: Final = frozenset({*OF_ONE_GRADE, ("regression", "net")})
"""Surrogates with f_i = g(y_i), the same g for all m; or net, with f_i - f_j = m at y_i > y_j."""


def is_difference_of_two_grades(surrogate: TaskSurrogate, task: Task) -> str | None:
    """Whether f_i - f_j = a d_ij for all m: f_i = g(y_i), or net, and every label has at most two grades."""
    if not isinstance(task.space, Grades) or len(task.space.grades) != 2:
        return None
    if kind(surrogate, task) not in OF_TWO_GRADES:
        return None
    known = is_difference(surrogate, task)
    return None if known is None else f"by definition for two grades; {known} of this task"


# --- Factors of the loss, sorting for MAP and pairwise disagreement, Algorithm 1 -------------------------
# Each rests on one identity between the loss and what the surrogate regresses on, which is compared in exact
# arithmetic on the task at hand. The proofs are the statements "rat13-theorem-3" to
# "rat13-order-preserving" of the book.


def _decoded_by(*names: str) -> Hypothesis:
    return Hypothesis(
        f"its decoder is {' or '.join(names)}",
        lambda surrogate, task: f"it is {surrogate.decoder}" if surrogate.decoder in names else None,
    )


_SQUARES: Final = plain(
    r"the excess of \(u\) is \(|u - \mathbf{E} f|^2\)",
    "least squares",
    lambda surrogate, _: isinstance(surrogate, FactorSurrogate) and surrogate.link == "identity",
)


_FACTORIZES: Final = Hypothesis(
    r"\(\ell(y,t) = a (\langle f(y), \beta_t \rangle + b_t) + c(y)\), \(a > 0\)", factorizes
)
COUNTS_PAIRS: Final = Hypothesis(
    "the loss counts the inverted preferences",
    lambda _, task: _counts_inversions(task) if isinstance(task, PairwiseDisagreement | Kendall) else None,
)
_SORTED_PAIRS: Final = (IS_SORTED, COUNTS_PAIRS, FORCES_ORDER)
_PAIR_TARGETS: Final = ("pairwise", "kendall")

LOW_RANK_DEFINED: Final = Theorem(
    name="RAT13 Theorem 3 for MAP and pairwise disagreement",
    statement="rat13-theorem-3",
    citation="RAT13 Theorem 3, §6 and §7",
    families=(MapRegression, PairRegression),
    targets=("map", *_PAIR_TARGETS),
    conditions=("any",),
    hypotheses=(_decoded_by("linear"), _SQUARES, _FACTORIZES),
)

LOW_RANK: Final = replace(
    LOW_RANK_DEFINED,
    name="RAT13 Theorem 3",
    citation="RAT13 Theorem 3 (there with b = 0 and one c)",
    families=(FactorSurrogate,),
    targets=(),
    scope="these labels",
)

MAP_SORTED: Final = Theorem(
    name="RAT13 Theorem 4 and Corollary 5",
    statement="rat13-order-preserving",
    citation="RAT13 Theorem 4 and Corollary 5; that it holds for independent labels is ours",
    families=(MapDiagonal, MapRegression, Softmax),
    targets=("map",),
    conditions=("reinforce", "independent"),
    hypotheses=(
        _decoded_by("sort", "diagonal"),
        Hypothesis(r"the sorted scores regress on the diagonal of \(yy^\top / \sum y\)", diagonal_of_factor),
        FORCES_ORDER,
    ),
)

SORTED_PAIRS: Final = Theorem(
    name="RAT13 Theorem 6 on tasks",
    statement="rat13-theorem-6",
    citation="RAT13 Theorem 6",
    families=(Regression,),
    targets=_PAIR_TARGETS,
    conditions=("p-f",),
    hypotheses=_SORTED_PAIRS,
)

NET_PAIRS: Final = Theorem(
    name="RAT13 Theorem 6 for the net preference",
    statement="rat13-theorem-6",
    citation="RAT13 Theorem 6; DMJ10 Theorem 13",
    families=(MeanSurrogate,),
    targets=_PAIR_TARGETS,
    conditions=("net-order",),
    hypotheses=(
        *_SORTED_PAIRS,
        Hypothesis(r"\(f_i - f_j = a (N_i - N_j)\) by definition, \(a > 0\)", _is_net_by_definition),
    ),
)

NET_PAIRS_HERE: Final = replace(
    NET_PAIRS,
    name="RAT13 Theorem 6 for the net preference at these labels",
    hypotheses=(
        *_SORTED_PAIRS,
        Hypothesis(r"\(f_i - f_j = a (N_i - N_j)\) at every label, \(a > 0\)", _is_net),
    ),
    scope="these labels",
)

TWO_GRADES: Final = Theorem(
    name="RAT13 Theorem 6 for two grades",
    statement="rat13-theorem-6",
    citation="RAT13 Theorem 6; the case is ours (see RAT13 P_f ⊊ P_DAG)",
    families=(MeanSurrogate,),
    targets=_PAIR_TARGETS,
    conditions=("any",),
    hypotheses=(
        *_SORTED_PAIRS,
        Hypothesis(r"\(f_i - f_j = a\, d_{ij}\) for two grades, \(a > 0\)", is_difference_of_two_grades),
    ),
)

ADDITIVE_PAIRS: Final = replace(
    TWO_GRADES,
    name="RAT13 Theorem 6 for additive labels",
    statement="rat13-theorem-6",
    hypotheses=(
        *_SORTED_PAIRS,
        Hypothesis(r"\(f_i - f_j = a\, d_{ij}\) at every label, \(a > 0\)", is_difference),
    ),
    scope="these labels",
)

ALGORITHM_1: Final = Theorem(
    name="RAT13 Theorem 7",
    statement="rat13-theorem-7",
    citation="RAT13 Theorem 7",
    families=(PairRegression,),
    targets=_PAIR_TARGETS,
    conditions=("acyclic",),
    hypotheses=(_decoded_by("algorithm-1"), _SQUARES, _FACTORIZES),
)

ALGORITHM_1_ON_THREE: Final = replace(
    ALGORITHM_1,
    name="RAT13 Theorem 7 with three items",
    statement="algorithm-1-on-three",
    citation="ours (see RAT13 Theorem 7)",
    conditions=("any",),
    hypotheses=(
        *ALGORITHM_1.hypotheses,
        Hypothesis(
            "there are at most three items",
            lambda surrogate, task: f"m = {task.space.m}" if task.space.m <= 3 else None,
        ),
    ),
    scope="m <= 3",
)

RAT13_THEOREMS: Final = (
    LOW_RANK_DEFINED,
    LOW_RANK,
    MAP_SORTED,
    SORTED_PAIRS,
    TWO_GRADES,
    NET_PAIRS,
    NET_PAIRS_HERE,
    ADDITIVE_PAIRS,
    ALGORITHM_1,
    ALGORITHM_1_ON_THREE,
)
"""Statements for all m before those at the labels of one task."""
