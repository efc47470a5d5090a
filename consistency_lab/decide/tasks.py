"""Decide surrogates for a target loss on labels, and what libraries ship."""

from collections.abc import Sequence

from consistency_lab.certify.labels import certify_labels, moved
from consistency_lab.certify.proofs.task_proof import LabelQuestion, LabelWitness
from consistency_lab.certify.witness import Witness
from consistency_lab.decide.answers import Decision, FieldFinding, LibraryDecision
from consistency_lab.decide.labels import FIRST_SHARE, INSIDE_SHARE, is_large
from consistency_lab.decide.surrogate import decide
from consistency_lab.model.checked import checked
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import ShippedField
from consistency_lab.model.surrogates.tasks.fields import GradientField
from consistency_lab.model.surrogates.tasks.shipped import Entry
from consistency_lab.model.tasks.contained import contained, of_size
from consistency_lab.model.tasks.task import Task
from consistency_lab.search.effort import Effort
from consistency_lab.search.equilibria import find_equilibrium

# --- Decide a surrogate for a target loss on labels, under each condition that is asked for --------------


@checked
def decide_task(
    surrogate: Surrogate | TaskSurrogate | str,
    task: Task | str,
    conditions: Sequence[str] | str | None = None,
    *,
    larger: Sequence[Task] = (),
    effort: Effort | float | None = None,
    command: str = "",
    seed: int = 0,
    prescribe: bool = True,
) -> Decision:
    """Decide a surrogate on a finite task, under each condition.

    The older name of `decide` with a target: `task` is its `target`, all else is as there.
    """
    return decide(
        surrogate,
        conditions,
        target=task,
        larger=larger,
        effort=effort,
        command=command,
        seed=seed,
        prescribe=prescribe,
    )


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
    wrong = LabelWitness(
        LabelQuestion(ShippedField(field), task, weights),
        None,
        equilibrium.prediction,
        equilibrium.better,
        box=tuple(equilibrium.box),
        attracting=equilibrium.attracting,
    )
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
    entry: Entry,
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
