(* Theorem P: under strong transitivity exactly the products are harmless among the complete designs, for every
   regular phi, bounded below, whose link rises strictly near 0. If n_ik n_jl <> n_il n_jk for four items, then i and
   j, above all others, are tied by scores that are minimal although i is preferred: what i gains on j, both give
   back to k and l. *)
From ConsistencyLab.base Require Import Prelude Sums Ranking Convex Descent Aggregate Near Consistency.
From ConsistencyLab.theorems Require Import Domination.
Open Scope R_scope.

(* The probability of a preference that a difference x of scores suits. *)
Definition link (g : R -> R) x := g (- x) / (g x + g (- x)).

(* Finitely many triples have a common positive lower bound. *)
Lemma finite_min_3 (Z : nat -> nat -> nat -> R -> Prop) m : (forall p q r x y, Z p q r x -> 0 < y <= x -> Z p q r y) ->
  (forall p q r, (p < m)%nat -> (q < m)%nat -> (r < m)%nat -> exists x, 0 < x /\ Z p q r x) ->
  exists x, 0 < x /\ forall p, (p < m)%nat -> forall q, (q < m)%nat -> forall r, (r < m)%nat -> Z p q r x.
Proof.
  intros mono H; apply (finite_min_2 (fun p q x => forall r, (r < m)%nat -> Z p q r x)); [intros; eapply mono; eauto |].
  intros p q Hp Hq; apply finite_min; eauto.
Qed.
Lemma small_step d s : 0 < d -> exists e, 0 < e /\ forall x, 0 < x <= e -> x * s <= d.
Proof.
  intros Hd; pose proof (Rabs_pos s); exists (d / (Rabs s + 1)); split; [apply Rdiv_lt_0_compat; lra |].
  intros x [H0 H1]; apply (Rmult_le_compat_r (Rabs s + 1)) in H1; [| lra].
  replace (d / (Rabs s + 1) * (Rabs s + 1)) with d in H1 by (field; lra); pose proof (Rle_abs s); nra.
Qed.

Section Product.
Variables (phi g : R -> R) (m : nat) (n : matrix) (eta : R) (i j k l : nat).
Hypotheses (reg : regular phi g) (Peta : 0 < eta) (down : forall x, - eta < x < eta -> g x < 0).
Hypothesis rises : forall x y, 0 <= x < y -> y < eta -> link g x < link g y.
Hypotheses (full : complete m n) (ij : (i < j < m)%nat) (Hk : (k < m)%nat /\ k <> i /\ k <> j).
Hypothesis Hl : (l < m)%nat /\ l <> i /\ l <> j /\ l <> k.
Hypothesis unequal : n i k * n j l <> n i l * n j k.

Lemma both_fall x : - eta < x < eta -> g x < 0 /\ g (- x) < 0.
Proof. intros H; split; apply down; lra. Qed.
Lemma link_odd x : - eta < x < eta -> link g (- x) = 1 - link g x.
Proof. intros H; unfold link; rewrite Ropp_involutive; pose proof (both_fall x H); field; lra. Qed.
Lemma link_rises x y : - eta < x < y -> y < eta -> link g x < link g y.
Proof.
  intros H1 H2; destruct (Rle_lt_dec 0 x) as [X | X]; [apply rises; lra |].
  destruct (Rle_lt_dec y 0) as [Y | Y].
  - pose proof (rises (- y) (- x) ltac:(lra) ltac:(lra)); rewrite !link_odd in * by lra; lra.
  - pose proof (rises 0 (- x) ltac:(lra) ltac:(lra)); pose proof (rises 0 y ltac:(lra) ltac:(lra)).
    pose proof (link_odd 0 ltac:(lra)); rewrite Ropp_0, link_odd in * by lra; lra.
Qed.
Lemma link_bounds x : - eta < x < eta -> 0 <= link g x.
Proof.
  intros H; pose proof (both_fall x H); unfold link.
  replace (g (- x) / (g x + g (- x))) with (- g (- x) * / - (g x + g (- x))) by (field; lra).
  apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra].
Qed.

