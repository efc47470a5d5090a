"""Commands as classes: each field tells one argument or option, and Click reads, completes and explains it.

>>> class Draw(Command):
...     "Draw a picture."
...     name: str = argument("What is drawn.", metavar="NAME")
...     seed: int = option("Seed of the search.", 0, metavar="N")
...     def run(self) -> int:
...         return self.seed
>>> command = read(leaf("draw", Draw), "lab draw", ["hinge", "--seed=3"])
>>> command.name, command.run()
('hinge', 3)
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from inspect import cleandoc
from pathlib import Path
from types import MappingProxyType, NoneType, UnionType
from typing import (
    Any,
    ClassVar,
    Final,
    Literal,
    NamedTuple,
    Union,
    final,
    get_args,
    get_origin,
    get_type_hints,
)

import click

from consistency_lab.cli.codes import EXPLANATION
from consistency_lab.cli.streams import page_width, say
from consistency_lab.errors import InputError, nearest

Reader = Callable[[str, str], object]
"""Takes an option's name and the typed text, and makes a value; raises InputError."""
Names = str | Callable[[], Iterable[str]]
"""A table of `list`, or a function that makes names."""

# --- What a field of a command says ----------------------------------------------------------------------


@final
class Declared(NamedTuple):
    """An argument or an option; its name and type are those of the field."""

    help: str
    default: Any
    metavar: str | None  #: What stands for the value in the help; Click's word for the type if None.
    panel: str  #: The heading under which the help has it.
    read: Reader | None  #: Reads the value, if its type does not say how.
    positional: bool
    tables: tuple[Names, ...] = ()  #: What makes the names that a shell completes.
    also: tuple[str, ...] = ()  #: Other names of an option.
    rare: bool = False  #: Few need it: `--help --all` shows it.


_REQUIRED: Final = object()


def argument(
    help: str,
    default: Any = _REQUIRED,
    *,
    metavar: str,
    tables: tuple[Names, ...] = (),
    read: Reader | None = None,
) -> Any:
    """A word without a name in front of it."""
    return Declared(help, default, metavar, "", read, positional=True, tables=tables)


def option(
    help: str,
    default: Any = None,
    *,
    metavar: str | None = None,
    panel: str = "Options",
    read: Reader | None = None,
    tables: tuple[Names, ...] = (),
    also: tuple[str, ...] = (),
    rare: bool = False,
) -> Any:
    """A value behind the name of the field, or a flag, which has an opposite unless its default is False."""
    return Declared(help, default, metavar, panel, read, False, tables, also, rare)


JSON: Final[Any] = option("Print one JSON document.", False)
"""What most commands have."""


class Command(ABC):
    """A command with the values that were given for its fields."""

    moved: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Options that another command has now, and that command."""

    def __init__(self, **values: Any) -> None:
        vars(self).update({name: one.default for name, one in self.declared().items()} | values)

    @abstractmethod
    def run(self) -> int:
        """Do it, and return the exit code."""

    @classmethod
    def declared(cls) -> dict[str, Declared]:
        """The fields, those of base classes first."""
        every = (pair for base in reversed(cls.__mro__) for pair in vars(base).items())
        return {name: one for name, one in every if isinstance(one, Declared)}

    def given(self, *names: str) -> dict[str, Any]:
        """What was given for these options, by the names that are typed; a flag that is off was not."""
        values = {typed(name): getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value not in (None, False, ())}

    def refuse(self, why: str, *names: str) -> None:
        """Refuse these options in a sentence that ends so."""
        for given in self.given(*names):
            raise InputError(f"{given} does not fit{why}")


def typed(name: str) -> str:
    """The option of a field, as it is typed."""
    return f"--{name.rstrip('_').replace('_', '-')}"


# --- A command for Click ---------------------------------------------------------------------------------


@final
class _Read(click.ParamType[object, str]):
    """A type whose values one of our own functions reads."""

    name = "text"

    def __init__(self, read: Reader) -> None:
        self._read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return self._read(param.opts[0], value) if param and isinstance(value, str) else value


@final
class _OneOf(click.Choice[str]):
    """One of several words, with our sentence for others."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if param and value not in self.choices:
            known = ", ".join(self.choices)
            raise InputError(f"{param.opts[0]} is {value[:40]!r}; it must be one of {known}")
        return value


@final
class _Option(click.Option):
    """An option that does not take the name of another one for its value, and knows its panel."""

    panel = "Options"
    rare = False

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        options = {name for one in ctx.command.params for name in (*one.opts, *one.secondary_opts)}
        if options.intersection(value if isinstance(value, tuple | list) else [str(value)]):
            raise click.UsageError(f"Option {self.opts[0]!r} requires an argument.", ctx)
        return super().type_cast_value(ctx, value)


def shows(names: Sequence[str], text: Callable[[click.Context], str], help: str) -> click.Option:
    """A flag at which a text is shown in place of an answer."""

    def show(context: click.Context, _: click.Parameter, asked: bool) -> None:
        if asked and not context.resilient_parsing:
            say(text(context))
            context.exit()

    return _Option(names, is_flag=True, is_eager=True, expose_value=False, callback=show, help=help)


