(* Surrogates that estimate a mean: near the infimum of the risk the scores are in the order of F, the mean of the
   features f y of the labels. Squared errors of items and of pairs, the softmax cross-entropy (by Gibbs' inequality),
   logistic regression item by item, ordinal regression by thresholds, squares of signed scores. *)
From ConsistencyLab.base Require Import Prelude Sums Ranking Convex Scalars Labels.
Open Scope R_scope.

(* --- The losses: what the scores u of m items lose at a label with the features f ----------------------- *)

Definition squares (m : nat) (f u : scores) := sum (fun k => (u k - f k) * (u k - f k)) m.
Definition pair_squares (m : nat) (f u : scores) :=
  sum (fun k => sum (fun l => (u k - u l - (f k - f l)) * (u k - u l - (f k - f l))) k) m.
(* log sum exp, over a list of items. *)
Definition lse (l : list nat) (u : scores) := ln (total (fun k => exp (u k)) l).
Definition softmax (m : nat) (f u : scores) := sum f m * lse (seq 0 m) u - sum (fun k => f k * u k) m.
Definition sigmoids (m : nat) (f u : scores) := sum (fun k => ln (1 + exp (u k)) - f k * u k) m.
(* For phi = (1-x)^2 or max(0, 1-x)^2. *)
Definition signed (phi : R -> R) (m : nat) (f u : scores) := sum (fun k => f k * phi (u k) + (1 - f k) * phi (- u k)) m.
(* Grades f from 0 to N; v k n is the score of "the grade of item k is above n", and item k shows its mean grade. *)
Definition chances (m N : nat) (f : nat -> nat) (v : nat -> scores) :=
  sum (fun k => sum (fun n => ln (1 + exp (v k n)) - (if (n <? f k)%nat then v k n else 0)) N) m.
Definition mean_grade (N : nat) (v : nat -> scores) : scores := fun k => sum (fun n => / (1 + exp (- v k n))) N.

(* --- Gibbs' inequality ---------------------------------------------------------------------------------- *)

Lemma ln_below x : 0 < x -> ln x <= x - 1.
Proof. intros P; pose proof (exp_ineq1_le (ln x)) as E; rewrite exp_ln in E by exact P; lra. Qed.
(* log sum exp lies above its tangent at log q, whose slopes are the shares of q. *)
Lemma lse_tangent l (q u : scores) : l <> [] -> (forall k, In k l -> 0 < q k) ->
  lse l (fun k => ln (q k)) + total (fun k => q k / total q l * (u k - ln (q k))) l <= lse l u.
Proof.
  intros N Q; set (S := total q l); set (Z := total (fun k => exp (u k)) l).
  assert (E : total (fun k => exp (ln (q k))) l = S).
  { apply total_ext, Forall_forall; intros k K; apply exp_ln, Q, K. }
  assert (PZ : 0 < Z) by (apply total_pos; [exact N | intros; apply exp_pos]).
  assert (PS : 0 < S) by (apply total_pos; [exact N | exact Q]); unfold lse; rewrite E; fold Z.
  assert (T : total (fun k => q k / S * (u k - ln (q k))) l <= total (fun k => exp (u k) / Z - q k / S + q k / S *
    (ln Z - ln S)) l).
  { apply total_le, Forall_forall; intros k K; specialize (Q k K).
    pose proof (exp_ineq1_le (u k + - ln (q k) + - ln Z + ln S)) as B; rewrite !exp_plus, !exp_Ropp, !exp_ln in B by assumption.
    apply (Rmult_le_compat_l (q k / S)) in B; [| left; apply Rdiv_lt_0_compat; assumption].
    replace (q k / S * (exp (u k) * / q k * / Z * S)) with (exp (u k) / Z) in B by (field; lra); lra. }
  assert (H : forall (f : nat -> R) c, total (fun k => f k / c) l = total f l / c).
  { intros f c; unfold Rdiv; rewrite Rmult_comm, <- total_scal; apply total_ext, Forall_forall; intros; ring. }
  assert (F : forall (f g : nat -> R) c, total (fun k => f k - g k + g k * c) l = total f l - total g l +
    total g l * c).
  { clear; intros f g c; induction l; cbn; [ring |]; rewrite IHl; ring. }
  rewrite F, !H in T; fold Z S in T; replace (Z / Z) with 1 in T by (field; lra); replace (S / S) with 1 in T by
    (field; lra); lra.
Qed.

(* --- Losses that are affine in f, so that the risk is the loss at F ------------------------------------- *)

Section Mean.
Variables (n m : nat) (p : nat -> R) (f : nat -> scores).
Hypothesis prob : probabilities n p.
Definition mean_of : scores := fun k => sum (fun y => p y * f y k) n.

Lemma sum_one c : sum (fun y => p y * c) n = c.
Proof. destruct prob as [_ E]; rewrite (sum_ext _ (fun y => c * p y)), sum_scal, E; [ring | intros; ring]. Qed.
Lemma reached_minimum {X} (show : X -> scores) (W : X -> R) v z : (forall x, W z <= W x) ->
  (forall i j, (i < m)%nat -> (j < m)%nat -> show z i <= show z j <-> v i <= v j) -> reached m show W v.
Proof. intros M S x e P; exists z; split; [exact S | specialize (M x); lra]. Qed.
(* Minimizers of W + d R with a d > 0 that tends to 0. *)
Lemma reached_regularized {X} (show : X -> scores) (W r : X -> R) v : (forall x, 0 <= r x) ->
  (forall d, 0 < d -> exists z, (forall i j, (i < m)%nat -> (j < m)%nat -> show z i <= show z j <-> v i <= v j) /\
    forall x, W z + d * r z <= W x + d * r x) -> reached m show W v.
Proof.
  intros Pos H x e P; pose proof (Pos x) as Rx.
  assert (D : 0 < e / (1 + r x)) by (apply Rdiv_lt_0_compat; lra).
  destruct (H _ D) as (z & S & M); exists z; split; [exact S |].
  specialize (M x); pose proof (Pos z) as Rz.
  assert (E : e / (1 + r x) * r x <= e).
  { replace e with (e / (1 + r x) * (1 + r x)) at 2 by (field; lra); nra. }
  assert (0 <= e / (1 + r x) * r z) by (apply Rmult_le_pos; lra); lra.
Qed.

(* Two sums exchanged. *)
Lemma mean_sum (g : nat -> scores) K : sum (fun y => p y * sum (g y) K) n = sum (fun k => sum (fun y => p y *
  g y k) n) K.
Proof. rewrite <- sum_swap; apply sum_ext; intros y _; symmetry; apply sum_scal. Qed.
(* Square with mean, item by item. *)
Lemma one_square (g : nat -> R) x : sum (fun y => p y * ((x - g y) * (x - g y))) n =
  (x - sum (fun y => p y * g y) n) * (x - sum (fun y => p y * g y) n) +
  (sum (fun y => p y * (g y * g y)) n - sum (fun y => p y * g y) n * sum (fun y => p y * g y) n).
Proof.
  transitivity (sum (fun y => p y * (x * x)) n + (- (2 * x)) * sum (fun y => p y * g y) n + sum (fun y => p y
    * (g y * g y)) n).
  - rewrite <- sum_scal, <- !sum_plus; apply sum_ext; intros; ring.
  - rewrite sum_one; ring.
Qed.
Theorem squares_reached : reached m (fun u => u) (label_risk n p (fun y => squares m (f y))) mean_of.
Proof.
  apply (reached_minimum _ _ _ mean_of); [| intros; reflexivity].
  assert (E : forall u, label_risk n p (fun y => squares m (f y)) u = sum (fun k => (u k - mean_of k) * (u k -
    mean_of k) + (sum (fun y => p y * (f y k * f y k)) n - mean_of k * mean_of k)) m).
  { intros u; unfold label_risk, squares; rewrite mean_sum; apply sum_ext; intros k _; apply one_square. }
  intros u; rewrite !E; apply sum_le; intros k _; pose proof (Rle_0_sqr (u k - mean_of k)); unfold Rsqr in *; lra.
Qed.
Theorem pair_squares_reached : reached m (fun u => u) (label_risk n p (fun y => pair_squares m (f y))) mean_of.
Proof.
  apply (reached_minimum _ _ _ mean_of); [| intros; reflexivity].
  set (F := fun k l => sum (fun y => p y * (f y k - f y l)) n).
  assert (EF : forall k l, F k l = mean_of k - mean_of l).
  { intros k l; unfold F, mean_of; rewrite <- sum_minus; apply sum_ext; intros; ring. }
  assert (E : forall u, label_risk n p (fun y => pair_squares m (f y)) u = sum (fun k => sum (fun l => (u k - u l -
    F k l) * (u k - u l - F k l) + (sum (fun y => p y * ((f y k - f y l) * (f y k - f y l))) n - F k l * F k l)) k) m).
  { intros u; unfold label_risk, pair_squares; rewrite mean_sum; apply sum_ext; intros k _; rewrite mean_sum.
    apply sum_ext; intros l _; apply (one_square (fun y => f y k - f y l) (u k - u l)). }
  intros u; rewrite !E; apply sum_le; intros k _; apply sum_le; intros l _.
  pose proof (Rle_0_sqr (u k - u l - F k l)) as Q; rewrite !EF in *; unfold Rsqr in *; lra.
Qed.

(* A loss that is affine in f: its risk is the loss at the mean. *)
Lemma mean_affine (g : nat -> R) a b : sum (fun y => p y * (a + g y * b)) n = a + sum (fun y => p y * g y) n * b.
Proof.
  transitivity (sum (fun y => p y * a) n + b * sum (fun y => p y * g y) n); [| rewrite sum_one; ring].
  rewrite <- sum_scal, <- sum_plus; apply sum_ext; intros; ring.
Qed.
Lemma risk_at_mean (psi : scores -> scores -> R) A B : (forall g u, psi g u = sum (fun k => A u k + g k * B u k) m) ->
  forall u, label_risk n p (fun y => psi (f y)) u = psi mean_of u.
Proof.
  intros E u; unfold label_risk; rewrite E, (sum_ext _ (fun y => p y * sum (fun k => A u k + f y k * B u k) m))
    by (intros; now rewrite E).
  rewrite mean_sum; apply sum_ext; intros k _; apply (mean_affine (fun y => f y k)).
Qed.
Theorem softmax_reached : (0 < m)%nat -> (forall k, (k < m)%nat -> 0 <= mean_of k) ->
  reached m (fun u => u) (label_risk n p (fun y => softmax m (f y))) mean_of.
Proof.
  intros M Pos; set (one := fun _ : nat => 1).
  assert (N : seq 0 m <> []) by (destruct m; [lia | discriminate]).
  assert (split : forall g u, softmax m g u = sum (fun k => g k * (lse (seq 0 m) u - u k)) m).
  { intros g u; unfold softmax; rewrite (Rmult_comm (sum g m)), <- sum_scal, <- sum_minus; apply sum_ext;
    intros; ring. }
  assert (E : forall u, label_risk n p (fun y => softmax m (f y)) u = softmax m mean_of u).
  { apply (risk_at_mean (softmax m) (fun _ _ => 0) (fun u k => lse (seq 0 m) u - u k)).
    intros g u; rewrite split; apply sum_ext; intros; ring. }
  assert (above : forall u k, (k < m)%nat -> 0 <= lse (seq 0 m) u - u k).
  { intros u k K; assert (B : exp (u k) <= total (fun k => exp (u k)) (seq 0 m)).
    { rewrite total_seq, <- (sum_delta (fun k => exp (u k)) m k K); apply sum_le; intros j _.
      destruct (j =? k)%nat; [lra | left; apply exp_pos]. }
    assert (ln (exp (u k)) <= lse (seq 0 m) u); [| rewrite ln_exp in *; lra].
    destruct B as [B | B]; [left; apply ln_increasing; [apply exp_pos | exact B] | right; unfold lse; now rewrite B]. }
  apply (reached_regularized _ _ (softmax m one)).
  - intros u; rewrite split; apply sum_nonneg; intros k K; unfold one; pose proof (above u k K); lra.
  - intros d D; set (q := fun k => mean_of k + d); exists (fun k => ln (q k)); split.
    + assert (Q : forall i, (i < m)%nat -> 0 < q i) by (intros i Hi; unfold q; pose proof (Pos i Hi); lra).
      intros i j Hi Hj; split; intros H; [| destruct H as [H | H]].
      * destruct (Rle_lt_dec (mean_of i) (mean_of j)) as [| C]; [assumption | exfalso].
        pose proof (ln_increasing (q j) (q i) (Q j Hj)) as I; unfold q in *; specialize (I ltac:(lra)); lra.
      * left; apply ln_increasing; [apply Q, Hi | unfold q; lra].
      * right; unfold q; now rewrite H.
    + assert (Q : forall k, In k (seq 0 m) -> 0 < q k).
      { intros k K; apply in_seq in K; unfold q; pose proof (Pos k ltac:(lia)); lra. }
      assert (G : forall u, label_risk n p (fun y => softmax m (f y)) u + d * softmax m one u = softmax m q u).
      { intros u; rewrite E, !split, <- sum_scal, <- sum_plus; apply sum_ext; intros; unfold q, one; ring. }
      intros u; rewrite !G; pose proof (lse_tangent (seq 0 m) q u N Q) as T.
      pose proof (total_pos q (seq 0 m) N Q) as PS.
      apply (Rmult_le_compat_l (total q (seq 0 m))) in T; [| lra].
      rewrite Rmult_plus_distr_l, <- total_scal, !total_seq in T; rewrite total_seq in PS; unfold softmax.
      rewrite (sum_ext (fun k => sum q m * (q k / sum q m * (u k - ln (q k)))) (fun k => q k * u k - q k * ln
        (q k))), sum_minus in T by (intros; field; lra); lra.
Qed.

(* One score x against chances a : b of "yes" and "no". *)
Lemma one_logistic a b x : 0 < a -> 0 < b ->
  (a + b) * ln (1 + exp (ln (a / b))) - a * ln (a / b) <= (a + b) * ln (1 + exp x) - a * x.
Proof.
  intros A B; assert (Q : 0 < a / b) by (apply Rdiv_lt_0_compat; assumption).
  pose proof (lse_tangent [0%nat; 1%nat] (fun k => if (k =? 0)%nat then 1 else a / b) (fun k => if (k =?
    0)%nat then 0 else x)) as T; unfold lse in T; cbn in T; rewrite ln_1, exp_0, exp_ln, !Rplus_0_r in T by exact Q.
  rewrite exp_ln by exact Q; specialize (T ltac:(discriminate)).
  assert (K : ln (1 + a / b) + (1 / (1 + a / b) * (0 - 0) + a / b / (1 + a / b) * (x - ln (a / b))) <= ln (1 + exp x)).
  { apply T; intros k [<- | [<- | []]]; cbn; lra. }
  apply (Rmult_le_compat_l (a + b)) in K; [| lra].
  replace ((a + b) * (ln (1 + a / b) + (1 / (1 + a / b) * (0 - 0) + a / b / (1 + a / b) * (x - ln (a / b))))) with
    ((a + b) * ln (1 + a / b) + a * (x - ln (a / b))) in K by (field; split; lra); lra.
Qed.
Lemma softplus_both x : 0 <= ln (1 + exp x) /\ 0 <= 2 * ln (1 + exp x) - x.
Proof.
  pose proof (logistic_positive (- x)) as P; pose proof (logistic_positive x) as Q; unfold logistic in *.
  rewrite Ropp_involutive in P; split; [exact P |].
  replace (1 + exp (- x)) with ((1 + exp x) * exp (- x)) in Q by (rewrite exp_Ropp; field; apply Rgt_not_eq, exp_pos).
  rewrite ln_mult, ln_exp in Q by (pose proof (exp_pos x); lra || apply exp_pos); lra.
Qed.
Lemma odds_order d x y : 0 < d -> 0 <= x <= 1 -> 0 <= y <= 1 ->
  ln ((x + d) / (1 - x + d)) <= ln ((y + d) / (1 - y + d)) <-> x <= y.
Proof.
  intros D X Y; assert (O : forall x y, 0 <= x -> x < y -> y <= 1 ->
    ln ((x + d) / (1 - x + d)) < ln ((y + d) / (1 - y + d))).
  { clear x y X Y; intros x y X L Y; apply ln_increasing; [apply Rdiv_lt_0_compat; lra |].
    apply (Rmult_lt_reg_r ((1 - x + d) * (1 - y + d))); [nra |].
    replace ((x + d) / (1 - x + d) * ((1 - x + d) * (1 - y + d))) with ((x + d) * (1 - y + d)) by (field; lra).
    replace ((y + d) / (1 - y + d) * ((1 - x + d) * (1 - y + d))) with ((y + d) * (1 - x + d)) by (field; lra); nra. }
  split; intros H; [| destruct H as [H | ->]; [left; apply O | right]; lra].
  destruct (Rle_lt_dec x y) as [| C]; [assumption |]; pose proof (O y x); lra.
Qed.
Theorem sigmoids_reached : (forall k, (k < m)%nat -> 0 <= mean_of k <= 1) ->
  reached m (fun u => u) (label_risk n p (fun y => sigmoids m (f y))) mean_of.
Proof.
  intros B; pose proof (risk_at_mean (sigmoids m) (fun u k => ln (1 + exp (u k))) (fun u k => - u k)
    ltac:(intros; apply sum_ext; intros; ring)) as E.
  apply (reached_regularized _ _ (fun u => sum (fun k => 2 * ln (1 + exp (u k)) - u k) m)).
  - intros u; apply sum_nonneg; intros k _; apply softplus_both.
  - intros d D; exists (fun k => ln ((mean_of k + d) / (1 - mean_of k + d))); split.
    + intros i j Hi Hj; apply odds_order; auto.
    + intros u; rewrite !E; unfold sigmoids; rewrite <- !sum_scal, <- !sum_plus; apply sum_le; intros k K.
      pose proof (one_logistic (mean_of k + d) (1 - mean_of k + d) (u k)) as T; specialize (B k K);
        specialize (T ltac:(lra) ltac:(lra)).
      replace (mean_of k + d + (1 - mean_of k + d)) with (1 + 2 * d) in T by ring; lra.
Qed.

(* Squares and squared hinges of signed scores. *)
Lemma signed_tangent phi x y : phi = square \/ phi = squared_hinge -> x <= 1 ->
  phi x = (1 - x) * (1 - x) /\ (1 - x) * (1 - x) - 2 * (1 - x) * (y - x) <= phi y.
Proof.
  intros [-> | ->] X; unfold square.
  - split; [reflexivity |]; pose proof (Rle_0_sqr (y - x)); unfold Rsqr in *; lra.
  - pose proof (tangent_squared_hinge x y) as T; assert (E : squared_hinge x = (1 - x) * (1 - x)) by
      (unfold squared_hinge; rewrite Rmax_right by lra; reflexivity).
    rewrite Rmax_right, E in T by lra; split; [exact E | lra].
Qed.
Theorem signed_reached phi : phi = square \/ phi = squared_hinge -> (forall k, (k < m)%nat -> 0 <= mean_of k <= 1) ->
  reached m (fun u => u) (label_risk n p (fun y => signed phi m (f y))) mean_of.
Proof.
  intros Phi B; pose proof (risk_at_mean (signed phi m) (fun u k => phi (- u k)) (fun u k => phi (u k) - phi (- u k))
    ltac:(intros; apply sum_ext; intros; ring)) as E.
  apply (reached_minimum _ _ _ (fun k => 2 * mean_of k - 1)); [| intros; split; lra].
  intros u; rewrite !E; apply sum_le; intros k K; specialize (B k K); set (x := 2 * mean_of k - 1).
  destruct (signed_tangent phi x (u k) Phi ltac:(unfold x; lra)) as [-> T].
  destruct (signed_tangent phi (- x) (- u k) Phi ltac:(unfold x; lra)) as [-> T'].
  apply (Rmult_le_compat_l (mean_of k)) in T; [| lra]; apply (Rmult_le_compat_l (1 - mean_of k)) in T'; [| lra].
  unfold x in *; lra.
Qed.
End Mean.

(* --- Grades by thresholds ------------------------------------------------------------------------------- *)

Lemma sum_below N a : (a <= N)%nat -> sum (fun n => if (n <? a)%nat then 1 else 0) N = INR a.
Proof.
  induction N; intros H; cbn [sum]; [replace a with 0%nat by lia; reflexivity |].
  destruct (Nat.ltb_spec N a) as [L | L].
  - replace a with (S N) by lia; rewrite S_INR; f_equal.
    rewrite (sum_ext _ (fun _ => 1)) by (intros k K; destruct (Nat.ltb_spec k (S N)); [reflexivity | lia]).
    clear; induction N; [reflexivity |]; cbn [sum]; rewrite IHN, S_INR; ring.
  - rewrite IHN by lia; ring.
Qed.
Theorem chances_reached n m N p (f : nat -> nat -> nat) : probabilities n p ->
  (forall y k, (y < n)%nat -> (k < m)%nat -> (f y k <= N)%nat) ->
  reached m (mean_grade N) (label_risk n p (fun y => chances m N (f y))) (mean_of n p (fun y k => INR (f y k))).
Proof.
  intros prob B; set (g := fun y k j => if (j <? f y k)%nat then 1 else 0).
  set (C := fun k j => sum (fun y => p y * g y k j) n).
  assert (C01 : forall k j, 0 <= C k j <= 1).
  { intros k j; destruct prob as [P S]; split; [apply sum_nonneg | rewrite <- S; apply sum_le]; intros y Y;
      pose proof (P y Y); unfold g; destruct (j <? f y k)%nat; lra. }
  assert (F : forall k, (k < m)%nat -> mean_of n p (fun y k => INR (f y k)) k = sum (C k) N).
  { intros k K; unfold C; rewrite <- (mean_sum n p (fun y => g y k) N); apply sum_ext; intros y Y; unfold g.
    rewrite sum_below by auto; reflexivity. }
  assert (E : forall v, label_risk n p (fun y => chances m N (f y)) v =
    sum (fun k => sum (fun j => ln (1 + exp (v k j)) - C k j * v k j) N) m).
  { intros v; unfold label_risk, chances; rewrite mean_sum; apply sum_ext; intros k _; rewrite mean_sum.
    apply sum_ext; intros j _; pose proof (mean_affine n p prob (fun y => g y k j) (ln (1 + exp (v k j))) (- v
      k j)) as A.
    cbv beta in A; fold (C k j) in A; replace (ln (1 + exp (v k j)) - C k j * v k j) with (ln (1 + exp (v k
      j)) + C k j * - v k j) by ring.
    rewrite <- A; apply sum_ext; intros y _; unfold g; destruct (j <? f y k)%nat; ring. }
  apply (reached_regularized m _ _ (fun v => sum (fun k => sum (fun j => 2 * ln (1 + exp (v k j)) - v k j) N) m)).
  - intros v; apply sum_nonneg; intros k _; apply sum_nonneg; intros j _; apply softplus_both.
  - intros d D; exists (fun k j => ln ((C k j + d) / (1 - C k j + d))); split.
    + assert (S : forall k, (k < m)%nat -> mean_grade N (fun k j => ln ((C k j + d) / (1 - C k j + d))) k =
        (mean_of n p (fun y k => INR (f y k)) k + sum (fun _ => d) N) / (1 + 2 * d)).
      { intros k K; rewrite F, <- sum_plus by exact K; unfold mean_grade, Rdiv at 2; rewrite Rmult_comm, <- sum_scal.
        apply sum_ext; intros j _; pose proof (C01 k j); rewrite exp_Ropp, exp_ln by (apply Rdiv_lt_0_compat; lra).
        field; repeat split; lra. }
      intros i j Hi Hj; rewrite !S by assumption; split; intros H.
      * apply (Rmult_le_compat_r (1 + 2 * d)) in H; [| lra]; unfold Rdiv in H; rewrite !Rmult_assoc,
        Rinv_l in H by lra; lra.
      * apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra | lra].
    + intros v; rewrite !E, <- !sum_scal, <- !sum_plus; apply sum_le; intros k K; rewrite <- !sum_scal, <- !sum_plus.
      apply sum_le; intros j _; pose proof (one_logistic (C k j + d) (1 - C k j + d) (v k j)) as T;
        pose proof (C01 k j).
      specialize (T ltac:(lra) ltac:(lra)); replace (C k j + d + (1 - C k j + d)) with (1 + 2 * d) in T by ring; lra.
Qed.
