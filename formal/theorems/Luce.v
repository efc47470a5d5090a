(* Surrogates that are not convex, but smooth a loss of orders: approximate positions (ApproxNDCG and the like) and soft
   pairs. Plackett and Luce's random order makes each the mean of a loss of orders, or no less than it, by Jensen's
   inequality; so its infimum is that of the orders, and scores far apart come near it. *)
From ConsistencyLab.base Require Import Prelude Sums Ranking Orders Labels.
From ConsistencyLab.theorems Require Import Means Gains.
Open Scope R_scope.

(* --- Places in an order --------------------------------------------------------------------------------- *)

Definition before (j k : nat) (t : list nat) : R := if (place t j <? place t k)%nat then 1 else 0.
Lemma place_other x k t : x <> k -> place (x :: t) k = S (place t k).
Proof. intros N; cbn; destruct (Nat.eqb_spec x k); [contradiction | reflexivity]. Qed.
Lemma before_first j k t : j <> k -> before j k (j :: t) = 1.
Proof.
  intros N; unfold before; rewrite place_first, place_other by exact N; pose proof (place_positive t k).
  destruct (Nat.ltb_spec 1 (S (place t k))); [reflexivity | lia].
Qed.
Lemma never_before j k t : before j k (k :: t) = 0.
Proof.
  unfold before; rewrite place_first; pose proof (place_positive (k :: t) j).
  destruct (Nat.ltb_spec (place (k :: t) j) 1); [lia | reflexivity].
Qed.
Lemma before_other x j k t : x <> j -> x <> k -> before j k (x :: t) = before j k t.
Proof. intros J K; unfold before; rewrite !place_other by assumption; reflexivity. Qed.
Lemma total_zero {A} (f : A -> R) l : (forall x, In x l -> f x = 0) -> total f l = 0.
Proof. induction l; cbn; intros H; [reflexivity |]; rewrite H, IHl by auto; ring. Qed.
Lemma total_same {A} (f g : A -> R) l : (forall x, In x l -> f x = g x) -> total f l = total g l.
Proof. intros H; apply total_ext, Forall_forall, H. Qed.
Lemma count_before k t : NoDup t -> In k t -> total (fun j => before j k t) t = INR (place t k) - 1.
Proof.
  induction t as [| x t IH]; [intros _ [] |]; intros N I; inversion N as [| ? ? X Nt]; subst; cbn [total].
  destruct (Nat.eq_dec x k) as [-> | D].
  - rewrite place_first, never_before, total_zero; [cbn; ring | intros j _; apply never_before].
  - rewrite place_other, S_INR, before_first by exact D; destruct I as [-> | I]; [congruence |]; specialize (IH Nt I).
    rewrite (total_same _ (fun j => before j k t)); [lra |]; intros j J; apply before_other; [intros ->
      | exact D]; auto.
Qed.

(* --- A random order: the first item is drawn with chances proportional to w, and so on ------------------ *)

Section Luce.
Variable w : nat -> R.
Hypothesis positive : forall k, 0 < w k.
(* The mean of V over the order of l, which has n items. *)
Fixpoint luce (n : nat) (l : list nat) (V : list nat -> R) : R := match n with
  | O => V []
  | S n => total (fun i => w i / total w l * luce n (remove_one i l) (fun t => V (i :: t))) l end.

Lemma weight_positive l : l <> [] -> 0 < total w l.
Proof. intros N; apply total_pos; auto. Qed.
Lemma shares l : l <> [] -> total (fun i => w i / total w l) l = 1.
Proof.
  intros N; pose proof (weight_positive l N); rewrite (total_same _ (fun i => / total w l * w i)) by (intros;
    unfold Rdiv; ring).
  rewrite total_scal; field; lra.
Qed.
Lemma rest_length n l i : length l = S n -> In i l -> length (remove_one i l) = n.
Proof. intros L I; apply remove_one_permutation, Permutation_length in I; cbn in I; lia. Qed.
Lemma luce_mono n : forall l V U, length l = n -> (forall t, Permutation l t -> V t <= U t) -> luce n l V <= luce n l U.
Proof.
  induction n; intros l V U L H; cbn; [destruct l; [apply H; reflexivity | discriminate] |].
  assert (N : l <> []) by (intros ->; discriminate); pose proof (weight_positive l N) as P.
  apply total_le, Forall_forall; intros i I; apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; auto |].
  apply IHn; [apply (rest_length n l i L I) |]; intros t Pt; apply H.
  apply perm_trans with (i :: remove_one i l); [apply remove_one_permutation, I | constructor; exact Pt].
