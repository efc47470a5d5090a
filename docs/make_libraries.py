"""Decides the losses of libraries, and makes the tables that the site has in docs/libraries.md.

`python docs/make_libraries.py` decides everything anew and writes the witnesses to counterexamples/libraries
and the answers to docs/libraries.json. docs/measure_libraries.py measures how often training ends wrongly.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consistency_lab.certify.proofs.file import as_proof
from consistency_lab.model.surrogates.tasks.libraries import library_losses, library_names
from consistency_lab.model.surrogates.tasks.shipped import SHIPPED, LibraryLoss
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.task import Task

ROOT = Path(__file__).resolve().parent.parent
ANSWERS = ROOT / "docs" / "libraries.json"
MEASURED = ROOT / "docs" / "libraries_trained.json"
WITNESSES = ROOT / "counterexamples" / "libraries"
TARGETS = ("ndcg", "pairwise")
ITEMS = 3
SECONDS = 300.0
COMMAND = "python docs/make_libraries.py"

Answer = dict[str, str]
Answers = dict[str, Answer]


@dataclass(frozen=True)
class Question:
    """One question: a loss or a field, by its name, on a target with labels."""

    kind: str
    loss: str
    target: str
    labels: tuple[int, ...]

    @property
    def key(self) -> str:
        """Its name in the file of answers, and of its witness."""
        grades = "".join(map(str, self.labels))
        return f"{self.target}-{grades}-{self.loss.replace(':', '-')}"

    @property
    def task(self) -> Task:
        """The task."""
        return target(self.target, items=ITEMS, labels=self.labels)


def labels_of(line: LibraryLoss) -> tuple[int, ...]:
    return (0, 1) if line.binary else (0, 1, 2)


def fits(line: LibraryLoss, goal: str) -> bool:
    """Whether the plain loss is about this target: one with gains of its own is not about pairs."""
    return not (line.own_gain and goal != "ndcg")


def plain_question(line: LibraryLoss, goal: str) -> Question | None:
    if line.plain is None or not fits(line, goal):
        return None
    return Question("loss", line.plain.name, goal, labels_of(line))


def default_question(line: LibraryLoss, goal: str) -> Question | None:
    if line.shipped == "same":
        return plain_question(line, goal)
    if line.default is not None:
        return Question("loss", line.default.name, goal, labels_of(line))
    return None if line.field is None else Question("field", line.name, goal, labels_of(line))


def questions() -> Iterator[tuple[Question, LibraryLoss]]:
    """Every question once, with a line of the catalogue that asks it."""
    seen: set[str] = set()
    for line in library_losses():
        for goal in TARGETS:
            for question in (plain_question(line, goal), default_question(line, goal)):
                if question is not None and question.key not in seen:
                    seen.add(question.key)
                    yield question, line


# --- The tables -------------------------------------------------------------------------------


def cell(question: Question | None, answers: Answers) -> str:
    if question is None:
        return "—"
    answer = answers[question.key]
    if "witness" in answer:
        how = ", by a tie" if witness_of(answer)["proof"]["failure"] == "tie" else ""
        how += ", reached" if answer.get("reached") == "yes" else ""
        return f"[{answer['verdict']}{how}](../{answer['witness']})"
    return f"{answer['verdict']}, {answer['scope']}" if answer.get("scope") else answer["verdict"]


def default_cell(line: LibraryLoss, goal: str, answers: Answers) -> str:
    if line.shipped == "unsupported":
        return "UNDECIDED"
    return "same" if line.shipped == "same" else cell(default_question(line, goal), answers)


def table(library: str, answers: Answers) -> Iterator[str]:
    yield "| objective | by default | NDCG, plain | NDCG, default | pairwise, plain | pairwise, default |"
    yield "|---|---|---|---|---|---|"
    for line in library_losses(library):
        cells = [
            text
            for goal in TARGETS
            for text in (cell(plain_question(line, goal), answers), default_cell(line, goal, answers))
        ]
        yield f"| `{line.objective}` | {SHIPPED[line.shipped]} | {' | '.join(cells)} |"


def details(line: LibraryLoss, usual: str) -> Iterator[str]:
    """One bullet; the library's usual file is not repeated."""
    yield f"- **`{line.objective}`**: `{line.formula}`."
    if line.defaults:
        yield f"  Parameters: `{', '.join(f'{name}={value}' for name, value in line.defaults.items())}`."
    yield f"  {line.note}"
    if line.file != usual:
        yield f"  In `{line.file}`."


def formulas() -> Iterator[str]:
    """The losses that the tables are about, once each."""
    losses = {f.name: f.formula for x in library_losses() for f in (x.plain, x.default) if f is not None}
    yield "| loss | formula | objectives that are, or come from, this loss |"
    yield "|---|---|---|"
    for name, formula in losses.items():
        of = (x.name for x in library_losses() if any(f and f.name == name for f in (x.plain, x.default)))
        escaped = formula.replace("|", "\\|")
        yield f"| `{name}` | `{escaped}` | {', '.join(f'`{one}`' for one in of)} |"


