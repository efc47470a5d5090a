"""What the page on finite minimizers computes: an explicit radius for convex edge losses (DMJ10 Lemma 9)."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise, permutations, product
from random import Random
from typing import Any, Final

from consistency_lab.apps.book.risk import enclosed_risk, rational_scores
from consistency_lab.apps.book.statement import Cases, Refutation
from consistency_lab.apps.book.statements.dmj10_disagreement import digraphs, unlabeled_digraphs
from consistency_lab.apps.book.ticked import sp
from consistency_lab.decide.theorems.base import Refusal
from consistency_lab.frozen import frozen
from consistency_lab.model.limits import towards
from consistency_lab.model.properties import ASSUMPTION_A, CONVEX, NEGATIVE_SLOPE, Status, properties
from consistency_lab.model.surrogates import Term, pair
from consistency_lab.numbers.exact import (
    Ball,
    LogRational,
    certainly_less,
    certainly_positive,
    enclose,
    lower_decimal,
)
from consistency_lab.numbers.phi import NAMED, Expression, enclose_slopes, enclose_value, facts, parse
from consistency_lab.solve.connectivity import attainment, strong_components
from consistency_lab.solve.minimize import minimize

# --- How far apart the scores of a minimizer can be ------------------------------------------------------
# Let W(alpha) = sum over edges of h_ij phi(alpha_i - alpha_j), phi convex. Sort the items by score, let g_k
# be the gap above the k lowest of them, S_k that set, and rho the sum of the gaps. An edge i → j with i below
# j spans the gaps between, so (layer by layer)
#
#     sum over edges that run up of h_ij (alpha_j - alpha_i) = sum_k g_k h(S_k → rest)   >= kappa rho,
#     sum over edges that run down of h_ij (alpha_i - alpha_j) = sum_k g_k h(rest → S_k) <= K rho,
#
# with kappa and K the least and the greatest weight of a cut; kappa > 0 says that the support is strongly
# connected. Bound phi below by two tangents, of slope -S < 0 on the left and -T on the right of 0, with
# values u and u' at 0. Then
#
#     W(alpha) >= H min(u, u') + (kappa S - K max(T, 0)) rho,    H = sum of all h_ij,
#
# and W(alpha) <= W(0) = H phi(0) gives rho <= C = H (phi(0) - min(u, u')) / (kappa S - K max(T, 0)). There
# are tangents with kappa S > K T if phi'(0) < 0 and Assumption A holds: far out, T comes as close to 0 as one
# likes if phi'_inf(1) >= 0, and S grows without bound if phi'_inf(-1) = inf.

Weights = Mapping[tuple[int, int], Fraction]

_POINTS: Final = (Fraction(0), *(Fraction(2) ** n for n in range(-3, 7)))


@frozen
class Cuts:
    """The least and the greatest weight of the edges from a set of items to the others, and of all edges."""

    least: Fraction
    greatest: Fraction
    total: Fraction


def cuts(h: Weights, m: int) -> Cuts:
    """Go through all sets of items but the empty and the full one."""
    weights = [
        sum((w for (i, j), w in h.items() if chosen >> i & 1 and not chosen >> j & 1), Fraction(0))
        for chosen in range(1, (1 << m) - 1)
    ]
    return Cuts(min(weights), max(weights), sum(h.values(), Fraction(0)))


@frozen
class Radius:
    """A bound on the spread of scores with W(alpha) <= W(0)."""

    bound: Fraction  #: max alpha - min alpha is at most this.
    #: Where the two tangents touch phi.
    left: Fraction
    right: Fraction
    cuts: Cuts  #: Least and greatest cut, and the total weight.


def radius(phi: Expression, h: Weights, m: int) -> Radius | Refusal:
    """The smallest radius that tangents at 0 and at powers of 2 give, or why there is none."""
    found = cuts(h, m)
    if not found.least:
        return Refusal("the support is not strongly connected")
    known = properties(phi)
    for name in (CONVEX, NEGATIVE_SLOPE, ASSUMPTION_A):
        if known[name].status is not Status.PROVED:
            return Refusal(f"{phi}: {name} is {known[name].status.value}")
    start = enclose_value(phi, LogRational(Fraction(0)))
    best: Radius | None = None
    for (left, slope, low), (right, fall, other) in product(_tangents(phi, -1), _tangents(phi, 1)):
        pull = enclose(found.least) * slope - enclose(found.greatest) * fall.max(enclose(0))
        if not (certainly_positive(slope) and certainly_positive(pull)):
            continue
        depth = start - low.min(other)
        bound = -lower_decimal(-(enclose(found.total) * depth / pull), 5)
        if best is None or bound < best.bound:
            best = Radius(bound, left, right, found)
    return best or Refusal(f"{phi}: tangents at 0 and at powers of 2 up to 64 give no radius")


def _tangents(phi: Expression, side: int) -> Iterator[tuple[Fraction, Ball, Ball]]:
    """Points on one side of 0, with the downward slope there and the value at 0 of the tangent."""
    for size in _POINTS:
        x = side * size
        slope = enclose_slopes(phi, LogRational(x))[0 if side < 0 else 1]
        if slope.is_finite():
            yield x, -slope, enclose_value(phi, LogRational(x)) - slope * enclose(x)


# --- What the page computes, and what refutes its false variants -----------------------------------------

_FOUR: Final = ((0, 1), (0, 2), (1, 2), (2, 0))
"""The edges of Eq. 10."""

_PHI: Final = (
    *(entry.expression for entry in NAMED.values() if facts(entry.expression).convex),
    parse("exp(-x)-x"),
    parse("sqrt(1+x**2)-x"),
)
"""Every convex loss with a name, one that is not bounded below, and one with phi'_inf(1) = 0."""

