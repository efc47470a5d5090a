"""Systems of inequalities without a solution as a theorem for Coq."""

from collections.abc import Sequence
from fractions import Fraction

from consistency_lab.apps.book.coq.source import Source, comment, listed, rational
from consistency_lab.core.verify import read_systems

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
