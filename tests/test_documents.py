"""What a text of the project refers to is in the project, and what README.md and docs show runs."""

import ast
import json
import re
import shlex
import sys
import tomllib
from functools import cache
from glob import glob
from pathlib import Path
from typing import NamedTuple

import pytest

from consistency_lab.cli.running import NAME, places, run
from consistency_lab.cli.running import command as asked_for
from consistency_lab.show.text import cells
from consistency_lab.shown import HEIGHT, WIDTH
from docs.tables import TABLES

ROOT = Path(__file__).parents[1]
FOLDERS = ("consistency_lab", "tests", "docs", "benchmarks", "notebooks", "counterexamples")
TEXTS = {
    path: path.read_text(encoding="utf-8")
    for folder in (ROOT.glob("*.md"), *(ROOT.joinpath(name).rglob("*") for name in FOLDERS))
    for path in folder
    if path.suffix in {".py", ".md", ".ipynb"} and path != Path(__file__)
}
THEORY = ROOT / "docs" / "theory.md"
SECTIONS = set(re.findall(r"^## (.+)$", TEXTS[THEORY], re.MULTILINE))
WRITTEN_BY_COMMANDS = {
    *("page.md", "FILE.md", "DIR/README.md", "files/README.md", "book/index.md"),
    *("gallery/index.md", "index.md"),
}

WRITTEN_BY_THE_READER = {"my_losses.py", "my_file.py", "my_list_loss.py", "construction.py"}

DOCUMENT = re.compile(r"(?<![\w*/.-])[\w./-]{0,60}\w\.md\b(?!\.j2)")
MODULE = re.compile(r"(?<![\w*/.<-])[\w./-]{0,80}\w\.py\b")
NAME_IN_A_MODULE = re.compile(r"`(_?[A-Z][A-Z_]+)` in `([\w/]+\.py)`")
BEFORE_A_SECTION_SIGN = re.compile(r"(\S{1,20}) §+ ?\d")
SOURCE = re.compile(r"(DMJ10|DMJ13|RAT13|\b(19|20)\d\d,?|\d,|\band|\bin)$")
"""A paper, the year that ends the name of one, or another section of the same one."""


@cache
def unbroken():
    """The texts, line breaks read as spaces."""
    return {path: " ".join(text.split()) for path, text in TEXTS.items()}


def everywhere(pattern, sign=""):
    """Each place that a pattern fits, in texts that have the sign: the file and the group (or all)."""
    return [(path, one) for path, text in unbroken().items() if sign in text for one in pattern.findall(text)]


def is_there(name, path):
    places = (ROOT, ROOT / "docs", ROOT / "consistency_lab" / "apps" / "book" / "pages", path.parent)
    return any((place / name).exists() for place in places)


def test_cited_documents_are_there():
    cited = everywhere(DOCUMENT)
    assert (ROOT / "CONTRIBUTING.md", "docs/theory.md") in cited
    missing = {(path, name) for path, name in cited if "NAME" not in name and not is_there(name, path)}
    assert {name for _, name in missing} <= WRITTEN_BY_COMMANDS


def module(name, path):
    """The file that a document means: from the top, within the package, or beside the document."""
    places = (ROOT, ROOT / "consistency_lab", ROOT / "benchmarks", path.parent)
    return next((place / name for place in places if (place / name).exists()), None)


def test_cited_modules_and_their_tables_are_there():
    """Except in the changelog, which is of its time, and docs/libraries.md, which names others' files."""
    others = {ROOT / "CHANGELOG.md", ROOT / "docs" / "libraries.md"}
    cited = [(p, name) for p, name in everywhere(MODULE) if p.suffix == ".md" and p not in others]
    assert (ROOT / "CONTRIBUTING.md", "model/label_cones.py") in cited
    missing = {name for path, name in cited if "NAME" not in name and module(name, path) is None}
    assert missing <= WRITTEN_BY_THE_READER
    tables = [(path, *found) for path, found in everywhere(NAME_IN_A_MODULE) if path.suffix == ".md"]
    assert len(tables) >= 13
    for path, table, name in tables:
        found = module(name, path)
        assert re.search(rf"^{table}\b", found.read_text(encoding="utf-8"), re.MULTILINE), (table, name)


