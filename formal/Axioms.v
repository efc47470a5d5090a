(* The headline theorems with what they say, the axioms and the definitions they rest on. `make` compares what this file
   prints with axioms.txt. *)
From Coq Require Import Reals ZArith List Permutation.
From ConsistencyLab.base Require Import Definitions Sums Ranking Convex Scalars Descent Aggregate Near Orders
  Calibration Labels.
From ConsistencyLab.theorems Require Import Means Luce ConvexScores.
From ConsistencyLab.check Require Import Tables Atoms MeansOfTables.
From ConsistencyLab.theorems Require Import Queries Domination Addition Lemma10 ExactSets Theorems11and12 TwoItems
  Theorem13 AsPrinted BradleyTerry LogOdds Designs Products Hinge HingeThreeItems Gains Differences LowRank
  AveragePrecision Disagreement ReciprocalRank UnequalCounts Conditions Bipartite Orderings Votes Classes Continuity.
From ConsistencyLab.check Require Import Counts Pairs Farkas Rationals Risks.
Set Printing Width 110.
Open Scope R_scope.

(* What each says in words, which the table of docs/formal.md takes from here, and as Coq has it. *)
(* DMJ10 Lemma 1, countably many queries, any class of distributions, ζ convex on [0, ∞) *)
Check @lemma_1.
(* DMJ10 Lemma 4: only Definition 2 at this p is used; the infimum may be −∞ *)
Check @lemma_4.
(* DMJ10 Lemma 3: finitely many graphs, losses that are bounded below, infima attained or not *)
Check @lemma_3.
(* DMJ10 Theorem 6 in one direction, countably many queries of bounded losses: for each distribution of queries a small
   excess of the surrogate risk forces a small regret *)
Check @small_excess.
(* DMJ10 Theorem 6 (if and only if), countably many queries of bounded losses, any class, f_n that are not random *)
Check @theorem_6.
(* the same for random f_n and convergence in probability; of the probability only monotony is used *)
Check @theorem_6_random.
(* DMJ10 Lemma 10, Conditions 1 and 2, every convex φ that falls to the right of 0 *)
Check @lemma_10.
(* the same as printed: an edge loss at a p on four edges, a13 > a31 *)
Check @lemma_10_printed.
(* four edges: Conditions 1 and 2 with ≤ hold exactly where no convex φ that falls is right *)
Check @four_edges_exactly.
(* six edges, strongly connected, 1, 2, 3 the one optimal order: some convex φ that falls is right if and only if
   h12 N3 < h13 N2 < h23 N1 *)
Check @six_edges_exactly.
(* four items: additive differences at which no convex φ that falls is right *)
Check @no_loss_on_four_items.
(* DMJ10 Theorem 11, every convex φ, every h with h(a) ≥ 0 for some a > 0 *)
Check @theorem_11.
(* the same under additive differences *)
Check @theorem_11_additive.
(* DMJ10 Theorem 12, every convex φ, every h *)
Check @theorem_12.
(* the same under additive differences *)
Check @theorem_12_additive.
(* one distribution for all convex φ, additive differences, every m ≥ 3: edge losses with h(a) ≥ 0, and margin losses *)
Check @every_convex_loss.
(* there some scores come near the infimum of the surrogate risk, and keep a regret *)
Check @every_convex_risk.
(* DMJ10 Theorem 11 for risks, φ convex and bounded below, h ≥ 0, low noise: for some queries and f_n the surrogate risk
   tends to its infimum, while the risk stays above its own by a fixed amount *)
Check @theorem_11_risks.
(* the same for DMJ10 Theorem 12, every h *)
Check @theorem_12_risks.
(* what one edge asks: φ falls to the right of 0, if h(a) ≥ 0 *)
Check @needs_a_fall.
(* and h(a) > 0, if φ is convex and falls there *)
Check @needs_positive_weights.
(* two items, convex φ, h(a) > 0 for some a > 0: edge-consistent if and only if φ'(0) < 0 exists and h(a) = c a with
   c > 0 *)
