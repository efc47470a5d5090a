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


BOOK: Final[tuple[Entry, ...]] = (
    Entry("lemma-1", "dmj10_bounds"),
    Entry("lemma-3", "dmj10_bounds"),
    Entry("lemma-4", "dmj10_limits"),
    Entry("lemma-5", "dmj10_limits"),
    Entry("theorem-6", "dmj10_limits"),
    Entry("eq-4", "dmj13_consistency"),
    Entry("lemma-7", "dmj10_disagreement"),
    Entry("lemma-9", "dmj10_lemma_9"),
    Entry("section-2.2", "dmj10_section_2"),
    Entry("low-noise-acyclic", "dmj10_section_2"),
    Entry("lemma-10", "edge_losses"),
    Entry("theorem-11", "edge_losses"),
    Entry("theorem-12", "edge_losses"),
    Entry("theorem-13", "dmj10_linear_loss"),
    Entry("theorem-13-as-printed", "dmj10_section_2"),
    Entry("lemma-14", "dmj10_linear_loss"),
    Entry("corollary-15", "dmj10_linear_loss"),
    Entry("lemma-16", "dmj10_disagreement"),
    Entry("section-3.1", "labels"),
    Entry("dmj13-uniform", "dmj13_consistency"),
    Entry("dmj13-structure", "dmj13_consistency"),
    Entry("dmj13-p-np", "dmj10_section_2"),
    Entry("dmj13-edge", "edge_losses"),
    Entry("dmj13-margin", "edge_losses"),
    Entry("dmj13-difference", "difference_losses"),
    Entry("dmj13-ndcg", "dmj13_gains"),
    Entry("dmj13-err", "dmj13_gains"),
    Entry("dmj13-err-iff", "dmj13_gains"),
    Entry("dmj13-zhang", "dmj13_gains"),
    Entry("dmj13-u-statistic", "dmj13_risk"),
    Entry("dmj13-full-aggregation", "dmj13_risk"),
    Entry("dmj13-convergence", "dmj13_risk"),
    Entry("dmj13-fobos", "dmj13_risk"),
    Entry("average-adjacency", "structures_of_pairs"),
    Entry("btl-log-odds", "structures_of_odds"),
    Entry("thurstone-mosteller", "structures_of_odds"),
    Entry("borda-count", "structures_of_pairs"),
    Entry("ammar-shah", "structures_of_pairs"),
    Entry("principal-eigenvector", "structures_of_odds"),
    Entry("cascade-mle", "structures_of_pairs"),
    Entry("rat13-theorem-2", "rat13_more"),
    Entry("rat13-theorem-3", "rat13_theorem_3"),
    Entry("rat13-theorem-4", "rat13_map"),
    Entry("rat13-corollary-5", "rat13_map"),
    Entry("rat13-theorem-6", "rat13_disagreement"),
    Entry("rat13-theorem-7", "rat13_disagreement"),
    Entry("algorithm-1-on-three", "rat13_disagreement"),
    Entry("rat13-p-f", "rat13_p_f"),
    Entry("rat13-decoders", "rat13_more"),
    Entry("rat13-order-preserving", "rat13_more"),
    Entry("rat13-map-decoder", "rat13_more"),
    Entry("gao-zhou-2011", "multilabel"),
    Entry("dembczynski-2012", "multilabel"),
    Entry("calauzenes-2012", "dimension"),
    Entry("gao-zhou-2015", "multilabel"),
    Entry("calibration-dimension", "dimension"),
    Entry("osokin-2017", "dimension"),
    Entry("top-k", "classes"),
    Entry("softmax", "classes"),
    Entry("one-against-all", "classes"),
    Entry("lee-lin-wahba", "classes"),
    Entry("zhang-err", "exchanges"),
    Entry("additive-theorem-11", "edge_losses"),
    Entry("additive-theorem-12", "edge_losses"),
    Entry("every-convex-loss", "dmj10_section_2"),
    Entry("four-edges", "exact_sets"),
    Entry("six-edges", "exact_sets"),
    Entry("four-items", "exact_sets"),
    Entry("hinge-inversion", "hinge_inversion"),
    Entry("square-difference", "difference_losses"),
    Entry("approval-ballots", "labels"),
    Entry("btl-labels", "labels"),
    Entry("forests", "stand_ins"),
    Entry("components", "exchanges"),
    Entry("bounded-stand-ins", "stand_ins"),
    Entry("smooth-positions", "stand_ins"),
    Entry("soft-pairs", "stand_ins"),
    Entry("exchange", "exchanges"),
    Entry("exchangeable", "exchanges"),
    Entry("complete-rankings", "exchanges"),
    Entry("balanced-three", "exchanges"),
    Entry("single-answers", "exchanges"),
    Entry("domination", "designs"),
    Entry("gap-of-wins", "designs"),
    Entry("product-designs", "designs"),
    Entry("weighted-borda", "designs"),
    Entry("balanced-designs", "designs"),
    Entry("bradley-terry", "designs"),
    Entry("auc", "designs"),
    Entry("unequal-counts", "designs"),
)
"""DMJ10, DMJ13, RAT13, other papers, then ours."""

BY_Z3: Final = frozenset(
    {
        *("lemma-3", "theorem-6", "eq-4", "lemma-9", "dmj13-uniform", "dmj13-structure"),
        *("four-edges", "six-edges", "four-items", "btl-labels"),
    }
)
"""The statements whose check asks z3."""


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
