"""Softmax cross-entropy over the items of a list (ListNet and its relatives)."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import ClassVar, Final, final

from consistency_lab.errors import InputError
from consistency_lab.exact import working_precision
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate
from consistency_lab.model.surrogates.tasks.features import check_grades, gains, grades
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.real import Exact, Real
from consistency_lab.model.tasks.task import PRECISION, Task
from consistency_lab.phi import build, number


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


def _plain(values: Sequence[Fraction]) -> tuple[Real, ...]:
    return tuple(values)


@final
@dataclass(frozen=True, slots=True)
class _Normalization:
    formula: str
    values: Callable[[Task, Label], tuple[Fraction, ...]]
    normalize: Callable[[Sequence[Fraction]], tuple[Real, ...]]


NORMALIZATIONS: Final[Mapping[str, _Normalization]] = MappingProxyType(
    {
        "sum": _Normalization("y_i / sum y", grades, _divided),
        "exp": _Normalization("exp(y_i) / sum exp(y)", grades, _exponential),
        "none": _Normalization("y_i", grades, _plain),
        "gain-sum": _Normalization("G(y_i) / sum G(y)", gains, _divided),
        "gain-none": _Normalization("G(y_i)", gains, _plain),
    }
)
"""How grades become the weights P_i(y)."""


@final
@dataclass(frozen=True)
class Softmax(MeanSurrogate):
    """- sum_i P_i(y) log softmax_i(u).

    Its gradient is (sum_i E P_i) softmax(u) - E P, so the minimizer is log E P up to a constant: an item with
    E P_i = 0 goes to minus infinity, below the others.

    Parameters
    ----------
    labels
        A name of `NORMALIZATIONS`.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> [str(x) for x in Softmax().features(target("ndcg"), (2, 0, 1))]
    ['2/3', '0', '1/3']
    """

    labels: str = "sum"
    name: str = "softmax"
    decoder: str = "sort"
    family: ClassVar[str] = "softmax"
    link: ClassVar[str] = "log"
    risk: ClassVar[str] = "softmax"
    citation: ClassVar[str] = "Cao, Qin, Liu, Tsai and Li 2007 (ListNet)"

    def __post_init__(self) -> None:
        if self.labels not in NORMALIZATIONS:
            raise InputError(
                f"the label weights {self.labels!r} are not known; they may be {', '.join(NORMALIZATIONS)}"
            )

    @property
    def formula(self) -> str:
        """The loss."""
        return f"- sum_i P_i log(exp(u_i) / sum_j exp(u_j)), P_i = {NORMALIZATIONS[self.labels].formula}"

    def check(self, task: Task) -> None:
        check_grades(task, "the softmax loss")

    def features(self, task: Task, label: Label) -> tuple[Real, ...]:
        chosen = NORMALIZATIONS[self.labels]
        return chosen.normalize(chosen.values(task, label))

    def determined_by(self, task: Task, label: Label) -> tuple[Hashable, ...]:
        """P_i depends on the value of the item, and on the values of all items in any order."""
        values = NORMALIZATIONS[self.labels].values(task, label)
        return tuple((x, tuple(sorted(values))) for x in values)

    def describe(self, task: Task) -> dict[str, object]:
        return {"family": self.family, "name": self.name, "labels": self.labels}
