"""Where a word becomes a loss: `logistic`, `rank:ndcg`, a formula, `file.py:function`.

`AnyLoss.understand` reads the word. Without a target `GraphSurrogate.surrogate` looks it up among the losses
of preference graphs (`model.surrogates`); with one `AnyLoss.of_labels` does, among those of labels and what
libraries ship (`model.surrogates.tasks`). `decide.tasks.check` is the same door for Python.
"""

import re
from abc import ABC
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final

from consistency_lab.cli.command import Command, argument, option
from consistency_lab.cli.question import GRAPHS, Target, of_tasks
from consistency_lab.errors import InputError, nearest

if TYPE_CHECKING:
    from consistency_lab.model.surrogates import Surrogate
    from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
    from consistency_lab.model.surrogates.tasks.shipped import LibraryLoss
    from consistency_lab.model.tasks.task import Task

# --- A surrogate of preference graphs --------------------------------------------------------------------

_of_graphs = partial(option, panel=GRAPHS)

MADE_OF: Final = ("phi", "form", "h", "r", "nu")
"""The options of a surrogate of preference graphs, beside a name."""


class GraphSurrogate(Command, ABC):
    """A surrogate of preference graphs: a name, or what it is made of."""

    name: str | None = argument(
        "A surrogate (list surrogates), or file.py:function of yours.",
        None,
        metavar="SURROGATE",
        tables=("surrogates",),
    )
    phi: str | None = option("In place of a name, such as 'log(1+exp(-2*x))'.", metavar="EXPR")
    form: str | None = _of_graphs(
        "How to build the loss from phi (edge).", metavar="edge|margin|difference", rare=True
    )
    h: str | None = _of_graphs("h(a): the weight or the margin of an edge (a).", metavar="EXPR", rare=True)
    r: str | None = _of_graphs("linear: the regularizer r(x) (x**2/2).", metavar="EXPR", rare=True)
    nu: str | None = _of_graphs("linear: the rational weight of the regularizer (1).", metavar="Q", rare=True)

    def surrogate(self, asked: str = "check") -> "Surrogate":
        """The surrogate, or a class of the user's own, for this command."""
        from consistency_lab.model.surrogates import surrogate
        from consistency_lab.model.surrogates.own import load_surrogate
        from consistency_lab.model.surrogates.tasks.libraries import is_pair_name

        if self.name is not None:
            refuse_without_target(self.name, asked=asked)
        made_of = self.given(*MADE_OF)
        if self.name is not None and (":" in self.name or is_pair_name(self.name) or not made_of):
            for given in made_of:
                raise InputError(f"{given} does not apply to {self.name}; leave it out")
            return load_surrogate(self.name)
        return surrogate(self.name, **{option.removeprefix("--"): text for option, text in made_of.items()})

    def one_name(self) -> str | None:
        """One name for the loss, so that all its aliases lead to one file."""
        from consistency_lab.model.surrogates.own import load_surrogate

        if self.name is not None and not self.given(*MADE_OF):
            with suppress(InputError):
                asked = self.surrogate()
                if load_surrogate(asked.name) == asked:
                    return asked.name
        return self.name


# --- A surrogate of either kind --------------------------------------------------------------------------

_FORMULA: Final = re.compile(r"^(?!.*\.py:)(?=.*\()(?=.*[+*/^\\-])")
"""A formula in place of a name: it has brackets and an operator."""

_REGRESSION: Final = re.compile(r"(?i)regression (?:on|of) (?:the )?(normali[sz]ed )?gains?")
"""What `--on` calls gain, or gain/Z, in words."""


_OF_LABELS: Final = ("on", "decode", "weights", "phi", "label_weights")
"""The options of a surrogate of labels, beside a name."""


