"""Answers as Python shows them: in a console, as a card in a notebook, in the words of a failed test."""

from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from importlib.util import find_spec
from math import nan
from typing import TYPE_CHECKING, Any, Final

from consistency_lab.errors import InputError, need
from consistency_lab.frozen import frozen
from consistency_lab.model.checked import checked
from consistency_lab.model.conditions import whole
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.tasks.task import Task
from consistency_lab.numbers.exact import integer_multiple
from consistency_lab.search.effort import Effort
from consistency_lab.show.text import Line, chain, compact, decimal, number, rendered
from consistency_lab.shown import WIDTH, Shown

if TYPE_CHECKING:
    from consistency_lab.certify.witness import Witness
    from consistency_lab.data.profile import Profile
    from consistency_lab.decide.answers import Decision, LibraryDecision, ProfileDecision, Strongest
    from consistency_lab.model.surrogates.families import Loss
    from consistency_lab.show.canvas import Picture
    from consistency_lab.solve.minimize import Minimum

_FEW: Final = 8
_MATRIX: Final = 12
_DOTS: Final = 80


@frozen
class Card:
    """What is shown of one answer."""

    title: str  #: What it is.
    badge: str  #: The verdict or the claim, "" if it is none.
    rows: tuple[tuple[str, str], ...]  #: At most four names, each with its value.
    screen: Sequence[str] = ()  #: What the command line shows, if it has a screen for this.
    about: Distribution | None = None  #: Whose aggregate is shown.
    witness: "Witness | None" = None  #: Whose score plane and proof are shown.
    more: str = ""  #: What else is folded.


def card(thing: object) -> Card:
    """The card of an answer."""
    made: Card = _made(_CARDS, thing)(thing)
    return made


def _made(table: Mapping[str, Callable[[Any], Any]], thing: object) -> Callable[[Any], Any]:
    """What a table, by the places of classes, has for a thing; each loads only what its class needs."""
    kinds = (f"{kind.__module__}.{kind.__qualname__}" for kind in type(thing).__mro__)
    return next(table[kind] for kind in kinds if kind in table)


def short(thing: object) -> str:
    """The screen of the command line, or at most five lines."""
    told = card(thing)
    return "\n".join(told.screen or _lines(told, WIDTH))


def summary(thing: object) -> str:
    """All of it as text."""
    told = card(thing)
    return "\n".join(filter(None, (*(told.screen or _lines(told)), _folded(told))))


def html(thing: Shown) -> str:
    """A card for a notebook: badge, rows, matrix, score plane and folded proof, all text escaped."""
    told = card(thing)
    p = told.about if told.about is not None and told.about.m <= _MATRIX else None
    _, scale = integer_multiple(x for row in p.aggregate for x in row) if p else ([], Fraction(1))
    from consistency_lab.show.canvas import filled

    return filled(
        __file__,
        "card.html.j2",
        card=told,
        items=p.items if p else (),
        rows=whole(p.aggregate) if p else (),
        unit="" if scale == 1 else f", in units of {1 / scale}",
        plane=_plane(told.witness),
        folded=_folded(told),
    )


def _lines(told: Card, wide: int | None = None) -> list[str]:
    across = max((len(name) for name, _ in told.rows), default=0)
    lines = [f"{told.title}: {told.badge}" if told.badge else told.title]
    lines += [f"  {name:<{across}}  {value}" for name, value in told.rows]
    return [line if wide is None or len(line) <= wide else f"{line[: wide - 1]}…" for line in lines]


def _folded(told: Card) -> str:
    from consistency_lab.show.proof import explicit_proof

    w = told.witness
    proof = () if w is None else rendered(explicit_proof(w.document, w.verified, "witness"))
    return "\n".join(filter(None, ("\n".join(proof), told.more)))


def _plane(witness: "Witness | None") -> str:
    """The score plane as an image, where there is one and Matplotlib is installed."""
    from consistency_lab.show.pictures import ITEMS, witness_plane

    graphs = witness is not None and isinstance(witness.about, Distribution)
    if witness is None or not graphs or witness.distribution.m != ITEMS or find_spec("matplotlib") is None:
        return ""
    return b64encode(witness_plane(witness).content("png", _DOTS)).decode()


# --- What is said of each of them -------------------------------------------------------------------------


def _loss(loss: "Loss", target: Task | None) -> tuple[str, str]:
    from consistency_lab.show.witness import surrogate_title

    where = "" if target is None else f", for {target.target}"
    return "loss", f"{surrogate_title(loss, target)}{where}"


