(* DMJ10 Lemma 10, both conditions, for every convex phi that falls anywhere to the right of 0: no derivative, no
   Assumption A, no minimizer. Three items are preferred in the order 1, 2, 3 (here 0, 1, 2), and the surrogate risk is
   h12 phi(x1-x2) + h13 phi(x1-x3) + h23 phi(x2-x3) + h31 phi(x3-x1). Under Condition 1 scores in that order cost no
   less than some that tie items 2 and 3, under Condition 2 no less than some that tie items 1 and 2. *)
From Coq Require Import Bool.
From ConsistencyLab.base Require Import Prelude Sums Ranking Convex Consistency.
Open Scope R_scope.

Definition four_edges (phi : R -> R) h12 h13 h23 h31 (alpha : scores) :=
  h12 * phi (alpha 0%nat - alpha 1%nat) + h13 * phi (alpha 0%nat - alpha 2%nat)
  + h23 * phi (alpha 1%nat - alpha 2%nat) + h31 * phi (alpha 2%nat - alpha 0%nat).
(* Items 1, 2, 3 come in this order. *)
Definition in_order_123 (alpha : scores) := alpha 2%nat < alpha 1%nat < alpha 0%nat.
Definition falls (phi : R -> R) := exists x, 0 < x /\ phi x < phi 0.

(* The same with weights on all six edges: against them the order costs more. *)
Definition six_edges (phi : R -> R) h12 h13 h21 h23 h31 h32 (alpha : scores) := four_edges phi h12 h13 h23 h31 alpha
  + h21 * phi (alpha 1%nat - alpha 0%nat) + h32 * phi (alpha 2%nat - alpha 1%nat).

Section Lemma10.
Variable phi : R -> R.
Hypothesis C : convex phi.
Hypothesis F : falls phi.
(* With mu = (h12 + h13)/h12 and T = (x2 - x3)/mu, move item 1 down by T and item 2 down to item 3. *)
Lemma tie_of_2_and_3 h12 h13 h21 h23 h31 h32 alpha : 0 < h12 -> 0 <= h13 -> 0 <= h21 -> h32 <= h23 -> 0 <= h23 ->
  0 <= h31 -> 0 <= h32 -> (h23 - h32) * (h13 + h12) <= h31 * h12 - h21 * h13 ->
  alpha 1%nat < alpha 0%nat -> alpha 2%nat < alpha 1%nat -> exists beta, beta 1%nat = beta 2%nat /\
  six_edges phi h12 h13 h21 h23 h31 h32 beta <= six_edges phi h12 h13 h21 h23 h31 h32 alpha.
Proof.
  intros P12 P13 P21 P P23 P31 P32 Cond L1 L2; destruct F as (x & Hx & Lx).
  set (mu := (h12 + h13) / h12); assert (Emu : mu * h12 = h12 + h13) by (unfold mu; field; lra).
  assert (Hmu : 1 <= mu) by (apply Rmult_le_reg_r with h12; lra).
  set (T := (alpha 1%nat - alpha 2%nat) / mu).
  assert (ET : T * mu = alpha 1%nat - alpha 2%nat) by (unfold T; field; lra).
  assert (HT : 0 < T) by (unfold T; apply Rdiv_lt_0_compat; lra).
  exists (fun i => match i with 0%nat => alpha 0%nat - T | _ => alpha 2%nat end); split; [reflexivity |];
    unfold six_edges, four_edges.
  set (y := alpha 0%nat - T - alpha 2%nat).
  replace (alpha 2%nat - alpha 2%nat) with 0 by ring.
  replace (alpha 2%nat - (alpha 0%nat - T)) with (- y) by (unfold y; ring).
  assert (Hy : 0 < y) by (unfold y; nra).
  (* Subgradients of phi at y, 0 and -y; those at 0 and -y are negative. *)
  destruct (subgradient_exists phi y C) as (s & S); destruct (subgradient_exists phi 0 C) as (z & Z).
  destruct (subgradient_exists phi (- y) C) as (w & Wy).
  assert (z < 0) by (specialize (Z x); nra).
  assert (w <= z) by (apply (subgradient_mono phi (- y) 0); auto; lra).
  assert (step : forall h f v d u, 0 <= h -> subgradient phi v f -> u - v = d -> h * phi v + h * (f * d) <= h * phi u).
  { intros h f v d u Hh Sub <-; rewrite <- Rmult_plus_distr_l; apply Rmult_le_compat_l; auto. }
  pose proof (step h12 s y (T - T * mu) (alpha 0%nat - alpha 1%nat) ltac:(lra) S ltac:(unfold y; lra)).
  pose proof (step h13 s y T (alpha 0%nat - alpha 2%nat) P13 S ltac:(unfold y; lra)).
  pose proof (step h23 z 0 (T * mu) (alpha 1%nat - alpha 2%nat) P23 Z ltac:(lra)).
  pose proof (step h32 z 0 (- (T * mu)) (alpha 2%nat - alpha 1%nat) P32 Z ltac:(lra)).
  pose proof (step h31 w (- y) (- T) (alpha 2%nat - alpha 0%nat) P31 Wy ltac:(unfold y; lra)).
  pose proof (step h21 w (- y) (T * mu - T) (alpha 1%nat - alpha 0%nat) P21 Wy ltac:(unfold y; lra)).
  assert (K : 0 <= T * (s * (h12 + h13 - mu * h12) + (h23 - h32) * mu * z + (h21 * (mu - 1) - h31) * w)); [| lra].
  rewrite Emu; apply Rmult_le_pos; [lra |].
  assert (Q : (h23 - h32) * mu <= h31 - h21 * (mu - 1)).
  { apply Rmult_le_reg_r with h12; [lra |].
    replace ((h31 - h21 * (mu - 1)) * h12) with (h31 * h12 - h21 * (mu * h12 - h12)) by ring.
    rewrite Rmult_assoc, Emu; lra. }
  assert (0 <= (h23 - h32) * mu) by (apply Rmult_le_pos; lra).
  assert (0 <= (h31 - h21 * (mu - 1)) * (z - w)) by (apply Rmult_le_pos; lra); nra.
