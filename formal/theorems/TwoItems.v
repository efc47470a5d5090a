(* What edge-consistency at two items asks of an edge loss with convex phi (Eq. 9), and all that it asks: phi is
   differentiable at 0 with phi'(0) < 0, as DMJ10 Section 2 says, and h(a) = c a with c > 0, where it says that h is
   nonnegative and strictly increasing. *)
From ConsistencyLab.base Require Import Prelude Sums Ranking Convex Descent Aggregate Consistency.
From ConsistencyLab.theorems Require Import Lemma10 Theorems11and12.
Open Scope R_scope.

(* A convex function with one subgradient has a derivative. *)
Lemma right_slope f x l e : convex f -> subgradient f x l -> (forall s, subgradient f x s -> s = l) -> 0 < e ->
  exists d, 0 < d /\ forall h, 0 < h <= d -> f (x + h) - f x < (l + e) * h.
Proof.
  intros C S U He; destruct (Classical_Prop.classic (exists d, 0 < d /\ f (x + d) - f x < (l + e) * d)) as
    [(d & P & L) | N].
  - exists d; split; [exact P |]; intros h [H1 [H2 | ->]]; [| exact L].
    pose proof (three_points f x (x + h) (x + d) (C x (x + d)) ltac:(lra)) as T.
    nra.
  - exfalso; assert (K : l + e = l); [| lra]; apply U; intros y.
    destruct (Rle_lt_dec y x) as [L | L]; [pose proof (S y); nra |].
    destruct (Rle_lt_dec ((l + e) * (y - x)) (f y - f x)) as [| K]; [lra |].
    destruct N; exists (y - x); split; [lra |]; replace (x + (y - x)) with y by ring; exact K.
Qed.
Lemma convex_reflect f : convex f -> convex (fun x => f (- x)).
Proof. intros C x y t Ht; replace (- (t * x + (1 - t) * y)) with (t * - x + (1 - t) * - y) by ring; apply C, Ht. Qed.
Lemma one_subgradient_derivable f x l : convex f -> subgradient f x l -> (forall s, subgradient f x s -> s = l) ->
  derivable_pt_lim f x l.
Proof.
  intros C S U e He.
  destruct (right_slope f x l (e / 2) C S U ltac:(lra)) as (d1 & P1 & H1).
  destruct (right_slope (fun y => f (- y)) (- x) (- l) (e / 2) (convex_reflect f C)) as (d2 & P2 & H2); [| | lra |].
  - intros y; rewrite Ropp_involutive; pose proof (S (- y)); lra.
  - intros s Hs; assert (- s = l); [| lra]; apply U; intros y; pose proof (Hs (- y)) as Q; cbv beta in Q.
    rewrite !Ropp_involutive in Q; lra.
  - pose proof (Rmin_pos d1 d2 P1 P2) as P; exists (mkposreal _ P); cbn; intros h Nh Hh.
    pose proof (Rmin_l d1 d2); pose proof (Rmin_r d1 d2); pose proof (S (x + h)) as T; apply Rabs_def2 in Hh.
    apply Rmult_lt_reg_r with (Rabs h); [apply Rabs_pos_lt, Nh |]; rewrite <- Rabs_mult.
    replace (((f (x + h) - f x) / h - l) * h) with (f (x + h) - f x - l * h) by (field; exact Nh).
    rewrite (Rabs_right (_ - l * h)) by lra; unfold Rabs; destruct (Rcase_abs h) as [L | L].
    + specialize (H2 (- h) ltac:(lra)); replace (- (- x + - h)) with (x + h) in H2 by ring; rewrite Ropp_involutive in H2.
      nra.
    + specialize (H1 h ltac:(lra)); nra.
Qed.

(* --- What is necessary -------------------------------------------------------------------------------- *)

