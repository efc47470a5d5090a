(* Theorem D, "orders proved by domination", for every number of items and every regular phi: if i beats j, and after
   scaling by one lambda >= 0 i does at least as well as j against every third item, then i is strictly above j, and
   near the infimum too. It follows that regular edge losses are edge-consistent under strongly transitive preferences
   and product designs, under low noise and balanced counts, and in bipartite ranking (AUC); and DMJ10 Lemma 14. *)
From Coq Require Import Reals Lra Lia Arith.
From ConsistencyLab.base Require Import Sums Ranking Convex Descent Aggregate Near Consistency.
Open Scope R_scope.

(* a_ij > a_ji, and lambda a_ik >= a_jk and lambda a_ki <= a_kj for every third item k. *)
Definition dominates (m : nat) (a : matrix) lam i j :=
  a j i < a i j /\
  forall k, (k < m)%nat -> k <> i -> k <> j -> a j k <= lam * a i k /\ lam * a k i <= a k j.

Lemma D_slope m a phi g lam i j alpha :
  (forall i j, (i < m)%nat -> (j < m)%nat -> 0 <= a i j) -> regular phi g ->
  0 <= lam -> (i < m)%nat -> (j < m)%nat -> i <> j -> dominates m a lam i j ->
  alpha i <= alpha j -> sum (part a g lam alpha i j) m <= (lam + 1) * (a i j - a j i) * g 0.
Proof.
  intros counts reg Hl Hi Hj Hij [Hp Hk] C; destruct (regular_slopes phi g reg) as (D & mono & neg & g0).
  pose proof (mono (alpha i - alpha j) 0 ltac:(lra)) as M1; pose proof (mono 0 (alpha j - alpha i) ltac:(lra)) as M2.
  pose proof (counts i j Hi Hj) as Aij; pose proof (counts j i Hj Hi) as Aji.
  assert (P : a i j * g (alpha i - alpha j) - a j i * g (alpha j - alpha i) <= (a i j - a j i) * g 0) by nra.
  set (bound := fun k => (if (k =? i)%nat then (a i j - a j i) * g 0 else 0) + (if (k =? j)%nat then lam * ((a i j -
    a j i) * g 0) else 0)).
  replace ((lam + 1) * (a i j - a j i) * g 0) with (sum bound m).
  - apply sum_le; intros k K; unfold part, bound.
    destruct (Nat.eqb_spec k i) as [-> | Ki]; [| destruct (Nat.eqb_spec k j) as [-> | Kj]].
    + destruct (Nat.eqb_spec i j); [lia |]; lra.
    + nra.
    + destruct (Hk k K Ki Kj) as [H1 H2].
      pose proof (mono (alpha i - alpha k) (alpha j - alpha k) ltac:(lra)) as G1;
        pose proof (neg (alpha j - alpha k)) as N1.
      pose proof (mono (alpha k - alpha j) (alpha k - alpha i) ltac:(lra)) as G2;
        pose proof (neg (alpha k - alpha j)) as N2.
      pose proof (counts i k Hi K) as Aik; pose proof (counts k i K Hi) as Aki.
      assert (X1 : lam * a i k * g (alpha i - alpha k) <= lam * a i k * g (alpha j - alpha k))
        by (apply Rmult_le_compat_l; [nra | lra]).
      assert (X2 : lam * a k i * g (alpha k - alpha j) <= lam * a k i * g (alpha k - alpha i))
        by (apply Rmult_le_compat_l; [nra | lra]).
      assert (Y1 : (lam * a i k - a j k) * g (alpha j - alpha k) <= 0) by nra.
      assert (Y2 : (a k j - lam * a k i) * g (alpha k - alpha j) <= 0) by nra.
      lra.
  - unfold bound; rewrite sum_plus.
    rewrite (sum_delta (fun _ => (a i j - a j i) * g 0) m i Hi), (sum_delta (fun _ => lam * ((a i j - a j i) * g 0))
      m j Hj); ring.
Qed.

Section Domination.
Variables (m : nat) (a : matrix).
Hypothesis counts : forall i j, (i < m)%nat -> (j < m)%nat -> 0 <= a i j.
Variables (phi g : R -> R).
Hypothesis reg : regular phi g.

(* Whoever dominates is strictly above. *)
Theorem D_above lam i j : 0 <= lam -> (i < m)%nat -> (j < m)%nat -> i <> j -> dominates m a lam i j ->
  above m a phi i j.
Proof.
  intros Hl Hi Hj Hij H; apply (negative_slope_above m a phi g lam); auto using (has_slope phi g reg).
  intros alpha C; pose proof (D_slope m a phi g lam i j alpha counts reg Hl Hi Hj Hij H C);
    pose proof (falls_at_0 phi g reg); destruct H as [H _].
  assert (0 < (lam + 1) * (a i j - a j i)) by (apply Rmult_lt_0_compat; lra). nra.
