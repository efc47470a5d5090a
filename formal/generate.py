"""Writes formal/data: an election and files of the gallery, as statements that Coq proves.

What they say is checked by Coq alone: a wrong number makes `make formal` fail.
"""

from pathlib import Path

from consistency_lab.apps.book.coq.export import coq
from consistency_lab.apps.book.coq.preferences import ranks
from consistency_lab.apps.book.coq.source import listed, table
from consistency_lab.data.profile import read_profile

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "formal" / "data"
GALLERY = {
    "HingeTie": "hinge-additive-3items-578dc29e.json",
    "LogisticInversion": "logistic-additive-3items-ca20d338.json",
    "SquaredHinge": "squared-hinge-additive-3items-4b51e9d6.json",
    "SoftmaxNDCG": "libraries/ndcg-012-softmax.json",
    "ApproximateNDCG": "libraries/pairwise-012-approx-ndcg-10.json",
}
ELECTION = """\
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


def election(name: str, title: str, winner: str, loser: str) -> str:
    """A profile at which a majority prefers `loser`, and every minimizer has `winner` above."""
    profile = read_profile(name)
    c = [[int(x) for x in row] for row in profile.wins]
    w, l = profile.items.index(winner), profile.items.index(loser)  # noqa: E741
    m = len(c)
    net = [sum(c[i]) - sum(row[i] for row in c) for i in range(m)]
    return ELECTION.format(
        title=title,
        source=name,
        items=",\n   ".join(f"{number} = {item}" for number, item in enumerate(profile.items)),
        m=m,
        rows=table(c),
        rank=listed(ranks(c)),
        winner=winner,
        loser=loser,
        most=c[l][w],
        fewest=c[w][l],
        w=w,
        l=l,
        pairs=m * (m - 1) // 2,
        learned=listed(sorted(range(m), key=lambda i: -net[i])),
    )


def files() -> dict[str, str]:
    """What stands in formal/data."""
    title = "San Francisco 2008, Supervisor, District 1: the logistic loss against a majority."
    return {
        "SanFrancisco": election("san-francisco.csv", title, "Sue Lee", "Eric Mar"),
        **{called: coq(ROOT / "counterexamples" / name) for called, name in GALLERY.items()},
    }


if __name__ == "__main__":
    for called, content in files().items():
        (DATA / f"{called}.v").write_text(content, encoding="utf-8")
