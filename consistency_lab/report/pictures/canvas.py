"""Pictures as files: the same picture gives the same bytes, and nothing outside a picture changes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Final, final

from consistency_lab.errors import InputError
from consistency_lab.extras import need
from consistency_lab.files import write_atomic

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS: Final = ("svg", "png")
"""What a picture can be written as; the suffix of the file chooses."""

_DOTS: Final = 110
_NOTEBOOK_DOTS: Final = 90
_FONT: Final = 10.0


@final
@dataclass(frozen=True, repr=False, eq=False)
class Picture:
    """A picture that can be written to a file, or shown by a notebook as it is.

    Parameters
    ----------
    title
        What it shows, one phrase.
    width, height
        In inches.
    draw
        Draws it on an empty figure.
    """

    title: str
    width: float
    height: float
    draw: Callable[["Figure"], None]

    def content(self, form: str, dots: int = _DOTS) -> bytes:
        """The bytes of a file.

        Parameters
        ----------
        form
            One of `FORMATS`.
        dots
            Dots an inch, for a PNG.
        """
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
        """Write it to a file, all of it or nothing.

        Raises
        ------
        InputError
            If the suffix is none of `FORMATS`, or the folder cannot be written to.
        """
        write_atomic(path, self.content(picture_format(path)))

    def _repr_png_(self) -> bytes:
        """What a notebook shows."""
        return self.content("png", _NOTEBOOK_DOTS)

    def __repr__(self) -> str:
        return f"Picture: {self.title}"


_SILENT: Final = {"svg": {"Date": None, "Creator": None}, "png": {"Software": None}}
"""A file says neither when nor by which version it was made."""


def picture_format(path: Path) -> str:
    """What a file of this name is written as.

    Raises
    ------
    InputError
        If the suffix is none of `FORMATS`.
    UnsupportedError
        If Matplotlib is not installed.

    Examples
    --------
    >>> picture_format(Path("plane.SVG"))
    'svg'
    """
    need("matplotlib", "a picture")
    form = path.suffix.lower().removeprefix(".")
    if form not in FORMATS:
        raise InputError(f"{path} cannot hold a picture; its name must end in .svg or .png")
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
