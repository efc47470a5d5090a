(* RankSVM's hinge loss can invert an edge strictly under additive differences, at every number of items from
   four on: not only at some minimizer, but at all scores whose risk is near the minimum. *)
From Coq Require Import ZArith.
From ConsistencyLab.base Require Import Prelude Sums Ranking Scalars Descent Aggregate Consistency.
Open Scope R_scope.

(* Grades y_i, whose differences are the d_ij, and weights on four items. Every further item comes last:
   those before it beat it as often as the difference is, and never lose. *)
Definition y (i : nat) : Z := (match i with 0%nat => 8 | 1%nat => 7 | 2%nat => 5 | _ => 3 - Z.of_nat i end)%Z.
Definition c (i j : nat) : Z := if ((i <? 4) && (j <? 4))%nat%bool
  then nth j (nth i [[0; 1; 3; 13]; [0; 0; 2; 7]; [0; 0; 0; 5]; [5; 0; 0; 0]]%Z []) 0%Z
  else if (i <? j)%nat then (y i - y j)%Z else 0%Z.
Definition p (m : nat) : distribution := of_matrix m (fun i j => IZR (c i j)).
(* They minimize the risk, and put the item 1 above 0. *)
Definition hat : scores := fun i => IZR (match i with 0%nat => 1 | 1%nat => 2 | 2%nat => 1 | _ => 3 - Z.of_nat i end).

Ltac four i := destruct i as [|[|[|[|i]]]].
Ltac cases i j := four i; four j; cbn [nth]; repeat match goal with
  | |- context [(?u <? ?v)%nat] => destruct (Nat.ltb_spec u v); cbn [andb] end; try lia.
Lemma c_nonneg i j : (0 <= c i j)%Z.
Proof. unfold c, y; cases i j. Qed.
Lemma c_diagonal i j : i = j -> c i j = 0%Z.
Proof. intros ->; unfold c; rewrite Nat.ltb_irrefl; four j; reflexivity. Qed.
Lemma c_difference i j : (c i j - c j i = y i - y j)%Z.
Proof. unfold c, y; cases i j. Qed.
Lemma c_far i j : (4 <= i \/ 4 <= j)%nat -> c i j = 0%Z \/ hat i - hat j >= 1.
Proof.
  intros H; unfold c, hat; rewrite <- minus_IZR; cases i j; try (left; reflexivity); right; apply Rle_ge, IZR_le; lia.
Qed.

Section Items.
Variable m : nat.
Hypothesis M : (4 <= m)%nat.
Lemma aggregate_p i j : (i < m)%nat -> (j < m)%nat -> aggregate (p m) i j = IZR (c i j).
Proof. intros; apply aggregate_of_matrix; auto; [apply IZR_le, c_nonneg | intros E; now rewrite c_diagonal]. Qed.
Lemma p_distribution : is_distribution m (p m).
Proof. apply of_matrix_distribution. Qed.
Lemma p_additive : additive m (aggregate (p m)).
Proof.
  exists (fun i => IZR (y i)); intros i j Hi Hj; unfold difference; rewrite !aggregate_p, <- !minus_IZR by assumption.
  apply IZR_eq, c_difference.
Qed.
Lemma first_edge : 0 < diff (p m) 0 1.
Proof. unfold difference; rewrite !aggregate_p by lia; cbn; lra. Qed.

(* The risk on four items. *)
Definition four_items (alpha : scores) :=
  1 * hinge (alpha 0%nat - alpha 1%nat) + 3 * hinge (alpha 0%nat - alpha 2%nat) + 13 * hinge (alpha 0%nat - alpha 3%nat)
  + 2 * hinge (alpha 1%nat - alpha 2%nat) + 7 * hinge (alpha 1%nat - alpha 3%nat)
  + 5 * hinge (alpha 2%nat - alpha 3%nat) + 5 * hinge (alpha 3%nat - alpha 0%nat).
Lemma risk_p alpha : edge_loss identity hinge m (p m) alpha =
  sum (fun i => sum (fun j => IZR (c i j) * hinge (alpha i - alpha j)) m) m.
