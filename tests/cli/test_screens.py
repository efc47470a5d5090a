"""Whatever a user asks is answered on one screen: the answer first, no wider than the page, and no path.

What the documents show is asked in tests/test_documents.py, which has the same limits.

The rows are everyday jobs of theorists, engineers, owners of leaderboards and elections, trainers of language
models, and teachers.
"""

import json
import random
import re
import shlex
from pathlib import Path
from shutil import copy
from typing import NamedTuple

import pandas
import pytest

import consistency_lab as lab
from consistency_lab.cli.running import places
from consistency_lab.model.surrogates.tasks.libraries import library_names, pair_libraries
from consistency_lab.show.listing import LISTINGS
from consistency_lab.show.text import cells
from consistency_lab.shown import HEIGHT, WIDTH

ROOT = Path(__file__).parents[2]
GALLERY = ROOT / "counterexamples"
HINGE = "hinge-additive-3items-578dc29e.json"
LOGISTIC = "logistic-additive-3items-ca20d338.json"
LAMBDARANK = "ndcg-012-lightgbm-lambdarank.json"
PAIRWISE = "pairwise-012-logistic.json"
A, B, C = (f"An item whose name has {word} characters".ljust(40, ".") for word in ("40", "forty", "4 x 10"))
LONG = [f"A candidate with a long name {i}" for i in range(12)]


def table(head, *rows):
    return "\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n"


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


def battles(draw):
    """A battle of two models, in the row of an arena."""
    models = ["gpt-4o-2024-08-06", "claude-3-5-sonnet", "llama-3.1-405b-instruct", "qwen2.5-72b"]
    a, b = draw.sample(range(4), 2)
    winner = draw.choices(["model_a", "model_b", "tie", "tie (bothbad)"], [5 + 2 * (a < b), 5, 1, 1])[0]
    row = {"model_a": models[a], "model_b": models[b], "winner": winner, "judge": f"j{draw.randrange(6)}"}
    return row | {"turn": 1, "language": draw.choice(["English", "German"])}


def answers(draw):
    said = [[{"role": "assistant", "content": f"answer {one}"}] for one in draw.sample("ABC", 2)]
    prompt = [{"role": "user", "content": f"question {draw.randrange(4)}"}]
    return {"prompt": prompt, "chosen": said[0], "rejected": said[1]}


def liked(draw):
    completion = f"answer {draw.choice('ABC')}"
    return {"prompt": f"q{draw.randrange(5)}", "completion": completion, "label": draw.random() < 0.5}


def rated(draw):
    models = ("gpt-4", "llama-2-7b", "mpt-30b")
    return {
        "instruction": f"question {draw.random()}",
        "completions": [{"model": one, "overall_score": draw.randint(1, 10)} for one in models],
    }


DRAW = random.Random(400)
FILES = {
    "arena.jsonl": lines(*(battles(DRAW) for _ in range(400))),
    "ultra.jsonl": lines(*(rated(DRAW) for _ in range(20))),
    "dpo.jsonl": lines(*(answers(DRAW) for _ in range(60))),
    "kto.jsonl": lines(*(liked(DRAW) for _ in range(40))),
    "rcv.csv": "rank1,rank2,rank3\nAnn,Bob,Cy\nBob,Ann,skipped\nCy,overvote,Ann\nAnn,,\n",
    "club.csv": ",Ann,Bob,Cy\nAnn,0,2,3\nBob,5,0,4\nCy,2,3,0\n",
    "votes.soc": "# TITLE: Board\n# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 1: Ann\n"
    "# ALTERNATIVE NAME 2: Bob\n# ALTERNATIVE NAME 3: Cy\n5: 1,2,3\n4: 2,1,3\n2: 3,2,1\n",
    "pizza.csv": table(
        "Timestamp,Name,Margherita,Funghi,Salami,Hawaii",
        *(
            (f"2026-11-0{k} 10:00", f"Student {k}", *order)
            for k, order in enumerate(["1234", "2134", "1324", "3124", "1243", "2134", "1234"], start=1)
        ),
    ),
    "train.svm": "2 qid:1 1:0.5\n0 qid:1 1:0.25\n4 qid:1 1:0.1\n1 qid:2 1:1\n3 qid:2 1:2\n",
    "train.letor": "0 qid:q1 1:1\n2 qid:q1 1:2\n1 qid:q1 1:3\n2 qid:q2 1:1\n1 qid:q2 1:2\n1 qid:q2 1:3\n",
    "qrels.txt": "301 0 FT911-1 2\n301 0 FT911-2 0\n302 0 FT911-3 1\n",
    "clicks.csv": "session_id,query,doc_id,position,clicked\n0,tv,tv-c,1,0\n0,tv,tv-d,2,1\n",
    "myloss.py": "import torch\n\n\n"
    "def listloss(s, y):\n    return torch.logsumexp(s, 0) - (y / y.sum()) @ s\n",
    "my_file.py": "import math\n\n\ndef my_loss(x):\n    return math.log1p(math.exp(-x))\n",
    "losses.csv": table(f",{A},{B},{C}", (A, 0, 1, 2), (B, 1, 0, 1), (C, 2, 2, 0)),
    "chess.csv": "white,black,result\nAnn,Bob,1-0\nBob,Cid,0-1\nCid,Ann,1/2-1/2\n",
    "orders.txt": "A > B > C\nB > A > C\nA > C > B\n",
    "three.csv": table("winner,loser,count", (A, B, 3), (B, C, 1), (A, C, 8), (C, A, 4)),
    "long.csv": table(
        "winner,loser,count",
        *((a, b, i + j) for i, a in enumerate(LONG) for j, b in enumerate(LONG) if i != j),
    ),
    "grades.csv": table(
        "query,item,judge,grade",
        *(
            (f"query {q}", name, f"judge {j}", (k + j) % 3)
            for q in "pq"
            for j in range(3)
            for k, name in enumerate((A, B, C))
        ),
    ),
    "labels.csv": "judge,item,grade\nx,A,2\nx,B,1\ny,A,0\ny,B,1\n",
    "reference.csv": table("answer,logp", (A, -1), (B, -2), (C, -3)),
    "features.csv": table("item,length,sources", (A, 1, 2), (B, 2, 1), (C, 3, 5)),
}
DRAWS = "--resamples 40 --simulations 9"
QUICK = "--no-save --budget 1"


