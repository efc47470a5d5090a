"""What is proved of the minimizers at one distribution: of the scores in a document, or of every one.

A separation bounds W on half-spaces that contain all of A(p) (or all of its complement), so whatever nearly
minimizes W lies on the other side. A certificate of a minimum proves that its scores minimize W; it speaks
for every minimizer where they are the only one, up to a shift.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Final, final

from consistency_lab.certify.proofs.record import VerifiedProof, terms_of
from consistency_lab.certify.witness import Witness
from consistency_lab.core.certificates import Minimum
from consistency_lab.core.document import INCONSISTENT, TIE
from consistency_lab.core.risk import LogSumExp
from consistency_lab.model.surrogates import Term, pair
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import parse
from consistency_lab.solve.connectivity import attainment, is_unique_exactly
from consistency_lab.solve.kinds import Kind, kind_of
from consistency_lab.solve.minimize import minimize
from consistency_lab.solve.stationary import stationary_slopes
from consistency_lab.solve.straight import exact_vertex

_ORDERS: Final = 6
"""Optimal orders that are tried for a minimizer that is right."""

_NUDGES: Final = (Fraction(1, 10**4), Fraction(1, 10**8))
_APART: Final = Fraction(1, 1000)
_PULL: Final = parse("max(0,-x)")
_STRICTLY: Final = parse("log(1+exp(-x))")


@final
@dataclass(frozen=True)
class Minimizers:
    """What is proved of the minimizers of W."""

    attained: bool | None  #: Whether there is one: True, False, or None if that is undecided.
    #: Whether the claim of the document holds of every minimizer, and of whatever nearly minimizes W.
    every: bool
    #: A minimizer that is right, where that of the document is wrong and another one was found.
    right: tuple[LogRational, ...] | None
    #: A minimizer in floats, for reading; none where the proof needs none. If there is no minimizer: the
    #: strong components' own, with their means at 0.
    scores: tuple[float, ...]
    #: If there is none: integers, one an item, along which W falls forever from every point.
    direction: tuple[int, ...] | None
    #: If there is none: the parts of the items that move apart, those that escape upwards first.
    components: tuple[tuple[int, ...], ...]

    def proved(self, claim: str, failure: str | None) -> str:
        """In a sentence, what the document claims and of which minimizers it is proved."""
        where = "outside A(p)" if claim == INCONSISTENT else "in A(p)"
        if failure == TIE:
            where = "tied, with scores outside A(p) whose W is arbitrarily near the infimum"
        if not self.every:
            others = (
                "nothing is proved about other minimizers" if self.right is None else "another one is right"
            )
            return f"a minimizer of W is certainly {where}; {others}"
        if self.attained:
            return f"every minimizer of W is certainly {where}"
        missing = "W has no minimizer; " if self.attained is False else ""
        return f"{missing}every near-minimizer{'' if missing else ' of W'} is certainly {where}"


def holds_of_every_minimizer(verified: VerifiedProof) -> bool:
    """Whether an accepted proof shows its claim of every minimizer, and not only of its scores."""
    proof = verified.proof
    if proof is None or not isinstance(proof.certificate, Minimum) or proof.scores is None:
        return True  # a mean is the only minimizer
    if any(proof.direction):
        return verified.every
    terms: list[Term] = []
    slopes: list[Fraction] = []
    for atom, slope in zip(verified.atoms, proof.certificate.slopes, strict=True):
        if isinstance(atom, LogSumExp):
            # Strictly convex but for shifts of its coordinates, as a chain of logistic terms is.
            terms += [pair(Fraction(1), _STRICTLY, i, k) for i, k in pairwise(atom.over)]
            slopes += [Fraction(0)] * (len(atom.over) - 1)
        elif isinstance(slope, Fraction) and (as_terms := terms_of([atom])) is not None:
            terms += as_terms
            slopes.append(slope)
    return is_unique_exactly(terms, len(proof.scores), proof.scores, tuple(slopes)) is True


def minimizers(witness: Witness) -> Minimizers:
    """What an accepted file, and the risk in it, say of the minimizers of W."""
    terms, m = witness.terms, witness.distribution.m
    if witness.proof.scores is None:
        known = attainment(terms, m)
        parts = () if known.direction is None else known.components
        return Minimizers(known.attained, True, None, (), known.direction, parts)
    if not witness.verified.attained:
        minimum = minimize(terms, m)
        scores = tuple(float(x) for x in minimum.scores)
        if minimum.direction is None:
            return Minimizers(minimum.attained, True, None, scores, None, ())
        parts = attainment(terms, m).components
        centers = {i: sum(scores[k] for k in part) / len(part) for part in parts for i in part}
        inside = tuple(x - centers[i] for i, x in enumerate(scores))
        return Minimizers(False, True, None, inside, minimum.direction, parts)
    every = holds_of_every_minimizer(witness.verified)
    right = None if every else _right(terms, witness)
    return Minimizers(True, every, right, tuple(float(x) for x in witness.scores), None, ())


def _right(terms: Sequence[Term], witness: Witness) -> tuple[LogRational, ...] | None:
    """A minimizer of a piecewise linear W in an optimal order without ties, if one is found.

    A small pull towards an optimal order chooses among the minimizers; that the result is one is decided
    exactly, by its slopes in W alone.
    """
    if not terms or not {kind_of(term.phi) for term in terms} <= {Kind.PIECEWISE_LINEAR, Kind.STRAIGHT}:
        return None
    m, least = witness.distribution.m, min(term.c for term in terms)
    for order in witness.optimum.orders(_ORDERS):
        for nudge in _NUDGES:
            pull = [pair(least * nudge, _PULL, i, k, LogRational(_APART)) for i, k in pairwise(order)]
            vertex = exact_vertex([*terms, *pull], m)
            if vertex is None or vertex.scores is None:
                continue
            falls = all(vertex.scores[i] > vertex.scores[k] for i, k in pairwise(order))
            scores = tuple(map(LogRational, vertex.scores))
            if falls and stationary_slopes(terms, m, scores) is not None:
                return scores
    return None
