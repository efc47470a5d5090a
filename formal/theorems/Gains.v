(* DMJ13, NDCG and other gains by position: a ranking earns the sum over positions t of F(t) times the mean gain of the
   item there. For a discount F that does not rise, sorting items by their mean gains earns most, whatever the number of
   items and however ties are broken; if F falls strictly, every ranking that earns most is sorted. So scores rank
   optimally for NDCG if they order items by their means of gain over normalizer; and Zhang's loss makes them do so. *)
From ConsistencyLab.base Require Import Prelude Sums Ranking Orders Convex Descent Near.
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
      rewrite E in D; rewrite (place_at a i k D); lia.
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

(* With the means theta its risk is the sum over i and j of theta_i phi(alpha_i - alpha_j). Its derivative in alpha_i is
   theta_i A(alpha_i) - B(alpha_i), where A does not fall and B does not rise. *)
Definition zhang (theta : scores) : matrix := fun i _ => theta i.
Section Zhang.
Variables (m : nat) (theta : scores) (phi g : R -> R) (b : R).
Hypotheses (reg : regular phi g) (below : forall x, b <= phi x).
Hypothesis means : forall i, (i < m)%nat -> 0 <= theta i.
Theorem zhang_orders i j : (i < m)%nat -> (j < m)%nat -> theta j < theta i -> separated m (zhang theta) phi i j.
Proof.
  intros Hi Hj H; destruct (regular_slopes phi g reg) as (D & mono & g0); set (T := sum theta m).
  assert (HT : theta i <= T) by (unfold T; rewrite <- (sum_delta theta m i Hi); apply sum_le; intros k Hk;
    specialize (means k Hk); destruct (k =? i)%nat; lra).
  pose proof (means j Hj) as Tj; assert (Pc : 0 < (theta i - theta j) * (- g 0 / 2)) by nra.
  apply (steep m (zhang theta) (fun k l Hk _ => means k Hk) phi g b reg below _ 2 (fun alpha => alpha i <= alpha j) Pc).
  intros alpha C; set (A := fun x => sum (fun l => g (x - alpha l)) m).
  set (B := fun x => sum (fun l => theta l * g (alpha l - x)) m).
  assert (E : forall k, push m (zhang theta) g alpha k = theta k * A (alpha k) - B (alpha k)).
  { intros k; unfold push, A, B, zhang; rewrite <- sum_scal, <- sum_minus; reflexivity. }
  assert (MA : forall x y, x <= y -> A x <= A y) by (intros; apply sum_le; intros; apply mono; lra).
  assert (MB : forall x y, x <= y -> B y <= B x).
  { intros x y L; apply sum_le; intros l Hl; apply Rmult_le_compat_l; [auto | apply mono; lra]. }
  destruct (Rle_lt_dec (A (alpha i)) (g 0 / 2)) as [L | L].
  - exists (lift 1 1 i j); split; [intros; replace 2 with (1 + 1) by ring; apply lift_bound; lra |].
    rewrite slope_lift, !E by assumption; pose proof (MA _ _ C); pose proof (MB _ _ C); nra.
  - destruct (top_item alpha m ltac:(lia)) as (t & Ht & Top); exists (lift 0 1 i t); split.
    + intros k l; apply Rle_trans with (0 + 1); [apply lift_bound |]; lra.
    + rewrite slope_lift, !E by assumption; pose proof (MA _ _ (Top i Hi)); pose proof (means t Ht).
      assert (BT : B (alpha t) <= T * g 0).
      { unfold B, T; rewrite Rmult_comm, <- sum_scal; apply sum_le; intros l Hl; rewrite Rmult_comm.
        apply Rmult_le_compat_r; [auto |]; apply mono; specialize (Top l Hl); lra. }
      assert (theta t <= T) by (unfold T; rewrite <- (sum_delta theta m t Ht); apply sum_le; intros k Hk;
        specialize (means k Hk); destruct (k =? t)%nat; lra).
      nra.
Qed.
End Zhang.
