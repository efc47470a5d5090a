"""Decide a surrogate whose scores are linear in features: best in the class, Pareto, majority."""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, pairwise, permutations
from math import comb, factorial
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Final, Literal, final

import numpy as np

from consistency_lab.apps.align.certificates import APART, Chart, InClass, ordering, system
from consistency_lab.certify.proofs.file import provenance_entry, sealed, verify
from consistency_lab.certify.proofs.names import AXIOMS, ORDER, axiom_pairs, graphs_entry
from consistency_lab.certify.proofs.record import Entry
from consistency_lab.certify.witness import Witness
from consistency_lab.core.document import TIE
from consistency_lab.core.orders import Costs, Order, Pair, cost
from consistency_lab.data.matrix import check_equal, check_names, is_number, table_lines
from consistency_lab.data.profile import Profile
from consistency_lab.decide.answers import Verdict, overall
from consistency_lab.decide.cases import not_proved_convex
from consistency_lab.errors import InputError, RejectedError, UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.model.checked import Where, checked
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import EdgeSurrogate, Surrogate, pair
from consistency_lab.model.surrogates.own import as_surrogate
from consistency_lab.numbers.exact import rational, rational_text
from consistency_lab.solve.kinds import Kind, kind_of
from consistency_lab.solve.lp import LPStatus
from consistency_lab.solve.newton import NewtonSolver
from consistency_lab.solve.numeric import stack

MAX_FEATURE_ITEMS: Final = 60
"""Most items."""

_MOST_PROGRAMS: Final = 1500
"""Most linear programs for the best order of the class."""

_MOST_PAIRS: Final = 60
"""Most pairs that are proved one by one, where the whole order is not."""

_RANKED: Final = 5
_MOST_PROFILES: Final = 60_000
_MOST_TRIED: Final = 200
_CONVERGED: Final = 1e-6


# --- Features of items in CSV files: one line an item, exact numbers -------------------------------------


@frozen
class Features:
    """Numbers that describe items; the scores of the items are linear in them."""

    names: tuple[str, ...]  #: Of the features.
    rows: Mapping[str, tuple[Fraction, ...]]  #: One number for each feature, by item.
    source: str = "the features"  #: What to call them in a sentence.

    def of(self, items: Sequence[str]) -> tuple[tuple[Fraction, ...], ...]:
        """Those of the items of a profile, in their order."""
        for item in items:
            if item not in self.rows:
                raise InputError(f"{self.source} has no line for the item {item!r} of the profile")
        return tuple(self.rows[item] for item in items)


@checked
def read_features(path: str | os.PathLike[str]) -> Features:
    """Read the features of items from a CSV file: the item first, then one number for each feature.

    Numbers are integers, decimals, which are read exactly, or fractions such as 1/3. The first line may name
    the features.
    """
    name, lines = table_lines(path, "table of features")
    header = lines[0].cells if not any(map(is_number, lines[0].cells[1:])) else None
    body = lines[1:] if header else lines
    width = len(lines[0].cells)
    if not body or width < 2:
        raise InputError(f"{name} has no features; each line needs an item and its numbers, with commas")
    check_equal(name, lines)
    items = [line.cells[0] for line in body]
    check_names(name, "items", items)
    names = tuple(header[1:]) if header else tuple(f"x{k}" for k in range(1, width))
    check_names(name, "features", names)
    rows = {
        line.cells[0]: tuple(
            rational(cell, f"{name}, line {line.number}: the feature {names[k]}")
            for k, cell in enumerate(line.cells[1:])
        )
        for line in body
    }
    return Features(names, MappingProxyType(rows), Path(name).name)


# --- What is decided -------------------------------------------------------------------------------------


