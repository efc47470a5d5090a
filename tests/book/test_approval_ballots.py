"""Approval ballots give additive difference graphs."""

from pathlib import Path

import pytest

from consistency_lab.apps.book.statement import FalseVariant, Kind, Outcome
from consistency_lab.apps.book.statements import labels as statement
from consistency_lab.errors import InputError
from consistency_lab.model.distribution import PreferenceGraph


def test_it_holds() -> None:
    checked = statement.APPROVAL_BALLOTS.check()
    assert (checked.outcome, checked.kind, checked.scope) == (Outcome.HOLDS, Kind.HAND, "all m")
    # 1960 ballots, of which 30 approve of everybody (or nobody): those tell no items apart.
    assert "Beck 1077, Fay 800, South 753, Willhoit 825" in checked.findings[3].details[0]
    assert "1960 voters" in checked.findings[3].how


def test_the_sample_of_the_package_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "vermont.toc").write_text("# NUMBER ALTERNATIVES: 2\n1: 1,2\n")
    monkeypatch.chdir(tmp_path)
    assert statement.APPROVAL_BALLOTS.check().outcome is Outcome.HOLDS


@pytest.mark.parametrize("variant", statement.APPROVAL_BALLOTS.variants, ids=lambda v: v.statement[:30])
def test_false_variants_are_refuted(variant: FalseVariant) -> None:
    assert variant.refute().refuted


def test_a_ballot_of_three_levels_is_refused() -> None:
    with pytest.raises(InputError, match="not that of an approval ballot"):
        statement.approved(PreferenceGraph.of({(0, 1): 1, (1, 2): 1, (0, 2): 1}), 3)
    assert statement.approved(PreferenceGraph.of({}), 3) == frozenset()
