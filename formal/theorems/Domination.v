(* Theorem D, "orders proved by domination", for every number of items: if i beats j, and after scaling by one lambda
   between 0 and infinity i does at least as well as j against every third item, then i is strictly above j, and near
   the infimum too, for every declining phi; and for every regular phi with u >= 0 if the counts of i and j are
   proportional. It follows that edge losses are edge-consistent under strongly transitive preferences and product
   designs, and under low noise and balanced counts; and DMJ10 Lemma 14. *)
From ConsistencyLab.base Require Import Prelude Sums Ranking Convex Descent Aggregate Near Consistency.
Open Scope R_scope.

(* a_ij > a_ji, and lambda a_ik >= a_jk and lambda a_ki <= a_kj for every third item k, where lambda = lam/mu. *)
Definition dominates (m : nat) (a : matrix) lam mu i j := a j i < a i j /\
  forall k, (k < m)%nat -> k <> i -> k <> j -> mu * a j k <= lam * a i k /\ lam * a k i <= mu * a k j.
(* lambda n_ik = n_jk for every third item k. *)
Definition proportional (m : nat) (a : matrix) lam mu i j := forall k, (k < m)%nat -> k <> i -> k <> j ->
  lam * comparisons a i k = mu * comparisons a j k.

Section Domination.
Variables (m : nat) (a : matrix).
Hypothesis counts : forall i j, (i < m)%nat -> (j < m)%nat -> 0 <= a i j.
Variables (phi g : R -> R) (lam mu : R) (i j : nat).
Hypothesis reg : regular phi g.
Hypotheses (Hl : 0 <= lam) (Hm : 0 <= mu) (Hlm : 0 < lam + mu) (Hi : (i < m)%nat) (Hj : (j < m)%nat) (Hij : i <> j).
Hypothesis dom : dominates m a lam mu i j.
Hypothesis third : declining phi g \/ pushes g /\ proportional m a lam mu i j.

Lemma D_slope alpha : alpha i <= alpha j -> sum (part a g lam mu alpha i j) m <= (lam + mu) * (a i j - a j i) * g 0.
Proof.
  intros C; destruct dom as [Hp Hk]; destruct (regular_slopes phi g reg) as (D & mono & g0).
  pose proof (mono (alpha i - alpha j) 0 ltac:(lra)) as M1; pose proof (mono 0 (alpha j - alpha i) ltac:(lra)) as M2.
  pose proof (counts i j Hi Hj) as Aij; pose proof (counts j i Hj Hi) as Aji.
  assert (P : a i j * g (alpha i - alpha j) - a j i * g (alpha j - alpha i) <= (a i j - a j i) * g 0) by nra.
  set (bound := fun k => (if (k =? i)%nat then mu * ((a i j - a j i) * g 0) else 0) + (if (k =? j)%nat then lam *
    ((a i j - a j i) * g 0) else 0)).
  replace ((lam + mu) * (a i j - a j i) * g 0) with (sum bound m).
  - apply sum_le; intros k K; unfold part, bound.
    destruct (Nat.eqb_spec k i) as [-> | Ki]; [| destruct (Nat.eqb_spec k j) as [-> | Kj]].
    + destruct (Nat.eqb_spec i j); [lia |]; apply (Rmult_le_compat_l mu) in P; [lra | exact Hm].
    + apply (Rmult_le_compat_l lam) in P; [lra | exact Hl].
    + destruct (Hk k K Ki Kj) as [H1 H2]; set (y := alpha j - alpha k).
      pose proof (mono (alpha i - alpha k) y ltac:(unfold y; lra)) as G1.
      replace (alpha k - alpha j) with (- y) by (unfold y; ring).
      pose proof (mono (- y) (alpha k - alpha i) ltac:(unfold y; lra)) as G2.
      pose proof (counts i k Hi K) as Aik; pose proof (counts k i K Hi) as Aki.
      assert (X1 : lam * a i k * g (alpha i - alpha k) <= lam * a i k * g y)
        by (apply Rmult_le_compat_l; [apply Rmult_le_pos; assumption | lra]).
      assert (X2 : lam * a k i * g (- y) <= lam * a k i * g (alpha k - alpha i))
        by (apply Rmult_le_compat_l; [apply Rmult_le_pos; assumption | lra]).
      assert (Y : (lam * a i k - mu * a j k) * g y + (mu * a k j - lam * a k i) * g (- y) <= 0); [| lra].
      destruct third as [N | [Pu E]].
      * destruct (declining_slopes phi g N) as (_ & _ & neg & _); pose proof (neg y); pose proof (neg (- y)); nra.
      * specialize (E k K Ki Kj); unfold comparisons in E; specialize (Pu y).
        replace (mu * a k j - lam * a k i) with (lam * a i k - mu * a j k) by lra; nra.
  - unfold bound; rewrite sum_plus.
    rewrite (sum_delta (fun _ => mu * ((a i j - a j i) * g 0)) m i Hi), (sum_delta (fun _ => lam * ((a i j - a j i) *
      g 0)) m j Hj); ring.
