"""Where H is 0: a certified distribution whose minimizing scores have a large regret.

A stationary certificate proves that the scores minimize W, so H is 0 up to their regret. A separation
certificate proves that W comes closer to its infimum outside A(p) than inside, so H is 0 up to the least
regret of any order that is not optimal at p.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from typing import Final

from consistency_lab.certify.witness import Witness, certify
from consistency_lab.errors import UnsupportedError
from consistency_lab.measure.certified import certified_regret
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.search.effort import Effort
from consistency_lab.search.find import find
from consistency_lab.search.inverse import inverse_search
from consistency_lab.search.realize import realize

_TRIED: Final = 12
_ENOUGH: Final = 2_000


def largest_zero(
    surrogate: Surrogate,
    condition: str,
    m: int,
    effort: Effort,
    seed: int = 0,
    provenance: dict[str, str] | None = None,
) -> tuple[Fraction, Witness | None]:
    """The largest normalized regret found at which H is certainly 0, and its witness (0 and None if none).

    Parameters
    ----------
    surrogate, condition, m
        The question.
    effort
        The budget.
    seed
        Of the order in which the inverse search tries scores.
    provenance
        Texts for the witness document.

    Examples
    --------
    >>> from consistency_lab.model.surrogates import surrogate
    >>> regret, witness = largest_zero(surrogate("hinge"), "additive", 3, Effort(seconds=5))
    >>> regret > 0 and witness.verified.claim == "inconsistent"
    True
    """
    best: tuple[Fraction, Witness | None] = (Fraction(0), None)
    try:
        for witness in _witnesses(surrogate, condition, m, effort, seed, provenance or {}):
            regret = certified_regret(witness)
            if regret > best[0]:
                best = regret, witness
    except KeyboardInterrupt:
        effort.interrupted = True
    return best


def _witnesses(
    surrogate: Surrogate, condition: str, m: int, effort: Effort, seed: int, provenance: dict[str, str]
) -> Iterator[Witness]:
    """Certified witnesses: those that the inverse search finds worst, and one from the general search."""
    try:
        found = inverse_search(surrogate, condition, m, effort, ties=True, seed=seed)
        candidates = [candidate for candidate in islice(found, _ENOUGH) if candidate.exact]
    except UnsupportedError:
        candidates = []
    candidates.sort(key=lambda candidate: -candidate.regret)
    certified = 0
    for candidate in candidates[:_TRIED]:
        effort.count(certificates=1)
        distribution = realize(surrogate, candidate.a)
        witness = certify(surrogate, distribution, candidate.scores, provenance=provenance)
        if witness is not None and witness.fails_under(condition):
            certified += 1
            yield witness
    if not certified:
        effort.until = None
        witness = find(surrogate, condition, (m,), effort=effort, provenance=provenance)
        if witness is not None:
            yield witness
