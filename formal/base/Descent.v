(* The risk of an edge loss with h(a) = a depends on the aggregate alone. Its slope along lambda e_i - e_j, and the
   argument by descent that Theorems D and R share: where that slope is negative at every tie or inversion of i and
   j, minimizing puts i strictly above j. *)
From Coq Require Import Reals Lra Lia Arith.
From ConsistencyLab.base Require Import Sums Ranking Convex.
Open Scope R_scope.

(* W(alpha) = sum over i, j of a_ij phi(alpha_i - alpha_j). *)
Definition risk (m : nat) (a : matrix) (phi : R -> R) (alpha : nat -> R) : R :=
  sum (fun i => sum (fun j => a i j * phi (alpha i - alpha j)) m) m.
Definition minimizer m a phi alpha := forall beta, risk m a phi alpha <= risk m a phi beta.

(* i is strictly above j, whether or not the minimum is attained: from scores with alpha_i <= alpha_j one descends to
   scores with i above j. *)
Definition above m a phi i j :=
  forall alpha, alpha i <= alpha j -> exists beta, beta j < beta i /\ risk m a phi beta < risk m a phi alpha.

Lemma above_minimizer m a phi i j alpha : above m a phi i j -> minimizer m a phi alpha -> alpha j < alpha i.
Proof.
  intros F M; destruct (Rlt_le_dec (alpha j) (alpha i)) as [| C]; [assumption | exfalso].
  destruct (F alpha C) as (beta & _ & L); specialize (M beta); lra.
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

Lemma risk_derivable alpha v t :
  derivable_pt_lim (fun t => risk m a phi (move alpha v t)) t (sum (fun i => v i * push (move alpha v t) i) m).
Proof.
  replace (sum (fun i => v i * push (move alpha v t) i) m) with
    (sum (fun i => sum (fun j => a i j * ((v i - v j) * g (move alpha v t i - move alpha v t j))) m) m).
  - apply sum_derivable; intros i Hi; apply sum_derivable; intros j Hj.
    apply derivable_pt_lim_scal.
    apply (derivable_ext (fun t => phi ((alpha i - alpha j) + (v i - v j) * t))); [intros; unfold move; f_equal;
      ring |].
    replace (move alpha v t i - move alpha v t j) with ((alpha i - alpha j) + (v i - v j) * t) by (unfold move; ring).
    apply line.
  - set (b := move alpha v t); unfold push.
    transitivity (sum (fun i => sum (fun j => v i * (a i j * g (b i - b j))) m) m
                - sum (fun i => sum (fun j => v j * (a i j * g (b i - b j))) m) m).
    + rewrite <- sum_minus; apply sum_ext; intros i Hi; rewrite <- sum_minus; apply sum_ext; intros; ring.
    + rewrite (sum_swap (fun i j => v j * (a i j * g (b i - b j)))), <- sum_minus; apply sum_ext; intros i Hi.
      rewrite <- sum_minus, <- sum_scal; apply sum_ext; intros; ring.
Qed.

(* The direction lambda e_i - e_j; the slope along it is one sum, with a part for every third item k. *)
Definition lift (lam : R) (i j k : nat) : R := (if (k =? i)%nat then lam else 0) - (if (k =? j)%nat then 1 else 0).
Definition part (lam : R) (alpha : nat -> R) (i j k : nat) : R :=
  lam * (a i k * g (alpha i - alpha k) - a k i * g (alpha k - alpha i))
  - (a j k * g (alpha j - alpha k) - a k j * g (alpha k - alpha j)).
Lemma slope_parts lam alpha i j t : (i < m)%nat -> (j < m)%nat ->
  derivable_pt_lim (fun t => risk m a phi (move alpha (lift lam i j) t)) t
    (sum (part lam (move alpha (lift lam i j) t) i j) m).
Proof.
  intros Hi Hj; generalize (risk_derivable alpha (lift lam i j) t); set (b := move alpha (lift lam i j) t).
  replace (sum (fun i0 => lift lam i j i0 * push b i0) m) with (sum (part lam b i j) m); [trivial |].
  transitivity (lam * push b i - push b j).
  - unfold push; rewrite <- sum_scal, <- sum_minus; reflexivity.
  - rewrite <- (sum_delta (fun k => lam * push b k) m i Hi), <- (sum_delta (fun k => push b k) m j Hj), <- sum_minus.
    apply sum_ext; intros k _; unfold lift; destruct (k =? i)%nat, (k =? j)%nat; ring.
Qed.
End Slope.

