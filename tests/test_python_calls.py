"""The calls that a person tries first work, or say what to pass."""

import json
import pickle
from collections.abc import Iterator
from dataclasses import fields
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from inspect import Parameter, isfunction, signature, unwrap
from itertools import islice
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import sympy
from pandas import DataFrame, read_csv
from torch import tensor

import consistency_lab as lab
from consistency_lab.apps import learn
from consistency_lab.apps.learn import aggregate
from consistency_lab.apps.learn import torch as learn_torch
from consistency_lab.certify.proofs.record import VerifiedProof
from consistency_lab.decide.answers import Answer, Strongest
from consistency_lab.decide.tasks import decide_task
from consistency_lab.model.foreign import CALLS, within
from consistency_lab.model.labels import LabelProfile
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import Expression
from consistency_lab.solve.optimal import OptimalOrders

CLASSES = (Answer, Expression, LabelProfile, LogRational, OptimalOrders, Strongest, VerifiedProof)
OLD = SimpleNamespace(**{one.__name__: one for one in CLASSES}, check_task=decide_task)
"""What answers are made of, and names that the package gives with a warning."""
OLD.__all__ = [*vars(OLD)]

GALLERY = sorted((Path(__file__).parent.parent / "counterexamples").rglob("*.json"))
P = lab.Distribution.from_aggregate([[0, 3], [1, 0]])
MARGIN = sympy.Symbol("margin")


@pytest.mark.parametrize(
    ("loss", "named"),
    [
        (lambda x: max(0, 1 - x), "hinge"),
        (sympy.log(1 + sympy.exp(-MARGIN)), "logistic"),
        (r"\log(1+e^{-t})", "logistic"),
        ("trl:dpo", "logistic"),
        ('loss_type="ipo"', "square"),
    ],
)
def test_a_loss_is_what_a_person_has(loss, named):
    phi = lab.surrogate(named).functions[-1]
    found = lab.check(loss, condition="any", items=3, effort=1)
    assert found.surrogate.functions[-1] == phi
    assert found.verdict is lab.Verdict.INCONSISTENT


def test_an_objective_of_a_library_is_checked_for_a_target():
    """A failed assertion does not show its own code."""
    asked = lab.target("ndcg@10", labels=(0, 1))
    found = lab.check("objective=lambdarank", target=asked, condition="any", effort=1)
    assert found.verdict is lab.Verdict.INCONSISTENT
    assert "WRONG EQUILIBRIUM" in repr(found)
    assert found.witnesses
    with pytest.raises(AssertionError, match=f"{found.entry.name}: INCONSISTENT") as failed:
        lab.assert_consistent("objective=lambdarank", asked, "any", effort=1)
    assert any(one.frame.f_locals.get("__tracebackhide__") for one in failed.traceback)


def test_words_and_advice_are_texts_that_show_themselves():
    for text in (lab.explain("low noise"), lab.recommend(target="ndcg", library="xgboost")):
        assert repr(text) == str(text) and text._repr_html_().startswith("<pre>")
    assert "class Zhang(torch.nn.Module)" in lab.recommend("zhang", target="ndcg", library="pytorch")


def test_what_read_profile_returns_can_be_checked(tmp_path):
    file = tmp_path / "games.csv"
    file.write_text("winner,loser,count\nann,bob,3\nbob,ann,1\n", encoding="utf-8")
    profile = lab.read_profile(file)
    decision = lab.check_profile("logistic", profile)
    assert decision.verdict is lab.Verdict.CONSISTENT
    assert decision.distribution == profile.distribution
    assert decision.notes == profile.notes


def test_a_surrogate_is_minimized_at_a_distribution():
    for surrogate in ("logistic", lab.surrogate("logistic")):
        found = lab.minimize(surrogate, P)
        assert [str(x) for x in found.exact or ()] == ["log(3)", "0"]
    assert lab.minimize(lab.surrogate("logistic").risk_terms(P), P).exact == found.exact


def test_a_name_is_enough_to_find_and_to_certify():
    found = lab.find("hinge", "additive", 3)
    certified = lab.certify_at("hinge", found.distribution)
    assert certified.verified.claim == found.verified.claim == "inconsistent"


