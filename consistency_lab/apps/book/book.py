"""The theorem book: all statements in the order of the papers, read from their pages when requested."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache, partial
from hashlib import sha256
from time import perf_counter
from types import MappingProxyType
from typing import Final, NamedTuple, final

from consistency_lab.apps.book.formal import COVERED, REFEREED, covering, formal_step, to_accept
from consistency_lab.apps.book.page import PAGES, names, read
from consistency_lab.apps.book.statement import (
    Checked,
    FalseVariant,
    Finding,
    Kind,
    Outcome,
    Refutation,
    Statement,
    concluded,
    stored,
)
from consistency_lab.errors import InputError, did_you_mean
from consistency_lab.frozen import frozen

ALL: Final = "all"


@final
class Entry(NamedTuple):
    """One line of the book: what the command line calls it, the page that tells it, and its title there."""

    name: str
    page: str
    title: str = ""


BOOK: Final = tuple(
    Entry(name, page)
    for page, names in (
        ("dmj10_bounds", "lemma-1 lemma-3"),
        ("dmj10_limits", "lemma-4 lemma-5 theorem-6"),
        ("dmj13_consistency", "eq-4"),
        ("dmj10_disagreement", "lemma-7"),
        ("dmj10_lemma_9", "lemma-9"),
        ("dmj10_section_2", "section-2.2 low-noise-acyclic"),
        ("edge_losses", "lemma-10 theorem-11 theorem-12"),
        ("dmj10_linear_loss", "theorem-13"),
        ("dmj10_section_2", "theorem-13-as-printed"),
        ("dmj10_linear_loss", "lemma-14 corollary-15"),
        ("dmj10_disagreement", "lemma-16"),
        ("labels", "section-3.1"),
        ("order_preserving", "order-preserving"),
        ("dmj13_consistency", "dmj13-uniform dmj13-structure dmj13-steinwart"),
        ("dmj10_section_2", "dmj13-p-np"),
        ("edge_losses", "dmj13-edge dmj13-margin"),
        ("difference_losses", "dmj13-difference"),
        ("dmj13_gains", "dmj13-ndcg dmj13-err dmj13-err-iff dmj13-zhang"),
        ("dmj13_uniform", "dmj13-uniform-ndcg dmj13-uniform-err"),
        ("dmj13_risk", "dmj13-u-statistic dmj13-full-aggregation dmj13-convergence dmj13-condition-2"),
        ("dmj13_risk", "dmj13-fobos"),
        ("structures_of_pairs", "average-adjacency"),
        ("structures_of_odds", "btl-log-odds thurstone-mosteller"),
        ("structures_of_pairs", "borda-count ammar-shah"),
        ("structures_of_odds", "principal-eigenvector"),
        ("structures_of_pairs", "cascade-mle"),
        ("rat13_more", "rat13-theorem-2"),
        ("rat13_theorem_3", "rat13-theorem-3"),
        ("rat13_map", "rat13-theorem-4 rat13-corollary-5"),
        ("rat13_disagreement", "rat13-theorem-6 rat13-theorem-7 algorithm-1-on-three"),
        ("rat13_p_f", "rat13-p-f"),
        ("rat13_more", "rat13-decoders rat13-order-preserving rat13-map-decoder"),
        ("multilabel", "gao-zhou-2011 dembczynski-2012"),
        ("dimension", "calauzenes-2012 calauzenes-2012-sorted calauzenes-usunier-2020"),
        ("multilabel", "gao-zhou-2015 gao-zhou-bounds gao-zhou-exponential"),
        ("dimension", "calibration-dimension osokin-2017"),
        ("classes", "top-k softmax one-against-all lee-lin-wahba"),
        ("exchanges", "zhang-err"),
        ("alignment", "siththaranjan-2024 ge-2024 xiao-2025"),
        ("bounded_scores", "mao-mohri-zhong-2023 ranking-with-abstention"),
        ("edge_losses", "additive-theorem-11 additive-theorem-12"),
        ("dmj10_section_2", "every-convex-loss"),
        ("exact_sets", "four-edges six-edges four-items"),
        ("hinge_inversion", "hinge-inversion"),
        ("difference_losses", "square-difference"),
        ("labels", "approval-ballots btl-labels"),
        ("stand_ins", "forests"),
        ("exchanges", "components"),
        ("stand_ins", "bounded-stand-ins smooth-positions soft-pairs"),
        ("exchanges", "exchange exchangeable complete-rankings balanced-three single-answers"),
        ("designs", "domination gap-of-wins product-designs weighted-borda"),
        ("designs", "balanced-designs bradley-terry auc unequal-counts"),
    )
    for name in names.split()
)
"""DMJ10, DMJ13, RAT13, other papers, then ours, each with the page that tells it."""


def titles() -> Mapping[str, str]:
    """The title of each statement by its name, in the order of the book; no statement is imported."""
    return MappingProxyType({entry.name: entry.title for entry in _entries()})


@cache
def _entries() -> tuple[Entry, ...]:
    """The lines of the book with their titles, as the pages have them."""
    told = {page: names(page) for page in dict.fromkeys(entry.page for entry in BOOK)}
    return tuple(one._replace(title=told[one.page][one.name]) for one in BOOK)


def statement(name: str) -> Statement:
    """Read one statement."""
    return _read(_entry(name))


@cache
def _read(entry: Entry) -> Statement:
    told = read(PAGES / f"{entry.page}.md")[entry.name]
    return replace(told, check=partial(judged, told))


def statements(names: Iterable[str] = ()) -> tuple[Statement, ...]:
    """Read several statements, each once, in the order of the names; all if there are none, or for "all"."""
    asked = list(names) or [ALL]
    entries: dict[str, Entry] = {}
    for name in asked:
        for entry in _entries() if _key(name) == ALL else (_entry(name),):
            entries.setdefault(entry.name, entry)
    return tuple(statement(name) for name in entries)


def _key(name: str) -> str:
    """One spelling for all ways to write a name."""
    plain = name.strip().lower().replace("§", "section-")
    return "-".join("".join(c if c.isalnum() else " " for c in plain).split())


def _keys() -> dict[str, Entry]:
    return {_key(text): entry for entry in _entries() for text in (entry.title, entry.name)}


def _entry(name: str) -> Entry:
    keys, key = _keys(), _key(name)
    if key in keys:
        return keys[key]
    hint = did_you_mean(key, keys, "names are", titles(), shown=lambda near: repr(keys[near].name))
    raise InputError(f"there is no statement {name!r}; {hint}")


# --- What a check found, with what Coq proves, and compared with the text that was refereed --------------

DIFFERS: Final = "the text differs from the one that was refereed"


def judged(asked: Statement) -> Checked:
    """What the check of a statement finds, after what Coq proves of it; open if its text is another one."""
    own = asked.check()
    if asked.name in COVERED:
        proved = formal_step(asked.name, own.scope)
        part = COVERED[asked.name].part
        confirming = own.findings if part else tuple(replace(one, needed=False) for one in own.findings)
        stands = proved.stands and (own.outcome is Outcome.HOLDS or not (own.findings or part))
        own = replace(
            own,
            outcome=Outcome.HOLDS if stands else Outcome.OPEN,
            findings=(*concluded(own.scope, [proved]).findings, *confirming),
            formal=covering(asked.name),
            part=part,
        )
    if stored(REFEREED).get(asked.name) == text_digest(asked, own):
        return own
    how = f"if this is intended, review it and run python -m consistency_lab.apps.book.accept {asked.name}"
    changed = Finding(DIFFERS, Kind.MACHINE, own.scope, how)
    return replace(own, outcome=Outcome.OPEN, findings=(*own.findings, replace(changed, needed=False)))


def text_digest(asked: Statement, found: Checked) -> str:
    """The digest of what was refereed: the page, what is shown of it, what its functions show, Coq's part.

    Of what was only tried, the numbers are left out.
    """
    proof = [
        (
            one.claim,
            one.kind,
            one.scope,
            one.needed,
            *((one.how, one.details) if one.kind is Kind.HAND else ()),
        )
        for one in found.findings
        if one.kind is not Kind.FORMAL and one.claim != DIFFERS
    ]
    said = (
        (
            asked.title,
            asked.latex,
            asked.plain,
            asked.hypotheses,
            asked.citation,
            dict(asked.symbols),
            asked.claimed,
        ),
        [one.statement for one in asked.variants],
        *([asked.text] if asked.text else []),
    )
    proved = [(one.theorem, one.statement, one.axioms, to_accept(one.theorem)) for one in found.formal]
    return sha256(
        json.dumps([said, found.scope, found.remarks, proof, proved, found.part]).encode()
    ).hexdigest()


# --- Check one statement of the theorem book, with the time it took and whatever went wrong --------------


@frozen
class Examined:
    """The outcome for one statement; it can be sent between processes."""

    #: As in the book.
    name: str
    title: str
    claimed: Outcome  #: The outcome that the book expects.
    checked: Checked | None  #: What the check found; None if it ended in an error.
    seconds: float  #: How long that took.
    #: False variants with their refutations; empty if not requested.
    variants: tuple[tuple[str, Refutation], ...] = ()
    error: str = ""  #: What went wrong, or "".

    @property
    def as_claimed(self) -> bool:
        """Whether the outcome is what the book claims, and every false variant that was tried is refuted."""
        return (
            self.checked is not None
            and self.checked.outcome is self.claimed
            and all(refutation.refuted for _, refutation in self.variants)
        )


def examine(name: str, variants: bool = False) -> Examined:
    """Check a statement, and its false variants if requested.

    An error does not pass: one statement must not stop a whole book.
    """
    asked = statement(name)
    start = perf_counter()
    try:
        checked = asked.check()
    except Exception as error:
        took = perf_counter() - start
        return Examined(name, asked.title, asked.claimed, None, took, (), f"{type(error).__name__}: {error}")
    refutations = tuple(_refuted(asked.variants)) if variants else ()
    return Examined(name, asked.title, asked.claimed, checked, perf_counter() - start, refutations)


def failed(name: str, error: str) -> Examined:
    """The outcome for a statement whose check never answered."""
    asked = statement(name)
    return Examined(name, asked.title, asked.claimed, None, 0.0, (), error)


def _refuted(variants: Iterable[FalseVariant]) -> Iterable[tuple[str, Refutation]]:
    for variant in variants:
        try:
            refutation = variant.refute()
        except Exception as error:
            refutation = Refutation(refuted=False, witness=f"{type(error).__name__}: {error}")
        yield variant.statement, refutation
