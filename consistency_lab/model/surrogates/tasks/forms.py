"""Functions of the scores of a list in one normal form, and the convex atoms that they are made of."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any, Final, final

import numpy as np

from consistency_lab.core.risk import Linear, LogSumExp, Max
from consistency_lab.errors import InputError
from consistency_lab.model.surrogates.families import Term
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate, LossAtom, MeanSurrogate, TaskSurrogate
from consistency_lab.model.surrogates.traced import TracedNumber, name_of
from consistency_lab.model.tasks.task import Task
from consistency_lab.numbers.exact import Ball, enclose
from consistency_lab.numbers.expression import Expression, X, act, build, fold, number
from consistency_lab.numbers.normal_form import ZERO, Form, Monomial, Normal, add_up, atom, value
from consistency_lab.numbers.phi import NAMED, convexity_proof
from consistency_lab.numbers.tape import ALONE, Number, Real, walked

# --- Sums of products of exponentials, logarithms and maxima of scores -----------------------------------


def constant(value: Fraction | int | float) -> Form:
    """A number."""
    exact = Fraction(repr(value)) if isinstance(value, float) else Fraction(value)
    return frozenset({(frozenset(), exact)} if exact else ())


def score(i: int) -> Form:
    """u_i."""
    return atom("u", i)


def _under(op: str, monomial: frozenset[Any]) -> Any:
    """What the operation is done to, if the monomial is that operation alone."""
    for (found, of), n in monomial:
        if len(monomial) == 1 == n and found == op:
            return of
    return None


def _sole(op: str, u: Form | None) -> Any:
    """The same of a form: the i for which it is u_i, or what it is the largest of."""
    return next((_under(op, monomial) for monomial, c in u or () if len(u or ()) == 1 == c), None)


def _exponent(monomial: frozenset[Any]) -> Form | None:
    """u where the monomial is exp(u)."""
    return _under("exp", monomial) if monomial else ZERO


@final
class Forms(Normal):
    """What an expression in x is, for x a function of the scores; products of exponentials are gathered."""

    def __init__(self, x: Form = ZERO) -> None:
        self._x = x

    def variable(self) -> Form:
        return self._x

    def gathered(self, monomial: Monomial) -> Monomial:
        powers = [(of, n) for (op, of), n in monomial if op == "exp"]
        total = add_up((one, c * n) for of, n in powers for one, c in of)
        rest = frozenset((a, n) for a, n in monomial if a[0] != "exp" and n)
        # exp of a number is left as it is: a monomial has no place for its value.
        return rest | {(("exp", total), Fraction(1))} if total else rest

    def power(self, u: Form, exponent: Fraction) -> Form:
        c, n = value(u), int(exponent)
        if c is not None:
            return constant(c**n if n == exponent else math.pow(c, exponent))
        return Normal.power(self, u, exponent)

    def exp(self, u: Form) -> Form:
        c = value(u)
        return atom("exp", u) if c is None else constant(math.exp(c))

    def log(self, u: Form) -> Form:
        c = value(u)
        if c is not None:
            return constant(math.log(c))
        if len(u) == 1:
            ((monomial, c),) = u
            if c > 0 and all(op in ("exp", "sum") for (op, _), _ in monomial):
                logs = ((of if op == "exp" else self.log(of), n) for (op, of), n in monomial)
                return add_up((*constant(math.log(c)), *((one, d * n) for of, n in logs for one, d in of)))
        exponents = [(_exponent(monomial), c) for monomial, c in u]
        if any(e is None or c <= 0 for e, c in exponents):
            return atom("log", u)
        known = [(e, c) for e, c in exponents if e is not None]
        least, shift = min(c for _, c in known), _shift([e for e, _ in known])
        inner = ((one, c / least * d) for e, c in known for one, d in self.exp(_minus(e, shift)))
        return add_up((*shift, *constant(math.log(least)), *atom("log", add_up(inner))))

    def maximum(self, parts: Sequence[Form]) -> Form:
        flat = frozenset().union(*(_sole("max", part) or {part} for part in parts))
        numbers = [c for c in map(value, flat) if c is not None]
        kept = frozenset(one for one in flat if value(one) in (None, max(numbers, default=None)))
        return next(iter(kept)) if len(kept) == 1 else atom("max", kept)


def _minus(u: Form, v: Form) -> Form:
    return _RING.add(u, _RING.negate(v))


def _shift(exponents: Sequence[Form]) -> Form:
    """What is taken out of a sum of exponentials: so that single scores remain, or else 0 does."""
    for i in sorted({i for e in exponents for i in linear(e)[0]}):
        shift = _minus(exponents[0], score(i))
        if all(_sole("u", _minus(e, shift)) is not None for e in exponents):
            return shift
    return ZERO if ZERO in exponents else min(exponents, key=form_text)


def linear(u: Form) -> tuple[dict[int, Fraction], Form]:
    """The part that is linear in the scores, and the rest."""
    found = sorted((i, c) for monomial, c in u for i in [_under("u", monomial)] if i is not None)
    return dict(found), frozenset(one for one in u if _under("u", one[0]) is None)


@lru_cache(maxsize=100_000)
def form_text(u: Form) -> str:
    """The form, parts in alphabetical order."""
    signed = []
    for monomial, c in sorted(u, key=_place):
        size = str(abs(c)) if c.denominator < 1000 else f"{float(abs(c)):.6g}"
        powers = sorted(map(_power_text, monomial))
        factors = powers if powers and size == "1" else [size, *powers]
        signed.append(("-" if c < 0 else "+") + "*".join(factors))
    return "".join(signed).removeprefix("+") or "0"


def _place(term: tuple[frozenset[Any], Fraction]) -> tuple[int, list[str]]:
    return len(term[0]), sorted(map(_power_text, term[0]))


@lru_cache(maxsize=100_000)
def _power_text(power: tuple[tuple[str, Any], Fraction]) -> str:
    (op, of), n = power
    parts = [str(of + 1)] if op == "u" else sorted(map(form_text, of if op == "max" else (of,)))
    base = f"u_{parts[0]}" if op == "u" else f"{'' if op == 'sum' else op}({','.join(parts)})"
    return base if n == 1 else f"{base}**{n}"


def put(u: Form, scores: Sequence[Any], act: Callable[..., Any]) -> Any:
    """The form at numbers or expressions; `act` carries out what is no arithmetic."""
    total: Any = Fraction(0)
    for monomial, c in sorted(u, key=_place):
        factors: list[Any] = [] if abs(c) == 1 and monomial else [abs(c)]
        for (op, of), n in sorted(monomial, key=_power_text):
            parts = [of] if op == "u" else sorted(of if op == "max" else (of,), key=_rank)
            at = [scores[of]] if op == "u" else [put(part, scores, act) for part in parts]
            base = at[0] if op in ("u", "sum") else act(op, *at)
            factors.append(base if n == 1 else base**n)
        whole = math.prod(factors[1:], start=factors[0])
        if type(total) is Fraction and not total:
            total = -whole if c < 0 else whole
        elif type(whole) is not Fraction or whole:
            total = total - whole if c < 0 else total + whole
    return total


def _rank(u: Form) -> tuple[bool, str]:
    return value(u) is None, form_text(u)


def enclosed(u: Form, scores: Sequence[Ball]) -> Ball:
    """A ball that contains its value."""
    total = enclose(0)
    for monomial, c in u:
        term = enclose(c)
        for (op, of), n in monomial:
            if op == "u":
                base = scores[of]
            elif op == "max":
                base = reduce(Ball.max, (enclosed(part, scores) for part in of))
            else:
                base = enclosed(of, scores) if op == "sum" else getattr(enclosed(of, scores), op)()
            term *= base ** (int(n) if n.denominator == 1 else enclose(n))
        total += term
    return total


_RING: Final = Forms()


def _exponent_of(u: Form) -> Fraction:
    if (known := value(u)) is None:
        raise ValueError
    return build("power", X, number(known)).exponent


def form(of: Real) -> Form:
    """A function of scores in normal form."""

    def leaf(known: Fraction | tuple[int, int]) -> Form:
        return _RING.number(known) if isinstance(known, Fraction) else score(known[0])

    def found(op: str, *parts: Form) -> Form:
        try:
            return act(op, parts, _RING) if op != "power" else _RING.power(parts[0], _exponent_of(parts[1]))
        except (ArithmeticError, ValueError):
            raise InputError(f"it calls {op} in a way that is not traced") from None

    return walked([of], leaf, found)[0]


# --- A form as convex atoms ------------------------------------------------------------------------------


def summands(u: Form, m: int) -> tuple[LossAtom, ...]:
    """The atoms that add up to it, but for a constant."""
    slopes, rest = linear(u)
    squares: dict[tuple[int, int], Fraction] = {}
    found: list[LossAtom] = []
    for monomial, c in sorted(rest, key=_place):
        one = frozenset({(monomial, Fraction(1))})
        exponents = [(_sole("u", _exponent(e)), d) for e, d in _under("log", monomial) or ()]
        scores = sorted((i, d) for i, d in exponents if i is not None)
        pieces = [linear(part) for part in sorted(_under("max", monomial) or (), key=form_text)]
        if not monomial:
            continue
        if all(op == "u" and n > 0 for (op, _), n in monomial) and sum(n for _, n in monomial) == 2:
            i, j = (i for (_, i), n in sorted(monomial) for _ in range(int(n)))
            squares[i, j] = c
        elif len(scores) == len(exponents) == 2:
            (i, a), (j, b) = sorted(scores, key=lambda one: slopes.get(one[0], Fraction(0)))
            phi = build("log", a + b * build("exp", build("negate", X)))
            found.append(_convex(c, phi, tuple(sorted(((i, 1), (j, -1))))))
            slopes[i] = slopes.get(i, Fraction(0)) + c
        elif len(scores) == len(exponents) > 2 and c > 0 and all(d == 1 for _, d in scores):
            found.append(LogSumExp(c, tuple(i for i, _ in scores)))
        elif (v := _direction(one)) is not None:
            found.append(_convex(c, _of_x(one, v, m), v))
        elif pieces and c > 0 and all(value(offset) is not None for _, offset in pieces):
            found.append(
                Max(c, tuple((tuple(v.items()), value(offset) or Fraction(0)) for v, offset in pieces))
            )
        else:
            raise InputError(
                f"its part {form_text(one)[:60]} is none that is certified: a convex function of one "
                "combination of scores, a log-sum-exp, a maximum or a square"
            )
    found += _squares(squares, m)
    slope = tuple((i, c) for i, c in sorted(slopes.items()) if c)
    atoms = (*found, Linear(Fraction(1), slope)) if slope else tuple(found)
    if any(monomial for monomial, _ in _minus(u, _total(atoms))):
        raise InputError(f"its parts do not add up to {form_text(u)[:60]}")
    return atoms


def _of_x(u: Form, v: tuple[tuple[int, int], ...], m: int) -> Expression:
    """The form as a function of x = <v, u>: where all scores but one are 0."""

    def act(op: str, *of: Expression | Fraction) -> Expression:
        return build(op, *(one if type(one) is Expression else number(Fraction(str(one))) for one in of))

    _, i, n = min((abs(n - 1), i, n) for i, n in v)
    x = X if n == 1 else build("negate", X) if n == -1 else X / n
    found: Expression = put(u, [x if k == i else Fraction(0) for k in range(m)], act)
    return found


def _convex(c: Fraction, phi: Expression, v: tuple[tuple[int, int], ...]) -> Term:
    if c < 0 or convexity_proof(phi) is None:
        raise InputError(f"phi(x) = {number(c) * phi} in it is not proved convex")
    named = NAMED.get(name_of(phi) or "")
    return Term(c, phi if named is None else named.expression, v)


def _slopes(u: Form) -> Iterator[tuple[tuple[int, Fraction], ...]]:
    """The directions along which the scores enter."""
    slope, rest = linear(u)
    if slope:
        yield tuple(slope.items())
    for monomial, _ in rest:
        for (op, of), _ in monomial:
            for part in [score(of)] if op == "u" else of if op == "max" else (of,):
                yield from _slopes(part)


def _direction(u: Form) -> tuple[tuple[int, int], ...] | None:
    """The one direction along which the scores enter, in whole numbers without a common factor, if one."""
    first, *others = sorted(_slopes(u), key=str)
    scale = math.lcm(*(c.denominator for _, c in first))
    common = math.gcd(*(int(c * scale) for _, c in first))
    if any(other != tuple((i, c * other[0][1] / first[0][1]) for i, c in first) for other in others):
        return None
    # Losses fall in what they are made of: log(1+exp(-x)) at x = u_i - u_j.
    return tuple((i, -int(c * scale) // common) for i, c in first)


def _squares(form: Mapping[tuple[int, int], Fraction], m: int) -> Iterator[Term]:
    """A quadratic form as squares, by elimination."""
    known = {(j, i): c / (1 if i == j else 2) for pair, c in form.items() for i, j in (pair, pair[::-1])}
    rows = [[known.get((i, j), Fraction(0)) for j in range(m)] for i in range(m)]
    for k, row in enumerate(rows):
        d = row[k]
        if d < 0 or (not d and any(row)):
            raise InputError("its squares are not convex")
        if d:
            scale = math.lcm(*((x / d).denominator for x in row))
            yield Term(d / scale**2, X**2, tuple((i, int(x / d * scale)) for i, x in enumerate(row) if x))
            for i in range(k + 1, m):
                rows[i] = [x - row[i] * y / d for x, y in zip(rows[i], row, strict=True)]


# --- What a built-in surrogate is, in the same form ------------------------------------------------------

_RISKS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "softmax": lambda u, f: f.sum() * np.log(np.exp(u).sum()) - f @ u,
    "squares": lambda u, f: (u @ u) / 2 - f @ u,
    "sigmoids": lambda u, f: np.log(1 + np.exp(u)).sum() - f @ u,
    "pair-squares": lambda u, f: (np.subtract.outer(u - f, u - f) ** 2).sum() / 2,
}
"""The loss of scores u whose mean risk has the name, at f."""


@lru_cache(maxsize=4096)
def form_of(surrogate: TaskSurrogate, task: Task, label: tuple[int, ...]) -> Form | None:
    """The loss of a surrogate with one score an item, but for a constant; None if it is not written here."""
    m = task.space.m
    if isinstance(surrogate, AtomSurrogate):
        return _total(surrogate.atoms(task, label))
    if not isinstance(surrogate, MeanSurrogate) or surrogate.risk not in _RISKS:
        return None
    if len(surrogate.coordinates(task)) != m:
        return None
    f = [x if isinstance(x, Fraction) else Fraction(repr(float(x))) for x in surrogate.vector(task, label)]
    loss: TracedNumber = _RISKS[surrogate.risk](score_array(m), np.array(f, object))
    return form(loss.of)


def score_array(m: int) -> Any:
    """The scores, as an array for NumPy."""
    return np.array([TracedNumber(Number((i, ALONE))) for i in range(m)], object)


def _total(atoms: Sequence[LossAtom]) -> Form:
    """Atoms as a form."""
    terms: list[tuple[Monomial, Fraction]] = []
    for part in atoms:
        match part:
            case Term():
                offset = constant(part.b.a + Fraction(repr(math.log(part.b.q))))
                loss = fold(part.phi, Forms(_minus(_along(part.v), offset)))
            case LogSumExp():
                loss = _RING.log(add_up(one for i in part.over for one in _RING.exp(score(i))))
            case Max():
                loss = _RING.maximum([_RING.add(_along(v), constant(b)) for v, b in part.pieces])
            case Linear():
                loss = _along(part.v)
        terms += ((one, part.c * c) for one, c in loss)
    return add_up(terms)


def _along(v: Sequence[tuple[int, Fraction | int]]) -> Form:
    return add_up((one, n * c) for i, n in v for one, c in score(i))


_ROUNDED: Final = Fraction(1, 2**46)
"""Gains in floats differ by some roundings, each of 2**-53 of their size."""


def ratio_of(u: Form, v: Form, known: Fraction | None) -> Fraction | None:
    """c > 0 with u = c v but for constants and roundings of each coefficient: `known`, if it is."""
    a, b = ({monomial: c for monomial, c in form if monomial} for form in (u, v))
    if a.keys() != b.keys():
        return None
    ratios = [a[one] / b[one] for one in a] + ([known] if known else [])
    low, high = min(ratios, default=Fraction(0)), max(ratios, default=Fraction(0))
    if low < 0 or high - low > _ROUNDED * high:
        return None
    return known or high
