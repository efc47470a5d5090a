"""Designs: how often each pair of items is compared, told by n_ij = a_ij + a_ji alone.

    balanced ⊂ product ⊂ complete ⊂ any,    balanced ⊂ ratio:r ⊂ complete,    forest ⊂ any.

A design limits a distribution beside a noise condition. Bradley-Terry scores that are right under one design
may be wrong under another, with the same chances P_ij = a_ij/n_ij (docs/designs.md).
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen
from consistency_lab.numbers.exact import rational, rational_text

Matrix = Sequence[Sequence[Fraction | int]]


def schedule(a: Matrix) -> list[list[Fraction]]:
    """n_ij = a_ij + a_ji."""
    return [[Fraction(x) + Fraction(a[j][i]) for j, x in enumerate(row)] for i, row in enumerate(a)]


@frozen
class Design:
    """One design, or one of a family with a number; it is the same for every multiple of n."""

    name: str  #: What the command line calls it.
    title: str  #: How often pairs are compared, in the words of an answer.
    statement: str  #: The design in LaTeX.
    words: str  #: The same in plain text.
    larger: tuple[str, ...]  #: The next larger designs, which contain it.
    test: Callable[[Matrix], bool]  #: Whether a schedule n has it.
    ratio: Fraction | None = None  #: It is all schedules with n_ij at most this many times n_kl, if it is.

    def holds(self, a: Matrix) -> bool:
        """Whether the schedule of an aggregate has it."""
        return self.test(schedule(a))


def _pairs(n: Matrix) -> list[Fraction | int]:
    return [n[i][j] for i, j in combinations(range(len(n)), 2)]


def ratio(n: Matrix) -> Fraction | None:
    """How many times as often the most compared pair is compared as the least; None if one never is."""
    counts = _pairs(n)
    least = min(counts, default=1)
    return Fraction(max(counts, default=1)) / Fraction(least) if least > 0 else None


def _is_product(n: Matrix) -> bool:
    """n_ik n_jl = n_il n_jk for all different i, j, k, l; every complete design on 3 items is one."""
    m = len(n)
    if not _is_complete(n):
        return False
    if m <= 3:
        return True
    x = [[Fraction(value) for value in row] for row in n]
    # squares[i] = w_i^2; then n_ij^2 = w_i^2 w_j^2 says that n is a product, for n and w are positive.
    others = [(int(i == 0), m - 1 - int(i == m - 1)) for i in range(m)]
    squares = [x[i][k] * x[i][h] / x[k][h] for i, (k, h) in enumerate(others)]
    return all(x[i][j] ** 2 == squares[i] * squares[j] for i, j in combinations(range(m), 2))


def _is_complete(n: Matrix) -> bool:
    return all(value > 0 for value in _pairs(n))


def _parts(n: Matrix) -> int:
    """The number of connected parts of the graph of compared pairs."""
    part = list(range(len(n)))
    for i, j in combinations(range(len(n)), 2):
        if n[i][j] > 0 and part[i] != part[j]:
            old, new = part[j], part[i]
            part = [new if p == old else p for p in part]
    return len(set(part))


BALANCED: Final = Design(
    "balanced",
    "equally often",
    r"n_{ij} = n_{kl}",
    "all n_ij are equal",
    ("product",),
    lambda n: ratio(n) == 1,
    Fraction(1),
)
PRODUCT: Final = Design(
    "product",
    "by popularity",
    r"n_{ij} = w_i w_j,\ w > 0",
    "n_ij = w_i w_j, any popularities w > 0",
    ("complete",),
    _is_product,
)
COMPLETE: Final = Design(
    "complete", "each at least once", r"n_{ij} > 0", "all n_ij > 0", ("any",), _is_complete
)
FOREST: Final = Design(
    "forest",
    "without a cycle",
    r"\{\{i,j\} : n_{ij} > 0\} \text{ is a forest}",
    "the compared pairs form no cycle",
    ("any",),
    # No cycle: each compared pair joins two parts that were apart.
    lambda n: sum(x > 0 for x in _pairs(n)) == len(n) - _parts(n),
)
ANY: Final = Design(
    "any", "any number of times", r"\text{every } n", "it asks for nothing", (), lambda n: True
)

DESIGNS: Final = MappingProxyType({row.name: row for row in (BALANCED, PRODUCT, COMPLETE, FOREST, ANY)})
"""The designs without a number; ``ratio:R`` is one for each R."""

_RATIO: Final = "ratio:"
_MOST: Final = 10**9
"""Largest ratio, so that counts and their products fit into machine numbers."""


def design(name: str) -> Design:
    """Look a design up."""
    if name in DESIGNS:
        return DESIGNS[name]
    if not name.startswith(_RATIO):
        raise InputError(f"there is no design {name!r}; the designs are {', '.join(DESIGNS)} and {_RATIO}R")
    most = rational(name.removeprefix(_RATIO), "the ratio of a design")
    if most < 1:
        raise InputError(f"the ratio of a design is {most}; it must be at least 1")
    if most > _MOST:
        raise InputError(f"the ratio of a design is above {_MOST:,}; leave the design out, or name complete")
    if most == 1:
        return BALANCED
    shown = rational_text(most)
    return Design(
        f"{_RATIO}{shown}",
        f"at most {shown} times each other",
        rf"n_{{ij}} \le {shown}\, n_{{kl}}",
        f"no n_ij is more than {shown} times another",
        ("complete",),
        lambda n: (found := ratio(n)) is not None and found <= most,
        most,
    )


def design_implies(smaller: str, larger: str) -> bool:
    """Whether every schedule of one design has the other."""
    known, wanted = design(smaller), design(larger)
    if wanted.name in {known.name, "any"}:
        return True
    if wanted.name.startswith(_RATIO):
        most = rational(wanted.name.removeprefix(_RATIO))
        return known.name == "balanced" or (
            known.name.startswith(_RATIO) and rational(known.name.removeprefix(_RATIO)) <= most
        )
    return any(design_implies(above, wanted.name) for above in known.larger)


# --- The design of a profile, described ------------------------------------------------------------------


@frozen
class Described:
    """How often the pairs of a profile are compared."""

    pairs: int  #: How many pairs there are.
    compared: int  #: How many of them are compared at all.
    ratio: Fraction | None  #: Of the most to the least compared pair; None if one is never compared.
    parts: int  #: The number of connected parts of the graph of compared pairs.
    #: The Kullback-Leibler divergence of n/sum n from the product design with the same row sums, in nats; the
    #: product design that is nearest in this sense. 0 only for a product.
    divergence: float
    names: tuple[str, ...]  #: The designs of the table that it has.


def described(a: Matrix) -> Described:
    """Describe the design of an aggregate."""
    n = [[x + a[j][i] for j, x in enumerate(row)] for i, row in enumerate(a)]
    counts = _pairs(n)
    names = tuple(row.name for row in DESIGNS.values() if row.test(n))
    most = max(counts, default=0) or 1
    shares = np.array([[float(x / most) for x in row] for row in n])  # numbers beyond floats have shares too
    divergence = 0.0 if "product" in names else _divergence(shares)
    return Described(len(counts), sum(x > 0 for x in counts), ratio(n), _parts(n), divergence, names)


_ROUNDS: Final = 10_000
_STEADY: Final = 1e-13


def nearest_product(n: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weights w of the design w_i w_j with the row sums of n that is nearest by Kullback and Leibler."""
    rows: NDArray[np.float64] = n.sum(axis=1)
    w: NDArray[np.float64] = rows / np.sqrt(rows.sum() or 1)
    for _ in range(_ROUNDS):
        rest = w.sum() - w
        # The plain step w_i = r_i / rest swings between two points; its geometric mean with w does not.
        new: NDArray[np.float64] = np.sqrt(w * np.divide(rows, rest, out=np.zeros_like(rows), where=rest > 0))
        if np.abs(new - w).max(initial=0) <= _STEADY * w.max(initial=0):
            return new
        w = new
    return w


def _divergence(n: NDArray[np.float64]) -> float:
    """Of n/sum n from the nearest product, both as distributions over ordered pairs."""
    w = nearest_product(n)
    seen = n > 0
    if not seen.any():
        return 0.0
    near = np.outer(w, w)
    np.fill_diagonal(near, 0)
    share, other = n[seen] / n.sum(), near[seen] / near.sum()
    return max(0.0, float((share * np.log(share / other)).sum()))
