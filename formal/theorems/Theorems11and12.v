(* DMJ10 Theorems 11 and 12 for every convex phi, kinks included: no edge loss and no margin loss is edge-consistent,
   neither under low noise nor under additive differences, for any number m >= 3 of items. Nothing is asked of phi'(0),
   of Assumption A or of minimizers, and of h only that h(a) >= 0 for some a > 0 (Theorem 11) or nothing (Theorem 12):
   not continuity, not monotonicity, not h(0) = 0. One distribution, on graphs of one edge each, refutes every phi: by
   Lemma 10 where phi falls anywhere to the right of 0, else by equal scores. *)
From Coq Require Import Bool.
From ConsistencyLab.base Require Import Prelude Sums Ranking Convex Aggregate Consistency.
From ConsistencyLab.theorems Require Import Lemma10.
Open Scope R_scope.

(* d_ij = y_i - y_j makes low noise an equality: what fails under additive differences fails there too. *)
Lemma additive_low_noise m a : additive m a -> low_noise m a.
Proof. intros (y & H) i j k Hi Hj Hk _ _; rewrite !H by assumption; lra. Qed.
Lemma not_under_low_noise V : ~ consistent_under additive V -> ~ consistent_under low_noise V.
Proof. intros N H; apply N; intros m p HD HA; apply H; [assumption | apply additive_low_noise, HA]. Qed.
Lemma falls_or_not f : falls f \/ (forall x, 0 < x -> f 0 <= f x).
Proof.
  destruct (Classical_Prop.classic (falls f)) as [| N]; [now left | right; intros x Hx].
  destruct (Rle_lt_dec (f 0) (f x)); [assumption | destruct N; exists x; auto].
Qed.
(* Where a convex f does not fall to the right of 0, it has a subgradient there that is not negative. *)
Lemma level_subgradient f : convex f -> (forall x, 0 < x -> f 0 <= f x) -> exists z, 0 <= z /\ subgradient f 0 z.
Proof.
  intros C N; destruct (subgradient_exists f 0 C) as (s & S).
  destruct (Rle_lt_dec 0 s) as [P | P]; [exists s; auto | exists 0; split; [lra |]]; intros y.
  destruct (Rlt_le_dec 0 y) as [Y | Y]; [pose proof (N y Y); lra | pose proof (S y); nra].
Qed.
Lemma least_term f n : (0 < n)%nat -> exists k, (k < n)%nat /\ INR n * f k <= sum f n.
Proof.
  induction 1 as [| n Hn (k & Hk & L)]; [exists 0%nat; split; [lia | cbn; lra] |].
  assert (P : 0 < INR n) by (apply lt_0_INR; lia).
  rewrite S_INR; cbn [sum]; destruct (Rle_lt_dec (f k) (f n)); [exists k | exists n]; split; try lia; nra.
Qed.

(* Items 0, 1 and n others, which are alike: they lose to 0 by as much, to 1 by as much, and never meet. All
   graphs have one edge, of weight a. With equal scores the others are the third item of Lemma 10. *)
Section OneWeight.
Variables (a : R) (n : nat).
Hypotheses (Pa : 0 < a) (Pn : (0 < n)%nat).
Let w := 2 * INR n + 3.
Let T := w + INR n * (3 * w + 2).
Definition alike : distribution := (w / T, [Edge 0 1 a]) :: flat_map (fun k => let j := S (S k) in
  [((2 * w + 1) / T, [Edge 0 j a]); (1 / T, [Edge 1 j a]); (w / T, [Edge j 0 a])]) (seq 0 n).
Lemma Pw : 0 < INR n /\ w = 2 * INR n + 3 /\ 0 < T.
Proof. assert (0 < INR n) by (apply lt_0_INR; lia); unfold T, w; repeat split; nra. Qed.
Lemma mean_alike (f : graph -> R) : mean alike f = / T * (w * f [Edge 0 1 a] + sum (fun k =>
  (2 * w + 1) * f [Edge 0 (S (S k)) a] + f [Edge 1 (S (S k)) a] + w * f [Edge (S (S k)) 0 a]) n).
Proof.
  unfold mean, alike; cbn [total fst snd]; rewrite total_flat_map, total_seq, Rmult_plus_distr_l, <- sum_scal.
  unfold Rdiv; f_equal; [ring |]; apply sum_ext; intros k _; cbn [total fst snd]; ring.
