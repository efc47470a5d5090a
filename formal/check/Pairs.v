(* Proofs by addition, whole: certified pairs of items, by both rules and with factors from 0 to infinity, closed under
   transitivity by Coq itself (vm_compute); and what they decide at a distribution p whose aggregate has given counts:
   edge-consistency at p (Definition 2), or its failure. *)
From Coq Require Import ZArith NArith QArith Qreals Bool Classical_Prop.
From ConsistencyLab.base Require Import Prelude Sums Ranking Orders Convex Descent Aggregate Near Consistency.
From ConsistencyLab.theorems Require Import Domination Addition.
From ConsistencyLab.check Require Import Counts Stated.
Open Scope R_scope.

(* --- Pairs that are kept apart ----------------------------------------------------------------------------- *)

Lemma separated_trans m a phi i j k : separated m a phi i j -> separated m a phi j k -> separated m a phi i k.
Proof.
  intros (c & Hc & S) (d & Hd & T); exists (Rmin c d); split; [apply Rmin_pos; assumption |]; intros alpha H.
  pose proof (Rmin_l c d); pose proof (Rmin_r c d); destruct (Rle_lt_dec (alpha i) (alpha j)) as [L | L].
  - destruct (S alpha L) as (beta & B); exists beta; lra.
  - destruct (T alpha ltac:(lra)) as (beta & B); exists beta; lra.
Qed.
(* K W is the risk of the counts K a_ij. *)
Lemma separated_scaled m a b K phi i j : 0 < K ->
  (forall i j, (i < m)%nat -> (j < m)%nat -> K * a i j = b i j) -> separated m b phi i j -> separated m a phi i j.
Proof.
  intros HK E (c & Hc & S); exists (c / K); split; [apply Rdiv_lt_0_compat; assumption |]; intros alpha H.
  destruct (S alpha H) as (beta & B); exists beta.
  assert (X : forall al, risk m b phi al = K * risk m a phi al).
  { intros al; unfold risk; rewrite <- sum_scal; apply sum_ext; intros; rewrite <- sum_scal; apply sum_ext; intros.
    rewrite <- E by assumption; ring. }
  rewrite !X in B; apply Rmult_le_reg_l with K; [assumption |].
  replace (K * (risk m a phi beta + c / K)) with (K * risk m a phi beta + c) by (field; lra); exact B.
Qed.

Section Decide.
Variables (m : nat) (p : distribution) (phi : R -> R) (b : R) (proved : nat -> nat -> bool).
Hypotheses (HD : is_distribution m p) (below : forall x, b <= phi x).
Hypothesis apart : forall i j, (i < m)%nat -> (j < m)%nat -> proved i j = true -> separated m (aggregate p) phi i j.
(* The scores have all the pairs in order. *)
Definition in_order (alpha : scores) :=
  forall i j, (i < m)%nat -> (j < m)%nat -> proved i j = true -> alpha j < alpha i.
(* So have all scores near the infimum. *)
Lemma near_in_order : let V := edge_loss identity phi m p in avoids V (fun alpha => ~ in_order alpha).
Proof.
  intros V; eapply avoids_less; [| apply (edge_avoids m p phi b (fun i j => proved i j = true) HD below apart)].
  intros u N; apply NNPP; intros M; apply N; intros i j Hi Hj P; apply Rnot_le_lt; intros C; apply M; eauto 7.
Qed.
(* If all scores with these pairs in order are in A(p), the loss is right at p; if none are, it is wrong. *)
Theorem order_consistent : (forall alpha, in_order alpha -> A p alpha) -> consistent_at (edge_loss identity phi m p) p.
Proof.
  intros H; apply (avoids_less _ (fun u => ~ in_order u)); [intros u N O; apply N, H, O | apply near_in_order].
Qed.
Theorem order_inconsistent : (forall alpha, in_order alpha -> ~ A p alpha) ->
  ~ consistent_at (edge_loss identity phi m p) p.
Proof.
  intros H (c & (x & Lx) & C); destruct near_in_order as (d & (y & Ly) & D).
  assert (K : forall z, edge_loss identity phi m p z < c -> edge_loss identity phi m p z < d -> False).
  { intros z Lc Ld; assert (c <= edge_loss identity phi m p z); [| lra].
    apply C, H, NNPP; intros N; specialize (D z N); lra. }
  destruct (Rle_lt_dec c d); [apply (K x) | apply (K y)]; lra.
Qed.
End Decide.

(* --- Certificates, and their closure ------------------------------------------------------------------------ *)