def _failure(witness: "Witness") -> list[tuple[str, str]]:
    """The order that comes out, a better one, and what that costs."""
    from consistency_lab.core.document import TIE
    from consistency_lab.show.witness import percent, regret_text

    if not isinstance(witness.about, Distribution):
        if not witness.inconsistent:
            return [("because", witness.verified.sentence)]
        text, cost = witness.asked.task.prediction_text, regret_text(witness)
        best, predicted = text(witness.better), text(witness.prediction)
    else:
        names, regret = witness.distribution.items, witness.verified.regret
        best, predicted = chain(names, witness.better), chain(names, witness.prediction)
        cost = f"{number(regret)} ({percent(witness.normalized_regret)} of all preferences)"
    if not witness.verified.failure:
        return [("order", f"{predicted}, optimal")]
    how = "may come out of a tie" if witness.failure == TIE else "comes out"
    return [("order", f"{predicted} {how}, {best} is better"), ("regret", cost)]


def _decision(decision: "Decision") -> Card:
    from consistency_lab.model.surrogates.tasks.libraries import pair_entry_of
    from consistency_lab.show import frontier, labels
    from consistency_lab.show.decision import evidence

    by: dict[str, list[str]] = {}
    for answer in decision.answers:
        by.setdefault(answer.verdict, []).append(answer.condition)
    said = "; ".join(f"{verdict}: {', '.join(names)}" for verdict, names in by.items())
    said += "" if decision.design == "any" else f"; design: {decision.design}"
    rows = [_loss(decision.surrogate, decision.target), ("conditions", said)]
    if decision.compared is not None:
        rows.append(("function", f"{decision.name}, {decision.compared.sentence}"))
    rows += _caveat(decision)
    witness = next(iter(decision.witnesses), None)
    if witness is not None and witness.inconsistent:
        rows += _failure(witness)
    else:
        why = next((one for one in decision.answers if one.verdict is decision.verdict), None)
        rows.append(("because", "nothing was asked" if why is None else f"{why.reason} ({why.scope})"))
    more = "\n".join(rendered(evidence(decision, {}, {})))
    word = decision.asked or decision.name
    shown = (
        frontier.screen(decision, word, pair_entry_of(word), {})
        if decision.target is None
        else labels.screen(decision, word, {})
    )
    ways = ("summary()", "to_frame()", *(["plot()"] if witness else []))
    screen = in_python(shown, ways)
    return Card("Decision", str(decision.verdict), tuple(rows), screen, _about(witness), witness, more)


def in_python(shown: Iterable[Line], ways: Sequence[str]) -> list[str]:
    """The lines of a screen, whose last say what to call in place of options."""
    lines = [*rendered(shown)]
    end = next((k for k, line in enumerate(lines) if line.startswith(" more:")), len(lines))
    return [*lines[:end], f" more:    {'   '.join(f'.{way}' for way in ways)}"]


def _library(decision: "LibraryDecision") -> Card:
    from consistency_lab.decide.answers import Decision
    from consistency_lab.show.decision import finding

    plain, shipped = decision.plain, decision.shipped
    rows = (
        []
        if plain is None
        else [("plain loss", "; ".join(f"{one.condition}: {one.verdict}" for one in plain.answers))]
    )
    if isinstance(shipped, Decision):
        rows.append(("as shipped", f"{shipped.verdict}, by {shipped.name}"))
    elif decision.entry.shipped != "same":
        rows.append(("as shipped", ": ".join(finding(decision))))
    witness = next(iter(decision.witnesses[-1:]), None)
    rows += [] if witness is None else _failure(witness)
    note = f"Note: {decision.entry.note}"
    return Card(decision.entry.name, str(decision.verdict), tuple(rows), witness=witness, more=note)


def _caveat(answer: "Decision | ProfileDecision | Strongest") -> list[tuple[str, str]]:
    from consistency_lab.show.witness import caveat

    why = "not convex" if answer.convex is False else "not proved convex"
    return [("training", f"can stop elsewhere than at the infimum of W: {why}")] if caveat(answer) else []


def _profile(decision: "ProfileDecision") -> Card:
    p, witness = decision.distribution, decision.witness
    where = f"{len(p.items)} items: {_several(p.items)}"
    rows = [_loss(decision.surrogate, decision.target), ("at", where), *_caveat(decision)]
    rows += [("because", decision.reason)] if witness is None else _failure(witness)
    about = p if isinstance(p, Distribution) else None
    return Card("Decision at one distribution", str(decision.verdict), tuple(rows), (), about, witness)


def _witness(witness: "Witness") -> Card:
    from consistency_lab.certify.proofs.file import narrowest

    rows = [("loss", witness.verified.called)]
    p = _about(witness)
    where = f"{witness.verified.m} items"
    if p is not None:
        where = f"{p.m} items: {_several(p.items)}; noise: {narrowest(witness.verified.conditions)}"
    rows += [("at", where), *_failure(witness)]
    claim = f"{witness.verified.claim}{f' ({witness.failure})' if witness.failure else ''}"
    return Card("Witness", claim, tuple(rows), (), p, witness)


