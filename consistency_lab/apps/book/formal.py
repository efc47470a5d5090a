"""What Coq proves of the book: which theorems of formal/ say what a row says, and what is recorded of them.

`make -C formal accept` writes the record, which the package carries: whoever has no Coq, or no formal/, reads
there what was compiled. Each theorem has the digest of the sources that it was compiled from, so it shows
where the record is not about the sources of this clone; and a digest of the definitions that it rests on,
which a reader accepts with its words and its statement.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from textwrap import wrap
from types import MappingProxyType
from typing import Final

from consistency_lab.apps.book.statement import FOLDER, Finding, Formal, Kind, Step, stored
from consistency_lab.errors import RejectedError
from consistency_lab.frozen import frozen

RECORD: Final = "formal.json"
REFEREED: Final = "refereed.json"
SOURCES: Final = Path(__file__).parents[3] / "formal"
_WIDTH: Final = 76


@frozen
class Covered:
    """What covers a row: theorems of formal/, which together say what it says, or a part of it."""

    theorems: str  #: Their names, as the record has them.
    part: str = ""  #: Which part they are, in a few words; "" if they say it all.


COVERED: Final[Mapping[str, Covered]] = MappingProxyType(
    {
        "lemma-1": Covered("lemma_1"),
        "lemma-3": Covered("lemma_3"),
        "lemma-4": Covered("lemma_4"),
        "theorem-6": Covered("theorem_6 theorem_6_random small_excess"),
        "section-2.2": Covered("two_items_exactly", "φ convex, h(a) > 0 for some a"),
        "low-noise-acyclic": Covered("low_noise_acyclic"),
        "lemma-10": Covered("lemma_10 lemma_10_printed"),
        "theorem-11": Covered("theorem_11"),
        "theorem-12": Covered("theorem_12"),
        "theorem-13": Covered("theorem_13"),
        "theorem-13-as-printed": Covered("theorem_13_as_printed_is_false corollary_15_as_printed_is_false"),
        "lemma-14": Covered("lemma_14"),
        "corollary-15": Covered("corollary_15"),
        "lemma-16": Covered("lemma_16_iff"),
        "section-3.1": Covered("scores_additive scores_low_noise no_weight_of_distance"),
        "dmj13-p-np": Covered("no_convex_surrogate"),
        "dmj13-edge": Covered("dmj13_not_structure_consistent"),
        "dmj13-margin": Covered("dmj13_margin_not_structure_consistent"),
        "dmj13-difference": Covered("difference_loss_consistent"),
        "dmj13-ndcg": Covered("dmj13_ndcg dmj13_ndcg_if"),
        "dmj13-err": Covered("dmj13_err dmj13_err_only"),
        "dmj13-err-iff": Covered("dmj13_err_iff"),
        "dmj13-zhang": Covered("zhang_ndcg"),
        "rat13-theorem-2": Covered(
            "rat13_theorem_2 rat13_theorem_2_random", "countably many x; the converse with ε and δ"
        ),
        "rat13-theorem-3": Covered("rat13_theorem_3 rat13_theorem_3_bound"),
        "rat13-theorem-4": Covered("rat13_theorem_4"),
        "rat13-corollary-5": Covered("rat13_corollary_5"),
        "rat13-theorem-6": Covered("rat13_theorem_6 exactly_P_f psi_DMJ_is_psi_f"),
        "rat13-theorem-7": Covered("rat13_theorem_7 algorithm_1_returns"),
        "rat13-p-f": Covered("P_f_inside P_f_strictly_inside_is_false", "P_f ⊂ P_DAG; = for two items"),
        "rat13-decoders": Covered(
            "precision_calibrated eru_calibrated eru_as_printed_is_false map_calibrated"
            " disagreement_calibrated"
        ),
        "dembczynski-2012": Covered("single_items_calibrated"),
        "osokin-2017": Covered("osokin_bound osokin_attained"),
        "one-against-all": Covered("one_against_all_calibrated"),
        "lee-lin-wahba": Covered("lee_lin_wahba_calibrated lee_lin_wahba_bound"),
        "bounded-stand-ins": Covered("luce_pair", "i above j with chance w_i/(w_i + w_j)"),
        "smooth-positions": Covered("luce_pair positions_reached", "an optimal order comes near the infimum"),
        "soft-pairs": Covered("luce_pair soft_pairs_reached", "an optimal order comes near the infimum"),
        "zhang-err": Covered("zhang_err"),
        "additive-theorem-11": Covered("theorem_11_additive"),
        "additive-theorem-12": Covered("theorem_12_additive"),
        "every-convex-loss": Covered("every_convex_loss every_convex_risk theorem_11_risks theorem_12_risks"),
        "four-edges": Covered("four_edges_exactly"),
        "six-edges": Covered("six_edges_exactly"),
        "four-items": Covered("no_loss_on_four_items"),
        "hinge-inversion": Covered("hinge_never_inverts hinge_inverts"),
        "approval-ballots": Covered("approval_additive approval_all"),
        "btl-labels": Covered("btl_tanh btl_triangle btl_low_noise btl_net_order"),
        "forests": Covered("two_items_exactly", "two items, h = a"),
        "complete-rankings": Covered("complete_rankings"),
        "balanced-three": Covered("balanced_three"),
        "domination": Covered("D_separated"),
        "gap-of-wins": Covered("R_separated"),
        "product-designs": Covered("consistent_transitive_product three_items_transitive product_designs"),
        "weighted-borda": Covered("weighted_borda"),
        "balanced-designs": Covered("balanced_designs"),
        "bradley-terry": Covered("bradley_terry_iff_log_odds bradley_terry_only_log_odds"),
        "auc": Covered("consistent_bipartite"),
        "unequal-counts": Covered("three_items_ratio three_items_ratio_reached", "for u constant"),
    }
)
"""The rows of the book that are proved in Coq, one a line."""


_REQUIRED: Final = r"^From ConsistencyLab\.(\w+) Require(?: Import)? ([\w\s]+)\."

# --- The record, and the sources it is about -------------------------------------------------------------


def digest(file: str, folder: Path = SOURCES) -> str:
    """The digest of a file of formal/ and of all that it requires."""

    @cache  # many files require the same ones
    def of(file: str) -> str:
        text = (folder / file).read_text("utf-8")
        required = re.findall(_REQUIRED, text, re.MULTILINE)
        files = [f"{part}/{name}.v" for part, names in required for name in names.split()]
        return sha256("\n".join([text, *map(of, files)]).encode()).hexdigest()

    return of(file)


@cache
def theorem(name: str) -> tuple[Formal, str]:
    """A theorem of the record, and the digest of the sources that it was compiled from."""
    match stored(RECORD, FOLDER).get(name):
        case {"file": str(file), "statement": str(said), "axioms": [*axioms], "digest": str(found)}:
            return Formal(name, file, said, tuple(map(str, axioms))), found
    raise RejectedError(f"{RECORD} has no theorem {name!r}")


@cache
def to_accept(name: str) -> str:
    """The digest of what a reader accepts of a theorem: words, statement, axioms, and definitions."""
    one = stored(RECORD, FOLDER)[name]
    assert isinstance(one, dict)  # `theorem` refuses other records
    said = [one[key] for key in ("words", "statement", "axioms", "definitions")]
    return sha256(json.dumps(said).encode()).hexdigest()


def unread() -> tuple[str, ...]:
    """The theorems of which nobody has accepted what they say now."""
    accepted = stored(REFEREED)
    return tuple(name for name in stored(RECORD, FOLDER) if accepted.get(name) != to_accept(name))


def assumed(statement: str) -> tuple[str, ...]:
    """The hypotheses of a statement as Coq prints it, without the types of what it is about."""
    found, text = [], " ".join(statement.split())
    while cut := _first(text):
        before, mark = text[: cut[0]], cut[1]
        text = text[cut[0] + len(mark) :]
        if not before.startswith("forall "):
            found.append(before.removeprefix("let "))
    return tuple(found)


def _first(text: str) -> tuple[int, str] | None:
    """Where the first variables or hypothesis of a statement end, and with which sign; None if none."""
    mark = {"forall": ", ", "let": " in ", "exists": ""}.get(text.split(" ", 1)[0], " -> ")
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        if mark and not depth and text.startswith(mark, place):
            return place, mark
    return None


def covering(name: str) -> tuple[Formal, ...]:
    """What the record has of the theorems that cover a row, or part of it."""
    return tuple(theorem(one)[0] for one in COVERED[name].theorems.split()) if name in COVERED else ()


def formal_step(name: str, scope: str, folder: Path = SOURCES) -> Step:
    """The step that Coq proves a row, or part of it: it falls where formal/ is not what was compiled."""
    found = [theorem(one) for one in COVERED[name].theorems.split()]
    here = (folder / "_CoqProject").is_file()
    stands = not here or all(digest(one.file, folder) == was for one, was in found)
    named = ", ".join(f"{one.theorem} ({one.file}; {len(one.axioms)} axioms)" for one, _ in found)
    state = "compiled from these sources" if here else "recorded, not rerun: formal/ is not installed"
    if not stands:
        state = "formal/ differs from what was compiled; run make -C formal accept"
    part = COVERED[name].part
    claim = f"Coq proves a part: {part}" if part else "Coq proves the statement, from the definitions"
    details = tuple(line for one, _ in found for line in coq_lines(one))
    return Step(
        stands, Finding(claim, Kind.FORMAL, part or scope, f"{named}: {state}", details, needed=not part)
    )


def coq_lines(one: Formal) -> list[str]:
    """A theorem as Coq prints it, in lines that are not too wide."""
    lines = [f"{one.theorem}:"]
    for line in one.statement.splitlines():
        indent = " " * (4 + len(line) - len(line.lstrip()))
        lines += wrap(line.strip(), _WIDTH, initial_indent=indent, subsequent_indent=indent + "  ")
    return lines
