import io
import sys

import pytest

from consistency_lab.cli.streams import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_command_that_is_killed_leaves_the_terminal_its_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress():
        written = sys.stderr.getvalue()
    hidden, shown = (written.rfind(code) for code in ("\x1b[?25l", "\x1b[?25h"))
    assert 0 <= hidden < shown
