"""Reading a proof: fields are checked once, coordinates and predictions are numbered."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from math import lcm
from typing import Any, Final, TypeVar

from consistency_lab.core.certificates import RISKS, Bound, Common, Separation
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
from consistency_lab.core.equilibrium import BINARY, DIFFERENCE, UNARY, Program, Step
from consistency_lab.core.expression import Expression, parse
from consistency_lab.core.inequalities import Face, Slot
from consistency_lab.core.numbers import ZERO, Real, ball, is_known, rational
from consistency_lab.core.orders import DEEPEST, Cells, Cycles, Evidence, Order, Pair, Row, Sort, Split
from consistency_lab.core.risk import Atom, Direction, Linear, LogSumExp, Max, Slope, Term
from consistency_lab.core.values import value_at
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.exact import MAX_DIGITS, LogRational, enclose
from consistency_lab.exact import rational as read_rational
from consistency_lab.frozen import frozen

# --- Readers of single fields of a witness document: each takes a JSON value and where it stands ---------
# They refuse what is not of the format; whether it is *true* is decided elsewhere.

T = TypeVar("T")
Reader = Callable[[object, str], T]

_RATIONAL: Final = re.compile(r"-?[0-9]+(/[0-9]+)?")
_LOG_RATIONAL: Final = re.compile(r"-?[0-9]+(/[0-9]+)?|(-?[0-9]+(/[0-9]+)?\+)?log\([0-9]+(/[0-9]+)?\)")
_DECIMAL: Final = re.compile(r"[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?")


def record(
    value: object, where: str, keys: Collection[str], optional: Collection[str] = ()
) -> dict[str, object]:
    """An object with exactly these keys (and perhaps the optional ones)."""
    if not isinstance(value, dict):
        raise wrong(value, where, "an object")
    for key in value:
        if key not in keys and key not in optional:
            known = ", ".join([*keys, *optional])
            raise InputError(f"{where} has the unknown key {_short(key)}; its keys are {known}")
    for key in keys:
        if key not in value:
            raise InputError(f"{where} lacks the key {key!r}")
    return value


def text(value: object, where: str) -> str:
    """Any text."""
    if not isinstance(value, str):
        raise wrong(value, where, "a text")
    return value


def name(value: object, where: str) -> str:
    """A text that is not blank, without line ends and control codes, since it is printed in sentences."""
    found = text(value, where)
    if not found.strip() or not found.isprintable():
        raise InputError(f"{where} is {_short(value)}; a name is a printable text that is not blank")
    return found


def one_of(value: object, where: str, choices: Collection[str]) -> str:
    """One of a few words."""
    if not isinstance(value, str) or value not in choices:
        raise InputError(f"{where} is {_short(value)}; it must be {' or '.join(map(repr, choices))}")
    return value


def boolean(value: object, where: str) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise wrong(value, where, "true or false")
    return value


def array(value: object, where: str, reader: Reader[T]) -> tuple[T, ...]:
    """A list, every entry read by `reader`."""
    if not isinstance(value, list):
        raise wrong(value, where, "a list")
    return tuple([reader(entry, f"{where}[{number}]") for number, entry in enumerate(value)])


def entries(
    value: object,
    where: str,
    readers: Mapping[str, Reader[Any]],
    optional: Mapping[str, Reader[Any]] | None = None,
) -> dict[str, Any]:
    """What the keys of an object hold, in this order; None for an optional one that is absent or null."""
    more = optional or {}
    found = record(value, where, readers, more)
    read = {key: reader(found[key], f"{where}.{key}") for key, reader in readers.items()}
    return read | {key: maybe(reader)(found.get(key), f"{where}.{key}") for key, reader in more.items()}


def many(reader: Reader[T]) -> Reader[tuple[T, ...]]:
    """Read a list."""
    return lambda value, where: array(value, where, reader)


def maybe(reader: Reader[T]) -> Reader[T | None]:
    """Read null as None."""
    return lambda value, where: None if value is None else reader(value, where)


def word(*choices: str) -> Reader[str]:
    """Read one of a few words."""
    return lambda value, where: one_of(value, where, choices)


def just(known: T) -> Reader[T]:
    """Look at nothing."""
    return lambda value, where: known


def row(value: object, where: str, length: int) -> list[object]:
    """A list of a given length."""
    if not isinstance(value, list) or len(value) != length:
        raise wrong(value, where, f"a list of {length}")
    return value


def fraction(value: object, where: str) -> Fraction:
    """A text such as "3/10" or "-2"."""
    return _quotient(matching(value, where, _RATIONAL, "a rational as a text, such as '3/10'"), where)


def log_rational(value: object, where: str) -> LogRational:
    """A text such as "3/10", "log(3/2)" or "1/2+log(3)"."""
    form = "a number as a text, such as '3/10', 'log(3/2)' or '1/2+log(3)'"
    rest, log, argument = matching(value, where, _LOG_RATIONAL, form).rstrip(")").partition("log(")
    q = _quotient(argument, where) if log else Fraction(1)
    if not q.numerator:
        raise InputError(f"{where} is {_short(value)}; the argument of a logarithm must be positive")
    return LogRational(_quotient(rest.rstrip("+") or "0", where), q)


def decimal(value: object, where: str) -> Fraction:
    """A nonnegative decimal as a text, such as "0.0123"."""
    return read_rational(matching(value, where, _DECIMAL, "a decimal as a text, such as '0.0123'"), where)


def count(value: object, where: str) -> int:
    """A positive integer as a text."""
    exact = fraction(value, where)
    if exact.denominator > 1 or exact < 1:
        raise InputError(f"{where} is {_short(value)}; it must be a positive integer as a text")
    return int(exact)


def integer(value: object, where: str, least: int, most: int) -> int:
    """A JSON integer from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise wrong(value, where, f"an integer from {least} to {most}")
    return value


