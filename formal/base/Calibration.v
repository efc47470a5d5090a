(* RAT13's setting: a loss of labels and predictions, a surrogate loss of labels and scores, a decoder from
   scores to predictions, and calibration (Definition 1); and what proves it for least squares. *)
From ConsistencyLab.base Require Import Prelude Sums Ranking Orders.
Open Scope R_scope.

(* A distribution over labels: finitely many, with their probabilities. *)
Definition is_law {Y} (p : list (R * Y)) := Forall (fun q => 0 <= fst q) p /\ total fst p = 1.

Section Task.
(* Labels, predictions and scores; only some predictions may be valid. *)
Context {Y T U : Type}.
Variables (loss : Y -> T -> R) (valid : T -> Prop).
(* t is in argmin p^T l_t. *)
Definition best (p : list (R * Y)) (t : T) :=
  valid t /\ forall s, valid s -> mean p (fun y => loss y t) <= mean p (fun y => loss y s).
(* RAT13 Definition 1, (psi, pred) is (loss, P)-calibrated: for all p in P the infimum of p^T psi(u) over the
   u with pred(u) not in argmin p^T l_t is above that over all u. A decoder that may return several predictions,
   as one that sorts scores with ties, is right if all of them are best. *)
Definition calibrated_for (P : list (R * Y) -> Prop) (psi : Y -> U -> R) (decode : U -> T -> Prop) := forall p,
  is_law p -> P p -> avoids (fun u => mean p (fun y => psi y u)) (fun u => exists t, decode u t /\ ~ best p t).
Definition calibrated (P : list (R * Y) -> Prop) (psi : Y -> U -> R) (pred : U -> T) := forall p,
  is_law p -> P p -> avoids (fun u => mean p (fun y => psi y u)) (fun u => ~ best p (pred u)).
Lemma calibrated_by P psi decode pred : calibrated_for P psi decode -> (forall u, decode u (pred u)) -> calibrated P psi pred.
Proof. intros C D p law Pp; eapply avoids_less; [| exact (C p law Pp)]; cbn; eauto. Qed.
End Task.
(* Least squares: psi(y, u) is the sum over the coordinates k of (u_k - f_k(y))^2. *)
Definition squares {Y K} (ks : list K) (f : Y -> K -> R) (y : Y) (u : K -> R) := total (fun k => (u k - f y k)^2) ks.

Section Mean.
Context {Y : Type}.
Variable p : list (R * Y).
Lemma mean_ext f g : (forall y, f y = g y) -> mean p f = mean p g.
Proof. intros E; apply total_ext, Forall_forall; intros q _; now rewrite E. Qed.
Lemma mean_plus f g : mean p (fun y => f y + g y) = mean p f + mean p g.
Proof. unfold mean; rewrite <- total_plus; apply total_ext, Forall_forall; intros; ring. Qed.
Lemma mean_scal c f : mean p (fun y => c * f y) = c * mean p f.
Proof. unfold mean; rewrite <- total_scal; apply total_ext, Forall_forall; intros; ring. Qed.
Lemma mean_minus f g : mean p (fun y => f y - g y) = mean p f - mean p g.
Proof.
  transitivity (mean p f + -1 * mean p g); [| ring].
  rewrite <- mean_scal, <- mean_plus; apply mean_ext; intros; ring.
Qed.
Lemma mean_total {K} (f : Y -> K -> R) l : mean p (fun y => total (f y) l) = total (fun k => mean p (fun y => f y k)) l.
Proof. unfold mean; rewrite total_swap; apply total_ext, Forall_forall; intros q _; now rewrite total_scal. Qed.
Lemma mean_sum (f : Y -> nat -> R) m : mean p (fun y => sum (f y) m) = sum (fun i => mean p (fun y => f y i)) m.
Proof. rewrite <- total_seq, <- mean_total; apply mean_ext; intros; now rewrite total_seq. Qed.
Hypothesis law : is_law p.
Lemma mean_const c : mean p (fun _ => c) = c.
Proof. unfold mean; rewrite (total_eq _ (fun q => c * fst q)), total_scal, (proj2 law) by (intros; ring); ring. Qed.
(* The excess of p^T psi at u is |u - u_p|^2, where u_p is the mean of f. *)
Lemma squares_excess {K} (ks : list K) (f : Y -> K -> R) u (mu := fun k => mean p (fun y => f y k)) :
  mean p (fun y => squares ks f y u) = mean p (fun y => squares ks f y mu) + total (fun k => (u k - mu k)^2) ks.
Proof.
  unfold squares; rewrite !mean_total, <- total_plus; apply total_ext, Forall_forall; intros k _.
  transitivity (mean p (fun y => (mu k - f y k)^2 + ((u k)^2 - (mu k)^2 - 2 * (u k - mu k) * f y k)));
    [apply mean_ext; intros; ring |].
  rewrite mean_plus, mean_minus, mean_const, mean_scal; fold (mu k); ring.
Qed.
End Mean.

(* Least squares are calibrated if all scores near the mean of f are decoded to a best prediction. *)
Theorem calibrated_near {Y T K} (loss : Y -> T -> R) valid (P : list (R * Y) -> Prop) (ks : list K) f (decode : (K -> R) -> T -> Prop) :
  (forall p, is_law p -> P p -> exists e, 0 < e /\ forall u, (forall k, In k ks ->
    Rabs (u k - mean p (fun y => f y k)) < e) -> forall t, decode u t -> best loss valid p t) ->
  calibrated_for loss valid P (squares ks f) decode.
Proof.
  intros H p law Pp; destruct (H p law Pp) as (e & He & Near).
  set (mu := fun k => mean p (fun y => f y k)); exists (mean p (fun y => squares ks f y mu) + e^2); split.
  - exists mu; pose proof (pow_lt e 2 He); lra.
  - intros u (t & D & N); rewrite (squares_excess p law ks f u); fold mu; apply Rnot_lt_le; intros L.
    apply N, (Near u); [| exact D].
    intros k Hk; fold (mu k); apply Rnot_le_lt; intros F.
    assert (S : (u k - mu k)^2 <= total (fun k => (u k - mu k)^2) ks).
    { destruct (in_split k ks Hk) as (a & b & ->); rewrite total_app; cbn [total].
      pose proof (total_squares (fun k => u k - mu k) a).
      pose proof (total_squares (fun k => u k - mu k) b); lra. }
    rewrite <- pow2_abs in S; pose proof (pow_incr e (Rabs (u k - mu k)) 2 ltac:(lra)); unfold mu in *; lra.
Qed.
(* So are those that are decoded by sorting some of their scores, if whatever sorts the means of these is best. *)
Theorem calibrated_sorting {Y K} (loss : Y -> list nat -> R) (P : list (R * Y) -> Prop) (ks : list K) f r (key : nat -> K) :
  (forall i, (i < r)%nat -> In (key i) ks) -> (forall p l, is_law p -> P p ->
    sorts r (fun i => mean p (fun y => f y (key i))) l -> best loss (ranking r) p l) ->
  calibrated_for loss (ranking r) P (squares ks f) (fun u => sorts r (fun i => u (key i))).
Proof.
  intros Key Best; apply calibrated_near; intros p law Pp.
  destruct (order_kept r (fun i => mean p (fun y => f y (key i)))) as (e & He & Kept); exists e; split; [exact He |].
  intros u Near l S; apply Best; [assumption .. |]; apply sorts_places in S; destruct S as [Rl So].
  apply sorts_places; split; [exact Rl |]; intros i j Hi Hj L; apply So; [assumption .. |].
  apply (Kept (fun i => u (key i))); auto.
Qed.
