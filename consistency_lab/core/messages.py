"""Words for a rejection: what is stated against what is so."""

from typing import Final

from consistency_lab.errors import RejectedError

_LONGEST: Final = 100


def shown(value: object) -> str:
    """A short text for a message, however long the number is.

    Examples
    --------
    >>> shown(True), shown(10**200)[35:]
    ('true', '00000... (201 characters)')
    """
    if isinstance(value, bool):
        return str(value).lower()
    try:
        text = str(value)
    except ValueError:  # Python writes no integer of more than some thousand digits.
        return "a number of thousands of digits"
    return text if len(text) <= _LONGEST else f"{text[:40]}... ({len(text)} characters)"


def same(what: str, stated: object, derived: object) -> None:
    """Refuse a statement that differs from what was derived.

    Raises
    ------
    RejectedError
        If it does.
    """
    if stated != derived:
        raise RejectedError(f"{what} is stated as {shown(stated)}, but is {shown(derived)}")