@frozen
class AxiomAnswer:
    """What is proved of one axiom."""

    axiom: str  #: "best", "pareto" or "majority".
    #: INCONSISTENT: it fails though some weights are right. CONSISTENT: it holds, or no weights are right.
    verdict: Verdict
    reason: str  #: One sentence.
    blame: Literal["loss", "class"] | None = None  #: Whether the loss or the class of scores is to blame.
    #: Weights that are right, where the loss is to blame.
    right: tuple[Fraction, ...] | None = None
    #: Where no weights are right: pairs (above, below) and multipliers y > 0 with sum y (x_i - x_j) = 0.
    multipliers: tuple[tuple[str, str, Fraction], ...] = ()
    witness: Witness | None = None  #: The accepted file of a failure.
    proof: Mapping[str, object] | None = None  #: The accepted file of the multipliers.


@frozen
class FeaturesDecision:
    """The verdict on a surrogate whose scores are linear in features, at one distribution."""

    surrogate: Surrogate
    features: Features
    distribution: Distribution | None  #: None if a search found none that fails.
    answers: tuple[AxiomAnswer, ...]
    order: tuple[str, ...] | None = None  #: That of the minimizer, if it is proved.
    witness: Witness | None = None  #: The accepted file of that.
    attained: bool | None = None  #: Whether some weights minimize W; None if that is not decided.
    weights: tuple[float, ...] | None = None  #: Such weights, in floats; None unless W is known to have them.
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """Over all axioms."""
        return overall(answer.verdict for answer in self.answers)


_GIVEN: Final = Where("what read_features returns, or numbers by item")


@checked
def check_features(
    surrogate: Surrogate | str,
    features: Annotated[Features | Mapping[str, Sequence[object]], _GIVEN],
    distribution: Distribution | Profile | None = None,
    *,
    axioms: str | Sequence[str] | None = None,
    command: str = "",
) -> FeaturesDecision:
    """Decide which axioms the order of the minimizer among the scores Xw fulfills.

    *best*: no order that some w sorts disagrees with fewer preferences. *pareto*: i is above j where some
    prefer i to j, and nobody j to i. *majority*: i is above j where more prefer i to j than j to i. A failure
    is the loss's fault only where some w is right.

    Parameters
    ----------
    surrogate
        From `surrogate`, or its name.
    features
        X: what `read_features` returned, or numbers by item.
    distribution
        The preferences; without them a profile of few rankings at which pareto or majority fails is searched.
    axioms
        Which; by default all (in a search pareto).
    command
        The command that repeats this, for the files.

    Examples
    --------
    >>> votes = Distribution.of(2, [("3/4", {(0, 1): 1}), ("1/4", {(1, 0): 1})])
    >>> found = check_features("logistic", {"1": ["1.5"], "2": ["0"]}, votes)
    >>> [(one.axiom, str(one.verdict)) for one in found.answers], found.order
    ([('best', 'CONSISTENT'), ('pareto', 'CONSISTENT'), ('majority', 'CONSISTENT')], ('1', '2'))
    """
    surrogate = as_surrogate(surrogate)
    notes: tuple[str, ...] = ()
    if not isinstance(features, Features):
        rows = {
            item: tuple(rational(x, f"a feature of {item}") for x in row) for item, row in features.items()
        }
        features = Features(tuple(f"x{k + 1}" for k in range(len(next(iter(rows.values()), ())))), rows)
    if not features.names or any(len(row) != len(features.names) for row in features.rows.values()):
        raise InputError("every item needs the same number of features, at least one")
    bent = not_proved_convex(surrogate)
    if bent is not None:
        raise UnsupportedError(f"{bent} is not proved convex, so no certificate applies")
    asked = [axioms] if isinstance(axioms, str) else list(dict.fromkeys(axioms or ()))
    for axiom in asked:
        if axiom not in AXIOMS:
            raise InputError(f"{axiom[:40]!r} is not an axiom; expected {', '.join(AXIOMS)}")
    if distribution is None:
        return _searched(surrogate, features, asked or ["pareto"], command)
    if isinstance(distribution, Profile):
        notes, distribution = distribution.notes, distribution.distribution
    more = [item for item in features.rows if item not in distribution.items]
    if more:
        notes = (*notes, f"{features.source} also describes {', '.join(more)}, not in the profile")
    if distribution.m > MAX_FEATURE_ITEMS:
        raise UnsupportedError(
            f"there are {distribution.m} items; scores of features take at most {MAX_FEATURE_ITEMS}"
        )
    return _Case(surrogate, features, distribution, notes, command).decided(asked or AXIOMS)


