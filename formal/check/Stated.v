(* What a proof file states, read by Coq: labels with probabilities and weighted preferences, the aggregate that they
   give, orders of the items, what those cost (Eq. 8), and the regret. *)
From Coq Require Import ZArith QArith Qreals Bool.
From ConsistencyLab.base Require Import Prelude Sums Ranking Orders Descent Aggregate.
From ConsistencyLab.check Require Import Counts.
Open Scope R_scope.

(* The aggregate of p has the counts c, in the unit 1/K. *)
Definition counted m (c : nat -> nat -> Z) (K : R) (p : distribution) :=
  0 < K /\ forall i j, (i < m)%nat -> (j < m)%nat -> K * aggregate p i j = IZR (c i j).

(* --- Labels ------------------------------------------------------------------------------------------------- *)

(* A probability, and the preferences of i to j with their weights. *)
Definition label : Type := Q * list (nat * nat * Q).
Definition prefer (i j : nat) (w : Q) : nat * nat * Q := (i, j, w).
Definition row_of (i : nat) (l : label) : label := (fst l, filter (fun e => (fst (fst e) =? i)%nat) (snd l)).
Definition column (j : nat) (ls : list label) : Q := fold_right (fun l t => Qred (t + fst l *
  fold_right (fun e s => if (snd (fst e) =? j)%nat then Qred (s + snd e) else s) 0 (snd l)))%Q 0%Q ls.
(* What they state of i and j: the mean weight. *)
Definition stated (ls : list label) (i j : nat) : Q := column j (map (row_of i) ls).
(* p is any distribution over preference graphs with this aggregate. *)
Definition described m ls p := is_distribution m p /\
  forall i j, (i < m)%nat -> (j < m)%nat -> aggregate p i j = Q2R (stated ls i j).

Definition entry_check m (e : nat * nat * Q) : bool :=
  if (fst (fst e) <? m)%nat then if (snd (fst e) <? m)%nat then if (fst (fst e) =? snd (fst e))%nat then false
  else negb (Qle_bool (snd e) 0) else false else false.
(* Positive probabilities that sum to 1, positive weights, and k times the aggregate is c. *)
Definition labels_check m (ls : list label) (k : Z) (c : nat -> nat -> Z) : bool :=
  if (0 <? k)%Z then if Qeq_bool (fold_right (fun l s => Qred (fst l + s)) 0 ls)%Q 1 then
  if forallb (fun l => if Qle_bool (fst l) 0 then false else forallb (entry_check m) (snd l)) ls then
  if counts_check m c then every m (fun i => let row := map (row_of i) ls in
    every m (fun j => Qeq_bool (inject_Z k * column j row) (inject_Z (c i j))))
  else false else false else false else false.

Lemma inject_R z : Q2R (inject_Z z) = IZR z.
Proof. unfold Q2R, inject_Z; cbn; field. Qed.
Section Labels.
Variables (m : nat) (ls : list label) (k : Z) (c : nat -> nat -> Z).
Hypothesis H : labels_check m ls k c = true.
Lemma labels_spec : (0 < k)%Z /\ counts_check m c = true /\
  forall i j, (i < m)%nat -> (j < m)%nat -> IZR k * Q2R (stated ls i j) = IZR (c i j).
Proof.
  unfold labels_check in H; tests H; apply Z.ltb_lt in T; repeat split; try assumption; intros i j Hi Hj.
  pose proof (every_spec _ _ (every_spec _ _ H i Hi) j Hj) as E; cbv beta in E; apply Qeq_bool_iff, Qeq_eqR in E.
  rewrite Q2R_mult, !inject_R in E; exact E.
Qed.
Lemma labels_valid : counts_check m c = true.
Proof. apply labels_spec. Qed.
Theorem labels_counted p : described m ls p -> counted m c (IZR k) p.
Proof.
  destruct labels_spec as (P & _ & E); intros [_ D]; split; [apply IZR_lt, P |]; intros i j Hi Hj.
  rewrite D by assumption; apply E; assumption.