(* Levels from the top: i and j share the first. *)
Definition level q := if (q =? i)%nat then 0%nat else if (q =? j)%nat then 0%nat else if (q <? m)%nat then S q else 0%nat.
Let h := eta / (INR m + 1).
Definition score q := - (h * INR (level q)).
Lemma level_lt q : (level q <= m)%nat.
Proof. unfold level; destruct (q =? i)%nat, (q =? j)%nat, (Nat.ltb_spec q m); lia. Qed.
Lemma level_tie p q : (p < m)%nat -> (q < m)%nat -> level p = level q -> p <> q -> (p = i /\ q = j) \/ (p = j /\ q = i).
Proof.
  intros Hp Hq; unfold level; rewrite !(proj2 (Nat.ltb_lt _ m)) by assumption.
  destruct (Nat.eqb_spec p i), (Nat.eqb_spec p j), (Nat.eqb_spec q i), (Nat.eqb_spec q j); intros;
    first [congruence | left; split; congruence | right; split; congruence].
Qed.
Lemma step : 0 < h /\ h * INR m < eta.
Proof.
  pose proof (pos_INR m); assert (E : h * (INR m + 1) = eta) by (unfold h; field; lra).
  assert (0 < h) by (apply Rdiv_lt_0_compat; lra); split; [assumption | lra].
Qed.
Lemma score_range p q : - eta < score p - score q < eta.
Proof.
  pose proof (le_INR _ _ (level_lt p)); pose proof (le_INR _ _ (level_lt q)).
  pose proof (pos_INR (level p)); pose proof (pos_INR (level q)); pose proof step; unfold score; nra.
Qed.
Lemma score_lt p q : (level p < level q)%nat -> score q < score p.
Proof. intros H; apply lt_INR in H; pose proof step; unfold score; nra. Qed.

(* The flow that i, preferred to j, sends over k and l. *)
Let u x := - g x - g (- x).
Let v p q := n p q * u (score p - score q).
Let det := v i k * v j l - v i l * v j k.
Let A := - v i j * (v j l + v i l) / det.
Let B := v i j * (v i k + v j k) / det.
Let C := A * (v k i + v k j) / v k l.
Let one (p q : nat) := if (p =? q)%nat then 1 else 0.
Definition gain p q := one p i * one j q + (one p i + one p j) * (A * one k q + B * one l q) + one p k * (C * one l q).
Definition flow p q := gain p q - gain q p.
Lemma u_pos p q : 0 < u (score p - score q).
Proof. unfold u; pose proof (both_fall _ (score_range p q)); lra. Qed.
Lemma u_even x : u (- x) = u x.
Proof. unfold u; rewrite Ropp_involutive; ring. Qed.
Lemma v_sym p q : (p < m)%nat -> (q < m)%nat -> p <> q -> v p q = v q p.
Proof. intros Hp Hq N; unfold v; destruct (full p q Hp Hq N) as [-> _]; rewrite <- u_even; do 2 f_equal; ring. Qed.
Lemma v_pos p q : (p < m)%nat -> (q < m)%nat -> p <> q -> 0 < v p q.
Proof. intros Hp Hq N; apply Rmult_lt_0_compat; [apply full; assumption | apply u_pos]. Qed.
Lemma score_tie : score j = score i.
Proof. unfold score, level; rewrite !Nat.eqb_refl; destruct (j =? i)%nat; reflexivity. Qed.
Lemma det_not_0 : det <> 0.
Proof.
  unfold det, v; rewrite score_tie; pose proof (u_pos i k); pose proof (u_pos i l).
  set (s := u (score i - score k)) in *; set (t := u (score i - score l)) in *.
  replace (n i k * s * (n j l * t) - n i l * t * (n j k * s)) with (s * t * (n i k * n j l - n i l * n j k)) by ring.
  apply Rmult_integral_contrapositive_currified; [nra | lra].
Qed.
Lemma one_refl p : one p p = 1.
Proof. unfold one; rewrite Nat.eqb_refl; reflexivity. Qed.
Lemma one_not p q : p <> q -> one p q = 0.
Proof. intros H; unfold one; destruct (Nat.eqb_spec p q); [contradiction | reflexivity]. Qed.
Ltac ones := rewrite ?one_refl; repeat match goal with |- context [one ?p ?q] => rewrite (one_not p q) by lia end.
Lemma one_sum f q : (q < m)%nat -> sum (fun p => f p * one q p) m = f q.
Proof.
  intros Hq; rewrite <- (sum_delta f m q Hq); apply sum_ext; intros p _; unfold one; rewrite Nat.eqb_sym.
  destruct (p =? q)%nat; ring.
