"""ListMLE: the likelihood of the label's order in the Plackett–Luce model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb
from types import MappingProxyType
from typing import Final, final

from consistency_lab.errors import InputError
from consistency_lab.model.surrogates.tasks.atoms import Atom, Linear, LogSumExp
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.task import Task

_KINDS: Final = ("grades", "rankings")
_TIES: Final[Mapping[str, str]] = MappingProxyType(
    {"average": "averaged", "input": "in the order of the input"}
)


@final
@dataclass(frozen=True)
class ListMleSurrogate(AtomSurrogate):
    """- log of the Plackett–Luce chance of the label's order, averaged over all orders of tied items.

    An order is drawn from the top, each item with a chance proportional to exp(u) among those left. Libraries
    break ties of grades at random, anew in each step, so that the loss they minimize is the average. With the
    ties "input", an item counts as above those of its grade that come after it: a loss that depends on how
    the items are numbered.

    Parameters
    ----------
    ties
        "average" or "input".

    Raises
    ------
    InputError
        If it is neither.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> for atom in ListMleSurrogate().atoms(target("ndcg", items=2), (1, 0)):
    ...     print(atom)
    LogSumExp(c=Fraction(1, 1), over=(0, 1))
    Linear(v=((0, Fraction(-1, 1)),))
    """

    name: str = "list-mle"
    ties: str = "average"
    citation = "Xia, Liu, Wang, Zhang and Li 2008"
    decoder = "sort"

    def __post_init__(self) -> None:
        if self.ties not in _TIES:
            raise InputError(f"the rule for ties {self.ties!r} is not known; it is {' or '.join(_TIES)}")

    @property
    def formula(self) -> str:
        """psi(y, u)."""
        return f"- log prod_k exp(u at k) / sum over items not above k of exp(u), ties {_TIES[self.ties]}"

    def check(self, task: Task) -> None:
        if task.space.kind not in _KINDS:
            raise InputError(
                f"the surrogate {self.name} needs labels that are {' or '.join(_KINDS)}; those of "
                f"{task.title} are {task.space.kind}"
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

    def describe(self, task: Task) -> dict[str, object]:
        return {"family": "list-mle", "name": self.name, "ties": self.ties}


def _tiers(label: Sequence[int]) -> list[tuple[int, ...]]:
    """The items of each grade, the highest grade first."""
    return [tuple(i for i, s in enumerate(label) if s == grade) for grade in sorted(set(label), reverse=True)]
