"""All programs of `show --script`: each file has one or a reason, and they end in the order that is wrong."""

import re
import subprocess
import sys
from fractions import Fraction
from statistics import median

import pytest

from consistency_lab.errors import InputError
from consistency_lab.show.script import LIBRARIES, script
from tests.show.test_script import GALLERY, ran, witness

pytestmark = pytest.mark.long

# Why a file and a library do not go together.
REASONS = (
    "(LightGBM|XGBoost|CatBoost) has no objective that is .* here",
    "(LightGBM|XGBoost|CatBoost) does not ship (lightgbm|xgboost|catboost):.*",
    "TRL trains on the rewards of a chosen and a rejected answer, and this loss has another form",
    "the file is about one of several minimizers, and training may reach another one",
    "(lightgbm|xgboost|catboost):.* is not the gradient of any loss, so PyTorch has nothing to minimize",
)
# The files that no library goes with.
NONE = {
    "features/logistic-any-4items-6a9def79": "here scores are linear in features",
    "libraries/pairwise-01-xgboost-rank-map": "does not end at the equilibrium of this witness",
}
# Equilibria that training from zero does not reach and that are not proved to attract.
STANDING = [
    *(f"libraries/ndcg-012-{library}-pairwise_soft_zero_one_loss" for library in ("rax", "tf-ranking")),
    *(
        f"libraries/{goal}-012-{loss}"
        for goal in ("ndcg", "pairwise")
        for loss in ("allrank-approxNDCGLoss", "tf-ranking-approx_mrr_loss", "tf-ranking-approx_ndcg_loss")
    ),
]
NAMES = sorted(str(path.relative_to(GALLERY))[: -len(".json")] for path in GALLERY.rglob("*.json"))


@pytest.fixture(scope="module")
def programs():
    """The programs of all files, and why others are refused."""
    found, refused = {}, {}
    for name in NAMES:
        shown = witness(name)
        for library in LIBRARIES:
            try:
                found[name, library] = script(shown, library, f"{name}.json")
            except InputError as error:
                refused[name, library] = str(error)
    return found, refused


def test_each_file_has_a_program_or_a_reason(programs):
    found, refused = programs
    assert {name for name in NAMES if not any((name, one) in found for one in LIBRARIES)} == set(NONE)
    for (name, library), why in refused.items():
        others = [one for one in LIBRARIES if (name, one) in found]
        if name in NONE:
            assert any(NONE[name] in refused[name, one] for one in LIBRARIES)
            continue
        reason, _, where = why.partition("; ")
        assert any(re.fullmatch(known, reason) for known in REASONS), (name, library, why)
        assert where == f"--script {' or '.join(others)} does"


def test_programs_are_short(programs):
    lengths = [len(text.splitlines()) for text in programs[0].values()]
    assert len({name for name, _ in programs[0]}) == 112
    assert median(lengths) <= 21
    assert max(lengths) <= 26
    assert max(len(line) for text in programs[0].values() for line in text.splitlines()) <= 130


def ended(text, name):
    """Whether a program says of its order what the witness proves."""
    said, verdict, _ = ran(text)
    assert verdict == ("a tie, wrong if broken badly" if witness(name).failure == "tie" else "wrong")
    assert not set(said["learned"].split(" or ")) & set(said["optimal"].split(" or ")) or "tie" in verdict


@pytest.mark.parametrize("library", LIBRARIES)
def test_every_twelfth_program_ends_in_the_wrong_order(programs, library):
    mine = [(name, text) for (name, one), text in programs[0].items() if one == library]
    for name, text in mine[:: 1 if len(mine) < 10 else 12]:
        ended(text, name)


def test_a_program_is_pasted_into_a_file(programs, tmp_path):
    for (name, _), text in list(programs[0].items())[::120]:
        (tmp_path / "script.py").write_text(text, encoding="utf-8")
        command = [sys.executable, "script.py"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        tie = witness(name).failure == "tie"
        assert done.stdout.rstrip().endswith("(a tie, wrong if broken badly)" if tie else "(wrong)"), name


@pytest.mark.parametrize("name", STANDING)
def test_newton_finds_the_equilibrium_in_its_box(name):
    shown = witness(name)
    text = script(shown, "torch", "x.json")
    assert "Newton's method" in text
    _, verdict, scores = ran(text)
    assert verdict == "wrong"
    box = shown.proof.certificate.box
    free = [x - scores[-1] for x in scores]
    assert all(low <= Fraction(x) <= high for x, (low, high) in zip(free, box, strict=False))
