(* Definition 2 asks for more than right minimizers, and minimizers need not exist: the risk of all scores with alpha_i
   <= alpha_j must stay away from its infimum. For a regular phi a slope that is bounded away from 0 there suffices. *)
From Coq Require Import Classical_Prop.
From ConsistencyLab.base Require Import Prelude Sums Ranking Convex Descent.
Open Scope R_scope.

(* inf { W : alpha_i <= alpha_j } > inf W, said without infima. *)
Definition separated m a phi i j :=
  exists c, 0 < c /\ forall alpha, alpha i <= alpha j -> exists beta, risk m a phi beta + c <= risk m a phi alpha.

Definition infimum {X} (F : X -> R) (w : R) := (forall x, w <= F x) /\ forall e, 0 < e -> exists x, F x < w + e.
Definition bounded_below {X} (F : X -> R) := exists b, forall x, b <= F x.
Lemma infimum_exists {X} (F : X -> R) (x : X) : bounded_below F -> {w | infimum F w}.
Proof.
  intros H; destruct (completeness (fun v => exists y, v = - F y)) as (s & U & L).
  - destruct H as (b & B); exists (- b); intros v (y & ->); specialize (B y); lra.
  - exists (- F x), x; reflexivity.
  - exists (- s); split; [intros y; assert (- F y <= s) by (apply U; exists y; reflexivity); lra |].
    intros e He; apply Classical_Prop.NNPP; intros N; assert (s <= s - e); [| lra].
    apply L; intros v (y & ->); apply Rnot_lt_le; intros K; apply N; exists y; lra.
Qed.
(* Pairs that are kept apart one by one are in order near the infimum, all of them. *)
Lemma apart_avoids (V : scores -> R) m (prefer : nat -> nat -> Prop) : bounded_below V ->
  (forall i j, (i < m)%nat -> (j < m)%nat -> prefer i j -> exists c, 0 < c /\ forall u, u i <= u j ->
    exists v, V v + c <= V u) -> avoids V (fun u => exists i j, (i < m)%nat /\ (j < m)%nat /\ prefer i j /\ u i <= u j).
