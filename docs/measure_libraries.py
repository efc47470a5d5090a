"""Trains LightGBM, XGBoost and CatBoost themselves, and measures how often they end wrongly.

`python docs/measure_libraries.py` needs the extra `libraries`. It draws distributions of two labels, follows
the flow of each shipped objective from zero scores, trains the library where that ends wrongly, and writes
docs/libraries_trained.json, a table of docs/libraries.md.
"""

import json
from collections.abc import Mapping
from fractions import Fraction
from math import lcm
from pathlib import Path
from random import Random
from typing import Any, Final

import numpy as np

from consistency_lab.model.labels import Label
from consistency_lab.model.surrogates.tasks.fields import field
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.task import Task, certainly_above
from consistency_lab.search.flow import flow_from_zero

MEASURED: Final = Path(__file__).resolve().parent / "libraries_trained.json"
OBJECTIVES: Final[Mapping[str, tuple[int, ...]]] = {
    "xgboost:rank:pairwise": (0, 1, 2),
    "xgboost:rank:ndcg": (0, 1, 2),
    "xgboost:rank:map": (0, 1),
    "lightgbm:lambdarank": (0, 1, 2),
    "lightgbm:rank_xendcg": (0, 1, 2),
    "catboost:LambdaMart": (0, 1, 2),
}
"""The objectives that these libraries ship for rankings, with the grades to be drawn."""

DRAWS: Final = 300
SEED: Final = 20_130
LARGEST: Final = 5
"""A label has up to so many parts of the probability."""

COPIES: Final = 20
ROUNDS: Final = 1000
"""More than the 100 rounds of the defaults, so that training has converged."""

TIE: Final = 1e-3
"""Scores that are nearer are no order."""

Weights = Mapping[Label, Fraction]


# --- Training ---------------------------------------------------------------------------------


def trained(name: str, weights: Weights, rounds: int = ROUNDS) -> list[float]:
    """The scores of the items that the library learns, the last one 0.

    The data are lists of the items, as often with each label as it is probable, and the only features say
    which item it is, so that trees can learn every score by itself. The parameters of the objective and the
    learning rate are the library's defaults; what keeps trees from splitting so little data is turned off.
    """
    library, _, objective = name.partition(":")
    m, whole = len(next(iter(weights))), lcm(*(p.denominator for p in weights.values()))
    labels = [label for label, p in weights.items() for _ in range(int(p * whole) * COPIES)]
    items = np.tile(np.eye(m), (len(labels), 1))
    grades, lists = np.array(labels, dtype=float).ravel(), [m] * len(labels)
    learn = {"lightgbm": _lightgbm, "xgboost": _xgboost, "catboost": _catboost}[library]
    scores = learn(objective, m, items, grades, lists, rounds)
    return [float(x - scores[-1]) for x in scores]


def _lightgbm(objective: str, m: int, items: Any, grades: Any, lists: list[int], rounds: int) -> Any:
    import lightgbm

    one_leaf_each = {
        "num_leaves": max(m, 2),
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0,
        "min_data_in_bin": 1,
        "feature_pre_filter": False,
    }
    same_again = {"num_threads": 1, "deterministic": True, "force_row_wise": True, "seed": 0, "verbose": -1}
    parameters = {"objective": objective, **one_leaf_each, **same_again}
    data = lightgbm.Dataset(items, grades, group=lists, params=parameters)
    return lightgbm.train(parameters, data, rounds).predict(np.eye(m), raw_score=True)


def _xgboost(objective: str, m: int, items: Any, grades: Any, lists: list[int], rounds: int) -> Any:
    import xgboost

    data = xgboost.DMatrix(items, grades)
    data.set_group(lists)
    parameters = {"objective": objective, "min_child_weight": 0, "nthread": 1, "seed": 0, "verbosity": 0}
    model = xgboost.train(parameters, data, rounds)
    return model.predict(xgboost.DMatrix(np.eye(m)), output_margin=True)


def _catboost(objective: str, m: int, items: Any, grades: Any, lists: list[int], rounds: int) -> Any:
    import catboost

    same_again = {"bootstrap_type": "No", "random_strength": 0, "thread_count": 1, "random_seed": 0}
    quiet = {"allow_writing_files": False, "logging_level": "Silent"}
    data = catboost.Pool(items, grades, group_id=np.repeat(range(len(lists)), lists))
    parameters = {"loss_function": objective, "iterations": rounds, **same_again, **quiet}
    return catboost.CatBoost(parameters).fit(data).predict(np.eye(m))


# --- Measuring --------------------------------------------------------------------------------


def order(scores: Any) -> tuple[int, ...] | None:
    """The items from top to bottom; None where two scores are equal or nearly so."""
    found = np.argsort(-np.asarray(scores), kind="stable")
    return tuple(map(int, found)) if (-np.diff(np.asarray(scores)[found])).min() > TIE else None


def is_wrong(task: Task, weights: Weights, found: tuple[int, ...]) -> bool:
    """Whether another order certainly has less expected loss."""
    losses = {prediction: task.expected_loss(weights, prediction) for prediction in task.predictions}
    return any(certainly_above(losses[found], loss) for loss in losses.values())


def draws(task: Task) -> list[Weights]:
    """Random distributions of two labels with different grades."""
    random = Random(SEED)
    labels = [label for label in task.space.labels if len(set(label)) > 1]
    found = []
    for _ in range(DRAWS):
        a, b = random.sample(labels, 2)
        x, y = random.randint(1, LARGEST), random.randint(1, LARGEST)
        found.append({a: Fraction(x, x + y), b: Fraction(y, x + y)})
    return found


def measure(name: str, grades: tuple[int, ...]) -> dict[str, int]:
    """How often the flow ends in one order, in a wrong one, and the library in a wrong one too."""
    task = target("ndcg", items=3, labels=grades)
    counts = {"drawn": 0, "one_order": 0, "wrong": 0, "trained_wrong": 0}
    for weights in draws(task):
        counts["drawn"] += 1
        found = {order(scores) for scores in flow_from_zero(field(name), weights).scores}
        end = found.pop()
        if found or end is None:
            continue
        counts["one_order"] += 1
        if is_wrong(task, weights, end):
            counts["wrong"] += 1
            learned = order(trained(name, weights))
            counts["trained_wrong"] += learned is not None and is_wrong(task, weights, learned)
    return counts


def versions() -> dict[str, str]:
    import catboost
    import lightgbm
    import xgboost

    return {library.__name__: library.__version__ for library in (lightgbm, xgboost, catboost)}


def main() -> None:
    counts = {name: measure(name, grades) for name, grades in OBJECTIVES.items()}
    document = {"versions": versions(), "counts": counts}
    MEASURED.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(document, indent=1))


if __name__ == "__main__":
    main()
