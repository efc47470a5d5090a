(* DMJ10 Theorems 11 and 12 for every convex phi, kinks included: no edge loss and no margin loss is edge-consistent,
   neither under low noise nor under additive differences. Nothing is asked of phi'(0), of Assumption A or of
   minimizers, and of h only that h(a) >= 0 for some a > 0 (Theorem 11) or nothing (Theorem 12): not continuity, not
   monotonicity, not h(0) = 0. One distribution on three items, with four graphs of one edge each, refutes every phi
   that falls anywhere to the right of 0, by Lemma 10; two items refute the others. *)
From Coq Require Import Reals Lra Lia Arith List.
From ConsistencyLab.base Require Import Sums Ranking Convex Aggregate Consistency.
From ConsistencyLab.theorems Require Import Lemma10.
Import ListNotations.
Open Scope R_scope.

(* d_ij = y_i - y_j makes low noise an equality, so what fails under additive differences fails under low noise. *)
Lemma additive_low_noise m a : additive m a -> low_noise m a.
Proof. intros (y & H) i j k Hi Hj Hk _ _; rewrite !H by assumption; lra. Qed.
Lemma not_under_low_noise V : ~ consistent_under additive V -> ~ consistent_under low_noise V.
Proof. intros N H; apply N; intros m p HD HA; apply H; [assumption | apply additive_low_noise, HA]. Qed.
Lemma falls_or_not f : falls f \/ (forall x, 0 < x -> f 0 <= f x).
Proof.
  destruct (Classical_Prop.classic (falls f)) as [| N]; [now left | right; intros x Hx].
  destruct (Rle_lt_dec (f 0) (f x)); [assumption | destruct N; exists x; auto].
Qed.
(* Scores that respect the order 0, 1, 2, ... *)
Definition down : scores := fun i => - INR i.

Section OneWeight.
Variable a : R.
Hypothesis Pa : 0 < a.
(* Two items and one edge. *)
Definition two_items : distribution := [(1, [Edge 0 1 a])].
Lemma two_distribution : is_distribution 2 two_items.
Proof. split; [| cbn; lra]; repeat constructor; cbn; try lra; try lia; exists (fun i => i); repeat constructor. Qed.
Lemma two_additive : additive 2%nat (aggregate two_items).
Proof.
  exists (fun i => match i with 0%nat => a | _ => 0 end); intros [|[|i]] [|[|j]] Hi Hj; try lia.
  all: unfold difference, aggregate, mean, ind; cbn; lra.
Qed.
Lemma two_down : ordered_by down 2%nat (aggregate two_items).
Proof. intros [|[|i]] [|[|j]]; try lia; unfold difference, aggregate, mean, ind, down; cbn; lra. Qed.
Lemma two_A alpha : A two_items alpha -> alpha 1%nat < alpha 0%nat.
Proof.
  apply (A_strict 2 two_items down 0 1 alpha two_distribution two_down); [lia | lia |].
  unfold difference, aggregate, mean, ind; cbn; lra.
Qed.
(* A loss that does not fall to the right of 0 fails there. *)
Lemma two_fails V f : (forall alpha, V alpha = f (alpha 0%nat - alpha 1%nat)) -> (forall x, 0 < x -> f 0 <= f x) ->
  ~ consistent_at V two_items.
Proof.
  intros E F; apply matched; intros alpha HA; apply two_A in HA.
  exists (fun _ => 0); split; [intros HB; apply two_A in HB; lra |].
  rewrite !E; replace (0 - 0) with 0 by ring; apply F; lra.
Qed.

(* Three items and four graphs of one edge each. *)
Definition three_items : distribution :=
  [(3/16, [Edge 0 1 a]); (8/16, [Edge 0 2 a]); (1/16, [Edge 1 2 a]); (4/16, [Edge 2 0 a])].
