"""Files of the first format about tasks: each is a proof, and what the old kernel refuses is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType

import pytest

from consistency_lab.errors import ConsistencyLabError, InputError, RejectedError
from consistency_lab.model.surrogates.tasks import catalogue as naming
from consistency_lab.model.surrogates.tasks.catalogue import TASK_SURROGATES, Line
from consistency_lab.model.surrogates.tasks.libraries import entry
from consistency_lab.model.surrogates.tasks.pointwise import Regression
from consistency_lab.model.tasks import conditions
from consistency_lab.model.tasks.conditions import TASK_CONDITIONS
from consistency_lab.proofs.dispatch import as_proof, verify
from consistency_lab.proofs.file import FORMAT

from ..mutations import leaves, replaced, with_an_unknown_key, with_another_length, without_a_key
from ..oracle.tasks import verify_task
from ..witnesses import Document, sealed
from .test_mutations import mutations
from .witnesses import REGRETS, WITNESSES

GALLERY = sorted((Path(__file__).parents[3] / "tests" / "fixtures" / "format_1_tasks").glob("*.json"))
CASES = pytest.mark.parametrize("name", WITNESSES)


def read(path: Path) -> Document:
    return dict(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_every_file_of_the_gallery_is_a_proof_with_true_names(path: Path) -> None:
    old, kernel = read(path), verify_task(read(path))
    found = verify(old)
    assert (found.claim, found.failure, found.regret) == (kernel.claim, kernel.failure, kernel.regret)
    assert found.attracting == kernel.attracting
    assert found.surrogate == kernel.surrogate
    assert found.unknown == ()
    assert len(found.recomputed) == 3  # target, surrogate, decoder
    new = as_proof(old)
    assert new["format"] == FORMAT
    assert verify(new) == found
    assert len(json.dumps(new)) < 10_000


@CASES
def test_witnesses_by_hand_are_proofs(name: str) -> None:
    found = verify(WITNESSES[name]())
    assert found.unknown == ()
    assert found.regret == REGRETS.get(name, found.regret)


# The first format left names free; one of a table now has to mean the loss. Nor is it refused any more that
# an equilibrium is more (attracting) than the file says.
def is_weaker(path: tuple[str | int, ...], value: object) -> bool:
    return path == ("surrogate", "name") or (path[-1] == "attracting" and value is False)


@CASES
def test_what_the_kernel_says_of_a_changed_file_is_said_of_its_proof(name: str) -> None:
    """Two independent readings of the format: the tables with the core, and the kernel that was before."""
    differences = []
    for path, value, document in mutations(WITNESSES[name]()):
        if path[0] == "provenance" or is_weaker(path, value):
            continue
        accepted = []
        for check in (verify_task, verify):
            try:
                check(document)
                accepted.append(True)
            except ConsistencyLabError:
                accepted.append(False)
        if accepted[0] != accepted[1]:
            differences.append((path, value, accepted))
    assert differences == []


@CASES
def test_leaves_of_another_type_or_length_are_refused(name: str) -> None:
    document = WITNESSES[name]()
    for path, before in leaves(document):
        for value in (None, 700, True, [], {}, ""):
            free = path[0] in ("digest", "provenance", "condition") or path == ("surrogate", "name")
            free = free or (path == ("target", "k") and value == 700)  # more positions than items: all count
            if (
                not free
                and value != before
                and not _is_accepted(verify_task, replaced(document, path, value))
            ):
                with pytest.raises(ConsistencyLabError):
                    verify(replaced(document, path, value))
    for _, shorter, longer in with_another_length(document):
        for changed in (shorter, longer):
            with pytest.raises(ConsistencyLabError):
                verify(changed)


def _is_accepted(check: Callable[[Document], object], document: Document) -> bool:
    try:
        check(document)
    except ConsistencyLabError:
        return False
    return True


@CASES
def test_keys_are_those_of_the_form(name: str) -> None:
    for _, changed in without_a_key(WITNESSES[name]()):
        with pytest.raises((InputError, RejectedError)):
            verify(changed)
    for changed in with_an_unknown_key(WITNESSES[name]()):
        with pytest.raises((InputError, RejectedError)):
            verify(changed)


@pytest.mark.parametrize("called", ["xgboost:rank:ndcg", "logistic", "zhang", "ova-square"])
def test_a_name_that_means_something_else_is_refused(called: str) -> None:
    """A regression under the name of a shipped field, for one: the kernel let it pass."""
    document = replaced(WITNESSES["independent"](), ("surrogate", "name"), called)
    assert verify_task(document).surrogate == called
    with pytest.raises(RejectedError, match="by its parts it is something else"):
        verify(document)


@pytest.mark.parametrize("called", ["hinge ", "һinge", "mine"])
def test_a_name_of_no_table_is_not_known(called: str) -> None:
    found = verify(replaced(WITNESSES["independent"](), ("surrogate", "name"), called))
    assert found.unknown == (called,)


def test_the_digest_is_checked() -> None:
    document = WITNESSES["softmax"]()
    with pytest.raises(RejectedError, match="the digest is stated as"):
        verify({**document, "regret": "0.02565"})


def test_what_is_not_known_here_is_no_proof() -> None:
    document = WITNESSES["softmax"]()
    for part in ("target", "surrogate"):
        key = "loss" if part == "target" else "family"
        with pytest.raises(InputError, match="is not known here"):
            verify(sealed({**document, part: {**document[part], key: "next year's"}}))  # type: ignore[dict-item]


def test_tables_that_grow_make_no_file_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Next year there is a loss "mine", another condition, and a library with a loss of that name."""
    before = [verify(read(path)) for path in GALLERY[:12]]
    mine = Line("mine", lambda wishes: Regression("grade", "mine"))
    grown = MappingProxyType({**TASK_SURROGATES, mine.name: mine})
    monkeypatch.setattr(naming, "TASK_SURROGATES", grown)
    another = TASK_CONDITIONS["acyclic"]
    monkeypatch.setattr(
        conditions, "TASK_CONDITIONS", MappingProxyType({**TASK_CONDITIONS, "next year's": another})
    )
    libraries = MappingProxyType({**naming.LIBRARIES, "mine:loss": entry("xgboost:reg:squarederror")})
    monkeypatch.setattr(naming, "LIBRARIES", libraries)
    assert [verify(read(path)) for path in GALLERY[:12]] == before
    document = replaced(WITNESSES["independent"](), ("surrogate", "name"), "mine")
    assert verify(document).unknown == ()
