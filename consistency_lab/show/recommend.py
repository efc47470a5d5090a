"""Programs that train a recommended loss with a library, and what is said of their labels."""

import re
import shlex
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from consistency_lab.decide.answers import Prescription
from consistency_lab.decide.remedies import choices, task_words
from consistency_lab.errors import InputError
from consistency_lab.model.conditions import TASK_CONDITIONS
from consistency_lab.model.labels import Grades
from consistency_lab.model.surrogates.families import Loss
from consistency_lab.model.surrogates.tasks.atoms import PairsSurrogate
from consistency_lab.model.surrogates.tasks.means import Regression
from consistency_lab.model.tasks.positional import ExpectedRankUtility, Ndcg
from consistency_lab.model.tasks.task import Task
from consistency_lab.numbers.phi import parse
from consistency_lab.show.pages import filled
from consistency_lab.show.script import OBJECTIVES, TITLES, docstring, imports, plain

_LOGISTIC: Final = parse("log(1+exp(-x))")

DEFAULTS: Final[Mapping[str, str]] = MappingProxyType(
    {"lightgbm": "lambdarank", "xgboost": "rank:ndcg", "catboost": "YetiRank"}
)
"""What each library ships for rankings."""

LIBRARIES: Final = {**TITLES, "pytorch": "PyTorch"}
"""What programs are written for."""

CHECKED: Final = re.compile(r", hypotheses checked \((.*)\)$")
"""The end of a proof: for which lists it is."""


def aim(task: Task) -> str:
    """The target as a user says it."""
    return task.title.partition(" (")[0]


def where(one: Prescription) -> str:
    """Under which condition on the labels a loss is right."""
    return (
        "whatever the labels" if one.condition == "any" else f"under {TASK_CONDITIONS[one.condition].title}"
    )


def scope(one: Prescription) -> str:
    """For which lists that is proved."""
    found = CHECKED.search(one.reason)
    if found is None or found[1] == "these labels":
        return "proved for lists and grades as here"
    return "for lists of any length" if found[1] == "all m" else f"for {found[1]} (m items a list)"


def labels_text(loss: Loss, task: Task) -> str:
    """What to train on for an item, made from the grades of its list."""
    kind = _kind(loss)
    if kind == "net":
        return "y = how many items of the list have a lower grade, less those with a higher one"
    gain = _shown(_gain(task))
    if kind == "gain/Z" and isinstance(task, Ndcg):
        first = f" first {task.k}" if task.k else ""
        return (
            f"gain = {gain} of the grade s; Z = sum of the list's{first} gains, largest first, over "
            f"{_shown(task.discount.text('j'))}, j = 1, 2, ...; y = gain / Z (0 where Z is 0)"
        )
    return f"y = {'s' if kind == 'grade' else gain}, s the grade"


def _shown(formula: str) -> str:
    """As people write it: powers of 2 and logarithms to base 2."""
    return re.sub(
        r"exp\((\w+)\*log\(2\)\)", r"2**\1", re.sub(r"log\(([^()]*)\)/log\(2\)", r"log2(\1)", formula)
    )


def fits(surrogate: Loss, task: Task, library: str) -> bool:
    """Whether there is a program: least squares in each library, a custom objective of lists in three."""
    if not isinstance(task.space, Grades):
        return False
    if type(surrogate) is PairsSurrogate:
        return surrogate.weights.startswith("zhang") and surrogate.phi == _LOGISTIC and library != "catboost"
    return type(surrogate) is Regression


def code_command(advice: Prescription, library: str) -> str | None:
    """What prints a program for a prescription, None if there is none."""
    task = advice.target
    if task is None or not fits(advice.surrogate, task, library):
        return None
    words = task_words(task)
    del words[: 2 * (words[:1] == ["--items"])]  # it is for lists of any length
    if isinstance(task, Ndcg) and task.k and "--k" not in words:  # so many positions count in longer lists
        words += ["--k", str(task.k)]
    asked = ["consistency-lab", "recommend", advice.surrogate.name, "--target", task.target, *words]
    return shlex.join([*asked, "--library", library])


def program(task: Task, library: str, name: str) -> str:
    """A program that trains a recommended loss on lists of any length, or in PyTorch a module."""
    known = [one for one in choices(task) if fits(one.surrogate, task, library)]
    choice = next((one for one in known if one.surrogate.name == name), None)
    title = LIBRARIES[library]
    if choice is None:
        names = ", ".join(one.surrogate.name for one in known)
        raise InputError(
            f"{name!r} has no program for {title} and {aim(task)}; "
            + (f"these have: {names}" if names else "no loss has one")
        )
    loss, kind, torch = choice.surrogate, _kind(choice.surrogate), library == "pytorch"
    use = "" if torch else "Files are in LETOR's format: GRADE qid:QUERY INDEX:VALUE ... on each line. "
    how = f"A loss of padded lists: {name}" if torch else f"Trains {title} with {name}"
    about = f"{how}, right for {aim(task)} {where(choice)}, {scope(choice)}. {use}Proof: {choice.reason}."
    return filled(
        __file__,
        "recommended_torch.py.j2" if torch else "recommended.py.j2",
        library=library,
        imports=imports(library),
        command=plain(str(code_command(choice, library))),
        docstring=docstring(plain(about)),
        called="".join(part.title() for part in name.split("-")),
        kind=kind,
        scaled=kind == "gain/Z" and isinstance(task, Ndcg),
        gain=_code("s" if kind == "grade" else _gain(task), torch),
        discount=_code(task.discount.text("j"), torch) if isinstance(task, Ndcg) else "",
        k=task.k if isinstance(task, Ndcg) else None,
        objective=type(loss) is PairsSurrogate,
        squares="" if torch else OBJECTIVES[library]["squares"][0],
    )


def _kind(loss: Loss) -> str:
    if isinstance(loss, Regression):
        return loss.f
    return "gain/Z" if getattr(loss, "weights", "") == "zhang" else "gain"


def _gain(task: Task) -> str:
    """The gain of a grade s."""
    if isinstance(task, ExpectedRankUtility):
        return f"max(s-{task.v},0)" if task.v else "s"
    return task.gain.text("s") if isinstance(task, Ndcg) else "s"


def _code(formula: str, torch: bool) -> str:
    """A formula of numbers in an array or a tensor."""
    text = re.sub(r"max\((.*),0\)", r"(\1).clamp(min=0)" if torch else r"np.maximum(\1, 0)", _shown(formula))
    return re.sub(r"\b(exp|log2?|sqrt)\(", rf"{'torch' if torch else 'np'}.\1(", text)
