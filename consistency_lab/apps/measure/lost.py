"""How much of a target a surrogate can lose at a distribution over labels: certified lower bounds."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from math import floor
from typing import Annotated, Any, Final

from consistency_lab.certify.witness import Witness
from consistency_lab.decide.answers import Verdict
from consistency_lab.decide.profile import decide_profile
from consistency_lab.decide.remedies import choices
from consistency_lab.decide.surrogate import decide
from consistency_lab.decide.tasks import decide_field
from consistency_lab.errors import UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.model.labels import Label, LabelProfile
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import ShippedField
from consistency_lab.model.tasks.task import Task
from consistency_lab.search.effort import Effort
from consistency_lab.show.answer import AT_LABELS, ON_SCREEN, TARGET, WITNESS_ON_LABELS, witness_document
from consistency_lab.show.documents import Record
from consistency_lab.show.frontier import labeled
from consistency_lab.show.labels import certified, example_lines, instead, list_sizes, of_target
from consistency_lab.show.text import Line, Paragraph, outward
from consistency_lab.show.witness import Files, file_of

_SHARES: Final = tuple(Fraction(*ends) for ends in ((1, 2), (1, 3), (2, 3), (2, 5), (3, 5)))
_EACH: Final = 300
"""The cost of a distribution, in minimizations."""

_LARGEST: Final = 5_000
"""Only so many distributions are tried, those first at which most could be lost."""


@frozen
class Lost:
    """The most that is certainly lost at some distribution over labels that was tried."""

    surrogate: TaskSurrogate
    target: Task
    regret: Fraction  #: In the unit of the target, rounded down; 0 if nothing was found.
    witness: Witness | None  #: Where so much is lost.
    tried: int  #: So many distributions were tried.
    proof: str  #: Why nothing is ever lost, if that is proved.


def most_lost(
    surrogate: TaskSurrogate, task: Task, effort: Effort, *, command: str = "", seed: int = 0
) -> Lost:
    """Try distributions of two labels, those first at which the best and the worst order differ most."""
    best: Witness | None
    if isinstance(surrogate, ShippedField):
        best = decide_field(surrogate.field, task, effort=effort, command=command, seed=seed).witness
    else:
        (answer,) = decide(
            surrogate, "any", target=task, effort=effort, command=command, seed=seed, prescribe=False
        ).answers
        if answer.verdict is Verdict.CONSISTENT:
            return Lost(surrogate, task, Fraction(0), None, 0, f"{answer.reason} ({answer.scope})")
        best = answer.witness
    tried, most = 0, _regret(best)
    for spread, weights in sorted(_pairs(task), key=lambda pair: -pair[0])[:_LARGEST]:
        if spread <= float(most) or effort.expired:
            break
        tried += 1
        effort.count(distributions=1, each=_EACH)
        profile = LabelProfile(
            tuple(f"item {i + 1}" for i in range(task.space.m)), weights, dict.fromkeys(weights, ""), "", 1
        )
        try:
            decided = decide_profile(surrogate, profile, target=task, command=command)
        except UnsupportedError:
            continue
        if decided.verdict is Verdict.INCONSISTENT and _regret(decided.witness) > most:
            best, most = decided.witness, _regret(decided.witness)
    return Lost(surrogate, task, most, best, tried, "")


def _regret(witness: Witness | None) -> Fraction:
    return Fraction(0) if witness is None else Fraction(witness.document["proof"].get("regret", 0))


def _pairs(task: Task) -> Iterator[tuple[float, dict[Label, Fraction]]]:
    """Two labels with simple shares, and how far apart their best and their worst order are."""
    graded, seen = task.space.kind == "grades", set[object]()
    losses = {y: [float(task.loss(y, t)) for t in task.predictions] for y in task.space.labels}
    for one, other in combinations(task.space.labels, 2):
        for share in _SHARES:
            key = (tuple(sorted(zip(one, other, strict=True))) if graded else (one, other), share)
            if key in seen:  # the same but for the names of the items
                continue
            seen.add(key)
            p = float(share)
            mixed = [p * x + (1 - p) * y for x, y in zip(losses[one], losses[other], strict=True)]
            yield max(mixed) - min(mixed), {one: share, other: 1 - share}


# --- In words -----------------------------------------------------------------------------------------------


def lost_line(lost: Lost, asked: str) -> str:
    """How much of the target is lost, or that nothing is."""
    of = of_target(lost.target)
    if lost.proof:
        return f"{asked} loses no {of}, whatever the labels: {lost.proof}."
    if lost.witness is None:
        return f"{asked} is open: no labels at which it loses {of} were found; this proves nothing."
    least = outward(lost.regret, 3, floor)
    return f"{asked} can lose at least {least} of {of} on a query, even with endless data."


def lost_screen(lost: Lost, asked: str, files: Files, library: str = "lightgbm") -> Iterator[Line]:
    """How much of a target a loss can lose: the worst example that was found."""
    yield Paragraph(lost_line(lost, asked), 0, 0)
    if lost.witness is None:
        return
    lists = list_sizes(lost.target, str(lost.target.space.m))
    yield Paragraph(
        f"This is a lower bound: the worst that was found (lists of {lists}; {lost.tried:,} distributions "
        "of two labels were tried). That none is worse is not proved.",
        0,
        0,
    )
    yield ""
    yield from example_lines(lost.witness)
    yield Paragraph(certified(lost.witness), 1, 0)
    yield ""
    yield from labeled("instead:", instead([*choices(lost.target)], library))
    path = file_of(lost.witness, files)
    yield from labeled(
        "more:", f"check {asked} --target {lost.target.target}" + (f"\nshow {path}" if path else "")
    )


lost_document: Final = Record(
    Lost,
    "surrogate=surrogate.name target regret tried proof witness",
    format="consistency-lab/measure-target/1",
    may=ON_SCREEN,
    target=TARGET,
    witness=(Annotated[Any, WITNESS_ON_LABELS, AT_LABELS, None], witness_document),
)
"""How much of a target is lost."""