@pytest.mark.parametrize(
    "text", ["Chosen,Rejected,count\nA,B,3\nB,A,1\n", "model_a,model_b,winner\nA,B,model_a\nA,B,tie\nB,C,B\n"]
)
def test_a_data_frame_is_audited_as_its_file_is(tmp_path, text):
    file = tmp_path / "games.csv"
    file.write_text(text, encoding="utf-8")
    asked = {"losses": "borda", "resamples": 0, "simulations": 0}
    framed = lab.audit(read_csv(file), **asked)
    assert framed.profile.wins == lab.audit(file, **asked).profile.wins
    assert framed.profile.items == lab.audit(file, **asked).profile.items


def test_a_data_frame_without_games_is_told_what_to_pass():
    with pytest.raises(lab.InputError, match="pass winner, the column of who won; the data frame"):
        lab.audit(DataFrame({"x": [1]}))


@pytest.mark.parametrize(
    "call",
    [
        lambda: lab.check("logistic", "additive", items=3, effort=lab.Effort(1, report=lambda text: None)),
        lambda: lab.check("linear", "low-noise"),
        lambda: lab.check("softmax", "any", target="ndcg"),
        lambda: lab.check("pairs", "any", target="kendall").witnesses[0],
        lambda: lab.check_profile("hinge", CYCLE),
        lambda: lab.audit("vermont.toc", "logistic", resamples=40, simulations=4),
    ],
)
def test_an_answer_can_be_pickled(call):
    before = call()
    after = pickle.loads(pickle.dumps(before))
    assert repr(after) == repr(before)
    assert type(after) is type(before)
    for name in {"verdict", "witnesses", "document"} & {*dir(before)}:
        told, kept = getattr(after, name), getattr(before, name)
        assert told() == kept() if callable(kept) else told == kept


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: lab.check_profile("logistic", "games.csv"), "is 'games.csv'; pass a Distribution"),
        (lambda: lab.check_profile("logistic", [[0, 1], [0, 0]]), "from_aggregate reads a matrix"),
        (lambda: lab.minimize("logistic", 2), "W of a surrogate is minimized at a Distribution, not at 2"),
        (lambda: OLD.check_task(lab.surrogate("logistic"), "ndcg"), "got EdgeSurrogate; pass task_surrogate"),
        (lambda: OLD.check_task("softmax", 3), "task is 3; pass a Task or a text"),
        (lambda: lab.check(lab.task_surrogate("softmax")), "got Softmax; pass surrogate('logistic')"),
        (lambda: lab.check(P), "expected a surrogate, got Distribution; pass surrogate('logistic')"),
        (lambda: lab.check("lambdarank"), "lightgbm:lambdarank is a loss of labels; pass a target too"),
        (lambda: lab.check("hinge", "any", condition="additive"), "conditions and condition are the same"),
        (lambda: lab.check(MARGIN * sympy.Symbol("y")), "the symbols margin, y; phi is a function of one"),
        (lab.recommend, "recommend needs a target, such as target='ndcg', or library='trl'"),
        (lambda: lab.recommend("zhang", library="trl"), "leave out loss and target"),
        (lambda: lab.explain("nonsense"), "there is no explanation of 'nonsense'"),
        (lambda: lab.check("hinge", items=0), "the number of items is 0; it must be a whole number from 2"),
        (lambda: lab.check("hinge", items=[3, 9]), "the number of items is 9"),
        (lambda: lab.check("hinge", items=()), "the number of items is ()"),
        (lambda: lab.find("hinge", "nofile"), "there is no condition 'nofile'; the conditions are"),
        (lambda: lab.find("hinge", "additive", "3"), "items is '3'; pass a sequence, each a whole number"),
        (lambda: lab.check("logistic", FRAME), "conditions is a DataFrame; pass a sequence, each a text"),
        (lambda: lab.check("hinge", effort="5 s"), "effort is '5 s'; pass an Effort, a number or None"),
        (lambda: OLD.check_task("softmax", "ndcg", effort=-1), "effort is -1; pass a number of seconds"),
        (lambda: lab.verify({"format": "witness"}), "but this version knows 'consistency-lab/proof/2'"),
    ],
)
def test_a_wrong_call_is_told_what_to_pass(call, sentence):
    with pytest.raises(lab.InputError) as refused:
        call()
    assert sentence in str(refused.value)


