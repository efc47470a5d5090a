"""A plain Python, NumPy or PyTorch function of scores and labels: traced label by label, or run in floats."""

from abc import ABC
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache, partial
from itertools import product
from math import isfinite
from random import Random
from typing import Any, Final, NamedTuple, TypeVar, final

import numpy as np

from consistency_lab.core.expression import X, fold
from consistency_lab.errors import InputError, UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.model.labels import Label
from consistency_lab.model.surrogates.catalogue import is_taken
from consistency_lab.model.surrogates.families import Family
from consistency_lab.model.surrogates.own import asked, imported
from consistency_lab.model.surrogates.tasks.base import Atom, AtomSurrogate, TaskSurrogate
from consistency_lab.model.surrogates.tasks.catalogue import CHOICES, TASK_SURROGATES
from consistency_lab.model.surrogates.tasks.forms import (
    Forms,
    at,
    constant,
    form_of,
    ratio_of,
    score,
    summands,
    text,
    value,
)
from consistency_lab.model.surrogates.tasks.libraries import LIBRARIES
from consistency_lab.model.surrogates.traced import (
    OPERATIONS,
    Form,
    Symbol,
    arguments,
    plain_number,
    symbolic,
)
from consistency_lab.model.tasks.task import Task
from consistency_lab.phi import number

# --- What stands for the scores: arrays of cells, each of which remembers what is done to it -------------

_RING: Final = Forms()
_SORTED: Final = ("sort", "argsort", "topk", "argmax", "argmin", "searchsorted")
_COMPARES: Final = "it compares scores, or branches on them"


def _refused(*_: object) -> bool:
    raise InputError(_COMPARES)


class _Compared(Symbol, ABC):
    """What has no order while a function is traced."""

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = __bool__ = _refused
    __hash__ = object.__hash__

    def __float__(self) -> float:
        raise InputError("it turns scores into floats")

    def _binary(op: str, *, turned: bool = False) -> Any:  # type: ignore[misc]
        return lambda self, other: self.made(op, (other, self) if turned else (self, other), {})

    __add__, __radd__ = _binary("add"), _binary("add", turned=True)
    __sub__, __rsub__ = _binary("subtract"), _binary("subtract", turned=True)
    __mul__, __rmul__ = _binary("multiply"), _binary("multiply", turned=True)
    __truediv__, __rtruediv__ = _binary("divide"), _binary("divide", turned=True)
    __pow__, __rpow__ = _binary("power"), _binary("power", turned=True)
    __matmul__, __rmatmul__ = _binary("matmul"), _binary("matmul", turned=True)
    __neg__, __abs__ = (
        (lambda self: self.made("negative", (self,), {})),
        (lambda self: self.made("abs", (self,), {})),
    )


@final
class Cell(_Compared):
    """One number that depends on the scores."""

    def __init__(self, form: Form) -> None:
        self.form = form

    @staticmethod
    def made(name: str, given: Sequence[Any], more: Mapping[str, Any]) -> "Cell":
        forms = [_form(one) for one in given]
        if name in _OF_TWO:
            return Cell(_OF_TWO[name](*forms))
        place = next((k for k, one in enumerate(forms) if value(one) is None), 0)
        if name not in OPERATIONS or any(value(one) is None for one in forms[place + 1 :]):
            raise InputError(f"it calls {name} in a way that cannot be traced")
        parts = [X if k == place else number(value(one) or 0) for k, one in enumerate(forms)]
        return Cell(fold(OPERATIONS[name](*parts, **more), Forms(forms[place])))


_OF_TWO: Final[Mapping[str, Callable[..., Form]]] = {
    "add": _RING.add,
    "subtract": lambda u, v: _RING.add(u, _RING.negate(v)),
    "multiply": _RING.multiply,
    "divide": _RING.divide,
    "negative": _RING.negate,
    "exp": _RING.exp,
    "log": _RING.log,
    "maximum": lambda u, v: _RING.maximum([u, v]),
    "minimum": lambda u, v: _RING.minimum([u, v]),
    "logaddexp": lambda u, v: _RING.log(_RING.add(_RING.exp(u), _RING.exp(v))),
}


