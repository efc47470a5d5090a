(* Risks that are sums of atoms c phi(<v, alpha> - b) with rational numbers c, v and b, and what stated slopes of phi
   prove of them: scores that minimize the risk, and bounds of it on half-spaces of scores (a separation). Coq makes the
   atoms of a family of losses from the preferences, and proves that their sum is the risk of DMJ10 and DMJ13. *)
From Coq Require Import QArith Qreals ZArith Bool.
From ConsistencyLab.base Require Import Prelude Sums Ranking Convex Scalars Aggregate Consistency.
From ConsistencyLab.check Require Import Rationals.
Open Scope R_scope.

(* --- Convex functions that are quadratic between kinks ------------------------------------------------------- *)

(* s x + b; (t - x)_+; (t - x)_+^2; (x - t)^2; and (b - x)_+^2 - (a - x)_+^2 for a <= b, which is straight below a. *)
Inductive piece := Line (s b : Q) | Kink (t : Q) | Half (t : Q) | Parabola (t : Q) | Ramp (a b : Q).
Definition piece_at (f : piece) (x : R) : R := match f with
  | Line s b => Q2R s * x + Q2R b
  | Kink t => Rmax 0 (Q2R t - x)
  | Half t => Rmax 0 (Q2R t - x) * Rmax 0 (Q2R t - x)
  | Parabola t => (x - Q2R t) * (x - Q2R t)
  | Ramp a b => Rmax 0 (Q2R b - x) * Rmax 0 (Q2R b - x) - Rmax 0 (Q2R a - x) * Rmax 0 (Q2R a - x) end.
Definition square_q x := qmul x x.
Definition piece_q (f : piece) (x : Q) : Q := match f with
  | Line s b => qadd (qmul s x) b
  | Kink t => qpos (qsub t x)
  | Half t => square_q (qpos (qsub t x))
  | Parabola t => square_q (qsub x t)
  | Ramp a b => qsub (square_q (qpos (qsub b x))) (square_q (qpos (qsub a x))) end.
(* The left and the right derivative. *)
Definition slopes_q (f : piece) (x : Q) : Q * Q :=
  let both s := (s, s) in match f with
  | Line s b => both s
  | Kink t => (if Qle_bool x t then (-1)%Q else 0%Q, if qlt x t then (-1)%Q else 0%Q)
  | Half t => both (qmul (-2) (qpos (qsub t x)))
  | Parabola t => both (qmul 2 (qsub x t))
  | Ramp a b => both (qmul 2 (qsub (qpos (qsub a x)) (qpos (qsub b x)))) end.
Definition piece_check (f : piece) : bool := match f with Ramp a b => Qle_bool a b | _ => true end.
Lemma piece_R f x : Q2R (piece_q f x) = piece_at f (Q2R x).
Proof. destruct f; cbn [piece_q piece_at]; unfold square_q; rewrite ?qadd_R, ?qsub_R, ?qmul_R, ?qpos_R, ?qsub_R; ring. Qed.
Lemma ramp_tangent s t d : 0 <= d -> Rmax 0 s * Rmax 0 s - Rmax 0 (s - d) * Rmax 0 (s - d) +
  2 * (Rmax 0 (s - d) - Rmax 0 s) * (s - t) <= Rmax 0 t * Rmax 0 t - Rmax 0 (t - d) * Rmax 0 (t - d).
Proof.
  intros; unfold Rmax; assert (0 <= (s - t) * (s - t)) by apply Rle_0_sqr.
  destruct (Rle_dec 0 s), (Rle_dec 0 (s - d)), (Rle_dec 0 t), (Rle_dec 0 (t - d)); nra.
Qed.
Lemma slopes_R f x : piece_check f = true -> subgradient (piece_at f) (Q2R x) (Q2R (fst (slopes_q f x))) /\
  subgradient (piece_at f) (Q2R x) (Q2R (snd (slopes_q f x))).
Proof.
  intros C; unfold subgradient; destruct f as [s b | t | t | t | a b]; cbn [slopes_q piece_at fst snd].
  - split; intros y; lra.
  - pose proof (qle_spec x t); pose proof (qlt_spec x t); unfold Rmax.
    destruct (Qle_bool x t), (qlt x t); rewrite ?Q2R_Z, ?Q2R_0; split; intros y; destruct (Rle_dec _ _),
        (Rle_dec _ _); lra.
  - rewrite qmul_R, Q2R_Z, qpos_R, qsub_R; split; intros y; apply half_tangent.
  - rewrite qmul_R, Q2R_Z, qsub_R; split; intros y; pose proof (Rle_0_sqr (y - Q2R x)); unfold Rsqr in *; lra.
  - apply qle_R in C; rewrite qmul_R, Q2R_Z, qsub_R, !qpos_R, !qsub_R.
    split; intros y; pose proof (ramp_tangent (Q2R b - Q2R x) (Q2R b - y) (Q2R b - Q2R a) ltac:(lra)) as T;
      replace (Q2R b - Q2R x - (Q2R b - Q2R a)) with (Q2R a - Q2R x) in T by ring;
      replace (Q2R b - y - (Q2R b - Q2R a)) with (Q2R a - y) in T by ring; lra.
