(* How much unequal counts cost at three items under low noise. Near its infimum a regular edge loss whose phi is a line
   plus an even function, bounded below, loses at most (r - 1)/(r + 2)^2 of all weights, if no pair is compared more
   than r times another and r <= (3 + sqrt 13)/2, and so much is reached; another bound serves larger r; and any
   counts cost at most 1/2 - 1/sqrt 6. The bounds come from Theorem R, with the lambda for which the schedules of two
   items do not differ. *)
From ConsistencyLab.base Require Import Prelude Sums Ranking Convex Descent Aggregate Near Consistency.
From ConsistencyLab.theorems Require Import Domination Addition.
Open Scope R_scope.

Section ThreeItems.
Variables (phi g : R -> R) (b : R) (p : distribution).
Hypotheses (reg : regular phi g) (U : even_plus_line g) (below : forall x, b <= phi x).
Hypothesis HD : is_distribution 3 p.
Let a := aggregate p.
Let d := difference a.
Let n := comparisons a.
Hypothesis LN : low_noise 3%nat a.
Hypothesis full : forall i j, (i < 3)%nat -> (j < 3)%nat -> i <> j -> 0 < n i j.
Definition items i j k := (i < 3)%nat /\ (j < 3)%nat /\ (k < 3)%nat /\ i <> j /\ i <> k /\ j <> k.
Lemma sum_3 f i j k : items i j k -> sum f 3 = f i + f j + f k.
Proof. intros H; unfold items in H; destruct i as [|[|[|i]]], j as [|[|[|j]]], k as [|[|[|k]]]; try lia; cbn; ring. Qed.
Lemma d_bounds i j : - n i j <= d i j <= n i j.
Proof.
  pose proof (aggregate_nonneg 3 p i j HD); pose proof (aggregate_nonneg 3 p j i HD).
  unfold d, n, difference, comparisons, a; lra.
Qed.
Lemma d_anti i j : d i j = - d j i.
Proof. unfold d, difference; ring. Qed.
Lemma n_sym i j : n i j = n j i.
Proof. unfold n, comparisons; ring. Qed.

(* Theorem R with lambda = n_jk/n_ik, for which the schedules do not differ. *)
Lemma by_addition i j k : items i j k -> 0 < n j k * (d i j + d i k) + n i k * (d i j - d j k) -> separated 3 a phi i j.
Proof.
  intros H Pd; pose proof H as (Hi & Hj & Hk & ij & ik & jk); pose proof (full i k Hi Hk ik) as Pik.
  pose proof (full j k Hj Hk jk) as Pjk; assert (Z : forall x, d x x = 0) by (intros; unfold d, difference; ring).
  assert (Q : proportional 3 a (n j k) (n i k) i j).
  { intros x Hx Xi Xj; replace x with k by lia; fold n; ring. }
  apply (separated_by_addition 3 a (fun x y _ _ => aggregate_nonneg 3 p x y HD) phi g reg U (n j k) (n i k)) with b;
    auto; try lra.
  rewrite (proportional_schedule _ _ _ _ _ _ Q); unfold net_wins; rewrite !(sum_3 _ i j k H); fold d.
  rewrite !Z, (d_anti j i); lra.
Qed.
(* An item between i and j keeps them apart, whatever the counts. *)
Lemma outer i j k : items i j k -> 0 < d i j -> 0 <= d i k -> d j k <= 0 -> separated 3 a phi i j.
Proof.
  intros H P Pi Pj; apply (by_addition i j k H); destruct H as (Hi & Hj & Hk & ij & ik & jk).
  pose proof (full i k Hi Hk ik); pose proof (full j k Hj Hk jk). nra.
Qed.
(* Otherwise low noise says by how much i does better than j. *)
Lemma beside i j k : items i j k -> 0 < d i j -> ~ (0 <= d i k /\ d j k <= 0) ->
  d i j + d j k <= d i k /\ (0 < d i k /\ 0 < d j k \/ d i k < 0 /\ d j k < 0).
