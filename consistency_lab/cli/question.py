"""Which question is asked: the options of ``check``, surrogates and targets as they are typed."""

import shlex
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from enum import Enum, auto
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final

from consistency_lab.cli.arguments import label_values, one_number
from consistency_lab.cli.grammar import Argument, Option
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.frozen import frozen

if TYPE_CHECKING:
    from consistency_lab.model.surrogates import Surrogate
    from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
    from consistency_lab.model.surrogates.tasks.libraries import Entry
    from consistency_lab.model.tasks.task import Task


# --- Which question a surrogate's name belongs to, for those who ask the other one -----------------------

_NEAR: Final = 0.6


def refuse_without_target(name: str, *, asked: str = "check") -> None:
    """Refuse a name that means something with a target only.

    Parameters
    ----------
    name
        What was typed for a surrogate.
    asked
        The command: ``check`` takes a target, the others are about preference graphs.

    Examples
    --------
    >>> refuse_without_target("logistic")
    """
    from consistency_lab.model.surrogates.tasks.libraries import is_library_name

    if is_library_name(name):
        what = "an objective of a library"
    elif not _of_graphs(name) and _of_tasks(name):
        what = "a surrogate of labels"
    else:
        return
    if asked == "check":
        raise InputError(f"{name} is {what}; say for which target, as in --target ndcg")
    raise InputError(
        f"{name} is {what}, and {asked} takes surrogates of preference graphs only (list surrogates); "
        f"consistency-lab check {name} --target ndcg decides it for a target"
    )


def refuse_with_target(name: str) -> None:
    """Refuse a name that means something without a target only.

    Examples
    --------
    >>> refuse_with_target("softmax")
    """
    from consistency_lab.model.surrogates.tasks.libraries import library_names

    library = name.partition(":")[0].strip().lower()
    if ":" in name and not get_close_matches(library, library_names(), n=1, cutoff=_NEAR):
        raise InputError(
            f"{name} is neither an objective of {', '.join(library_names())} nor decided for a target: a "
            "class of yours is a surrogate of preference graphs; leave --target out"
        )
    if ":" not in name and not _of_tasks(name) and _of_graphs(name):
        raise InputError(
            f"{name} is a surrogate of preference graphs: its target is pairwise, with --labels graphs (or "
            "no --target at all); list task-surrogates has those for other targets"
        )


def _of_graphs(name: str) -> bool:
    from consistency_lab.model.surrogates import surrogate

    try:
        surrogate(name)
    except InputError:
        return False
    return True


def _of_tasks(name: str) -> bool:
    from consistency_lab.model.surrogates.tasks.catalogue import task_surrogate

    try:
        task_surrogate(name)
    except InputError:
        return False
    return True


# --- The options of ``check`` as types, in three panels of its help: what they mean is in docs/cli.md ----

ITEMS: Final = "2,3,4,5"
BUDGET: Final = 20.0
WITNESSES: Final = Path("witnesses")

_TASKS: Final = "For ranking tasks (with --target or --matrix)"
_GRAPHS: Final = "For preference graphs (without --target)"

Name = Annotated[
    str | None,
    Argument(
        metavar="SURROGATE",
        help="A name (see list), an alias, a library's objective such as xgboost:rank:ndcg, or module:object "
        "of yours.",
    ),
]
GraphName = Annotated[
    str | None,
    Argument(
        metavar="SURROGATE",
        help="A surrogate of preference graphs (list surrogates), an alias, or module:object of yours.",
    ),
]
Phi = Annotated[
    str | None,
    Option(metavar="EXPR", help="phi(x), in place of a name or for it, as in 'log(1+exp(-2*x))'."),
]
Conditions = Annotated[list[str] | None, Option(metavar="NAME", help="A noise condition; may be repeated.")]
Items = Annotated[
    str | None,
    Option(
        metavar="3|2,3|3..5", help=f"Numbers of items to search with ({ITEMS}); one number for a task (3)."
    ),
]
Out = Annotated[Path, Option(metavar="DIR", help="Where witnesses are saved.")]
Save = Annotated[bool, Option(help="Save the witnesses that are found.")]
Budget = Annotated[
    float,
    Option(
        metavar="SECONDS",
        help="What all searches may do: counted, so the same everywhere; 1 takes about a second.",
    ),
]
StopAfter = Annotated[
    float | None,
    Option(metavar="SECONDS", help="Stop by the clock, before the budget is used up; never otherwise."),
]
Seed = Annotated[int, Option(metavar="N", help="Seed of the search: the same seed finds the same witness.")]
Json = Annotated[bool, Option(help="Print one JSON document.")]