@pytest.mark.parametrize("file", GALLERY[::12], ids=lambda file: file.stem)
def test_verify_takes_what_verify_file_takes(file):
    assert lab.verify(json.loads(file.read_text(encoding="utf-8"))) == lab.verify_file(file)


# Every public function, class and method is called with values that do not fit, one argument at a time.

MODULES = (OLD, lab, aggregate, learn, learn_torch)
VALUES = ("Verdict", "CONDITIONS", "STRUCTURES", "LOSSES")
ABSTRACT = (
    *("Structure", "Surrogate", "GraphSurrogate"),
    *("Surrogate.describe", "Surrogate.risk_terms", "GraphSurrogate.graph_terms"),
)
"""Python itself refuses to build them, or to call what they leave to a class of the user's own."""

HOSTILE = (
    *(None, True, "", "nonsense", "\x00", b"logistic", 0, -1, 7, 1.5, 10**400, -(10**400)),
    *(float("nan"), float("inf"), float("-inf"), 1 + 2j, object(), type, len),
    *([], {}, set(), (), [None], [[]], [[1]], [[1, 2], [3]], ["A", None], [float("nan")], {"a": None}),
    *([0.9, 1.2], [[0.9, 1.2]], [[0, float("nan")], [1, 0]], [[0, -1], [1, 0]]),
    *([(0, 0)], [(1, -1, -1)], [7], [-1, 0]),
    *(np.float64("nan"), np.int64(3), np.float64(2.5), np.bool_(True), np.str_("A"), np.array(2.0)),
    *(np.empty(0), np.empty((0, 0)), np.zeros((2, 3)), np.array([1, None]), np.array(["A", "B"])),
    *(Decimal("NaN"), Fraction(1, 3), np.datetime64("NaT"), range(3), P),
)
SHARE = 8
"""Each parameter meets one value in so many, others than the next one; in a long test it meets all."""

MANY = 3_000_000
"""An answer or a sentence is there after fewer calls of functions; a call that takes more does not end."""

TEN = OLD.LogRational(Fraction(10))
PHI = lab.parse("exp(-x)")
TERM = lab.pair(Fraction(1), PHI, 0, 1)
CYCLE = lab.Distribution.from_aggregate([[0, 1, 3], [0, 0, 1], [1, 0, 0]])
PROFILE = lab.Profile.from_matrix([[0, 2, 1], [1, 0, 2], [0, 1, 0]])
LABELS = OLD.LabelProfile(("A", "B"), {(0, 1): Fraction(1)}, {(0, 1): "line 1"}, "given", 1)
SAID = aggregate.Preferences([0, 1], [1, 2], ["a", "a", "a"])
RANKER = learn.StructureRanker(steps=3)
FRAME = DataFrame({"winner": ["A", "B"], "loser": ["B", "A"]})


class Mine(lab.GraphSurrogate):
    name = "mine"
    functions = (PHI,)

    def graph_terms(self, graph, m):
        return [lab.pair(weight, PHI, i, j) for i, j, weight in graph]


