"""Embedded losses and links: counts of the literature, a second enumeration, changed evidence."""

import json
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from functools import cache
from importlib.resources import files
from itertools import combinations, product
from random import Random

import jsonschema
import pytest
from flint import fmpq_mat

from consistency_lab import (
    ConsistencyLabError,
    InputError,
    RejectedError,
    UnsupportedError,
    surrogate,
    target,
    task_surrogate,
    verify,
)
from consistency_lab.apps.embed.asked import (
    bayes_hinge,
    decoder_of,
    losses_for,
    of_rows,
    of_task,
    read_surrogate,
    structured,
)
from consistency_lab.apps.embed.embedding import (
    decide_decoder,
    decide_link,
    decoder_document,
    decoder_entry,
    embed,
    left_out,
    link_document,
    link_entry,
)
from consistency_lab.certify.proofs.file import file_name
from consistency_lab.core.embedding import SimplexCone, check_embedding, decodings, kinks, values, vertices
from consistency_lab.core.orders import Cells
from consistency_lab.core.risk import LogSumExp
from consistency_lab.core.verify import verify_proof
from consistency_lab.files import digest
from consistency_lab.model.conditions import condition
from consistency_lab.model.polyhedral import (
    affine,
    cells_of,
    condition_cones,
    lovasz,
    maximum,
    of_graphs,
    polyhedral,
    target_losses,
)
from consistency_lab.model.tasks.discrete import LossMatrix
from consistency_lab.numbers.exact import ZERO, LogRational
from consistency_lab.show.verification import claim_words

SCHEMA = json.loads(files("consistency_lab.certify.proofs").joinpath("proof.schema.json").read_text("utf-8"))


# Finocchiaro, Frongillo and Waggoner 2022; Wang and Scott 2020; Ramaswamy, Tewari and Agarwal 2018;
# Finocchiaro, Frongillo and Nueve 2022. The last number counts the reports without a link.
@pytest.mark.parametrize(
    ("name", "size", "planes", "reports", "asked", "failing"),
    [
        ("ranksvm", 3, 6, 12, "pairwise", 6),
        ("ranksvm", 4, 12, 74, None, 0),
        ("weston-watkins", 3, 6, 12, "zero-one", 3),
        ("weston-watkins", 4, 12, 74, "zero-one", 22),
        ("crammer-singer", 3, 9, 4, "zero-one", 1),
        ("crammer-singer", 4, 18, 5, "abstain", 0),
        ("crammer-singer", 3, 9, 4, "abstain:1/4", 3),
        ("lee-lin-wahba", 4, 4, 4, "zero-one", 0),
        ("encoded", 4, 6, 5, "abstain", 0),
        ("encoded", 4, 6, 5, "zero-one", 1),
        ("lovasz", 2, 6, 5, "mistakes", 1),
        ("lovasz", 3, 12, 15, None, 0),
        ("top-2-alpha", 4, 18, 23, "top-2", 5),
        ("top-2-beta", 4, 18, 23, "top-2", 5),
    ],
)
def test_what_is_known(name, size, planes, reports, asked, failing):
    psi = polyhedral(name, size)
    found = embed(psi)
    assert (found.hyperplanes, len(found.reports)) == (planes, reports)
    if asked is not None:
        decision = decide_link(found, target_losses(psi, asked), asked)
        assert (decision.exists, len(decision.failing)) == (not failing, failing)
        claim = "no-link" if failing else "link"
        assert check_embedding(link_entry(decision)) == (claim, 1 if failing else reports, 0)
        for report in decision.failing:
            assert check_embedding(link_entry(decision, report)) == ("no-link", 1, 0)


def test_a_modular_function_has_a_link():
    """Its Lovász hinge is a sum of hinges, one a sign."""
    psi = lovasz([Fraction(1), Fraction(1)])
    found = embed(psi)
    assert len(found.reports) == 4
    assert decide_link(found, target_losses(psi, "hamming")).exists


