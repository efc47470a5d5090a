"""What reaches the terminal, a pipe, or a terminal that knows only ASCII."""

import os
import pty
import subprocess
import sys

import pytest

from consistency_lab.cli.running import run
from consistency_lab.cli.streams import shown

COMMAND = [sys.executable, "-m", "consistency_lab"]


def ran(command, **changes):
    """Run a command that may end with any exit code."""
    return subprocess.run(command, check=False, capture_output=True, env=environment(**changes))


def environment(**changes):
    keep = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "PYTHONIOENCODING")}
    return {**keep, "TERM": "xterm-256color", "COLUMNS": "100", **changes}


def on_a_terminal(*arguments, **changes):
    master, slave = pty.openpty()
    with subprocess.Popen(
        [*COMMAND, *arguments],
        stdout=slave,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        env=environment(**changes),
    ):
        os.close(slave)
        received = b""
        # At the end of the output Linux reports an error where others report the end of the file.
        while True:
            try:
                chunk = os.read(master, 65536)
            except OSError:
                break
            if not chunk:
                break
            received += chunk
    os.close(master)
    return received.decode()


@pytest.mark.long
@pytest.mark.parametrize("answers", [("--answers",)])
def test_a_long_sheet_of_exercises_is_whole_in_a_pipe_and_a_screen_on_a_terminal(answers):
    asked = ("exercises", "5", "--seed", "7", *answers)
    shown = on_a_terminal(*asked).splitlines()
    assert len(shown) <= 24 and max(map(len, shown)) <= 80
    assert " ".join(("2 more: exercises 5 --seed 7", *answers, "> FILE")) in shown
    assert not any(line.startswith("  4.") for line in shown)
    assert b"\n  5.     A  B  C" in ran([*COMMAND, *asked]).stdout


def test_color_on_a_terminal_only_and_never_with_no_color():
    assert "\x1b[" in on_a_terminal("list", "forms", "--details")
    assert "\x1b[" not in on_a_terminal("list", "forms", "--details", NO_COLOR="1")


def test_on_a_terminal_right_is_green_and_wrong_is_red():
    asked = ("check", "linear", "--condition", "low-noise", "--condition", "acyclic", "--no-save")
    colored = on_a_terminal(*asked)
    assert " \x1b[32mright\x1b[0m  low noise" in colored and " \x1b[31mwrong\x1b[0m  acyclic" in colored


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_symbols_are_spelled_where_the_encoding_lacks_them(files, encoding):
    shown_there = ran([*COMMAND, "show", "--details", files["universal"]], PYTHONIOENCODING=encoding)
    assert (shown_there.returncode, shown_there.stderr) == (0, b"")
    text = shown_there.stdout.decode(encoding)
    assert "3*phi(alpha_1 - alpha_2)" in text.replace("·", "*")
    assert "lambda" in text
    assert "\\u" not in text


def test_help_names_the_exit_codes_and_imports_nothing_heavy():
    code = (
        "import sys\n"
        "from consistency_lab.cli.running import run\n"
        "run(['--help', '--all'])\n"
        "heavy = {'numpy', 'scipy', 'sympy', 'cvxpy', 'highspy', 'flint', 'consistency_lab.core'}\n"
        "print(*sorted(heavy & sys.modules.keys()))"
    )
    helped = ran([sys.executable, "-c", code])
    assert helped.returncode == 0
    assert helped.stdout.splitlines()[-1] == b""
    assert b"Exit codes" in helped.stdout


@pytest.mark.parametrize(
    ("line", "said"),
    [("", "a command is missing"), ("chek", "there is no command 'chek'; did you mean check?")],
)
def test_a_command_that_is_missing_or_not_known(cli, line, said):
    ran = cli(line)
    assert (ran.code, ran.err) == (2, f"{said}; see consistency-lab --help\n")
    assert bool(ran.out) is not bool(line)


def test_control_characters_are_shown():
    assert shown("a\x1b[2Jb\x9bc\n") == "a\\x1b[2Jb\\x9bc\n"
    assert shown("φ → 東京") == "φ → 東京"


def test_module_and_command_are_the_same():
    assert ran([*COMMAND, "--version"]).stdout.startswith(b"consistency-lab ")


def test_an_error_of_the_tool_is_no_answer(monkeypatch, capsys):
    def broken(arguments):
        raise ZeroDivisionError

    monkeypatch.setattr("consistency_lab.cli.running._run", broken)
    assert run(["list"]) == 70
    assert "bug in consistency-lab" in capsys.readouterr().err
