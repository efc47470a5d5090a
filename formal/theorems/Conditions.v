(* No condition of the theorems is empty: for every number of items distributions that prefer each item to all later
   ones meet all of the noise conditions and designs; there are laws that RAT13's theorems speak of, decoders, and
   scalar losses. *)
From Coq Require Import Classical_Prop.
From ConsistencyLab.base Require Import Prelude Sums Ranking Orders Calibration Convex Scalars Aggregate.
From ConsistencyLab.base Require Labels.
From ConsistencyLab.theorems Require Import Domination Lemma10 Theorems11and12 Theorem13 AsPrinted BradleyTerry Products
  Gains AveragePrecision Disagreement ReciprocalRank.
Open Scope R_scope.

Section Items.
Variable m : nat.
Let s := / (2 * INR (S m)).
Lemma step i : (i < m)%nat -> 0 < s /\ 0 <= INR i * s < 1/2.
Proof.
  intros Hi; pose proof (lt_0_INR (S m) ltac:(lia)) as P; pose proof (pos_INR i); apply lt_INR in Hi.
  assert (E : INR (S m) * s = 1/2) by (unfold s; field; lra); rewrite S_INR in E.
  assert (0 < s) by (apply Rinv_0_lt_compat; lra); split; [assumption | split; nra].
Qed.
(* The chance that i is preferred to j falls with i and rises with j. *)
Let P : matrix := fun i j => 1/2 + (INR j - INR i) * s.
Let equal : matrix := fun i j => if (i =? j)%nat then 0 else P i j.
(* Item i is relevant with chance eta_i, and relevant items are preferred to others. *)
Let eta : scores := fun i => 1/2 - INR i * s.
Let relevant : matrix := fun i j => if (i =? j)%nat then 0 else eta i * (1 - eta j).
Theorem designs_met : exists p, is_distribution m p /\ (forall i j, (i < j < m)%nat -> 0 < diff p i j) /\
  acyclic_differences m (aggregate p) /\ additive m (aggregate p) /\ low_noise m (aggregate p) /\
  net_order m (aggregate p) /\ rows_in_order m (aggregate p) /\ stochastically_transitive m (aggregate p) /\
  balanced m (aggregate p) /\ transitive_product m (aggregate p) /\ exists n, complete m n /\
  balanced_design m n /\ product_design m n /\ compared n m (aggregate p) /\ transitive n m (aggregate p).
Proof.
  exists (of_matrix m equal).
  assert (E : forall i j, (i < m)%nat -> (j < m)%nat -> aggregate (of_matrix m equal) i j = equal i j).
  { intros i j Hi Hj; apply aggregate_of_matrix; [assumption .. | |].
    - unfold equal, P; destruct (i =? j)%nat; [lra |]; pose proof (step i Hi); pose proof (step j Hj); nra.
    - intros ->; unfold equal; now rewrite Nat.eqb_refl. }
  assert (D : forall i j, (i < m)%nat -> (j < m)%nat -> diff (of_matrix m equal) i j = (INR j - INR i) * (2 * s)).
  { intros i j Hi Hj; unfold difference; rewrite !E by assumption; unfold equal, P; rewrite (Nat.eqb_sym j i).
    destruct (Nat.eqb_spec i j) as [-> |]; lra. }
  assert (N : forall i j, (i < m)%nat -> (j < m)%nat -> i <> j -> aggregate (of_matrix m equal) i j = 1 * 1 * P i j).
  { intros i j Hi Hj X; rewrite E by assumption; unfold equal; destruct (Nat.eqb_spec i j); [contradiction | ring]. }
  assert (C : forall i j, (i < m)%nat -> (j < m)%nat -> i <> j -> comparisons (aggregate (of_matrix m equal)) i j = 1).
  { intros i j Hi Hj X; unfold comparisons; rewrite !N by auto; unfold P; lra. }
  assert (Ad : additive m (aggregate (of_matrix m equal))).
  { exists (fun i => - INR i * (2 * s)); intros i j Hi Hj; rewrite D by assumption; ring. }
  assert (T : strongly_transitive m P).
  { intros i j k Hi _ _ _ _ _ L; destruct (step i Hi) as [S _]; unfold P in *; nra. }
  assert (Sum : forall i j, P i j + P j i = 1) by (intros; unfold P; lra).
  assert (Less : forall i j, (i < m)%nat -> (i < j)%nat -> 0 < (INR j - INR i) * (2 * s)).
  { intros i j Hi L; destruct (step i Hi) as [S _]; apply lt_INR in L; nra. }
  pose proof (additive_low_noise m _ Ad) as LN.
  refine (conj _ (conj _ (conj _ (conj _ (conj _ (conj _ (conj _ (conj _ (conj _ (conj _ _)))))))))).
  - apply of_matrix_distribution.
  - intros i j L; rewrite D by lia; apply Less; lia.
  - apply low_noise_acyclic, LN.
  - exact Ad.
  - exact LN.
  - apply lemma_14, LN.
  - intros i j k Hi Hj Hk _ _; rewrite !D by assumption; lra.
  - split; [intros i j Hi Hj X; rewrite C by assumption; lra |].
    intros i j k Hi Hj Hk X Y Z; destruct (step i Hi) as [S _]; unfold share; rewrite !C, !N by auto; unfold P;
      split; nra.
  - exists 1; exact C.
  - exists (fun _ => 1), P; repeat split; auto; intros; lra.
  - exists (fun _ _ => 1); refine (conj _ (conj _ (conj _ (conj _ _)))); [split; lra | exists 1; auto | | exact C |].
    { exists (fun _ => 1); split; intros; lra. }
    exists P; repeat split; auto; intros i j Hi Hj X; rewrite N by assumption; ring.