@pytest.mark.parametrize("name", ["ranksvm", "weston-watkins", "crammer-singer", "lovasz", "top-2-alpha"])
def test_a_second_enumeration_finds_the_same_vertices(name):
    """All sets of d hyperplanes, solved one by one, after the shift is taken out by a last score of 0."""
    psi = polyhedral(name, 3)
    planes = sorted(kinks(psi.psi))
    first = vertices(planes)
    width = len(planes[0]) - 1
    shifts = all(sum(plane[:-1]) == 0 for plane in planes)
    d = width - shifts
    found = set()
    for some in combinations(planes, d):
        matrix = fmpq_mat(d, d, [x for plane in some for x in plane[:d]])
        if matrix.det():
            solved = matrix.solve(fmpq_mat(d, 1, [-plane[-1] for plane in some]))
            found.add(tuple(Fraction(str(solved[k, 0])) for k in range(d)))
    normal = {tuple(x - point[-1] for x in point[:-1]) if shifts else point for point in first}
    assert normal == found
    assert len(first) == len(found)


@pytest.mark.parametrize("seed", range(12))
def test_random_surrogates_have_an_accepted_answer(seed):
    """And their infimum is attained at a report for random p: no random score is better."""
    rng = Random(seed)
    labels = [f"y{k}" for k in range(rng.choice([2, 3]))]
    pieces = {
        label: [
            [([rng.randint(-2, 2) for _ in range(2)], rng.randint(-2, 2)) for _ in range(rng.choice([2, 3]))]
            + [([0, 0], rng.randint(-1, 1))]
            for _ in range(rng.choice([1, 2]))
        ]
        for label in labels
    }
    psi = of_rows("random", ["a", "b"], pieces)
    found = embed(psi)
    for _ in range(40):
        p = [Fraction(rng.randint(0, 9)) for _ in labels]
        u = tuple(Fraction(rng.randint(-40, 40), 8) for _ in range(2))
        least = min(sum(q * x for q, x in zip(p, row, strict=True)) for row in found.losses)
        assert least <= sum(q * x for q, x in zip(p, values(psi.psi, u), strict=True))
    rows = tuple(tuple(Fraction(rng.randint(0, 3)) for _ in range(3)) for _ in labels)
    matrix = LossMatrix(psi.labels, ("s", "t", "r"), rows)
    for cones in ((SimplexCone(),), (_cone(rng, len(labels)), _cone(rng, len(labels)))):
        decision = decide_link(found, matrix, cones=cones)
        assert check_embedding(link_entry(decision))[0] == ("link" if decision.exists else "no-link")


def _cone(rng, n):
    row = tuple(Fraction(rng.randint(-2, 3)) for _ in range(n))
    return SimplexCone((row,), ()) if rng.random() < 1 / 2 else SimplexCone((), (row,))


@pytest.mark.long
@pytest.mark.parametrize("name", ["low-noise", "net-order"])
def test_a_condition_is_a_union_and_one_prediction_must_serve_all_of_it(name):
    """RankSVM on three items: in one shape and numbering no report fails, in all of them the tied six do."""
    psi = polyhedral("ranksvm", 3)
    found, losses, cones = embed(psi), target_losses(psi, "pairwise"), condition_cones(psi, name)
    assert not any(decide_link(found, losses, cones=[one]).failing for one in cones[::4])
    every = decide_link(found, losses, cones=cones)
    assert check_embedding(link_entry(every)) == ("no-link", 1, len(cones))
    assert len(every.failing) == 6
    document = link_document(decide_link(found, losses, "pairwise", cones, name))
    assert verify(document).recomputed == ("ranksvm", "pairwise", name)
    for other, why in (("strong-transitivity", "says more than differences"), ("any", "but is a list of 1")):
        document["named"]["condition"] = other
        with pytest.raises(RejectedError, match=why):
            verify(document | {"digest": digest(document)})
    document["named"]["condition"] = "additive"
    with pytest.raises(RejectedError, match="for the condition additive, proof"):
        verify(document | {"digest": digest(document)})


