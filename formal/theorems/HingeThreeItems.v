(* With three items no minimizer of RankSVM's hinge loss inverts an edge of a difference graph without cycles, under any
   counts: an inversion takes four items (Hinge.v). If i is preferred to j and stands below, then moving i up and j down
   must not pay, and what holds them is a third item k with majorities for j over k and for k over i: a cycle. *)
From ConsistencyLab.base Require Import Prelude Sums Ranking Scalars Descent Aggregate.
Open Scope R_scope.

(* The slopes of the hinge to the right and to the left. *)
Definition up y := if Rlt_dec y 1 then -1 else 0.
Definition down y := if Rle_dec y 1 then 1 else 0.
Lemma hinge_up y : exists e, 0 < e /\ forall t, 0 < t <= e -> hinge (y + t) = hinge y + t * up y.
Proof.
  unfold up; destruct (Rlt_dec y 1).
  - exists (1 - y); split; [lra |]; intros t Ht; unfold hinge; rewrite !Rmax_right by lra; ring.
  - exists 1; split; [lra |]; intros t Ht; unfold hinge; rewrite !Rmax_left by lra; ring.
Qed.
Lemma hinge_down y : exists e, 0 < e /\ forall t, 0 < t <= e -> hinge (y - t) = hinge y + t * down y.
Proof.
  unfold down; destruct (Rle_dec y 1).
  - exists 1; split; [lra |]; intros t Ht; unfold hinge; rewrite !Rmax_right by lra; ring.
  - exists (y - 1); split; [lra |]; intros t Ht; unfold hinge; rewrite !Rmax_left by lra; ring.
Qed.
Lemma steps y1 y2 z1 z2 : exists t, 0 < t /\ hinge (y1 + t) = hinge y1 + t * up y1 /\
  hinge (y2 + t) = hinge y2 + t * up y2 /\
  hinge (z1 - t) = hinge z1 + t * down z1 /\ hinge (z2 - t) = hinge z2 + t * down z2.
Proof.
  destruct (hinge_up y1) as (e1 & P1 & H1), (hinge_up y2) as (e2 & P2 & H2).
  destruct (hinge_down z1) as (e3 & P3 & H3), (hinge_down z2) as (e4 & P4 & H4).
  exists (Rmin (Rmin e1 e2) (Rmin e3 e4)).
  pose proof (Rmin_l (Rmin e1 e2) (Rmin e3 e4)); pose proof (Rmin_r (Rmin e1 e2) (Rmin e3 e4)).
  pose proof (Rmin_l e1 e2); pose proof (Rmin_r e1 e2); pose proof (Rmin_l e3 e4); pose proof (Rmin_r e3 e4).
  assert (0 < Rmin (Rmin e1 e2) (Rmin e3 e4)) by (repeat apply Rmin_pos; assumption).
  split; [assumption |]; repeat split; [apply H1 | apply H2 | apply H3 | apply H4]; lra.
Qed.

Section ThreeItems.
Variables (a : matrix) (x : scores).
Hypotheses (counts : forall i j, (i < 3)%nat -> (j < 3)%nat -> 0 <= a i j) (min : minimizer 3 a hinge x).
(* The items i, j, k in any order. *)
Variables i j k : nat.
Hypotheses (Hi : (i < 3)%nat) (Hj : (j < 3)%nat) (Hk : (k < 3)%nat) (ij : i <> j) (ik : i <> k) (jk : j <> k).
Lemma risk_3 (y : scores) : risk 3 a hinge y = (a i i + a j j + a k k) * hinge 0
  + a i j * hinge (y i - y j) + a j i * hinge (y j - y i) + a i k * hinge (y i - y k) + a k i * hinge (y k - y i)
  + a j k * hinge (y j - y k) + a k j * hinge (y k - y j).