Qed.

(* --- Scalar losses ------------------------------------------------------------------------------------------- *)

(* Sums of such pieces with nonnegative factors, the logistic and the exponential loss. *)
Inductive scalar := Pieces (l : list (Q * piece)) | Logistic | Exponential.
Definition value (f : scalar) (x : R) : R := match f with
  | Pieces l => total (fun q => Q2R (fst q) * piece_at (snd q) x) l
  | Logistic => logistic x
  | Exponential => exponential x end.
Definition pieces_q l x := qtotal (fun q => qmul (fst q) (piece_q (snd q) x)) l.
Definition left_q l x := qtotal (fun q : Q * piece => qmul (fst q) (fst (slopes_q (snd q) x))) l.
Definition right_q l x := qtotal (fun q : Q * piece => qmul (fst q) (snd (slopes_q (snd q) x))) l.
Definition pieces_check (l : list (Q * piece)) :=
  forallb (fun q => if Qle_bool 0 (fst q) then piece_check (snd q) else false) l.
Lemma pieces_R l x : Q2R (pieces_q l x) = value (Pieces l) (Q2R x).
Proof. cbn [value]; unfold pieces_q; rewrite qtotal_R; apply total_eq; intros; now rewrite qmul_R, piece_R. Qed.
Lemma pieces_slopes l x : pieces_check l = true -> subgradient (value (Pieces l)) (Q2R x) (Q2R (left_q l x)) /\
  subgradient (value (Pieces l)) (Q2R x) (Q2R (right_q l x)).
Proof.
  unfold subgradient, left_q, right_q; rewrite !qtotal_R; cbn [value].
  induction l as [| (k, f) l]; cbn [pieces_check forallb total fst snd]; intros H; [split; intros; lra |].
  destruct (Qle_bool 0 k) eqn:K; [| discriminate]; apply qle_R in K; rewrite Q2R_0 in K.
  apply andb_prop in H; destruct H as [C H]; destruct (IHl H) as [L R]; destruct (slopes_R f x C) as [S T].
  rewrite !qmul_R; split; intros y; [specialize (S y); specialize (L y) | specialize (T y); specialize (R y)]; nra.
Qed.

(* exp x is at least (1 + x/2^n)^(2^n), rounded down at every step, in multiples of 2^-(3n). *)
Fixpoint squares (n : nat) (places y : Z) : Z :=
  match n with O => y | S k => squares k places (Z.shiftr (y * y) places) end.
Definition exp_low (n : positive) (x : Q) : Q :=
  let places := (3 * Zpos n)%Z in let d := (2 ^ Zpos n * Zpos (Qden x))%Z in
  let y := ((d + Qnum x) * 2 ^ places / d)%Z in
  if (y <? 0)%Z then 0%Q else Qmake (squares (Pos.to_nat n) places y) (Z.to_pos (2 ^ places)).
Lemma squares_low k places y x : (0 <= places)%Z -> (0 <= y)%Z -> IZR y / IZR (2 ^ places) <= exp x ->
  (0 <= squares k places y)%Z /\ IZR (squares k places y) / IZR (2 ^ places) <= exp (2 ^ k * x).
Proof.
  intros Pp; revert y x; induction k; intros y x Py H; cbn [squares pow]; [rewrite Rmult_1_l; auto |].
  assert (P : (0 < 2 ^ places)%Z) by (apply Z.pow_pos_nonneg; lia); pose proof (IZR_lt _ _ P) as PR.
  replace (2 * 2 ^ k * x) with (2 ^ k * (x + x)) by ring; apply IHk; rewrite Z.shiftr_div_pow2 by assumption.
  - apply Z.div_pos; [apply Z.mul_nonneg_nonneg |]; assumption.
  - rewrite exp_plus; apply Rle_trans with (IZR y / IZR (2 ^ places) * (IZR y / IZR (2 ^ places))).
    + pose proof (Z.mul_div_le (y * y) _ P) as D; apply IZR_le in D; rewrite !mult_IZR in D; set (u := IZR (2 ^ places)) in *.
      apply Rmult_le_reg_l with (u * u); [nra |].
      replace (u * u * (IZR (y * y / 2 ^ places) / u)) with (u * IZR (y * y / 2 ^ places)) by (field; lra).
      replace (u * u * (IZR y / u * (IZR y / u))) with (IZR y * IZR y) by (field; lra); exact D.
    + apply IZR_le in Py; pose proof (Rinv_0_lt_compat _ PR); assert (0 <= IZR y / IZR (2 ^ places))
        by (apply Rmult_le_pos; lra); apply Rmult_le_compat; assumption.
