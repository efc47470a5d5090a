"""DMJ10 Theorem 13, Lemma 14 and Corollary 15: the value-regularized linear loss."""

from typing import Final

from consistency_lab.model.surrogates import LinearSurrogate
from consistency_lab.theorems.base import Theorem
from consistency_lab.theorems.ordering import LINEAR

THEOREM_13: Final = Theorem(
    name="DMJ10 Theorem 13",
    statement=(
        r"For \(\varphi(\alpha, G) = \sum_{i \to j} a^G_{ij}(\alpha_j - \alpha_i) + \nu \sum_i r(\alpha_i)\),"
        r" if the difference graph is acyclic, then"
        r" \(W^*(p) < \inf\{W(p,\alpha) : \alpha \notin A(p)\}\) if and only if"
        r" \(\sum_j d_{ij} > \sum_j d_{kj}\) whenever \(d_{ik} > 0\)."
    ),
    citation="DMJ10 Theorem 13 (with Eq. 15 and 16)",
    family=LinearSurrogate,
    condition="net-order",
    hypotheses=LINEAR,
)

COROLLARY_15: Final = Theorem(
    name="DMJ10 Corollary 15",
    statement=(
        r"The value-regularized linear loss is edge-consistent on low-noise distributions: by Lemma 14,"
        r" \(d_{ij} > 0,\ d_{jk} > 0 \implies d_{ik} \ge d_{ij} + d_{jk}\) gives"
        r" \(\sum_j d_{ij} > \sum_j d_{kj}\) whenever \(d_{ik} > 0\)."
    ),
    citation="DMJ10 Corollary 15 (Theorem 13 with Lemma 14)",
    family=LinearSurrogate,
    condition="low-noise",
    hypotheses=LINEAR,
)