@pytest.mark.parametrize("name", ["low-noise", "net-order", "row-dominated", "additive", "acyclic"])
def test_the_cones_of_a_condition_are_the_condition(name):
    """At random small p, those that are no condition included."""
    psi, rng = polyhedral("ranksvm", 3), Random(1)
    cones = condition_cones(psi, name)
    holds = []
    for _ in range(300):
        p = [Fraction(rng.choice([0, 0, 1, 2, 3])) for _ in psi.labels]
        a = [[Fraction(0)] * 3 for _ in range(3)]
        for label, q in zip(psi.labels, p, strict=True):
            i, j = ("ABC".index(item) for item in label.split(">"))
            a[i][j] = q
        holds.append(condition(name).holds(a))
        assert any(cone.contains(p) for cone in cones) == holds[-1]
    assert {True, False} == set(holds)


# --- A stated decoder ------------------------------------------------------------------------------------


def _judged(psi, asked, cells):
    """The decision, whose proof the core has accepted."""
    losses = target_losses(psi, asked)
    found = decide_decoder(decide_link(embed(psi), losses, asked), cells)
    assert verify_proof(decoder_entry(found)).claim == ("decoder" if found.right else "inconsistent")
    return found


# Duchi, Mackey and Jordan 2010; Tewari and Bartlett 2007; Yang and Koyejo 2020. Two classes are one pair.
@pytest.mark.parametrize(
    ("name", "size", "asked", "decoder", "right"),
    [
        ("ranksvm", 3, "pairwise", "sort", False),
        ("ranksvm", 2, "pairwise", "sort", True),
        ("weston-watkins", 3, "zero-one", "argmax", False),
        ("weston-watkins", 2, "zero-one", "argmax", True),
        ("crammer-singer", 3, "zero-one", "argmax", False),
        ("crammer-singer", 2, "zero-one", "argmax", True),
        ("top-2-alpha", 3, "top-2", "argmax", False),
        ("top-2-beta", 4, "top-2", "argmax", False),
    ],
)
def test_decoders_of_the_literature(name, size, asked, decoder, right):
    psi = polyhedral(name, size)
    assert _judged(psi, asked, cells_of(psi, target_losses(psi, asked), decoder)).right == right


def _largest(rows):
    """The cells in which one of these rows is at least the others."""
    return {
        i: (
            tuple(
                (tuple(a - b for a, b in zip(row, one, strict=True)), Fraction(0))
                for one in rows
                if one != row
            ),
        )
        for i, row in enumerate(rows)
    }


@pytest.mark.parametrize("classes", [3, 4])
def test_the_largest_score_is_right_for_lee_lin_and_wahba(classes):
    """Tewari and Bartlett 2007; the last score is the negative sum of the others."""
    rows = [[Fraction(i == j) for j in range(classes - 1)] for i in range(classes - 1)]
    cells = Cells(_largest([*rows, [Fraction(-1)] * (classes - 1)]))
    assert _judged(polyhedral("lee-lin-wahba", classes), "zero-one", cells).right


def _abstaining(classes, threshold):
    """Abstain where no score is more than a threshold above all others."""

    def above(i, j, sign=1):
        return tuple(Fraction(sign * ((k == i) - (k == j))) for k in range(classes))

    others = {i: [j for j in range(classes) if j != i] for i in range(classes)}
    cells = {i: (tuple((above(i, j), -threshold) for j in others[i]),) for i in range(classes)}
    cells[classes] = tuple(
        (*((above(i, j), Fraction(0)) for j in others[i]), (above(i, k, -1), threshold))
        for i in range(classes)
        for k in others[i]
    )
    return Cells(cells)


