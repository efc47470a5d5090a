(* Theorem A: among the complete designs exactly the balanced ones are harmless, if differences are additive, or low
   noise is all that is known. At another design n_ik <> n_jk for some three items. Scores that tie all items but k
   are then minimal at additive differences that are solved for, though of i and j one is preferred. *)
From ConsistencyLab.base Require Import Prelude Sums Ranking Convex Descent Aggregate Near Consistency.
From ConsistencyLab.theorems Require Import Domination Addition.
Open Scope R_scope.

Section Additive.
Variables (phi g : R -> R) (m : nat) (n : matrix) (k : nat) (t : R).
Hypotheses (reg : regular phi g) (small : Rabs (g t - g (- t)) <= - g 0) (full : complete m n).
Hypothesis Hk : (k < m)%nat.
(* The scores: -t for item k, 0 for the others. *)
Definition beta q := if (q =? k)%nat then - t else 0.
Let G := g t - g (- t).
Let u0 := - 2 * g 0.
Let ut := - g t - g (- t).
Definition played q := if (q =? k)%nat then 0 else n q k.
Let Y := G * sum played m / ut.
Let D := ut + u0 * (INR m - 1).
(* Grades that balance all pushes. *)
Definition grade q := (G * played q + u0 * Y) / D - (if (q =? k)%nat then u0 * Y / D else 0).
Definition weight : matrix := fun p q => if (p =? q)%nat then 0 else (n p q + grade p - grade q) / 2.

Lemma signs : 0 < u0 /\ - g 0 <= ut /\ - g 0 <= D.
Proof.
  destruct (regular_slopes phi g reg) as (_ & mono & g0).
  pose proof (Rle_abs (g t - g (- t))); pose proof (Rle_abs (- (g t - g (- t)))); rewrite Rabs_Ropp in *.
  assert (ut >= - g 0).
  { unfold ut; destruct (Rle_lt_dec t 0); [pose proof (mono t 0 ltac:(lra)) | pose proof (mono (- t) 0
    ltac:(lra))]; lra. }
  assert (0 <= INR m - 1) by (destruct m; [lia | rewrite S_INR; pose proof (pos_INR n0); lra]).
  unfold D, u0 in *; repeat split; try lra; nra.
Qed.
Lemma grade_k : grade k = 0.
Proof. unfold grade, played; rewrite Nat.eqb_refl; pose proof signs; pose proof (falls_at_0 _ _ reg); field; lra. Qed.
Lemma grade_other q : q <> k -> grade q = (G * n q k + u0 * Y) / D.
Proof. intros N; unfold grade, played; destruct (Nat.eqb_spec q k); [contradiction | ring]. Qed.
Lemma grades_sum : sum grade m = Y.
Proof.
  pose proof signs; pose proof (falls_at_0 _ _ reg); unfold grade.
  rewrite sum_minus, (sum_delta (fun _ => u0 * Y / D) m k Hk).
  rewrite (sum_ext _ (fun q => G / D * played q + u0 * Y / D)) by (intros; field; lra).
  rewrite sum_plus, sum_scal, sum_const.
  assert (E : G * sum played m = Y * ut) by (unfold Y; field; lra).
  apply Rmult_eq_reg_r with D; [| lra].
  replace ((G / D * sum played m + INR m * (u0 * Y / D) - u0 * Y / D) * D) with
    (G * sum played m + INR m * (u0 * Y) - u0 * Y) by (field; lra).
  rewrite E; unfold D; ring.
Qed.
Lemma balance p : (p < m)%nat ->
  sum (fun q => weight p q * g (beta p - beta q) - weight q p * g (beta q - beta p)) m = 0.
