"""Losses of complete rankings and of exchangeable items."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, permutations
from typing import Final

from consistency_lab.decide.theorems.base import CLASSIFYING, IS_NONINCREASING, IS_SORTED, Hypothesis, Theorem
from consistency_lab.decide.theorems.linear import LINE_PLUS_EVEN
from consistency_lab.decide.theorems.rat13 import COUNTS_PAIRS
from consistency_lab.model.labels import Grades, Label, Rankings
from consistency_lab.model.surrogates.tasks.atoms import ListMleSurrogate, PairsSurrogate, UniqueSoftmax
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate, TaskSurrogate
from consistency_lab.model.tasks.positional import gains_of
from consistency_lab.model.tasks.task import PositionalTask, Task, certainly_above

# --- Complete rankings compare every pair equally often, so losses of pairs are right --------------------
# The statement complete-rankings of the book proves it.


def _compared_once(surrogate: TaskSurrogate, task: Task) -> str | None:
    """Whether the risk has each preference of a ranking once, with equal weights."""
    if not isinstance(task.space, Rankings) or not isinstance(surrogate, PairsSurrogate):
        return None
    for label in task.space.labels:
        atoms = surrogate.atoms(task, label)
        pairs = {tuple(i for i, sign in sorted(atom.v, key=lambda entry: -entry[1])) for atom in atoms}
        if pairs != {(i, j) for i, j, _ in task.space.preferences(label)} or len({a.c for a in atoms}) != 1:
            return None
    return f"by definition of complete rankings; compared at all {len(task.space.labels)} of this task"


_RIGHT_LOSS: Final = (
    IS_SORTED,
    COUNTS_PAIRS,
    Hypothesis("each label compares every pair once, with equal weights", _compared_once),
    *CLASSIFYING,
)

BORDA: Final = Theorem(
    name="Borda's count for complete rankings",
    statement="complete-rankings",
    citation="Borda's count (ours)",
    families=(PairsSurrogate,),
    targets=("pairwise", "kendall"),
    conditions=("net-order",),
    hypotheses=(*_RIGHT_LOSS, LINE_PLUS_EVEN),
)
"""With complete rankings RankNet, least squares and the Huberized hinge are right under net-order."""

LOW_NOISE_RANKINGS: Final = replace(
    BORDA,
    name="low noise on complete rankings",
    statement="complete-rankings",
    citation="exchange argument for complete rankings (ours)",
    conditions=("low-noise",),
    hypotheses=(*_RIGHT_LOSS, IS_NONINCREASING),
)
"""RankBoost and the squared hinge are right there, though they fail with unequal numbers of comparisons."""


# --- Where exchanging two items in a label lowers its probability, every reasonable loss is right --------
# The statement exchange of the book proves it, for means, for losses of pairs and for two losses of lists.

_MOST_LOSSES: Final = 200_000


def _swap(m: int, i: int, j: int) -> list[int]:
    return [j if k == i else i if k == j else k for k in range(m)]


def _prefers(task: Task) -> Callable[[Label], set[tuple[int, int]]]:
    return lambda label: {(i, j) for i, j, _ in task.space.preferences(label)}


def _ordered_features(surrogate: TaskSurrogate, task: Task) -> str | None:
    """f is equivariant, and larger for the preferred item."""
    assert isinstance(surrogate, MeanSurrogate)
    m, prefers = task.space.m, _prefers(task)
    exact = {label: surrogate.determined_by(task, label) for label in task.space.labels}
    for label, keys in exact.items():
        f = surrogate.features(task, label)
        if None in keys or any(not certainly_above(f[i], f[j]) for i, j in prefers(label)):
            return None
        for i in range(m - 1):
            sigma = _swap(m, i, i + 1)
            other = exact[task.space.relabeled(label, sigma)]
            if any(other[sigma[k]] != keys[k] for k in range(m)):
                return None
    return f"compared at all {len(exact)} labels"


def _ordered_loss(surrogate: TaskSurrogate, task: Task) -> str | None:
    """No exchange against a label's preference lowers the loss; by relabeling, one pair stands for all."""
    m, prefers = task.space.m, _prefers(task)
    if isinstance(task, PositionalTask):
        for label in task.space.labels:
            gains = task.gains(label)
            if any(gains[i] < gains[j] for i, j in prefers(label)):
                return None
        return f"at all {len(task.space.labels)} labels the gains respect the preferences"
    if len(task.space.labels) * len(task.predictions) > _MOST_LOSSES or not task.rational:
        return None
    for i in range(m - 1):
        sigma = _swap(m, i, i + 1)
        for label in task.space.labels:
            moved = task.space.relabeled(label, sigma)
            for t in permutations(range(m)):
                if task.loss(moved, tuple(sigma[k] for k in t)) != task.loss(label, t):
                    return None
    for label in task.space.labels:
        if (0, 1) in prefers(label):
            for t in permutations(range(m)):
                exchanged = tuple(_swap(m, 0, 1)[k] for k in t)
                if t.index(1) < t.index(0) and certainly_above(
                    task.loss(label, exchanged), task.loss(label, t)
                ):
                    return None
    return f"compared at all {len(task.space.labels)} labels and {len(task.predictions)} rankings"


