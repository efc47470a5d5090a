(* What proves edge-consistency at p (Definition 2), and what refutes it, for any surrogate risk. *)
From Coq Require Import Classical_Prop.
From ConsistencyLab.base Require Import Prelude Sums Ranking Convex Descent Aggregate Near.
Open Scope R_scope.

(* Scores outside A(p) that cost no more than any in A(p) refute it. *)
Lemma separation V p (hat : scores) : ~ A p hat -> (forall alpha, A p alpha -> V hat <= V alpha) -> ~ consistent_at V p.
Proof.
  intros Hout Hin (c & (alpha & Hlt) & Hge); pose proof (Hge _ Hout) as H1.
  assert (Hn : ~ ~ A p alpha) by (intro N; specialize (Hge _ N); lra).
  apply Hn; intro Ha; specialize (Hin _ Ha); lra.
Qed.
(* More generally: each member of A(p) is matched by scores outside that cost no more. No minimizer is needed. *)
Lemma matched V p : (forall alpha, A p alpha -> exists beta, ~ A p beta /\ V beta <= V alpha) -> ~ consistent_at V p.
Proof.
  intros F (c & (alpha & L) & H).
  assert (N : ~ ~ A p alpha) by (intro N; specialize (H _ N); lra); apply N; intro HA.
  destruct (F alpha HA) as (beta & B & K); specialize (H _ B); lra.
Qed.
(* Scores in A(p) do not tie i and j where i < j and the difference graph, without cycles, has the edge from i to j. *)
Lemma A_strict m p good i j alpha : is_distribution m p -> ordered_by good m (aggregate p) ->
  (i < j)%nat -> (j < m)%nat -> 0 < diff p i j -> A p alpha -> alpha j < alpha i.
Proof.
  intros HD G L Hj P HA; apply (right_strictly alpha i j L), (proj1 (lemma_16 m p HD (ex_intro _ good G) alpha) HA);
  [lia | assumption ..].
Qed.
Lemma A_weak m p i j alpha : is_distribution m p -> acyclic_differences m (aggregate p) ->
  (i < m)%nat -> (j < m)%nat -> 0 < diff p i j -> A p alpha -> alpha j <= alpha i.
Proof. intros HD G Hi Hj P HA; apply right_weakly, (proj1 (lemma_16 m p HD G alpha) HA); assumption. Qed.

(* If every edge of a difference graph without cycles is kept apart by a fixed amount, V is consistent at p. *)
Lemma in_order_consistent m p (V : scores -> R) : is_distribution m p -> acyclic_differences m (aggregate p) ->
  avoids V (fun u => exists i j, (i < m)%nat /\ (j < m)%nat /\ 0 < diff p i j /\ u i <= u j) -> consistent_at V p.
Proof.
  intros HD acyc; apply avoids_less; intros u N; apply NNPP; intros M; apply N, (proj2 (lemma_16 m p HD acyc u)).
  intros i j Hi Hj P; apply right_above, Rnot_le_lt; intros C; apply M; exists i, j; auto.
Qed.
Theorem separated_consistent_V m p (V : scores -> R) w :
  is_distribution m p -> (forall alpha, w <= V alpha) -> (forall e, 0 < e -> exists alpha, V alpha < w + e) ->
  acyclic_differences m (aggregate p) -> (forall i j, (i < m)%nat -> (j < m)%nat -> 0 < diff p i j ->
     exists c, 0 < c /\ forall alpha, alpha i <= alpha j -> w + c <= V alpha) -> consistent_at V p.
Proof.
  intros HD Hw Near acyc S; apply (in_order_consistent m p V HD acyc), (apart_avoids V m (fun i j => 0 < diff p i j)).
  - exists w; exact Hw.
  - intros i j Hi Hj P; destruct (S i j Hi Hj P) as (c & Hc & H), (Near (c / 2) ltac:(lra)) as (v & Hv).
    exists (c / 2); split; [lra |]; intros u C; exists v; specialize (H u C); lra.
Qed.
Lemma edge_avoids m p phi b (prefer : nat -> nat -> Prop) : is_distribution m p -> (forall x, b <= phi x) ->
  (forall i j, (i < m)%nat -> (j < m)%nat -> prefer i j -> separated m (aggregate p) phi i j) ->
  avoids (edge_loss identity phi m p) (fun u => exists i j, (i < m)%nat /\ (j < m)%nat /\ prefer i j /\ u i <= u j).
Proof.
  intros HD Hb S; pose proof (distribution_well_formed m p HD).
  destruct (separated_avoids m (aggregate p) (fun i j _ _ => aggregate_nonneg m p i j HD) phi b Hb prefer S)
    as (c & (x & L) & H0); exists c; split; [exists x | intros u Hu]; rewrite (edge_loss_risk m) by assumption; auto.
Qed.
Theorem separated_consistent m p phi b : is_distribution m p -> (forall x, b <= phi x) ->
  acyclic_differences m (aggregate p) ->
  (forall i j, (i < m)%nat -> (j < m)%nat -> 0 < diff p i j -> separated m (aggregate p) phi i j) ->
  consistent_at (edge_loss identity phi m p) p.
Proof. intros HD Hb acyc S; apply (in_order_consistent m p _ HD acyc), (edge_avoids m p phi b _ HD Hb S). Qed.

(* What refutes it at a distribution with given aggregate a_ij: scores that minimize W and do not put i above j,
   though i has the lower number and is preferred. *)
Theorem realized_inconsistent m (a : matrix) phi x good i j :
  (forall k l, (k < m)%nat -> (l < m)%nat -> 0 <= a k l) -> (forall k, a k k = 0) -> minimizer m a phi x ->
  ordered_by good m a -> (i < j)%nat -> (j < m)%nat -> 0 < difference a i j -> x i <= x j ->
  exists p, is_distribution m p /\ (forall k l, (k < m)%nat -> (l < m)%nat -> aggregate p k l = a k l) /\
    ~ consistent_at (edge_loss identity phi m p) p.
Proof.
  intros NN Z M O L Hj P X; set (p := of_matrix m a); pose proof (of_matrix_distribution m a : is_distribution m p) as
    HD.
  assert (E : forall k l, (k < m)%nat -> (l < m)%nat -> aggregate p k l = a k l)
    by (intros; apply aggregate_of_matrix; auto; intros ->; apply Z).
  assert (O' : ordered_by good m (aggregate p))
    by (intros k l Hk Hl; unfold difference; rewrite !E by assumption; apply O; assumption).
  exists p; split; [exact HD | split; [exact E |]]; apply (separation _ p x).
  - intros HA; apply (A_strict m p good i j x HD O' L Hj) in HA; [lra |].
    unfold difference; rewrite !E by lia; exact P.
  - intros alpha _; rewrite !(edge_loss_risk m) by apply distribution_well_formed, HD.
    assert (R : forall y, risk m (aggregate p) phi y = risk m a phi y)
      by (intros y; apply sum_ext; intros; apply sum_ext; intros; rewrite E; auto).
    rewrite !R; apply M.
Qed.
