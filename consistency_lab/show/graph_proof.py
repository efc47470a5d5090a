"""A witness about preference graphs as a proof in plain text, section by section."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import permutations
from math import inf
from typing import Final

from consistency_lab.certify.addition import sides
from consistency_lab.certify.minimizers import holds_of_every_minimizer
from consistency_lab.certify.witness import Witness
from consistency_lab.core.addition import GAP, Addition
from consistency_lab.core.certificates import Bound, Minimum, Separation
from consistency_lab.core.document import STRICT
from consistency_lab.core.inequalities import Face, Slot
from consistency_lab.core.risk import Bracket, Slope, conjugate
from consistency_lab.frozen import frozen_with_cache
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.model.surrogates import FAMILIES, Term
from consistency_lab.model.surrogates.families import SLOPE
from consistency_lab.numbers.balls import ball
from consistency_lab.numbers.exact import Ball, enclose, working_precision
from consistency_lab.numbers.phi import Expression, convexity_proof, enclose_value, exact_slopes
from consistency_lab.show.text import (
    Blocks,
    Line,
    chain,
    combination,
    guarded,
    listed,
    number,
    paragraph,
    quoted,
    score,
    score_rows,
    short,
    tabular,
    ticked,
    tight,
    with_names,
)
from consistency_lab.solve.stationary import argument

# --- What the sections of a proof about preference graphs speak of: an accepted witness, read once -------


_SHOWN: Final = 12
"""More graphs than this are left to the file."""


@frozen_with_cache
class GraphWitness:
    """An accepted witness."""

    witness: Witness  #: The witness.

    @property
    def named(self) -> Mapping[str, str]:
        """The entry for the surrogate in the file."""
        surrogate: Mapping[str, str] = self.witness.document["named"].get("surrogate", {})
        return surrogate

    @property
    def names(self) -> tuple[str, ...]:
        """The items, in a sentence."""
        return tuple(map(guarded, self.witness.distribution.items))

    @property
    def quoted(self) -> tuple[str, ...]:
        """The items, in a formula."""
        return tuple(map(quoted, self.names))

    @cached_property
    def d(self) -> tuple[tuple[Fraction, ...], ...]:
        """a_ij - a_ji."""
        return tuple(map(tuple, self.witness.distribution.difference))

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """The edges of the difference graph."""
        return tuple((i, j) for i, row in enumerate(self.d) for j, x in enumerate(row) if x > 0)

    @cached_property
    def letters(self) -> Mapping[Expression, str]:
        """What each scalar function is called: phi, and r where it regularizes; -x needs no name."""
        functions = list(dict.fromkeys(term.phi for term in self.witness.terms if term.phi != SLOPE))
        letter = "r" if self.named.get("family") == "linear" else "φ"
        if len(functions) == 1:
            return {functions[0]: letter}
        return {phi: f"{letter}{number}" for number, phi in enumerate(functions, start=1)}

    def edge(self, i: int, j: int) -> str:
        """The edge by the names of its ends."""
        return tight(f"`{self.quoted[i]} → {self.quoted[j]}`")

    def order(self, order: Iterable[int]) -> str:
        """An order, best item first."""
        return f"`{chain(self.quoted, order)}`"

    def score(self, i: int) -> str:
        """alpha_i."""
        return score(self.names[i])

    def argument(self, term: Term) -> str:
        """<v, alpha> - b in words, the positive part first."""
        text = combination((Fraction(n), self.score(i)) for i, n in reversed(_positive_last(term)))
        if term.b.sign() == 0:
            return text
        offset = f"({term.b})" if term.b.a and term.b.q != 1 else short(term.b)
        return f"{text} + {short(-term.b)}" if term.b.sign() < 0 and term.b.q == 1 else f"{text} - {offset}"

    def weighted(self, term: Term) -> str:
        """The coefficient, unless it is 1, and the summand."""
        return f"{'' if term.c == 1 else f'{short(term.c)}·'}{self.summand(term)}"

    def summand(self, term: Term) -> str:
        """Phi of the argument."""
        if term.phi == SLOPE:
            turned = combination((Fraction(-n), self.score(i)) for i, n in _positive_last(term))
            return tight(f"({turned})")
        return tight(f"{self.letters[term.phi]}({self.argument(term)})")


def _positive_last(term: Term) -> list[tuple[int, int]]:
    return sorted(term.v, key=lambda entry: (entry[1] > 0, -entry[0]))


# --- Why the scores are a minimizer, or why W is larger on a half-space: the certificate in words --------

_BITS: Final = 256
_DIGITS: Final = 12
_GAP_DIGITS: Final = 6
_LONGEST: Final = 12
_HALVES: Final = 6
"""More half-spaces than this are left to the file."""


def minimum(case: GraphWitness) -> Iterator[Line]:
    """The section."""
    certificate = case.witness.proof.certificate
    if isinstance(certificate, Addition):
        yield from _addition(case, certificate)
    elif isinstance(certificate, Separation):
        yield from _separation(case, certificate)
    elif isinstance(certificate, Minimum):
        direction = case.witness.proof.direction
        if any(direction):
            way = ", ".join(f"{name} {ticked(str(d))}" for name, d in zip(case.names, direction, strict=True))
            yield from paragraph(
                f"Along the direction {way} `W` falls to its infimum: the terms that move fall to theirs, "
                "and the slopes of the others add up to zero at every item."
            )
        else:
            yield from _stationary(case, _numbers(certificate.slopes))


def _addition(case: GraphWitness, certificate: Addition) -> Iterator[Line]:
    yield from paragraph(
        "With `n_ij = a_ij + a_ji` and `N_i = sum_k (a_ik - a_ki)`, `W` is larger than its infimum by some "
        "gap wherever `i` is not above `j` (docs/theory.md, Orders by addition) if for a factor `λ` and all "
        "other `k`: `λ N_i - N_j > sum_k |λ n_ik - n_jk|` (gap); or `a_ij > a_ji`, `λ a_ik ≥ a_jk` and `λ "
        "a_ki ≤ a_kj` (domination)."
    )
    a = case.witness.distribution.aggregate
    rows = [["`i`", "`j`", "rule", "`λ`", "`λ N_i - N_j`", "the sum"]]
    for pair in certificate.pairs[:_HALVES]:
        told = (ticked(number(x)) for x in sides(a, pair)) if pair.rule == GAP else ("", "")
        factor = "infinite" if pair.factor == inf else ticked(number(Fraction(pair.factor)))
        rows.append([case.names[pair.above], case.names[pair.below], pair.rule, factor, *told])
    yield from tabular(rows, indent=5)
    if len(certificate.pairs) > _HALVES:
        yield from paragraph(f"The file has {len(certificate.pairs) - _HALVES} more pairs.")


def _numbers(slopes: Sequence[Slope]) -> list[Fraction]:
    """The slopes of terms, which are single numbers."""
    return [slope for slope in slopes if isinstance(slope, Fraction)]


def _stationary(case: GraphWitness, slopes: Sequence[Fraction]) -> Iterator[Line]:
    yield from paragraph(
        "`W` is convex, so it is least where 0 is one of its subgradients. The slopes at the scores are:"
    )
    yield from _about_slopes(case)
    rows = [["term", "its argument", "slope there", "slope × coefficient"]]
    for term, slope in zip(case.witness.terms, slopes, strict=True):
        at = argument(term, case.witness.scores)
        left, right = exact_slopes(term.phi, at)
        chosen = (
            ticked(str(slope)) if left == right else f"{ticked(str(slope))}, chosen in `[{left}, {right}]`"
        )
        rows.append([f"`{case.weighted(term)}`", ticked(short(at)), chosen, ticked(str(term.c * slope))])
    yield from tabular(rows, indent=5)
    yield from paragraph("The derivative of `W` along each score is then exactly zero:")
    yield from _balance(case, slopes)
    yield from paragraph("So the scores minimize `W`.")


def _separation(case: GraphWitness, certificate: Separation) -> Iterator[Line]:
    bounds = certificate.bounds
    halves = [f"`{{{case.score(b.below)} ≥ {case.score(b.above)}}}`" for b in bounds]
    where = f"in the half-space {halves[0]}" if len(halves) == 1 else f"in the union of {listed(halves)}"
    if case.witness.inconsistent:
        ranked = [f"{case.names[b.below]} above {case.names[b.above]}" for b in bounds]
        yield from paragraph(
            f"Every order that costs no more than {case.order(case.witness.better)} ranks "
            f"{listed(ranked, 'or')}, so `A(p)` lies {where}."
        )
    else:
        ranked = [f"{case.names[b.above]} above {case.names[b.below]}" for b in bounds]
        yield from paragraph(
            f"Every order that ranks {listed(ranked)} is optimal, so scores outside `A(p)` lie {where}."
        )
    yield from paragraph(
        "If slopes `s_t` satisfy `sum_t c_t s_t v_t = λ w` with `λ ≥ 0`, then by convexity "
        "`W(α) ≥ D := -sum_t c_t (s_t b_t + φ*(s_t))` wherever `⟨w, α⟩ ≥ 0`. Two points `x_l ≤ x_r` whose "
        "slopes enclose `s` bound the conjugate: `φ*(s) ≤ s x_l - φ(x_l) + (s - φ'(x_l)) (x_r - x_l)`."
    )
    yield from _about_slopes(case)
    if certificate.common is None:
        with working_precision(_BITS):
            at_scores = enclose(0)
            for term in case.witness.terms:
                at_scores += enclose(term.c) * enclose_value(term.phi, argument(term, case.witness.scores))
            for half, bound in zip(halves[:_HALVES], bounds[:_HALVES], strict=True):
                yield from _bound(case, half, bound, at_scores)
    else:
        yield from paragraph(
            "The slopes of the file add up to zero at every item and are attained near the scores: what they "
            "lose there, `c_t (φ(x_t) + φ*(s_t) - s_t x_t)` with `x_t = ⟨v_t, scores⟩ - b_t`, is at most "
            "`c_t r_t (φ'(x_t + r_t) - φ'(x_t - r_t))`. Each bound changes the slopes of a few terms alone. "
            "It exceeds `W(scores)` by `λ` times the difference of the two scores, less all that is lost."
        )
        for half, bound in zip(halves[:_HALVES], bounds[:_HALVES], strict=True):
            yield from paragraph(f"On {half} these slopes are changed:")
            terms = [case.witness.terms[t] for t in bound.terms or ()]
            yield from _dual_table(case, terms, bound.slopes, bound.brackets)
    if len(bounds) > _HALVES:
        yield from paragraph(f"The file has the same for {len(bounds) - _HALVES} more half-spaces.")
    gap = case.witness.document["proof"]["certificate"]["gap"]
    yield from paragraph(f"So `W` is larger there than at the scores, by at least {gap} (the gap).")


def _about_slopes(case: GraphWitness) -> Iterator[Line]:
    if any(term.phi == SLOPE for term in case.witness.terms):
        yield from paragraph(
            "A term `(α_j - α_i)` is `φ(x) = -x` at `x = α_i - α_j`: slope `-1`, and `φ*(-1) = 0`."
        )


def _dual_table(
    case: GraphWitness, terms: Sequence[Term], slopes: Sequence[Slope], brackets: Sequence[Bracket]
) -> Iterator[Line]:
    rows = [["term", "slope `s`", "`x_l`", "`x_r`"]]
    for term, slope, bracket in zip(terms, _numbers(slopes), brackets, strict=True):
        ends = ("", "") if bracket is None else (ticked(short(x)) for x in bracket)
        rows.append([f"`{case.weighted(term)}`", ticked(short(slope)), *ends])
    yield from tabular(rows, indent=5, right=[1, 2, 3])


def _bound(case: GraphWitness, half: str, bound: Bound, at_scores: Ball) -> Iterator[Line]:
    slopes = _numbers(bound.slopes)
    multiplier = sum(_entries(case, slopes, bound.below), Fraction(0))
    yield from paragraph(f"On {half}, with `λ = {short(multiplier)}`:")
    pairs = zip(case.witness.terms, bound.brackets, strict=True)
    brackets = [None if term.phi == SLOPE else bracket for term, bracket in pairs]
    yield from _dual_table(case, case.witness.terms, slopes, brackets)
    dual = enclose(0)
    for term, slope, bracket in zip(case.witness.terms, slopes, brackets, strict=True):
        most = enclose(0) if term.phi == SLOPE else ball(conjugate(term.phi, slope, bracket, _BITS))
        dual -= enclose(term.c) * (enclose(slope) * term.b.ball() + most)
    yield from _balance(case, slopes)
    yield from paragraph(
        f"`D ≈ {_digits(dual, _DIGITS)}` and `W(scores) ≈ {_digits(at_scores, _DIGITS)}`, "
        f"so `D - W(scores) ≈ {_digits(dual - at_scores, _GAP_DIGITS)}`.",
        5,
        2,
    )


def _digits(value: Ball, digits: int) -> str:
    return str(value.mid().str(digits, radius=False))


def _balance(case: GraphWitness, slopes: Sequence[Fraction]) -> Iterator[Line]:
    """The sum of c s v at each item, entry by entry."""
    rows = [(name, _entries(case, slopes, item)) for item, name in enumerate(case.names)]
    long = any(len(short(x)) > _LONGEST for _, entries in rows for x in entries)
    width = max(len(name) for name, _ in rows)
    for name, entries in rows:
        of = short(sum(entries, Fraction(0)))
        added = " + ".join(f"{'-' * (x < 0)}{short(abs(x))}" for x in entries).replace("+ -", "- ") or "0"
        text = f"{len(entries)} terms, exactly {ticked(of)}" if long else f"`{added} = {of}`"
        yield from paragraph(f"at {name.ljust(width)}  {text}", 5, width + 5)


def _entries(case: GraphWitness, slopes: Sequence[Fraction], item: int) -> list[Fraction]:
    """The summands of sum_t c_t s_t v_t at one item."""
    return [
        term.c * slope * n
        for term, slope in zip(case.witness.terms, slopes, strict=True)
        for place, n in term.v
        if place == item
    ]


# --- What the certificate means for the ranking ----------------------------------------------------------


def failure(case: GraphWitness) -> Iterator[Line]:
    """The wrong pairs and the regret; or that the order is right."""
    witness, verified = case.witness, case.witness.verified
    if not witness.inconsistent:
        yield from paragraph(
            "Every order that keeps these pairs is optimal, so wherever the order is wrong `W` is larger "
            f"than {'at the scores, by at least the gap' if witness.scores else 'its infimum, by some gap'}: "
            "at this distribution the surrogate is right. This says nothing about other distributions."
        )
        return
    prediction, better = map(case.order, (witness.prediction, witness.better))
    if witness.wrong_pairs:
        yield from paragraph(f"Every optimal order keeps these pairs, and {prediction} does not:")
    else:
        yield from paragraph(
            "Each pair is right in some optimal order, but the order as a whole is not optimal."
        )
    for i, j in witness.wrong_pairs:
        sign = "=" if witness.scores and witness.scores[i] == witness.scores[j] else "<"
        told = f"preferred by {ticked(number(case.d[i][j]))}, yet `{case.score(i)} {sign} {case.score(j)}`"
        yield from paragraph(f"{case.edge(i, j)}, {told}", 5, 2)
    if verified.failure == STRICT:
        of = "this is proved for this minimizer, not for every minimizer."
        if holds_of_every_minimizer(verified):
            of = "every minimizer of `W`, and whatever nearly minimizes it, is wrong too."
        yield from paragraph(
            "This is a strict inversion: whichever way ties in the scores are broken, "
            f"the order is not optimal; {of}"
        )
    else:
        yield from paragraph(
            f"This is a tie: an order that breaks it is wrong, such as {prediction}. Scores of that order "
            "come as near to these as one likes, and `W` with them as near to its infimum, so the infimum "
            "of `W` over the scores outside `A(p)` is that of `W` (DMJ10 Definition 2)."
        )
    yield from paragraph(
        f"The regret of {prediction} is `{short(witness.loss)} - {short(witness.loss - verified.regret)} = "
        f"{number(verified.regret)}`, a share of {ticked(number(witness.normalized_regret))} of the weight "
        f"of all preferences; {better} is better."
        + (
            f" Whatever comes near the infimum of `W` loses at least {ticked(number(verified.least_regret))}."
            if verified.every and verified.least_regret is not None
            else ""
        )
    )
    conditions = listed([name for name, holds in verified.conditions.items() if holds])
    yield from paragraph(
        f"So {guarded(verified.called)} is INCONSISTENT under every condition that holds here: {conditions}."
    )


# --- What the target loss sees of the distribution, and which orders are optimal -------------------------


def target(case: GraphWitness) -> Iterator[Line]:
    """Aggregate, difference graph, optimal orders and why they are."""
    a, names = case.witness.distribution.aggregate, case.names
    yield from paragraph("Aggregate `a_ij = sum over G of p_G a^G_ij` (row `i` preferred to column `j`):")
    head, *rows = with_names(a, names)
    yield Blocks((tuple(head), *((name, *map(ticked, row)) for name, *row in rows)), 5)
    yield from paragraph("Difference graph (`i → j` where `d_ij = a_ij - a_ji > 0`, with `d_ij`):")
    edges = ", ".join(_weighted(case, i, j) for i, j in case.edges) or "no edge"
    yield from paragraph(edges, 5, 2)
    optimum = case.witness.optimum
    order = case.order(case.witness.better)
    floor = sum((min(a[i][j], a[j][i]) for i in range(len(names)) for j in range(i)), Fraction(0))
    cycle = cycle_of(case)
    if cycle is None:
        yield from paragraph(
            "An order that ranks `j` above `i` costs `a_ij`, so every order costs at least "
            f"`sum over pairs of min(a_ij, a_ji) = {number(floor)}`, "
            "with equality if and only if `i` is above `j` for every edge `i → j`."
        )
        yield from paragraph(
            "The difference graph has no cycle, so such orders exist: the optimal orders are those that keep "
            f"all its edges, {_count(optimum.count(), order)}"
        )
    else:
        yield from paragraph(
            f"An order that ranks `j` above `i` costs `a_ij`. The difference graph has the cycle "
            f"{_path(case, cycle)}, so no order keeps all its edges."
        )
        place = {item: n for n, item in enumerate(case.witness.better)}
        broken = [_weighted(case, i, j) for i, j in case.edges if place[i] > place[j]]
        yield from paragraph(
            f"The least loss of all `{len(names)}!` orders (found by going through all `2^{len(names)}` sets "
            f"of items) is {ticked(number(optimum.loss))}, attained by {_count(optimum.count(), order)}"
        )
        if broken:
            yield from paragraph(f"It gives up {listed(broken)}.")


def cycle_of(case: GraphWitness) -> list[int] | None:
    """A cycle of the difference graph, its first item again at the end, along the edges; None if acyclic."""
    before: dict[int, list[int]] = {}
    for i, j in case.edges:
        before.setdefault(j, []).append(i)
    try:
        TopologicalSorter(before).prepare()
    except CycleError as error:
        return list(error.args[1])
    return None


def _path(case: GraphWitness, items: Iterable[int]) -> str:
    return f"`{' → '.join(case.quoted[i] for i in items)}`"


def _count(orders: int, order: str) -> str:
    return f"one order: {order}." if orders == 1 else f"{orders} orders, one of them {order}."


def _weighted(case: GraphWitness, i: int, j: int) -> str:
    return tight(f"{case.edge(i, j)} ({ticked(short(case.d[i][j]))})")


# --- Which noise conditions hold, each with its reason ---------------------------------------------------


def noise(case: GraphWitness) -> Iterator[Line]:
    """One line a condition."""
    longest = max(map(len, case.witness.verified.conditions))
    for name, holds in case.witness.verified.conditions.items():
        word = "holds" if holds else "fails"
        reason = _REASONS[name](case) if name in _REASONS else f"`{CONDITIONS[name].words}`"
        yield from paragraph(f"{name.ljust(longest)}  {word}: {reason}", 3, longest + 2)


def _d(case: GraphWitness, i: int, j: int) -> str:
    return f"d({case.quoted[i]},{case.quoted[j]}) = {short(case.d[i][j])}"


def _additive(case: GraphWitness) -> str:
    d, everyone = case.d, range(len(case.names))
    for i in everyone:
        for j in everyone:
            if d[i][j] != d[i][0] - d[j][0]:
                via = f"d({case.quoted[i]},{case.quoted[0]}) - d({case.quoted[j]},{case.quoted[0]})"
                return f"`{_d(case, i, j)}`, but `{via} = {short(d[i][0] - d[j][0])}`"
    lowest = min(row[0] for row in d)
    values = ", ".join(short(row[0] - lowest) for row in d)
    return f"`d_ij = y_i - y_j` for all pairs with `y = ({values})`"


def _low_noise(case: GraphWitness) -> str:
    d, everyone = case.d, range(len(case.names))
    paths = [
        (d[i][k] - d[i][j] - d[j][k], i, j, k)
        for i, j, k in permutations(everyone, 3)
        if d[i][j] > 0 and d[j][k] > 0
    ]
    if not paths:
        return "no two edges follow each other"
    slack, i, j, k = min(paths)
    sign = "≥" if slack >= 0 else "<"
    sum_of = f"{short(d[i][j])} + {short(d[j][k])}"
    closest = f"along {_path(case, (i, j, k))}, `{_d(case, i, k)} {sign} {sum_of}`"
    if slack < 0:
        return closest
    return f"{closest}" + (f", the tightest of {len(paths)} paths of two edges" if len(paths) > 1 else "")


def _net_order(case: GraphWitness) -> str:
    nets = [sum(row, Fraction(0)) for row in case.d]
    for i, k in case.edges:
        if nets[i] <= nets[k]:
            return (
                f"{case.edge(i, k)} is an edge, but the net preference of {case.names[i]} is "
                f"{ticked(short(nets[i]))} and that of {case.names[k]} is {ticked(short(nets[k]))}"
            )
    values = ", ".join(f"{name} {ticked(short(net))}" for name, net in zip(case.names, nets, strict=True))
    return f"the net preferences `sum_j d_ij` fall along every edge ({values})"


def _acyclic(case: GraphWitness) -> str:
    cycle = cycle_of(case)
    if cycle is not None:
        return f"the difference graph has the cycle {_path(case, cycle)}"
    before: dict[int, list[int]] = {i: [] for i in range(len(case.names))}
    for i, j in case.edges:
        before[j].append(i)
    order = TopologicalSorter(before).static_order()
    return f"every edge of the difference graph goes to the right in {case.order(order)}"


_REASONS: Final[Mapping[str, Callable[[GraphWitness], str]]] = {
    "additive": _additive,
    "low-noise": _low_noise,
    "net-order": _net_order,
    "acyclic": _acyclic,
    "any": lambda _: "it asks for nothing",
}


# --- The items and the preference graphs -----------------------------------------------------------------


def preferences(case: GraphWitness) -> Iterator[Line]:
    """The graphs, the most probable first if there are many."""
    p = case.witness.distribution
    graphs = list(enumerate(zip(p.probabilities, p.graphs, strict=True), start=1))
    yield from paragraph(f"{len(case.names)} items: {listed(case.names)}.")
    some = f"{len(graphs)} preference graph{'s' if len(graphs) > 1 else ''}"
    if len(graphs) > _SHOWN:
        graphs = sorted(graphs, key=lambda one: -one[1][0])[:_SHOWN]
        some += f"; the {_SHOWN} most probable ones"
    yield from paragraph(f"{some} (edges with their weights):")
    for g, (probability, graph) in graphs:
        edges = (
            ", ".join(f"{case.edge(i, j)}{tight(' ')}({ticked(short(w))})" for i, j, w in graph) or "no edge"
        )
        yield from paragraph(f"G{g} with probability {ticked(str(probability))}: {edges}", 5, 2)


# --- The conditional risk with its numbers put in, and the scores ----------------------------------------


def risk(case: GraphWitness) -> Iterator[Line]:
    """The formula, W term by term, the scores and their order."""
    family = next((one for one in FAMILIES.values() if one.name == case.named.get("family")), None)
    formula = "a loss of one's own, known by its terms alone"
    if family is not None:
        said = {key: guarded(str(value)) for key, value in case.named.items()}
        formula = f"`{(family.proof or family.formula).format_map(said)}` ({family.citation})"
    yield from paragraph(f"Surrogate {guarded(case.witness.verified.called)}: {formula}.")
    for phi, letter in case.letters.items():
        yield from paragraph(f"`{letter}(x) = {phi}`, convex ({convexity_proof(phi)}).")
    sum_text = " + ".join(map(case.weighted, case.witness.terms))
    yield from paragraph(f"`W(α) = {sum_text}`", 3, 7)
    scores, witness = case.witness.scores, case.witness
    if scores:
        yield from paragraph("Scores:")
        yield from score_rows(map(case.score, range(len(scores))), scores)
    tied = len(set(scores)) < len(scores)
    how = "With their ties broken one way they order" if tied else "They order"
    how = how if scores else "No scores are stated; what the certificate proves lets sorting order"
    yield from paragraph(
        f"{how} the items {case.order(witness.prediction)}, at the loss "
        f"{ticked(number(witness.loss))}; the least loss is {ticked(number(witness.optimum.loss))}."
    )


# --- The proof that no convex phi with phi'(0) < 0 is right, in words ------------------------------------


def universal(case: GraphWitness) -> Iterator[Line]:
    """The statement, and for each group of faces its multipliers; nothing if the file claims nothing."""
    claim = case.witness.proof.universal
    if claim is None:
        return
    order = " > ".join(map(case.score, range(len(case.names))))
    yield from paragraph(
        "Replace `φ` by any convex function with `φ'(0) < 0` (and Assumption A, so that the minimum is "
        f"attained). The one optimal order asks for `{order}`. Suppose a minimizer `α` had that order. Write "
        "`g_ij` for a slope of `φ` at `α_i - α_j`, and `g_0` for one at 0. At a minimizer, for every item "
        "`i`,"
    )
    yield from paragraph(
        "`B_i := sum_j (h_ij g_ij - h_ji g_ji) = 0`,   with `h_ij` the coefficients of `W` above,", 5
    )
    yield from paragraph(
        "and slopes of a convex function do not fall: smaller argument, smaller or equal slope. How the "
        "arguments compare depends on `α`; for each way in which they can, the multipliers below combine "
        "these facts into `g_0 ≥ 0`, which contradicts `φ'(0) < 0`. So no minimizer of `W` is in `A(p)`."
    )
    for n, face in enumerate(claim, start=1):
        yield from _face(case, n, face)


def _face(case: GraphWitness, n: int, face: Face) -> Iterator[Line]:
    comparisons = [f"`{_argument(case, low)} < {_argument(case, high)}`" for low, high, _ in face.monotone]
    yield from paragraph(f"Case {n}: " + ", ".join(comparisons), 5, 2)
    balance = combination((y, f"B_{name}") for y, name in zip(face.balance, case.quoted, strict=True))
    rises = combination(
        (z, f"({_slope(case, high)} - {_slope(case, low)})") for low, high, z in face.monotone
    )
    yield from paragraph(f"identically in `g`:  `{balance} + {rises} = g_0`", 7, 2)


def _argument(case: GraphWitness, slot: Slot) -> str:
    return "0" if slot is None else f"{case.score(slot[0])} - {case.score(slot[1])}"


def _slope(case: GraphWitness, slot: Slot) -> str:
    if slot is None:
        return "g_0"
    i, j = (case.names[k] for k in slot)
    return f"g_{quoted(i + j)}" if len(i) == len(j) == 1 else f"g[{quoted(i)},{quoted(j)}]"


ON_GRAPHS: Final[tuple[tuple[str, Callable[[GraphWitness], Iterator[Line]]], ...]] = (
    ("Distribution", preferences),
    ("What the target loss asks for", target),
    ("Noise conditions", noise),
    ("The surrogate's risk and the scores", risk),
    ("The certificate", minimum),
    ("What follows", failure),
    ("Every convex `phi` at once", universal),
)
"""What is said where labels are preferences and the risk is a sum of terms."""
