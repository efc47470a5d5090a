(* Finite sums, over the items below m and over lists, and their derivatives. *)
From Coq Require Import Bool.
From ConsistencyLab.base Require Import Prelude.
Open Scope R_scope.

(* f 0 + ... + f (m-1) *)
Fixpoint sum (f : nat -> R) (m : nat) : R := match m with O => 0 | S k => sum f k + f k end.
Lemma sum_ext f g m : (forall k, (k < m)%nat -> f k = g k) -> sum f m = sum g m.
Proof. induction m; simpl; intros H; [reflexivity |]. rewrite IHm, (H m) by (try intros; try apply H; lia);
  reflexivity. Qed.
Lemma sum_le f g m : (forall k, (k < m)%nat -> f k <= g k) -> sum f m <= sum g m.
Proof. induction m; simpl; intros H; [lra |].
  assert (sum f m <= sum g m) by (apply IHm; intros; apply H; lia). specialize (H m ltac:(lia)); lra. Qed.
Lemma sum_lt f g m k : (k < m)%nat -> (forall k, (k < m)%nat -> f k <= g k) -> f k < g k -> sum f m < sum g m.
Proof. induction m; simpl; intros K H L; [lia |]. destruct (Nat.eq_dec k m) as [-> | N].
  - assert (sum f m <= sum g m) by (apply sum_le; intros; apply H; lia); lra.
  - assert (sum f m < sum g m) by (apply IHm; [lia | intros; apply H; lia | exact L]).
    specialize (H m ltac:(lia)); lra. Qed.
Lemma sum_zero m : sum (fun _ => 0) m = 0.
Proof. induction m; simpl; lra. Qed.
Lemma sum_of_zeros f m : (forall k, (k < m)%nat -> f k = 0) -> sum f m = 0.
Proof. intros H; rewrite (sum_ext f (fun _ => 0) m H); apply sum_zero. Qed.
Lemma sum_shift f m : sum f (S m) = f 0%nat + sum (fun k => f (S k)) m.
Proof. induction m; [cbn; ring |]; cbn [sum] in *; rewrite IHm; ring. Qed.
Lemma sum_const c m : sum (fun _ => c) m = INR m * c.
Proof. induction m; [cbn; ring |]; rewrite S_INR; cbn; rewrite IHm; ring. Qed.
Lemma sum_plus f g m : sum (fun k => f k + g k) m = sum f m + sum g m.
Proof. induction m; simpl; lra. Qed.
Lemma sum_minus f g m : sum (fun k => f k - g k) m = sum f m - sum g m.
Proof. induction m; simpl; lra. Qed.
Lemma sum_scal c f m : sum (fun k => c * f k) m = c * sum f m.
Proof. induction m; simpl; [lra |]. rewrite IHm; lra. Qed.
Lemma sum_opp f m : sum (fun k => - f k) m = - sum f m.
Proof. induction m; simpl; lra. Qed.
Lemma sum_swap f m n : sum (fun i => sum (fun j => f i j) n) m = sum (fun j => sum (fun i => f i j) m) n.
Proof. induction m; simpl; [now rewrite sum_zero |]. rewrite IHm, <- sum_plus; reflexivity. Qed.
Lemma sum_delta f m i : (i < m)%nat -> sum (fun k => if (k =? i)%nat then f k else 0) m = f i.
Proof. induction m; simpl; intros H; [lia |]. destruct (Nat.eqb_spec m i) as [-> | N].
  - rewrite sum_of_zeros; [lra |]; intros k Hk; destruct (Nat.eqb_spec k i); [lia | reflexivity].
  - rewrite IHm by lia; lra. Qed.
