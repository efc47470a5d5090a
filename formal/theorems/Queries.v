(* From one distribution to risks over queries: DMJ10 Lemma 1, Lemma 4 and Theorem 6 (if and only if) for finitely
   many queries, and what Theorems 11 and 12 say of risks. A query x has the probability q_x, m_x items and a
   distribution p_x over graphs; f gives scores to each. Infima need not be attained; that of one surrogate risk may
   be -oo. Sequences are found among scores on grids of rational numbers, so that no axiom of choice is needed. *)
From Coq Require Import Reals Lra Lia Arith List Cantor ConstructiveEpsilon ClassicalDedekindReals Classical_Prop.
From ConsistencyLab.base Require Import Sums Ranking Orders Convex Near Aggregate.
From ConsistencyLab.theorems Require Import Theorems11and12.
Import ListNotations.
Open Scope R_scope.

(* A class of distributions over the graphs of m items. *)
Definition class := nat -> distribution -> Prop.
(* n queries with distributions of this class; each has a positive probability. *)
Definition is_queries (P : class) (n : nat) (q : nat -> R) (m : nat -> nat) (p : nat -> distribution) :=
  sum q n = 1 /\ forall x, (x < n)%nat -> 0 < q x /\ is_distribution (m x) (p x) /\ P (m x) (p x).
(* R(f), the mean of the pairwise disagreement, and R_phi(f), that of a surrogate. *)
Definition true_risk n (q : nat -> R) (p : nat -> distribution) (f : nat -> scores) : R :=
  sum (fun x => q x * loss (p x) (f x)) n.
Definition surrogate_risk n (q : nat -> R) (V : surrogate) (m : nat -> nat) (p : nat -> distribution)
  (f : nat -> scores) : R := sum (fun x => q x * V (m x) (p x) (f x)) n.

(* F (x_k) tends to the infimum of F, or to -oo if F is not bounded below. *)
Definition approaches {X} (F : X -> R) (x : nat -> X) := forall y e, 0 < e ->
  exists N, forall k, (N <= k)%nat -> F (x k) < F y + e.
(* Continuous in the scores of m items, on which alone it depends. *)
Definition continuous m (V : scores -> R) := forall alpha e, 0 < e -> exists d, 0 < d /\
  forall beta, (forall i, (i < m)%nat -> Rabs (beta i - alpha i) < d) -> Rabs (V beta - V alpha) < e.
(* zeta <= H (Eq. 3): a regret of e or more at a p of the class costs at least zeta(e) more than W*(p). *)
Definition below_H (P : class) (V : surrogate) (zeta : R -> R) := forall m p l w alpha e, is_distribution m p ->
  P m p -> infimum (loss p) l -> infimum (V m p) w -> 0 <= e <= loss p alpha - l -> zeta e <= V m p alpha - w.
Definition convex_from_0 (f : R -> R) := forall x y t, 0 <= x -> 0 <= y -> 0 <= t <= 1 ->
  f (t * x + (1 - t) * y) <= t * f x + (1 - t) * f y.

(* --- Infima ------------------------------------------------------------------------------------------------ *)

Lemma infimum_unique {X} (F : X -> R) v w : infimum F v -> infimum F w -> v = w.
Proof.
  intros (V1 & V2) (W1 & W2); destruct (Rtotal_order v w) as [L | [E | L]]; [| exact E |]; exfalso.
  - destruct (V2 (w - v) ltac:(lra)) as (x & H); specialize (W1 x); lra.
  - destruct (W2 (v - w) ltac:(lra)) as (x & H); specialize (V1 x); lra.
Qed.
Lemma finite_scores n (Q : nat -> scores -> Prop) : (forall x, (x < n)%nat -> exists a, Q x a) ->
  exists f : nat -> scores, forall x, (x < n)%nat -> Q x (f x).
Proof.
  induction n as [| n IH]; intros H; [exists (fun _ _ => 0); intros; lia |].
  destruct IH as (f & F); [intros; apply H; lia |]; destruct (H n ltac:(lia)) as (a & Ha).
  exists (fun x => if (x =? n)%nat then a else f x); intros x Hx.
  destruct (Nat.eqb_spec x n) as [-> | N]; [exact Ha | apply F; lia].
Qed.
(* Of a mean over queries, the infimum is the mean of the infima. *)
Lemma mean_infimum n (q : nat -> R) (F : nat -> scores -> R) w : sum q n = 1 -> (forall x, (x < n)%nat -> 0 < q x) ->
  (forall x, (x < n)%nat -> infimum (F x) (w x)) ->
  infimum (fun f : nat -> scores => sum (fun x => q x * F x (f x)) n) (sum (fun x => q x * w x) n).
