"""`construct`: the smallest calibrated surrogate of a loss matrix, as text, JSON and Python."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from consistency_lab.data.matrix import read_construction
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.files import digest

MATRIX = ",drop,keep,ask\nham,10,0,1/2\nspam,0,1,.5\nscam,0,20,.5\n"

USE = """
import sys
from fractions import Fraction as F
from itertools import product
import {module} as loss
assert loss.verify()
heavy = sorted({{"numpy", "flint", "consistency_lab"}} & sys.modules.keys())
assert not heavy, heavy
count = 0
for weights in product(range(4), repeat=len(loss.LABELS)):
    if not any(weights):
        continue
    p = {{y: F(x, sum(weights)) for y, x in zip(loss.LABELS, weights)}}
    u = loss.minimizer(p)
    found = {{t: loss.expected_loss(p, t) for t in loss.PREDICTIONS}}
    assert found[loss.decode(u)] == min(found.values()), (p, u)
    best = sum(q * loss.psi(y, u) for y, q in p.items())
    other = [x + F(1, 3) for x in u]
    regret = found[loss.decode(other)] - min(found.values())
    excess = sum(q * loss.psi(y, other) for y, q in p.items()) - best
    assert regret**2 <= excess * loss.SQUARED_DISTANCE
    count += 1
print(count)
"""


@pytest.fixture
def loss():
    Path("loss.csv").write_text(MATRIX, encoding="utf-8")
    return "loss.csv"


def use(module):
    """Import the module with Python's own library alone, and try it on many distributions."""
    path = Path(module)
    ran = subprocess.run(
        [sys.executable, "-I", "-c", f"import sys; sys.path.insert(0, '.')\n{USE.format(module=path.stem)}"],
        cwd=path.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.stderr == ""
    return ran.stdout.strip()


def test_the_report(cli, loss):
    ran = cli("construct", loss, "--details")
    assert (ran.code, ran.err) == (0, "")
    text = ran.said
    for words in (
        "loss.csv with 3 labels and 3 predictions",
        "needs 2 scores: ℓ(y, t) = ⟨α_y, β_t⟩ + c, checked exactly.",
        "2 with one constant c, as in RAT13 Theorem 3: this construction",
        "The constant that saves one is c = 1/2 = 0.5",
        "pred(u) ∈ argmin_t ⟨u, β_t⟩, ties broken in any way",
        "H(ε) ≥ ε²/D² = 2·ε²",
        "D² = 1/2 = 0.5 is the largest squared distance of two β, that of drop and keep.",
    ):
        assert words in text
    assert max(map(len, ran.out.splitlines())) <= 100


@pytest.mark.parametrize("kind", ["none", "constant", "label", "both"])
def test_each_kind_of_offsets(cli, loss, kind):
    answer = cli("construct", loss, "--offsets", kind, "--json").document
    assert answer["dimension"] == {"none": 3}.get(kind, 2)
    assert answer["construction"]["offsets"] == kind
    assert use(answer["files"]["module"]) == "63"
    assert "consistency_lab" not in Path(answer["files"]["module"]).read_text(encoding="utf-8")


def test_an_offset_of_the_prediction_saves_a_score(cli):
    """l = [[0, 1, 3], [1, 1, 2]]: the rows differ by (1, 0, -1), so one score with b_t, two without."""
    Path("costs.csv").write_text("0,1,3\n1,1,2\n", encoding="utf-8")
    answer = cli("construct costs.csv --json").document
    document = answer["construction"]
    assert (answer["dimension"], document["offsets"]) == (1, "both")
    assert document["dimensions"] == {"none": 2, "constant": 2, "label": 2, "both": 1}
    assert use(answer["files"]["module"]) == "15"
    assert "argmin_t ⟨u, β_t⟩ + b_t" in cli("construct costs.csv").out


def test_a_loss_that_no_prediction_changes(cli):
    Path("flat.csv").write_text("1,1\n2,2\n", encoding="utf-8")
    ran = cli("construct flat.csv --details")
    assert "needs 0 scores" in ran.out
    assert "All β are equal" in ran.out
    answer = cli("construct flat.csv --json").document
    assert (answer["dimension"], answer["regret_bound"]) == (0, None)
    assert use(answer["files"]["module"]) == "15"


@pytest.mark.parametrize(
    ("arguments", "constant", "label"),
    [
        (("precision", "--items", "3", "--k", "1"), 3, 2),  # RAT13 §4: at most r
        (("eru", "--items", "3"), 3, 2),  # RAT13 §5: at most r
        (("map", "--items", "3"), 5, 4),  # RAT13 §6: at most r(r+1)/2 = 6
        (("pairwise", "--items", "3", "--labels", "dags"), 4, 3),  # RAT13 §7: r(r-1)/2 with c_y
        (("kendall", "--items", "3"), 3, 3),
        (("zero-one", "--items", "4"), 3, 3),
        (("ndcg", "--items", "3", "--discount", "j"), 3, 2),
        (("err", "--items", "3"), 5, 4),
    ],
)
def test_targets(cli, arguments, constant, label):
    ran = cli("construct --target", *arguments, "--no-save", "--json")
    dimensions = ran.document["construction"]["dimensions"]
    assert (dimensions["constant"], dimensions["label"], dimensions["both"]) == (constant, label, label)
    assert ran.document["files"] is None
    assert not Path("constructions").exists()


def test_a_construction_is_checked_again(cli, loss):
    answer = cli("construct", loss, "--json", "--out", "made").document
    document = answer["files"]["document"]
    assert Path(document).parent == Path("made")
    again = cli("construct", document)
    assert again.code == 0
    assert "Checked again: the identity" in again.out
    assert cli("construct", document, "--json").document["status"] == "ok"
    assert read_construction(document).dimension == answer["dimension"]
    assert cli("verify", document).err.endswith(
        "this is a construction, no witness; construct FILE checks it\n"
    )


SPOILT = [
    (("alpha", 0, 0, "7"), "the loss is not the inner product of alpha and beta plus the offsets"),
    (("beta", 1, 0, "1/7"), "the loss is not the inner product"),
    (("matrix", "rows", 0, 0, "11"), "the loss is not the inner product"),
    (("label_offsets", 0, "1"), "the labels do not all have the one offset"),
    (("prediction_offsets", 0, "1"), "a prediction has an offset"),
    (("dimensions", "both", 1), "a dimension is not the least"),
    (("dimensions", "none", 2), "a dimension is not the least"),
    (("constant", "1/3"), "the labels do not all have the one offset"),
    (("bound", "squared_distance", "1/3"), "the largest squared distance of two beta is not 1/3"),
    (("bound", "predictions", 0, "ask"), "the largest squared distance"),
]


@pytest.mark.parametrize(("change", "reason"), SPOILT, ids=[str(change) for change, _ in SPOILT])
def test_a_false_construction_is_rejected(cli, loss, change, reason):
    path = Path(cli("construct", loss, "--json").document["files"]["document"])
    document = json.loads(path.read_text(encoding="utf-8"))
    *places, key, value = change
    inner = document
    for place in places:
        inner = inner[place]
    inner[key] = value
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(RejectedError, match="digest"):
        read_construction(path)
    # With a digest that fits, the mathematics has to notice.
    path.write_text(json.dumps({**document, "digest": digest(document)}), encoding="utf-8")
    ran = cli("construct", str(path))
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"REJECTED {path}: {reason}")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ({"format": "consistency-lab/witness/1"}, "this is not a construction"),
        ([1], "this is not a construction"),
        ({"format": "consistency-lab/construction/1"}, "the construction lacks the key 'digest'"),
    ],
)
def test_a_file_that_is_no_construction(cli, content, reason):
    Path("other.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match=reason):
        read_construction("other.json")
    ran = cli("construct other.json")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"other.json: {reason}")


