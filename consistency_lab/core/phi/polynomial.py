"""Questions about the sign of one rational polynomial on an interval, decided exactly.

Sturm's theorem counts real roots; FLINT factors over the rationals. An interval is open and given by its
ends, None standing for minus or plus infinity.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from flint import fmpq_poly

from consistency_lab.exact.linear import fraction, quotient

Polynomial = fmpq_poly
End = Fraction | None


def polynomial(coefficients: Sequence[Fraction]) -> Polynomial:
    """The polynomial with these coefficients, the constant one first."""
    return fmpq_poly([quotient(c) for c in coefficients])


def value(p: Polynomial, x: Fraction) -> Fraction:
    """The value at x."""
    return fraction(p(quotient(x)))


def is_nonnegative(p: Polynomial, low: End, high: End) -> bool:
    """Whether p >= 0 everywhere between `low` and `high`: decided, never a guess.

    Examples
    --------
    >>> is_nonnegative(polynomial([Fraction(1), Fraction(-2), Fraction(1)]), None, None)
    True
    >>> is_nonnegative(polynomial([Fraction(0), Fraction(1)]), Fraction(-1), None)
    False
    """
    return sign(p, low, high) in (0, 1)


def sign(p: Polynomial, low: End, high: End) -> int | None:
    """The one sign that p has between `low` and `high` (zeros aside), 0 if p = 0, None if it changes."""
    if p.degree() < 0:
        return 0
    if any(count_roots(factor, low, high) for factor in _odd_factors(p)):
        return None
    return _sample(p, low, high)


def sign_changes(p: Polynomial, low: End, high: End) -> list[Fraction] | None:
    """Where p changes sign between `low` and `high`, in order; None if one such place is irrational."""
    places = []
    for factor in _odd_factors(p):
        if not count_roots(factor, low, high):
            continue
        for prime, _ in factor.factor()[1]:
            count = count_roots(prime, low, high)
            if count and prime.degree() > 1:
                return None
            if count:
                places.append(fraction(-prime[0] / prime[1]))
    return sorted(places)


def rational_roots(p: Polynomial, low: End, high: End) -> list[Fraction]:
    """The rational roots between `low` and `high`, in order."""
    if p.degree() < 1:
        return []
    linear = [prime for prime, _ in p.factor()[1] if prime.degree() == 1]
    return sorted(fraction(-prime[0] / prime[1]) for prime in linear if count_roots(prime, low, high))


def _odd_factors(p: Polynomial) -> list[Polynomial]:
    """Square-free factors at whose roots p changes sign."""
    if p.degree() < 1:
        return []
    return [factor for factor, multiplicity in p.factor_squarefree()[1] if multiplicity % 2]


def count_roots(p: Polynomial, low: End, high: End) -> int:
    """The number of real roots of a square-free polynomial strictly between `low` and `high` (Sturm)."""
    chain = [p, p.derivative()]
    while chain[-1].degree() > 0:
        chain.append(-(chain[-2] % chain[-1]))
    at_end = int(high is not None and value(p, high) == 0)
    return _variations(chain, low, -1) - _variations(chain, high, 1) - at_end


def _variations(chain: Sequence[Polynomial], x: End, side: int) -> int:
    """Sign changes along the chain at x, or at `side` times infinity."""
    signs = [_sign_at(p, x, side) for p in chain]
    kept = [s for s in signs if s]
    return sum(a != b for a, b in pairwise(kept))


def _sign_at(p: Polynomial, x: End, side: int) -> int:
    degree = p.degree()
    found = p[degree] * (side**degree) if x is None else p(quotient(x))
    return int(found > 0) - int(found < 0)


def _sample(p: Polynomial, low: End, high: End) -> int:
    """The sign at some point between `low` and `high` that is not a root."""
    start = low if low is not None else (high or Fraction(0)) - 1
    width = (high if high is not None else start + 1) - start
    tries = p.degree() + 1
    signs = (_sign_at(p, start + width * Fraction(k, tries + 1), 1) for k in range(1, tries + 1))
    return next(s for s in signs if s)
