"""``embed``: what it says, keeps and refuses."""

from pathlib import Path

import pytest
from matplotlib.figure import Figure

from consistency_lab.apps.embed.embedding import embed
from consistency_lab.apps.embed.report import embed_plot
from consistency_lab.model.polyhedral import polyhedral


@pytest.mark.parametrize(
    ("line", "code", "first"),
    [
        ("embed ranksvm --items 3", 1, "No decoder of ranksvm on 3 items is right for pairwise."),
        ("embed crammer-singer --target abstain", 0, "Yes: some decoder of crammer-singer on 3 classes"),
        ("check hinge --target pairwise --any-decoder", 1, "No decoder of hinge on 3 items is right for"),
        ("embed ranksvm --condition low-noise", 1, "No decoder of ranksvm on 3 items is right for"),
        ("embed crammer-singer --target abstain --condition any", 0, "Yes: some decoder of crammer-singer"),
        ("embed weston-watkins --classes 4 --target zero-one", 1, "No decoder of weston-watkins on 4"),
        (
            "embed ranksvm --decoder sort",
            1,
            "No: the decoder sort of ranksvm on 3 items is wrong for pairwise.",
        ),
        ("embed weston-watkins --classes 2 --decoder argmax", 0, "Yes: the decoder argmax of weston-watkins"),
    ],
)
def test_the_screen(cli, line, code, first):
    ran = cli(*line.split(), "--no-save")
    assert (ran.code, ran.err) == (code, "") and ran.screen
    assert ran.out.startswith(first)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("embed ranksvms", "there is no polyhedral surrogate"),
        ("embed logistic --target pairwise", "is no sum of maxima"),
        ("embed crammer-singer --target ndcg", "there is no target 'ndcg' of labels like these"),
        ("embed crammer-singer --items 3 --classes 3", "give --items or --classes, one of the two"),
        ("embed ranksvm --items 30", "ranksvm takes 2 to 8 items, not 30"),
        ("embed hinge --items 11", "hinge takes 2 to 8 items, not 11"),
        ("embed hinge --items 1", "hinge takes 2 to 8 items, not 1"),
        ("check hinge --any-decoder --design btl", "--design does not fit: --any-decoder"),
        ("embed crammer-singer --condition low-noise", "the condition low-noise needs labels such as A>B"),
        ("embed ranksvm --condition btl", "btl says more than differences do; the conditions on these are"),
        (
            "embed crammer-singer --classes 4 --target abstain --plot p.png",
            "a picture shows two scores, or three of which only",
        ),
        ("embed ranksvm --plot p.gif", "must end in .svg, .png or .pdf"),
        ("embed ranksvm --csv a.svg --plot ./a.svg", "--csv and --plot both name a.svg; name two files"),
        ("embed ranksvm --decoder argmx", "there is no decoder 'argmx' of a sum of maxima; did you mean"),
        ("embed ranksvm --decoder argmax", "the decoder argmax does not predict 'A>B>C'"),
        ("embed ranksvm --decoder sort --condition acyclic", "a decoder is judged at every distribution"),
        ("check --any-decoder", "--any-decoder asks about a surrogate with a name or a file"),
    ],
)
def test_what_is_refused(refused, line, said):
    assert said in refused(*line.split())


def test_the_file_of_a_loss_of_edges_says_what_was_asked(cli):
    line = ("check", "hinge", "--target", "pairwise", "--any-decoder", "--condition", "low-noise", "--json")
    file = cli(*line).document["file"]
    assert file.startswith("witnesses/hinge-pairwise-low-noise-3items-")
    assert "named: hinge, pairwise, low-noise: recomputed and equal" in cli("verify", file).said


def test_the_document(cli):
    found = cli("embed crammer-singer --target abstain --json").document
    assert (found["link"], found["failing"], len(found["reports"])) == (True, [], 4)
    assert found["file"].startswith("witnesses/crammer-singer-abstain-3classes-")
    assert cli("verify", found["file"]).code == cli("show", found["file"]).code == 0


def test_the_document_of_a_decoder(cli):
    found = cli("embed ranksvm --decoder sort --json").document
    assert (found["right"], found["strict"], found["target"]) == (False, False, "pairwise")
    assert "inconsistent (3 scores), tie" in cli("verify", found["file"]).said
    found = cli("embed weston-watkins --classes 2 --decoder argmax --json").document
    assert (found["right"], found["scores"], found["better"]) == (True, None, None)
    assert "named: weston-watkins, zero-one: recomputed and equal" in cli("verify", found["file"]).said
    assert cli("show", found["file"]).code == 0


