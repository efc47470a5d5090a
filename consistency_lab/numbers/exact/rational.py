"""Rationals in and out, numbers a + log q, and rigorous enclosures by Arb balls."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from copyreg import dispatch_table
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import gcd, isfinite, lcm
from typing import Final

from flint import arb, ctx, fmpq

from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.frozen import frozen

# --- Rationals in and out: every number that enters or leaves the project passes here --------------------

Vector = Sequence[Fraction]
Matrix = Sequence[Sequence[Fraction]]

ZERO: Final = Fraction(0)
ONE: Final = Fraction(1)
MAX_DIGITS = 2000
"""Longest numerator, denominator or decimal that is read."""

_MAX_BITS = 4 * MAX_DIGITS  # more than so many digits need, and few enough for Python to write

_MAX_EXPONENT = 400
_FORM = re.compile(r"[+-]?\d+(/\d+)?|[+-]?(\d+\.\d*|\.\d+|\d+)([eE][+-]?\d{1,4})?", re.ASCII)


def rational(value: object, what: str = "number") -> Fraction:
    """Read an exact rational.

    Parameters
    ----------
    value
        An int, a Fraction, a Decimal, a text such as ``"3/10"`` or ``"0.3"``, or a float. A float is
        read as the decimal that prints it, so ``0.1`` is one tenth.
    what
        What the number is, for the error message.

    Examples
    --------
    >>> rational("3/10") == rational(0.3)
    True
    """
    if isinstance(value, bool) or value is None:
        raise InputError(f"{what} is {value!r}; it must be a number such as 3 or '3/10'")
    if isinstance(value, Fraction | int):
        return Fraction(value)
    if isinstance(value, float):
        if not isfinite(value):
            raise InputError(f"{what} is {value}; it must be a finite number")
        value = float.__repr__(value)  # the repr of a NumPy float names its type
    if isinstance(value, Decimal):
        value = str(value)
    if not isinstance(value, str):
        item = getattr(value, "item", None)  # of a NumPy scalar
        plain = item() if callable(item) and getattr(value, "shape", None) == () else value
        if type(plain) is not type(value):
            return rational(plain, what)
        raise InputError(f"{what} is a {type(value).__name__}; it must be a number such as 3 or '3/10'")
    return _read(value.strip(), what)


def _read(text: str, what: str) -> Fraction:
    if len(text) > MAX_DIGITS:
        raise InputError(f"{what} has {len(text)} characters; at most {MAX_DIGITS} are read")
    if not _FORM.fullmatch(text):
        raise InputError(f"{what} is {text[:40]!r}; it must be a finite number such as 3, 0.3 or '3/10'")
    numerator, slash, denominator = text.partition("/")
    if slash:
        if int(denominator) == 0:
            raise InputError(f"{what} is {text[:40]!r}; the denominator must not be zero")
        return Fraction(int(numerator), int(denominator))
    try:
        decimal = Decimal(text)
    except InvalidOperation:
        raise InputError(f"{what} is {text[:40]!r}; it must be a finite number") from None
    if decimal and abs(decimal.adjusted()) > _MAX_EXPONENT:
        raise InputError(f"{what} is {text[:40]!r}; its exponent must be at most {_MAX_EXPONENT}")
    return Fraction(decimal)


def is_writable(value: Fraction) -> bool:
    """Whether the text of a rational is no longer than `MAX_DIGITS`, so that it can be read again."""
    bits = value.numerator.bit_length() + value.denominator.bit_length()
    return bits <= 3 * MAX_DIGITS or (bits <= _MAX_BITS and len(str(value)) <= MAX_DIGITS)


def rational_text(value: Fraction) -> str:
    """Write a rational as ``"3/10"`` or ``"3"``; `rational` reads it back exactly.

    UnsupportedError if the text would be longer than what is read, see `is_writable`.
    """
    if not is_writable(value):
        raise UnsupportedError(
            f"an exact number came out that has more than {MAX_DIGITS} digits, too many to be written; "
            "round what is given to fewer digits"
        )
    return str(value)


def integer_multiple(values: Iterable[Fraction]) -> tuple[list[int], Fraction]:
    """Scale rationals to the smallest integers in the same proportions.

    Returns
    -------
    integers
        ``value * scale`` for each value, with greatest common divisor 1 (all zero if all are zero).
    scale
        The positive factor.
    """
    numbers = list(values)
    common = lcm(*(value.denominator for value in numbers)) if numbers else 1
    integers = [value.numerator * (common // value.denominator) for value in numbers]
    divisor = gcd(*integers) or 1
    return [value // divisor for value in integers], Fraction(common, divisor)


def exact_sum(values: Iterable[Fraction]) -> Fraction:
    """The sum: whole numbers are added up for each denominator, which is faster than fractions.

    Examples
    --------
    >>> exact_sum([Fraction(1, 2), Fraction(1, 3), Fraction(1, 2)])
    Fraction(4, 3)
    """
    above: dict[int, int] = {}
    for value in values:
        numerator, denominator = value.as_integer_ratio()
        above[denominator] = above.get(denominator, 0) + numerator
    return sum(map(Fraction, above.values(), above), ZERO)


def simplest_between(low: Fraction, high: Fraction) -> Fraction:
    """The rational of least denominator in the closed interval [low, high] (Stern-Brocot).

    Examples
    --------
    >>> simplest_between(Fraction(314, 100), Fraction(315, 100))
    Fraction(22, 7)
    """
    if low > high:
        raise InputError(f"the interval [{low}, {high}] is empty")
    if low <= 0 <= high:
        return Fraction(0)
    if high < 0:
        return -simplest_between(-high, -low)
    floor = low.numerator // low.denominator
    if floor == low:
        return Fraction(floor)
    if floor + 1 <= high:
        return Fraction(floor + 1)
    return floor + 1 / simplest_between(1 / (high - floor), 1 / (low - floor))


def quotient(value: Fraction) -> fmpq:
    """The same number for FLINT, whose arithmetic is several times as fast."""
    return fmpq(*value.as_integer_ratio())


def fraction(value: fmpq) -> Fraction:
    """The same number for Python."""
    return Fraction(int(value.p), int(value.q))


# --- Rigorous enclosures of real numbers: Arb balls, and comparisons that are never wrong ----------------

Ball = arb
"""An interval of reals that certainly contains the number it stands for."""


def _pickled(ball: arb) -> tuple[type[arb], tuple[object, ...]]:
    """The very ball, at any precision: its middle and its radius are whole numbers times powers of 2."""
    if not ball.is_finite():
        return arb, ("nan",)
    return arb, tuple(tuple(map(int, x.man_exp())) for x in (ball.mid(), ball.rad()))


# python-flint does not say how, and answers hold balls.
dispatch_table[arb] = _pickled


@contextmanager
def working_precision(bits: int) -> Iterator[None]:
    """Compute balls with this many bits inside the block; the setting before is put back."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def enclose(value: Fraction | int) -> Ball:
    """The ball around a rational."""
    return arb(fmpq(value.numerator, value.denominator))