Section OneEdge.
Variable a : R.
Hypothesis Pa : 0 < a.
(* Two items and one edge. *)
Definition two_items : distribution := [(1, [Edge 0 1 a])].
Lemma two_distribution : is_distribution 2 two_items.
Proof. split; [| cbn; lra]; repeat constructor; cbn; try lra; try lia; exists (fun i => i); repeat constructor. Qed.
Lemma two_down : ordered_by (fun i => - INR i) 2%nat (aggregate two_items).
Proof. intros [|[|i]] [|[|j]]; try lia; unfold difference, aggregate, mean, ind; cbn; lra. Qed.
Lemma two_A alpha : A two_items alpha -> alpha 1%nat < alpha 0%nat.
Proof.
  apply (A_strict 2 two_items (fun i => - INR i) 0 1 alpha two_distribution two_down); [lia | lia |].
  unfold difference, aggregate, mean, ind; cbn; lra.
Qed.
(* A loss that does not fall to the right of 0 fails there. *)
Lemma two_fails V f : (forall alpha, V alpha = f (alpha 0%nat - alpha 1%nat)) ->
  (forall x, 0 < x -> f 0 <= f x) -> ~ consistent_at V two_items.
Proof.
  intros E F; apply matched; intros alpha HA; apply two_A in HA.
  exists (fun _ => 0); split; [intros HB; apply two_A in HB; lra |].
  rewrite !E; replace (0 - 0) with 0 by ring; apply F; lra.
Qed.
End OneEdge.

(* One edge with a weight that counts: phi must fall to the right of 0, convex or not. *)
Theorem needs_a_fall h phi a : 0 < a -> 0 <= h a ->
  consistent_at (edge_loss h phi 2%nat (two_items a)) (two_items a) -> falls phi.
Proof.
  intros Pa Ha H; destruct (falls_or_not phi) as [| N]; [assumption | exfalso].
  apply (two_fails a Pa (edge_loss h phi 2%nat (two_items a)) (fun x => h a * phi x)); [| | exact H].
  - intros alpha; unfold edge_loss, mean, two_items; cbn; ring.
  - intros x Hx; apply Rmult_le_compat_l; auto.
Qed.
Lemma falls_subgradient phi s : falls phi -> subgradient phi 0 s -> s < 0.
Proof. intros (x & Px & L) S; specialize (S x); nra. Qed.
(* And every weight must count. *)
Theorem needs_positive_weights h phi a : convex phi -> falls phi -> 0 < a ->
  consistent_at (edge_loss h phi 2%nat (two_items a)) (two_items a) -> 0 < h a.
Proof.
  intros C F Pa H; destruct (Rlt_le_dec 0 (h a)) as [| N]; [assumption | exfalso].
  destruct (subgradient_exists phi 0 C) as (s & S); pose proof (falls_subgradient phi s F S) as Ps.
  revert H; apply matched; intros alpha HA; apply (two_A a Pa) in HA; set (x := alpha 0%nat - alpha 1%nat).
  set (y := Rmax 0 (phi x - phi 0) / - s); pose proof (Rmax_l 0 (phi x - phi 0)); pose proof (Rmax_r 0 (phi x - phi 0)).
  assert (Ey : y * - s = Rmax 0 (phi x - phi 0)) by (unfold y; field; lra).
  assert (Py : 0 <= y) by (apply Rmult_le_pos; [assumption | left; apply Rinv_0_lt_compat; lra]).
  exists (fun i => match i with 0%nat => - y | _ => 0 end); split; [intros HB; apply (two_A a Pa) in HB; lra |].
  unfold edge_loss, mean, two_items; cbn; fold x; replace (- y - 0) with (- y) by ring.
  pose proof (S (- y)) as T; assert (phi x <= phi (- y)) by lra; nra.
Qed.

(* Two graphs of one edge each, in opposite directions. *)
Definition opposed q a b : distribution := [(q, [Edge 0 1 a]); (1 - q, [Edge 1 0 b])].
Lemma opposed_distribution q a b : 0 < q < 1 -> 0 < a -> 0 < b -> is_distribution 2 (opposed q a b).
Proof.
  split; [repeat (apply Forall_cons || apply Forall_nil); cbn [fst snd]; apply one_edge; lra || lia | cbn; lra].
