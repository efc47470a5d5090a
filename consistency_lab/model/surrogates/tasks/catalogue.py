"""The surrogates of tasks by name, and how each is made from what a user asks for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final, final

from consistency_lab.checked import checked
from consistency_lab.errors import InputError
from consistency_lab.model.surrogates.tasks.base import TaskSurrogate
from consistency_lab.model.surrogates.tasks.constructed import Constructed
from consistency_lab.model.surrogates.tasks.decoders import decoder_name
from consistency_lab.model.surrogates.tasks.indicator import Indicator
from consistency_lab.model.surrogates.tasks.list_mle import ListMleSurrogate
from consistency_lab.model.surrogates.tasks.listwise import Softmax
from consistency_lab.model.surrogates.tasks.low_rank import MapDiagonal, MapRegression, PairRegression
from consistency_lab.model.surrogates.tasks.multiclass import CrammerSinger, LeeLinWahba, WestonWatkins
from consistency_lab.model.surrogates.tasks.ordinal import OrdinalSurrogate
from consistency_lab.model.surrogates.tasks.pair_absolute import PairAbsolute
from consistency_lab.model.surrogates.tasks.pair_square import PairSquareSurrogate
from consistency_lab.model.surrogates.tasks.pairs import PairsSurrogate
from consistency_lab.model.surrogates.tasks.pointwise import Sigmoid
from consistency_lab.model.surrogates.tasks.regression import Regression
from consistency_lab.model.surrogates.tasks.relaxed import SmoothPositions, SoftPairs
from consistency_lab.model.surrogates.tasks.unique_softmax import UniqueSoftmax
from consistency_lab.model.tasks.catalogue import SPACES, TASKS
from consistency_lab.model.tasks.task import Task
from consistency_lab.phi import NAMED, named, parse

FAMILIES: Final[tuple[type[TaskSurrogate], ...]] = (
    Constructed,
    CrammerSinger,
    Indicator,
    LeeLinWahba,
    ListMleSurrogate,
    MapDiagonal,
    MapRegression,
    OrdinalSurrogate,
    PairAbsolute,
    PairRegression,
    PairSquareSurrogate,
    PairsSurrogate,
    Regression,
    Sigmoid,
    SmoothPositions,
    SoftPairs,
    Softmax,
    UniqueSoftmax,
    WestonWatkins,
)
"""The classes that theorems and the core know; a class derived from one may say something else."""


def unknown(surrogate: TaskSurrogate, task: Task) -> str | None:
    """Which of the two is of a class of the user's own, in words; None if neither is.

    Examples
    --------
    >>> from consistency_lab.model.tasks.catalogue import target
    >>> class Mine(Regression): ...
    >>> unknown(Mine(), target("ndcg")), unknown(Regression(), target("ndcg"))
    ('the surrogate Mine', None)
    """
    for what, given, classes in (
        ("the surrogate", surrogate, FAMILIES),
        ("the target", task, TASKS),
        ("the labels", task.space, SPACES),
    ):
        if type(given) not in classes:
            return f"{what} {type(given).__name__}"
    return None


@final
@dataclass(frozen=True, slots=True)
class Wishes:
    """What a user says about a surrogate besides its name, all optional.

    Parameters
    ----------
    on
        What a regression is on.
    weights
        How pairs are weighted.
    phi
        A scalar function, by name or as an expression in x.
    label_weights
        How a softmax weighs the items of a label.
    """

    on: str | None = None
    weights: str | None = None
    phi: str | None = None
    label_weights: str | None = None


@final
@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table.

    Parameters
    ----------
    name
        What the command line calls it.
    build
        Makes the surrogate.
    options
        What of `Wishes` it understands.
    """

    name: str
    build: Callable[[Wishes], TaskSurrogate]
    options: tuple[str, ...] = ()


def _regression(wishes: Wishes) -> TaskSurrogate:
    f = wishes.on or "gain"
    return Regression(f, "regression" if f == "gain" else f"regression-{f.replace('/', '-over-').lower()}")


def _softmax(name: str, labels: str) -> Callable[[Wishes], TaskSurrogate]:
    def build(wishes: Wishes) -> TaskSurrogate:
        chosen = wishes.label_weights or labels
        return Softmax(chosen, name if chosen == labels else f"{name}-{chosen}")

    return build


def _pairs(phi: str, weights: str = "unit", name: str | None = None) -> Callable[[Wishes], TaskSurrogate]:
    def build(wishes: Wishes) -> TaskSurrogate:
        text = wishes.phi or phi
        known = text.lower() in NAMED
        expression = named(text).expression if known else parse(text)
        chosen = wishes.weights or weights
        own = name or (text.lower() if known else "pairs")
        return PairsSurrogate(own if chosen == weights else f"{own}-{chosen}", expression, chosen)

    return build


def _plain(surrogate: Callable[[], TaskSurrogate]) -> Callable[[Wishes], TaskSurrogate]:
    return lambda wishes: surrogate()


