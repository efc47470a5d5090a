"""The programs of `show --script` train the libraries themselves, and end in an order that is wrong."""

import ast
import json
import re
import subprocess
import sys
from contextlib import redirect_stdout
from fractions import Fraction
from io import StringIO
from itertools import permutations
from pathlib import Path
from statistics import median

import pytest

from consistency_lab import Distribution, certify_at, surrogate
from consistency_lab.certify.proofs.file import sealed
from consistency_lab.certify.witness import Witness
from consistency_lab.decide.surrogate import decide
from consistency_lab.errors import InputError
from consistency_lab.show.script import LIBRARIES, script

GALLERY = Path(__file__).parents[2] / "counterexamples"
LOGISTIC = "logistic-additive-3items-ca20d338"
TRAINED = {
    "torch": [
        LOGISTIC,
        "square-net-order-4items-143fc1f1",
        "margin-squared-hinge-additive-3items-00e659ef",
        "margin-hinge-additive-4items-3ba4857f",
        "difference-exponential-any-3items-6eff2af9",
        "linear-acyclic-3items-e219c171",
        "regression-acyclic-3items-601a658a",
        "libraries/ndcg-012-softmax",
        "libraries/ndcg-012-listnet",
        "libraries/ndcg-012-unique-softmax",
        "libraries/ndcg-012-list-mle",
        "libraries/ndcg-012-ordinal",
        "libraries/ndcg-01-sigmoid",
        "libraries/ndcg-012-pair-square",
        "libraries/pairwise-012-pair-absolute",
        "libraries/pairwise-012-logistic-mean",
        "libraries/ndcg-012-soft-zero-one-mean",
        "libraries/pairwise-012-approx-ndcg-1",
        "libraries/ndcg-012-rax-poly1_softmax_loss",
        "libraries/pairwise-012-tf-ranking-pairwise_soft_zero_one_loss",
        "libraries/ndcg-012-tf-ranking-neural_sort_cross_entropy_loss",
        "libraries/pairwise-012-tf-ranking-neural_sort_ndcg_loss",
    ],
    "trl": [LOGISTIC, "smoothed-hinge-net-order-4items-8f1e4550"],
    "lightgbm": [
        LOGISTIC,
        "logistic-strong-stochastic-transitivity-4items-f2b655b4",
        "difference-logistic-any-3items-d5dd674f",
        "regression-acyclic-3items-601a658a",
        "libraries/ndcg-012-logistic",
        "libraries/ndcg-01-sigmoid",
        "libraries/ndcg-012-lightgbm-lambdarank",
        "libraries/pairwise-012-lightgbm-lambdarank",
        "libraries/ndcg-012-lightgbm-rank_xendcg",
    ],
    "xgboost": [
        LOGISTIC,
        "logistic-additive-3items-fcb0f473",
        "libraries/ndcg-012-regression-grade",
        "libraries/ndcg-01-sigmoid",
        "libraries/ndcg-012-xgboost-rank-ndcg",
        "libraries/pairwise-012-xgboost-rank-pairwise",
        "libraries/ndcg-01-xgboost-rank-map",
    ],
    "catboost": [
        LOGISTIC,
        "libraries/ndcg-012-logistic-square-difference",
        "libraries/ndcg-012-softmax",
        "libraries/pairwise-012-listnet",
        "libraries/ndcg-012-pair-square",
        "libraries/pairwise-012-regression-grade",
        "libraries/ndcg-01-sigmoid",
        "libraries/ndcg-012-catboost-LambdaMart",
    ],
}


def witness(name):
    return Witness.of(json.loads((GALLERY / f"{name}.json").read_text(encoding="utf-8")))


def ran(text):
    """What the program prints, by the word before the colon, and the scores."""
    out, names = StringIO(), {"__name__": "__main__"}
    with redirect_stdout(out):
        exec(compile(text, "script.py", "exec"), names)  # noqa: S102 - it is what a user runs
    said = {word: rest.strip() for word, _, rest in (s.partition(":") for s in out.getvalue().splitlines())}
    said["learned"], _, verdict = said["learned"].removesuffix(")").rpartition(" (")
    return said, verdict, list(names["scores"].values())


@pytest.mark.parametrize(("library", "name"), [(key, name) for key, some in TRAINED.items() for name in some])
def test_the_library_learns_a_wrong_order(library, name):
    shown = witness(name)
    said, verdict, _ = ran(script(shown, library, f"{name}.json"))
    assert verdict == "wrong"
    names = [str(item) for item in shown.proof.coordinates]
    assert " > ".join(names[k] for k in shown.better) in said["optimal"].split(" or ")
    assert not set(said["learned"].split(" or ")) & set(said["optimal"].split(" or "))


def test_a_tie_is_called_a_tie():
    said, verdict, _ = ran(script(witness("hinge-low-noise-3items-a791e62b"), "torch", "x.json"))
    assert said["learned"] == "1 > 2 > 3 or 2 > 1 > 3"
    assert verdict == "a tie, wrong if broken badly"


