(* Convex functions of one real variable: subgradients exist, and the derivative of a convex differentiable
   function is a subgradient, does not fall, and is continuous, even uniformly so where the function is not large, if
   it is bounded below and falls at 0. Then the classes of scalar losses phi that the theorems speak of. *)
From Coq Require Import Reals Lra Classical_Prop.
Open Scope R_scope.

Definition convex (f : R -> R) := forall x y t, 0 <= t <= 1 -> f (t * x + (1 - t) * y) <= t * f x + (1 - t) * f y.
Lemma three_points f x y z : (forall t, 0 <= t <= 1 -> f (t * x + (1 - t) * z) <= t * f x + (1 - t) * f z) ->
  x < y < z -> (f y - f x) * (z - y) <= (f z - f y) * (y - x).
Proof.
  intros C H; set (t := (z - y) / (z - x)).
  assert (Et : t * (z - x) = z - y) by (unfold t; field; lra).
  assert (Ht : 0 <= t <= 1) by (split; apply Rmult_le_reg_r with (z - x); lra).
  pose proof (C t Ht) as K; replace (t * x + (1 - t) * z) with y in K by lra. nra.
Qed.
Definition subgradient f x s := forall y, f x + s * (y - x) <= f y.
(* For f that is convex on an interval I, x being inside. *)
Lemma supporting_line (I : R -> Prop) f x d : 0 < d -> I (x - d) -> I (x + d) -> (forall y z t, I y -> I z ->
  0 <= t <= 1 -> f (t * y + (1 - t) * z) <= t * f y + (1 - t) * f z) -> exists s, forall y, I y -> f x + s * (y - x) <= f y.
Proof.
  intros Pd Il Ir C; set (E := fun v => exists y, I y /\ y < x /\ v = (f x - f y) / (x - y)).
  assert (B : forall z v, I z -> x < z -> E v -> v <= (f z - f x) / (z - x)).
  { intros z v Iz Hz (y & Iy & Hy & ->); apply Rmult_le_reg_r with ((x - y) * (z - x)); [nra |].
    pose proof (three_points f y x z (fun t => C y z t Iy Iz) ltac:(lra)).
    replace ((f x - f y) / (x - y) * ((x - y) * (z - x))) with ((f x - f y) * (z - x)) by (field; lra).
    replace ((f z - f x) / (z - x) * ((x - y) * (z - x))) with ((f z - f x) * (x - y)) by (field; lra); lra. }
  destruct (completeness E) as (s & Hs & Hlub).
  { exists ((f (x + d) - f x) / (x + d - x)); intros v; apply B; [exact Ir | lra]. }
  { exists ((f x - f (x - d)) / (x - (x - d))), (x - d); split; [exact Il | split; [lra | reflexivity]]. }
  exists s; intros y Iy; destruct (Rtotal_order y x) as [L | [-> | L]]; [| lra |].
  - assert (Q : (f x - f y) / (x - y) <= s) by (apply Hs; exists y; auto).
    assert ((f x - f y) / (x - y) * (x - y) <= s * (x - y)) by (apply Rmult_le_compat_r; lra).
    replace ((f x - f y) / (x - y) * (x - y)) with (f x - f y) in H by (field; lra); lra.
  - assert (Q : s <= (f y - f x) / (y - x)) by (apply Hlub; intros v Hv; apply B; assumption).
    assert (s * (y - x) <= (f y - f x) / (y - x) * (y - x)) by (apply Rmult_le_compat_r; lra).
    replace ((f y - f x) / (y - x) * (y - x)) with (f y - f x) in H by (field; lra); lra.
Qed.
Lemma subgradient_exists f x : convex f -> exists s, subgradient f x s.
Proof.
  intros C; destruct (supporting_line (fun _ => True) f x 1 Rlt_0_1 I I (fun y z t _ _ => C y z t)) as (s & S).
  exists s; intros y; apply (S y I).
Qed.
Lemma subgradient_mono f x y s t : subgradient f x s -> subgradient f y t -> x < y -> s <= t.
Proof. intros S T L; specialize (S y); specialize (T x); nra. Qed.

(* Where the slope at 0 is negative, what counts more for x than for -x falls. *)
Lemma falls_at_tie phi l u v : derivable_pt_lim phi 0 l -> l < 0 -> 0 <= v < u ->
  exists t, 0 < t /\ u * phi t + v * phi (- t) < (u + v) * phi 0.
