"""The value-regularized linear loss and the order of net preferences (DMJ10 Theorem 13, Lemma 14)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any, Final

from consistency_lab.book.polynomials import is_positive, sp, vanishes
from consistency_lab.book.statement import (
    Line,
)
from consistency_lab.frozen import frozen
from consistency_lab.model.posets import (
    Cone,
    LinearForm,
    Relation,
    form,
    is_transitive,
    net_gap,
    posets,
)
from consistency_lab.theorems.infeasibility import Multipliers, by_triples, third_item

# --- The value-regularized linear loss: its minimizer, and why it orders the items by net preference -----
# The steps of DMJ10 Theorem 13, each an identity for one pair of items, so that it holds for any number.


@frozen
class Inverse:
    """A regularizer with the closed form of the inverse s of its slope (DMJ10 Eq. 15)."""

    #: r(x) and s(g) = (r')^{-1}(g), as readable text.
    r: str
    s: str
    #: From SymPy, x and a parameter u: r(x), and s and g along the graph of s.
    curve: Callable[[Any, Any, Any], tuple[Any, Any, Any]]
    #: The signs of u: (0,) for all real u at once, (1, -1) for one side of 0 after the other.
    sides: tuple[int, ...] = (0,)


INVERSES: Final = (
    Inverse("x²/2", "g", lambda sp, x, u: (x**2 / 2, u, u)),
    Inverse(
        "x⁴/4 + x²/2",
        "(2/√3) sinh(arsinh(3√3 g/2)/3)",
        lambda sp, x, u: (
            x**4 / 4 + x**2 / 2,
            2 / sp.sqrt(3) * sp.sinh(u),
            2 / (3 * sp.sqrt(3)) * sp.sinh(3 * u),
        ),
    ),
    Inverse("eˣ + e⁻ˣ", "arsinh(g/2)", lambda sp, x, u: (sp.exp(x) + sp.exp(-x), u, 2 * sp.sinh(u))),
    Inverse("x⁴/4", "the real cube root of g", lambda sp, x, u: (x**4 / 4, u, u**3), (1, -1)),
)
"""Regularizers whose s is known in closed form; r need not have r'' > 0 (x⁴/4 at 0)."""


def risk_lines() -> list[Line]:
    """W(p, alpha) = sum_i (nu r(alpha_i) - N_i alpha_i), pair by pair."""
    a, b, x, y = sp.symbols("a_ij a_ji alpha_i alpha_j", real=True)
    pair = a * (y - x) + b * (x - y)
    split = -(a - b) * x - (b - a) * y
    return [vanishes("a_ij(α_j − α_i) + a_ji(α_i − α_j) = −d_ij α_i − d_ji α_j", pair - split)]


def inverse_lines(inverse: Inverse) -> list[Line]:
    """r'(s) = g along the graph of s, where both s and g rise."""
    lines = []
    for side in inverse.sides:
        x = sp.Symbol("x", real=True)
        t = sp.Symbol("t", positive=True) if side else sp.Symbol("t", real=True)
        r, s, g = inverse.curve(sp, x, side * t if side else t)
        where = {1: " for g > 0", -1: " for g < 0", 0: ""}[side]
        residual = sp.expand_trig(sp.diff(r, x).subs(x, s) - g)
        rises = [is_positive("", sp.diff(f, t) * (side or 1)).holds for f in (s, g)]
        lines += [
            vanishes(f"r = {inverse.r}: r'(s(g)) = g{where} with s(g) = {inverse.s}", residual),
            Line(f"    and s strictly increases{where}", all(rises)),
        ]
    return lines


def monotone_lines() -> list[Line]:
    """Slopes in order force minimizers in order, for every convex differentiable r at once."""
    x1, x2, r1, r2, g1, g2 = sp.symbols("x1 x2 r1 r2 g1 g2", real=True)
    above_first = r2 - r1 - g1 * (x2 - x1)
    above_second = r1 - r2 - g2 * (x1 - x2)
    return [
        vanishes(
            "(r₂ − r₁ − g₁(x₂−x₁)) + (r₁ − r₂ − g₂(x₁−x₂)) = (g₂−g₁)(x₂−x₁)",
            above_first + above_second - (g2 - g1) * (x2 - x1),
        )
    ]


def kink_lines() -> list[Line]:
    """At a kink with slopes c-e..c+e, additive differences put two net preferences inside."""
    c = sp.Symbol("c", real=True)
    e, nu = sp.symbols("e nu", positive=True)
    nets = (nu * (c + e), nu * (c - e), -2 * nu * c)
    y = [net / 3 for net in nets]
    sums = [sum(y[i] - y[j] for j in range(3)) for i in range(3)]
    return [
        *(
            vanishes(f"y_{i + 1} = N_{i + 1}/3 gives Σ_j (y_{i + 1} − y_j) = N_{i + 1}", total - net)
            for i, (total, net) in enumerate(zip(sums, nets, strict=True))
        ),
        is_positive("d_12 = y_1 − y_2 = 2νe/3 > 0", sp.simplify(y[0] - y[1])),
    ]


