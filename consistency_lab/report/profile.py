"""What `check --profile` tells a person about one distribution."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from math import comb, inf
from pathlib import Path
from typing import Final, final

from consistency_lab.certify.addition import sides
from consistency_lab.certify.minimizers import Minimizers
from consistency_lab.certify.witness import Witness
from consistency_lab.core.addition import GAP, Above
from consistency_lab.core.document import TIE
from consistency_lab.data import Profile
from consistency_lab.data.labels import LabelProfile
from consistency_lab.data.rows import WARNING
from consistency_lab.decide import ProfileDecision
from consistency_lab.decide.answers import Policy, Repair, Verdict
from consistency_lab.model.designs import Described
from consistency_lab.report.answer import Files, path_of
from consistency_lab.report.decision import caveat
from consistency_lab.report.frontier import labeled, translated
from consistency_lab.report.text import (
    Line,
    Paragraph,
    cells,
    chain,
    columns,
    decimal,
    flush,
    inset,
    matrix,
    number,
    paragraph,
    rendered,
)
from consistency_lab.report.witness import (
    certificate_line,
    failure_sentence,
    labels_evidence,
    labels_that_occur,
    labels_title,
    percent,
    saved,
    surrogate_lines,
    target_lines,
)
from consistency_lab.shown import HEIGHT, WIDTH
from consistency_lab.solve.optimal import MAX_ITEMS as ALL_ORDERS

_DIGITS: Final = 4
_MOST_DIGITS: Final = 13
_PAIRS: Final = 6
"""More wrong pairs than this are left to the file; the largest majorities are shown."""

_ORDER: Final = 24
_OPENING: Final[Mapping[Verdict, str]] = {
    Verdict.CONSISTENT: "{name} is provably right at {title}{caveat}.",
    Verdict.INCONSISTENT: "{name} is provably wrong at {title}.",
    Verdict.UNDECIDED: "It is undecided whether {name} is right at {title}.",
}
_TIE_LABEL: Final = "an order of the tie:"

_LARGEST: Final = 6
"""More items than this are shown without a matrix."""


# --- One screen --------------------------------------------------------------------------------------------


def profile_screen(
    decision: ProfileDecision, profile: Profile, asked: str, file: str, files: Files
) -> list[Line]:
    """Whether a surrogate ranks the preferences of a file correctly, and what else is known of them."""
    title = f"{profile.title}: {len(profile.distribution.items)} items, {_counted(profile)}."
    opening = [first_line(decision, profile, asked), translated(decision.surrogate, asked, None), title]
    head: list[Line] = [Paragraph(text, 0, 0) for text in filter(None, opening)]
    orders = [*_orders(decision, profile), ""] if decision.witness and decision.minimizers else []
    facts = [*paragraph(_facts(decision), 1)] if decision.design else []
    foot = ["", *_others(decision)]
    path = None if decision.witness is None else path_of(decision.witness.document, files)
    show = f"\nshow {path}" if path else ""
    foot += labeled("more:", f"--details   audit {Path(file).name} (is this noise?){show}")
    table = _table(decision, profile)
    used = len([*rendered([*head, *orders, *facts, *foot])]) + 1
    if used + len(table) > HEIGHT:
        table = []
    room = HEIGHT - used - len(table)
    notes: list[Line] = []
    told = _notes(decision)
    for left, note in zip(range(len(told) - 1, -1, -1), told, strict=True):
        one = paragraph(f"Note: {note}." if not note.startswith(WARNING) else f"{note}.", 1)
        if len([*rendered([*notes, *one])]) + bool(left) > room:
            notes.append(f" {left + 1} more note{'s' if left else ''}: --details.")
            break
        notes += one
    return [*head, "", *table, *orders, *facts, *notes, *foot]


def first_line(decision: ProfileDecision, profile: Profile, asked: str) -> str:
    """Whether it ranks these preferences correctly, with the worst pair.

    Examples
    --------
    >>> from consistency_lab import check_profile, read_profile, surrogate
    >>> votes = read_profile("vermont.toc", items=("Fay", "Willhoit"))
    >>> first_line(check_profile(surrogate("logistic"), votes), votes, "dpo")
    'dpo ranks these votes correctly.'
    """
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
    a, names = profile.distribution.aggregate, profile.items
    i, j = max(witness.wrong_pairs, key=lambda pair: a[pair[0]][pair[1]] - a[pair[1]][pair[0]])
    equal = bool(witness.scores) and witness.scores[i] == witness.scores[j]
    put = f"{names[i]} and {names[j]} get one score" if equal else f"it puts {names[j]} above {names[i]}"
    more, less = (_amount(x * profile.voters) for x in (a[i][j], a[j][i]))
    if profile.counted == "voters":
        return f"{wrong}{put}, but {more} voters prefer {names[i]} and {less} prefer {names[j]}."
    return f"{wrong}{put}, but {names[i]} beats {names[j]} by {more} : {less}."


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


def _orders(decision: ProfileDecision, profile: Profile) -> Iterator[Line]:
    """The order of the loss, with what it costs, and the best one."""
    witness, known = decision.witness, decision.minimizers
    assert witness is not None and known is not None
    names, regret = profile.items, witness.verified.regret * profile.voters
    if regret:
        tie = "an order of the tie, " if witness.verified.failure == TIE else ""
        cost = f"{tie}against {_amount(regret)} more ({percent(witness.normalized_regret)})"
        yield from labeled("order:", f"{_shortened(names, witness.prediction)}   {cost}")
    few = witness.distribution.m <= ALL_ORDERS
    orders = witness.optimum.count() if few else 0
    only = {0: "", 1: "the only one; "}.get(orders, f"one of {orders:,}; ")
    label = "best:" if few else "better:" if regret else "order:"
    yield from labeled(label, f"{_shortened(names, witness.better)}   ({only}certified)")


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
"""What a note says that is left to --details."""


def _notes(decision: ProfileDecision) -> list[str]:
    """What must be told of the data; options that only an audit has are not named."""
    told = [note.partition("; --query")[0] for note in decision.notes if "--cluster" not in note]
    return [note for note in told if not any(words in note for words in _TECHNICAL)]


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


# --- With --details: everything that was found -------------------------------------------------------------


def profile_heading(decision: ProfileDecision, profile: Profile | LabelProfile) -> Iterator[Line]:
    """The question: surrogate, target, profile, what must be said of it; at labels the answer before it."""
    if isinstance(profile, LabelProfile):
        said = _OPENING[decision.verdict]
        yield from flush(said.format(name=decision.name, title=profile.title, caveat=caveat(decision)))
        yield ""
    yield from surrogate_lines(decision.surrogate, decision.target)
    yield from target_lines(decision.target)
    if isinstance(profile, LabelProfile):
        assert decision.target is not None
        yield from labels_title(profile, decision.target.space)
    else:
        yield from flush(
            f"{profile.title} ({profile.format}): {len(profile.distribution.items)} items, "
            f"{_counted(profile)}, {len(profile.distribution.graphs)} different graphs"
        )
    for note in decision.notes:
        yield from flush(f"{'' if note.startswith(WARNING) else 'Note: '}{note}.")
    if isinstance(profile, LabelProfile):
        assert decision.target is not None
        yield from labels_that_occur(profile, decision.target.space)
    else:
        yield from _preferences(profile)
    yield ""


def _preferences(profile: Profile) -> Iterator[Line]:
    yield ""
    yield f"Preferences, row over column, {_unit(profile)}:"
    a = profile.distribution.aggregate
    yield matrix([[x * profile.voters for x in row] for row in a], profile.distribution.items, indent=2)


def profile_answer(
    decision: ProfileDecision, profile: Profile | LabelProfile, files: Files
) -> Iterator[Line]:
    """The verdict and its evidence; scores to read come from floats, the certificate does not."""
    witness, known = decision.witness, decision.minimizers
    if witness is None:
        yield f"{decision.verdict} here."
        yield from paragraph(f"{decision.reason}.", indent=2)
        yield from _comparisons(decision)
        return
    only_here = "" if witness.inconsistent else " This says nothing about other distributions."
    yield from flush(f"{decision.verdict} here: {decision.reason}.{only_here}")
    if isinstance(profile, LabelProfile):
        yield from labels_evidence(witness, profile.items)
    elif known is not None:
        yield from _evidence(decision, witness, known, profile)
        yield from _comparisons(decision)
    yield from saved(witness.digest, files)


def _comparisons(decision: ProfileDecision) -> Iterator[Line]:
    """How often pairs are compared, how many are in order by addition, and what would be right instead."""
    if decision.design is not None:
        yield from paragraph(design_sentence(decision.design), indent=2, hanging=2)
    if decision.by_addition is not None and decision.design is not None:
        proved, of = len(decision.by_addition.pairs), decision.design.pairs
        also = "; no minimizer is needed" if proved else ""
        yield from paragraph(f"Order proved by addition: {proved} of {of} pairs{also}.", indent=2, hanging=2)
    if decision.repairs:
        told = repair_sentence(decision.repairs)
        yield from paragraph(f"{told[0].upper()}{told[1:]} (docs/designs.md, Weights).", 2, 2)


def repair_sentence(repairs: Sequence[Repair]) -> str:
    """What would be right instead, and what would not; empty if nothing was tried."""
    told: dict[Verdict, list[str]] = {}
    for one in repairs:
        name = (
            one.surrogate.name if one.kind == "loss" else f"{one.surrogate.name} with {_WEIGHTED[one.kind]}"
        )
        told.setdefault(one.verdict, []).append(name)
    heads = {
        Verdict.CONSISTENT: "right here",
        Verdict.INCONSISTENT: "wrong too",
        Verdict.UNDECIDED: "not decided",
    }
    return "; ".join(
        f"{head}: {', '.join(told[verdict])}" for verdict, head in heads.items() if verdict in told
    )


def design_sentence(design: Described) -> str:
    """How often the pairs are compared.

    Examples
    --------
    >>> from consistency_lab.model.designs import described
    >>> design_sentence(described([[0, 4, 1], [2, 0, 3], [2, 0, 0]]))
    'Design: product; all 3 pairs are compared, the most compared one 2 times as often as the least.'
    """
    name = next(name for name in design.names if name != "any" or len(design.names) == 1)
    named = "" if name == "any" else f"{name}; "
    if design.ratio is None:
        apart = f", in {design.parts} parts that are not connected" if design.parts > 1 else ""
        return f"Design: {named}{design.compared} of {design.pairs} pairs are compared{apart}."
    far = f"; {decimal(design.divergence, 3)} nats from a product" if name == "complete" else ""
    times = Decimal(design.ratio.numerator) / design.ratio.denominator
    often = "" if name == "balanced" else f", the most compared one {times:.3g} times as often as the least"
    pairs = f"all {design.pairs} pairs are compared" if design.pairs > 1 else "the one pair is compared"
    return f"Design: {named}{pairs}{often}{far}."


def _evidence(
    decision: ProfileDecision, witness: Witness, known: Minimizers, profile: Profile
) -> Iterator[Line]:
    names, added = profile.distribution.items, not witness.scores
    found = _Found.of(known, names, _shift_invariant(witness))
    for line in _wrong(witness, profile, partial(_summed, decision, profile) if added else found.scored):
        yield from inset(line)
    kind = failure_sentence(witness)
    if kind:
        yield from inset(kind)
    right, tie = chain(names, witness.better), witness.verified.failure == TIE
    one_of = ""
    if witness.distribution.m <= ALL_ORDERS:
        orders = witness.optimum.count()
        one_of = "  (the only one)" if orders == 1 else f"  (one of {orders})"
    best = "an order that is better:" if witness.inconsistent and not one_of else "optimal order:          "
    yield from paragraph(f"{best}{right}{one_of}", 2, _ORDER)
    if tie or added:
        whole = added and decision.by_addition and len(decision.by_addition.pairs) == comb(len(names), 2)
        label = _TIE_LABEL if tie else "order by addition:" if whole else "one order, by addition:"
        order = chain(names, witness.prediction)
    else:
        label, order = found.label, found.order
    yield from paragraph(f"{label.ljust(_ORDER)}{order}  {_cost(witness, profile)}", 2, _ORDER)
    for line in found.shown() if known.scores or known.direction is not None else ():
        yield from inset(line)
    yield from inset(certificate_line(witness))
    holding = [name for name, holds in witness.verified.conditions.items() if holds]
    yield from inset(f"Noise conditions that hold here: {', '.join(holding)}.")
    if witness.verified.universal:
        yield from paragraph(
            "No convex phi with phi'(0) < 0 is right at this distribution; the file has the proof.",
            indent=2,
        )


@final
@dataclass(frozen=True)
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

    @property
    def label(self) -> str:
        return "order of the minimizer:" if self.known.direction is None else "order in the limit:"

    @property
    def order(self) -> str:
        """The items from the top; in braces what the limit leaves open."""
        direction = self.known.direction
        if direction is None:
            return chain(self.names, self.sorted(range(len(self.names))))
        levels = []
        for level in sorted(set(direction), reverse=True):
            parts = [part for part in self.known.components if direction[part[0]] == level]
            texts = [chain(self.names, self.sorted(part)) for part in parts]
            levels.append(texts[0] if len(texts) == 1 else "{" + ", ".join(texts) + "}")
        return " > ".join(levels)

    def sorted(self, items: Iterable[int]) -> list[int]:
        """From the top."""
        return sorted(items, key=lambda i: (-self.scores[i], -i))

    def shown(self) -> Iterator[str]:
        """The scores."""
        direction = self.known.direction
        if direction is None:
            which = "minimizer" if self.known.attained else "scores that nearly minimize W"
            yield f"{which}, to {_DIGITS} digits{self.how}: {self._texts(range(len(self.names)))}"
            right = self.known.right
            if right is not None:
                order = sorted(range(len(right)), key=lambda i: -float(right[i]))
                texts = (f"{self.names[i]} {decimal(right[i], _DIGITS)}" for i in order)
                yield f"another minimizer, which is right: {', '.join(texts)}"
            return
        steps = sorted(range(len(self.names)), key=lambda i: -direction[i])
        way = ", ".join(f"{self.names[i]} {direction[i]}" for i in steps)
        yield (
            f"No minimizer exists: from every point W keeps falling along the direction {way} (proved), so "
            "scores that approach the infimum run to infinity."
        )
        for part in self.known.components if self.scores else ():
            if len(part) > 1:
                yield f"differences that stay finite, to {_DIGITS} digits (mean zero): {self._texts(part)}"

    def _texts(self, items: Iterable[int]) -> str:
        return ", ".join(f"{self.names[i]} {decimal(self.scores[i], _DIGITS)}" for i in self.sorted(items))

    def scored(self, i: int, j: int, equal: bool) -> str:
        """How i is scored that should be above j."""
        direction = self.known.direction
        if direction is not None and not any({i, j} <= set(part) for part in self.known.components):
            runs = direction[j] > direction[i]
            return f"{self.names[j]} escapes above {self.names[i]}" if runs else "nothing keeps their order"
        low, high = _told_apart(self.scores[i], self.scores[j])
        who = f"{'the' if self.known.every else 'this'} minimizer scores"
        if equal:
            return f"{who} both {low}{self.how}"
        return f"{who} {self.names[j]} {high} above {self.names[i]} {low}{self.how}"


def _summed(decision: ProfileDecision, profile: Profile, i: int, j: int, equal: bool) -> str:
    """How addition puts j above i, which a majority prefers."""
    names, pairs = profile.items, () if decision.by_addition is None else decision.by_addition.pairs
    stated = next((pair for pair in pairs if (pair.above, pair.below) == (j, i)), None)
    put = f"{names[j]} is above {names[i]} wherever W is near its infimum"
    return put if stated is None or stated.rule != GAP else f"{put} ({sum_sentence(profile, stated)})"


def sum_sentence(profile: Profile, pair: Above) -> str:
    """The sides of the rule `gap`, as in "net wins differ by 7886, schedules by 7802"."""
    net, apart = (number(side * profile.voters) for side in sides(profile.distribution.aggregate, pair))
    weighed = "" if pair.factor in (1, inf) else f", weighed by {number(Fraction(pair.factor))}"
    return f"net wins differ by {net}, schedules by {apart}{weighed}"


def _wrong(witness: Witness, profile: Profile, scored: Callable[[int, int, bool], str]) -> Iterator[str]:
    names, d, pairs = profile.distribution.items, profile.distribution.difference, witness.wrong_pairs
    largest = sorted(pairs, key=lambda pair: (-d[pair[0]][pair[1]], pair))[:_PAIRS]
    for i, j in largest:
        equal = bool(witness.scores) and witness.scores[i] == witness.scores[j]
        yield f"{_majority(profile, i, j)} {names[i]} to {names[j]}, yet {scored(i, j, equal)}."
    if len(pairs) > len(largest):
        yield f"{len(pairs) - len(largest)} more pairs are wrong; see show."


def _told_apart(low: float, high: float) -> tuple[str, str]:
    """Two decimals with as many digits as it takes to see that they differ."""
    for digits in range(_DIGITS, _MOST_DIGITS):
        if decimal(low, digits) != decimal(high, digits):
            return decimal(low, digits), decimal(high, digits)
    return decimal(low, _DIGITS), decimal(high, _DIGITS)


def _majority(profile: Profile, i: int, j: int) -> str:
    """As in "a majority of 25 (of 1960 voters) prefers"; comparisons are those of the pair itself."""
    a = profile.distribution.aggregate
    margin = number((a[i][j] - a[j][i]) * profile.voters)
    met = (a[i][j] + a[j][i]) * profile.voters
    times = f"{number(met)} comparison{'' if met == 1 else 's'}"
    return {
        "voters": f"A majority of {margin} (of {profile.voters} voters) prefers",
        "comparisons": f"A majority of {margin} (of {times} of these two) prefers",
    }.get(profile.counted, f"A weight of {margin} in the aggregate prefers")


def _counted(profile: Profile) -> str:
    return "a distribution" if profile.counted == "probability" else f"{profile.voters:,} {profile.counted}"


def _unit(profile: Profile) -> str:
    return "expected weights" if profile.counted == "probability" else f"in {profile.counted}"


def _cost(witness: Witness, profile: Profile) -> str:
    regret = witness.verified.regret * profile.voters
    if not regret:
        return "(optimal)"
    share = percent(witness.normalized_regret)
    return f"(costs {number(regret)} more: {share} of all preferences)"


def _shift_invariant(witness: Witness) -> bool:
    """Whether W depends on differences of scores only, so that any mean may be chosen."""
    return all(sum(n for _, n in term.v) == 0 for term in witness.terms)


# --- The order of a policy that started from a reference -------------------------------------------------


def policy_answer(found: Policy, names: Sequence[str]) -> Iterator[Line]:
    """The orders of r and of pi, and which gaps of the reference survive; all of it in floats."""
    yield from flush(
        f"The policy ends in the order {_shortened(names, found.order)} "
        f"(beta = {number(found.beta)}, in floats)."
    )
    yield ""
    yield from paragraph(f"order of r:   {chain(names, found.rewards)}", 2, 16)
    yield from paragraph(f"order of pi:  {chain(names, found.order)}, log pi = r/beta + log pi_ref", 2, 16)
    if len(found.pairs) > _PAIRS:
        yield f"  The first {_PAIRS} of {len(found.pairs)} pairs; --json has all:"
    for pair in found.pairs[:_PAIRS]:
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
    """A number of votes.

    Examples
    --------
    >>> votes(13214), votes(Fraction(6645, 2)), votes(Fraction(1, 3))
    ('13,214', '3,322.5', '≈0.3333')
    """
    text = decimal(Fraction(value), _DIGITS).rstrip("0").rstrip(".")
    whole, _, rest = text.partition(".")
    return ("" if Fraction(text) == value else "≈") + f"{int(whole):,}" + (f".{rest}" if rest else "")


def several(count: Fraction | int, unit: str) -> str:
    """So many of something.

    Examples
    --------
    >>> several(1, "votes"), several(2, "votes")
    ('1 vote', '2 votes')
    """
    return f"{votes(count)} {unit.removesuffix('s') if count == 1 else unit}"


def size(profile: Profile) -> str:
    """As in "28,777 ballots, 10 items"."""
    unit = UNITS.get(profile.counted)
    counted = "a distribution" if unit is None else several(profile.voters, unit)
    return f"{' '.join(filter(None, (counted, profile.contents.grouped)))}, {profile.m} items"