def test_the_embedded_loss_is_a_table_and_has_a_decoder(cli):
    """Of the surrogate that embeds it: Finocchiaro, Frongillo and Waggoner 2022."""
    assert cli("embed ranksvm --csv loss.csv --no-save").code == 1
    assert cli("embed ranksvm --target loss.csv --no-save").out.startswith("Yes: some decoder")
    refused = cli("embed ranksvm --target loss.csv --csv loss.csv --no-save")
    assert refused.code == 2 and "--csv loss.csv is an input file" in refused.err
    assert cli("embed ranksvm --items 4 --csv no.csv --plot p.png --no-save").code == 2
    assert not Path("no.csv").exists()


def test_a_table_with_negative_fractions_reads_back(cli):
    Path("t.csv").write_text("label,x,y\na,-1/2,1\nb,1,0\n")
    assert cli("embed bayes-hinge --target t.csv --csv solved.csv --no-save").code == 0
    assert "-1/2" in Path("solved.csv").read_text() and "'" not in Path("solved.csv").read_text()
    assert cli("embed bayes-hinge --target solved.csv --no-save").out.startswith("Yes: some decoder")


def test_a_decoder_file_without_cells_is_refused(cli):
    Path("d.json").write_text('"sort"')
    refused = cli("embed ranksvm --decoder d.json")
    assert refused.code == 2 and "d.json: the decoder must be an object: for each prediction" in refused.err


def test_what_cannot_be_drawn_is_refused_before_the_work(cli, monkeypatch):
    monkeypatch.setattr("consistency_lab.apps.embed.embedding.embed", None)
    refused = cli("embed ranksvm --items 4 --plot p.svg")
    assert refused.code == 2 and "a picture shows two scores" in refused.err


def test_a_decoder_whose_cells_leave_scores_out_is_refused(cli):
    Path("abs.json").write_text(
        '{"coordinates": ["u"], "labels": {"yes": [[[["0"], "0"], [["-1"], "1"]]],'
        ' "no": [[[["0"], "0"], [["1"], "1"]]]}}'
    )
    Path("loss.csv").write_text("label,low,high\nyes,2,0\nno,0,2\n")
    Path("far.json").write_text('{"low": [[[["-1"], "-1"]]], "high": [[[["1"], "-1"]]]}')
    found = cli("embed abs.json --target loss.csv --decoder far.json --no-save")
    assert found.code == 2 and found.err == "the decoder returns nothing at the scores (0)\n"


def test_too_many_points_are_no_verdict(cli, monkeypatch):
    monkeypatch.setattr("consistency_lab.core.embedding.MOST_MEETINGS", 9)
    ran = cli("embed ranksvm")
    assert (ran.code, ran.out) == (2, "") and "too many" in ran.err


@pytest.mark.parametrize("line", ["ranksvm", "crammer-singer --target abstain", "lee-lin-wahba", "lovasz"])
def test_a_picture_is_the_same_every_time(cli, line):
    for name in ("a.svg", "b.svg"):
        assert cli("embed", *line.split(), "--plot", name, "--no-save").code in (0, 1)
    assert Path("a.svg").read_bytes() == Path("b.svg").read_bytes()


def test_the_lines_of_a_picture_meet_at_the_reports():
    """Of RankSVM each report lies on two lines at least, in the plane of scores of mean zero."""
    found = embed(polyhedral("ranksvm"))
    figure = Figure()
    embed_plot(found, None).draw(figure)
    (axes,) = figure.axes
    lines = [line.get_xydata() for line in axes.lines if len(line.get_xydata()) == 2]
    points = [line.get_xydata()[0] for line in axes.lines if len(line.get_xydata()) == 1]
    assert (len(lines), len(points)) == (6, 12)
    for x, y in points:
        gaps = [abs((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) for a, b in lines]
        assert sum(gap < 1e-9 for gap in gaps) == 2


def test_a_loss_matrix_has_a_hinge_that_construct_names(cli):
    Path("t.csv").write_text("y,one,two,abstain\na,0,1,1/3\nb,1,0,1/3\n", encoding="utf-8")
    line = "consistency-lab embed bayes-hinge --target t.csv"
    assert line in cli("construct t.csv --no-save").out
    found = cli(*line.split()[1:], "--json").document
    assert found["link"] and sorted(found["predictions"]) == ["abstain", "one", "two"]
    assert "link (3 reports)" in cli("verify", found["file"]).said