@final
class _Case:
    """One distribution."""

    def __init__(
        self,
        surrogate: Surrogate,
        features: Features,
        distribution: Distribution,
        notes: Sequence[str],
        command: str,
    ) -> None:
        self.features, self.notes = features, tuple(notes)
        self.provenance = provenance_entry({"command": command, "note": "; ".join(notes)})
        self.surrogate, self.whole = surrogate, distribution
        self.seen = distribution.added_up if surrogate.of_aggregate else distribution.grouped
        self.names, self.a = distribution.items, distribution.aggregate
        self.rows = features.of(self.names)
        self.within = InClass(self.rows, surrogate.risk_terms(self.seen))
        self.order = self.within.order
        steps = list(pairwise(self.order))
        self.proved = self.accepted(dict.fromkeys(steps, Fraction(1)), self.order, steps, ORDER)

    def decided(self, axioms: Sequence[str]) -> FeaturesDecision:
        """The answers."""
        answers = tuple(self.best() if axiom == "best" else self.of_pairs(axiom) for axiom in axioms)
        order = tuple(self.names[k] for k in self.order) if self.proved else None
        attained = self.within.attained
        converged = attained and self.within.minimum.gradient_norm <= _CONVERGED
        weights = tuple(self.within.weights) if converged else None
        told = (self.whole, answers, order, self.proved, attained, weights, self.notes)
        return FeaturesDecision(self.surrogate, self.features, *told)

    def best(self) -> AxiomAnswer:
        """No order that some w sorts costs less."""
        if not self.proved:
            text = "the order of the minimizer is not proved; it ties items, or almost"
            return AxiomAnswer("best", Verdict.UNDECIDED, text)
        try:
            found = cheaper(self.rows, self.a, self.order)
        except UnsupportedError as error:
            return AxiomAnswer("best", Verdict.UNDECIDED, str(error))
        if found is None:
            text = "no order that some weights give contradicts fewer preferences (all were tried)"
            return AxiomAnswer("best", Verdict.CONSISTENT, text)
        better, right = found
        costs = {(i, j): x for i, row in enumerate(self.a) for j, x in enumerate(row) if x}
        witness = self.accepted(costs, better, list(pairwise(self.order)), "best", right)
        text = f"{' > '.join(self.names[k] for k in better)} contradicts fewer preferences"
        if witness is None:
            return AxiomAnswer("best", Verdict.UNDECIDED, f"{text}, but no proof of it was accepted")
        return AxiomAnswer("best", Verdict.INCONSISTENT, text, "loss", right, witness=witness)

    def of_pairs(self, axiom: str) -> AxiomAnswer:
        """All these pairs are in order, if some w has them so."""
        asked, place = axiom_pairs(self.a, axiom), {k: n for n, k in enumerate(self.order)}
        if not asked:
            return AxiomAnswer(axiom, Verdict.CONSISTENT, "it requires nothing here")
        possible = ordering(self.rows, asked)
        if possible.status is LPStatus.INFEASIBLE:
            return self._impossible(axiom, asked, possible.dual_ub)
        if possible.status is not LPStatus.OPTIMAL:
            return AxiomAnswer(axiom, Verdict.UNDECIDED, "it is open whether any weights are right")
        u = self.within.floats
        inverted = sorted((x for x in asked if place[x[0]] > place[x[1]]), key=lambda x: u[x[0]] - u[x[1]])
        near = {frozenset(x) for x in asked if abs(u[x[0]] - u[x[1]]) <= APART}
        for i, j in dict.fromkeys([*inverted, *(x for x in asked if frozenset(x) in near)]):
            if len(near) + len(inverted) > _MOST_PAIRS and not self.proved:
                break
            costs = {x: self.a[x[0]][x[1]] for x in ((i, j), (j, i)) if self.a[x[0]][x[1]]}
            better = (i, j, *(k for k in self.order if k not in (i, j)))
            witness = self.accepted(costs, better, [(j, i)], axiom, possible.x)
            if witness is not None:
                who = "everyone who compares them prefers" if not self.a[j][i] else "a majority prefers"
                which = "whatever comes near the infimum of W" if witness.verified.every else "a minimizer"
                tied, (above, below) = witness.verified.failure == TIE, (self.names[i], self.names[j])
                how = "ties them" if tied else f"puts {below} above {above}"
                text = f"{who} {above} to {below}, yet {which} {how}"
                return AxiomAnswer(axiom, Verdict.INCONSISTENT, text, "loss", possible.x, witness=witness)
        few = not near and len(asked) <= _MOST_PAIRS
        if not inverted and (self.proved or (few and all(map(self._is_proved, asked)))):
            text = f"all {len(asked)} pairs that it covers are proved to be in order"
            return AxiomAnswer(axiom, Verdict.CONSISTENT, text)
        return AxiomAnswer(axiom, Verdict.UNDECIDED, "the order of some of its pairs could not be proved")

    def _is_proved(self, pair: Pair) -> bool:
        better = (*pair, *(k for k in self.order if k not in pair))
        return self.accepted({pair: Fraction(1)}, better, [pair], ORDER) is not None

    def _impossible(self, axiom: str, asked: Sequence[Pair], y: Sequence[Fraction]) -> AxiomAnswer:
        """No w is right: the core checks the multipliers."""
        rows = [list(map(rational_text, row)) for row in system(self.rows, asked)]
        entry: Entry = {"rows": rows, "right": ["-1"] * len(asked), "y": list(map(rational_text, y))}
        proof = {"claim": "infeasible", "systems": [{**entry, "equal_rows": [], "equal_right": [], "z": []}]}
        document = sealed(proof, {}, self.provenance)
        verify(document)
        used = tuple((self.names[i], self.names[j], x) for (i, j), x in zip(asked, y, strict=True) if x)
        text = f"no weights put all {len(asked)} pairs that it covers in order: the class is to blame"
        return AxiomAnswer(axiom, Verdict.CONSISTENT, text, "class", multipliers=used, proof=document)

    def accepted(
        self,
        costs: Costs,
        better: Order,
        forced: Sequence[Pair],
        axiom: str,
        right: Sequence[Fraction] | None = None,
    ) -> Witness | None:
        """The first proof that the core accepts, by separation, or for an axiom of pairs at a tie."""
        named = graphs_entry(self.surrogate, self.seen)
        rows = {item: list(map(rational_text, row)) for item, row in zip(self.names, self.rows, strict=True)}
        about: Entry = {"rows": rows, "axiom": axiom, "graphs": named.pop("graphs")}
        if right is not None:
            about["right"] = list(map(rational_text, right))
        named = {**named, "features": about, "conditions": {}}
        for proof in self.within.proofs(costs, self.names, better, forced, tie=axiom in AXIOMS[1:]):
            with suppress(InputError, RejectedError):
                return Witness.of(sealed(proof, named, self.provenance))
        return None


