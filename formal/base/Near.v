(* Definition 2 asks for more than right minimizers, and minimizers need not exist: the risk of all scores with
   alpha_i <= alpha_j must stay away from its infimum. For a regular phi a slope that is bounded away from 0 there
   suffices. *)
From Coq Require Import Reals Lra Lia Arith Classical_Prop.
From ConsistencyLab.base Require Import Sums Ranking Convex Descent.
Open Scope R_scope.

(* inf { W : alpha_i <= alpha_j } > inf W, said without infima. *)
Definition separated m a phi i j :=
  exists c, 0 < c /\ forall alpha, alpha i <= alpha j -> exists beta, risk m a phi beta + c <= risk m a phi alpha.

Section Near.
Variables (m : nat) (a : matrix).
Hypothesis counts : forall i j, (i < m)%nat -> (j < m)%nat -> 0 <= a i j.
Variables (phi g : R -> R) (b : R).
Hypothesis reg : regular phi g.
Hypothesis below : forall x, b <= phi x.

(* W has an infimum. *)
Lemma W_inf : exists w, (forall alpha, w <= risk m a phi alpha) /\
  forall e, 0 < e -> exists alpha, risk m a phi alpha < w + e.
Proof.
  destruct (completeness (fun v => exists alpha, v = - risk m a phi alpha)) as (L & HL & Hlub).
  - exists (- sum (fun i => sum (fun j => a i j * b) m) m); intros v (alpha & ->); apply Ropp_le_contravar.
    apply sum_le; intros i Hi; apply sum_le; intros j Hj; apply Rmult_le_compat_l; auto.
  - exists (- risk m a phi (fun _ => 0)), (fun _ => 0); reflexivity.
  - exists (- L); split; [intros alpha; assert (- risk m a phi alpha <= L) by (apply HL; exists alpha; reflexivity);
      lra |].
    intros e He; destruct (Classical_Prop.classic (exists alpha, risk m a phi alpha < - L + e)) as [| N];
      [assumption | exfalso].
    assert (L <= L - e); [| lra]; apply Hlub; intros v (alpha & ->).
    destruct (Rlt_le_dec (risk m a phi alpha) (- L + e)); [destruct N; exists alpha; assumption | lra].
Qed.

Lemma tangent_at_0 x : phi 0 + g 0 * x <= phi x.
Proof.
  destruct (regular_slopes _ _ reg) as (D & mono & _ & _); pose proof (mono_subgradient phi g 0 D mono x); lra.
Qed.
(* Where W is not large, the differences of compared items are bounded below. *)
Lemma sublevel B : exists M, forall i, (i < m)%nat -> forall j, (j < m)%nat -> 0 < a i j ->
  forall alpha, risk m a phi alpha <= B -> - M <= alpha i - alpha j.
Proof.
  apply (common_bound (fun i M => forall j, (j < m)%nat -> 0 < a i j -> forall alpha, risk m a phi alpha <= B ->
    - M <= alpha i - alpha j)).
  { intros k x y H L j Hj P alpha HB; specialize (H j Hj P alpha HB); lra. }
  intros i Hi; apply (common_bound (fun j M => 0 < a i j -> forall alpha, risk m a phi alpha <= B ->
    - M <= alpha i - alpha j)).
  { intros k x y H L P alpha HB; specialize (H P alpha HB); lra. }
  intros j Hj; destruct (Rlt_le_dec 0 (a i j)) as [P | P]; [| exists 0; intros; lra].
  set (rest := sum (fun i => sum (fun j => a i j * b) m) m).
  exists (((B - rest) / a i j + b - phi 0) / - g 0); intros _ alpha HB; pose proof (falls_at_0 _ _ reg) as g0.
  assert (K : a i j * (phi (alpha i - alpha j) - b) <= B - rest).
  { assert (Q : risk m a phi alpha - rest = sum (fun i => sum (fun j => a i j * (phi (alpha i - alpha j) - b)) m) m).
    { unfold risk, rest; rewrite <- sum_minus; apply sum_ext; intros; rewrite <- sum_minus; apply sum_ext; intros;
        ring. }
    assert (S : a i j * (phi (alpha i - alpha j) - b) <= risk m a phi alpha - rest); [| lra].
    rewrite Q; set (t := fun i j => a i j * (phi (alpha i - alpha j) - b)).
    assert (T : forall k l, (k < m)%nat -> (l < m)%nat -> 0 <= t k l) by
      (intros k l Hk Hl; unfold t; apply Rmult_le_pos; [auto | pose proof (below (alpha k - alpha l)); lra]).
    apply (sum_term t m i j Hi Hj T). }
  pose proof (tangent_at_0 (alpha i - alpha j)) as T.
  assert (Q : phi (alpha i - alpha j) <= (B - rest) / a i j + b).
  { apply Rmult_le_reg_l with (a i j); [assumption |].
    replace (a i j * ((B - rest) / a i j + b)) with (B - rest + a i j * b) by (field; lra); lra. }
  apply Rmult_le_reg_r with (- g 0); [lra |].
  replace (- (((B - rest) / a i j + b - phi 0) / - g 0) * - g 0) with (phi 0 - ((B - rest) / a i j + b)) by (field;
    lra); lra.
