"""Orders of two scores that are proved by adding up comparisons: no minimizer, no enclosure.

W(u) = sum of a_ij phi(u_i - u_j) with one convex phi, a_ij >= 0, n_ij = a_ij + a_ji and
N_i = sum_k (a_ik - a_ki).
phi is *regular*: convex, differentiable, bounded below, phi'(0) < 0. Two rules prove i ▷ j, that is,

    inf {W(u) : u_i <= u_j} > inf W,

so whatever comes near the infimum of W has u_i > u_j. See docs/theory.md, Orders by addition, for the proofs:
at every u with u_i <= u_j the slope of W along factor * e_i - e_j is below a negative constant.

*domination* asks for a nonincreasing phi, a_ij > a_ji, and for all other k

    factor * a_ik >= a_jk    and    factor * a_ki <= a_kj.

*gap* asks for a nonincreasing phi for which phi(x) - phi(-x) is linear (the logistic loss), and for

    factor * N_i - N_j  >  sum over other k of |factor * n_ik - n_jk|.

A factor from 0 to infinity is allowed; at infinity only the terms with the factor count.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import inf
from typing import ClassVar, Final, Literal, final

from consistency_lab.core.document import Certificate, Near, Proof
from consistency_lab.core.orders import Cells, Pair, closure
from consistency_lab.core.reading import Names, entries, fraction, many, word
from consistency_lab.core.risk import Atom, PhiAtom, near
from consistency_lab.errors import RejectedError
from consistency_lab.frozen import frozen
from consistency_lab.numbers.balls import BITS, ORIGIN, below, shown
from consistency_lab.numbers.exact import integer_multiple
from consistency_lab.numbers.expression import Expression
from consistency_lab.numbers.reflection import is_differentiable, odd_slope
from consistency_lab.numbers.shape import Shape, facts

DOMINATION: Final = "domination"
GAP: Final = "gap"

AdditionRule = Literal["domination", "gap"]
Factor = Fraction | float
"""From 0 to infinity; `math.inf` is the only float."""


@frozen
class Above:
    """One item is above another in all that comes near the infimum, by one of the rules."""

    above: int
    below: int
    rule: AdditionRule
    factor: Factor


@frozen
class Addition(Certificate):
    """A certificate that consists of such pairs; there need be no scores, and none are stated."""

    pairs: tuple[Above, ...]
    every: ClassVar[bool] = True
    needs_scores: ClassVar[bool] = False

    @staticmethod
    def read(value: object, where: str, coordinates: Names) -> "Addition":
        keys = {
            "above": coordinates.one,
            "below": coordinates.one,
            "rule": word(DOMINATION, GAP),
            "factor": _read_factor,
        }
        return Addition(**entries(value, where, {"pairs": many(lambda x, at: Above(**entries(x, at, keys)))}))

    def near(self, proof: Proof, risk: tuple[Atom, ...]) -> Near:
        if isinstance(proof.decoder, Cells):
            raise RejectedError("a proof by addition goes with sorting, not with cells")
        return Near(closure(len(proof.coordinates), check_addition(risk, self, proof.coordinates)))


def _read_factor(value: object, where: str) -> Factor:
    return inf if value == "infinity" else fraction(value, where)


def check_addition(atoms: Sequence[Atom], certificate: Addition, names: Sequence[str]) -> list[Pair]:
    """Check each of the pairs; they are returned.

    RejectedError if the risk is not of this form, phi does not have what a rule asks for, or an inequality
    fails.
    """
    if not certificate.pairs:
        raise RejectedError("a proof by addition needs at least one pair")
    phi, a = comparisons(atoms)
    missing = lacking(phi)
    counts = Counts(a, len(names))
    for pair in certificate.pairs:
        if pair.rule in missing:
            raise RejectedError(f"the rule {pair.rule} does not apply to {phi}: {missing[pair.rule]}")
        if counts.slack(pair) <= 0:
            raise RejectedError(
                f"the rule {pair.rule} with the factor {_text(pair.factor)} does not put "
                f"{names[pair.above]} above {names[pair.below]}"
            )
    return [(pair.above, pair.below) for pair in certificate.pairs]


def comparisons(atoms: Iterable[Atom]) -> tuple[Expression, dict[Pair, Fraction]]:
    """The one phi and the weights a_ij of a risk that is a sum of a_ij phi(u_i - u_j).

    RejectedError if it is no such sum.
    """
    found: dict[Pair, Fraction] = {}
    functions: set[Expression] = set()
    for atom in atoms:
        plain = isinstance(atom, PhiAtom) and not (atom.b.a or atom.b.q != 1) and atom.c >= 0
        ends = {n: k for k, n in atom.v} if isinstance(atom, PhiAtom) and plain and len(atom.v) == 2 else {}
        if not isinstance(atom, PhiAtom) or ends.keys() != {1, -1}:
            raise RejectedError("the risk is not a sum of a_ij phi(u_i - u_j)")
        functions.add(atom.phi)
        pair = (ends[Fraction(1)], ends[Fraction(-1)])
        found[pair] = found.get(pair, Fraction(0)) + atom.c
    if len(functions) != 1:
        raise RejectedError("a proof by addition needs one phi for all comparisons")
    return functions.pop(), found


@final
class Counts:
    """How often each item wins against each other one, and what the rules make of it."""

    def __init__(self, a: dict[Pair, Fraction], m: int) -> None:
        """From the weights a_ij >= 0 of m items; they are kept as whole multiples of one unit."""
        numbers, scale = integer_multiple(a.values())
        self.unit = 1 / scale
        self._wins: list[dict[int, int]] = [{} for _ in range(m)]
        self._losses: list[dict[int, int]] = [{} for _ in range(m)]
        for (i, j), weight in zip(a, numbers, strict=True):
            if weight:
                self._wins[i][j] = weight
                self._losses[j][i] = weight
        both = zip(self._wins, self._losses, strict=True)
        self._net = [sum(won.values()) - sum(lost.values()) for won, lost in both]

    def slack(self, pair: Above) -> Fraction:
        """By how much the rule proves the pair; nothing is proved if it is not positive.

        Of a domination: a_ij - a_ji, or -1 where an inequality fails. Of a gap: the left side less the right
        one; where the factor is infinite, both divided by it.
        """
        i, j, factor = pair.above, pair.below, pair.factor
        x, y = (1, 0) if factor == inf else Fraction(factor).as_integer_ratio()
        if i == j or x < 0:
            return Fraction(-1)
        met = (self._wins[i], self._losses[i], self._wins[j], self._losses[j])
        others = set().union(*met) - {i, j}
        won, lost, their_won, their_lost = ([part.get(k, 0) for k in others] for part in met)
        rows = zip(won, lost, their_won, their_lost, strict=True)
        if pair.rule == DOMINATION:
            if not all(x * a >= y * c and x * b <= y * d for a, b, c, d in rows):
                return Fraction(-1)
            return (self._wins[i].get(j, 0) - self._wins[j].get(i, 0)) * self.unit
        apart = sum(abs(x * (a + b) - y * (c + d)) for a, b, c, d in rows)
        return (x * self._net[i] - y * self._net[j] - apart) * self.unit / (y or 1)


def _text(factor: Factor) -> str:
    return "infinity" if factor == inf else shown(factor)


# --- What the rules ask of phi ---------------------------------------------------------------------------


@lru_cache(maxsize=256)
def lacking(phi: Expression) -> dict[str, str]:
    """The rules that do not apply to phi, each with what is not proved of it."""
    known = facts(phi)
    if known is None or Shape.CONVEX not in known.shape:
        missing = "phi is not proved convex"
    elif known.lower is None:
        missing = "phi is not proved bounded below"
    elif not is_differentiable(phi):
        missing = "phi is not proved differentiable"
    elif not falls_at_0(phi):
        missing = "phi'(0) < 0 is not proved"
    elif Shape.NONINCREASING not in known.shape:
        missing = "phi is not proved nonincreasing"
    else:
        return {} if odd_slope(phi) is not None else {GAP: "phi(x) - phi(-x) is not proved linear"}
    return {DOMINATION: missing, GAP: missing}


def falls_at_0(phi: Expression) -> bool:
    """Whether the slope at 0 from the right is certainly negative."""
    return below(near(phi, ORIGIN, BITS)[2], ORIGIN)
