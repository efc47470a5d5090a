"""One surrogate on a task: theorems first, then small witnesses, then exact infeasibility."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, final

from consistency_lab.certify.tasks import certify_labels, moved
from consistency_lab.certify.witness import Witness
from consistency_lab.decide.answers import Answer, Settled, Verdict
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate, MeanSurrogate, TaskSurrogate
from consistency_lab.model.tasks.conditions import TaskCondition
from consistency_lab.model.tasks.contained import contained, of_size
from consistency_lab.model.tasks.task import Task
from consistency_lab.proofs.task_proof import LabelWitness
from consistency_lab.search.effort import Effort
from consistency_lab.search.labels import label_witnesses
from consistency_lab.search.means import judged, small_mean_witness
from consistency_lab.theorems.affine import AffineProof, AffineWitness, settle_affine
from consistency_lab.theorems.base import Evidence
from consistency_lab.theorems.catalogue import consistency_theorem

_INSIDE: Final = "inside "
_PROOF_SHARE: Final = 4
"""A fourth of the time that is left may go into exact proofs of what theorems have settled."""

FIRST_SHARE: Final = 0.75
INSIDE_SHARE: Final = 0.5
"""How much of its time a search may spend on what comes first, and of what is left on each smaller task."""

_LARGE: Final = 100
"""With more labels than this a search can take all of its time, so smaller tasks come first."""


def is_large(task: Task) -> bool:
    """Whether the smaller tasks inside are searched first, and the task itself with the time that is left."""
    return len(task.space.labels) > _LARGE


@final
@dataclass(frozen=True)
class Case:
    """One surrogate on a task and larger ones, and how it is to be searched."""

    surrogate: TaskSurrogate  #: What is asked about.
    tasks: tuple[Task, ...]  #: The task, then larger ones that are only searched for witnesses.
    asked: tuple[TaskCondition, ...]  #: The conditions, smaller ones first.
    #: Of the searches, and for the witness files.
    effort: Effort
    seed: int
    command: str

    @property
    def task(self) -> Task:
        """The task itself."""
        return self.tasks[0]

    @cached_property
    def _settled(self) -> Settled:
        return Settled([condition.name for condition in self.asked])

    def settled(self) -> tuple[Answer, ...]:
        """One answer for each condition."""
        answers = self._settled.answers
        for condition in reversed(self.asked):
            if condition.name not in answers:
                self._prove(condition)
        for condition in self.asked:
            if condition.name not in answers:
                self.effort.ration(sum(other.name not in answers for other in self.asked))
                try:
                    self._search(condition)
                except KeyboardInterrupt:
                    self.effort.interrupted = True
                    self._search(condition)
        self.effort.ration(_PROOF_SHARE)
        for condition in reversed(self.asked):
            self._add_proof(condition)
        return tuple(answers[condition.name] for condition in self.asked)

    def _prove(self, condition: TaskCondition) -> None:
        """By a theorem, or for want of one by exact infeasibility; both cover the smaller conditions."""
        evidence = consistency_theorem(self.surrogate, condition.name, self.task)
        if evidence is not None:
            if self._speaks_for_all(condition, evidence):
                self._by_theorem(condition, evidence)
            return
        if not condition.larger and len(self.tasks) == 1:
            proof = self._affine(condition, self.task)
            if isinstance(proof, AffineProof):
                self._by_programs(condition, proof)

    def _speaks_for_all(self, condition: TaskCondition, evidence: Evidence) -> bool:
        """Whether there is nothing left to search: for all sizes, or for the larger tasks too."""
        return evidence.scope.startswith("all") or all(
            consistency_theorem(self.surrogate, condition.name, task) is not None for task in self.tasks[1:]
        )

    def _by_theorem(self, condition: TaskCondition, evidence: Evidence) -> None:
        own = Answer(
            condition.name,
            Verdict.CONSISTENT,
            evidence.scope,
            f"{evidence.citation}, hypotheses checked",
            evidence.citation,
            evidence=evidence,
        )
        self._cover_smaller(own, condition, f"{_INSIDE}{condition.name}: {evidence.citation}, as there")

    def _by_programs(self, condition: TaskCondition, proof: AffineProof, also: str = "") -> None:
        """By exact infeasibility, on this one task."""
        reason = f"exact infeasibility: Farkas multipliers for each of {_systems(proof)}{also}"
        own = Answer(condition.name, Verdict.CONSISTENT, f"{self.task.size} only", reason, proof=proof)
        self._cover_smaller(own, condition, f"{_INSIDE}{condition.name}, as there")

    def _cover_smaller(self, own: Answer, condition: TaskCondition, elsewhere: str) -> None:
        smaller = [c.name for c in self.asked if condition.name in c.larger]
        for name in self._settled.uncovered((condition.name, *smaller)):
            reason = own.reason if name == condition.name else elsewhere
            self._settled.answers[name] = replace(own, condition=name, reason=reason)

    def _add_proof(self, condition: TaskCondition) -> None:
        """Exact infeasibility beside a theorem, if there is time left."""
        answer = self._settled.answers[condition.name]
        told = answer.evidence is None or answer.proof is not None or answer.reason.startswith(_INSIDE)
        if told or self.effort.expired:
            return
        proof = self._affine(condition, self.task)
        if isinstance(proof, AffineProof):
            reason = f"{answer.reason}; and exact infeasibility for {self.task.size} ({_systems(proof)})"
            self._settled.answers[condition.name] = replace(answer, reason=reason, proof=proof)

    def _affine(self, condition: TaskCondition, task: Task) -> AffineProof | AffineWitness | None:
        if not isinstance(self.surrogate, MeanSurrogate):
            return None
        return settle_affine(self.surrogate, task, condition, self.effort)

    def _search(self, condition: TaskCondition) -> None:
        """By a witness, which covers the larger conditions; by exact infeasibility; else undecided."""
        proof: AffineProof | None = None
        looked: list[str] = []
        evidence = consistency_theorem(self.surrogate, condition.name, self.task)
        smaller = () if evidence is not None else tuple(contained(self.task))
        inside, first = None, bool(smaller) and is_large(self.task)
        if first:
            with self.effort.part(FIRST_SHARE):
                inside = self._inside(condition, smaller)
        with self.effort.part(FIRST_SHARE if smaller and not first else 1):
            for task in self.tasks if evidence is None else self.tasks[1:]:
                if self.effort.expired:
                    break
                try:
                    found = self._witness(condition, task)
                except UnsupportedError as error:
                    looked.append(f"not searched: {error}")
                    continue
                if isinstance(found, Witness):
                    self._by_witness(condition, found)
                    return
                looked.append(task.size)
                if task is self.task:
                    proof = found
            ending = self.effort.ending
        if evidence is not None:
            self._by_theorem(condition, evidence)
        elif proof is not None:
            also = f"; no witness found for {', '.join(looked[1:])}" if len(looked) > 1 else ""
            self._by_programs(condition, proof, also)
        elif (inside := inside if first else self._inside(condition, smaller)) is not None:
            self._by_witness(condition, inside)
        else:
            also = "; smaller tasks inside too" if smaller else ""
            did = f"{'; '.join(looked) or 'nothing searched'}{also}; {self.effort.summary()}"
            reason = f"no witness found ({self.effort.ending or ending}{did})"
            self._settled.answers[condition.name] = Answer(condition.name, Verdict.UNDECIDED, "", reason)

    def _inside(self, condition: TaskCondition, smaller: tuple[Task, ...]) -> Witness | None:
        """A witness on shorter lists, or one with fewer grades, written for all grades."""
        for task in smaller:
            if self.effort.expired:
                break
            try:
                self.surrogate.check(task)
                with self.effort.part(INSIDE_SHARE):
                    found = self._witness(condition, task)
            except (InputError, UnsupportedError):
                continue
            if isinstance(found, Witness):
                whole = moved(found, of_size(self.task, task.space.m))
                if whole is not None:
                    return whole
        return None

    def _witness(self, condition: TaskCondition, task: Task) -> Witness | AffineProof | None:
        self.effort.say(f"{self.surrogate.name}, {task.title}, {condition.name}, {task.size}")
        if isinstance(self.surrogate, MeanSurrogate):
            return self._mean_witness(self.surrogate, condition, task)
        if isinstance(self.surrogate, AtomSurrogate):
            if condition.cones is None:
                raise UnsupportedError(f"the condition {condition.name} is not a union of polyhedral cones")
            for found in label_witnesses(self.surrogate, task, condition, self.effort):
                witness = certify_labels(found, self._provenance())
                self.effort.count(certificates=1)
                if witness is not None:
                    return witness
        return None

    def _mean_witness(
        self, surrogate: MeanSurrogate, condition: TaskCondition, task: Task
    ) -> Witness | AffineProof | None:
        """A small distribution where the mean is decoded wrongly; else what the linear programs say."""
        found = small_mean_witness(surrogate, task, condition, self.effort, self.seed)
        if found is None:
            settled = self._affine(condition, task)
            if not isinstance(settled, AffineWitness):
                return settled
            found = judged(surrogate, task, condition, settled.weights)
        if found is None:
            return None
        self.effort.count(certificates=1)
        witness = LabelWitness(
            surrogate,
            task,
            condition.name,
            found.weights,
            None,
            found.prediction,
            found.better,
            strict=found.strict,
        )
        return certify_labels(witness, self._provenance())

    def _provenance(self) -> dict[str, str]:
        return {"command": self.command, "citation": self.surrogate.citation}

    def _by_witness(self, condition: TaskCondition, witness: Witness) -> None:
        """A witness covers the larger conditions."""
        self._settled.refuse_contradiction(self.surrogate.name, condition.name, condition.larger)
        size, count = witness.found.task.size, len(witness.found.weights)
        shorter = ", shorter lists than asked about" if witness.found.task.space.m < self.task.space.m else ""
        own = f"certified witness with {size}{shorter}, {count} labels ({witness.failure})"
        for name in self._settled.uncovered((condition.name, *condition.larger)):
            inside = f"the witness under {condition.name}, which lies inside"
            reason = own if name == condition.name else inside
            self._settled.answers[name] = Answer(name, Verdict.INCONSISTENT, size, reason, witness=witness)


def _systems(proof: AffineProof) -> str:
    how = ", one ranking for all by symmetry" if proof.by_symmetry else ""
    return f"{proof.systems} systems{how}"
