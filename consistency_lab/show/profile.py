"""What `check --profile` tells a person about one distribution."""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from math import inf
from pathlib import Path
from typing import Final

from consistency_lab.certify.minimizers import Minimizers
from consistency_lab.certify.witness import Witness
from consistency_lab.core.document import TIE
from consistency_lab.data.profile import Profile
from consistency_lab.data.rows import WARNING
from consistency_lab.decide.answers import Policy, ProfileDecision, Repair, Verdict
from consistency_lab.frozen import frozen_with_cache
from consistency_lab.show.frontier import labeled, translated
from consistency_lab.show.text import (
    Line,
    Paragraph,
    cells,
    chain,
    columns,
    decimal,
    flush,
    matrix,
    number,
    paragraph,
    rendered,
)
from consistency_lab.show.witness import (
    Files,
    caveat,
    certificate_line,
    failure_sentence,
    path_of,
    percent,
    surrogate_lines,
)
from consistency_lab.shown import HEIGHT, WIDTH
from consistency_lab.solve.optimal import MAX_ITEMS as ALL_ORDERS

_DIGITS: Final = 4
_MOST_DIGITS: Final = 13
_PAIRS: Final = 6
"""More wrong pairs than this are left to the file; the largest majorities are shown."""

_LARGEST: Final = 6
"""More items than this are shown without a matrix."""


# --- One screen --------------------------------------------------------------------------------------------


def profile_screen(
    decision: ProfileDecision, profile: Profile, asked: str, file: str, files: Files, details: bool = False
) -> list[Line]:
    """Whether a surrogate ranks the preferences of a file correctly; with details nothing is cut."""
    of_each = f"{profile.voters:,} {profile.counted}"
    counted = "a distribution" if profile.counted == "probability" else of_each
    title = f"{profile.title}: {len(profile.distribution.items)} items, {counted}."
    opening = [first_line(decision, profile, asked), translated(decision.surrogate, asked, None), title]
    head: list[Line] = [Paragraph(text, 0, 0) for text in filter(None, opening)]
    orders = [*_orders(decision, profile, details), ""] if decision.witness and decision.minimizers else []
    facts = [*paragraph(_facts(decision), 1)] if decision.design else []
    foot = ["", *_others(decision)]
    path = None if decision.witness is None else path_of(decision.witness.document, files)
    show = f"\nshow {path}" if path else ""
    ways = "" if details else "--details   "
    foot += labeled("more:", f"{ways}audit {Path(file).name} (is this noise?){show}")
    table = _table(decision, profile)
    used = len([*rendered([*head, *orders, *facts, *foot])]) + 1
    if used + len(table) > HEIGHT and not details:
        table = []
    room = inf if details else HEIGHT - used - len(table)
    notes: list[Line] = []
    told = list(decision.notes)
    if not details:  # options that only an audit has are not named
        told = [note.partition("; --query")[0] for note in told if "--cluster" not in note]
        told = [note for note in told if not any(words in note for words in _TECHNICAL)]
    for left, note in zip(range(len(told) - 1, -1, -1), told, strict=True):
        one = paragraph(f"Note: {note}." if not note.startswith(WARNING) else f"{note}.", 1)
        if len([*rendered([*notes, *one])]) + bool(left) > room:
            notes.append(f" {left + 1} more note{'s' if left else ''}: --details.")
            break
        notes += one
    return [*head, "", *table, *orders, *facts, *notes, *foot]


def first_line(decision: ProfileDecision, profile: Profile, asked: str) -> str:
    """Whether it ranks these preferences correctly, with the worst pair."""
    what = {"voters": "votes", "comparisons": "comparisons"}.get(profile.counted, "preferences")
    if decision.verdict is Verdict.CONSISTENT:
        return f"{asked} ranks these {what} correctly{caveat(decision)}."
    witness, known = decision.witness, decision.minimizers
    if decision.verdict is Verdict.UNDECIDED or witness is None:
        return f"It is open whether {asked} ranks these {what} correctly: {decision.reason}."
    every = known is None or known.every
    wrong = f"{asked} {'ranks' if every else 'can rank'} these {what} wrongly: "
    if not witness.wrong_pairs:
        return f"{wrong}its order goes against more of them than the best order does."
    return f"{wrong}{_against(witness, profile, *_largest(witness)[0])}."


def _largest(witness: Witness) -> list[tuple[int, int]]:
    """The wrong pairs, the largest majorities first."""
    d = witness.distribution.difference
    return sorted(witness.wrong_pairs, key=lambda pair: (-d[pair[0]][pair[1]], pair))


