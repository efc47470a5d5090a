(* From distributions to their aggregates: the risk of an edge loss and the target loss as sums over pairs of items;
   DMJ10 Lemma 16; what refutes and what proves edge-consistency at p; and a distribution for given counts. *)
From Coq Require Import Bool.
From ConsistencyLab.base Require Import Prelude Sums Ranking Descent.
Open Scope R_scope.

Notation diff p := (difference (aggregate p)) (only parsing).
(* All graphs of p are on the items below m. *)
Definition well_formed_all (m : nat) (p : distribution) := Forall (fun q => well_formed m (snd q)) p.
Lemma distribution_well_formed m p : is_distribution m p -> well_formed_all m p.
Proof. intros [H _]; eapply Forall_impl; [| exact H]; cbn; tauto. Qed.

(* A mean over the edges of the graphs is a sum over pairs, weighted by the aggregate. *)
Lemma by_pairs m p (F : nat -> nat -> R) : well_formed_all m p -> total (fun q => fst q * total (fun e =>
  wt e * F (src e) (dst e)) (snd q)) p = sum (fun i => sum (fun j => aggregate p i j * F i j) m) m.
Proof.
  intros WF.
  transitivity (total (fun q => sum (fun i => sum (fun j => fst q * total (ind i j) (snd q) * F i j) m) m) p).
  - apply total_ext; eapply Forall_impl; [| exact WF]; intros [w G] HG; cbn [fst snd] in *.
    transitivity (w * total (fun e => sum (fun i => sum (fun j => ind i j e * F i j) m) m) G).
    + f_equal; apply total_ext; eapply Forall_impl; [| exact HG]; intros e (Hs & Hd & _).
      rewrite <- (sum_delta (fun i => wt e * F i (dst e)) m (src e) Hs); apply sum_ext; intros i Hi; unfold ind.
      rewrite (Nat.eqb_sym (src e) i); destruct (i =? src e)%nat; cbn [andb].
      * rewrite <- (sum_delta (fun j => wt e * F i j) m (dst e) Hd); apply sum_ext; intros j Hj.
        rewrite (Nat.eqb_sym (dst e) j); destruct (j =? dst e)%nat; ring.
      * symmetry; transitivity (sum (fun _ => 0) m); [apply sum_ext; intros; ring | apply sum_zero].
    + rewrite total_sum, <- sum_scal; apply sum_ext; intros i Hi; rewrite total_sum, <- sum_scal; apply sum_ext;
        intros j Hj.
      rewrite Rmult_assoc; f_equal; rewrite (Rmult_comm _ (F i j)), <- total_scal; apply total_ext, Forall_forall;
        intros; ring.
  - rewrite total_sum; apply sum_ext; intros i Hi; rewrite total_sum; apply sum_ext; intros j Hj.
    unfold aggregate, mean; rewrite (Rmult_comm _ (F i j)), <- total_scal; apply total_ext, Forall_forall; intros;
      apply Rmult_comm.
Qed.
Lemma edge_loss_risk m p phi alpha : well_formed_all m p ->
  edge_loss identity phi m p alpha = risk m (aggregate p) phi alpha.
Proof. intros H; exact (by_pairs m p (fun i j => phi (alpha i - alpha j)) H). Qed.

(* Eq. 7 for a pair: 1 if the scores are wrong about i before j, else 0. *)
Definition wrong (alpha : scores) (i j : nat) : R :=
  if (i <? j)%nat then if Rle_dec (alpha i) (alpha j) then 1 else 0 else if Rlt_dec (alpha i) (alpha j) then 1 else 0.
Lemma loss_pairs m p alpha : well_formed_all m p ->
  loss p alpha = sum (fun i => sum (fun j => aggregate p i j * wrong alpha i j) m) m.
Proof.
  intros H; rewrite <- (by_pairs m p (wrong alpha) H); unfold loss; apply total_ext, Forall_forall; intros q _; f_equal.
  apply total_ext, Forall_forall; intros e _; unfold miss, wrong; destruct (_ <? _)%nat;
    [destruct (Rle_dec _ _) | destruct (Rlt_dec _ _)]; ring.
Qed.
Lemma wrong_01 alpha i j : wrong alpha i j = 0 \/ wrong alpha i j = 1.
Proof. unfold wrong; destruct (_ <? _)%nat; [destruct (Rle_dec _ _) | destruct (Rlt_dec _ _)]; auto. Qed.
Lemma wrong_sym alpha i j : i <> j -> wrong alpha j i = 1 - wrong alpha i j.
Proof.
  intros H; unfold wrong; destruct (Nat.ltb_spec i j), (Nat.ltb_spec j i); try lia;
  repeat (match goal with |- context [Rle_dec ?a ?b] => destruct (Rle_dec a b) | |- context [Rlt_dec ?a ?b] =>
    destruct (Rlt_dec a b) end); lra.
