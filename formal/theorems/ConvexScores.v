(* DMJ10 section 2.1, whether or not P = NP: no surrogate that is convex in the m scores is edge-consistent at every p,
   if m >= 4, or if m >= 3 and shifts of all scores cost nothing. There are more pairs than scores: at equal chances of some
   edges and their reverses a linear functional bounds the risk (Hahn-Banach) and vanishes along a change t of these
   chances. So scores near the infimum there are near it at both ends of the change, where opposite orders are right. *)
From Coq Require Import Classical_Prop FunctionalExtensionality.
From ConsistencyLab.base Require Import Prelude Sums Ranking Aggregate Near.
Open Scope R_scope.

(* A convex function of the scores of the items below m; and one that shifts of all scores do not change. *)
Definition convex_in_scores m (f : scores -> R) := (forall x y, (forall i, (i < m)%nat -> x i = y i) -> f x = f y) /\
  forall x y t, 0 <= t <= 1 -> f (fun i => t * x i + (1 - t) * y i) <= t * f x + (1 - t) * f y.
Definition shift_invariant (f : scores -> R) := forall x c, f (fun i => x i + c) = f x.

(* r homogeneous equations in r + 1 unknowns have a solution other than 0. *)
Lemma kernel r : forall u : nat -> nat -> R, exists t, (exists k, (k < S r)%nat /\ t k <> 0) /\
  forall i, (i < r)%nat -> sum (fun k => t k * u k i) (S r) = 0.
Proof.
  induction r as [| r IH]; intros u; [exists (fun _ => 1); split; [exists 0%nat; split; [lia | lra] | lia] |].
  set (ext t c k := if (k =? S r)%nat then c else t k : R).
  assert (E : forall t c i, sum (fun k => ext t c k * u k i) (S (S r)) = sum (fun k => t k * u k i) (S r) + c * u (S r) i).
  { intros t c i; change (sum ?f (S (S r))) with (sum f (S r) + f (S r)); unfold ext; cbv beta; rewrite Nat.eqb_refl.
    f_equal; apply sum_ext; intros k Hk; destruct (Nat.eqb_spec k (S r)); [lia | reflexivity]. }
  destruct (classic (exists i, (i < S r)%nat /\ u (S r) i <> 0)) as [(i & Hi & N) | Z].
  - destruct (IH (fun k j => let j := if (j <? i)%nat then j else S j in u k j - u (S r) j / u (S r) i * u k i))
      as (t & (k & Hk & Nk) & T); exists (ext t (- sum (fun k => t k * u k i) (S r) / u (S r) i)); split.
    { exists k; unfold ext; split; [lia |]; destruct (Nat.eqb_spec k (S r)); [lia | exact Nk]. }
    intros j Hj; rewrite E; destruct (Nat.eq_dec j i) as [-> | Nj]; [field; exact N |].
    assert (X : exists l, (l < r)%nat /\ (if (l <? i)%nat then l else S l) = j) by (destruct (Nat.ltb_spec j i);
      [exists j; destruct (Nat.ltb_spec j i) | exists (pred j); destruct (Nat.ltb_spec (pred j) i)]; lia).
    destruct X as (l & Hl & El); specialize (T l Hl); cbv zeta in T; rewrite El in T.
    rewrite (sum_ext _ (fun k => t k * u k j - u (S r) j / u (S r) i * (t k * u k i))), sum_minus, sum_scal in T
      by (intros; ring); rewrite <- T; field; exact N.
  - exists (ext (fun _ => 0) 1); split; [exists (S r); unfold ext; rewrite Nat.eqb_refl; split; [lia | lra] |].
    intros i Hi; rewrite E, sum_of_zeros by (intros; ring); rewrite Rplus_0_l, Rmult_1_l.
    apply NNPP; intros N; apply Z; exists i; auto.
Qed.

(* Hahn-Banach, one coordinate at a time: if a convex set K, which has a point above each x, has none below (0, 0), a
   linear functional bounds it from below. *)
Theorem linear_bound n : forall K : scores -> R -> Prop,
  (forall x y r s t, K x r -> K y s -> 0 <= t <= 1 -> K (fun i => t * x i + (1 - t) * y i) (t * r + (1 - t) * s)) ->
  (forall x, exists r, K x r) -> (forall x r, (forall i, (i < n)%nat -> x i = 0) -> K x r -> 0 <= r) ->
  exists g, forall x r, K x r -> sum (fun i => g i * x i) n <= r.