Qed.
Lemma flow_balance p : (p < m)%nat -> sum (fun q => v p q * flow p q) m = 0.
Proof.
  intros Hp.
  rewrite (sum_ext _ (fun q => one p i * (v p q * one j q) + (one p i + one p j) * A * (v p q * one k q)
    + (one p i + one p j) * B * (v p q * one l q) + one p k * C * (v p q * one l q)
    - (one j p * (v p q * one i q) + (A * one k p + B * one l p) * (v p q * one i q)
    + (A * one k p + B * one l p) * (v p q * one j q) + C * one l p * (v p q * one k q)))).
  2: { intros q _; unfold flow, gain; assert (S : forall a b, one a b = one b a) by (intros; unfold one;
         rewrite Nat.eqb_sym; reflexivity); rewrite (S q i), (S q j), (S q k); ring. }
  rewrite sum_minus, !sum_plus, !sum_scal, !one_sum by lia.
  pose proof det_not_0 as Dn; pose proof (v_pos k l ltac:(lia) ltac:(lia) ltac:(lia)) as Pkl.
  destruct (Nat.eq_dec p i) as [-> | Ni]; [| destruct (Nat.eq_dec p j) as [-> | Nj]; [| destruct (Nat.eq_dec p k) as
    [-> | Nk]; [| destruct (Nat.eq_dec p l) as [-> | Nl]]]]; ones.
  - transitivity (v i j + A * v i k + B * v i l); [ring |]; unfold A, B; unfold det in *; field; exact Dn.
  - rewrite (v_sym j i) by lia; transitivity (A * v j k + B * v j l - v i j); [ring |]; unfold A, B; unfold det in *;
      field; exact Dn.
  - transitivity (C * v k l - A * (v k i + v k j)); [ring |]; unfold C; field; lra.
  - rewrite (v_sym l k), (v_sym l i), (v_sym l j) by lia.
    transitivity (- (B * (v i l + v j l) + C * v k l)); [ring |].
    replace (C * v k l) with (A * (v k i + v k j)) by (unfold C; field; lra); rewrite (v_sym k i), (v_sym k j) by lia.
    unfold A, B; unfold det in *; field; exact Dn.
  - ring.
Qed.

(* Preferences as the scores suit them, changed a little along the flow. *)
Definition chance e p q := link g (score p - score q) + e * flow p q.
Lemma chance_sum e p q : chance e p q + chance e q p = 1.
Proof.
  unfold chance; replace (score q - score p) with (- (score p - score q)) by ring.
  rewrite link_odd by apply score_range; unfold flow; ring.
Qed.
Lemma small_enough : exists e, 0 < e /\ (forall q r, (q < m)%nat -> (r < m)%nat -> 0 <= chance e q r) /\
  forall p q r, (p < m)%nat -> (q < m)%nat -> (r < m)%nat -> (level p < level q)%nat -> chance e q r <= chance e p r.
Proof.
  set (Z := fun p q r e => forall x, 0 < x <= e -> 0 <= chance x q r /\
    ((level p < level q)%nat -> chance x q r <= chance x p r)).
  destruct (finite_min_3 Z m) as (e & Pe & He).
  - intros p q r x y H L z Hz; apply H; lra.
  - intros p q r Hp Hq Hr; pose proof (score_range q r) as Rq; pose proof (score_range p r) as Rp.
    assert (Pos : 0 < link g (score q - score r)).
    { pose proof (link_bounds ((score q - score r - eta) / 2) ltac:(lra)).
      pose proof (link_rises ((score q - score r - eta) / 2) (score q - score r) ltac:(lra) ltac:(lra)); lra. }
    destruct (small_step _ (- flow q r) Pos) as (e1 & P1 & H1).
    assert (X : exists e2, 0 < e2 /\ forall x, 0 < x <= e2 -> (level p < level q)%nat -> chance x q r <= chance x p r).
    { destruct (Nat.lt_ge_cases (level p) (level q)) as [L | L]; [| exists 1; split; [lra | intros; lia]].
      pose proof (score_lt p q L).
      pose proof (link_rises (score q - score r) (score p - score r) ltac:(lra) ltac:(lra)) as Rise.
      destruct (small_step (link g (score p - score r) - link g (score q - score r)) (flow q r - flow p r)) as
        (e2 & P2 & H2); [lra |].
      exists e2; split; [exact P2 |]; intros x Hx _; specialize (H2 x Hx); unfold chance; lra. }
    destruct X as (e2 & P2 & H2); pose proof (Rmin_l e1 e2); pose proof (Rmin_r e1 e2).
    exists (Rmin e1 e2); split; [apply Rmin_pos; assumption |]; intros x Hx; split; [| apply H2; lra].
    specialize (H1 x ltac:(lra)); unfold chance; lra.
  - exists e; split; [exact Pe | split].
    + intros q r Hq Hr; apply (He q Hq q Hq r Hr e); lra.
    + intros p q r Hp Hq Hr; apply (He p Hp q Hq r Hr e); lra.
