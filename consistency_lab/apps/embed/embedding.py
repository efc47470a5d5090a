"""The finite loss that a polyhedral surrogate solves, and whether any decoder makes it right for a target."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, NamedTuple, final

import numpy as np

from consistency_lab.certify.proofs.file import provenance_entry, sealed
from consistency_lab.certify.proofs.record import Entry, atom_entries, written
from consistency_lab.core.document import DECODER, INCONSISTENT, LINK, NO_LINK, STRICT, TIE
from consistency_lab.core.embedding import (
    Decoded,
    Multipliers,
    Point,
    SimplexCone,
    Sparse,
    decodings,
    dot,
    kinks,
    padded,
    values,
    vertices,
)
from consistency_lab.core.orders import Cells, HalfSpace
from consistency_lab.core.risk import Max, merged
from consistency_lab.errors import InputError, RejectedError, UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.model.polyhedral import Polyhedral
from consistency_lab.model.tasks.discrete import LossMatrix
from consistency_lab.numbers.exact import ONE, ZERO, LogRational, Vector
from consistency_lab.solve.lp import FloatSolver, LPSolution, LPStatus, solve_lp

EVERYWHERE: Final = SimplexCone()


# --- What can be asked of a finite loss: programs over the p that one report is best for -----------------
# Rows are added as they are violated: first as floats see it, at last exactly.

_FIRST: Final = 12
"""Reports that a program begins with, those of the most similar losses."""


@final
class _Best:
    """Gamma_r = {p : <p, L_r> <= <p, L_s> for all s}, for one row L_r of losses."""

    def __init__(self, losses: Sequence[Vector], number: int, solver: FloatSolver) -> None:
        self.losses, self.number, self.solver = losses, number, solver
        self._known: dict[int, list[Fraction]] = {}
        table = np.array([[float(x) for x in row] for row in losses])
        self._more = table[number] - table
        distance = np.abs(self._more).sum(axis=1)
        near = [int(k) for k in np.argsort(distance, kind="stable") if k != number]
        self.rows = near[:_FIRST]

    def row(self, k: int) -> list[Fraction]:
        """L_r - L_k: at most 0 on Gamma_r."""
        if k not in self._known:
            own = self.losses[self.number]
            self._known[k] = [a - b for a, b in zip(own, self.losses[k], strict=True)]
        return self._known[k]

    def most(self, form: Sequence[Fraction], cone: SimplexCone = EVERYWHERE, spread: str = "") -> LPSolution:
        """Maximize <form, p> + t over p in Gamma_r and in the closed cone.

        `spread` says which inequalities must hold by at least t >= 0: those of the "reports", or the
        "positive" ones of the cone; otherwise t is left out. The multipliers are those of `rows`, then of the
        rows of the cone.
        """
        n, t = len(form), bool(spread)
        while True:
            limits = [[*self.row(k), *([ONE * (spread == "reports")] if t else [])] for k in self.rows]
            limits += [[*(-x for x in one), *([ZERO] if t else [])] for one in cone.at_least]
            limits += [
                [*(-x for x in one), *([ONE * (spread == "positive")] if t else [])] for one in cone.positive
            ]
            objective = [*(-x for x in form), *([-ONE] if t else [])]
            whole = [ONE] * n + [ZERO] * t
            found = solve_lp(objective, [whole], [ONE], limits, [ZERO] * len(limits), self.solver)
            if found.status is not LPStatus.OPTIMAL:
                return found
            more = self._violated(found.x[:n], found.x[n] if spread == "reports" else ZERO)
            if not more:
                return found
            self.rows += more

    def _violated(self, p: Sequence[Fraction], t: Fraction) -> list[int]:
        """The reports that do better at p than this one does with t more, the worst ones."""
        excess = self._more @ np.array([float(x) for x in p]) + float(t)
        known = {*self.rows, self.number}
        worst = [int(k) for k in np.argsort(-excess, kind="stable") if k not in known]
        # What floats see as clear is skipped; the rest is compared exactly.
        doubtful = [k for k in worst if excess[k] > -_CLEAR * (1 + abs(excess[k]))]
        return [k for k in doubtful if dot(self.row(k), p) + t > 0][:_FIRST]


_CLEAR: Final = 1e-6
"""Only saves time: the core compares all reports exactly."""


def _sparse(numbers: Iterable[int], weights: Iterable[Fraction]) -> Sparse:
    return tuple(sorted((k, w) for k, w in zip(numbers, weights, strict=True) if w))


# --- The embedded loss -----------------------------------------------------------------------------------


@frozen
class Embedded:
    """A report: scores that are the only best ones for some distribution."""

    scores: Point
    losses: Vector  #: psi(y, scores), by labels.
    p: Vector  #: A distribution for which every other report is worse.


@final
@dataclass(frozen=True)
class Embedding:
    """The finite loss that a surrogate embeds: for every p its infimum is attained at a report."""

    psi: Polyhedral
    hyperplanes: int
    vertices: int
    reports: tuple[Embedded, ...]
    covered: tuple[tuple[Point, Sparse], ...]  #: Other vertices, and a mean of reports that is as good.
    bounded: tuple[tuple[Vector, ...], ...]  #: Slopes of the summands of each label that sum to 0.

    @cached_property
    def losses(self) -> tuple[Vector, ...]:
        """One row a report."""
        return tuple(report.losses for report in self.reports)


@contextmanager
def _feasible() -> Iterator[None]:
    """Too many vertices for the core are too many to decide, which says nothing of the surrogate."""
    try:
        yield
    except RejectedError as error:
        raise UnsupportedError(str(error)) from None


def embed(psi: Polyhedral) -> Embedding:
    """Find the finite loss that a surrogate embeds, exactly (Finocchiaro, Frongillo and Waggoner 2022).

    InputError if it is not bounded below, UnsupportedError if its kinks meet in too many points.
    """
    solver, d = FloatSolver(), len(psi.coordinates)
    bounded = []
    for label, atoms in zip(psi.labels, psi.psi, strict=True):
        weights = _balanced([(atom, tuple(range(len(atom.pieces)))) for atom in atoms], d)
        if weights is None:
            raise InputError(
                f"{psi.name} is not bounded below for the label {label}, so it has no minimizers"
            )
        bounded.append(weights)
    planes = kinks(psi.psi)
    with _feasible():
        points = padded(vertices(planes), d)
    by_losses: dict[Vector, Point] = {}
    for point in sorted(points, key=lambda u: (max(map(abs, u), default=ZERO), u)):
        by_losses.setdefault(values(psi.psi, point), point)
    rows = list(by_losses)
    reports, others = [], []
    for number, row in enumerate(rows):
        if len(rows) == 1:  # no other one can do better
            reports.append(Embedded(by_losses[row], row, tuple(Fraction(1, len(row)) for _ in row)))
            break
        found = _Best(rows, number, solver).most([ZERO] * len(row), spread="reports")
        if found.status is LPStatus.OPTIMAL and found.x[-1] > 0:
            reports.append(Embedded(by_losses[row], row, found.x[:-1]))
        elif found.status in (LPStatus.OPTIMAL, LPStatus.INFEASIBLE):
            others.append(row)
        else:
            raise UnsupportedError("a linear program could not be settled exactly")
    losses = [report.losses for report in reports]
    covered = tuple((by_losses[row], _covering(losses, row, solver)) for row in others)
    return Embedding(psi, len(planes), len(points), tuple(reports), covered, tuple(bounded))


def _balanced(atoms: Sequence[tuple[Max, tuple[int, ...]]], d: int) -> tuple[Vector, ...] | None:
    """Weights of these pieces of each atom, 0 at the others, for which the gradients sum to 0."""
    columns = [(number, k) for number, (_, pieces) in enumerate(atoms) for k in pieces]
    gradients = [dict(atoms[number][0].pieces[k][0]) for number, k in columns]
    factors = [atoms[number][0].c for number, _ in columns]
    rows = [[c * g.get(k, ZERO) for c, g in zip(factors, gradients, strict=True)] for k in range(d)]
    wholes = [[ONE if at == number else ZERO for at, _ in columns] for number in range(len(atoms))]
    right = [ZERO] * d + [ONE] * len(atoms)
    found = solve_lp([ZERO] * len(columns), [*rows, *wholes], right)
    if found.status is not LPStatus.OPTIMAL:
        return None
    by_piece = dict(zip(columns, found.x, strict=True))
    return tuple(
        tuple(by_piece.get((number, k), ZERO) for k in range(len(atom.pieces)))
        for number, (atom, _) in enumerate(atoms)
    )


def _covering(losses: Sequence[Vector], row: Vector, solver: FloatSolver) -> Sparse:
    """Weights of reports whose mean loses at most as much, label by label."""
    columns = [list(column) for column in zip(*losses, strict=True)]
    count = len(losses)
    found = solve_lp([ZERO] * count, [[ONE] * count], [ONE], columns, list(row), solver)
    if found.status is not LPStatus.OPTIMAL:
        raise UnsupportedError("a linear program could not be settled exactly")
    return _sparse(range(count), found.x)


# --- A link to a target ----------------------------------------------------------------------------------


@final
class Failing(NamedTuple):
    """A distribution for which a report is a minimizer and a prediction is not optimal."""

    p: Vector
    better: int


@frozen
class Linked:
    """What is right at a report: a prediction with its proof, or for each prediction where it fails."""

    prediction: int | None
    why: tuple[tuple[Multipliers, ...], ...] = ()  #: As in `core.embedding.Report`.
    at: tuple[Failing, ...] = ()  #: One entry a prediction, if none is right.


@final
@dataclass(frozen=True)
class LinkDecision:
    """Whether any decoder of a surrogate is right for a target."""

    embedding: Embedding
    target: LossMatrix
    target_name: str
    cones: tuple[SimplexCone, ...]
    condition: str
    links: tuple[Linked, ...]  #: Report by report.

    @property
    def exists(self) -> bool:
        """Whether there is a calibrated link."""
        return all(link.prediction is not None for link in self.links)

    @property
    def failing(self) -> tuple[int, ...]:
        """The reports at which every prediction is wrong for some distribution."""
        return tuple(k for k, link in enumerate(self.links) if link.prediction is None)


def decide_link(
    embedding: Embedding,
    target: LossMatrix,
    name: str = "",
    cones: Sequence[SimplexCone] = (EVERYWHERE,),
    condition: str = "",
) -> LinkDecision:
    """Decide whether there is a calibrated link to a target, exactly.

    There is one if and only if for every report some prediction is optimal for every p (of the cones, whose
    union is asked about) that the report is best for; each step has its proof.
    """
    if len(target.labels) != len(embedding.psi.labels):
        raise InputError(
            f"the target has {len(target.labels)} labels and the surrogate {len(embedding.psi.labels)}; "
            "each label needs one row of losses"
        )
    solver = FloatSolver()
    columns = [tuple(row[t] for row in target.rows) for t in range(len(target.predictions))]
    best = (_Best(embedding.losses, number, solver) for number in range(len(embedding.reports)))
    links = (_link(*pair, columns, cones) for pair in zip(best, embedding.reports, strict=True))
    return LinkDecision(embedding, target, name, tuple(cones), condition, tuple(links))


def _link(best: _Best, report: Embedded, columns: Sequence[Vector], cones: Sequence[SimplexCone]) -> Linked:
    """A prediction that is optimal for all p that the report is best for, or why each fails."""
    everywhere = _settled(best, report, columns, (EVERYWHERE,))
    if everywhere.prediction is not None:  # what holds for every p needs no row of a cone
        return Linked(everywhere.prediction, everywhere.why * len(cones))
    if tuple(cones) == (EVERYWHERE,):
        return everywhere
    known = sorted(
        {one.p for one in everywhere.at}, key=lambda p: (len(p) - p.count(ZERO), p)
    )  # short ones first
    return _settled(best, report, columns, cones, [p for p in known if any(c.contains(p) for c in cones)])


def _settled(
    best: _Best,
    report: Embedded,
    columns: Sequence[Vector],
    cones: Sequence[SimplexCone],
    known: Iterable[Vector] = (),
) -> Linked:
    """What `_link` says, if these p of the cones are known."""
    failing: list[Failing | None] = [None] * len(columns)

    def look(p: Vector) -> None:
        for t, wrong in enumerate(failing):
            if wrong is None and (s := _better(columns, t, p)) is not None:
                failing[t] = Failing(p, s)

    for one in known:
        look(one)
    inside = []
    for cone in cones:
        if None not in failing:
            break
        inside.append(_inside(best, report, cone))
        if (found := inside[-1][0]) is not None:
            look(found)
    for t in [t for t, wrong in enumerate(failing) if wrong is None]:
        if failing[t] is not None:  # since then
            continue
        why: list[tuple[Multipliers, ...]] = []
        for cone, (p, empty) in zip(cones, inside, strict=True):
            if p is None and empty is not None:
                why.append((empty,))
                continue
            told = _optimal(best, columns, t, cone, p)
            if isinstance(told, Failing):
                look(told.p)
                break
            why.append(told)
        else:
            return Linked(t, tuple(why))
    at = tuple(one for one in failing if one is not None)
    assert len(at) == len(columns)
    return Linked(None, at=at)


def _better(columns: Sequence[Vector], t: int, p: Vector) -> int | None:
    """The best prediction at p, if it is better than t there."""
    means = [dot(column, p) for column in columns]
    s = min(range(len(means)), key=means.__getitem__)
    return s if means[s] < means[t] else None


def _inside(best: _Best, report: Embedded, cone: SimplexCone) -> tuple[Vector | None, Multipliers | None]:
    """A p of Gamma and the cone; else None, with multipliers that show it where the cone is open."""
    if cone.contains(report.p):
        return report.p, None
    n = len(report.p)
    found = best.most([ZERO] * n, cone, "positive" if cone.positive else "")
    if found.status is LPStatus.OPTIMAL and (not cone.positive or found.x[-1] > 0):
        return found.x[:n], None
    if found.status is not LPStatus.OPTIMAL:  # the closed cone has none: every prediction has multipliers
        return None, None
    return None, _multipliers(best, cone, found.dual_ub)


def _multipliers(
    best: _Best, cone: SimplexCone, dual: Sequence[Fraction], factor: Fraction = ONE
) -> Multipliers:
    """The multipliers of a program as the core reads them."""
    w = [factor * x for x in dual]
    a, b = len(best.rows), len(best.rows) + len(cone.at_least)
    at_least = _sparse(range(b - a), w[a:b])
    return Multipliers(_sparse(best.rows, w[:a]), at_least, _sparse(range(len(w) - b), w[b:]))


def _optimal(
    best: _Best, columns: Sequence[Vector], t: int, cone: SimplexCone, inside: Vector | None
) -> tuple[Multipliers, ...] | Failing:
    """Multipliers that show t to be optimal on Gamma and the cone, or where it is not."""
    why = []
    for column in columns:
        worse = [a - b for a, b in zip(columns[t], column, strict=True)]
        found = best.most(worse, cone)
        if found.status is LPStatus.INFEASIBLE:
            # 0 >= u + ..., u > 0: enough of it is above the form.
            needed = max(max(worse) / found.dual_eq[0], ZERO)
            why.append(_multipliers(best, cone, found.dual_ub, needed))
            continue
        if found.status is not LPStatus.OPTIMAL or found.value is None:
            raise UnsupportedError("a linear program could not be settled exactly")
        if found.value < 0:
            p = found.x if inside is None or cone.contains(found.x) else _mixed(found.x, inside, worse)
            better = _better(columns, t, p)
            assert better is not None
            return Failing(tuple(p), better)
        why.append(_multipliers(best, cone, found.dual_ub))
    return tuple(why)


def _mixed(p: Sequence[Fraction], inside: Sequence[Fraction], form: Sequence[Fraction]) -> Vector:
    """A point between p and one inside the cone at which the form is still positive."""
    share = ONE / 2
    while True:
        mixed = tuple((1 - share) * a + share * b for a, b in zip(p, inside, strict=True))
        if dot(form, mixed) > 0:
            return mixed
        share /= 2


# --- A stated decoder ------------------------------------------------------------------------------------


@final
@dataclass(frozen=True)
class DecoderDecision:
    """Whether a stated decoder of a surrogate is right for a target at every distribution."""

    link: LinkDecision
    decoder: Cells
    decoded: tuple[Decoded, ...]  #: Proofs; of all that it may return at a vertex if it is right.
    scores: Point | None = None  #: Where it is wrong: scores that minimize the risk,
    prediction: int = 0  #: what it may return there,
    at: Failing | None = None  #: and a distribution for which something is better.

    @property
    def right(self) -> bool:
        """Whether it is right."""
        return self.at is None

    @property
    def strict(self) -> bool:
        """Whether whatever it may return at the scores is worse there."""
        assert self.at is not None and self.scores is not None
        p, better = self.at
        means = [dot(column, p) for column in zip(*self.link.target.rows, strict=True)]
        returned = self.decoder.may_return([LogRational(x) for x in self.scores])
        return all(means[t] > means[better] for t in returned)


def decide_decoder(link: LinkDecision, decoder: Cells) -> DecoderDecision:
    """Decide whether a decoder is right for a target, exactly.

    It is if and only if whatever it may return at a vertex of the kinks and its walls is optimal for every p
    whose risk the vertex minimizes.
    """
    psi, losses, solver = link.embedding.psi, link.embedding.losses, FloatSolver()
    columns = [tuple(row[t] for row in link.target.rows) for t in range(len(link.target.predictions))]
    missed = left_out(decoder, len(psi.coordinates))
    if missed is not None:
        raise InputError(f"the decoder returns nothing at the scores ({', '.join(map(str, missed))})")
    proofs: dict[tuple[Vector, int], Decoded] = {}
    with _feasible():
        at_vertices = list(decodings(psi.psi, decoder, len(psi.coordinates)))
    for point, returned in at_vertices:
        own = values(psi.psi, point)
        for t in returned:
            if (own, t) in proofs:
                continue
            why = _optimal(_Best([*losses, own], len(losses), solver), columns, t, EVERYWHERE, None)
            if isinstance(why, Failing):
                return DecoderDecision(link, decoder, (), point, t, why)
            proofs[own, t] = Decoded(point, t, why)
    return DecoderDecision(link, decoder, tuple(proofs.values()))


def left_out(decoder: Cells, d: int) -> Point | None:
    """Scores that no cell of a decoder contains, or None if its cells cover all of them.

    Cells are closed, so what they leave out is open: it is cut along the walls of one cell after another, and
    a part is kept if a linear program finds scores inside it.

    Examples
    --------
    >>> from fractions import Fraction
    >>> above, below = ((Fraction(1),), Fraction(-1)), ((Fraction(-1),), Fraction(0))
    >>> left_out(Cells({0: ((above,),), 1: ((below,),)}), 1)  # u >= 1, or u <= 0
    (Fraction(1, 2),)
    """
    cells, solver = [cell for some in decoder.of.values() for cell in some], FloatSolver()

    def search(part: list[HalfSpace], at: int) -> Point | None:
        point = _interior(part, d, solver)
        if point is None or at == len(cells):
            return point
        inside = list(part)
        for row, b in cells[at]:
            found = search([*inside, (tuple(-x for x in row), -b)], at + 1)
            if found is not None:
                return found
            inside.append((row, b))
        return None

    return search([], 0)


def _interior(part: Sequence[HalfSpace], d: int, solver: FloatSolver) -> Point | None:
    """Scores at which all inequalities are strict, by the largest slack up to 1."""
    limits = [[*(-x for x in row), *row, ONE] for row, _ in part]
    limits.append([ZERO] * (2 * d) + [ONE])
    found = solve_lp([ZERO] * (2 * d) + [-ONE], (), (), limits, [*(b for _, b in part), ONE], solver)
    if found.status is LPStatus.INFEASIBLE:
        return None
    if found.status is not LPStatus.OPTIMAL:
        raise UnsupportedError("a linear program could not be settled exactly")
    return tuple(a - b for a, b in zip(found.x[:d], found.x[d:-1], strict=True)) if found.x[-1] else None


# --- The proof -------------------------------------------------------------------------------------------


def link_entry(decision: LinkDecision, report: int | None = None) -> Entry:
    """The ``proof`` entry of a file: the link, or a report (the first) at which there is none."""
    psi, target = decision.embedding.psi, decision.target
    entry = _stated(psi, target)
    if decision.cones != (EVERYWHERE,):
        entry["cones"] = [{"at_least": one.at_least, "positive": one.positive} for one in decision.cones]
    if not decision.exists:
        k = decision.failing[0] if report is None else report
        scores = decision.embedding.reports[k].scores
        at = [_failing_entry(psi, scores, one, target) for one in decision.links[k].at]
        return written({"claim": NO_LINK, **entry, "scores": scores, "at": at})
    for label, slopes in zip(entry["labels"], decision.embedding.bounded, strict=True):
        label["bounded"] = slopes
    reports = [
        {
            "scores": one.scores,
            "prediction": target.predictions[link.prediction or 0],
            "why": [[_multipliers_entry(m) for m in why] for why in link.why],
        }
        for one, link in zip(decision.embedding.reports, decision.links, strict=True)
    ]
    covered = [{"scores": scores, "weights": weights} for scores, weights in decision.embedding.covered]
    return written({"claim": LINK, **entry, "reports": reports, "covered": covered})


def _stated(psi: Polyhedral, target: LossMatrix) -> dict[str, Any]:
    """What is asked: the surrogate and the target, label by label."""
    rows = zip(psi.psi, target.rows, strict=True)
    labels = [{"psi": atom_entries(atoms, psi.coordinates), "losses": row} for atoms, row in rows]
    return {"coordinates": psi.coordinates, "predictions": target.predictions, "labels": labels}


def decoder_entry(decision: DecoderDecision) -> Entry:
    """The ``proof`` entry of a file: that the decoder is right, or scores at which it is wrong."""
    link, target = decision.link, decision.link.target
    psi, names = link.embedding.psi, target.predictions
    cells = {names[t]: cells for t, cells in decision.decoder.of.items()}
    if decision.at is None:
        decoded = [
            {
                "scores": one.scores,
                "prediction": names[one.prediction],
                "why": [_multipliers_entry(m) for m in one.why],
            }
            for one in decision.decoded
        ]
        return written({**link_entry(link), "claim": DECODER, "decoder": cells, "decoded": decoded})
    assert decision.scores is not None
    found, p = _failing_entry(psi, decision.scores, decision.at, target), decision.at.p
    means = [dot(column, p) for column in zip(*target.rows, strict=True)]
    stated = _stated(psi, target)
    labels = [{"probability": q, **one} for q, one in zip(p, stated["labels"], strict=True) if q]
    wrong = {
        "claim": INCONSISTENT,
        "decoder": cells,
        "labels": labels,
        "scores": decision.scores,
        "prediction": names[decision.prediction],
        "better": found["better"],
        "failure": STRICT if decision.strict else TIE,
        "regret": means[decision.prediction] - means[decision.at.better],
        "certificate": {"kind": "minimum", "slopes": found["slopes"]},
    }
    return written(stated | wrong)


def _multipliers_entry(one: Multipliers) -> Entry:
    of_cones = {"at_least": one.at_least, "positive": one.positive}
    return {"reports": one.reports, **{key: part for key, part in of_cones.items() if part}}


def _failing_entry(psi: Polyhedral, scores: Point, failing: Failing, target: LossMatrix) -> dict[str, object]:
    parts = [atom.times(q) for q, atoms in zip(failing.p, psi.psi, strict=True) for atom in atoms if q]
    atoms = [atom for atom in merged(parts) if isinstance(atom, Max)]
    heights = [[sum((n * scores[k] for k, n in v), b) for v, b in atom.pieces] for atom in atoms]
    highest = [tuple(k for k, x in enumerate(at) if x == max(at)) for at in heights]
    slopes = _balanced(list(zip(atoms, highest, strict=True)), len(psi.coordinates))
    if slopes is None:
        raise UnsupportedError("a linear program could not be settled exactly")
    better = target.predictions[failing.better]
    return {"probabilities": failing.p, "slopes": slopes, "better": better}


def decoder_document(
    decision: DecoderDecision, named: bool = True, provenance: Mapping[str, str] = MappingProxyType({})
) -> dict[str, object]:
    """The file of a decision about a decoder, with names as in `link_document`."""
    names = _names(decision.link) if named else {}
    return sealed(decoder_entry(decision), names, provenance_entry(provenance))


def link_document(
    decision: LinkDecision, named: bool = True, provenance: Mapping[str, str] = MappingProxyType({})
) -> dict[str, object]:
    """The file of a decision, with the names of the surrogate and the target if this package knows them."""
    names = _names(decision) if named else {}
    if named and decision.condition and decision.cones != (EVERYWHERE,):
        names["condition"] = decision.condition
    return sealed(link_entry(decision), names, provenance_entry(provenance))


def _names(link: LinkDecision) -> dict[str, object]:
    psi = link.embedding.psi
    return {"surrogate": {"name": psi.name, "size": str(psi.size)}, "target": link.target_name}
