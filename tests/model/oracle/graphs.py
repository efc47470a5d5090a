"""Surrogates on preference graphs, as sums of c phi(<v, u> - b), for h(a) = a and h(a) = log(a)."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

Graph = tuple[Fraction, tuple[tuple[int, int, Fraction], ...]]
"""A probability, and edges i → j with their weights."""

Piece = tuple[str, tuple[tuple[int, int], ...], str]
"""phi as a text, v as (item, factor) in the order of the items, and b as a text."""

Risk = dict[Piece, Fraction]

H: Final[Mapping[str, Callable[[Fraction], Fraction]]] = {"a": lambda a: a, "a**2": lambda a: a**2}


def _pair(i: int, j: int) -> tuple[tuple[int, int], ...]:
    return ((i, 1), (j, -1)) if i < j else ((j, -1), (i, 1))


def risk(entry: Mapping[str, Any], graphs: Sequence[Graph], m: int) -> Risk:
    """The terms of W(p, .) of a ``surrogate`` entry, those of equal phi, v and b added up.

    Edge: h(a_ij) phi(u_i - u_j) for every edge (DMJ10 Eq. 9). Margin: phi(u_i - u_j - h(a_ij)) (Eq. 13).
    Linear: a_ij (u_j - u_i), and nu sum_i r(u_i) (Eq. 14). Difference: [d_ij]_+ phi(u_i - u_j) (DMJ13).
    Regression: (u_i - sum_j (a_ij - a_ji))^2 (RAT13 Theorem 6).
    """
    kind, found = entry["family"], Risk()

    def add(c: Fraction, phi: str, v: tuple[tuple[int, int], ...], b: str = "0") -> None:
        found[phi, v, b] = found.get((phi, v, b), Fraction(0)) + c

    a = [[Fraction(0)] * m for _ in range(m)]
    for p, edges in graphs:
        net = [Fraction(0)] * m
        for i, j, weight in edges:
            a[i][j] += p * weight
            net[i] += weight
            net[j] -= weight
            if kind == "edge":
                add(p * H[entry["h"]](weight), entry["phi"], _pair(i, j))
            if kind == "margin":
                add(p, entry["phi"], _pair(i, j), str(H[entry["h"]](weight)))
            if kind == "linear":
                add(p * weight, "-x", _pair(i, j))
        if kind == "regression":
            for i, f in enumerate(net):
                add(p, "x**2", ((i, 1),), str(f))
    for i in range(m):
        if kind == "linear":
            add(Fraction(entry["nu"]), entry["r"], ((i, 1),))
        for j in range(m):
            if kind == "difference" and a[i][j] > a[j][i]:
                add(a[i][j] - a[j][i], entry["phi"], _pair(i, j))
    return {piece: c for piece, c in found.items() if c}
