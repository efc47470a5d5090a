"""The samples that come with the package."""

from pathlib import Path
from typing import Final

_FOLDER: Final = Path(__file__).parent / "samples"


def samples() -> tuple[str, ...]:
    """Names of the bundled samples; `read_profile` takes them as they are.

    Examples
    --------
    >>> samples()
    ('san-francisco.csv', 'vermont.toc')
    """
    return tuple(sorted(path.name for path in _FOLDER.iterdir() if path.is_file()))


def sample_path(name: str) -> Path | None:
    """Where the sample of this name lies, or None if there is none."""
    return _FOLDER / name if name in samples() else None