def cheaper(
    rows: Sequence[Sequence[Fraction]], a: Sequence[Sequence[Fraction]], order: Order
) -> tuple[Order, tuple[Fraction, ...]] | None:
    """An order of least cost among those that some w sorts strictly, with w; None if `order` has it."""
    costs = {(i, j): x for i, row in enumerate(a) for j, x in enumerate(row) if x}
    best, found, programs, m = cost(costs, order), None, 0, len(rows)
    stack_: list[tuple[Order, Fraction]] = [((), Fraction(0))]
    while stack_:
        head, paid = stack_.pop()
        rest = [k for k in range(m) if k not in head]
        least = sum((min(a[i][j], a[j][i]) for i, j in combinations(rest, 2)), Fraction(0))
        if paid + least >= best:
            continue
        weights: tuple[Fraction, ...] = ()
        if head:
            programs += 1
            if programs > _MOST_PROGRAMS:
                raise UnsupportedError(
                    f"weights give too many orders: {_MOST_PROGRAMS} linear programs were not enough"
                )
            solved = ordering(rows, [*pairwise(head), *((head[-1], k) for k in rest)])
            if solved.status is LPStatus.UNDECIDED:
                raise UnsupportedError("a linear program about the orders of the class was not solved")
            if solved.status is LPStatus.INFEASIBLE:
                continue
            weights = solved.x
        if len(rest) <= 1 and head:
            best, found = paid, ((*head, *rest), weights)
            continue
        steps = [((*head, k), paid + sum((a[j][k] for j in rest), Fraction(0))) for k in rest]
        stack_ += sorted(steps, key=lambda step: -step[1])
    return found


