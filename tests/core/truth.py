"""Whether what a proof claims is so, in floats and by trying; of the core only the form of files is used."""

import operator
from functools import reduce
from itertools import pairwise, permutations, product

import numpy as np

from .numbers import evaluate

NEAR = 1e-7


def is_true(entry):
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


def _predictions(entry):
    if entry["decoder"] == "sort":
        return list(permutations(entry["coordinates"]))
    return list(entry["predictions"])


def _key(entry, value):
    return tuple(value) if entry["decoder"] == "sort" else value


def _loss(entry, label, t):
    if "losses" in label:
        listed = [_key(entry, x) for x in entry["predictions"]]
        return evaluate(label["losses"][listed.index(t)])
    return sum(evaluate(w) for i, j, w in label["prefers"] if t.index(j) < t.index(i))


def _outcomes(entry, orders):
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
    rng, unit = np.random.default_rng(0), np.eye(len(names))
    steps = np.concatenate([unit, -unit, rng.normal(size=(40, len(names)))])
    tries = start + np.concatenate([1e-2 * steps, 0.1 * steps, steps])
    if _risk(entry, tries).min() < _risk(entry, start) - NEAR:
        return []
    return _decoded(entry, orders, start)


def _decoded(entry, orders, scores):
    """What may be returned at scores."""
    if entry["decoder"] != "sort":
        return [t for t in orders if any(_inside(cell, scores) for cell in entry["decoder"].get(t, []))]
    return [t for t in orders if _sorts(t, scores, entry["coordinates"])]


def _far_out(entry, orders):
    """The orders in which a smooth risk comes near the least that is seen of it anywhere."""
    names = entry["coordinates"]
    m, rng = len(names), np.random.default_rng(2)

    def risk(u):
        return sum(
            evaluate(label["probability"]) * _smooth(entry["certificate"]["risk"], label["psi"], u)
            for label in entry["labels"]
        )

    far = {t: risk(np.array([100.0 * (m - t.index(name)) for name in names])) for t in orders}
    least = min(far.values())
    assert min(risk(rng.normal(scale=3, size=m)) for _ in range(200)) >= least - NEAR
    return [t for t, value in far.items() if value <= least + NEAR]


def _smooth(risk, psi, u):
    above = {(i, j): 1 / (1 + np.exp(u[i] - u[j])) for i, j in permutations(range(len(u)), 2)}
    if risk == "soft-pairs":
        return float(sum(evaluate(f) * x for f, x in zip(psi, above.values(), strict=True)))
    places = [1 + sum(above[i, j] for j in range(len(u)) if j != i) for i in range(len(u))]
    return -float(sum(evaluate(f) / np.log2(1 + r) for f, r in zip(psi, places, strict=True)))


def _inside(cell, scores):
    return all(
        sum(evaluate(n) * u for n, u in zip(row, scores, strict=True)) + evaluate(b) >= -1e-12
        for row, b in cell
    )


def _sorts(t, scores, names):
    sorted_scores = [scores[names.index(item)] for item in t]
    return all(a >= b - 1e-12 for a, b in pairwise(sorted_scores))


def _order(u, names):
    return tuple(names[k] for k in np.argsort(-u))


def _near_minimizers(entry):
    """Points around the stated scores with no larger W, and these."""
    scores = np.array([evaluate(s) for s in entry["scores"]])
    rng = np.random.default_rng(1)
    steps = [size * rng.normal(size=(60, len(scores))) for size in (1e-3, 0.05, 0.3, 1.0)]
    tries = scores + np.concatenate([np.zeros((1, len(scores))), *steps])
    return tries[_risk(entry, tries) <= _risk(entry, scores)]


def _risk(entry, points):
    """W at points, or at one."""
    at = dict(zip(entry["coordinates"], points.T, strict=True))
    return sum(
        evaluate(label["probability"]) * _atom(block, at)
        for label in entry["labels"]
        for block in label["psi"]
    ) + np.zeros(points.shape[:-1])


def _form(v, at):
    return sum(evaluate(n) * at[k] for k, n in v.items())


def _atom(block, at):
    if "phi" in block:
        b = evaluate(block["offset"])
        return sum(evaluate(c) * evaluate(block["phi"], _form(v, at) - b) for c, v in block["terms"])
    if "log-sum-exp" in block:
        return evaluate(block["log-sum-exp"]) * np.logaddexp.reduce([at[k] for k in block["over"]])
    if "max" in block:
        pieces = (_form(v, at) + evaluate(b) for v, b in block["pieces"])
        return evaluate(block["max"]) * reduce(np.maximum, pieces)
    return _form(block["linear"], at)


def _equilibrium(entry, orders):
    """A zero of the field in the box, by trying a grid of two items' difference; with the slope there."""
    (low, high), *more = ([evaluate(x) for x in side] for side in entry["certificate"]["box"])
    assert not more
    values = _field(entry, np.linspace(low, high, 4001))
    signs = np.sign(values)
    crossing = np.flatnonzero(signs[:-1] * signs[1:] <= 0)
    if not len(crossing) or low > high or low * high <= 0:
        return []
    rising = values[-1] > values[0]
    if entry["certificate"]["attracting"] and not rising:
        return []
    first, second = entry["coordinates"]
    return [t for t in orders if t == ((first, second) if low > 0 else (second, first))]


_STEPS = {
    "difference": operator.sub,
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "exp": np.exp,
    "log": np.log,
}


def _field(entry, u):
    total = np.zeros_like(u)
    for label in entry["labels"]:
        done = []
        for step in label["psi"]["steps"]:
            if isinstance(step, str):
                done.append(evaluate(step))
                continue
            name, *parts = step
            of = [u, 0.0] if name == "difference" else done
            done.append(_STEPS[name](*(of[k] for k in parts)))
        total += evaluate(label["probability"]) * done[label["psi"]["gradient"][0]]
    return total


def _infeasible(system):
    """No nonnegative point of a grid solves the system (of one or two unknowns)."""
    rows = np.array([[evaluate(x) for x in row] for row in (*system["rows"], *system["equal_rows"])])
    right = np.array([evaluate(x) for x in (*system["right"], *system["equal_right"])])
    equal = len(system["rows"])
    points = np.array(list(product(np.linspace(0, 20, 81), repeat=rows.shape[1])))
    values = points @ rows.T - right
    solved = (values[:, :equal] <= 1e-9).all(axis=1) & (np.abs(values[:, equal:]) <= 1e-9).all(axis=1)
    return not solved.any()
