"""Classes of the user's own, and what a user means by a surrogate."""

import importlib
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from importlib.util import module_from_spec, spec_from_file_location
from itertools import islice
from pathlib import Path
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Final, TypeVar, final

from consistency_lab.errors import ConsistencyLabError, InputError, Terminated, UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.model.checked import checked
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates.catalogue import FAMILIES, is_taken, surrogate
from consistency_lab.model.surrogates.families import GraphSurrogate, Surrogate, Term, graph_entries, merged
from consistency_lab.model.surrogates.traced import name_of, refuse_other, trace, values
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import Expression, parse

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# --- A class of the user's own: known by its explicit terms alone, and every one of them is checked ------
# Whatever a class is derived from, it may say something else than its base; so it gets no theorem, no closed
# form and no entry of a family in a file, and the rest of the project meets it as an `OwnSurrogate` only.

_T = TypeVar("_T")

_LONGEST_NAME: Final = 80
_MOST_TERMS: Final = 20_000
MAX_OPERATIONS: Final = 3_000_000
"""What a class may take of Python for one answer."""

_LARGEST_DIRECTION: Final = 10**6
_EXPONENT: Final = 100
_LARGEST: Final = Fraction(10**_EXPONENT)
"""Floats propose the scores, and bear their squares and cubes up to here."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class OwnSurrogate(Surrogate):
    """A surrogate of the user's own; `checked` builds it."""

    given: Surrogate  #: The user's object.
    name: str  #: Its name.
    scalars: tuple[Expression, ...]  #: Its scalar functions.

    @staticmethod
    def checked(given: Surrogate) -> "OwnSurrogate":
        """Check the name and the functions."""
        return OwnSurrogate(given, _name(given), _functions(given))

    @property
    def kind(self) -> str:
        """What the class is called."""
        return type(self.given).__name__

    @property
    def functions(self) -> tuple[Expression, ...]:
        """As the class lists them."""
        return self.scalars

    @property
    def formula(self) -> str:
        """That of the class is not known."""
        return f"terms given by the class {self.kind}"

    def parameters(self) -> tuple[tuple[str, str], ...]:
        letters = [f"phi{n}(x)" for n in range(1, len(self.scalars) + 1)]
        return tuple(zip(letters if letters[1:] else ["phi(x)"], map(str, self.scalars), strict=True))

    @property
    def by_graphs(self) -> bool:
        """Whether it is given graph by graph, so that W is linear in p: what the nearest class writes."""
        says = next(c for c in type(self.given).__mro__ if {"graph_terms", "risk_terms"} & vars(c).keys())
        return says is GraphSurrogate or "risk_terms" not in vars(says)

    def risk_terms(self, distribution: Distribution) -> tuple[Term, ...]:
        """The terms of the class, checked and merged."""
        if not self.by_graphs:
            return self._whole(distribution)
        return merged(
            Term(p * term.c, *term.key)
            for p, terms in zip(distribution.probabilities, self._graph_by_graph(distribution), strict=True)
            for term in terms
        )

    def describe(self, distribution: Distribution) -> dict[str, object]:
        """Terms written out; where they are given for p as a whole, every graph has all of them."""
        if self.by_graphs:
            entries = [merged(terms) for terms in self._graph_by_graph(distribution)]
        else:
            entries = [self._whole(distribution)] * len(distribution.graphs)
        return graph_entries(self.name, entries, distribution.items)

    def _graph_by_graph(self, p: Distribution) -> list[list[Term]]:
        given: Any = self.given  # graph_terms may stand beside a family that has none
        return [self._terms("graph_terms", partial(given.graph_terms, graph, p.m), p.m) for graph in p.graphs]

    def _whole(self, p: Distribution) -> tuple[Term, ...]:
        return merged(self._terms("risk_terms", lambda: self.given.risk_terms(p), p.m))

    def _terms(self, method: str, write: Callable[[], Iterable[Term]], m: int) -> list[Term]:
        what = f"{self.kind}.{method}"
        found = asked(what, lambda: _listed(what, write()), "return a few terms for each edge")
        if len(found) > _MOST_TERMS:
            raise InputError(f"{what} gives more than {_MOST_TERMS} terms; a loss of {m} items has fewer")
        return [self._term(what, term, m) for term in found]

    def _term(self, what: str, term: object, m: int) -> Term:
        """The term with numbers of the right kind; anything that is not exact is refused."""
        if type(term) is not Term:
            raise InputError(
                f"{what} gives {_shown(term)}, which is not a term; make terms with pair or Term"
            )
        c = _exact(term.c)
        if c is None:
            raise InputError(
                f"{what} gives the coefficient {_shown(term.c)}; it must be an int or a Fraction"
            )
        if c < 0:
            raise InputError(f"{what} gives the coefficient {_number(c)}; coefficients must be at least 0")
        if c and not 1 / _LARGEST <= c <= _LARGEST:
            raise InputError(
                f"{what} gives the coefficient {_number(c)}; coefficients must lie between 10^-{_EXPONENT} "
                f"and 10^{_EXPONENT}"
            )
        if type(term.phi) is not Expression or term.phi not in self.scalars:
            raise InputError(f"{what} uses {_shown(term.phi)}, which {self.kind}.functions does not list")
        return Term(c, term.phi, _direction(what, term.v, m), _offset(what, term.b))


