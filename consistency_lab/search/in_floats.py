"""What floats find about a loss that cannot be certified: minimizers of its risk in a wrong order."""

from collections.abc import Mapping
from fractions import Fraction
from random import Random
from typing import Final

import numpy as np

from consistency_lab.model.conditions import Condition
from consistency_lab.model.labels import Label
from consistency_lab.model.surrogates.listwise import FloatSurrogate
from consistency_lab.model.tasks.task import Task
from consistency_lab.search.effort import SINGLY, Effort

_DRAWS: Final = 2000
_MINIMIZED: Final = 40
_EACH: Final = 10 * SINGLY
"""The cost of a minimization that calls a Python function, relative to one in a batch of thousands."""

_APART: Final = 0.05
_WORTH: Final = 1e-3
_NELDER_MEAD: Final = {"maxfev": 400, "xatol": 1e-4, "fatol": 1e-9}


def found_in_floats(
    surrogate: FloatSurrogate, task: Task, condition: Condition, effort: Effort, seed: int
) -> str:
    """One sentence on the minimizers of the risk in floats at small distributions of few labels."""
    random, looked = Random(seed), 0
    for _ in range(_DRAWS):
        if looked >= _MINIMIZED or effort.expired:
            break
        labels = random.sample(task.space.labels, random.choice((2, 2, 3)))
        parts = [random.randint(1, 4) for _ in labels]
        p = {label: Fraction(part, sum(parts)) for label, part in zip(labels, parts, strict=True)}
        if condition.holds_for(task.space, p, lambda label: ()):
            looked += 1
            effort.count(distributions=1, each=_EACH)
            if said := _wrong_order(surrogate, task, p):
                return said
    if not looked:
        return "no small distribution was tried in floats"
    return f"no wrong order was found in floats at {looked} small distributions, which is no proof"


def _wrong_order(surrogate: FloatSurrogate, task: Task, p: Mapping[Label, Fraction]) -> str:
    """A wrong order found by descent from nearly equal scores or from the best order; "" if none."""
    from scipy.optimize import minimize

    costs = {t: float(task.expected_loss(p, t)) for t in task.predictions}
    best, function = min(costs, key=lambda t: costs[t]), surrogate.function
    starts = 0.1 * np.arange(len(best)) % 0.3, -np.argsort(best).astype(float)

    def risk(scores: np.ndarray) -> float:
        return sum(float(weight) * function.once(list(scores), label) for label, weight in p.items())

    ends = function.run(
        lambda: [minimize(risk, start, method="Nelder-Mead", options=_NELDER_MEAD) for start in starts]
    )
    scores = np.asarray(min(ends, key=lambda end: end.fun).x)
    order = tuple(int(i) for i in np.argsort(-scores, kind="stable"))
    if np.diff(np.sort(scores)).min() < _APART or costs[order] < costs[best] + _WORTH:
        return ""
    at = ", ".join(f"{task.space.text(label)} with {weight}" for label, weight in p.items())
    return (
        f"in floats the minimizer orders {task.prediction_text(order)} at {at}, where "
        f"{task.prediction_text(best)} is better (not certified)"
    )
