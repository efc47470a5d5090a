(* What most files use of Coq's library. *)
From Coq Require Export Reals Lra Lia Arith List Permutation Sorted.
Export ListNotations.
