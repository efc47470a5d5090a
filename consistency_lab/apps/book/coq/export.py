"""A proof file as a theorem that Coq proves: which template writes it."""

import os
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Final

from consistency_lab.apps.book.coq import labels, preferences
from consistency_lab.apps.book.coq.addition import addition
from consistency_lab.apps.book.coq.source import Source, comment, listed, rational
from consistency_lab.certify.proofs.file import verify
from consistency_lab.core.verify import read_systems
from consistency_lab.errors import InputError, RejectedError, printed
from consistency_lab.files import read_json

# --- Systems of inequalities without a solution ----------------------------------------------------------

SYSTEMS = """\
(* {title}
   Written by consistency-lab export from {source}. {names} *)
From Coq Require Import Reals List QArith.
From ConsistencyLab.check Require Import Farkas.
Import ListNotations.

(* Each system A x <= b, E x = f, x >= 0 with the multipliers of A and of E. *)
Definition systems : list (system * list Q * list Q) := {systems}%Q.
Lemma checked : forallb (fun e => farkas_check (fst (fst e)) (snd (fst e)) (snd e)) systems = true.
Proof. vm_compute; reflexivity. Qed.
(* None of them has a solution in real numbers. *)
Theorem replayed : Forall (fun e => ~ exists x : nat -> R, solves (fst (fst e)) x) systems.
Proof. exact (farkas_all systems checked). Qed.
"""


def infeasible(source: Source) -> str:
    """Every system of the file, with its multipliers."""
    verified = source.verified
    known = "; ".join(verified.recomputed)
    return SYSTEMS.format(
        title=comment(f"{source.name}: {verified.sentence}."),
        source=comment(source.name),
        names=comment(f"That these are the systems of {known} is no part of it." if known else ""),
        systems=listed(
            f"\n  (System {_rows(one.rows, one.right)}\n    {_rows(one.equal_rows, one.equal_right)}, "
            f"{_vector(one.y)}, {_vector(one.z)})"
            for one in read_systems(source.document)
        ),
    )


def _rows(rows: Sequence[Sequence[Fraction]], right: Sequence[Fraction]) -> str:
    return listed(f"({_vector(row)}, {rational(b)})" for row, b in zip(rows, right, strict=True))


def _vector(row: Sequence[Fraction]) -> str:
    return listed(map(rational, row))


# --- The templates, and what each is for -----------------------------------------------------------------

TEMPLATES: Final[Mapping[tuple[str, str, str], Callable[[Source], str]]] = MappingProxyType(
    {
        ("inconsistent", "preferences", "minimum"): preferences.minimum,
        ("inconsistent", "preferences", "separation"): preferences.separation,
        ("inconsistent", "labels", "minimum"): labels.minimum,
        ("inconsistent", "labels", "mean"): labels.mean,
        ("inconsistent", "losses", "minimum"): labels.minimum,
        ("inconsistent", "losses", "mean"): labels.mean,
        ("inconsistent", "preferences", "addition"): addition,
        ("consistent-at-p", "preferences", "addition"): addition,
        ("infeasible", "systems", "multipliers"): infeasible,
    }
)
"""By the claim of a proof, what it is about (see `Source.subject`) and the kind of its certificate."""


def coq(path: str | os.PathLike[str]) -> str:
    """A file for Coq, to be compiled beside ``formal/``, that proves what a proof file says.

    The core checks the digest, the proof and the names first, and that the labels give the losses of the
    surrogate; then only explicit entries are written out, and Coq computes all else again.

    Raises
    ------
    RejectedError
        If something that the file claims is not so.
    """
    name = printed(Path(path).name)
    document = read_json(path)
    if not isinstance(document, dict):
        raise InputError(f"{name} is not a witness file; a witness file is a JSON object")
    try:
        source = Source(name, document.get("named", {}), document.get("proof", {}), verify(document))
    except RejectedError as error:
        raise RejectedError(f"{name}: {error}") from None
    return theorem(source)


def theorem(source: Source) -> str:
    """What a proof says, from its explicit entries; whether it is so is for Coq."""
    key = (source.verified.claim, source.subject, source.kind)
    if key not in TEMPLATES:
        claim, subject, kind = key
        raise source.refused(
            f"proofs of {claim!r} about {subject} with a certificate {kind!r} are not covered yet"
        )
    return TEMPLATES[key](source)
