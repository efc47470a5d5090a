"""Proofs about preference graphs as theorems for Coq: a family of losses fails at one distribution."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations, permutations
from typing import Final, final

from consistency_lab.apps.book.coq.source import Source, comment, listed, rational
from consistency_lab.certify.proofs.names import named_surrogate
from consistency_lab.core.certificates import Bound, Minimum, Separation
from consistency_lab.core.risk import PhiAtom, Slope
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import factors, strengths
from consistency_lab.model.distribution import Distribution, scores_loss
from consistency_lab.model.surrogates import EdgeSurrogate, LinearSurrogate
from consistency_lab.model.surrogates.families import DifferenceSurrogate, MarginSurrogate
from consistency_lab.numbers.exact import Ball, LogRational, enclose, working_precision
from consistency_lab.numbers.exact.rational import as_fraction
from consistency_lab.numbers.phi import Expression, exact_value

# --- What formal/check/Risks.v and formal/check/Rationals.v know --------------------------------------------

#: Scalar functions by their texts: what Coq computes with, the function, and the lemma that these agree.
SCALARS: Final = {
    text: (scalar, function, f"{lemma}_value")
    for text, scalar, function, lemma in (
        ("max(0,1-x)", "Hinge", "hinge", "hinge"),
        ("max(0,1-x)**2", "Squared_hinge", "squared_hinge", "squared_hinge"),
        ("(1-x)**2", "Square", "square", "square"),
        ("max(0,1-x)**2/2-max(0,-x)**2/2", "Smoothed_hinge", "smoothed_hinge", "smoothed_hinge"),
        ("max(0,1-x)**2-max(0,-1-x)**2", "Huberized_hinge", "huberized_hinge", "huberized_hinge"),
        ("abs(x)", "Absolute", "Rabs", "absolute"),
        ("x**2/2", "Half_square", "half_square", "half_square"),
        ("log(1+exp(-x))", "Logistic", "logistic", "logistic"),
        ("exp(-x)", "Exponential", "exponential", "exponential"),
    )
}
#: Weights and margins h(a) by their texts: the function of reals, that of rationals, and the lemma.
WEIGHTS: Final = {
    "a": ("identity", "(fun w => w)", "identity_q"),
    "1": ("(fun _ => 1)", "(fun _ => 1%Q)", "one_q"),
    "a**2": ("(fun a => a * a)", "square_q", "square_of_q"),
}


#: Families by their names in a file: the risk, the atoms that Coq makes of it, the proof that they add up.
FAMILIES: Final = {
    "edge": (
        "edge_loss {h} {phi} m (real p)",
        "edge_atoms {h_q} {scalar} p",
        "apply edge_risk; [exact {same} | exact {h_same}].",
    ),
    "margin": (
        "margin_loss {h} {phi} m (real p)",
        "margin_atoms {h_q} {scalar} p",
        "apply margin_risk; [exact {same} | exact {h_same}].",
    ),
    "difference": (
        "difference_loss {phi} m (real p)",
        "difference_atoms m {scalar} (entry (weights m p))",
        "apply difference_risk; exact {same}.",
    ),
    "linear": (
        "linear_loss (Q2R {nu}) {phi} m (real p)",
        "linear_atoms m {nu} {scalar} p",
        "apply linear_risk; [exact {same} | exact p_distribution].",
    ),
    "regression": ("regression_loss m (real p)", "regression_atoms m p", "apply regression_risk."),
}
#: Noise conditions by their names in a file: base/Ranking.v, and the check in check/Rationals.v.
CONDITIONS: Final = {
    "acyclic": ("acyclic_differences", "acyclic_sound"),
    "low-noise": ("low_noise", "low_noise_sound"),
    "additive": ("additive", "additive_sound"),
    "net-order": ("net_order", "net_order_sound"),
    "row-dominated": ("rows_in_order", "rows_sound"),
    "strong-stochastic-transitivity": ("stochastically_transitive", "transitivity_sound"),
    "bradley-terry": ("bradley_terry", "bradley_terry_sound"),
    "auc": ("bipartite", "bipartite_sound"),
}

HEAD: Final = """\
(* {title}
   Written by consistency-lab export. Its items are
   {items}. *)
