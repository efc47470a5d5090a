"""What many risks have in common: the functions, directions and offsets of their terms, as arrays."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.errors import InputError
from consistency_lab.exact import LogRational
from consistency_lab.model.surrogates import Term
from consistency_lab.phi import Expression
from consistency_lab.solve.numeric import compiled

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


@final
@dataclass(frozen=True, eq=False)
class RiskStructure:
    """The terms of W(alpha) = sum_t c_t phi_t(<v_t, alpha> - b_t) without their coefficients.

    Build one with `of` or `stack`; then a risk is a row of coefficients, and a batch is a matrix.

    Parameters
    ----------
    m
        The number of items.
    functions
        The distinct scalar functions.
    function_index
        Shape (T,): which function each term has.
    V
        Shape (T, m): the directions v_t.
    b
        Shape (T,): the offsets in floats.
    offsets
        The offsets exactly.
    """

    m: int
    functions: tuple[Expression, ...]
    function_index: Integers
    V: Integers
    b: Array
    offsets: tuple[LogRational, ...]

    @staticmethod
    def of(terms: Sequence[Term], m: int) -> "RiskStructure":
        """The structure of one risk; terms that share function, direction and offset are one.

        Raises
        ------
        InputError
            If a term names an item that is not there.
        """
        return stack([terms], m)[0]

    @cached_property
    def shift_invariant(self) -> bool:
        """Whether adding a constant to all scores changes nothing: every v_t sums to 0."""
        return not self.V.sum(axis=1).any()

    def value(self, C: Array, scores: Array) -> Array:
        """W at one point for each row of coefficients.

        Parameters
        ----------
        C
            Shape (B, T).
        scores
            Shape (B, m).

        Returns
        -------
        Shape (B,); what leaves the range of floats is infinite or NaN, without a warning.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            x = scores @ self.V.T - self.b
            values = np.empty_like(x)
            for k, phi in enumerate(self.functions):
                chosen = self.function_index == k
                values[:, chosen] = compiled(phi)(x[:, chosen])[0]
            return np.asarray(np.einsum("bt,bt->b", C, values))


def stack(term_lists: Sequence[Sequence[Term]], m: int) -> tuple[RiskStructure, Array]:
    """The structure that several risks share (the union of their terms), and their coefficients.

    Returns
    -------
    structure
        The union, in order of first appearance.
    C
        Shape (B, T): row k holds the coefficients of the k-th risk.

    Raises
    ------
    InputError
        If a term names an item that is not there.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from consistency_lab.model.surrogates import pair
    >>> from consistency_lab.phi import parse
    >>> phi = parse("exp(-x)")
    >>> structure, C = stack([[pair(Fraction(1), phi, 0, 1)], [pair(Fraction(2), phi, 1, 0)]], 2)
    >>> structure.V.tolist(), C.tolist()
    ([[1, -1], [-1, 1]], [[1.0, 0.0], [0.0, 2.0]])
    """
    place: dict[tuple[Expression, tuple[tuple[int, int], ...], LogRational], int] = {}
    for terms in term_lists:
        for term in terms:
            place.setdefault(term.key, len(place))
    functions: dict[Expression, int] = {}
    V = np.zeros((len(place), m), dtype=np.int64)
    for t, (phi, v, _) in enumerate(place):
        functions.setdefault(phi, len(functions))
        for item, n in v:
            if not 0 <= item < m:
                raise InputError(f"a term names item {item}, but items are 0..{m - 1}")
            V[t, item] = n
    C = np.zeros((len(term_lists), len(place)))
    for row, terms in enumerate(term_lists):
        for term in terms:
            C[row, place[term.key]] += float(term.c)
    offsets = tuple(b for _, _, b in place)
    index = np.array([functions[phi] for phi, _, _ in place], dtype=np.int64)
    b = np.array([float(x) for x in offsets], dtype=np.float64)
    return RiskStructure(m, tuple(functions), index, V, b, offsets), C