Qed.

Lemma no_product_wrong : exists p, is_distribution m p /\ transitive n m (aggregate p) /\
  ~ consistent_at (edge_loss identity phi m p) p.
Proof.
  destruct small_enough as (e & Pe & NN & Order); destruct (regular_slopes phi g reg) as (Dg & mono & _).
  set (a := (fun p q => if (p =? q)%nat then 0 else n p q * chance e p q) : matrix).
  assert (Diag : forall p, chance e p p = 1 / 2) by (intros p; pose proof (chance_sum e p p); lra).
  assert (Tie : forall r, r <> i -> r <> j -> chance e i r = chance e j r).
  { intros r Ri Rj; unfold chance, flow, gain; rewrite score_tie, ?(one_not r i), ?(one_not r j) by lia.
    rewrite ?(one_not j r), ?(one_not i j), ?(one_not k i), ?(one_not k j), ?(one_not l i), ?(one_not l j) by lia.
    rewrite ?one_refl, ?(one_not j i), ?(one_not i k), ?(one_not j k) by lia; ring. }
  assert (Fij : chance e i j = 1 / 2 + e).
  { unfold chance, flow, gain; rewrite score_tie, Rminus_eq_0; ones.
    pose proof (link_odd 0 ltac:(lra)); rewrite Ropp_0 in *; lra. }
  (* Who is preferred stands on a higher level, or is i against j. *)
  assert (Pref : forall p q, (p < m)%nat -> (q < m)%nat -> p <> q -> 1 / 2 < chance e p q ->
    (level p < level q)%nat \/ (p = i /\ q = j)).
  { intros p q Hp Hq N H; destruct (Nat.lt_trichotomy (level p) (level q)) as [L | [T | L]]; [auto | |].
    - destruct (level_tie p q Hp Hq T N) as [| [-> ->]]; [auto |]; pose proof (chance_sum e i j); lra.
    - pose proof (Order q p p Hq Hp Hp L); rewrite Diag in *; pose proof (chance_sum e p q); lra. }
  assert (Dif : forall p q, (p < m)%nat -> (q < m)%nat -> p <> q -> difference a p q = n p q * (2 * chance e p q - 1)).
  { intros p q Hp Hq N; unfold difference, a; rewrite (Nat.eqb_sym q p); destruct (Nat.eqb_spec p q); [contradiction |].
    destruct (full p q Hp Hq N) as [-> _]; rewrite <- (chance_sum e p q); ring. }
  set (good := fun q => - INR (level q) + one q i / 2).
  assert (NNa : forall p q, (p < m)%nat -> (q < m)%nat -> 0 <= a p q).
  { intros p q Hp Hq; unfold a; destruct (Nat.eqb_spec p q); [lra |].
    apply Rmult_le_pos; [left; apply full; auto | apply NN; auto]. }
  destruct (realized_inconsistent m a phi score good i j) as (p & HD & E & N).
  - exact NNa.
  - intros p; unfold a; rewrite Nat.eqb_refl; reflexivity.
  - apply (stationary_minimizer _ _ _ (fun p q => g (score p - score q))).
    + exact NNa.
    + intros; apply mono_subgradient; assumption.
    + intros p Hp; rewrite <- (Rmult_0_r (- e)), <- (flow_balance p Hp), <- sum_scal; apply sum_ext; intros q Hq.
      unfold a; rewrite (Nat.eqb_sym q p); destruct (Nat.eqb_spec p q) as [<- | N]; [unfold flow; ring |].
      destruct (full p q Hp Hq N) as [S _]; rewrite S; unfold v, chance.
      replace (score q - score p) with (- (score p - score q)) by ring; set (x := score p - score q).
      pose proof (both_fall x (score_range p q)); assert (Fl : flow q p = - flow p q) by (unfold flow; ring).
      rewrite Fl, S; unfold u, link; rewrite Ropp_involutive; field; lra.
  - intros p q Hp Hq Pd; assert (N : p <> q) by (intros ->; unfold difference in Pd; lra).
    rewrite Dif in Pd by assumption; destruct (full p q Hp Hq N) as [_ Pn].
    assert (More : 1 / 2 < chance e p q) by (destruct (Rlt_le_dec (1 / 2) (chance e p q)); [assumption | nra]).
    unfold good; destruct (Pref p q Hp Hq N More) as [L | [-> ->]].
    + assert (0 <= one p i <= 1 /\ 0 <= one q i <= 1) by (unfold one; destruct (p =? i)%nat, (q =? i)%nat; lra).
      apply le_INR in L; rewrite S_INR in L; lra.
    + rewrite one_refl, (one_not j i) by lia; unfold level; rewrite !Nat.eqb_refl; destruct (j =? i)%nat; lra.
  - lia.
  - lia.
  - rewrite Dif, Fij by lia; destruct (full i j ltac:(lia) ltac:(lia) ltac:(lia)) as [_ Pn]; nra.
  - unfold score, level; rewrite !Nat.eqb_refl; destruct (j =? i)%nat; lra.
  - exists p; split; [exact HD | split; [| exact N]]; exists (chance e); split; [apply chance_sum | split].
    + intros x y z Hx Hy Hz xy zx zy H; destruct (Pref x y Hx Hy xy H) as [L | [-> ->]]; [apply Order; assumption |].
      rewrite Tie by assumption; lra.
    + intros x y Hx Hy xy; rewrite E by assumption; unfold a; destruct (Nat.eqb_spec x y);
      [contradiction | reflexivity].