Qed.
Lemma wrong_1 alpha i j : wrong alpha i j = 1 -> alpha i <= alpha j.
Proof. unfold wrong; destruct (_ <? _)%nat; [destruct (Rle_dec _ _) | destruct (Rlt_dec _ _)]; lra. Qed.
Lemma right_above alpha i j : alpha j < alpha i -> wrong alpha i j = 0.
Proof. intros; unfold wrong; destruct (_ <? _)%nat; [destruct (Rle_dec _ _) | destruct (Rlt_dec _ _)]; lra. Qed.
Lemma right_weakly alpha i j : wrong alpha i j = 0 -> alpha j <= alpha i.
Proof. unfold wrong; destruct (_ <? _)%nat; [destruct (Rle_dec _ _) | destruct (Rlt_dec _ _)]; lra. Qed.
Lemma right_strictly alpha i j : (i < j)%nat -> wrong alpha i j = 0 -> alpha j < alpha i.
Proof. intros L; unfold wrong; destruct (Nat.ltb_spec i j); [destruct (Rle_dec _ _); lra | lia]. Qed.

(* The scores are right about every edge of the difference graph. *)
Definition respects m (a : matrix) alpha :=
  forall i j, (i < m)%nat -> (j < m)%nat -> 0 < difference a i j -> wrong alpha i j = 0.
Section Lemma16.
Variables (m : nat) (p : distribution).
Hypothesis WF : well_formed_all m p.
Lemma loss_difference alpha beta : loss p alpha - loss p beta =
  sum (fun i => sum (fun j => / 2 * (diff p i j * (wrong alpha i j - wrong beta i j))) m) m.
Proof.
  rewrite !(loss_pairs m) by assumption; set (z i j := wrong alpha i j - wrong beta i j).
  assert (Z : forall i j, z i j = - z j i).
  { intros i j; unfold z; destruct (Nat.eq_dec i j) as [-> | N];
      [| rewrite (wrong_sym alpha i j N), (wrong_sym beta i j N); ring].
    unfold wrong; rewrite Nat.ltb_irrefl; destruct (Rlt_dec (alpha j) (alpha j)), (Rlt_dec (beta j) (beta j)); lra. }
  set (S := sum (fun i => sum (fun j => aggregate p i j * z i j) m) m); transitivity (/ 2 * (S + S)).
  - transitivity S; [| field]; unfold S, z; rewrite <- sum_minus; apply sum_ext; intros i _; rewrite <- sum_minus.
    apply sum_ext; intros; ring.
  - unfold S at 2; rewrite sum_swap; unfold S; rewrite <- sum_plus, <- sum_scal; apply sum_ext; intros i _.
    rewrite <- sum_plus, <- sum_scal; apply sum_ext; intros j _; fold (z i j); rewrite (Z j i); unfold difference; ring.
Qed.
Lemma term_nonneg alpha beta i j : (i < m)%nat -> (j < m)%nat ->
  respects m (aggregate p) beta -> 0 <= diff p i j * (wrong alpha i j - wrong beta i j).
Proof.
  intros Hi Hj R; destruct (Rlt_le_dec 0 (diff p i j)) as [P | P].
  - rewrite (R i j) by assumption; destruct (wrong_01 alpha i j) as [-> | ->]; lra.
  - destruct P as [P | ->]; [| lra]; assert (0 < diff p j i) by (unfold difference in *; lra).
    assert (N : j <> i) by (intros ->; unfold difference in *; lra).
    rewrite (wrong_sym beta j i N), (R j i) by assumption; destruct (wrong_01 alpha i j) as [-> | ->]; nra.
Qed.

Lemma optimal_ordered (good : scores) : ordered_by good m (aggregate p) ->
  forall alpha, A p alpha <-> respects m (aggregate p) alpha.
Proof.
  intros acyc alpha; split.
  - intros HA i j Hi Hj P.
    assert (R : respects m (aggregate p) good) by (intros x y Hx Hy Hd; apply right_above, acyc; assumption).
    destruct (wrong_01 alpha i j) as [| E]; [assumption | exfalso].
    specialize (HA good); pose proof (loss_difference alpha good) as L.
    assert (0 < sum (fun i => sum (fun j => / 2 * (diff p i j * (wrong alpha i j - wrong good i j))) m) m); [| lra].
    apply Rle_lt_trans with (sum (fun i => sum (fun _ => 0) m) m).
    + rewrite (sum_ext _ (fun _ => 0)) by (intros; apply sum_zero); rewrite sum_zero; lra.
    + apply sum_lt with i; [assumption | |].
      * intros k Hk; apply sum_le; intros l Hl; pose proof (term_nonneg alpha good k l Hk Hl R); lra.
      * apply sum_lt with j; [assumption | |].
        -- intros l Hl; pose proof (term_nonneg alpha good i l Hi Hl R); lra.
        -- rewrite E, (R i j) by assumption; lra.
  - intros R gam; pose proof (loss_difference gam alpha) as L.
    assert (0 <= sum (fun i => sum (fun j => / 2 * (diff p i j * (wrong gam i j - wrong alpha i j))) m) m); [| lra].
    apply sum_nonneg; intros; apply sum_nonneg; intros;
      pose proof (term_nonneg gam alpha k k0 ltac:(assumption) ltac:(assumption) R); lra.
