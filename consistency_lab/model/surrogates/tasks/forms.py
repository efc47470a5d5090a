"""Functions of the scores of a list in one normal form, and the convex atoms that they are made of."""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final, final

from consistency_lab.core.expression import Expression, X, build, fold, number
from consistency_lab.errors import InputError
from consistency_lab.model.surrogates.families import Term
from consistency_lab.model.surrogates.tasks.base import (
    Atom,
    AtomSurrogate,
    Linear,
    LogSumExp,
    Max,
    MeanSurrogate,
    TaskSurrogate,
)
from consistency_lab.model.surrogates.traced import Form, Rings, add_up, atom, name_of, product
from consistency_lab.model.tasks.task import Task
from consistency_lab.phi import NAMED, convexity_proof

# --- Sums of products of exponentials, logarithms and maxima of scores -----------------------------------

_NONE: Final = frozenset[Any]()
"""The monomial 1."""

ZERO: Final[Form] = frozenset()


def constant(value: Fraction | int | float) -> Form:
    """A number."""
    exact = Fraction(repr(value)) if isinstance(value, float) else Fraction(value)
    return frozenset({(_NONE, exact)} if exact else ())


def score(i: int) -> Form:
    """u_i."""
    return atom("u", i)


def value(u: Form) -> Fraction | None:
    """The number that it is, if it is one."""
    return Fraction(0) if not u else dict(u).get(_NONE) if len(u) == 1 else None


@final
class Forms(Rings):
    """What an expression in x is, for x a function of the scores.

    Products of exponentials are gathered, and logarithms of products of positive numbers taken apart.
    """

    def __init__(self, x: Form = ZERO) -> None:
        self._x = x

    def variable(self) -> Form:
        return self._x

    def multiply(self, u: Form, v: Form) -> Form:
        return add_up((_gathered(product(a, b)), c * d) for a, c in u for b, d in v)

    def power(self, u: Form, exponent: Fraction) -> Form:
        c, n = value(u), int(exponent)
        if c is not None and exponent.denominator == 1 and (c or n > 0):
            return constant(c**n)
        if c is not None and (c > 0 or (c == 0 and exponent > 0)):
            return constant(float(c) ** float(exponent))
        if c is not None:
            raise InputError(f"it takes {c} to the power {exponent}")
        if exponent.denominator == 1 and len(u) == 1:
            ((monomial, c),) = u
            return add_up([(_gathered(frozenset((a, k * n) for a, k in monomial)), c**n)])
        if exponent.denominator == 1 and n < 0:
            return frozenset({(frozenset({(("sum", u), Fraction(n))}), Fraction(1))})
        return Rings.power(self, u, exponent)

    def exp(self, u: Form) -> Form:
        c = value(u)
        if c is not None:
            return constant(math.exp(c) if c else 1)
        factors = [
            (("sum", one), n)
            for one, n in ((_log_of(monomial), n) for monomial, n in u)
            if one and n == int(n)
        ]
        rest = frozenset((monomial, n) for monomial, n in u if not (_log_of(monomial) and n == int(n)))
        more = {(("exp", rest), Fraction(1))} if rest else set()
        return add_up([(frozenset({*factors, *more}), Fraction(1))]) if factors else atom("exp", u)

    def log(self, u: Form) -> Form:
        c = value(u)
        if c is not None and c <= 0:
            raise InputError(f"it takes the logarithm of {float(c):.6g}")
        if c is not None:
            return constant(math.log(c) if c != 1 else 0)
        if len(u) == 1:
            ((monomial, c),) = u
            if c > 0 and all(op in ("exp", "sum") for (op, _), _ in monomial):
                parts = [self.log(constant(c))]
                for (op, of), n in monomial:
                    parts.append(self.multiply(constant(n), of if op == "exp" else self.log(of)))
                return add_up(one for part in parts for one in part)
        powers = [(_exponent(monomial), c) for monomial, c in u]
        if any(e is None or c <= 0 for e, c in powers):
            return atom("log", u)
        shift = _shift([e for e, _ in powers if e is not None])
        first = powers[0][1] if all(c == powers[0][1] for _, c in powers) else Fraction(1)
        back = self.multiply(constant(-1), shift)
        inner = add_up(
            (monomial, c / first * d)
            for e, c in powers
            if e is not None
            for monomial, d in self.exp(add_up((*e, *back)))
        )
        return add_up((*shift, *self.log(constant(first)), *atom("log", inner)))

    def maximum(self, parts: Sequence[Form]) -> Form:
        parts = [one for part in parts for one in _maximum_of(part) or (part,)]
        numbers = [c for c in map(value, parts) if c is not None]
        least = [constant(max(numbers))] if numbers else []
        kept = frozenset((*least, *(part for part in parts if value(part) is None)))
        return next(iter(kept)) if len(kept) == 1 else atom("max", kept)