Proof.
  intros One Q I; split.
  - intros f; apply sum_le; intros x Hx; apply Rmult_le_compat_l; [left; auto | apply (I x Hx)].
  - intros e He; destruct (finite_scores n (fun x a => F x a < w x + e / 2)) as (f & H);
      [intros x Hx; apply (I x Hx); lra |].
    exists f; apply Rle_lt_trans with (sum (fun x => q x * w x + e / 2 * q x) n).
    + apply sum_le; intros x Hx; specialize (H x Hx); specialize (Q x Hx); nra.
    + rewrite sum_plus, sum_scal, One; lra.
Qed.

(* --- The loss takes finitely many values ------------------------------------------------------------------- *)

Definition finitely {X} (F : X -> R) := exists l, forall x, In (F x) l.
Lemma finitely_plus {X} (F G : X -> R) : finitely F -> finitely G -> finitely (fun x => F x + G x).
Proof.
  intros (k & K) (l & L); exists (map (fun v => fst v + snd v) (list_prod k l)); intros x.
  apply in_map_iff; exists (F x, G x); split; [reflexivity | apply in_prod; auto].
Qed.
Lemma finitely_total {X Y} (F : Y -> X -> R) l : (forall y, finitely (F y)) ->
  finitely (fun x => total (fun y => F y x) l).
Proof.
  intros H; induction l as [| y l IH]; cbn; [exists [0]; intros; left; reflexivity | apply finitely_plus; auto].
Qed.
Lemma loss_finitely p : finitely (loss p).
Proof.
  apply (finitely_total (fun g alpha => fst g * total (miss alpha) (snd g))); intros g.
  destruct (finitely_total (fun e alpha => miss alpha e) (snd g)) as (l & L).
  - intros e; exists [wt e; 0]; intros alpha; unfold miss.
    destruct (_ <? _)%nat; [destruct (Rle_dec _ _) | destruct (Rlt_dec _ _)]; cbn; auto.
  - exists (map (Rmult (fst g)) l); intros alpha; apply in_map, L.
Qed.
Lemma finitely_least {X} (F : X -> R) (x : X) : finitely F -> exists y, forall z, F y <= F z.
Proof.
  intros (l & L); assert (H : forall l y, In (F y) l -> exists y, In (F y) l /\ forall z, In (F z) l -> F y <= F z).
  { clear; induction l as [| v l IH]; intros y I; [destruct I |].
    destruct (classic (exists y, In (F y) l)) as [(y' & I') | N].
    - destruct (IH y' I') as (b & Ib & Hb).
      destruct (classic (exists a, F a = v /\ v < F b)) as [(a & E & K) | N].
      + exists a; split; [left; auto |]; intros z [Z | Z]; [lra | specialize (Hb z Z); lra].
      + exists b; split; [right; exact Ib |]; intros z [Z | Z]; [| auto].
        apply Rnot_lt_le; intros K; apply N; exists z; split; [auto | lra].
    - exists y; split; [exact I |]; intros z [Z | Z]; [| destruct N; eauto].
      destruct I as [I | I]; [lra | destruct N; eauto]. }
  destruct (H l x (L x)) as (y & _ & M); exists y; auto.
Qed.
(* Some scores are optimal, and all others lose more by a fixed amount. *)
Lemma loss_gap p : exists best e, A p best /\ 0 < e /\ forall alpha, ~ A p alpha -> loss p best + e <= loss p alpha.
Proof.
  destruct (finitely_least (loss p) (fun _ => 0) (loss_finitely p)) as (b & B); destruct (loss_finitely p) as (l & L).
  destruct (list_min (fun v e => loss p b < v -> loss p b + e <= v) l) as (e & Pe & He).
  - intros v s t H T K; specialize (H K); lra.
  - intros v _; destruct (Rlt_le_dec (loss p b) v); [exists (v - loss p b); split; lra | exists 1; split; intros; lra].
  - exists b, e; split; [exact B | split; [exact Pe |]]; intros a N; apply (He _ (L a)).
    apply Rnot_le_lt; intros K; apply N; intros c; specialize (B c); lra.
Qed.
Lemma least_infimum p best : A p best -> infimum (loss p) (loss p best).
Proof. intros B; split; [exact B | intros e He; exists best; lra]. Qed.

(* --- DMJ10 Lemma 4 and Lemma 1 ------------------------------------------------------------------------------ *)

(* Only Definition 2 at this p is used. *)
Theorem lemma_4 V p x : consistent_at V p -> approaches V x ->
  approaches (loss p) x /\ exists N, forall k, (N <= k)%nat -> A p (x k).
Proof.
  intros (c & (b & Hb) & H) T; destruct (T b (c - V b) ltac:(lra)) as (N & HN).
  assert (E : forall k, (N <= k)%nat -> A p (x k))
    by (intros k Hk; apply NNPP; intros X; specialize (H _ X); specialize (HN k Hk); lra).
  split; [intros y e He |]; exists N; [intros k Hk; specialize (E k Hk y); lra | exact E].
