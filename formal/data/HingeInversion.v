(* hinge-additive-4items-7618c5b7.json: a minimizer of W is certainly outside A(p).
   Written by consistency-lab export from hinge-additive-4items-7618c5b7.json. Its items are
   0 = 1,
   1 = 2,
   2 = 3,
   3 = 4. *)
From Coq Require Import Reals Lra Lia Arith List ZArith Bool.
From ConsistencyLab.base Require Import Ranking Convex Scalars Descent Aggregate Consistency.
From ConsistencyLab.check Require Import Counts.
Import ListNotations.
Open Scope R_scope.

Definition m : nat := 4.
Definition rows : list (list Z) := ([
  [0; 1; 2; 8];
  [0; 0; 1; 4];
  [0; 0; 0; 3];
  [3; 0; 0; 0] ])%Z.
Definition c : nat -> nat -> Z := table rows.
Definition p : distribution := of_counts m c.
Lemma valid : counts_check m c = true.
Proof. vm_compute; reflexivity. Qed.
Lemma p_distribution : is_distribution m p.
Proof. apply of_counts_distribution. Qed.
(* Every majority goes up in rank. *)
Definition rank : list nat := [0; 1; 2; 3]%nat.
Lemma order : order_check m c rank = true.
Proof. vm_compute; reflexivity. Qed.
Lemma differences : additive m (aggregate p).
Proof. apply (additive_sound m c valid); [unfold m; lia | vm_compute; reflexivity]. Qed.

(* The scores, and the slopes of the loss at their differences, all over q. *)
Definition q : Z := 1.
Definition scores_q : list Z := [1; 2; 1; 0]%Z.
Definition slopes_q : list (list Z) := ([
  [0; -1; -1; 0];
  [0; 0; -1; 0];
  [0; 0; 0; -1];
  [-1; 0; 0; 0] ])%Z.
Lemma minimal : minimum_check m c hinge_slope scores_q q (table slopes_q) = true.
Proof. vm_compute; reflexivity. Qed.
(* They minimize the risk, and are wrong about the edge from 0 to 1. *)
Theorem replayed : is_distribution m p /\ additive m (aggregate p) /\
  minimizer m (aggregate p) hinge (point scores_q q) /\ ~ consistent_at (edge_loss identity hinge m p) p.
Proof.
  split; [exact p_distribution | split; [exact differences | split]].
  - apply (minimum_sound m c valid hinge hinge_slope hinge_slope_sound scores_q q _ minimal).
  - apply (minimum_inconsistent m c valid hinge hinge_slope hinge_slope_sound rank scores_q q _ 0 1 order
      minimal); [unfold m; lia .. | reflexivity | reflexivity].
Qed.