def _gathered(monomial: frozenset[Any]) -> frozenset[Any]:
    """With one exponential at most."""
    powers = [(of, n) for (op, of), n in monomial if op == "exp"]
    rest = frozenset((a, n) for a, n in monomial if a[0] != "exp" and n)
    if not powers:
        return rest
    total = add_up((one, c * n) for of, n in powers for one, c in of)
    c = value(total)
    return rest | {(("exp", total), Fraction(1))} if c is None or c else rest


def _log_of(monomial: frozenset[Any]) -> Form | None:
    """What a monomial is the logarithm of."""
    if len(monomial) == 1:
        (((op, of), n),) = monomial
        if op == "log" and n == 1:
            return of  # type: ignore[no-any-return]
    return None


def _maximum_of(u: Form) -> frozenset[Form] | None:
    """What u is the largest of."""
    for monomial, c in u:
        if len(u) == len(monomial) == 1 and c == 1:
            (((op, of), n),) = monomial
            return of if op == "max" and n == 1 else None
    return None


def _exponent(monomial: frozenset[Any]) -> Form | None:
    """u where the monomial is exp(u)."""
    if not monomial:
        return ZERO
    (((op, of), n), *others) = monomial
    return of if op == "exp" and n == 1 and not others else None


def linear(u: Form) -> tuple[dict[int, Fraction], Form]:
    """The part that is linear in the scores, and the rest."""
    found = sorted((i, c) for monomial, c in u for i in [_score_of(monomial)] if i is not None)
    return dict(found), frozenset(one for one in u if _score_of(one[0]) is None)


def _score_of(monomial: frozenset[Any]) -> int | None:
    return next((i for (op, i), n in monomial if len(monomial) == 1 and op == "u" and n == 1), None)


def _shift(exponents: Sequence[Form]) -> Form:
    """What is taken out of a sum of exponentials: so that single scores remain, or else 0 does."""
    negative = Forms().multiply(constant(-1), exponents[0])
    coordinates = {i for e in exponents for i in linear(e)[0]}
    for i in sorted(coordinates):
        shifted = [add_up((*e, *negative, *score(i))) for e in exponents]
        if all(_is_score(e) for e in shifted):
            return add_up((*exponents[0], *Forms().multiply(constant(-1), score(i))))
    return ZERO if ZERO in exponents else min(exponents, key=text)


def _is_score(u: Form) -> bool:
    return len(u) == 1 and all(c == 1 and _score_of(monomial) is not None for monomial, c in u)


def text(u: Form) -> str:
    """The form, parts in alphabetical order.

    Examples
    --------
    >>> text(fold(build("log", 1 + build("exp", X)), Forms(add_up((*score(1), *constant(-1))))))
    'log(1+exp(-1+u_2))'
    """
    parts = sorted((len(monomial), "*".join(sorted(map(_power_text, monomial))), c) for monomial, c in u)
    return "".join(_times_text(c, one) for _, one, c in parts).removeprefix("+") or "0"


def _times_text(c: Fraction, one: str) -> str:
    size = str(abs(c)) if c.denominator < 1000 else f"{float(abs(c)):.6g}"
    return f"{'-' if c < 0 else '+'}{one if one and size == '1' else '*'.join(filter(None, (size, one)))}"


def _power_text(power: tuple[tuple[str, Any], Fraction]) -> str:
    (op, of), n = power
    if op == "u":
        base = f"u_{of + 1}"
    elif op == "max":
        base = f"max({','.join(sorted(map(text, of)))})"
    elif op == "power":
        base = f"({text(of[0])})**({of[1]})"
    else:
        base = f"{'' if op == 'sum' else op}({text(of)})"
    return base if n == 1 else f"{base}**{n}"


