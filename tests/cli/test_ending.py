"""However a command ends, its exit code is true: real processes, whose streams are closed, full or left."""

import os
import signal
import subprocess
import sys

import polars as pl
import pytest

from consistency_lab.cli.codes import EXPLANATION
from consistency_lab.cli.running import run

pytestmark = pytest.mark.long

COMMAND = f"{sys.executable} -m consistency_lab"

CLASSES = """
import os, signal, sys
from consistency_lab import GraphSurrogate, pair, parse

class Mine(GraphSurrogate):
    name = "mine"
    functions = (parse("exp(-x)"),)
    def graph_terms(self, graph, m):
        {}
        return [pair(w, self.functions[0], i, j) for i, j, w in graph]
"""


@pytest.fixture(autouse=True)
def interruptible():
    """A job in the background hands SIGINT on ignored; the commands here start as on a terminal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def shell(line, folder, **options):
    """Run a line of the shell in which {lab} is the command."""
    return subprocess.run(
        ["/bin/sh", "-c", line.replace("{lab}", COMMAND)],
        cwd=folder,
        check=False,
        capture_output=True,
        **options,
    )


def mine(folder, action):
    """Ask about a class of one's own that does something first."""
    (folder / "mine.py").write_text(CLASSES.format(action), encoding="utf-8")
    return shell("{lab} check mine:Mine --condition additive", folder)


@pytest.mark.parametrize("code", ["0", "'words'"])
def test_a_class_that_exits_gives_no_verdict(tmp_path, code):
    ran = mine(tmp_path, f"raise SystemExit({code})")
    assert (ran.returncode, ran.stdout) == (2, b"")
    said = ran.stderr.decode()
    assert said.startswith("Mine.graph_terms ") and f"SystemExit: {code.strip(chr(39))}" in said
    assert said.count("\n") == 1


def test_a_module_that_exits_gives_no_verdict(tmp_path):
    (tmp_path / "mine.py").write_text("import sys\nsys.exit(0)\n", encoding="utf-8")
    ran = shell("{lab} check mine:Mine", tmp_path)
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert ran.stderr == b"the module 'mine' cannot be imported: SystemExit: 0\n"


@pytest.mark.parametrize(("line", "code"), [("{lab} verify FILE", 0), ("{lab} verify nosuch", 2)])
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-", ">&- 2>/dev/full"])
def test_closed_streams_and_a_full_stderr_change_no_exit_code(files, tmp_path, line, code, closed):
    line = line.replace("FILE", files["hinge"])
    plain = shell(line, tmp_path) if closed in (">&-", "2>&-") else None
    ran = shell(f"{line} {closed}", tmp_path)
    assert ran.returncode == code
    assert ran.stdout == (plain.stdout if closed == "2>&-" else b"")
    assert ran.stderr == (plain.stderr if closed == ">&-" else b"")


@pytest.mark.parametrize("unbuffered", ["PYTHONUNBUFFERED=", "PYTHONUNBUFFERED=1"])
@pytest.mark.parametrize("arguments", ["verify FILE", "--help"])
def test_an_answer_that_cannot_be_written_is_one_sentence(files, tmp_path, arguments, unbuffered):
    line = f"{unbuffered} {{lab}} {arguments.replace('FILE', files['hinge'])} >/dev/full"
    ran = shell(line, tmp_path)
    assert (ran.returncode, ran.stdout) == (74, b"")
    assert ran.stderr == b"the answer cannot be written: no space left on device\n"
    assert shell(f"{line} 2>&1", tmp_path).returncode == 74


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", ["verify FILE", "list --json"])
def test_a_reader_that_goes_away_is_no_answer(files, arguments, unbuffered):
    reading, writing = os.pipe()
    os.close(reading)
    ran = subprocess.run(
        [*COMMAND.split(), *arguments.replace("FILE", files["hinge"]).split()],
        check=False,
        stdout=writing,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    )
    os.close(writing)
    assert (ran.returncode, ran.stderr) == (141, b"")


