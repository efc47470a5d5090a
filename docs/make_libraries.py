"""Writes docs/libraries.md: what is known about every loss in the catalogue of libraries.

`python docs/make_libraries.py` decides everything anew, writes the witnesses to counterexamples/libraries,
the answers to docs/libraries.json, and the page from them. With --page it only writes the page. How often
training ends wrongly is measured by docs/measure_libraries.py.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consistency_lab.model.surrogates.tasks.libraries import SHIPPED, Entry, entries, library_names
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.task import Task
from consistency_lab.proofs.file import as_proof

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "libraries.md"
ANSWERS = ROOT / "docs" / "libraries.json"
MEASURED = ROOT / "docs" / "libraries_trained.json"
WITNESSES = ROOT / "counterexamples" / "libraries"
TARGETS = ("ndcg", "pairwise")
ITEMS = 3
SECONDS = 300.0
COMMAND = "python docs/make_libraries.py"

INTRODUCTION = f"""\
# Losses of libraries

Is a loss that a library ships consistent for NDCG or for pairwise disagreement? We read every objective in
the library's source. Each has two answers per target: one for the plain loss underneath, and one for the
library's default. They hold for {ITEMS} items with grades 0, 1, 2 (0 and 1 where the loss needs them), for
every distribution of labels, with ties broken in the worst way.

- **INCONSISTENT** links to a witness: a distribution of labels at which the minimizer of the loss is ranked
  wrongly. `consistency-lab verify FILE` checks it, `consistency-lab show FILE` prints the proof.
- **CONSISTENT** rests on a theorem or on an exact proof for this task.
- **UNDECIDED**: neither was found, or this kind of loss is not decided here. It does not mean that the loss
  is good.
- **Gradient field**: by default the library follows a field that minimizes no fixed loss, or a loss that is
  not convex. A field is never called consistent. *Wrong equilibrium* means that training can stand still at a
  wrong ranking, with exact evidence that says whether it attracts.
- *Reached*: training from zero scores, where the library starts, ends there in every order of the items, with
  small steps and with the library's own. This is a statement in floating point; the core proves the
  equilibrium, not the path to it. From zero scores, training may miss an equilibrium that is not reached, and
  even end in the right order.
- A nonconvex loss can be CONSISTENT, because whatever makes it small ranks well, and still have wrong
  equilibria.

`python docs/make_libraries.py` writes this page; `consistency-lab check NAME --target ndcg` asks again, for
other tasks too, and `consistency-lab list libraries` shows the catalogue. `consistency-lab show FILE --script
lightgbm` (or `xgboost`, `catboost`, `torch`) prints a program that trains the library on a witness, and
`consistency-lab recommend --target ndcg --library lightgbm` says what to train instead.
"""

LEADING = """\
Each row is a verified equilibrium, reached from zero scores (in floating point). The tests train LightGBM and
XGBoost themselves on the labels of their rows, in these proportions; both end in this ranking.
"""

HOW_OFTEN = """\
How often? We drew random distributions of two labels on 3 items (grades 0, 1, 2; for `rank:map` 0 and 1) and
compared the ranking in which the flow from zero scores ends with the best one for NDCG. Runs without a single
final ranking (a tie, or one that depends on the steps or on the order of the items) do not count as wrong.
LightGBM {lightgbm} and XGBoost {xgboost} were trained with their default parameters and learning rates, but
with 1000 rounds, one feature per item and no minimum leaf size. These are floating-point estimates from
`python docs/measure_libraries.py`.
"""

RAW_PAIRS = """\
Single judgments (lists of two items, grades 1 and 0): a witness of the gallery
(`logistic-additive-3items-ca20d338.json`) prefers 1 to 3 by 8 : 4, 1 to 2 by 3 : 0 and 2 to 3 by 1 : 0. The
right order for pairwise disagreement is 1 > 2 > 3. From these 16 pairs the libraries learn
(`tests/aggregate/test_objectives.py`):

