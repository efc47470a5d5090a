(* Losses of several classes, and of several relevant labels. A class is predicted by the largest score. *)
From Coq Require Import Classical_Prop.
From ConsistencyLab.base Require Import Prelude Sums Ranking Orders Calibration Convex Descent Near.
From ConsistencyLab.theorems Require Import Disagreement Orderings.
Open Scope R_scope.

(* The classes below m; the 0-1 loss; and classes of the largest score, of which any may be predicted. *)
Definition of_classes (m : nat) (p : list (R * nat)) := Forall (fun q => (snd q < m)%nat) p.
Definition zero_one (y t : nat) : R := if (t =? y)%nat then 0 else 1.
Definition largest (m : nat) (u : scores) (t : nat) := (t < m)%nat /\ forall j, (j < m)%nat -> u j <= u t.
Definition chance (p : list (R * nat)) (k : nat) : R := mean p (fun y => if (k =? y)%nat then 1 else 0).
Lemma zero_one_chance p t : is_law p -> mean p (fun y => zero_one y t) = 1 - chance p t.
Proof.
  intros law; unfold chance; rewrite <- (mean_const p law 1) at 1; rewrite <- mean_minus; apply mean_ext; intros y.
  unfold zero_one; destruct (t =? y)%nat; ring.
Qed.
Lemma chance_range p k : is_law p -> 0 <= chance p k <= 1.
Proof.
  intros law; assert (B : forall f g : nat -> R, (forall y, f y <= g y) -> mean p f <= mean p g).
  { intros f g H; apply total_le; eapply Forall_impl; [| exact (proj1 law)]; intros q Q; cbn;
      apply Rmult_le_compat_l; auto. }
  rewrite <- (mean_const p law 0), <- (mean_const p law 1) at 1; split; apply B; intros y; destruct (k =? y)%nat; lra.
Qed.
Lemma best_class m p k : is_law p -> best zero_one (fun t => (t < m)%nat) p k <->
  (k < m)%nat /\ forall j, (j < m)%nat -> chance p j <= chance p k.
Proof.
  intros law; split; intros [Hk H]; (split; [exact Hk |]); intros j Hj; specialize (H j Hj);
    rewrite !zero_one_chance in * by exact law; lra.
Qed.
(* What keeps scores in the order of the chances is calibrated. *)
Lemma classes_calibrated {U} m (show : U -> scores) (psi : nat -> U -> R) : (forall p, is_law p -> of_classes m p ->
    avoids (fun u => mean p (fun y => psi y u)) (fun u => exists i t, (i < m)%nat /\ largest m (show u) t /\
      chance p t < chance p i)) ->
  calibrated_for zero_one (fun t => (t < m)%nat) (of_classes m) psi (fun u => largest m (show u)).
Proof.
  intros H p law Pm; eapply avoids_less; [| exact (H p law Pm)]; cbn; intros u (t & L & N); apply NNPP; intros M.
  apply N, best_class; [exact law |]; split; [apply L |]; intros j Hj; apply Rnot_lt_le; intros C; apply M; eauto.
Qed.

(* --- Lee, Lin and Wahba ------------------------------------------------------------------------------------- *)

Section LeeLinWahba.
Variable m : nat.
(* Scores that sum to 0. *)
Definition centered := {u : scores | sum u m = 0}.
Definition lee_lin_wahba (y : nat) (u : centered) :=
  sum (fun j => if (j =? y)%nat then 0 else Rmax 0 (1 + proj1_sig u j)) m.
Lemma lee_lin_wahba_mean p u : is_law p ->
  mean p (fun y => lee_lin_wahba y u) = sum (fun j => (1 - chance p j) * Rmax 0 (1 + proj1_sig u j)) m.
Proof.
  intros law; unfold lee_lin_wahba; rewrite mean_sum; apply sum_ext; intros j _.
  rewrite <- zero_one_chance, Rmult_comm, <- mean_scal by exact law; apply mean_ext; intros y; unfold zero_one.
  destruct (j =? y)%nat; ring.
Qed.
(* The excess is at least the regret of the predicted class: H(e) >= e. *)
Theorem lee_lin_wahba_bound p : is_law p -> (0 < m)%nat -> exists v, forall u t k, largest m (proj1_sig u) t ->
  (k < m)%nat -> mean p (fun y => zero_one y t) - mean p (fun y => zero_one y k) <=
    mean p (fun y => lee_lin_wahba y u) - mean p (fun y => lee_lin_wahba y v).
