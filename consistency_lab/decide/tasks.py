"""Decide surrogates for a target loss on labels, what libraries ship, and whatever a person names."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from consistency_lab.certify.labels import certify_labels, moved
from consistency_lab.certify.proofs.task_proof import LabelQuestion
from consistency_lab.certify.witness import Witness
from consistency_lab.decide.answers import Decision, FieldFinding, LibraryDecision
from consistency_lab.decide.labels import FIRST_SHARE, INSIDE_SHARE, is_large
from consistency_lab.decide.surrogate import decide
from consistency_lab.errors import InputError
from consistency_lab.model.checked import SEED, checked
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import ShippedField
from consistency_lab.model.surrogates.tasks.fields import GradientField
from consistency_lab.model.surrogates.tasks.libraries import entry, full_name, is_library_name
from consistency_lab.model.surrogates.tasks.shipped import LibraryLoss
from consistency_lab.model.tasks.catalogue import target as named_target
from consistency_lab.model.tasks.task import Task, contained, of_size
from consistency_lab.search.effort import Effort, as_effort
from consistency_lab.search.equilibria import find_equilibrium

# --- Decide a surrogate for a target loss on labels, under each condition that is asked for --------------


@checked
def decide_task(
    surrogate: Surrogate | TaskSurrogate | str,
    task: Task | str,
    conditions: Sequence[str] | str | None = None,
    **options: Any,
) -> Decision:
    """Decide a surrogate on a finite task: the older name of `decide` with a target."""
    return decide(surrogate, conditions, target=task, **options)


# --- Decide what libraries ship: plain losses, and gradient fields that minimize no fixed loss -----------


def decide_field(
    field: GradientField, task: Task, *, effort: Effort | None = None, command: str = "", seed: int = 0
) -> FieldFinding:
    """Look for a wrong order in which training with a gradient field stands still."""
    spent = effort or Effort()
    field.check(task)
    if is_large(task):
        with spent.part(FIRST_SHARE):
            smaller = _inside(field, task, spent, command, seed)
        own = _find(field, task, spent, command, seed)
        return smaller if own.witness is None and smaller is not None else own
    with spent.part(FIRST_SHARE):
        own = _find(field, task, spent, command, seed)
    return own if own.witness is not None else _inside(field, task, spent, command, seed) or own


def _inside(field: GradientField, task: Task, spent: Effort, command: str, seed: int) -> FieldFinding | None:
    """An equilibrium on shorter lists, or one with fewer grades, written for all grades."""
    for smaller in contained(task):
        if spent.expired:
            break
        with spent.part(INSIDE_SHARE):
            finding = _find(field, smaller, spent, command, seed)
        whole = None if finding.witness is None else moved(finding.witness, of_size(task, smaller.space.m))
        if whole is not None:
            return _found(field, task, whole, finding.reached, spent)
    return None


def _find(field: GradientField, task: Task, spent: Effort, command: str, seed: int) -> FieldFinding:
    """Look at one task alone."""
    try:
        equilibrium = find_equilibrium(field, task, spent, seed)
    except KeyboardInterrupt:
        spent.interrupted = True
        equilibrium = None
    if equilibrium is None:
        reason = f"no equilibrium in a wrong order found ({spent.summary()}); this proves nothing"
        return FieldFinding(field, task, None, reason, spent)
    weights = dict(zip(equilibrium.labels, equilibrium.probabilities, strict=True))
    wrong = equilibrium.stated(LabelQuestion(ShippedField(field), task, weights))
    witness = certify_labels(wrong, {"command": command, "citation": field.citation, "note": field.note})
    if witness is None:
        reason = "an equilibrium in a wrong order was found, but the core did not accept it"
        return FieldFinding(field, task, None, reason, spent)
    return _found(field, task, witness, equilibrium.reached, spent)


def _found(field: GradientField, task: Task, witness: Witness, reached: bool, spent: Effort) -> FieldFinding:
    m = witness.asked.task.space.m
    how = "attracting" if witness.verified.attracting else "not proved to be attracting"
    shorter = f" on lists of {m} items, shorter than asked about" if m < task.space.m else ""
    reason = (
        f"verified equilibrium in a wrong order{shorter} ({how}), {len(witness.asked.weights)} labels; "
        f"reached from zero scores: {'yes' if reached else 'no'} (in floating point)"
    )
    return FieldFinding(field, task, witness, reason, spent, reached)


def decide_library(
    entry: LibraryLoss,
    task: Task,
    conditions: Sequence[str] | None = None,
    *,
    effort: Effort | None = None,
    command: str = "",
    seed: int = 0,
    prescribe: bool = True,
) -> LibraryDecision:
    """Decide an objective of a library: the plain loss underneath, and what is shipped by default."""
    entry.check(task)
    spent = effort or Effort()
    spent.ration(2)

    def decided(loss: TaskSurrogate, advise: bool) -> Decision:
        return decide(
            loss, conditions, target=task, effort=spent, command=command, seed=seed, prescribe=advise
        )

    plain = None if entry.plain is None else decided(entry.plain, prescribe)
    spent.ration(1)
    shipped: FieldFinding | Decision | None = None
    if entry.field is not None:
        shipped = decide_field(entry.field, task, effort=spent, command=command, seed=seed)
    elif entry.default is not None:
        shipped = decided(entry.default, False)
    return LibraryDecision(entry, plain, shipped)


# --- Decide what a person means by a loss: a name of anything, a function, an expression of SymPy ----------


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
