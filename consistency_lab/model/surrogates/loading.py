"""What a user means by a surrogate: a name, ``module:object``, or an object of a class of the user's own."""

import importlib
import sys
from pathlib import Path

from consistency_lab.checked import checked
from consistency_lab.errors import ConsistencyLabError, InputError
from consistency_lab.foreign import Terminated, endable
from consistency_lab.model.surrogates.base import Surrogate
from consistency_lab.model.surrogates.catalogue import FAMILIES, surrogate
from consistency_lab.model.surrogates.own import OwnSurrogate, asked, failure


def as_surrogate(given: object) -> Surrogate:
    """The surrogate that is meant: one of the families as it is, any other class by its explicit terms.

    Parameters
    ----------
    given
        A surrogate, or the text that the command line takes for one.

    Raises
    ------
    InputError
        If it is something else, or a class of the user's own that does not say what it must.

    Examples
    --------
    >>> as_surrogate("ranknet").name
    'logistic'
    """
    if isinstance(given, str):
        return load_surrogate(given) if ":" in given else surrogate(given)
    if type(given) in (*FAMILIES, OwnSurrogate):
        return given  # type: ignore[return-value]
    if isinstance(given, Surrogate) and not isinstance(given, type):
        return OwnSurrogate.checked(given)
    called = f"the class {given.__name__} itself" if isinstance(given, type) else f"a {type(given).__name__}"
    raise InputError(
        f"a surrogate is asked for, and {called} is given; pass surrogate('logistic'), its name, or an "
        "object of a class derived from GraphSurrogate"
    )


@checked
def load_surrogate(reference: str) -> Surrogate:
    """Import ``module:object`` and return the surrogate there (an instance, or a class without arguments).

    The module is looked for in the current folder too. Importing a module runs it: that is what naming
    one's own code means; texts and data files are never run.

    Raises
    ------
    InputError
        If the module or the object is not there, fails, or is not a `Surrogate` that says what it must.
    """
    module_name, _, attribute = reference.partition(":")
    if not all(part.isidentifier() for part in (*module_name.split("."), attribute)):
        raise InputError(f"{reference!r} is not of the form module:object, as in my_losses:TopHeavy")
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        with endable():
            module = importlib.import_module(module_name)
    except (ConsistencyLabError, KeyboardInterrupt, Terminated):
        raise
    except ImportError as error:
        raise InputError(f"the module {module_name!r} cannot be imported: {error}") from None
    except BaseException as error:
        raise InputError(f"the module {module_name!r} cannot be imported: {failure(error)}") from error
    finally:
        sys.path.remove(here)
    if not hasattr(module, attribute):
        raise InputError(f"the module {module_name!r} has no {attribute!r}")
    found = getattr(module, attribute)
    if isinstance(found, type) and issubclass(found, Surrogate):
        found = _built(found, reference)
    if not isinstance(found, Surrogate):
        raise InputError(
            f"{reference} is a {type(found).__name__}; it must be a Surrogate (derive from GraphSurrogate)"
        )
    return as_surrogate(found)


def _built(own: type[Surrogate], reference: str) -> Surrogate:
    left_out = sorted(getattr(own, "__abstractmethods__", ()))
    if left_out:
        raise InputError(
            f"{reference} says nothing of {' and '.join(left_out)}; derive from GraphSurrogate and write "
            "name, functions and graph_terms"
        )

    def build() -> Surrogate:
        try:
            return own()
        except TypeError as error:
            raise InputError(f"{reference} cannot be built without arguments: {error}") from None

    return asked(reference, build, "be built from little", "cannot be built:")
