"""Proofs about labels as theorems for Coq: which files are covered, and what the theorems state."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from consistency_lab.apps.book.coq.export import coq
from consistency_lab.apps.book.coq.labels import MEANS, OTHERS, SCALARS, number
from consistency_lab.apps.book.coq.source import Source
from consistency_lab.certify.proofs.file import verify
from consistency_lab.core.certificates import RISKS
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.files import read_json
from consistency_lab.numbers.expression import parse

LIBRARIES = Path(__file__).resolve().parents[2] / "counterexamples" / "libraries"
SOFTMAX = LIBRARIES / "ndcg-012-softmax.json"


def source(path=SOFTMAX):
    document = read_json(path)
    return Source(path.name, document["named"], document["proof"], verify(document))


def test_every_minimum_and_mean_of_the_libraries_is_exported():
    exported, refused = Counter[str](), Counter[str]()
    for path in sorted(LIBRARIES.glob("*.json")):
        kind = json.loads(path.read_text("utf-8"))["proof"]["certificate"]["kind"]
        try:
            text = coq(path)
        except InputError as error:
            assert path.name in str(error)
            refused[kind] += 1
        else:
            exported[kind] += 1
            assert (
                "Theorem replayed : probabilities n p /\\ forall L, stated n predictions losses L ->" in text
            )
            assert not re.search(r"\b(Admitted|Axiom|Parameter)\b", text)
    assert set(refused) == {"equilibrium"}
    assert exported == {"minimum": 28, "mean": 23}


def test_each_known_mean_has_a_template():
    assert {*MEANS, *OTHERS, "chances"} == set(RISKS)


def test_scalar_losses_are_written_as_the_core_writes_them():
    assert [str(parse(text)) for text in SCALARS] == list(SCALARS)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("3/10", "Num (3 # 10)"),
        ("-2", "Num (-2)"),
        ("1/(log(3)/log(2))", "Num 1 / (Log 3 2)"),
        ("1-2*exp(2)", "Num 1 - (Num 2 * Exp 2)"),
        ("exp(1)/(2+exp(1))", "Exp 1 / (Num 2 + Exp 1)"),
    ],
)
def test_numbers_keep_their_structure(text, written):
    assert number(source(), parse(text, variable="")) == written


@pytest.mark.parametrize(
    "text", ["log(2)", "log(1/2)/log(2)", "log(3)/log(1)", "exp(1/2)", "sqrt(2)", "abs(2)*exp(-1)"]
)
def test_numbers_without_an_enclosure_in_coq_are_refused(text):
    e = parse(text, variable="")
    with pytest.raises(InputError, match="is not made of rationals"):
        number(source(), e)


def test_a_tie_is_wrong_for_one_decoder_and_a_strict_failure_for_all():
    tie, strict = coq(LIBRARIES / "pairwise-012-hinge.json"), coq(LIBRARIES / "pairwise-012-hinge-mean.json")
    assert "~ calibrated_at n m p L psi (fun u => sorts m u)." in tie
    assert "forall decode, sorting m (fun u => u) decode -> ~ calibrated_at n m p L psi decode." in strict


def test_what_the_core_rejects_is_not_exported(tmp_path):
    document = json.loads(SOFTMAX.read_text("utf-8"))
    document["proof"]["labels"][0]["psi"][0] = "1/3"
    changed = tmp_path / "changed.json"
    changed.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(RejectedError, match=r"changed\.json"):
        coq(changed)
