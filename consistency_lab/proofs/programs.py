"""Gradient fields in a proof: the program of each label."""

from fractions import Fraction

from consistency_lab.core.field import Program
from consistency_lab.proofs.entries import Entry


def program_entry(program: Program) -> Entry:
    """The ``psi`` entry of a label.

    Examples
    --------
    >>> program_entry(Program((("difference", 0, 1), Fraction(1, 2), ("multiply", 0, 1)), (2,)))
    {'steps': [['difference', 0, 1], '1/2', ['multiply', 0, 1]], 'gradient': [2]}
    """
    steps = [str(step) if isinstance(step, Fraction) else list(step) for step in program.steps]
    return {"steps": steps, "gradient": list(program.gradient)}
