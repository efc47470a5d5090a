"""Proof files that add comparisons up: accepted by the core, and rejected once they are changed."""

import copy
import json
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import jsonschema
import pytest

import consistency_lab as lab
from consistency_lab.certify.many_items import proof_by_addition
from consistency_lab.certify.witness import certify_by_addition
from consistency_lab.core import verify_proof
from consistency_lab.errors import ConsistencyLabError
from consistency_lab.model.distribution import Distribution
from consistency_lab.proofs.orders import OrderQuestion


@pytest.fixture(scope="module")
def election() -> lab.Witness:
    found = certify_by_addition("logistic", lab.read_profile("san-francisco.csv").distribution)
    assert found is not None
    return found


def test_san_francisco_is_proved_wrong_without_scores(election: lab.Witness) -> None:
    """A majority prefers Mar to Lee, and the difference graph is acyclic with Mar first."""
    assert (election.verified.claim, election.failure, election.certificate) == (
        "inconsistent",
        "strict",
        "addition",
    )
    assert election.document["proof"]["scores"] is None
    items = election.distribution.items
    first, second = (items[k] for k in election.prediction[:2])
    assert ("Lee" in first, "Mar" in second) == (True, True)
    assert election.better[:2] == (election.prediction[1], election.prediction[0])
    proved = verify_proof(election.document["proof"])
    assert proved.every and proved.least_regret == proved.regret


def test_the_file_has_the_published_form(election: lab.Witness) -> None:
    schema = json.loads(files("consistency_lab.proofs").joinpath("proof.schema.json").read_text("utf-8"))
    jsonschema.validate(election.document, schema)
    again = lab.verify(json.loads(json.dumps(election.document)))
    assert (
        again.verified.claim == "inconsistent"
        if hasattr(again, "verified")
        else again.claim == "inconsistent"
    )


def change(path: tuple[Any, ...], value: object) -> Callable[[dict[str, Any]], None]:
    def edit(proof: dict[str, Any]) -> None:
        place: Any = proof
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value

    return edit


def swap(proof: dict[str, Any]) -> None:
    pair = proof["certificate"]["pairs"][0]
    pair["above"], pair["below"] = pair["below"], pair["above"]


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (swap, "does not put"),
        (change(("certificate", "pairs", 0, "factor"), "1000"), "does not put"),
        (change(("certificate", "pairs", 0, "factor"), "-1"), "does not put"),
        (change(("certificate", "pairs", 0, "factor"), "nothing"), "must be a rational"),
        (change(("certificate", "pairs", 0, "rule"), "majority"), "must be 'domination' or 'gap'"),
        (change(("certificate", "pairs"), []), "needs at least one pair"),
        (change(("scores",), ["0"] * 10), "scores belong to a minimum or a separation"),
        (change(("failure",), "tie"), "does not rest on its entry 'orders'"),
        (change(("labels", 0, "psi", 0, "phi"), "(1-x)**2"), "phi is not proved nonincreasing"),
        (change(("labels", 0, "psi", 0, "phi"), "exp(-x)"), "is not proved linear"),
        (change(("labels", 0, "psi", 0, "offset"), "1"), "is not a sum of"),
    ],
)
def test_a_changed_proof_is_rejected(
    election: lab.Witness, edit: Callable[[dict[str, Any]], None], words: str
) -> None:
    proof = copy.deepcopy(election.document["proof"])
    edit(proof)
    with pytest.raises(ConsistencyLabError, match=words):
        verify_proof(proof)


def test_a_pair_that_is_left_out_is_missed(election: lab.Witness) -> None:
    """Lee above Mar is what proves the failure; without it nothing is worse for certain."""
    proof = copy.deepcopy(election.document["proof"])
    pairs = proof["certificate"]["pairs"]
    proof["certificate"]["pairs"] = [pair for pair in pairs if "Lee" not in pair["above"]]
    assert len(proof["certificate"]["pairs"]) < len(pairs)
    with pytest.raises(ConsistencyLabError):
        verify_proof(proof)


@pytest.mark.parametrize(
    ("name", "claim"), [("logistic", "consistent-at-p"), ("exponential", "consistent-at-p")]
)
def test_a_dominated_order_is_right(name: str, claim: str) -> None:
    p = Distribution.from_aggregate([[0, 6, 7, 8], [4, 0, 6, 7], [3, 4, 0, 6], [2, 3, 4, 0]])
    found = certify_by_addition(name, p)
    assert found is not None and found.verified.claim == "consistent-at-p"


def test_nothing_is_said_where_the_rules_do_not_apply() -> None:
    p = lab.read_profile("vermont.toc").distribution
    for name in ("square", "hinge", "margin-logistic", "linear"):
        assert certify_by_addition(name, p) is None
    question = OrderQuestion.of(lab.surrogate("logistic").risk_terms(p), p.aggregate, p.items)
    assert proof_by_addition(question, p.aggregate) is None
