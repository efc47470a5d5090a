(* Three items, preferred in the order 1, 2, 3: the exact set of weights at which no convex phi is right. With net
   preferences N_i = sum_j (h_ij - h_ji) some convex phi is right if and only if h12 N3 < h13 N2 < h23 N1; on four edges
   this says that Conditions 1 and 2 of Lemma 10 are necessary, if they are read with <= (Lemma10.v shows that these are
   sufficient). The phi that is right is a sum of three hinges, with kinks at 2, 1 and -1. *)
From Coq Require Import Classical_Prop.
From ConsistencyLab.base Require Import Prelude Sums Ranking Convex Descent Aggregate Consistency.
From ConsistencyLab.theorems Require Import Lemma10.
Open Scope R_scope.

(* A loss that the papers allow: convex, phi'(0) < 0, and Assumption A, as it is bounded below; it never rises. *)
Definition usual (phi : R -> R) := convex phi /\ (exists l, derivable_pt_lim phi 0 l /\ l < 0) /\
  (forall x, 0 <= phi x) /\ forall x y, x <= y -> phi y <= phi x.

(* --- A sum of three hinges --------------------------------------------------------------------------------- *)

(* Its slopes are -l, -1, -q and 0. *)
Definition hinges q l x := q * Rmax 0 (2 - x) + (1 - q) * Rmax 0 (1 - x) + (l - 1) * Rmax 0 (-1 - x).
Section Hinges.
Variables q l : R.
Hypotheses (Q : 0 <= q <= 1) (L : 1 <= l).
(* It is the largest of four lines. *)
Lemma lines x : 0 <= hinges q l x /\ q * (2 - x) <= hinges q l x /\ 1 + q - x <= hinges q l x /\
  2 + q - l * (x + 1) <= hinges q l x.
Proof.
  assert (P : forall c u, 0 <= c -> 0 <= c * Rmax 0 u /\ c * u <= c * Rmax 0 u).
  { intros; split; [apply Rmult_le_pos | apply Rmult_le_compat_l]; auto using Rmax_l, Rmax_r. }
  unfold hinges; pose proof (P q (2 - x) ltac:(lra)); pose proof (P (1 - q) (1 - x) ltac:(lra)).
  pose proof (P (l - 1) (-1 - x) ltac:(lra)); lra.
Qed.
Ltac value := unfold hinges; repeat first [rewrite (Rmax_right 0 (_ - _)) by lra
  | rewrite (Rmax_left 0 (_ - _)) by lra]; try ring.
Lemma values : hinges q l 2 = 0 /\ hinges q l 1 = q /\ hinges q l (-1) = 2 + q /\ hinges q l (-2) = 2 + q + l.
Proof. repeat split; value. Qed.
Lemma below_1 x c s : 0 < c -> q + c <= s <= 1 - c -> q - s * (x - 1) + c * Rabs (x - 1) <= hinges q l x.
Proof.
  intros; pose proof (lines x); unfold Rabs; destruct (Rcase_abs _).
  - assert (0 <= (1 - c - s) * (1 - x)) by (apply Rmult_le_pos; lra); lra.
  - assert (0 <= (s - c - q) * (x - 1)) by (apply Rmult_le_pos; lra); lra.
Qed.
Lemma below_m1 x s : 1 <= s <= l -> 2 + q - s * (x + 1) <= hinges q l x.
Proof.
  intros; pose proof (lines x); destruct (Rle_lt_dec 0 (x + 1)).
  - assert (0 <= (s - 1) * (x + 1)) by (apply Rmult_le_pos; lra); lra.
  - assert (0 <= (l - s) * - (x + 1)) by (apply Rmult_le_pos; lra); lra.
Qed.
Lemma hinges_usual : usual (hinges q l).
Proof.
  assert (mono : forall k x y, x <= y -> Rmax 0 (k - y) <= Rmax 0 (k - x)) by (intros; apply Rle_max_compat_l; lra).
  assert (term : forall k c x y t, 0 <= c -> 0 <= t <= 1 -> c * Rmax 0 (k - (t * x + (1 - t) * y)) <=
    c * (t * Rmax 0 (k - x) + (1 - t) * Rmax 0 (k - y))).
  { intros; apply Rmult_le_compat_l; [assumption |]; pose proof (Rmax_l 0 (k - x)); pose proof (Rmax_l 0 (k - y)).
    pose proof (Rmax_r 0 (k - x)); pose proof (Rmax_r 0 (k - y)); apply Rmax_lub; nra. }
  split; [| split; [| split]].
  - intros x y t Ht; unfold hinges; pose proof (term 2 q x y t ltac:(lra) Ht);
      pose proof (term 1 (1 - q) x y t ltac:(lra) Ht); pose proof (term (-1) (l - 1) x y t ltac:(lra) Ht); lra.
  - exists (-1); split; [| lra]; intros e He; exists (mkposreal 1 Rlt_0_1); intros h N Hh; cbn in Hh.
    assert (E : forall x, -1 < x < 1 -> hinges q l x = 1 + q - x) by (intros; value).
    apply Rabs_def2 in Hh; rewrite !E by lra; replace (_ - _) with 0 by (field; exact N); rewrite Rabs_R0; exact He.
  - intros x; apply lines.
  - intros x y X; unfold hinges; repeat apply Rplus_le_compat; apply Rmult_le_compat_l; auto; lra.
Qed.
End Hinges.

(* --- Where it is right ------------------------------------------------------------------------------------- *)

(* Slopes of such a phi at which the scores (2, 1, 0) are stationary: -1 + a and -1 + b at 1, -1 + r at 2, -1 at 0,
   -1 - u and -1 - v at -1, and -1 - t at -2. *)
Definition stationary h12 h13 h21 h23 h31 h32 := exists a b r t u v c, 0 < c /\ c <= a <= r - c /\ c <= b <= r - c /\
  r <= 1 /\ 0 <= u <= t /\ 0 <= v <= t /\ h12 * a + h13 * r + h21 * u + h31 * t = h12 + h13 - h21 - h31 /\
  h23 * b + h13 * r + h32 * v + h31 * t = h13 + h23 - h31 - h32.
Lemma small k1 m1 k2 m2 : 0 < k1 -> 0 <= m1 -> 0 < k2 -> 0 <= m2 -> exists e, 0 < e /\ e * m1 <= k1 /\ e * m2 <= k2.
Proof.
  intros K1 M1 K2 M2; set (e1 := k1 / (m1 + 1)); set (e2 := k2 / (m2 + 1)).
  assert (E1 : e1 * (m1 + 1) = k1) by (unfold e1; field; lra).
  assert (E2 : e2 * (m2 + 1) = k2) by (unfold e2; field; lra).
  assert (0 < e1) by (unfold e1; apply Rdiv_lt_0_compat; lra).
  assert (0 < e2) by (unfold e2; apply Rdiv_lt_0_compat; lra).
  exists (Rmin e1 e2); pose proof (Rmin_l e1 e2); pose proof (Rmin_r e1 e2).
  split; [apply Rmin_pos; assumption | split; nra].
Qed.
Section Weights.
Variables h12 h13 h21 h23 h31 h32 : R.
Hypotheses (P12 : 0 <= h21 < h12) (P23 : 0 <= h32 < h23) (P13 : 0 <= h13) (P31 : 0 <= h31).
Let X := h12 + h13 - h21 - h31.
Let Y := h13 + h23 - h31 - h32.
Lemma stationary_forward : 0 < h31 -> Y <= X -> h13 * (X - Y) < h12 * Y -> stationary h12 h13 h21 h23 h31 h32.
Proof.
  intros P O Cond; destruct (small (h12 * Y - h13 * (X - Y)) (h12 * h23 + h13 * h23 + h12 * h13)
    (h21 + (h23 - h32)) (h12 + h23)) as (e & He & E1 & E2); [lra | nra | lra | lra |].
  set (a := (X - Y + h23 * e) / h12); assert (Ea : h12 * a = X - Y + h23 * e) by (unfold a; field; lra).
  set (t := (Y - h23 * e - h13 * (a + e)) / h31).
  assert (Et : h31 * t = Y - h23 * e - h13 * (a + e)) by (unfold t; field; lra).
  assert (Pa : 0 < a) by (apply Rmult_lt_reg_l with h12; nra).
  assert (Ha : a + e <= 1) by (apply Rmult_le_reg_l with h12; [lra |]; unfold X, Y in *; lra).
  assert (Pt : 0 <= t).
  { apply Rmult_le_reg_l with (h12 * h31); [nra |]. nra. }
  pose proof (Rmin_l a e); pose proof (Rmin_r a e).
  exists a, e, (a + e), t, 0, 0, (Rmin a e); split; [apply Rmin_pos; assumption |].
  repeat split; try lra; unfold X, Y in *; lra.
Qed.
Lemma stationary_without_31 : h31 = 0 -> 0 < h21 -> 0 < h32 -> stationary h12 h13 h21 h23 h31 h32.
Proof.
  intros Z P21 P32; destruct (small X (h12 + 2 * h13) Y (h23 + 2 * h13)) as (d & Hd & D1 & D2);
    [unfold X; lra | lra | unfold Y; lra | lra |].
  set (e := Rmin d (1 / 2)); assert (He : 0 < e) by (apply Rmin_pos; lra).
  pose proof (Rmin_l d (1 / 2) : e <= d); pose proof (Rmin_r d (1 / 2) : e <= 1 / 2).
  set (u := (X - e * (h12 + 2 * h13)) / h21); set (v := (Y - e * (h23 + 2 * h13)) / h32).
  assert (Eu : h21 * u = X - e * (h12 + 2 * h13)) by (unfold u; field; lra).
  assert (Ev : h32 * v = Y - e * (h23 + 2 * h13)) by (unfold v; field; lra).
  assert (Pu : 0 <= u) by (apply Rmult_le_reg_l with h21; nra).
  assert (Pv : 0 <= v) by (apply Rmult_le_reg_l with h32; nra).
  exists e, e, (2 * e), (u + v), u, v, e; unfold X, Y in *; rewrite Z in *; repeat split; lra.
Qed.
End Weights.
Lemma stationary_turned h12 h13 h21 h23 h31 h32 :
  stationary h23 h13 h32 h12 h31 h21 -> stationary h12 h13 h21 h23 h31 h32.
Proof. intros (a & b & r & t & u & v & c & H); exists b, a, r, t, v, u, c; repeat split; lra. Qed.

(* Some phi has its minimum at (2, 1, 0), and loses an amount on scores that are not in order. *)
Lemma right_order h12 h13 h21 h23 h31 h32 : 0 < h12 -> 0 < h23 -> 0 <= h13 -> 0 <= h21 -> 0 <= h31 -> 0 <= h32 ->
  stationary h12 h13 h21 h23 h31 h32 -> exists phi, usual phi /\
  avoids (six_edges phi h12 h13 h21 h23 h31 h32) (fun alpha => ~ in_order_123 alpha).
Proof.
  intros P12 P23 P13 P21 P31 P32 (a & b & r & t & u & v & c & Hc & Ha & Hb & Hr & Hu & Hv & S1 & S3).
  set (phi := hinges (1 - r) (1 + t)); exists phi; split; [apply hinges_usual; lra |].
  set (V := six_edges phi h12 h13 h21 h23 h31 h32); set (top := fun i : nat => 2 - INR i).
  set (d := Rmin h12 h23); assert (Hd : 0 < d) by (apply Rmin_pos; assumption).
  pose proof (Rmin_l h12 h23 : d <= h12); pose proof (Rmin_r h12 h23 : d <= h23).
  exists (V top + c * d); split; [exists top; nra |]; intros alpha N.
  set (x := alpha 0%nat - alpha 1%nat); set (y := alpha 1%nat - alpha 2%nat).
  assert (K : V top + c * (h12 * Rabs (x - 1) + h23 * Rabs (y - 1)) <= V alpha).
  { assert (times : forall h f g, 0 <= h -> f <= g -> h * f <= h * g) by (intros; apply Rmult_le_compat_l; assumption).
    assert (Q : 0 <= 1 - r <= 1) by lra; assert (L : 1 <= 1 + t) by lra.
    pose proof (times h12 _ _ ltac:(lra) (below_1 _ _ Q L x c (1 - a) Hc ltac:(lra))).
    pose proof (times h23 _ _ ltac:(lra) (below_1 _ _ Q L y c (1 - b) Hc ltac:(lra))).
    pose proof (times h21 _ _ P21 (below_m1 _ _ Q L (- x) (1 + u) ltac:(lra))).
    pose proof (times h32 _ _ P32 (below_m1 _ _ Q L (- y) (1 + v) ltac:(lra))).
    destruct (lines _ _ Q L (x + y)) as (_ & B & _), (lines _ _ Q L (- (x + y))) as (_ & _ & _ & D).
    apply (times h13) in B; [| exact P13]; apply (times h31) in D; [| exact P31].
    destruct (values (1 - r) (1 + t)) as (V1 & V2 & V3 & V4).
    unfold V, phi, six_edges, four_edges, top; cbn [INR]; fold x y.
    replace (alpha 0%nat - alpha 2%nat) with (x + y) by (unfold x, y; ring).
    replace (alpha 2%nat - alpha 0%nat) with (- (x + y)) by (unfold x, y; ring).
    replace (alpha 1%nat - alpha 0%nat) with (- x) by (unfold x; ring).
    replace (alpha 2%nat - alpha 1%nat) with (- y) by (unfold y; ring).
    replace (2 - 0 - (2 - 1)) with 1 by ring; replace (2 - 0 - (2 - (1 + 1))) with 2 by ring.
    replace (2 - 1 - (2 - (1 + 1))) with 1 by ring; replace (2 - (1 + 1) - (2 - 0)) with (-2) by ring.
    replace (2 - 1 - (2 - 0)) with (-1) by ring; replace (2 - (1 + 1) - (2 - 1)) with (-1) by ring.
    rewrite V1, V2, V3, V4; apply (f_equal (Rmult (x - 1))) in S1; apply (f_equal (Rmult (y - 1))) in S3; lra. }
  assert (D : d <= h12 * Rabs (x - 1) + h23 * Rabs (y - 1)); [| nra].
  pose proof (Rabs_pos (x - 1)); pose proof (Rabs_pos (y - 1)).
  destruct (Rlt_le_dec 0 x) as [Lx | Lx]; [destruct (Rlt_le_dec 0 y) as [Ly | Ly] |].
  - destruct N; unfold in_order_123, x, y in *; lra.
  - rewrite (Rabs_left1 (y - 1)) by lra; nra.
  - rewrite (Rabs_left1 (x - 1)) by lra; nra.
Qed.

(* --- The exact sets ---------------------------------------------------------------------------------------- *)

(* One set of weights: the conditions with the excesses multiplied out. *)
Lemma exact_set h12 h13 h21 h23 h31 h32 : 0 <= h21 < h12 -> 0 <= h32 < h23 -> 0 <= h13 -> 0 <= h31 ->
  let wrong := (h23 - h32) * (h13 + h12) <= h31 * h12 - h21 * h13 \/
    (h12 - h21) * (h13 + h23) <= h31 * h23 - h32 * h13 in
  (wrong -> forall phi alpha, convex phi -> falls phi -> in_order_123 alpha -> exists beta, ~ in_order_123 beta /\
    six_edges phi h12 h13 h21 h23 h31 h32 beta <= six_edges phi h12 h13 h21 h23 h31 h32 alpha) /\
  (~ wrong -> 0 < h31 \/ 0 < h21 /\ 0 < h32 -> exists phi, usual phi /\
    avoids (six_edges phi h12 h13 h21 h23 h31 h32) (fun alpha => ~ in_order_123 alpha)).
Proof.
  intros P12 P23 P13 P31 wrong; split; [intros W phi alpha C F O; apply (matched_order phi C F); auto; lra |].
  intros W Back; apply right_order; try lra; unfold wrong in W; apply not_or_and in W; destruct W as [W1 W2].
  destruct (Req_dec h31 0) as [Z | N]; [apply stationary_without_31; lra |].
  destruct (Rle_lt_dec (h13 + h23 - h31 - h32) (h12 + h13 - h21 - h31)) as [O | O].
  - apply stationary_forward; lra.
  - apply stationary_turned, stationary_forward; lra.
Qed.

(* Four edges: Lemma 10's conditions with <= are sufficient and necessary. *)
Theorem four_edges_exactly p h12 h13 h23 h31 : 0 < h12 -> 0 < h13 -> 0 < h23 -> 0 < h31 ->
  (forall alpha, A p alpha <-> in_order_123 alpha) ->
  let wrong := h23 <= h31 * h12 / (h13 + h12) \/ h12 <= h31 * h23 / (h13 + h23) in
  (wrong -> forall phi, convex phi -> falls phi -> ~ consistent_at (four_edges phi h12 h13 h23 h31) p) /\
  (~ wrong -> exists phi, usual phi /\ consistent_at (four_edges phi h12 h13 h23 h31) p).
Proof.
  intros P12 P13 P23 P31 HA wrong; destruct (exact_set h12 h13 0 h23 h31 0) as [W R]; try lra; unfold wrong.
  rewrite !le_div by lra; split.
  - intros Cond phi C F; apply matched; intros alpha Ha.
    destruct (W ltac:(intuition lra) phi alpha C F (proj1 (HA _) Ha)) as (beta & N & K).
    exists beta; unfold six_edges in K; split; [intros Hb; apply N, HA, Hb | lra].
  - intros Cond; destruct R as (phi & U & c & (x & Hx) & K); [intuition lra | auto |]; exists phi; split; [exact U |].
    unfold six_edges in *; exists c; split; [exists x; lra |]; intros alpha N.
    specialize (K alpha (fun O => N (proj2 (HA alpha) O))); lra.
Qed.

(* Six edges: 1, 2, 3 is the one optimal order if each of four others costs more, and what the order costs more than
   1, 2, 3 is what it inverts. *)
Lemma one_order p : is_distribution 3 p -> 0 < diff p 0 1 -> 0 < diff p 1 2 -> 0 < diff p 0 1 + diff p 0 2 ->
  0 < diff p 0 2 + diff p 1 2 -> forall alpha, A p alpha <-> in_order_123 alpha.
Proof.
  intros HD D1 D2 D3 D4; pose proof (distribution_well_formed 3 p HD) as WF.
  set (more := fun b => diff p 0 1 * wrong b 0 1 + diff p 0 2 * wrong b 0 2 + diff p 1 2 * wrong b 1 2).
  assert (E : forall b, loss p b =
    aggregate p 1%nat 0%nat + aggregate p 2%nat 0%nat + aggregate p 2%nat 1%nat + more b).
  { intros b; rewrite (loss_pairs 3) by assumption; cbn [sum].
    assert (S : forall i, wrong b i i = 0) by
      (intros i; unfold wrong; rewrite Nat.ltb_irrefl; destruct (Rlt_dec _ _); [lra | reflexivity]).
    rewrite !S, (wrong_sym b 0 1), (wrong_sym b 0 2), (wrong_sym b 1 2) by lia; unfold more, difference; ring. }
  assert (M : forall b, in_order_123 b /\ more b = 0 \/ ~ in_order_123 b /\ 0 < more b).
  { intros b; unfold more, in_order_123, wrong; cbn [Nat.ltb Nat.leb].
    destruct (Rle_dec (b 0%nat) (b 1%nat)), (Rle_dec (b 0%nat) (b 2%nat)), (Rle_dec (b 1%nat) (b 2%nat)); lra. }
  intros alpha; destruct (M alpha) as [[O Z] | [N P]]; split; try tauto.
  - intros _ b; rewrite !E; destruct (M b); lra.
  - intros HA; exfalso; specialize (HA (fun i => - INR i)); rewrite !E in HA.
    destruct (M (fun i => - INR i)) as [K | [K _]]; [lra |]; apply K; unfold in_order_123; cbn; lra.
Qed.
Theorem six_edges_exactly p : is_distribution 3 p -> let a := aggregate p in let N := net_wins 3 a in
  0 < difference a 0 1 -> 0 < difference a 1 2 -> 0 < difference a 0 1 + difference a 0 2 ->
  0 < difference a 0 2 + difference a 1 2 -> 0 < a 2%nat 0%nat \/ 0 < a 2%nat 1%nat /\ 0 < a 1%nat 0%nat ->
  let right := a 0%nat 1%nat * N 2%nat < a 0%nat 2%nat * N 1%nat < a 1%nat 2%nat * N 0%nat in
  (~ right -> forall phi, convex phi -> falls phi -> ~ consistent_at (edge_loss identity phi 3%nat p) p) /\
  (right -> exists phi, usual phi /\ consistent_at (edge_loss identity phi 3%nat p) p).
Proof.
  intros HD a N D1 D2 D3 D4 Back right; pose proof (one_order p HD D1 D2 D3 D4) as HA.
  assert (P : forall i j, 0 <= a i j) by (intros; apply (aggregate_nonneg 3), HD).
  pose proof (P 1%nat 0%nat); pose proof (P 2%nat 1%nat); unfold difference in D1, D2.
  destruct (exact_set (a 0%nat 1%nat) (a 0%nat 2%nat) (a 1%nat 0%nat) (a 1%nat 2%nat) (a 2%nat 0%nat) (a 2%nat 1%nat))
    as [W R]; try lra; auto.
  assert (V : forall phi alpha, edge_loss identity phi 3%nat p alpha = six_edges phi (a 0%nat 1%nat) (a 0%nat 2%nat)
    (a 1%nat 0%nat) (a 1%nat 2%nat) (a 2%nat 0%nat) (a 2%nat 1%nat) alpha + (a 0%nat 0%nat + a 1%nat 1%nat +
    a 2%nat 2%nat) * phi 0).
  { intros; rewrite edge_loss_risk by apply distribution_well_formed, HD; unfold risk, six_edges, four_edges; cbn [sum].
    fold a; replace (alpha 0%nat - alpha 0%nat) with 0 by ring; replace (alpha 1%nat - alpha 1%nat) with 0 by ring.
    replace (alpha 2%nat - alpha 2%nat) with 0 by ring; ring. }
  unfold right, N, net_wins, difference; cbn [sum]; clear D3 D4; split.
  - intros Cond phi C F; apply not_and_or in Cond; apply matched; intros alpha Ha.
    destruct (W ltac:(destruct Cond; [left | right]; lra) phi alpha C F (proj1 (HA _) Ha)) as (beta & M & K);
      exists beta; rewrite !V; split; [intros Hb; apply M, HA, Hb | lra].
  - intros Cond; destruct R as (phi & U & c & (x & Hx) & K); [intros [? | ?]; lra | tauto |]; exists phi.
    split; [exact U |]; exists (c + (a 0%nat 0%nat + a 1%nat 1%nat + a 2%nat 2%nat) * phi 0).
    split; [exists x; rewrite V; lra |].
    intros alpha M; rewrite V; specialize (K alpha (fun O => M (proj2 (HA alpha) O))); lra.
Qed.

(* --- Four items -------------------------------------------------------------------------------------------- *)

(* Weights whose differences are those of 4, 3, 1, 0: items 1 and 2 tied above 3 and 4 cost no more than any order. *)
Definition four_weights : matrix := fun i j => match i, j with 0%nat, 1%nat => 1 | 0%nat, 2%nat => 3
  | 0%nat, 3%nat => 8 | 1%nat, 2%nat => 2 | 1%nat, 3%nat => 3 | 2%nat, 3%nat => 1 | 3%nat, 0%nat => 4 | _, _ => 0 end.
Definition is_four_weights (a : matrix) := forall i j, (i < 4)%nat -> (j < 4)%nat -> a i j = four_weights i j.
Theorem no_loss_on_four_items : (exists p, is_distribution 4 p /\ is_four_weights (aggregate p)) /\
  forall p, is_distribution 4 p -> is_four_weights (aggregate p) -> additive 4%nat (aggregate p) /\
  forall phi, convex phi -> falls phi -> ~ consistent_at (edge_loss identity phi 4%nat p) p.
Proof.
  split; [exists (of_matrix 4 four_weights); split; [apply of_matrix_distribution |]; intros i j Hi Hj;
    apply aggregate_of_matrix; auto; destruct i as [| [| [| [| i]]]], j as [| [| [| [| j]]]]; cbn; lra || lia |].
  intros p HD Ha; set (y := fun i : nat => match i with 0%nat => 4 | 1%nat => 3 | 2%nat => 1 | _ => 0 end).
  assert (D : forall i j, (i < 4)%nat -> (j < 4)%nat -> diff p i j = y i - y j).
  { intros i j Hi Hj; unfold difference; rewrite !Ha by assumption.
    destruct i as [| [| [| [| i]]]], j as [| [| [| [| j]]]]; try lia; cbn; lra. }
  split; [exists y; exact D |]; intros phi C F; apply matched; intros alpha HA.
  assert (O : forall i j, (i < j)%nat -> (j < 4)%nat -> 0 < y i - y j -> alpha j < alpha i).
  { intros i j L Hj P; apply (A_strict 4 p y i j alpha HD); auto; [| rewrite D by lia; exact P].
    intros k l Hk Hl; rewrite D by assumption; lra. }
  pose proof (O 0%nat 1%nat ltac:(lia) ltac:(lia) ltac:(cbn; lra)); pose proof (O 1%nat 2%nat ltac:(lia) ltac:(lia)
    ltac:(cbn; lra)); pose proof (O 2%nat 3%nat ltac:(lia) ltac:(lia) ltac:(cbn; lra)).
  set (e := alpha 0%nat - alpha 1%nat + (alpha 2%nat - alpha 3%nat)).
  set (q := alpha 1%nat - alpha 2%nat + 11 / 16 * e).
  set (beta := fun i : nat => match i with 0%nat | 1%nat => q | _ => 0 end); exists beta; split.
  - intros HB; apply (A_strict 4 p y 0 1 beta HD) in HB; try lia; [cbn in HB; lra | | rewrite D by lia; cbn; lra].
    intros k l Hk Hl; rewrite D by assumption; lra.
  - rewrite !edge_loss_risk by apply distribution_well_formed, HD; unfold risk; cbn [sum]; rewrite !Ha by lia.
    unfold beta; cbn [four_weights]; rewrite !Rminus_0_r, !Rminus_0_l, !Rminus_diag_eq by reflexivity.
    destruct F as (x & Hx & Lx).
    destruct (subgradient_exists phi q C) as (s & S), (subgradient_exists phi 0 C) as (z & Z),
      (subgradient_exists phi (- q) C) as (w & Wy).
    assert (z < 0) by (specialize (Z x); nra).
    assert (w <= z) by (apply (subgradient_mono phi (- q) 0); auto; unfold q, e; lra).
    pose proof (S (alpha 0%nat - alpha 2%nat)); pose proof (S (alpha 1%nat - alpha 3%nat)).
    pose proof (S (alpha 1%nat - alpha 2%nat)); pose proof (S (alpha 0%nat - alpha 3%nat)).
    pose proof (Z (alpha 0%nat - alpha 1%nat)); pose proof (Z (alpha 2%nat - alpha 3%nat)).
    pose proof (Wy (alpha 3%nat - alpha 0%nat)).
    assert (0 <= e * (z - 5 / 4 * w)) by (apply Rmult_le_pos; unfold e; lra).
    unfold q, e in *; lra.
Qed.
