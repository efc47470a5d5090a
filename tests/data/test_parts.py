"""What the smaller functions of the readers return."""

from fractions import Fraction

import numpy as np
import pytest

from consistency_lab.data.ballots import Wide, wide_in
from consistency_lab.data.draws import wilson
from consistency_lab.data.formats import is_qrels
from consistency_lab.data.games import GameColumns, outcomes
from consistency_lab.data.layouts import grades_in, head_of
from consistency_lab.data.rows import flaw, is_list, numbered, pair_counts, unread_query
from consistency_lab.data.tables import Table, shortened
from consistency_lab.data.text import json_cells, repaired
from consistency_lab.data.votes import Orders


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (wide_in(head_of(["id,Ann,Bob,Cy", "7,2,1,3"])), Wide(columns=[1, 2, 3], scale=None)),
        ([is_qrels(head_of([line])) for line in ("301 0 FT911-3 1", "A 3 B 1")], [True, False]),
        (grades_in(head_of(["Rater,Doc,Grade"])), {"judge": "Rater", "item": "Doc", "grade": "Grade"}),
        (flaw(["Ann", "3"]), ""),
        (flaw(["\x1b[2J"]), "a cell has a line break or control character (an open quote?)"),
        ([is_list(start) for start in (b' [ {"winner": "A"}]', b"[A],[B]")], [True, False]),
        (unread_query(["Prompt", "winner"], ["winner"]), "Prompt"),
        (unread_query(["Prompt", "prompt_id"], ["prompt_id"]), None),
        (pair_counts([("A", "B", Fraction(1)), ("A", "B", Fraction(2))]).counts.listed, [(0, 1, 3)]),
        (shortened(" Yes,\nof course. "), "Yes, of course."),
        (shortened("no " * 40), "no no no no no no no no no no no no no no no… ac997c14"),
        ([array.tolist() for array in numbered(np.array([7, 3, 7, 0, 3]), 8)], [[0, 1, 0, 2, 1], [0, 1, 3]]),
        (json_cells('{"winner": 7, "count": 1.50}'), {"winner": "7", "count": "1.50"}),
        ([*map(repaired, ("TH\xc3\x89VENET", "Andr\xe9"))], ["THÉVENET", "André"]),
        (Orders.of(2, [(2, [[1], [0]]), (1, [[0], [1]]), (5, [[0, 1]])]).wins.tolist(), [[0, 1], [2, 0]]),
        # Brown, Cai and DasGupta, Interval estimation for a binomial proportion, 2001, Eq. 4, by hand.
        ([round(x, 4) for x in (*wilson(0, 10), *wilson(5, 10))], [0.0, 0.2775, 0.2366, 0.7634]),
        ([round(x, 4) for x in (*wilson(10, 10), *wilson(1, 100))], [0.7225, 1.0, 0.0018, 0.0545]),
        (wilson(0, 0), (0.0, 1.0)),
    ],
)
def test_what_comes_out(found, expected):
    assert found == expected


def test_rows_that_are_refused_leave_the_table():
    table = Table.of(2, [(1, ("Ann", "Bob")), (2, ("Cy", "")), (4, ("Bob ", "Ann"))])
    table.refuse(table.where(str.__len__)[table[1]] == 0, "there is no loser")
    named = [[table.texts[number] for number in column] for column in table.columns]
    assert (named, table.lines.tolist()) == ([["Ann", "Bob"], ["Bob", "Ann"]], [1, 4])


def test_a_game_without_a_player_has_no_outcome():
    table = Table.of(
        3, [(1, ("b", "GPT", "Llama")), (2, ("both bad", "GPT", "Llama")), (3, ("b", "", "GPT"))]
    )
    outcomes(table, GameColumns("winner", a="model_a", b="model_b"))
    assert [table.texts[k] for k in table[0]] == ["Llama", "GPT"] and table[2].tolist() == [0, 1]
