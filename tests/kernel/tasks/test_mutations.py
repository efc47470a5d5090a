"""No leaf of a witness about a task can be changed to something else that is false."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

import pytest

from consistency_lab.errors import ConsistencyLabError, InputError, RejectedError

from ..mutations import (
    Path,
    leaves,
    other_numbers,
    other_words,
    replaced,
    with_an_unknown_key,
    with_another_length,
    without_a_key,
)
from ..oracle.tasks import verify_task
from ..witnesses import HINGE, LOGISTIC, SQUARED_HINGE, Document
from .witnesses import GAIN, WITNESSES

CASES = pytest.mark.parametrize("name", WITNESSES)

WORDS: Final = (
    ("inconsistent", "wrong-equilibrium"),
    ("strict", "tie"),
    ("mean", "stationary", "equilibrium"),
    ("sort", "argmax", "diagonal", "linear", "algorithm-1"),
    ("ndcg", "precision", "wta", "err", "mrr", "map", "eru", "pairwise", "kendall", "zero-one", "matrix"),
    ("grades", "rankings", "dags", "classes", "rows"),
    ("regression", "softmax", "sigmoid", "map-diagonal", "map-full", "list-mle", "crammer-singer"),
    ("sum", "exp", "none", "gain-sum", "gain-none"),
    ("grade", "gain", "gain/Z", "net"),
    ("unit", "difference", "gain-difference", "zhang-gain"),
    (LOGISTIC, HINGE, SQUARED_HINGE, "exp(-x)", "x**2"),
    (GAIN, "s", "s**2"),
    ("s**2", "s"),
    ("log(1+j)/log(2)", "j", "1"),
    ("j", "1+j", "1"),
    ("rank:pairwise", "rank:ndcg", "rank:map"),
    ("topk", "mean"),
)
"""Texts that stand for one of a few things; each is exchanged for each other one of its row."""


def stays_true(name: str, path: Path, value: object) -> bool:
    """Changes after which everything that the file says is so."""
    if path[0] == "provenance" or path == ("surrogate", "name"):
        return True
    if name == "factor":
        # The two losses are the same up to what no prediction here has to do with.
        return path[:2] in (("surrogate", "beta"), ("surrogate", "offset")) or (
            path[:2] == ("target", "rows") and path[-1] == 2
        )
    if name == "softmax_exp":
        return value in ("none", "gain-none")  # without scores: E y = (6/5, 1) and E G = (11/5, 1) fail too
    if name in ("ranknet", "hinge", "xgboost") and path[0] == "distribution":
        return value == 2  # NDCG and pairs without weights treat the lone grade 1 of (0, 1) as any other
    if name in ("ranknet", "hinge") and path == ("surrogate", "weights"):
        return value == "difference"  # the grades 2, 1 and 0, 1 differ by 1
    if name == "xgboost":
        # Two items have one pair, however many may be drawn; and a box may be a little larger or smaller.
        return path[-1] == "lambdarank_num_pair_per_sample" or "box" in path
    return False


def variants(path: Path, value: object) -> Iterator[object]:
    """Other values that the leaf could have."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, value - 1, 2 * value + 1)
    elif value is None:
        yield from ([], ["0", "0"], 1, "log(2)")
    elif path[-1] == "regret":
        yield from (str(Decimal(str(value)) * Decimal(factor)) for factor in ("1.02", "0.98", "2", "0.5"))
    elif isinstance(value, str):
        yield from other_words(value, WORDS)
        yield from other_numbers(value)


def mutations(document: Document) -> Iterator[tuple[Path, object, Document]]:
    """Path, new value and document, for every leaf but the digest."""
    for path, value in leaves(document):
        if path[0] not in ("digest", "condition"):  # for conditions see test_conditions
            for other in variants(path, value):
                yield path, other, replaced(document, path, other)


@CASES
def test_every_changed_leaf_is_refused(name: str) -> None:
    accepted = []
    for path, value, document in mutations(WITNESSES[name]()):
        try:
            verify_task(document)
        except ConsistencyLabError:
            continue
        if not stays_true(name, path, value):
            accepted.append((path, value))
    assert accepted == []


def test_without_a_fresh_digest_every_change_is_refused() -> None:
    original = WITNESSES["ranknet"]()
    for path, _, document in mutations(original):
        with pytest.raises(ConsistencyLabError):
            verify_task({**document, "digest": original["digest"]})
        if path[0] == "provenance":
            with pytest.raises(RejectedError, match="the digest is stated as"):
                verify_task({**document, "digest": original["digest"]})


@CASES
@pytest.mark.parametrize("value", [None, 700, True, [], {}, "", "nonsense"])
def test_a_leaf_of_another_type_is_refused(name: str, value: object) -> None:
    document = WITNESSES[name]()
    for path, before in leaves(document):
        free = path[0] in ("digest", "provenance") or path == ("surrogate", "name")
        if free or before == value or stays_true(name, path, value):
            continue
        with pytest.raises(ConsistencyLabError):
            verify_task(replaced(document, path, value))


@CASES
def test_long_numbers_are_refused_in_one_sentence(name: str) -> None:
    document = WITNESSES[name]()
    long = f"{10**1000 + 1}/{10**990 + 1}"
    for path, before in leaves(document):
        if isinstance(before, str) and path[-1] not in ("digest", "name") and path[0] != "provenance":
            try:
                verify_task(replaced(document, path, long))
            except ConsistencyLabError as refusal:
                assert len(str(refusal)) < 400
            else:
                assert stays_true(name, path, long)


@CASES
def test_a_missing_key_is_refused(name: str) -> None:
    for _, changed in without_a_key(WITNESSES[name]()):
        with pytest.raises((InputError, RejectedError)):
            verify_task(changed)


@CASES
def test_an_unknown_key_is_refused(name: str) -> None:
    for changed in with_an_unknown_key(WITNESSES[name]()):
        with pytest.raises(InputError):
            verify_task(changed)


@CASES
def test_a_list_with_an_entry_too_few_or_too_many_is_refused(name: str) -> None:
    for _, shorter, longer in with_another_length(WITNESSES[name]()):
        with pytest.raises(ConsistencyLabError):
            verify_task(shorter)
        with pytest.raises(ConsistencyLabError):
            verify_task(longer)
