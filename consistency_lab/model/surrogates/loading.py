"""Load a surrogate class of the user's own from ``module:object``."""

import importlib
import sys
from pathlib import Path

from consistency_lab.errors import InputError
from consistency_lab.model.surrogates.base import Surrogate


def load_surrogate(reference: str) -> Surrogate:
    """Import ``module:object`` and return the surrogate there (an instance, or a class without arguments).

    The module is looked for in the current folder too. Importing a module runs it: that is what naming
    one's own code means; texts and data files are never run.

    Raises
    ------
    InputError
        If the module or the object is not there, or is not a `Surrogate`.
    """
    module_name, _, attribute = reference.partition(":")
    if not all(part.isidentifier() for part in (*module_name.split("."), attribute)):
        raise InputError(f"{reference!r} is not of the form module:object, as in my_losses:TopHeavy")
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise InputError(f"the module {module_name!r} cannot be imported: {error}") from None
    finally:
        sys.path.remove(here)
    if not hasattr(module, attribute):
        raise InputError(f"the module {module_name!r} has no {attribute!r}")
    found = getattr(module, attribute)
    if isinstance(found, type) and issubclass(found, Surrogate):
        try:
            found = found()
        except TypeError as error:
            raise InputError(f"{reference} cannot be built without arguments: {error}") from None
    if not isinstance(found, Surrogate):
        raise InputError(
            f"{reference} is a {type(found).__name__}; it must be a Surrogate (derive from GraphSurrogate)"
        )
    return found
