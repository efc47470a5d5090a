"""What a verified file says, in one flat record."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Final, final

from consistency_lab.core.document import CONSISTENT_AT_P, INCONSISTENT, STRICT, TIE, Proof
from consistency_lab.core.separation import Separation
from consistency_lab.exact import LogRational
from consistency_lab.proofs.file import verify_document

__all__ = ["CONSISTENT_AT_P", "INCONSISTENT", "STRICT", "TIE", "Verified", "verify"]

_NO_NAME: Final = "a surrogate without a name"


@final
@dataclass(frozen=True, slots=True)
class Verified:
    """What a file proves, and what its names are.

    Parameters
    ----------
    claim
        "inconsistent", "consistent-at-p" or "infeasible".
    failure
        "strict" or "tie", None for consistency.
    regret
        The regret of the stated prediction for the target loss, 0 for consistency.
    gap
        For a separation: how far the bounds lie above the value of W at the scores, at least.
    every
        Whether the claim is about everything near the infimum of W, and not about the scores alone.
    universal
        Whether the file also proves the claim for every convex phi.
    surrogate
        The name of the surrogate in the file.
    recomputed, unknown
        The names that were recomputed and agree, and those that are not known here.
    conditions
        For each noise condition that the file speaks of, whether the distribution satisfies it.
    m
        The number of items.
    scores
        The exact scores.
    convexity
        How the convexity of the scalar functions was proved.
    proof
        The proof itself; None for a claim about systems of inequalities.
    """

    claim: str
    failure: str | None
    regret: Fraction
    gap: Fraction | None
    every: bool
    universal: bool
    surrogate: str
    recomputed: tuple[str, ...]
    unknown: tuple[str, ...]
    conditions: Mapping[str, bool]
    m: int
    scores: tuple[LogRational, ...]
    convexity: tuple[str, ...]
    proof: Proof | None


def verify(document: Mapping[str, object]) -> Verified:
    """Verify a document of the format ``consistency-lab/proof/2``.

    Raises
    ------
    InputError
        If it is not of that format.
    RejectedError
        If the digest, the proof or a known name is false; the message names the first thing.
    """
    found = verify_document(document)
    proof, proved, named = found.proof, found.proved, found.named
    certificate = None if proof is None else proof.certificate
    return Verified(
        claim=proved.claim,
        failure=proved.failure,
        regret=proved.regret or Fraction(0),
        gap=certificate.gap if isinstance(certificate, Separation) else None,
        every=proved.every,
        universal=proved.universal,
        surrogate=named.surrogate or _NO_NAME,
        recomputed=named.recomputed,
        unknown=named.unknown,
        conditions=MappingProxyType(dict(named.conditions)),
        m=0 if proof is None else len(proof.coordinates),
        scores=() if proof is None or proof.scores is None else proof.scores,
        convexity=proved.convexity,
        proof=proof,
    )
