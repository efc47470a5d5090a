(* A risk made of convex atoms, as the labels of a table state it: losses of pairs of items, logarithms of sums of
   exponentials, and linear parts. Subgradients that add up to 0 prove that scores minimize it; they are rational where
   the scores are, or are logarithms of rationals. *)
From Coq Require Import ZArith QArith Qreals Bool.
From ConsistencyLab.base Require Import Prelude Sums Ranking Convex Scalars Labels.
From ConsistencyLab.theorems Require Import Means.
From ConsistencyLab.check Require Import Rationals Tables.
Open Scope R_scope.

Inductive scalar := Logistic | Hinge | SquaredHinge | Square | Absolute.
Definition loss_of (s : scalar) : R -> R := match s with
  | Logistic => logistic | Hinge => hinge | SquaredHinge => squared_hinge | Square => square | Absolute => Rabs end.
(* c phi(u_i - u_j - b), c log sum exp u_k over some items, and the linear form with the coefficients v. *)
Inductive atom := Pair (c : Q) (phi : scalar) (i j : nat) (b : Q) | LogSumExp (c : Q) (over : list nat) |
  Linear (v : list Q).
Definition worth (m : nat) (a : atom) (u : scores) : R := match a with
  | Pair c phi i j b => Q2R c * loss_of phi (u i - u j - Q2R b)
  | LogSumExp c over => Q2R c * lse over u
  | Linear v => sum (fun k => Q2R (nth k v 0%Q) * u k) m end.
(* What the labels say: atoms, each with the slope of phi at the minimizer, which the loss does not depend on. *)
Definition atoms_loss (m : nat) (table : list (list (atom * Q))) (y : nat) (u : scores) : R :=
  total (fun a => worth m (fst a) u) (nth y table []).

(* Scores that are rational, or logarithms of positive rationals. *)
Inductive point := Rational (l : list Q) | Logarithms (l : list Q).
Definition numbers (x : point) (k : nat) : Q := match x with Rational l => nth k l 0%Q | Logarithms l => nth k
  l 1%Q end.
Definition scores_at (x : point) : scores := fun k => match x with
  | Rational _ => Q2R (numbers x k) | Logarithms _ => ln (Q2R (numbers x k)) end.

(* Whether s is a slope of phi at x. *)
Definition Qcase (x y : Q) {A} (less equal more : A) : A :=
  if Qeq_bool x y then equal else if Qle_bool x y then less else more.
