"""The target losses, as a table, and how each is made from what a user asks for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from types import MappingProxyType
from typing import Final, final

from consistency_lab.errors import InputError
from consistency_lab.model.tasks.average_precision import AveragePrecision
from consistency_lab.model.tasks.err import ExpectedReciprocalRank
from consistency_lab.model.tasks.eru import ExpectedRankUtility
from consistency_lab.model.tasks.kendall import Kendall
from consistency_lab.model.tasks.labels import Classes, Dags, Grades, LabelSpace, Rankings, Rows
from consistency_lab.model.tasks.matrix import MatrixTask
from consistency_lab.model.tasks.ndcg import Ndcg
from consistency_lab.model.tasks.pairwise import PairwiseDisagreement
from consistency_lab.model.tasks.precision import Precision
from consistency_lab.model.tasks.task import Task
from consistency_lab.model.tasks.zero_one import ZeroOne
from consistency_lab.phi import Expression, parse

ITEMS: Final = 3
"""Items, or classes, unless others are asked for."""


TASKS: Final[tuple[type[Task], ...]] = (
    AveragePrecision,
    ExpectedRankUtility,
    ExpectedReciprocalRank,
    Kendall,
    MatrixTask,
    Ndcg,
    PairwiseDisagreement,
    Precision,
    ZeroOne,
)
SPACES: Final[tuple[type[LabelSpace], ...]] = (Classes, Dags, Grades, Rankings, Rows)
"""The classes that theorems and the kernel know; a class derived from one may say something else."""


@final
@dataclass(frozen=True, slots=True)
class Asked:
    """What a user says about a target, all optional.

    Parameters
    ----------
    items
        The number of items or classes.
    labels
        Grades, or the words "rankings" and "dags".
    gain, discount
        G(s) and F(j).
    k
        How many positions count.
    v, w
        Neutral grade and half-life of the expected rank utility.
    """

    items: int = ITEMS
    labels: tuple[int, ...] | str | None = None
    gain: str | None = None
    discount: str | None = None
    k: int | None = None
    v: Fraction | None = None
    w: Fraction | None = None

    def grades(self, usual: tuple[int, ...]) -> Grades:
        """The relevance vectors, with the usual grades unless others are asked for."""
        if isinstance(self.labels, str):
            raise InputError(f"the labels {self.labels!r} do not fit: this target has grades, such as 0..2")
        return Grades(self.items, self.labels or usual)

    def formula(self, text: str | None, variable: str) -> dict[str, Expression]:
        """An expression as a keyword, nothing if it is not given."""
        return {} if text is None else {"gain" if variable == "s" else "discount": parse(text, variable)}


@final
@dataclass(frozen=True, slots=True)
class Target:
    """One line of the table.

    Parameters
    ----------
    name, title
        What the command line and what a table calls it.
    formula
        The loss.
    options
        What of `Asked` it understands besides the number of items.
    citation
        Its source.
    build
        Makes the task.
    """

    name: str
    title: str
    formula: str
    options: tuple[str, ...]
    citation: str
    build: Callable[[Asked], Task]


def _ndcg(asked: Asked) -> Task:
    given = {**asked.formula(asked.gain, "s"), **asked.formula(asked.discount, "j")}
    return Ndcg(asked.grades((0, 1, 2)), k=asked.k, **given)


def _precision(asked: Asked) -> Task:
    return Precision(asked.grades((0, 1)), 1 if asked.k is None else asked.k)


def _wta(asked: Asked) -> Task:
    return Precision(asked.grades((0, 1)), 1)


def _err(asked: Asked) -> Task:
    given = {**asked.formula(asked.gain, "s"), **asked.formula(asked.discount, "j")}
    return ExpectedReciprocalRank(asked.grades((0, 1, 2)), **given)


def _map(asked: Asked) -> Task:
    return AveragePrecision(asked.grades((0, 1)))


def _eru(asked: Asked) -> Task:
    v = Fraction(0) if asked.v is None else asked.v
    return ExpectedRankUtility(asked.grades((0, 1, 2)), v, Fraction(2) if asked.w is None else asked.w)


_WORDS: Final[Mapping[str, Callable[[int], LabelSpace]]] = MappingProxyType(
    {"rankings": Rankings, "dags": Dags}
)


def _pairwise(asked: Asked) -> Task:
    if isinstance(asked.labels, str):
        if asked.labels not in _WORDS:
            raise InputError(
                f"the labels {asked.labels!r} are not known; write grades such as 0..2, rankings or dags"
            )
        return PairwiseDisagreement(_WORDS[asked.labels](asked.items))
    return PairwiseDisagreement(asked.grades((0, 1, 2)))


def _kendall(asked: Asked) -> Task:
    if asked.labels not in (None, "rankings"):
        raise InputError("the labels of Kendall tau are rankings; leave --labels out")
    return Kendall(Rankings(asked.items))


def _zero_one(asked: Asked) -> Task:
    return ZeroOne(Classes(asked.items))


TARGETS: Final[Mapping[str, Target]] = MappingProxyType(
    {
        line.name: line
        for line in (
            Target(
                "pairwise",
                "pairwise disagreement",
                "sum over edges i → j of 1(j above i)",
                ("labels",),
                PairwiseDisagreement.citation,
                _pairwise,
            ),
            Target(
                "ndcg",
                "NDCG",
                "1 - (1/Z(s)) sum_j G(s_j)/F(position of j)",
                ("labels", "gain", "discount", "k"),
                Ndcg.citation,
                _ndcg,
            ),
            Target(
                "precision",
                "precision@k",
                "1 - (1/k) sum_i y_i 1(position of i <= k)",
                ("labels", "k"),
                Precision.citation,
                _precision,
            ),
            Target("wta", "winner takes all", "precision@1", ("labels",), Precision.citation, _wta),
            Target(
                "err",
                "expected reciprocal rank",
                "1 - sum_i (1/F(i)) G(s at i) prod_{k<i} (1 - G(s at k))",
                ("labels", "gain", "discount"),
                ExpectedReciprocalRank.citation,
                _err,
            ),
            Target(
                "map",
                "mean average precision",
                "1 - (1/sum y) sum_{j<=i} y_i y_j / max(position of i, position of j)",
                ("labels",),
                AveragePrecision.citation,
                _map,
            ),
            Target(
                "eru",
                "expected rank utility",
                "- sum_i max(y_i - v, 0) 2^((1 - position of i)/(w - 1))",
                ("labels", "v", "w"),
                ExpectedRankUtility.citation,
                _eru,
            ),
            Target(
                "kendall", "Kendall tau", "share of discordant pairs", ("labels",), Kendall.citation, _kendall
            ),
            Target("zero-one", "0-1 loss", "1(prediction is not the label)", (), ZeroOne.citation, _zero_one),
        )
    }
)
"""Targets by name. A matrix from a file is one more: `matrix.MatrixTask`."""

_OPTIONS: Final = ("labels", "gain", "discount", "k", "v", "w")
_DIGITS: Final = 9
"""Longest k after @."""


def target(
    name: str,
    *,
    items: int = ITEMS,
    labels: tuple[int, ...] | str | None = None,
    gain: str | None = None,
    discount: str | None = None,
    k: int | None = None,
    v: Fraction | None = None,
    w: Fraction | None = None,
) -> Task:
    """Build a target loss by name.

    Parameters
    ----------
    name
        A name of `TARGETS`; "ndcg@10" is "ndcg" with k = 10.
    items, labels, gain, discount, k, v, w
        As in `Asked`.

    Raises
    ------
    InputError
        If there is no such target, or it does not understand an option, or a value is out of range.

    Examples
    --------
    >>> target("ndcg", k=2).title, target("ndcg@10").title
    ('NDCG@2', 'NDCG@10 (NDCG for 3 items)')
    """
    name, k = _counting(name, k)
    line = TARGETS.get(name)
    if line is None:
        near = get_close_matches(name.lower(), TARGETS, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"the targets are {', '.join(TARGETS)}"
        raise InputError(f"there is no target {name!r}; {hint}")
    asked = Asked(items, labels, gain, discount, k, v, w)
    for option in _OPTIONS:
        if getattr(asked, option) is not None and option not in line.options:
            known = f"its options are {', '.join(line.options)}" if line.options else "it has no options"
            raise InputError(f"the target {name} has no {option}; {known}")
    return line.build(asked)


def _counting(name: str, k: int | None) -> tuple[str, int | None]:
    """The name of a target without its @k, and k."""
    base, at, digits = name.partition("@")
    if not at or base not in TARGETS:
        return name, k
    if not (digits.isascii() and digits.isdigit() and len(digits) <= _DIGITS):
        raise InputError(
            f"the target {base}@ has no number of positions after @; write {base}@10, for instance"
        )
    if k not in (None, int(digits)):
        raise InputError(f"the target {name} counts {digits} positions and k is {k}; leave one of them out")
    return base, int(digits)
