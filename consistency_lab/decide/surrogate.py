"""Decide a surrogate under noise conditions, on preference graphs or for a target on labels."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from consistency_lab.certify.witness import Witness
from consistency_lab.checked import checked
from consistency_lab.decide.answers import Answer, Decision, Pair, Strongest, Verdict, lies_inside
from consistency_lab.decide.cases import GraphCase, LabelCase, counts_matter, with_equal_counts
from consistency_lab.decide.remedies import remedies
from consistency_lab.errors import InputError
from consistency_lab.model.conditions import (
    ANY,
    CONDITIONS,
    TASK_CONDITIONS,
    USUAL,
    Condition,
    condition,
    task_condition,
)
from consistency_lab.model.designs import DESIGNS, design_implies
from consistency_lab.model.designs import design as named_design
from consistency_lab.model.properties import BOUNDED_BELOW, Property, Status, properties, refuse_undefined
from consistency_lab.model.surrogates import Surrogate, as_surrogate, family_of
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import task_surrogate, unknown
from consistency_lab.model.surrogates.tasks.decoders import decoder_for
from consistency_lab.model.surrogates.tasks.means import Regression
from consistency_lab.model.tasks.catalogue import DEFINITIONS
from consistency_lab.model.tasks.catalogue import target as named_target
from consistency_lab.model.tasks.task import Task
from consistency_lab.search.effort import Effort, as_effort
from consistency_lab.search.find import item_counts
from consistency_lab.theorems.base import COMPARES_ALL

ITEMS: Final = (2, 3, 4, 5)
"""Numbers of items that are searched unless others are asked for."""


@checked
def decide(
    surrogate: Surrogate | TaskSurrogate | str,
    conditions: Sequence[str] | str | None = None,
    *,
    target: Task | str | None = None,
    design: str = "any",
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
    >>> str(decide("linear", "low-noise").verdict)
    'CONSISTENT'
    >>> str(decide("softmax", "any", target="ndcg").verdict)
    'INCONSISTENT'
    >>> str(decide("logistic", "low-noise", design="balanced").verdict)
    'CONSISTENT'
    """
    known: Mapping[str, Property] = {}
    task: Task | None = None
    case: GraphCase | LabelCase
    if target is None:
        loss = as_surrogate(surrogate)
        asked = _named(USUAL if conditions is None else conditions, condition, CONDITIONS)
        known = known_properties(loss)
        numbers = item_counts(ITEMS if items is None else items)
        case = GraphCase(loss, asked, as_effort(effort), seed, command, numbers, named_design(design).name)
    else:
        if design != "any":
            raise InputError("a design is about preference graphs: leave design out, or the target")
        if items is not None:
            raise InputError("a target has its own items: leave items out, or pass target(NAME, items=...)")
        labels_loss, task = understood(surrogate, target)
        labels_loss.check(task)
        decoder_for(labels_loss, task)
        usual = DEFINITIONS[task.target].usual if conditions is None else conditions
        asked = _named(usual, partial(task_condition, space=task.space), TASK_CONDITIONS)
        if any(TASK_CONDITIONS[name].needs_f for name in asked) and not isinstance(labels_loss, Regression):
            raise InputError(f"the condition p-f is about a regression on f, and {labels_loss.name} is none")
        case = LabelCase(labels_loss, asked, as_effort(effort), seed, command, (task, *larger))
    answers = case.settle()
    universal = case.universal(answers) if isinstance(case, GraphCase) else None
    strict = case.strict(answers) if isinstance(case, GraphCase) else None
    wrong = [answer.condition for answer in answers if answer.verdict is Verdict.INCONSISTENT]
    instead = remedies(case.surrogate, wrong, task) if prescribe else ()
    return Decision(
        case.surrogate,
        task,
        answers,
        case.effort,
        instead,
        known,
        universal,
        strict,
        named_design(design).name,
    )


