"""The certificate "stationary": the gradient of the risk at exact scores is exactly zero."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from consistency_lab.core.numbers import same, shown
from consistency_lab.errors import RejectedError
from consistency_lab.exact import LogRational

from .atoms import (
    Atom,
    Direction,
    Linear,
    LogSumExp,
    Max,
    Slope,
    check_convex,
    exponential_gradient,
    max_gradient,
    stated,
    term_gradient,
)
from .document import Balance, TaskWitness
from .family import AtomFamily
from .labels import Label


def gradients(
    family: AtomFamily, certificate: Balance, witness: TaskWitness, scores: Sequence[LogRational]
) -> Iterator[tuple[Label, tuple[Fraction, ...]]]:
    """p_y times the gradient of the loss of y at the scores, label by label.

    Raises
    ------
    RejectedError
        If a slope is missing, superfluous or no subgradient.
    """
    atoms = {label: family.atoms(witness.target, label) for label in witness.p}
    needed = sum(stated(found) for found in atoms.values())
    same("the number of slopes", len(certificate.slopes), needed)
    slopes = iter(certificate.slopes)
    for label, weight in witness.p.items():
        gradient = [Fraction(0)] * len(scores)
        for atom in atoms[label]:
            for i, x in _gradient(atom, slopes, scores):
                gradient[i] += weight * x
        yield label, tuple(gradient)


def check_balance(family: AtomFamily, certificate: Balance, witness: TaskWitness) -> tuple[str, ...]:
    """Check convexity and that the gradients add up to zero; how convexity was proved.

    Raises
    ------
    RejectedError
        If an atom is not proved convex, a slope is no subgradient, or the sum is not zero.
    """
    scores = witness.scores
    if scores is None:
        raise RejectedError("a stationary point needs its scores")
    same("the number of scores", len(scores), witness.target.space.m)
    atoms = [atom for label in witness.p for atom in family.atoms(witness.target, label)]
    methods = sorted({method for atom in dict.fromkeys(atoms) if (method := check_convex(atom))})
    found = [gradient for _, gradient in gradients(family, certificate, witness, scores)]
    for number, column in enumerate(zip(*found, strict=True), start=1):
        if sum(column):
            raise RejectedError(
                f"the derivative of the risk along score {number} is {shown(sum(column))}, not 0"
            )
    return tuple(methods)


def _gradient(atom: Atom, slopes: Iterator[Slope], scores: Sequence[LogRational]) -> Direction:
    if isinstance(atom, Linear):
        return atom.v
    if isinstance(atom, LogSumExp):
        return exponential_gradient(atom, scores)
    slope = next(slopes)
    if isinstance(atom, Max):
        if not isinstance(slope, tuple):
            raise RejectedError("the entry of a maximum is a list of weights, one a piece")
        return max_gradient(atom, slope, scores)
    if isinstance(slope, tuple):
        raise RejectedError("the entry of a term is one slope, not a list")
    return term_gradient(atom, slope, scores)
