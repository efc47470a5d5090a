(* From one distribution to risks over queries: DMJ10 Lemma 1, Lemma 4 and Theorem 6 (if and only if), and RAT13 Theorem
   2, for countably many queries; and what Theorems 11 and 12 say of risks. A query x has the probability q_x, m_x items
   and a distribution p_x over graphs; f gives scores to each. Risks are sums of series. Infima need not be attained;
   that of one surrogate may be -oo. Sequences are found among scores on grids of rational numbers, so that no axiom of
   choice is needed. *)
From Coq Require Import Ratan RList Cantor ConstructiveEpsilon ClassicalDedekindReals Classical_Prop.
From ConsistencyLab.base Require Import Prelude Sums Ranking Orders Calibration Convex Near Aggregate.
From ConsistencyLab.theorems Require Import Theorems11and12.
Open Scope R_scope.

(* A class of distributions over the graphs of m items; and those of it whose loss is at most B. *)
Definition class := nat -> distribution -> Prop.
Definition loss_at_most (B : R) (P : class) : class := fun m p => P m p /\ forall alpha, loss p alpha <= B.
(* Queries 0, 1, ... with distributions of a class, and their probabilities: 0 from some on if they are finitely many. *)
Definition is_queries (P : class) (q : nat -> R) (m : nat -> nat) (p : nat -> distribution) :=
  Un_cv (sum q) 1 /\ forall x, 0 <= q x /\ is_distribution (m x) (p x) /\ P (m x) (p x).
(* The mean over the queries of what f costs is r: the series converges to r. *)
Definition has_mean {U} (q : nat -> R) (F : nat -> U -> R) (f : nat -> U) (r : R) :=
  Un_cv (sum (fun x => q x * F x (f x))) r.
(* R(f) = r, the mean of the pairwise disagreement, and R_phi(f) = r, that of a surrogate. *)
Definition true_risk q (p : nat -> distribution) := has_mean q (fun x => loss (p x)).
Definition surrogate_risk q (V : surrogate) (m : nat -> nat) p := has_mean q (fun x => V (m x) (p x)).
(* Of all risks that are finite, the infimum is w. *)
Definition least_risk {F} (is_risk : F -> R -> Prop) (w : R) :=
  (forall f r, is_risk f r -> w <= r) /\ forall e, 0 < e -> exists f r, is_risk f r /\ r < w + e.
(* R(f_n) tends to its infimum w in probability: f_n depends on chance, which P measures. Of P it is only asked that it
   is not negative and does not decrease; what a probability space has no measure for may have the outer one. *)
Definition is_chance {O} (P : (O -> Prop) -> R) :=
  (forall S, 0 <= P S) /\ forall S T : O -> Prop, (forall o, S o -> T o) -> P S <= P T.
Definition in_probability {O F} (P : (O -> Prop) -> R) (is_risk : F -> R -> Prop) (f : nat -> O -> F) (w : R) :=
  forall e, 0 < e -> Un_cv (fun n => P (fun o => ~ exists r, is_risk (f n o) r /\ r < w + e)) 0.

(* F (x_k) tends to the infimum of F, or to -oo if F is not bounded below. *)
Definition approaches {X} (F : X -> R) (x : nat -> X) := forall y e, 0 < e ->
  exists N, forall k, (N <= k)%nat -> F (x k) < F y + e.
(* Continuous in the scores of m items, on which alone it depends. *)
Definition continuous m (V : scores -> R) := forall alpha (beta : nat -> scores),
  (forall i, (i < m)%nat -> Un_cv (fun n => beta n i) (alpha i)) -> Un_cv (fun n => V (beta n)) (V alpha).
(* zeta <= H (Eq. 3): a regret of e or more at a p of the class costs at least zeta(e) more than W*(p). *)
Definition below_H (P : class) (V : surrogate) (zeta : R -> R) := forall m p l w alpha e, is_distribution m p ->
  P m p -> infimum (loss p) l -> infimum (V m p) w -> 0 <= e <= loss p alpha - l -> zeta e <= V m p alpha - w.
Definition convex_from_0 (f : R -> R) := forall x y t, 0 <= x -> 0 <= y -> 0 <= t <= 1 ->
  f (t * x + (1 - t) * y) <= t * f x + (1 - t) * f y.

(* --- Series ------------------------------------------------------------------------------------------------- *)

Lemma constant_cv c : Un_cv (fun _ => c) c.
Proof. intros e He; exists O; intros n _; rewrite R_dist_eq; exact He. Qed.
(* One query alone. *)
Lemma one_query : exists q, (forall x, 0 <= q x) /\ Un_cv (sum q) 1.
Proof.
  exists (fun x => if (x =? 0)%nat then 1 else 0); split; [intros x; destruct (x =? 0)%nat; lra |].
  intros d Pd; exists 1%nat; intros n Hn; rewrite (sum_delta (fun _ => 1)), R_dist_eq; [exact Pd | lia].
Qed.
Section Series.
Context {U : Type}.
Variables (q : nat -> R) (F : nat -> U -> R).
Hypothesis Q : forall x, 0 <= q x.
Lemma has_mean_change f g n r : (forall x, (n <= x)%nat -> f x = g x) -> has_mean q F f r ->
  has_mean q F g (r + sum (fun x => q x * (F x (g x) - F x (f x))) n).
Proof.
  intros E S e He; destruct (S e He) as (N & H); exists (N + n)%nat; intros k Hk; specialize (H k ltac:(lia)).
  rewrite <- (sum_few (fun x => q x * (F x (g x) - F x (f x))) n k ltac:(lia)) by (intros x Hx; rewrite E by exact Hx; ring).
  rewrite (sum_ext _ (fun x => q x * F x (f x) + q x * (F x (g x) - F x (f x)))) by (intros; ring).
  unfold R_dist in *; rewrite sum_plus; match goal with |- Rabs ?u < _ => replace u with
    (sum (fun x => q x * F x (f x)) k - r) by ring end; exact H.
Qed.
(* The excesses of finitely many queries are at most the whole. *)
Lemma excesses f v n w r : (forall x, (x < n)%nat -> infimum (F x) (v x)) -> least_risk (has_mean q F) w ->
  has_mean q F f r -> sum (fun x => q x * (F x (f x) - v x)) n <= r - w.