# --- From conditions on three items to the order of net preferences: DMJ10 Lemma 14 as linear algebra ----
# The argument is that of `theorems.infeasibility`, with Farkas multipliers that are stored for three items.

RowsOf = Callable[[Relation, int], Cone]
"""What a condition says of a shape on m items, as `model.posets.low_noise_rows` does."""

Vector = Sequence[Fraction]

_ZERO: Final = Fraction(0)
_ONE: Final = Fraction(1)
_PAIRS: Final = tuple(combinations(range(3), 2))


def larger_rows(relation: Relation, m: int) -> Cone:
    """d_ik >= d_ij and d_ik >= d_jk along every path of two edges: weaker than low noise.

    Examples
    --------
    >>> from consistency_lab.model.posets import chain
    >>> [{pair: int(c) for pair, c in row.items()} for row in larger_rows(chain(3), 3).inequalities]
    [{(0, 2): 1, (0, 1): -1}, {(0, 2): 1, (1, 2): -1}]
    """
    pairs = sorted(relation)
    paths = [(i, j, k) for i, j in pairs for h, k in pairs if h == j]
    rows = [form({(i, k): 1, part: -1}) for i, j, k in paths for part in ((i, j), (j, k))]
    return Cone((), tuple(rows), ())


System = tuple[list[list[Fraction]], list[Fraction]]
"""A and b of A x <= b in the weights x >= 0 of a difference graph's edges."""


@frozen
class Case:
    """The shape of a difference graph on m items, naturally labeled, and one edge (i, k) of it."""

    m: int
    relation: Relation
    edge: tuple[int, int]

    @property
    def name(self) -> str:
        """The edges of the shape with items numbered from 1, and the one that it is about."""
        shape = " ".join(f"{i + 1}{j + 1}" for i, j in sorted(self.relation))
        return f"{shape}: {self.edge[0] + 1}{self.edge[1] + 1}"

    def third_item(self, rows_of: RowsOf) -> System:
        """For three items: the condition, and d_ij + d_jk <= -1 for the third item j."""
        return self._system(rows_of, [(third_item(self.edge), 1)], [-_ONE])

    def wrong_order(self, rows_of: RowsOf) -> System:
        """The condition, N_i - N_k <= 0, and d_ik >= 1."""
        gap = net_gap(*self.edge, self.m)
        return self._system(rows_of, [(gap, 1), (form({self.edge: 1}), -1)], [_ZERO, -_ONE])

    def summed(self, rows_of: RowsOf, known: "Mapping[Case, Vector]") -> tuple[Fraction, ...]:
        """Multipliers for `wrong_order`, added up from those of `third_item` over the other items.

        Parameters
        ----------
        known
            Multipliers of the systems of `triples`.
        """

        def three(shape: Relation, edge: tuple[int, int]) -> Multipliers:
            *used, scale = known[Case(3, shape, edge)]
            rows = rows_of(shape, 3).inequalities
            return Multipliers((), tuple((w / scale, row) for w, row in zip(used, rows, strict=True)))

        found = by_triples(self.relation, self.edge, self.m, three)
        assert found is not None  # as all of them are known
        # Equal rows would share one total; it is given to the first of them.
        total = {_key(row): weight for weight, row in found.inequalities}
        rows = rows_of(self.relation, self.m).inequalities
        return (*(total.pop(_key(row), _ZERO) for row in rows), _ONE, Fraction(2))

    def _system(
        self, rows_of: RowsOf, more: Sequence[tuple[LinearForm, int]], right: Sequence[Fraction]
    ) -> System:
        pairs = sorted(self.relation)
        rows = [(row, -1) for row in rows_of(self.relation, self.m).inequalities]
        left = [[sign * row.get(pair, _ZERO) for pair in pairs] for row, sign in (*rows, *more)]
        return left, [*(_ZERO for _ in rows), *right]


def triples() -> Iterator[Case]:
    """Every transitive shape on three items with i < j on its edges, and every edge of it.

    Examples
    --------
    >>> len(list(triples()))
    10
    """
    shapes = (frozenset(chosen) for n in (1, 2, 3) for chosen in combinations(_PAIRS, n))
    return (Case(3, shape, edge) for shape in shapes if is_transitive(shape) for edge in sorted(shape))


def cases(m: int) -> Iterator[Case]:
    """Every poset on m items up to isomorphism, and every edge of it.

    Examples
    --------
    >>> [len(list(cases(m))) for m in (2, 3, 4)]
    [1, 8, 52]
    """
    return (Case(m, relation, edge) for relation in posets(m) for edge in sorted(relation))


def _key(row: LinearForm) -> tuple[tuple[tuple[int, int], Fraction], ...]:
    return tuple(sorted(row.items()))
