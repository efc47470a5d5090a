"""The words of the field, each with an example of three items that is computed when it is shown."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from fractions import Fraction
from itertools import permutations
from types import MappingProxyType
from typing import Final

from consistency_lab.errors import InputError, did_you_mean
from consistency_lab.frozen import frozen
from consistency_lab.report.text import Line, paragraph

#: How often the row is preferred to the column, for A, B and C: the failure that the README shows first.
EXAMPLE: Final = ((0, 3, 8), (0, 0, 1), (4, 0, 0))


@frozen
class Term:
    """A word, what it means, where docs/theory.md defines it, and what it is in the example."""

    name: str
    meaning: str
    section: str
    #: The example with {facts} of `facts`; "" if the meaning says it all.
    example: str = ""
    others: tuple[str, ...] = ()  #: Other spellings.


TERMS: Final = (
    Term(
        "A(p)",
        "the scores whose order has the least target loss at p",
        "Target loss",
        "The order {optimal} contradicts {least} preferences, the fewest: A(p) has the scores so ordered.",
        ("A",),
    ),
    Term(
        "acyclic",
        "the majorities have no cycle",
        "Noise conditions",
        "A beats B, A beats C and B beats C: no cycle. Then A(p) are the scores that agree with "
        "every majority.",
    ),
    Term(
        "addition",
        "a proof, by sums of whole-number counts and without scores, that one item is above another",
        "Orders by addition",
        "Addition proves {added}, near the infimum of the logistic risk.",
    ),
    Term(
        "additive",
        "d_ij = y_i − y_j for some grades y; the narrowest of the usual noise conditions",
        "Noise conditions",
        "d_AB + d_BC = {dAB} + {dBC} = {dAC} = d_AC, so the differences are additive.",
    ),
    Term(
        "aggregate a, differences d",
        "a_ij: the mean preference for i over j; d_ij = a_ij − a_ji",
        "Target loss",
        "a_AC = 8 and a_CA = 4, so d_AC = {dAC}.",
        ("aggregate", "differences", "difference"),
    ),
    Term("Assumption A", "φ'_inf(1) ≥ 0 or φ'_inf(−1) = ∞", "Attainment"),
    Term(
        "balanced",
        "all pairs are compared equally often",
        "Designs",
        "n_AB = {nAB}, n_AC = {nAC}, n_BC = {nBC}: not balanced, and that is what misleads the "
        "logistic loss.",
    ),
    Term(
        "Borda",
        "ordering items by net preference N_i, as the linear loss does",
        "Noise conditions",
        "N_A = {NA}, N_B = {NB}, N_C = {NC}: Borda's order is {borda}, the right one.",
    ),
    Term(
        "Bradley-Terry",
        "a_ij : a_ji = w_i : w_j for some strengths w; the model behind the logistic loss",
        "Designs",
        "a_AB : a_BA = 3 : 0 is no ratio of two positive strengths: the model does not hold.",
        ("BTL", "bradley-terry-luce"),
    ),
    Term(
        "calibrated",
        "RAT13's word for consistent at every p: near the infimum of the surrogate risk, "
        "the decoded prediction is optimal",
        "Prediction tasks",
        "Sorting the logistic scores returns {learned}, where {optimal} is optimal: not calibrated.",
    ),
    Term(
        "certificate",
        "the part of a witness that proves what the scores do: *minimum*, *separation*, "
        "*addition*, *mean* or *equilibrium*",
        "Separation, Stationary points",
    ),
    Term(
        "chamber",
        "the scores of one strict order of the items",
        "Consistency",
        "Three items have six chambers; the logistic scores lie in that of {learned}.",
    ),
    Term(
        "circulation",
        "a flow on the pairs of items that enters each item as much as it leaves it",
        "Separation",
    ),
    Term(
        "closure",
        "a set with its limits: a tie lies in the closure of every order that breaks it",
        "Consistency",
        "Scores with B = C below A lie in the closures of A > B > C and of A > C > B.",
    ),
    Term(
        "consistent",
        "with infinite data, minimizing the surrogate minimizes the target: at each p, W is larger "
        "outside A(p) (DMJ10 Definition 2)",
        "Consistency",
        "The logistic loss is least at {scores}, which orders {learned}: outside A(p), so it is "
        "inconsistent.",
    ),
    Term(
        "decoder",
        "the rule that turns scores into a prediction: sorting, the largest score, Algorithm 1 of RAT13 and "
        "others",
        "Prediction tasks",
        "Sorting the logistic scores returns {learned}.",
    ),
    Term(
        "design n",
        "how often each pair is compared, n_ij = a_ij + a_ji",
        "Designs",
        "n_AB = {nAB}, n_AC = {nAC}, n_BC = {nBC}.",
        ("design",),
    ),
    Term(
        "difference graph",
        "the edges i → j with d_ij > 0",
        "Target loss",
        "A → B with {dAB}, A → C with {dAC}, B → C with {dBC}.",
    ),
    Term(
        "domination",
        "item i beats each other item at least as well as j does, after scaling: a proof that i is above j",
        "Orders by addition",
    ),
    Term("equilibrium", "a zero of a mean gradient field", "Gradient fields"),
    Term(
        "escape",
        "the infimum of W is approached, but not attained, by scores that run to infinity",
        "Consistency, Attainment",
        "If C were never preferred to A, nothing would hold A's score back: it would run to infinity.",
    ),
    Term(
        "Farkas multipliers",
        "a combination of inequalities that contradicts itself: proof that they have no solution",
        "Consistency by linear algebra",
    ),
    Term(
        "gap",
        "a lower bound on how far the bounds of a separation lie above W at the scores; also the rule by "
        "which net wins prove one item above another",
        "Separation, Orders by addition",
    ),
    Term(
        "inconsistent",
        "at some p the surrogate ranks wrongly even with infinite data; proved by a witness",
        "Consistency",
        "The logistic loss orders {learned}; {optimal} contradicts fewer preferences.",
    ),
    Term("interval Newton", "a test that proves that a box contains a zero", "Gradient fields"),
    Term(
        "Kemeny",
        "the order that contradicts the fewest preferences; A(p) are its scores",
        "Target loss",
        "{costs}; so {optimal} is Kemeny's order.",
    ),
    Term(
        "low-noise",
        "d_ij + d_jk ≤ d_ik wherever i beats j and j beats k (DMJ10 Definition 8)",
        "Noise conditions",
        "d_AB + d_BC = {dAB} + {dBC} ≤ {dAC} = d_AC: low noise, and the logistic loss fails.",
    ),
    Term(
        "N_i",
        "the net preference Σ_j d_ij of item i",
        "Noise conditions",
        "N_A = {NA}, N_B = {NB}, N_C = {NC}.",
    ),
    Term(
        "net-order",
        "of two items, the one the majority prefers has the larger net preference (DMJ10 Eq. 16)",
        "Noise conditions",
        "N_A = {NA} > N_B = {NB} > N_C = {NC}, as the majorities go: the linear loss is right here.",
    ),
    Term("P_f, P_reinforce", "conditions on labels under which RAT13 proves calibration", "Prediction tasks"),
    Term(
        "phi'_inf", "the recession slopes of φ: how steeply it rises far out, in each direction", "Attainment"
    ),
    Term(
        "rank-differentiable",
        "exchanging two items against one order of the items never raises the probability of "
        "a label, and for each pair once lowers it",
        "Prediction tasks",
    ),
    Term(
        "regret",
        "the target loss above the least one; *normalized*: as a share of all preferences",
        "Target loss",
        "{learned} contradicts {cost} preferences and {optimal} {least}: a regret of {regret} of "
        "{total}, {share}.",
    ),
    Term("regular φ", "convex, differentiable, bounded below, with φ'(0) < 0", "Orders by addition"),
    Term(
        "separation",
        "W is larger on A(p) (or on its complement) than at given scores, by duality",
        "Separation",
    ),
    Term(
        "strict, tie",
        "whether a failure is wrong under every rule for ties, or under some",
        "Consistency",
        "The logistic scores have no ties: a strict failure. The hinge ties B and C: wrong under some rules.",
        ("strict", "tie"),
    ),
    Term(
        "surrogate",
        "a function of the scores that is minimized in place of the target loss, usually a convex one",
        "Surrogate risks",
        "Σ a_ij log(1 + exp(α_j − α_i)) is least at {scores}.",
    ),
    Term(
        "verdict",
        "INCONSISTENT with a witness, CONSISTENT with a proof, else UNDECIDED with the reason",
        "Consistency",
    ),
    Term(
        "W, W*",
        "the conditional surrogate risk at p, and its infimum",
        "Consistency",
        "For the logistic loss W* = {infimum}, at {scores}.",
        ("W",),
    ),
    Term(
        "witness",
        "a distribution, scores and a certificate in one file that the core checks",
        "Separation",
        "These counts, scores near {scores}, and a proof that W is larger on all of A(p).",
    ),
)


def facts() -> Mapping[str, str]:
    """What the examples say, computed from `EXAMPLE`.

    Examples
    --------
    >>> found = facts()
    >>> found["optimal"], found["learned"], found["regret"]
    ('A > B > C', 'A > C > B', '1')
    """
    from consistency_lab.certify.addition import proved_by_addition
    from consistency_lab.model.distribution import Distribution
    from consistency_lab.model.surrogates import surrogate
    from consistency_lab.phi import NAMED
    from consistency_lab.solve.minimize import minimize

    items, a = "ABC", EXAMPLE
    pairs = list(permutations(range(3), 2))
    d = {(i, j): a[i][j] - a[j][i] for i, j in pairs}
    net = [sum(d[i, j] for j in range(3) if j != i) for i in range(3)]
    found = minimize(surrogate("logistic"), Distribution.from_aggregate(a))

    def order(values: Iterable[float]) -> tuple[int, ...]:
        return tuple(i for _, i in sorted((-float(x), i) for i, x in enumerate(values)))

    def named(t: Iterable[int]) -> str:
        return " > ".join(items[i] for i in t)

    cost = {t: sum(a[j][i] for k, i in enumerate(t) for j in t[k + 1 :]) for t in permutations(range(3))}
    least, learned = min(cost, key=lambda t: cost[t]), order(found.scores)
    total = sum(map(sum, a))
    exact = [[Fraction(x) for x in row] for row in a]
    proved = proved_by_addition(NAMED["logistic"].expression, exact).pairs
    added = [f"{items[x.above]} above {items[x.below]}" for x in proved]
    return MappingProxyType(
        {
            **{f"d{items[i]}{items[j]}": str(d[i, j]) for i, j in pairs},
            **{f"n{items[i]}{items[j]}": str(a[i][j] + a[j][i]) for i, j in pairs},
            **{f"N{items[i]}": str(net[i]) for i in range(3)},
            "added": " and ".join(added),
            "borda": named(order(net)),
            "cost": str(cost[learned]),
            "costs": ", ".join(f"{named(t)} contradicts {x}" for t, x in cost.items()),
            "infimum": f"{found.value:.4f}",
            "learned": named(learned),
            "least": str(cost[least]),
            "optimal": named(least),
            "regret": str(cost[learned] - cost[least]),
            "scores": ", ".join(f"{items[i]} = {x:.4f}" for i, x in enumerate(found.scores)),
            "share": f"{(cost[learned] - cost[least]) / total:.2%}",
            "total": str(total),
        }
    )


def explained(word: str) -> list[Line]:
    """What a word means, what it is in the example, and where the theory defines it.

    Examples
    --------
    >>> explained("low noise")[0].text
    'low-noise: d_ij + d_jk ≤ d_ik wherever i beats j and j beats k (DMJ10 Definition 8)'
    """
    known = {_key(name): term for term in TERMS for name in (*term.name.split(", "), *term.others, term.name)}
    if _key(word) not in known and (lines := _of_tables(word)):
        return lines
    if _key(word) not in known:
        hint = did_you_mean(_key(word), known, "words are", [term.name for term in TERMS])
        raise InputError(f"there is no explanation of {word!r}; {hint}")
    term = known[_key(word)]
    lines = paragraph(f"{term.name}: {term.meaning}", indent=0, hanging=2)
    if term.example:
        lines += paragraph(f"Example ({_COUNTS}): " + term.example.format(**facts()), indent=2)
    return [*lines, *paragraph(f"More in docs/theory.md: {term.section}.", indent=2)]


def _of_tables(word: str) -> list[Line]:
    """A noise condition or a target that the glossary leaves to the tables; nothing for other words."""
    from consistency_lab.model.conditions import CONDITIONS, TASK_CONDITIONS, condition
    from consistency_lab.model.tasks.catalogue import TARGETS
    from consistency_lab.phi import spelled

    said = spelled(word)
    with suppress(InputError):
        said = condition(said).name
    if (found := TASK_CONDITIONS.get(said)) is not None:
        lines = paragraph(f"{found.name}: {found.words} ({found.citation})", indent=0, hanging=2)
        if found.name in CONDITIONS:
            holds = "holds" if found.holds(EXAMPLE) else "does not hold"
            lines += paragraph(f"Example ({_COUNTS}): it {holds} here.", indent=2)
        return [*lines, *paragraph("More in docs/theory.md: Noise conditions.", indent=2)]
    if (target := TARGETS.get(said)) is not None:
        title = f"{target.name} ({target.title}, a target)"
        return paragraph(f"{title}: {target.formula} ({target.citation})", indent=0, hanging=2)
    return []


def terms() -> list[Line]:
    """All words, without what they mean."""
    names = "; ".join(term.name for term in TERMS)
    lines = paragraph(f"{len(TERMS)} terms are explained, each with its place in the theory.", indent=0)
    return [*lines, "", *paragraph(names, indent=1), "", " more: explain WORD   --details (what each means)"]


def glossary() -> list[Line]:
    """What each word means."""
    return [line for term in TERMS for line in paragraph(f"{term.name}: {term.meaning}", indent=0, hanging=2)]


def glossary_table() -> str:
    """All words in a table, for the glossary of the site."""
    rows = [f"| {term.name} | {term.meaning} | {term.section} |" for term in TERMS]
    return "\n".join(["| word | meaning | section |", "| --- | --- | --- |", *rows]) + "\n"


_COUNTS: Final = "preferences " + ", ".join(
    f"{'ABC'[i]} > {'ABC'[j]}: {x}" for i, row in enumerate(EXAMPLE) for j, x in enumerate(row) if x
)


def _key(word: str) -> str:
    """One spelling for all ways to write a word."""
    return " ".join(word.lower().replace("-", " ").replace("_", " ").split())
