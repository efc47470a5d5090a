r"""DMJ10 Lemma 5: one delta for all distributions.

The paper's proof takes a convergent sequence of distributions p(n) → p and scores of regret at least epsilon
whose excess tends to zero. By Lemma 3's inequality, W(p, alpha) <= W(p(n), alpha) / s(p, p(n)) for phi >= 0,
W(p, alpha(n)) → W*(p), which contradicts Lemma 4. Compactness gives no formula for delta. Here the lemma is
tested along sequences where delta is known:

- every p on two items: for the logistic loss delta = log 2 - H((1 + e)/2) with the binary entropy H, as
  W >= log 2 on the wrong side of 0;
- losses on the difference graph, all acyclic p: delta = (phi(0) - inf phi) e;
- the linear loss, all low-noise p on m items: delta = (2e / (m(m-1)))^2, see Lemma 1.

The classes "acyclic" and "low-noise" are closed, so they may stand for the simplex. The class "net-order",
where the linear loss is right at every p, is not closed, and there the lemma fails: the second false variant.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Final, final

from consistency_lab.book.exhibits import described, wrong_witnesses
from consistency_lab.book.risk import (
    Sampler,
    Scores,
    coin,
    downward,
    enclosed_risk,
    entropy,
    exact_risk,
    least_risk,
    rational_scores,
    relabeled,
    shuffled,
    superadditive,
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
from consistency_lab.exact import LogRational, certainly_less, enclose, working_precision
from consistency_lab.model.conditions import condition, edges, net
from consistency_lab.model.distribution import Distribution, Matrix
from consistency_lab.model.surrogates import surrogate
from consistency_lab.model.targets import scores_loss
from consistency_lab.solve.optimal import optimal_orders

_SEED: Final = 5
_LINES: Final = 12
_TIMES: Final = (1, 2, 5, 10, 100, 1000)


@final
@dataclass(frozen=True)
class _Case:
    """A surrogate, a closed class of differences, a minimizer, and delta by the regret and m."""

    surrogate: str
    condition: str
    sample: Sampler
    minimizer: Callable[[Matrix], list[Fraction]]
    delta: Callable[[Fraction, int], Fraction]
    formula: str


def _steps_of_two(d: Matrix) -> list[Fraction]:
    order = next(optimal_orders(with_differences(d).aggregate).orders(1))
    return [Fraction(-2 * order.index(i)) for i in range(len(d))]


_CASES: Final = (
    _Case("difference-hinge", "acyclic", downward, _steps_of_two, lambda e, m: e, "e"),
    _Case("difference-squared-hinge", "acyclic", downward, _steps_of_two, lambda e, m: e, "e"),
    _Case(
        "linear", "low-noise", superadditive, net, lambda e, m: (2 * e / (m * m - m)) ** 2, "(2e/(m(m-1)))^2"
    ),
)


def inverted(best: list[Fraction], i: int, k: int, n: int) -> Scores:
    """The scores closest to `best` among those that tie i and k, moved by 1/n if the tie is still right."""
    middle = (best[i] + best[k]) / 2
    scores = [middle if item in (i, k) else score for item, score in enumerate(best)]
    if i > k:
        scores[i] -= Fraction(1, n)
    return rational_scores(scores)


def regret_and_excess(name: str, p: Distribution, scores: Scores, best: Scores) -> tuple[Fraction, Fraction]:
    """Both exactly; `best` must attain W*."""
    terms = surrogate(name).risk_terms(p)
    least, value = least_risk(terms, p.m, best), exact_risk(terms, scores)
    assert least is not None  # zero is a subgradient at the best scores
    assert value is not None  # all of these losses are rational at rational scores
    return scores_loss(p.aggregate, scores) - optimal_orders(p.aggregate).loss, value - least


def _along_lines(case: _Case) -> Step:
    """d(n) = d + d'/n: new edges of weight of order 1/n in the sequence are missing in the limit."""
    rng = Random(_SEED)
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
            best = case.minimizer(d)
            p = with_differences(d)
            for i, k in edges(d):
                scores = inverted(best, i, k, n)
                regret, excess = regret_and_excess(case.surrogate, p, scores, rational_scores(best))
                delta = case.delta(regret, m)
                stands = stands and regret > 0 and excess >= delta > 0
                ratio = excess / delta
                least_ratio = ratio if least_ratio is None else min(ratio, least_ratio)
                points += 1
    how = (
        f"{_LINES} lines d + d'/n, n up to {_TIMES[-1]}, every edge tied or inverted in the cheapest way: "
        f"{points} points, exact; the excess is at least {least_ratio} delta"
    )
    claim = f"{case.surrogate}: a regret of e costs at least delta = {case.formula}"
    return Step(stands, Finding(claim, Kind.TEST, f"{case.condition} p, m <= 4", how))


