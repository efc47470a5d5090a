"""Decide surrogates for a target loss on labels, and what libraries ship."""

from collections.abc import Sequence

from consistency_lab.certify.tasks import certify_labels, moved
from consistency_lab.certify.witness import Witness
from consistency_lab.checked import checked
from consistency_lab.decide.answers import Decision, FieldFinding, LibraryDecision, Verdict
from consistency_lab.decide.cases import FIRST_SHARE, INSIDE_SHARE, LabelCase, is_large
from consistency_lab.decide.remedies import remedies
from consistency_lab.errors import InputError
from consistency_lab.model.conditions import TASK_CONDITIONS, task_condition
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import ShippedField, task_surrogate, unknown
from consistency_lab.model.surrogates.tasks.decoders import decoder_for
from consistency_lab.model.surrogates.tasks.fields import GradientField
from consistency_lab.model.surrogates.tasks.libraries import Entry
from consistency_lab.model.surrogates.tasks.means import Regression
from consistency_lab.model.tasks.catalogue import DEFINITIONS, target
from consistency_lab.model.tasks.contained import contained, of_size
from consistency_lab.model.tasks.task import Task
from consistency_lab.proofs.task_proof import ANY, LabelWitness
from consistency_lab.search.effort import Effort, as_effort
from consistency_lab.search.equilibria import find_equilibrium

# --- Decide a surrogate for a target loss on labels, under each condition that is asked for --------------


@checked
def decide_task(
    surrogate: TaskSurrogate | Surrogate | str,
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

    Parameters
    ----------
    surrogate, task
        The question: what `task_surrogate` and `target` return, or their names.
    conditions
        Names of conditions, or one; the usual ones of the target if not given.
    larger
        Tasks with more items, searched where this one has no witness and no theorem speaks for all of them.
    effort
        Budget of the searches, or its seconds.
    command
        The command that repeats this, for the witness file.
    seed
        Of the searches.
    prescribe
        Whether to look for a surrogate that is consistent where this one is not.

    Examples
    --------
    >>> str(decide_task(Regression("gain/Z"), "ndcg", "any").verdict)
    'CONSISTENT'
    """
    surrogate, task = understood(surrogate, task)
    surrogate.check(task)
    decoder_for(surrogate, task)
    conditions = [conditions] if isinstance(conditions, str) else conditions
    names = DEFINITIONS[task.target].usual if conditions is None else conditions
    chosen = {task_condition(name, task.space).name for name in names}
    asked = [name for name in TASK_CONDITIONS if name in chosen]
    if not asked:
        raise InputError("conditions is empty; name one, or leave it out for those usual for the target")
    if any(TASK_CONDITIONS[name].needs_f for name in asked) and not isinstance(surrogate, Regression):
        raise InputError(f"the condition p-f is about a regression on f, and {surrogate.name} is none")
    case = LabelCase(surrogate, asked, as_effort(effort), seed, command, (task, *larger))
    answers = case.settle()
    wrong = [a.condition for a in answers if a.verdict is Verdict.INCONSISTENT]
    instead = remedies(surrogate, wrong, task) if prescribe else ()
    return Decision(surrogate, task, answers, case.effort, instead)


def understood(surrogate: object, task: object) -> tuple[TaskSurrogate, Task]:
    """A surrogate and a target, or their names; refuses what neither a theorem nor the core can speak of."""
    surrogate = task_surrogate(surrogate) if isinstance(surrogate, str) else surrogate
    task = target(task) if isinstance(task, str) else task
    if not isinstance(surrogate, TaskSurrogate):
        raise InputError(
            f"a surrogate of labels is asked for, and a {type(surrogate).__name__} is given; pass "
            "task_surrogate(NAME) or the name, and check(...) for surrogates of preference graphs"
        )
    if not isinstance(task, Task):
        raise InputError(
            f"a target is asked for, and a {type(task).__name__} is given; pass target(NAME) or the name"
        )
    own = unknown(surrogate, task)
    if own is not None:
        raise InputError(
            f"{own} is a class of your own, of which neither a theorem nor the core can speak; a loss of "
            "your own is decided for preference graphs: derive from GraphSurrogate, and pass it to check"
        )
    return surrogate, task


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
            found = _find(field, smaller, spent, command, seed)
        whole = None if found.witness is None else moved(found.witness, of_size(task, smaller.space.m))
        if whole is not None:
            return _found(field, task, whole, found.reached, spent)
    return None


def _find(field: GradientField, task: Task, spent: Effort, command: str, seed: int) -> FieldFinding:
    """Look at one task alone."""
    try:
        found = find_equilibrium(field, task, spent, seed)
    except KeyboardInterrupt:
        spent.interrupted = True
        found = None
    if found is None:
        reason = f"no equilibrium in a wrong order found ({spent.summary()}); that proves nothing"
        return FieldFinding(field, task, None, reason, spent)
    weights = dict(zip(found.labels, found.probabilities, strict=True))
    wrong = LabelWitness(
        ShippedField(field),
        task,
        ANY,
        weights,
        None,
        found.prediction,
        found.better,
        box=tuple(found.box),
        attracting=found.attracting,
    )
    witness = certify_labels(wrong, {"command": command, "citation": field.citation, "note": field.note})
    if witness is None:
        reason = "an equilibrium in a wrong order was found, but the core did not accept it"
        return FieldFinding(field, task, None, reason, spent)
    return _found(field, task, witness, found.reached, spent)


def _found(field: GradientField, task: Task, witness: Witness, reached: bool, spent: Effort) -> FieldFinding:
    m = witness.found.task.space.m
    how = "attracting" if witness.verified.attracting else "not proved to be attracting"
    shorter = f" on lists of {m} items, shorter than asked about" if m < task.space.m else ""
    reason = (
        f"verified equilibrium in a wrong order{shorter} ({how}), {len(witness.found.weights)} labels; "
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
        return decide_task(loss, task, conditions, effort=spent, command=command, seed=seed, prescribe=advise)

    plain = None if entry.plain is None else decided(entry.plain, prescribe)
    spent.ration(1)
    shipped: FieldFinding | Decision | None = None
    if entry.field is not None:
        shipped = decide_field(entry.field, task, effort=spent, command=command, seed=seed)
    elif entry.default is not None:
        shipped = decided(entry.default, False)
    return LibraryDecision(entry, plain, shipped)
