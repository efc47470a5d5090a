"""Normal forms: sums of products of factors that are neither. Equal forms are equal numbers.

The converse does not hold: two forms of one number may differ, which then is not known to be equal.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, final

from consistency_lab.numbers.expression import Algebra, Expression, act, fold
from consistency_lab.numbers.tape import Real, walked

Monomial = frozenset[tuple[Any, Fraction]]
"""Powers of atoms; an atom is an operation and what it is done to."""

Form = frozenset[tuple[Monomial, Fraction]]
"""A sum of monomials, each with its coefficient."""

ZERO: Final[Form] = frozenset()


class Normal(Algebra[Form], ABC):
    """Forms by the rules of rings, and more where products are `gathered`."""

    def variable(self) -> Form:
        return atom("x", None)

    @abstractmethod
    def gathered(self, monomial: Monomial) -> Monomial:
        """A product in normal form."""

    def number(self, value: Fraction) -> Form:
        return frozenset({(frozenset(), value)} if value else ())

    def add(self, u: Form, v: Form) -> Form:
        return add_up((*u, *v))

    def negate(self, u: Form) -> Form:
        return frozenset((monomial, -c) for monomial, c in u)

    def multiply(self, u: Form, v: Form) -> Form:
        return add_up((self.gathered(_product(a, b)), c * d) for a, c in u for b, d in v)

    def power(self, u: Form, exponent: Fraction) -> Form:
        n = int(exponent)
        if n == exponent and 0 <= n <= 4:
            found = self.number(Fraction(1))
            for _ in range(n):
                found = self.multiply(found, u)
            return found
        if n == exponent and len(u) == 1:
            ((monomial, c),) = u
            return frozenset({(self.gathered(frozenset((a, k * n) for a, k in monomial)), c**n)})
        return frozenset({(frozenset({(("sum", u), exponent)}), Fraction(1))})

    def exp(self, u: Form) -> Form:
        return atom("exp", u)

    def log(self, u: Form) -> Form:
        return atom("log", u)

    def maximum(self, parts: Sequence[Form]) -> Form:
        return atom("max", frozenset(parts))


def atom(op: str, of: object) -> Form:
    """An operation on a form, kept as one atom."""
    return frozenset({(frozenset({((op, of), Fraction(1))}), Fraction(1))})


def add_up(terms: Iterable[tuple[Monomial, Fraction]]) -> Form:
    """The sum of monomials with coefficients."""
    total: dict[Monomial, Fraction] = {}
    for monomial, c in terms:
        total[monomial] = total.get(monomial, Fraction(0)) + c
    return frozenset((monomial, c) for monomial, c in total.items() if c)


def _product(a: Monomial, b: Monomial) -> Monomial:
    if not (a and b):
        return a or b
    total: dict[Any, Fraction] = {}
    for one, n in (*a, *b):
        total[one] = total.get(one, Fraction(0)) + n
    return frozenset(total.items())


def value(u: Form) -> Fraction | None:
    """The value of a constant form, None for others."""
    return Fraction(0) if not u else dict(u).get(frozenset()) if len(u) == 1 else None


# --- Whether two constants are equal ---------------------------------------------------------------------

_LARGEST_PRIME: Final = 1000


@final
class Rings(Normal):
    """By the rules of rings alone: equal forms are equal functions, wherever both have a value."""

    def gathered(self, monomial: Monomial) -> Monomial:
        return monomial


@final
class _Constants(Normal):
    """Of numbers that are not zero: powers cancel, and logarithms of whole numbers are told by primes."""

    def gathered(self, monomial: Monomial) -> Monomial:
        return frozenset((one, n) for one, n in monomial if n)

    def power(self, u: Form, exponent: Fraction) -> Form:
        if len(u) > 1 and exponent.denominator == 1 and exponent < 0:
            # Multiples of one sum are told alike: by its proportions to a term that is the same in all.
            c = min(u, key=lambda term: hash(term[0]))[1]
            one = frozenset((monomial, d / c) for monomial, d in u)
            return frozenset({(frozenset({(("sum", one), exponent)}), c ** int(exponent))})
        return Normal.power(self, u, exponent)

    def log(self, u: Form) -> Form:
        n = value(u) or Fraction(0)
        if n.denominator > 1 or n <= 0:
            return atom("log", u)
        return frozenset(
            (frozenset({(("log", p), Fraction(1))}), Fraction(k)) for p, k in _factors(n.numerator).items()
        )


_CONSTANTS: Final = _Constants()


def certainly_equal(left: Real, right: Real) -> bool:
    """Whether two numbers are proved equal: both are the same sum of products of logarithms and inverses.

    Examples
    --------
    >>> from consistency_lab.numbers.expression import parse
    >>> from consistency_lab.numbers.tape import Number
    >>> x, y = (Number.of(parse(text)) for text in ("1/(1+1/log2(3))", "3/(3/log2(2)+3/log2(3))"))
    >>> certainly_equal(x, y), certainly_equal(x, Fraction(1, 2))
    (True, False)
    """

    def leaf(of: Fraction | Expression) -> Form:
        return _CONSTANTS.number(of) if isinstance(of, Fraction) else fold(of, _CONSTANTS)

    if left is right:
        return True
    return walked([left - right], leaf, lambda op, *parts: act(op, parts, _CONSTANTS)) == [ZERO]


@lru_cache(maxsize=1024)
def _factors(n: int) -> dict[int, int]:
    """The primes of n and their powers; what is left of a number with large ones counts as one."""
    found: dict[int, int] = {}
    for p in range(2, _LARGEST_PRIME):
        while n % p == 0:
            found[p], n = found.get(p, 0) + 1, n // p
    return found if n == 1 else {**found, n: 1}
