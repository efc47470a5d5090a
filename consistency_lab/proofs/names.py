"""Names beside a proof: what a file calls its surrogate and its distribution, recomputed from the tables.

A name is a claim. One that this version knows is worked out again from `model` and must give the very numbers
of the proof; one that it does not know says nothing, and the proof stands without it. So a table may grow: a
name that it learns can be checked from then on, and no file becomes unreadable.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, final

from consistency_lab.core.document import Proof
from consistency_lab.core.numbers import BITS, shown
from consistency_lab.core.reading import array, boolean, expression, fraction, name, one_of, record, row
from consistency_lab.core.risk import merged
from consistency_lab.errors import ConsistencyLabError, InputError, RejectedError
from consistency_lab.exact import LogRational, rational_text, working_precision
from consistency_lab.model.conditions import conditions_at
from consistency_lab.model.distribution import Distribution, PreferenceGraph
from consistency_lab.model.surrogates import FAMILIES as KNOWN
from consistency_lab.model.surrogates import (
    FORMS,
    EdgeSurrogate,
    LinearSurrogate,
    RegressionSurrogate,
    Surrogate,
    surrogate,
)
from consistency_lab.phi import Expression, exact_value, named, parse
from consistency_lab.proofs.record import Entry, Named, as_atom

if TYPE_CHECKING:
    from consistency_lab.proofs.task_names import LabelNames

TARGET: Final = "pairwise-disagreement"


def check_names(value: object, proof: Proof, entry: Mapping[str, object]) -> Named:
    """Recompute the names of a file beside a proof that the core has accepted, and its entry in the file.

    Raises
    ------
    RejectedError
        If a name that is known means something else.
    """
    fields = record(value, "named", (), ("graphs", "labels", "surrogate", "target", "decoder", "conditions"))
    told: list[tuple[str, bool]] = []
    called = None
    with working_precision(BITS):
        names = _names(fields, proof, entry)
        if "target" in fields:
            told.append(names.target(fields["target"]))
        if "surrogate" in fields:
            called, of_it = names.surrogate(fields["surrogate"])
            told += of_it
        if "decoder" in fields:
            told += names.decoder(fields["decoder"])
        conditions = dict(names.conditions)
        claimed = fields.get("conditions", {})
        if not isinstance(claimed, dict):
            raise InputError("named.conditions must be an object with true or false for each condition")
        for key, claim in claimed.items():
            condition = name(key, "a key of named.conditions")
            stated = boolean(claim, f"named.conditions.{key[:40]}")
            holds = names.holds(condition)
            if holds is not None:
                if holds is not stated:
                    raise RejectedError(
                        f"the condition {condition} is stated as {shown(stated)}, but is {shown(holds)}"
                    )
                conditions[condition] = holds
            if holds is not False:
                told.append((condition, holds is not None))
    recomputed, unknown = (tuple(word for word, known in told if known is this) for this in (True, False))
    return Named(recomputed, unknown, called, MappingProxyType(conditions))


def _names(fields: Mapping[str, Any], proof: Proof, entry: Mapping[str, Any]) -> "GraphNames | LabelNames":
    if "labels" not in fields:
        return GraphNames(fields, proof)
    # Files about preference graphs do without the tables of tasks.
    from consistency_lab.proofs.task_names import LabelNames

    return LabelNames(fields, proof, entry)


@final
class GraphNames:
    """The names of a file about preference graphs, or about losses without names.

    Like `LabelNames` it tells each name with whether it was recomputed (RejectedError if it is known and
    means something else), and the surrogate by what the file calls it besides.
    """

    def __init__(self, fields: Mapping[str, Any], proof: Proof) -> None:
        self.proof, self.distribution = proof, None
        self.aggregate = _aggregate(proof) if proof.labels[0].prefers is not None else None
        self.conditions = {} if self.aggregate is None else conditions_at(self.aggregate)
        self.holds = self.conditions.get
        if "graphs" in fields:
            self.distribution = _distribution(fields["graphs"], proof.coordinates)
            if self.aggregate is None or self.distribution.aggregate != self.aggregate:
                raise RejectedError("the graphs do not add up to the preferences of the proof")

    def target(self, value: Any) -> tuple[str, bool]:
        """The one target of preference graphs."""
        called = name(value, "named.target")
        if called == TARGET and self.aggregate is None:
            raise RejectedError(f"the target is called {TARGET}, but losses are listed one by one")
        return called, called == TARGET

    def decoder(self, value: Any) -> list[tuple[str, bool]]:
        """Nothing: orders of items are sorted."""
        return []

    def surrogate(self, value: Any) -> tuple[str, list[tuple[str, bool]]]:
        """The name; its terms are those of the proof."""
        called, built = named_surrogate(value)
        if built is None:
            return called, [(called, False)]
        if self.aggregate is None:
            raise RejectedError(f"the surrogate {shown(called)} is about preferences, and losses are listed")
        distribution = self.distribution
        if distribution is None:
            if not built.of_aggregate:
                raise RejectedError(f"the surrogate {shown(called)} sees single graphs, and none are given")
            distribution = Distribution.from_aggregate(self.aggregate, self.proof.coordinates)
        try:
            derived = built.risk_terms(distribution)
        except ConsistencyLabError as error:
            raise RejectedError(f"the risk of {shown(called)} is not known exactly: {error}") from None
        labels = self.proof.labels
        if any(label.atoms != label.psi for label in labels):
            raise RejectedError(f"the surrogate {shown(called)} is a sum of terms, and the proof lists none")
        stated = merged(atom.times(label.probability) for label in labels for atom in label.atoms)
        if set(stated) != set(map(as_atom, derived)):
            raise RejectedError(f"the risk of the proof is not that of the surrogate {shown(called)}")
        called += "" if _is_exact(built, distribution) else " up to a positive factor"
        return called, [(called, True)]


def distribution_of(value: Mapping[str, object], proof: Proof | None) -> Distribution:
    """The distribution of an accepted file: the graphs that it names, or one with the same aggregate."""
    if proof is None or any(label.prefers is None for label in proof.labels):
        raise InputError("this is not about preferences between items")
    if "graphs" in value:
        return _distribution(value["graphs"], proof.coordinates)
    return Distribution.from_aggregate(_aggregate(proof), proof.coordinates)


def graphs_entry(surrogate: Surrogate, distribution: Distribution, *, graphs: bool = True) -> Entry:
    """The ``named`` entry of a file about preference graphs, with or without these."""
    items = distribution.items
    listed = [
        {
            "probability": rational_text(p),
            "edges": [[items[i], items[j], rational_text(w)] for i, j, w in graph],
        }
        for p, graph in zip(distribution.probabilities, distribution.graphs, strict=True)
    ]
    return {
        "surrogate": surrogate_entry(surrogate.describe(distribution)),
        "target": TARGET,
        "conditions": conditions_at(distribution.aggregate),
        **({"graphs": listed} if graphs else {}),
    }


def surrogate_entry(described: Mapping[str, object]) -> dict[str, object]:
    """What a file says of its surrogate: family and parameters, or a name of its own."""
    return dict(described) if described["family"] in FAMILIES else {"name": f"{_OWN}{described['name']}"}


def _aggregate(proof: Proof) -> tuple[tuple[Fraction, ...], ...]:
    m = len(proof.coordinates)
    a = [[Fraction(0)] * m for _ in range(m)]
    for label in proof.labels:
        for (i, j), weight in label.prefers or ():
            a[i][j] += label.probability * weight
    return tuple(map(tuple, a))


def _distribution(value: object, names: Sequence[str]) -> Distribution:
    numbers = {item: k for k, item in enumerate(names)}

    def edge(value: object, where: str) -> tuple[int, int, Fraction]:
        i, j, weight = row(value, where, 3)
        if not (isinstance(i, str) and isinstance(j, str) and i in numbers and j in numbers):
            raise InputError(f"{where} is between {shown(i)} and {shown(j)}; both must be coordinates")
        return numbers[i], numbers[j], fraction(weight, where)

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
    """Whether h is rational at every weight; else 1 stands for the one value that it has."""
    if type(built) is not EdgeSurrogate:
        return True
    values = {exact_value(built.h, LogRational(w)) for graph in distribution.graphs for *_, w in graph}
    return all(value is not None and value.as_rational() is not None for value in values)


def named_surrogate(value: object) -> tuple[str, Surrogate | None]:
    """The name of a surrogate, and what its family and parameters make; None for a family that is not known.

    A loss without a family is called "own: ...", which no table ever says: whatever its name is, it is not
    mistaken for one that has a meaning here, or will have one next year.

    Raises
    ------
    RejectedError
        If the name means something else than the parameters, or a loss of one's own is not called so.
    """
    if not isinstance(value, dict) or "name" not in value:
        raise InputError("named.surrogate must be an object with the key 'name'")
    called = name(value["name"], "named.surrogate.name")
    if "family" not in value:
        record(value, "named.surrogate", ("name",))
        if not called.startswith(_OWN):
            raise RejectedError(
                f"the surrogate {shown(repr(called))} has no family; such a loss must be called {_OWN}..."
            )
        return called, None
    family = name(value["family"], "named.surrogate.family")
    if family not in FAMILIES:
        return f"{called} (of the family {family})", None
    kind, where = FAMILIES[family], "named.surrogate"
    letters, fixed = kind.letters(), kind.family.fixed
    fields = record(value, where, ("family", "name", *letters, *(key for key, _ in fixed)))
    for key, word in fixed:
        one_of(fields[key], f"{where}.{key}", (word,))
    values = [_value(letter, fields[key], f"{where}.{key}") for key, letter in letters.items()]
    built = kind(called, *values)  # type: ignore[call-arg]
    if not _means(called, built):
        raise RejectedError(
            f"the surrogate is called {shown(repr(called))}, but by its parts it is something else"
        )
    return called, built


_A: Final = parse("a", "a")
_OWN: Final = "own: "


def _value(letter: str, value: object, where: str) -> Expression | Fraction:
    """The value of a letter such as phi(x) or nu."""
    return expression(value, where, letter[-2]) if letter.endswith(")") else fraction(value, where)


FAMILIES: Final[Mapping[str, type[Surrogate]]] = MappingProxyType(
    {line.name: kind for kind, line in KNOWN.items()}
)
"""Their classes by the names of the families."""

_PREFIXES: Final[Mapping[type[Surrogate], str]] = MappingProxyType(
    {form.kind: form.prefix for form in FORMS.values()}
)


def _means(called: str, built: Surrogate) -> bool:
    """Whether a name says what its parts are; a function goes by any name that means it, or by its text."""
    if type(built) is RegressionSurrogate:
        return called == "regression"
    if type(built) is LinearSurrogate:
        return built == surrogate("linear") or called == f"linear with r={built.r} nu={built.nu}"
    h = getattr(built, "h", _A)
    prefix, suffix = _PREFIXES[type(built)], "" if h == _A else f" with h={h.text('a')}"
    if not (called.startswith(prefix) and called.endswith(suffix)):
        return False
    return _denoted(called[len(prefix) : len(called) - len(suffix)]) == built.functions[0]


def _denoted(word: str) -> Expression | None:
    """The scalar function that a name or a text means, None if it means none."""
    if word != word.strip():
        return None
    try:
        return named(word).expression
    except InputError:
        pass
    try:
        return parse(word)
    except InputError:
        return None