From Coq Require Import Reals QArith Qreals List.
From ConsistencyLab.base Require Import Ranking Scalars.
From ConsistencyLab.check Require Import Rationals Risks.
Import ListNotations.
Open Scope R_scope.

Definition m : nat := {m}.
(* Each graph with its probability. *)
Definition p : profile := ([
  {graphs} ])%Q.
(* Along the edges of each graph these ranks rise. *)
Definition ranks : list (list nat) := {ranks}%nat.
Lemma p_distribution : is_distribution m (real p).
Proof. apply (profile_sound m p ranks); vm_compute; reflexivity. Qed.
{conditions}
(* The scores, those of a best order, and the risk as a sum of atoms. *)
Definition learned : list Q := {learned}%Q.
Definition best : list Q := {best}%Q.
Definition atoms : list atom := {atoms}.
Lemma risk alpha : {loss} alpha = risk_of atoms alpha.
Proof. {equal} Qed.
"""

CONDITION: Final = """\
Lemma is_{condition} : {condition} m (aggregate (real p)).
Proof. apply ({sound} m (entry (weights m p)) _ (entry_R m p){evidence}); vm_compute; reflexivity. Qed.
"""

MINIMUM: Final = """
(* Slopes of the loss at these scores, an atom each. *)
Definition slopes : list Q := {slopes}%Q.
(* The scores minimize the risk, and are outside A(p). *)
Theorem replayed : is_distribution m (real p) /\\{stated}
  (forall alpha, {loss} (point learned) <=
    {loss} alpha) /\\
  ~ A (real p) (point learned) /\\ ~ consistent_at ({loss}) (real p).
Proof.
  {split}
  apply (minimum_refutes m p _ atoms learned slopes best risk); vm_compute; reflexivity.
Qed.
"""

SEPARATION: Final = """
(* Numbers that the losses at these scores are at most, and a gap. *)
Definition guesses : list Q := {guesses}%Q.
Definition gap : Q := {gap}%Q.
(* For each pair that the scores order: lines below the atoms, which bound the risk where it is otherwise. *)
Definition bounds : list bound := ([
  {bounds} ])%Q.
Definition steps : list (nat * nat * nat) := {steps}%nat.
(* Whatever comes as near to the infimum as the gap is outside A(p). *)
Theorem replayed : is_distribution m (real p) /\\{stated}
  0 < Q2R gap /\\
  (forall alpha, {loss} alpha <
    {loss} (point learned) + Q2R gap -> ~ A (real p) alpha) /\\
  ~ consistent_at ({loss}) (real p).
Proof.
  {split}
  apply (separation_refutes {n} m p _ atoms learned guesses gap bounds steps best p_distribution risk);
    vm_compute; reflexivity.
