"""Files of preferences that a test writes, and what is read of them."""

import pytest

from consistency_lab import InputError, Reading


@pytest.fixture
def write(tmp_path):
    """`write("t.csv", text)`."""

    def made(name, text, encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        return path

    return made


@pytest.fixture
def read(write):
    """The one profile of a text."""

    def made(text, name="t.csv", encoding="utf-8", **options):
        (profile,) = Reading(**options).profiles(write(name, text, encoding))
        return profile

    return made


@pytest.fixture
def refusal():
    """Why a file is not read."""

    def made(path, **options):
        with pytest.raises(InputError) as caught:
            list(Reading(**options).profiles(path))
        return str(caught.value)

    return made


@pytest.fixture
def wins():
    """How often one was preferred to another, by their names."""

    def of(profile):
        names, rows = profile.items, profile.wins
        return {(names[i], names[j]): x for i, row in enumerate(rows) for j, x in enumerate(row) if x}

    return of
