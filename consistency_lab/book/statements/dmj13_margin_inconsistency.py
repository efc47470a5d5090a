r"""DMJ13's second inconsistency theorem: as DMJ10 Theorem 12, without Assumption A."""

from typing import Final

from consistency_lab.book.lemma_10 import (
    SCOPE,
    bounded_below_implies_it,
    convexity_is_not_enough,
    core_steps,
    margin_steps,
    not_needed,
    substitution_step,
)
from consistency_lab.book.statement import Checked, FalseVariant, Kind, Statement, concluded

_REMARKS: Final = (
    "The paper defers the proof to its supplement; this is the one of DMJ10, with Assumption A shown to "
    "follow from boundedness below, and not to be needed.",
)


def _check() -> Checked:
    steps = [
        *core_steps(),
        substitution_step(),
        *margin_steps("low-noise"),
        bounded_below_implies_it(),
        not_needed(),
    ]
    return concluded(Kind.PROOF_THIS_M, SCOPE, steps, _REMARKS)


STATEMENT: Final = Statement(
    name="dmj13-margin",
    title="DMJ13 margin losses",
    latex=(
        r"If \(\phi\) is convex, then even in the low-noise setting the loss "
        r"\(\sum_{(i \to j) \in G} \phi(\alpha_i - \alpha_j - h(a^G_{ij}))\) is not structure-consistent."
    ),
    plain="No margin loss with a convex phi, phi'(0) < 0, is consistent under low noise.",
    hypotheses=(r"\(h\) is continuous and increasing, \(h(0) = 0\)", r"\(\phi\) is convex, \(\phi'(0) < 0\)"),
    citation="DMJ13 §3 (its theorem on margin-based losses)",
    check=_check,
    variants=(
        FalseVariant(
            "Every convex phi satisfies Assumption A, bounded below or not.", convexity_is_not_enough
        ),
    ),
)
