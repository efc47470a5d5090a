"""What is proved about a loss at the very votes of a profile, by a file that the core accepts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, final

from consistency_lab.audits.losses import EdgeRule, NetRule, Rule
from consistency_lab.certify.witness import Witness, certify
from consistency_lab.data.profile import Profile
from consistency_lab.decide.answers import Verdict
from consistency_lab.errors import UnsupportedError
from consistency_lab.model.distribution import Distribution
from consistency_lab.solve.ordering.kemeny import KemenyOrder

_DECIMALS: Final = 4
_MANY: Final = 6
"""From so many items on proofs by neighbors in the order of the scores are the faster ones."""

NO_LOSS: Final = "it is no loss of the catalogue, so nothing is proved about it"
_NO_PROOF: Final = (
    "no proof was found that what comes near the infimum of W is right, nor that some of it is wrong"
)


@final
@dataclass(frozen=True, slots=True)
class Certified:
    """The verdict at one profile.

    Parameters
    ----------
    verdict
        INCONSISTENT: what comes near the infimum of W is certainly ordered wrongly. CONSISTENT: it is
        certainly ordered rightly.
    reason
        One sentence.
    witness
        The file that proves it.
    """

    verdict: Verdict
    reason: str
    witness: Witness | None = None

    @property
    def document(self) -> Mapping[str, Any] | None:
        """The file, to be saved."""
        return None if self.witness is None else self.witness.document


def certified(rule: Rule, profile: Profile, best: KemenyOrder | None = None, command: str = "") -> Certified:
    """Prove what can be proved about a rule on a profile.

    Parameters
    ----------
    rule
        Only losses of the catalogue are proved right or wrong.
    profile
        The data.
    best
        A good order of the items, if one is known already.
    command
        What repeats this, for the file.
    """
    surrogate = rule.surrogate if isinstance(rule, EdgeRule | NetRule) else None
    if surrogate is None:
        return Certified(Verdict.UNDECIDED, NO_LOSS)
    distribution = Distribution.from_aggregate(profile.wins, profile.items)
    provenance = {"command": command, "note": "; ".join((profile.title, *profile.notes))}
    try:
        found = certify(
            surrogate,
            distribution,
            provenance=provenance,
            decimals=_DECIMALS,
            best=best,
            quick=profile.m >= _MANY,
        )
    except UnsupportedError as error:
        return Certified(Verdict.UNDECIDED, str(error))
    if found is None:
        return Certified(Verdict.UNDECIDED, _NO_PROOF)
    verdict = Verdict.INCONSISTENT if found.inconsistent else Verdict.CONSISTENT
    return Certified(verdict, found.verified.sentence, found)