Qed.
Lemma opposed_fails h phi q a b : 0 < q < 1 -> 0 < a -> 0 < b -> (1 - q) * b < q * a ->
  (forall x, 0 < x -> (q * h a + (1 - q) * h b) * phi 0 <= q * h a * phi x + (1 - q) * h b * phi (- x)) ->
  ~ consistent_at (edge_loss h phi 2%nat (opposed q a b)) (opposed q a b).
Proof.
  intros Hq Pa Pb Pd F; pose proof (opposed_distribution q a b Hq Pa Pb) as HD.
  assert (P : 0 < diff (opposed q a b) 0 1) by (unfold difference, aggregate, mean, ind; cbn; lra).
  assert (K : forall alpha, A (opposed q a b) alpha -> alpha 1%nat < alpha 0%nat).
  { intros alpha; apply (A_strict 2 _ (fun i => - INR i) 0 1 alpha HD); [| lia | lia | exact P].
    intros [|[|i]] [|[|j]]; try lia; unfold difference, aggregate, mean, ind; cbn; lra. }
  apply matched; intros alpha HA; apply K in HA; exists (fun _ => 0); split; [intros HB; apply K in HB; lra |].
  specialize (F (alpha 0%nat - alpha 1%nat) ltac:(lra)); unfold edge_loss, mean, opposed; cbn.
  replace (0 - 0) with 0 by ring; replace (alpha 1%nat - alpha 0%nat) with (- (alpha 0%nat - alpha 1%nat)) by ring; lra.
Qed.

Section Necessary.
Variables h phi : R -> R.
Hypothesis C : convex phi.
Hypothesis F : falls phi.
Hypothesis right : forall p, is_distribution 2 p -> consistent_at (edge_loss h phi 2%nat p) p.
Lemma opposed_right q a b : 0 < q < 1 -> 0 < a -> 0 < b ->
  consistent_at (edge_loss h phi 2%nat (opposed q a b)) (opposed q a b).
Proof. intros; apply right, opposed_distribution; assumption. Qed.
Lemma weights_positive a : 0 < a -> 0 < h a.
Proof. intros Pa; apply (needs_positive_weights h phi a C F Pa), right, two_distribution, Pa. Qed.
(* Otherwise there are chances at which h prefers one item and the weights the other. *)
Lemma weights_proportional a b : 0 < a -> 0 < b -> h b * a <= h a * b.
Proof.
  intros Pa Pb; destruct (Rle_lt_dec (h b * a) (h a * b)) as [| L]; [assumption | exfalso].
  pose proof (weights_positive a Pa) as Ha; pose proof (weights_positive b Pb) as Hb.
  destruct (subgradient_exists phi 0 C) as (s & S); pose proof (falls_subgradient phi s F S) as Ps.
  set (u := b * h a + h b * a); set (q := u / (u + 2 * a * h a)).
  assert (Pu : 0 < u) by (unfold u; nra); assert (Pv : 0 < 2 * a * h a) by nra.
  assert (Eq : q * (u + 2 * a * h a) = u) by (unfold q; field; lra).
  assert (Hq : 0 < q < 1) by (split; apply Rmult_lt_reg_r with (u + 2 * a * h a); lra).
  assert (D1 : (1 - q) * b < q * a).
  { apply Rmult_lt_reg_r with (2 * h a); [lra |]; replace (q * a * (2 * h a)) with ((1 - q) * u) by lra.
    rewrite Rmult_assoc; apply Rmult_lt_compat_l; unfold u; lra. }
  assert (D2 : q * h a < (1 - q) * h b).
  { apply Rmult_lt_reg_r with (2 * a); [lra |]; replace (q * h a * (2 * a)) with ((1 - q) * u) by lra.
    rewrite Rmult_assoc; apply Rmult_lt_compat_l; unfold u; lra. }
  apply (opposed_fails h phi q a b Hq Pa Pb D1); [| apply opposed_right; assumption].
  intros x Px; pose proof (S x) as S1; pose proof (S (- x)) as S2.
  apply (Rmult_le_compat_l (q * h a)) in S1; [| nra]; apply (Rmult_le_compat_l ((1 - q) * h b)) in S2; [| nra].
  assert (0 <= ((1 - q) * h b - q * h a) * (- s * x)) by (apply Rmult_le_pos; nra); lra.