def witness_of(answer: Answer) -> dict[str, Any]:
    """The proof in a file of either format."""
    return dict(as_proof(json.loads((ROOT / answer["witness"]).read_text(encoding="utf-8"))))


def distribution(document: dict[str, Any]) -> str:
    labels = zip(document["named"]["labels"], document["proof"]["labels"], strict=True)
    return ", ".join(f"{tuple(label)}: {entry['probability']}" for label, entry in labels)


def orders(document: dict[str, Any]) -> tuple[str, str]:
    """The wrong ranking and the better one."""
    ranks, better = (" > ".join(document["proof"][key]) for key in ("prediction", "better"))
    return ranks, better


def reached() -> Iterator[str]:
    """What a user can reproduce by training."""
    yield "| objective | target | labels, grades of the items: probability | training ends at | better | by |"
    yield "|---|---|---|---|---|---|"
    answers = stored()
    for question, _ in questions():
        answer = answers[question.key]
        if answer.get("reached") == "yes":
            document = witness_of(answer)
            ranks, better = orders(document)
            cells = [f"[`{question.loss}`](../{answer['witness']})", question.target, distribution(document)]
            yield f"| {' | '.join([*cells, ranks, better, document['proof']['regret']])} |"


def measured() -> Iterator[str]:
    """How often, from the file of docs/measure_libraries.py."""
    yield "| objective | drawn | in one ranking | wrong | of these wrong in the trained library too |"
    yield "|---|---|---|---|---|"
    for name, n in json.loads(MEASURED.read_text(encoding="utf-8"))["counts"].items():
        wrong = f"{n['wrong']} ({100 * n['wrong'] / n['drawn']:.1f} %)"
        yield f"| `{name}` | {n['drawn']} | {n['one_order']} | {wrong} | {n['trained_wrong']} |"


def proofs() -> Iterator[str]:
    """The answers that have no witness."""
    yield "| loss or field | target | grades | answer | evidence |"
    yield "|---|---|---|---|---|"
    answers = stored()
    for question, _ in questions():
        answer = answers[question.key]
        if "witness" not in answer:
            grades = ", ".join(map(str, question.labels))
            reason = answer["reason"].replace("|", "\\|")
            said = f"| {grades} | {cell(question, answers)} | {reason} |"
            yield f"| `{question.loss}` | {question.target} {said}"


def verdicts() -> Iterator[str]:
    """A section for each library."""
    for library in library_names():
        chosen = library_losses(library)
        release = chosen[0].release
        usual, _ = Counter(line.file for line in chosen).most_common(1)[0]
        yield from (f"### {library}", "", f"Read from {release.repository} {release.version}, commit")
        yield from (f"`{release.commit}`, mostly in `{usual}`.", "", *table(library, stored()), "")
        for line in chosen:
            yield from details(line, usual)
        yield ""


TABLES = {
    "libraries": verdicts,
    "libraries-reached": reached,
    "libraries-measured": measured,
    "libraries-losses": formulas,
    "libraries-proofs": proofs,
}
"""What makes the lines of each table."""


def stored() -> Answers:
    found: Answers = json.loads(ANSWERS.read_text(encoding="utf-8"))
    return found


# --- The answers ------------------------------------------------------------------------------


def answer(question: Question, line: LibraryLoss) -> Answer:
    """The verdict, the evidence in words, and the file of its witness."""
    from consistency_lab.certify.proofs.file import save
    from consistency_lab.certify.witness import Witness
    from consistency_lab.decide.tasks import decide_field, decide_task
    from consistency_lab.search.effort import Effort
    from consistency_lab.show import task_proof

    task, scope = question.task, ""
    witness: Witness | None
    if question.kind == "field":
        assert line.field is not None
        finding = decide_field(line.field, task, effort=Effort(seconds=SECONDS), command=COMMAND)
        verdict, reason, witness = "wrong equilibrium", finding.reason, finding.witness
        if witness is None:
            verdict = "no wrong equilibrium found"
    else:
        families = (line.plain, line.default)
        (chosen,) = {f.name: f for f in families if f is not None and f.name == question.loss}.values()
        decision = decide_task(
            chosen, task, ["any"], effort=Effort(seconds=SECONDS), command=COMMAND, prescribe=False
        )
        (found,) = decision.answers
        verdict, reason, witness = str(found.verdict), found.reason, found.witness
        scope = found.scope if witness is None else ""
    given = {"verdict": verdict, "reason": reason} | ({"scope": scope} if scope else {})
    if witness is not None:
        path = save(witness.document, WITNESSES, f"{question.key}.json")
        given["witness"] = str(path.relative_to(ROOT))
        ends_there = task_proof.reached(witness.document)
        if ends_there is not None:
            given["reached"] = "yes" if ends_there else "no"
    print(question.key, given)
    return given


def main() -> None:
    answers = {question.key: answer(question, line) for question, line in questions()}
    ANSWERS.write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