def _against(witness: Witness, profile: Profile, i: int, j: int) -> str:
    """How scores put j above i, and the majority that prefers i."""
    a, names = profile.distribution.aggregate, profile.items
    equal = bool(witness.scores) and witness.scores[i] == witness.scores[j]
    put = f"{names[i]} and {names[j]} get one score" if equal else f"it puts {names[j]} above {names[i]}"
    more, less = (_amount(x * profile.voters) for x in (a[i][j], a[j][i]))
    if profile.counted == "voters":
        return f"{put}, but {more} voters prefer {names[i]} and {less} prefer {names[j]}"
    return f"{put}, but {names[i]} beats {names[j]} by {more} : {less}"


def _amount(value: Fraction) -> str:
    return f"{value.numerator:,}" if value.denominator == 1 else number(value)


def _table(decision: ProfileDecision, profile: Profile) -> list[Line]:
    """The counts and scores of up to six items, sorted by score."""
    names, known = profile.items, decision.minimizers
    if len(names) > _LARGEST:
        return []
    order, scores = [*range(len(names))], []
    if known is not None and known.direction is None and known.scores:
        shift = decision.witness is not None and _shift_invariant(decision.witness)
        found = _Found.of(known, names, shift)
        order = found.sorted(order)
        digits = range(2, _MOST_DIGITS)
        scores = next(
            (shown for n in digits if len(set(shown := [decimal(found.scores[i], n) for i in order])) > 1),
            [decimal(found.scores[i], 2) for i in order],
        )
    a = profile.distribution.aggregate
    rows = [
        ["", *(names[j] for j in order), *(["score"] if scores else [])],
        *(
            [
                names[i],
                *("." if i == j else _amount(a[i][j] * profile.voters) for j in order),
                *scores[k : k + 1],
            ]
            for k, i in enumerate(order)
        ),
    ]
    lines: list[str] = columns(rows, 1, right=range(1, len(rows[0])))
    if max(map(cells, lines)) > WIDTH:
        rows[0][1 : len(order) + 1] = map(str, range(1, len(order) + 1))
        for k, row in enumerate(rows[1:], start=1):
            row[0] = f"{k} {row[0]}"
        lines = columns(rows, 1, right=range(1, len(rows[0])))
    if max(map(cells, lines)) > WIDTH:
        return []
    beside = f"{lines[0]}   row beats column"
    return [beside if cells(beside) <= WIDTH else lines[0], *lines[1:], ""]


def _orders(decision: ProfileDecision, profile: Profile, details: bool) -> Iterator[Line]:
    """The order of the loss, with what it costs, and the best one."""
    witness, known = decision.witness, decision.minimizers
    assert witness is not None and known is not None
    names, regret = profile.items, witness.verified.regret * profile.voters
    told = chain if details else _shortened
    if regret:
        tie = "an order of the tie, " if witness.verified.failure == TIE else ""
        cost = f"{tie}against {_amount(regret)} more ({percent(witness.normalized_regret)})"
        yield from labeled("order:", f"{told(names, witness.prediction)}   {cost}")
    few = witness.distribution.m <= ALL_ORDERS
    orders = witness.optimum.count() if few else 0
    only = {0: "", 1: "the only one; "}.get(orders, f"one of {orders:,}; ")
    label = "best:" if few else "better:" if regret else "order:"
    yield from labeled(label, f"{told(names, witness.better)}   ({only}certified)")


def _shortened(names: Sequence[str], order: Sequence[int]) -> str:
    """The first items of an order, and how many follow."""
    if len(chain(names, order)) <= 2 * WIDTH:
        return chain(names, order)
    return f"{chain(names, order[:_LARGEST])} > {len(order) - _LARGEST} more"


_KINDS: Final = {
    "bradley-terry": "fit Bradley-Terry",
    "additive": "have additive noise",
    "low-noise": "have low noise",
    "row-dominated": "have rows in order",
    "net-order": "are in net order",
    "acyclic": "have no cycle, but are not in net order",
    "any": "have a cycle of majorities",
}
"""What is said of preferences, the narrowest condition first."""


