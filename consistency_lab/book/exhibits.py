"""Distributions at which a surrogate is right, or wrong, with certificates: used by several statements."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from consistency_lab.book.risk import Scores, enclosed_risk
from consistency_lab.certify.witness import Witness, certify
from consistency_lab.core.document import CONSISTENT_AT_P, INCONSISTENT
from consistency_lab.errors import RejectedError
from consistency_lab.exact import Ball, LogRational, certainly_less, enclose, working_precision
from consistency_lab.frozen import frozen
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import Surrogate, surrogate
from consistency_lab.phi import facts
from consistency_lab.solve.stationary import stationary_slopes

Aggregate = tuple[tuple[int, ...], ...]


@frozen
class Exhibit:
    """A surrogate and a distribution at which it is right."""

    name: str  #: The surrogate.
    aggregate: Aggregate  #: The aggregate.
    #: Exact scores that attain W*; where W* is not attained, scores from which W falls to it.
    minimizer: tuple[str, ...]
    #: The direction along which W falls to W* where it is not attained, zeros where it is.
    escape: tuple[int, ...]

    @property
    def surrogate(self) -> Surrogate:
        """The surrogate itself."""
        return surrogate(self.name)

    @property
    def distribution(self) -> Distribution:
        """A distribution with this aggregate."""
        return Distribution.from_aggregate(self.aggregate)

    @property
    def attained(self) -> bool:
        """Whether W* is attained."""
        return not any(self.escape)

    def approach(self, detour: Sequence[int], n: int) -> Scores:
        """The n-th member of a sequence along which W tends to W*, whatever the detour."""
        # Where there is a minimizer the detour shrinks; elsewhere it is left behind.
        steps = [
            n * z + (Fraction(8 * x, n) if self.attained else 4 * x)
            for z, x in zip(self.escape, detour, strict=True)
        ]
        return tuple(
            LogRational.parse(start) + LogRational(Fraction(step))
            for start, step in zip(self.minimizer, steps, strict=True)
        )

    def tends(self) -> bool:
        """Whether it is proved that W tends to W* along `approach`."""
        terms = self.surrogate.risk_terms(self.distribution)
        if self.attained:
            scores = self.approach((0,) * len(self.escape), 1)
            return stationary_slopes(terms, len(scores), scores) is not None
        with working_precision(256):
            far = enclosed_risk(terms, self.approach((0,) * len(self.escape), 100))
        bounded = all(facts(term.phi).lower == 0 for term in terms)
        return bounded and certainly_less(far, enclose(Fraction(1, 10**30)))

    def shown(self) -> str:
        """The surrogate and the aggregate, for people."""
        return f"{self.name} at a = {list(map(list, self.aggregate))}"


RIGHT: Final = (
    Exhibit("logistic", ((0, 3), (1, 0)), ("log(3)", "0"), (0, 0)),
    Exhibit("logistic", ((0, 10, 12), (5, 0, 10), (3, 5, 0)), ("log(4)", "log(2)", "0"), (0, 0, 0)),
    Exhibit("hinge", ((0, 6, 3), (3, 0, 5), (1, 2, 0)), ("1", "0", "-1"), (0, 0, 0)),
    Exhibit("squared-hinge", ((0, 3), (1, 0)), ("1/2", "0"), (0, 0)),
    Exhibit("linear", ((0, 1, 4), (0, 0, 1), (1, 0, 0)), ("4", "0", "-4"), (0, 0, 0)),
    Exhibit("difference-logistic", ((0, 1, 4), (0, 0, 1), (1, 0, 0)), ("0", "0", "0"), (2, 1, 0)),
    Exhibit("difference-exponential", ((0, 2, 0), (0, 0, 0), (1, 3, 0)), ("0", "0", "0"), (2, 0, 3)),
)
"""Right at these distributions; in the last two the infimum escapes."""


def certified(exhibit: Exhibit) -> Witness | None:
    """The core's certificate that the exhibit is right, or None if it does not accept one."""
    found = certify(exhibit.surrogate, exhibit.distribution)
    return found if found is not None and found.verified.claim == CONSISTENT_AT_P else None


def threshold(witness: Witness) -> Ball:
    """A number above W* that W does not fall below outside A(p): what a separation certificate proves."""
    assert witness.verified.gap is not None  # a claim of consistency rests on a separation
    return enclosed_risk(witness.terms, witness.scores) + enclose(witness.verified.gap)


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
    """The core's certificates that these surrogates are wrong, at exact minimizers.

    Raises
    ------
    RejectedError
        If the core does not accept one.
    """
    for row in WRONG:
        scores = tuple(map(LogRational.parse, row.scores))
        found = certify(surrogate(row.name), Distribution.from_aggregate(row.aggregate), scores)
        if found is None or found.verified.claim != INCONSISTENT or found.scores != scores:
            raise RejectedError(f"the scores {', '.join(row.scores)} are not certified for {row.name}")
        yield found


def described(witness: Witness) -> str:
    """A witness in one line."""
    p = witness.distribution
    a = "[" + ", ".join("[" + ", ".join(map(str, row)) + "]" for row in p.aggregate) + "]"
    scores = ", ".join(map(str, witness.scores))
    name, regret = witness.verified.surrogate, witness.verified.regret
    return f"{name}, a = {a}: ({scores}) attains W*; regret {regret}"