def _form(given: Any) -> Form:
    if type(given) is Scores:
        given = given.cells.item()
    return given.form if type(given) is Cell else constant(plain_number(given).value or 0)


@final
class Scores(_Compared):
    """The scores, or what a function has made of them so far."""

    def __init__(self, cells: Any, torch: bool) -> None:
        self.cells, self.torch = np.asarray(cells, object), torch

    @staticmethod
    def made(name: str, given: Sequence[Any], more: Mapping[str, Any]) -> Any:
        known = next(one for one in _flat((*given, *more.values())) if type(one) is Scores)
        called = _ALSO.get(name.strip("_"), name.strip("_"))
        if called in _SORTED:
            raise InputError(f"it sorts or ranks the scores ({called})")
        kept = {_KEYS.get(k, k): _cells(x) for k, x in more.items() if k not in _IGNORED and x is not None}
        try:
            found = _function(called)(*map(_cells, given), **kept)
        except (TypeError, ValueError, IndexError, KeyError, AttributeError):
            raise InputError(f"it calls {called} in a way that cannot be traced") from None
        if (
            called in ("max", "min")
            and known.torch
            and (type(given[-1]) is int or "axis" in kept)
            and known.ndim
        ):
            return _Extreme(Scores(found, True), None)
        return Scores(found, known.torch)

    def __len__(self) -> int:
        return len(self.cells)

    def __iter__(self) -> Iterator["Scores"]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: Any) -> "Scores":
        return Scores(self.cells[tuple(map(_cells, key)) if type(key) is tuple else _cells(key)], self.torch)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.cells if dtype in (None, object) else _refused()

    def __array_ufunc__(self, ufunc: Any, method: str, *given: Any, **more: Any) -> Any:
        return Scores.made(ufunc.__name__ + ("" if method == "__call__" else f".{method}"), given, more)

    def __array_function__(self, function: Any, types: Any, given: Any, more: Any) -> Any:
        return Scores.made(function.__name__, given, more)

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, given: Any = (), more: Any = None) -> Any:
        return Scores.made(function.__name__, given, more or {})

    def __getattr__(self, name: str) -> Any:
        if name in ("shape", "ndim") or (name == "size" and not self.torch):
            return getattr(self.cells, name)
        if name in ("dim", "numel", "size"):
            sizes = {"dim": self.cells.ndim, "numel": self.cells.size, "size": self.cells.shape}
            known: Any = sizes[name]
            return lambda *at: known[at[0]] if at else known
        if name in ("device", "dtype"):
            return getattr(Function.given(self.torch, [0]), name)
        if name.startswith("__"):
            raise AttributeError(name)
        act = partial(_method, name, self)
        return act() if name == "T" else act


def _method(name: str, *given: Any, **more: Any) -> Any:
    return Scores.made(name, given, more)


@final
class _Extreme(NamedTuple):
    """What torch.max returns for one dimension."""

    values: Any
    indices: Any


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

_KEYS: Final = {"dim": "axis", "keepdim": "keepdims", "dims": "axis", "a_min": "low", "a_max": "high"}
_IGNORED: Final = (
    *("dtype", "out", "inplace", "device", "copy", "requires_grad", "_stacklevel"),
    *("ignore_index", "label_smoothing"),
)
"""What changes no value as a rule; the comparison with the function itself sees where it does."""


def _each(name: str) -> Callable[..., Any]:
    """An operation that is done to each cell."""
    return lambda *given, **more: np.frompyfunc(lambda *of: Cell.made(name, of, more), len(given), 1)(*given)


_exp: Final = _each("exp")
_log: Final = _each("log")