class Row(NamedTuple):
    """A command, its exit code, words of its first paragraph, and words of the rest."""

    command: str
    code: int
    first: str
    says: tuple[str, ...]


def asked(command, code, first="", *says):
    return Row(command, code, first, says)


CHECKED = [
    asked(f"check {command} {QUICK}", *rest)
    for command, *rest in (
        ("logistic", 1, "logistic is right under Bradley-Terry; otherwise it can be wrong", "12 comparisons"),
        ("dpo", 1, "dpo is right under Bradley-Terry; otherwise it can be wrong. In TRL", "surplus"),
        ("trl:ipo", 1, "is right at equal counts under net order; otherwise", "Certified"),
        ("MarginRankingLoss", 1, "right if the compared pairs form no cycle;", "MarginRankingLoss is hinge"),
        ("linear", 1, "linear is right under net order, however often pairs are compared; otherwise"),
        ("difference-logistic", 1, "is right for all acyclic preferences; otherwise it can be wrong."),
        ("trl:simpo", 1, "trl:simpo is right at equal counts under rows in order; otherwise it can be wrong"),
        ("margin-square", 1, "margin-square can be wrong whatever the preferences, even with 2 items."),
        ("sigmoid", 0, "is right for all preferences, at the infimum of W; it is not convex", "instead:"),
        (r'--phi "\log(1+e^{-t})+t^2/10"', 1, "is right at equal counts under net order", "x**2/10"),
        ("torch.nn.BCEWithLogitsLoss", 1, "BCEWithLogitsLoss is logistic"),
        ("bpr", 1, "bpr is right under Bradley-Terry", "It is the logistic loss"),
        ("cdpo", 1, "cdpo is right at equal counts under net order", "dpo"),
        ("linear --condition low-noise --condition acyclic", 1, "it can be wrong for acyclic preferences."),
        (
            "softmax --target ndcg",  # docs/theory.md: labels (2, 0, 1) and (1, 2, 1), each half the time
            1,
            "softmax is right for NDCG if the labels agree on one order; otherwise it can be wrong.",
            "mean f 11/24 1/4 7/24 a > c > b NDCG 0.879",
            "best order a > b > c NDCG 0.893",
            "instead: regression-gain-over-z is right whatever the labels, for all lengths.",
        ),
        ("InfoNCE", 1, "InfoNCE compares one positive with sampled negatives"),
        ("YetiRank", 3, "YetiRank is open for NDCG"),
        ("rank:ndcg --target ndcg@10 --labels 0..1", 1, "can train to a wrong order for NDCG@10", "instead:"),
        (
            *("objective=lambdarank", 1, "objective=lambdarank can train to a wrong order for NDCG"),
            *("Read as LightGBM's lambdarank, version", "For NDCG, since no --target was named."),
        ),
        ("myloss.py:listloss --target ndcg", 2, "labels (0, 0, 0)"),
        ("elo", 2, "bradley-terry"),
        ("robust", 2, "; trl:robust is decided at its defaults, as dpo"),
        ("logistic --features x", 2, "align"),
        ("linear --profile three.csv", 0, "linear ranks these comparisons correctly."),
        ("dpo --profile three.csv", 1, "dpo ranks these comparisons wrongly: "),
        ("hinge --at burlington.toc", 1, "hinge "),
        ("difference-logistic --at alaska.csv", 0, "difference-logistic ranks these comparisons correctly"),
        ("margin-ramp --at vermont.toc", 3, "It is open whether margin-ramp ranks these votes correctly"),
        ("logistic --at long.csv", 0, "logistic ranks these comparisons correctly"),
        ("logistic --profile san-francisco.csv --details", 1, "logistic ranks", "45 of 45 pairs"),
        ("softmax --target ndcg --at labels.csv", 0, "softmax misranks none of 1 query."),
        (
            "softmax,regression --target ndcg --at train.letor",
            1,
            "misranks 1 of 1 query; regression misranks none",
        ),
        ("lambdarank --target ndcg --at train.svm", 2, "no grades disagree"),
    )
]
AUDITED = [
    asked(f"audit {command} {DRAWS}", *rest)
    for command, *rest in (
        ("vermont.toc", 0, "Beck leads in every resample;", "1,960 ballots"),
        ("vermont.toc --fail-on wrong", 1, "Beck leads", "no more than noise"),
        ("burlington.toc", 0, "Montroll leads in every resample", "Montroll beats everybody"),
        ("arena.jsonl --fail-on above-noise", 0, "leads in", "noise"),
        ("arena.jsonl --query language", 0, "slices", "English"),
        ("votes.soc --html page.html", 0, "leads in", "page.html"),
        ("votes.soc --details", 0, "leads in", "beats everybody"),
        ("rcv.csv --csv ranks.csv", 0, "leads in", "ranks.csv"),
        ("club.csv", 0, "leads in"),
        ("pizza.csv", 0, "Margherita leads in", "next: about"),
        ("three.csv", 0, "An item whose name has "),
        ("chess.csv", 0, "", "goes against no majority"),
        ("orders.txt", 0, "", "Best order: "),
        ("grades.csv --query query --item item --judge judge --grade grade", 0, "2 instances: 2 decided"),
        ("dpo.jsonl", 0, "slices"),
        ("dpo.jsonl --query prompt --winner chosen --loser rejected", 0, "slices"),
        ("ultra.jsonl", 0, "leads in"),
        ("kto.jsonl", 0, "leads in"),
        ("qrels.txt", 2, "TREC"),
        ("clicks.csv", 2, "position bias"),
    )
]
OTHERS = [
    asked("align dpo --profile three.csv --reference reference.csv --no-save", 1, "The policy ends in the "),
    asked("align dpo", 2, "--reference FILE"),
    asked("align logistic --features features.csv --profile three.csv", 1, "logistic with scores linear "),
    asked("measure hinge --no-save --budget 1", 1, "The smallest data with 3 items that fool hinge,"),
    asked("measure exponential --smallest --no-save", 1, "10 comparisons", "Certified"),
    asked("measure logistic --worst --budget 1 --no-save", 1, "logistic"),
    asked("measure logistic --rate --samples 2000 --budget 1 --no-save", 1, "logistic"),
    asked("measure difference-logistic --no-save", 0, "difference-logistic"),
    asked(
        "measure linear --condition low-noise --smallest --no-save", 0, "", "no witness: DMJ10 Corollary 15"
    ),
    asked("measure difference-square --condition low-noise --budget 0.5 --no-save", 3, "", "No data of 3"),
    asked("measure zhang --target ndcg --no-save", 0, "zhang loses no NDCG, whatever the labels"),
    asked("calibration regression --condition net-order", 0, "", "H(ε) = 0 for all ε", "Risk bound: none"),
    asked("calibration linear --r x**4 --items 2", 3, "", "No closed law of the calibration"),
    asked("recommend --library trl", 0, 'Use loss_type="sigmoid" (dpo): wherever', "surplus"),
    asked("construct losses.csv --no-save", 0, "losses.csv with 3 labels and 3 predictions needs 2 scores: "),
    asked(f"show {HINGE}", 0, "hinge is wrong under additive noise; the example is certified."),
    asked(f"show {LAMBDARANK}", 0, "lightgbm:lambdarank can train to a wrong order for NDCG;", "certified"),
    asked(f"show {HINGE} --plot plane.svg", 0, "", "plane.svg"),
    asked(f"show {HINGE} --format latex", 0, "", r"\begin{document}"),
    asked(f"show {LAMBDARANK} --script lightgbm", 0, "", "import lightgbm"),
    asked(f"show {PAIRWISE} --script xgboost", 0, "", "import xgboost"),
    asked(f"show {LOGISTIC} --script trl", 0, "", "of TRL"),
    asked(f"verify {HINGE} {LAMBDARANK}", 0, "All 2 files are accepted."),
    asked(f"export {HINGE} --format coq", 0, "", "Theorem replayed"),
    asked(f"export {HINGE} --format coq --out proof.v", 0, "proof.v"),
    asked("gallery DIR", 0, "DIR/README.md written"),
    asked('reproduce "Theorem 11" --explain --formal', 0, "1 statement checked: 1 holds;", "theorem_11"),
    asked("reproduce lemma-14 lemma-16 --jobs 1", 0, "2 statements checked"),
    asked("explore", 0, "Wrote explorer.html"),
    asked("exercises 3 --answers", 0, "", "Best:"),
    asked("exercises", 0, "", "--answers"),
    asked("explain", 0, ""),
    asked("explain low noise", 0, "low noise: if A beats B and B beats C, then A", "DMJ10 Definition 8"),
    asked("explain --details", 0, "A(p): the scores whose order"),
    asked("list", 0, "Type one of these, as in: consistency-lab list surrogates"),
    asked("list samples", 0, "votes come with the package", "burlington.toc"),
    asked("list libraries --details", 0, "These are the losses of dmlc/xgboost"),
    *(asked(f"list {name}", 0, "") for name in (*LISTINGS, "libraries")),
    *(asked(f"list --library {name}", 0, "") for name in (*library_names(), *pair_libraries())),
    asked("help check", 0, "", "--condition"),
    asked("--help", 0, "Usage: consistency-lab COMMAND ..."),
    *(asked(f"{name} --help", 0, "Usage: ") for name in places()),
]