Proof.
  intros slope Pl H; set (F := fun t => u * phi t + v * phi (- t)).
  assert (D : derivable_pt_lim F 0 (u * l + v * (l * - 1))).
  { unfold F; apply derivable_pt_lim_plus; apply derivable_pt_lim_scal; [exact slope |].
    apply (derivable_pt_lim_comp Ropp phi);
      [apply derivable_pt_lim_opp, derivable_pt_lim_id | rewrite Ropp_0; exact slope]. }
  destruct (D ((u - v) * - l) ltac:(apply Rmult_lt_0_compat; lra)) as [d Hd]; pose proof (cond_pos d).
  exists (d / 2); split; [lra |].
  pose proof (Hd (d / 2) ltac:(lra) ltac:(rewrite Rabs_right; lra)) as K; rewrite Rplus_0_l in K; apply Rabs_def2 in K.
  assert (E : F (d / 2) - F 0 = (F (d / 2) - F 0) / (d / 2) * (d / 2)) by (field; lra).
  fold (F (d / 2)); replace ((u + v) * phi 0) with (F 0) by (unfold F; rewrite Ropp_0; ring); nra.
Qed.
Lemma derivative_subgradient f x l : convex f -> derivable_pt_lim f x l -> subgradient f x l.
Proof.
  intros C D; destruct (subgradient_exists f x C) as (s & S); replace l with s; [exact S |].
  assert (E : derivable_pt_lim (f - mult_real_fct s id)%F x (l - s * 1))
    by (apply derivable_pt_lim_minus; [exact D | apply derivable_pt_lim_scal, derivable_pt_lim_id]).
  pose proof (deriv_minimum _ (x - 1) (x + 1) x (exist _ _ E) ltac:(lra) ltac:(lra)) as Z.
  cbn in Z; enough (l - s * 1 = 0) by lra; apply Z; intros y _ _; specialize (S y).
  unfold minus_fct, mult_real_fct, id; lra.
Qed.
Lemma subgradients_convex f : (forall x, exists s, subgradient f x s) -> convex f.
Proof.
  intros H x y t Ht; destruct (H (t * x + (1 - t) * y)) as (s & S).
  pose proof (S x) as Sx; pose proof (S y) as Sy. nra.
Qed.
Lemma mono_subgradient phi g x : (forall x, derivable_pt_lim phi x (g x)) -> (forall x y, x <= y -> g x <= g y) ->
  subgradient phi x (g x).
Proof.
  intros D mono y; destruct (Rtotal_order x y) as [C | [-> | C]]; [| lra |].
  - destruct (MVT_cor2 phi g x y C (fun c _ => D c)) as (c & E & Hc); pose proof (mono x c ltac:(lra)); nra.
  - destruct (MVT_cor2 phi g y x C (fun c _ => D c)) as (c & E & Hc); pose proof (mono c x ltac:(lra)); nra.
Qed.
Lemma slope_mono f g : convex f -> (forall x, derivable_pt_lim f x (g x)) -> forall x y, x <= y -> g x <= g y.
Proof. intros C D x y [L | ->]; [| lra]; apply (subgradient_mono f x y); auto using derivative_subgradient. Qed.

Lemma slope_continuous phi g : (forall x, derivable_pt_lim phi x (g x)) -> (forall x y, x <= y -> g x <= g y) ->
  continuity g.
Proof.
  intros D mono x e He; destruct (D x (e / 4) ltac:(lra)) as [d Hd]; pose proof (cond_pos d).
  exists (d / 2); split; [lra |]; intros y [[_ Ny] Hy]; cbn in *; unfold R_dist in *; set (h := y - x) in *.
  assert (Nh : h <> 0) by (unfold h; lra); pose proof (Rabs_pos_lt h Nh) as Ph.
  pose proof (Hd (2 * h) ltac:(lra) ltac:(rewrite Rabs_mult, (Rabs_right 2); lra)) as K.
  apply (Rmult_lt_compat_r (Rabs (2 * h))) in K; [| rewrite Rabs_mult, (Rabs_right 2); lra].
  rewrite <- Rabs_mult, (Rabs_mult 2), (Rabs_right 2) in K by lra.
  replace (((phi (x + 2 * h) - phi x) / (2 * h) - g x) * (2 * h)) with (phi (x + 2 * h) - phi x - g x * (2 * h)) in K
    by (field; exact Nh).
  pose proof (mono_subgradient phi g y D mono (x + 2 * h)) as T; pose proof (mono_subgradient phi g x D mono y) as T'.
  replace (x + 2 * h - y) with h in T by (unfold h; ring); fold h in T'; apply Rabs_def2 in K.
  assert (P : 0 <= (g y - g x) * h)
    by (destruct (Rle_lt_dec x y); [pose proof (mono x y) | pose proof (mono y x)]; unfold h in *; nra).
  apply Rmult_lt_reg_r with (Rabs h); [exact Ph |]; rewrite <- Rabs_mult, Rabs_right; nra.
