"""Witness documents of tasks: only what the kernel accepts is a witness, and no changed one is."""

import json
from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction

import pytest

from consistency_lab.certify.tasks import (
    LabelWitness,
    TaskWitness,
    accepted,
    certify_labels,
    is_strict,
    mean_document,
    regret,
    task_file_name,
)
from consistency_lab.errors import ConsistencyLabError
from consistency_lab.exact import LogRational
from consistency_lab.files import digest
from consistency_lab.kernel import verify_task
from consistency_lab.model.surrogates.tasks.multiclass import CrammerSinger, WestonWatkins
from consistency_lab.model.surrogates.tasks.ordinal import OrdinalSurrogate
from consistency_lab.model.surrogates.tasks.pairs import PairsSurrogate
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.phi import named
from consistency_lab.search.labels import label_witnesses

NDCG = target("ndcg", items=2)
RANKNET = PairsSurrogate("ranknet", named("logistic").expression)


def by_hand() -> LabelWitness:
    """Slopes -1/(1 + 3/2) and -1/(1 + 2/3) balance: 3/5 * 2/5 = 2/5 * 3/5."""
    return LabelWitness(
        RANKNET,
        NDCG,
        {"name": "any"},
        {(0, 1): Fraction(2, 5), (2, 1): Fraction(3, 5)},
        (LogRational.parse("log(3/2)"), LogRational.parse("0")),
        (0, 1),
        (1, 0),
        (Fraction(-3, 5), Fraction(-2, 5)),
        strict=True,
    )


def certified(witness: LabelWitness) -> TaskWitness:
    found = certify_labels(witness, {"command": "a command"})
    assert found is not None
    return found


def test_a_witness_by_hand_is_accepted() -> None:
    """Regret: 2/5 (1 - 1/log2(3)) - 3/5 (2/3.63...)(1 - 1/log2(3)) is 0.02565..."""
    found = certified(by_hand())
    assert found.document["regret"] == "0.0256526"
    assert found.verified.failure == "strict"
    assert found.file_name.startswith("ranknet-ndcg-any-2items-")
    assert found.file_name.endswith(".json")


def test_the_document_survives_json() -> None:
    document = certified(by_hand()).document
    assert verify_task(json.loads(json.dumps(document))).target == "ndcg"


@pytest.mark.parametrize(
    "witness",
    [
        replace(by_hand(), weights={(0, 1): Fraction(1, 2), (2, 1): Fraction(1, 2)}),
        replace(by_hand(), scores=(LogRational.parse("log(2)"), LogRational.parse("0"))),
        replace(by_hand(), slopes=(Fraction(-2, 5), Fraction(-3, 5))),
        replace(by_hand(), slopes=(Fraction(-3, 5),)),
        replace(by_hand(), prediction=(1, 0), better=(0, 1)),
        replace(by_hand(), strict=False),
        replace(by_hand(), surrogate=PairsSurrogate("ranknet", named("exponential").expression)),
        replace(by_hand(), task=target("pairwise", items=2)),
    ],
)
def test_what_does_not_balance_is_no_witness(witness: LabelWitness) -> None:
    assert certify_labels(witness) is None


Edit = Callable[[dict[str, object]], object]


@pytest.mark.parametrize(
    "edit",
    [
        lambda d: d.update(regret="0.0257"),
        lambda d: d.update(regret="-0.01"),
        lambda d: d.update(decoder="argmax"),
        lambda d: d.update(failure="tie"),
        lambda d: d.update(claim="wrong-equilibrium"),
        lambda d: d["surrogate"].update(weights="difference", normalized="pairs", phi="max(0,1-x)"),
        lambda d: d["distribution"].pop(),
        lambda d: d["target"].update(k=1, discount="1+j"),
        lambda d: d["certificate"].update(slopes=["-3/5", "-3/5"]),
    ],
)
def test_a_changed_document_is_rejected(edit: Edit) -> None:
    document = deepcopy(dict(certified(by_hand()).document))
    edit(document)
    document["digest"] = digest(document)
    with pytest.raises(ConsistencyLabError):
        verify_task(document)


@pytest.mark.parametrize("surrogate", [CrammerSinger(), WestonWatkins()])
def test_weights_of_kinks_are_stated_and_checked(surrogate: CrammerSinger | WestonWatkins) -> None:
    found = certified(label_witnesses(surrogate, target("zero-one"))[0])
    assert found.verified.failure == "tie"
    assert found.file_name.startswith(f"{surrogate.name}-zero-one-any-3classes-")


def test_a_mean_is_certified_without_scores() -> None:
    """The mean grade is 1 for both items, but a gain of 3 in one of two lists counts for more."""
    weights = {(2, 0): Fraction(1, 2), (0, 1): Fraction(1, 2)}
    task = target("eru", items=2, v=Fraction(1))
    surrogate = OrdinalSurrogate(n=1)
    document = mean_document(surrogate, task, {"name": "any"}, weights, (1, 0), (0, 1), strict=False)
    found = accepted(document, surrogate, task)
    assert found is not None
    assert found.verified.certificate == "mean"
    assert document["scores"] is None


def test_regret_is_rounded_down_and_strictness_needs_every_prediction() -> None:
    task = target("zero-one")
    weights = {(0,): Fraction(2, 3), (1,): Fraction(1, 3)}
    assert 0 <= Fraction(1, 3) - regret(task, weights, (1,), (0,)) < Fraction(1, 10**6)
    assert regret(task, weights, (0,), (1,)) < 0
    assert is_strict(task, weights, [(1,), (2,)], (0,))
    assert not is_strict(task, weights, [(0,), (1,)], (0,))


def test_names_of_files_are_short_and_plain() -> None:
    document = {
        "surrogate": {"name": "pairs with a formula max(0, 1-x)**2 that goes on and on and on"},
        "target": {"loss": "zero-one", "labels": {"kind": "classes", "classes": 4}},
        "condition": {"name": "any"},
        "digest": "sha256:0123456789abcdef",
    }
    name = task_file_name(document)
    assert name.endswith("-4classes-01234567.json")
    assert len(name) < 100
    assert set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789-.")
