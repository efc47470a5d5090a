"""HTML and SVG by hand: elements, and text that is never taken for markup."""

from html import escape
from typing import Final

from consistency_lab.report.text import tight

VERMILLION: Final = "#D55E00"
BLUE: Final = "#0072B2"
GRAY: Final = "#767676"
INK: Final = "#1a1a1a"
COLORS: Final = (BLUE, VERMILLION, INK, "#332288", "#5A3A00")
"""Dark enough on white, and apart from each other and from the gray for whoever sees fewer colors."""

_LONGEST: Final = 17


def element(name: str, *inside: str, **attributes: str | float) -> str:
    """An element with attributes; `inside` is markup, attributes are plain text.

    An attribute that Python has a word for ends in an underscore; other underscores stand for hyphens.

    Examples
    --------
    >>> element("p", text("a < b"), class_="note", data_x='"')
    '<p class="note" data-x="&quot;">a &lt; b</p>'
    """
    said = "".join(f' {key.rstrip("_").replace("_", "-")}="{_value(x)}"' for key, x in attributes.items())
    return f"<{name}{said}>{''.join(inside)}</{name}>"


def text(words: str) -> str:
    r"""Plain text as markup; what cannot stand in a page is replaced.

    Examples
    --------
    >>> text("<b>&\x00")
    '&lt;b&gt;&amp;\ufffd'
    """
    return escape("".join(c if c.isprintable() or c in "\n\u00a0" else "\ufffd" for c in words))


def prose(words: str) -> str:
    """The same for sentences: numbers stay in one line with their signs."""
    for sign in (" = ", " < ", " : ", " %"):
        words = words.replace(sign, tight(sign))
    return text(words)


def cut(name: str, longest: int = _LONGEST) -> str:
    """A name that fits beside a picture.

    Examples
    --------
    >>> cut("Fay"), cut("A name that does not end")
    ('Fay', 'A name that does…')
    """
    return name if len(name) <= longest else f"{name[: longest - 1].rstrip()}…"


def picture(title: str, told: str, width: float, height: float, *inside: str) -> str:
    """An SVG of this size that says what it shows, and shrinks and grows with the page up to a point."""
    return element(
        "svg",
        element("title", text(title)),
        element("desc", text(told)),
        *inside,
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        font_family="system-ui, sans-serif",
        aria_label=title,
        viewBox=f"0 0 {_value(width)} {_value(height)}",
        style=f"width:100%;min-width:{_value(width * 0.85)}px;max-width:{_value(width * 1.4)}px",
    )


def label(x: float, y: float, words: str, **attributes: str | float) -> str:
    """Text in a picture."""
    return element("text", text(words), x=x, y=y, fill=INK, **attributes)


def _value(x: str | float) -> str:
    return text(x) if isinstance(x, str) else f"{x:.2f}".rstrip("0").rstrip(".")