Proof.
  intros I (W & _) S; apply Rnot_lt_le; intros K; set (d := sum (fun x => q x * (F x (f x) - v x)) n - (r - w)).
  pose proof (sum_nonneg q n (fun x _ => Q x)); set (e := d / (sum q n + 1)).
  assert (Ee : e * (sum q n + 1) = d) by (unfold e; field; lra).
  assert (Pe : 0 < e) by (apply Rdiv_lt_0_compat; unfold d; lra).
  destruct (finite_choice (f 0%nat) (fun x a => F x a < v x + e) n) as (b & B); [intros x Hx; apply (I x Hx), Pe |].
  set (g := fun x => if (x <? n)%nat then b x else f x).
  assert (L : w <= r + sum (fun x => q x * (F x (g x) - F x (f x))) n).
  { apply (W g), has_mean_change; [| exact S]; intros x Hx; unfold g; rewrite (proj2 (Nat.ltb_ge x n) Hx); reflexivity. }
  assert (sum (fun x => q x * (F x (g x) - F x (f x))) n <= sum (fun x => e * q x - q x * (F x (f x) - v x)) n);
    [| rewrite sum_minus, sum_scal in *; unfold d in *; lra].
  apply sum_le; intros x Hx; unfold g; rewrite (proj2 (Nat.ltb_lt x n) Hx); specialize (B x Hx); specialize (Q x); nra.
Qed.
(* All of them add up to the whole. *)
Lemma all_excesses f v w r : (forall x, infimum (F x) (v x)) -> least_risk (has_mean q F) w -> has_mean q F f r ->
  Un_growing (sum (fun x => q x * (F x (f x) - v x))) /\ Un_cv (sum (fun x => q x * (F x (f x) - v x))) (r - w).
Proof.
  intros V W S; set (T := sum (fun x => q x * (F x (f x) - v x))).
  assert (G : Un_growing T) by (intros n; unfold T; cbn; specialize (Q n); pose proof (proj1 (V n) (f n)); nra).
  assert (Up : forall n, T n <= r - w) by (intros n; apply excesses; auto).
  split; [exact G |]; destruct (growing_cv T G) as (t & Ht); [exists (r - w); intros y (n & ->); apply Up |].
  pose proof (Rle_cv_lim Up Ht (constant_cv (r - w))) as K; replace (r - w) with t; [exact Ht |].
  destruct (Rle_lt_dec (r - w) t) as [| L]; [lra | exfalso]; destruct (proj2 W (r - t - w) ltac:(lra)) as (g & s & Hg & Ls).
  assert (r - t <= s); [| lra]; refine (Rle_cv_lim _ (CV_minus _ _ _ _ S Ht) Hg); intros n; unfold T; rewrite <- sum_minus.
  apply sum_le; intros x _; pose proof (proj1 (V x) (g x)); specialize (Q x); nra.
Qed.
(* Where all queries cost the same. *)
Lemma alike_mean G a : F = (fun _ => G) -> Un_cv (sum q) 1 -> has_mean q F (fun _ => a) (G a).
Proof.
  intros -> One; unfold has_mean; rewrite <- (Rmult_1_r (G a)); eapply Un_cv_ext, (CV_mult _ _ _ _ (constant_cv (G a)) One).
  intros n; cbv beta; rewrite <- sum_scal; apply sum_ext; intros; ring.
Qed.
Lemma alike_least G w : F = (fun _ => G) -> Un_cv (sum q) 1 -> infimum G w -> least_risk (has_mean q F) w.
Proof.
  intros E One (W & near); split.
  - intros f r S; rewrite E in S; rewrite <- (Rmult_1_r w).
    refine (Rle_cv_lim _ (CV_mult _ _ _ _ (constant_cv w) One) S); intros n; cbv beta; rewrite <- sum_scal; apply sum_le.
    intros x _; specialize (W (f x)); specialize (Q x); nra.
  - intros e He; destruct (near e He) as (a & Ha); exists (fun _ => a), (G a); split; [apply alike_mean; assumption | lra].
Qed.
End Series.
(* Losses L from 0 to B, surrogates V, and a decoder: if V is right at every query, a small excess forces a small regret. *)
Lemma small_regret {U T} (V : nat -> U -> R) (L : nat -> T -> R) (pred : U -> T) q v B l w e : (forall x, 0 <= q x) ->
  Un_cv (sum q) 1 -> (forall x t, 0 <= L x t <= B) -> (forall x, infimum (L x) (v x)) ->
  (forall x, avoids (V x) (fun u => v x < L x (pred u))) -> least_risk (has_mean q L) l -> least_risk (has_mean q V) w ->
  0 < e -> exists d, 0 < d /\ forall f r, has_mean q V f r -> r < w + d ->
  exists s, has_mean q L (fun x => pred (f x)) s /\ s < l + e.
