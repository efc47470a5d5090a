"""`audit`: one profile or many, what is kept, what is refused, and what the exit code says."""

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

from consistency_lab import verify_file
from consistency_lab.apps.audit import many as run_module
from consistency_lab.apps.audit import many as store_module
from consistency_lab.data.text import sample_path
from consistency_lab.errors import NotWrittenError
from consistency_lab.processes import at_once

QUICK = ("--resamples", "40", "--simulations", "5", "--no-flips", "--loss", "logistic")
RIGHT = "winner,loser,count\nA,B,9\nB,C,9\nA,C,9\nB,A,1\nC,B,1\nC,A,1\n"


@pytest.fixture
def games(cli, in_process):
    """Two profiles, one of which no loss orders wrongly, in the folder in which `cli` runs."""
    Path("right.csv").write_text(RIGHT, encoding="utf-8")
    Path("games.csv").write_text(
        "day;home;away;won\n1;A;B;A\n2;B;A;tie\n3;A;B;home\n4;A;B;x\n", encoding="utf-8"
    )
    return cli


NET = "winner,loser,count\nA,B,600\nB,A,400\nB,C,800\nC,B,200\nC,A,600\nA,C,400\n"


def test_the_exit_code_is_1_for_what_was_asked(games):
    """Vermont: wrong within noise. By net wins: wrong above noise, and without resamples of unknown noise."""
    Path("net.csv").write_text(NET, encoding="utf-8")
    asked = [("vermont.toc", "logistic", "40"), ("net.csv", "linear", "40"), ("net.csv", "linear", "0")]
    for fail_on, expected in {"wrong": [1, 1, 1], "above-noise": [0, 1, 3], "never": [0, 0, 0]}.items():
        assert expected == [
            games("audit", name, "--fail-on", fail_on, "--loss", loss, "--resamples", n, *QUICK[2:5]).code
            for name, loss, n in asked
        ]
    assert games("audit vermont.toc right.csv --fail-on above-noise", *QUICK).code == 0


def test_the_exit_code_follows_the_first_line(games):
    Path("net.csv").write_text(NET, encoding="utf-8")
    for name, loss, resamples, said, code in (
        ("vermont.toc", "logistic", "40", "Beck leads in every resample;", 0),
        ("net.csv", "linear", "40", "linear puts B above A, but 600 : 400 prefer A, above noise.", 1),
        ("net.csv", "borda", "40", "borda puts B above A, but 600 : 400 prefer A, above noise.", 1),
        ("net.csv", "borda", "0", "B is first; without resamples it is not known how surely.", 3),
    ):
        ran = games("audit", name, "--loss", loss, "--resamples", resamples, *QUICK[2:5])
        assert (ran.out.startswith(said), ran.code) == (True, code)
        assert ("above noise" in ran.out.splitlines()[0]) == (code == 1)
    many = games("audit net.csv vermont.toc --loss borda,logistic", *QUICK[:5])
    assert "Contradicted above noise: 2 findings" in many.out and many.code == 1
    help_ = games("audit --help --all").said
    assert "When to exit with 1: the answer says above noise" in help_


def test_games_of_a_judge_are_drawn_together(games):
    rows = [f"{'BA'[judge < 9]},{'AB'[judge < 9]},{judge}" for judge in range(10) for _ in range(5)]
    Path("judges.csv").write_text("\n".join(["w,l,judge", *rows]), encoding="utf-8")
    named = ("audit", "judges.csv", "--winner", "w", "--loser", "l", *QUICK)
    told = games(*named, "--cluster", "judge", "--details").said
    assert "50 comparisons in 10 clusters by judge, 2 items" in told
    assert "clusters of comparisons are drawn together." in told
    found = games(*named, "--details").out
    assert found.splitlines()[1].startswith("judges: 50 comparisons in 10 clusters by judge, ")
    assert "Note: games of one judge are drawn together; --cluster none draws each alone." in found
    alone = games(*named, "--cluster", "none", "--details").out
    assert "cluster" not in alone
    assert "single comparisons are drawn as if they were independent." in " ".join(alone.split())
    missing = games(*named, "--cluster", "prompt")
    assert missing.code == 2 and "prompt" in missing.err