Definition between (l s h : Q) : bool := if Qle_bool l s then Qle_bool s h else false.
Definition slope_at (phi : scalar) (x s : Q) : bool := match phi with
  | Logistic => if Qeq_bool x 0 then Qeq_bool s (-1 # 2) else false
  | Hinge => Qcase x 1 (Qeq_bool s (-1)) (between (-1) s 0) (Qeq_bool s 0)
  | SquaredHinge => Qeq_bool s (Qcase x 1 (2 * (x - 1)) 0 0)
  | Square => Qeq_bool s (2 * (x - 1))
  | Absolute => Qcase x 0 (Qeq_bool s (-1)) (between (-1) s 1) (Qeq_bool s 1) end%Q.
Definition share (x : point) (over : list nat) (k : nat) : Q := (numbers x k / Qtotal (numbers x) over)%Q.
Definition gradient (x : point) (a : atom * Q) (k : nat) : Q := match a with
  | (Pair c _ i j _, s) => c * s * ((if (k =? i)%nat then 1 else 0) - (if (k =? j)%nat then 1 else 0))
  | (LogSumExp c over, _) => c * Qtotal (fun i => if (k =? i)%nat then share x over i else 0) over
  | (Linear v, _) => nth k v 0 end%Q.
Definition atom_check (m : nat) (x : point) (a : atom * Q) : bool := match a with
  | (Pair c phi i j b, s) => if Qle_bool 0 c then if (i <? m)%nat then if (j <? m)%nat then
      match x, phi with
      | Rational _, _ => slope_at phi (numbers x i - numbers x j - b)%Q s
      | Logarithms _, Logistic =>
          if Qeq_bool b 0 then Qeq_bool s (- (numbers x j / (numbers x i + numbers x j)))%Q else false
      | _, _ => false end else false else false else false
  | (LogSumExp c over, _) => if Qle_bool 0 c then if forallb (fun k => k <? m)%nat over then
      match x, over with Logarithms _, _ :: _ => true | _, _ => false end else false else false
  | (Linear _, _) => true end.

Lemma Qcase_real x y {A} (l e g : A) : (Q2R x < Q2R y /\ Qcase x y l e g = l) \/
  (Q2R x = Q2R y /\ Qcase x y l e g = e) \/ (Q2R y < Q2R x /\ Qcase x y l e g = g).
Proof.
  unfold Qcase; destruct (Qeq_bool x y) eqn:E; [right; left; split; [apply qeq_R, E | reflexivity] |].
  destruct (Qle_bool x y) eqn:L; [left | right; right]; (split; [| reflexivity]).
  - apply qle_R in L; destruct L as [L | L]; [exact L |].
    apply eqR_Qeq, Qeq_bool_iff in L; congruence.
  - apply Qlt_real, L.
Qed.
Lemma between_real l s h : between l s h = true -> Q2R l <= Q2R s <= Q2R h.
Proof. unfold between; intros H; real_tests H; split; assumption. Qed.
Lemma Q2R_two_less x : Q2R (2 * (x - 1)) = 2 * (Q2R x - 1).
Proof. rewrite Q2R_mult, Q2R_minus, Q2R_1; f_equal; unfold Q2R; cbn; lra. Qed.
Lemma slope_sound phi x s : slope_at phi x s = true -> subgradient (loss_of phi) (Q2R x) (Q2R s).
Proof.
  pose proof (Q2R_Z (-1)) as M1; pose proof Q2R_1 as P1; pose proof Q2R_0 as Z0.
  destruct phi; cbn [slope_at loss_of]; intros H y.
  - real_tests H; rewrite T, H.
    destruct (declining_slopes _ _ logistic_declining) as (D & mono & _).
    pose proof (mono_subgradient logistic dlogistic 0 D mono y) as K; unfold dlogistic at 1 in K; rewrite exp_0 in K.
    replace (Q2R (-1 # 2)) with (- / (1 + 1)) by (unfold Q2R; cbn; lra); exact K.
  - destruct (Qcase_real x 1 (Qeq_bool s (-1)) (between (-1) s 0) (Qeq_bool s 0)) as [[L E] | [[L E] | [L E]]];
      rewrite E in H; rewrite P1 in L; apply tangent_hinge.
    1-3: apply qeq_R in H; rewrite H, M1; lra.
    1-3: apply between_real in H; rewrite M1, Z0 in H; lra.
    all: apply qeq_R in H; rewrite H, Z0; lra.
  - apply qeq_R in H; rewrite H; pose proof (tangent_squared_hinge (Q2R x) y) as K.
    destruct (Qcase_real x 1 (2 * (x - 1))%Q 0%Q 0%Q) as [[L E] | [[L E] | [L E]]]; rewrite E, ?Q2R_two_less,
      ?Z0; rewrite P1 in L; [rewrite Rmax_right in K by lra | rewrite Rmax_left in K by lra ..]; lra.
  - apply qeq_R in H; rewrite H, Q2R_two_less; unfold square.
    pose proof (Rle_0_sqr (Q2R x - y)); unfold Rsqr in *; lra.
  - destruct (Qcase_real x 0 (Qeq_bool s (-1)) (between (-1) s 1) (Qeq_bool s 1)) as [[L E] | [[L E] | [L E]]];
      rewrite E in H; rewrite Z0 in L.
    + apply qeq_R in H; rewrite H, M1; unfold Rabs; destruct (Rcase_abs (Q2R x)), (Rcase_abs y); lra.
    + apply between_real in H; rewrite M1, P1 in H; unfold Rabs; destruct (Rcase_abs (Q2R x)), (Rcase_abs y); nra.
    + apply qeq_R in H; rewrite H, P1; unfold Rabs; destruct (Rcase_abs (Q2R x)), (Rcase_abs y); lra.
Qed.

Lemma sum_choice (d : nat -> R) m i : (i < m)%nat -> sum (fun k => (if (k =? i)%nat then 1 else 0) * d k) m = d i.
Proof. intros H; rewrite <- (sum_delta d m i H) at 1; apply sum_ext; intros k _; destruct (k =? i)%nat; ring. Qed.
Lemma Q2R_if (c : bool) a b : Q2R (if c then a else b) = if c then Q2R a else Q2R b.
Proof. destruct c; reflexivity. Qed.
Definition positive (m : nat) (x : point) := forall k, (k < m)%nat ->
  match x with Rational _ => True | Logarithms _ => 0 < Q2R (numbers x k) end.
Lemma atom_sound m x a : positive m x -> atom_check m x a = true -> forall u,
  worth m (fst a) (scores_at x) + sum (fun k => Q2R (gradient x a k) * (u k - scores_at x k)) m <= worth m (fst a) u.
Proof.
  intros Px H u; destruct a as [[c phi i j b | c over | v] s]; cbn [fst worth gradient atom_check] in *.
  - real_tests H; rename T into C, T0 into I, T1 into J; set (d := fun k => u k - scores_at x k).
    assert (E : sum (fun k => Q2R (c * s * ((if (k =? i)%nat then 1 else 0) - (if (k =? j)%nat then 1 else 0))) * d k) m
      = Q2R c * (Q2R s * (d i - d j))).
    { rewrite <- (sum_choice d m i I), <- (sum_choice d m j J), <- sum_minus, <- !sum_scal; apply sum_ext; intros k _.
      rewrite !Q2R_mult, Q2R_minus, !Q2R_if, Q2R_0, Q2R_1; destruct (k =? i)%nat, (k =? j)%nat; ring. }
    eapply Rle_trans; [apply Rplus_le_compat_l; right; exact E |]; rewrite <- Rmult_plus_distr_l;
      apply Rmult_le_compat_l; [exact C |].
    assert (S : subgradient (loss_of phi) (scores_at x i - scores_at x j - Q2R b) (Q2R s)).
    { destruct x as [l | l]; cbn [scores_at] in *.
      - rewrite <- !Q2R_minus; apply slope_sound, H.
      - destruct phi; try discriminate; real_tests H; rename T into B.
        pose proof (Px i I) as Pi; pose proof (Px j J) as Pj; cbn in Pi, Pj.
        assert (N : ~ (nth i l 1 + nth j l 1 == 0)%Q).
        { intros Z; apply Qeq_eqR in Z; rewrite Q2R_plus, Q2R_0 in Z; lra. }
        cbn [numbers] in *; rewrite H, B, Q2R_opp, Q2R_div, Q2R_plus, Rminus_0_r by exact N; cbn [loss_of].
        set (qi := Q2R (nth i l 1%Q)) in *; set (qj := Q2R (nth j l 1%Q)) in *.
        destruct (declining_slopes _ _ logistic_declining) as (D & mono & _).
        replace (- (qj / (qi + qj))) with (dlogistic (ln qi - ln qj)); [apply mono_subgradient; assumption |].
        unfold dlogistic, Rminus; rewrite exp_plus, exp_Ropp, !exp_ln by assumption; field; lra. }
    specialize (S (u i - u j - Q2R b)); unfold d.
    replace (u i - scores_at x i - (u j - scores_at x j)) with
      (u i - u j - Q2R b - (scores_at x i - scores_at x j - Q2R b)) by ring; exact S.
  - real_tests H; rename T into C, T0 into B; rewrite forallb_forall in B.
    destruct x as [l | l]; [discriminate |]; assert (N : over <> []) by (intros ->; discriminate); clear H.
    assert (Pos : forall k, In k over -> (k < m)%nat /\ 0 < Q2R (nth k l 1%Q)).
    { intros k K; specialize (B k K); apply Nat.ltb_lt in B; split; [exact B | apply (Px k B)]. }
    pose proof (lse_tangent over (fun k => Q2R (nth k l 1%Q)) u N (fun k K => proj2 (Pos k K))) as T.
    apply (Rmult_le_compat_l (Q2R c)) in T; [| exact C]; rewrite Rmult_plus_distr_l in T.
    cbn [scores_at numbers]; eapply Rle_trans; [| exact T]; apply Rplus_le_compat_l; right.
    set (d := fun k => u k - ln (Q2R (nth k l 1%Q))).
    transitivity (sum (fun k => Q2R c *
      (total (fun i => (if (k =? i)%nat then Q2R (share (Logarithms l) over i) else 0) * d k) over)) m).
    + apply sum_ext; intros k _; rewrite Q2R_mult, Qtotal_sound; fold (d k); rewrite Rmult_assoc; f_equal.
      rewrite Rmult_comm, <- total_scal; apply total_eq; intros i; rewrite Q2R_if, Q2R_0; apply Rmult_comm.
    + rewrite sum_scal; f_equal.
      rewrite <- (total_sum (fun i k => (if (k =? i)%nat then Q2R (share (Logarithms l) over i) else 0) * d k)).
      apply total_ext, Forall_forall; intros i Hi; destruct (Pos i Hi) as [Bi Pi].
      transitivity (Q2R (share (Logarithms l) over i) * d i).
      * rewrite <- (sum_choice d m i Bi), <- sum_scal; apply sum_ext; intros k _; destruct (k =? i)%nat; ring.
      * unfold d, share; cbn [numbers]; rewrite Q2R_div, Qtotal_sound; [reflexivity |].
        pose proof (total_pos (fun k => Q2R (nth k l 1%Q)) over N (fun k K => proj2 (Pos k K))).
        intros Z; apply Qeq_eqR in Z; rewrite Qtotal_sound, Q2R_0 in Z; cbn [numbers] in Z; lra.
  - rewrite <- sum_plus; right; apply sum_ext; intros; ring.
Qed.

(* Slopes of all atoms that add up to 0 at every item. *)
Definition minimum_check (m : nat) (ps : list Q) (table : list (list (atom * Q))) (x : point) : bool :=
  if match x with Rational _ => true | Logarithms _ => every m (fun k => negb (Qle_bool (numbers x k) 0)) end then
    if forallb (forallb (atom_check m x)) table then if (length table =? length ps)%nat then
        every m (fun k => Qeq_bool (Qtotal (fun r => fst r * Qtotal (fun a => gradient x a k) (snd r))%Q
          (combine ps table)) 0) else false else false else false.
Lemma sum_combine (ps : list Q) {A} (table : list (list A)) (f : list A -> R) : length table = length ps ->
  sum (fun y => at_label ps y * f (nth y table [])) (length ps) = total (fun r => Q2R (fst r) * f (snd r))
    (combine ps table).
Proof.
  revert table; induction ps as [| p ps IH]; intros [| r table] E; try discriminate; [reflexivity |].
  injection E as E; cbn [length combine total]; rewrite sum_shift, <- (IH table E); reflexivity.
Qed.
Theorem minimum_reached m ps table x : probabilities (length ps) (at_label ps) -> minimum_check m ps table x = true ->
  reached m (fun u => u) (label_risk (length ps) (at_label ps) (atoms_loss m table)) (fun k => Q2R (numbers x k)).
Proof.
  intros D H; unfold minimum_check in H; tests H; rename T into P, T0 into F, T1 into Len.
  assert (Px : positive m x).
  { intros k K; destruct x as [l | l]; [exact I |]; pose proof (every_spec _ _ P k K) as Q; cbv beta in Q.
    apply negb_true_iff, Qlt_real in Q; rewrite Q2R_0 in Q; exact Q. }
  apply (reached_minimum m _ _ _ (scores_at x)).
  - intros u; set (d := fun k => u k - scores_at x k).
    set (G := fun k => sum (fun y => at_label ps y * total (fun a => Q2R (gradient x a k)) (nth y table []))
      (length ps)).
    assert (Z : forall k, (k < m)%nat -> G k = 0).
    { intros k K; pose proof (every_spec _ _ H k K) as E; cbv beta in E; apply qeq_R in E.
      rewrite Qtotal_sound, Q2R_0 in E; unfold G.
      rewrite (sum_combine ps table (fun l => total (fun a => Q2R (gradient x a k)) l) Len), <- E.
      apply total_ext, Forall_forall; intros r _; now rewrite Q2R_mult, Qtotal_sound. }
    apply Rle_trans with (label_risk (length ps) (at_label ps) (atoms_loss m table) (scores_at x) +
      sum (fun k => G k * d k) m).
    { rewrite (sum_ext (fun k => G k * d k) (fun _ => 0)), sum_zero by (intros k K; rewrite Z by exact K; ring); lra. }
    assert (E : sum (fun k => G k * d k) m = sum (fun y => at_label ps y *
      total (fun a => sum (fun k => Q2R (gradient x a k) * d k) m) (nth y table [])) (length ps)).
    { unfold G; transitivity (sum (fun k => sum (fun y => at_label ps y * (total (fun a => Q2R (gradient x a k) * d k)
        (nth y table []))) (length ps)) m).
      - apply sum_ext; intros k _; rewrite Rmult_comm, <- sum_scal; apply sum_ext; intros y _.
        rewrite (Rmult_comm (d k)), Rmult_assoc; f_equal; rewrite Rmult_comm, <- total_scal; apply total_eq; intros; ring.
      - rewrite sum_swap; apply sum_ext; intros y _; rewrite sum_scal, total_sum; reflexivity. }
    rewrite E; unfold label_risk; rewrite <- sum_plus; apply sum_le; intros y Y; rewrite <- Rmult_plus_distr_l.
    apply Rmult_le_compat_l; [destruct D as [Pos _]; left; apply Pos, Y |]; unfold atoms_loss.
    assert (B : forallb (atom_check m x) (nth y table []) = true).
    { rewrite forallb_forall in F; apply F, nth_In; lia. }
    rewrite forallb_forall in B; induction (nth y table []) as [| a t IH]; cbn [total]; [lra |].
    pose proof (atom_sound m x a Px (B a (or_introl eq_refl)) u) as A; fold d in A.
    assert (IH' := IH (fun b K => B b (or_intror K))); unfold d in *; lra.
  - intros i j Hi Hj; destruct x as [l | l]; [reflexivity |]; pose proof (Px i Hi) as Pi; pose proof (Px j Hj) as Pj.
    cbn in *; split; intros [L | L]; [left; apply ln_lt_inv | right; apply ln_inv | left; apply ln_increasing |
      right; now rewrite L]; assumption.
Qed.
(* Rational numbers as ranges. *)
Definition exactly (x : point) (k : nat) : range := Some (numbers x k, numbers x k).
Lemma exactly_known x m : forall k, (k < m)%nat -> within (exactly x k) (Q2R (numbers x k)).
Proof. intros; cbn; lra. Qed.
