"""Pictures and pages as files: the same answer gives the same bytes, and data are never taken for markup."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final, final

from markupsafe import Markup

from consistency_lab.errors import InputError, need
from consistency_lab.files import write_atomic
from consistency_lab.show.text import cut

if TYPE_CHECKING:
    from jinja2 import Environment
    from matplotlib.figure import Figure


# --- Words inside pictures: only letters that the font has, and never markup -----------------------------

_LONGEST: Final = 12
_SUBSCRIPTS: Final = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@cache
def _known() -> frozenset[int]:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    return frozenset(get_font(findfont(FontProperties(family="DejaVu Sans"))).get_charmap())


def drawable(names: Sequence[str], longest: int = _LONGEST) -> tuple[str, ...]:
    """Names as they can be drawn: long ones are cut, those in other scripts give way to a number."""
    known = _known()
    return tuple(
        f"item {number}"
        if not name.isprintable() or any(ord(character) not in known for character in name)
        else cut(name, longest)
        for number, name in enumerate(names, start=1)
    )


def score_text(name: str) -> str:
    """How a score is written."""
    return f"α{name.translate(_SUBSCRIPTS)}" if name.isascii() and name.isdigit() else f"α[{name}]"


# --- Pictures as files: the same picture gives the same bytes, and nothing outside a picture changes -----

FORMATS: Final = ("svg", "png", "pdf")
"""What a picture can be written as; the suffix of the file chooses."""

_DOTS: Final = 110
_NOTEBOOK_DOTS: Final = 90
_FONT: Final = 10.0


@final
@dataclass(frozen=True, repr=False, eq=False)
class Picture:
    """A picture that can be written to a file, or shown by a notebook as it is."""

    title: str  #: What it shows, one phrase.
    #: In inches.
    width: float
    height: float
    draw: Callable[["Figure"], None]  #: Draws it on an empty figure.

    def content(self, form: str, dots: int = _DOTS) -> bytes:
        """The bytes of a file."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        with _our_settings():
            figure = Figure(figsize=(self.width, self.height), layout="constrained")
            FigureCanvasAgg(figure)
            self.draw(figure)
            target = BytesIO()
            figure.savefig(target, format=form, dpi=dots, metadata=_SILENT[form])
        return target.getvalue()

    def save(self, path: Path) -> None:
        """Write it to a file, all of it or nothing."""
        write_atomic(path, self.content(picture_format(path)))

    def _repr_png_(self) -> bytes:
        """What a notebook shows."""
        return self.content("png", _NOTEBOOK_DOTS)

    def __repr__(self) -> str:
        return f"Picture: {self.title}"


_SILENT: Final = {
    "svg": {"Date": None, "Creator": None},
    "png": {"Software": None},
    "pdf": dict.fromkeys(("Creator", "Producer", "CreationDate")),
}
"""A file says neither when nor by which version it was made."""


def picture_format(path: Path) -> str:
    """What a file of this name is written as."""
    need("matplotlib", "a picture")
    form = path.suffix.lower().removeprefix(".")
    if form not in FORMATS:
        raise InputError(f"{path} cannot hold a picture; its name must end in .svg, .png or .pdf")
    return form


@contextmanager
def _our_settings() -> Iterator[None]:
    """Matplotlib as it is delivered, whatever a user's own settings say; afterwards all is as before."""
    from matplotlib import rc_context, rcParams, rcParamsDefault

    with rc_context():
        rcParams.update({key: value for key, value in rcParamsDefault.items() if key != "backend"})
        rcParams.update(
            {
                "font.family": "DejaVu Sans",  # it comes along with Matplotlib
                "font.size": _FONT,
                "svg.hashsalt": "consistency-lab",
                "svg.fonttype": "path",
                "axes.linewidth": 0.8,
                "legend.frameon": False,
                "hatch.linewidth": 0.6,
            }
        )
        yield


# --- Pages from templates: data are shown as text, never as markup ----------------------------------------


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
