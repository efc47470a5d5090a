(* RAT13 Theorem 4 and Corollary 5: mean average precision by sorting, under P_reinforce. *)
From ConsistencyLab.base Require Import Prelude Sums Ranking Orders Calibration.
From ConsistencyLab.theorems Require Import LowRank.
Open Scope R_scope.

(* The MAP loss of relevances y: 1 less the mean over the relevant items i of the share of relevant items
   among the first sigma(i). If no item is relevant, 0/0, it is 1 here, whatever the order. *)
Definition map_loss (r : nat) (y : scores) (l : list nat) :=
  1 - / sum y r * sum (fun i => y i * (/ INR (place l i) * total y (firstn (place l i) l))) r.
(* u_ij = E [Y_i Y_j / sum Y] *)
Definition products (r : nat) (y : scores) : matrix := fun i j => y i * y j / sum y r.
Definition mean_products (r : nat) (p : list (R * scores)) : matrix := fun i j => mean p (fun y => products r y i j).
Definition P_reinforce (r : nat) (p : list (R * scores)) := let u := mean_products r p in
  forall i j, (i < r)%nat -> (j < r)%nat -> u j j <= u i i ->
  u j j + sum (fun g => if ((g =? i) || (g =? j))%bool%nat then 0 else Rmax 0 (u j g - u i g)) r <= u i i.

(* By positions: below the items [above] each item i of l earns the mean of u_ig over the g down to i. *)
Fixpoint earned_products (u : matrix) (above l : list nat) : R := match l with [] => 0 | i :: t =>
  / INR (S (length above)) * total (u i) (above ++ [i]) + earned_products u (above ++ [i]) t end.
Lemma map_by_positions r y l : ranking r l -> map_loss r y l = 1 - earned_products (products r y) [] l.
Proof.
  intros Rl; pose proof (ranking_nodup r l Rl) as D; unfold map_loss; rewrite <- sum_scal, <- (total_ranking _ r l Rl).
  f_equal; assert (H : forall k a, l = a ++ k ->
    total (fun i => / sum y r * (y i * (/ INR (place l i) * total y (firstn (place l i) l)))) k =
    earned_products (products r y) a k); [| apply (H l []); reflexivity].
  induction k as [| i k IH]; intros a E; cbn [total earned_products]; [reflexivity |]; f_equal.
  - assert (P : place l i = S (length a)) by (rewrite E in *; apply place_at, D).
    replace (firstn (place l i) l) with (a ++ [i]).
    + rewrite P, (total_ext (products r y i) (fun j => y i / sum y r * y j))
        by (apply Forall_forall; intros; unfold products, Rdiv; ring); rewrite total_scal; unfold Rdiv; ring.
    + rewrite P, E; change (i :: k) with ([i] ++ k); rewrite app_assoc, firstn_app, app_length; cbn [length].
      rewrite firstn_all2 by (rewrite app_length; cbn; lia).
      replace (S (length a) - (length a + 1))%nat with 0%nat by lia; cbn; now rewrite app_nil_r.
  - apply (IH (a ++ [i])); now rewrite <- app_assoc.
Qed.
Lemma mean_earned p (f : scores -> matrix) l : forall above,
  mean p (fun y => earned_products (f y) above l) = earned_products (fun i j => mean p (fun y => f y i j)) above l.
Proof.
  induction l as [| i l IH]; intros above; cbn [earned_products].
  - unfold mean; rewrite (total_ext _ (fun q => 0 * fst q)), total_scal; [ring |].
    apply Forall_forall; intros; ring.
  - now rewrite mean_plus, mean_scal, mean_total, IH.
Qed.

(* --- Exchanging neighbors ------------------------------------------------------------------------------- *)

Section Exchange.
Variable u : matrix.
Hypothesis symmetric : forall i j, u i j = u j i.
Lemma earned_above l : forall a b, Permutation a b -> earned_products u a l = earned_products u b l.
Proof.
  induction l as [| i l IH]; intros a b P; cbn [earned_products]; [reflexivity |].
  rewrite (Permutation_length P), (total_permutation _ _ _ (Permutation_app_tail [i] P)).
  now rewrite (IH (a ++ [i]) (b ++ [i])) by (now apply Permutation_app_tail).