Proof.
  intros (Hi & Hj & Hk & _) P N; pose proof (d_anti i j) as E1; pose proof (d_anti i k) as E2;
    pose proof (d_anti j k) as E3.
  destruct (Rlt_le_dec 0 (d j k)) as [Q | Q].
  - pose proof (LN i j k Hi Hj Hk P Q) as L; fold d in L; lra.
  - destruct (Rlt_le_dec 0 (d k i)) as [R | R]; [pose proof (LN k i j Hk Hi Hj R P) as L; fold d in L; lra | lra].
Qed.
(* The difference of a pair that may be ordered wrongly is bounded by the counts. *)
Definition small i j k := d i j <= n i j /\ d i j * (n i k + 2 * n j k) <= n j k * (n i k - n j k) \/
  d i j <= n i j /\ d i j * (n j k + 2 * n i k) <= n i k * (n j k - n i k).
Lemma small_or_separated i j k : items i j k -> 0 < d i j -> small i j k \/ separated 3 a phi i j.
Proof.
  intros H P; pose proof (d_bounds i j); pose proof (d_bounds i k); pose proof (d_bounds j k).
  destruct (Classical_Prop.classic (0 <= d i k /\ d j k <= 0)) as [[O1 O2] | O]; [right;
    apply (outer i j k H P O1 O2) |].
  destruct (beside i j k H P O) as [L _]; pose proof H as (Hi & Hj & Hk & ij & ik & jk).
  pose proof (full i k Hi Hk ik); pose proof (full j k Hj Hk jk); unfold small; set (A := n i k) in *;
    set (B := n j k) in *.
  destruct (Rle_lt_dec B A) as [C | C].
  - destruct (Rle_lt_dec (d i j * (A + 2 * B)) (B * (A - B))) as [| S]; [left; left; lra | right].
    apply (by_addition i j k H); fold A B; nra.
  - destruct (Rle_lt_dec (d i j * (B + 2 * A)) (A * (B - A))) as [| S]; [left; right; lra | right].
    apply (by_addition i j k H); fold A B; nra.
Qed.

(* Near the infimum every pair that is separated is ordered rightly. *)
Lemma near_infimum (V := edge_loss identity phi 3%nat p) : exists e, 0 < e /\ forall alpha,
  (forall beta, V alpha < V beta + e) -> forall i, (i < 3)%nat -> forall j, (j < 3)%nat -> separated 3 a phi i j ->
  alpha j < alpha i.
Proof.
  destruct (edge_avoids 3 p phi b (separated 3 a phi) HD below) as (c & (u & L) & H); [auto |]; fold V in L, H.
  exists (c - V u); split; [lra |]; intros alpha N i Hi j Hj S; apply Rnot_le_lt; intros C.
  specialize (N u); specialize (H alpha); enough (c <= V alpha) by lra; apply H; eauto 7.
Qed.

Variables (alpha : scores) (c : R).
Hypothesis near : forall i, (i < 3)%nat -> forall j, (j < 3)%nat -> separated 3 a phi i j -> alpha j < alpha i.
Let all := n 0%nat 1%nat + n 0%nat 2%nat + n 1%nat 2%nat.
Hypothesis cost : forall i j k, items i j k -> 0 < d i j -> small i j k -> d i j <= c * all.
(* Wrong pairs: if one is, the two others are not. *)
Definition bad i j := 0 < d i j /\ alpha i <= alpha j.
Definition off i j := bad i j \/ bad j i.
Lemma bad_alone i j k : items i j k -> bad i j -> d i j <= c * all /\ ~ off i k /\ ~ off j k.
Proof.
  intros H [P L]; assert (N : ~ separated 3 a phi i j)
    by (intros S; destruct H as (Hi & Hj & _); pose proof (near i Hi j Hj S); lra).
  assert (O : ~ (0 <= d i k /\ d j k <= 0)) by (intros [O1 O2]; exact (N (outer i j k H P O1 O2))).
  destruct (small_or_separated i j k H P) as [S |]; [split; [exact (cost i j k H P S) |] | contradiction].
  pose proof (d_anti i k) as E1; pose proof (d_anti j k) as E2; pose proof (d_anti i j) as E3.
  destruct (beside i j k H P O) as [_ [[P1 P2] | [P1 P2]]]; destruct H as (Hi & Hj & Hk & H); unfold off, bad.
  - pose proof (near i Hi k Hk (outer i k j ltac:(unfold items; intuition auto) P1 ltac:(lra) ltac:(lra))); lra.
  - pose proof (near k Hk j Hj (outer k j i ltac:(unfold items; intuition auto) ltac:(lra) ltac:(lra) ltac:(lra))); lra.