Qed.
Lemma exp_low_R n x : Q2R (exp_low n x) <= exp (Q2R x).
Proof.
  unfold exp_low; set (places := (3 * Z.pos n)%Z); set (d := (2 ^ Z.pos n * Z.pos (Qden x))%Z).
  set (y := ((d + Qnum x) * 2 ^ places / d)%Z); cbv zeta; destruct (Z.ltb_spec y 0) as [N | N].
  { rewrite Q2R_0; left; apply exp_pos. }
  assert (P : (0 < 2 ^ places)%Z) by (apply Z.pow_pos_nonneg; lia); pose proof (IZR_lt _ _ P) as PR.
  assert (Pn : (0 < 2 ^ Z.pos n)%Z) by (apply Z.pow_pos_nonneg; lia); assert (Pd : (0 < d)%Z) by (unfold d; lia).
  pose proof (IZR_lt _ _ Pn) as PnR; pose proof (IZR_lt _ _ Pd) as PdR.
  assert (E : IZR (2 ^ Z.pos n) = 2 ^ Pos.to_nat n) by (rewrite pow_IZR, positive_nat_Z; reflexivity).
  assert (S : IZR y / IZR (2 ^ places) <= exp (Q2R x / 2 ^ Pos.to_nat n)).
  { apply Rle_trans with (1 + Q2R x / 2 ^ Pos.to_nat n); [| apply exp_ineq1_le]; rewrite <- E.
    pose proof (Z.mul_div_le ((d + Qnum x) * 2 ^ places) d Pd) as D; fold y in D; apply IZR_le in D.
    rewrite !mult_IZR, plus_IZR in D; apply Rmult_le_reg_l with (IZR d * IZR (2 ^ places)); [nra |].
    replace (IZR d * IZR (2 ^ places) * (IZR y / IZR (2 ^ places))) with (IZR d * IZR y) by (field; lra).
    eapply Rle_trans; [exact D |]; right; unfold Q2R, d; rewrite mult_IZR.
    assert (IZR (Z.pos (Qden x)) <> 0) by (apply not_0_IZR; lia); field; repeat split; (assumption || lra). }
  apply (squares_low (Pos.to_nat n) places) in S; [| unfold places; lia | lia]; destruct S as [_ S].
  replace (2 ^ Pos.to_nat n * (Q2R x / 2 ^ Pos.to_nat n)) with (Q2R x) in S by (field; rewrite <- E; lra).
  eapply Rle_trans; [| exact S]; unfold Q2R; cbn [Qnum Qden]; rewrite Z2Pos.id by exact P; right; reflexivity.
Qed.

(* --- Lines below a loss, and bounds of its values ------------------------------------------------------------ *)

(* A slope, and what proves it: a point where pieces have it, or numbers above logarithms, ln t and ln (1 - t) for the
   slope -t of the logistic loss, ln t for that of the exponential one. *)
Record support := Support { slope : Q; first : Q; second : Q }.
(* The constant of the line. *)
Definition line_below (n : positive) (f : scalar) (u : support) : option Q :=
  let t := Qopp (slope u) in match f with
  | Pieces l => if pieces_check l then if Qle_bool (left_q l (first u)) (slope u) then
      if Qle_bool (slope u) (right_q l (first u)) then Some (qsub (pieces_q l (first u)) (qmul (slope u) (first u)))
      else None else None else None
  | Logistic => if Qeq_bool t 0 then Some 0%Q else if Qeq_bool t 1 then Some 0%Q else if qlt 0 t then if qlt t 1 then
      if Qle_bool t (exp_low n (first u)) then if Qle_bool (qsub 1 t) (exp_low n (second u)) then
      Some (Qopp (qadd (qmul t (first u)) (qmul (qsub 1 t) (second u)))) else None else None else None else None
  | Exponential => if Qeq_bool t 0 then Some 0%Q else if qlt 0 t then if Qle_bool t (exp_low n (first u)) then
      Some (qsub t (qmul t (first u))) else None else None end.
Lemma ln_below t x n : 0 < t -> t <= Q2R (exp_low n x) -> ln t <= Q2R x.
Proof.
  intros P H; pose proof (exp_low_R n x) as L; rewrite <- (ln_exp (Q2R x)).
  destruct (Rle_trans _ _ _ H L) as [E | ->]; [left; apply ln_increasing |]; lra.
Qed.
Lemma line_below_R n f u k : line_below n f u = Some k -> forall x, Q2R (slope u) * x + Q2R k <= value f x.
Proof.
  assert (O : Q2R (Qopp (slope u)) = - Q2R (slope u)) by apply Q2R_opp.
  unfold line_below; cbv zeta; destruct f as [l | |].
  - intros S x; real_tests S; injection S as <-; destruct (pieces_slopes l (first u) T) as [SL SR].
    specialize (SL x); specialize (SR x).
    rewrite qsub_R, qmul_R, pieces_R; destruct (Rle_lt_dec x (Q2R (first u))); nra.
  - destruct (Qeq_bool _ 0) eqn:Z; [intros [= <-] x; apply qeq_R in Z; rewrite Q2R_0 in *; pose proof
      (logistic_positive x); cbn [value]; nra |].
    destruct (Qeq_bool _ 1) eqn:W; [intros [= <-] x; apply qeq_R in W; rewrite Q2R_1, ?Q2R_0 in *; cbn [value] |].
    { replace (Q2R (slope u)) with (-1) by lra; unfold logistic; rewrite <- (ln_exp (-1 * x + 0)); left;
        apply ln_increasing; [apply exp_pos |]; replace (-1 * x + 0) with (- x) by ring; lra. }
    intros S x; real_tests S; injection S as <-; rewrite qsub_R, Q2R_1 in T2.
    rewrite Q2R_opp, qadd_R, !qmul_R, qsub_R, Q2R_1; set (t := Q2R (- slope u)) in *.
    apply ln_below in T1; [| lra]; apply ln_below in T2; [| lra].
    pose proof (tangent_logistic ((1 - t) / t) x ltac:(apply Rdiv_lt_0_compat; lra)) as E.
    rewrite <- (ln_div (1 - t) t) in E by lra.
    replace (1 + / ((1 - t) / t)) with (/ (1 - t)) in E by (field; lra); rewrite ln_Rinv in E by lra.
    replace (/ (1 + (1 - t) / t)) with t in E by (field; lra); cbn [value]; replace (Q2R (slope u)) with (- t) by lra; nra.
  - destruct (Qeq_bool _ 0) eqn:Z; [intros [= <-] x; apply qeq_R in Z; rewrite Q2R_0 in *; cbn [value];
      unfold exponential; pose proof (exp_pos (- x)); nra |].
    intros S x; real_tests S; injection S as <-; rewrite qsub_R, qmul_R; set (t := Q2R (- slope u)) in *.
    apply ln_below in T0; [| lra]; pose proof (tangent_exponential (/ t) x ltac:(apply Rinv_0_lt_compat; lra)) as E.
    rewrite Rinv_inv, ln_Rinv in E by lra; cbn [value]; replace (Q2R (slope u)) with (- t) by lra; nra.
