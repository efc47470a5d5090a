"""What systems without a solution, and links to a target, are called, recomputed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, Final, TypeVar

from consistency_lab.certify.proofs.names import named_surrogate
from consistency_lab.certify.proofs.record import Entry, Named, Told, agrees, atom_entries
from consistency_lab.core.document import INCONSISTENT
from consistency_lab.core.inequalities import System
from consistency_lab.core.reading import count, name, record
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import CONDITIONS, cone, orientations_for
from consistency_lab.model.posets import Cone, LinearForm, Relation, form, net_gap, orientations
from consistency_lab.model.surrogates import LinearSurrogate, RegressionSurrogate
from consistency_lab.numbers.balls import shown
from consistency_lab.numbers.phi import parse

# Where the minimizer orders the items by their net preferences N_i = sum_j d_ij (DMJ10 Eq. 15), a surrogate
# fails at an acyclic d if and only if some edge (i, k) of the difference graph has N_k >= N_i (DMJ10 Theorem
# 13). For each shape of the graph and each edge this is a system in d >= 0:
#
#     the equalities and inequalities of the condition,  d_ik >= 1,  N_i - N_k <= 0.
#
# A proof lists one system for each, in the order of `shape_edges`, and as many of its rows as needed. If that
# part has no solution, the whole has none.

MAX_SHAPE_ITEMS: Final = 5
"""Most items: the number of shapes grows faster than m!."""

_HALF_SQUARE: Final = parse("x**2/2")

Weighted = Sequence[tuple[Fraction, LinearForm]]


@frozen
class ShapeEdge:
    """One shape of the difference graph on m items, and one of its edges."""

    m: int
    relation: Relation
    edge: tuple[int, int]
    rows: Cone

    @property
    def gap(self) -> LinearForm:
        """N_i - N_k."""
        return net_gap(*self.edge, self.m)

    @property
    def positive(self) -> list[LinearForm]:
        """Forms that are positive in this case, and so may be scaled to at least 1."""
        return [form({self.edge: 1}), *(row for row in self.rows.strict if row == self.gap)]

    def vector(self, row: LinearForm, sign: int = 1) -> tuple[Fraction, ...]:
        """A form as a row of coefficients of d_12, d_13, ..., d_23, ..."""
        return tuple(sign * row.get(pair, Fraction(0)) for pair in combinations(range(self.m), 2))

    def has(self, system: System) -> bool:
        """Whether every row of the system is one of this case."""
        zero, below = Fraction(0), Fraction(-1)
        upper = {(self.vector(row, -1), zero) for row in self.rows.inequalities}
        upper |= {(self.vector(row, -1), below) for row in self.positive}
        upper.add((self.vector(self.gap), zero))
        equal = {self.vector(row) for row in self.rows.equalities}
        return (
            set(zip(system.rows, system.right, strict=True)) <= upper
            and set(system.equal_rows) <= equal
            and not any(system.equal_right)
        )

    def entry(self, equalities: Weighted, inequalities: Weighted) -> Entry:
        """The system of a file, from N_i - N_k as a combination of the rows of the condition.

        At least one of the inequalities must be one of `positive`.
        """
        scaled = next(row for _, row in inequalities if row in self.positive)
        upper = [(weight, self.vector(row, -1), -1 if row is scaled else 0) for weight, row in inequalities]
        upper.append((Fraction(1), self.vector(self.gap), 0))
        return {
            "rows": [list(map(str, row)) for _, row, _ in upper],
            "right": [str(b) for *_, b in upper],
            "equal_rows": [list(map(str, self.vector(row))) for _, row in equalities],
            "equal_right": ["0" for _ in equalities],
            "y": [str(weight) for weight, *_ in upper],
            "z": [str(-weight) for weight, _ in equalities],
        }


def shape_edges(condition: str, largest: int) -> Iterator[ShapeEdge]:
    """Every shape up to relabeling and every edge, for 2 to `largest` items."""
    for m in range(2, largest + 1):
        for relation in orientations_for(condition, m) or orientations(m):
            rows = cone(condition, relation, m)
            for edge in sorted(relation):
                yield ShapeEdge(m, relation, edge, rows)


def check_systems(value: object, systems: Sequence[System]) -> Named:
    """Recompute the condition, the number of items and the surrogate of a file of systems."""
    fields = record(value, "named", (), ("condition", "items", "surrogate"))
    told: Told = []
    conditions: dict[str, bool] = {}
    if "items" in fields and "condition" not in fields:
        raise InputError("named.items says for how many items a condition is meant, and none is named")
    if "condition" in fields:
        condition = name(fields["condition"], "named.condition")
        largest = count(fields.get("items"), "named.items")
        known = condition in CONDITIONS and CONDITIONS[condition].shapes and 2 <= largest <= MAX_SHAPE_ITEMS
        if known:
            _check_cases(condition, largest, systems)
            conditions[condition] = True
        told.append((f"{condition} for 2 to {largest} items", bool(known)))
    called = None
    if "surrogate" in fields:
        called, built = named_surrogate(fields["surrogate"])
        # For these the minimizer is N, or N / nu; for others a theorem says that it orders by N.
        halves = type(built) is LinearSurrogate and built.r == _HALF_SQUARE
        told.append((called, halves or type(built) is RegressionSurrogate))
    return Named.of(told, called, conditions)


def _check_cases(condition: str, largest: int, systems: Sequence[System]) -> None:
    expected = list(shape_edges(condition, largest))
    if len(expected) != len(systems):
        raise RejectedError(
            f"{condition} for 2 to {largest} items has {len(expected)} cases, and {len(systems)} systems "
            "are given"
        )
    for number, (case, system) in enumerate(zip(expected, systems, strict=True), start=1):
        if len(system.rows) != len(system.right) or not case.has(system):
            shape = shown(sorted(case.relation))
            raise RejectedError(f"system {number} is not that of the edge {case.edge} in the shape {shape}")


def systems_entry(entries: Sequence[Entry]) -> Entry:
    """The ``proof`` entry of a file of systems."""
    return {"claim": "infeasible", "systems": list(entries)}


def systems_names(surrogate: Mapping[str, object], condition: str, items: int) -> Entry:
    """The ``named`` entry of such a file."""
    return {"surrogate": dict(surrogate), "condition": condition, "items": str(items)}


# --- Links to a target ------------------------------------------------------------------------------------


def check_link_names(value: object, proof: Mapping[str, object]) -> Named:
    """Rebuild the surrogate, the target and the condition that a file names; compare them with the proof.

    A name that this version does not know says nothing. RejectedError if a known one is false.
    """
    from consistency_lab.model.polyhedral import condition_cones, polyhedral, target_losses

    fields = record(value, "named", (), ("surrogate", "target", "condition"))
    told: Told = []
    conditions: dict[str, bool] = {}
    called = psi = None
    if "surrogate" in fields:
        entry, where = record(fields["surrogate"], "named.surrogate", ("name", "size")), "named.surrogate"
        called, size = name(entry["name"], f"{where}.name"), count(entry["size"], f"{where}.size")
        psi = _known(lambda: polyhedral(str(called), size))
        told.append((called, psi is not None))
    listed: list[int] = []
    if psi is not None:
        labels = [{"psi": atom_entries(atoms, psi.coordinates)} for atoms in psi.psi]
        every = [*range(len(labels))]
        # Only a distribution leaves labels out; what is proved of all distributions lists all labels.
        listed = _listed(proof["labels"], labels, psi.name) if proof["claim"] == INCONSISTENT else every
        derived = {"coordinates": psi.coordinates, "labels": [labels[k] for k in listed]}
        agrees(proof, derived, f"for the surrogate {psi.name}, proof")
    if "target" in fields:
        word = name(fields["target"], "named.target")
        losses = None if psi is None else _known(lambda: target_losses(psi, word))
        told.append((word, losses is not None))
        if losses is not None:
            rows = [{"losses": losses.rows[k]} for k in listed]
            derived = {"predictions": losses.predictions, "labels": rows}
            agrees(proof, derived, f"for the target {word}, proof")
    if "condition" in fields:
        word = name(fields["condition"], "named.condition")
        cones = None if psi is None else _known(lambda: condition_cones(psi, word))
        told.append((word, cones is not None))
        if cones is not None:
            told_of = [{"at_least": one.at_least, "positive": one.positive} for one in cones]
            stated = proof.get("cones", [{"at_least": [], "positive": []}])
            agrees(stated, told_of, f"for the condition {word}, proof.cones")
            conditions[word] = True
    return Named.of(told, called, conditions)


def _listed(stated: Any, labels: Sequence[Mapping[str, Any]], called: str) -> list[int]:
    """Which labels a proof lists: all, or those with a probability, in their order."""
    if len(stated) >= len(labels):
        return [*range(len(labels))]
    found: list[int] = []
    for number, label in enumerate(stated):
        left = range(found[-1] + 1 if found else 0, len(labels))
        found += [next((k for k in left if _is(label, labels[k])), len(labels))]
        if found[-1] == len(labels):
            raise RejectedError(f"the surrogate {called} has no label such as proof.labels[{number}]")
    return found


def _is(stated: object, derived: Mapping[str, Any]) -> bool:
    try:
        return agrees(stated, derived, "a label")
    except RejectedError:
        return False


_Known = TypeVar("_Known")


def _known(build: Callable[[], _Known]) -> _Known | None:
    try:
        return build()
    except InputError:
        return None
