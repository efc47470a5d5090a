"""Reading a proof: coordinates and predictions are named in a file and numbered here.

The README of this folder has the form.
"""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Final, TypeVar

from consistency_lab.core.decoding import Cell, Cells, Row, Sort
from consistency_lab.core.denominators import check_denominators
from consistency_lab.core.document import (
    CONSISTENT_AT_P,
    INCONSISTENT,
    INFEASIBLE,
    STRICT,
    TIE,
    WRONG_EQUILIBRIUM,
    Certificate,
    Equilibrium,
    KnownMean,
    Label,
    Minimum,
    Proof,
    System,
)
from consistency_lab.core.field import BINARY, DIFFERENCE, UNARY, Program, Step
from consistency_lab.core.fields import (
    array,
    boolean,
    decimal,
    expression,
    fraction,
    integer,
    log_rational,
    name,
    one_of,
    record,
    row,
)
from consistency_lab.core.known_mean import RISKS
from consistency_lab.core.orders import DEEPEST, NO_CYCLES, Cycles, Evidence, Order, Pair, Split
from consistency_lab.core.reals import Real, value_at
from consistency_lab.core.risk import Atom, Bracket, Direction, Linear, LogSumExp, Max, Slope, Term
from consistency_lab.core.separation import Bound, Separation
from consistency_lab.core.universal import Face, Slot
from consistency_lab.errors import InputError
from consistency_lab.exact import enclose

T = TypeVar("T")
Names = Mapping[str, int]

MAX_COORDINATES: Final = 1000
"""Most scores."""

_EXPONENT: Final = 4096
_SMALLEST: Final = Fraction(1, 2**_EXPONENT)
"""Numbers that are enclosed stay above this in size."""

_LARGEST_FACTOR: Final = 64
"""Largest numerator and denominator of a factor of a score."""


def read_proof(value: object) -> Proof:
    """Read the ``proof`` entry of a file.

    Raises
    ------
    InputError
        If it lacks a key or has an unknown one, or a value has a wrong type.
    """
    keys = ("claim", "coordinates", "labels", "decoder", "scores", "certificate")
    check_denominators(value)
    outcome = ("prediction", "better", "failure", "regret")
    optional = ("predictions", "direction", *outcome, "orders", "extensions", "universal")
    fields = record(value, "proof", keys, optional)
    claim = one_of(fields["claim"], "claim", (INCONSISTENT, CONSISTENT_AT_P, WRONG_EQUILIBRIUM))
    coordinates = array(fields["coordinates"], "coordinates", name)
    if not 1 <= len(coordinates) <= MAX_COORDINATES:
        raise InputError(f"coordinates has {len(coordinates)} entries; it must have 1 to {MAX_COORDINATES}")
    names = _numbered(coordinates, "coordinates")
    sorting = fields["decoder"] == "sort"
    words, listed, predict = _predictions(fields.get("predictions"), names, sorting=sorting)
    read = _psi(fields["certificate"], names)
    direction = fields.get("direction")
    prediction, better, failure, regret = (fields.get(key) for key in outcome)
    scores = fields["scores"]
    return Proof(
        claim=claim,
        coordinates=coordinates,
        predictions=listed,
        decoder=Sort() if sorting else _cells(fields["decoder"], words),
        labels=array(fields["labels"], "labels", lambda x, at: _label(x, at, names, read)),
        scores=None if scores is None else _each(scores, "scores", names, log_rational),
        direction=(0,) * len(names)
        if direction is None
        else _each(direction, "direction", names, lambda x, at: integer(x, at, -len(names), len(names))),
        prediction=None if prediction is None else predict(prediction, "prediction"),
        better=None if better is None else predict(better, "better"),
        failure=None if failure is None else one_of(failure, "failure", (STRICT, TIE)),
        regret=None if regret is None else decimal_or_fraction(regret, "regret"),
        certificate=_certificate(fields["certificate"], names),
        orders=_evidence(fields.get("orders"), "orders", names),
        extensions=_evidence(fields.get("extensions"), "extensions", names),
        universal=array(fields["universal"], "universal", lambda x, at: _face(x, at, names))
        if "universal" in fields
        else None,
    )


