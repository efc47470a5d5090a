"""One question, one answer: preference graphs and labels are decided, saved and told in the same way."""

import json
from fractions import Fraction
from functools import cache

import pytest

import consistency_lab as lab
from consistency_lab.certify.proofs.file import file_name
from consistency_lab.decide.tasks import decide_task
from consistency_lab.model.labels import LabelProfile
from consistency_lab.show.answer import decision_document, profile_document

RIGHT = {(0, 2): Fraction(2, 3), (0, 1): Fraction(1, 3)}
"""The second item is better in every label, so whatever falls in the first score is right."""


def profile(weights):
    return LabelProfile(("Ann", "Bob"), weights, dict.fromkeys(weights, "line 1"), "judges", 3, ("a note",))


@cache
def answered(name, target=None):
    return lab.check(name, "any", target=target, effort=1.0)


def test_check_takes_a_target():
    found = answered("softmax", "ndcg")
    again = decide_task("softmax", "ndcg", "any", effort=1.0)
    assert found.answers == again.answers
    assert type(found) is type(lab.check("linear", "low-noise")) is lab.Decision
    with pytest.warns(DeprecationWarning, match="use consistency_lab.decide.answers.Decision"):
        assert lab.TaskDecision is lab.Decision
    assert (found.target, lab.check("linear", "low-noise").target) == (lab.target("ndcg"), None)

    with pytest.raises(lab.InputError, match="a target has its own items"):
        lab.check("softmax", target="ndcg", items=3)


def test_every_witness_is_of_one_type_and_named_by_its_file():
    of_labels, of_graphs = answered("softmax", "ndcg").witnesses[0], answered("linear").witnesses[0]
    assert type(of_labels) is type(of_graphs) is lab.Witness
    assert (of_labels.failure, of_labels.inconsistent) == ("strict", True)
    assert file_name(of_labels.document).startswith("softmax-ndcg-any-3items-")
    digest = of_graphs.digest.removeprefix("sha256:")[:8]
    assert file_name(of_graphs.document).endswith(f"3items-{digest}.json")
    for found in (of_labels, of_graphs):
        read = lab.Witness.of(json.loads(json.dumps(found.document)))
        about = found.asked if found.document["named"].get("labels") else found.distribution
        assert (read.about, read.verified) == (about, found.verified)


def test_check_profile_takes_a_target():
    found = lab.check_profile("ranknet", profile(RIGHT), target=lab.target("ndcg", items=2), notes=["more"])
    assert found.verdict is lab.Verdict.CONSISTENT
    assert found.notes == ("a note", "more")
    assert found.witness is not None and not found.witness.inconsistent
    with pytest.raises(lab.InputError, match="expected labels for a target, got Distribution"):
        lab.check_profile("ranknet", lab.Distribution.from_aggregate([[0, 1], [0, 0]]), target="ndcg")
    with pytest.raises(lab.InputError, match="expected a target for labels; pass target="):
        lab.check_profile("ranknet", profile(RIGHT))


def test_the_documents_have_the_same_keys():
    """The target in one, null in the other."""
    of_labels = decision_document(answered("softmax", "ndcg"), {}, {})
    of_graphs = decision_document(answered("linear"), {}, {})
    assert list(of_labels) == list(of_graphs)
    for key in ("answers", "prescriptions"):
        (left,), (right,) = of_labels[key], of_graphs[key]
        assert list(left) == list(right)
    common = {"scores", "prediction", "better", "regret", "failure", "certificate", "file"}
    for document in (of_labels, of_graphs):
        assert common <= set(document["answers"][0]["witness"])


def test_a_document_about_labels_says_what_is_proved_at_them():
    decision = lab.check_profile("ranknet", profile(RIGHT), target=lab.target("ndcg", items=2))
    document = profile_document(decision, profile(RIGHT), {})
    assert (document["counted"], document["voters"], document["notes"]) == ("judges", "3", ["a note"])
    assert document["proof"]["claim"] == "consistent-at-p"
    assert document["witness"]["failure"] is None
