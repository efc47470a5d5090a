(* DMJ13, NDCG and ERR, if and only if: a surrogate whose scores are sorted is calibrated exactly if what comes near the
   infimum of its risk orders the items by their mean gains, wherever the best rankings are those sorted by these. Ties
   of scores are broken in the worst way. And Zhang's loss does so. *)
From Coq Require Import Classical_Prop.
From ConsistencyLab.base Require Import Prelude Sums Ranking Orders Calibration Convex Descent Near.
From ConsistencyLab.theorems Require Import Gains ReciprocalRank.
Open Scope R_scope.

(* Some item is not above another one of smaller mean theta. *)
Definition misorders (r : nat) (theta u : scores) := exists i j, (i < r)%nat /\ (j < r)%nat /\ theta j < theta i /\ u i <= u j.
Lemma sorts_otherwise r theta u l : ~ misorders r theta u -> sorts r u l -> sorted_by theta l.
Proof.
  intros N [P S]; assert (B : forall i, In i l -> (i < r)%nat) by (intros i; apply (ranking_in r l i P)); clear P.
  induction S as [| i l S IH F]; constructor; [apply IH; intros; apply B; right; assumption |].
  rewrite Forall_forall in *; intros j J; apply Rnot_lt_le; intros L; apply N; exists j, i; specialize (F j J).
  repeat split; auto; apply B; cbn; auto.
Qed.
Lemma misorders_sort r theta u : misorders r theta u -> exists l, sorts r u l /\ ~ sorted_by theta l.
Proof.
  intros (i & j & Hi & Hj & T & C); destruct (sorts_before r u i j) as (l & S & L); try assumption; [intros ->; lra |].
  exists l; split; [exact S |]; intros Th; destruct S as [P _].
  apply (sorted_places theta l i j Th) in T; [lia | apply (ranking_in r l); assumption ..].
Qed.

Section Sorting.
Context {Y : Type}.
Variables (r : nat) (loss : Y -> list nat -> R) (P : list (R * Y) -> Prop) (theta : list (R * Y) -> scores)
  (psi : Y -> scores -> R).
Definition near_orders := forall p, is_law p -> P p ->
  avoids (fun u => mean p (fun y => psi y u)) (misorders r (theta p)).
Lemma orders_calibrated : (forall p l, is_law p -> P p -> ranking r l -> sorted_by (theta p) l ->
  best loss (ranking r) p l) -> near_orders -> calibrated_for loss (ranking r) P psi (sorts r).
Proof.
  intros Good N p law Pp; eapply avoids_less; [| exact (N p law Pp)]; cbn; intros u (l & S & B); apply NNPP; intros M.
  apply B, Good; [assumption .. | apply S | exact (sorts_otherwise r _ u l M S)].
Qed.
Lemma calibrated_orders : (forall p l, is_law p -> P p -> best loss (ranking r) p l -> sorted_by (theta p) l) ->
  calibrated_for loss (ranking r) P psi (sorts r) -> near_orders.
Proof.
  intros Only C p law Pp; eapply avoids_less; [| exact (C p law Pp)]; cbn; intros u M.
  destruct (misorders_sort r (theta p) u M) as (l & S & N); exists l; split; [exact S |]; intros B; apply N, Only; auto.
Qed.
End Sorting.

(* DMJ13 on NDCG: gains G(s_j) over a normalizer Z(s), discounts F(t) for 1/F(t + 1) in DMJ13's notation. *)
Definition ndcg_loss (F : nat -> R) (G : R -> R) (Z : scores -> R) (s : scores) (l : list nat) :=
  1 - earned F (fun j => G (s j) / Z s) l.
Notation gain G Z p := (fun j => mean p (fun s => G (s j) / Z s)) (only parsing).
Lemma mean_ndcg p F G Z l : is_law p -> mean p (fun s => ndcg_loss F G Z s l) = 1 - earned F (gain G Z p) l.
Proof.
  intros law; unfold ndcg_loss; rewrite mean_minus, mean_const by exact law; f_equal; revert F.
  induction l as [| i l IH]; intros F; cbn [earned]; [apply (mean_const p law) |].
  rewrite mean_plus, mean_scal, IH; reflexivity.
Qed.
Lemma ndcg_best r F G Z p l : not_rising F -> is_law p -> ranking r l -> sorted_by (gain G Z p) l ->
  best (ndcg_loss F G Z) (ranking r) p l.
Proof.
  intros HF law Rl S; split; [exact Rl |]; intros k Rk; rewrite !mean_ndcg by exact law.
  apply Rplus_le_compat_l, Ropp_le_contravar, sorting_is_optimal; [exact HF | exact S |].
  exact (Permutation_trans (Permutation_sym Rl) Rk).
Qed.
Theorem dmj13_ndcg_if r F G Z psi : not_rising F -> near_orders r (fun _ => True) (fun p => gain G Z p) psi ->
  calibrated_for (ndcg_loss F G Z) (ranking r) (fun _ => True) psi (sorts r).
Proof. intros HF; apply orders_calibrated; intros p l law _; apply ndcg_best; assumption. Qed.
Theorem dmj13_ndcg r F G Z psi : falling F ->
  calibrated_for (ndcg_loss F G Z) (ranking r) (fun _ => True) psi (sorts r) <->
  near_orders r (fun _ => True) (fun p => gain G Z p) psi.
Proof.
  intros HF; split; [apply calibrated_orders | apply dmj13_ndcg_if; intros t; left; apply HF].
  intros p l law _ [Rl B]; apply (only_sorting_is_optimal F); [exact HF |]; intros k Pk.
  specialize (B k (Permutation_trans Rl Pk)); rewrite !mean_ndcg in B by exact law.
  apply Ropp_le_cancel, (Rplus_le_reg_l 1), B.
Qed.
(* DMJ13 on ERR, independent grades of which none surely satisfies. *)
Theorem dmj13_err_iff r F G psi : falling F -> (forall x, G x <= 1) ->
  let P p := independent r p /\ forall i, (i < r)%nat -> mean p (fun s => G (s i)) < 1 in
  calibrated_for (err_loss F G) (ranking r) P psi (sorts r) <->
  near_orders r P (fun p i => mean p (fun s => G (s i))) psi.
Proof.
  intros HF G1 P; split; [apply calibrated_orders | apply orders_calibrated].
  - intros p l law [Ind U]; apply (dmj13_err_only r F G); assumption.
  - intros p l law [Ind U]; apply dmj13_err; auto; intros t; left; apply HF.
Qed.

(* --- Zhang's loss ------------------------------------------------------------------------------------------ *)

Definition zhang_loss (r : nat) (phi : R -> R) (v : scores -> scores) (s u : scores) :=
  sum (fun j => v s j * sum (fun l => phi (u j - u l)) r) r.
Lemma zhang_near r phi g b v P : regular phi g -> (forall x, b <= phi x) -> (forall s j, 0 <= v s j) ->
  near_orders r P (fun p j => mean p (fun s => v s j)) (zhang_loss r phi v).
Proof.
  intros reg below V p law _; set (theta := fun j => mean p (fun s => v s j)).
  assert (T : forall j, 0 <= theta j).
  { intros j; apply total_nonneg; eapply Forall_impl; [| exact (proj1 law)]; intros [w s] W; cbn in *;
      apply Rmult_le_pos; auto. }
  assert (E : forall u, mean p (fun s => zhang_loss r phi v s u) = risk r (zhang theta) phi u).
  { intros u; unfold zhang_loss; rewrite mean_sum; apply sum_ext; intros j _; unfold zhang; rewrite sum_scal.
    rewrite Rmult_comm; unfold theta; rewrite <- mean_scal; apply mean_ext; intros; apply Rmult_comm. }
  destruct (separated_avoids r (zhang theta) (fun i j _ _ => T i) phi b below (fun i j => theta j < theta i))
    as (c & (u & L) & H).
  - intros i j Hi Hj; apply (zhang_orders r theta phi g b reg below); auto.
  - exists c; split; [exists u; rewrite E; exact L | intros x Hx; rewrite E; apply H, Hx].
Qed.
(* Zhang's loss of gains over their normalizer is calibrated for NDCG, and that of gains for ERR. *)
Theorem zhang_ndcg r F G Z phi g b : not_rising F -> regular phi g -> (forall x, b <= phi x) ->
  (forall x, 0 <= G x) -> (forall s, 0 <= Z s) ->
  calibrated_for (ndcg_loss F G Z) (ranking r) (fun _ => True) (zhang_loss r phi (fun s j => G (s j) / Z s)) (sorts r).
Proof.
  intros HF reg below G0 Z0; apply dmj13_ndcg_if; [exact HF |].
  apply (zhang_near r phi g b (fun s j => G (s j) / Z s) _ reg below); intros s j; apply Rmult_le_pos; [auto |].
  destruct (Z0 s) as [L | <-]; [left; apply Rinv_0_lt_compat, L | rewrite Rinv_0; lra].
Qed.
Theorem zhang_err r F G phi g b : not_rising F -> regular phi g -> (forall x, b <= phi x) -> (forall x, 0 <= G x <= 1) ->
  calibrated_for (err_loss F G) (ranking r) (independent r) (zhang_loss r phi (fun s j => G (s j))) (sorts r).
Proof.
  intros HF reg below G01; apply (orders_calibrated r _ _ (fun p j => mean p (fun s => G (s j)))).
  - intros p l law Ind; apply dmj13_err; auto; apply G01.
  - apply (zhang_near r phi g b (fun s j => G (s j)) _ reg below); intros; apply G01.
Qed.
