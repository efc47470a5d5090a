"""What the exit code of the command says."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from consistency_lab.decide.answers import Verdict
    from consistency_lab.search.effort import Effort

CONSISTENT: Final = 0
INCONSISTENT: Final = 1
BAD_QUESTION: Final = 2
UNDECIDED: Final = 3
STOPPED: Final = 4
OWN_ERROR: Final = 70
ANSWER_LOST: Final = 74
INTERRUPTED: Final = 130
BROKEN_PIPE: Final = 141
TERMINATED: Final = 143

OF_VERDICT: Final[Mapping[str, int]] = MappingProxyType(
    {"CONSISTENT": CONSISTENT, "INCONSISTENT": INCONSISTENT, "UNDECIDED": UNDECIDED}
)

EXPLANATION: Final = (
    "Exit codes: 0 consistent, or verified; 1 inconsistent, or rejected; 2 invalid request "
    "(usage, bad file); 3 undecided; 4 undecided because the clock (--stop-after) ended the search; "
    "70 a bug in the tool; 74 the answer cannot be written; 130 interrupted (Ctrl-C); 141 broken pipe; 143 "
    "terminated (SIGTERM)."
)
"""For the help texts."""


def exit_code(verdict: "Verdict", effort: "Effort | None" = None) -> int:
    """The exit code of a verdict; `STOPPED` if it is undecided because the clock ended the search."""
    code = OF_VERDICT[str(verdict)]
    return STOPPED if code == UNDECIDED and effort is not None and effort.stopped else code