def test_a_name_that_a_table_marks_is_told(games):
    Path("formulas.csv").write_text("winner,loser\n=1+1,B\n", encoding="utf-8")
    ran = games("audit formulas.csv --csv rows.csv", *QUICK)
    assert "'=1+1," in Path("rows.csv").read_text(encoding="utf-8")
    assert "the table has a ' before '=1+1', so that no spreadsheet takes it for a formula" in ran.err


def test_the_table_is_that_of_a_loss_which_contradicts_no_majority_above_noise(games):
    asked = ("audit", "san-francisco.csv", "--resamples", "60", "--simulations", "0", "--no-flips")
    ran = games(*asked)
    told = ran.said
    assert told.startswith(
        "Eric Mar beats everybody, but logistic, exponential, squared-hinge and linear put Sue Lee first: "
        "13,214 : 12,782 prefer Eric Mar, above noise."
    )
    first, second = ran.out.splitlines()[5:7]
    assert first.split()[:4] == ["1", "1", "Eric", "Mar"] and second.split()[:4] == ["2", "2", "Sue", "Lee"]
    assert "Ranks by difference-logistic. It goes against no majority." in told
    assert (ran.code, len(ran.out.splitlines()) <= 24) == (1, True)
    document = games(*asked, "--json").document
    assert told.startswith(document["line1"]) and document["instead"] == ["difference-logistic"]
    assert [row["item"] for row in document["items"]][:2] == ["Eric Mar", "Sue Lee"]


def test_a_rule_that_is_no_loss_decides_nothing(games):
    ran = games("audit right.csv --json", *QUICK[:5], "--loss", "winrate")
    assert ran.code == 0
    assert ran.document["findings"][0]["verdict"] == "UNDECIDED"