@pytest.mark.parametrize(
    ("unbuffered", "data"), [("PYTHONUNBUFFERED=", "pairs.csv"), ("PYTHONUNBUFFERED=1", "pairs.csv more.csv")]
)
def test_files_are_written_though_the_answer_is_lost(tmp_path, data, unbuffered):
    for name in ("pairs.csv", "more.csv"):
        (tmp_path / name).write_text("winner,loser\nA,B\n", encoding="utf-8")
    files = "--html page.html --csv rows.csv --out audits"
    asked = f"{{lab}} audit {data} {files} --resamples 40 --simulations 9 --jobs 1"
    ran = shell(f"{unbuffered} {asked} >/dev/full", tmp_path)
    assert ran.returncode == 74
    assert ran.stderr.endswith(b"the answer cannot be written: no space left on device\n")
    assert (tmp_path / "page.html").read_text(encoding="utf-8").rstrip().endswith("</html>")
    assert "A" in (tmp_path / "rows.csv").read_text(encoding="utf-8")
    assert len([*(tmp_path / "audits").glob("*.json")]) == len(data.split())


def test_pictures_are_drawn_though_the_answer_is_lost(tmp_path):
    ran = shell(
        "{lab} experiment movielens --synthetic --runs 1 --pairs 20 --svg losses.svg >/dev/full", tmp_path
    )
    assert ran.returncode == 74
    assert (tmp_path / "losses.svg").read_text(encoding="utf-8").rstrip().endswith("</svg>")


@pytest.mark.parametrize(
    "line",
    [
        *("audit pairs.csv", "aggregate pairs.csv --winner winner --loser loser", "check elo", "list"),
        "reproduce lemma-16",
    ],
)
def test_a_report_for_a_closed_stdout_is_lost_and_that_is_said(tmp_path, line):
    (tmp_path / "pairs.csv").write_text("winner,loser\nA,B\n", encoding="utf-8")
    ran = shell(f"{{lab}} {line} >&-", tmp_path)
    assert (ran.returncode, ran.stderr.splitlines()[-1:]) == (
        74,
        [b"the answer cannot be written: stdout is closed"],
    )


def test_whoever_wants_files_alone_may_close_stdout(tmp_path):
    (tmp_path / "pairs.csv").write_text("winner,loser\nA,B\n", encoding="utf-8")
    ran = shell("{lab} audit pairs.csv --csv rows.csv --resamples 40 --simulations 9 >&-", tmp_path)
    assert (ran.returncode, ran.stderr) == (0, b"written: rows.csv\n")


@pytest.mark.parametrize("line", ["audit -", "verify -"])
def test_a_closed_stdin_is_empty(tmp_path, line):
    ran = shell(f"{{lab}} {line} <&-", tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr.count(b"\n")) == (2, b"", 1)


def test_an_address_space_that_is_too_small_is_refused_before_libraries_spin_in_it(tmp_path):
    (tmp_path / "pairs.csv").write_text("winner,loser\nA,B\n", encoding="utf-8")
    ran = shell("ulimit -v 300000; exec timeout -k 9 99 {lab} audit pairs.csv", tmp_path)
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert ran.stderr == (
        b"the address space is limited to 292 MB, and this needs 640 MB; allow it, as by ulimit -v 655360\n"
    )


def test_polars_is_not_loaded_into_an_address_space_that_is_too_small_for_it(tmp_path):
    pl.DataFrame({"winner": ["A"], "loser": ["B"]}).write_parquet(tmp_path / "pairs.parquet")
    ran = shell("ulimit -v 700000; exec timeout -k 9 99 {lab} audit pairs.parquet", tmp_path)
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert ran.stderr.startswith(b"the address space is limited to 683 MB, and this needs 1,536 MB; ")


