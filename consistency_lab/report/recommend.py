"""What to train instead: every loss that is proved consistent for a target, and a program for a library."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from consistency_lab.decide.answers import Prescription
from consistency_lab.decide.remedies import choices, task_words
from consistency_lab.errors import InputError
from consistency_lab.model.labels import Grades, Label
from consistency_lab.model.surrogates.families import Loss
from consistency_lab.model.surrogates.tasks.atoms import PairsSurrogate
from consistency_lab.model.surrogates.tasks.base import gains
from consistency_lab.model.surrogates.tasks.means import Regression
from consistency_lab.model.tasks.positional import Ndcg
from consistency_lab.model.tasks.task import Task
from consistency_lab.phi import parse
from consistency_lab.report.pages import filled
from consistency_lab.report.script import (
    COPIES,
    OBJECTIVES,
    TITLES,
    docstring,
    imports,
    literal,
    of_least_loss,
    plain,
    repeated,
    trees,
    written,
)
from consistency_lab.report.text import Line, flush, inset

Lists = tuple[tuple[Label, int], ...]

_LOGISTIC: Final = parse("log(1+exp(-x))")

DEFAULTS: Final[Mapping[str, str]] = MappingProxyType(
    {"lightgbm": "lambdarank", "xgboost": "rank:ndcg", "catboost": "YetiRank"}
)
"""What each library ships for rankings."""

# Lists of three grades, how often. The default ends in a wrong order for NDCG, and for pairwise disagreement.
_NDCG: Final[Lists] = (((0, 2, 1), 2), ((2, 1, 1), 3))
_TOP: Final[Lists] = (((0, 0, 1), 1), ((2, 2, 1), 2))
_PAIRS: Final[Lists] = (((0, 1, 0), 1), ((2, 0, 1), 2))
_VOTES: Final[Lists] = (((0, 2, 2), 5), ((0, 1, 0), 5), ((2, 1, 1), 4))
_BINARY: Final[Lists] = (((0, 0, 1), 3), ((1, 0, 0), 1), ((1, 1, 0), 4))
_EXAMPLES: Final[Mapping[tuple[str, str], Lists]] = MappingProxyType(
    {
        ("ndcg", "catboost"): _TOP,
        ("pairwise", "lightgbm"): _PAIRS,
        ("pairwise", "xgboost"): _PAIRS,
        ("pairwise", "catboost"): _VOTES,
    }
)


def recommendations(task: Task, library: str) -> Iterator[Line]:
    """The choices, each with its condition, its cost, its proof, and where the program is.

    Parameters
    ----------
    task
        The target.
    library
        A key of `DEFAULTS`.
    """
    found = list(choices(task))
    if not found:
        yield f"No known loss is proved consistent for {task.title}."
        return
    some = "One known loss is" if len(found) == 1 else f"{len(found)} known losses are"
    yield from flush(f"{some} proved consistent for {task.title}:")
    for number, one in enumerate(found, start=1):
        yield ""
        yield from flush(f"{number}. {one.surrogate.name}: {one.surrogate.text}")
        where = "every distribution" if one.condition == "any" else f"distributions that are {one.condition}"
        yield from inset(f"Right for {where}: {one.reason}.")
        yield from inset(f"Needs {one.how}.")
        yield f"  Check: {one.command}"
        code = code_command(one, library)
        if code is not None:
            yield f"  Code: {code}"
        else:
            yield from inset(f"{TITLES[library]} does not ship this loss, and no program here adds it.")


def fits(surrogate: Loss, task: Task, library: str) -> bool:
    """Whether there is a program: least squares in each library, a custom objective of lists in two."""
    if not isinstance(task.space, Grades):
        return False
    if type(surrogate) is PairsSurrogate:
        return surrogate.weights.startswith("zhang") and surrogate.phi == _LOGISTIC and library != "catboost"
    return type(surrogate) is Regression


def code_command(advice: Prescription, library: str) -> str | None:
    """What prints a program for a prescription, None if there is none.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> code_command(next(choices(target("ndcg@2"))), "xgboost")
    'consistency-lab recommend regression-gain-over-z --target ndcg --k 2 --library xgboost'
    """
    if advice.target is None or not fits(advice.surrogate, advice.target, library):
        return None
    words = task_words(advice.target)
    del words[: 2 * (words[:1] == ["--items"])]  # it is for lists of any length
    name, target = advice.surrogate.name, advice.target.target
    return shlex.join(
        ["consistency-lab", "recommend", name, "--target", target, *words, "--library", library]
    )


def program(task: Task, library: str, name: str) -> str:
    """A program that trains the default of a library, and a recommended loss, on lists that fool the default.

    Raises
    ------
    InputError
        If the loss is no choice for the target, or the library cannot train it.
    """
    known = (one for one in choices(task) if fits(one.surrogate, task, library))
    found = next((one for one in known if one.surrogate.name == name), None)
    if found is None:
        names = ", ".join(one.surrogate.name for one in choices(task) if fits(one.surrogate, task, library))
        raise InputError(
            f"{name!r} has no program for {TITLES[library]} and {task.title}; "
            + (f"these have: {names}" if names else "no loss has one")
        )
    loss, grades = found.surrogate, getattr(task.space, "grades", ())
    lists = _example(task, library, grades)
    whole = sum(n for _, n in lists)
    best = of_least_loss(task, {label: Fraction(n, whole) for label, n in lists})
    word = (
        loss.f
        if isinstance(loss, Regression)
        else "gain/Z"
        if getattr(loss, "weights", "") == "zhang"
        else "gain"
    )
    m, scaled = len(lists[0][0]), word == "gain/Z" and isinstance(task, Ndcg)
    discount = str(task.discount.text("j")) if isinstance(task, Ndcg) else ""
    needed = [name for name in ("exp", "log", "sqrt") if scaled and f"{name}(" in discount]
    return filled(
        "recommended.py.j2",
        library=library,
        loss=loss.name,
        imports=(f"from math import {', '.join(needed)}\n\n" if needed else "") + imports(library),
        default=_default(task, library),
        command=plain(str(code_command(found, library))),
        docstring=docstring(
            f"{TITLES[library]}'s {_default(task, library)} is wrong for {plain(task.title)} on these lists, "
            f"and {loss.name} is right. Proved: {plain(found.reason)}."
        ),
        lists=repeated("lists", [(str(list(label)), COPIES * n) for label, n in lists]),
        kind=word,
        scaled=scaled,
        gains="" if word == "net" else _table(task, word, grades),
        discount=discount,
        k=task.k if isinstance(task, Ndcg) else None,
        objective=type(loss) is PairsSurrogate,
        squares=OBJECTIVES[library]["squares"][0],
        m=m,
        parameters=written(trees(library, m)),
        optimal=literal([task.prediction_text(t) for t in best]),
    )


def _default(task: Task, library: str) -> str:
    return "PairLogit" if (task.target, library) == ("pairwise", "catboost") else DEFAULTS[library]


def _example(task: Task, library: str, grades: Sequence[int]) -> Lists:
    wanted = _EXAMPLES.get((task.target, library), _NDCG)
    fits = [one for one in (wanted, _BINARY) if all(s in grades for label, _ in one for s in label)]
    if not fits or task.space.m != len(fits[0][0][0]):
        raise InputError(
            "the example program has 3 items and the grades 0 and 1; leave out other --items and --labels"
        )
    return fits[0]


def _table(task: Task, word: str, grades: Sequence[int]) -> str:
    values = [Fraction(s) if word == "grade" else gains(task, (s,) * task.space.m)[0] for s in grades]
    return "{" + ", ".join(f"{s}: {value}" for s, value in zip(grades, values, strict=True)) + "}"
