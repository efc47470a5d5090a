"""A plain Python, NumPy or PyTorch function of the margin x, run once on a symbol: its expression."""

import builtins
import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, partial
from inspect import Parameter, signature
from math import isnan, nan
from random import Random
from types import MappingProxyType, SimpleNamespace
from typing import Any, ClassVar, Final, final

from consistency_lab.errors import InputError
from consistency_lab.numbers.exact import Ball, LogRational, working_precision
from consistency_lab.numbers.expression import fold
from consistency_lab.numbers.normal_form import Form, Rings
from consistency_lab.numbers.phi import MAX_NODES, NAMED, OF_ANSWERS, Expression, enclose_value
from consistency_lab.numbers.tape import ALONE, Number, Real, exp, log

# --- What stands for x: an expression that remembers what is done to it -----------------------------------


class Symbol(ABC):
    """What stands for an argument of a function that is traced."""

    called: ClassVar = "scores", "them"  #: What it stands for, in a sentence.

    @staticmethod
    @abstractmethod
    def made(name: str, given: Sequence[Any], more: Mapping[str, Any]) -> Any:
        """An operation done to symbols and numbers."""

    def _binary(op: str, *, turned: bool = False) -> Any:  # type: ignore[misc]
        return lambda self, other: self.made(op, (other, self) if turned else (self, other), {})

    __add__, __radd__ = _binary("add"), _binary("add", turned=True)
    __sub__, __rsub__ = _binary("subtract"), _binary("subtract", turned=True)
    __mul__, __rmul__ = _binary("multiply"), _binary("multiply", turned=True)
    __truediv__, __rtruediv__ = _binary("divide"), _binary("divide", turned=True)
    __pow__, __rpow__ = _binary("power"), _binary("power", turned=True)
    __matmul__, __rmatmul__ = _binary("matmul"), _binary("matmul", turned=True)

    def __neg__(self) -> Any:
        return self.made("negative", (self,), {})

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return self.made("abs", (self,), {})

    def _compared(self, *_: object) -> bool:
        what, it = self.called
        raise InputError(f"it compares {what}, or branches on {it}; max and min can be traced")

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __bool__ = _compared
    __hash__ = object.__hash__

    def __float__(self) -> float:
        raise InputError(f"it turns {self.called[0]} into a float")


class Recorded(Symbol, ABC):
    """A symbol that is given to the functions of NumPy and PyTorch."""

    def __array_ufunc__(self, ufunc: Any, method: str, *given: Any, **more: Any) -> Any:
        return self.made(ufunc.__name__ + ("" if method == "__call__" else f".{method}"), given, more)

    def __array_function__(self, function: Any, types: Any, given: Any, more: Any) -> Any:
        return self.made(function.__name__, given, more)

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, given: Any = (), more: Any = None) -> Any:
        # What ends in one "_" acts in place, which a symbol cannot: it is no operation here.
        return cls.made(function.__name__.removeprefix("__").removesuffix("__"), given, more or {})


@final
@dataclass(frozen=True, eq=False, repr=False)
class Margin(Recorded):
    """The margin, or what a function has made of it so far."""

    called: ClassVar = "x", "it"
    of: Number = field(default_factory=partial(Number, (0, ALONE)))
    size: int = 1  #: Operations so far; shared parts count each time, as they do in a text.
    seen: set[str] = field(default_factory=set)  #: "torch" once one of its functions was called.

    @staticmethod
    def made(name: str, given: Sequence[Any], more: Mapping[str, Any]) -> "Margin":
        return _made(name, given, more)

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, given: Any = (), more: Any = None) -> "Margin":
        found: Margin = super().__torch_function__(function, types, given, more)
        found.seen.add("torch")
        return found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in OPERATIONS:
            raise AttributeError(f"a margin has no {name!r}")
        self.seen.update({"torch"} & sys.modules.keys())
        return partial(_method, name, self)


def _method(name: str, *given: Any, **more: Any) -> Margin:
    return _made(name, given, more)


