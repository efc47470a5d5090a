(* RAT13 Theorem 3: a loss of low rank has a calibrated least-squares surrogate of as many scores; and what it
   says of precision at q and of expected rank utility, whose decoders sort (RAT13 sections 4 and 5). *)
From ConsistencyLab.base Require Import Prelude Sums Ranking Orders Calibration.
From ConsistencyLab.theorems Require Import Gains.
Open Scope R_scope.

(* <u, v> over the coordinates ks *)
Definition dot {K} (ks : list K) (u v : K -> R) := total (fun k => u k * v k) ks.

(* The loss is <alpha_y, beta_t> + c_y + b_t; RAT13 has coordinates 1, ..., d and one constant c in place
   of the offsets; pred takes u to a t of least <u, beta_t> + b_t. There are finitely many predictions. *)
Section LowRank.
Variables (Y T K : Type) (ks : list K) (alpha : Y -> K -> R) (beta : T -> K -> R) (c : Y -> R) (b : T -> R)
  (valid : T -> Prop).
Variable loss : Y -> T -> R.
Hypothesis low_rank : forall y t, valid t -> loss y t = dot ks (alpha y) (beta t) + c y + b t.
Notation risk p u := (mean p (fun y => squares ks alpha y u)) (only parsing).
Notation center p := (fun i => mean p (fun y => alpha y i)) (only parsing).

(* If t costs u no more than s, its regret squared is at most |beta_t - beta_s|^2 times the excess of u. *)
Theorem rat13_theorem_3_bound p u t s D : is_law p -> valid t -> valid s ->
  dot ks u (beta t) + b t <= dot ks u (beta s) + b s -> total (fun i => (beta t i - beta s i)^2) ks <= D ->
  mean p (fun y => loss y s) <= mean p (fun y => loss y t) ->
  (mean p (fun y => loss y t) - mean p (fun y => loss y s))^2 <= D * (risk p u - risk p (center p)).
Proof.
  intros law Vt Vs Choice HD Worse.
  assert (E : forall t, valid t ->
    mean p (fun y => loss y t) = dot ks (center p) (beta t) + mean p (fun y => c y) + b t).
  { intros k Vk; rewrite (mean_ext p _ (fun y => dot ks (alpha y) (beta k) + c y + b k)) by auto.
    rewrite !mean_plus, mean_const by exact law; do 2 f_equal; unfold dot; rewrite mean_total.
    apply total_eq; intros i; rewrite Rmult_comm, <- mean_scal; apply mean_ext; intros; ring. }
  rewrite (E t Vt), (E s Vs) in Worse |- *.
  set (m := center p) in *; set (k := mean p (fun y => c y)) in *.
  assert (L : dot ks m (beta t) - dot ks m (beta s) + b t - b s <=
    total (fun i => (m i - u i) * (beta t i - beta s i)) ks).
  { rewrite (total_eq _ (fun i => m i * beta t i - m i * beta s i - (u i * beta t i - u i * beta s i)))
      by (intros; ring).
    rewrite !total_minus; unfold dot in *; lra. }
  set (X := total (fun i => (u i - m i)^2) ks) in *.
  set (B := total (fun i => (beta t i - beta s i)^2) ks) in *.
  set (Z := total (fun i => (m i - u i) * (beta t i - beta s i)) ks) in *.
  (* Cauchy and Schwarz *)
  assert (CS : forall x, 0 <= x^2 * X - 2 * x * Z + B).
  { intros x; apply Rle_trans with (total (fun i => (x * (m i - u i) - (beta t i - beta s i))^2) ks);
      [apply total_squares |]; right; unfold X, B, Z.
    rewrite <- !total_scal, <- total_minus, <- total_plus; apply total_eq; intros; ring. }
  assert (EX : risk p u - risk p m = X).
  { rewrite (squares_excess p law ks alpha u); fold m; unfold X, m; ring. }
  rewrite EX; assert (X0 : 0 <= X) by (apply total_squares).
  apply Rle_trans with (Z^2); [apply pow_incr; lra |].
  destruct (Rle_lt_or_eq_dec 0 X X0) as [XP | XE].
  - pose proof (CS (Z / X)) as Q.
    replace ((Z / X)^2 * X - 2 * (Z / X) * Z + B) with ((B * X - Z^2) / X) in Q by (field; lra).
    assert (0 <= B * X - Z^2); [| pose proof (Rmult_le_compat_r X B D X0 HD); lra].
    replace (B * X - Z^2) with ((B * X - Z^2) / X * X) by (field; lra); apply Rmult_le_pos; lra.
  - destruct (Req_dec Z 0) as [-> | N]; [rewrite <- XE; lra | exfalso].
    pose proof (CS ((B + 1) / (2 * Z))) as Q; rewrite <- XE in Q.
    replace (_ - _ + _) with (- 1) in Q by (field; exact N); lra.
