"""Commands behind one word: the tool has its commands, and a command may have some of its own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import final

from consistency_lab.cli.exit_codes import CONSISTENT
from consistency_lab.cli.grammar import Command, Grammar, Parser, near
from consistency_lab.errors import InputError


@final
@dataclass(frozen=True)
class Group:
    """Commands by their names; only that of the one that is asked for is imported.

    Parameters
    ----------
    about
        What they are, for the help.
    places
        The module under ``consistency_lab.cli`` and the function (or the group) of each.
    kind
        What one of them is called.
    aliases
        Earlier names, which stand in files and scripts.
    flags
        Options of the group itself, with their help; whoever runs the group reads them.
    """

    about: str
    places: Mapping[str, str]
    kind: str = "command"
    aliases: Mapping[str, str] = field(default_factory=dict)
    flags: Mapping[str, str] = field(default_factory=dict)

    def run(self, prog: str, words: list[str]) -> int:
        """Run the command that the first word names with the others, and return its exit code.

        Raises
        ------
        InputError
            If there is no such command, or an option is unknown, missing or badly written.
        """
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
