"""Certify wrong (or right) scores at one distribution, and let the kernel have the last word."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Final, final

from consistency_lab.certify.document import (
    CONSISTENT_AT_P,
    INCONSISTENT,
    build_document,
    sealed,
    term_entries,
)
from consistency_lab.certify.gaps import proposed_gap
from consistency_lab.certify.separation import (
    Dual,
    boundary_minimizer,
    dual_slopes,
    exact_dual,
    rounded_scores,
)
from consistency_lab.certify.telling_pairs import shared_pairs, wrong_pairs
from consistency_lab.certify.universal import universal_proof
from consistency_lab.errors import RejectedError, UnsupportedError
from consistency_lab.exact import LogRational, rational_text
from consistency_lab.kernel import Verified, certified_gap, verify
from consistency_lab.kernel.distribution import MAX_ITEMS
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import EdgeSurrogate, MarginSurrogate, Surrogate, Term, as_surrogate
from consistency_lab.solve.minimize import Minimum, minimize
from consistency_lab.solve.optimal import OptimalOrders, optimal_orders
from consistency_lab.solve.stationary import stationary_slopes

_DIGITS: Final = (1, 2, 3, 4, 5, 6, 8, 10, 12)
_MANY_ORDERS: Final = 720
_UNIVERSAL_ITEMS: Final = 4

Pair = tuple[int, int]


@final
@dataclass(frozen=True)
class Witness:
    """A document that the kernel has accepted.

    Parameters
    ----------
    document
        The witness document (docs/witness-format.md).
    verified
        What the kernel derived from it.
    distribution, surrogate
        What it is about.
    """

    document: Mapping[str, object]
    verified: Verified
    distribution: Distribution
    surrogate: Surrogate

    @property
    def scores(self) -> tuple[LogRational, ...]:
        """The exact scores."""
        texts = self.document["scores"]
        assert isinstance(texts, list)
        return tuple(LogRational.parse(text) for text in texts)

    def fails_under(self, condition: str) -> bool:
        """Whether the kernel found an inconsistency here, and this condition holds by its exact test."""
        return self.verified.claim == INCONSISTENT and self.has(condition)

    def has(self, condition: str) -> bool:
        """Whether this condition holds here, by its exact test."""
        return CONDITIONS[condition].holds(self.distribution.aggregate)


@final
@dataclass(frozen=True)
class _Case:
    """One question to certify: a surrogate at a distribution."""

    surrogate: Surrogate
    distribution: Distribution
    terms: tuple[Term, ...]
    optimum: OptimalOrders
    provenance: Mapping[str, str]

    @property
    def m(self) -> int:
        return self.distribution.m

    def document(
        self,
        scores: Sequence[LogRational],
        claim: str,
        certificate: Mapping[str, object],
        universal: Mapping[str, object] | None = None,
    ) -> dict[str, object]:
        listed = {"terms": term_entries(self.terms, self.distribution.items), **certificate}
        return build_document(
            self.surrogate, self.distribution, self.optimum, scores, claim, listed, self.provenance, universal
        )


def certify(
    surrogate: Surrogate | str,
    distribution: Distribution,
    scores: Sequence[LogRational] | None = None,
    *,
    provenance: Mapping[str, str] | None = None,
    universal: bool = False,
    decimals: int = 1,
) -> Witness | None:
    """Decide one distribution exactly, if that can be done: wrong there, right there, or None.

    Parameters
    ----------
    surrogate, distribution
        The question.
    scores
        Exact scores to try as a stationary point first; otherwise W is minimized in floats.
    provenance
        Texts for the document.
    universal
        Also look for the proof that no convex phi with phi'(0) < 0 is right here.
    decimals
        Scores are rounded to the fewest decimals that can be certified, but not to fewer than these.

    Returns
    -------
    Witness or None
        A document that the kernel accepts, with claim "inconsistent" or "consistent-at-p".

    Raises
    ------
    UnsupportedError
        If there are more items than the kernel checks, floats overflow, or a number is too long to write.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import surrogate
    >>> p = Distribution.from_aggregate([[0, 1, 4], [0, 0, 1], [2, 0, 0]])
    >>> certify(surrogate("hinge"), p).verified.failure
    'tie'
    """
    if distribution.m > MAX_ITEMS:
        raise UnsupportedError(
            f"there are {distribution.m} items; certificates are checked for at most {MAX_ITEMS}"
        )
    surrogate = as_surrogate(surrogate)
    case = _Case(
        surrogate,
        distribution,
        surrogate.risk_terms(distribution),
        optimal_orders(distribution.aggregate),
        provenance or {},
    )
    extra = _universal(case) if universal else None
    if scores is not None:
        found = _at_stationary_point(case, scores, extra)
        if found is not None:
            return found
    try:
        minimum = minimize(case.terms, case.m)
        if minimum.exact is not None:
            found = _at_stationary_point(case, minimum.exact, extra)
            if found is not None:
                return found
        return _by_separation(case, minimum, extra, decimals)
    except OverflowError:
        raise UnsupportedError("a weight is too large for floats, so they propose nothing") from None


def _accepted(case: _Case, document: Mapping[str, object]) -> Witness | None:
    try:
        verified = verify(document)
    except RejectedError:
        return None
    return Witness(document, verified, case.distribution, case.surrogate)


def _at_stationary_point(
    case: _Case, scores: Sequence[LogRational], universal: Mapping[str, object] | None
) -> Witness | None:
    if case.optimum.in_optimal_set(scores):
        return None
    slopes = stationary_slopes(case.terms, case.m, scores)
    if slopes is None:
        return None
    certificate = {"kind": "stationary", "slopes": [rational_text(s) for s in slopes]}
    return _accepted(case, case.document(scores, INCONSISTENT, certificate, universal))


def _by_separation(
    case: _Case, minimum: Minimum, universal: Mapping[str, object] | None, decimals: int
) -> Witness | None:
    rough = rounded_scores(minimum.scores.tolist(), 9)
    right = case.optimum.in_optimal_set(rough)
    pairs = (
        shared_pairs(case.optimum, case.m) if right else wrong_pairs(case.optimum, minimum.scores.tolist())
    )
    if not pairs:
        return None
    boundaries = {pair: boundary_minimizer(case.terms, case.m, pair) for pair in pairs}
    claim = CONSISTENT_AT_P if right else INCONSISTENT
    for digits in (d for d in _DIGITS if d >= decimals):
        scores = rounded_scores(minimum.scores.tolist(), digits)
        if case.optimum.in_optimal_set(scores) is not right:
            continue
        duals: list[Dual] = []
        for pair in pairs:
            w = pair if not right else (pair[1], pair[0])
            dual = exact_dual(case.terms, case.m, boundaries[pair], w) or dual_slopes(
                case.terms, case.m, boundaries[pair], w, digits + 1
            )
            if dual is None:
                break
            duals.append(dual)
        if len(duals) < len(pairs):
            continue
        likely = proposed_gap(case.terms, scores, duals)
        if likely is not None and likely <= 0:
            continue
        bounds = [_bound_entry(case, pair, dual) for pair, dual in zip(pairs, duals, strict=True)]
        certificate = {"kind": "separation", "bounds": bounds, "gap": "0"}
        document = case.document(scores, claim, certificate, None if right else universal)
        found = None if likely is None else _accepted(case, _with_gap(document, likely))
        if found is None:
            gap = certified_gap(document)
            found = _accepted(case, _with_gap(document, gap)) if gap is not None and gap > 0 else None
        if found is not None:
            return found
    return None


def _with_gap(document: Mapping[str, object], gap: Decimal) -> Mapping[str, object]:
    """The document, its certificate stating this gap."""
    certificate = document["certificate"]
    assert isinstance(certificate, dict)
    return sealed({**document, "certificate": {**certificate, "gap": str(gap)}})


def _bound_entry(case: _Case, pair: Pair, dual: Dual) -> dict[str, object]:
    return {
        "pair": [case.distribution.items[k] for k in pair],
        "multiplier": rational_text(dual.multiplier),
        "slopes": [rational_text(s) for s in dual.slopes],
        "brackets": [None if b is None else [rational_text(x) for x in b] for b in dual.brackets],
    }


def _universal(case: _Case) -> Mapping[str, object] | None:
    if case.m > _UNIVERSAL_ITEMS or type(case.surrogate) not in (EdgeSurrogate, MarginSurrogate):
        return None
    offsets = {term.b for term in case.terms}
    if len(offsets) != 1 or any(b.sign() < 0 for b in offsets):
        return None
    if case.optimum.count() != 1 or tuple(next(iter(case.optimum.orders(1)))) != tuple(range(case.m)):
        return None
    h = [[Fraction(0)] * case.m for _ in range(case.m)]
    for term in case.terms:
        i = next(item for item, n in term.v if n > 0)
        j = next(item for item, n in term.v if n < 0)
        h[i][j] = term.c
    return universal_proof(h, case.distribution.items)