@cache
def rows():
    """What is called, and arguments that fit, of each public function, class and method."""
    searched = {"effort": 0.0, "prescribe": False}
    sgd = {"X": np.eye(3), "y": SAID, "groups": None}
    wins = {"wins": [[0, 2], [1, 0]], "total": 3.0}
    decision = lab.check("difference-logistic", "acyclic")
    witness = lab.certify_at("logistic", lab.Distribution.from_aggregate([[0, 3, 8], [0, 0, 1], [4, 0, 0]]))
    matrix = aggregate.AverageAdjacency()
    arguments = {
        "AmmarShah": {},
        "Answer": {"condition": "any", "verdict": lab.Verdict.UNDECIDED, "scope": "", "reason": ""},
        "AuditReport": {"audit": lab.audit(PROFILE, "borda", resamples=0, simulations=0).audit},
        "AverageAdjacency": {},
        "BTLLogOdds": {"c": 1.0},
        "Borda": {"of": matrix},
        "CascadeMLE": {},
        "Clicks": {"shown": [[0, 1], [1, 0]], "clicked": [0, None], "queries": ["a", "a"]},
        "Decision": _fields(decision),
        "Distribution": _fields(P),
        "Effort": {"seconds": 1.0},
        "Expression": {"op": "exp", "args": (PHI,), "value": None},
        "GameColumns": {"winner": "w", "loser": "l"},
        "JudgmentColumns": dict.fromkeys(("query", "item", "judge", "grade"), "x"),
        "LabelProfile": _fields(LABELS),
        "LogRational": {"a": Fraction(1), "q": Fraction(2)},
        "Loss": _fields(learn.LOSSES["hinge"]),
        "Minimum": _fields(lab.minimize("logistic", P)),
        "OptimalOrders": {"loss": Fraction(1), "m": 2, "table": lab.optimal_orders(P.aggregate).table},
        "Preferences": {"winners": [0, 1], "losers": [1, 0], "queries": [1, 1]}
        | {"weights": [1, 2], "labels": [0, 1]},
        "PreferenceGraph": {"edges": P.graphs[0].edges},
        "PrincipalEigenvector": {"c": 1.0},
        "Profile": _fields(PROFILE),
        "ProfileDecision": _fields(lab.check_profile("linear", P)),
        "RatingColumns": dict.fromkeys(("user", "item", "rating"), "x"),
        "Reading": {"columns": None},
        "Strongest": _fields(lab.strongest("sigmoid")),
        "StructureLoss": {"loss": "linear", "nu": 1.0},
        "StructureRanker": {},
        "Term": {"c": Fraction(1), "phi": PHI, "v": ((0, 1),), "b": TEN},
        "ThurstoneMosteller": {"of": matrix},
        "VerifiedProof": _fields(witness.verified),
        "Witness": _fields(witness),
        "assert_consistent": {"loss": "linear", "target": None, "condition": "low-noise", "items": 2}
        | {"effort": 0.0},
        "audit": {
            **{"profile": PROFILE, "losses": ["borda", "linear"], "resamples": 40, "simulations": 2},
            **{"seed": 0, "flips": False, "effort": None, "progress": len},
        },
        "certify_at": {"surrogate": "hinge", "distribution": P},
        "check": {"surrogate": "difference-logistic", "conditions": "acyclic", "items": 2, **searched},
        "check_features": {
            **{"surrogate": "logistic", "features": {"1": [1], "2": [0]}, "distribution": P},
            **{"axioms": "pareto", "command": "check"},
        },
        "check_profile": {"surrogate": "logistic", "distribution": P},
        "check_task": {"surrogate": "regression", "task": "ndcg", "conditions": "any", **searched},
        "conditions_of": {"d": [[0, 1], [-1, 0]]},
        "explain": {"word": "low noise"},
        "find": {"surrogate": "linear", "condition": "net-order", "items": 2, "effort": 0.0},
        "load_surrogate": {"reference": "json:loads"},
        "minimize": {"terms": [TERM], "m": 2},
        "optimal_orders": {"a": P.aggregate, "above": [(0, 1)]},
        "pair": {"c": Fraction(1), "phi": PHI, "i": 0, "j": 1, "b": TEN},
        "parse": {"text": "exp(-x)", "variable": "x"},
        "read_features": {"path": str(Path(__file__).parent / "fixtures" / "features.csv")},
        "read_labels": {"path": "vermont.toc", "kind": "dags"},
        "read_profile": {"path": "vermont.toc"},
        "recommend": {"loss": "zhang", "target": "ndcg", "library": "pytorch", "details": True},
        "strongest": {"surrogate": "sigmoid", "items": 2, "effort": 0.0},
        "structure": {"name": "btl-log-odds"},
        "surrogate": {"name": "linear", "r": "x**2", "nu": 2},
        "surrogate_names": {},
        "target": {"name": "ndcg", "k": 2},
        "task_surrogate": {"name": "pairs", "phi": "hinge", "weights": "unit"},
        "u_statistic_risk": {"scores": [0.0, 0.0, 1.0], "said": SAID, "loss": "linear", "k": 1, "nu": 1.0},
        "verify": {"document": witness.document},
        "verify_file": {"path": str(GALLERY[0])},
    }
    objects = {
        "Effort": lab.Effort(),
        "AuditReport": lab.audit(PROFILE, "borda", resamples=0, simulations=0),
        "Distribution": CYCLE,
        "Expression": PHI,
        "GraphSurrogate": Mine(),
        "LabelProfile": LABELS,
        "LogRational": TEN,
        "OptimalOrders": lab.optimal_orders(CYCLE.aggregate),
        "PreferenceGraph": CYCLE.graphs[0],
        "Preferences": SAID,
        "Profile": PROFILE,
        "Reading": lab.Reading(),
        "Strongest": lab.strongest("sigmoid"),
        "StructureLoss": learn_torch.StructureLoss("linear"),
        "StructureRanker": RANKER.fit(**sgd),
        "Surrogate": lab.surrogate("logistic"),
        "Witness": witness,
    }
    methods = {
        "AuditReport.to_frame": {"rows": "losses"},
        "AverageAdjacency.matrix": wins,
        "AmmarShah.matrix": wins,
        "AmmarShah.pair_weights": wins,
        "AmmarShah.scores": wins,
        "CascadeMLE.scores": {"clicks": [1, 0], "examined": [1, 2]},
        "Decision.proof_documents": {"command": "check"},
        "Distribution.from_aggregate": {"a": [[0, 2], [1, 0]], "items": ["A", "B"]},
        "Distribution.of": {"items": ["A", "B"], "graphs": [("1/2", {(0, 1): 1}), ("1/2", {(1, 0): 1})]},
        "Distribution.restricted": {"order": [1, 0]},
        "Distribution.single_edges": {"weights": {(0, 1, Fraction(1)): Fraction(1)}, "items": 2},
        "Effort.count": {"distributions": 1, "programs": 1, "certificates": 1, "steps": 1, "each": 1.0},
        "Effort.part": {"share": 0.5},
        "Effort.ration": {"parts": 2},
        "Effort.say": {"text": "working"},
        "Expression.text": {"variable": "a"},
        "GraphSurrogate.describe": {"distribution": P},
        "GraphSurrogate.risk_terms": {"distribution": P},
        "LabelProfile.within": {"space": lab.target("kendall", items=2).space},
        "LogRational.parse": {"value": "1/2", "what": "number"},
        "LogRational.times": {"factor": Fraction(1, 2)},
        "OptimalOrders.contains": {"order": [0, 1, 2]},
        "OptimalOrders.forced": {"i": 0, "j": 1},
        "OptimalOrders.in_optimal_set": {"scores": [TEN, TEN, TEN]},
        "OptimalOrders.orders": {"limit": 1},
        "Strongest.at": {"condition": "any"},
        "PreferenceGraph.of": {"edges": {(0, 1): 1}, "names": ("A", "B")},
        "PreferenceGraph.relabeled": {"position": {0: 1, 1: 0}},
        "Preferences.by_query": {"shares": True},
        "Preferences.from_grades": {"grades": [1, 2], "queries": [0, 0]},
        "Preferences.from_judgments": {"query": [0, 0], "item": [0, 1], "judge": [0, 0], "grade": [1, 2]},
        "Preferences.from_wins": {"wins": [[[0, 2], [1, 0]]]},
        "Profile.from_matrix": {"wins": [[0, 2], [1, 0]], "items": ["A", "B"], "title": "t"},
        "Profile.from_pairs": {"pairs": [("A", "B")], "title": "t"},
        "Profile.from_pandas": {"frame": FRAME, "winner": "winner", "loser": "loser"},
        "Profile.from_rankings": {"rankings": [["A", "B"]], "title": "t"},
        "Profile.most_compared": {"count": 2},
        "Profile.of": {"contents": PROFILE.contents, "title": "t"},
        "Reading.profiles": {"path": "vermont.toc"},
        "StructureLoss.forward": {"scores": tensor([1.0, 0.0]), "structure": tensor([[0.0, 3], [1, 0]])},
        "StructureRanker.fit": sgd,
        "StructureRanker.partial_fit": sgd,
        "StructureRanker.predict": {"X": np.eye(3)},
        "StructureRanker.score": sgd,
        "StructureRanker.get_params": {"deep": True},
        "StructureRanker.set_params": {"loss": "linear"},
        "Witness.fails_under": {"condition": "additive"},
        "Witness.of": {"document": witness.document},
        "Witness.script": {"library": "torch"},
    }
    found = {}
    for name, given in arguments.items():
        home = next(module for module in MODULES if hasattr(module, name))
        found[name] = getattr(home, name), given
    for name, given in methods.items():
        kind, _, method = name.partition(".")
        found[name] = getattr(objects.get(kind) or _made(found[kind]), method), given
    return found


