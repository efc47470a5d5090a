"""The gain and discount formulas that a user types: read once, evaluated exactly where that is possible."""

from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise

from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.exact import LogRational, working_precision
from consistency_lab.model.tasks.real import Exact, Real
from consistency_lab.model.tasks.task import PRECISION, certainly_above
from consistency_lab.phi import Expression, build, exact_value, number


def gains_of(gain: Expression, grades: Iterable[int]) -> dict[int, Fraction]:
    """G(s) for each grade.

    Raises
    ------
    InputError
        If G is negative somewhere or falls.
    UnsupportedError
        If G is irrational at a grade.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> gains_of(parse("2**s-1", "s"), (0, 1, 2))[2]
    Fraction(3, 1)
    """
    found: dict[int, Fraction] = {}
    for grade in grades:
        exact = exact_value(gain, LogRational(Fraction(grade)))
        value = None if exact is None else exact.as_rational()
        if value is None:
            raise UnsupportedError(
                f"the gain {gain.text('s')} is not known to be rational at the grade {grade}; "
                "use a gain such as 2**s-1 or s"
            )
        if value < 0:
            raise InputError(
                f"the gain {gain.text('s')} is {value} at the grade {grade}; it must be at least 0"
            )
        found[grade] = value
    for low, high in pairwise(found):
        if found[low] > found[high]:
            raise InputError(
                f"the gain {gain.text('s')} falls from grade {low} to grade {high}; it must not fall"
            )
    return found


def discounts_of(discount: Expression, positions: int, k: int | None = None) -> tuple[Real, ...]:
    """1/F(j) for the positions j = 1..positions, 0 after position k.

    Raises
    ------
    InputError
        If F is not positive, or falls somewhere.

    Examples
    --------
    >>> from consistency_lab.phi import parse
    >>> discounts_of(parse("j", "j"), 3, k=2)
    (Fraction(1, 1), Fraction(1, 2), Fraction(0, 1))
    """
    counted = positions if k is None else min(k, positions)
    # Positions that do not count are looked at too: a discount that falls there is 1/F, typed for F.
    found: list[Real] = []
    with working_precision(PRECISION):
        for j in range(1, positions + 1):
            exact = exact_value(discount, LogRational(Fraction(j)))
            value = None if exact is None else exact.as_rational()
            number: Real = Exact.of(_at(discount, j)) if value is None else value
            if not number > 0:
                raise InputError(f"the discount {discount.text('j')} must be positive at position {j}")
            found.append(1 / number)
        for j, (high, low) in enumerate(pairwise(found), start=1):
            if certainly_above(low, high):
                raise InputError(
                    f"the discount {discount.text('j')} falls from position {j} to position {j + 1}; "
                    "it must not fall"
                )
    return (*found[:counted], *(Fraction(0) for _ in range(positions - counted)))


def _at(e: Expression, j: int) -> Expression:
    """The expression with the number j for its variable."""
    if e.op == "variable":
        return number(j)
    return e if e.value is not None else build(e.op, *(_at(child, j) for child in e.args))


def check_counted(k: int | None) -> None:
    """Refuse a number of positions that count.

    Raises
    ------
    InputError
        If it is not at least 1.
    """
    if k is not None and k < 1:
        raise InputError(f"the number k of positions is {k}; it must be at least 1")