def _two_items() -> Step:
    """Logistic: x(n) → (1 + e)/2 from above, wrong scores -z and 0; W* at log(x/(1-x))."""
    loss = surrogate("logistic")
    stands, points, details = True, 0, []
    for e in (Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)):
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
        details.append(f"regret >= {e}: excess > {delta.str(6, radius=False)}")
    how = f"{points} points with x = P(1 → 2) falling to (1 + e)/2, enclosures"
    claim = "logistic: a regret of e costs more than log 2 - H((1+e)/2), H the binary entropy"
    return Step(stands, Finding(claim, Kind.TEST, "every p, m = 2", how, tuple(details)))


def _step_of_the_proof() -> Step:
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
    how = "logistic, two items, x(n) = 1/(1+2^n) → 0, scores log(2^-n): s = 1 - x(n), n <= 60, enclosures"
    claim = "the step of the proof: W(p, alpha(n)) <= W(p(n), alpha(n)) / s(p, p(n)) → W*(p)"
    return Step(stands, Finding(claim, Kind.TEST, "m = 2", how))


def _check() -> Checked:
    steps = [_two_items(), *map(_along_lines, _CASES), _step_of_the_proof()]
    remarks = (
        "Delta is for one phi and finitely many graphs; the lemma may be used for any closed class of p.",
        "It fails on net-order, which is not closed, although the linear loss is right at each p there.",
    )
    return concluded(Kind.TEST, "sequences, m <= 4", steps, remarks)


def _inconsistent() -> Refutation:
    witness = next(wrong_witnesses())
    regret = witness.verified.regret
    return Refutation(regret > 0, f"{described(witness)}; so no delta > 0 belongs to epsilon = {regret}")


def _not_closed() -> Refutation:
    stands = True
    for n in (1, 10, 1000):
        x = 2 - Fraction(1, n)
        p = Distribution.from_aggregate([[0, 0, 1], [x, 0, 0], [0, 0, 0]])
        best = net(p.difference)
        found = regret_and_excess("linear", p, inverted(best, 0, 2, n), rational_scores(best))
        stands = stands and condition("net-order").holds(p.difference)
        stands = stands and found == (Fraction(1), Fraction(1, 4 * n * n))
    witness = (
        "linear, d_21 = 2 - 1/n, d_13 = 1: N = (-1 + 1/n, 2 - 1/n, -1) is in order, so the loss is right "
        "there; tying items 1 and 3 has regret 1 and excess 1/(4n^2) → 0, exactly for n = 1, 10, 1000"
    )
    return Refutation(stands, witness)


STATEMENT: Final = Statement(
    name="lemma-5",
    title="DMJ10 Lemma 5",
    latex=(
        r"Let \(\varphi\) be edge-consistent. For every \(\varepsilon > 0\) there is a \(\delta > 0\) such"
        r" that \(\ell(p, \alpha) - \inf_{\alpha'} \ell(p, \alpha') \ge \varepsilon\) implies"
        r" \(W(p, \alpha) - W^*(p) \ge \delta\), for all \(p \in \Delta\)."
    ),
    plain="For an edge-consistent surrogate, a regret of epsilon costs at least delta > 0 at every p.",
    hypotheses=(
        r"\(W^*(p) < \inf \{W(p, \alpha) : \alpha \notin A(p)\}\) for every \(p\) (Definition 2)",
        r"\(p\) ranges over a closed set, such as \(\Delta\)",
    ),
    citation="DMJ10 Lemma 5 (proof in Appendix A)",
    check=_check,
    variants=(
        FalseVariant("Lemma 5 for every convex surrogate with phi'(0) < 0.", _inconsistent),
        FalseVariant("Lemma 5 with net-order distributions in place of the simplex.", _not_closed),
    ),
)
