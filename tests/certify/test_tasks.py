"""Witnesses of tasks: only what the core accepts is one, and its names are recomputed."""

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from consistency_lab.certify.labels import certify_labels, moved
from consistency_lab.certify.proofs.file import file_name, verify
from consistency_lab.certify.proofs.task_proof import LabelQuestion, LabelWitness, is_strict, regret
from consistency_lab.certify.witness import Witness
from consistency_lab.errors import ConsistencyLabError, RejectedError
from consistency_lab.model.surrogates.tasks.atoms import CrammerSinger, PairsSurrogate, WestonWatkins
from consistency_lab.model.surrogates.tasks.means import OrdinalSurrogate, PairRegression, Regression
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import named
from consistency_lab.search.labels import label_witnesses

from .files import Document, Edit, edited

NDCG = target("ndcg", items=2)
RANKNET = PairsSurrogate("ranknet", named("logistic").expression)


def by_hand() -> LabelWitness:
    """Slopes -1/(1 + 3/2) and -1/(1 + 2/3) balance: 3/5 * 2/5 = 2/5 * 3/5."""
    return LabelWitness(
        LabelQuestion(RANKNET, NDCG, {(0, 1): Fraction(2, 5), (2, 1): Fraction(3, 5)}),
        (LogRational.parse("log(3/2)"), LogRational.parse("0")),
        (0, 1),
        (1, 0),
        (Fraction(-3, 5), Fraction(-2, 5)),
        strict=True,
    )


def asked(**other: Any) -> LabelWitness:
    return replace(by_hand(), question=replace(by_hand().question, **other))


def certified(witness: LabelWitness) -> Witness:
    found = certify_labels(witness, {"command": "a command"})
    assert found is not None
    return found


def test_a_witness_by_hand_is_accepted() -> None:
    """Regret: 2/5 (1 - 1/log2(3)) - 3/5 (2/3.63...)(1 - 1/log2(3)) is 0.02565..."""
    found = certified(by_hand())
    assert found.document["proof"]["regret"] == "0.0256526"
    assert found.verified.failure == "strict"
    assert file_name(found.document).startswith("ranknet-ndcg-any-2items-")
    assert file_name(found.document).endswith(".json")


def test_the_document_survives_json() -> None:
    document = certified(by_hand()).document
    found = verify(json.loads(json.dumps(document)))
    assert (found.recomputed, found.unknown) == (
        ("NDCG", "pairs with phi=log(1+exp(-x)) weights=unit normalized=none", "sort"),
        ("ranknet",),
    )
    assert isinstance(found.about, LabelQuestion)  # all but the name of its own is known


@pytest.mark.parametrize(
    "witness",
    [
        asked(weights={(0, 1): Fraction(1, 2), (2, 1): Fraction(1, 2)}),
        replace(by_hand(), scores=(LogRational.parse("log(2)"), LogRational.parse("0"))),
        replace(by_hand(), slopes=(Fraction(-2, 5), Fraction(-3, 5))),
        replace(by_hand(), slopes=(Fraction(-3, 5),)),
        replace(by_hand(), prediction=(1, 0), better=(0, 1)),
        replace(by_hand(), strict=False),
        asked(surrogate=PairsSurrogate("ranknet", named("exponential").expression)),
        asked(task=target("pairwise", items=2)),
    ],
)
def test_what_does_not_balance_is_no_witness(witness: LabelWitness) -> None:
    assert certify_labels(witness) is None


def changed(witness: Witness, edit: Edit) -> Document:
    return edited(witness.document, edit)


