(* Bradley-Terry preferences are ordered rightly for any counts and every number of items, by every regular loss with a
   log-odds link, phi'(-x) = e^(kx) phi'(x): the logistic loss (k = 1) and the exponential loss (k = 2). The scores
   log(w_i)/k minimize the two terms of every pair at once. *)
From ConsistencyLab.base Require Import Prelude Sums Ranking Convex Scalars Descent Aggregate Near Consistency.
Open Scope R_scope.

Section Link.
Variables (phi g : R -> R) (kappa b : R).
Hypotheses (reg : regular phi g) (below : forall x, b <= phi x) (K : 0 < kappa).
Hypothesis link : log_odds_link kappa g.

Theorem bradley_terry_consistent : consistent_under bradley_terry (edge_loss identity phi).
Proof.
  intros m p HD (w & Hw & BT); pose proof (fun i j => aggregate_nonneg m p i j HD) as NN;
    destruct (regular_slopes phi g reg) as (D & mono & g0).
  pose proof (fun x => mono_subgradient phi g x D mono) as tan.
  set (a := aggregate p) in *; set (beta := fun i => ln (w i) / kappa).
  assert (E : forall i j, exp (kappa * (beta i - beta j)) = w i / w j).
  { intros i j; replace (kappa * (beta i - beta j)) with (ln (w i) + - ln (w j)) by (unfold beta; field; lra).
    rewrite exp_plus, exp_Ropp, !exp_ln by apply Hw; reflexivity. }
  set (f := fun i j x => a i j * phi x + a j i * phi (- x)).
  assert (Half : forall al, risk m a phi al = sum (fun i => sum (fun j => / 2 * f i j (al i - al j)) m) m).
  { intros al; transitivity (/ 2 * risk m a phi al + / 2 * risk m a phi al); [lra |]; unfold risk at 2;
      rewrite sum_swap; unfold risk.
    rewrite <- !sum_scal, <- sum_plus; apply sum_ext; intros i Hi; rewrite <- !sum_scal, <- sum_plus; apply sum_ext;
      intros j Hj.
    unfold f; replace (- (al i - al j)) with (al j - al i) by ring; ring. }
  assert (Min : forall i j x, (i < m)%nat -> (j < m)%nat -> f i j (beta i - beta j) <= f i j x).
  { intros i j x Hi Hj; set (y := beta i - beta j); pose proof (tan y x) as T1; pose proof (tan (- y) (- x)) as T2.
    apply (Rmult_le_compat_l (a i j)) in T1; [| apply NN]; apply (Rmult_le_compat_l (a j i)) in T2; [| apply NN].
    assert (Z : a j i * g (- y) = a i j * g y).
    { rewrite link; unfold y; rewrite E; pose proof (Hw j); pose proof (BT i j Hi Hj) as Q.
      replace (a i j) with (a j i * w i / w j) by (rewrite <- Q; field; lra); field; lra. }
    unfold f; replace (a j i * (phi (- y) + g (- y) * (- x - - y))) with (a j i * phi (- y) - a j i * g (- y) * (x -
      y)) in T2 by ring.
    rewrite Z in T2; lra. }
  apply (separated_consistent m p phi b HD below).
  - exists w; intros i j Hi Hj P; pose proof (BT i j Hi Hj); pose proof (Hw i); pose proof (Hw j);
      pose proof (NN j i); unfold difference in P; fold a in P, H2.
    destruct (Rlt_le_dec (w j) (w i)); [assumption | nra].
  - intros i j Hi Hj P; fold a; pose proof (NN j i) as Nji; unfold difference in P; fold a in P, Nji.
    set (y := beta i - beta j); assert (Strict : f i j y < f i j 0).
    { destruct (falls_at_tie phi (g 0) (a i j) (a j i) (D 0) g0) as (t & _ & T); [lra |].
      apply Rle_lt_trans with (f i j t); [apply Min; assumption | unfold f; rewrite Ropp_0; lra]. }
    exists (/ 2 * (f i j 0 - f i j y)); split; [lra |]; intros alpha C; exists beta.
    set (x := alpha i - alpha j).
    assert (F0 : f i j 0 <= f i j x).
    { unfold f; rewrite Ropp_0; pose proof (tan 0 x) as T1; pose proof (tan 0 (- x)) as T2.
      apply (Rmult_le_compat_l (a i j)) in T1; [| apply NN]; apply (Rmult_le_compat_l (a j i)) in T2; [| lra].
      assert (0 <= (a i j - a j i) * (g 0 * x)) by (apply Rmult_le_pos; [lra | unfold x; nra]); lra. }
    assert (S : / 2 * (f i j x - f i j y) <= risk m a phi alpha - risk m a phi beta); [| lra].
    rewrite !Half, <- sum_minus; set (t := fun k l => / 2 * f k l (alpha k - alpha l) - / 2 * f k l (beta k - beta l)).
    assert (T : forall k l, (k < m)%nat -> (l < m)%nat -> 0 <= t k l) by (intros k l Hk Hl; unfold t;
      pose proof (Min k l (alpha k - alpha l) Hk Hl); lra).
    apply Rle_trans with (t i j); [unfold t, x, y; lra |].
    eapply Rle_trans; [apply (sum_term t m i j Hi Hj T) | right; apply sum_ext; intros; unfold t; apply sum_minus].
Qed.
End Link.

Corollary logistic_bradley_terry : consistent_under bradley_terry (edge_loss identity logistic).
Proof.
  apply (bradley_terry_consistent logistic dlogistic 1 0);
  auto using (proj1 logistic_declining), logistic_positive, logistic_link, Rlt_0_1.
Qed.
Corollary exponential_bradley_terry : consistent_under bradley_terry (edge_loss identity exponential).
Proof.
  apply (bradley_terry_consistent exponential (fun x => - exponential x) 2 0); [| | lra |].
  - exact (proj1 exponential_declining).
  - intros x; left; apply exp_pos.
  - intros x; unfold exponential; replace (exp (- - x)) with (exp (2 * x) * exp (- x)) by (rewrite <- exp_plus;
      f_equal; ring); ring.
Qed.
