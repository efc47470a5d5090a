"""Certify a surrogate of a task as wrong, or right, at one distribution over labels."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import factorial
from typing import Any, Final

from consistency_lab.certify.listwise import finder, least
from consistency_lab.certify.proofs.record import terms_of
from consistency_lab.certify.proofs.task_proof import SORT, LabelQuestion, LabelWitness, proof_entry
from consistency_lab.certify.separation import level_pairs, separation_proofs
from consistency_lab.certify.witness import TOO_LARGE, Witness, accepted
from consistency_lab.core.certificates import Separation, check_separation
from consistency_lab.core.document import STRICT
from consistency_lab.core.orders import Order, Pair, closure, extensions
from consistency_lab.core.reading import Names, array, log_rational
from consistency_lab.errors import InputError, RejectedError, UnsupportedError
from consistency_lab.model.tasks.task import Task
from consistency_lab.solve.minimize import minimize

MAX_ITEMS: Final = 5
"""Most items: the loss of every order is listed."""

_APART: Final = 1e-9


def certify_labels(witness: LabelWitness, provenance: Mapping[str, str] | None = None) -> Witness | None:
    """What a search has found as a file that the core accepts, or None."""
    question = witness.question
    try:
        proof, names = proof_entry(witness), question.named(witness.condition)
    except (InputError, RejectedError, UnsupportedError):
        return None
    return accepted(proof, names, provenance or {}, question)


def moved(witness: Witness, task: Task) -> Witness | None:
    """The same witness written for another task, with more grades for instance, if the core accepts it."""
    if witness.asked.task == task:
        return witness
    question, stated = replace(witness.asked, task=task), witness.document["proof"]
    both = (witness.prediction, witness.better)
    try:
        wrong = question.wrong(witness.proof.scores, *both, strict=witness.failure == STRICT)
        names = question.named(*witness.document["named"]["conditions"])
    except (InputError, RejectedError, UnsupportedError):
        return None
    proof = {**stated, **wrong, "claim": stated["claim"]}
    return accepted(proof, names, witness.document["provenance"], question)


def certify_task_at(
    question: LabelQuestion, provenance: Mapping[str, str] | None = None, decimals: int = 1
) -> Witness | None:
    """Prove that what comes near the infimum of the risk is decoded correctly, or wrongly, if it is.

    UnsupportedError if the risk is no sum of smooth atoms, or of terms, there are too many items, or floats
    overflow.
    """
    for proof in _separations(question, decimals):
        witness = accepted(proof, question.named(), provenance or {}, question)
        if witness is not None:
            return witness
    return None


def orders_near(question: LabelQuestion) -> set[Order]:
    """All orders that may be returned near the infimum, if the core accepts bounds that tell them; else none.

    A file says of them that they are optimal only if their losses are equal by rational numbers.
    """
    m, names = question.task.space.m, question.coordinates
    known = {name: k for k, name in enumerate(names)}
    for proof in _separations(question, 1):
        scores = array(proof["scores"], "scores", log_rational)
        try:
            for atom in question.risk:
                atom.check()
            stated = {key: x for key, x in proof["certificate"].items() if key != "kind"}
            bounds = Separation.read(stated, "certificate", Names(known))
            forced = check_separation(question.risk, bounds, scores, names)
        except (InputError, RejectedError):
            continue
        return set(extensions(closure(m, forced), factorial(m)))
    return set()


def _separations(question: LabelQuestion, decimals: int) -> Iterator[dict[str, Any]]:
    """Proofs by separation that floats propose."""
    m, find = question.task.space.m, None
    if question.surrogate.decoder != SORT or m > MAX_ITEMS:
        raise UnsupportedError(f"separation is for sorted scores of at most {MAX_ITEMS} items")
    try:
        if terms_of(question.risk):
            floats = minimize(question.terms, m).scores.tolist()
        else:
            floats, find = least(question.risk, m).tolist(), finder(question.risk, m)
    except OverflowError:
        raise UnsupportedError(TOO_LARGE) from None
    for pairs in _choices(floats):
        yield from separation_proofs(question, floats, pairs, decimals, find=find)


def _choices(floats: Sequence[float]) -> Iterator[list[Pair]]:
    """Single pairs of the scores, by falling distance; then each item of a level above each of the next."""
    places = range(len(floats))
    pairs = [(i, j) for i, j in product(places, repeat=2) if floats[i] > floats[j] + _APART]
    yield from ([pair] for pair in sorted(pairs, key=lambda pair: floats[pair[1]] - floats[pair[0]]))
    if len(levels := level_pairs(floats)) > 1:
        yield levels
