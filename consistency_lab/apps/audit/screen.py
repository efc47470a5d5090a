"""An audit on one screen: who leads, the items, what the losses do to that; and the rest behind it."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor, isfinite, isnan, sqrt
from typing import Any, Final

from consistency_lab.apps.audit.audit import Audit
from consistency_lab.apps.audit.board import Board
from consistency_lab.apps.audit.elections import ELECTIONS
from consistency_lab.apps.audit.findings import heights
from consistency_lab.apps.audit.words import (
    Facts,
    answer,
    best_order,
    bradley_terry,
    components,
    conditions,
    flips,
    groups,
    is_above,
    lacking,
    more_votes,
    noted,
    percent,
    repairs,
    reproduction,
    theorems,
    together,
    unbounded,
    unit,
)
from consistency_lab.data.rows import WARNING
from consistency_lab.data.votes import Games, Votes
from consistency_lab.decide.answers import Verdict
from consistency_lab.frozen import frozen
from consistency_lab.show.frontier import labeled
from consistency_lab.show.profile import several, size, votes
from consistency_lab.show.text import Blocks, Line, Paragraph, cells, chain, columns, inset, listed
from consistency_lab.shown import HEIGHT, WIDTH
from consistency_lab.solve.optimal import optimal_orders

_ROWS: Final = 10
"""At least so many items are listed, if there are as many."""

_LEVEL: Final = 50
"""Names of items that are level stand in the first line if they are no longer together."""

_NEAR: Final = 0.01
_COUNTED: Final = 12
"""So many items, whose optimal orders are counted at once."""
_OTHERS: Final = 3
_SHORTEST: Final = 12
_LARGE: Final = 100
"""Scores from here on have no decimals."""

_CHAIN: Final = 12
"""Orders of more items than this show their first ones."""


# --- The first line --------------------------------------------------------------------------------------


def line1(facts: Facts) -> str:
    """What a reader came for: a loss that is wrong above noise, or who leads."""
    audit, names = facts.audit, facts.audit.profile.items
    wrong = [one for one in audit.findings if is_above(one)]
    majority = audit.foremost(wrong[0]) if wrong else None
    if majority is None:
        return leads(facts)
    same = [one for one in wrong if audit.foremost(one) == majority]
    many, verb = listed([one.rule.name for one in same]), "puts" if len(same) == 1 else "put"
    above, below = names[majority.above], names[majority.below]
    told = f"{votes(majority.votes)} : {votes(majority.against)}"
    if audit.condorcet == majority.above and all(one.order[0] == majority.below for one in same):
        return (
            f"{above} beats everybody, but {many} {verb} {below} first: {told} prefer {above}, above noise."
        )
    return f"{many} {verb} {below} above {above}, but {told} prefer {above}, above noise."


def leads(facts: Facts) -> str:
    """Who leads, in what share of the resamples, and who cannot be told apart."""
    audit, names = facts.audit, facts.audit.profile.items
    if len(audit.groups) > 1:
        return f"No item is first: {len(audit.groups)} groups of items are never compared with each other."
    if not audit.boards:
        return f"{names[audit.best.order[0]]} is first in the best order."
    board = audit.boards[0]
    top = [names[item] for item, rank in zip(board.items, board.ranks, strict=True) if rank == 1]
    if isnan(board.first[0]):
        are = "is first" if len(top) == 1 else "are level at the top"
        return f"{listed(top[:_OTHERS])} {are}; {lacking(audit, audit.shown)} it is not known how surely."
    foremost, *others = sorted((-share, k) for k, share in enumerate(board.first))
    others = [one for one in others if -one[0] >= _NEAR]
    leader, worst = names[board.items[foremost[1]]], int(board.worst[foremost[1]])
    told = f"{leader} leads in {_share(-float(foremost[0]))}"
    if foremost[0] == -1 and worst > 1:  # resamples alone do not show that it is first
        told = f"{leader} leads, but its rank may be {listed([str(k) for k in range(1, worst + 1)], 'or')}"
        told = told if worst <= _OTHERS else f"{leader} leads, but its rank may be 1 to {worst}"
    elif 0 < len(others) <= _OTHERS:
        rest = [f"{names[board.items[k]]} in {_whole(-minus)}" for minus, k in others]
        told = listed([f"{told} of resamples", *rest])
    else:
        told += " resample" if foremost[0] == -1 else " of resamples"
    can = int((board.best == 1).sum())
    if can > 1:
        return f"{told}; {'any' if can == len(names) else can} of {len(names)} can be first."
    return f"{told}{_level(board, names)}."


def _share(share: float) -> str:
    return "every" if share == 1 else percent(share) if share > 1 - _NEAR else _whole(share)


def _whole(share: float) -> str:
    """A share of resamples, never all or none of them by rounding."""
    if 0 < share < _NEAR or 1 - _NEAR < share < 1:
        return "< 1 %" if share < _NEAR else "> 99 %"
    return f"{100 * share:.0f} %"


def _level(board: Board, names: Sequence[str]) -> str:
    """The items behind the first that share one interval of ranks, if they are one group and few."""
    ends = list(zip(board.best.tolist(), board.worst.tolist(), strict=True))
    alike = {end for end in ends if end[0] < end[1] and ends.count(end) > 1}
    if len(alike) != 1:
        return ""
    ((low, high),) = alike
    told = listed([names[item] for item, end in zip(board.items, ends, strict=True) if end in alike])
    return f"; {told} are level: ranks {low} to {high}" if cells(told) <= _LEVEL else ""


# --- The items -------------------------------------------------------------------------------------------


def item_rows(audit: Audit) -> list[dict[str, Any]]:
    """A row for each item, the best first, group by group; None where there is no such number."""
    rows, wins, names = list[dict[str, Any]](), audit.wins, audit.profile.items
    rule = "" if audit.shown is None else audit.shown.rule.name
    for board in audit.boards:
        for k, item in enumerate(board.items):
            won, lost = sum(wins[item]), sum(row[item] for row in wins)
            beats = sum(a > row[item] for a, row in zip(wins[item], wins, strict=True))
            numbers = {"score": board.scores[k], "low": board.low[k], "high": board.high[k]}
            plain = {key: float(x) if isfinite(x) else None for key, x in numbers.items()}
            ranks = {"rank": board.ranks[k], "best": board.best[k], "worst": board.worst[k]}
            share = None if isnan(board.first[k]) else float(board.first[k])
            rows.append(
                {"item": names[item], **{key: int(x) for key, x in ranks.items()}, **plain, "first": share}
                | {"wins": _plain(won), "losses": _plain(lost), "beats": beats, "loss": rule}
            )
    return rows


def _plain(votes: Fraction | int) -> str:
    """Half votes as a decimal number, as spreadsheets read it."""
    return str(votes if Fraction(votes).denominator == 1 else float(votes))


def cells_of(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
    """The items as cells under one head: scores if there are any, else wins and losses."""
    scored = any(row["score"] is not None for row in rows)
    known = any(row["first"] is not None for row in rows)
    middle = ("score", "95 %") if scored else ("wins", "losses", "beats")
    found = [("rank", "95 %", "", *middle, "first")]
    ends = [[_score(row[key]) for row in rows] for key in ("low", "high")]
    low, high = ([text.rjust(max(map(len, part))) for text in part] for part in ends)
    for k, row in enumerate(rows):
        span = str(row["best"]) if row["best"] == row["worst"] else f"{row['best']}-{row['worst']}"
        within = f"{low[k]} to {high[k]}" if row["low"] is not None else "unknown"
        won = (votes(Fraction(row["wins"])), votes(Fraction(row["losses"])), str(row["beats"]))
        numbers = (_score(row["score"]), within) if scored else won
        share = "unknown" if row["first"] is None else led(row)
        found.append((str(row["rank"]), span if known else "unknown", row["item"], *numbers, share))
    return found


def led(row: Mapping[str, Any]) -> str:
    """In what share of the resamples an item leads; all or none of them show less than its ranks."""
    if row["first"] in (0, 1) and row["best"] == 1 < row["worst"]:
        return "> 99 %" if row["first"] else "< 1 %"
    return _whole(row["first"])


def _score(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= _LARGE else f"{value:z.2f}"


def shortened(names: Sequence[str], longest: int) -> list[str]:
    """Names of at most so many columns, cut in the middle, where different ones stay different."""

    def cut(name: str, part: float) -> str:
        if cells(name) <= longest:
            return name
        head, tail = round(part * (longest - 1)), len(name) - (longest - 1 - round(part * (longest - 1)))
        short = f"{name[:head]}…{name[tail:]}"
        while cells(short) > longest and head:
            head, tail = head - 1, min(tail + 1, len(name))
            short = f"{name[:head]}…{name[tail:]}"
        return short

    tries = [[cut(name, part) for name in names] for part in (0.6, 0.5, 0.4, 0.8, 0.2, 0.0, 1.0)]
    return max(tries, key=lambda shown: len(set(shown)))


def _table(rows: Sequence[tuple[str, ...]], most: int) -> list[str]:
    numbers = [column for k, column in enumerate(zip(*rows, strict=True)) if k != 2]
    room = max(_SHORTEST, WIDTH - 1 - sum(max(map(cells, column)) + 2 for column in numbers))
    names = shortened([row[2] for row in rows], room)
    shown = [(*row[:2], name, *row[3:]) for row, name in zip(rows, names, strict=True)]
    return columns(shown[: most + 1], 1, [k for k in range(len(rows[0])) if k != 2])


def instead(audit: Audit) -> list[str]:
    """Where a loss goes against a majority above noise: those audited that do not, else what is right."""
    wrong = [one for one in audit.findings if is_above(one)]
    fits = [one.rule.name for one in audit.findings if wrong and is_above(one) is False]
    right = (one for one in (wrong[0].certified.repairs if wrong else ()) if one.kind == "loss")
    return fits or [one.surrogate.name for one in right if one.verdict is Verdict.CONSISTENT]


# --- What the losses do to that --------------------------------------------------------------------------


def _best(facts: Facts) -> str:
    """The best order beside the one shown, and who beats everybody."""
    audit, names = facts.audit, facts.audit.profile.items
    shown, best = audit.shown, audit.best
    if len(audit.groups) > 1:
        return ""
    words = "Best order" if best.is_optimal else "Best order found"
    if best.is_optimal and len(names) <= _COUNTED:
        count = optimal_orders(audit.profile.distribution.aggregate).count()
        words += f" (one of {count:,})" if count > 1 else ""
    told = f"{words}: {chain(names, best.order)}."
    if shown is not None and (shown.order == best.order or not any(audit.more(shown))):
        told = f"{words}: the same."
    elif shown is not None and cells(told) > WIDTH - 2:
        also = " also" if shown.order[0] == best.order[0] else ""
        low, high = audit.more(shown)
        less = f"goes against {votes(floor(low))} votes fewer"
        less += f", the best one against up to {votes(ceil(high))} fewer" if low < high else ""
        told = f"The {words[0].lower()}{words[1:]}{also} has {names[best.order[0]]} first, and {less}."
    winner = audit.condorcet
    if winner is not None:
        others = [j for j in best.order if j != winner]
        counts = [f"{votes(audit.wins[winner][j])} : {votes(audit.wins[j][winner])}" for j in others]
        by = f": {listed(counts)}" if len(counts) <= _OTHERS else ""
        return f"{told} {names[winner]} beats everybody (Condorcet winner){by}."
    cycle = "; majorities form a cycle" if facts.conditions.get("acyclic") is False else ""
    return f"{told} Nobody beats everybody{cycle}."


def elections(audit: Audit) -> str:
    """Who wins by each rule of voting theory, and why some do not apply; empty if none was asked for."""
    names = audit.profile.items
    won = [
        f"{ELECTIONS[one.rule][0]}: {' = '.join(names[item] for item in one.winners)}"
        for one in audit.elected
        if one.winners
    ]
    refused = [f"{ELECTIONS[one.rule][0]} is skipped: {one.why}." for one in audit.elected if one.why]
    return " ".join([f"Elected by {'; '.join(won)}." if won else "", *refused]).strip()


def _removal(audit: Audit) -> str:
    """How many votes the first place hangs on."""
    flip, names = audit.shown.flip if audit.shown else None, audit.profile.items
    if flip is None:
        return ""
    what = unit(audit)
    stays = f"{names[flip.above]} stays above {names[flip.below]} unless"
    if flip.fewest == flip.size:
        return f"{stays} {several(flip.size, what)} {'is' if flip.size == 1 else 'are'} removed."
    if flip.fewest is None:
        return f"Without {several(flip.size, what)} {names[flip.above]} is not above {names[flip.below]}."
    return f"{stays} {several(flip.fewest, what)} or more are removed; {votes(flip.size)} are enough."


_SIDES, _POWER = 1.959963984540054, 0.8416212335729143
"""Normal quantiles: of 97.5 %, for both sides of a test at 5 %, and of 80 %."""

_MOST_MORE: Final = 100_000
"""More comparisons than this are no advice."""


@frozen
class Next:
    """An estimate, which takes the share in the data for the truth."""

    #: The items, as the majority has them.
    above: int
    below: int
    share: float  #: How many of the decided comparisons `above` won.
    more: int  #: With so many more, 80 % of the data sets show the majority at 5 %, tested alone.


def more_needed(votes: Votes, first: int, second: int) -> Next | None:
    r"""How many more comparisons of two items would show their majority; None if that is no advice.

    With the share p of the data, a two-sided test at 5 % of n comparisons finds the majority in 80 % of the
    data sets for :math:`n = f ((z_{.975} / 2 + z_{.8} \sqrt{p(1-p)}) / (p - 1/2))^2`, where f is by how much
    margins within clusters vary more than those of as many single games, at least 1.
    """
    wins = votes.decided
    above, below = (first, second) if wins[first, second] > wins[second, first] else (second, first)
    won, lost = int(wins[above, below]), int(wins[below, above])
    if lost in (0, won):
        return None
    share, factor = won / (won + lost), 1.0
    if isinstance(votes, Games) and votes.cluster is not None:
        margins = next(ends for i, j, ends in votes.margins() if {i, j} == {above, below})
        factor = max(1.0, float(margins @ margins) / (won + lost))
    root = (_SIDES / 2 + _POWER * sqrt(share * (1 - share))) / (share - 0.5)
    more = ceil(factor * root**2) - won - lost
    return Next(above, below, share, more) if 0 < more <= _MOST_MORE else None


def next_pair(audit: Audit) -> Next | None:
    """What to compare next, where the first place is not certain: the first and the one that leads next."""
    if len(audit.groups) > 1 or not audit.boards or audit.profile.votes is None:
        return None
    board = audit.boards[0]
    if isnan(board.first[0]) or board.worst[0] == 1:
        return None
    rival = max(range(1, len(board.items)), key=lambda k: (board.first[k], -k))
    return more_needed(audit.profile.votes, board.items[0], board.items[rival])


def next_words(audit: Audit) -> str:
    """That as advice; empty where there is none."""
    pair, names = next_pair(audit), audit.profile.items
    if pair is None:
        return ""
    i, j, said = pair.above, pair.below, audit.profile.votes
    assert said is not None
    decided = said.decided[i, j] + said.decided[j, i]
    ties = ", not counting ties," if audit.wins[i][j] + audit.wins[j][i] > decided else ""
    # More votes of one cluster repeat what it said.
    new = " from new clusters" if isinstance(said, Games) and said.cluster is not None else ""
    return (
        f"about {votes(pair.more)} more {unit(audit)} of {names[i]} and {names[j]}{new}{ties} "
        f"would show their majority (power 80 %), if {percent(pair.share)} prefer {names[i]}."
    )


def audit_lines(audit: Audit, details: bool = False) -> Iterator[Line]:
    """What an audit found, for a person."""
    facts = Facts(audit)
    warned = [noted(note) for note in audit.profile.notes if note.startswith(WARNING)]
    head = _broken(0, line1(facts), f"{audit.profile.title}: {size(audit.profile)}.", *warned)
    reasons = dict.fromkeys(unbounded(audit, one) for one in audit.boards)
    notes = len(audit.profile.notes) - len(warned)
    told = f" ({notes} note{'s' * (notes > 1)})" if notes else ""
    more = f"{'' if details else f'--details{told}   '}--html FILE   --csv FILE"
    better = listed(instead(audit), "or")
    last = [*labeled("instead:", f"{better}, for these votes." if better else ""), *labeled("more:", more)]
    # The least important first.
    tail: dict[str, list[Line]] = {
        "removed": _broken(1, _removal(audit)),
        "next": list(labeled("next:", next_words(audit))),
        "best": _broken(1, _best(facts)),
        "reasons": _broken(1, *reasons),
        "losses": _broken(1, answer(facts)),
        "elections": _broken(1, elections(audit)),
    }
    rows = cells_of(item_rows(audit)) if audit.boards else []
    least = min(len(rows), _ROWS + 1) + (len(rows) > _ROWS + 1) + bool(rows)
    room = HEIGHT - len(head) - least - len(last) - 1
    kept = dict(tail)
    for name in tail:
        if sum(map(len, kept.values())) > room - bool(kept.get("next")):
            del kept[name]
    body = [
        line for name in ("elections", "losses", "reasons", "best", "removed") for line in kept.get(name, ())
    ]
    end = [*kept.get("next", ()), *last]
    most = max(_ROWS, HEIGHT - len(head) - len(body) - len(end) - 5)
    yield from head
    if rows:
        most = len(rows) - 1 if details or len(rows) - 2 <= most else most
        yield ""
        yield from _table(rows, most)
        if len(rows) - 1 > most:
            yield f" {len(rows) - 1 - most} more: --details, --csv FILE or --top N"
    yield ""
    yield from body
    if len(head) + len(body) + len(end) + min(len(rows), most + 2) + 3 <= HEIGHT:
        yield ""
    yield from end
    if details:
        yield from _details(facts)


def _broken(indent: int, *sentences: str) -> list[Line]:
    """The lines of some sentences, each sentence in lines of its own."""
    return [line for told in sentences if told for line in Paragraph(told, indent, 0).lines(WIDTH - indent)]


# --- What only some readers ask --------------------------------------------------------------------------


def _details(facts: Facts) -> Iterator[Line]:
    audit = facts.audit
    held, names = conditions(facts), audit.profile.items
    if audit.findings:
        yield from ("", " Ranks by each rule, in the order of the first table:")
        yield Blocks(tuple(rank_rows(audit)), 1)
    if any(len(finding.contradictions) > 1 for finding in audit.findings):
        yield ""
        yield Blocks(tuple(_distances(facts)), 1)
    yield ""
    order = audit.best.order
    more = f" > ... ({len(order) - _CHAIN} more)" if len(order) > _CHAIN else ""
    said = "" if len(audit.groups) > 1 else f"{chain(names, order[:_CHAIN])}{more}."
    each = [f"{', '.join(rules)}: {told}" for rules, told in together(facts)]
    whole = (groups(audit), f"Preferences: {held}." if held else "", best_order(audit), said)
    rest = (bradley_terry(facts), *each, *components(audit), theorems(audit), *repairs(audit), *flips(audit))
    notes = (noted(one) for one in audit.profile.notes if not one.startswith(WARNING))
    for told in filter(None, (*notes, *whole, *rest, reproduction(audit))):
        yield from inset(told)


def rank_rows(audit: Audit) -> Iterator[tuple[str, ...]]:
    """The rank of each item in the best order and by each rule, tied items alike."""
    yield "", "best order", *(one.rule.name for one in audit.findings)
    best = {item: str(k) for k, item in enumerate(audit.best.order, 1)}
    height = [heights(one.scores[None])[0] for one in audit.findings]
    order = [item for board in audit.boards for item in board.items] or audit.best.order
    for item in order:
        group = next(group for group in audit.groups if item in group)
        ranks = (1 + sum(high[other] > high[item] for other in group) for high in height)
        yield audit.profile.items[item], best[item] if len(audit.groups) == 1 else "-", *map(str, ranks)


def _distances(facts: Facts) -> Iterator[tuple[str, ...]]:
    yield "", "contradicted", "above noise", "votes more", "Kendall distance", "ties"
    for one in facts.audit.findings:
        majorities = facts.above_noise(one)
        above, more = "unknown" if majorities is None else str(majorities), more_votes(facts.audit, one)
        against = votes(len(one.contradictions))
        yield one.rule.name, against, above, more, str(one.kendall), str(one.tied)
