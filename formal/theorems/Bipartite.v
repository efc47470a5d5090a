(* Bipartite ranking: every regular edge loss, bounded below, orders items by their chances of being relevant, which is
   best for the AUC. phi may rise again, and u may have any sign. *)
From ConsistencyLab.base Require Import Prelude Sums Ranking Convex Descent Aggregate Near Consistency.
Open Scope R_scope.

Section Bipartite.
Variables (phi g : R -> R) (b : R) (m : nat) (a : matrix) (w eta : scores).
Hypotheses (reg : regular phi g) (below : forall x, b <= phi x).
Hypothesis counts : forall i j, (i < m)%nat -> (j < m)%nat -> 0 <= a i j.
Hypothesis W : forall i, (i < m)%nat -> 0 < w i /\ 0 <= eta i <= 1.
Hypothesis A : forall i j, (i < m)%nat -> (j < m)%nat -> i <> j -> a i j = w i * w j * (eta i * (1 - eta j)).

(* The pull on a relevant item at x, and on another one. *)
Definition up alpha x := sum (fun k => w k * (1 - eta k) * - g (x - alpha k)) m.
Definition down alpha x := sum (fun k => w k * eta k * - g (alpha k - x)) m.
Lemma bipartite_push alpha i : (i < m)%nat ->
  push m a g alpha i = - w i * (eta i * up alpha (alpha i) - (1 - eta i) * down alpha (alpha i)).
Proof.
  intros Hi; unfold push, up, down; rewrite <- !sum_scal, <- sum_minus, <- sum_scal; apply sum_ext; intros k Hk.
  destruct (Nat.eq_dec i k) as [<- | N]; [ring | rewrite !A by auto; ring].