Qed.

Lemma jensen zeta n (q r : nat -> R) : convex_from_0 zeta -> (forall x, (x < n)%nat -> 0 < q x) ->
  (forall x, (x < n)%nat -> 0 <= r x) -> (0 < n)%nat ->
  0 < sum q n /\ sum q n * zeta (sum (fun x => q x * r x) n / sum q n) <= sum (fun x => q x * zeta (r x)) n.
Proof.
  intros C; induction n as [| n IH]; intros Q Nr Hn; [lia |]; cbn [sum]; pose proof (Q n ltac:(lia)) as Pq.
  destruct (Nat.eq_dec n 0) as [-> | N0].
  - cbn; split; [lra |]; replace ((0 + q 0%nat * r 0%nat) / (0 + q 0%nat)) with (r 0%nat) by (field; lra); lra.
  - destruct IH as (S & J); [intros; apply Q; lia | intros; apply Nr; lia | lia |].
    set (s := sum q n) in *; set (t := sum (fun x => q x * r x) n) in *; split; [lra |].
    assert (T : 0 <= t) by (apply sum_nonneg; intros x Hx; specialize (Q x ltac:(lia)); specialize (Nr x ltac:(lia));
      nra).
    assert (B : 0 <= s / (s + q n) <= 1).
    { split; [apply Rlt_le, Rdiv_lt_0_compat; lra |]; apply Rmult_le_reg_r with (s + q n); [lra |].
      unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra. }
    pose proof (C (t / s) (r n) (s / (s + q n)) ltac:(apply Rmult_le_pos; [exact T | left; apply Rinv_0_lt_compat, S])
      (Nr n ltac:(lia)) B) as K.
    replace (s / (s + q n) * (t / s) + (1 - s / (s + q n)) * r n) with ((t + q n * r n) / (s + q n)) in K
      by (field; lra).
    apply (Rmult_le_compat_l (s + q n)) in K; [| lra].
    replace ((s + q n) * (s / (s + q n) * zeta (t / s) + (1 - s / (s + q n)) * zeta (r n))) with
      (s * zeta (t / s) + q n * zeta (r n)) in K by (field; lra); lra.
Qed.
Theorem lemma_1 P V zeta n q m p : convex_from_0 zeta -> below_H P V zeta -> is_queries P n q m p ->
  (forall x, (x < n)%nat -> bounded_below (V (m x) (p x))) -> forall l w, infimum (true_risk n q p) l ->
  infimum (surrogate_risk n q V m p) w -> forall f, zeta (true_risk n q p f - l) <= surrogate_risk n q V m p f - w.
Proof.
  intros C below (One & HQ) low l w Il Iw f.
  destruct (finite_scores n (fun x a => A (p x) a)) as (b & B);
    [intros x _; destruct (loss_gap (p x)) as (a & _ & Ha & _); exists a; exact Ha |].
  destruct (finite_choice (fun x v => infimum (V (m x) (p x)) v) n) as (v & Hv);
    [intros x Hx; apply (infimum_exists _ (fun _ => 0)), low, Hx |].
  assert (Q : forall x, (x < n)%nat -> 0 < q x) by (intros x Hx; apply HQ, Hx).
  replace l with (sum (fun x => q x * loss (p x) (b x)) n) by (apply (infimum_unique (true_risk n q p)); [| exact Il];
    apply (mean_infimum n q (fun x => loss (p x))); auto; intros x Hx; apply least_infimum, B, Hx).
  replace w with (sum (fun x => q x * v x) n) by (apply (infimum_unique (surrogate_risk n q V m p)); [| exact Iw];
    apply (mean_infimum n q (fun x => V (m x) (p x))); auto).
  unfold true_risk, surrogate_risk; rewrite <- !sum_minus.
  destruct n as [| k]; [cbn in One; lra |]; set (n := S k) in *.
  destruct (jensen zeta n q (fun x => loss (p x) (f x) - loss (p x) (b x)) C Q) as (_ & J);
    [intros x Hx; specialize (B x Hx (f x)); lra | unfold n; lia |].
  unfold Rdiv in J; rewrite One, Rinv_1, Rmult_1_l, Rmult_1_r in J.
  rewrite (sum_ext _ (fun x => q x * (loss (p x) (f x) - loss (p x) (b x)))) by (intros; ring).
  apply (Rle_trans _ _ _ J), sum_le; intros x Hx; specialize (Q x Hx); destruct (HQ x Hx) as (_ & D & HP).
  assert (zeta (loss (p x) (f x) - loss (p x) (b x)) <= V (m x) (p x) (f x) - v x); [| nra].
  apply (below (m x) (p x) (loss (p x) (b x)) (v x) (f x)); auto; [apply least_infimum, B, Hx |].
  specialize (B x Hx (f x)); lra.
