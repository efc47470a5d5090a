"""What a text of the project refers to is in the project."""

import re
from collections.abc import Iterator
from pathlib import Path

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
WRITTEN_BY_COMMANDS = {"page.md", "FILE.md", "DIR/README.md", "files/README.md"}

DOCUMENT = re.compile(r"(?<![\w*/.-])[\w./-]{0,60}\w\.md\b")
BEFORE_A_SECTION_SIGN = re.compile(r"(\S{1,20}) §+ ?\d")
SOURCE = re.compile(r"(DMJ10|DMJ13|RAT13|\b(19|20)\d\d,?|\d,|\band|\bin)$")
"""A paper, the year that ends the name of one, or another section of the same one."""


def everywhere(pattern: re.Pattern[str]) -> Iterator[tuple[Path, str]]:
    """Each place that a pattern fits, line breaks read as spaces: the file and the group (or all)."""
    for path, text in TEXTS.items():
        for found in pattern.findall(" ".join(text.split())):
            yield path, found


def is_there(name: str, path: Path) -> bool:
    return any((place / name).exists() for place in (ROOT, ROOT / "docs", path.parent))


def test_cited_documents_are_there() -> None:
    cited = list(everywhere(DOCUMENT))
    assert (ROOT / "CONTRIBUTING.md", "docs/theory.md") in cited
    missing = {(path, name) for path, name in cited if not is_there(name, path)}
    assert {name for _, name in missing} <= WRITTEN_BY_COMMANDS


def test_cited_sections_of_the_theory_are_there() -> None:
    sections = "|".join(map(re.escape, SECTIONS))
    cited = list(everywhere(re.compile(r"docs/theory\.md, (.{,40})")))
    assert len({path for path, _ in cited if path.suffix == ".py"}) >= 24
    assert [place for place in cited if not re.match(rf"({sections})(?!\w)", place[1])] == []


def test_a_section_sign_follows_a_paper() -> None:
    assert [place for place in everywhere(BEFORE_A_SECTION_SIGN) if not SOURCE.search(place[1])] == []


def test_the_glossary_is_sorted_and_points_to_sections() -> None:
    glossary = TEXTS[THEORY].partition("## Glossary\n")[2]
    rows = re.findall(r"^\| (.+?) \| .+ \| (.+?) \|$", glossary, re.MULTILINE)
    words = [word for word, _ in rows[2:]]
    assert rows[0] == ("word", "section")
    assert words == sorted(words, key=str.lower)
    assert {section for _, at in rows[2:] for section in at.split(", ")} <= SECTIONS
    for word in (
        *("A(p)", "Assumption A", "certificate", "chamber", "circulation", "closure", "escape"),
        *("Farkas multipliers", "interval Newton", "P_f, P_reinforce", "phi'_inf", "rank-differentiable"),
        *("separation", "verdict", "W, W*", "witness"),
    ):
        assert word in words