_WEIGHTS: Final = ((1, 1, 1, 1), (3, 8, 1, 4), (8, 43, 3, 32), (1, 100, 1, 99))
"""h12, h13, h23, h31; the middle two are where the logistic loss is wrong."""


def four(h: tuple[int, ...]) -> Weights:
    """The weights of Eq. 10 in the order h12, h13, h23, h31."""
    return dict(zip(_FOUR, map(Fraction, h), strict=True))


def risk_terms(phi: Expression, h: Weights) -> list[Term]:
    """The terms of W."""
    return [pair(weight, phi, i, j) for (i, j), weight in h.items()]


def layers(m: int, edges: tuple[tuple[int, int], ...]) -> tuple[bool, list[str]]:
    """SymPy: both sums over edges are sums over gaps times cuts > 0, for each order of m items."""
    h = {(i, j): sp.Symbol(f"h{i + 1}{j + 1}", positive=True) for i, j in edges}
    gaps = sp.symbols(f"g1:{m}", positive=True)
    holds, lines = True, []
    for order in permutations(range(m)):
        place = {item: k for k, item in enumerate(order)}
        v = {item: sum(gaps[: place[item]]) for item in order}
        up: Any = sum(h[i, j] * (v[j] - v[i]) for i, j in edges if place[i] < place[j])
        down: Any = sum(h[i, j] * (v[i] - v[j]) for i, j in edges if place[i] > place[j])
        rising = [_cut(h, order[:k]) for k in range(1, m)]
        falling = [_cut(h, order[k:]) for k in range(1, m)]
        holds = holds and all(cut.is_positive for cut in (*rising, *falling))
        holds = holds and sp.expand(up - sum(g * c for g, c in zip(gaps, rising, strict=True))) == 0
        holds = holds and sp.expand(down - sum(g * c for g, c in zip(gaps, falling, strict=True))) == 0
        below = " < ".join(f"v{item + 1}" for item in order)
        parts = " + ".join(f"g{k} ({c})" for k, c in enumerate(rising, start=1))
        lines.append(f"{below}: the edges that run up weigh {parts}")
    return bool(holds), lines


def _cut(h: dict[tuple[int, int], Any], inside: tuple[int, ...]) -> Any:
    return sp.Add(*(weight for (i, j), weight in h.items() if i in inside and j not in inside))


def recession() -> Iterator[str | bool]:
    holds, lines = layers(3, _FOUR)
    yield from lines
    yield holds
    yield all(layers(m, tuple(permutations(range(m), 2)))[0] for m in (2, 3, 4))


def cuts_are_connectivity() -> Iterator[Mapping[str, str] | bool]:
    graphs = [(arcs, m) for m in (2, 3) for arcs in digraphs(m)]
    graphs += [(arcs, 4) for arcs in unlabeled_digraphs(4)]
    yield {"graphs": str(len(graphs))}
    yield all(
        (cuts({arc: Fraction(1) for arc in arcs}, m).least > 0) == (len(strong_components(arcs, m)) == 1)
        for arcs, m in graphs
    )