Qed.

(* --- DMJ10 Theorem 6 ---------------------------------------------------------------------------------------- *)

(* Definition 2 for the risk of f: below some level above its infimum the true risk is least. One level serves every f,
   random ones too. *)
Theorem theorem_6_level n q (V : surrogate) m p : is_queries (fun m p => consistent_at (V m p) p) n q m p ->
  (forall x, (x < n)%nat -> bounded_below (V (m x) (p x))) ->
  exists c, (exists f, surrogate_risk n q V m p f < c) /\
  forall f, surrogate_risk n q V m p f < c -> forall g, true_risk n q p f <= true_risk n q p g.
Proof.
  intros (One & HQ) low.
  destruct (finite_choice (fun x v => infimum (V (m x) (p x)) v) n) as (w & Hw);
    [intros x Hx; apply (infimum_exists _ (fun _ => 0)), low, Hx |].
  assert (Q : forall x, (x < n)%nat -> 0 < q x) by (intros x Hx; apply HQ, Hx).
  destruct (finite_min (fun x e => forall a, q x * (V (m x) (p x) a - w x) < e -> A (p x) a) n) as (e & Pe & He).
  - intros x s t H T a L; apply H; lra.
  - intros x Hx; destruct (HQ x Hx) as (Pq & _ & c & (b & Hb) & H); destruct (Hw x Hx) as (W & _); specialize (W b).
    exists (q x * (c - w x)); split; [apply Rmult_lt_0_compat; lra |]; intros a L; apply NNPP; intros N.
    specialize (H a N); apply Rmult_lt_reg_l in L; lra.
  - destruct (mean_infimum n q (fun x => V (m x) (p x)) w One Q Hw) as (_ & near).
    exists (sum (fun x => q x * w x) n + e); split; [apply near, Pe |]; intros f L g.
    apply sum_le; intros x Hx; apply Rmult_le_compat_l; [left; auto |]; apply (He x Hx (f x)).
    assert (q x * (V (m x) (p x) (f x) - w x) <=
      sum (fun x => q x * V (m x) (p x) (f x)) n - sum (fun x => q x * w x) n); [| unfold surrogate_risk in L; lra].
    rewrite <- sum_minus, <- (sum_delta (fun x => q x * (V (m x) (p x) (f x) - w x)) n x Hx); apply sum_le.
    intros y Hy; specialize (Q y Hy); destruct (Hw y Hy) as (W & _); specialize (W (f y)).
    destruct (y =? x)%nat; nra.
Qed.

(* Points of rational grids, numbered. *)
Fixpoint digit (m k : nat) : nat -> nat := match m with
  | O => fun _ => O
  | S j => fun i => if (i =? j)%nat then fst (of_nat k) else digit j (snd (of_nat k)) i
  end.
Lemma digit_all m (v : nat -> nat) : exists k, forall i, (i < m)%nat -> digit m k i = v i.
Proof.
  induction m as [| m (k & H)]; [exists O; intros; lia |]; exists (to_nat (v m, k)); intros i Hi; cbn [digit].
  rewrite cancel_of_to; cbn [fst snd]; destruct (Nat.eqb_spec i m) as [-> | N]; [reflexivity | apply H; lia].
Qed.
Definition grid m k : scores := fun i =>
  (INR (digit (S (S m)) k i) - INR (digit (S (S m)) k m)) / INR (S (digit (S (S m)) k (S m))).
Lemma up_mono r s : r <= s -> (up r <= up s)%Z.
Proof.
  intros L; destruct (archimed r) as (_ & U); destruct (archimed s) as (S0 & _).
  apply Z.lt_succ_r, lt_IZR; rewrite succ_IZR; lra.
Qed.
Lemma up_strict r s : r + 1 < s -> (up r < up s)%Z.
Proof. intros L; destruct (archimed r) as (_ & U); destruct (archimed s) as (S0 & _); apply lt_IZR; lra. Qed.
(* Scores in the order of any given ones, as near as one likes. *)
Lemma grid_near m (alpha : scores) d : 0 < d -> exists k, (forall i, (i < m)%nat -> Rabs (grid m k i - alpha i) < d) /\
  forall i j, (i < m)%nat -> (j < m)%nat -> alpha i < alpha j <-> grid m k i < grid m k j.