Qed.
"""

# --- The templates ---------------------------------------------------------------------------------------


def minimum(source: Source) -> str:
    """Scores that minimize a loss and are outside A(p), from slopes."""
    failure = _Failure(source)
    certificate = failure.proof.certificate
    assert isinstance(certificate, Minimum)
    if any(failure.proof.direction):
        raise source.refused("minima along a direction are not covered yet")
    if not failure.disagreement(failure.best) < failure.disagreement(failure.scores):
        raise source.refused("by Eq. 7, which breaks ties by number, its scores are in A(p)")
    return failure.text(MINIMUM, slopes=_rationals(failure.in_order(certificate.slopes)))


def separation(source: Source) -> str:
    """Bounds of a loss wherever a pair of items is ordered otherwise than by the scores, from slopes."""
    failure = _Failure(source)
    certificate = failure.proof.certificate
    assert isinstance(certificate, Separation)
    steps, forced = _steps(failure.m, [(bound.above, bound.below) for bound in certificate.bounds])
    if not failure.disagreement(failure.best) < failure.least_loss(forced):
        raise source.refused("bounds on the cost of orders that need cycles are not covered yet")
    slopes = [failure.in_order(_slopes(certificate, bound)) for bound in certificate.bounds]
    for n in (24, 32, 48, 64, 96):
        guesses = [_at_most(n, atom, failure.at(atom)) for atom in failure.atoms]
        lines = [failure.lines(n, some) for some in slopes]
        if all(map(partial(failure.exceeds, guesses, certificate), certificate.bounds, lines)):
            break
    else:
        raise source.refused("its gap is too small for the logarithms that Coq works out")
    bounds = [
        f"Bound {bound.above} {bound.below} ["
        + ";\n    ".join(f"Support {rational(s)} {rational(x)} {rational(y)}" for s, x, y, _ in some)
        + "]"
        for bound, some in zip(certificate.bounds, lines, strict=True)
    ]
    return failure.text(
        SEPARATION,
        guesses=_rationals(guesses),
        gap=rational(certificate.gap),
        bounds=";\n  ".join(bounds),
        steps=listed(steps),
        n=n,
    )


@frozen
class _Atom:
    """A summand of the risk as Coq makes it."""

    c: Fraction
    phi: str
    v: tuple[tuple[int, Fraction], ...]
    b: Fraction

    @property
    def key(self) -> tuple[object, ...]:
        """What finds its slope in the file, where equal ones are added up."""
        return self.phi, self.v, self.b


Line = tuple[Fraction, Fraction, Fraction, Fraction]
"""A slope, the two numbers of its `support` in formal/check/Risks.v, and the constant of the line."""


@final
class _Failure:
    """What both templates write of a file: distribution, conditions, loss, scores and a best order."""

    def __init__(self, source: Source) -> None:
        verified, self.source = source.verified, source
        assert verified.proof is not None
        self.proof = verified.proof
        self.m = len(self.proof.coordinates)
        entry = source.named.get("surrogate")
        self.built = named_surrogate(entry)[1] if verified.surrogate in verified.recomputed else None
        if "features" in source.named:
            raise source.refused("its scores are linear in features, which is not covered yet")
        if self.built is None or self.built.family.name not in FAMILIES:
            families = ", ".join(FAMILIES)
            raise source.refused(f"it is about {verified.called}; covered are the families {families}")
        self.distribution = verified.about
        scores = [score.as_rational() for score in self.proof.scores or ()]
        self.scores = [x for x in scores if x is not None]
        if len(self.scores) < self.m:
            raise source.refused("scores that are not rational are not covered yet")
        order = self.proof.better
        assert isinstance(order, tuple)
        self.best = [Fraction(self.m - order.index(item)) for item in range(self.m)]
        self.atoms = list(self._made())

    def _made(self) -> Iterator[_Atom]:
        """The atoms in the order of formal/check/Risks.v."""
        built, p, items = self.built, self.distribution, range(self.m)
        graphs = list(zip(p.probabilities, p.graphs, strict=True))
        if type(built) is EdgeSurrogate:
            for chance, graph in graphs:
                for i, j, w in graph:
                    yield _pair(chance * self._weight(built.h, w), str(built.phi), i, j)
        elif type(built) is MarginSurrogate:
            for chance, graph in graphs:
                for i, j, w in graph:
                    yield _pair(chance, str(built.phi), i, j, self._weight(built.h, w))
        elif type(built) is DifferenceSurrogate:
            d = p.difference
            for i, j in permutations(items, 2):
                if d[i][j] > 0:
                    yield _pair(d[i][j], str(built.phi), i, j)
        elif type(built) is LinearSurrogate:
            for chance, graph in graphs:
                for i, j, w in graph:
                    yield _pair(chance * w, "-x", i, j)
            for i in items:
                yield _Atom(built.nu, str(built.r), ((i, Fraction(1)),), Fraction(0))
        else:
            for chance, graph in graphs:
                for i in items:
                    net = sum(((i == k) - (i == j)) * w for k, j, w in graph) + Fraction(0)
                    yield _Atom(chance, "x**2", ((i, Fraction(1)),), net)

    def _weight(self, h: Expression, w: Fraction) -> Fraction:
        value = exact_value(h, LogRational(w))
        found = None if value is None else value.as_rational()
        if found is None or h.text("a") not in WEIGHTS:
            raise self.source.refused(
                f"h(a) = {h.text('a')} is not covered; covered are {', '.join(WEIGHTS)}"
            )
        return found

    def in_order(self, slopes: Sequence[Slope]) -> list[Fraction]:
        """The slopes of the file, an atom of Coq each."""
        found: dict[tuple[object, ...], Fraction] = {}
        for atom, slope in zip(self.source.verified.atoms, slopes, strict=True):
            if isinstance(atom, PhiAtom) and isinstance(slope, Fraction):
                found[str(atom.phi), atom.v, atom.b.as_rational()] = slope
        return [found[atom.key] for atom in self.atoms]

    def at(self, atom: _Atom) -> Fraction:
        """Where the function of an atom is taken at the scores."""
        return sum((n * self.scores[k] for k, n in atom.v), -atom.b)

    def lines(self, n: int, slopes: Sequence[Fraction]) -> list[Line]:
        """Lines below the atoms, with what proves them."""
        found = []
        for atom, s in zip(self.atoms, slopes, strict=True):
            t, log = -s, partial(_logarithm, n)
            if atom.phi == LOGISTIC and 0 < t < 1:
                x, y = log(t), log(1 - t)
                found.append((s, x, y, -t * x - (1 - t) * y))
            elif atom.phi == EXPONENTIAL and t > 0:
                found.append((s, x := log(t), Fraction(0), t - t * x))
            elif (atom.phi == LOGISTIC and t in (0, 1)) or (atom.phi == EXPONENTIAL and not t):
                found.append((s, Fraction(0), Fraction(0), Fraction(0)))
            else:
                raise self.source.refused(f"a separation with a slope {s} of {atom.phi} is not covered yet")
        return found

    def exceeds(
        self, guesses: Sequence[Fraction], certificate: Separation, bound: Bound, lines: Sequence[Line]
    ) -> bool:
        """Whether a bound is above the guesses by the gap."""
        terms = zip(self.atoms, guesses, lines, strict=True)
        return sum(atom.c * (k - s * atom.b - u) for atom, u, (s, _, _, k) in terms) >= certificate.gap

    def disagreement(self, scores: Sequence[Fraction]) -> Fraction:
        """The target loss by Eq. 7 and 8."""
        return scores_loss(self.distribution.aggregate, [*map(LogRational, scores)])

    def least_loss(self, forced: Collection[tuple[int, int]]) -> Fraction:
        """What orders with these pairs lose at least."""
        a, lost = self.distribution.aggregate, Fraction(0)
        for i, j in combinations(range(self.m), 2):
            above, below = (i, j) in forced, (j, i) in forced
            lost += a[j][i] if above else a[i][j] if below else min(a[i][j], a[j][i])
        return lost

    def text(self, template: str, **evidence: object) -> str:
        """The whole file."""
        built, p = self.built, self.distribution
        assert built is not None
        functions = {"phi": getattr(built, "phi", None) or getattr(built, "r", None)}
        phi = str(functions["phi"])
        if functions["phi"] is not None and phi not in SCALARS:
            raise self.source.refused(f"the function {phi} is not covered; covered are {', '.join(SCALARS)}")
        scalar, function, same = SCALARS.get(phi, ("", "", ""))
        h, h_q, h_same = WEIGHTS[built.h.text("a")] if hasattr(built, "h") else ("", "", "")
        words = {"scalar": scalar, "phi": function, "same": same, "h": h, "h_q": h_q, "h_same": h_same}
        words["nu"] = rational(built.nu) if type(built) is LinearSurrogate else ""
        loss, atoms, equal = (text.format(**words) for text in FAMILIES[built.family.name])
        names = [key for key in CONDITIONS if self.source.verified.conditions.get(key)]
        graphs = [
            f"({rational(chance).strip('()')}, "
            + listed(f"Prefer {i} {j} {rational(w)}" for i, j, w in graph)
            + ")"
            for chance, graph in zip(p.probabilities, p.graphs, strict=True)
        ]
        stated = "".join(f"\n  {CONDITIONS[key][0]} m (aggregate (real p)) /\\" for key in names)
        proofs = ["p_distribution", *(f"is_{CONDITIONS[key][0]}" for key in names)]
        head = HEAD.format(
            title=comment(f"{self.source.name}: {self.source.verified.sentence}."),
            items=",\n   ".join(f"{k} = {comment(item)}" for k, item in enumerate(self.proof.coordinates)),
            m=self.m,
            graphs=";\n  ".join(graphs),
            ranks=listed(
                listed(ranks(Distribution.of(p.items, [(1, graph)]).aggregate)) for graph in p.graphs
            ),
            conditions="".join(map(self._condition, names)),
            learned=_rationals(self.scores),
            best=_rationals(self.best),
            atoms=atoms,
            loss=loss,
            equal=equal,
        )
        split = "\n  ".join(f"split; [exact {proof} |]." for proof in proofs)
        return head + template.format(loss=loss, stated=stated, split=split, **evidence)

    def _condition(self, key: str) -> str:
        condition, sound = CONDITIONS[key]
        shown = evidence(key, self.distribution.aggregate)
        return CONDITION.format(condition=condition, sound=sound, evidence=shown)


def evidence(key: str, a: Sequence[Sequence[Fraction]]) -> str:
    """What the check of a noise condition needs besides the aggregate."""
    if key == "acyclic":
        return f" {listed(ranks(a))}%nat"
    if key == "bradley-terry":
        return f" {_rationals(strengths(a))}%Q"
    return "".join(f" {_rationals(part)}%Q" for part in factors(a)) if key == "auc" else ""


LOGISTIC: Final = "log(1+exp(-x))"
EXPONENTIAL: Final = "exp(-x)"


def _rationals(values: Iterable[Fraction]) -> str:
    return listed(map(rational, values))


def _pair(c: Fraction, phi: str, i: int, j: int, b: Fraction = Fraction(0)) -> _Atom:
    return _Atom(c, phi, tuple(sorted([(i, Fraction(1)), (j, Fraction(-1))])), b)


def _slopes(certificate: Separation, bound: Bound) -> Sequence[Slope]:
    """Those of all atoms."""
    if certificate.common is None:
        return bound.slopes
    changed = dict(zip(bound.listed(0), bound.slopes, strict=True))
    return [changed.get(t, slope) for t, slope in enumerate(certificate.common.slopes)]


def _steps(
    m: int, pairs: Iterable[tuple[int, int]]
) -> tuple[list[tuple[int, int, int]], set[tuple[int, int]]]:
    """How the pairs that follow from some are put together, and all of them."""
    known, steps = set(pairs), list[tuple[int, int, int]]()
    for j in range(m):
        for i, k in permutations(range(m), 2):
            if (i, j) in known and (j, k) in known and (i, k) not in known:
                known.add((i, k))
                steps.append((i, j, k))
    return steps, known


def ranks(c: Sequence[Sequence[Fraction | int]]) -> list[int]:
    """The length of the longest path of majorities to each item; `c` has no cycle of them."""
    found = [0] * len(c)
    for _ in c:
        for i, j in permutations(range(len(c)), 2):
            if c[i][j] > c[j][i]:
                found[j] = max(found[j], found[i] + 1)
    return found


# --- Logarithms as Coq checks them ----------------------------------------------------------------------


def exp_low(n: int, x: Fraction) -> Fraction:
    """The lower bound of exp x of formal/check/Risks.v."""
    d = x.denominator << n
    y = max(0, ((d + x.numerator) << 3 * n) // d)
    for _ in range(n):
        y = y * y >> 3 * n
    return Fraction(y, 1 << 3 * n)


def _raised(n: int, near: Ball, enough: Callable[[Fraction], bool]) -> Fraction:
    """A number of n digits near the ball, or a little above it, that is enough."""
    x = Fraction(int(as_fraction(near.mid()) * 2**n), 2**n)
    step = Fraction(1, 2**n)
    while not enough(x):
        x, step = x + step, 2 * step
    return x


def _logarithm(n: int, t: Fraction) -> Fraction:
    """A number of which Coq knows that it is above ln t."""
    with working_precision(256):
        return _raised(n, enclose(t).log(), lambda x: t <= exp_low(n, x))


def _at_most(n: int, atom: _Atom, x: Fraction) -> Fraction:
    """A number of which Coq knows that the loss at x is not above it; 0 where Coq works the loss out."""
    e = exp_low(n, x)
    with working_precision(256):
        if atom.phi == LOGISTIC:
            return _raised(n, (1 + enclose(-x).exp()).log(), lambda u: e + 1 <= e * exp_low(n, u))
        return _raised(n, enclose(-x).exp(), lambda u: e * u >= 1) if atom.phi == EXPONENTIAL else Fraction(0)
