"""The reader of judged documents: LETOR, MSLR, SVMlight with queries, and LightGBM's two files."""

import numpy as np
import pytest

from consistency_lab.apps.learn.experiments.web import read_letor
from consistency_lab.data.letor import MOST_FEATURES
from consistency_lab.errors import InputError

TEXT = """\
2 qid:10 1:0.5 3:-1e-2 # docid = GX1 inc = 1
0 qid:10 2:3

# nothing but a comment
1 qid:7 1:1 2:NULL 3:0
"""


def test_features_that_are_left_out_are_zero_and_null_is_no_number(write):
    found = read_letor(write("train.txt", TEXT))
    assert found.names == ("10", "7")
    assert found.grades.tolist() == [2, 0, 1]
    assert found.queries.tolist() == [0, 0, 1]
    expected = np.array([[0.5, 0, -0.01], [0, 3, 0], [1, np.nan, 0]])
    assert np.array_equal(found.features, expected, equal_nan=True)


def test_only_the_first_queries_are_read_and_what_follows_is_not_looked_at(write):
    found = read_letor(write("train.txt", TEXT + "nonsense\n"), queries=1)
    assert (found.names, len(found.grades)) == (("10",), 2)


def test_blocks_of_lines_of_different_width_are_put_together(write):
    lines = [f"{k % 5} qid:{k // 100} {k % 20 + 1}:{k}" for k in range(5100)]
    found = read_letor(write("train.txt", "\n".join([*lines, "0 qid:x 30:1"])))
    assert found.features.shape == (5101, 30)
    assert all(found.features[k, k % 20] == k for k in range(5100))
    assert np.count_nonzero(found.features) == 5100  # all but line 1, whose value is 0


def test_lightgbm_has_the_queries_in_a_file_of_their_own(write):
    write("rank.train.query", "1\n2\n")
    found = read_letor(write("rank.train", "1 1:1\n0 2:1\n3 1:2\n"))
    assert (found.queries.tolist(), found.names) == ([0, 1, 1], ("1", "2"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("1 1:2\n", "line 1: it has no query"),
        ("good qid:1 1:2\n", "line 1: the label is 'good'; it must be a number"),
        ("nan qid:1 1:2\n", "the label is 'nan'"),
        ("1 qid:1 1:2\n1 qid:1 1:x\n", "line 2: feature 1 is 'x'; it must be a number"),
        ("1 qid:1 1:inf\n", "feature 1 is 'inf'"),
        ("1 qid:1 one:2\n", "'one:2' is not a feature"),
        ("1 qid:1 2\n", "'2' is not a feature"),
        ("1 qid:1 0:2\n", "'0:2' is not a feature"),
        ("1 qid:1 2:1 2:1\n", "with increasing numbers"),
        (f"1 qid:1 {MOST_FEATURES + 1}:2\n", f"up to {MOST_FEATURES}"),
        ("1 qid:1 99999999999999999999:2\n", "is not a feature"),
        ("1 qid:1 1:2\n1 qid:2 1:2\n1 qid:1 1:2\n", "line 3: query 1 resumes here"),
    ],
)
def test_what_is_no_such_file_is_told_in_one_sentence(write, text, said):
    with pytest.raises(InputError) as caught:
        read_letor(write("train.txt", text))
    assert said in str(caught.value)
    assert "train.txt" in str(caught.value)


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ("1\n", "covers only 1 documents"),
        ("0\n", "line 1: expected the number of documents"),
        ("1 1\n", "line 1: expected the number of documents"),
    ],
)
def test_sizes_of_queries_fit_the_documents(write, sizes, said):
    write("train.txt.query", sizes)
    with pytest.raises(InputError, match=said):
        read_letor(write("train.txt", "1 1:1\n0 2:1\n"))
