"""Verify a file of proofs, and say in one flat record what it proves."""

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

from consistency_lab.core.separation import Separation
from consistency_lab.proofs.file import verify_document
from consistency_lab.proofs.record import NO_NAME, VerifiedProof


def verify(document: Mapping[str, object]) -> VerifiedProof:
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
    return VerifiedProof(
        claim=proved.claim,
        failure=proved.failure,
        regret=proved.regret or Fraction(0),
        least_regret=proved.least_regret,
        gap=certificate.gap if isinstance(certificate, Separation) else None,
        every=proved.every,
        attracting=proved.attracting,
        attained=proved.attained,
        universal=proved.universal,
        surrogate=named.surrogate or NO_NAME,
        recomputed=named.recomputed,
        unknown=named.unknown,
        conditions=MappingProxyType(dict(named.conditions)),
        m=0 if proof is None else len(proof.coordinates),
        scores=() if proof is None or proof.scores is None else proof.scores,
        convexity=proved.convexity,
        systems=proved.systems,
        proof=proof,
    )
