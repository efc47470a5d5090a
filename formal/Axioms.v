(* The headline theorems with what they say and the axioms they rest on. `make` compares what this file prints with
   axioms.txt. *)
From Coq Require Import Reals ZArith List Permutation.
From ConsistencyLab.base Require Import Sums Ranking Convex Scalars Descent Aggregate Near Labels.
From ConsistencyLab.theorems Require Import Means Luce.
From ConsistencyLab.check Require Import Tables Atoms MeansOfTables.
From ConsistencyLab.theorems Require Import Domination Addition Lemma10 Theorems11and12 Theorem13 AsPrinted BradleyTerry Hinge HingeThreeItems Gains Differences.
From ConsistencyLab.check Require Import Counts.
From ConsistencyLab.data Require SanFrancisco HingeTie HingeInversion SquaredHinge SoftmaxNDCG ApproximateNDCG.
Set Printing Width 110.
Open Scope R_scope.
Check @lemma_16.
Check @lemma_10.
Check @theorem_11.
Check @theorem_11_additive.
Check @theorem_12.
Check @theorem_12_additive.
Check @theorem_13.
Check @corollary_15.
Check @linear_low_noise.
Check @linear_not_acyclic.
Check @theorem_13_as_printed_is_false.
Check @corollary_15_as_printed_is_false.
Check @theorem_11_printed_choice.
Check @theorem_12_printed_weights.
Check @lemma_14.
Check @D_separated.
Check @D_minimizer.
Check @R_separated.
Check @R_minimizer.
Check @consistent_low_noise_balanced.
Check @consistent_transitive_product.
Check @consistent_bipartite.
Check @consistent_net_order_balanced.
Check @bradley_terry_consistent.
Check @logistic_bradley_terry.
Check @exponential_bradley_terry.
Check @hinge_inverts.
Check @hinge_never_inverts.
Check @weighted_borda.
Check @difference_loss_consistent.
Check @sorting_is_optimal.
Check @only_sorting_is_optimal.
Check @zhang_orders.
Check @zhang_ndcg_consistent.
Check @consistent_sound.
Check @inconsistent_sound.
Check @minimum_inconsistent.
Check @ranking_sound.
Check @strictly_wrong.
Check @wrong_by_a_tie.
Check @squares_reached.
Check @pair_squares_reached.
Check @softmax_reached.
Check @sigmoids_reached.
Check @signed_reached.
Check @chances_reached.
Check @luce_pair.
Check @positions_reached.
Check @soft_pairs_reached.
Check @reciprocal_rank.
Check @logarithmic_discount.
Check @minimum_reached.
Check @strict_sound.
Check @tie_sound.
Check @SanFrancisco.logistic_not_consistent.
Check @HingeTie.replayed.
Check @HingeInversion.replayed.
Check @SquaredHinge.replayed.
Check @SoftmaxNDCG.replayed.
Check @ApproximateNDCG.replayed.

(* Which axioms they rest on: together, since each answer takes a second. *)
Definition on_two :=
  (lemma_16, theorem_13_as_printed_is_false, corollary_15_as_printed_is_false, theorem_11_printed_choice,
  theorem_12_printed_weights, lemma_14, hinge_inverts, hinge_never_inverts, difference_loss_consistent,
  sorting_is_optimal, only_sorting_is_optimal, inconsistent_sound, minimum_inconsistent, HingeTie.replayed,
  HingeInversion.replayed, SquaredHinge.replayed, strictly_wrong, wrong_by_a_tie, squares_reached, pair_squares_reached,
  signed_reached, luce_pair, reciprocal_rank).
Print Assumptions on_two.
Definition on_three :=
  lemma_10.
Print Assumptions on_three.
Definition on_four :=
  (theorem_11, theorem_11_additive, theorem_12, theorem_12_additive, theorem_13, corollary_15, linear_low_noise,
  linear_not_acyclic, D_separated, D_minimizer, R_separated, R_minimizer, consistent_low_noise_balanced,
  consistent_transitive_product, consistent_bipartite, consistent_net_order_balanced, bradley_terry_consistent,
  logistic_bradley_terry, exponential_bradley_terry, weighted_borda, zhang_orders, zhang_ndcg_consistent,
  consistent_sound, ranking_sound, SanFrancisco.logistic_not_consistent, softmax_reached, sigmoids_reached,
  chances_reached, positions_reached, soft_pairs_reached, logarithmic_discount, minimum_reached, strict_sound, tie_sound,
  SoftmaxNDCG.replayed, ApproximateNDCG.replayed).
Print Assumptions on_four.
