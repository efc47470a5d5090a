"""The surrogates of tasks by name, how each is made from what a user says, and read from a file."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from types import MappingProxyType
from typing import Final, get_args, get_type_hints

from consistency_lab.errors import InputError, did_you_mean
from consistency_lab.frozen import frozen
from consistency_lab.model.checked import checked
from consistency_lab.model.surrogates.families import VARIABLES, Loss
from consistency_lab.model.surrogates.tasks import atoms, means
from consistency_lab.model.surrogates.tasks.base import FEATURES, TaskSurrogate
from consistency_lab.model.surrogates.tasks.decoders import decoder_name
from consistency_lab.model.surrogates.tasks.fields import GradientField
from consistency_lab.model.surrogates.tasks.libraries import full_name, is_library_name, of_framework
from consistency_lab.model.surrogates.tasks.shipped import LIBRARIES
from consistency_lab.model.tasks.catalogue import SPACES, TASKS, integer, matrix, text
from consistency_lab.model.tasks.discrete import Rows
from consistency_lab.model.tasks.task import Task
from consistency_lab.numbers.phi import NAMED, Expression, named, parse, spelled

# --- The surrogates of tasks by name, and how each is made from what a user asks for ---------------------


@frozen
class Line:
    """One line of the table."""

    name: str  #: What the command line calls it.
    build: Callable[..., TaskSurrogate]  #: Makes the surrogate, of the options that are given.
    options: tuple[str, ...] = ()  #: Which options of `task_surrogate` it understands.


def _regression(on: str | None = None) -> TaskSurrogate:
    f = on or "gain"
    name = "regression" if f == "gain" else f"regression-{f.replace('/', '-over-').lower()}"
    return means.Regression(f, name)


def _softmax(name: str, usual: str, label_weights: str | None = None) -> TaskSurrogate:
    chosen = label_weights or usual
    return means.Softmax(chosen, name if chosen == usual else f"{name}-{chosen}")


def _pairs(
    usual_phi: str,
    usual: str = "unit",
    name: str | None = None,
    *,
    phi: str | None = None,
    weights: str | None = None,
) -> TaskSurrogate:
    text, chosen = phi or usual_phi, weights or usual
    known = text.lower() in NAMED
    own = name or (text.lower() if known else "pairs")
    expression = named(text).expression if known else parse(text)
    return atoms.PairsSurrogate(own if chosen == usual else f"{own}-{chosen}", expression, chosen)


_CONVEX: Final = (
    *("logistic", "hinge", "exponential", "squared-hinge", "square", "smoothed-hinge", "huberized-hinge"),
)

TASK_SURROGATES: Final[Mapping[str, Line]] = MappingProxyType(
    {
        line.name: line
        for line in (
            Line("regression", _regression, ("on",)),
            Line("softmax", partial(_softmax, "softmax", "sum"), ("label_weights",)),
            Line("listnet", partial(_softmax, "listnet", "exp"), ("label_weights",)),
            Line("list-mle", atoms.ListMleSurrogate),
            Line("unique-softmax", atoms.UniqueSoftmax),
            Line("sigmoid", lambda on=None: means.Sigmoid(on or "grade"), ("on",)),
            Line("ordinal", means.OrdinalSurrogate),
            Line(
                "pair-square",
                lambda weights=None: means.PairSquareSurrogate(weights=weights or "grade"),
                ("weights",),
            ),
            Line("pairs", partial(_pairs, "logistic", name="pairs"), ("phi", "weights")),
            *(Line(name, partial(_pairs, name), ("weights",)) for name in _CONVEX),
            Line("zhang", partial(_pairs, "logistic", "zhang", "zhang"), ("phi", "weights")),
            Line("map-full", means.MapRegression),
            Line("map-diagonal", means.MapDiagonal),
            Line("pd-least-squares", means.PairRegression),
            Line("constructed", means.Constructed),
            Line("multiclass-softmax", means.Indicator),
            *(Line(psi, partial(means.Indicator, psi, psi)) for psi in means.MULTICLASS if psi != "softmax"),
            Line("crammer-singer", atoms.CrammerSinger),
            Line("weston-watkins", atoms.WestonWatkins),
            Line("lee-lin-wahba", atoms.LeeLinWahba),
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

TASK_CLASSES: Final[tuple[type[TaskSurrogate], ...]] = (
    *dict.fromkeys(type(line.build()) for line in TASK_SURROGATES.values()),
    *(atoms.PairAbsolute, means.SmoothPositions, means.SoftPairs),
)
"""The classes that theorems and the core know, the last of which libraries alone name; a class derived from
one may say something else."""


def unknown(surrogate: Loss, task: Task) -> str | None:
    """Which of the two is of a class of the user's own, in words; None if neither is."""
    for what, given, classes in (
        ("the surrogate", surrogate, TASK_CLASSES),
        ("the target", task, TASKS),
        ("the labels", task.space, SPACES),
    ):
        if type(given) not in classes:
            return f"{what} {type(given).__name__}"
    return None