Qed.
(* A number that the loss at x is at most, from a guess. *)
Definition at_most (n : positive) (f : scalar) (x guess : Q) : option Q := match f with
  | Pieces l => Some (pieces_q l x)
  | Logistic => let e := exp_low n x in
      if qlt 0 e then if Qle_bool (qadd e 1) (qmul e (exp_low n guess)) then Some guess else None else None
  | Exponential => let e := exp_low n x in
      if qlt 0 e then if Qle_bool 1 (qmul e guess) then Some guess else None else None end.
Lemma at_most_R n f x guess u : at_most n f x guess = Some u -> value f (Q2R x) <= Q2R u.
Proof.
  unfold at_most; destruct f as [l | |]; cbv zeta; intros S.
  - injection S as <-; rewrite pieces_R; lra.
  - real_tests S; injection S as <-; rewrite qadd_R, qmul_R, Q2R_1 in T0.
    pose proof (exp_low_R n x) as E; pose proof (exp_low_R n guess) as G; pose proof (exp_pos (Q2R guess)).
    cbn [value]; unfold logistic; rewrite <- (ln_exp (Q2R guess)); set (e := Q2R (exp_low n x)) in *.
    assert (K : 1 + exp (- Q2R x) <= exp (Q2R guess)).
    { rewrite exp_Ropp; apply Rle_trans with (1 + / e); [pose proof (Rinv_le_contravar e _ T E); lra |].
      apply Rmult_le_reg_l with e; [exact T |]; rewrite Rmult_plus_distr_l, Rinv_r by lra; nra. }
    pose proof (exp_pos (- Q2R x)); destruct K as [K | ->]; [left; apply ln_increasing |]; lra.
  - real_tests S; injection S as <-; rewrite qmul_R in T0; pose proof (exp_low_R n x) as E.
    cbn [value]; unfold exponential; rewrite exp_Ropp; set (e := Q2R (exp_low n x)) in *.
    apply Rle_trans with (/ e); [apply Rinv_le_contravar; assumption |].
    apply Rmult_le_reg_l with e; [exact T |]; rewrite Rinv_r by lra; exact T0.
Qed.

(* --- Sums of atoms ------------------------------------------------------------------------------------------- *)

(* coef * f(sum of n alpha_k over (k, n) in along - offset) *)
Record atom := Atom { coef : Q; loss_of : scalar; along : list (nat * Q); offset : Q }.
Definition argument (a : atom) (alpha : scores) : R :=
  total (fun q => Q2R (snd q) * alpha (fst q)) (along a) - Q2R (offset a).
Definition risk_of (l : list atom) (alpha : scores) : R :=
  total (fun a => Q2R (coef a) * value (loss_of a) (argument a alpha)) l.
Definition argument_q (h : list Q) (a : atom) : Q :=
  qsub (qtotal (fun q => qmul (snd q) (nth (fst q) h 0%Q)) (along a)) (offset a).
Lemma argument_R h a : Q2R (argument_q h a) = argument a (point h).
Proof. unfold argument_q, argument; rewrite qsub_R, qtotal_R; f_equal; apply total_eq; intros; apply qmul_R. Qed.

(* The lines below the atoms add up to <gradient, alpha> + constant. *)
Fixpoint constant n (l : list atom) (s : list support) : option Q :=
  match l, s with
  | [], [] => Some 0%Q
  | a :: l, u :: s => if Qle_bool 0 (coef a) then
      match line_below n (loss_of a) u, constant n l s with
      | Some k, Some t => Some (qadd t (qmul (coef a) (qsub k (qmul (slope u) (offset a)))))
      | _, _ => None
      end else None
  | _, _ => None end.
