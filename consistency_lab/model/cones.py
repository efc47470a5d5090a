"""Linear forms in the differences d_ij, and the rows that cut a condition's cone out of one shape.

An unknown is d_ij with i < j. A shape is a naturally labeled relation (see `posets`): d_ij >= 0 on its pairs
and d_ij = 0 on the others. The conditions themselves are in `conditions`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import final

from consistency_lab.errors import InputError
from consistency_lab.model.posets import Relation

LinearForm = Mapping[tuple[int, int], Fraction]
"""sum of c_ij d_ij over pairs i < j; absent pairs have coefficient 0."""


@final
@dataclass(frozen=True, slots=True)
class Cone:
    """The closed cone of a condition over one shape of the difference graph.

    d belongs to it if all `equalities` are 0 and all `inequalities` at least 0. If moreover all `strict`
    forms are above 0, then the difference graph has exactly this shape and the condition holds, and
    conversely.

    Parameters
    ----------
    equalities, inequalities, strict
        Linear forms in d_ij, i < j; `strict` is a part of `inequalities`.
    """

    equalities: tuple[LinearForm, ...]
    inequalities: tuple[LinearForm, ...]
    strict: tuple[LinearForm, ...]

    def joined(self, other: "Cone") -> "Cone":
        """The intersection: the rows of both."""
        return Cone(
            self.equalities + other.equalities,
            self.inequalities + other.inequalities,
            self.strict + other.strict,
        )


def shape_rows(relation: Relation, m: int) -> Cone:
    """d_ij >= 0 on the relation, d_ij = 0 elsewhere.

    Raises
    ------
    InputError
        If a pair of `relation` is not i < j < m.
    """
    for i, j in relation:
        if not 0 <= i < j < m:
            raise InputError(f"the pair ({i}, {j}) is not naturally labeled; it must be i < j < {m}")
    positive = tuple(form({pair: 1}) for pair in sorted(relation))
    zero = tuple(form({pair: 1}) for pair in combinations(range(m), 2) if pair not in relation)
    return Cone(zero, positive, positive)


def form(coefficients: Mapping[tuple[int, int], int | Fraction]) -> LinearForm:
    """A linear form without its zero coefficients."""
    return {pair: Fraction(c) for pair, c in coefficients.items() if c}


def net_gap(i: int, k: int, m: int) -> LinearForm:
    """N_i - N_k as a linear form, where N_i = sum over j of d_ij (DMJ10 Eq. 15).

    Examples
    --------
    >>> {pair: int(c) for pair, c in net_gap(0, 2, 3).items()}
    {(0, 1): 1, (0, 2): 2, (1, 2): 1}
    """
    total: dict[tuple[int, int], int] = {}
    for item, sign in ((i, 1), (k, -1)):
        for j in range(m):
            pair = (item, j) if item < j else (j, item)
            if j != item:
                total[pair] = total.get(pair, 0) + (sign if item < j else -sign)
    return form(dict(sorted(total.items())))


def combined(parts: Iterable[tuple[Fraction, LinearForm]]) -> LinearForm:
    """The sum of multiples of linear forms, its pairs in order."""
    total: dict[tuple[int, int], Fraction] = {}
    for factor, part in parts:
        for pair, c in part.items():
            total[pair] = total.get(pair, Fraction(0)) + factor * c
    return form(dict(sorted(total.items())))
