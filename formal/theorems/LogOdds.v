(* Which losses order Bradley-Terry preferences rightly, whatever the counts: those of BradleyTerry.v and no others. If
   a regular edge loss, bounded below, is right about them at four items, then it has a log-odds link, phi'(-x) =
   e^(kx) phi'(x). Otherwise four items in a ring go wrong: three pairs with nearly the scores that suit them alone,
   and the fourth, compared less often, against its majority. So log-odds add up as scores do (Cauchy's functional
   equation), and an additive function that does not fall is linear. *)
From ConsistencyLab.base Require Import Prelude Sums Ranking Convex Descent Aggregate Near Consistency.
From ConsistencyLab.theorems Require Import BradleyTerry.
Open Scope R_scope.

Section Cauchy.
Variables (f : R -> R) (r : R).
Hypothesis Pr : 0 < r.
Hypothesis add : forall x y, 0 <= x -> 0 <= y -> x + y <= r -> f (x + y) = f x + f y.
Hypothesis mono : forall x y, 0 <= x <= y -> y <= r -> f x <= f y.
(* An additive function that does not fall is linear: its difference from the line can be doubled, but is bounded. *)
Lemma cauchy x : 0 <= x <= r -> f x * r = f r * x.
Proof.
  set (h y := f y * r - f r * y).
  assert (Add : forall y z, 0 <= y -> 0 <= z -> y + z <= r -> h (y + z) = h y + h z)
    by (intros; unfold h; rewrite add by assumption; ring).
  assert (Double : forall y, 0 <= y <= r -> exists z, 0 <= z <= r /\ Rabs (h z) = 2 * Rabs (h y)).
  { assert (E : forall y, Rabs (h y + h y) = 2 * Rabs (h y)) by (intros; unfold Rabs; repeat destruct (Rcase_abs _); lra).
    intros y Hy; destruct (Rle_lt_dec (y + y) r) as [L | L]; [exists (y + y) | exists (r - y + (r - y))]; (split; [lra |]).
    - rewrite Add by lra; apply E.
    - pose proof (Add y (r - y) ltac:(lra) ltac:(lra) ltac:(lra)) as K; replace (y + (r - y)) with r in K by ring.
      assert (Z : h (r - y) = - h y) by (assert (h r = 0) by (unfold h; ring); lra).
      rewrite Add, Z, <- (E y), <- Ropp_plus_distr by lra; apply Rabs_Ropp. }
  destruct (completeness (fun v => exists y, 0 <= y <= r /\ v = Rabs (h y))) as (S & Up & Least).
  { exists (f r * r); intros v (y & Hy & ->); pose proof (mono 0 y ltac:(lra) ltac:(lra)); pose proof (mono y r ltac:(lra)).
    pose proof (add 0 0 ltac:(lra) ltac:(lra) ltac:(lra)) as Z; rewrite Rplus_0_r in Z; apply Rabs_le; unfold h; nra. }
  { exists (Rabs (h 0)), 0; split; [lra | reflexivity]. }
  intros Hx; assert (S <= S / 2).
  { apply Least; intros v (y & Hy & ->); destruct (Double y Hy) as (z & Hz & E).
    assert (Rabs (h z) <= S) by (apply Up; eauto); lra. }
  assert (Rabs (h x) <= S) by (apply Up; eauto); assert (h x = 0); [| unfold h in *; lra].
  destruct (Req_dec (h x) 0) as [| N]; [assumption |]; apply Rabs_pos_lt in N; lra.
Qed.
End Cauchy.

(* Four items in a ring 0, 1, 2, 3. The scores of neighbors differ by x, y, z, and 0 is not above 3; the odds P, Q, S of
   the three pairs ask for a little more than that, and multiply to the odds of 0 over 3, which is compared least. *)
Section Ring.
Variables (phi g : R -> R) (x y z P Q S N1 N2 N3 : R).
Definition ring_counts : matrix := fun i j => match i, j with
  | 0%nat, 1%nat => N1 * P | 1%nat, 0%nat => N1 | 1%nat, 2%nat => N2 * Q | 2%nat, 1%nat => N2
  | 2%nat, 3%nat => N3 * S | 3%nat, 2%nat => N3 | 0%nat, 3%nat => P * Q * S | 3%nat, 0%nat => 1
  | _, _ => 0 end.
Definition strength : scores := fun i => match i with 0%nat => P * Q * S | 1%nat => Q * S | 2%nat => S | _ => 1 end.
Definition ring_scores : scores := fun i => match i with 0%nat => x + y + z | 1%nat => y + z | 2%nat => z | _ => 0 end.
Ltac items i := destruct i as [|[|[|[|i]]]].