Definition at_item k (q : nat * Q) : Q := if (fst q =? k)%nat then snd q else 0%Q.
Fixpoint gradient (l : list atom) (s : list support) (k : nat) : Q :=
  match l, s with
  | a :: l, u :: s => qadd (gradient l s k) (qmul (qmul (coef a) (slope u)) (qtotal (at_item k) (along a)))
  | _, _ => 0%Q end.
Definition on_items m (l : list atom) := forallb (fun a => forallb (fun q => (fst q <? m)%nat) (along a)) l.
Lemma by_item m (v : list (nat * Q)) alpha : forallb (fun q => (fst q <? m)%nat) v = true ->
  total (fun q => Q2R (snd q) * alpha (fst q)) v = sum (fun k => Q2R (qtotal (at_item k) v) * alpha k) m.
Proof.
  induction v as [| (i, x) v]; intros H.
  - cbn [total qtotal]; rewrite Q2R_0; symmetry; apply sum_of_zeros; intros; ring.
  - cbn [forallb fst] in H; apply andb_prop in H; destruct H as [Hi H]; apply Nat.ltb_lt in Hi; cbn [total fst snd].
    rewrite (IHv H), <- (sum_delta (fun k => Q2R x * alpha k) m i Hi), <- sum_plus; apply sum_ext; intros k _.
    cbn [qtotal]; rewrite qadd_R; unfold at_item at 2; cbn [fst snd]; rewrite (Nat.eqb_sym i k).
    destruct (k =? i)%nat; rewrite ?Q2R_0; ring.
Qed.
Lemma constant_R n m l alpha : on_items m l = true -> forall s k, constant n l s = Some k ->
  sum (fun i => Q2R (gradient l s i) * alpha i) m + Q2R k <= risk_of l alpha.
Proof.
  induction l as [| a l]; intros V [| u s] k H; try discriminate.
  - injection H as <-; cbn [gradient risk_of total]; rewrite Q2R_0; replace (sum _ m) with 0; [lra |].
    symmetry; apply sum_of_zeros; intros; ring.
  - cbn [on_items forallb] in V; apply andb_prop in V; destruct V as [Va V]; cbn [constant] in H.
    real_tests H; injection H as <-; specialize (IHl V s _ T1); pose proof (line_below_R _ _ _ _ T0 (argument a alpha)) as L.
    apply (Rmult_le_compat_l (Q2R (coef a))) in L; [| exact T]; rewrite qadd_R, qmul_R, qsub_R, qmul_R.
    unfold risk_of in *; cbn [total].
    assert (E : sum (fun i => Q2R (gradient (a :: l) (u :: s) i) * alpha i) m = sum (fun i => Q2R (gradient l s i)
      * alpha i) m + Q2R (coef a) * Q2R (slope u) * (argument a alpha + Q2R (offset a))).
    { unfold argument, Rminus; rewrite (by_item m (along a) alpha Va), Rplus_assoc, Rplus_opp_l, Rplus_0_r.
      rewrite <- sum_scal, <- sum_plus; apply sum_ext; intros i _; cbn [gradient]; rewrite qadd_R, !qmul_R; ring. }
    rewrite E; lra.
Qed.

(* A number that the risk is at least where j is at or below i: the gradient is lambda (e_i - e_j), lambda >= 0. *)
Definition weight_at (i j k : nat) (x : Q) : Q :=
  qsub (if (k =? i)%nat then x else 0%Q) (if (k =? j)%nat then x else 0%Q).
Definition least n m l s i j : option Q := let x := if (i =? j)%nat then 0%Q else gradient l s i in
  if on_items m l then if Qle_bool 0 x then if every m (fun k => Qeq_bool (gradient l s k) (weight_at i j k x))
  then constant n l s else None else None else None.
Lemma least_R n m l s i j t alpha : least n m l s i j = Some t -> (i < m)%nat -> (j < m)%nat -> alpha j <= alpha i ->
  Q2R t <= risk_of l alpha.
Proof.
  unfold least; cbv zeta; set (x := if (i =? j)%nat then 0%Q else gradient l s i).
  intros C Hi Hj O; real_tests C; pose proof (constant_R n m l alpha T s t C) as B.
  assert (E : sum (fun k => Q2R (gradient l s k) * alpha k) m = Q2R x * (alpha i - alpha j)).
  { transitivity (sum (fun k => (if (k =? i)%nat then Q2R x * alpha k else 0) -
      (if (k =? j)%nat then Q2R x * alpha k else 0)) m).
    - apply sum_ext; intros k Hk; pose proof (every_spec _ _ T1 k Hk) as K; real_tests K; rewrite K; unfold weight_at. 
      rewrite qsub_R; destruct (k =? i)%nat, (k =? j)%nat; rewrite ?Q2R_0; ring.
    - rewrite sum_minus, !(sum_delta (fun k => Q2R x * alpha k)) by assumption; ring. }
  rewrite E in B; nra.
Qed.
(* A number that the risk at the scores is at most. *)
Fixpoint cost n h (l : list atom) (guesses : list Q) : option Q :=
  match l, guesses with
  | [], [] => Some 0%Q
  | a :: l, x :: guesses => if Qle_bool 0 (coef a) then
      match at_most n (loss_of a) (argument_q h a) x, cost n h l guesses with
      | Some k, Some t => Some (qadd t (qmul (coef a) k))
      | _, _ => None
      end else None
  | _, _ => None end.
