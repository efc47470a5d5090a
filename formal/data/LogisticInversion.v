(* logistic-additive-3items-ca20d338.json: whatever comes near the infimum of W is certainly outside A(p).
   Written by consistency-lab export. Its items are
   0 = 1,
   1 = 2,
   2 = 3. *)
From Coq Require Import Reals QArith Qreals List.
From ConsistencyLab.base Require Import Ranking Scalars.
From ConsistencyLab.check Require Import Rationals Risks.
Import ListNotations.
Open Scope R_scope.

Definition m : nat := 3.
(* Each graph with its probability. *)
Definition p : profile := ([
  (1 # 2, [Prefer 0 1 6; Prefer 0 2 16; Prefer 1 2 2]);
  (1 # 2, [Prefer 2 0 8]) ])%Q.
(* Along the edges of each graph these ranks rise. *)
Definition ranks : list (list nat) := [[0; 1; 2]; [1; 0; 0]]%nat.
Lemma p_distribution : is_distribution m (real p).
Proof. apply (profile_sound m p ranks); vm_compute; reflexivity. Qed.
Lemma is_acyclic_differences : acyclic_differences m (aggregate (real p)).
Proof. apply (acyclic_sound m (entry (weights m p)) _ (entry_R m p) [0; 1; 2]%nat); vm_compute; reflexivity. Qed.
Lemma is_low_noise : low_noise m (aggregate (real p)).
Proof. apply (low_noise_sound m (entry (weights m p)) _ (entry_R m p)); vm_compute; reflexivity. Qed.
Lemma is_additive : additive m (aggregate (real p)).
Proof. apply (additive_sound m (entry (weights m p)) _ (entry_R m p)); vm_compute; reflexivity. Qed.
Lemma is_net_order : net_order m (aggregate (real p)).
Proof. apply (net_order_sound m (entry (weights m p)) _ (entry_R m p)); vm_compute; reflexivity. Qed.
Lemma is_rows_in_order : rows_in_order m (aggregate (real p)).
Proof. apply (rows_sound m (entry (weights m p)) _ (entry_R m p)); vm_compute; reflexivity. Qed.

(* The scores, those of a best order, and the risk as a sum of atoms. *)
Definition learned : list Q := [(4 # 5); (-3 # 5); (-1 # 5)]%Q.
Definition best : list Q := [3; 2; 1]%Q.
Definition atoms : list atom := edge_atoms (fun w => w) Logistic p.
Lemma risk alpha : edge_loss identity logistic m (real p) alpha = risk_of atoms alpha.
Proof. apply edge_risk; [exact logistic_value | exact identity_q]. Qed.

(* Numbers that the losses at these scores are at most, and a gap. *)
Definition guesses : list Q := [(3697991 # 16777216); (5255661 # 16777216); (15317855 # 16777216); (22032877 # 16777216)]%Q.
Definition gap : Q := (143259 # 2500000)%Q.
(* For each pair that the scores order: lines below the atoms, which bound the risk where it is otherwise. *)
Definition bounds : list bound := ([
  Bound 2 1 [Support (-27 # 100) (-21966967 # 16777216) (-2639985 # 8388608);
    Support (-211 # 800) (-11179947 # 8388608) (-1284235 # 4194304);
    Support (-1 # 2) (-11629079 # 16777216) (-11629079 # 16777216);
    Support (-73 # 100) (-2639985 # 8388608) (-21966967 # 16777216)] ])%Q.
Definition steps : list (nat * nat * nat) := []%nat.
(* Whatever comes as near to the infimum as the gap is outside A(p). *)
Theorem replayed : is_distribution m (real p) /\
  acyclic_differences m (aggregate (real p)) /\
  low_noise m (aggregate (real p)) /\
  additive m (aggregate (real p)) /\
  net_order m (aggregate (real p)) /\
  rows_in_order m (aggregate (real p)) /\
  0 < Q2R gap /\
  (forall alpha, edge_loss identity logistic m (real p) alpha <
    edge_loss identity logistic m (real p) (point learned) + Q2R gap -> ~ A (real p) alpha) /\
  ~ consistent_at (edge_loss identity logistic m (real p)) (real p).
Proof.
  split; [exact p_distribution |].
  split; [exact is_acyclic_differences |].
  split; [exact is_low_noise |].
  split; [exact is_additive |].
  split; [exact is_net_order |].
  split; [exact is_rows_in_order |].
  apply (separation_refutes 24 m p _ atoms learned guesses gap bounds steps best p_distribution risk);
    vm_compute; reflexivity.
Qed.