def is_task_surrogate(name: str) -> bool:
    """Whether `task_surrogate` knows a name."""
    return _line(name) is not None


def _line(name: str) -> Line | None:
    """The line of a name, which may be that of a surrogate with one option, as answers print it."""
    key = spelled(name)
    found = TASK_SURROGATES.get(_OTHER_NAMES.get(key, key))
    for line in TASK_SURROGATES.values():
        for option in line.options if found is None and key.startswith(f"{line.name}-") else ():
            for choice in CHOICES.get(option, ()):
                with suppress(InputError):  # not every choice fits every line
                    if line.build(**{option: choice}).name == key:
                        return Line(key, partial(line.build, **{option: choice}))
    return found


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
        A name of `TASK_SURROGATES`, an alias, or one with an option, such as ``regression-gain-over-z``.
    on
        What a regression is on.
    weights
        How pairs are weighted.
    phi
        A scalar function, by name or as an expression in x.
    label_weights
        How a softmax weighs the items of a label.
    decode
        The decoder, in place of the usual one.

    Examples
    --------
    >>> task_surrogate("regression", on="gain/Z").name
    'regression-gain-over-z'
    >>> task_surrogate("pd-least-squares", decode="mwfas").decoder
    'linear'
    """
    line = _line(name)
    if line is None and is_library_name(full_name(name)):
        raise InputError(
            f"{name} is an objective of a library; the command decides it: consistency-lab check "
            f"{full_name(name)} --target NAME"
        )
    if line is None and (meant := of_framework(name)) is not None:
        raise InputError(f"{name} {meant}")
    if line is None:
        known = (*TASK_SURROGATES, *_OTHER_NAMES)
        hint = did_you_mean(name.strip().lower(), known, "names are", TASK_SURROGATES)
        raise InputError(f"there is no surrogate {name!r} for such a target; {hint}")
    options = {"on": on, "weights": weights, "phi": phi, "label_weights": label_weights}
    given = {option: value for option, value in options.items() if value is not None}
    for option in given:
        if option not in line.options:
            takes = ", ".join(o.replace("_", "-") for o in line.options) or "none"
            raise InputError(
                f"the surrogate {line.name} has no option {option.replace('_', '-')}; its options: {takes}"
            )
    found = line.build(**given)
    return found if decode is None else decoded(found, decoder_name(decode))


_DECODED: Final = means.MapRegression | means.PairRegression
"""Those with more than one decoder."""


def decoded(surrogate: TaskSurrogate, decoder: str) -> TaskSurrogate:
    """The same surrogate with another decoder."""
    if surrogate.decoder == decoder:
        return surrogate
    if isinstance(surrogate, _DECODED):
        return replace(surrogate, name=f"{surrogate.name}-{decoder}", decoder=decoder)
    raise InputError(f"the surrogate {surrogate.name} is decoded by {surrogate.decoder}, not by {decoder}")


# --- A surrogate of a task from its description: the ``surrogate`` entry of a file, read back ------------

_BY_NAME: Final = {kind.family.name: kind for kind in TASK_CLASSES}


def described_surrogate(entry: object, decoder: str) -> TaskSurrogate | None:
    """The surrogate that describes itself so; None if its family, or a parameter of it, is not known here."""
    if not isinstance(entry, Mapping) or not isinstance(entry.get("family"), str):
        raise InputError("a surrogate is an object with the texts 'family' and 'name', and its parameters")
    family, name = str(entry["family"]), text(entry.get("name"), "the name of a surrogate")
    given = {key: value for key, value in entry.items() if key not in ("family", "name")}
    kind = _BY_NAME.get(family)
    if kind is None:
        return None
    types = get_type_hints(kind)
    try:
        values = {key: _read(given[key], key, types[key]) for key in kind.arguments()}
        found: TaskSurrogate = kind(name=name, **values)  # type: ignore[call-arg]
    except (KeyError, ValueError, ZeroDivisionError):
        raise InputError(f"the parameters {', '.join(given)} do not make a surrogate of {family}") from None
    if given.keys() != values.keys():
        return None
    return replace(found, decoder=decoder) if isinstance(found, _DECODED) else found


def _read(value: object, key: str, wanted: object) -> object:
    """A parameter of a description, by the type that it has in the class."""
    if wanted == Rows:
        if not value:
            raise InputError(f"{key} is empty; it has rows of numbers")
        return matrix(value, key)
    if wanted == get_args(Rows)[0]:
        return matrix([value], key)[0]
    if wanted is Fraction:
        return Fraction(str(value))
    if wanted is Expression:
        return parse(text(value, key), VARIABLES.get(key, "x"))
    return text(value, key) if wanted is str else None if value is None else integer(value, key)


# --- What a library ships, where that is a gradient field: a surrogate in name only ----------------------


@frozen
class ShippedField(TaskSurrogate):
    """A gradient field in place of a loss: training follows it, but it need not descend on anything."""

    field: GradientField  #: The field.

    @property
    def name(self) -> str:  # type: ignore[override]
        """The library and its name for the objective."""
        return self.field.name

    @property
    def formula(self) -> str:
        """The gradient."""
        return self.field.formula

    @property
    def citation(self) -> str:
        """What was read."""
        return self.field.citation

    def check(self, task: Task) -> None:
        self.field.check(task)

    def describe(self, task: Task) -> dict[str, object]:
        return {"name": self.name, **self.field.describe()}


# --- What the tables call a loss: whether a name means it, means something else, or is in no table -------

CHOICES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"on": tuple(FEATURES), "weights": tuple(atoms.WEIGHTS), "label_weights": tuple(means.NORMALIZATIONS)}
)
"""The words that each option of `task_surrogate` may be."""


def name_means(surrogate: TaskSurrogate, task: Task) -> bool | None:
    """Whether its name, letter by letter, means a loss or field of the tables; None if none has the name."""
    if isinstance(surrogate, ShippedField) or surrogate.name in LIBRARIES:
        return isinstance(surrogate, ShippedField)
    wanted = surrogate.describe(task)
    same = [other.describe(task) == wanted for other in _called(surrogate.name, surrogate, wanted)]
    return any(same) if same else None


def _called(name: str, like: TaskSurrogate, wanted: Mapping[str, object]) -> Iterator[TaskSurrogate]:
    """The losses that the tables call so; a formula of one's own is taken from what is described."""
    for entry in LIBRARIES.values():
        for family in (entry.plain, entry.default):
            if family is not None and family.name == name:
                yield family
    for line in TASK_SURROGATES.values():
        if name == line.name or name.startswith(f"{line.name}-"):
            choices = [
                (None, str(wanted.get("phi"))) if option == "phi" else (None, *CHOICES[option])
                for option in line.options
            ]
            for chosen in product(*choices):
                with suppress(InputError):  # not every choice fits every line
                    found = line.build(**dict(zip(line.options, chosen, strict=True)))
                    if found.name == name:
                        yield found
                    elif (other := decoded(found, like.decoder)).name == name:
                        yield other