def expression(value: object, where: str, variable: str = "x") -> Expression:
    """An expression in one variable."""
    source = text(value, where)
    try:
        return _parsed(source, variable)
    except InputError as error:
        raise InputError(f"{where} cannot be read: {error}") from None


@lru_cache(maxsize=512)
def _parsed(source: str, variable: str) -> Expression:
    return parse(source, variable)


def _quotient(matched: str, where: str) -> Fraction:
    """The rational that a text of the right form stands for."""
    numerator, slash, denominator = matched.partition("/")
    if len(matched) > MAX_DIGITS:
        raise InputError(f"{where} has {len(matched)} characters; at most {MAX_DIGITS} are read")
    if not slash:
        return Fraction(int(numerator))
    if not int(denominator):
        raise InputError(f"{where} is {_short(matched)}; the denominator must not be zero")
    return Fraction(int(numerator), int(denominator))


def matching(value: object, where: str, pattern: re.Pattern[str], form: str) -> str:
    """A text of one form."""
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise wrong(value, where, form)
    return value


def wrong(value: object, where: str, wanted: str) -> InputError:
    """The refusal of a value that is of another form."""
    return InputError(f"{where} is {_short(value)}; it must be {wanted}")


_KINDS: Final = {list: "a list", dict: "an object", type(None): "null", bool: "a truth value"}


def _short(value: object) -> str:
    if isinstance(value, int) and abs(value) >= 10**40:
        return "a long integer"
    kind = _KINDS.get(type(value))
    shown = kind or (repr(value) if isinstance(value, str) else str(value))
    return shown if len(shown) <= 44 else f"{shown[:40]}..."


# --- Reading a proof: coordinates and predictions are named in a file and numbered here ------------------
# The README of this folder has the form. Readers take a JSON value and where it stands.

MAX_COORDINATES: Final = 1000
"""Most scores."""

_MOST_ATOMS: Final = 1_000_000
"""More than a file has."""

_EXPONENT: Final = 4096
_SMALLEST: Final = Fraction(1, 2**_EXPONENT)
"""Numbers that are enclosed stay above this in size."""

_LARGEST_FACTOR: Final = 64
"""Largest numerator and denominator of a factor of a score."""


