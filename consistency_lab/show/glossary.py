"""The words of answers: `glossary.md`, with examples of three items that are computed when they are shown."""

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from fractions import Fraction
from itertools import permutations
from math import comb, exp, log, sqrt
from pathlib import Path
from textwrap import wrap
from types import MappingProxyType
from typing import Final

from consistency_lab.errors import InputError, nearest
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import CONDITIONS, TASK_CONDITIONS, condition
from consistency_lab.numbers.phi import NAMED, named, spelled
from consistency_lab.show.text import Line, beside, columns, flush, listed, paragraph, with_names
from consistency_lab.shown import WIDTH

#: How often the row is preferred to the column, for A, B and C: the failure that the README shows first.
EXAMPLE: Final = ((0, 3, 8), (0, 0, 1), (4, 0, 0))


@frozen
class Word:
    """A word with its meaning, its sections in docs, and an example."""

    name: str
    meaning: str
    see: str  #: The document, and its sections.
    #: The example with {facts} of `facts`; "" if the meaning says it all.
    example: str = ""
    others: tuple[str, ...] = ()  #: Other spellings.


_ENTRY: Final = re.compile(r"^## (.+)\n(?:Also: (.+)\n)?(.+)\n(?:Example: (.+)\n)?See: (.+)$", re.MULTILINE)
TERMS: Final = tuple(
    Word(name, meaning, see, example or "", tuple(others.split(", ")) if others else ())
    for name, others, meaning, example, see in _ENTRY.findall(
        Path(__file__).with_name("glossary.md").read_text("utf-8")
    )
)


Explains = Callable[[str], list[Line]]
"""The lines on a word; none if it is not known."""


def facts() -> Mapping[str, str]:
    """What the examples say, computed from `EXAMPLE`."""
    from consistency_lab.certify.addition import proved_by_addition
    from consistency_lab.model.distribution import Distribution
    from consistency_lab.model.surrogates import surrogate
    from consistency_lab.solve.minimize import minimize

    items, a = "ABC", EXAMPLE
    pairs = list(permutations(range(3), 2))
    d = {(i, j): a[i][j] - a[j][i] for i, j in pairs}
    n = {(i, j): a[i][j] + a[j][i] for i, j in pairs}
    net = [sum(d[i, j] for j in range(3) if j != i) for i in range(3)]
    p = Distribution.from_aggregate(a)
    logistic, hinge = (minimize(surrogate(name), p) for name in ("logistic", "hinge"))

    def order(values: Iterable[float]) -> tuple[int, ...]:
        return tuple(i for _, i in sorted((-float(x), i) for i, x in enumerate(values)))

    def ranked(t: Iterable[int]) -> str:
        return " > ".join(items[i] for i in t)

    def scores(values: Iterable[float], digits: int) -> str:
        return ", ".join(f"{items[i]} = {x:.{digits}f}" for i, x in enumerate(values))

    cost = {t: sum(a[j][i] for k, i in enumerate(t) for j in t[k + 1 :]) for t in permutations(range(3))}
    least, learned = min(cost, key=lambda t: cost[t]), order(logistic.scores)
    total = sum(map(sum, a))
    exact = [[Fraction(x) for x in row] for row in a]
    proved = proved_by_addition(NAMED["logistic"].expression, exact).pairs
    added = [f"{items[x.above]} above {items[x.below]}" for x in proved]
    popular = [sqrt(n[i, j] * n[i, k] / n[j, k]) for i, j, k in ((0, 1, 2), (1, 0, 2), (2, 0, 1))]
    pull = [n[0, j] / (1 + exp(logistic.scores[j] - logistic.scores[0])) for j in (1, 2)]
    return MappingProxyType(
        {
            **{f"w{items[i]}{items[j]}": str(a[i][j]) for i, j in pairs},
            **{f"d{items[i]}{items[j]}": str(d[i, j]) for i, j in pairs},
            **{f"n{items[i]}{items[j]}": str(n[i, j]) for i, j in pairs},
            **{f"share{items[i]}{items[j]}": f"{a[i][j] / n[i, j]:.0%}" for i, j in pairs},
            **{f"N{items[i]}": str(net[i]) for i in range(3)},
            "added": " and ".join(added),
            "borda": ranked(order(net)),
            "coinAC": f"{2 * sum(comb(n[0, 2], k) for k in range(a[2][0] + 1)) / 2 ** n[0, 2]:.0%}",
            "conditions": listed([one.title for one in CONDITIONS.values() if one.holds(a)][:-1]),
            "cost": str(cost[learned]),
            "costs": ", ".join(f"{ranked(t)} goes against {x}" for t, x in cost.items()),
            "equal": f"{total * log(2):.4f}",
            "excess": f"{total * log(2) - logistic.value:.4f}",
            "fitAC": f"{pull[1] / n[0, 2]:.0%}",
            "logodds": f"{log(a[0][2] / a[2][0]):.2f}",
            "expectedA": f"{sum(pull):.2f}",
            "hinge": scores(hinge.scores, 2),
            "infimum": f"{logistic.value:.4f}",
            "learned": ranked(learned),
            "least": str(cost[least]),
            "optimal": ranked(least),
            "popular": scores(popular, 1),
            "regret": str(cost[learned] - cost[least]),
            "scores": scores(logistic.scores, 4),
            "share": f"{(cost[learned] - cost[least]) / total:.2%}",
            "sum": str(d[0, 1] + d[1, 2]),
            "total": str(total),
            "wonA": str(sum(a[0])),
        }
    )