@cache
def _between():
    """Of Crammer and Singer and a threshold of 1/2, which is right."""
    return _judged(polyhedral("crammer-singer"), "abstain", _abstaining(3, Fraction(1, 2)))


@pytest.mark.parametrize(("threshold", "right"), [("0", False), ("1/4", True), ("1/2", True), ("1", False)])
def test_crammer_and_singer_abstain_with_a_threshold_between_0_and_1(threshold, right):
    """Ramaswamy, Tewari and Agarwal 2018."""
    cells = _abstaining(3, Fraction(threshold))
    assert _judged(polyhedral("crammer-singer"), "abstain", cells).right == right


@pytest.mark.parametrize("seed", range(8))
def test_a_second_look_at_random_decoders(seed):
    """What is right is so for random p at every vertex that is least there."""
    rng = Random(seed)

    def piece():
        return [rng.randint(-2, 2), rng.randint(-2, 2)], rng.randint(-1, 2)

    psi = of_rows("random", ["a", "b"], {label: [[piece(), piece(), ([0, 0], 0)]] for label in ("y", "z")})
    row, b = tuple(Fraction(rng.randint(-2, 2)) for _ in range(2)), Fraction(rng.randint(-1, 1))
    cells = Cells({0: (((row, b),),), 1: (((tuple(-x for x in row), -b),),)})
    losses = LossMatrix(psi.labels, ("s", "t"), ((ZERO, Fraction(1)), (Fraction(rng.randint(0, 2)), ZERO)))
    found = decide_decoder(decide_link(embed(psi), losses), cells)
    assert verify_proof(decoder_entry(found)).claim == ("decoder" if found.right else "inconsistent")
    points = [(values(psi.psi, point), returned) for point, returned in decodings(psi.psi, cells, 2)]
    wrong = False
    for p in ((Fraction(k, 24), 1 - Fraction(k, 24)) for k in range(25)):
        means = [sum(q * line[t] for q, line in zip(p, losses.rows, strict=True)) for t in range(2)]
        risks = [sum(q * x for q, x in zip(p, own, strict=True)) for own, _ in points]
        least = [some for risk, (_, some) in zip(risks, points, strict=True) if risk == min(risks)]
        wrong = wrong or any(means[t] > min(means) for some in least for t in some)
    assert not (found.right and wrong)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda p: p["decoded"].pop(), "and no proof covers it"),
        (lambda p: p["decoded"][0].update(prediction="abstain"), "do not show"),
        (lambda p: p["decoded"][0]["why"].pop(), "needs multipliers"),
        (lambda p: p["decoder"].update({"1": []}), "returns nothing"),
        (lambda p: p["decoder"]["2"].extend(p["decoder"]["1"]), "and no proof covers it"),
        (lambda p: p.update(claim="link"), "unknown key"),
        (lambda p: p.update(cones=[]), "unknown key"),
        (lambda p: p.pop("decoded"), "lacks"),
        (lambda p: p["labels"][0]["losses"].reverse(), "do not show"),
    ],
)
def test_a_changed_proof_of_a_decoder_is_refused(change, said):
    proof = deepcopy(decoder_entry(_between()))
    change(proof)
    with pytest.raises(ConsistencyLabError, match=said):
        verify_proof(proof)


