"""Decide a surrogate under noise conditions."""

from collections.abc import Mapping, Sequence
from typing import Final

from consistency_lab.checked import checked
from consistency_lab.decide.answers import Decision, Verdict
from consistency_lab.decide.cases import GraphCase
from consistency_lab.decide.remedies import remedies
from consistency_lab.decide.tasks import decide_task
from consistency_lab.errors import InputError
from consistency_lab.model.conditions import CONDITIONS, USUAL, condition
from consistency_lab.model.properties import BOUNDED_BELOW, Property, Status, properties, refuse_undefined
from consistency_lab.model.surrogates import Surrogate, as_surrogate
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.tasks.task import Task
from consistency_lab.search.effort import Effort, as_effort
from consistency_lab.search.find import item_counts

ITEMS: Final = (2, 3, 4, 5)
"""Numbers of items that are searched unless others are asked for."""


@checked
def decide(
    surrogate: Surrogate | TaskSurrogate | str,
    conditions: Sequence[str] | str | None = None,
    *,
    target: Task | str | None = None,
    items: Sequence[int] | int | None = None,
    larger: Sequence[Task] = (),
    effort: Effort | float | None = None,
    command: str = "",
    seed: int = 0,
    prescribe: bool = True,
) -> Decision:
    """Decide a surrogate under the given noise conditions.

    Parameters
    ----------
    surrogate
        From `surrogate`, its name, or one of your own, which is known by its terms alone; with a target from
        `task_surrogate`, or its name.
    conditions
        Names of conditions, or one; all of them, or those usual for the target, if not given.
    target
        What `target` returns, or its name; None for preference graphs of any weights.
    items
        Numbers of items to search with, or one; a target has its own.
    larger
        The same target with more items, searched where it has no witness and no theorem speaks for all.
    effort
        Budget of the searches, or its seconds.
    command
        The command that repeats this, for the witness file.
    seed
        Of the searches: the same seed finds the same witness.
    prescribe
        Whether to look for a surrogate that is consistent where this one is not.

    Examples
    --------
    >>> str(decide("linear", "low-noise").verdict)
    'CONSISTENT'
    >>> str(decide("softmax", "any", target="ndcg").verdict)
    'INCONSISTENT'
    """
    if target is not None:
        if items is not None:
            raise InputError("a target has its own items: leave items out, or pass target(NAME, items=...)")
        return decide_task(
            surrogate,
            target,
            conditions,
            larger=larger,
            effort=effort,
            command=command,
            seed=seed,
            prescribe=prescribe,
        )
    surrogate = as_surrogate(surrogate)
    if conditions is None:
        conditions = USUAL
    names = {condition(c).name for c in ([conditions] if isinstance(conditions, str) else conditions)}
    if not names:
        raise InputError(f"conditions is empty; name one of {', '.join(CONDITIONS)}, or leave it out for all")
    asked = [name for name in CONDITIONS if name in names]
    numbers = item_counts(ITEMS if items is None else items)
    known = known_properties(surrogate)
    case = GraphCase(surrogate, asked, as_effort(effort), seed, command, numbers)
    answers = case.settle()
    universal, strict = case.universal(answers), case.strict(answers)
    wrong = [answer.condition for answer in answers if answer.verdict is Verdict.INCONSISTENT]
    instead = remedies(surrogate, wrong) if prescribe else ()
    return Decision(surrogate, None, answers, case.effort, instead, known, universal, strict)


def known_properties(surrogate: Surrogate) -> Mapping[str, Property]:
    """What is known of the scalar function; one that the question does not apply to is refused."""
    phi = surrogate.functions[-1]
    for function in surrogate.functions:
        refuse_undefined(function)
    known = properties(phi)
    if len(surrogate.functions) == 1 and known[BOUNDED_BELOW].status is Status.REFUTED:
        raise InputError(
            f"{phi} is not bounded below, so W* = -infinity; consistency (DMJ10 Definition 2) asks for a "
            "surrogate that is bounded below"
        )
    return known