Proof.
  induction n as [| n IH]; intros K C Some Zero; [exists (fun _ => 0); intros x r Kx; apply (Zero x r); [lia | exact Kx] |].
  set (In x r := (forall i, (i < n)%nat -> x i = 0) /\ K x r); set (e v := fun i => if (i =? n)%nat then v else 0).
  assert (en : forall v, e v n = v) by (intros; unfold e; now rewrite Nat.eqb_refl).
  assert (Ie : forall v, exists r, In (e v) r).
  { intros v; destruct (Some (e v)) as (r & Kr); exists r; split; [| exact Kr].
    intros i Hi; unfold e; destruct (Nat.eqb_spec i n); [lia | reflexivity]. }
  assert (Apart : forall x y v s, In x (v * x n) -> In y s -> x n < 0 < y n -> v * y n <= s).
  { intros x y v s (Zx & Kx) (Zy & Ky) H; set (t := y n / (y n - x n)).
    assert (Et : t * (y n - x n) = y n) by (unfold t; field; lra); assert (Ht : 0 <= t < 1) by nra.
    assert (P : 0 <= t * (v * x n) + (1 - t) * s); [| pose proof (f_equal (Rmult v) Et); nra].
    refine (Zero _ _ _ (C x y _ s t Kx Ky ltac:(lra))).
    intros i Hi; destruct (Nat.eq_dec i n) as [-> |]; [lra |]; rewrite Zx, Zy by lia; ring. }
  destruct (completeness (fun v => exists x, In x (v * x n) /\ x n < 0)) as (s & Up & Least).
  { destruct (Ie 1) as (r & I1); exists r; intros v (x & Ix & Nx).
    specialize (Apart x (e 1) v r Ix I1); rewrite en in Apart; lra. }
  { destruct (Ie (-1)) as (r & I1); exists (- r), (e (-1)); rewrite en.
    replace (- r * -1) with r by ring; split; [exact I1 | lra]. }
  assert (Below : forall x r, In x r -> s * x n <= r).
  { intros x r Ix; assert (Er : x n <> 0 -> r = r / x n * x n) by (intros; field; assumption).
    destruct (Rtotal_order (x n) 0) as [L | [E | L]].
    - assert (r / x n <= s) by (apply Up; exists x; rewrite <- Er by lra; auto); specialize (Er ltac:(lra)); nra.
    - rewrite E, Rmult_0_r; destruct Ix as (Zx & Kx); apply (Zero x); [| exact Kx].
      intros i Hi; destruct (Nat.eq_dec i n) as [-> |]; [exact E | apply Zx; lia].
    - assert (s <= r / x n); [| specialize (Er ltac:(lra)); nra]; apply Least; intros v (y & Iy & Ny).
      specialize (Apart y x v r Iy Ix (conj Ny L)); specialize (Er ltac:(lra)); nra. }
  destruct (IH (fun x r => K x (r + s * x n))) as (g & G).
  - intros x y r q t Kx Ky Ht; replace (_ + s * _) with (t * (r + s * x n) + (1 - t) * (q + s * y n)) by ring; auto.
  - intros x; destruct (Some x) as (r & Kr); exists (r - s * x n); replace (_ + _) with r by ring; exact Kr.
  - intros x r Zx Kx; pose proof (Below x _ (conj Zx Kx)); lra.
  - exists (fun i => if (i =? n)%nat then s else g i); intros x r Kx; cbn; rewrite Nat.eqb_refl.
    rewrite (sum_ext _ (fun i => g i * x i)) by (intros i Hi; destruct (Nat.eqb_spec i n); [lia | reflexivity]).
    specialize (G x (r - s * x n)); replace (r - s * x n + s * x n) with r in G by ring; specialize (G Kx); lra.
Qed.
Lemma sum_rows f n r : sum f (n * r) = sum (fun k => sum (fun i => f (k * r + i)%nat) r) n.
Proof.
  assert (Add : forall a b, sum f (a + b) = sum f a + sum (fun i => f (a + i)%nat) b).
  { intros a; induction b as [| b IH]; rewrite ?Nat.add_0_r, ?Nat.add_succ_r; cbn; [ring | rewrite IH; ring]. }
  induction n as [| n IH]; [reflexivity |]; cbn [sum]; rewrite <- IH, <- Add; f_equal; lia.
