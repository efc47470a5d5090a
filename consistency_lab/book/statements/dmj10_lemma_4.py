r"""DMJ10 Lemma 4: scores whose surrogate risk tends to W* end up in A(p).

The argument is short: if g = inf {W(p, alpha) : alpha not in A(p)} - W*(p) is positive, which is Definition 2
at this p, then W(p, alpha) < W*(p) + g puts alpha into A(p), where the loss is least. What is tested here is
that nothing else happens along sequences: at distributions where the core has accepted a lower bound T > W*
on W outside A(p), sequences with W → W* are followed from every direction, and whenever W is certainly below
T the scores are in A(p). Two of the distributions have no minimizer, so the sequences run to infinity.
"""

from itertools import permutations
from typing import Final

from consistency_lab.book.exhibits import RIGHT, Exhibit, certified, described, threshold, wrong_witnesses
from consistency_lab.book.risk import enclosed_risk
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
from consistency_lab.exact import certainly_less
from consistency_lab.model.targets import scores_loss
from consistency_lab.solve.optimal import optimal_orders

_LENGTH: Final = 48


def _followed(exhibit: Exhibit) -> Step:
    """All sequences towards W* for one exhibit, one for every order of the items as the detour."""
    witness = certified(exhibit)
    claim = f"{exhibit.shown()}: W(p, alpha(n)) → W*(p) puts alpha(n) into A(p)"
    scope = f"m = {exhibit.distribution.m}, this p"
    if witness is None:
        return Step(False, Finding(claim, Kind.TEST, scope, "no certificate was accepted at this p"))
    bound = threshold(witness)
    terms, optimum = witness.terms, optimal_orders(exhibit.distribution.aggregate)
    stands, details = exhibit.tends(), []
    for detour in permutations(range(exhibit.distribution.m)):
        outside, settled = [], None
        for n in range(1, _LENGTH + 1):
            scores = exhibit.approach(detour, n)
            right = optimum.in_optimal_set(scores)
            below = certainly_less(enclosed_risk(terms, scores), bound)
            least = scores_loss(exhibit.distribution.aggregate, scores) == optimum.loss
            stands = stands and (right or not below) and right is least
            outside += [] if right else [n]
            settled = (settled or n) if below else None
        stands = stands and settled is not None
        last = f"outside A(p) up to n = {outside[-1]}" if outside else "never outside A(p)"
        details.append(f"detour along {detour}: {last}; W < T from n = {settled} on")
    reached = "attained" if exhibit.attained else f"not attained, escape along {exhibit.escape}"
    how = (
        f"T - W(near the minimum) >= {witness.verified.gap}, certified; W* is {reached}; "
        f"{len(details)} sequences of {_LENGTH} scores, enclosures"
    )
    return Step(stands, Finding(claim, Kind.TEST, scope, how, tuple(details)))


def _check() -> Checked:
    remarks = (
        "Only Definition 2 at this one p is used.",
        "The appendix prints W(p, alpha(n_j)) > inf {W : alpha not in A(p)}; it should be >=.",
    )
    return concluded(Kind.TEST, f"{len(RIGHT)} distributions, m <= 3", [*map(_followed, RIGHT)], remarks)


def _inconsistent() -> Refutation:
    witness = next(wrong_witnesses())
    sequence = "the constant sequence has W = W* and never enters A(p)"
    return Refutation(witness.verified.regret > 0, f"{described(witness)}; {sequence}")


STATEMENT: Final = Statement(
    name="lemma-4",
    title="DMJ10 Lemma 4",
    latex=(
        r"Let \(\varphi\) be edge-consistent. If \(W(p, \alpha^{(n)}) \to W^*(p)\), then"
        r" \(\ell(p, \alpha^{(n)}) \to \inf_\alpha \ell(p, \alpha)\) and"
        r" \(\alpha^{(n)} \in A(p)\) eventually."
    ),
    plain="For an edge-consistent surrogate, scores of nearly least surrogate risk are optimal for the loss.",
    hypotheses=(r"\(W^*(p) < \inf \{W(p, \alpha) : \alpha \notin A(p)\}\) (Definition 2)",),
    citation="DMJ10 Lemma 4 (proof in Appendix A)",
    check=_check,
    variants=(FalseVariant("Lemma 4 for every convex surrogate with phi'(0) < 0.", _inconsistent),),
)