Qed.
Lemma earned_app a : forall above l k, earned_products u above (a ++ l) - earned_products u above (a ++ k) =
  earned_products u (above ++ a) l - earned_products u (above ++ a) k.
Proof.
  induction a as [| i a IH]; intros above l k; cbn [app earned_products]; [now rewrite app_nil_r |].
  specialize (IH (above ++ [i]) l k); rewrite <- app_assoc in IH; cbn in IH; lra.
Qed.
(* i before j earns this much more, below the items of a. *)
Lemma exchange_products a i j b (n := length a) :
  earned_products u [] (a ++ i :: j :: b) - earned_products u [] (a ++ j :: i :: b) =
  (/ INR (S n) - / INR (S (S n))) * (u i i - u j j - total (fun g => u j g - u i g) a).
Proof.
  rewrite earned_app; cbn [app earned_products].
  rewrite (earned_above b ((a ++ [i]) ++ [j]) ((a ++ [j]) ++ [i]))
    by (rewrite <- !app_assoc; apply Permutation_app_head, perm_swap).
  rewrite !total_app, !app_length; cbn [total length].
  assert (E : total (fun g => u j g - u i g) a = total (u j) a - total (u i) a).
  { rewrite (total_ext _ (fun g => u j g + -1 * u i g)) by (apply Forall_forall; intros; ring).
    rewrite total_plus, total_scal; ring. }
  rewrite E, (symmetric j i); replace (length a + 1)%nat with (S n) by (unfold n; lia); fold n; ring.
Qed.
End Exchange.
(* Under P_reinforce every order sorted by the diagonal is best. *)
Lemma reinforced_best r p l : is_law p -> P_reinforce r p -> ranking r l ->
  sorted_by (fun i => mean_products r p i i) l -> best (map_loss r) (ranking r) p l.
Proof.
  intros law Rf Rl So; split; [exact Rl |]; intros s Rs.
  unfold P_reinforce in Rf; cbv zeta in Rf; set (u := mean_products r p) in *.
  assert (Sy : forall i j, u i j = u j i)
    by (intros; unfold u, mean_products; apply mean_ext; intros; unfold products, Rdiv; ring).
  assert (E : forall k, ranking r k -> mean p (fun y => map_loss r y k) = 1 - earned_products u [] k).
  { intros k Rk; rewrite (mean_ext p _ _ (fun y => map_by_positions r y k Rk)).
    now rewrite mean_minus, mean_const, mean_earned by exact law. }
  rewrite (E l Rl), (E s Rs); apply Rplus_le_compat_l.
  apply (bubble_sort (fun i j => u j j <= u i i) (fun k => - earned_products u [] k) l);
    [| exact So | exact (Permutation_trans (Permutation_sym Rl) Rs)].
  intros a i j b L P; pose proof (Permutation_trans Rl P) as Rk; fold (ranking r (a ++ i :: j :: b)) in Rk.
  pose proof (exchange_products u Sy a i j b) as X; set (n := length a) in *.
  assert (Hi : (i < r)%nat) by (apply (ranking_in r _ i Rk), in_or_app; right; left; reflexivity).
  assert (Hj : (j < r)%nat) by (apply (ranking_in r _ j Rk), in_or_app; right; right; left; reflexivity).
  specialize (Rf i j Hi Hj L).
  assert (A : total (fun g => u j g - u i g) a <= u i i - u j j).
  { set (h := fun g => if ((g =? i) || (g =? j))%bool%nat then 0 else Rmax 0 (u j g - u i g)).
    assert (H0 : forall g, 0 <= h g) by (intros g; unfold h; destruct (_ || _)%bool; [lra | apply Rmax_l]).
    enough (total (fun g => u j g - u i g) a <= sum h r) by (unfold h in *; lra).
    rewrite <- (total_ranking h r _ Rk), total_app; cbn [total].
    pose proof (total_nonneg h b (proj2 (Forall_forall _ _) (fun g _ => H0 g))).
    enough (total (fun g => u j g - u i g) a <= total h a) by (pose proof (H0 i); pose proof (H0 j); lra).
    apply total_le, Forall_forall; intros g Hg; unfold h; pose proof (ranking_nodup r _ Rk) as D.
    destruct (Nat.eqb_spec g i) as [-> |]; [apply NoDup_remove_2 in D; destruct D; apply in_or_app; auto |].
    destruct (Nat.eqb_spec g j) as [-> |]; [| apply Rmax_r].
    change (i :: j :: b) with ([i] ++ j :: b) in D; rewrite app_assoc in D; apply NoDup_remove_2 in D.
    destruct D; apply in_or_app; left; apply in_or_app; auto. }
  assert (I : / INR (S (S n)) <= / INR (S n)).
  { apply Rinv_le_contravar; [apply lt_0_INR; lia | apply le_INR; lia]. }
  nra.
