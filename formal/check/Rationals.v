(* Distributions with rational probabilities and weights, as files have them, and what Coq computes of them by
   vm_compute: that they are distributions, their aggregate, noise conditions, and the target loss of scores. *)
From Coq Require Import QArith Qreals ZArith Bool.
From ConsistencyLab.base Require Import Prelude Sums Ranking Aggregate.
Open Scope R_scope.

(* --- Exact arithmetic, in lowest terms ----------------------------------------------------------------------- *)

Definition qadd a b := Qred (Qplus a b).
Definition qsub a b := Qred (Qminus a b).
Definition qmul a b := Qred (Qmult a b).
Definition qlt a b := negb (Qle_bool b a).
Definition qpos a := if Qle_bool 0 a then a else 0%Q.
Fixpoint qtotal {A} (f : A -> Q) (l : list A) : Q := match l with [] => 0%Q | x :: t => qadd (f x) (qtotal f t) end.
Definition qsum (f : nat -> Q) (m : nat) := qtotal f (seq 0 m).
Notation Q2R_0 := RMicromega.Q2R_0 (only parsing).
Notation Q2R_1 := RMicromega.Q2R_1 (only parsing).
Lemma Q2R_Z z : Q2R (z # 1) = IZR z.
Proof. unfold Q2R; cbn; field. Qed.
Lemma Q2R_half : Q2R (1 # 2) = / 2.
Proof. unfold Q2R; cbn; lra. Qed.
Lemma qred_R a : Q2R (Qred a) = Q2R a.
Proof. apply Qeq_eqR, Qred_correct. Qed.
Lemma qadd_R a b : Q2R (qadd a b) = Q2R a + Q2R b.
Proof. unfold qadd; rewrite qred_R; apply Q2R_plus. Qed.
Lemma qsub_R a b : Q2R (qsub a b) = Q2R a - Q2R b.
Proof. unfold qsub; rewrite qred_R; apply Q2R_minus. Qed.
Lemma qmul_R a b : Q2R (qmul a b) = Q2R a * Q2R b.
Proof. unfold qmul; rewrite qred_R; apply Q2R_mult. Qed.
Lemma qle_R a b : Qle_bool a b = true <-> Q2R a <= Q2R b.
Proof. rewrite Qle_bool_iff; split; [apply Qle_Rle | apply Rle_Qle]. Qed.
Lemma qlt_R a b : qlt a b = true <-> Q2R a < Q2R b.
Proof.
  unfold qlt; rewrite negb_true_iff; split; intros H.
  - apply Rnot_le_lt; intros K; apply qle_R in K; congruence.
  - apply not_true_is_false; intros K; apply qle_R in K; lra.
Qed.
Lemma qle_spec a b : if Qle_bool a b then Q2R a <= Q2R b else Q2R b < Q2R a.
Proof. destruct (Qle_bool a b) eqn:E; [apply qle_R; exact E | apply qlt_R; unfold qlt; rewrite E; reflexivity]. Qed.
Lemma qlt_spec a b : if qlt a b then Q2R a < Q2R b else Q2R b <= Q2R a.
Proof. unfold qlt; pose proof (qle_spec b a); destruct (Qle_bool b a); assumption. Qed.
Lemma qeq_R a b : Qeq_bool a b = true -> Q2R a = Q2R b.
Proof. intros H; apply Qeq_eqR, Qeq_bool_iff; exact H. Qed.
Lemma qpos_R a : Q2R (qpos a) = Rmax 0 (Q2R a).
Proof.
  unfold qpos; pose proof (qle_spec 0 a) as H; rewrite Q2R_0 in H; destruct (Qle_bool 0 a);
    [rewrite Rmax_right | rewrite Rmax_left, Q2R_0]; lra.
Qed.
Lemma qtotal_R {A} (f : A -> Q) l : Q2R (qtotal f l) = total (fun x => Q2R (f x)) l.
Proof. induction l; cbn [qtotal total]; [apply Q2R_0 | rewrite qadd_R, IHl; reflexivity]. Qed.
Lemma qsum_R f m : Q2R (qsum f m) = sum (fun k => Q2R (f k)) m.
Proof. unfold qsum; rewrite qtotal_R, total_seq; reflexivity. Qed.
(* Splits a test and says what it says of real numbers. *)
Ltac real_tests H := tests H; repeat match goal with
  | T : Qle_bool _ _ = true |- _ => apply qle_R in T
  | T : qlt _ _ = true |- _ => apply qlt_R in T
  | T : Qeq_bool _ _ = true |- _ => apply qeq_R in T
  end; rewrite ?Q2R_0, ?Q2R_1 in *.

(* All i, j < m. *)
Definition pairs (m : nat) (f : nat -> nat -> bool) : bool := every m (fun i => every m (f i)).
Lemma pairs_spec m f : pairs m f = true -> forall i j, (i < m)%nat -> (j < m)%nat -> f i j = true.
Proof. intros H i j Hi Hj; exact (every_spec _ _ (every_spec _ _ H i Hi) j Hj). Qed.

(* --- Distributions ------------------------------------------------------------------------------------------- *)

(* The item [better e] is preferred to [worse e] with weight [weight e]. *)
Record preference := Prefer { better : nat; worse : nat; weight : Q }.
Definition profile := list (Q * list preference).
Definition to_edge e := Edge (better e) (worse e) (Q2R (weight e)).
Definition real (p : profile) : distribution := map (fun q => (Q2R (fst q), map to_edge (snd q))) p.

(* No edge of a graph comes twice, and along each the ranks of items rise, so there is no cycle. *)
Definition same_ends e f : bool := if (better e =? better f)%nat then (worse e =? worse f)%nat else false.
Fixpoint simple_check (G : list preference) : bool :=
  match G with [] => true | e :: G => if existsb (same_ends e) G then false else simple_check G end.
Definition graph_check m (G : list preference) (rank : list nat) : bool := if simple_check G then
  forallb (fun e => if (better e <? m)%nat then if (worse e <? m)%nat then if qlt 0 (weight e) then
    (nth (better e) rank 0 <? nth (worse e) rank 0)%nat else false else false else false) G else false.
Fixpoint graphs_check m (p : profile) (ranks : list (list nat)) : bool :=
  match p, ranks with
  | [], [] => true
  | (w, G) :: p, rank :: ranks => if qlt 0 w then if graph_check m G rank then graphs_check m p ranks else
      false else false
  | _, _ => false end.
Definition profile_check m p ranks : bool := if graphs_check m p ranks then Qeq_bool (qtotal fst p) 1 else false.
Lemma simple_sound G : simple_check G = true -> simple (map to_edge G).
Proof.
  unfold simple; rewrite map_map; induction G as [| e G IH]; cbn; [constructor |]; destruct (existsb _ G) eqn:X; [discriminate |]; intros H.
  constructor; [| apply IH, H]; intros I; apply in_map_iff in I; destruct I as (f & E & I).
  injection E as B W; apply (eq_true_false_abs (existsb (same_ends e) G)); [| exact X]; apply existsb_exists.
  exists f; split; [exact I |]; unfold same_ends; now rewrite <- B, <- W, !Nat.eqb_refl.
Qed.
Lemma graph_sound m G rank : graph_check m G rank = true ->
  well_formed m (map to_edge G) /\ acyclic (map to_edge G) /\ simple (map to_edge G).
Proof.
  unfold graph_check; destruct (simple_check G) eqn:S; [apply simple_sound in S; intros H | discriminate].
  rewrite forallb_forall in H.
  assert (K : forall e, In e G -> ((better e < m)%nat /\ (worse e < m)%nat /\ 0 < Q2R (weight e)) /\
    (nth (better e) rank 0 < nth (worse e) rank 0)%nat) by (intros e He; specialize (H e He); real_tests H; auto).
  split; [| split; [exists (fun i => nth i rank 0%nat) | exact S]]; apply Forall_forall; intros e He; apply in_map_iff in He;
    destruct He as (f & <- & Hf); apply K in Hf; tauto.
Qed.
Theorem profile_sound m p ranks : profile_check m p ranks = true -> is_distribution m (real p).
Proof.
  unfold profile_check; intros S; real_tests S; split.
  - clear S; revert ranks T; induction p as [| (w, H) p]; intros [| rank ranks] G; try discriminate; [constructor |].
    cbn in G; real_tests G; apply graph_sound in T0; constructor; [cbn; tauto | eapply IHp, G].
  - rewrite qtotal_R in S; unfold real; rewrite total_map; exact S.
Qed.

(* --- The aggregate ------------------------------------------------------------------------------------------- *)

Definition weight_of (p : profile) i j : Q := qtotal (fun q => qmul (fst q) (qtotal (fun e =>
    if (better e =? i)%nat then if (worse e =? j)%nat then weight e else 0%Q else 0%Q) (snd q))) p.
Lemma weight_of_R p i j : Q2R (weight_of p i j) = aggregate (real p) i j.
Proof.
  unfold weight_of, aggregate, mean, real; rewrite qtotal_R, total_map; apply total_eq; intros (w, G); cbn [fst snd].
  rewrite qmul_R, qtotal_R, total_map; f_equal; apply total_eq; intros e; unfold ind; cbn [src dst wt to_edge].
  destruct (_ =? i)%nat, (_ =? j)%nat; cbn; auto using Q2R_0.
Qed.
(* It is worked out once, as a table. *)
Definition weights m p : list (list Q) := map (fun i => map (weight_of p i) (seq 0 m)) (seq 0 m).
Definition entry (t : list (list Q)) i j : Q := nth j (nth i t []) 0%Q.
Lemma nth_map_seq {A} (f : nat -> A) m i d : (i < m)%nat -> nth i (map f (seq 0 m)) d = f i.
Proof.
  intros H; rewrite (nth_indep _ d (f O)) by (rewrite map_length, seq_length; exact H).
  rewrite (map_nth f), seq_nth by exact H; reflexivity.
Qed.
Lemma entry_R m p i j : (i < m)%nat -> (j < m)%nat -> Q2R (entry (weights m p) i j) = aggregate (real p) i j.
Proof. intros; unfold entry, weights; rewrite !nth_map_seq by assumption; apply weight_of_R. Qed.

(* --- Noise conditions ---------------------------------------------------------------------------------------- *)

Section Conditions.
Variables (m : nat) (a : nat -> nat -> Q) (b : matrix).
Hypothesis same : forall i j, (i < m)%nat -> (j < m)%nat -> Q2R (a i j) = b i j.
Definition lead i j := qsub (a i j) (a j i).
Lemma lead_R i j : (i < m)%nat -> (j < m)%nat -> Q2R (lead i j) = difference b i j.
Proof. intros; unfold lead, difference; rewrite qsub_R, !same by assumption; reflexivity. Qed.
Definition ahead i j := qlt 0 (lead i j).
Lemma ahead_R i j : (i < m)%nat -> (j < m)%nat -> 0 < difference b i j -> ahead i j = true.
Proof. intros; apply qlt_R; rewrite Q2R_0, lead_R by assumption; assumption. Qed.
Definition lead_sum i := qsum (lead i) m.
Lemma lead_sum_R i : (i < m)%nat -> Q2R (lead_sum i) = net_wins m b i.
Proof. intros; unfold lead_sum, net_wins; rewrite qsum_R; apply sum_ext; intros; apply lead_R; assumption. Qed.

Lemma when_ahead f : pairs m (fun i j => if ahead i j then f i j else true) = true ->
  forall i j, (i < m)%nat -> (j < m)%nat -> 0 < difference b i j -> f i j = true.
Proof. intros H i j Hi Hj L; pose proof (pairs_spec _ _ H i j Hi Hj) as K; cbv beta in K; now rewrite ahead_R in K. Qed.
Definition acyclic_check (rank : list nat) :=
  pairs m (fun i j => if ahead i j then (nth i rank 0 <? nth j rank 0)%nat else true).
Lemma acyclic_sound rank : acyclic_check rank = true -> acyclic_differences m b.
Proof.
  intros H; exists (fun i => - INR (nth i rank 0%nat)); intros i j Hi Hj L.
  pose proof (when_ahead _ H i j Hi Hj L) as K; apply Nat.ltb_lt, lt_INR in K; lra.
Qed.
Definition additive_check := pairs m (fun i j => Qeq_bool (lead i j) (qsub (lead i 0) (lead j 0))).
Lemma additive_sound : additive_check = true -> additive m b.
Proof.
  intros H; exists (fun i => Q2R (lead i 0)); intros i j Hi Hj; pose proof (pairs_spec _ _ H i j Hi Hj) as K.
  apply qeq_R in K; rewrite qsub_R, lead_R in K by assumption; exact K.
Qed.
Definition low_noise_check := pairs m (fun i j => if ahead i j then every m (fun k =>
  if ahead j k then Qle_bool (qadd (lead i j) (lead j k)) (lead i k) else true) else true).
Lemma low_noise_sound : low_noise_check = true -> low_noise m b.
Proof.
  intros H i j k Hi Hj Hk L M; pose proof (every_spec _ _ (when_ahead _ H i j Hi Hj L) k Hk) as N; cbv beta in N.
  rewrite (ahead_R j k Hj Hk M) in N; apply qle_R in N; rewrite qadd_R, !lead_R in N by assumption; exact N.
Qed.
Definition net_order_check := pairs m (fun i j => if ahead i j then qlt (lead_sum j) (lead_sum i) else true).
Lemma net_order_sound : net_order_check = true -> net_order m b.
Proof.
  intros H i j Hi Hj L; pose proof (when_ahead _ H i j Hi Hj L) as K; apply qlt_R in K.
  rewrite !lead_sum_R in K by assumption; exact K.
Qed.
Definition bradley_terry_check (w : list Q) := if every m (fun i => qlt 0 (nth i w 1%Q)) then if (length w =? m)%nat
  then pairs m (fun i j => Qeq_bool (qmul (a i j) (nth j w 1%Q)) (qmul (a j i) (nth i w 1%Q))) else false else false.
Lemma bradley_terry_sound w : bradley_terry_check w = true -> bradley_terry m b.
Proof.
  unfold bradley_terry_check; intros H; tests H; exists (fun i => Q2R (nth i w 1%Q)); split.
  - intros i; destruct (Nat.lt_ge_cases i m) as [Hi | Hi]; [| rewrite nth_overflow by lia; rewrite Q2R_1; lra].
    pose proof (every_spec _ _ T i Hi) as K; real_tests K; exact K.
  - intros i j Hi Hj; pose proof (pairs_spec _ _ H i j Hi Hj) as K; apply qeq_R in K.
    rewrite !qmul_R, !same in K by assumption; exact K.
Qed.
Definition rows_check := pairs m (fun i j => if ahead i j then every m (fun k =>
  if (k =? i)%nat then true else if (k =? j)%nat then true else Qle_bool (lead j k) (lead i k)) else true).
Lemma rows_sound : rows_check = true -> rows_in_order m b.
Proof.
  intros H i j k Hi Hj Hk Ki Kj L; pose proof (every_spec _ _ (when_ahead _ H i j Hi Hj L) k Hk) as N; cbv beta in N.
  destruct (Nat.eqb_spec k i); [contradiction |]; destruct (Nat.eqb_spec k j); [contradiction |].
  apply qle_R in N; rewrite !lead_R in N by assumption; exact N.
Qed.
Definition number i j := qadd (a i j) (a j i).
Definition transitivity_check := pairs m (fun i j => if (i =? j)%nat then true else if qlt 0 (number i j) then
  if Qle_bool (a j i) (a i j) then every m (fun k => if (k =? i)%nat then true else if (k =? j)%nat then true else
    if Qle_bool (a k j) (a j k) then if Qle_bool (qmul (a i j) (number i k)) (qmul (a i k) (number i j)) then
      Qle_bool (qmul (a j k) (number i k)) (qmul (a i k) (number j k)) else false else true) else true else false).
Lemma number_R i j : (i < m)%nat -> (j < m)%nat -> Q2R (number i j) = comparisons b i j.
Proof. intros; unfold number, comparisons; rewrite qadd_R, !same by assumption; reflexivity. Qed.
Lemma transitivity_sound : transitivity_check = true -> stochastically_transitive m b.
Proof.
  intros H.
  assert (C : forall i j, (i < m)%nat -> (j < m)%nat -> i <> j -> 0 < comparisons b i j).
  { intros i j Hi Hj N; pose proof (pairs_spec _ _ H i j Hi Hj) as K; cbv beta in K.
    destruct (Nat.eqb_spec i j); [contradiction |]; real_tests K; rewrite number_R in T by assumption; exact T. }
  split; [exact C |]; intros i j k Hi Hj Hk Nij Njk Nik Sij Sjk.
  pose proof (C i j Hi Hj Nij) as Pij; pose proof (C j k Hj Hk Njk) as Pjk; pose proof (C i k Hi Hk Nik) as Pik.
  assert (Half : forall x y, (x < m)%nat -> (y < m)%nat -> 0 < comparisons b x y -> 1/2 <= share b x y ->
      Qle_bool (a y x) (a x y) = true).
  { intros x y Hx Hy P S; apply qle_R; rewrite !same by assumption; unfold share in S.
    apply (Rmult_le_compat_r (comparisons b x y)) in S; [| lra].
    assert (b x y / comparisons b x y * comparisons b x y = b x y) by (field; lra); unfold comparisons in *; lra. }
  pose proof (pairs_spec _ _ H i j Hi Hj) as K; cbv beta in K; destruct (Nat.eqb_spec i j); [contradiction |].
  destruct (qlt 0 (number i j)); [| discriminate]; rewrite (Half i j Hi Hj Pij Sij) in K.
  pose proof (every_spec _ _ K k Hk) as L; cbv beta in L; destruct (Nat.eqb_spec k i); [congruence |].
  destruct (Nat.eqb_spec k j); [congruence |]; rewrite (Half j k Hj Hk Pjk Sjk) in L.
  real_tests L; rewrite !qmul_R, !same, !number_R in T, L by assumption; unfold share.
  assert (Q : forall u c v d, 0 < c -> 0 < d -> u * d <= v * c -> u / c <= v / d).
  { intros u c v d Pc Pd I; apply Rmult_le_reg_r with (c * d); [nra |].
    replace (u / c * (c * d)) with (u * d) by (field; lra); field_simplify; lra. }
  split; apply Q; assumption.
Qed.
(* a_ij = x_i y_j *)
Definition bipartite_check (x y : list Q) := pairs m (fun i j => if qlt 0 (nth i x 0%Q) then if qlt 0 (nth i y 0%Q) then
  if (i =? j)%nat then true else Qeq_bool (a i j) (qmul (nth i x 0%Q) (nth j y 0%Q)) else false else false).
Lemma bipartite_sound x y : bipartite_check x y = true -> bipartite m b.
Proof.
  intros H; set (X i := Q2R (nth i x 0%Q)); set (Y i := Q2R (nth i y 0%Q)).
  assert (P : forall i, (i < m)%nat -> 0 < X i /\ 0 < Y i).
  { intros i Hi; pose proof (pairs_spec _ _ H i i Hi Hi) as K; cbv beta in K; rewrite Nat.eqb_refl in K; real_tests K; auto. }
  exists (fun i => X i + Y i), (fun i => X i / (X i + Y i)); split.
  - intros i Hi; destruct (P i Hi); split; [lra | split].
    + left; apply Rdiv_lt_0_compat; lra.
    + apply Rmult_le_reg_r with (X i + Y i); [lra |]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra.
  - intros i j Hi Hj N; pose proof (pairs_spec _ _ H i j Hi Hj) as K; cbv beta in K; destruct (P i Hi), (P j Hj).
    destruct (Nat.eqb_spec i j); [contradiction |]; real_tests K; rewrite qmul_R, same in K by assumption; rewrite K.
    fold (X i) (Y j); field; lra.
Qed.
End Conditions.

(* --- The target loss ----------------------------------------------------------------------------------------- *)

Definition point (h : list Q) : scores := fun i => Q2R (nth i h 0%Q).
Definition missed (h : list Q) (e : preference) : Q := let x := nth (better e) h 0%Q in let y := nth (worse e) h 0%Q in
  if (if (better e <? worse e)%nat then Qle_bool x y else qlt x y) then weight e else 0%Q.
Definition disagreement (p : profile) (h : list Q) : Q := qtotal (fun q => qmul (fst q) (qtotal (missed h) (snd q))) p.
Lemma disagreement_R p h : Q2R (disagreement p h) = loss (real p) (point h).
Proof.
  unfold disagreement, loss, mean, real; rewrite qtotal_R, total_map; apply total_eq; intros (w, G); cbn [fst snd].
  rewrite qmul_R, qtotal_R, total_map; f_equal; apply total_eq; intros e; unfold missed, miss, point; cbn [src dst wt to_edge].
  set (x := nth (better e) h 0%Q); set (y := nth (worse e) h 0%Q); destruct (_ <? _)%nat.
  - pose proof (qle_spec x y); destruct (Qle_bool x y), (Rle_dec (Q2R x) (Q2R y)); try lra; apply Q2R_0.
  - pose proof (qlt_spec x y); destruct (qlt x y), (Rlt_dec (Q2R x) (Q2R y)); try lra; apply Q2R_0.
Qed.
(* Scores that are worse than others are not in A(p). *)
Lemma outside p hat good : qlt (disagreement p good) (disagreement p hat) = true -> ~ A (real p) (point hat).
Proof. intros H HA; apply qlt_R in H; rewrite !disagreement_R in H; specialize (HA (point good)); lra. Qed.

(* Pairs that are known to be in order: those that are stated, and (i, k) where (i, j) and (j, k) are. *)
Definition ordered (alpha : scores) (l : list (nat * nat)) := Forall (fun q => alpha (snd q) < alpha (fst q)) l.
Definition has (l : list (nat * nat)) i j := existsb (fun q => if (fst q =? i)%nat then (snd q =? j)%nat else false) l.
Lemma has_spec alpha l i j : ordered alpha l -> has l i j = true -> alpha j < alpha i.
Proof.
  intros O H; apply existsb_exists in H; destruct H as ((x, y) & Hq & H); cbn in H.
  destruct (Nat.eqb_spec x i) as [-> |]; [| discriminate]; apply Nat.eqb_eq in H; subst y.
  exact (proj1 (Forall_forall _ _) O _ Hq).
Qed.
Fixpoint through (l : list (nat * nat)) (steps : list (nat * nat * nat)) : list (nat * nat) :=
  match steps with
  | [] => l
  | (i, j, k) :: t => through (if has l i j then if has l j k then (i, k) :: l else l else l) t end.
Lemma through_ordered alpha l steps : ordered alpha l -> ordered alpha (through l steps).
Proof.
  revert l; induction steps as [| ((i, j), k) t]; cbn; intros l O; [exact O |]; apply IHt.
  destruct (has l i j) eqn:P; [| exact O]; destruct (has l j k) eqn:Q; [| exact O]; constructor; [| exact O].
  pose proof (has_spec _ _ _ _ O P); pose proof (has_spec _ _ _ _ O Q); cbn; lra.
Qed.
(* What scores with these pairs in order lose at least: of the others the smaller weight. *)
Definition least_of (a : nat -> nat -> Q) l i j : Q :=
  if (i =? j)%nat then 0%Q else if has l j i then a i j else if has l i j then 0%Q else
  qmul (1 # 2) (if Qle_bool (a i j) (a j i) then a i j else a j i).
Definition least_loss m a l : Q := qsum (fun i => qsum (least_of a l i) m) m.
Lemma least_loss_R m p l alpha : is_distribution m (real p) -> ordered alpha l ->
  Q2R (least_loss m (entry (weights m p)) l) <= loss (real p) alpha.
Proof.
  intros HD O; rewrite (loss_pairs m) by (apply distribution_well_formed, HD); unfold least_loss; rewrite qsum_R.
  set (a := entry (weights m p)); set (t i j := aggregate (real p) i j * wrong alpha i j - Q2R (least_of a l i j)).
  assert (E : sum (fun i => sum (t i) m) m = sum (fun i => sum (fun j => aggregate (real p) i j * wrong alpha i j) m) m
    - sum (fun i => Q2R (qsum (least_of a l i) m)) m).
  { rewrite <- sum_minus; apply sum_ext; intros i Hi; rewrite qsum_R, <- sum_minus; reflexivity. }
  assert (P : 0 <= sum (fun i => sum (fun j => t i j + t j i) m) m).
  { apply sum_nonneg; intros i Hi; apply sum_nonneg; intros j Hj; unfold t, least_of; rewrite (Nat.eqb_sym j i).
    pose proof (aggregate_nonneg m (real p) i j HD) as Pij; pose proof (aggregate_nonneg m (real p) j i HD) as Pji.
    destruct (Nat.eqb_spec i j) as [-> | N].
    { destruct (wrong_01 alpha j j) as [-> | ->]; rewrite Q2R_0; lra. }
    rewrite (wrong_sym alpha i j N).
    destruct (has l j i) eqn:Hji; [| destruct (has l i j) eqn:Hij].
    - apply (has_spec alpha) in Hji; [| exact O]; rewrite <- (entry_R m p i j) by assumption; fold a.
      pose proof (wrong_sym alpha j i ltac:(auto)) as W; rewrite (right_above alpha j i Hji) in W.
      destruct (has l i j) eqn:Hij; [apply (has_spec alpha) in Hij; [lra | exact O] |].
      assert (wrong alpha i j = 1) as -> by lra; rewrite Q2R_0; lra.
    - apply (has_spec alpha) in Hij; [| exact O]; rewrite <- (entry_R m p j i) by assumption; fold a.
      rewrite (right_above alpha i j Hij), Q2R_0; lra.
    - rewrite <- (entry_R m p i j), <- (entry_R m p j i) in * by assumption; fold a in Pij, Pji |- *.
      rewrite !qmul_R, Q2R_half; pose proof (qle_spec (a i j) (a j i)); pose proof (qle_spec (a j i) (a i j)).
      destruct (Qle_bool (a i j) (a j i)), (Qle_bool (a j i) (a i j)), (wrong_01 alpha i j) as [-> | ->]; lra. }
  assert (S : sum (fun i => sum (fun j => t i j + t j i) m) m = 2 * sum (fun i => sum (t i) m) m).
  { transitivity (sum (fun i => sum (t i) m + sum (fun j => t j i) m) m);
      [apply sum_ext; intros; apply sum_plus |]; rewrite sum_plus, (sum_swap (fun i j => t j i)).
    change (sum (fun j => sum (fun i => t j i) m) m) with (sum (fun i => sum (t i) m) m); ring. }
  lra.
Qed.
