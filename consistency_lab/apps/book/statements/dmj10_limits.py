"""What the page on nearly minimal scores computes: certificates, and risks along sequences."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import permutations
from random import Random
from types import MappingProxyType
from typing import Final

from consistency_lab.apps.book.risk import (
    Sampler,
    coin,
    downward,
    enclosed_risk,
    entropy,
    far_apart,
    net_scores,
    rational_scores,
    regret_and_excess,
    relabeled,
    scores_of,
    shuffled,
    superadditive,
    with_differences,
)
from consistency_lab.apps.book.statement import Cases, Line, Refutation
from consistency_lab.certify.witness import Witness, certify
from consistency_lab.core.document import CONSISTENT_AT_P, INCONSISTENT
from consistency_lab.core.risk import Scores
from consistency_lab.errors import RejectedError
from consistency_lab.frozen import frozen, frozen_with_cache
from consistency_lab.model.conditions import condition, edges, net
from consistency_lab.model.distribution import Distribution, scores_loss
from consistency_lab.model.surrogates import surrogate
from consistency_lab.numbers.exact import LogRational, certainly_less, enclose, working_precision
from consistency_lab.solve.optimal import optimal_orders

# --- Distributions at which a surrogate is wrong, with certificates -------------------------------------

Aggregate = tuple[tuple[int, ...], ...]


@frozen
class Wrong:
    """A surrogate, an aggregate, and exact scores outside A(p) at which zero is a subgradient."""

    name: str
    aggregate: Aggregate
    scores: tuple[str, ...]


WRONG: Final = (
    Wrong("logistic", ((0, 8, 43), (0, 0, 3), (32, 0, 0)), ("log(3)", "0", "log(2)")),
    Wrong("hinge", ((0, 1, 4), (0, 0, 1), (2, 0, 0)), ("1", "0", "0")),
)
"""Wrong at additive differences; the first strictly, the second by a tie."""


def wrong_witnesses() -> Iterator[Witness]:
    """The core's certificates that these surrogates are wrong, at exact minimizers."""
    for row in WRONG:
        scores = tuple(map(LogRational.parse, row.scores))
        found = certify(surrogate(row.name), Distribution.from_aggregate(row.aggregate), scores)
        if found is None or found.verified.claim != INCONSISTENT or found.scores != scores:
            raise RejectedError(f"the scores {', '.join(row.scores)} are not certified for {row.name}")
        yield found


def described(witness: Witness) -> str:
    """A witness in one line."""
    a = ", ".join(f"[{', '.join(map(str, row))}]" for row in witness.distribution.aggregate)
    found = witness.verified
    return f"{found.surrogate}, a = [{a}]: {scores_of(witness)} attains W*; regret {found.regret}"


# --- Lemma 4: scores whose surrogate risk tends to W* end up in A(p) -------------------------------------


def inconsistent() -> Refutation:
    witness = next(wrong_witnesses())
    sequence = "the constant sequence has W = W* and never enters A(p)"
    return Refutation(witness.verified.regret > 0, f"{described(witness)}; {sequence}")


# --- Lemma 5: one delta for all distributions -------------------------------------------------------------

_SEED: Final = 5
_LINES: Final = 12
_TIMES: Final = (1, 2, 5, 10, 100, 1000)


@frozen_with_cache
class _Case:
    """A closed class of differences, a minimizer, and delta by the regret and m."""

    condition: str
    sample: Sampler
    minimizer: Callable[[Distribution], Scores]
    delta: Callable[[Fraction, int], Fraction]


_CASES: Final[Mapping[str, _Case]] = MappingProxyType(
    {
        "difference-hinge": _Case("acyclic", downward, far_apart, lambda e, m: e),
        "difference-squared-hinge": _Case("acyclic", downward, far_apart, lambda e, m: e),
        "linear": _Case("low-noise", superadditive, net_scores, lambda e, m: (2 * e / (m * m - m)) ** 2),
    }
)


def inverted(best: Scores, i: int, k: int, n: int) -> Scores:
    """The scores closest to `best` among those that tie i and k, moved by 1/n if the tie is still right."""
    scores = [score.a for score in best]
    scores[i] = scores[k] = (scores[i] + scores[k]) / 2
    if i > k:
        scores[i] -= Fraction(1, n)
    return rational_scores(scores)


