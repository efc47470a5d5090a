"""Proofs whose names are not known here: losses, features and cells as the file lists them."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from consistency_lab.core.document import KnownMean, Proof
from consistency_lab.core.reals import Real, times, total
from consistency_lab.core.risk import Atom
from consistency_lab.report.text import Line, chain, columns, decimal, paragraph

_SHOWN: Final = 12
"""More labels, numbers or predictions than this are left to the file."""

_LONGEST: Final = 12


def listed_losses(proof: Proof, entry: Mapping[str, Any]) -> Iterator[Line]:
    """The loss of each prediction at each label, and the means."""
    words = [
        word if isinstance(word, str) else chain(word, range(len(word))) for word in entry["predictions"]
    ]
    rows = [label.losses or () for label in proof.labels]
    yield from paragraph("Each label lists what predictions lose there:")
    yield from _table("loss of", words, rows, proof)


def known_mean(proof: Proof, certificate: KnownMean) -> Iterator[Line]:
    """The numbers of the labels, and their means, which say where the risk is least."""
    rows = [
        [x for x in label.psi if not isinstance(x, Atom)] if isinstance(label.psi, tuple) else []
        for label in proof.labels
    ]
    yield from paragraph(
        f"The risk is that of the row {certificate.risk!r} in core/known_mean.py; where it is least follows "
        "from the means of numbers f that the labels state:"
    )
    names = [str(k + 1) for k in range(len(rows[0]))]
    yield from _table("f", names, rows, proof)


def _table(what: str, heads: Sequence[str], rows: Sequence[Sequence[Any]], proof: Proof) -> Iterator[Line]:
    """A column a label, a row a number; the last column has the means."""
    shown = min(len(rows), _SHOWN)
    probabilities = [label.probability for label in proof.labels]
    lines = [["label", *(str(n + 1) for n in range(shown)), ""]]
    lines.append(["probability", *(_real(p) for p in probabilities[:shown]), "mean"])
    for k, head in enumerate(heads[:_SHOWN]):
        column = [row[k] for row in rows]
        mean = total(times(p, x) for p, x in zip(probabilities, column, strict=True))
        lines.append([f"{what} {head}", *map(_real, column[:shown]), _real(mean)])
    yield from columns(lines, 5, range(1, shown + 2))
    if len(rows) > shown or len(heads) > _SHOWN:
        yield from paragraph("The file has more of them.", 5)


def _real(x: Real) -> str:
    """An exact number if it is short, and else six decimals."""
    if isinstance(x, Fraction):
        text = str(x)
        return text if len(text) <= _LONGEST else f"≈{decimal(x)}"
    return f"≈{float(x.mid()):.6f}"