Qed.
Lemma alike_distribution : is_distribution (S (S n)) alike.
Proof.
  destruct Pw as (P & W & PT).
  assert (Q : forall c, 0 < c -> 0 < c / T) by (intros; apply Rdiv_lt_0_compat; lra); split.
  - constructor; [apply one_edge; (try apply Q); lia || lra |]; apply Forall_forall; intros q I; apply in_flat_map in I.
    destruct I as (k & K & I); apply in_seq in K.
    destruct I as [<- | [<- | [<- | []]]]; apply one_edge; lia || (try apply Q); lra.
  - transitivity (mean alike (fun _ => 1)); [apply total_eq; intros; ring |].
    rewrite mean_alike, (sum_ext _ (fun _ => 3 * w + 2)) by (intros; ring); rewrite sum_const.
    unfold T; field; unfold T in PT; lra.
Qed.
Definition strengths : scores := fun i => / T * a * match i with 0%nat => w + 1 | 1%nat => 1 | _ => 0 end.
Lemma alike_additive i j : (i < S (S n))%nat -> (j < S (S n))%nat ->
  difference (aggregate alike) i j = strengths i - strengths j.
Proof.
  set (c := fun i j => match i, j with 0%nat, 1%nat => w | 0%nat, S (S _) => 2 * w + 1 | 1%nat, S (S _) => 1
    | S (S _), 0%nat => w | _, _ => 0 end).
  assert (E : forall i j, (i < S (S n))%nat -> (j < S (S n))%nat -> aggregate alike i j = / T * a * c i j).
  { intros k l Hk Hl; unfold aggregate; rewrite mean_alike, Rmult_assoc; f_equal; unfold ind.
    destruct k as [| [| k]], l as [| [| l]]; cbn [total src dst wt Nat.eqb andb c].
    all: try (rewrite (sum_ext _ (fun _ => 0)), sum_zero; [ring |]; intros; rewrite ?andb_false_r; ring).
    - rewrite (sum_ext _ (fun x => if (x =? l)%nat then a * (2 * w + 1) else 0)), sum_delta; [ring | lia |].
      intros x _; destruct (x =? l)%nat; ring.
    - rewrite (sum_ext _ (fun x => if (x =? l)%nat then a else 0)), sum_delta; [ring | lia |].
      intros x _; destruct (x =? l)%nat; ring.
    - rewrite (sum_ext _ (fun x => if (x =? k)%nat then a * w else 0)), sum_delta; [ring | lia |].
      intros x _; destruct (x =? k)%nat; cbn [andb]; ring. }
  intros Hi Hj; unfold difference, strengths; rewrite !E by assumption.
  destruct i as [| [| i]], j as [| [| j]]; unfold c; ring.
Qed.
Lemma alike_A alpha : A alike alpha -> alpha 1%nat < alpha 0%nat /\
  forall k, (k < n)%nat -> alpha (S (S k)) < alpha 1%nat.
Proof.
  intros HA; destruct Pw as (P & W & PT).
  assert (G : ordered_by strengths (S (S n)) (aggregate alike)).
  { intros i j Hi Hj; rewrite alike_additive by assumption; lra. }
  assert (Q : 0 < / T * a) by (apply Rmult_lt_0_compat; [apply Rinv_0_lt_compat |]; assumption).
  split; [| intros k Hk]; (apply (A_strict _ _ _ _ _ _ alike_distribution G); [lia | lia | | exact HA];
     rewrite alike_additive by lia; unfold strengths; nra).
Qed.
(* What looks like one convex f there is matched outside A(p). *)
Definition third f (alpha : scores) x := (2 * w + 1) * f (alpha 0%nat - x) + f (alpha 1%nat - x) +
  w * f (x - alpha 0%nat).
Lemma no_convex_loss V f : convex f -> (forall alpha, V alpha = / T
  * (w * f (alpha 0%nat - alpha 1%nat) + sum (fun k => third f alpha (alpha (S (S k)))) n)) -> ~ consistent_at V alike.
