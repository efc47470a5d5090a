"""A plain Python, NumPy or PyTorch function of scores and labels: traced label by label, or run in floats."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from fractions import Fraction
from functools import lru_cache, partial, reduce
from itertools import product
from math import isfinite, isnan, log2
from random import Random
from typing import Any, Final, TypeVar, final

import numpy as np

from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.model.labels import Label
from consistency_lab.model.surrogates.catalogue import is_taken
from consistency_lab.model.surrogates.families import Family
from consistency_lab.model.surrogates.own import Compared, asked, imported
from consistency_lab.model.surrogates.tasks.base import AtomSurrogate, LossAtom, TaskSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import CHOICES, TASK_SURROGATES
from consistency_lab.model.surrogates.tasks.forms import (
    enclosed,
    form,
    form_of,
    form_text,
    ratio_of,
    score_array,
    summands,
)
from consistency_lab.model.surrogates.tasks.shipped import LIBRARIES
from consistency_lab.model.surrogates.traced import (
    OPERATIONS,
    Recorded,
    TracedNumber,
    apart,
    arguments,
    is_float,
    real,
    symbolic,
    telling,
)
from consistency_lab.model.tasks.task import Task
from consistency_lab.numbers.exact import enclose
from consistency_lab.numbers.normal_form import Form

# --- What stands for the scores: arrays of cells, each of which remembers what is done to it -------------


@final
class Scores(Recorded):
    """The scores, or what a function has made of them so far."""

    def __init__(self, cells: Any, torch: bool) -> None:
        self.cells, self.torch = np.asarray(cells, object), torch

    @staticmethod
    def made(name: str, given: Sequence[Any], more: Mapping[str, Any]) -> Any:
        torch = next(one.torch for one in _flat((*given, *more.values())) if type(one) is Scores)
        called = _ALSO.get(name, name)
        if called in _SORTED:
            raise InputError(f"it sorts or ranks the scores ({called})")
        if torch and called in ("max", "min") and ("dim" in more or type(given[-1]) is int):
            raise InputError(f"it calls {called} with dim, which is not traced; a{called} is")
        if torch and len(given) > 1:
            called = _OF_TORCH.get(called, called)
        kept = {_KEYS.get(key, key): _cells(x) for key, x in telling(called, more).items()}
        try:
            return Scores(_function(called)(*map(_cells, given), **kept), torch)
        except InputError:
            raise
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            raise InputError(f"it calls {called} in a way that is not traced") from None

    def __len__(self) -> int:
        return len(self.cells)

    def __getitem__(self, key: Any) -> "Scores":
        return Scores(self.cells[tuple(map(_cells, key)) if type(key) is tuple else _cells(key)], self.torch)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.cells if dtype in (None, object) else float(self)

    def __getattr__(self, name: str) -> Any:
        if name in ("shape", "ndim") or (name == "size" and not self.torch):
            return getattr(self.cells, name)
        if name.startswith("__"):
            raise AttributeError(name)
        if name in ("device", "dtype"):
            return getattr(_given(self.torch, [0]), name)
        if name in ("dim", "numel", "size"):
            known: Any = {"dim": self.cells.ndim, "numel": self.cells.size, "size": self.cells.shape}[name]
            return lambda *axis: known[axis[0]] if axis else known

        def act(*given: Any, **more: Any) -> Any:
            return Scores.made(name, (self, *given), more)

        return act() if name == "T" else act


def _flat(values: Sequence[Any]) -> Iterator[Any]:
    for one in values:
        yield from _flat(one) if isinstance(one, list | tuple) else (one,)


def _cells(given: Any) -> Any:
    """Scores as an array of cells, a tensor as one of numbers, and all else as it is."""
    if isinstance(given, list | tuple):
        return type(given)(map(_cells, given))
    if type(given) is Scores:
        return given.cells
    return given.detach().numpy() if hasattr(given, "detach") else given


# --- What can be done to it ------------------------------------------------------------------------------

_SORTED: Final = ("sort", "argsort", "topk", "argmax", "argmin", "searchsorted")
_KEYS: Final = {
    **{"dim": "axis", "keepdim": "keepdims"},
    **{"min": "low", "max": "high", "a_min": "low", "a_max": "high"},
}


def _each(name: str, outer: str = "") -> Callable[..., Any]:
    """An operation that is done to each cell, or to each pair of them."""

    def act(*given: Any, **more: Any) -> Any:
        each = np.frompyfunc(lambda *of: TracedNumber.made(name, of, more), len(given), 1)
        return each.outer(*given) if outer else each(*given)

    return act


def _largest(name: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The largest or smallest of several, and of one array along an axis."""
    both = np.frompyfunc(lambda *of: TracedNumber.made(name, of, {}), 2, 1)

    def along(a: Any, axis: int | None = None, keepdims: bool = False) -> Any:
        return both.reduce(a.ravel() if axis is None else a, axis=axis or 0, keepdims=keepdims)

    return lambda a, *more: reduce(both, more, a) if more else along(a), along