Qed.

Theorem rat13_theorem_3 (predictions : list T) pred : (forall t, valid t -> In t predictions) ->
  (forall u, valid (pred u) /\ forall t, valid t -> dot ks u (beta (pred u)) + b (pred u) <= dot ks u (beta t) + b t) ->
  calibrated loss valid (fun _ => True) (squares ks alpha) pred.
Proof.
  intros Finite Pred p law _; set (R := fun t => mean p (fun y => loss y t)).
  destruct (list_min (fun q e => R (snd q) < R (fst q) -> e * (total (fun i => (beta (fst q) i - beta (snd q) i)^2) ks + 1)
    <= (R (fst q) - R (snd q))^2) (list_prod predictions predictions)) as (e & He & Least).
  { intros q x y H L V; specialize (H V); pose proof (total_squares (fun i => beta (fst q) i - beta (snd q) i) ks); nra. }
  { intros [t s] _; cbn [fst snd]; pose proof (total_squares (fun i => beta t i - beta s i) ks) as B0.
    set (B := total (fun i => (beta t i - beta s i)^2) ks) in *.
    destruct (Rlt_le_dec (R s) (R t)); [| exists 1; split; intros; lra].
    exists ((R t - R s)^2 / (B + 1)); split; [apply Rdiv_lt_0_compat; [apply pow_lt |]; lra | intros _; right; field; lra]. }
  exists (risk p (center p) + e); split; [exists (center p); lra |].
  intros u N; apply Rnot_lt_le; intros L; apply N; destruct (Pred u) as [V Choice]; split; [exact V |].
  intros s Vs; apply Rnot_lt_le; intros W.
  specialize (Least (pred u, s) (in_prod _ _ _ _ (Finite _ V) (Finite s Vs)) W); cbn [fst snd] in Least.
  set (B := total (fun i => (beta (pred u) i - beta s i)^2) ks) in *.
  assert (B0 : 0 <= B) by (apply total_squares); assert (B <= B + 1) as D by lra.
  pose proof (rat13_theorem_3_bound p u (pred u) s (B + 1) law V Vs (Choice s Vs) D ltac:(lra)) as Q.
  unfold R in *; nra.
Qed.
End LowRank.

(* --- Losses by position: decoders that sort ------------------------------------------------------------- *)

(* The loss is c(y) less the sum of g_i(y) F(sigma(i)), where F does not rise. *)
Theorem positional_calibrated {Y} r (gain : Y -> scores) F (c : Y -> R) loss pred : not_rising (fun t => F (S t)) ->
  (forall y l, ranking r l -> loss y l = c y - sum (fun i => gain y i * F (place l i)) r) ->
  (forall u, sorts r u (pred u)) -> calibrated loss (ranking r) (fun _ => True) (squares (seq 0 r) gain) pred.
Proof.
  intros HF E So; set (beta := fun l i => - F (place l i)).
  assert (Dot : forall u l, dot (seq 0 r) u (beta l) = - sum (fun i => u i * F (place l i)) r).
  { intros u l; replace (- sum _ r) with (-1 * sum (fun i => u i * F (place l i)) r) by ring.
    unfold dot; rewrite total_seq, <- sum_scal; apply sum_ext; intros; unfold beta; ring. }
  apply (rat13_theorem_3 _ _ _ (seq 0 r) gain beta c (fun _ => 0) (ranking r)) with (predictions := words r r).
  - intros y l Rl; rewrite Dot, (E y l Rl); ring.
  - apply ranking_word.
  - intros u; destruct (So u) as [Rl _]; split; [exact Rl |]; intros k Rk.
    rewrite !Dot, (earned_places r F u _ Rl), (earned_places r F u _ Rk).
    pose proof (sorting_is_optimal u (pred u) (fun t => F (S t)) k HF (proj2 (So u))
      (Permutation_trans (Permutation_sym Rl) Rk)); lra.
Qed.

(* RAT13 section 4: the loss of precision at q of relevant (1) and other (0) items is 1 less the share of
   relevant items among the first q. *)
