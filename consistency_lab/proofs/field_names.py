"""Names of gradient fields beside a proof: traced again from the tables, and compared.

The same formula may be written out differently by another version, and no one can decide whether two programs
are the same function. So programs that are not equal are compared by what they prove: they must not certainly
differ at the middle and the corners of the box, and the field of that name must itself vanish in the box, and
attract there if the proof says so. Then what the file says is so of the field that it names.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import islice, product
from typing import Final

from consistency_lab.core.document import Equilibrium, Proof
from consistency_lab.core.field import MOST_SLOPES, Box, Program, check_equilibrium
from consistency_lab.core.messages import shown
from consistency_lab.core.orders import Order
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.exact import enclose, working_precision
from consistency_lab.model.surrogates.tasks.fields import FIELDS, GradientField
from consistency_lab.model.tasks.labels import MOST_ITEMS, Label

_BITS: Final = 256
_CORNERS: Final = 16
"""Most corners of a box that are looked at."""


def named_field(entry: Mapping[str, object]) -> GradientField | None:
    """The field that a ``surrogate`` entry of the family "field" means; None if it is not known here.

    Raises
    ------
    RejectedError
        If library and objective are not those of the name, or a parameter has no value that it may have.

    Examples
    --------
    >>> from consistency_lab.model.surrogates.tasks.fields import field
    >>> named_field(field("lightgbm:lambdarank").describe()) == field("lightgbm:lambdarank")
    True
    """
    called = str(entry.get("name"))
    found = FIELDS.get(called)
    if found is None:
        return None
    if (entry.get("library"), entry.get("objective")) != (found.library, found.objective):
        raise RejectedError(f"library and objective are not those of the field {shown(repr(called))}")
    values = {
        key: value for key, value in entry.items() if key not in ("family", "name", "library", "objective")
    }
    if set(values) != set(found.parameters):
        return None
    try:
        return found.with_parameters(**values)
    except InputError as error:
        raise RejectedError(f"the field {shown(repr(called))} has no such parameters: {error}") from None


def check_field(field: GradientField, labels: Sequence[Label], proof: Proof) -> bool:
    """Whether the programs of a proof are recomputed to be those of the field, or to prove the same of it.

    Parameters
    ----------
    field
        What the file names.
    labels
        The grades of each label, in the order of the proof.
    proof
        A proof that the core has accepted.

    Raises
    ------
    RejectedError
        If a program is certainly not that of the field, or a label is not one that the field takes.
    """
    certificate, order = proof.certificate, proof.prediction
    if not isinstance(certificate, Equilibrium) or not isinstance(order, tuple):
        raise RejectedError(f"{field.name} is a gradient field, and the proof is about none")
    m = len(proof.coordinates)
    if len(labels) != len(proof.labels):
        raise RejectedError(f"{len(labels)} labels are named, and the proof has {len(proof.labels)}")
    if any(len(label) != m or not 0 <= min(label) <= max(label) <= field.most for label in labels):
        raise RejectedError(f"the labels of {field.name} must be {m} grades each, from 0 to {field.most}")
    derived = _derived(field, labels, order)
    if derived is None:
        return False
    stated = [label.psi for label in proof.labels if isinstance(label.psi, Program)]
    for number, (mine, theirs) in enumerate(zip(derived, stated, strict=True), start=1):
        if mine != theirs and _differ(mine, theirs, certificate.box):
            raise RejectedError(f"the program of label {number} is not that of the field {field.name}")
    if derived == stated:
        return True
    weights = [label.probability for label in proof.labels]
    try:
        attracting = check_equilibrium(list(zip(weights, derived, strict=True)), order, certificate.box)
    except RejectedError:
        return False
    return attracting or not certificate.attracting


def _derived(field: GradientField, labels: Sequence[Label], order: Order) -> list[Program] | None:
    """The programs of the labels; None if they are more than a proof may have or than are traced here."""
    m = len(order)
    if m > MOST_ITEMS:
        return None
    found: list[Program] = []
    left = MOST_SLOPES // m
    for label in labels:
        found.append(field.piece(label, order).program(m))
        left -= len(found[-1].steps)
        if left < 0:
            return None
    return found


def _differ(mine: Program, theirs: Program, box: Box) -> bool:
    """Whether values or slopes of two programs certainly differ at the middle or at a corner of the box."""
    middle = tuple((low + high) / 2 for low, high in box)
    with working_precision(_BITS):
        return any(_differ_at(mine, theirs, point) for point in (middle, *islice(product(*box), _CORNERS)))


def _differ_at(mine: Program, theirs: Program, point: Sequence[Fraction]) -> bool:
    at = [enclose(x) for x in point]
    return any(
        not (
            x.value.overlaps(y.value) and all(a.overlaps(b) for a, b in zip(x.slopes, y.slopes, strict=True))
        )
        for x, y in zip(mine.run(at), theirs.run(at), strict=True)
    )
