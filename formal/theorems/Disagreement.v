(* RAT13 Theorems 6 and 7: pairwise disagreement, by least squares on scores of the preference graph, decoded
   by sorting, and by least squares on ordered pairs, decoded by Algorithm 1. *)
From Coq Require Import Classical_Prop.
From ConsistencyLab.base Require Import Prelude Sums Scalars Ranking Orders Calibration.
From ConsistencyLab.theorems Require Import LowRank.
Open Scope R_scope.

(* A label y is a weighted graph, where y_ij is the weight of i before j. Nothing is asked of it: it may have
   cycles, and weights below 0. The loss is the sum of y_ij over the i, j with sigma(i) > sigma(j). *)
Definition disagreement (r : nat) (y : matrix) (l : list nat) : R :=
  sum (fun i => sum (fun j => y i j * if (place l j <? place l i)%nat then 1 else 0) r) r.
(* E Y_ij *)
Definition means (p : list (R * matrix)) : matrix := fun i j => mean p (fun y => y i j).
(* P_f: the mean of f decides the right order. *)
Definition P_f (r : nat) (f : matrix -> scores) (p : list (R * matrix)) := forall i j, (i < r)%nat -> (j < r)%nat ->
  means p j i < means p i j -> mean p (fun y => f y j) < mean p (fun y => f y i).
(* P_DAG: the graph of the edges with E Y_ij > E Y_ji has no cycle. *)
Definition P_DAG (r : nat) (p : list (R * matrix)) := acyclic_differences r (means p).

Lemma expected_disagreement r p l : mean p (fun y => disagreement r y l) = disagreement r (means p) l.
Proof.
  unfold disagreement; rewrite mean_sum; apply sum_ext; intros i _.
  rewrite mean_sum; apply sum_ext; intros j _.
  unfold means; rewrite Rmult_comm, <- mean_scal; apply mean_ext; intros; ring.
Qed.
(* Twice the loss, pair by pair: an order that has i before j wherever E Y_ij > E Y_ji loses least, and any other more. *)
Definition both_ways (u : matrix) (l : list nat) i j : R := u i j * (if (place l j <? place l i)%nat then 1 else 0)
  + u j i * (if (place l i <? place l j)%nat then 1 else 0).
Lemma twice r u l : 2 * disagreement r u l = sum (fun i => sum (both_ways u l i) r) r.
Proof.
  rewrite double; unfold disagreement at 1; rewrite sum_swap; unfold disagreement, both_ways.
  rewrite Rplus_comm, <- sum_plus; apply sum_ext; intros i _; now rewrite <- sum_plus.
Qed.
Definition along r (u : matrix) l :=
  forall i j, (i < r)%nat -> (j < r)%nat -> u j i < u i j -> (place l i < place l j)%nat.
Lemma along_pair r u l s i j : ranking r l -> ranking r s -> along r u l -> (i < r)%nat -> (j < r)%nat ->
  both_ways u l i j <= both_ways u s i j /\
  (u j i < u i j -> (place s j < place s i)%nat -> both_ways u l i j < both_ways u s i j).
Proof.
  intros Rl Rs Along Hi Hj; unfold both_ways.
  destruct (Nat.eq_dec i j) as [<- | N]; [rewrite !Nat.ltb_irrefl; split; intros; lra |].
  assert (D : forall k, ranking r k -> place k i <> place k j)
    by (intros k Rk E; apply N, (place_injective k i j); [now apply (ranking_in r k) | exact E]).
  pose proof (D l Rl); pose proof (D s Rs).
  destruct (Rtotal_order (u i j) (u j i)) as [L | [L | L]];
    [pose proof (Along j i Hj Hi L) | | pose proof (Along i j Hi Hj L)];
    destruct (Nat.ltb_spec (place l i) (place l j)), (Nat.ltb_spec (place l j) (place l i)),
      (Nat.ltb_spec (place s i) (place s j)), (Nat.ltb_spec (place s j) (place s i)); try lia; split; intros; lra || lia.