def at(u: Form, scores: Sequence[float]) -> float:
    """Its value in floats."""

    def base(op: str, of: Any) -> float:
        match op:
            case "u":
                return scores[of]  # type: ignore[no-any-return]
            case "max":
                return max(at(part, scores) for part in of)
            case "power":
                return float(at(of[0], scores) ** float(of[1]))
            case "sum":
                return at(of, scores)
        return float(getattr(math, op)(at(of, scores)))

    products = ([base(*a) ** float(n) for a, n in monomial] for monomial, _ in u)
    return math.fsum(float(c) * math.prod(one) for (_, c), one in zip(u, products, strict=True))


# --- A form as convex atoms ------------------------------------------------------------------------------

_SQUARE: Final = X**2
_ROUNDED: Final = 1e-9


def summands(u: Form, m: int) -> tuple[Atom, ...]:
    """The atoms that add up to it, but for a constant.

    Raises
    ------
    InputError
        If it is no sum of them.

    Examples
    --------
    >>> loss = fold(build("max", number(0), 1 - X), Forms(score(0)))
    >>> term, rest = summands(add_up((*loss, *score(1))), 2)
    >>> str(term.phi), term.v, rest
    ('max(0,1-x)', ((0, 1),), Linear(v=((1, Fraction(1, 1)),)))
    """
    slopes, rest = linear(u)
    squares: dict[tuple[int, int], Fraction] = {}
    found: list[Atom] = []
    several: dict[tuple[tuple[int, int], ...], list[tuple[Expression, Fraction]]] = {}
    for monomial, c in sorted(rest, key=lambda one: text(frozenset({one}))):
        pair = sorted(i for (op, i), n in monomial if op == "u" for _ in range(int(n)))
        inner = _log_of(monomial)
        exponents = [] if inner is None else [(_exponent(one), d) for one, d in inner]
        if not monomial:
            continue
        if len(pair) == 2 and all(op == "u" for (op, _), _ in monomial):
            squares[pair[0], pair[1]] = c
        elif len(exponents) > 2 and c > 0 and all(e and _is_score(e) and d == 1 for e, d in exponents):
            found.append(LogSumExp(c, tuple(sorted(i for e, _ in exponents if e for i in linear(e)[0]))))
        elif inner is not None and len(exponents) == 2 and all(e and _is_score(e) for e, _ in exponents):
            (i, a), (j, b) = sorted((next(iter(linear(e)[0])), d) for e, d in exponents if e)
            if slopes.get(j, 0) < slopes.get(i, 0):
                (i, a), (j, b) = (j, b), (i, a)
            phi = build("log", a + b * build("exp", build("negate", X)))
            several.setdefault(_pair(i, j), []).append((phi, c))
            slopes[i] = slopes.get(i, Fraction(0)) + c
        elif (v := _direction(monomial)) is not None:
            several.setdefault(v, []).append((_of_x(frozenset({(monomial, Fraction(1))}), v), c))
        elif (pieces := _pieces(monomial)) is not None and c > 0:
            found.append(Max(c, pieces))
        else:
            raise InputError(
                f"its part {text(frozenset({(monomial, Fraction(1))}))[:60]} is none that is certified: a "
                "convex function of one combination of scores, a log-sum-exp, a maximum or a square"
            )
    for v, parts in several.items():
        found += _convex(v, parts)
    found += _squares(squares, m)
    slope = tuple((i, c) for i, c in sorted(slopes.items()) if c)
    atoms = (*found, Linear(slope)) if slope else tuple(found)
    probes = [[((7 * i + 5 * k) % 11 - 5) / 4 for i in range(m)] for k in range(5)]
    gaps = [at(u, probe) - at(_total(atoms), probe) for probe in probes]
    if max(gaps) - min(gaps) > _ROUNDED * (1 + max(map(abs, gaps))):
        raise InputError(f"its parts do not add up to {text(u)[:60]}")
    return atoms