def test_names_never_become_code(cli):
    names = ["'); import os; os.abort(); ('", '"""', "\\", "é†", "$loss"]
    lines = [["", *names], *([name, *map(str, range(5))] for name in names)]
    text = "\n".join(",".join('"' + cell.replace('"', '""') + '"' for cell in line) for line in lines)
    Path("names.csv").write_text(text + "\n", encoding="utf-8")
    module = cli("construct names.csv --json").document["files"]["module"]
    code = f"import {Path(module).stem} as loss; assert loss.verify(); print(ascii(loss.LABELS))"
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=Path(module).parent, capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == ascii(tuple(names))


BAD = [
    ((), "no loss is given; name a CSV file with a loss matrix, or give --target NAME"),
    (("loss.csv", "--target", "map"), "--target and a file are two different questions; give one of them"),
    (("loss.csv", "--k", "2"), "--k and a file are two different questions"),
    (("loss.csv", "--offsets", "all"), "--offsets is 'all'; it must be one of none, constant, label, both"),
    (("nothing.csv",), "nothing.csv cannot be read: no such file or directory"),
    (("--target", "mep"), "there is no target 'mep'; did you mean 'map'?"),
    (("--target", "map", "--k", "2"), "the target map has no k"),
    (("--target", "ndcg"), "NDCG has irrational losses here"),
    (("--target", "eru", "--w", "x"), "--w is 'x'; it must be a finite number"),
    (("loss.csv", "--out", "loss.csv"), "loss.csv cannot"),
]


@pytest.mark.parametrize(("arguments", "sentence"), BAD, ids=[" ".join(arguments) for arguments, _ in BAD])
def test_one_sentence(cli, loss, arguments, sentence):
    ran = cli("construct", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(sentence)
    assert ran.err.count("\n") == 1
    assert not Path("constructions").exists()
