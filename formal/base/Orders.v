(* Orders of the items 0, ..., r-1: the permutations of Ramaswamy, Agarwal and Tewari, "Convex Calibrated
   Surrogates for Low-Rank Loss Matrices with Applications to Subset Ranking Losses" (NIPS 2013), called RAT13
   below; and bubble sort: an order is optimal if no exchange of neighbors towards it costs anything. *)
From ConsistencyLab.base Require Import Prelude Sums.
Open Scope R_scope.

(* A permutation sigma is the list of the items from first to last; sigma(i) is the place of item i, counted from 1. *)
Definition ranking (r : nat) (l : list nat) := Permutation (seq 0 r) l.
Fixpoint place (l : list nat) (i : nat) : nat :=
  match l with [] => 1%nat | x :: t => if (x =? i)%nat then 1%nat else S (place t i) end.
(* No item has a larger value than one before it. *)
Definition sorted_by (v : nat -> R) := StronglySorted (fun i j => v j <= v i).
(* What sorting u may return, however ties are broken. *)
Definition sorts (r : nat) (u : nat -> R) (l : list nat) := ranking r l /\ sorted_by u l.

Lemma sorted_later {A} (R : A -> A -> Prop) x y b : forall a, StronglySorted R (a ++ x :: b) -> In y b -> R x y.
Proof.
  induction a as [| z a IH]; cbn; intros S I; inversion S as [| ? ? St Sx]; subst; [| auto].
  rewrite Forall_forall in Sx; exact (Sx y I).
Qed.
Lemma ranking_in r l i : ranking r l -> In i l <-> (i < r)%nat.
Proof.
  intros P; split; intros H; [apply (Permutation_in i (Permutation_sym P)), in_seq in H; lia |].
  apply (Permutation_in i P), in_seq; lia.
Qed.
Lemma ranking_nodup r l : ranking r l -> NoDup l.
Proof. intros P; apply (Permutation_NoDup P), seq_NoDup. Qed.
Lemma total_ranking f r l : ranking r l -> total f l = sum f r.
Proof. intros P; rewrite <- (total_permutation _ _ _ P); apply total_seq. Qed.

Lemma place_first i l : place (i :: l) i = 1%nat.
Proof. cbn; now rewrite Nat.eqb_refl. Qed.
Lemma place_at a i b : NoDup (a ++ i :: b) -> place (a ++ i :: b) i = S (length a).
Proof.
  intros D; apply NoDup_remove_2 in D; induction a as [| x a IH]; cbn; [now rewrite Nat.eqb_refl |].
  destruct (Nat.eqb_spec x i) as [-> |]; [destruct D; left; reflexivity | rewrite IH; [reflexivity | cbn in D; tauto]].
Qed.
Lemma place_before a l i : In i a -> (place (a ++ l) i <= length a)%nat.
Proof.
  induction a as [| x a IH]; cbn; [tauto |]; destruct (Nat.eqb_spec x i); [lia |].
  intros [| I]; [tauto | specialize (IH I); lia].
Qed.
Lemma place_positive l i : (1 <= place l i)%nat.
Proof. destruct l; cbn; [lia | destruct (_ =? _)%nat; lia]. Qed.
Lemma place_injective l i j : In i l -> place l i = place l j -> i = j.
Proof.
  induction l as [| x l IH]; cbn; [tauto |]; pose proof (place_positive l i); pose proof (place_positive l j).
  destruct (Nat.eqb_spec x i), (Nat.eqb_spec x j); intros [] E; try congruence; try lia; auto.
Qed.
Lemma places_sorted v l : NoDup l ->
  (forall i j, In i l -> In j l -> v j < v i -> (place l i < place l j)%nat) -> sorted_by v l.
Proof.
  induction 1 as [| x l N D IH]; intros H; constructor.
  - apply IH; intros i j Hi Hj L; pose proof (H i j (or_intror Hi) (or_intror Hj) L) as P; cbn in P.
    destruct (Nat.eqb_spec x i), (Nat.eqb_spec x j); subst; try tauto; lia.
  - apply Forall_forall; intros j Hj; apply Rnot_lt_le; intros L.
    pose proof (H j x (or_intror Hj) (or_introl eq_refl) L) as P; rewrite place_first in P.
    pose proof (place_positive (x :: l) j); lia.
