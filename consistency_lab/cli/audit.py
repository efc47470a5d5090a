"""``consistency-lab audit``: what losses do to real preferences, one profile or thousands."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

from consistency_lab.cli.arguments import chosen_items, one_of, process_number
from consistency_lab.cli.grammar import (
    ANSWER_LOST,
    BAD_QUESTION,
    CONSISTENT,
    INCONSISTENT,
    INTERRUPTED,
    UNDECIDED,
    Argument,
    Option,
)
from consistency_lab.cli.streams import progress, say_json, say_report, told, warn
from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen

if TYPE_CHECKING:
    from consistency_lab.audits.many import Part, Piece, Question
    from consistency_lab.data.profile import Columns, Reading
    from consistency_lab.data.rows import Unranked

_TABLES: Final = "Columns of tables"
_RUN: Final = "Many profiles"
_CODES: Final[Mapping[str, int]] = {
    "CONSISTENT": CONSISTENT,
    "INCONSISTENT": INCONSISTENT,
    "UNDECIDED": UNDECIDED,
}


def audit(
    data: Annotated[
        list[str],
        Argument(metavar="DATA...", help="Files, folders of them, or - for a table on standard input."),
    ],
    loss: Annotated[
        str | None,
        Option(metavar="A,B", help="Losses and rules; bradley-terry, borda, winrate, ... are known too."),
    ] = None,
    winner: Annotated[
        str | None, Option(metavar="COLUMN", help="Who won; or which of --a and --b did.", panel=_TABLES)
    ] = None,
    loser: Annotated[str | None, Option(metavar="COLUMN", help="Who lost.", panel=_TABLES)] = None,
    a: Annotated[
        str | None, Option(metavar="COLUMN", help="The first of two that are compared.", panel=_TABLES)
    ] = None,
    b: Annotated[str | None, Option(metavar="COLUMN", help="The second one.", panel=_TABLES)] = None,
    count: Annotated[str | None, Option(metavar="COLUMN", help="How often (once).", panel=_TABLES)] = None,
    cluster: Annotated[
        str | None,
        Option(
            metavar="COLUMN",
            help="The judge or prompt of a game; its games are drawn together.",
            panel=_TABLES,
        ),
    ] = None,
    ties: Annotated[
        str, Option(metavar="half|drop|both", help="What a tie counts for each of the two.", panel=_TABLES)
    ] = "half",
    user: Annotated[str | None, Option(metavar="COLUMN", help="Who rates.", panel=_TABLES)] = None,
    item: Annotated[
        str | None, Option(metavar="COLUMN", help="What is rated or judged.", panel=_TABLES)
    ] = None,
    rating: Annotated[
        str | None, Option(metavar="COLUMN", help="The rating, a number.", panel=_TABLES)
    ] = None,
    query: Annotated[
        str | None, Option(metavar="COLUMN", help="The query; each is a profile.", panel=_TABLES)
    ] = None,
    judge: Annotated[str | None, Option(metavar="COLUMN", help="Who judges.", panel=_TABLES)] = None,
    grade: Annotated[str | None, Option(metavar="COLUMN", help="The grade, a number.", panel=_TABLES)] = None,
    bad_rows: Annotated[
        str,
        Option(metavar="report|fail", help="What becomes of rows that cannot be read.", panel=_TABLES),
    ] = "report",
    top: Annotated[
        int | None, Option(metavar="N", help="Keep the N items with the most comparisons.")
    ] = None,
    select: Annotated[
        str | None, Option(metavar="A,B,C", help='Keep these items; "Lee, Sue" in double quotes.')
    ] = None,
    unranked: Annotated[
        str | None,
        Option(
            metavar="last|unknown",
            help="What unranked items of a ballot stand for; unrated ones are unknown.",
        ),
    ] = None,
    resamples: Annotated[int, Option(metavar="N", help="How often votes are drawn again.")] = 1000,
    simulations: Annotated[int, Option(metavar="N", help="How often Bradley-Terry plays.")] = 200,
    seed: Annotated[int, Option(metavar="N", help="Seed of both.")] = 0,
    flips: Annotated[
        bool | None,
        Option(help="Look for the fewest votes that change the first place (if not given: up to 60 items)."),
    ] = None,
    html: Annotated[Path | None, Option(metavar="FILE", help="Also write one page with pictures.")] = None,
    csv: Annotated[Path | None, Option(metavar="FILE", help="Also write a table, a row a loss.")] = None,
    json: Annotated[bool, Option(help="Print one JSON document.")] = False,
    out: Annotated[
        Path | None,
        Option(metavar="DIR", help="Keep audits and witnesses; what is there is not made again.", panel=_RUN),
    ] = None,
    witnesses: Annotated[
        bool, Option(help="Keep the files that prove it; of 200 items each has megabytes.", panel=_RUN)
    ] = True,
    jobs: Annotated[
        int | None, Option(metavar="N", help="Processes at once (as many as processors).", panel=_RUN)
    ] = None,
    scheduler: Annotated[
        str | None, Option(metavar="ADDRESS", help="Work on a Dask cluster instead.", panel=_RUN)
    ] = None,
) -> int:
    """Audit real preferences: what each loss contradicts there, certified, and whether that is noise.

    PrefLib's files, tables with columns winner and loser, square matrices and our JSON tell all of
    themselves; for other tables name the columns.

    Several profiles are added up; --json, --csv and --out have each of them.
    """
    from consistency_lab.audits.losses import DEFAULT, KEMENY, canonical, rule
    from consistency_lab.audits.many import Question, files_of, pieces_of
    from consistency_lab.data.profile import Reading
    from consistency_lab.files import check_file, prepare_folder

    games = {"--winner": winner, "--loser": loser, "--a": a, "--b": b, "--count": count, "--cluster": cluster}
    ratings = {"--user": user, "--item": item, "--rating": rating}
    judgments = {"--query": query, "--item": item, "--judge": judge, "--grade": grade}
    losses = DEFAULT if loss is None else tuple(name.strip() for name in loss.split(","))
    for name in losses:
        if canonical(name) != KEMENY:
            rule(name)
    for option, value in (("--resamples", resamples), ("--simulations", simulations)):
        if value < 0:
            raise InputError(f"{option} is {value}; it must be at least 0")
    if seed < 0:
        raise InputError(f"--seed is {seed}; it must be at least 0")
    processes = None if jobs is None else process_number(jobs)
    files = files_of(data)
    for option, file in (("--html", html), ("--csv", csv)):
        if file is not None:
            check_file(file, option, map(Path, files))
    if html is not None and csv is not None and html.resolve() == csv.resolve():
        raise InputError(f"--html and --csv both name {html}; give each a file of its own")
    _check_apart(data, csv, out)
    if out is not None:
        prepare_folder(out, "audits")
    reading = Reading(
        _columns(games, ratings, judgments),
        one_of("--ties", ties, ("half", "drop", "both")),
        one_of("--bad-rows", bad_rows, ("report", "fail")),
        None if unranked is None else one_of("--unranked", unranked, _UNRANKED),
        None if select is None else chosen_items(select),
        top,
    )
    question = Question(
        losses,
        resamples,
        simulations,
        seed,
        flips,
        None if out is None else str(out),
        witnesses,
        html is not None,
    )
    pieces = pieces_of(files, reading)
    shown = _Shown(html, csv, json, out)
    if len(pieces) == 1 and scheduler is None:
        return _one(pieces[0], reading, question, shown)
    return _many(pieces, reading, replace(question, attached=False), shown, processes, scheduler)


def _one(piece: "Piece", reading: "Reading", question: "Question", shown: "_Shown") -> int:
    """One profile: the whole report."""
    from consistency_lab.audits.many import Store
    from consistency_lab.report.audit_text import audit_lines
    from consistency_lab.report.totals import Totals, made

    profile = piece.read(reading)
    if isinstance(profile, str):
        raise InputError(profile)
    with progress() as tell:
        found = made(profile, question) if tell is None else made(profile, question, tell)
    assert found.document is not None and found.audit is not None
    if shown.json:
        say_json(found.document)
    else:
        say_report(audit_lines(found.audit))
    # The answer is out before a full disk can stop it.
    shown.files([] if found.part is None else [found.part], found.rows)
    if shown.out is not None:
        store = Store(shown.out, reading, question)
        store.write(store.path(piece) or shown.out / "audit.json", piece.name, found)
        warn(f"written: audits and witnesses in {shown.out}")
    totals = Totals()
    totals.add(0, piece.name, found.document)
    return _CODES[totals.verdict]


def _many(
    pieces: "Sequence[Piece]",
    reading: "Reading",
    question: "Question",
    shown: "_Shown",
    jobs: int | None,
    scheduler: str | None,
) -> int:
    """Many profiles: they are added up."""
    from consistency_lab.audits.many import Entry, audit_all
    from consistency_lab.processes import cores
    from consistency_lab.report.totals import Totals, made

    totals, parts, rows = Totals(), dict[int, "Part"](), dict[int, list[Mapping[str, Any]]]()
    documents: dict[int, dict[str, object]] = {}

    def take(number: int, entry: Entry) -> None:
        name = pieces[number].name
        totals.add(number, name, entry.document)
        if entry.part is not None:
            parts[number] = entry.part
        if shown.csv is not None:
            rows[number] = [{"source": name, **row} for row in entry.rows]
        if shown.json:
            documents[number] = {"source": name, "audit": entry.document}

    with told() as report:
        ended = audit_all(
            pieces,
            reading,
            question,
            made,
            jobs=jobs or cores(),
            scheduler=scheduler,
            take=take,
            report=report,
            warn=warn,
            refused=lambda number, why: totals.refuse(number, pieces[number].name, why),
        )
    if shown.json:
        audits = [documents[number] for number in sorted(documents)]
        say_json(
            {
                "format": "consistency-lab/audits/1",
                "audits": audits,
                "totals": totals.document() | {"missing": ended.missing},
            }
        )
    else:
        say_report(totals.lines())
    warn(
        f"{ended.made} audits made, {ended.kept} were there, {ended.failed} could not be made, "
        f"{ended.missing} are missing"
    )
    if ended.interrupted:
        if shown.html or shown.csv:
            warn("what is not finished is no page and no table, so those are as before")
        kept = (
            "what is done is kept, and the same command goes on"
            if shown.out
            else "--out DIR keeps what is done"
        )
        warn(f"interrupted: {kept}")
        return INTERRUPTED
    if not totals.audited:
        return BAD_QUESTION
    shown.files([parts[k] for k in sorted(parts)], [row for k in sorted(rows) for row in rows[k]])
    if ended.lost:
        return ANSWER_LOST
    if shown.out is not None:
        warn(f"written: audits and witnesses in {shown.out}")
    return BAD_QUESTION if ended.failed else _CODES[totals.verdict]


_UNRANKED: Final[tuple["Unranked", ...]] = ("last", "unknown")


@frozen
class _Shown:
    """Where the answer goes besides stdout."""

    html: Path | None
    csv: Path | None
    json: bool
    out: Path | None

    def files(self, parts: "Sequence[Part]", rows: Sequence[Mapping[str, Any]]) -> None:
        """Write the page and the table, and say so."""
        from consistency_lab.files import csv_text, write_atomic
        from consistency_lab.report.audit_page import page_of

        if self.html is not None:
            write_atomic(self.html, page_of(parts))
            warn(f"written: {self.html}")
        if self.csv is not None:
            write_atomic(self.csv, csv_text([*map(tuple, rows[:1]), *(tuple(row.values()) for row in rows)]))
            warn(f"written: {self.csv}")


def _check_apart(data: Sequence[str], csv: Path | None, out: Path | None) -> None:
    """What is written into a folder that is read would be read as data by the next run."""
    for folder in (Path(name) for name in data if Path(name).is_dir()):
        for option, path in (("--csv", csv), ("--out", out)):
            if path is not None and path.resolve().is_relative_to(folder.resolve()):
                raise InputError(f"{option} {path} lies in {folder}, which is read; name another place")


def _columns(
    games: Mapping[str, str | None], ratings: Mapping[str, str | None], judgments: Mapping[str, str | None]
) -> "Columns | None":
    """The columns that are named, which must be those of one kind of table."""
    from consistency_lab.data.games import GameColumns
    from consistency_lab.data.profile import JudgmentColumns, RatingColumns

    asked = {
        what: options
        for what, options in (("games", games), ("ratings", ratings), ("judgments", judgments))
        if any(value is not None for option, value in options.items() if option != "--item")
    }
    if not asked:
        if ratings["--item"] is not None:
            raise InputError(
                "--item alone says nothing; give --user and --rating, or --query, --judge and --grade"
            )
        return None
    if len(asked) > 1:
        raise InputError(f"columns of {' and of '.join(asked)} are named; a table holds one of them")
    ((what, options),) = asked.items()
    if what == "games":
        if ratings["--item"] is not None:
            raise InputError("--item is a column of ratings or judgments, not of games")
        winner = games["--winner"]
        if all(games[column] is None for column in ("--winner", "--loser", "--a", "--b")):
            winner = games["--winner"] = "winner"
            games["--loser"] = "loser"
        if winner is None:
            raise InputError("--winner is missing; games need --winner and --loser, or --a, --b and --winner")
        return GameColumns(
            winner,
            loser=games["--loser"],
            a=games["--a"],
            b=games["--b"],
            count=games["--count"],
            cluster=games["--cluster"],
        )
    missing = [option for option, value in options.items() if value is None]
    if missing:
        raise InputError(f"{missing[0]} is missing; {what} need {', '.join(options)}")
    named = [str(value) for value in options.values()]
    return RatingColumns(*named) if what == "ratings" else JudgmentColumns(*named)
