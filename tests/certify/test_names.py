"""Names beside a proof are recomputed: what is false is refused, what is not known says nothing."""

import json
from dataclasses import replace
from fractions import Fraction
from importlib.resources import files
from typing import Any

import pytest

from consistency_lab.certify.proofs import names
from consistency_lab.certify.proofs.file import sealed, verify, verify_file
from consistency_lab.certify.proofs.record import agrees, same_risk, written
from consistency_lab.certify.witness import certify
from consistency_lab.core.reading import record
from consistency_lab.core.risk import PhiAtom
from consistency_lab.errors import ConsistencyLabError, InputError, RejectedError
from consistency_lab.model import conditions
from consistency_lab.model.conditions import CONDITIONS, TASK_CONDITIONS
from consistency_lab.model.distribution import Distribution
from consistency_lab.model.surrogates import surrogate
from consistency_lab.model.surrogates.catalogue import FAMILIES
from consistency_lab.model.surrogates.tasks.catalogue import TASK_CLASSES
from consistency_lab.model.surrogates.tasks.decoders import DECODERS
from consistency_lab.model.tasks.catalogue import SPACES, TASKS
from consistency_lab.numbers.exact import LogRational
from consistency_lab.numbers.phi import parse, table
from consistency_lab.numbers.tape import Number
from tests.trees import leaves

from .files import FOLDER, GALLERY, Document, Edit, edited, read
from .test_gallery import replaced

LOGISTIC = next(path for path in GALLERY if path.name.startswith("logistic-additive"))

FORGED: list[tuple[Edit, str]] = [
    (
        lambda d: d["named"]["surrogate"].update(name="hinge"),
        r"of the surrogate hinge, named.surrogate.phi is stated as log\(1\+exp\(-x\)\), but is max\(0,1-x\)",
    ),
    (
        lambda d: d["named"]["surrogate"].update(name="logistic with h=a**2"),
        r"named.surrogate.h is stated as .*, but is x\*\*2",
    ),
    (lambda d: d["named"]["surrogate"].update(name="logistic "), "edge has no surrogate that is called"),
    (lambda d: d["named"]["surrogate"].update(name="Logistic"), "edge has no surrogate that is called"),
    (lambda d: d["named"]["surrogate"].update(name="margin-logistic"), "edge has no surrogate that is"),
    (lambda d: d["named"]["surrogate"].update(name="hinge", phi="max(0,1-x)"), "not that of the"),
    (lambda d: d["named"]["surrogate"].update(h="a**2", name="logistic with h=a**2"), "not that of"),
    (
        lambda d: d["named"]["surrogate"].update(h="log(a)", name="logistic with h=log(a)"),
        "not known exactly",
    ),
    (lambda d: d["named"]["conditions"].update({"low-noise": False}), "stated as false, but is true"),
    (lambda d: d["named"]["graphs"][0].update(probability="1/3"), "the graphs are no distribution"),
    (
        lambda d: d["named"]["graphs"][0]["edges"][0].__setitem__(2, "7"),
        "for the graphs, the sum of prefers.1 → 2",
    ),
    (
        lambda d: d["proof"]["labels"][0]["psi"][0]["terms"][0].__setitem__(0, "9"),
        "bound|balance|gap|certain",
    ),
]


@pytest.mark.parametrize(("edit", "message"), FORGED)
def test_a_name_that_means_something_else_is_refused(edit: Edit, message: str) -> None:
    document = edited(read(LOGISTIC), edit)
    with pytest.raises(RejectedError, match=message):
        verify(document)


def test_a_text_of_the_function_is_as_good_as_its_name() -> None:
    for called in ("logistic", "ranknet", "log(1+exp(-x))"):
        document = edited(
            read(LOGISTIC), lambda d, called=called: d["named"]["surrogate"].update(name=called)
        )
        assert called in verify(document).recomputed


