"""What `recommend` lists is proved, and its programs train on lists of any length and any grades."""

import sys
from math import log2
from os import environ
from random import Random
from subprocess import run

import numpy as np
import pytest
import torch
from scipy.optimize import check_grad

from consistency_lab.decide.remedies import choices
from consistency_lab.errors import InputError
from consistency_lab.model.surrogates.tasks.means import Regression
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.show.advice import program

BOOSTED = [
    ("lightgbm", "regression-gain-over-z"),
    ("xgboost", "zhang"),
    ("catboost", "regression-gain-over-z"),
]
PADDED = (torch.tensor([[3.0, 0, 1], [4, 2, 9]]), torch.tensor([[True, True, True], [True, True, False]]))
"""Grades of two lists; the last place of the second holds no item."""


def names_of(text):
    names = {"__name__": "program"}
    exec(compile(text.partition("\nif len(sys.argv)")[0], "program.py", "exec"), names)  # noqa: S102
    return names


def letor(file, queries, seed):
    """Ragged queries with five grades that two of the features tell of, lines of queries in turns."""
    random = Random(seed)
    lines = []
    for query in range(queries):
        for _ in range(random.randint(1, 14)):
            grade = random.choice((0, 0, 1, 2, 3, 4))
            seen = (grade + random.gauss(0, 0.7), random.random(), grade * random.random())
            lines.append((f"q{query}", grade, " ".join(f"{k}:{x:.3f}" for k, x in enumerate(seen, 1))))
    random.shuffle(lines)
    text = "".join(f"{grade} qid:{query} {x} # from {query}\n" for query, grade, x in lines)
    file.write_text(text, encoding="utf-8")
    return [(query, grade) for query, grade, _ in lines]


def ndcg(labels, scores):
    found = []
    for query in {query for query, _ in labels}:
        here = [(score, grade) for (of, grade), score in zip(labels, scores, strict=True) if of == query]
        gains = [2**grade - 1 for _, grade in sorted(here, reverse=True)][:10]
        best = sorted((2**grade - 1 for _, grade in here), reverse=True)[:10]
        if any(best):
            found.append(
                sum(g / log2(2 + j) for j, g in enumerate(gains))
                / sum(g / log2(2 + j) for j, g in enumerate(best))
            )
    return sum(found) / len(found)


def printed(folder, *files):
    command = [sys.executable, "train.py", *files]
    alone = {**environ, "OMP_NUM_THREADS": "1"}
    ran = run(command, cwd=folder, env=alone, capture_output=True, text=True, check=True)
    return [float(line) for line in ran.stdout.splitlines()]


@pytest.mark.long
@pytest.mark.parametrize(("library", "loss"), BOOSTED)
def test_a_program_learns_from_ragged_queries_in_a_file(tmp_path, library, loss):
    train = tmp_path / "train.py"
    train.write_text(program(target("ndcg@10"), library, loss), encoding="utf-8")
    letor(tmp_path / "train.letor", 40, seed=1)
    labels = letor(tmp_path / "test.letor", 30, seed=2)
    scores = printed(tmp_path, "train.letor", "test.letor")
    random = Random(0)
    by_chance = max(ndcg(labels, [random.random() for _ in labels]) for _ in range(5))
    assert ndcg(labels, scores) > by_chance + 0.05
    assert len(set(scores)) > 10


@pytest.mark.long
@pytest.mark.parametrize(("library", "loss"), BOOSTED)
def test_a_program_orders_lists_that_fool_the_defaults_as_ndcg_asks(tmp_path, library, loss):
    """40 % grade 0, 2, 1 and 60 % grade 2, 1, 1: rank:ndcg and lambdarank rest at a > b > c."""
    grades = [(0, 2, 1)] * 40 + [(2, 1, 1)] * 60
    lines = (
        f"{grade} qid:{query} {item}:1\n"
        for query, label in enumerate(grades)
        for item, grade in enumerate(label, 1)
    )
    (tmp_path / "train.letor").write_text("".join(lines), encoding="utf-8")
    (tmp_path / "train.py").write_text(program(target("ndcg"), library, loss), encoding="utf-8")
    a, b, c = printed(tmp_path, "train.letor")[:3]
    assert b > a > c


@pytest.mark.parametrize("of", ["ndcg", "ndcg@2", "pairwise", "eru", "precision"])
def test_the_targets_of_a_program_are_those_of_the_loss(of):
    task = target(of)
    for one in choices(task):
        if isinstance(one.surrogate, Regression):
            names = names_of(program(task, "catboost", one.surrogate.name))
            for label in task.space.labels:
                wanted = [
                    float(x.mid() if hasattr(x, "mid") else x) for x in one.surrogate.vector(task, label)
                ]
                assert names["targets"](label) == pytest.approx(wanted)


class Lists:
    """What an objective asks of the data, in both libraries."""

    def __init__(self, labels: np.ndarray, sizes: list[int]) -> None:
        self.get_label, self.get_group = lambda: labels, lambda: sizes
        self.get_uint_info = {"group_ptr": np.cumsum([0, *sizes])}.__getitem__


@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
def test_an_objective_has_the_gradient_of_zhang_s_loss(library):
    names = names_of(program(target("ndcg"), library, "zhang"))
    f = np.concatenate([names["targets"](grades) for grades in ((3, 0, 1), (4, 2))])

    def value(u):
        parts = ((u[a:b], f[a:b]) for a, b in ((0, 3), (3, 5)))
        return sum(
            float((g[:, None] * np.log1p(np.exp(v - v[:, None])) * (1 - np.eye(len(v)))).sum())
            for v, g in parts
        )

    def slope(u):
        return names["objective"](u, Lists(f, [3, 2]))[0]

    assert check_grad(value, slope, np.random.default_rng(0).normal(size=5)) < 1e-4


def gradient_of_module(loss, scores):
    names = {}
    exec(compile(program(target("ndcg"), "pytorch", loss), "loss.py", "exec"), names)  # noqa: S102
    module = next(one for one in names.values() if isinstance(one, type))()
    scores = scores.clone().requires_grad_()
    module(scores, *PADDED).backward()
    return scores.grad[PADDED[1]]


def test_a_module_has_the_gradient_of_the_objective_at_padded_lists():
    names = names_of(program(target("ndcg"), "xgboost", "zhang"))
    scores = torch.tensor([[0.3, -1, 2], [0.5, 0.1, 99]], dtype=torch.float64)
    f = np.concatenate([names["targets"](grades) for grades in ((3, 0, 1), (4, 2))])
    ours = names["objective"](scores[PADDED[1]].numpy(), Lists(f, [3, 2]))[0] / 2
    assert gradient_of_module("zhang", scores).numpy() == pytest.approx(ours, abs=1e-6)
    squares = gradient_of_module("regression-gain-over-z", scores)
    assert squares.numpy() == pytest.approx(scores[PADDED[1]].numpy() - f, abs=1e-6)


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
