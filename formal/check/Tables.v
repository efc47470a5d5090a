(* Checkers of consistency for labels, with rational numbers: what orders lose is compared by enclosures of the numbers
   in a table. They are proved sound, and computed by vm_compute. *)
From Coq Require Import ZArith QArith Qpower Qround Qreals Bool.
From ConsistencyLab.base Require Import Prelude Sums Ranking Convex Scalars Orders Labels.
From ConsistencyLab.theorems Require Import Means.
From ConsistencyLab.check Require Import Rationals.
Open Scope R_scope.

(* --- Numbers as tables state them, and enclosures ------------------------------------------------------- *)

(* Log a b is log a / log b, as in a discount; Exp is e to the power of a whole number. *)
Inductive number := Num (q : Q) | Log (a b : positive) | Exp (k : nat)
  | Add (x y : number) | Sub (x y : number) | Mul (x y : number) | Div (x y : number).
Declare Scope number_scope.
Delimit Scope number_scope with number.
Infix "+" := Add (only parsing) : number_scope.
Infix "-" := Sub (only parsing) : number_scope.
Infix "*" := Mul (only parsing) : number_scope.
Infix "/" := Div (only parsing) : number_scope.
Fixpoint value (x : number) : R := match x with
  | Num q => Q2R q | Log a b => ln (IZR (Zpos a)) / ln (IZR (Zpos b)) | Exp k => exp (INR k)
  | Add x y => value x + value y | Sub x y => value x - value y
  | Mul x y => value x * value y | Div x y => value x / value y end.

Definition range := option (Q * Q).
Definition within (r : range) (x : R) := match r with Some (l, h) => Q2R l <= x <= Q2R h | None => True end.
(* The number of times that a goes into x. *)
Fixpoint times (fuel : nat) (a power x : Z) (count : nat) : nat := match fuel with
  | O => count | S fuel => if (power * a <=? x)%Z then times fuel a (power * a) x (S count) else count end.
