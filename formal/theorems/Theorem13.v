(* DMJ10 Theorem 13 and Corollary 15, the linear loss with regularized scores (Eq. 14), for every number of items and
   every strictly convex, 1-coercive and differentiable r: at a p whose difference graph has no cycle the loss is
   edge-consistent if and only if net wins are in order along every edge (Eq. 16); so it is under low noise.
   The printed hypotheses leave out differentiability, and with r(x) = x^2/2 + |x| both statements fail at one
   preference between two items: all scores near the optimum tie them. *)
From ConsistencyLab.base Require Import Prelude Sums Ranking Convex Scalars Descent Aggregate Consistency.
From ConsistencyLab.theorems Require Import Domination Theorems11and12.
Open Scope R_scope.

Lemma total_affine (X : R * graph -> R) K p : total (fun q => fst q * (X q + K)) p = total (fun q => fst q * X q) p +
  K * total fst p.
Proof. induction p; cbn [total]; [ring | rewrite IHp; ring]. Qed.
(* The risk depends on net wins alone. *)
Lemma linear_loss_sum m nu r p alpha : is_distribution m p ->
  linear_loss nu r m p alpha = sum (fun i => nu * r (alpha i) - net_wins m (aggregate p) i * alpha i) m.
Proof.
  intros HD; pose proof (distribution_well_formed m p HD) as WF; destruct HD as [_ T].
  transitivity (total (fun q => fst q * total (fun e => wt e * (alpha (dst e) - alpha (src e))) (snd q)) p
                + nu * sum (fun i => r (alpha i)) m * total fst p).
  { apply (total_affine (fun q => total (fun e => wt e * (alpha (dst e) - alpha (src e))) (snd q))). }
  rewrite T, Rmult_1_r, (by_pairs m p (fun i j => alpha j - alpha i) WF), sum_minus, sum_scal.
  assert (E : sum (fun i => sum (fun j => aggregate p i j * (alpha j - alpha i)) m) m = - sum (fun i => net_wins m
    (aggregate p) i * alpha i) m); [| lra].
  transitivity (sum (fun i => sum (fun j => aggregate p i j * alpha j) m) m - sum (fun i => sum (fun j => aggregate p
    i j * alpha i) m) m).
  { rewrite <- sum_minus; apply sum_ext; intros; rewrite <- sum_minus; apply sum_ext; intros; ring. }
  rewrite (sum_swap (fun i j => aggregate p i j * alpha j)), <- sum_minus.
  transitivity (sum (fun i => -1 * (net_wins m (aggregate p) i * alpha i)) m); [| rewrite sum_scal; ring].
  apply sum_ext; intros i Hi; rewrite <- sum_minus.
  transitivity (- alpha i * net_wins m (aggregate p) i); [unfold net_wins; rewrite <- sum_scal; apply sum_ext;
    intros; unfold difference; ring | ring].
Qed.

Section Differentiable.
Variables (m : nat) (nu : R) (r g : R -> R) (p : distribution).
Hypotheses (nu_pos : 0 < nu) (SC : strictly_convex r).
Hypothesis coerc : coercive r.
Hypotheses (D : forall x, derivable_pt_lim r x (g x)) (HD : is_distribution m p).
Hypothesis acyc : acyclic_differences m (aggregate p).
Let net := net_wins m (aggregate p).

Lemma r_tangent x : subgradient r x (g x).
Proof. apply derivative_subgradient; [apply strictly_convex_convex, SC | apply D]. Qed.
Lemma g_mono x y : x <= y -> g x <= g y.
Proof. intros [L | ->]; [| lra]; apply (subgradient_mono r x y); auto using r_tangent. Qed.