| library | parameters | learned |
|---|---|---|
| CatBoost 1.2.10, `PairLogit` | all defaults | 1 > 3 > 2, wrong |
| XGBoost 3.2.0, `rank:pairwise` and `rank:ndcg` | all defaults | 1 > 2 > 3 |
| | `lambdarank_normalization=False` alone | 1 > 2 > 3 |
| | `lambdarank_score_normalization=False`, with or without the other | 1 > 3 > 2, wrong |
| LightGBM 4.7.0, `lambdarank` | defaults, but no minimum leaf size | 1 > 2 > 3 |
| | `lambdarank_norm=False` too | 1 > 3 > 2, wrong |

CatBoost's losses were not read from its source, and are not in the tables below. Trained on witnesses of the
gallery, its `PairLogit`, `QuerySoftMax` and `QueryRMSE` end within 0.001 of the minimizers of `logistic`,
`softmax` and `pair-square` (`tests/report/test_script.py`).
"""

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


def labels_of(line: Entry) -> tuple[int, ...]:
    return (0, 1) if line.binary else (0, 1, 2)


def fits(line: Entry, goal: str) -> bool:
    """Whether the plain loss is about this target: one with gains of its own is not about pairs."""
    return not (line.own_gain and goal != "ndcg")


def plain_question(line: Entry, goal: str) -> Question | None:
    if line.plain is None or not fits(line, goal):
        return None
    return Question("loss", line.plain.name, goal, labels_of(line))


def default_question(line: Entry, goal: str) -> Question | None:
    if line.shipped == "same":
        return plain_question(line, goal)
    if line.default is not None:
        return Question("loss", line.default.name, goal, labels_of(line))
    return None if line.field is None else Question("field", line.name, goal, labels_of(line))


def questions() -> Iterator[tuple[Question, Entry]]:
    """Every question once, with a line of the catalogue that asks it."""
    seen: set[str] = set()
    for line in entries():
        for goal in TARGETS:
            for question in (plain_question(line, goal), default_question(line, goal)):
                if question is not None and question.key not in seen:
                    seen.add(question.key)
                    yield question, line


# --- The page ---------------------------------------------------------------------------------


def cell(question: Question | None, answers: Answers) -> str:
    if question is None:
        return "—"
    answer = answers[question.key]
    if "witness" in answer:
        how = ", by a tie" if witness_of(answer)["proof"]["failure"] == "tie" else ""
        how += ", reached" if answer.get("reached") == "yes" else ""
        return f"[{answer['verdict']}{how}](../{answer['witness']})"
    return f"{answer['verdict']}, {answer['scope']}" if answer.get("scope") else answer["verdict"]


def default_cell(line: Entry, goal: str, answers: Answers) -> str:
    if line.shipped == "unsupported":
        return "UNDECIDED"
    return "same" if line.shipped == "same" else cell(default_question(line, goal), answers)


def table(library: str, answers: Answers) -> Iterator[str]:
    yield "| objective | by default | NDCG, plain | NDCG, default | pairwise, plain | pairwise, default |"
    yield "|---|---|---|---|---|---|"
    for line in entries(library):
        cells = [
            text
            for goal in TARGETS
            for text in (cell(plain_question(line, goal), answers), default_cell(line, goal, answers))
        ]
        yield f"| `{line.objective}` | {SHIPPED[line.shipped]} | {' | '.join(cells)} |"


def details(line: Entry, notes: dict[str, str], usual: str) -> Iterator[str]:
    """One bullet; a note that was given before, and the library's usual file, are not repeated."""
    yield f"- **`{line.objective}`**: `{line.formula}`."
    if line.defaults:
        yield f"  Parameters: `{', '.join(f'{name}={value}' for name, value in line.defaults.items())}`."
    first = notes.setdefault(line.note, line.objective)
    yield f"  {line.note if first == line.objective else f'See the note on `{first}`.'}"
    if line.file != usual:
        yield f"  In `{line.file}`."


def formulas() -> Iterator[str]:
    """The losses that the tables are about, once each."""
    yield "## The losses underneath"
    yield ""
    losses = {f.name: f.formula for line in entries() for f in (line.plain, line.default) if f is not None}
    yield "| loss | formula | objectives that are, or come from, this loss |"
    yield "|---|---|---|"
    for name, formula in losses.items():
        of = (x.name for x in entries() if any(f and f.name == name for f in (x.plain, x.default)))
        escaped = formula.replace("|", "\\|")
        yield f"| `{name}` | `{escaped}` | {', '.join(f'`{one}`' for one in of)} |"
    yield ""


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


