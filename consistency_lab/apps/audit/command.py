"""``consistency-lab audit``: what losses do to real preferences, one profile or thousands."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, final

from consistency_lab.cli.arguments import chosen_items, process_number, whole
from consistency_lab.cli.codes import ANSWER_LOST, BAD_QUESTION, CONSISTENT, INTERRUPTED, OF_VERDICT
from consistency_lab.cli.command import JSON, argument, option, typed
from consistency_lab.cli.question import Columns, of_grades, of_pairs
from consistency_lab.cli.streams import need_stdout, progress, say_json, say_report, warn
from consistency_lab.errors import ConsistencyLabError, InputError, UnsupportedError

if TYPE_CHECKING:
    from consistency_lab.apps.audit.many import Made, Part, Piece, Question
    from consistency_lab.data.profile import Columns as ColumnNames
    from consistency_lab.data.profile import Profile, Reading

_of_many = partial(option, panel="Many profiles")
_from_zero = partial(option, metavar="N", read=whole(0))


def _resamples(given: str, text: str) -> int:
    """A number that can tell something from noise, or none."""
    from consistency_lab.apps.audit.noise import FEWEST

    number = whole(0)(given, text)
    if 0 < number < FEWEST:
        raise InputError(
            f"{given} is {number}, which can tell nothing from noise; give 0 or at least {FEWEST}"
        )
    return number


@final
class Audit(Columns):
    """Say who leads in real votes, and which losses are wrong.

    PrefLib's files, tables with winner and loser, square matrices and our JSON need no options; for other
    tables, name the columns.
    """

    data: tuple[str, ...] = argument("Files, folders, or - for a table on standard input.", metavar="DATA")
    cluster: str | None = of_pairs(
        "What dependent games have in common; or none (if not given: judge, user, session, ...).", rare=True
    )
    user: str | None = of_grades("The user who rates.", rare=True)
    rating: str | None = of_grades("The rating, a number.", rare=True)
    loss: str | None = option("Losses and rules; also bradley-terry, borda, elo, irv.", metavar="A,B")
    top: int | None = option("Keep the N items with the most comparisons.", metavar="N", rare=True)
    select: tuple[str, ...] | None = option(
        'Keep these items; quote a comma: "Lee, Sue".', metavar="A,B,C", read=chosen_items
    )
    unranked: Literal["last", "unknown"] | None = option(
        "What a ballot says about the items it does not rank; unrated items are unknown.", rare=True
    )
    resamples: int = option("Number of bootstrap resamples of the votes.", 1000, metavar="N", read=_resamples)
    simulations: int = _from_zero("Number of simulations of the fitted Bradley-Terry model.", 200, rare=True)
    seed: int = _from_zero("Seed of the resamples and simulations.", 0, rare=True)
    flips: bool | None = option(
        "Look for the fewest votes that change the first place (if not given: up to 60 items).", rare=True
    )
    fail_on: Literal["wrong", "above-noise", "never"] = option(
        "When to exit with 1: the answer says above noise, or a loss is certified wrong at these votes.",
        "above-noise",
        rare=True,
    )
    html: Path | None = option("Also write a page, with its proofs beside it.", metavar="FILE")
    csv: Path | None = option("Also write a table, one row per item.", metavar="FILE")
    details: bool = option("Also what each loss contradicts, and its ranks.", False)
    json: bool = JSON
    out: Path | None = _of_many(
        "Save audits and witnesses in DIR; audits already there are kept.", metavar="DIR", rare=True
    )
    witnesses: bool = _of_many(
        "Save the witness files; with 200 items each takes megabytes.", True, rare=True
    )
    jobs: int | None = _of_many(
        "Number of processes (one per processor).", metavar="N", read=process_number, rare=True
    )
    scheduler: str | None = _of_many("Run on a Dask cluster instead.", metavar="ADDRESS", rare=True)

    def run(self) -> int:
        """Find out how many profiles there are, and audit them."""
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: threads would wait
        from consistency_lab.apps.audit.losses import DEFAULT, ELO, canonical
        from consistency_lab.apps.audit.many import Question, files_of, pieces_of
        from consistency_lab.apps.audit.sparse import MOST
        from consistency_lab.data.games import GameColumns
        from consistency_lab.data.profile import MAX_PROFILE_ITEMS, Reading
        from consistency_lab.files import check_file, prepare_folder

        html, csv, out = self.html, self.csv, self.out
        if not self.given("html", "csv", "out"):
            need_stdout()
        losses = DEFAULT if self.loss is None else tuple(name.strip() for name in self.loss.split(","))
        losses = self._known(losses)
        files = files_of(self.data)
        for given, file in (("--html", html), ("--csv", csv)):
            if file is not None:
                check_file(file, given, map(Path, files))
        if html is not None and csv is not None and realpath(html) == realpath(csv):
            raise InputError(f"--html and --csv both name {html}; give each a file of its own")
        self._check_apart()
        if out is not None:
            prepare_folder(out, "audits")
        from consistency_lab.data.formats import answers_to_prompts

        columns = self._columns(files)
        query = self.query if type(columns) is GameColumns else None
        if self.query is None and len(files) == 1 and answers_to_prompts(files[0]):
            self.query = query = "prompt"
            columns = GameColumns("chosen", "rejected", cluster=self.cluster)
            warn("chosen and rejected are answers to a prompt: read with --query prompt")
        ordered = ELO in map(canonical, losses)
        most = MOST if len(files) == 1 else MAX_PROFILE_ITEMS
        reading = Reading(
            columns, self.ties, self.bad_rows, self.unranked, self.select, self.top, query, ordered, most
        )
        pieces = pieces_of(files, reading)
        one = len(pieces) == 1 and self.scheduler is None
        question = Question(
            losses,
            self.resamples,
            self.simulations,
            self.seed,
            self.flips,
            None if out is None else str(out),
            self.witnesses,
            html is not None,
            f"{html.stem}-proofs" if one and html is not None and self.witnesses else None,
            self.json or out is not None or not one,
        )
        return self._one(pieces[0], reading, question) if one else self._many(pieces, reading, question)

    @staticmethod
    def _known(names: Sequence[str]) -> tuple[str, ...]:
        """The rules that there are; another one does not end the audit unless there is no other."""
        from consistency_lab.apps.audit.elections import election_rule
        from consistency_lab.apps.audit.losses import ELO, KEMENY, canonical, rule

        kept, why = list[str](), list[ConsistencyLabError]()
        for name in names:
            try:
                if canonical(name) not in (ELO, KEMENY) and election_rule(name) is None:
                    rule(name)
                kept.append(name)
            except (InputError, UnsupportedError) as error:
                why.append(error)
        if not kept and why:
            raise why[0]
        for one in why:
            warn(f"skipped: {one}")
        if any(canonical(name) == KEMENY for name in kept):
            warn("kemeny is the best order, which every audit finds")
        return tuple(kept)

    def _one(self, piece: "Piece", reading: "Reading", question: "Question") -> int:
        """One profile: the whole report."""
        from consistency_lab.apps.audit.many import Store
        from consistency_lab.apps.audit.screen import audit_lines
        from consistency_lab.apps.audit.totals import Totals
        from consistency_lab.certify.proofs.file import save
        from consistency_lab.data.profile import MAX_PROFILE_ITEMS

        profile = piece.read(reading)
        if isinstance(profile, str):
            raise InputError(profile)
        if profile.m > MAX_PROFILE_ITEMS:
            return self._leaderboard(profile)
        with progress() as tell:
            audit = made(profile, question, tell)
        assert audit.audit is not None
        try:
            if self.json:
                say_json(audit.document)
            else:
                say_report(audit_lines(audit.audit, self.details))
        finally:  # after the answer, which a full disk must not stop; and also if it is lost, as in `| head`
            self._write([] if audit.part is None else [audit.part], audit.rows)
            if self.html is not None and question.proofs is not None:
                for witness in audit.witnesses:
                    save(witness, self.html.parent / question.proofs)
            if self.out is not None:
                store = Store(self.out, reading, question)
                store.write(store.path(piece) or self.out / "audit.json", piece.name, audit)
                warn(f"written: audits{' and witnesses' if self.witnesses else ''} in {self.out}")
        totals = Totals()
        totals.add(0, piece.name, audit.document)
        return OF_VERDICT[totals.verdict_on(self.fail_on)]

    def _leaderboard(self, profile: "Profile") -> int:
        """Thousands of items: scores and intervals."""
        from consistency_lab.apps.audit.sparse import RESAMPLES, leaderboard, leaderboard_lines
        from consistency_lab.data.profile import MAX_PROFILE_ITEMS

        for given in ("json", "html", "out", "loss"):
            if self.given(given):
                raise InputError(
                    f"--{given} is for up to {MAX_PROFILE_ITEMS:,} items, and there are {profile.m:,}"
                )
        board = leaderboard(profile, min(self.resamples, RESAMPLES), self.seed)
        try:
            say_report(leaderboard_lines(board, self.details))
        finally:
            self._write([], board.rows)
        return CONSISTENT

    def _many(self, pieces: "Sequence[Piece]", reading: "Reading", question: "Question") -> int:
        """Many profiles: they are added up."""
        from consistency_lab.apps.audit.many import audit_all
        from consistency_lab.apps.audit.totals import AUDITS, Totals
        from consistency_lab.processes import cores

        totals, parts, rows = (
            Totals(sliced=reading.query is not None),
            dict[int, "Part"](),
            dict[int, list[Mapping[str, Any]]](),
        )
        documents: dict[int, dict[str, object]] = {}

        def take(number: int, entry: "Made") -> None:
            name = pieces[number].name
            totals.add(number, name, entry.document)
            if entry.part is not None:
                parts[number] = entry.part
            if self.csv is not None:
                rows[number] = [{"source": name, **row} for row in entry.rows]
            if self.json:
                documents[number] = {"source": name, "audit": entry.document}

        with progress(otherwise=warn if self.details else lambda _: None) as report:
            ended = audit_all(
                pieces,
                reading,
                question,
                made,
                jobs=self.jobs or cores(),
                scheduler=self.scheduler,
                take=take,
                report=report,
                warn=warn,
                refused=lambda number, why: totals.refuse(number, pieces[number].name, why),
            )
        try:
            if self.json:
                audits = [documents[number] for number in sorted(documents)]
                say_json(AUDITS(audits, totals, ended.missing))
            else:
                say_report(totals.lines(self.details))
        finally:
            if totals.audited and not ended.interrupted:
                self._write([parts[k] for k in sorted(parts)], [row for k in sorted(rows) for row in rows[k]])
        if self.details or self.out is not None or ended.failed or ended.missing:
            warn(
                f"{ended.made} audits made, {ended.kept} already there, {ended.failed} failed, "
                f"{ended.missing} missing"
            )
        if ended.interrupted:
            if self.html or self.csv:
                warn("the audit is unfinished, so the page and the table were not written")
            kept = (
                "finished audits are kept; run the same command to go on"
                if self.out
                else "--out DIR would keep finished audits"
            )
            warn(f"interrupted: {kept}")
            return INTERRUPTED
        if not totals.audited:
            return BAD_QUESTION
        if ended.lost:
            return ANSWER_LOST
        if self.out is not None:
            warn(f"written: audits{' and witnesses' if self.witnesses else ''} in {self.out}")
        return BAD_QUESTION if ended.failed else OF_VERDICT[totals.verdict_on(self.fail_on)]

    def _write(self, parts: "Sequence[Part]", rows: Sequence[Mapping[str, Any]]) -> None:
        """Write the page and the table, and say so."""
        from consistency_lab.apps.audit.page import page_of
        from consistency_lab.files import csv_text, write_atomic

        if self.html is not None:
            write_atomic(self.html, page_of(parts))
            warn(f"written: {self.html}")
        if self.csv is not None:
            cells = [*map(tuple, rows[:1]), *(tuple(row.values()) for row in rows)]
            write_atomic(self.csv, csv_text(cells, warn))
            warn(f"written: {self.csv}")

    def _check_apart(self) -> None:
        """What is written into a folder that is read would be read as data by the next run."""
        for folder in (Path(name) for name in self.data if Path(name).is_dir()):
            for given, path in (("--csv", self.csv), ("--out", self.out)):
                if path is not None and Path(realpath(path)).is_relative_to(realpath(folder)):
                    raise InputError(f"{given} {path} lies in the input folder {folder}; name another place")

    def _columns(self, files: Sequence[str]) -> "ColumnNames | None":
        """The named columns, all of one kind of table."""
        from dataclasses import replace

        from consistency_lab.data.games import GameColumns
        from consistency_lab.data.layouts import games_in, head_of
        from consistency_lab.data.profile import JudgmentColumns, RatingColumns
        from consistency_lab.data.rows import first_lines

        kinds = {
            "games": ("winner", "loser", "a", "b", "count", "cluster"),
            "ratings": ("user", "item", "rating"),
            "judgments": ("query", "item", "judge", "grade"),
        }
        asked = [kind for kind, own in kinds.items() if self.given(*(one for one in own if one != "item"))]
        named = self.given("winner", "loser", "a", "b")
        head = None if named or not asked else first_lines(files[0])
        seen = games_in(head_of(head)) if head else None
        if "judgments" in asked and not self.given("item", "judge", "grade") and ("games" in asked or seen):
            asked = ["games"]  # the compared items are answers to queries
        if not asked:
            if self.item is not None:
                raise InputError(
                    "--item alone is not enough; give --user and --rating, or --query, --judge and --grade"
                )
            return None
        if len(asked) > 1:
            raise InputError(f"columns of {' and of '.join(asked)} are named; a table holds only one kind")
        (kind,) = asked
        if kind == "games":
            if self.item is not None:
                raise InputError("--item is a column of ratings or judgments, not of games")
            if not named:
                seen = seen or GameColumns("winner", "loser")
                return replace(seen, count=self.count or seen.count, cluster=self.cluster)
            if self.winner is None:
                raise InputError(
                    "--winner is missing; games need --winner and --loser, or --a, --b and --winner"
                )
            return GameColumns(self.winner, self.loser, self.a, self.b, self.count, self.cluster)
        named = self.given(*kinds[kind])
        for column in map(typed, kinds[kind]):
            if column not in named:
                raise InputError(f"{column} is missing; {kind} need {', '.join(map(typed, kinds[kind]))}")
        return (RatingColumns if kind == "ratings" else JudgmentColumns)(*named.values())


def made(
    profile: "Profile", question: "Question", progress: Callable[[str], None] = lambda text: None
) -> "Made":
    """Audit a profile, for the folder, the page and the tables; other processes call it by its name."""
    from consistency_lab.apps.audit.audit import audit
    from consistency_lab.apps.audit.many import WITNESSES, Made
    from consistency_lab.apps.audit.page import page_part
    from consistency_lab.apps.audit.report import audit_document
    from consistency_lab.apps.audit.screen import item_rows
    from consistency_lab.certify.proofs.file import file_name

    audited = audit(
        profile,
        question.losses,
        resamples=question.resamples,
        simulations=question.simulations,
        seed=question.seed,
        flips=question.flips,
        progress=progress,
    )
    known = [one.certified for one in audited.findings]
    # What a theorem decides needs no file, so one is made only to be saved; others are made to be told of.
    told = question.digests or question.page or question.saved is not None
    asked = [one for one in known if told and (question.saved is not None or one.theorem is None)]
    documents = [one.document for one in asked]
    witnesses = {str(one["digest"]): dict(one) for one in documents if one is not None}
    files = {}
    if question.saved is not None:
        files = {digest: Path(WITNESSES, file_name(one)) for digest, one in witnesses.items()}
    kept = tuple(witnesses.values()) if question.witnesses else ()
    part = page_part(audited, question.proofs) if question.page else None
    return Made(
        audit_document(audited, files if told else None), tuple(item_rows(audited)), part, kept, audited
    )