Proof.
  intros Pd; destruct (least_gap alpha m) as (g & Pg & G).
  destruct (archimed_cor1 (Rmin d g) (Rmin_pos d g Pd Pg)) as ([| N] & HN & PN); [lia |].
  pose proof (Rmin_l d g); pose proof (Rmin_r d g); set (c := INR (S N)) in *.
  assert (Pc : 0 < c) by (apply lt_0_INR; lia).
  assert (c * / c = 1) by (apply Rinv_r; lra).
  set (z := fun i => up (c * alpha i)).
  assert (Low : exists s : nat, forall i, (i < m)%nat -> (0 <= z i + Z.of_nat s)%Z).
  { clear; induction m as [| m (s & H)]; [exists O; intros; lia |]; exists (Nat.max s (Z.abs_nat (z m))).
    intros i Hi; destruct (Nat.eq_dec i m) as [-> | E]; [lia | specialize (H i ltac:(lia)); lia]. }
  destruct Low as (s & Hs); destruct (digit_all (S (S m)) (fun i => if (i <? m)%nat then Z.to_nat (z i + Z.of_nat s)
    else if (i =? m)%nat then s else N)) as (k & K).
  assert (E : forall i, (i < m)%nat -> grid m k i = IZR (z i) * / c).
  { intros i Hi; unfold grid; rewrite !K by lia.
    rewrite (proj2 (Nat.ltb_lt i m) Hi), Nat.ltb_irrefl, Nat.eqb_refl.
    rewrite (proj2 (Nat.ltb_ge (S m) m)), (proj2 (Nat.eqb_neq (S m) m)) by lia.
    rewrite !INR_IZR_INZ, Z2Nat.id, plus_IZR by (apply Hs, Hi); unfold Rdiv, c; rewrite INR_IZR_INZ; ring. }
  assert (Pi : 0 < / c) by (apply Rinv_0_lt_compat, Pc).
  exists k; split.
  - intros i Hi; rewrite E by exact Hi; unfold z; destruct (archimed (c * alpha i)) as (U1 & U2).
    replace (IZR (up (c * alpha i)) * / c - alpha i) with ((IZR (up (c * alpha i)) - c * alpha i) * / c)
      by (field; lra).
    rewrite Rabs_right by nra; nra.
  - intros i j Hi Hj; rewrite !E by assumption; split; intros L.
    + apply Rmult_lt_compat_r, IZR_lt, up_strict; [exact Pi |]; specialize (G j Hj i Hi L).
      assert (1 < c * g) by nra; nra.
    + apply Rnot_le_lt; intros M; assert ((z j <= z i)%Z) by (apply up_mono; nra).
      apply Rmult_lt_reg_r, lt_IZR in L; [lia | exact Pi].
Qed.
Lemma same_order m p alpha beta : is_distribution m p ->
  (forall i j, (i < m)%nat -> (j < m)%nat -> alpha i < alpha j <-> beta i < beta j) -> loss p alpha = loss p beta.
Proof.
  intros (D & _) O; apply total_ext; revert D; apply Forall_impl; intros g (_ & W & _); f_equal; apply total_ext.
  revert W; apply Forall_impl; intros e (S0 & D0 & _); pose proof (O _ _ S0 D0); pose proof (O _ _ D0 S0).
  unfold miss; destruct (_ <? _)%nat; [destruct (Rle_dec _ _), (Rle_dec _ _) | destruct (Rlt_dec _ _), (Rlt_dec _ _)];
    reflexivity || tauto ||
    (exfalso; repeat match goal with N : ~ _ <= _ |- _ => apply Rnot_le_lt in N end; lra || tauto).
Qed.
Lemma choose_numbers (Q : nat -> nat -> Prop) : (forall n, exists k, Q n k) ->
  exists g : nat -> nat, forall n, Q n (g n).
Proof.
  intros H; assert (D : forall n k, {Q n k} + {~ Q n k})
    by (intros n k; destruct (sig_not_dec (Q n k)) as [N | N]; [left; apply NNPP, N | right; exact N]).
  exists (fun n => proj1_sig (constructive_indefinite_ground_description_nat (Q n) (D n) (H n))); intros n.
  apply proj2_sig.
Qed.
(* Levels that fall to the infimum, or to -oo. *)
Lemma levels (V : scores -> R) : exists c : nat -> R, (forall n, exists a, V a < c n) /\
  forall b e, 0 < e -> exists N, forall n, (N <= n)%nat -> c n <= V b + e.
Proof.
  destruct (classic (bounded_below V)) as [B | B].
  - destruct (infimum_exists V (fun _ => 0) B) as (w & W & near); exists (fun n => w + / INR (S n)); split.
    + intros n; apply near, Rinv_0_lt_compat, lt_0_INR; lia.
    + intros b e He; destruct (archimed_cor1 e He) as (N & HN & PN); exists N; intros n Hn; specialize (W b).
      assert (/ INR (S n) <= / INR N) by (apply Rinv_le_contravar; [apply lt_0_INR; lia | apply le_INR; lia]); lra.
  - exists (fun n => - INR n); split.
    + intros n; apply NNPP; intros N; apply B; exists (- INR n); intros a; apply Rnot_lt_le; intros L; apply N; eauto.
    + intros b e He; exists (Z.abs_nat (up (- V b))); intros n Hn; destruct (archimed (- V b)) as (U & _).
      apply le_INR in Hn; rewrite INR_IZR_INZ, Zabs2Nat.id_abs in Hn.
      pose proof (IZR_le (up (- V b)) (Z.abs (up (- V b))) ltac:(lia)); lra.
