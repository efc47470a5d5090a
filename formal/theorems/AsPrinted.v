(* Two slips in the printed proofs of DMJ10 Theorems 11 and 12, which do not touch the theorems. *)
From ConsistencyLab.base Require Import Prelude Sums Ranking Aggregate.
Open Scope R_scope.

(* The proof of Theorem 11 takes the edges 12, 13 and the edges 23, 31 with probability 1/2 each, and asks for
   a13 > a12, a13 > a31 and a small a23 <= (a13 - a12)/2. That leaves room for weights without low noise; it takes
   a13 > a12 + a31 and a23 <= a13 - a12 - a31. *)
Definition two_graphs a12 a13 a23 a31 : distribution :=
  [(1/2, [Edge 0 1 a12; Edge 0 2 a13]); (1/2, [Edge 1 2 a23; Edge 2 0 a31])].
Theorem theorem_11_printed_choice : exists a12 a13 a23 a31, 0 < a12 < a13 /\ 0 < a31 < a13 /\
  0 < a23 <= (a13 - a12) / 2 /\ ~ low_noise 3%nat (aggregate (two_graphs a12 a13 a23 a31)).
Proof.
  exists 2, 3, (1/4), (5/2); repeat split; try lra; intros L.
  specialize (L 0%nat 1%nat 2%nat ltac:(lia) ltac:(lia) ltac:(lia)); revert L.
  unfold difference, aggregate, mean, ind; cbn; intros L; lra.
Qed.

(* The example of Theorem 12 has the probabilities .25 of the edge 12, .01 of 23, .5 of 13 and .24 of 31. Those of 13 and
   23 are exchanged in print, and then the difference graph is a cycle. *)
Definition four_graphs p12 p23 p13 p31 : distribution :=
  [(p12, [Edge 0 1 1]); (p23, [Edge 1 2 1]); (p13, [Edge 0 2 1]); (p31, [Edge 2 0 1])].
Theorem theorem_12_printed_weights : low_noise 3%nat (aggregate (four_graphs (25/100) (1/100) (50/100) (24/100))) /\
  ~ acyclic_differences 3%nat (aggregate (four_graphs (25/100) (50/100) (1/100) (24/100))).
Proof.
  split.
  - intros [|[|[|i]]] [|[|[|j]]] [|[|[|k]]] Hi Hj Hk; try lia; unfold difference, aggregate, mean, ind; cbn; lra.
  - intros (good & G); pose proof (G 0%nat 1%nat ltac:(lia) ltac:(lia)) as G1;
      pose proof (G 1%nat 2%nat ltac:(lia) ltac:(lia)) as G2.
    pose proof (G 2%nat 0%nat ltac:(lia) ltac:(lia)) as G3; revert G1 G2 G3; unfold difference, aggregate, mean, ind;
      cbn; intros; lra.
Qed.
