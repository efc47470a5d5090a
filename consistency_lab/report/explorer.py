"""The explorer: one page without a network, on which the counts of three items can be dragged."""

from importlib.resources import files
from typing import Final

from markupsafe import Markup

from consistency_lab.report.pages import filled

SCRIPTS: Final = ("exact.js", "risk.js", "page.js")
"""In the folder `explorer`: proofs in exact arithmetic, risks of three items, and the page."""


def explorer_page() -> str:
    """Write the page as one self-contained HTML file.

    It shows the counts a_ij of three items, the noise conditions that hold, A(p) (DMJ10 Eq. 8) in the plane
    of scores with mean 0, and where the risks of seven losses are least, in floats. It also verifies proof
    files of stationary points, in exact arithmetic.

    Returns
    -------
    str
        HTML, with its style and its scripts inside; about 50 kB.

    Examples
    --------
    >>> page = explorer_page()
    >>> page.startswith("<!doctype html>"), "http" in page.replace("http://www.w3.org/2000/svg", "")
    (True, False)
    """
    folder = files("consistency_lab.report") / "explorer"
    script = "\n".join((folder / name).read_text(encoding="utf-8") for name in SCRIPTS)
    # The text is ours, so that it needs no escape; nothing in it may end the element.
    assert "</script" not in script
    return filled("explorer.html.j2", script=Markup(script))
