(* DMJ10 Lemma 3: the least surrogate risk depends continuously on the probabilities of finitely many graphs, attained
   or not. The losses of the graphs may be any functions that are bounded below. *)
From ConsistencyLab.base Require Import Prelude Sums Ranking Convex Descent Near.
Open Scope R_scope.

Definition simplex (n : nat) (p : nat -> R) := (forall k, (k < n)%nat -> 0 <= p k) /\ sum p n = 1.
Definition mixed {X} (n : nat) (F : nat -> X -> R) (p : nat -> R) (x : X) := sum (fun k => p k * F k x) n.
Theorem lemma_3 (X : Type) n (F : nat -> X -> R) b p w : (forall k x, b <= F k x) -> simplex n p -> infimum (mixed n F p) w ->
  forall e, 0 < e -> exists d, 0 < d /\ forall q v, simplex n q -> (forall k, (k < n)%nat -> Rabs (q k - p k) < d) ->
  infimum (mixed n F q) v -> Rabs (v - w) < e.
Proof.
  intros B [P0 P1] [Low Near] e He; destruct (Near (e / 2) ltac:(lra)) as (x & Hx).
  assert (Wb : b <= w).
  { apply Rnot_lt_le; intros L; destruct (Near (b - w) ltac:(lra)) as (y & Hy); apply (Rlt_not_le _ _ Hy).
    replace (w + (b - w)) with (sum (fun k => b * p k) n) by (rewrite sum_scal, P1; ring).
    apply sum_le; intros k Hk; specialize (P0 k Hk); specialize (B k y); nra. }
  set (t := e / 2 / (w - b + 1)); assert (Et : t * (w - b + 1) = e / 2) by (unfold t; field; lra).
  assert (Pt : 0 < t) by (apply Rdiv_lt_0_compat; lra).
  destruct (least_positive (fun k _ => t * p k) n) as (d1 & D1 & H1).
  set (S := sum (fun k => Rabs (F k x)) n); assert (S0 : 0 <= S) by (apply sum_nonneg; intros; apply Rabs_pos).
  set (d2 := e / 2 / (S + 1)); assert (E2 : d2 * (S + 1) = e / 2) by (unfold d2; field; lra).
  assert (D2 : 0 < d2) by (apply Rdiv_lt_0_compat; lra).
  exists (Rmin d1 d2); split; [apply Rmin_pos; assumption |]; intros q v [Q0 Q1] Q [LowQ NearQ].
  pose proof (Rmin_l d1 d2); pose proof (Rmin_r d1 d2).
  assert (Above : v < w + e).
  { apply Rle_lt_trans with (mixed n F q x); [apply LowQ |].
    assert (K : mixed n F q x <= mixed n F p x + d2 * S); [| nra].
    unfold mixed, S; rewrite <- sum_scal, <- sum_plus; apply sum_le; intros k Hk; specialize (Q k Hk).
    assert (T : (q k - p k) * F k x <= d2 * Rabs (F k x)); [| lra].
    eapply Rle_trans; [apply Rle_abs |]; rewrite Rabs_mult; apply Rmult_le_compat_r; [apply Rabs_pos | lra]. }
  assert (Below : forall y, w - e / 2 <= mixed n F q y).
  { intros y; specialize (Low y); assert (Split : forall r, sum r n = 1 ->
      mixed n F r y = b + sum (fun k => r k * (F k y - b)) n).
    { intros r R; transitivity (sum (fun k => b * r k + r k * (F k y - b)) n); [apply sum_ext; intros; ring |].
      rewrite sum_plus, sum_scal, R; ring. }
    rewrite !Split in * by assumption; set (Z := sum (fun k => p k * (F k y - b)) n) in *.
    assert (K : (1 - t) * Z <= sum (fun k => q k * (F k y - b)) n).
    { unfold Z; rewrite <- sum_scal; apply sum_le; intros k Hk; specialize (B k y); specialize (Q0 k Hk).
      assert ((1 - t) * p k <= q k); [| nra].
      destruct (P0 k Hk) as [Pk | <-]; [| lra]; specialize (H1 k Hk k Hk (Rmult_lt_0_compat _ _ Pt Pk)); specialize (Q k Hk); apply Rabs_def2 in Q; lra. }
    assert (0 <= sum (fun k => q k * (F k y - b)) n); [| nra].
    apply sum_nonneg; intros k Hk; specialize (B k y); specialize (Q0 k Hk); nra. }
  apply Rabs_def1; [lra |]; apply Rnot_le_lt; intros L; destruct (NearQ (e / 4) ltac:(lra)) as (y & Hy).
  specialize (Below y); lra.
Qed.