def _about(witness: "Witness | None") -> Distribution | None:
    graphs = witness is not None and isinstance(witness.about, Distribution)
    return witness.distribution if witness is not None and graphs else None


def _distribution(p: Distribution) -> Card:
    count = f"{len(p.graphs)} graph{'' if len(p.graphs) == 1 else 's'}"
    rows = [("items", f"{p.m}: {_several(p.items)}")]
    if p.m <= _MATRIX:
        d, names = p.difference, p.items
        edges = [(i, j) for i in range(p.m) for j in range(p.m) if d[i][j] > 0]
        won = [f"{names[i]} over {names[j]} by {number(d[i][j])}" for i, j in edges]
        rows.append(("majorities", _several(won) or "none"))
    return Card("Distribution", count, tuple(rows), about=p)


def _surrogate(loss: "Loss") -> Card:
    from consistency_lab.model.surrogates.tasks.base import TaskSurrogate

    of = "Surrogate for a target" if isinstance(loss, TaskSurrogate) else "Surrogate"
    said = ", ".join(f"{letter} = {value}" for letter, value in loss.parameters())
    rows = [("loss", loss.formula), ("with", said), ("source", loss.citation)]
    return Card(of, loss.name, tuple((name, value) for name, value in rows if value))


def _preferences(profile: "Profile") -> Card:
    from consistency_lab.show.profile import size

    rows = [("format", profile.format), ("items", _several(profile.items))]
    rows += [("notes", "; ".join(profile.notes))] if profile.notes else []
    return Card("Profile", profile.title, (("size", size(profile)), *rows))


def _strongest(strongest: "Strongest") -> Card:
    from consistency_lab.show.decision import noise_of

    by = {
        "right": (*strongest.right, *strongest.right_of_few),
        "wrong": strongest.wrong,
        "undecided": strongest.undecided,
    }
    rows = [(how, _several(sorted(map(noise_of, of)))) for how, of in by.items() if of]
    return Card("Strongest", strongest.surrogate.name, (*rows, *_caveat(strongest)))


def _minimum(minimum: "Minimum") -> Card:
    exact, m = minimum.exact, len(minimum.scores)
    values = [float(x) for x in minimum.scores]
    shown = [decimal(x, 4) for x in values] if exact is None else [compact(x) for x in exact]
    scores: Sequence[Any] = values if exact is None else exact
    ranks = sorted(set(scores), reverse=True)
    levels = [" = ".join(str(i + 1) for i, x in enumerate(scores) if x == y) for y in ranks]
    exists = {True: "attained", False: "not attained", None: "unknown whether attained"}[minimum.attained]
    one = {True: ", by these scores alone up to shifts", False: ", by others too", None: ""}[minimum.unique]
    rows = [
        ("scores", f"{_several(shown)}{' (floats)' if exact is None else ''}"),
        ("order", " > ".join(levels) if m <= _FEW else f"of {m} items"),
        ("minimum", f"{exists}{one if minimum.attained else ''}"),
        ("method", minimum.method),
    ]
    return Card("Minimum", f"W = {minimum.value:.6g}", tuple(rows))


def _several(words: Sequence[str]) -> str:
    return ", ".join(words[:_FEW]) + (f", … ({len(words)} in all)" if len(words) > _FEW else "")


_CARDS: Final[Mapping[str, Callable[[Any], Card]]] = {
    "consistency_lab.decide.answers.Decision": _decision,
    "consistency_lab.decide.answers.LibraryDecision": _library,
    "consistency_lab.decide.answers.ProfileDecision": _profile,
    "consistency_lab.decide.answers.Strongest": _strongest,
    "consistency_lab.certify.witness.Witness": _witness,
    "consistency_lab.model.distribution.Distribution": _distribution,
    "consistency_lab.model.surrogates.families.Loss": _surrogate,
    "consistency_lab.data.profile.Profile": _preferences,
    "consistency_lab.solve.minimize.Minimum": _minimum,
}


def picture(thing: "Witness | Decision | ProfileDecision") -> "Picture":
    """A witness: the score plane of three items, or the two orders of more."""
    from consistency_lab.decide.answers import Decision, ProfileDecision
    from consistency_lab.show.pictures import witness_picture

    need("matplotlib", "plot")
    found = next(iter(thing.witnesses), None) if isinstance(thing, Decision) else thing
    witness = found.witness if isinstance(found, ProfileDecision) else found
    if witness is None:
        raise InputError("there is no witness to draw, because no failure was found")
    return witness_picture(witness.document, witness.verified)


_FILE: Final = "FILE.json"
"""What a witness that was not read from a file is called."""