Proof.
  intros law Hm; destruct (top_item (chance p) m Hm) as (b & Hb & B).
  set (w := fun j => -1 + if (j =? b)%nat then INR m else 0); assert (Z : sum w m = 0).
  { unfold w; rewrite sum_plus, sum_const, (sum_delta (fun _ => INR m) m b Hb); ring. }
  exists (exist _ w Z : centered); intros [u Hu] t k [Ht T] Hk; cbn [proj1_sig] in *.
  rewrite !lee_lin_wahba_mean, !zero_one_chance by exact law; cbn [proj1_sig]; specialize (B k Hk) as Bk.
  set (W := fun j => Rmax 0 (1 + u j)); assert (W0 : forall j, 0 <= W j) by (intros; apply Rmax_l).
  rewrite (sum_ext (fun j => (1 - chance p j) * Rmax 0 (1 + w j))
    (fun j => if (j =? b)%nat then (1 - chance p j) * INR m else 0)).
  2: { intros j _; unfold w; destruct (j =? b)%nat; [rewrite Rmax_right by (pose proof (pos_INR m); lra) |
         rewrite Rmax_left by lra]; ring. }
  rewrite (sum_delta (fun j => (1 - chance p j) * INR m) m b Hb).
  assert (S : INR m <= sum W m).
  { replace (INR m) with (sum (fun j => 1 + u j) m) by (rewrite sum_plus, sum_const, Hu; ring).
    apply sum_le; intros; apply Rmax_r. }
  assert (Wt : 1 <= W t).
  { assert (0 <= u t); [| eapply Rle_trans; [| apply Rmax_r]; lra].
    apply Rnot_lt_le; intros N; assert (sum u m < sum (fun _ => 0) m); [| rewrite sum_zero in *; lra].
    apply sum_lt with t; [exact Ht | intros j Hj; specialize (T j Hj); lra | exact N]. }
  assert (E : sum (fun j => (1 - chance p j) * W j) m =
    sum (fun j => (chance p b - chance p j) * W j) m + (1 - chance p b) * sum W m).
  { rewrite <- sum_scal, <- sum_plus; apply sum_ext; intros; ring. }
  assert (G : (chance p b - chance p t) * W t <= sum (fun j => (chance p b - chance p j) * W j) m).
  { rewrite <- (sum_delta (fun j => (chance p b - chance p j) * W j) m t Ht); apply sum_le; intros j Hj.
    specialize (B j Hj); assert (0 <= (chance p b - chance p j) * W j) by (apply Rmult_le_pos; [lra | auto]).
    destruct (j =? t)%nat; lra. }
  pose proof (B t Ht); pose proof (chance_range p b law).
  change (sum (fun j => (1 - chance p j) * Rmax 0 (1 + u j)) m) with (sum (fun j => (1 - chance p j) * W j) m).
  rewrite E; nra.
Qed.
Theorem lee_lin_wahba_calibrated : calibrated_for zero_one (fun t => (t < m)%nat) (of_classes m) lee_lin_wahba
  (fun u => largest m (proj1_sig u)).
Proof.
  apply classes_calibrated; intros p law Pm.
  destruct (Nat.eq_dec m 0) as [E | N].
  { destruct p as [| q p]; [destruct law as [_ One]; cbn in One; lra |]; inversion Pm; lia. }
  destruct (lee_lin_wahba_bound p law ltac:(lia)) as (v & H).
  destruct (least_gap (chance p) m) as (c & Hc & C).
  exists (mean p (fun y => lee_lin_wahba y v) + c); split; [exists v; lra |].
  intros u (i & t & Hi & L & G); specialize (H u t i L Hi); specialize (C i Hi t (proj1 L) G).
  rewrite !zero_one_chance in H by exact law; lra.
Qed.
End LeeLinWahba.

(* --- Osokin, Bach and Lacoste-Julien -------------------------------------------------------------------------- *)

(* Least squares |f + l_y|^2 / (2k), for any loss of k classes. *)
Definition osokin (k : nat) (loss : nat -> nat -> R) (y : nat) (f : scores) :=
  / (2 * INR k) * squares (seq 0 k) (fun y t => - loss y t) y f.
