"""Witnesses about finite tasks: questions written out as proofs, which the core has the last word on."""

from collections.abc import Mapping
from dataclasses import replace

from consistency_lab.certify.document import provenance_entry
from consistency_lab.certify.witness import Witness
from consistency_lab.errors import InputError, RejectedError, UnsupportedError
from consistency_lab.model.tasks.task import Task
from consistency_lab.proofs.file import sealed
from consistency_lab.proofs.task_proof import LabelWitness, named_entry, proof_entry
from consistency_lab.proofs.verified import verify


def certify_labels(found: LabelWitness, provenance: Mapping[str, str] | None = None) -> Witness | None:
    """What was found as a file that the core accepts, whose names are recomputed; None if there is none.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from consistency_lab.model.surrogates.tasks.regression import Regression
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> p = {(2, 0): Fraction(2, 5), (0, 1): Fraction(3, 5)}
    >>> found = LabelWitness(Regression("grade"), target("ndcg", items=2), "any", p, None, (0, 1), (1, 0))
    >>> certify_labels(found).verified.recomputed
    ('NDCG', 'regression with f=grade', 'sort')
    """
    try:
        document = sealed(
            proof_entry(found),
            named_entry(found.question, found.condition),
            provenance_entry(provenance or {}),
        )
        return Witness(document, verify(document), found)
    except (InputError, RejectedError, UnsupportedError):  # numbers too long for a file, for instance
        return None


def moved(witness: Witness, task: Task) -> Witness | None:
    """The same witness written for another task, with more grades for instance, if the core accepts it."""
    if witness.found.task == task:
        return witness
    return certify_labels(replace(witness.found, task=task), witness.document["provenance"])
