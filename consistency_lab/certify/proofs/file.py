"""Files of the format consistency-lab/proof/2: a proof and the names beside it; made, verified, saved."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import fields as dataclass_fields
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Final

from consistency_lab.certify.proofs.names import Made, check_names
from consistency_lab.certify.proofs.record import NO_NAME, VerifiedProof, names_maxima
from consistency_lab.core.certificates import Separation
from consistency_lab.core.document import INFEASIBLE, OF_LINKS
from consistency_lab.core.reading import record, text
from consistency_lab.core.verify import decide, read_proof, read_systems, verify_proof
from consistency_lab.errors import InputError, RejectedError, UnsupportedError
from consistency_lab.files import check_readable, digest, make_folder, read_json, with_digest, write_atomic
from consistency_lab.model.checked import Where, checked
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.numbers.balls import BITS, same
from consistency_lab.numbers.exact import working_precision
from consistency_lab.version import __version__

FORMAT: Final = "consistency-lab/proof/2"
PROVENANCE: Final = ("citation", "tool", "version", "command", "note")

_LONGEST: Final = 60
_DRAFTS: Final = ("consistency-lab/witness/1", "consistency-lab/task-witness/1")


def provenance_entry(given: Mapping[str, str]) -> dict[str, str]:
    """The ``provenance`` entry of a document: this tool, and what is given of citation, command and note."""
    tool = {"tool": "consistency-lab", "version": __version__}
    return {"citation": "", "command": "", "note": "", **tool, **given}


def sealed(
    proof: Mapping[str, object], named: Mapping[str, object], provenance: Mapping[str, str]
) -> dict[str, object]:
    """The document of a proof, its names and its provenance, with the digest."""
    content: dict[str, object] = {
        "format": FORMAT,
        "proof": dict(proof),
        "named": dict(named),
        "provenance": {key: provenance.get(key, "") for key in PROVENANCE},
    }
    return with_digest(content)


def as_proof(document: Mapping[str, object]) -> Mapping[str, object]:
    """The document, if it is of a format that is read."""
    if isinstance(document, str | os.PathLike):
        raise InputError(
            f"verify takes a document, and {str(document)[:60]!r} is given; verify_file takes the path of one"
        )
    if not isinstance(document, Mapping):
        raise InputError("this is not a witness file; a witness file is a JSON object")
    form = document.get("format")
    if not isinstance(form, str):
        raise InputError(f'this is not a witness: it lacks the entry "format", such as "{FORMAT}"')
    if form in _DRAFTS:
        raise InputError(f"the witness is of the first draft format {form!r}, which is no longer read")
    if form.startswith("consistency-lab/construction/"):
        raise InputError("this is a construction, no witness; construct FILE checks it")
    if form != FORMAT:
        raise InputError(f"the witness is of the format {form[:60]!r}, but this version knows {FORMAT!r}")
    return document


@checked
def verify(
    document: Annotated[Mapping[str, object], Where("the JSON object of a proof; verify_file takes a path")],
) -> VerifiedProof:
    """Verify a document of the format ``consistency-lab/proof/2``.

    Raises
    ------
    RejectedError
        If the digest, the proof or a known name is false; the message names the first thing.
    """
    keys = ("format", "digest", "proof", "named", "provenance")
    fields = record(dict(as_proof(document)), "the file", keys)
    provenance = record(fields["provenance"], "provenance", PROVENANCE)
    for key in PROVENANCE:
        text(provenance[key], f"provenance.{key}")
    same("the digest", text(fields["digest"], "digest"), digest(document))
    return proved(fields)


def proved(fields: Mapping[str, object], made_of: Made | None = None) -> VerifiedProof:
    """What a document proves; where it was just made of a distribution, its names are not read back."""
    value, names, proof = fields["proof"], fields["named"], None
    claim = value.get("claim") if isinstance(value, Mapping) else None
    if claim == INFEASIBLE or claim in OF_LINKS:
        found = verify_proof(value)
    else:
        with working_precision(BITS):
            proof = read_proof(value)
        found = decide(proof)
    assert isinstance(value, Mapping)
    if claim == INFEASIBLE:
        from consistency_lab.certify.proofs.systems import check_systems

        named = check_systems(names, read_systems(value))
    else:
        try:
            if names_maxima(claim, names):
                from consistency_lab.certify.proofs.systems import check_link_names

                named = check_link_names(names, value)
            else:
                assert proof is not None
                named = check_names(names, proof, value, made_of)
        except UnsupportedError as error:
            raise RejectedError(f"what the names mean cannot be worked out: {error}") from None
    certificate = None if proof is None else proof.certificate
    return VerifiedProof(
        **{one.name: getattr(found, one.name) for one in dataclass_fields(found)}
        | {"regret": found.regret or Fraction(0)},
        gap=certificate.gap if isinstance(certificate, Separation) else None,
        surrogate=named.surrogate or NO_NAME,
        recomputed=named.recomputed,
        unknown=named.unknown,
        conditions=dict(named.conditions),
        m=0 if proof is None else len(proof.coordinates),
        scores=() if proof is None or proof.scores is None else proof.scores,
        proof=proof,
        about=named.about,
    )


@checked
def verify_file(path: str | os.PathLike[str]) -> VerifiedProof:
    """Read a file and verify what is in it.

    Raises
    ------
    RejectedError
        If something that it claims is not so.
    """
    document = read_json(path)
    if not isinstance(document, dict):
        raise InputError(f"{os.fspath(path)} is not a witness file; a witness file is a JSON object")
    return verify(document)


# --- What a file is called, and how it is saved -------------------------------------------------------------


def slug(text: str) -> str:
    """A text as a part of a file name."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:_LONGEST].rstrip("-") or "surrogate"


