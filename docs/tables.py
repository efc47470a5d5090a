"""The tables that documents leave to the site, by the names that they have there: one place for each fact.

A line `<!-- table: … -->` of a document stands for the table of that name.
"""

import inspect
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from html import escape
from importlib import import_module
from operator import getitem
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import click

from consistency_lab.apps.book.formal import RECORD, assumed
from consistency_lab.apps.book.statement import FOLDER
from consistency_lab.apps.learn import LOSSES
from consistency_lab.apps.learn.aggregate import STRUCTURES
from consistency_lab.apps.measure.atlas.folder import entries
from consistency_lab.apps.measure.atlas.report import COLUMNS as ATLAS
from consistency_lab.cli.command import Group
from consistency_lab.cli.running import tool
from consistency_lab.data.formats import LAYOUTS
from consistency_lab.decide.answers import Answer
from consistency_lab.model.conditions import CONDITIONS, TASK_CONDITIONS
from consistency_lab.model.designs import DESIGNS
from consistency_lab.model.polyhedral import ROWS
from consistency_lab.model.surrogates.tasks.fields import FIELDS
from consistency_lab.show.frontier import COLUMNS, WORDS, counts, the_map
from consistency_lab.show.glossary import glossary_table
from docs.make_libraries import TABLES as LIBRARIES

LOSSES_OF_DMJ10: Final = ("hinge", "logistic", "linear")
ROOT = Path(__file__).parents[1]
SCHEMA = ROOT / "consistency_lab" / "certify" / "proofs" / "proof.schema.json"
#: What the names of a keyword of the schema mean as heads of a table.
HEADS = {"const": "name", "$comment": "certificate", "title": "parameters", "description": "meaning"}


