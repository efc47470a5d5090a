"""Losses of a whole list: softmax (ListNet), ListMLE, unique-rating softmax."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb
from types import MappingProxyType
from typing import Any, Final

from consistency_lab.exact import working_precision
from consistency_lab.frozen import frozen
from consistency_lab.model.surrogates.tasks.base import (
    Atom,
    AtomSurrogate,
    Choice,
    Family,
    Linear,
    LogSumExp,
    MeanSurrogate,
    gains,
    grades,
)
from consistency_lab.model.tasks.labels import Grades, Label
from consistency_lab.model.tasks.positional import gains_of
from consistency_lab.model.tasks.real import Exact, Real
from consistency_lab.model.tasks.task import PRECISION, Task
from consistency_lab.phi import Expression, build, number, parse

# --- Softmax cross-entropy over the items of a list (ListNet and its relatives) --------------------------


def _divided(values: Sequence[Fraction]) -> tuple[Real, ...]:
    total = sum(values)
    return tuple(x / total if total else Fraction(0) for x in values)


def _exponential(values: Sequence[Fraction]) -> tuple[Real, ...]:
    if len(set(values)) == 1:
        return tuple(Fraction(1, len(values)) for _ in values)
    with working_precision(PRECISION):
        powers = [Exact.of(build("exp", number(x))) if x else Fraction(1) for x in values]
        total = sum(powers, Fraction(0))
        return tuple(x / total for x in powers)


NORMALIZATIONS: Final[Mapping[str, Choice]] = MappingProxyType(
    {
        "sum": Choice("y_i / sum y", grades),
        "exp": Choice("exp(y_i) / sum exp(y)", grades),
        "none": Choice("y_i", grades),
        "gain-sum": Choice("G(y_i) / sum G(y)", gains),
        "gain-none": Choice("G(y_i)", gains),
    }
)
"""What of the items becomes the weights P_i(y)."""

_DIVIDED: Final[Mapping[str, Callable[[Sequence[Fraction]], tuple[Real, ...]]]] = MappingProxyType(
    {"sum": _divided, "exp": _exponential, "none": tuple, "gain-sum": _divided, "gain-none": tuple}
)


@frozen
class Softmax(MeanSurrogate):
    """- sum_i P_i(y) log softmax_i(u).

    Its gradient is (sum_i E P_i) softmax(u) - E P, so the minimizer is log E P up to a constant: an item with
    E P_i = 0 goes to minus infinity, below the others.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> [str(x) for x in Softmax().features(target("ndcg"), (2, 0, 1))]
    ['2/3', '0', '1/3']
    """

    labels: str = "sum"  #: A name of `NORMALIZATIONS`.
    name: str = "softmax"
    family = Family(
        "softmax",
        "- sum_i P_i log(exp(u_i) / sum_j exp(u_j)), P_i = {labels}",
        "Cao, Qin, Liu, Tsai and Li 2007 (ListNet)",
        {"labels": NORMALIZATIONS},
        link="log",
        risk="softmax",
    )

    def features(self, task: Task, label: Label) -> tuple[Real, ...]:
        return _DIVIDED[self.labels](NORMALIZATIONS[self.labels].values(task, label))

    def determined_by(self, task: Task, label: Label) -> tuple[Hashable, ...]:
        """P_i depends on the value of the item, and on the values of all items in any order."""
        values = NORMALIZATIONS[self.labels].values(task, label)
        return tuple((x, tuple(sorted(values))) for x in values)


@frozen
class ListMleSurrogate(AtomSurrogate):
    """- log of the Plackett–Luce chance of the label's order, averaged over all orders of tied items.

    An order is drawn from the top, each item with a chance proportional to exp(u) among those left. Libraries
    break ties of grades at random, anew in each step, so that the loss they minimize is the average. With the
    ties "input", an item counts as above those of its grade that come after it: a loss that depends on how
    the items are numbered.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> for atom in ListMleSurrogate().atoms(target("ndcg", items=2), (1, 0)):
    ...     print(atom)
    LogSumExp(c=Fraction(1, 1), over=(0, 1))
    Linear(v=((0, Fraction(-1, 1)),))
    """

    name: str = "list-mle"
    ties: str = "average"  #: "average" or "input".
    family = Family(
        "list-mle",
        "- log of the Plackett-Luce chance prod_k exp(u at k) / sum over items not above k of exp(u), "
        "ties {ties}",
        "Xia, Liu, Wang, Zhang and Li 2008",
        {"ties": {"average": "averaged", "input": "in the order of the input"}},
        ("grades", "rankings"),
    )

    def atoms(self, task: Task, label: Label) -> tuple[Atom, ...]:
        tiers = [(item,) for item in label] if task.space.kind == "rankings" else _tiers(label)
        if self.ties == "input":
            tiers = [(item,) for tier in tiers for item in tier]
        below: tuple[int, ...] = ()
        sums: list[Atom] = []
        linear = [Fraction(-1)] * len(label)
        for tier in reversed(tiers):
            # Every set of r items of a tier is the one left over in equally many orders.
            for r in range(1, len(tier) + 1):
                share = Fraction(1, comb(len(tier), r))
                for left in combinations(tier, r):
                    rest = tuple(sorted((*left, *below)))
                    if len(rest) > 1:
                        sums.append(LogSumExp(share, rest))
                    else:
                        linear[rest[0]] += share
            below = (*below, *tier)
        return (*sums, Linear(tuple((i, c) for i, c in enumerate(linear) if c)))


def _tiers(label: Sequence[int]) -> list[tuple[int, ...]]:
    """The items of each grade, the highest grade first."""
    return [tuple(i for i, s in enumerate(label) if s == grade) for grade in sorted(set(label), reverse=True)]


GAIN: Final = parse("2**s-1", "s")


@frozen
class UniqueSoftmax(AtomSurrogate):
    """Sum over i of G(s_i) (log(exp(u_i) + sum over s_j < s_i of exp(u_j)) - u_i).

    The gain is the loss's own and does not follow the target. Items of equal grades do not compete.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> for atom in UniqueSoftmax().atoms(target("ndcg", items=3), (2, 0, 0)):
    ...     print(atom)
    LogSumExp(c=Fraction(3, 1), over=(0, 1, 2))
    Linear(v=((0, Fraction(-3, 1)),))
    """

    gain: Expression = GAIN  #: G, an expression in s that does not fall, at least 0 on the grades.
    name: str = "unique-softmax"
    family = Family(
        "unique-softmax",
        "sum_i G(s_i) (log(exp(u_i) + sum over s_j < s_i of exp(u_j)) - u_i), G(s) = {gain}",
        "Zhu and Klabjan 2020",
    )

    def atoms(self, task: Task, label: Label) -> tuple[Atom, ...]:
        assert isinstance(task.space, Grades)
        gains = gains_of(self.gain, task.space.grades)
        sums: list[Atom] = []
        linear: list[tuple[int, Fraction]] = []
        for i, grade in enumerate(label):
            over = tuple(j for j, other in enumerate(label) if j == i or other < grade)
            if gains[grade] and len(over) > 1:
                sums.append(LogSumExp(gains[grade], over))
                linear.append((i, -gains[grade]))
        return (*sums, Linear(tuple(linear))) if linear else ()

    def _values(self) -> dict[str, Any]:
        return {"gain": self.gain.text("s")}
