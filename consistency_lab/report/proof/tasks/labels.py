"""The distribution of labels, and what the target loss says of the two predictions."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from consistency_lab.exact import working_precision
from consistency_lab.model.tasks.catalogue import DEFINITIONS
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.task import PRECISION
from consistency_lab.report.proof.tasks.case import TaskCase, compact, real
from consistency_lab.report.text import Line, columns, paragraph, tight


def labels(case: TaskCase) -> Iterator[Line]:
    """The labels and their probabilities."""
    count = len(case.distribution)
    task = case.question.task
    m, space = task.space.m, task.space.describe()
    what = {
        "grades": f"{m} items, a grade for each ({_grades(space)})",
        "rankings": f"{m} items, and labels that are rankings of them, best first",
        "dags": f"{m} items, and labels that are acyclic preferences among them",
        "classes": f"{m} classes, one of which is right",
        "rows": f"{m} labels, the rows of a loss matrix",
    }[task.space.kind]
    plural = "s" if count > 1 else ""
    yield from paragraph(f"{what[0].upper()}{what[1:]}; {count} label{plural} of positive probability:")
    rows = [["label", "probability"]]
    rows += [[case.label(label), compact(weight)] for label, weight in case.shown]
    yield from columns(rows, 5, [1])
    if len(case.shown) < count:
        yield from paragraph(f"These are the {len(case.shown)} most probable ones; the file has them all.")


def losses(case: TaskCase) -> Iterator[Line]:
    """The loss of both predictions, label by label, and their means."""
    task, weights = case.question.task, case.question.weights
    entry = task.describe()
    formula = DEFINITIONS[task.target].words.format_map(entry)
    yield from paragraph(f"Loss {task.target}: {formula}.")
    if entry.get("k") is not None:
        yield from paragraph(f"Positions after {entry['k']} do not count.")
    both = (case.predicted("prediction"), case.predicted("better"))
    yield from paragraph("The losses of two predictions:")
    with working_precision(PRECISION):

        def row(label: Label) -> Sequence[str]:
            return [real(task.loss(label, t)) for t in both]

        means = [task.expected_loss(weights, t) for t in both]
        yield from case.table([case.prediction(t) for t in both], row, [real(x) for x in means])
        regret = means[0] - means[1]
        equal = "=" if isinstance(regret, Fraction) else "≈"
        yield from paragraph(
            f"So {case.prediction(both[1])} is better than {case.prediction(both[0])}, by "
            + tight(f"{real(means[0])} - {real(means[1])} {equal} {real(regret)}.")
        )
        if equal != "=":
            yield from paragraph("(Numbers with six decimals are rounded; the core has enclosed them.)")


def _grades(space: Mapping[str, object]) -> str:
    grades = space.get("grades")
    return ", ".join(map(str, grades)) if isinstance(grades, list) else ""
