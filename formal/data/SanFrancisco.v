(* San Francisco 2008, Supervisor, District 1: the logistic loss against a majority.
   Written by formal/generate.py from san-francisco.csv. Its items are
   0 = Eric Mar,
   1 = Alicia Wang,
   2 = Jason Jungreis,
   3 = Brian J. Larkin,
   4 = Sue Lee,
   5 = Sherman R. D'Silva,
   6 = George Flamik,
   7 = Fidel Chrys Gakuba,
   8 = Nicholas C. Belloni,
   9 = Write-In. *)
From Coq Require Import Reals Lra Lia Arith List ZArith Bool.
From ConsistencyLab.base Require Import Ranking Convex Scalars Descent Aggregate Consistency.
From ConsistencyLab.check Require Import Counts.
Import ListNotations.
Open Scope R_scope.

Definition m : nat := 10.
Definition rows : list (list Z) := ([
  [0; 14166; 17068; 16996; 13214; 17209; 17192; 17115; 17139; 17287];
  [10051; 0; 16005; 15879; 8256; 16187; 16164; 16059; 16002; 16290];
  [1853; 1789; 0; 2473; 1773; 2662; 2624; 2634; 2593; 2730];
  [2910; 2576; 3668; 0; 2614; 3842; 3714; 3806; 3645; 3934];
  [12782; 13622; 17931; 17893; 0; 18181; 18146; 18048; 18015; 18273];
  [994; 1016; 1270; 1168; 960; 0; 1275; 1308; 1217; 1377];
  [1532; 1365; 1793; 1509; 1269; 1846; 0; 1851; 1771; 1940];
  [1522; 1443; 2034; 1989; 1339; 2098; 2043; 0; 2002; 2176];
  [2119; 2053; 2910; 2703; 1935; 2908; 2905; 2902; 0; 3076];
  [87; 124; 149; 150; 109; 153; 153; 149; 147; 0] ])%Z.
Definition c : nat -> nat -> Z := table rows.
Definition p : distribution := of_counts m c.
Lemma valid : counts_check m c = true.
Proof. vm_compute; reflexivity. Qed.
Lemma p_distribution : is_distribution m p.
Proof. apply of_counts_distribution. Qed.
(* Every majority goes up in rank. *)
Definition rank : list nat := [0; 2; 5; 3; 1; 8; 7; 6; 4; 9]%nat.
Lemma order : order_check m c rank = true.
Proof. vm_compute; reflexivity. Qed.

Section EveryLoss.
Variables phi g : R -> R.
Hypothesis reg : regular phi g.
Hypothesis U : even_plus_line g.
(* Sue Lee is strictly above Eric Mar, by Theorem R. *)
Lemma first_pair : above m (aggregate p) phi 4 0.
Proof.
  apply (gap_sound m c valid 1 1 4 0 phi g reg U); [unfold m; lia .. | vm_compute; reflexivity].
Qed.
(* Every minimizer has Sue Lee above Eric Mar, though 13214 to 12782 prefer Eric Mar. *)
Theorem minimizers alpha :
  (forall beta, edge_loss identity phi m p alpha <= edge_loss identity phi m p beta) ->
  alpha 4%nat > alpha 0%nat.
Proof.
  intros M; apply (above_minimizer m (aggregate p) phi _ _ _ first_pair); intros beta.
  rewrite <- !(edge_loss_risk m) by apply distribution_well_formed, p_distribution; apply M.
Qed.
Theorem not_consistent : ~ consistent_at (edge_loss identity phi m p) p.
Proof.
  apply (inconsistent_sound m c valid rank 4 0 phi order);
  [unfold m; lia .. | reflexivity | exact first_pair].
Qed.
(* The ranking that every minimizer has: each of its 45 pairs is proved. *)
Definition learned : list nat := [4; 0; 1; 3; 8; 2; 7; 6; 5; 9]%nat.
Lemma learned_checked : ranking_check m c learned = true.
Proof. vm_compute; reflexivity. Qed.
Theorem learned_order x y : (x < y < m)%nat ->
  above m (aggregate p) phi (nth x learned m) (nth y learned m).
Proof. exact (ranking_sound m c learned phi g valid learned_checked reg U x y). Qed.
End EveryLoss.
(* RankNet's loss on this election. *)
Theorem logistic_not_consistent :
  is_distribution m p /\ ~ consistent_at (edge_loss identity logistic m p) p /\
  (forall x y, (x < y < m)%nat ->
    above m (aggregate p) logistic (nth x learned m) (nth y learned m)) /\
  forall alpha,
    (forall beta, edge_loss identity logistic m p alpha <= edge_loss identity logistic m p beta) ->
    alpha 4%nat > alpha 0%nat.
Proof.
  pose proof logistic_regular as R; pose proof logistic_even_plus_line as U.
  split; [exact p_distribution | split; [exact (not_consistent _ _ R U) | split]].
  - exact (learned_order _ _ R U).
  - exact (minimizers _ _ R U).
Qed.