Proof.
  intros Q One Low Inf Right Ll W He.
  assert (Lv : forall x, 0 <= v x) by (intros x; apply Rnot_lt_le; intros K; destruct (proj2 (Inf x) (- v x) ltac:(lra)) as
    (t & Ht); pose proof (Low x t); lra).
  assert (PB : 0 <= B) by (destruct (proj2 (Inf 0%nat) 1 Rlt_0_1) as (t & _); pose proof (Low 0%nat t); lra).
  destruct (One (e / (B + 1)) ltac:(apply Rdiv_lt_0_compat; lra)) as (N & HN); specialize (HN N (le_n N)).
  assert (Tail : B * (1 - sum q N) < e).
  { apply Rabs_def2 in HN; assert (E : e / (B + 1) * (B + 1) = e) by (field; lra); nra. }
  destruct (finite_min (fun x d => 0 < q x -> forall f r, has_mean q V f r -> r < w + d -> L x (pred (f x)) <= v x) N)
    as (d & Pd & Hd).
  - intros x d d' H L' Pq f r R K; apply (H Pq f r R); lra.
  - intros x _; destruct (Rlt_le_dec 0 (q x)) as [Pq | Nq]; [| exists 1; split; intros; lra].
    destruct (Right x) as (c & (a & Ha) & H); exists (q x * (c - V x a)).
    split; [apply Rmult_lt_0_compat; lra |]; intros _ f r R K; apply Rnot_lt_le; intros N'; specialize (H _ N').
    set (g := fun y => if (y =? x)%nat then a else f y).
    assert (E : forall y, (S x <= y)%nat -> f y = g y) by (intros y Hy; unfold g; destruct (Nat.eqb_spec y x); [lia | auto]).
    pose proof (proj1 W g _ (has_mean_change q V f g (S x) r E R)) as U'.
    rewrite (sum_ext _ (fun y => if (y =? x)%nat then q y * (V y a - V y (f y)) else 0)), sum_delta in U';
      [nra | lia |]; intros y _; unfold g; destruct (y =? x)%nat; ring.
  - exists d; split; [exact Pd |]; intros f r R K.
    destruct (growing_cv (sum (fun x => q x * L x (pred (f x))))) as (s & S).
    { intros n; cbn; pose proof (Low n (pred (f n))); specialize (Q n); nra. }
    { exists B; intros y (n & ->); apply Rle_trans with (B * sum q n).
      - rewrite <- sum_scal; apply sum_le; intros x _; pose proof (Low x (pred (f x))); specialize (Q x); nra.
      - assert (G : Un_growing (sum q)) by (intros k; cbn; specialize (Q k); lra).
        pose proof (growing_ineq _ _ G One n); nra. }
    exists s; split; [exact S |]; destruct (all_excesses q L Q (fun x => pred (f x)) v l s Inf Ll S) as (_ & T').
    assert (s - l <= B * 1 - B * sum q N); [| lra].
    refine (Rle_cv_lim _ (CV_shift' _ N _ T') (CV_minus _ _ _ _ (CV_mult _ _ _ _ (constant_cv B)
      (CV_shift' _ N _ One)) (constant_cv (B * sum q N)))).
    intros n; cbv beta; rewrite <- !sum_scal, <- (sum_ext (fun x => if (x <? N)%nat then B * q x else 0) _ N)
      by (intros x Hx; rewrite (proj2 (Nat.ltb_lt x N) Hx); reflexivity).
    rewrite <- (sum_few _ N (n + N)) by (lia || (intros x Hx; rewrite (proj2 (Nat.ltb_ge x N) Hx); reflexivity)).
    rewrite <- sum_minus; apply sum_le; intros x _; destruct (Nat.ltb_spec x N) as [Hx | Hx].
    + destruct (Q x) as [Pq | <-]; [| lra]; specialize (Hd x Hx Pq f r R K); nra.
    + pose proof (Low x (pred (f x))); specialize (Lv x); specialize (Q x); nra.
Qed.
(* What holds for small excesses holds in probability. *)
Lemma small_in_probability {O F H} (chance : (O -> Prop) -> R) (R1 : F -> R -> Prop) (R2 : H -> R -> Prop) h f w l :
  (forall e, 0 < e -> exists d, 0 < d /\ forall f r, R1 f r -> r < w + d -> exists s, R2 (h f) s /\ s < l + e) ->
  is_chance chance -> in_probability chance R1 f w -> in_probability chance R2 (fun n o => h (f n o)) l.
Proof.
  intros Small (P0 & mono) T e He; destruct (Small e He) as (d & Pd & Hd).
  intros c Pc; destruct (T d Pd c Pc) as (N & HN); exists N; intros n Hn; specialize (HN n Hn); unfold R_dist in *.
  rewrite Rminus_0_r, Rabs_right in * by apply Rle_ge, P0; eapply Rle_lt_trans; [apply mono | exact HN].
  intros o Bad (r & Hr & K); apply Bad, (Hd _ _ Hr K).
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
(* Some scores are optimal, and all others lose more by a fixed amount. *)
Lemma loss_gap p : exists best e, A p best /\ 0 < e /\ forall alpha, ~ A p alpha -> loss p best + e <= loss p alpha.
Proof.
  destruct (loss_finitely p) as (l & L), (list_min (fun u e => forall v, In v l -> v < u -> v + e <= u) l) as (e & Pe & He).
  - intros u s t H T v I K; specialize (H v I K); lra.
  - intros u _; apply (list_min (fun v e => v < u -> v + e <= u)); [intros v s t H T K; specialize (H K); lra |].
    intros v _; destruct (Rlt_le_dec v u); [exists (u - v) | exists 1]; split; intros; lra.
  - destruct (infimum_exists (loss p) (fun _ => 0)) as (w & W & N); [exists (MinRlist l); intros a; apply MinRlist_P1, L |].
    destruct (N e Pe) as (b & Hb).
    assert (B : A p b) by (intros a; apply Rnot_lt_le; intros K; specialize (He _ (L b) _ (L a) K); specialize (W a); lra).
    exists b, e; split; [exact B | split; [exact Pe |]]; intros a Na; apply (He _ (L a) _ (L b)), Rnot_le_lt; intros K.
    apply Na; intros c; specialize (B c); lra.
Qed.
Lemma least_infimum p best : A p best -> infimum (loss p) (loss p best).
Proof. intros B; split; [exact B | intros e He; exists best; lra]. Qed.

(* --- DMJ10 Lemma 4 ---------------------------------------------------------------------------------------- *)

(* Only Definition 2 at this p is used. *)
Theorem lemma_4 V p x : consistent_at V p -> approaches V x ->
  approaches (loss p) x /\ exists N, forall k, (N <= k)%nat -> A p (x k).
Proof.
  intros (c & (b & Hb) & H) T; destruct (T b (c - V b) ltac:(lra)) as (N & HN).
  assert (E : forall k, (N <= k)%nat -> A p (x k))
    by (intros k Hk; apply NNPP; intros X; specialize (H _ X); specialize (HN k Hk); lra).
  split; [intros y e He |]; exists N; [intros k Hk; specialize (E k Hk y); lra | exact E].
Qed.

(* Points of rational grids, numbered. *)
Fixpoint digit (m k : nat) : nat -> nat := match m with
  | O => fun _ => O
  | S j => fun i => if (i =? j)%nat then fst (of_nat k) else digit j (snd (of_nat k)) i end.
Lemma digit_all m (v : nat -> nat) : exists k, forall i, (i < m)%nat -> digit m k i = v i.
Proof.
  induction m as [| m (k & H)]; [exists O; intros; lia |]; exists (to_nat (v m, k)); intros i Hi; cbn [digit].
  rewrite cancel_of_to; cbn [fst snd]; destruct (Nat.eqb_spec i m) as [-> | N]; [reflexivity | apply H; lia].
Qed.
Definition grid m k : scores := fun i => let (a, b) := of_nat (digit (S m) k i) in
  (INR a - INR b) / INR (S (digit (S m) k m)).
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
  assert (Pc : 0 < c) by (apply lt_0_INR; lia); assert (c * / c = 1) by (apply Rinv_r; lra).
  set (z := fun i => up (c * alpha i)).
  destruct (digit_all (S m) (fun i => if (i <? m)%nat then to_nat (Z.to_nat (z i), Z.to_nat (- z i)) else N)) as (k & K).
  assert (E : forall i, (i < m)%nat -> grid m k i = IZR (z i) * / c).
  { intros i Hi; unfold grid; rewrite !K by lia; rewrite (proj2 (Nat.ltb_lt i m) Hi), Nat.ltb_irrefl, cancel_of_to.
    rewrite !INR_IZR_INZ, <- minus_IZR; unfold c; rewrite INR_IZR_INZ; unfold Rdiv; do 2 f_equal; lia. }
  assert (Pi : 0 < / c) by (apply Rinv_0_lt_compat, Pc). exists k; split.
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
(* --- DMJ10 Lemma 1 ------------------------------------------------------------------------------------------ *)

Lemma loss_nonneg m p alpha : is_distribution m p -> 0 <= loss p alpha.
Proof.
  intros (D & _); apply total_nonneg; revert D; apply Forall_impl; intros g (Pg & W & _); apply Rmult_le_pos; [lra |].
  apply total_nonneg; revert W; apply Forall_impl; intros e (_ & _ & Pe); unfold miss.
  destruct (_ <? _)%nat; [destruct (Rle_dec _ _) | destruct (Rlt_dec _ _)]; lra.
Qed.
Lemma infima {U} (F : nat -> U -> R) (u : U) : (forall x, bounded_below (F x)) -> exists v, forall x, infimum (F x) (v x).
Proof. intros B; exists (fun x => proj1_sig (infimum_exists (F x) u (B x))); intros x; apply proj2_sig. Qed.
Lemma least_losses m p : (forall x, is_distribution (m x) (p x)) -> exists v : nat -> R, forall x, infimum (loss (p x)) (v x).
Proof. intros D; apply (infima _ (fun _ => 0)); intros x; exists 0; intros a; apply (loss_nonneg (m x)), D. Qed.
Theorem lemma_1 P V zeta q m p : convex_from_0 zeta -> below_H P V zeta -> is_queries P q m p ->
  (forall x, bounded_below (V (m x) (p x))) ->
  forall l w, least_risk (true_risk q p) l -> least_risk (surrogate_risk q V m p) w ->
  forall f s r, true_risk q p f s -> surrogate_risk q V m p f r -> zeta (s - l) <= r - w.
Proof.
  intros C below (One & HQ) low l w L W f s r Hs Hr; destruct (least_losses m p) as (b & B); [intros x; apply HQ |].
  assert (Q : forall x, 0 <= q x) by (intros x; apply HQ).
  set (rho := fun x => loss (p x) (f x) - b x).
  assert (Pr : forall x, 0 <= rho x) by (intros x; unfold rho; pose proof (proj1 (B x) (f x)); lra).
  destruct (all_excesses q (fun x => loss (p x)) Q f b l s B L Hs) as (G & T).
  set (T_ := sum _) in G, T; change T_ with (sum (fun x => q x * rho x)) in *; clear T_; set (M := s - l) in *.
  destruct (infima _ (fun _ => 0) low) as (v & Hv).
  assert (Up : forall n, sum (fun x => q x * zeta (rho x)) n <= r - w).
  { intros n; eapply Rle_trans; [apply sum_le | apply (excesses q _ Q f v n w r (fun x _ => Hv x) W Hr)]; intros x _.
    apply Rmult_le_compat_l; [apply Q |]; destruct (HQ x) as (_ & D & HP); apply (below (m x) (p x) (b x)); auto.
    specialize (Pr x); unfold rho in *; lra. }
  assert (Line : exists k, forall x, q x * (zeta M + k * (rho x - M)) <= q x * zeta (rho x)).
  { destruct (Rlt_le_dec 0 M) as [PM | NM].
    - destruct (supporting_line (fun x => 0 <= x) zeta M M PM) as (k & K); [lra | lra | intros; apply C; assumption |].
      exists k; intros x; apply Rmult_le_compat_l; auto.
    - exists 0; intros x; pose proof (growing_ineq _ _ G T (S x)) as K; cbn [sum] in K.
      pose proof (sum_nonneg (fun x => q x * rho x) x (fun y _ => Rmult_le_pos _ _ (Q y) (Pr y))).
      pose proof (Rmult_le_pos _ _ (Q x) (Pr x)); destruct (Rmult_integral (q x) (rho x)) as [-> | E]; [lra | lra |].
      pose proof (growing_ineq _ _ G T 0) as M0; cbn in M0; rewrite E; replace M with 0 by lra; lra. }
  destruct Line as (k & K); replace (zeta M) with ((zeta M - k * M) * 1 + k * M) by ring.
  refine (Rle_cv_lim _ (CV_plus _ _ _ _ (CV_mult _ _ _ _ (constant_cv (zeta M - k * M)) One)
    (CV_mult _ _ _ _ (constant_cv k) T)) (constant_cv (r - w))).
  intros n; eapply Rle_trans; [| apply (Up n)]; cbv beta; rewrite <- !sum_scal, <- sum_plus; apply sum_le; intros x _.
  specialize (K x); lra.
Qed.

(* --- DMJ10 Theorem 6 ---------------------------------------------------------------------------------------- *)

(* For each distribution of queries: a small excess forces a small regret. *)
Theorem small_excess (P : class) (V : surrogate) B q m p :
  (forall m p, is_distribution m p -> P m p -> consistent_at (V m p) p) -> is_queries (loss_at_most B P) q m p ->
  forall l w, least_risk (true_risk q p) l -> least_risk (surrogate_risk q V m p) w ->
  forall e, 0 < e -> exists d, 0 < d /\ forall f r, surrogate_risk q V m p f r -> r < w + d ->
  exists s, true_risk q p f s /\ s < l + e.
Proof.
  intros Right (One & HQ) l w L W e He; destruct (least_losses m p) as (v & Hv); [intros x; apply HQ |].
  apply (small_regret (fun x => V (m x) (p x)) (fun x => loss (p x)) (fun a => a) q v B l w e); auto; try apply HQ.
  - intros x a; destruct (HQ x) as (_ & D & _ & U); split; [apply (loss_nonneg (m x)), D | apply U].
  - intros x; destruct (HQ x) as (_ & D & HP & _); eapply avoids_less, (Right _ _ D HP); intros a K HA.
    destruct (proj2 (Hv x) (loss (p x) a - v x) ltac:(lra)) as (b & Hb); specialize (HA b); lra.
Qed.

Lemma grid_close m V a e : continuous m V -> 0 < e -> exists k, Rabs (V (grid m k) - V a) < e /\
  forall i j, (i < m)%nat -> (j < m)%nat -> a i < a j <-> grid m k i < grid m k j.
Proof.
  intros C He; destruct (choose_numbers (fun j k => (forall i, (i < m)%nat -> Rabs (grid m k i - a i) < RinvN j) /\
    forall i j, (i < m)%nat -> (j < m)%nat -> a i < a j <-> grid m k i < grid m k j)) as (h & H);
    [intros j; apply grid_near, cond_pos |].
  destruct (C a (fun j => grid m (h j))) with (eps := e) as (J & HJ); [| exact He |].
  - intros i Hi d Pd; destruct (RinvN_cv Pd) as (J & HJ); exists J; intros j Hj; specialize (HJ j Hj).
    destruct (H j) as (K & _); specialize (K i Hi); apply Rabs_def2 in HJ; unfold R_dist; lra.
  - exists (h J); split; [apply (HJ J (le_n J)) | apply H].
Qed.
(* Where Definition 2 fails, some scores come near the infimum and are never optimal: they lose too much, and by a fixed
   amount. *)
Theorem never_optimal m p V : is_distribution m p -> continuous m V -> ~ consistent_at V p ->
  exists x, approaches V x /\ exists best e, 0 < e /\ forall k, loss p best + e <= loss p (x k).
Proof.
  intros HD C N; destruct (loss_gap p) as (best & e & _ & Pe & He), (choose_numbers (fun n k => ~ A p (grid m k) /\
    forall j, (j <= n)%nat -> V (grid m k) < V (grid m j) + RinvN n)) as (g & G).
  - intros n; destruct (top_item (fun j => - V (grid m j)) (S n)) as (t & _ & T); [lia |].
    pose proof (cond_pos (RinvN n)); assert (Out : exists a, ~ A p a /\ V a < V (grid m t) + RinvN n).
    { apply NNPP; intros F; apply N; exists (V (grid m t) + RinvN n); split; [exists (grid m t); lra |].
      intros a HA; apply Rnot_lt_le; intros L; apply F; exists a; auto. }
    destruct Out as (a & HA & L), (grid_close m V a (V (grid m t) + RinvN n - V a) C) as (k & K & O); [lra |].
    exists k; split; [intros HK; apply HA; intros b; rewrite (same_order m p a (grid m k) HD O); apply HK |].
    intros j Hj; specialize (T j ltac:(lia)); apply Rabs_def2 in K; lra.
  - exists (fun n => grid m (g n)); split; [| exists best, e; split; [exact Pe | intros n; apply He, (G n)]].
    intros y d Pd; destruct (grid_close m V y (d / 2) C ltac:(lra)) as (j & J & _),
      (RinvN_cv (eps := d / 2) ltac:(lra)) as (M & HM).
    exists (M + j)%nat; intros n Hn; destruct (G n) as (_ & L); specialize (L j ltac:(lia)); specialize (HM n ltac:(lia)).
    apply Rabs_def2 in J; apply Rabs_def2 in HM; lra.
Qed.
(* R_phi(f_n) tends to its infimum, and R(f_n) stays above its own by a fixed amount. *)
Definition keeps_a_gap (P : class) (V : surrogate) := exists B q m p, is_queries (loss_at_most B P) q m p /\
  exists l w, least_risk (true_risk q p) l /\ least_risk (surrogate_risk q V m p) w /\
  exists f s r, (forall n, true_risk q p (f n) (s n) /\ surrogate_risk q V m p (f n) (r n)) /\
  Un_cv r w /\ exists e, 0 < e /\ forall n, l + e <= s n.
(* One query is enough. *)
Lemma at_one_query (P : class) (V : surrogate) m p x best e : is_distribution m p -> P m p -> bounded_below (V m p) ->
  approaches (V m p) x -> 0 < e -> (forall n, loss p best + e <= loss p (x n)) -> keeps_a_gap P V.
Proof.
  intros D HP low T Pe He; destruct one_query as (q & Q & One).
  destruct (loss_finitely p) as (lv & Lv), (loss_gap p) as (b & _ & Hb & _),
    (infimum_exists _ (fun _ => 0) low) as (w & W & Nw).
  exists (MaxRlist lv), q, (fun _ => m), (fun _ => p); split.
  { split; [exact One |]; intros y; split; [apply Q | split; [exact D | split; [exact HP |]]].
    intros a; apply MaxRlist_P1, Lv. }
  exists (loss p b), w; split; [apply (alike_least q _ Q (loss p)); auto; apply least_infimum, Hb |].
  split; [apply (alike_least q _ Q (V m p)); auto; split; assumption |].
  exists (fun n _ => x n), (fun n => loss p (x n)), (fun n => V m p (x n)); split;
    [intros n; split; apply alike_mean; auto | split; [| exists e; split; [exact Pe |]]].
  - intros d Pd; destruct (Nw (d / 2) ltac:(lra)) as (y & Hy), (T y (d / 2) ltac:(lra)) as (N & HN); exists N; intros n Hn.
    specialize (HN n Hn); specialize (W (x n)); unfold R_dist; rewrite Rabs_right; lra.
  - intros n; specialize (Hb best); specialize (He n); lra.
Qed.

(* A surrogate that is continuous in the scores and bounded below is edge-consistent at every p of a class if and only
   if, whatever queries of the class with bounded losses there are, f_n whose surrogate risk tends to its infimum have a
   true risk that tends to its infimum. *)
Theorem theorem_6 (P : class) (V : surrogate) :
  (forall m p, is_distribution m p -> P m p -> continuous m (V m p) /\ bounded_below (V m p)) ->
  (forall m p, is_distribution m p -> P m p -> consistent_at (V m p) p) <->
  (forall B q m p, is_queries (loss_at_most B P) q m p ->
    forall l w, least_risk (true_risk q p) l -> least_risk (surrogate_risk q V m p) w ->
    forall f s r, (forall n, true_risk q p (f n) (s n) /\ surrogate_risk q V m p (f n) (r n)) -> Un_cv r w -> Un_cv s l).
Proof.
  intros R; split.
  - intros C B q m p HQ l w L W f s r H T e He; destruct (small_excess P V B q m p C HQ l w L W e He) as (d & Pd & Hd).
    destruct (T d Pd) as (N & HN); exists N; intros n Hn; specialize (HN n Hn); destruct (H n) as (Hs & Hr).
    apply Rabs_def2 in HN; destruct (Hd _ _ Hr ltac:(lra)) as (s' & Hs' & K); rewrite (UL_sequence _ _ _ Hs' Hs) in K.
    pose proof (proj1 L _ _ Hs); unfold R_dist; rewrite Rabs_right; lra.
  - intros H m p D HP; apply NNPP; intros N; destruct (R m p D HP) as (C & low).
    destruct (never_optimal m p (V m p) D C N) as (x & T & best & e & Pe & He).
    destruct (at_one_query P V m p x best e D HP low T Pe He) 
      as (B & q & m' & p' & HQ & l & w & L & W & f & s & r & K & Tr & d & Pd & Hd).
    destruct (H B q m' p' HQ l w L W f s r K Tr d Pd) as (N' & HN); specialize (HN N' (le_n N')); specialize (Hd N').
    apply Rabs_def2 in HN; lra.
Qed.
(* The same for f_n that depend on chance, as those do that are learned from a sample. *)
Theorem theorem_6_random (P : class) (V : surrogate) :
  (forall m p, is_distribution m p -> P m p -> continuous m (V m p) /\ bounded_below (V m p)) ->
  (forall m p, is_distribution m p -> P m p -> consistent_at (V m p) p) <->
  (forall B q m p, is_queries (loss_at_most B P) q m p ->
    forall l w, least_risk (true_risk q p) l -> least_risk (surrogate_risk q V m p) w ->
    forall O (chance : (O -> Prop) -> R) f, is_chance chance ->
    in_probability chance (surrogate_risk q V m p) f w -> in_probability chance (true_risk q p) f l).
Proof.
  intros R; split.
  - intros C B q m p HQ l w L W O chance f HP.
    apply (small_in_probability chance _ _ (fun g => g) f w l), HP; apply (small_excess P V B q m p C HQ l w L W).
  - intros H; apply (theorem_6 P V R); intros B q m p HQ l w L W f s r K T e He.
    set (chance := fun E : unit -> Prop => if sig_not_dec (E tt) then 1 else 0).
    destruct (H B q m p HQ l w L W unit chance (fun n _ => f n)) with (e := e) (eps := 1) as (N & HN); [| | exact He | lra |].
    + unfold chance; split; intros E; [| intros E' HE; specialize (HE tt)]; repeat destruct (sig_not_dec _); lra || tauto.
    + intros d Pd c Pc; destruct (T d Pd) as (N & HN); exists N; intros n Hn; specialize (HN n Hn); apply Rabs_def2 in HN.
      unfold chance; destruct (sig_not_dec _) as [Bad | _]; [destruct Bad | rewrite R_dist_eq; exact Pc].
      intros Bad; apply Bad; exists (r n); split; [apply K | lra].
    + exists N; intros n Hn; specialize (HN n Hn); revert HN; unfold chance, R_dist; destruct (sig_not_dec _) as [_ | Good];
        [rewrite Rminus_0_r, Rabs_R1; lra | intros _; apply NNPP in Good; destruct Good as (s' & Hs & L')].
      rewrite (UL_sequence _ _ _ Hs (proj1 (K n))) in L'; pose proof (proj1 L _ _ (proj1 (K n))); rewrite Rabs_right; lra.
Qed.

(* --- RAT13 Theorem 2 ------------------------------------------------------------------------------------------ *)

(* Finitely many predictions, losses from 0 to B, psi at least 0, countably many instances x with laws p_x: calibrated
   if and only if for each distribution a small excess of psi forces a small regret. *)
Theorem rat13_theorem_2 (Y T U : Type) (loss : Y -> T -> R) (psi : Y -> U -> R) (pred : U -> T) (P : list (R * Y) -> Prop) B
  (predictions : list T) (u0 : U) : (forall t, In t predictions) -> (forall y t, 0 <= loss y t <= B) ->
  (forall y u, 0 <= psi y u) -> calibrated loss (fun _ => True) P psi pred <->
  forall q p, Un_cv (sum q) 1 -> (forall x : nat, 0 <= q x /\ is_law (p x) /\ P (p x)) ->
  let er := has_mean q (fun x t => mean (p x) (fun y => loss y t)) in
  let er_psi := has_mean q (fun x u => mean (p x) (fun y => psi y u)) in
  forall l w, least_risk er l -> least_risk er_psi w -> forall e, 0 < e -> exists d, 0 < d /\
  forall f r, er_psi f r -> r < w + d -> exists s, er (fun x => pred (f x)) s /\ s < l + e.
Proof.
  intros All Low Psi; assert (Pos : forall p (f : Y -> R), is_law p -> (forall y, 0 <= f y) -> 0 <= mean p f).
  { intros p f (N & _) F; apply total_nonneg; revert N; apply Forall_impl; intros z Z; apply Rmult_le_pos; auto. }
  assert (In_B : forall p t, is_law p -> 0 <= mean p (fun y => loss y t) <= B).
  { intros p t Lp; split; [apply Pos; [exact Lp | intros y; apply Low] |]; rewrite <- (mean_const p Lp B).
    assert (0 <= mean p (fun y => B - loss y t)) by (apply Pos; [exact Lp | intros y; specialize (Low y t); lra]).
    rewrite mean_minus in H; lra. }
  split.
  - intros C q p One HQ er er_psi l w L W e He.
    destruct (infima (fun x t => mean (p x) (fun y => loss y t)) (pred u0)) as (v & Hv);
      [intros x; exists 0; intros t; apply In_B, HQ |].
    apply (small_regret (fun x u => mean (p x) (fun y => psi y u)) (fun x t => mean (p x) (fun y => loss y t)) pred q v B);
      auto; try apply HQ; [intros; apply In_B, HQ |].
    intros x; eapply avoids_less, (C (p x)); [| apply HQ | apply HQ]; intros u K (_ & M); apply (Rlt_not_le _ _ K).
    apply Rnot_lt_le; intros N; destruct (proj2 (Hv x) (mean (p x) (fun y => loss y (pred u)) - v x) ltac:(lra)) as (t & Ht).
    specialize (M t I); lra.
  - intros H p Lp HP; apply NNPP; intros N; destruct one_query as (q & Q & One).
    destruct (infimum_exists (fun t => mean p (fun y => loss y t)) (pred u0)) as (v & V);
      [exists 0; intros; apply In_B, Lp |].
    destruct (infimum_exists (fun u => mean p (fun y => psi y u)) u0) as (w & W); [exists 0; intros; apply Pos; auto |].
    destruct (list_min (fun t e => v < mean p (fun y => loss y t) -> v + e <= mean p (fun y => loss y t)) predictions)
      as (e & Pe & He).
    { intros t x y K L M; specialize (K M); lra. }
    { intros t _; destruct (Rlt_le_dec v (mean p (fun y => loss y t))) as [K | K]; [| exists 1; split; intros; lra].
      exists (mean p (fun y => loss y t) - v); split; intros; lra. }
    destruct (H q (fun _ => p) One ltac:(auto) v w) with (e := e) as (d & Pd & Hd); [| | exact Pe |].
    + apply (alike_least q _ Q (fun t => mean p (fun y => loss y t))); auto.
    + apply (alike_least q _ Q (fun u => mean p (fun y => psi y u))); auto.
    + apply N; exists (w + d); split; [apply W, Pd |]; intros u Bad; apply Rnot_lt_le; intros K.
      destruct (Hd (fun _ => u) _ (alike_mean q _ (fun u => mean p (fun y => psi y u)) u eq_refl One) K) as (s & Hs & L).
      rewrite (UL_sequence _ _ _ Hs (alike_mean q _ (fun t => mean p (fun y => loss y t)) (pred u) eq_refl One)) in L.
      apply Bad; split; [exact I |]; intros t _; apply Rle_trans with v; [| apply V].
      apply Rnot_lt_le; intros M; specialize (He _ (All _) M); lra.
Qed.

(* So it is for random f_n, in probability. *)
Theorem rat13_theorem_2_random (Y T U : Type) (loss : Y -> T -> R) (psi : Y -> U -> R) (pred : U -> T)
  (P : list (R * Y) -> Prop) B (predictions : list T) (u0 : U) : (forall t, In t predictions) -> (forall y t, 0 <= loss y t <= B) ->
  (forall y u, 0 <= psi y u) -> calibrated loss (fun _ => True) P psi pred ->
  forall q p, Un_cv (sum q) 1 -> (forall x : nat, 0 <= q x /\ is_law (p x) /\ P (p x)) ->
  let er := has_mean q (fun x t => mean (p x) (fun y => loss y t)) in
  let er_psi := has_mean q (fun x u => mean (p x) (fun y => psi y u)) in
  forall l w, least_risk er l -> least_risk er_psi w -> forall O (chance : (O -> Prop) -> R) f, is_chance chance ->
  in_probability chance er_psi f w -> in_probability chance er (fun n o x => pred (f n o x)) l.
Proof.
  intros All Low Psi C q p One HQ er er_psi l w L W O chance f.
  apply (small_in_probability chance er_psi er (fun g x => pred (g x))).
  exact (proj1 (rat13_theorem_2 Y T U loss psi pred P B predictions u0 All Low Psi) C q p One HQ l w L W).
Qed.

(* --- Theorems 11 and 12 for risks --------------------------------------------------------------------------- *)

Lemma convex_continuous phi x e : convex phi -> 0 < e -> exists d, 0 < d /\
  forall y, Rabs (y - x) < d -> Rabs (phi y - phi x) < e.
Proof.
  intros C He; destruct (subgradient_exists phi x C) as (u & U).
  set (K := Rabs u + Rabs (phi (x + 1) - phi x) + Rabs (phi (x - 1) - phi x) + 1).
  assert (PK : 0 < K /\ - K <= u <= K /\ phi (x + 1) - phi x <= K /\ phi (x - 1) - phi x <= K)
    by (unfold K, Rabs; repeat destruct (Rcase_abs _); lra).
  assert (Ed : e / K * K = e) by (field; lra); exists (Rmin 1 (e / K)); split;
    [apply Rmin_pos; [lra | apply Rdiv_lt_0_compat; lra] |]; intros y L.
  pose proof (Rmin_l 1 (e / K)); pose proof (Rmin_r 1 (e / K)); specialize (U y).
  unfold Rabs at 1 in L; destruct (Rcase_abs (y - x));
    [pose proof (C (x - 1) x (x - y) ltac:(lra)) as V | pose proof (C (x + 1) x (y - x) ltac:(lra)) as V];
    match type of V with phi ?z <= _ => replace z with y in V by ring end; apply Rabs_def1; nra.
Qed.
Lemma continuous_scaled m c F : continuous m F -> continuous m (fun a => c * F a).
Proof. intros H a b B; apply (CV_mult _ _ _ _ (constant_cv c) (H a b B)). Qed.
Lemma continuous_total {Y} m (F : Y -> scores -> R) l : Forall (fun y => continuous m (F y)) l ->
  continuous m (fun a => total (fun y => F y a) l).
Proof.
  induction 1 as [| y l H _ IH]; intros a b B; cbn; [apply constant_cv | apply (CV_plus _ _ _ _ (H a b B) (IH a b B))].
Qed.
Lemma continuous_pair m phi c i j : convex phi -> (i < m)%nat -> (j < m)%nat ->
  continuous m (fun a => phi (a i - a j - c)).
Proof.
  intros C Hi Hj a b B e He; destruct (convex_continuous phi (a i - a j - c) e C He) as (d & Pd & Hd).
  destruct (CV_minus _ _ _ _ (CV_minus _ _ _ _ (B i Hi) (B j Hj)) (constant_cv c) d Pd) as (N & HN).
  exists N; intros n Hn; apply Hd, (HN n Hn).
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
Theorem every_convex_risk m a : (3 <= m)%nat -> 0 < a -> exists p, is_distribution m p /\ additive m (aggregate p) /\
  forall h phi, convex phi -> forall V, V = edge_loss h phi m p /\ 0 <= h a \/ V = margin_loss h phi m p ->
  exists x, approaches V x /\ exists best e, 0 < e /\ forall k, loss p best + e <= loss p (x k).
Proof.
  intros M Pa; destruct (every_convex_loss m a M Pa) as (p & D & G & N); exists p; split; [exact D |].
  split; [exact G |]; intros h phi C V HV; destruct (N h phi C) as (N1 & N2); apply (never_optimal m p V D).
  - destruct HV as [(-> & _) | ->].
    + apply (continuous_mean m p (fun e b => h (wt e) * phi (b (src e) - b (dst e))) D); intros e S T.
      apply continuous_scaled; intros b t Ht; pose proof (continuous_pair m phi 0 _ _ C S T b t Ht) as K; cbv beta in K.
      rewrite Rminus_0_r in K; eapply Un_cv_ext, K; intros n; cbv beta; rewrite Rminus_0_r; reflexivity.
    + apply (continuous_mean m p (fun e b => phi (b (src e) - b (dst e) - h (wt e))) D); intros e S T.
      apply continuous_pair; assumption.
  - destruct HV as [(-> & Ha) | ->]; auto.
Qed.

(* A mean of losses of edges that are bounded below is so. *)
Lemma low_total {X Y} (F : Y -> X -> R) l : Forall (fun y => bounded_below (F y)) l ->
  bounded_below (fun a => total (fun y => F y a) l).
Proof.
  induction 1 as [| y l (b & B) _ (c & C)]; [exists 0; intros; apply Rle_refl | exists (b + c); intros a; cbn].
  specialize (B a); specialize (C a); lra.
Qed.
Lemma low_mean m p (f : edge -> scores -> R) : is_distribution m p -> (forall e, 0 < wt e -> bounded_below (f e)) ->
  bounded_below (fun a => mean p (total (fun e => f e a))).
Proof.
  intros (D & _) F; apply (low_total (fun g a => fst g * total (fun e => f e a) (snd g))).
  revert D; apply Forall_impl; intros g (Pg & W & _); destruct (low_total f (snd g)) as (b & B);
    [revert W; apply Forall_impl; intros e (_ & _ & Pe); auto |].
  exists (fst g * b); intros a; apply Rmult_le_compat_l; [apply Rlt_le, Pg | apply B].
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
Lemma wrong_in_the_limit h phi V : convex phi ->
  V = edge_loss h phi /\ (exists a, 0 < a /\ 0 <= h a) \/ V = margin_loss h phi ->
  exists p x best e, is_distribution 3 p /\ low_noise 3%nat (aggregate p) /\ approaches (V 3%nat p) x /\ 0 < e /\
  forall k, loss p best + e <= loss p (x k).
Proof.
  intros C HV; assert (Ha : exists a, 0 < a /\ (V = edge_loss h phi /\ 0 <= h a \/ V = margin_loss h phi))
    by (destruct HV as [(E & a & Pa & Ha) | E]; [exists a | exists 1]; auto using Rlt_0_1).
  destruct Ha as (a & Pa & Ha), (every_convex_risk 3 a (le_n 3) Pa) as (p & D & G & H).
  destruct (H h phi C (V 3%nat p)) as (x & T & best & e & Pe & K);
    [destruct Ha as [(-> & Ha) | ->]; auto | exists p, x, best, e; auto using additive_low_noise].
Qed.
(* Theorems 11 and 12 for risks over queries: R_phi(f_n) tends to its infimum, and R(f_n) does not. *)
Definition low_noise_class : class := fun m p => low_noise m (aggregate p).
Theorem theorem_11_risks h phi : convex phi -> bounded_below phi -> (forall a, 0 < a -> 0 <= h a) ->
  keeps_a_gap low_noise_class (edge_loss h phi).
Proof.
  intros C (b & Hb) Ph; destruct (wrong_in_the_limit h phi (edge_loss h phi) C) as (p & x & best & e & D & G & T & Pe & K);
    [left; eauto using Rlt_0_1 | apply (at_one_query _ _ 3 p x best e); auto].
  apply (low_mean 3 p (fun e a => h (wt e) * phi (a (src e) - a (dst e))) D); intros g Pg; exists (h (wt g) * b); intros a.
  apply Rmult_le_compat_l; auto.
Qed.
Theorem theorem_12_risks h phi : convex phi -> bounded_below phi -> keeps_a_gap low_noise_class (margin_loss h phi).
Proof.
  intros C (b & Hb); destruct (wrong_in_the_limit h phi _ C (or_intror eq_refl)) as (p & x & best & e & D & G & T & Pe & K).
  apply (at_one_query _ _ 3 p x best e); auto.
  apply (low_mean 3 p (fun e a => phi (a (src e) - a (dst e) - h (wt e))) D); intros g Pg; exists b; intros a; apply Hb.
Qed.
Theorem dmj13_not_structure_consistent h phi : convex phi -> (exists a, 0 < a /\ 0 <= h a) ->
  ~ structure_consistent low_noise (edge_loss h phi).
Proof.
  intros C Ha S; destruct (wrong_in_the_limit h phi _ C (or_introl (conj eq_refl Ha)))
    as (p & x & best & e & D & G & T & Pe & K).
  destruct (S 3%nat p D G x T best e Pe) as (N & HN); specialize (HN N (le_n N)); specialize (K N); lra.
Qed.
Theorem dmj13_margin_not_structure_consistent h phi : convex phi -> ~ structure_consistent low_noise (margin_loss h phi).
Proof.
  intros C S; destruct (wrong_in_the_limit h phi _ C (or_intror eq_refl)) as (p & x & best & e & D & G & T & Pe & K).
  destruct (S 3%nat p D G x T best e Pe) as (N & HN); specialize (HN N (le_n N)); specialize (K N); lra.
Qed.
