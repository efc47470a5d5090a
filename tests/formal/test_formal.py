"""What formal/ holds, as far as it can be seen without Coq; `make formal` compiles it."""

import json
import re
import runpy
import shutil
import subprocess
from pathlib import Path

from consistency_lab.book.formal import COVERED
from consistency_lab.errors import InputError

ROOT = Path(__file__).resolve().parents[2]
FORMAL = ROOT / "formal"
SOURCES = {str(path.relative_to(FORMAL)): path.read_text("utf-8") for path in FORMAL.glob("*/*.v")}
STORED = (FORMAL / "axioms.txt").read_text("utf-8")
AXIOMS = (
    "ClassicalDedekindReals.sig_forall_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "ClassicalDedekindReals.sig_not_dec",
    "Classical_Prop.classic",
)
UNPROVED = re.compile(r"\b(Admitted|admit|Abort|Axioms?|Parameters?|Conjecture|Unset|bypass_check)\b")


def without_comments(text: str) -> str:
    return re.sub(r"\(\*.*?\*\)", "", text, flags=re.DOTALL)


def asked() -> dict[str, list[str]]:
    """The headline theorems in each group, as formal/Axioms.v has them."""
    text = without_comments((FORMAL / "Axioms.v").read_text("utf-8"))
    checked = re.findall(r"^Check @(\S+)\.$", text, re.MULTILINE)
    groups = {
        name: re.findall(r"[\w.]+", body)
        for name, body in re.findall(r"^Definition (\w+) :=\s+\(?([^()]+?)\)?\.$", text, re.MULTILINE)
    }
    assert sorted(checked) == sorted(name for group in groups.values() for name in group)
    assert list(groups) == re.findall(r"^Print Assumptions (\w+)\.$", text, re.MULTILINE)
    return groups


def rests_on() -> dict[str, set[str]]:
    """The axioms of each headline theorem, or more, as stored."""
    parts = STORED.split("Axioms:\n")[1:]
    found = [set(re.findall(r"^([\w.]+)(?: :|$)", part, re.MULTILINE)) for part in parts]
    return {name: axioms for group, axioms in zip(asked().values(), found, strict=True) for name in group}


def test_nothing_is_left_unproved() -> None:
    assert len(SOURCES) >= 20
    assert [name for name, text in SOURCES.items() if UNPROVED.search(without_comments(text))] == []


def test_every_file_says_what_it_is_about_and_is_compiled() -> None:
    listed = (FORMAL / "_CoqProject").read_text("utf-8").splitlines()[1:]
    assert sorted(listed) == sorted(SOURCES)
    assert all(text.startswith("(* ") for text in SOURCES.values())


def test_the_theorems_rest_on_the_axioms_of_the_reals_alone() -> None:
    told = re.findall(r"^(\S+)\n {5}: ", STORED, re.MULTILINE)
    assert sorted(rests_on()) == sorted(told)
    assert all(found <= set(AXIOMS) for found in rests_on().values())


def test_the_page_lists_the_theorems_with_their_axioms() -> None:
    page = (ROOT / "docs" / "formal.md").read_text("utf-8")
    rows = re.findall(r"^\| .+ \| `(.+)` \| `(\w+)` \| (\d) \|$", page, re.MULTILINE)
    named = {
        f"{Path(file).stem}.{theorem}" if file.startswith("data") else theorem: int(count)
        for file, theorem, count in rows
    }
    assert named == {name: len(axioms) for name, axioms in rests_on().items()}
    assert all(axioms == {*AXIOMS[: len(axioms)]} for axioms in rests_on().values())
    for file, theorem, _ in rows:
        assert re.search(rf"^(Theorem|Lemma|Corollary) {theorem}\b", SOURCES[file], re.MULTILINE), (
            file,
            theorem,
        )


def test_the_record_of_the_book_is_what_was_compiled() -> None:
    # File, statement, axioms and digest of the sources of each theorem; `make -C formal accept` writes them.
    found = runpy.run_path(str(FORMAL / "record.py"))["record"]()
    stored = ROOT / "consistency_lab" / "book" / "data" / "formal.json"
    assert found == json.loads(stored.read_text("utf-8"))
    assert {name: set(one["axioms"]) for name, one in found.items()} == rests_on()
    assert {name for one in COVERED.values() for name in one.theorems.split()} <= set(found)


def test_the_files_of_data_are_written_from_what_the_project_ships() -> None:
    written = runpy.run_path(str(FORMAL / "generate.py"))["files"]()
    assert {f"data/{name}.v": text for name, text in written.items()} == {
        name: text for name, text in SOURCES.items() if name.startswith("data/")
    }


def test_files_of_the_gallery_are_replayed_or_refused() -> None:
    replay = runpy.run_path(str(FORMAL / "generate.py"))["replay"]
    replayed = []
    for path in sorted((ROOT / "counterexamples").glob("*.json")):
        try:
            replayed.append((path.name, "Theorem replayed" in replay(path)))
        except InputError as error:
            assert path.name in str(error)
    assert replayed == [
        ("hinge-additive-3items-578dc29e.json", True),
        ("hinge-additive-4items-7618c5b7.json", True),
        ("hinge-low-noise-3items-a791e62b.json", True),
        ("hinge-net-order-4items-7c4cf30c.json", True),
        ("square-additive-3items-5623e1df.json", True),
        ("square-net-order-4items-143fc1f1.json", True),
        ("squared-hinge-additive-3items-4b51e9d6.json", True),
    ]


def test_every_false_variant_changes_one_place() -> None:
    variants = runpy.run_path(str(FORMAL / "mutants.py"))["FALSE"]
    assert len(variants) >= 20
    assert [old for file, old, new, _ in variants if SOURCES[file].count(old) != 1 or old == new] == []


def test_make_formal_says_what_is_missing(tmp_path: Path) -> None:
    make = shutil.which("make")
    assert make is not None
    answer = subprocess.run(
        [make, "formal"], cwd=ROOT, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 2
    assert "Coq is not installed: make formal needs coqc, in Debian's package coq" in answer.stderr
