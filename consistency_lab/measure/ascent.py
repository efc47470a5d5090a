r"""Exact proofs that W is larger wherever alpha_i <= alpha_j, from one rational point (no dual, no search).

Let W be a sum of terms c phi(alpha_u - alpha_v - b), c > 0, phi convex, that is coercive up to shifts. Glue i
and j, put them at zero, and let z be the scores of the other items: W~(z) = W(alpha_i = alpha_j = 0, z).

**Lemma.** If some subgradient g of W~ at a point z has no positive entry, and the right derivative of
y ↦ W(alpha_i = y, alpha_j = 0, z) at y = 0 is negative, then inf {W(alpha) : alpha_i <= alpha_j} > inf W.

*Proof.* W~ is coercive; let z* be a minimizer. A convex function of a difference of two scores is submodular,
so W~(z ∨ z*) + W~(z ∧ z*) <= W~(z) + W~(z*), and W~(z ∧ z*) >= W~(z) + <g, z ∧ z* - z> >= W~(z), both g
and z ∧ z* - z having no positive entry. Hence W~(z ∨ z*) <= W~(z*): a minimizer z' >= z exists. In the terms
that hold i, the right derivative in y is c phi'_+(y - z_u - b) or -c phi'_-(z_u - y - b), which do not grow
with z_u; so at z' it is negative too. Now let F(y) be the least value of W where alpha_i - alpha_j = y: it is
convex, F(0) = W~(z'), and F(y) < F(0) for small y > 0. So F >= F(0) > inf F on y <= 0. ∎

A point a little below z* in the direction u with (Hessian of W~) u = 1 has the first property, and the second
by continuity if dF/dy(0) < 0, that is, wherever the claim is true and W smooth. Slopes are enclosed by balls.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.exact import Ball, LogRational, certainly_less, enclose
from consistency_lab.model.surrogates import Term
from consistency_lab.phi import Expression, enclose_slopes
from consistency_lab.search.realize import TermTable
from consistency_lab.solve.batch import minimize_batch
from consistency_lab.solve.numeric import compiled
from consistency_lab.solve.structure import RiskStructure

Floats = NDArray[np.float64]

_STEPS: Final = (8, 16, 24, 34)
"""Points are tried at a distance of two to the power of minus so many, coarse ones first."""

_FINER: Final = 7
"""They are rounded to so many more binary digits than that."""

_LEVENBERG: Final = 1e-12


@final
@dataclass(frozen=True, eq=False)
class Proposals:
    """Points below the minimizers of glued risks, in floats: for many risks and one pair (i, j).

    Parameters
    ----------
    others
        The items of the component but i and j.
    scores, direction
        Shape (B, len(others)): the minimizer with i and j at zero, and u of largest entry 1.
    """

    others: tuple[int, ...]
    scores: Floats
    direction: Floats


def propose(table: TermTable, C: Floats, part: Sequence[int], i: int, j: int) -> Proposals:
    """Minimize the risks of the terms inside `part` with i and j glued.

    Parameters
    ----------
    table
        The terms, functions of score differences.
    C
        Shape (B, T): their coefficients.
    part
        The items of one strong component, i and j among them.
    """
    others = tuple(k for k in part if k not in (i, j))
    place = {k: n + 1 for n, k in enumerate(others)} | {i: 0, j: 0}
    chosen: list[int] = []
    glued: list[Term] = []
    for t, term in enumerate(table.terms):
        if all(k in place for k, _ in term.v) and {k for k, _ in term.v} != {i, j}:
            v = tuple(sorted((place[k], n) for k, n in term.v))
            chosen.append(t)
            glued.append(Term(Fraction(1), term.phi, v, term.b))
    if not others or not glued:
        return Proposals(others, np.zeros((len(C), len(others))), np.zeros((len(C), len(others))))
    structure = RiskStructure.of(glued, len(others) + 1)
    # Gluing makes some terms equal; a structure lists them in order of first appearance.
    columns: dict[object, int] = {}
    for term in glued:
        columns.setdefault(term.key, len(columns))
    gather = np.zeros((len(chosen), len(columns)))
    gather[np.arange(len(chosen)), [columns[term.key] for term in glued]] = 1.0
    coefficients = C[:, chosen] @ gather
    found = minimize_batch(structure, coefficients).scores
    scores = found[:, 1:] - found[:, :1]
    return Proposals(others, scores, _direction(structure, coefficients, scores))


def _direction(structure: RiskStructure, C: Floats, scores: Floats) -> Floats:
    """The solution u of (Hessian) u = 1 at each minimizer, scaled to a largest entry of 1."""
    n = scores.shape[1]
    at = np.concatenate([np.zeros((len(scores), 1)), scores], axis=1) @ structure.V.T - structure.b
    curvature = np.zeros_like(at)
    for k, phi in enumerate(structure.functions):
        mine = structure.function_index == k
        curvature[:, mine] = compiled(phi)(at[:, mine])[2]
    V = structure.V[:, 1:].astype(np.float64)
    hessian = np.einsum("bt,tk,tl->bkl", C * curvature, V, V)
    largest = np.abs(hessian).max(axis=(1, 2), keepdims=True)
    hessian += (_LEVENBERG * largest + np.finfo(float).tiny) * np.eye(n)
    u = np.linalg.solve(hessian, np.ones((len(scores), n, 1)))[:, :, 0]
    u = np.where(np.isfinite(u) & (u > 0), u, 1.0)
    return np.asarray(u / u.max(axis=1, keepdims=True))


def is_above(
    terms: Sequence[Term], i: int, j: int, others: Sequence[int], scores: Floats, direction: Floats
) -> bool:
    """Prove that inf {W : alpha_i <= alpha_j} > inf W by the lemma; False if that fails.

    Parameters
    ----------
    terms
        The terms of W, coercive up to shifts, whose convexity is proved.
    i, j
        The items.
    others, scores, direction
        The other items, the glued minimizer in floats, and the direction in which to leave it.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import pair
    >>> from consistency_lab.phi import parse
    >>> phi = parse("log(1+exp(-x))")
    >>> terms = [pair(Fraction(3), phi, 0, 1), pair(Fraction(2), phi, 1, 0)]
    >>> is_above(terms, 0, 1, (), np.zeros(0), np.zeros(0))
    True
    """
    if not np.isfinite(scores).all():
        return False
    for step in _STEPS if len(others) else _STEPS[:1]:
        scale = 2 ** (step + _FINER)
        floats = scores - direction * 2.0**-step
        z = {k: Fraction(round(float(x) * scale), scale) for k, x in zip(others, floats, strict=True)}
        if _holds(terms, i, j, z):
            return True
    return False


def _holds(terms: Sequence[Term], i: int, j: int, z: dict[int, Fraction]) -> bool:
    """The two hypotheses of the lemma at z."""
    zero = enclose(0)
    at = {i: Fraction(0), j: Fraction(0), **z}
    gradient = dict.fromkeys(z, zero)
    rise = zero
    for term in terms:
        (u, n), (v, _) = term.v
        up, down = (u, v) if n > 0 else (v, u)
        left, right = _slopes(term.phi, at[up] - at[down], term.b)
        c = enclose(term.c)
        if up in z:
            gradient[up] += c * left
        if down in z:
            gradient[down] -= c * left
        if up == i:
            rise += c * right
        if down == i:
            rise -= c * left
    return certainly_less(rise, zero) and all(bool(g <= zero) for g in gradient.values())


@lru_cache(maxsize=1 << 16)
def _slopes(phi: Expression, x: Fraction, b: LogRational) -> tuple[Ball, Ball]:
    return enclose_slopes(phi, LogRational(x - b.a, 1 / b.q))
