(* The mean of features that a table states: its ranges, and what the surrogates of theorems/Means.v and
   theorems/Luce.v need of them. *)
From Coq Require Import ZArith QArith Qreals Bool.
From ConsistencyLab.base Require Import Prelude Sums Ranking Scalars Orders Labels.
From ConsistencyLab.theorems Require Import Means Luce.
From ConsistencyLab.check Require Import Rationals Tables.
Open Scope R_scope.

Definition mean_at (ps : list Q) (features : list (list number)) (k : nat) : range :=
  mean_range ps (map (fun y => at_number features y k) (seq 0 (length ps))).
Lemma mean_known ps features k : probabilities (length ps) (at_label ps) ->
  within (mean_at ps features k) (mean_of (length ps) (at_label ps) (entry features) k).
Proof.
  intros D; apply (mean_range_sound ps (probabilities_positive ps D)); intros y Y; rewrite nth_map_seq by exact Y.
  apply enclose_sound.
Qed.
(* Every label has m features, each from 0 on, and at most 1 if that is asked for. *)
Definition features_check (m n : nat) (at_most_1 : bool) (features : list (list number)) : bool :=
  every n (fun y => if (length (nth y features []) =? m)%nat then every m (fun k =>
    match at_number features y k with
    | Some (l, h) => if Qle_bool 0 l then if at_most_1 then Qle_bool h 1 else true else false
    | None => false end) else false).
Lemma features_sound m n most features : features_check m n most features = true ->
  forall y k, (y < n)%nat -> (k < m)%nat -> 0 <= entry features y k /\ (most = true -> entry features y k <= 1).
Proof.
  intros H y k Y K; pose proof (every_spec _ _ H y Y) as C; tests C; pose proof (every_spec _ _ C k K) as D; cbv beta in D.
  pose proof (enclose_sound (nth k (nth y features []) (Num 0))) as E; unfold at_number, entry in *.
  destruct (enclose _) as [[l h] |]; [| discriminate]; cbn in E; split; [| intros ->]; real_tests D; lra.
Qed.
Section Mean.
Variables (m : nat) (ps : list Q) (features : list (list number)).
Notation n := (length ps) (only parsing).
Notation p := (at_label ps) (only parsing).
Notation F := (mean_of n p (entry features)) (only parsing).
Hypothesis prob : probabilities n p.
Lemma mean_range_of most k : features_check m n most features = true -> (k < m)%nat ->
  0 <= F k /\ (most = true -> F k <= 1).
Proof.
  intros H K; pose proof (features_sound m n most features H) as B; destruct prob as [P S]; split.
  - apply sum_nonneg; intros y Y; apply Rmult_le_pos; [left; apply P, Y | apply B; assumption].
  - intros M; rewrite <- S; apply sum_le; intros y Y; rewrite <- (Rmult_1_r (p y)) at 2.
    apply Rmult_le_compat_l; [left; apply P, Y | apply B; assumption].
Qed.
Theorem softmax_sound : (0 < m)%nat -> features_check m n false features = true ->
  reached m (fun u => u) (label_risk n p (fun y => softmax m (entry features y))) F.
Proof. intros M H; apply softmax_reached; auto; intros k K; apply (mean_range_of false k H K). Qed.
Theorem sigmoids_sound : features_check m n true features = true ->
  reached m (fun u => u) (label_risk n p (fun y => sigmoids m (entry features y))) F.
Proof. intros H; apply sigmoids_reached; auto; intros k K; destruct (mean_range_of true k H K); auto. Qed.
Theorem signed_sound phi : phi = square \/ phi = squared_hinge -> features_check m n true features = true ->
  reached m (fun u => u) (label_risk n p (fun y => signed phi m (entry features y))) F.
Proof. intros Phi H; apply signed_reached; auto; intros k K; destruct (mean_range_of true k H K); auto. Qed.
End Mean.

(* Grades from 0 to N. *)
Definition grade (grades : list (list nat)) (y k : nat) : nat := nth k (nth y grades []) 0%nat.
Definition grades_check (m n N : nat) (grades : list (list nat)) : bool :=
  every n (fun y => every m (fun k => (grade grades y k <=? N)%nat)).
