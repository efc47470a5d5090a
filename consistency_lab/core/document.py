"""A proof as it stands in a file: plain data, nothing of which is believed yet."""

from fractions import Fraction
from typing import Final

from consistency_lab.core.certificates import KINDS, Certificate
from consistency_lab.core.equilibrium import Program
from consistency_lab.core.inequalities import Face, System, read_face, read_system
from consistency_lab.core.numbers import Real
from consistency_lab.core.orders import Decoder, Evidence, Order, Pair, Sort, read_cells, read_evidence
from consistency_lab.core.reading import (
    Names,
    Reader,
    check_denominators,
    decimal_or_fraction,
    entries,
    fraction,
    integer,
    just,
    log_rational,
    many,
    maybe,
    one_of,
    read_names,
    real,
    row,
    word,
    wrong,
)
from consistency_lab.core.risk import Atom
from consistency_lab.errors import InputError
from consistency_lab.exact import LogRational
from consistency_lab.frozen import frozen

Preferences = tuple[tuple[Pair, Fraction], ...]

INCONSISTENT: Final = "inconsistent"
CONSISTENT_AT_P: Final = "consistent-at-p"
WRONG_EQUILIBRIUM: Final = "wrong-equilibrium"
INFEASIBLE: Final = "infeasible"
STRICT: Final = "strict"
TIE: Final = "tie"

MAX_COORDINATES: Final = 1000
"""Most scores."""


@frozen
class Label:
    """A label: its probability, what predictions cost there, and what the surrogate is there."""

    probability: Fraction  #: Positive.
    #: For orders: (i, j) with the weight that an order with j above i pays; None if `losses` are given.
    prefers: Preferences | None
    #: The loss of each prediction that the file lists; None if `prefers` is given.
    losses: tuple[Real, ...] | None
    #: Convex atoms, features of a known mean, or the program of a field.
    psi: tuple[Atom, ...] | tuple[Real, ...] | Program

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The atoms that it adds to the risk."""
        return tuple(x for x in self.psi if isinstance(x, Atom)) if isinstance(self.psi, tuple) else ()

    @property
    def features(self) -> tuple[Real, ...]:
        """The numbers whose mean decides."""
        return tuple(x for x in self.psi if not isinstance(x, Atom)) if isinstance(self.psi, tuple) else ()


@frozen
class Proof:
    """A document of the right form."""

    claim: str
    coordinates: tuple[str, ...]
    predictions: tuple[Order | int, ...]
    decoder: Decoder
    labels: tuple[Label, ...]
    scores: tuple[LogRational, ...] | None
    direction: tuple[int, ...]
    prediction: Order | int | None
    better: Order | int | None
    failure: str | None
    regret: Fraction | None
    certificate: Certificate
    orders: Evidence | None
    extensions: Evidence | None
    universal: tuple[Face, ...] | None


def read_proof(value: object) -> Proof:
    """Read the ``proof`` entry of a file. The README of this folder has the form."""
    check_denominators(value)
    if not isinstance(value, dict):
        raise wrong(value, "proof", "an object")
    items = read_names(value.get("coordinates"), "coordinates")
    m = len(items.number)
    if not 1 <= m <= MAX_COORDINATES:
        raise InputError(f"coordinates has {m} entries; it must have 1 to {MAX_COORDINATES}")
    sorting = value.get("decoder") == "sort"
    listed = read_names([] if sorting else value.get("predictions"), "predictions")
    predict: Reader[Order | int] = items.order if sorting else listed.one
    found = entries(
        value,
        "proof",
        {
            "claim": word(INCONSISTENT, CONSISTENT_AT_P, WRONG_EQUILIBRIUM),
            "coordinates": just(tuple(items.number)),
            "labels": many(_label(items, value.get("certificate"))),
            "decoder": just(Sort()) if sorting else read_cells(items, listed),
            "scores": maybe(items.each(log_rational)),
            "certificate": _certificate(items),
        },
        {
            "predictions": many(predict),
            "direction": items.each(lambda x, at: integer(x, at, -m, m)),
            "prediction": predict,
            "better": predict,
            "failure": word(STRICT, TIE),
            "regret": decimal_or_fraction,
            "orders": read_evidence(items),
            "extensions": read_evidence(items),
            "universal": many(read_face(items)),
        },
    )
    if found["direction"] is not None and not any(found["direction"]):
        raise InputError("direction is 0 everywhere; leave it out")
    defaults = {"predictions": (), "direction": (0,) * m}
    proof = Proof(**found | {key: default for key, default in defaults.items() if found[key] is None})
    if len(set(proof.predictions)) < len(proof.predictions):
        raise InputError("predictions lists an order twice")
    return proof


def read_systems(value: object) -> tuple[System, ...]:
    """Read the ``proof`` entry of a file that claims that systems of inequalities have no solution."""
    check_denominators(value)
    found = entries(value, "proof", {"claim": word(INFEASIBLE), "systems": many(read_system)})
    systems: tuple[System, ...] = found["systems"]
    return systems


def _certificate(items: Names) -> Reader[Certificate]:
    def read(value: object, where: str) -> Certificate:
        entry = value if isinstance(value, dict) else {}
        kind = KINDS[one_of(entry.get("kind"), f"{where}.kind", KINDS)]
        return kind.read({key: x for key, x in entry.items() if key != "kind"}, where, items)

    return read


def _label(items: Names, certificate: object) -> Reader[Label]:
    """The reader of a label; the kind of certificate says what ``psi`` must be."""
    kind = certificate.get("kind") if isinstance(certificate, dict) else None
    psi = KINDS.get(str(kind), Certificate).psi(items)

    def preference(value: object, where: str) -> tuple[Pair, Fraction]:
        i, j, weight = row(value, where, 3)
        return (items.one(i, where), items.one(j, where)), fraction(weight, where)

    def read(value: object, where: str) -> Label:
        optional: dict[str, Reader[object]] = {"prefers": many(preference), "losses": many(real)}
        found = entries(value, where, {"probability": fraction, "psi": psi}, optional)
        if (found["prefers"] is None) == (found["losses"] is None):
            raise InputError(f"{where} needs either prefers or losses")
        return Label(found["probability"], found["prefers"], found["losses"], found["psi"])

    return read
