"""docs/libraries.md and its tables: stored answers, whose evidence is accepted again."""

import re
import runpy
from pathlib import Path

import pytest

from consistency_lab.certify.proofs.file import as_proof, verify
from consistency_lab.core.document import WRONG_EQUILIBRIUM
from consistency_lab.decide.tasks import decide_task
from consistency_lab.files import read_json
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import ShippedField
from consistency_lab.model.surrogates.tasks.libraries import entry, library_losses, library_names
from consistency_lab.show.task_proof import reached

ROOT = Path(__file__).parent.parent
SCRIPT = runpy.run_path(str(ROOT / "docs" / "make_libraries.py"))
PAGE = (ROOT / "docs" / "libraries.md").read_text(encoding="utf-8")
ANSWERS = SCRIPT["stored"]()
ASKED = (SCRIPT["plain_question"], SCRIPT["default_question"])
QUESTIONS = tuple(SCRIPT["questions"]())
WITH_WITNESS = [q for q in QUESTIONS if "witness" in ANSWERS.get(q[0].key, {})]


def name(question):
    return str(question[0].key)


def asked(question, line):
    """The loss or field of a question."""
    if question.kind == "field":
        assert line.field is not None
        return ShippedField(line.field)
    return next(f for f in (line.plain, line.default) if f is not None and f.name == question.loss)


def text_of(table):
    return "\n".join(SCRIPT["TABLES"][table]())


def test_the_page_has_every_table_on_the_site_and_repeats_none():
    named = re.findall(r"^<!-- table: (.+) -->$", PAGE, re.MULTILINE)
    assert len(named) == 5 and set(SCRIPT["TABLES"]) == set(named)
    rows = {line for line in PAGE.splitlines() if line.count("|") > 4}
    assert not any(rows & set(make()) for make in SCRIPT["TABLES"].values())


def test_the_tables_say_every_verdict_with_its_evidence():
    sections = re.split(r"^### ", text_of("libraries"), flags=re.MULTILINE)[1:]
    assert tuple(section.partition("\n")[0] for section in sections) == library_names()
    for section in sections:
        library = section.partition("\n")[0]
        rows = {row.split("`")[1]: row for row in section.splitlines() if row.startswith("| `")}
        assert list(rows) == [line.objective for line in library_losses(library)]
        for line in library_losses(library):
            cells = [cell.strip() for cell in rows[line.objective].strip("|").split("|")][2:]
            asked = [ask(line, goal) for goal in SCRIPT["TARGETS"] for ask in ASKED]
            for question, said in zip(asked, cells, strict=True):
                if question is not None and said != "same":
                    answer = ANSWERS[question.key]
                    assert answer["verdict"] in said
                    assert answer.get("witness", "") in said
            assert f"- **`{line.objective}`**: `{line.formula}`.\n" in section
            assert line.note in section


def test_equilibria_that_training_reaches_have_a_row():
    rows = text_of("libraries-reached")
    for key, answer in ANSWERS.items():
        assert (answer.get("reached") == "yes") == (f"/{key}.json" in rows)


FIELDS = (
    *(f"xgboost:rank:{metric}" for metric in ("pairwise", "ndcg", "map")),
    "lightgbm:lambdarank",
    "lightgbm:rank_xendcg",
    "catboost:LambdaMart",
)


def test_what_the_page_says_in_short():
    good = {line.split("`")[1]: line for line in text_of("libraries-proofs").splitlines() if "CONSIS" in line}
    assert {name for name, row in good.items() if "| ndcg |" in row} == {"approx-ndcg-1", "approx-ndcg-10"}
    assert {name for name, row in good.items() if "| pairwise |" in row} == {"sigmoid", "soft-zero-one"}
    assert "sigmoid` | pairwise | 0, 1 | CONSISTENT, 3 items only" in good["sigmoid"]
    rows = [row for row in text_of("libraries-reached").splitlines() if "| ndcg |" in row]
    for name in FIELDS:
        assert any(f"[`{name}`]" in row for row in rows)
    assert entry("catboost:YetiRank").shipped == "unsupported"


