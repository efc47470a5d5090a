"""Whether what a proof claims is so, in floats and by trying; of the core only the form of files is used."""

from collections.abc import Sequence
from itertools import pairwise, permutations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .numbers import evaluate

Floats = NDArray[np.float64]
NEAR = 1e-7


def is_true(entry: dict[str, Any]) -> bool:
    """Whether the claim holds, as far as floats and many tries tell."""
    if entry["claim"] == "infeasible":
        return all(map(_infeasible, entry["systems"]))
    names = entry["coordinates"]
    orders = _predictions(entry)
    loss = {
        t: sum(evaluate(label["probability"]) * _loss(entry, label, t) for label in entry["labels"])
        for t in orders
    }
    if entry["claim"] == "consistent-at-p":
        near = _near_minimizers(entry)
        return all(loss[_order(u, names)] <= min(loss.values()) + NEAR for u in near)
    prediction, better = (_key(entry, entry[key]) for key in ("prediction", "better"))
    if loss[prediction] <= loss[better] or abs(
        loss[prediction] - loss[better] - evaluate(entry["regret"])
    ) > 0.011 * abs(loss[prediction] - loss[better]):
        return False
    outcomes = _outcomes(entry, orders)
    if prediction not in outcomes:
        return False
    worse = [loss[t] > loss[better] + NEAR / 10 for t in outcomes]
    return all(worse) if entry["failure"] == "strict" else len(outcomes) > 1


def _predictions(entry: dict[str, Any]) -> list[Any]:
    if entry["decoder"] == "sort":
        return list(permutations(entry["coordinates"]))
    return list(entry["predictions"])


def _key(entry: dict[str, Any], value: Any) -> Any:
    return tuple(value) if entry["decoder"] == "sort" else value


def _loss(entry: dict[str, Any], label: dict[str, Any], t: Any) -> float:
    if "losses" in label:
        listed = [_key(entry, x) for x in entry["predictions"]]
        return evaluate(label["losses"][listed.index(t)])
    return sum(evaluate(w) for i, j, w in label["prefers"] if t.index(j) < t.index(i))


def _outcomes(entry: dict[str, Any], orders: Sequence[Any]) -> list[Any]:
    """What may be returned near the infimum."""
    names, kind = entry["coordinates"], entry["certificate"]["kind"]
    if kind == "mean" and entry["certificate"]["risk"] in ("positions", "soft-pairs"):
        return _far_out(entry, orders)
    if kind == "mean":
        scores = np.array(
            [
                sum(evaluate(label["probability"]) * evaluate(label["psi"][k]) for label in entry["labels"])
                for k in range(len(entry["labels"][0]["psi"]))
            ]
        )
        return _decoded(entry, orders, scores)
    if kind == "equilibrium":
        return _equilibrium(entry, orders)
    if kind == "separation":
        near = _near_minimizers(entry)
        return [t for t in orders if any(_order(u, names) == t for u in near)]
    scores = np.array([evaluate(s) for s in entry["scores"]])
    direction = np.array(entry.get("direction", [0] * len(names)), dtype=float)
    start = scores + 1e6 * direction
    # The infimum is not above the value at the start, and nothing that is tried lies below it.
    value = _risk(entry, start)
    rng = np.random.default_rng(0)
    steps = [*np.eye(len(names)), *-np.eye(len(names)), *rng.normal(size=(40, len(names)))]
    tries = [start + size * step for size in (1e-2, 0.1, 1.0) for step in steps]
    if min(_risk(entry, u) for u in tries) < value - NEAR:
        return []
    return _decoded(entry, orders, start)


def _decoded(entry: dict[str, Any], orders: Sequence[Any], scores: Floats) -> list[Any]:
    """What may be returned at scores."""
    if entry["decoder"] != "sort":
        return [t for t in orders if any(_inside(cell, scores) for cell in entry["decoder"].get(t, []))]
    return [t for t in orders if _sorts(t, scores, entry["coordinates"])]


def _far_out(entry: dict[str, Any], orders: Sequence[Any]) -> list[Any]:
    """The orders in which a smooth risk comes near the least that is seen of it anywhere."""
    names = entry["coordinates"]
    m, rng = len(names), np.random.default_rng(2)

    def risk(u: Floats) -> float:
        return sum(
            evaluate(label["probability"]) * _smooth(entry["certificate"]["risk"], label["psi"], u)
            for label in entry["labels"]
        )

    far = {t: risk(np.array([100.0 * (m - t.index(name)) for name in names])) for t in orders}
    least = min(far.values())
    assert min(risk(rng.normal(scale=3, size=m)) for _ in range(200)) >= least - NEAR
    return [t for t, value in far.items() if value <= least + NEAR]


