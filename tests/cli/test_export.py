"""`export`: a witness as a theorem for Coq; tests/formal says what it states."""

from pathlib import Path


def test_it_is_printed_or_written(cli, files, tmp_path: Path) -> None:
    said = cli("export", files["logistic"])
    assert said.code == 0
    assert "~ consistent_at (edge_loss identity logistic m (real p)) (real p)." in said.out
    out = tmp_path / "Replay.v"
    ran = cli("export", files["logistic"], "--format", "coq", "--out", str(out))
    assert (ran.code, ran.out) == (0, f"{out} written\n")
    assert out.read_text("utf-8").rstrip("\n") == said.out.rstrip("\n")


def test_what_is_not_covered_or_read_is_refused(cli, refused, files) -> None:
    assert cli("export", files["logistic"], "--out", files["logistic"]).code == 2
    assert "--out is my-hinge.v; Coq requires a name of letters" in refused(
        "export", files["hinge"], "--out", "my-hinge.v"
    )
    assert (
        refused("export", files["hinge"], "--format", "lean") == "--format is 'lean'; it must be one of coq\n"
    )
    assert "cannot be read" in cli("export", "missing.json").err