def test_walls_count_where_the_surrogate_has_no_kink():
    """The hinge of a - b, with scores c that it does not look at: at p = 1/2 it is least for |a - b| <= 1."""

    def hinge(sign):
        return [[([0, 0, 0], 0), ([-sign, sign, 0], 1)]]

    psi = of_rows("hinge", ["a", "b", "c"], {"yes": hinge(1), "no": hinge(-1)})
    losses = LossMatrix(psi.labels, ("yes", "no", "worse"), tuple(map(_fractions, ((0, 1, 2), (1, 0, 2)))))

    def at_least(a, c, constant):
        return _fractions((a, -a, c)), Fraction(constant)

    yes, no = at_least(1, 0, "-1/2"), at_least(-1, 0, "1/4")
    between = at_least(1, 0, "-1/4"), at_least(-1, 0, "1/2")
    link = decide_link(embed(psi), losses)
    for cells, right in (
        ({0: ((at_least(1, 0, 0),),), 1: ((at_least(-1, 0, 0),),)}, True),
        ({0: ((at_least(0, 1, 0),),), 1: ((at_least(0, -1, 0),),)}, False),
        ({0: ((yes,),), 1: ((no,),), 2: (between,)}, False),
        ({0: ((),)}, False),
        ({1: ((),)}, False),
    ):
        found = decide_decoder(link, Cells(cells))
        assert found.right == right
        assert verify_proof(decoder_entry(found)).claim == ("decoder" if right else "inconsistent")
    proof = decoder_entry(decide_decoder(link, Cells({0: ((yes,),), 1: ((no,), between)})))
    assert verify_proof(proof).claim == "decoder"
    proof["decoder"]["worse"] = [proof["decoder"]["no"].pop()]
    with pytest.raises(RejectedError, match=r"the decoder may return worse at .*, and no proof covers it"):
        verify_proof(proof)


def _fractions(numbers):
    return tuple(map(Fraction, numbers))


def test_files_of_decoders_fit_the_schema_and_their_names_are_rebuilt():
    psi = polyhedral("crammer-singer")
    right = decoder_document(_between())
    wrong = decoder_document(_judged(psi, "abstain", _abstaining(3, Fraction(1))))
    for document in (right, wrong):
        jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert verify(right).recomputed == ("crammer-singer", "abstain")
    assert "whatever the stated decoder may return" in verify(right).sentence
    found = verify(wrong)
    assert (found.failure, found.recomputed) == ("tie", ("crammer-singer", "abstain"))
    assert found.sentence == "certainly the stated decoder may return a wrong prediction at a minimizer of W"
    assert file_name(wrong).startswith("crammer-singer-abstain-3classes-")
    for change, why in (
        ({"target": "zero-one"}, "for the target zero-one, proof"),
        ({"surrogate": {"name": "weston-watkins", "size": "3"}}, "weston-watkins"),
        ({"surrogate": {"name": "crammer-singer", "size": "4"}}, "crammer-singer"),
    ):
        changed = wrong | {"named": wrong["named"] | change}
        with pytest.raises(RejectedError, match=why):
            verify(changed | {"digest": digest(changed)})


def test_labels_that_do_not_occur_are_left_out_of_a_named_proof():
    psi = polyhedral("weston-watkins", 4)
    argmax = cells_of(psi, target_losses(psi, "zero-one"), "argmax")
    wrong = decoder_document(_judged(psi, "zero-one", argmax))
    listed = wrong["proof"]["labels"]
    assert verify(wrong).recomputed == ("weston-watkins", "zero-one") and len(listed) == 3
    listed[0], listed[1] = listed[1], listed[0]
    with pytest.raises(RejectedError):
        verify(wrong | {"digest": digest(wrong)})


def test_a_proof_about_all_distributions_lists_all_labels():
    """Of two labels alone some decoder is right for 0-1 loss, of all three none is."""
    psi = polyhedral("crammer-singer", 3)
    losses = target_losses(psi, "zero-one")
    fewer = replace(psi, labels=psi.labels[:2], psi=psi.psi[:2])
    rows = LossMatrix(losses.labels[:2], losses.predictions, losses.rows[:2])
    link = decide_link(embed(fewer), rows, "zero-one")
    assert link.exists and not decide_link(embed(psi), losses).exists
    document = link_document(link, named=False)
    assert verify(document).recomputed == ()
    document["named"] = {"surrogate": {"name": "crammer-singer", "size": "3"}, "target": "zero-one"}
    with pytest.raises(RejectedError, match=r"proof.labels is stated as a list of 2"):
        verify(document | {"digest": digest(document)})