Definition precision_loss (r q : nat) (y : scores) (l : list nat) :=
  1 - / INR q * sum (fun i => y i * if (place l i <=? q)%nat then 1 else 0) r.
(* RAT13 section 5: expected rank utility, with a neutral grade v, a half-life w and a constant z. *)
Definition utility (v : R) (y : scores) i := Rmax (y i - v) 0.
Definition eru_loss (r : nat) (v w z : R) (y : scores) (l : list nat) :=
  z - sum (fun i => utility v y i * Rpower 2 ((1 - INR (place l i)) / (w - 1))) r.

(* RAT13's decoder: q items of the largest scores come first, in any order, and the others below in any order. *)
Definition top (r q : nat) (u : scores) (l : list nat) := ranking r l /\
  forall i j, (i < r)%nat -> (j < r)%nat -> (place l i <= q < place l j)%nat -> u j <= u i.
Definition first (q : nat) (l : list nat) i : R := if (place l i <=? q)%nat then 1 else 0.
Lemma least_in (u : scores) i l : exists k, In k (i :: l) /\ forall j, In j (i :: l) -> u k <= u j.
Proof.
  revert i; induction l as [| x l IH]; intros i; [exists i; split; [left; reflexivity | intros j [<- | []]; lra] |].
  destruct (IH x) as (k & I & H), (Rle_lt_dec (u i) (u k)) as [L | L]; [exists i | exists k].
  all: split; [cbn; tauto |]; intros j [<- | J]; [lra |]; specialize (H j J); lra.
Qed.
Lemma top_best r q u l k : top r q u l -> ranking r k ->
  sum (fun i => u i * first q k i) r <= sum (fun i => u i * first q l i) r.
Proof.
  intros [Rl So] Rk; set (F t := if (t <=? q)%nat then 1 else 0).
  assert (B : forall l i, 0 <= first q l i <= 1) by (intros; unfold first; destruct (_ <=? _)%nat; lra).
  assert (C : exists c, forall i, (i < r)%nat -> 0 <= (u i - c) * (first q l i - first q k i)).
  { destruct (filter (fun i => place l i <=? q)%nat (seq 0 r)) as [| x t] eqn:E.
    - destruct (common_bound (fun i c => u i <= c) r) as (c & H); [intros; lra | intros i _; exists (u i); lra |].
      exists c; intros i Hi; specialize (H i Hi); pose proof (B k i); unfold first at 1.
      destruct (place l i <=? q)%nat eqn:P; [exfalso | nra].
      apply (in_nil (a := i)); rewrite <- E; apply filter_In; split; [apply in_seq; lia | exact P].
    - destruct (least_in u x t) as (c & Ic & H); rewrite <- E in Ic, H; exists (u c); intros i Hi.
      apply filter_In in Ic; destruct Ic as [Ic Pc]; apply in_seq in Ic; apply Nat.leb_le in Pc.
      pose proof (B k i); unfold first at 1; destruct (Nat.leb_spec (place l i) q) as [P | P].
      + enough (u c <= u i) by nra; apply H, filter_In; split; [apply in_seq; lia | apply Nat.leb_le, P].
      + enough (u i <= u c) by nra; apply So; lia. }
  destruct C as (c & C); apply sum_nonneg in C.
  assert (Same : sum (first q l) r = sum (first q k) r).
  { assert (N : forall l, ranking r l -> sum (first q l) r = earned (fun t => F (S t)) (fun _ => 1) l)
      by (intros l' Rl'; rewrite <- (earned_places r F _ l' Rl'); apply sum_ext; intros; unfold first, F; ring).
    assert (H : not_rising (fun t => F (S t)))
      by (intros t; unfold F; destruct (Nat.leb_spec (S (S t)) q), (Nat.leb_spec (S t) q); try lia; lra).
    assert (Z : forall l, sorted_by (fun _ => 1) l)
      by (induction l0; constructor; [assumption | apply Forall_forall; intros; lra]).
    rewrite !N by assumption; apply Rle_antisym; apply sorting_is_optimal; auto; eapply Permutation_trans;
      [apply Permutation_sym; eassumption | eassumption | apply Permutation_sym; eassumption | eassumption]. }
  assert (E : sum (fun i => (u i - c) * (first q l i - first q k i)) r = sum (fun i => u i * first q l i) r -
    sum (fun i => u i * first q k i) r - c * (sum (first q l) r - sum (first q k) r)).
  { rewrite <- !sum_minus, <- sum_scal, <- sum_minus; apply sum_ext; intros; ring. }
  rewrite E, Same in C; lra.
Qed.
Corollary precision_calibrated r q pred : (forall u, top r q u (pred u)) ->
  calibrated (precision_loss r q) (ranking r) (fun _ => True) (squares (seq 0 r) (fun y => y)) pred.
Proof.
  intros Top; set (beta := fun l i => - (/ INR q * first q l i)).
  assert (Dot : forall u l, dot (seq 0 r) u (beta l) = - / INR q * sum (fun i => u i * first q l i) r)
    by (intros u l; unfold dot; rewrite total_seq, <- sum_scal; apply sum_ext; intros; unfold beta; ring).
  apply (rat13_theorem_3 _ _ _ (seq 0 r) (fun y => y) beta (fun _ => 1) (fun _ => 0) (ranking r))
    with (predictions := words r r).
  - intros y l _; rewrite Dot; unfold precision_loss, first; ring.
  - apply ranking_word.
  - intros u; split; [apply Top |]; intros l Rl; rewrite !Dot; pose proof (top_best r q u _ l (Top u) Rl).
    assert (0 <= / INR q)
      by (destruct q; [cbn; rewrite Rinv_0; lra | left; apply Rinv_0_lt_compat, lt_0_INR; lia]); nra.
Qed.
Corollary eru_calibrated r v w z pred : 1 < w -> (forall u, sorts r u (pred u)) ->
  calibrated (eru_loss r v w z) (ranking r) (fun _ => True) (squares (seq 0 r) (utility v)) pred.
Proof.
  intros W.
  apply positional_calibrated with (F := fun t => Rpower 2 ((1 - INR t) / (w - 1))) (c := fun _ => z).
  - intros t; apply Rle_Rpower; [lra |]; apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra |].
    rewrite (S_INR (S t)); lra.
  - reflexivity.