def test_how_often_training_ends_wrongly():
    document = read_json(ROOT / "docs" / "libraries_trained.json")
    assert set(document["counts"]) == set(FIELDS)
    flat = " ".join(PAGE.split())
    for name, n in document["counts"].items():
        assert (n["drawn"], n["trained_wrong"]) == (300, n["wrong"])
        assert f"| `{name}` | 300 | {n['one_order']} | {n['wrong']} (" in text_of("libraries-measured")
    (least, fewest), *_, (most, worst) = sorted((n["wrong"], name) for name, n in document["counts"].items())
    assert f"between {least} (`{fewest}`) and {most} (`{worst}`) were wrong" in flat
    for library, version in document["versions"].items():
        assert f"{library} {version}".lower() in flat.lower()


def test_every_question_is_answered_and_no_other():
    assert sorted(ANSWERS) == sorted(question.key for question, _ in QUESTIONS)
    files = {str(path.relative_to(ROOT)) for path in (ROOT / "counterexamples" / "libraries").glob("*.json")}
    assert files == {answer["witness"] for answer in ANSWERS.values() if "witness" in answer}


def test_a_name_means_one_loss():
    """Questions are told apart by the name of the loss."""
    families = [f for line in library_losses() for f in (line.plain, line.default) if f is not None]
    for family in families:
        same = [f for f in families if f.name == family.name]
        assert all((f.family, f.parameters) == (family.family, family.parameters) for f in same)


@pytest.mark.parametrize("question", WITH_WITNESS, ids=name)
def test_every_witness_is_accepted(question):
    asking, line = question
    answer = ANSWERS[asking.key]
    document = read_json(ROOT / answer["witness"])
    named = document["named"]
    assert named["target"] == asking.task.describe()
    assert named["surrogate"] == asked(asking, line).describe(asking.task)
    verified = verify(document)
    assert verified.unknown == ()
    field = asking.kind == "field"
    assert (verified.claim == WRONG_EQUILIBRIUM) == field
    assert {True: "yes", False: "no", None: None}[reached(as_proof(document))] == answer.get("reached")
    assert answer["verdict"] == ("wrong equilibrium" if field else "INCONSISTENT")


@pytest.mark.parametrize("question", [q for q in QUESTIONS if q not in WITH_WITNESS], ids=name)
def test_what_has_no_witness_is_decided_again_or_claims_nothing(question):
    asking, line = question
    verdict = ANSWERS[asking.key]["verdict"]
    if verdict == "CONSISTENT":
        surrogate = asked(asking, line)
        assert isinstance(surrogate, MeanSurrogate)
        assert str(decide_task(surrogate, asking.task, ["any"], prescribe=False).verdict) == verdict
    else:
        assert verdict in ("UNDECIDED", "no wrong equilibrium found")


# What is known of these losses, apart from what is decided here.
KNOWN = {
    # A pairwise logistic loss on graded labels is inconsistent for NDCG (DMJ13).
    "ndcg-012-logistic": "INCONSISTENT",
    # Surrogates that are sums of convex losses of pairs, unit weights, are inconsistent (DMJ10 Theorem 11).
    "pairwise-012-logistic": "INCONSISTENT",
    "pairwise-012-hinge": "INCONSISTENT",
    # NDCG asks for the order of E[G/Z] (DMJ13), which is not that of E s, nor of E[G / sum G].
    "ndcg-012-regression-grade": "INCONSISTENT",
    "ndcg-012-softmax-gain-sum": "INCONSISTENT",
    # For binary labels E[y_i (1 - y_j)] - E[y_j (1 - y_i)] = E y_i - E y_j: sorting by E y is optimal.
    "pairwise-01-sigmoid": "CONSISTENT",
}


def test_known_results():
    assert {key: ANSWERS[key]["verdict"] for key in KNOWN} == KNOWN