Qed.
(* Where Definition 2 fails, some scores come near the infimum and are never optimal: they lose too much, and by a fixed
   amount. *)
Theorem never_optimal m p V : is_distribution m p -> continuous m V -> ~ consistent_at V p ->
  exists x, approaches V x /\ exists best e, 0 < e /\ forall k, loss p best + e <= loss p (x k).
Proof.
  intros HD C N; destruct (loss_gap p) as (best & e & _ & Pe & He); destruct (levels V) as (c & Near & Down).
  destruct (choose_numbers (fun n k => ~ A p (grid m k) /\ V (grid m k) < c n)) as (g & G).
  - intros n; assert (Out : exists a, ~ A p a /\ V a < c n).
    { apply NNPP; intros F; apply N; exists (c n); split; [apply Near |]; intros a HA; apply Rnot_lt_le; intros L.
      apply F; exists a; auto. }
    destruct Out as (a & HA & L); destruct (C a (c n - V a) ltac:(lra)) as (d & Pd & Hd).
    destruct (grid_near m a d Pd) as (k & K & O); exists k; split.
    + intros HK; apply HA; intros b; rewrite (same_order m p a (grid m k) HD O); apply HK.
    + specialize (Hd _ K); apply Rabs_def2 in Hd; lra.
  - exists (fun n => grid m (g n)); split.
    + intros b d Pd; destruct (Down b d Pd) as (M & HM); exists M; intros n Hn; specialize (HM n Hn).
      destruct (G n) as (_ & L); lra.
    + exists best, e; split; [exact Pe |]; intros n; apply He, (G n).
Qed.

(* A surrogate that is continuous in the scores and bounded below is edge-consistent at every p of a class if and only
   if, whatever finitely many queries of the class there are, f_k whose surrogate risk tends to its infimum have a true
   risk that tends to its infimum. *)
Theorem theorem_6 (P : class) (V : surrogate) :
  (forall m p, is_distribution m p -> P m p -> continuous m (V m p) /\ bounded_below (V m p)) ->
  (forall m p, is_distribution m p -> P m p -> consistent_at (V m p) p) <->
  (forall n q m p, is_queries P n q m p -> forall f, approaches (surrogate_risk n q V m p) f ->
    approaches (true_risk n q p) f).
Proof.
  intros R; split.
  - intros C n q m p (One & HQ) f T; destruct (theorem_6_level n q V m p) as (c & (b & Hb) & H).
    + split; [exact One |]; intros x Hx; destruct (HQ x Hx) as (Pq & D & HP); auto.
    + intros x Hx; destruct (HQ x Hx) as (Pq & D & HP); apply R; assumption.
    + intros g e He; destruct (T b (c - surrogate_risk n q V m p b) ltac:(lra)) as (N & HN); exists N; intros k Hk.
      specialize (HN k Hk); specialize (H (f k) ltac:(lra) g); lra.
  - intros H m p D HP; apply NNPP; intros N; destruct (R m p D HP) as (C & _).
    destruct (never_optimal m p (V m p) D C N) as (x & T & best & e & Pe & He).
    destruct (H 1%nat (fun _ => 1) (fun _ => m) (fun _ => p)) with (f := fun k (_ : nat) => x k)
      (y := fun _ : nat => best) (e := e) as (K & HK).
    + split; [cbn; ring | intros; repeat split; lra || apply D || exact HP].
    + intros b d Pd; destruct (T (b 0%nat) d Pd) as (K & HK); exists K; intros k Hk; specialize (HK k Hk).
      unfold surrogate_risk; cbn; lra.
    + exact Pe.
    + specialize (HK K (le_n K)); specialize (He K); revert HK; unfold true_risk; cbn; lra.
Qed.

(* --- Theorems 11 and 12 for risks --------------------------------------------------------------------------- *)

Lemma convex_continuous phi x e : convex phi -> 0 < e -> exists d, 0 < d /\
  forall y, Rabs (y - x) < d -> Rabs (phi y - phi x) < e.