def test_everything_is_written(games):
    files = ("--html", "page.html", "--csv", "rows.csv", "--out", "kept")
    ran = games("audit vermont.toc --json", *files, *QUICK[:5])
    assert ran.document["profile"]["title"].startswith("St Johnsbury")
    assert Path("page.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    rows = list(csv.DictReader(io.StringIO(Path("rows.csv").read_text(encoding="utf-8"))))
    assert [row["item"] for row in rows] == [one["item"] for one in ran.document["items"]]
    assert [row["item"] for row in rows] == ["Beck", "Fay", "Willhoit", "South"]
    (kept,) = Path("kept").glob("*.json")
    assert json.loads(kept.read_text(encoding="utf-8"))["audit"] == ran.document
    named = {Path("kept", finding["witness"]) for finding in ran.document["findings"]}
    assert named == {*Path("kept/witnesses").iterdir()}
    assert all(verify_file(path) for path in named)


def test_proofs_lie_beside_the_page(games):
    games("audit vermont.toc --html page.html", *QUICK)
    page = Path("page.html").read_text(encoding="utf-8")
    (found,) = Path("page-proofs").iterdir()
    assert f"page-proofs/{found.name}" in page and verify_file(found)
    assert "certificate" not in page
    games("audit vermont.toc --html bare.html --no-witnesses", *QUICK)
    assert not Path("bare-proofs").exists() and "<a " not in Path("bare.html").read_text(encoding="utf-8")


def test_an_audit_is_the_same_document_wherever_it_is_kept(games):
    found = [
        games("audit vermont.toc --json --out", folder, *QUICK).out
        for folder in ("kept", "other/kept", str(Path("absolute").absolute()))
    ]
    assert found[0] == found[1] == found[2]
    one, other, third = (next(Path(name).glob("*.json")) for name in ("kept", "other/kept", "absolute"))
    assert one.name == other.name == third.name
    assert one.read_bytes() == other.read_bytes() == third.read_bytes()


def test_audits_are_kept_without_the_files_that_prove_them(games):
    asked = ("audit", "vermont.toc", "right.csv", "--out", "kept", "--no-witnesses")
    assert games(*asked, *QUICK).code == 0
    assert len(list(Path("kept").glob("*.json"))) == 2
    assert not Path("kept/witnesses").exists()
    # What is kept of one file alone is the same: it names the proofs by their digests.
    before = {path.name: path.read_bytes() for path in Path("kept").glob("*.json")}
    ran = games("audit", "vermont.toc", "--out", "alone", "--no-witnesses", *QUICK)
    (alone,) = Path("alone").glob("*.json")
    assert "written: audits in alone" in ran.err and "sha256:" in alone.read_text("utf-8")
    assert alone.read_bytes() == before[alone.name]


def test_columns_are_named_and_bad_rows_told(games):
    named = ("--a", "home", "--b", "away", "--winner", "won")
    ran = games("audit games.csv", *named, "--json", *QUICK)
    assert ran.document["profile"]["total"] == "3"
    assert "ties counted as half a win for each: 1" in ran.document["profile"]["notes"]
    assert any("line 5" in note for note in ran.document["profile"]["notes"])
    dropped = games("audit games.csv", *named, "--ties", "drop", "--json", *QUICK).document
    assert dropped["profile"]["total"] == "2"
    failed = games("audit games.csv", *named, "--bad-rows", "fail", *QUICK)
    assert (failed.code, failed.out) == (2, "")
    assert failed.err == "games.csv, line 5: the winner, such as 'x', is neither player nor a tie\n"


def test_many_files_are_added_up_and_a_bad_one_is_told(games):
    Path("bad.csv").write_text("winner,loser\n", encoding="utf-8")
    ran = games("audit vermont.toc bad.csv right.csv gone.soc --jobs 2 --csv rows.csv", *QUICK)
    assert ran.code == 2
    assert "4 instances: 2 decided for every loss, 0 undecided for some, 2 not audited." in ran.said
    assert "there are no games; it has no rows (first bad.csv)" in ran.said
    assert "gone.soc: not audited: gone.soc does not exist" in ran.err
    assert "2 audits made, 0 already there, 2 failed, 0 missing" in ran.err
    rows = list(csv.DictReader(io.StringIO(Path("rows.csv").read_text(encoding="utf-8"))))
    assert {row["source"] for row in rows} == {"vermont.toc", "right.csv"}


def test_what_is_there_is_not_made_again(games):
    line = ("audit", "vermont.toc", "right.csv", "--jobs", "1", "--out", "kept", "--json", *QUICK)
    first = games(*line)
    assert first.code == 0
    assert "2 audits made, 0 already there" in first.err
    again = games(*line)
    assert (again.code, again.document["totals"]) == (0, first.document["totals"])
    assert "0 audits made, 2 already there" in again.err
    Path("right.csv").write_text(RIGHT.replace("A,B,9", "A,B,8"), encoding="utf-8")
    assert "1 audits made, 1 already there" in games(*line).err
    other = ["2" if word == "1" else word for word in line]
    assert "0 audits made, 2 already there" in games(*other).err
    assert "2 audits made, 0 already there" in games(*line, "--seed", "1").err


def test_a_damaged_file_is_made_again(games):
    line = ("audit", "vermont.toc", "right.csv", "--jobs", "1", "--out", "kept", *QUICK)
    games(*line)
    path = next(Path("kept").glob("right*.json"))
    path.write_text(path.read_text("utf-8").replace('"CONSISTENT"', '"INCONSISTENT"'), encoding="utf-8")
    ran = games(*line)
    assert f"{path} is damaged; computing it again" in ran.err
    assert "1 audits made, 1 already there" in ran.err


def test_an_interruption_shows_what_is_done_and_the_next_run_goes_on(games, monkeypatch):
    outcomes = run_module._outcomes

    def interrupted(*given):
        found = outcomes(*given)
        yield next(found)
        found.close()
        raise KeyboardInterrupt

    line = ("audit", "vermont.toc", "right.csv", "--jobs", "1", "--out", "kept", *QUICK)
    with monkeypatch.context() as patched:
        patched.setattr(run_module, "_outcomes", interrupted)
        ran = games(*line)
    assert ran.code == 130
    assert "1 instances: 1 decided" in ran.out
    assert "1 audits made, 0 already there, 0 failed, 1 missing" in ran.err
    assert "run the same command to go on" in ran.err
    assert "1 audits made, 1 already there" in games(*line).err


def test_an_interruption_leaves_the_page_and_the_table_as_they_were(games, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt
        yield

    for name in ("rows.csv", "page.html"):
        Path(name).write_text("before", encoding="utf-8")
    monkeypatch.setattr(run_module, "_outcomes", interrupted)
    ran = games("audit vermont.toc right.csv --csv rows.csv --html page.html", *QUICK)
    assert ran.code == 130
    assert "so the page and the table were not written" in ran.err
    assert [Path(name).read_text(encoding="utf-8") for name in ("rows.csv", "page.html")] == 2 * ["before"]


def test_where_nothing_is_audited_nothing_is_written_and_the_question_was_wrong(games, refused):
    Path("rows.csv").write_text("before", encoding="utf-8")
    ran = games("audit gone.toc lost.toc --jobs 1 --csv rows.csv", *QUICK)
    assert (ran.code, Path("rows.csv").read_text(encoding="utf-8")) == (2, "before")
    Path("j.csv").write_text("q,d,j,g\n1,a,X,1\n1,a,Y,1\n", encoding="utf-8")
    assert (
        refused("audit j.csv --query q --item d --judge j --grade g", *QUICK)
        == "j.csv: no query can be audited; 1 query is left out: it has only one item (query 1)\n"
    )


def test_no_file_that_is_read_is_written(games, refused):
    Path("votes").mkdir()
    Path("votes/a.csv").write_text(RIGHT, encoding="utf-8")
    for words, said in (
        (("right.csv", "--csv", "./right.csv"), "--csv right.csv is an input file; name another file"),
        (("right.csv", "vermont.toc", "--html", "right.csv"), "--html right.csv is an input file"),
        (("votes", "--html", "votes/a.csv"), "--html votes/a.csv is an input file"),
        (("votes", "--csv", "votes/new.csv"), "--csv votes/new.csv lies in the input folder votes"),
        (("votes", "--out", "votes/kept"), "--out votes/kept lies in the input folder votes"),
    ):
        assert said in refused("audit", *words, *QUICK)
    assert [Path(name).read_text(encoding="utf-8") for name in ("right.csv", "votes/a.csv")] == [RIGHT, RIGHT]
    assert sorted(path.name for path in Path("votes").iterdir()) == ["a.csv"]


@pytest.mark.parametrize(
    ("file", "data"), [("--csv", ("right.csv",)), ("--html", ("right.csv", "vermont.toc", "--jobs", "1"))]
)
def test_a_full_disk_does_not_swallow_the_answer(games, file, data):
    plain = games("audit", *data, *QUICK)
    ran = games("audit", *data, file, "/dev/full", *QUICK)
    assert (ran.code, ran.out) == (74, plain.out)
    assert ran.err.endswith("/dev/full cannot be written: no space left on device\n")


@pytest.mark.parametrize("data", [("right.csv",), ("right.csv", "vermont.toc", "--jobs", "1")])
def test_an_answer_that_cannot_be_kept_is_told(games, data, monkeypatch):
    def full(*_, **__):
        raise NotWrittenError("the disk is full")

    plain = games("audit", *data, *QUICK)
    with monkeypatch.context() as patched:
        patched.setattr(store_module, "write_document", full)
        ran = games("audit", *data, "--out", "kept", *QUICK)
    assert (ran.code, ran.out) == (74, plain.out)
    assert "the disk is full" in ran.err


def test_witnesses_that_are_missing_damaged_or_swapped_are_made_again(games):
    shutil.copy(sample_path("vermont.toc"), "other.toc")
    data = ("vermont.toc", "other.toc", "right.csv", "--jobs", "1")
    line = ("audit", *data, "--out", "kept", "--json", *QUICK)
    first = games(*line)
    witness = next(path for path in Path("kept/witnesses").iterdir() if b"Beck" in path.read_bytes())
    good = witness.read_bytes()
    witness.unlink()
    ran = games(*line)
    assert (ran.out, witness.read_bytes()) == (first.out, good)
    assert f"{witness} is missing or damaged; " in ran.err
    witness.write_bytes(good.replace(b"Beck", b"Back"))
    ran = games(*line)
    assert (ran.out, witness.read_bytes()) == (first.out, good)
    one, two = Path("kept").glob("vermont*.json"), Path("kept").glob("right*.json")
    one, two = next(one), next(two)
    texts = one.read_bytes(), two.read_bytes()
    one.write_bytes(texts[1])
    two.write_bytes(texts[0])
    ran = games(*line)
    assert (ran.out, "2 audits made, 1 already there" in ran.err) == (first.out, True)
    assert (one.read_bytes(), two.read_bytes()) == texts


def test_the_answer_does_not_depend_on_what_was_there(games):
    Path("bad.csv").write_text("winner,loser\n", encoding="utf-8")
    data = ("bad.csv", "vermont.toc", "gone.soc", "right.csv")
    quick = ("--loss", "logistic,copeland", "--resamples", "0", *QUICK[2:5])
    line = ("audit", *data, "--jobs", "1", "--json", "--csv", "rows.csv", *quick)
    fresh = games(*line, "--out", "fresh")
    rows = Path("rows.csv").read_bytes()
    games("audit right.csv --out kept", *quick)
    later = games(*line, "--out", "kept")
    assert "1 already there" in later.err
    assert later.out.replace("kept/", "fresh/") == fresh.out
    assert Path("rows.csv").read_bytes() == rows


def test_what_is_left_out_stands_at_the_top(games):
    Path("holes.csv").write_text(RIGHT + "A,,1\n,B,1\n", encoding="utf-8")
    share = "% of the rows are left out (2 of "
    ran = games("audit holes.csv", *QUICK)
    warned = ran.said.partition(" score ")[0]  # above the table
    assert "Warning: " in warned and share in warned
    ran = games("audit holes.csv right.csv --jobs 1", *QUICK)
    assert ran.out.splitlines()[1].startswith("  Warning: holes.csv: ")
    assert share in " ".join(ran.out.splitlines()[1:3])
    ran = games("audit holes.csv right.csv --jobs 1 --json", *QUICK)
    (left,) = ran.document["totals"]["left_out"]
    assert (left["file"], left["what"], left["count"]) == ("holes.csv", "rows", 2)
    assert ran.document["audits"][0]["audit"]["profile"]["left_out"] == [left]


@pytest.mark.long
def test_a_page_of_several_processes_is_in_the_order_of_the_files_and_its_parts_are_kept(games, monkeypatch):
    line = ("audit", "vermont.toc", "right.csv", "--out", "kept", *QUICK)
    paged = (*line, "--html", "page.html")
    games(*line, "--jobs", "1")
    with monkeypatch.context() as patched:
        patched.setattr(run_module, "at_once", at_once)
        assert "2 audits made, 0 already there" in games(*paged, "--jobs", "2").err
    first = Path("page.html").read_text(encoding="utf-8")
    assert first.index("<h2>Beck leads") < first.index("right: 30 comp") < first.index("How to read this")
    assert 'id="profile-1"' in first and 'id="profile-2"' in first
    assert "0 audits made, 2 already there" in games(*paged, "--jobs", "1").err
    assert Path("page.html").read_text(encoding="utf-8") == first
    assert "0 audits made, 2 already there" in games(*line, "--jobs", "1").err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ((), "missing argument 'DATA...'"),
        (("gone.toc",), "gone.toc does not exist"),
        (("right.csv", "--loss", "logistc"), "logistc"),
        (("right.csv", "--ties", "never"), "--ties is 'never'; it must be one of half, drop, both"),
        (("right.csv", "--unranked", "first"), "--unranked is 'first'; it must be one of last, unknown"),
        (("right.csv", "--bad-rows", "keep"), "--bad-rows is 'keep'; it must be one of report, fail"),
        (("right.csv", "--resamples", "-1"), "--resamples is -1; it must be at least 0"),
        (("right.csv", "--resamples", "39"), "--resamples is 39, which can tell nothing from noise; give"),
        (("right.csv", "--html", "same", "--csv", "./same"), "--html and --csv both name same; give each"),
        (("right.csv", "--loser", "l"), "--winner is missing; games need --winner and --loser"),
        (("right.csv", "--item", "i"), "--item alone is not enough"),
        (("right.csv", "--user", "u", "--item", "i"), "--rating is missing; ratings need --user, --item"),
        (("right.csv", "--user", "u", "--judge", "j"), "columns of ratings and of judgments are named"),
        (("right.csv", "--winner", "w", "--item", "i"), "--item is a column of ratings or judgments"),
        (("right.csv", "--winner", "w", "--loser", "l"), "right.csv has no column 'w'"),
        (("right.csv", "--top", "1"), "at least 2"),
        (("right.csv", "--top", "2", "--select", "A,B"), "give only one of --select and --top"),
        (("right.csv", "--select", "A,X"), "right.csv: there is no item 'X'"),
        (("right.csv", "--html", "no/page.html"), "no/page.html cannot be written"),
        (("right.csv", "--csv", "."), ". cannot be written"),
        (("right.csv", "--out", "right.csv"), "right.csv cannot hold audits"),
        (("right.csv", "--seed", "-1"), "--seed is -1; it must be at least 0"),
        (("right.csv", "vermont.toc", "--jobs", "0"), "--jobs is 0"),
        (("right.csv", "vermont.toc", "--scheduler", "nowhere"), "--scheduler is 'nowhere'"),
        (("empty",), "empty is a folder without profiles"),
    ],
)
def test_a_wrong_question_is_one_sentence(games, refused, words, sentence):
    Path("empty").mkdir()
    assert sentence in refused("audit", *words)


