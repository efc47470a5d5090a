import sys
import threading

from consistency_lab.counting import CALLS, OPERATIONS, within


def endless() -> int:
    # fmt: off
    while True: pass  # noqa: E701 - no line is ever left
    # fmt: on


def calls(number: int) -> int:
    for _ in range(number):
        abs_of(-1)
    return number


def abs_of(x: int) -> int:
    return abs(x)


def test_work_within_the_limit_gives_its_answer() -> None:
    assert within(6, CALLS, lambda: calls(4)) == 4
    assert within(5, CALLS, lambda: calls(4)) is None
    assert within(1000, OPERATIONS, lambda: calls(4)) == 4


def test_a_loop_without_calls_is_ended() -> None:
    assert within(1000, OPERATIONS, endless) is None


def test_work_that_catches_every_exception_is_ended() -> None:
    def stubborn() -> int:
        try:
            return calls(1000)
        except Exception:
            return -1

    assert within(10, CALLS, stubborn) is None


def test_it_works_in_every_thread() -> None:
    found: list[object] = []
    thread = threading.Thread(target=lambda: found.append(within(1000, OPERATIONS, endless)))
    thread.start()
    thread.join()
    assert found == [None]


def test_nothing_is_left_behind() -> None:
    within(10, OPERATIONS, endless)
    assert sys.gettrace() is None


def test_a_debugger_keeps_its_place() -> None:
    def debugger(*_: object) -> None:
        return None

    sys.settrace(debugger)
    try:
        assert within(0, CALLS, lambda: calls(4)) == 4
        assert sys.gettrace() is debugger
    finally:
        sys.settrace(None)
