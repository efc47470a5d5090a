"""Random trees for the property tests of this folder."""

from fractions import Fraction
from functools import reduce

import pytest
from hypothesis import strategies as st

from consistency_lab.errors import InputError
from consistency_lab.numbers.phi import X, build, number

_EXPONENTS = [*map(Fraction, (-2, -1, 0, 1, 2, 3, 4)), Fraction(1, 2), Fraction(3, 2), Fraction(-1, 3)]
_BINARY = ["add", "subtract", "multiply", "divide"]
_UNARY = ["negate", "exp", "log", "sqrt", "abs"]


def _grow(children):
    return st.one_of(
        st.builds(_attempt, st.sampled_from(_BINARY), st.tuples(children, children)),
        st.builds(_attempt, st.sampled_from(_UNARY), st.tuples(children)),
        st.builds(_attempt, st.just("power"), st.tuples(children, st.sampled_from(_EXPONENTS).map(number))),
        st.builds(_attempt, st.sampled_from(["max", "min"]), st.lists(children, min_size=2, max_size=3)),
    )


def _attempt(op, args):
    """The tree, or its arguments' sum where there is none (a division by the constant 0)."""
    try:
        return build(op, *args)
    except InputError:
        return reduce(lambda u, v: u + v, args)


def _scaled(e):
    return build("subtract", number(1), e)


@pytest.fixture(scope="session")
def rationals():
    return st.integers(-24, 24).map(lambda n: Fraction(n, 6))


@pytest.fixture(scope="session")
def trees(rationals):
    """Trees of all operations."""
    leaves = st.one_of(st.just(X), rationals.map(number))
    return st.recursive(leaves, _grow, max_leaves=8)


@pytest.fixture(scope="session")
def shaped_trees(rationals):
    """Trees that grow from convex and monotone parts, so that the rules have something to prove."""
    leaves = st.one_of(
        st.just(X),
        st.sampled_from([-X, 1 - X, X * X + 1, build("exp", X), build("exp", -X), build("abs", X)]),
        rationals.map(number),
    )
    return st.recursive(leaves, _grow, max_leaves=5)


@pytest.fixture(scope="session")
def polynomial_trees(rationals):
    """Trees of polynomials, maxima, minima and absolute values."""
    leaves = st.one_of(st.just(X), rationals.map(number))

    def grow(children):
        return st.one_of(
            st.builds(
                _attempt, st.sampled_from(["add", "subtract", "multiply"]), st.tuples(children, children)
            ),
            st.builds(_attempt, st.sampled_from(["max", "min"]), st.lists(children, min_size=2, max_size=3)),
            st.builds(_attempt, st.sampled_from(["negate", "abs"]), st.tuples(children)),
            st.builds(_scaled, children),
        )

    return st.recursive(leaves, grow, max_leaves=6)
