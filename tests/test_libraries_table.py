"""docs/libraries.md: written from stored answers, whose evidence is accepted again."""

import runpy
from pathlib import Path
from typing import Any, Final

import pytest

from consistency_lab.core.document import WRONG_EQUILIBRIUM
from consistency_lab.decide.tasks import decide_task
from consistency_lab.files import read_json
from consistency_lab.model.surrogates.tasks.base import MeanSurrogate, TaskSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import ShippedField
from consistency_lab.model.surrogates.tasks.libraries import Entry, entries
from consistency_lab.proofs.file import as_proof, verify
from consistency_lab.report.task_proof import reached

ROOT: Final = Path(__file__).parent.parent
SCRIPT: Final = runpy.run_path(str(ROOT / "docs" / "make_libraries.py"))
ANSWERS: Final = SCRIPT["stored"]()
QUESTIONS: Final = tuple(SCRIPT["questions"]())
WITH_WITNESS: Final = [q for q in QUESTIONS if "witness" in ANSWERS.get(q[0].key, {})]


def name(question: tuple[Any, Entry]) -> str:
    return str(question[0].key)


def asked(question: Any, line: Entry) -> TaskSurrogate:
    """The loss or field of a question."""
    if question.kind == "field":
        assert line.field is not None
        return ShippedField(line.field)
    return next(f for f in (line.plain, line.default) if f is not None and f.name == question.loss)


def test_the_page_is_what_the_answers_say() -> None:
    assert (ROOT / "docs" / "libraries.md").read_text(encoding="utf-8") == SCRIPT["page"](ANSWERS)


def test_the_page_leads_with_what_training_reaches() -> None:
    page = SCRIPT["page"](ANSWERS)
    section = page[page.index("## Wrong rankings that training reaches") : page.index("## xgboost")]
    for key, answer in ANSWERS.items():
        assert (answer.get("reached") == "yes") == (f"/{key}.json" in section)
    for name in ("lightgbm:lambdarank", "xgboost:rank:ndcg", "xgboost:rank:pairwise", "xgboost:rank:map"):
        assert f"`{name}`](" in section


def test_every_question_is_answered_and_no_other() -> None:
    assert sorted(ANSWERS) == sorted(question.key for question, _ in QUESTIONS)
    files = {str(path.relative_to(ROOT)) for path in (ROOT / "counterexamples" / "libraries").glob("*.json")}
    assert files == {answer["witness"] for answer in ANSWERS.values() if "witness" in answer}


def test_a_name_means_one_loss() -> None:
    """Questions are told apart by the name of the loss."""
    families = [f for line in entries() for f in (line.plain, line.default) if f is not None]
    for family in families:
        same = [f for f in families if f.name == family.name]
        assert all((f.family, f.parameters) == (family.family, family.parameters) for f in same)


@pytest.mark.parametrize("question", WITH_WITNESS, ids=name)
def test_every_witness_is_accepted(question: tuple[Any, Entry]) -> None:
    asking, line = question
    answer = ANSWERS[asking.key]
    document = read_json(ROOT / answer["witness"])
    assert isinstance(document, dict)
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
def test_what_has_no_witness_is_decided_again_or_claims_nothing(question: tuple[Any, Entry]) -> None:
    asking, line = question
    verdict = ANSWERS[asking.key]["verdict"]
    if verdict == "CONSISTENT":
        surrogate = asked(asking, line)
        assert isinstance(surrogate, MeanSurrogate)
        assert str(decide_task(surrogate, asking.task, ["any"], prescribe=False).verdict) == verdict
    else:
        assert verdict in ("UNDECIDED", "no wrong equilibrium found")


# What is known of these losses, apart from what is decided here.
KNOWN: Final = {
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


@pytest.mark.parametrize("key", KNOWN)
def test_known_results(key: str) -> None:
    assert ANSWERS[key]["verdict"] == KNOWN[key]
