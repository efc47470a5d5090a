"""The notebooks run, and show what is stored in them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "notebooks"


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_it_runs_and_shows_what_is_stored(path, tmp_path):
    ran = subprocess.run(
        [sys.executable, str(FOLDER / "run.py"), "--check", str(path)],
        capture_output=True,
        text=True,
        check=False,
        env={
            **os.environ,
            "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"),
            "IPYTHONDIR": str(tmp_path / "ipython"),
        },
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout == "every notebook shows what is stored\n"
