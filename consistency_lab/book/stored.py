"""Stored evidence: the JSON files in book/data, read strictly."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Final

from consistency_lab.errors import RejectedError
from consistency_lab.exact import rational
from consistency_lab.files import read_json

FOLDER: Final = Path(__file__).parent / "data"


def stored(name: str, folder: Path = FOLDER) -> Mapping[str, object]:
    """The JSON object in a file of book/data.

    Raises
    ------
    InputError
        If there is no such file, or it is not JSON.
    RejectedError
        If it is not an object.
    """
    document = read_json(folder / name)
    if not isinstance(document, dict):
        raise RejectedError(f"{name} is not a JSON object")
    return document


def entries(document: Mapping[str, object], key: str) -> list[Mapping[str, object]]:
    """The list of objects under a key.

    Raises
    ------
    RejectedError
        If it is not there, or is not a list of objects.
    """
    found = document.get(key)
    if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
        raise RejectedError(f"the stored evidence has no list of objects called {key!r}")
    return found


def fractions(entry: Mapping[str, object], key: str) -> tuple[Fraction, ...]:
    """The list of rationals, written as texts, under a key.

    Raises
    ------
    InputError
        If an entry is not a rational.
    RejectedError
        If there is no list of texts.

    Examples
    --------
    >>> fractions({"y": ["1/2", "0"]}, "y")
    (Fraction(1, 2), Fraction(0, 1))
    """
    found = entry.get(key)
    if not isinstance(found, list) or not all(isinstance(value, str) for value in found):
        raise RejectedError(f"the stored evidence has no list of rationals called {key!r}")
    return tuple(rational(value, key) for value in found)


def texts(values: Sequence[Fraction]) -> list[str]:
    """Rationals as the files hold them."""
    return [str(value) for value in values]
