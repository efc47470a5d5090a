"""Names beside a proof: what a file calls its surrogate and its distribution, recomputed from the tables.

A name is a claim. One that this version knows is worked out again from `model` and must give the very numbers
of the proof; one that it does not know says nothing, and the proof stands without it. So a table may grow: a
name that it learns can be checked from then on, and no file becomes unreadable.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import chain, pairwise, permutations
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, final

from consistency_lab.certify.proofs.record import OWN, Entry, Named, Told, agrees, as_atom, same_risk
from consistency_lab.core.certificates import Equilibrium
from consistency_lab.core.document import INCONSISTENT, STRICT, Proof
from consistency_lab.core.orders import Sort
from consistency_lab.core.reading import Names, array, boolean, fraction, name, record, row, word
from consistency_lab.core.risk import Atom, PhiAtom, form, merged
from consistency_lab.errors import ConsistencyLabError, InputError, RejectedError, UnsupportedError
from consistency_lab.frozen import frozen
from consistency_lab.model.conditions import conditions_at
from consistency_lab.model.distribution import Distribution, PreferenceGraph
from consistency_lab.model.surrogates import FAMILIES as KNOWN
from consistency_lab.model.surrogates import EdgeSurrogate, Surrogate, Term
from consistency_lab.model.surrogates.catalogue import called_so
from consistency_lab.numbers.balls import BITS, shown
from consistency_lab.numbers.exact import LogRational, Matrix, rational_text, working_precision
from consistency_lab.numbers.phi import exact_value, parse

Risk = tuple[Surrogate, Sequence[Term]]
"""A surrogate and the terms of its risk at a distribution."""

Made = tuple[Distribution, Risk | None]
"""What a file was just made of."""

if TYPE_CHECKING:
    from consistency_lab.certify.proofs.task_proof import LabelNames

TARGET: Final = "pairwise-disagreement"


def check_names(
    value: object, proof: Proof, entry: Mapping[str, object], made_of: Made | None = None
) -> Named:
    """Recompute the names beside a proof that the core has accepted (RejectedError if one is false).

    `entry` is the proof as it stands in the file. A file that was just made is not read back: the
    distribution and the terms that it was made of are compared with the proof, and its conditions are taken.
    """
    keys = ("graphs", "labels", "surrogate", "target", "decoder", "conditions", "features")
    fields = record(value, "named", (), keys)
    claimed = fields.get("conditions", {})
    if not isinstance(claimed, dict):
        raise InputError("named.conditions must be an object with true or false for each condition")
    for key, claim in claimed.items():
        boolean(claim, f"named.conditions.{name(key, 'a key of named.conditions')[:40]}")
    with working_precision(BITS):
        names: GraphNames | LabelNames
        if "labels" in fields:  # files about preference graphs do without the tables of tasks
            from consistency_lab.certify.proofs import task_proof

            names = task_proof.LabelNames(fields, proof, entry)
        else:
            names = GraphNames(fields, proof, made_of)
        readers = {"target": names.target, "surrogate": names.surrogate, "decoder": names.decoder}
        parts = [read(fields[key]) if key in fields else [] for key, read in readers.items()]
        holds = {key: names.holds(key) for key in claimed}
    known = {key: held for key, held in holds.items() if held is not None}
    agrees(claimed, known, "named.conditions")
    told = [*chain(*parts), *((key, held is not None) for key, held in holds.items() if held is not False)]
    complete = all(part and part[0][1] for part in parts)
    about = names.distribution if isinstance(names, GraphNames) else names.question if complete else None
    return Named.of(told, names.called, {**names.conditions, **known}, about)


@final
class GraphNames:
    """The names of a file about preference graphs, or about losses without names.

    Like `LabelNames` it tells each name with whether it was recomputed; one that is known and means something
    else is a RejectedError.
    """

    called: str | None = None  #: What the file calls its surrogate.
    risk: Risk | None  #: The surrogate that it was just made of, and its terms.

    def __init__(self, fields: Mapping[str, Any], proof: Proof, made: Made | None) -> None:
        self.proof, self.features, items = proof, None, proof.coordinates
        made_of, self.risk = (None, None) if made is None else made
        self.aggregate = a = _aggregate(proof) if proof.labels[0].prefers is not None else None
        #: The graphs that are named, or some with the same aggregate.
        self.distribution, self.single = made_of, "graphs" in fields
        if self.single and a is None:
            raise RejectedError("graphs are named, but the proof lists losses one by one")
        if self.single and made_of is None:
            self.distribution = _distribution(fields["graphs"], items)
        elif a is not None and made_of is None:
            self.distribution = Distribution.from_aggregate(a, items)
        if a is not None and self.distribution is not None and self.distribution.aggregate != a:
            derived = _by_pairs(self.distribution.aggregate, items)
            agrees(_by_pairs(a, items), derived, "for the graphs, the sum of prefers")
        stated: Mapping[str, bool] | None = fields.get("conditions") if made else None
        self.conditions = {} if a is None else conditions_at(a) if stated is None else stated
        if "features" in fields:
            if a is None or self.single or "surrogate" not in fields:
                raise RejectedError("features go with preferences and a surrogate, and have their own graphs")
            self.features = _Features.read(fields["features"], items)
            self.conditions = {}
        self.holds = self.conditions.get

    def target(self, value: Any) -> Told:
        """Whether it is the one target of preference graphs."""
        called = name(value, "named.target")
        if called == TARGET and self.aggregate is None:
            raise RejectedError(f"the target is called {TARGET}, but losses are listed one by one")
        return [(called, called == TARGET)]

    def decoder(self, value: Any) -> Told:
        """Whether it sorts, as the proof does."""
        called = name(value, "named.decoder")
        return [(called, called == "sort" and isinstance(self.proof.decoder, Sort))]

    def surrogate(self, value: Any) -> Told:
        """The name and the features; RejectedError if the named surrogate has another risk than the proof."""
        (called, built), proof, features = named_surrogate(value), self.proof, self.features
        self.called = called
        # What features say means nothing where the risk is not known.
        within = [] if features is None else [(features.checked(proof, self.aggregate), built is not None)]
        if built is None:
            return [(called, False), *within]
        if self.distribution is None:
            raise RejectedError(f"the surrogate {shown(called)} is about preferences, and losses are listed")
        if isinstance(proof.certificate, Equilibrium):
            return [(called, self._vanishes(called, built))]
        if not (self.single or features or built.of_aggregate):
            raise RejectedError(f"the surrogate {shown(called)} sees single graphs, and none are given")
        distribution = self.distribution if features is None else features.distribution
        try:
            known = distribution is self.distribution and self.risk is not None and self.risk[0] == built
            terms = self.risk[1] if known and self.risk else built.risk_terms(distribution)
            derived = [as_atom(term) for term in terms]
        except ConsistencyLabError as error:
            raise RejectedError(f"the risk of {shown(called)} is not known exactly: {error}") from None
        if any(label.atoms != label.psi for label in proof.labels):
            raise RejectedError(f"the surrogate {shown(called)} is a sum of terms, and the proof lists none")
        stated = merged(atom.times(label.probability) for label in proof.labels for atom in label.atoms)
        if features is not None:
            stated = features.without_penalties(stated, set(derived), proof)
        same_risk(stated, derived, proof.coordinates, called)
        self.called += "" if _is_exact(built, distribution) else " up to a positive factor"
        return [(self.called, True), *within]

    def _vanishes(self, called: str, built: Surrogate) -> bool:
        """Whether the programs are the gradient of a loss of pairs, or prove the same of it."""
        from consistency_lab.certify.proofs.task_proof import prove_the_same
        from consistency_lab.model.surrogates.tasks.fields import of_pairs

        if type(built) is not EdgeSurrogate or built.h != _A or self.features is not None:
            raise RejectedError(f"the surrogate {shown(called)} is not known as a gradient field")
        m, labels = len(self.proof.coordinates), self.proof.labels
        try:
            derived = [of_pairs(built.phi, label.prefers or (), m) for label in labels]
        except UnsupportedError as error:
            raise RejectedError(f"the gradient of {shown(called)} is not known: {error}") from None
        return prove_the_same(derived, self.proof, called)


def graphs_entry(surrogate: Surrogate, distribution: Distribution, *, graphs: bool = True) -> Entry:
    """The ``named`` entry of a file about preference graphs, with or without these."""
    items = distribution.items
    listed = (
        {
            "probability": rational_text(p),
            "edges": [[items[i], items[j], rational_text(w)] for i, j, w in graph],
        }
        for p, graph in zip(distribution.probabilities, distribution.graphs, strict=True)
    )
    return {
        "surrogate": surrogate_entry(surrogate.describe(distribution)),
        "target": TARGET,
        "conditions": conditions_at(distribution.aggregate),
        **({"graphs": list(listed)} if graphs else {}),
    }


def surrogate_entry(described: Mapping[str, object]) -> dict[str, object]:
    """What a file says of its surrogate: family and parameters, or a name of its own."""
    return dict(described) if described["family"] in FAMILY_CLASSES else {"name": f"{OWN}{described['name']}"}


def _aggregate(proof: Proof) -> Matrix:
    m = len(proof.coordinates)
    a = [[Fraction(0)] * m for _ in range(m)]
    for label in proof.labels:
        p = label.probability
        for (i, j), weight in label.prefers or ():
            share = weight if p == 1 else p * weight
            a[i][j] = a[i][j] + share if a[i][j] else share
    return tuple(map(tuple, a))


def _by_pairs(a: Matrix, items: Sequence[str]) -> dict[str, Fraction]:
    return {f"{items[i]} → {items[j]}": a[i][j] for i, j in permutations(range(len(a)), 2)}


def _distribution(value: object, names: Sequence[str]) -> Distribution:
    numbered = Names({item: k for k, item in enumerate(names)})

    def edge(value: object, where: str) -> tuple[int, int, Fraction]:
        i, j, weight = row(value, where, 3)
        return numbered.one(i, where), numbered.one(j, where), fraction(weight, where)

    def graph(value: object, where: str) -> tuple[Fraction, PreferenceGraph]:
        fields = record(value, where, ("probability", "edges"))
        edges = array(fields["edges"], f"{where}.edges", edge)
        probability = fraction(fields["probability"], f"{where}.probability")
        return probability, PreferenceGraph.of(edges, tuple(names))

    try:
        return Distribution.of(tuple(names), array(value, "named.graphs", graph))
    except InputError as error:
        raise RejectedError(f"the graphs are no distribution: {error}") from None


def _is_exact(built: Surrogate, distribution: Distribution) -> bool:
    """Whether h is rational; if not, 1 stood for the one value that it has."""
    weight = next((w for graph in distribution.graphs for *_, w in graph), None)
    if type(built) is not EdgeSurrogate or weight is None:
        return True
    value = exact_value(built.h, LogRational(weight))
    return value is not None and value.as_rational() is not None


def named_surrogate(value: object) -> tuple[str, Surrogate | None]:
    """The name of a surrogate, and what it means; None for an unknown family.

    RejectedError if the parameters are those of something else. A loss without a family must be called
    "own: ...", which no table ever says: it is mistaken for nothing that has a meaning here, or will.
    """
    where = "named.surrogate"
    if not isinstance(value, dict) or "name" not in value:
        raise InputError(f"{where} must be an object with the key 'name'")
    called = name(value["name"], f"{where}.name")
    if "family" not in value:
        record(value, where, ("name",))
        if not called.startswith(OWN):
            raise RejectedError(
                f"the surrogate {shown(repr(called))} has no family; such a loss must be called {OWN}..."
            )
        return called, None
    family = name(value["family"], f"{where}.family")
    if family not in FAMILY_CLASSES:
        return f"{called} (of the family {family})", None
    built = called_so(called)
    if built is None or built.family.name != family:
        raise RejectedError(f"the family {family} has no surrogate that is called {shown(repr(called))}")
    meant = {key: getattr(built, key) for key in built.arguments()} | dict(built.family.fixed)
    stated = record(value, where, ("family", "name", *meant))
    agrees(stated, meant, f"of the surrogate {shown(called)}, {where}")
    return called, built


FAMILY_CLASSES: Final[Mapping[str, type[Surrogate]]] = MappingProxyType(
    {line.name: kind for kind, line in KNOWN.items()}
)
"""Their classes by the names of the families."""

_A: Final = parse("a", "a")


# --- Scores that are linear in features ------------------------------------------------------------------

AXIOMS: Final = ("best", "pareto", "majority")
"""What may be asked of the order of the scores Xw where W is least among them."""

ORDER: Final = "order"
"""The claim of a proof that only states that order."""


@frozen
class _Features:
    """What a file says of the class {Xw}, and of the preferences behind its claim."""

    rows: tuple[tuple[Fraction, ...], ...]
    distribution: Distribution
    axiom: str
    right: tuple[Fraction, ...] | None  #: Weights that are right.

    @staticmethod
    def read(value: object, names: Sequence[str]) -> "_Features":
        fields = record(value, "named.features", ("rows", "graphs", "axiom"), ("right",))
        axiom = word(*AXIOMS, ORDER)(fields["axiom"], "named.features.axiom")
        items = record(fields["rows"], "named.features.rows", tuple(names))
        rows = tuple(tuple(array(items[item], "named.features.rows", fraction)) for item in names)
        right = tuple(array(fields["right"], "named.features.right", fraction)) if "right" in fields else None
        widths = {len(row) for row in (rows if right is None else (*rows, right))}
        if len(widths) != 1 or (right is None) != (axiom == ORDER):
            raise RejectedError(
                "all items must have the same number of features, and an axiom one right weight for each"
            )
        return _Features(rows, _distribution(fields["graphs"], names), axiom, right)

    def checked(self, proof: Proof, asked: Matrix | None) -> str:
        """Check that the proof is about what the axiom asks, and that the weights called right obey it."""
        a = self.distribution.aggregate
        if asked is None or proof.scores is None or any(proof.direction):
            raise RejectedError("scores within the features must be stated, and no direction")
        if self.right is None:
            return "an order within the features"
        u = [sum((x * w for x, w in zip(row, self.right, strict=True)), Fraction(0)) for row in self.rows]
        pairs = axiom_pairs(a, self.axiom)
        if self.axiom == "best":
            pairs = list(pairwise(proof.better)) if isinstance(proof.better, tuple) else []
            is_asked = asked == a and proof.failure == STRICT
        else:
            both = next(({i, j} for i, j in pairs if asked[i][j] > asked[j][i]), set[int]())
            alone = [[x if {i, j} == both else 0 for j, x in enumerate(row)] for i, row in enumerate(a)]
            is_asked = bool(both) and asked == tuple(map(tuple, alone))
        if not is_asked or proof.claim != INCONSISTENT:
            raise RejectedError(f"the proof is not about what the axiom {self.axiom} asks of the graphs")
        if not all(u[i] > u[j] for i, j in pairs):
            raise RejectedError("the weights that are called right do not order the items so")
        return f"{self.axiom} within the features"

    def without_penalties(self, stated: Sequence[Atom], own: set[Atom], proof: Proof) -> tuple[Atom, ...]:
        """The atoms without penalties that vanish on the class; the stated scores must lie in it."""
        from consistency_lab.numbers.exact.linear import common_denominator, null_space

        lines = [list(column) for column in zip(*self.rows, strict=True)]
        if not any(sum(n for _, n in v) for atom in own for v in atom.directions()):
            lines.append([Fraction(1)] * len(self.rows))
        for relation in null_space(lines, len(self.rows)):
            whole, _ = common_denominator([relation])
            zero = LogRational(Fraction(0))
            if form([(k, Fraction(n)) for k, n in enumerate(whole[0])], proof.scores or (), zero).sign():
                raise RejectedError("the scores are not linear in the features")
        return tuple(atom for atom in stated if atom in own or not _vanishes(atom, lines))


def axiom_pairs(a: Sequence[Sequence[Fraction]], axiom: str) -> list[tuple[int, int]]:
    """The pairs that an axiom asks to be in order: those that nobody, or fewer, prefer the other way."""
    pairs = [(i, j) for i in range(len(a)) for j in range(len(a)) if a[i][j] > a[j][i]]
    return [(i, j) for i, j in pairs if not a[j][i]] if axiom == "pareto" else pairs


def _vanishes(atom: Atom, lines: Sequence[Sequence[Fraction]]) -> bool:
    """Whether it is a multiple of |<q, u>| for a q that is 0 on all lines."""
    if not (isinstance(atom, PhiAtom) and atom.phi == _ABSOLUTE and atom.b == LogRational(Fraction(0))):
        return False
    return not any(sum((n * line[k] for k, n in atom.v), Fraction(0)) for line in lines)


_ABSOLUTE: Final = parse("abs(x)")
