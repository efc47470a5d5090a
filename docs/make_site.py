"""Which files of the repository are the pages of the site; MkDocs calls the functions `on_...` here.

The pages keep their places in the repository, so the links between them work on disk and on the site alike.
The API reference is made from the public names, and the theorem book from what `reproduce --json` found.
"""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from html import unescape
from io import StringIO
from itertools import takewhile
from pathlib import Path
from typing import Any

import nbformat
from griffe import Attribute, Docstring, Extension
from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink

import consistency_lab as lab
from consistency_lab.apps.book.book import BOOK
from consistency_lab.apps.book.book import statement as asked
from consistency_lab.apps.book.page import PAGES as PAGES_OF_BOOK
from consistency_lab.cli.running import run
from docs.tables import TABLES, plain, summary

ROOT = Path(__file__).parents[1]
PAGES = (
    "*.md",
    "docs/**/*.md",
    "notebooks/*.md",
    "notebooks/*.ipynb",
    "counterexamples/*.md",
    "**/core/*.md",
)
LINKED = (
    "docs/**/*.svg",
    "docs/*.png",
    "docs/**/*.json",
    "docs/*.css",
    "docs/*.js",
    "counterexamples/**/*.json",
)
SCHEMA = "consistency_lab/certify/proofs/*.json"
DRAWN = ROOT / "build" / "drawn"
FOUND = ROOT / "build" / "book.json"
UNLISTED = "---\nsearch: {boost: 0.2}\n---"
MATH = re.compile(r"\\\((.*?)\\\)", re.DOTALL)


class Document(File):
    """A file of the repository that is a page, be it Markdown or a notebook."""

    def is_documentation_page(self) -> bool:
        return True


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The pages and what they link to, each under its path in the repository; and what is made here."""
    found = [
        kind(path.relative_to(ROOT).as_posix(), str(ROOT), config.site_dir, config.use_directory_urls)
        for kind, patterns in ((Document, PAGES), (File, (*LINKED, SCHEMA)))
        for pattern in patterns
        for path in sorted(ROOT.glob(pattern))
    ]
    made = [
        File.generated(config, name, content="\n".join(text))
        for name, text in (*reference(), *gallery(), *book())
    ]
    answered("explore", "--out", str(DRAWN / "explorer.html"))
    drawn = [
        File(path.relative_to(DRAWN).as_posix(), str(DRAWN), config.site_dir, config.use_directory_urls)
        for path in sorted(DRAWN.rglob("*.*"))
    ]
    return Files([*(file for file in files if file.src_dir != config.docs_dir), *found, *made, *drawn])


def answered(*words: str) -> str:
    """What a command of ours prints."""
    with redirect_stdout(StringIO()) as out:
        code = run(words)
    assert code == 0, words
    return out.getvalue()


# --- Tables, notebooks and formulas ---------------------------------------------------------------------


def on_page_read_source(page: Page, config: MkDocsConfig) -> str | None:
    """A notebook as Markdown, with its stored outputs; other pages as they are."""
    if not page.file.src_uri.endswith(".ipynb"):
        return None
    notebook = nbformat.read(str(page.file.abs_src_path), as_version=4)
    return "\n\n".join(part for cell in notebook.cells for part in shown(cell))


def shown(cell: Any) -> Iterator[str]:
    """A cell, and of each output the best form that a page can show."""
    yield f"```python\n{cell.source}\n```" if cell.cell_type == "code" else cell.source
    for output in cell.get("outputs", ()):
        data = output.get("data", {"text/plain": output.get("text", "")})
        if "image/png" in data:
            png = data["image/png"].replace("\n", "")
            yield f'<img alt="The picture that this cell draws" src="data:image/png;base64,{png}">'
        elif "image/svg+xml" in data:
            yield f'<div class="output">{data["image/svg+xml"]}</div>'
        else:
            yield f'<div class="output" markdown>\n```text\n{data["text/plain"]}\n```\n</div>'


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """A page with its tables: a line `<!-- table: … -->` of a document stands for one of `TABLES`."""
    return re.sub(r"^<!-- table: (.+) -->$", lambda found: TABLES[found[1]](), markdown, flags=re.MULTILINE)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Formulas as MathML, which browsers show without a script; and a bar in a cell without its backslash."""

    def titles(entries: Iterable[AnchorLink]) -> None:
        for entry in entries:
            entry.title = typeset(entry.title)
            titles(entry.children)

    titles(page.toc)
    html = re.sub("<td.*?</td>", lambda cell: cell[0].replace("\\|", "|"), html, flags=re.DOTALL)
    formula = r'<(span|div) class="arithmatex">.*?</\1>'
    return re.sub(formula, lambda found: typeset(found[0]), html, flags=re.DOTALL)


def typeset(html: str) -> str:
    """The text with its formulas, which stand between \\( and \\), as MathML."""
    return MATH.sub(lambda found: convert(unescape(found[1])), html)


# --- The API reference -----------------------------------------------------------------------------------


