"""What a verified file says, in one flat record."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Final, final

from consistency_lab.core.risk import Atom, merged
from consistency_lab.errors import printed
from consistency_lab.exact import LogRational

if TYPE_CHECKING:
    from consistency_lab.core.document import Proof


NO_NAME: Final = "a surrogate without a name"


@final
@dataclass(frozen=True, slots=True)
class VerifiedProof:
    """What a file proves, and what its names are.

    Parameters
    ----------
    claim
        "inconsistent", "consistent-at-p", "wrong-equilibrium" or "infeasible".
    failure
        "strict" or "tie", None for consistency.
    regret
        The regret of the stated prediction for the target loss, 0 for consistency.
    least_regret
        Of a strict failure: what everything near the infimum of W loses at least; else None.
    gap
        For a separation: how far the bounds lie above the value of W at the scores, at least.
    every
        Whether the claim is about everything near the infimum of W, and not about the scores alone.
    attracting
        Of an equilibrium: whether it is proved to attract; else None.
    attained
        Whether the stated scores are proved to attain the infimum; False says nothing.
    universal
        Whether the file also proves the claim for every convex phi.
    surrogate
        The name of the surrogate in the file.
    recomputed, unknown
        The names that were recomputed and agree, and those that are not known here.
    conditions
        For each noise condition that is known here, whether the distribution satisfies it.
    m
        The number of items.
    scores
        The exact scores.
    convexity
        How the convexity of the scalar functions was proved.
    systems
        How many systems of inequalities have no solution.
    proof
        The proof itself; None for a claim about systems of inequalities. It plays no part in comparisons:
        balls in it are equal to nothing.
    """

    claim: str
    failure: str | None
    regret: Fraction
    least_regret: Fraction | None
    gap: Fraction | None
    every: bool
    attracting: bool | None
    attained: bool
    universal: bool
    surrogate: str
    recomputed: tuple[str, ...]
    unknown: tuple[str, ...]
    conditions: Mapping[str, bool]
    m: int
    scores: tuple[LogRational, ...]
    convexity: tuple[str, ...]
    systems: int
    proof: "Proof | None" = field(compare=False)

    @property
    def called(self) -> str:
        """The name of the surrogate for a sentence: in quotes where it is only the file's word."""
        return self.surrogate if self.surrogate in (*self.recomputed, NO_NAME) else printed(self.surrogate)

    @property
    def about_preferences(self) -> bool:
        """Whether the proof is about preferences between items, and not about losses listed one by one."""
        return self.proof is not None and all(label.prefers is not None for label in self.proof.labels)

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """The convex atoms of W, in the order of the certificate; none of a known mean."""
        labels = () if self.proof is None else self.proof.labels
        return merged(
            atom.times(label.probability)
            for label in labels
            if isinstance(label.psi, tuple)
            for atom in label.psi
            if isinstance(atom, Atom)
        )

    @property
    def sentence(self) -> str:
        """What is proved, as a sentence without its end."""
        if self.claim == "infeasible":
            return f"none of the {self.systems} systems of inequalities has a solution"
        if self.claim == "wrong-equilibrium":
            return "the field certainly vanishes at scores in a wrong order, which says nothing of a minimum"
        if self.claim == "consistent-at-p":
            return "whatever comes near the infimum of W is certainly in A(p)"
        if self.every:
            return "whatever comes near the infimum of W is certainly outside A(p)"
        if not self.attained:
            return "W certainly comes as near as one likes to its infimum outside A(p)"
        if self.failure == "tie":
            return "certainly a minimizer of W ties items so that another order of them is wrong"
        return "a minimizer of W is certainly outside A(p)"