Proof.
  assert (E : forall u, hinge (u - u) = hinge 0) by (intros u; f_equal; ring).
  destruct i as [|[|[|i']]], j as [|[|[|j']]], k as [|[|[|k']]]; try lia; unfold risk; cbn [sum]; rewrite !E; ring.
Qed.
Lemma move_up : 0 <= a i j * up (x i - x j) + a j i * down (x j - x i) + a i k * up (x i - x k) + a k i * down (x k -
  x i).
Proof.
  destruct (steps (x i - x j) (x i - x k) (x j - x i) (x k - x i)) as (t & Pt & E1 & E2 & E3 & E4).
  pose proof (min (fun l => if (l =? i)%nat then x i + t else x l)) as M; rewrite !risk_3 in M;
    rewrite !Nat.eqb_refl in M.
  destruct (Nat.eqb_spec j i) as [| _]; [congruence |]; destruct (Nat.eqb_spec k i) as [| _]; [congruence |].
  replace (x i + t - x j) with (x i - x j + t) in M by ring; replace (x i + t - x k) with (x i - x k + t) in M by ring.
  replace (x j - (x i + t)) with (x j - x i - t) in M by ring;
    replace (x k - (x i + t)) with (x k - x i - t) in M by ring.
  rewrite E1, E2, E3, E4 in M; apply Rmult_le_reg_l with t; [exact Pt | lra].
Qed.
Lemma move_down : 0 <= a j i * down (x j - x i) + a i j * up (x i - x j) + a j k * down (x j - x k) + a k j * up (x k
  - x j).
Proof.
  destruct (steps (x i - x j) (x k - x j) (x j - x i) (x j - x k)) as (t & Pt & E1 & E2 & E3 & E4).
  pose proof (min (fun l => if (l =? j)%nat then x j - t else x l)) as M; rewrite !risk_3 in M;
    rewrite !Nat.eqb_refl in M.
  destruct (Nat.eqb_spec i j) as [| _]; [congruence |]; destruct (Nat.eqb_spec k j) as [| _]; [congruence |].
  replace (x i - (x j - t)) with (x i - x j + t) in M by ring;
    replace (x k - (x j - t)) with (x k - x j + t) in M by ring.
  replace (x j - t - x i) with (x j - x i - t) in M by ring; replace (x j - t - x k) with (x j - x k - t) in M by ring.
  rewrite E1, E2, E3, E4 in M; apply Rmult_le_reg_l with t; [exact Pt | lra].
Qed.
Lemma inversion_cycle : 0 < difference a i j -> x i < x j -> 0 < difference a j k /\ 0 < difference a k i.
Proof.
  unfold difference; intros P L; pose proof move_up as U; pose proof move_down as V; unfold up, down in U, V.
  pose proof (counts i j Hi Hj); pose proof (counts j i Hj Hi); pose proof (counts i k Hi Hk);
    pose proof (counts k i Hk Hi).
  pose proof (counts j k Hj Hk); pose proof (counts k j Hk Hj).
  repeat match goal with
  | H : context [Rlt_dec ?u ?v] |- _ => destruct (Rlt_dec u v)
  | H : context [Rle_dec ?u ?v] |- _ => destruct (Rle_dec u v)
  end; lra.
Qed.
End ThreeItems.

Theorem hinge_never_inverts a x i j : (forall i j, (i < 3)%nat -> (j < 3)%nat -> 0 <= a i j) ->
  acyclic_differences 3%nat a -> minimizer 3 a hinge x -> (i < 3)%nat -> (j < 3)%nat -> 0 < difference a i j ->
    x j <= x i.
Proof.
  intros counts (good & G) min Hi Hj P; destruct (Rle_lt_dec (x j) (x i)) as [| L]; [assumption | exfalso].
  assert (ij : i <> j) by (intros ->; lra); set (k := (3 - i - j)%nat).
  assert (K : (k < 3)%nat /\ i <> k /\ j <> k) by (unfold k; lia); destruct K as (Hk & ik & jk).
  destruct (inversion_cycle a x counts min i j k Hi Hj Hk ij ik jk P L) as [Q R].
  pose proof (G i j Hi Hj P); pose proof (G j k Hj Hk Q); pose proof (G k i Hk Hi R); lra.
Qed.
