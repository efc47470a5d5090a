"""What the core accepts is so, and what is not so it refuses: by hand, mutated, and against the kernel."""

import copy
from fractions import Fraction
from itertools import cycle, islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consistency_lab import ConsistencyLabError, Distribution, InputError, RejectedError, surrogate
from consistency_lab.certify.witness import certify
from consistency_lab.core import verify_proof
from consistency_lab.core.orders import Cycles, Split, lower_bound
from tests.trees import leaves, replaced

from .proofs import HINGE, LOGISTIC, PROOFS, about, escape, fails, on_pairs, prefers
from .truth import is_true

COMMON = ("common_radius", "common_escape", "common_listwise")
CHAMBERS = ("listed_chamber", "offset_chamber", "max_chamber", "listwise_chamber", *COMMON)
CASES = pytest.mark.parametrize("name", PROOFS)
Path = tuple[str | int, ...]


@CASES
def test_a_proof_by_hand_is_accepted_and_true(name):
    entry = PROOFS[name]()
    assert verify_proof(entry).claim == entry["claim"]
    assert is_true(entry)


def test_what_is_proved_of_each():
    found = {name: verify_proof(make()) for name, make in PROOFS.items()}
    assert {name for name, proved in found.items() if proved.every} == {
        "chamber",
        "wrong_chamber",
        "chain",
        "common_chain",
        *CHAMBERS,
    }
    attained = {"tie", "listwise", "multiclass", "universal", "cells_at_a_minimum"}
    assert {name for name, proved in found.items() if proved.attained} == attained
    assert {name for name, proved in found.items() if proved.universal} == {"universal"}
    assert found["equilibrium"].attracting is True and found["tie"].attracting is None
    assert found["tie"].failure == found["escape"].failure == "tie"
    assert found["mean"].regret == Fraction("0.815464876785")  # (1 + 1/log2(3))/2, rounded down
    assert {name: proved.systems for name, proved in found.items() if proved.systems} == {"infeasible": 1}
    assert {name for name, proved in found.items() if proved.attracting is not None} == {"equilibrium"}
    assert {name for name, proved in found.items() if proved.failure is None} == {
        "chamber",
        *CHAMBERS,
        "infeasible",
    }
    assert found["chamber"].regret is found["infeasible"].regret is None


def test_what_is_stated_of_a_separation_is_so_at_its_scores():
    """Only A above B is separated. (2, 1, 0) sorts A > B > C at a loss of 6; C > A > B would be 1 less."""
    entry = PROOFS["chain"]()
    entry["labels"][0]["prefers"] = prefers("B A 4, C B 2, B C 1")
    entry["certificate"]["bounds"].pop()
    entry |= {"prediction": list("ABC"), "better": list("CBA"), "regret": "5"}
    proved = verify_proof(entry)
    assert (proved.regret, proved.least_regret) == (5, 4)
    entry |= {"prediction": list("CAB"), "regret": "4"}
    with pytest.raises(RejectedError, match="cannot return the stated prediction"):
        verify_proof(entry)


def test_every_prediction_that_may_be_returned_loses_the_least_regret():
    found = {name: verify_proof(make()).least_regret for name, make in PROOFS.items()}
    assert {name: least for name, least in found.items() if least is not None} == {
        "wrong_chamber": 1,
        "mean": Fraction("0.815464876785"),
        "cells": Fraction(1, 3),
        "soft_pairs": 1,
        "positions": 1,
        "equilibrium": 1,
        "listwise": 1,
        "multiclass": 1,
        "chain": 3,
        "common_chain": 3,
        "universal": 1,
        "tied_mean": Fraction(3, 2),
        "cells_at_a_minimum": 1,
    }