@final
class TracedNumber(Symbol):
    """One number that depends on the scores."""

    def __init__(self, of: Real) -> None:
        self.of = of

    @staticmethod
    def made(name: str, given: Sequence[Any], more: Mapping[str, Any]) -> "TracedNumber":
        if name not in OPERATIONS:
            raise InputError(f"it calls {name} in a way that is not traced")
        options = {key: real(one) for key, one in more.items()}
        return TracedNumber(OPERATIONS[name](*map(real, given), **options))

    def exp(self) -> "TracedNumber":
        """NumPy calls this for an array of objects."""
        return TracedNumber(exp(self.of))

    def log(self) -> "TracedNumber":
        """As does `exp`."""
        return TracedNumber(log(self.of))


def _done(op: str, *parts: Real) -> Number:
    """An operation as it is written."""
    return Number(op, parts)


def _negative(u: Real) -> Real:
    return u.parts[0] if isinstance(u, Number) and u.op == "negate" else _done("negate", u)


def _power(u: Real, v: Real) -> Real:
    if isinstance(v, Number) and isinstance(u, Fraction) and u > 0:
        return exp(v * log(u))
    return _done("power", u, v)


_LINEAR_AFTER: Final = Fraction(20)
"""There softplus of PyTorch differs from a line by rounding of single precision, and becomes one."""


def _softplus(u: Real, beta: Real = Fraction(1), threshold: Real = _LINEAR_AFTER) -> Real:
    if threshold != _LINEAR_AFTER:
        raise InputError(f"it calls softplus with threshold {threshold}, after which that is a line")
    return log(1 + exp(beta * u)) / beta


def _clipped(u: Real, low: Real | None = None, high: Real | None = None) -> Real:
    u = u if low is None else _done("max", u, low)
    return u if high is None else _done("min", u, high)


def _same(u: Real, axis: Real | None = None) -> Real:
    return u


ALSO: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{"sub": "subtract", "mul": "multiply", "div": "divide", "true_divide": "divide", "pow": "power"},
        **{"float_power": "power", "neg": "negative", "absolute": "abs", "fabs": "abs", "max": "maximum"},
        **{"min": "minimum", "fmax": "maximum", "fmin": "minimum", "log_sigmoid": "logsigmoid"},
        **{"expit": "sigmoid", "clamp": "clip", "sum": "mean", "squeeze": "mean"},
    }
)
"""Other names of the operations: NumPy, PyTorch, Python and the mathematics of its library differ."""

_ROWS: Final[Mapping[str, Callable[..., Real]]] = {
    **{name: partial(_done, name) for name in ("add", "subtract", "multiply", "divide", "abs", "sqrt")},
    **{"exp": exp, "power": _power, "negative": _negative, "positive": _same, "mean": _same},
    "log": lambda u, base=None: log(u) if base is None else log(u) / log(base),
    "log1p": lambda u: log(1 + u),
    "log2": lambda u: log(u) / log(2),
    "expm1": lambda u: exp(u) - 1,
    "exp2": lambda u: _power(Fraction(2), u),
    "square": lambda u: _power(u, Fraction(2)),
    "reciprocal": lambda u: 1 / u,
    "rsub": lambda u, v: v - u,
    "rdiv": lambda u, v: v / u,
    "maximum": partial(_done, "max"),
    "minimum": partial(_done, "min"),
    "relu": partial(_done, "max", Fraction(0)),
    "softplus": _softplus,
    "sigmoid": lambda u: 1 / (1 + exp(_negative(u))),
    "logsigmoid": lambda u: _negative(_softplus(_negative(u))),
    "tanh": lambda u: 1 - 2 / (1 + exp(2 * u)),
    "logaddexp": lambda u, v: log(_done("add", exp(u), exp(v))),
    "clip": _clipped,
}
OPERATIONS: Final[Mapping[str, Callable[..., Real]]] = MappingProxyType(
    {**_ROWS, **{also: _ROWS[name] for also, name in ALSO.items()}}
)
"""What can be done to a symbol, by every name."""

_KEYS: Final = {
    **{"min": "low", "max": "high", "a_min": "low", "a_max": "high"},
    **{"beta": "beta", "threshold": "threshold"},
}
_OF_AXES: Final = ("axis", "dim", "keepdim", "keepdims")
"""These change no value of a scalar."""


def is_float(dtype: Any) -> bool:
    """Whether it is a kind of floats, of Python, NumPy or PyTorch."""
    return "float" in str(getattr(dtype, "__name__", dtype))