def read_systems(value: object) -> tuple[System, ...]:
    """Read the ``proof`` entry of a file that claims that systems of inequalities have no solution.

    Raises
    ------
    InputError
        If it is not of that form.
    """
    check_denominators(value)
    fields = record(value, "proof", ("claim", "systems"))
    one_of(fields["claim"], "claim", (INFEASIBLE,))
    return array(fields["systems"], "systems", _system)


def _system(value: object, where: str) -> System:
    def numbers(value: object, where: str) -> tuple[Fraction, ...]:
        return array(value, where, fraction)

    keys = ("rows", "right", "equal_rows", "equal_right", "y", "z")
    fields = record(value, where, keys)
    rows, equal_rows = (array(fields[key], f"{where}.{key}", numbers) for key in ("rows", "equal_rows"))
    right, equal_right, y, z = (
        numbers(fields[key], f"{where}.{key}") for key in ("right", "equal_right", "y", "z")
    )
    return System(rows, right, equal_rows, equal_right, y, z)


def decimal_or_fraction(value: object, where: str) -> Fraction:
    """A number such as "3/10" or "0.0123"."""
    return fraction(value, where) if isinstance(value, str) and "/" in value else decimal(value, where)


def _numbered(names: Iterable[str], where: str) -> Names:
    found: dict[str, int] = {}
    for entry in names:
        if entry in found:
            raise InputError(f"{where} names {entry[:40]!r} twice")
        found[entry] = len(found)
    return found


def _number(value: object, where: str, names: Names) -> int:
    if not isinstance(value, str) or value not in names:
        raise InputError(
            f"{where} is {str(value)[:40]!r}; it must be one of the names {', '.join(names)[:200]}"
        )
    return names[value]


def _each(value: object, where: str, names: Names, reader: Callable[[object, str], T]) -> tuple[T, ...]:
    return tuple(reader(x, f"{where}[{n}]") for n, x in enumerate(row(value, where, len(names))))


def _order(value: object, where: str, names: Names) -> Order:
    order = array(value, where, lambda x, at: _number(x, at, names))
    if sorted(order) != list(range(len(names))):
        raise InputError(f"{where} must name each coordinate once")
    return order


def _pair(value: object, where: str, names: Names) -> Pair:
    i, j = (_number(x, where, names) for x in row(value, where, 2))
    return i, j


Predict = Callable[[object, str], Order | int]


def _predictions(
    value: object, names: Names, *, sorting: bool
) -> tuple[Names, tuple[Order | int, ...], Predict]:
    """The names and the numbers of the predictions that the file lists, and the reader of one of them."""
    if sorting:
        listed = () if value is None else array(value, "predictions", lambda x, at: _order(x, at, names))
        if len(set(listed)) < len(listed):
            raise InputError("predictions lists an order twice")
        return {}, listed, lambda x, at: _order(x, at, names)
    words = _numbered(array(value, "predictions", name), "predictions")
    return words, tuple(words.values()), lambda x, at: _number(x, at, words)


def _cells(value: object, predictions: Names) -> Cells:
    def cell(value: object, where: str) -> Cell:
        return array(value, where, line)

    def line(value: object, where: str) -> Row:
        normal, b = row(value, where, 2)
        return array(normal, f"{where}[0]", fraction), fraction(b, f"{where}[1]")

    if not isinstance(value, dict):
        raise InputError('decoder must be "sort", or an object with the cells of each prediction')
    return Cells(
        {_number(k, "decoder", predictions): array(v, f"decoder.{k}", cell) for k, v in value.items()}
    )


Psi = Callable[[object, str], tuple[Atom, ...] | tuple[Real, ...] | Program]


def _psi(certificate: object, names: Names) -> Psi:
    """How the entry ``psi`` of a label is read: the kind of certificate says what it must be."""
    kind = certificate.get("kind") if isinstance(certificate, dict) else None
    if kind == "equilibrium":
        return lambda value, where: _program(value, where, len(names))
    if kind == "mean":
        return lambda value, where: array(value, where, real)

    def atoms(value: object, where: str) -> tuple[Atom, ...]:
        return tuple(
            atom for part in array(value, where, lambda x, at: _atoms(x, at, names)) for atom in part
        )

    return atoms


