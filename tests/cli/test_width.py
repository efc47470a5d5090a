"""Every command opens with one plain sentence, and no line is wider than 80, with names of 40 characters."""

import re
import shlex
from pathlib import Path
from shutil import copy
from typing import NamedTuple

import pytest

from consistency_lab.show.text import cells
from consistency_lab.shown import WIDTH

ROOT = Path(__file__).parents[2]
GALLERY = ROOT / "counterexamples"
HINGE = "hinge-additive-3items-578dc29e.json"
FIELD = "ndcg-012-lightgbm-lambdarank.json"
A, B, C = (f"An item whose name has {word} characters".ljust(40, ".") for word in ("40", "forty", "4 x 10"))

FILES = {
    "three.csv": f"winner,loser,count\n{A},{B},3\n{B},{C},1\n{A},{C},8\n{C},{A},4\n",
    "grades.csv": "query,item,judge,grade\n"
    + "".join(
        f"query {q},{name},judge {j},{(k + j) % 3}\n"
        for q in "pq"
        for j in range(3)
        for k, name in enumerate((A, B, C))
    ),
    "reference.csv": f"answer,logp\n{A},-1\n{B},-2\n{C},-3\n",
    "features.csv": f"item,length,sources\n{A},1,2\n{B},2,1\n{C},3,5\n",
    "matrix.csv": f",{A},{B},{C}\n{A},0,1,2\n{B},1,0,1\n{C},2,2,0\n",
}


class Asked(NamedTuple):
    """A command, and how its answer opens."""

    command: str
    opening: str


COMMANDS = (
    Asked(
        "check logistic --condition additive --items 3 --no-save",
        "logistic can be wrong under additive noise.",
    ),
    Asked(
        "check linear --items 3 --no-save",
        "linear is right under net order, however often pairs are compared; otherwise it can be wrong,",
    ),
    Asked(
        "check softmax --target ndcg --labels 0..1 --no-save",
        "softmax is right for NDCG if the labels agree on one order; otherwise it can be wrong.",
    ),
    Asked(
        "check lambdarank --target ndcg --labels 0..1 --no-save",
        "lambdarank can train to a wrong order for NDCG, even with endless data.",
    ),
    Asked("check logistic --profile three.csv --no-save", "logistic ranks these comparisons wrongly: "),
    Asked("check linear --profile three.csv --no-save", "linear ranks these comparisons correctly."),
    Asked(
        "align dpo --profile three.csv --reference reference.csv --no-save",
        "The policy ends in the order ",
    ),
    Asked(
        "align logistic --features features.csv --profile three.csv --no-save",
        "logistic with scores linear in features is ",
    ),
    Asked("audit three.csv --resamples 40 --simulations 19", "An item whose name has "),
    Asked(
        "audit grades.csv --query query --item item --judge judge --grade grade --resamples 0",
        "2 instances: 2 decided for every loss, 0 undecided for some, 0 not audited.",
    ),
    Asked(
        "measure hinge --no-save --budget 2",
        "The smallest data with 3 items that fool hinge, by a tie,",
    ),
    Asked(
        "calibration linear", "The calibration function of linear under low-noise with 3 items is known: H("
    ),
    Asked(
        "calibration logistic --budget 1", "The calibration function of logistic under low-noise with 3 items"
    ),
    Asked(f"atlas {ROOT / 'docs' / 'atlas'}", "Of 12 cells, 12 are INCONSISTENT."),
    Asked("recommend --target ndcg", "For NDCG with LightGBM train regression on other labels"),
    Asked("recommend --library trl", 'Use loss_type="sigmoid" (dpo): wherever'),
    Asked("construct matrix.csv --no-save", "matrix.csv with 3 labels and 3 predictions needs 2 scores: "),
    Asked(f"show {HINGE}", "hinge is wrong under additive noise; the example is certified."),
    Asked(
        f"show {FIELD}", "lightgbm:lambdarank can train to a wrong order for NDCG; the example is certified."
    ),
    Asked(f"verify {HINGE}", f"ok {HINGE}: proof: accepted"),
    Asked(f"verify {HINGE} {FIELD}", "All 2 files are accepted."),
    Asked("list", "Type one of these, as in: consistency-lab list surrogates"),
    Asked("list libraries --details", "These are the losses of dmlc/xgboost"),
    Asked("explain --details", "A(p): the scores whose order"),
    Asked(
        "explain low noise", "low noise: if A beats B and B beats C, then A beats C by at least both margins"
    ),
    Asked("gallery DIR", "DIR/README.md written"),
    Asked(
        "reproduce theorem-11",
        "theorem-11 holds: No edge loss with a convex phi is consistent, not even under low noise.",
    ),
    Asked("reproduce theorem-11 --explain --formal", "1 statement checked: 1 holds;"),
    Asked("experiment movielens --synthetic --runs 1", "DMJ10 §4, Table 1, on synthetic ratings"),
    Asked("experiment web --synthetic --queries 5 --runs 1 --steps 5", "NDCG risk on"),
    Asked("--help", "Usage: consistency-lab COMMAND ..."),
)
"""`aggregate` prints a table of data."""

CANNOT_WRAP = re.compile(r"\s*(Check:|Code:|Read the proof:) consistency-lab |\s+(\S+)$")
"""A command to copy; a single word, such as a digest or a path."""


@pytest.mark.parametrize("asked", COMMANDS, ids=lambda asked: asked.command[:40])
def test_an_answer_opens_with_a_sentence_and_fits_the_page(
    cli, asked: Asked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for file, text in FILES.items():
        Path(file).write_text(text, encoding="utf-8")
    Path("DIR").mkdir()
    for file in (GALLERY / HINGE, GALLERY / "libraries" / FIELD):
        copy(file, ".")
    copy(GALLERY / HINGE, "DIR")
    ran = cli(*shlex.split(asked.command))
    assert ran.code in (0, 1, 3), ran.err
    assert ran.said.startswith(asked.opening)
    wide = [line for line in ran.out.splitlines() if cells(line) > WIDTH and not CANNOT_WRAP.match(line)]
    assert wide == []


def test_names_of_forty_characters_are_those() -> None:
    assert {len(A), len(B), len(C)} == {40}