_MAY_BE_EXCHANGED: Final = Hypothesis(
    "the label space is closed under exchanging items",
    lambda _, task: (
        f"the labels are {task.space.kind}" if isinstance(task.space, Grades | Rankings) else None
    ),
)
_RESPECTED_BY_THE_LOSS: Final = Hypothesis(
    "exchanging two correctly ordered items never lowers the loss", _ordered_loss
)

EXCHANGE: Final = Theorem(
    name="exchange argument",
    statement="exchange",
    citation="exchange argument (ours, after Lan et al. 2012)",
    families=(MeanSurrogate,),
    targets=(),
    conditions=("rank-differentiable",),
    hypotheses=(
        _MAY_BE_EXCHANGED,
        IS_SORTED,
        Hypothesis("f is equivariant, and f_i(y) > f_j(y) where y prefers i to j", _ordered_features),
        _RESPECTED_BY_THE_LOSS,
    ),
    scope="these labels",
)
"""Every mean that respects each label's preferences is right where exchanging items lowers p."""


def _ordered_weights(surrogate: TaskSurrogate, task: Task) -> str | None:
    """Weights are equivariant, and a preferred item wins by more and loses by less against every other."""
    assert isinstance(surrogate, PairsSurrogate)
    m, prefers = task.space.m, _prefers(task)
    weights = {label: _weights(surrogate, task, label) for label in task.space.labels}
    for label, w in weights.items():
        for i, j in prefers(label):
            others = [k for k in range(m) if k not in (i, j)]
            if w[i][j] <= 0 or w[j][i] or any(w[i][k] < w[j][k] or w[k][i] > w[k][j] for k in others):
                return None
        for i in range(m - 1):
            sigma = _swap(m, i, i + 1)
            other = weights[task.space.relabeled(label, sigma)]
            if any(other[sigma[k]][sigma[n]] != w[k][n] for k in range(m) for n in range(m)):
                return None
    return f"compared at all {len(weights)} labels"


def _weights(surrogate: PairsSurrogate, task: Task, label: Label) -> list[list[Fraction]]:
    """The coefficient of phi(u_k - u_l)."""
    w = [[Fraction(0)] * task.space.m for _ in range(task.space.m)]
    for term in surrogate.atoms(task, label):
        (k,) = (item for item, sign in term.v if sign > 0)
        (n,) = (item for item, sign in term.v if sign < 0)
        w[k][n] += term.c
    return w


EXCHANGE_PAIRS: Final = replace(
    EXCHANGE,
    name="exchange argument for losses of pairs",
    statement="exchange",
    citation="exchange argument for pairs (ours, after Lan et al. 2012)",
    families=(PairsSurrogate,),
    hypotheses=(
        *CLASSIFYING,
        IS_NONINCREASING,
        _MAY_BE_EXCHANGED,
        IS_SORTED,
        Hypothesis("w is equivariant, and the preferred item has the greater weights", _ordered_weights),
        _RESPECTED_BY_THE_LOSS,
    ),
)
"""RankNet and its smooth relatives are right where exchanging items lowers p; the hinge loss may tie."""


def _list_loss(surrogate: TaskSurrogate, task: Task) -> str | None:
    if isinstance(surrogate, ListMleSurrogate):
        return "ties are averaged" if surrogate.ties == "average" else None
    assert isinstance(surrogate, UniqueSoftmax)
    if not isinstance(task.space, Grades):
        return None
    gains = list(gains_of(surrogate.gain, task.space.grades).values())
    return "the gains increase strictly" if all(low < high for low, high in pairwise(gains)) else None


EXCHANGE_LISTS: Final = replace(
    EXCHANGE,
    name="exchange argument for losses of lists",
    statement="exchange",
    citation="exchange argument for lists (ours, after Xia et al. 2008)",
    families=(ListMleSurrogate, UniqueSoftmax),
    hypotheses=(
        _MAY_BE_EXCHANGED,
        IS_SORTED,
        Hypothesis("ties are averaged (ListMLE), or gains increase strictly (unique softmax)", _list_loss),
        _RESPECTED_BY_THE_LOSS,
    ),
)
"""ListMLE and unique softmax are right where exchanging items lowers p."""

ORDER_THEOREMS: Final = (BORDA, LOW_NOISE_RANKINGS, EXCHANGE, EXCHANGE_PAIRS, EXCHANGE_LISTS)
"""In the order in which they are tried."""