Qed.
Lemma D_falls : (lam + mu) * (a i j - a j i) * g 0 < 0.
Proof.
  pose proof (falls_at_0 _ _ reg); destruct dom as [P _].
  assert (0 < (lam + mu) * (a i j - a j i)) by (apply Rmult_lt_0_compat; lra); nra.
Qed.
Variable b : R.
Hypothesis below : forall x, b <= phi x.
Lemma separated_by_domination : separated m a phi i j.
Proof.
  pose proof D_falls as F.
  apply (negative_slope_separated m a counts phi g b reg below lam mu i j (- ((lam + mu) * (a i j - a j i) * g 0)));
    auto; [lra |]; intros alpha C; rewrite Ropp_involutive; apply D_slope, C.
Qed.
End Domination.

Theorem D_separated m a phi g b lam mu i j : (forall i j, (i < m)%nat -> (j < m)%nat -> 0 <= a i j) ->
  declining phi g -> (forall x, b <= phi x) -> 0 <= lam -> 0 <= mu -> 0 < lam + mu ->
  (i < m)%nat -> (j < m)%nat -> i <> j -> dominates m a lam mu i j -> separated m a phi i j.
Proof.
  intros counts D Hb Hl Hm Hlm Hi Hj Hij H; apply (separated_by_domination m a counts phi g lam mu) with b; auto; apply D.
Qed.

(* --- Low noise -------------------------------------------------------------------------------------------- *)

(* Under low noise (DMJ10 Definition 8) the better of two items has the larger difference against every item. *)
Lemma low_noise_rows m a : low_noise m a -> rows_in_order m a.
Proof.
  intros L i j k Hi Hj Hk _ _ H; assert (S : forall x y, difference a x y = - difference a y x) by (intros; unfold difference;
    ring).
  destruct (Rlt_le_dec 0 (difference a j k)) as [P | P]; [pose proof (L i j k Hi Hj Hk H P); lra |].
  destruct (Rlt_le_dec 0 (difference a k i)) as [Q | Q]; [| rewrite (S i k); lra].
  pose proof (L k i j Hk Hi Hj Q H); rewrite (S j k), (S i k); lra.
Qed.
(* Rows in order put net wins in order, and so does low noise (DMJ10 Lemma 14). *)
Lemma rows_net_order m a : rows_in_order m a -> net_order m a.
Proof.
  intros R i j Hi Hj H; assert (Z : forall x, difference a x x = 0) by (intros; unfold difference; ring).
  apply sum_lt with j; [assumption | intros k Hk | rewrite Z; lra].
  destruct (Nat.eq_dec k i) as [-> | Ki]; [rewrite Z; unfold difference in *; lra |].
  destruct (Nat.eq_dec k j) as [-> | Kj]; [rewrite Z; lra | apply R; assumption].
Qed.
Theorem lemma_14 m a : low_noise m a -> net_order m a.
Proof. intros L; apply rows_net_order, low_noise_rows, L. Qed.
(* In particular low noise leaves no cycle in the difference graph. *)
Corollary low_noise_acyclic m a : low_noise m a -> acyclic_differences m a.
Proof. intros L; exists (net_wins m a); apply lemma_14, L. Qed.

