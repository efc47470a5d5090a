(* Theorem R, "orders proved by addition", for every number of items, all counts and every declining phi that is a line
   plus an even function, such as the logistic loss: if for one lambda between 0 and infinity the net wins satisfy
   lambda N_i - N_j > sum over k of |lambda n_ik - n_jk|, then i is strictly above j, whoever wins the direct
   comparisons, and near the infimum too. If lambda n_ik = n_jk, phi may rise again. *)
From Coq Require Import Bool.
From ConsistencyLab.base Require Import Prelude Sums Ranking Convex Descent Aggregate Near Consistency.
From ConsistencyLab.theorems Require Import Domination.
Open Scope R_scope.

(* How far the schedules of i and j differ, lambda = lam/mu. *)
Definition schedule (m : nat) (a : matrix) lam mu i j :=
  sum (fun k => if ((k =? i) || (k =? j))%nat then 0 else Rabs (lam * comparisons a i k - mu * comparisons a j k)) m.
Lemma proportional_schedule m a lam mu i j : proportional m a lam mu i j -> schedule m a lam mu i j = 0.
Proof.
  intros P; rewrite <- (sum_zero m); apply sum_ext; intros k Hk; destruct (Nat.eqb_spec k i), (Nat.eqb_spec k j);
    try reflexivity; cbn; rewrite P, Rminus_eq_0 by assumption; apply Rabs_R0.
Qed.

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
Lemma tau_bound x : declining phi g -> -1 <= tau x <= 1.
Proof.
  intros N; pose proof c_pos; destruct (declining_slopes phi g N) as (_ & _ & neg & _).
  assert (B : forall x, tau x <= 1) by (intros y; pose proof (neg y); rewrite g_tau in *; nra).
  pose proof (B x); pose proof (B (- x)); rewrite tau_odd in *; lra.
Qed.
Lemma tau_nonneg x : 0 <= x -> 0 <= tau x.
Proof. intros H; pose proof (tau_mono 0 x H); pose proof (tau_odd 0) as O; rewrite Ropp_0 in O; lra. Qed.

Lemma part_tau lam mu alpha i j k :
  part a g lam mu alpha i j k = c / 2 * (lam * comparisons a i k * tau (alpha i - alpha k) - mu * comparisons a j k *
    tau (alpha j - alpha k) - (lam * difference a i k - mu * difference a j k)).
Proof.
  unfold part; rewrite (g_tau (alpha i - alpha k)), (g_tau (alpha j - alpha k)).
  replace (alpha k - alpha i) with (- (alpha i - alpha k)) by ring;
    replace (alpha k - alpha j) with (- (alpha j - alpha k)) by ring.
  rewrite (g_tau (- _)), (g_tau (- (alpha j - alpha k))), !tau_odd; unfold comparisons, difference; field.
Qed.

Variables (lam mu : R) (i j : nat).
Hypotheses (Hl : 0 <= lam) (Hm : 0 <= mu) (Hlm : 0 < lam + mu) (Hi : (i < m)%nat) (Hj : (j < m)%nat) (Hij : i <> j).
Hypothesis gap : schedule m a lam mu i j < lam * net_wins m a i - mu * net_wins m a j.
Hypothesis third : declining phi g \/ proportional m a lam mu i j.
Lemma slope_bound alpha : alpha i <= alpha j ->
  sum (part a g lam mu alpha i j) m <= c / 2 * (schedule m a lam mu i j - (lam * net_wins m a i - mu * net_wins m a j)).
Proof.
  pose proof c_pos; intros C; unfold schedule, net_wins.
  rewrite <- (sum_scal lam), <- (sum_scal mu), <- sum_minus, <- sum_minus, <- sum_scal; apply sum_le; intros k Hk.
  rewrite part_tau; apply Rmult_le_compat_l; [lra |].
  assert (Nik : 0 <= comparisons a i k) by (unfold comparisons; pose proof (counts i k Hi Hk);
    pose proof (counts k i Hk Hi); lra).
  assert (Njk : 0 <= comparisons a j k) by (unfold comparisons; pose proof (counts j k Hj Hk);
    pose proof (counts k j Hk Hj); lra).
  pose proof (tau_odd 0) as O; rewrite Ropp_0 in O.
  destruct (Nat.eqb_spec k i) as [-> | Ki]; [| destruct (Nat.eqb_spec k j) as [-> | Kj]]; cbn [orb].
  - replace (alpha i - alpha i) with 0 by ring; replace (tau 0) with 0 by lra.
    pose proof (tau_nonneg (alpha j - alpha i) ltac:(lra)).
    assert (0 <= mu * comparisons a j i * tau (alpha j - alpha i)) by (repeat apply Rmult_le_pos; assumption); lra.
  - replace (alpha j - alpha j) with 0 by ring; replace (tau 0) with 0 by lra.
    pose proof (tau_nonneg (alpha j - alpha i) ltac:(lra)) as P.
    replace (alpha i - alpha j) with (- (alpha j - alpha i)) by ring; rewrite tau_odd.
    assert (0 <= lam * comparisons a i j * tau (alpha j - alpha i)) by (repeat apply Rmult_le_pos; assumption); lra.
  - assert (X : lam * comparisons a i k * tau (alpha i - alpha k) <= lam * comparisons a i k * tau (alpha j - alpha
      k)) by (apply Rmult_le_compat_l; [apply Rmult_le_pos; assumption | apply tau_mono; lra]).
    assert (Y : (lam * comparisons a i k - mu * comparisons a j k) * tau (alpha j - alpha k) <=
      Rabs (lam * comparisons a i k - mu * comparisons a j k)); [| lra].
    destruct third as [N | P]; [| rewrite (P k Hk Ki Kj), Rminus_eq_0, Rabs_R0; lra].
    eapply Rle_trans; [apply Rle_abs |]; rewrite Rabs_mult.
    rewrite <- (Rmult_1_r (Rabs (lam * _ - _))) at 2; apply Rmult_le_compat_l; [apply Rabs_pos |].
    apply Rabs_le, tau_bound, N.
