"""Absolute differences between differences of scores and of grades: a median regression on pairs."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Final, final

from consistency_lab.errors import InputError
from consistency_lab.exact import LogRational
from consistency_lab.model.surrogates.base import Term, pair
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate
from consistency_lab.model.surrogates.tasks.features import check_grades
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.task import Task
from consistency_lab.phi import parse

_ABSOLUTE: Final = parse("abs(x)")


@final
@dataclass(frozen=True)
class PairAbsolute(AtomSurrogate):
    """The sum over s_i > s_j of |(u_i - u_j) - (s_i - s_j)|.

    Parameters
    ----------
    normalized
        "pairs" divides a label's sum by its number of pairs, "none" does not.

    Raises
    ------
    InputError
        If it is neither.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> [(term.v, str(term.b)) for term in PairAbsolute().atoms(target("ndcg", items=2), (2, 0))]
    [(((0, 1), (1, -1)), '2')]
    """

    normalized: str = "none"
    name: str = "pair-absolute"
    citation: ClassVar[str] = "Koenker and Bassett 1978 (median regression)"
    decoder: str = "sort"

    def __post_init__(self) -> None:
        if self.normalized not in ("none", "pairs"):
            raise InputError(f"the normalization {self.normalized!r} is not known; it is none or pairs")

    @property
    def formula(self) -> str:
        """psi(y, u)."""
        share = ", divided by the number of pairs" if self.normalized == "pairs" else ""
        return f"sum over s_i > s_j of |(s_i - s_j) - (u_i - u_j)|{share}"

    def check(self, task: Task) -> None:
        check_grades(task, f"the loss {self.name}")

    def atoms(self, task: Task, label: Label) -> tuple[Term, ...]:
        pairs = sorted((i, j) for i, j, _ in task.space.preferences(label))
        share = Fraction(1, len(pairs) or 1) if self.normalized == "pairs" else Fraction(1)
        gaps = (LogRational(Fraction(label[i] - label[j])) for i, j in pairs)
        return tuple(pair(share, _ABSOLUTE, i, j, gap) for (i, j), gap in zip(pairs, gaps, strict=True))

    def describe(self, task: Task) -> dict[str, object]:
        return {"family": "pair-absolute", "name": self.name, "normalized": self.normalized}