def narrowest(conditions: Mapping[str, object]) -> str:
    """The first of the conditions that hold, none of which implies it; any, where none is known."""
    return next((name for name in CONDITIONS if conditions.get(name)), "any")


def file_name(document: Mapping[str, object]) -> str:
    """``<surrogate>-<condition>-<m>items-<digest8>.json``; a target follows the surrogate."""
    proof, named = document["proof"], document["named"]
    assert isinstance(proof, Mapping) and isinstance(named, Mapping)
    said, target = named.get("surrogate", {"name": "proof"}), named.get("target")
    name, conditions = str(said["name"]).removeprefix("own: "), named.get("conditions", {})
    number, unit = named.get("items", len(proof.get("coordinates", ()))), "items"
    if isinstance(target, Mapping) and "labels" in target:
        stem = slug("-".join((name, str(target["loss"]), *(conditions or ["any"]))))
        unit = next(key for key in ("items", "classes", "rows") if key in target["labels"])
        number = target["labels"][unit]
    elif names_maxima(proof.get("claim"), named):
        from consistency_lab.model.polyhedral import ROWS

        row = ROWS.get(name)
        stem = slug("-".join((name, *(named[key] for key in ("target", "condition") if key in named))))
        number, unit = said.get("size", number), row.unit if row else unit
    else:  # a condition that is not known does not count
        condition = str(named.get("condition", narrowest(conditions)))
        stem = f"{slug(name)}-{slug(condition)}"
    digest = str(document["digest"]).removeprefix("sha256:")[:8]
    return f"{stem}-{number}{unit}-{digest}.json"


def save(document: Mapping[str, object], folder: Path, name: str | None = None) -> Path:
    """Write a document into a folder, which is made if need be, under its own name or the one given."""
    path = folder / (name or file_name(document))
    text = json.dumps(document, sort_keys=True, indent=1, ensure_ascii=False) + "\n"
    check_readable(text.encode(), path.name)
    make_folder(folder)
    write_atomic(path, text)
    return path
