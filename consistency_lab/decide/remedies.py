"""What to use instead: a surrogate that is proved consistent for the same target and condition."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from types import MappingProxyType
from typing import Final

from consistency_lab.decide.answers import Answer, NamePair, Prescription, Verdict, lies_inside
from consistency_lab.decide.cases import not_proved_convex
from consistency_lab.decide.theorems.base import CELLS, Evidence
from consistency_lab.decide.theorems.catalogue import consistency_theorem
from consistency_lab.errors import InputError
from consistency_lab.model.conditions import CONDITIONS, TASK_CONDITIONS, implied_by, task_condition
from consistency_lab.model.designs import DESIGNS
from consistency_lab.model.labels import Grades
from consistency_lab.model.surrogates import (
    DifferenceSurrogate,
    EdgeSurrogate,
    RegressionSurrogate,
    Surrogate,
    surrogate,
)
from consistency_lab.model.surrogates.families import Loss
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import CHOICES, TASK_SURROGATES, task_surrogate
from consistency_lab.model.surrogates.tasks.decoders import DECODERS, decoder_for
from consistency_lab.model.surrogates.tasks.libraries import PAIR_LIBRARIES, PairEntry
from consistency_lab.model.surrogates.tasks.means import Constructed, SoftPairs
from consistency_lab.model.surrogates.tasks.shipped import LIBRARIES
from consistency_lab.model.tasks.catalogue import DEFINITIONS
from consistency_lab.model.tasks.catalogue import target as usual_target
from consistency_lab.model.tasks.task import Task

_ON_GRAPHS: Final = (
    ("regression", f"{RegressionSurrogate.family.formula}; sort by score"),
    (
        "difference-logistic",
        f"{DifferenceSurrogate.family.formula}, the preferences of all labels being added up first; "
        "sort by score",
    ),
)
"""What to try for preference graphs and how it reads, the cheapest first."""

_WIDEST: Final = "difference-logistic"
"""Right for all acyclic preferences, however often pairs are compared; its scores may grow without bound."""

_DAGS: Final = "dags"
_OPTIONS: Final[Mapping[str, str]] = MappingProxyType(
    {"gain": "--gain", "discount": "--discount", "k": "--k", "q": "--k", "v": "--v", "w": "--w"}
)
"""The option for each parameter of a target."""


def remedies(
    inconsistent: Loss, conditions: Sequence[str], target: Task | None = None
) -> tuple[Prescription, ...]:
    """For each condition the cheapest remedy; one that serves several is named for the largest of them."""
    advised: dict[str, Prescription] = {}
    for condition in conditions:
        candidates = _of_graphs(condition) if target is None else _of_labels(condition, target)
        remedy = next((advice for advice in candidates if advice.surrogate != inconsistent), None)
        if remedy is not None:
            advised[remedy.surrogate.name] = remedy
    return tuple(advised.values())


def replacement(answers: Sequence[Answer]) -> str | None:
    """A loss that is right wherever a loss is, and more."""
    return _WIDEST if _is_wider(surrogate(_WIDEST), answers) else None


def library_replacement(answers: Sequence[Answer], asked: PairEntry) -> PairEntry | None:
    """An objective of the same library that is right wherever a loss is, and more."""
    every = (one for one in PAIR_LIBRARIES.values() if one.library == asked.library and one.loss is not None)
    convex = (one for one in every if not_proved_convex(surrogate(one.loss)) is None)
    return next((one for one in convex if _is_wider(surrogate(one.loss), answers)), None)


def surplus_is_right(asked: Loss) -> bool:
    """Whether a loss is right for all acyclic preferences once each pair keeps its surplus alone."""
    if type(asked) is not EdgeSurrogate or not asked.of_aggregate:
        return False
    of_surplus = DifferenceSurrogate(f"difference-{asked.name}", asked.phi)
    return consistency_theorem(of_surplus, "acyclic") is not None


def where_right(names: Iterable[str]) -> dict[NamePair, tuple[str, ...]]:
    """The losses that theorems prove right, at the widest pairs that tell losses apart."""
    every = tuple(pair for pair in product(CONDITIONS, DESIGNS) if pair in CELLS)
    losses_at: dict[NamePair, tuple[str, ...]] = dict.fromkeys(every, ())
    for name in names:
        loss = surrogate(name)
        wrong: list[NamePair] = []
        for pair in sorted(every, key=lambda one: sum(lies_inside(other, one) for other in every)):
            if any(lies_inside(narrower, pair) for narrower in wrong):
                continue
            if consistency_theorem(loss, pair[0], design=pair[1]) is None:
                wrong.append(pair)
            else:
                losses_at[pair] += (name,)
    # Of pairs that say the same, the last one has the largest names.
    return {
        pair: losses
        for place, (pair, losses) in enumerate(losses_at.items())
        if losses
        and not any(
            losses == losses_at[other]
            and lies_inside(pair, other)
            and (at > place or not lies_inside(other, pair))
            for at, other in enumerate(every)
            if other != pair
        )
    }


def _is_wider(other: Surrogate, answers: Sequence[Answer]) -> bool:
    """Whether theorems prove a loss right wherever one is known to be right, and somewhere else too."""

    def is_right(one: Answer) -> bool:
        few = int(one.scope.removeprefix("m = ")) if one.scope.startswith("m = ") else None
        m = few if one.verdict is Verdict.CONSISTENT else None
        return consistency_theorem(other, one.condition, m=m, design=one.design) is not None

    right = [one for one in answers if one.verdict is Verdict.CONSISTENT]
    return all(map(is_right, right)) and any(is_right(one) for one in answers if one not in right)


def _of_graphs(condition: str) -> Iterator[Prescription]:
    for name, how in _ON_GRAPHS:
        candidate = surrogate(name)
        evidence = consistency_theorem(candidate, condition)
        if evidence is not None and evidence.scope.startswith("all"):
            reason = f"{evidence.citation}, hypotheses checked ({evidence.scope})"
            command = shlex.join(["consistency-lab", "check", name, "--condition", condition])
            yield Prescription(candidate, None, how, condition, reason, command)
    # With a score for each pair, for labels that are preference graphs without weights. What is consistent
    # under a larger condition, one that such labels have, is so under this one.
    task = usual_target("pairwise", labels=_DAGS)
    wider = next(name for name in implied_by(condition) if not TASK_CONDITIONS[name].fits(task.space))
    for advice in _of_labels(wider, task):
        yield replace(advice, how=f"{advice.how}; for graphs without weights")


def _of_labels(condition: str, task: Task) -> Iterator[Prescription]:
    wanted = task_condition(condition, task.space)
    for remedy in DEFINITIONS[task.target].remedies:
        candidate = task_surrogate(remedy.name, on=remedy.on, decode=remedy.decode)
        try:
            candidate.check(task)
            decoder_for(candidate, task)
        except InputError:
            continue
        evidence = consistency_theorem(candidate, wanted.name, task)
        if evidence is None or not (isinstance(candidate, Constructed) or evidence.scope.startswith("all")):
            continue
        words = ["consistency-lab", "check", remedy.name, "--target", task.target, *task_words(task)]
        for option, value in (("--on", remedy.on), ("--decode", remedy.decode), ("--condition", condition)):
            words += [] if value is None else [option, value]
        yield Prescription(
            candidate, task, _cost(candidate, task), condition, _proved(evidence), shlex.join(words)
        )


def choices(task: Task) -> Iterator[Prescription]:
    """Every loss of the tables and libraries proved consistent for a target, the widest condition of each."""
    seen: set[tuple[str, str]] = set()
    for candidate, words, convex in _candidates(task):
        described = {k: v for k, v in candidate.describe(task).items() if k not in ("name", "phi")}
        key = str(described), candidate.decoder
        if key in seen:
            continue
        seen.add(key)
        if consistency_theorem(candidate, _WIDEST_FIRST[-1], task) is None:  # then under no wider one either
            continue
        for condition in _WIDEST_FIRST:
            evidence = consistency_theorem(candidate, condition, task)
            if evidence is not None:
                asked = ["consistency-lab", "check", *words, "--target", task.target, *task_words(task)]
                how = f"{_cost(candidate, task)}; {_CONVEX if convex else _NOT_CONVEX}"
                command = shlex.join([*asked, "--condition", condition])
                yield Prescription(candidate, task, how, condition, _proved(evidence), command)
                break


_WIDEST_FIRST: Final = ("any", "acyclic", "net-order", "additive")
_CONVEX: Final = "convex"
_NOT_CONVEX: Final = "not convex, so that training may stop where it ranks wrongly"


def _candidates(task: Task) -> Iterator[tuple[TaskSurrogate, list[str], bool]]:
    """The surrogates that fit the task, with what to type for each, and whether it is convex."""
    asked: list[dict[str, str | None]] = [
        {"name": one.name, "on": one.on, "decode": one.decode} for one in DEFINITIONS[task.target].remedies
    ]
    for name, line in TASK_SURROGATES.items():
        chosen = product(*((None, *CHOICES.get(option, ())) for option in line.options))
        asked += [{"name": name, **dict(zip(line.options, one, strict=True))} for one in chosen]
    for options in asked:
        given = {option: value for option, value in options.items() if value is not None}
        with suppress(InputError):
            candidate = task_surrogate(**given)
            candidate.check(task)
            decoder_for(candidate, task)
            name = given.pop("name")
            words = [w for o, v in given.items() for w in (f"--{o.replace('_', '-')}", v)]
            yield candidate, [name, *words], True
    for shipped in LIBRARIES.values():
        for plain in (shipped.plain, shipped.default):
            if plain is not None:
                with suppress(InputError):
                    shipped.check(task)
                    plain.check(task)
                    yield plain, [shipped.name], shipped.shipped != "descent"


def _cost(candidate: TaskSurrogate, task: Task) -> str:
    if isinstance(candidate, SoftPairs):  # its means belong to pairs, its scores to items
        return f"{task.space.m} scores, decoder: {DECODERS['sort'].title} (cost: {DECODERS['sort'].cost})"
    d, decoder = len(candidate.coordinates(task)), DECODERS[candidate.decoder]
    return f"{d} score{'s' if d > 1 else ''}, decoder: {decoder.title} (cost: {decoder.cost})"


def _proved(evidence: Evidence) -> str:
    return f"{evidence.citation}, hypotheses checked ({evidence.scope})"


def task_words(task: Task) -> list[str]:
    """The options that tell this task from the usual one of its target."""
    plain = usual_target(task.target)
    usual, asked = plain.describe(), task.describe()
    space, usual_space = task.space.describe(), plain.space.describe()
    words: list[str] = []
    if task.space.m != plain.space.m:
        words += ["--items", str(task.space.m)]
    if isinstance(task.space, Grades) and space.get("grades") != usual_space.get("grades"):
        grades = task.space.grades
        whole = grades == tuple(range(len(grades)))
        words += ["--labels", f"0..{len(grades) - 1}" if whole else ",".join(map(str, grades))]
    elif task.space.kind != usual_space["kind"]:
        words += ["--labels", task.space.kind]
    for key, option in _OPTIONS.items():
        if key in asked and asked[key] != usual[key] and asked[key] is not None:
            words += [option, str(asked[key])]
    return words
