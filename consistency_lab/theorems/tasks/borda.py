r"""Complete rankings compare every pair equally often: then losses of pairs are right where others fail.

*Borda's count.* Every ranking compares each pair once, so a_ij + a_ji = 1 in the mean. Let
phi(x) = c x + e(x) with e even, and N_i = sum_j (a_ij - a_ji). Then sum over i != j of a_ij phi(u_i - u_j) is

    W(u) = c sum_i N_i u_i + sum_{i<j} e(u_i - u_j).

Let phi be convex, differentiable and bounded below with c = phi'(0) < 0. Then e' is odd, continuous and does
not fall. Let N_i > N_k, and take any u of H = {u_i <= u_k}. The slope of W along the direction that raises
u_i and lowers u_k is

    c (N_i - N_k) + sum_j e'(u_i - u_j) - sum_j e'(u_k - u_j) <= c (N_i - N_k) = -g < 0

(over all j: the terms e'(0) = 0 make no difference). The infimum over H is above W*:

- if e' is bounded, it is uniformly continuous (continuous, monotone, bounded): for some t > 0 that does not
  depend on u, the slope is at most -g/2 all along a step of length t, so W* <= W(u) - t g/2. W* is finite,
  for phi is bounded below; whether it is attained does not matter;
- if not, e grows faster than any line, so W, which does not see shifts, grows with max u - min u; its infimum
  over the closed H is attained, and there the slope says that it is no minimum of W.

So scores that make W small have u_i > u_k wherever N_i > N_k. Where net-order holds, that is wherever
d_ik > 0: every order that sorts them, ties broken in any way, has all majorities right, and is optimal.

*Low noise.* Let d_ij > 0. For every other k, d_ik >= d_jk: if d_jk > 0, then d_ik >= d_ij + d_jk; if
d_ki > 0, then d_kj >= d_ki + d_ij; else d_ik >= 0 >= d_jk. As a_ij + a_ji = 1, so a_ik >= a_jk and
a_ki <= a_kj: the aggregate weighs pairs as a single label that prefers i to j has to in the argument for
pairs of `theorems.tasks.exchange`. With u_i <= u_j, x = u_j - u_i and u' with the two exchanged, it gives

    W(u) - W(u') >= d_ij (phi(-x) - phi(x)) >= -phi'(0) d_ij x

for phi that does not rise, and where i and j tie the slope along e_i - e_j is at most 2 d_ij phi'(0) < 0; the
rest of it is the same, so that the infimum over u_i <= u_j is above W*, attained or not.
"""

from typing import Final

from consistency_lab.model.properties import NONINCREASING
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.surrogates.tasks.pairs import PairsSurrogate
from consistency_lab.model.tasks.labels import Rankings
from consistency_lab.model.tasks.task import Task
from consistency_lab.phi import Expression, is_line_plus_even
from consistency_lab.theorems.tasks.base import TaskHypothesis, TaskTheorem
from consistency_lab.theorems.tasks.matching import IS_SORTED
from consistency_lab.theorems.tasks.rat13_identities import counts_pairs
from consistency_lab.theorems.tasks.scalar import classifying, known


def _phi(surrogate: TaskSurrogate, task: Task) -> Expression | None:
    return surrogate.phi if isinstance(surrogate, PairsSurrogate) else None


def _compared_once(surrogate: TaskSurrogate, task: Task) -> str | None:
    """Whether the risk has each preference of a ranking once, and all with one weight."""
    if not isinstance(task.space, Rankings) or not isinstance(surrogate, PairsSurrogate):
        return None
    for label in task.space.labels:
        atoms = surrogate.atoms(task, label)
        pairs = {tuple(i for i, sign in sorted(atom.v, key=lambda entry: -entry[1])) for atom in atoms}
        if pairs != {(i, j) for i, j, _ in task.space.preferences(label)} or len({a.c for a in atoms}) != 1:
            return None
    return f"complete rankings, by definition; compared at all {len(task.space.labels)} of this task"


def _constant_sum(surrogate: TaskSurrogate, task: Task) -> str | None:
    phi = _phi(surrogate, task)
    return "phi is a line plus an even function" if phi is not None and is_line_plus_even(phi) else None


_RIGHT_LOSS: Final = (
    IS_SORTED,
    TaskHypothesis("the loss counts the preferences that are upside down", counts_pairs),
    TaskHypothesis("each label compares every pair once, all with one weight", _compared_once),
    *classifying(_phi),
)

BORDA: Final = TaskTheorem(
    name="Borda's count for complete rankings",
    statement=(
        r"If labels are complete rankings, a loss of pairs with \(\phi'(x) + \phi'(-x)\) constant orders the"
        r" items by \(\sum_j d_{ij}\), so it is calibrated with pairwise disagreement where net-order holds."
    ),
    citation="Borda's count (ours)",
    families=(PairsSurrogate,),
    targets=("pairwise", "kendall"),
    conditions=("net-order",),
    hypotheses=(*_RIGHT_LOSS, TaskHypothesis(r"\(\phi'(x) + \phi'(-x)\) is constant", _constant_sum)),
)
"""With complete rankings RankNet, least squares and the Huberized hinge are right under net-order."""

LOW_NOISE_RANKINGS: Final = TaskTheorem(
    name="low noise on complete rankings",
    statement=(
        r"If labels are complete rankings, a loss of pairs with \(\phi\) convex, differentiable and"
        r" nonincreasing, \(\phi'(0) < 0\), is calibrated with pairwise disagreement where low-noise holds."
    ),
    citation="exchange argument for complete rankings (ours)",
    families=(PairsSurrogate,),
    targets=BORDA.targets,
    conditions=("low-noise",),
    hypotheses=(*_RIGHT_LOSS, TaskHypothesis("phi does not rise", known(NONINCREASING, _phi))),
)
"""RankBoost and the squared hinge are right there, though they fail with unequal numbers of comparisons."""