Definition mean_grade_at (ps : list Q) (grades : list (list nat)) (k : nat) : range :=
  mean_range ps (map (fun y => Some (inject_Z (Z.of_nat (grade grades y k)), inject_Z (Z.of_nat (grade grades y k))))
    (seq 0 (length ps))).
Lemma mean_grade_known ps grades k : probabilities (length ps) (at_label ps) ->
  within (mean_grade_at ps grades k) (mean_of (length ps) (at_label ps) (fun y k => INR (grade grades y k)) k).
Proof.
  intros D; apply (mean_range_sound ps (probabilities_positive ps D)); intros y Y; rewrite nth_map_seq by exact Y.
  rewrite INR_IZR_INZ; unfold inject_Z; cbn [within]; rewrite Q2R_make; lra.
Qed.
Theorem chances_sound m N ps grades : probabilities (length ps) (at_label ps) ->
  grades_check m (length ps) N grades = true ->
  reached m (mean_grade N) (label_risk (length ps) (at_label ps) (fun y => chances m N (grade grades y)))
    (mean_of (length ps) (at_label ps) (fun y k => INR (grade grades y k))).
Proof.
  intros D H; apply chances_reached; [exact D |]; intros y k Y K.
  apply Nat.leb_le, (every_spec _ _ (every_spec _ _ H y Y) k K).
Qed.

(* --- Orders that are best for the mean: approximate positions and soft pairs ---------------------------- *)

Definition rank_range (t : list nat) (k : nat) : range :=
  Some (inject_Z (- Z.of_nat (place t k)), inject_Z (- Z.of_nat (place t k))).
Lemma rank_known t k : within (rank_range t k) (ranked t k).
Proof. unfold rank_range, within, ranked, inject_Z; rewrite Q2R_make, opp_IZR, <- INR_IZR_INZ; lra. Qed.
Definition not_above (r s : range) : bool := match r, s with Some (_, h), Some (l, _) => Qle_bool h l | _, _ => false end.
Lemma not_above_sound r s x y : within r x -> within s y -> not_above r s = true -> x <= y.
Proof. destruct r as [[a b] |], s as [[c d] |]; try discriminate; cbn; intros X Y H; apply qle_R in H; lra. Qed.
Definition mean_ranges (ps : list Q) features count : list range := map (mean_at ps features) (seq 0 count).
(* The mean goes down along t. *)
Definition sorted_check (m : nat) ps features t : bool := if order_check m t then
  let rs := mean_ranges ps features m in goes_down (fun j i => not_above (nth j rs None) (nth i rs None)) t else false.
Lemma goes_down_sound (le : nat -> nat -> bool) (v : scores) t : (forall i j, In i t -> In j t ->
  le j i = true -> v j <= v i) -> goes_down le t = true -> StronglySorted (fun i j => v j <= v i) t.
Proof.
  induction t as [| i t IH]; intros H G; constructor; cbn in G; destruct (forallb _ t) eqn:F; try discriminate.
  - apply IH; [intros j k J K; apply H; right; assumption | exact G].
  - apply Forall_forall; intros j J; rewrite forallb_forall in F; apply H; cbn; auto.
Qed.
Theorem positions_sound m ps features t : probabilities (length ps) (at_label ps) ->
  features_check m (length ps) false features = true -> sorted_check m ps features t = true ->
  forall T g, 0 < T -> discount g -> reached m (fun u => u)
    (label_risk (length ps) (at_label ps) (fun y => positions m T g (entry features y))) (ranked t).
Proof.
  intros D H; unfold sorted_check; intros G; tests G; rename T into O; apply order_sound in O; intros T g HT Hg.
  apply positions_reached; auto; [intros k K; apply (mean_range_of m ps features D false k H K) |]; split; [exact O |].
  apply (goes_down_sound _ _ t) with (2 := G); intros i j I J; apply (order_bound m t i O) in I;
    apply (order_bound m t j O) in J.
  unfold mean_ranges; rewrite !nth_map_seq by assumption; apply not_above_sound; apply mean_known, D.
Qed.

