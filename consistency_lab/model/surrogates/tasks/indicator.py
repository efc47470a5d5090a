"""Multiclass losses whose minimizer is a function of the probabilities of the classes."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import ClassVar, Final, NamedTuple, final

from consistency_lab.errors import InputError
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate
from consistency_lab.model.tasks.labels import Classes, Label
from consistency_lab.model.tasks.task import Task


@final
class _Loss(NamedTuple):
    formula: str
    link: str
    risk: str
    citation: str


LOSSES: Final[Mapping[str, _Loss]] = MappingProxyType(
    {
        "softmax": _Loss(
            "- log(exp(u_y) / sum_k exp(u_k))", "log", "softmax", "multinomial logistic regression"
        ),
        "ova-logistic": _Loss(
            "log(1+exp(-u_y)) + sum_{k!=y} log(1+exp(u_k))", "logit", "sigmoids", "Zhang 2004, one versus all"
        ),
        "ova-square": _Loss(
            "(1-u_y)^2 + sum_{k!=y} (1+u_k)^2", "2x-1", "signed", "Zhang 2004, one versus all"
        ),
        "ova-squared-hinge": _Loss(
            "max(0,1-u_y)^2 + sum_{k!=y} max(0,1+u_k)^2", "2x-1", "signed", "Zhang 2004, one versus all"
        ),
    }
)
"""Each is minimized at a strictly increasing function of p_k, the same for all classes."""


@final
@dataclass(frozen=True)
class Indicator(MeanSurrogate):
    """A multiclass loss that estimates the probabilities of the classes.

    Parameters
    ----------
    psi
        A name of `LOSSES`.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> Indicator("ova-square").features(target("zero-one"), (1,))
    (Fraction(0, 1), Fraction(1, 1), Fraction(0, 1))
    """

    psi: str = "softmax"
    name: str = "multiclass-softmax"
    decoder: str = "argmax"
    family: ClassVar[str] = "indicator"

    def __post_init__(self) -> None:
        if self.psi not in LOSSES:
            raise InputError(f"the multiclass loss {self.psi!r} is not known; it may be {', '.join(LOSSES)}")

    @property
    def formula(self) -> str:
        """The loss."""
        return LOSSES[self.psi].formula

    @property
    def link(self) -> str:
        """What of p_k the minimizer is."""
        return LOSSES[self.psi].link

    @property
    def risk(self) -> str:
        """Its row in `core.known_mean`."""
        return LOSSES[self.psi].risk

    @property
    def citation(self) -> str:
        """Its source."""
        return LOSSES[self.psi].citation

    def check(self, task: Task) -> None:
        if not isinstance(task.space, Classes):
            raise InputError(f"{self.name} is a loss of classes; its target is zero-one")

    def features(self, task: Task, label: Label) -> tuple[Fraction, ...]:
        return tuple(Fraction(label == (k,)) for k in range(task.space.m))

    def describe(self, task: Task) -> dict[str, object]:
        return {"family": self.family, "name": self.name, "psi": self.psi}