Proof.
  intros C HV; destruct Pw as (P & W & PT); assert (Q : 0 < / T) by (apply Rinv_0_lt_compat, PT).
  apply matched; intros alpha HA; apply alike_A in HA; destruct HA as [L1 L2].
  destruct (falls_or_not f) as [F | F].
  - (* The others together, where they cost least; then Condition 1 of Lemma 10. *)
    destruct (least_term (fun k => third f alpha (alpha (S (S k)))) n Pn) as (k & Hk & L);
      specialize (L2 k Hk); cbv beta in L.
    destruct (matched_order f C F w (INR n * (2 * w + 1)) 0 (INR n) (INR n * w) 0
      (fun i => match i with 0%nat => alpha 0%nat | 1%nat => alpha 1%nat | _ => alpha (S (S k)) end))
      as (beta & N & K); [nra | nra | lra | lra | nra | lra | left; rewrite W; nra | exact (conj L2 L1) |].
    exists (fun i => match i with 0%nat => beta 0%nat | 1%nat => beta 1%nat | _ => beta 2%nat end); split.
    + intros HB; apply alike_A in HB; destruct HB as [B1 B2]; exact (N (conj (B2 0%nat Pn) B1)).
    + rewrite !HV; apply Rmult_le_compat_l; [lra |]; rewrite sum_const; unfold six_edges, four_edges in K;
        unfold third in *; lra.
  - (* All scores equal. *)
    destruct (level_subgradient f C F) as (z & Hz & D).
    exists (fun _ => 0); split; [intros HB; apply alike_A in HB; lra |].
    rewrite !HV; apply Rmult_le_compat_l; [lra |]; apply Rplus_le_compat.
    + apply Rmult_le_compat_l; [lra |]; pose proof (D (alpha 0%nat - alpha 1%nat)).
      replace (0 - 0) with 0 by ring; nra.
    + apply sum_le; intros k Hk; specialize (L2 k Hk); set (x := alpha (S (S k))) in *; unfold third.
      replace (0 - 0) with 0 by ring; pose proof (D (alpha 0%nat - x)) as S1;
        pose proof (D (alpha 1%nat - x)) as S2; pose proof (D (x - alpha 0%nat)) as S3.
      apply (Rmult_le_compat_l (2 * w + 1)) in S1; [| lra]; apply (Rmult_le_compat_l w) in S3; [| lra].
      assert (0 <= z * ((w + 1) * (alpha 0%nat - x) + (alpha 1%nat - x)))
        by (apply Rmult_le_pos; [exact Hz | nra]); lra.
Qed.
End OneWeight.

(* One distribution for all of them, with any number of items from three. *)
Theorem every_convex_loss m a : (3 <= m)%nat -> 0 < a -> exists p, is_distribution m p /\ additive m (aggregate p) /\
  forall h phi, convex phi ->
  (0 <= h a -> ~ consistent_at (edge_loss h phi m p) p) /\ ~ consistent_at (margin_loss h phi m p) p.
Proof.
  intros M Pa; destruct m as [| [| n]]; [lia | lia |]; assert (Pn : (0 < n)%nat) by lia.
  exists (alike a n); split; [| split].
  - apply alike_distribution; assumption.
  - exists (strengths a n); apply alike_additive; assumption.
  - intros h phi C; split; [intros Ha; apply (no_convex_loss a n Pa Pn _ (fun x => h a * phi x))
      | apply (no_convex_loss a n Pa Pn _ (fun x => phi (x - h a)))].
    + intros x y t Ht; pose proof (Rmult_le_compat_l (h a) _ _ Ha (C x y t Ht)); lra.
    + intros alpha; unfold edge_loss; rewrite mean_alike by assumption; cbn [total src dst wt].
      f_equal; f_equal; [ring | apply sum_ext; intros; unfold third; ring].
    + intros x y t Ht; replace (t * x + (1 - t) * y - h a) with (t * (x - h a) + (1 - t) * (y - h a)) by ring;
        apply C, Ht.
    + intros alpha; unfold margin_loss; rewrite mean_alike by assumption; cbn [total src dst wt].
      f_equal; f_equal; [ring | apply sum_ext; intros; unfold third; ring].
Qed.

(* Edge losses (Eq. 9). *)
Theorem theorem_11_additive h phi : convex phi -> (exists a, 0 < a /\ 0 <= h a) ->
  ~ consistent_under additive (edge_loss h phi).
Proof.
  intros C (a & Pa & Ha) H; destruct (every_convex_loss 3 a (le_n 3) Pa) as (p & D & G & N).
  destruct (N h phi C) as [E _]; exact (E Ha (H 3%nat p D G)).
Qed.
Theorem theorem_11 h phi : convex phi -> (exists a, 0 < a /\
  0 <= h a) -> ~ consistent_under low_noise (edge_loss h phi).
Proof. intros C H; apply not_under_low_noise, theorem_11_additive; assumption. Qed.

(* Margin losses. *)
Theorem theorem_12_additive h phi : convex phi -> ~ consistent_under additive (margin_loss h phi).
Proof.
  intros C H; destruct (every_convex_loss 3 1 (le_n 3) Rlt_0_1) as (p & D & G & N).
  destruct (N h phi C) as [_ M]; exact (M (H 3%nat p D G)).
Qed.
Theorem theorem_12 h phi : convex phi -> ~ consistent_under low_noise (margin_loss h phi).
Proof. intros C; apply not_under_low_noise, theorem_12_additive; assumption. Qed.