def test_memory_that_runs_out_is_no_bug(monkeypatch, capsys):
    def full(*_):
        raise MemoryError

    monkeypatch.setattr("consistency_lab.cli.running.dispatch", full)
    assert run(["list"]) == 2
    assert capsys.readouterr().err == "there is not enough memory for this; give it more, or ask about less\n"


def test_a_request_to_end_is_followed_cleanly(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with (
        subprocess.Popen(
            [*COMMAND.split(), "verify", "pipe"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        ) as process,
        (tmp_path / "pipe").open("wb"),
    ):
        process.terminate()
        assert process.communicate() == (b"", b"terminated before an answer was ready\n")
    assert process.returncode == 143
    assert "143 terminated (SIGTERM)" in EXPLANATION


SUM = "sum(range(10**12))  # one operation, which lets no handler of signals run"
STUBBORN = """while True:
            try:
                while True: pass
            except BaseException: pass"""


@pytest.mark.parametrize(
    ("endless", "where"), [(SUM, "graph_terms"), (SUM, "the module"), ("signal.pause()", "__init__")]
)
def test_a_request_to_end_ends_whatever_a_class_does(tmp_path, endless, where):
    doing = f"print('begun', flush=True, file=sys.stderr); {endless}"
    text = CLASSES.format(doing if where == "graph_terms" else "")
    text += f"    def __init__(self): {doing}\n" if where == "__init__" else ""
    text += f"{doing}\n" if where == "the module" else ""
    # Were it not ended, the system would end it after a minute of computing, with another signal.
    limit = "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (60, 60))\n"
    (tmp_path / "mine.py").write_text(limit + text, encoding="utf-8")
    with subprocess.Popen(
        [*COMMAND.split(), "check", "mine:Mine"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stderr.readline() == b"begun\n"
        process.terminate()
        assert process.communicate() == (b"", b"")
    assert process.returncode == -signal.SIGTERM


def test_a_class_that_catches_every_exception_is_refused(tmp_path):
    ran = mine(tmp_path, STUBBORN)
    assert (ran.returncode, ran.stdout) == (2, b"")
    assert ran.stderr.startswith(b"Mine.graph_terms took 3,000,000 operations of Python and was stopped;")


def test_no_exception_of_a_class_is_an_error_of_ours(tmp_path):
    ran = mine(tmp_path, "raise type('Odd', (BaseException,), {})")
    said = ran.stderr.decode()
    assert (ran.returncode, ran.stdout, said.count("\n")) == (2, b"", 1)
    assert said.startswith("Mine.graph_terms raised ")


def test_ctrl_c_before_an_answer(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import os\nos.kill(os.getpid(), 2)\nwhile True:\n    pass\n", encoding="utf-8"
    )
    ran = shell("{lab} check mine:Mine", tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, b"", b"interrupted before an answer was ready\n")


def test_ctrl_c_while_numpy_is_imported(tmp_path):
    (tmp_path / "numpy.py").write_text(
        "import os\ntry:\n    os.kill(os.getpid(), 2)\n    while True: pass\n"
        "except KeyboardInterrupt:\n    pass\nraise ImportError('PyCapsule_Import')\n",
        encoding="utf-8",
    )
    path = f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    ran = shell("{lab} audit vermont.toc", tmp_path, env={**os.environ, "PYTHONPATH": path})
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, b"", b"interrupted before an answer was ready\n")


def test_a_run_that_is_asked_to_end_leaves_no_process_behind(tmp_path):
    command = [*COMMAND.split(), "measure", "--surrogates", "linear,logistic,exponential", "--jobs", "2"]
    with subprocess.Popen(
        [*command, "--smallest", "--out", "cells"], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    ) as process:
        for line in process.stderr:
            if line.startswith("1 of 3"):
                process.terminate()
                break
        _, rest = process.communicate()
    assert process.returncode == 143
    assert rest.endswith("terminated before an answer was ready\n")
    assert {path.suffix for path in (tmp_path / "cells").iterdir()} == {".json"}