def _log_softmax(a: Any, axis: int | None = None) -> Any:
    if axis is None and a.ndim > 1:  # PyTorch's choice depends on how many there are
        raise ValueError
    return a - np.log(np.sum(np.exp(a), axis=axis, keepdims=True))


def _cross_entropy(a: Any, p: Any) -> Any:
    if np.shape(p) != a.shape or a.ndim > 2:  # p are classes, or a class has many scores
        raise ValueError
    return -np.sum(p * _log_softmax(a, -1), axis=-1)


def _gathered(a: Any, axis: int, index: Any) -> Any:
    if np.delete(index.shape, axis).tolist() != np.delete(a.shape, axis).tolist():  # NumPy repeats such
        raise ValueError
    return np.take_along_axis(a, index, axis)


def _converted(a: Any, *to: Any) -> Any:
    for one in to:
        if not is_float(getattr(one, "dtype", one)) and not str(one).startswith(_DEVICES):
            raise ValueError
    return a


def _reduced(losses: Callable[..., Any]) -> Callable[..., Any]:
    """A loss of PyTorch, with its reduction."""

    def loss(a: Any, b: Any, reduction: str = "mean") -> Any:
        found = losses(a, b)
        return found if reduction == "none" else getattr(np, reduction)(found)

    return loss


_OF_NUMPY: Final = (
    *("sum", "mean", "cumsum", "matmul", "dot", "inner", "outer", "where", "stack", "concatenate", "squeeze"),
    *("expand_dims", "ravel", "flip", "take", "take_along_axis", "triu", "tril", "diag", "broadcast_to"),
    "swapaxes",
)
"""NumPy functions that use only the cells' own arithmetic."""

_DEVICES: Final = ("cpu", "cuda", "mps")
_SAME: Final = ("detach", "clone", "float", "double", "contiguous", "asarray", "array", "copy")
_LARGER, _LARGEST = _largest("maximum")
_SMALLER, _SMALLEST = _largest("minimum")
_ROWS: Final[Mapping[str, Callable[..., Any]]] = {
    **{name: getattr(np, name) for name in _OF_NUMPY},
    **dict.fromkeys(_SAME, lambda a: a),
    **dict.fromkeys(("to", "astype"), _converted),
    **{"maximum": _LARGER, "max": _LARGEST, "amax": _LARGEST},
    **{"minimum": _SMALLER, "min": _SMALLEST, "amin": _SMALLEST},
    "logsumexp": lambda a, axis=None, keepdims=False: np.log(np.sum(np.exp(a), axis=axis, keepdims=keepdims)),
    "logcumsumexp": lambda a, axis=0: np.log(np.cumsum(np.exp(a), axis=axis)),
    "log_softmax": _log_softmax,
    "softmax": lambda a, axis=None: np.exp(_log_softmax(a, axis)),
    "cross_entropy": _reduced(_cross_entropy),
    "mse_loss": _reduced(lambda a, b: (a - b) ** 2),
    "masked_fill": lambda a, mask, x: np.where(mask, x, a),
    "gather": _gathered,
    "reshape": lambda a, *shape: a.reshape(*shape),
    "transpose": lambda a, *axes: a.transpose(*axes),
    "expand": lambda a, *shape: np.broadcast_to(a, np.hstack(shape)),
}
_ALSO: Final[Mapping[str, str]] = {
    **{"view": "reshape", "unsqueeze": "expand_dims", "flatten": "ravel", "t": "transpose", "T": "transpose"},
    **{"cat": "concatenate", "mv": "matmul", "mm": "matmul"},
}
"""Other names."""

_OF_TORCH: Final[Mapping[str, str]] = {"max": "maximum", "min": "minimum", "transpose": "swapaxes"}
"""What PyTorch means by names of NumPy if it is given more than one thing."""


def _function(name: str) -> Callable[..., Any]:
    if name in _ROWS:
        return _ROWS[name]
    of, _, method = name.partition(".")
    if of in OPERATIONS and method in ("", "outer"):
        return _each(of, method)
    raise InputError(f"it calls {name}, which is not traced")


# --- A function at a label: its value in floats, and its form --------------------------------------------

_T = TypeVar("_T")
_HELP: Final = "(docs/own-surrogate.md)"
_POINTS: Final = 40
"""A function is compared with what it was traced to at so many scores for each label; of more than 3 items at
a fourth of them."""


class WrongTraceError(InputError):
    """What was traced is something else than the function."""


