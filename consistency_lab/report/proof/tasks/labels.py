"""The distribution of labels, and what the target loss says of the two predictions."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from consistency_lab.core.reals import BITS, plus, times
from consistency_lab.exact import working_precision
from consistency_lab.kernel.tasks.labels import Label
from consistency_lab.model.tasks.catalogue import DEFINITIONS
from consistency_lab.report.proof.tasks.case import TaskCase, compact, real
from consistency_lab.report.text import Line, columns, paragraph, tight


def labels(case: TaskCase) -> Iterator[Line]:
    """The labels and their probabilities."""
    count = len(case.witness.distribution)
    m = case.verified.m
    space = case.document["target"]["labels"]
    what = {
        "grades": f"{m} items, a grade for each ({', '.join(map(str, space.get('grades', ())))})",
        "rankings": f"{m} items, and labels that are rankings of them, best first",
        "dags": f"{m} items, and labels that are acyclic preferences among them",
        "classes": f"{m} classes, one of which is right",
        "rows": f"{m} labels, the rows of a loss matrix",
    }[case.kind]
    plural = "s" if count > 1 else ""
    yield from paragraph(f"{what[0].upper()}{what[1:]}; {count} label{plural} of positive probability:")
    rows = [["label", "probability"]]
    rows += [[case.label(label), compact(weight)] for label, weight in case.shown]
    yield from columns(rows, 5, [1])
    if len(case.shown) < count:
        yield from paragraph(f"These are the {len(case.shown)} most probable ones; the file has them all.")


def losses(case: TaskCase) -> Iterator[Line]:
    """The loss of both predictions, label by label, and their means."""
    target, witness = case.witness.target, case.witness
    entry = case.document["target"]
    formula = DEFINITIONS[entry["loss"]].words.format_map(entry)
    yield from paragraph(f"Loss {entry['loss']}: {formula}.")
    if entry.get("k") is not None:
        yield from paragraph(f"Positions after {entry['k']} do not count.")
    both = (witness.prediction, witness.better)
    yield from paragraph("The losses of two predictions:")
    with working_precision(BITS):

        def row(label: Label) -> Sequence[str]:
            return [real(target.loss(label, t)) for t in both]

        means = [target.expected_loss(witness.p, t) for t in both]
        yield from case.table([case.prediction(t) for t in both], row, [real(x) for x in means])
        regret = plus(means[0], times(Fraction(-1), means[1]))
        equal = "=" if isinstance(regret, Fraction) else "≈"
        yield from paragraph(
            f"So {case.prediction(witness.better)} is better than {case.prediction(witness.prediction)}, by "
            + tight(f"{real(means[0])} - {real(means[1])} {equal} {real(regret)}.")
        )
        if equal != "=":
            yield from paragraph("(Numbers with six decimals are rounded; the kernel has enclosed them.)")
