"""A command is a function whose annotations tell its arguments and options; argparse reads them."""

from argparse import SUPPRESS, ArgumentParser, BooleanOptionalAction, HelpFormatter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType, NoneType, UnionType
from typing import Any, Final, NoReturn, final, get_args, get_origin, get_type_hints

from consistency_lab.cli.streams import page_width
from consistency_lab.errors import InputError
from consistency_lab.frozen import frozen

# --- What the exit code of the command says --------------------------------------------------------------

CONSISTENT: Final = 0
INCONSISTENT: Final = 1
BAD_QUESTION: Final = 2
UNDECIDED: Final = 3
STOPPED: Final = 4
OWN_ERROR: Final = 70
ANSWER_LOST: Final = 74
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141
TERMINATED: Final = 143

EXPLANATION: Final = (
    "Exit codes: 0 consistent, or verified; 1 inconsistent, or rejected; 2 the question is wrong "
    "(usage, bad file); 3 undecided; 4 undecided, since the clock (--stop-after) ended the search; "
    "70 an error of the tool itself; 74 the answer cannot be written; 130 interrupted (Ctrl-C); "
    "141 nobody reads the answer; 143 terminated (SIGTERM)."
)
"""For the help texts."""


# --- A command is a function whose annotations tell its arguments and options; argparse reads them -------
# >>> from typing import Annotated
# >>> Seed = Annotated[int, Option(metavar="N", help="Seed of the search.")]
# >>> def draw(name: Annotated[str, Argument(metavar="NAME", help="What.")], seed: Seed = 0) -> int:
# ...     return seed
# >>> Grammar("lab draw", draw).read(["hinge", "--seed=3"])
# {'seed': 3, 'name': 'hinge'}

Command = Callable[..., int]

_USAGE: Final[Mapping[object, str]] = MappingProxyType(
    {None: "{}", "?": "[{}]", "+": "{}...", "*": "[{}...]"}
)

_COLUMN: Final = 30
"""Where explanations in the help begin at most."""


@frozen
class Argument:
    """A word without a name in front of it."""

    metavar: str
    help: str


@frozen
class Option:
    """A value behind the name of the parameter, or a flag, which has an opposite if it is set unless told."""

    help: str  #: What it means.
    metavar: str = ""  #: What stands for the value in the help.
    panel: str = ""  #: The heading under which the help has it, if that is not the usual one.


