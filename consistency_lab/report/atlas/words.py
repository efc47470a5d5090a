"""The numbers of a cell in a few words, for tables and pictures alike."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import ceil, floor
from typing import Any, Final

from consistency_lab.report.atlas.entries import Entry
from consistency_lab.report.text import decimal

NOTHING: Final = "–"

_LONGEST_FORM: Final = 30


def failure_words(entry: Entry) -> str:
    """The kind of failure; a tie is only a tie as far as was looked."""
    return entry.failure or NOTHING


def smallest_words(entry: Entry) -> str:
    """Total weights of the smallest witness and of the smallest inversion; "≤" without a proof."""
    found = entry.part("smallest")
    if found is None:
        return NOTHING
    if not entry.lightest:
        return "none, proved" if found["proved"] else "none found"
    lightest, strict = lightest_words(entry), ""
    if found["strict_total"] is not None:
        strict = _total(found["strict_total"], found["strict_proved"])
    elif "strict" in entry.lightest:
        strict = _total(entry.lightest["strict"], False)
    if strict == lightest:
        return lightest
    return f"{lightest} (tie), strict {strict}" if strict else f"{lightest} (tie)"


def lightest_words(entry: Entry) -> str:
    """The least total weight of a witness; where the search for it found none, that of any of the cell."""
    found = entry.part("smallest")
    if found is None or not entry.lightest:
        return NOTHING
    if found["total"] is None:
        return _total(min(entry.lightest.values()), False)
    return _total(found["total"], found["proved"])


def worst_words(entry: Entry) -> str:
    """The bracket of the largest normalized regret, or its proved value."""
    found = entry.part("worst")
    if found is None:
        return NOTHING
    lower, upper = Fraction(found["lower"]), found["upper"]
    if upper is not None and Fraction(upper) == lower:
        return str(lower)
    return f"{rounded(lower, 5, floor)} to {'?' if upper is None else rounded(Fraction(upper), 5, ceil)}"


def attained_words(entry: Entry) -> str:
    """The number that the worst case is, proved or conjectured, and where floats see it."""
    found = entry.part("worst")
    if found is None or found["witness"] is None:
        return NOTHING
    form = found["closed_form"]
    words = [] if form is None or form["proved"] else [f"conjectured: {_form(form)}"]
    if found["attained"] != "unknown":
        words.append(found["attained"])
    return "; ".join(words) or NOTHING


def rate_words(entry: Entry) -> str:
    """The share of failures in percent with its interval."""
    found = entry.part("rate")
    if found is None:
        return NOTHING
    if found["proved_zero"] is not None:
        return "0, proved"
    if not found["overall"]["samples"]:
        return NOTHING
    low, high = (100 * Fraction(x) for x in found["overall"]["interval"])
    middle = decimal(100 * share(found["overall"]), 2)
    return f"{middle} % ({rounded(low, 2, floor)} to {rounded(high, 2, ceil)})"


def share(found: Mapping[str, Any]) -> Fraction:
    """The share of failures among samples.

    Examples
    --------
    >>> share({"failures": 1, "samples": 4})
    Fraction(1, 4)
    """
    return Fraction(found["failures"], found["samples"])


def rounded(value: Fraction, digits: int, direction: Callable[[Fraction], int]) -> str:
    """A decimal rounded by `floor` or `ceil`: outward, what is shown is still a bracket.

    Examples
    --------
    >>> rounded(Fraction(2, 3), 3, floor), rounded(Fraction(2, 3), 3, ceil)
    ('0.666', '0.667')
    """
    parts = 10**digits
    return decimal(Fraction(direction(value * parts), parts), digits)


def _total(total: int, proved: bool) -> str:
    return str(total) if proved else f"≤ {total}"


def _form(form: Mapping[str, Any]) -> str:
    """A formula if it is short, else its decimals and that it is algebraic."""
    text = str(form["text"])
    if len(text) <= _LONGEST_FORM:
        return text
    return f"an algebraic number near {decimal(Fraction(form['value']), 9)}"
