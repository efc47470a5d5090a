(* The headline theorems with what they say and the axioms they rest on. `make` compares what this file prints with
   axioms.txt. *)
From Coq Require Import Reals ZArith List Permutation.
From ConsistencyLab.base Require Import Sums Ranking Convex Scalars Descent Aggregate Near Orders
  Calibration Labels.
From ConsistencyLab.theorems Require Import Means Luce.
From ConsistencyLab.check Require Import Tables Atoms MeansOfTables.
From ConsistencyLab.theorems Require Import Domination Addition Lemma10 Theorems11and12 TwoItems Theorem13
  AsPrinted BradleyTerry LogOdds Designs Products Hinge HingeThreeItems Gains Differences LowRank
  AveragePrecision Disagreement ReciprocalRank UnequalCounts.
From ConsistencyLab.check Require Import Counts Pairs Farkas Rationals Risks.
From ConsistencyLab.data Require SanFrancisco HingeTie HingeInversion SquaredHinge LogisticInversion
  SoftmaxNDCG ApproximateNDCG.
Set Printing Width 110.
Open Scope R_scope.
Check @lemma_16.
Check @lemma_10.
Check @theorem_11.
Check @theorem_11_additive.
Check @theorem_12.
Check @theorem_12_additive.
Check @needs_a_fall.
Check @needs_positive_weights.
Check @two_items_exactly.
Check @theorem_13.
Check @corollary_15.
Check @linear_low_noise.
Check @linear_not_acyclic.
Check @theorem_13_as_printed_is_false.
Check @corollary_15_as_printed_is_false.
Check @theorem_11_printed_choice.
Check @theorem_12_printed_weights.
Check @lemma_14.
Check @low_noise_acyclic.
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
Check @bradley_terry_only_log_odds.
Check @bradley_terry_iff_log_odds.
Check @balanced_designs.
Check @balanced_designs_net_order.
Check @product_designs.
Check @hinge_inverts.
Check @hinge_additive_inconsistent.
Check @hinge_never_inverts.
Check @weighted_borda.
Check @difference_loss_consistent.
Check @sorting_is_optimal.
Check @only_sorting_is_optimal.
Check @zhang_orders.
Check @zhang_ndcg_consistent.
Check @inconsistent_sound.
Check @ranking_sound.
Check @SanFrancisco.logistic_not_consistent.
Check @HingeTie.replayed.
Check @HingeInversion.replayed.
Check @SquaredHinge.replayed.
Check @err_sorting.
Check @only_err_sorting.
Check @err_best_unsorted.
Check @dmj13_err.
Check @err_regression.
Check @zhang_err_consistent.
Check @rat13_theorem_3_bound.
Check @rat13_theorem_3.
Check @precision_calibrated.
Check @eru_calibrated.
Check @eru_as_printed_is_false.
Check @map_calibrated.
Check @disagreement_calibrated.
Check @rat13_theorem_4.
Check @rat13_corollary_5.
Check @rat13_theorem_6.
Check @rat13_theorem_7.
Check @algorithm_1_returns.
Check @P_f_inside.
Check @P_f_strictly_inside_is_false.
Check @disagreement_rank_as_printed_is_false.
Check @three_items_any_counts.
Check @three_items_ratio.
Check @three_items_larger_ratio.
Check @three_items_ratio_reached.
Check @replay_consistent.
Check @replay_inconsistent.
Check @farkas_all.
Check @minimum_refutes.
Check @separation_refutes.
Check @LogisticInversion.replayed.
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
Check @SoftmaxNDCG.replayed.
Check @ApproximateNDCG.replayed.

(* Which axioms they rest on: together, since each answer takes a second. *)
Definition on_two :=
  (lemma_16, theorem_13_as_printed_is_false, corollary_15_as_printed_is_false, theorem_11_printed_choice,
  theorem_12_printed_weights, lemma_14, low_noise_acyclic, hinge_inverts, hinge_additive_inconsistent,
  hinge_never_inverts, difference_loss_consistent, sorting_is_optimal, only_sorting_is_optimal,
  inconsistent_sound, err_sorting, only_err_sorting, err_best_unsorted, dmj13_err, err_regression,
  rat13_theorem_3_bound, rat13_theorem_3, precision_calibrated, map_calibrated, disagreement_calibrated,
  rat13_theorem_4, rat13_corollary_5, rat13_theorem_6, rat13_theorem_7, P_f_inside,
  P_f_strictly_inside_is_false, disagreement_rank_as_printed_is_false, farkas_all, strictly_wrong,
  wrong_by_a_tie, squares_reached, pair_squares_reached, signed_reached, luce_pair, reciprocal_rank).
Print Assumptions on_two.
Definition on_three :=
  lemma_10.
Print Assumptions on_three.
Definition on_four :=
  (theorem_11, theorem_11_additive, theorem_12, theorem_12_additive, needs_a_fall, needs_positive_weights,
  two_items_exactly, theorem_13, corollary_15, linear_low_noise, linear_not_acyclic, D_separated,
  D_minimizer, R_separated, R_minimizer, consistent_low_noise_balanced, consistent_transitive_product,
  consistent_bipartite, consistent_net_order_balanced, bradley_terry_consistent, logistic_bradley_terry,
  exponential_bradley_terry, bradley_terry_only_log_odds, bradley_terry_iff_log_odds, balanced_designs,
  balanced_designs_net_order, product_designs, weighted_borda, zhang_orders, zhang_ndcg_consistent,
  ranking_sound, SanFrancisco.logistic_not_consistent, zhang_err_consistent, eru_calibrated,
  eru_as_printed_is_false, algorithm_1_returns, three_items_any_counts, three_items_ratio,
  three_items_larger_ratio, three_items_ratio_reached, replay_consistent, replay_inconsistent,
  minimum_refutes, separation_refutes, HingeTie.replayed, HingeInversion.replayed,
  LogisticInversion.replayed, SquaredHinge.replayed, softmax_reached, sigmoids_reached, chances_reached,
  positions_reached, soft_pairs_reached, logarithmic_discount, minimum_reached, strict_sound, tie_sound,
  SoftmaxNDCG.replayed, ApproximateNDCG.replayed).
Print Assumptions on_four.
