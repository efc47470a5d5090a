(* The definitions of Duchi, Mackey and Jordan, "On the Consistency of Ranking Algorithms" (ICML 2010),
   called DMJ10 below: preference graphs, the target loss (Eq. 7 and 8), the optimal scores A(p), the
   surrogate losses (Eq. 9 and 14), edge-consistency (Definition 2), and every noise condition and design
   that the theorems name. All of it is elementary: reals, finite lists and sums. *)
From ConsistencyLab.base Require Import Prelude Sums.
Open Scope R_scope.

(* --- Preference graphs and distributions over them ------------------------------------------------------ *)

(* The item [src e] is preferred to [dst e] with weight [wt e]; items are 0, ..., m-1. *)
Record edge := Edge { src : nat; dst : nat; wt : R }.
Definition graph := list edge.
Definition scores := nat -> R.
Definition distribution := list (R * graph).

Definition well_formed (m : nat) (G : graph) := Forall (fun e => (src e < m)%nat /\ (dst e < m)%nat /\ 0 < wt e) G.
Definition acyclic (G : graph) := exists rank : nat -> nat, Forall (fun e => (rank (src e) < rank (dst e))%nat) G.
(* At most one edge from an item to another. *)
Definition simple (G : graph) := NoDup (map (fun e => (src e, dst e)) G).

(* Finitely many acyclic graphs without parallel edges, with positive probabilities that sum to 1. *)
Definition is_distribution (m : nat) (p : distribution) :=
  Forall (fun q => 0 < fst q /\ well_formed m (snd q) /\ acyclic (snd q) /\ simple (snd q)) p /\ total fst p = 1.

(* The mean of a quantity of a graph, or of other labels. *)
Definition mean {Y} (p : list (R * Y)) (f : Y -> R) : R := total (fun q => fst q * f (snd q)) p.

Definition matrix := nat -> nat -> R.
(* a_ij: the mean weight of the edge from i to j. *)
Definition ind (i j : nat) (e : edge) : R := if ((src e =? i)%nat && (dst e =? j)%nat)%bool then wt e else 0.
Definition aggregate (p : distribution) : matrix := fun i j => mean p (total (ind i j)).

(* --- The target loss --------------------------------------------------------------------------------------- *)

(* Eq. 7, one edge: a tie is an error if the better item comes first, so sorting breaks ties by number. *)
Definition miss (alpha : scores) (e : edge) : R := if (src e <? dst e)%nat
  then if Rle_dec (alpha (src e)) (alpha (dst e)) then wt e else 0
  else if Rlt_dec (alpha (src e)) (alpha (dst e)) then wt e else 0.
(* Eq. 8: the expected pairwise disagreement. *)
Definition loss (p : distribution) (alpha : scores) : R := mean p (total (miss alpha)).
(* A(p): the scores of least expected loss. *)
Definition A (p : distribution) (alpha : scores) := forall beta, loss p alpha <= loss p beta.

(* --- Surrogate losses -------------------------------------------------------------------------------------- *)

(* A surrogate risk: what the scores of m items cost at p. *)
Definition surrogate := nat -> distribution -> scores -> R.

(* Eq. 9 with weights h(a) and a scalar loss phi. *)
Definition edge_loss (h phi : R -> R) : surrogate := fun m p alpha =>
  mean p (total (fun e => h (wt e) * phi (alpha (src e) - alpha (dst e)))).
(* The losses of Theorem 12: h(a) is a margin. *)
Definition margin_loss (h phi : R -> R) : surrogate := fun m p alpha =>
  mean p (total (fun e => phi (alpha (src e) - alpha (dst e) - h (wt e)))).
(* Eq. 14: the linear loss whose scores are regularized by nu r. *)
Definition linear_loss (nu : R) (r : R -> R) : surrogate := fun m p alpha =>
  mean p (fun G => total (fun e => wt e * (alpha (dst e) - alpha (src e))) G + nu * sum (fun i => r (alpha i)) m).
