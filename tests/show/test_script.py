"""The programs of `show --script` train the libraries themselves, and end in an order that is wrong."""

import ast
import json
from contextlib import redirect_stdout
from fractions import Fraction
from io import StringIO
from itertools import permutations
from pathlib import Path

import pytest

from consistency_lab import Distribution, certify_at, surrogate
from consistency_lab.certify.proofs.file import sealed
from consistency_lab.certify.witness import Witness
from consistency_lab.decide.surrogate import decide
from consistency_lab.errors import InputError
from consistency_lab.show.script import script

GALLERY = Path(__file__).parents[2] / "counterexamples"
LOGISTIC = "logistic-additive-3items-ca20d338"
TRAINED = [
    ("torch", LOGISTIC),
    ("torch", "linear-acyclic-3items-e219c171"),
    ("torch", "libraries/ndcg-012-softmax"),
    ("trl", LOGISTIC),
    ("lightgbm", LOGISTIC),
    ("lightgbm", "libraries/ndcg-012-lightgbm-lambdarank"),
    ("xgboost", LOGISTIC),
    ("xgboost", "libraries/ndcg-012-xgboost-rank-ndcg"),
    ("catboost", LOGISTIC),
    ("catboost", "libraries/ndcg-012-catboost-LambdaMart"),
]
"""One of each kind; test_all_scripts.py trains many more."""


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


@pytest.mark.parametrize(("library", "name"), TRAINED)
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


@pytest.mark.long
def test_a_tie_at_a_kink_is_reached():
    """The only minimizers of the hinge loss here are (0, -1, -1, 0) and its shifts."""
    counts = Distribution.from_aggregate([[0, 3, 5, 2], [3, 0, 3, 0], [0, 2, 0, 3], [2, 3, 6, 0]])
    _, verdict, scores = ran(script(certify_at(surrogate("hinge"), counts), "torch", "x.json"))
    assert verdict == "a tie, wrong if broken badly"
    assert [x - scores[0] for x in scores] == pytest.approx([0, -1, -1, 0], abs=1e-3)


@pytest.mark.long
@pytest.mark.parametrize("name", [LOGISTIC, "libraries/ndcg-012-softmax"])
def test_catboost_s_objectives_are_the_losses(name):
    free, trees = (ran(script(witness(name), library, "x.json"))[2] for library in ("torch", "catboost"))
    assert [x - trees[0] for x in trees] == pytest.approx([x - free[0] for x in free], abs=1e-3)


@pytest.mark.long
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


@pytest.mark.long
@pytest.mark.parametrize("loss", ["bco"])
def test_a_tabular_policy_learns_a_wrong_order(loss):
    (shown, *_) = decide(loss, "bradley-terry", design="forest", prescribe=False).witnesses
    said, verdict, _ = ran(script(shown, "trl", "x.json"))
    assert verdict == "wrong"
    assert said["learned"] != said["optimal"]


@pytest.mark.parametrize(
    ("name", "library", "words"),
    [
        ("hinge-additive-4items-7618c5b7", "lightgbm", "that is hinge here; --script torch does"),
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