@frozen
class Function:
    """A user's function of scores and labels, and whether it takes tensors."""

    name: str  #: What the user called it.
    code: Callable[..., Any]
    torch: bool

    def values(self, scores: Sequence[Sequence[float]], label: Label) -> list[float]:
        """What it returns at several scores."""
        return self.run(lambda: [self.once(one, label) for one in scores])

    def run(self, work: Callable[[], _T]) -> _T:
        """What work with the function comes to; however that fails, in one sentence."""

        def quietly() -> _T:
            with np.errstate(all="ignore"), _one_thread(self.torch):
                return work()

        try:
            return asked(self.name, quietly, "return soon")
        except InputError as error:
            if not self.torch or "'axis'" not in str(error):
                raise
            raise InputError(
                f"{error}; its file imports torch, so it gets tensors: write torch.sum(x, dim=0) or "
                "x.sum(axis=0), not sum or numpy.sum"
            ) from error

    def once(self, scores: Sequence[float], label: Label) -> float:
        """What it returns, if that is one finite number; unguarded against endless loops."""
        found = np.asarray(_cells(self.code(_given(self.torch, scores), _given(self.torch, label))))
        if found.size != 1 or found.dtype.kind not in "biuf":
            what = (
                f"an array of the shape {found.shape}" if found.ndim else f"a {type(found.item()).__name__}"
            )
            said = f"{self.name} returns {what}; a loss of scores and labels returns one number {_HELP}"
            raise InputError(said)
        number = float(found.item())
        if not isfinite(number):
            # A share of the sum of the labels, for example.
            hint = "" if any(label) else "; to leave such labels out, return 0 * scores.sum() for them"
            raise InputError(
                f"{self.name} returns {number} at the scores {_shown(scores)} and the labels {label}; a loss "
                f"is finite{hint} {_HELP}"
            )
        return number

    def traced(self, label: Label) -> Form:
        """Its form at a label, compared with the function itself at scores drawn at random."""
        return _traced(self, label)


@contextmanager
def _one_thread(torch: bool) -> Iterator[None]:
    """PyTorch with one thread: from a thread that is not the first it would wait for its others."""
    if not torch:
        yield
        return
    from torch import get_num_threads, set_num_threads

    before = get_num_threads()
    set_num_threads(1)
    try:
        yield
    finally:
        set_num_threads(before)


def _given(torch: bool, numbers: Sequence[float]) -> Any:
    """Scores or labels, as the function takes them."""
    if not torch:
        return np.array(numbers, dtype=float)
    from torch import float64, tensor

    return tensor(numbers, dtype=float64)


def _shown(scores: Sequence[float]) -> str:
    return f"({', '.join(f'{x:.4g}' for x in scores)})"