Qed.
End Product.

(* A complete design is a product if n_ik n_jl = n_il n_jk for all four items. *)
Lemma exchangeable_product m n : complete m n ->
  (forall i j k l, (i < m)%nat -> (j < m)%nat -> (k < m)%nat -> (l < m)%nat -> i <> j -> k <> i -> k <> j -> l <> i ->
    l <> j -> l <> k -> n i k * n j l = n i l * n j k) -> product_design m n.
Proof.
  intros full E.
  assert (S : forall i j, (i < m)%nat -> (j < m)%nat -> i <> j -> n i j = n j i) by (intros; apply full; assumption).
  assert (P : forall i j, (i < m)%nat -> (j < m)%nat -> i <> j -> 0 < n i j) by (intros; apply full; assumption).
  destruct (Nat.lt_ge_cases m 3) as [M | M].
  { exists (fun i => match i with 0%nat => 1 | _ => n 0%nat 1%nat end); split.
    - intros [| i] Hi; [lra | apply P; lia].
    - intros [|[| i]] [|[| j]] Hi Hj N; try lia; [ring | rewrite S by lia; ring]. }
  (* n_xy / (n_0x n_0y) is the same for all x and y. *)
  set (r := fun x y => n x y / (n 0%nat x * n 0%nat y)).
  assert (Sy : forall x y, (0 < x < m)%nat -> (0 < y < m)%nat -> x <> y -> r x y = r y x)
    by (intros; unfold r; rewrite S by lia; f_equal; ring).
  assert (Same : forall x y z, (0 < x < m)%nat -> (0 < y < m)%nat -> (0 < z < m)%nat -> x <> y -> x <> z -> y <> z ->
    r x y = r x z).
  { intros x y z Hx Hy Hz xy xz yz; assert (Q : n x y * n 0%nat z = n x z * n 0%nat y) by (apply E; lia).
    pose proof (P 0%nat x ltac:(lia) ltac:(lia) ltac:(lia)); pose proof (P 0%nat y ltac:(lia) ltac:(lia) ltac:(lia)).
    pose proof (P 0%nat z ltac:(lia) ltac:(lia) ltac:(lia)); unfold r.
    replace (n x y) with (n x z * n 0%nat y / n 0%nat z) by (rewrite <- Q; field; lra); field; lra. }
  assert (K : forall x y, (0 < x < m)%nat -> (0 < y < m)%nat -> x <> y -> r x y = r 1%nat 2%nat).
  { assert (One : forall y, (1 < y < m)%nat -> r 1%nat y = r 1%nat 2%nat)
      by (intros y Hy; destruct (Nat.eq_dec y 2) as [-> | N]; [reflexivity | apply Same; lia]).
    intros x y Hx Hy N; destruct (Nat.eq_dec x 1) as [-> | X]; [apply One; lia |].
    destruct (Nat.eq_dec y 1) as [-> | Y]; [| rewrite (Same x y 1%nat) by lia]; rewrite Sy by lia; apply One; lia. }
  assert (Pr : 0 < / r 1%nat 2%nat)
    by (apply Rinv_0_lt_compat, Rdiv_lt_0_compat; [| apply Rmult_lt_0_compat]; apply P; lia).
  set (w0 := sqrt (/ r 1%nat 2%nat)); assert (W0 : 0 < w0) by (apply sqrt_lt_R0, Pr).
  assert (W2 : w0 * w0 = / r 1%nat 2%nat) by (apply sqrt_sqrt; lra).
  exists (fun x => match x with 0%nat => w0 | _ => n 0%nat x / w0 end); split.
  - intros [| x] Hx; [exact W0 | apply Rdiv_lt_0_compat; [apply P; lia | exact W0]].
  - intros [| x] [| y] Hx Hy N; try lia; [field; lra | rewrite S by lia; field; lra |].
    set (x' := Datatypes.S x) in *; set (y' := Datatypes.S y) in *.
    replace (n 0%nat x' / w0 * (n 0%nat y' / w0)) with (n 0%nat x' * n 0%nat y' * / (w0 * w0)) by (field; lra).
    pose proof (P 0%nat x' ltac:(lia) ltac:(lia) ltac:(lia)); pose proof (P 0%nat y' ltac:(lia) ltac:(lia) ltac:(lia)).
    rewrite W2, Rinv_inv, <- (K x' y') by lia; unfold r; field; lra.
