"""A run makes what is missing and nothing else, whatever happens to it or its processes."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from consistency_lab import InputError, files, processes
from consistency_lab.apps.measure.atlas import folder as local
from consistency_lab.apps.measure.atlas import folder as run
from consistency_lab.apps.measure.atlas.cell import Failed, Made, make
from consistency_lab.apps.measure.atlas.folder import Store, read_cell, run_atlas

NAMES = ("linear", "difference-logistic")
CONDITIONS = ("additive", "low-noise")
SCRIPT = Path(__file__).with_name("killed_run.py")


def run_quick(folder, **more):
    return run_atlas(NAMES, CONDITIONS, [3], folder, jobs=2, parts=["smallest"], **more)


@pytest.mark.long
def test_a_run_that_was_killed_goes_on_where_it_was(tmp_path, quick):
    arguments = [str(tmp_path), ",".join(NAMES), ",".join(CONDITIONS)]
    # It returns when the last process that holds its streams has ended: none goes on alone.
    killed = subprocess.run([sys.executable, SCRIPT, *arguments], capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    before = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert len(before) == 2
    summary = run_quick(tmp_path)
    assert (len(summary.kept), len(summary.made), summary.failed) == (2, 2, ())
    assert not summary.missing
    assert all(path.stat().st_mtime_ns == time for path, time in before.items())
    store = Store(tmp_path)
    assert all(read_cell(store.path(cell)) == make(cell.parameters()) for cell in quick)
    assert not run_quick(tmp_path).made


def test_a_damaged_cell_alone_is_made_again(tmp_path, quick):
    store = Store(tmp_path)
    for cell in quick:
        store.write(cell, make(cell.parameters()))
    whole = store.path(quick[1]).read_bytes()
    store.path(quick[1]).write_bytes(whole[:-100])
    told = []
    assert run_quick(tmp_path, warn=told.append).made == (quick[1],)
    assert len(told) == 1
    assert store.path(quick[1]).read_bytes() == whole


def dying(deaths):
    """New processes, the first of which die before they can answer."""
    new, left = processes._new_process, [deaths]

    def make_one(work):
        connection, process = new(work)
        if left[0] > 0:
            left[0] -= 1
            process.kill()
            process.join()
        return connection, process

    return make_one


def test_the_cell_of_a_killed_process_is_made_by_another(tmp_path, monkeypatch):
    monkeypatch.setattr(processes, "_new_process", dying(local.ATTEMPTS - 1))
    summary = run_quick(tmp_path)
    assert (len(summary.made), summary.failed) == (4, ())


def test_a_cell_over_which_all_processes_die_has_failed(monkeypatch, quick):
    monkeypatch.setattr(processes, "_new_process", dying(local.ATTEMPTS))
    (found,) = local.make_cells(quick[:1], 1)
    assert found == Failed(quick[0], "3 processes died on it, the last with exit code -9")


def outcomes(*endings):

    def say(*_):
        for ending in endings:
            if isinstance(ending, BaseException):
                raise ending
            yield ending

    return say


def test_a_cell_that_cannot_be_made_is_in_the_summary_alone(tmp_path, monkeypatch, quick):
    rest = [Made(cell, make(cell.parameters())) for cell in quick[1:]]
    monkeypatch.setattr(run, "make_cells", outcomes(Failed(quick[0], "of a reason"), *rest))
    told = []
    summary = run_quick(tmp_path, warn=told.append)
    assert summary.failed == (Failed(quick[0], "of a reason"),)
    assert summary.missing == quick[:1]
    assert told == ["linear, additive, 3 items: not made: of a reason"]
    assert len(list(tmp_path.iterdir())) == 3


def test_an_interruption_keeps_what_is_done(tmp_path, monkeypatch, quick):
    first = Made(quick[0], make(quick[0].parameters()))
    monkeypatch.setattr(run, "make_cells", outcomes(first, KeyboardInterrupt()))
    summary = run_quick(tmp_path)
    assert (summary.made, summary.interrupted, len(summary.missing)) == (quick[:1], True, 3)
    assert read_cell(Store(tmp_path).path(quick[0])) == first.document


def test_an_interruption_while_a_cell_is_written_does_not_lose_it(tmp_path, monkeypatch, quick):
    write, left = files.write_atomic, [1]

    def interrupted_once(path, content):
        if left[0]:
            left[0] -= 1
            raise KeyboardInterrupt
        write(path, content)

    monkeypatch.setattr(files, "write_atomic", interrupted_once)
    monkeypatch.setattr(run, "make_cells", outcomes(Made(quick[0], make(quick[0].parameters()))))
    summary = run_quick(tmp_path)
    assert summary.interrupted
    assert Store(tmp_path).has(quick[0], pytest.fail)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"jobs": 0}, "jobs is 0; it must be at least 1"),
        ({"budget_per_cell": 0.0}, "positive number of seconds"),
    ],
)
def test_a_wrong_question_makes_nothing(tmp_path, wrong, words):
    with pytest.raises(InputError, match=words):
        run_atlas(NAMES, CONDITIONS, [3], tmp_path / "new", **wrong)
    assert not (tmp_path / "new").exists()
