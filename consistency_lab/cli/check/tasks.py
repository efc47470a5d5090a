"""Targets, their surrogates, and the objectives of libraries, as they are typed."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final, final

from consistency_lab.cli.arguments import label_values, one_number
from consistency_lab.cli.check.names import refuse_with_target
from consistency_lab.errors import InputError, UnsupportedError

if TYPE_CHECKING:
    from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
    from consistency_lab.model.surrogates.tasks.libraries import Entry
    from consistency_lab.model.tasks.task import Task

PAIRS: Final = "pairs"


@final
@dataclass(frozen=True, slots=True)
class AskedTarget:
    """The target as it was typed; each field is an option of that name."""

    target: str | None
    matrix: str | None
    labels: str | None
    items: str | None
    gain: str | None
    discount: str | None
    k: int | None
    v: str | None
    w: str | None

    def task(self) -> "Task":
        """The task.

        Raises
        ------
        InputError
            If there is no such target, it lacks an option, a value is out of range, or a file is bad.
        """
        if self.matrix is not None or (self.target or "").lower() == "matrix":
            return self._matrix()
        from consistency_lab.model.tasks.catalogue import target
        from consistency_lab.model.tasks.target import ITEMS

        return target(
            (self.target or "").lower(),
            items=ITEMS if self.items is None else one_number(self.items),
            labels=None if self.labels is None else label_values(self.labels),
            gain=self.gain,
            discount=self.discount,
            k=self.k,
            v=_rational(self.v, "--v"),
            w=_rational(self.w, "--w"),
        )

    def larger(self) -> "tuple[Task, ...]":
        """The same task with one item more, to be searched too where no number of items is asked for."""
        if self.items is not None or self.matrix is not None:
            return ()
        from consistency_lab.model.tasks.target import ITEMS

        try:
            return (replace(self, items=str(ITEMS + 1)).task(),)
        except UnsupportedError:
            return ()

    def _matrix(self) -> "Task":
        if (self.target or "matrix").lower() != "matrix":
            raise InputError(f"--matrix does not fit: the target is {self.target}; leave one of them out")
        if self.matrix is None:
            raise InputError("the target matrix is read from a file: give --matrix FILE.csv")
        for option in ("labels", "items", "gain", "discount", "k", "v", "w"):
            if getattr(self, option) is not None:
                raise InputError(f"--{option} does not fit: the matrix says all of the target; leave it out")
        from consistency_lab.data.matrix import read_matrix
        from consistency_lab.model.tasks.labels import Rows
        from consistency_lab.model.tasks.matrix import MatrixTask

        read = read_matrix(self.matrix)
        return MatrixTask(Rows(read.labels), read.predictions, read.rows)


@final
@dataclass(frozen=True, slots=True)
class AskedSurrogate:
    """The surrogate as it was typed; each field but the name is an option of that name."""

    name: str | None
    on: str | None
    decode: str | None
    weights: str | None
    phi: str | None
    label_weights: str | None

    def entry(self) -> "Entry | None":
        """The objective of a library, if that is what is named.

        Raises
        ------
        InputError
            If the library has no such objective, or an option is given that the library decides; or if the
            name is one of preference graphs.
        """
        if self.name is not None:
            refuse_with_target(self.name)
        if self.name is None or ":" not in self.name:
            return None
        from consistency_lab.model.surrogates.tasks.libraries import entry

        found = entry(self.name)
        for option in ("on", "decode", "weights", "phi", "label_weights"):
            if getattr(self, option) is not None:
                raise InputError(
                    f"--{option.replace('_', '-')} does not fit: {found.name} is decided as it is shipped; "
                    "leave it out"
                )
        return found

    def surrogate(self, task: "Task") -> "TaskSurrogate":
        """The surrogate for a target; phi alone stands for its loss of graded pairs.

        Raises
        ------
        InputError
            If there is none of this name, an option does not fit it, or it does not fit the target.
        """
        name = PAIRS if self.name is None and self.phi is not None else self.name
        if name is None:
            raise InputError(
                "a target needs the name of a surrogate, such as softmax; see list task-surrogates"
            )
        from consistency_lab.model.surrogates.tasks.catalogue import task_surrogate
        from consistency_lab.model.surrogates.tasks.decoders import decoder_name

        found = task_surrogate(
            name,
            on=self.on,
            decode=None if self.decode is None else decoder_name(self.decode),
            weights=self.weights,
            phi=self.phi,
            label_weights=self.label_weights,
        )
        try:
            found.check(task)
        except InputError as error:
            hint = "; constructed is made for any matrix" if task.target == "matrix" else ""
            raise InputError(f"{error}{hint}") from None
        return found


def _rational(text: str | None, option: str) -> Fraction | None:
    from consistency_lab.exact import rational

    return None if text is None else rational(text, option)
