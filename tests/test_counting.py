import sys
import threading

from consistency_lab.model.foreign import CALLS, OPERATIONS, within


def endless():
    # fmt: off
    while True: pass  # noqa: E701 - no line is ever left
    # fmt: on


def calls(number):
    for _ in range(number):
        abs_of(-1)
    return number


def abs_of(x):
    return abs(x)


def test_work_within_the_limit_gives_its_answer():
    assert within(6, CALLS, lambda: calls(4)) == 4
    assert within(5, CALLS, lambda: calls(4)) is None
    assert within(1000, OPERATIONS, lambda: calls(4)) == 4


def test_a_loop_without_calls_is_ended():
    assert within(1000, OPERATIONS, endless) is None
    assert sys.gettrace() is None


def test_work_that_catches_every_exception_is_ended():
    def stubborn():
        try:
            return calls(1000)
        except Exception:
            return -1

    assert within(10, CALLS, stubborn) is None


def test_an_end_that_is_lost_is_told_again(monkeypatch):
    """Python ignores what is raised in a finalizer, wherever the count happens to run out there."""
    lost = []
    reached = []
    monkeypatch.setattr(sys, "unraisablehook", lambda met: lost.append(met.exc_type.__name__))

    class Finalized:
        def __del__(self):
            calls(1000)

    def work():
        for _ in range(50):
            Finalized()
            calls(20_000)
            reached.append(True)
        return 1

    assert within(10, CALLS, work) is None
    assert (lost, reached) == ([], [])
    assert (sys.gettrace(), sys.getprofile()) == (None, None)


def test_what_a_finalizer_raises_itself_is_reported(monkeypatch):
    lost = []
    monkeypatch.setattr(sys, "unraisablehook", lambda met: lost.append(met.exc_type.__name__))

    class Finalized:
        def __del__(self):
            raise ValueError

    assert within(1000, CALLS, lambda: Finalized() is None) is False
    assert lost == ["ValueError"]


def test_an_end_that_is_caught_again_and_again_is_told_again_and_again():
    rounds = []

    def stubborn():
        for _ in range(5):
            try:
                calls(100_000)
            except BaseException:
                rounds.append("told")
            else:
                rounds.append("went on")
        return 1

    assert within(10, CALLS, stubborn) is None
    assert rounds == ["told"] * 5


def test_it_works_in_every_thread():
    found = []
    thread = threading.Thread(target=lambda: found.append(within(1000, OPERATIONS, endless)))
    thread.start()
    thread.join()
    assert found == [None]


def test_a_debugger_keeps_its_place():
    def debugger(*_):
        return None

    sys.settrace(debugger)
    try:
        assert within(0, CALLS, lambda: calls(4)) == 4
        assert sys.gettrace() is debugger
    finally:
        sys.settrace(None)
