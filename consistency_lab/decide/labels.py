"""Decide a surrogate for a target loss on labels: its cases, and the strategies that may settle one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, final

from consistency_lab.certify.labels import certify_labels, moved
from consistency_lab.certify.proofs.task_proof import LabelQuestion, LabelWitness
from consistency_lab.certify.witness import Witness
from consistency_lab.decide.answers import Answer, Verdict
from consistency_lab.decide.cases import AS_UNDER, Case, named
from consistency_lab.decide.strategies import Question, Strategy, settled
from consistency_lab.decide.theorems.affine import AffineLabels, AffineProof, settle_affine
from consistency_lab.decide.theorems.catalogue import consistency_theorem
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.model.conditions import TASK_CONDITIONS, Condition, task_condition
from consistency_lab.model.labels import Label
from consistency_lab.model.surrogates.listwise import OWN, FloatSurrogate, load_listwise
from consistency_lab.model.surrogates.own import Compared
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate, MeanSurrogate, TaskSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import task_surrogate, unknown
from consistency_lab.model.surrogates.tasks.decoders import decoder_for
from consistency_lab.model.surrogates.tasks.means import Regression
from consistency_lab.model.tasks.catalogue import DEFINITIONS
from consistency_lab.model.tasks.catalogue import target as named_target
from consistency_lab.model.tasks.task import Task, contained, of_size
from consistency_lab.search.in_floats import found_in_floats
from consistency_lab.search.labels import label_witnesses
from consistency_lab.search.means import judged, small_mean_witness

_PROOF_SHARE: Final = 4
"""One part in this many of the remaining time may go into exact proofs of answers that theorems gave."""

FIRST_SHARE: Final = 0.75
INSIDE_SHARE: Final = 0.5
"""Shares of a search: of its time for what comes first; of its remaining time for each smaller task."""

_LARGE: Final = 100
"""With more labels than this a search can take all of its time, so smaller tasks come first."""


def is_large(task: Task) -> bool:
    """Whether the smaller tasks inside are searched first, and the task itself with the time that is left."""
    return len(task.space.labels) > _LARGE


@final
@dataclass
class LabelCase(Case):
    """A surrogate for a target loss on labels."""

    surrogate: TaskSurrogate
    tasks: tuple[Task, ...]  #: The task, then larger ones that are only searched for witnesses.
    compared: Compared | None = None  #: Of which sizes alone the surrogate stands for a user's function.

    @property
    def task(self) -> Task:
        """The task itself."""
        return self.tasks[0]

    def settle(self) -> tuple[Answer, ...]:
        """One answer for each condition, with exact infeasibility beside theorems if there is time left."""
        super().settle()
        self.effort.ration(_PROOF_SHARE)
        for name in reversed(self.asked):
            answer = self.answers[name]
            told = answer.evidence is None or answer.proof is not None or answer.reason.startswith(AS_UNDER)
            proof = None if told or self.effort.expired else self._affine(TASK_CONDITIONS[name], self.task)
            if isinstance(proof, AffineProof):
                reason = f"{answer.reason}; and exact infeasibility for {self.task.size} ({_systems(proof)})"
                self.answers[name] = replace(answer, reason=reason, proof=proof)
        return tuple(self._narrowed(self.answers[name]) for name in self.asked)

    def _narrowed(self, answer: Answer) -> Answer:
        """An answer about a user's function speaks only of the sizes at which it was compared."""
        if self.compared is None or answer.verdict is not Verdict.CONSISTENT:
            return answer
        scope = f"m = {self.task.space.m}"
        return replace(
            answer, scope=scope, evidence=answer.evidence and replace(answer.evidence, scope=scope)
        )

    def prove(self, name: str) -> None:
        condition = TASK_CONDITIONS[name]
        evidence = consistency_theorem(self.surrogate, name, self.task)
        if evidence is not None:
            # Nothing is left to search if it speaks for all sizes, or of the larger tasks too.
            if evidence.scope.startswith("all") or all(
                consistency_theorem(self.surrogate, name, task) is not None for task in self.tasks[1:]
            ):
                self.by_theorem(name, evidence, self._smaller(name))
        elif not condition.larger and len(self.tasks) == 1:
            proof = self._affine(condition, self.task)
            if isinstance(proof, AffineProof):
                self._by_programs(name, proof)

    def _smaller(self, name: str) -> list[str]:
        return [other for other in self.asked if name in TASK_CONDITIONS[other].larger]

    def _by_programs(self, name: str, proof: AffineProof, also: str = "") -> None:
        """By exact infeasibility, on this one task."""
        reason = f"exact infeasibility: Farkas multipliers for each of {_systems(proof)}{also}"
        own = Answer(name, Verdict.CONSISTENT, f"{self.task.size} only", reason, proof=proof)
        self.cover(own, (name, *self._smaller(name)), f"{AS_UNDER}{name}, which is wider")

    def _affine(self, condition: Condition, task: Task) -> AffineProof | AffineLabels | None:
        if not isinstance(self.surrogate, MeanSurrogate):
            return None
        return settle_affine(self.surrogate, task, condition, self.effort)

    def search(self, name: str) -> None:
        try:
            self._search(TASK_CONDITIONS[name])
        except KeyboardInterrupt:
            self.effort.interrupted = True
            self._search(TASK_CONDITIONS[name])

    def _search(self, condition: Condition) -> None:
        if isinstance(self.surrogate, FloatSurrogate):
            said = found_in_floats(self.surrogate, self.task, condition, self.effort, self.seed)
            self.leave_open(condition.name, f"not certified: {self.surrogate.reason}; {said}")
            return
        proof: AffineProof | None = None
        looked: list[str] = []
        evidence = consistency_theorem(self.surrogate, condition.name, self.task)
        sizes = range(self.task.space.m + 1) if self.compared is None else self.compared.items
        smaller = tuple(one for one in contained(self.task) if evidence is None and one.space.m in sizes)
        inside, first = None, bool(smaller) and is_large(self.task)
        if first:
            with self.effort.part(FIRST_SHARE):
                inside = self._inside(condition, smaller)
        with self.effort.part(FIRST_SHARE if smaller and not first else 1):
            for task in self.tasks if evidence is None else self.tasks[1:]:
                if self.effort.expired:
                    break
                try:
                    witness = self._witness(condition, task)
                except UnsupportedError as error:
                    looked.append(f"not searched: {error}")
                    continue
                if isinstance(witness, Witness):
                    self._by_witness(condition, witness)
                    return
                looked.append(task.size)
                if task is self.task:
                    proof = witness
            ending = self.effort.ending
        if evidence is not None:
            self.by_theorem(condition.name, evidence, self._smaller(condition.name))
        elif proof is not None:
            also = f"; no witness found for {', '.join(looked[1:])}" if len(looked) > 1 else ""
            self._by_programs(condition.name, proof, also)
        elif (inside := inside if first else self._inside(condition, smaller)) is not None:
            self._by_witness(condition, inside)
        else:
            also = "; smaller tasks inside too" if smaller else ""
            did = f"{'; '.join(looked) or 'nothing searched'}{also}; {self.effort.summary()}"
            self.leave_open(condition.name, f"no witness found ({self.effort.ending or ending}{did})")

    def _inside(self, condition: Condition, smaller: tuple[Task, ...]) -> Witness | None:
        """A witness on shorter lists, or one with fewer grades, written for all grades."""
        for task in smaller:
            if self.effort.expired:
                break
            try:
                self.surrogate.check(task)
                with self.effort.part(INSIDE_SHARE):
                    witness = self._witness(condition, task)
            except (InputError, UnsupportedError):
                continue
            if isinstance(witness, Witness):
                whole = moved(witness, of_size(self.task, task.space.m))
                if whole is not None:
                    return whole
        return None

    def _witness(self, condition: Condition, task: Task) -> Witness | AffineProof | None:
        self.effort.say(f"{self.surrogate.name}, {task.title}, {condition.name}, {task.size}")
        return settled(STRATEGIES, self.question(condition.name, task))

    def provenance(self) -> dict[str, str]:
        return {"command": self.command, "citation": self.surrogate.citation}

    def _by_witness(self, condition: Condition, witness: Witness) -> None:
        """A witness covers the larger conditions."""
        self.refuse_contradiction(condition.name, condition.larger)
        size, count = witness.asked.task.size, len(witness.asked.weights)
        shorter = (
            ", with shorter lists than asked for" if witness.asked.task.space.m < self.task.space.m else ""
        )
        reason = f"certified witness with {size}{shorter}, {count} labels ({witness.failure})"
        own = Answer(condition.name, Verdict.INCONSISTENT, size, reason, witness=witness)
        elsewhere = f"{AS_UNDER}{condition.name}, which is narrower: the same example"
        self.cover(own, (condition.name, *condition.larger), elsewhere)