_HARMLESS: Final[Mapping[str, Callable[[Any], bool]]] = MappingProxyType(
    {
        **dict.fromkeys(("device", "copy", "requires_grad", "_stacklevel"), lambda value: True),
        **{"inplace": lambda value: not value, "dtype": is_float},
        **{"ignore_index": lambda value: value == -100, "label_smoothing": lambda value: not value},
        "out": lambda value: False,
    }
)
"""What is left out of a call where it passes the test, since it changes no value then; else it is refused."""


def telling(name: str, more: Mapping[str, Any]) -> dict[str, Any]:
    """The named arguments of a call that may change its value."""
    given = {key: value for key, value in more.items() if value is not None}
    for key, value in given.items():
        if key in _HARMLESS and not _HARMLESS[key](value):
            raise InputError(f"it calls {name} with {key}, which is not traced")
    return {key: value for key, value in given.items() if key not in _HARMLESS}


def _made(name: str, given: Sequence[Any], more: Mapping[str, Any] | None = None) -> Margin:
    """An operation done to margins and numbers."""
    if name not in OPERATIONS:
        raise InputError(f"it calls {name}, which has no expression here")
    options = {}
    for key, value in telling(name, more or {}).items():
        if key not in _OF_AXES:
            if key not in _KEYS:
                raise InputError(f"it calls {name} with {key}, which has no expression here")
            options[_KEYS[key]] = real(value)
    parts: list[Any] = [None if part is None else real(part) for part in given]
    margins = [part for part in (*given, *(more or {}).values()) if type(part) is Margin]
    size = 1 + sum(part.size for part in margins)
    if size > MAX_NODES:
        raise InputError(f"it does more than {MAX_NODES} operations with x")
    try:
        found = OPERATIONS[name](*parts, **options)
    except TypeError:
        raise InputError(f"it calls {name} with arguments that have no expression here") from None
    assert isinstance(found, Number)
    return Margin(found, size, set().union(*(part.seen for part in margins)))


def real(value: Any) -> Real:
    """What a symbol stands for, or a number."""
    return value.of if type(value) in (Margin, TracedNumber) else fraction(value)


def fraction(value: Any) -> Fraction:
    """A number: the simplest fraction that is the float, or its decimals."""
    plain = value.item() if callable(getattr(value, "item", None)) else value
    if isinstance(plain, float) and math.isfinite(plain):
        near = Fraction(plain).limit_denominator(1000)
        return near if float(near) == plain else Fraction(repr(plain))
    if isinstance(plain, int | Fraction):
        return Fraction(plain)
    raise InputError(f"it uses a {type(value).__name__} where x and finite numbers can be traced")


# --- Running a function on it ------------------------------------------------------------------------------

_BUILTINS: Final = {"max": "maximum", "min": "minimum"}


