"""Whether any decoder is right for a surrogate: a table that proves one, or scores at which none can be."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import gcd, lcm
from typing import Any, Final

from consistency_lab.core.certificates import check_minimum
from consistency_lab.core.document import DECODER, LINK, NO_LINK
from consistency_lab.core.orders import Cells, read_cells
from consistency_lab.core.reading import (
    Names,
    Reader,
    check_denominators,
    entries,
    fraction,
    integer,
    log_rational,
    many,
    maybe,
    read_names,
    row,
    word,
    wrong,
)
from consistency_lab.core.risk import (
    Atom,
    Direction,
    Linear,
    Max,
    Scores,
    Slope,
    merged,
    read_atoms,
    read_slope,
)
from consistency_lab.core.risk import total as total_directions
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.frozen import frozen
from consistency_lab.numbers.balls import BITS, shown
from consistency_lab.numbers.exact import ZERO, LogRational

# --- The vertices of an arrangement of hyperplanes -------------------------------------------------------
# A *flat* is what some of the hyperplanes have in common. It is a system of equations in reduced echelon
# form, with coprime integers, so equal flats are equal tuples. Flats of codimension k + 1 are those of
# codimension k met with one more hyperplane. The least flats are points, or translates of the subspace L in
# which all hyperplanes are parallel to; then one point of each stands for it.

Plane = tuple[int, ...]
"""(n_1, ..., n_d, b): the scores with <n, u> + b = 0."""

Flat = tuple[Plane, ...]
Point = tuple[Fraction, ...]
Affine = tuple[Direction, Fraction]
"""(v, b): the affine function <v, u> + b."""

MOST_MEETINGS: Final = 1_000_000
"""Most times that a flat is met with a hyperplane."""


def primitive(numbers: Sequence[Fraction]) -> Plane:
    """The multiple with coprime integers whose first number that is not 0 is positive."""
    common = lcm(*(x.denominator for x in numbers))
    whole = [int(x * common) for x in numbers]
    return _coprime(whole)


def _coprime(row: Sequence[int]) -> Plane:
    divisor = gcd(*row)
    if next((x for x in row if x), 1) < 0:
        divisor = -divisor
    return tuple(x // divisor for x in row) if divisor else tuple(row)


def vertices(planes: Iterable[Plane]) -> list[Point]:
    """One point of each least flat, in a fixed order.

    RejectedError if that takes more than `MOST_MEETINGS` steps.

    Examples
    --------
    The lines x = 0, x = 1 and x = y meet in two points:

    >>> [tuple(map(str, point)) for point in vertices([(1, 0, 0), (1, 0, -1), (1, -1, 0)])]
    [('0', '0'), ('1', '1')]
    """
    every = sorted(set(planes))
    level: set[Flat] = {()}
    left = MOST_MEETINGS
    while further := {flat for known in level for plane in every if (flat := _met(known, plane))}:
        left -= len(further) * len(every)
        if left < 0:
            raise RejectedError(f"{len(every)} hyperplanes have too many intersections to look at them all")
        level = further
    d = len(every[0]) - 1 if every else 0
    points = []
    for flat in level:
        point = [Fraction(0)] * d
        for plane in flat:
            k = _pivot(plane)
            point[k] = Fraction(-plane[-1], plane[k])
        points.append(tuple(point))
    return sorted(points)


def _pivot(plane: Plane) -> int:
    return next(k for k, x in enumerate(plane) if x)


def _met(flat: Flat, plane: Plane) -> Flat | None:
    """The flat met with a hyperplane; None if it lies in it or does not meet it."""
    row: Sequence[int] = plane
    for one in flat:
        k = _pivot(one)
        if row[k]:
            a, b = one[k], row[k]
            row = [a * x - b * y for x, y in zip(row, one, strict=True)]
    if not any(row[:-1]):
        return None
    row = _coprime(row)
    k = _pivot(row)
    rest = [
        _coprime([row[k] * x - one[k] * y for x, y in zip(one, row, strict=True)]) if one[k] else one
        for one in flat
    ]
    return tuple(sorted([row, *rest], reverse=True))


# --- Why finitely many scores are enough -----------------------------------------------------------------
# Let psi(y, u) be a sum of maxima of affine functions, bounded below, for every label y. Cut the space of
# scores by the hyperplanes on which two pieces of one maximum are equal. On each closed cell every psi(y, .)
# is affine, and constant along L, where it is affine and bounded below on lines. So W(p, .) = sum_y p_y
# psi(y, .) attains its infimum at a least flat of the cell, for every p: at one of the vertices.
#
# Write L(v) in Q^labels for the values psi(y, v). Some vertices, the *reports* R, suffice if for every other
# vertex v the mean of some L(r) is at most L(v), label by label. Then for every p
#
#     inf W(p, .) = min over r in R of <p, L(r)>,
#
# so psi embeds the finite loss L on R. Let Gamma_r = {p : <p, L(r)> <= <p, L(s)> for all s in R}, the p that
# r is best for. If Gamma_r lies in the optimal set of a prediction t(r), for each r, then a calibrated link
# of psi to R (Finocchiaro, Frongillo and Waggoner 2022, Theorem 3) followed by t is a calibrated link of psi
# to the target loss. By Farkas that inclusion holds if and only if for every prediction s
#
#     loss(s) - loss(t) = sum_r' y_r' (L(r') - L(r)) + mu,   y, mu >= 0.
#
# Only distributions of a polyhedral condition may be asked for: a union of cones {p : A p >= 0, B p > 0}.
# Then each cone has its own multipliers, of the rows of A and B too; or multipliers that show that no p of it
# lies in Gamma_r. One t serves all cones.
#
# A decoder may be stated too, by closed cells. Cut the space by their walls as well, and keep all least
# flats v. Let the decoder return t at scores u_n of one face of this arrangement, W(p, u_n) -> inf W(p, .).
# As above the infimum over the closed face is attained at one of its v, so v minimizes W(p, .), and the
# decoder may return t at v too. So the decoder is right if for each v, and each t that it may return there,
# {p : v minimizes W(p, .)} lies in the optimal set of t: by multipliers as above, with L(v) for L(r).
#
# If on the other hand scores v minimize W(p_t, .) for one p_t for each prediction t, and t is not optimal for
# p_t, then whatever a decoder returns at v is wrong for a distribution for which v is a minimizer.


@frozen
class LabelAtoms:
    """What a label states."""

    atoms: tuple[Atom, ...]
    losses: tuple[Fraction, ...]
    #: One entry an atom: slopes that are attained and sum to 0, so psi is bounded below. Of a link only.
    bounded: tuple[Slope, ...] | None = None


@frozen
class SimplexCone:
    """The p with A p >= 0 and B p > 0."""

    at_least: tuple[tuple[Fraction, ...], ...] = ()
    positive: tuple[tuple[Fraction, ...], ...] = ()

    def contains(self, p: Sequence[Fraction]) -> bool:
        """Whether p lies in it."""
        return all(dot(row, p) >= 0 for row in self.at_least) and all(
            dot(row, p) > 0 for row in self.positive
        )


Sparse = tuple[tuple[int, Fraction], ...]


@frozen
class Multipliers:
    """Those of the other reports, by their numbers, and of the rows of a cone."""

    reports: Sparse
    at_least: Sparse = ()
    positive: Sparse = ()


@frozen
class Report:
    """Scores, what is predicted there, and why it is optimal for every p that they are best for."""

    scores: Point
    prediction: int
    #: For each cone: one entry a prediction, in order; or a single one if the cone has no such p.
    why: tuple[tuple[Multipliers, ...], ...]


@frozen
class Decoded:
    """Scores, a prediction, and why it is optimal for every p whose risk the scores minimize."""

    scores: Point
    prediction: int
    why: tuple[Multipliers, ...]  #: One entry a prediction, in order.


@frozen
class Covered:
    """A vertex at which no label loses less than the mean of some reports."""

    scores: Point
    weights: Sparse


@frozen
class Failing:
    """A distribution that the scores minimize the risk of, and something better than one prediction."""

    probabilities: tuple[Fraction, ...]
    slopes: tuple[Slope, ...]
    better: int


@frozen
class EmbeddingQuestion:
    """A surrogate and a target loss, by labels."""

    coordinates: tuple[str, ...]
    predictions: tuple[str, ...]
    labels: tuple[LabelAtoms, ...]
    cones: tuple[SimplexCone, ...]


def check_embedding(value: object) -> tuple[str, int, int]:
    """Verify a proof that there is a calibrated link, or none.

    Or a proof that a stated decoder is one. Returns the claim, how many reports it lists, and of how many
    cones it speaks alone (0: of every p).

    RejectedError if something that it says is not so.
    """
    check_denominators(value)
    if not isinstance(value, dict):
        raise wrong(value, "proof", "an object")
    coordinates = read_names(value.get("coordinates"), "coordinates")
    predictions = read_names(value.get("predictions"), "predictions")
    common: dict[str, Reader[Any]] = {
        "claim": word(LINK, NO_LINK, DECODER),
        "coordinates": lambda _, __: tuple(coordinates.number),
        "predictions": lambda _, __: tuple(predictions.number),
        "labels": many(_label(coordinates, predictions)),
    }
    optional = {"cones": many(_cone)}
    if value.get("claim") == NO_LINK:
        failing = predictions.each(_failing(predictions))
        found = entries(
            value, "proof", {**common, "scores": coordinates.each(log_rational), "at": failing}, optional
        )
        _check_no_link(_question(found), found["scores"], found["at"])
        return NO_LINK, 1, len(found["cones"] or ())
    lists = {"reports": many(_report(coordinates, predictions)), "covered": many(_covered(coordinates))}
    if value.get("claim") == DECODER:
        stated = {
            "decoder": read_cells(coordinates, predictions),
            "decoded": many(_decoded(coordinates, predictions)),
        }
        found = entries(value, "proof", {**common, **lists, **stated})
        question = _question({**found, "cones": None})
        losses = _check_link(question, found["reports"], found["covered"])
        _check_decoder(question, losses, found["decoder"], found["decoded"])
        return DECODER, len(found["reports"]), 0
    found = entries(value, "proof", {**common, **lists}, optional)
    _check_link(_question(found), found["reports"], found["covered"])
    return LINK, len(found["reports"]), len(found["cones"] or ())


def _question(found: Mapping[str, Any]) -> EmbeddingQuestion:
    labels = found["labels"]
    if not labels or not found["predictions"] or not found["coordinates"]:
        raise RejectedError("there must be labels, predictions and scores")
    for label in labels:
        for atom in label.atoms:
            atom.check()
    cones = (SimplexCone(),) if found["cones"] is None else found["cones"]
    if not cones:
        raise RejectedError("cones is empty; leave it out to ask about all distributions")
    for cone in cones:
        if any(len(one) != len(labels) for one in (*cone.at_least, *cone.positive)):
            raise RejectedError("a row of a cone needs one number for each label")
    return EmbeddingQuestion(found["coordinates"], found["predictions"], labels, cones)


# --- No decoder is right ---------------------------------------------------------------------------------


def _check_no_link(question: EmbeddingQuestion, scores: Scores, at: Sequence[Failing]) -> None:
    """The scores minimize the risk at one distribution for each prediction, which is not optimal there."""
    for t, (name, failing) in enumerate(zip(question.predictions, at, strict=True)):
        try:
            _check_failing(question, scores, t, failing)
        except RejectedError as error:
            raise RejectedError(f"the distribution at which {name} is wrong: {error}") from None


def _check_failing(question: EmbeddingQuestion, scores: Scores, t: int, failing: Failing) -> None:
    p, labels = failing.probabilities, question.labels
    if len(p) != len(labels) or min(p) < 0 or sum(p) != 1:
        raise RejectedError("it needs one probability for each label, at least 0, and they must sum to 1")
    if not any(cone.contains(p) for cone in question.cones):
        raise RejectedError("it lies in none of the cones")
    parts = [atom.times(q) for q, label in zip(p, labels, strict=True) for atom in label.atoms if q]
    still = [0] * len(question.coordinates)
    check_minimum(merged(parts), failing.slopes, scores, still, question.coordinates)
    excess = sum(
        (q * (one.losses[t] - one.losses[failing.better]) for q, one in zip(p, labels, strict=True)), ZERO
    )
    if excess <= 0:
        raise RejectedError(f"{question.predictions[failing.better]} is not better there")


# --- Some decoder is right -------------------------------------------------------------------------------


def kinks(labels: Iterable[Sequence[Atom]]) -> set[Plane]:
    """Hyperplanes between which all atoms are affine, one for each two pieces of a maximum that may meet.

    Let f attain the maximum in a region, and g too on a facet of it. If f + g = h + k for two other pieces
    (or one of them twice), then h = k = f on the facet. Order the pieces that agree there by their slopes
    across it: f is first, and no two others add up to f and the second. So every facet lies on the
    hyperplane of two pieces whose sum is no other pair's, and the other pairs may be left out.

    RejectedError if an atom is no maximum and not linear.
    """
    forms: set[Affine] = set()
    for atom in dict.fromkeys(atom for atoms in labels for atom in atoms if atom.c):
        if isinstance(atom, Linear):
            continue
        if not isinstance(atom, Max):
            raise RejectedError("a link is proved for maxima of affine functions alone")
        by_sum: dict[Affine, list[tuple[Affine, Affine]]] = {}
        for two in combinations_with_replacement(dict.fromkeys(atom.pieces), 2):
            by_sum.setdefault(_added(*two), []).append(two)
        for pairs in by_sum.values():
            (v, a), (w, b) = pairs[0]
            if len(pairs) == 1:
                forms.add((total_directions([v, tuple((k, -n) for k, n in w)]), a - b))
    d = 1 + max((k for normal, _ in forms for k, _ in normal), default=-1)
    return {primitive([dict(normal).get(k, ZERO) for k in range(d)] + [b]) for normal, b in forms if normal}


def _added(one: Affine, other: Affine) -> Affine:
    return total_directions([one[0], other[0]]), one[1] + other[1]


def values(labels: Iterable[Sequence[Atom]], point: Point) -> tuple[Fraction, ...]:
    """L(v): what each label loses at a point, of maxima and linear atoms."""
    return tuple(sum((_value(atom, point) for atom in atoms), ZERO) for atoms in labels)


def _value(atom: Atom, point: Point) -> Fraction:
    if not atom.c:
        return ZERO
    if isinstance(atom, Max):
        return atom.c * max(_along(v, point) + b for v, b in atom.pieces)
    assert isinstance(atom, Linear)
    return atom.c * _along(atom.v, point)


def _along(v: Direction, point: Point) -> Fraction:
    return sum((n * point[k] for k, n in v), ZERO)


def dot(left: Sequence[Fraction], right: Sequence[Fraction]) -> Fraction:
    """The inner product."""
    return sum((a * b for a, b in zip(left, right, strict=True) if a and b), ZERO)


def _check_link(
    question: EmbeddingQuestion, reports: Sequence[Report], covered: Sequence[Covered]
) -> Sequence[Sequence[Fraction]]:
    """Check a link; what each label loses at the reports."""
    psi = [label.atoms for label in question.labels]
    for number, label in enumerate(question.labels, start=1):
        _check_bounded(label, number, question.coordinates)
    losses = [values(psi, report.scores) for report in reports]
    known = set(losses)
    for one in covered:
        own = values(psi, one.scores)
        _check_covered(own, losses, one.weights)
        known.add(own)
    for point in padded(vertices(kinks(psi)), len(question.coordinates)):
        if values(psi, point) not in known:
            raise RejectedError(f"the vertex {shown(point)} is no report, and not covered by reports")
    targets = _targets(question)
    for number, report in enumerate(reports):
        if len(report.why) != len(question.cones):
            raise RejectedError(
                f"report {number} needs multipliers for each of the {len(question.cones)} cones"
            )
        for cone, why in zip(question.cones, report.why, strict=True):
            try:
                _check_report(losses[number], report.prediction, losses, targets, cone, why)
            except RejectedError as error:
                raise RejectedError(f"report {number}: {error}") from None
    return losses


def _targets(question: EmbeddingQuestion) -> list[tuple[Fraction, ...]]:
    """What each label loses, for each prediction."""
    return [tuple(label.losses[t] for label in question.labels) for t in range(len(question.predictions))]


def _check_decoder(
    question: EmbeddingQuestion,
    losses: Sequence[Sequence[Fraction]],
    decoder: Cells,
    decoded: Sequence[Decoded],
) -> None:
    """Whatever the decoder may return at a vertex is optimal for every p whose risk that minimizes."""
    psi, targets, proved = [label.atoms for label in question.labels], _targets(question), set()
    for number, one in enumerate(decoded):
        own = values(psi, one.scores)
        try:
            _check_report(own, one.prediction, losses, targets, SimplexCone(), one.why)
        except RejectedError as error:
            raise RejectedError(f"number {number} of decoded: {error}") from None
        proved.add((own, one.prediction))
    for point, returned in decodings(psi, decoder, len(question.coordinates)):
        if not returned:
            raise RejectedError(f"the decoder returns nothing at the scores {_told(point)}")
        for t in returned:
            if (values(psi, point), t) not in proved:
                name = question.predictions[t]
                raise RejectedError(
                    f"the decoder may return {name} at {_told(point)}, and no proof covers it"
                )


def _told(point: Point) -> str:
    return f"({', '.join(map(str, point))})"[:200]


def decodings(
    labels: Sequence[Sequence[Atom]], decoder: Cells, d: int
) -> Iterator[tuple[Point, tuple[int, ...]]]:
    """The vertices that the kinks and the walls of a decoder make, and what it may return there."""
    planes = {(*plane[:-1], *[0] * (d + 1 - len(plane)), plane[-1]) for plane in kinks(labels)}
    faces = (face for cells in decoder.of.values() for cell in cells for face in cell)
    walls = {primitive((*normal, b)) for normal, b in faces if any(normal)}
    for point in padded(vertices(planes | walls), d):
        yield point, decoder.may_return([LogRational(x) for x in point])


def padded(points: Iterable[Point], d: int) -> list[Point]:
    """The points with a 0 for each further coordinate, which no hyperplane looks at."""
    return [(*point, *[ZERO] * (d - len(point))) for point in points]


def _check_bounded(label: LabelAtoms, number: int, names: Sequence[str]) -> None:
    """0 is a mean of slopes of each atom, so psi is at least the same mean of its minorants."""
    slopes = label.bounded
    if slopes is None or len(slopes) != len(label.atoms):
        raise RejectedError(f"label {number} needs one slope for each atom, to show that it is bounded below")
    parts = [atom.minorant(slope, None, BITS)[0] for atom, slope in zip(label.atoms, slopes, strict=True)]
    for k, rest in total_directions(parts):
        raise RejectedError(f"the slopes of label {number} sum to {shown(rest)} at {names[k]}, not to 0")


def _check_covered(own: Sequence[Fraction], losses: Sequence[Sequence[Fraction]], weights: Sparse) -> None:
    if sum((w for _, w in weights), ZERO) != 1 or any(w < 0 for _, w in weights):
        raise RejectedError("the weights of reports must be at least 0 and sum to 1")
    mean = combination(losses, weights, len(own))
    if any(a > b for a, b in zip(mean, own, strict=True)):
        raise RejectedError("a label loses more at the mean of these reports than at the vertex")


def _check_report(
    own: Sequence[Fraction],
    t: int,
    losses: Sequence[Sequence[Fraction]],
    targets: Sequence[Sequence[Fraction]],
    cone: SimplexCone,
    why: Sequence[Multipliers],
) -> None:
    """Each p of the cone that the report is best for has t among its optimal predictions."""
    if len(why) == 1 and any(w for _, w in why[0].positive):
        rest = _rest([ZERO] * len(own), own, losses, cone, why[0])
        if any(x < 0 for x in rest):
            raise RejectedError("the multipliers do not show that no distribution of the cone belongs to it")
        return
    if len(why) != len(targets):
        raise RejectedError(f"it needs multipliers for each of the {len(targets)} predictions")
    for s, one in enumerate(why):
        more = [a - b for a, b in zip(targets[s], targets[t], strict=True)]
        if any(x < 0 for x in _rest(more, own, losses, cone, one)):
            raise RejectedError(f"the multipliers do not show that prediction {s} is no better")


def _rest(
    form: Sequence[Fraction],
    own: Sequence[Fraction],
    losses: Sequence[Sequence[Fraction]],
    cone: SimplexCone,
    multipliers: Multipliers,
) -> list[Fraction]:
    """The form less the stated sum of forms that are at least 0; this is mu, which must be at least 0."""
    parts = (multipliers.reports, multipliers.at_least, multipliers.positive)
    if any(w < 0 for part in parts for _, w in part):
        raise RejectedError("a multiplier is negative")
    n = len(form)
    best = combination(losses, multipliers.reports, n)
    whole = sum((w for _, w in multipliers.reports), ZERO)
    at_least = combination(cone.at_least, multipliers.at_least, n)
    positive = combination(cone.positive, multipliers.positive, n)
    sums = zip(form, best, own, at_least, positive, strict=True)
    return [x - (b - whole * o) - a - c for x, b, o, a, c in sums]


def combination(rows: Sequence[Sequence[Fraction]], weights: Sparse, n: int) -> list[Fraction]:
    """The sum of some rows, each with a weight (RejectedError if there is no such row)."""
    found = [ZERO] * n
    for k, w in weights:
        if k >= len(rows):
            raise RejectedError(f"there is no number {k}; the last one is {len(rows) - 1}")
        for j, x in enumerate(rows[k]):
            found[j] += w * x
    return found


# --- Reading ---------------------------------------------------------------------------------------------

_MOST_ROWS: Final = 1_000_000


def _sparse(value: object, where: str) -> Sparse:
    def part(value: object, where: str) -> tuple[int, Fraction]:
        number, weight = row(value, where, 2)
        return integer(number, where, 0, _MOST_ROWS), fraction(weight, where)

    found = many(part)(value, where)
    if len({k for k, _ in found}) < len(found):
        raise InputError(f"{where} names a number twice")
    return found


def _label(coordinates: Names, predictions: Names) -> Reader[LabelAtoms]:
    keys: dict[str, Reader[Any]] = {"psi": read_atoms(coordinates), "losses": predictions.each(fraction)}
    optional = {"bounded": many(read_slope)}
    return lambda value, where: LabelAtoms(*entries(value, where, keys, optional).values())


def _cone(value: object, where: str) -> SimplexCone:
    rows = many(many(fraction))
    return SimplexCone(**entries(value, where, {"at_least": rows, "positive": rows}))


def _multipliers(value: object, where: str) -> Multipliers:
    found = entries(value, where, {"reports": _sparse}, {"at_least": _sparse, "positive": _sparse})
    return Multipliers(found["reports"], found["at_least"] or (), found["positive"] or ())


def _report(coordinates: Names, predictions: Names) -> Reader[Report]:
    keys: dict[str, Reader[Any]] = {
        "scores": coordinates.each(fraction),
        "prediction": predictions.one,
        "why": many(many(_multipliers)),
    }
    return lambda value, where: Report(**entries(value, where, keys))


def _covered(coordinates: Names) -> Reader[Covered]:
    keys: dict[str, Reader[Any]] = {"scores": coordinates.each(fraction), "weights": _sparse}
    return lambda value, where: Covered(**entries(value, where, keys))


def _decoded(coordinates: Names, predictions: Names) -> Reader[Decoded]:
    keys: dict[str, Reader[Any]] = {
        "scores": coordinates.each(fraction),
        "prediction": predictions.one,
        "why": many(_multipliers),
    }
    return lambda value, where: Decoded(**entries(value, where, keys))


def _failing(predictions: Names) -> Reader[Failing]:
    keys: dict[str, Reader[Any]] = {
        "probabilities": many(fraction),
        "slopes": many(maybe(read_slope)),
        "better": predictions.one,
    }
    return lambda value, where: Failing(**entries(value, where, keys))