Qed.
(* As RAT13 says it: u_i > u_j implies sigma(i) < sigma(j). *)
Lemma sorted_places u l i j : sorted_by u l -> In i l -> In j l -> u j < u i -> (place l i < place l j)%nat.
Proof.
  induction 1 as [| x l S IH F]; cbn; [tauto |]; rewrite Forall_forall in F; pose proof (place_positive l j).
  destruct (Nat.eqb_spec x i), (Nat.eqb_spec x j); intros Hi Hj L; subst; try lia; try lra.
  - destruct Hi as [| Hi]; [tauto | specialize (F i Hi); lra].
  - destruct Hi, Hj; try tauto; specialize (IH ltac:(assumption) ltac:(assumption) L); lia.
Qed.
Lemma places_sort r u l : ranking r l ->
  (forall i j, (i < r)%nat -> (j < r)%nat -> u j < u i -> (place l i < place l j)%nat) -> sorted_by u l.
Proof.
  intros P H; apply places_sorted; [exact (ranking_nodup r l P) |].
  intros i j Hi Hj; apply H; now apply (ranking_in r l).
Qed.
Lemma sorts_places r u l : sorts r u l <-> ranking r l /\
  forall i j, (i < r)%nat -> (j < r)%nat -> u j < u i -> (place l i < place l j)%nat.
Proof.
  split; intros [P H]; (split; [exact P |]).
  - intros i j Hi Hj; apply sorted_places; [exact H | now apply (ranking_in r l) ..].
  - apply (places_sort r u l P H).
Qed.