Qed.
Lemma along_is_best r p l : ranking r l -> along r (means p) l -> best (disagreement r) (ranking r) p l.
Proof.
  intros Rl Along; split; [exact Rl |]; intros s Rs; rewrite !expected_disagreement.
  enough (2 * disagreement r (means p) l <= 2 * disagreement r (means p) s) by lra; rewrite !twice.
  apply sum_le; intros i Hi; apply sum_le; intros j Hj; apply (along_pair r (means p) l s); assumption.
Qed.
Lemma best_is_along r p l : P_DAG r p -> best (disagreement r) (ranking r) p l -> along r (means p) l.
Proof.
  intros (good & G) [Rl Best] i j Hi Hj L; destruct (sorts_exists r good) as (s & So); apply sorts_places in So.
  destruct So as [Rs So]; assert (Along : along r (means p) s)
    by (intros x y Hx Hy M; apply So, G; try assumption; unfold difference; lra).
  apply Nat.nle_gt; intros K; specialize (Best s Rs); rewrite !expected_disagreement in Best.
  enough (2 * disagreement r (means p) s < 2 * disagreement r (means p) l) by lra; rewrite !twice.
  pose proof (fun x y Hx Hy => along_pair r (means p) s l x y Rs Rl Along Hx Hy) as T.
  apply sum_lt with i; [exact Hi | intros x Hx; apply sum_le; intros y Hy; apply T; assumption |].
  apply sum_lt with j; [exact Hj | intros y Hy; apply T; assumption |]; apply T; try assumption.
  destruct (proj1 (Nat.lt_eq_cases _ _) K) as [| E]; [assumption |]; apply (place_injective l) in E; [subst; lra |].
  apply (ranking_in r l); assumption.
Qed.

(* The ordered pairs of two items. *)
Definition pairs (r : nat) : list (nat * nat) :=
  filter (fun e => negb (fst e =? snd e)%nat) (list_prod (seq 0 r) (seq 0 r)).
Lemma in_pairs r i j : In (i, j) (pairs r) <-> (i < r)%nat /\ (j < r)%nat /\ i <> j.
Proof.
  unfold pairs; rewrite filter_In, in_prod_iff, !in_seq; cbn.
  destruct (Nat.eqb_spec i j); cbn; intuition (try lia; discriminate).
Qed.
(* By Theorem 3 a decoder is right for every p: it takes u to an order in which the sum of the u_ij with
   sigma(i) > sigma(j) is least. *)
Definition late (l : list nat) (e : nat * nat) : R := if (place l (snd e) <? place l (fst e))%nat then 1 else 0.
Corollary disagreement_calibrated r pred : (forall u, ranking r (pred u) /\ forall l, ranking r l ->
    dot (pairs r) u (late (pred u)) <= dot (pairs r) u (late l)) ->
  calibrated (disagreement r) (ranking r) (fun _ => True) (squares (pairs r) (fun y e => y (fst e) (snd e))) pred.
Proof.
  intros Pred; apply (rat13_theorem_3 _ _ _ (pairs r) _ late (fun _ => 0) (fun _ => 0)) with (words r r).
  - intros y l _; unfold dot, pairs; rewrite total_filter, total_prod, total_seq, !Rplus_0_r.
    + apply sum_ext; intros i _; now rewrite total_seq.
    + intros [i j] E; unfold late; cbn [fst snd] in *; destruct (Nat.eqb_spec i j) as [-> |]; [| discriminate].
      rewrite Nat.ltb_irrefl; ring.
  - apply ranking_word.
  - intros u; destruct (Pred u) as [Rl H]; split; [exact Rl |]; intros l Rk; specialize (H l Rk); lra.
Qed.

Lemma sorting_calibrated r f (P : list (R * matrix) -> Prop) : (forall p, is_law p -> P p -> P_f r f p) ->
  calibrated_for (disagreement r) (ranking r) P (squares (seq 0 r) f) (sorts r).
Proof.
  intros In_P; apply (calibrated_sorting _ _ _ _ r (fun i => i)); [intros i Hi; apply in_seq; lia |].
  intros p l law Pp S; apply sorts_places in S; destruct S as [Rl S]; apply along_is_best; [exact Rl |].
  intros i j Hi Hj L; apply S, (In_P p law Pp); assumption.