Proof.
  intros C He; destruct (subgradient_exists phi x C) as (s & S).
  set (K := Rabs s + Rabs (phi (x + 1) - phi x) + Rabs (phi (x - 1) - phi x) + 1).
  pose proof (Rabs_pos s); pose proof (Rabs_pos (phi (x + 1) - phi x)); pose proof (Rabs_pos (phi (x - 1) - phi x)).
  pose proof (Rle_abs (phi (x + 1) - phi x)); pose proof (Rle_abs (phi (x - 1) - phi x)); pose proof (Rle_abs s);
    pose proof (Rle_abs (- s)) as M; rewrite Rabs_Ropp in M.
  assert (PK : 0 < K) by (unfold K; lra).
  exists (Rmin 1 (e / K)); split; [apply Rmin_pos; [lra | apply Rdiv_lt_0_compat; assumption] |]; intros y L.
  assert (L1 : Rabs (y - x) < 1) by (eapply Rlt_le_trans; [exact L | apply Rmin_l]).
  assert (L2 : Rabs (y - x) * K < e).
  { apply Rlt_le_trans with (e / K * K); [| right; field; lra].
    apply Rmult_lt_compat_r; [exact PK | eapply Rlt_le_trans; [exact L | apply Rmin_r]]. }
  specialize (S y); apply Rle_lt_trans with (Rabs (y - x) * K); [| exact L2]; clear L L2 He.
  revert L1; unfold Rabs at 1 3; destruct (Rcase_abs (y - x)); intros L1; apply Rabs_le.
  - pose proof (C (x - 1) x (x - y) ltac:(lra)) as U.
    replace ((x - y) * (x - 1) + (1 - (x - y)) * x) with y in U by ring; unfold K; split; nra.
  - pose proof (C (x + 1) x (y - x) ltac:(lra)) as U.
    replace ((y - x) * (x + 1) + (1 - (y - x)) * x) with y in U by ring; unfold K; split; nra.
Qed.
Lemma continuous_constant m c : continuous m (fun _ => c).
Proof. intros a e He; exists 1; split; [lra |]; intros b _; rewrite Rminus_eq_0, Rabs_R0; exact He. Qed.
Lemma continuous_plus m F G : continuous m F -> continuous m G -> continuous m (fun a => F a + G a).
Proof.
  intros HF HG a e He; destruct (HF a (e / 2) ltac:(lra)) as (d1 & P1 & H1);
    destruct (HG a (e / 2) ltac:(lra)) as (d2 & P2 & H2).
  exists (Rmin d1 d2); split; [apply Rmin_pos; assumption |]; intros b B.
  pose proof (Rmin_l d1 d2); pose proof (Rmin_r d1 d2).
  assert (B1 : Rabs (F b - F a) < e / 2) by (apply H1; intros i Hi; specialize (B i Hi); lra).
  assert (B2 : Rabs (G b - G a) < e / 2) by (apply H2; intros i Hi; specialize (B i Hi); lra).
  apply Rabs_def2 in B1; apply Rabs_def2 in B2; apply Rabs_def1; lra.
Qed.
Lemma continuous_scaled m c F : continuous m F -> continuous m (fun a => c * F a).
Proof.
  intros HF a e He; pose proof (Rabs_pos c).
  destruct (HF a (e / (Rabs c + 1))) as (d & Pd & Hd); [apply Rdiv_lt_0_compat; lra |].
  exists d; split; [exact Pd |]; intros b B; specialize (Hd b B); rewrite <- Rmult_minus_distr_l, Rabs_mult.
  apply Rle_lt_trans with ((Rabs c + 1) * Rabs (F b - F a)); [apply Rmult_le_compat_r; [apply Rabs_pos | lra] |].
  apply (Rmult_lt_compat_l (Rabs c + 1)) in Hd; [| lra].
  replace ((Rabs c + 1) * (e / (Rabs c + 1))) with e in Hd by (field; lra); exact Hd.
Qed.
Lemma continuous_total {Y} m (F : Y -> scores -> R) l : Forall (fun y => continuous m (F y)) l ->
  continuous m (fun a => total (fun y => F y a) l).
Proof. induction 1; cbn; [apply continuous_constant | apply continuous_plus; assumption]. Qed.
Lemma continuous_pair m phi c i j : convex phi -> (i < m)%nat -> (j < m)%nat ->
  continuous m (fun a => phi (a i - a j - c)).
Proof.
  intros C Hi Hj a e He; destruct (convex_continuous phi (a i - a j - c) e C He) as (d & Pd & Hd).
  exists (d / 2); split; [lra |]; intros b B; apply Hd; pose proof (B i Hi) as Bi; pose proof (B j Hj) as Bj.
  apply Rabs_def2 in Bi; apply Rabs_def2 in Bj; apply Rabs_def1; lra.
Qed.
Lemma continuous_mean m p (f : edge -> scores -> R) : is_distribution m p ->
  (forall e, (src e < m)%nat -> (dst e < m)%nat -> continuous m (f e)) ->
  continuous m (fun a => mean p (total (fun e => f e a))).
Proof.
  intros (D & _) F; apply (continuous_total m (fun g a => fst g * total (fun e => f e a) (snd g))).
  revert D; apply Forall_impl; intros g (_ & W & _); apply continuous_scaled, continuous_total.
  revert W; apply Forall_impl; intros e (S & D & _); auto.
