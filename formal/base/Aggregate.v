(* From distributions to their aggregates: the risk of an edge loss and the target loss as sums over pairs of items;
   DMJ10 Lemma 16; what refutes and what proves edge-consistency at p; and a distribution for given counts. *)
From Coq Require Import ZArith Bool.
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
  rewrite !(loss_pairs m) by assumption.
  set (z := fun i j => wrong alpha i j - wrong beta i j).
  transitivity (sum (fun i => sum (fun j => aggregate p i j * z i j) m) m).
  { rewrite <- sum_minus; apply sum_ext; intros; rewrite <- sum_minus; apply sum_ext; intros; unfold z; ring. }
  assert (Z : forall i j, z i j = - z j i).
  { intros i j; unfold z; destruct (Nat.eq_dec i j) as [-> | N];
      [| rewrite (wrong_sym alpha i j N), (wrong_sym beta i j N); ring].
    unfold wrong; rewrite Nat.ltb_irrefl; destruct (Rlt_dec (alpha j) (alpha j)), (Rlt_dec (beta j) (beta j)); lra. }
  assert (E : sum (fun i => sum (fun j => aggregate p i j * z i j) m) m = - sum (fun i => sum (fun j => aggregate p j
    i * z i j) m) m).
  { rewrite sum_swap; transitivity (sum (fun j => -1 * sum (fun i => aggregate p i j * z j i) m) m).
    - apply sum_ext; intros; rewrite <- sum_scal; apply sum_ext; intros i Hi; rewrite (Z i); ring.
    - rewrite sum_scal; ring. }
  transitivity (/ 2 * (sum (fun i => sum (fun j => aggregate p i j * z i j) m) m - sum (fun i => sum (fun j =>
    aggregate p j i * z i j) m) m)); [lra |].
  rewrite <- sum_minus, <- sum_scal; apply sum_ext; intros; rewrite <- sum_minus, <- sum_scal; apply sum_ext; intros;
    unfold difference; fold (z k k0); ring.
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

(* A distribution with given aggregate a_ij: two graphs of probability 1/2, the edges along the numbers of the items and
   those against them, with weights 2 a_ij. *)
Definition edges (m : nat) (a : matrix) (up : bool) : graph := flat_map (fun i => flat_map (fun j =>
    if (if up then i <? j else j <? i)%nat then if Rlt_dec 0 (a i j) then [Edge i j (2 * a i j)] else [] else [])
    (seq 0 m)) (seq 0 m).
Definition of_matrix (m : nat) (a : matrix) : distribution := [(1/2, edges m a true); (1/2, edges m a false)].
Lemma edges_in m a up e : In e (edges m a up) ->
  (src e < m)%nat /\ (dst e < m)%nat /\ 0 < wt e /\ (if up then src e < dst e else dst e < src e)%nat.
Proof.
  unfold edges; rewrite in_flat_map; intros (i & Hi & H); rewrite in_flat_map in H; destruct H as (j & Hj & H).
  apply in_seq in Hi; apply in_seq in Hj.
  destruct (if up then i <? j else j <? i)%nat eqn:E; [| destruct H].
  destruct (Rlt_dec 0 (a i j)) as [P |]; [| destruct H].
  destruct H as [<- | []]; cbn [src dst wt]; repeat split; [lia | lia | lra |].
  destruct up; apply Nat.ltb_lt; exact E.
Qed.
(* No key comes twice in lists joined, if none does in each, and no two of them share one. *)
Lemma keys_once {A B C} (key : B -> C) (f : A -> list B) l : NoDup l -> (forall x, NoDup (map key (f x))) ->
  (forall x y b c, In b (f x) -> In c (f y) -> key b = key c -> x = y) -> NoDup (map key (flat_map f l)).
Proof.
  intros D Each Apart; induction D as [| x l N D IH]; cbn; [constructor |]; rewrite map_app.
  assert (K : forall b, In b (f x) -> ~ In (key b) (map key (flat_map f l))).
  { intros b Hb I; apply in_map_iff in I; destruct I as (c & E & I); apply in_flat_map in I.
    destruct I as (y & Hy & Hc).
    apply N; rewrite (Apart x y b c Hb Hc (eq_sym E)); exact Hy. }
  specialize (Each x); revert Each K; generalize (f x) as k; induction k as [| b k IK]; cbn; intros Each K;
    [exact IH |].
  inversion Each; subst; constructor; [| apply IK; auto].
  intros I; apply in_app_or in I; destruct I; [auto | exact (K b (or_introl eq_refl) ltac:(assumption))].
