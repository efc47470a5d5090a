(* DMJ10 Lemma 10, both conditions, for every convex phi that falls anywhere to the right of 0: no derivative, no
   Assumption A, no minimizer. Three items are preferred in the order 1, 2, 3 (here 0, 1, 2), and the surrogate risk is
   h12 phi(x1-x2) + h13 phi(x1-x3) + h23 phi(x2-x3) + h31 phi(x3-x1). Under Condition 1 scores in that order cost no
   less than some that tie items 2 and 3, under Condition 2 no less than some that tie items 1 and 2. *)
From Coq Require Import Reals Lra Lia Arith List Bool.
From ConsistencyLab.base Require Import Sums Ranking Convex Consistency.
Open Scope R_scope.

Definition four_edges (phi : R -> R) h12 h13 h23 h31 (alpha : scores) :=
  h12 * phi (alpha 0%nat - alpha 1%nat) + h13 * phi (alpha 0%nat - alpha 2%nat)
  + h23 * phi (alpha 1%nat - alpha 2%nat) + h31 * phi (alpha 2%nat - alpha 0%nat).
Definition falls (phi : R -> R) := exists x, 0 < x /\ phi x < phi 0.

Section Lemma10.
Variable phi : R -> R.
Hypothesis C : convex phi.
Hypothesis F : falls phi.
(* With mu = (h12 + h13)/h12 and T = (x2 - x3)/mu, move item 1 down by T and item 2 down to item 3. *)
Lemma condition_1 h12 h13 h23 h31 alpha : 0 < h12 -> 0 < h13 -> 0 <= h23 -> 0 <= h31 ->
  h23 * (h13 + h12) < h31 * h12 -> alpha 1%nat < alpha 0%nat -> alpha 2%nat < alpha 1%nat ->
  exists beta, beta 1%nat = beta 2%nat /\ four_edges phi h12 h13 h23 h31 beta <= four_edges phi h12 h13 h23 h31 alpha.
Proof.
  intros P12 P13 P23 P31 Cond L1 L2; destruct F as (x & Hx & Lx).
  set (mu := (h12 + h13) / h12); assert (Emu : mu * h12 = h12 + h13) by (unfold mu; field; lra).
  assert (Hmu : 1 < mu) by (apply Rmult_lt_reg_r with h12; lra).
  set (T := (alpha 1%nat - alpha 2%nat) / mu).
  assert (ET : T * mu = alpha 1%nat - alpha 2%nat) by (unfold T; field; lra).
  assert (HT : 0 < T) by (unfold T; apply Rdiv_lt_0_compat; lra).
  exists (fun i => match i with 0%nat => alpha 0%nat - T | _ => alpha 2%nat end); split; [reflexivity |];
    unfold four_edges.
  set (y := alpha 0%nat - T - alpha 2%nat).
  replace (alpha 2%nat - alpha 2%nat) with 0 by ring.
  replace (alpha 2%nat - (alpha 0%nat - T)) with (- y) by (unfold y; ring).
  assert (Hy : 0 < y) by (unfold y; nra).
  (* Subgradients of phi at y, 0 and -y; those at 0 and -y are negative. *)
  destruct (subgradient_exists phi y C) as (s & S); destruct (subgradient_exists phi 0 C) as (z & Z).
  destruct (subgradient_exists phi (- y) C) as (w & Wy).
  assert (z < 0) by (specialize (Z x); nra).
  assert (w <= z) by (apply (subgradient_mono phi (- y) 0); auto; lra).
  pose proof (S (alpha 0%nat - alpha 1%nat)) as I1; pose proof (S (alpha 0%nat - alpha 2%nat)) as I2.
  pose proof (Z (alpha 1%nat - alpha 2%nat)) as I3; pose proof (Wy (alpha 2%nat - alpha 0%nat)) as I4.
  replace (alpha 0%nat - alpha 1%nat - y) with (T - T * mu) in I1 by (unfold y; lra).
  replace (alpha 0%nat - alpha 2%nat - y) with T in I2 by (unfold y; ring).
  replace (alpha 1%nat - alpha 2%nat - 0) with (T * mu) in I3 by lra.
  replace (alpha 2%nat - alpha 0%nat - - y) with (- T) in I4 by (unfold y; ring).
  apply Rmult_le_compat_l with (r := h12) in I1; [| lra]; apply Rmult_le_compat_l with (r := h13) in I2; [| lra].
  apply Rmult_le_compat_l with (r := h23) in I3; [| lra]; apply Rmult_le_compat_l with (r := h31) in I4; [| lra].
  assert (K : 0 <= h12 * (s * (T - T * mu)) + h13 * (s * T) + h23 * (z * (T * mu)) + h31 * (w * - T)); [| lra].
  replace (h12 * (s * (T - T * mu)) + h13 * (s * T)) with (s * T * (h12 + h13 - mu * h12)) by ring; rewrite Emu.
  replace (s * T * (h12 + h13 - (h12 + h13))) with 0 by ring.
  assert (K1 : h31 * w <= h31 * z) by (apply Rmult_le_compat_l; lra).
  assert (K2 : 0 <= h23 * mu * z - h31 * z).
  { assert (h23 * mu < h31); [| nra]. apply Rmult_lt_reg_r with h12; [lra |]. rewrite Rmult_assoc, Emu; lra. }
  nra.