Lemma fall f f' T : (forall t, derivable_pt_lim f t (f' t)) -> 0 <= T -> (forall t, 0 <= t <= T -> f' t < 0) ->
  exists t, T < t /\ f t < f 0.
Proof.
  intros Df HT N.
  assert (Q : f T <= f 0).
  { destruct HT as [HT | <-]; [| lra].
    destruct (MVT_cor2 f f' 0 T HT (fun c _ => Df c)) as (c & E & Hc).
    specialize (N c ltac:(lra)); nra. }
  destruct (Df T (- f' T) ltac:(specialize (N T ltac:(lra)); lra)) as [d Hd].
  pose proof (cond_pos d) as Pd.
  specialize (Hd (d / 2) ltac:(lra) ltac:(rewrite Rabs_right; lra)).
  exists (T + d / 2); split; [lra |].
  apply Rabs_def2 in Hd; destruct Hd as [Hd _].
  assert (K : (f (T + d / 2) - f T) / (d / 2) * (d / 2) < 0 * (d / 2)) by (apply Rmult_lt_compat_r; lra).
  replace ((f (T + d / 2) - f T) / (d / 2) * (d / 2)) with (f (T + d / 2) - f T) in K by (field; lra).
  lra.
Qed.

(* If the slope along lambda e_i - e_j is negative wherever alpha_i <= alpha_j, then i is strictly above j. *)
Lemma negative_slope_above m a phi g lam i j :
  (forall x, derivable_pt_lim phi x (g x)) -> 0 <= lam -> (i < m)%nat -> (j < m)%nat -> i <> j ->
  (forall alpha, alpha i <= alpha j -> sum (part a g lam alpha i j) m < 0) -> above m a phi i j.
Proof.
  intros D Hl Hi Hj Hij N alpha C.
  assert (Mi : forall t, move alpha (lift lam i j) t i = alpha i + t * lam).
  { intros t; unfold move, lift; rewrite Nat.eqb_refl; destruct (Nat.eqb_spec i j); [lia | ring]. }
  assert (Mj : forall t, move alpha (lift lam i j) t j = alpha j - t).
  { intros t; unfold move, lift; rewrite Nat.eqb_refl; destruct (Nat.eqb_spec j i); [lia | ring]. }
  set (T := (alpha j - alpha i) / (lam + 1)).
  assert (ET : T * (lam + 1) = alpha j - alpha i) by (unfold T; field; lra).
  destruct (fall (fun t => risk m a phi (move alpha (lift lam i j) t))
                 (fun t => sum (part a g lam (move alpha (lift lam i j) t) i j) m) T) as (t & Ht & L).
  - intros t; apply slope_parts; assumption.
  - unfold T; apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra].
  - intros t Ht; apply N; rewrite Mi, Mj; nra.
  - exists (move alpha (lift lam i j) t); split; [rewrite Mi, Mj; nra |].
    cbv beta in L; replace (risk m a phi (move alpha (lift lam i j) 0)) with (risk m a phi alpha) in L; [exact L |].
    unfold risk, move; apply sum_ext; intros; apply sum_ext; intros; do 2 f_equal; ring.
Qed.

(* Scores at which subgradients of phi add up to 0 at every item minimize W. *)
Lemma stationary_minimizer m (a : matrix) phi (s : matrix) (x : scores) :
  (forall i j, (i < m)%nat -> (j < m)%nat -> 0 <= a i j) ->
  (forall i j, (i < m)%nat -> (j < m)%nat -> 0 < a i j -> subgradient phi (x i - x j) (s i j)) ->
  (forall k, (k < m)%nat -> sum (fun j => a k j * s k j - a j k * s j k) m = 0) -> minimizer m a phi x.
Proof.
  intros counts S E y; set (v := fun i => y i - x i).
  assert (Z : sum (fun i => sum (fun j => a i j * (s i j * (v i - v j))) m) m = 0).
  { transitivity (sum (fun i => v i * sum (fun j => a i j * s i j - a j i * s j i) m) m).
    - transitivity (sum (fun i => sum (fun j => v i * (a i j * s i j)) m) m - sum (fun i => sum (fun j => v j * (a i
        j * s i j)) m) m).
      + rewrite <- sum_minus; apply sum_ext; intros; rewrite <- sum_minus; apply sum_ext; intros; ring.
      + rewrite (sum_swap (fun i j => v j * (a i j * s i j))), <- sum_minus; apply sum_ext; intros i Hi.
        rewrite <- sum_minus, <- sum_scal; apply sum_ext; intros; ring.
    - rewrite <- (sum_zero m); apply sum_ext; intros i Hi; rewrite E by assumption; ring. }
  apply Rle_trans with (risk m a phi x + sum (fun i => sum (fun j => a i j * (s i j * (v i - v j))) m) m); [lra |].
  unfold risk; rewrite <- sum_plus; apply sum_le; intros i Hi; rewrite <- sum_plus; apply sum_le; intros j Hj.
  destruct (Rle_lt_or_eq_dec 0 (a i j) (counts i j Hi Hj)) as [P | <-]; [| lra].
  pose proof (S i j Hi Hj P (y i - y j)) as T; apply (Rmult_le_compat_l (a i j)) in T; [| lra]; unfold v; lra.
Qed.
