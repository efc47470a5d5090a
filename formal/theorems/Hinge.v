(* RankSVM's hinge loss can invert an edge strictly under additive differences, at four items: not only at some minimizer,
   but at all scores whose risk is near the minimum. *)
From Coq Require Import Reals Lra Lia Arith List.
From ConsistencyLab.base Require Import Sums Ranking Scalars Aggregate.
Import ListNotations.
Open Scope R_scope.

Definition p : distribution :=
  [(1/2, [Edge 0 1 2; Edge 0 2 6; Edge 0 3 26; Edge 1 2 4; Edge 1 3 14; Edge 2 3 10]); (1/2, [Edge 3 0 10])].
Lemma p_distribution : is_distribution 4 p.
Proof.
  split; [| cbn; lra]; repeat apply Forall_cons; try apply Forall_nil; cbn [fst snd]; (split; [lra | split;
    [repeat constructor; cbn; try lra; lia |]]).
  - exists (fun i => i); repeat constructor; cbn; lia.
  - exists (fun i => 3 - i)%nat; repeat constructor; cbn; lia.
Qed.
Lemma p_additive : additive 4%nat (aggregate p).
Proof. exists (fun i => match i with 0%nat => 8 | 1%nat => 7 | 2%nat => 5 | _ => 0 end);
  intros [|[|[|[|i]]]] [|[|[|[|j]]]] Hi Hj; try lia; unfold difference, aggregate, mean, ind; cbn; lra. Qed.
Definition hat : scores := fun i => match i with 0%nat => 1 | 1%nat => 2 | 2%nat => 1 | _ => 0 end.
Lemma hinge_at x y : Rmax 0 (1 - x) = y -> hinge x = y.
Proof. exact (fun H => H). Qed.
Lemma cost_hat : edge_loss identity hinge 4%nat p hat = 15.
Proof.
  unfold edge_loss, mean, p, hat, identity; cbn [total fst snd src dst wt].
  replace (hinge (1 - 2)) with 2 by (symmetry; apply hinge_at; rewrite hinge_left; lra).
  replace (hinge (1 - 1)) with 1 by (symmetry; apply hinge_at; rewrite hinge_left; lra).
  replace (hinge (1 - 0)) with 0 by (symmetry; apply hinge_at; rewrite hinge_left; lra).
  replace (hinge (2 - 1)) with 0 by (symmetry; apply hinge_at; rewrite hinge_left; lra).
  replace (hinge (2 - 0)) with 0 by (symmetry; apply hinge_at; rewrite hinge_right; lra).
  replace (hinge (0 - 1)) with 2 by (symmetry; apply hinge_at; rewrite hinge_left; lra).
  lra.
Qed.
Ltac lines := repeat match goal with |- context [hinge ?x] =>
  let h := fresh "h" in pose proof (Rmax_l 0 (1 - x) : 0 <= hinge x);
    pose proof (Rmax_r 0 (1 - x) : 1 - x <= hinge x); generalize dependent (hinge x) end.

(* Scores that do not invert the edge cost at least 16; the minimum is 15. *)
Lemma gap alpha : alpha 0%nat >= alpha 1%nat -> edge_loss identity hinge 4%nat p alpha >= 16.
Proof. unfold edge_loss, mean, p, identity; cbn [total fst snd src dst wt]; lines; intros; lra. Qed.
(* A minimizer exists, and everything within 1 of the minimum inverts the edge from 0 to 1. *)
Theorem hinge_inverts : is_distribution 4 p /\ additive 4%nat (aggregate p) /\ 0 < diff p 0 1 /\
  (exists alpha, forall beta, edge_loss identity hinge 4%nat p alpha <= edge_loss identity hinge 4%nat p beta) /\
  (forall alpha, edge_loss identity hinge 4%nat p alpha < 16 -> alpha 0%nat < alpha 1%nat).
Proof.
  split; [exact p_distribution | split; [exact p_additive | split; [unfold difference, aggregate, mean, ind; cbn;
    lra | split]]].
  - exists hat; intros beta; rewrite cost_hat; unfold edge_loss, mean, p, identity; cbn [total fst snd src dst wt];
      lines; intros; lra.
  - intros alpha H; destruct (Rlt_le_dec (alpha 0%nat) (alpha 1%nat)) as [| C]; [assumption | exfalso];
      pose proof (gap alpha (Rle_ge _ _ C)); lra.
Qed.
