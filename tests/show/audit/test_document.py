"""The JSON document and the rows of a table."""

import csv
import io
import json
from pathlib import Path

import jsonschema

from consistency_lab import Profile
from consistency_lab.apps.audit.audit import audit
from consistency_lab.apps.audit.report import DOCUMENT, audit_document, audit_rows

SCHEMA = DOCUMENT.schema
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def document(audit):
    return json.loads(json.dumps(audit_document(audit, {}), allow_nan=False))


def test_it_is_valid_under_the_schema(any_audit):
    VALIDATOR.validate(document(any_audit))


def test_no_key_of_a_finding_may_be_missing_and_no_other_fits(vermont):
    found = document(vermont)
    assert not VALIDATOR.is_valid({**found, "more": 1})
    for key in SCHEMA["properties"]["findings"]["items"]["required"]:
        first, *others = found["findings"]
        without = {name: value for name, value in first.items() if name != key}
        assert not VALIDATOR.is_valid({**found, "findings": [without, *others]})


def test_the_numbers_of_vermont(vermont):
    found = document(vermont)
    logistic, linear, *_ = found["findings"]
    assert (found["profile"]["total"], found["best"]["optimal"], found["best"]["cost"]) == (
        "1960",
        True,
        "3159",
    )
    assert found["profile"]["conditions"]["low-noise"] is True
    assert (logistic["verdict"], logistic["failure"], linear["verdict"]) == (
        "INCONSISTENT",
        "strict",
        "CONSISTENT",
    )
    (contradiction,) = logistic["contradictions"]
    assert [contradiction[key] for key in ("preferred", "over", "votes", "against", "above_noise")] == [
        "Willhoit",
        "Fay",
        "777",
        "752",
        False,
    ]
    share = contradiction["in_resamples"]
    assert 0 < share["low"] < share["share"] < share["high"] < 1
    assert linear["flip"]["at_least"] == linear["flip"]["votes"] == 252
    assert (logistic["flip"]["at_least"], logistic["flip"]["votes"]) == (126, 231)


def test_it_says_where_a_witness_was_saved(vermont):
    witness = vermont.findings[0].certified.witness
    found = audit_document(vermont, {witness.digest: Path("audit/logistic.json")})
    assert [one["witness"] for one in found["findings"]] == ["audit/logistic.json", None, None, None]
    assert found["findings"][0]["digest"] == witness.document["digest"]


def test_rows_have_the_same_columns_and_survive_a_file(any_audit):
    rows = audit_rows(any_audit)
    assert [row["loss"] for row in rows] == [finding.rule.name for finding in any_audit.findings]
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, fieldnames=list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    text.seek(0)
    again = list(csv.DictReader(text))
    assert again == [{key: "" if x is None else str(x) for key, x in row.items()} for row in rows]


def test_a_row_agrees_with_the_document(any_audit):
    for row, found in zip(audit_rows(any_audit), document(any_audit)["findings"], strict=True):
        for key in ("loss", "verdict", "above_noise", "kendall", "top_1", "top_3", "tied", "reason"):
            assert row[key] == found[key]
        assert (row["more_at_least"], row["more_at_most"]) == tuple(found["more"].values())
        assert row["contradicted"] == len(found["contradictions"])
        if found["contradictions"]:
            assert row["preferred"] == found["contradictions"][0]["preferred"]


def test_components_are_told_where_the_loss_leaves_their_distance_open(vermont):
    assert document(vermont)["findings"][0]["components"] is None
    apart = document(audit(Profile.from_pairs([("A", "B")]), ["logistic"], resamples=0, simulations=0))
    VALIDATOR.validate(apart)
    assert apart["findings"][0]["components"] == {"levels": [[["A"]], [["B"]]], "attained": False}
