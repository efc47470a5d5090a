"""A function of scores and labels: a built-in loss, a sum of atoms, or a matter of floats."""

import json
from pathlib import Path

import pytest

import consistency_lab as lab
from consistency_lab.cli.running import run
from consistency_lab.data.labels import read_labels
from consistency_lab.decide.answers import Verdict
from consistency_lab.decide.profile import decide_profile
from consistency_lab.decide.surrogate import decide
from consistency_lab.model.surrogates.listwise import FloatSurrogate, ListwiseSurrogate, load_listwise
from consistency_lab.model.surrogates.tasks.catalogue import task_surrogate
from consistency_lab.model.surrogates.tasks.forms import form_of, ratio_of, summands
from consistency_lab.model.tasks.catalogue import target

FILE = """
from math import exp, log
import numpy as np

def listnet(s, y):
    p, q = np.exp(y) / np.exp(y).sum(), np.exp(s) / np.sum(np.exp(s))
    return -np.sum(p * np.log(q))
def plain_listnet(s, y):
    top = max(s)
    total = log(sum(exp(x - top) for x in s)) + top
    p = [exp(x) for x in y]
    return sum(a / sum(p) * (total - x) for a, x in zip(p, s))
def ranknet(s, y):
    return np.sum(np.where(y[:, None] > y, np.log1p(np.exp(-np.subtract.outer(s, s))), 0))
def hinges(s, y):
    return sum(2 * max(0, 1 - s[i] + s[j]) for i in range(len(s)) for j in range(len(s)) if y[i] > y[j])
def squares(s, y): return ((s - y) ** 2).mean()

def cubes(s, y):
    d, w = s[:, None] - s, y[:, None] ** 3 - y ** 3
    return (np.maximum(w, 0) * np.logaddexp(0, -d)).sum()
def top(s, y): return s.max() - s[y.argmax()]
def listmle(s, y):
    t = s[np.argsort(-y, kind="stable")]
    return sum(np.log(np.exp(t[k:]).sum()) - t[k] for k in range(len(t)))
def three_only(s, y):
    gains = 2 ** y - 1
    z = (np.sort(gains)[::-1] / np.log2(np.arange(len(y)) + 2)).sum() or 1
    return ((s - gains / z) ** 2).sum() if len(s) == 3 else (s * s).sum()
def softmax_of_three(s, y): return listnet(s, y) if len(s) == 3 else -s.sum()
def pulled(s, y): return s @ s - 2 * s @ np.sqrt(y)

def approx_ndcg(s, y):
    ranks = 0.5 + (1 / (1 + np.exp(s[:, None] - s))).sum(axis=0)
    return 1 - ((2 ** y - 1) / np.log2(1 + ranks)).sum()
def lambdarank(s, y):
    rank = np.empty(len(s))
    rank[np.argsort(-s)] = np.arange(len(s))
    w = abs(1 / np.log2(2 + rank[:, None]) - 1 / np.log2(2 + rank))
    return (w * np.maximum(y[:, None] - y, 0) * np.logaddexp(0, s - s[:, None])).sum()
def branching(s, y): return sum(y) * abs(s[0] - s[1]) if s[0] > s[1] else 0.0
def concave(s, y): return -s @ s / (1 + y.sum()) + np.exp(s).sum() + np.exp(-s).sum()

def squared(s, y, d):
    gains = 2 ** y - 1
    z = (np.sort(gains)[::-1] / np.log2(np.arange(len(y)) + 2)).sum() or 1
    return ((s - gains / z * np.where(y == 1, 1 + d, 1)) ** 2).sum()
def paired(s, y, d):
    w = np.where((y[:, None] == 1) & (y == 0), 1 + d, 1) * (y[:, None] > y)
    return (w * np.logaddexp(0, s - s[:, None])).sum()
def lifted(s, y): return 1e9 + squared(s, y, 0)
def steep(s, y): return squared(s, y, 0) + 1e-14 * np.exp(50 * s[0])
def narrow(s, y): return squared(s, y, 0) if isinstance(s, np.ndarray) else squared(s, y, 1e-3)
def nearly_twice(s, y):
    calls.append(0)
    return 1e-12 * (squared(s, y, 0) + len(calls))
calls = []

def two_faced(s, y): return s.sum() if isinstance(s, np.ndarray) else (s * s).sum()
def nothing(s, y): return None
def vector(s, y): return s
def raising(s, y): raise KeyError("no")
def infinite(s, y): return (s / 0).sum()
def undefined(s, y): return -(y / y.sum() * s).sum()
def random(s, y): return s.sum() + np.random.default_rng().random()
def endless(s, y):
    while True:
        pass
def margin(x): return x
def constant(s, y): return 1
number = 3
"""

