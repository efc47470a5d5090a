(* Systems of linear inequalities without a solution, from Farkas multipliers that Coq itself adds up (vm_compute):
   a checker of rational systems, proved sound about real unknowns. *)
From Coq Require Import QArith Qreals Bool.
From ConsistencyLab.base Require Import Prelude.
From ConsistencyLab.check Require Import Rationals.
Open Scope R_scope.

(* A row r_0, r_1, ... of rational coefficients at the unknowns x_0, x_1, ... *)
Fixpoint value (row : list Q) (x : nat -> R) : R :=
  match row with [] => 0 | a :: rest => Q2R a * x 0%nat + value rest (fun k => x (S k)) end.
(* Rows with their right-hand sides: A x <= b and E x = f, for x >= 0. *)
Record system := System { upper : list (list Q * Q); equal : list (list Q * Q) }.
Definition solves (s : system) (x : nat -> R) : Prop := (forall k, 0 <= x k) /\
  Forall (fun r => value (fst r) x <= Q2R (snd r)) (upper s) /\
  Forall (fun r => value (fst r) x = Q2R (snd r)) (equal s).

(* a + y b, with a row of 0 at the end of the shorter one. *)
Fixpoint add (y : Q) (a b : list Q) : list Q :=
  match a, b with
  | _, [] => a
  | [], t :: b => Qred (y * t) :: add y [] b
  | s :: a, t :: b => Qred (s + y * t) :: add y a b end.
(* The rows times their multipliers, added up. *)
Fixpoint combined (ys : list Q) (rows : list (list Q * Q)) : list Q * Q :=
  match ys, rows with
  | y :: ys, (a, b) :: rows => let (c, d) := combined ys rows in (add y c a, Qred (d + y * b))
  | _, _ => ([], 0%Q) end.
(* Multipliers y >= 0 of A and z of E with y A + z E >= 0 and y b + z f < 0; one for each row, rows of one length. *)
Definition farkas_check (s : system) (y z : list Q) : bool := let (c, d) := combined (y ++ z) (upper s ++ equal s) in
  if forallb (Qle_bool 0) y then if (length y =? length (upper s))%nat then if (length z =? length (equal s))%nat then
  if forallb (fun r => length (fst r) =? length c)%nat (upper s ++ equal s) then
  if forallb (Qle_bool 0) c then negb (Qle_bool 0 d) else false else false else false else false else false.

Lemma value_add y a b x : value (add y a b) x = value a x + Q2R y * value b x.
Proof.
  revert a x; induction b as [| t b IH]; intros a x; [destruct a; cbn; ring |].
  destruct a as [| s a]; cbn [add value]; rewrite IH, qred_R, ?Q2R_plus, Q2R_mult; cbn [value]; ring.
Qed.
Lemma value_nonneg c : forallb (Qle_bool 0) c = true -> forall x, (forall k, 0 <= x k) -> 0 <= value c x.
Proof.
  induction c as [| a c IH]; intros H x X; cbn [value]; [lra |].
  cbn in H; apply andb_prop in H; destruct H as [H1 H2]; apply Qle_bool_iff, Qle_Rle in H1; rewrite RMicromega.Q2R_0 in H1.
  pose proof (Rmult_le_pos _ _ H1 (X 0%nat)); pose proof (IH H2 (fun k => x (S k)) (fun k => X (S k))); lra.
Qed.
Lemma combined_upper y rows x : forallb (Qle_bool 0) y = true ->
  Forall (fun r => value (fst r) x <= Q2R (snd r)) rows -> length y = length rows -> forall zs more,
  value (fst (combined (y ++ zs) (rows ++ more))) x - Q2R (snd (combined (y ++ zs) (rows ++ more))) <=
  value (fst (combined zs more)) x - Q2R (snd (combined zs more)).
Proof.
  revert rows; induction y as [| t y IH]; intros [| [a b] rows] H F E zs more; try discriminate; cbn [app]; [lra |].
  cbn in H; apply andb_prop in H; destruct H as [H1 H2]; apply Qle_bool_iff, Qle_Rle in H1; rewrite RMicromega.Q2R_0 in H1.
  inversion F as [| ? ? F1 F2]; subst; injection E as E; specialize (IH rows H2 F2 E zs more); cbn [fst snd] in F1.
  cbn [combined]; destruct (combined (y ++ zs) (rows ++ more)) as [c d]; cbn [fst snd] in *.
  rewrite value_add, qred_R, Q2R_plus, Q2R_mult.
  assert (0 <= Q2R t * (Q2R b - value a x)) by (apply Rmult_le_pos; lra); lra.
Qed.
Lemma combined_equal z rows x : Forall (fun r => value (fst r) x = Q2R (snd r)) rows ->
  value (fst (combined z rows)) x = Q2R (snd (combined z rows)).
Proof.
  revert rows; induction z as [| t z IH]; intros rows F; [symmetry; apply RMicromega.Q2R_0 |].
  destruct F as [| [a b] rows F1 F2]; [symmetry; apply RMicromega.Q2R_0 |]; specialize (IH rows F2); cbn [combined].
  destruct (combined z rows) as [c d]; cbn [fst snd] in *.
  rewrite value_add, qred_R, Q2R_plus, Q2R_mult, F1, IH; reflexivity.
Qed.
(* A solution would give 0 <= (y A + z E) x <= y b + z f < 0. *)
Theorem farkas_sound s y z : farkas_check s y z = true -> ~ exists x, solves s x.
Proof.
  intros H (x & X & U & E); unfold farkas_check in H.
  destruct (combined (y ++ z) (upper s ++ equal s)) as [c d] eqn:C; tests H.
  pose proof (combined_upper y _ x T U T0 z (equal s)) as K; rewrite C, (combined_equal z _ x E) in K.
  pose proof (value_nonneg c T3 x X); cbn [fst snd] in K.
  assert (D : ~ (0 <= d)%Q) by (intros D; apply Qle_bool_iff in D; rewrite D in H; discriminate).
  apply D, Rle_Qle; rewrite RMicromega.Q2R_0; lra.
Qed.
(* Systems, each with its multipliers. *)
Theorem farkas_all l : forallb (fun e => farkas_check (fst (fst e)) (snd (fst e)) (snd e)) l = true ->
  Forall (fun e => ~ exists x, solves (fst (fst e)) x) l.
Proof.
  intros H; apply Forall_forall; intros [[s y] z] I; rewrite forallb_forall in H.
  exact (farkas_sound s y z (H _ I)).
Qed.