@pytest.mark.parametrize(
    "edit",
    [
        lambda d: d["proof"].update(regret="0.0257"),
        lambda d: d["proof"].update(regret="-0.01"),
        lambda d: d["proof"].update(failure="tie"),
        lambda d: d["proof"].update(claim="wrong-equilibrium"),
        lambda d: d["proof"]["labels"].pop(),
        lambda d: d["proof"]["labels"][0]["losses"].__setitem__(0, "1-1/(log(3)/log(2))+1/10**16"),
        lambda d: d["proof"]["labels"][0]["losses"].__setitem__(0, "1/2"),
        lambda d: d["proof"]["certificate"].update(slopes=["-3/5", "-3/5"]),
        lambda d: d["named"].update(decoder="argmax"),
        lambda d: d["named"]["surrogate"].update(weights="square-difference"),
        lambda d: d["named"]["surrogate"].update(normalized="pairs", phi="max(0,1-x)"),
        lambda d: d["named"]["surrogate"].update(name="hinge"),
        lambda d: d["named"]["surrogate"].update(name="xgboost:rank:ndcg"),
        lambda d: d["named"]["labels"].pop(),
        lambda d: d["named"]["labels"].reverse(),
        lambda d: d["named"]["labels"].__setitem__(0, [1, 0]),
        lambda d: d["named"]["labels"].__setitem__(0, [0, 3]),
        lambda d: d["named"]["target"].update(k=1, discount="1+j"),
        lambda d: d["named"]["target"].update(discount="j"),
        lambda d: d["named"]["conditions"].update({"order-preserving": True}),
    ],
)
def test_a_changed_file_is_rejected(edit: Edit) -> None:
    with pytest.raises(ConsistencyLabError):
        verify(changed(certified(by_hand()), edit))


@pytest.mark.parametrize("called", ["hinge ", "Hinge", "һinge", "logistic ", "xgboost:rank:ndcg "])
def test_a_name_that_looks_like_another_is_not_known(called: str) -> None:
    """The family and its parameters are recomputed all the same."""
    found = verify(changed(certified(by_hand()), lambda d: d["named"]["surrogate"].update(name=called)))
    assert found.unknown == (called,)
    assert found.recomputed[1].startswith("pairs with phi=log(1+exp(-x))")


def test_a_name_with_an_invisible_letter_is_refused() -> None:
    with pytest.raises(ConsistencyLabError, match="a name is a printable text"):
        verify(changed(certified(by_hand()), lambda d: d["named"]["surrogate"].update(name="hin\u200bge")))


def test_a_name_of_a_table_is_recomputed() -> None:
    found = verify(changed(certified(by_hand()), lambda d: d["named"]["surrogate"].update(name="logistic")))
    assert (found.recomputed, found.unknown) == (("NDCG", "logistic", "sort"), ())


@pytest.mark.parametrize(
    ("edit", "unknown"),
    [
        (lambda d: d["named"]["target"].update(loss="next year's"), "next year's"),
        (
            lambda d: d["named"]["surrogate"].update(family="next year's"),
            "ranknet (of the family next year's)",
        ),
        (lambda d: d["named"]["surrogate"].update(more=1), "ranknet (of the family pairs)"),
        (lambda d: d["named"]["conditions"].update({"next year's": True}), "next year's"),
        (lambda d: d["named"].update(decoder="next year's"), "next year's"),
    ],
)
def test_what_is_not_known_here_is_said_and_the_proof_stands(edit: Edit, unknown: str) -> None:
    found = verify(changed(certified(by_hand()), edit))
    assert unknown in found.unknown
    assert found.failure == "strict"


def test_a_number_written_in_another_way_is_not_called_recomputed() -> None:
    """It is the same number, but no one has proved it; the proof stands."""

    def edit(document: Document) -> None:
        losses = document["proof"]["labels"][0]["losses"]
        losses[:] = [f"{x}+log(2)-log(2)" if "log" in x else x for x in losses]

    found = verify(changed(certified(by_hand()), edit))
    assert "NDCG" in found.unknown and "NDCG" not in found.recomputed


def test_a_regression_is_no_shipped_field() -> None:
    p = {(2, 0): Fraction(2, 5), (0, 1): Fraction(3, 5)}
    found = LabelWitness(
        LabelQuestion(Regression("grade", "xgboost:rank:ndcg"), NDCG, p), None, (0, 1), (1, 0)
    )
    assert certified(found).verified.unknown == ("own: xgboost:rank:ndcg",)
    plain = replace(found, question=LabelQuestion(Regression("grade"), NDCG, p))
    assert certified(plain).verified.recomputed == ("NDCG", "regression with f=grade", "sort")
    proper = certified(
        replace(found, question=replace(found.question, surrogate=Regression("grade", "regression-grade")))
    )
    for called in ("xgboost:rank:ndcg", "softmax", "logistic", "zhang"):
        forged = changed(proper, lambda d, called=called: d["named"]["surrogate"].update(name=called))
        with pytest.raises(RejectedError, match="by its parts it is something else"):
            verify(forged)