(* A regular edge loss with u >= 0, bounded below, is edge-consistent with balanced counts where rows are in order, so
   under low noise. *)
Theorem consistent_rows_balanced phi g b : regular phi g -> pushes g -> (forall x, b <= phi x) ->
  consistent_under (both rows_in_order balanced) (edge_loss identity phi).
Proof.
  intros reg Pu Hb m p HD [Rows [N B]]; apply (separated_consistent m p phi b); auto.
  { exists (net_wins m (aggregate p)); apply rows_net_order, Rows. }
  intros i j Hi Hj H; assert (i <> j) by (intros ->; unfold difference in H; lra).
  apply (separated_by_domination m _ (fun i j _ _ => aggregate_nonneg m p i j HD) phi g 1 1) with b; auto; try lra.
  - split; [unfold difference in H; lra |]; intros k Hk Ki Kj; pose proof (Rows i j k Hi Hj Hk Ki Kj H).
    pose proof (B i k Hi Hk (not_eq_sym Ki)); pose proof (B j k Hj Hk (not_eq_sym Kj));
      unfold difference, comparisons in *; lra.
  - right; split; [exact Pu |]; intros k Hk Ki Kj; rewrite !B by auto; reflexivity.
Qed.
Corollary consistent_low_noise_balanced phi g b : regular phi g -> pushes g -> (forall x, b <= phi x) ->
  consistent_under (both low_noise balanced) (edge_loss identity phi).
Proof.
  intros reg Pu Hb m p HD [L B]; apply (consistent_rows_balanced phi g b reg Pu Hb m p HD).
  split; [apply low_noise_rows, L | exact B].
Qed.

(* --- Strong transitivity and product designs --------------------------------------------------------------- *)

Lemma product_dominates m a (w : scores) (P : matrix) i j :
  (forall k, (k < m)%nat -> 0 < w k) -> (forall i j, P i j + P j i = 1) ->
  (forall i j, (i < m)%nat -> (j < m)%nat -> i <> j -> a i j = w i * w j * P i j) ->
  strongly_transitive m P -> (i < m)%nat -> (j < m)%nat -> i <> j -> 1/2 < P i j ->
  dominates m a (w j) (w i) i j /\ proportional m a (w j) (w i) i j.
Proof.
  intros W S A T Hi Hj Hij H; pose proof (W i Hi) as Wi; pose proof (W j Hj) as Wj; split; [split |].
  - rewrite !A by auto; pose proof (S i j); assert (0 < w i * w j) by nra; nra.
  - intros k Hk Ki Kj; pose proof (T i j k Hi Hj Hk Hij Ki Kj H) as Q; pose proof (W k Hk); pose proof (S i k);
      pose proof (S j k).
    assert (V : 0 < w i * w j * w k) by (repeat apply Rmult_lt_0_compat; assumption).
    rewrite (A i k), (A j k), (A k i), (A k j) by auto; split; nra.
  - intros k Hk Ki Kj; unfold comparisons; rewrite (A i k), (A j k), (A k i), (A k j) by auto.
    replace (P k i) with (1 - P i k) by (rewrite <- (S i k); ring).
    replace (P k j) with (1 - P j k) by (rewrite <- (S j k); ring); ring.
Qed.
(* A regular edge loss with u >= 0, bounded below, is edge-consistent where both contestants are drawn independently and
   preferences are strongly transitive. *)
Theorem consistent_transitive_product phi g b : regular phi g -> pushes g -> (forall x, b <= phi x) ->
  consistent_under transitive_product (edge_loss identity phi).
Proof.
  intros reg Pu Hb m p HD (w & P & W & S & T & A).
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
  - intros i j Hi Hj H; destruct (E i j Hi Hj H) as [N Q]; pose proof (W i Hi); pose proof (W j Hj).
    destruct (product_dominates m _ w P i j W S A T Hi Hj N Q).
    apply (separated_by_domination m _ (fun i j _ _ => aggregate_nonneg m p i j HD) phi g (w j) (w i)) with b; auto; lra.
Qed.