(* DMJ13's difference loss: each pair counts by how much its majority leads. *)
Definition difference_loss (phi : R -> R) : surrogate := fun m p alpha =>
  sum (fun i => sum (fun j => Rmax 0 (aggregate p i j - aggregate p j i) * phi (alpha i - alpha j)) m) m.
(* Least squares on the net preferences of each graph (RAT13 Theorem 6). *)
Definition net (G : graph) (i : nat) : R :=
  total (fun e => (if (src e =? i)%nat then wt e else 0) - (if (dst e =? i)%nat then wt e else 0)) G.
Definition regression_loss : surrogate := fun m p alpha =>
  mean p (fun G => sum (fun i => (alpha i - net G i) * (alpha i - net G i)) m).
(* h(a) = a. *)
Definition identity (a : R) := a.

(* --- Consistency ------------------------------------------------------------------------------------------- *)

(* What comes near the infimum of V is not bad: inf V < inf { V x : x is bad }. Said without infima: some number c lies
   above a value of V and not above any at a bad x. No minimizer need exist. *)
Definition avoids {X} (V : X -> R) (bad : X -> Prop) := exists c, (exists x, V x < c) /\ forall x, bad x -> c <= V x.
Lemma avoids_less {X} (V : X -> R) (bad worse : X -> Prop) : (forall x, worse x -> bad x) -> avoids V bad -> avoids V worse.
Proof. intros H (c & Some & C); exists c; auto. Qed.
(* DMJ10 Definition 2 at one p: inf V < inf { V alpha : alpha not in A(p) }. *)
Definition consistent_at (V : scores -> R) (p : distribution) := avoids V (fun alpha => ~ A p alpha).

(* --- The aggregate, noise conditions and designs ----------------------------------------------------------- *)

(* d_ij = a_ij - a_ji: there is an edge from i to j in the difference graph if it is positive. *)
Definition difference (a : matrix) i j := a i j - a j i.
(* n_ij = a_ij + a_ji: how much i and j are compared. *)
Definition comparisons (a : matrix) i j := a i j + a j i.
(* N_i: the sum of d_ik over k. *)
Definition net_wins (m : nat) (a : matrix) i := sum (difference a i) m.

Definition condition := nat -> matrix -> Prop.
(* The difference graph has no cycle: some scores respect all of its edges. *)
Definition ordered_by (good : scores) : condition := fun m a =>
  forall i j, (i < m)%nat -> (j < m)%nat -> 0 < difference a i j -> good j < good i.
Definition acyclic_differences : condition := fun m a => exists good, ordered_by good m a.
(* DMJ10 Definition 8. *)
Definition low_noise : condition := fun m a => forall i j k, (i < m)%nat -> (j < m)%nat -> (k < m)%nat ->
  0 < difference a i j -> 0 < difference a j k -> difference a i j + difference a j k <= difference a i k.
(* d_ij = y_i - y_j for some y: the narrowest of the usual conditions. *)
Definition additive : condition := fun m a => exists y : scores, forall i j, (i < m)%nat -> (j < m)%nat ->
  difference a i j = y i - y j.
(* DMJ10 Eq. 16: net wins are in order along every edge of the difference graph. *)
Definition net_order : condition := fun m a => ordered_by (net_wins m a) m a.
(* Rows in order: who leads j leads every third item by as much at least. *)
Definition rows_in_order : condition := fun m a => forall i j k, (i < m)%nat -> (j < m)%nat -> (k < m)%nat ->
  k <> i -> k <> j -> 0 < difference a i j -> difference a j k <= difference a i k.
(* Strong stochastic transitivity of the shares a_ij / n_ij, every pair being compared. *)
Definition share (a : matrix) i j := a i j / comparisons a i j.
Definition stochastically_transitive : condition := fun m a =>
  (forall i j, (i < m)%nat -> (j < m)%nat -> i <> j -> 0 < comparisons a i j) /\
  forall i j k, (i < m)%nat -> (j < m)%nat -> (k < m)%nat -> i <> j -> j <> k -> i <> k ->
    1/2 <= share a i j -> 1/2 <= share a j k -> share a i j <= share a i k /\ share a j k <= share a i k.
(* a_ij : a_ji = w_i : w_j wherever i and j are compared, however often. *)
Definition bradley_terry : condition := fun m a => exists w : scores, (forall i, 0 < w i) /\
  forall i j, (i < m)%nat -> (j < m)%nat -> a i j * w j = a j i * w i.
(* Designs: counts n_ij of the pairs; complete if every pair is compared, balanced if all are compared equally often,
   a product if both contestants are drawn independently, with weights w_i. *)
Definition compared (n : matrix) : condition := fun m a => forall i j, (i < m)%nat -> (j < m)%nat -> i <> j ->
  comparisons a i j = n i j.
Definition complete (m : nat) (n : matrix) := forall i j, (i < m)%nat -> (j < m)%nat -> i <> j ->
  n i j = n j i /\ 0 < n i j.
Definition balanced_design (m : nat) (n : matrix) := exists N, forall i j, (i < m)%nat -> (j < m)%nat -> i <> j ->
  n i j = N.
Definition product_design (m : nat) (n : matrix) := exists w : scores, (forall i, (i < m)%nat -> 0 < w i) /\
  forall i j, (i < m)%nat -> (j < m)%nat -> i <> j -> n i j = w i * w j.
(* Balanced: all pairs are compared equally often. *)
Definition balanced : condition := fun m a => exists N, forall i j, (i < m)%nat -> (j < m)%nat -> i <> j ->
  comparisons a i j = N.
(* A product design with a strongly transitive preference P: n_ij = w_i w_j, a_ij = n_ij P_ij, and whoever is
   preferred to j does at least as well as j against every third item. *)
Definition strongly_transitive (m : nat) (P : matrix) := forall i j k, (i < m)%nat -> (j < m)%nat -> (k < m)%nat ->
  i <> j -> k <> i -> k <> j -> 1/2 < P i j -> P j k <= P i k.
Definition transitive_product : condition := fun m a => exists (w : scores) (P : matrix),
  (forall i, (i < m)%nat -> 0 < w i) /\ (forall i j, P i j + P j i = 1) /\ strongly_transitive m P /\
  forall i j, (i < m)%nat -> (j < m)%nat -> i <> j -> a i j = w i * w j * P i j.
(* Pairs are compared with counts n_ij, and preferences are strongly transitive. *)
Definition transitive (n : matrix) : condition := fun m a => exists P : matrix,
  (forall i j, P i j + P j i = 1) /\ strongly_transitive m P /\
  forall i j, (i < m)%nat -> (j < m)%nat -> i <> j -> a i j = n i j * P i j.
(* Bipartite ranking: item i, drawn with weight w_i, is relevant with chance eta_i, and relevant items are preferred to
   others. *)
Definition bipartite : condition := fun m a => exists w eta : scores,
  (forall i, (i < m)%nat -> 0 < w i /\ 0 <= eta i <= 1) /\
  forall i j, (i < m)%nat -> (j < m)%nat -> i <> j -> a i j = w i * w j * (eta i * (1 - eta j)).
Definition both (C D : condition) : condition := fun m a => C m a /\ D m a.

(* Edge-consistency under a condition: Definition 2 at every p whose aggregate has it, whatever m. *)
Definition consistent_under (C : condition) (V : surrogate) :=
  forall m p, is_distribution m p -> C m (aggregate p) -> consistent_at (V m p) p.
