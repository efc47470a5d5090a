r"""The value-regularized linear loss: its minimizer, and why it orders the items by net preference.

The steps of DMJ10 Theorem 13, each as an identity for one pair of items, so that it holds for any number of
them. Two remarks on its hypotheses come out of them:

- r has to be differentiable. If the subdifferential of r at some x is an interval [g-, g+] with g- < g+, then
  items whose net preferences lie inside nu (g-, g+) all get the score x, and additive differences can have
  them there; with x = 0 inside, two items are enough.
- r need not be strictly convex. If g_1 < g_2 are slopes of a convex r at x_1 and x_2, the two tangents give
  (g_2 - g_1)(x_2 - x_1) >= 0, and x_1 = x_2 would make g_1 = g_2 by differentiability; so x_1 < x_2 for all
  choices of minimizers.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, final

from consistency_lab.book.algebra import Line, is_positive, vanishes


@final
@dataclass(frozen=True, slots=True)
class Inverse:
    """A regularizer with the closed form of the inverse s of its slope (DMJ10 Eq. 15).

    Parameters
    ----------
    r, s
        r(x) and s(g) = (r')^{-1}(g), as readable text.
    curve
        From SymPy, x and a parameter u: r(x), and s and g along the graph of s.
    sides
        The signs of u: (0,) for all real u at once, (1, -1) for one side of 0 after the other.
    """

    r: str
    s: str
    curve: Callable[[Any, Any, Any], tuple[Any, Any, Any]]
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
    import sympy as sp

    a, b, x, y = sp.symbols("a_ij a_ji alpha_i alpha_j", real=True)
    pair = a * (y - x) + b * (x - y)
    split = -(a - b) * x - (b - a) * y
    return [vanishes("a_ij(α_j − α_i) + a_ji(α_i − α_j) = −d_ij α_i − d_ji α_j", pair - split)]


def inverse_lines(inverse: Inverse) -> list[Line]:
    """r'(s) = g along the graph of s, where both s and g rise."""
    import sympy as sp

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
    import sympy as sp

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
    import sympy as sp

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