Qed.
Theorem strengths_met : exists p, is_distribution m p /\ (forall i j, (i < j < m)%nat -> 0 < diff p i j) /\
  bradley_terry m (aggregate p) /\ bipartite m (aggregate p) /\ additive m (aggregate p).
Proof.
  exists (of_matrix m relevant).
  assert (B : forall i, (i < m)%nat -> 0 < eta i <= 1/2) by (intros i Hi; pose proof (step i Hi); unfold eta; lra).
  assert (E : forall i j, (i < m)%nat -> (j < m)%nat -> aggregate (of_matrix m relevant) i j = relevant i j).
  { intros i j Hi Hj; apply aggregate_of_matrix; [assumption .. | |].
    - unfold relevant; destruct (i =? j)%nat; [lra |]; pose proof (B i Hi); pose proof (B j Hj); nra.
    - intros ->; unfold relevant; now rewrite Nat.eqb_refl. }
  assert (D : forall i j, (i < m)%nat -> (j < m)%nat -> diff (of_matrix m relevant) i j = eta i - eta j).
  { intros i j Hi Hj; unfold difference; rewrite !E by assumption; unfold relevant; rewrite (Nat.eqb_sym j i).
    destruct (Nat.eqb_spec i j) as [-> |]; ring. }
  refine (conj _ (conj _ (conj _ (conj _ _)))).
  - apply of_matrix_distribution.
  - intros i j L; rewrite D by lia; destruct (step i ltac:(lia)) as [S _]; pose proof (lt_INR i j ltac:(lia)).
    unfold eta; nra.
  - set (w i := if lt_dec i m then eta i / (1 - eta i) else 1); exists w; split.
    + intros i; unfold w; destruct (lt_dec i m) as [L |]; [| lra]; apply Rdiv_lt_0_compat; pose proof (B i L); lra.
    + intros i j Hi Hj; rewrite !E by assumption; unfold relevant, w; rewrite (Nat.eqb_sym j i).
      destruct (lt_dec i m), (lt_dec j m); try lia; pose proof (B i Hi); pose proof (B j Hj).
      destruct (i =? j)%nat; [ring | field; lra].
  - exists (fun _ => 1), eta; split; [intros i Hi; pose proof (B i Hi); lra |].
    intros i j Hi Hj X; rewrite E by assumption; unfold relevant; destruct (Nat.eqb_spec i j); [contradiction | ring].
  - exists eta; exact D.
Qed.
End Items.