def _smooth(risk: str, psi: Sequence[str], u: Floats) -> float:
    above = {(i, j): 1 / (1 + np.exp(u[i] - u[j])) for i, j in permutations(range(len(u)), 2)}
    if risk == "soft-pairs":
        return float(sum(evaluate(f) * x for f, x in zip(psi, above.values(), strict=True)))
    places = [1 + sum(above[i, j] for j in range(len(u)) if j != i) for i in range(len(u))]
    return -float(sum(evaluate(f) / np.log2(1 + r) for f, r in zip(psi, places, strict=True)))


def _inside(cell: Any, scores: Floats) -> bool:
    return all(
        sum(evaluate(n) * u for n, u in zip(row, scores, strict=True)) + evaluate(b) >= -1e-12
        for row, b in cell
    )


def _sorts(t: Sequence[str], scores: Floats, names: Sequence[str]) -> bool:
    sorted_scores = [scores[names.index(item)] for item in t]
    return all(a >= b - 1e-12 for a, b in pairwise(sorted_scores))


def _order(u: Floats, names: Sequence[str]) -> tuple[str, ...]:
    return tuple(names[k] for k in np.argsort(-u))


def _near_minimizers(entry: dict[str, Any]) -> list[Floats]:
    """Points of a fine grid with no larger W than the stated scores."""
    scores = np.array([evaluate(s) for s in entry["scores"]])
    value = _risk(entry, scores)
    rng = np.random.default_rng(1)
    tries = [
        scores,
        *(
            scores + size * step
            for size in (1e-3, 0.05, 0.3, 1.0)
            for step in rng.normal(size=(60, len(scores)))
        ),
    ]
    return [u for u in tries if _risk(entry, u) <= value]


def _risk(entry: dict[str, Any], u: Floats) -> float:
    at = dict(zip(entry["coordinates"], u, strict=True))
    return sum(
        evaluate(label["probability"]) * _atom(block, at)
        for label in entry["labels"]
        for block in label["psi"]
    )


def _form(v: dict[str, Any], at: dict[str, float]) -> float:
    return sum(evaluate(n) * at[k] for k, n in v.items())


def _atom(block: dict[str, Any], at: dict[str, float]) -> float:
    if "phi" in block:
        b = evaluate(block["offset"])
        return sum(evaluate(c) * evaluate(block["phi"], _form(v, at) - b) for c, v in block["terms"])
    if "log-sum-exp" in block:
        return evaluate(block["log-sum-exp"]) * float(np.logaddexp.reduce([at[k] for k in block["over"]]))
    if "max" in block:
        return evaluate(block["max"]) * max(_form(v, at) + evaluate(b) for v, b in block["pieces"])
    return _form(block["linear"], at)


def _equilibrium(entry: dict[str, Any], orders: Sequence[Any]) -> list[Any]:
    """A zero of the field in the box, by trying a grid of two items' difference; with the slope there."""
    (low, high), *more = ([evaluate(x) for x in side] for side in entry["certificate"]["box"])
    assert not more
    grid = np.linspace(low, high, 4001)
    values = [_field(entry, u) for u in grid]
    signs = np.sign(values)
    crossing = np.flatnonzero(signs[:-1] * signs[1:] <= 0)
    if not len(crossing) or low > high or low * high <= 0:
        return []
    rising = values[-1] > values[0]
    if entry["certificate"]["attracting"] and not rising:
        return []
    first, second = entry["coordinates"]
    return [t for t in orders if t == ((first, second) if low > 0 else (second, first))]


def _field(entry: dict[str, Any], u: float) -> float:
    total = 0.0
    for label in entry["labels"]:
        done: list[float] = []
        for step in label["psi"]["steps"]:
            if isinstance(step, str):
                done.append(evaluate(step))
                continue
            name, *parts = step
            scores = [u, 0.0]
            x = [scores[k] if name == "difference" else done[k] for k in parts]
            done.append(
                {
                    "difference": lambda x: x[0] - x[1],
                    "add": lambda x: x[0] + x[1],
                    "subtract": lambda x: x[0] - x[1],
                    "multiply": lambda x: x[0] * x[1],
                    "divide": lambda x: x[0] / x[1],
                    "exp": lambda x: float(np.exp(x[0])),
                    "log": lambda x: float(np.log(x[0])),
                }[name](x)
            )
        total += evaluate(label["probability"]) * done[label["psi"]["gradient"][0]]
    return total


def _infeasible(system: dict[str, Any]) -> bool:
    """No nonnegative point of a grid solves the system (of one or two unknowns)."""
    rows = [[evaluate(x) for x in row] for row in (*system["rows"], *system["equal_rows"])]
    right = [evaluate(x) for x in (*system["right"], *system["equal_right"])]
    equal = len(system["rows"])
    grid = np.linspace(0, 20, 81)
    for point in product(grid, repeat=len(rows[0])):
        values = [float(np.dot(row, point)) - b for row, b in zip(rows, right, strict=True)]
        if all(x <= 1e-9 for x in values[:equal]) and all(abs(x) <= 1e-9 for x in values[equal:]):
            return False
    return True