def _largest(name: str) -> Callable[..., Any]:
    """The largest or smallest: of two, or of all along an axis."""
    both = np.frompyfunc(lambda *of: Cell.made(name, of, {}), 2, 1)

    def extreme(a: Any, *rest: Any, axis: Any = None, keepdims: bool = False) -> Any:
        if rest and not (type(rest[0]) is int and np.ndim(a)):
            return both(a, rest[0])
        axis = rest[0] if rest else axis
        return both.reduce(a.ravel() if axis is None else a, axis=axis or 0, keepdims=keepdims)

    return extreme


def _log_softmax(a: Any, axis: Any = -1) -> Any:
    return a - _log(np.sum(_exp(a), axis=axis, keepdims=True))


def _of_loss(losses: Callable[..., Any]) -> Callable[..., Any]:
    """A loss of PyTorch, with its reduction."""
    reduced: dict[str, Any] = {"none": np.asarray, "sum": np.sum, "mean": np.mean}
    return lambda *given, reduction="mean": reduced[reduction](losses(*given))


def _cross_entropy(a: Any, target: Any) -> Any:
    target = np.eye(a.shape[-1])[target] if np.issubdtype(target.dtype, np.integer) else target
    return -np.sum(target * _log_softmax(a), axis=-1)


_ROWS: Final[Mapping[str, Callable[..., Any]]] = {
    **dict.fromkeys(("detach", "clone", "float", "double", "contiguous", "to", "type"), lambda a, *_: a),
    **dict.fromkeys(("astype", "cpu", "asarray", "array", "positive", "copy"), lambda a, *_: a),
    **{"max": _largest("maximum"), "amax": _largest("maximum")},
    **{"min": _largest("minimum"), "amin": _largest("minimum")},
    "logsumexp": lambda a, axis=None, keepdims=False: _log(np.sum(_exp(a), axis=axis, keepdims=keepdims)),
    "logcumsumexp": lambda a, axis=0: _log(np.cumsum(_exp(a), axis=axis)),
    "log_softmax": _log_softmax,
    "softmax": lambda a, axis=-1: _exp(_log_softmax(a, axis)),
    "cross_entropy": _of_loss(_cross_entropy),
    "binary_cross_entropy_with_logits": _of_loss(lambda a, b: _each("softplus")(a) - a * b),
    "mse_loss": _of_loss(lambda a, b: (a - b) * (a - b)),
    "rsub": lambda a, b: b - a,
    "masked_fill": lambda a, mask, x: np.where(mask, x, a),
    "masked_select": lambda a, mask: a[mask],
    "gather": lambda a, axis, index: np.take_along_axis(a, index, axis),
    "index_select": lambda a, axis, index: np.take(a, index, axis),
    "reshape": lambda a, *shape: a.reshape(*shape),
    "transpose": lambda a, *axes: a.swapaxes(*axes) if axes else a.T,
}
_OF_NUMPY: Final = (
    *("add", "subtract", "multiply", "divide", "negative", "sum", "mean", "cumsum", "matmul", "dot", "inner"),
    *("outer", "where", "stack", "concatenate", "squeeze", "expand_dims", "ravel", "flip", "roll", "take"),
    *("take_along_axis", "triu", "tril", "diag", "broadcast_to"),
)
"""What NumPy does to arrays of cells by their arithmetic."""

_ALSO: Final[Mapping[str, str]] = {
    **{"sub": "subtract", "mul": "multiply", "div": "divide", "true_divide": "divide", "neg": "negative"},
    **{"view": "reshape", "unsqueeze": "expand_dims", "flatten": "ravel", "t": "transpose", "T": "transpose"},
    **{"swapaxes": "transpose", "cat": "concatenate", "concat": "concatenate", "expand": "broadcast_to"},
    **{"mv": "matmul", "mm": "matmul", "vdot": "dot", "ger": "outer", "rmul": "multiply", "radd": "add"},
}
"""Other names."""


