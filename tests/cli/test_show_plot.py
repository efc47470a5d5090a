"""`show --plot`: the plane of scores of a witness with three items."""

from pathlib import Path

import pytest

from consistency_lab import Distribution, certify_at, surrogate
from consistency_lab.certify.document import save


@pytest.mark.parametrize(
    ("name", "start"), [("plane.svg", b"<?xml"), ("plane.png", b"\x89PNG"), ("plane.pdf", b"%PDF")]
)
def test_the_picture_comes_with_the_proof(cli, files, name: str, start: bytes) -> None:
    ran = cli("show", files["logistic"], "--plot", name)
    assert (ran.code, ran.err) == (0, "")
    assert "certified" in ran.out
    assert ran.out.endswith(f"\nThe picture: {name}\n")
    assert Path(name).read_bytes().startswith(start)


@pytest.mark.parametrize(
    "name", ["hinge", "linear", "difference-logistic", "margin-exponential", "universal"]
)
def test_every_family_can_be_drawn_and_named_in_json(cli, files, name: str) -> None:
    ran = cli("show", files[name], "--plot", "plane.svg", "--json")
    assert ran.code == 0
    assert ran.document["picture"] == "plane.svg"
    assert Path("plane.svg").stat().st_size > 10_000


def test_other_numbers_of_items_are_two_orders(cli, files) -> None:
    ran = cli("show", files["right"], "--plot", "orders.svg")
    assert (ran.code, ran.err) == (0, "")
    assert Path("orders.svg").stat().st_size > 5_000


def test_a_wide_picture_has_the_shape_of_a_slide(cli, files) -> None:
    assert cli("show", files["logistic"], "--plot", "wide.png", "--wide").code == 0
    header = Path("wide.png").read_bytes()[16:24]
    width, height = int.from_bytes(header[:4]), int.from_bytes(header[4:])
    assert abs(width / height - 16 / 9) < 0.01


def test_a_proof_about_classes_has_no_picture(cli, tmp_path) -> None:
    found = cli("check", "crammer-singer", "--target", "zero-one", "--items", "3", "--out", str(tmp_path))
    ran = cli("show", str(next(tmp_path.glob("*.json"))), "--plot", "orders.svg")
    assert found.code == 1 and ran.code == 2
    assert ran.err.endswith("a picture shows two orders of items, but this proof is not about orders\n")
    assert not Path("orders.svg").exists()


def test_another_suffix_is_refused_before_anything_is_read(cli) -> None:
    ran = cli("show", "nowhere.json", "--plot", "plane.gif")
    assert ran.code == 2
    assert ran.err == "plane.gif cannot hold a picture; its name must end in .svg, .png or .pdf\n"


def test_a_folder_that_is_not_there(cli, files) -> None:
    ran = cli("show", files["logistic"], "--plot", "nowhere/plane.svg")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "nowhere/plane.svg cannot be written: no such file or directory\n"


def test_names_of_items_are_drawn_as_they_are(cli) -> None:
    p = Distribution.from_aggregate([[0, 1, 6], [0, 0, 2], [3, 0, 0]], ["$a^2$", "東京", "Beck & <b>"])
    file = save(certify_at(surrogate("logistic"), p).document, Path())
    assert cli("show", str(file), "--plot", "plane.svg").code == 0