def radii() -> Iterator[Mapping[str, str] | str | Cases]:
    """C for every phi and the weights of Eq. 10, against minimizers and against scores beyond C."""
    yield {"losses": str(len(_PHI)), "weights": ", ".join("/".join(map(str, h)) for h in _WEIGHTS)}
    rng = Random(9)
    stands = True
    for phi in _PHI:
        shown = []
        for h in _WEIGHTS:
            found = radius(phi, four(h), 3)
            assert isinstance(found, Radius)
            terms = risk_terms(phi, four(h))
            minimum = minimize(terms, 3, exact=False)
            spread = float(max(minimum.scores) - min(minimum.scores))
            zero = enclosed_risk(terms, rational_scores([0, 0, 0]))
            for _ in range(4):
                inside = found.bound * Fraction(rng.randint(0, 100), 100)
                far = [Fraction(0), found.bound * Fraction(101, 100), inside]
                rng.shuffle(far)
                stands = stands and certainly_less(zero, enclosed_risk(terms, rational_scores(far)))
            stands = stands and spread <= found.bound
            shown.append(f"{float(found.bound):.4g} ({spread:.3g})")
        yield f"{phi}: {', '.join(shown)}"
    tried = 4 * len(_PHI) * len(_WEIGHTS)
    yield Cases(stands * tried, tried)


def path() -> Refutation:
    phi, path = parse("exp(-x)"), {(0, 1): Fraction(1), (1, 2): Fraction(1)}
    terms = risk_terms(phi, path)
    values = [enclosed_risk(terms, rational_scores([2 * n, n, 0])) for n in (1, 10, 100)]
    falls = all(certainly_less(later, before) for before, later in pairwise(values))
    strict = facts(phi).lower == 0 and facts(phi).lower_strict
    refused = isinstance(radius(phi, path, 3), Refusal) and attainment(terms, 3).attained is False
    witness = (
        "phi = exp(-x), h12 = h23 = 1, h31 = h13 = 0: W(2n, n, 0) = 2 exp(-n) → 0 and W > 0 everywhere, so "
        "the infimum is not attained; no edge leaves {3}"
    )
    return Refutation(falls and strict and refused, witness)


def without_assumption_a() -> Refutation:
    phi, h, v = parse("log(1+exp(-x))-x"), four((3, 3, 3, 1)), (2, 1, 0)
    ahead, behind = towards(phi, 1).slope, towards(phi, -1).slope
    ends = ahead is not None and behind is not None and (str(ahead), str(behind)) == ("-1", "2")
    recession = sum(w * (v[j] - v[i]) * (1 if v[i] > v[j] else 2) for (i, j), w in h.items())
    terms = risk_terms(phi, h)
    falls = all(
        certainly_less(enclosed_risk(terms, rational_scores([t * x for x in v])), enclose(-7 * t))
        for t in (10, 100, 1000)
    )
    refused = isinstance(radius(phi, h, 3), Refusal)
    witness = (
        "phi = log(1+exp(-x)) - x is convex with phi'(0) = -3/2, phi'_inf(1) = -1, phi'_inf(-1) = 2; "
        f"for h12 = h13 = h23 = 3, h31 = 1 and v = {v}: W_inf(v) = {recession} < 0, so W falls without bound"
    )
    return Refutation(ends and recession == -8 and falls and refused, witness)


def without_convexity() -> Refutation:

    x = sp.Symbol("x", real=True)
    sigmoid = 1 / (1 + sp.exp(x))
    total = sp.simplify(sigmoid + sigmoid.subs(x, -x) - 1) == 0
    phi = NAMED["sigmoid"].expression
    terms = risk_terms(phi, {(0, 1): Fraction(2), (1, 0): Fraction(1)})
    values = [enclosed_risk(terms, rational_scores([n, 0])) for n in (0, 10, 20)]
    falls = all(certainly_less(after, before) for before, after in pairwise(values))
    strict = facts(phi).lower == 0 and facts(phi).lower_strict
    witness = (
        "sigmoid, two items, h12 = 2, h21 = 1: phi(x) + phi(-x) = 1, so W = 1 + phi(alpha_1 - alpha_2) > 1 "
        "tends to 1 and does not attain it"
    )
    return Refutation(bool(total) and falls and strict, witness)