@pytest.mark.parametrize("called", ["hinge", "hinge ", "Hinge", "һinge", "hin\u0301ge", "mine", "Own: mine"])
def test_a_loss_of_ones_own_is_called_so(called: str) -> None:
    """Look-alikes and names of next year's table included: no table says "own: ..."."""
    document = edited(read(LOGISTIC), lambda d: d["named"].update(surrogate={"name": called}))
    with pytest.raises(RejectedError, match="has no family; such a loss must be called own: "):
        verify(document)
    document = edited(read(LOGISTIC), lambda d: d["named"].update(surrogate={"name": f"own: {called}"}))
    assert verify(document).unknown == (f"own: {called}",)


def test_terms_of_a_surrogate_are_no_known_mean() -> None:
    """With h = a - 1 the named loss is 0 everywhere; the proof is about a square risk."""
    label = {"probability": "1", "prefers": [["A", "B", "3/5"], ["B", "A", "2/5"]], "psi": ["0", "1"]}
    proof = {
        "claim": "inconsistent",
        "coordinates": ["A", "B"],
        "decoder": "sort",
        "labels": [label],
        "scores": None,
        "prediction": ["B", "A"],
        "better": ["A", "B"],
        "failure": "strict",
        "regret": "1/5",
        "certificate": {"kind": "mean", "risk": "squares"},
    }
    graphs = [
        {"probability": "3/5", "edges": [["A", "B", "1"]]},
        {"probability": "2/5", "edges": [["B", "A", "1"]]},
    ]
    loss = {"family": "edge", "name": "logistic with h=a-1", "phi": "log(1+exp(-x))", "h": "a-1"}
    assert verify(sealed(proof, {"graphs": graphs}, {})).failure == "strict"
    with pytest.raises(RejectedError, match="is a sum of terms, and the proof lists none"):
        verify(sealed(proof, {"graphs": graphs, "surrogate": loss}, {}))


def test_an_irrational_h_is_recomputed_up_to_a_factor() -> None:
    found = certify(surrogate("logistic", h="sqrt(a)/1000"), Distribution.of(2, [(1, {(0, 1): 2})]))
    assert found is not None
    assert found.verified.recomputed[1] == "logistic with h=sqrt(a)/1000 up to a positive factor"


@pytest.mark.parametrize(
    "change",
    [
        {"surrogate": {"family": [], "name": "own: mine"}},
        {"surrogate": {"family": {}, "name": "own: mine"}},
        {"surrogate": {"name": 3}},
        {"surrogate": {"name": "own: mine", "phi": "x"}},
        {"surrogate": {"family": "regression", "name": "regression", "f": {}}},
        {"conditions": {"low-noise": "True"}},
        {"conditions": {"next year's": "True"}},
        {"graphs": [{"probability": "1", "edges": [[["A"], "B", "3"]]}]},
        {"graphs": "none"},
        {"conditions": []},
        {"target": 3},
    ],
)
def test_names_of_another_type_are_refused(change: Document) -> None:
    with pytest.raises(ConsistencyLabError):
        verify(edited(read(LOGISTIC), lambda d: d["named"].update(change)))


def test_what_is_not_known_here_is_said_and_the_proof_stands() -> None:
    document = read(LOGISTIC)
    document["named"]["conditions"]["a condition of next year"] = True
    document["named"]["surrogate"] = {"name": "our loss", "family": "next year's"}
    document["named"]["target"] = "a target of next year"
    found = verify(edited(document, lambda d: None))
    loss = "our loss (of the family next year's)"
    assert set(found.unknown) == {"a condition of next year", loss, "a target of next year"}
    assert found.conditions["low-noise"] is True


def test_an_atom_too_many_or_too_few_is_named_with_its_factor() -> None:
    atoms = (PhiAtom(Fraction(3), parse("exp(-x)"), ((0, Fraction(1)),), LogRational(Fraction(0))),)
    same_risk(atoms, atoms, ("A",), "mine")
    with pytest.raises(RejectedError, match="has the factor 3 and must have 0"):
        same_risk(atoms, (), ("A",), "mine")
    with pytest.raises(RejectedError, match="has the factor 0 and must have 3"):
        same_risk((), atoms, ("A",), "mine")