Qed.
(* So every minimizer has i above j, whatever the other items do. *)
Theorem D_minimizer lam i j alpha : 0 <= lam -> (i < m)%nat -> (j < m)%nat -> i <> j ->
  dominates m a lam i j -> minimizer m a phi alpha -> alpha i > alpha j.
Proof. intros; apply (above_minimizer m a phi); [eapply D_above; eassumption | assumption]. Qed.

Variable b : R.
Hypothesis below : forall x, b <= phi x.
Theorem D_separated lam i j : 0 <= lam -> (i < m)%nat -> (j < m)%nat -> i <> j -> dominates m a lam i j ->
  separated m a phi i j.
Proof.
  intros Hl Hi Hj Hij H; pose proof (falls_at_0 _ _ reg); pose proof H as [P _].
  apply (negative_slope_separated m a counts phi g b reg below lam i j (- ((lam + 1) * (a i j - a j i) * g 0))); auto.
  - assert (0 < (lam + 1) * (a i j - a j i)) by (apply Rmult_lt_0_compat; lra); nra.
  - intros alpha C; rewrite Ropp_involutive; apply (D_slope m a phi g); assumption.
Qed.
End Domination.

(* --- Low noise -------------------------------------------------------------------------------------------- *)

(* Under low noise (DMJ10 Definition 8) the better of two items has the larger difference against every item. *)
Lemma low_noise_rows m a i j k : low_noise m a -> (i < m)%nat -> (j < m)%nat -> (k < m)%nat ->
  0 < difference a i j -> difference a j k <= difference a i k.
Proof.
  intros L Hi Hj Hk H; assert (S : forall x y, difference a x y = - difference a y x) by (intros; unfold difference;
    ring).
  destruct (Rlt_le_dec 0 (difference a j k)) as [P | P]; [pose proof (L i j k Hi Hj Hk H P); lra |].
  destruct (Rlt_le_dec 0 (difference a k i)) as [Q | Q]; [| rewrite (S i k); lra].
  pose proof (L k i j Hk Hi Hj Q H); rewrite (S j k), (S i k); lra.
Qed.
(* DMJ10 Lemma 14: and so it has more net wins. *)
Theorem lemma_14 m a : low_noise m a -> net_order m a.
Proof.
  intros L i j Hi Hj H; apply sum_lt with j; [assumption | intros k Hk; apply (low_noise_rows m a); assumption |].
  assert (difference a j j = 0) by (unfold difference; ring); lra.
Qed.
(* In particular low noise leaves no cycle in the difference graph. *)
Corollary low_noise_acyclic m a : low_noise m a -> acyclic_differences m a.
Proof. intros L; exists (net_wins m a); apply lemma_14, L. Qed.

(* A regular edge loss, bounded below, is edge-consistent under low noise with balanced counts. *)
Theorem consistent_low_noise_balanced phi g b : regular phi g -> (forall x, b <= phi x) ->
  consistent_under (both low_noise balanced) (edge_loss identity phi).
Proof.
  intros reg Hb m p HD [L [N B]]; apply (separated_consistent m p phi b); auto; [apply low_noise_acyclic, L |].
  intros i j Hi Hj H; assert (i <> j) by (intros ->; unfold difference in H; lra).
  apply (D_separated m _ (fun i j _ _ => aggregate_nonneg m p i j HD) phi g reg b Hb 1); auto; [lra |].
  split; [unfold difference in H; lra |].
  intros k Hk Ki Kj; pose proof (low_noise_rows m _ i j k L Hi Hj Hk H).
  pose proof (B i k Hi Hk (not_eq_sym Ki)); pose proof (B j k Hj Hk (not_eq_sym Kj));
    unfold difference, comparisons in *; lra.
Qed.

(* --- Strong transitivity and product designs --------------------------------------------------------------- *)

Lemma product_dominates m a (w : scores) (P : matrix) i j :
  (forall k, (k < m)%nat -> 0 < w k) -> (forall i j, P i j + P j i = 1) ->
  (forall i j, (i < m)%nat -> (j < m)%nat -> i <> j -> a i j = w i * w j * P i j) ->
  strongly_transitive m P -> (i < m)%nat -> (j < m)%nat -> i <> j -> 1/2 < P i j -> dominates m a (w j / w i) i j.
Proof.
  intros W S A T Hi Hj Hij H; pose proof (W i Hi) as Wi; pose proof (W j Hj) as Wj.
  split; [rewrite !A by auto; pose proof (S i j); assert (0 < w i * w j) by nra; nra |].
  intros k Hk Ki Kj; pose proof (T i j k Hi Hj Hk Hij Ki Kj H) as Q; pose proof (W k Hk); pose proof (S i k);
    pose proof (S j k).
  assert (0 < w j * w k) by nra.
  rewrite (A i k), (A j k), (A k i), (A k j) by auto; split.
  - replace (w j / w i * (w i * w k * P i k)) with (w j * w k * P i k) by (field; lra); apply Rmult_le_compat_l; lra.
  - replace (w j / w i * (w k * w i * P k i)) with (w j * w k * P k i) by (field; lra).
    replace (w k * w j * P k j) with (w j * w k * P k j) by ring; apply Rmult_le_compat_l; lra.