Proof.
  intros Hp; pose proof signs; pose proof (falls_at_0 _ _ reg); destruct (Nat.eq_dec p k) as [-> | N].
  - rewrite (sum_ext _ (fun q => / 2 * (ut * grade q - G * played q))).
    { rewrite sum_scal, sum_minus, !sum_scal, grades_sum; unfold Y; field; lra. }
    intros q Hq; unfold weight, beta, played; rewrite Nat.eqb_refl, (Nat.eqb_sym k q), grade_k.
    destruct (Nat.eqb_spec q k) as [-> | Nq]; [rewrite grade_k; ring |].
    destruct (full k q Hk Hq ltac:(auto)) as [E _]; rewrite E.
    replace (- t - 0) with (- t) by ring; replace (0 - - t) with t by ring; unfold ut, G; field.
  - rewrite (sum_ext _ (fun q => - / 2 * u0 * (grade p - grade q)
      + (if (q =? k)%nat then / 2 * (G * n p k - ut * grade p + u0 * grade p) else 0))).
    + rewrite sum_plus, sum_scal, sum_minus, sum_const, grades_sum.
      rewrite (sum_delta (fun _ => / 2 * (G * n p k - ut * grade p + u0 * grade p)) m k Hk).
      assert (E : grade p * D = G * n p k + u0 * Y) by (rewrite grade_other by assumption; field; lra).
      unfold D in E; lra.
    + intros q Hq; unfold weight, beta; rewrite (Nat.eqb_sym q p); destruct (Nat.eqb_spec p k); [contradiction |].
      destruct (Nat.eqb_spec p q) as [<- |]; [destruct (Nat.eqb_spec p k); [contradiction | ring] |].
      destruct (full p q Hp Hq ltac:(auto)) as [E _]; destruct (Nat.eqb_spec q k) as [-> |].
      * rewrite E, grade_k; replace (- t - 0) with (- t) by ring; replace (0 - - t) with t by ring; unfold ut, G; field.
      * rewrite E; replace (0 - 0) with 0 by ring; unfold u0; field.
Qed.
Lemma grade_bound q : (q < m)%nat -> Rabs (grade q) <= Rabs G * (3 * sum played m / - g 0).
Proof.
  intros Hq; pose proof signs; pose proof (falls_at_0 _ _ reg); set (T := sum played m).
  assert (P0 : forall p, (p < m)%nat -> 0 <= played p).
  { intros p Hp; unfold played; destruct (Nat.eqb_spec p k); [lra |]; destruct (full p k Hp Hk n0); lra. }
  assert (PT : played q <= T).
  { unfold T; rewrite <- (sum_delta played m q Hq) at 1; apply sum_le; intros p Hp; destruct (p =? q)%nat;
      [lra | auto]. }
  assert (T0 : 0 <= T) by (apply sum_nonneg, P0); pose proof (P0 q Hq).
  destruct (Nat.eq_dec q k) as [-> | N].
  { rewrite grade_k, Rabs_R0; apply Rmult_le_pos; [apply Rabs_pos |]; apply Rmult_le_pos; [lra |].
    left; apply Rinv_0_lt_compat; lra. }
  assert (E : grade q = G * ((played q + u0 * T / ut) / D)).
  { rewrite grade_other by assumption; replace (n q k) with (played q) by (unfold played; destruct (Nat.eqb_spec q k);
      [contradiction | reflexivity]); unfold Y; fold T; field; lra. }
  assert (Q0 : 0 <= u0 * T / ut <= 2 * T).
  { split; [apply Rmult_le_pos; [nra | left; apply Rinv_0_lt_compat; lra] |].
    apply Rmult_le_reg_r with ut; [lra |]; replace (u0 * T / ut * ut) with (u0 * T) by (field; lra); unfold u0; nra. }
  rewrite E, Rabs_mult; apply Rmult_le_compat_l; [apply Rabs_pos |]; rewrite Rabs_right.
  - apply Rmult_le_reg_r with (D * - g 0); [nra |].
    replace ((played q + u0 * T / ut) / D * (D * - g 0)) with ((played q + u0 * T / ut) * - g 0) by (field; lra).
    replace (3 * T / - g 0 * (D * - g 0)) with (3 * T * D) by (field; lra); nra.
  - apply Rle_ge, Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra].
