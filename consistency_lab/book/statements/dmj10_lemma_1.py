r"""DMJ10 Lemma 1: a convex function below H bounds the regret by the excess surrogate risk.

For queries x of probability q_x, with regret e_x and excess surrogate risk w_x at the scores f(x),

    zeta(sum q_x e_x) <= sum q_x zeta(e_x) <= sum q_x H(e_x) <= sum q_x w_x.

The first step is Jensen's inequality: a supporting line of slope s at the mean e gives
zeta(e_x) >= zeta(e) + s (e_x - e), and with the weights q_x the last summands add up to zero. The second step
is zeta <= H, and the third is the definition of H as an infimum (Eq. 3). Here all four numbers are computed
exactly for random families, with functions zeta that are known to lie below H:

- losses on the difference graph, where it is acyclic: H(e) >= (phi(0) - inf phi) e, since a wrong edge
  costs at least d_ij (phi(0) - inf phi) more and the regret is the sum of the wrong d_ij;
- the linear loss with r(x) = x^2/2, nu = 1, whose excess is |alpha - N|^2 / 2 with N_i = sum_j d_ij. A wrong
  edge i → k costs at least (N_i - N_k)^2 / 4, which is d_ik^2 for two items, so that H_2(e) = e^2; for low
  noise N_i - N_k >= 2 d_ik, and one of at most m(m-1)/2 wrong edges has d_ik >= 2e / (m(m-1)).
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Final, final

from consistency_lab.book.risk import (
    Sampler,
    Scores,
    acyclic_differences,
    any_differences,
    exact_risk,
    least_risk,
    low_noise_differences,
    random_scores,
    rational_scores,
    with_differences,
)
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
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import net
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import Surrogate, surrogate
from consistency_lab.model.targets import scores_loss
from consistency_lab.phi import PiecewisePolynomial, parse
from consistency_lab.solve.optimal import optimal_orders

_SEED: Final = 20100621
_FAMILIES: Final = 40


@final
@dataclass(frozen=True)
class _Bound:
    """A surrogate, a class of distributions, and zeta(e) = c e^power, which lies below H there."""

    surrogate: str
    scope: str
    sizes: tuple[int, ...]
    sample: Sampler
    minimizer: Callable[[Distribution], Scores]
    c: Fraction
    power: int

    def zeta(self, e: Fraction) -> Fraction:
        return self.c * e**self.power

    def slope(self, e: Fraction) -> Fraction:
        return self.c * self.power * e ** (self.power - 1)

    def __str__(self) -> str:
        factor = "" if self.c == 1 else f"{self.c} "
        return f"{factor}e" if self.power == 1 else f"{factor}e^{self.power}"


@frozen
class _Query:
    """One query: its probability, and the regret and the excess risk of the scores there."""

    probability: Fraction
    regret: Fraction
    excess: Fraction


def _net_scores(p: Distribution) -> Scores:
    return rational_scores(net(p.difference))


def _far_apart(p: Distribution) -> Scores:
    """Scores two apart along an optimal order, which is a topological order of the difference graph."""
    order = next(optimal_orders(p.aggregate).orders(1))
    return rational_scores([-2 * order.index(i) for i in range(p.m)])


_ACYCLIC: Final = "acyclic, m <= 4"
_BOUNDS: Final = (
    _Bound("difference-hinge", _ACYCLIC, (2, 3, 4), acyclic_differences, _far_apart, Fraction(1), 1),
    _Bound("difference-squared-hinge", _ACYCLIC, (2, 3, 4), acyclic_differences, _far_apart, Fraction(1), 1),
    _Bound("linear", "every p, m = 2", (2,), any_differences, _net_scores, Fraction(1), 2),
    _Bound("linear", "low noise, m <= 4", (2, 3, 4), low_noise_differences, _net_scores, Fraction(1, 36), 2),
)


def query(
    loss: Surrogate, p: Distribution, scores: Scores, best: Scores, probability: Fraction
) -> _Query | None:
    """The exact regret and excess of scores, or None if `best` is not proved to attain W*."""
    terms = loss.risk_terms(p)
    least, value = least_risk(terms, p.m, best), exact_risk(terms, scores)
    if least is None or value is None:
        return None
    regret = scores_loss(p.aggregate, scores) - optimal_orders(p.aggregate).loss
    return _Query(probability, regret, value - least)


def _family(bound: _Bound, rng: Random) -> list[_Query | None]:
    loss = surrogate(bound.surrogate)
    weights = [rng.randint(1, 6) for _ in range(rng.randint(2, 6))]
    queries = []
    for weight in weights:
        p = with_differences(bound.sample(rng, rng.choice(bound.sizes)), rng)
        best = bound.minimizer(p)
        scores = rng.choice((best, random_scores(rng, p.m), rational_scores([0] * p.m)))
        queries.append(query(loss, p, scores, best, Fraction(weight, sum(weights))))
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


def _tested(bound: _Bound) -> Step:
    rng = Random(_SEED)
    stands, queries_seen = True, 0
    details: list[str] = []
    for _ in range(_FAMILIES):
        drawn = _family(bound, rng)
        family = [q for q in drawn if q is not None]
        found = chain(bound, family) if len(family) == len(drawn) else None
        queries_seen += len(drawn)
        stands = stands and found is not None
        if found is not None and len(details) < 2 and found[0] > 0:
            first, jensen, excess = found
            details.append(
                f"{len(family)} queries: zeta(R - R*) = {first} <= mean zeta = {jensen} <= "
                f"R_phi - R_phi* = {excess}"
            )
    finding = Finding(
        f"{bound.surrogate}: zeta(R - R*) <= R_phi - R_phi* with zeta(e) = {bound}",
        Kind.TEST,
        bound.scope,
        f"{_FAMILIES} random families, {queries_seen} queries, exact rationals; W* by an exact subgradient",
        tuple(details),
    )
    return Step(stands, finding)


def _attained() -> Step:
    """H_2(e) = e^2 for the linear loss: two items with d_12 = e, both scores 0."""
    loss = surrogate("linear")
    stands = True
    for e in (Fraction(1, 3), Fraction(1), Fraction(7, 2)):
        p = Distribution.from_aggregate([[0, e], [0, 0]])
        found = query(loss, p, rational_scores([0, 0]), _net_scores(p), Fraction(1))
        stands = stands and found is not None and (found.regret, found.excess) == (e, e * e)
    how = "scores (0, 0) at d_12 = e have regret e and excess e^2, for e = 1/3, 1, 7/2, exactly"
    return Step(stands, Finding("linear: H_2(e) = e^2 is attained", Kind.TEST, "m = 2", how))


def _check() -> Checked:
    remarks = ("The lemma holds word for word with H taken over a class of p, as it is used here.",)
    scope = "finite families of queries, m <= 4"
    return concluded(Kind.TEST, scope, [*map(_tested, _BOUNDS), _attained()], remarks)


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


def _not_convex() -> Refutation:
    # Half of the queries have no preference (regret 0, excess 0), half prefer 1 for certain and get a tie.
    mean, excess = Fraction(1, 2), ramp_h(Fraction(1)) / 2
    bound = ramp_h(mean)
    witness = (
        f"phi = {_RAMP}, two items, zeta = H_2: H_2(1/2) = {bound}, but queries with regret 0 and 1, "
        f"half each, have mean regret {mean} and mean excess {excess} < {bound}"
    )
    return Refutation(excess < bound, witness)


STATEMENT: Final = Statement(
    name="lemma-1",
    title="DMJ10 Lemma 1",
    latex=(
        r"If \(\zeta\) is convex and \(\zeta(\varepsilon) \le H(\varepsilon)\), then"
        r" \(\zeta(R(f) - R^*) \le R_\varphi(f) - R_\varphi^*\) for all \(f\)."
    ),
    plain="A convex function below H, applied to the regret, is at most the excess surrogate risk.",
    hypotheses=(r"\(\zeta\) is convex", r"\(\zeta \le H = \min_{m \le M} H_m\)"),
    citation="DMJ10 Lemma 1 (with Eq. 3)",
    check=_check,
    variants=(FalseVariant("Lemma 1 without convexity: zeta = H itself will do.", _not_convex),),
)