TORCH = """
import torch
import torch.nn.functional as F

def listnet(s, y): return -(torch.softmax(y, 0) * torch.log_softmax(s, dim=0)).sum()
def cross_entropy(s, y): return F.cross_entropy(s, y.softmax(-1))
def ranknet(s, y):
    d = s.unsqueeze(1) - s.unsqueeze(0)
    return F.softplus(-d[y.unsqueeze(1) > y.unsqueeze(0)]).sum()
def listmle(s, y):
    t = s[torch.argsort(y, descending=True, stable=True)]
    return (torch.logcumsumexp(t.flip(0), 0).flip(0) - t).sum()
"""
NDCG = target("ndcg")
TWO = target("ndcg", items=2)


@pytest.fixture
def losses(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("my.py").write_text(FILE, encoding="utf-8")
    Path("tensors.py").write_text(TORCH, encoding="utf-8")


@pytest.mark.usefixtures("losses")
@pytest.mark.parametrize(
    ("function", "name"),
    [
        ("my.py:listnet", "listnet"),
        ("my.py:plain_listnet", "listnet"),
        ("tensors.py:listnet", "listnet"),
        ("tensors.py:cross_entropy", "listnet"),
        ("my.py:ranknet", "logistic"),
        ("tensors.py:ranknet", "logistic"),
        ("my.py:hinges", "hinge"),
        ("my.py:squares", "regression-grade"),
    ],
)
def test_one_that_equals_a_built_in_loss_is_that_loss(function, name):
    found, compared = load_listwise(function, [NDCG, TWO])
    assert found.name == name
    assert (compared.function, compared.surrogate, compared.items) == (function, name, (2, 3))
    assert type(found) is type(task_surrogate(name.removesuffix("-grade")))


@pytest.mark.usefixtures("losses")
def test_a_list_loss_written_by_hand_gets_the_verdict_of_the_built_in_one():
    own, known = (decide(x, target=TWO, effort=1, prescribe=False) for x in ("tensors.py:listnet", "listnet"))
    assert [(x.verdict, x.reason) for x in own.answers] == [(x.verdict, x.reason) for x in known.answers]


AT = "A,B,C,count\n2,1,0,3\n0,1,2,2\n1,2,0,2\n"


@pytest.mark.usefixtures("losses")
@pytest.mark.parametrize(
    ("function", "name", "verdict"),
    [
        ("my.py:listnet", "listnet", Verdict.CONSISTENT),
        ("tensors.py:ranknet", "ranknet", None),
        ("my.py:hinges", "hinge", None),
        ("my.py:undefined", None, Verdict.UNDECIDED),  # only undefined at labels that do not occur
    ],
)
def test_at_one_distribution_it_is_compared_at_the_labels_that_occur(function, name, verdict):
    Path("at.csv").write_text(AT, encoding="utf-8")
    labels = read_labels("at.csv", "grades")
    found = decide_profile(function, labels, target=NDCG)
    if name is None:
        assert found.compared is None
    if name is not None:
        built_in = decide_profile(name, labels, target=NDCG)
        assert (found.verdict, found.reason) == (built_in.verdict, built_in.reason)
        assert found.name == function
        assert f"compared with {found.surrogate.name} at the labels that occur" in found.notes[-1]
    assert verdict in (None, found.verdict)


@pytest.mark.usefixtures("losses")
def test_the_labels_of_a_file_are_decided_by_the_atoms_of_a_function(capsys):
    Path("at.csv").write_text("A,B,C,count\n2,0,1,1\n0,1,1,1\n", encoding="utf-8")
    asked = ["--target", "ndcg", "--at", "at.csv"]
    assert run(["check", "my.py:cubes", *asked, "--out", "found"]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("my.py:cubes misranks 1 of 1 query.")
    (saved,) = Path("found").glob("*.json")
    assert lab.verify(json.loads(saved.read_text())).claim == "inconsistent"
    assert run(["check", "my.py:lambdarank", *asked, "--no-save"]) == 3
    assert "not certified: it sorts or ranks the scores" in " ".join(capsys.readouterr().out.split())
    assert run(["check", "my.py:cubes,softmax,my.py:listnet", *asked, "--no-save", "--details"]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "my.py:cubes misranks 1 of 1 query" in said
    assert "my.py:listnet was compared with listnet at the labels that occur" in said


@pytest.mark.usefixtures("losses")
def test_a_function_is_decided_for_the_sizes_alone_at_which_it_was_compared(capsys):
    built_in = decide("regression-gain-over-z", "any", target=NDCG, effort=1)
    assert {one.scope for one in built_in.answers} == {"all m"}
    found = decide("my.py:three_only", "any", target=NDCG, effort=1)
    assert found.verdict is Verdict.CONSISTENT
    assert {one.scope for one in found.answers} == {"m = 3"}
    assert {one.evidence.scope for one in found.answers if one.evidence is not None} == {"m = 3"}
    assert "compared with regression-gain-over-z" in str(found)
    larger = lab.check("my.py:three_only", "any", target=NDCG, larger=[target("ndcg", items=4)], effort=1)
    assert larger.compared is None
    asked = ["check", "my.py:three_only", "--target", "ndcg", "--items", "3", "--condition", "any"]
    assert run([*asked, "--no-save", "--json"]) == 0
    said = capsys.readouterr().out
    assert "all m" not in said and "m = 3" in said
    assert json.loads(said)["compared"]["items"] == [3]


@pytest.mark.usefixtures("losses")
def test_a_witness_is_about_the_built_in_loss_and_of_a_size_that_was_compared():
    found = decide("my.py:softmax_of_three", "any", target=NDCG, effort=1, prescribe=False)
    assert found.name == "my.py:softmax_of_three"
    (witness,) = found.witnesses
    assert witness.asked.task.space.m == 3
    assert lab.verify(witness.document).called == "listnet"
    with pytest.raises(AssertionError, match=r"my\.py:softmax_of_three is INCONSISTENT for any"):
        lab.assert_consistent("my.py:softmax_of_three", NDCG, "any")


@pytest.mark.parametrize("name", ["logistic", "list-mle", "unique-softmax", "hinge", "zhang", "square"])
def test_the_atoms_of_a_built_in_loss_are_found_again(name):
    known, task = task_surrogate(name), target("err")
    for label in task.space.labels:
        form = form_of(known, task, label)
        again = ListwiseSurrogate("x", type("Traced", (), {"traced": lambda _, label, form=form: form})())
        assert ratio_of(form, form_of(again, task, label), None) == (1 if summands(form, 3) else 0)
    softmax, other = (form_of(task_surrogate(x), NDCG, (2, 1, 0)) for x in ("softmax", "listnet"))
    assert ratio_of(softmax, other, None) is None


@pytest.mark.long
@pytest.mark.usefixtures("losses")
@pytest.mark.parametrize("function", ["my.py:cubes", "my.py:top", "my.py:listmle", "tensors.py:listmle"])
def test_a_sum_of_atoms_is_refuted_by_a_file_that_needs_no_python(function):
    found = decide(function, "any", target=NDCG, effort=1, prescribe=False)
    assert type(found.surrogate) is ListwiseSurrogate
    assert found.verdict is Verdict.INCONSISTENT
    (witness,) = found.witnesses
    Path("my.py").unlink()
    verified = lab.verify(witness.document)
    assert verified.claim == "inconsistent"
    assert "own: " in str(witness.document["named"])


@pytest.mark.usefixtures("losses")
@pytest.mark.parametrize(
    ("function", "why"),
    [
        ("approx_ndcg", "is none that is certified"),
        ("lambdarank", "it sorts or ranks the scores (argsort)"),
        ("branching", "it compares scores, or branches on them"),
        ("concave", "its squares are not convex"),
        ("lifted", "rounding hides what it is; take the constant out"),
    ],
)
def test_what_is_not_certified_is_undecided_and_floats_say_what_they_saw(function, why):
    found = decide(f"my.py:{function}", "any", target=NDCG, effort=1, prescribe=False)
    assert type(found.surrogate) is FloatSurrogate
    assert found.verdict is Verdict.UNDECIDED
    (answer,) = found.answers
    assert answer.reason.startswith("not certified: ")
    assert why in answer.reason
    assert "in floats " in answer.reason


@pytest.mark.filterwarnings("ignore:invalid value")
def test_labels_without_a_relevant_item_can_be_left_out(tmp_path, monkeypatch):
    """A share of the sum of the grades is no number where all are 0; what is returned instead is said."""
    monkeypatch.chdir(tmp_path)
    share = "    return np.log(np.exp(s).sum()) - (y / y.sum()) @ s\n"
    left_out = "    if y.sum() == 0:\n        return 0 * s.sum()\n"
    text = f"import numpy as np\ndef bad(s, y):\n{share}\ndef good(s, y):\n{left_out}{share}"
    Path("own.py").write_text(text)
    with pytest.raises(lab.InputError, match=r"leave such labels out, return 0 \* scores.sum\(\) for them"):
        load_listwise("own.py:bad", [NDCG])
    _, compared = load_listwise("own.py:good", [NDCG])
    assert compared is not None and compared.surrogate == "softmax"


@pytest.mark.usefixtures("losses")
@pytest.mark.filterwarnings("ignore:divide by zero")
@pytest.mark.parametrize(
    ("function", "why"),
    [
        ("two_faced", "was traced to u_1**2+u_2**2+u_3**2 at the labels (0, 0, 0), but at the scores"),
        ("nothing", "returns a NoneType"),
        ("vector", "returns an array of the shape (3,)"),
        ("raising", "raised KeyError: 'no'"),
        ("infinite", "returns nan at the scores"),
        ("undefined", "returns nan at the scores"),
        ("random", "for the same scores and labels; a loss returns one number each time"),
        ("endless", "took 3,000,000 operations of Python and was stopped"),
        ("margin", "takes 1 argument; with a target it takes two, scores and labels"),
        ("number", "is no function"),
        ("constant", "does not depend on the scores"),
        ("narrow", "was traced to "),
        ("nearly_twice", "for the same scores and labels; a loss returns one number each time"),
        ("missing", "has no 'missing'"),
    ],
)
def test_a_hostile_function_is_refused_in_one_sentence(function, why):
    with pytest.raises(lab.InputError) as refused:
        load_listwise(f"my.py:{function}", [NDCG])
    said = str(refused.value)
    assert why in said
    assert "\n" not in said


@pytest.mark.long
@pytest.mark.usefixtures("losses")
def test_the_command_says_what_a_function_is(capsys):
    asked = ["--target", "ndcg", "--items", "3", "--condition", "any", "--no-save", "--budget", "2"]
    assert run(["check", "my.py:listnet", *asked]) == 1
    said = capsys.readouterr()
    assert " ".join(said.out.split()).startswith(
        "my.py:listnet can be wrong for NDCG. It was compared with listnet at all labels of 3 "
        "items: equal up to constants, one factor and rounding; of other numbers of items nothing is said."
    )
    assert run(["check", "my.py:lambdarank", *asked]) == 3
    assert "my.py:lambdarank is open for NDCG" in capsys.readouterr().out
    assert run(["check", "my.py:listnet", *asked, "--on", "gain"]) == 2
    assert "--on does not fit" in capsys.readouterr().err


def _scaled(loss, changed, power):
    """A function that is a loss of the file times a power of ten, with some gains changed in proportion."""
    own = f"def own(s, y): return 1e{power} * {loss}(s, y, {changed})"
    Path("scaled.py").write_text(f"{FILE}\n{own}\n", encoding="utf-8")
    return "scaled.py:own"


@pytest.mark.long
@pytest.mark.usefixtures("losses")
@pytest.mark.parametrize("power", [-300, -11, 0, 11, 290])
@pytest.mark.parametrize(("loss", "name"), [("squared", "regression-gain-over-z"), ("paired", "logistic")])
def test_a_loss_is_compared_whatever_its_scale(loss, name, power):
    found, compared = load_listwise(_scaled(loss, "0", power), [TWO])
    assert found.name == name
    assert compared is not None
    for changed in ("4e-3", "1e-12"):
        found, compared = load_listwise(_scaled(loss, changed, power), [TWO])
        assert type(found) is ListwiseSurrogate
        assert compared is None


@pytest.mark.long
@pytest.mark.usefixtures("losses")
@pytest.mark.parametrize("power", [-300, 290])
def test_no_verdict_depends_on_the_scale_of_a_loss(power):
    same = decide(_scaled("squared", "0", power), "any", target=TWO, effort=1, prescribe=False)
    other = decide(_scaled("squared", ".04", power), "any", target=NDCG, effort=2, prescribe=False)
    assert (same.verdict, other.verdict) == (Verdict.CONSISTENT, Verdict.INCONSISTENT)
    (witness,) = other.witnesses
    assert lab.verify(witness.document).claim == "inconsistent"
    Path("at.csv").write_text(AT, encoding="utf-8")
    labels = read_labels("at.csv", "grades")
    assert decide_profile("scaled.py:own", labels, target=NDCG).verdict is Verdict.CONSISTENT


@pytest.mark.parametrize("power", [-14, 14])
def test_no_verdict_on_labels_depends_on_the_scale_of_phi(power):
    factor = f"/1{'0' * -power}" if power < 0 else f"*1{'0' * power}"
    loss = task_surrogate("pairs", phi=f"log(1+exp(-x)){factor}")
    assert decide(loss, "any", target=NDCG, effort=1, prescribe=False).verdict is Verdict.INCONSISTENT


@pytest.mark.usefixtures("losses")
def test_a_small_coefficient_of_a_large_value_counts():
    found, compared = load_listwise("my.py:steep", [NDCG])
    assert type(found) is not type(task_surrogate("regression"))
    assert compared is None


CALLS = {
    "np.sum(np.maximum(s, 0, out=np.empty(3)))": "maximum with out",
    "s.astype(int).sum()": "astype in a way",
    "np.sum(s, dtype=int)": "sum with dtype",
    "F.relu(s, inplace=True).sum()": "relu with inplace",
    "torch.relu_(s).sum()": "calls relu_",
    "F.softplus(s, 1, 5).sum()": "softplus with threshold 5",
    "F.softplus(s, threshold=40).sum()": "softplus with threshold 40",
    "torch.div(s, 2, rounding_mode='floor').sum()": "uses a str",
    "torch.add(s, s, alpha=3).sum()": "add in a way",
    "F.cross_entropy(s, y.softmax(0), label_smoothing=.1)": "cross_entropy with label_smoothing",
    "F.cross_entropy(s, y.softmax(0), weight=y + 1)": "cross_entropy in a way",
    "F.cross_entropy(s, y.argmax())": "cross_entropy in a way",
    "s.to(torch.int).sum()": "to in a way",
    "s.sum(dtype=torch.int64)": "sum with dtype",
    "torch.exp(s, out=y).sum()": "exp with out",
    "(s[:, None] + s).gather(1, torch.tensor([[0, 1]])).sum()": "gather in a way",
}


def calling(call):
    torch = any(word in call for word in ("torch", "F.", "softmax", "expand"))
    head = "import torch\nimport torch.nn.functional as F\n" if torch else "import numpy as np\n"
    Path("call.py").write_text(f"{head}def own(s, y): return {call}\n", encoding="utf-8")
    return load_listwise("call.py:own", [NDCG])[0]


@pytest.mark.usefixtures("losses")
@pytest.mark.parametrize(("call", "why"), CALLS.items(), ids=list(CALLS))
def test_an_argument_that_changes_values_is_refused(call, why):
    try:
        said = getattr(calling(f"1e-30 * {call}"), "reason", "")
    except lab.InputError as error:
        said = str(error)
    assert why in said


KEPT = {
    "max(s[0], s[1], s[2])": "max(u_1,u_2,u_3)",
    "np.max(s[:, None] + s, 0)[0]": "max(2*u_1,u_1+u_2,u_1+u_3)",
    "s.max(axis=0)": "max(u_1,u_2,u_3)",
    "np.transpose(s[:, None] + 0 * s, (0, 1))[1, 0]": "u_2",
    "(s[:, None] + 0 * s).transpose(0, 1)[1, 0]": "u_2",
    "torch.transpose(s[:, None] + 0 * s, 0, 1)[1, 0]": "u_1",
    "torch.max(s[0], s[1])": "max(u_1,u_2)",
    "s.expand(2, 3)[1, 2]": "u_3",
    "F.softplus(s[0], 2, 20)": "1/2*log(1+exp(2*u_1))",
    "s.to(torch.float64)[0].float()": "u_1",
    "F.relu(s, inplace=False)[0]": "max(0,u_1)",
}


@pytest.mark.usefixtures("losses")
@pytest.mark.parametrize(("call", "form"), KEPT.items(), ids=list(KEPT))
def test_an_argument_that_can_be_traced_is_kept(call, form):
    found = calling(call)
    assert type(found) is ListwiseSurrogate
    assert found.formula.startswith(f"{form} at")