Qed.
Lemma edges_simple m a up : simple (edges m a up).
Proof.
  apply keys_once; [apply seq_NoDup | intros i; apply keys_once; [apply seq_NoDup | intros j |] |].
  - destruct (if up then _ else _), (Rlt_dec 0 (a i j)); repeat constructor; intros [].
  - intros j k b c; destruct (if up then (i <? j)%nat else _), (if up then (i <? k)%nat else _), (Rlt_dec 0 (a i j)),
      (Rlt_dec 0 (a i k)); cbn; intros Hb Hc; try tauto; destruct Hb as [<- | []], Hc as [<- | []]; cbn; congruence.
  - intros i j b c; rewrite !in_flat_map; intros (k & _ & Hb) (l & _ & Hc); revert Hb Hc.
    destruct (if up then (i <? k)%nat else _), (if up then (j <? l)%nat else _), (Rlt_dec 0 (a i k)),
      (Rlt_dec 0 (a j l)); cbn; intros Hb Hc; try tauto; destruct Hb as [<- | []], Hc as [<- | []]; cbn; congruence.
Qed.
Lemma of_matrix_distribution m a : is_distribution m (of_matrix m a).
Proof.
  split; [| cbn; lra].
  repeat apply Forall_cons; try apply Forall_nil; cbn [fst snd];
    (split; [lra | split; [| split; [| apply edges_simple]]]).
  1, 3: apply Forall_forall; intros e He; apply edges_in in He; tauto.
  - exists (fun i => i); apply Forall_forall; intros e He; apply edges_in in He; tauto.
  - exists (fun i => m - i)%nat; apply Forall_forall; intros e He; apply edges_in in He; lia.
Qed.
Lemma edges_total m a up i j : (i < m)%nat -> (j < m)%nat -> 0 <= a i j ->
  total (ind i j) (edges m a up) = if (if up then i <? j else j <? i)%nat then 2 * a i j else 0.
Proof.
  intros Hi Hj Ha; unfold edges; rewrite total_flat_map, total_seq.
  set (val := fun i j => if (if up then i <? j else j <? i)%nat then if Rlt_dec 0 (a i j) then 2 * a i j else 0 else 0).
  transitivity (val i j); [| unfold val; destruct (Rlt_dec 0 (a i j)); [| replace (a i j) with 0 by lra];
    destruct (if up then _ else _); ring].
  rewrite <- (sum_delta (fun k => val k j) m i Hi); apply sum_ext; intros k Hk.
  rewrite total_flat_map, total_seq; destruct (Nat.eqb_spec k i) as [-> | N].
  - rewrite <- (sum_delta (fun l => val i l) m j Hj); apply sum_ext; intros l Hl; unfold val.
    destruct (if up then _ else _); [destruct (Rlt_dec 0 (a i l)) |]; cbn; unfold ind; cbn [src dst wt];
      rewrite ?Nat.eqb_refl; cbn [andb]; destruct (l =? j)%nat; ring.
  - transitivity (sum (fun _ => 0) m); [| apply sum_zero]; apply sum_ext; intros l Hl.
    destruct (if up then _ else _); [destruct (Rlt_dec 0 (a k l)) |]; cbn; unfold ind; cbn [src dst wt];
      try reflexivity.
    destruct (Nat.eqb_spec k i); [contradiction | cbn; ring].
Qed.
Lemma aggregate_of_matrix m a i j : (i < m)%nat -> (j < m)%nat -> 0 <= a i j -> (i = j -> a i j = 0) ->
  aggregate (of_matrix m a) i j = a i j.
Proof.
  intros Hi Hj Ha Hd; change (aggregate (of_matrix m a) i j) with (total (fun q => fst q * total (ind i j) (snd q))
    (of_matrix m a)).
  unfold of_matrix; cbn [total fst snd]; rewrite !edges_total by assumption.
  destruct (Nat.ltb_spec i j), (Nat.ltb_spec j i); try lia; try lra; rewrite Hd by lia; lra.
Qed.
(* The same for whole-number counts. *)
Definition of_counts (m : nat) (c : nat -> nat -> Z) : distribution := of_matrix m (fun i j => IZR (c i j)).
Lemma of_counts_distribution m c : is_distribution m (of_counts m c).
Proof. apply of_matrix_distribution. Qed.
Lemma aggregate_of_counts m c i j : (i < m)%nat -> (j < m)%nat -> (0 <= c i j)%Z -> (i = j -> c i j = 0%Z) ->
  aggregate (of_counts m c) i j = IZR (c i j).
Proof.
  intros Hi Hj Hc Hd; apply (aggregate_of_matrix m (fun i j => IZR (c i j))); auto; [apply (IZR_le 0), Hc |].
  intros E; rewrite Hd; auto.
Qed.