def others(value, names):
    """Other values of a leaf."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (-value, value + 1)
    elif value in names:
        yield from (name for name in names if name != value)
    elif value in ("strict", "tie"):
        yield "tie" if value == "strict" else "strict"
    elif value in ("inconsistent", "consistent-at-p", "wrong-equilibrium", "infeasible"):
        yield from {"inconsistent", "consistent-at-p", "wrong-equilibrium", "infeasible"} - {value}
    elif isinstance(value, str) and value[0] in "-0123456789" and "log" not in value:
        number = Fraction(value)
        yield from (str(x) for x in (number + 1, -number, 2 * number, number / 2, number + Fraction(1, 7)))
    elif value in (HINGE, LOGISTIC):
        yield from {HINGE, LOGISTIC, "x**2", "-x", "-x**2", "sqrt(x)"} - {value}
    elif value is None:
        yield from ("0", ["1"], {})


@CASES
def test_no_changed_leaf_makes_it_accept_what_is_false(name):
    """A changed number may state another true thing; an independent float check says which it is."""
    entry = PROOFS[name]()
    names = entry.get("coordinates", [])
    refused = 0
    for path, value in leaves(entry):
        for other in others(value, names):
            changed = replaced(entry, path, other)
            try:
                verify_proof(changed)
            except ConsistencyLabError:
                refused += 1
                continue
            assert is_true(changed), (path, value, other)
    assert refused > 5


@CASES
def test_a_leaf_of_another_type_is_refused_or_still_true(name):
    """Three of these values for each leaf, in turns."""
    values = cycle((None, 7, True, [], {}, "", "nonsense", ["a", ["b"]], "1/0", 10**500))
    entry = PROOFS[name]()
    for path, before in leaves(entry):
        for value in islice(values, 3):
            if type(before) is type(value):
                continue
            changed = replaced(entry, path, value)
            try:
                verify_proof(changed)
            except ConsistencyLabError as error:
                assert "\n" not in str(error) and len(str(error)) < 500
            else:
                assert is_true(changed), (path, value)


@CASES
def test_keys_are_neither_lacking_nor_unknown(name):
    entry = PROOFS[name]()
    with pytest.raises(InputError, match="unknown key 'more'"):
        verify_proof({**entry, "more": 1})
    for key in entry.keys() - {"direction", "orders", "extensions", "universal"}:
        with pytest.raises(ConsistencyLabError):
            verify_proof({k: v for k, v in entry.items() if k != key})


def pairs_too(entry):
    """A label with preferences beside those with losses; the probabilities still sum to 1."""
    entry["labels"][0]["probability"] = "1/2"
    return {"probability": "1/2", "prefers": prefers("A B 1"), "psi": ["0", "0", "1"]}


def flat(entry):
    return {"certificate": {**entry["certificate"], "slopes": [None]}}


def celled(entry):
    """Two predictions by cells, in place of sorting."""
    entry.update(decoder={"x": [], "y": []}, predictions=["x", "y"], prediction="x", better="y", regret="1")
    del entry["labels"][0]["prefers"]
    entry["labels"][0]["losses"] = ["1", "0"]


def cells_of_pairs(entry):
    """Predictions by cells, of which preferences between items say nothing."""
    cells = {"x": [[[["1", "0"], "0"]]], "y": []}
    entry.update(decoder=cells, predictions=["x", "y"], prediction="x", better="y")


def bracketed(entry, number):
    entry["certificate"]["bounds"][0]["brackets"][number] = ["0", "0"]


def apart(entry):
    """C and D are no business of a bound on A and B: with their slope it would be 2, and 1 is right."""
    entry["labels"][0]["psi"][1]["terms"] = [["1", {"C": "1", "D": "-1"}]]
    entry.update(coordinates=list("ABCD"), prediction=list("ABCD"), better=list("DCBA"))
    entry.update(scores=["1", "0", "1", "0"])
    bound = {"above": "A", "below": "B", "slopes": ["-2", "-2"], "brackets": [["0", "0"]] * 2}
    entry["certificate"].update(bounds=[bound], gap="1.5")


def bottomless(entry):
    """D and C pay by a line, so that the risk has no infimum."""
    psi = entry["labels"][0]["psi"]
    psi.append({"phi": "-x", "offset": "0", "terms": [psi[0]["terms"].pop()]})


def slowly(entry):
    """D and C pay by half their difference."""
    entry["labels"][0]["psi"][0]["terms"][4][1] = {"D": "1/2", "C": "-1/2"}
    return entry


def test_what_falls_slowly_falls():
    assert verify_proof(slowly(PROOFS["escape"]())).failure == "tie"


def apart_by_one(entry):
    """Half and half would balance if u_A - u_B = 1 were no difference."""
    entry["labels"][0]["psi"][1]["linear"] = {"A": "-1/2", "B": "-1/2"}
    entry["scores"] = ["1", "0"]


def without(key):
    return lambda entry: entry.pop(key)


def put(*updates, **entries):
    """An edit of a proof: these entries are these."""
    return lambda e: e.update(*updates, **entries)


def label(**entries):
    return lambda e: e["labels"][0].update(entries)


def block(*updates, **entries):
    return lambda e: e["labels"][0]["psi"][0].update(*updates, **entries)


def certificate(**entries):
    return lambda e: e["certificate"].update(entries)


def bound(**entries):
    return lambda e: e["certificate"]["bounds"][0].update(entries)


def at(path, value):
    """An edit of one place, such as "labels 0 losses 5"."""

    def edit(e):
        *keys, last = (int(key) if key.isdigit() else key for key in path.split())
        for key in keys:
            e = e[key]
        e[last] = value

    return edit


REFUSED = [
    ("tie", label(probability="1/2"), "probabilities sum to 1/2"),
    ("tie", lambda e: e["labels"].clear(), "there must be labels"),
    ("tie", certificate(slopes=["-1"]), "1 slopes are stated for 4 atoms"),
    ("tie", put(failure="strict"), "not every prediction is certainly worse"),
    ("tie", put(prediction=["C", "A", "B"]), "cannot return the stated prediction"),
    ("tie", put(better=["A", "C", "B"]), "not certainly worse"),
    ("tie", put(regret="101/100"), "regret is stated as 101/100"),
    ("tie", put(regret="98/100"), "regret is stated as 49/50"),
    ("tie", put(scores=["1", "0", "1/2"]), "atom 2 of the risk: a slope is stated as 0"),
    ("tie", block(phi="-x"), "a slope is stated as 0"),
    ("tie", block(phi="-(x**2)"), "convexity of"),
    ("tie", lambda e: e["labels"][0]["prefers"].append(["A", "A", "1"]), "between two items"),
    ("tie", put(decoder={}), "predictions is null"),
    ("escape", put(direction=[0, 0, 0, -1]), "is not proved to fall"),
    ("escape", put(direction=[0, 0, 1, 1]), "is not proved to fall"),
    ("escape", bottomless, "is not proved to fall"),
    ("escape", lambda e: slowly(e).update(direction=[0, 0, 0, -1]), "is not proved to fall"),
    ("listwise", apart_by_one, "differ by more than a logarithm"),
    ("listwise", put(direction=[1, 0]), "atom 1 of the risk: it moves along the direction"),
    ("multiclass", put(direction=[1, 0]), "atom 1 of the risk: it moves along the direction"),
    ("escape", put(direction=[0, 0, 0, 0]), "direction is 0 everywhere"),
    ("escape", lambda e: e.pop("direction"), "the slope of a term is one number"),
    # Entries that nothing rests on.
    *[
        (name, put({key: {"cycles": []}}), f"does not rest on its entry '{key}'")
        for name, keys in {
            "tie": ("orders", "extensions"),
            "chain": ("extensions",),
            "soft_pairs": ("orders",),
            "tied_mean": ("orders",),
            "listed_chamber": ("orders", "extensions"),
        }.items()
        for key in keys
    ],
    ("tie", put(predictions=[["A", "B", "C"]]), "does not rest on its entry 'predictions'"),
    ("tie", label(name="1 > 2"), "unknown key 'name'"),
    ("listwise", certificate(slopes=[["2/3", "1/3"], None]), "no slope at a minimum"),
    ("listwise", certificate(slopes=[None, "1"]), "no slope to state"),
    *[
        (name, lambda e, k=k: bracketed(e, k), "no bracket to state")
        for name, k in [("max_chamber", 0), ("listwise_chamber", 0), ("listwise_chamber", 2)]
    ],
    ("listwise_chamber", at("certificate bounds 0 slopes 1", "1"), "no slope to state"),
    ("escape", at("certificate slopes 4", "0"), "so it has no slope"),
    ("chamber", put(scores=["0", "1"]), "the scores do not put A above B"),
    ("chamber", certificate(gap="1.1"), "not certainly by 1.1"),
    ("chamber", certificate(gap="0"), "it must be positive"),
    ("chamber", certificate(bounds=[]), "at least one bound"),
    ("chamber", label(prefers=prefers("A B 2, B A 3")), "may cost 3, and optimal"),
    ("chamber", bound(slopes=["2"], brackets=[["2", "2"]]), "balance"),
    ("chamber", put(fails("AB", "BA", "strict", "1"), claim="consistent-at-p"), "has no prediction"),
    ("wrong_chamber", put(failure="tie"), "no scores are known to be tied"),
    ("wrong_chamber", put(direction=[1, 0]), "a direction belongs to"),
    ("mean", put(scores=["0", "0"]), "they must be null"),
    ("mean", certificate(risk="chances"), "not an integer"),
    ("mean", label(psi=["2", "-1"]), "cannot return the stated prediction"),
    ("mean", label(losses=["0"]), "one loss for each"),
    ("cells", certificate(risk="sigmoids"), "not decoded by cells"),
    ("equilibrium", put(claim="inconsistent"), "does not prove the claim"),
    ("equilibrium", certificate(box=[["7/10", "8/10"]]), "not proved to lie in the box"),
    ("equilibrium", certificate(box=[["-7/10", "7/10"]]), "not every point of the box"),
    ("listwise", block({"log-sum-exp": "-1"}), "negative coefficient"),
    ("multiclass", at("certificate slopes 0", ["0", "1"]), "does not attain"),
    ("multiclass", at("certificate slopes 0", ["2", "-1"]), "at least 0 and sum to 1"),
    # What the labels say.
    ("tie", label(probability="0"), "of positive probability"),
    ("tie", lambda e: e["labels"].append({**e["labels"][0], "probability": "0"}), "of positive probability"),
    ("tie", lambda e: e["labels"][0]["prefers"].append(["A", "B", "0"]), "of positive weight"),
    ("tie", lambda e: e["labels"][0]["prefers"].append(["A", "B", "-1/2"]), "of positive weight"),
    ("tied_mean", lambda e: e["labels"].append(pairs_too(e)), "one loss for each"),
    ("tied_mean", lambda e: e["predictions"].pop(), "one loss for each"),
    ("tied_mean", lambda e: [x.pop() for x in (e["predictions"], e["labels"][0]["losses"])], "no losses are"),
    ("mean", lambda e: e["labels"][0]["psi"].pop(), "the same number of features"),
    ("mean", lambda e: [label["psi"].pop() for label in e["labels"]], "one score for each coordinate"),
    ("soft_pairs", at("labels 0 psi 0", "1/log2(3)"), "needs one rational for"),
    ("soft_pairs", lambda e: [label["psi"].pop() for label in e["labels"]], "needs one rational for"),
    ("soft_pairs", lambda e: [label["psi"].append("0") for label in e["labels"]], "needs one rational for"),
    # Strict: all that may be returned is worse, not some of it.
    ("tied_mean", at("labels 0 losses 5", "1"), "not every prediction is certainly"),
    ("tied_mean", at("labels 0 losses 5", "0"), "not every prediction is certainly"),
    ("cells_at_a_minimum", lambda e: e["decoder"].update(yes=[[[["1"], "0"]]]), "not every prediction"),
    ("chain", lambda e: (e["certificate"]["bounds"].pop(0), e.update(failure="tie")), "known to be tied"),
    ("chain", label(prefers=prefers("B A 2, B C 2")), "certainly worse"),
    ("universal", put(failure="tie"), "no scores are known to be tied"),
    # What may be returned.
    ("chain", put(prediction=["A", "C", "B"]), "cannot return the stated prediction"),
    ("chain", put(prediction=["B", "A", "C"]), "cannot return the stated prediction"),
    ("tied_mean", put(prediction=["A", "C", "B"]), "cannot return the stated prediction"),
    ("cells_at_a_minimum", put(prediction="yes", better="no"), "cannot return the stated"),
    ("tied_cells", put(failure="strict"), "not every prediction is certainly worse"),
    ("multiclass", cells_of_pairs, "does not rest on its entry 'predictions'"),
    # Certificates that do not go together with the rest.
    (
        "cells_at_a_minimum",
        lambda e: e.update(direction=[1], **flat(e)),
        "a direction belongs to a certificate of a minimum, and to sorting",
    ),
    ("cells_at_a_minimum", put(scores=None), "they must be stated"),
    ("chain", celled, "goes with sorting, not with cells"),
    ("equilibrium", put(scores=["0", "0"]), "must be null"),
    ("equilibrium", celled, "an equilibrium is sorted"),
    (
        "equilibrium",
        put(claim="inconsistent", certificate={"kind": "mean", "risk": "squares"}),
        "it must be a list",
    ),
    ("listed_chamber", lambda e: e["labels"][0]["losses"].reverse(), "not certainly optimal"),
    ("listed_chamber", put(universal=[]), "has no prediction"),
    ("listed_chamber", put(regret="1"), "has no prediction"),
    ("listed_chamber", put(failure="strict"), "has no prediction"),
    ("chamber", put(certificate={"kind": "minimum", "slopes": ["0"]}), "needs a separation"),
    *[("chain", without(key), "a failure needs") for key in ("prediction", "better", "failure", "regret")],
    # One of two slopes at a kink is irrational.
    *[
        (
            "cells_at_a_minimum",
            lambda e, phi=phi: e["labels"][0]["psi"][0].update(phi=phi),
            "not known to be rational",
        )
        for phi in ("max(0,-exp(1)*x)", "max(0,exp(1)*x)")
    ],
    # The bounds of a separation.
    ("chamber", put(scores=["2/3", "0"]), "0.88888.*not certainly by 0.9"),
    ("chamber", certificate(gap="1.0001"), "not certainly by"),
    ("chamber", certificate(gap="-1/2"), "it must be positive"),
    ("chamber", bound(brackets=[]), "one slope and one bracket"),
    ("chamber", bound(brackets=[["1/2", "0"]]), "is empty"),
    ("chamber", bound(brackets=[["1/2", "1"]]), "certainly at most"),
    ("chamber", bound(brackets=[["-1", "-1/2"]]), "certainly at least"),
    ("chamber", bound(slopes=["0"], brackets=[None]), "exceeds the value at the scores by 0,"),
    ("chain", lambda e: e["certificate"]["bounds"][0]["slopes"].reverse(), "certainly at (least|most)"),
    ("chain", bound(slopes=["-2", "-2"], brackets=[["0", "0"]] * 2), "do not balance"),
    ("offset_chamber", certificate(gap="1.51"), "by 1.5000000, not certainly"),
    ("offset_chamber", bound(brackets=[["-2", "-1"]]), "by -0.50000000, not certainly"),
    ("offset_chamber", bound(slopes=["-1"]), "is not certainly at least|exceeds|certainly at most"),
    ("max_chamber", certificate(gap="1.01"), "by 1.0000000, not certainly"),
    ("max_chamber", bound(slopes=[["0", "1", "0"]]), "by -1.0000000,"),
    ("max_chamber", bound(slopes=[["0", "0", "1"]]), "do not balance"),
    ("max_chamber", bound(slopes=[["1", "0"]]), "list of 3 weights"),
    ("max_chamber", bound(slopes=["1"]), "list of 3 weights"),
    ("max_chamber", bound(slopes=[["1/2", "0", "0"]]), "sum to 1"),
    ("listwise_chamber", certificate(gap="0.0567"), r"by \[?0\.0566"),
    ("listwise_chamber", at("certificate bounds 0 slopes 0", ["2/3", "1/3"]), "by (0|\\[|-0)"),
    (
        "chamber",
        lambda e: (
            e["labels"][0]["psi"][0].update(phi="-x"),
            e["certificate"]["bounds"][0].update(slopes=["0"], brackets=[None]),
        ),
        "the slope 0 of -x needs a bracket",
    ),
    # A slope on one score alone, and slopes that balance in the pair but leave something elsewhere.
    ("chamber", block(terms=[["1", {"A": "1"}]]), "do not balance"),
    ("chamber", bound(slopes=["1/2"], brackets=[["5/4", "5/4"]]), "do not balance: they leave -1/2 and 1/2"),
    ("chain", apart, "do not balance: they leave 2 and -2 there and -2 at C"),
    # The universal claim.
    ("universal", put(universal=[]), "no multipliers are given"),
    ("universal", block(offset="-1"), "slope is stated|b >= 0"),
    ("universal", label(prefers=prefers("A B 3, C B 8")), "certainly worse|only optimal"),
    # B above A is as good, and the balance of the slopes says nothing against it.
    ("universal", label(prefers=prefers("A C 1, B C 1")), "the only optimal one"),
    ("tied_mean", put(universal=[]), "needs preferences between items"),
    ("infeasible", lambda e: e["systems"].clear(), "at least one system"),
    ("infeasible", lambda e: e["systems"][0].update(right=["0"]), "system 1: .* must be negative"),
]


@pytest.mark.parametrize(("name", "edit", "message"), REFUSED)
def test_what_is_wrong_is_named(name, edit, message):
    entry = copy.deepcopy(PROOFS[name]())
    edit(entry)
    with pytest.raises(ConsistencyLabError, match=message):
        verify_proof(entry)


@pytest.mark.parametrize(
    ("risk", "first", "second", "allowed"),
    [
        ("squares", "-1/100", "3/2", True),
        ("pair-squares", "-1/100", "3/2", True),
        ("softmax", "0", "3/2", True),
        ("softmax", "-1/100", "3/2", False),
        ("sigmoids", "0", "1", True),
        ("sigmoids", "0", "101/100", False),
        ("sigmoids", "-1/100", "1", False),
        ("signed", "0", "1", True),
        ("signed", "0", "101/100", False),
        ("signed", "-1/100", "1", False),
        ("chances", "0", "2", True),
        ("chances", "-1", "2", False),
        ("chances", "0", "3/2", False),
    ],
)
def test_the_range_of_the_numbers_of_a_known_mean(risk, first, second, allowed):
    entry = PROOFS["mean"]()
    entry["certificate"]["risk"] = risk
    entry["labels"][0]["psi"], entry["labels"][1]["psi"] = [first, second], ["0", "1"]
    if allowed:
        assert verify_proof(entry).failure == "strict"
    else:
        with pytest.raises(RejectedError, match=r"not certainly in the range|not an integer"):
            verify_proof(entry)


def test_a_universal_claim_is_about_risks_with_minimizers():
    """phi(u_B - u_A) alone: g_BA = 0 at a minimizer, and g_BA <= g_0, but exp(-x) has none."""
    entry = on_pairs(
        "(1-x)**2",
        "B A 1",
        "AB",
        **fails("BA", "AB", "strict", "1"),
        scores=["0", "1"],
        certificate={"kind": "minimum", "slopes": ["0"]},
    )
    entry["labels"][0]["prefers"] = prefers("A B 1")
    assert verify_proof(entry).failure == "strict"
    entry["universal"] = [{"balance": ["0", "1"], "monotone": [[["B", "A"], "0", "1"]]}]
    with pytest.raises(RejectedError, match="edges that lead from every item to every other one"):
        verify_proof(entry)


def test_an_atom_of_coefficient_0_says_nothing():
    entry = PROOFS["tie"]()
    entry["labels"][0]["psi"].append({"log-sum-exp": "0", "over": ["A", "B"]})
    assert verify_proof(entry) == verify_proof(PROOFS["tie"]())


@pytest.mark.parametrize("value", [None, [], "infeasible", 7, [["claim", "infeasible"]]])
def test_what_is_no_object_is_refused(value):
    with pytest.raises(InputError, match="must be an object"):
        verify_proof(value)


def test_hostile_documents_are_refused_at_once():
    """Each of these ran for long, took much memory, or ended with another error."""
    two = {
        "coordinates": ["A", "B"],
        "decoder": "sort",
        "scores": ["1", "0"],
        **fails("AB", "BA", "strict", "1"),
    }
    bare = {"probability": "1", "prefers": prefers("B A 1"), "psi": []}
    minimum = {"kind": "minimum", "slopes": []}
    nested = {"cycles": []}
    for _ in range(400):
        nested = {"split": ["A", "B"], "above": nested, "below": {"cycles": []}}
    long_score = f"log({10**1000 + 7}/{10**999 + 9})"
    term = {"phi": "exp(-x)", "offset": "0", "terms": [["1", {"A": "4096"}]]}
    many = list("ABCDEFGHIJKL")
    listed = {
        "claim": "consistent-at-p",
        "coordinates": many,
        "decoder": "sort",
        "predictions": [many],
        "labels": [{"probability": "1", "losses": ["0"], "psi": []}],
        "scores": [str(-k) for k in range(12)],
        "certificate": {"kind": "separation", "bounds": [], "gap": "1"},
    }
    itself = {"split": ["A", "A"], "above": {}, "below": {}}
    tiny = {"probability": "1", "losses": ["0", "exp(-20000)"], "psi": []}
    hostile = [
        {**two, "labels": [bare], "certificate": minimum, "orders": itself},
        {**two, "labels": [bare], "certificate": minimum, "orders": nested},
        {**two, "labels": [{**bare, "psi": [{"max": "1", "pieces": []}]}], "certificate": minimum},
        {**two, "labels": [{**bare, "psi": [term]}], "certificate": minimum, "scores": [long_score, "0"]},
        {**two, "predictions": [["A", "B"], ["B", "A"]], "labels": [tiny], "certificate": minimum},
        {**two, "coordinates": [str(k) for k in range(1001)], "labels": [bare], "certificate": minimum},
        listed,
    ]
    for document in hostile:
        with pytest.raises(ConsistencyLabError):
            verify_proof(document)
    evidence = Cycles()
    for _ in range(12):
        evidence = Split((0, 1), evidence, evidence)
    with pytest.raises(RejectedError, match="too many cases"):
        lower_bound({}, (0,) * 100, evidence)


def beside_a_cycle():
    """As `wrong_chamber`, for D above E; beside that A > B > C > A costs every order 1."""
    square = {"phi": "(x-1)**2", "offset": "0", "terms": [["1", {"D": "1", "E": "-1"}]]}
    bound = {"above": "D", "below": "E", "slopes": ["-2"], "brackets": [["0", "0"]]}
    return about(
        [square],
        "E D 1, A B 1, B C 1, C A 1",
        "ABCDE",
        **fails("DABCE", "ABCED", "strict", "1"),
        scores=["0", "0", "0", "1", "0"],
        certificate={"kind": "separation", "bounds": [bound], "gap": "0.9"},
        orders={"cycles": [["1", ["A", "B", "C"]]]},
    )


def along_a_cycle():
    """The risk of `chain`, where one preference of the cycle A > B > C > A has to be broken: C above A is."""
    found = PROOFS["chain"]()
    found["labels"][0]["prefers"] = prefers("A B 1, B C 1, C A 1")
    kept = {key: found[key] for key in ("coordinates", "decoder", "labels", "scores", "certificate")}
    return {"claim": "consistent-at-p", **kept, "orders": {"cycles": [["1", ["A", "B", "C"]]]}}


def test_evidence_on_orders_counts():
    """Without it no order is known to pay for the cycle; the pairs outside it are counted all the same."""
    wrong, right = beside_a_cycle(), along_a_cycle()
    assert verify_proof(wrong).least_regret == 1 and verify_proof(right).every
    assert is_true(wrong) and is_true(right)
    for entry, said in (
        (wrong, "not every prediction is certainly worse"),
        (right, "may cost 1, and optimal"),
    ):
        del entry["orders"]
        with pytest.raises(RejectedError, match=said):
            verify_proof(entry)


def test_evidence_that_is_false_is_refused_where_none_is_needed():
    """Reversed, C above A costs nothing more than A above C does, so that no cycle has an arc from C to A."""
    right = along_a_cycle()
    assert verify_proof({**right, "extensions": {"cycles": []}}).every
    with pytest.raises(RejectedError, match="the cycles take more of the arc 3 → 1"):
        verify_proof({**right, "extensions": right["orders"]})


def test_a_loss_that_rises_again_does_not_escape():
    """The square loss falls to 0 at 1 and rises: D does not run away from C."""
    entry = escape()
    entry["labels"][0]["psi"][0]["phi"] = "(1-x)**2"
    entry["certificate"]["slopes"] = ["0", "0", "-2", "-4", None]
    with pytest.raises(RejectedError, match=r"atom 5 .* not proved to fall to its infimum"):
        verify_proof(entry)


NAMES = (
    *("logistic", "hinge", "squared-hinge", "exponential", "difference-logistic", "margin-square", "linear"),
)


@settings(max_examples=25)
@given(st.lists(st.integers(0, 5), min_size=6, max_size=6), st.sampled_from(NAMES))
def test_what_is_certified_at_random_profiles_is_true(counts, name):
    """NumPy, which shares nothing with the core, says the same of the numbers in the file."""
    a = np.zeros((3, 3), dtype=int)
    a[~np.eye(3, dtype=bool)] = counts
    witness = certify(surrogate(name), Distribution.from_aggregate(a.tolist())) if a.any() else None
    if witness is None:
        return
    assert is_true(witness.document["proof"])