Qed.
Lemma luce_same n l V U : length l = n -> (forall t, Permutation l t -> V t = U t) -> luce n l V = luce n l U.
Proof. intros L H; apply Rle_antisym; apply luce_mono; auto; intros t P; rewrite (H t P); lra. Qed.
Lemma luce_plus n : forall l V U a, luce n l (fun t => V t + a * U t) = luce n l V + a * luce n l U.
Proof.
  induction n; intros l V U a; cbn; [reflexivity |].
  rewrite <- total_scal, <- total_plus; apply total_same; intros i _.
  rewrite (IHn _ (fun t => V (i :: t)) (fun t => U (i :: t))); ring.
Qed.
Lemma luce_constant n : forall l c, length l = n -> luce n l (fun _ => c) = c.
Proof.
  induction n; intros l c L; cbn; [reflexivity |]; assert (N : l <> []) by (intros ->; discriminate).
  rewrite (total_same _ (fun i => c * (w i / total w l))).
  - rewrite total_scal, shares by exact N; ring.
  - intros i I; rewrite IHn by (apply (rest_length n l i L I)); ring.
Qed.
Lemma luce_sum n l (V : nat -> list nat -> R) a K : length l = n ->
  luce n l (fun t => sum (fun k => a k * V k t) K) = sum (fun k => a k * luce n l (V k)) K.
Proof.
  intros L; induction K; cbn [sum]; [apply luce_constant, L |].
  rewrite (luce_plus n l (fun t => sum (fun k => a k * V k t) K)); now rewrite IHK.
Qed.
Lemma total_choice (c : R) j l : NoDup l -> In j l -> total (fun i => w i * (if (i =? j)%nat then c else 0)) l
  = w j * c.
Proof.
  induction l as [| x l IH]; [intros _ [] |]; intros N I; inversion N as [| ? ? X Nl]; subst; cbn [total].
  destruct (Nat.eqb_spec x j) as [-> | D].
  - rewrite total_zero; [ring |]; intros k K; destruct (Nat.eqb_spec k j); [subst; contradiction | ring].
  - destruct I as [-> | I]; [congruence |]; rewrite (IH Nl I); ring.
Qed.
(* j stands above k with chance w_j / (w_j + w_k). *)
Theorem luce_pair n : forall l j k, length l = n -> NoDup l -> In j l -> In k l -> j <> k ->
  luce n l (before j k) = w j / (w j + w k).
