"""The scalar functions that have a name, as a literal table."""

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final

from consistency_lab.core.phi.expression import Expression, parse
from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen


@frozen
class NamedFunction:
    """A scalar function that people know by name."""

    name: str  #: The name used in tables and files.
    text: str  #: The function of the margin x, as `parse` reads it.
    title: str  #: A short description.
    aliases: tuple[str, ...]  #: Other names that users know.
    citation: str  #: Where it comes from.

    @property
    def expression(self) -> Expression:
        """The function as a tree."""
        return parse(self.text)


_ROWS: Final = (
    NamedFunction(
        "hinge",
        "max(0,1-x)",
        "hinge loss (ranking support vector machine)",
        ("ranksvm", "rank-svm", "svm-rank"),
        "Herbrich, Graepel, Obermayer 2000; Joachims 2002",
    ),
    NamedFunction(
        "squared-hinge",
        "max(0,1-x)**2",
        "squared hinge loss",
        ("l2-svm", "hinge-squared"),
        "Chapelle and Keerthi 2010",
    ),
    NamedFunction(
        "square",
        "(1-x)**2",
        "square loss",
        ("squared", "least-squares"),
        "Cossock and Zhang 2006",
    ),
    NamedFunction(
        "smoothed-hinge",
        "max(0,1-x)**2/2-max(0,-x)**2/2",
        "smoothed hinge: 1/2-x below 0, (1-x)**2/2 up to 1, then 0",
        ("smooth-hinge",),
        "Rennie and Srebro 2005",
    ),
    NamedFunction(
        "huberized-hinge",
        "max(0,1-x)**2-max(0,-1-x)**2",
        "Huberized squared hinge: -4*x below -1, (1-x)**2 up to 1, then 0",
        ("huberised-hinge", "modified-huber"),
        "Zhang 2004; Rosset and Zhu 2007",
    ),
    NamedFunction(
        "logistic",
        "log(1+exp(-x))",
        "logistic loss (RankNet)",
        (
            "ranknet",
            "log-loss",
            "logit",
            "bradley-terry",
            "bradley-terry-luce",
            "bradley-terry-model",
            "btl",
            "bt",
        ),
        "Burges et al. 2005; Dekel, Manning, Singer 2004",
    ),
    NamedFunction(
        "exponential",
        "exp(-x)",
        "exponential loss (RankBoost)",
        ("rankboost", "exp-loss", "exp"),
        "Freund, Iyer, Schapire, Singer 2003",
    ),
    NamedFunction(
        "sigmoid",
        "1/(1+exp(x))",
        "sigmoid loss (not convex)",
        ("logistic-sigmoid",),
        "Mason, Baxter, Bartlett, Frean 2000",
    ),
    NamedFunction(
        "ramp",
        "max(0,min(1,1-x))",
        "ramp loss, the hinge cut off at 1 (not convex)",
        ("truncated-hinge",),
        "Collobert, Sinz, Weston, Bottou 2006",
    ),
)

NAMED: Final[Mapping[str, NamedFunction]] = MappingProxyType({row.name: row for row in _ROWS})
"""Every named scalar function, by its name."""


def named(name: str) -> NamedFunction:
    """Look up a scalar function by its name or an alias.

    Examples
    --------
    >>> named("RankNet").text
    'log(1+exp(-x))'
    """
    key = name.strip().lower().replace("_", "-").replace(" ", "-")
    for row in _ROWS:
        if key == row.name or key in row.aliases:
            return row
    known = [known for row in _ROWS for known in (row.name, *row.aliases)]
    close = get_close_matches(key, known, n=1, cutoff=0.5)
    guess = f"did you mean {close[0]}?" if close else f"names are {', '.join(NAMED)}"
    raise InputError(f"{name!r} is not a known scalar function; {guess}")
