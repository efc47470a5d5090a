(* The named losses: logistic (RankNet), hinge (RankSVM), squared hinge, square and exponential. The logistic loss
   is regular, a line plus an even function, and has a log-odds link; each loss lies above its tangents. *)
From Coq Require Import Reals Lra.
From ConsistencyLab.base Require Import Convex.
Open Scope R_scope.

Definition square x := (1 - x) * (1 - x).
Definition hinge x := Rmax 0 (1 - x).
Definition squared_hinge x := Rmax 0 (1 - x) * Rmax 0 (1 - x).
Definition smoothed_hinge x := Rmax 0 (1 - x) * Rmax 0 (1 - x) / 2 - Rmax 0 (- x) * Rmax 0 (- x) / 2.
Definition huberized_hinge x := Rmax 0 (1 - x) * Rmax 0 (1 - x) - Rmax 0 (-1 - x) * Rmax 0 (-1 - x).
Definition half_square x := x * x / 2.
Definition exponential x := exp (- x).
Lemma hinge_left x : x <= 1 -> Rmax 0 (1 - x) = 1 - x.
Proof. intros; apply Rmax_right; lra. Qed.
Lemma hinge_right x : 1 <= x -> Rmax 0 (1 - x) = 0.
Proof. intros; apply Rmax_left; lra. Qed.
Lemma tangent_hinge x y s : -1 <= s <= 0 -> (x < 1 -> s = -1) -> (1 < x -> s = 0) -> hinge x + s * (y - x) <= hinge y.
Proof.
  unfold hinge; intros B L G; pose proof (Rmax_l 0 (1 - y)); pose proof (Rmax_r 0 (1 - y)).
  destruct (Rtotal_order x 1) as [C | [-> | C]].
  - rewrite (L C), hinge_left; lra.
  - rewrite hinge_left by lra; destruct (Rle_lt_dec y 1); nra.
  - rewrite (G C), hinge_right; lra.
Qed.
Lemma half_tangent t x y :
  Rmax 0 (t - x) * Rmax 0 (t - x) + -2 * Rmax 0 (t - x) * (y - x) <= Rmax 0 (t - y) * Rmax 0 (t - y).
Proof.
  pose proof (Rmax_l 0 (t - x)); pose proof (Rmax_r 0 (t - y)); set (v := Rmax 0 (t - y)) in *.
  assert (E : Rmax 0 (t - x) * (t - x) = Rmax 0 (t - x) * Rmax 0 (t - x)) by (unfold Rmax; destruct (Rle_dec _ _); ring).
  set (u := Rmax 0 (t - x)) in *; assert (0 <= (u - v) * (u - v)) by apply Rle_0_sqr; nra.
Qed.
Lemma tangent_squared_hinge x y : squared_hinge x - 2 * Rmax 0 (1 - x) * (y - x) <= squared_hinge y.
Proof. pose proof (half_tangent 1 x y); unfold squared_hinge; lra. Qed.
Lemma squared_hinge_positive x : 0 <= squared_hinge x.
Proof. apply Rle_0_sqr. Qed.
Definition dsquared_hinge x := - 2 * Rmax 0 (1 - x).
Lemma squared_hinge_declining : declining squared_hinge dsquared_hinge.
Proof.
  apply slopes_declining; unfold dsquared_hinge.
  - intros x e He; assert (He2 : 0 < e / 2) by lra; exists (mkposreal _ He2); intros h Hh L; cbn in L.
    pose proof (tangent_squared_hinge x (x + h)) as T; pose proof (tangent_squared_hinge (x + h) x) as S.
    assert (B : Rabs (Rmax 0 (1 - x) - Rmax 0 (1 - (x + h))) <= Rabs h).
    { unfold Rmax, Rabs; destruct (Rle_dec _ (1 - x)), (Rle_dec _ (1 - (x + h))); repeat destruct (Rcase_abs _); lra. }
    unfold squared_hinge in *; set (u := Rmax 0 (1 - x)) in *; set (v := Rmax 0 (1 - (x + h))) in *.
    replace ((v * v - u * u) / h - - 2 * u) with ((v * v - u * u + 2 * u * h) / h) by (field; assumption).
    unfold Rdiv; rewrite Rabs_mult, (Rabs_right (_ + _)), Rabs_inv by lra.
    pose proof (Rabs_pos_lt h Hh) as P; apply Rmult_lt_reg_r with (Rabs h); [assumption |].
    rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra; apply Rle_lt_trans with (2 * (Rabs h * Rabs h)); [| nra].
    pose proof (Rle_abs ((u - v) * h)) as Q; rewrite Rabs_mult in Q.
    assert (Rabs (u - v) * Rabs h <= Rabs h * Rabs h) by (apply Rmult_le_compat_r; lra); lra.
  - intros x y H; pose proof (Rle_max_compat_l (1 - y) (1 - x) 0 ltac:(lra)); lra.
  - intros x; pose proof (Rmax_l 0 (1 - x)); lra.
  - rewrite hinge_left; lra.
