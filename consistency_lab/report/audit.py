"""An audit that shows itself: as text, a document, rows, a page, a picture."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, Final, final

from consistency_lab.audits.audit import Audit, Finding, audit
from consistency_lab.audits.findings import Contradiction
from consistency_lab.audits.losses import DEFAULT
from consistency_lab.audits.noise import Null, PairTests
from consistency_lab.checked import checked
from consistency_lab.data.profile import Profile, read_profile
from consistency_lab.extras import need
from consistency_lab.frozen import record
from consistency_lab.report.answer import Files
from consistency_lab.report.audit_page import (
    COLORS,
    GRAY,
    audit_fragment,
    audit_html,
    standings,
)
from consistency_lab.report.audit_text import Facts, audit_lines, best_order, bradley_terry, groups, sentence
from consistency_lab.report.canvas import Picture, drawable
from consistency_lab.report.text import decimal, rendered
from consistency_lab.solve.kemeny import KemenyOrder

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame


# --- An audit as one JSON document (audit.schema.json, beside this file) ---------------------------------

FORMAT: Final = "consistency-lab/audit/1"


def audit_document(audit: Audit, files: Files) -> dict[str, object]:
    """Everything that an audit found; exact numbers are text, what rests on floats is a number.

    Parameters
    ----------
    audit
        The audit.
    files
        Where witnesses were saved, by digest.

    Examples
    --------
    >>> from consistency_lab.audits.audit import audit
    >>> from consistency_lab.data import read_profile
    >>> found = audit(read_profile("vermont.toc"), ["linear"], resamples=0, simulations=0)
    >>> audit_document(found, {})["best"]
    {'order': ['Beck', 'Willhoit', 'Fay', 'South'], 'cost': '3159', 'at_least': '3159', 'optimal': True}
    """
    facts, profile, best, null = Facts(audit), audit.profile, audit.best, audit.null
    return {
        "format": FORMAT,
        "profile": {
            "title": profile.title,
            "format": profile.format,
            "items": list(profile.items),
            "groups": [[profile.items[i] for i in group] for group in audit.groups],
            "total": str(profile.voters),
            "counted": profile.counted,
            "conditions": dict(facts.conditions),
            "notes": list(profile.notes),
            "left_out": [asdict(one) | {"why": list(one.why)} for one in profile.contents.left],
        },
        "resamples": audit.resamples,
        "simulations": audit.simulations,
        "drawn": None if profile.votes is None else profile.votes.unit,
        "seed": audit.seed,
        "best": {
            "order": [profile.items[i] for i in best.order],
            "cost": str(best.cost),
            "at_least": str(best.at_least),
            "optimal": best.is_optimal,
        },
        "bradley_terry": record(
            null,
            "contradicted=found mean_if_true=mean low_if_true=low high_if_true=high share_as_many=share "
            "largest largest_if_true=largest_high share_as_large above_chance=is_above",
        ),
        "findings": [_finding(facts, finding, files) for finding in audit.findings],
        "sentences": [told for told in (groups(audit), best_order(audit), bradley_terry(facts)) if told],
    }


def _finding(facts: Facts, finding: Finding, files: Files) -> dict[str, object]:
    audit, items = facts.audit, facts.audit.profile.items
    known, flip = finding.certified, finding.flip
    low, high = audit.more(finding)
    # Of what a theorem decides there is a file only where one was asked for.
    witness = known.witness if files or known.theorem is None else None
    path = None if witness is None else files.get(witness.digest)
    return {
        "loss": finding.rule.name,
        "title": finding.rule.title,
        "order": [items[i] for i in finding.order],
        "scores": [decimal(float(finding.scores[i])) for i in finding.order],
        "components": None
        if finding.parts is None
        else {
            "levels": [[[items[i] for i in part] for part in level] for level in finding.parts.levels],
            "attained": finding.parts.attained,
        },
        "tied": finding.tied,
        "verdict": str(known.verdict),
        "reason": known.reason,
        "theorem": known.theorem,
        "failure": known.failure,
        "digest": None if witness is None else witness.digest,
        "witness": None if path is None else str(path),
        "cost": str(finding.cost),
        "more": {"at_least": str(low), "at_most": str(high)},
        "kendall": finding.kendall,
        "top_1": finding.top_1,
        "top_3": finding.top_3,
        "above_noise": facts.above_noise(finding),
        "first_in_resamples": _share(facts.first_share(finding)),
        "contradictions": [_contradiction(facts, finding, found) for found in finding.contradictions],
        "flip": None
        if flip is None
        else {
            "above": items[flip.above],
            "below": items[flip.below],
            "votes": flip.size,
            "at_least": flip.fewest,
            "proved": flip.sufficient,
        },
        "sentence": sentence(facts, finding),
    }


def _contradiction(facts: Facts, finding: Finding, found: Contradiction) -> dict[str, object]:
    items, noise = facts.audit.profile.items, facts.noise(finding, found)
    known = None if noise.share is None or noise.interval is None else (noise.share, noise.interval)
    return {
        "preferred": items[found.above],
        "over": items[found.below],
        "votes": str(found.votes),
        "against": str(found.against),
        "p": noise.p,
        "p_corrected": noise.corrected,
        "in_resamples": _share(known),
        "above_noise": noise.above,
    }


def _share(known: tuple[float, tuple[float, float]] | None) -> dict[str, float] | None:
    """A share with its 95 % interval by Wilson."""
    if known is None:
        return None
    share, (low, high) = known
    return {"share": share, "low": low, "high": high}


# --- An audit as rows of a table, one a rule -------------------------------------------------------------

Row = dict[str, str | int | float | bool | None]


def audit_rows(audit: Audit) -> list[Row]:
    """One row for each rule, all with the same keys; exact numbers are text.

    Examples
    --------
    >>> from consistency_lab.audits.audit import audit
    >>> from consistency_lab.data import read_profile
    >>> found = audit(read_profile("vermont.toc"), ["logistic"], resamples=0, simulations=0)
    >>> row = audit_rows(found)[0]
    >>> row["loss"], row["preferred"], row["votes"], row["against"]
    ('logistic', 'Willhoit', '777', '752')
    """
    facts = Facts(audit)
    return [_row(facts, finding) for finding in audit.findings]


def _row(facts: Facts, finding: Finding) -> Row:
    audit = facts.audit
    profile, items = audit.profile, audit.profile.items
    low, high = audit.more(finding)
    largest = audit.foremost(finding)
    noise = None if largest is None else facts.noise(finding, largest)
    first = facts.first_share(finding)
    return {
        "profile": profile.title,
        "items": profile.m,
        "total": str(profile.voters),
        "counted": profile.counted,
        "conditions": " ".join(facts.narrowest),
        "loss": finding.rule.name,
        "verdict": str(finding.certified.verdict),
        "first": items[finding.order[0]] if len(audit.groups) == 1 else None,
        "best_first": items[audit.best.order[0]] if len(audit.groups) == 1 else None,
        "contradicted": len(finding.contradictions),
        "above_noise": facts.above_noise(finding),
        "preferred": None if largest is None else items[largest.above],
        "over": None if largest is None else items[largest.below],
        "votes": None if largest is None else str(largest.votes),
        "against": None if largest is None else str(largest.against),
        "p": None if noise is None else noise.p,
        "p_corrected": None if noise is None else noise.corrected,
        "in_resamples": None if noise is None else noise.share,
        "first_in_resamples": None if first is None else first[0],
        "more_at_least": str(low),
        "more_at_most": str(high),
        "kendall": finding.kendall,
        "top_1": finding.top_1,
        "top_3": finding.top_3,
        "tied": finding.tied,
        "flip": None if finding.flip is None else finding.flip.size,
        "flip_at_least": None if finding.flip is None else finding.flip.fewest,
        "reason": finding.certified.reason,
    }


# --- The bump chart as a picture of Matplotlib, for papers -----------------------------------------------

_NAMES, _HEAD, _STEP, _ROW = 2.2, 1.2, 1.1, 0.32
_LONGEST: Final = 26
_DASHES: Final = ("-", "--", ":", "-.")


def audit_picture(audit: Audit) -> Picture:
    """How each rule orders the items.

    Raises
    ------
    UnsupportedError
        If Matplotlib is not installed.
    """
    need("matplotlib", "the picture of an audit")
    found = standings(audit)
    width, height = _NAMES + _STEP * len(found.names), _HEAD + _ROW * len(found.shown)
    return Picture(f"How each loss orders the items: {audit.profile.title}", width, height, _Drawing(audit))


@final
@dataclass(frozen=True, eq=False)
class _Drawing:
    audit: Audit

    def __call__(self, figure: "Figure") -> None:
        found = standings(self.audit)
        axes = figure.subplots()
        for item in found.shown:
            color, dash, width = GRAY, "-", 1.0
            if item in found.moving:
                turn = found.moving.index(item)
                color, width = COLORS[turn % len(COLORS)], 2.2
                dash = _DASHES[turn // len(COLORS) % len(_DASHES)]
            y = [place[item] for place in found.places]
            axes.plot(range(len(y)), y, dash, color=color, linewidth=width, zorder=width)
            axes.scatter(range(len(y)), y, s=150, color="white", edgecolors=color, zorder=3)
            for column, (place, rank) in enumerate(zip(y, found.ranks, strict=True)):
                said = str(rank[item])
                axes.text(column, place, said, ha="center", va="center", fontsize=7, zorder=4)
        names = drawable(self.audit.profile.items, _LONGEST)
        axes.set_yticks(range(len(found.shown)), [names[item] for item in found.shown], parse_math=False)
        axes.set_xticks(range(len(found.names)), found.names, rotation=35, ha="left", parse_math=False)
        axes.xaxis.tick_top()
        axes.invert_yaxis()
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)


# --- An audit that shows itself: as text, in a notebook, as a data frame, as a picture -------------------


@final
@checked
@dataclass(frozen=True, repr=False, eq=False)
class AuditReport:
    """What an audit found, in every form."""

    audit: Audit  #: The audit itself.

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
    losses = (losses,) if isinstance(losses, str) else losses
    return AuditReport(audit(profile, losses, **options))
