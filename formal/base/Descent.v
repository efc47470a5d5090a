(* The risk of an edge loss with h(a) = a depends on the aggregate alone: its slope along any direction, and scores that
   minimize it. *)
From ConsistencyLab.base Require Import Prelude Sums Ranking Convex.
Open Scope R_scope.

(* W(alpha) = sum over i, j of a_ij phi(alpha_i - alpha_j). *)
Definition risk (m : nat) (a : matrix) (phi : R -> R) (alpha : nat -> R) : R :=
  sum (fun i => sum (fun j => a i j * phi (alpha i - alpha j)) m) m.
Definition minimizer m a phi alpha := forall beta, risk m a phi alpha <= risk m a phi beta.

(* Differences of v, weighted by slopes s, pair by pair and item by item. *)
Lemma by_items m (a s : matrix) (v : nat -> R) : sum (fun i => sum (fun j => a i j * ((v i - v j) * s i j)) m) m =
  sum (fun i => v i * sum (fun k => a i k * s i k - a k i * s k i) m) m.
Proof.
  transitivity (sum (fun i => sum (fun j => v i * (a i j * s i j)) m) m
    - sum (fun i => sum (fun j => v j * (a i j * s i j)) m) m).
  - rewrite <- sum_minus; apply sum_ext; intros; rewrite <- sum_minus; apply sum_ext; intros; ring.
  - rewrite (sum_swap (fun i j => v j * (a i j * s i j))), <- sum_minus; apply sum_ext; intros i Hi.
    rewrite <- sum_minus, <- sum_scal; apply sum_ext; intros; ring.
Qed.

Section Slope.
Variables (m : nat) (a : matrix) (phi g : R -> R).
Hypothesis D : forall x, derivable_pt_lim phi x (g x).

Lemma line x s t : derivable_pt_lim (fun t => phi (x + s * t)) t (s * g (x + s * t)).
Proof.
  replace (s * g (x + s * t)) with (g (x + s * t) * (0 + s * 1)) by ring.
  apply (derivable_pt_lim_comp (fun t => x + s * t) phi t); [| apply D].
  apply derivable_pt_lim_plus; [apply derivable_pt_lim_const | apply derivable_pt_lim_scal, derivable_pt_lim_id].
Qed.
Lemma derivable_ext f h t l : (forall t, f t = h t) -> derivable_pt_lim f t l -> derivable_pt_lim h t l.
Proof. intros E H eps He; destruct (H eps He) as [d Hd]; exists d; intros k K L; rewrite <- !E; now apply Hd. Qed.

(* Along v the slope of W is the sum of v_i times its derivative in alpha_i. *)
Definition move (alpha v : nat -> R) (t : R) : nat -> R := fun k => alpha k + t * v k.

Definition push (alpha : nat -> R) (i : nat) : R :=
  sum (fun k => a i k * g (alpha i - alpha k) - a k i * g (alpha k - alpha i)) m.

(* That sum, pair by pair. *)
Definition slope (alpha v : nat -> R) : R :=
  sum (fun i => sum (fun j => a i j * ((v i - v j) * g (alpha i - alpha j))) m) m.
Lemma slope_push alpha v : slope alpha v = sum (fun i => v i * push alpha i) m.
Proof. exact (by_items m a (fun i j => g (alpha i - alpha j)) v). Qed.
Lemma risk_derivable alpha v t : derivable_pt_lim (fun t => risk m a phi (move alpha v t)) t (slope (move alpha v t) v).
Proof.
  apply sum_derivable; intros i Hi; apply sum_derivable; intros j Hj; apply derivable_pt_lim_scal.
  apply (derivable_ext (fun t => phi ((alpha i - alpha j) + (v i - v j) * t))); [intros; unfold move; f_equal; ring |].
  replace (move alpha v t i - move alpha v t j) with ((alpha i - alpha j) + (v i - v j) * t) by (unfold move; ring).
  apply line.
Qed.

(* The direction lam e_i - mu e_j; the slope along it is one sum, with a part for every third item k. *)
Definition lift (lam mu : R) (i j k : nat) : R := (if (k =? i)%nat then lam else 0) - (if (k =? j)%nat then mu else 0).
Definition part (lam mu : R) (alpha : nat -> R) (i j k : nat) : R :=
  lam * (a i k * g (alpha i - alpha k) - a k i * g (alpha k - alpha i))
  - mu * (a j k * g (alpha j - alpha k) - a k j * g (alpha k - alpha j)).
Lemma slope_lift lam mu alpha i j : (i < m)%nat -> (j < m)%nat ->
  slope alpha (lift lam mu i j) = lam * push alpha i - mu * push alpha j.
Proof.
  intros Hi Hj; rewrite slope_push, <- (sum_delta (fun k => lam * push alpha k) m i Hi),
    <- (sum_delta (fun k => mu * push alpha k) m j Hj), <- sum_minus.
  apply sum_ext; intros k _; unfold lift; destruct (k =? i)%nat, (k =? j)%nat; ring.
Qed.
Lemma slope_parts lam mu alpha i j : (i < m)%nat -> (j < m)%nat ->
  slope alpha (lift lam mu i j) = sum (part lam mu alpha i j) m.
Proof. intros; rewrite slope_lift by assumption; unfold push; rewrite <- !sum_scal, <- sum_minus; reflexivity. Qed.
End Slope.

(* Scores at which subgradients of phi add up to 0 at every item minimize W. *)
Lemma stationary_minimizer m (a : matrix) phi (s : matrix) (x : scores) :
  (forall i j, (i < m)%nat -> (j < m)%nat -> 0 <= a i j) ->
  (forall i j, (i < m)%nat -> (j < m)%nat -> 0 < a i j -> subgradient phi (x i - x j) (s i j)) ->
  (forall k, (k < m)%nat -> sum (fun j => a k j * s k j - a j k * s j k) m = 0) -> minimizer m a phi x.
Proof.
  intros counts S E y; set (v := fun i => y i - x i).
  assert (Z : sum (fun i => sum (fun j => a i j * ((v i - v j) * s i j)) m) m = 0)
    by (rewrite by_items; apply sum_of_zeros; intros i Hi; rewrite E by exact Hi; ring).
  apply Rle_trans with (risk m a phi x + sum (fun i => sum (fun j => a i j * ((v i - v j) * s i j)) m) m); [lra |].
  unfold risk; rewrite <- sum_plus; apply sum_le; intros i Hi; rewrite <- sum_plus; apply sum_le; intros j Hj.
  destruct (Rle_lt_or_eq_dec 0 (a i j) (counts i j Hi Hj)) as [P | <-]; [| lra].
  pose proof (S i j Hi Hj P (y i - y j)) as T; apply (Rmult_le_compat_l (a i j)) in T; [| lra]; unfold v; lra.
Qed.