Lemma cost_R n h l : forall guesses u, cost n h l guesses = Some u -> risk_of l (point h) <= Q2R u.
Proof.
  unfold risk_of; induction l as [| a l]; intros [| x g] u H; try discriminate.
  - injection H as <-; cbn [total]; rewrite Q2R_0; lra.
  - cbn [cost] in H; real_tests H; injection H as <-; specialize (IHl g _ T1); apply at_most_R in T0.
    rewrite argument_R in T0; rewrite qadd_R, qmul_R; cbn [total]; nra.
Qed.

(* --- Minimizing scores, and separations ---------------------------------------------------------------------- *)

(* Slopes at the scores that add up to 0 at every item. *)
Fixpoint at_scores h (l : list atom) (slopes : list Q) : list support :=
  match l, slopes with a :: l, s :: slopes => Support s (argument_q h a) 0 :: at_scores h l slopes | _, _ => [] end.
Definition minimum_check m h (l : list atom) (slopes : list Q) : bool :=
  if (0 <? m)%nat then match cost 1 h l (map (fun _ => 0%Q) l), least 1 m l (at_scores h l slopes) 0 0 with
  | Some u, Some t => Qle_bool u t
  | _, _ => false
  end else false.
Lemma minimum_R m h l slopes : minimum_check m h l slopes = true -> forall alpha, risk_of l (point h) <= risk_of l alpha.
Proof.
  unfold minimum_check; intros H alpha; real_tests H; apply cost_R in T0.
  apply (least_R _ _ _ _ _ _ _ alpha) in T1; auto; lra.