(* What Lemma 10 asks of p, and its Condition 1, for h(a) = a. *)
Theorem four_edges_met : let p := four_graphs (25/100) (1/100) (50/100) (24/100) in
  is_distribution 3 p /\ Forall (fun q => on_four_edges (snd q)) p /\ 0 < aggregate p 0%nat 1%nat /\
  0 < aggregate p 1%nat 2%nat < aggregate p 2%nat 0%nat * aggregate p 0%nat 1%nat /
    (aggregate p 0%nat 2%nat + aggregate p 0%nat 1%nat) /\ 0 < aggregate p 2%nat 0%nat < aggregate p 0%nat 2%nat.
Proof.
  cbv zeta; split; [split; [| cbn; lra]; repeat constructor; cbn; try lra; try lia; try tauto |].
  1, 2, 3: exists (fun i => i); repeat constructor; cbn; lia.
  - exists (fun i => 2 - i)%nat; repeat constructor; cbn; lia.
  - split; [repeat constructor; cbn; tauto |]; unfold aggregate, mean, ind; cbn; lra.
Qed.

(* --- Labels ------------------------------------------------------------------------------------------------- *)

(* One relevant item, drawn with any chances q_i. *)
Theorem reinforce_met r (q : nat -> R) : (forall i, (i < r)%nat -> 0 <= q i) -> sum q r = 1 -> exists p,
  is_law p /\ binary r p /\ P_reinforce r p /\ forall i, (i < r)%nat -> mean_products r p i i = q i.
Proof.
  intros Q One; set (hot i := fun k => if (k =? i)%nat then 1 else 0 : R);
    set (p := map (fun i => (q i, hot i)) (seq 0 r)).
  assert (U : forall i j, (i < r)%nat -> mean_products r p i j = if (i =? j)%nat then q i else 0).
  { intros i j Hi; unfold mean_products, mean, p; rewrite total_map, total_seq; cbn [fst snd].
    rewrite <- (sum_delta (fun k => if (i =? j)%nat then q k else 0) r i Hi); apply sum_ext; intros k Hk.
    unfold products; replace (sum (hot k) r) with 1.
    - unfold hot; rewrite (Nat.eqb_sym k i), (Nat.eqb_sym j k).
      destruct (Nat.eqb_spec i k), (Nat.eqb_spec k j), (Nat.eqb_spec i j); subst; try lia; field.
    - symmetry; rewrite <- (sum_delta (fun _ => 1) r k Hk); reflexivity. }
  exists p; split; [| split; [| split]].
  - split; [| unfold p; rewrite total_map; cbn; rewrite total_seq; exact One].
    apply Forall_map, Forall_forall; intros i I; apply in_seq in I; apply Q; lia.
  - apply Forall_map, Forall_forall; intros i _ k _; cbn; unfold hot; destruct (_ =? _)%nat; auto.
  - intros i j Hi Hj; cbv zeta; rewrite (sum_ext _ (fun _ => 0)), sum_zero; [lra |].
    intros k Hk; destruct (_ || _)%bool eqn:X; [reflexivity |]; rewrite !U by assumption.
    apply Bool.orb_false_iff in X; rewrite (Nat.eqb_sym i k), (Nat.eqb_sym j k).
    destruct X as [-> ->]; apply Rmax_left; lra.
  - intros i Hi; rewrite U, Nat.eqb_refl by assumption; reflexivity.
Qed.
(* Row sums, of a label that prefers each item to all later ones. *)
Theorem P_f_met r : exists p, is_law p /\ (forall i j, (i < j < r)%nat -> means p j i < means p i j) /\
  P_f r (fun y i => sum (y i) r) p.
Proof.
  set (y := fun i j => if (i <? j)%nat then 1 else 0 : R); exists [(1, y)].
  assert (M : forall f : matrix -> R, mean [(1, y)] f = f y) by (intros; unfold mean; cbn; ring).
  split; [split; [repeat constructor |]; cbn; lra | split].
  - intros i j L; unfold means; rewrite !M; unfold y; destruct (Nat.ltb_spec j i), (Nat.ltb_spec i j); lia || lra.
  - intros i j Hi Hj; unfold means; rewrite !M; intros L; apply sum_lt with j; [exact Hj | |].
    + intros k _; unfold y in *; destruct (Nat.ltb_spec j i), (Nat.ltb_spec i j), (Nat.ltb_spec j k),
        (Nat.ltb_spec i k); lia || lra.
    + unfold y in *; destruct (Nat.ltb_spec j i), (Nat.ltb_spec i j), (Nat.ltb_spec j j); lia || lra.