Qed.
(* Otherwise a kink ties the items at unequal weights. *)
Lemma slope_at_0 c : 0 < c -> (forall a, 0 < a -> h a = c * a) -> exists l, l < 0 /\ derivable_pt_lim phi 0 l.
Proof.
  intros Pc Lin.
  assert (K : forall s t, subgradient phi 0 s -> subgradient phi 0 t -> s < t -> False).
  { intros s t S T L; pose proof (falls_subgradient phi t F T).
    apply (opposed_fails h phi (1/2) (- s) (- t)); try lra; [| apply opposed_right; lra].
    intros x Px; rewrite !Lin by lra; pose proof (T x) as S1; pose proof (S (- x)) as S2.
    apply (Rmult_le_compat_l (1/2 * (c * - s))) in S1; [| nra].
    apply (Rmult_le_compat_l ((1 - 1/2) * (c * - t))) in S2; [| nra]; lra. }
  destruct (subgradient_exists phi 0 C) as (l & S); exists l; split; [apply (falls_subgradient phi l F S) |].
  apply (one_subgradient_derivable phi 0 l C S); intros s Hs.
  destruct (Rtotal_order s l) as [L | [E | L]]; [destruct (K s l Hs S L) | exact E | destruct (K l s S Hs L)].
Qed.
End Necessary.

(* --- What is enough ----------------------------------------------------------------------------------- *)

Section Enough.
Variables (h phi : R -> R) (c l : R) (p : distribution).
Hypotheses (C : convex phi) (Pc : 0 < c).
Hypothesis linear : forall a, 0 < a -> h a = c * a.
Hypothesis Pl : l < 0.
Hypotheses (slope : derivable_pt_lim phi 0 l) (HD : is_distribution 2 p).
Let a := aggregate p.
Lemma linear_risk alpha : edge_loss h phi 2%nat p alpha = c * risk 2 a phi alpha.
Proof.
  pose proof (distribution_well_formed 2 p HD) as WF; unfold a; rewrite <- (edge_loss_risk 2) by exact WF.
  unfold edge_loss, mean; rewrite <- total_scal; apply total_ext; eapply Forall_impl; [| exact WF]; intros [w G] HG.
  cbn [fst snd] in *; rewrite Rmult_comm, (Rmult_comm w), <- Rmult_assoc; f_equal; rewrite <- total_scal.
  apply total_ext; eapply Forall_impl; [| exact HG]; intros e (_ & _ & P); unfold identity;
    rewrite linear by exact P; ring.
Qed.
Lemma two_items_right i j : (i < 2)%nat -> (j < 2)%nat -> 0 < difference a i j ->
  consistent_at (edge_loss h phi 2%nat p) p.