Qed.
(* A regular edge loss, bounded below, is edge-consistent where both contestants are drawn independently and preferences
   are strongly transitive. *)
Theorem consistent_transitive_product phi g b : regular phi g -> (forall x, b <= phi x) ->
  consistent_under transitive_product (edge_loss identity phi).
Proof.
  intros reg Hb m p HD (w & P & W & S & T & A).
  assert (E : forall i j, (i < m)%nat -> (j < m)%nat -> 0 < diff p i j -> i <> j /\ 1/2 < P i j).
  { intros i j Hi Hj H; assert (N : i <> j) by (intros ->; unfold difference in H; lra); split; [assumption |].
    unfold difference in H; rewrite !A in H by auto; pose proof (S i j).
    assert (0 < w i * w j) by (apply Rmult_lt_0_compat; auto).
    destruct (Rlt_le_dec (1/2) (P i j)); [assumption | exfalso]; nra. }
  apply (separated_consistent m p phi b); auto.
  - exists (fun i => sum (P i) m); intros i j Hi Hj H; destruct (E i j Hi Hj H) as [N Q].
    pose proof (S i i); pose proof (S j j); pose proof (S i j).
    apply sum_lt with j; [assumption | | lra]; intros k Hk.
    destruct (Nat.eq_dec k i) as [-> | Ki]; [lra |]; destruct (Nat.eq_dec k j) as [-> | Kj]; [lra |].
    apply (T i j k); auto.
  - intros i j Hi Hj H; destruct (E i j Hi Hj H) as [N Q].
    apply (D_separated m _ (fun i j _ _ => aggregate_nonneg m p i j HD) phi g reg b Hb (w j / w i)); auto.
    + left; apply Rdiv_lt_0_compat; auto.
    + apply (product_dominates m _ w P); auto.
Qed.

(* --- Bipartite ranking ------------------------------------------------------------------------------------- *)

(* A regular edge loss, bounded below, is edge-consistent in bipartite ranking: it orders items by their chances of
   being relevant, which is best for the AUC. *)
Theorem consistent_bipartite phi g b : regular phi g -> (forall x, b <= phi x) ->
  consistent_under bipartite (edge_loss identity phi).
Proof.
  intros reg Hb m p HD (w & eta & W & A).
  assert (E : forall i j, (i < m)%nat -> (j < m)%nat -> 0 < diff p i j -> i <> j /\ eta j < eta i).
  { intros i j Hi Hj H; assert (N : i <> j) by (intros ->; unfold difference in H; lra); split; [assumption |].
    unfold difference in H; rewrite !A in H by auto; destruct (W i Hi) as [Wi _], (W j Hj) as [Wj _].
    assert (P : 0 < w i * w j) by (apply Rmult_lt_0_compat; assumption).
    destruct (Rlt_le_dec (eta j) (eta i)); [assumption | exfalso]; nra. }
  apply (separated_consistent m p phi b); auto; [exists eta; intros i j Hi Hj H; apply (E i j Hi Hj H) |].
  intros i j Hi Hj H; destruct (E i j Hi Hj H) as [N L]; destruct (W i Hi) as [Wi Ei], (W j Hj) as [Wj Ej].
  apply (D_separated m _ (fun i j _ _ => aggregate_nonneg m p i j HD) phi g reg b Hb (w j / w i)); auto;
    [left; apply Rdiv_lt_0_compat; assumption |].
  split; [unfold difference in H; lra |]; intros k Hk Ki Kj; destruct (W k Hk) as [Wk Ek].
  rewrite (A i k), (A j k), (A k i), (A k j) by auto; assert (P : 0 < w j * w k) by (apply Rmult_lt_0_compat;
    assumption); split.
  - replace (w j / w i * (w i * w k * (eta i * (1 - eta k)))) with (w j * w k * (eta i * (1 - eta k))) by (field;
      lra).
    apply Rmult_le_compat_l; [lra |]; apply Rmult_le_compat_r; lra.
  - replace (w j / w i * (w k * w i * (eta k * (1 - eta i)))) with (w j * w k * (eta k * (1 - eta i))) by (field;
      lra).
    replace (w k * w j * (eta k * (1 - eta j))) with (w j * w k * (eta k * (1 - eta j))) by ring.
    apply Rmult_le_compat_l; [lra |]; apply Rmult_le_compat_l; lra.
Qed.