Target = Annotated[
    str | None,
    Option(metavar="NAME", help="A target loss, such as ndcg@10; see list targets.", panel=_TASKS),
]
Matrix = Annotated[
    str | None,
    Option(
        metavar="FILE.csv",
        help="The target is this loss matrix, one line a label, one column a prediction.",
        panel=_TASKS,
    ),
]
Labels = Annotated[
    str | None,
    Option(
        metavar="0..2|0,1,3|rankings|dags|graphs",
        help="The grades, or what labels are.",
        panel=_TASKS,
    ),
]
Gain = Annotated[
    str | None,
    Option(metavar="EXPR", help="G(s) of a grade s, as in '2**s-1'.", panel=_TASKS),
]
Discount = Annotated[
    str | None,
    Option(metavar="EXPR", help="F(j) of a position j, as in 'log2(1+j)'.", panel=_TASKS),
]
K = Annotated[int | None, Option(metavar="K", help="How many positions count.", panel=_TASKS)]
V = Annotated[str | None, Option(metavar="Q", help="eru, mrr: the neutral grade (0).", panel=_TASKS)]
W = Annotated[str | None, Option(metavar="Q", help="eru: the half-life (2).", panel=_TASKS)]
On = Annotated[
    str | None,
    Option(metavar="gain|gain/Z|grade|net", help="regression: what is fitted.", panel=_TASKS),
]
Decode = Annotated[
    str | None,
    Option(
        metavar="NAME",
        help="How scores become a prediction: sort, argmax, linear, diagonal, algorithm-1.",
        panel=_TASKS,
    ),
]
Weights = Annotated[
    str | None,
    Option(
        metavar="NAME",
        help="Losses of pairs: unit, difference, square-difference, gain-difference, zhang, zhang-gain.",
        panel=_TASKS,
    ),
]
LabelWeights = Annotated[
    str | None,
    Option(
        metavar="NAME",
        help="softmax: how grades become weights: sum, exp, none, gain-sum, gain-none.",
        panel=_TASKS,
    ),
]

Form = Annotated[
    str | None,
    Option(metavar="edge|margin|difference", help="What is made of phi (edge).", panel=_GRAPHS),
]
H = Annotated[
    str | None,
    Option(metavar="EXPR", help="h(a): the weight or the margin of an edge (a).", panel=_GRAPHS),
]
R = Annotated[
    str | None,
    Option(metavar="EXPR", help="linear: the regularizer r(x) (x**2/2).", panel=_GRAPHS),
]
Nu = Annotated[
    str | None,
    Option(metavar="Q", help="linear: the rational weight of the regularizer (1).", panel=_GRAPHS),
]
Profile = Annotated[
    str | None,
    Option(
        metavar="FILE",
        help="Decide this one distribution: .soc .soi .toc .toi, a CSV winner,loser,count, or JSON; "
        "for grades a CSV with a line of items, then one a judge.",
        panel=_GRAPHS,
    ),
]
Unranked = Annotated[
    str | None,
    Option(
        metavar="last|unknown",
        help="What unranked items of a ballot stand for (last).",
        panel=_GRAPHS,
    ),
]
Select = Annotated[
    str | None,
    Option(
        metavar="A,B,C",
        help='Keep these items of the profile, in this order; "Lee, Sue" in double quotes.',
        panel=_GRAPHS,
    ),
]


# --- Surrogates of preference graphs, as they are typed --------------------------------------------------


def graph_surrogate(
    name: str | None,
    phi: str | None,
    form: str | None,
    h: str | None,
    r: str | None,
    nu: str | None,
    *,
    asked: str = "check",
) -> "Surrogate":
    """The surrogate that is named, or made from phi, or a class of the user's own, for this command."""
    from consistency_lab.model.surrogates import load_surrogate, surrogate

    if name is not None:
        refuse_without_target(name, asked=asked)
    if name is not None and ":" in name:
        given = {"--phi": phi, "--form": form, "--h": h, "--r": r, "--nu": nu}
        for option, value in given.items():
            if value is not None:
                raise InputError(f"{option} does not apply to a surrogate class of your own; leave it out")
        return load_surrogate(name)
    weight: dict[str, object] = {} if nu is None else {"nu": nu}
    return surrogate(name, phi=phi, form=form, h=h, r=r, **weight)


# --- Targets, their surrogates, and the objectives of libraries, as they are typed -----------------------

PAIRS: Final = "pairs"


@frozen
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
        """The task."""
        if self.matrix is not None or (self.target or "").lower() == "matrix":
            return self._matrix()
        from consistency_lab.model.tasks.catalogue import target
        from consistency_lab.model.tasks.task import ITEMS

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
        from consistency_lab.model.tasks.task import ITEMS

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
        from consistency_lab.model.tasks.discrete import MatrixTask
        from consistency_lab.model.tasks.labels import Rows

        read = read_matrix(self.matrix)
        return MatrixTask(Rows(read.labels), read.predictions, read.rows)


