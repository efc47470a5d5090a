"""`show`: the core first, then a proof that fits a page."""

import json
from pathlib import Path

import pytest

from consistency_lab import Distribution, certify_at, surrogate
from consistency_lab.certify.proofs.file import save

PLACES = {
    "hinge": [
        *("φ(α_1 - α_2) + 4·φ(α_1 - α_3)", "slope there", "chosen in [-1, 0]", "So the scores minimize W."),
        "This is a tie",
    ],
    "logistic": [
        "half-space {α_1 ≥ α_2}",
        "(the gap)",
        "This is a strict inversion",
        "1 → 2, preferred by 1",
    ],
    "linear": ["r(x) = x**2/2", "2 → 3", "additive   fails", "acyclic    holds"],
    "difference-logistic": ["has the cycle", "in the union of", "Each pair is right in some optimal order"],
    "margin-exponential": ["φ(α_1 - α_2 - 1)", "DMJ10 Eq. 13"],
    "right": ["scores outside A(p) lie in the half-space {α_Bob ≥ α_Ann}", "the surrogate is right"],
    "universal": ["Every convex phi at once", "= g_0", "B_i := sum_j (h_ij g_ij - h_ji g_ji) = 0"],
}


@pytest.mark.parametrize("name", PLACES)
def test_one_screen_says_what_is_proved_and_details_prove_it(cli, files, name):
    ran = cli("show", files[name])
    assert (ran.code, ran.err) == (0, "")
    assert (" is right at these data: " if name == "right" else " is wrong") in ran.screen[0]
    assert "row beats column" in ran.out and "--details (the proof)" in ran.screen[-1]
    ran = cli("show", files[name], "--details")
    assert (ran.code, ran.err) == (0, "")
    text = ran.said
    for words in PLACES[name]:
        assert " ".join(words.split()) in text
    assert max(map(len, ran.out.splitlines())) <= 100
    assert ran.out.splitlines()[0].endswith(": proof accepted")


def test_a_rejected_file_is_not_shown(cli, files):
    document = json.loads(Path(files["hinge"]).read_text(encoding="utf-8"))
    document["proof"]["scores"][0] = "5"
    Path("spoilt.json").write_text(json.dumps(document), encoding="utf-8")
    ran = cli("show spoilt.json")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("REJECTED spoilt.json: ")


def test_control_characters_of_a_file_do_not_reach_the_terminal(cli):
    p = Distribution.from_aggregate([[0, 3], [1, 0]])
    found = certify_at(surrogate("logistic"), p, provenance={"note": "clear \x1b[2J the screen"})
    ran = cli("show", str(save(found.document, Path())), "--details")
    assert ran.code == 0
    assert "\x1b" not in ran.out
    assert "clear \\x1b[2J the screen" in ran.out


def test_a_file_that_is_no_witness(refused):
    Path("list.json").write_text("[1]", encoding="utf-8")
    assert (
        refused("show list.json")
        == "list.json: this is not a witness file; a witness file is a JSON object\n"
    )


def test_a_file_without_scores_is_shown(cli, tmp_path):
    """Addition proves the order of San Francisco 2008, Lee over Mar among it: 7,886 against 7,802."""
    ran = cli("check logistic --profile san-francisco.csv --out", str(tmp_path), "--details")
    text = ran.said
    assert "it puts Sue Lee above Eric Mar, but Eric Mar beats Sue Lee by 13,214 : 12,782" in text
    assert "order: Sue Lee > Eric Mar" in text
    (path,) = tmp_path.glob("*.json")
    shown = " ".join(cli("show", str(path), "--details").out.split())
    assert "α[Eric Mar] < α[Sue Lee]" in shown and "No scores are stated" in shown
    assert "Sue Lee Eric Mar gap 1 7886/549849 ≈ 0.014342 7802/549849 ≈ 0.014189" in shown
    assert cli("verify", str(path)).code == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--script", "torch", "--json"), "leave out --plot and --json"),
        (("--script", "mine"), "one of lightgbm, xgboost"),
        (("--latex",), "did you mean --format latex?"),
        (("--plot", "plane.gif"), "its name must end in .svg, .png or .pdf"),
        (("--plot", "nowhere/plane.svg"), "nowhere/plane.svg cannot be written: no such file or directory"),
    ],
)
def test_what_does_not_fit_is_one_sentence(refused, files, words, said):
    assert said in refused("show", files["logistic"], *words)


# --- Pictures: the plane of scores of three items --------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "start"), [("plane.svg", b"<?xml"), ("plane.png", b"\x89PNG"), ("plane.pdf", b"%PDF")]
)
def test_the_picture_comes_with_the_proof(cli, files, name, start):
    ran = cli("show", files["logistic"], "--plot", name)
    assert (ran.code, ran.err) == (0, "")
    assert "certified" in ran.out
    assert ran.out.endswith(f"\nThe picture: {name}\n")
    assert Path(name).read_bytes().startswith(start)


@pytest.mark.parametrize("name", ["difference-logistic", "margin-exponential", "universal"])
def test_every_family_can_be_drawn_and_named_in_json(cli, files, name):
    ran = cli("show", files[name], "--plot", "plane.svg", "--json")
    assert ran.code == 0
    assert ran.document["picture"] == "plane.svg"
    assert Path("plane.svg").stat().st_size > 10_000


def test_other_numbers_of_items_are_two_orders(cli, files):
    ran = cli("show", files["right"], "--plot", "orders.svg")
    assert (ran.code, ran.err) == (0, "")
    assert Path("orders.svg").stat().st_size > 5_000


def test_a_wide_picture_has_the_shape_of_a_slide(cli, files):
    assert cli("show", files["logistic"], "--plot", "wide.png", "--wide").code == 0
    header = Path("wide.png").read_bytes()[16:24]
    width, height = int.from_bytes(header[:4]), int.from_bytes(header[4:])
    assert abs(width / height - 16 / 9) < 0.01


def test_a_proof_about_classes_has_no_picture(cli, tmp_path):
    found = cli("check crammer-singer --target zero-one --items 3 --out", str(tmp_path))
    ran = cli("show", str(next(tmp_path.glob("*.json"))), "--plot", "orders.svg")
    assert found.code == 1 and ran.code == 2
    assert ran.err.endswith("a picture shows two orders of items, but this proof is not about orders\n")
    assert not Path("orders.svg").exists()


def test_names_of_items_are_drawn_as_they_are(cli):
    p = Distribution.from_aggregate([[0, 1, 6], [0, 0, 2], [3, 0, 0]], ["$a^2$", "東京", "Beck & <b>"])
    file = save(certify_at(surrogate("logistic"), p).document, Path())
    assert cli("show", str(file), "--plot", "plane.svg").code == 0