Qed.
Theorem rat13_theorem_6 r f pred : (forall u, sorts r u (pred u)) ->
  calibrated (disagreement r) (ranking r) (P_f r f) (squares (seq 0 r) f) pred.
Proof.
  intros So; apply (calibrated_by _ _ _ _ (sorts r)); [apply sorting_calibrated; auto | exact So].
Qed.
(* RAT13 section 7.1: within P_DAG it is right on P_f alone, ties being broken in the worst way. *)
Theorem exactly_P_f r f (P : list (R * matrix) -> Prop) : (forall p, P p -> P_DAG r p) ->
  calibrated_for (disagreement r) (ranking r) P (squares (seq 0 r) f) (sorts r) <->
  forall p, is_law p -> P p -> P_f r f p.
Proof.
  intros DAG; split; [| apply sorting_calibrated]; intros C p law Pp i j Hi Hj L; apply Rnot_le_lt; intros T.
  destruct (C p law Pp) as (c & (u & Lu) & Bad); set (mu := fun k => mean p (fun y => f y k)).
  rewrite (squares_excess p law _ f u) in Lu; pose proof (total_squares (fun k => u k - mu k) (seq 0 r)).
  destruct (sorts_before r mu i j) as (l & S & B); try assumption; [intros ->; lra |].
  enough (c <= mean p (fun y => squares (seq 0 r) f y mu)) by (unfold mu in *; lra); apply Bad; exists l.
  split; [exact S |]; intros O; apply (best_is_along r p l (DAG p Pp) O i j Hi Hj) in L; lia.
Qed.