Definition osokin_best (loss : nat -> nat -> R) p : scores := fun t => mean p (fun y => - loss y t).
Lemma osokin_excess k loss p f (v := osokin_best loss p) : is_law p ->
  mean p (fun y => osokin k loss y f) = mean p (fun y => osokin k loss y v) + / (2 * INR k) * sum (fun t => (f t - v t)^2) k.
Proof.
  intros law; unfold osokin; rewrite !mean_scal, <- Rmult_plus_distr_l; f_equal; rewrite <- total_seq.
  exact (squares_excess p law (seq 0 k) (fun y t => - loss y t) f).
Qed.
(* H(e) >= e^2 / (2k D^2), where two predictions are at most D = sqrt 2 apart. *)
Theorem osokin_bound k loss p : is_law p -> exists v, forall f t s, largest k f t -> (s < k)%nat ->
  let r := mean p (fun y => loss y t) - mean p (fun y => loss y s) in
  0 <= r -> r^2 / (2 * INR k * 2) <= mean p (fun y => osokin k loss y f) - mean p (fun y => osokin k loss y v).
Proof.
  intros law; exists (osokin_best loss p); intros f t s [Ht T] Hs r R0; rewrite (osokin_excess k loss p f law).
  set (v := osokin_best loss p); pose proof (T s Hs) as Fs.
  assert (Pk : 0 < INR k) by (apply lt_0_INR; lia); assert (Pi : 0 < / (2 * INR k)) by (apply Rinv_0_lt_compat; lra).
  assert (E : r = v s - v t).
  { unfold r, v, osokin_best; rewrite <- !mean_minus; apply mean_ext; intros; ring. }
  assert (S : r^2 / 2 <= sum (fun t => (f t - v t)^2) k).
  { destruct (Nat.eq_dec t s) as [-> | N].
    - replace r with 0 by lra; replace (0^2 / 2) with 0 by field; apply sum_nonneg; intros; apply pow2_ge_0.
    - set (F := fun j => (f j - v j)^2); apply Rle_trans with (F t + F s).
      { pose proof (pow2_ge_0 (f t - v t + (f s - v s))); unfold F; nra. }
      apply Rle_trans with (sum (fun j => (if (j =? t)%nat then F j else 0) + (if (j =? s)%nat then F j else 0)) k).
      { rewrite sum_plus, !sum_delta by assumption; lra. }
      apply sum_le; intros j _.
      assert (0 <= F j) by apply pow2_ge_0; destruct (Nat.eqb_spec j t), (Nat.eqb_spec j s); subst; try contradiction; lra. }
  apply (Rmult_le_compat_l (/ (2 * INR k))) in S; [| lra].
  replace (r^2 / (2 * INR k * 2)) with (/ (2 * INR k) * (r^2 / 2)) by (field; lra); lra.
Qed.
(* For the 0-1 loss this is attained: H(e) = e^2 / (4k). *)
Theorem osokin_attained k e : (2 <= k)%nat -> 0 <= e <= 1 -> exists p f v, is_law p /\ of_classes k p /\
  largest k f 1%nat /\ mean p (fun y => zero_one y 1%nat) - mean p (fun y => zero_one y 0%nat) = e /\
  (forall u, mean p (fun y => osokin k zero_one y v) <= mean p (fun y => osokin k zero_one y u)) /\
  mean p (fun y => osokin k zero_one y f) - mean p (fun y => osokin k zero_one y v) = e^2 / (4 * INR k).
