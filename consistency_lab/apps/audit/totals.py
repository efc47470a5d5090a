"""Audits of many profiles added up, in any order: how often a loss is wrong, and what stands out."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated, Any, Final, NamedTuple, final

from consistency_lab.apps.audit.audit import NO_LOSS
from consistency_lab.data.rows import WARNING, LeftOut
from consistency_lab.decide.answers import Verdict
from consistency_lab.show.documents import Record
from consistency_lab.show.text import Blocks, Line, inset, listed, paragraph, tabular

_SHOWN: Final = 10
"""So many findings and reasons are shown."""

_NAMED: Final = 3
_COLUMNS: Final = ("", "wrong", "above noise", "right", "undecided")


@final
class Found(NamedTuple):
    """A contradiction that is above noise."""

    share: Fraction
    name: str
    title: str
    loss: str
    preferred: str
    over: str
    votes: str
    against: str


@final
@dataclass(slots=True)
class Totals:
    """What was found in many audits, added up one by one."""

    audited: int = 0
    decided: int = 0
    unknown: int = 0  #: Findings of which it is not known whether a contradiction is above noise.
    cells: Counter[tuple[str, str]] = field(default_factory=Counter)
    undecided: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    found: list[Found] = field(default_factory=list)
    left: dict[tuple[str, str], LeftOut] = field(default_factory=dict)
    sliced: bool = False  #: Whether the audits are of slices of one table.
    #: Of each audit by its place: the title, how many votes, who leads ("" if nobody), and in what share.
    slices: dict[int, tuple[Any, ...]] = field(default_factory=dict)
    shared: frozenset[str] | None = None  #: The items that all slices have.
    _first: dict[str, tuple[int, str]] = field(default_factory=dict)

    def add(self, place: int, name: str, document: Mapping[str, Any]) -> None:
        """Add the document of an audit, which has this place among all."""
        self.audited += 1
        if self.sliced:
            told, items = document["profile"], document["items"]
            first = items[0] if items and len(told["groups"]) == 1 else {"item": "", "first": None}
            self.slices[place] = told["title"], told["total"], first["item"], first["first"]
            names = frozenset[str](told["items"])
            self.shared = names if self.shared is None else self.shared & names
        for one in document["profile"]["left_out"]:
            self.left[one["file"], one["what"]] = LeftOut(**one | {"why": tuple(one["why"])})
        undecided = False
        for finding in document["findings"]:
            loss, verdict, above = finding["loss"], finding["verdict"], finding["above_noise"]
            self.cells[loss, verdict] += 1
            if verdict == Verdict.UNDECIDED:
                undecided |= finding["reason"] != NO_LOSS
                self._count(self.undecided, finding["reason"], place, name)
            self.unknown += above is None
            if above:
                self.cells[loss, "above noise"] += 1
                self.found.append(_largest(name, document, finding))
        self.decided += not undecided
        self.found.sort(key=lambda one: (-one.share, one.name, one.loss))

    def refuse(self, place: int, name: str, why: str) -> None:
        """Add a profile that could not be read or audited."""
        self._count(self.refused, why.replace(name, "the file"), place, name)

    def _count(self, where: Counter[str], why: str, place: int, name: str) -> None:
        kind = re.sub(r"'[^']*'", "'…'", re.sub(r"\d+", "N", why))
        where[kind] += 1
        self._first[kind] = min(self._first.get(kind, (place, name)), (place, name))

    @property
    def verdict(self) -> Verdict:
        """INCONSISTENT if some loss is certainly wrong somewhere, else UNDECIDED if one is undecided."""
        if any(verdict == Verdict.INCONSISTENT for _, verdict in self.cells):
            return Verdict.INCONSISTENT
        return Verdict.CONSISTENT if self.decided == self.audited else Verdict.UNDECIDED

    def verdict_on(self, fail_on: str) -> Verdict:
        """The same where only what is above noise counts as wrong, as in the answer, or nothing does."""
        if fail_on == "wrong":
            return self.verdict
        if fail_on == "never":
            return Verdict.CONSISTENT
        if self.found:
            return Verdict.INCONSISTENT
        return Verdict.UNDECIDED if self.unknown or self.decided < self.audited else Verdict.CONSISTENT

    def lines(self, details: bool) -> Iterator[Line]:
        """The summary, for a person; of slices only who leads, unless the details are asked for."""
        refused = self.refused.total()
        if self.shared:
            yield from self._slices()
            if not details:
                yield from self._in_short()
                return
        yield from paragraph(
            f"{self.audited + refused} instances: {self.decided} decided for every loss, "
            f"{self.audited - self.decided} undecided for some, {refused} not audited.",
            indent=0,
            hanging=0,
        )
        yield from self._left_out(_SHOWN)
        if self.losses:
            yield ""
            rows = [(loss, *map(str, self.row(loss).values())) for loss in self.losses]
            yield Blocks((_COLUMNS, *rows), 2)
        yield from self._reasons("Not audited", self.refused)
        yield from self._reasons("Undecided", self.undecided)
        yield ""
        if not self.found:
            yield "No majority above noise is contradicted."
            return
        said: dict[str, list[str]] = {}
        for one in self.found:
            said.setdefault(_words(one), []).append(one.loss)
        shown = f"; the {_SHOWN} of the largest share" if len(said) > _SHOWN else ""
        yield f"Contradicted above noise: {len(self.found)} findings{shown}:"
        for words, losses in list(said.items())[:_SHOWN]:
            yield from paragraph(f"{words} ({', '.join(losses)})", indent=2, hanging=4)

    def _slices(self) -> Iterator[Line]:
        """Who leads in which slice, and where that is another item than in most."""
        rows = [self.slices[place] for place in sorted(self.slices)]
        (most, count), *_ = Counter(leader for _, _, leader, _ in rows if leader).most_common(1) or [("", 0)]
        others = [f"{leader or 'nobody'} in {title}" for title, _, leader, _ in rows if leader != most]
        rest = f", {len(others) - _NAMED} more differ" if len(others) > _NAMED else ""
        but = f"; {listed(others[:_NAMED])}{rest}" if others else ""
        where = f"all {count}" if not others else f"{count} of {len(rows)}"
        yield from paragraph(f"{most or 'Nobody'} leads in {where} slices{but}.", indent=0, hanging=0)
        yield ""
        cells = [
            (
                title,
                grouped(total),
                leader or "nobody",
                "unknown" if share is None else f"{100 * share:.0f} %",
            )
            + (("differs",) if leader != most else ("",))
            for title, total, leader, share in rows[:_SHOWN]
        ]
        yield from tabular([("slice", "votes", "leads", "resamples", ""), *cells], indent=1, right=(1, 3))
        if len(rows) > _SHOWN:
            yield f" {len(rows) - _SHOWN} more: --json, --csv FILE"
        yield ""

    def _in_short(self) -> Iterator[Line]:
        """What is wrong in which slices, in a sentence, and what is not in the table."""
        in_slices = f" of {self.audited} slices"
        kinds = {key: self._often(key, in_slices) for key in ("wrong", "above_noise", "undecided")}
        said = "No loss goes against a majority above noise"
        if self.found:
            said = f"Against a majority above noise goes {kinds['above_noise']}"
        elif kinds["wrong"]:
            said += f"; wrong at these very votes: {kinds['wrong']}"
        yield from paragraph(f"{said}.", indent=0, hanging=0)
        if self.found:
            yield from paragraph(f"Most clearly: {_words(self.found[0])}.", indent=0, hanging=0)
        if kinds["undecided"]:
            yield from paragraph(f"Undecided: {kinds['undecided']}.", indent=0, hanging=0)
        if self.refused:
            yield f"{self.refused.total()} more slices could not be audited (--details)."
        yield from self._left_out(1)
        yield ""
        yield " more:    --details   --json   --html FILE   --csv FILE"

    def _often(self, key: str, of: str) -> str:
        """Which losses have this verdict in how many slices."""
        counts = [(loss, count) for loss in self.losses if (count := self.row(loss)[key])]
        return listed([f"{loss} in {n}{'' if k else of}" for k, (loss, n) in enumerate(counts)])

    def _left_out(self, most: int) -> Iterator[Line]:
        """What is left out and why, the largest shares first."""
        told = [
            f"{WARNING}{one.file}: {note.removeprefix(WARNING)}"
            if note.startswith(WARNING)
            else f"{one.file}: {note}."
            for one in self.left_outs
            for note in (*one.warning, *one.why)
        ]
        for note in told[:most]:
            yield from inset(note)
        if len(told) > most:
            yield f"  {len(told) - most} more sentences on what is left out are in --json."

    @property
    def left_outs(self) -> list[LeftOut]:
        """What is left out, the largest shares first."""
        return sorted(self.left.values(), key=lambda one: (-one.count / one.of, one.file, one.what))

    @property
    def losses(self) -> Sequence[str]:
        """The names of the losses."""
        return list(dict.fromkeys(loss for loss, _ in self.cells))

    def row(self, loss: str) -> dict[str, int]:
        """How often a loss has which verdict."""
        asked = {
            "wrong": Verdict.INCONSISTENT,
            "above_noise": "above noise",
            "right": Verdict.CONSISTENT,
            "undecided": Verdict.UNDECIDED,
        }
        return {key: self.cells[loss, str(value)] for key, value in asked.items()}

    def reason(self, why: str, count: int) -> dict[str, object]:
        """Why, how often, and where first."""
        return {"reason": why, "count": count, "first": self._first[why][1]}

    def _reasons(self, title: str, counted: Counter[str]) -> Iterator[Line]:
        if not counted:
            return
        yield ""
        yield f"{title}:"
        for why, count in _falling(counted)[:_SHOWN]:
            yield from paragraph(f"{count}  {why} (first {self._first[why][1]})", indent=2, hanging=4)
        if len(counted) > _SHOWN:
            yield f"  and {len(counted) - _SHOWN} other reasons"


def _reasons_of(counted: Counter[str], totals: Totals) -> list[dict[str, object]]:
    return [totals.reason(*one) for one in _falling(counted)]


TOTALS: Final = Record(
    Totals,
    "audited decided left_out=left_outs losses=. undecided refused above_noise=found",
    may={"missing": int},
    losses=(dict[str, dict[str, int]], lambda totals: {loss: totals.row(loss) for loss in totals.losses}),
    undecided=_reasons_of,
    refused=_reasons_of,
    above_noise=Record(Found, "name title loss preferred over votes against"),
)
AUDITS: Final = Record(
    list,
    "audits=. totals=.",
    format="consistency-lab/audits/1",
    audits=(list[dict[str, object]], lambda audits: audits),
    totals=(Annotated[Any, TOTALS], lambda _, totals, missing: TOTALS(totals, totals) | {"missing": missing}),
)
"""Audits, each with its source, and what they add up to."""


def _falling(counted: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counted.items(), key=lambda one: (-one[1], one[0]))


def _largest(name: str, document: Mapping[str, Any], finding: Mapping[str, Any]) -> Found:
    """The contradicted majority above noise whose share of its pair is the largest."""

    def share(one: Mapping[str, Any]) -> Fraction:
        votes, against = Fraction(one["votes"]), Fraction(one["against"])
        return (votes - against) / (votes + against)

    one = max((one for one in finding["contradictions"] if one["above_noise"]), key=share)
    told = (one[key] for key in ("preferred", "over", "votes", "against"))
    return Found(share(one), name, document["profile"]["title"], finding["loss"], *told)


def grouped(number: str) -> str:
    """A whole number with commas."""
    return f"{int(number):,}" if number.isdecimal() else number


def _words(found: Found) -> str:
    majority = f"{grouped(found.votes)} : {grouped(found.against)} for {found.preferred} over {found.over}"
    return f"{found.title}, {found.name}: contradicted {majority}"