#: What is asked for as a whole: a program, a document, a help, or what --details has.
WHOLE = ("--script", "--format", "--formal", "--details", "help", "reproduce")
CANNOT_WRAP = re.compile(r"\s*(Check:|Code:|Read the proof:) consistency-lab |\s+(\S+)$")
"""A command to copy; a single word, such as a digest or a path."""


@pytest.fixture
def here(cli, in_process):
    """A folder with these files and some of the gallery."""
    Path("DIR").mkdir()
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    for file in (HINGE, LOGISTIC, f"libraries/{LAMBDARANK}", f"libraries/{PAIRWISE}"):
        copy(GALLERY / file, ".")
    copy(HINGE, "DIR")
    return cli


@pytest.mark.parametrize("row", [*CHECKED, *AUDITED, *OTHERS], ids=lambda row: row.command[:60])
def test_an_answer_comes_first_and_fits_one_screen(here, row):
    ran = here(*shlex.split(row.command))
    assert ran.code == row.code, ran.err
    if row.code == 2:
        assert len(ran.err.splitlines()) == 1 and row.first in ran.err
        return
    assert row.first in " ".join(ran.out.partition("\n\n")[0].split())
    assert [words for words in row.says if words not in f"{ran.said} {ran.err}"] == []
    shown = (ran.out + ran.err).splitlines()
    whole = any(word in row.command for word in WHOLE)
    assert whole or 0 < len(shown) <= HEIGHT
    assert not row.command.endswith("--help") or len(shown) <= 34
    if not any(word in row.command for word in WHOLE[:2]):
        assert [line for line in shown if cells(line) > WIDTH and not CANNOT_WRAP.match(line)] == []
    assert str(Path.cwd()) not in ran.out + ran.err and str(ROOT) not in ran.out + ran.err
    if row in CHECKED[:12]:
        assert ("row beats column" in ran.out, "instead:" in ran.out) == (row.code == 1, True)


@pytest.mark.long
def test_details_add_hypotheses_and_certificates_behind_the_answer(cli):
    short, long = (cli("check linear", *QUICK.split(), *more).out for more in ((), ("--details",)))
    shared = short.partition(" more:")[0]
    assert long.startswith(shared) and "--details" not in long
    rest = long.removeprefix(shared)
    assert [line for line in rest.splitlines() if len(line) > 20 and line in shared] == []
    assert "hypotheses and how each was checked" in " ".join(long.split()) and "Certificate:" in long


def test_a_frame_of_judgments_is_audited():
    frame = pandas.DataFrame({"model_a": [*"ABA"] * 20, "model_b": [*"BCC"] * 20, "winner": ["model_a"] * 60})
    report = lab.audit(frame, resamples=40, simulations=0)
    assert next(iter(report.to_frame()["item"])) == "A"
