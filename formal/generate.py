"""Writes formal/data: an election and three files of the gallery, as statements that Coq proves.

`python formal/generate.py` writes the files again; with the path of a file like those of the gallery it
prints that one, to be compiled beside the others. What they say is checked by Coq alone: a wrong number
makes `make formal` fail. A file of the gallery is verified by the core first, and only its explicit numbers
are read: preferences, scores and slopes.
"""

import sys
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm
from pathlib import Path

from consistency_lab.core.certificates import Minimum
from consistency_lab.data.profile import read_profile
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.exact import integer_multiple
from consistency_lab.proofs.file import verify_file

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "formal" / "data"
GALLERY = {
    "HingeTie": "hinge-additive-3items-578dc29e.json",
    "HingeInversion": "hinge-additive-4items-7618c5b7.json",
    "SquaredHinge": "squared-hinge-additive-3items-4b51e9d6.json",
}
#: The losses with a checker of slopes in formal/check/Counts.v.
LOSSES = {"hinge": "hinge", "squared-hinge": "squared_hinge", "square": "square"}

HEAD = """\
(* {title}
   Written by formal/generate.py from {source}. Its items are
   {items}. *)
From Coq Require Import Reals Lra Lia Arith List ZArith Bool.
From ConsistencyLab.base Require Import Ranking Convex Scalars Descent Aggregate Consistency.
From ConsistencyLab.check Require Import Counts.
Import ListNotations.
Open Scope R_scope.

Definition m : nat := {m}.
Definition rows : list (list Z) := {rows}.
Definition c : nat -> nat -> Z := table rows.
Definition p : distribution := of_counts m c.
Lemma valid : counts_check m c = true.
Proof. vm_compute; reflexivity. Qed.
Lemma p_distribution : is_distribution m p.
Proof. apply of_counts_distribution. Qed.
(* Every majority goes up in rank. *)
Definition rank : list nat := {rank}%nat.
Lemma order : order_check m c rank = true.
Proof. vm_compute; reflexivity. Qed.
"""

ELECTION = """
Section EveryLoss.
Variables phi g : R -> R.
Hypothesis reg : regular phi g.
Hypothesis U : even_plus_line g.
(* {winner} is strictly above {loser}, by Theorem R. *)
Lemma first_pair : above m (aggregate p) phi {w} {l}.
Proof.
  apply (gap_sound m c valid 1 1 {w} {l} phi g reg U); [unfold m; lia .. | vm_compute; reflexivity].
Qed.
(* Every minimizer has {winner} above {loser}, though {most} to {fewest} prefer {loser}. *)
Theorem minimizers alpha :
  (forall beta, edge_loss identity phi m p alpha <= edge_loss identity phi m p beta) ->
  alpha {w}%nat > alpha {l}%nat.
Proof.
  intros M; apply (above_minimizer m (aggregate p) phi _ _ _ first_pair); intros beta.
  rewrite <- !(edge_loss_risk m) by apply distribution_well_formed, p_distribution; apply M.
Qed.
Theorem not_consistent : ~ consistent_at (edge_loss identity phi m p) p.
Proof.
  apply (inconsistent_sound m c valid rank {w} {l} phi order);
  [unfold m; lia .. | reflexivity | exact first_pair].
Qed.
(* The ranking that every minimizer has: each of its {pairs} pairs is proved. *)
Definition learned : list nat := {learned}%nat.
Lemma learned_checked : ranking_check m c learned = true.
Proof. vm_compute; reflexivity. Qed.
Theorem learned_order x y : (x < y < m)%nat ->
  above m (aggregate p) phi (nth x learned m) (nth y learned m).
Proof. exact (ranking_sound m c learned phi g valid learned_checked reg U x y). Qed.
End EveryLoss.
(* RankNet's loss on this election. *)
Theorem logistic_not_consistent :
  is_distribution m p /\\ ~ consistent_at (edge_loss identity logistic m p) p /\\
  (forall x y, (x < y < m)%nat ->
    above m (aggregate p) logistic (nth x learned m) (nth y learned m)) /\\
  forall alpha,
    (forall beta, edge_loss identity logistic m p alpha <= edge_loss identity logistic m p beta) ->
    alpha {w}%nat > alpha {l}%nat.
Proof.
  pose proof logistic_regular as R; pose proof logistic_even_plus_line as U.
  split; [exact p_distribution | split; [exact (not_consistent _ _ R U) | split]].
  - exact (learned_order _ _ R U).
  - exact (minimizers _ _ R U).
Qed.
"""

MINIMUM = """\
Lemma differences : {condition} m (aggregate p).
Proof. {how} Qed.

(* The scores, and the slopes of the loss at their differences, all over q. *)
Definition q : Z := {q}.
Definition scores_q : list Z := {scores}%Z.
Definition slopes_q : list (list Z) := {slopes}.
Lemma minimal : minimum_check m c {phi}_slope scores_q q (table slopes_q) = true.
Proof. vm_compute; reflexivity. Qed.
(* They minimize the risk, and are wrong about the edge from {i} to {j}. *)
Theorem replayed : is_distribution m p /\\ {condition} m (aggregate p) /\\
  minimizer m (aggregate p) {phi} (point scores_q q) /\\ ~ consistent_at (edge_loss identity {phi} m p) p.
Proof.
  split; [exact p_distribution | split; [exact differences | split]].
  - apply (minimum_sound m c valid {phi} {phi}_slope {phi}_slope_sound scores_q q _ minimal).
  - apply (minimum_inconsistent m c valid {phi} {phi}_slope {phi}_slope_sound rank scores_q q _ {i} {j} order
      minimal); [unfold m; lia .. | reflexivity | reflexivity].
Qed.
"""

