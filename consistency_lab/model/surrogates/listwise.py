"""A plain Python, NumPy or PyTorch function of scores and labels: traced label by label, or run in floats."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache, partial
from itertools import product
from math import isfinite
from random import Random
from typing import Any, Final, NamedTuple, final

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

# --- What stands for the scores: an array of forms -------------------------------------------------------

_RING: Final = Forms()


def _lifted(function: Callable[..., Form], count: int) -> Callable[..., Any]:
    each = np.frompyfunc(function, count, 1)
    return lambda *given: _forms(each(*map(_forms, given)))


_ADD: Final = _lifted(_RING.add, 2)
_MULTIPLY: Final = _lifted(_RING.multiply, 2)
_GREATER: Final = _lifted(lambda u, v: _RING.maximum([u, v]), 2)
_NEGATE: Final = _lifted(_RING.negate, 1)
_INVERSE: Final = _lifted(lambda u: _RING.power(u, Fraction(-1)), 1)
_EXP: Final = _lifted(_RING.exp, 1)
_LOG: Final = _lifted(_RING.log, 1)
_SORTED: Final = ("sort", "argsort", "topk", "msort", "argmax", "argmin", "searchsorted")


@final
class Scores(Symbol):
    """The scores, or what a function has made of them so far."""

    def __init__(self, forms: Any, torch: bool) -> None:
        self.forms, self.torch = forms, torch

    @staticmethod
    def made(name: str, given: Sequence[Any], more: Mapping[str, Any]) -> Any:
        known = next(one for one in _flat((*given, *more.values())) if type(one) is Scores)
        called = name.strip("_")
        if called in _SORTED:
            raise InputError(f"it sorts or ranks the scores ({called})")
        kept = {_KEYS.get(k, k): x for k, x in more.items() if k not in _IGNORED and x is not None}
        found = _applied(called, given, kept)
        return found if type(found) is _Extreme else Scores(found, known.torch)

    def _binary(op: str, *, turned: bool = False) -> Any:  # type: ignore[misc]
        return lambda self, other: Scores.made(op, (other, self) if turned else (self, other), {})

    __add__, __radd__ = _binary("add"), _binary("add", turned=True)
    __sub__, __rsub__ = _binary("subtract"), _binary("subtract", turned=True)
    __mul__, __rmul__ = _binary("multiply"), _binary("multiply", turned=True)
    __truediv__, __rtruediv__ = _binary("divide"), _binary("divide", turned=True)
    __pow__, __rpow__ = _binary("power"), _binary("power", turned=True)
    __matmul__, __rmatmul__ = _binary("matmul"), _binary("matmul", turned=True)

    def __neg__(self) -> Any:
        return Scores(_NEGATE(self.forms), self.torch)

    def __abs__(self) -> Any:
        return Scores.made("abs", (self,), {})

    def _compared(self, other: object) -> bool:
        raise InputError("it compares scores, or branches on them")

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _compared
    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        return self._compared(None)

    def __float__(self) -> float:
        raise InputError("it turns scores into floats")

    def __len__(self) -> int:
        return len(self.forms)

    def __iter__(self) -> Iterator["Scores"]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: Any) -> "Scores":
        return Scores(
            _forms(self.forms[tuple(map(_plain, key)) if isinstance(key, tuple) else _plain(key)]), self.torch
        )

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if dtype is not None and dtype != object:
            raise InputError("it turns scores into floats")
        parts = np.empty(self.forms.shape, object)
        for place, one in np.ndenumerate(self.forms):
            parts[place] = Scores(_forms(one), self.torch)
        return parts

    def __array_ufunc__(self, ufunc: Any, method: str, *given: Any, **more: Any) -> Any:
        return Scores.made(
            ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}", given, more
        )

    def __array_function__(self, function: Any, types: Any, given: Any, more: Any) -> Any:
        return Scores.made(function.__name__, given, more)

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, given: Any = (), more: Any = None) -> Any:
        return Scores.made(function.__name__, given, more or {})

    def __getattr__(self, name: str) -> Any:
        forms = self.forms
        if name in ("shape", "ndim"):
            return getattr(forms, name)
        if name in ("T", "mT"):
            return Scores(forms.T, self.torch)
        if name in ("device", "dtype") and self.torch:
            import torch

            return {"device": torch.device("cpu"), "dtype": torch.float64}[name]
        if name == "dtype":
            return np.dtype(float)
        if name == "size":
            return (lambda d=None: forms.shape if d is None else forms.shape[d]) if self.torch else forms.size
        if name in ("dim", "numel"):
            return lambda: {"dim": forms.ndim, "numel": forms.size}[name]
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *given, **more: Scores.made(name, (self, *given), more)


def _flat(values: Sequence[Any]) -> Iterator[Any]:
    for one in values:
        yield from _flat(one) if isinstance(one, list | tuple) else (one,)


def _plain(given: Any) -> Any:
    """A tensor as an array, all else as it is."""
    return given.detach().numpy() if hasattr(given, "detach") and not isinstance(given, Symbol) else given


def _form(given: Any) -> Form:
    if isinstance(given, frozenset):
        return given
    if type(given) is Scores:
        return given.forms.item()  # type: ignore[no-any-return]
    known = plain_number(given).value
    assert known is not None
    return constant(known)


def _forms(given: Any) -> Any:
    """Scores, numbers, and lists of them as an array of forms."""
    if type(given) is Scores:
        return given.forms
    if isinstance(given, frozenset):
        one = np.empty((), object)
        one[()] = given
        return one
    if isinstance(given, list | tuple) and any(type(one) is Scores for one in _flat(given)):
        return np.stack([_forms(one) for one in given])
    array = np.asarray(_plain(given))
    found = np.empty(array.shape, object)
    for place, one in np.ndenumerate(array):
        found[place] = _form(one)
    return found


# --- What can be done to it ------------------------------------------------------------------------------

_KEYS: Final = {"dim": "axis", "keepdim": "keepdims", "dims": "axis", "a_min": "min", "a_max": "max"}
_IGNORED: Final = (
    *("dtype", "out", "inplace", "device", "copy", "requires_grad", "_stacklevel"),
    *("ignore_index", "label_smoothing"),
)
"""What changes no value as a rule; the comparison with the function itself sees where it does."""


class _Extreme(NamedTuple):
    """What torch.max returns for one dimension."""

    values: Any
    indices: Any


def _reduced(operation: Callable[..., Form], a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    a = _forms(a)
    if axis is None:
        return _reduced(operation, a.reshape(-1), 0).reshape((1,) * a.ndim if keepdims else ())
    if isinstance(axis, tuple | list):
        for one in sorted((k % a.ndim for k in axis), reverse=True):
            a = _reduced(operation, a, one, keepdims)
        return a
    if not a.shape[axis]:
        return _forms(np.zeros(np.sum(np.zeros(a.shape), axis=axis, keepdims=keepdims).shape))
    return _forms(np.frompyfunc(operation, 2, 1).reduce(a, axis=axis, keepdims=keepdims))


_sum: Final = partial(_reduced, _RING.add)
_largest: Final = partial(_reduced, lambda u, v: _RING.maximum([u, v]))


def _mean(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    total = _sum(a, axis, keepdims)
    return _MULTIPLY(total, Fraction(total.size, _forms(a).size))


def _extreme(sign: int, a: Any, *rest: Any, axis: Any = None, keepdims: bool = False) -> Any:
    turned = _NEGATE if sign < 0 else _forms
    if rest and type(rest[0]) is not int:
        return turned(_GREATER(turned(a), turned(rest[0])))
    axis = rest[0] if rest else axis
    found = turned(_largest(turned(a), axis, keepdims))
    return (
        _Extreme(Scores(found, True), None) if axis is not None and type(a) is Scores and a.torch else found
    )


def _logsumexp(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return _LOG(_sum(_EXP(a), axis, keepdims))


def _log_softmax(a: Any, axis: Any = -1) -> Any:
    return _ADD(a, _NEGATE(_logsumexp(a, axis, True)))


def _matmul(a: Any, b: Any) -> Any:
    a, b = _forms(a), _forms(b)
    return _sum(_MULTIPLY(a, b), -1) if b.ndim == 1 else _sum(_MULTIPLY(a[..., :, None], b), -2)


def _outer(operation: Callable[..., Any]) -> Callable[..., Any]:
    return lambda a, b: operation(_forms(a)[:, None], _forms(b)[None, :])


def _accumulated(a: Any, axis: Any = 0) -> Any:
    return np.frompyfunc(_RING.add, 2, 1).accumulate(_forms(a), axis=axis)


def _of_loss(losses: Callable[..., Any]) -> Callable[..., Any]:
    """A loss of PyTorch, with its reduction."""
    reduced = {"none": _forms, "sum": _sum, "mean": _mean}
    return lambda *given, reduction="mean": reduced[reduction](losses(*given))


def _cross_entropy(a: Any, target: Any) -> Any:
    target = _plain(target)
    if np.issubdtype(target.dtype, np.integer):
        target = np.eye(_forms(a).shape[-1])[target]
    return _NEGATE(_sum(_MULTIPLY(target, _log_softmax(a)), -1))


def _binary(a: Any, target: Any) -> Any:
    return _ADD(_applied("softplus", (a,), {}), _NEGATE(_MULTIPLY(a, target)))


def _minus(a: Any, b: Any) -> Any:
    return _ADD(a, _NEGATE(b))


def _where(mask: Any, *given: Any) -> Any:
    if type(mask) is Scores:
        raise InputError("it compares scores, or branches on them")
    return np.where(_plain(mask), *map(_forms, given))


def _expanded(a: Any, *shape: int) -> Any:
    known = (1,) * (len(shape) - a.ndim) + _forms(a).shape
    return np.broadcast_to(_forms(a), [n if k < 0 else k for k, n in zip(shape, known, strict=True)])


def _of_array(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda a, *given, **more: function(_forms(a), *map(_plain, given), **more)


def _of_arrays(join: Callable[..., Any]) -> Callable[..., Any]:
    return lambda parts, axis=0: join([_forms(one) for one in parts], axis=axis)


_OF_ARRAY: Final = (
    "squeeze",
    "roll",
    "take",
    "take_along_axis",
    "triu",
    "tril",
    "diag",
    "flip",
    "expand_dims",
)
_SAME: Final = [
    "detach",
    "clone",
    "float",
    "double",
    "contiguous",
    "to",
    "type",
    "astype",
    "copy",
    "cpu",
    "asarray",
    "array",
    "positive",
]

_ROWS: Final[Mapping[str, Callable[..., Any]]] = {
    **dict.fromkeys(_SAME, lambda a, *_, **__: a),
    **{name: _of_array(getattr(np, name)) for name in _OF_ARRAY},
    **{"add": _ADD, "subtract": _minus, "rsub": lambda a, b: _minus(b, a), "multiply": _MULTIPLY},
    **{"divide": lambda a, b: _MULTIPLY(a, _INVERSE(b)), "negative": _NEGATE, "sum": _sum, "mean": _mean},
    **{"logsumexp": _logsumexp, "log_softmax": _log_softmax, "cumsum": _accumulated, "matmul": _matmul},
    "logaddexp": lambda a, b: _LOG(_ADD(_EXP(a), _EXP(b))),
    "logcumsumexp": lambda a, axis=0: _LOG(_accumulated(_EXP(a), axis)),
    "softmax": lambda a, axis=-1: _EXP(_log_softmax(a, axis)),
    "maximum": partial(_extreme, 1),
    "minimum": partial(_extreme, -1),
    "amax": _largest,
    "amin": lambda a, axis=None, keepdims=False: _NEGATE(_largest(_NEGATE(a), axis, keepdims)),
    "add.reduce": lambda a, axis=0, keepdims=False: _sum(a, axis, keepdims),
    **{"multiply.outer": _outer(_MULTIPLY), "subtract.outer": _outer(_minus), "add.outer": _outer(_ADD)},
    "cross_entropy": _of_loss(_cross_entropy),
    "binary_cross_entropy_with_logits": _of_loss(_binary),
    "mse_loss": _of_loss(lambda a, b: _MULTIPLY(_minus(a, b), _minus(a, b))),
    **{"where": _where, "expand": _expanded},
    "masked_fill": lambda a, mask, x: np.where(_plain(mask), _forms(x), _forms(a)),
    "masked_select": lambda a, mask: _forms(a)[_plain(mask)],
    "gather": lambda a, axis, index: np.take_along_axis(_forms(a), _plain(index), axis),
    "index_select": lambda a, axis, index: np.take(_forms(a), _plain(index), axis),
    "reshape": lambda a, *shape: _forms(a).reshape(*shape),
    "ravel": lambda a, *_: _forms(a).ravel(),
    "transpose": _of_array(lambda a, *axes: a.swapaxes(*axes) if axes else a.T),
    **{"concatenate": _of_arrays(np.concatenate), "stack": _of_arrays(np.stack)},
}
_ALSO: Final[Mapping[str, str]] = {
    **{"sub": "subtract", "mul": "multiply", "div": "divide", "true_divide": "divide", "neg": "negative"},
    **{"max": "maximum", "min": "minimum", "view": "reshape", "unsqueeze": "expand_dims", "flatten": "ravel"},
    **{"t": "transpose", "swapaxes": "transpose", "cat": "concatenate", "concat": "concatenate"},
    **{"outer": "multiply.outer", "ger": "multiply.outer"},
    **dict.fromkeys(("dot", "inner", "mv", "mm", "vdot"), "matmul"),
}
"""Other names, and what is done to whole arrays; the operations of a margin are done to each score."""


def _applied(name: str, given: Sequence[Any], more: Mapping[str, Any]) -> Any:
    """An operation done to scores and numbers."""
    name = _ALSO.get(name, name)
    if name not in _ROWS and name not in OPERATIONS:
        raise InputError(f"it calls {name}, which is not traced")
    try:
        if name in _ROWS:
            found = _ROWS[name](*given, **more)
            return found if type(found) is _Extreme else _forms(found)
        keys = [{"min": "low", "max": "high"}.get(key, key) for key in more]
        each = partial(_each, name, len(given), keys)
        return _lifted(each, len(given) + len(keys))(*given, *more.values())
    except (TypeError, ValueError, IndexError, KeyError, np.exceptions.AxisError):
        raise InputError(f"it calls {name} in a way that is not traced") from None


def _each(name: str, count: int, keys: Sequence[str], *forms: Form) -> Form:
    """A function of one number that is not constant."""
    place = next((k for k, one in enumerate(forms) if value(one) is None), 0)
    if any(value(one) is None for one in forms[place + 1 :]):
        raise InputError(f"it calls {name} with several numbers that depend on scores")
    parts = [X if k == place else number(value(one) or 0) for k, one in enumerate(forms)]
    called = OPERATIONS[name](*parts[:count], **dict(zip(keys, parts[count:], strict=True)))
    return fold(called, Forms(forms[place]))


# --- A function at a label: its value in floats, and its form --------------------------------------------

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

    def at(self, scores: Sequence[float], label: Label) -> float:
        """What it returns, if that is one finite number."""
        return asked(self.name, lambda: self._at(scores, label), "return soon")

    def _at(self, scores: Sequence[float], label: Label) -> float:
        with np.errstate(all="ignore"):
            found = self.code(*self._given(scores, label))
        if found is None or np.size(_plain(found)) != 1 or isinstance(found, str):
            what = (
                f"an array of the shape {np.shape(_plain(found))}"
                if np.ndim(_plain(found))
                else f"a {type(found).__name__}"
            )
            raise InputError(
                f"{self.name} returns {what}; a loss of scores and labels returns one number {_HELP}"
            )
        number = float(np.asarray(_plain(found)).item())
        if not isfinite(number):
            shown = ", ".join(f"{x:.4g}" for x in scores)
            raise InputError(
                f"{self.name} returns {number} at the scores ({shown}) and the labels {label}; a loss is finite {_HELP}"
            )
        return number

    def _given(self, *lists: Sequence[float]) -> list[Any]:
        if not self.torch:
            return [np.array(one, dtype=float) for one in lists]
        import torch

        return [torch.tensor(one, dtype=torch.float64) for one in lists]

    def traced(self, label: Label) -> Form:
        """Its form at a label, compared with the function itself at scores drawn at random."""
        return _traced(self, label)


@lru_cache(maxsize=20_000)
def _traced(function: Function, label: Label) -> Form:
    m = len(label)
    symbols = np.empty(m, object)
    symbols[:] = [score(i) for i in range(m)]

    def run() -> Form:
        with symbolic(function.code), np.errstate(all="ignore"):
            return _form_at(function.code(Scores(symbols, function.torch), function._given(label)[0]))

    found = asked(function.name, run, "return soon")
    for scores in _points(m, _POINTS if m <= 3 else _POINTS // 4):
        said = function.at(scores, label)
        try:
            expected = at(found, scores)
        except (ArithmeticError, ValueError):
            raise InputError(
                f"it is {text(found)[:200]} at the labels {label}, which has no value everywhere"
            ) from None
        if not abs(said - expected) <= 1e-5 * abs(expected) + 1e-6:
            shown = ", ".join(f"{x:.4g}" for x in scores)
            raise WrongTraceError(
                f"{function.name} was traced to {text(found)[:200]} at the labels {label}, but at the scores ({shown}) it "
                f"returns {said:.6g}, and that is {expected:.6g}; write it without branches on types {_HELP}"
            )
    return found


class WrongTraceError(InputError):
    """What was traced is something else than the function."""


def _form_at(found: Any) -> Form:
    forms = _forms(found)
    if forms.size != 1:
        raise InputError(f"it returns an array of the shape {forms.shape}")
    return forms.item()  # type: ignore[no-any-return]


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
            f"{reference} is no function; with a target it must be a function of scores and labels {_HELP}"
        )
    count = arguments(code)
    if count != 2:
        raise InputError(
            f"{reference} takes {count} arguments; with a target it takes two, scores and labels {_HELP}"
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
        (scores,) = _points(len(label), 1)
        first, second = function.at(scores, label), function.at(scores, label)
        if abs(first - second) > _TWICE * max(abs(first), 1):
            raise InputError(
                f"{reference} returns {first:.6g}, then {second:.6g} for the same scores and labels; a loss returns one number each time {_HELP}"
            )
    name = attribute.replace("_", "-")
    name = f"own-{name}" if is_taken(name) else name
    try:
        for label in task.space.labels:
            summands(function.traced(label), len(label))
    except WrongTraceError:
        raise
    except InputError as error:
        return FloatSurrogate(name, function, str(error).removeprefix(f"{reference} "))
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
    factor: Fraction | None = None
    for task in tasks:
        for label in sorted(task.space.labels, key=lambda y: -len(set(y))):
            theirs = form_of(candidate, task, label)
            found = None if theirs is None else ratio_of(function.traced(label), theirs, factor)
            if found is None or found < 0:
                return False
            factor = factor or found or None
    return factor is not None