def test_the_extras_and_the_commands_within_a_sentence_are_there():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    told = re.search(r"The extra `all` is (.+?)\. ", " ".join(TEXTS[ROOT / "CONTRIBUTING.md"].split()))
    extras = re.search(r"\[(.+)\]", project["optional-dependencies"]["all"][0])
    assert told and extras
    assert set(re.findall(r"`(\w+)`", told[1])) == set(extras[1].split(","))
    with_options = {
        code.split()[0].removeprefix(".venv/bin/")
        for path, text in TEXTS.items()
        if path.suffix == ".md"
        for code in re.findall(r"`([^`\n]+(?:\n[^`\n]+)?)`", re.sub(r"(?ms)^```.*?^```", "", text))
        if re.search(r"\w --\w", code) and code[0].isalpha()
    }
    assert {"measure", "recommend", "export"} <= with_options
    assert with_options <= {*places(), NAME, "python"}


def test_every_package_is_in_a_layer_that_the_linter_enforces_and_says_what_it_knows():
    """The site makes the table of CONTRIBUTING.md from these."""
    layers = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contract = layers["tool"]["importlinter"]["contracts"][0]
    listed = re.findall(r"consistency_lab\.([\w.]+)", " ".join(contract["layers"]))
    package = ROOT / "consistency_lab"
    files = {path.stem: path for path in package.glob("[!_]*.py")}
    files |= {path.parent.name: path for path in package.glob("*/__init__.py")}
    del files["apps"]
    files |= {f"apps.{path.parent.name}": path for path in package.glob("apps/*/__init__.py")}
    assert sorted(listed) == sorted(files)
    for path in files.values():
        said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
        assert said and said.partition("\n\n")[0].endswith("."), path


@pytest.mark.long
def test_the_tables_that_documents_leave_to_the_site_are_made():
    made = re.compile(r"^<!-- table: (.+) -->$", re.MULTILINE)
    named = {name for path, text in TEXTS.items() if path.suffix == ".md" for name in made.findall(text)}
    assert named == set(TABLES)
    for name, make in TABLES.items():
        assert len(make().strip().splitlines()) >= 3, name


def test_who_proposes_weights_proposes_the_difference_loss_first_and_says_what_either_mends():
    """docs/audit.md measured it: of 88 files in which the logistic loss is wrong, 82 and 5."""
    proposing = 0
    for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "notebooks").glob("*.ipynb")]:
        text = path.read_text("utf-8")
        if path.suffix == ".ipynb":
            cells = json.loads(text)["cells"]
            text = "\n".join("".join(one["source"]) for one in cells if one["cell_type"] == "markdown")
        if "1/n" in text:
            proposing += 1
            assert "difference" in text[: text.index("1/n")], path
            assert re.search(r"\b88\b.{,200}\b82\b.{,100}\b5\b", text, re.DOTALL), path
    assert proposing == 4  # other pages link to these


def test_cited_sections_of_the_theory_are_there():
    sections = "|".join(map(re.escape, SECTIONS))
    cited = everywhere(re.compile(r"docs/theory\.md, (.{,40})"))
    assert len({path for path, _ in cited if path.suffix == ".py"}) >= 24
    assert [place for place in cited if not re.match(rf"({sections})(?!\w)", place[1])] == []


def test_a_section_sign_follows_a_paper():
    assert [place for place in everywhere(BEFORE_A_SECTION_SIGN, "§") if not SOURCE.search(place[1])] == []


class Block(NamedTuple):
    """A fenced block: where it stands, its language, and its text."""

    place: str
    language: str
    text: str


def blocks(path):
    """All of a document, in order."""
    text = TEXTS[path]
    return [
        Block(f"{path.name}:{text.count(chr(10), 0, found.start()) + 1}", found[1], found[2])
        for found in re.finditer(r"^```(.*)\n((?:.*\n)*?)```$", text, re.MULTILINE)
    ]


DOCUMENTS = {
    path.relative_to(ROOT).as_posix(): blocks(path)
    for path in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
}
RUN = ("sh", "console", "python")
RUN_ELSEWHERE = {"docs/learn.md"}
"""By tests/learn/test_page.py, which draws the tables that its program reads."""
CONSISTENT = (
    "check linear --condition low-noise",
    "check linear --condition low-noise --details",
    "check dpo --condition bradley-terry --no-save",
    "check logistic --condition low-noise --design balanced --no-save",
    "check logistic --condition sst --design product --no-save",
    "check dpo --condition bradley-terry --no-save",
    "check regression --target ndcg --on gain/Z --condition any",
    "check dpo --profile preferences.csv --no-save",
    "check dpo --condition strong-stochastic-transitivity --design balanced --no-save",
    "check difference-dpo --condition acyclic --no-save",
    "check map-diagonal --target map --condition reinforce",
    "check pd-least-squares --target pairwise --decode algorithm-1 --condition acyclic",
)
"""What is asked and found right. Other questions of these commands end with 1, other commands with 0."""


