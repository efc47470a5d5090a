r"""Ours: four items, the faces that suffice, and an additive aggregate at which no convex phi is right."""

from fractions import Fraction
from typing import Final

from consistency_lab.book.lemma_10 import not_needed
from consistency_lab.book.slopes import convex_names, every_phi_step, named_step, refuted_where_right
from consistency_lab.book.statement import (
    Checked,
    FalseVariant,
    Finding,
    Kind,
    Refutation,
    Statement,
    Step,
    concluded,
)
from consistency_lab.book.three_items import covers_every_face, generators, separation, smallest_faces
from consistency_lab.core.inequalities import face_points
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate

_M: Final = 4
_SCOPE: Final = "four items, this h, every convex φ with φ'(0) < 0"
AGGREGATE: Final = tuple(
    tuple(Fraction(x) for x in row) for row in ((0, 1, 3, 8), (0, 0, 2, 3), (0, 0, 0, 1), (4, 0, 0, 0))
)
"""y = (4, 3, 1, 0), and 4 more on the outermost pair in both directions."""


def _faces() -> Step:
    every, smallest = face_points(_M), smallest_faces(_M)
    lines = ["Points (α₁, …, α₄) on the faces with the fewest strict comparisons of the α_i − α_j:"]
    lines += [f"    {point}" for point in smallest]
    return Step(
        covers_every_face(_M, smallest),
        Finding(
            "Of the faces of α₁ > … > α₄, the smallest suffice",
            Kind.PROOF_THIS_M,
            "four items",
            f"{len(every)} faces enumerated exactly; each holds all comparisons of one of {len(smallest)}",
            tuple(lines),
        ),
    )


def _separated() -> Step:
    found = [(point, separation(AGGREGATE, point)) for point in smallest_faces(_M)]
    lines = [
        f"at {point}: y = {s.y}, y·N > 0 ≥ y·v for {len(generators(AGGREGATE, point))} generators v"
        for point, s in found
        if s is not None
    ]
    return Step(
        all(s is not None and s.holds(AGGREGATE) for _, s in found),
        Finding(
            "On each of them no convex φ has a stationary point",
            Kind.CERTIFICATE,
            _SCOPE,
            "slopes eliminated: integers y that separate the net preferences N from a cone, checked exactly",
            tuple(lines),
        ),
    )


def _check() -> Checked:
    p = Distribution.from_aggregate(AGGREGATE)
    additive = Step(
        CONDITIONS["additive"].holds(p.aggregate),
        Finding("The aggregate is additive", Kind.CERTIFICATE, "this h", "y = (4, 3, 1, 0), decided exactly"),
    )
    steps = [
        _faces(),
        additive,
        _separated(),
        every_phi_step(
            "The same by the core", _SCOPE, [("y = (4, 3, 1, 0) and 4 on 14, 41", p, surrogate("logistic"))]
        ),
        named_step(
            "Each named convex φ is wrong there",
            f"{len(convex_names())} named φ",
            [(name, p, surrogate(name)) for name in convex_names()],
        ),
        not_needed(),
    ]
    remark = "The set of all four-item aggregates of this kind is a union of cones; it is not listed here."
    return concluded(Kind.CERTIFICATE, _SCOPE, steps, [remark])


def _without_the_pair() -> Refutation:
    rows = [list(row) for row in AGGREGATE]
    rows[0][3], rows[3][0] = rows[0][3] - 3, rows[3][0] - 3
    note = "y = (4, 3, 1, 0) with 1 in place of 4 on the outermost pair"
    return refuted_where_right(Distribution.from_aggregate(rows), surrogate("logistic"), note)


STATEMENT: Final = Statement(
    name="four-items",
    title="Four items",
    latex=(
        r"With \(a_{12}, a_{13}, a_{14}, a_{23}, a_{24}, a_{34}, a_{41} = 1, 3, 8, 2, 3, 1, 4\), so that "
        r"\(d_{ij} = y_i - y_j\) for \(y = (4,3,1,0)\), "
        r"\(W^*(p) = \inf\{W(p,\alpha) : \alpha \notin A(p)\}\) for every convex "
        r"\(\phi\) with \(\phi'(0) < 0\)."
    ),
    plain="There is an additive distribution over four items at which no convex phi is right.",
    hypotheses=(r"\(\phi\) is convex, \(\phi'(0) < 0\)",),
    citation="ours",
    check=_check,
    variants=(
        FalseVariant("The same holds for y = (4, 3, 1, 0) with 1 on the outermost pair.", _without_the_pair),
    ),
)