Qed.

Lemma slope_takes phi g x y v : (forall x, derivable_pt_lim phi x (g x)) -> (forall x y, x <= y -> g x <= g y) -> x < y ->
  g x <= v <= g y -> exists z, x <= z <= y /\ g z = v.
Proof.
  intros D mono L V; destruct (IVT_cor (fun z => g z - v) x y) as (z & Hz & E); [| lra | nra | exists z; lra].
  apply continuity_minus; [apply (slope_continuous phi g D mono) | apply continuity_const; intros ? ?; reflexivity].
Qed.
Lemma slope_turned phi g : (forall x, derivable_pt_lim phi x (g x)) -> (forall x y, x <= y -> g x <= g y) ->
  continuity (fun x => g (- x)).
Proof.
  intros D mono; apply (continuity_comp Ropp g); [apply continuity_opp, derivable_continuous, derivable_id |].
  apply (slope_continuous phi g D mono).
Qed.

(* Where phi is not large, its slope is uniformly continuous: phi grows without bound behind, and ahead if it rises. *)
Lemma slope_uniform phi g b C e : (forall x, derivable_pt_lim phi x (g x)) -> (forall x y, x <= y -> g x <= g y) ->
  g 0 < 0 -> (forall x, b <= phi x) -> 0 < e ->
  exists d, 0 < d /\ forall x y, phi x <= C -> Rabs (x - y) <= d -> Rabs (g x - g y) <= e.
Proof.
  intros D mono g0 below He; pose proof (slope_continuous phi g D mono) as cont.
  pose proof (fun x => mono_subgradient phi g x D mono) as tan; set (M := (C - phi 0) / - g 0).
  assert (Low : forall x, phi x <= C -> - M <= x).
  { intros x L; pose proof (tan 0 x); apply Rmult_le_reg_r with (- g 0); [lra |].
    replace (- M * - g 0) with (phi 0 - C) by (unfold M; field; lra); lra. }
  assert (X : exists x0, forall x y, phi x <= C -> x0 <= x -> x0 <= y -> Rabs (g x - g y) <= e).
  { destruct (Classical_Prop.classic (exists x1, 0 < g x1)) as [(x1 & P) | N].
    - exists (x1 + (C - phi x1) / g x1 + 1); intros x y L Hx _; pose proof (tan x1 x).
      assert ((C - phi x1) / g x1 * g x1 = C - phi x1) by (field; lra); nra.
    - assert (neg : forall x, g x <= 0) by (intros x; apply Rnot_lt_le; intros P; apply N; exists x; exact P).
      destruct (completeness (fun v => exists x, v = g x)) as (L & HL & Hlub).
      { exists 0; intros v (x & ->); apply neg. }
      { exists (g 0), 0; reflexivity. }
      assert (X : exists x0, L - e < g x0).
      { destruct (Classical_Prop.classic (exists x0, L - e < g x0)) as [| F]; [assumption | exfalso].
        assert (L <= L - e); [| lra]. apply Hlub; intros v (x & ->); apply Rnot_lt_le; intros P; apply F; eauto. }
      destruct X as (x0 & Hx0); exists x0; intros x y _ Hx Hy; assert (G : forall w, x0 <= w -> L - e < g w <= L).
      { intros w Hw; split; [pose proof (mono x0 w Hw); lra | apply HL; exists w; reflexivity]. }
      pose proof (G x Hx); pose proof (G y Hy); apply Rabs_le; lra. }
  destruct X as (x0 & tail).
  destruct (Heine g (fun x => - M - 1 <= x <= x0 + 1) (compact_P3 (- M - 1) (x0 + 1)) (fun x _ => cont x)
    (mkposreal e He)) as [d Hd].
  pose proof (cond_pos d) as Pd; exists (Rmin (d / 2) 1); split; [apply Rmin_pos; lra |].
  intros x y Hx Hxy; pose proof (Rmin_l (d / 2) 1); pose proof (Rmin_r (d / 2) 1); pose proof (Low x Hx).
  assert (S : x - y <= 1 /\ y - x <= 1) by (pose proof (Rle_abs (x - y)); pose proof (Rle_abs (- (x - y)));
    rewrite Rabs_Ropp in *; lra).
  destruct (Rle_lt_dec x (x0 + 1)); [destruct (Rle_lt_dec y (x0 + 1)) |]; [left; apply (Hd x y); lra | apply tail;
    lra | apply tail; lra].
