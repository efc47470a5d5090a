"""What to use instead: a loss of preference graphs that is proved consistent, or else one of labels."""

import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from consistency_lab.decide.answers import Prescription
from consistency_lab.decide.tasks.prescribe import prescription
from consistency_lab.model.conditions import implied_by
from consistency_lab.model.surrogates import Surrogate, surrogate
from consistency_lab.model.surrogates.catalogue import FORMS, WITHOUT_PHI
from consistency_lab.model.tasks.catalogue import target
from consistency_lab.model.tasks.conditions import TASK_CONDITIONS
from consistency_lab.theorems.catalogue import consistency_theorem

_CANDIDATES: Final = (
    ("regression", f"{WITHOUT_PHI['regression'][0]}; sort by score"),
    (
        "difference-logistic",
        f"{FORMS['difference'].formula}, the preferences of all labels being added up first; sort by score",
    ),
)
"""What to try and how it reads, the cheapest first."""

_LABELS: Final = "dags"


def remedies(inconsistent: Surrogate, conditions: Sequence[str]) -> tuple[Prescription, ...]:
    """For each condition the cheapest remedy; one that serves several is named for the largest of them.

    Parameters
    ----------
    inconsistent
        The surrogate, which is not prescribed for itself.
    conditions
        Where it is inconsistent, smaller conditions first.

    Examples
    --------
    >>> found = remedies(surrogate("logistic"), ["additive", "net-order", "acyclic"])
    >>> [(advice.condition, advice.surrogate.name) for advice in found]
    [('net-order', 'regression'), ('acyclic', 'difference-logistic')]
    """
    found: dict[str, Prescription] = {}
    for condition in conditions:
        remedy = _of_graphs(inconsistent, condition) or _of_labels(inconsistent, condition)
        if remedy is not None:
            found[remedy.surrogate.name] = remedy
    return tuple(found.values())


def _of_graphs(inconsistent: Surrogate, condition: str) -> Prescription | None:
    for name, how in _CANDIDATES:
        candidate = surrogate(name)
        evidence = consistency_theorem(candidate, condition)
        if evidence is not None and evidence.scope.startswith("all") and candidate != inconsistent:
            reason = f"{evidence.citation}, hypotheses checked ({evidence.scope})"
            command = shlex.join(["consistency-lab", "check", name, "--condition", condition])
            return Prescription(candidate, None, how, condition, reason, command)
    return None


def _of_labels(inconsistent: Surrogate, condition: str) -> Prescription | None:
    """With a score for each pair, for labels that are preference graphs without weights."""
    task = target("pairwise", labels=_LABELS)
    # What is consistent under a larger condition, one that such labels have, is so under this one.
    wider = next(name for name in implied_by(condition) if not TASK_CONDITIONS[name].fits(task.space))
    advice = prescription(inconsistent, task, wider)
    return None if advice is None else replace(advice, how=f"{advice.how}; for graphs without weights")
