r"""DMJ13's first inconsistency theorem: DMJ10 Theorem 11 for every convex phi, without Assumption A."""

from typing import Final

from consistency_lab.book.lemma_10 import (
    FUNCTIONS,
    bounded_below_implies_it,
    convexity_is_not_enough,
    core_steps,
    given_h_steps,
    low_noise_case,
    not_needed,
    two_items_step,
)
from consistency_lab.book.statement import Checked, FalseVariant, Kind, Statement, concluded

_SCOPE: Final = "three items (two if φ'(0) < 0 fails), every convex φ, h as in Theorem 11"

_REMARKS: Final = (
    "The paper defers the proof to its supplement; this is the one of DMJ10, with Assumption A shown to "
    "follow from boundedness below, and not to be needed.",
)


def _check() -> Checked:
    cases = {h: low_noise_case(h) for h in FUNCTIONS}
    steps = [
        *core_steps(),
        *given_h_steps(cases, "low-noise"),
        two_items_step(),
        bounded_below_implies_it(),
        not_needed(),
    ]
    return concluded(Kind.PROOF_THIS_M, _SCOPE, steps, _REMARKS)


STATEMENT: Final = Statement(
    name="dmj13-edge",
    title="DMJ13 edge losses",
    latex=(
        r"If \(\phi\) is convex, then even in the low-noise setting the loss "
        r"\(\sum_{(i \to j) \in G} h(a^G_{ij}) \phi(\alpha_i - \alpha_j)\) is not structure-consistent."
    ),
    plain="No edge loss with any convex phi is consistent under low noise; Assumption A is not needed.",
    hypotheses=(r"\(h\) is continuous and increasing, \(h(0) = 0\)", r"\(\phi\) is convex"),
    citation="DMJ13 §3 (its theorem on surrogates of the pairwise form)",
    check=_check,
    variants=(
        FalseVariant(
            "Every convex phi satisfies Assumption A, bounded below or not.", convexity_is_not_enough
        ),
    ),
)