class AnyLoss(GraphSurrogate, Target, ABC):
    """A surrogate of preference graphs, or of labels with a target, which may be a matrix in a file."""

    matrix: str | None = of_tasks(
        "Use this loss matrix as the target: a row per label, a column per prediction.",
        metavar="FILE.csv",
        rare=True,
    )
    on: str | None = of_tasks("regression: the quantity to fit.", metavar="gain|gain/Z|grade|net", rare=True)
    decode: str | None = of_tasks(
        "How to decode scores into a prediction: sort, argmax, linear, diagonal, algorithm-1.",
        metavar="NAME",
        tables=("decoders",),
        rare=True,
    )
    weights: str | None = of_tasks(
        "Pairwise losses: the weight of a pair: unit, difference, square-difference, gain-difference, zhang, "
        "zhang-gain.",
        metavar="NAME",
        rare=True,
    )
    label_weights: str | None = of_tasks(
        "softmax: how to turn grades into weights: sum, exp, none, gain-sum, gain-none.",
        metavar="NAME",
        rare=True,
    )

    def understand(self) -> None:
        """Read formulas, names in libraries and words for several options as the options that they mean."""
        if self.matrix is None and (self.target or "").endswith(".csv"):
            self.matrix, self.target = self.target, None
        if self.name is not None and self.phi is None and _FORMULA.search(self.name):
            self.name, self.phi = None, self.name
        self._asked, self._assumed = self.name or str(self.phi), ""
        if fitted := _REGRESSION.fullmatch(self.name or ""):
            self.name, self.on = "regression", "gain/Z" if fitted[1] else "gain"
        if self.name is not None and "," not in self.name:
            from consistency_lab.model.surrogates.tasks import libraries

            self.name = libraries.full_name(self.name)
            loss, self._assumed = libraries.stands_for(self.name, self.target is not None)
            if loss:
                self.name = self._asked = loss
            if loss == "softmax":
                self.target, self.labels = self.target or "ndcg", self.labels or "0..1"
            if self.target is None and self.matrix is None and libraries.is_library_name(self.name):
                self.target = "map" if self.name.endswith(":map") else "ndcg"
                self._assumed = f" For {self.target.upper()}, since no --target was named."

    def task(self, items: int | None = None, *, alike: bool = False) -> "Task":
        """The task of so many items or classes; that of a matrix is told by its file."""
        if self.matrix is None and (self.target or "").lower() != "matrix":
            return super().task(items, alike=alike)
        if (self.target or "matrix").lower() != "matrix":
            self.refuse(f": the target is {self.target}; leave one of them out", "matrix")
        if self.matrix is None:
            raise InputError("the target matrix needs a file; give --matrix FILE.csv")
        every = ("labels", "items", "gain", "discount", "k", "v", "w")
        self.refuse(": the matrix defines the whole target; leave it out", *every)
        from consistency_lab.data.matrix import read_matrix
        from consistency_lab.model.labels import Rows
        from consistency_lab.model.tasks.discrete import MatrixTask

        read = read_matrix(self.matrix)
        return MatrixTask(Rows(read.labels), read.predictions, read.rows)

    def of_labels(self, task: "Task", name: str | None) -> "LibraryLoss | TaskSurrogate | str":
        """The objective of a library, the surrogate for a target, or the name of a function of the user's."""
        if name is not None and ".py:" in name:
            self.refuse(f" {name}, a loss of scores and labels; leave it out", *_OF_LABELS)
            return name
        if name is None and self.phi is None:
            raise InputError(
                "a target needs the name of a surrogate, such as softmax; see list task-surrogates"
            )
        from consistency_lab.model.surrogates.tasks.catalogue import task_surrogate
        from consistency_lab.model.surrogates.tasks.libraries import entry, full_name

        name = "pairs" if name is None else full_name(name)  # phi alone stands for a loss of pairs
        refuse_with_target(name)
        if ":" in name:
            objective = entry(name)
            self.refuse(f": {objective.name} is decided as shipped; leave it out", *_OF_LABELS)
            return objective
        surrogate = task_surrogate(name, **{option: getattr(self, option) for option in _OF_LABELS})
        try:
            surrogate.check(task)
        except InputError as error:
            hint = "; the surrogate constructed works for any matrix" if task.target == "matrix" else ""
            raise InputError(f"{error}{hint}") from None
        return surrogate


def shipped(objective: "LibraryLoss", task: "Task") -> "TaskSurrogate":
    """What a library trains for a target: a loss, or a gradient field in place of one."""
    from consistency_lab.model.surrogates.tasks.catalogue import ShippedField

    objective.check(task)
    if objective.field is not None:
        return ShippedField(objective.field)
    loss = objective.plain if objective.shipped == "same" else objective.default
    if loss is None:
        raise InputError(f"{objective.name} is not decided here as shipped: {objective.note}")
    return loss


# --- The kind of loss that a name means, for those who ask about the other one ---------------------------


def refuse_without_target(name: str, *, asked: str = "check") -> None:
    """Refuse a name that means something with a target only."""
    from consistency_lab.model.surrogates.tasks.catalogue import is_task_surrogate
    from consistency_lab.model.surrogates.tasks.libraries import entry, full_name, is_library_name

    if is_library_name(full_name(name)):
        entry(full_name(name))  # refuses an objective that the library does not have
        what = "an objective of a library"
    elif not _is_of_graphs(name) and is_task_surrogate(name):
        what = "a surrogate of labels"
    else:
        return
    if asked == "check":
        raise InputError(f"{name} is {what} and needs a target; give one, as in --target ndcg")
    raise InputError(
        f"{name} is {what}, and {asked} takes surrogates of preference graphs only (list surrogates); "
        f"consistency-lab check {name} --target ndcg decides it for a target"
    )


def refuse_with_target(name: str) -> None:
    """Refuse a name that means something without a target only."""
    from consistency_lab.model.surrogates.tasks.catalogue import is_task_surrogate
    from consistency_lab.model.surrogates.tasks.libraries import is_pair_name, library_names

    if is_pair_name(name):
        raise InputError(f"{name} is a loss of pairs of answers and takes no target; leave --target out")
    library = name.partition(":")[0].strip().lower()
    if ":" in name and not nearest(library, library_names()):
        raise InputError(
            f"{name} is neither an objective of {', '.join(library_names())} nor decided for a target; your "
            "own class is a surrogate of preference graphs, so leave --target out"
        )
    if ":" not in name and not is_task_surrogate(name) and _is_of_graphs(name):
        raise InputError(
            f"{name} is a surrogate of preference graphs, whose target is pairwise with --labels graphs (or "
            "no --target); see list task-surrogates for other targets"
        )


def _is_of_graphs(name: str) -> bool:
    from consistency_lab.model.surrogates import surrogate as catalogue

    with suppress(InputError):
        return bool(catalogue(name))
    return False
