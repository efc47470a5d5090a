"""Where a surrogate of preference graphs is right, and where it can be wrong: the frontier between the two.

Its cells are pairs of a noise condition and a design. Theorems come first, then small distributions that fool
other losses, then searches; each answer settles all cells that it implies.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Final, final

from consistency_lab.certify.witness import Witness, certify, has_pairs, shared_pairs, wrong_pairs
from consistency_lab.core.document import TIE
from consistency_lab.decide.answers import Answer, NamePair, Strongest, Verdict, lies_inside
from consistency_lab.decide.cases import GraphCase, not_proved_convex
from consistency_lab.decide.strategies import about_counts, counts_matter, with_equal_counts
from consistency_lab.decide.theorems.base import CELLS
from consistency_lab.errors import UnsupportedError
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.designs import DESIGNS
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import AnswerSurrogate
from consistency_lab.search.size import KNOWN, realize, two_items
from consistency_lab.solve.minimize import minimize
from consistency_lab.solve.optimal import optimal_orders

_WIDEST: Final[NamePair] = ("any", "any")
_ALL_PRODUCTS: Final = 3
"""Up to so many items every complete design is a product."""


def frontier(case: GraphCase) -> Strongest:
    """All cells, each with a theorem, a witness, or the reason why it is open."""
    cells = _Cells(case)
    cells.prove()
    few = cells.proofs_of_few()
    cells.refute()
    cells.search()
    return Strongest(case.surrogate, tuple(cells.found[pair] for pair in cells.pairs), few, case.effort)


def known(case: GraphCase, pairs: Iterable[NamePair]) -> dict[NamePair, Answer]:
    """Some cells by theorems and by small distributions that fool other losses, without a search."""
    wanted = tuple(pairs)
    cells = _Cells(case)
    cells.pairs = [pair for pair in cells.pairs if pair in wanted]
    cells.prove()
    cells.refute()
    reason = "neither a theorem nor an example is known here"
    unknown = {pair: Answer(pair[0], Verdict.UNDECIDED, "", reason, design=pair[1]) for pair in wanted}
    return {pair: cells.found.get(pair, unknown[pair]) for pair in wanted}


@final
class _Cells:
    """All pairs of a condition and a design, and what is known of them."""

    def __init__(self, of: GraphCase) -> None:
        self.all = of
        self.counted = counts_matter(of.surrogate) or type(of.surrogate) is AnswerSurrogate
        self.convex = not_proved_convex(of.surrogate) is None
        self.found: dict[NamePair, Answer] = {}
        # None stands before one that lies inside it.
        self.pairs: list[NamePair] = list(CELLS)

    def prove(self) -> None:
        """Prove pairs by theorems, the largest first; each covers the smaller ones."""
        for pair in reversed(self.pairs):
            for own in self._proof(pair, self.all.items):
                self._settle(own, (smaller for smaller in self.pairs if lies_inside(smaller, pair)))

    def proofs_of_few(self) -> tuple[Answer, ...]:
        """Prove other pairs by theorems about one number of items."""
        sizes = self.all.items if len(self.all.items) > 1 else ()
        cells = (
            (pair, m)
            for m in sizes
            for pair in self.pairs
            if not (m <= _ALL_PRODUCTS and pair[1] == "complete" and (pair[0], "product") in self.found)
        )
        return tuple(own for pair, m in cells for own in self._proof(pair, (m,)))

    def refute(self) -> None:
        """Refute pairs by small distributions that fool other losses; ties where no inversion is known."""
        if not self.convex:
            return
        ties = []
        for p in self._known():
            if p.m not in self.all.items or not self._has_open(p):
                continue
            with suppress(UnsupportedError):
                # Where floats see a single minimizer in an optimal order, no witness is worth a try.
                minimum, optimum = minimize(self.all.surrogate, p, exact=False), optimal_orders(p.aggregate)
                scores = minimum.scores.tolist()
                right = has_pairs(scores, shared_pairs(optimum, p.m)) and not wrong_pairs(optimum, scores)
                if right and minimum.unique is True:
                    continue
                self.all.effort.count(certificates=1)
                witness = certify(self.all.surrogate, p, provenance=self.all.provenance())
                if witness is not None and witness.failure == TIE:
                    ties.append(witness)
                elif witness is not None and witness.inconsistent:
                    self._refuted(witness)
        for witness in ties:
            self._refuted(witness)

    def _known(self) -> Iterator[Distribution]:
        """The lightest first; where the aggregate does not tell the risk, a witness of two items has all."""
        if not self.all.surrogate.of_aggregate:
            yield from two_items()
        for a in KNOWN:
            yield realize(self.all.surrogate, a)

    def search(self) -> None:
        """Search for witnesses, the smallest pairs first; each covers the larger ones."""
        first = self.pairs if self.counted else sorted(self.pairs, key=lambda pair: pair[1] != "any")
        if not self.convex:  # nothing can be refuted: what is seen in general is said of every pair
            first = self.pairs[::-1]
        for pair in (pair for pair in first if pair not in self.found):
            case = replace(self.all, asked=pair[:1], design=pair[1])
            if self._is_searched(pair):
                case.effort.ration(sum(pair[1] == row for _, row in filter(self._is_searched, self.pairs)))
                case.search(pair[0])
            else:
                case.leave_open(pair[0], self._why_open(pair[0]))
            own = replace(case.answers[pair[0]], design=pair[1])
            if own.verdict is not Verdict.INCONSISTENT or own.witness is None:
                self._settle(own, [pair])
                continue
            self._refuted(own.witness)
            equal = with_equal_counts(case.surrogate, own.witness)
            if equal is not None:
                self._refuted(equal)

    def _proof(self, pair: NamePair, at: tuple[int, ...]) -> list[Answer]:
        """A theorem, if one speaks of a pair that is still open."""
        case = replace(self.all, asked=pair[:1], design=pair[1], items=at)
        if pair not in self.found:
            case.prove(pair[0])
        return [replace(own, design=pair[1]) for own in case.answers.values()]

    def _settle(self, own: Answer, covered: Iterable[NamePair]) -> None:
        for pair in covered:
            if pair not in self.found or self.found[pair].verdict is Verdict.UNDECIDED:
                self.found[pair] = replace(own, condition=pair[0], design=pair[1])

    def _refuted(self, witness: Witness) -> None:
        """All pairs that the distribution of a witness has are wrong; no proof may speak of one."""
        for name, row in pairs_of(witness).intersection(self.pairs):
            own = self.all.answer_of(name, witness)
            answer = self.found.get((name, row))
            if answer is not None and answer.verdict is Verdict.CONSISTENT:
                self.all.contradiction(name, f"{answer.condition} with the design {answer.design}")
            self._settle(own, [(name, row)])

    def _has_open(self, p: Distribution) -> bool:
        """Whether a distribution has a condition and a design that nothing is known of."""
        pairs, a = [pair for pair in self.pairs if pair not in self.found], p.aggregate
        conditions = {name for name in {name for name, _ in pairs} if CONDITIONS[name].holds(a)}
        designs = {row for row in {row for _, row in pairs} if DESIGNS[row].holds(a)}
        return any(name in conditions and row in designs for name, row in pairs)

    def _is_searched(self, pair: NamePair) -> bool:
        """What is found without a design settles most pairs of a loss that counts do not enter."""
        if not self.convex and pair != _WIDEST:
            return False
        return pair not in self.found and (self.counted or self.all.affine or not about_counts(*pair))

    def _why_open(self, name: str) -> str:
        wider = self.found.get((name, "any") if self.convex else _WIDEST)
        if wider is None:
            return f"no theorem here; search with --condition {name}"
        if wider.verdict is Verdict.UNDECIDED:
            return wider.reason
        return "no theorem here, and the witness for any design does not have this design"


def pairs_of(witness: Witness) -> frozenset[NamePair]:
    """The conditions and designs under which it proves an inconsistency."""
    a = witness.distribution.aggregate
    designs = [name for name, row in DESIGNS.items() if row.holds(a)]
    return frozenset((name, row) for row in designs for name in CONDITIONS if witness.fails_under(name))