Proof.
  intros Hi Hj P; assert (N : i <> j) by (intros ->; unfold difference in P; lra).
  pose proof (fun x y => aggregate_nonneg 2 p x y HD) as NN; fold a in NN.
  assert (E : forall alpha, risk 2 a phi alpha =
    (a 0%nat 0%nat + a 1%nat 1%nat) * phi 0 + a i j * phi (alpha i - alpha j) + a j i * phi (alpha j - alpha i)).
  { intros alpha; unfold risk; cbn [sum]; unfold Rminus; rewrite !Rplus_opp_r.
    destruct i as [|[|i]], j as [|[|j]]; try lia; ring. }
  assert (Acyc : acyclic_differences 2%nat a).
  { exists (fun k => if (k =? i)%nat then 1 else 0); intros x y Hx Hy Q; unfold difference in *.
    destruct (Nat.eqb_spec x i), (Nat.eqb_spec y i); subst; try lra; exfalso.
    - replace x with j in Q by lia; lra.
    - replace x with y in Q by lia; lra. }
  exists (c * ((a 0%nat 0%nat + a 1%nat 1%nat) * phi 0 + (a i j + a j i) * phi 0)); split.
  - destruct (falls_at_tie phi l (a i j) (a j i) slope Pl) as (t & Pt & L); [unfold difference in P; split; [apply NN | lra] |].
    exists (fun k => if (k =? i)%nat then t else 0); rewrite linear_risk, E, Nat.eqb_refl.
    destruct (Nat.eqb_spec j i); [congruence |]; replace (t - 0) with t by ring; replace (0 - t) with (- t) by ring.
    apply Rmult_lt_compat_l; lra.
  - intros alpha HA; rewrite linear_risk, E; apply Rmult_le_compat_l; [lra |].
    assert (L : alpha i - alpha j <= 0).
    { destruct (Rle_lt_dec (alpha i - alpha j) 0) as [| L]; [assumption | exfalso; apply HA].
      apply (lemma_16 2 p HD Acyc); intros x y Hx Hy Q; fold a in Q; apply right_above.
      assert (x = i /\ y = j) as [-> ->]; [| lra].
      assert (x <> y) by (intros ->; unfold difference in Q; lra).
      destruct (Nat.eq_dec x i); [lia | exfalso]; replace x with j in Q by lia; replace y with i in Q by lia.
      unfold difference in *; lra. }
    pose proof (derivative_subgradient phi 0 l C slope) as S.
    pose proof (S (alpha i - alpha j)) as S1; pose proof (S (alpha j - alpha i)) as S2.
    apply (Rmult_le_compat_l (a i j)) in S1; [| apply NN]; apply (Rmult_le_compat_l (a j i)) in S2; [| apply NN].
    assert (0 <= (a i j - a j i) * (l * (alpha i - alpha j)))
      by (apply Rmult_le_pos; [unfold difference in P; lra | nra]); lra.
Qed.
Lemma enough : consistent_at (edge_loss h phi 2%nat p) p.
Proof.
  destruct (Rtotal_order (a 0%nat 1%nat) (a 1%nat 0%nat)) as [L | [E | L]].
  - apply (two_items_right 1 0); unfold difference; [lia | lia | lra].
  - exists (edge_loss h phi 2%nat p (fun _ => 0) + 1); split; [exists (fun _ => 0); lra |].
    intros alpha HA; exfalso; apply HA.
    assert (Z : forall x y, (x < 2)%nat -> (y < 2)%nat -> 0 < difference a x y -> False)
      by (intros [|[|x]] [|[|y]] Hx Hy; try lia; unfold difference; lra).
    apply (lemma_16 2 p HD); [exists (fun _ => 0) |]; intros x y Hx Hy Q; destruct (Z x y Hx Hy Q).
  - apply (two_items_right 0 1); unfold difference; [lia | lia | lra].
Qed.
End Enough.

(* For convex phi, and some weight that counts. *)
Theorem two_items_exactly h phi : convex phi -> (exists a, 0 < a /\ 0 < h a) ->
  (forall p, is_distribution 2 p -> consistent_at (edge_loss h phi 2%nat p) p) <->
  (exists c, 0 < c /\ forall a, 0 < a -> h a = c * a) /\ (exists l, l < 0 /\ derivable_pt_lim phi 0 l).
Proof.
  intros C (b & Pb & Hb); split.
  - intros right; assert (F : falls phi)
      by (apply (needs_a_fall h phi b Pb); [lra | apply right, two_distribution, Pb]).
    assert (X : exists c, 0 < c /\ forall a, 0 < a -> h a = c * a).
    { exists (h b / b); split; [apply Rdiv_lt_0_compat; lra |]; intros a Pa.
      pose proof (weights_proportional h phi C F right a b Pa Pb).
      pose proof (weights_proportional h phi C F right b a Pb Pa).
      apply Rmult_eq_reg_r with b; [| lra]; replace (h b / b * a * b) with (h b * a) by (field; lra); lra. }
    split; [exact X |]; destruct X as (c & Pc & Lin); exact (slope_at_0 h phi C F right c Pc Lin).
  - intros ((c & Pc & Lin) & (l & Pl & D)) p HD; exact (enough h phi c l p C Pc Lin Pl D HD).
Qed.