def test_listed_losses_are_no_preferences() -> None:
    document = read(FOLDER / "libraries" / "ndcg-01-sigmoid.json")
    found = verify(edited(document, lambda d: d["named"].clear()))
    assert (found.about, found.conditions) == (None, {})
    surrogate_entry, graphs = (read(LOGISTIC)["named"][key] for key in ("surrogate", "graphs"))
    for named in ({"target": names.TARGET}, {"surrogate": surrogate_entry}, {"graphs": graphs}):
        with pytest.raises(RejectedError, match=r"losses (are listed|one by one)"):
            verify(sealed(document["proof"], named, {}))


def test_a_decoder_beside_graphs_sorts_or_is_not_known() -> None:
    document = edited(read(LOGISTIC), lambda d: d["named"].update(decoder="sort"))
    assert "sort" in verify(document).recomputed
    document = edited(read(LOGISTIC), lambda d: d["named"].update(decoder="argmax"))
    assert verify(document).unknown == ("argmax",)


@pytest.mark.parametrize("key", ["graphs", "features"])
def test_labels_go_with_no_graphs(key: str) -> None:
    document = read(FOLDER / "libraries" / "ndcg-01-sigmoid.json")
    with pytest.raises(InputError, match=f"named has labels and {key}; a proof is about one kind"):
        verify(edited(document, lambda d: d["named"].update({key: []})))


def test_without_graphs_the_aggregate_decides_where_it_can() -> None:
    document = edited(read(LOGISTIC), lambda d: d["named"].pop("graphs"))
    assert "logistic" in verify(document).recomputed
    margin = next(path for path in GALLERY if path.name.startswith("margin-logistic"))
    document = edited(read(margin), lambda d: d["named"].pop("graphs"))
    with pytest.raises(RejectedError, match="sees single graphs, and none are given"):
        verify(document)


def test_a_table_that_grows_makes_no_file_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file names max(0,1-x)**2/2-max(0,-x)**2/2 by its text; next year the table has a name for it."""
    smoothed = next(path for path in GALLERY if path.name.startswith("smoothed-hinge"))
    row = table.NAMED["smoothed-hinge"]

    def by_text(document: Document) -> None:
        document["named"]["surrogate"]["name"] = row.text

    for rows in (tuple(r for r in table._ROWS if r is not row), table._ROWS):
        with monkeypatch.context() as patch:
            patch.setattr(table, "_ROWS", rows)
            assert row.text in verify(edited(read(smoothed), by_text)).recomputed


def test_the_gallery_is_read_after_all_tables_have_grown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every function has a new name beside its old one; there are a new condition and a new family."""
    rows = [replace(row, name=f"new-{row.name}", aliases=(*row.aliases, row.name)) for row in table._ROWS]
    grown = {"strict-majorities": conditions.CONDITIONS["any"], **conditions.CONDITIONS}
    before = {path: verify_file(path) for path in GALLERY}
    monkeypatch.setattr(table, "_ROWS", tuple(rows))
    monkeypatch.setattr("consistency_lab.model.conditions.CONDITIONS", grown)
    monkeypatch.setattr(names, "FAMILY_CLASSES", {**names.FAMILY_CLASSES, "another": names.EdgeSurrogate})
    for path, old in before.items():
        new = verify_file(path)
        assert new.conditions == old.conditions | {"strict-majorities": True}
        for key in ("claim", "failure", "regret", "recomputed", "unknown"):
            assert getattr(new, key) == getattr(old, key)


def test_the_digest_and_the_form_are_checked() -> None:
    document = read(LOGISTIC)
    with pytest.raises(RejectedError, match="the digest is stated as"):
        verify({**document, "provenance": {**document["provenance"], "note": "another"}})
    for change in ({"format": "consistency-lab/proof/3"}, {"more": 1}, {"provenance": {}}, {"named": []}):
        with pytest.raises(ConsistencyLabError):
            verify({**document, **change})
    assert record(document, "the file", ("format", "digest", "proof", "named", "provenance"))