def _function(name: str) -> Callable[..., Any]:
    of, _, method = name.partition(".")
    if of in _OF_NUMPY:
        return getattr(np, of) if not method else getattr(getattr(np, of), method)  # type: ignore[no-any-return]
    if name in _ROWS:
        return _ROWS[name]
    if name in OPERATIONS or name in _OF_TWO:
        return _each(name)
    raise InputError(f"it calls {name}, which cannot be traced")


# --- A function at a label: its value in floats, and its form --------------------------------------------

_T = TypeVar("_T")
_HELP: Final = "(docs/own-surrogate.md)"
_POINTS: Final = 40
"""A function is compared with what it was traced to at so many scores for each label; of more than 3 items at
a fourth of them."""

_TWICE: Final = 1e-9


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
            if self.torch:  # a thread of its own would start others, which wait for each other
                import torch

                before = torch.get_num_threads()
                torch.set_num_threads(1)
            try:
                with np.errstate(all="ignore"):
                    return work()
            finally:
                if self.torch:
                    torch.set_num_threads(before)

        return asked(self.name, quietly, "return soon")

    def once(self, scores: Sequence[float], label: Label) -> float:
        """What it returns, if that is one finite number; unguarded against endless loops."""
        found = self.code(self.given(self.torch, scores), self.given(self.torch, label))
        if found is None or np.size(_cells(found)) != 1 or isinstance(found, str):
            what = (
                f"an array of the shape {np.shape(_cells(found))}"
                if np.ndim(_cells(found))
                else f"a {type(found).__name__}"
            )
            raise InputError(
                f"{self.name} returns {what}; a loss of scores and labels returns one number {_HELP}"
            )
        number = float(np.asarray(_cells(found)).item())
        if not isfinite(number):
            shown = ", ".join(f"{x:.4g}" for x in scores)
            raise InputError(
                f"{self.name} returns {number} at the scores ({shown}) and the labels {label}; a loss is "
                f"finite {_HELP}"
            )
        return number

    @staticmethod
    def given(torch: bool, numbers: Sequence[float]) -> Any:
        """Scores or labels, as the function takes them."""
        if not torch:
            return np.array(numbers, dtype=float)
        from torch import float64, tensor

        return tensor(numbers, dtype=float64)

    def traced(self, label: Label) -> Form:
        """Its form at a label, compared with the function itself at scores drawn at random."""
        return _traced(self, label)