def along_lines(name: str) -> Iterator[Mapping[str, str] | Cases]:
    """d(n) = d + d'/n: new edges of weight of order 1/n in the sequence are missing in the limit."""
    loss, case, rng = surrogate(name), _CASES[name], Random(_SEED)
    stands, points, least_ratio = True, 0, None
    for _ in range(_LINES):
        m = rng.choice((2, 3, 4))
        limit, added, order = case.sample(rng, m), case.sample(rng, m), shuffled(rng, m)
        for n in _TIMES:
            now = tuple(
                tuple(x + y / n for x, y in zip(row, more, strict=True))
                for row, more in zip(limit, added, strict=True)
            )
            d = relabeled(now, order)
            stands = stands and condition(case.condition).holds(d)
            p = with_differences(d)
            best = case.minimizer(p)
            for i, k in edges(d):
                found = regret_and_excess(loss, p, inverted(best, i, k, n), best)
                assert found is not None  # zero is a subgradient at the best scores, and W is rational
                (regret, excess), delta = found, case.delta(found[0], m)
                stands = stands and regret > 0 and excess >= delta > 0
                ratio = excess / delta
                least_ratio = ratio if least_ratio is None else min(ratio, least_ratio)
                points += 1
    yield {"lines": str(_LINES), "last": str(_TIMES[-1]), "points": str(points), "least": str(least_ratio)}
    yield Cases(stands * points, points)


def two_items(*regrets: str) -> Iterator[Mapping[str, str] | str | Cases]:
    """Logistic: x(n) → (1 + e)/2 from above, wrong scores -z and 0; W* at log(x/(1-x))."""
    loss = surrogate("logistic")
    stands, points = True, 0
    for e in map(Fraction, regrets):
        delta = enclose(2).log() - entropy((1 + e) / 2)
        stands = stands and certainly_less(enclose(0), delta)
        for n in (2, 8, 64, 1024):
            x = (1 + e) / 2 + (1 - e) / (2 * n)
            terms = loss.risk_terms(coin(x))
            least = enclosed_risk(terms, (LogRational(Fraction(0), x / (1 - x)), LogRational(Fraction(0))))
            for z in (Fraction(0), Fraction(1, n), Fraction(1)):
                excess = enclosed_risk(terms, rational_scores([-z, 0])) - least
                stands = stands and certainly_less(delta, excess)
                points += 1
        yield f"regret >= {e}: excess > {delta.str(6, radius=False)}"
    yield {"points": str(points)}
    yield Cases(stands * points, points)


def step_of_the_proof() -> Cases:
    """W(p, alpha(n)) <= W(p(n), alpha(n)) / s for minimizers alpha(n) that run to infinity."""
    loss = surrogate("logistic")
    limit = loss.risk_terms(coin(Fraction(0)))
    stands = True
    with working_precision(256):
        for n in range(1, 61):
            x = Fraction(1, 1 + 2**n)
            scores = (LogRational(Fraction(0), Fraction(1, 2**n)), LogRational(Fraction(0)))
            now, then = enclosed_risk(limit, scores), enclosed_risk(loss.risk_terms(coin(x)), scores)
            stands = stands and certainly_less(now, then / enclose(1 - x))
        stands = stands and certainly_less(now, enclose(Fraction(1, 10**18)))
    return Cases(60 * stands, 60)


def no_delta() -> Refutation:
    witness = next(wrong_witnesses())
    regret = witness.verified.regret
    return Refutation(regret > 0, f"{described(witness)}; so no delta > 0 belongs to epsilon = {regret}")


def not_closed() -> Refutation:
    stands = True
    for n in (1, 10, 1000):
        x = 2 - Fraction(1, n)
        p = Distribution.from_aggregate([[0, 0, 1], [x, 0, 0], [0, 0, 0]])
        best = net_scores(p)
        found = regret_and_excess(surrogate("linear"), p, inverted(best, 0, 2, n), best)
        stands = stands and condition("net-order").holds(p.difference)
        stands = stands and found == (Fraction(1), Fraction(1, 4 * n * n))
    witness = (
        "linear, d_21 = 2 - 1/n, d_13 = 1: N = (-1 + 1/n, 2 - 1/n, -1) is in order, so the loss is right "
        "there; tying items 1 and 3 has regret 1 and excess 1/(4n^2) → 0, exactly for n = 1, 10, 1000"
    )
    return Refutation(stands, witness)


# --- Theorem 6: edge-consistency is asymptotic consistency, and both are H_m(epsilon) > 0 -----------------

_P: Final[tuple[Aggregate, ...]] = (
    ((0, 3), (1, 0)),
    ((0, 1, 4), (0, 0, 1), (1, 0, 0)),
    ((0, 10, 12), (5, 0, 10), (3, 5, 0)),
    ((0, 6, 3), (3, 0, 5), (1, 2, 0)),
    ((0, 2, 1), (5, 0, 1), (6, 3, 0)),
    ((0, 3, 8), (0, 0, 1), (4, 0, 0)),
    ((0, 8, 43), (0, 0, 3), (32, 0, 0)),
    ((0, 1, 4), (0, 0, 1), (2, 0, 0)),
    ((0, 1, 0), (0, 0, 6), (0, 0, 0)),
)
"""The finite set P; the last is acyclic but not net-order, so that the linear loss is wrong there."""


