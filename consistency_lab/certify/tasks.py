"""Witnesses about finite tasks: questions written out as proofs, which the core has the last word on."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, final

from consistency_lab.certify.document import provenance_entry
from consistency_lab.core.document import Proof
from consistency_lab.errors import InputError, RejectedError, UnsupportedError
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.tasks.task import Task
from consistency_lab.proofs.file import sealed
from consistency_lab.proofs.record import VerifiedProof
from consistency_lab.proofs.task_proof import LabelWitness, named_entry, proof_entry
from consistency_lab.proofs.verified import verify

_LONGEST: Final = 60


@final
@dataclass(frozen=True)
class TaskWitness:
    """A file about a task that the core has accepted.

    Parameters
    ----------
    document
        The file.
    verified
        What was proved, and which names were recomputed.
    found
        What was proved of.
    """

    document: Mapping[str, Any]
    verified: VerifiedProof
    found: LabelWitness

    @property
    def surrogate(self) -> TaskSurrogate:
        """The surrogate."""
        return self.found.surrogate

    @property
    def task(self) -> Task:
        """The task."""
        return self.found.task

    @property
    def condition(self) -> str:
        """The condition that the distribution fulfills."""
        return self.found.condition

    @property
    def proof(self) -> Proof:
        """The proof."""
        assert self.verified.proof is not None  # a claim about a distribution has one
        return self.verified.proof

    @property
    def digest(self) -> str:
        """The digest of the file, by which it is known."""
        return str(self.document["digest"])

    @property
    def failure(self) -> str:
        """Its kind: "strict" or "tie"."""
        return str(self.verified.failure)

    @property
    def certificate(self) -> str:
        """The kind of the certificate."""
        return str(self.document["proof"]["certificate"]["kind"])

    @property
    def attracting(self) -> bool | None:
        """Whether an equilibrium is proved to be attracting; None of what is none."""
        return self.found.attracting if self.found.box is not None else None

    @property
    def stated_regret(self) -> str:
        """The regret as the file states it."""
        return str(self.document["proof"]["regret"])

    @property
    def file_name(self) -> str:
        """The name under which it is saved."""
        return task_file_name(self.surrogate, self.task, self.condition, self.digest)


def task_file_name(surrogate: TaskSurrogate, task: Task, condition: str, digest: str) -> str:
    """``<surrogate>-<target>-<condition>-<m>items-<digest8>.json``."""
    labels = task.space.describe()
    number, unit = next((labels[key], key) for key in ("items", "classes", "rows") if key in labels)
    words = "-".join((surrogate.name, task.target, condition))
    slug = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")[:_LONGEST].rstrip("-")
    return f"{slug}-{number}{unit}-{digest.removeprefix('sha256:')[:8]}.json"


def certify_labels(found: LabelWitness, provenance: Mapping[str, str] | None = None) -> TaskWitness | None:
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
        return TaskWitness(document, verify(document), found)
    except (InputError, RejectedError, UnsupportedError):  # numbers too long for a file, for instance
        return None


def moved(witness: TaskWitness, task: Task) -> TaskWitness | None:
    """The same witness written for another task, with more grades for instance, if the core accepts it."""
    if witness.task == task:
        return witness
    return certify_labels(replace(witness.found, task=task), witness.document["provenance"])