def test_cells_must_cover_all_scores_not_only_vertices():
    # u >= 1 and u <= -1 contain both vertices of the hinge, and leave (-1, 1) out.
    one, psi = Fraction(1), polyhedral("encoded", 2)
    above, below = ((one,), -one), ((-one,), -one)
    for cells, missed in (
        ({0: ((below,),), 1: ((above,),)}, Fraction(0)),
        ({0: ((below,),), 1: ((above,), (((one,), one), ((-one,), one)))}, None),
        ({0: ((((Fraction(0),), one),),)}, None),
    ):
        point = left_out(Cells(cells), 1)
        assert point == (None if missed is None else (missed,))
        if missed is not None:
            with pytest.raises(InputError, match=r"returns nothing at the scores \(0\)"):
                _judged(psi, "zero-one", Cells(cells))


def test_random_cells_leave_out_what_a_grid_finds():
    random = Random(7)
    grid = [(Fraction(x, 3), Fraction(y, 3)) for x in range(-9, 10) for y in range(-9, 10)]
    covered = 0
    for _ in range(20):
        lines = [(tuple(Fraction(random.randint(-2, 2)) for _ in "xy"), Fraction(random.randint(-1, 1)))
                 for _ in range(3)]  # fmt: skip
        sides = [((row, b), (tuple(-x for x in row), -b)) for row, b in lines]
        stated = Cells({0: tuple(cell for cell in product(*sides) if random.random() < 0.9)})
        point = left_out(stated, 2)
        seen = [at for at in grid if not stated.may_return([LogRational(x) for x in at])]
        if point is None:
            covered += 1
            assert not seen
        else:
            assert not stated.may_return([LogRational(x) for x in point])
    assert 2 < covered < 18


def test_a_decoder_is_read_from_a_file(tmp_path):
    psi = polyhedral("crammer-singer")
    cells, losses = _abstaining(3, Fraction(1, 2)), target_losses(psi, "abstain")
    path = tmp_path / "cells.json"
    entry = decoder_entry(_between())["decoder"]
    path.write_text(json.dumps(entry))
    assert decoder_of(psi, losses, str(path)) == cells
    bare = {
        t: [[[[int(n) for n in row], b] for row, b in cell] for cell in some] for t, some in entry.items()
    }
    path.write_text(json.dumps(bare))
    assert decoder_of(psi, losses, str(path)) == cells
    with pytest.raises(InputError, match="did you mean 'argmax'"):
        decoder_of(psi, losses, "argmx")
    with pytest.raises(InputError, match="does not predict 'abstain'"):
        decoder_of(psi, losses, "argmax")


# --- Evidence that was changed ---------------------------------------------------------------------------


def _proof(name, asked):
    psi = polyhedral(name)
    return link_entry(decide_link(embed(psi), target_losses(psi, asked), asked))


@pytest.mark.parametrize(
    ("asked", "change", "said"),
    [
        ("abstain", lambda p: p["reports"].pop(), "no number|no report|needs"),
        ("abstain", lambda p: p["covered"].pop(), "is no report, and not covered"),
        ("abstain", lambda p: p["reports"][0].update(prediction="1"), "do not show"),
        ("abstain", lambda p: p["labels"][0]["losses"].reverse(), "do not show"),
        ("abstain", lambda p: p["labels"][0]["bounded"][0].reverse(), "sum to"),
        ("abstain", lambda p: p["covered"][0].update(weights=[[0, "2"]]), "sum to 1"),
        ("abstain", lambda p: p.update(cones=[]), "cones is empty"),
        ("zero-one", lambda p: p["at"][0].update(probabilities=["1", "0", "0"]), "slopes|sum to"),
        ("zero-one", lambda p: p["at"][0].update(better=p["predictions"][0]), "is not better"),
        ("zero-one", lambda p: p["at"].pop(), "a list of 3"),
        ("zero-one", lambda p: p.update(scores=["5", "0", "0"]), "maximum|sum to"),
        (
            "zero-one",
            lambda p: p.update(cones=[{"at_least": [["-1", "-1", "-1"]], "positive": []}]),
            "none of the",
        ),
        ("zero-one", lambda p: p.update(claim="link"), "lacks|unknown key"),
    ],
)
def test_changed_evidence_is_refused(asked, change, said):
    proof = _proof("crammer-singer", asked)
    assert verify_proof(proof).claim == ("link" if asked == "abstain" else "no-link")
    changed = deepcopy(proof)
    change(changed)
    with pytest.raises(ConsistencyLabError, match=said):
        verify_proof(changed)


