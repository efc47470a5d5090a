"""The same minimizers in machine code, for batches so large that loading a compiler pays.

`shapes` and `packing` say what the machine code knows, `running` when it is worth its start and calls it;
these three import no compiler. What remains, and what does not converge, is left to the NumPy solver.
"""