def both_ways(name: str) -> tuple[Mapping[str, str], bool]:
    """Each p of P is certified right or wrong; H over the right ones, and over all of them."""
    gaps, wrong, undecided = [], 0, 0
    for a in _P:
        found = certify(surrogate(name), Distribution.from_aggregate(a))
        if found is None:
            undecided += 1
        elif found.verified.claim == CONSISTENT_AT_P and found.verified.gap is not None:
            gaps.append(found.verified.gap)
        else:
            wrong += found.verified.regret > 0
    least = min(gaps)
    told = {
        "distributions": str(len(_P)),
        "right": str(len(gaps)),
        "least": str(least),
        "wrong": str(wrong),
        "undecided": str(undecided),
    }
    return told, least > 0 and len(gaps) + wrong == len(_P)


_QUERIES: Final[tuple[Aggregate, ...]] = (
    ((0, 1, 4), (0, 0, 1), (1, 0, 0)),
    ((0, 2, 1), (5, 0, 1), (6, 3, 0)),
    ((0, 3, 8), (0, 0, 1), (4, 0, 0)),
)


def risks_converge() -> Iterator[Mapping[str, str] | str | Cases]:
    """Three queries, the linear loss: once the excess is below the least gap, the regret is zero; exactly."""
    loss = surrogate("linear")
    queries = [Distribution.from_aggregate(a) for a in _QUERIES]
    share = Fraction(1, len(queries))
    # The cheapest scores outside A(p) tie the ends of an edge: they cost (N_i - N_k)^2 / 4.
    nets = [net(p.difference) for p in queries]
    gap = min(
        (n[i] - n[k]) ** 2 / 4 for p, n in zip(queries, nets, strict=True) for i, k in edges(p.difference)
    )
    stands, detours = True, list(permutations(range(3)))
    yield {"least": str(share * gap), "sequences": str(len(detours))}
    for detour in detours:
        zero_from = None
        for n in range(1, 41):
            excess = regret = Fraction(0)
            for p, best in zip(queries, nets, strict=True):
                scores = rational_scores([x + Fraction(8 * z, n) for x, z in zip(best, detour, strict=True)])
                found = regret_and_excess(loss, p, scores, rational_scores(best))
                assert found is not None  # N is stationary, and W rational
                regret, excess = regret + share * found[0], excess + share * found[1]
            stands = stands and (regret == 0 or excess >= share * gap)
            zero_from = None if regret else (zero_from or n)
        stands = stands and zero_from is not None
        yield f"f_n = N + 8 {detour}/n: R(f_n) = R* from n = {zero_from} on"
    yield Cases(stands * len(detours), len(detours))


def constant_sequences() -> Iterator[Mapping[str, str] | Line]:
    """The other direction, where W* is attained outside A(p)."""
    witnesses = list(wrong_witnesses())
    yield {"witnesses": str(len(witnesses))}
    yield from (Line(described(one), one.verified.regret > 0) for one in witnesses)


def escaping_sequence() -> Cases:
    """The other direction, where W* is not attained: phi = exp(x) rewards the wrong order forever."""
    loss, p = surrogate(phi="exp(x)"), Distribution.from_aggregate([[0, 1], [0, 0]])
    terms, optimum = loss.risk_terms(p), optimal_orders(p.aggregate)
    stands = True
    with working_precision(256):
        for n in (1, 10, 100):
            scores = rational_scores([-n, 0])
            stands = stands and scores_loss(p.aggregate, scores) - optimum.loss == 1
        stands = stands and certainly_less(enclosed_risk(terms, scores), enclose(Fraction(1, 10**43)))
    return Cases(3 * stands, 3)


def minimizer_in_the_optimal_set() -> Refutation:
    loss, p = surrogate("linear"), Distribution.from_aggregate([[0, 0, 2], [1, 0, 0], [0, 0, 0]])
    best = net_scores(p)
    stands = optimal_orders(p.aggregate).in_optimal_set(best)
    stands = stands and not condition("net-order").holds(p.difference)
    for n in (1, 10, 1000):
        found = regret_and_excess(loss, p, rational_scores([1 + Fraction(1, n), 1, -2]), best)
        stands = stands and found == (Fraction(1), Fraction(1, 2 * n * n))
    witness = (
        "linear, d_13 = 2, d_21 = 1: the only minimizer N = (1, 1, -2) ties items 1 and 2 and lies in A(p) "
        "by the rule for ties; (1 + 1/n, 1, -2) has excess 1/(2n^2) → 0 and regret 1, so H(1) = 0"
    )
    return Refutation(stands, witness)
