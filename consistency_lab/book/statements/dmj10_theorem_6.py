r"""DMJ10 Theorem 6: edge-consistency is asymptotic consistency, and both are H_m(epsilon) > 0.

Three things are equivalent: Definition 2 at every p; H_m(epsilon) > 0 for every epsilon > 0; and that
R_phi(f_n) → R_phi* forces R(f_n) → R*. Here P is a finite set of distributions in place of the simplex, where
H is a minimum over P and both directions can be carried out:

- a certificate that the surrogate is right at p bounds the excess by its gap at all scores outside A(p), and
  these are the scores of positive regret; so H(epsilon) >= the least gap over P, for every epsilon > 0;
- a witness at p gives the constant (or, where W* is not attained, escaping) sequence of the paper's proof:
  R_phi(f_n) → R_phi*, while R(f_n) - R* stays at the regret; so H(regret) = 0.
"""

from fractions import Fraction
from itertools import permutations
from typing import Final

from consistency_lab.book.exhibits import Aggregate, described, wrong_witnesses
from consistency_lab.book.risk import enclosed_risk, exact_risk, least_risk, rational_scores
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
from consistency_lab.certify.witness import certify
from consistency_lab.core.document import CONSISTENT_AT_P
from consistency_lab.exact import certainly_less, enclose, working_precision
from consistency_lab.model.conditions import condition, edges, net
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate
from consistency_lab.model.targets import scores_loss
from consistency_lab.solve.optimal import optimal_orders

_SURROGATES: Final = ("logistic", "exponential", "hinge", "linear", "difference-logistic")
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


def _both_ways(name: str) -> Step:
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
    how = (
        f"the core accepts {len(gaps)} certificates that it is right, where H(e) >= {least} for every "
        f"e > 0, and {wrong} that it is wrong, where H(e) = 0 for some e > 0; {undecided} are undecided"
    )
    claim = f"{name}: H(e) > 0 for every e > 0 at exactly the p of P where Definition 2 holds"
    stands = least > 0 and len(gaps) + wrong == len(_P)
    return Step(stands, Finding(claim, Kind.CERTIFICATE, f"{len(_P)} distributions, m <= 3", how))


_QUERIES: Final[tuple[Aggregate, ...]] = (
    ((0, 1, 4), (0, 0, 1), (1, 0, 0)),
    ((0, 2, 1), (5, 0, 1), (6, 3, 0)),
    ((0, 3, 8), (0, 0, 1), (4, 0, 0)),
)


def _risks_converge() -> Step:
    """Three queries, the linear loss: once the excess is below the least gap, the regret is zero; exactly."""
    loss = surrogate("linear")
    queries = [Distribution.from_aggregate(a) for a in _QUERIES]
    share = Fraction(1, len(queries))
    # The cheapest scores outside A(p) tie the ends of an edge: they cost (N_i - N_k)^2 / 4.
    nets = [net(p.difference) for p in queries]
    gap = min(
        (n[i] - n[k]) ** 2 / 4 for p, n in zip(queries, nets, strict=True) for i, k in edges(p.difference)
    )
    stands, details = True, []
    for detour in permutations(range(3)):
        zero_from = None
        for n in range(1, 41):
            excess = regret = Fraction(0)
            for p, best in zip(queries, nets, strict=True):
                scores = rational_scores([x + Fraction(8 * z, n) for x, z in zip(best, detour, strict=True)])
                terms = loss.risk_terms(p)
                least, value = least_risk(terms, p.m, rational_scores(best)), exact_risk(terms, scores)
                assert least is not None  # N is stationary
                assert value is not None  # and W rational
                excess += share * (value - least)
                regret += share * (scores_loss(p.aggregate, scores) - optimal_orders(p.aggregate).loss)
            stands = stands and (regret == 0 or excess >= share * gap)
            zero_from = None if regret else (zero_from or n)
        stands = stands and zero_from is not None
        details.append(f"f_n = N + 8 {detour}/n: R(f_n) = R* from n = {zero_from} on")
    how = (
        f"no f_n with R_phi - R_phi* < {share * gap} = (least gap)/3 has R > R*: 6 sequences, exact rationals"
    )
    claim = "linear: R_phi(f_n) → R_phi* gives R(f_n) → R*"
    return Step(stands, Finding(claim, Kind.TEST, "three queries, m = 3", how, tuple(details)))