@pytest.mark.long
def test_a_cluster_makes_the_same_audits(cli):
    from distributed import LocalCluster

    Path("right.csv").write_text(RIGHT, encoding="utf-8")
    line = ("audit", "vermont.toc", "right.csv", "gone.toc", "--json", *QUICK)
    here = cli(*line, "--jobs", "1")
    quiet = {"host": "127.0.0.1", "dashboard_address": None, "silence_logs": "CRITICAL"}
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=True, **quiet) as running:
        there = cli(*line, "--scheduler", running.scheduler_address)
    assert there.code == here.code == 2
    assert there.document["totals"] == here.document["totals"]
    found = [sorted(ran.document["audits"], key=lambda one: one["source"]) for ran in (there, here)]
    assert found[0] == found[1]


def test_reading_decides_the_name_of_what_is_kept(games):
    line = ("audit", "right.csv", "vermont.toc", "--jobs", "1", "--out", "kept", *QUICK)
    games(*line)
    assert "2 audits made, 0 already there" in games(*line, "--unranked", "unknown").err
    assert len(list(Path("kept").glob("*.json"))) == 4
    assert store_module.FORMAT in next(Path("kept").glob("*.json")).read_text(encoding="utf-8")


def test_the_first_place_is_asked_about_of_many_items_only_on_demand(cli):
    lines = [f"{chr(0x4E00 + k)},{chr(0x4E01 + k)}" for k in range(61)]
    Path("chain.csv").write_text("\n".join(["winner,loser", *lines, lines[0]]) + "\n", encoding="utf-8")
    once = ("audit", "chain.csv", "--loss", "linear", "--resamples", "0", "--simulations", "0", "--json")
    assert cli(*once).document["findings"][0]["flip"] is None
    assert cli(*once, "--flips").document["findings"][0]["flip"]["votes"] == 2


