"""A witness about a prediction task as a proof in plain text."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

from consistency_lab.certify.minimizers import holds_of_every_minimizer
from consistency_lab.certify.proofs.task_proof import OF, LabelQuestion, named_field
from consistency_lab.certify.witness import Witness
from consistency_lab.core.certificates import Equilibrium, Minimum
from consistency_lab.core.document import STRICT, WRONG_EQUILIBRIUM
from consistency_lab.core.risk import Atom, Direction, LogSumExp, Max, PhiAtom, Slope, total
from consistency_lab.model.conditions import TASK_CONDITIONS
from consistency_lab.model.labels import Label, Weights
from consistency_lab.model.surrogates.tasks.base import FEATURES, MeanSurrogate
from consistency_lab.model.tasks.catalogue import DEFINITIONS
from consistency_lab.model.tasks.task import PRECISION, Prediction, Task
from consistency_lab.numbers.exact import LogRational, working_precision
from consistency_lab.numbers.phi import exact_slopes
from consistency_lab.numbers.tape import Real
from consistency_lab.show.text import (
    Line,
    as_decimal,
    combination,
    compact,
    decimal,
    guarded,
    listed,
    paragraph,
    quoted,
    score_rows,
    short,
    tabular,
    ticked,
    tight,
    typed,
)

# --- Whether training from zero scores ends at an equilibrium --------------------------------------------
# Recomputed in floats, and proved by nothing.


def reached(document: Mapping[str, Any]) -> bool | None:
    """Whether the flow from zero ends in the box of an accepted proof; None if it is about no known field."""
    proof, named = document["proof"], document["named"]
    if proof["claim"] != WRONG_EQUILIBRIUM or "labels" not in named or "surrogate" not in named:
        return None
    from consistency_lab.search.flow import reached_from_zero

    known = named_field(named["surrogate"])
    if known is None:
        return None
    probabilities = [Fraction(label["probability"]) for label in proof["labels"]]
    weights = dict(zip(map(tuple, named["labels"]), probabilities, strict=True))
    box = [(Fraction(low), Fraction(high)) for low, high in proof["certificate"]["box"]]
    return reached_from_zero(known, weights, box)


def sentence(reached_it: bool) -> str:
    """Whether training from zero reached it, which is no proof."""
    return f"Reached from zero scores: {'yes' if reached_it else 'no'} (in floating point)."


# --- What the sections of a proof about a task share: words for its parts --------------------------------

SHOWN: Final = 12
"""More labels, or scores, than this are left to the file."""


def _shown(weights: Weights) -> list[tuple[Label, Fraction]]:
    """The labels that tables have a row for: the most probable ones if there are many."""
    entries = list(weights.items())
    if len(entries) <= SHOWN:
        return entries
    return sorted(entries, key=lambda entry: -entry[1])[:SHOWN]


def _words(task: Task, prediction: Prediction) -> str:
    """A prediction in words."""
    kind = task.space.kind
    if kind in ("classes", "rows"):
        return f"{'class' if kind == 'classes' else 'column'} {prediction[0] + 1}"
    return f"`{task.prediction_text(prediction)}`"


def _table(
    asked: LabelQuestion, heads: Sequence[str], row: Callable[[Label], Sequence[str]], last: Sequence[str]
) -> Iterator[Line]:
    """A row for each label shown, with its probability, and a last row of sums over all labels."""
    rows, shown = [["label", "probability", *heads]], _shown(asked.weights)
    rows += [[_label(asked.task, label), ticked(compact(weight)), *row(label)] for label, weight in shown]
    rest = len(asked.weights) - len(shown)
    if rest:
        rows.append([f"({rest} more labels)", *[""] * (len(heads) + 1)])
    rows.append(["sum of probability times entry", "", *last])
    yield from tabular(rows, 5, range(1, len(heads) + 2))


def _label(task: Task, label: Label) -> str:
    """A label as a formula, unless it is a row of grades."""
    text = task.space.text(label)
    return text if re.fullmatch(r"[\w(), ]+", text) else f"`{text}`"


def real(x: Real) -> str:
    """A number; six decimals of it where it is not known to be rational."""
    return compact(x) if isinstance(x, Fraction) else decimal(float(x))


# --- The condition, and what the certificate means for the target loss -----------------------------------


def condition(witness: Witness) -> Iterator[Line]:
    """What the conditions ask that were recomputed. Nothing if none was."""
    for called in _conditions(witness):
        word, _, f = called.partition(OF)
        about = f", `f = {FEATURES[f].formula}`" if f in FEATURES else ""
        what = f": `{TASK_CONDITIONS[word].words}`{about}" if word in TASK_CONDITIONS else ""
        yield from paragraph(f"{called} holds at this distribution (recomputed exactly){what}.")


def _conditions(witness: Witness) -> list[str]:
    return [called for called, holds in witness.verified.conditions.items() if holds and called != "any"]


def failure(witness: Witness) -> Iterator[Line]:
    """The regret, the kind of failure, and the claim."""
    verified, task = witness.verified, witness.asked.task
    better = _words(task, witness.better)
    if verified.failure == STRICT:
        yield from paragraph(
            f"Every prediction that the decoder may return has a larger expected loss than {better}: the "
            "prediction is wrong, however ties are broken."
        )
        if not holds_of_every_minimizer(verified):
            yield from paragraph("This is proved for this minimizer, not for every minimizer.")
    else:
        yield from paragraph(
            f"This is a tie: the decoder might also return something no worse than {better}, but nothing in "
            "the scores tells it to."
        )
    yield from paragraph(f"The regret is at least {witness.document['proof']['regret']}.")
    name, called = verified.called, _conditions(witness)
    under = f" under the condition {' and '.join(called)}" if called else ""
    if verified.claim == WRONG_EQUILIBRIUM:
        yield from paragraph(
            f"So the field {guarded(name)} can come to rest where its order is wrong for "
            f"{task.title}{under}. This says nothing about where a loss is least."
        )
        return
    yield from paragraph(
        f"So {guarded(name)} with the decoder {witness.asked.surrogate.decoder} is INCONSISTENT for "
        f"{task.title}{under}: its risk is least, or approaches its infimum, where the prediction is worse "
        "than another one (RAT13 Definition 1)."
    )


# --- The distribution of labels, and what the target loss says of the two predictions --------------------


def labels(witness: Witness) -> Iterator[Line]:
    """The labels and their probabilities."""
    task, weights = witness.asked.task, witness.asked.weights
    count, shown = len(weights), _shown(weights)
    m, grades = task.space.m, ", ".join(map(str, getattr(task.space, "grades", ())))
    what = {
        "grades": f"{m} items, a grade for each ({grades})",
        "rankings": f"{m} items, and labels that are rankings of them, best first",
        "dags": f"{m} items, and labels that are acyclic preferences among them",
        "classes": f"{m} classes, one of which is right",
        "rows": f"{m} labels, the rows of a loss matrix",
    }[task.space.kind]
    plural = "s" if count > 1 else ""
    yield from paragraph(f"{what[0].upper()}{what[1:]}; {count} label{plural} of positive probability:")
    rows = [["label", "probability"]]
    rows += [[_label(task, label), ticked(compact(weight))] for label, weight in shown]
    yield from tabular(rows, 5, [1])
    if len(shown) < count:
        yield from paragraph(f"These are the {len(shown)} most probable ones; the file has them all.")


def losses(witness: Witness) -> Iterator[Line]:
    """The loss of both predictions, label by label, and their means."""
    task, weights = witness.asked.task, witness.asked.weights
    entry = task.describe()
    formula = typed(DEFINITIONS[task.target].words.format_map(entry))
    yield from paragraph(f"Loss {task.target}: `{formula}`.")
    if entry.get("k") is not None:
        yield from paragraph(f"Positions after {entry['k']} do not count.")
    both = (witness.prediction, witness.better)
    yield from paragraph("The losses of two predictions:")
    with working_precision(PRECISION):

        def row(label: Label) -> Sequence[str]:
            return [ticked(real(task.loss(label, t))) for t in both]

        means = [task.expected_loss(weights, t) for t in both]
        yield from _table(
            witness.asked, [_words(task, t) for t in both], row, [ticked(real(x)) for x in means]
        )
        regret = means[0] - means[1]
        equal = "=" if isinstance(regret, Fraction) else "≈"
        yield from paragraph(
            f"So {_words(task, both[1])} is better than {_words(task, both[0])}, by "
            + tight(f"`{real(means[0])} - {real(means[1])} {equal} {real(regret)}`.")
        )
        if equal != "=":
            yield from paragraph("(Numbers with six decimals are rounded; the core has enclosed them.)")


# --- Decoders and minimizers in words, by their names in the format --------------------------------------

DECODERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "sort": "sorts the items by falling score",
        "argmax": "returns the class of the largest score",
        "diagonal": "sorts the items by falling `u_ii`",
        "linear": "returns the `t` that minimizes `⟨u, β_t⟩ + b_t`",
        "algorithm-1": "deletes the lightest edges of `(u_ij - u_ji)_+` until no cycle is left, and sorts",
    }
)

LINKS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "identity": "the mean `E f(y)` itself",
        "2x-1": "`2 E f(y) - 1`, coordinate by coordinate",
        "log": "`log E f_i(y)`, up to a constant (minus infinity where the mean is 0)",
        "logit": "`log(t/(1 - t))` with `t = E f_i(y)`",
        "limit": "no scores: its infimum is approached far out, in the orders that are decoded from `E f(y)`",
    }
)
"""What the minimizer of a mean family is."""


# --- Where the surrogate leads: a mean, a minimum, or an equilibrium of a field --------------------------

_WIDEST: Final = 6
"""More coordinates than this do not fit into a row."""

_TERMS: Final = 40
"""More summands than this are left to the file."""


def minimum(witness: Witness) -> Iterator[Line]:
    """The loss, its certificate, and what the decoder makes of the scores."""
    entry, decoder = witness.document["named"]["surrogate"], witness.asked.surrogate.decoder
    formula = typed(guarded(witness.asked.surrogate.formula))
    called = (
        entry["name"] if entry["family"] == entry["name"] else f"{entry['name']} (family {entry['family']})"
    )
    certificate = witness.proof.certificate
    field = "the gradient field " if isinstance(certificate, Equilibrium) else ""
    yield from paragraph(f"Surrogate {guarded(called)}: {field}`{formula}`.")
    if isinstance(witness.asked.surrogate, MeanSurrogate):
        yield from _mean(witness, witness.asked.surrogate)
    if isinstance(certificate, Minimum):
        yield from _stationary(witness, certificate)
    if isinstance(certificate, Equilibrium):
        yield from _equilibrium(witness, certificate)
    yield from paragraph(
        f"The decoder {decoder} {DECODERS[decoder]}; it may return "
        f"{_words(witness.asked.task, witness.prediction)}."
    )


def _mean(witness: Witness, surrogate: MeanSurrogate) -> Iterator[Line]:
    shape = "not convex" if surrogate.link == "limit" else "convex"
    yield from paragraph(f"It is {shape}, and its risk is least at {LINKS[surrogate.link]}.")
    task = witness.asked.task
    means = surrogate.mean(task, witness.asked.weights)
    names = [name.replace(",", "") for name in surrogate.coordinates(task)]
    if len(means) > _WIDEST:
        yield from paragraph("The means `E f(y)`:")
        yield from tabular(
            [[f"`E f_{quoted(name)}`", "`=`", ticked(real(x))] for name, x in zip(names, means, strict=True)],
            5,
            head=False,
        )
        return
    yield from paragraph("The features `f(y)` and their means:")
    yield from _table(
        witness.asked,
        [f"`f_{quoted(name)}`" for name in names],
        lambda label: [ticked(real(x)) for x in surrogate.vector(task, label)],
        [ticked(real(x)) for x in means],
    )


def _stationary(witness: Witness, certificate: Minimum) -> Iterator[Line]:
    scores = witness.proof.scores
    assert scores is not None
    yield from paragraph("Scores:")
    yield from score_rows([f"u_{i + 1}" for i in range(len(scores))], scores)
    yield from paragraph(
        "The risk is convex, so it is least where the gradients of its summands add up to zero. With the "
        "probabilities of the labels these are, along each score:"
    )
    summands = list(zip(witness.verified.atoms, certificate.slopes, strict=True))
    gradients = [atom.gradient(slope, scores) for atom, slope in summands]
    parts = list(zip(summands, gradients, strict=True))[:_TERMS]
    rows = [["summand", "slope", *(f"`u_{quoted(name)}`" for name in witness.proof.coordinates)]]
    rows += [[*_summand(witness, *pair, scores), *_entries(part, len(scores))] for pair, part in parts]
    if len(summands) > len(parts):
        rest = total(gradients[len(parts) :])
        rows.append([f"({len(summands) - len(parts)} more)", "", *_entries(rest, len(scores))])
    rows.append(["sum", "", *_entries(total(gradients), len(scores))])
    yield from tabular(rows, 5, range(2, len(scores) + 2))
    if any(isinstance(atom, LogSumExp) for atom, _ in summands):
        yield from paragraph(
            "A log-sum-exp has the slopes `exp(u_i)/sum_j exp(u_j)`, which are rational here."
        )
    yield from paragraph("So the scores minimize the risk.")


def _entries(direction: Direction, d: int) -> list[str]:
    by_coordinate = dict(direction)
    return [ticked(compact(by_coordinate.get(k, Fraction(0)))) for k in range(d)]


def _summand(witness: Witness, atom: Atom, slope: Slope, scores: Sequence[LogRational]) -> tuple[str, str]:
    """A summand of the risk, and the slope that is taken of it."""
    names, c = witness.proof.coordinates, "" if atom.c == 1 else f"{compact(atom.c)} "
    factor = "" if atom.c == 1 else f"{ticked(compact(atom.c))} "
    match atom:
        case PhiAtom():
            parts = sorted(atom.v, key=lambda entry: -entry[1])
            inner = combination((n, f"u_{quoted(names[k])}") for k, n in parts)
            inner += f" - ({atom.b})" if atom.b.sign() else ""
            point = atom.at(scores)
            left, right = exact_slopes(atom.phi, point)
            chosen = "" if left == right else f", chosen in `[{left}, {right}]`"
            return f"`{c}φ({inner})`", f"{ticked(str(slope))} at {ticked(short(point))}{chosen}"
        case LogSumExp():
            over = listed([f"`u_{quoted(names[k])}`" for k in atom.over])
            return f"{factor}log sum exp over {over}", ""
        case Max():
            weights = slope if isinstance(slope, tuple) else ()
            told = listed([ticked(str(weight)) for weight in weights])
            return f"{factor}maximum of {len(atom.pieces)} pieces", f"weights {told}"
        case _:
            return "linear part", ""


def _equilibrium(witness: Witness, certificate: Equilibrium) -> Iterator[Line]:
    entry = {k: v for k, v in witness.document["named"]["surrogate"].items() if k not in ("family", "name")}
    words = {k: str(v).lower() if v is None or isinstance(v, bool) else str(v) for k, v in entry.items()}
    values = (x if re.fullmatch(r"[-\d./]+", x) else quoted(x) for x in words.values())
    parameters = ", ".join(f"`{quoted(key)} = {value}`" for key, value in zip(words, values, strict=True))
    yield from paragraph(f"Its parameters: {parameters}.")
    yield from paragraph(
        "The field vanishes somewhere in this box (a Newton step of all its points, with enclosures, stays "
        "inside), and all over it the scores have one order; the last score is 0:"
    )
    ends = ([ticked(as_decimal(x).lstrip("=≈ ")) for x in interval] for interval in certificate.box)
    rows = [[f"`u_{i}`", "from", low, "to", high] for i, (low, high) in enumerate(ends, start=1)]
    yield from tabular(rows, 5, [2, 4], head=False)
    yield from paragraph(
        "Gradient descent in the scores is drawn to that point from all over the box."
        if certificate.attracting
        else "It is not proved that gradient descent in the scores is drawn to that point."
    )
    yield from paragraph(sentence(bool(reached(witness.document))))


ON_TASKS: Final[tuple[tuple[str, Callable[[Witness], Iterator[Line]]], ...]] = (
    ("Labels", labels),
    ("What the target loss asks for", losses),
    ("The condition", condition),
    ("The surrogate and its scores", minimum),
    ("What follows", failure),
)
"""What is said where the names of a proof about a task were recomputed."""