Qed.

(* Convex functions P_k of scores and of a change of them: if their sum has a bound w where nothing changes, it has the
   same along some direction t, whatever the changes t_k y of the first r scores are. *)
Lemma common_direction r w (P : nat -> scores -> scores -> R) (n := S r) :
  (forall k x y x' y' t, (k < n)%nat -> 0 <= t <= 1 -> P k (fun i => t * x i + (1 - t) * x' i)
    (fun i => t * y i + (1 - t) * y' i) <= t * P k x y + (1 - t) * P k x' y') ->
  (forall x, w <= sum (fun k => P k x (fun _ => 0)) n) -> exists t, (exists k, (k < n)%nat /\ t k <> 0) /\
  forall x y, (forall i, (r <= i)%nat -> y i = 0) -> w <= sum (fun k => P k x (fun i => t k * y i)) n.
Proof.
  intros C W; set (row (z : scores) k i := if (i <? r)%nat then z (k * r + i)%nat else 0).
  destruct (linear_bound (n * r) (fun z q => exists x, sum (fun k => P k x (row z k)) n - w <= q)) as (g & G).
  - intros z z' q q' t (x & X) (y & Y) Ht; exists (fun i => t * x i + (1 - t) * y i).
    apply Rle_trans with (sum (fun k => t * P k x (row z k) + (1 - t) * P k y (row z' k)) n - w);
      [| rewrite sum_plus, !sum_scal; nra].
    apply Rplus_le_compat_r, sum_le; intros k Hk; eapply Rle_trans; [| apply C; assumption].
    right; f_equal; extensionality i; unfold row; destruct (i <? r)%nat; ring.
  - intros z; eexists; exists (fun _ => 0); apply Rle_refl.
  - intros z q Z (x & X); specialize (W x); rewrite (sum_ext _ (fun k => P k x (fun _ => 0))) in X; [lra |].
    intros k Hk; f_equal; extensionality i; unfold row; destruct (Nat.ltb_spec i r); [apply Z; nia | reflexivity].
  - destruct (kernel r (fun k i => g (k * r + i)%nat)) as (t & N & T); exists t; split; [exact N |]; intros x y Y.
    set (z j := t (j / r)%nat * y (j mod r)%nat).
    assert (Ez : forall k i, (i < r)%nat -> z (k * r + i)%nat = t k * y i) by (intros k i Hi; unfold z;
      rewrite Nat.div_add_l, Nat.div_small, Nat.add_0_r, Nat.add_comm, Nat.mod_add, Nat.mod_small by lia; reflexivity).
    pose proof (G z _ (ex_intro _ x (Rle_refl _))) as L; rewrite sum_rows in L.
    rewrite (sum_ext (fun k => P k x (row z k)) (fun k => P k x (fun i => t k * y i))) in L.
    + rewrite (sum_ext _ (fun k => sum (fun i => y i * (t k * g (k * r + i)%nat)) r)), sum_swap, sum_of_zeros in L;
        [lra | intros i Hi; rewrite sum_scal, T by exact Hi; ring |].
      intros k _; apply sum_ext; intros i Hi; rewrite Ez by exact Hi; ring.
    + intros k _; f_equal; extensionality i; unfold row; destruct (Nat.ltb_spec i r);
        [apply Ez; assumption | rewrite Y by assumption; ring].
Qed.

(* --- Pairs k of items s_k < d_k, drawn as an edge of weight 1 in either direction --------------------------- *)

Section Pairs.
Variables (m r : nat) (c : R) (s d : nat -> nat) (phi : graph -> scores -> R).
Let n := S r.
Hypothesis range : forall k, (k < n)%nat -> (s k < d k < m)%nat.
Hypothesis once : forall k l, (k < n)%nat -> (l < n)%nat -> s k = s l -> d k = d l -> k = l.
Let u := / (2 * INR n).
Definition drawn (t : scores) : distribution := flat_map (fun k =>
  [(u * (1 + t k), [Edge (s k) (d k) 1]); (u * (1 - t k), [Edge (d k) (s k) 1])]) (seq 0 n).
Lemma u_pos : 0 < u.
Proof. apply Rinv_0_lt_compat; pose proof (lt_0_INR n ltac:(unfold n; lia)); lra. Qed.
Lemma mean_drawn t f : mean (drawn t) f = u * sum (fun k => (1 + t k) * f [Edge (s k) (d k) 1]
  + (1 - t k) * f [Edge (d k) (s k) 1]) n.
Proof. unfold mean, drawn; rewrite total_flat_map, total_seq, <- sum_scal; apply sum_ext; intros; cbn; ring. Qed.
Lemma drawn_distribution t : (forall k, (k < n)%nat -> Rabs (t k) < 1) -> is_distribution m (drawn t).
Proof.
  intros B; split.
  - apply Forall_forall; intros q Hq; apply in_flat_map in Hq; destruct Hq as (k & Hk & Hq); apply in_seq in Hk.
    pose proof (range k ltac:(lia)) as S; pose proof (Rabs_def2 _ _ (B k ltac:(lia))); pose proof u_pos.
    destruct Hq as [<- | [<- | []]]; apply one_edge; lia || lra || (apply Rmult_lt_0_compat; lra).
  - transitivity (mean (drawn t) (fun _ => 1)); [apply total_eq; intros; ring |]; rewrite mean_drawn.
    rewrite (sum_ext _ (fun _ => 2)), sum_const by (intros; ring); unfold u; field; apply not_0_INR; discriminate.
Qed.
(* Scores that are optimal for opposite chances show that t = 0. *)
Lemma opposite t x : A (drawn t) x -> A (drawn (fun k => - t k)) x -> forall k, (k < n)%nat -> t k = 0.
Proof.
  intros A1 A2; set (L y := sum (fun k => t k * wrong y (s k) (d k)) n).
  assert (E : forall v y, loss (drawn v) y = u * sum (fun k => 1 - v k + 2 * (v k * wrong y (s k) (d k))) n).
  { intros v y; unfold loss; rewrite mean_drawn; f_equal; apply sum_ext; intros k Hk; pose proof (range k Hk) as S.
    cbn [total]; change (miss y (Edge ?i ?j 1)) with (wrong y i j); rewrite (wrong_sym y (s k) (d k)) by lia; ring. }
  assert (Same : forall y, L y = L x).
  { intros y; specialize (A1 y); specialize (A2 y); rewrite !E in A1, A2; pose proof u_pos as P.
    apply Rmult_le_reg_l in A1, A2; [| assumption ..]; rewrite !sum_plus, !sum_scal in A1, A2.
    rewrite !(sum_ext (fun k => - t k * _) (fun k => -1 * (t k * wrong _ (s k) (d k)))), !sum_scal in A2 by (intros; ring).
    fold (L x) (L y) in A1, A2; lra. }
  intros k Hk; pose proof (range k Hk) as Sk.
  set (z a b i := if (i =? s k)%nat then a else if (i =? d k)%nat then b else 0 : R).
  enough (L (z 1 2) - L (z 2 1) = t k) by (rewrite (Same (z 1 2)), (Same (z 2 1)) in H; lra).
  unfold L; rewrite <- sum_minus, <- (sum_delta t n k Hk); apply sum_ext; intros l Hl; pose proof (range l Hl) as Sl.
  assert (N : l <> k -> ~ (s l = s k /\ d l = d k)) by (intros Nl (E1 & E2); apply Nl, once; auto).
  unfold wrong, z; rewrite (proj2 (Nat.ltb_lt (s l) (d l))) by lia.
  destruct (Nat.eqb_spec l k) as [-> | Nl]; [rewrite !Nat.eqb_refl | specialize (N Nl)];
    repeat (match goal with |- context [(?i =? ?j)%nat] => destruct (Nat.eqb_spec i j) end); try lia;
    repeat (destruct (Rle_dec _ _)); lra.
Qed.
Hypothesis convex : forall i j, convex_in_scores m (phi [Edge i j 1]).
Hypothesis below : forall i j, bounded_below (phi [Edge i j 1]).
(* The first r scores decide, up to a shift if c = 1. *)
Let cut (x : scores) i := if (i <? r)%nat then x i - c * x r else 0.
Hypothesis local : forall i j x, phi [Edge i j 1] x = phi [Edge i j 1] (cut x).
Lemma wrong_somewhere : exists t, is_distribution m (drawn t) /\
  ~ consistent_at (fun x => mean (drawn t) (fun G => phi G x)) (drawn t).
Proof.
  apply NNPP; intros Never; set (F k := phi [Edge (s k) (d k) 1]); set (H k := phi [Edge (d k) (s k) 1]).
  set (P k (x y : scores) := F k (fun i => x i + y i) + H k (fun i => x i - y i)).
  set (W x := sum (fun k => F k x + H k x) n).
  destruct (infimum_exists W (fun _ => 0)) as (w & Low & Near).
  { unfold W; generalize n as l; induction l as [| l (b & B)]; [exists 0; intros; cbn; lra |].
    destruct (below (s l) (d l)) as (b1 & B1), (below (d l) (s l)) as (b2 & B2); exists (b + (b1 + b2)); intros x.
    specialize (B x); specialize (B1 x); specialize (B2 x); cbn; unfold F, H in *; lra. }
  destruct (common_direction r w P) as (t0 & (k & Hk & Nk) & T).
  { intros k x y x' y' t _ Ht; unfold P.
    pose proof (proj2 (convex (s k) (d k)) (fun i => x i + y i) (fun i => x' i + y' i) t Ht) as CF.
    pose proof (proj2 (convex (d k) (s k)) (fun i => x i - y i) (fun i => x' i - y' i) t Ht) as CH; fold (F k) (H k) in CF, CH.
    eapply Rle_trans; [| eapply Rle_trans; [apply (Rplus_le_compat _ _ _ _ CF CH) | right; ring]].
    right; f_equal; f_equal; extensionality i; ring. }
  { intros x; eapply Rle_trans; [apply Low |]; right; apply sum_ext; intros; unfold P; f_equal; f_equal; extensionality i; ring. }
  destruct (common_bound (fun k b => Rabs (t0 k) < b) n) as (b & B); [intros; lra | intros; eexists; apply Rlt_plus_1 |].
  pose proof (Rle_lt_trans _ _ _ (Rabs_pos _) (B k Hk)) as Pb; set (t k := t0 k / b).
  assert (Bt : forall k, (k < n)%nat -> Rabs (t k) < 1).
  { intros l Hl; unfold t, Rdiv; rewrite Rabs_mult, (Rabs_right (/ b)) by (left; apply Rinv_0_lt_compat, Pb).
    apply Rmult_lt_reg_r with b; [exact Pb |]; rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra; apply B, Hl. }
  assert (D : forall x y, w <= sum (fun k => P k x (fun i => t k * y i)) n).
  { intros x y; eapply Rle_trans; [apply (T x (fun i => / b * cut y i)) |].
    - intros i Hi; unfold cut; rewrite (proj2 (Nat.ltb_ge i r) Hi); ring.
    - right; apply sum_ext; intros l _; unfold P, F, H; rewrite (local (s l) (d l)), (local (d l) (s l)); symmetry.
      rewrite (local (s l) (d l)), (local (d l) (s l)); f_equal; f_equal; extensionality i; unfold cut, t;
        rewrite Nat.ltb_irrefl; destruct (i <? r)%nat; field; lra. }
  (* Opposite changes cost together what p_0 does, and no less anywhere. *)
  set (V v x := mean (drawn v) (fun G => phi G x)); set (t' k := - t k); pose proof u_pos as Pu.
  assert (Sum : forall x, V t x + V t' x = 2 * u * W x).
  { intros x; unfold V, W; rewrite !mean_drawn, <- Rmult_plus_distr_l, <- sum_plus.
    rewrite (Rmult_comm 2), Rmult_assoc, <- (sum_scal 2); f_equal; apply sum_ext; intros; unfold t', F, H; ring. }
  assert (Both : forall x y, 2 * u * w <= V t x + V t' y).
  { intros x y; unfold V; rewrite !mean_drawn, <- Rmult_plus_distr_l, <- sum_plus.
    rewrite (Rmult_comm 2), Rmult_assoc; apply Rmult_le_compat_l; [lra |].
    apply Rle_trans with (sum (fun k => 2 * P k (fun i => (x i + y i) / 2) (fun i => t k * ((x i - y i) / 2))) n);
      [rewrite sum_scal; pose proof (D (fun i => (x i + y i) / 2) (fun i => (x i - y i) / 2)); lra |].
    apply sum_le; intros l Hl; pose proof (Rabs_def2 _ _ (Bt l Hl)).
    pose proof (proj2 (convex (s l) (d l)) x y ((1 + t l) / 2) ltac:(lra)) as CF.
    pose proof (proj2 (convex (d l) (s l)) x y ((1 - t l) / 2) ltac:(lra)) as CH.
    enough (P l (fun i => (x i + y i) / 2) (fun i => t l * ((x i - y i) / 2)) =
      phi [Edge (s l) (d l) 1] (fun i => (1 + t l) / 2 * x i + (1 - (1 + t l) / 2) * y i) +
      phi [Edge (d l) (s l) 1] (fun i => (1 - t l) / 2 * x i + (1 - (1 - t l) / 2) * y i)) by (unfold t'; lra).
    unfold P, F, H; f_equal; f_equal; extensionality i; field. }
  assert (Right : forall v v', (forall k, (k < n)%nat -> Rabs (v k) < 1) -> (forall x, V v x + V v' x = 2 * u * W x) ->
    (forall x y, 2 * u * w <= V v x + V v' y) -> exists e, 0 < e /\ forall x, W x < w + e -> A (drawn v) x).
  { intros v v' Bv S L; pose proof (drawn_distribution v Bv) as Dv.
    destruct (NNPP _ (fun N => Never (ex_intro _ v (conj Dv N)))) as (a & (x & Hx) & Bad); fold (V v x) in Hx.
    exists ((a - V v x) / (2 * u)); split; [apply Rdiv_lt_0_compat; lra |]; intros y Hy; apply NNPP; intros N.
    specialize (Bad y N); fold (V v y) in Bad; specialize (S y); specialize (L x y).
    apply (Rmult_lt_compat_l (2 * u)) in Hy; [| lra].
    replace (2 * u * (w + (a - V v x) / (2 * u))) with (2 * u * w + a - V v x) in Hy by (field; lra); lra. }
  destruct (Right t t' Bt Sum Both) as (e & Pe & R).
  destruct (Right t' t) as (e' & Pe' & R'); [intros; unfold t'; rewrite Rabs_Ropp; auto | intros; rewrite Rplus_comm;
    apply Sum | intros; rewrite Rplus_comm; apply Both |].
  destruct (Near (Rmin e e') (Rmin_pos _ _ Pe Pe')) as (x & Hx); pose proof (Rmin_l e e'); pose proof (Rmin_r e e').
  apply Nk; replace (t0 k) with (t k * b) by (unfold t; field; lra).
  rewrite (opposite t x (R x ltac:(lra)) (R' x ltac:(lra)) k Hk); ring.
Qed.
End Pairs.

Definition lone_edge i j : graph := [Edge i j 1].
(* The pairs 12, 13, ..., 1m, 23, and 24 if shifts matter: more than scores that matter. *)
Theorem no_convex_surrogate m phi :
  (forall i j, convex_in_scores m (phi (lone_edge i j)) /\ bounded_below (phi (lone_edge i j))) ->
  (4 <= m)%nat \/ (3 <= m)%nat /\ (forall i j, shift_invariant (phi (lone_edge i j))) ->
  exists p, is_distribution m p /\ ~ consistent_at (fun alpha => mean p (fun G => phi G alpha)) p.
Proof.
  unfold lone_edge; intros H M; assert (K : exists r c, (S r <= S m)%nat /\ (S r <= m \/ 4 <= m)%nat /\ (3 <= m)%nat /\ forall i j x,
    phi [Edge i j 1] x = phi [Edge i j 1] (fun i => if (i <? r)%nat then x i - c * x r else 0)).
  { destruct M as [M | (M & Shift)].
    - exists m, 0; repeat split; try lia; intros i j x; apply H; intros l Hl.
      rewrite (proj2 (Nat.ltb_lt l m) Hl); ring.
    - exists (pred m), 1; repeat split; try lia; intros i j x; rewrite <- (Shift i j x (- x (pred m))); apply H; intros l Hl.
      destruct (Nat.ltb_spec l (pred m)); [ring | replace l with (pred m) by lia; ring]. }
  destruct K as (r & c & Hr & M' & M3 & Local).
  set (s k := if (S k <? m)%nat then 0%nat else 1%nat); set (d k := if (S k <? m)%nat then S k else (3 + k - m)%nat).
  destruct (wrong_somewhere m r c s d phi) as (t & D & N); [| | apply H .. | exact Local | eauto].
  - intros k Hk; unfold s, d; destruct (Nat.ltb_spec (S k) m); lia.
  - intros k l Hk Hl; unfold s, d; destruct (Nat.ltb_spec (S k) m), (Nat.ltb_spec (S l) m); lia.
Qed.
