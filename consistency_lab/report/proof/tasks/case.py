"""What the sections of a proof about a task share: an accepted file, and words for its parts."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, final

from consistency_lab.core.document import Proof
from consistency_lab.model.tasks.labels import Label
from consistency_lab.model.tasks.real import Real
from consistency_lab.model.tasks.task import Prediction
from consistency_lab.proofs.elaboration import Question
from consistency_lab.proofs.record import VerifiedProof
from consistency_lab.report.text import Line, columns, decimal

SHOWN: Final = 12
"""More labels than this are left to the file."""

_LONGEST: Final = 12


@final
@dataclass(frozen=True)
class TaskCase:
    """An accepted proof whose names were recomputed.

    Parameters
    ----------
    document, verified
        As given to `explicit_proof`.
    question
        What the names mean.
    proof
        The proof.
    """

    document: Mapping[str, Any]
    verified: VerifiedProof
    question: Question
    proof: Proof

    @property
    def named(self) -> Mapping[str, Any]:
        """The names."""
        entry: Mapping[str, Any] = self.document["named"]
        return entry

    @property
    def distribution(self) -> tuple[tuple[Label, Fraction], ...]:
        """Labels with their probabilities."""
        return tuple(self.question.weights.items())

    @property
    def shown(self) -> tuple[tuple[Label, Fraction], ...]:
        """The labels that tables have a row for: the most probable ones if there are many."""
        entries = self.distribution
        if len(entries) <= SHOWN:
            return entries
        return tuple(sorted(entries, key=lambda entry: -entry[1])[:SHOWN])

    def predicted(self, key: str) -> Prediction:
        """The prediction of an entry, "prediction" or "better", as the task numbers it."""
        value = self.document["proof"][key]
        words = value if isinstance(value, list) else str(value).split(" > ")
        return tuple(int(word) - 1 for word in words)

    def label(self, label: Label) -> str:
        """A label in words, items numbered from 1."""
        return _LABELS[self.question.task.space.kind](label)

    def prediction(self, prediction: Prediction) -> str:
        """A prediction in words."""
        kind = self.question.task.space.kind
        if kind in ("classes", "rows"):
            return f"{'class' if kind == 'classes' else 'column'} {prediction[0] + 1}"
        return order(prediction)

    def table(
        self, heads: Sequence[str], row: Callable[[Label], Sequence[str]], last: Sequence[str]
    ) -> Iterator[Line]:
        """A row for each label shown, with its probability, and a last row of sums over all labels."""
        rows = [["label", "probability", *heads]]
        rows += [[self.label(label), compact(weight), *row(label)] for label, weight in self.shown]
        rest = len(self.distribution) - len(self.shown)
        if rest:
            rows.append([f"({rest} more labels)", *[""] * (len(heads) + 1)])
        rows.append(["sum of probability times entry", "", *last])
        yield from columns(rows, 5, range(1, len(heads) + 2))


def order(items: Sequence[int]) -> str:
    """An order of items, numbered from 1."""
    return " > ".join(str(item + 1) for item in items)


def real(x: Real) -> str:
    """A number; six decimals of it where it is not known to be rational."""
    return compact(x) if isinstance(x, Fraction) else decimal(float(x))


def compact(x: Fraction) -> str:
    """A rational in a table: the exact number if it is short, and else a decimal marked as one."""
    text = str(x)
    return text if len(text) <= _LONGEST else f"≈{decimal(x)}"


def _grades(label: Label) -> str:
    return f"({', '.join(map(str, label))})"


def _edges(label: Label) -> str:
    pairs = zip(label[::2], label[1::2], strict=True)
    return ", ".join(f"{i + 1} → {j + 1}" for i, j in pairs) or "no preference"


_LABELS: Final[Mapping[str, Callable[[Label], str]]] = MappingProxyType(
    {
        "grades": _grades,
        "rankings": order,
        "dags": _edges,
        "classes": lambda label: f"class {label[0] + 1}",
        "rows": lambda label: f"row {label[0] + 1}",
    }
)
