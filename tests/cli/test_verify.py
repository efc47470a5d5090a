"""`verify`: one line a file, and a bad file does not stop the others."""

import json
import subprocess
import sys
from pathlib import Path

import pytest


def spoilt(path: str, name: str = "spoilt.json") -> str:
    document = json.loads(Path(path).read_text(encoding="utf-8"))
    document["proof"]["regret"] = "7"
    Path(name).write_text(json.dumps(document), encoding="utf-8")
    return name


def test_good_files(cli, files: dict[str, str]) -> None:
    ran = cli("verify", *files.values())
    assert ran.code == 0
    assert ran.err == ""
    lines = ran.out.splitlines()
    assert [line.split(":")[0] for line in lines] == [f"ok  {path}" for path in files.values()]
    assert "proof: accepted, inconsistent (3 items), tie; named: pairwise-disagreement, hinge, " in lines[0]
    assert "strict inversion, of everything near the infimum of W; named: " in lines[1]
    assert all(line.endswith(": recomputed and equal") for line in lines)
    assert "for every convex phi" in lines[-1]


def test_a_rejected_file_gives_exit_code_1_and_the_others_are_still_checked(cli, files) -> None:
    ran = cli("verify", spoilt(files["hinge"]), files["hinge"])
    assert ran.code == 1
    rejected, good = ran.out.splitlines()
    assert rejected.startswith("REJECTED spoilt.json: ")
    assert good.startswith("ok  ")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "empty"),
        ("{", "ends too early"),
        ("[]", "a witness is a JSON object"),
        ("{}", "format"),
        ('{"format": "consistency-lab/witness/99"}', "witness/99"),
        ("[" * 100_000, "nests"),
    ],
)
def test_what_is_no_witness_file_gives_exit_code_2(cli, files, content: str, words: str) -> None:
    Path("odd.json").write_text(content, encoding="utf-8")
    ran = cli("verify", "odd.json", files["hinge"])
    assert ran.code == 2
    assert words in ran.err
    assert "odd.json" in ran.err
    assert ran.err.count("\n") == 1
    assert ran.out.startswith("ok  ")


def test_a_missing_file(cli) -> None:
    ran = cli("verify", "missing.json")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "missing.json cannot be read: no such file or directory\n"


def test_json(cli, files) -> None:
    ran = cli("verify", "--json", files["universal"], spoilt(files["hinge"]), "missing.json")
    assert ran.code == 2
    good, rejected, unreadable = ran.document
    assert good["status"] == "ok"
    assert (good["claim"], good["failure"], good["universal"]) == ("inconsistent", "strict", True)
    assert float(good["gap"]) > 0
    assert rejected["status"] == "rejected"
    assert unreadable["status"] == "unreadable"


def test_no_search_is_imported(files) -> None:
    code = (
        "import sys\n"
        "from consistency_lab.cli import run\n"
        "code = run(['verify', sys.argv[1]])\n"
        "print(*sorted({'numpy', 'networkx', 'rich', 'typer', 'sympy', 'scipy'} & sys.modules.keys()))\n"
        "sys.exit(code)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, files["hinge"]], capture_output=True, text=True, check=True
    )
    assert ran.stdout.splitlines()[1] == ""