@final
class _Form(HelpFormatter):
    """The page of a terminal, on which paragraphs stay paragraphs."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=_COLUMN, width=page_width())

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        fill = super()._fill_text
        return "\n\n".join(fill(one, width, indent) for one in text.split("\n\n"))


@final
class Parser(ArgumentParser):
    """A parser whose errors are ours."""

    def __init__(self, prog: str, about: str = "", **more: Any) -> None:
        form: Any = {"formatter_class": _Form, "argument_default": SUPPRESS}
        super().__init__(
            prog, description=about, epilog=EXPLANATION, add_help=False, allow_abbrev=False, **form, **more
        )

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message}; see {self.prog} --help")


@final
class Grammar:
    """What a command line may say after the name of a command.

    Options may stand among the arguments, of which argparse then takes too few; so options are read first.

    Parameters
    ----------
    prog
        What is typed for the command.
    command
        A function whose parameters are annotated with an `Argument` or an `Option`.
    """

    def __init__(self, prog: str, command: Command) -> None:
        self._options = Parser(prog)
        self._options.add_argument("--help", action="help", help="show this message and exit")
        found = list(_parameters(command))
        panels: dict[str, Any] = {"": self._options}
        added = []
        for name, about, settings in found:
            if isinstance(about, Option):
                if about.panel not in panels:
                    panels[about.panel] = self._options.add_argument_group(about.panel)
                typed = f"--{name.replace('_', '-')}"
                added.append(panels[about.panel].add_argument(typed, **settings))
        self._names = {"--help"}.union(*(one.option_strings for one in added))
        self._valued = set[str]().union(*(one.option_strings for one in added if one.nargs is None))
        self._all = Parser(prog, command.__doc__ or "", parents=[self._options])
        places = [
            self._all.add_argument(name, **settings)
            for name, about, settings in found
            if isinstance(about, Argument)
        ]
        self._mark = ["--"] if places else []
        self._all.usage = " ".join(
            ["%(prog)s [OPTIONS]", *(_USAGE[one.nargs].format(one.metavar) for one in places)]
        )

    def show(self) -> None:
        """Print all that may be said."""
        self._all.print_help()

    def read(self, words: Sequence[str]) -> dict[str, Any] | None:
        """The values that a command line gives to parameters; None if it asks for the help."""
        end = words.index("--") if "--" in words else len(words)
        if "--help" in words[:end]:
            return None
        given, rest = self._options.parse_known_args(self._joined(words[:end]))
        for word in rest:
            if word.startswith("-") and word != "-":
                name = word.partition("=")[0]
                self._options.error(f"there is no option {name[:40]}{near(name, self._names)}")
        # Before Python 3.12 a command without arguments does not know the mark that ends the options.
        return vars(self._all.parse_args([*self._mark, *rest, *words[end + 1 :]], given))

    def _joined(self, words: Sequence[str]) -> list[str]:
        """Values that begin with a minus behind an equals sign, as argparse wants them: --phi=-log(x)."""
        found: list[str] = []
        for word in words:
            if found and found[-1] in self._valued and word.startswith("-") and word not in self._names:
                found[-1] += f"={word}"
            else:
                found.append(word)
        return found


def near(name: str, known: Collection[str]) -> str:
    """What may have been meant, as the end of a sentence."""
    from difflib import get_close_matches

    found = get_close_matches(name, sorted(known), n=1)
    return f"; did you mean {found[0]}?" if found else ""


def _parameters(command: Command) -> Iterator[tuple[str, Argument | Option, dict[str, Any]]]:
    """Each parameter with what its annotation says, and what that is for argparse."""
    hints = get_type_hints(command, include_extras=True)
    hints.pop("return")
    defaults = command.__defaults__ or ()
    first = len(hints) - len(defaults)
    for number, (name, hint) in enumerate(hints.items()):
        kind, about = get_args(hint)
        required, default = number < first, None if number < first else defaults[number - first]
        if isinstance(kind, UnionType):
            kind = next(one for one in get_args(kind) if one is not NoneType)
        many = get_origin(kind) is list
        help_ = about.help.replace("%", "%%")
        if kind is bool:
            action = "store_true" if default is False else BooleanOptionalAction
            yield name, about, {"action": action, "help": help_}
            continue
        settings = {"type": get_args(kind)[0] if many else kind, "metavar": about.metavar, "help": help_}
        if isinstance(about, Argument):
            nargs = ("+" if required else "*") if many else (None if required else "?")
            settings |= {"nargs": nargs, "default": SUPPRESS}
        elif many:
            settings["action"] = "append"
        elif default is not None:
            settings["help"] += f" (default: {default})"
        yield name, about, settings


# --- Commands behind one word: the tool has its commands, and a command may have some of its own ---------


@final
@dataclass(frozen=True)
class Group:
    """Commands by their names; only that of the one that is asked for is imported."""

    about: str  #: What they are, for the help.
    #: The module under ``consistency_lab.cli`` and the function (or the group) of each.
    places: Mapping[str, str]
    kind: str = "command"  #: What one of them is called.
    #: Earlier names, which stand in files and scripts.
    aliases: Mapping[str, str] = field(default_factory=dict)
    #: Options of the group itself, with their help; whoever runs the group reads them.
    flags: Mapping[str, str] = field(default_factory=dict)

    def run(self, prog: str, words: list[str]) -> int:
        """Run the command that the first word names with the others, and return its exit code."""
        name, *rest = words or [""]
        name = self.aliases.get(name, name)
        if name in self.places:
            command = self._found(name)
            if isinstance(command, Group):
                return command.run(f"{prog} {name}", rest)
            grammar = Grammar(f"{prog} {name}", command)
            values = grammar.read(rest)
            if values is not None:
                return command(**values)
            grammar.show()
            return CONSISTENT
        if name not in ("", "--help"):
            kind = "option" if name.startswith("-") else self.kind
            known = [*self.places, *self.aliases]
            raise InputError(f"there is no {kind} {name[:40]!r}{near(name, known)}; see {prog} --help")
        self._overview(prog).print_help()
        if not name:
            article = "an" if self.kind[0] in "aeiou" else "a"
            raise InputError(f"{article} {self.kind} is missing; see {prog} --help")
        return CONSISTENT

    def _overview(self, prog: str) -> Parser:
        parser = Parser(prog, self.about, usage=f"%(prog)s {self.kind.upper()} ...")
        for flag, about in self.flags.items():
            parser.add_argument(flag, action="store_true", help=about)
        parser.add_argument("--help", action="help", help="show this message and exit")
        commands = parser.add_subparsers(title=f"{self.kind}s", metavar=self.kind.upper())
        for name in self.places:
            command = self._found(name)
            text = command.about if isinstance(command, Group) else command.__doc__ or ""
            earlier = [alias for alias, meant in self.aliases.items() if meant == name]
            commands.add_parser(name, aliases=earlier, help=" ".join(text.partition("\n\n")[0].split()))
        return parser

    def _found(self, name: str) -> "Command | Group":
        module, _, attribute = self.places[name].rpartition(".")
        found: Command | Group = getattr(import_module(f"consistency_lab.cli.{module}"), attribute)
        return found