def _pair(i: int, j: int) -> tuple[tuple[int, int], ...]:
    return tuple(sorted(((i, 1), (j, -1))))


def _convex(v: tuple[tuple[int, int], ...], parts: Sequence[tuple[Expression, Fraction]]) -> Iterator[Term]:
    """Terms along v: each part by itself, or their sum where only that is convex."""
    if any(c < 0 or convexity_proof(phi) is None for phi, c in parts):
        whole = number(0)
        for phi, c in parts:
            whole = whole + number(c) * phi
        parts = [(whole, Fraction(1))]
    for phi, c in parts:
        if convexity_proof(phi) is None:
            raise InputError(f"phi(x) = {phi} in it is not proved convex")
        called = name_of(phi)
        yield Term(c, NAMED[called].expression if called and called in NAMED else phi, v)


def _pieces(monomial: frozenset[Any]) -> tuple[Any, ...] | None:
    """The pieces of a maximum of linear functions; None if it is something else."""
    if len(monomial) != 1 or next(iter(monomial))[0][0] != "max" or next(iter(monomial))[1] != 1:
        return None
    parts = [linear(part) for part in sorted(next(iter(monomial))[0][1], key=text)]
    numbers = [value(rest) for _, rest in parts]
    if any(c is None for c in numbers):
        return None
    return tuple((tuple(v.items()), c) for (v, _), c in zip(parts, numbers, strict=True))


def _slopes(u: Form) -> Iterator[dict[int, Fraction]]:
    """The directions along which the scores enter."""
    slope, rest = linear(u)
    if slope:
        yield slope
    for monomial, _ in rest:
        for (op, of), _ in monomial:
            if op == "u":
                yield {of: Fraction(1)}
            else:
                for part in of if op == "max" else of[:1] if op == "power" else (of,):
                    yield from _slopes(part)


