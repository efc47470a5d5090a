"""Lines of algebra that are parsed from what is shown, so that a tick says no more than was checked."""

import re
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final, final

from consistency_lab.apps.book.statement import Line


@final
class _SymPy:
    """SymPy, imported with the first line of algebra: statements are listed without it."""

    def __getattr__(self, name: str) -> Any:
        return getattr(import_module("sympy"), name)


sp: Final = _SymPy()

_LETTER: Final = r"(?:exp|log|max|tanh|[^\W\d_²³⁴⁵½Σ])"
_NAME: Final = rf"{_LETTER}'*(?:_[^\W_²³⁴⁵½]+)?"
_KNOWN: Final = {"exp": "exp", "log": "log", "max": "Max", "tanh": "tanh"}
_ALONE: Final = rf"[^(),]+,[^()]+|−?{_NAME}|0"
_CALL: Final = rf"(?:[φψ]'*|{_LETTER}'+(?:_\w+)?|{'|'.join(_KNOWN)})\(|{_NAME}\((?=(?:{_ALONE})\))"
_TOKEN: Final = re.compile(
    rf"\s*(?:(?P<call>{_CALL})|(?P<name>{_NAME})|(?P<number>\d+)|(?P<sign>∂/∂|[-+−·/()|√^,½²³⁴⁵]))"
)
_HOLDS: Final = {
    "=": lambda x: x.is_zero,
    ">": lambda x: x.is_positive,
    "<": lambda x: x.is_negative,
    "≥": lambda x: x.is_nonnegative,
    "≤": lambda x: x.is_nonpositive,
}
_POWERS: Final = {"²": 2, "³": 3, "⁴": 4, "⁵": 5}
_SIGNS: Final = {"> 0": "positive", "≥ 0": "nonnegative"}

Signs = dict[str, dict[str, bool]]
"""What is known of the sign of each name, in SymPy's words."""


def ticked(text: str, below: str = "") -> Line:
    """The line with what SymPy finds of it; all that is used is read from the line.

    It is a chain of relations, and behind "for" what they ask: signs, as in "x, y > 0", and definitions, as
    in "K = u + v". A name has one letter. φ, ψ and names with a prime before a parenthesis are unknown
    functions, as is a name before (x), (−x) or (x, y); any other one is a factor.

    Raises
    ------
    ValueError
        If it cannot be read: then it is no line to be ticked.
    """
    claim, _, asked = f"{text} {below.strip()}".strip().partition(" for ")
    given, signs = _asked(asked)
    chain = re.split("([=<>≤≥])", claim)
    sides = [_value(side, given, signs) for side in chain[::2]]
    if not sides[1:]:
        raise ValueError(f"{text!r} has no relation")
    links = zip(sides, chain[1::2], sides[1:], strict=False)
    holds = all(_holds(x - y, relation) for x, relation, y in links)
    return Line(text, holds, (below,) if below else ())


def _holds(difference: Any, relation: str) -> bool:
    """In one of the forms that SymPy has of the difference."""
    other = difference.rewrite(sp.exp).rewrite(sp.Abs)
    forms = (sp.expand, sp.factor, sp.simplify, lambda _: sp.simplify(other))
    return any(_HOLDS[relation](form(difference)) is True for form in forms)


def _asked(text: str) -> tuple[list[tuple[str, str]], Signs]:
    """The definitions, as they are shown, and what is known of the signs of names."""
    given: list[tuple[str, str]] = []
    signs: Signs = {}
    names: list[str] = []
    for part in re.split(r",\s+(?![^(]*\))", text) if text else []:
        left, equal, right = part.partition(" = ")
        if equal:
            given.append((left, right))
            continue
        names.append(re.sub(r" [>≥] 0$", "", part))
        if part[-3:] in _SIGNS:
            signs |= {name: {_SIGNS[part[-3:]]: True} for name in names}
            names = []
    if names:
        raise ValueError(f"nothing is said of {names[0]!r}")
    return given, signs


def _value(text: str, given: Sequence[tuple[str, str]], signs: Signs) -> Any:
    """A side of a relation; each name that is defined is replaced, in the order of the definitions."""
    value = _Reader(text, signs).all()
    for left, right in given:
        value = value.subs(_Reader(left, signs).all(), _Reader(right, signs).all())
    return value.doit()


@final
class _Reader:
    """Reads one expression in readable mathematics."""

    def __init__(self, text: str, signs: Signs) -> None:
        self._text, self._signs, self._at = text, signs, 0
        self._tokens: list[tuple[str, str]] = []
        while rest := text[self._at :].strip():
            found = _TOKEN.match(rest)
            if found is None:
                raise ValueError(f"{text!r} is no algebra from {rest!r} on")
            self._tokens.append((str(found.lastgroup), found[0].strip()))
            self._at += text[self._at :].index(rest) + found.end()
        self._tokens.append(("end", ""))

    def all(self) -> Any:
        value = self._sum()
        self._take("")
        return value

    def _take(self, *expected: str) -> str:
        token = self._tokens[0][1]
        if expected and token not in expected:
            raise ValueError(f"{self._text!r} is no algebra: {token!r} stands where {expected[0]!r} is due")
        self._tokens = self._tokens[1:]
        return token

    def _has(self, *tokens: str) -> bool:
        return self._tokens[0][1] in tokens

    def _sum(self) -> Any:
        value = self._product() if not self._has("−", "-") else sp.S.Zero
        while self._has("+", "−", "-"):
            value = value + self._product() if self._take() == "+" else value - self._product()
        return value

    def _product(self) -> Any:
        value = self._power()
        while self._tokens[0][0] in ("name", "number", "call") or self._has("(", "√", "½", "/", "·", "∂/∂"):
            sign = self._take() if self._has("/", "·") else "·"
            value = value / self._power() if sign == "/" else value * self._power()
        return value

    def _power(self) -> Any:
        value = self._atom()
        while self._has("^", *_POWERS):
            value **= _POWERS.get(self._take()) or self._atom()
        return value

    def _atom(self) -> Any:
        kind, token = self._tokens[0]
        self._take(*(() if kind != "end" and (kind != "sign" or token in "(|√½∂/∂") else ("a term",)))
        if kind == "name":
            return sp.Symbol(token, real=True, **self._signs.get(token, {}))
        if kind == "number":
            return sp.Integer(token)
        if kind == "call":
            arguments = [self._sum()]
            while self._take(",", ")") == ",":
                arguments.append(self._sum())
            named = _KNOWN.get(token[:-1])
            return (getattr(sp, named) if named else sp.Function(token[:-1], real=True))(*arguments)
        if token == "½":
            return sp.Rational(1, 2)
        if token == "√":
            return sp.sqrt(self._atom())
        if token == "∂/∂":
            by = self._atom()
            return sp.diff(self._power(), by)
        value = self._sum()
        self._take(")" if token == "(" else "|")
        return value if token == "(" else sp.Abs(value)
