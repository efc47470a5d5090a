"""Which question a surrogate's name belongs to, for those who ask the other one."""

from difflib import get_close_matches
from typing import Final

from consistency_lab.errors import InputError

_NEAR: Final = 0.6


def refuse_without_target(name: str, *, asked: str = "check") -> None:
    """Refuse a name that means something with a target only.

    Parameters
    ----------
    name
        What was typed for a surrogate.
    asked
        The command: ``check`` takes a target, the others are about preference graphs.

    Raises
    ------
    InputError
        If it is an objective of a library, or a surrogate of tasks.

    Examples
    --------
    >>> refuse_without_target("logistic")
    """
    from consistency_lab.model.surrogates.tasks.libraries import is_library_name

    if is_library_name(name):
        what = "an objective of a library"
    elif not _of_graphs(name) and _of_tasks(name):
        what = "a surrogate of labels"
    else:
        return
    if asked == "check":
        raise InputError(f"{name} is {what}; say for which target, as in --target ndcg")
    raise InputError(
        f"{name} is {what}, and {asked} takes surrogates of preference graphs only (list surrogates); "
        f"consistency-lab check {name} --target ndcg decides it for a target"
    )


def refuse_with_target(name: str) -> None:
    """Refuse a name that means something without a target only.

    Raises
    ------
    InputError
        If it is a class of the user's own, or a surrogate of preference graphs.

    Examples
    --------
    >>> refuse_with_target("softmax")
    """
    from consistency_lab.model.surrogates.tasks.libraries import library_names

    library = name.partition(":")[0].strip().lower()
    if ":" in name and not get_close_matches(library, library_names(), n=1, cutoff=_NEAR):
        raise InputError(
            f"{name} is neither an objective of {', '.join(library_names())} nor decided for a target: a "
            "class of yours is a surrogate of preference graphs; leave --target out"
        )
    if ":" not in name and not _of_tasks(name) and _of_graphs(name):
        raise InputError(
            f"{name} is a surrogate of preference graphs: its target is pairwise, with --labels graphs (or "
            "no --target at all); list task-surrogates has those for other targets"
        )


def _of_graphs(name: str) -> bool:
    from consistency_lab.model.surrogates import surrogate

    try:
        surrogate(name)
    except InputError:
        return False
    return True


def _of_tasks(name: str) -> bool:
    from consistency_lab.model.surrogates.tasks.catalogue import task_surrogate

    try:
        task_surrogate(name)
    except InputError:
        return False
    return True