Lemma sum_nonneg f m : (forall k, (k < m)%nat -> 0 <= f k) -> 0 <= sum f m.
Proof. intros H; apply Rle_trans with (sum (fun _ => 0) m); [rewrite sum_zero; lra | apply sum_le; exact H]. Qed.
Lemma sum_more f n m : (n <= m)%nat -> (forall k, (k < m)%nat -> 0 <= f k) -> sum f n <= sum f m.
Proof. induction 1; intros H1; [lra |]; cbn; pose proof (H1 m ltac:(lia)); assert (sum f n <= sum f m)
  by (apply IHle; intros; apply H1; lia); lra. Qed.
Lemma sum_few f n m : (n <= m)%nat -> (forall k, (n <= k)%nat -> f k = 0) -> sum f m = sum f n.
Proof. induction 1; intros H1; [reflexivity |]; cbn; rewrite H1, IHle by assumption; ring. Qed.
Lemma sum_derivable (f : nat -> R -> R) (l : nat -> R) t m :
  (forall k, (k < m)%nat -> derivable_pt_lim (f k) t (l k)) ->
  derivable_pt_lim (fun t => sum (fun k => f k t) m) t (sum l m).
Proof. induction m; simpl; intros H; [apply derivable_pt_lim_const |].
  apply derivable_pt_lim_plus; [apply IHm; intros; apply H; lia | apply H; lia]. Qed.

(* The sum of f over a list. *)
Fixpoint total {A} (f : A -> R) (l : list A) : R := match l with [] => 0 | x :: t => f x + total f t end.
Lemma total_sum {A} (f : A -> nat -> R) (l : list A) m :
  total (fun x => sum (f x) m) l = sum (fun k => total (fun x => f x k) l) m.
Proof. induction l; cbn; [now rewrite sum_zero |]. now rewrite IHl, <- sum_plus. Qed.
Lemma total_ext {A} (f g : A -> R) l : Forall (fun x => f x = g x) l -> total f l = total g l.
Proof. induction 1; cbn; congruence. Qed.
Lemma total_scal {A} c (f : A -> R) l : total (fun x => c * f x) l = c * total f l.
Proof. induction l; cbn; [ring |]. rewrite IHl; ring. Qed.
Lemma total_plus {A} (f g : A -> R) l : total (fun x => f x + g x) l = total f l + total g l.
Proof. induction l; cbn; [ring |]. rewrite IHl; ring. Qed.
Lemma total_swap {A B} (f : A -> B -> R) k l :
  total (fun x => total (f x) l) k = total (fun y => total (fun x => f x y) k) l.
Proof. induction k; cbn; [induction l; cbn; lra |]. now rewrite IHk, <- total_plus. Qed.
Lemma total_permutation {A} (f : A -> R) k l : Permutation k l -> total f k = total f l.
Proof. induction 1; cbn; lra. Qed.
Lemma total_eq {A} (f g : A -> R) l : (forall x, f x = g x) -> total f l = total g l.
Proof. intros H; induction l; cbn; [reflexivity |]. now rewrite H, IHl. Qed.
Lemma total_minus {A} (f g : A -> R) l : total (fun x => f x - g x) l = total f l - total g l.
Proof. induction l; cbn; [ring |]. rewrite IHl; ring. Qed.
Lemma total_le {A} (f g : A -> R) l : Forall (fun x => f x <= g x) l -> total f l <= total g l.
Proof. induction 1; cbn; lra. Qed.
Lemma total_nonneg {A} (f : A -> R) l : Forall (fun x => 0 <= f x) l -> 0 <= total f l.
Proof. induction 1; cbn; lra. Qed.
Lemma total_pos {A} (f : A -> R) l : l <> [] -> (forall x, In x l -> 0 < f x) -> 0 < total f l.
Proof.
  destruct l as [| x l]; cbn; intros N H; [congruence |]; pose proof (H x (or_introl eq_refl)).
  assert (0 <= total f l); [| lra]; apply total_nonneg, Forall_forall; intros y I; left; auto.