def _listed(what: str, found: object) -> list[object]:
    if not isinstance(found, Iterable) or isinstance(found, str):
        raise InputError(
            f"{what} gives {_shown(found)}; it must give a list of terms, made with pair or Term"
        )
    return list(islice(found, _MOST_TERMS + 1))


def _direction(what: str, v: object, m: int) -> tuple[tuple[int, int], ...]:
    whole = isinstance(v, tuple) and all(
        isinstance(entry, tuple) and len(entry) == 2 and all(type(n) is int for n in entry) for entry in v
    )
    entries: tuple[tuple[int, int], ...] = v if whole and isinstance(v, tuple) else ()
    items = [item for item, _ in entries]
    if not entries or items != sorted(set(items)) or not all(n for _, n in entries):
        raise InputError(
            f"{what} gives the direction {_shown(v)}; it must be ((item, integer), ...) with rising items, "
            "without zeros"
        )
    if items[0] < 0 or items[-1] >= m:
        raise InputError(f"{what} gives the direction {_shown(v)}; items are 0..{m - 1}")
    if max(abs(n) for _, n in entries) > _LARGEST_DIRECTION:
        raise InputError(f"{what} gives the direction {_shown(v)}; integers are at most {_LARGEST_DIRECTION}")
    return entries


def _offset(what: str, b: object) -> LogRational:
    plain = _exact(b)
    offset = LogRational(plain) if plain is not None else b
    if type(offset) is not LogRational:
        raise InputError(
            f"{what} gives the offset {_shown(b)}; it must be an int, a Fraction or a LogRational"
        )
    if abs(offset.a) > _LARGEST or not 1 / _LARGEST <= offset.q <= _LARGEST:
        raise InputError(f"{what} gives an offset beyond 10^{_EXPONENT}; scale the loss down")
    return offset


def _name(given: Surrogate) -> str:
    kind = type(given).__name__
    name = asked(f"{kind}.name", lambda: getattr(given, "name", None), "be a short text")
    if name is None:
        raise InputError(f"the class {kind} has no name; write name = 'my-loss' in it")
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise InputError(f"{kind}.name is {_shown(name)}; it must be a non-empty printable text")
    if len(name) > _LONGEST_NAME:
        raise InputError(f"{kind}.name has {len(name)} characters; at most {_LONGEST_NAME} are taken")
    if is_taken(name):
        raise InputError(
            f"the name {name!r} of the class {kind} is reserved for built-in losses; give it another name"
        )
    return name


def _functions(given: Surrogate) -> tuple[Expression, ...]:
    kind = type(given).__name__
    what = f"{kind}.functions"
    found = asked(what, lambda: getattr(given, "functions", None), "be a tuple of expressions")
    right = "write functions = (parse('max(0,1-x)'),) or the like"
    if isinstance(found, Expression):
        raise InputError(f"{what} is one expression; {right}, with the comma that makes a tuple")
    if not isinstance(found, tuple | list):
        raise InputError(f"{what} is {_shown(found)}, not a tuple of expressions; {right}")
    if not found:
        raise InputError(f"{what} is empty; list every scalar function that its terms use: {right}")
    for phi in found:
        if type(phi) is not Expression:
            raise InputError(f"{what} contains {_shown(phi)}, which is not an expression; {right}")
    return tuple(found)


def asked(what: str, action: Callable[[], _T], must: str, failed: str = "raised") -> _T:
    """What code of the user's answers; however it fails, or if it does not end, that is one sentence."""

    def attempt() -> tuple[_T]:
        try:
            return (action(),)
        except (ConsistencyLabError, KeyboardInterrupt):
            raise
        except BaseException as error:  # what it raises is no signal of ours
            raise InputError(f"{what} {failed} {failure(error)}") from error

    from consistency_lab.model.foreign import apart

    found = apart(MAX_OPERATIONS, attempt)
    if found is None:
        raise InputError(
            f"{what} took {MAX_OPERATIONS:,} operations of Python and was stopped; it must {must}"
        )
    return found[0]


