"""Surrogates and decoders as formulas, by their names in the format."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

SURROGATES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "regression": "sum_i (u_i - f_i(y))², f = {f}",
        "pair-square": "sum_(i<j) ((f_i - f_j) - (u_i - u_j))², f = {weights}",
        "ordinal": "cross-entropy of 1(y_i ≥ k) for k = 1..{n}; scores are sums of the chances",
        "softmax": "-sum_i P_i log(exp(u_i)/sum_j exp(u_j)), {labels}",
        "sigmoid": "-sum_i (t_i log σ(u_i) + (1 - t_i) log(1 - σ(u_i))), t = f / its largest value, f = {f}",
        "smooth-positions": "-{metric} at the positions r_i = 1 + sum_(j≠i) 1/(1 + exp((u_i - u_j)/T)), "
        "T = {temperature}",
        "soft-pairs": "sum over y_i > y_j of 1/(1 + exp(u_i - u_j)), divided by {normalized}",
        "map-full": "sum_(i≤j) (u_ij - y_i y_j / sum y)²",
        "map-diagonal": "sum_i (u_i - y_i / sum y)²",
        "pd-least-squares": "sum_(i≠j) (u_ij - y_ij)²",
        "indicator": "a loss of classes that is least at a function of their probabilities ({psi})",
        "factor": "sum_k (u_k - α_k(y))²",
        "pairs": "sum over pairs of w_ij φ(u_i - u_j), φ(x) = {phi}, {weights}, divided by {normalized}",
        "pair-absolute": "sum over y_i > y_j of |(y_i - y_j) - (u_i - u_j)|, divided by {normalized}",
        "list-mle": "-log of the Plackett–Luce probability of the order, ties: {ties}",
        "unique-softmax": "sum_i G(y_i) (log(exp(u_i) + sum over y_j < y_i of exp(u_j)) - u_i), "
        "G(s) = {gain}",
        "crammer-singer": "max(0, 1 + max_(j≠y) u_j - u_y)",
        "weston-watkins": "sum_(j≠y) max(0, 1 - (u_y - u_j))",
        "lee-lin-wahba": "sum_(j≠y) max(0, 1 + u_j - mean of u)",
        "field": "a gradient field: what training with a library follows, the gradient of a loss or not",
    }
)

DECODERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "sort": "sorts the items by falling score",
        "argmax": "returns the class of the largest score",
        "diagonal": "sorts the items by falling u_ii",
        "linear": "returns the t that minimizes ⟨u, β_t⟩ + b_t",
        "algorithm-1": "deletes the lightest edges of (u_ij - u_ji)_+ until no cycle is left, and sorts",
    }
)

WORDS: Final[Mapping[tuple[str, str], str]] = MappingProxyType(
    {
        ("softmax", "sum"): "P_i = y_i / sum y",
        ("softmax", "exp"): "P_i = exp(y_i) / sum exp(y)",
        ("softmax", "none"): "P_i = y_i",
        ("softmax", "gain-sum"): "P_i = G(y_i) / sum G(y)",
        ("softmax", "gain-none"): "P_i = G(y_i)",
        ("smooth-positions", "ndcg"): "sum_i (2^y_i - 1)/Z / log2(1 + r_i)",
        ("smooth-positions", "mrr"): "sum_i (y_i / sum y)/r_i",
        ("soft-pairs", "none"): "nothing",
        ("soft-pairs", "pairs"): "the number of pairs of the label",
        ("pairs", "unit"): "w_ij = 1 for each preference i → j",
        ("pairs", "difference"): "w_ij = y_i - y_j where it is positive",
        ("pairs", "gain-difference"): "w_ij = G(y_i) - G(y_j) where it is positive",
        ("pairs", "square-difference"): "w_ij = y_i² - y_j² where it is positive",
        ("pair-absolute", "none"): "nothing",
        ("pair-absolute", "pairs"): "the number of pairs of the label",
        ("list-mle", "average"): "averaged over their orders",
        ("list-mle", "input"): "in the order of the input",
        ("pairs", "zhang"): "w_ij = G(y_i)/Z(y)",
        ("pairs", "zhang-gain"): "w_ij = G(y_i)",
        ("pairs", "none"): "nothing",
        ("pairs", "pairs"): "the number of pairs of the label",
    }
)
"""What the parameters of some families mean."""

LINKS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "identity": "the mean E f(y) itself",
        "2x-1": "2 E f(y) - 1, coordinate by coordinate",
        "log": "log E f_i(y), up to a constant (minus infinity where the mean is 0)",
        "logit": "log(t/(1 - t)) with t = E f_i(y)",
        "limit": "no scores: its infimum is approached far out, in the orders that are decoded from E f(y)",
    }
)
"""What the minimizer of a mean family is."""


def surrogate_formula(entry: Mapping[str, object]) -> str:
    """The formula of a ``surrogate`` entry, with its parameters.

    Examples
    --------
    >>> surrogate_formula({"family": "softmax", "labels": "none"})
    '-sum_i P_i log(exp(u_i)/sum_j exp(u_j)), P_i = y_i'
    """
    family = str(entry["family"])
    words = {key: WORDS.get((family, str(value)), value) for key, value in entry.items()}
    return SURROGATES[family].format_map(words)
