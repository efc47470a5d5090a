(* hinge-additive-3items-578dc29e.json: certainly a minimizer of W ties items so that another order of them is wrong.
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
  (1 # 2, [Prefer 0 1 2; Prefer 0 2 6; Prefer 1 2 2]);
  (1 # 2, [Prefer 2 0 2]) ])%Q.
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
Definition learned : list Q := [1; 1; 0]%Q.
Definition best : list Q := [3; 2; 1]%Q.
Definition atoms : list atom := edge_atoms (fun w => w) Hinge p.
Lemma risk alpha : edge_loss identity hinge m (real p) alpha = risk_of atoms alpha.
Proof. apply edge_risk; [exact hinge_value | exact identity_q]. Qed.

(* Slopes of the loss at these scores, an atom each. *)
Definition slopes : list Q := [(-1); 0; (-1); (-1)]%Q.
(* The scores minimize the risk, and are outside A(p). *)
Theorem replayed : is_distribution m (real p) /\
  acyclic_differences m (aggregate (real p)) /\
  low_noise m (aggregate (real p)) /\
  additive m (aggregate (real p)) /\
  net_order m (aggregate (real p)) /\
  rows_in_order m (aggregate (real p)) /\
  (forall alpha, edge_loss identity hinge m (real p) (point learned) <=
    edge_loss identity hinge m (real p) alpha) /\
  ~ A (real p) (point learned) /\ ~ consistent_at (edge_loss identity hinge m (real p)) (real p).
Proof.
  split; [exact p_distribution |].
  split; [exact is_acyclic_differences |].
  split; [exact is_low_noise |].
  split; [exact is_additive |].
  split; [exact is_net_order |].
  split; [exact is_rows_in_order |].
  apply (minimum_refutes m p _ atoms learned slopes best risk); vm_compute; reflexivity.
Qed.
