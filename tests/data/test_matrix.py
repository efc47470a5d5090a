"""Loss matrices in CSV: what is read, and one clear sentence for everything that is not."""

from fractions import Fraction
from pathlib import Path

import pytest

from consistency_lab.data.matrix import MAX_SIDE, read_matrix
from consistency_lab.errors import InputError
from consistency_lab.files import MAX_BYTES

HALF = Fraction(1, 2)
ROWS = ((Fraction(0), HALF), (Fraction(1), Fraction(-3)))

SPELLINGS = [
    ("bare", "0,1/2\n1,-3\n", ("y1", "y2"), ("t1", "t2")),
    ("predictions", "keep,drop\n0,0.5\n1,-3.0\n", ("y1", "y2"), ("keep", "drop")),
    ("labels", "ham,0,0.5\nspam,1,-3\n", ("ham", "spam"), ("t1", "t2")),
    ("both, empty corner", ",keep,drop\nham,0,.5\nspam,1,-3\n", ("ham", "spam"), ("keep", "drop")),
    ("both, no corner", "keep,drop\nham,0,.5\nspam,1,-3\n", ("ham", "spam"), ("keep", "drop")),
    ("both, corner", "Label,keep,drop\nham,0,5e-1\nspam,1,-3\n", ("ham", "spam"), ("keep", "drop")),
    ("names that are numbers", ",1,2\n7,0,1/2\n8,1,-3\n", ("7", "8"), ("1", "2")),
    ("blanks and line ends", "\r\n 0 , 1/2\r\n\r\n1,-3\r\n\r\n", ("y1", "y2"), ("t1", "t2")),
    ("blank cells, as spreadsheets leave them", "0,1/2\n,\n1,-3\n,,,\n", ("y1", "y2"), ("t1", "t2")),
    ("byte order mark", "\ufeff0,1/2\n1,-3", ("y1", "y2"), ("t1", "t2")),
    ("quotes", '"a, b",c\n0,"1/2"\n1,-3\n', ("y1", "y2"), ("a, b", "c")),
]

REFUSED = [
    ("", "m.csv is empty; expected a loss matrix"),
    (" \n\n", "m.csv is empty; expected a loss matrix"),
    (",,\n", "m.csv is empty; expected a loss matrix"),
    ("a,b\n", "m.csv has a line of names but no losses"),
    ("0,1\n1\n", "m.csv, line 2: there are 1 cells, but 2 in line 1; all lines must have the same number"),
    ("0,1\n\n1,0,2\n", "m.csv, line 3: there are 3 cells, but 2 in line 1"),
    ("a,b,c\n0,1\n", "m.csv, line 1: there are 3 names for lines of 2 cells; each prediction needs"),
    (",a,b,c\ny,0,1\n", "m.csv, line 1: there are 4 names for lines of 3 cells"),
    ("0,x\n1,0\n", "m.csv, line 1, column 2: the loss is 'x'; it must be a finite number such as 3, 0.3"),
    ("0,1\nx,0\n", "m.csv, line 2, column 1: the loss is 'x'"),
    ("x,1\n1,0\n", "m.csv, line 1, column 1: the loss is 'x'"),
    ("y,0,1\nz,1,\n", "m.csv, line 2, column 3: the loss is ''"),
    ("0,1\n1,nan\n", "m.csv, line 2, column 2: the loss is 'nan'; it must be a finite number"),
    ("0,inf\n1,0\n", "m.csv, line 1, column 2: the loss is 'inf'; it must be a finite number"),
    ("0,1/0\n1,0\n", "m.csv, line 1, column 2: the loss is '1/0'; the denominator must not be zero"),
    ("0,9**9\n1,0\n", "m.csv, line 1, column 2: the loss is '9**9'"),
    ("0,1e999\n1,0\n", "m.csv, line 1, column 2: the loss is '1e999'; its exponent must be at most 400"),
    ("0," + "9" * 3000 + "\n", "m.csv, line 1, column 2: the loss has 3000 characters; at most 2000 are"),
    ("a,b,a\n0,1,2\n", "m.csv: two predictions are called 'a'; names must differ"),
    ("y,0,1\ny,1,0\n", "m.csv: two labels are called 'y'; names must differ"),
    (",a,\ny,0,1\n", "m.csv: number 2 of the predictions has no name; names must not be empty"),
    (",a,b\n,0,1\n", "m.csv: number 1 of the labels has no name; names must not be empty"),
    ("a,\x1b[2J\n0,1\n", "m.csv, line 1: there is a control character, '\\x1b'; remove it"),
    ("a," + "b" * 201 + "\n0,1\n", "m.csv: number 2 of the predictions is called 'bbb"),
    ("y1\ny2\n", "m.csv, line 2: there are no losses"),
    ("0;1\n1;0\n", "m.csv, line 1: there is no comma; separate cells by commas"),
    ('0,"1"x\n', "m.csv, line 1: this is not CSV"),
    ("0," * (MAX_SIDE + 1) + "0\n", "m.csv has 1 labels and 4098 predictions; at most 4096 of each and"),
    ("0\n" * (MAX_SIDE + 1), "m.csv has 4097 labels and 1 predictions; at most 4096 of each"),
    (("0," * 2000 + "0\n") * 500, "m.csv has 500 labels and 2001 predictions; at most"),
]


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("text", "labels", "predictions"), [pytest.param(*case, id=what) for what, *case in SPELLINGS]
)
def test_a_matrix_in_every_spelling(text, labels, predictions):
    Path("m.csv").write_bytes(text.encode())
    found = read_matrix("m.csv")
    assert (found.labels, found.predictions, found.rows) == (labels, predictions, ROWS)


def refusal(name):
    with pytest.raises(InputError) as caught:
        read_matrix(name)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 300
    return message


@pytest.mark.parametrize(("text", "sentence"), REFUSED, ids=[repr(text[:20]) for text, _ in REFUSED])
def test_one_sentence(text, sentence):
    Path("m.csv").write_bytes(text.encode())
    assert refusal("m.csv").startswith(sentence)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"0,1\n1,\xe9\n", "m.csv, line 2: this is not UTF-8; save the file in UTF-8"),
        (b"0,1\0\n", "m.csv is a binary file; a loss matrix must be UTF-8 text"),
        (b"\xff\xfe0\x00,", "m.csv begins like UTF-16 but is not; save it in UTF-8"),
    ],
)
def test_bytes(content, sentence):
    Path("m.csv").write_bytes(content)
    assert refusal("m.csv").startswith(sentence)


def test_a_file_that_is_missing_or_too_long():
    assert refusal("nothing.csv") == "nothing.csv cannot be read: no such file or directory"
    with Path("long.csv").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert refusal("long.csv") == "long.csv is 20_000_001 bytes long; at most 20_000_000 bytes are read"
