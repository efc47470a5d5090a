(* DMJ13, expected reciprocal rank (ERR): a user reads a ranking from the top and stops at item i with chance
   G(s_i), where s_i is its grade. If grades are independent, sorting by the means of G(s_i) is best, whatever
   the number of items and however ties are broken; so is regression on G(s_i). *)
From ConsistencyLab.base Require Import Prelude Sums Ranking Orders Calibration Convex Descent.
From ConsistencyLab.theorems Require Import Gains.
Open Scope R_scope.

(* With the chances g, the sum over positions t of F(t) times the chance to stop there: item i stops the user
   with chance g_i, and else the rest of the list goes on. The loss has F = 1/F(t) in DMJ13's notation, where
   F does not fall. *)
Fixpoint stopped (F : nat -> R) (g : scores) (l : list nat) : R :=
  match l with [] => 0 | i :: t => F 0%nat * g i + (1 - g i) * stopped (fun t => F (S t)) g t end.
Definition err_loss (F : nat -> R) (G : R -> R) (s : scores) (l : list nat) := 1 - stopped F (fun i => G (s i)) l.
(* The grades of the items below r are independent: means of products of functions of different grades are
   products of means. *)
Definition product (f : nat -> R) (l : list nat) := fold_right (fun i x => f i * x) 1 l.
Definition independent (r : nat) (p : list (R * scores)) := forall (f : nat -> R -> R) l,
  NoDup l -> Forall (fun i => (i < r)%nat) l ->
  mean p (fun s => product (fun i => f i (s i)) l) = product (fun i => mean p (fun s => f i (s i))) l.

(* --- Sorting is best ------------------------------------------------------------------------------------ *)

(* What exchanging neighbors earns: they are read if no item of a stops the user. *)
Lemma exchange_stopped g i j b a : forall F, stopped F g (a ++ i :: j :: b) = stopped F g (a ++ j :: i :: b) +
  product (fun k => 1 - g k) a * ((F (length a) - F (S (length a))) * (g i - g j)).
Proof.
  induction a as [| y a IH]; intros F; cbn [app stopped length product fold_right]; [ring |].
  rewrite IH; unfold product; ring.
Qed.
Lemma product_positive f l : Forall (fun i => 0 <= f i) l -> 0 <= product f l.
Proof. induction 1; cbn; [lra | apply Rmult_le_pos; assumption]. Qed.
Theorem err_sorting F g l l' : not_rising F -> Forall (fun i => g i <= 1) l -> sorted_by g l ->
  Permutation l l' -> stopped F g l' <= stopped F g l.
Proof.
  intros HF G So P; apply Ropp_le_cancel.
  apply (bubble_sort (fun i j => g j <= g i) (fun l => - stopped F g l) l); [| exact So | exact P].
  intros a i j b L Q; apply Ropp_le_contravar; rewrite exchange_stopped; pose proof (HF (length a)).
  assert (0 <= product (fun k => 1 - g k) a).
  { apply product_positive; apply (Permutation_Forall Q), Forall_app, proj1 in G.
    eapply Forall_impl; [| exact G]; cbn; intros; lra. }
  assert (0 <= (F (length a) - F (S (length a))) * (g i - g j)) by (apply Rmult_le_pos; lra); nra.
