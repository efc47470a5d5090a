"""What a policy makes of the scores, from the reference that it starts at."""

import os
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from math import log
from typing import Final

from consistency_lab.data.rows import called
from consistency_lab.data.text import csv_rows, located, read_text
from consistency_lab.decide.answers import Policy, PolicyPair, ProfileDecision
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import Surrogate
from consistency_lab.numbers.exact import rational
from consistency_lab.solve.minimize import minimize

_REFERENCE: Final = ["answer", "logp"]


def read_reference(path: str | os.PathLike[str]) -> dict[str, Fraction]:
    """Read a CSV with the columns answer and logp, each answer once; numbers are exact."""
    name = called(path)
    values: dict[str, Fraction] = {}
    lines = csv_rows(name, read_text(path, "reference"))
    if [cell.lower() for cell in next(lines, (0, []))[1]] != _REFERENCE:
        raise InputError(f"{name}: the first line must be {','.join(_REFERENCE)}")
    for line, cells in lines:
        with located(f"{name}, line {line}"):
            if len(cells) != len(_REFERENCE):
                raise InputError(f"there are {len(cells)} cells; expected {','.join(_REFERENCE)}")
            if not cells[0] or cells[0] in values:
                raise InputError(f"the answer {cells[0][:40]!r} appears twice, or has no name")
            values[cells[0]] = rational(cells[1], "logp")
    return values


_ONCE: Final = ("logistic", "hinge", "cdpo", "exo", "discopop", "bco", "nca", "apo-zero", "apo-down")
_PER_BETA: Final = {**dict.fromkeys(_ONCE, 1), "square": 2, "sppo": 2}
"""The scores are beta times so much times log(pi/pi_ref); per token for the square loss."""


_MOST_NATS: Final = 10**6


def policy(decision: ProfileDecision, reference: Mapping[str, Fraction], beta: Fraction) -> Policy:
    """The order of pi, and which gaps of log pi_ref, known up to a constant, survive (docs/alignment.md)."""
    loss, p = decision.surrogate, decision.distribution
    name = loss.name
    if name not in _PER_BETA or not isinstance(loss, Surrogate) or not isinstance(p, Distribution):
        raise InputError(f"{name} has no reference policy; use dpo, ipo or a similar loss")
    if wrong := sorted({*p.items} ^ {*reference}):
        raise InputError(
            f"the answer {wrong[0][:40]!r} is in only one of the two files; both need every answer"
        )
    minimum = minimize(loss.risk_terms(p), p.m)
    if minimum.unique is not True or p.design.parts > 1:
        raise UnsupportedError("the minimizer is not proved unique, so the order of the policy is open")
    scores = minimum.scores.tolist()
    if not 1 / _MOST_NATS <= beta <= _MOST_NATS or any(abs(x) > _MOST_NATS for x in reference.values()):
        raise InputError(f"beta must be from 1/{_MOST_NATS} to {_MOST_NATS}, and logp at most so large")
    per = float(_PER_BETA[name] * beta)
    start = [float(reference[item]) for item in p.items]
    log_pi = [r / per + x for r, x in zip(scores, start, strict=True)]
    pairs = []
    for i, j in permutations(range(p.m), 2):
        won, lost = p.aggregate[i][j], p.aggregate[j][i]
        if won > lost:
            alone = None
            if name == "logistic" and lost:
                alone = log(won / lost) / per
            elif name == "square":
                alone = float((won - lost) / (won + lost)) / per
            trained = (scores[i] - scores[j]) / per
            pairs.append(PolicyPair(i, j, trained, start[j] - start[i], alone))

    def falling(values: Sequence[float]) -> tuple[int, ...]:
        return tuple(sorted(range(p.m), key=lambda k: -values[k]))

    return Policy(beta, falling(scores), falling(log_pi), tuple(pairs))
