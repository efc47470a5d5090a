"""Words inside pictures: only letters that the font has, and never markup."""

from collections.abc import Sequence
from functools import cache
from typing import Final

_LONGEST: Final = 12
_SUBSCRIPTS: Final = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@cache
def _known() -> frozenset[int]:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    return frozenset(get_font(findfont(FontProperties(family="DejaVu Sans"))).get_charmap())


def drawable(names: Sequence[str], longest: int = _LONGEST) -> tuple[str, ...]:
    """Names as they can be drawn: long ones are cut, those in other scripts give way to a number.

    Examples
    --------
    >>> drawable(["Fay", "東京", "A name that does not end"])
    ('Fay', 'item 2', 'A name that…')
    """
    known = _known()
    return tuple(
        f"item {number}"
        if not name.isprintable() or any(ord(character) not in known for character in name)
        else name
        if len(name) <= longest
        else f"{name[: longest - 1].rstrip()}…"
        for number, name in enumerate(names, start=1)
    )


def score_text(name: str) -> str:
    """How a score is written.

    Examples
    --------
    >>> score_text("12"), score_text("Fay")
    ('α₁₂', 'α[Fay]')
    """
    return f"α{name.translate(_SUBSCRIPTS)}" if name.isascii() and name.isdigit() else f"α[{name}]"


def difference_text(names: Sequence[str], i: int, j: int) -> str:
    """The difference of two scores."""
    return f"{score_text(names[i])} − {score_text(names[j])}"
