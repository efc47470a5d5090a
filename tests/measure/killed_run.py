"""A run that kills itself when two cells are stored: nothing is cleaned up, as after a power cut."""

import os
import signal
import sys
from pathlib import Path

from consistency_lab.apps.measure.atlas.folder import run_atlas

if __name__ == "__main__":

    def report(text):
        if text.startswith("2 of"):
            os.kill(os.getpid(), signal.SIGKILL)

    surrogates, conditions = (words.split(",") for words in sys.argv[2:])
    run_atlas(surrogates, conditions, [3], Path(sys.argv[1]), jobs=2, parts=["smallest"], report=report)
