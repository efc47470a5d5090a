"""What to use instead: a surrogate that is proved consistent for the same target and condition."""

import shlex
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from consistency_lab.decide.answers import Prescription
from consistency_lab.errors import InputError
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import task_surrogate
from consistency_lab.model.surrogates.tasks.constructed import Constructed
from consistency_lab.model.surrogates.tasks.decoders import DECODERS, decoder_for
from consistency_lab.model.tasks.catalogue import DEFINITIONS, target
from consistency_lab.model.tasks.conditions import task_condition
from consistency_lab.model.tasks.labels import Grades
from consistency_lab.model.tasks.target import Remedy
from consistency_lab.model.tasks.task import Task
from consistency_lab.theorems.tasks.catalogue import task_theorem


def prescriptions(
    surrogate: TaskSurrogate, task: Task, conditions: Sequence[str]
) -> tuple[Prescription, ...]:
    """For each condition the cheapest remedy; one that serves several is named for the largest of them.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import DEFINITIONS, target
    >>> found = prescriptions(task_surrogate("softmax"), target("pairwise"), ["additive", "acyclic", "any"])
    >>> [(advice.condition, advice.surrogate.name) for advice in found]
    [('additive', 'regression-net'), ('acyclic', 'pd-least-squares-algorithm-1'), ('any', 'pd-least-squares')]
    """
    found: dict[str, Prescription] = {}
    for condition in conditions:
        advice = prescription(surrogate, task, condition)
        if advice is not None:
            found[advice.surrogate.name] = advice
    return tuple(found.values())


def prescription(surrogate: object, task: Task, condition: str) -> Prescription | None:
    """The cheapest candidate but this surrogate that a theorem proves for this target and condition.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import DEFINITIONS, target
    >>> found = prescription(task_surrogate("softmax"), target("ndcg"), "any")
    >>> found.surrogate.name, found.how
    ('regression-gain-over-z', '3 scores, decoder: sort by score (cost: sorting)')
    """
    wanted = task_condition(condition, task.space)
    for remedy in DEFINITIONS[task.target].remedies:
        candidate = task_surrogate(remedy.name, on=remedy.on, decode=remedy.decode)
        try:
            candidate.check(task)
            decoder_for(candidate, task)
        except InputError:
            continue
        evidence = task_theorem(candidate, task, wanted)
        made_here = isinstance(candidate, Constructed)
        if (
            evidence is not None
            and (made_here or evidence.scope.startswith("all"))
            and candidate != surrogate
        ):
            d, decoder = len(candidate.coordinates(task)), DECODERS[candidate.decoder]
            return Prescription(
                candidate,
                task,
                f"{d} score{'s' if d > 1 else ''}, decoder: {decoder.title} (cost: {decoder.cost})",
                condition,
                f"{evidence.citation}, hypotheses checked ({evidence.scope})",
                _command(remedy, task, condition),
            )
    return None


_OPTIONS: Final[Mapping[str, str]] = MappingProxyType(
    {"gain": "--gain", "discount": "--discount", "k": "--k", "q": "--k", "v": "--v", "w": "--w"}
)
"""The option for each parameter of a target."""


def _command(remedy: Remedy, task: Task, condition: str) -> str:
    words = ["consistency-lab", "check", remedy.name, "--target", task.target, *_task_words(task)]
    for option, value in (("--on", remedy.on), ("--decode", remedy.decode), ("--condition", condition)):
        if value is not None:
            words += [option, value]
    return shlex.join(words)


def _task_words(task: Task) -> list[str]:
    """What to type for this task, as far as it is not the usual one of its target."""
    usual = target(task.target).describe()
    asked = task.describe()
    space, usual_space = task.space.describe(), target(task.target).space.describe()
    words: list[str] = []
    if task.space.m != target(task.target).space.m:
        words += ["--items", str(task.space.m)]
    if isinstance(task.space, Grades) and space.get("grades") != usual_space.get("grades"):
        words += ["--labels", ",".join(map(str, task.space.grades))]
    elif task.space.kind != usual_space["kind"]:
        words += ["--labels", task.space.kind]
    for key, option in _OPTIONS.items():
        if key in asked and asked[key] != usual[key] and asked[key] is not None:
            words += [option, str(asked[key])]
    return words