def _fields(record):
    return {field.name: getattr(record, field.name) for field in fields(record) if field.init}


def _made(row):
    return row[0](**row[1])


def _public():
    """The name of everything public that takes arguments; a method that several classes share has one."""
    found, seen = set(), set()
    for module in MODULES:
        for name in getattr(module, "__all__", ["StructureLoss"]):
            value = getattr(module, name)
            if isinstance(value, type) and issubclass(value, Exception):
                continue
            found.add(name)
            for method in dir(value) if isinstance(value, type) else ():
                function = unwrap(getattr(value, method))
                function = getattr(function, "__func__", function)
                ours = isfunction(function) and function.__module__.startswith("consistency_lab")
                ours = ours and not function.__module__.endswith("_kernels")  # a formula is data of its class
                takes = ours and set(signature(function).parameters) - {"self", "cls"}
                if takes and not method.startswith("_") and function not in seen:
                    seen.add(function)
                    found.add(f"{name}.{method}")
    return found - {*VALUES, *ABSTRACT}


NAMES = sorted(_public())


def test_every_public_name_has_a_row():
    assert sorted(rows()) == NAMES


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
@pytest.mark.parametrize("name", NAMES)
def test_every_call_ends_in_an_answer_or_in_a_sentence(name):
    call, given = rows()[name]
    assert _ended(call, given) == ("sentence" if name == "load_surrogate" else "answer")
    assert not deep_errors(name, SHARE)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