@checked
def strongest(
    surrogate: Surrogate | str,
    *,
    items: Sequence[int] | int | None = None,
    effort: Effort | float | None = None,
    command: str = "",
    seed: int = 0,
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
    shared = as_effort(effort)
    # None stands before one that lies inside it.
    pairs: list[Pair] = [
        (name, row)
        for row in DESIGNS
        for name in CONDITIONS
        if name not in COMPARES_ALL or design_implies(row, "complete")
    ]
    found: dict[Pair, Answer] = {}

    def asked(pair: Pair, at: tuple[int, ...] = numbers) -> GraphCase:
        return GraphCase(loss, pair[:1], shared, seed, command, at, pair[1])

    def settle(own: Answer, covered: Iterable[Pair]) -> None:
        for pair in covered:
            if pair not in found or found[pair].verdict is Verdict.UNDECIDED:
                found[pair] = replace(own, condition=pair[0], design=pair[1])

    def proofs(at: tuple[int, ...]) -> Iterator[Answer]:
        for pair in reversed(pairs):
            case = asked(pair, at)
            if pair not in found:
                case.prove(pair[0])
            yield from (replace(own, design=pair[1]) for own in case.answers.values())

    for own in proofs(numbers):
        settle(own, (pair for pair in pairs if lies_inside(pair, own.pair)))
    few = [own for m in numbers if len(numbers) > 1 for own in reversed([*proofs((m,))])]
    # Where counts do not matter, what is found without a design settles most of the others.
    counted = counts_matter(loss)

    affine = family_of(loss).affine

    def searched(pair: Pair) -> bool:
        known = CONDITIONS[pair[0]]
        first = pair[1] == "any" and (known.of_differences or known is ANY)
        return pair not in found and (counted or affine or first)

    for pair in pairs if counted else sorted(pairs, key=lambda pair: pair[1] != "any"):
        if pair in found:
            continue
        case = asked(pair)
        if searched(pair):
            shared.ration(sum(other[1] == pair[1] for other in filter(searched, pairs)))
            case.search(pair[0])
        elif (wider := found.get((pair[0], "any"))) is None:
            case.leave_open(pair[0], f"no theorem here; search with --condition {pair[0]}")
        elif wider.verdict is Verdict.UNDECIDED:
            case.leave_open(pair[0], wider.reason)
        else:
            case.leave_open(pair[0], "no theorem here, and the witness for any design does not have this one")
        own = replace(case.answers[pair[0]], design=pair[1])
        settle(own, [pair])
        if own.witness is not None:
            for witness in filter(None, (own.witness, with_equal_counts(loss, own.witness))):
                settle(replace(own, witness=witness), pairs_of(witness))
    return Strongest(loss, tuple(found[pair] for pair in pairs), tuple(few), shared)


def pairs_of(witness: Witness) -> frozenset[Pair]:
    """The conditions and designs under which it proves an inconsistency."""
    a = witness.distribution.aggregate
    designs = [name for name, row in DESIGNS.items() if row.holds(a)]
    return frozenset((name, row) for row in designs for name in CONDITIONS if witness.fails_under(name))


def _named(
    conditions: Sequence[str] | str,
    find: Callable[[str], Condition | Condition],
    table: Mapping[str, object],
) -> list[str]:
    """The conditions asked for, each once, in the order of the table."""
    names = {find(name).name for name in ([conditions] if isinstance(conditions, str) else conditions)}
    if not names:
        raise InputError(
            f"conditions is empty; name one of {', '.join(table)}, or leave it out for the usual"
        )
    return [name for name in table if name in names]


def known_properties(surrogate: Surrogate) -> Mapping[str, Property]:
    """What is known of the scalar function; one that the question does not apply to is refused."""
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


def understood(surrogate: object, task: object) -> tuple[TaskSurrogate, Task]:
    """A surrogate and a target, or their names; custom classes are refused."""
    surrogate = task_surrogate(surrogate) if isinstance(surrogate, str) else surrogate
    task = named_target(task) if isinstance(task, str) else task
    if not isinstance(surrogate, TaskSurrogate):
        raise InputError(
            f"expected a surrogate of labels, got {type(surrogate).__name__}; pass task_surrogate(NAME) or "
            "its name, or leave the target out for a surrogate of preference graphs"
        )
    if not isinstance(task, Task):
        raise InputError(f"expected a target, got {type(task).__name__}; pass target(NAME) or its name")
    own = unknown(surrogate, task)
    if own is not None:
        raise InputError(
            f"{own} is a custom class, which is not supported with a target; for preference graphs, derive "
            "your loss from GraphSurrogate and pass it to check"
        )
    return surrogate, task
