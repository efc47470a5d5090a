"""RAT13 Theorem 6: least squares on a score of the preference graph."""

from typing import Final

from consistency_lab.model.surrogates import RegressionSurrogate
from consistency_lab.theorems.base import Theorem
from consistency_lab.theorems.ordering import REGRESSION

THEOREM_6: Final = Theorem(
    name="RAT13 Theorem 6",
    statement=(
        r"For any \(f\), least squares \(\sum_i (\alpha_i - f_i(G))^2\), decoded by sorting, is calibrated"
        r" with pairwise disagreement over"
        r" \(P_f = \{p : d_{ij} > 0 \implies \mathbf{E} f_i > \mathbf{E} f_j\}\);"
        r" with \(f_i(G) = \sum_j (a^G_{ij} - a^G_{ji})\) that is the condition net-order."
    ),
    citation="RAT13 Theorem 6",
    family=RegressionSurrogate,
    condition="net-order",
    hypotheses=REGRESSION,
)
