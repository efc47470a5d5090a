"""Numbers a + log q with a and q rational: the scores at which familiar losses have rational slopes.

The slope of log(1 + exp(-x)) at x = log q is -1/(1 + q) and that of exp(-x) is -1/q (see the table of
scalar losses in the documentation), so gradients can be exactly zero.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

from consistency_lab.errors import InputError
from consistency_lab.exact.enclosure import Ball, enclose, working_precision
from consistency_lab.exact.rational import MAX_DIGITS, rational, rational_text

_MAX_POWER: Final = 4096
_LOG = re.compile(r"(?:(?P<a>[^()]+?)\+)?log\((?P<q>[^()]+)\)", re.ASCII)


@final
@dataclass(frozen=True, slots=True)
class LogRational:
    """The real number ``a + log(q)``.

    Parameters
    ----------
    a
        The rational part.
    q
        A positive rational, 1 if there is no logarithm.

    Examples
    --------
    >>> x = LogRational.parse("1/2+log(3)")
    >>> x - LogRational(Fraction(1, 2))
    LogRational(a=Fraction(0, 1), q=Fraction(3, 1))
    >>> str(x), x.sign()
    ('1/2+log(3)', 1)
    """

    a: Fraction
    q: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        for name in ("a", "q"):
            if type(getattr(self, name)) is not Fraction:
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
        if self.a == 0 or self.q == 1:
            return _sign(self.a) or _sign(self.q - 1)
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
        return (self - other).sign() < 0

    def __le__(self, other: "LogRational") -> bool:
        return (self - other).sign() <= 0

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
