"""Which files of the repository are the pages of the site; `mkdocs.yml` calls the functions `on_...` here.

The pages keep their places in the repository, so the links between them work on disk and on the site alike. The API
reference is made from the public names, the theorem book from what `consistency-lab reproduce --json` found.
"""

import inspect
import json
import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import consistency_lab as lab

ROOT = Path(__file__).parents[1]
PAGES = (
    "*.md",
    "docs/**/*.md",
    "notebooks/*.ipynb",
    "notebooks/*.md",
    "counterexamples/*.md",
    "consistency_lab/core/*.md",
)
LINKED = (
    "docs/**/*.svg",
    "docs/**/*.png",
    "docs/**/*.json",
    "docs/*.css",
    "counterexamples/**/*.json",
    "**/proofs/*.json",
)
FOUND = ROOT / "build" / "book.json"
MATH = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)


class Document(File):
    """A file of the repository that is a page, be it Markdown or a notebook."""

    def is_documentation_page(self) -> bool:
        return True


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The pages and what they link to, each under its path in the repository; and what is made here."""
    pages = [
        kind(path.relative_to(ROOT).as_posix(), str(ROOT), config.site_dir, config.use_directory_urls)
        for kind, patterns in ((Document, PAGES), (File, LINKED))
        for pattern in patterns
        for path in sorted(ROOT.glob(pattern))
    ]
    made = [File.generated(config, name, content=text) for name, text in (*reference(), *book())]
    theme = [file for file in files if file.src_dir != config.docs_dir]
    return Files([*theme, *pages, *made])


def on_page_read_source(page: Page, config: MkDocsConfig) -> str | None:
    """A notebook as Markdown, with its stored outputs; other pages as they are."""
    if not page.file.src_uri.endswith(".ipynb"):
        return None
    notebook = nbformat.read(str(page.file.abs_src_path), as_version=4)
    return "\n\n".join(part for cell in notebook.cells for part in shown(cell))


def shown(cell: nbformat.NotebookNode) -> Iterator[str]:
    """A cell, and its outputs: the best form of each that a page can show."""
    yield f"```python\n{cell.source}\n```" if cell.cell_type == "code" else cell.source
    for output in cell.get("outputs", ()):
        data = output.get("data", {"text/plain": output.get("text", "")})
        if "image/png" in data:
            yield f'<img alt="The picture that this cell draws" src="data:image/png;base64,{data["image/png"].replace(chr(10), "")}">'
        elif "image/svg+xml" in data:
            yield f'<div class="output">{data["image/svg+xml"]}</div>'
        else:
            yield f'<div class="output" markdown>\n```text\n{data["text/plain"]}\n```\n</div>'


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Formulas as MathML, which browsers show without a script."""
    return MATH.sub(
        lambda found: convert(unescaped(found[2]), display="block" if found[1] == "div" else "inline"), html
    )


def unescaped(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def reference() -> Iterator[tuple[str, str]]:
    """The public names of the package, by what they are."""
    kinds: dict[str, list[str]] = {"functions": [], "classes": [], "errors": []}
    for name in lab.__all__:
        thing = getattr(lab, name)
        error = isinstance(thing, type) and issubclass(thing, Exception)
        kinds["errors" if error else "classes" if isinstance(thing, type) else "functions"].append(name)
    for kind, names in kinds.items():
        rows = (f"| [`{name}`](#consistency_lab.{name}) | {summary(name)} |" for name in names)
        entries = (f"\n::: consistency_lab.{name}" for name in names)
        title = f"# Python: {kind}\n\nAfter `import consistency_lab as lab`, each is `lab.NAME`.\n"
        yield f"api/{kind}.md", "\n".join((title, "| name | what it is |", "| --- | --- |", *rows, *entries))


def summary(name: str) -> str:
    """The first sentence of the docstring."""
    thing = getattr(lab, name)
    text = inspect.getdoc(thing) if callable(thing) else ""
    return (text or "").partition("\n\n")[0].replace("\n", " ").replace("|", "\\|")


def book() -> Iterator[tuple[str, str]]:
    """A page for each statement of the book, and one that lists them."""
    found = json.loads(FOUND.read_text(encoding="utf-8"))["statements"]
    rows = "\n".join(
        f"| [{one['title']}]({one['name']}.md) | {one['plain']} | {one['kind']} |" for one in found
    )
    yield "book/index.md", INDEX.format(count=len(found), rows=rows)
    for one in found:
        yield f"book/{one['name']}.md", "\n".join(statement(one))


INDEX = """# The theorem book

Every statement of the papers that the package rests on, and some of ours: {count} in all. `consistency-lab reproduce` checks
them again; *checked by* is the weakest evidence that a statement needs. A *hand proof* is an argument in words whose lines of
algebra the machine checks. [What Coq proves](../docs/formal.md) lists the statements that are proved there, every step.

| statement | in one sentence | checked by |
| --- | --- | --- |
{rows}
"""


def statement(one: dict) -> Iterator[str]:
    """The statement, what checked it, and the command that does it again."""
    yield f"# {one['title']}\n\n{one['plain']}\n\n{one['latex']}\n\n*Source:* {one['citation']}.\n\n## Hypotheses\n"
    yield from (f"- {hypothesis}" for hypothesis in one["hypotheses"])
    yield f"\n## What checked it\n\nOutcome: **{one['outcome']}** ({one['kind']}; {one['scope']}).\n"
    for finding in one["findings"]:
        yield f"- {plain(finding['claim'])}: {plain(finding['how'])} (*{finding['kind']}*; {plain(finding['scope'])})."
    yield "\n## Check it again\n"
    yield f"```sh\nconsistency-lab reproduce {one['name']} --explain\n```\n\nThis took {one['seconds']:.1f} seconds here.\n"
    if details := [
        line for finding in one["findings"] for line in (finding["claim"], *finding["details"], "")
    ]:
        yield '??? note "The argument, line by line"\n'
        yield from (f"    {line}".rstrip() for line in ("```text", *details, "```"))
    if one["remarks"]:
        yield "\n## Remarks\n"
        yield from (f"- {plain(remark)}" for remark in one["remarks"])


def plain(text: str) -> str:
    """Text in which stars, underscores and angle brackets mean themselves."""
    return re.sub(r"([\\*_<>`$|])", r"\\\1", text)