Qed.
(* RAT13 has any real half-life w; below 1 later items count for more, and sorting by decreasing scores is
   wrong, even for two items of the grades v and v + 1. *)
Theorem eru_as_printed_is_false v w z pred : w < 1 -> (forall u, sorts 2 u (pred u)) -> ~ calibrated (eru_loss 2 v w z)
  (ranking 2) (Forall (fun q => forall i, snd q i = v \/ snd q i = v + 1)) (squares (seq 0 2) (utility v)) pred.
Proof.
  intros W So C; set (y := fun i : nat => match i with O => v + 1 | _ => v end).
  assert (U : utility v y 0%nat = 1 /\ utility v y 1%nat = 0)
    by (unfold utility, y; split; [rewrite Rmax_left | rewrite Rmax_right]; lra).
  destruct (C [(1, y)]) as (c & (u & L) & H).
  { split; [repeat constructor |]; cbn; lra. }
  { constructor; [| constructor]; intros [| i]; cbn; auto. }
  apply (Rlt_irrefl 0), Rle_lt_trans with (mean [(1, y)] (fun y => squares (seq 0 2) (utility v) y u)).
  { unfold mean, squares; cbn; pose proof (pow2_ge_0 (u 0%nat - utility v y 0%nat));
      pose proof (pow2_ge_0 (u 1%nat - utility v y 1%nat)); cbn in *; lra. }
  apply Rlt_le_trans with c; [exact L |].
  replace 0 with (mean [(1, y)] (fun z => squares (seq 0 2) (utility v) z (utility v y)))
    by (unfold mean, squares; cbn; ring).
  apply H; intros [_ B]; specialize (B [1%nat; 0%nat] (perm_swap _ _ _)).
  destruct (proj1 (sorts_places 2 _ _) (So (utility v y))) as [Rl S]; specialize (S 0%nat 1%nat ltac:(lia) ltac:(lia) ltac:(lra)).
  apply Permutation_length_2_inv in Rl; destruct Rl as [E | E]; rewrite E in *; cbn in S; [| lia].
  unfold mean, eru_loss in B; cbn [sum total fst snd place Nat.eqb] in B; destruct U as [U0 U1]; rewrite U0, U1 in B.
  assert (K : Rpower 2 ((1 - INR 1) / (w - 1)) < Rpower 2 ((1 - INR 2) / (w - 1))); [| lra].
  apply Rpower_lt; [lra |]; replace ((1 - INR 1) / (w - 1)) with 0 by (cbn; field; lra).
  replace ((1 - INR 2) / (w - 1)) with (/ (1 - w)) by (cbn; field; lra); apply Rinv_0_lt_compat; lra.
Qed.
