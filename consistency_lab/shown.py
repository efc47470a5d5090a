"""How an answer reads in Python; its words are given at the door of the package, which alone sees all."""

from abc import ABC
from typing import Any, ClassVar, Final, final

WIDTH: Final = 80
"""Columns of a page, wherever no terminal says another number; paragraphs are never wider."""
HEIGHT: Final = 24
"""Lines of a screen, which a default answer fits."""


class Shown(ABC):
    """What a console, a notebook and `print(thing.summary())` show.

    A class of the user's own says nothing of itself here.
    """

    __slots__ = ()

    _words: ClassVar[Any]
    """Gives the module of all words, which no class of an answer can import, since it knows every answer."""

    def __repr__(self) -> str:
        ours = type(self).__module__.startswith("consistency_lab.")
        return str(self._words().short(self)) if ours else object.__repr__(self)

    def _repr_html_(self) -> str | None:
        """What a notebook shows; None where it shows the text."""
        ours = type(self).__module__.startswith("consistency_lab.")
        return self._words().html(self) if ours else None

    def summary(self) -> str:
        """All of it as text, the proof included where there is one."""
        return str(self._words().summary(self))


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
        return self._words().frame(self)


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
        return self._words().picture(self)


@final
class Text(str):
    """Lines that a console and a notebook show as they are."""

    __slots__ = ()
    __repr__ = str.__str__

    def _repr_html_(self) -> str:
        from html import escape

        return f"<pre>{escape(self)}</pre>"
