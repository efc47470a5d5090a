"""What `recommend` lists is proved, and its programs are right where the default of a library is not."""

from contextlib import redirect_stdout
from io import StringIO

import pytest
from scipy.optimize import check_grad

from consistency_lab.decide.remedies import choices
from consistency_lab.errors import InputError
from consistency_lab.model.surrogates.tasks.means import Regression
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.report.recommend import program, recommendations


def ran(text):
    out, names = StringIO(), {"__name__": "__main__"}
    with redirect_stdout(out):
        exec(compile(text, "recommended.py", "exec"), names)  # noqa: S102 - it is what a user runs
    return out.getvalue().splitlines(), names


@pytest.mark.parametrize(
    ("library", "loss", "of"),
    [
        *((library, "regression-gain-over-z", "ndcg") for library in ("lightgbm", "xgboost", "catboost")),
        *((library, "regression-net", "pairwise") for library in ("lightgbm", "xgboost", "catboost")),
        *((library, "zhang", "ndcg") for library in ("lightgbm", "xgboost")),
    ],
)
def test_the_default_fails_and_the_recommendation_does_not(library, loss, of):
    text = program(target(of), library, loss)
    default, recommended = ran(text)[0]
    assert default.endswith("wrong")
    assert recommended.startswith(loss)
    assert recommended.endswith("right")
    assert len(text.splitlines()) <= 45


@pytest.mark.parametrize("of", ["ndcg", "ndcg@2", "pairwise", "eru", "precision"])
def test_the_targets_of_a_program_are_those_of_the_loss(of):
    task = target(of)
    for one in choices(task):
        if isinstance(one.surrogate, Regression):
            text = program(task, "catboost", one.surrogate.name)
            start, end = text.index("\nlists = "), text.index("\nrows = ")
            names = {}
            exec("from math import *\n" + text[start:end], names)  # noqa: S102
            for label in task.space.labels:
                wanted = [
                    float(x.mid() if hasattr(x, "mid") else x) for x in one.surrogate.vector(task, label)
                ]
                assert names["targets"](label) == pytest.approx(wanted)


def test_zhang_s_objective_has_its_gradient():
    text = program(target("ndcg"), "xgboost", "zhang")
    _, names = ran(text[: text.index("\nrows = ")])
    np, m = names["np"], 3
    f = [names["targets"](grades) for grades in names["lists"]]

    def value(u):
        rows = u.reshape(-1, m)
        ahead = rows[:, :, None] - rows[:, None]
        return float((np.array(f).reshape(-1, m, 1) * np.log1p(np.exp(-ahead))).sum())

    u = np.random.default_rng(0).normal(size=m * len(f))
    assert check_grad(value, lambda x: names["zhang"](x, None)[0], u) < 1e-4


def test_choices_are_in_their_order_with_their_conditions():
    found = [(one.surrogate.name, one.condition) for one in choices(target("pairwise"))]
    assert found[:3] == [
        ("regression-net", "net-order"),
        ("pd-least-squares-algorithm-1", "any"),
        ("pd-least-squares", "any"),
    ]
    soft = next(one for one in choices(target("pairwise")) if one.surrogate.name == "soft-zero-one")
    assert soft.how.startswith("3 scores, decoder: sort") and "not convex" in soft.how


def test_what_has_no_program_is_refused_with_what_has():
    with pytest.raises(
        InputError, match="no program for CatBoost and NDCG; these have: regression-gain-over-z"
    ):
        program(target("ndcg"), "catboost", "zhang")
    with pytest.raises(InputError, match="no loss has one"):
        program(target("map"), "lightgbm", "map-full")
    with pytest.raises(InputError, match="3 items and the grades 0 and 1"):
        program(target("ndcg", labels=(0, 3)), "lightgbm", "zhang")
    assert sum(str(line).startswith("  Code") for line in recommendations(target("map"), "xgboost")) == 0
