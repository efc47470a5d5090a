"""Decide a surrogate under noise conditions, on preference graphs or for a target on labels."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Final, final

from consistency_lab.certify.witness import Witness
from consistency_lab.checked import SEED, checked
from consistency_lab.decide.answers import Answer, Decision, Pair, Strongest, Verdict, lies_inside
from consistency_lab.decide.cases import GraphCase, LabelCase, about_counts, counts_matter, with_equal_counts
from consistency_lab.decide.remedies import remedies
from consistency_lab.errors import InputError
from consistency_lab.model.conditions import (
    CONDITIONS,
    TASK_CONDITIONS,
    USUAL,
    Condition,
    condition,
    task_condition,
)
from consistency_lab.model.designs import DESIGNS, design_implies
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
    seed: Annotated[int, SEED] = 0,
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
    answers = case.settle()
    more = (case.universal(answers), case.strict(answers)) if isinstance(case, GraphCase) else (None, None)
    wrong = [answer.condition for answer in answers if answer.verdict is Verdict.INCONSISTENT]
    instead = remedies(case.surrogate, wrong, task) if prescribe else ()
    name = named_design(design).name
    return Decision(case.surrogate, task, answers, case.effort, instead, known, *more, name, compared)


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
    survey = _Survey(GraphCase(loss, (), as_effort(effort), seed, command, numbers))
    survey.prove()
    few = survey.proofs_of_few()
    survey.search()
    return Strongest(loss, tuple(survey.found[pair] for pair in survey.pairs), few, survey.all.effort)


@final
class _Survey:
    """All pairs of a condition and a design, and what is known of them."""

    def __init__(self, of: GraphCase) -> None:
        self.all, self.counted = of, counts_matter(of.surrogate)
        self.found: dict[Pair, Answer] = {}
        # None stands before one that lies inside it.
        self.pairs: list[Pair] = [
            (name, row)
            for row in DESIGNS
            for name in CONDITIONS
            if name not in COMPARES_ALL or design_implies(row, "complete")
        ]

    def prove(self) -> None:
        """By theorems, which cover the smaller pairs, for the largest first."""
        for pair in reversed(self.pairs):
            for own in self._proof(pair, self.all.items):
                self._settle(own, (smaller for smaller in self.pairs if lies_inside(smaller, pair)))

    def proofs_of_few(self) -> tuple[Answer, ...]:
        """Of the other pairs, by theorems about one number of items."""
        sizes = self.all.items if len(self.all.items) > 1 else ()
        return tuple(own for m in sizes for pair in self.pairs for own in self._proof(pair, (m,)))

    def search(self) -> None:
        """By witnesses, which cover the larger pairs, for the smallest first; else undecided."""
        first = self.pairs if self.counted else sorted(self.pairs, key=lambda pair: pair[1] != "any")
        for pair in (pair for pair in first if pair not in self.found):
            case = replace(self.all, asked=pair[:1], design=pair[1])
            if self._is_searched(pair):
                case.effort.ration(sum(pair[1] == row for _, row in filter(self._is_searched, self.pairs)))
                case.search(pair[0])
            else:
                case.leave_open(pair[0], self._why_open(pair[0]))
            own = replace(case.answers[pair[0]], design=pair[1])
            self._settle(own, [pair])
            wrong = own.witness if own.verdict is Verdict.INCONSISTENT else None
            equal = wrong and with_equal_counts(case.surrogate, wrong)
            for witness in filter(None, (wrong, equal)):
                self._settle(replace(own, witness=witness), pairs_of(witness))

    def _proof(self, pair: Pair, at: tuple[int, ...]) -> list[Answer]:
        """A theorem, if one speaks of a pair that is still open."""
        case = replace(self.all, asked=pair[:1], design=pair[1], items=at)
        if pair not in self.found:
            case.prove(pair[0])
        return [replace(own, design=pair[1]) for own in case.answers.values()]

    def _settle(self, own: Answer, covered: Iterable[Pair]) -> None:
        for pair in covered:
            if pair not in self.found or self.found[pair].verdict is Verdict.UNDECIDED:
                self.found[pair] = replace(own, condition=pair[0], design=pair[1])

    def _is_searched(self, pair: Pair) -> bool:
        """What is found without a design settles most pairs of a loss that counts do not enter."""
        return pair not in self.found and (self.counted or self.all.affine or not about_counts(*pair))

    def _why_open(self, name: str) -> str:
        wider = self.found.get((name, "any"))
        if wider is None:
            return f"no theorem here; search with --condition {name}"
        if wider.verdict is Verdict.UNDECIDED:
            return wider.reason
        return "no theorem here, and the witness for any design does not have this design"


def pairs_of(witness: Witness) -> frozenset[Pair]:
    """The conditions and designs under which it proves an inconsistency."""
    a = witness.distribution.aggregate
    designs = [name for name, row in DESIGNS.items() if row.holds(a)]
    return frozenset((name, row) for row in designs for name in CONDITIONS if witness.fails_under(name))


def _named(
    conditions: Sequence[str] | str,
    find: Callable[[str], Condition],
    table: Mapping[str, object],
) -> list[str]:
    """The conditions asked for, each once, in the order of the table."""
    names = {find(name).name for name in ([conditions] if isinstance(conditions, str) else conditions)}
    if not names:
        raise InputError(
            f"conditions is empty; name one of {', '.join(table)}, or leave it out for the usual ones"
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