Proof.
  intros B S; destruct (infimum_exists V (fun _ => 0) B) as (w & Hw & Near).
  set (near := fun i j c => prefer i j -> forall u, u i <= u j -> exists v, V v + c <= V u).
  assert (mono : forall i j x y, near i j x -> 0 < y <= x -> near i j y).
  { intros i j x y H L T u C; destruct (H T u C) as (v & K); exists v; lra. }
  destruct (finite_min_2 near m mono) as (c & Hc & H).
  { intros i j Hi Hj; destruct (Classical_Prop.classic (prefer i j)) as [T | T]; [| exists 1; split; [lra | intros T'; tauto]].
    destruct (S i j Hi Hj T) as (c & Hc & K); exists c; split; [exact Hc | intros _; exact K]. }
  exists (w + c); split; [apply Near, Hc |]; intros u (i & j & Hi & Hj & T & C).
  destruct (H i Hi j Hj T u C) as (v & K); specialize (Hw v); lra.
Qed.

Section Near.
Variables (m : nat) (a : matrix).
Hypothesis counts : forall i j, (i < m)%nat -> (j < m)%nat -> 0 <= a i j.
Variables (phi g : R -> R) (b : R).
Hypotheses (reg : regular phi g) (below : forall x, b <= phi x).

(* W has an infimum. *)
Lemma W_inf : exists w, infimum (risk m a phi) w.
Proof.
  destruct (infimum_exists (risk m a phi) (fun _ => 0)) as (w & Hw); [| eauto].
  exists (sum (fun i => sum (fun j => a i j * b) m) m); intros alpha.
  apply sum_le; intros i Hi; apply sum_le; intros j Hj; apply Rmult_le_compat_l; auto.
Qed.
(* Where W is not large, phi is not large at the differences of compared items. *)
Lemma sublevel B : exists C, forall i, (i < m)%nat -> forall j, (j < m)%nat -> 0 < a i j ->
  forall alpha, risk m a phi alpha <= B -> phi (alpha i - alpha j) <= C.
Proof.
  apply (common_bound (fun i C => forall j, (j < m)%nat -> 0 < a i j -> forall alpha, risk m a phi alpha <= B ->
    phi (alpha i - alpha j) <= C)).
  { intros k x y H L j Hj P alpha HB; specialize (H j Hj P alpha HB); lra. }
  intros i Hi; apply (common_bound (fun j C => 0 < a i j -> forall alpha, risk m a phi alpha <= B ->
    phi (alpha i - alpha j) <= C)).
  { intros k x y H L P alpha HB; specialize (H P alpha HB); lra. }
  intros j Hj; destruct (Rlt_le_dec 0 (a i j)) as [P | P]; [| exists 0; intros; lra].
  set (rest := sum (fun i => sum (fun j => a i j * b) m) m).
  exists ((B - rest) / a i j + b); intros _ alpha HB.
  assert (K : a i j * (phi (alpha i - alpha j) - b) <= B - rest).
  { assert (Q : risk m a phi alpha - rest = sum (fun i => sum (fun j => a i j * (phi (alpha i - alpha j) - b)) m) m).
    { unfold risk, rest; rewrite <- sum_minus; apply sum_ext; intros; rewrite <- sum_minus; apply sum_ext; intros;
        ring. }
    assert (S : a i j * (phi (alpha i - alpha j) - b) <= risk m a phi alpha - rest); [| lra].
    rewrite Q; set (t := fun i j => a i j * (phi (alpha i - alpha j) - b)).
    assert (T : forall k l, (k < m)%nat -> (l < m)%nat -> 0 <= t k l) by
      (intros k l Hk Hl; unfold t; apply Rmult_le_pos; [auto | pose proof (below (alpha k - alpha l)); lra]).
    apply (sum_term t m i j Hi Hj T). }
  apply Rmult_le_reg_l with (a i j); [assumption |].
  replace (a i j * ((B - rest) / a i j + b)) with (B - rest + a i j * b) by (field; lra); lra.
Qed.

Lemma lift_bound lam mu i j k l : 0 <= lam -> 0 <= mu -> Rabs (lift lam mu i j k - lift lam mu i j l) <= lam + mu.
Proof. intros; apply Rabs_le; unfold lift; destruct (k =? i)%nat, (k =? j)%nat, (l =? i)%nat, (l =? j)%nat; lra. Qed.
(* If at each of some scores a slope of W along some direction is at most -c < 0, it stays below -c/2 for a fixed length,
   so W falls by a fixed amount. The directions may differ, if they are bounded. *)
Theorem steep c K (P : scores -> Prop) : 0 < c -> (forall alpha, P alpha -> exists v,
    (forall k l, Rabs (v k - v l) <= K) /\ slope m a g alpha v <= - c) ->
  exists d, 0 < d /\ forall alpha, P alpha -> exists beta, risk m a phi beta + d <= risk m a phi alpha.
Proof.
  intros Hc N; destruct W_inf as (w & Hw & Near); destruct (sublevel (w + 1)) as (M & HM).
  set (S := sum (fun i => sum (fun j => a i j * Rabs K) m) m); pose proof (Rabs_pos K) as K0; pose proof (Rle_abs K).
  assert (HS : 0 <= S) by (apply sum_nonneg; intros; apply sum_nonneg; intros; apply Rmult_le_pos; auto).
  set (e := c / 2 / (S + 1)); assert (He : 0 < e) by (unfold e; apply Rdiv_lt_0_compat; lra).
  assert (SE : S * e <= c / 2) by (unfold e; apply Rmult_le_reg_r with (S + 1); [lra |]; field_simplify; nra).
  destruct (regular_slopes _ _ reg) as (D & mono & g0).
  destruct (slope_uniform phi g b M e D mono g0 below He) as (d & Hd & U).
  set (eta := d / (Rabs K + 1)); assert (Eeta : eta * (Rabs K + 1) = d) by (unfold eta; field; lra).
  assert (Heta : 0 < eta) by (unfold eta; apply Rdiv_lt_0_compat; lra).
  assert (HC : 0 < c / 2 * eta) by (apply Rmult_lt_0_compat; lra).
  exists (Rmin (1 / 2) (c / 2 * eta)); split; [apply Rmin_pos; lra |]; intros alpha HP.
  pose proof (Rmin_l (1 / 2) (c / 2 * eta)) as L1; pose proof (Rmin_r (1 / 2) (c / 2 * eta)) as L2.
  destruct (Rlt_le_dec (risk m a phi alpha) (w + 1)) as [Hs | Hs].
  2: { destruct (Near (1 / 2) ltac:(lra)) as (beta & HB); exists beta; lra. }
  destruct (N alpha HP) as (v & V & Sl); exists (move alpha v eta).
  destruct (MVT_cor2 (fun t => risk m a phi (move alpha v t)) (fun t => slope m a g (move alpha v t) v) 0 eta Heta
    (fun t _ => risk_derivable m a phi g D alpha v t)) as (t & E & Ht).
  assert (F0 : risk m a phi (move alpha v 0) = risk m a phi alpha).
  { unfold risk, move; apply sum_ext; intros; apply sum_ext; intros; do 2 f_equal; ring. }
  assert (T : slope m a g (move alpha v t) v <= slope m a g alpha v + S * e); [| nra].
  unfold slope, S; rewrite (Rmult_comm _ e), <- sum_scal, <- sum_plus; apply sum_le; intros k Hk.
  rewrite <- sum_scal, <- sum_plus; apply sum_le; intros l Hl0.
  destruct (Rle_lt_or_eq_dec 0 (a k l) (counts k l Hk Hl0)) as [Q | <-]; [| lra].
  assert (Near' : Rabs (g (alpha k - alpha l) - g (move alpha v t k - move alpha v t l)) <= e).
  { apply U; [apply (HM k Hk l Hl0 Q); lra |].
    replace (alpha k - alpha l - (move alpha v t k - move alpha v t l)) with (t * - (v k - v l)) by (unfold move; ring).
    rewrite Rabs_mult, Rabs_Ropp, (Rabs_right t) by lra; pose proof (V k l); pose proof (Rabs_pos (v k - v l)); nra. }
  assert (X : (v k - v l) * (g (move alpha v t k - move alpha v t l) - g (alpha k - alpha l)) <= Rabs K * e).
  { eapply Rle_trans; [apply Rle_abs |]; rewrite Rabs_mult; rewrite Rabs_minus_sym in Near'.
    apply Rmult_le_compat; try apply Rabs_pos; [pose proof (V k l); lra | exact Near']. }
  apply (Rmult_le_compat_l (a k l)) in X; [| lra]; lra.
Qed.
Lemma negative_slope_separated lam mu i j c : 0 <= lam -> 0 <= mu -> (i < m)%nat -> (j < m)%nat -> 0 < c ->
  (forall alpha, alpha i <= alpha j -> sum (part a g lam mu alpha i j) m <= - c) -> separated m a phi i j.
Proof.
  intros Hl Hm Hi Hj Hc N; apply (steep c (lam + mu) (fun alpha => alpha i <= alpha j) Hc); intros alpha C.
  exists (lift lam mu i j); split; [intros; apply lift_bound; assumption | rewrite slope_parts; auto].
Qed.

Lemma separated_avoids (prefer : nat -> nat -> Prop) :
  (forall i j, (i < m)%nat -> (j < m)%nat -> prefer i j -> separated m a phi i j) ->
  avoids (risk m a phi) (fun u => exists i j, (i < m)%nat /\ (j < m)%nat /\ prefer i j /\ u i <= u j).
Proof. apply apart_avoids; destruct W_inf as (w & Hw & _); exists w; exact Hw. Qed.
End Near.
