"""Unique-rating softmax: each item against the items that the label puts below it."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar, Final, final

from consistency_lab.errors import InputError
from consistency_lab.model.surrogates.tasks.atoms import Atom, Linear, LogSumExp
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate
from consistency_lab.model.tasks.formulas import gains_of
from consistency_lab.model.tasks.labels import Grades, Label
from consistency_lab.model.tasks.task import Task
from consistency_lab.phi import Expression, parse

GAIN: Final = parse("2**s-1", "s")


@final
@dataclass(frozen=True)
class UniqueSoftmax(AtomSurrogate):
    """Sum over i of G(s_i) (log(exp(u_i) + sum over s_j < s_i of exp(u_j)) - u_i).

    The gain is the loss's own and does not follow the target. Items of equal grades do not compete.

    Parameters
    ----------
    gain
        G, an expression in s that does not fall, at least 0 on the grades.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> for atom in UniqueSoftmax().atoms(target("ndcg", items=3), (2, 0, 0)):
    ...     print(atom)
    LogSumExp(c=Fraction(3, 1), over=(0, 1, 2))
    Linear(v=((0, Fraction(-3, 1)),))
    """

    gain: Expression = GAIN
    name: str = "unique-softmax"
    citation: ClassVar[str] = "Zhu and Klabjan 2020"
    decoder = "sort"

    @property
    def formula(self) -> str:
        """psi(y, u)."""
        return "sum_i G(s_i) (log(exp(u_i) + sum over s_j < s_i of exp(u_j)) - u_i), G(s) = " + self._text

    @cached_property
    def _text(self) -> str:
        return self.gain.text("s")

    def check(self, task: Task) -> None:
        if not isinstance(task.space, Grades):
            raise InputError(
                f"the surrogate {self.name} needs labels that are grades; those of {task.title} are "
                f"{task.space.kind}"
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

    def describe(self, task: Task) -> dict[str, object]:
        return {"family": "unique-softmax", "name": self.name, "gain": self._text}