def failure(error: BaseException) -> str:
    """The kind of an error and the first line of what it says, for a sentence."""
    try:
        says = next(iter(str(error).strip().splitlines()), "")
    except Exception:  # a class of the user's own may not even be able to say what is wrong
        says = ""
    return f"{type(error).__name__}: {says[:200]}" if says else type(error).__name__


def _exact(value: object) -> Fraction | None:
    exact = type(value) is int or type(value) is Fraction
    return Fraction(value) if exact and isinstance(value, int | Fraction) else None


def _shown(value: object) -> str:
    """A value in a sentence, with its type where it is not plain what it is."""
    if value is None or type(value) is Expression:
        return str(value)
    text = asked(f"the repr of a {type(value).__name__}", lambda: repr(value), "be a short text")
    return f"{text if len(text) <= 60 else text[:57] + '...'} (a {type(value).__name__})"


def _number(value: Fraction) -> str:
    text = str(value) if max(value.numerator.bit_length(), value.denominator.bit_length()) < 120 else ""
    if text:
        return text
    size = ((value.numerator.bit_length() - value.denominator.bit_length()) * 30103 + 50000) // 100000
    return f"about {'-' if value < 0 else ''}10^{size}"


# --- What a user means by a surrogate --------------------------------------------------------------------
# A name, ``module:object``, or an object of a class of the user's own.


def as_surrogate(given: object) -> Surrogate:
    """The surrogate that is meant: one of the families as it is, any other class by its explicit terms."""
    if isinstance(given, str):
        return surrogate(phi=given) if "\\" in given else load_surrogate(given)
    if type(given) in (*FAMILIES, OwnSurrogate):
        return given  # type: ignore[return-value]
    if isinstance(given, Surrogate) and not isinstance(given, type):
        return OwnSurrogate.checked(given)
    if isinstance(given, FunctionType):
        return _of_margin(given, given.__name__)
    if hasattr(given, "free_symbols"):
        return _of_symbols(given)
    called = f"the class {given.__name__} itself" if isinstance(given, type) else type(given).__name__
    called = "None" if given is None else called
    raise InputError(
        f"expected a surrogate, got {called}; pass surrogate('logistic'), its name, or an "
        "object of a class derived from GraphSurrogate"
    )


@checked
def load_surrogate(reference: str) -> Surrogate:
    """Import ``module:object`` and return the surrogate there (an instance, or a class without arguments).

    ``my_file.py:object`` names a file. A function of the margin x is traced to its expression, and the loss
    of it on every edge is meant. A name without a colon is that of a surrogate here or in an installed
    package, and ``trl:OBJECTIVE`` is what that library ships. A module is looked for in the current folder
    too. Importing a module runs it: that is what naming one's own code means; texts and data files are
    never run.
    """
    from consistency_lab.model.surrogates.tasks.libraries import pair_entry

    if (shipped := pair_entry(reference)) is not None:
        if shipped.loss is None:
            raise UnsupportedError(f"{shipped.name} is not decided here: {shipped.note}")
        return surrogate(shipped.loss)
    if ":" not in reference:
        bring = () if is_taken(reference) else _entry_points(reference)
        return _brought(bring) if bring else surrogate(reference)
    module_name, _, attribute = reference.rpartition(":")
    parts = [attribute] if module_name.endswith(".py") else [*module_name.split("."), attribute]
    if not all(part.isidentifier() for part in parts):
        raise InputError(
            f"{reference!r} is not of the form module:object or file.py:object, as in my_losses:TopHeavy"
        )
    module = imported(module_name)
    if not hasattr(module, attribute):
        raise InputError(f"the module {module_name!r} has no {attribute!r}")
    found = getattr(module, attribute)
    if isinstance(found, type) and issubclass(found, Surrogate):
        found = _built(found, reference)
    if isinstance(found, Surrogate):
        return as_surrogate(found)
    if callable(found) and not isinstance(found, type):
        return _of_margin(found, reference)
    raise InputError(
        f"{reference} is a {type(found).__name__}; it must be a Surrogate (derive from GraphSurrogate) or a "
        "function of the margin x"
    )


def imported(name: str) -> ModuleType:
    """The module of a name, or of a file of one's own."""
    file = Path(name)
    if file.suffix == ".py" and not file.is_file():
        raise InputError(f"there is no file {name!r}; name one that is there, as in my_losses.py:my_loss")
    folder = str(file.parent.resolve() if file.suffix == ".py" else Path.cwd())
    sys.path.insert(0, folder)
    try:
        from consistency_lab.model.foreign import endable

        with endable():
            return _run(file) if file.suffix == ".py" else importlib.import_module(name)
    except (ConsistencyLabError, KeyboardInterrupt, Terminated):
        raise
    except ImportError as error:
        raise InputError(f"the module {name!r} cannot be imported: {error}") from None
    except BaseException as error:
        raise InputError(f"the module {name!r} cannot be imported: {failure(error)}") from error
    finally:
        with suppress(ValueError):  # what ran may have taken it away
            sys.path.remove(folder)