Qed.
(* Condition 2 is Condition 1 with the items in reverse order and the scores negated. *)
Lemma condition_2 h12 h13 h23 h31 alpha : 0 <= h12 -> 0 < h13 -> 0 < h23 -> 0 <= h31 ->
  h12 * (h13 + h23) < h31 * h23 -> alpha 1%nat < alpha 0%nat -> alpha 2%nat < alpha 1%nat ->
  exists beta, beta 0%nat = beta 1%nat /\ four_edges phi h12 h13 h23 h31 beta <= four_edges phi h12 h13 h23 h31 alpha.
Proof.
  intros P12 P13 P23 P31 Cond L1 L2; set (turn := fun (al : scores) i => - al (2 - i)%nat).
  assert (E : forall al, four_edges phi h23 h13 h12 h31 (turn al) = four_edges phi h12 h13 h23 h31 al).
  { intros al; unfold four_edges, turn; cbn [Nat.sub].
    replace (- al 2%nat - - al 1%nat) with (al 1%nat - al 2%nat) by ring.
    replace (- al 2%nat - - al 0%nat) with (al 0%nat - al 2%nat) by ring.
    replace (- al 1%nat - - al 0%nat) with (al 0%nat - al 1%nat) by ring.
    replace (- al 0%nat - - al 2%nat) with (al 2%nat - al 0%nat) by ring; ring. }
  destruct (condition_1 h23 h13 h12 h31 (turn alpha)) as (beta & T & K); try assumption; try (unfold turn;
    cbn [Nat.sub]; lra).
  exists (turn beta); split; [unfold turn; cbn [Nat.sub]; lra |].
  rewrite <- (E alpha), <- (E (turn beta)); eapply Rle_trans; [right | exact K]; unfold four_edges, turn;
    cbn [Nat.sub]; rewrite !Ropp_involutive; reflexivity.
Qed.

(* DMJ10 Lemma 10: no surrogate risk of this form is edge-consistent at p. *)
Theorem lemma_10 p V h12 h13 h23 h31 : 0 < h12 -> 0 < h13 -> 0 < h23 -> 0 <= h31 ->
  h23 < h31 * h12 / (h13 + h12) \/ h12 < h31 * h23 / (h13 + h23) ->
  (forall alpha, A p alpha -> alpha 2%nat < alpha 1%nat < alpha 0%nat) ->
  (forall alpha, V alpha = four_edges phi h12 h13 h23 h31 alpha) -> ~ consistent_at V p.
Proof.
  intros P12 P13 P23 P31 Cond HA HV; apply matched; intros alpha Ha; destruct (HA alpha Ha) as [L2 L1].
  destruct Cond as [Cond | Cond].
  - destruct (condition_1 h12 h13 h23 h31 alpha) as (beta & T & K); try lra.
    { apply (Rmult_lt_compat_r (h13 + h12)) in Cond; [| lra].
      replace (h31 * h12 / (h13 + h12) * (h13 + h12)) with (h31 * h12) in Cond by (field; lra); exact Cond. }
    exists beta; rewrite !HV; split; [intros Hb; specialize (HA beta Hb); lra | exact K].
  - destruct (condition_2 h12 h13 h23 h31 alpha) as (beta & T & K); try lra.
    { apply (Rmult_lt_compat_r (h13 + h23)) in Cond; [| lra].
      replace (h31 * h23 / (h13 + h23) * (h13 + h23)) with (h31 * h23) in Cond by (field; lra); exact Cond. }
    exists beta; rewrite !HV; split; [intros Hb; specialize (HA beta Hb); lra | exact K].
Qed.
End Lemma10.

