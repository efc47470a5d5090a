"""An atlas in its folder: what is missing or damaged is made, in processes or on a cluster."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from consistency_lab.apps.measure.atlas.cell import (
    BUDGET,
    FORMAT,
    FORMS,
    MAKERS,
    PARTS,
    SAMPLES,
    Cell,
    Failed,
    Made,
    Outcome,
    cells,
    tried,
)
from consistency_lab.certify.proofs.file import as_proof
from consistency_lab.certify.witness import Witness
from consistency_lab.decide.theorems.catalogue import consistency_theorem
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.files import digest, prepare_folder, read_json, write_document
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.surrogates import surrogate, surrogate_names
from consistency_lab.numbers.exact import rational
from consistency_lab.processes import ProcessDied, Undone, at_once, check_address, cores, on_cluster
from consistency_lab.search.size import total_weight
from consistency_lab.show.documents import Schema

Document = Mapping[str, Any]

# --- The form of the body of a stored cell, checked once where it is read --------------------------------
# A matching digest does not show this.


def check_body(document: Document) -> None:
    """Refuse a cell whose conclusion, parts and witnesses are not of the form that `make` writes.

    What they claim is another matter: that is held against the witnesses when a cell is shown.
    """
    _check_fields("conclusion", document.get("conclusion"), "conclusion")
    parts, witnesses = document.get("parts"), document.get("witnesses")
    if not isinstance(parts, Mapping) or not set(parts) <= set(MAKERS):
        raise InputError(f"its parts must be some of {', '.join(MAKERS)}")
    for name, part in parts.items():
        unsupported = isinstance(part, Mapping) and "unsupported" in part
        _check_fields(f"part {name!r}", part, "unsupported" if unsupported else name)
        for share in (part["overall"], *part["by_margin"]) if "overall" in part else ():
            if not share["strict"] <= share["failures"] <= share["samples"]:
                raise InputError(f"its part {name!r} has more failures than samples")
    if not isinstance(witnesses, Mapping) or not all(isinstance(one, Mapping) for one in witnesses.values()):
        raise InputError("its witnesses must be an object of witness documents")


def _check_fields(what: str, value: object, form: str) -> None:
    if not isinstance(value, Mapping):
        raise InputError(f"its {what} is not an object")
    fields = FORMS[form]
    wrong = next((key for key in fields if key not in value or not _fits(value[key], fields[key])), None)
    if wrong is not None:
        raise InputError(f"its {what} has no valid {wrong!r}")
    unknown = next((key for key in value if key not in fields), None)
    if unknown is not None:
        raise InputError(f"its {what} has an unknown entry {unknown[:40]!r}")


def _fits(value: object, form: Schema) -> bool:
    """Whether a value has the form that a schema says; in a cell no number is below 0."""
    if "anyOf" in form:
        return any(_fits(value, one) for one in form["anyOf"])
    if "enum" in form:
        return value in form["enum"]
    if form["type"] == "object":
        fields = form["properties"]
        return (
            isinstance(value, Mapping)
            and value.keys() == fields.keys()
            and all(_fits(value[key], fields[key]) for key in fields)
        )
    if form["type"] == "array":
        fixed = form.get("minItems")
        return (
            isinstance(value, list)
            and fixed in (None, len(value))
            and all(_fits(x, form["items"]) for x in value)
        )
    if form["type"] == "string":
        return isinstance(value, str) and ("pattern" not in form or _is_number(value))
    if form["type"] == "integer":
        return type(value) is int and value >= 0
    return value is None if form["type"] == "null" else isinstance(value, bool)


def _is_number(text: str) -> bool:
    try:
        return rational(text) >= 0
    except InputError:
        return False


# --- The cells on disk: one JSON file each, all of it or nothing; what is damaged counts as missing ------


@frozen
class Store:
    """A folder of cells."""

    folder: Path  #: Where they are; it is made when the first is written.

    def path(self, cell: Cell) -> Path:
        return self.folder / f"{cell.name}.json"

    def has(self, cell: Cell, warn: Callable[[str], None]) -> bool:
        """Whether this cell is stored with the same parameters; damaged files are reported to `warn`."""
        path = self.path(cell)
        if not path.exists():
            return False
        try:
            document = read_cell(path)
        except InputError as error:
            warn(f"{error}; computing it again")
            return False
        return bool(document["parameters"] == cell.parameters())

    def write(self, cell: Cell, document: Mapping[str, object]) -> None:
        """Store a cell; an interruption takes effect only after that."""
        write_document(self.path(cell), document)

    def prepare(self) -> None:
        prepare_folder(self.folder, "an atlas")

    def documents(self) -> Iterator[dict[str, Any]]:
        try:
            there = self.folder.is_dir()
        except OSError:  # as for a name that is too long
            there = False
        if not there:
            raise InputError(f"{self.folder} is not a folder; give the folder of an atlas")
        for path in sorted(self.folder.glob("*.json")):
            yield read_cell(path)


def read_cell(path: Path) -> dict[str, Any]:
    """The document of a cell, if its format, digest, parameters and body are valid."""
    document = read_json(path)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(f"{path} is not a cell of an atlas; its format must be {FORMAT}")
    try:
        same = document.get("digest") == digest(document)
    except InputError as error:
        raise InputError(f"{path} is damaged: {error}") from None
    if not same:
        raise InputError(f"{path} is damaged: its digest does not match its content")
    parameters = document.get("parameters")
    try:
        if not isinstance(parameters, dict) or Cell.of(parameters).name != path.stem:
            raise InputError("its parameters belong to another cell")
        check_body(document)
    except InputError as error:
        raise InputError(f"{path} is not a cell of an atlas: {error}") from None
    return document


# --- Make cells, in processes of this machine or on a Dask cluster that runs already ---------------------

ATTEMPTS: Final = 3
"""A cell fails after this many processes died on it, each working on it alone."""


def make_cells(
    cells: Sequence[Cell], jobs: int, scheduler: str | None = None
) -> Generator[Outcome, None, None]:
    """Compute cells, `jobs` at once or on the cluster of a scheduler; yields outcomes as they finish.

    Close the iterator to stop running processes, or to cancel unfinished work on the cluster.
    """
    messages = [cell.parameters() for cell in cells]
    work: Generator[tuple[int, Any], None, None] = (
        at_once(tried, messages, jobs, attempts=ATTEMPTS)
        if scheduler is None
        else on_cluster(tried, messages, scheduler)
    )
    with closing(work) as answers:
        for number, answer in answers:
            if isinstance(answer, ProcessDied):
                why = f"{ATTEMPTS} processes died on it, the last with exit code {answer.exit_code}"
                yield Failed(cells[number], why)
            elif isinstance(answer, Undone):
                yield Failed(cells[number], answer.reason)
            else:
                document, why = answer
                yield Failed(cells[number], why) if document is None else Made(cells[number], document)


# --- Make an atlas: what is missing in its folder, and nothing else --------------------------------------


@frozen
class Summary:
    """The outcome of a run."""

    asked: tuple[Cell, ...]  #: All cells of the atlas.
    kept: tuple[Cell, ...]  #: Those that were there, made with the same parameters.
    made: tuple[Cell, ...]  #: Those that were made now, in the order in which they were stored.
    #: Those that could not be made, and why; nothing is stored of them, so the next run tries again.
    failed: tuple[Failed, ...]
    interrupted: bool  #: Whether the user ended the run before all were tried.

    @property
    def missing(self) -> tuple[Cell, ...]:
        """The cells that are still to be made."""
        there = {*self.kept, *self.made}
        return tuple(cell for cell in self.asked if cell not in there)


def run_atlas(
    surrogates: Sequence[str],
    conditions: Sequence[str],
    items: Sequence[int],
    out: Path,
    *,
    scheduler: str | None = None,
    jobs: int | None = None,
    budget_per_cell: float = BUDGET,
    samples: int = SAMPLES,
    seed: int = 0,
    parts: Sequence[str] = PARTS,
    report: Callable[[str], None] | None = None,
    warn: Callable[[str], None] | None = None,
) -> Summary:
    """Make the cells of an atlas that are not in its folder yet.

    Each is stored when it is finished, so that a run that is killed loses only the cells in work. Ctrl-C ends
    the run and keeps what is done.
    """
    asked = cells(surrogates, conditions, items, budget_per_cell, samples, seed, parts)
    if jobs is not None and jobs < 1:
        raise InputError(f"jobs is {jobs}; it must be at least 1")
    if scheduler is not None:
        check_address(scheduler)
    report, warn = report or _silent, warn or _silent
    store = Store(out)
    store.prepare()
    kept = tuple(cell for cell in asked if store.has(cell, warn))
    todo = [cell for cell in asked if cell not in set(kept)]
    made: list[Cell] = []
    failed: list[Failed] = []
    interrupted = False
    report(f"{len(kept)} of {len(asked)} cells are already stored")
    try:
        with closing(make_cells(todo, jobs or cores(), scheduler)) as outcomes:
            for outcome in outcomes:
                if isinstance(outcome, Failed):
                    failed.append(outcome)
                    warn(f"{outcome.cell.title}: not made: {outcome.reason}")
                    continue
                store.write(outcome.cell, outcome.document)
                made.append(outcome.cell)
                report(f"{len(kept) + len(made)} of {len(asked)} cells: {outcome.cell.title}")
    except KeyboardInterrupt:
        interrupted = True
    return Summary(asked, kept, tuple(made), tuple(failed), interrupted)


def _silent(text: str) -> None:
    """Say nothing."""


# --- The cells of an atlas as shown: the core must accept what their witnesses claim to prove ------------


@frozen
class VerifiedCell:
    """One cell."""

    cell: Cell  #: The question.
    #: INCONSISTENT with witnesses that the core has just accepted; CONSISTENT by a theorem whose hypotheses
    #: have just been checked.
    verdict: str
    #: "strict" if a witness inverts a pair under every tie rule, "tie" if all only tie it; None without one.
    failure: str | None
    #: The stored parts, by name: ``verdict``, ``smallest``, ``rate``, ``worst``.
    parts: Mapping[str, Document]
    lightest: Mapping[str, int]  #: The least total weight of the accepted witnesses, by kind of failure.

    def part(self, name: str) -> Document | None:
        """A part, unless it was not requested or is unsupported."""
        part = self.parts.get(name)
        return None if part is None or "unsupported" in part else part


def entries(folder: Path) -> list[VerifiedCell]:
    """Every cell in a folder, by number of items, surrogate and condition."""
    shown = [entry(document) for document in Store(folder).documents()]
    if not shown:
        raise InputError(
            f"{folder} contains no cells; make some with consistency-lab measure --surrogates ..."
        )
    surrogates, conditions = surrogate_names(), list(CONDITIONS)
    return sorted(
        shown,
        key=lambda one: (
            one.cell.m,
            surrogates.index(one.cell.surrogate),
            conditions.index(one.cell.condition),
        ),
    )


def entry(document: Document) -> VerifiedCell:
    """One cell as `read_cell` gives it, its witnesses verified."""
    cell = Cell.of(document["parameters"])
    conclusion, parts, witnesses = (document[name] for name in ("conclusion", "parts", "witnesses"))
    proved = {name: _proved(cell, witness) for name, witness in witnesses.items()}
    kinds = {witness.verified.failure for witness in proved.values()}
    failure = None if not kinds else "strict" if "strict" in kinds else "tie"
    if conclusion["failure"] != failure or (conclusion["verdict"] == "INCONSISTENT") != bool(proved):
        raise RejectedError(f"{cell.title}: its witnesses do not prove its conclusion")
    if conclusion["verdict"] == "CONSISTENT" and not _is_proved(cell):
        raise RejectedError(f"{cell.title}: no theorem proves that it is consistent")
    for name in _named(parts):
        if name not in witnesses:
            raise RejectedError(f"{cell.title}: it names a witness that it does not contain")
    _check_smallest(cell, parts.get("smallest", {}), proved)
    _check_worst(cell, parts.get("worst", {}), proved)
    return VerifiedCell(cell, str(conclusion["verdict"]), failure, parts, _lightest(proved))


def _named(parts: Mapping[str, Document]) -> Iterator[str]:
    """The digests of the witnesses that the parts name."""
    for part in parts.values():
        for name in ("witness", "strict_witness"):
            if part.get(name) is not None:
                yield part[name]
        yield from part.get("witnesses", ())


def _proved(cell: Cell, document: Document) -> Witness:
    """A witness, if it is one for this cell."""
    try:
        witness = Witness.of(as_proof(document))
    except (InputError, RejectedError) as error:
        raise type(error)(f"{cell.title}: {error}") from None
    verified = witness.verified
    if (
        cell.surrogate not in verified.recomputed
        or verified.surrogate != cell.surrogate
        or verified.m != cell.m
        or not witness.fails_under(cell.condition)
    ):
        raise RejectedError(f"{cell.title}: one of its witnesses is for another cell")
    return witness


def _lightest(proved: Mapping[str, Witness]) -> dict[str, int]:
    lightest: dict[str, int] = {}
    for witness in proved.values():
        weight = _weight(witness)
        kind = str(witness.verified.failure)
        lightest[kind] = min(weight, lightest.get(kind, weight))
    return lightest


def _is_proved(cell: Cell) -> bool:
    return consistency_theorem(surrogate(cell.surrogate), cell.condition) is not None


def _check_smallest(cell: Cell, part: Document, proved: Mapping[str, Witness]) -> None:
    """The totals must be those of the witnesses."""
    for total, key in (("total", "witness"), ("strict_total", "strict_witness")):
        if part.get(total) is None:
            continue
        if part[key] is None or part[total] != _weight(proved[part[key]]):
            raise RejectedError(f"{cell.title}: the total weight of the smallest witness does not match")
    strict = part.get("strict_witness")
    if strict is not None and proved[strict].verified.failure != "strict":
        raise RejectedError(f"{cell.title}: the smallest strict inversion is a tie")


def _check_worst(cell: Cell, part: Document, proved: Mapping[str, Witness]) -> None:
    """The lower end must be at most the normalized regret of its witness, which is proved."""
    if part.get("witness") is None:
        if part.get("lower", "0") != "0":
            raise RejectedError(f"{cell.title}: the lower end of the worst case has no witness")
        return
    if Fraction(part["lower"]) > proved[part["witness"]].normalized_regret:
        raise RejectedError(f"{cell.title}: the lower end of the worst case exceeds that of its witness")


def _weight(witness: Witness) -> int:
    return total_weight(witness.distribution.aggregate)
