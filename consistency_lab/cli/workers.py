"""Check statements one after the other, or several at once in processes of their own."""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing

from consistency_lab.processes import Lost, at_once
from consistency_lab.report.theorem_run import Examined, examine, failed

Started = Callable[[str], None]
"""Is told the name of a statement when its check begins."""


def examine_all(
    names: Sequence[str], jobs: int, started: Started, variants: bool = False
) -> Generator[Examined, None, None]:
    """What becomes of each statement, in the order in which they finish.

    Close the iterator to stop the checks that still run.

    Parameters
    ----------
    names
        The statements.
    jobs
        How many may be checked at once; with 1 they are checked in this process.
    started
        Is told what is being checked.
    variants
        Whether the false variants are checked too.
    """
    if min(jobs, len(names)) <= 1:
        return _one_by_one(names, started, variants)
    return _at_once(names, jobs, started, variants)


def _one_by_one(names: Sequence[str], started: Started, variants: bool) -> Generator[Examined, None, None]:
    for name in names:
        started(name)
        yield examine(name, variants)


def _at_once(
    names: Sequence[str], jobs: int, started: Started, variants: bool
) -> Generator[Examined, None, None]:
    messages = [(name, variants) for name in names]
    with closing(at_once(_examined, messages, jobs, started=lambda number: started(names[number]))) as found:
        for number, answer in found:
            if isinstance(answer, Lost):
                why = f"its process ended without an answer (exit code {answer.exit_code})"
                yield failed(names[number], why)
            else:
                yield answer


def _examined(asked: tuple[str, bool]) -> Examined:
    return examine(*asked)
