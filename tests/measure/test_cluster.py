"""A real Dask cluster on this machine makes the same cells, and survives the death of a worker."""

import os
import signal
import socket
import sys

import pytest

from consistency_lab import InputError, UnsupportedError, processes
from consistency_lab.apps.measure.atlas.cell import cells, make
from consistency_lab.apps.measure.atlas.folder import Store, read_cell, run_atlas

NAMES = ("linear", "logistic")
CONDITIONS = ("additive", "acyclic")


@pytest.mark.long
def test_a_cluster_that_loses_a_worker_makes_the_same_atlas(tmp_path):
    from distributed import LocalCluster

    told = []
    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs="CRITICAL",
    ) as running:
        victim = next(iter(running.workers.values())).process.pid

        def report(text):
            if text.startswith("1 of"):
                os.kill(victim, signal.SIGKILL)

        summary = run_atlas(
            NAMES,
            CONDITIONS,
            [3],
            tmp_path,
            scheduler=running.scheduler_address,
            parts=["smallest"],
            report=report,
            warn=told.append,
        )
    asked = cells(NAMES, CONDITIONS, [3], parts=["smallest"])
    assert (set(summary.made), summary.failed, told) == (set(asked), (), [])
    store = Store(tmp_path)
    assert all(read_cell(store.path(cell)) == make(cell.parameters()) for cell in asked)


def test_without_dask_one_sentence_names_the_extra(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UnsupportedError, match=r"pip install 'consistency-lab\[cluster\]'"):
        run_atlas(["linear"], ["additive"], [3], tmp_path, scheduler="tcp://127.0.0.1:8786")


@pytest.mark.parametrize("scheduler", ["tcp://127.0.0.1:9", "tls://127.0.0.1:9", "ws://127.0.0.1:9"])
def test_where_no_scheduler_answers_one_sentence_says_so(monkeypatch, tmp_path, scheduler):
    monkeypatch.setattr(processes, "_TIMEOUT", 0.2)
    with pytest.raises(InputError, match=f"no Dask scheduler answers at {scheduler} "):
        run_atlas(["linear"], ["additive"], [3], tmp_path, scheduler=scheduler)


def test_a_port_where_something_else_is_silent_is_given_up(monkeypatch, tmp_path):
    monkeypatch.setattr(processes, "_TIMEOUT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(InputError, match=rf"answers at {address} \(nothing of Dask's within 0.2 s\)"):
            run_atlas(["linear"], ["additive"], [3], tmp_path, scheduler=address)


@pytest.mark.parametrize(
    "scheduler", ["garbage", "", "tcp://127.0.0.1", "http://x:80", "127.0.0.1:0", "127.0.0.1:99999", "a b:80"]
)
def test_what_is_no_address_is_refused_before_anything(monkeypatch, tmp_path, scheduler):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError) as caught:
        run_atlas(["linear"], ["additive"], [3], tmp_path / "new", scheduler=scheduler)
    assert str(caught.value) == (
        f"--scheduler is {scheduler!r}; it must be an address such as tcp://127.0.0.1:8786"
    )
    assert not (tmp_path / "new").exists()
