"""The programs of fields for the core say what the enclosures and the floats of the same fields say."""

import json
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from random import Random

import numpy as np
import pytest

from consistency_lab.core.equilibrium import DIFFERENCE, Program
from consistency_lab.model.surrogates.tasks.fields import FIELDS, differences, field
from consistency_lab.numbers.exact import enclose, working_precision
from consistency_lab.numbers.tape import Number, exp, log
from tests.gradients import floats, gradient

ENTRIES = [
    *FIELDS.values(),
    field("xgboost:rank:ndcg", lambdarank_pair_method="mean", lambdarank_num_pair_per_sample=3),
    field("xgboost:rank:ndcg", lambdarank_num_pair_per_sample=1, ndcg_exp_gain=False),
    field("xgboost:rank:pairwise", lambdarank_normalization=False, lambdarank_score_normalization=False),
    field("lightgbm:lambdarank", sigmoid="3/2", label_gain=("0", "1/3", "2", "7")),
    field("tf-ranking:neural_sort_ndcg_loss", temperature="2/7"),
]


def labels_for(entry, m):
    top = min(entry.highest, 3)
    return [(0,) * m, tuple(min(top, k) for k in range(m)), tuple(top * (k % 2) for k in range(m))]


def points(order, count, seed):
    """Rational scores in this order, the last item's 0."""
    random = Random(seed)
    found = []
    for _ in range(count):
        down = sorted(random.sample(range(-4000, 4000), len(order)), reverse=True)
        by_item = dict(zip(order, down, strict=True))
        found.append([Fraction(by_item[k] - by_item[len(order) - 1], 1000) for k in range(len(order))])
    return found


@pytest.mark.parametrize("m", [2, 3])
@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_a_program_agrees_with_enclosures_and_floats(entry, m):
    for number, order in enumerate(list(permutations(range(m)))[::3]):
        for label in labels_for(entry, m):
            piece = entry.piece(label, order)
            found = piece.program(m)
            for u in points(order, 2, number):
                with working_precision(192):
                    mine = found.run([enclose(x) for x in u[:-1]])
                near = floats(piece, np.array([float(x) for x in u]))
                for i, dual in enumerate(mine):
                    assert abs(float(dual.value.mid()) - near[i]) < 1e-9
                    assert all(slope.rad() < 1e-40 for slope in dual.slopes)


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_the_slopes_of_a_program_are_those_of_its_floats(entry):
    """In all scores but the last, which is 0, by differences."""
    u, order = np.array([0.5, -1 / 3, 7 / 5, 0.0]), (2, 0, 3, 1)
    for label in labels_for(entry, 4):
        piece = entry.piece(label, order)
        slopes = [(floats(piece, u + h) - floats(piece, u - h)) / 2e-5 for h in 1e-5 * np.eye(4)[:3]]
        for i, dual in enumerate(piece.program(4).run([enclose(Fraction(x)) for x in u[:3]])):
            assert float(dual.value) == pytest.approx(floats(piece, u)[i], abs=1e-9)
            assert [float(x) for x in dual.slopes] == pytest.approx([row[i] for row in slopes], abs=1e-7)


def test_sampled_pairs_count_as_often_as_they_are_drawn():
    """XGBoost: each item draws so many partners; the normalization divides by their number."""
    u, given = np.array([0.5, -1 / 3, 7 / 5, 0.0]), {"lambdarank_pair_method": "mean"}
    for name in ("xgboost:rank:pairwise", "xgboost:rank:ndcg"):
        found = [
            field(name, **given, lambdarank_num_pair_per_sample=n, lambdarank_normalization=divided)
            for n, divided in ((3, False), (3, True), (1, True))
        ]
        whole, divided, one = (gradient(entry, (0, 3, 1, 3), u) for entry in found)
        assert whole == pytest.approx(3 * divided)
        assert divided == pytest.approx(one)


# --- The equilibria of the gallery -----------------------------------------------------------------------

FOLDER = Path(__file__).parents[3] / "counterexamples" / "libraries"
DOCUMENTS = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))}
EQUILIBRIA = [name for name, x in DOCUMENTS.items() if x["proof"]["claim"] == "wrong-equilibrium"]


@pytest.mark.parametrize("name", EQUILIBRIA)
def test_newton_finds_the_equilibrium_of_the_named_field_in_its_box(name):
    """In floats, by the field that the file names."""
    proof, named = DOCUMENTS[name]["proof"], DOCUMENTS[name]["named"]
    given = named["surrogate"]
    about = ("family", "name", "library", "objective")
    entry = field(given["name"], **{key: value for key, value in given.items() if key not in about})
    shares = [float(Fraction(label["probability"])) for label in proof["labels"]]
    labels = list(map(tuple, named["labels"]))
    low, high = np.array([[float(Fraction(x)) for x in side] for side in proof["certificate"]["box"]]).T

    def pull(u):
        at = np.append(u, 0.0)
        return sum(p * gradient(entry, y, at) for p, y in zip(shares, labels, strict=True))[:-1]

    def jacobian(u):
        steps = 1e-3 * (high - low).min() * np.eye(len(u))
        return np.array([(pull(u + h) - pull(u - h)) / (2 * h.sum()) for h in steps]).T

    center = (low + high) / 2
    zero = center - np.linalg.solve(jacobian(center), pull(center))
    assert (low <= zero).all() and (zero <= high).all()
    assert np.abs(pull(zero)).max() < 1e-3 * np.abs(pull(high)).max() + 1e-12
    assert proof["prediction"] == [str(i + 1) for i in np.argsort(-np.append(zero, 0.0))]
    bends = np.linalg.eigvalsh(jacobian(zero) + jacobian(zero).T)
    assert (bends > 0).all() == proof["certificate"]["attracting"]


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_no_step_is_there_twice_or_for_nothing(entry):
    found, again = (entry.piece(labels_for(entry, 4)[1], (2, 0, 3, 1)).program(4) for _ in range(2))
    assert found == again
    assert len(set(found.steps)) == len(found.steps)
    used = set(found.gradient)
    for step in found.steps:
        if isinstance(step, tuple) and step[0] != DIFFERENCE:
            used.update(step[1:])
    assert used == set(range(len(found.steps)))


def test_ranknet_by_hand():
    """-1/(1 + exp(u_1 - u_2)) for item 1."""
    plain = ENTRIES[-3]
    numbers = Fraction(0), Fraction(1)
    steps = (*numbers, (DIFFERENCE, 0, 1), ("exp", 2), ("add", 3, 1), ("divide", 1, 4), ("subtract", 0, 5))
    assert plain.piece((1, 0), (0, 1)).program(2) == Program(steps, (6,))


def test_what_is_known_is_not_written_out():
    u, v, zero = differences(3)
    assert isinstance(u, Number)
    known = [u - u, u - differences(3)[0], zero * u, zero / u, exp(v - v), log((u - u) + 1), -zero]
    assert known == [0, 0, 0, 0, 1, 0, 0]
    assert all(x is u for x in (u + zero, zero + u, u - zero, u * 1, 1 * u, u / 1))
    assert [x.op for x in (u - v, -u, exp(u) - v) if isinstance(x, Number)] == [(0, 1), (2, 0), "subtract"]