Qed.

(* --- By pairs ------------------------------------------------------------------------------------------- *)

(* The coordinates u_ij, i >= j, and 1/max(sigma(i), sigma(j)). *)
Definition lower (r : nat) : list (nat * nat) := flat_map (fun i => map (pair i) (seq 0 (S i))) (seq 0 r).
Definition depth (l : list nat) (e : nat * nat) := / INR (Nat.max (place l (fst e)) (place l (snd e))).
Section Pairs.
Variable w : matrix.
Hypothesis symmetric : forall i j, w i j = w j i.
Lemma triangle n : 2 * sum (fun i => sum (w i) (S i)) n = sum (fun i => sum (w i) n + w i i) n.
Proof.
  induction n as [| n IH]; [cbn; ring |]; cbn [sum] in *.
  rewrite (sum_ext (fun i => sum (w i) n + w i n + w i i) (fun i => (sum (w i) n + w i i) + w n i))
    by (intros i _; rewrite (symmetric n i); ring).
  rewrite (sum_plus (fun i => sum (w i) n + w i i) (w n)); lra.
Qed.
End Pairs.
Lemma map_by_pairs u r l : (forall i j, u i j = u j i) -> ranking r l ->
  dot (lower r) (fun e => u (fst e) (snd e)) (depth l) = earned_products u [] l.
Proof.
  intros Sy Rl; set (w := fun i j => u i j * depth l (i, j)).
  assert (Sw : forall i j, w i j = w j i) by (intros; unfold w, depth; cbn; now rewrite Sy, Nat.max_comm).
  assert (L : dot (lower r) (fun e => u (fst e) (snd e)) (depth l) = sum (fun i => sum (w i) (S i)) r).
  { unfold dot, lower; rewrite total_flat_map, total_seq; apply sum_ext; intros i _.
    now rewrite total_map, total_seq. }
  enough (2 * earned_products u [] l = total (fun i => total (w i) l + w i i) l) as E.
  { rewrite L; pose proof (triangle w Sw r) as T.
    rewrite (total_ranking _ r l Rl), (sum_ext _ (fun i => sum (w i) r + w i i)) in E; [lra |].
    intros i _; now rewrite (total_ranking (w i) r l Rl). }
  assert (H : forall k a, l = a ++ k -> total (fun i => total (w i) l + w i i) l =
    total (fun i => total (w i) a + w i i) a + 2 * earned_products u a k); [| now rewrite (H l [] eq_refl); cbn; ring].
  induction k as [| i k IH]; intros a E; cbn [earned_products]; [rewrite E, app_nil_r; ring |].
  rewrite (IH (a ++ [i])) by (now rewrite <- app_assoc); rewrite total_app; cbn [total].
  assert (P : place l i = S (length a)) by (pose proof (ranking_nodup r l Rl) as D; rewrite E in *; apply place_at, D).
  assert (X : / INR (S (length a)) * total (u i) (a ++ [i]) = total (w i) a + w i i).
  { rewrite total_app; cbn [total]; unfold w, depth; cbn [fst snd]; rewrite P, Nat.max_id.
    rewrite (total_ext (fun g => u i g * / INR (Nat.max (S (length a)) (place l g)))
      (fun g => / INR (S (length a)) * u i g)); [rewrite total_scal; ring |].
    apply Forall_forall; intros g Hg; rewrite Nat.max_l; [ring |].
    rewrite E; pose proof (place_before a (i :: k) g Hg); lia. }
  rewrite X, (total_eq (fun g => total (w g) (a ++ [i]) + w g g) (fun g => total (w g) a + w g g + w i g));
    [| intros g; rewrite total_app; cbn [total]; rewrite (Sw i g); ring].
  rewrite total_plus, total_app; cbn [total]; ring.