Qed.

(* If the weights are nonnegative, they refute edge-consistency: i and j are tied, and G decides which is preferred. *)
Lemma additive_wrong i j : (i < j)%nat -> (j < m)%nat -> i <> k -> j <> k -> 0 < G * (n i k - n j k) ->
  (forall p q, (p < m)%nat -> (q < m)%nat -> p <> q -> Rabs G * (6 * sum played m / - g 0) <= n p q) ->
  exists p, is_distribution m p /\ additive m (aggregate p) /\ compared n m (aggregate p) /\
    ~ consistent_at (edge_loss identity phi m p) p.
Proof.
  intros Lij Hj Ik Jk Pref Small; pose proof signs; pose proof (falls_at_0 _ _ reg).
  destruct (regular_slopes phi g reg) as (Dg & mono & _).
  assert (NN : forall p q, (p < m)%nat -> (q < m)%nat -> 0 <= weight p q).
  { intros p q Hp Hq; unfold weight; destruct (Nat.eqb_spec p q) as [| N]; [lra |].
    pose proof (grade_bound p Hp) as Bp; pose proof (grade_bound q Hq) as Bq; pose proof (Small p q Hp Hq N) as S.
    pose proof (Rle_abs (- grade p)); pose proof (Rle_abs (grade q)); rewrite Rabs_Ropp in *; lra. }
  assert (Dif : forall p q, (p < m)%nat -> (q < m)%nat -> difference weight p q = grade p - grade q).
  { intros p q Hp Hq; unfold difference, weight; rewrite (Nat.eqb_sym q p); destruct (Nat.eqb_spec p q) as [-> | N];
      [ring |]; destruct (full p q Hp Hq N) as [-> _]; field. }
  assert (Pij : 0 < grade i - grade j).
  { rewrite !grade_other by assumption.
    replace ((G * n i k + u0 * Y) / D - (G * n j k + u0 * Y) / D) with (G * (n i k - n j k) / D) by (field; lra).
    apply Rdiv_lt_0_compat; lra. }
  destruct (realized_inconsistent m weight phi beta grade i j) as (p & HD & E & N); auto.
  - intros p; unfold weight; rewrite Nat.eqb_refl; reflexivity.
  - apply (stationary_minimizer _ _ _ (fun p q => g (beta p - beta q))); auto using balance.
    intros; apply mono_subgradient; assumption.
  - intros p q Hp Hq Pd; rewrite Dif in Pd by assumption; lra.
  - rewrite Dif by lia; exact Pij.
  - unfold beta; destruct (Nat.eqb_spec i k), (Nat.eqb_spec j k); try contradiction; lra.
  - exists p; split; [exact HD | split; [| split; [| exact N]]].
    + exists grade; intros q r Hq Hr; unfold difference; rewrite !E by assumption; apply Dif; assumption.
    + intros q r Hq Hr Nq; unfold comparisons; rewrite !E by assumption; unfold weight; rewrite (Nat.eqb_sym r q).
      destruct (Nat.eqb_spec q r); [contradiction |]; destruct (full q r Hq Hr Nq) as [-> _]; field.
Qed.
End Additive.

(* phi'(t) - phi'(-t) takes all small values. *)
Lemma odd_part_onto phi g b : regular phi g -> (forall x, b <= phi x) ->
  exists T, 0 < T <= - g 0 /\ forall e, Rabs e <= T -> exists t, g t - g (- t) = e.
