(* What most files use of Coq's library. *)
From Coq Require Export Reals Lra Lia Arith List Permutation Sorted.
Export ListNotations.

(* Splits a test that succeeded into the tests T, T0, ... that it consists of. *)
Ltac tests H := cbv beta zeta in H; repeat match type of H with
  | (if ?b then _ else _) = _ => let T := fresh "T" in match type of b with bool => destruct b eqn:T end; try discriminate H; [idtac]
  | match ?o with Some _ => _ | None => _ end = _ => let T := fresh "T" in let v := fresh "v" in
      destruct o as [v |] eqn:T; [| discriminate H]
  end; repeat match goal with
  | T : (_ <? _)%nat = true |- _ => apply Nat.ltb_lt in T
  | T : (_ =? _)%nat = true |- _ => apply Nat.eqb_eq in T
  end.
