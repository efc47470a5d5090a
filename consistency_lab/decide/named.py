"""What a person means by a loss: a name of anything, a function, an expression of SymPy."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

from consistency_lab.decide.answers import Decision, LibraryDecision
from consistency_lab.decide.surrogate import decide
from consistency_lab.decide.tasks import decide_library
from consistency_lab.errors import InputError
from consistency_lab.model.checked import SEED, checked
from consistency_lab.model.surrogates.tasks.libraries import entry, full_name, is_library_name
from consistency_lab.model.tasks.catalogue import target as named_target
from consistency_lab.model.tasks.task import Task
from consistency_lab.search.effort import Effort, as_effort


@checked
def check(
    surrogate: object,
    conditions: Sequence[str] | str | None = None,
    *,
    condition: Sequence[str] | str | None = None,
    target: Task | str | None = None,
    design: str = "any",
    items: Sequence[int] | int | None = None,
    larger: Sequence[Task] = (),
    effort: Effort | float | None = None,
    command: str = "",
    seed: Annotated[int, SEED] = 0,
    prescribe: bool = True,
) -> Decision | LibraryDecision:
    """Decide a surrogate, or an objective of a library, under the given noise conditions.

    Parameters
    ----------
    surrogate
        A name of anything: one of ours, an alias, ``trl:ipo``; with a target also ``rank:ndcg`` and the like.
        Or what `surrogate` or `task_surrogate` returns; a function of the margin; an expression of SymPy in
        one symbol, or LaTeX, for phi; an object of your own class.
    conditions, condition
        Names of conditions, or one; all of them, or those usual for the target, if not given.
    target
        What `target` returns, or its name; None for preference graphs of any weights.
    design
        How often pairs of items are compared, beside the conditions: a key of `DESIGNS`, or ``ratio:R``.
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
    >>> str(check("trl:ipo", condition="bradley-terry", items=4).verdict)
    'INCONSISTENT'
    >>> str(check("lambdarank", target="ndcg@10").verdict)
    'INCONSISTENT'
    """
    if condition is not None and conditions is not None:
        raise InputError("conditions and condition are the same; give one of them")
    asked = condition if conditions is None else conditions
    name = full_name(surrogate) if isinstance(surrogate, str) else ""
    if target is None and is_library_name(name):
        raise InputError(f"{name} is a loss of labels; pass a target too, such as target='ndcg'")
    if target is not None and is_library_name(name):
        if design != "any" or items is not None or larger:
            raise InputError(f"{name} is decided as shipped; leave out design, items and larger")
        task = named_target(target) if isinstance(target, str) else target
        named = [asked] if isinstance(asked, str) else asked
        spent = as_effort(effort)
        return decide_library(
            entry(name), task, named, effort=spent, command=command, seed=seed, prescribe=prescribe
        )
    decision = decide(
        surrogate,
        asked,
        target=target,
        design=design,
        items=items,
        larger=larger,
        effort=effort,
        command=command,
        seed=seed,
        prescribe=prescribe,
    )
    return replace(decision, asked=surrogate) if isinstance(surrogate, str) else decision