def latex(witness: "Witness") -> str:
    """The proof of a witness as a document."""
    from consistency_lab.certify.proofs.file import as_proof
    from consistency_lab.show.proof import ticked_proof
    from consistency_lab.show.typeset import written

    document = {**as_proof(witness.document), "digest": witness.digest}
    lines = ticked_proof(document, witness.verified, _FILE)
    return written(lines, "latex", witness)


def program(witness: "Witness", library: str) -> str:
    """The program that trains a library on a witness."""
    from consistency_lab.show.script import script

    return script(witness, library, _FILE)


Columns = Mapping[str, Sequence[Any]]


def frame(thing: object) -> Any:
    """A data frame; its index are the items of a distribution, and else numbers."""
    need("pandas", "to_frame")
    from pandas import DataFrame

    return DataFrame(
        dict(_made(_FRAMES, thing)(thing)), index=thing.items if isinstance(thing, Distribution) else None
    )


_KEYS: Final = ("condition", "design", "verdict", "scope", "reason", "citation")


def _scored(decision: "ProfileDecision") -> Columns:
    """The scores of a minimizer, in floats, where there are any."""
    if not isinstance(decision.distribution, Distribution):
        weights = decision.distribution.weights
        return {"label": list(weights), "probability": list(map(str, weights.values()))}
    items, known = decision.distribution.items, decision.minimizers
    scores = () if known is None else known.scores
    return {"item": items, "score": list(map(float, scores)) or [nan] * len(items)}


def _placed(witness: "Witness") -> Columns:
    """Items with exact scores and their places in two orders; of labels their probabilities."""
    if not isinstance(witness.about, Distribution):
        weights, text = witness.asked.weights, witness.asked.task.space.text
        return {"label": list(map(text, weights)), "probability": list(map(str, weights.values()))}
    items, m = witness.distribution.items, witness.distribution.m
    orders = {"learned": witness.prediction, "better": witness.better}
    places = {name: [order.index(i) + 1 for i in range(m)] for name, order in orders.items()}
    return {"item": items, "score": list(map(str, witness.scores)) or [None] * m, **places}


_FRAMES: Final[Mapping[str, Callable[[Any], Columns]]] = {
    "consistency_lab.decide.answers.Decision": lambda found: {
        k: [str(getattr(one, k)) for one in found.answers] for k in _KEYS
    },
    "consistency_lab.decide.answers.ProfileDecision": _scored,
    "consistency_lab.certify.witness.Witness": _placed,
    "consistency_lab.model.distribution.Distribution": lambda p: dict(
        zip(p.items, ([float(x) for x in column] for column in zip(*p.aggregate, strict=True)), strict=True)
    ),
    "consistency_lab.solve.minimize.Minimum": lambda found: {
        "item": range(1, len(found.scores) + 1),
        "score": found.scores,
        "exact": [None] * len(found.scores) if found.exact is None else list(map(str, found.exact)),
    },
}


# --- In a test of somebody else's -------------------------------------------------------------------------


@checked
def assert_consistent(
    loss: object,
    target: Task | str | None = None,
    condition: Sequence[str] | str | None = None,
    items: Sequence[int] | int | None = None,
    effort: Effort | float | None = None,
) -> None:
    """Pass if a loss is proved consistent; fail with the reason and the witness if it is not.

    The proof is of the sizes that the answer of `check` names: of all, or for a target perhaps of its own.
    It is of the infimum: of a loss that is not convex (`check` says so), training can stop elsewhere.

    Parameters
    ----------
    loss, target, items, effort
        As in `check`.
    condition
        A noise condition, or several; all that `check` asks about, if not given.

    Raises
    ------
    AssertionError
        If the verdict is INCONSISTENT; or UNDECIDED, which proves nothing either way.

    Examples
    --------
    >>> assert_consistent("linear", condition="low-noise")
    >>> assert_consistent("softmax", "ndcg", "any")
    Traceback (most recent call last):
    ...
    AssertionError: softmax is INCONSISTENT for any: ...
    """
    from consistency_lab.decide.answers import LibraryDecision, Verdict
    from consistency_lab.decide.tasks import check

    __tracebackhide__ = True  # pytest shows the test's own line
    decision = check(loss, condition, target=target, items=items, effort=effort, prescribe=False)
    if decision.verdict is Verdict.CONSISTENT:
        return
    if isinstance(decision, LibraryDecision):
        words, witness = _lines(card(decision)), next(iter(decision.witnesses[-1:]), None)
    else:
        answer = next(one for one in decision.answers if one.verdict is decision.verdict)
        words = [f"{decision.name} is {decision.verdict} for {answer.condition}: {answer.reason}"]
        witness = answer.witness
    if decision.verdict is Verdict.UNDECIDED:
        words.append("Nothing is proved either way, and the test requires a proof.")
    elif witness is not None:
        words += _lines(card(witness))
    raise AssertionError("\n".join(words))