# --- A search for a profile that fails -------------------------------------------------------------------


def _searched(
    surrogate: Surrogate, features: Features, axioms: Sequence[str], command: str
) -> FeaturesDecision:
    """Profiles of ever more rankings, all of so many at once: floats propose, and what fails is proved."""
    names = tuple(features.rows)
    if "best" in axioms:
        raise InputError("a search is for pareto or majority; for best, give a profile too")
    if not 2 <= len(names) <= _RANKED:
        raise InputError(f"a search takes 2 to {_RANKED} items, and there are {len(names)}; give a profile")
    if type(surrogate) is not EdgeSurrogate or kind_of(surrogate.phi) is not Kind.SMOOTH:
        raise UnsupportedError("a search is for smooth losses of pairs, such as logistic; give a profile")
    m, rows = len(names), features.of(names)
    pairs, orders = list(permutations(range(m), 2)), list(permutations(range(m)))
    won = np.array([[order.index(i) < order.index(j) for i, j in pairs] for order in orders], dtype=np.int64)
    chart = Chart.of(rows)
    terms = [chart.term(pair(Fraction(1), surrogate.phi, i, j), None) for i, j in pairs]
    moving = [k for k, term in enumerate(terms) if term.v]
    structure, C = stack([[terms[k]] for k in moving], len(chart.basis))
    solver, back = NewtonSolver(structure), np.array([[float(x) for x in row] for row in chart.weights])
    searched, voters, tried, n = 0, 0, 0, factorial(m)
    while moving and searched + comb(n + voters, voters + 1) <= _MOST_PROFILES and tried < _MOST_TRIED:
        voters += 1
        chosen = np.array(list(combinations_with_replacement(range(n), voters)))
        searched += len(chosen)
        counts, first = np.unique(won[chosen].sum(axis=1), axis=0, return_index=True)
        u = solver.solve(counts[:, moving] @ C, 1e-10, 200).scores @ back.T
        against = counts[:, [pairs.index((j, i)) for i, j in pairs]]
        for axiom in axioms:
            asked = (counts > against) & (against == 0) if axiom == "pareto" else counts > against
            wrong = np.array([u[:, i] < u[:, j] - APART for i, j in pairs]).T & asked
            for row in np.flatnonzero(wrong.any(axis=1))[:_MOST_TRIED]:
                listed = [pair_ for pair_, is_asked in zip(pairs, asked[row], strict=True) if is_asked]
                if ordering(rows, listed).status is not LPStatus.OPTIMAL:
                    continue
                ballots = [orders[k] for k in chosen[first[row]]]
                graphs = [dict.fromkeys(combinations(ballot, 2), 1) for ballot in ballots]
                p = Distribution.of(names, [(Fraction(1, voters), graph) for graph in graphs])
                told = "; ".join(" > ".join(names[k] for k in ballot) for ballot in ballots)
                note = f"found among all profiles of {voters} rankings: {told}"
                tried += 1
                decision = _Case(surrogate, features, p, (note,), command).decided([axiom])
                if decision.verdict is Verdict.INCONSISTENT:
                    return decision
    text = f"no failure was found at {searched} profiles of up to {voters} rankings, which proves nothing"
    answers = tuple(AxiomAnswer(axiom, Verdict.UNDECIDED, text) for axiom in axioms)
    return FeaturesDecision(surrogate, features, None, answers)