def _systems(proof: AffineProof) -> str:
    how = ", one ranking for all by symmetry" if proof.by_symmetry else ""
    return f"{proof.systems} systems{how}"


# --- Strategies: the searches over labels, in the order of trial ---


def _by_mean(question: Question[MeanSurrogate, Task]) -> Iterator[Witness | AffineProof]:
    """The linear programs have the word only where no small distribution is decoded wrongly."""
    surrogate, task, condition = question.surrogate, question.at, TASK_CONDITIONS[question.condition]
    wrong_at = small_mean_witness(surrogate, task, condition, question.effort, question.seed)
    if wrong_at is None:
        programs = settle_affine(surrogate, task, condition, question.effort)
        if isinstance(programs, AffineProof):
            yield programs
        elif programs is not None:
            wrong_at = judged(surrogate, task, condition, programs.weights)
    if wrong_at is not None:
        at = LabelQuestion(surrogate, task, wrong_at.weights)
        wrong = (None, wrong_at.prediction, wrong_at.better, (), wrong_at.strict, condition.name)
        yield from _certified(question, LabelWitness(at, *wrong))


def _by_atoms(question: Question[AtomSurrogate, Task]) -> Iterator[Witness]:
    condition = TASK_CONDITIONS[question.condition]
    if condition.cones is None:
        raise UnsupportedError(f"the condition {condition.name} is not a union of polyhedral cones")
    for found in label_witnesses(question.surrogate, question.at, condition, question.effort):
        yield from _certified(question, found)