def certainly_less(left: Ball, right: Ball) -> bool:
    """Whether every number in `left` is below every number in `right` (False if a ball is NaN)."""
    return bool(left < right)


def certainly_positive(value: Ball) -> bool:
    """Whether every number in the ball is above zero."""
    return bool(value > 0)


def as_fraction(point: Ball) -> Fraction:
    """The rational that a ball of radius 0 is, such as the middle or an end of another one.

    ValueError if the ball is wider than a point, or not finite.
    """
    mantissa, exponent = point.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def lower_decimal(value: Ball, digits: int = 6) -> Fraction:
    """A rational of `digits` significant decimals that is certainly not above the ball."""
    exact = as_fraction(value.lower())
    if exact == 0:
        return exact
    size = 0
    while abs(exact) * Fraction(10) ** size < 10 ** (digits - 1):
        size += 1
    while abs(exact) * Fraction(10) ** size >= 10**digits:
        size -= 1
    scale = Fraction(10) ** size
    scaled = exact * scale
    return (scaled.numerator // scaled.denominator) / scale


# --- Numbers a + log q with a and q rational -------------------------------------------------------------
# The scores at which familiar losses have rational slopes.
#
# The slope of log(1 + exp(-x)) at x = log q is -1/(1 + q) and that of exp(-x) is -1/q (see the table of
# scalar losses in the documentation), so gradients can be exactly zero.

_MAX_POWER: Final = 4096
_LOG = re.compile(r"(?:(?P<a>[^()]+?)\+)?log\((?P<q>[^()]+)\)", re.ASCII)


@frozen
class LogRational:
    """The real number ``a + log(q)``.

    Examples
    --------
    >>> x = LogRational.parse("1/2+log(3)")
    >>> x - LogRational(Fraction(1, 2))
    LogRational(a=Fraction(0, 1), q=Fraction(3, 1))
    >>> str(x), x.sign()
    ('1/2+log(3)', 1)
    """

    a: Fraction  #: The rational part.
    q: Fraction = Fraction(1)  #: A positive rational, 1 if there is no logarithm.

    def __post_init__(self) -> None:
        if not type(self.a) is type(self.q) is Fraction:
            for name in ("a", "q"):
                object.__setattr__(self, name, rational(getattr(self, name), name))
        if self.q.numerator <= 0:
            raise InputError(f"log({self.q}) is not a real number; the argument must be positive")

    @staticmethod
    def parse(value: object, what: str = "number") -> "LogRational":
        """Read ``"3/10"``, ``"log(3/2)"``, ``"1/2+log(3)"`` or anything that `rational` reads."""
        if isinstance(value, LogRational):
            return value
        if not isinstance(value, str):
            return LogRational(rational(value, what))
        text = value.replace(" ", "")
        if len(text) > 2 * MAX_DIGITS:
            raise InputError(f"{what} has {len(text)} characters; at most {2 * MAX_DIGITS} are read")
        match = _LOG.fullmatch(text)
        if match is None:
            return LogRational(rational(text, what))
        return LogRational(rational(match["a"] or "0", what), rational(match["q"], what))

    def __str__(self) -> str:
        if self.q == 1:
            return rational_text(self.a)
        log = f"log({rational_text(self.q)})"
        return log if self.a == 0 else f"{rational_text(self.a)}+{log}"

    def __add__(self, other: "LogRational") -> "LogRational":
        return LogRational(self.a + other.a, self.q if other.q == 1 else self.q * other.q)

    def __sub__(self, other: "LogRational") -> "LogRational":
        return LogRational(self.a - other.a, self.q if other.q == 1 else self.q / other.q)

    def __neg__(self) -> "LogRational":
        return LogRational(-self.a, self.q if self.q == 1 else 1 / self.q)

    def times(self, factor: Fraction) -> "LogRational | None":
        """``factor * self`` where that is again of this form (always, if `factor` is an integer)."""
        factor = factor if type(factor) is Fraction else rational(factor, "the factor")
        if factor == 1:
            return self
        if self.q == 1:
            return LogRational(self.a * factor)
        if abs(factor) > _MAX_POWER or factor.denominator > max(
            map(int.bit_length, self.q.as_integer_ratio())
        ):
            return None  # a root of such a degree would be below 2, so it is no rational
        root = _root(self.q, factor.denominator)
        return None if root is None else LogRational(self.a * factor, root**factor.numerator)

    def exp(self) -> Fraction | None:
        """``exp(self)`` if it is known to be rational: it is q when a = 0, and else irrational."""
        return self.q if self.a == 0 else None

    def as_rational(self) -> Fraction | None:
        """The number itself if it is rational (log q is irrational for every rational q other than 1)."""
        return self.a if self.q == 1 else None

    def ball(self) -> Ball:
        """A ball around the number, at the working precision."""
        if self.q == 1:
            return enclose(self.a)
        log = enclose(self.q).log()
        return log if self.a == 0 else enclose(self.a) + log

    def sign(self) -> int:
        """-1, 0 or 1, exactly: a + log q is zero only if a = 0 and q = 1 (Lindemann)."""
        if self.q == 1:
            return _sign(self.a)
        if self.a == 0:
            return _sign(self.q - 1)
        if (self.a > 0) == (self.q > 1):
            return _sign(self.a)
        bits = 64
        while True:
            with working_precision(bits):
                ball = self.ball()
            if ball > 0:
                return 1
            if ball < 0:
                return -1
            bits *= 2

    def __lt__(self, other: "LogRational") -> bool:
        return self.a < other.a if self.q == other.q else (self - other).sign() < 0

    def __le__(self, other: "LogRational") -> bool:
        return self.a <= other.a if self.q == other.q else (self - other).sign() <= 0

    def __float__(self) -> float:
        return float(self.ball())


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)


def _root(value: Fraction, degree: int) -> Fraction | None:
    """The exact positive root, or None if it is irrational."""
    if degree == 1:
        return value
    numerator, denominator = _integer_root(value.numerator, degree), _integer_root(value.denominator, degree)
    if numerator**degree != value.numerator or denominator**degree != value.denominator:
        return None
    return Fraction(numerator, denominator)


def _integer_root(value: int, degree: int) -> int:
    low, high = 0, 1 << (value.bit_length() // degree + 1)
    while low < high:
        middle = (low + high + 1) // 2
        if middle**degree <= value:
            low = middle
        else:
            high = middle - 1
    return low