Qed.
(* No other order is, if F falls strictly and every chance is below 1. *)
Theorem only_err_sorting F g l : falling F -> Forall (fun i => g i < 1) l ->
  (forall l', Permutation l l' -> stopped F g l' <= stopped F g l) -> sorted_by g l.
Proof.
  intros HF G Best; apply (only_sorted g (fun l => - stopped F g l)).
  - intros a i j b -> L; apply Ropp_lt_contravar; rewrite (exchange_stopped g j i b a F); pose proof (HF (length a)).
    enough (0 < product (fun k => 1 - g k) a * ((F (length a) - F (S (length a))) * (g j - g i))) by lra.
    apply Rmult_lt_0_compat; [| apply Rmult_lt_0_compat; lra].
    apply Forall_app, proj1 in G; clear -G; induction G; cbn; [lra |].
    apply Rmult_lt_0_compat; [lra | exact IHG].
  - intros l' P; apply Ropp_le_contravar, Best, P.
Qed.
(* But with a chance of 1 other orders are best too: nobody reads on. *)
Theorem err_best_unsorted F : not_rising F -> exists g l, Forall (fun i => 0 <= g i <= 1) l /\
  (forall l', Permutation l l' -> stopped F g l' <= stopped F g l) /\ ~ sorted_by g l.
Proof.
  intros HF; set (g := fun i => match i with 0%nat => 1 | 1%nat => 0 | _ => 1/2 end).
  exists g, [0; 1; 2]%nat; repeat split; [repeat constructor; cbn; lra | |].
  - intros l' P; replace (stopped F g [0; 1; 2]%nat) with (stopped F g [0; 2; 1]%nat) by (cbn; ring).
    apply err_sorting; [exact HF | repeat constructor; cbn; lra | repeat constructor; cbn; lra |].
    apply Permutation_trans with [0; 1; 2]%nat; [apply perm_skip, perm_swap | exact P].
  - intros S; inversion S as [| ? ? S' _]; inversion S' as [| ? ? _ F']; inversion F'; cbn in *; lra.
Qed.

(* --- Independent grades --------------------------------------------------------------------------------- *)

Lemma product_ext f g l : (forall i, In i l -> f i = g i) -> product f l = product g l.
Proof. unfold product; induction l; cbn; intros H; [reflexivity |]. rewrite H, IHl by auto; reflexivity. Qed.
Lemma nodup_before (a b : list nat) : NoDup (a ++ b) -> NoDup a.
Proof.
  induction a as [| x a IH]; cbn; intros D; inversion D as [| ? ? N Da]; constructor; auto.
  intros I; apply N, in_or_app; auto.
Qed.
(* The chance to read past some items, and then what the rest earns, in the mean. *)
Lemma stopped_mean r p G l : is_law p -> independent r p -> forall F read, NoDup (read ++ l) ->
  Forall (fun i => (i < r)%nat) (read ++ l) ->
  mean p (fun s => product (fun i => 1 - G (s i)) read * stopped F (fun i => G (s i)) l) =
  product (fun i => mean p (fun s => 1 - G (s i))) read * stopped F (fun i => mean p (fun s => G (s i))) l.
Proof.
  intros law Ind; induction l as [| i l IH]; intros F read D In_r; cbn [stopped].
  - rewrite Rmult_0_r; transitivity (mean p (fun _ : scores => 0)); [apply mean_ext; intros; ring |].
    now apply mean_const.
  - assert (Di : NoDup ((i :: read) ++ l)).
    { apply (Permutation_NoDup (Permutation_sym (Permutation_middle _ _ _)) D). }
    assert (In_i : Forall (fun i => (i < r)%nat) ((i :: read) ++ l)).
    { apply (Permutation_Forall (Permutation_sym (Permutation_middle _ _ _)) In_r). }
    specialize (IH (fun t => F (S t)) (i :: read) Di In_i); unfold product in IH; cbn [fold_right] in IH.
    fold (product (fun i => mean p (fun s => 1 - G (s i))) read) in IH.
    assert (Stop : mean p (fun s => G (s i) * product (fun i => 1 - G (s i)) read) =
      mean p (fun s => G (s i)) * product (fun i => mean p (fun s => 1 - G (s i))) read).
    { pose proof (Ind (fun k x => if (k =? i)%nat then G x else 1 - G x) (i :: read)) as M.
      inversion Di as [| ? ? Ni Nd]; subst; unfold product in M; cbn [fold_right] in M; rewrite Nat.eqb_refl in M.
      assert (Out : forall k, In k read -> (k =? i)%nat = false).
      { intros k K; apply Nat.eqb_neq; intros ->; apply Ni, in_or_app; auto. }
      transitivity (mean p (fun s => G (s i) * product (fun k => if (k =? i)%nat then G (s k) else 1 - G (s k)) read)).
      - apply mean_ext; intros s; f_equal; apply product_ext; intros k K; now rewrite Out.
      - unfold product at 1; rewrite M.
        + f_equal; apply product_ext; intros k K; now rewrite Out.
        + constructor; [intros K; apply Ni, in_or_app; auto | exact (nodup_before _ _ Nd)].
        + apply Forall_app, proj1 in In_i; exact In_i. }
    transitivity (F 0%nat * mean p (fun s => G (s i) * product (fun i => 1 - G (s i)) read) + mean p (fun s => (1
      - G (s i)) * fold_right (fun i x => (1 - G (s i)) * x) 1 read * stopped (fun t => F (S t)) (fun i => G (s i)) l)).
    + rewrite <- mean_scal, <- mean_plus; apply mean_ext; intros s; unfold product; ring.
    + rewrite IH, Stop, mean_minus, mean_const by exact law; ring.
Qed.
Lemma mean_err p F G r l : is_law p -> independent r p -> ranking r l ->
  mean p (fun s => err_loss F G s l) = 1 - stopped F (fun i => mean p (fun s => G (s i))) l.
Proof.
  intros law Ind Rl; unfold err_loss; rewrite mean_minus, mean_const by exact law; f_equal.
  assert (In_r : Forall (fun i => (i < r)%nat) l) by (apply Forall_forall; intros i; apply (ranking_in r l i Rl)).
  pose proof (stopped_mean r p G l law Ind F [] (ranking_nodup r l Rl) In_r) as M.
  unfold product in M; cbn in M; rewrite Rmult_1_l in M; rewrite <- M; apply mean_ext; intros; ring.
Qed.

(* --- The theorems --------------------------------------------------------------------------------------- *)

Section Independent.
Variables (r : nat) (F : nat -> R) (G : R -> R).
Hypotheses (discount : not_rising F) (chance : forall x, G x <= 1).
Notation theta p := (fun i => mean p (fun s => G (s i))) (only parsing).
(* DMJ13's lemma on ERR. *)
Theorem dmj13_err p l : is_law p -> independent r p -> ranking r l -> sorted_by (theta p) l ->
  best (err_loss F G) (ranking r) p l.
Proof.
  intros law Ind Rl So; split; [exact Rl |]; intros k Rk; rewrite !(mean_err p F G r) by assumption.
  apply Rplus_le_compat_l, Ropp_le_contravar, err_sorting; [exact discount | | exact So |
    exact (Permutation_trans (Permutation_sym Rl) Rk)].
  apply Forall_forall; intros i _; rewrite <- (mean_const p law 1); unfold mean; apply total_le.
  eapply Forall_impl; [| exact (proj1 law)]; intros [w s] W; cbn in *; pose proof (chance (s i)); nra.
Qed.
(* And only sorting is best, if the discount falls strictly and no item surely satisfies. *)
Theorem dmj13_err_only p l : falling F -> (forall i, (i < r)%nat -> theta p i < 1) -> is_law p -> independent r p ->
  best (err_loss F G) (ranking r) p l -> sorted_by (theta p) l.
Proof.
  intros Falls Unsure law Ind [Rl Best]; apply (only_err_sorting F); [exact Falls | |].
  - apply Forall_forall; intros i I; apply Unsure, (ranking_in r l i Rl), I.
  - intros k P; assert (Rk : ranking r k) by exact (Permutation_trans Rl P).
    specialize (Best k Rk); rewrite !(mean_err p F G r) in Best by assumption.
    apply Ropp_le_cancel, (Rplus_le_reg_l 1), Best.
Qed.
Theorem err_regression pred : (forall u, sorts r u (pred u)) ->
  calibrated (err_loss F G) (ranking r) (independent r) (squares (seq 0 r) (fun s i => G (s i))) pred.
Proof.
  intros So; apply (calibrated_by _ _ _ _ (sorts r)); [| exact So]; apply (calibrated_sorting _ _ _ _ r (fun i => i)).
  - intros i Hi; apply in_seq; lia.
  - intros p l law Ind [Rl S]; apply dmj13_err; assumption.
Qed.
End Independent.