Qed.
Definition logistic (x : R) := ln (1 + exp (- x)).
Definition dlogistic (x : R) := - / (1 + exp x).
Lemma exponential_derivable x : derivable_pt_lim (fun x => exp (- x)) x (exp (- x) * - 1).
Proof.
  apply (derivable_pt_lim_comp Ropp exp x);
    [apply derivable_pt_lim_opp, derivable_pt_lim_id | apply derivable_pt_lim_exp].
Qed.
Lemma exp1_pos x : 0 < 1 + exp x.
Proof. pose proof (exp_pos x); lra. Qed.
Lemma logistic_derivable x : derivable_pt_lim logistic x (dlogistic x).
Proof.
  pose proof (exp1_pos (- x)); pose proof (exp1_pos x); pose proof (exp_pos x).
  replace (dlogistic x) with (/ (1 + exp (- x)) * (0 + exp (- x) * - 1))
    by (unfold dlogistic; rewrite exp_Ropp; field; split; lra).
  apply (derivable_pt_lim_comp (fun x => 1 + exp (- x)) ln x); [| apply derivable_pt_lim_ln; assumption].
  apply derivable_pt_lim_plus; [apply derivable_pt_lim_const | apply exponential_derivable].
Qed.
Lemma dlogistic_mono x y : x <= y -> dlogistic x <= dlogistic y.
Proof.
  intros H; unfold dlogistic; apply Ropp_le_contravar, Rinv_le_contravar; [apply exp1_pos |].
  destruct H as [H | ->]; [pose proof (exp_increasing _ _ H) |]; lra.
Qed.
Lemma dlogistic_neg x : dlogistic x <= 0.
Proof. unfold dlogistic; pose proof (Rinv_0_lt_compat _ (exp1_pos x)); lra. Qed.
Lemma dlogistic_constant x : - dlogistic x - dlogistic (- x) = 1.
Proof. unfold dlogistic; rewrite exp_Ropp; pose proof (exp_pos x); field; lra. Qed.

Lemma logistic_declining : declining logistic dlogistic.
Proof.
  apply slopes_declining; auto using logistic_derivable, dlogistic_mono, dlogistic_neg.
  unfold dlogistic; rewrite exp_0; lra.
Qed.
Lemma logistic_even_plus_line : even_plus_line dlogistic.
Proof. intros x; rewrite dlogistic_constant; unfold dlogistic; rewrite exp_0; lra. Qed.
Lemma logistic_link : log_odds_link 1 dlogistic.
Proof. intros x; unfold dlogistic; rewrite Rmult_1_l, exp_Ropp; pose proof (exp_pos x); field; lra. Qed.
Lemma logistic_positive x : 0 <= logistic x.
Proof. unfold logistic; rewrite <- ln_1; pose proof (exp_pos (- x)); left; apply ln_increasing; lra. Qed.

Lemma exponential_declining : declining exponential (fun x => - exponential x).
Proof.
  apply slopes_declining; unfold exponential.
  - intros x; replace (- exp (- x)) with (exp (- x) * - 1) by ring; apply exponential_derivable.
  - intros x y [L | ->]; [pose proof (exp_increasing (- y) (- x) ltac:(lra)) |]; lra.
  - intros x; pose proof (exp_pos (- x)); lra.
  - pose proof (exp_pos (- 0)); lra.
Qed.
Lemma exponential_positive x : 0 <= exponential x.
Proof. left; apply exp_pos. Qed.
Lemma tangent_logistic q y : 0 < q -> ln (1 + / q) - / (1 + q) * (y - ln q) <= logistic y.
Proof.
  intros Hq; pose proof (mono_subgradient logistic dlogistic (ln q) logistic_derivable dlogistic_mono y) as T.
  unfold logistic at 1, dlogistic in T; rewrite exp_Ropp, !exp_ln in T by assumption; lra.
Qed.
Lemma tangent_exponential q y : 0 < q -> / q - / q * (y - ln q) <= exponential y.
Proof.
  intros Hq; unfold exponential; pose proof (exp_ineq1_le (ln q - y)) as E.
  replace (- y) with (- ln q + (ln q - y)) by ring; rewrite exp_plus, exp_Ropp, exp_ln by assumption.
  pose proof (Rinv_0_lt_compat q Hq); nra.
Qed.
Lemma ln_div a b : 0 < a -> 0 < b -> ln a - ln b = ln (a / b).
Proof. intros; unfold Rdiv; rewrite ln_mult, ln_Rinv; [ring | assumption | assumption | apply Rinv_0_lt_compat;
  assumption]. Qed.