Proof.
  rewrite edge_loss_risk by apply distribution_well_formed, p_distribution.
  apply sum_ext; intros; apply sum_ext; intros; now rewrite aggregate_p.
Qed.
(* Further items never lower it, and at [hat] they add nothing. *)
Lemma risk_at_least alpha : four_items alpha <= edge_loss identity hinge m (p m) alpha.
Proof.
  rewrite risk_p; set (t := fun i j => IZR (c i j) * hinge (alpha i - alpha j)).
  assert (T : forall i j, 0 <= t i j) by (intros; apply Rmult_le_pos; [apply (IZR_le 0), c_nonneg | apply Rmax_l]).
  apply Rle_trans with (sum (fun i => sum (t i) 4) 4); [unfold t, four_items; cbn; lra |].
  apply Rle_trans with (sum (fun i => sum (t i) 4) m); [apply sum_more | apply sum_le; intros; apply sum_more]; auto;
    intros; [apply sum_nonneg; auto | apply T].
Qed.
Lemma cost_hat : edge_loss identity hinge m (p m) hat = 15.
Proof.
  assert (Z : forall i j, (4 <= i \/ 4 <= j)%nat -> IZR (c i j) * hinge (hat i - hat j) = 0).
  { intros i j H; destruct (c_far i j H) as [-> | F]; [ring |]; unfold hinge; rewrite hinge_right by lra; ring. }
  rewrite risk_p, (sum_few _ 4 m M) by (intros k Hk; rewrite <- (sum_zero m); apply sum_ext; intros; apply Z; auto).
  transitivity (sum (fun i => sum (fun j => IZR (c i j) * hinge (hat i - hat j)) 4) 4);
    [apply sum_ext; intros; apply (sum_few _ 4 m M); intros; apply Z; auto |].
  transitivity (four_items hat); [unfold four_items; cbn; lra |]; unfold four_items, hat, hinge, Rmax; cbn.
  repeat (destruct (Rle_dec _ _); try (exfalso; lra)); lra.
Qed.

Ltac lines := repeat match goal with |- context [hinge ?x] =>
  let h := fresh "h" in pose proof (Rmax_l 0 (1 - x) : 0 <= hinge x);
    pose proof (Rmax_r 0 (1 - x) : 1 - x <= hinge x); generalize dependent (hinge x) end.
(* The minimum is 15, and everything within 1 of it inverts the edge from 0 to 1. *)
Theorem hinge_inverts : is_distribution m (p m) /\ additive m (aggregate (p m)) /\ 0 < diff (p m) 0 1 /\
  (exists alpha, forall beta, edge_loss identity hinge m (p m) alpha <= edge_loss identity hinge m (p m) beta) /\
  (forall alpha, edge_loss identity hinge m (p m) alpha < edge_loss identity hinge m (p m) hat + 1 ->
    alpha 0%nat < alpha 1%nat).
Proof.
  split; [exact p_distribution | split; [exact p_additive | split; [exact first_edge |]]]; rewrite cost_hat; split.
  - exists hat; intros beta; rewrite cost_hat; eapply Rle_trans; [| apply risk_at_least]; unfold four_items; lines;
      intros; lra.
  - intros alpha H; destruct (Rlt_le_dec (alpha 0%nat) (alpha 1%nat)) as [| C]; [assumption | exfalso].
    pose proof (risk_at_least alpha) as B; revert B; unfold four_items; lines; intros; lra.
Qed.
(* So the hinge is not edge-consistent there. *)
Corollary hinge_additive_inconsistent : ~ consistent_at (edge_loss identity hinge m (p m)) (p m).
Proof.
  destruct hinge_inverts as (HD & Add & P & (alpha & Min) & Near); apply (separation _ _ alpha); [| intros; apply Min].
  intros HA; apply (A_weak m (p m) 0 1) in HA; [| assumption | | lia | lia | exact P].
  - specialize (Near alpha); specialize (Min hat); lra.
  - destruct Add as (z & Add); exists z; intros i j Hi Hj; rewrite Add by assumption; lra.
Qed.
End Items.
