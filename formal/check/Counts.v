(* Checkers on whole numbers, run by Coq itself (vm_compute) and proved sound: from a table of counts c_ij they conclude
   facts about the distribution [of_counts m c], such as "i is strictly above j by Theorem R", "the difference graph
   has no cycle" and "differences are additive". *)
From Coq Require Import Reals Lra Lia Arith List ZArith Bool.
From ConsistencyLab.base Require Import Sums Ranking Convex Scalars Descent Aggregate Near Consistency.
From ConsistencyLab.theorems Require Import Domination Addition.
Import ListNotations.
Open Scope R_scope.

(* The entry of a table in row i and column j. *)
Definition table (rows : list (list Z)) (i j : nat) : Z := nth j (nth i rows []) 0%Z.
Fixpoint zsum (f : nat -> Z) (m : nat) : Z := match m with O => 0%Z | S k => (zsum f k + f k)%Z end.
Lemma zsum_sum f m : IZR (zsum f m) = sum (fun k => IZR (f k)) m.
Proof. induction m; cbn [zsum sum]; [reflexivity |]. now rewrite plus_IZR, IHm. Qed.

(* No count is negative, and nothing is compared with itself. *)
Definition counts_check m (c : nat -> nat ->
  Z) := every m (fun i => every m (fun j => (0 <=? c i j)%Z && (negb (i =? j)%nat || (c i j =? 0)%Z)))%bool.

(* Theorem R for i above j with lambda = p/q. *)
Definition gap_check m (c : nat -> nat -> Z) (p q : Z) i j : bool :=
  ((0 <=? p) && (0 <? q) &&
   (zsum (fun k => if ((k =? i) || (k =? j))%nat then 0 else Z.abs (p * (c i k + c k i) - q * (c j k + c k j))) m
    <? zsum (fun k => p * (c i k - c k i) - q * (c j k - c k j)) m))%Z%bool.

(* Theorem D for i above j with lambda = p/q. *)
Definition domination_check m (c : nat -> nat -> Z) (p q : Z) i j : bool :=
  ((0 <=? p) && (0 <? q) && (c j i <? c i j) &&
   every m (fun k => ((k =? i) || (k =? j))%nat || ((q * c j k <=? p * c i k) && (p * c k i <=? q * c k j))))%Z%bool.

(* Every majority goes up in rank: the difference graph has no cycle. *)
Definition order_check m (c : nat -> nat -> Z) (rank : list nat) : bool :=
  every m (fun i => every m (fun j => negb (c j i <? c i j)%Z || (nth i rank 0 <? nth j rank 0)%nat))%bool.
(* d_ij = (N_i - N_j)/m for all pairs. *)
Definition additive_check m (c : nat -> nat -> Z) : bool :=
  every m (fun i => every m (fun j => Z.of_nat m * (c i j - c j i)
    =? zsum (fun k => c i k - c k i) m - zsum (fun k => c j k - c k j) m))%Z.

Lemma above_ext m a b phi i j : (forall i j, (i < m)%nat -> (j < m)%nat -> a i j = b i j) -> above m a phi i j ->
  above m b phi i j.
Proof.
  intros E F alpha H; destruct (F alpha H) as (beta & B & L); exists beta; split; [assumption |].
  assert (X : forall al, risk m b phi al = risk m a phi al) by
    (intros; unfold risk; apply sum_ext; intros; apply sum_ext; intros; rewrite E by assumption; reflexivity).
  rewrite !X; assumption.
Qed.

Section Sound.
Variables (m : nat) (c : nat -> nat -> Z).
Hypothesis valid : counts_check m c = true.
Lemma valid_spec i j : (i < m)%nat -> (j < m)%nat -> (0 <= c i j)%Z /\ (i = j -> c i j = 0%Z).
Proof.
  intros Hi Hj; pose proof (every_spec _ _ (every_spec _ _ valid i Hi) j Hj) as H; cbv beta in H.
  apply andb_prop in H; destruct H as [H1 H2]; apply Z.leb_le in H1; split; [assumption | intros ->].
  rewrite Nat.eqb_refl in H2; cbn in H2; apply Z.eqb_eq; exact H2.
Qed.
Lemma count_aggregate i j : (i < m)%nat -> (j < m)%nat -> IZR (c i j) = aggregate (of_counts m c) i j.
Proof. intros Hi Hj; destruct (valid_spec i j Hi Hj); symmetry; apply aggregate_of_counts; assumption. Qed.
Lemma count_nonneg i j : (i < m)%nat -> (j < m)%nat -> 0 <= IZR (c i j).
Proof. intros Hi Hj; apply IZR_le, (valid_spec i j); assumption. Qed.

Lemma gap_check_real p q i j : (i < m)%nat -> (j < m)%nat -> gap_check m c p q i j = true ->
  let a := aggregate (of_counts m c) in exists lam, 0 <= lam /\
    schedule m a lam i j < lam * net_wins m a i - net_wins m a j.
Proof.
  intros Hi Hj H a; unfold gap_check in H.
  apply andb_prop in H; destruct H as [H H3]; apply andb_prop in H; destruct H as [H1 H2].
  apply Z.leb_le, IZR_le in H1; apply Z.ltb_lt, IZR_lt in H2; apply Z.ltb_lt, IZR_lt in H3; rewrite !zsum_sum in H3.
  exists (IZR p / IZR q); split; [apply Rle_mult_inv_pos; assumption |].
  apply Rmult_lt_reg_l with (IZR q); [assumption |]; unfold schedule, net_wins.
  rewrite Rmult_minus_distr_l, <- Rmult_assoc, <- !sum_scal, <- sum_minus.
  eapply Rle_lt_trans; [| eapply Rlt_le_trans; [exact H3 |]]; [apply sum_le | apply sum_le]; intros k Hk.
  - destruct (_ || _)%bool; [lra |].
    rewrite abs_IZR, minus_IZR, !mult_IZR, !plus_IZR; unfold comparisons, a;
      rewrite <- !count_aggregate by assumption.
    rewrite <- (Rabs_right (IZR q)) at 1 by lra; rewrite <- Rabs_mult; right; f_equal; field; lra.
  - rewrite minus_IZR, !mult_IZR, !minus_IZR; unfold difference, a; rewrite <- !count_aggregate by assumption; right;
      field; lra.
Qed.
Lemma counts_nonneg i j : (i < m)%nat -> (j < m)%nat -> 0 <= aggregate (of_counts m c) i j.
Proof. intros Hi Hj; rewrite <- count_aggregate by assumption; apply count_nonneg; assumption. Qed.
Theorem gap_sound p q i j phi g : regular phi g -> even_plus_line g -> (i < m)%nat -> (j < m)%nat -> i <> j ->
  gap_check m c p q i j = true -> above m (aggregate (of_counts m c)) phi i j.
Proof.
  intros reg U Hi Hj Hij H; destruct (gap_check_real p q i j Hi Hj H) as (lam & Hl & G).
  apply R_above with (g := g) (lam := lam); auto using counts_nonneg.
Qed.
Lemma domination_check_real p q i j : (i < m)%nat -> (j < m)%nat -> domination_check m c p q i j = true ->
  exists lam, 0 <= lam /\ dominates m (aggregate (of_counts m c)) lam i j.
Proof.
  intros Hi Hj H; unfold domination_check in H.
  apply andb_prop in H; destruct H as [H H4]; apply andb_prop in H; destruct H as [H H3]; apply andb_prop in H;
    destruct H as [H1 H2].
  apply Z.leb_le, IZR_le in H1; apply Z.ltb_lt, IZR_lt in H2; apply Z.ltb_lt, IZR_lt in H3.
  exists (IZR p / IZR q); split; [apply Rle_mult_inv_pos; assumption |].
  split; [rewrite <- !count_aggregate by assumption; assumption |].
  intros k Hk Ki Kj; pose proof (every_spec _ _ H4 k Hk) as E; cbv beta in E.
  destruct (Nat.eqb_spec k i); [contradiction |]; destruct (Nat.eqb_spec k j); [contradiction |]; cbn [orb] in E.
  apply andb_prop in E; destruct E as [E1 E2]; apply Z.leb_le, IZR_le in E1; apply Z.leb_le, IZR_le in E2;
    rewrite !mult_IZR in *; rewrite <- !count_aggregate by assumption.
  split; (apply Rmult_le_reg_l with (IZR q); [assumption |]).
  - replace (IZR q * (IZR p / IZR q * IZR (c i k))) with (IZR p * IZR (c i k)) by (field; lra); assumption.
  - replace (IZR q * (IZR p / IZR q * IZR (c k i))) with (IZR p * IZR (c k i)) by (field; lra); assumption.
Qed.

Lemma majority i j : (i < m)%nat -> (j < m)%nat -> 0 < diff (of_counts m c) i j <-> (c j i < c i j)%Z.
Proof.
  intros Hi Hj; unfold difference; rewrite <- !count_aggregate by assumption; split; intros K;
    [apply lt_IZR | apply IZR_lt in K]; lra.
Qed.
Theorem order_sound rank : order_check m c rank = true -> acyclic_differences m (aggregate (of_counts m c)).
Proof.
  intros H; exists (fun i => - INR (nth i rank 0%nat)); intros i j Hi Hj L; apply majority in L; [| assumption ..].
  pose proof (every_spec _ _ (every_spec _ _ H i Hi) j Hj) as Q; cbv beta in Q.
  apply Z.ltb_lt in L; rewrite L in Q; apply Nat.ltb_lt, lt_INR in Q; lra.
Qed.
Theorem additive_sound : (0 < m)%nat -> additive_check m c = true -> additive m (aggregate (of_counts m c)).
Proof.
  intros Pm H; set (N := fun i => zsum (fun k => c i k - c k i)%Z m).
  exists (fun i => IZR (N i) / INR m); intros i j Hi Hj; apply lt_INR in Pm; cbn [INR] in Pm.
  pose proof (every_spec _ _ (every_spec _ _ H i Hi) j Hj) as Q; cbv beta in Q; apply Z.eqb_eq in Q;
    fold (N i) (N j) in Q.
  apply (f_equal IZR) in Q; rewrite mult_IZR, !minus_IZR, <- INR_IZR_INZ in Q.
  unfold difference; rewrite <- !count_aggregate by assumption.
  apply Rmult_eq_reg_l with (INR m); [| lra]; rewrite Q; field; lra.
Qed.
(* A pair proved against the majority, where the difference graph has no cycle: not edge-consistent at this p. *)
Theorem inconsistent_sound rank i j phi : order_check m c rank = true -> (i < m)%nat -> (j < m)%nat ->
  (c i j < c j i)%Z ->
  above m (aggregate (of_counts m c)) phi i j ->
    ~ consistent_at (edge_loss identity phi m (of_counts m c)) (of_counts m c).
Proof.
  intros O Hi Hj L F; apply (above_inconsistent m _ phi i j); [apply of_counts_distribution | exact F |].
  intros alpha; apply (A_weak m); [apply of_counts_distribution | apply (order_sound rank O) | assumption |
    assumption |].
  apply majority; assumption.
Qed.
End Sound.

(* --- Rankings and edge-consistency at p --------------------------------------------------------------------------------- *)

(* A ranking of all items, each pair of it by Theorem R with lambda = 1. *)
Definition ranking_check m c (l : list nat) : bool :=
  if (length l =? m)%nat then every m (fun y => if (nth y l m <? m)%nat then
    every y (fun x => gap_check m c 1 1 (nth x l m) (nth y l m)) else false) else false.
Theorem ranking_sound m c l phi g : counts_check m c = true -> ranking_check m c l = true -> regular phi g ->
  even_plus_line g ->
  forall x y, (x < y < m)%nat -> above m (aggregate (of_counts m c)) phi (nth x l m) (nth y l m).
Proof.
  intros V H reg U x y L; unfold ranking_check in H; destruct (length l =? m)%nat; [| discriminate].
  pose proof (every_spec _ _ H x ltac:(lia)) as Hx; pose proof (every_spec _ _ H y ltac:(lia)) as Hy;
    cbv beta in Hx, Hy.
  destruct (Nat.ltb_spec (nth x l m) m) as [Lx |]; [| discriminate]; destruct (Nat.ltb_spec (nth y l m) m) as [Ly |];
    [| discriminate].
  pose proof (every_spec _ _ Hy x ltac:(lia)) as G; cbv beta in G.
  apply (gap_sound m c V 1 1 _ _ phi g reg U Lx Ly); [| exact G].
  intros E; rewrite E in G; unfold gap_check in G; apply andb_prop in G; destruct G as [_ G];
    apply Z.ltb_lt, IZR_lt in G; rewrite !zsum_sum in G.
  apply Rlt_not_le in G; apply G, sum_le; intros k _; destruct (_ || _)%bool; apply IZR_le; lia.
Qed.