Proof.
  induction n; intros l j k L N J K D; [destruct l; [contradiction J | discriminate] |]; cbn [luce].
  assert (Ne : l <> []) by (intros ->; discriminate); pose proof (weight_positive l Ne) as P.
  pose proof (positive j) as Pj; pose proof (positive k) as Pk; set (c := w j / (w j + w k)).
  rewrite (total_same _ (fun i => / total w l * (w i * c + (w i * (if (i =? j)%nat then 1 - c else 0) +
    w i * (if (i =? k)%nat then - c else 0))))).
  - rewrite total_scal, !total_plus, !total_choice by assumption.
    rewrite (total_same (fun i => w i * c) (fun i => c * w i)), total_scal by (intros; ring); unfold c; field; lra.
  - intros i I; assert (R : luce n (remove_one i l) (fun t => before j k (i :: t)) =
      c + ((if (i =? j)%nat then 1 - c else 0) + (if (i =? k)%nat then - c else 0))); [| rewrite R; unfold Rdiv; ring].
    pose proof (rest_length n l i L I) as Ln; pose proof (remove_one_permutation i l I) as Pm.
    destruct (Nat.eqb_spec i j) as [-> | Dj]; [| destruct (Nat.eqb_spec i k) as [-> | Dk]].
    + destruct (Nat.eqb_spec j k); [contradiction |]; rewrite (luce_same _ _ _ (fun _ => 1) Ln), luce_constant by
        (exact Ln || (intros t _; apply before_first, D)); ring.
    + rewrite (luce_same _ _ _ (fun _ => 0) Ln), luce_constant by (exact Ln || (intros t _; apply never_before)); ring.
    + rewrite (luce_same _ _ _ (before j k) Ln) by (intros t _; apply before_other; assumption).
      assert (In' : forall x, In x l -> i <> x -> In x (remove_one i l)).
      { intros x X Dx; apply (Permutation_in x Pm) in X; destruct X; [contradiction | assumption]. }
      rewrite IHn; auto; [unfold c; ring |].
      apply (Permutation_NoDup Pm) in N; inversion N; assumption.
Qed.
End Luce.

(* --- Chances of pairs at scores ------------------------------------------------------------------------- *)

(* The soft indicator that l stands above k, at the temperature T. *)
Definition chance (T : R) (u : scores) (l k : nat) : R := / (1 + exp ((u k - u l) / T)).
Definition luce_at (m : nat) (T : R) (u : scores) := luce (fun k => exp (u k / T)) m (seq 0 m).
Lemma chance_mean m T u l k : (l < m)%nat -> (k < m)%nat -> l <> k -> luce_at m T u (before l k) = chance T u l k.
Proof.
  intros L K D; unfold luce_at; rewrite luce_pair; auto using exp_pos, seq_NoDup; try (apply in_seq; lia);
    [| apply seq_length].
  unfold chance; replace ((u k - u l) / T) with (u k / T + - (u l / T)) by (unfold Rdiv; ring).
  rewrite exp_plus, exp_Ropp; pose proof (exp_pos (u k / T)); pose proof (exp_pos (u l / T)); field; split; lra.
Qed.
Lemma luce_least m T u V v : (forall s, ranking m s -> v <= V s) -> v <= luce_at m T u V.
Proof.
  intros H; rewrite <- (luce_constant (fun k => exp (u k / T)) (fun k => exp_pos _) m (seq 0 m) v) by apply seq_length.
  apply luce_mono; [intros; apply exp_pos | apply seq_length | exact H].
Qed.
Definition off (k l : nat) (x : R) : R := if (k =? l)%nat then 0 else x.
Lemma luce_pairs m T u c (f : matrix) :
  luce_at m T u (fun s => c + sum (fun k => sum (fun l => off k l (f k l * before l k s)) m) m) =
  c + sum (fun k => sum (fun l => off k l (f k l * chance T u l k)) m) m.
Proof.
  pose proof (fun k => exp_pos (u k / T)) as P; pose proof (seq_length m 0) as L; unfold luce_at.
  rewrite (luce_same _ P m _ _ (fun s => c + 1 * sum (fun k => 1 * sum (fun l => off k l (f k l) * before l k s) m) m) L).
  - rewrite luce_plus, luce_constant, luce_sum, Rmult_1_l by assumption; f_equal; apply sum_ext; intros k K.
    rewrite luce_sum, Rmult_1_l by assumption; apply sum_ext; intros l H; unfold off.
    destruct (Nat.eqb_spec k l) as [| D]; [ring |]; f_equal; apply chance_mean; auto.
  - intros s _; rewrite Rmult_1_l; f_equal; apply sum_ext; intros k _; rewrite Rmult_1_l; apply sum_ext; intros l _.
    unfold off; destruct (k =? l)%nat; ring.
Qed.
Lemma Rabs_both x a : Rabs x <= a -> - a <= x <= a.
Proof. unfold Rabs; destruct (Rcase_abs x); lra. Qed.
(* Scores far apart in an order, and their chances. *)
Definition ranked (t : list nat) : scores := fun k => - INR (place t k).
Lemma far_apart m T t d : ranking m t -> 0 < T -> 0 < d -> exists z,
  (forall i j, (i < m)%nat -> (j < m)%nat -> z i <= z j <-> ranked t i <= ranked t j) /\
  forall l k, (l < m)%nat -> (k < m)%nat -> l <> k -> Rabs (chance T z l k - before l k t) <= d.
Proof.
  intros O HT Hd; assert (M : 0 < / d) by (apply Rinv_0_lt_compat, Hd); exists (fun k => / d * T * ranked t k); split.
  - intros i j _ _; assert (Q : 0 < / d * T) by (apply Rmult_lt_0_compat; assumption).
    split; intros H; [apply (Rmult_le_reg_l (/ d * T)); assumption | apply Rmult_le_compat_l; lra].
  - intros l k L K D; unfold chance.
    replace ((/ d * T * ranked t k - / d * T * ranked t l) / T) with (/ d * (INR (place t l) - INR (place t k))) by
      (unfold ranked; field; lra).
    assert (small : forall a, / d <= a -> / (1 + exp a) <= d).
    { intros a A; rewrite <- (Rinv_inv d); apply Rinv_le_contravar; [exact M |].
      pose proof (exp_ineq1_le a); lra. }
    unfold before; destruct (Nat.ltb_spec (place t l) (place t k)) as [C | C].
    + apply le_INR in C; rewrite S_INR in C; set (x := / d * (INR (place t l) - INR (place t k))).
      assert (X : / d <= - x) by (unfold x; nra); pose proof (small (- x) X) as B; pose proof (exp_pos x).
      replace (/ (1 + exp x) - 1) with (- / (1 + exp (- x))) by (rewrite exp_Ropp; field; split; lra).
      rewrite Rabs_Ropp, Rabs_pos_eq; [exact B | left; apply Rinv_0_lt_compat; pose proof (exp_pos (- x)); lra].
    + assert (S : (place t k < place t l)%nat).
      { destruct (Nat.eq_dec (place t k) (place t l)) as [E |]; [exfalso; apply D; symmetry | lia].
        apply (place_injective t k l); [| exact E]; apply (Permutation_in k O), in_seq; lia. }
      apply le_INR in S; rewrite S_INR in S; rewrite Rminus_0_r, Rabs_pos_eq; [apply small; nra |].
      left; apply Rinv_0_lt_compat; pose proof (exp_pos (/ d * (INR (place t l) - INR (place t k)))); lra.
Qed.

Section Mean.
Variables (n m : nat) (p : nat -> R) (T : R) (t : list nat).
Hypotheses (prob : probabilities n p) (warm : 0 < T) (order : ranking m t).

(* --- Soft pairs: f k l is what it costs to have l above k ----------------------------------------------- *)

Definition soft_pairs (f : matrix) (u : scores) := sum (fun k => sum (fun l => off k l (f k l * chance T u l k)) m) m.
Definition pair_costs (f : matrix) (s : list nat) := sum (fun k => sum (fun l => off k l (f k l * before l k s)) m) m.
Theorem soft_pairs_reached (f : nat -> matrix) : let F := fun k l => sum (fun y => p y * f y k l) n in
  (forall k l, (k < m)%nat -> (l < m)%nat -> k <> l -> 0 <= F k l) -> (forall s, ranking m s ->
    pair_costs F t <= pair_costs F s) -> reached m (fun u => u) (label_risk n p (fun y => soft_pairs (f y))) (ranked t).
Proof.
  intros F Pos Best.
  assert (E : forall u, label_risk n p (fun y => soft_pairs (f y)) u = soft_pairs F u).
  { intros u; unfold label_risk, soft_pairs; rewrite mean_sum; apply sum_ext; intros k _; rewrite mean_sum.
    apply sum_ext; intros l _; unfold off; destruct (k =? l)%nat.
    - rewrite (sum_ext _ (fun _ => 0)), sum_zero by (intros; ring); reflexivity.
    - unfold F; rewrite (Rmult_comm (sum _ n)), <- sum_scal; apply sum_ext; intros; ring. }
  assert (Low : forall u, pair_costs F t <= soft_pairs F u).
  { intros u; rewrite <- (Rplus_0_l (soft_pairs F u)); unfold soft_pairs; rewrite <- luce_pairs; apply luce_least.
    intros s O; rewrite Rplus_0_l; apply Best, O. }
  intros u e He; set (S := sum (fun k => sum (fun l => off k l (F k l)) m) m).
  assert (S0 : 0 <= S).
  { apply sum_nonneg; intros k K; apply sum_nonneg; intros l L; unfold off; destruct (Nat.eqb_spec k l); [lra | auto]. }
  assert (D : 0 < e / (1 + S)) by (apply Rdiv_lt_0_compat; lra).
  destruct (far_apart m T t _ order warm D) as (z & Z & C); exists z; split; [exact Z |]; rewrite !E.
  assert (Up : soft_pairs F z <= pair_costs F t + e / (1 + S) * S).
  { unfold soft_pairs, pair_costs; set (d := e / (1 + S)) in *; unfold S; rewrite <- sum_scal, <- sum_plus.
    apply sum_le; intros k K; rewrite <- sum_scal, <- sum_plus; apply sum_le; intros l L; unfold off.
    destruct (Nat.eqb_spec k l) as [| N]; [lra |].
    pose proof (Pos k l K L N); pose proof (C l k L K ltac:(auto)) as B; apply Rabs_both in B; nra. }
  assert (e / (1 + S) * S <= e); [| specialize (Low u); lra].
  replace e with (e / (1 + S) * (1 + S)) at 2 by (field; lra); nra.
Qed.

(* --- Approximate positions ------------------------------------------------------------------------------ *)

(* A discount of positions from 1 on: convex there (it has supporting lines), and not rising. *)
Record discount (g : R -> R) := {
  supported : forall x, 1 <= x -> exists s, forall y, 1 <= y -> g x + s * (y - x) <= g y;
  falling_g : forall x y, 1 <= x <= y -> g y <= g x }.
(* So it falls at most as steeply as at 1. *)
Lemma discount_slope g : discount g -> exists K, 0 < K /\ forall x y, 1 <= x <= y -> g x - g y <= K * (y - x).
Proof.
  intros [S F]; destruct (S 1 (Rle_refl 1)) as (s & Hs); exists (Rabs s + 1); split; [pose proof (Rabs_pos s); lra |].
  intros x y [X L]; destruct (S x X) as (u & Hu); pose proof (Hs x X); pose proof (Hu 1 (Rle_refl 1)).
  pose proof (Rle_abs (- s)) as A; rewrite Rabs_Ropp in A; destruct X as [X | <-].
  - assert (s <= u) by nra; specialize (Hu y ltac:(lra)); nra.
  - specialize (Hs y L); nra.
Qed.
Definition position (u : scores) (k : nat) := 1 + sum (fun l => off k l (chance T u l k)) m.
Definition positions (g : R -> R) (f u : scores) := - sum (fun k => f k * g (position u k)) m.
Lemma position_from_1 u k : 1 <= position u k.
Proof.
  unfold position; assert (0 <= sum (fun l => off k l (chance T u l k)) m); [| lra]; apply sum_nonneg; intros l _.
  unfold off, chance; destruct (k =? l)%nat; [lra |]; left; apply Rinv_0_lt_compat;
    pose proof (exp_pos ((u k - u l) / T)); lra.
Qed.
Lemma place_sum s k : ranking m s -> (k < m)%nat -> sum (fun l => off k l (before l k s)) m = INR (place s k) - 1.
Proof.
  intros O K; assert (N : NoDup s) by (apply (Permutation_NoDup O), seq_NoDup).
  rewrite <- (count_before k s N) by (apply (Permutation_in k O), in_seq; lia).
  rewrite <- (total_permutation _ _ _ O), total_seq; apply sum_ext; intros l L; unfold off.
  destruct (Nat.eqb_spec k l) as [-> |]; [| reflexivity]; unfold before; rewrite Nat.ltb_irrefl; reflexivity.
Qed.
Theorem positions_reached (g : R -> R) (f : nat -> scores) : discount g ->
  (forall k, (k < m)%nat -> 0 <= mean_of n p f k) -> sorts m (mean_of n p f) t ->
  reached m (fun u => u) (label_risk n p (fun y => positions g (f y))) (ranked t).
Proof.
  intros G Pos [_ So]; set (F := mean_of n p f) in *.
  assert (E : forall u, label_risk n p (fun y => positions g (f y)) u = positions g F u).
  { intros u; unfold label_risk, positions.
    rewrite <- sum_opp, (sum_ext _ (fun y => p y * sum (fun k => - (f y k * g (position u k))) m)), mean_sum
      by (intros; now rewrite sum_opp); apply sum_ext; intros k _; unfold F, mean_of.
    rewrite Rmult_comm, Ropp_mult_distr_l, <- sum_scal; apply sum_ext; intros; ring. }
  set (V := fun s => - sum (fun k => F k * g (INR (place s k))) m).
  assert (EV : forall s, ranking m s -> V s = - earned (fun i => g (INR (S i))) F s).
  { intros s O; unfold V; f_equal; apply (earned_places m (fun i => g (INR i))), O. }
  assert (Best : forall s, ranking m s -> V t <= V s).
  { intros s O; rewrite !EV by assumption; apply Ropp_le_contravar, sorting_is_optimal; [| exact So |].
    - intros i; apply (falling_g g G); rewrite !S_INR; pose proof (pos_INR i); lra.
    - apply perm_trans with (seq 0 m); [symmetry; exact order | exact O]. }
  assert (Low : forall u, V t <= positions g F u).
  { intros u; apply Rle_trans with (luce_at m T u V).
    - apply luce_least, Best.
    - set (X := fun k => position u k).
      destruct (finite_choice 0 (fun k s => forall y, 1 <= y -> g (X k) + s * (y - X k) <= g y) m) as (s & Hs).
      { intros k _; apply (supported g G), position_from_1. }
      set (c := sum (fun k => - F k * (g (X k) - s k * (X k - 1))) m); set (f' k (_ : nat) := - F k * s k).
      assert (Line : forall v, sum (fun k => - F k * (g (X k) - s k * (X k - 1)) + - F k * s k * sum (fun l => off k l (v k l)) m) m
        = c + sum (fun k => sum (fun l => off k l (f' k l * v k l)) m) m).
      { intros v; unfold c; rewrite <- sum_plus; apply sum_ext; intros k _; rewrite <- sum_scal; f_equal; apply sum_ext.
        intros l _; unfold off, f'; destruct (k =? l)%nat; ring. }
      apply Rle_trans with (luce_at m T u (fun t => c + sum (fun k => sum (fun l => off k l (f' k l * before l k t)) m) m)).
      + apply luce_mono; [intros; apply exp_pos | apply seq_length |]; intros t' O; unfold V.
        rewrite <- Line, <- sum_opp; apply sum_le; intros k K; rewrite place_sum by assumption.
        pose proof (Hs k K (INR (place t' k))) as B; pose proof (le_INR _ _ (place_positive t' k)); cbn [INR] in *.
        specialize (B ltac:(lra)); pose proof (Pos k K) as Q; fold F in Q; nra.
      + right; rewrite luce_pairs, <- Line; unfold positions; rewrite <- sum_opp; apply sum_ext; intros k _.
        fold (X k); replace (sum (fun l => off k l (chance T u l k)) m) with (X k - 1) by (unfold X, position; ring); ring. }
  intros u e He; set (S := sum F m); assert (S0 : 0 <= S) by (apply sum_nonneg; exact Pos).
  assert (D : 0 < e / (1 + S)) by (apply Rdiv_lt_0_compat; lra).
  destruct (discount_slope g G) as (K & PK & Slope); set (d := e / (1 + S) / K).
  assert (Ed : K * d = e / (1 + S)) by (unfold d; field; lra); assert (Hd : 0 < d) by (apply Rdiv_lt_0_compat; lra).
  assert (M : 0 < d / (1 + INR m)) by (apply Rdiv_lt_0_compat; [exact Hd | pose proof (pos_INR m); lra]).
  destruct (far_apart m T t _ order warm M) as (z & Z & Near); exists z; split; [exact Z |]; rewrite !E.
  assert (Up : positions g F z <= V t + e / (1 + S) * S).
  { unfold positions, V, S; rewrite <- sum_scal.
    rewrite <- !sum_opp, <- sum_plus; apply sum_le; intros k Hk; fold S; set (r := d / (1 + INR m)) in *.
    assert (Er : r * (1 + INR m) = d) by (unfold r; field; pose proof (pos_INR m); lra).
    assert (A : - d <= position z k - INR (place t k) <= d).
    { assert (B : forall l, (l < m)%nat -> - r <= off k l (chance T z l k) - off k l (before l k t) <= r).
      { intros l L; unfold off; destruct (Nat.eqb_spec k l); [lra | apply Rabs_both, Near; auto]. }
      assert (C : INR m * - r <= position z k - INR (place t k) <= INR m * r); [| lra].
      replace (position z k - INR (place t k)) with (sum (fun l => off k l (chance T z l k) - off k l (before l k t)) m)
        by (rewrite sum_minus, (place_sum t k order Hk); unfold position; ring).
      rewrite <- !sum_const; split; apply sum_le; intros; apply B; assumption. }
    pose proof (position_from_1 z k); pose proof (le_INR _ _ (place_positive t k)); cbn [INR] in *.
    pose proof (Pos k Hk) as Q; fold F in Q.
    assert (g (INR (place t k)) - g (position z k) <= e / (1 + S)); [| nra].
    destruct (Rle_lt_dec (INR (place t k)) (position z k)); [pose proof (Slope (INR (place t k)) (position z k)); nra |].
    pose proof (falling_g g G (position z k) (INR (place t k))); lra. }
  assert (e / (1 + S) * S <= e); [| specialize (Low u); lra].
  replace e with (e / (1 + S) * (1 + S)) at 2 by (field; lra); nra.
Qed.
End Mean.

(* --- Discounts: reciprocals, as 1/r of the mean reciprocal rank and 1/log2(1+r) of NDCG ----------------- *)

Lemma reciprocal_discount (h : R -> R) a c : 0 < a -> 0 < c -> (forall x, 1 <= x -> c <= h x) ->
  (forall x, 1 <= x -> exists s, 0 <= s <= 1 /\ forall y, 1 <= y -> h y <= h x + s * (y - x)) ->
    discount (fun x => a / h x).
Proof.
  intros A C B Concave; assert (Lip : forall x y, 1 <= x -> 1 <= y -> x <= y -> h x <= h y <= h x + (y - x)).
  { intros x y X Y L; destruct (Concave x X) as (s & S & H), (Concave y Y) as (s' & S' & H').
    specialize (H y Y); specialize (H' x X); split; nra. }
  assert (gap : forall x y, 1 <= x -> 1 <= y -> a / h y - a / h x = a * (h x - h y) * (/ h x * / h y)).
  { intros x y X Y; pose proof (B x X); pose proof (B y Y); field; lra. }
  split.
  - intros x X; destruct (Concave x X) as (s & S & H); exists (- a * s * (/ h x * / h x)); intros y Y.
    specialize (H y Y); pose proof (B x X) as Bx; pose proof (B y Y) as By; pose proof (gap x y X Y) as E.
    assert (Px : 0 < / h x) by (apply Rinv_0_lt_compat; lra); assert (Py : 0 < / h y) by (apply Rinv_0_lt_compat; lra).
    assert (K : / h x * / h x * (h x - h y) <= / h x * / h y * (h x - h y)).
    { assert (Z : 0 <= (h x - h y) * (/ h y - / h x)).
      { replace (/ h y - / h x) with ((h x - h y) * (/ h x * / h y)) by (field; lra).
        rewrite <- Rmult_assoc; apply Rmult_le_pos; [apply Rle_0_sqr | apply Rmult_le_pos; lra]. }
      nra. }
    assert (Q : - (s * (y - x)) * (/ h x * / h x) <= (h x - h y) * (/ h x * / h x)).
    { apply Rmult_le_compat_r; [apply Rmult_le_pos; lra | lra]. }
    assert (- a * s * (/ h x * / h x) * (y - x) <= a * (h x - h y) * (/ h x * / h y)); [| lra].
    replace (- a * s * (/ h x * / h x) * (y - x)) with (a * (- (s * (y - x)) * (/ h x * / h x))) by ring.
    replace (a * (h x - h y) * (/ h x * / h y)) with (a * (/ h x * / h y * (h x - h y))) by ring.
    apply Rmult_le_compat_l; lra.
  - intros x y [X L]; pose proof (Lip x y X ltac:(lra) L); pose proof (B x X); unfold Rdiv.
    apply Rmult_le_compat_l; [lra | apply Rinv_le_contravar; lra].
Qed.
Lemma reciprocal_rank : discount (fun r => 1 / r).
Proof.
  apply (reciprocal_discount (fun r => r) 1 1); try lra; [intros; assumption |]; intros x X; exists 1; split; [lra |].
  intros; lra.
Qed.
Lemma logarithmic_discount : discount (fun r => ln 2 / ln (1 + r)).
Proof.
  assert (P : 0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra).
  apply (reciprocal_discount (fun r => ln (1 + r)) (ln 2) (ln 2)); auto.
  - intros x [X | <-]; [left; apply ln_increasing; lra | right; f_equal; lra].
  - intros x X; exists (/ (1 + x)); split.
    + split; [left; apply Rinv_0_lt_compat; lra | rewrite <- Rinv_1; apply Rinv_le_contravar; lra].
    + intros y Y; pose proof (ln_below ((1 + y) / (1 + x))) as B; unfold Rdiv in B.
      rewrite ln_mult, ln_Rinv in B by (try apply Rinv_0_lt_compat; lra).
      assert (Q : 0 < (1 + y) * / (1 + x)) by (apply Rmult_lt_0_compat; [lra | apply Rinv_0_lt_compat; lra]).
      specialize (B Q); replace (/ (1 + x) * (y - x)) with ((1 + y) * / (1 + x) - 1) by (field; lra); lra.
Qed.