Qed.

(* If the slope along lambda e_i - e_j is at most -c < 0 wherever alpha_i <= alpha_j, it stays below -c/2 for a fixed
   length past the tie, so W falls by a fixed amount. *)
Theorem negative_slope_separated lam i j c : 0 <= lam -> (i < m)%nat -> (j < m)%nat -> i <> j -> 0 < c ->
  (forall alpha, alpha i <= alpha j -> sum (part a g lam alpha i j) m <= - c) -> separated m a phi i j.
Proof.
  intros Hl Hi Hj Hij Hc N; destruct W_inf as (w & Hw & Near).
  destruct (sublevel (w + 1)) as (M & HM).
  set (K := sum (fun k => lam * (a i k + a k i) + (a j k + a k j)) m).
  assert (HK : 0 <= K).
  { apply sum_nonneg; intros k Hk; pose proof (counts i k Hi Hk); pose proof (counts k i Hk Hi);
    pose proof (counts j k Hj Hk); pose proof (counts k j Hk Hj); nra. }
  set (e := c / 2 / (K + 1)).
  assert (He : 0 < e) by (unfold e; apply Rdiv_lt_0_compat; lra).
  assert (KE : K * e <= c / 2) by (unfold e; apply Rmult_le_reg_r with (K + 1); [lra |]; field_simplify; nra).
  destruct (regular_slopes _ _ reg) as (D & mono & neg & g0).
  destruct (slope_uniform g (M + 1) e (slope_continuous phi g D mono) mono neg He) as (d & Hd & U).
  set (eta := Rmin d 1 / (lam + 1)).
  assert (Eeta : (lam + 1) * eta = Rmin d 1) by (unfold eta; field; lra).
  pose proof (Rmin_l d 1) as Md; pose proof (Rmin_r d 1) as M1; pose proof (Rmin_pos d 1 Hd Rlt_0_1) as M0.
  assert (Heta : 0 < eta) by (unfold eta; apply Rdiv_lt_0_compat; lra).
  assert (HC : 0 < c / 2 * eta) by (apply Rmult_lt_0_compat; lra).
  exists (Rmin (1 / 2) (c / 2 * eta)); split; [apply Rmin_pos; lra |]; intros alpha C.
  pose proof (Rmin_l (1 / 2) (c / 2 * eta)) as L1; pose proof (Rmin_r (1 / 2) (c / 2 * eta)) as L2.
  destruct (Rlt_le_dec (risk m a phi alpha) (w + 1)) as [Hs | Hs].
  2: { destruct (Near (1 / 2) ltac:(lra)) as (beta & HB); exists beta; lra. }
  set (v := lift lam i j).
  assert (Mi : forall t, move alpha v t i = alpha i + t * lam).
  { intros t; unfold v, move, lift; rewrite Nat.eqb_refl; destruct (Nat.eqb_spec i j); [lia | ring]. }
  assert (Mj : forall t, move alpha v t j = alpha j - t).
  { intros t; unfold v, move, lift; rewrite Nat.eqb_refl; destruct (Nat.eqb_spec j i); [lia | ring]. }
  set (T := (alpha j - alpha i) / (lam + 1)).
  assert (ET : T * (lam + 1) = alpha j - alpha i) by (unfold T; field; lra).
  assert (HT : 0 <= T) by (unfold T; apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]).
  set (f := fun t => risk m a phi (move alpha v t)).
  set (f' := fun t => sum (part a g lam (move alpha v t) i j) m).
  assert (Df : forall t, derivable_pt_lim f t (f' t)) by (intros; apply slope_parts; assumption).
  assert (F0 : f 0 = risk m a phi alpha).
  { unfold f, risk, move; apply sum_ext; intros; apply sum_ext; intros; do 2 f_equal; ring. }
  assert (FT : f T <= f 0).
  { destruct HT as [HT | <-]; [| lra].
    destruct (MVT_cor2 f f' 0 T HT (fun c _ => Df c)) as (x & E & Hx).
    assert (f' x <= - c) by (apply N; rewrite Mi, Mj; nra). nra. }
  assert (V : forall k l, - (lam + 1) <= v k - v l <= lam + 1).
  { intros k l; unfold v, lift; destruct (k =? i)%nat, (k =? j)%nat, (l =? i)%nat, (l =? j)%nat; lra. }

  assert (S : forall t, T <= t <= T + eta -> f' t <= - (c / 2)).
  { intros t Ht; set (s := t - T).
    assert (close : forall k l, (k < m)%nat -> (l < m)%nat ->
       Rabs (a k l * g (move alpha v t k - move alpha v t l) - a k l * g (move alpha v T k - move alpha v T l)) <= a
         k l * e).
    { intros k l Hk Hl0; rewrite <- Rmult_minus_distr_l, Rabs_mult, (Rabs_right (a k l)) by (apply Rle_ge; auto).
      destruct (Rle_lt_or_eq_dec 0 (a k l) (counts k l Hk Hl0)) as [P | <-]; [| lra].
      apply Rmult_le_compat_l; [lra |].
      pose proof (HM k Hk l Hl0 P (move alpha v T) ltac:(fold (f T); lra)) as Q.
      assert (E : move alpha v t k - move alpha v t l = (move alpha v T k - move alpha v T l) + s * (v k - v l))
        by (unfold move, s; ring).
      assert (Z : - Rmin d 1 <= s * (v k - v l) <= Rmin d 1).
      { rewrite <- Eeta; pose proof (V k l); assert (0 <= s <= eta) by (unfold s; lra); nra. }
      apply U; rewrite ?E; [lra | lra |]. apply Rabs_le; lra. }
    apply Rle_trans with (f' T + K * e); [| assert (f' T <= - c) by (apply N; rewrite Mi, Mj; nra); lra].
    unfold f', K; rewrite (Rmult_comm _ e), <- sum_scal, <- sum_plus; apply sum_le; intros k Hk; unfold part.
    assert (AB : forall x y z, Rabs (x - y) <= z -> x - y <= z /\ y - x <= z).
    { intros x y z Q; pose proof (Rle_abs (x - y)); pose proof (Rle_abs (- (x - y))); rewrite Rabs_Ropp in *; lra. }
    pose proof (AB _ _ _ (close i k Hi Hk)) as [A1 _]; pose proof (AB _ _ _ (close k i Hk Hi)) as [_ A2].
    pose proof (AB _ _ _ (close j k Hj Hk)) as [_ A3]; pose proof (AB _ _ _ (close k j Hk Hj)) as [A4 _].
    nra. }
  exists (move alpha v (T + eta)); fold (f (T + eta)); rewrite <- F0.
  destruct (MVT_cor2 f f' T (T + eta) ltac:(lra) (fun c _ => Df c)) as (x & E & Hx).
  pose proof (S x ltac:(lra)); nra.
Qed.

End Near.