Inductive rule := Gap | Domination.
(* One item above another, by a rule with the factor p_of/q_of; infinity is 1/0. *)
Record pair := Pair { better : nat; worse : nat; by_rule : rule; p_of : Z; q_of : Z }.
Definition pair_check (m : nat) (c : nat -> nat -> Z) (t : pair) : bool :=
  let check := match by_rule t with Gap => gap_check m | Domination => domination_check m end in
  if (better t <? m)%nat then if (worse t <? m)%nat then if (better t =? worse t)%nat then false else
  check c (p_of t) (q_of t) (better t) (worse t) else false else false.

(* For each item the set of items below it, as the bits of a number. *)
Definition has (below : list N) i j : bool := N.testbit (nth i below 0%N) (N.of_nat j).
Definition below_item (l : list pair) (i : nat) : N :=
  fold_right (fun t set => if (better t =? i)%nat then N.setbit set (N.of_nat (worse t)) else set) 0%N l.
Definition direct (m : nat) (l : list pair) : list N := map (below_item l) (seq 0 m).
(* What is below k is below whatever k is below. *)
Definition through (below : list N) (k : nat) : list N :=
  let set := nth k below 0%N in map (fun s => if N.testbit s (N.of_nat k) then N.lor s set else s) below.
Definition closure (m : nat) (l : list pair) : list N := fold_left through (seq 0 m) (direct m l).

Section Closure.
Variable P : nat -> nat -> Prop.
Hypothesis trans : forall i j k, P i j -> P j k -> P i k.
Lemma nth_map (f : N -> N) l i : f 0%N = 0%N -> nth i (map f l) 0%N = f (nth i l 0%N).
Proof. intros E; rewrite <- E at 1; apply map_nth. Qed.
Lemma direct_sound m l : (forall t, In t l -> P (better t) (worse t)) ->
  forall i j, has (direct m l) i j = true -> P i j.