def test_the_schema_says_what_each_name_of_a_task_means() -> None:
    """docs/proof-format.md shows these tables on the site, so that a stranger can write a checker."""
    text = files("consistency_lab.certify.proofs").joinpath("proof.schema.json").read_text("utf-8")
    known: Any = json.loads(text)["$defs"]["named"]["properties"]

    def named(place: Any) -> set[str]:
        assert place["anyOf"][-1] == {"type": "string"}
        assert all(one["description"] for one in place["anyOf"][:-1])
        return {one["const"] for one in place["anyOf"][:-1]}

    target = known["target"]["anyOf"][1]["properties"]
    assert named(target["loss"]) == {line.target for line in TASKS} | {"wta"}
    assert named(target["labels"]["properties"]["kind"]) == {space.kind for space in SPACES}
    families = {kind.family.name for kind in (*FAMILIES, *TASK_CLASSES)}
    assert named(known["surrogate"]["properties"]["family"]) == families
    assert named(known["decoder"]) == {*DECODERS}
    assert named(known["conditions"]["propertyNames"]) == {*TASK_CONDITIONS} - {*CONDITIONS}


def test_conditions_do_not_stand_for_a_decoder_that_is_not_known() -> None:
    """What a file asks is known if its target, its surrogate and its decoder are, however many conditions."""
    document = read(FOLDER / "libraries" / "ndcg-01-sigmoid.json")
    assert verify(document).about is not None
    conditions = dict.fromkeys(("additive", "low-noise", "net-order", "acyclic", "any"), True)
    other = {**document["named"], "decoder": "another", "conditions": conditions}
    verified = verify(sealed(document["proof"], other, document["provenance"]))
    assert set(conditions) <= set(verified.recomputed) and "another" in verified.unknown
    assert verified.about is None


def test_what_is_called_in_ones_own_way_is_known_by_its_parts() -> None:
    document = read(FOLDER / "libraries" / "ndcg-01-logistic.json")
    found = verify(edited(document, lambda d: d["named"]["surrogate"].update(name="own: mine")))
    assert found.unknown == ("own: mine",) and found.about is not None
    without = verify(edited(document, lambda d: d["named"].pop("target")))
    assert without.about is None and without.unknown


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"labels": [[-1, 0]]}, "an integer from 0 to 1000"),
        ({"labels": [[1001, 0]]}, "an integer from 0 to 1000"),
        ({"surrogate": "mine"}, "a surrogate is an object with the texts 'family' and 'name'"),
    ],
)
def test_labels_and_surrogates_of_another_form_are_refused(change: Document, message: str) -> None:
    document = read(FOLDER / "libraries" / "ndcg-01-logistic.json")
    with pytest.raises(InputError, match=message):
        verify(edited(document, lambda d: d["named"].update(change)))


def test_labels_differ_and_a_decoder_fits_its_target() -> None:
    document = read(FOLDER / "libraries" / "ndcg-01-logistic.json")
    dags = read(FOLDER.parent / "tests" / "fixtures" / "by_hand" / "algorithm-1.json")
    labels = document["named"]["labels"]
    with pytest.raises(RejectedError, match="the labels are not different ones of"):
        verify(edited(document, lambda d: d["named"].update(labels=[labels[0]] * len(labels))))
    with pytest.raises(RejectedError, match="the surrogate does not fit the target"):
        verify(edited(dags, lambda d: d["named"].update(decoder="argmax")))


LOG_2 = Number.of(parse("log(2)"))


@pytest.mark.parametrize(
    ("stated", "derived", "message"),
    [
        (
            {"a": ["1", {"b": True}]},
            {"a": ["1", {"b": False}]},
            r"here.a\[1\].b is stated as true, but is false",
        ),
        ({"a": ["1/2", "2"]}, {"a": (Fraction(1, 2), Fraction(3))}, r"here.a\[1\] is stated as 2, but is 3"),
        ([[1, 2]], [[1]], r"here\[0\] is stated as a list of 2, but is a list of 1"),
        ([1], [1, 2], "here is stated as a list of 1, but is a list of 2"),
        *[
            (stated, derived, "here is stated as .*, but is ")
            for stated, derived in (
                ({"b": 1}, {"a": 1}),
                ([], {"a": 1}),
                ({}, "a"),
                ({}, []),
                ("a", ["a"]),
                (["a"], "a"),
                (None, ["a"]),
                (None, {}),
                (1, True),
                (1, "1"),
                (1, Fraction(1)),
                ("x**2", parse("x")),
                ("log(2)", Fraction(1)),
                ("1", LOG_2),
                ("log(3)", LOG_2),
            )
        ],
    ],
)
def test_trees_that_differ_are_told_by_the_first_entry(stated: object, derived: object, message: str) -> None:
    with pytest.raises(RejectedError, match=message):
        agrees(stated, derived, "here")


