"""Witnesses about finite tasks, and what is proved at one distribution over labels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import factorial
from typing import Final

from consistency_lab.certify.separation import level_pairs, levels_of, separations
from consistency_lab.certify.witness import Witness, sealed_witness, terms_of
from consistency_lab.core import risk as core
from consistency_lab.core.document import CONSISTENT_AT_P, INCONSISTENT, STRICT
from consistency_lab.core.orders import Pair, closure, extensions
from consistency_lab.errors import InputError, RejectedError, UnsupportedError
from consistency_lab.model.surrogates import Term
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate
from consistency_lab.model.tasks.task import Prediction, Task, certainly_above
from consistency_lab.proofs.record import Entry
from consistency_lab.proofs.task_proof import (
    SORT,
    LabelWitness,
    Question,
    atoms,
    decimal_text,
    named_entry,
    proof_entry,
    regret,
)
from consistency_lab.solve.minimize import minimize

# --- Witnesses about finite tasks ------------------------------------------------------------------------
# Questions written out as proofs, which the core has the last word on.


def certify_labels(found: LabelWitness, provenance: Mapping[str, str] | None = None) -> Witness | None:
    """What was found as a file that the core accepts, whose names are recomputed; None if there is none.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from consistency_lab.model.surrogates.tasks.means import Regression
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> p = {(2, 0): Fraction(2, 5), (0, 1): Fraction(3, 5)}
    >>> found = LabelWitness(Regression("grade"), target("ndcg", items=2), "any", p, None, (0, 1), (1, 0))
    >>> certify_labels(found).verified.recomputed
    ('NDCG', 'regression with f=grade', 'sort')
    """
    try:
        names = named_entry(found.question, found.condition)
        return sealed_witness(proof_entry(found), names, provenance or {}, found)
    except (InputError, RejectedError, UnsupportedError):  # numbers too long for a file, for instance
        return None


def moved(witness: Witness, task: Task) -> Witness | None:
    """The same witness written for another task, with more grades for instance, if the core accepts it."""
    if witness.found.task == task:
        return witness
    return certify_labels(replace(witness.found, task=task), witness.document["provenance"])


# --- Is a surrogate right or wrong at one ----------------------------------------------------------------
# Is a surrogate right or wrong at one distribution over the labels of a task? By separation, exactly.

_MOST: Final = 5
"""Most items: the loss of every order is listed."""

_WORTH: Final = 1e-9


def certify_task_at(
    question: Question, provenance: Mapping[str, str] | None = None, decimals: int = 1
) -> Witness | None:
    """Prove that whatever comes near the infimum of the risk is decoded correctly, or wrongly, if it is.

    Parameters
    ----------
    question
        A surrogate whose atoms are terms c phi(<v, u> - b), sorted, at a distribution.
    provenance
        Texts for the document.
    decimals
        Scores are rounded to the fewest decimals that can be certified, but not to fewer than these.

    Raises
    ------
    UnsupportedError
        If the surrogate is no such sum, there are too many items, or floats overflow.

    Examples
    --------
    RankNet puts the item first that is more often the better one; here this is right for NDCG.

    >>> from fractions import Fraction
    >>> from consistency_lab.model.surrogates.tasks.catalogue import task_surrogate
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> p = {(2, 0): Fraction(1, 3), (0, 1): Fraction(2, 3)}
    >>> certify_task_at(Question(task_surrogate("ranknet"), target("ndcg", items=2), p)).verified.claim
    'consistent-at-p'
    """
    terms, m = _terms(question), question.task.space.m
    if question.surrogate.decoder != SORT or m > _MOST:
        raise UnsupportedError(f"separation is for sorted scores of at most {_MOST} items")
    try:
        floats = minimize(terms, m).scores.tolist()
    except OverflowError:
        raise UnsupportedError("a weight is too large for floats, so they propose nothing") from None
    for pairs in _choices(question, floats):
        outcome = _outcome(question, floats, pairs)
        if outcome is None:
            continue
        for found in separations(terms, question.coordinates, floats, pairs, decimals):
            try:
                return sealed_witness({**outcome, **found}, named_entry(question), provenance or {}, question)
            except (InputError, RejectedError):  # an InputError: numbers too long for a file
                continue
    return None


def _terms(question: Question) -> tuple[Term, ...]:
    """The terms of the risk, in the order in which a certificate speaks of them."""
    surrogate = question.surrogate
    if not isinstance(surrogate, AtomSurrogate):
        raise UnsupportedError(f"{surrogate.name} is no sum of convex terms")
    merged = core.merged(
        atom.times(p) for y, p in question.weights.items() for atom in atoms(surrogate, question.task, y)
    )
    found = terms_of(merged)
    if not found:
        raise UnsupportedError(f"{surrogate.name} is no sum of terms c phi(<v, u> - b) here")
    return found


def _choices(question: Question, floats: Sequence[float]) -> Iterator[list[Pair]]:
    """Single pairs of the scores, by falling distance; then each item of a level above each of the next."""
    m = len(floats)
    pairs = [(i, j) for i, j in product(range(m), repeat=2) if floats[i] > floats[j] + _WORTH]
    yield from ([pair] for pair in sorted(pairs, key=lambda pair: floats[pair[1]] - floats[pair[0]]))
    if len(levels := level_pairs(floats)) > 1:
        yield levels


def _outcome(question: Question, floats: Sequence[float], forced: Sequence[Pair]) -> Entry | None:
    """What follows if the pairs are ordered so: all such orders are optimal, or all worse."""
    task, weights = question.task, question.weights
    losses = {t: task.expected_loss(weights, t) for t in task.predictions}
    better = min(losses, key=lambda t: float(losses[t]))
    inside = list(extensions(closure(len(floats), forced), factorial(len(floats))))
    prediction = tuple(k for level in levels_of(floats) for k in level)
    entry: Entry = {"coordinates": list(question.coordinates), "decoder": SORT}
    listed: list[Prediction]
    if all(certainly_above(losses[t], losses[better]) for t in inside):
        listed = list(dict.fromkeys((*inside, better)))
        entry |= {
            "claim": INCONSISTENT,
            "prediction": question.prediction(prediction),
            "better": question.prediction(better),
            "failure": STRICT,
            "regret": decimal_text(regret(task, weights, prediction, better)),
        }
    elif all(float(losses[t]) <= float(losses[better]) + _WORTH for t in inside):
        listed, entry = list(task.predictions), {**entry, "claim": CONSISTENT_AT_P}
    else:
        return None
    predictions = [question.prediction(t) for t in listed]
    return {**entry, "predictions": predictions, "labels": question.labels(listed, prediction)}
