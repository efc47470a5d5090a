"""Losses of multiclass classification: the class with the largest score is predicted."""

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from consistency_lab.exact import LogRational
from consistency_lab.frozen import frozen
from consistency_lab.model.surrogates.families import Term, pair
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate, Choice, Family, Max, MeanSurrogate
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.task import Task
from consistency_lab.phi import parse

_HINGE: Final = parse("max(0,1-x)")
_POSITIVE: Final = parse("max(0,x)")
_CLASSES: Final = ("classes",)


@frozen
class CrammerSinger(AtomSurrogate):
    """max(0, 1 + max_{j != y} u_j - u_y): without a majority its minimizers do not tell the classes apart.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> (atom,) = CrammerSinger().atoms(target("zero-one"), (0,))
    >>> len(atom.pieces)
    3
    """

    name: str = "crammer-singer"
    decoder = "argmax"
    family = Family(
        "crammer-singer",
        "max(0, 1 + max_(j != y) u_j - u_y)",
        "Crammer and Singer 2001; Tewari and Bartlett 2007",
        kinds=_CLASSES,
    )

    def atoms(self, task: Task, label: Label) -> tuple[Max]:
        one = Fraction(1)
        (y,) = label
        rivals = (tuple(sorted(((j, one), (y, -one)))) for j in range(task.space.m) if j != y)
        return (Max(one, (((), Fraction(0)), *((v, one) for v in rivals))),)


@frozen
class WestonWatkins(AtomSurrogate):
    """sum_{j != y} max(0, 1 - (u_y - u_j)).

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> [term.v for term in WestonWatkins().atoms(target("zero-one"), (1,))]
    [((0, -1), (1, 1)), ((1, 1), (2, -1))]
    """

    name: str = "weston-watkins"
    decoder = "argmax"
    family = Family(
        "weston-watkins",
        "sum_(j != y) max(0, 1 - (u_y - u_j))",
        "Weston and Watkins 1999; Tewari and Bartlett 2007",
        kinds=_CLASSES,
    )

    def atoms(self, task: Task, label: Label) -> tuple[Term, ...]:
        (y,) = label
        return tuple(pair(Fraction(1), _HINGE, y, j) for j in range(task.space.m) if j != y)


@frozen
class LeeLinWahba(AtomSurrogate):
    """sum_{j != y} max(0, 1 + u_j) for scores that sum to zero.

    The constraint is eliminated: u_j stands for u_j minus the mean of the scores, and with m classes
    max(0, 1 + u_j - mean) = (1/m) max(0, m + m u_j - sum of the scores).

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> term, _ = LeeLinWahba().atoms(target("zero-one"), (0,))
    >>> term.v, str(term.c), str(term.b)
    (((0, -1), (1, 2), (2, -1)), '1/3', '-3')
    """

    name: str = "lee-lin-wahba"
    decoder = "argmax"
    family = Family(
        "lee-lin-wahba",
        "sum_(j != y) max(0, 1 + u_j), where sum_j u_j = 0",
        "Lee, Lin and Wahba 2004; Tewari and Bartlett 2007",
        kinds=_CLASSES,
    )

    def atoms(self, task: Task, label: Label) -> tuple[Term, ...]:
        m, (y,) = task.space.m, label
        along = (tuple((i, m - 1 if i == j else -1) for i in range(m)) for j in range(m) if j != y)
        return tuple(Term(Fraction(1, m), _POSITIVE, v, LogRational(Fraction(-m))) for v in along)


def _indicator(task: Task, label: Label) -> tuple[Fraction, ...]:
    return tuple(Fraction(label == (k,)) for k in range(task.space.m))


def _loss(formula: str, link: str, risk: str, citation: str = "Zhang 2004, one versus all") -> Choice:
    return Choice(formula, _indicator, citation, link=link, risk=risk)


LOSSES: Final[Mapping[str, Choice]] = MappingProxyType(
    {
        "softmax": _loss(
            "- log(exp(u_y) / sum_k exp(u_k))", "log", "softmax", "multinomial logistic regression"
        ),
        "ova-logistic": _loss("log(1+exp(-u_y)) + sum_(k!=y) log(1+exp(u_k))", "logit", "sigmoids"),
        "ova-square": _loss("(1-u_y)^2 + sum_(k!=y) (1+u_k)^2", "2x-1", "signed"),
        "ova-squared-hinge": _loss("max(0,1-u_y)^2 + sum_(k!=y) max(0,1+u_k)^2", "2x-1", "signed"),
    }
)
"""Each is minimized at a strictly increasing function of p_k, the same for all classes."""


@frozen
class Indicator(MeanSurrogate):
    """A multiclass loss that estimates the probabilities of the classes.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> Indicator("ova-square").features(target("zero-one"), (1,))
    (Fraction(0, 1), Fraction(1, 1), Fraction(0, 1))
    """

    psi: str = "softmax"  #: A name of `LOSSES`.
    name: str = "multiclass-softmax"
    decoder = "argmax"
    family = Family("indicator", "{psi}", "", {"psi": LOSSES}, _CLASSES)

    def features(self, task: Task, label: Label) -> tuple[Fraction, ...]:
        return _indicator(task, label)
