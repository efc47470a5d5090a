"""Machine code that reads plain rows of CSV and of JSON lines, each text numbered once.

What is not plain, such as a quote that is still open or a text with an escape, is left to `csv` and `json`: a
row is read here only if they would read the same. Blocks are bytes in UTF-8 that end with a line feed and
have no other carriage returns than those before line feeds.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from consistency_lab.numbers.arrays import Codes, Whole
from consistency_lab.numbers.compiling import entry, inlined

Bytes = NDArray[np.uint8]
Words = NDArray[np.uint64]

_AT, _LINE, _ROWS, _LEFT, _SEEN, _FEW, _FIRST_FEW, _MANY, _FIRST_MANY = range(9)
"""Where reading stands, and what was counted: rows, rows left to others, and rows that do not fit."""

_QUOTE, _BACK, _MINUS, _PLUS, _POINT, _COMMA, _COLON, _SPACE, _TAB, _RETURN, _FEED = b'"\\-+.,: \t\r\n'
_BRACE, _BRACKET, _ZERO, _NINE = b"{[09"
_DEEPEST: Final = 60

_ONE: Final = 0
"""The code of a missing count, which is read as 1."""
_TEXTS: Final = 1 << 12
_FORGOTTEN: Final = 1 << 25
"""Bytes of texts after which those that were read are forgotten, so that long ones do not fill the memory."""


@entry
def _look_up(
    words: Words,
    spans: Codes,
    at: int,
    slots: Codes,
    hashes: Words,
    starts: Whole,
    store: Words,
    known: int,
    codes: Codes,
) -> tuple[int, int]:
    """The codes of the texts at these spans; how many are known, and where it ended for want of room."""
    # Known texts stand one behind the other in `store`; `slots` is a hash table of their codes.
    prime, half, one = np.uint64(0x9E3779B97F4A7C15), np.uint64(32), np.uint64(1)
    while at < len(spans):
        begin, size = spans[at, 0], spans[at, 1] - spans[at, 0]
        end = begin + size // 8 * 8
        rest = (one << np.uint64(8 * (size % 8))) - one
        value = np.uint64(size)
        for p in range(begin, end, 8):
            value = (value ^ words[p]) * prime
            value ^= value >> half
        value = (value ^ (words[end] & rest)) * prime
        value ^= value >> half
        slot, code = np.int64(value) & (slots.size - 1), -1
        if begin < 0:
            code = _ONE
        while code < 0 <= slots[slot]:
            candidate = slots[slot]
            shift = starts[candidate] - begin
            if hashes[candidate] == value and starts[candidate + 1] - starts[candidate] == size:
                p = begin
                while p < end and words[p] == store[p + shift]:
                    p += 8
                if p == end and words[p] & rest == store[p + shift] & rest:
                    code = candidate
            slot = (slot + 1) & (slots.size - 1)
        if code < 0:
            code, start = known, starts[known]
            if code == hashes.size or start + size >= store.size:
                break
            for k in range(0, size, 8):  # what is too much is overwritten by the next text
                store[start + k] = words[begin + k]
            slots[slot], hashes[code], starts[code + 1], known = code, value, start + size, code + 1
        codes[at] = code
        at += 1
    return known, at


@entry
def _placed(hashes: Words, slots: Codes) -> None:
    """Put known texts into an empty hash table, but for the code of a count that is not there."""
    for code in range(_ONE + 1, hashes.size):
        slot = np.int64(hashes[code]) & (slots.size - 1)
        while slots[slot] >= 0:
            slot = (slot + 1) & (slots.size - 1)
        slots[slot] = code


# --- CSV -------------------------------------------------------------------------------------------------


@entry
def _csv(
    data: Bytes,
    delimiter: int,
    slot_of: Codes,
    most: int,
    longest: int,
    limit: int,
    state: Whole,
    spans: NDArray[np.int32],
    lines: Codes,
    left: Codes,
) -> None:
    """Rows whose cell k has the place `slot_of[k]`; those with long or doubly quoted texts are left."""
    width = slot_of.size
    while state[_AT] < data.size:
        begin_row = p = state[_AT]
        line, row = state[_LINE], state[_ROWS]
        n, filled, over, later, ended = 0, False, False, False, False
        if data[p] == _RETURN:
            p += 1
        if data[p] == _FEED:
            state[_AT], state[_LINE] = p + 1, line + 1
            continue
        while not ended:
            doubled = False
            if data[p] == _QUOTE:
                p += 1
                begin = p
                while data[p] != _QUOTE or data[p + 1] == _QUOTE:
                    if data[p] == _QUOTE:
                        doubled = True
                        p += 1
                    elif data[p] == _FEED:
                        return
                    p += 1
                end = p
                p += 1
            else:
                begin = p
                while data[p] != delimiter and data[p] != _FEED and data[p] != _RETURN:
                    p += 1
                end = p
            if data[p] == _RETURN:
                p += 1
            ended = data[p] == _FEED
            if not ended and data[p] != delimiter:
                return
            filled |= end > begin
            over |= n >= most and end > begin
            if n < width and slot_of[n] >= 0:
                if doubled or end - begin > longest:
                    later = True
                else:
                    spans[row, slot_of[n], 0], spans[row, slot_of[n], 1] = begin, end
            n += 1
            p += 1
        if p - begin_row > limit:
            return
        if later:
            left[state[_LEFT], 0], left[state[_LEFT], 1], left[state[_LEFT], 2] = begin_row, p, line
            state[_LEFT] += 1
        else:
            state[_SEEN] += filled
            if n < width:
                if filled:
                    state[_FIRST_FEW] = state[_FIRST_FEW] if state[_FEW] else line
                    state[_FEW] += 1
            elif over:
                state[_FIRST_MANY] = state[_FIRST_MANY] if state[_MANY] else line
                state[_MANY] += 1
            else:
                lines[row] = line
                state[_ROWS] += 1
        state[_AT], state[_LINE] = p, line + 1


# --- JSON lines ------------------------------------------------------------------------------------------
# Each of these functions returns where it ends, or -1 if what is there is no JSON or is not looked into.


@inlined
def _blank(data: Bytes, p: int) -> int:
    while data[p] == _SPACE or data[p] == _TAB or data[p] == _RETURN:
        p += 1
    return p


@inlined
def _is_hex(c: int) -> bool:
    return 48 <= c <= 57 or 65 <= c <= 70 or 97 <= c <= 102


@inlined
def _string(data: Bytes, p: int) -> tuple[int, bool]:
    """Also whether there is an escape."""
    escaped = False
    p += 1
    while data[p] != _QUOTE:
        if data[p] < _SPACE:
            return -1, False
        if data[p] == _BACK:
            escaped = True
            p += 1
            c = data[p]
            if c == ord("u"):
                for _ in range(4):
                    p += 1
                    if not _is_hex(data[p]):
                        return -1, False
            elif c not in (34, 92, 47, 98, 102, 110, 114, 116):  # "\\/bfnrt
                return -1, False
        p += 1
    return p + 1, escaped


@inlined
def _digits(data: Bytes, p: int) -> int:
    begin = p
    while _ZERO <= data[p] <= _NINE:
        p += 1
    return p if p > begin else -1


@inlined
def _number(data: Bytes, p: int) -> int:
    if data[p] == _MINUS:
        p += 1
    p = p + 1 if data[p] == _ZERO else _digits(data, p)
    if p >= 0 and data[p] == _POINT:
        p = _digits(data, p + 1)
    if p >= 0 and (data[p] == ord("e") or data[p] == ord("E")):
        p += 1
        if data[p] == _PLUS or data[p] == _MINUS:
            p += 1
        p = _digits(data, p)
    return p


@inlined
def _word(data: Bytes, p: int) -> int:
    """A truth value or null."""
    if data[p] == ord("t") and data[p + 1] == ord("r") and data[p + 2] == ord("u"):
        return p + 4 if data[p + 3] == ord("e") else -1
    if data[p] == ord("n") and data[p + 1] == ord("u") and data[p + 2] == ord("l"):
        return p + 4 if data[p + 3] == ord("l") else -1
    if data[p] == ord("f") and data[p + 1] == ord("a") and data[p + 2] == ord("l"):
        return p + 5 if data[p + 3] == ord("s") and data[p + 4] == ord("e") else -1
    return -1


@inlined
def _key(data: Bytes, p: int) -> int:
    """A key and its colon."""
    if data[p] != _QUOTE:
        return -1
    p, _ = _string(data, p)
    if p < 0:
        return -1
    p = _blank(data, p)
    return _blank(data, p + 1) if data[p] == _COLON else -1


@inlined
def _value(data: Bytes, p: int) -> int:
    """Any value; `objects` has a bit for each list or object that is open."""
    depth, objects = 0, 0
    while True:
        c = data[p]
        if c in (_BRACE, _BRACKET):
            if depth == _DEEPEST:
                return -1
            depth, objects = depth + 1, 2 * objects + (c == _BRACE)
            p = _blank(data, p + 1)
            if data[p] != c + 2:  # } and ] are two behind { and [
                if c == _BRACE:
                    p = _key(data, p)
                    if p < 0:
                        return -1
                continue
        else:
            if c == _QUOTE:
                p, _ = _string(data, p)
            elif c == _MINUS or _ZERO <= c <= _NINE:
                p = _number(data, p)
            else:
                p = _word(data, p)
            if p < 0 or not depth:
                return p
            p = _blank(data, p)
        while depth and data[p] == (_BRACE if objects & 1 else _BRACKET) + 2:
            depth, objects = depth - 1, objects >> 1
            p += 1
            if not depth:
                return p
            p = _blank(data, p)
        if data[p] != _COMMA:
            return -1
        p = _blank(data, p + 1)
        if objects & 1:
            p = _key(data, p)
            if p < 0:
                return -1


@inlined
def _object(
    data: Bytes, p: int, names: Bytes, ends: Whole, needed: int, counted: bool, longest: int, cells: Codes
) -> int:
    """A line with one object, and where the cells of these names stand."""
    p = _blank(data, p)
    if data[p] != _BRACE:
        return -1
    p = _blank(data, p + 1)
    is_empty = data[p] == _BRACE + 2
    while not is_empty:
        if data[p] != _QUOTE:
            return -1
        begin = p + 1
        p, escaped = _string(data, p)
        if p < 0 or escaped:
            return -1
        size, slot = p - 1 - begin, -1
        for k in range(ends.size - 1):
            if ends[k + 1] - ends[k] == size and slot < 0:
                slot = k
                for q in range(size):
                    if data[begin + q] != names[ends[k] + q]:
                        slot = -1
        # A column of counts that is capitalized in another way may count, too.
        if counted and slot < 0 and size == 5:
            alike = True
            for q, c in enumerate((99, 111, 117, 110, 116)):
                alike &= data[begin + q] | 32 == c
            if alike:
                return -1
        p = _blank(data, p)
        if data[p] != _COLON:
            return -1
        p = _blank(data, p + 1)
        begin, c = p, data[p]
        if slot >= 0 and c == _QUOTE:
            p, escaped = _string(data, p)
            if p < 0 or escaped:
                return -1
        else:
            p = _value(data, p)
            if p < 0:
                return -1
        if slot >= 0:
            is_text, is_number = c == _QUOTE, c == _MINUS or _ZERO <= c <= _NINE
            if is_text or is_number:
                if p - begin - 2 * is_text > longest:
                    return -1
                cells[slot, 0], cells[slot, 1] = begin + is_text, p - is_text
            elif needed <= slot < len(cells) - counted:
                cells[slot] = 0
            else:
                return -1
        p = _blank(data, p)
        if data[p] == _COMMA:
            p = _blank(data, p + 1)
        elif data[p] == _BRACE + 2:
            break
        else:
            return -1
    p = _blank(data, p + 1)
    return p if data[p] == _FEED else -1


@entry
def _json(
    data: Bytes,
    names: Bytes,
    ends: Whole,
    needed: int,
    counted: bool,
    longest: int,
    state: Whole,
    spans: NDArray[np.int32],
    lines: Codes,
    left: Codes,
) -> None:
    """Objects with texts or numbers at the first `needed` names; the others may be missing."""
    while state[_AT] < data.size:
        begin, line, row = state[_AT], state[_LINE], state[_ROWS]
        p = _blank(data, begin)
        if data[p] != _FEED:
            cells = spans[row]
            cells[:] = 0
            cells[:needed] = -1
            if counted:
                cells[-1] = -1
            p = _object(data, p, names, ends, needed, counted, longest, cells)
            is_whole = p >= 0
            for k in range(needed):
                is_whole &= cells[k, 0] >= 0
            if is_whole:
                lines[row] = line
                state[_ROWS] += 1
                state[_SEEN] += 1
            else:
                p = begin
                while data[p] != _FEED:
                    p += 1
                left[state[_LEFT], 0], left[state[_LEFT], 1], left[state[_LEFT], 2] = begin, p + 1, line
                state[_LEFT] += 1
        state[_AT], state[_LINE] = p + 1, line + 1


# --- Blocks ----------------------------------------------------------------------------------------------


def _words(text: bytes | bytearray) -> Words:
    """The eight bytes at each place, but for the last seven."""
    return np.ndarray((len(text) - 7,), np.uint64, text, strides=(1,))


@final
class Plain(NamedTuple):
    """The plain rows of a block, and complaints about the others."""

    lines: Codes  #: The line of each row.
    codes: Codes  #: Shape (rows, columns).
    left: list[tuple[int, int, int]]  #: Where rows that are not plain begin and end, and on which line.
    seen: int  #: How many rows there are without those left.
    few: tuple[int, int]  #: How many rows have too few cells, and the line of the first.
    many: tuple[int, int]  #: The same of those with too many.
    at: int  #: Where reading stopped: at the end, or at a row that `csv` must read.
    line: int  #: The line there.


@final
class Scanner:
    """Reads blocks, one after the other; equal texts of all columns have one code."""

    def __init__(self, width: int, longest: int, number: Callable[[Sequence[str]], Codes]) -> None:
        self._width, self._longest, self._number = width, longest, number
        self._forget()

    def _forget(self) -> None:
        self._slots, self._hashes = np.full(2 * _TEXTS, -1, np.int32), np.empty(_TEXTS, np.uint64)
        self._starts, self._store = np.zeros(_TEXTS + 1, np.int64), bytearray(16 * _TEXTS)
        self._numbers = self._number(["1"])

    def _grow(self, more: int) -> None:
        known, size = len(self._numbers), 2 * self._hashes.size
        self._hashes, self._starts = np.resize(self._hashes, size), np.resize(self._starts, size + 1)
        short = 2 * int(self._starts[known]) + more - len(self._store)
        self._store = self._store + bytearray(max(0, short))
        self._slots = np.full(2 * size, -1, np.int32)
        _placed(self._hashes[:known], self._slots)

    def csv(self, block: bytes, line: int, delimiter: str, places: Codes, most: int, limit: int) -> Plain:
        """The rows of a block whose first line has this number."""
        return self._read(_csv, block, line, ord(delimiter), places, most, self._longest, limit)

    def json(self, block: bytes, line: int, names: Sequence[str], needed: int, counted: bool) -> Plain:
        """The same of lines of JSON."""
        keys = [name.encode() for name in names]
        ends = np.cumsum([0, *map(len, keys)])
        key_bytes = np.frombuffer(b"".join(keys), np.uint8)
        return self._read(_json, block, line, key_bytes, ends, needed, counted, self._longest)

    def _read(self, kernel: Callable[..., None], block: bytes, line: int, *how: object) -> Plain:
        data, most = np.frombuffer(block, np.uint8), block.count(b"\n")
        block += bytes(8)
        spans, lines = np.empty((most + 1, self._width, 2), np.int32), np.empty(most, np.int32)
        left, state = np.empty((most, 3), np.int32), np.zeros(9, np.int64)
        state[_LINE] = line
        kernel(data, *how, state, spans, lines, left)
        counted = state.tolist()
        rows = counted[_ROWS]
        return Plain(
            lines[:rows],
            self._numbered(block, spans[:rows]),
            left[: counted[_LEFT]].tolist(),
            counted[_SEEN],
            (counted[_FEW], counted[_FIRST_FEW]),
            (counted[_MANY], counted[_FIRST_MANY]),
            counted[_AT],
            counted[_LINE],
        )

    def _numbered(self, block: bytes, spans: Codes) -> Codes:
        """The numbers of the texts at these spans; those of new ones are asked for."""
        codes = np.empty(spans.shape[:2], np.int32)
        at = 0
        while at < codes.size:
            before = len(self._numbers)
            dictionary = self._slots, self._hashes, self._starts, _words(self._store), before
            known, at = _look_up(_words(block), spans.reshape(-1, 2), at, *dictionary, codes.reshape(-1))
            ends = self._starts[before : known + 1].tolist()
            new = self._store[ends[0] : ends[-1]]
            texts = [new[a - ends[0] : b - ends[0]].decode() for a, b in pairwise(ends)]
            self._numbers = np.concatenate([self._numbers, self._number(texts)])
            if at < codes.size:
                self._grow(len(block))
        numbers: Codes = self._numbers[codes]
        if self._starts[len(self._numbers)] > _FORGOTTEN:
            self._forget()
        return numbers
