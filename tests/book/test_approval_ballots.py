"""Approval ballots give additive difference graphs."""

from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

from consistency_lab.apps.book.book import statement
from consistency_lab.apps.book.statement import Cases, Kind, Outcome, tried
from consistency_lab.apps.book.statements.labels import approved, approving, are_differences
from consistency_lab.errors import InputError
from consistency_lab.model.distribution import PreferenceGraph


def test_it_holds() -> None:
    checked = statement("approval-ballots").check()
    assert (checked.outcome, checked.kind, checked.scope) == (Outcome.HOLDS, Kind.HAND, "all m")
    # 1960 ballots, of which 30 approve of everybody (or nobody): those tell no items apart.
    assert "Beck 1077, Fay 800, South 753, Willhoit 825" in checked.findings[2].details[0]
    assert "1960 voters" in checked.findings[2].how


def test_the_sample_of_the_package_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "vermont.toc").write_text("# NUMBER ALTERNATIVES: 2\n1: 1,2\n")
    monkeypatch.chdir(tmp_path)
    assert statement("approval-ballots").check().outcome is Outcome.HOLDS


def test_the_difference_is_that_of_the_shares_on_random_ballots() -> None:
    def agree(rng: Random, m: int) -> bool:
        chosen = [frozenset(i for i in range(m) if rng.random() < 1 / 2) for _ in range(4)]
        counts = [rng.randint(1, 9) for _ in chosen]
        ballots = [(Fraction(n, sum(counts)), s) for n, s in zip(counts, chosen, strict=True)]
        shares = [sum((p for p, s in ballots if i in s), Fraction(0)) for i in range(m)]
        return are_differences(approving(ballots, m).difference, shares)

    assert tried(agree, (2, 3, 4, 5, 6), 8, 3) == Cases(40, 40)


def test_a_ballot_of_three_levels_is_refused() -> None:
    with pytest.raises(InputError, match="not that of an approval ballot"):
        approved(PreferenceGraph.of({(0, 1): 1, (1, 2): 1, (0, 2): 1}), 3)
    assert approved(PreferenceGraph.of({}), 3) == frozenset()
    assert approved(PreferenceGraph.of({(0, 2): 1, (1, 2): 1}), 3) == {0, 1}