def reference() -> Iterator[tuple[str, list[str]]]:
    """The public names of the package, by what they are."""
    kinds: dict[str, list[str]] = {"functions": [], "classes": [], "errors": []}
    for name in lab.__all__:
        thing = getattr(lab, name)
        error = isinstance(thing, type) and issubclass(thing, Exception)
        kinds["errors" if error else "classes" if isinstance(thing, type) else "functions"].append(name)
    for kind, names in kinds.items():
        rows = [f"| [`{name}`](#consistency_lab.{name}) | {summary(getattr(lab, name))} |" for name in names]
        entries = [f"\n::: consistency_lab.{name}" for name in names]
        head = f"# Python: {kind}\n\nAfter `import consistency_lab as lab`, each of these is `lab.NAME`.\n"
        yield f"api/{kind}.md", [head, "| name | what it is |", "| --- | --- |", *rows, *entries]


class Comments(Extension):
    """The comments with `#:` above or beside a field as its docstring."""

    def on_attribute(self, *, attr: Attribute, **_: Any) -> None:
        if attr.docstring is None and isinstance(attr.filepath, Path) and attr.lineno and attr.endlineno:
            lines = attr.lines_collection[attr.filepath]
            above = list(takewhile(lambda line: "#:" in line[:9], reversed(lines[: attr.lineno - 1])))
            marked = [*reversed(above), lines[attr.endlineno - 1]]
            text = " ".join(line.partition("#:")[2].strip() for line in marked).strip()
            attr.docstring = Docstring(text, parent=attr) if text else None


# --- The gallery -----------------------------------------------------------------------------------------

PICTURES = """# The gallery in pictures

Each picture is the plane of the scores of three items: its six sectors are the six orders, the shaded one is
A(p), and a star is where the loss is least. Click one to read its proof.
[The table](../counterexamples/README.md) lists all files.

<div class="gallery" markdown>
"""


def gallery() -> Iterator[tuple[str, list[str]]]:
    """A page for each witness, with its proof as `show` writes it; and one with the pictures."""
    (DRAWN / "gallery").mkdir(parents=True, exist_ok=True)
    pictures = []
    for path in sorted(ROOT.glob("counterexamples/*.json")):
        name, picture = path.stem, DRAWN / "gallery" / f"{path.stem}.svg"
        image = [f"![The plane of scores of {name}]({picture.name})\n"] if "-3items-" in name else []
        proof = answered("show", str(path), *(("--plot", str(picture)) if image else ()))
        pictures += [f"[{text.strip()}]({name}.md)\n" for text in image]
        file = f"[The file](../counterexamples/{path.name}).\n"
        yield (f"gallery/{name}.md", [UNLISTED, f"# {name}\n", file, *image, "```text", proof, "```"])
    yield "gallery/index.md", [PICTURES, *pictures, "</div>"]


# --- The theorem book ------------------------------------------------------------------------------------

INDEX = """# The theorem book

Every statement of the papers that the package rests on, and some of ours: {count} in all. `consistency-lab
reproduce` checks them again. *Checked by* is the weakest evidence that a statement needs; a *hand* proof is
an argument in words whose lines of algebra the machine checks. Behind *formal:* stands which part of the
statement [Coq proves](../docs/formal.md), where it is not all.

| statement | in one sentence | verdict | checked by | scope |
| --- | --- | --- | --- | --- |"""


def book() -> Iterator[tuple[str, list[str]]]:
    """A page that lists the statements of the book, and one for each."""
    found = json.loads(FOUND.read_text(encoding="utf-8"))["statements"]
    rows = [
        f"| [{one['title']}]({one['name']}.md) | {plain(one['plain'])} | {one['outcome']} "
        f"| {plain(one['label'])} | {plain(one['scope'])} |"
        for one in found
    ]
    yield "book/index.md", [INDEX.format(count=len(found)), *rows]
    pages = {entry.name: PAGES_OF_BOOK / f"{entry.page}.md" for entry in BOOK}
    yield from ((f"book/{one['name']}.md", list(statement(one, pages[one["name"]]))) for one in found)


def statement(one: dict[str, Any], page: Path) -> Iterator[str]:
    """What the page of the book says of a statement, with what was found when it was checked."""
    yield f"{UNLISTED}\n# {one['title']}\n\n{plain(one['plain'])}\n\n{one['latex']}\n"
    yield from (f"- *Assuming* {hypothesis}" for hypothesis in one["hypotheses"])
    yield f"\n*Source:* {plain(one['citation'])}. [All statements](index.md)\n"
    yield f"**{one['outcome']}**: {plain(one['label'])}; {plain(one['scope'])}."
    if page.is_file():
        opening = page.read_text(encoding="utf-8").partition("\n## ")[0].partition("\n")[2]
        yield f"\n{plain(' '.join(opening.split()))}"
    for finding in one["findings"]:
        yield f"\n## {plain(finding['claim'])}\n\n*{finding['kind']}; {plain(finding['scope'])}*"
        yield f" — {plain(finding['how'])}\n"
        yield from fenced("text", *finding["details"]) if finding["details"] else ()
    for title, said in (
        ("Remarks", one["remarks"]),
        ("False variants, each with a counterexample", variants(one["name"])),
    ):
        yield from ("", f"## {title}\n", *(f"- {plain(text)}" for text in said)) if said else ()
    yield "\n## Check it again\n"
    yield from fenced("sh", f"consistency-lab reproduce {one['name']} --explain")


def variants(name: str) -> list[str]:
    """The false variants of a statement."""
    return [one.statement for one in asked(name).variants]


def fenced(kind: str, *lines: str) -> tuple[str, ...]:
    """The lines as they are."""
    return (f"```{kind}", *lines, "```")