def explained(word: str, others: Iterable[Explains] = ()) -> list[Line]:
    """What a word means, what it is in the example, and where to read more; `others` know more words."""
    known = {
        spoken(name): term for term in TERMS for name in (*term.name.split(", "), *term.others, term.name)
    }
    if spoken(word) not in known and (lines := _of_tables(word, others)):
        return lines
    if spoken(word) not in known:
        near = listed([repr(one) for one in nearest(spoken(word), known, 3)], "or")
        hint = f"did you mean {near}? " if near else ""
        raise InputError(f"there is no explanation of {word!r}; {hint}explain alone lists all words")
    term = known[spoken(word)]
    also = f" Also: {', '.join(term.others)}." if term.others else ""
    lines = flush(f"{term.name}: {term.meaning}{also}")
    if term.example:
        lines += _example(term.example.format(**facts()))
    with suppress(InputError):
        lines += _places(condition(spelled(word)).name)
    return [*lines, "", *paragraph(f"more: docs/{term.see}", indent=1)]


def _example(told: str) -> list[Line]:
    """The comparisons as a matrix, and beside it what the word means there."""
    rows = [list(map(Fraction, row)) for row in EXAMPLE]
    table = columns(with_names(rows, "ABC"), indent=3, right=range(1, 4))
    return ["", " Example, row beats column:", *beside(table, told)]


def _places(name: str) -> list[Line]:
    """What implies a condition on preferences, and what it implies."""
    narrower = [one.title for one in CONDITIONS.values() if name in one.larger]
    wider = [CONDITIONS[other].title for other in CONDITIONS[name].larger] if name in CONDITIONS else []
    rows = [f"{k:<10}{', '.join(v)}" for k, v in (("narrower:", narrower), ("wider:", wider)) if v]
    return ["", *(line for row in rows for line in wrap(f" {row}", WIDTH, subsequent_indent=" " * 11))]


def _of_tables(word: str, others: Iterable[Explains]) -> list[Line]:
    """What the glossary leaves to tables and to others, if they have it."""
    from consistency_lab.model.tasks.catalogue import TARGETS

    said = spelled(word)
    with suppress(InputError):
        said = condition(said).name
    if (found := TASK_CONDITIONS.get(said)) is not None:
        lines = flush(f"{found.name}: {found.words} ({found.citation})")
        if found.name in CONDITIONS:
            lines += _example(f"It {'holds' if found.holds(EXAMPLE) else 'does not hold'} here.")
        return [*lines, *_places(found.name), "", " more: docs/theory.md, Noise conditions"]
    if (target := TARGETS.get(said)) is not None:
        title = f"{target.name} ({target.title}, a target)"
        return flush(f"{title}: {target.formula} ({target.citation})")
    for explained_there in others:
        if lines := explained_there(word):
            return lines
    with suppress(InputError):
        return [*flush(f"{word}, a loss: phi(x) = {named(said).text}"), "", f" more: check {said}"]
    return []


def terms() -> list[Line]:
    """All words, without what they mean."""
    names = "; ".join(term.name for term in TERMS)
    lines = paragraph(f"{len(TERMS)} terms are explained, each with its place in the theory.", indent=0)
    return [*lines, "", *paragraph(names, indent=1), "", " more: explain WORD   --details (what each means)"]


def glossary() -> list[Line]:
    """What each word means."""
    return [line for term in TERMS for line in flush(f"{term.name}: {term.meaning}")]


def glossary_table() -> str:
    """All words in a table, for the glossary of the site."""
    rows = [f"| {term.name} | {term.meaning} | {term.see} |" for term in TERMS]
    return "\n".join(["| word | meaning | see |", "| --- | --- | --- |", *rows]) + "\n"


def spoken(word: str) -> str:
    """One spelling for all ways to write a word."""
    return " ".join(word.lower().replace("-", " ").replace("_", " ").split())