@lru_cache(maxsize=20_000)
def _traced(function: Function, label: Label) -> Form:
    m = len(label)

    def run() -> Form:
        scores = Scores(score_array(m), function.torch)
        with symbolic(function.code):
            found = np.asarray(_cells(function.code(scores, _given(function.torch, label))))
        if found.size != 1:
            raise InputError(f"it returns an array of the shape {found.shape}")
        return form(real(found.item()))

    found = function.run(run)
    points = _points(m, _POINTS if m <= 3 else _POINTS // 4)
    where = f"{form_text(found)[:200]} at the labels {label}"
    said = function.values(points, label)
    exact = [[enclose(Fraction(x)) for x in scores] for scores in points]
    if (differs := apart([partial(enclosed, found, scores) for scores in exact], said)) is None:
        return found
    k, expected = differs
    if isnan(expected):
        raise InputError(f"it is {where}, which has no value everywhere")
    raise WrongTraceError(
        f"{function.name} was traced to {where}, but at the scores {_shown(points[k])} it returns "
        f"{said[k]:.6g}, and that is {expected:.6g}; write it without branches on types {_HELP}"
    )


def _points(m: int, count: int) -> list[list[float]]:
    """Scores near zero, a fifth of them far away."""
    random = Random(0)
    return [
        [random.randint(-384, 384) / 64 * (5 if n % 5 == 4 else 1) for _ in range(m)] for n in range(count)
    ]


# --- The surrogates --------------------------------------------------------------------------------------


@frozen
class ListwiseSurrogate(AtomSurrogate):
    """A function of scores and labels that is a sum of convex atoms at every label."""

    name: str
    function: Function
    formula: str = ""  #: The form at one label.
    #: The function is multiplied by 2 to the power of this: floats are of no use for very small values.
    doubled: int = 0
    family = Family("traced", "", "")

    def describe(self, task: Task) -> dict[str, object]:
        """Its name: what it is at a label is written in the proof."""
        times = f" times 2^{self.doubled}" if self.doubled else ""
        return {"family": "traced", "name": f"own: {self.name}{times}"}

    def atoms(self, task: Task, label: Label) -> tuple[LossAtom, ...]:
        try:
            form, factor = self.function.traced(label), Fraction(2) ** self.doubled
            return summands(frozenset((one, c * factor) for one, c in form), len(label))
        except WrongTraceError:
            raise
        except InputError as error:
            raise UnsupportedError(str(error)) from error


@frozen
class FloatSurrogate(TaskSurrogate):
    """A function of scores and labels of which floats alone can say something."""

    name: str
    function: Function
    reason: str  #: Why nothing is certified.
    formula: str = "a function of scores and labels that is not traced"
    family = Family("floats", "", "")

    def describe(self, task: Task) -> dict[str, object]:
        """Its name."""
        return {"family": "floats", "name": f"own: {self.name}"}


OWN: Final = (ListwiseSurrogate, FloatSurrogate)
"""What a function of the user's own is, where it is no built-in loss: no theorem knows these classes."""


def load_listwise(
    reference: str, tasks: Sequence[Task], occurring: Sequence[Label] = ()
) -> tuple[TaskSurrogate, Compared | None]:
    """The surrogate of ``file.py:function``: a built-in one if it equals that at these labels."""
    labels, attribute = occurring or tasks[0].space.labels, reference.rpartition(":")[2]
    function = _loaded(reference, tasks[0])
    for label in labels:
        first, second = function.values(_points(len(label), 1) * 2, label)
        if first != second:
            raise InputError(
                f"{reference} returns {first:.6g}, then {second:.6g} for the same scores and labels; a loss "
                f"returns one number each time {_HELP}"
            )
    name = attribute.replace("_", "-")
    name = f"own-{name}" if is_taken(name) else name
    try:
        moves = [summands(function.traced(label), len(label)) for label in labels]
    except WrongTraceError:
        raise
    except InputError as error:
        return FloatSurrogate(name, function, str(error).removeprefix(f"{reference} ")), None
    if not any(moves) and not occurring:
        raise InputError(f"{reference} does not depend on the scores, whatever the labels are {_HELP}")
    for same in _candidates():
        with suppress(InputError, UnsupportedError):
            same.check(tasks[0])
            if same.decoder == "sort" and _equals(function, same, tasks, occurring):
                sizes = tuple(sorted({task.space.m for task in tasks}))
                return same, Compared(reference, same.name, sizes, every=not occurring)
    label = max(labels, key=lambda y: (len(set(y)), y))
    shown = f"{form_text(function.traced(label))} at the labels {label}"[:400]
    largest = max((abs(c) for y in labels for one, c in function.traced(y) if one), default=Fraction(1))
    return ListwiseSurrogate(name, function, shown, -10 * round(log2(largest) / 10)), None


def _loaded(reference: str, task: Task) -> Function:
    """The function of the name, if it takes scores and grades."""
    file, _, attribute = reference.rpartition(":")
    module = imported(file)
    if not hasattr(module, attribute):
        raise InputError(f"the module {file!r} has no {attribute!r}")
    code = getattr(module, attribute)
    if not callable(code) or isinstance(code, type):
        raise InputError(
            f"{reference} is no function; with a target it must be a function of scores and labels {_HELP}"
        )
    count = arguments(code)
    if count != 2:
        raise InputError(
            f"{reference} takes {count} argument{'s' * (count != 1)}; with a target it takes two, scores and "
            f"labels {_HELP}"
        )
    if task.space.kind != "grades":
        raise InputError(
            f"{reference} takes scores and grades, and the labels of {task.title} are {task.space.kind}"
        )
    known = getattr(code, "__globals__", {}).values()
    homes = (str(getattr(one, key, "")) for one in known for key in ("__name__", "__module__"))
    return Function(reference, code, any(home.partition(".")[0] == "torch" for home in homes))


def _candidates() -> Iterator[TaskSurrogate]:
    """Those of the tables, plain names first."""
    asked_for = [
        (len(chosen) - chosen.count(None) + (line.name == "pairs"), line, chosen)
        for line in TASK_SURROGATES.values()
        for chosen in product(*((None, *CHOICES.get(option, ())) for option in line.options))
    ]
    for _, line, chosen in sorted(asked_for, key=lambda one: one[0]):
        with suppress(InputError):
            yield line.build(**dict(zip(line.options, chosen, strict=True)))
    yield from (entry.plain for entry in LIBRARIES.values() if entry.plain is not None)


def _equals(
    function: Function, candidate: TaskSurrogate, tasks: Sequence[Task], occurring: Sequence[Label]
) -> bool:
    """Whether they are the same at every label, but for one positive factor for all labels of a task."""
    for task in tasks:
        factor = Fraction(0)
        for label in sorted(occurring or task.space.labels, key=lambda y: -len(set(y))):
            theirs = form_of(candidate, task, label)
            found = None if theirs is None else ratio_of(function.traced(label), theirs, factor or None)
            if found is None or found < 0:
                return False
            factor = factor or found
        if not factor:
            return False
    return True
