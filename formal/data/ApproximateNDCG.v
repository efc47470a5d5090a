(* pairwise-012-approx-ndcg-10.json: W certainly comes as near as one likes to its infimum outside A(p).
   Written by consistency-lab export from pairwise-012-approx-ndcg-10.json. Its items are
   0 = 1,
   1 = 2,
   2 = 3. *)
From Coq Require Import Reals Lia Arith List ZArith QArith.
From ConsistencyLab.base Require Import Sums Ranking Scalars Labels.
From ConsistencyLab.theorems Require Import Means Luce.
From ConsistencyLab.check Require Import Tables MeansOfTables.
Import ListNotations.
Open Scope R_scope.

Definition m : nat := 3.
(* The probability of each label, and what the predictions lose there. The theorem is about every loss with
   these values; that the target of the file has them is not proved here. *)
Definition ps : list Q := [(1 # 3); (2 # 3)]%Q.
Definition n : nat := length ps.
Definition p : nat -> R := at_label ps.
Definition predictions : list (list nat) := ([
  [0; 2; 1];
  [0; 1; 2] ])%nat.
Definition losses : list (list number) := ([
  [Num 1; Num 2];
  [Num 1; Num 0] ])%number.
Lemma p_probabilities : probabilities n p.
Proof. apply probabilities_sound; vm_compute; reflexivity. Qed.

(* Approximate positions with any discount g, such as 1/r or 1/log2(1+r), at any temperature T. *)
Section EveryDiscount.
Variables (T : R) (g : R -> R).
Hypothesis warm : 0 < T.
Hypothesis discounted : discount g.
(* The features f of each label. *)
Definition features : list (list number) := ([
  [Num 0; Num 0; Num 1 / (Num 1 / (Log 2 2))];
  [Num 3 * (Num 1 / ((Num 3 * (Num 1 / (Log 2 2))) + (Num 1 / (Log 3 2)))); Num 1 / ((Num 3 * (Num 1 / (Log 2 2))) + (Num 1 / (Log 3 2))); Num 0] ])%number.
Definition psi : nat -> scores -> R := fun y => positions m T g (entry features y).
(* The mean goes down along this order; scores far apart in it come near the infimum. *)
Definition best : list nat := [0; 2; 1]%nat.
Lemma least : reached m (fun u => u) (label_risk n p psi) (ranked best).
Proof.
  apply (positions_sound m ps features best p_probabilities);
    [vm_compute; reflexivity .. | exact warm | exact discounted].
Qed.

(* Near the infimum every order that sorting may return costs more than [0; 1; 2]. *)
Theorem replayed : probabilities n p /\ forall L, stated n predictions losses L ->
  forall decode, sorting m (fun u => u) decode -> ~ calibrated_at n m p L psi decode.
Proof.
  split; [exact p_probabilities |].
  apply (strict_sound _ m ps predictions losses 1 (rank_range best) (fun u => u) psi _ p_probabilities
    (fun k _ => rank_known best k) least); vm_compute; reflexivity.
Qed.
End EveryDiscount.
