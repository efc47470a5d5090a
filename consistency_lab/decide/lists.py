"""Decide several surrogates for a target at the labels of each query of a file."""

from collections.abc import Callable, Sequence

from consistency_lab.data.labels import LabelLists
from consistency_lab.decide.answers import ProfileDecision, Verdict
from consistency_lab.decide.profile import decide_profile
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.model.labels import MOST_ITEMS, MOST_LABELS, LabelProfile
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.tasks.task import ITEMS, Task


@frozen
class QueryAnswer:
    """The verdict on one surrogate at one query."""

    surrogate: str  #: Its name.
    verdict: Verdict
    reason: str  #: One sentence.
    decision: ProfileDecision | None = None  #: None if the query is too large to be decided.


@frozen
class QueryAnswers:
    """What each surrogate makes of one query."""

    query: str  #: What the file calls it.
    profile: LabelProfile | None  #: Its labels; None if there are too many.
    answers: tuple[QueryAnswer, ...]  #: One for each surrogate.


@frozen
class Comparison:
    """Surrogates at the queries of a file that have several labels."""

    target: Task  #: With some number of items; each query has its own.
    surrogates: tuple[TaskSurrogate | str, ...]  #: A text names a function of the user's.
    lists: LabelLists  #: What was read.
    queries: tuple[QueryAnswers, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(map(_name, self.surrogates))

    def having(self, surrogate: str, verdict: Verdict) -> list[str]:
        """The queries at which a surrogate has this verdict."""
        return [
            one.query
            for one in self.queries
            for answer in one.answers
            if (answer.surrogate, answer.verdict) == (surrogate, verdict)
        ]


def decide_lists(
    surrogates: Sequence[TaskSurrogate | str],
    lists: LabelLists,
    task: Callable[[int], Task],
    *,
    command: str = "",
    tell: Callable[[str], None] = lambda _: None,
) -> Comparison:
    """Decide each surrogate at each query with several labels; equal distributions are decided once."""
    if not lists.queries and not lists.large:
        raise InputError(
            f"{lists.title}: no query has several different labels, so no grades disagree and the file "
            "cannot tell losses apart; ask without --at whether the loss is right whatever the labels, or "
            "give several grades of a document: a row for each judge (judge,item,grade), or lines of "
            "a query with equal features"
        )
    surrogates = tuple(one for n, one in enumerate(surrogates) if one not in surrogates[:n])
    names = [*map(_name, surrogates)]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two different losses are called {name}; names must differ")
    known: dict[object, tuple[QueryAnswer, ...]] = {}

    def decided(profile: LabelProfile) -> tuple[QueryAnswer, ...]:
        try:
            target = task(len(profile.items))
        except (InputError, UnsupportedError) as error:
            return _undecided(names, str(error))
        decisions = [decide_profile(one, profile, target=target, command=command) for one in surrogates]
        both = zip(names, decisions, strict=True)
        return tuple(QueryAnswer(name, one.verdict, one.reason, one) for name, one in both)

    answers = [
        QueryAnswers(
            query,
            None,
            _undecided(
                names, f"it has {size}, too many to decide (at most {MOST_ITEMS} items, {MOST_LABELS} labels)"
            ),
        )
        for query, size in lists.large.items()
    ]
    for query, profile in lists.queries.items():
        tell(query)
        key = tuple(sorted(profile.weights.items()))
        if key not in known:
            known[key] = decided(profile)
        answers.append(QueryAnswers(query, profile, known[key]))
    return Comparison(task(ITEMS), surrogates, lists, tuple(answers))


def _undecided(names: Sequence[str], reason: str) -> tuple[QueryAnswer, ...]:
    return tuple(QueryAnswer(name, Verdict.UNDECIDED, reason) for name in names)


def _name(surrogate: TaskSurrogate | str) -> str:
    return surrogate if isinstance(surrogate, str) else surrogate.name