def test_simulations_too_few_to_tell_are_not_taken_for_chance(cli):
    told = {}
    for count in ("1", "40"):
        asked = f"audit san-francisco.csv --loss bt --simulations {count} --resamples 0 --no-flips --details"
        told[count] = cli(*asked.split()).said
    assert "was simulated too rarely to tell whether chance explains it (p = .50)" in told["1"]
    assert "misfit of Bradley-Terry is more than chance explains (p = .024)" in told["40"]


def test_slices_say_first_who_leads_in_which(games):
    orders = (("en", "ABC"), ("fr", "ACB"), ("de", "BAC"))
    pairs = [f"{o[i]},{o[j]},{name}" for name, o in orders for i, j in ((0, 1), (0, 2), (1, 2))]
    lines = pairs * 9
    Path("s.csv").write_text("\n".join(["winner,loser,language", *lines]), encoding="utf-8")
    ran = games("audit s.csv --query language --jobs 1", *QUICK)
    told = ran.out.splitlines()
    assert told[0] == "A leads in 2 of 3 slices; B in de."
    assert [line.split()[:3] for line in told[3:6]] == [
        ["en", "27", "A"],
        ["fr", "27", "A"],
        ["de", "27", "B"],
    ]
    assert ["differs" in line for line in told[3:6]] == [False, False, True]
    assert told[7] == "No loss goes against a majority above noise." and ran.err == ""
    assert "3 instances: " not in ran.out and len(told) <= 24
    in_full = games("audit s.csv --query language --details", *QUICK)
    assert "3 instances: 3 decided" in in_full.out and "3 audits made" in in_full.err
    Path("s.csv").write_text("winner,loser,prompt\nA,B,p\nB,C,p\nD,E,q\nE,F,q\n", encoding="utf-8")
    apart = games("audit s.csv --query prompt --jobs 1", *QUICK)
    assert apart.out.startswith("2 instances:")  # answers to different prompts have no leader in common