_HELP: Final = (("-h", "--help"), click.Context.get_help, "Show this message and exit.")
_ALL: Final = "--all"


def _with_help(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    """The help is shown before this is read."""
    if asked and not ctx.resilient_parsing:
        raise click.UsageError(f"{_ALL} belongs to a help: {ctx.command_path} --help {_ALL}", ctx)


def _help_options() -> tuple[click.Option, click.Option]:
    every = "With --help: also what few need."
    flag = _Option([_ALL], is_flag=True, expose_value=False, callback=_with_help, help=every)
    return flag, shows(*_HELP)


@final
class _Leaf(click.Command):
    """A command whose help has its options in panels, and which takes each option once."""

    moved: Mapping[str, str] = MappingProxyType({})

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_ALL] = _ALL in args
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        for param in order:
            if (
                isinstance(param, _Option)
                and not (param.multiple or param.is_flag)
                and order.count(param) > 1
            ):
                raise InputError(f"{param.opts[0]} is given twice; give it once")
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        every = ctx.meta.get(_ALL)
        panels: dict[str, list[tuple[str, str]]] = {}
        options = [param for param in self.params if isinstance(param, _Option)]
        for param in options if every else [one for one in options[:-2] if not one.rare]:
            record = param.get_help_record(ctx)
            if record is not None:
                panels.setdefault(param.panel if every else "Options", []).append(record)
        for panel in sorted(panels, key=lambda panel: panel != "Options"):
            with formatter.section(panel):
                formatter.write_dl(panels[panel], col_max=_COLUMN)
        if not every:
            rare = sum(one.rare for one in options)
            more = f"{rare} more option{'s' if rare > 1 else ''} and the" if rare else "the"
            formatter.write_text(f"--help {_ALL} shows {more} exit codes.")

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if ctx.meta.get(_ALL):
            super().format_epilog(ctx, formatter)


_COLUMN: Final = 26
"""Where explanations in the help begin at most."""


def leaf(name: str, command: type[Command]) -> click.Command:
    """A command for Click, which makes an object of the class."""
    hints = get_type_hints(command)
    params = [_parameter(field, hints[field], one) for field, one in command.declared().items()]
    found = _Leaf(
        name,
        params=[*params, *_help_options()],
        callback=command,
        help=cleandoc(command.__doc__ or ""),
        epilog=EXPLANATION,
        add_help_option=False,
    )
    found.moved = command.moved
    return found


def _parameter(name: str, hint: Any, one: Declared) -> click.Parameter:
    if get_origin(hint) in (Union, UnionType):
        hint = next(kind for kind in get_args(hint) if kind is not NoneType)
    many = get_origin(hint) is tuple and one.read is None
    kind = get_args(hint)[0] if many else hint
    settings: dict[str, Any] = {"help": one.help, "metavar": one.metavar, "type": _type(kind, one.read)}
    if one.tables:
        settings["shell_complete"] = partial(_completed, one.tables)
    if one.positional:
        required = one.default is _REQUIRED
        shown = f"{one.metavar}..." if many else one.metavar
        settings |= {"metavar": shown if required else f"[{shown}]", "nargs": -1 if many else 1}
        settings |= {} if required or many else {"default": one.default}
        return click.Argument([name], required=required, **settings)
    names = typed(name)
    if kind is bool:
        names += "" if one.default is False else f"/--no-{names[2:]}"
        settings = {"help": one.help, "is_flag": True, "default": one.default}
    elif many:
        settings["multiple"] = True
    else:
        settings |= {"default": one.default, "show_default": one.default is not None}
    option = _Option([names, *one.also, name], **settings)
    option.panel, option.rare = one.panel, one.rare
    return option


def _completed(
    tables: Sequence[Names], _ctx: click.Context, _param: click.Parameter, begun: str
) -> list[str]:
    """The names of some tables that go on so."""
    return [name for table in tables for name in _names(table) if name.startswith(begun)]


def _names(table: Names) -> Iterable[str]:
    from consistency_lab.show.listing import chosen_listings

    if callable(table):
        return table()
    return (row["name"] for listing in chosen_listings(table) for row in listing.records())


def _type(kind: Any, read: Reader | None) -> Any:
    if read is not None:
        return _Read(read)
    if get_origin(kind) is Literal:
        return _OneOf(get_args(kind))
    return click.Path(path_type=Path) if kind is Path else kind


# --- Commands behind one word: the tool has its commands, and a command may have some of its own ---------


def loaded(place: str) -> Any:
    """What stands at a place, a module and a name in it."""
    module, _, name = place.rpartition(".")
    return getattr(import_module(module), name)