def _certified(question: Question[Any, Task], found: LabelWitness) -> Iterator[Witness]:
    witness = certify_labels(found, question.provenance)
    question.effort.count(certificates=1)
    if witness is not None:
        yield witness


STRATEGIES: Final = (
    Strategy(
        "small distributions, then linear programs, where the minimizer is a mean",
        lambda question: isinstance(question.surrogate, MeanSurrogate),
        _by_mean,
    ),
    Strategy(
        "inverse search over labels, where the surrogate is a sum of convex atoms",
        lambda question: isinstance(question.surrogate, AtomSurrogate),
        _by_atoms,
    ),
)


# --- What a surrogate and a target are ---


def asked_about(
    surrogate: object, target: object, larger: Sequence[Task], conditions: Sequence[str] | str | None
) -> tuple[TaskSurrogate, tuple[Task, ...], Compared | None, list[str]]:
    """A surrogate, the task with larger ones, what a function was compared with, and the conditions."""
    loss, task, compared = understood(surrogate, target, larger)
    loss.check(task)
    decoder_for(loss, task)
    usual = DEFINITIONS[task.target].usual if conditions is None else conditions
    asked = named(usual, partial(task_condition, space=task.space), TASK_CONDITIONS)
    if any(TASK_CONDITIONS[name].needs_f for name in asked) and not isinstance(loss, Regression):
        raise InputError(f"the condition p-f applies only to a regression on f, and {loss.name} is not one")
    return loss, (task, *larger), compared, asked


def understood(
    surrogate: object, task: object, larger: Sequence[Task] = (), occurring: Sequence[Label] = ()
) -> tuple[TaskSurrogate, Task, Compared | None]:
    """A surrogate and a target, or their names, and what a function was compared with; no custom class."""
    task, compared = named_target(task) if isinstance(task, str) else task, None
    if isinstance(surrogate, str) and ".py:" in surrogate and isinstance(task, Task):
        surrogate, compared = load_listwise(surrogate, [task, *larger], occurring)
    elif isinstance(surrogate, str):
        surrogate = task_surrogate(surrogate)
    if not isinstance(surrogate, TaskSurrogate):
        raise InputError(
            f"expected a surrogate of labels, got {type(surrogate).__name__}; pass task_surrogate(NAME) or "
            "its name, or leave the target out for a surrogate of preference graphs"
        )
    if not isinstance(task, Task):
        raise InputError(f"expected a target, got {type(task).__name__}; pass target(NAME) or its name")
    unknown_class = None if type(surrogate) in OWN else unknown(surrogate, task)
    if unknown_class is not None:
        raise InputError(
            f"{unknown_class} is a custom class, which is not supported with a target; for preference "
            "graphs, derive your loss from GraphSurrogate and pass it to check"
        )
    return surrogate, task, compared