Qed.
(* The same as rational numbers, for the checks of noise conditions. *)
Lemma labels_aggregate p : described m ls p -> forall i j, (i < m)%nat -> (j < m)%nat ->
  Q2R (c i j # Z.to_pos k) = aggregate p i j.
Proof.
  destruct labels_spec as (P & _ & E); intros [_ D] i j Hi Hj; rewrite D by assumption.
  unfold Q2R at 1; cbn [Qnum Qden]; rewrite Z2Pos.id, <- (E i j Hi Hj) by exact P.
  apply IZR_lt in P; field; lra.
Qed.
(* There is one. *)
Theorem labels_described : exists p, described m ls p.
Proof.
  destruct labels_spec as (P & V & E); apply IZR_lt in P; pose proof (valid_spec m c V) as S.
  exists (of_matrix m (fun i j => IZR (c i j) / IZR k)); split; [apply of_matrix_distribution |]; intros i j Hi Hj.
  destruct (S i j Hi Hj) as [C D]; rewrite aggregate_of_matrix; try assumption.
  - rewrite <- (E i j Hi Hj); field; lra.
  - apply IZR_le in C; apply Rmult_le_pos; [exact C | left; apply Rinv_0_lt_compat, P].
  - intros N; rewrite D by exact N; unfold Rdiv; ring.
Qed.
End Labels.

(* --- Orders ------------------------------------------------------------------------------------------------- *)

(* An order of the items, from top to bottom, as scores. *)
Definition sorted (t : list nat) : scores := fun i => - INR (place t i).
Definition listed (m : nat) (t : list nat) : bool :=
  if (length t =? m)%nat then every m (fun i => nth (pred (place t i)) t m =? i)%nat else false.
Definition cost m (c : nat -> nat -> Z) (t : list nat) : Z :=
  zsum (fun i => let x := place t i in zsum (fun j => if (place t j <? x)%nat then c i j else 0%Z) m) m.
Lemma cost_sound m c K p t : is_distribution m p -> counted m c K p -> listed m t = true ->
  K * loss p (sorted t) = IZR (cost m c t).
Proof.
  intros HD [HK E] L; rewrite (loss_pairs m) by apply distribution_well_formed, HD; unfold cost.
  rewrite zsum_sum, <- sum_scal; apply sum_ext; intros i Hi; cbv zeta; rewrite zsum_sum, <- sum_scal.
  apply sum_ext; intros j Hj; rewrite <- Rmult_assoc, E by assumption; unfold listed in L; tests L.
  pose proof (every_spec _ _ L i Hi) as Pi; pose proof (every_spec _ _ L j Hj) as Pj; tests Pi; tests Pj.
  destruct (Nat.ltb_spec (place t j) (place t i)) as [Q | Q].
  - apply lt_INR in Q; unfold wrong, sorted; destruct (_ <? _)%nat; [destruct (Rle_dec _ _) | destruct (Rlt_dec _ _)]; lra.
  - destruct (Nat.eq_dec (place t i) (place t j)) as [S | S].
    + assert (i = j) by congruence; subst j; unfold wrong; rewrite Nat.ltb_irrefl.
      destruct (Rlt_dec _ _); [lra | ring].
    + rewrite right_above; [ring |]; unfold sorted; apply Ropp_lt_contravar, lt_INR; lia.
Qed.
(* A prediction costs r more than a better order; a file states at least 99 percent of it, and no more. *)
Definition regret_check m c (k : Z) (prediction better : list nat) (r : Q) : bool :=
  if listed m prediction then if listed m better then if (0 <? k)%Z then if Qle_bool r 0 then false else
  let exact := (inject_Z (cost m c prediction - cost m c better) / inject_Z k)%Q in
  if Qle_bool r exact then Qle_bool ((99 # 100) * exact) r else false else false else false else false.
Theorem regret_sound m c k p prediction better r : is_distribution m p -> counted m c (IZR k) p ->
  regret_check m c k prediction better r = true -> 0 < Q2R r <= loss p (sorted prediction) - loss p (sorted better).
Proof.
  intros HD C H; unfold regret_check in H; tests H; rename T into L1, T0 into L2, T3 into E; apply Z.ltb_lt in T1; split.
  - apply Rnot_le_lt; intros N; rewrite <- RMicromega.Q2R_0 in N; apply Rle_Qle, Qle_bool_iff in N; congruence.
  - apply Qle_bool_iff, Qle_Rle in E; apply IZR_lt in T1.
    assert (NZ : ~ (inject_Z k == 0)%Q) by (intros Z; apply Qeq_eqR in Z; rewrite inject_R, RMicromega.Q2R_0 in Z; lra).
    unfold Qdiv in E; rewrite Q2R_mult, Q2R_inv, !inject_R, minus_IZR in E by exact NZ.
    rewrite <- (cost_sound m c (IZR k) p _ HD C L1), <- (cost_sound m c (IZR k) p _ HD C L2) in E.
    replace ((IZR k * loss p (sorted prediction) - IZR k * loss p (sorted better)) * / IZR k) with
      (loss p (sorted prediction) - loss p (sorted better)) in E by (field; lra); exact E.
Qed.