def test_cells_return_what_the_named_decoder_returns() -> None:
    """1 → 2 → 3 → 1 with a lightest edge 4 → 1 that no cycle needs: Algorithm 1 deletes it all the same."""
    task = target("pairwise", items=4, labels="dags")
    edges = {(0, 1): Fraction(1, 3), (1, 2): Fraction(1, 3), (2, 0): Fraction(2, 9), (3, 0): Fraction(1, 9)}
    surrogate = PairRegression("pd-least-squares-algorithm-1", "algorithm-1")
    found = certified(
        LabelWitness(LabelQuestion(surrogate, task, edges), None, (0, 1, 2, 3), (3, 0, 1, 2), strict=False)
    )
    assert found.verified.recomputed == (
        "pairwise disagreement",
        "pd-least-squares-algorithm-1",
        "algorithm-1",
    )
    cells = found.document["proof"]["decoder"]
    assert len(cells) == 4  # 4 may stand anywhere beside 1 > 2 > 3
    with pytest.raises(RejectedError, match="the cells do not return what the decoder linear returns"):
        verify(
            changed(
                found,
                lambda d: d["named"].update(decoder="linear", surrogate=PairRegression().describe(task)),
            )
        )
    with pytest.raises(RejectedError, match="the cells do not return"):
        verify(changed(found, lambda d: d["proof"]["decoder"].pop("1 > 2 > 4 > 3")))
    newer = verify(changed(found, lambda d: d["named"].update(decoder="next year's")))
    assert newer.unknown == ("pd-least-squares-algorithm-1 (of the family pd-least-squares)", "next year's")
    with pytest.raises(RejectedError, match="what the names mean cannot be worked out: there are too many"):
        verify(changed(found, lambda d: d["named"]["target"]["labels"].update(items=5)))


@pytest.mark.parametrize("surrogate", [CrammerSinger(), WestonWatkins()])
def test_weights_of_kinks_are_stated_and_checked(surrogate: CrammerSinger | WestonWatkins) -> None:
    found = certified(label_witnesses(surrogate, target("zero-one"))[0])
    assert found.verified.failure == "tie"
    assert file_name(found.document).startswith(f"{surrogate.name}-zero-one-any-3classes-")


def test_a_mean_is_certified_without_scores() -> None:
    """The mean grade is 1 for both items, but a gain of 3 in one of two lists counts for more."""
    weights = {(2, 0): Fraction(1, 2), (0, 1): Fraction(1, 2)}
    task = target("eru", items=2, v=Fraction(1))
    surrogate = OrdinalSurrogate(n=1)
    found = certified(
        LabelWitness(LabelQuestion(surrogate, task, weights), None, (1, 0), (0, 1), strict=False)
    )
    assert found.certificate == "mean"
    assert found.document["proof"]["scores"] is None
    more = moved(found, target("eru", items=2, labels=(0, 1, 2, 3), v=Fraction(1)))
    assert more is not None and more.document["provenance"] == found.document["provenance"]


def test_regret_is_rounded_down_and_strictness_needs_every_prediction() -> None:
    task = target("zero-one")
    weights = {(0,): Fraction(2, 3), (1,): Fraction(1, 3)}
    assert 0 <= Fraction(1, 3) - regret(task, weights, (1,), (0,)) < Fraction(1, 10**6)
    assert regret(task, weights, (0,), (1,)) < 0
    assert is_strict(task, weights, [(1,), (2,)], (0,))
    assert not is_strict(task, weights, [(0,), (1,)], (0,))


def test_names_of_files_are_short_and_plain() -> None:
    called = "pairs with a formula max(0, 1-x)**2 that goes on and on and on"
    found = certified(asked(surrogate=PairsSurrogate(called, named("logistic").expression)))
    assert file_name(found.document).endswith(f"-2items-{found.digest.removeprefix('sha256:')[:8]}.json")
    assert len(file_name(found.document)) < 100
    assert set(file_name(found.document)) <= set("abcdefghijklmnopqrstuvwxyz0123456789-.")
