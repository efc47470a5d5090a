"""The kinds of certificates: how each is read, and what it proves about where the risk is least."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise, permutations
from math import factorial
from types import MappingProxyType
from typing import ClassVar, Final

from consistency_lab.core import reading
from consistency_lab.core.addition import Addition
from consistency_lab.core.document import Certificate, Near, Proof
from consistency_lab.core.equilibrium import Program, check_equilibrium, read_program
from consistency_lab.core.orders import Cells, Order, Pair, by_levels, closure, cost, levels
from consistency_lab.core.reading import Names, Reader, boolean, entries, interval, many, maybe, word
from consistency_lab.core.risk import (
    Atom,
    Bracket,
    Direction,
    Scores,
    Slope,
    Sloped,
    combined,
    near_losses,
    read_slope,
)
from consistency_lab.core.risk import total as total_atoms
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.frozen import frozen
from consistency_lab.numbers.balls import (
    ONE,
    ORIGIN,
    Real,
    UncertainError,
    at_most,
    ball,
    below,
    brief_total,
    minus,
    rational,
    shown,
    times,
    total,
)
from consistency_lab.numbers.exact import LogRational, working_precision

# --- Risks that are least where the mean F ---------------------------------------------------------------
# Risks that are least where the mean F = sum_y p_y f(y) of numbers f(y), stated by each label, says.
#
# | risk | psi(y, u) | f | near the infimum |
# |---|---|---|---|
# | squares | sum_k (u_k - f_k)^2 | any | u = F |
# | pair-squares | sum_{k<l} ((u_k - u_l) - (f_k - f_l))^2 | any | u = F + constant |
# | softmax | -sum_k f_k u_k + (sum_k f_k) log sum_k exp u_k | f >= 0 | exp u proportional to F |
# | sigmoids | sum_k log(1 + exp u_k) - f_k u_k | 0 <= f <= 1 | u_k = log(F_k / (1 - F_k)) |
# | signed | sum_k f_k phi(u_k) + (1 - f_k) phi(-u_k), with | 0 <= f <= 1 | u = 2F - 1 |
# |        | phi = (1-x)^2 or max(0,1-x)^2 | | |
# | chances | sum_kn log(1 + exp v_kn) - 1(f_k >= n) v_kn, | whole >= 0 | u = F |
# |         | u_k = sum_n 1/(1 + exp(-v_kn)) | | |
# | positions | -sum_k f_k g(r_k), g convex and decreasing: | f >= 0 | far apart, F sorted |
# |           | 1/r, 1/log2(1 + r) | | |
# | soft-pairs | sum_{k != l} f_kl / (1 + exp(u_k - u_l)) | f_kl >= 0, by rows | far apart, see below |
#
# Here r_k = 1 + sum_{l != k} 1/(1 + exp((u_k - u_l)/T)) for a T > 0. In each row but the last the scores
# increase strictly with F, coordinate by coordinate, so that sorting them sorts F; "squares" may also be
# decoded by cells in u = F. Where F_k is 0 or 1 the scores of "softmax" and "sigmoids" run to infinity, in
# the order of F all the same.
#
# The last two are not convex. Draw an order item by item with chances proportional to exp(u_k/T) among those
# left (T = 1 for pairs). Then l is above k with chance 1/(1 + exp((u_k - u_l)/T)), so r_k is the mean
# position of k, and by Jensen's inequality the risk is at least the mean over that order t of L(t) = -sum_k
# F_k g(position of k), or of L(t) = sum_kl F_kl 1(l above k). An order that sorts u has a chance of at least
# 1/m!, and scores far apart in an order t make the risk L(t) in the limit. So its infimum is min L, and is
# approached in the orders of least L alone: those that sort F, or those of which sum_kl F_kl 1(l above k) is
# least.

MOST_ORDERS: Final = 5040
"""Most orders that are gone through one by one."""

RISKS: Final[Mapping[str, tuple[bool, bool]]] = MappingProxyType(
    {
        "squares": (False, False),
        "pair-squares": (False, False),
        "softmax": (True, False),
        "sigmoids": (True, True),
        "signed": (True, True),
        "chances": (True, False),
        "positions": (True, False),
        "soft-pairs": (True, False),
    }
)
"""By name: whether f must be at least 0, and whether at most 1."""


def mean(risk: str, labels: Sequence[tuple[Fraction, Sequence[Real]]]) -> tuple[Real, ...]:
    """F, coordinate by coordinate.

    Parameters
    ----------
    risk
        A key of `RISKS`.
    labels
        The probability and f(y) of each label.

    RejectedError if a number is out of the range of this risk.
    """
    at_least_0, at_most_1 = RISKS[risk]
    if len({len(features) for _, features in labels}) != 1:
        raise RejectedError("every label needs the same number of features")
    for _, features in labels:
        for x in features:
            if (at_least_0 and not at_most(ORIGIN, x)) or (at_most_1 and not at_most(x, ONE)):
                raise RejectedError(f"a feature is not certainly in the range of the risk {risk}")
            exact = rational(x)
            if risk == "chances" and (exact is None or exact.denominator > 1):
                raise RejectedError("a feature of the risk chances is not an integer")
    columns = zip(*(features for _, features in labels), strict=True)
    weights = [LogRational(p) for p, _ in labels]
    return tuple(total(map(times, weights, column)) for column in columns)


def best_orders(found: Sequence[Real], m: int) -> tuple[Order, ...]:
    """The orders of m items of least sum_kl F_kl 1(l above k), for the risk "soft-pairs".

    RejectedError if F is not one rational for each k != l, or there are more than `MOST_ORDERS` orders.
    """
    exact = [a for x in found if (a := rational(x)) is not None]
    if not len(exact) == len(found) == m * (m - 1) or factorial(m) > MOST_ORDERS:
        raise RejectedError(
            "the risk soft-pairs needs one rational for each two different items, of at most 7"
        )
    costs = dict(zip(permutations(range(m), 2), exact, strict=True))
    by_order = {order: cost(costs, order) for order in permutations(range(m))}
    least = min(by_order.values())
    return tuple(order for order, x in by_order.items() if x == least)


# --- Scores that minimize the risk, or along which it falls to its infimum -------------------------------
# If s_t is a subgradient of the convex atom f_t at u and the subgradients sum to 0, then u minimizes W =
# sum_t f_t.
#
# With a *direction* d the atoms fall into two groups: those that u + t d leaves alone, and those that fall to
# their infimum as t grows. If the subgradients of the first group sum to 0 at u, then
#
#     W(u + t d)  →  min (sum of the first) + sum of the infima of the second  <=  inf W,
#
# so W comes arbitrarily near its infimum there: for large t the items stand in the order of d, of equal d in
# that of u. The infimum need not be attained.


def check_minimum(
    atoms: Sequence[Atom],
    slopes: Sequence[Slope],
    scores: Scores,
    direction: Sequence[int],
    names: Sequence[str],
) -> None:
    """Check that W falls to its infimum along the direction from the scores on; 0 for a minimizer.

    Parameters
    ----------
    atoms
        The convex atoms of W.
    slopes
        One entry an atom; None where nothing needs to be stated, and for what vanishes along the direction.
    scores, direction
        u and d.
    names
        Of the coordinates, for messages.

    RejectedError if a slope is no subgradient, the sum is not 0, or an atom is not proved to behave along the
    direction.
    """
    if len(slopes) != len(atoms):
        raise RejectedError(f"{len(slopes)} slopes are stated for {len(atoms)} atoms of the risk")
    parts = []
    for number, (atom, slope) in enumerate(zip(atoms, slopes, strict=True), start=1):
        try:
            if not atom.settles(direction):
                parts.append(atom.gradient(slope, scores))
            elif slope is not None:
                raise RejectedError("it vanishes along the direction, so it has no slope")
        except RejectedError as error:
            raise RejectedError(f"atom {number} of the risk: {error}") from None
    for k, rest in total_atoms(parts):
        raise RejectedError(f"the slopes sum to {shown(rest)} at {names[k]}, not to 0")


# --- Bounds of the risk on half-spaces, all above its value at given scores ------------------------------
# Each atom has an affine minorant <g_t, u> + k_t. If sum_t g_t = λ (e_i - e_j) with λ >= 0, then on {u_i >=
# u_j}
#
#     W(u) >= sum_t k_t =: D.
#
# If D > W(scores) for every half-space, then whatever comes near the infimum of W lies outside all of them.
# The half-spaces are told by the scores' own order: {u_i >= u_j} where the scores put j strictly above i.
#
# With the loss f_t(scores) - <g_t, scores> - k_t >= 0 of each minorant at the scores, any bound is
#
#     D - W(scores) = λ (scores_j - scores_i) - sum_t (loss of t),
#
# since the minorants add up to λ (u_i - u_j) + D everywhere, hence also at the scores.
#
# Many bounds may differ in few atoms. Then the slopes of the others are stated once, as *common* slopes whose
# minorants add up to a constant, sum_t g_t = 0, and a bound lists those atoms alone that it changes.


PRECISIONS: Final = (64, 128, 256, 512, 1024, 2048, 4096)

_MOST_ATOMS: Final = 1_000_000
"""More than a file has."""

_MOST_CHANGED: Final = 200_000
"""Most coordinates of the atoms that the bounds change, each counted as often as it is changed."""

_MOST_WORK: Final = 500_000
_WORK_OF_ONE: Final = 64
"""Most operations in atoms, for all bounds and precisions: so many, or so many an atom that is listed."""


@frozen
class Bound:
    """A bound of W on {u_i >= u_j} for the pair (j, i), which the scores order the other way round."""

    #: The pair.
    above: int
    below: int
    #: One entry an atom.
    slopes: tuple[Slope, ...]
    brackets: tuple[Bracket, ...]
    #: The numbers of these atoms, from 0, where the others have the common slopes; None if all are meant.
    terms: tuple[int, ...] | None = None

    def listed(self, count: int) -> Sequence[int]:
        """The numbers of the atoms, of `count` in all, that the slopes belong to."""
        return range(count) if self.terms is None else self.terms


@frozen
class Common:
    """Slopes of all atoms that sum to zero, and within which radius of the scores they are attained."""

    slopes: tuple[Slope, ...]
    radii: tuple[Fraction | None, ...]


@frozen
class Separation(Certificate):
    """The bounds, and by how much they exceed the value at the scores at least."""

    bounds: tuple[Bound, ...]
    gap: Fraction
    common: Common | None = None
    every: ClassVar[bool] = True

    @staticmethod
    def read(value: object, where: str, coordinates: Names) -> "Separation":
        pair = {"above": coordinates.one, "below": coordinates.one}
        evidence = {"slopes": many(read_slope), "brackets": many(maybe(interval))}
        terms = {"terms": many(lambda x, at: reading.integer(x, at, 0, _MOST_ATOMS - 1))}
        radii = {"slopes": many(read_slope), "radii": many(maybe(reading.fraction))}
        keys = {
            "bounds": many(lambda x, at: Bound(**entries(x, at, {**pair, **evidence}, terms))),
            "gap": reading.decimal_or_fraction,
        }
        common = {"common": lambda x, at: Common(**entries(x, at, radii))}
        return Separation(**entries(value, where, keys, common))

    def near(self, proof: Proof, risk: tuple[Atom, ...]) -> Near:
        if isinstance(proof.decoder, Cells):
            raise RejectedError("a separation by pairs of scores goes with sorting, not with cells")
        scores = proof.scores or ()
        forced = closure(len(scores), check_separation(risk, self, scores, proof.coordinates))
        return Near(forced, at_scores=by_levels(levels(scores)))


def check_separation(
    atoms: Sequence[Atom], certificate: Separation, scores: Scores, names: Sequence[str]
) -> list[Pair]:
    """Check the bounds: every u with W(u) <= W(scores) has u_i > u_j for each pair (i, j) that is returned.

    RejectedError if the scores do not order a pair as stated, an identity fails, or a bound or the gap is not
    certain.
    """
    if certificate.gap <= 0:
        raise RejectedError(f"the gap is {shown(certificate.gap)}; it must be positive")
    if not certificate.bounds:
        raise RejectedError("a separation needs at least one bound")
    for bound in certificate.bounds:
        if not scores[bound.below] < scores[bound.above]:
            raise RejectedError(f"the scores do not put {names[bound.above]} above {names[bound.below]}")
    _check_terms(atoms, certificate)
    parts, left = [atom.parts for atom in atoms], _allowed(atoms, certificate)
    failure, open_bounds = RejectedError("the gap is not certain"), certificate.bounds
    for bits in PRECISIONS:
        once = sum(parts) if certificate.common is not None else 0
        left -= once + sum(parts[t] for bound in open_bounds for t in bound.listed(len(atoms)))
        if left < 0:
            raise RejectedError("the bounds take too much work to tell; state fewer, or a smaller gap")
        try:
            found = margins(atoms, open_bounds, scores, bits, names, certificate.common)
        except UncertainError as error:
            failure = RejectedError(str(error))
            continue
        with working_precision(bits):
            gap = LogRational(certificate.gap)
            both = zip(open_bounds, found, strict=True)
            short = [(bound, margin) for bound, margin in both if not at_most(gap, margin)]
            certain = next((pair for pair in short if below(pair[1], gap)), None)
        if not short:
            return [(bound.above, bound.below) for bound in certificate.bounds]
        bound, margin = certain or short[0]
        failure = RejectedError(
            f"the bound for {names[bound.above]} above {names[bound.below]} exceeds the value at the scores "
            f"by {ball(margin).str(8)}, not certainly by {gap.ball().str(8, radius=False)}"
        )
        if certain:
            break
        open_bounds = tuple(bound for bound, _ in short)
    raise failure


def _allowed(atoms: Sequence[Atom], certificate: Separation) -> int:
    """How much work the bounds may take, from how much they list."""
    common = len(atoms) if certificate.common is not None else 0
    return max(_MOST_WORK, _WORK_OF_ONE * (common + sum(len(bound.slopes) for bound in certificate.bounds)))


def _check_terms(atoms: Sequence[Atom], certificate: Separation) -> None:
    """Check that what the bounds and the common slopes list fits to the atoms, before any of it is used."""
    count, common, changed = len(atoms), certificate.common, 0
    if common is not None and not len(common.slopes) == len(common.radii) == count:
        raise RejectedError(f"the common slopes need one slope and one radius for each of the {count} atoms")
    for bound in certificate.bounds:
        if (bound.terms is None) != (common is None):
            raise RejectedError("bounds list their terms where there are common slopes, and only there")
        listed = bound.listed(count)
        if not len(bound.slopes) == len(bound.brackets) == len(listed):
            raise RejectedError(
                f"a bound needs one slope and one bracket for each of the {len(listed)} atoms"
            )
        if bound.terms is not None:
            if len(set(listed)) < len(listed) or not all(0 <= t < count for t in listed):
                raise RejectedError(f"the terms of a bound are numbers from 0 to {count - 1}, each once")
            changed += sum(len(v) for t in listed for v in atoms[t].directions())
    if changed > _MOST_CHANGED:
        raise RejectedError(f"the bounds change atoms of more than {_MOST_CHANGED} coordinates")


def margins(
    atoms: Sequence[Atom],
    bounds: Sequence[Bound],
    scores: Scores,
    bits: int,
    names: Sequence[str],
    common: Common | None = None,
) -> list[Real]:
    """D - W(scores) for each bound, or a little less, with `bits` bits where it is not known exactly.

    RejectedError if the slopes of a bound prove none.
    """
    with working_precision(bits):
        near: list[Sloped] = []
        if common is not None:
            near = near_losses(list(zip(atoms, common.slopes, common.radii, strict=True)), scores, bits)
        changes = []
        for bound in bounds:
            listed = zip(bound.listed(len(atoms)), bound.slopes, bound.brackets, strict=True)
            changes.append([(t, atoms[t].loss(s, bracket, scores, bits)) for t, s, bracket in listed])
        for k, rest in combined((v, factor) for v, factor, _ in near):
            raise RejectedError(f"the common slopes sum to {shown(rest)} at {names[k]}, not to 0")
        whole, found = brief_total(loss for *_, loss in near), []
        for bound, changed in zip(bounds, changes, strict=True):
            old = [near[t] for t, _ in changed] if near else []
            slopes = [
                *((new, Fraction(1)) for _, (new, _) in changed),
                *((v, -factor) for v, factor, _ in old),
            ]
            lost = brief_total([whole, *(after for _, (_, after) in changed), *(-x for *_, x in old)])
            far = scores[bound.above] - scores[bound.below]
            multiplier = LogRational(_multiplier(combined(slopes), bound, names))
            found.append(minus(times(multiplier, far), lost))
        return found


def _multiplier(direction: Direction, bound: Bound, names: Sequence[str]) -> Fraction:
    """λ, if the direction is λ (e_i - e_j) with λ >= 0 (RejectedError)."""
    rest = dict(direction)
    up, down = rest.pop(bound.below, Fraction(0)), rest.pop(bound.above, Fraction(0))
    if rest or up != -down or up < 0:
        raise RejectedError(
            f"the slopes of the bound for {names[bound.above]} above {names[bound.below]} do not balance: "
            f"they leave {shown(up)} and {shown(down)} there"
            + (f" and {shown(next(iter(rest.values())))} at {names[next(iter(rest))]}" if rest else "")
        )
    return up


# --- The kinds -------------------------------------------------------------------------------------------


@frozen
class Minimum(Certificate):
    """Slopes that sum to zero."""

    slopes: tuple[Slope, ...]

    @staticmethod
    def read(value: object, where: str, coordinates: Names) -> "Minimum":
        return Minimum(**entries(value, where, {"slopes": many(read_slope)}))

    def near(self, proof: Proof, risk: tuple[Atom, ...]) -> Near:
        check_minimum(risk, self.slopes, proof.scores or (), proof.direction, proof.coordinates)
        return _decoded(proof, proof.scores or ())


@frozen
class KnownMean(Certificate):
    """The name of a risk in the table of `RISKS`."""

    risk: str
    needs_scores: ClassVar[bool] = False

    @staticmethod
    def psi(coordinates: Names) -> Reader[object]:
        return many(reading.real)

    @staticmethod
    def read(value: object, where: str, coordinates: Names) -> "KnownMean":
        return KnownMean(**entries(value, where, {"risk": word(*RISKS)}))

    def near(self, proof: Proof, risk: tuple[Atom, ...]) -> Near:
        if isinstance(proof.decoder, Cells) and self.risk != "squares":
            raise RejectedError(f"the minimizer of the risk {self.risk} is sorted, not decoded by cells")
        found = mean(self.risk, [(y.probability, y.features) for y in proof.labels])
        if self.risk == "soft-pairs":
            return Near((), best_orders(found, len(proof.coordinates)))
        return _decoded(proof, found)


@frozen
class Equilibrium(Certificate):
    """A box with a zero of the field."""

    box: tuple[tuple[Fraction, Fraction], ...]
    attracting: bool
    needs_scores: ClassVar[bool] = False

    @staticmethod
    def psi(coordinates: Names) -> Reader[object]:
        return read_program(coordinates)

    @staticmethod
    def read(value: object, where: str, coordinates: Names) -> "Equilibrium":
        found = Equilibrium(**entries(value, where, {"box": many(interval), "attracting": boolean}))
        if len(found.box) != len(coordinates.number) - 1:
            raise InputError(f"{where}.box needs one interval for each coordinate but the last")
        return found

    def near(self, proof: Proof, risk: tuple[Atom, ...]) -> Near:
        order = proof.prediction
        if isinstance(order, int) or order is None or isinstance(proof.decoder, Cells):
            raise RejectedError("an equilibrium is sorted, and has a prediction")
        programs = [(y.probability, y.psi) for y in proof.labels if isinstance(y.psi, Program)]
        proved = check_equilibrium(programs, order, self.box)
        if self.attracting and not proved:
            raise RejectedError("the equilibrium is not proved to be attracting")
        return Near(closure(len(order), pairwise(order)))


def _decoded(proof: Proof, scores: Sequence[Real]) -> Near:
    """What is returned at the scores, or far along the direction."""
    if len(scores) != len(proof.coordinates):
        raise RejectedError("decoding needs one score for each coordinate")
    if isinstance(proof.decoder, Cells):
        return Near((), proof.decoder.may_return(scores))
    return Near(by_levels(list(zip(proof.direction, levels(scores), strict=True))))


KINDS: Final[Mapping[str, type[Certificate]]] = MappingProxyType(
    {
        "minimum": Minimum,
        "separation": Separation,
        "addition": Addition,
        "mean": KnownMean,
        "equilibrium": Equilibrium,
    }
)
"""The kinds by their names in a file."""