Proof.
  intros H i j; unfold has, direct; destruct (Nat.ltb_spec i m) as [L | L].
  2: { rewrite nth_overflow by (rewrite map_length, seq_length; exact L); discriminate. }
  rewrite nth_indep with (d' := below_item l 0) by (rewrite map_length, seq_length; exact L).
  rewrite map_nth, seq_nth by exact L; cbn [Nat.add].
  induction l as [| t l IH]; [discriminate |]; cbn [below_item fold_right]; intros T.
  assert (Q : forall t, In t l -> P (better t) (worse t)) by (intros; apply H; right; assumption).
  destruct (Nat.eqb_spec (better t) i) as [<- | N]; [| auto].
  rewrite N.setbit_eqb in T; apply orb_prop in T; destruct T as [T | T]; [| auto].
  apply N.eqb_eq, Nnat.Nat2N.inj in T; rewrite <- T; apply H; left; reflexivity.
Qed.
Lemma through_sound l k : (forall i j, has l i j = true -> P i j) -> forall i j, has (through l k) i j = true -> P i j.
Proof.
  intros H i j; unfold has, through; rewrite nth_map by reflexivity.
  destruct (N.testbit (nth i l 0%N) (N.of_nat k)) eqn:E; [| apply H].
  rewrite N.lor_spec; intros T; apply orb_prop in T; destruct T as [T | T]; [apply H, T |].
  apply trans with k; apply H; assumption.
Qed.
Lemma closure_sound m l : (forall t, In t l -> P (better t) (worse t)) ->
  forall i j, has (closure m l) i j = true -> P i j.
Proof.
  intros H; unfold closure; pose proof (direct_sound m l H) as D; revert D; generalize (direct m l).
  induction (seq 0 m) as [| k r IH]; intros s D; cbn [fold_left]; [exact D |].
  apply IH, through_sound, D.
Qed.
End Closure.

(* --- What they decide ----------------------------------------------------------------------------------------- *)

(* A declining phi; the rule Gap asks for a line plus an even function as well. *)
Definition allowed (l : list pair) (g : R -> R) :=
  forallb (fun t => match by_rule t with Gap => false | Domination => true end) l = true \/ even_plus_line g.

Section Sound.
Variables (m : nat) (c : nat -> nat -> Z) (p : distribution) (l : list pair) (phi g : R -> R) (K b : R).
Hypotheses (valid : counts_check m c = true) (HD : is_distribution m p) (C : counted m c K p).
Hypotheses (reg : declining phi g) (below : forall x, b <= phi x) (allow : allowed l g).

Lemma pair_separated t : In t l -> pair_check m c t = true -> separated m (aggregate p) phi (better t) (worse t).
Proof.
  intros I H; destruct C as (HK & E); apply (separated_scaled m _ (fun i j => IZR (c i j)) K phi _ _ HK E).
  unfold pair_check in H; tests H; rename T into Hi, T0 into Hj; apply Nat.eqb_neq in T1.
  destruct (by_rule t) eqn:R.
  - assert (U : even_plus_line g).
    { destruct allow as [A | A]; [| exact A]; rewrite forallb_forall in A; specialize (A t I); rewrite R in A;
        discriminate. }
    destruct (gap_check_real m c _ _ _ _ Hi Hj H) as ((Hp & Hq & Hpq) & G).
    apply (R_separated m _ phi g b (IZR (p_of t)) (IZR (q_of t))); auto; intros; apply (counts_nonneg m c valid); assumption.
  - destruct (domination_check_real m c _ _ _ _ Hi Hj H) as ((Hp & Hq & Hpq) & G).
    apply (D_separated m _ phi g b (IZR (p_of t)) (IZR (q_of t))); auto; intros; apply (counts_nonneg m c valid); assumption.
Qed.
Hypothesis checked : forallb (pair_check m c) l = true.
(* Each pair of the closure is kept apart near the infimum. *)
Theorem pairs_sound i j : has (closure m l) i j = true -> separated m (aggregate p) phi i j.
Proof.
  apply (closure_sound (separated m (aggregate p) phi)); [intros ? ? ?; apply separated_trans |].
  intros t I; rewrite forallb_forall in checked; apply pair_separated, checked; assumption.
Qed.
Lemma count_difference i j : (i < m)%nat -> (j < m)%nat -> 0 < diff p i j <-> (c j i < c i j)%Z.
Proof.
  intros Hi Hj; destruct C as (HK & E); unfold difference; split; intros H.
  - apply lt_IZR; rewrite <- !E by assumption; nra.
  - apply IZR_lt in H; rewrite <- !E in H by assumption; nra.
Qed.
Variable rank : list nat.
Hypothesis order : order_check m c rank = true.
Lemma no_cycles : acyclic_differences m (aggregate p).
Proof.
  exists (fun i => - INR (nth i rank 0%nat)); intros i j Hi Hj L; apply count_difference in L; [| assumption ..].
  pose proof (every_spec _ _ (every_spec _ _ order i Hi) j Hj) as Q; cbv beta in Q.
  apply Z.ltb_lt in L; rewrite L in Q; apply Nat.ltb_lt, lt_INR in Q; lra.
Qed.

(* Every majority is in the closure. *)
Definition all_proved : bool := let below := closure m l in
  every m (fun i => every m (fun j => if (c j i <? c i j)%Z then has below i j else true)).
Theorem addition_consistent : all_proved = true -> consistent_at (edge_loss identity phi m p) p.
Proof.
  intros Q; apply (order_consistent m p phi b (has (closure m l)) HD below); [intros; apply pairs_sound; assumption |].
  intros alpha O; apply (lemma_16 m p HD no_cycles); intros i j Hi Hj L; apply right_above, O; auto.
  apply count_difference, Z.ltb_lt in L; [| assumption ..].
  pose proof (every_spec _ _ (every_spec _ _ Q i Hi) j Hj) as R; cbv beta in R; rewrite L in R; exact R.
Qed.

(* A cycle of items: the first above the second by the closure, each other one above the next by it or by majority. *)
Fixpoint leads (below : list N) (x : nat) (path : list nat) : bool := match path with
  | [] => true
  | y :: rest => if (x <? m)%nat then if (y <? m)%nat then
      if (if has below x y then true else (c y x <? c x y)%Z) then leads below y rest else false else false else false
  end.
Definition against_majority (i j : nat) (path : list nat) : bool := let below := closure m l in
  if (i <? m)%nat then if (j <? m)%nat then if has below i j then leads below j (path ++ [i]) else false else false
  else false.
Theorem addition_inconsistent i j path : against_majority i j path = true ->
  ~ consistent_at (edge_loss identity phi m p) p.
Proof.
  intros Q; apply (order_inconsistent m p phi b (has (closure m l)) HD below); [intros; apply pairs_sound; assumption |].
  intros alpha O HA; unfold against_majority in Q; tests Q; rename T into Hi, T0 into Hj, T1 into P.
  assert (G : forall r x, leads (closure m l) x (r ++ [i]) = true -> alpha i <= alpha x).
  { induction r as [| y r IH]; intros x F; cbn [app leads] in F;
    (destruct (Nat.ltb_spec x m) as [Hx |]; [| discriminate]);
    match type of F with (if (?z <? m)%nat then _ else _) = true => destruct (Nat.ltb_spec z m) as [Hy |];
      [| discriminate]; assert (S : alpha z <= alpha x) end.
    1, 3: destruct (has (closure m l) x _) eqn:B; [left; apply O; assumption |];
      destruct (_ <? _)%Z eqn:Z; [| discriminate]; apply (A_weak m p); auto using no_cycles;
      apply count_difference; [assumption .. | apply Z.ltb_lt, Z].
    - exact S.
    - destruct (if has _ x y then true else _); [| discriminate]; pose proof (IH y F); lra. }
  pose proof (G path j Q); pose proof (O i j Hi Hj P); lra.
Qed.
End Sound.

(* --- What a file says ----------------------------------------------------------------------------------------- *)

(* The order has all pairs of the closure in order. *)
Definition extends_check m (l : list pair) (t : list nat) : bool := let below := closure m l in
  every m (fun i => let x := place t i in every m (fun j => if has below i j then (x <? place t j)%nat else true)).
Lemma extends_sound m l t : extends_check m l t = true -> in_order m (has (closure m l)) (sorted t).
Proof.
  intros H i j Hi Hj P; pose proof (every_spec _ _ (every_spec _ _ H i Hi) j Hj) as Q; cbv beta zeta in Q.
  rewrite P in Q; apply Nat.ltb_lt, lt_INR in Q; unfold sorted; lra.
Qed.
(* All that a proof by addition rests on, but for its claim. *)
Definition addition_check m ls k c rank l : bool :=
  if labels_check m ls k c then if order_check m c rank then forallb (pair_check m c) l else false else false.
Section File.
Variables (m : nat) (ls : list label) (k : Z) (c : nat -> nat -> Z) (rank : list nat) (l : list pair).
Variables (phi g : R -> R) (b : R).
Hypotheses (reg : declining phi g) (below : forall x, b <= phi x) (allow : allowed l g).
Hypothesis H : addition_check m ls k c rank l = true.
Let proved p := forall i j, has (closure m l) i j = true -> separated m (aggregate p) phi i j.
Lemma addition_spec : labels_check m ls k c = true /\ order_check m c rank = true /\ forallb (pair_check m c) l = true.
Proof.
  unfold addition_check in H; tests H; auto.
Qed.
Lemma replay_aggregate p : described m ls p -> forall i j, (i < m)%nat -> (j < m)%nat ->
  Q2R (c i j # Z.to_pos k) = aggregate p i j.
Proof. exact (labels_aggregate m ls k c (proj1 addition_spec) p). Qed.
Theorem replay_consistent : all_proved m c l = true -> (exists p, described m ls p) /\
  forall p, described m ls p -> acyclic_differences m (aggregate p) /\ proved p /\
    consistent_at (edge_loss identity phi m p) p.
Proof.
  intros Q; destruct addition_spec as (L & O & T); split; [exact (labels_described m ls k c L) |]; intros p D.
  pose proof (labels_counted m ls k c L p D) as C; pose proof (labels_valid m ls k c L) as V; destruct D as [HD _].
  split; [exact (no_cycles m c p (IZR k) C rank O) | split].
  - intros i j; apply (pairs_sound m c p l phi g (IZR k) b); assumption.
  - apply (addition_consistent m c p l phi g (IZR k) b V HD C reg below allow T rank O Q).
Qed.
Theorem replay_inconsistent i j path prediction better r : against_majority m c l i j path = true ->
  regret_check m c k prediction better r = true -> extends_check m l prediction = true ->
  (exists p, described m ls p) /\ forall p, described m ls p -> acyclic_differences m (aggregate p) /\ proved p /\
    in_order m (has (closure m l)) (sorted prediction) /\
    0 < Q2R r <= loss p (sorted prediction) - loss p (sorted better) /\ ~ consistent_at (edge_loss identity phi m p) p.
Proof.
  intros Q R X; destruct addition_spec as (L & O & T); split; [exact (labels_described m ls k c L) |]; intros p D.
  pose proof (labels_counted m ls k c L p D) as C; pose proof (labels_valid m ls k c L) as V; destruct D as [HD _].
  split; [exact (no_cycles m c p (IZR k) C rank O) | split; [| split; [exact (extends_sound m l _ X) | split]]].
  - intros x y; apply (pairs_sound m c p l phi g (IZR k) b); assumption.
  - exact (regret_sound m c k p prediction better r HD C R).
  - exact (addition_inconsistent m c p l phi g (IZR k) b V HD C reg below allow T rank O i j path Q).
Qed.
End File.