(* f k l for k <> l, row by row. *)
Definition pair_number (m k l : nat) : nat := k * (m - 1) + (if l <? k then l else l - 1).
Definition pair_entry (m : nat) features y : matrix := fun k l => entry features y (pair_number m k l).
Definition range_total (f : nat -> range) l : range := fold_right (fun x r => both_ranges (f x) r add_range)
  (Some (0%Q, 0%Q)) l.
Lemma range_total_sound f (g : nat -> R) l : (forall x, In x l -> within (f x) (g x)) ->
  within (range_total f l) (total g l).
Proof.
  induction l as [| x l IH]; intros H; [cbn; rewrite Q2R_0; lra |]; cbn [range_total fold_right total].
  pose proof (H x (or_introl eq_refl)) as X; specialize (IH (fun y Y => H y (or_intror Y))); unfold range_total in IH.
  destruct (f x) as [[a b] |]; [| exact I]; destruct (fold_right _ _ l) as [[c d] |]; [| exact I].
  cbn [both_ranges add_range within fst snd] in *; rewrite !qred_R, !Q2R_plus; lra.
Qed.
Definition nothing : range := Some (0%Q, 0%Q).
Definition order_range (m : nat) (rs : list range) s : range :=
  range_total (fun k => range_total (fun l => if (k =? l)%nat then nothing else
    if (place s l <? place s k)%nat then nth (pair_number m k l) rs None else nothing) (seq 0 m)) (seq 0 m).
(* Every label has a number for each pair, and no order costs less than t. *)
Definition best_check (m : nat) ps features t : bool := if order_check m t then
  if features_check (m * (m - 1)) (length ps) false features then
    let rs := mean_ranges ps features (m * (m - 1)) in let r := order_range m rs t in
    all_sorted (fun _ _ => false) m [] (seq 0 m) (fun s => not_above r (order_range m rs s)) else false else false.
Lemma pair_number_bound m k l : (k < m)%nat -> (l < m)%nat -> k <> l -> (pair_number m k l < m * (m - 1))%nat.
Proof. intros K L D; unfold pair_number; destruct (Nat.ltb_spec l k); nia. Qed.
Theorem soft_pairs_sound m ps features t :
  probabilities (length ps) (at_label ps) -> best_check m ps features t = true ->
  reached m (fun u => u) (label_risk (length ps) (at_label ps) (fun y => soft_pairs m 1 (pair_entry m features y))) (ranked t).
Proof.
  intros D; unfold best_check; intros C; tests C; rename T into O, T0 into H; apply order_sound in O.
  set (rs := mean_ranges ps features (m * (m - 1))) in C.
  set (F := fun k l => sum (fun y => at_label ps y * pair_entry m features y k l) (length ps)).
  assert (V : forall s, within (order_range m rs s) (pair_costs m F s)).
  { intros s; unfold order_range, pair_costs; rewrite <- total_seq; apply range_total_sound; intros k K; apply in_seq in K.
    rewrite <- total_seq; apply range_total_sound; intros l L; apply in_seq in L; unfold off, before.
    destruct (Nat.eqb_spec k l) as [| N]; [cbn; rewrite Q2R_0; lra |].
    destruct (_ <? _)%nat; [rewrite Rmult_1_r | rewrite Rmult_0_r; cbn; rewrite Q2R_0; lra].
    unfold rs, mean_ranges; rewrite nth_map_seq by (apply pair_number_bound; lia || exact N).
    apply (mean_known ps features (pair_number m k l) D). }
  apply (soft_pairs_reached (length ps) m (at_label ps) 1 t); auto; [lra | |].
  - intros k l K L N; apply (mean_range_of _ ps features D false _ H), pair_number_bound; assumption.
  - intros s S; apply (not_above_sound _ _ _ _ (V t) (V s)).
    apply (all_sorted_sound (fun _ _ => false) (fun _ => 0) m (fun s => not_above (order_range m rs t) (order_range m
      rs s))) with (above := []) (rest := seq 0 m) (t := s); auto; [discriminate | intros i; apply order_bound, S | |].
    + clear; induction s; constructor; auto; apply Forall_forall; intros; lra.
    + rewrite <- (Permutation_length S), seq_length; exact C.
Qed.