Lemma ring_inconsistent : declining phi g -> 0 < P -> 0 < Q -> 0 < S -> 0 < N1 -> 0 < N2 -> 0 < N3 ->
  1 < P * Q * S -> x + y + z <= 0 -> (let F := g (- (x + y + z)) - P * Q * S * g (x + y + z) in
    N1 * (P * g x - g (- x)) = F /\ N2 * (Q * g y - g (- y)) = F /\ N3 * (S * g z - g (- z)) = F) -> exists p,
  is_distribution 4 p /\ bradley_terry 4%nat (aggregate p) /\ ~ consistent_at (edge_loss identity phi 4%nat p) p.
Proof.
  intros reg P0 Q0 S0 M1 M2 M3 Up Down (E1 & E2 & E3); destruct (declining_slopes phi g reg) as (D & mono & _ & _).
  assert (W : forall i, 0 < strength i) by (intros i; items i; cbn; repeat apply Rmult_lt_0_compat; lra).
  assert (BT : forall i j, ring_counts i j * strength j = ring_counts j i * strength i)
    by (intros i j; items i; items j; cbn; ring).
  assert (NN : forall i j, 0 <= ring_counts i j)
    by (intros i j; items i; items j; cbn; try lra; left; repeat apply Rmult_lt_0_compat; lra).
  destruct (realized_inconsistent 4 ring_counts phi ring_scores strength 0 3) as (p & HD & E & N); auto.
  - intros i; items i; reflexivity.
  - apply (stationary_minimizer _ _ _ (fun i j => g (ring_scores i - ring_scores j))); auto.
    + intros; apply mono_subgradient; assumption.
    + intros k Hk; items k; try lia; cbn -[Rminus].
      all: replace (x + y + z - (y + z)) with x by ring; replace (y + z - (x + y + z)) with (- x) by ring;
        replace (y + z - z) with y by ring; replace (z - (y + z)) with (- y) by ring;
        replace (z - 0) with z by ring; replace (0 - z) with (- z) by ring;
        replace (x + y + z - 0) with (x + y + z) by ring; replace (0 - (x + y + z)) with (- (x + y + z)) by ring; lra.
  - intros i j Hi Hj Pd; unfold difference in Pd; pose proof (BT i j); pose proof (W i); pose proof (W j);
      pose proof (NN j i); destruct (Rlt_le_dec (strength j) (strength i)); [assumption | nra].
  - unfold difference; cbn [ring_scores ring_counts]; lra.
  - exists p; split; [exact HD | split; [| exact N]]; exists strength; split; [exact W |].
    intros i j Hi Hj; rewrite !E by assumption; apply BT.
Qed.
End Ring.

Section OnlyIf.
Variables phi g : R -> R.
Hypothesis reg : declining phi g.
Hypothesis right : forall p, is_distribution 4 p -> bradley_terry 4%nat (aggregate p) ->
  consistent_at (edge_loss identity phi 4%nat p) p.

Lemma no_ring x y z P Q S : 0 < P -> 0 < Q -> 0 < S -> g (- x) < P * g x -> g (- y) < Q * g y -> g (- z) < S * g z ->
  x + y + z <= 0 -> P * Q * S <= 1.
Proof.
  intros P0 Q0 S0 Hx Hy Hz Down; destruct (Rle_lt_dec (P * Q * S) 1) as [| Up]; [assumption | exfalso].
  destruct (declining_slopes phi g reg) as (D & mono & neg & g0).
  set (F := g (- (x + y + z)) - P * Q * S * g (x + y + z)).
  assert (PF : 0 < F).
  { pose proof (mono (x + y + z) 0 ltac:(lra)); pose proof (mono (x + y + z) (- (x + y + z)) ltac:(lra)).
    unfold F; nra. }
  destruct (ring_inconsistent phi g x y z P Q S (F / (P * g x - g (- x))) (F / (Q * g y - g (- y)))
    (F / (S * g z - g (- z)))) as (p & HD & BT & N); try assumption; try (apply Rdiv_lt_0_compat; lra).
  - fold F; repeat split; field; lra.
  - exact (N (right p HD BT)).
Qed.

(* The log-odds that suit a difference x of scores. *)
Definition L x := ln (g (- x) / g x).
Lemma exp_L x : g x < 0 -> g (- x) < 0 -> exp (L x) * g x = g (- x).
Proof.
  intros A B; unfold L; rewrite exp_ln; [field; lra |].
  replace (g (- x) / g x) with (- g (- x) / - g x) by (field; lra); apply Rdiv_lt_0_compat; lra.