def _facts(decision: ProfileDecision) -> str:
    """The noise, and how often pairs are compared."""
    design, witness = decision.design, decision.witness
    assert design is not None
    holds = {} if witness is None else witness.verified.conditions
    said = next((words for name, words in _KINDS.items() if holds.get(name)), "")
    pairs = "Pairs are compared equally often"
    if design.ratio is None:
        pairs = f"Only {design.compared:,} of {design.pairs:,} pairs are compared"
    elif "balanced" not in design.names:
        times = Decimal(design.ratio.numerator) / design.ratio.denominator
        pairs = f"Pairs are compared unequally: up to {times:.3g} times as often"
    only = (
        " No sum of a convex phi over comparisons ranks them correctly."
        if witness and witness.verified.universal
        else ""
    )
    return f"{f'The preferences {said}. ' if said else ''}{pairs}.{only}"


_TECHNICAL: Final = (" graphs are added up", "each counted comparison is one preference graph")
"""Parts of notes that stand behind --details."""


def _others(decision: ProfileDecision) -> Iterator[Line]:
    """What ranks them correctly: other losses, or else weights."""
    right = [one for one in decision.repairs if one.verdict is Verdict.CONSISTENT]
    losses = [one.surrogate.name for one in right if one.kind == "loss"]
    weights = [f"{one.surrogate.name} with {_WEIGHTED[one.kind]}" for one in right if one.kind != "loss"]
    yield from labeled("right here:", ", ".join(losses or weights[:1]) + "." if right else "")


_WEIGHTED: Final = {
    "balanced": "each pair weighted by 1/n_ij",
    "product": "each pair weighted by w_i w_j/n_ij",
}


# --- With --details: the rest ------------------------------------------------------------------------------


def profile_details(decision: ProfileDecision, profile: Profile) -> Iterator[Line]:
    """The loss, why the verdict holds, and what else is wrong; scores to read come from floats."""
    witness, known = decision.witness, decision.minimizers
    yield ""
    yield from surrogate_lines(decision.surrogate, decision.target)
    if witness is None or known is None:
        return
    yield from flush(f"{decision.reason[:1].upper()}{decision.reason[1:]}.")
    rest = _largest(witness)[1:]
    for pair in rest[:_PAIRS]:
        yield from flush(f"Also {_against(witness, profile, *pair)}.")
    if len(rest) > _PAIRS:
        yield f"{len(rest) - _PAIRS} more pairs are wrong; see show."
    yield from flush(failure_sentence(witness))
    untold = not _table(decision, profile)
    if untold:
        unit = "expected weights" if profile.counted == "probability" else f"in {profile.counted}"
        yield f"Preferences, row over column, {unit}:"
        a = profile.distribution.aggregate
        yield matrix([[x * profile.voters for x in row] for row in a], profile.items, indent=2)
    for line in _Found.of(known, profile.items, _shift_invariant(witness)).shown(untold):
        yield from flush(line)
    yield from flush(certificate_line(witness))
    if decision.by_addition is not None and decision.design is not None:
        proved, of = len(decision.by_addition.pairs), decision.design.pairs
        also = "; no minimizer is needed" if proved else ""
        yield from flush(f"Order proved by addition: {proved} of {of} pairs{also}.")
    told = repair_sentence([one for one in decision.repairs if one.verdict is not Verdict.CONSISTENT])
    yield from flush(f"{told[:1].upper()}{told[1:]}." if told else "")


def repair_sentence(repairs: Sequence[Repair]) -> str:
    """What would be right instead, and what would not; empty if nothing was tried."""
    heads = {
        Verdict.CONSISTENT: "right here",
        Verdict.INCONSISTENT: "wrong too",
        Verdict.UNDECIDED: "not decided",
    }
    told: dict[Verdict, list[str]] = {verdict: [] for verdict in heads}
    for one in repairs:
        weighted = "" if one.kind == "loss" else f" with {_WEIGHTED[one.kind]}"
        told[one.verdict].append(f"{one.surrogate.name}{weighted}")
    return "; ".join(f"{heads[verdict]}: {', '.join(names)}" for verdict, names in told.items() if names)


