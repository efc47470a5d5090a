(* Consistency for labels of any kind at one distribution, as Ramaswamy, Agarwal and Tewari (NIPS 2013), RAT13, and Duchi,
   Mackey and Jordan, DMJ10, define it: finitely many labels with their probabilities, a target loss of each order of the
   items at each label, a surrogate loss of the scores, and a decoder that sorts. Then the one argument of every replay:
   scores near the infimum, all in an order that costs too much. *)
From ConsistencyLab.base Require Import Prelude Sums Ranking Orders.
Open Scope R_scope.

(* The labels are 0, ..., n-1; label y has the probability p y. *)
Definition probabilities (n : nat) (p : nat -> R) := (forall y, (y < n)%nat -> 0 < p y) /\ sum p n = 1.
(* A prediction is an order of the items 0, ..., m-1, from top to bottom; L y t is what it loses at the label y. *)
Definition target := nat -> list nat -> R.
Definition cost (n : nat) (p : nat -> R) (L : target) t := sum (fun y => p y * L y t) n.
Definition optimal n m p L t := ranking m t /\ forall s, ranking m s -> cost n p L t <= cost n p L s.
(* The risk of a surrogate psi, whose scores may be of any kind X. *)
Definition label_risk {X} (n : nat) (p : nat -> R) (psi : nat -> X -> R) x := sum (fun y => p y * psi y x) n.

(* A decoder by what it may return; it sorts the scores of the items that x shows. *)
Definition sorting {X} (m : nat) (show : X -> scores) (decode : X -> list nat -> Prop) :=
  forall x, (exists t, decode x t) /\ forall t, decode x t -> sorts m (show x) t.
(* RAT13 Definition 1 (and DMJ10 Definition 2) at one p: the risk of all x whose prediction may be not optimal stays above
   the infimum. *)
Definition calibrated_at {X} n m p (L : target) (psi : nat -> X -> R) (decode : X -> list nat -> Prop) :=
  avoids (label_risk n p psi) (fun x => exists t, decode x t /\ ~ optimal n m p L t).

(* The infimum of W is reached or approached by what shows scores in the order of v. *)
Definition reached {X} (m : nat) (show : X -> scores) (W : X -> R) (v : scores) := forall x e, 0 < e ->
  exists z, (forall i j, (i < m)%nat -> (j < m)%nat -> show z i <= show z j <-> v i <= v j) /\ W z <= W x + e.
Lemma order_bound m t i : ranking m t -> In i t -> (i < m)%nat.
Proof. intros P I; apply (Permutation_in i (Permutation_sym P)), in_seq in I; lia. Qed.
Lemma sorts_same m u v t : (forall i j, (i < m)%nat -> (j < m)%nat -> u i <= u j -> v i <= v j) ->
  sorts m u t -> sorts m v t.
Proof.
  intros H [P S]; split; [exact P |].
  assert (B : forall i, In i t -> (i < m)%nat) by (intros i; apply order_bound; exact P); clear P.
  induction S as [| i t S IH F]; constructor; [apply IH; intros; apply B; right; assumption |].
  apply Forall_forall; intros j J; rewrite Forall_forall in F.
  apply H; [apply B; right; exact J | apply B; left; reflexivity | apply F; exact J].
Qed.

(* A list without the first i in it. *)
Fixpoint remove_one (i : nat) (l : list nat) : list nat :=
  match l with [] => [] | x :: t => if (x =? i)%nat then t else x :: remove_one i t end.
Lemma remove_one_permutation i l : In i l -> Permutation l (i :: remove_one i l).
Proof.
  induction l as [| x t IH]; [intros [] |]; intros H; cbn; destruct (Nat.eqb_spec x i) as [-> | N]; [reflexivity |].
  destruct H as [-> | H]; [congruence |].
  apply perm_trans with (x :: i :: remove_one i t); [constructor; auto | apply perm_swap].
Qed.

Section Wrong.
Variables (X : Type) (n m : nat) (p : nat -> R) (L : target) (psi : nat -> X -> R) (show : X -> scores) (v : scores).
Variable better : list nat.
Hypotheses (near : reached m show (label_risk n p psi) v) (order : ranking m better).
Lemma not_optimal t : cost n p L better < cost n p L t -> ~ optimal n m p L t.
Proof. intros C [_ O]; specialize (O better order); lra. Qed.
Lemma some_near c : (exists x, label_risk n p psi x < c) -> exists z, label_risk n p psi z < c /\
  forall i j, (i < m)%nat -> (j < m)%nat -> show z i <= show z j <-> v i <= v j.
Proof.
  intros (x & Hx); destruct (near x ((c - label_risk n p psi x) / 2) ltac:(lra)) as (z & S & Wz); exists z.
  split; [lra | exact S].
Qed.
(* Every order that sorts v costs too much: no decoder that sorts is right, whatever it does with ties. *)
Theorem strictly_wrong : (forall t, sorts m v t -> cost n p L better < cost n p L t) ->
  forall decode, sorting m show decode -> ~ calibrated_at n m p L psi decode.
Proof.
  intros Worse decode D (c & Some & C); destruct (some_near c Some) as (z & Wz & S).
  destruct (D z) as ((t & Ht) & Dz); assert (c <= label_risk n p psi z); [| lra].
  apply C; exists t; split; [exact Ht |]; apply not_optimal, Worse, (sorts_same m (show z)); [intros; apply S; assumption | apply Dz, Ht].
Qed.
(* One order that sorts v costs too much: the decoder that may return all of them is wrong. *)
Theorem wrong_by_a_tie : (exists t, sorts m v t /\ cost n p L better < cost n p L t) ->
  ~ calibrated_at n m p L psi (fun x => sorts m (show x)).
Proof.
  intros (t & St & Worse) (c & Some & C); destruct (some_near c Some) as (z & Wz & S).
  assert (c <= label_risk n p psi z); [| lra].
  apply C; exists t; split; [apply (sorts_same m v); [intros; apply S |]; assumption | apply not_optimal, Worse].
Qed.
End Wrong.