def tabled(heads: str, rows: Iterable[Iterable[object]]) -> str:
    """A table in Markdown."""
    names = heads.split("; ")
    lines = [names, ["---"] * len(names), *(map(str, row) for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def conditions_table() -> str:
    """The noise conditions of `list conditions` and `list label-conditions`, with their formulas."""
    rows = ((c.name, f"\\({c.statement}\\)", plain(c.citation)) for c in TASK_CONDITIONS.values())
    return tabled("condition; what it says; source", rows)


def fields_table() -> str:
    """The gradient fields, with the parameters of the library, their defaults, and what was read."""
    rows = (
        (
            f"`{one.name}`",
            cell(one.formula),
            ", ".join(f"`{name}` = {json.dumps(value)}" for name, value in one.parameters.items()),
            cell(one.citation),
        )
        for one in FIELDS.values()
    )
    return tabled("field; g(y, u); parameters and defaults; read from", rows)


def formal_table() -> str:
    """The theorems that Coq proves, as the record of the book has them."""
    found = json.loads((FOLDER / RECORD).read_text(encoding="utf-8"))
    rows = (
        (
            cell(one["words"]),
            "; ".join(f"`{hypothesis}`" for hypothesis in assumed(one["statement"])),
            f"`{name}`",
            f"`{one['file']}`",
            len(one["axioms"]),
        )
        for name, one in found.items()
    )
    return tabled("statement; where Coq assumes; theorem; file; axioms", rows)


def embedded_table() -> str:
    """The surrogates that `embed` knows by name."""
    rows = (
        (f"`{name}`", f"{row.usual} {row.unit}", f"`{row.formula}`", row.citation, f"`{row.target}`")
        for name, row in ROWS.items()
    )
    return tabled("name; usual size; formula; source; usual target", rows)


def layers_table() -> str:
    """The layers of the package from top to bottom, with the first paragraph of each docstring."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    rows = (
        (len(layers) - above, f"`{name}`", plain(summary(import_module(f"consistency_lab.{name}"))))
        for above, layer in enumerate(layers)
        for name in re.findall(r"consistency_lab\.([\w.]+)", layer)
    )
    return tabled("layer; package; what it knows", rows)


def cell(text: str) -> str:
    """Text for a cell, in which every sign means itself."""
    return plain(text).replace("|", "&#124;")


def map_table() -> str:
    """Which loss is right where: a cell links to its theorem, or shows the counts of its example."""
    heads = [f"{CONDITIONS[name].title}, {DESIGNS[row].title}" for name, row in COLUMNS]
    rows = ((f"`{name}`", *map(evidence, row.values())) for name, row in the_map().items())
    return tabled("; ".join(["loss", *heads]), rows)


def evidence(answer: Answer) -> str:
    """A cell of the map."""
    word, a = WORDS[answer.verdict], counts(answer)
    if a is not None:
        return f"{word}: {json.dumps(a)}".replace("[", "&#91;").replace("]", "&#93;")
    section = re.search(r"docs/(\w+\.md)(?:, ([\w ]+))?", answer.citation)
    if section:
        anchor = f"#{section[2].lower().replace(' ', '-')}" if section[2] else ""
        return f"[{word}]({section[1]}{anchor})"
    return f"{word}: {cell(answer.citation)}" if answer.citation else word


def structures_table() -> str:
    """What labels can be made of judgments."""
    rows = ((f"`{name}`", one.title, one.formula, one.limit) for name, one in STRUCTURES.items())
    return tabled("name; structure; formula; estimates, as k grows", rows)


def layouts_table() -> str:
    """The layouts of tables that are recognized, and what tells each."""
    return tabled("rows; told by", ((cell(one.title), f"`{one.like}`") for one in LAYOUTS))


def losses_table() -> str:
    """The losses of the learner."""
    rows = ((f"`{name}`", x.formula, x.citation, f"`{x.structure}`") for name, x in LOSSES.items())
    return tabled("loss; formula; source; structure if none is given", rows)


def names(*place: str | int) -> Callable[[], str]:
    """The names that a place of the schema of proofs knows, in a table with what they mean."""

    def made() -> str:
        schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
        known = reduce(getitem, place, schema["$defs"]["named"]["properties"])["anyOf"][:-1]
        heads = [key for key in HEADS if any(key in one for one in known)]
        return tabled(
            "; ".join(HEADS[key] for key in heads), ([one.get(key, "") for key in heads] for one in known)
        )

    return made


def summary(thing: object) -> str:
    """The first paragraph of the docstring, in one line."""
    text = inspect.getdoc(thing) if callable(thing) or inspect.ismodule(thing) else "A table, by name."
    return " ".join((text or "").partition("\n\n")[0].split()).replace("|", "\\|")


def plain(text: str) -> str:
    """Text in which every sign means itself."""
    return re.sub(r"([\\*_`\[\]])", r"\\\1", escape(text, quote=False))


def options_tables(group: Group, before: str = "") -> Iterator[str]:
    """For each command a heading, what it does, and a table of what may be typed, as its help has it."""
    for name in group.places:
        command = group.get_command(click.Context(group), name)
        if isinstance(command, Group):
            yield from options_tables(command, f"{name} ")
        elif command is not None:
            context = click.Context(command)
            params = sorted(command.params[:-2], key=place)  # the last are --all and --help
            yield f"### Options of {before}{name}\n\n{command.get_short_help_str(200)}\n"
            yield "| option | meaning |\n| --- | --- |"
            for row in filter(None, (param.get_help_record(context) for param in params)):
                yield "| `{}` | {} |".format(*(part.replace("|", "\\|") for part in row))
            yield ""


def place(param: click.Parameter) -> int:
    """Arguments stand before options, and those of a panel behind."""
    return {"": 0, "Options": 1}.get(getattr(param, "panel", ""), 2)


def kept(name: str) -> Any:
    """What an experiment measured."""
    return json.loads((ROOT / "docs" / "experiments" / f"{name}.json").read_text(encoding="utf-8"))


def grid(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A table in Markdown."""
    lines = [tuple(heads), *(tuple(map(str, row)) for row in rows)]
    lines.insert(1, ("---",) * len(lines[0]))
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def movielens_table() -> str:
    """Table 1 of DMJ10, measured and printed."""
    found = kept("movielens")[0]
    rows: dict[int, list[str]] = {}
    for row in found["table"]:
        cells = (f"{row['mean']:.4f}", f"{row['paper']['mean']:.3f}")
        rows.setdefault(row["pairs"], []).extend(cells)
    heads = ("pairs", *(f"{loss}, {where}" for loss in LOSSES_OF_DMJ10 for where in ("here", "paper")))
    return grid(heads, ((pairs, *cells) for pairs, cells in rows.items()))


def variants_table() -> str:
    """The variants of fifteen runs."""

    def rows() -> Iterator[tuple[object, ...]]:
        for found in kept("movielens"):
            if found["settings"]["runs"] == 15:
                means = [row for row in found["table"] if row["pairs"] == 20_000]
                (apart,) = (
                    row for row in found["differences"] if (row["pairs"], row["than"]) == (20_000, "logistic")
                )
                yield (
                    found["settings"]["variant"],
                    *(f"{row['mean']:.4f}" for row in means),
                    f"{apart['mean']:+.4f} ({apart['standard_error']:.4f})",
                    means[-1]["lowest"],
                )

    return grid(("variant", *LOSSES_OF_DMJ10, "difference", "lowest"), rows())


def web_table() -> str:
    """Mean NDCG risks of three sizes."""
    sizes = (10_000, 160_000, 640_000)
    found: dict[str, dict[int, str]] = {}
    for row in kept("web-synthetic")["orders"]:
        name = row["estimator"] + ("" if row["k"] is None else f", k = {row['k']}")
        found.setdefault(name, {})[row["n"]] = f"{fmean(row['risks']):.4f}"[1:]
    shown = (
        name for name in found if name.partition("k = ")[2] in ("", "1", "10000") and "infinite" not in name
    )
    heads = ("NDCG risk", *(f"n = {n}" for n in sizes))
    return grid(heads, ((name, *(found[name][n] for n in sizes)) for name in shown))


def atlas_table() -> str:
    """The cells of docs/atlas."""
    cells = entries(ROOT / "docs" / "atlas")
    return grid(ATLAS, ([words(one) for words in ATLAS.values()] for one in cells))


TABLES: dict[str, Callable[[], str]] = {
    "atlas": atlas_table,
    "conditions": conditions_table,
    "decoders": names("decoder"),
    "embedded": embedded_table,
    "families": names("surrogate", "properties", "family"),
    "fields": fields_table,
    "formal": formal_table,
    "glossary": glossary_table,
    "label conditions": names("conditions", "propertyNames"),
    "labels": names("target", "anyOf", 1, "properties", "labels", "properties", "kind"),
    "layers": layers_table,
    "layouts": layouts_table,
    "learned losses": losses_table,
    "map": map_table,
    "movielens": movielens_table,
    "movielens variants": variants_table,
    "options": lambda: "\n".join(options_tables(tool())),
    "structures": structures_table,
    "targets": names("target", "anyOf", 1, "properties", "loss"),
    "web search": web_table,
    **{name: lambda lines=lines: "\n".join(lines()) for name, lines in LIBRARIES.items()},
}