def reached_first(answers: Answers) -> list[Question]:
    """The questions, first those whose equilibrium is reached from zero scores."""
    asked = [question for question, _ in questions()]
    return sorted(asked, key=lambda question: answers[question.key].get("reached") != "yes")


def leading(answers: Answers) -> Iterator[str]:
    """What a user can reproduce by training."""
    yield "## Wrong rankings that training reaches"
    yield ""
    yield LEADING
    yield "| objective | target | labels, grades of the items: probability | training ends at | better | by |"
    yield "|---|---|---|---|---|---|"
    for question in reached_first(answers):
        answer = answers[question.key]
        if answer.get("reached") == "yes":
            document = witness_of(answer)
            ranks, better = orders(document)
            cells = [f"[`{question.loss}`](../{answer['witness']})", question.target, distribution(document)]
            yield f"| {' | '.join([*cells, ranks, better, document['proof']['regret']])} |"
    yield ""


def measured() -> Iterator[str]:
    """How often, from the file of docs/measure_libraries.py."""
    document: dict[str, Any] = json.loads(MEASURED.read_text(encoding="utf-8"))
    yield HOW_OFTEN.format(**document["versions"])
    yield "| objective | drawn | in one ranking | wrong | of these wrong in the trained library too |"
    yield "|---|---|---|---|---|"
    for name, n in document["counts"].items():
        wrong = f"{n['wrong']} ({100 * n['wrong'] / n['drawn']:.1f} %)"
        yield f"| `{name}` | {n['drawn']} | {n['one_order']} | {wrong} | {n['trained_wrong']} |"
    yield ""
    yield RAW_PAIRS


def proofs(answers: Answers) -> Iterator[str]:
    yield "## Answers without a witness"
    yield ""
    yield "| loss or field | target | grades | answer | evidence |"
    yield "|---|---|---|---|---|"
    for question, _ in questions():
        answer = answers[question.key]
        if "witness" not in answer:
            grades = ", ".join(map(str, question.labels))
            reason = answer["reason"].replace("|", "\\|")
            said = f"| {grades} | {cell(question, answers)} | {reason} |"
            yield f"| `{question.loss}` | {question.target} {said}"


def page(answers: Answers) -> str:
    lines = [INTRODUCTION, *leading(answers), *measured()]
    for library in library_names():
        chosen = entries(library)
        release, notes = chosen[0].release, dict[str, str]()
        usual, _ = Counter(line.file for line in chosen).most_common(1)[0]
        lines += [f"## {library}", "", f"Read from {release.repository} {release.version}, commit"]
        lines += [f"`{release.commit}`, mostly in `{usual}`.", "", *table(library, answers), ""]
        lines += ["What is not its plain loss by default (for notes on every objective run"]
        lines += [f"`consistency-lab list libraries --library {library}`):", ""]
        for line in chosen:
            if line.shipped != "same":
                lines += details(line, notes, usual)
        lines.append("")
    return "\n".join([*lines, *formulas(), *proofs(answers)]) + "\n"


def stored() -> Answers:
    found: Answers = json.loads(ANSWERS.read_text(encoding="utf-8"))
    return found


# --- The answers ------------------------------------------------------------------------------


def answer(question: Question, line: Entry) -> Answer:
    """The verdict, the evidence in words, and the file of its witness."""
    from consistency_lab.certify.document import save
    from consistency_lab.certify.witness import Witness
    from consistency_lab.decide.tasks import decide_field, decide_task
    from consistency_lab.report.task_proof import reached
    from consistency_lab.search.effort import Effort

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
        ends_there = reached(witness.document)
        if ends_there is not None:
            given["reached"] = "yes" if ends_there else "no"
    print(question.key, given)
    return given


def main() -> None:
    if "--page" not in sys.argv[1:]:
        answers = {question.key: answer(question, line) for question, line in questions()}
        ANSWERS.write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(page(stored()), encoding="utf-8")


if __name__ == "__main__":
    main()