Proof.
  intros Hk He; set (p := [((1 + e) / 2, 0%nat); ((1 - e) / 2, 1%nat)]).
  set (v := osokin_best zero_one p); set (f := (fun t => match t with 0%nat | 1%nat => - / 2 | _ => v t end) : scores).
  assert (law : is_law p) by (split; [repeat (apply Forall_cons || apply Forall_nil); cbn; lra | cbn; lra]).
  assert (Pk : 0 < INR k) by (apply lt_0_INR; lia).
  assert (Ex : forall u, mean p (fun y => osokin k zero_one y v) <= mean p (fun y => osokin k zero_one y u)).
  { intros u; rewrite (osokin_excess k zero_one p u law); fold v; apply Rle_trans with (mean p (fun y => osokin k zero_one
      y v) + / (2 * INR k) * 0); [lra |]; apply Rplus_le_compat_l, Rmult_le_compat_l;
      [left; apply Rinv_0_lt_compat; lra | apply sum_nonneg; intros; apply pow2_ge_0]. }
  exists p, f, v; split; [exact law | split; [repeat constructor; cbn; lia | split; [split; [lia |] | split; [|
    split; [exact Ex |]]]]].
  - intros [| [| j]] _; unfold f; cbn; try lra; rewrite V; lra.
  - unfold mean, zero_one; cbn; lra.
  - rewrite (osokin_excess k zero_one p f law); fold v; rewrite (sum_few _ 2 k Hk).
    + unfold f, v, osokin_best, mean, zero_one; cbn; field; lra.
    + intros [| [| j]] Hj; try lia; unfold f; ring.
Qed.

(* --- Losses of single items --------------------------------------------------------------------------------- *)

Section Single.
Variables (phi g : R -> R) (b : R).
Hypotheses (reg : regular phi g) (below : forall x, b <= phi x).
(* The risk of the score x of an item that is relevant with weight D out of V. *)
Definition single V D x := D * phi x + (V - D) * phi (- x).
(* Where it falls at z, no score up to z comes near the infimum. *)
Lemma single_drop V D z : 0 <= D <= V -> D * g z - (V - D) * g (- z) < 0 ->
  exists y c, 0 < c /\ forall x, x <= z -> single V D y + c <= single V D x.
Proof.
  intros HD N; destruct (regular_slopes phi g reg) as (Dg & mono & _).
  assert (tan : forall y x, single V D y + (D * g y - (V - D) * g (- y)) * (x - y) <= single V D x).
  { intros y x; pose proof (mono_subgradient phi g y Dg mono x) as T; apply (Rmult_le_compat_l D) in T; [| lra].
    pose proof (mono_subgradient phi g (- y) Dg mono (- x)) as U; apply (Rmult_le_compat_l (V - D)) in U; [| lra].
    unfold single; lra. }
  assert (C : continuity (fun y => D * g y - (V - D) * g (- y))) by (apply continuity_minus; apply continuity_scal;
    [apply (slope_continuous phi) | apply (slope_turned phi)]; assumption).
  set (s := D * g z - (V - D) * g (- z)) in *.
  destruct (C z (- s / 2) ltac:(lra)) as (d & Pd & Hd); cbn in Hd; unfold R_dist in Hd.
  set (y := z + d / 2); assert (Hy : Rabs ((D * g y - (V - D) * g (- y)) - s) < - s / 2).
  { apply Hd; split; [split; [exact I | unfold y; lra] | unfold y; apply Rabs_def1; lra]. }
  apply Rabs_def2 in Hy; exists y, (- s / 2 * (d / 2)); split; [apply Rmult_lt_0_compat; lra |]; intros x Hx.
  pose proof (tan y x) as T; unfold y in T, Hy |- *; nra.
Qed.
(* Of two items the one of smaller weight is below, with a gap. *)
Lemma single_apart V D E : 0 <= E < D -> D <= V -> exists c, 0 < c /\ forall x y, x <= y ->
  exists x' y', single V D x' + single V E y' + c <= single V D x + single V E y.
