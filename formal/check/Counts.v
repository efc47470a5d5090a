(* Checkers on whole numbers, run by Coq itself (vm_compute) and proved sound: from a table of counts c_ij they conclude
   that the hypotheses of Theorems D and R hold for them. *)
From Coq Require Import ZArith Bool.
From ConsistencyLab.base Require Import Prelude Sums Ranking Convex Scalars Descent Aggregate Near Consistency.
From ConsistencyLab.theorems Require Import Domination Addition.
Open Scope R_scope.

(* The entry of a table in row i and column j. *)
Definition table (rows : list (list Z)) (i j : nat) : Z := nth j (nth i rows []) 0%Z.
Fixpoint zsum (f : nat -> Z) (m : nat) : Z := match m with O => 0%Z | S k => (zsum f k + f k)%Z end.
Lemma zsum_sum f m : IZR (zsum f m) = sum (fun k => IZR (f k)) m.
Proof. induction m; cbn [zsum sum]; [reflexivity |]. now rewrite plus_IZR, IHm. Qed.

(* No count is negative, and nothing is compared with itself. *)
Definition counts_check m (c : nat -> nat ->
  Z) := every m (fun i => every m (fun j => (0 <=? c i j)%Z && (negb (i =? j)%nat || (c i j =? 0)%Z)))%bool.

(* Theorem R for i above j with lambda = p/q; infinity is 1/0. *)
Definition gap_check m (c : nat -> nat -> Z) (p q : Z) i j : bool := ((0 <=? p) && (0 <=? q) && (0 <? p + q) &&
   (zsum (fun k => if ((k =? i) || (k =? j))%nat then 0 else Z.abs (p * (c i k + c k i) - q * (c j k + c k j))) m
    <? zsum (fun k => p * (c i k - c k i) - q * (c j k - c k j)) m))%Z%bool.

(* Theorem D for i above j with lambda = p/q. *)
Definition domination_check m (c : nat -> nat -> Z) (p q : Z) i j : bool :=
  ((0 <=? p) && (0 <=? q) && (0 <? p + q) && (c j i <? c i j) &&
   every m (fun k => ((k =? i) || (k =? j))%nat || ((q * c j k <=? p * c i k) && (p * c k i <=? q * c k j))))%Z%bool.

(* Every majority goes up in rank: the difference graph has no cycle. *)
Definition order_check m (c : nat -> nat -> Z) (rank : list nat) : bool :=
  every m (fun i => every m (fun j => negb (c j i <? c i j)%Z || (nth i rank 0 <? nth j rank 0)%nat))%bool.
Section Sound.
Variables (m : nat) (c : nat -> nat -> Z).
Hypothesis valid : counts_check m c = true.
Lemma valid_spec i j : (i < m)%nat -> (j < m)%nat -> (0 <= c i j)%Z /\ (i = j -> c i j = 0%Z).
Proof.
  intros Hi Hj; pose proof (every_spec _ _ (every_spec _ _ valid i Hi) j Hj) as H; cbv beta in H.
  apply andb_prop in H; destruct H as [H1 H2]; apply Z.leb_le in H1; split; [assumption | intros ->].
  rewrite Nat.eqb_refl in H2; cbn in H2; apply Z.eqb_eq; exact H2.
Qed.
Let a : matrix := fun i j => IZR (c i j).
Lemma counts_nonneg i j : (i < m)%nat -> (j < m)%nat -> 0 <= a i j.
Proof. intros Hi Hj; apply IZR_le, (valid_spec i j); assumption. Qed.

Definition factors (p q : Z) := 0 <= IZR p /\ 0 <= IZR q /\ 0 < IZR p + IZR q.
Lemma factors_real p q : ((0 <=? p) && (0 <=? q) && (0 <? p + q))%Z%bool = true -> factors p q.
Proof.
  intros H; apply andb_prop in H; destruct H as [H H3]; apply andb_prop in H; destruct H as [H1 H2].
  apply Z.leb_le, IZR_le in H1; apply Z.leb_le, IZR_le in H2; apply Z.ltb_lt, IZR_lt in H3.
  rewrite plus_IZR in H3; repeat split; assumption.
Qed.
Lemma gap_check_real p q i j : (i < m)%nat -> (j < m)%nat -> gap_check m c p q i j = true ->
  factors p q /\ schedule m a (IZR p) (IZR q) i j < IZR p * net_wins m a i - IZR q * net_wins m a j.
Proof.
  intros Hi Hj H; unfold gap_check in H; apply andb_prop in H; destruct H as [H H3].
  split; [apply factors_real, H |]; apply Z.ltb_lt, IZR_lt in H3; rewrite !zsum_sum in H3.
  unfold schedule, net_wins; rewrite <- !sum_scal, <- sum_minus.
  eapply Rle_lt_trans; [| eapply Rlt_le_trans; [exact H3 |]]; apply sum_le; intros k Hk.
  - destruct (_ || _)%bool; [lra |]; rewrite abs_IZR, minus_IZR, !mult_IZR, !plus_IZR; unfold comparisons, a; lra.
  - rewrite minus_IZR, !mult_IZR, !minus_IZR; unfold difference, a; lra.
Qed.
Lemma domination_check_real p q i j : (i < m)%nat -> (j < m)%nat -> domination_check m c p q i j = true ->
  factors p q /\ dominates m a (IZR p) (IZR q) i j.
Proof.
  intros Hi Hj H; unfold domination_check in H; apply andb_prop in H; destruct H as [H H4]; apply andb_prop in H;
    destruct H as [H H3].
  split; [apply factors_real, H |]; apply Z.ltb_lt, IZR_lt in H3. split; [exact H3 |].
  intros k Hk Ki Kj; pose proof (every_spec _ _ H4 k Hk) as E; cbv beta in E.
  destruct (Nat.eqb_spec k i); [contradiction |]; destruct (Nat.eqb_spec k j); [contradiction |]; cbn [orb] in E.
  apply andb_prop in E; destruct E as [E1 E2]; apply Z.leb_le, IZR_le in E1; apply Z.leb_le, IZR_le in E2.
  rewrite !mult_IZR in *; split; assumption.
Qed.
End Sound.
