"""What is proved about a rule at the votes of a profile."""

from typing import Final

from consistency_lab.apps.audit.losses import Rule
from consistency_lab.data.profile import Profile
from consistency_lab.decide.answers import Verdict
from consistency_lab.decide.certified import Certified
from consistency_lab.decide.certified import certified as certified_at
from consistency_lab.model.distribution import Distribution
from consistency_lab.solve.kemeny import KemenyOrder

NO_LOSS: Final = "it is not a loss of the catalogue, so nothing is proved about it"


def certified(rule: Rule, profile: Profile, best: KemenyOrder | None = None, command: str = "") -> Certified:
    """Prove what can be proved about a rule on a profile."""
    if rule.surrogate is None:
        return Certified(Verdict.UNDECIDED, NO_LOSS)
    said = {"command": command, "note": "; ".join((profile.title, *profile.notes))}
    return certified_at(rule.surrogate, Distribution.from_aggregate(profile.wins, profile.items), best, said)
