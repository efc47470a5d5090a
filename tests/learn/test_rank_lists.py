"""Rank lists against labels: the aggregate of the rankers, and what each rule makes of it."""

import numpy as np
import pytest

from consistency_lab.apps.learn.experiments.rank_lists import rank_lists, wins_of
from consistency_lab.apps.learn.experiments.report import rank_list_lines
from consistency_lab.data.letor import Letor
from consistency_lab.errors import InputError
from consistency_lab.show.text import rendered

NULL = np.nan
RANKS = np.array([[1, 3, 2, 1], [2, 1, 3, 2], [3, 2, 1, NULL], [1, 1, 1, 1], [2, 2, NULL, 2]])
LISTS = Letor(RANKS, np.array([2.0, 1, 0, 0, 1]), np.array([0, 0, 0, 1, 1]), ("cycle", "plain"))


def test_unranked_documents_are_unknown_or_last() -> None:
    cycle = RANKS[:3]
    assert wins_of(cycle, "unknown").tolist() == [[0, 3, 1], [1, 0, 2], [2, 1, 0]]
    assert wins_of(cycle, "last").tolist() == [[0, 3, 2], [1, 0, 3], [2, 1, 0]]


def test_the_best_order_contradicts_least_and_need_not_be_the_most_relevant() -> None:
    unknown, last = rank_lists(LISTS, "lists.txt")["unranked"]
    assert (unknown["cyclic"], unknown["optimal_proved"], unknown["judged"]) == (1, 2, 2)
    assert last["cyclic"] == 0  # 0 and 2 are even then, and 0 > 1 > 2 is no cycle
    for part in (unknown, last):
        rules = {rule["rule"]: rule for rule in part["rules"]}
        assert rules["kemeny"]["regret"] == 0.0
        assert all(rule["regret"] >= 0 for rule in rules.values())
        assert rules["kemeny"]["gain_over_kemeny"][0]["runs"] == [0.0, 0.0]
    # Query "plain" has the worse document on top for every ranker, and 0 > 1 > 2 is right in the other.
    worst = 1 - 1 / np.log2(3)
    assert rules["kemeny"]["ndcg"][1]["mean"] == pytest.approx(1 - worst / 2)


def test_the_report_has_a_row_for_each_rule() -> None:
    text = "\n".join(rendered(rank_list_lines(rank_lists(LISTS, "lists.txt"))))
    assert text.count("kemeny") == text.count("bradley-terry") == 2
    assert "4 rankers on 2 queries with 5 documents; 10% of the ranks are NULL" in " ".join(text.split())


def test_features_are_no_rank_lists() -> None:
    with pytest.raises(InputError, match="features: no document has NULL"):
        rank_lists(Letor(np.ones((2, 1)), np.zeros(2), np.zeros(2, dtype=np.int64), ("1",)), "features")