def test_a_rule_that_is_not_known_is_skipped_with_a_note(games):
    asked = ("audit", "right.csv", *QUICK[:5], "--loss")
    ran = games(*asked, "logistic,glicko,nothing,ranked choice", "--json")
    assert [one["loss"] for one in ran.document["findings"]] == ["logistic"]
    assert ran.err.count("skipped: ") == 3 and "glicko depends on the order" in ran.err
    assert "pip install 'consistency-lab[elections]'" in ran.err
    alone = games(*asked, "elo")
    assert alone.code == 2 and alone.err.endswith("needs a column of their times, such as date\n")


def test_of_thousands_of_items_the_answer_fits_a_screen_and_says_what_is_not_looked_for(cli, in_process):
    rows = [f"m{i},m{(i + step) % 1001}" for i in range(1001) for step in (1, 2, 3)]
    Path("ring.csv").write_text("\n".join(["winner,loser", *rows, "m5,m900"]), encoding="utf-8")
    told = cli("audit", "ring.csv", "--resamples", "40", "--csv", "items.csv")
    lines = told.out.splitlines()
    assert told.code == 0 and len(lines) <= 24 and max(map(len, lines)) <= 80
    assert "Not looked for: the" in told.out and "991 more" in told.out
    assert len(Path("items.csv").read_text(encoding="utf-8").splitlines()) == 1002
    refused = cli("audit", "ring.csv", "--json")
    assert refused.code == 2 and "--json is for up to 1,000 items, and there are 1,001" in refused.err