Qed.

Theorem product_designs phi g b m n eta : regular phi g -> pushes g -> (forall x, b <= phi x) ->
  0 < eta -> (forall x y, 0 <= x < y -> y < eta -> link g x < link g y) -> complete m n ->
  (forall p, is_distribution m p -> transitive n m (aggregate p) -> consistent_at (edge_loss identity phi m p) p) <->
  product_design m n.
Proof.
  intros reg Pu below Peta rises full; split.
  - intros right; apply exchangeable_product; [exact full |]; intros i j k l Hi Hj Hk Hl ij ki kj li lj lk.
    destruct (Req_dec (n i k * n j l) (n i l * n j k)) as [| N]; [assumption | exfalso].
    destruct (regular_slopes phi g reg) as (D & mono & g0).
    destruct (slope_continuous phi g D mono 0 (- g 0) ltac:(lra)) as (d & Pd & Hd); cbn in Hd; unfold R_dist in Hd.
    pose proof (Rmin_l eta d); pose proof (Rmin_r eta d); pose proof (Rmin_pos eta d Peta Pd) as P.
    assert (Down : forall x, - Rmin eta d < x < Rmin eta d -> g x < 0).
    { intros x Hx; destruct (Req_dec x 0) as [-> | X]; [exact g0 |].
      assert (K : Rabs (g x - g 0) < - g 0) by (apply Hd; split; [split; [exact I | lra] | apply Rabs_def1; lra]).
      apply Rabs_def2 in K; lra. }
    assert (Rises : forall x y, 0 <= x < y -> y < Rmin eta d -> link g x < link g y) by (intros; apply rises; lra).
    assert (W : exists p, is_distribution m p /\ transitive n m (aggregate p) /\
      ~ consistent_at (edge_loss identity phi m p) p).
    { destruct (Nat.lt_ge_cases i j) as [L | L].
      - apply (no_product_wrong phi g m n (Rmin eta d) i j k l); auto.
      - apply (no_product_wrong phi g m n (Rmin eta d) j i k l); auto; [lia | lra]. }
    destruct W as (p & HD & T & W); exact (W (right p HD T)).
  - intros (w & W & Nw) p HD (P & S & T & E); apply (consistent_transitive_product phi g b reg Pu below m p HD).
    exists w, P; repeat split; auto; intros i j Hi Hj ij; rewrite E, Nw by assumption; reflexivity.
Qed.
(* Three items or fewer: every complete design is a product. *)
Corollary three_items_transitive phi g b m n p : (m <= 3)%nat -> regular phi g -> pushes g -> (forall x, b <= phi x) ->
  complete m n -> is_distribution m p -> transitive n m (aggregate p) -> consistent_at (edge_loss identity phi m p) p.
Proof.
  intros M reg Pu below full HD (P & S & T & E); destruct (exchangeable_product m n full ltac:(lia)) as (w & W & Nw).
  apply (consistent_transitive_product phi g b reg Pu below m p HD); exists w, P; repeat split; auto.
  intros i j Hi Hj ij; rewrite E, Nw by assumption; reflexivity.
Qed.
