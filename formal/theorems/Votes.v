(* Labels that give additive differences, or not: scores of the items (DMJ10 section 3.1), approval ballots, and
   Bradley-Terry-Luce models. A label is a matrix, with the weight of i before j. *)
From ConsistencyLab.base Require Import Prelude Sums Ranking Orders Calibration Convex Descent Aggregate.
From ConsistencyLab.theorems Require Import Theorems11and12 Domination Disagreement.
Open Scope R_scope.

Notation averaged p f := (fun i j => mean p (fun y => f y i j)) (only parsing).
(* --- DMJ10 section 3.1 ------------------------------------------------------------------------------------- *)

Definition margins (y : scores) : matrix := fun i j => Rmax (y i - y j) 0.
Theorem scores_additive p i j :
  difference (averaged p margins) i j = mean p (fun y : scores => y i) - mean p (fun y => y j).
Proof.
  unfold difference; rewrite <- !mean_minus; apply mean_ext; intros y; unfold margins.
  destruct (Rle_lt_dec (y j) (y i)); [rewrite Rmax_left, Rmax_right by lra | rewrite Rmax_right, Rmax_left by lra]; ring.
Qed.
Theorem scores_low_noise m p : low_noise m (averaged p margins).
Proof. apply additive_low_noise; exists (fun i => mean p (fun y => y i)); intros i j _ _; apply scores_additive. Qed.
(* An order of three items, with the weight w of the items at distance two and 1 of those at distance one. *)
Definition by_distance (w : R) (l : list nat) : matrix := fun i j =>
  if (S (place l i) =? place l j)%nat then 1 else if (S (S (place l i)) =? place l j)%nat then w else 0.
Theorem no_weight_of_distance w : exists q, 1/2 < q <= 1 /\
  let p := [(q, by_distance w [0; 1; 2]%nat); (1 - q, by_distance w [1; 2; 0]%nat)] in
  ~ (low_noise 3%nat (means p) /\ best (disagreement 3) (ranking 3) p [0; 1; 2]%nat).
Proof.
  assert (H : forall q, 1/2 < q < 1 -> let p := [(q, by_distance w [0; 1; 2]%nat); (1 - q, by_distance w [1; 2; 0]%nat)] in
    low_noise 3%nat (means p) /\ best (disagreement 3) (ranking 3) p [0; 1; 2]%nat ->
    w * (1 - q) <= q /\ (w * (1 - q) < q -> 2 <= w)).
  { intros q Hq p [LN [_ B]]; specialize (B [1; 0; 2]%nat ltac:(apply perm_swap)); rewrite !expected_disagreement in B.
    unfold p, disagreement, means, mean, by_distance in B; cbn in B; split; [lra |]; intros L.
    specialize (LN 0%nat 1%nat 2%nat ltac:(lia) ltac:(lia) ltac:(lia)).
    unfold difference, p, means, mean, by_distance in LN; cbn in LN; lra. }
  destruct (Req_dec w (3/2)) as [-> | N].
  - exists (11/20); split; [lra |]; intros p K; destruct (H (11/20) ltac:(lra) K); lra.
  - exists (3/5); split; [lra |]; intros p K; destruct (H (3/5) ltac:(lra) K) as [K1 K2].
    assert (w < 3/2) by lra; specialize (K2 ltac:(lra)); lra.
Qed.

(* --- Approval ballots ------------------------------------------------------------------------------------- *)

(* A ballot that approves the items of a set prefers each of them to each other one. *)
Definition ballot (S : nat -> bool) : matrix := fun i j => if (S i && negb (S j))%bool then 1 else 0.
Definition approves (i : nat) (S : nat -> bool) : R := if S i then 1 else 0.
Theorem approval_additive p i j : difference (averaged p ballot) i j = mean p (approves i) - mean p (approves j).
Proof.
  unfold difference; rewrite <- !mean_minus; apply mean_ext; intros S; unfold ballot, approves; destruct (S i), (S j);
    cbn; ring.
Qed.
(* Items may be approved with any chances. *)
Lemma approval_chances m y : (forall i, (i < m)%nat -> 0 <= y i <= 1) ->
  exists p, is_law p /\ forall i, (i < m)%nat -> mean p (approves i) = y i.
Proof.
  induction m as [| m IH]; intros H; [exists [(1, fun _ => true)]; split; [split; [repeat constructor; cbn; lra | cbn; lra] |
    intros; lia] |].
  destruct IH as (p & [Pos One] & M); [intros; apply H; lia |]; pose proof (H m ltac:(lia)) as Hm.
  set (put := fun (S : nat -> bool) b k => if (k =? m)%nat then b else S k).
  exists (flat_map (fun q => [(fst q * y m, put (snd q) true); (fst q * (1 - y m), put (snd q) false)]) p).
  split; [split |]; [| transitivity (total fst p); [rewrite total_flat_map; apply total_ext, Forall_forall; intros; cbn; ring | exact One] |].
  - apply Forall_flat_map; eapply Forall_impl; [| exact Pos]; intros q Q; cbn beta in Q.
    constructor; [| constructor; [| constructor]]; cbn; apply Rmult_le_pos; lra.
  - intros i Hi; unfold mean; rewrite total_flat_map; cbn [total fst snd]; destruct (Nat.eq_dec i m) as [-> | N].
    + transitivity (total (fun q => y m * fst q) p); [| rewrite total_scal, One; ring].
      apply total_ext, Forall_forall; intros q _; unfold approves, put; rewrite Nat.eqb_refl; ring.
    + rewrite <- (M i) by lia; apply total_ext, Forall_forall; intros q _; unfold approves, put.
      destruct (Nat.eqb_spec i m); [contradiction | ring].
