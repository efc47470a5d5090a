"""What the exit code of the command says."""

from typing import Final

CONSISTENT: Final = 0
INCONSISTENT: Final = 1
BAD_QUESTION: Final = 2
UNDECIDED: Final = 3
INTERRUPTED: Final = 130
OWN_ERROR: Final = 70
BROKEN_PIPE: Final = 141

EXPLANATION: Final = (
    "Exit codes: 0 consistent, or verified; 1 inconsistent, or rejected; 2 the question is wrong "
    "(usage, bad file); 3 undecided; 130 interrupted."
)
"""For the help texts."""
