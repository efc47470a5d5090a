"""`gallery` makes an index of a folder of witnesses, `export` a theorem for Coq."""

import json
from pathlib import Path

from consistency_lab import Distribution, certify_at, surrogate, verify_file
from consistency_lab.files import with_digest
from consistency_lab.show import gallery as gallery_search


def test_the_index_names_every_file(cli, files):
    assert cli("gallery files --check").code == 1
    ran = cli("gallery files")
    assert (ran.code, ran.out) == (0, "files/README.md written\n")
    text = Path("files/README.md").read_text(encoding="utf-8")
    for path in files.values():
        assert f"({Path(path).name})" in text
    assert "| hinge | additive | product | 3 | tie | 1→2: 1, 1→3: 4, 2→3: 1, 3→1: 2 | 1/8 | minimum |" in text
    assert cli("gallery files --check").code == 0


def test_an_index_that_is_out_of_date(cli, files):
    cli("gallery files")
    Path(files["hinge"]).unlink()
    before = Path("files/README.md").read_bytes()
    ran = cli("gallery files --check")
    assert ran.code == 1
    assert "out of date" in ran.out
    assert Path("files/README.md").read_bytes() == before


def test_a_rejected_file_stops_the_index(cli, files):
    document = json.loads(Path(files["hinge"]).read_text(encoding="utf-8"))
    document["digest"] = "sha256:" + "0" * 64
    Path(files["hinge"]).write_text(json.dumps(document), encoding="utf-8")
    ran = cli("gallery files")
    assert ran.code == 1
    assert Path(files["hinge"]).name in ran.err
    assert not Path("files/README.md").exists()


def test_a_witness_about_labels_has_no_place_in_the_index(cli):
    ran = cli("gallery", str(Path(__file__).parents[2] / "counterexamples" / "libraries"), "--check")
    assert ran.code == 2
    assert "is about labels" in ran.err


def test_a_folder_that_is_not_there(refused):
    assert "nowhere is not a folder" in refused("gallery nowhere")
    refused("gallery --check --search")


def test_the_search_replaces_earlier_witnesses_of_the_same_surrogate(cli, files, monkeypatch):
    monkeypatch.setattr(gallery_search, "surrogate_names", lambda: ("linear", "sigmoid"))
    ran = cli("gallery files --search")
    assert ran.code == 0
    assert "linear: linear-acyclic-3items-" in ran.err
    names = {path.name for path in Path("files").glob("*.json")}
    (kept,) = (name for name in names if name.startswith("linear"))
    assert verify_file(Path("files") / kept).surrogate == "linear"
    assert Path(files["hinge"]).name in names


def test_a_strangers_names_are_text_in_the_index(cli):
    p = Distribution.from_aggregate([[0, 1, 4], [0, 0, 1], [2, 0, 0]], ["<script>", "a|b", "[x](y)"])
    document = dict(certify_at(surrogate("hinge"), p).document)
    document["named"] = {**document["named"], "surrogate": {"name": "own: <b>`x`</b>"}}
    Path("files").mkdir()
    Path("files/x](y)-\x1b<i>.json").write_text(json.dumps(with_digest(document)), encoding="utf-8")
    assert cli("gallery files").code == 0
    row = Path("files/README.md").read_text(encoding="utf-8").splitlines()[-1]
    assert row.startswith(r"| 'own: &lt;b&gt;\`x\`&lt;/b&gt;' |")
    assert r"&lt;script&gt;→a\|b: 1" in row and r"\[x\](y)" in row
    assert row.endswith(r"| ['\\x1b&lt;i&gt;'](x%5D%28y%29-%1B%3Ci%3E.json) |")
    assert "\x1b" not in row


def test_it_is_printed_or_written(cli, files, tmp_path):
    said = cli("export", files["logistic"])
    assert said.code == 0
    assert "~ consistent_at (edge_loss identity logistic m (real p)) (real p)." in said.out
    out = tmp_path / "Replay.v"
    ran = cli("export", files["logistic"], "--format", "coq", "--out", str(out))
    assert (ran.code, ran.out) == (0, f"{out} written\n")
    assert out.read_text("utf-8").rstrip("\n") == said.out.rstrip("\n")


def test_what_is_not_covered_or_read_is_refused(cli, refused, files):
    assert cli("export", files["logistic"], "--out", files["logistic"]).code == 2
    assert "--out is my-hinge.v; Coq requires a name of letters" in refused(
        "export", files["hinge"], "--out", "my-hinge.v"
    )
    assert (
        refused("export", files["hinge"], "--format", "lean") == "--format is 'lean'; it must be one of coq\n"
    )
    assert "cannot be read" in cli("export missing.json").err