def test_a_tie_at_a_kink_is_reached():
    """The only minimizers of the hinge loss here are (0, -1, -1, 0) and its shifts."""
    counts = Distribution.from_aggregate([[0, 3, 5, 2], [3, 0, 3, 0], [0, 2, 0, 3], [2, 3, 6, 0]])
    for library in ("torch", "trl"):
        _, verdict, scores = ran(script(certify_at(surrogate("hinge"), counts), library, "x.json"))
        assert verdict == "a tie, wrong if broken badly"
        assert [x - scores[0] for x in scores] == pytest.approx([0, -1, -1, 0], abs=1e-3)


# --- All files about an order ---------------------------------------------------------------------------

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


def test_every_fifteenth_program_is_pasted_and_ends_in_the_wrong_order(programs, tmp_path):
    for (name, library), text in list(programs[0].items())[::15]:
        (tmp_path / "script.py").write_text(text, encoding="utf-8")
        ended = subprocess.run(
            [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        tie = witness(name).failure == "tie"
        verdict = "(a tie, wrong if broken badly)" if tie else "(wrong)"
        assert ended.stdout.rstrip().endswith(verdict), (name, library)


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


@pytest.mark.parametrize("name", [LOGISTIC, "libraries/ndcg-012-softmax", "libraries/ndcg-012-pair-square"])
def test_catboost_s_objectives_are_the_losses(name):
    free, trees = (ran(script(witness(name), library, "x.json"))[2] for library in ("torch", "catboost"))
    assert [x - trees[0] for x in trees] == pytest.approx([x - free[0] for x in free], abs=1e-3)


@pytest.mark.parametrize(("library", "near"), [("lightgbm", 1e-3), ("xgboost", 3e-3)])
def test_objectives_of_pairs_without_normalization_are_the_logistic_loss(library, near):
    free, trees = (ran(script(witness(LOGISTIC), one, "x.json"))[2] for one in ("torch", library))
    assert [x - trees[0] for x in trees] == pytest.approx([x - free[0] for x in free], abs=near)


def test_what_is_right_is_called_right():
    counts = Distribution.from_aggregate([[0, 3, 4], [0, 0, 2], [1, 0, 0]])
    found = certify_at(surrogate("logistic"), counts)
    assert not found.inconsistent
    assert ran(script(found, "torch", "right.json"))[1] == "right"


def test_names_are_literals_and_no_code():
    names = ('a"""; raise SystemExit', "b\\", "\N{GRINNING FACE}'")
    counts = Distribution.from_aggregate([[0, 3, 8], [0, 0, 1], [4, 0, 0]], names)
    text = script(certify_at(surrogate("logistic"), counts), "catboost", 'x"""\nraise SystemExit')
    assert ran(text)[1] == "wrong"
    assert text.isascii()


def test_a_stranger_s_name_of_the_loss_stays_in_the_docstring():
    document = json.loads((GALLERY / f"{LOGISTIC}.json").read_text(encoding="utf-8"))
    called = {"family": "mine", "name": 'mine"""; raise SystemExit; """'}
    named = {**document["named"], "surrogate": called}
    shown = Witness.of(sealed(document["proof"], named, document["provenance"]))
    for library in ("torch", "xgboost"):
        docstring = ast.parse(script(shown, library, "x.json")).body[0]
        assert "SystemExit" in docstring.value.value
        assert "SystemExit" not in script(shown, library, "x.json").split('"""')[2]


@pytest.mark.parametrize("loss", ["bco", "nca"])
def test_a_tabular_policy_learns_a_wrong_order(loss):
    (shown, *_) = decide(loss, "bradley-terry", design="forest", prescribe=False).witnesses
    said, verdict, _ = ran(script(shown, "trl", "x.json"))
    assert verdict == "wrong"
    assert said["learned"] != said["optimal"]


@pytest.mark.parametrize(
    ("name", "library", "words"),
    [
        (
            "hinge-additive-4items-7618c5b7",
            "lightgbm",
            "that is hinge here; --script torch does",
        ),
        ("libraries/ndcg-012-softmax", "xgboost", "--script catboost or torch does"),
        ("libraries/ndcg-012-softmax", "trl", "TRL trains on the rewards of a chosen and a rejected answer"),
        ("hinge-additive-3items-578dc29e", "trl", "one of several minimizers.*--script torch does"),
        ("libraries/ndcg-012-lightgbm-lambdarank", "torch", "gradient of any loss.*--script lightgbm does"),
        ("libraries/ndcg-012-lightgbm-lambdarank", "xgboost", "--script lightgbm does"),
        ("libraries/pairwise-01-xgboost-rank-map", "xgboost", "does not end at the equilibrium"),
        ("features/logistic-any-4items-6a9def79", "torch", "linear in features"),
    ],
)
def test_what_does_not_fit_is_refused_with_what_does(name, library, words):
    with pytest.raises(InputError, match=words):
        script(witness(name), library, "x.json")


def test_the_optimal_orders_are_those_of_least_cost():
    shown = witness("difference-logistic-any-3items-d5dd674f")
    said, _, _ = ran(script(shown, "torch", "x.json"))
    a = shown.distribution.aggregate
    costs = {
        order: sum((a[j][i] for n, i in enumerate(order) for j in order[n + 1 :]), Fraction(0))
        for order in permutations(range(3))
    }
    best = [o for o, cost in costs.items() if cost == min(costs.values())]
    assert said["optimal"].split(" or ") == [" > ".join(str(k + 1) for k in order) for order in best]