@pytest.mark.parametrize("name", NAMES)
def test_every_wrong_value_of_every_parameter_ends_in_a_sentence(name):
    assert not deep_errors(name, 1)


def deep_errors(name, share):
    """Wrong values on which a call ends in neither; each parameter meets one value in `share`."""
    call, given = rows()[name]
    taken = [p.name for p in signature(call).parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
    wrong = []
    _ended(call, dict(given))  # what is compiled at a first call does not count
    for place, parameter in enumerate(dict.fromkeys((*taken, *given))):
        for value in HOSTILE[place % share :: share]:
            outcome = within(MANY, CALLS, partial(_ended, call, {**given, parameter: value}))
            if name.startswith("StructureRanker.") and parameter in ("X", "y"):
                # scikit-learn's conventions want this very error.
                outcome = "sentence" if str(outcome).startswith("TypeError: float() arg") else outcome
            if outcome not in ("answer", "sentence"):
                wrong.append(f"{name}({parameter}={value!r}): {outcome}")
    return wrong


def _ended(call, given):
    """How a call ends: in an answer, in a sentence, or in an error from deep inside."""
    try:
        found = call(**given)
        if isinstance(found, Iterator):
            list(islice(found, 1000))
    except lab.ConsistencyLabError as error:
        return "sentence" if str(error) else "an error that says nothing"
    except AssertionError as error:
        return "answer" if call is lab.assert_consistent else f"AssertionError: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "answer"


def test_numpy_on_tensors_is_told_what_to_write(tmp_path):
    file = tmp_path / "mine.py"
    text = "import numpy as np\nimport torch\n\n\ndef f(s, y):\n    return np.sum((s - y) ** 2, axis=0)\n"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(lab.InputError, match=r"gets tensors: write torch.sum\(x, dim=0\)"):
        lab.check(f"{file}:f", target="ndcg", condition="any")