def _direction(monomial: frozenset[Any]) -> tuple[tuple[int, int], ...] | None:
    """The one direction along which the scores enter, in whole numbers without a common factor, if one."""
    first, *others = sorted(
        (tuple(one.items()) for one in _slopes(frozenset({(monomial, Fraction(1))}))), key=str
    )
    scale = math.lcm(*(c.denominator for _, c in first))
    common = math.gcd(*(int(c * scale) for _, c in first))
    for other in others:
        ratio = other[0][1] / first[0][1]
        if other != tuple((i, c * ratio) for i, c in first):
            return None
    # Losses fall in what they are made of: log(1+exp(-x)) at x = u_i - u_j.
    sign = -1 if any(op != "u" for (op, _), _ in monomial) else 1
    return tuple((i, sign * int(c * scale) // common) for i, c in first)


def _of_x(u: Form, v: tuple[tuple[int, int], ...]) -> Expression:
    """The form as a function of x = <v, u>."""
    slope, rest = linear(u)
    parts = [number(c) for c in [value(frozenset(one for one in rest if not one[0]))] if c]
    parts += [_times(slope[i] / n, X) for i, n in v[:1] if i in slope]
    for monomial, c in sorted((one for one in rest if one[0]), key=lambda one: text(frozenset({one}))):
        factors = [_factor(power, v) for power in sorted(monomial, key=_power_text)]
        parts.append(_times(c, math.prod(factors[1:], start=factors[0])))
    return sum(parts[1:], start=parts[0]) if parts else number(0)


def _times(c: Fraction, e: Expression) -> Expression:
    return e if c == 1 else build("negate", e) if c == -1 else number(c) * e


def _factor(power: tuple[tuple[str, Any], Fraction], v: tuple[tuple[int, int], ...]) -> Expression:
    (op, of), n = power
    if op == "u":
        base = _times(Fraction(1, dict(v)[of]), X)
    elif op == "max":
        base = build(
            "max", *(_of_x(part, v) for part in sorted(of, key=lambda one: (value(one) is None, text(one))))
        )
    elif op == "power":
        base = _of_x(of[0], v) ** of[1]
    else:
        base = _of_x(of, v) if op == "sum" else build(op, _of_x(of, v))
    return base if n == 1 else base**n


def _squares(form: Mapping[tuple[int, int], Fraction], m: int) -> Iterator[Term]:
    """A quadratic form as squares, by elimination."""
    rows = [
        [form.get((min(i, j), max(i, j)), Fraction(0)) / (1 if i == j else 2) for j in range(m)]
        for i in range(m)
    ]
    for k in range(m):
        d, row = rows[k][k], list(rows[k])
        if d < 0 or (not d and any(row)):
            raise InputError("its squares are not convex")
        if d:
            scale = math.lcm(*((x / d).denominator for x in row))
            v = tuple((i, int(x / d * scale)) for i, x in enumerate(row) if x)
            yield Term(d / scale**2, _SQUARE, v)
            rows = [
                [x - r * y / d for x, y in zip(old, row, strict=True)]
                for r, old in zip(row, rows, strict=True)
            ]


# --- What a built-in surrogate is, in the same form ------------------------------------------------------


def form_of(surrogate: TaskSurrogate, task: Task, label: tuple[int, ...]) -> Form | None:
    """The loss of a surrogate with one score an item, but for a constant; None if it is not written here."""
    ring, m = Forms(), task.space.m
    if isinstance(surrogate, AtomSurrogate):
        return _total(surrogate.atoms(task, label))
    if not isinstance(surrogate, MeanSurrogate) or len(surrogate.coordinates(task)) != m:
        return None
    f = [constant(x if isinstance(x, Fraction) else float(x)) for x in surrogate.vector(task, label)]
    u = [score(i) for i in range(m)]
    total = constant(sum((value(x) or Fraction(0) for x in f), Fraction(0)))
    match surrogate.risk:
        case "softmax":
            parts = [ring.multiply(total, _form_of_sum(range(m)))]
        case "squares":
            parts = [ring.multiply(constant(Fraction(1, 2)), ring.power(x, Fraction(2))) for x in u]
        case "sigmoids":
            parts = [fold(build("log", 1 + build("exp", X)), Forms(x)) for x in u]
        case "pair-squares":
            gaps = [
                add_up((*u[i], *ring.negate(u[j]), *ring.negate(f[i]), *f[j]))
                for j in range(m)
                for i in range(j)
            ]
            return add_up(one for gap in gaps for one in ring.power(gap, Fraction(2)))
        case _:
            return None
    return add_up(
        one
        for part in (*parts, *(ring.negate(ring.multiply(x, y)) for x, y in zip(f, u, strict=True)))
        for one in part
    )


def _form_of_sum(over: Sequence[int]) -> Form:
    return Forms().log(add_up(one for i in over for one in Forms().exp(score(i))))


def _total(atoms: Sequence[Atom]) -> Form:
    return add_up(one for part in atoms for one in _form(part))


def _form(part: Atom) -> Form:
    """An atom as a form."""
    ring = Forms()

    def along(v: Sequence[tuple[int, Fraction | int]], b: Fraction) -> Form:
        return add_up((*(one for i, n in v for one in ring.multiply(constant(n), score(i))), *constant(b)))

    match part:
        case Term():
            found = fold(part.phi, Forms(along(part.v, -part.b.a)))
        case LogSumExp():
            found = _form_of_sum(part.over)
        case Max():
            found = ring.maximum([along(v, b) for v, b in part.pieces])
        case Linear():
            return along(part.v, Fraction(0))
    return ring.multiply(constant(part.c), found)


_CLOSE: Final = Fraction(1, 10**12)
_ONE: Final = Fraction(1)


def _weights(u: Form) -> dict[frozenset[Any], Fraction]:
    return {monomial: c for monomial, c in u if monomial and abs(c) > _CLOSE}


def ratio_of(u: Form, v: Form, known: Fraction | None) -> Fraction | None:
    """c > 0 with u = c v but for constants and rounding: `known`, if it is; None if there is none.

    Examples
    --------
    >>> ratio_of(add_up([*score(0), *score(0)]), add_up([*score(0), *constant(3)]), None)
    Fraction(2, 1)
    """
    a, b = (_weights(form) for form in (u, v))
    if a.keys() != b.keys():
        return None
    c: Fraction = known or next((a[one] / b[one] for one in a), Fraction(0))
    return c if all(abs(a[one] - c * b[one]) <= _CLOSE * max(abs(a[one]), _ONE) for one in a) else None
