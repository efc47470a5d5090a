"""The proof that no convex phi with phi'(0) < 0 is right, in words."""

from collections.abc import Iterator
from fractions import Fraction

from consistency_lab.core.universal import Face, Slot
from consistency_lab.report.proof.case import Case
from consistency_lab.report.text import Line, chain, combination, paragraph, short


def universal(case: Case) -> Iterator[Line]:
    """The statement, and for each group of faces its multipliers; nothing if the file claims nothing."""
    claim = case.witness.proof.universal
    if claim is None:
        return
    order = chain([case.score(i) for i in range(len(case.names))], range(len(case.names)))
    yield from paragraph(
        "Replace φ by any convex function with φ'(0) < 0 (and Assumption A, so that the minimum is "
        f"attained). The one optimal order asks for {order}. Suppose a minimizer α had that order. Write "
        "g_ij for a slope of φ at α_i - α_j, and g_0 for one at 0. At a minimizer, for every item i,"
    )
    yield from paragraph(
        "B_i := sum_j (h_ij g_ij - h_ji g_ji) = 0,   with h_ij the coefficients of W above,", 5
    )
    yield from paragraph(
        "and slopes of a convex function do not fall: smaller argument, smaller or equal slope. How the "
        "arguments compare depends on α; for each way in which they can, the multipliers below combine these "
        "facts into g_0 ≥ 0, which contradicts φ'(0) < 0. So no minimizer of W is in A(p)."
    )
    for n, face in enumerate(claim, start=1):
        yield from _face(case, n, face)


def _face(case: Case, n: int, face: Face) -> Iterator[Line]:
    comparisons = [f"{_argument(case, low)} < {_argument(case, high)}" for low, high, _ in face.monotone]
    yield from paragraph(f"Case {n}: " + ", ".join(comparisons), 5, 2)
    balance = combination((y, f"B_{name}") for y, name in zip(face.balance, case.names, strict=True))
    rises = " + ".join(
        f"{_factor(z)}({_slope(case, high)} - {_slope(case, low)})" for low, high, z in face.monotone if z
    )
    yield from paragraph(f"identically in g:  {balance} + {rises} = g_0", 7, 2)


def _factor(z: Fraction) -> str:
    return "" if z == 1 else f"{short(z)}·"


def _argument(case: Case, slot: Slot) -> str:
    return "0" if slot is None else f"{case.score(slot[0])} - {case.score(slot[1])}"


def _slope(case: Case, slot: Slot) -> str:
    if slot is None:
        return "g_0"
    i, j = (case.names[k] for k in slot)
    return f"g_{i}{j}" if len(i) == len(j) == 1 else f"g[{i},{j}]"