Qed.
Lemma total_squares {A} (f : A -> R) l : 0 <= total (fun x => (f x)^2) l.
Proof. apply total_nonneg, Forall_forall; intros; apply pow2_ge_0. Qed.
Lemma total_app {A} (f : A -> R) l k : total f (l ++ k) = total f l + total f k.
Proof. induction l; cbn; [ring |]. rewrite IHl; ring. Qed.
Lemma total_map {A B} (f : B -> R) (h : A -> B) l : total f (map h l) = total (fun x => f (h x)) l.
Proof. induction l; cbn; congruence. Qed.
Lemma total_flat_map {A B} (f : B -> R) (h : A -> list B) l : total f (flat_map h l) = total (fun x => total f (h x)) l.
Proof. induction l; cbn; [reflexivity |]. now rewrite total_app, IHl. Qed.
Lemma total_prod {A B} (f : A * B -> R) k l : total f (list_prod k l) = total (fun x => total (fun y => f (x, y)) l) k.
Proof. induction k as [| x k IH]; cbn; [reflexivity |]; now rewrite total_app, IH, total_map. Qed.
Lemma total_filter {A} (f : A -> R) b l : (forall x, b x = false -> f x = 0) -> total f (filter b l) = total f l.
Proof.
  intros H; induction l as [| x l IH]; cbn; [reflexivity |].
  destruct (b x) eqn:E; cbn; rewrite IH; [reflexivity | rewrite (H x E); ring].
Qed.
Lemma total_seq f m : total f (seq 0 m) = sum f m.
Proof. induction m; [reflexivity |]. rewrite seq_S, total_app, IHm; cbn; ring. Qed.

(* A test of all i < m. *)
Definition every (m : nat) (f : nat -> bool) : bool := forallb f (seq 0 m).
Lemma every_spec m f : every m f = true -> forall i, (i < m)%nat -> f i = true.
Proof. intros H i Hi; unfold every in H; rewrite forallb_forall in H; apply H, in_seq; lia. Qed.

(* Some item is on top. *)
Lemma top_item (f : nat -> R) m : (0 < m)%nat -> exists t, (t < m)%nat /\ forall k, (k < m)%nat -> f k <= f t.
Proof.
  induction m as [| m IH]; intros H; [lia |]; destruct (Nat.eq_dec m 0) as [-> | N].
  { exists 0%nat; split; [lia |]; intros k Hk; replace k with 0%nat by lia; lra. }
  destruct (IH ltac:(lia)) as (t & Ht & T), (Rle_lt_dec (f m) (f t)) as [L | L]; [exists t | exists m]; split; try lia.
  all: intros k Hk; destruct (Nat.eq_dec k m) as [-> |]; [lra |]; specialize (T k ltac:(lia)); lra.
Qed.
(* One term of a double sum of nonnegative terms is at most the sum. *)
Lemma sum_term (t : nat -> nat -> R) m i j : (i < m)%nat -> (j < m)%nat ->
  (forall k l, (k < m)%nat -> (l < m)%nat -> 0 <= t k l) -> t i j <= sum (fun k => sum (t k) m) m.
Proof.
  intros Hi Hj T; apply Rle_trans with (sum (t i) m).
  - rewrite <- (sum_delta (t i) m j Hj) at 1; apply sum_le; intros k Hk; destruct (k =? j)%nat; [lra | auto].
  - rewrite <- (sum_delta (fun k => sum (t k) m) m i Hi) at 1; apply sum_le; intros k Hk.
    destruct (k =? i)%nat; [lra | apply sum_nonneg; auto].
Qed.

(* Finitely many bounds have a common one, upper or positive lower, and finitely many things can be chosen. *)
Lemma common_bound (P : nat -> R -> Prop) m : (forall k x y, P k x -> x <= y -> P k y) ->
  (forall k, (k < m)%nat -> exists x, P k x) -> exists x, forall k, (k < m)%nat -> P k x.