def _label(value: object, where: str, names: Names, read: Psi) -> Label:
    fields = record(value, where, ("probability", "psi"), ("name", "prefers", "losses"))
    if ("prefers" in fields) == ("losses" in fields):
        raise InputError(f"{where} needs either prefers or losses")

    def preference(value: object, where: str) -> tuple[Pair, Fraction]:
        i, j, weight = row(value, where, 3)
        return (_number(i, where, names), _number(j, where, names)), fraction(weight, where)

    return Label(
        probability=fraction(fields["probability"], f"{where}.probability"),
        prefers=array(fields["prefers"], f"{where}.prefers", preference) if "prefers" in fields else None,
        losses=array(fields["losses"], f"{where}.losses", real) if "losses" in fields else None,
        psi=read(fields["psi"], f"{where}.psi"),
    )


def real(value: object, where: str) -> Real:
    """A number as an expression without a variable, such as "3/10" or "1-1/log2(3)": exact or enclosed."""
    if isinstance(value, str) and not any(sign in value for sign in "(*+"):
        return fraction(value, where)
    found = value_at(expression(value, where, variable=""), Fraction(0), where)
    size = abs(enclose(found) if isinstance(found, Fraction) else found)
    if found != 0 and not (enclose(_SMALLEST) < size < enclose(1 / _SMALLEST)):
        raise InputError(
            f"{where} is not certainly between 2^-{_EXPONENT} and 2^{_EXPONENT} in size, or exactly 0"
        )
    return found


def _atoms(value: object, where: str, names: Names) -> tuple[Atom, ...]:
    """A block of terms that share phi and offset, or one atom of another kind."""

    def along(value: object, where: str) -> Direction:
        if not isinstance(value, dict):
            raise InputError(f"{where} must be an object that gives some coordinates a factor")
        found = ((_number(k, where, names), factor(n, where)) for k, n in value.items())
        return tuple(sorted((k, n) for k, n in found if n))

    def factor(value: object, where: str) -> Fraction:
        n = fraction(value, where)
        if max(abs(n.numerator), n.denominator) > _LARGEST_FACTOR and kind in ("phi", "max"):
            raise InputError(f"{where} has a factor beyond {_LARGEST_FACTOR}; scale the term")
        return n

    def piece(value: object, where: str) -> tuple[Direction, Fraction]:
        v, b = row(value, where, 2)
        return along(v, where), fraction(b, where)

    kind = next(
        (k for k in ("phi", "log-sum-exp", "max", "linear") if isinstance(value, dict) and k in value), ""
    )
    match kind:
        case "phi":
            fields = record(value, where, ("phi", "offset", "terms"))
            phi = expression(fields["phi"], f"{where}.phi")
            b = log_rational(fields["offset"], f"{where}.offset")
            parts = (row(x, where, 2) for x in array(fields["terms"], f"{where}.terms", lambda x, at: x))
            return tuple(Term(fraction(c, where), phi, along(v, where), b) for c, v in parts)
        case "log-sum-exp":
            fields = record(value, where, (kind, "over"))
            over = array(fields["over"], where, lambda x, at: _number(x, at, names))
            if not over or len(set(over)) < len(over):
                raise InputError(f"{where}.over must name some coordinates, each once")
            return (LogSumExp(fraction(fields[kind], where), tuple(sorted(over))),)
        case "max":
            fields = record(value, where, (kind, "pieces"))
            pieces = array(fields["pieces"], f"{where}.pieces", piece)
            if not pieces:
                raise InputError(f"{where}.pieces must have at least one piece")
            return (Max(fraction(fields[kind], where), pieces),)
        case "linear":
            fields = record(value, where, (kind,))
            return (Linear(Fraction(1), along(fields[kind], where)),)
    raise InputError(f"{where} must be an object with the key phi, log-sum-exp, max or linear")


