"""Words, files and functions to a surrogate made of maxima of affine functions, and its target."""

import os
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from types import MappingProxyType
from typing import Final

from consistency_lab.core.embedding import Affine, dot, primitive, vertices
from consistency_lab.core.orders import Cells, read_cells
from consistency_lab.core.reading import array, name, read_names, record, row
from consistency_lab.data.matrix import read_matrix
from consistency_lab.data.text import csv_rows, located, read_text
from consistency_lab.errors import InputError
from consistency_lab.files import MAX_BYTES, read_json
from consistency_lab.model.polyhedral import Polyhedral, affine, cells_of, maxima, maximum, target_losses
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate
from consistency_lab.model.tasks.discrete import LossMatrix, matrix_of
from consistency_lab.model.tasks.task import Task
from consistency_lab.numbers.exact import ONE, ZERO, rational
from consistency_lab.numbers.exact.linear import common_denominator, integer_rank

# --- Losses of this package that are sums of maxima -------------------------------------------------------


def of_task(surrogate: AtomSurrogate, task: Task) -> tuple[Polyhedral, LossMatrix]:
    """A surrogate of labels, and the losses of its target."""
    surrogate.check(task)
    matrix = matrix_of(task)
    psi = tuple(maxima(surrogate.name, surrogate.atoms(task, label)) for label in task.space.labels)
    coordinates = surrogate.coordinates(task)
    return Polyhedral(surrogate.name, coordinates, matrix.labels, psi, task.space.m), matrix


# --- Surrogates that are made of a loss matrix ------------------------------------------------------------


def structured(losses: LossMatrix) -> Polyhedral:
    """max over t of loss(y, t) + u_t - u_y, for a square matrix of losses."""
    n = len(losses.predictions)
    if losses.labels != losses.predictions:
        raise InputError(
            "a structured hinge has one score for each label; the predictions must be the labels"
        )
    rows = losses.rows
    psi = tuple(
        (maximum(*(affine({t: 1, y: -1} if t != y else {}, rows[y][t]) for t in range(n))),) for y in range(n)
    )
    return Polyhedral("structured-hinge", losses.predictions, losses.labels, psi, n)


def bayes_hinge(losses: LossMatrix) -> Polyhedral:
    """max over p of <p, u> + h(p), less u_y, with h(p) the least mean loss at p, for any matrix of losses."""
    # Its least risk is h(p), so it embeds the losses that are alone optimal somewhere (Finocchiaro, Frongillo
    # and Waggoner 2022). The maximum is attained where the pieces of h on the simplex have their corners.
    n, columns = len(losses.labels), list(zip(*losses.rows, strict=True))
    ends = [tuple(ONE * (k == y) for k in range(n)) for y in range(n)]
    walls = [tuple(a - b for a, b in zip(s, t, strict=True)) for s, t in combinations(columns, 2)]
    # With p_n = 1 - (p_1 + ... + p_{n-1}) a form in p is affine in the others.
    forms = [(*(x - row[-1] for x in row[:-1]), row[-1]) for row in (*ends, *walls)]
    points = [(*p, 1 - sum(p, ZERO)) for p in vertices({primitive(one) for one in forms if any(one[:-1])})]
    pieces = []
    for p in (p for p in points if min(p) >= 0):
        means = [dot(column, p) for column in columns]
        least = min(means)
        best = [column for column, mean in zip(columns, means, strict=True) if mean == least]
        active = [[a - b for a, b in zip(column, best[0], strict=True)] for column in best[1:]]
        active += [list(ends[y]) for y in range(n) if not p[y]]
        if integer_rank(common_denominator([[ONE] * n, *active])[0]) == n:
            pieces.append((p, least))
    psi = tuple(
        (maximum(*(affine({k: q - (k == y) for k, q in enumerate(p)}, least) for p, least in pieces)),)
        for y in range(n)
    )
    return Polyhedral("bayes-hinge", losses.labels, losses.labels, psi, n)


MADE_OF_LOSSES: Final[Mapping[str, Callable[[LossMatrix], Polyhedral]]] = MappingProxyType(
    {"structured-hinge": structured, "bayes-hinge": bayes_hinge}
)
"""Surrogates that are made of a loss matrix."""


# --- Losses in files and lists ----------------------------------------------------------------------------


def of_rows(
    called: str,
    coordinates: Sequence[str],
    labels: Mapping[str, Sequence[Sequence[tuple[Sequence[object], object]]]],
) -> Polyhedral:
    """A surrogate from lists: for each label its maxima, each a list of pieces (numbers, constant)."""
    for names, what in ((coordinates, "coordinates"), (labels, "labels")):
        if not names:
            raise InputError(f"{called} has no {what}")
    psi = tuple(
        tuple(maximum(*(_piece(called, coordinates, *piece) for piece in pieces)) for pieces in maxima)
        for maxima in labels.values()
    )
    if any(not atom.pieces for atoms in psi for atom in atoms):
        raise InputError(f"{called} has a maximum without pieces")
    return Polyhedral(called, tuple(coordinates), tuple(labels), psi)


