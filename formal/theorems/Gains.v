(* DMJ13, NDCG and other gains by position: a ranking earns the sum over positions t of F(t) times the mean gain of the
   item there. For a discount F that does not rise, sorting items by their mean gains earns most, whatever the number of
   items and however ties are broken; if F falls strictly, every ranking that earns most is sorted. So scores rank
   optimally for NDCG if they order items by their means of gain over normalizer; and Zhang's loss makes them do so. *)
From Coq Require Import Reals Lra Lia Arith List Permutation Sorted.
From ConsistencyLab.base Require Import Sums Ranking Orders Convex Descent Near.
From ConsistencyLab.theorems Require Import Domination.
Import ListNotations.
Open Scope R_scope.

(* What a ranking of items earns. *)
Fixpoint earned (F v : nat -> R) (l : list nat) : R :=
  match l with [] => 0 | i :: t => F 0%nat * v i + earned (fun t => F (S t)) v t end.
Definition not_rising (F : nat -> R) := forall t, F (S t) <= F t.
Definition falling (F : nat -> R) := forall t, F (S t) < F t.

(* With F of the place of each item, counted from 1. *)
Lemma earned_places r F v l : ranking r l -> sum (fun i => v i * F (place l i)) r = earned (fun t => F (S t)) v l.
Proof.
  intros Rl; pose proof (ranking_nodup r l Rl) as D; rewrite <- (total_ranking _ r l Rl).
  assert (H : forall k a G, l = a ++ k -> (forall t, G t = F (S (length a + t))) ->
    total (fun i => v i * F (place l i)) k = earned G v k).
  { induction k as [| i k IH]; intros a G E HG; cbn [total earned]; [reflexivity |]; f_equal.
    - rewrite HG, Rmult_comm, E; f_equal; f_equal.
      rewrite E in D; apply NoDup_remove_2 in D; rewrite place_after, place_first; [lia |].
      intros I; apply D, in_or_app; auto.
    - apply (IH (a ++ [i])); [now rewrite <- app_assoc | intros t; rewrite HG, app_length; f_equal; cbn; lia]. }
  apply (H l []); [reflexivity | intros; reflexivity].
Qed.
(* What exchanging neighbors earns. *)
Lemma exchange v i j b a : forall F, earned F v (a ++ i :: j :: b) =
  earned F v (a ++ j :: i :: b) + (F (length a) - F (S (length a))) * (v i - v j).
Proof. induction a as [| y a IH]; intros F; cbn [app earned length]; [ring | rewrite IH; ring]. Qed.
Theorem sorting_is_optimal v l : forall F l', not_rising F -> sorted_by v l -> Permutation l l' ->
  earned F v l' <= earned F v l.
Proof.
  intros F l' HF So P; apply Ropp_le_cancel.
  apply (bubble_sort (fun i j => v j <= v i) (fun l => - earned F v l) l); [| exact So | exact P].
  intros a i j b L _; rewrite exchange; pose proof (HF (length a)); nra.
Qed.

Theorem only_sorting_is_optimal F v l : falling F ->
  (forall l', Permutation l l' -> earned F v l' <= earned F v l) -> sorted_by v l.
Proof.
  intros HF Best; apply (only_sorted v (fun l => - earned F v l)).
  - intros a i j b _ L; rewrite (exchange v i j); pose proof (HF (length a)); nra.
  - intros l' P; apply Ropp_le_contravar, Best, P.
Qed.

(* --- Zhang's loss ------------------------------------------------------------------------------------------ *)

(* With the means theta its risk is the sum over i and j of theta_i phi(alpha_i - alpha_j), so the item of larger mean
   dominates. *)
Definition zhang (theta : scores) : matrix := fun i _ => theta i.
Section Zhang.
Variables (m : nat) (theta : scores) (phi g : R -> R) (b : R).
Hypothesis reg : regular phi g.
Hypothesis below : forall x, b <= phi x.
Hypothesis means : forall i, (i < m)%nat -> 0 <= theta i.
Theorem zhang_orders i j : (i < m)%nat -> (j < m)%nat -> theta j < theta i -> separated m (zhang theta) phi i j.
Proof.
  intros Hi Hj H; apply (D_separated m _ (fun i j Hi _ => means i Hi) phi g reg b below 1); auto; [lra | intros ->;
    lra |].
  split; [exact H |]; intros k Hk Ki Kj; unfold zhang; lra.
Qed.
(* Whatever comes near the infimum sorts items by their means, however its ties are broken. *)
Theorem zhang_sorts : exists c, 0 < c /\ forall alpha,
  (forall beta, risk m (zhang theta) phi alpha < risk m (zhang theta) phi beta + c) ->
  forall l, Permutation (seq 0 m) l -> sorted_by alpha l -> sorted_by theta l.
Proof.
  set (near := fun i j c => theta j < theta i -> forall alpha, alpha i <= alpha j ->
    exists beta, risk m (zhang theta) phi beta + c <= risk m (zhang theta) phi alpha).
  assert (mono : forall i j x y, near i j x -> 0 < y <= x -> near i j y).
  { intros i j x y H L T alpha C; destruct (H T alpha C) as (beta & B); exists beta; lra. }
  destruct (finite_min (fun i c => forall j, (j < m)%nat -> near i j c) m) as (c & Hc & H).
  { intros i x y H L j Hj; apply (mono i j x y); auto. }
  { intros i Hi; apply (finite_min (fun j c => near i j c)); [intros; apply (mono i k x y); auto |].
    intros j Hj; destruct (Rlt_le_dec (theta j) (theta i)) as [T | T].
    - destruct (zhang_orders i j Hi Hj T) as (c & Hc & K); exists c; split; [exact Hc | intros _; exact K].
    - exists 1; split; [lra | intros T'; lra]. }
  exists c; split; [exact Hc |]; intros alpha Near l Pl So.
  assert (In_l : forall i, In i l -> (i < m)%nat).
  { intros i I; apply (Permutation_in i (Permutation_sym Pl)), in_seq in I; lia. }
  clear Pl; induction So as [| i t St IH Hi]; constructor.
  - apply IH; intros k I; apply In_l; right; exact I.
  - apply Forall_forall; intros j I; rewrite Forall_forall in Hi; specialize (Hi j I).
    destruct (Rle_lt_dec (theta j) (theta i)) as [| T]; [assumption | exfalso].
    assert (Lj : (j < m)%nat) by (apply In_l; right; exact I); assert (Li : (i < m)%nat) by (apply In_l; left;
      reflexivity).
    destruct (H j Lj i Li T alpha Hi) as (beta & B); specialize (Near beta); lra.
Qed.
(* So it earns most. *)
Theorem zhang_ndcg_consistent : exists c, 0 < c /\ forall alpha,
  (forall beta, risk m (zhang theta) phi alpha < risk m (zhang theta) phi beta + c) ->
  forall F l l', not_rising F -> Permutation (seq 0 m) l -> sorted_by alpha l -> Permutation l l' ->
  earned F theta l' <= earned F theta l.
Proof.
  destruct zhang_sorts as (c & Hc & H); exists c; split; [exact Hc |]; intros alpha Near F l l' HF Pl So P.
  apply (sorting_is_optimal theta l F l' HF); [exact (H alpha Near l Pl So) | exact P].
Qed.
End Zhang.