(* r' takes every value. *)
Lemma slope_onto v : exists x, g x = v.
Proof.
  destruct (coerc (Rabs v + 1)) as (M & HM); set (X := Rmax 1 (Rmax M (Rabs (r 0)))).
  assert (X1 : 1 <= X) by apply Rmax_l; assert (X2 : M <= X) by (eapply Rle_trans; [apply Rmax_l | apply Rmax_r]).
  assert (X3 : Rabs (r 0) <= X) by (eapply Rle_trans; [apply Rmax_r | apply Rmax_r]).
  pose proof (Rle_abs (r 0)); pose proof (Rle_abs v); pose proof (Rle_abs (- v)) as AV; rewrite Rabs_Ropp in AV.
  assert (U : v <= g X).
  { pose proof (r_tangent X 0); pose proof (HM X ltac:(rewrite (Rabs_right X); lra)) as Q;
      rewrite (Rabs_right X) in Q by lra.
    apply Rmult_le_reg_r with X; [lra |]; nra. }
  assert (L : g (- X) <= v).
  { pose proof (r_tangent (- X) 0); pose proof (HM (- X) ltac:(rewrite Rabs_Ropp, Rabs_right; lra)) as Q;
      rewrite Rabs_Ropp, (Rabs_right X) in Q by lra.
    apply Rmult_le_reg_r with X; [lra |]; nra. }
  destruct (slope_takes r g (- X) X v D g_mono) as (z & _ & Hz); [lra | lra | exists z; exact Hz].
Qed.
Lemma strict_tangent x y : y <> x -> r x + g x * (y - x) < r y.
Proof.
  intros N; pose proof (SC x y (1 / 2) ltac:(auto) ltac:(lra)) as K;
    pose proof (r_tangent x (1 / 2 * x + (1 - 1 / 2) * y)); lra.
Qed.
(* What item i adds to the risk. *)
Definition f i x := nu * r x - net i * x.

(* Eq. 15, stationarity: nu r'(x_i) = N_i. *)
Definition solves (x : scores) := forall i, (i < m)%nat -> nu * g (x i) = net i.
Lemma solution : exists x, solves x.
Proof.
  apply (finite_choice 0 (fun i x => nu * g x = net i)); intros i _.
  destruct (slope_onto (net i / nu)) as (x & Hx); exists x; rewrite Hx; field; lra.
Qed.
Lemma f_min x i y : solves x -> (i < m)%nat -> f i (x i) <= f i y.
Proof. intros S Hi; unfold f; rewrite <- (S i Hi); pose proof (r_tangent (x i) y) as T;
  apply (Rmult_le_compat_l nu) in T; lra. Qed.
Lemma f_strict x i y : solves x -> (i < m)%nat -> y <> x i -> f i (x i) < f i y.
Proof.
  intros S Hi N; unfold f; rewrite <- (S i Hi); pose proof (strict_tangent (x i) y N) as T.
  apply (Rmult_lt_compat_l nu) in T; lra.
Qed.

(* Towards its minimizer f falls. *)
Lemma f_between x i y z : solves x -> (i < m)%nat -> (z <= y <= x i \/ x i <= y <= z) -> f i y <= f i z.
Proof.
  intros S Hi B; pose proof (r_tangent y z) as T; apply (Rmult_le_compat_l nu) in T; [| lra]; unfold f;
    rewrite <- (S i Hi).
  destruct B as [[B1 B2] | [B1 B2]].
  - pose proof (g_mono y (x i) B2); assert (0 <= nu * (g (x i) - g y)) by (apply Rmult_le_pos; lra).
    assert (0 <= nu * (g (x i) - g y) * (y - z)) by (apply Rmult_le_pos; lra); lra.
  - pose proof (g_mono (x i) y B1); assert (0 <= nu * (g y - g (x i))) by (apply Rmult_le_pos; lra).
    assert (0 <= nu * (g y - g (x i)) * (z - y)) by (apply Rmult_le_pos; lra); lra.
Qed.
Lemma V_f alpha : linear_loss nu r m p alpha = sum (fun i => f i (alpha i)) m.
Proof. apply linear_loss_sum; exact HD. Qed.
Lemma V_min x alpha : solves x -> linear_loss nu r m p x <= linear_loss nu r m p alpha.
Proof. intros; rewrite !V_f; apply sum_le; intros; apply f_min; assumption. Qed.
Lemma V_one x alpha i : solves x -> (i < m)%nat ->
  linear_loss nu r m p x + (f i (alpha i) - f i (x i)) <= linear_loss nu r m p alpha.
Proof.
  intros S Hi; rewrite !V_f, <- (sum_delta (fun k => f k (alpha k) - f k (x k)) m i Hi), <- sum_plus; apply sum_le;
    intros k Hk.
  pose proof (f_min x k (alpha k) S Hk); destruct (k =? i)%nat; lra.
Qed.
Lemma order_of x i j : solves x -> (i < m)%nat -> (j < m)%nat -> net j < net i -> x j < x i.
Proof.
  intros S Hi Hj L; destruct (Rlt_le_dec (x j) (x i)) as [| C]; [assumption | exfalso].
  pose proof (g_mono _ _ C); rewrite <- (S i Hi), <- (S j Hj) in L; nra.
Qed.

Lemma theorem_13_if : net_order m (aggregate p) -> consistent_at (linear_loss nu r m p) p.
Proof.
  intros Eq16; destruct solution as (x & S).
  apply (separated_consistent_V m p _ (linear_loss nu r m p x)); auto.
  - intros alpha; apply V_min; exact S.
  - intros e He; exists x; lra.
  - intros i j Hi Hj P; pose proof (order_of x i j S Hi Hj (Eq16 i j Hi Hj P)) as L.
    set (mid := (x i + x j) / 2); assert (M : x j < mid < x i) by (unfold mid; lra).
    pose proof (f_strict x i mid S Hi ltac:(lra)) as Ci; pose proof (f_strict x j mid S Hj ltac:(lra)) as Cj.
    exists (Rmin (f i mid - f i (x i)) (f j mid - f j (x j))); split; [apply Rmin_pos; lra |]; intros alpha HA.
    pose proof (Rmin_l (f i mid - f i (x i)) (f j mid - f j (x j)));
      pose proof (Rmin_r (f i mid - f i (x i)) (f j mid - f j (x j))).
    destruct (Rle_lt_dec (alpha i) mid) as [Q | Q].
    + pose proof (V_one x alpha i S Hi); pose proof (f_between x i mid (alpha i) S Hi ltac:(left; lra)); lra.
    + pose proof (V_one x alpha j S Hj); pose proof (f_between x j mid (alpha j) S Hj ltac:(right; lra)); lra.
Qed.

Lemma theorem_13_only_if : consistent_at (linear_loss nu r m p) p -> net_order m (aggregate p).
Proof.
  intros (c & (alpha & Lc) & Hc) i j Hi Hj P; destruct (Rlt_le_dec (net j) (net i)) as [| Bad]; [assumption | exfalso].
  destruct solution as (x & S).
  assert (Lx : x i <= x j).
  { destruct Bad as [Bad | Bad]; [left; apply (order_of x); assumption |]. right.
    pose proof (S i Hi); pose proof (S j Hj); assert (Eg : g (x i) = g (x j)) by nra.
    destruct (Req_dec (x i) (x j)) as [| N]; [assumption | exfalso].
    pose proof (strict_tangent _ _ N); pose proof (strict_tangent _ _ (not_eq_sym N)); rewrite Eg in *; nra. }
  assert (Vx : linear_loss nu r m p x < c) by (eapply Rle_lt_trans; [apply V_min; exact S | exact Lc]).
  (* Lowering item i a little leaves A(p) and costs as little as one likes. *)
  assert (Near : exists t, 0 < t /\ f i (x i - t) - f i (x i) < c - linear_loss nu r m p x).
  { assert (Df : derivable_pt_lim (f i) (x i) (nu * g (x i) - net i * 1))
      by (apply (derivable_pt_lim_minus (mult_real_fct nu r) (mult_real_fct (net i) id)); apply derivable_pt_lim_scal;
        [apply D | apply derivable_pt_lim_id]).
    destruct (derivable_continuous_pt (f i) (x i) (exist _ _ Df) (c - linear_loss nu r m p x) ltac:(lra)) as (d & Pd & Hd).
    exists (d / 2); split; [lra |]; specialize (Hd (x i - d / 2)); cbn in Hd; unfold R_dist in Hd.
    apply Rle_lt_trans with (1 := Rle_abs _), Hd; split; [split; [exact I | lra] |].
    replace (x i - d / 2 - x i) with (- (d / 2)) by ring; rewrite Rabs_Ropp, Rabs_right; lra. }
  destruct Near as (t & Ht & HN); set (beta := fun k => if (k =? i)%nat then x k - t else x k).
  assert (Vb : linear_loss nu r m p beta = linear_loss nu r m p x + (f i (x i - t) - f i (x i))).
  { rewrite !V_f, <- (sum_delta (fun k => f k (x k - t) - f k (x k)) m i Hi), <- sum_plus; apply sum_ext; intros k _;
      unfold beta; destruct (k =? i)%nat; ring. }
  assert (Nb : ~ A p beta).
  { intros HA.
    assert (B : beta i < beta j).
    { unfold beta; rewrite Nat.eqb_refl; destruct (Nat.eqb_spec j i) as [-> | _]; [unfold difference in P; lra | lra]. }
    pose proof (right_weakly _ _ _ (proj1 (lemma_16 m p HD acyc beta) HA i j Hi Hj P)); lra. }
  specialize (Hc beta Nb); lra.
Qed.
End Differentiable.

(* DMJ10 Theorem 13. *)
Theorem theorem_13 m nu r g p : 0 < nu -> strictly_convex r -> coercive r -> (forall x, derivable_pt_lim r x (g x)) ->
  is_distribution m p -> acyclic_differences m (aggregate p) ->
  (consistent_at (linear_loss nu r m p) p <-> net_order m (aggregate p)).
Proof. intros; split; [eapply theorem_13_only_if | eapply theorem_13_if]; eassumption. Qed.
(* DMJ10 Corollary 15. *)
Theorem corollary_15 nu r g : 0 < nu -> strictly_convex r -> coercive r -> (forall x, derivable_pt_lim r x (g x)) ->
  consistent_under low_noise (linear_loss nu r).
Proof.
  intros Hnu SC K D m p HD L; apply (theorem_13_if m nu r g p); auto; [apply low_noise_acyclic | apply lemma_14];
    exact L.
Qed.

(* --- The usual r ------------------------------------------------------------------------------------------- *)

(* r(x) = x^2/2 is such an r: the linear loss is edge-consistent under low noise, and not wherever the difference graph
   has no cycle, since net wins may be out of order. *)
Lemma half_square_slope x : derivable_pt_lim half_square x x.
Proof.
  replace x with (/ 2 * (1 * x + x * 1)) at 2 by field.
  apply (derivable_ext (fun x => / 2 * (x * x))); [intros; unfold half_square; field |].
  apply derivable_pt_lim_scal, (derivable_pt_lim_mult id id); apply derivable_pt_lim_id.
Qed.
Lemma half_square_strict : strictly_convex half_square.
Proof.
  intros x y t N Ht; unfold half_square.
  assert (0 < (x - y) * (x - y)) by (apply Rsqr_pos_lt; lra); assert (0 < t * (1 - t)) by nra; nra.
Qed.
Lemma half_square_coercive : coercive half_square.
Proof.
  intros K; exists (2 * Rabs K); intros x Hx; unfold half_square; pose proof (Rle_abs K); pose proof (Rabs_pos x).
  replace (x * x) with (Rabs x * Rabs x) by (rewrite <- Rabs_mult; apply Rabs_right; nra); nra.
Qed.
Corollary linear_low_noise : consistent_under low_noise (linear_loss 1 half_square).
Proof.
  apply (corollary_15 1 half_square (fun x => x) Rlt_0_1);
  auto using half_square_strict, half_square_coercive, half_square_slope.
Qed.
Definition chain : distribution := [(1, [Edge 0 1 1; Edge 1 2 3])].
Corollary linear_not_acyclic : ~ consistent_under acyclic_differences (linear_loss 1 half_square).
Proof.
  assert (D : is_distribution 3 chain).
  { split; [| cbn; lra]; repeat constructor; cbn; try lra; try lia; [exists (fun i => i); repeat constructor; cbn; lia |].
    intros [E | []]; discriminate. }
  assert (G : acyclic_differences 3%nat (aggregate chain)).
  { exists (fun i => - INR i); intros [|[|[|i]]] [|[|[|j]]] Hi Hj; try lia.
    all: unfold difference, aggregate, mean, ind; cbn; lra. }
  intros H; specialize (H 3%nat chain D G).
  apply (theorem_13 3 1 half_square (fun x => x) chain Rlt_0_1) in H;
  auto using half_square_strict, half_square_coercive, half_square_slope.
  specialize (H 0%nat 1%nat ltac:(lia) ltac:(lia)); revert H.
  unfold net_wins, difference, aggregate, mean, ind; cbn; intros H; lra.
Qed.

(* --- As printed -------------------------------------------------------------------------------------------- *)

Definition kinked (x : R) := x * x / 2 + Rabs x.
Definition half : distribution := [(1, [Edge 0 1 (1/2)])].
Lemma half_distribution : is_distribution 2 half.
Proof. split; [| cbn; lra]; repeat constructor; cbn; try lra; try lia; exists (fun i => i); repeat constructor. Qed.
Lemma half_additive : additive 2%nat (aggregate half).
Proof.
  exists (fun i => match i with 0%nat => 1/2 | _ => 0 end); intros [|[|i]] [|[|j]] Hi Hj; try lia.
  all: unfold difference, aggregate, mean, ind; cbn; lra.
Qed.
Theorem theorem_13_as_printed_is_false : strictly_convex kinked /\ coercive kinked /\
  is_distribution 2 half /\ low_noise 2%nat (aggregate half) /\ net_order 2%nat (aggregate half) /\
  (forall alpha, linear_loss 1 kinked 2%nat half (fun _ => 0) <= linear_loss 1 kinked 2%nat half alpha) /\
  ~ consistent_at (linear_loss 1 kinked 2%nat half) half.
Proof.
  assert (M : forall alpha, linear_loss 1 kinked 2%nat half (fun _ => 0) <= linear_loss 1 kinked 2%nat half alpha).
  { intros alpha; unfold linear_loss, mean, half, kinked; cbn; rewrite !Rabs_R0.
    pose proof (Rle_abs (alpha 0%nat)); pose proof (Rle_abs (- alpha 1%nat)) as B; rewrite Rabs_Ropp in B.
    pose proof (Rabs_pos (alpha 0%nat)); pose proof (Rabs_pos (alpha 1%nat)); nra. }
  split; [| split; [| split; [exact half_distribution | split; [| split; [| split; [exact M |]]]]]].
  - intros x y t N Ht; unfold kinked.
    assert (Q : Rabs (t * x + (1 - t) * y) <= t * Rabs x + (1 - t) * Rabs y).
    { eapply Rle_trans; [apply Rabs_triang |]; rewrite !Rabs_mult, (Rabs_right t), (Rabs_right (1 - t)) by lra; lra. }
    pose proof (half_square_strict x y t N Ht); unfold half_square in *; lra.
  - intros K; destruct (half_square_coercive K) as (B & HB); exists B; intros x Hx; unfold kinked.
    pose proof (HB x Hx); pose proof (Rabs_pos x); unfold half_square in *; lra.
  - apply additive_low_noise, half_additive.
  - apply lemma_14, additive_low_noise, half_additive.
  - apply matched; intros alpha _; exists (fun _ => 0); split.
    + intros HA; apply (A_strict 2 half (net_wins 2 (aggregate half)) 0 1) in HA;
      [lra | exact half_distribution | apply lemma_14, additive_low_noise, half_additive | lia | lia |].
      unfold difference, aggregate, mean, ind; cbn; lra.
    + apply M.
Qed.
(* Nor is Corollary 15 true as printed, under low noise or additive differences. *)
Corollary corollary_15_as_printed_is_false : strictly_convex kinked /\ coercive kinked /\
  ~ consistent_under low_noise (linear_loss 1 kinked) /\ ~ consistent_under additive (linear_loss 1 kinked).
Proof.
  destruct theorem_13_as_printed_is_false as (S & K & D & L & _ & _ & N); repeat split; auto; intros H; apply N, H;
    auto using half_additive.
Qed.

(* RAT13 section 7.1: least squares on net preferences are DMJ10's linear loss with r(x) = x^2/2 and nu = 1, up to a factor
   and a constant. *)
Theorem regression_is_linear m p alpha : is_distribution m p -> regression_loss m p alpha =
  2 * linear_loss 1 half_square m p alpha + mean p (fun G => sum (fun i => net G i * net G i) m).
Proof.
  intros [D _]; unfold regression_loss, linear_loss, mean; rewrite <- total_scal, <- total_plus; apply total_ext.
  revert D; apply Forall_impl; intros [w G] (_ & WF & _); cbn [fst snd] in *.
  assert (E : sum (fun i => alpha i * net G i) m = total (fun e => -1 * (wt e * (alpha (dst e) - alpha (src e)))) G).
  { transitivity (sum (fun i => total (fun e => alpha i * ((if (src e =? i)%nat then wt e else 0) -
      (if (dst e =? i)%nat then wt e else 0))) G) m); [apply sum_ext; intros; symmetry; apply total_scal |].
    rewrite <- (total_sum (fun e i => alpha i * ((if (src e =? i)%nat then wt e else 0) - (if (dst e =? i)%nat then wt e
      else 0)))); apply total_ext; revert WF; apply Forall_impl; intros e (S & T & _).
    rewrite (sum_ext _ (fun i => (if (i =? src e)%nat then alpha i * wt e else 0) - (if (i =? dst e)%nat then alpha i *
      wt e else 0))), sum_minus, !(sum_delta (fun i => alpha i * wt e)) by
      (assumption || (intros; rewrite !(Nat.eqb_sym k); destruct (src e =? k)%nat, (dst e =? k)%nat; ring)); ring. }
  rewrite total_scal in E; replace (sum (fun i => (alpha i - net G i) * (alpha i - net G i)) m) with
    (2 * sum (fun i => half_square (alpha i)) m - 2 * sum (fun i => alpha i * net G i) m + sum (fun i => net G i * net G i) m).
  - rewrite E; ring.
  - rewrite <- !sum_scal, <- sum_minus, <- sum_plus; apply sum_ext; intros; unfold half_square; field.
Qed.