Qed.
Lemma pair_cost i j k beta (t := d i j * (wrong alpha i j - wrong beta i j)) : items i j k ->
  t <= 0 \/ off i j /\ t <= c * all /\ ~ off i k /\ ~ off j k.
Proof.
  intros H; pose proof (d_anti i j) as E; assert (H' : items j i k) by (unfold items in *; intuition auto).
  unfold t, off; destruct (wrong_01 alpha i j) as [W | W], (wrong_01 beta i j) as [V | V]; rewrite W, V; try (left; lra).
  - destruct (Rle_lt_dec (d j i) 0) as [P | P]; [left; lra | right]; apply right_weakly in W.
    destruct (bad_alone j i k H' (conj P W)) as (B & N); unfold off, bad in *; split; [| split; [lra |]]; tauto.
  - destruct (Rle_lt_dec (d i j) 0) as [P | P]; [left; lra | right]; apply wrong_1 in W.
    destruct (bad_alone i j k H (conj P W)) as (B & N); unfold off, bad in *; split; [| split; [lra |]]; tauto.
Qed.
Lemma regret : 0 <= c -> forall beta, loss p alpha <= loss p beta + c * all.
Proof.
  intros Pc beta; pose proof (loss_difference 3 p (distribution_well_formed 3 p HD) alpha beta) as L.
  set (t := fun i j => d i j * (wrong alpha i j - wrong beta i j)).
  assert (E : loss p alpha - loss p beta = t 0%nat 1%nat + t 0%nat 2%nat + t 1%nat 2%nat).
  { rewrite L; cbn [sum]; fold a d; unfold t; assert (Z : forall x, d x x = 0) by (intros; unfold d, difference; ring).
    rewrite !Z, (d_anti 1%nat 0%nat), (d_anti 2%nat 0%nat), (d_anti 2%nat 1%nat).
    rewrite (wrong_sym alpha 0 1), (wrong_sym beta 0 1), (wrong_sym alpha 0 2), (wrong_sym beta 0 2),
      (wrong_sym alpha 1 2), (wrong_sym beta 1 2) by lia; field. }
  assert (Pall : 0 <= c * all).
  { apply Rmult_le_pos; [exact Pc |]; pose proof (full 0%nat 1%nat ltac:(lia) ltac:(lia) ltac:(lia)).
    pose proof (full 0%nat 2%nat ltac:(lia) ltac:(lia) ltac:(lia));
    pose proof (full 1%nat 2%nat ltac:(lia) ltac:(lia) ltac:(lia)); unfold all; lra. }
  destruct (pair_cost 0 1 2 beta ltac:(unfold items; lia)) as [T1 | (B1 & T1 & N1)],
    (pair_cost 0 2 1 beta ltac:(unfold items; lia)) as [T2 | (B2 & T2 & N2)],
    (pair_cost 1 2 0 beta ltac:(unfold items; lia)) as [T3 | (B3 & T3 & N3)];
    fold (t 0 1)%nat (t 0 2)%nat (t 1 2)%nat in *; lra || (unfold off in *; tauto).
Qed.
End ThreeItems.

(* A and B count how often two items meet the third, C how often each other; D is their difference. *)
Lemma cost_any A B C D : 0 < A -> 0 < B -> D <= C -> D * (A + 2 * B) <= B * (A - B) ->
  D <= (1/2 - 1 / sqrt 6) * (A + B + C).
Proof.
  intros PA PB L H; assert (S : sqrt 6 * sqrt 6 = 6) by (apply sqrt_sqrt; lra).
  assert (Ps : 0 < sqrt 6) by (apply sqrt_lt_R0; lra); set (s := sqrt 6) in *.
  assert (K : D * (5 + 2 * s) <= A + B) by (pose proof (Rle_0_sqr (A - (1 + s) * B)); unfold Rsqr in *; nra).
  replace (1 / 2 - 1 / s) with (/ (6 + 2 * s)); [| apply Rmult_eq_reg_r with (2 * s * (6 + 2 * s));
    [field_simplify; nra | nra]].
  apply Rmult_le_reg_l with (6 + 2 * s); [lra |]; rewrite <- Rmult_assoc, Rinv_r by lra; lra.
Qed.
Lemma cost_ratio r A B C D : 1 <= r -> r * r <= 3 * r + 1 -> 0 < A -> 0 < B -> A <= r * B -> A <= r * C ->
  D * (A + 2 * B) <= B * (A - B) -> D <= (r - 1) / ((r + 2) * (r + 2)) * (A + B + C).
Proof.
  intros R1 R2 PA PB L1 L2 H.
  assert (Q : 0 <= (r * r + 6 * r + 2) * B - (r * r - 1) * A) by nra.
  assert (K : D * (r * ((r + 2) * (r + 2))) <= (r - 1) * ((r + 1) * A + r * B)).
  { apply Rmult_le_reg_r with (A + 2 * B); [lra |].
    assert (D * (A + 2 * B) * (r * ((r + 2) * (r + 2))) <= B * (A - B) * (r * ((r + 2) * (r + 2))))
      by (apply Rmult_le_compat_r; [repeat apply Rmult_le_pos; lra | exact H]).
    assert (0 <= (r * B - A) * ((r * r + 6 * r + 2) * B - (r * r - 1) * A)) by (apply Rmult_le_pos; lra); lra. }
  apply Rmult_le_reg_r with (r * ((r + 2) * (r + 2))); [repeat apply Rmult_lt_0_compat; lra |].
  replace ((r - 1) / ((r + 2) * (r + 2)) * (A + B + C) * (r * ((r + 2) * (r + 2)))) with ((r - 1) * (r * (A + B + C)))
    by (field; lra).
  assert (0 <= (r - 1) * (r * C - A)) by (apply Rmult_le_pos; lra); lra.
Qed.
Lemma cost_larger_ratio r A B C D : 0 < r -> 0 < A -> 0 < B -> A <= r * C -> D * (A + 2 * B) <= B * (A - B) ->
  D <= r * (5 * r + 4 - 2 * sqrt (3 * (r + 1) * (2 * r + 1))) / ((r + 2) * (r + 2)) * (A + B + C).
Proof.
  intros R PA PB L H; assert (P0 : 0 < 3 * (r + 1) * (2 * r + 1)) by nra.
  assert (S : sqrt (3 * (r + 1) * (2 * r + 1)) * sqrt (3 * (r + 1) * (2 * r + 1)) = 3 * (r + 1) * (2 * r + 1))
    by (apply sqrt_sqrt; lra).
  pose proof (sqrt_lt_R0 _ P0) as Ps; set (s := sqrt (3 * (r + 1) * (2 * r + 1))) in *.
  set (E := 5 * r + 4 - 2 * s); assert (PE : 0 <= E) by (unfold E; nra).
  assert (K : D * ((r + 2) * (r + 2)) <= E * ((1 + r) * A + r * B)).
  { apply Rmult_le_reg_r with (A + 2 * B); [lra |].
    assert (D * (A + 2 * B) * ((r + 2) * (r + 2)) <= B * (A - B) * ((r + 2) * (r + 2)))
      by (apply Rmult_le_compat_r; [apply Rmult_le_pos; lra | exact H]).
    assert (Q : 0 <= ((3 * (r + 1) - s) * A + (3 * r - 2 * s) * B) * ((3 * (r + 1) - s) * A + (3 * r - 2 * s) * B))
      by apply Rle_0_sqr.
    replace (((3 * (r + 1) - s) * A + (3 * r - 2 * s) * B) * ((3 * (r + 1) - s) * A + (3 * r - 2 * s) * B)) with
      (9 * (r + 1) * (r + 1) * (A * A) - 6 * (r + 1) * s * (A * A) + s * s * (A * A)
       + 2 * (9 * r * (r + 1) - 6 * (r + 1) * s - 3 * r * s + 2 * (s * s)) * (A * B)
       + (9 * r * r - 12 * r * s + 4 * (s * s)) * (B * B)) in Q by ring; rewrite S in Q; unfold E; lra. }
  apply Rmult_le_reg_r with ((r + 2) * (r + 2)); [apply Rmult_lt_0_compat; lra |].
  replace (r * E / ((r + 2) * (r + 2)) * (A + B + C) * ((r + 2) * (r + 2))) with (E * (r * (A + B + C))) by
    (field; lra).
  assert (0 <= E * (r * C - A)) by (apply Rmult_le_pos; lra); lra.
Qed.

Section Bounds.
Variables (phi g : R -> R) (b : R) (p : distribution).
Hypotheses (reg : regular phi g) (U : even_plus_line g) (below : forall x, b <= phi x).
Hypotheses (HD : is_distribution 3 p) (LN : low_noise 3%nat (aggregate p)).
Let n := comparisons (aggregate p).
Hypothesis full : forall i j, (i < 3)%nat -> (j < 3)%nat -> i <> j -> 0 < n i j.
Let all := n 0%nat 1%nat + n 0%nat 2%nat + n 1%nat 2%nat.
Lemma all_items i j k : items i j k -> all = n i k + n j k + n i j.
Proof.
  intros H; unfold items in H; unfold all; destruct i as [|[|[|i]]], j as [|[|[|j]]], k as [|[|[|k]]]; try lia;
    rewrite ?(n_sym p 1 0), ?(n_sym p 2 0), ?(n_sym p 2 1); unfold n, comparisons; ring.
Qed.
Lemma near_regret c : 0 <= c -> (forall i j k D, items i j k -> 0 < n i k -> 0 < n j k -> D <= n i j ->
    D * (n i k + 2 * n j k) <= n j k * (n i k - n j k) -> D <= c * (n i k + n j k + n i j)) ->
  exists e, 0 < e /\ forall alpha,
    (forall beta, edge_loss identity phi 3%nat p alpha < edge_loss identity phi 3%nat p beta + e) ->
    forall beta, loss p alpha <= loss p beta + c * all.
Proof.
  intros Pc Cost; destruct (near_infimum phi b p below HD) as (e & Pe & Near); exists e; split; [exact Pe |].
  intros alpha N; apply (regret phi g b p reg U below HD LN full alpha c (Near alpha N)); [| exact Pc].
  intros i j k H _ S; fold n all; assert (H' : items j i k) by (unfold items in *; intuition auto).
  assert (Pik : 0 < n i k) by (apply full; apply H); assert (Pjk : 0 < n j k) by (apply full; apply H).
  destruct S as [[L S] | [L S]]; [rewrite (all_items i j k H) | rewrite (all_items j i k H')]; apply Cost; auto.
  rewrite (n_sym p i j) in L; exact L.
Qed.

(* Any counts. *)
Theorem three_items_any_counts : exists e, 0 < e /\ forall alpha,
  (forall beta, edge_loss identity phi 3%nat p alpha < edge_loss identity phi 3%nat p beta + e) ->
  forall beta, loss p alpha <= loss p beta + (1/2 - 1 / sqrt 6) * all.
Proof.
  apply near_regret.
  - assert (S : sqrt 6 * sqrt 6 = 6) by (apply sqrt_sqrt; lra); assert (Ps : 0 < sqrt 6) by (apply sqrt_lt_R0; lra).
    apply Rmult_le_reg_r with (2 * sqrt 6); [lra |]; field_simplify; nra.
  - intros i j k D _; apply cost_any.
Qed.
(* No pair is compared more than r times another. *)
Section Ratio.
Variable r : R.
Hypothesis ratio : forall i j k l, (i < 3)%nat -> (j < 3)%nat -> (k < 3)%nat -> (l < 3)%nat -> i <> j -> k <> l ->
  n i j <= r * n k l.
Lemma by_ratio c : 0 <= c ->
  (forall A B C D, 0 < A -> 0 < B -> A <= r * B -> A <= r * C -> D * (A + 2 * B) <= B * (A - B) ->
    D <= c * (A + B + C)) -> exists e, 0 < e /\ forall alpha,
    (forall beta, edge_loss identity phi 3%nat p alpha < edge_loss identity phi 3%nat p beta + e) ->
    forall beta, loss p alpha <= loss p beta + c * all.
Proof.
  intros Pc Cost; apply near_regret; [exact Pc |]; intros i j k D (Hi & Hj & Hk & ij & ik & jk) Pi Pj _; apply Cost; auto.
Qed.
Theorem three_items_ratio : 1 <= r -> r * r <= 3 * r + 1 -> exists e, 0 < e /\ forall alpha,
  (forall beta, edge_loss identity phi 3%nat p alpha < edge_loss identity phi 3%nat p beta + e) ->
  forall beta, loss p alpha <= loss p beta + (r - 1) / ((r + 2) * (r + 2)) * all.
Proof.
  intros R1 R2; apply by_ratio; [| intros; apply cost_ratio; assumption].
  apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra].
Qed.
Theorem three_items_larger_ratio : 1 <= r -> exists e, 0 < e /\ forall alpha,
  (forall beta, edge_loss identity phi 3%nat p alpha < edge_loss identity phi 3%nat p beta + e) -> forall beta,
  loss p alpha <= loss p beta + r * (5 * r + 4 - 2 * sqrt (3 * (r + 1) * (2 * r + 1))) / ((r + 2) * (r + 2)) * all.
Proof.
  intros R; apply by_ratio; [| intros; apply cost_larger_ratio; try assumption; lra].
  assert (P0 : 0 < 3 * (r + 1) * (2 * r + 1)) by nra.
  pose proof (sqrt_sqrt _ (Rlt_le _ _ P0)) as S; pose proof (sqrt_lt_R0 _ P0).
  set (s := sqrt (3 * (r + 1) * (2 * r + 1))) in *; assert (0 <= 5 * r + 4 - 2 * s) by nra.
  apply Rmult_le_pos; [apply Rmult_le_pos; lra | left; apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra].
Qed.
End Ratio.
End Bounds.

(* So much is lost with the counts 1, r, 1 at additive differences, where a minimizer ties two items. *)
Theorem three_items_ratio_reached phi g b r : regular phi g -> even_plus_line g -> (forall x, b <= phi x) -> 1 < r ->
  exists p alpha beta, is_distribution 3 p /\ additive 3%nat (aggregate p) /\
    (forall i j, (i < 3)%nat -> (j < 3)%nat -> i <> j -> 1 <= comparisons (aggregate p) i j <= r) /\
    (forall gamma, edge_loss identity phi 3%nat p alpha <= edge_loss identity phi 3%nat p gamma) /\
    let n := comparisons (aggregate p) in
    loss p alpha = loss p beta + (r - 1) / ((r + 2) * (r + 2)) * (n 0%nat 1%nat + n 0%nat 2%nat + n 1%nat 2%nat).
Proof.
  intros reg U below R; destruct (regular_slopes phi g reg) as (Dg & mono & g0).
  set (D := (r - 1) / (r + 2)); assert (ED : D * (r + 2) = r - 1) by (unfold D; field; lra).
  assert (PD : 0 < D < 1) by (split; [apply Rdiv_lt_0_compat; lra | apply Rmult_lt_reg_r with (r + 2); lra]).
  (* phi'(t) = D phi'(0). *)
  assert (X : exists t, 0 < t /\ g t = D * g 0).
  { destruct (levels_off phi g b (D * g 0) reg below ltac:(nra)) as (x & Px & G).
    destruct (slope_takes phi g 0 x (D * g 0) Dg mono Px ltac:(nra)) as (t & Ht & E); exists t; split; [| exact E].
    destruct (proj1 Ht) as [| <-]; [assumption | nra]. }
  destruct X as (t & Pt & Gt); assert (Gt' : g (- t) = (2 - D) * g 0) by (pose proof (U t); lra).
  set (a := (fun i j => match i, j with
    | 0%nat, 1%nat => (1 + D) / 2 | 1%nat, 0%nat => (1 - D) / 2 | 0%nat, 2%nat => (r + D + 1) / 2
    | 2%nat, 0%nat => (r - D - 1) / 2 | 1%nat, 2%nat => 1 | _, _ => 0 end) : matrix).
  assert (NN : forall i j, 0 <= a i j).
  { assert (D <= r - 1) by nra; intros [|[|[|i]]] [|[|[|j]]]; cbn; lra. }
  set (p := of_matrix 3 a); pose proof (of_matrix_distribution 3 a : is_distribution 3 p) as HD.
  assert (E : forall i j, (i < 3)%nat -> (j < 3)%nat -> aggregate p i j = a i j).
  { intros i j Hi Hj; apply aggregate_of_matrix; auto; intros <-; destruct i as [|[|[|i]]]; reflexivity. }
  set (alpha := (fun i => match i with 2%nat => - t | _ => 0 end) : scores).
  set (y := (fun i => match i with 0%nat => D + 1 | 1%nat => 1 | _ => 0 end) : scores).
  exists p, alpha, y; split; [exact HD | split; [| split; [| split]]].
  - exists y; intros [|[|[|i]]] [|[|[|j]]] Hi Hj; try lia; unfold difference; rewrite !E by lia; cbn; lra.
  - intros [|[|[|i]]] [|[|[|j]]] Hi Hj N; try lia; unfold comparisons; rewrite !E by lia; cbn; lra.
  - intros gamma; rewrite !(edge_loss_risk 3) by apply distribution_well_formed, HD.
    apply (stationary_minimizer 3 (aggregate p) phi (fun i j => g (alpha i - alpha j)));
      [intros; apply (aggregate_nonneg 3), HD | intros; apply mono_subgradient; assumption |].
    intros k Hk; cbn [sum]; rewrite !E by lia; destruct k as [|[|[|k]]]; try lia; cbn -[Rminus].
    all: replace (0 - 0) with 0 by ring; replace (0 - - t) with t by ring; replace (- t - 0) with (- t) by ring;
      rewrite ?Gt, ?Gt'; nra.
  - pose proof (loss_difference 3 p (distribution_well_formed 3 p HD) alpha y) as L; cbn [sum] in L; cbv zeta.
    unfold difference, comparisons in *; rewrite !E in * by lia; cbn -[wrong] in L |- *.
    assert (V : wrong alpha 0 1 = 1) by (unfold wrong; cbn; destruct (Rle_dec 0 0); lra).
    rewrite (wrong_sym alpha 0 1), (wrong_sym alpha 0 2), (wrong_sym alpha 1 2), (wrong_sym y 0 1), (wrong_sym y 0 2),
      (wrong_sym y 1 2), V, (right_above alpha 0 2), (right_above alpha 1 2), (right_above y 0 1), (right_above y 0 2),
      (right_above y 1 2) in L by (lia || (cbn; lra)).
    replace ((r - 1) / ((r + 2) * (r + 2))) with (D / (r + 2)) by (unfold D; field; lra).
    assert (K : D / (r + 2) * (r + 2) = D) by (field; lra); lra.
Qed.

(* Three items at equal counts: net order is enough if u(x) <= u(0) where x > 0 and phi'(x) < 0. *)
Theorem balanced_three phi g b p : declining phi g -> (forall x, b <= phi x) ->
  (forall x, 0 < x -> g x < 0 -> - g x - g (- x) <= - 2 * g 0) -> is_distribution 3 p ->
  net_order 3%nat (aggregate p) -> balanced 3%nat (aggregate p) -> consistent_at (edge_loss identity phi 3%nat p) p.
Proof.
  intros dec below U HD O [N B]; destruct (declining_slopes phi g dec) as (D & mono & neg & g0).
  set (a := aggregate p) in *; assert (NN : forall i j, 0 <= a i j) by (intros; apply (aggregate_nonneg 3), HD).
  apply (separated_consistent 3 p phi b HD below); [exists (net_wins 3 a); exact O |]; intros i j Hi Hj P; fold a in P |- *.
  assert (X : exists k, items i j k).
  { unfold difference in P; destruct i as [|[|[| i]]], j as [|[|[| j]]]; try lia; try lra;
      [exists 2%nat | exists 1%nat | exists 2%nat | exists 0%nat | exists 1%nat | exists 0%nat]; repeat split; lia. }
  destruct X as (k & Ik); pose proof Ik as (_ & _ & Hk & ij & ik & jk); specialize (O i j Hi Hj P).
  pose proof (B i k Hi Hk ik) as Bi; pose proof (B j k Hj Hk jk) as Bj.
  unfold net_wins in O; rewrite !(sum_3 _ i j k Ik) in O; unfold difference, comparisons in *.
  set (d := a i j - a j i) in *; set (y := a i k - a j k); assert (Py : 0 < d + y) by (unfold d, y in *; lra).
  assert (Pc : 0 < Rmin d (d + y) * - g 0) by (apply Rmult_lt_0_compat; [apply Rmin_pos; assumption | lra]).
  apply (steep 3 a (fun x z _ _ => NN x z) phi g b (proj1 dec) below _ 2 (fun u => u i <= u j) Pc); intros u C.
  pose proof (Rmin_l d (d + y)); pose proof (Rmin_r d (d + y)); set (x := u j - u k).
  assert (E : a i j * g (u i - u j) - a j i * g (u j - u i) <= d * g 0).
  { pose proof (mono (u i - u j) 0 ltac:(lra)); pose proof (mono 0 (u j - u i) ltac:(lra)); pose proof (NN i j);
      pose proof (NN j i); unfold d; nra. }
  pose proof (mono (u i - u k) x ltac:(unfold x; lra)) as G1.
  pose proof (mono (- x) (u k - u i) ltac:(unfold x; lra)) as G2.
  assert (Ei : push 3 a g u i = a i j * g (u i - u j) - a j i * g (u j - u i) + (a i k * g (u i - u k) - a k i *
    g (u k - u i))) by (unfold push; rewrite (sum_3 _ i j k Ik); ring).
  assert (Ej : push 3 a g u j = a j i * g (u j - u i) - a i j * g (u i - u j) + (a j k * g x - a k j * g (- x))).
  { unfold push; rewrite (sum_3 _ i j k Ik); unfold x; replace (- (u j - u k)) with (u k - u j) by ring; ring. }
  pose proof (NN i k); pose proof (NN k i); pose proof (NN j k); pose proof (NN k j); pose proof (neg x);
    pose proof (neg (- x)); pose proof (neg (u i - u k)).
  assert (Both : y * (g x + g (- x)) <= - y * (- 2 * g 0) \/ 0 <= y ->
    exists v, (forall k l, Rabs (v k - v l) <= 2) /\ slope 3 a g u v <= - (Rmin d (d + y) * - g 0)).
  { intros K; exists (lift 1 1 i j); split; [intros; replace 2 with (1 + 1) by ring; apply lift_bound; lra |].
    rewrite slope_lift, Ei, Ej by assumption.
    assert (T : a i k * g (u i - u k) - a k i * g (u k - u i) - (a j k * g x - a k j * g (- x)) <= y * (g x + g (- x)))
      by (replace (y * (g x + g (- x))) with (a i k * g x - a k i * g (- x) - (a j k * g x - a k j * g (- x)))
        by (unfold y; replace (a k i) with (N - a i k) by lra; replace (a k j) with (N - a j k) by lra; ring); nra).
    destruct K; nra. }
  destruct (Rle_lt_dec 0 y) as [Y | Y]; [apply Both; auto |].
  assert (S : forall z, g z = 0 \/ g z < 0) by (intros z; destruct (neg z); auto).
  destruct (Rtotal_order x 0) as [L | [L | L]].
  - destruct (S (- x)) as [Z | Z].
    + exists (lift 1 0 i j); split; [intros; eapply Rle_trans; [apply lift_bound |]; lra |].
      rewrite slope_lift, Ei by assumption; pose proof (neg (u k - u i)); nra.
    + apply Both; left; pose proof (U (- x) ltac:(lra) Z); rewrite Ropp_involutive in *; nra.
  - apply Both; left; rewrite L, Ropp_0; lra.
  - destruct (S x) as [Z | Z]; [| apply Both; left; pose proof (U x L Z); nra].
    exists (lift 0 1 i j); split; [intros; eapply Rle_trans; [apply lift_bound |]; lra |].
    rewrite slope_lift, Ej, Z by assumption; nra.
Qed.
