"""A function of the margin becomes the expression that it computes, or is refused in one sentence."""

from pathlib import Path

import pytest

import consistency_lab as lab
from consistency_lab.cli.running import run

FILE = """
import math
from math import exp
import numpy as np
import torch
import torch.nn.functional as F

calls = []

def helper(x): return max(0, 1 - x)
def plain(x): return math.log1p(math.exp(-x))
def scaled(x): return math.log(1 + exp(-2 * x)) / 2
def helped(x): return helper(x) + 0
def array(x): return np.maximum(1 - x, 0)
def by_two(x): return np.logaddexp(0, -x)
def clipped(x): return np.clip(1 - x, 0, None) ** 2
def soft(x): return F.softplus(-x)
def signed(x): return -F.logsigmoid(x).mean()
def chained(x): return F.relu(1 - x).pow(2)
def tensors(x): return torch.tensor(1.0) - x + torch.maximum(torch.zeros(1), 1 - x)
def third(x): return np.exp(-x / 3) + 1 / 3 * x * x + 0.1 * abs(x)
def based(x): return 2 ** -x

def branches(x): return 1 - x if x < 1 else 0
def chosen(x): return np.where(x < 1, 1 - x, 0)
def unknown(x): return np.sinc(x)
def listwise(scores, labels): return scores @ labels
def two_faced(x): return np.exp(-x) if isinstance(x, float) else x * x
def thresholded(x): return F.softplus(-x, 1, 2)
def little(x): return 1e-7 * F.softplus(-x, threshold=1)
def in_place(x): return F.relu(x, inplace=True) + x
def whole(x): return torch.sum(x * x, dtype=torch.int64)
def lifted(x): return 1e20 + x * x
def changing(x):
    calls.append(x)
    return x * len(calls)
def endless(x):
    while True:
        calls.append(0)
def growing(x):
    for _ in range(60):
        x = x * x
    return x
def nothing(x): return None
def constant(x): return 1.0
def raising(x): raise KeyError("no")
def undefined(x): return np.sqrt(1 - x)
"""


@pytest.fixture
def losses(tmp_path):
    file = tmp_path / "my_file.py"
    file.write_text(FILE, encoding="utf-8")
    return str(file)


@pytest.mark.parametrize(
    ("function", "name"),
    [
        ("plain", "logistic"),
        ("by_two", "logistic"),
        ("soft", "logistic"),
        ("signed", "logistic"),
        ("array", "hinge"),
        ("helped", "hinge"),
        ("clipped", "squared-hinge"),
        ("chained", "squared-hinge"),
        ("scaled", "log(1+exp(-2*x))/2"),
        ("tensors", "1-x+max(0,1-x)"),
        ("third", "exp(-x/3)+1/3*x*x+1/10*abs(x)"),
        ("based", "exp(-x*log(2))"),
    ],
)
def test_a_function_becomes_its_expression(losses, function, name):
    assert lab.load_surrogate(f"{losses}:{function}") == lab.surrogate(
        **({"phi": name} if "x" in name else {"name": name})
    )


@pytest.mark.parametrize(
    ("function", "why"),
    [
        ("branches", "it compares x, or branches on it"),
        ("chosen", "it compares x, or branches on it"),
        ("unknown", "it calls sinc, which has no expression here"),
        ("listwise", "it takes 2 arguments, and a loss of the margin takes one, x"),
        ("two_faced", "it was traced to x*x, but at x = 0.15625 it returns 0.855345"),
        ("thresholded", "it calls softplus with threshold 2, after which that is a line"),
        ("little", "it calls softplus with threshold 1, after which that is a line"),
        ("in_place", "it calls relu with inplace, which is not traced"),
        ("whole", "it calls sum with dtype, which is not traced"),
        ("lifted", "its values vary by "),
        ("changing", "it was traced to x*1, but at x = "),
        ("endless", "it took 3,000,000 operations of Python and was stopped"),
        ("growing", "it does more than 200 operations with x"),
        ("nothing", "it returns a NoneType that is not computed from x alone"),
        ("constant", "it returns a float that is not computed from x alone"),
        ("raising", "it raised KeyError: 'no'"),
        ("undefined", "it is sqrt(1-x), which has no value at x = "),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value encountered")
def test_any_other_is_refused_and_told_what_to_write(losses, function, why):
    with pytest.raises(lab.InputError) as refused:
        lab.load_surrogate(f"{losses}:{function}")
    said = str(refused.value)
    assert said.startswith(f"{losses}:{function} cannot be traced: {why}")
    right = "write it as --phi EXPRESSION, or as a class derived from GraphSurrogate (docs/own-surrogate.md)"
    assert said.endswith(f"; {right}")
    assert "\n" not in said


@pytest.mark.parametrize("power", [-28, -7, 0, 28])
def test_a_function_is_compared_whatever_its_scale(tmp_path, power):
    file, same = tmp_path / "scaled.py", f"def same(x): return 1e{power} * np.logaddexp(0, -x)"
    other = f"def other(x): return 1e{power} * np.logaddexp(0, -x * (1 + 1e-3 * isinstance(x, float)))"
    file.write_text(f"import numpy as np\n{same}\n{other}\n")
    assert lab.check(lab.load_surrogate(f"{file}:same"), "bradley-terry").verdict == "CONSISTENT"
    with pytest.raises(lab.InputError, match="it was traced to"):
        lab.load_surrogate(f"{file}:other")


@pytest.mark.parametrize("phi", ["1000/(1+exp(x))", "1/(1+exp(x))/7*3", "2*(1/(1+exp(x))*1000)"])
def test_a_bounded_stand_in_is_known_by_any_factor(phi):
    assert lab.check(lab.surrogate(phi=phi), "any").verdict == "CONSISTENT"


def test_tracing_leaves_the_module_as_it_was(losses):
    import math
    import sys

    lab.load_surrogate(f"{losses}:plain")
    module = sys.modules["_own_my_file"]
    assert module.math is math
    assert module.exp is math.exp
    assert "max" not in vars(module)


def test_the_command_decides_it(losses, capsys):
    assert run(["check", f"{losses}:array", "--condition", "low-noise", "--no-save", "--budget", "2"]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "my_file.py:array can be wrong under low noise. It is the hinge loss" in said
    assert run(["check", f"{losses}x:array"]) == 2
    assert run(["check", f"{Path(losses).parent}/other.py:array"]) == 2
    assert "there is no file" in capsys.readouterr().err