@frozen
class AskedSurrogate:
    """The surrogate as it was typed; each field but the name is an option of that name."""

    name: str | None
    on: str | None
    decode: str | None
    weights: str | None
    phi: str | None
    label_weights: str | None

    def entry(self) -> "Entry | None":
        """The objective of a library, if that is what is named."""
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
        """The surrogate for a target; phi alone stands for its loss of graded pairs."""
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


# --- Which question is asked, which options fit it, and what to type to ask it again ---------------------

Given = Mapping[str, str | int | list[str] | None]
"""Options that belong to the question, with what was given for them."""


class Question(Enum):
    """What may be asked of a surrogate."""

    GRAPHS = auto()
    """Is it consistent on distributions of preference graphs?"""

    PROFILE = auto()
    """Is it right at one distribution of preference graphs?"""

    TASK = auto()
    """Is it consistent for a target loss on labels?"""


_ABOUT_GRAPHS: Final = (Question.GRAPHS, Question.PROFILE)
_GENERAL: Final = (Question.GRAPHS, Question.TASK)
_AT_ONE: Final = (Question.PROFILE, Question.TASK)
_TASK: Final = (Question.TASK,)

_FITS: Final[Mapping[str, tuple[Question, ...]]] = MappingProxyType(
    {
        "--target": _TASK,
        "--matrix": _TASK,
        "--labels": _TASK,
        "--gain": _TASK,
        "--discount": _TASK,
        "--k": _TASK,
        "--v": _TASK,
        "--w": _TASK,
        "--on": _TASK,
        "--decode": _TASK,
        "--weights": _TASK,
        "--label-weights": _TASK,
        "--form": _ABOUT_GRAPHS,
        "--h": _ABOUT_GRAPHS,
        "--r": _ABOUT_GRAPHS,
        "--nu": _ABOUT_GRAPHS,
        "--condition": _GENERAL,
        "--items": _GENERAL,
        "--profile": _AT_ONE,
        "--unranked": _AT_ONE,
        "--select": _AT_ONE,
    }
)
"""Where an option makes sense; one that is not here fits everywhere."""

PAIRWISE: Final = "pairwise"
GRAPHS: Final = "graphs"
"""Labels that are preference graphs of any weights: not listed, but decided by their cones."""

_ABOUT_PROFILE: Final = "it describes a profile: give --profile too"
_FILES: Final = ("--matrix", "--profile")


def question(given: Given) -> Question:
    """The question that the options ask.

    Examples
    --------
    >>> question({"--target": "ndcg", "--items": "3"})
    <Question.TASK: 3>
    """
    if given.get("--labels") == GRAPHS and given.get("--target") == PAIRWISE:
        # The target of preference graphs of any weights, which is what is asked without --target too.
        given = {option: value for option, value in given.items() if option not in ("--target", "--labels")}
    if given.get("--target") is not None or given.get("--matrix") is not None:
        asked = Question.TASK
    else:
        asked = Question.GRAPHS if given.get("--profile") is None else Question.PROFILE
    for option, value in given.items():
        fitting = _FITS.get(option, tuple(Question))
        if value not in (None, []) and asked not in fitting:
            raise InputError(f"{option} does not fit: {_why(asked, fitting)}")
    if asked is Question.TASK:
        _refuse_beside_labels(given)
    return asked


def _refuse_beside_labels(given: Given) -> None:
    """With a profile no option that speaks of other distributions; without one, none of a profile."""
    profile = given.get("--profile") is not None
    for option in ("--condition", "--items") if profile else ("--unranked", "--select"):
        if given.get(option) not in (None, []):
            way = "a profile is one distribution of its own items: leave it out"
            raise InputError(f"{option} does not fit: {way if profile else _ABOUT_PROFILE}")


def _why(asked: Question, fitting: tuple[Question, ...]) -> str:
    if asked is Question.TASK:
        return "it is about preference graphs, and --target about labels: leave one of them out"
    if fitting is _TASK:
        return "it describes a ranking task: give --target too"
    if asked is Question.PROFILE:
        return "a profile is one distribution, and all that holds for it is shown: leave it out"
    return _ABOUT_PROFILE


def command(name: str | None, given: Given) -> str:
    """What to type for the same answer, without what only concerns where files lie.

    Examples
    --------
    >>> command("regression", {"--target": "ndcg", "--on": None, "--condition": ["any"], "--seed": 0})
    'consistency-lab check regression --target ndcg --condition any --seed 0'
    """
    words = ["consistency-lab", "check", *([name] if name is not None else [])]
    for option, value in given.items():
        for one in value if isinstance(value, list) else [value]:
            if one is not None:
                words += [option, Path(str(one)).name if option in _FILES else str(one)]
    return shlex.join(words)