Check @two_items_exactly.
(* DMJ10 Theorem 13 (if and only if), differentiable r, difference graphs without cycles, every m *)
Check @theorem_13.
(* DMJ10 Corollary 15, differentiable r, every m *)
Check @corollary_15.
(* the linear loss with r = x²/2: edge-consistent under low noise *)
Check @linear_low_noise.
(* but not wherever the difference graph has no cycle *)
Check @linear_not_acyclic.
(* RAT13 §7.1: least squares on net preferences are the linear loss with r = x²/2, up to a factor and a constant *)
Check @regression_is_linear.
(* Theorem 13 as printed is false *)
Check @theorem_13_as_printed_is_false.
(* Corollary 15 as printed is false *)
Check @corollary_15_as_printed_is_false.
(* weights that the printed proof of Theorem 11 allows are not low-noise *)
Check @theorem_11_printed_choice.
(* the printed probabilities of Theorem 12 leave a cycle; with those of 13 and 23 exchanged they are low-noise *)
Check @theorem_12_printed_weights.
(* DMJ10 Lemma 14, every m *)
Check @lemma_14.
(* low noise leaves no cycle in the difference graph, every m *)
Check @low_noise_acyclic.
(* DMJ10 Lemma 16 (if and only if), every m *)
Check @lemma_16_iff.
(* DMJ13, structures that are graphs: no edge loss with convex φ and h(a) ≥ 0 for some a > 0 is structure-consistent
   under low noise *)
Check @dmj13_not_structure_consistent.
(* nor is any margin loss *)
Check @dmj13_margin_not_structure_consistent.
(* DMJ13 on P and NP: whatever is convex in m scores and bounded below, m ≥ 4 (m ≥ 3 if shifts of all scores cost
   nothing), is wrong at some p *)
Check @no_convex_surrogate.
(* orders proved by domination, φ declining, λ from 0 to ∞: near the infimum, attained or not *)
Check @D_separated.
(* orders proved by addition (Gap), φ declining and a line plus an even function, λ from 0 to ∞: the same *)
Check @R_separated.
(* low noise and balanced counts, u ≥ 0: edge-consistent, every m *)
Check @consistent_low_noise_balanced.
(* strong transitivity and product designs, u ≥ 0: edge-consistent, every m *)
Check @consistent_transitive_product.
(* the same for any counts that compare every pair of three items *)
Check @three_items_transitive.
(* bipartite ranking (AUC), every regular φ: edge-consistent, every m *)
Check @consistent_bipartite.
(* net order (Eq. 16) and balanced counts, if φ is a line plus an even function: edge-consistent, every m *)
Check @consistent_net_order_balanced.
(* complete rankings: edge-consistent in net order, if φ is a line plus an even function, and under low noise, if u ≥ 0 *)
Check @complete_rankings.
(* Bradley-Terry, any counts, if φ'(−x) = e^(kx) φ'(x) for some k > 0: edge-consistent, every m *)
Check @bradley_terry_consistent.
(* so is the logistic loss *)
Check @logistic_bradley_terry.
(* so is the exponential loss *)
Check @exponential_bradley_terry.
(* only such a log-odds link is edge-consistent there, φ declining: four items tell *)
Check @bradley_terry_only_log_odds.
(* Bradley-Terry, any counts, φ declining: edge-consistent if and only if φ'(−x) = e^(kx) φ'(x) for some k > 0 *)
Check @bradley_terry_iff_log_odds.
(* of the counts that compare every pair only equal ones are harmless, from additive differences to rows in order, u ≥ 0,
   every m *)