Qed.
(* Two coins: item 0 has the grade 1 with chance a, and item 1 with chance b. *)
Theorem independent_met a b : 0 <= a <= 1 -> 0 <= b <= 1 -> exists p, is_law p /\ independent 2 p /\
  mean p (fun s => s 0%nat) = a /\ mean p (fun s => s 1%nat) = b.
Proof.
  intros Ha Hb; set (grades x y := fun i : nat => match i with O => x | _ => y end : R).
  exists [(a * b, grades 1 1); (a * (1 - b), grades 1 0); ((1 - a) * b, grades 0 1); ((1 - a) * (1 - b), grades 0 0)].
  split; [split; [repeat apply Forall_cons; try apply Forall_nil |]; cbn; nra |].
  split; [| unfold mean; cbn; split; ring].
  intros f [| i [| j [| k l]]] D F; unfold mean, product; cbn.
  - ring.
  - ring.
  - inversion D as [| ? ? N _]; inversion F as [| ? ? Hi F']; inversion F'; subst.
    destruct i as [| [| i]], j as [| [| j]]; try lia; cbn in N |- *; (ring || (exfalso; tauto)).
  - exfalso; inversion D as [| ? ? N D']; inversion D' as [| ? ? N' _]; inversion F as [| ? ? Hi F'];
      inversion F' as [| ? ? Hj F'']; inversion F''; subst; cbn in N, N'.
    assert (i <> j /\ i <> k /\ j <> k) by (repeat split; intros ->; tauto); lia.
Qed.
(* A decoder may return every order that sorts, or some of them. *)
Theorem sorting_met m : Labels.sorting m (fun u => u) (sorts m) /\
  Labels.sorting m (fun u => u) (fun u t => sorts m u t /\ (sorts m u (seq 0 m) -> t = seq 0 m)).
Proof.
  assert (S : forall u, exists t, sorts m u t).
  { exact (sorts_exists m). }
  split; intros u; split; try tauto; [apply S |].
  destruct (classic (sorts m u (seq 0 m))) as [Y | N]; [exists (seq 0 m); tauto |].
  destruct (S u) as (t & T); exists t; tauto.
Qed.

(* --- Scalar losses and discounts ------------------------------------------------------------------------------ *)

Theorem logistic_met : declining logistic dlogistic /\ (forall x, 0 <= logistic x) /\ falls logistic /\
  even_plus_line dlogistic /\ log_odds_link 1 dlogistic /\ forall x y, x < y -> link dlogistic x < link dlogistic y.
Proof.
  refine (conj _ (conj _ (conj _ (conj _ (conj _ _)))));
    auto using logistic_declining, logistic_positive, logistic_even_plus_line, logistic_link.
  - exists 1; split; [lra |]; unfold logistic; apply ln_increasing; [apply Rplus_lt_0_compat; [lra | apply exp_pos] |].
    apply Rplus_lt_compat_l, exp_increasing; lra.
  - assert (E : forall x, link dlogistic x = / (1 + exp (- x))).
    { intros x; unfold link; pose proof (dlogistic_constant x); replace (dlogistic x + dlogistic (- x)) with (-1) by lra.
      unfold dlogistic; pose proof (exp_pos (- x)); field; lra. }
    intros x y L; rewrite !E; pose proof (exp_pos (- x)); pose proof (exp_pos (- y));
      pose proof (exp_increasing (- y) (- x) ltac:(lra)).
    apply Rinv_lt_contravar; [apply Rmult_lt_0_compat |]; lra.
Qed.
Theorem half_square_met : strictly_convex half_square /\ coercive half_square /\
  forall x, derivable_pt_lim half_square x x.
Proof. auto using half_square_strict, half_square_coercive, half_square_slope. Qed.
Theorem discounts_met : falling (fun t => / INR (S t)) /\ not_rising (fun t => / INR (S t)).
Proof.
  assert (F : falling (fun t => / INR (S t)))
    by (intros t; apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; apply lt_0_INR; lia | apply lt_INR; lia]).
  split; [exact F | intros t; left; apply F].
Qed.
