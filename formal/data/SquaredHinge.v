(* squared-hinge-additive-3items-4b51e9d6.json: a minimizer of W is certainly outside A(p).
   Written by consistency-lab export from squared-hinge-additive-3items-4b51e9d6.json. Its items are
   0 = 1,
   1 = 2,
   2 = 3. *)
From Coq Require Import Reals Lra Lia Arith List ZArith Bool.
From ConsistencyLab.base Require Import Ranking Convex Scalars Descent Aggregate Consistency.
From ConsistencyLab.check Require Import Counts.
Import ListNotations.
Open Scope R_scope.

Definition m : nat := 3.
Definition rows : list (list Z) := ([
  [0; 1; 6];
  [0; 0; 2];
  [3; 0; 0] ])%Z.
Definition c : nat -> nat -> Z := table rows.
Definition p : distribution := of_counts m c.
Lemma valid : counts_check m c = true.
Proof. vm_compute; reflexivity. Qed.
Lemma p_distribution : is_distribution m p.
Proof. apply of_counts_distribution. Qed.
(* Every majority goes up in rank. *)
Definition rank : list nat := [0; 1; 2]%nat.
Lemma order : order_check m c rank = true.
Proof. vm_compute; reflexivity. Qed.
Lemma differences : additive m (aggregate p).
Proof. apply (additive_sound m c valid); [unfold m; lia | vm_compute; reflexivity]. Qed.

(* The scores, and the slopes of the loss at their differences, all over q. *)
Definition q : Z := 29.
Definition scores_q : list Z := [13; 14; 0]%Z.
Definition slopes_q : list (list Z) := ([
  [0; -60; -32];
  [0; 0; -30];
  [-84; 0; 0] ])%Z.
Lemma minimal : minimum_check m c squared_hinge_slope scores_q q (table slopes_q) = true.
Proof. vm_compute; reflexivity. Qed.
(* They minimize the risk, and are wrong about the edge from 0 to 1. *)
Theorem replayed : is_distribution m p /\ additive m (aggregate p) /\
  minimizer m (aggregate p) squared_hinge (point scores_q q) /\ ~ consistent_at (edge_loss identity squared_hinge m p) p.
Proof.
  split; [exact p_distribution | split; [exact differences | split]].
  - apply (minimum_sound m c valid squared_hinge squared_hinge_slope squared_hinge_slope_sound scores_q q _ minimal).
  - apply (minimum_inconsistent m c valid squared_hinge squared_hinge_slope squared_hinge_slope_sound rank scores_q q _ 0 1 order
      minimal); [unfold m; lia .. | reflexivity | reflexivity].
Qed.