Qed.
Lemma bipartite_separated i j : (i < m)%nat -> (j < m)%nat -> eta j < eta i -> separated m a phi i j.
Proof.
  intros Hi Hj H; destruct (regular_slopes phi g reg) as (D & mono & g0), (W i Hi) as [Wi Ei], (W j Hj) as [Wj Ej].
  destruct (least_positive (fun k _ => w k * eta k) m) as (mu & Pmu & Mu).
  set (x := w i * eta i * - g 0); set (y := w j * (1 - eta j) * - g 0).
  assert (X : 0 < x) by (unfold x; repeat apply Rmult_lt_0_compat; lra).
  assert (Y : 0 < y) by (unfold y; repeat apply Rmult_lt_0_compat; lra).
  set (d := Rmin x y / 4); pose proof (Rmin_l x y); pose proof (Rmin_r x y); pose proof (Rmin_pos x y X Y).
  assert (Pd : 0 < d) by (unfold d; lra).
  set (c := Rmin ((eta i - eta j) * (w i * w j) * d) (Rmin (w j * d) (mu * d))).
  assert (C : 0 < c /\ c <= (eta i - eta j) * (w i * w j) * d /\ c <= w j * d /\ c <= mu * d).
  { pose proof (Rmin_l ((eta i - eta j) * (w i * w j) * d) (Rmin (w j * d) (mu * d)));
      pose proof (Rmin_r ((eta i - eta j) * (w i * w j) * d) (Rmin (w j * d) (mu * d)));
      pose proof (Rmin_l (w j * d) (mu * d)); pose proof (Rmin_r (w j * d) (mu * d)).
    repeat split; try (unfold c; lra); unfold c; repeat apply Rmin_pos; repeat apply Rmult_lt_0_compat; lra. }
  destruct C as (C0 & C1 & C2 & C3).
  apply (steep m a counts phi g b reg below c (w i + w j + 1) (fun alpha => alpha i <= alpha j) C0); intros alpha L.
  set (P := up alpha (alpha j)); set (Q := down alpha (alpha j)).
  assert (Pi : P <= up alpha (alpha i)).
  { apply sum_le; intros k Hk; destruct (W k Hk) as [Wk Ek]; apply Rmult_le_compat_l; [apply Rmult_le_pos; lra |].
    pose proof (mono (alpha i - alpha k) (alpha j - alpha k) ltac:(lra)); lra. }
  assert (Qi : down alpha (alpha i) <= Q).
  { apply sum_le; intros k Hk; destruct (W k Hk) as [Wk Ek]; apply Rmult_le_compat_l; [apply Rmult_le_pos; lra |].
    pose proof (mono (alpha k - alpha j) (alpha k - alpha i) ltac:(lra)); lra. }
  set (F := eta j * P - (1 - eta j) * Q).
  assert (Fj : push m a g alpha j = - w j * F) by (apply bipartite_push, Hj).
  destruct (Rle_lt_dec d (P + Q)) as [S | S]; [| destruct (Rle_lt_dec d (Rabs F)) as [S' | S']].
  - (* Both directions pull apart: i up and j down. *)
    exists (lift (w j) (w i) i j); split; [intros; eapply Rle_trans; [apply lift_bound |]; lra |].
    rewrite slope_lift, Fj, bipartite_push by assumption; unfold F.
    set (Pi' := up alpha (alpha i)) in *; set (Qi' := down alpha (alpha i)) in *.
    assert (K : eta i * P - (1 - eta i) * Q <= eta i * Pi' - (1 - eta i) * Qi') by nra.
    assert (V : 0 < w i * w j) by (apply Rmult_lt_0_compat; assumption).
    assert (K2 : (eta i - eta j) * (w i * w j) * d <= (eta i - eta j) * (w i * w j) * (P + Q))
      by (apply Rmult_le_compat_l; [apply Rmult_le_pos |]; lra).
    apply (Rmult_le_compat_l (w i * w j)) in K; [lra | lra].
  - (* j is not at rest. *)
    destruct (Rle_lt_dec 0 F) as [N | N]; [rewrite Rabs_right in S' by lra | rewrite Rabs_left in S' by lra].
    + exists (lift 1 0 j i); split; [intros; eapply Rle_trans; [apply lift_bound |]; lra |].
      rewrite slope_lift, Fj by assumption; nra.
    + exists (lift 0 1 i j); split; [intros; eapply Rle_trans; [apply lift_bound |]; lra |].
      rewrite slope_lift, Fj by assumption; nra.
  - (* The items far above j go down together. *)
    apply Rabs_def2 in S'; assert (HP : P < 2 * d /\ Q < 2 * d) by (unfold F in S'; split; nra).
    set (far := fun k => if Rlt_dec 0 (g (alpha k - alpha j)) then 1 else 0 : R).
    assert (Far : exists f, (f < m)%nat /\ 0 < eta f /\ far f = 1).
    { apply Classical_Prop.NNPP; intros N; assert (x <= Q); [| unfold d in *; lra].
      apply Rle_trans with (w i * eta i * - g (alpha i - alpha j)).
      - unfold x; apply Rmult_le_compat_l; [apply Rmult_le_pos; lra |]; pose proof (mono (alpha i - alpha j) 0); lra.
      - unfold Q, down; rewrite <- (sum_delta (fun k => w k * eta k * - g (alpha k - alpha j)) m i Hi).
        apply sum_le; intros k Hk; destruct (W k Hk) as [Wk Ek].
        assert (0 <= w k * eta k * - g (alpha k - alpha j)); [| destruct (k =? i)%nat; lra].
        destruct (proj1 Ek) as [E | <-]; [| lra]; repeat apply Rmult_le_pos; try lra.
        apply Rnot_lt_le; intros G; apply N; exists k; unfold far; destruct (Rlt_dec _ _); [auto | lra]. }
    destruct Far as (f & Hf & Ef & Ff).
    assert (Up : forall k, far k = 1 -> 0 < g (alpha k - alpha j) /\ alpha j < alpha k).
    { intros k; unfold far; destruct (Rlt_dec _ _) as [G |]; [intros _; split; [exact G |] | lra].
      apply Rnot_le_lt; intros N; pose proof (mono (alpha k - alpha j) 0 ltac:(lra)); lra. }
    assert (Zero : forall k, far k = 1 \/ far k = 0 /\ g (alpha k - alpha j) <= 0)
      by (intros k; unfold far; destruct (Rlt_dec _ _); [left | right; split]; lra).
    exists (fun k => - far k); split.
    { intros k l; apply Rabs_le; destruct (Zero k) as [-> | [-> _]], (Zero l) as [-> | [-> _]]; lra. }
    set (T := fun k l => far k * (1 - far l) * (a l k * g (alpha l - alpha k) - a k l * g (alpha k - alpha l))).
    assert (E : slope m a g alpha (fun k => - far k) = sum (fun k => sum (T k) m) m).
    { transitivity (sum (fun k => sum (fun l => far l * (1 - far k) * (a k l * g (alpha k - alpha l))) m) m
        - sum (fun k => sum (fun l => far k * (1 - far l) * (a k l * g (alpha k - alpha l))) m) m).
      - unfold slope; rewrite <- sum_minus; apply sum_ext; intros; rewrite <- sum_minus; apply sum_ext; intros; ring.
      - rewrite sum_swap, <- sum_minus; apply sum_ext; intros; rewrite <- sum_minus; apply sum_ext; intros.
        unfold T; ring. }
    rewrite E; clear E; apply Rle_trans with (sum (fun k => far k * (w k * eta k) * - d) m).
    + apply sum_le; intros k Hk; destruct (W k Hk) as [Wk Ek]; destruct (Zero k) as [Fk | [Fk _]].
      2: { unfold T; rewrite Fk, (sum_ext _ (fun _ => 0)), sum_zero by (intros; ring); lra. }
      destruct (Up k Fk) as [Gk Ak].
      apply Rle_trans with (sum (fun l => w k * eta k * (w l * (1 - eta l) * - g (alpha j - alpha l) -
        (if (l =? j)%nat then y else 0))) m).
      * apply sum_le; intros l Hl; destruct (W l Hl) as [Wl El]; unfold T; rewrite Fk.
        destruct (Zero l) as [Fl | [Fl Gl]]; rewrite Fl.
        -- destruct (Up l Fl) as [_ Al]; pose proof (mono (alpha j - alpha l) 0 ltac:(lra)).
           destruct (Nat.eqb_spec l j) as [-> |]; [lra |]; replace (1 * (1 - 1) * _) with 0 by ring.
           repeat apply Rmult_le_pos; try lra; rewrite Rminus_0_r; repeat apply Rmult_le_pos; lra.
        -- assert (Lk : alpha l < alpha k) by (apply Rnot_le_lt; intros N; pose proof (mono (alpha k - alpha j)
             (alpha l - alpha j) ltac:(lra)); lra).
           rewrite !A by (assumption || (intros ->; lra)).
           pose proof (mono (alpha l - alpha k) 0 ltac:(lra)).
           apply Rle_trans with (w k * eta k * (w l * (1 - eta l) * - g (alpha k - alpha l))).
           { assert (0 <= w l * w k * (eta l * (1 - eta k)) * - g (alpha l - alpha k)); [| lra].
             repeat apply Rmult_le_pos; lra. }
           apply Rmult_le_compat_l; [apply Rmult_le_pos; lra |]; destruct (Nat.eqb_spec l j) as [-> |].
           ++ rewrite Rminus_eq_0 at 1; unfold y; assert (0 <= w j * (1 - eta j)) by (apply Rmult_le_pos; lra); nra.
           ++ rewrite Rminus_0_r; apply Rmult_le_compat_l; [apply Rmult_le_pos; lra |].
              pose proof (mono (alpha j - alpha l) (alpha k - alpha l) ltac:(lra)); lra.
      * rewrite sum_scal, sum_minus, (sum_delta (fun _ => y) m j Hj), Fk; fold (up alpha (alpha j)) P.
        rewrite Rmult_1_l; apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | unfold d in *; lra].
    + rewrite (sum_ext _ (fun k => - d * (far k * (w k * eta k)))) by (intros; ring); rewrite sum_scal.
      assert (mu <= sum (fun k => far k * (w k * eta k)) m); [| nra].
      apply Rle_trans with (far f * (w f * eta f)); [rewrite Ff, Rmult_1_l; apply (Mu f Hf f Hf), Rmult_lt_0_compat; [apply W |]; assumption |].
      rewrite <- (sum_delta (fun k => far k * (w k * eta k)) m f Hf); apply sum_le; intros k Hk.
      destruct (W k Hk) as [Wk Ek]; assert (0 <= w k * eta k) by (apply Rmult_le_pos; lra).
      destruct (k =? f)%nat, (Zero k) as [-> | [-> _]]; lra.
Qed.
End Bipartite.

Theorem consistent_bipartite phi g b : regular phi g -> (forall x, b <= phi x) ->
  consistent_under bipartite (edge_loss identity phi).
Proof.
  intros reg Hb m p HD (w & eta & W & A).
  assert (O : forall i j, (i < m)%nat -> (j < m)%nat -> 0 < diff p i j -> eta j < eta i).
  { intros i j Hi Hj H; assert (N : i <> j) by (intros ->; unfold difference in H; lra).
    unfold difference in H; rewrite !A in H by auto; destruct (W i Hi) as [Wi _], (W j Hj) as [Wj _].
    assert (P : 0 < w i * w j) by (apply Rmult_lt_0_compat; assumption).
    destruct (Rlt_le_dec (eta j) (eta i)); [assumption | exfalso]; nra. }
  apply (separated_consistent m p phi b); auto; [exists eta; exact O |]; intros i j Hi Hj H.
  apply (bipartite_separated phi g b m (aggregate p) w eta reg Hb); auto; intros; apply (aggregate_nonneg m), HD.
Qed.