_CONVEX: Final = (
    "logistic",
    "hinge",
    "exponential",
    "squared-hinge",
    "square",
    "smoothed-hinge",
    "huberized-hinge",
)

TASK_SURROGATES: Final[Mapping[str, Line]] = MappingProxyType(
    {
        line.name: line
        for line in (
            Line("regression", _regression, ("on",)),
            Line("softmax", _softmax("softmax", "sum"), ("label_weights",)),
            Line("listnet", _softmax("listnet", "exp"), ("label_weights",)),
            Line("list-mle", _plain(ListMleSurrogate)),
            Line("unique-softmax", _plain(UniqueSoftmax)),
            Line("sigmoid", lambda wishes: Sigmoid(wishes.on or "grade"), ("on",)),
            Line("ordinal", _plain(OrdinalSurrogate)),
            Line(
                "pair-square",
                lambda wishes: PairSquareSurrogate(weights=wishes.weights or "grade"),
                ("weights",),
            ),
            Line("pairs", _pairs("logistic", name="pairs"), ("phi", "weights")),
            *(Line(name, _pairs(name), ("weights",)) for name in _CONVEX),
            Line("zhang", _pairs("logistic", "zhang", "zhang"), ("phi", "weights")),
            Line("map-full", _plain(MapRegression)),
            Line("map-diagonal", _plain(MapDiagonal)),
            Line("pd-least-squares", _plain(PairRegression)),
            Line("constructed", _plain(Constructed)),
            Line("multiclass-softmax", _plain(Indicator)),
            Line("ova-logistic", _plain(lambda: Indicator("ova-logistic", "ova-logistic"))),
            Line("ova-square", _plain(lambda: Indicator("ova-square", "ova-square"))),
            Line("ova-squared-hinge", _plain(lambda: Indicator("ova-squared-hinge", "ova-squared-hinge"))),
            Line("crammer-singer", _plain(CrammerSinger)),
            Line("weston-watkins", _plain(WestonWatkins)),
            Line("lee-lin-wahba", _plain(LeeLinWahba)),
        )
    }
)
"""The surrogates by name; a name of a convex scalar function stands for that loss of graded pairs."""

_OTHER_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{other: name for name in _CONVEX for other in NAMED[name].aliases},
        "mse": "regression",
        "listmle": "list-mle",
        "plackett-luce": "list-mle",
    }
)
_OPTIONS: Final = ("on", "weights", "phi", "label_weights")


def is_task_surrogate(name: str) -> bool:
    """Whether `task_surrogate` knows a name.

    Examples
    --------
    >>> is_task_surrogate("Softmax"), is_task_surrogate("list_mle"), is_task_surrogate("mine")
    (True, True, False)
    """
    return _line(name) is not None


def _line(name: str) -> Line | None:
    key = name.strip().lower().replace("_", "-")
    return TASK_SURROGATES.get(_OTHER_NAMES.get(key, key))


@checked
def task_surrogate(
    name: str,
    *,
    on: str | None = None,
    weights: str | None = None,
    phi: str | None = None,
    label_weights: str | None = None,
    decode: str | None = None,
) -> TaskSurrogate:
    """Build a surrogate of a task by name.

    Parameters
    ----------
    name
        A name of `TASK_SURROGATES`, or an alias.
    on, weights, phi, label_weights
        As in `Wishes`.
    decode
        The decoder, in place of the usual one.

    Raises
    ------
    InputError
        If there is no such surrogate, or it does not understand an option.

    Examples
    --------
    >>> task_surrogate("regression", on="gain/Z").name
    'regression-gain-over-z'
    >>> task_surrogate("pd-least-squares", decode="mwfas").decoder
    'linear'
    """
    line = _line(name)
    if line is None:
        near = get_close_matches(name.strip().lower(), (*TASK_SURROGATES, *_OTHER_NAMES), n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"names are {', '.join(TASK_SURROGATES)}"
        raise InputError(f"there is no surrogate {name!r} for such a target; {hint}")
    wishes = Wishes(on, weights, phi, label_weights)
    for option in _OPTIONS:
        if getattr(wishes, option) is not None and option not in line.options:
            known = ", ".join(o.replace("_", "-") for o in line.options) or "none"
            raise InputError(
                f"the surrogate {line.name} has no option {option.replace('_', '-')}; its options: {known}"
            )
    found = line.build(wishes)
    return found if decode is None else decoded(found, decoder_name(decode))


def decoded(surrogate: TaskSurrogate, decoder: str) -> TaskSurrogate:
    """The same surrogate with another decoder.

    Raises
    ------
    InputError
        If it has only the one.
    """
    if surrogate.decoder == decoder:
        return surrogate
    if isinstance(surrogate, MapRegression | PairRegression):
        return replace(surrogate, name=f"{surrogate.name}-{decoder}", decoder=decoder)
    raise InputError(f"the surrogate {surrogate.name} is decoded by {surrogate.decoder}, not by {decoder}")