Proof.
  intros reg below; destruct (regular_slopes phi g reg) as (D & mono & g0).
  destruct (levels_off phi g b (g 0) reg below g0) as (x & Px & G); pose proof (mono (- x) 0 ltac:(lra)).
  pose proof (Rmin_l (g x - g (- x)) (- g 0)) as T1; pose proof (Rmin_r (g x - g (- x)) (- g 0)).
  exists (Rmin (g x - g (- x)) (- g 0)); split; [split; [apply Rmin_pos; lra | assumption] |].
  assert (K : forall e, 0 <= e <= g x - g (- x) -> exists t, g t - g (- t) = e).
  { intros e He; destruct (IVT_cor (fun t => g t - g (- t) - e) 0 x) as (t & _ & E); [| lra | | exists t; lra].
    - apply continuity_minus; [| apply continuity_const; intros ? ?; reflexivity].
      apply continuity_minus; [apply (slope_continuous phi) | apply (slope_turned phi)]; assumption.
    - rewrite Ropp_0; nra. }
  intros e He; destruct (Rle_lt_dec 0 e) as [P | P]; [rewrite Rabs_right in He by lra; apply K; lra |].
  rewrite Rabs_left in He by lra; destruct (K (- e) ltac:(lra)) as (t & E); exists (- t); rewrite Ropp_involutive; lra.
Qed.
Lemma least_count m n : complete m n ->
  exists mu, 0 < mu /\ forall p, (p < m)%nat -> forall q, (q < m)%nat -> p <> q -> mu <= n p q.
Proof.
  intros full; destruct (least_positive n m) as (mu & P & H); exists mu; split; [exact P |]; intros p Hp q Hq N.
  apply H, full; assumption.
Qed.

(* Theorem A: at unequal counts some additive differences are ordered wrongly. *)
Lemma unequal_counts_wrong phi g b m n i j k : regular phi g -> (forall x, b <= phi x) -> complete m n ->
  (i < m)%nat -> (j < m)%nat -> (k < m)%nat -> i <> j -> i <> k -> j <> k -> n i k <> n j k ->
  exists p, is_distribution m p /\ additive m (aggregate p) /\ compared n m (aggregate p) /\
    ~ consistent_at (edge_loss identity phi m p) p.
Proof.
  intros reg below full Hi Hj Hk.
  assert (K : forall i j, (i < j)%nat -> (j < m)%nat -> i <> k -> j <> k -> n i k <> n j k ->
    exists p, is_distribution m p /\ additive m (aggregate p) /\ compared n m (aggregate p) /\
      ~ consistent_at (edge_loss identity phi m p) p).
  2: { intros ij ik jk N; destruct (Nat.lt_ge_cases i j) as [L | L]; [apply (K i j); auto | apply (K j i); auto; lia]. }
  clear i j Hi Hj; intros i j Lij Hj ik jk N; pose proof (falls_at_0 _ _ reg) as g0.
  destruct (odd_part_onto phi g b reg below) as (T & PT & Onto), (least_count m n full) as (mu & Pmu & Least).
  set (S := Rabs (6 * sum (played n k) m / - g 0) + 1).
  assert (PS : 0 < S) by (pose proof (Rabs_pos (6 * sum (played n k) m / - g 0)); unfold S; lra).
  set (e := Rmin T (mu / S)); pose proof (Rmin_l T (mu / S) : e <= T); assert (Pe : 0 < e) by (apply Rmin_pos; [lra | apply Rdiv_lt_0_compat; lra]).
  assert (X : exists s, (s = 1 \/ s = -1) /\ 0 < s * (n i k - n j k)).
  { destruct (Rtotal_order (n i k) (n j k)) as [L | [E | L]]; [exists (-1) | contradiction | exists 1];
    split; auto; lra. }
  destruct X as (s & Hs & Ps); assert (As : Rabs (s * e) = e).
  { rewrite Rabs_mult, (Rabs_right e) by lra; destruct Hs as [-> | ->]; [rewrite Rabs_right | rewrite Rabs_left]; lra. }
  destruct (Onto (s * e)) as (t & Et); [lra |].
  apply (additive_wrong phi g m n k t reg ltac:(rewrite Et; lra) full Hk i j); auto; rewrite Et.
  - replace (s * e * (n i k - n j k)) with (e * (s * (n i k - n j k))) by ring; apply Rmult_lt_0_compat; assumption.
  - intros p q Hp Hq Npq; rewrite As; apply Rle_trans with mu; [| apply Least; assumption].
    apply Rle_trans with (e * S); [apply Rmult_le_compat_l; [lra |]; unfold S;
      pose proof (Rle_abs (6 * sum (played n k) m / - g 0)); lra |].
    apply Rle_trans with (mu / S * S); [apply Rmult_le_compat_r; [lra | apply Rmin_r] | right; field; lra].