(* Some order sorts any u. *)
Lemma exists_sorted {A} (key : A -> R) l : exists k, Permutation l k /\ StronglySorted (fun x y => key x <= key y) k.
Proof.
  induction l as [| x l (k & P & S)]; [exists []; split; constructor |].
  enough (exists k', Permutation (x :: k) k' /\ StronglySorted (fun x y => key x <= key y) k') as (k' & P' & S')
    by (exists k'; split; [apply Permutation_trans with (x :: k); [now apply perm_skip | exact P'] | exact S']).
  clear P; induction S as [| y k S (k' & P & S') F].
  - exists [x]; split; [apply Permutation_refl | repeat constructor].
  - destruct (Rle_lt_dec (key x) (key y)) as [L | L].
    + exists (x :: y :: k); split; [apply Permutation_refl |].
      constructor; [now constructor | constructor; [exact L |]].
      eapply Forall_impl; [| exact F]; intros z Hz; cbn in Hz; lra.
    + exists (y :: k'); split; [eapply Permutation_trans; [apply perm_swap | now apply perm_skip] |].
      constructor; [exact S' |]; apply (Permutation_Forall P); constructor; [lra | exact F].
Qed.
Lemma sorts_exists r u : exists l, sorts r u l.
Proof.
  destruct (exists_sorted (fun i => - u i) (seq 0 r)) as (l & P & S); exists l; split; [exact P |]; clear P.
  induction S as [| i l S IH F]; constructor; [exact IH |]; eapply Forall_impl; [| exact F]; cbn; intros; lra.
Qed.

(* There are finitely many orders. *)
Fixpoint words (r n : nat) : list (list nat) :=
  match n with O => [[]] | S n => flat_map (fun i => map (cons i) (words r n)) (seq 0 r) end.
Lemma ranking_word r l : ranking r l -> In l (words r r).
Proof.
  intros P; rewrite <- (seq_length r 0) at 2; rewrite (Permutation_length P).
  assert (H : Forall (fun i => (i < r)%nat) l) by (apply Forall_forall; intros i Hi; now apply (ranking_in r l)).
  clear P; induction H as [| i l Hi _ IH]; cbn; [left; reflexivity |].
  apply in_flat_map; exists i; split; [apply in_seq; lia | apply in_map, IH].
Qed.

(* Values that move by less than half of every gap keep their order. *)
Lemma order_kept r (v : nat -> R) : exists e, 0 < e /\ forall w, (forall i, (i < r)%nat -> Rabs (w i - v i) < e) ->
  forall i j, (i < r)%nat -> (j < r)%nat -> v j < v i -> w j < w i.
Proof.
  destruct (least_gap v r) as (c & Hc & H); exists (c / 2); split; [lra |]; intros w W i j Hi Hj V; specialize (H i Hi j Hj V).
  pose proof (Rabs_def2 _ _ (W i Hi)); pose proof (Rabs_def2 _ _ (W j Hj)); lra.
Qed.
(* Of two items whose values allow it, sorting may put either first. *)
Lemma sorts_before r u i j : (i < r)%nat -> (j < r)%nat -> i <> j -> u i <= u j ->
  exists l, sorts r u l /\ (place l j < place l i)%nat.
Proof.
  intros Hi Hj N C; destruct (order_kept r u) as (e & He & K); set (v := fun k => if (k =? j)%nat then u j + e / 2 else u k).
  destruct (sorts_exists r v) as (l & So); apply sorts_places in So; destruct So as [P S]; exists l; split.
  - apply sorts_places; split; [exact P |]; intros k n Hk Hn L; apply S, K; try assumption; intros x _; unfold v.
    destruct (Nat.eqb_spec x j) as [-> |]; apply Rabs_def1; lra.
  - apply S; try assumption; unfold v; rewrite Nat.eqb_refl; destruct (Nat.eqb_spec i j); [contradiction | lra].
Qed.

(* --- Bubble sort ---------------------------------------------------------------------------------------- *)

(* If exchanging neighbors j, i that stand the wrong way round never costs more, no order costs less than s,
   in which each item stands the right way round with every later one. *)
Section BubbleSort.
Variables (right : nat -> nat -> Prop) (cost : list nat -> R) (s : list nat).
Hypothesis exchange : forall a i j b, right i j -> Permutation s (a ++ i :: j :: b) ->
  cost (a ++ i :: j :: b) <= cost (a ++ j :: i :: b).
Lemma to_front x b : forall a front, Forall (right x) a -> Permutation s (front ++ x :: a ++ b) ->
  cost (front ++ x :: a ++ b) <= cost (front ++ a ++ x :: b).
Proof.
  induction a as [| y a IH]; intros front H P; [right; reflexivity |]; inversion H as [| ? ? Hy Ha]; subst; cbn in *.
  eapply Rle_trans; [apply exchange; [exact Hy | exact P] |].
  specialize (IH (front ++ [y]) Ha); rewrite <- !app_assoc in IH; apply IH; cbn.
  eapply Permutation_trans; [exact P | apply Permutation_app_head, perm_swap].
Qed.
Theorem bubble_sort : StronglySorted right s -> forall l, Permutation s l -> cost s <= cost l.
Proof.
  intros So l; assert (H : forall t, StronglySorted right t -> forall front l, Permutation s (front ++ t) ->
    Permutation t l -> cost (front ++ t) <= cost (front ++ l)).
  { clear So l; induction 1 as [| x t St IH Hx]; intros front l Ps P;
      [apply Permutation_nil in P; subst; right; reflexivity |].
    destruct (in_split x l) as (a & b & ->); [apply (Permutation_in x P); left; reflexivity |].
    apply Permutation_cons_app_inv in P.
    apply Rle_trans with (cost (front ++ x :: a ++ b)).
    - specialize (IH (front ++ [x]) (a ++ b)); rewrite <- !app_assoc in IH; apply IH; assumption.
    - apply to_front.
      + apply Forall_forall; intros y Hy; rewrite Forall_forall in Hx.
        apply Hx, (Permutation_in y (Permutation_sym P)), in_or_app; auto.
      + eapply Permutation_trans; [exact Ps | apply Permutation_app_head, perm_skip, P]. }
  apply (H s So []); apply Permutation_refl.
Qed.
End BubbleSort.
(* If exchanging neighbors in the wrong order costs less, a best order is sorted. *)
Theorem only_sorted v (cost : list nat -> R) l :
  (forall a i j b, l = a ++ i :: j :: b -> v i < v j -> cost (a ++ j :: i :: b) < cost (a ++ i :: j :: b)) ->
  (forall l', Permutation l l' -> cost l <= cost l') -> sorted_by v l.
Proof.
  intros Less Best; apply Sorted_StronglySorted; [intros i j k; lra |].
  assert (H : forall t a, l = a ++ t -> Sorted (fun i j => v j <= v i) t); [| exact (H l [] eq_refl)].
  induction t as [| i t IH]; intros a E; constructor.
  - apply (IH (a ++ [i])); rewrite <- app_assoc; exact E.
  - destruct t as [| j t]; constructor; apply Rnot_lt_le; intros L; specialize (Less a i j t E L).
    rewrite <- E in Less; specialize (Best (a ++ j :: i :: t)); rewrite E in Best at 1.
    specialize (Best (Permutation_app_head a (perm_swap j i t))); lra.
Qed.
