"""An audit that shows itself: as text, a document, rows, a page, a chart."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, final

from consistency_lab.apps.audit.audit import Audit, Finding, audit
from consistency_lab.apps.audit.board import Board
from consistency_lab.apps.audit.elections import Elected
from consistency_lab.apps.audit.flips import Flip
from consistency_lab.apps.audit.losses import DEFAULT, Parts
from consistency_lab.apps.audit.noise import DEVIATION, Null, PairTests
from consistency_lab.apps.audit.page import audit_fragment, audit_html, bump_svg
from consistency_lab.apps.audit.screen import audit_lines, instead, item_rows, line1, next_words
from consistency_lab.apps.audit.words import (
    Facts,
    Judged,
    Measured,
    answer,
    best_order,
    bradley_terry,
    groups,
    sentence,
    standing,
    unbounded,
)
from consistency_lab.certify.addition import ByAddition, Schedules, more_comparisons
from consistency_lab.certify.witness import Witness
from consistency_lab.data.profile import Profile, read_profile
from consistency_lab.errors import InputError, need
from consistency_lab.files import write_atomic
from consistency_lab.model.checked import checked, fitting
from consistency_lab.show.answer import DESIGN, REPAIRS, added_up
from consistency_lab.show.cards import in_python
from consistency_lab.show.documents import Record, Share
from consistency_lab.show.text import decimal, rendered
from consistency_lab.show.witness import Files, file_of
from consistency_lab.shown import Shown
from consistency_lab.solve.kemeny import KemenyOrder

if TYPE_CHECKING:
    from pandas import DataFrame


# --- An audit as one JSON document -----------------------------------------------------------------------
# Its parts are given where witnesses were saved, and the audit with what follows from it.


def _names(order: Sequence[int], files: Files, facts: Facts) -> list[str]:
    return [facts.audit.profile.items[i] for i in order]


def _name(item: int, files: Files, facts: Facts) -> str:
    return facts.audit.profile.items[item]


def _share(known: Measured | None) -> dict[str, Share] | None:
    """A share with its 95 % interval by Wilson."""
    return None if known is None else {"share": known[0], "low": known[1][0], "high": known[1][1]}


def _witness(finding: Finding, files: Files | None) -> Witness | None:
    """Of what a theorem decides there is a file only where one was asked for; of all none without `files`."""
    if files is None:
        return None
    return finding.certified.witness if files or finding.certified.theorem is None else None


def _digest(finding: Finding, files: Files | None) -> str | None:
    witness = _witness(finding, files)
    return None if witness is None else witness.digest


_CONTRADICTION: Final = Record(
    Judged,
    "preferred=found.above over=found.below votes=found.votes against=found.against p "
    "p_corrected=corrected in_resamples=measured above_noise=above",
    about={
        "above_noise": "Whether the corrected p-value is below .05, and resamples show the contradiction, "
        "corrected for all such majorities; null where that cannot be told."
    },
    preferred=_name,
    over=_name,
    in_resamples=_share,
)


def _added_up(proof: ByAddition | None, files: Files, facts: Facts) -> list[dict[str, str | int]] | None:
    return added_up(proof, facts.audit.profile.items)


_FLIP: Final = Record(
    Flip,
    "above below votes=size at_least=fewest proved=sufficient",
    above=_name,
    below=_name,
    about={
        "votes": "So many suffice: without them the first item is not above the second one.",
        "at_least": "No fewer do; null where that is not proved.",
        "proved": "Whether it is proved that they suffice; else floats say so.",
    },
)
_FINDING: Final = Record(
    Finding,
    "loss=rule.name title=rule.title order scores=. components=parts tied verdict=certified.verdict note=. "
    "reason=certified.reason theorem=certified.theorem failure=certified.failure "
    "by_addition=certified.by_addition repairs=certified.repairs digest=. witness=. cost "
    "more=. kendall top_1 top_3 above_noise=. first_in_resamples=. contradictions=. flip sentence=.",
    about={
        "scores": "Of the items in this order, as decimals.",
        "components": "Between which items the loss leaves the distance open, level by level from the top; "
        "without a minimizer the levels move apart forever.",
        "tied": "How many neighbors in the order are tied.",
        "note": "The verdict in words, and whether it is above noise.",
        "theorem": "What decides it without a file, which is made only where files are saved; else null.",
        "by_addition": "The pairs of items that adding comparisons up puts in order, the upper one first, by "
        "which rule, and the radius: no removal of fewer comparisons changes that. Null where it proves "
        "nothing of a loss.",
        "witness": "Where the file was saved, from the folder of audits.",
        "more": "How many votes more than the best order it contradicts.",
        "top_1": "Null where comparisons do not link all items.",
        "first_in_resamples": "A share of the resamples with its 95 % interval by Wilson; null without "
        "resamples.",
        "contradictions": "Majorities for one item over another that the order contradicts.",
    },
    order=_names,
    scores=(list[str], lambda one: [decimal(float(one.scores[i])) for i in one.order]),
    components=Record(
        Parts,
        "levels attained",
        levels=(
            list[list[list[str]]],
            lambda levels, files, facts: [[_names(part, files, facts) for part in level] for level in levels],
        ),
    ),
    note=standing,
    by_addition=_added_up,
    repairs=REPAIRS,
    digest=_digest,
    witness=(str | None, lambda one, files: file_of(_witness(one, files), files or {})),
    more=(
        dict[str, Fraction],
        lambda one, files, facts: dict(zip(("at_least", "at_most"), facts.audit.more(one), strict=True)),
    ),
    above_noise=(int | None, lambda one, files, facts: facts.above_noise(one)),
    first_in_resamples=(dict[str, Share] | None, lambda one, files, facts: _share(facts.first_share(one))),
    contradictions=(
        list[Annotated[Any, _CONTRADICTION]],
        lambda one, files, facts: _CONTRADICTION(
            [facts.judged(one, found) for found in one.contradictions], files, facts
        ),
    ),
    flip=_FLIP,
    sentence=(str, lambda one, files, facts: sentence(facts, one)),
)


def _items(board: Board, facts: Facts) -> list[dict[str, Any]]:
    names = facts.audit.profile.items
    keys = ("score", "low", "high", "rank", "best", "worst", "first")
    columns = (board.scores, board.low, board.high, board.ranks, board.best, board.worst, board.first)
    rows = zip(board.items, *(column.tolist() for column in columns), strict=True)
    return [
        {"item": names[item], **{key: x if isfinite(x) else None for key, x in zip(keys, row, strict=True)}}
        for item, *row in rows
    ]


def _more(one: Schedules, files: Files, facts: Facts) -> list[dict[str, str | int]]:
    items = facts.audit.profile.items
    pairs = () if one.room > 0 else more_comparisons(facts.audit.wins, one)[:_MOST_MORE]
    return [
        {"first": items[x.first], "second": items[x.second], "times": x.times, "nearer": str(x.nearer)}
        for x in pairs
    ]


_MOST_MORE: Final = 3
_PROFILE: Final = Record(
    Profile,
    "title format items groups=. total=voters counted conditions=. notes left_out=contents.left",
    about={
        "format": "The format of the data, for people.",
        "groups": "Items that a chain of comparisons links; between two groups nothing is known, and no item "
        "is first.",
        "counted": "What the total counts.",
        "conditions": "The noise conditions, and whether they hold; empty where they were not looked for.",
        "left_out": "How many of the rows or queries of a file are not among the data, and why.",
    },
    groups=(
        list[list[str]],
        lambda _, files, facts: [_names(group, files, facts) for group in facts.audit.groups],
    ),
    total=(str, str),
    conditions=(dict[str, bool], lambda _, files, facts: facts.conditions),
)
DOCUMENT: Final = Record(
    Audit,
    "line1=. items=. instead=. next=. answer=. "
    "profile resamples simulations drawn=profile.votes.unit seed best boards bradley_terry=null "
    "design schedules findings elected sentences=.",
    format="consistency-lab/audit/1",
    about={
        "line1": "Who leads, or, before that, which majority above noise is contradicted.",
        "items": "By the loss that the table shows: the first that contradicts no majority above noise.",
        "instead": "Where a loss contradicts a majority above noise: those that do not, else what is right.",
        "next": "How many comparisons of which items would show their majority with a power of 80 %.",
        "drawn": "What is drawn with replacement, and played together; null where there are no single votes.",
        "boards": "Of each group of linked items, by the loss in the table: the score less the mean of "
        "those with an interval, its rank from 1, their 95 % intervals from resamples, and the share of "
        "resamples in which it is first, tied items a part each; null where there is no such number.",
        "best": "The order of least disagreement that was found, its cost, and what every order is proved to "
        "cost.",
        "bradley_terry": "The misfit of Bradley-Terry, what 95 % of simulations of the fitted model do not "
        "exceed, and the share with at least as much, p. Above chance: p is below .05; null where there are "
        "too few simulations. Power: in what share of such data a misfit is found if the log-odds of pairs "
        f"deviate by N(0, {DEVIATION}²); null where one was found, and for ballots. How many majorities it "
        "contradicts, and how many in simulations: their mean and the ends of the middle 95 %.",
    },
    line1=(str, lambda audit, files, facts: line1(facts)),
    items=(list[dict[str, str | int | float | None]], lambda audit, files, facts: item_rows(audit)),
    instead=(list[str], lambda audit, files, facts: instead(audit)),
    next=(str | None, lambda audit, files, facts: next_words(audit) or None),
    answer=(str, lambda audit, files, facts: answer(facts)),
    profile=_PROFILE,
    boards=(
        list[list[dict[str, str | int | float | None]]],
        lambda boards, files, facts: [_items(one, facts) for one in boards],
    ),
    best=Record(KemenyOrder, "order cost at_least optimal=is_optimal", order=_names),
    bradley_terry=Record(
        Null,
        "misfit misfit_if_true=misfit_high p=share above_chance=is_above power contradicted=found "
        "mean_if_true=mean low_if_true=low high_if_true=high",
    ),
    design=DESIGN,
    elected=Record(
        Elected,
        "rule winners why",
        winners=(list[str], lambda winners, files, facts: [facts.audit.profile.items[k] for k in winners]),
    ),
    schedules=Record(
        Schedules,
        "above below factor gap apart distance more=.",
        about={
            "factor": "That leaves most room, or 1 where that proves the order; a text.",
            "gap": "The net wins of the upper item times the factor, less those of the lower one.",
            "apart": "The sum over other items k of |factor n_ik - n_jk|; a larger gap proves the order for "
            "the logistic loss.",
            "distance": "The least such sum, whatever the factor.",
            "more": "Where the order is not proved: the three pairs of items of which more comparisons bring "
            "the sum down most; how these will end is not known.",
        },
        above=_name,
        below=_name,
        factor=(str, str),
        more=(list[dict[str, str | int]], _more),
    ),
    findings=_FINDING,
    sentences=(
        list[str],
        lambda audit, files, facts: [
            told
            for told in (
                groups(audit),
                *(unbounded(audit, one) for one in audit.boards),
                best_order(audit),
                bradley_terry(facts),
            )
            if told
        ],
    ),
)


def audit_document(audit: Audit, files: Files | None) -> dict[str, Any]:
    """Everything that an audit found; exact numbers are text, what rests on floats is a number.

    Without `files` no file is made to tell its digest.
    """
    return dict(DOCUMENT(audit, files, Facts(audit)))


# --- An audit as rows of a table, one a rule -------------------------------------------------------------

Row = dict[str, str | int | float | bool | None]


def audit_rows(audit: Audit) -> list[Row]:
    """One row for each rule, all with the same keys; exact numbers are text."""
    facts = Facts(audit)
    return [_row(facts, finding) for finding in audit.findings]


def _row(facts: Facts, finding: Finding) -> Row:
    audit = facts.audit
    profile, items = audit.profile, audit.profile.items
    low, high = audit.more(finding)
    largest = facts.foremost(finding)
    majority = None if largest is None else largest.found
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
        "preferred": None if majority is None else items[majority.above],
        "over": None if majority is None else items[majority.below],
        "votes": None if majority is None else str(majority.votes),
        "against": None if majority is None else str(majority.against),
        "p": None if largest is None else largest.p,
        "p_corrected": None if largest is None else largest.corrected,
        "in_resamples": None if largest is None or largest.measured is None else largest.measured[0],
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


# --- The bump chart of the page, alone -------------------------------------------------------------------


@final
@dataclass(frozen=True, repr=False, eq=False)
class AuditChart:
    """How each rule orders the items, as SVG: a notebook shows it as it is."""

    title: str  #: What it shows, one phrase.
    svg: str  #: The chart, a file as it is.

    def save(self, path: Path) -> None:
        """Write it to a file, all of it or nothing."""
        if path.suffix.lower() != ".svg":
            raise InputError(f"{path} cannot hold the chart; its name must end in .svg")
        write_atomic(path, self.svg)

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Chart: {self.title}"


# --- An audit that shows itself: as text, in a notebook, as a data frame, as a picture -------------------


@final
@checked
@dataclass(frozen=True, repr=False, eq=False)
class AuditReport(Shown):
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
        """Whether Bradley-Terry fits, and what it contradicts; None if that is not known."""
        return self.audit.null

    def __str__(self) -> str:
        return "\n".join(rendered(audit_lines(self.audit)))

    def __repr__(self) -> str:
        return "\n".join(in_python(audit_lines(self.audit), ("to_frame()", "plot()", "html()")))

    def summary(self) -> str:
        """The screen of the command line."""
        return repr(self)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return audit_fragment(self.audit)

    def html(self) -> str:
        """A page that needs nothing else."""
        return audit_html([self.audit])

    def document(self) -> dict[str, object]:
        """Everything as JSON (docs/schemas.json)."""
        return audit_document(self.audit, {})

    @checked
    def to_frame(self, rows: Literal["items", "losses"] = "items") -> "DataFrame":
        """A row for each item, or for each loss.

        Raises
        ------
        UnsupportedError
            If pandas is not installed.
        """
        need("pandas", "to_frame")
        from pandas import DataFrame

        return DataFrame((item_rows if rows == "items" else audit_rows)(self.audit))

    def plot(self) -> AuditChart:
        """How each rule orders the items, as on the page."""
        return AuditChart(f"How each loss orders the items: {self.profile.title}", bump_svg(self.audit))


@checked
def audit_profile(
    profile: "Profile | str | PathLike[str] | DataFrame",
    losses: Sequence[str] | str = DEFAULT,
    **options: Any,
) -> AuditReport:
    """Run losses on a profile, side by side; the options are those of `apps.audit.audit.audit`.

    Parameters
    ----------
    profile
        From `read_profile`, `Reading` or one of the `Profile.from_...`; or what `read_profile` reads; or a
        data frame of games whose columns are called as in a file.
    losses
        Names or aliases, or one of them.

    Examples
    --------
    >>> from consistency_lab.data.profile import Profile
    >>> pairs = [("A", "B"), ("B", "C"), ("A", "C")]
    >>> found = audit_profile(Profile.from_pairs(pairs), ["borda"], resamples=0, simulations=0)
    >>> print(str(found).splitlines()[1])
    pairs: 3 comparisons, 3 items.
    """
    if isinstance(profile, str | PathLike):
        profile = read_profile(profile)
    elif hasattr(profile, "columns"):
        profile = Profile.from_pandas(profile)
    profile = fitting(profile, "profile", Profile | str | PathLike[str])
    losses = (losses,) if isinstance(losses, str) else losses
    return AuditReport(audit(profile, losses, **options))