Check @balanced_designs.
(* the same up to net order, if φ is a line plus an even function *)
Check @balanced_designs_net_order.
(* of the counts that compare every pair only products are harmless under strong transitivity, u ≥ 0, if the link
   φ'(−x)/(φ'(x) + φ'(−x)) rises strictly near 0, every m *)
Check @product_designs.
(* three items, all compared, low noise, φ a line plus an even function: unequal counts cost at most 1/2 − 1/√6 of
   all weights *)
Check @three_items_any_counts.
(* the same: at most (r − 1)/(r + 2)² up to the ratio r ≤ (3 + √13)/2 *)
Check @three_items_ratio.
(* the same: at most r(5r + 4 − 2√(3(r + 1)(2r + 1)))/(r + 2)² up to any ratio r *)
Check @three_items_larger_ratio.
(* the same φ: so much, (r − 1)/(r + 2)², is lost at a minimizer for every r > 1 *)
Check @three_items_ratio_reached.
(* hinge: near the infimum an edge is inverted, at one distribution of additive differences for every m ≥ 4 *)
Check @hinge_inverts.
(* so it is not edge-consistent there *)
Check @hinge_additive_inconsistent.
(* hinge: no edge inverted at three items, any counts without cycles *)
Check @hinge_never_inverts.
(* three items, equal counts, φ declining, u(x) ≤ u(0) where x > 0 and φ'(x) < 0: edge-consistent in net order *)
Check @balanced_three.
(* weighted Borda, if φ is a line plus an even function: a product design orders items by N_i/w_i, every m *)
Check @weighted_borda.
(* DMJ13's difference loss, φ not rising and above its infimum at 0: edge-consistent where no cycles are, every m *)
Check @difference_loss_consistent.
(* NDCG, a discount that does not rise: sorting by mean gains earns most, every m *)
Check @sorting_is_optimal.
(* and only sorting does, if the discount falls strictly *)
Check @only_sorting_is_optimal.
(* DMJ13's corollary on NDCG (if and only if), a discount that falls, ties broken in the worst way, every m *)
Check @dmj13_ndcg.
(* in one direction, a discount that does not rise *)
Check @dmj13_ndcg_if.
(* DMJ13, Zhang's loss of gains ≥ 0 over their normalizer: calibrated for NDCG, every regular φ, every m *)
Check @zhang_ndcg.
(* DMJ13, ERR at given chances ≤ 1, a discount that does not rise: sorting by them is best, every m *)
Check @err_sorting.
(* only sorting is, if the discount falls strictly and chances are below 1 *)
Check @only_err_sorting.
(* not only sorting is, with a chance of 1 *)
Check @err_best_unsorted.
(* DMJ13's lemma on ERR: sorting by means is best for independent grades, G ≤ 1 and a discount that does not rise,
   every m *)
Check @dmj13_err.
(* and only sorting is, if the discount falls strictly and all means are below 1 *)
Check @dmj13_err_only.
(* so regression on gains and sorting is right there *)
Check @err_regression.
(* DMJ13's corollary on ERR (if and only if), independent grades, all means below 1, ties broken in the worst way *)
Check @dmj13_err_iff.
(* Zhang's loss of gains from 0 to 1: calibrated for ERR, independent grades, every regular φ *)
Check @zhang_err.
(* RAT13 Theorem 2, countably many x, finitely many predictions, bounded losses: calibrated if and only if for each
   distribution of x a small excess of ψ forces a small regret *)
Check @rat13_theorem_2.
(* if it is calibrated, the same in probability, for random f_m *)
Check @rat13_theorem_2_random.
(* RAT13 Theorem 3, with offsets of labels and of predictions *)
Check @rat13_theorem_3.
(* its regret², at most |β_t − β_s|² times the excess *)
Check @rat13_theorem_3_bound.
(* RAT13 §4, precision at q: regression and the q largest first, in any order, every p *)
Check @precision_calibrated.
(* RAT13 §5, ERU of half-life above 1: regression and sorting, every p *)
Check @eru_calibrated.
(* but not of a half-life below 1, as printed *)
Check @eru_as_printed_is_false.
(* RAT13 §6, MAP: pred* is right for every p, every r *)
Check @map_calibrated.
(* RAT13 §7, pairwise disagreement: pred* is right for every p, every r *)
Check @disagreement_calibrated.
(* RAT13 Theorem 4, MAP under P_reinforce, every r *)
Check @rat13_theorem_4.
(* RAT13 Corollary 5, every r *)
Check @rat13_corollary_5.
(* RAT13 Theorem 6, pairwise disagreement under P_f, every r and f *)
Check @rat13_theorem_6.
(* RAT13 §7.1, exactly P_f: on a part of P_DAG it is right, ties being broken in the worst way, if and only if it is in P_f *)
Check @exactly_P_f.
(* and psi_DMJ with λ(x) = x²/2 is psi_f for f = (wins − losses)/ν, but for a factor and what the label alone costs *)
Check @psi_DMJ_is_psi_f.
(* RAT13 Theorem 7, Algorithm 1 under P_DAG, every r *)
Check @rat13_theorem_7.
(* and Algorithm 1 returns an order for all scores *)
Check @algorithm_1_returns.
(* RAT13 §7.2, P_f is inside P_DAG *)
Check @P_f_inside.
(* but not always strictly, as printed: two items, net preferences *)
Check @P_f_strictly_inside_is_false.
(* RAT13 §7, "rank at most r(r − 1)/2", as printed is false *)
Check @disagreement_rank_as_printed_is_false.
(* DMJ10 §3.1, labels that are scores: differences are additive *)
Check @scores_additive.
(* so they are low-noise *)
Check @scores_low_noise.
(* DMJ10 §3.1, an order-preserving space: no weight of pairs at distance two gives low noise with the order optimal *)
Check @no_weight_of_distance.
(* approval ballots: differences are those of the approval shares *)
Check @approval_additive.
(* and all additive differences up to 1 arise so *)
Check @approval_all.
(* Bradley-Terry-Luce labels: differences are tanh of half the differences of the log grades *)
Check @btl_tanh.
(* they violate low noise on every path of three different grades *)
Check @btl_triangle.
(* so low noise holds if and only if at most two grades differ *)
Check @btl_low_noise.
(* but net preferences are in order *)
Check @btl_net_order.
(* Lee, Lin and Wahba's loss: calibrated for the 0-1 loss, ties broken in any way *)
Check @lee_lin_wahba_calibrated.
(* its excess is at least the regret *)
Check @lee_lin_wahba_bound.
(* Osokin, Bach and Lacoste-Julien's least squares, any loss of k classes: the excess is at least regret²/(2kD²), D² = 2 *)
Check @osokin_bound.
(* for the 0-1 loss it is attained *)
Check @osokin_attained.
(* one class against all others, every regular φ: calibrated for the 0-1 loss *)
Check @one_against_all_calibrated.
(* losses of single items with the weights of the ranking loss, every regular φ: calibrated for it, every p *)
Check @single_items_calibrated.
(* proofs by addition of edge-consistency at p are sound: both rules (Gap if φ is a line plus an even function), every
   factor, transitivity *)
Check @replay_consistent.
(* proofs by addition of its failure are sound, with the same rules *)
Check @replay_inconsistent.
(* Farkas multipliers are sound: the systems have no real solution *)
Check @farkas_all.
(* rational certificates of minimizing scores outside A(p) are sound, for atoms c φ(⟨v, α⟩ - b) *)
Check @minimum_refutes.
(* rational certificates of bounds on half-spaces (separations) are sound *)
Check @separation_refutes.
(* labels: near the infimum all orders cost too much, so no decoder that sorts is right *)
Check @strictly_wrong.
(* labels: near the infimum a tie allows an order that costs too much *)
Check @wrong_by_a_tie.
(* squared errors: scores in the order of mean features come near the infimum *)
Check @squares_reached.
(* squared errors of pairs: the same *)
Check @pair_squares_reached.
(* softmax cross-entropy, mean features ≥ 0, attained or not: the same *)
Check @softmax_reached.
(* logistic regression item by item, mean features in [0, 1], attained or not: the same *)
Check @sigmoids_reached.
(* squares and squared hinges of signed scores, mean features in [0, 1]: the same *)
Check @signed_reached.
(* ordinal regression by thresholds, grades up to N, attained or not: the same *)
Check @chances_reached.
(* Plackett and Luce's random order: j stands above k with chance w_j/(w_j + w_k) *)
Check @luce_pair.
(* approximate positions (ApproxNDCG), every discount, mean features ≥ 0: orders of mean features come near the
   infimum *)
Check @positions_reached.
(* discounts 1/r *)
Check @reciprocal_rank.
(* and 1/log2(1 + r) *)
Check @logarithmic_discount.
(* soft pairs, mean weights ≥ 0: an order that costs least in the mean comes near the infimum *)
Check @soft_pairs_reached.
(* rational certificates of minima over labels are sound *)
Check @minimum_reached.
(* tables of losses: strict failures are sound *)
Check @strict_sound.
(* tables of losses: failures by a tie are sound *)
Check @tie_sound.
(* No condition is empty: for every m some distribution that prefers each item to all later ones meets all of low
   noise, additive differences, net order, rows in order and strong transitivity, with equal counts *)
Check @designs_met.
(* another is Bradley-Terry, bipartite and additive *)
Check @strengths_met.
(* one on four edges meets what Lemma 10 asks, with Condition 1 *)
Check @four_edges_met.
(* every distribution of one relevant item is in P_reinforce *)
Check @reinforce_met.
(* some distribution that prefers each item to all later ones is in P_f for row sums f *)
Check @P_f_met.
(* two grades may be independent with any chances *)
Check @independent_met.
(* decoders that sort may return every sorted order, or some *)
Check @sorting_met.
(* the logistic loss is declining, bounded below, a line plus an even function, and its log-odds link rises *)
Check @logistic_met.
(* x²/2 is strictly convex, 1-coercive and differentiable *)
Check @half_square_met.
(* 1/(t + 1) falls strictly *)
Check @discounts_met.

(* Which axioms they rest on: together, since each answer takes a second. *)
Definition on_two :=
  (regression_is_linear, lemma_3, theorem_13_as_printed_is_false, corollary_15_as_printed_is_false,
  theorem_11_printed_choice, theorem_12_printed_weights, lemma_14, low_noise_acyclic, hinge_inverts,
  hinge_additive_inconsistent, hinge_never_inverts, sorting_is_optimal, only_sorting_is_optimal, err_sorting,
  only_err_sorting, err_best_unsorted, dmj13_err, dmj13_err_only, err_regression, rat13_theorem_3,
  rat13_theorem_3_bound, precision_calibrated, map_calibrated, disagreement_calibrated, rat13_theorem_4,
  rat13_corollary_5, rat13_theorem_6, exactly_P_f, psi_DMJ_is_psi_f, rat13_theorem_7, P_f_inside, P_f_strictly_inside_is_false,
  disagreement_rank_as_printed_is_false, scores_additive, scores_low_noise, no_weight_of_distance, approval_additive,
  approval_all, btl_triangle, btl_low_noise, btl_net_order, lee_lin_wahba_bound, farkas_all, strictly_wrong,
  wrong_by_a_tie, squares_reached, pair_squares_reached, signed_reached, luce_pair, reciprocal_rank, designs_met,
  strengths_met, four_edges_met, reinforce_met, P_f_met, independent_met, half_square_met, discounts_met).
Print Assumptions on_two.
Definition on_three :=
  (lemma_10, lemma_10_printed).
Print Assumptions on_three.
Definition on_four :=
  (balanced_three, osokin_bound, osokin_attained, lemma_1, lemma_4, small_excess, theorem_6, theorem_11,
  theorem_6_random, theorem_11_risks, theorem_12_risks, rat13_theorem_2, rat13_theorem_2_random, theorem_11_additive,
  theorem_12, theorem_12_additive, every_convex_loss, every_convex_risk, needs_a_fall, needs_positive_weights,
  two_items_exactly, four_edges_exactly, six_edges_exactly, no_loss_on_four_items, theorem_13, corollary_15,
  linear_low_noise, linear_not_acyclic, lemma_16_iff, no_convex_surrogate, dmj13_not_structure_consistent,
  dmj13_margin_not_structure_consistent, D_separated, R_separated, consistent_low_noise_balanced,
  consistent_transitive_product, three_items_transitive, consistent_bipartite, consistent_net_order_balanced,
  complete_rankings, bradley_terry_consistent, logistic_bradley_terry, exponential_bradley_terry,
  bradley_terry_only_log_odds, bradley_terry_iff_log_odds, balanced_designs, balanced_designs_net_order,
  product_designs, three_items_any_counts, three_items_ratio, three_items_larger_ratio, three_items_ratio_reached,
  weighted_borda, difference_loss_consistent, dmj13_ndcg, dmj13_ndcg_if, zhang_ndcg, dmj13_err_iff, zhang_err,
  eru_calibrated, eru_as_printed_is_false, algorithm_1_returns, btl_tanh, lee_lin_wahba_calibrated,
  one_against_all_calibrated, single_items_calibrated, replay_consistent, replay_inconsistent, minimum_refutes,
  separation_refutes, softmax_reached, sigmoids_reached, chances_reached, positions_reached, logarithmic_discount,
  soft_pairs_reached, minimum_reached, strict_sound, tie_sound, sorting_met, logistic_met).
Print Assumptions on_four.

(* The definitions that all of this rests on, with what each theorem rests on. *)
From Ltac2 Require Import Ltac2.
Ltac2 Eval Message.print (Message.of_string "Definitions:").
Ltac2 Eval define_all ['on_two; 'on_three; 'on_four].