(* The lemma as printed: p has no edges but 12, 13, 23 and 31, a13 > a31, and h_ij is the mean of h(a_ij). *)
Section FourEdges.
Variables (h phi : R -> R) (p : distribution).
Definition between i j (e : edge) := ((src e =? i) && (dst e =? j))%nat%bool.
Definition weighed i j (G : graph) := total (fun e => if between i j e then h (wt e) else 0) G.
Definition on_four_edges (G : graph) := Forall (fun e => between 0 1 e = true \/ between 0 2 e = true \/
  between 1 2 e = true \/ between 2 0 e = true) G.
Hypothesis four : Forall (fun q => on_four_edges (snd q)) p.
Lemma graph_on_four_edges alpha G : on_four_edges G ->
  total (fun e => h (wt e) * phi (alpha (src e) - alpha (dst e))) G =
    four_edges phi (weighed 0 1 G) (weighed 0 2 G) (weighed 1 2 G) (weighed 2 0 G) alpha.
Proof.
  unfold four_edges, weighed; induction 1 as [| [i j w] G E _ IH]; cbn [total]; [ring |]; rewrite IH; clear IH.
  unfold between in *; cbn [src dst wt] in *.
  destruct i as [| [| [| i]]], j as [| [| [| j]]]; cbn [Nat.eqb andb] in *;
    try (exfalso; intuition discriminate); ring.
Qed.
Lemma risk_on_four_edges alpha : edge_loss h phi 3%nat p alpha = four_edges phi (mean p (weighed 0 1))
  (mean p (weighed 0 2)) (mean p (weighed 1 2)) (mean p (weighed 2 0)) alpha.
Proof.
  unfold edge_loss, mean; revert four; induction p as [| [q G] t IH]; intros K; cbn [total fst snd];
    [unfold four_edges; ring |]; inversion K; rewrite IH, graph_on_four_edges by assumption.
  unfold four_edges; ring.
Qed.
Lemma never_preferred i j : (i = 1 /\ j = 0 \/ i = 2 /\ j = 1)%nat -> aggregate p i j = 0.
Proof.
  intros N; unfold aggregate, mean; revert four; induction p as [| [q G] t IH]; intros K;
    cbn [total fst snd]; [reflexivity |]; inversion K as [| ? ? E Kt]; subst; cbn [snd] in E.
  rewrite (IH Kt); assert (Z : total (ind i j) G = 0); [| rewrite Z; ring].
  clear -E N; induction E as [| e G H _ IH]; cbn [total]; [reflexivity |]; rewrite IH; unfold between, ind in *.
  destruct e as [k l w]; cbn [src dst wt] in *; destruct N as [[-> ->] | [-> ->]].
  all: destruct k as [| [| [| k]]], l as [| [| [| l]]]; cbn [Nat.eqb andb] in *;
    try (exfalso; intuition discriminate); ring.
Qed.
Theorem lemma_10_printed : convex phi -> falls phi -> is_distribution 3 p ->
  0 < aggregate p 0%nat 1%nat -> 0 < aggregate p 1%nat 2%nat ->
  aggregate p 2%nat 0%nat < aggregate p 0%nat 2%nat ->
  let h12 := mean p (weighed 0 1) in let h13 := mean p (weighed 0 2) in
  let h23 := mean p (weighed 1 2) in let h31 := mean p (weighed 2 0) in
  0 < h12 -> 0 < h13 -> 0 < h23 -> 0 <= h31 ->
  h23 < h31 * h12 / (h13 + h12) \/ h12 < h31 * h23 / (h13 + h23) ->
  ~ consistent_at (edge_loss h phi 3%nat p) p.
Proof.
  intros C F HD P12 P23 P13 h12 h13 h23 h31 H12 H13 H23 H31 Cond.
  pose proof (never_preferred 1 0 ltac:(auto)) as Z1; pose proof (never_preferred 2 1 ltac:(auto)) as Z2.
  apply (lemma_10 phi C F p _ h12 h13 h23 h31 H12 H13 H23 H31 Cond); [| exact risk_on_four_edges].
  assert (G : ordered_by (fun i => - INR i) 3%nat (aggregate p)).
  { intros [| [| [| i]]] [| [| [| j]]] Hi Hj; try lia; unfold difference; cbn; lra. }
  intros alpha HA; split; [apply (A_strict 3 p _ 1 2 alpha HD G) | apply (A_strict 3 p _ 0 1 alpha HD G)];
    auto; unfold difference; lra.
Qed.
End FourEdges.