Qed.
(* Condition 2 is Condition 1 with the items in reverse order and the scores negated. *)
Definition turn (alpha : scores) : scores := fun i => - alpha (2 - i)%nat.
Lemma six_edges_turned f h12 h13 h21 h23 h31 h32 alpha :
  six_edges f h23 h13 h32 h12 h31 h21 (turn alpha) = six_edges f h12 h13 h21 h23 h31 h32 alpha.
Proof.
  unfold six_edges, four_edges, turn; cbn [Nat.sub].
  assert (E : forall i j, f (- alpha i - - alpha j) = f (alpha j - alpha i)) by (intros; f_equal; ring).
  rewrite !E; ring.
Qed.
Lemma tie_of_1_and_2 h12 h13 h21 h23 h31 h32 alpha : 0 < h23 -> 0 <= h13 -> 0 <= h32 -> h21 <= h12 -> 0 <= h12 ->
  0 <= h31 -> 0 <= h21 -> (h12 - h21) * (h13 + h23) <= h31 * h23 - h32 * h13 ->
  alpha 1%nat < alpha 0%nat -> alpha 2%nat < alpha 1%nat -> exists beta, beta 0%nat = beta 1%nat /\
  six_edges phi h12 h13 h21 h23 h31 h32 beta <= six_edges phi h12 h13 h21 h23 h31 h32 alpha.
Proof.
  intros P23 P13 P32 P P12 P31 P21 Cond L1 L2.
  destruct (tie_of_2_and_3 h23 h13 h32 h12 h31 h21 (turn alpha)) as (beta & T & K); try assumption;
    try (unfold turn; cbn [Nat.sub]; lra).
  exists (turn beta); split; [unfold turn; cbn [Nat.sub]; lra |].
  rewrite six_edges_turned in K; rewrite <- six_edges_turned; eapply Rle_trans; [right | exact K].
  unfold six_edges, four_edges, turn; cbn [Nat.sub]; rewrite !Ropp_involutive; reflexivity.
Qed.
(* Under either condition scores in the order 1, 2, 3 cost no less than some that are not. *)
Lemma matched_order h12 h13 h21 h23 h31 h32 alpha : 0 < h12 -> 0 <= h13 -> 0 <= h21 <= h12 -> 0 < h23 ->
  0 <= h31 -> 0 <= h32 <= h23 -> (h23 - h32) * (h13 + h12) <= h31 * h12 - h21 * h13 \/
    (h12 - h21) * (h13 + h23) <= h31 * h23 - h32 * h13 -> in_order_123 alpha ->
  exists beta, ~ in_order_123 beta /\ six_edges phi h12 h13 h21 h23 h31 h32 beta <=
    six_edges phi h12 h13 h21 h23 h31 h32 alpha.
Proof.
  intros P12 P13 P21 P23 P31 P32 Cond [L2 L1]; destruct Cond as [Cond | Cond];
    [destruct (tie_of_2_and_3 h12 h13 h21 h23 h31 h32 alpha) as (beta & T & K)
    | destruct (tie_of_1_and_2 h12 h13 h21 h23 h31 h32 alpha) as (beta & T & K)]; try lra;
    exists beta; (split; [unfold in_order_123; lra | exact K]).
Qed.

Lemma le_div u v d : 0 < d -> u <= v / d <-> u * d <= v.
Proof.
  intros D; assert (E : v / d * d = v) by (field; lra); split; intros L.
  - rewrite <- E; apply Rmult_le_compat_r; lra.
  - apply Rmult_le_reg_r with d; lra.
Qed.
(* DMJ10 Lemma 10: no surrogate risk of this form is edge-consistent at p. *)
Theorem lemma_10 p V h12 h13 h23 h31 : 0 < h12 -> 0 < h13 -> 0 < h23 -> 0 <= h31 ->
  h23 < h31 * h12 / (h13 + h12) \/ h12 < h31 * h23 / (h13 + h23) ->
  (forall alpha, A p alpha -> alpha 2%nat < alpha 1%nat < alpha 0%nat) ->
  (forall alpha, V alpha = four_edges phi h12 h13 h23 h31 alpha) -> ~ consistent_at V p.
Proof.
  intros P12 P13 P23 P31 Cond HA HV; apply matched; intros alpha Ha.
  destruct (matched_order h12 h13 0 h23 h31 0 alpha) as (beta & N & K); try lra; [| exact (HA alpha Ha) |].
  - destruct Cond as [Cond | Cond]; [left | right]; apply Rlt_le, le_div in Cond; lra.
  - exists beta; rewrite !HV; unfold six_edges in K; split; [intros Hb; apply N, (HA beta Hb) | lra].
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
  destruct i as [| [| [| i]]], j as [| [| [| j]]]; cbn [Nat.eqb andb] in *; try (exfalso; intuition discriminate); ring.
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
