"""The families of surrogates that are sums of convex atoms."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import combinations
from math import comb
from types import MappingProxyType
from typing import Final

from consistency_lab.core.numbers import rational_at
from consistency_lab.core.reading import expression, one_of
from consistency_lab.errors import RejectedError
from consistency_lab.exact import LogRational
from consistency_lab.phi import parse
from consistency_lab.proofs.format_1.terms import Term

from ..families import pair
from .atoms import Atom, Linear, LogSumExp, Max
from .family import AtomFamily, Family, Fields
from .labels import Grades, Label, Rankings
from .target import Target

ABSOLUTE: Final = parse("abs(x)")
HINGE: Final = parse("max(0,1-x)")
POSITIVE: Final = parse("max(0,x)")
ONE: Final = Fraction(1)

Weighted = tuple[tuple[int, int, Fraction], ...]
"""i, j and the factor of phi(u_i - u_j), by i and then by j; without factors 0."""


def _unit(target: Target, label: Label) -> Weighted:
    return tuple((i, j, ONE) for i, j in target.space.edges(label))


def _difference(target: Target, label: Label) -> Weighted:
    _grades(target)
    return tuple((i, j, Fraction(label[i] - label[j])) for i, j in target.space.edges(label))


def _gain_difference(target: Target, label: Label) -> Weighted:
    _grades(target)
    gains = target.gains(label)
    edges = target.space.edges(label)
    return tuple((i, j, gains[i] - gains[j]) for i, j in edges if gains[i] != gains[j])


def _square_difference(target: Target, label: Label) -> Weighted:
    return tuple((i, j, weight * (label[i] + label[j])) for i, j, weight in _difference(target, label))


def _zhang_gain(target: Target, label: Label) -> Weighted:
    _grades(target)
    gains, items = target.gains(label), range(target.space.m)
    return tuple((i, j, gains[i]) for i in items for j in items if gains[i] and i != j)


def _zhang(target: Target, label: Label) -> Weighted:
    weighted = _zhang_gain(target, label)
    scale = target.scale(label)
    if not isinstance(scale, Fraction):
        raise RejectedError("the weights G/Z of Zhang's loss are not known to be rational")
    return tuple((i, j, gain * scale) for i, j, gain in weighted)


WEIGHTS: Final[Mapping[str, Callable[[Target, Label], Weighted]]] = MappingProxyType(
    {
        "unit": _unit,
        "difference": _difference,
        "gain-difference": _gain_difference,
        "square-difference": _square_difference,
        "zhang": _zhang,
        "zhang-gain": _zhang_gain,
    }
)
"""The weights of pairs by name."""


def pairs(fields: Fields, target: Target, where: str) -> Family:
    """Weighted phi(u_i - u_j) of pairs of items; a label's sum may be divided by its number of pairs."""
    phi = expression(fields["phi"], f"{where}.phi")
    weights = WEIGHTS[one_of(fields["weights"], f"{where}.weights", WEIGHTS)]
    divided = one_of(fields["normalized"], f"{where}.normalized", ("none", "pairs")) == "pairs"

    def atoms(task: Target, label: Label) -> tuple[Atom, ...]:
        found = weights(task, label)
        share = Fraction(1, len(found)) if divided and found else ONE
        return tuple(pair(share * weight, phi, i, j) for i, j, weight in found)

    return AtomFamily(atoms)


def pair_absolute(fields: Fields, target: Target, where: str) -> Family:
    """sum over y_i > y_j of |(y_i - y_j) - (u_i - u_j)|, perhaps divided by the number of such pairs."""
    divided = one_of(fields["normalized"], f"{where}.normalized", ("none", "pairs")) == "pairs"

    def atoms(task: Target, label: Label) -> tuple[Atom, ...]:
        found = _difference(task, label)
        share = Fraction(1, len(found)) if divided and found else ONE
        return tuple(pair(share, ABSOLUTE, i, j, LogRational(gap)) for i, j, gap in found)

    return AtomFamily(atoms)