Qed.
Variable b : R.
Hypothesis below : forall x, b <= phi x.
Lemma separated_by_addition : separated m a phi i j.
Proof.
  pose proof c_pos.
  apply (negative_slope_separated m a counts phi g b reg below lam mu i j
           (c / 2 * ((lam * net_wins m a i - mu * net_wins m a j) - schedule m a lam mu i j))); auto.
  - apply Rmult_lt_0_compat; lra.
  - intros alpha C; eapply Rle_trans; [apply slope_bound, C | lra].
Qed.
End Addition.

Theorem R_separated m a phi g b lam mu i j : (forall i j, (i < m)%nat -> (j < m)%nat -> 0 <= a i j) ->
  declining phi g -> even_plus_line g -> (forall x, b <= phi x) -> 0 <= lam -> 0 <= mu -> 0 < lam + mu ->
  (i < m)%nat -> (j < m)%nat -> i <> j ->
  schedule m a lam mu i j < lam * net_wins m a i - mu * net_wins m a j -> separated m a phi i j.
Proof.
  intros counts D U Hb Hl Hm Hlm Hi Hj Hij H.
  apply (separated_by_addition m a counts phi g (proj1 D) U lam mu) with b; auto.
Qed.

(* Weighted Borda: in a product design, n_ij = w_i w_j, items are ordered by N_i/w_i, whatever the preferences. *)
Theorem weighted_borda m (a : matrix) (w : scores) phi g b : (forall i j, (i < m)%nat -> (j < m)%nat -> 0 <= a i j) ->
  regular phi g -> even_plus_line g -> (forall x, b <= phi x) -> (forall i, (i < m)%nat -> 0 < w i) ->
  (forall i j, (i < m)%nat -> (j < m)%nat -> i <> j -> comparisons a i j = w i * w j) ->
  forall i j, (i < m)%nat -> (j < m)%nat -> net_wins m a j / w j < net_wins m a i / w i -> separated m a phi i j.
Proof.
  intros counts reg U Hb W P i j Hi Hj H; pose proof (W i Hi) as Wi; pose proof (W j Hj) as Wj.
  assert (Q : proportional m a (w j) (w i) i j) by (intros k Hk Ki Kj; rewrite (P i k), (P j k) by auto; ring).
  apply (separated_by_addition m a counts phi g reg U (w j) (w i)) with b; auto; try lra.
  rewrite (proportional_schedule _ _ _ _ _ _ Q).
  apply (Rmult_lt_compat_r (w i * w j)) in H; [| apply Rmult_lt_0_compat; assumption].
  replace (net_wins m a j / w j * (w i * w j)) with (w i * net_wins m a j) in H by (field; lra).
  replace (net_wins m a i / w i * (w i * w j)) with (w j * net_wins m a i) in H by (field; lra); lra.
Qed.
(* With balanced counts the schedules do not differ: edge-consistency wherever net wins are in order (DMJ10 Eq. 16). *)
Theorem consistent_net_order_balanced phi g b : regular phi g -> even_plus_line g -> (forall x, b <= phi x) ->
  consistent_under (both net_order balanced) (edge_loss identity phi).
Proof.
  intros reg U Hb m p HD [O [N B]]; apply (separated_consistent m p phi b); auto; [exists (net_wins m (aggregate p));
    exact O |].
  intros i j Hi Hj H; assert (i <> j) by (intros ->; unfold difference in H; lra).
  assert (Q : proportional m (aggregate p) 1 1 i j) by (intros k Hk Ki Kj; rewrite !B by auto; reflexivity).
  apply (separated_by_addition m _ (fun i j _ _ => aggregate_nonneg m p i j HD) phi g reg U 1 1) with b; auto; try lra.
  rewrite (proportional_schedule _ _ _ _ _ _ Q); pose proof (O i j Hi Hj H); lra.
Qed.
(* Complete rankings: each label has every pair once, with weight 1. *)
Definition complete_ranking m (G : graph) := forall i j, (i < m)%nat -> (j < m)%nat -> i <> j ->
  total (ind i j) G + total (ind j i) G = 1.
Theorem complete_rankings phi g b m p : regular phi g -> (forall x, b <= phi x) -> is_distribution m p ->
  Forall (fun q => complete_ranking m (snd q)) p ->
  even_plus_line g /\ net_order m (aggregate p) \/ pushes g /\ low_noise m (aggregate p) ->
  consistent_at (edge_loss identity phi m p) p.
Proof.
  intros reg Hb HD Full; assert (B : balanced m (aggregate p)).
  { exists 1; intros i j Hi Hj N; rewrite <- (proj2 HD); unfold comparisons, aggregate, mean; rewrite <- total_plus.
    apply total_ext; eapply Forall_impl; [| exact Full]; intros q Q; rewrite <- Rmult_plus_distr_l, Q by assumption; ring. }
  intros [[U O] | [Pu L]]; [apply (consistent_net_order_balanced phi g b reg U Hb m p HD (conj O B)) |].
  apply (consistent_low_noise_balanced phi g b reg Pu Hb m p HD (conj L B)).
Qed.
