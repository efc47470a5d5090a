"""The explorer: one page without a network, on which the counts of three items can be dragged."""

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final
from urllib.parse import unquote

from markupsafe import Markup

from consistency_lab.errors import InputError, printed
from consistency_lab.show.pages import filled

SCRIPTS: Final = ("exact.js", "risk.js", "page.js")
"""In the folder `explorer`: proofs in exact arithmetic, risks of three items, and the page."""

_COUNT: Final = "([0-9]{1,6}|1000000)"
_LOSS: Final = "(logistic|exponential|hinge|squared-hinge|margin-logistic|linear|difference-logistic)"
_BALLOT: Final = rf"(abc|acb|bac|bca|cab|cba|[abc]):{_COUNT}"
_PAIR: Final = (rf"{_COUNT}:{_COUNT}", "3:1, at most a million")
ADDRESS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "n": (r"([^%]|%[0-9A-Fa-f]{2})+", "A,B,C: three different names"),
        "ab": _PAIR,
        "ac": _PAIR,
        "bc": _PAIR,
        "ballots": (
            rf"{_BALLOT}(,{_BALLOT})*",
            "abc:5,b:2: orders of a, b and c or one of them, with counts",
        ),
        "loss": (rf"{_LOSS}(,{_LOSS})*", "logistic,linear: losses of the page"),
        "view": ("plane", "plane"),
    }
)
"""The parts of the page's address: what each must match, and how to write it."""


def checked_address(text: str) -> str:
    """The part of the page's address behind `#`, if the page can read all of it.

    Examples
    --------
    >>> checked_address("ab=1:0&bc=2:0")
    'ab=1:0&bc=2:0'
    >>> checked_address("ab=1")
    Traceback (most recent call last):
        ...
    consistency_lab.errors.InputError: --at has 'ab=1'; write ab=3:1, at most a million
    """
    for part in filter(None, text.split("&")):
        key, _, value = part.partition("=")
        if key not in ADDRESS:
            raise InputError(f"--at has {printed(part)}; the keys are {', '.join(ADDRESS)}")
        pattern, written = ADDRESS[key]
        names = [unquote(name).strip() for name in value.split(",")]  # bad codes decode to \ufffd
        alike = key == "n" and (not len(names) == len(set(names) - {""}) == 3 or "\ufffd" in "".join(names))
        if alike or not re.fullmatch(pattern, value):
            raise InputError(f"--at has {printed(part)}; write {key}={written}")
    return text


def explorer_page(at: str = "") -> str:
    """Write the page as one self-contained HTML file.

    It shows the counts a_ij of three items, the noise conditions that hold, A(p) (DMJ10 Eq. 8) in the plane
    of scores with mean 0, and where the risks of seven losses are least, in floats. It also verifies proof
    files of stationary points, in exact arithmetic.

    Examples
    --------
    >>> page = explorer_page()
    >>> page.startswith("<!doctype html>"), "http" in page.replace("http://www.w3.org/2000/svg", "")
    (True, False)
    """
    folder = Path(__file__).with_name("page")
    script = "\n".join((folder / name).read_text(encoding="utf-8") for name in SCRIPTS)
    # The text is ours, so that it needs no escape; nothing in it may end the element.
    assert "</script" not in script
    return filled(__file__, "explorer.html.j2", script=Markup(script), at=at)