Qed.

(* One distribution of additive differences for all convex phi: scores that come near the infimum of the surrogate risk
   and keep a regret. *)
Theorem every_convex_risk m a : (3 <= m)%nat -> 0 < a ->
  exists p, is_distribution m p /\ additive m (aggregate p) /\
  forall h phi, convex phi -> forall V, V = edge_loss h phi m p /\ 0 <= h a \/ V = margin_loss h phi m p ->
  exists x, approaches V x /\ exists best e, 0 < e /\ forall k, loss p best + e <= loss p (x k).
Proof.
  intros M Pa; destruct (every_convex_loss m a M Pa) as (p & D & G & N); exists p; split; [exact D |].
  split; [exact G |]; intros h phi C V HV; destruct (N h phi C) as (N1 & N2); apply (never_optimal m p V D).
  - destruct HV as [(-> & _) | ->].
    + apply (continuous_mean m p (fun e b => h (wt e) * phi (b (src e) - b (dst e))) D); intros e S T.
      apply continuous_scaled; intros b t Ht; destruct (continuous_pair m phi 0 _ _ C S T b t Ht) as (d & Pd & Hd).
      exists d; split; [exact Pd |]; intros c B; specialize (Hd c B); rewrite !Rminus_0_r in Hd; exact Hd.
    + apply (continuous_mean m p (fun e b => phi (b (src e) - b (dst e) - h (wt e))) D); intros e S T.
      apply continuous_pair; assumption.
  - destruct HV as [(-> & Ha) | ->]; auto.
Qed.

(* DMJ10 Lemma 16 (if and only if): A(p) is not empty, and scores that are right about the edges order the items along
   them, once ties are broken against the numbers. *)
Theorem lemma_16_iff m p : is_distribution m p ->
  acyclic_differences m (aggregate p) <-> forall alpha, A p alpha <-> respects m (aggregate p) alpha.
Proof.
  intros HD; split; [exact (lemma_16 m p HD) |]; intros H; destruct (loss_gap p) as (x & _ & B & _).
  apply H in B; destruct (order_kept m x) as (e & He & K); set (s := e / (INR m + 1)); pose proof (pos_INR m).
  assert (Es : s * (INR m + 1) = e) by (unfold s; field; lra); assert (Ps : 0 < s) by (apply Rdiv_lt_0_compat; lra).
  exists (fun i => x i + s * INR i); intros i j Hi Hj P; specialize (B i j Hi Hj P).
  destruct (right_weakly x i j B) as [L | E].
  - apply (K (fun i => x i + s * INR i)); auto; intros k Hk; apply lt_INR in Hk; pose proof (pos_INR k).
    replace (x k + s * INR k - x k) with (s * INR k) by ring; rewrite Rabs_right; [nra | apply Rle_ge, Rmult_le_pos; lra].
  - rewrite E; destruct (Nat.lt_trichotomy i j) as [L | [-> | L]]; [apply right_strictly in B; [lra | exact L] | |].
    + unfold difference in P; lra.
    + apply lt_INR in L; nra.
Qed.
(* DMJ13's structure-consistency, where the structures are finitely many graphs: under a condition, scores whose
   surrogate risk comes near the infimum have a loss that comes near the least. *)
Definition structure_consistent (C : condition) (V : surrogate) := forall m p, is_distribution m p -> C m (aggregate p) ->
  forall x, approaches (V m p) x -> approaches (loss p) x.
Theorem dmj13_not_structure_consistent h phi : convex phi -> (exists a, 0 < a /\ 0 <= h a) ->
  ~ structure_consistent low_noise (edge_loss h phi).
Proof.
  intros C (a & Pa & Ha) S; destruct (every_convex_risk 3 a (le_n 3) Pa) as (p & D & G & H).
  destruct (H h phi C (edge_loss h phi 3%nat p) (or_introl (conj eq_refl Ha))) as (x & T & best & e & Pe & K).
  destruct (S 3%nat p D (additive_low_noise _ _ G) x T best e Pe) as (N & HN).
  specialize (HN N (le_n N)); specialize (K N); lra.
Qed.
Theorem dmj13_margin_not_structure_consistent h phi : convex phi -> ~ structure_consistent low_noise (margin_loss h phi).
Proof.
  intros C S; destruct (every_convex_risk 3 1 (le_n 3) Rlt_0_1) as (p & D & G & H).
  destruct (H h phi C (margin_loss h phi 3%nat p) (or_intror eq_refl)) as (x & T & best & e & Pe & K).
  destruct (S 3%nat p D (additive_low_noise _ _ G) x T best e Pe) as (N & HN).
  specialize (HN N (le_n N)); specialize (K N); lra.
Qed.