def _run(file: Path) -> ModuleType:
    spec = spec_from_file_location(f"_own_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _of_margin(function: Callable[..., object], reference: str) -> Surrogate:
    """The edge loss of a function of the margin, traced, and compared with the function itself."""
    try:
        found = asked(reference, lambda: trace(function), "return soon")
        refuse_other(found, asked(reference, lambda: values(function, found), "return soon"))
    except InputError as error:
        said = str(error).replace(f"{reference} ", "it ", 1)
        raise InputError(
            f"{reference} cannot be traced: {said}; write it as --phi EXPRESSION, or as a class derived from "
            "GraphSurrogate (docs/own-surrogate.md)"
        ) from error
    name = name_of(found.of.expression)
    return surrogate(phi=str(found.of)) if name is None else surrogate(name)


def _of_symbols(phi: Any) -> Surrogate:
    """The edge loss of an expression of SymPy, whatever its one symbol is called."""
    symbols = sorted(map(str, phi.free_symbols))
    if len(symbols) != 1:
        said = f"has the symbols {', '.join(symbols)}" if symbols else "has no symbol"
        raise InputError(f"the expression {phi} {said}; phi is a function of one")
    expression = parse(str(phi.subs(*phi.free_symbols, "x")))
    name = name_of(expression)
    return surrogate(phi=str(expression)) if name is None else surrogate(name)


def _built(own: type[Surrogate], reference: str) -> Surrogate:
    left_out = sorted(getattr(own, "__abstractmethods__", ()))
    if left_out:
        raise InputError(
            f"{reference} does not define {' and '.join(left_out)}; derive from GraphSurrogate and write "
            "name, functions and graph_terms"
        )

    def build() -> Surrogate:
        try:
            return own()
        except TypeError as error:
            raise InputError(f"{reference} cannot be built without arguments: {error}") from None

    return asked(reference, build, "be built from little", "cannot be built:")


# --- Losses that other installed packages bring: none is imported until it is asked for, or listed ---------

PLUGINS: Final = "consistency_lab.surrogates"
"""The group of entry points in which a package says ``name = "module:object"``."""


def plugins() -> Iterator[tuple[str, Surrogate | str, str]]:
    """Each name with its surrogate, or with why that cannot be used, and its package."""
    for name in sorted({one.name for one in _entry_points()}):
        found = _entry_points(name)
        try:
            what: Surrogate | str = _brought(found)
        except ConsistencyLabError as error:
            what = str(error)
        yield name, what, _package(found[0])


def _entry_points(*name: str) -> "tuple[EntryPoint, ...]":
    """Those of our group, or of a name in it."""
    from importlib.metadata import entry_points

    return tuple(one for one in entry_points(group=PLUGINS) if not name or one.name in name)


def _brought(found: "tuple[EntryPoint, ...]") -> Surrogate:
    """The loss of an entry point."""
    name, package = found[0].name, _package(found[0])
    if is_taken(name):
        raise InputError(f"{package} calls a loss {name!r}, which is the name of a built-in one")
    if len({one.value for one in found}) > 1:
        raise InputError(
            f"{' and '.join(map(_package, found))} both bring a loss {name!r}; uninstall one of them"
        )
    try:
        return load_surrogate(found[0].value.replace(" ", ""))
    except ConsistencyLabError as error:
        raise InputError(f"the loss {name!r} of {package} cannot be used: {error}") from error


def _package(one: "EntryPoint") -> str:
    return f"{one.dist.name} {one.dist.version}" if one.dist is not None else one.module


@frozen
class Compared:
    """That a function equals a built-in loss at all labels of some numbers of items, or at a few labels."""

    function: str  #: What the user called it.
    surrogate: str  #: The name of the built-in loss.
    items: tuple[int, ...]  #: The numbers of items.
    every: bool = True  #: Whether at all their labels; else at those of one distribution.

    @property
    def sentence(self) -> str:
        """Where the function and the loss were compared, and what stays unknown."""
        sizes = " and ".join(map(str, self.items))
        where, other = ("the labels that occur", "labels")
        if self.every:
            where, other = f"all labels of {sizes} items", "numbers of items"
        return (
            f"compared with {self.surrogate} at {where}: equal up to constants, one factor and rounding; of "
            f"other {other} nothing is said"
        )
