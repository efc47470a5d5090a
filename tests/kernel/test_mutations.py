"""No leaf of a witness can be changed to something else that is false, even under a fresh digest."""

from collections.abc import Callable

import pytest

from consistency_lab.errors import ConsistencyLabError, InputError, RejectedError
from consistency_lab.proofs.dispatch import verify as verify_converted

from .mutations import (
    Path,
    leaves,
    mutations,
    replaced,
    with_an_unknown_key,
    with_another_length,
    without_a_key,
)
from .oracle import verify
from .witnesses import WITNESSES, Document

CASES = pytest.mark.parametrize("name", WITNESSES)
CHECKERS = pytest.mark.parametrize("verify", [verify, verify_converted], ids=["oracle", "converted"])
Verify = Callable[[Document], object]


def stays_true(path: Path) -> bool:
    """The leaves that may be changed: free texts, and brackets, of which many prove the same bound."""
    return path[0] == "provenance" or (path[0] == "certificate" and "brackets" in path)


@CHECKERS
@CASES
def test_every_changed_leaf_is_refused(verify: Verify, name: str) -> None:
    accepted = []
    for path, value, document in mutations(WITNESSES[name]()):
        try:
            verify(document)
        except ConsistencyLabError:
            continue
        if not stays_true(path):
            accepted.append((path, value))
    assert accepted == []


@CHECKERS
def test_without_a_fresh_digest_every_change_is_refused(verify: Verify) -> None:
    original = WITNESSES["universal_two"]()
    for path, _, document in mutations(original):
        with pytest.raises(ConsistencyLabError):
            verify({**document, "digest": original["digest"]})
        if path[0] == "provenance":
            with pytest.raises(RejectedError, match="the digest is stated as"):
                verify({**document, "digest": original["digest"]})


@CHECKERS
@CASES
@pytest.mark.parametrize("value", [None, 7, True, [], {}, "", "nonsense"])
def test_a_leaf_of_another_type_is_refused(verify: Verify, name: str, value: object) -> None:
    document = WITNESSES[name]()
    for path, before in leaves(document):
        if path[0] in ("digest", "provenance") or before == value:
            continue
        if path == ("surrogate", "name") and value == "nonsense" and name == "own_terms":
            continue  # a loss of one's own may have any name that says nothing
        if value is None and len(path) == 5 and path[3] == "brackets":
            continue  # a bracket is two numbers, so null in its place is no leaf of this path
        with pytest.raises(ConsistencyLabError):
            verify(replaced(document, path, value))


@CHECKERS
@CASES
def test_long_numbers_are_refused_in_one_sentence(verify: Verify, name: str) -> None:
    document = WITNESSES[name]()
    long = f"{10**1000 + 1}/{10**990 + 1}"
    for path, before in leaves(document):
        if isinstance(before, str) and path[-1] not in ("digest", "name") and not stays_true(path):
            with pytest.raises(ConsistencyLabError) as refusal:
                verify(replaced(document, path, long))
            assert len(str(refusal.value)) < 400


@CHECKERS
@CASES
def test_a_missing_key_is_refused(verify: Verify, name: str) -> None:
    for path, changed in without_a_key(WITNESSES[name]()):
        if path == ("universal",):
            continue  # the only optional entry
        with pytest.raises((InputError, RejectedError)):
            verify(changed)


@CHECKERS
@CASES
def test_an_unknown_key_is_refused(verify: Verify, name: str) -> None:
    for changed in with_an_unknown_key(WITNESSES[name]()):
        with pytest.raises(InputError):
            verify(changed)


@CHECKERS
@CASES
def test_a_list_with_an_entry_too_few_or_too_many_is_refused(verify: Verify, name: str) -> None:
    for path, shorter, longer in with_another_length(WITNESSES[name]()):
        with pytest.raises(ConsistencyLabError):
            verify(shorter)
        if path[0] == "universal" and path[-1] in ("faces", "monotone"):
            continue  # to say the same multipliers twice is superfluous, or tested by the identity
        with pytest.raises(ConsistencyLabError):
            verify(longer)
