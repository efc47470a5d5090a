"""A gradient field, written out step by step, and a proof that it vanishes in a box.

A label's field is a program: each step is a rational, a difference of two scores, or an operation on earlier
steps. It holds inside one strict order of the scores, and gives the gradient in all scores but the last; that
in the last is minus their sum. So the field sees no common shift, adds up to zero, and the last score may be
0. The program is run on balls with slopes, so that on a box its values and its Jacobian are enclosed.

Interval Newton: let J enclose the Jacobian of F on the box X with center c. If every solution v of A v =
F(c), A in J, has c - v in X, then F has a zero in X: F(u) = F(c) + A(u) (u - c) with A(u) in J, and u → c -
A(u)^-1 F(c) maps X continuously into X (Brouwer). Such a v also solves Y A v = Y F(c), for any matrix Y; with
Y near the inverse of A the solutions are enclosed more closely.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from types import MappingProxyType
from typing import Final

from flint import arb_mat

from consistency_lab.core.reading import Names, Reader, entries, fraction, integer, many, one_of, row
from consistency_lab.errors import RejectedError
from consistency_lab.frozen import frozen
from consistency_lab.numbers.exact import Ball, enclose, working_precision

_BITS: Final = 192

MOST_SCORES: Final = 64
MOST_STEPS: Final = 3_000
MOST_SLOPES: Final = 200_000
"""What a field may be in size: items; steps of one label (each may double an exponent); steps times items in
all. So a small file cannot take long."""

Box = Sequence[tuple[Fraction, Fraction]]
"""An interval for each score but the last, which is 0."""


@frozen
class DualNumber:
    """A ball around a number, and balls around its slopes in the free scores."""

    value: Ball
    slopes: tuple[Ball, ...]


def _add(x: DualNumber, y: DualNumber) -> DualNumber:
    return DualNumber(x.value + y.value, tuple(a + b for a, b in zip(x.slopes, y.slopes, strict=True)))


def _subtract(x: DualNumber, y: DualNumber) -> DualNumber:
    return DualNumber(x.value - y.value, tuple(a - b for a, b in zip(x.slopes, y.slopes, strict=True)))


def _multiply(x: DualNumber, y: DualNumber) -> DualNumber:
    slopes = (x.value * b + a * y.value for a, b in zip(x.slopes, y.slopes, strict=True))
    return DualNumber(x.value * y.value, tuple(slopes))


def _divide(x: DualNumber, y: DualNumber) -> DualNumber:
    ratio = x.value / y.value
    slopes = ((a - ratio * b) / y.value for a, b in zip(x.slopes, y.slopes, strict=True))
    return DualNumber(ratio, tuple(slopes))


def _exp(x: DualNumber) -> DualNumber:
    value = x.value.exp()
    return DualNumber(value, tuple(value * a for a in x.slopes))


def _log(x: DualNumber) -> DualNumber:
    return DualNumber(x.value.log(), tuple(a / x.value for a in x.slopes))


BINARY: Final[Mapping[str, Callable[[DualNumber, DualNumber], DualNumber]]] = MappingProxyType(
    {"difference": _subtract, "add": _add, "subtract": _subtract, "multiply": _multiply, "divide": _divide}
)
UNARY: Final[Mapping[str, Callable[[DualNumber], DualNumber]]] = MappingProxyType({"exp": _exp, "log": _log})

DIFFERENCE: Final = "difference"

Step = Fraction | tuple[str, int] | tuple[str, int, int]
"""A constant; ("difference", i, j) for u_i - u_j; or an operation on the numbers of earlier steps."""


@frozen
class Program:
    """The steps, and which of them are the entries of the gradient, one for each score but the last."""

    steps: tuple[Step, ...]
    gradient: tuple[int, ...]

    def run(self, free: Sequence[Ball]) -> list[DualNumber]:
        """The gradient and its slopes in the free scores (the last one is 0), at the working precision.

        Examples
        --------
        The square of u_1 - u_2 at (3, 0), with its slope:

        >>> square = Program((("difference", 0, 1), ("multiply", 0, 0)), (1,))
        >>> found = square.run([Ball(3)])[0]
        >>> int(found.value.unique_fmpz()), int(found.slopes[0].unique_fmpz())
        (9, 6)
        """
        n = len(free)
        none = (Ball(0),) * n
        scores = [DualNumber(u, tuple(Ball(int(k == i)) for k in range(n))) for i, u in enumerate(free)]
        scores.append(DualNumber(Ball(0), none))
        done: list[DualNumber] = []
        for step in self.steps:
            match step:
                case Fraction():
                    done.append(DualNumber(enclose(step), none))
                case (name, x):
                    done.append(UNARY[name](done[x]))
                case (name, x, y):
                    given = scores if name == DIFFERENCE else done
                    done.append(BINARY[name](given[x], given[y]))
        return [done[k] for k in self.gradient]


def read_program(scores: Names) -> Reader[Program]:
    """The reader of a field, step by step; the steps before are numbered."""

    def read(value: object, where: str) -> Program:
        keep: Reader[object] = many(lambda x, at: (x, at))
        found = entries(value, where, {"steps": keep, "gradient": many(lambda x, at: x)})
        m, done = len(scores.number), len(found["steps"])
        steps: list[Step] = []
        for number, (entry, at) in enumerate(found["steps"]):
            if isinstance(entry, str):
                steps.append(fraction(entry, at))
                continue
            operation, *parts = entry if isinstance(entry, list) and entry else [None]
            operation = one_of(operation, at, (*BINARY, *UNARY))
            most = (m if operation == DIFFERENCE else number) - 1
            numbers = [integer(x, at, 0, most) for x in row(parts, at, 1 if operation in UNARY else 2)]
            steps.append((operation, *numbers))  # type: ignore[arg-type]
        gradient = row(list(found["gradient"]), f"{where}.gradient", m - 1)
        return Program(tuple(steps), tuple(integer(x, where, 0, done - 1) for x in gradient))

    return read


def check_equilibrium(labels: Sequence[tuple[Fraction, Program]], order: Sequence[int], box: Box) -> bool:
    """Whether the zero of sum_y p_y g(y, u) in the box attracts; that there is one is proved.

    If the symmetric part of the Jacobian J is positive definite on the whole box, any two solutions of u' =
    -F(u) in it come closer: v_i = u_i - u_m has v' = -(I + 11')F, so that in the metric of (I + 11')^-1 the
    squared distance of two solutions changes by -2 v'Jv.

    Parameters
    ----------
    labels
        The probability and the field of each label, which holds where the scores fall in `order`.
    order
        The items from top to bottom.
    box
        The intervals of all scores but the last.

    RejectedError if the box is not inside the order, or a zero is not proved.
    """
    n = len(box)
    lengths = [len(program.steps) for _, program in labels]
    if n >= MOST_SCORES or max(lengths) > MOST_STEPS or len(order) * sum(lengths) > MOST_SLOPES:
        raise RejectedError(
            f"a field may have at most {MOST_SCORES} items, {MOST_STEPS:_} steps for a label, "
            f"and {MOST_SLOPES:_} steps times items in all"
        )
    ends = [*box, (Fraction(0), Fraction(0))]
    if any(low > high for low, high in box):
        raise RejectedError("an interval of the box is empty")
    if any(ends[i][0] <= ends[j][1] for i, j in pairwise(order)):
        raise RejectedError("not every point of the box sorts the items into the stated order")
    with working_precision(_BITS):
        center = [enclose((low + high) / 2) for low, high in box]
        value, _ = _mean(labels, center)
        whole = [enclose(low).union(enclose(high)) for low, high in box]
        _, slopes = _mean(labels, whole)
        try:
            near = arb_mat(slopes).mid().inv()
            step = (near * arb_mat(slopes)).solve(near * arb_mat([[entry] for entry in value]))
        except ZeroDivisionError:
            raise RejectedError("the slopes of the field are not certainly regular on the box") from None
        for i, (low, high) in enumerate(box):
            if not (enclose(low) <= center[i] - step[i, 0] <= enclose(high)):
                raise RejectedError(f"score {i + 1} of the zero is not proved to lie in the box")
        return _is_positive([[(slopes[i][j] + slopes[j][i]) / 2 for j in range(n)] for i in range(n)])


def _is_positive(rest: list[list[Ball]]) -> bool:
    """Whether a symmetric matrix is positive definite: all pivots of its elimination are positive."""
    for k, line in enumerate(rest):
        if not line[k] > 0:
            return False
        for i in range(k + 1, len(rest)):
            ratio = rest[i][k] / line[k]
            rest[i] = [x - ratio * y for x, y in zip(rest[i], line, strict=True)]
    return True


def _mean(
    labels: Sequence[tuple[Fraction, Program]], free: Sequence[Ball]
) -> tuple[list[Ball], list[list[Ball]]]:
    """sum_y p_y g(y, u) and its slopes, without the last item."""
    n = len(free)
    value, slopes = [Ball(0)] * n, [[Ball(0)] * n for _ in range(n)]
    for p, program in labels:
        share = enclose(p)
        for i, entry in enumerate(program.run(free)):
            value[i] = value[i] + share * entry.value
            slopes[i] = [slopes[i][j] + share * entry.slopes[j] for j in range(n)]
    return value, slopes
