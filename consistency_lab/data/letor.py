"""Judged documents in the LETOR and MSLR format: ``label qid:… 1:… 2:… # …``, one line for each document."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import groupby
from math import isfinite, nan
from pathlib import Path
from typing import Final, final

import numpy as np

from consistency_lab.data.rows import called, opened
from consistency_lab.data.text import located
from consistency_lab.errors import InputError

MOST_FEATURES: Final = 10_000
_NULL: Final = b"NULL"
_QUERY: Final = b"qid:"

# --- Documents that were graded several times ------------------------------------------------------------


@final
@dataclass(slots=True)
class GradedList:
    """A list of different documents, and all the grades that they were given."""

    name: str  #: What the file calls the query, the first of them if there are more.
    lines: list[int]  #: Where each document stands first.
    queries: int = 0  #: How many queries have this list.
    #: How often each label was given, if every query has each document once, so that a query is one label.
    labels: Counter[tuple[int, ...]] = field(default_factory=Counter)
    #: If not, how often each document was given each grade.
    apart: list[Counter[int]] | None = None

    def add(self, grades: Sequence[tuple[int, int]], again: bool) -> None:
        """Add the documents of a query, by their places here, with their grades; a query may come again."""
        m = len(self.lines)
        if self.apart is None and len(grades) == m and not again:
            label = dict(grades)
            self.labels[tuple(label[k] for k in range(m))] += 1
            return
        if self.apart is None:
            self.apart = [Counter() for _ in range(m)]
            grades = [*grades, *(one for label in self.labels.elements() for one in enumerate(label))]
        for k, grade in grades:
            self.apart[k][grade] += 1

    @property
    def several(self) -> bool:
        """Whether some document has more than one grade."""
        return len(self.labels) > 1 if self.apart is None else any(len(one) > 1 for one in self.apart)


def read_lists(path: str | os.PathLike[str]) -> Iterator[GradedList]:
    """Read the lists of a file of LETOR, those of documents with the same features together."""
    name = os.fspath(path)
    lists: dict[bytes, GradedList] = {}
    keys: dict[str, bytes] = {}
    for query, several in groupby(documents(name), key=lambda one: one[2]):
        rows = [(_digest(pairs), line, _whole(name, line, s)) for line, _, _, s, pairs in several]
        first: dict[bytes, int] = {}
        for document, line, _ in rows:
            first.setdefault(document, line)
        order = sorted(first)
        key = blake2b(b"".join(order), digest_size=16).digest()
        again = query in keys
        if keys.setdefault(query, key) != key:
            where = f"{called(name)}, line {rows[0][1]}"
            raise InputError(
                f"{where}: query {query[:40]} resumes here with other documents; keep its lines together"
            )
        known = lists.setdefault(key, GradedList(query, [first[one] for one in order]))
        known.queries += not again
        place = {document: k for k, document in enumerate(order)}
        known.add([(place[document], grade) for document, _, grade in rows], again)
    return iter(lists.values())


def _digest(pairs: Sequence[tuple[int, float]]) -> bytes:
    """The digest of the nonzero features."""
    known = [number for pair in pairs if pair[1] != 0 for number in pair]
    return blake2b(np.array(known, dtype=np.float64).tobytes(), digest_size=16).digest()


def _whole(name: str, line: int, grade: float) -> int:
    if grade != int(grade) or grade < 0:
        where = f"{called(name)}, line {line}"
        raise InputError(f"{where}: the label is {grade:g}; it must be a whole number, at least 0")
    return int(grade)


Document = tuple[int, int, str, float, list[tuple[int, float]]]
"""The number of the line, the number and the name of the query, the grade, and the features."""


def documents(name: str) -> Iterator[Document]:
    """The documents of a file of LETOR, MSLR or SVMlight, whose queries may stand in the file ``.query``."""
    sizes = _query_sizes(name)
    ends = None if sizes is None else np.cumsum(sizes)
    code, last, count = -1, b"", 0
    for line, words in _lines(name):
        with located(f"{called(name)}, line {line}"):
            if len(words) > 1 and words[1].startswith(_QUERY):
                query, first = words[1].removeprefix(_QUERY), 2
                if code < 0 or query != last:
                    code, last = code + 1, query
            elif ends is not None:
                code, first = int(np.searchsorted(ends, count, side="right")), 1
                if code == len(ends):
                    raise InputError(f"the file {name}.query covers only {ends[-1]} documents")
                last = str(code + 1).encode()
            else:
                raise InputError(f"it has no query; put qid:… after the label, or add {name}.query")
            grade = _number(words[0], "the label")
            yield line, code, last.decode("utf-8", "replace"), grade, _features(words[first:])
            count += 1


def _lines(name: str) -> Iterator[tuple[int, list[bytes]]]:
    with opened(name) as file:
        for line, text in enumerate(file, start=1):
            words = text.partition(b"#")[0].split()
            if words:
                yield line, words


def _features(words: Sequence[bytes]) -> list[tuple[int, float]]:
    features = []
    last = 0
    for word in words:
        number, colon, value = word.partition(b":")
        if not colon or not number.isdigit() or not last < int(number[:9]) <= MOST_FEATURES:
            raise InputError(
                f"{word[:40].decode(errors='replace')!r} is not a feature; expected one such as 7:0.5, "
                f"with increasing numbers up to {MOST_FEATURES}"
            )
        last = int(number)
        features.append((last, nan if value == _NULL else _number(value, f"feature {last}")))
    return features


def _number(word: bytes, what: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = nan
    if not isfinite(value):
        raise InputError(f"{what} is {word[:40].decode(errors='replace')!r}; it must be a number")
    return value


def _query_sizes(name: str) -> list[int] | None:
    beside = f"{name}.query"
    if not Path(beside).is_file():
        return None
    sizes = []
    for line, words in _lines(beside):
        if len(words) != 1 or not words[0].isdigit() or int(words[0][:9]) < 1:
            raise InputError(f"{beside}, line {line}: expected the number of documents of one query")
        sizes.append(int(words[0]))
    return sizes
