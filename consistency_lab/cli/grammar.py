"""What a command line may say: a command is a function whose annotations tell its arguments and options.

>>> Seed = Annotated[int, Option(metavar="N", help="Seed of the search.")]
>>> def draw(name: Annotated[str, Argument(metavar="NAME", help="What.")], seed: Seed = 0) -> int:
...     return seed
>>> read(draw, ["hinge", "--seed=3"])
{'name': 'hinge', 'seed': 3}
"""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, final, get_args, get_origin, get_type_hints

from consistency_lab.errors import InputError

Command = Callable[..., int]

_KINDS: Final = {int: "an integer", float: "a number", str: "a text", Path: "a path"}


@final
@dataclass(frozen=True, slots=True)
class Argument:
    """A word without a name in front of it."""

    metavar: str
    help: str


@final
@dataclass(frozen=True, slots=True)
class Option:
    """A value behind its name, or a flag.

    Parameters
    ----------
    names
        As in "--json"; of a flag perhaps with its opposite, as in "--save/--no-save". Made of the parameter's
        name if it is left out.
    help
        What it means.
    metavar
        What stands for the value in the help.
    panel
        The heading under which the help has it.
    """

    names: str = ""
    _: KW_ONLY
    help: str
    metavar: str = ""
    panel: str = "Options"


@final
@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a command."""

    name: str
    about: Argument | Option
    kind: type
    many: bool
    required: bool
    default: object

    @property
    def names(self) -> tuple[str, ...]:
        """What is typed for an option; for a flag with an opposite, that is the second."""
        assert isinstance(self.about, Option)
        return tuple((self.about.names or f"--{self.name.replace('_', '-')}").split("/"))

    def value(self, text: str) -> object:
        """What was typed, as a value of the right type (InputError)."""
        try:
            return self.kind(text)
        except ValueError:
            where = self.names[0] if isinstance(self.about, Option) else self.about.metavar
            raise InputError(f"{where} is {text[:40]!r}; it must be {_KINDS[self.kind]}") from None


def parameters(command: Command) -> list[Parameter]:
    """The parameters of a command, in the order of its signature."""
    defaults = command.__defaults__ or ()
    hints = get_type_hints(command, include_extras=True)
    hints.pop("return")
    first = len(hints) - len(defaults)
    found = []
    for number, (name, hint) in enumerate(hints.items()):
        about = hint.__metadata__[0]
        kind = get_args(hint)[0]
        if isinstance(kind, UnionType):
            kind = next(one for one in get_args(kind) if one is not NoneType)
        many = get_origin(kind) is list
        required = number < first
        default = None if required else defaults[number - first]
        found.append(Parameter(name, about, get_args(kind)[0] if many else kind, many, required, default))
    return found


def read(command: Command, words: Sequence[str]) -> dict[str, Any]:
    """The values that a command line gives to the parameters of a command; the others have their defaults.

    Raises
    ------
    InputError
        If an option is unknown or lacks its value, a value is of another type, or an argument is missing or
        one too many.

    Examples
    --------
    >>> def search(worst: Annotated[bool, Option(help="The worst case.")] = False) -> int:
    ...     return 0
    >>> read(search, ["--worst"])
    {'worst': True}
    """
    known = parameters(command)
    options = {name: one for one in known if isinstance(one.about, Option) for name in one.names}
    places = [one for one in known if isinstance(one.about, Argument)]
    found: dict[str, Any] = {}
    waiting, only_arguments = list(reversed(words)), False
    while waiting:
        word = waiting.pop()
        if only_arguments or not word.startswith("-") or word == "-":
            if not places:
                raise InputError(f"{word[:40]!r} is one argument too many")
            _put(found, places[0], places[0].value(word))
            if not places[0].many:
                del places[0]
        elif word == "--":
            only_arguments = True
        else:
            name, given, text = word.partition("=")
            if name not in options:
                raise InputError(f"there is no option {name[:40]}{_hint(name, options)}")
            option = options[name]
            if option.kind is bool:
                if given:
                    raise InputError(f"{name} is a flag and takes no value")
                _put(found, option, name == option.names[0])
                continue
            if not given and not waiting:
                raise InputError(f"{name} needs a value behind it")
            _put(found, option, option.value(text if given else waiting.pop()))
    for one in places:
        if one.required and one.name not in found:
            raise InputError(f"the argument {one.about.metavar} is missing")
    return found


def _put(found: dict[str, Any], parameter: Parameter, value: object) -> None:
    if parameter.many:
        found.setdefault(parameter.name, []).append(value)
    else:
        found[parameter.name] = value


def _hint(name: str, options: dict[str, Parameter]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, options, n=1)
    return f"; did you mean {near[0]}?" if near else ""