Qed.

(* --- The theorems --------------------------------------------------------------------------------------- *)

(* By Theorem 3 a decoder is right for every p: it takes u to an order in which the sum of the
   u_ij / max(sigma(i), sigma(j)) is largest. *)
Corollary map_calibrated r pred : (forall u, ranking r (pred u) /\ forall l, ranking r l ->
    dot (lower r) u (depth l) <= dot (lower r) u (depth (pred u))) ->
  calibrated (map_loss r) (ranking r) (fun _ => True)
    (squares (lower r) (fun y e => products r y (fst e) (snd e))) pred.
Proof.
  intros Pred; assert (Neg : forall u l, dot (lower r) u (fun e => - depth l e) = - dot (lower r) u (depth l)).
  { intros u l; unfold dot; rewrite (total_eq _ (fun e => -1 * (u e * depth l e))), total_scal; intros; ring. }
  apply (rat13_theorem_3 _ _ _ (lower r) _ (fun l e => - depth l e) (fun _ => 1) (fun _ => 0)) with (words r r).
  - intros y l Rl; rewrite map_by_positions, Neg, map_by_pairs by
      (assumption || (intros; unfold products, Rdiv; ring)); ring.
  - apply ranking_word.
  - intros u; destruct (Pred u) as [Rl H]; split; [exact Rl |]; intros l Rk; specialize (H l Rk).
    rewrite !Neg; lra.
Qed.
(* pred_MAP sorts the diagonal: u_ii > u_jj implies sigma(i) < sigma(j). *)
Theorem rat13_theorem_4 r pred : (forall u : nat * nat -> R, sorts r (fun i => u (i, i)) (pred u)) ->
  calibrated (map_loss r) (ranking r) (P_reinforce r)
    (squares (lower r) (fun y e => products r y (fst e) (snd e))) pred.
Proof.
  intros So; apply (calibrated_by _ _ _ _ (fun u => sorts r (fun i => u (i, i)))); [| exact So].
  apply (calibrated_sorting _ _ _ _ r (fun i => (i, i))).
  - intros k Hk; apply in_flat_map; exists k; split; [apply in_seq; lia | apply in_map, in_seq; lia].
  - intros p l law Rf [Rl S]; apply reinforced_best; assumption.
Qed.
(* With labels of 0 and 1 the diagonal alone is enough. *)
Definition binary (r : nat) (p : list (R * scores)) :=
  Forall (fun q => forall i, (i < r)%nat -> snd q i = 0 \/ snd q i = 1) p.
Corollary rat13_corollary_5 r pred : (forall u, sorts r u (pred u)) ->
  calibrated (map_loss r) (ranking r) (fun p => binary r p /\ P_reinforce r p)
    (squares (seq 0 r) (fun y i => y i / sum y r)) pred.
Proof.
  intros So; apply (calibrated_by _ _ _ _ (sorts r)); [| exact So]; apply (calibrated_sorting _ _ _ _ r (fun i => i)).
  - intros i Hi; apply in_seq; lia.
  - intros p l law [Bin Rf] S; apply sorts_places in S; destruct S as [Rl S]; apply reinforced_best; [assumption .. |].
    apply (places_sort r _ _ Rl); intros i j Hi Hj L; apply S; [assumption .. |].
    enough (E : forall k, (k < r)%nat -> mean_products r p k k = mean p (fun y => y k / sum y r))
      by (rewrite <- !E by assumption; exact L).
    intros k Hk; apply total_ext; eapply Forall_impl; [| exact Bin]; intros [w y] B; unfold products; cbn [fst snd] in *.
    destruct (B k Hk) as [-> | ->]; unfold Rdiv; ring.
Qed.