def _program(value: object, where: str, m: int) -> Program:
    fields = record(value, where, ("steps", "gradient"))
    steps: list[Step] = []

    def earlier(value: object, where: str) -> int:
        return integer(value, where, 0, len(steps) - 1)

    if not isinstance(fields["steps"], list):
        raise InputError(f"{where}.steps must be a list")
    for number, entry in enumerate(fields["steps"]):
        at = f"{where}.steps[{number}]"
        if isinstance(entry, str):
            steps.append(fraction(entry, at))
            continue
        word, *parts = entry if isinstance(entry, list) and entry else [None]
        operation = one_of(word, at, (*BINARY, *UNARY))
        read = (lambda x, at: integer(x, at, 0, m - 1)) if operation == DIFFERENCE else earlier
        numbers = [read(x, at) for x in row(parts, at, 1 if operation in UNARY else 2)]
        steps.append((operation, *numbers))  # type: ignore[arg-type]
    return Program(
        tuple(steps), tuple(earlier(x, where) for x in row(fields["gradient"], f"{where}.gradient", m - 1))
    )


def _certificate(value: object, names: Names) -> Certificate:
    kind = value.get("kind") if isinstance(value, dict) else None
    match one_of(kind, "certificate.kind", ("minimum", "separation", "mean", "equilibrium")):
        case "minimum":
            fields = record(value, "certificate", ("kind", "slopes"))
            return Minimum(array(fields["slopes"], "certificate.slopes", _slope))
        case "mean":
            fields = record(value, "certificate", ("kind", "risk"))
            return KnownMean(one_of(fields["risk"], "certificate.risk", RISKS))
        case "equilibrium":
            fields = record(value, "certificate", ("kind", "box", "attracting"))
            box = row(fields["box"], "certificate.box", len(names) - 1)
            return Equilibrium(
                tuple(_interval(x, "certificate.box") for x in box),
                boolean(fields["attracting"], "certificate.attracting"),
            )
    fields = record(value, "certificate", ("kind", "bounds", "gap"))
    return Separation(
        array(fields["bounds"], "certificate.bounds", lambda x, at: _bound(x, at, names)),
        decimal_or_fraction(fields["gap"], "certificate.gap"),
    )


def _bound(value: object, where: str, names: Names) -> Bound:
    fields = record(value, where, ("above", "below", "slopes", "brackets"))
    return Bound(
        _number(fields["above"], f"{where}.above", names),
        _number(fields["below"], f"{where}.below", names),
        array(fields["slopes"], f"{where}.slopes", _slope),
        array(fields["brackets"], f"{where}.brackets", _bracket),
    )


def _slope(value: object, where: str) -> Slope:
    if value is None:
        return None
    return array(value, where, fraction) if isinstance(value, list) else fraction(value, where)


def _bracket(value: object, where: str) -> Bracket:
    return None if value is None else _interval(value, where)


def _interval(value: object, where: str) -> tuple[Fraction, Fraction]:
    low, high = (fraction(x, where) for x in row(value, where, 2))
    return low, high


def _evidence(value: object, where: str, names: Names, depth: int = 0) -> Evidence:
    if value is None:
        return NO_CYCLES
    if isinstance(value, dict) and "split" in value:
        fields = record(value, where, ("split", "above", "below"))
        pair = _pair(fields["split"], f"{where}.split", names)
        if pair[0] == pair[1] or depth == DEEPEST:
            raise InputError(f"{where}.split must name two items, at most {DEEPEST} cases deep")
        cases = (_evidence(fields[key], f"{where}.{key}", names, depth + 1) for key in ("above", "below"))
        return Split(pair, *cases)
    fields = record(value, where, ("cycles",))

    def part(value: object, where: str) -> tuple[Fraction, Order]:
        y, cycle = row(value, where, 2)
        items = array(cycle, where, lambda x, at: _number(x, at, names))
        if len(items) < 2 or len(set(items)) < len(items):
            raise InputError(f"{where} must name at least two coordinates, each once")
        return fraction(y, where), items

    return Cycles(array(fields["cycles"], f"{where}.cycles", part))


def _face(value: object, where: str, names: Names) -> Face:
    def slot(value: object, where: str) -> Slot:
        return None if value == "0" else _pair(value, where, names)

    def comparison(value: object, where: str) -> tuple[Slot, Slot, Fraction]:
        lower, upper, z = row(value, where, 3)
        return slot(lower, where), slot(upper, where), fraction(z, where)

    fields = record(value, where, ("balance", "monotone"))
    return Face(
        _each(fields["balance"], f"{where}.balance", names, fraction),
        array(fields["monotone"], f"{where}.monotone", comparison),
    )