Proof.
  intros HE HD; destruct (regular_slopes phi g reg) as (Dg & mono & g0).
  set (M := (D + E) / 2); set (G := fun z => M * g z - (V - M) * g (- z)).
  set (r := Rmin M (V - M)); pose proof (Rmin_l M (V - M)); pose proof (Rmin_r M (V - M)).
  assert (Pr : 0 < r) by (apply Rmin_pos; unfold M; lra); fold r in H, H0.
  set (t := r / (2 * V)); assert (Et : t * (2 * V) = r) by (unfold t; field; lra).
  destruct (levels_off phi g b (g 0 * t) reg below ltac:(nra)) as (X & PX & GX); pose proof (mono (- X) 0 ltac:(lra)).
  assert (tM : M * t <= r / 2 /\ (V - M) * t <= r / 2) by (split; unfold M in *; nra).
  assert (Up : 0 < G X).
  { unfold G; assert (M * (g 0 * t) <= M * g X) by (apply Rmult_le_compat_l; unfold M; lra).
    assert ((V - M) * g (- X) <= (V - M) * g 0) by (apply Rmult_le_compat_l; lra); nra. }
  assert (Down : G (- X) < 0).
  { unfold G; rewrite Ropp_involutive; assert ((V - M) * (g 0 * t) <= (V - M) * g X) by (apply Rmult_le_compat_l; lra).
    assert (M * g (- X) <= M * g 0) by (apply Rmult_le_compat_l; lra); nra. }
  destruct (IVT_cor G (- X) X) as (z & _ & Gz); [| lra | nra |].
  { apply continuity_minus; apply continuity_scal; [apply (slope_continuous phi) | apply (slope_turned phi)]; assumption. }
  assert (U : g z + g (- z) < 0).
  { unfold G in Gz; destruct (Rle_lt_dec 0 z); [pose proof (mono (- z) 0 ltac:(lra)) | pose proof (mono z 0 ltac:(lra))].
    - assert (M * g z < 0) by (assert ((V - M) * g (- z) < 0) by nra; lra); assert (g z < 0) by nra; lra.
    - assert ((V - M) * g (- z) < 0) by (assert (M * g z < 0) by nra; lra); assert (g (- z) < 0) by nra; lra. }
  destruct (single_drop V D z) as (x' & c & Hc & C); [lra | unfold G, M in Gz; nra |].
  destruct (single_drop V (V - E) (- z)) as (y' & d & Hd & C'); [lra | rewrite Ropp_involutive; unfold G, M in Gz; nra |].
  assert (Flip : forall x, single V (V - E) x = single V E (- x)) by (intros; unfold single; rewrite Ropp_involutive; ring).
  exists (Rmin c d); split; [apply Rmin_pos; assumption |]; intros x y L; pose proof (Rmin_l c d); pose proof (Rmin_r c d).
  destruct (Rle_lt_dec x z) as [Lx | Lx]; [exists x', y; specialize (C x Lx); lra |].
  exists x, (- y'); specialize (C' (- y) ltac:(lra)); rewrite !Flip, Ropp_involutive in C'; lra.
Qed.
(* So scores near the infimum of a sum of such risks have the order of the weights. *)
Lemma singles_avoid m V (D : scores) : (forall k, (k < m)%nat -> 0 <= D k <= V) ->
  avoids (fun u => sum (fun k => single V (D k) (u k)) m) (misorders m D).
Proof.
  intros HD; apply apart_avoids.
  - exists (sum (fun _ => V * b) m); intros u; apply sum_le; intros k Hk; specialize (HD k Hk); unfold single.
    pose proof (below (u k)); pose proof (below (- u k)); nra.
  - intros i j Hi Hj P; destruct (HD i Hi), (HD j Hj), (single_apart V (D i) (D j)) as (c & Hc & C); [lra .. |].
    exists c; split; [exact Hc |]; intros u L; destruct (C (u i) (u j) L) as (x & y & K).
    assert (ij : i <> j) by (intros ->; lra); exists (fun k => if (k =? i)%nat then x else if (k =? j)%nat then y else u k).
    assert (S : forall v, (forall k, k <> i -> k <> j -> v k = u k) -> sum (fun k => single V (D k) (v k)) m =
      sum (fun k => if (k =? i)%nat then 0 else if (k =? j)%nat then 0 else single V (D k) (u k)) m +
      (single V (D i) (v i) + single V (D j) (v j))).
    { intros v Hv; rewrite <- (sum_delta (fun k => single V (D k) (v k)) m i Hi),
        <- (sum_delta (fun k => single V (D k) (v k)) m j Hj), <- !sum_plus; apply sum_ext; intros k _.
      destruct (Nat.eqb_spec k i), (Nat.eqb_spec k j); subst; try contradiction; try ring; rewrite Hv by assumption; ring. }
    rewrite (S u), S; [| intros k N1 N2; destruct (Nat.eqb_spec k i), (Nat.eqb_spec k j); tauto | auto].
    rewrite !Nat.eqb_refl; destruct (Nat.eqb_spec j i); [congruence | lra].
Qed.

(* One class against all others. *)
Definition one_against_all (m y : nat) (u : scores) := sum (fun k => if (k =? y)%nat then phi (u k) else phi (- u k)) m.
Theorem one_against_all_calibrated m :
  calibrated_for zero_one (fun t => (t < m)%nat) (of_classes m) (one_against_all m) (largest m).
Proof.
  apply (classes_calibrated m (fun u => u)); intros p law _.
  eapply avoids_less; [| destruct (singles_avoid m 1 (chance p)) as (c & (u & L) & H)].
  - intros u (i & t & Hi & [Ht T] & C); exact (ex_intro _ i (ex_intro _ t (conj Hi (conj Ht (conj C (T i Hi)))))).
  - intros k _; apply chance_range, law.
  - assert (E : forall u, mean p (fun y => one_against_all m y u) = sum (fun k => single 1 (chance p k) (u k)) m).
    { intros v; unfold one_against_all; rewrite mean_sum; apply sum_ext; intros k _; unfold single, chance.
      transitivity (mean p (fun y => (phi (v k) - phi (- v k)) * (if (k =? y)%nat then 1 else 0) + phi (- v k)));
        [apply mean_ext; intros y; destruct (k =? y)%nat; ring |].
      rewrite mean_plus, mean_scal, mean_const by exact law; ring. }
    exists c; split; [exists u; rewrite E; exact L | intros v; rewrite E; apply H].
Qed.

(* Several relevant labels: w(S) for each pair of a relevant and another item in the wrong order; and losses of single
   items with these weights. *)
Variable w : (nat -> bool) -> R.
Hypothesis weights : forall S, 0 <= w S.
Definition relevant (S : nat -> bool) : matrix := fun i j => if (S i && negb (S j))%bool then w S else 0.
Definition of_items (m : nat) (S : nat -> bool) (u : scores) :=
  w S * sum (fun k => if S k then phi (u k) else phi (- u k)) m.
Theorem single_items_calibrated m : calibrated_for (fun S => disagreement m (relevant S)) (ranking m) (fun _ => True)
  (of_items m) (sorts m).
Proof.
  set (D := fun p k => mean p (fun S : nat -> bool => if S k then w S else 0)); apply (orders_calibrated m _ _ D).
  - intros p l law _ Rl So; set (p' := map (fun q => (fst q, relevant (snd q))) p).
    assert (E : forall f, mean p' f = mean p (fun S => f (relevant S))) by (intros; unfold p', mean; apply total_map).
    assert (B : best (disagreement m) (ranking m) p' l).
    { apply along_is_best; [exact Rl |]; intros i j Hi Hj L.
      apply (proj1 (sorts_places m (D p) l) (conj Rl So)); [assumption .. |].
      assert (X : means p' i j - means p' j i = D p i - D p j); [| lra].
      unfold means; rewrite !E; unfold D; rewrite <- !mean_minus; apply mean_ext; intros S; unfold relevant.
      destruct (S i), (S j); cbn; ring. }
    destruct B as [_ B]; split; [exact Rl |]; intros k Rk; specialize (B k Rk); rewrite !E in B; exact B.
  - intros p law _; set (V := mean p w).
    destruct (singles_avoid m V (D p)) as (c & (u & L) & H).
    + intros k _; assert (K : forall S : nat -> bool, 0 <= (if S k then w S else 0) <= w S) by (intros S; pose proof (weights S);
        destruct (S k); lra).
      split; [apply total_nonneg; eapply Forall_impl; [| exact (proj1 law)]; intros q Q; apply Rmult_le_pos; [exact Q |
        apply K] | apply total_le; eapply Forall_impl; [| exact (proj1 law)]; intros q Q; apply Rmult_le_compat_l;
        [exact Q | apply K]].
    + assert (E : forall u, mean p (fun S => of_items m S u) = sum (fun k => single V (D p k) (u k)) m).
      { intros v; unfold of_items; rewrite (mean_ext p _ (fun S => sum (fun k => w S * (if S k then phi (v k) else
          phi (- v k))) m)) by (intros; symmetry; apply sum_scal).
        rewrite mean_sum; apply sum_ext; intros k _; unfold single, V, D.
        transitivity (mean p (fun S => (phi (v k) - phi (- v k)) * (if S k then w S else 0) + phi (- v k) * w S));
          [apply mean_ext; intros S; destruct (S k); ring |].
        rewrite mean_plus, !mean_scal; ring. }
      exists c; split; [exists u; rewrite E; exact L | intros v M; rewrite E; apply H, M].
Qed.
End Single.