SHOWN = {
    "additive": "apply (additive_sound m c valid); [unfold m; lia | vm_compute; reflexivity].",
    "acyclic_differences": "exact (order_sound m c valid rank order).",
}


def listed(values: Iterable[object]) -> str:
    """A list in Coq."""
    return "[" + "; ".join(map(str, values)) + "]"


def table(rows: Sequence[Sequence[int]]) -> str:
    """A table of whole numbers in Coq, a line for each row."""
    return "([\n  " + ";\n  ".join(listed(row) for row in rows) + " ])%Z"


def ranks(c: Sequence[Sequence[int]]) -> list[int]:
    """The length of the longest path of majorities to each item."""
    m = range(len(c))
    found = [0 for _ in m]
    for _ in m:
        for i in m:
            for j in m:
                if c[i][j] > c[j][i]:
                    found[j] = max(found[j], found[i] + 1)
    return found


def head(title: str, source: str, items: Sequence[str], c: Sequence[Sequence[int]]) -> str:
    """The counts, the distribution made from them, and that the difference graph has no cycle."""
    named = ",\n   ".join(f"{number} = {item}" for number, item in enumerate(items))
    return HEAD.format(
        title=title, source=source, items=named, m=len(items), rows=table(c), rank=listed(ranks(c))
    )


def election(name: str, title: str, winner: str, loser: str) -> str:
    """A profile at which a majority prefers `loser`, and every minimizer has `winner` above."""
    profile = read_profile(name)
    c = [[int(x) for x in row] for row in profile.wins]
    w, l = profile.items.index(winner), profile.items.index(loser)  # noqa: E741
    m = len(c)
    net = [sum(c[i]) - sum(row[i] for row in c) for i in range(m)]
    return head(title, name, profile.items, c) + ELECTION.format(
        winner=winner,
        loser=loser,
        most=c[l][w],
        fewest=c[w][l],
        w=w,
        l=l,
        pairs=m * (m - 1) // 2,
        learned=listed(sorted(range(m), key=lambda i: -net[i])),
    )


def replay(path: Path) -> str:
    """A file of the gallery: scores that minimize an edge loss and are wrong about an edge.

    The core checks the digest, the names, and that the preferences give these terms; the terms are compared
    with the counts here again. What is not covered is an InputError.
    """
    verified = verify_file(path)
    proof, phi = verified.proof, LOSSES.get(verified.surrogate)
    if phi is None or verified.surrogate not in verified.recomputed:
        raise InputError(f"{path.name} is about {verified.called}; replayed are {', '.join(LOSSES)}")
    if proof is None or not isinstance(proof.certificate, Minimum) or not verified.conditions["acyclic"]:
        raise InputError(f"{path.name} holds no minimum at acyclic differences, which is what is replayed")
    m = len(proof.coordinates)
    weights = {pair: Fraction(0) for pair in ((i, j) for i in range(m) for j in range(m))}
    for label in proof.labels:
        for pair, weight in label.prefers or ():
            weights[pair] += label.probability * weight
    slopes = dict.fromkeys(weights, Fraction(0))
    terms = dict.fromkeys(weights, Fraction(0))
    for atom, slope in zip(verified.atoms, proof.certificate.slopes, strict=True):
        i, j = (item for item, _ in sorted(atom.v, key=lambda entry: -entry[1]))
        slopes[i, j], terms[i, j] = slope, atom.c
    assert terms == weights
    whole, _ = integer_multiple(weights.values())
    c = [whole[i * m : (i + 1) * m] for i in range(m)]
    scores = [score.a for score in verified.scores]
    q = lcm(*(x.denominator for x in (*scores, *slopes.values())))
    i, j = next(
        (i, j)
        for i, j in slopes
        if c[i][j] > c[j][i] and (scores[i] < scores[j] or (scores[i] == scores[j] and i < j))
    )
    condition = "additive" if verified.conditions["additive"] else "acyclic_differences"
    title = f"The gallery's {path.name}: {verified.sentence}."
    return head(title, f"counterexamples/{path.name}", proof.coordinates, c) + MINIMUM.format(
        condition=condition,
        how=SHOWN[condition],
        q=q,
        scores=listed(int(q * x) for x in scores),
        slopes=table([[int(q * slopes[i, j]) for j in range(m)] for i in range(m)]),
        phi=phi,
        i=i,
        j=j,
    )


def files() -> dict[str, str]:
    """What stands in formal/data."""
    title = "San Francisco 2008, Supervisor, District 1: the logistic loss against a majority."
    return {
        "SanFrancisco": election("san-francisco.csv", title, "Sue Lee", "Eric Mar"),
        **{called: replay(ROOT / "counterexamples" / name) for called, name in GALLERY.items()},
    }


if __name__ == "__main__":
    for given in sys.argv[1:]:
        try:
            sys.stdout.write(replay(Path(given)))
        except (InputError, RejectedError) as error:
            sys.exit(str(error))
    for called, content in ({} if sys.argv[1:] else files()).items():
        (DATA / f"{called}.v").write_text(content, encoding="utf-8")