Definition digits : nat := 512.
(* Whole powers compare logarithms: a^512 between b^k and b^(k+1). *)
Definition log_range (a b : positive) : range :=
  let x := (Zpos a ^ Z.of_nat digits)%Z in let k := times 4096 (Zpos b) 1 x 0 in
  if (1 <? Zpos b)%Z then if (Zpos b ^ Z.of_nat k <=? x)%Z then if (x <=? Zpos b ^ Z.of_nat k)%Z
    then Some (Qred (Z.of_nat k # 512), Qred (Z.of_nat k # 512))
    else if (x <=? Zpos b ^ Z.of_nat (S k))%Z then Some (Z.of_nat k # 512, Z.of_nat (S k) # 512)
    else None else None else None.
(* (1 + k/128)^128 <= e^k <= (1 - k/128)^-128 *)
Definition down (x : Q) : Q := (Qfloor (x * 4096) # 4096).
Definition up (x : Q) : Q := (Qceiling (x * 4096) # 4096).
Definition exp_range (k : nat) : range := if (k <? 128)%nat
  then Some (down (Qpower (1 + (Z.of_nat k # 128)) 128), up (Qpower (/ (1 - (Z.of_nat k # 128))) 128)) else None.
Definition both_ranges (r s : range) (op : Q * Q -> Q * Q -> range) : range :=
  match r, s with Some a, Some b => op a b | _, _ => None end.
Definition add_range (a b : Q * Q) : range := Some (Qred (fst a + fst b), Qred (snd a + snd b)).
Definition sub_range (a b : Q * Q) : range := Some (Qred (fst a - snd b), Qred (snd a - fst b)).
(* Products and quotients of nonnegative numbers. *)
Definition mul_range (a b : Q * Q) : range :=
  if Qle_bool 0 (fst a) then if Qle_bool 0 (fst b) then Some (Qred (fst a * fst b), Qred (snd a * snd b))
  else None else None.
Definition div_range (a b : Q * Q) : range :=
  if Qle_bool 0 (fst a) then if Qle_bool (fst b) 0 then None else Some (Qred (fst a / snd b), Qred (snd a / fst b))
  else None.
Fixpoint enclose (x : number) : range := match x with
  | Num q => Some (q, q) | Log a b => log_range a b | Exp k => exp_range k
  | Add x y => both_ranges (enclose x) (enclose y) add_range
  | Sub x y => both_ranges (enclose x) (enclose y) sub_range
  | Mul x y => both_ranges (enclose x) (enclose y) mul_range
  | Div x y => both_ranges (enclose x) (enclose y) div_range end.

Lemma Qlt_real a b : Qle_bool b a = false -> Q2R a < Q2R b.
Proof. intros H; apply Qlt_Rlt, Qnot_le_lt; intros C; apply Qle_bool_iff in C; congruence. Qed.
Lemma Q2R_make a b : Q2R (a # b) = IZR a / IZR (Zpos b).
Proof. reflexivity. Qed.
Lemma Q2R_power q k : Q2R (Qpower q (Zpos k)) = Q2R q ^ Pos.to_nat k.
Proof.
  cbn [Qpower]; induction k using Pos.peano_ind; [cbn [Qpower_positive pow_pos]; symmetry; apply pow_1 |].
  rewrite Pos2Nat.inj_succ; cbn [pow]; rewrite <- IHk.
  transitivity (Q2R (q * Qpower_positive q k)); [apply Qeq_eqR | apply Q2R_mult].
  rewrite <- Pos.add_1_l, Qpower_plus_positive; reflexivity.
Qed.
Lemma ln_pow_Z a n : (0 < a)%Z -> ln (IZR (a ^ Z.of_nat n)) = INR n * ln (IZR a).
Proof. intros P; rewrite <- pow_IZR; apply ln_pow, IZR_lt, P. Qed.
Lemma log_sound a b : within (log_range a b) (ln (IZR (Zpos a)) / ln (IZR (Zpos b))).
Proof.
  unfold log_range; set (k := times _ _ _ _ _); clearbody k; cbv zeta.
  destruct (Z.ltb_spec 1 (Zpos b)) as [B |]; [| exact I].
  assert (LB : 0 < ln (IZR (Zpos b))) by (rewrite <- ln_1; apply ln_increasing; [lra | apply IZR_lt, B]).
  assert (mono : forall x y, (0 < x)%Z -> (x <= y)%Z -> ln (IZR x) <= ln (IZR y)).
  { intros x y X H; apply IZR_lt in X; apply IZR_le in H; destruct H as [H | H]; [left; apply ln_increasing;
    assumption | right; now rewrite H]. }
  assert (D : INR digits = 512) by (unfold digits; rewrite INR_IZR_INZ; reflexivity).
  assert (K : IZR (Z.of_nat k) = INR k) by (symmetry; apply INR_IZR_INZ).
  assert (E : ln (IZR (Zpos a)) / ln (IZR (Zpos b)) * (512 * ln (IZR (Zpos b))) = 512 * ln (IZR (Zpos a)))
    by (field; lra).
  assert (low : forall j r, (Zpos b ^ Z.of_nat j <= r)%Z -> r = (Zpos a ^ Z.of_nat digits)%Z ->
    INR j / 512 <= ln (IZR (Zpos a)) / ln (IZR (Zpos b))).
  { intros j r H ->; apply mono in H; [| apply Z.pow_pos_nonneg; lia]; rewrite !ln_pow_Z, D in H by reflexivity.
    apply (Rmult_le_reg_r (512 * ln (IZR (Zpos b)))); lra. }
  assert (high : forall j, (Zpos a ^ Z.of_nat digits <= Zpos b ^ Z.of_nat j)%Z ->
    ln (IZR (Zpos a)) / ln (IZR (Zpos b)) <= INR j / 512).
  { intros j H; apply mono in H; [| apply Z.pow_pos_nonneg; lia]; rewrite !ln_pow_Z, D in H by reflexivity.
    apply (Rmult_le_reg_r (512 * ln (IZR (Zpos b)))); lra. }
  destruct (Z.leb_spec (Zpos b ^ Z.of_nat k) (Zpos a ^ Z.of_nat digits)) as [L |]; [| exact I].
  destruct (Z.leb_spec (Zpos a ^ Z.of_nat digits) (Zpos b ^ Z.of_nat k)) as [H |]; [cbn [within]; rewrite !qred_R |].
  - rewrite Q2R_make, K; split; [apply (low k _ L eq_refl) | apply high, H].
  - destruct (Z.leb_spec (Zpos a ^ Z.of_nat digits) (Zpos b ^ Z.of_nat (S k))) as [U |]; [| exact I].
    cbn [within]; rewrite !Q2R_make, K, <- INR_IZR_INZ; split; [apply (low k _ L eq_refl) | apply high, U].
Qed.
Lemma rounded x : Q2R (down x) <= Q2R x <= Q2R (up x).
Proof.
  unfold down, up; pose proof (Qfloor_le (x * 4096)) as L; pose proof (Qle_ceiling (x * 4096)) as U.
  apply Qle_Rle in L, U; unfold inject_Z in L, U; rewrite Q2R_mult, !Q2R_Z in L, U.
  rewrite !Q2R_make; lra.
Qed.
Lemma exp_sound k : within (exp_range k) (exp (INR k)).
Proof.
  unfold exp_range; destruct (Nat.ltb_spec k 128) as [K |]; [| exact I]; unfold within.
  set (x := INR k / 128); assert (E : exp (INR k) = exp x ^ 128).
  { rewrite <- Rpower_pow by apply exp_pos; unfold Rpower; rewrite ln_exp; f_equal; unfold x.
    rewrite (INR_IZR_INZ 128); cbn; field. }
  assert (X : Q2R (Z.of_nat k # 128) = x) by (rewrite Q2R_make, <- INR_IZR_INZ; reflexivity).
  assert (X0 : 0 <= x < 1).
  { apply lt_INR in K; rewrite (INR_IZR_INZ 128) in K; cbn in K; pose proof (pos_INR k); unfold x; lra. }
  rewrite E; split; [eapply Rle_trans; [apply (proj1 (rounded _)) |] | eapply Rle_trans; [| apply (proj2 (rounded _))]];
    rewrite Q2R_power; change (Pos.to_nat 128) with 128%nat; apply pow_incr.
  - rewrite Q2R_plus, X, Q2R_1; pose proof (exp_ineq1_le x); lra.
  - rewrite Q2R_inv, Q2R_minus, X, Q2R_1 by (intros C; apply Qeq_eqR in C; rewrite Q2R_minus, X, Q2R_1,
    Q2R_0 in C; lra).
    pose proof (exp_pos x); split; [lra |].
    pose proof (exp_ineq1_le (- x)) as L; rewrite exp_Ropp in L.
    rewrite <- (Rinv_inv (exp x)); apply Rinv_le_contravar; lra.
Qed.
Theorem enclose_sound x : within (enclose x) (value x).
Proof.
  induction x as [q | a b | k | x IHx y IHy | x IHx y IHy | x IHx y IHy | x IHx y IHy]; cbn [enclose value];
    [cbn; lra | apply log_sound | apply exp_sound | ..];
    destruct (enclose x) as [[a b] |]; try exact I; destruct (enclose y) as [[c d] |]; try exact I;
    cbn [both_ranges within] in *; unfold add_range, sub_range, mul_range, div_range; cbn [fst snd].
  - cbn [within]; rewrite !qred_R, !Q2R_plus; lra.
  - cbn [within]; rewrite !qred_R, !Q2R_minus; lra.
  - destruct (Qle_bool 0 a) eqn:A; [| exact I]; destruct (Qle_bool 0 c) eqn:C; [| exact I].
    apply qle_R in A, C; rewrite Q2R_0 in A, C; cbn [within]; rewrite !qred_R, !Q2R_mult.
    split; apply Rmult_le_compat; lra.
  - destruct (Qle_bool 0 a) eqn:A; [| exact I]; destruct (Qle_bool c 0) eqn:C; [exact I |].
    apply qle_R in A; apply Qlt_real in C; rewrite Q2R_0 in A, C; cbn [within]; rewrite !qred_R.
    assert (N : forall z, 0 < Q2R z -> ~ (z == 0)%Q) by (intros z P E; apply Qeq_eqR in E; rewrite Q2R_0 in E; lra).
    rewrite !Q2R_div by (apply N; lra).
    split; unfold Rdiv; apply Rmult_le_compat; try lra; try (left; apply Rinv_0_lt_compat; lra);
      apply Rinv_le_contravar; lra.
Qed.

(* --- Tables: probabilities of labels, and numbers of each label ----------------------------------------- *)

Definition at_label (ps : list Q) (y : nat) : R := Q2R (nth y ps 0%Q).
Definition entry (table : list (list number)) (y k : nat) : R := value (nth k (nth y table []) (Num 0)).
Definition at_number (table : list (list number)) y k : range := enclose (nth k (nth y table []) (Num 0)).
Fixpoint Qtotal {A} (f : A -> Q) (l : list A) : Q := match l with [] => 0%Q | x :: t => Qred (f x + Qtotal f t) end.
Lemma Qtotal_sound {A} (f : A -> Q) l : Q2R (Qtotal f l) = total (fun x => Q2R (f x)) l.
Proof. induction l; cbn [Qtotal total]; [apply Q2R_0 |]; now rewrite qred_R, Q2R_plus, IHl. Qed.

Definition probabilities_check (ps : list Q) : bool :=
  if every (length ps) (fun y => negb (Qle_bool (nth y ps 0%Q) 0)) then Qeq_bool (Qtotal (fun x => x) ps) 1 else false.
Lemma sum_nth (l : list Q) (f : Q -> R) : sum (fun y => f (nth y l 0%Q)) (length l) = total f l.
Proof. induction l as [| x l IH]; [reflexivity |]; cbn [length total]; rewrite sum_shift, <- IH; reflexivity. Qed.
Theorem probabilities_sound ps : probabilities_check ps = true -> probabilities (length ps) (at_label ps).
Proof.
  unfold probabilities_check; intros S; tests S; split.
  - intros y Y; pose proof (every_spec _ _ T y Y) as P; cbv beta in P; apply negb_true_iff, Qlt_real in P.
    rewrite Q2R_0 in P; exact P.
  - unfold at_label; rewrite (sum_nth ps Q2R), <- Qtotal_sound, <- Q2R_1; apply Qeq_eqR, Qeq_bool_iff, S.
Qed.

(* The mean of numbers of the labels, each within a range: both bounds, unless a range is missing. *)
Fixpoint mean_range (ps : list Q) (rs : list range) : range := match ps, rs with
  | [], _ => Some (0%Q, 0%Q)
  | p :: ps, Some (l, h) :: rs => both_ranges (Some (Qred (p * l), Qred (p * h))) (mean_range ps rs) add_range
  | _, _ => None end.
Lemma mean_range_sound ps : Forall (fun p => 0 < Q2R p) ps -> forall rs (f : nat -> R),
  (forall y, (y < length ps)%nat -> within (nth y rs None) (f y)) ->
  within (mean_range ps rs) (sum (fun y => at_label ps y * f y) (length ps)).
Proof.
  intros P; induction P as [| p ps Pp _ IH]; intros rs f H; [cbn; rewrite Q2R_0; lra |].
  destruct rs as [| [[l h] |] rs]; try exact I; cbn [mean_range length].
  rewrite sum_shift; change (within (both_ranges (Some (Qred (p * l), Qred (p * h))) (mean_range ps rs) add_range)
    (Q2R p * f 0%nat + sum (fun y => at_label ps y * f (S y)) (length ps))).
  specialize (IH rs (fun y => f (S y)) (fun y Y => H (S y) ltac:(cbn; lia))).
  pose proof (H 0%nat ltac:(cbn; lia)) as H0; cbn in H0.
  destruct (mean_range ps rs) as [[c d] |]; [| exact I]; cbn [both_ranges add_range within fst snd] in *.
  rewrite !qred_R, !Q2R_plus, !qred_R, !Q2R_mult.
  assert (Q2R p * Q2R l <= Q2R p * f 0%nat <= Q2R p * Q2R h) by (split; apply Rmult_le_compat_l; lra); lra.
Qed.
Lemma probabilities_positive ps : probabilities (length ps) (at_label ps) -> Forall (fun p => 0 < Q2R p) ps.
Proof. intros [P _]; apply Forall_nth; intros i d H; rewrite (nth_indep _ d 0%Q H); apply P, H. Qed.

(* --- What sorting may return, and what it costs --------------------------------------------------------- *)

(* Whether P holds of every order in which no item stands above one that is certainly larger. *)
Fixpoint all_sorted (larger : nat -> nat -> bool) (fuel : nat) (above rest : list nat) (P : list nat -> bool) : bool :=
  match fuel with
  | O => P (rev above)
  | S fuel => forallb (fun i => if existsb (fun j => larger j i) rest then true
      else all_sorted larger fuel (i :: above) (remove_one i rest) P) rest end.
Lemma all_sorted_sound larger (v : scores) m P : (forall i j, (i < m)%nat -> (j < m)%nat ->
  larger i j = true -> v j < v i) -> forall t above rest, (forall i, In i t -> (i < m)%nat) -> Permutation rest t ->
    StronglySorted (fun i j => v j <= v i) t ->
  all_sorted larger (length t) above rest P = true -> P (rev above ++ t) = true.
Proof.
  intros H; induction t as [| i t IH]; intros above rest B E S C; cbn in C; [now rewrite app_nil_r |].
  inversion S as [| ? ? St F]; subst; rewrite forallb_forall in C; rewrite Forall_forall in F.
  assert (I : In i rest) by (apply (Permutation_in i (Permutation_sym E)); left; reflexivity).
  specialize (C i I); destruct (existsb _ rest) eqn:X.
  - exfalso; apply existsb_exists in X; destruct X as (j & J & L); apply (Permutation_in j E) in J.
    apply H in L; [| apply B; exact J | apply B; left; reflexivity].
    destruct J as [<- | J]; [| specialize (F j J)]; lra.
  - change (rev above ++ i :: t) with (rev above ++ [i] ++ t); rewrite app_assoc.
    apply (IH (i :: above) (remove_one i rest)); auto; [intros j J; apply B; right; exact J |].
    apply Permutation_cons_inv with i; rewrite <- E; symmetry; apply remove_one_permutation, I.
Qed.
Definition certainly_below (r s : range) : bool :=
  match r, s with Some (_, h), Some (l, _) => negb (Qle_bool l h) | _, _ => false end.
Lemma certainly_below_sound r s x y : within r x -> within s y -> certainly_below r s = true -> x < y.
Proof.
  destruct r as [[a b] |], s as [[c d] |]; try discriminate; cbn; intros X Y H; apply negb_true_iff, Qlt_real in H; lra.
Qed.

(* The predictions of a table of losses, and that a target has these losses. *)
Definition stated (n : nat) (predictions : list (list nat)) (losses : list (list number)) (L : target) :=
  forall y k, (y < n)%nat -> (k < length predictions)%nat -> L y (nth k predictions []) = entry losses y k.
Definition costs_more ps losses b k : bool :=
  certainly_below (mean_range ps (map (fun y => both_ranges (at_number losses y b) (at_number losses y k) sub_range)
    (seq 0 (length ps)))) (Some (0%Q, 0%Q)).
Definition worse_check ps predictions losses b t : bool :=
  existsb (fun k => if list_eq_dec Nat.eq_dec (nth k predictions []) t then costs_more ps losses b k else false)
    (seq 0 (length predictions)).
Lemma worse_sound ps predictions losses b t L : probabilities (length ps) (at_label ps) ->
  (b < length predictions)%nat -> stated (length ps) predictions losses L ->
  worse_check ps predictions losses b t = true ->
  cost (length ps) (at_label ps) L (nth b predictions []) < cost (length ps) (at_label ps) L t.
Proof.
  intros D B St H; apply existsb_exists in H; destruct H as (k & K & H); apply in_seq in K.
  destruct (list_eq_dec _ _ _) as [<- |]; [| discriminate]; unfold costs_more in H.
  eapply certainly_below_sound in H;
    [| apply (mean_range_sound ps (probabilities_positive ps D) _ (fun y => L y (nth b predictions []) - L y
      (nth k predictions [])))
     | cbn; rewrite Q2R_0; split; apply Rle_refl].
  - unfold cost; rewrite (sum_ext _ (fun y => at_label ps y * L y (nth b predictions []) - at_label ps y *
      L y (nth k predictions []))), sum_minus in H by (intros; ring); lra.
  - intros y Y; rewrite nth_map_seq, !St by (exact Y || lia || exact B).
    pose proof (enclose_sound (nth b (nth y losses []) (Num 0))) as E1.
    pose proof (enclose_sound (nth k (nth y losses []) (Num 0))) as E2.
    unfold at_number, entry in *; destruct (enclose (nth b _ _)) as [[a1 b1] |]; [| exact I].
    destruct (enclose (nth k _ _)) as [[a2 b2] |]; [| exact I]; cbn [both_ranges sub_range within fst snd] in *.
    rewrite !qred_R, !Q2R_minus; lra.
Qed.
Definition order_check (m : nat) (t : list nat) : bool :=
  if (length t =? m)%nat then if list_eq_dec Nat.eq_dec (nodup Nat.eq_dec t) t then forallb (fun i => i <? m)%nat t
  else false else false.
Lemma order_sound m t : order_check m t = true -> ranking m t.
Proof.
  unfold order_check, ranking; destruct (Nat.eqb_spec (length t) m) as [E |]; [| discriminate].
  destruct (list_eq_dec _ _ _) as [N |]; [| discriminate]; rewrite forallb_forall; intros B; symmetry.
  apply NoDup_Permutation_bis; [rewrite <- N; apply NoDup_nodup | rewrite seq_length; lia |].
  intros i I; apply in_seq; specialize (B i I); apply Nat.ltb_lt in B; lia.
Qed.

(* The scores v are known by the ranges vs; every order that sorts them costs more than the prediction of number b. *)
Definition strict_check (m : nat) ps predictions losses b (vs : nat -> range) : bool :=
  if order_check m (nth b predictions []) then if (b <? length predictions)%nat then let rs := map vs (seq 0 m) in
    all_sorted (fun i j => certainly_below (nth j rs None) (nth i rs None)) m [] (seq 0 m)
      (worse_check ps predictions losses b) else false else false.
Section Sound.
Variables (X : Type) (m : nat) (ps : list Q) (predictions : list (list nat)) (losses : list (list number)) (b : nat).
Variables (vs : nat -> range) (show : X -> scores) (psi : nat -> X -> R) (v : scores).
Hypothesis prob : probabilities (length ps) (at_label ps).
Hypothesis known : forall k, (k < m)%nat -> within (vs k) (v k).
Hypothesis near : reached m show (label_risk (length ps) (at_label ps) psi) v.
Theorem strict_sound : strict_check m ps predictions losses b vs = true ->
  forall L, stated (length ps) predictions losses L -> forall decode, sorting m show decode ->
  ~ calibrated_at (length ps) m (at_label ps) L psi decode.
Proof.
  unfold strict_check; intros C L St; tests C; rename T into O, T0 into B; apply order_sound in O.
  apply (strictly_wrong X _ m _ L psi show v (nth b predictions []) near O); intros t [P S].
  apply (worse_sound ps predictions losses b t L prob B St).
  set (rs := map vs (seq 0 m)) in C.
  apply (all_sorted_sound (fun i j => certainly_below (nth j rs None) (nth i rs None)) v m
    (worse_check ps predictions losses b)) with (above := []) (rest := seq 0 m) (t := t); auto.
  - intros i j Hi Hj; unfold rs; rewrite !nth_map_seq by assumption; apply certainly_below_sound; auto.
  - intros i; apply order_bound, P.
  - rewrite <- (Permutation_length P), seq_length; exact C.
Qed.
(* A tie: scores that are known exactly, and one order that sorts them. *)
Fixpoint goes_down (le : nat -> nat -> bool) (t : list nat) : bool :=
  match t with [] => true | i :: s => if forallb (fun j => le j i) s then goes_down le s else false end.
Definition tie_check (qs : nat -> Q) k : bool :=
  if order_check m (nth b predictions []) then if (b <? length predictions)%nat then
    if order_check m (nth k predictions []) then if goes_down (fun j i => Qle_bool (qs j) (qs i)) (nth k predictions [])
    then worse_check ps predictions losses b (nth k predictions []) else false else false else false else false.
Theorem tie_sound qs k : (forall k, v k = Q2R (qs k)) -> tie_check qs k = true ->
  forall L, stated (length ps) predictions losses L ->
  ~ calibrated_at (length ps) m (at_label ps) L psi (fun x => sorts m (show x)).
Proof.
  intros V; unfold tie_check; intros C L St; tests C; rename T into O, T0 into B, T1 into K, T2 into So.
  apply order_sound in O; apply order_sound in K.
  apply (wrong_by_a_tie X _ m _ L psi show v (nth b predictions []) near O); exists (nth k predictions []); split.
  - split; [exact K |]; clear - So V; induction (nth k predictions []) as [| i t IH]; constructor; cbn in So;
      destruct (forallb _ t) eqn:F; try discriminate; [apply IH, So |].
    apply Forall_forall; intros j J; rewrite forallb_forall in F; rewrite !V; apply qle_R, F, J.
  - apply (worse_sound ps predictions losses b _ L prob B St C).
Qed.
End Sound.
