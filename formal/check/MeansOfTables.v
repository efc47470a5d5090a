(* The mean of features that a table states: its ranges, and what the surrogates of theorems/Means.v need to be true of
   them. *)
From Coq Require Import Reals Lra Lia Arith List ZArith QArith Qreals Bool.
From ConsistencyLab.base Require Import Sums Ranking Labels.
From ConsistencyLab.theorems Require Import Means.
From ConsistencyLab.check Require Import Tables.
Import ListNotations.
Open Scope R_scope.

Definition mean_at (ps : list Q) (features : list (list number)) (k : nat) : range :=
  mean_range ps (map (fun y => at_number features y k) (seq 0 (length ps))).
Lemma mean_known ps features k : probabilities (length ps) (at_label ps) ->
  within (mean_at ps features k) (mean_of (length ps) (at_label ps) (entry features) k).
Proof.
  intros D; apply (mean_range_sound ps (probabilities_positive ps D)); intros y Y; rewrite nth_map_range by exact Y.
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
  intros H y k Y K; pose proof (every_spec _ _ H y Y) as C; cbv beta in C; destruct (_ =? m)%nat; [| discriminate].
  pose proof (every_spec _ _ C k K) as D; cbv beta in D; pose proof (enclose_sound (nth k (nth y features []) (Num 0))) as E.
  unfold at_number, entry in *; destruct (enclose _) as [[l h] |]; [| discriminate]; cbn in E.
  destruct (Qle_bool 0 l) eqn:B; [| discriminate]; apply Qle_real in B; rewrite Q2R_0 in B; split; [lra |].
  intros ->; apply Qle_real in D; rewrite Q2R_1 in D; lra.
Qed.
Section Mean.
Variables (m : nat) (ps : list Q) (features : list (list number)).
Notation n := (length ps).
Notation p := (at_label ps).
Notation F := (mean_of n p (entry features)).
Hypothesis prob : probabilities n p.
Lemma mean_range_of most k : features_check m n most features = true -> (k < m)%nat -> 0 <= F k /\ (most = true -> F k <= 1).
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
  intros D; apply (mean_range_sound ps (probabilities_positive ps D)); intros y Y; rewrite nth_map_range by exact Y.
  rewrite INR_IZR_INZ; unfold inject_Z; cbn [within]; rewrite Q2R_make; lra.
Qed.
Theorem chances_sound m N ps grades : probabilities (length ps) (at_label ps) -> grades_check m (length ps) N grades = true ->
  reached m (mean_grade N) (label_risk (length ps) (at_label ps) (fun y => chances m N (grade grades y)))
    (mean_of (length ps) (at_label ps) (fun y k => INR (grade grades y k))).
Proof.
  intros D H; apply chances_reached; [exact D |]; intros y k Y K.
  apply Nat.leb_le, (every_spec _ _ (every_spec _ _ H y Y) k K).
Qed.
