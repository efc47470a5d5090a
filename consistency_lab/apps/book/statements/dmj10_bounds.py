"""What the page on Lemmas 1 and 3 of DMJ10 computes, and what refutes their false variants."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from random import Random
from types import MappingProxyType
from typing import Final

from consistency_lab.apps.book.risk import (
    Sampler,
    acyclic_differences,
    any_differences,
    coin,
    enclosed_risk,
    exact_risk,
    far_apart,
    low_noise_differences,
    net_scores,
    random_scores,
    rational_scores,
    regret_and_excess,
    with_differences,
)
from consistency_lab.apps.book.statement import Cases, Refutation
from consistency_lab.core.risk import Scores
from consistency_lab.frozen import frozen, frozen_with_cache
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate
from consistency_lab.numbers.exact import LogRational, certainly_less, enclose, working_precision
from consistency_lab.numbers.phi import PiecewisePolynomial, parse
from consistency_lab.solve.stationary import stationary_slopes

# --- Lemma 1: the four numbers of its proof, exactly, for functions zeta that are known to lie below H ----
#
# - losses on the difference graph, where it is acyclic: H(e) >= (phi(0) - inf phi) e, since a wrong edge
#   costs at least d_ij (phi(0) - inf phi) more and the regret is the sum of the wrong d_ij;
# - the linear loss with r(x) = x^2/2, nu = 1, whose excess is |alpha - N|^2 / 2 with N_i = sum_j d_ij. A
#   wrong edge i → k costs at least (N_i - N_k)^2 / 4, which is d_ik^2 for two items, so that H_2(e) =
#   e^2; for low noise N_i - N_k >= 2 d_ik, and one of at most m(m-1)/2 wrong edges has d_ik >= 2e /
#   (m(m-1)).

_SEED: Final = 20100621
_FAMILIES: Final = 12


@frozen_with_cache
class _Bound:
    """A surrogate, a class of distributions, and zeta(e) = c e^power, which lies below H there."""

    surrogate: str
    sizes: tuple[int, ...]
    sample: Sampler
    minimizer: Callable[[Distribution], Scores]
    c: Fraction
    power: int

    def zeta(self, e: Fraction) -> Fraction:
        return self.c * e**self.power

    def slope(self, e: Fraction) -> Fraction:
        return self.c * self.power * e ** (self.power - 1)


@frozen
class _Query:
    """One query: its probability, and the regret and the excess risk of the scores there."""

    probability: Fraction
    regret: Fraction
    excess: Fraction


_SAMPLED: Final[Mapping[str, tuple[tuple[int, ...], Sampler]]] = MappingProxyType(
    {
        "acyclic": ((2, 3, 4), acyclic_differences),
        "any": ((2,), any_differences),
        "low-noise": ((2, 3, 4), low_noise_differences),
    }
)
"""Numbers of items, and how their differences are drawn."""


def _family(bound: _Bound, rng: Random) -> list[_Query | None]:
    loss = surrogate(bound.surrogate)
    weights = [rng.randint(1, 6) for _ in range(rng.randint(2, 6))]
    queries: list[_Query | None] = []
    for weight in weights:
        p = with_differences(bound.sample(rng, rng.choice(bound.sizes)), rng)
        best = bound.minimizer(p)
        scores = rng.choice((best, random_scores(rng, p.m), rational_scores([0] * p.m)))
        found = regret_and_excess(loss, p, scores, best)
        queries.append(found and _Query(Fraction(weight, sum(weights)), *found))
    return queries


def chain(bound: _Bound, queries: list[_Query]) -> tuple[Fraction, Fraction, Fraction] | None:
    """zeta(mean regret) <= mean of zeta(regret) <= mean excess, if every step of the argument checks."""
    mean = sum((q.probability * q.regret for q in queries), Fraction(0))
    slope = bound.slope(mean)
    above_line = all(bound.zeta(q.regret) >= bound.zeta(mean) + slope * (q.regret - mean) for q in queries)
    below_h = all(bound.zeta(q.regret) <= q.excess for q in queries)
    balanced = sum((q.probability * slope * (q.regret - mean) for q in queries), Fraction(0)) == 0
    jensen = sum((q.probability * bound.zeta(q.regret) for q in queries), Fraction(0))
    excess = sum((q.probability * q.excess for q in queries), Fraction(0))
    first = bound.zeta(mean)
    return (
        (first, jensen, excess) if above_line and below_h and balanced and first <= jensen <= excess else None
    )


def families(loss: str, differences: str, c: str, power: str) -> Iterator[Mapping[str, str] | str | Cases]:
    """Random families of queries, with zeta(e) = c e^power; the first two are shown."""
    minimizer = net_scores if loss == "linear" else far_apart
    bound = _Bound(loss, *_SAMPLED[differences], minimizer, Fraction(c), int(power))
    rng = Random(_SEED)
    drawn = [_family(bound, rng) for _ in range(_FAMILIES)]
    yield {"families": str(_FAMILIES), "queries": str(sum(map(len, drawn)))}
    known = [[q for q in family if q is not None] for family in drawn]
    chains = [
        chain(bound, family) if len(family) == len(every) else None
        for family, every in zip(known, drawn, strict=True)
    ]
    shown = [(len(q), found) for q, found in zip(known, chains, strict=True) if found and found[0] > 0]
    for queries, (first, jensen, excess) in shown[:2]:
        yield (
            f"{queries} queries: zeta(R - R*) = {first} <= mean zeta = {jensen} <= R_phi - R_phi* = {excess}"
        )
    yield Cases(_FAMILIES if None not in chains else 0, _FAMILIES)


def attained(values: str) -> Cases:
    """H_2(e) = e^2 for the linear loss: two items with d_12 = e, both scores 0."""
    loss, zero = surrogate("linear"), rational_scores([0, 0])
    laws = {e: Distribution.from_aggregate([[0, e], [0, 0]]) for e in map(Fraction, values.split())}
    return Cases(
        sum(regret_and_excess(loss, p, zero, net_scores(p)) == (e, e * e) for e, p in laws.items()), len(laws)
    )


_RAMP: Final = parse("max(0,min(3/2,1-x))")


def ramp_h(e: Fraction) -> Fraction:
    """H_2(e) of the ramp max(0, min(3/2, 1-x)) with weights (1 ± e)/2 on 1 → 2 and 2 → 1, from its vertices.

    W is linear between the points 0, ±1/2, ±1 and constant beyond, so its infima are among its values there.
    """
    form = PiecewisePolynomial.of(_RAMP)
    assert form is not None
    points = [Fraction(n, 2) for n in (-2, -1, 0, 1, 2)]
    w = {x: (1 + e) / 2 * form.value(x) + (1 - e) / 2 * form.value(-x) for x in points}
    return min(w[x] for x in points if x <= 0) - min(w.values())


def not_convex() -> Refutation:
    # Half of the queries have no preference (regret 0, excess 0), half prefer 1 for certain and get a tie.
    mean, excess = Fraction(1, 2), ramp_h(Fraction(1)) / 2
    bound = ramp_h(mean)
    witness = (
        f"phi = {_RAMP}, two items, zeta = H_2: H_2(1/2) = {bound}, but queries with regret 0 and 1, "
        f"half each, have mean regret {mean} and mean excess {excess} < {bound}"
    )
    return Refutation(excess < bound, witness)


# --- Lemma 3: what its false variants meet ----------------------------------------------------------------

_BITS: Final = 256
_ZERO: Final = Fraction(0)


def unbounded_below() -> Refutation:
    # W is 1 - 2x times the score difference, so W* = 0 at x = 1/2 and minus infinity elsewhere.
    loss = surrogate(phi="-x")
    values = []
    for n in (10, 1000, 100000):
        terms = loss.risk_terms(coin(Fraction(1, 2) + Fraction(1, n)))
        values.append(exact_risk(terms, rational_scores([n * n, 0])))
    witness = (
        "phi = -x, two items: W* = 0 at P(1 → 2) = 1/2, but at 1/2 + 1/n the scores (n^2, 0) have W = -2n: "
        f"{', '.join(map(str, values))} for n = 10, 1000, 100000"
    )
    return Refutation(values == [-20, -2000, -200000], witness)


def lipschitz() -> Refutation:
    slope, n = 100, 150
    with working_precision(_BITS):
        x = Fraction(1, 2**n)
        scores = (LogRational(_ZERO, x / (1 - x)), LogRational(_ZERO))
        terms = surrogate("logistic").risk_terms(coin(x))
        value = enclosed_risk(terms, scores)
        least = stationary_slopes(terms, 2, scores) is not None
        refuted = least and certainly_less(enclose(slope * x), value)
        quotient = (value / enclose(x)).str(6, radius=False)
    witness = (
        f"logistic, two items: W*(0) = 0 and W*(2^-{n}) = {quotient} · 2^-{n}, steeper than {slope}; "
        "the quotient grows like n log 2"
    )
    return Refutation(refuted, witness)
