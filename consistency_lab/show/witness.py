"""The question and its witnesses as a person reads them, and as texts in documents."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from shlex import quote
from types import MappingProxyType
from typing import Any, Final

from consistency_lab.certify.minimizers import holds_of_every_minimizer
from consistency_lab.certify.witness import Witness
from consistency_lab.core.addition import Addition
from consistency_lab.core.certificates import Equilibrium
from consistency_lab.core.document import TIE, WRONG_EQUILIBRIUM
from consistency_lab.decide.answers import Decision, ProfileDecision, Strongest, Verdict
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.labels import LabelProfile, LabelSpace
from consistency_lab.model.surrogates.families import Loss
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate, TaskSurrogate
from consistency_lab.model.surrogates.tasks.decoders import DECODERS
from consistency_lab.model.tasks.catalogue import DEFINITIONS
from consistency_lab.model.tasks.task import Task
from consistency_lab.numbers.exact import Ball, LogRational, as_fraction, integer_multiple
from consistency_lab.numbers.tape import Real, as_ball
from consistency_lab.show.task_proof import LINKS, SHOWN, reached, sentence
from consistency_lab.show.text import (
    Line,
    chain,
    columns,
    compact,
    decimal,
    flush,
    inset,
    number,
    paragraph,
    short,
    typed,
    with_names,
)
from consistency_lab.solve.optimal import MAX_ITEMS as ALL_ORDERS

# --- Verdicts, and where witnesses are ------------------------------------------------------------------

WORDS: Final[Mapping[Verdict, str]] = MappingProxyType(
    {Verdict.CONSISTENT: "right", Verdict.INCONSISTENT: "wrong", Verdict.UNDECIDED: "open"}
)
"""The verdict of a row."""


def caveat(answer: Decision | Strongest | ProfileDecision) -> str:
    """What a proof leaves open where the loss is not convex, for the end of the sentence that tells it."""
    of = (answer.verdict,) if isinstance(answer, ProfileDecision) else (one.verdict for one in answer.answers)
    if answer.convex or Verdict.CONSISTENT not in of:
        return ""
    proved = "" if answer.convex is False else "proved "
    return f", at the infimum of W; it is not {proved}convex, so training can stop elsewhere"


Files = Mapping[str, Path]
"""Where witnesses were saved, by digest."""


def path_of(document: Mapping[str, object], files: Files) -> str | None:
    """Where a document was saved."""
    path = files.get(str(document["digest"]))
    return None if path is None else path.as_posix()


def file_of(witness: Witness | None, files: Files) -> str | None:
    """Where a witness was saved."""
    return None if witness is None else path_of(witness.document, files)


# --- Numbers of tasks as texts: rationals, balls, and the formulas that a user types ---------------------


def real(value: Real | Ball | LogRational) -> str:
    """An exact number as it is, if that is short; a decimal behind "≈" for any other."""
    return compact(value) if isinstance(value, Fraction | LogRational) else f"≈{rounded(value)}"


def rounded(value: Real | Ball | LogRational) -> str:
    """Six decimals of a number."""
    if isinstance(value, Fraction | LogRational):
        return decimal(value)
    return decimal(as_fraction(as_ball(value).mid()))


def exact_text(value: Real | Ball) -> str:
    """A rational in full; a decimal of a number that is not known to be one."""
    return str(value) if isinstance(value, Fraction) else rounded(value)


# --- The question in words -------------------------------------------------------------------------------
# The surrogate, for a target with its decoder, and the target with its labels.

_FIELDS: Final = 3
"""How far later lines of a paragraph are moved in."""

_LETTERS: Final[Mapping[str, str]] = MappingProxyType({"gain": "G(s)", "discount": "F(j)", "q": "k"})

_LABELS: Final[Mapping[str, Callable[[Any, int], str]]] = {
    "grades": lambda x, n: f"{x['items']} items with grades {', '.join(map(str, x['grades']))}: {n} labels",
    "rankings": lambda x, n: f"labels: the {n} rankings of {x['items']} items",
    "dags": lambda x, n: f"labels: the {n} acyclic preference graphs on {x['items']} items",
    "classes": lambda x, n: f"{n} classes",
    "rows": lambda x, n: f"{n} labels",
}


def surrogate_lines(surrogate: Loss, task: Task | None, role: str = "") -> Iterator[Line]:
    """Its name, loss and source; its scores and decoder for a target; before the name, what it is."""
    worth = "" if task is None else _worth(surrogate, task)
    yield from paragraph(f"{role}{surrogate.name}: {surrogate.text}{worth}", indent=0, hanging=_FIELDS)
    if isinstance(surrogate, TaskSurrogate) and task is not None:
        decoder = f"{surrogate.decoder} ({DECODERS[surrogate.decoder].title})"
        yield from paragraph(f"{len(surrogate.coordinates(task))} scores; decoder: {decoder}", indent=_FIELDS)


def _worth(surrogate: Loss, task: Task) -> str:
    """What G is where the loss names it and the target does not."""
    if "G(" not in surrogate.text or "G(s) =" in surrogate.text or "G(s)" in parameters(task):
        return ""
    return ", with G(s) = max(s-v,0)" if task.target == "eru" else ", with G(s) = s"


def target_lines(task: Task | None) -> Iterator[Line]:
    """The target loss with its parameters, and its labels; nothing about preference graphs of any weights."""
    if task is None:
        return
    values = ", ".join(f"{letter} = {value}" for letter, value in parameters(task).items())
    labels = _LABELS[task.space.kind](task.space.describe(), len(task.space.labels))
    yield from paragraph(
        f"target {task.title}: {target_formula(task)}{', ' if values else ''}{values} ({task.citation})",
        indent=0,
        hanging=_FIELDS,
    )
    yield from paragraph(f"{labels}; {len(task.predictions)} predictions", indent=_FIELDS, hanging=_FIELDS)


def target_formula(task: Task) -> str:
    """The target loss."""
    return DEFINITIONS[task.target].formula


def parameters(task: Task) -> dict[str, str]:
    """The parameters of the target by the letters of its formula."""
    left_out = ("loss", "labels", "rows")
    return {
        _LETTERS.get(key, key): typed(str(value))
        for key, value in task.describe().items()
        if key not in left_out and value is not None
    }


def surrogate_parameters(surrogate: TaskSurrogate, task: Task) -> dict[str, str]:
    """Its parameters by name; long tables are left out."""
    return {
        key: typed(str(value))
        for key, value in surrogate.describe(task).items()
        if key not in ("family", "name") and not isinstance(value, list)
    }


def surrogate_title(surrogate: Loss, task: Task | None) -> str:
    """Its name, for a target with its parameters."""
    if not isinstance(surrogate, TaskSurrogate) or task is None:
        return surrogate.name
    values = ", ".join(f"{key} = {value}" for key, value in surrogate_parameters(surrogate, task).items())
    return f"{surrogate.name} ({values})" if values else surrogate.name


# --- What `check --profile --target` tells about one distribution over labels, and only about such -------

_MOST_LABELS: Final = 12
"""More labels than these are left to the file, the most frequent are shown."""


def counted_labels(space: LabelSpace) -> str:
    """What the voters of a profile are called."""
    return "judges" if space.kind == "grades" else "voters"


def labels_that_occur(profile: LabelProfile, space: LabelSpace) -> Iterator[Line]:
    """Where the labels are from, and each with its number."""
    named = ", ".join(f"{number} {item}" for number, item in enumerate(profile.items, start=1))
    voters = f"{profile.voters} {counted_labels(space)}" if profile.voters > 1 else "a distribution"
    n = len(profile.weights)
    labels = "one label" if n == 1 else f"{n} different labels"
    yield from flush(f"{profile.title}: {len(profile.items)} items ({named}), {voters}, {labels}")
    often = sorted(profile.weights.items(), key=lambda entry: (-entry[1], entry[0]))
    for label, p in often[:_MOST_LABELS]:
        yield f"  {p * profile.voters} x {space.text(label)}"
    if len(often) > _MOST_LABELS:
        yield f"  and {len(often) - _MOST_LABELS} more"


def labels_evidence(witness: Witness, names: Sequence[str]) -> Iterator[Line]:
    """What is wrong, in the names of the items."""
    proof = witness.document["proof"]
    for title, key in (("a better order:       ", "better"), ("what may be returned: ", "prediction")):
        if key in proof:  # its items are numbered from 1
            numbers = proof[key].split(" > ") if isinstance(proof[key], str) else proof[key]
            order = chain(names, [int(number) - 1 for number in numbers])
            yield from paragraph(f"{title}{order}", indent=2, hanging=4)
    if "regret" in proof:
        yield from paragraph(f"it costs at least {proof['regret']} more in expectation", indent=2)


# --- A witness about preference graphs: matrix, scores, what is wrong, and why ---------------------------

_KINDS: Final[Mapping[str, str]] = {
    "strict": "a strict inversion, wrong under every rule for ties",
    "tie": "a tie: one way to break it is wrong, and so are scores arbitrarily close to these",
}

OF_THIS_ONE: Final = "; this is proved for this minimizer, not for every minimizer"
"""Where W may have more minimizers than the scores of a witness."""


def witness_block(
    title: str, witness: Witness, files: Mapping[str, Path], more: Iterable[Line] = ()
) -> Iterator[Line]:
    """The failure, why it is certain, more lines, and where the file was saved."""
    tell = _on_graphs if isinstance(witness.about, Distribution) else _on_labels
    yield from (*tell(title, witness), *more, *saved(witness.digest, files))


def _on_graphs(title: str, witness: Witness) -> Iterator[Line]:
    """Matrix, scores, what is wrong, and why that is certain."""
    p, names = witness.distribution, witness.distribution.items
    yield f"{title}: {p.m} items, {len(p.graphs)} graph{'s' if len(p.graphs) > 1 else ''}"
    _, scale = integer_multiple(x for row in p.aggregate for x in row)
    body = with_names([[x * scale for x in row] for row in p.aggregate], names)
    if witness.scores:
        exact = (str(score) if short(score) == str(score) else "" for score in witness.scores)
        told = [("score", ""), *zip(map(decimal, witness.scores), exact, strict=True)]
        body = [[*row, *score] for row, score in zip(body, told, strict=True)]
    unit = "" if scale == 1 else f", in units of {1 / scale}"
    yield f"  preferences (row over column{unit}){' and scores' if witness.scores else ''}:"
    yield from columns(body, indent=4, right=range(1, p.m + 2))
    for line in wrong_pairs(witness, scale):
        yield from inset(line)
    stuck = witness.verified.claim == WRONG_EQUILIBRIUM
    kind = "" if stuck else failure_sentence(witness)
    if kind:
        yield from inset(kind)
    regret = number(witness.verified.regret * scale)
    costly = chain(names, witness.prediction) if stuck or witness.failure == TIE else "the scores"
    yield from inset(
        f"An optimal order is {chain(names, witness.better)}; {costly} cost{'s' * (costly != 'the scores')} "
        f"{regret} more, {percent(witness.normalized_regret)} of all preferences (normalized regret)."
    )
    yield from inset(certificate_line(witness))


def failure_sentence(witness: Witness) -> str:
    """How the scores fail, and whether that is proved of them alone; "" if they do not."""
    kind = witness.verified.failure
    if kind is None:
        return ""
    alone = "" if kind == TIE or holds_of_every_minimizer(witness.verified) else OF_THIS_ONE
    kinds = _KINDS if isinstance(witness.about, Distribution) else _OF_DECODERS
    return f"The failure is {kinds[kind]}{alone}."


def wrong_pairs(witness: Witness, scale: Fraction) -> Iterator[str]:
    """One sentence for each pair that the scores have wrong; differences times `scale`."""
    names = witness.distribution.items
    for i, j in witness.wrong_pairs:
        difference = number(witness.distribution.difference[i][j] * scale)
        if not witness.scores:
            yield f"{names[i]} is preferred to {names[j]} by {difference}, yet ranked below it."
            continue
        low, high = (decimal(witness.scores[k]) for k in (i, j))
        tied = witness.scores[i] == witness.scores[j]
        scored = "scored equal to it" if tied else f"scored below it ({low} < {high})"
        yield f"{names[i]} is preferred to {names[j]} by {difference}, yet {scored}."
    if witness.inconsistent and not witness.wrong_pairs and witness.distribution.m <= ALL_ORDERS:
        yield "Each pair is right in some optimal order, yet the order as a whole is not optimal."


def certificate_line(witness: Witness) -> str:
    """Why that is certain, in one sentence."""
    found = gap(witness)
    certificate = witness.proof.certificate
    if isinstance(certificate, Addition):
        pairs = f"{len(certificate.pairs)} pair{'' if len(certificate.pairs) == 1 else 's'}"
        return f"Certificate: addition; sums of comparisons order {pairs}, and the rest follows."
    if isinstance(certificate, Equilibrium):
        center = [f"{float(low + high) / 2:.4f}" for low, high in certificate.box]
        return (
            f"Certificate: equilibrium; the slopes of W are zero near the scores {', '.join(center)}, 0; "
            "this says nothing about its infimum. In floats, descent from equal scores ends there."
        )
    if found is None:
        return "Certificate: a minimum; the slopes at these scores add up to zero exactly."
    where = "in a best order" if witness.inconsistent else "in any other order"
    return (
        f"Certificate: separation; at all scores {where} the risk is higher than here, by at least {found}."
    )


def saved(digest: str, files: Mapping[str, Path]) -> Iterator[str]:
    """Where a witness lies and how to read it, if it was saved."""
    path = files.get(digest)
    if path is not None:
        yield f"  Saved as {path}"
        yield f"  Read the proof: consistency-lab show {quote(str(path))}"


def percent(share: Fraction) -> str:
    """A share in percent."""
    return f"{decimal(share * 100, 2)} %"


def gap(witness: Witness | None) -> str | None:
    """The certified gap of a separation as the file has it; a minimum has none."""
    value = None if witness is None else witness.document["proof"]["certificate"].get("gap")
    return None if value is None else str(value)


# --- A witness about a task as a person reads it ---------------------------------------------------------
# Labels, scores, two predictions and their expected losses.

_DIGITS: Final = 12

_OF_DECODERS: Final = {
    "strict": "strict: every prediction that the decoder may return here is worse",
    "tie": "a tie: the decoder may break it either way, and one way is wrong",
}


def means(witness: Witness) -> tuple[Real, ...] | None:
    """E f(y), where the risk is least at a function of it."""
    asked, surrogate = witness.asked, witness.asked.surrogate
    return surrogate.mean(asked.task, asked.weights) if isinstance(surrogate, MeanSurrogate) else None


def losses(witness: Witness) -> tuple[Real, Real]:
    """The expected losses of the prediction that the decoder may return, and of the better one."""
    weights, expected = witness.asked.weights, witness.asked.task.expected_loss
    return expected(weights, witness.prediction), expected(weights, witness.better)


def _on_labels(title: str, witness: Witness) -> Iterator[Line]:
    """Labels with probabilities, scores, what is wrong, and why that is certain."""
    asked, task, costs = witness.asked, witness.asked.task, losses(witness)
    count = len(asked.weights)
    yield from flush(f"{title}: {count} label{'s' if count > 1 else ''}")
    yield from _labels_and_scores(witness)
    yield from inset(_certificate(witness))
    decoder = DECODERS[asked.surrogate.decoder].title
    rows = [
        ["the decoder may return", task.prediction_text(witness.prediction), real(costs[0])],
        ["better", task.prediction_text(witness.better), real(costs[1])],
    ]
    yield f"  Expected losses (decoder: {decoder}):"
    yield from columns(rows, indent=4, right=[2])
    yield f"  Regret {regret_text(witness)}."
    yield from inset(failure_sentence(witness))


def regret_text(witness: Witness) -> str:
    """The difference of the expected losses, or a bound that is certainly below it."""
    left, right = losses(witness)
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return real(left - right)
    return f"at least {witness.document['proof']['regret']}"


def _scores(witness: Witness) -> list[tuple[str, tuple[str, ...]]]:
    """Rows about the scores, each with one text a coordinate."""
    if isinstance(witness.proof.certificate, Equilibrium):
        bounds = (*witness.proof.certificate.box, (Fraction(0), Fraction(0)))
        return [
            ("score from", tuple(_short(low) for low, _ in bounds)),
            ("to", tuple(_short(high) for _, high in bounds)),
        ]
    mean = means(witness)
    name, values = ("score", witness.scores) if mean is None else ("E f", mean)
    return [(name, tuple(map(real, values))), ("≈", tuple(map(rounded, values)))]


def _labels_and_scores(witness: Witness) -> Iterator[Line]:
    asked, task = witness.asked, witness.asked.task
    coordinates, scores = asked.surrogate.coordinates(task), _scores(witness)
    shown = tuple(asked.weights.items())[:SHOWN]
    if task.space.kind == "grades":
        rows = [["probability", *(f"item {i + 1}" for i in range(task.space.m))]]
        rows += [[real(p), *map(str, label)] for label, p in shown]
        if len(coordinates) == task.space.m:
            rows += [[name, *texts] for name, texts in scores]
            scores = []
        yield from columns(rows, indent=4, right=range(task.space.m + 1))
    else:
        yield from columns(
            [["probability", "label"], *([real(p), task.space.text(y)] for y, p in shown)], 4, [0]
        )
    if len(asked.weights) > len(shown):
        yield f"    ({len(asked.weights) - len(shown)} more labels are in the file)"
    if scores:
        names = [f"u_{name.replace(',', '')}" for name in coordinates]
        rows = [["score", *(name for name, _ in scores)]]
        rows += [list(row) for row in zip(names, *(texts for _, texts in scores), strict=True)][:SHOWN]
        yield from columns(rows, indent=4, right=range(1, len(scores) + 1))
        if len(names) > SHOWN:
            yield f"    ({len(names) - SHOWN} more scores follow from the file)"


def _short(bound: Fraction) -> str:
    """A bound in full if its decimal ends soon."""
    if bound.denominator == 1:
        return str(bound)
    text = decimal(bound, _DIGITS).rstrip("0").rstrip(".")
    return text if Fraction(text) == bound else f"≈{text}"


def _certificate(witness: Witness) -> str:
    if isinstance(witness.proof.certificate, Equilibrium):
        drawn = (
            "Scores nearby are drawn to it."
            if witness.verified.attracting
            else "It is not proved that scores nearby are drawn to it."
        )
        return (
            "The field is zero at some scores between these bounds (interval Newton test), and all scores "
            f"between them are in one order. {drawn} {sentence(bool(reached(witness.document)))}"
        )
    surrogate = witness.asked.surrogate
    if isinstance(surrogate, MeanSurrogate):
        return f"The risk is least at {LINKS[surrogate.link]}; f(y) is what the surrogate fits to a label."
    return "The risk is least at these scores: the slopes there add up to zero exactly."
