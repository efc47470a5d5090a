(* Theorem R, "orders proved by addition", for every number of items, all counts and every regular phi that is a line
   plus an even function, such as the logistic loss: if for one lambda >= 0 the net wins satisfy
   lambda N_i - N_j > sum over k of |lambda n_ik - n_jk|, then i is strictly above j, whoever wins the direct
   comparisons, and near the infimum too. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From ConsistencyLab.base Require Import Sums Ranking Convex Descent Aggregate Near Consistency.
Open Scope R_scope.

(* How far the schedules of i and j differ. *)
Definition schedule (m : nat) (a : matrix) lam i j :=
  sum (fun k => if ((k =? i) || (k =? j))%nat then 0 else Rabs (lam * comparisons a i k - comparisons a j k)) m.

Section Addition.
Variables (m : nat) (a : matrix).
Hypothesis counts : forall i j, (i < m)%nat -> (j < m)%nat -> 0 <= a i j.
Variables phi g : R -> R.
Hypothesis reg : regular phi g.
Hypothesis U : even_plus_line g.
Let c := - 2 * g 0.
Lemma c_pos : 0 < c.
Proof. pose proof (falls_at_0 phi g reg); unfold c; lra. Qed.

(* The slope is c/2 (tau - 1) with tau odd, nondecreasing and between -1 and 1. *)
Definition tau x := 1 + 2 * g x / c.
Lemma g_tau x : g x = c / 2 * (tau x - 1).
Proof. pose proof c_pos; unfold tau; field; lra. Qed.
Lemma tau_odd x : tau (- x) = - tau x.
Proof. pose proof c_pos; pose proof (U x); unfold tau; replace (g (- x)) with (- c - g x) by (unfold c; lra); field;
  lra. Qed.
Lemma tau_mono x y : x <= y -> tau x <= tau y.
Proof.
  intros H; pose proof c_pos; destruct (regular_slopes phi g reg) as (_ & mono & _); pose proof (mono x y H).
  rewrite !g_tau in *; nra.
Qed.
Lemma tau_bound x : -1 <= tau x <= 1.
Proof.
  pose proof c_pos; destruct (regular_slopes phi g reg) as (_ & _ & neg & _).
  assert (B : forall x, tau x <= 1) by (intros y; pose proof (neg y); rewrite g_tau in *; nra).
  pose proof (B x); pose proof (B (- x)); rewrite tau_odd in *; lra.
Qed.
Lemma tau_nonneg x : 0 <= x -> 0 <= tau x.
Proof. intros H; pose proof (tau_mono 0 x H); pose proof (tau_odd 0) as O; rewrite Ropp_0 in O; lra. Qed.

Lemma part_tau lam alpha i j k :
  part a g lam alpha i j k = c / 2 * (lam * comparisons a i k * tau (alpha i - alpha k) - comparisons a j k * tau
    (alpha j - alpha k) - (lam * difference a i k - difference a j k)).
Proof.
  unfold part; rewrite (g_tau (alpha i - alpha k)), (g_tau (alpha j - alpha k)).
  replace (alpha k - alpha i) with (- (alpha i - alpha k)) by ring;
    replace (alpha k - alpha j) with (- (alpha j - alpha k)) by ring.
  rewrite (g_tau (- _)), (g_tau (- (alpha j - alpha k))), !tau_odd; unfold comparisons, difference; field.
Qed.

Lemma slope_bound lam alpha i j : 0 <= lam -> (i < m)%nat -> (j < m)%nat -> i <> j -> alpha i <= alpha j ->
  sum (part a g lam alpha i j) m <= c / 2 * (schedule m a lam i j - (lam * net_wins m a i - net_wins m a j)).
Proof.
  pose proof c_pos; intros Hl Hi Hj Hij C; unfold schedule, net_wins.
  rewrite <- (sum_scal lam), <- sum_minus, <- sum_minus, <- sum_scal; apply sum_le; intros k Hk.
  rewrite part_tau; apply Rmult_le_compat_l; [lra |].
  assert (Nik : 0 <= comparisons a i k) by (unfold comparisons; pose proof (counts i k Hi Hk);
    pose proof (counts k i Hk Hi); lra).
  assert (Njk : 0 <= comparisons a j k) by (unfold comparisons; pose proof (counts j k Hj Hk);
    pose proof (counts k j Hk Hj); lra).
  destruct (Nat.eqb_spec k i) as [-> | Ki]; [| destruct (Nat.eqb_spec k j) as [-> | Kj]]; cbn [orb].
  - replace (alpha i - alpha i) with 0 by ring.
    pose proof (tau_odd 0) as O; rewrite Ropp_0 in O; replace (tau 0) with 0 by lra.
    pose proof (tau_nonneg (alpha j - alpha i) ltac:(lra)); nra.
  - replace (alpha j - alpha j) with 0 by ring.
    pose proof (tau_odd 0) as O; rewrite Ropp_0 in O; replace (tau 0) with 0 by lra.
    pose proof (tau_nonneg (alpha j - alpha i) ltac:(lra)) as P.
    replace (alpha i - alpha j) with (- (alpha j - alpha i)) by ring; rewrite tau_odd.
    assert (0 <= lam * comparisons a i j * tau (alpha j - alpha i)) by (apply Rmult_le_pos; [nra | exact P]); lra.
  - assert (X : lam * comparisons a i k * tau (alpha i - alpha k) <= lam * comparisons a i k * tau (alpha j - alpha
      k))
      by (apply Rmult_le_compat_l; [nra | apply tau_mono; lra]).
    assert (Y : (lam * comparisons a i k - comparisons a j k) * tau (alpha j - alpha k) <= Rabs (lam * comparisons a
      i k - comparisons a j k)).
    { eapply Rle_trans; [apply Rle_abs |]; rewrite Rabs_mult.
      rewrite <- (Rmult_1_r (Rabs (lam * _ - _))) at 2; apply Rmult_le_compat_l; [apply Rabs_pos |].
      apply Rabs_le, tau_bound. }
    lra.
Qed.

(* Whoever leads by more than the schedules differ is strictly above. *)
Theorem R_above lam i j : 0 <= lam -> (i < m)%nat -> (j < m)%nat -> i <> j ->
  schedule m a lam i j < lam * net_wins m a i - net_wins m a j -> above m a phi i j.
Proof.
  intros Hl Hi Hj Hij H; pose proof c_pos; apply (negative_slope_above m a phi g lam);
    auto using (has_slope phi g reg).
  intros alpha C; pose proof (slope_bound lam alpha i j Hl Hi Hj Hij C); nra.
Qed.

(* So every minimizer has i above j, even where the majority prefers j. *)
Theorem R_minimizer lam i j alpha : 0 <= lam -> (i < m)%nat -> (j < m)%nat -> i <> j ->
  schedule m a lam i j < lam * net_wins m a i - net_wins m a j ->
  minimizer m a phi alpha -> alpha i > alpha j.
Proof. intros; apply (above_minimizer m a phi); [eapply R_above; eassumption | assumption]. Qed.

Variable b : R.
Hypothesis below : forall x, b <= phi x.
Theorem R_separated lam i j : 0 <= lam -> (i < m)%nat -> (j < m)%nat -> i <> j ->
  schedule m a lam i j < lam * net_wins m a i - net_wins m a j -> separated m a phi i j.
Proof.
  intros Hl Hi Hj Hij H; pose proof c_pos.
  apply (negative_slope_separated m a counts phi g b reg below lam i j
           (c / 2 * ((lam * net_wins m a i - net_wins m a j) - schedule m a lam i j))); auto.
  - apply Rmult_lt_0_compat; lra.
  - intros alpha C; eapply Rle_trans; [apply (slope_bound lam alpha i j); assumption | lra].
Qed.
End Addition.

(* Weighted Borda: in a product design, n_ij = w_i w_j, items are ordered by N_i/w_i, whatever the preferences. *)
Theorem weighted_borda m (a : matrix) (w : scores) phi g b : (forall i j, (i < m)%nat -> (j < m)%nat -> 0 <= a i j) ->
  regular phi g -> even_plus_line g -> (forall x, b <= phi x) -> (forall i, (i < m)%nat -> 0 < w i) ->
  (forall i j, (i < m)%nat -> (j < m)%nat -> i <> j -> comparisons a i j = w i * w j) ->
  forall i j, (i < m)%nat -> (j < m)%nat -> net_wins m a j / w j < net_wins m a i / w i -> separated m a phi i j.
Proof.
  intros counts reg U Hb W P i j Hi Hj H; pose proof (W i Hi) as Wi; pose proof (W j Hj) as Wj.
  assert (i <> j) by (intros ->; lra).
  apply (R_separated m a counts phi g reg U b Hb (w j / w i)); auto; [left; apply Rdiv_lt_0_compat; assumption |].
  apply Rle_lt_trans with (sum (fun _ => 0) m); [apply sum_le; intros k Hk | rewrite sum_zero].
  - destruct (Nat.eqb_spec k i); [cbn; lra |]; destruct (Nat.eqb_spec k j); [cbn; lra |]; cbn [orb].
    rewrite (P i k), (P j k) by auto; replace (w j / w i * (w i * w k) - w j * w k) with 0 by (field; lra).
    rewrite Rabs_R0; lra.
  - apply (Rmult_lt_compat_r (w j)) in H; [| lra].
    replace (net_wins m a j / w j * w j) with (net_wins m a j) in H by (field; lra).
    replace (net_wins m a i / w i * w j) with (w j / w i * net_wins m a i) in H by (field; lra); lra.
Qed.
(* With balanced counts the schedules do not differ: edge-consistency wherever net wins are in order (DMJ10 Eq. 16). *)
Theorem consistent_net_order_balanced phi g b : regular phi g -> even_plus_line g -> (forall x, b <= phi x) ->
  consistent_under (both net_order balanced) (edge_loss identity phi).
Proof.
  intros reg U Hb m p HD [O [N B]]; apply (separated_consistent m p phi b); auto; [exists (net_wins m (aggregate p));
    exact O |].
  intros i j Hi Hj H; assert (i <> j) by (intros ->; unfold difference in H; lra).
  apply (R_separated m _ (fun i j _ _ => aggregate_nonneg m p i j HD) phi g reg U b Hb 1); auto; [lra |].
  pose proof (O i j Hi Hj H); assert (S : schedule m (aggregate p) 1 i j <= sum (fun _ => 0) m);
    [| rewrite sum_zero in S; lra].
  apply sum_le; intros k Hk; destruct (Nat.eqb_spec k i); [cbn; lra |]; destruct (Nat.eqb_spec k j); [cbn; lra |];
    cbn [orb].
  rewrite (B i k), (B j k) by auto; replace (1 * N - N) with 0 by ring; rewrite Rabs_R0; lra.
Qed.
