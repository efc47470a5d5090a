"""Decide a surrogate under noise conditions, on preference graphs or for a target on labels."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Final

from consistency_lab.decide.answers import Decision, Strongest, Verdict
from consistency_lab.decide.cases import GraphCase, LabelCase
from consistency_lab.decide.frontier import frontier
from consistency_lab.decide.remedies import remedies
from consistency_lab.errors import InputError
from consistency_lab.model.checked import SEED, checked
from consistency_lab.model.conditions import (
    CONDITIONS,
    TASK_CONDITIONS,
    USUAL,
    Condition,
    condition,
    task_condition,
)
from consistency_lab.model.designs import design as named_design
from consistency_lab.model.labels import Label
from consistency_lab.model.properties import BOUNDED_BELOW, Property, Status, properties, refuse_undefined
from consistency_lab.model.surrogates import Surrogate, as_surrogate
from consistency_lab.model.surrogates.listwise import OWN, Compared, load_listwise
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import task_surrogate, unknown
from consistency_lab.model.surrogates.tasks.decoders import decoder_for
from consistency_lab.model.surrogates.tasks.means import Regression
from consistency_lab.model.tasks.catalogue import DEFINITIONS
from consistency_lab.model.tasks.catalogue import target as named_target
from consistency_lab.model.tasks.task import Task
from consistency_lab.search.effort import Effort, as_effort, item_counts

ITEMS: Final = (2, 3, 4, 5)
"""Numbers of items that are searched unless others are asked for."""


@checked
def decide(
    surrogate: object,
    conditions: Sequence[str] | str | None = None,
    *,
    target: Task | str | None = None,
    design: str = "any",
    items: Sequence[int] | int | None = None,
    larger: Sequence[Task] = (),
    effort: Effort | float | None = None,
    command: str = "",
    seed: Annotated[int, SEED] = 0,
    prescribe: bool = True,
) -> Decision:
    """Decide a surrogate under the given noise conditions.

    The parameters are those of `check`, which takes names of libraries, functions and formulas besides.
    """
    known: Mapping[str, Property] = {}
    task: Task | None = None
    compared: Compared | None = None
    case: GraphCase | LabelCase
    if target is None:
        loss = as_surrogate(surrogate)
        asked = _named(USUAL if conditions is None else conditions, condition, CONDITIONS)
        known = known_properties(loss)
        numbers = item_counts(ITEMS if items is None else items)
        case = GraphCase(loss, asked, as_effort(effort), seed, command, numbers, named_design(design).name)
    else:
        if design != "any":
            raise InputError(
                "a design applies to preference graphs; leave out either the design or the target"
            )
        if items is not None:
            raise InputError("a target has its own items; leave items out, or pass target(NAME, items=...)")
        labels_loss, task, compared = understood(surrogate, target, larger)
        labels_loss.check(task)
        decoder_for(labels_loss, task)
        usual = DEFINITIONS[task.target].usual if conditions is None else conditions
        asked = _named(usual, partial(task_condition, space=task.space), TASK_CONDITIONS)
        if any(TASK_CONDITIONS[name].needs_f for name in asked) and not isinstance(labels_loss, Regression):
            raise InputError(
                f"the condition p-f applies only to a regression on f, and {labels_loss.name} is not one"
            )
        case = LabelCase(labels_loss, asked, as_effort(effort), seed, command, (task, *larger), compared)
    where = None
    if isinstance(case, GraphCase) and conditions is None and case.design == "any":
        where = frontier(case)
        answers = tuple(where.at(name) for name in asked)
    else:
        answers = case.settle()
    more = (case.universal(answers), case.strict(answers)) if isinstance(case, GraphCase) else (None, None)
    wrong = [answer.condition for answer in answers if answer.verdict is Verdict.INCONSISTENT]
    advise = partial(remedies, case.surrogate, wrong, task) if prescribe else tuple
    name = named_design(design).name
    return Decision(case.surrogate, task, answers, case.effort, advise, known, *more, name, compared, where)


@checked
def strongest(
    surrogate: Surrogate | str,
    *,
    items: Sequence[int] | int | None = None,
    effort: Effort | float | None = None,
    command: str = "",
    seed: Annotated[int, SEED] = 0,
) -> Strongest:
    """Under which conditions and designs a surrogate of preference graphs is right, and where it stops.

    Parameters
    ----------
    surrogate, items, effort, command, seed
        As for `decide`; the pairs of a condition and a design share what the searches may do.

    Examples
    --------
    >>> found = strongest("exponential", items=(3, 4))
    >>> [answer.pair for answer in found.right if answer.design != "any"]
    [('row-dominated', 'balanced'), ('strong-stochastic-transitivity', 'product'), ('any', 'forest')]
    """
    loss = as_surrogate(surrogate)
    known_properties(loss)
    numbers = item_counts(ITEMS if items is None else items)
    return frontier(GraphCase(loss, (), as_effort(effort), seed, command, numbers))


def _named(
    conditions: Sequence[str] | str, find: Callable[[str], Condition], table: Mapping[str, object]
) -> list[str]:
    """The conditions asked for, each once, in the order of the table."""
    names = {find(name).name for name in ([conditions] if isinstance(conditions, str) else conditions)}
    if not names:
        raise InputError(
            f"conditions is empty; name one of {', '.join(table)}, or leave it out for the usual ones"
        )
    return [name for name in table if name in names]


def known_properties(surrogate: Surrogate) -> Mapping[str, Property]:
    """The properties of the scalar function; one that the question does not apply to is refused."""
    phi = surrogate.functions[-1]
    for function in surrogate.functions:
        refuse_undefined(function)
    known = properties(phi)
    if len(surrogate.functions) == 1 and known[BOUNDED_BELOW].status is Status.REFUTED:
        raise InputError(
            f"{phi} is not bounded below, so W* = -infinity; consistency (DMJ10 Definition 2) requires a "
            "surrogate that is bounded below"
        )
    return known


def understood(
    surrogate: object, task: object, larger: Sequence[Task] = (), occurring: Sequence[Label] = ()
) -> tuple[TaskSurrogate, Task, Compared | None]:
    """A surrogate and a target, or their names, and what a function was compared with; no custom class."""
    task, compared = named_target(task) if isinstance(task, str) else task, None
    if isinstance(surrogate, str) and ".py:" in surrogate and isinstance(task, Task):
        surrogate, compared = load_listwise(surrogate, [task, *larger], occurring)
    elif isinstance(surrogate, str):
        surrogate = task_surrogate(surrogate)
    if not isinstance(surrogate, TaskSurrogate):
        raise InputError(
            f"expected a surrogate of labels, got {type(surrogate).__name__}; pass task_surrogate(NAME) or "
            "its name, or leave the target out for a surrogate of preference graphs"
        )
    if not isinstance(task, Task):
        raise InputError(f"expected a target, got {type(task).__name__}; pass target(NAME) or its name")
    unknown_class = None if type(surrogate) in OWN else unknown(surrogate, task)
    if unknown_class is not None:
        raise InputError(
            f"{unknown_class} is a custom class, which is not supported with a target; for preference "
            "graphs, derive your loss from GraphSurrogate and pass it to check"
        )
    return surrogate, task, compared