Qed.
(* Lines below the atoms, whose sum is above the value at the scores by a gap where the scores' order of a pair is left. *)
Record bound := Bound { upper : nat; lower : nat; lines : list support }.
Definition pair_of b := (upper b, lower b).
Definition separation_check n m h l guesses (gap : Q) (bounds : list bound) : bool :=
  if qlt 0 gap then match cost n h l guesses with
  | Some u => forallb (fun b => if (upper b <? m)%nat then if (lower b <? m)%nat then
      if qlt (nth (lower b) h 0%Q) (nth (upper b) h 0%Q) then match least n m l (lines b) (lower b) (upper b) with
      | Some t => Qle_bool (qadd u gap) t
      | None => false
      end else false else false else false) bounds
  | None => false end else false.
Lemma separation_R n m h l guesses gap bounds : separation_check n m h l guesses gap bounds = true ->
  0 < Q2R gap /\ ordered (point h) (map pair_of bounds) /\
  forall alpha, risk_of l alpha < risk_of l (point h) + Q2R gap -> ordered alpha (map pair_of bounds).
Proof.
  unfold separation_check; intros H; real_tests H; rewrite forallb_forall in H; apply cost_R in T0.
  assert (K : forall b, In b bounds -> point h (lower b) < point h (upper b) /\
    forall alpha, alpha (upper b) <= alpha (lower b) -> risk_of l (point h) + Q2R gap <= risk_of l alpha).
  { intros b Hb; specialize (H b Hb); real_tests H; rewrite qadd_R in H.
    split; [assumption |]; intros alpha L; eapply (least_R _ _ _ _ _ _ _ alpha) in T4; auto; lra. }
  split; [exact T | split]; [| intros alpha L]; apply Forall_forall; intros q Hq; apply in_map_iff in Hq;
    destruct Hq as (b & <- & Hb); cbn [pair_of fst snd]; destruct (K b Hb) as [O B]; [exact O |].
  apply Rnot_le_lt; intros N; specialize (B alpha N); lra.
Qed.

(* Minimizing scores outside A(p). *)
Theorem minimum_refutes m p (V : scores -> R) l h slopes good : (forall alpha, V alpha = risk_of l alpha) ->
  minimum_check m h l slopes = true -> qlt (disagreement p good) (disagreement p h) = true ->
  (forall alpha, V (point h) <= V alpha) /\ ~ A (real p) (point h) /\ ~ consistent_at V (real p).
Proof.
  intros E M O; pose proof (outside p h good O) as N.
  assert (B : forall alpha, V (point h) <= V alpha) by (intros; rewrite !E; apply (minimum_R m h l slopes M)).
  split; [exact B | split; [exact N |]]; apply (separation V (real p) (point h) N); auto.
Qed.
(* Whatever comes near the infimum has pairs in an order that no member of A(p) has. *)
Theorem separation_refutes n m p (V : scores -> R) l h guesses gap bounds steps good : is_distribution m (real p) ->
  (forall alpha, V alpha = risk_of l alpha) -> separation_check n m h l guesses gap bounds = true ->
  qlt (disagreement p good) (least_loss m (entry (weights m p)) (through (map pair_of bounds) steps)) = true ->
  0 < Q2R gap /\ (forall alpha, V alpha < V (point h) + Q2R gap -> ~ A (real p) alpha) /\ ~ consistent_at V (real p).
Proof.
  intros HD E S L; apply separation_R in S; destruct S as (G & O & B); apply qlt_R in L; rewrite disagreement_R in L.
  assert (N : forall alpha, ordered alpha (map pair_of bounds) -> ~ A (real p) alpha).
  { intros alpha K HA; apply (through_ordered _ _ steps) in K; apply (least_loss_R m p _ alpha HD) in K.
    specialize (HA (point good)); lra. }
  assert (B' : forall alpha, V alpha < V (point h) + Q2R gap -> ~ A (real p) alpha).
  { intros alpha K; apply N, B; rewrite !E in K; exact K. }
  split; [exact G | split; [exact B' |]]; apply (separation V (real p) (point h)); [apply N, O |].
  intros alpha HA; apply Rnot_lt_le; intros K; apply (B' alpha); [lra | exact HA].
Qed.

(* --- The atoms of the families of losses --------------------------------------------------------------------- *)

Definition pair (c : Q) (f : scalar) (i j : nat) (b : Q) := Atom c f [(i, 1%Q); (j, (-1)%Q)] b.
Lemma pair_argument c f i j b alpha : argument (pair c f i j b) alpha = alpha i - alpha j - Q2R b.
Proof. unfold argument; cbn [pair along total offset fst snd]; rewrite Q2R_1, Q2R_Z; ring. Qed.
Lemma item_argument c f i b alpha : argument (Atom c f [(i, 1%Q)] b) alpha = alpha i - Q2R b.
Proof. unfold argument; cbn [along total offset fst snd]; rewrite Q2R_1; ring. Qed.
(* Eq. 9. *)
Definition edge_atoms (h : Q -> Q) f (p : profile) := flat_map (fun q =>
  map (fun e => pair (qmul (fst q) (h (weight e))) f (better e) (worse e) 0) (snd q)) p.
(* The losses of Theorem 12. *)
Definition margin_atoms (h : Q -> Q) f (p : profile) := flat_map (fun q =>
  map (fun e => pair (fst q) f (better e) (worse e) (h (weight e))) (snd q)) p.
(* DMJ13's difference loss. *)
Definition difference_atoms m f (a : nat -> nat -> Q) := flat_map (fun i => flat_map (fun j =>
  if ahead a i j then [pair (lead a i j) f i j 0] else []) (seq 0 m)) (seq 0 m).
(* Eq. 14. *)
Definition linear_atoms m nu r (p : profile) := flat_map (fun q =>
  map (fun e => pair (qmul (fst q) (weight e)) (Pieces [(1%Q, Line (-1) 0)]) (better e) (worse e) 0) (snd q)) p
  ++ map (fun i => Atom nu r [(i, 1%Q)] 0) (seq 0 m).
(* Least squares on the net preferences of each graph. *)
Definition net_of (G : list preference) i : Q := qtotal (fun e =>
  qsub (if (better e =? i)%nat then weight e else 0%Q) (if (worse e =? i)%nat then weight e else 0%Q)) G.
Definition regression_atoms m (p : profile) := flat_map (fun q =>
  map (fun i => Atom (fst q) (Pieces [(1%Q, Parabola 0)]) [(i, 1%Q)] (net_of (snd q) i)) (seq 0 m)) p.

(* A mean over graphs as a sum of the atoms of their edges. *)
Ltac by_graphs := unfold mean, real, risk_of; rewrite total_map, total_flat_map; apply total_eq; intros (w, G);
  cbn [fst snd]; rewrite !total_map, <- ?total_scal.
Section Families.
Variables (m : nat) (p : profile) (f : scalar) (phi : R -> R).
Hypothesis same : forall x, value f x = phi x.
Lemma edge_risk h hq alpha : (forall w, h (Q2R w) = Q2R (hq w)) ->
  edge_loss h phi m (real p) alpha = risk_of (edge_atoms hq f p) alpha.
Proof.
  intros H; unfold edge_loss, edge_atoms; by_graphs; apply total_eq; intros e; rewrite pair_argument.
  cbn [pair coef loss_of]; rewrite qmul_R, same, Q2R_0, <- H; cbn [to_edge src dst wt]; rewrite Rminus_0_r; ring.
Qed.
Lemma margin_risk h hq alpha : (forall w, h (Q2R w) = Q2R (hq w)) ->
  margin_loss h phi m (real p) alpha = risk_of (margin_atoms hq f p) alpha.
Proof.
  intros H; unfold margin_loss, margin_atoms; by_graphs; apply total_eq; intros e; rewrite pair_argument.
  cbn [pair coef loss_of]; rewrite same, <- H; reflexivity.
Qed.
Lemma difference_risk alpha :
  difference_loss phi m (real p) alpha = risk_of (difference_atoms m f (entry (weights m p))) alpha.
Proof.
  unfold difference_loss, risk_of, difference_atoms; rewrite total_flat_map, total_seq; apply sum_ext; intros i Hi.
  rewrite total_flat_map, total_seq; apply sum_ext; intros j Hj.
  pose proof (lead_R m _ _ (fun i j => entry_R m p i j) i j Hi Hj) as L; unfold difference in L; rewrite <- L.
  unfold ahead; pose proof (qlt_spec 0 (lead (entry (weights m p)) i j)) as S; rewrite Q2R_0 in S.
  destruct (qlt 0 _); cbn [total]; rewrite ?pair_argument; cbn [pair coef loss_of];
    [rewrite Rmax_right, same, Q2R_0, Rminus_0_r by lra | rewrite Rmax_left by lra]; ring.
Qed.
Lemma linear_risk nu alpha : is_distribution m (real p) ->
  linear_loss (Q2R nu) phi m (real p) alpha = risk_of (linear_atoms m nu f p) alpha.
Proof.
  intros [_ One]; unfold linear_loss, mean, risk_of, linear_atoms; rewrite total_app, total_flat_map, total_map, total_seq.
  cbv beta; set (s := sum _ m).
  assert (E : sum (fun k => Q2R nu * value f (argument (Atom nu f [(k, 1%Q)] 0) alpha)) m = Q2R nu * s).
  { unfold s; rewrite <- sum_scal; apply sum_ext; intros k _; now rewrite item_argument, Q2R_0, Rminus_0_r, same. }
  cbn [coef loss_of]; rewrite E; transitivity (total (fun q => fst q * total (fun e => wt e * (alpha (dst e) -
    alpha (src e))) (snd q)) (real p) + Q2R nu * s * total fst (real p)).
  - rewrite <- total_scal, <- total_plus; apply total_eq; intros; unfold graph; ring.
  - rewrite One, Rmult_1_r; f_equal; unfold real; rewrite total_map; apply total_eq; intros (w, G); cbn [fst snd].
    rewrite !total_map, <- total_scal; apply total_eq; intros e; rewrite pair_argument.
    cbn [pair coef loss_of value total fst snd piece_at]; rewrite qmul_R, Q2R_0, Q2R_1, Q2R_Z; cbn [to_edge src dst wt]; ring.
Qed.
End Families.
Lemma net_of_R G i : Q2R (net_of G i) = net (map to_edge G) i.
Proof.
  unfold net_of, net; rewrite qtotal_R, total_map; apply total_eq; intros e; rewrite qsub_R; cbn [to_edge src dst wt].
  destruct (better e =? i)%nat, (worse e =? i)%nat; rewrite ?Q2R_0; reflexivity.
Qed.
Lemma regression_risk m p alpha : regression_loss m (real p) alpha = risk_of (regression_atoms m p) alpha.
Proof.
  unfold regression_loss, regression_atoms; by_graphs; rewrite total_seq, <- sum_scal; apply sum_ext; intros i _.
  rewrite item_argument, net_of_R.
  cbn [coef loss_of value total fst snd piece_at]; rewrite Q2R_0, Q2R_1; ring.
Qed.

(* --- The named losses as scalars ----------------------------------------------------------------------------- *)

Definition Hinge := Pieces [(1%Q, Kink 1)].
Definition Squared_hinge := Pieces [(1%Q, Half 1)].
Definition Square := Pieces [(1%Q, Parabola 1)].
Definition Smoothed_hinge := Pieces [((1 # 2)%Q, Ramp 0 1)].
Definition Huberized_hinge := Pieces [(1%Q, Ramp (-1) 1)].
Definition Half_square := Pieces [((1 # 2)%Q, Parabola 0)].
Definition Absolute := Pieces [(2%Q, Kink 0); (1%Q, Line 1 0)].
Ltac by_pieces := cbn [value total fst snd piece_at]; rewrite ?Q2R_0, ?Q2R_1, ?Q2R_Z, ?Q2R_half.
Lemma hinge_value x : value Hinge x = hinge x.
Proof. unfold Hinge, hinge; by_pieces; ring. Qed.
Lemma squared_hinge_value x : value Squared_hinge x = squared_hinge x.
Proof. unfold Squared_hinge, squared_hinge; by_pieces; ring. Qed.
Lemma square_value x : value Square x = square x.
Proof. unfold Square, square; by_pieces; ring. Qed.
Lemma smoothed_hinge_value x : value Smoothed_hinge x = smoothed_hinge x.
Proof. unfold Smoothed_hinge, smoothed_hinge; by_pieces; rewrite !Rminus_0_l; field. Qed.
Lemma huberized_hinge_value x : value Huberized_hinge x = huberized_hinge x.
Proof. unfold Huberized_hinge, huberized_hinge; by_pieces; ring. Qed.
Lemma half_square_value x : value Half_square x = half_square x.
Proof. unfold Half_square, half_square; by_pieces; field. Qed.
Lemma absolute_value x : value Absolute x = Rabs x.
Proof. unfold Absolute; by_pieces; unfold Rmax, Rabs; destruct (Rle_dec _ _), (Rcase_abs x); lra. Qed.
Lemma logistic_value x : value Logistic x = logistic x.
Proof. reflexivity. Qed.
Lemma exponential_value x : value Exponential x = exponential x.
Proof. reflexivity. Qed.
(* Weights and margins h(a) = a, 1 and a^2. *)
Lemma identity_q w : identity (Q2R w) = Q2R w.
Proof. reflexivity. Qed.
Lemma one_q w : (fun _ : R => 1) (Q2R w) = Q2R ((fun _ : Q => 1%Q) w).
Proof. symmetry; apply Q2R_1. Qed.
Lemma square_of_q w : (fun a : R => a * a) (Q2R w) = Q2R (square_q w).
Proof. symmetry; apply qmul_R. Qed.