@final
class Group(click.Group):
    """Commands by their names; only the module of the one that is run is imported."""

    def __init__(
        self,
        name: str,
        about: str,
        places: Mapping[str, str],
        *,
        kind: str = "command",
        aliases: Mapping[str, str] = MappingProxyType({}),
        sections: Mapping[str, Sequence[str]] = MappingProxyType({}),
        options: Sequence[click.Option] = (),
    ) -> None:
        super().__init__(
            name,
            params=[*options, *_help_options()],
            help=about,
            epilog=EXPLANATION,
            add_help_option=False,
            no_args_is_help=False,
            subcommand_metavar=f"{kind.upper()} ...",
        )
        self.options_metavar = None
        self.places = places
        self.aliases = aliases
        self.sections = sections
        self.kind = kind

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, without the earlier ones."""
        return list(self.places)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, which may be an earlier one."""
        name = self.aliases.get(cmd_name, cmd_name)
        if name not in self.places:
            return None
        place = self._found(name)
        return place if isinstance(place, Group) else leaf(name, place)

    def _found(self, name: str) -> "Group | type[Command]":
        place: Group | type[Command] = loaded(self.places[name])
        return place

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first word names, called by its present name."""
        command = self.get_command(ctx, args[0])
        if command is None and not ctx.resilient_parsing:
            raise click.NoSuchCommand(args[0], possibilities=[*self.places, *self.aliases], ctx=ctx)
        return None if command is None else command.name, command, args[1:]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Without a word, show the help before the error."""
        ctx.meta[_ALL] = _ALL in args
        if not args and not ctx.resilient_parsing:
            say(ctx.get_help())
            article = "an" if self.kind[0] in "aeiou" else "a"
            raise click.UsageError(f"{article} {self.kind} is missing", ctx)
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands, and how to see the options; with --all the options too."""
        if ctx.meta.get(_ALL):
            super().format_options(ctx, formatter)
            return
        self.format_commands(ctx, formatter)
        formatter.write_paragraph()
        one = self.kind.upper()
        formatter.write_text(f"{ctx.command_path} {one} --help says more of one, --help {_ALL} of each.")

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Exit codes, where all is asked for."""
        if ctx.meta.get(_ALL):
            super().format_epilog(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Each command with the first paragraph of its help, by sections."""
        told = dict(self._rows())
        rows = [] if self.sections else [*told.items()]
        left = max(map(len, self.sections), default=0)
        for number, (section, names) in enumerate(self.sections.items(), start=1):
            if number == len(self.sections) and not ctx.meta.get(_ALL):
                rows.append((section, ", ".join(names)))
                continue
            for name in names:
                rows.append((f"{section if name == names[0] else '':<{left}}  {name}", told[name]))
        with formatter.section(f"{self.kind.capitalize()}s"):
            formatter.write_dl(rows)

    def _rows(self) -> Iterator[tuple[str, str]]:
        for name in self.places:
            place = self._found(name)
            earlier = "".join(f" Earlier: {old}." for old, meant in self.aliases.items() if meant == name)
            text = place.help if isinstance(place, Group) else place.__doc__
            yield name, " ".join((text or "").partition("\n\n")[0].split()) + earlier


# --- Read a command line ---------------------------------------------------------------------------------


def read(tool: click.Command, prog: str, words: Sequence[str]) -> Command | None:
    """The command that is asked for, with its values; None if what is asked for is shown: the help."""
    try:
        with tool.make_context(prog, list(words), terminal_width=page_width()) as context:
            command: Command = tool.invoke(context)
            return command
    except click.exceptions.Exit:
        return None
    except click.UsageError as error:
        raise InputError(_sentence(error, prog)) from None


def _near(error: click.NoSuchOption | click.NoSuchCommand, asked: click.Command | None) -> str | None:
    """The nearest command or option, or the option that takes this word."""
    if isinstance(error, click.NoSuchCommand) or asked is None:
        return next(iter(error.possibilities or ()), None)
    word = error.option_name.lstrip("-")
    for one in asked.params:
        if isinstance(one.type, click.Choice) and word in one.type.choices:
            return f"{one.opts[0]} {word}"
    known = {name.lstrip("-"): name for one in asked.params for name in one.opts if name.startswith("--")}
    return next((known[near] for near in nearest(word, known)), None)


def _sentence(error: click.UsageError, prog: str) -> str:
    """Click's message as one sentence of ours."""
    asked = error.ctx.command if error.ctx else None
    if (
        isinstance(error, click.NoSuchOption)
        and isinstance(asked, _Leaf)
        and error.option_name in asked.moved
    ):
        place = asked.moved[error.option_name]
        return f"{error.option_name} is an option of {place}; see {prog} {place} --help"
    if isinstance(error, click.NoSuchOption | click.NoSuchCommand):
        if isinstance(error, click.NoSuchCommand):
            kind = error.ctx.command.kind if error.ctx and isinstance(error.ctx.command, Group) else "command"
            said = f"there is no {kind} {error.command_name[:40]!r}"
        else:
            said = f"there is no option {error.option_name[:40]}"
        near = _near(error, asked)
        message = f"{said}; did you mean {near}?" if near else said
    else:
        said = error.format_message().rstrip(".")
        message = said[:1].lower() + said[1:]
    return f"{message}; see {error.ctx.command_path if error.ctx else prog} --help"