@lru_cache(maxsize=20_000)
def _traced(function: Function, label: Label) -> Form:
    m = len(label)
    symbols = Scores([Cell(score(i)) for i in range(m)], function.torch)

    def run() -> Form:
        with symbolic(function.code):
            return _form_at(function.code(symbols, function.given(function.torch, label)))

    found = function.run(run)
    points = _points(m, _POINTS if m <= 3 else _POINTS // 4)
    for scores, said in zip(points, function.values(points, label), strict=True):
        try:
            expected = at(found, scores)
        except (ArithmeticError, ValueError):
            raise InputError(
                f"it is {text(found)[:200]} at the labels {label}, which has no value everywhere"
            ) from None
        if not abs(said - expected) <= 1e-5 * abs(expected) + 1e-6:
            shown = ", ".join(f"{x:.4g}" for x in scores)
            raise WrongTraceError(
                f"{function.name} was traced to {text(found)[:200]} at the labels {label}, but at the scores "
                f"({shown}) it returns {said:.6g}, and that is {expected:.6g}; write it without branches on "
                f"types {_HELP}"
            )
    return found


class WrongTraceError(InputError):
    """What was traced is something else than the function."""


def _form_at(found: Any) -> Form:
    cells = np.asarray(_cells(found))
    if cells.size != 1:
        raise InputError(f"it returns an array of the shape {cells.shape}")
    return _form(cells.item())


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
    shown: str = ""  #: The form at one label.
    family = Family("traced", "", "")

    @property
    def formula(self) -> str:
        """The form at one label."""
        return self.shown

    def describe(self, task: Task) -> dict[str, object]:
        """Its name: what it is at a label is written in the proof."""
        return {"family": "traced", "name": f"own: {self.name}"}

    def atoms(self, task: Task, label: Label) -> tuple[Atom, ...]:
        try:
            return summands(self.function.traced(label), len(label))
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
    family = Family("floats", "", "")

    @property
    def formula(self) -> str:
        """Nothing is known."""
        return "a function of scores and labels that is not traced"

    def describe(self, task: Task) -> dict[str, object]:
        """Its name."""
        return {"family": "floats", "name": f"own: {self.name}"}


OWN: Final = (ListwiseSurrogate, FloatSurrogate)
"""What a function of the user's own is, where it is no built-in loss: no theorem knows these classes."""


def load_listwise(reference: str, tasks: Sequence[Task]) -> TaskSurrogate:
    """The surrogate of ``file.py:function``, a function of scores and labels, at the labels of tasks.

    It is a built-in one where it equals that at all the labels.
    """
    file, _, attribute = reference.rpartition(":")
    module = imported(file)
    code = getattr(module, attribute, None)
    if code is None:
        raise InputError(f"the module {file!r} has no {attribute!r}")
    if not callable(code) or isinstance(code, type):
        raise InputError(
            f"{reference} is not a function; with a target it must be a function of scores and labels {_HELP}"
        )
    count = arguments(code)
    if count != 2:
        raise InputError(
            f"{reference} takes {count} argument{'s' * (count != 1)}; with a target it takes two, scores and "
            f"labels {_HELP}"
        )
    task = tasks[0]
    if task.space.kind != "grades":
        raise InputError(
            f"{reference} takes scores and grades, and the labels of {task.title} are {task.space.kind}"
        )
    known = getattr(code, "__globals__", {}).values()
    torch = any(
        str(getattr(one, "__name__", "")).partition(".")[0] == "torch"
        or str(getattr(one, "__module__", "")).partition(".")[0] == "torch"
        for one in known
    )
    function = Function(reference, code, torch)
    for label in task.space.labels:
        first, second = function.values(_points(len(label), 1) * 2, label)
        if abs(first - second) > _TWICE * max(abs(first), 1):
            raise InputError(
                f"{reference} returns {first:.6g}, then {second:.6g} for the same scores and "
                f"labels; a loss returns one number each time {_HELP}"
            )
    name = attribute.replace("_", "-")
    name = f"own-{name}" if is_taken(name) else name
    try:
        moves = [summands(function.traced(label), len(label)) for label in task.space.labels]
    except WrongTraceError:
        raise
    except InputError as error:
        return FloatSurrogate(name, function, str(error).removeprefix(f"{reference} "))
    if not any(moves):
        raise InputError(f"{reference} does not depend on the scores, whatever the labels are {_HELP}")
    same = _built_in(function, tasks)
    if same is not None:
        return same
    label = max(task.space.labels, key=lambda y: (len(set(y)), y))
    return ListwiseSurrogate(name, function, f"{text(function.traced(label))} at the labels {label}"[:400])


def _built_in(function: Function, tasks: Sequence[Task]) -> TaskSurrogate | None:
    """The surrogate of the tables that equals it at every label."""
    for candidate in _candidates():
        with suppress(InputError, UnsupportedError):
            candidate.check(tasks[0])
            if candidate.decoder == "sort" and _equals(function, candidate, tasks):
                return candidate
    return None


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


def _equals(function: Function, candidate: TaskSurrogate, tasks: Sequence[Task]) -> bool:
    """Whether they are the same at every label, but for one positive factor for all labels of a task."""
    for task in tasks:
        factor: Fraction | None = None
        for label in sorted(task.space.labels, key=lambda y: -len(set(y))):
            theirs = form_of(candidate, task, label)
            found = None if theirs is None else ratio_of(function.traced(label), theirs, factor)
            if found is None or found < 0:
                return False
            factor = factor or found or None
        if factor is None:
            return False
    return True