Qed.

(* So a complete design is harmless if and only if it is balanced, for every condition between additive differences and
   low noise; and, if phi is a line plus an even function, for every condition between these and net order. *)
Lemma only_balanced phi g b m n : regular phi g -> (forall x, b <= phi x) -> complete m n ->
  (forall p, is_distribution m p -> additive m (aggregate p) -> compared n m (aggregate p) ->
     consistent_at (edge_loss identity phi m p) p) -> balanced_design m n.
Proof.
  intros reg below full right; exists (n 0%nat 1%nat).
  assert (S : forall i j, (i < m)%nat -> (j < m)%nat -> i <> j -> n i j = n j i) by (intros; apply full; assumption).
  assert (E : forall i j k, (i < m)%nat -> (j < m)%nat -> (k < m)%nat -> i <> j -> i <> k -> j <> k -> n i k = n j k).
  { intros i j k Hi Hj Hk ij ik jk; destruct (Req_dec (n i k) (n j k)) as [| N]; [assumption | exfalso].
    destruct (unequal_counts_wrong phi g b m n i j k) as (p & HD & Add & C & W); auto. }
  assert (Zero : forall j, (j < m)%nat -> j <> 0%nat -> n 0%nat j = n 0%nat 1%nat).
  { intros j Hj N; destruct (Nat.eq_dec j 1) as [-> | J]; [reflexivity |]; rewrite !(S 0%nat) by lia; apply E; lia. }
  intros i j Hi Hj N; destruct (Nat.eq_dec j 0) as [-> | J]; [rewrite S by lia; apply Zero; lia |].
  destruct (Nat.eq_dec i 0) as [-> |]; [| rewrite (E i 0%nat j) by lia]; apply Zero; lia.
Qed.
Lemma balanced_compared m n a : balanced_design m n -> compared n m a -> balanced m a.
Proof. intros (N & H) C; exists N; intros i j Hi Hj ij; rewrite (C i j Hi Hj ij); auto. Qed.
Theorem balanced_designs phi g b (C : condition) m n : regular phi g -> pushes g -> (forall x, b <= phi x) ->
  complete m n -> (forall a, additive m a -> C m a) -> (forall a, C m a -> rows_in_order m a) ->
  (forall p, is_distribution m p -> C m (aggregate p) -> compared n m (aggregate p) ->
     consistent_at (edge_loss identity phi m p) p) <-> balanced_design m n.
Proof.
  intros reg Pu below full Add Rows; split; [intros right; apply (only_balanced phi g b m n reg below full); auto |].
  intros B p HD HC Cn; apply (consistent_rows_balanced phi g b reg Pu below m p HD).
  split; [apply Rows, HC | apply (balanced_compared m n _ B Cn)].
Qed.
Theorem balanced_designs_net_order phi g b (C : condition) m n : regular phi g -> even_plus_line g ->
  (forall x, b <= phi x) -> complete m n -> (forall a, additive m a -> C m a) -> (forall a, C m a -> net_order m a) ->
  (forall p, is_distribution m p -> C m (aggregate p) -> compared n m (aggregate p) ->
     consistent_at (edge_loss identity phi m p) p) <-> balanced_design m n.
Proof.
  intros reg U below full Add Net; split; [intros right; apply (only_balanced phi g b m n reg below full); auto |].
  intros B p HD HC Cn; apply (consistent_net_order_balanced phi g b reg U below m p HD).
  split; [apply Net, HC | apply (balanced_compared m n _ B Cn)].
Qed.