Lemma three_distribution : is_distribution 3 three_items.
Proof.
  split; [| cbn; lra]; repeat apply Forall_cons; try apply Forall_nil; cbn [fst snd];
  (split; [lra | split; [repeat constructor; cbn; try lra; lia |]]).
  1-3: exists (fun i => i); repeat constructor; cbn; lia.
  exists (fun i => match i with 2%nat => 0%nat | _ => 2%nat end); repeat constructor; cbn; lia.
Qed.
Lemma three_additive : additive 3%nat (aggregate three_items).
Proof.
  exists (fun i => match i with 0%nat => 4 * (a / 16) | 1%nat => a / 16 | _ => 0 end).
  intros [|[|[|i]]] [|[|[|j]]] Hi Hj; try lia; unfold difference, aggregate, mean, ind; cbn; lra.
Qed.
Lemma three_down : ordered_by down 3%nat (aggregate three_items).
Proof. intros [|[|[|i]]] [|[|[|j]]] Hi Hj; try lia; unfold difference, aggregate, mean, ind, down; cbn; lra. Qed.
Lemma three_A alpha : A three_items alpha -> alpha 2%nat < alpha 1%nat < alpha 0%nat.
Proof.
  intros HA; split;
  [apply (A_strict 3 three_items down 1 2) | apply (A_strict 3 three_items down 0 1)];
  auto using three_distribution, three_down; unfold difference, aggregate, mean, ind; cbn; lra.
Qed.
(* What looks like one convex f at both distributions is not edge-consistent under additive differences. *)
Lemma no_convex_loss (V : surrogate) f : convex f ->
  (forall alpha, V 2%nat two_items alpha = f (alpha 0%nat - alpha 1%nat)) ->
  (forall alpha, V 3%nat three_items alpha = four_edges f (3/16) (8/16) (1/16) (4/16) alpha) ->
  ~ consistent_under additive V.
Proof.
  intros C E2 E3 H; destruct (falls_or_not f) as [F | F].
  - refine (lemma_10 f C F three_items _ (3/16) (8/16) (1/16) (4/16) _ _ _ _ _ three_A E3 (H 3%nat _
      three_distribution three_additive)); lra.
  - exact (two_fails _ f E2 F (H 2%nat _ two_distribution two_additive)).
Qed.
End OneWeight.

(* Edge losses (Eq. 9). *)
Theorem theorem_11_additive h phi : convex phi -> (exists a, 0 < a /\ 0 <= h a) ->
  ~ consistent_under additive (edge_loss h phi).
Proof.
  intros C (a & Pa & Ha); apply (no_convex_loss a Pa _ (fun x => h a * phi x)).
  - intros x y t Ht; pose proof (Rmult_le_compat_l (h a) _ _ Ha (C x y t Ht)); lra.
  - intros alpha; unfold edge_loss, mean, two_items; cbn; ring.
  - intros alpha; unfold edge_loss, mean, three_items, four_edges; cbn; ring.
Qed.
Theorem theorem_11 h phi : convex phi -> (exists a, 0 < a /\
  0 <= h a) -> ~ consistent_under low_noise (edge_loss h phi).
Proof. intros C H; apply not_under_low_noise, theorem_11_additive; assumption. Qed.

(* Margin losses. *)
Theorem theorem_12_additive h phi : convex phi -> ~ consistent_under additive (margin_loss h phi).
Proof.
  intros C; apply (no_convex_loss 1 Rlt_0_1 _ (fun x => phi (x - h 1))).
  - intros x y t Ht; replace (t * x + (1 - t) * y - h 1) with (t * (x - h 1) + (1 - t) * (y - h 1)) by ring; apply C;
      assumption.
  - intros alpha; unfold margin_loss, mean, two_items; cbn; ring.
  - intros alpha; unfold margin_loss, mean, three_items, four_edges; cbn; ring.
Qed.
Theorem theorem_12 h phi : convex phi -> ~ consistent_under low_noise (margin_loss h phi).
Proof. intros C; apply not_under_low_noise, theorem_12_additive; assumption. Qed.