def _piece(called: str, coordinates: Sequence[str], numbers: Sequence[object], constant: object) -> Affine:
    if len(numbers) != len(coordinates):
        raise InputError(
            f"{called} has a piece with {len(numbers)} numbers; it needs {len(coordinates)}, one a coordinate"
        )
    exact = [rational(x if isinstance(x, int | Fraction) else str(x), called) for x in (*numbers, constant)]
    return affine(dict(enumerate(exact[:-1])), exact[-1])


def read_surrogate(path: str | os.PathLike[str]) -> Polyhedral:
    """Read a surrogate from a file.

    JSON: ``{"coordinates": ["a", "b"], "labels": {"y": [[[["1", "-1"], "0"], ...], ...]}}``: for each label a
    list of maxima, each a list of pieces, each the factors of the coordinates and a constant. CSV: a row a
    piece, under the head ``label,max,constant,`` and the names of the coordinates; rows with the same label
    and the same entry of ``max`` are the pieces of one maximum.
    """
    called = Path(path).stem
    if str(path).lower().endswith(".json"):
        with located(os.fspath(path)):
            fields = record(read_json(path), "the surrogate", ("coordinates", "labels"))
            if not isinstance(fields["labels"], dict):
                raise InputError("labels must be an object: for each label its maxima")
            pieces = {label: array(value, label, _maximum_entry) for label, value in fields["labels"].items()}
            return of_rows(called, array(fields["coordinates"], "coordinates", name), pieces)
    lines = [cells for _, cells in csv_rows(os.fspath(path), read_text(path, "surrogate", MAX_BYTES))]
    head = [cell.strip() for cell in lines[0]] if lines else []
    if head[:3] != ["label", "max", "constant"] or len(head) < 4:
        raise InputError(f"{path} needs the head label,max,constant, and then one column for each coordinate")
    found: dict[str, dict[str, list[tuple[Sequence[object], object]]]] = {}
    for number, cells in enumerate(lines[1:], start=2):
        if len(cells) != len(head):
            raise InputError(f"{path}, row {number} has {len(cells)} cells; expected {len(head)}")
        label, which, constant, *numbers = cells
        found.setdefault(label, {}).setdefault(which, []).append((numbers, constant))
    with located(os.fspath(path)):
        return of_rows(called, head[3:], {label: list(maxima.values()) for label, maxima in found.items()})


def _maximum_entry(value: object, where: str) -> Sequence[tuple[Sequence[object], object]]:
    def piece(value: object, where: str) -> tuple[Sequence[object], object]:
        numbers, constant = row(value, where, 2)
        if not isinstance(numbers, list):
            raise InputError(f"{where} must be the factors of the coordinates and a constant")
        return numbers, constant

    return array(value, where, piece)


def losses_for(psi: Polyhedral, target: str) -> LossMatrix:
    """A target by name, or from a CSV file whose rows are the labels of the surrogate in some order."""
    if not target.lower().endswith(".csv"):
        return target_losses(psi, target)
    matrix = read_matrix(target)
    if set(matrix.labels) == set(psi.labels):
        rows = dict(zip(matrix.labels, matrix.rows, strict=True))
        return LossMatrix(psi.labels, matrix.predictions, tuple(rows[label] for label in psi.labels))
    unnamed = matrix.labels == tuple(f"y{k + 1}" for k in range(len(matrix.labels)))
    if unnamed and len(matrix.rows) == len(psi.labels):
        return LossMatrix(psi.labels, matrix.predictions, matrix.rows)
    raise InputError(f"{target} must have one row for each of the labels {', '.join(psi.labels)[:200]}")


def decoder_of(psi: Polyhedral, losses: LossMatrix, called: str) -> Cells:
    """A decoder by name, or from a JSON file.

    ``{"t": [[[["1", "-1"], "0"], ...], ...], ...}``: for each prediction its cells, each a list of [row, b]
    with <row, u> + b >= 0; numbers are integers, or texts such as "1/2". Cells are closed, and
    ties may go either way.
    """
    if not called.lower().endswith(".json"):
        return cells_of(psi, losses, called)
    names = [read_names(list(one), what) for one, what in
             ((psi.coordinates, "coordinates"), (losses.predictions, "predictions"))]  # fmt: skip
    with located(called):
        cells = read_json(called)
        if not isinstance(cells, dict):
            raise InputError("the decoder must be an object: for each prediction its cells")
        return read_cells(*names)(_texts(cells), "the decoder")


def _texts(value: object) -> object:
    """JSON with each whole number as the text that an exact reader expects."""
    if isinstance(value, dict):
        return {key: _texts(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_texts(one) for one in value]
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value