Qed.

(* A regular loss: convex, differentiable with derivative g, g(0) < 0. *)
Record regular (phi g : R -> R) := {
  is_convex : convex phi;
  has_slope : forall x, derivable_pt_lim phi x (g x);
  falls_at_0 : g 0 < 0 }.
Lemma regular_slopes phi g : regular phi g ->
  (forall x, derivable_pt_lim phi x (g x)) /\ (forall x y, x <= y -> g x <= g y) /\ g 0 < 0.
Proof. intros [C D g0]; repeat split; auto; apply (slope_mono phi g C D). Qed.
(* u(x) = -phi'(x) - phi'(-x), with which a tied pair is pushed apart, is nowhere negative. *)
Definition pushes (g : R -> R) := forall x, 0 <= - g x - g (- x).
(* A declining loss: regular, and nonincreasing. *)
Definition declining (phi g : R -> R) := regular phi g /\ forall x y, x <= y -> phi y <= phi x.
Lemma declining_slopes phi g : declining phi g ->
  (forall x, derivable_pt_lim phi x (g x)) /\ (forall x y, x <= y -> g x <= g y) /\ (forall x, g x <= 0) /\ g 0 < 0.
Proof.
  intros [[C D g0] F]; repeat split; auto; [apply (slope_mono phi g C D) |].
  intros x; pose proof (derivative_subgradient phi x (g x) C (D x) (x + 1)); pose proof (F x (x + 1) ltac:(lra)); lra.
Qed.
(* Bounded below, phi gets as level as one likes. *)
Lemma levels_off phi g b v : regular phi g -> (forall x, b <= phi x) -> v < 0 -> exists x, 0 < x /\ v < g x.
Proof.
  intros reg below Pv; pose proof (below 0); set (x := (phi 0 - b + 1) / - v).
  assert (Px : 0 < x) by (apply Rdiv_lt_0_compat; lra).
  assert (Ex : x * - v = phi 0 - b + 1) by (unfold x; field; lra); exists x; split; [exact Px |].
  destruct (Rlt_le_dec v (g x)) as [| L]; [assumption | exfalso]; pose proof (below x).
  pose proof (derivative_subgradient phi x (g x) (is_convex _ _ reg) (has_slope _ _ reg x) 0); nra.
Qed.
Lemma slopes_declining phi g : (forall x, derivable_pt_lim phi x (g x)) -> (forall x y, x <= y -> g x <= g y) ->
  (forall x, g x <= 0) -> g 0 < 0 -> declining phi g.
Proof.
  intros D mono neg g0; split; [split; auto; apply subgradients_convex; intros x; exists (g x);
    apply (mono_subgradient phi g x D mono) |].
  intros x y [L | ->]; [| lra].
  destruct (MVT_cor2 phi g x y L (fun c _ => D c)) as (c & E & _); pose proof (neg c); nra.
Qed.
(* A line plus an even function, as the logistic loss is: -phi'(x) - phi'(-x) is constant. *)
Definition even_plus_line (g : R -> R) := forall x, - g x - g (- x) = - 2 * g 0.
(* A log-odds link: the two slopes of a pair have the ratio e^(kx). *)
Definition log_odds_link (k : R) (g : R -> R) := forall x, g (- x) = exp (k * x) * g x.

Definition strictly_convex (f : R -> R) :=
  forall x y t, x <> y -> 0 < t < 1 -> f (t * x + (1 - t) * y) < t * f x + (1 - t) * f y.
(* 1-coercive: f grows faster than every multiple of |x|. *)
Definition coercive (f : R -> R) := forall K, exists M, forall x, M <= Rabs x -> K * Rabs x <= f x.
Lemma strictly_convex_convex f : strictly_convex f -> convex f.
Proof.
  intros S x y t Ht.
  destruct (Req_dec t 0) as [-> | N0]; [right; replace (0 * x + (1 - 0) * y) with y by ring; ring |].
  destruct (Req_dec t 1) as [-> | N1]; [right; replace (1 * x + (1 - 1) * y) with x by ring; ring |].
  destruct (Req_dec x y) as [-> | N]; [| left; apply S; [assumption | lra]].
  right; replace (t * y + (1 - t) * y) with y by ring; ring.
Qed.
