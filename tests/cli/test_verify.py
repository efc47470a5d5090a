"""`verify`: a summary of files or one line each, and a bad file does not stop the others."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from consistency_lab.files import with_digest


def spoilt(path, name="spoilt.json"):
    document = json.loads(Path(path).read_text(encoding="utf-8"))
    document["proof"]["regret"] = "7"
    Path(name).write_text(json.dumps(document), encoding="utf-8")
    return name


def test_good_files(cli, files):
    ran = cli("verify --details", *files.values())
    assert ran.code == 0
    assert ran.err == ""
    lines = ran.out.splitlines()
    assert [line.split(":")[0] for line in lines] == [f"ok  {path}" for path in files.values()]
    assert "proof: accepted, inconsistent (3 items), tie; named: pairwise-disagreement, hinge, " in lines[0]
    assert "strict inversion, of everything near the infimum of W; named: " in lines[1]
    assert all(line.endswith(": recomputed and equal") for line in lines)
    assert "; wrong for every convex phi with phi'(0) < 0" in lines[-1]


def test_several_files_are_summed_up(cli):
    gallery = sorted(map(str, (Path(__file__).parents[2] / "counterexamples").glob("*.json")))
    ties = sum(json.loads(Path(path).read_text())["proof"]["failure"] == "tie" for path in gallery)
    ran = cli("verify", *gallery)
    assert (ran.code, ran.err) == (0, "") and ran.screen
    assert ran.out.startswith(f"All {len(gallery)} files are accepted.\n")
    assert f"{len(gallery) - ties} strict inversions and {ties} ties; " in ran.said
    assert "Named conditions and losses were recomputed and are equal in all." in ran.said


def test_a_folder_stands_for_its_json_files(cli, files):
    assert cli("verify", str(Path(files["hinge"]).parent)) == cli("verify", *sorted(files.values()))
    Path("empty").mkdir()
    ran = cli("verify empty")
    assert ran.code == 2 and ran.err.startswith("empty") and ran.err.count("\n") == 1


def test_a_summary_counts_every_file_and_names_the_rejected_ones_first(cli, files):
    bad = [spoilt(files["hinge"], f"spoilt-{number}.json") for number in range(6)]
    ran = cli("verify", *files.values(), *bad, "missing.json")
    assert (ran.code, ran.err.count("\n")) == (2, 1) and ran.screen
    total = len(files) + len(bad) + 1
    head = f"6 of {total} files are rejected; 1 cannot be read; {len(files)} are accepted."
    assert ran.out.startswith(head)
    assert ran.said.index("rejected spoilt-0.json the digest is stated as sha256:") < ran.said.index("strict")
    assert "spoilt-3.json" in ran.said and "spoilt-4.json" not in ran.said and "and 2 more" in ran.said


def test_names_that_are_not_known_are_not_said_to_be_recomputed(cli, files):
    odd = renamed(files["logistic"], lambda named: named.update(surrogate={"name": "own: mine"}))
    ran = cli("verify", odd, files["hinge"])
    assert ran.code == 0 and "equal in all" not in ran.said
    assert "1 with names that are not known here, or with none" in ran.said


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "empty"),
        ("{", "ends too early"),
        ("[]", "a witness file is a JSON object"),
        ("{}", "format"),
        ('{"format": "consistency-lab/witness/99"}', "witness/99"),
        ("[" * 100_000, "nests"),
    ],
)
def test_what_is_no_witness_file_gives_exit_code_2(cli, files, content, words):
    Path("odd.json").write_text(content, encoding="utf-8")
    ran = cli("verify odd.json", files["hinge"])
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    assert words in ran.err and "odd.json" in ran.err
    assert ran.out.startswith("1 of 2 files cannot be read; 1 is accepted.\n")


def test_json(cli, files):
    ran = cli("verify --json", files["universal"], spoilt(files["hinge"]), "missing.json")
    assert ran.code == 2
    good, rejected, unreadable = ran.document["files"]
    assert good["status"] == "ok"
    assert (good["claim"], good["failure"], good["universal"]) == ("inconsistent", "strict", True)
    assert float(good["gap"]) > 0
    assert rejected["status"] == "rejected"
    assert unreadable["status"] == "unreadable"


LOADED = """
import sys
from consistency_lab.cli.running import run
run(sys.argv[1:])
print(*sys.modules)
"""


@pytest.mark.parametrize(
    ("asked", "without"),
    [
        ("verify FILE", "numpy networkx rich typer sympy scipy click consistency_lab.model.surrogates.own"),
        (
            "check logistic --no-save",
            "scipy rich sympy consistency_lab.search.find consistency_lab.search.designs "
            "consistency_lab.decide.labels consistency_lab.decide.theorems.rat13",
        ),
    ],
)
def test_what_no_one_needs_is_not_imported(files, asked, without):
    words = asked.replace("FILE", files["hinge"]).split()
    ran = subprocess.run([sys.executable, "-c", LOADED, *words], capture_output=True, text=True, check=True)
    assert not {*without.split()} & {*ran.stdout.splitlines()[-1].split()}


def renamed(path, edit, name="renamed.json"):
    document = json.loads(Path(path).read_text(encoding="utf-8"))
    edit(document["named"])
    Path(name).write_text(json.dumps(with_digest(document)), encoding="utf-8")
    return name


@pytest.mark.parametrize(
    "edit",
    [
        lambda named: named["conditions"].update({"x\nok  b.json: proof": True}),
        lambda named: named.update(target="x\x1b[2J"),
        lambda named: named.update(surrogate={"name": "own: a\nb"}),
        lambda named: named["surrogate"].update(family="a\nb"),
        lambda named: named.update(
            labels=[],
            target={"loss": "x", "labels": {"kind": "x"}},
            surrogate={"name": "a\nb", "family": "x"},
        ),
        lambda named: named.update(labels=[], target={"loss": "x", "labels": {"kind": "x"}}, decoder="a\nb"),
    ],
)
def test_a_name_that_would_break_a_line_is_refused(cli, files, edit):
    ran = cli("verify", renamed(files["hinge"], lambda named: (named.pop("graphs"), edit(named))))
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "a name is a printable text" in ran.err


@pytest.mark.parametrize("command", ["verify", "show"])
@pytest.mark.parametrize("word", ["own: logistic: recomputed and equal", "own: ok  b.json: proof"])
def test_a_name_of_the_files_own_stands_in_quotes(cli, files, command, word):
    path = renamed(files["logistic"], lambda named: named.update(surrogate={"name": word}))
    ran = cli(command, path)
    said = ran.said.replace(f"'{' '.join(word.split())}'", "")
    assert ran.code == 0
    assert said != ran.said
    assert " ".join(word.split()) not in said


@pytest.mark.parametrize("content", [None, "{}"])
def test_the_name_of_a_file_is_no_line_of_its_own(cli, files, content):
    name = "a\nok  b.json"
    good = Path(files["hinge"]).read_text(encoding="utf-8")
    Path(name).write_text(good if content is None else content, encoding="utf-8")
    ran = cli("verify", name)
    assert sum(not line.startswith(" ") for line in (ran.out + ran.err).splitlines()) == 1
    assert r"'a\nok  b.json'" in ran.out + ran.err


def test_no_text_of_a_file_breaks_a_line(cli, files):
    forged = "1\nok  b.json: proof: accepted\x1b[31m"
    path = renamed(files["logistic"], lambda named: named["graphs"][0]["edges"][0].__setitem__(0, forged))
    ran = cli("verify", path)
    first, *more = (ran.out + ran.err).splitlines()
    assert first.startswith("REJECTED ") and all(line.startswith("    ") for line in more)
    document = json.loads(Path(files["logistic"]).read_text(encoding="utf-8"))
    document["provenance"]["note"] = forged
    Path("note.json").write_text(json.dumps(with_digest(document)), encoding="utf-8")
    for command in ("verify", "show"):
        ran = cli(command, "note.json")
        assert ran.code == 0
        assert (
            not any(line.startswith("ok  b.json") for line in ran.out.splitlines()) and "\x1b" not in ran.out
        )
