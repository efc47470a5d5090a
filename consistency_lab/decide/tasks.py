"""Decide surrogates of finite tasks: theorems first, then small witnesses, then exact infeasibility."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Final, final

from consistency_lab.certify.tasks import (
    TaskWitness,
    accepted,
    certify_labels,
    equilibrium_document,
    mean_document,
)
from consistency_lab.decide.answers import Verdict
from consistency_lab.decide.prescribe import prescriptions
from consistency_lab.decide.task_answers import FieldFinding, LibraryDecision, TaskAnswer, TaskDecision
from consistency_lab.errors import ConsistencyLabError, InputError, UnsupportedError
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate, MeanSurrogate, TaskSurrogate
from consistency_lab.model.surrogates.tasks.decoders import decoder_for
from consistency_lab.model.surrogates.tasks.fields import GradientField
from consistency_lab.model.surrogates.tasks.libraries import Entry
from consistency_lab.model.surrogates.tasks.regression import Regression
from consistency_lab.model.surrogates.tasks.shipped import ShippedField
from consistency_lab.model.tasks.conditions import TASK_CONDITIONS, TaskCondition, task_condition
from consistency_lab.model.tasks.task import Task
from consistency_lab.search.effort import Effort
from consistency_lab.search.equilibria import find_equilibrium
from consistency_lab.search.labels import label_witnesses
from consistency_lab.search.means import small_mean_witness
from consistency_lab.theorems.base import Evidence
from consistency_lab.theorems.tasks.affine import AffineProof, AffineWitness, settle_affine
from consistency_lab.theorems.tasks.catalogue import task_theorem

_INSIDE: Final = "inside "
_PREFERENCES: Final = ("additive", "low-noise", "net-order", "acyclic", "any")
_EXCHANGE: Final = ("rank-differentiable", "any")
USUAL: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "pairwise": _PREFERENCES,
        "kendall": _EXCHANGE,
        "ndcg": _EXCHANGE,
        "precision": _EXCHANGE,
        "eru": _EXCHANGE,
        "err": ("independent", "rank-differentiable", "any"),
        "map": ("reinforce", "rank-differentiable", "any"),
        "zero-one": ("any",),
        "matrix": ("any",),
    }
)
"""The conditions that are decided for a target unless others are asked for, the largest last."""


def decide_task(
    surrogate: TaskSurrogate,
    task: Task,
    conditions: Sequence[str] | None = None,
    *,
    larger: Sequence[Task] = (),
    effort: Effort | None = None,
    command: str = "",
    seed: int = 0,
    prescribe: bool = True,
) -> TaskDecision:
    """Decide a surrogate on a finite task, under each condition.

    Parameters
    ----------
    surrogate, task
        The question.
    conditions
        Names of conditions; those of `USUAL` if not given.
    larger
        Tasks with more items, searched where this one has no witness and no theorem speaks for all of them.
    effort
        Budget of the searches.
    command
        The command that repeats this, for the witness file.
    seed
        Of the searches.
    prescribe
        Whether to look for a surrogate that is consistent where this one is not.

    Raises
    ------
    InputError
        If surrogate, decoder, task and conditions do not fit together.

    Examples
    --------
    >>> from consistency_lab.model.surrogates.tasks.regression import Regression
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> str(decide_task(Regression("gain/Z"), target("ndcg"), ["any"]).verdict)
    'CONSISTENT'
    """
    surrogate.check(task)
    decoder_for(surrogate, task)
    names = USUAL[task.target] if conditions is None else conditions
    chosen = {name: task_condition(name, task.space) for name in names}
    asked = [chosen[name] for name in TASK_CONDITIONS if name in chosen]
    if any(condition.needs_f for condition in asked) and not isinstance(surrogate, Regression):
        raise InputError(f"the condition p-f is about a regression on f, and {surrogate.name} is none")
    case = _Case(surrogate, (task, *larger), effort or Effort(), seed, command)
    answers = case.settled(asked)
    wrong = [a.condition for a in answers if a.verdict is Verdict.INCONSISTENT]
    remedies = prescriptions(surrogate, task, wrong) if prescribe else ()
    return TaskDecision(surrogate, task, answers, remedies, case.effort)


def decide_field(
    field: GradientField,
    task: Task,
    *,
    effort: Effort | None = None,
    command: str = "",
    seed: int = 0,
) -> FieldFinding:
    """Look for a wrong order in which training with a gradient field stands still.

    Raises
    ------
    InputError
        If the field does not fit the task.
    """
    spent = effort or Effort()
    field.check(task)
    try:
        found = find_equilibrium(field, task, spent, seed)
    except KeyboardInterrupt:
        spent.interrupted = True
        found = None
    if found is None:
        reason = f"no equilibrium in a wrong order found ({spent.summary()}); that proves nothing"
        return FieldFinding(field, task, None, reason, spent)
    weights = dict(zip(found.labels, found.probabilities, strict=True))
    surrogate = ShippedField(field)
    document = equilibrium_document(
        surrogate,
        task,
        {"name": "any"},
        weights,
        found.prediction,
        found.better,
        found.box,
        found.attracting,
        {"command": command, "citation": field.citation, "note": field.note},
    )
    witness = accepted(document, surrogate, task)
    if witness is None:
        reason = "an equilibrium in a wrong order was found, but the kernel did not accept it"
        return FieldFinding(field, task, None, reason, spent)
    how = "attracting" if witness.verified.attracting else "not proved to be attracting"
    reason = f"verified equilibrium in a wrong order ({how}), {len(weights)} labels"
    return FieldFinding(field, task, witness, reason, spent)


def decide_library(
    entry: Entry,
    task: Task,
    conditions: Sequence[str] | None = None,
    *,
    effort: Effort | None = None,
    command: str = "",
    seed: int = 0,
    prescribe: bool = True,
) -> LibraryDecision:
    """Decide an objective of a library: the plain loss underneath, and what is shipped by default.

    Raises
    ------
    InputError
        If the objective does not fit the task, or a condition does not apply.
    """
    entry.check(task)
    spent = effort or Effort()
    spent.ration(2)
    asked = _Asked(conditions, command, seed)
    plain = None if entry.plain is None else asked.decide(entry.plain.build(), task, spent, prescribe)
    spent.ration(1)
    shipped: FieldFinding | TaskDecision | None = None
    if entry.field is not None:
        shipped = decide_field(entry.field, task, effort=spent, command=command, seed=seed)
    elif entry.default is not None:
        shipped = asked.decide(entry.default.build(), task, spent, False)
    return LibraryDecision(entry, plain, shipped)


@final
@dataclass(frozen=True, slots=True)
class _Asked:
    """What two decisions about one objective share."""

    conditions: Sequence[str] | None
    command: str
    seed: int

    def decide(self, surrogate: TaskSurrogate, task: Task, effort: Effort, prescribe: bool) -> TaskDecision:
        """Decide one loss."""
        return decide_task(
            surrogate,
            task,
            self.conditions,
            effort=effort,
            command=self.command,
            seed=self.seed,
            prescribe=prescribe,
        )


@final
@dataclass(frozen=True)
class _Case:
    """One surrogate on a task and larger ones."""

    surrogate: TaskSurrogate
    tasks: tuple[Task, ...]
    effort: Effort
    seed: int
    command: str
    answers: dict[str, TaskAnswer] = field(default_factory=dict)

    @property
    def task(self) -> Task:
        return self.tasks[0]

    def settled(self, asked: Sequence[TaskCondition]) -> tuple[TaskAnswer, ...]:
        for condition in reversed(asked):
            if condition.name not in self.answers:
                self._prove(condition, asked)
        for number, condition in enumerate(asked):
            if condition.name not in self.answers:
                self.effort.ration(sum(c.name not in self.answers for c in asked[number:]))
                try:
                    self._search(condition, asked)
                except KeyboardInterrupt:
                    self.effort.interrupted = True
                    self._search(condition, asked)
        self.effort.ration(4)
        for condition in reversed(asked):
            self._add_proof(condition)
        return tuple(self.answers[condition.name] for condition in asked)

    def _prove(self, condition: TaskCondition, asked: Sequence[TaskCondition]) -> None:
        """By a theorem, which covers the smaller conditions."""
        evidence = task_theorem(self.surrogate, self.task, condition)
        if evidence is not None:
            if self._speaks_for_all(condition, evidence):
                self._by_theorem(condition, asked, evidence)
            return
        if not condition.larger and len(self.tasks) == 1:
            proof = self._affine(condition, self.task)
            if isinstance(proof, AffineProof):
                self._prove_here(condition, asked, proof)

    def _add_proof(self, condition: TaskCondition) -> None:
        """Exact infeasibility beside a theorem, if there is time left."""
        answer = self.answers[condition.name]
        if answer.evidence is None or answer.proof is not None or answer.reason.startswith(_INSIDE):
            return
        proof = None if self.effort.expired else self._affine(condition, self.task)
        if isinstance(proof, AffineProof):
            reason = (
                f"{answer.reason}; and exact infeasibility for {size_text(self.task)} ({_systems(proof)})"
            )
            self.answers[condition.name] = replace(answer, reason=reason, proof=proof)

    def _speaks_for_all(self, condition: TaskCondition, evidence: Evidence) -> bool:
        """Whether there is nothing left to search: for all sizes, or for the larger tasks too."""
        return evidence.scope.startswith("all") or all(
            task_theorem(self.surrogate, task, condition) is not None for task in self.tasks[1:]
        )

    def _by_theorem(
        self,
        condition: TaskCondition,
        asked: Sequence[TaskCondition],
        evidence: Evidence,
    ) -> None:
        reason = f"{evidence.citation}, hypotheses checked"
        for covered in _smaller(condition, asked):
            if covered.name not in self.answers:
                text = (
                    reason
                    if covered is condition
                    else f"{_INSIDE}{condition.name}: {evidence.citation}, as there"
                )
                self.answers[covered.name] = TaskAnswer(
                    covered.name,
                    Verdict.CONSISTENT,
                    evidence.scope,
                    text,
                    evidence.citation,
                    evidence=evidence,
                )

    def _prove_here(
        self, condition: TaskCondition, asked: Sequence[TaskCondition], proof: AffineProof, also: str = ""
    ) -> None:
        """By exact infeasibility on this one task, which covers the smaller conditions."""
        own = f"exact infeasibility: Farkas multipliers for each of {_systems(proof)}{also}"
        for covered in _smaller(condition, asked):
            if covered.name not in self.answers:
                self.answers[covered.name] = TaskAnswer(
                    covered.name,
                    Verdict.CONSISTENT,
                    f"{size_text(self.task)} only",
                    own if covered is condition else f"{_INSIDE}{condition.name}, as there",
                    proof=proof,
                )

    def _affine(self, condition: TaskCondition, task: Task) -> AffineProof | AffineWitness | None:
        if not isinstance(self.surrogate, MeanSurrogate):
            return None
        return settle_affine(self.surrogate, task, condition, self.effort)

    def _search(self, condition: TaskCondition, asked: Sequence[TaskCondition]) -> None:
        """By a witness, which covers the larger conditions; by exact infeasibility; else undecided."""
        proof: AffineProof | None = None
        looked: list[str] = []
        evidence = task_theorem(self.surrogate, self.task, condition)
        for task in self.tasks if evidence is None else self.tasks[1:]:
            if self.effort.expired:
                break
            try:
                found = self._witness(condition, task)
            except UnsupportedError as error:
                looked.append(f"not searched: {error}")
                continue
            if isinstance(found, TaskWitness):
                self._settle(condition, asked, found)
                return
            looked.append(size_text(task))
            if task is self.task:
                proof = found
        if evidence is not None:
            self._by_theorem(condition, asked, evidence)
            return
        if proof is not None:
            also = f"; no witness found for {', '.join(looked[1:])}" if len(looked) > 1 else ""
            self._prove_here(condition, asked, proof, also)
            return
        ended = (
            "interrupted; " if self.effort.interrupted else "budget used up; " if self.effort.expired else ""
        )
        reason = (
            f"no witness found ({ended}{'; '.join(looked) or 'nothing searched'}; {self.effort.summary()})"
        )
        self.answers[condition.name] = TaskAnswer(condition.name, Verdict.UNDECIDED, "", reason)

    def _witness(self, condition: TaskCondition, task: Task) -> TaskWitness | AffineProof | None:
        self.effort.say(f"{self.surrogate.name}, {task.title}, {condition.name}, {size_text(task)}")
        if isinstance(self.surrogate, MeanSurrogate):
            return self._mean_witness(self.surrogate, condition, task)
        if isinstance(self.surrogate, AtomSurrogate):
            if condition.cones is None:
                raise UnsupportedError(f"the condition {condition.name} is not a union of polyhedral cones")
            for found in label_witnesses(
                self.surrogate, task, condition, self.effort, entry=self._entry(condition)
            ):
                witness = certify_labels(found, self._provenance())
                self.effort.certificates += 1
                if witness is not None:
                    return witness
        return None

    def _mean_witness(
        self, surrogate: MeanSurrogate, condition: TaskCondition, task: Task
    ) -> TaskWitness | AffineProof | None:
        small = small_mean_witness(surrogate, task, condition, self.effort, self.seed)
        if small is not None:
            witness = self._certified(
                mean_document(
                    surrogate,
                    task,
                    self._entry(condition),
                    small.weights,
                    small.prediction,
                    small.better,
                    self._provenance(),
                    strict=small.strict,
                ),
                task,
            )
            if witness is not None:
                return witness
        found = self._affine(condition, task)
        if isinstance(found, AffineWitness):
            for strict in (True, False):
                witness = self._certified(
                    mean_document(
                        surrogate,
                        task,
                        self._entry(condition),
                        found.weights,
                        found.prediction,
                        found.better,
                        self._provenance(),
                        strict=strict,
                    ),
                    task,
                )
                if witness is not None:
                    return witness
            return None
        return found

    def _certified(self, document: dict[str, object], task: Task) -> TaskWitness | None:
        self.effort.certificates += 1
        return accepted(document, self.surrogate, task)

    def _entry(self, condition: TaskCondition) -> dict[str, object]:
        if condition.needs_f and isinstance(self.surrogate, Regression):
            return {"name": condition.name, "f": self.surrogate.f}
        return {"name": condition.name}

    def _provenance(self) -> dict[str, str]:
        return {"command": self.command, "citation": self.surrogate.citation}

    def _settle(self, condition: TaskCondition, asked: Sequence[TaskCondition], witness: TaskWitness) -> None:
        larger = [c for c in asked if c.name in condition.larger]
        proved = [c.name for c in larger if _is(self.answers.get(c.name), Verdict.CONSISTENT)]
        if proved:
            raise ConsistencyLabError(
                f"{self.surrogate.name} has a witness under {condition.name} and a proof under {proved[0]}; "
                "one of them is wrong: please report this"
            )
        how = "strict" if witness.verified.failure == "strict" else "tie"
        own = f"certified witness with {size_text(witness.task)}, {witness.verified.labels} labels ({how})"
        for covered in (condition, *larger):
            if covered.name not in self.answers:
                text = (
                    own if covered is condition else f"the witness under {condition.name}, which lies inside"
                )
                self.answers[covered.name] = TaskAnswer(
                    covered.name, Verdict.INCONSISTENT, size_text(witness.task), text, witness=witness
                )


def _is(answer: TaskAnswer | None, verdict: Verdict) -> bool:
    return answer is not None and answer.verdict is verdict


def _smaller(condition: TaskCondition, asked: Sequence[TaskCondition]) -> Iterator[TaskCondition]:
    return (c for c in asked if c is condition or condition.name in c.larger)


def _systems(proof: AffineProof) -> str:
    how = ", one ranking for all by symmetry" if proof.by_symmetry else ""
    return f"{proof.systems} systems{how}"


def size_text(task: Task) -> str:
    """How large a task is, in words.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> size_text(target("ndcg"))
    '3 items'
    """
    units = {"classes": "classes", "rows": "labels"}
    return f"{task.space.m} {units.get(task.space.kind, 'items')}"
