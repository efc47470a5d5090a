(* DMJ13's difference loss, sum over i and j of max(0, a_ij - a_ji) phi(alpha_i - alpha_j), is edge-consistent at every
   p whose difference graph has no cycle, for every number of items: phi need only not rise, be bounded below, and not
   be least at 0 already. Neither convexity nor a derivative is used. *)
From ConsistencyLab.base Require Import Prelude Sums Ranking Aggregate Consistency.
Open Scope R_scope.

Theorem difference_loss_consistent phi low : (forall x y, x <= y -> phi y <= phi x) -> (forall x, low <= phi x) ->
  (forall e, 0 < e -> exists x, phi x < low + e) -> low < phi 0 ->
  consistent_under acyclic_differences (difference_loss phi).
Proof.
  intros falls above near0 at0 m p HD (good & G).
  set (D := fun i j => Rmax 0 (aggregate p i j - aggregate p j i)).
  assert (D0 : forall i j, 0 <= D i j) by (intros; apply Rmax_l).
  assert (Least : forall alpha i j, (i < m)%nat -> (j < m)%nat -> sum (fun i =>
    sum (fun j => D i j * low) m) m + D i j * (phi (alpha i - alpha j) - low) <= difference_loss phi m p alpha).
  { intros alpha i j Hi Hj; set (t := fun i j => D i j * (phi (alpha i - alpha j) - low)).
    assert (T : t i j <= sum (fun i => sum (t i) m) m).
    { apply sum_term; auto; intros k l _ _; apply Rmult_le_pos; [apply D0 | pose proof (above (alpha k - alpha l));
        lra]. }
    apply Rle_trans with (sum (fun i => sum (fun j => D i j * low) m) m + sum (fun i => sum (t i) m) m);
      [unfold t in *; lra |].
    right; rewrite <- sum_plus; apply sum_ext; intros k _; rewrite <- sum_plus; apply sum_ext; intros l _;
      unfold t, D; ring. }
  apply (separated_consistent_V m p _ (sum (fun i => sum (fun j => D i j * low) m) m) HD).
  - intros alpha; apply sum_le; intros i _; apply sum_le; intros j _; apply Rmult_le_compat_l; [apply D0 | apply above].
  - (* Far apart in the order of the items, scores cost as little as one likes. *)
    intros e He; set (T := sum (fun i => sum (D i) m) m).
    assert (T0 : 0 <= T) by (apply sum_nonneg; intros; apply sum_nonneg; auto).
    set (d := e / 2 / (T + 1)); assert (Ed : d * (T + 1) = e / 2) by (unfold d; field; lra).
    assert (Pd : 0 < d) by (apply Rdiv_lt_0_compat; lra).
    destruct (near0 d Pd) as (x & Hx), (least_gap good m) as (c & Pc & Gap); set (t := Rabs x / c).
    assert (Et : t * c = Rabs x) by (unfold t; field; lra); pose proof (Rle_abs x); pose proof (Rabs_pos x).
    exists (fun i => t * good i); apply Rle_lt_trans with (sum (fun i => sum (fun j => D i j * low) m) m + d * T); [| lra].
    unfold T; rewrite <- sum_scal, <- sum_plus; apply sum_le; intros i Hi; rewrite <- sum_scal, <- sum_plus; apply sum_le.
    intros j Hj; fold (D i j); destruct (Rlt_le_dec 0 (diff p i j)) as [P | P].
    + specialize (Gap i Hi j Hj (G i j Hi Hj P)); pose proof (falls x (t * good i - t * good j) ltac:(nra)).
      pose proof (D0 i j); apply Rle_trans with (D i j * (low + d)); [apply Rmult_le_compat_l; lra | lra].
    + unfold D; rewrite Rmax_left by exact P; lra.
  - exists good; exact G.
  - intros i j Hi Hj P; assert (DP : D i j = diff p i j) by (unfold D; apply Rmax_right; unfold difference in *; lra).
    exists (diff p i j * (phi 0 - low)); split; [apply Rmult_lt_0_compat; lra |]; intros alpha HA.
    pose proof (Least alpha i j Hi Hj) as L; rewrite DP in L; pose proof (falls (alpha i - alpha j) 0 ltac:(lra)).
    nra.
Qed.