Qed.
End Lemma16.
(* DMJ10 Lemma 16: if the difference graph has no cycle, A(p) is the set of scores that are right about its edges. *)
Theorem lemma_16 m p : is_distribution m p -> acyclic_differences m (aggregate p) ->
  forall alpha, A p alpha <-> respects m (aggregate p) alpha.
Proof. intros HD (good & G); apply (optimal_ordered m p (distribution_well_formed m p HD) good G). Qed.

Lemma aggregate_nonneg m p i j : is_distribution m p -> 0 <= aggregate p i j.
Proof.
  intros [H _]; apply total_nonneg; eapply Forall_impl; [| exact H]; intros [w G] (Hw & HG & _); cbn [fst snd] in *.
  apply Rmult_le_pos; [lra |]; apply total_nonneg; eapply Forall_impl; [| exact HG]; intros e (_ & _ & He); unfold ind.
  destruct (_ && _)%bool; lra.
Qed.

(* A graph of one edge, and its chance. *)
Lemma one_edge m w i j a : 0 < w -> (i < m)%nat -> (j < m)%nat -> i <> j -> 0 < a ->
  0 < w /\ well_formed m [Edge i j a] /\ acyclic [Edge i j a] /\ simple [Edge i j a].
Proof.
  intros W Hi Hj N A; split; [exact W | split; [repeat constructor; assumption |]].
  split; [exists (fun k => if (k =? i)%nat then 0 else 1)%nat | repeat constructor; intros []].
  constructor; [| constructor]; cbn; rewrite Nat.eqb_refl; destruct (Nat.eqb_spec j i); lia.
Qed.
(* A distribution with given aggregate a_ij: graphs of one edge or none, all of them equally likely. *)
Definition of_matrix (m : nat) (a : matrix) : distribution := let q := / (INR (m * m) + 1) in (q, []) ::
  flat_map (fun i => map (fun j => (q, if (i =? j)%nat then [] else if Rlt_dec 0 (a i j) then [Edge i j (a i j / q)] else []))
    (seq 0 m)) (seq 0 m).
Lemma of_matrix_distribution m a : is_distribution m (of_matrix m a).
Proof.
  pose proof (pos_INR (m * m)); assert (Q : 0 < / (INR (m * m) + 1)) by (apply Rinv_0_lt_compat; lra).
  unfold of_matrix; set (q := / (INR (m * m) + 1)) in *; split.
  - assert (Nil : 0 < q /\ well_formed m [] /\ acyclic [] /\ simple [])
      by (split; [exact Q | split; [| split; [exists (fun i => i) |]]]; constructor).
    constructor; [exact Nil | apply Forall_forall; intros e He].
    apply in_flat_map in He; destruct He as (i & Hi & He); apply in_map_iff in He; destruct He as (j & <- & Hj).
    apply in_seq in Hi; apply in_seq in Hj; destruct (Nat.eqb_spec i j), (Rlt_dec 0 (a i j)); try exact Nil.
    apply one_edge; try lia; [exact Q | apply Rdiv_lt_0_compat; assumption].
  - cbn [total fst]; rewrite total_flat_map, total_seq, (sum_ext _ (fun _ => INR m * q)), sum_const.
    + rewrite <- Rmult_assoc, <- mult_INR; unfold q; field; lra.
    + intros i _; rewrite total_map, total_seq; cbn [fst]; apply sum_const.
Qed.
Lemma aggregate_of_matrix m a i j : (i < m)%nat -> (j < m)%nat -> 0 <= a i j -> (i = j -> a i j = 0) ->
  aggregate (of_matrix m a) i j = a i j.
Proof.
  intros Hi Hj Ha Hd; pose proof (pos_INR (m * m)); unfold aggregate, mean, of_matrix; set (q := / (INR (m * m) + 1)).
  cbn [total fst snd]; rewrite total_flat_map, total_seq, Rmult_0_r, Rplus_0_l, <- (sum_delta (fun k => a k j) m i Hi).
  apply sum_ext; intros k _; rewrite total_map, total_seq; cbn [fst snd].
  transitivity (sum (fun l => if (l =? j)%nat then if (k =? i)%nat then a k j else 0 else 0) m);
    [| rewrite (sum_delta (fun _ => if (k =? i)%nat then a k j else 0) m j Hj); reflexivity].
  apply sum_ext; intros l _; destruct (Nat.eqb_spec k l) as [-> | N].
  - rewrite Rmult_0_r; destruct (Nat.eqb_spec l j) as [-> |], (Nat.eqb_spec j i) as [-> |]; symmetry; auto.
  - destruct (Rlt_dec 0 (a k l)) as [P | P]; cbn; unfold ind; cbn [src dst wt];
      destruct (Nat.eqb_spec k i) as [-> |], (Nat.eqb_spec l j) as [-> |]; cbn; unfold q; lra || field; lra.
Qed.