def read_proof(value: object) -> Proof:
    """Read the ``proof`` entry of a file."""
    check_denominators(value)
    if not isinstance(value, dict):
        raise wrong(value, "proof", "an object")
    names = _names(value.get("coordinates"), "coordinates")
    m = len(names.number)
    if not 1 <= m <= MAX_COORDINATES:
        raise InputError(f"coordinates has {m} entries; it must have 1 to {MAX_COORDINATES}")
    sorting = value.get("decoder") == "sort"
    words = _names([] if sorting else value.get("predictions"), "predictions")
    predict: Reader[Order | int] = names.order if sorting else words.one
    found = entries(
        value,
        "proof",
        {
            "claim": word(INCONSISTENT, CONSISTENT_AT_P, WRONG_EQUILIBRIUM),
            "coordinates": just(tuple(names.number)),
            "labels": many(names.label(value.get("certificate"))),
            "decoder": just(Sort()) if sorting else words.cells(names.each(fraction)),
            "scores": maybe(names.each(log_rational)),
            "certificate": names.certificate,
        },
        {
            "predictions": many(predict),
            "direction": names.each(lambda x, at: integer(x, at, -m, m)),
            "prediction": predict,
            "better": predict,
            "failure": word(STRICT, TIE),
            "regret": decimal_or_fraction,
            "orders": names.evidence,
            "extensions": names.evidence,
            "universal": many(names.face),
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
    vector = many(fraction)
    matrix = many(vector)
    keys = {
        "rows": matrix,
        "right": vector,
        "equal_rows": matrix,
        "equal_right": vector,
        "y": vector,
        "z": vector,
    }
    systems = many(lambda x, at: System(**entries(x, at, keys)))
    found: tuple[System, ...] = entries(value, "proof", {"claim": word(INFEASIBLE), "systems": systems})[
        "systems"
    ]
    return found


def decimal_or_fraction(value: object, where: str) -> Fraction:
    """A number such as "3/10" or "0.0123"."""
    return fraction(value, where) if isinstance(value, str) and "/" in value else decimal(value, where)


def real(value: object, where: str) -> Real:
    """A number as an expression without a variable, such as "3/10" or "1-1/log2(3)": exact or enclosed."""
    if isinstance(value, str) and not any(sign in value for sign in "(*+"):
        return LogRational(fraction(value, where))
    written = expression(value, where, variable="")
    exact = value_at(written, ZERO)
    found: Real = exact if rational(exact) is not None else ball(exact)  # no sums of many logarithms
    if not is_known(found):
        raise RejectedError(f"{where} {written} has no certain value at 0")
    if ball(found) != 0 and not (enclose(_SMALLEST) < abs(ball(found)) < enclose(1 / _SMALLEST)):
        raise InputError(
            f"{where} is not certainly between 2^-{_EXPONENT} and 2^{_EXPONENT} in size, or exactly 0"
        )
    return found


def _names(value: object, where: str) -> "_Names":
    found: dict[str, int] = {}
    for entry in array(value, where, name):
        if entry in found:
            raise InputError(f"{where} names {entry[:40]!r} twice")
        found[entry] = len(found)
    return _Names(found)


@frozen
class _Names:
    """The readers of all that names coordinates (or predictions)."""

    number: Mapping[str, int]

    def one(self, value: object, where: str) -> int:
        """A name."""
        if not isinstance(value, str) or value not in self.number:
            known = ", ".join(self.number)[:200]
            raise InputError(f"{where} is {str(value)[:40]!r}; it must be one of the names {known}")
        return self.number[value]

    def each(self, reader: Reader[T]) -> Reader[tuple[T, ...]]:
        """A list with one entry for each name."""
        return lambda value, where: array(row(value, where, len(self.number)), where, reader)

    def order(self, value: object, where: str) -> Order:
        """All the names, each once."""
        order = array(value, where, self.one)
        if sorted(order) != list(range(len(self.number))):
            raise InputError(f"{where} must name each coordinate once")
        return order

    def different(self, value: object, where: str, least: int) -> Order:
        """Some of the names, each once."""
        found = array(value, where, self.one)
        if len(found) < least or len(set(found)) < len(found):
            raise InputError(f"{where} must name at least {least} coordinates, each once")
        return found

    def pair(self, value: object, where: str) -> Pair:
        """Two of them."""
        i, j = self.different(row(value, where, 2), where, 2)
        return i, j

    def cells(self, coordinates: Reader[tuple[Fraction, ...]]) -> Reader[Cells]:
        """The cells of each prediction, their rows read by `coordinates`."""

        def line(value: object, where: str) -> Row:
            normal, b = row(value, where, 2)
            return coordinates(normal, f"{where}[0]"), fraction(b, f"{where}[1]")

        def read(value: object, where: str) -> Cells:
            if not isinstance(value, dict):
                raise InputError('decoder must be "sort", or an object with the cells of each prediction')
            return Cells({self.one(k, where): array(v, f"{where}.{k}", many(line)) for k, v in value.items()})

        return read

    def label(self, certificate: object) -> Reader[Label]:
        """A label; the kind of certificate says what ``psi`` must be."""
        kind = certificate.get("kind") if isinstance(certificate, dict) else None
        psi: Reader[object] = {"mean": many(real), "equilibrium": self.program}.get(str(kind), self.atoms)

        def read(value: object, where: str) -> Label:
            optional = {"prefers": many(self.preference), "losses": many(real)}
            found = entries(value, where, {"probability": fraction, "psi": psi}, optional)
            if (found["prefers"] is None) == (found["losses"] is None):
                raise InputError(f"{where} needs either prefers or losses")
            return Label(found["probability"], found["prefers"], found["losses"], found["psi"])

        return read

    def preference(self, value: object, where: str) -> tuple[Pair, Fraction]:
        """The pair (i, j), and what an order with j above i pays."""
        i, j, weight = row(value, where, 3)
        return (self.one(i, where), self.one(j, where)), fraction(weight, where)

    def along(self, value: object, where: str, largest: int | None = _LARGEST_FACTOR) -> Direction:
        """Factors of some coordinates, small ones where scores are raised to them."""
        if not isinstance(value, dict):
            raise InputError(f"{where} must be an object that gives some coordinates a factor")
        found = [(self.one(k, where), fraction(n, where)) for k, n in value.items()]
        if largest and any(max(abs(n.numerator), n.denominator) > largest for _, n in found):
            raise InputError(f"{where} has a factor beyond {largest}; scale the term")
        return tuple(sorted((k, n) for k, n in found if n))

    def atoms(self, value: object, where: str) -> tuple[Atom, ...]:
        """Blocks of terms that share phi and offset, and single atoms of other kinds."""
        return tuple(chain.from_iterable(array(value, where, self.block)))

    def block(self, value: object, where: str) -> tuple[Atom, ...]:
        """One entry of ``psi``."""

        def part(value: object, where: str) -> tuple[Fraction, Direction]:
            c, v = row(value, where, 2)
            return fraction(c, where), self.along(v, where)

        def piece(value: object, where: str) -> tuple[Direction, Fraction]:
            v, b = row(value, where, 2)
            return self.along(v, where), fraction(b, where)

        known: dict[str, dict[str, Reader[Any]]] = {
            "phi": {"phi": expression, "offset": log_rational, "terms": many(part)},
            "log-sum-exp": {
                "log-sum-exp": fraction,
                "over": lambda x, at: tuple(sorted(self.different(x, at, 1))),
            },
            "max": {"max": fraction, "pieces": many(piece)},
            "linear": {"linear": lambda x, at: self.along(x, at, None)},
        }
        kind = next((k for k in known if isinstance(value, dict) and k in value), None)
        if kind is None:
            raise InputError(f"{where} must be an object with the key {', '.join(known)}")
        first, *rest = entries(value, where, known[kind]).values()
        match kind:
            case "phi":
                offset, terms = rest
                return tuple(Term(c, first, v, offset) for c, v in terms)
            case "log-sum-exp":
                return (LogSumExp(first, *rest),)
            case "max" if not rest[0]:
                raise InputError(f"{where}.pieces must have at least one piece")
            case "max":
                return (Max(first, *rest),)
        return (Linear(Fraction(1), first),)

    def program(self, value: object, where: str) -> Program:
        """A field, step by step; the steps before are numbered."""
        found = entries(
            value, where, {"steps": many(lambda x, at: (x, at)), "gradient": many(lambda x, at: x)}
        )
        m, done = len(self.number), len(found["steps"])
        steps: list[Step] = []
        for number, (entry, at) in enumerate(found["steps"]):
            if isinstance(entry, str):
                steps.append(fraction(entry, at))
                continue
            operation, *parts = entry if isinstance(entry, list) and entry else [None]
            operation = one_of(operation, at, (*BINARY, *UNARY))
            most = (m if operation == DIFFERENCE else number) - 1
            numbers = [integer(x, at, 0, most) for x in row(parts, at, 1 if operation in UNARY else 2)]
            steps.append((operation, *numbers))  # type: ignore[arg-type]
        gradient = row(list(found["gradient"]), f"{where}.gradient", m - 1)
        return Program(tuple(steps), tuple(integer(x, where, 0, done - 1) for x in gradient))

    def certificate(self, value: object, where: str) -> Certificate:
        """One of the four kinds."""
        kinds: dict[str, tuple[type[Any], dict[str, Reader[Any]]]] = {
            "minimum": (Minimum, {"slopes": many(_slope)}),
            "separation": (Separation, {"bounds": many(self.bound), "gap": decimal_or_fraction}),
            "mean": (KnownMean, {"risk": word(*RISKS)}),
            "equilibrium": (Equilibrium, {"box": many(_interval), "attracting": boolean}),
        }
        kind = one_of(value.get("kind") if isinstance(value, dict) else None, f"{where}.kind", kinds)
        make, keys = kinds[kind]
        optional = {"common": _common} if make is Separation else {}
        found = entries(value, where, {"kind": word(kind), **keys}, optional)
        found.pop("kind")
        certificate: Certificate = make(**found)
        if isinstance(certificate, Equilibrium) and len(certificate.box) != len(self.number) - 1:
            raise InputError(f"{where}.box needs one interval for each coordinate but the last")
        return certificate

    def bound(self, value: object, where: str) -> Bound:
        """A bound on a half-space."""
        slopes = {"slopes": many(_slope), "brackets": many(maybe(_interval))}
        terms = {"terms": many(lambda x, at: integer(x, at, 0, _MOST_ATOMS - 1))}
        return Bound(**entries(value, where, {"above": self.one, "below": self.one, **slopes}, terms))

    def evidence(self, value: object, where: str, depth: int = 0) -> Evidence:
        """Cycles, or two cases."""

        def case(value: object, where: str) -> Evidence:
            return self.evidence(value, where, depth + 1)

        def cycle(value: object, where: str) -> tuple[Fraction, Order]:
            y, items = row(value, where, 2)
            return fraction(y, where), self.different(items, where, 2)

        if isinstance(value, dict) and "split" in value:
            if depth == DEEPEST:
                raise InputError(f"{where} has more than {DEEPEST} cases inside each other")
            return Split(*entries(value, where, {"split": self.pair, "above": case, "below": case}).values())
        return Cycles(entries(value, where, {"cycles": many(cycle)})["cycles"])

    def face(self, value: object, where: str) -> Face:
        """The multipliers of a face."""

        def slot(value: object, where: str) -> Slot:
            return None if value == "0" else self.pair(value, where)

        def comparison(value: object, where: str) -> tuple[Slot, Slot, Fraction]:
            lower, upper, z = row(value, where, 3)
            return slot(lower, where), slot(upper, where), fraction(z, where)

        return Face(**entries(value, where, {"balance": self.each(fraction), "monotone": many(comparison)}))


def _slope(value: object, where: str) -> Slope:
    if value is None:
        return None
    return array(value, where, fraction) if isinstance(value, list) else fraction(value, where)


def _common(value: object, where: str) -> Common:
    return Common(**entries(value, where, {"slopes": many(_slope), "radii": many(maybe(fraction))}))


def _interval(value: object, where: str) -> tuple[Fraction, Fraction]:
    low, high = array(row(value, where, 2), where, fraction)
    return low, high


# --- How long exact numbers may become: bounded by the denominators of a document, before any arithmetic --

MAX_COMMON_DIGITS: Final = 10_000
"""Longest common denominator of all rationals in a document."""

_DENOMINATOR: Final = re.compile(r"[0-9]/([0-9]+)")
_BOUND: Final = 10**MAX_COMMON_DIGITS


def check_denominators(document: object) -> None:
    """Refuse a document whose rationals have too long a common denominator.

    Sums of rationals stay within it, so no step of the core takes long; a thousand denominators that share
    no factor would make it grow with every step.

    Examples
    --------
    >>> check_denominators({"weights": ["1/2", "log(3/7)"]})
    """
    common = 1
    # What is longer than a number may be is refused, by its name, where it is read.
    found = {digits for text in _texts(document) for digits in _DENOMINATOR.findall(text)}
    for denominator in (digits for digits in found if len(digits) <= MAX_DIGITS):
        common = lcm(common, int(denominator))
        if common >= _BOUND:
            raise InputError(
                f"the common denominator of the rationals in the witness has more than {MAX_COMMON_DIGITS:_} "
                "digits; round them to multiples of one fraction"
            )


def _texts(value: object) -> Iterator[str]:
    """All texts in a document, in no particular order."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, str):
            yield found
        elif isinstance(found, dict):
            waiting.extend(found.values())
        elif isinstance(found, list):
            waiting.extend(found)