def _constant_sequences() -> Step:
    """The other direction, where W* is attained outside A(p)."""
    witnesses = list(wrong_witnesses())
    details = tuple(described(witness) for witness in witnesses)
    stands = all(witness.verified.regret > 0 for witness in witnesses)
    how = f"{len(details)} witnesses with stationary certificates, accepted by the core"
    claim = "where Definition 2 fails, f_n = alpha has R_phi(f_n) = R_phi* and R(f_n) - R* = regret > 0"
    return Step(stands, Finding(claim, Kind.CERTIFICATE, "one query, m = 3", how, details))


def _escaping_sequence() -> Step:
    """The other direction, where W* is not attained: phi = exp(x) rewards the wrong order forever."""
    loss, p = surrogate(phi="exp(x)"), Distribution.from_aggregate([[0, 1], [0, 0]])
    terms, optimum = loss.risk_terms(p), optimal_orders(p.aggregate)
    stands = True
    with working_precision(256):
        for n in (1, 10, 100):
            scores = rational_scores([-n, 0])
            stands = stands and scores_loss(p.aggregate, scores) - optimum.loss == 1
        stands = stands and certainly_less(enclosed_risk(terms, scores), enclose(Fraction(1, 10**43)))
    how = "phi = exp(x), 1 → 2 for certain: the scores (-n, 0) have W = exp(-n) → 0 = W* and regret 1"
    claim = "the same where the infimum escapes outside A(p)"
    return Step(stands, Finding(claim, Kind.TEST, "one query, m = 2", how))


def _check() -> Checked:
    steps = [*map(_both_ways, _SURROGATES), _risks_converge(), _constant_sequences(), _escaping_sequence()]
    remarks = (
        "Tested on finite cases; the general proof rests on Lemma 5 and on Corollary 26 of Zhang (2004).",
        "Definition 2 asks for an infimum: that the minimizer lies in A(p) is not enough (false variant).",
    )
    return concluded(Kind.TEST, "finite sets of distributions, m <= 3", steps, remarks)


def _minimizer_in_the_optimal_set() -> Refutation:
    loss, p = surrogate("linear"), Distribution.from_aggregate([[0, 0, 2], [1, 0, 0], [0, 0, 0]])
    terms, optimum = loss.risk_terms(p), optimal_orders(p.aggregate)
    best = rational_scores(net(p.difference))
    least = least_risk(terms, p.m, best)
    stands = optimum.in_optimal_set(best) and not condition("net-order").holds(p.difference)
    for n in (1, 10, 1000):
        scores = rational_scores([1 + Fraction(1, n), 1, -2])
        value = exact_risk(terms, scores)
        regret = scores_loss(p.aggregate, scores) - optimum.loss
        stands = stands and least is not None and value is not None and regret == 1
        stands = (
            stands and value is not None and least is not None and value - least == Fraction(1, 2 * n * n)
        )
    witness = (
        "linear, d_13 = 2, d_21 = 1: the only minimizer N = (1, 1, -2) ties items 1 and 2 and lies in A(p) "
        "by the rule for ties; (1 + 1/n, 1, -2) has excess 1/(2n^2) → 0 and regret 1, so H(1) = 0"
    )
    return Refutation(stands, witness)


STATEMENT: Final = Statement(
    name="theorem-6",
    title="DMJ10 Theorem 6",
    latex=(
        r"Let \(\varphi\) be continuous and bounded below, with result sets of size at most \(M\). Then"
        r" \(\varphi\) is edge-consistent if and only if \(R_\varphi(f_n) \to R_\varphi^*\) in probability"
        r" implies \(R(f_n) \to R^*\) in probability, for every sequence \(f_n\)."
    ),
    plain="Edge-consistent surrogates are exactly those whose minimization minimizes the ranking risk.",
    hypotheses=(
        r"\(\varphi(\cdot, G)\) is continuous and bounded below",
        r"the result sets have at most \(M\) items",
    ),
    citation="DMJ10 Theorem 6 (with Definition 2 and Eq. 3)",
    check=_check,
    variants=(
        FalseVariant(
            "Theorem 6 with Definition 2 weakened: every minimizer of W(p, .) lies in A(p).",
            _minimizer_in_the_optimal_set,
        ),
    ),
)