def test_trees_agree_by_their_numbers_and_by_what_was_derived() -> None:
    """Two irrational numbers that look alike need not be the same: an expression says so, balls do not."""
    assert agrees({"a": "2/4", "b": 1}, {"a": Fraction(1, 2)}, "here")
    assert agrees(["log(2)", "x"], (LOG_2, "x"), "here")
    assert agrees({"phi": "(x)", "h": "a"}, {"phi": parse("x"), "h": parse("a", "a")}, "here")
    assert not agrees({"a": "log(4)-log(2)", "b": "1"}, {"a": LOG_2, "b": Fraction(1)}, "here")
    assert not agrees("sqrt(2)*sqrt(2)", Fraction(2), "here")
    assert not agrees("2", Number.of(parse("sqrt(2)*sqrt(2)")), "here")
    assert not agrees(["log(4)-log(2)", "1"], [LOG_2, Fraction(1)], "here")


def test_a_tree_is_written_with_its_numbers_as_texts() -> None:
    tree = {"a": (Fraction(1, 2), {"b": [LogRational(Fraction(0), Fraction(3))]}), "c": 1, "d": "x"}
    assert written(tree) == {"a": ["1/2", {"b": ["log(3)"]}], "c": 1, "d": "x"}


KINDS = (
    "counterexamples/logistic-additive-3items-ca20d338",
    "counterexamples/margin-square-additive-3items-02416caf",
    "counterexamples/difference-hinge-any-4items-bcf3d118",
    "counterexamples/linear-acyclic-3items-e219c171",
    "counterexamples/regression-acyclic-3items-601a658a",
    "counterexamples/features/logistic-any-4items-6a9def79",
    "counterexamples/libraries/ndcg-01-logistic",
    "counterexamples/libraries/ndcg-01-sigmoid",
    "counterexamples/libraries/ndcg-012-list-mle",
    "counterexamples/libraries/ndcg-012-lightgbm-lambdarank",
    "counterexamples/libraries/pairwise-012-soft-zero-one-mean",
    "tests/fixtures/by_hand/factor",
    "tests/fixtures/by_hand/crammer-singer",
    "tests/fixtures/by_hand/independent",
    "tests/fixtures/earlier/infeasible",
)
"""Files of all kinds of names."""


ALSO_PROVED = {
    # Other weights may be right too.
    "counterexamples/features/logistic-any-4items-6a9def79": {("features", "right")},
    # No label has the highest grade.
    "counterexamples/libraries/ndcg-012-list-mle": {("target", "labels")},
    # Three items are fewer than 30 or 31.
    "counterexamples/libraries/ndcg-012-lightgbm-lambdarank": {("surrogate", "lambdarank_truncation_level")},
    # The pairs of grades count, and not how far apart these are.
    "counterexamples/libraries/pairwise-012-soft-zero-one-mean": {("labels", 0)},
    # What decodes other predictions than the two that are listed, and what these cost.
    "tests/fixtures/by_hand/factor": {("surrogate", "beta"), ("surrogate", "offset"), ("target", "rows")},
}
"""Changes after which the names ask another question that the same proof answers."""


def other(value: object) -> object:
    """Another value of a leaf, of the same form where it has one."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    try:
        return str(Fraction(str(value)) + Fraction(1, 7))
    except ValueError:
        return 1 if value in (None, [], {}) else f"{value}x"


@pytest.mark.parametrize("path", KINDS)
def test_every_other_name_is_refused_or_not_known(path: str) -> None:
    document = read(FOLDER.parent / f"{path}.json")
    assert verify(document).unknown == ()
    also = set()
    for at, value in leaves(document["named"]):
        try:
            found = verify(replaced(document, ("named", *at), other(value)))
        except ConsistencyLabError:
            continue
        if not found.unknown:
            also.add(at[:2])
    assert also == ALSO_PROVED.get(path, set())