(* psi_DMJ of RAT13 section 7.1, DMJ10's loss with lambda(x) = x²/2, is psi_f for f = wins less losses, over nu. *)
Definition psi_DMJ nu r (y : matrix) (u : scores) :=
  sum (fun i => sum (fun j => y i j * (u j - u i)) r + nu * half_square (u i)) r.
Theorem psi_DMJ_is_psi_f nu r y u : 0 < nu ->
  let psi := squares (seq 0 r) (fun (y : matrix) i => sum (fun j => y i j - y j i) r / nu) y in
  psi_DMJ nu r y u = nu / 2 * (psi u - psi (fun _ => 0)).
Proof.
  intros H; unfold psi_DMJ, squares, half_square; cbv zeta; rewrite !total_seq, <- sum_minus, <- sum_scal.
  transitivity (sum (fun i => sum (fun j => y i j * u j) r + (nu * (u i * u i / 2) - u i * sum (y i) r)) r).
  - apply sum_ext; intros i _; rewrite (sum_ext _ (fun j => y i j * u j - u i * y i j) r) by (intros; ring).
    rewrite sum_minus, sum_scal; ring.
  - rewrite sum_plus, sum_swap, <- sum_plus; apply sum_ext; intros i _.
    rewrite sum_minus, (sum_ext (fun j => y j i * u i) (fun j => u i * y j i) r), sum_scal by (intros; ring); field; lra.
Qed.

(* P_f is inside P_DAG, whatever f is; but not always strictly, as RAT13 section 7.2 has it: for two items and
   f = wins - losses, P_f is everything. *)
Theorem P_f_inside r f p : P_f r f p -> P_DAG r p.
Proof.
  intros H; exists (fun i => mean p (fun y => f y i)); intros i j Hi Hj D; apply H; [assumption .. |].
  unfold difference in D; lra.
Qed.
Theorem P_f_strictly_inside_is_false p : P_f 2 (fun y i => sum (fun j => y i j - y j i) 2) p.
Proof.
  unfold P_f, means; intros i j Hi Hj L; cbn [sum].
  assert (E : forall i, mean p (fun y => 0 + (y i 0%nat - y 0%nat i) + (y i 1%nat - y 1%nat i)) =
    means p i 0%nat - means p 0%nat i + (means p i 1%nat - means p 1%nat i)).
  { intros k; unfold means; rewrite <- !mean_minus, <- mean_plus; apply mean_ext; intros; ring. }
  rewrite !E; fold (means p i j) in L; fold (means p j i) in L.
  destruct i as [| [| i]], j as [| [| j]]; try lia; lra.
Qed.
(* RAT13 section 7: "the loss matrix has rank at most r(r-1)/2". For two items that is 1, but one score and
   one constant c do not give the loss of the three graphs of two items. *)
Definition single (i j : nat) : matrix := fun k l => if ((k =? i) && (l =? j))%bool%nat then 1 else 0.
Theorem disagreement_rank_as_printed_is_false (alpha : matrix -> R) (beta : list nat -> R) c :
  (forall y l, In y [(fun _ _ => 0); single 0 1; single 1 0] -> ranking 2 l ->
    disagreement 2 y l = alpha y * beta l + c) -> False.
Proof.
  intros H; pose proof (fun y I => H y [0; 1]%nat I (Permutation_refl _)) as P.
  pose proof (fun y I => H y [1; 0]%nat I (perm_swap _ _ _)) as Q.
  pose proof (P _ (or_introl eq_refl)) as P0; pose proof (Q _ (or_introl eq_refl)) as Q0.
  pose proof (P _ (or_intror (or_introl eq_refl))) as P1; pose proof (Q _ (or_intror (or_introl eq_refl))) as Q1.
  pose proof (P _ (or_intror (or_intror (or_introl eq_refl)))) as P2.
  pose proof (Q _ (or_intror (or_intror (or_introl eq_refl)))) as Q2; clear H P Q; cbn in *.
  nra.
Qed.

(* --- Algorithm 1 ---------------------------------------------------------------------------------------- *)

(* (u_ij - u_ji)_+ *)
Definition weight (u : nat * nat -> R) (e : nat * nat) := Rmax 0 (u e - u (snd e, fst e)).
(* No cycle: some numbers fall along every edge. *)
Definition no_cycle (E : list (nat * nat)) := exists good : scores, forall i j, In (i, j) E -> good j < good i.
(* What Algorithm 1 may return. The edges, among them all of weight above 0, whether or not those of weight 0
   count, are sorted in ascending order; they are deleted one by one until the rest has no cycle; l is a
   topological order of it. *)
Definition algorithm_1 (r : nat) (u : nat * nat -> R) (l : list nat) := exists deleted rest,
  incl (deleted ++ rest) (pairs r) /\ (forall e, In e (pairs r) -> 0 < weight u e -> In e (deleted ++ rest)) /\
  StronglySorted (fun e e' => weight u e <= weight u e') (deleted ++ rest) /\
  no_cycle rest /\ (forall before e, deleted = before ++ [e] -> ~ no_cycle (e :: rest)) /\
  ranking r l /\ forall i j, In (i, j) rest -> (place l i < place l j)%nat.

(* Near the means every edge of theirs outweighs every other, so it stays. *)
Theorem rat13_theorem_7 r pred : (forall u, algorithm_1 r u (pred u)) ->
  calibrated (disagreement r) (ranking r) (P_DAG r) (squares (pairs r) (fun y e => y (fst e) (snd e))) pred.
Proof.
  intros Alg; apply (calibrated_by _ _ _ _ (algorithm_1 r)); [| exact Alg]; apply calibrated_near; intros p _ (good & Good).
  destruct (least_positive (difference (means p)) r) as (c & Hc & Gap); set (e := c / 4).
  assert (He : 0 < e) by (unfold e; lra); exists e; split; [exact He |].
  intros u Near l (deleted & rest & In_pairs & All & So & _ & Until & Rl & Along).
  (* An edge is one of the means if and only if its weight is at least 2e. *)
  assert (Heavy : forall i j, In (i, j) (pairs r) -> (0 < difference (means p) i j -> 2 * e < weight u (i, j)) /\
    (2 * e < weight u (i, j) -> 0 < difference (means p) i j)).
  { intros i j I; pose proof (proj1 (in_pairs r i j) I) as (Hi & Hj & N); unfold weight; cbn [fst snd].
    pose proof (Rabs_def2 _ _ (Near _ I)) as A.
    pose proof (Rabs_def2 _ _ (Near (j, i) (proj2 (in_pairs r j i) (conj Hj (conj Hi (not_eq_sym N)))))) as B.
    pose proof (Gap i Hi j Hj); cbn [fst snd] in A, B; unfold difference, means, e in *.
    split; intros L; [eapply Rlt_le_trans; [| apply Rmax_r]; lra |].
    destruct (Rle_lt_dec (u (i, j) - u (j, i)) 0); [rewrite Rmax_left in L; lra | rewrite Rmax_right in L; lra]. }
  apply along_is_best; [exact Rl |]; intros i j Hi Hj L; apply Along.
  assert (I : In (i, j) (pairs r)) by (apply in_pairs; repeat split; try assumption; intros ->; lra).
  assert (W : 2 * e < weight u (i, j)) by (apply Heavy; [exact I | unfold difference; lra]).
  destruct (in_app_or _ _ _ (All _ I ltac:(lra))) as [D | ]; [exfalso | assumption].
  destruct (exists_last (l := deleted)) as (before & last & ->); [intros E; now rewrite E in D |].
  apply (Until before last eq_refl); exists good; intros k n K.
  assert (Kn : In (k, n) (pairs r)).
  { apply In_pairs; rewrite <- app_assoc; apply in_or_app; right; exact K. }
  apply Good; [apply in_pairs in Kn; tauto .. |]; apply Heavy; [exact Kn |]; eapply Rlt_le_trans; [exact W |].
  rewrite <- app_assoc in So; cbn in So; destruct (in_app_or _ _ _ D) as [B | [E | []]].
  - destruct (in_split _ _ B) as (a & b & ->); rewrite <- app_assoc in So; cbn in So.
    apply (sorted_later _ _ _ _ _ So), in_or_app; right; exact K.
  - subst last; destruct K as [-> | K]; [lra | exact (sorted_later _ _ _ _ _ So K)].
Qed.

(* Algorithm 1 returns something, whatever the scores. *)
Lemma deleting (l : list (nat * nat)) : exists deleted rest, l = deleted ++ rest /\ no_cycle rest /\
  forall before e, deleted = before ++ [e] -> ~ no_cycle (e :: rest).
Proof.
  assert (Nil : forall (b : list (nat * nat)) e, [] <> b ++ [e]) by (intros [|]; discriminate).
  induction l as [| x l (deleted & rest & -> & N & Until)].
  - exists [], []; repeat split; [exists (fun _ => 0); intros i j [] | intros b e E; destruct (Nil b e E)].
  - destruct deleted as [| y deleted]; [destruct (classic (no_cycle (x :: rest))) as [C | C] |].
    + exists [], (x :: rest); repeat split; [exact C | intros b e E; destruct (Nil b e E)].
    + exists [x], rest; repeat split; [exact N |]; intros [| z b] e E; inversion E; subst; [exact C |].
      destruct (Nil b e); assumption.
    + exists (x :: y :: deleted), rest; repeat split; [exact N |]; intros [| z b] e E; inversion E; subst.
      now apply (Until b).
Qed.
Theorem algorithm_1_returns r u : exists l, algorithm_1 r u l.
Proof.
  destruct (exists_sorted (weight u) (pairs r)) as (edges & P & S);
    destruct (deleting edges) as (del & rest & -> & N & U).
  destruct N as (good & G); destruct (sorts_exists r good) as (l & So); apply sorts_places in So; destruct So as (Rl & Along); exists l, del, rest.
  assert (In_pairs : incl (del ++ rest) (pairs r)) by (intros e; apply Permutation_in, Permutation_sym, P).
  repeat split; try assumption.
  - intros e I _; exact (Permutation_in e P I).
  - exists good; exact G.
  - intros i j I; assert (K : In (i, j) (pairs r)) by (apply In_pairs, in_or_app; auto).
    apply in_pairs in K; apply Along; [tauto .. | now apply G].
Qed.
