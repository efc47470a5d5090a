"""How an answer reads in Python: the words stand in `report.cards`, which is imported when they are asked."""

from abc import ABC
from importlib import import_module
from typing import Any, Final, final

WIDTH: Final = 80
"""Columns of a page, wherever no terminal says another number; paragraphs are never wider."""
HEIGHT: Final = 24
"""Lines of a screen, which a default answer fits."""


class Shown(ABC):  # noqa: B024
    """What a console, a notebook and `print(thing.summary())` show.

    A class of the user's own says nothing of itself here.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        ours = type(self).__module__.startswith("consistency_lab.")
        return str(cards().short(self)) if ours else object.__repr__(self)

    def _repr_html_(self) -> str | None:
        """What a notebook shows; None where it shows the text."""
        ours = type(self).__module__.startswith("consistency_lab.")
        return cards().html(self) if ours else None

    def summary(self) -> str:
        """All of it as text, the proof included where there is one."""
        return str(cards().summary(self))


class Framed(Shown, ABC):
    """What has rows."""

    __slots__ = ()

    def to_frame(self) -> Any:
        """A pandas data frame: a row for each condition, item, label or comparison.

        Raises
        ------
        UnsupportedError
            If pandas is not installed.
        """
        return cards().frame(self)


class Pictured(Framed, ABC):
    """What has a witness to draw."""

    __slots__ = ()

    def plot(self) -> Any:
        """The score plane of three items, or two orders of more: a picture with `save`.

        Raises
        ------
        UnsupportedError
            If Matplotlib is not installed.
        """
        return cards().picture(self)


def cards() -> Any:
    """The module that knows the words: it knows every answer, so none of them can import it."""
    return import_module("consistency_lab.report.cards")


@final
class Text(str):
    """Lines that a console and a notebook show as they are."""

    __slots__ = ()
    __repr__ = str.__str__

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self)}</pre>"
