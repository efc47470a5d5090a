"""Every command answers on one screen: at most 24 lines of 80 columns, without the paths of a machine."""

import shlex
from pathlib import Path
from shutil import copy

import pytest

from consistency_lab.cli.running import places
from consistency_lab.model.surrogates.tasks.libraries import library_names, pair_libraries
from consistency_lab.show.listing import LISTINGS
from consistency_lab.show.text import cells

ROOT = Path(__file__).parents[2]
FILES = {
    "three.csv": "A,B,3\nB,C,1\nA,C,8\nC,A,4\n",
    "reference.csv": "answer,logp\nA,-12\nB,-3\nC,-4\n",
    "long.csv": "".join(
        f"A candidate with a long name {i},A candidate with a long name {j},{i + j}\n"
        for i in range(12)
        for j in range(12)
        if i != j
    ),
}
ANSWERS = (
    "--help",
    *(f"{name} --help" for name in places()),
    "check logistic --no-save",
    "check dpo --no-save",
    "check logistic --profile vermont.toc --no-save",
    "check logistic --profile san-francisco.csv --no-save",
    "check dpo --at three.csv",
    "check linear --at three.csv --no-save",
    "check hinge --at burlington.toc --no-save",
    "check difference-logistic --at alaska.csv --no-save",
    "check margin-ramp --at vermont.toc --no-save",
    "check logistic --at long.csv --no-save",
    "check logistic --features x",
    "align dpo --profile three.csv --reference reference.csv --no-save",
    "construct --target zero-one --items 3",
    "explain",
    "explain low noise",
    "exercises",
    "explore",
    "list",
    *(f"list {name}" for name in (*LISTINGS, "libraries")),
    *(f"list --library {name}" for name in (*library_names(), *pair_libraries())),
    "list --map",
    "measure hinge --no-save",
    "measure logistic --no-save",
    "measure logistic --worst --budget 2",
    "measure logistic --rate --samples 2000 --budget 2 --no-save",
    "measure difference-logistic --no-save",
    f"atlas {shlex.quote(str(ROOT / 'docs' / 'atlas'))}",
    "calibration linear",
    "calibration logistic --budget 1 --csv h.csv",
    "reproduce theorem-11",
    "reproduce lemma-1 lemma-3",
    "reproduce bradley-terry",
    "show h.json",
    "verify h.json",
    "export h.json --out h.v",
)
"""What is typed in a folder with these files and a witness of the hinge, h.json."""


@pytest.mark.parametrize("asked", ANSWERS)
def test_an_answer_fits_one_screen(cli, asked: str) -> None:
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    copy(next(ROOT.glob("counterexamples/hinge*.json")), "h.json")
    ran = cli(*shlex.split(asked))
    assert ran.code in (0, 1, 2, 3), ran.err
    lines = (ran.out + ran.err).splitlines()
    assert 0 < len(lines) <= 24
    assert [line for line in lines if cells(line) > 80] == []
    assert str(Path.cwd()) not in ran.out + ran.err and str(ROOT) not in ran.out + ran.err


@pytest.mark.parametrize("name", places())
def test_the_help_of_a_command_is_little_more(cli, name: str) -> None:
    lines = cli(name, "--help").out.splitlines()
    assert len(lines) <= 34 and max(map(cells, lines)) <= 80
