"""An audit that shows itself: as text, in a notebook, as a data frame, as a picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, final

from consistency_lab.audits.audit import Audit, Finding, audit
from consistency_lab.audits.losses import DEFAULT
from consistency_lab.audits.noise import PairTests
from consistency_lab.audits.null import Null
from consistency_lab.checked import checked
from consistency_lab.data.profile import Profile, read_profile
from consistency_lab.errors import InputError
from consistency_lab.extras import need
from consistency_lab.report.audit.document import audit_document
from consistency_lab.report.audit.page import audit_fragment, audit_html
from consistency_lab.report.audit.plot import audit_picture
from consistency_lab.report.audit.rows import audit_rows
from consistency_lab.report.audit.text import audit_lines
from consistency_lab.report.pictures.canvas import Picture
from consistency_lab.report.text import rendered
from consistency_lab.solve.ordering.kemeny import KemenyOrder

if TYPE_CHECKING:
    from pandas import DataFrame


@final
@checked
@dataclass(frozen=True, repr=False, eq=False)
class AuditReport:
    """What an audit found, in every form.

    Parameters
    ----------
    audit
        The audit itself.
    """

    audit: Audit

    @property
    def profile(self) -> Profile:
        """The data."""
        return self.audit.profile

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What each rule does."""
        return self.audit.findings

    @property
    def best(self) -> KemenyOrder:
        """An order that contradicts the fewest votes, and how good it is proved to be."""
        return self.audit.best

    @property
    def tests(self) -> PairTests | None:
        """Of each majority, whether it is more than chance; None if there are no single votes."""
        return self.audit.tests

    @property
    def null(self) -> Null | None:
        """What Bradley-Terry would contradict if it were true; None if that is not known."""
        return self.audit.null

    def __str__(self) -> str:
        return "\n".join(rendered(audit_lines(self.audit)))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return audit_fragment(self.audit)

    def html(self) -> str:
        """A page that needs nothing else."""
        return audit_html([self.audit])

    def document(self) -> dict[str, object]:
        """Everything as JSON (audit.schema.json)."""
        return audit_document(self.audit, {})

    def to_frame(self) -> "DataFrame":
        """A row for each rule.

        Raises
        ------
        UnsupportedError
            If pandas is not installed.
        """
        need("pandas", "to_frame")
        from pandas import DataFrame

        return DataFrame(audit_rows(self.audit))

    def plot(self) -> Picture:
        """How each rule orders the items.

        Raises
        ------
        UnsupportedError
            If Matplotlib is not installed.
        """
        return audit_picture(self.audit)


@checked
def audit_profile(
    profile: Profile | str | PathLike[str], losses: Sequence[str] | str = DEFAULT, **options: Any
) -> AuditReport:
    """Run losses on a profile, side by side; the options are those of `consistency_lab.audits.audit.audit`.

    Parameters
    ----------
    profile
        From `read_profile`, `Reading` or one of the `Profile.from_...`; or what `read_profile` reads.
    losses
        Names or aliases, or one of them.

    Raises
    ------
    InputError
        If it is something else, or a loss is not known.

    Examples
    --------
    >>> from consistency_lab.data import Profile
    >>> pairs = [("A", "B"), ("B", "C"), ("A", "C")]
    >>> found = audit_profile(Profile.from_pairs(pairs), ["borda"], resamples=0, simulations=0)
    >>> print(str(found).splitlines()[0])
    pairs: 3 comparisons, 3 items, net-order, strong-stochastic-transitivity, not low-noise
    """
    if isinstance(profile, str | PathLike):
        profile = read_profile(profile)
    if not isinstance(profile, Profile):
        raise InputError(
            f"an audit is about a profile, and a {type(profile).__name__} is given; make one with "
            "read_profile, Profile.from_pandas, from_matrix, from_pairs or from_rankings"
        )
    losses = (losses,) if isinstance(losses, str) else losses
    return AuditReport(audit(profile, losses, **options))