@pytest.mark.parametrize("asked", ["abstain", "zero-one"])
def test_a_file_fits_the_schema(asked):
    psi = polyhedral("crammer-singer")
    cones = (SimplexCone(((Fraction(1), Fraction(-1), Fraction(0)),), ()),)
    for some in ((SimplexCone(),), cones):
        document = link_document(decide_link(embed(psi), target_losses(psi, asked), asked, some))
        jsonschema.Draft202012Validator(SCHEMA).validate(document)


def test_names_beside_a_proof_are_rebuilt():
    psi = polyhedral("crammer-singer")
    document = link_document(decide_link(embed(psi), target_losses(psi, "abstain"), "abstain"))
    found = verify(document)
    assert (found.claim, found.reports, found.recomputed) == ("link", 4, ("crammer-singer", "abstain"))
    for key, value, said in (
        ("surrogate", {"name": "weston-watkins", "size": "3"}, "surrogate weston-watkins, proof.labels"),
        ("target", "abstain:1/4", "for the target abstain:1/4, proof.labels"),
    ):
        changed = json.loads(json.dumps(document))
        changed["named"][key] = value
        changed["digest"] = digest(changed)
        with pytest.raises(RejectedError, match=said):
            verify(changed)


# --- What can be asked -----------------------------------------------------------------------------------


def test_the_hinge_on_single_comparisons_is_ranksvm():
    both = (of_graphs(surrogate("hinge"), 3), polyhedral("ranksvm"))
    first, second = ([[set(atom.pieces) for atom in atoms] for atoms in psi.psi] for psi in both)
    assert first == second


def test_a_surrogate_of_labels_is_read_from_its_atoms():
    psi, losses = of_task(task_surrogate("pairs", phi="hinge"), target("precision", labels=(0, 1), k=1))
    decision = decide_link(embed(psi), losses, "precision")
    assert check_embedding(link_entry(decision))[0] in ("link", "no-link")
    with pytest.raises(UnsupportedError, match="no sum of maxima"):
        of_graphs(surrogate("logistic"), 3)
    for name in ("margin-hinge", "difference-hinge"):  # weights decide these, or they are not linear in p
        with pytest.raises(UnsupportedError, match="single comparisons"):
            of_graphs(surrogate(name), 2)


def test_a_file_with_cones_says_so():
    psi = polyhedral("crammer-singer")
    for row in ("0", "1"):
        cones = (SimplexCone((), ((Fraction(row), -Fraction(row), -Fraction(row)),)),)
        document = link_document(decide_link(embed(psi), target_losses(psi, "zero-one"), "zero-one", cones))
        found = verify(document)
        assert (found.claim, found.cones) == ("link", 1)
        assert "in the cones of the file" in found.sentence
        assert "only for distributions in the cones of the file" in claim_words(found)


def test_one_report_is_a_loss_too():
    psi = of_rows("size", ["u"], {label: [[([1], 0), ([-1], 0)]] for label in ("y", "z")})
    assert [report.scores for report in embed(psi).reports] == [(0,)]