def _either(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The function, but for symbols its operation."""

    def call(*given: Any, **more: Any) -> Any:
        traced = next((part for part in given if isinstance(part, Symbol)), None)
        return function(*given, **more) if traced is None else traced.made(name, given, more)

    return call


@contextmanager
def symbolic(function: Any) -> Iterator[None]:
    """While it runs, what its module knows of `math`, and max and min, take a margin too."""
    known: dict[str, Any] = getattr(function, "__globals__", {})
    scalar = {name: _either(getattr(math, name), name) for name in OPERATIONS if hasattr(math, name)}
    by_value = {getattr(math, name): one for name, one in scalar.items()}
    new = {
        **{name: _either(getattr(builtins, name), of) for name, of in _BUILTINS.items() if name not in known},
        **{name: by_value[v] for name, v in known.items() if type(v) is type(math.exp) and v in by_value},
        **{name: SimpleNamespace(**{**vars(math), **scalar}) for name, v in known.items() if v is math},
    }
    before = {name: known[name] for name in new if name in known}
    known.update(new)
    try:
        yield
    finally:
        for name in new:
            known.pop(name, None)
        known.update(before)


def arguments(function: Callable[..., Any]) -> int:
    """How many arguments without a default it takes."""
    own = signature(function).parameters.values()
    return sum(one.default is Parameter.empty and one.kind not in _MANY for one in own)


_MANY: Final = (Parameter.VAR_KEYWORD, Parameter.VAR_POSITIONAL, Parameter.KEYWORD_ONLY)


def trace(function: Callable[..., Any]) -> Margin:
    """What a function makes of the margin."""
    count = arguments(function)
    if count != 1:
        raise InputError(
            f"it takes {count} arguments, and a loss of the margin takes one, x (with --target two, scores "
            "and labels)"
        )
    with symbolic(function):
        found = function(Margin())
    if type(found) is not Margin:
        raise InputError(f"it returns a {type(found).__name__} that is not computed from x alone")
    return found


# --- Its values, for a comparison; and its name ----------------------------------------------------------

_NEAR: Final = 6
_FAR: Final = 40


def points() -> tuple[Fraction, ...]:
    """Where a function and its expression are compared: many margins near zero, some far away."""
    random = Random(0)
    near = [Fraction(random.randint(-_NEAR * 64, _NEAR * 64), 64) for _ in range(32)]
    return (*near, *(Fraction(random.randint(-_FAR * 64, _FAR * 64), 64) for _ in range(8)))


def values(function: Callable[..., Any], traced: Margin) -> list[float]:
    """What the function itself says at the points: of tensors, if it needs them."""
    made: Callable[[float], Any] = float
    if "torch" in traced.seen:
        import torch

        made = partial(torch.tensor, dtype=torch.float64)
    found = [function(made(float(x))) for x in points()]
    return [float(y.item() if callable(getattr(y, "item", None)) else y) for y in found]


def refuse_other(traced: Margin, said: Sequence[float]) -> None:
    """Refuse an expression that differs from the function."""
    enclosed = [partial(enclose_value, traced.of.expression, LogRational(x)) for x in points()]
    if (found := apart(enclosed, said)) is None:
        return
    k, expected = found
    x = float(points()[k])
    if isnan(expected):
        raise InputError(f"it is {traced.of}, which has no value at x = {x}")
    raise InputError(
        f"it was traced to {traced.of}, but at x = {x} it returns {said[k]:.6g}, and that is {expected:.6g}"
    )


_PRECISIONS: Final = (24, 53, 256)
_ROUNDINGS: Final = 16
_RELATIVE: Final = 2.0**-20
_CANCELED: Final = 2.0**-40


def apart(enclosed: Sequence[Callable[[], Ball]], said: Sequence[float]) -> tuple[int, float] | None:
    """The first point where a value lies outside its enclosure, and the enclosed one, or NaN."""
    from statistics import median  # which takes as long to load as all that is here

    # Rounding as of single precision is borne, in proportion to the values: no factor changes it.
    exact, expected, borne = [], [], []
    for k, at in enumerate(enclosed):
        sharp = _at(_PRECISIONS[-1], at)
        if not sharp.is_finite():
            return k, nan
        exact.append(sharp.mid())
        expected.append(float(exact[k]))
        rounded = next(float(ball.rad()) for bits in _PRECISIONS if (ball := _at(bits, at)).is_finite())
        borne.append(_ROUNDINGS * rounded + _RELATIVE * abs(expected[k]))
    canceled = _CANCELED * median(map(abs, expected))
    for k, (y, x, bound) in enumerate(zip(said, expected, borne, strict=True)):
        if not abs(y - x) <= bound + canceled:
            return k, x
    with working_precision(_PRECISIONS[-1]):
        spread = float(max(exact) - min(exact))
    if spread and min(borne) > spread / _ROUNDINGS:
        raise InputError(
            f"its values vary by {spread:.3g} and have the size {max(map(abs, expected)):.3g}: "
            "rounding hides what it is; take the constant out"
        )
    return None


def _at(bits: int, enclosed: Callable[[], Ball]) -> Ball:
    with working_precision(bits):
        return enclosed()


def name_of(e: Expression) -> str | None:
    """The named scalar function that it equals by the rules of rings, if there is one."""
    form = fold(e, Rings())
    return next((name for name, known in _named() if known == form), None)


@cache
def _named() -> list[tuple[str, Form]]:
    return [(row.name, fold(row.expression, Rings())) for row in (*NAMED.values(), *OF_ANSWERS.values())]