WHOLE = {
    *("--details", "--json", "--format", "--script", "--formal", "--explain", "aggregate"),
    *("exercises", "help"),
}
"""What asks for more than a screen: a table of data, a document, a program, a proof."""


def commands(text):
    """The words of each command of a shell, without comments; a pattern becomes the names that fit."""
    lines = (shlex.split(line, comments=True) for line in re.sub(r"\\\n *", "", text).splitlines())
    found = [[sorted(glob(word)) or [word] for word in words] for words in lines]  # noqa: PTH207, of any text
    return [[name for names in words for name in names] for words in found if words]


def expected_code(words, out):
    if words[0] == "audit":
        return int("above noise." in out.partition("\n\n")[0])
    if words[0] == "embed":
        return int(out.startswith("No"))
    return int(words[0] in ("check", "measure", "align") and " ".join(words) not in CONSISTENT)


def transcript(text):
    """Each command behind a $, with the output that is shown below it."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        yield command, shown


def fits(shown, out):
    """Whether this is the output; a line of three dots stands for any lines."""
    lines = ("(?:.*\n)*?" if line == "..." else re.escape(line) + "\n" for line in shown.splitlines())
    return bool(re.fullmatch("".join(lines), "".join(f"{line.rstrip()}\n" for line in out.splitlines())))


def called(block, text, answers, capsys):
    """Run the commands in this process, each once in a document; what the last one prints."""
    out = ""
    for tool, *words in commands(text):
        if tool == "make":
            for target in words:
                assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
            continue
        assert tool == NAME, f"{block.place}: {tool} is not run here; a block that is not run is text"
        asked = shlex.join(words)
        if asked not in answers:
            code = run(words)
            answers[asked], err = capsys.readouterr()
            right = expected_code(words, answers[asked])
            assert code == right, f"{block.place}: {asked} ended with {code}\n{err}"
            if not WHOLE & {*words, *words[:1]}:
                lines = f"{answers[asked]}{err}".splitlines()
                long = len(lines) > HEIGHT or max(map(cells, lines), default=0) > WIDTH
                assert not long, f"{block.place}: {asked} is no screen\n{answers[asked]}"
        out = answers[asked]
    return out


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name == "README.md" else pytest.mark.long)
        for name in sorted(DOCUMENTS.keys() - RUN_ELSEWHERE)
    ],
)
def test_what_is_shown_runs(name, tmp_path, monkeypatch, capsys):
    """In a folder with the files that the document shows, and the gallery beside them, as in a clone."""
    monkeypatch.chdir(tmp_path)
    Path("counterexamples").symlink_to(ROOT / "counterexamples")
    for block in DOCUMENTS[name]:
        if found := re.match(r"\$ cat (\S+)\n|# (\S+\.py)\n", block.text):
            Path(found[1] or found[2]).write_text(block.text[found.end() :], encoding="utf-8")
    answers = {}
    namespace = {}
    for block in DOCUMENTS[name]:
        if block.language == "python":
            exec(compile(block.text, block.place, "exec"), namespace)  # noqa: S102, a program of ours
            printed = capsys.readouterr().out.splitlines()
            assert {*re.findall(r"  # → (.+)$", block.text, re.MULTILINE)} <= {*printed}, block.place
        elif block.language == "sh":
            called(block, block.text, answers, capsys)
        elif block.language == "console" and not block.text.startswith("$ cat "):
            for command, shown in transcript(block.text):
                out = called(block, command, answers, capsys)
                assert not shown or fits(shown, out), f"{block.place}: {command} says\n{out}"
    sys.modules.pop("my_losses", None)


@pytest.mark.parametrize("name", sorted(DOCUMENTS))
def test_what_is_shown_and_not_run_can_be_asked(name):
    for block in DOCUMENTS[name]:
        assert block.language in (*RUN, "text", "json"), f"{block.place}: say what this is"
        asked = re.findall(rf"^(?:\$ )?({NAME} (?:.*\\\n)*.*)", block.text, re.MULTILINE)
        for _, *words in (one for text in asked if block.language == "text" for one in commands(text)):
            assert asked_for(words) is not None, block.place
