"""The same few random examples on every machine and in every run, however slow the machine is."""

import gc
import os

from hypothesis import settings

# Before NumPy is loaded: of small matrices the threads of BLAS only wait for each other, and for other tests.
for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=30)
settings.load_profile("repeatable")


def pytest_collection_finish():
    """What was imported and collected stays, and is not looked through for garbage again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
