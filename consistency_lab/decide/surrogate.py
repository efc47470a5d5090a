"""Decide a surrogate under noise conditions, on preference graphs or for a target on labels."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Final

from consistency_lab.decide.answers import Answer, Decision, Prescription, Strongest, Verdict
from consistency_lab.decide.cases import GraphCase, named
from consistency_lab.decide.frontier import frontier
from consistency_lab.decide.remedies import remedies
from consistency_lab.errors import InputError
from consistency_lab.model.checked import SEED, checked
from consistency_lab.model.conditions import CONDITIONS, USUAL, condition
from consistency_lab.model.designs import design as named_design
from consistency_lab.model.properties import BOUNDED_BELOW, Property, Status, properties
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.model.surrogates.families import Loss
from consistency_lab.model.surrogates.own import as_surrogate
from consistency_lab.model.tasks.task import Task
from consistency_lab.numbers.phi import refuse_undefined
from consistency_lab.search.effort import Effort, as_effort, item_counts

ITEM_COUNTS: Final = (2, 3, 4, 5)
"""Numbers of items that are searched by default."""


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
    if target is not None:
        from consistency_lab.decide.labels import LabelCase, asked_about

        if design != "any":
            raise InputError(
                "a design applies to preference graphs; leave out either the design or the target"
            )
        if items is not None:
            raise InputError("a target has its own items; leave items out, or pass target(NAME, items=...)")
        loss, tasks, compared, asked = asked_about(surrogate, target, larger, conditions)
        of_labels = LabelCase(loss, asked, as_effort(effort), seed, command, tasks, compared)
        answers = of_labels.settle()
        advise = _advice(loss, answers, tasks[0]) if prescribe else tuple
        return Decision(loss, tasks[0], answers, of_labels.effort, advise, compared=compared)
    surrogate = as_surrogate(surrogate)
    asked = named(USUAL if conditions is None else conditions, condition, CONDITIONS)
    known = known_properties(surrogate)
    numbers = item_counts(ITEM_COUNTS if items is None else items)
    name = named_design(design).name
    case = GraphCase(surrogate, asked, as_effort(effort), seed, command, numbers, name)
    where = frontier(case) if conditions is None and name == "any" else None
    answers = case.settle() if where is None else tuple(where.at(one) for one in asked)
    more = case.universal(answers), case.strict(answers)
    advise = _advice(surrogate, answers, None) if prescribe else tuple
    return Decision(surrogate, None, answers, case.effort, advise, known, *more, name, frontier=where)


def _advice(
    surrogate: Loss, answers: Sequence[Answer], task: Task | None
) -> Callable[[], tuple[Prescription, ...]]:
    wrong = [answer.condition for answer in answers if answer.verdict is Verdict.INCONSISTENT]
    return partial(remedies, surrogate, wrong, task)


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
    numbers = item_counts(ITEM_COUNTS if items is None else items)
    return frontier(GraphCase(loss, (), as_effort(effort), seed, command, numbers))


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