def list_mle(fields: Fields, target: Target, where: str) -> Family:
    """-log of the Plackett-Luce probability of an order: ties averaged over, or in the order of the input."""
    split = one_of(fields["ties"], f"{where}.ties", ("average", "input")) == "input"
    if not isinstance(target.space, Grades | Rankings):
        raise RejectedError("list-mle is for labels of grades or rankings")

    def atoms(task: Target, label: Label) -> tuple[Atom, ...]:
        tiers = [(i,) for i in label] if isinstance(task.space, Rankings) else _tiers(label)
        if split:  # Tied items count as ranked in the order of the input.
            tiers = [(i,) for tier in tiers for i in tier]
        found: list[Atom] = []
        for place, tier in enumerate(tiers):
            lower = [i for below in tiers[place + 1 :] for i in below]
            for size in range(len(tier), 0, -1):
                # Before the tier's (n - size + 1)-th draw each of its subsets of this size is equally likely.
                share = Fraction(1, comb(len(tier), size))
                found += [
                    LogSumExp(share, tuple(sorted((*rest, *lower)))) for rest in combinations(tier, size)
                ]
        return (*found, Linear(tuple((i, -ONE) for i in range(len(label)))))

    return AtomFamily(atoms)


def unique_softmax(fields: Fields, target: Target, where: str) -> Family:
    """sum_i G(y_i) (log(exp(u_i) + sum over y_j < y_i of exp(u_j)) - u_i)."""
    _grades(target)
    gain = expression(fields["gain"], f"{where}.gain", "s")

    def atoms(task: Target, label: Label) -> tuple[Atom, ...]:
        found: list[Atom] = []
        for i, grade in enumerate(label):
            weight = rational_at(gain, Fraction(grade))
            if weight is None:
                raise RejectedError(f"the gain {gain.text('s')} is not known to be rational at {grade}")
            rivals = [j for j, other in enumerate(label) if j == i or other < grade]
            found += [LogSumExp(weight, tuple(rivals)), Linear(((i, -weight),))]
        return tuple(found)

    return AtomFamily(atoms)


def crammer_singer(fields: Fields, target: Target, where: str) -> Family:
    """max(0, 1 + max_{j != y} u_j - u_y)."""
    _classes(target)

    def atoms(task: Target, label: Label) -> tuple[Atom, ...]:
        (y,) = label
        rivals = [(((j, ONE), (y, -ONE)), ONE) for j in range(task.space.m) if j != y]
        return (Max(ONE, (((), Fraction(0)), *rivals)),)

    return AtomFamily(atoms, ("argmax",))


def weston_watkins(fields: Fields, target: Target, where: str) -> Family:
    """sum_{j != y} max(0, 1 - (u_y - u_j))."""
    _classes(target)
    return AtomFamily(
        lambda task, label: tuple(
            pair(ONE, HINGE, label[0], j) for j in range(task.space.m) if j != label[0]
        ),
        ("argmax",),
    )


def lee_lin_wahba(fields: Fields, target: Target, where: str) -> Family:
    """sum_{j != y} max(0, 1 + u_j - mean u), as (1/m) max(0, m u_j - sum u + m)."""
    _classes(target)

    def atoms(task: Target, label: Label) -> tuple[Atom, ...]:
        m = task.space.m
        offset = LogRational(Fraction(-m))
        return tuple(
            Term(Fraction(1, m), POSITIVE, tuple((i, m * (i == j) - 1) for i in range(m)), offset)
            for j in range(m)
            if j != label[0]
        )

    return AtomFamily(atoms, ("argmax",))


def _tiers(label: Label) -> list[tuple[int, ...]]:
    """The items of each grade, best first."""
    return [tuple(i for i, x in enumerate(label) if x == grade) for grade in sorted(set(label), reverse=True)]


def _grades(target: Target) -> None:
    if not isinstance(target.space, Grades):
        raise RejectedError("these weights are for labels of grades")


def _classes(target: Target) -> None:
    if target.loss_name != "zero-one":
        raise RejectedError("this surrogate is for the target zero-one")