Qed.
Theorem approval_all m (y : scores) : (forall i j, (i < m)%nat -> (j < m)%nat -> Rabs (y i - y j) <= 1) ->
  exists p, is_law p /\ forall i j, (i < m)%nat -> (j < m)%nat -> difference (averaged p ballot) i j = y i - y j.
Proof.
  intros H; destruct m as [| m]; [exists [(1, fun _ => true)]; split; [split; [repeat constructor; cbn; lra | cbn; lra] |
    intros; lia] |].
  destruct (top_item (fun i => - y i) (S m) ltac:(lia)) as (t & Ht & T).
  destruct (approval_chances (S m) (fun i => y i - y t)) as (p & law & M).
  - intros i Hi; specialize (T i Hi); pose proof (Rle_abs (y i - y t)); specialize (H i t Hi Ht); lra.
  - exists p; split; [exact law |]; intros i j Hi Hj; rewrite approval_additive, !M by assumption; ring.
Qed.

(* --- Bradley-Terry-Luce labels ------------------------------------------------------------------------------ *)

Section Grades.
Variables (m : nat) (s : scores) (a : matrix).
Hypothesis grades : forall i, (i < m)%nat -> 0 < s i.
Hypothesis luce : forall i j, (i < m)%nat -> (j < m)%nat -> i <> j -> a i j = s i / (s i + s j).
Lemma btl_share i j : (i < m)%nat -> (j < m)%nat -> difference a i j = (s i - s j) / (s i + s j).
Proof.
  intros Hi Hj; pose proof (grades i Hi); pose proof (grades j Hj); unfold difference.
  destruct (Nat.eq_dec i j) as [-> | N]; [field; lra | rewrite !luce by auto; field; lra].
Qed.
Theorem btl_tanh i j : (i < m)%nat -> (j < m)%nat -> difference a i j = tanh ((ln (s i) - ln (s j)) / 2).
Proof.
  intros Hi Hj; rewrite btl_share by assumption; pose proof (grades i Hi); pose proof (grades j Hj).
  unfold tanh, sinh, cosh; set (x := (ln (s i) - ln (s j)) / 2); pose proof (exp_pos x).
  assert (E : exp x * exp x * s j = s i).
  { rewrite <- exp_plus; replace (x + x) with (ln (s i) + - ln (s j)) by (unfold x; field).
    rewrite exp_plus, exp_Ropp, !exp_ln by assumption; field; lra. }
  rewrite exp_Ropp, <- E; field; repeat split; nra.
Qed.
Lemma btl_positive i j : (i < m)%nat -> (j < m)%nat -> 0 < difference a i j <-> s j < s i.
Proof.
  intros Hi Hj; rewrite btl_share by assumption; pose proof (grades i Hi); pose proof (grades j Hj); split; intros H1.
  - apply (Rmult_lt_compat_r (s i + s j)) in H1; [| lra]; unfold Rdiv in H1; rewrite Rmult_assoc, Rinv_l in H1; lra.
  - apply Rdiv_lt_0_compat; lra.
Qed.
Theorem btl_triangle i j k : (i < m)%nat -> (j < m)%nat -> (k < m)%nat -> s k < s j < s i ->
  difference a i j + difference a j k - difference a i k = difference a i j * difference a j k * difference a i k /\
  0 < difference a i j * difference a j k * difference a i k.
Proof.
  intros Hi Hj Hk H; split; [| repeat apply Rmult_lt_0_compat; apply btl_positive; lra || assumption].
  pose proof (grades i Hi); pose proof (grades j Hj); pose proof (grades k Hk).
  rewrite !btl_share by assumption; field; lra.
Qed.
Theorem btl_low_noise : low_noise m a <-> ~ exists i j k, (i < m)%nat /\ (j < m)%nat /\ (k < m)%nat /\ s k < s j < s i.
Proof.
  split.
  - intros LN (i & j & k & Hi & Hj & Hk & H); destruct (btl_triangle i j k Hi Hj Hk H) as [E P].
    pose proof (LN i j k Hi Hj Hk); rewrite !btl_positive in * by assumption; lra.
  - intros N i j k Hi Hj Hk Dij Djk; apply btl_positive in Dij, Djk; try assumption.
    destruct N; exists i, j, k; repeat split; assumption.
Qed.
(* But net preferences are in order. *)
Theorem btl_net_order : net_order m a.
Proof.
  intros i k Hi Hk P; apply btl_positive in P; try assumption; pose proof (grades i Hi); pose proof (grades k Hk).
  assert (D : forall j, (j < m)%nat -> difference a k j < difference a i j).
  { intros j Hj; pose proof (grades j Hj); rewrite !btl_share by assumption.
    assert (0 < (s i - s j) / (s i + s j) - (s k - s j) / (s k + s j)); [| lra].
    replace (_ - _) with (2 * s j * (s i - s k) / ((s i + s j) * (s k + s j))) by (field; lra).
    apply Rdiv_lt_0_compat; repeat apply Rmult_lt_0_compat; lra. }
  apply sum_lt with i; [assumption | intros j Hj; left |]; apply D; assumption.
Qed.
End Grades.