def test_an_atom_that_counts_nothing_changes_nothing():
    proof = _proof("crammer-singer", "abstain")
    proof["labels"][0]["psi"].append({"phi": "exp(x)", "offset": "0", "terms": [["0", {"1": "1"}]]})
    proof["labels"][0]["bounded"].append("0")
    assert verify_proof(proof).claim == "link"


def test_files_are_read(tmp_path):
    table = tmp_path / "abs.csv"
    table.write_text("label,max,constant,u\nyes,1,0,0\nyes,1,1,-1\nno,1,0,0\nno,1,1,1\n")
    entry = {
        "coordinates": ["u"],
        "labels": {"yes": [[[["0"], 0], [[-1], 1]]], "no": [[[["0"], 0], [[1], "1"]]]},
    }
    document = tmp_path / "abs.json"
    document.write_text(json.dumps(entry))
    assert read_surrogate(table) == read_surrogate(document)
    matrix = tmp_path / "t.csv"
    matrix.write_text("label,up,down\nno,1,0\nyes,0,1\n")
    psi = read_surrogate(table)
    decision = decide_link(embed(psi), losses_for(psi, str(matrix)))
    assert decision.exists
    table.write_text("label,max,u\nyes,1,0\n")
    with pytest.raises(InputError, match="needs the head label,max,constant"):
        read_surrogate(table)


def test_what_is_refused():
    with pytest.raises(InputError, match="not bounded below for the label y"):
        embed(of_rows("falling", ["u"], {"y": [[([1], 0)]]}))
    with pytest.raises(InputError, match="did you mean 'ranksvm'"):
        polyhedral("ranksvn")
    with pytest.raises(InputError, match="top-9 needs a number from 1 to 2"):
        target_losses(polyhedral("weston-watkins"), "top-9")
    with pytest.raises(RejectedError, match="maxima of affine functions alone"):
        kinks([(LogSumExp(Fraction(1), (0, 1)),)])
    assert maximum(affine({}), affine({})).pieces == (affine({}),)


def test_a_structured_hinge_of_0_1_is_that_of_crammer_and_singer():
    losses = target_losses(polyhedral("crammer-singer"), "zero-one")
    assert len(embed(structured(losses)).reports) == 4


@pytest.mark.parametrize(
    ("classes", "asked", "pieces", "reports"),
    [(3, "zero-one", 7, 3), (3, "abstain", 6, 4), (3, "abstain:1/4", 9, 4), (3, "top-2", 4, 3)],
)
def test_a_hinge_made_of_losses_has_a_decoder_for_them(classes, asked, pieces, reports):
    """Finocchiaro, Frongillo and Waggoner 2022: one report for each prediction that is alone optimal."""
    losses = target_losses(polyhedral("crammer-singer", classes), asked)
    psi = bayes_hinge(losses)
    found = embed(psi)
    assert (len(psi.psi[0][0].pieces), len(found.reports)) == (pieces, reports)
    assert {report.losses for report in found.reports} == set(zip(*losses.rows, strict=True))
    decision = decide_link(found, losses)
    assert decision.exists
    assert check_embedding(link_entry(decision)) == ("link", reports, 0)


@pytest.mark.parametrize("seed", range(6))
def test_it_has_the_least_mean_loss_as_its_least_risk(seed):
    rng = Random(seed)
    rows = tuple(tuple(Fraction(rng.randint(0, 4)) for _ in range(4)) for _ in range(3))
    losses = LossMatrix(("x", "y", "z"), ("r", "s", "t", "u"), rows)
    found = embed(bayes_hinge(losses))
    for _ in range(20):
        p = [Fraction(rng.randint(0, 6)) for _ in range(3)]
        means = [sum(q * x for q, x in zip(p, column, strict=True)) for column in zip(*rows, strict=True)]
        risks = [sum(q * x for q, x in zip(p, row, strict=True)) for row in found.losses]
        assert min(means) == min(risks)
    assert check_embedding(link_entry(decide_link(found, losses)))[0] == "link"
