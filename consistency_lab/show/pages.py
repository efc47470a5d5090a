"""Pages from templates: data are shown as text, never as markup."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

if TYPE_CHECKING:
    from jinja2 import Environment


def filled(module: str, template: str, /, **given: object) -> str:
    """A template beside a module (its __file__) with what it shows put in; HTML and SVG are escaped."""
    return _environment(Path(module).parent / "templates").get_template(template).render(given)


@cache
def _environment(folder: Path) -> "Environment":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=lambda name: name is None or name.endswith((".html.j2", ".svg.j2")),
        undefined=StrictUndefined,
        finalize=_printed,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _printed(value: object) -> object:
    """Numbers with at most two decimals; of a text, what cannot stand in a page is replaced."""
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".")
    if isinstance(value, str) and not isinstance(value, Markup):
        return "".join(c if c.isprintable() or c in "\n\u00a0" else "\ufffd" for c in value)
    return value
