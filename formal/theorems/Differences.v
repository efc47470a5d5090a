(* DMJ13's difference loss, sum over i and j of max(0, a_ij - a_ji) phi(alpha_i - alpha_j), is edge-consistent at every
   p whose difference graph has no cycle, for every number of items: phi need only not rise, be bounded below, and not
   be least at 0 already. Neither convexity nor a derivative is used. *)
From Coq Require Import Reals Lra Lia Arith.
From ConsistencyLab.base Require Import Sums Ranking Aggregate Consistency.
Open Scope R_scope.

Theorem difference_loss_consistent phi low : (forall x y, x <= y -> phi y <= phi x) -> (forall x, low <= phi x) ->
  (forall e, 0 < e -> exists x, phi x < low + e) -> low < phi 0 ->
  consistent_under acyclic_differences (difference_loss phi).
Proof.
  intros falls above near0 at0 m p HD (good & G).
  set (D := fun i j => Rmax 0 (aggregate p i j - aggregate p j i)).
  assert (D0 : forall i j, 0 <= D i j) by (intros; apply Rmax_l).
  assert (Least : forall alpha i j, (i < m)%nat -> (j < m)%nat ->
    sum (fun i => sum (fun j => D i j * low) m) m + D i j * (phi (alpha i - alpha j) - low) <= difference_loss phi m
      p alpha).
  { intros alpha i j Hi Hj; set (t := fun i j => D i j * (phi (alpha i - alpha j) - low)).
    assert (T : t i j <= sum (fun i => sum (t i) m) m).
    { apply sum_term; auto; intros k l _ _; apply Rmult_le_pos; [apply D0 | pose proof (above (alpha k - alpha l));
        lra]. }
    apply Rle_trans with (sum (fun i => sum (fun j => D i j * low) m) m + sum (fun i => sum (t i) m) m);
      [unfold t in *; lra |].
    right; rewrite <- sum_plus; apply sum_ext; intros k _; rewrite <- sum_plus; apply sum_ext; intros l _;
      unfold t, D; ring. }
  apply (separated_consistent_V m p _ (sum (fun i => sum (fun j => D i j * low) m) m) HD).
  - intros alpha; apply sum_le; intros i _; apply sum_le; intros j _; apply Rmult_le_compat_l;
      [apply D0 | apply above].
  - (* Far apart in the order of the items, scores cost as little as one likes. *)
    intros e He; set (T := sum (fun i => sum (D i) m) m).
    assert (T0 : 0 <= T) by (apply sum_nonneg; intros; apply sum_nonneg; auto).
    destruct (near0 (e / 2 / (T + 1))) as (x & Hx); [apply Rdiv_lt_0_compat; lra |].
    assert (Far : exists t, forall i, (i < m)%nat -> forall j, (j < m)%nat -> 0 < diff p i j ->
      x <= t * (good i - good j)).
    { destruct (common_bound (fun i t => forall s, t <= s -> forall j, (j < m)%nat -> 0 < diff p i j ->
        x <= s * (good i - good j)) m) as (t & Ht); [intros i y z H L s Hs; apply H; lra | | exists t; intros i Hi;
          apply (Ht i Hi t); lra].
      intros i Hi; destruct (common_bound (fun j t => forall s, t <= s -> 0 < diff p i j ->
        x <= s * (good i - good j)) m) as (t & Ht).
      - intros j y z H L s Hs; apply H; lra.
      - intros j Hj; destruct (Rlt_le_dec 0 (diff p i j)) as [P | P]; [| exists 0; intros; lra].
        pose proof (G i j Hi Hj P); exists (x / (good i - good j)); intros s Hs _.
        apply (Rmult_le_compat_r (good i - good j)) in Hs; [| lra].
        replace (x / (good i - good j) * (good i - good j)) with x in Hs by (field; lra); exact Hs.
      - exists t; intros s Hs j Hj P; apply (Ht j Hj s Hs P). }
    destruct Far as (t & Ht).
    exists (fun i => t * good i).
    apply Rle_lt_trans with (sum (fun i => sum (fun j => D i j * low) m) m + e / 2 / (T + 1) * T).
    + unfold T; rewrite <- sum_scal, <- sum_plus; apply sum_le; intros i Hi; rewrite <- sum_scal, <- sum_plus;
        apply sum_le.
      intros j Hj; fold (D i j); destruct (Rlt_le_dec 0 (diff p i j)) as [P | P].
      * pose proof (Ht i Hi j Hj P) as K; replace (t * good i - t * good j) with (t * (good i - good j)) by ring.
        pose proof (falls _ _ K); pose proof (D0 i j).
        apply Rle_trans with (D i j * (low + e / 2 / (T + 1))); [apply Rmult_le_compat_l; lra | unfold T; lra].
      * unfold D; rewrite Rmax_left by exact P; lra.
    + assert (e / 2 / (T + 1) * T <= e / 2); [| lra].
      replace (e / 2 / (T + 1) * T) with (e / 2 * (T / (T + 1))) by (field; lra).
      rewrite <- (Rmult_1_r (e / 2)) at 2; apply Rmult_le_compat_l; [lra |].
      apply Rmult_le_reg_r with (T + 1); [lra |]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra.
  - exists good; exact G.
  - intros i j Hi Hj P; assert (DP : D i j = diff p i j) by (unfold D; apply Rmax_right; unfold difference in *; lra).
    exists (diff p i j * (phi 0 - low)); split; [apply Rmult_lt_0_compat; lra |]; intros alpha HA.
    pose proof (Least alpha i j Hi Hj) as L; rewrite DP in L; pose proof (falls (alpha i - alpha j) 0 ltac:(lra)).
    assert (diff p i j * (phi 0 - low) <= diff p i j * (phi (alpha i - alpha j) - low)) by (apply Rmult_le_compat_l;
      lra); lra.
Qed.