@frozen_with_cache
class _Found:
    """A minimizer to read; or, if there is none, how scores run to infinity."""

    #: What is proved, and the items.
    known: Minimizers
    names: Sequence[str]
    scores: Sequence[float]  #: Floats, mean zero where a shift of all changes nothing.
    how: str  #: What was done to them, in brackets.

    @staticmethod
    def of(known: Minimizers, names: Sequence[str], shift_invariant: bool) -> "_Found":
        if known.direction is not None or not shift_invariant:
            return _Found(known, names, known.scores, "")
        center = sum(known.scores) / len(names)
        return _Found(known, names, [x - center for x in known.scores], " (mean zero)")

    def limit(self, direction: Sequence[Fraction | int]) -> str:
        """The items from the top; in braces what the limit leaves open."""
        levels = []
        for level in sorted(set(direction), reverse=True):
            parts = [part for part in self.known.components if direction[part[0]] == level]
            texts = [chain(self.names, self.sorted(part)) for part in parts]
            levels.append(texts[0] if len(texts) == 1 else "{" + ", ".join(texts) + "}")
        return " > ".join(levels)

    def sorted(self, items: Iterable[int]) -> list[int]:
        """From the top."""
        return sorted(items, key=lambda i: (-self.scores[i], -i))

    def shown(self, untold: bool) -> Iterator[str]:
        """The scores that no table has told, another minimizer, or how scores run to infinity."""
        direction = self.known.direction
        if direction is None:
            if untold and self.scores:
                which = "Minimizer" if self.known.attained else "Scores that nearly minimize W"
                yield f"{which}, to {_DIGITS} digits{self.how}: {self._texts(range(len(self.names)))}."
            right = self.known.right
            if right is not None:
                order = sorted(range(len(right)), key=lambda i: -float(right[i]))
                texts = (f"{self.names[i]} {decimal(right[i], _DIGITS)}" for i in order)
                yield f"Another minimizer, which is right: {', '.join(texts)}."
            return
        steps = sorted(range(len(self.names)), key=lambda i: -direction[i])
        way = ", ".join(f"{self.names[i]} {direction[i]}" for i in steps)
        sequel = f", in the order {self.limit(direction)}" if self.scores else ""
        yield (
            f"No minimizer exists: from every point W keeps falling along the direction {way} (proved), so "
            f"scores that approach the infimum run to infinity{sequel}."
        )
        for part in self.known.components if self.scores else ():
            if len(part) > 1:
                yield f"Differences that stay finite, to {_DIGITS} digits (mean zero): {self._texts(part)}."

    def _texts(self, items: Iterable[int]) -> str:
        return ", ".join(f"{self.names[i]} {decimal(self.scores[i], _DIGITS)}" for i in self.sorted(items))


def _shift_invariant(witness: Witness) -> bool:
    """Whether W depends on differences of scores only, so that any mean may be chosen."""
    return all(sum(n for _, n in term.v) == 0 for term in witness.terms)


# --- The order of a policy that started from a reference -------------------------------------------------


def policy_answer(policy: Policy, names: Sequence[str]) -> Iterator[Line]:
    """The orders of r and of pi, and which gaps of the reference survive; all of it in floats."""
    yield from flush(
        f"The policy ends in the order {_shortened(names, policy.order)} "
        f"(beta = {number(policy.beta)}, in floats)."
    )
    yield ""
    yield from paragraph(f"order of r:   {chain(names, policy.rewards)}", 2, 16)
    yield from paragraph(f"order of pi:  {chain(names, policy.order)}, log pi = r/beta + log pi_ref", 2, 16)
    if len(policy.pairs) > _PAIRS:
        yield f"  The first {_PAIRS} of {len(policy.pairs)} pairs; --json has all:"
    for pair in policy.pairs[:_PAIRS]:
        i, j = names[pair.above], names[pair.below]
        word = "below" if pair.survives else "above"
        ahead, lead = (j, pair.gap) if pair.gap >= 0 else (i, -pair.gap)
        alone = "" if pair.alone is None else f"; alone they would move by {decimal(pair.alone, 2)}"
        yield from paragraph(
            f"{i} is preferred to {j} and ends {word} it: training moves them by {decimal(pair.trained, 2)} "
            f"nats, the reference has {ahead} ahead by {decimal(lead, 2)}{alone}.",
            2,
            4,
        )


# --- How much was counted ---------------------------------------------------------------------------------

UNITS: Final = {"voters": "ballots", "comparisons": "comparisons"}


def votes(value: Fraction | int) -> str:
    """A number of votes."""
    text = decimal(Fraction(value), _DIGITS).rstrip("0").rstrip(".")
    whole, _, rest = text.partition(".")
    return ("" if Fraction(text) == value else "≈") + f"{int(whole):,}" + (f".{rest}" if rest else "")


def several(count: Fraction | int, unit: str) -> str:
    """So many of something."""
    return f"{votes(count)} {unit.removesuffix('s') if count == 1 else unit}"


def size(profile: Profile) -> str:
    """As in "28,777 ballots, 10 items"."""
    unit = UNITS.get(profile.counted)
    counted = "a distribution" if unit is None else several(profile.voters, unit)
    return f"{' '.join(filter(None, (counted, profile.contents.grouped)))}, {profile.m} items"
