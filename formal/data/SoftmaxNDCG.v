(* ndcg-012-softmax.json: W certainly comes as near as one likes to its infimum outside A(p).
   Written by consistency-lab export from ndcg-012-softmax.json. Its items are
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
Definition ps : list Q := [(1 # 2); (1 # 2)]%Q.
Definition n : nat := length ps.
Definition p : nat -> R := at_label ps.
Definition predictions : list (list nat) := ([
  [0; 2; 1];
  [0; 1; 2] ])%nat.
Definition losses : list (list number) := ([
  [Num 1 - ((Num 1 / ((Num 3 * (Num 1 / (Log 2 2))) + (Num 1 / (Log 3 2)))) * ((Num 3 * (Num 1 / (Log 2 2))) + (Num 1 / (Log 3 2)))); Num 1 - ((Num 1 / ((Num 3 * (Num 1 / (Log 2 2))) + (Num 1 / (Log 3 2)))) * ((Num 3 * (Num 1 / (Log 2 2))) + (Num 1 / (Log 4 2))))];
  [Num 1 - ((Num 1 / (((Num 3 * (Num 1 / (Log 2 2))) + (Num 1 / (Log 3 2))) + (Num 1 / (Log 4 2)))) * (((Num 1 / (Log 2 2)) + (Num 1 / (Log 3 2))) + (Num 3 * (Num 1 / (Log 4 2))))); Num 1 - ((Num 1 / (((Num 3 * (Num 1 / (Log 2 2))) + (Num 1 / (Log 3 2))) + (Num 1 / (Log 4 2)))) * (((Num 1 / (Log 2 2)) + (Num 3 * (Num 1 / (Log 3 2)))) + (Num 1 / (Log 4 2))))] ])%number.
Lemma p_probabilities : probabilities n p.
Proof. apply probabilities_sound; vm_compute; reflexivity. Qed.

(* The features f of each label, whose mean decides: psi is softmax. *)
Definition features : list (list number) := ([
  [Num (2 # 3); Num 0; Num (1 # 3)];
  [Num (1 # 4); Num (1 # 2); Num (1 # 4)] ])%number.
Definition psi : nat -> scores -> R := fun y => softmax m (entry features y).
Lemma least : reached m (fun u => u) (label_risk n p psi) (mean_of n p (entry features)).
Proof. apply (softmax_sound m ps features p_probabilities); [unfold m; lia | vm_compute; reflexivity]. Qed.

(* Near the infimum every order that sorting may return costs more than [0; 1; 2]. *)
Theorem replayed : probabilities n p /\ forall L, stated n predictions losses L ->
  forall decode, sorting m (fun u => u) decode -> ~ calibrated_at n m p L psi decode.
Proof.
  split; [exact p_probabilities |].
  apply (strict_sound _ m ps predictions losses 1 (mean_at ps features) (fun u => u) psi _ p_probabilities
    (fun k _ => mean_known ps features k p_probabilities) least); vm_compute; reflexivity.
Qed.