Proof.
  intros mono; induction m; intros H; [exists 0; intros; lia |].
  destruct IHm as (x & Hx); [intros; apply H; lia |]; destruct (H m ltac:(lia)) as (y & Hy).
  exists (Rmax x y); intros k Hk; destruct (Nat.eq_dec k m) as [-> | N];
  [apply mono with y; [assumption | apply Rmax_r] | apply mono with x; [apply Hx; lia | apply Rmax_l]].
Qed.
Lemma list_min {A} (Q : A -> R -> Prop) l : (forall k x y, Q k x -> 0 < y <= x -> Q k y) ->
  (forall k, In k l -> exists x, 0 < x /\ Q k x) -> exists x, 0 < x /\ forall k, In k l -> Q k x.
Proof.
  intros mono; induction l as [| k l IH]; intros H; [exists 1; split; [lra | intros ? []] |].
  destruct IH as (x & Px & Hx); [intros; apply H; right; assumption |].
  destruct (H k (or_introl eq_refl)) as (y & Py & Hy).
  pose proof (Rmin_l x y); pose proof (Rmin_r x y); pose proof (Rmin_pos x y Px Py).
  exists (Rmin x y); split; [assumption |]; intros i [<- | Hi];
  [apply mono with y; [assumption | lra] | apply mono with x; [apply Hx, Hi | lra]].
Qed.
Lemma finite_min (Q : nat -> R -> Prop) m : (forall k x y, Q k x -> 0 < y <= x -> Q k y) ->
  (forall k, (k < m)%nat -> exists x, 0 < x /\ Q k x) -> exists x, 0 < x /\ forall k, (k < m)%nat -> Q k x.
Proof.
  intros mono H; destruct (list_min Q (seq 0 m) mono) as (x & Px & Hx); [intros k I; apply H; apply in_seq in I; lia |].
  exists x; split; [exact Px |]; intros k Hk; apply Hx, in_seq; lia.
Qed.
Lemma finite_min_2 (Q : nat -> nat -> R -> Prop) m : (forall i j x y, Q i j x -> 0 < y <= x -> Q i j y) ->
  (forall i j, (i < m)%nat -> (j < m)%nat -> exists x, 0 < x /\ Q i j x) ->
  exists x, 0 < x /\ forall i, (i < m)%nat -> forall j, (j < m)%nat -> Q i j x.
Proof.
  intros mono H; apply (finite_min (fun i x => forall j, (j < m)%nat -> Q i j x)); [intros; eapply mono; eauto |].
  intros i Hi; apply finite_min; eauto.
Qed.
Lemma least_positive (f : nat -> nat -> R) m : exists c, 0 < c /\
  forall i, (i < m)%nat -> forall j, (j < m)%nat -> 0 < f i j -> c <= f i j.
Proof.
  apply finite_min_2; [intros i j x y H L V; specialize (H V); lra |].
  intros i j _ _; destruct (Rlt_le_dec 0 (f i j)); [exists (f i j) | exists 1]; split; intros; lra.
Qed.
Lemma least_gap (v : nat -> R) m : exists c, 0 < c /\
  forall i, (i < m)%nat -> forall j, (j < m)%nat -> v j < v i -> v j + c <= v i.
Proof.
  destruct (least_positive (fun i j => v i - v j) m) as (c & Hc & H); exists c; split; [exact Hc |].
  intros i Hi j Hj L; specialize (H i Hi j Hj ltac:(lra)); lra.
Qed.
Lemma finite_choice {U} (u : U) (Q : nat -> U -> Prop) k :
  (forall i, (i < k)%nat -> exists x, Q i x) -> exists X, forall i, (i < k)%nat -> Q i (X i).
Proof.
  induction k; intros H; [exists (fun _ => u); intros; lia |].
  destruct IHk as (X & HX); [intros; apply H; lia |]; destruct (H k ltac:(lia)) as (x & Hx).
  exists (fun i => if (i =? k)%nat then x else X i); intros i Hi.
  destruct (Nat.eqb_spec i k) as [-> | N]; [assumption | apply HX; lia].
Qed.
