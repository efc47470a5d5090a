"""Files of the format consistency-lab/proof/2: a proof, the names beside it, and what both prove."""

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from consistency_lab.core.certificates import Separation
from consistency_lab.core.document import INFEASIBLE, Proof
from consistency_lab.core.numbers import BITS, same
from consistency_lab.core.reading import read_proof, read_systems, record, text
from consistency_lab.core.verify import Proved, decide, verify_proof
from consistency_lab.errors import InputError
from consistency_lab.exact import working_precision
from consistency_lab.files import digest
from consistency_lab.frozen import frozen
from consistency_lab.proofs.names import check_names
from consistency_lab.proofs.record import NO_NAME, Named, VerifiedProof
from consistency_lab.proofs.systems import check_systems

# --- Files of the format ``consistency-lab/proof/2`` -----------------------------------------------------
# A proof, the names beside it, where it comes from.

FORMAT: Final = "consistency-lab/proof/2"
PROVENANCE: Final = ("citation", "tool", "version", "command", "note")


@frozen
class VerifiedFile:
    """What is known of a file."""

    proof: Proof | None  #: The proof as it was read; None for systems without a solution.
    proved: Proved  #: What the core derived from it.
    named: Named  #: What became of the names beside it.


def verify_document(document: Mapping[str, object]) -> VerifiedFile:
    """Verify a document of the format ``consistency-lab/proof/2``.

    Raises
    ------
    RejectedError
        If the digest, the proof or a known name is false; the message names the first thing.
    """
    if not isinstance(document, Mapping) or document.get("format") != FORMAT:
        raise InputError(f'this is not a proof: it lacks the entry "format": "{FORMAT}"')
    fields = record(dict(document), "the file", ("format", "digest", "proof", "named", "provenance"))
    provenance = record(fields["provenance"], "provenance", PROVENANCE)
    for key in PROVENANCE:
        if not text(provenance[key], f"provenance.{key}").isprintable():
            raise InputError(f"provenance.{key} has a line end or control character; it is one line of text")
    same("the digest", text(fields["digest"], "digest"), digest(document))
    value = fields["proof"]
    if isinstance(value, Mapping) and value.get("claim") == INFEASIBLE:
        proved = verify_proof(value)
        return VerifiedFile(None, proved, check_systems(fields["named"], read_systems(value)))
    with working_precision(BITS):
        proof = read_proof(value)
    assert isinstance(value, Mapping)
    return VerifiedFile(proof, decide(proof), check_names(fields["named"], proof, value))


def sealed(
    proof: Mapping[str, object], named: Mapping[str, object], provenance: Mapping[str, str]
) -> dict[str, object]:
    """The document of a proof, its names and its provenance, with the digest.

    Examples
    --------
    >>> system = {"rows": [["1"]], "right": ["-1"], "equal_rows": [], "equal_right": [], "y": ["1"], "z": []}
    >>> document = sealed({"claim": "infeasible", "systems": [system]}, {}, {})
    >>> verify_document(document).proved.systems
    1
    """
    content: dict[str, object] = {
        "format": FORMAT,
        "proof": dict(proof),
        "named": dict(named),
        "provenance": {key: provenance.get(key, "") for key in PROVENANCE},
    }
    return {**content, "digest": digest(content)}


# --- Verify a file of proofs, and say in one flat record what it proves ----------------------------------


def verify(document: Mapping[str, object]) -> VerifiedProof:
    """Verify a document of the format ``consistency-lab/proof/2``.

    Raises
    ------
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
