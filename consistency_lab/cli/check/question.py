"""Which question is asked, which options fit it, and what to type to ask it again."""

import shlex
from collections.abc import Mapping
from enum import Enum, auto
from pathlib import Path
from types import MappingProxyType
from typing import Final

from consistency_lab.errors import InputError

Given = Mapping[str, str | int | list[str] | None]
"""Options that belong to the question, with what was given for them."""


class Question(Enum):
    """What may be asked of a surrogate."""

    GRAPHS = auto()
    """Is it consistent on distributions of preference graphs?"""

    PROFILE = auto()
    """Is it right at one distribution of preference graphs?"""

    TASK = auto()
    """Is it consistent for a target loss on labels?"""


_GRAPHS: Final = (Question.GRAPHS, Question.PROFILE)
_GENERAL: Final = (Question.GRAPHS, Question.TASK)
_AT_ONE: Final = (Question.PROFILE, Question.TASK)
_TASK: Final = (Question.TASK,)

_FITS: Final[Mapping[str, tuple[Question, ...]]] = MappingProxyType(
    {
        "--target": _TASK,
        "--matrix": _TASK,
        "--labels": _TASK,
        "--gain": _TASK,
        "--discount": _TASK,
        "--k": _TASK,
        "--v": _TASK,
        "--w": _TASK,
        "--on": _TASK,
        "--decode": _TASK,
        "--weights": _TASK,
        "--label-weights": _TASK,
        "--form": _GRAPHS,
        "--h": _GRAPHS,
        "--r": _GRAPHS,
        "--nu": _GRAPHS,
        "--condition": _GENERAL,
        "--items": _GENERAL,
        "--profile": _AT_ONE,
        "--unranked": _AT_ONE,
        "--select": _AT_ONE,
    }
)
"""Where an option makes sense; one that is not here fits everywhere."""

PAIRWISE: Final = "pairwise"
GRAPHS: Final = "graphs"
"""Labels that are preference graphs of any weights: not listed, but decided by their cones."""

_ABOUT_PROFILE: Final = "it describes a profile: give --profile too"
_FILES: Final = ("--matrix", "--profile")


def question(given: Given) -> Question:
    """The question that the options ask.

    Raises
    ------
    InputError
        If an option is about another one.

    Examples
    --------
    >>> question({"--target": "ndcg", "--items": "3"})
    <Question.TASK: 3>
    """
    if given.get("--labels") == GRAPHS and given.get("--target") == PAIRWISE:
        # The target of preference graphs of any weights, which is what is asked without --target too.
        given = {option: value for option, value in given.items() if option not in ("--target", "--labels")}
    if given.get("--target") is not None or given.get("--matrix") is not None:
        asked = Question.TASK
    else:
        asked = Question.GRAPHS if given.get("--profile") is None else Question.PROFILE
    for option, value in given.items():
        fitting = _FITS.get(option, tuple(Question))
        if value not in (None, []) and asked not in fitting:
            raise InputError(f"{option} does not fit: {_why(asked, fitting)}")
    if asked is Question.TASK:
        _refuse_beside_labels(given)
    return asked


def _refuse_beside_labels(given: Given) -> None:
    """With a profile no option that speaks of other distributions; without one, none of a profile."""
    profile = given.get("--profile") is not None
    for option in ("--condition", "--items") if profile else ("--unranked", "--select"):
        if given.get(option) not in (None, []):
            way = "a profile is one distribution of its own items: leave it out"
            raise InputError(f"{option} does not fit: {way if profile else _ABOUT_PROFILE}")


def _why(asked: Question, fitting: tuple[Question, ...]) -> str:
    if asked is Question.TASK:
        return "it is about preference graphs, and --target about labels: leave one of them out"
    if fitting is _TASK:
        return "it describes a ranking task: give --target too"
    if asked is Question.PROFILE:
        return "a profile is one distribution, and all that holds for it is shown: leave it out"
    return _ABOUT_PROFILE


def command(name: str | None, given: Given) -> str:
    """What to type for the same answer, without what only concerns where files lie.

    Examples
    --------
    >>> command("regression", {"--target": "ndcg", "--on": None, "--condition": ["any"], "--seed": 0})
    'consistency-lab check regression --target ndcg --condition any --seed 0'
    """
    words = ["consistency-lab", "check", *([name] if name is not None else [])]
    for option, value in given.items():
        for one in value if isinstance(value, list) else [value]:
            if one is not None:
                words += [option, Path(str(one)).name if option in _FILES else str(one)]
    return shlex.join(words)