Qed.
Lemma sums x y z : g x < 0 -> g (- x) < 0 -> g y < 0 -> g (- y) < 0 -> g z < 0 -> g (- z) < 0 -> x + y + z <= 0 ->
  L x + L y + L z <= 0.
Proof.
  intros X X' Y Y' Z Z' Down; destruct (Rle_lt_dec (L x + L y + L z) 0) as [| Up]; [assumption | exfalso].
  set (e := (L x + L y + L z) / 6); assert (Pe : 0 < e) by (unfold e; lra).
  assert (K : forall u, g u < 0 -> g (- u) < 0 -> g (- u) < exp (L u - e) * g u).
  { intros u U U'; unfold Rminus; rewrite exp_plus; pose proof (exp_L u U U').
    assert (exp (- e) < 1) by (rewrite <- exp_0; apply exp_increasing; lra). nra. }
  pose proof (no_ring x y z (exp (L x - e)) (exp (L y - e)) (exp (L z - e)) (exp_pos _) (exp_pos _) (exp_pos _)
    (K x X X') (K y Y Y') (K z Z Z') Down) as B.
  rewrite <- !exp_plus in B; replace (L x - e + (L y - e) + (L z - e)) with (3 * e) in B by (unfold e; field).
  assert (exp 0 < exp (3 * e)) by (apply exp_increasing; lra); rewrite exp_0 in *; lra.
Qed.
Lemma L_odd x : g x < 0 -> g (- x) < 0 -> L (- x) = - L x.
Proof.
  intros A B; unfold L; rewrite Ropp_involutive, <- ln_Rinv; [f_equal; field; lra |].
  replace (g (- x) / g x) with (- g (- x) / - g x) by (field; lra); apply Rdiv_lt_0_compat; lra.
Qed.
Lemma L_0 : L 0 = 0.
Proof. unfold L; rewrite Ropp_0; unfold Rdiv; rewrite Rinv_r, ln_1; pose proof (falls_at_0 _ _ (proj1 reg)); lra. Qed.
Lemma L_add x y : 0 <= x -> 0 <= y -> g (x + y) < 0 -> L (x + y) = L x + L y.
Proof.
  intros Hx Hy N; destruct (declining_slopes phi g reg) as (D & mono & neg & g0).
  assert (K : forall u, 0 <= u <= x + y -> g u < 0 /\ g (- u) < 0)
    by (intros u Hu; pose proof (mono u (x + y) ltac:(lra)); pose proof (mono (- u) 0 ltac:(lra)); lra).
  destruct (K x ltac:(lra)) as [X X'], (K y ltac:(lra)) as [Y Y'], (K (x + y) ltac:(lra)) as [Z Z'].
  pose proof (sums x y (- (x + y)) X X' Y Y' Z' ltac:(rewrite Ropp_involutive; exact Z) ltac:(lra)) as S1.
  pose proof (sums (- x) (- y) (x + y) X' ltac:(rewrite Ropp_involutive; exact X) Y'
    ltac:(rewrite Ropp_involutive; exact Y) Z Z' ltac:(lra)) as S2.
  rewrite !L_odd in * by assumption; lra.
Qed.
Lemma L_mono x y : 0 <= x <= y -> g y < 0 -> L x <= L y.
Proof.
  intros H Y; replace y with (x + (y - x)) in * by ring; rewrite L_add by (try assumption; lra).
  destruct (declining_slopes phi g reg) as (D & mono & neg & g0); pose proof (mono (y - x) (x + (y - x)) ltac:(lra)).
  pose proof (mono (- (y - x)) 0 ltac:(lra)).
  pose proof (sums (- (y - x)) 0 0) as S0; rewrite L_odd, L_0, Ropp_0, Ropp_involutive in S0 by lra.
  assert (- L (y - x) + 0 + 0 <= 0) by (apply S0; lra); lra.
Qed.
Lemma L_linear : exists k, 0 <= k /\ forall x, 0 <= x -> g x < 0 -> L x = k * x.
Proof.
  destruct (declining_slopes phi g reg) as (D & mono & neg & g0).
  assert (C : forall r x, 0 < r -> g r < 0 -> 0 <= x <= r -> L x * r = L r * x).
  { intros r x Pr Hr Hx; apply cauchy; [assumption | | | assumption].
    - intros u v Hu Hv Huv; apply L_add; auto; pose proof (mono (u + v) r Huv); lra.
    - intros u v H Hv; apply L_mono; [assumption |]; pose proof (mono v r Hv); lra. }
  assert (X : exists r, 0 < r /\ g r < 0).
  { destruct (neg 1) as [H | H]; [exists 1; split; [lra | exact H] |].
    destruct (slope_takes phi g 0 1 (g 0 / 2) D mono) as (r & Hr & E); [lra | lra |].
    exists r; split; [| lra]; destruct (proj1 Hr) as [| <-]; lra. }
  destruct X as (r & Pr & Hr); exists (L r / r); split.
  { pose proof (L_mono 0 r ltac:(lra) Hr); rewrite L_0 in *; apply Rmult_le_pos; [lra | left; apply
      Rinv_0_lt_compat, Pr]. }
  intros x Hx Nx; apply Rmult_eq_reg_r with r; [| lra]; replace (L r / r * x * r) with (L r * x) by (field; lra).
  destruct (Rle_lt_dec x r) as [B | B]; [apply C; lra |]; pose proof (C x r ltac:(lra) Nx ltac:(lra)); lra.
Qed.
Lemma four_items_link b : (forall x, b <= phi x) -> exists k, 0 < k /\ log_odds_link k g.
Proof.
  intros below; destruct (declining_slopes phi g reg) as (D & mono & neg & g0); destruct L_linear as (k & Pk & K).
  assert (Lk : forall x, 0 <= x -> g x < 0 -> g (- x) = exp (k * x) * g x).
  { intros x Hx Nx; pose proof (mono (- x) 0 ltac:(lra)); rewrite <- K, exp_L by (try assumption; lra); reflexivity. }
  (* phi never stops falling: towards a point where it would, the odds would be finite. *)
  assert (N : forall x, 0 <= x -> g x < 0).
  { intros x Hx; destruct (neg x) as [| Z]; [assumption | exfalso].
    set (v := g 0 * exp (- (k * x + 1))); pose proof (Rmult_le_pos k x Pk Hx).
    assert (Hv : g 0 < v < 0).
    { pose proof (exp_increasing (- (k * x + 1)) 0 ltac:(lra)) as Q; rewrite exp_0 in Q;
      pose proof (exp_pos (- (k * x + 1))); unfold v; nra. }
    destruct (slope_takes phi g 0 x v D mono) as (u & Hu & Eu); [destruct Hx as [| <-]; lra | lra |].
    pose proof (Lk u ltac:(lra) ltac:(lra)) as Q; pose proof (mono (- u) 0 ltac:(lra)).
    rewrite Eu in Q; unfold v in Q; replace (exp (k * u) * (g 0 * exp (- (k * x + 1)))) with
      (g 0 * (exp (k * u) * exp (- (k * x + 1)))) in Q by ring; rewrite <- exp_plus in Q.
    assert (k * u <= k * x) by (apply Rmult_le_compat_l; lra).
    pose proof (exp_increasing (k * u + - (k * x + 1)) 0 ltac:(lra)) as X; rewrite exp_0 in X; nra. }
  assert (Link : log_odds_link k g).
  { intros x; destruct (Rle_lt_dec 0 x) as [B | B]; [auto |]; pose proof (Lk (- x) ltac:(lra) (N (- x)
    ltac:(lra))) as Q.
    rewrite Ropp_involutive in Q; rewrite Q, <- Rmult_assoc, <- exp_plus; replace (k * x + k * - x) with 0 by ring.
    rewrite exp_0; ring. }
  exists k; split; [| exact Link]; destruct Pk as [| <-]; [assumption | exfalso].
  (* With k = 0 the loss would be a line. *)
  destruct (levels_off phi g b (g 0) (proj1 reg) below g0) as (x & Px & G); pose proof (Link x) as E;
    pose proof (mono (- x) 0 ltac:(lra)).
  rewrite Rmult_0_l, exp_0 in E; lra.
Qed.
End OnlyIf.

(* Four items are enough to tell. Neither continuity of the link nor that it rises is assumed. *)
Theorem bradley_terry_only_log_odds phi g b : declining phi g -> (forall x, b <= phi x) ->
  (forall p, is_distribution 4 p -> bradley_terry 4%nat (aggregate p) -> consistent_at (edge_loss identity
    phi 4%nat p) p) -> exists k, 0 < k /\ log_odds_link k g.
Proof. intros reg below right; exact (four_items_link phi g reg right b below). Qed.
Corollary bradley_terry_iff_log_odds phi g b : declining phi g -> (forall x, b <= phi x) ->
  consistent_under bradley_terry (edge_loss identity phi) <-> exists k, 0 < k /\ log_odds_link k g.
Proof.
  intros reg below; split; [intros H; apply (bradley_terry_only_log_odds phi g b reg below); intros p; apply H |].
  intros (k & Pk & link); exact (bradley_terry_consistent phi g k b (proj1 reg) below Pk link).
Qed.
