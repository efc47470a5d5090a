"""Everyday jobs of five kinds of users: what they type first, and what the first screen says."""

import json
import random
import shlex
from pathlib import Path
from typing import NamedTuple

import pandas
import pytest

import consistency_lab as lab

ROOT = Path(__file__).parents[2]
GALLERY = ROOT / "counterexamples"


def battles(outcomes: int) -> str:
    """Battles of four models by six judges, in the rows of an arena."""
    draw = random.Random(outcomes)
    models = ["gpt-4o-2024-08-06", "claude-3-5-sonnet", "llama-3.1-405b-instruct", "qwen2.5-72b"]
    rows = []
    for k in range(outcomes):
        a, b = draw.sample(range(4), 2)
        winner = draw.choices(["model_a", "model_b", "tie", "tie (bothbad)"], [5 + 2 * (a < b), 5, 1, 1])[0]
        row = {"model_a": models[a], "model_b": models[b], "winner": winner, "judge": f"j{k % 6}"}
        row |= {"turn": 1, "language": draw.choice(["English", "German"]), "tstamp": 1_700_000_000 + k}
        rows.append(json.dumps(row))
    return "\n".join(rows) + "\n"


def ratings(count: int) -> str:
    draw = random.Random(count)
    return "".join(
        json.dumps(
            {
                "instruction": f"question {k}",
                "completions": [
                    {"model": one, "response": "...", "overall_score": draw.randint(1, 10)}
                    for one in ("gpt-4", "llama-2-7b", "mpt-30b")
                ],
            }
        )
        + "\n"
        for k in range(count)
    )


def pairs_of_answers(count: int) -> str:
    draw = random.Random(count)
    lines = []
    for k in range(count):
        chosen, rejected = draw.sample("ABC", 2)
        said = [[{"role": "assistant", "content": f"answer {one}"}] for one in (chosen, rejected)]
        asked = [{"role": "user", "content": f"question {k % 4}"}]
        lines.append(json.dumps({"prompt": asked, "chosen": said[0], "rejected": said[1]}))
    return "\n".join(lines) + "\n"


def liked(count: int) -> str:
    draw = random.Random(count)
    rows = ({"prompt": f"q{k % 5}", "completion": f"answer {draw.choice('ABC')}"} for k in range(count))
    return "".join(json.dumps(row | {"label": draw.random() < 0.5}) + "\n" for row in rows)


FILES = {
    "arena.jsonl": battles(400),
    "ultra.jsonl": ratings(20),
    "dpo.jsonl": pairs_of_answers(60),
    "kto.jsonl": liked(40),
    "rcv.csv": "rank1,rank2,rank3\nAnn,Bob,Cy\nBob,Ann,skipped\nCy,overvote,Ann\nAnn,,\n",
    "club.csv": ",Ann,Bob,Cy\nAnn,0,2,3\nBob,5,0,4\nCy,2,3,0\n",
    "votes.soc": "# TITLE: Board\n# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 1: Ann\n"
    "# ALTERNATIVE NAME 2: Bob\n# ALTERNATIVE NAME 3: Cy\n5: 1,2,3\n4: 2,1,3\n2: 3,2,1\n",
    "pizza.csv": "Timestamp,Name,Margherita,Funghi,Salami,Hawaii\n"
    + "".join(
        f"2026-11-0{k} 10:00,Student {k},{row}\n"
        for k, row in enumerate(
            ["1,2,3,4", "2,1,3,4", "1,3,2,4", "3,1,2,4", "1,2,4,3", "2,1,3,4", "1,2,3,4"], start=1
        )
    ),
    "train.svm": "2 qid:1 1:0.5\n0 qid:1 1:0.25\n4 qid:1 1:0.1\n1 qid:2 1:1\n3 qid:2 1:2\n",
    "qrels.txt": "301 0 FT911-1 2\n301 0 FT911-2 0\n302 0 FT911-3 1\n",
    "clicks.csv": "session_id,query,doc_id,position,clicked\n0,tv,tv-c,1,0\n0,tv,tv-d,2,1\n",
    "myloss.py": "import torch\n\n\n"
    "def listloss(s, y):\n    return torch.logsumexp(s, 0) - (y / y.sum()) @ s\n",
    "losses.csv": "A,B,C\n0,1,2\n1,0,1\n2,1,0\n",
    "arena.csv": "model_a,model_b,winner\nAmber,Birch,model_a\nBirch,Coral,model_b\nAmber,Coral,tie\n",
    "chess.csv": "white,black,result\nAnn,Bob,1-0\nBob,Cid,0-1\nCid,Ann,1/2-1/2\n",
    "orders.txt": "A > B > C\nB > A > C\nA > C > B\n",
    "prefs.jsonl": '{"prompt": "p", "chosen": "x", "rejected": "y"}\n'
    '{"prompt": "p", "chosen": "y", "rejected": "z"}\n',
    "counts.csv": "winner,loser,count\nA,B,3\nB,C,1\nA,C,8\nC,A,4\n",
    "labels.csv": "judge,item,grade\nx,A,2\nx,B,1\ny,A,0\ny,B,1\n",
    "train.letor": "0 qid:q1 1:1\n2 qid:q1 1:2\n1 qid:q1 1:3\n2 qid:q2 1:1\n1 qid:q2 1:2\n1 qid:q2 1:3\n",
    "reference.csv": "answer,logp\nA,-1\nB,-2\nC,-3\n",
    "my_file.py": "import math\n\n\ndef my_loss(x):\n    return math.log1p(math.exp(-x))\n",
}
LOGISTIC = str(GALLERY / "logistic-additive-3items-ca20d338.json")
HINGE = str(GALLERY / "hinge-additive-3items-578dc29e.json")
LAMBDARANK = str(GALLERY / "libraries" / "ndcg-012-lightgbm-lambdarank.json")
PAIRWISE = str(GALLERY / "libraries" / "pairwise-012-logistic.json")
QUICK = "--items 3 --no-save"
DRAWS = "--resamples 99 --simulations 19"


class Job(NamedTuple):
    """A command, its exit code, words of its first paragraph, and words of the rest."""

    command: str
    code: int
    first: str
    says: str = ""


THIRTY = {
    # a theorist, before a claim is published
    "claim-false": Job(
        f"check logistic --condition low-noise {QUICK}", 1, "logistic can be wrong under low noise."
    ),
    "claim-true": Job("check linear --condition low-noise", 0, "linear is right under low noise"),
    "own-formula": Job(f'check --phi "softplus(-2*x)" --condition additive {QUICK}', 1, "log(1+exp(-2*x))"),
    "own-function": Job(f"check my_file.py:my_loss --condition additive {QUICK}", 1, "logistic"),
    "where-it-stops": Job("check linear --items 3 --no-save", 1, "linear is right under net order"),
    "theorem-in-coq": Job("reproduce theorem-11 --formal", 0, "theorem_11"),
    "proof-to-coq": Job(f"export {HINGE} --format coq", 0, "Theorem replayed"),
    "proof-in-latex": Job(f"show {HINGE} --format latex", 0, r"\begin{document}"),
    # an engineer with LightGBM or XGBoost
    "my-objective": Job(
        "check lambdarank --labels 0..1 --no-save", 1, "lambdarank can train to a wrong order for NDCG"
    ),
    "see-it-fail": Job(f"show {LAMBDARANK} --script lightgbm", 0, "import lightgbm"),
    "see-xgboost-fail": Job(f"show {PAIRWISE} --script xgboost", 0, "import xgboost"),
    "what-instead": Job("recommend --target ndcg --library lightgbm", 0, "regression"),
    "my-labels": Job(
        "check softmax --target ndcg --at labels.csv --no-save", 0, "softmax misranks none of 1 query."
    ),
    "my-letor": Job(
        "check softmax,regression --target ndcg --at train.letor --no-save",
        1,
        "softmax misranks 1 of 1 query; regression misranks none.",
    ),
    "what-is-known": Job("list --library xgboost", 0, "rank:pairwise"),
    # the owner of a leaderboard or an election
    "arena": Job("audit arena.csv --resamples 40 --simulations 19", 0, "goes against no majority"),
    "chess": Job("audit chess.csv --resamples 40 --simulations 19", 0, "goes against no majority"),
    "ballots": Job("audit orders.txt --resamples 40 --simulations 19", 0, "Best order: "),
    "election": Job("audit vermont.toc --resamples 99 --simulations 19", 0, "Beck leads in every resample;"),
    "in-ci": Job(
        "audit vermont.toc --fail-on wrong --resamples 99 --simulations 19", 1, "no more than noise"
    ),
    "proof-by-sums": Job(
        "check logistic --profile san-francisco.csv --details --no-save", 1, "45 of 45 pairs"
    ),
    # somebody who trains a language model from preferences
    "dpo": Job("check dpo --condition bradley-terry --no-save", 0, "dpo is right under Bradley-Terry."),
    "my-preferences": Job(
        "audit prefs.jsonl --query prompt --winner chosen --loser rejected --resamples 40 --simulations 19",
        0,
        "x",
    ),
    "my-policy": Job("align dpo --profile counts.csv --reference reference.csv --no-save", 1, "order of pi"),
    # a teacher, and a student
    "explorer": Job("explore", 0, "Wrote explorer.html"),
    "picture": Job(f"show {HINGE} --plot plane.svg", 0, "plane.svg"),
    "word": Job("explain low noise", 0, "DMJ10 Definition 8"),
    "help": Job("help check", 0, "--condition"),
    "why-not-elo": Job("check elo", 2, "bradley-terry"),
    # anybody who was sent a proof
    "a-strangers-proof": Job(f"verify {HINGE}", 0, "proof: accepted, inconsistent"),
}

FIFTY = {
    # theorist
    "T1b": Job('check "log(1+exp(-t))+t**2/10" --no-save', 1, "is right at equal counts under net order"),
    "T1": Job(
        'check --phi "\\log(1+e^{-t})+t^2/10" --no-save',
        1,
        "is right at equal counts under net order",
        "x**2/10",
    ),
    "T2": Job('reproduce "Theorem 11"', 0, "holds", "Coq"),
    "T3": Job("check softmax --target ndcg --no-save", 1, "softmax is right for NDCG if", "instead:"),
    "T4": Job("check myloss.py:listloss --target ndcg --no-save", 2, "labels (0, 0, 0)"),
    "T5": Job(
        "check logistic --no-save",
        1,
        "logistic is right under Bradley-Terry; otherwise it can be wrong.",
        "12 comparisons",
    ),
    "T6": Job("measure exponential --smallest --no-save", 1, "10 comparisons", "Certified"),
    "T7": Job("calibration logistic --csv values.csv", 0, "calibration function of logistic"),
    "T8": Job(f"export {HINGE} --format coq --out proof.v", 0, "proof.v"),
    "T9": Job("construct losses.csv", 0, "losses.csv with 3 labels and 3 predictions needs 2 scores"),
    "T10": Job("check logistic --condition btl --items 4", 0, "logistic is right under Bradley-Terry"),
    # engineer
    "E1": Job(
        "check rank:ndcg --target ndcg@10 --labels 0..4 --no-save",
        1,
        "rank:ndcg can train to a wrong order for NDCG@10",
        "instead:",
    ),
    "E2": Job(
        "check objective=lambdarank --labels 0..4 --no-save",
        1,
        "can train to a wrong order for NDCG",
        "instead:",
    ),
    "E3": Job("check MarginRankingLoss --no-save", 1, "MarginRankingLoss is hinge for any margin above 0"),
    "E3b": Job("check torch.nn.BCEWithLogitsLoss --no-save", 1, "BCEWithLogitsLoss is logistic"),
    "E4": Job("check lambdarank --target ndcg --at train.svm --no-save", 2, "no grades disagree"),
    "E5": Job("audit qrels.txt", 2, "TREC"),
    "E5b": Job("audit clicks.csv", 2, "position bias"),
    "E6": Job("recommend --target ndcg --library xgboost", 0, "For NDCG with XGBoost train", "gain"),
    "E7": Job("check YetiRank --no-save", 3, "YetiRank is open for NDCG"),
    "E7c": Job("check InfoNCE --no-save", 1, "InfoNCE compares one positive with sampled negatives"),
    "E7b": Job("check bpr --no-save", 1, "bpr is right under Bradley-Terry", "It is the logistic loss"),
    "E10": Job("measure softmax --target ndcg --no-save", 1, "NDCG"),
    # owner of a leaderboard or an election
    "L1": Job(f"audit arena.jsonl {DRAWS}", 0, "leads in", "claude-3-5-sonnet"),
    "L2": Job(f"audit arena.jsonl --csv ranks.csv {DRAWS}", 0, "leads in"),
    "L3": Job(f"audit votes.soc {DRAWS}", 0, "leads in", "beats everybody"),
    "L4": Job(f"audit rcv.csv {DRAWS}", 0, "leads in"),
    "L5": Job(f"audit club.csv {DRAWS}", 0, "leads in"),
    "L6": Job(f"audit votes.soc --html page.html {DRAWS}", 0, "leads in", "page.html"),
    "L7": Job(f"audit arena.jsonl --fail-on above-noise {DRAWS}", 0, "leads in", "noise"),
    "L8": Job(f"audit pizza.csv {DRAWS}", 0, "leads in", "next: about"),
    "L9": Job(f"audit votes.soc --details {DRAWS}", 0, "leads in"),
    "L10": Job(f"audit arena.jsonl --query language {DRAWS}", 0, "slices", "English"),
    # trainer of language models
    "P1": Job("check trl:dpo --no-save", 1, "right under Bradley-Terry", "surplus"),
    "P2": Job("list --library trl", 0, "TRL", "exo_pair"),
    "P3b": Job(f"audit dpo.jsonl {DRAWS}", 0, "slices"),
    "P3": Job(f"audit dpo.jsonl --query prompt {DRAWS}", 0, "slices"),
    "P4": Job(f"audit ultra.jsonl {DRAWS}", 0, "leads in"),
    "P5": Job(f"audit kto.jsonl {DRAWS}", 0, "leads in"),
    "P6": Job("check cdpo --no-save", 1, "cdpo is right at equal counts under net order", "dpo"),
    "P7": Job("check trl:reward --no-save", 1, "trl:reward is right under Bradley-Terry"),
    "P8": Job(f"show {LOGISTIC} --script trl", 0, "", "of TRL"),
    "P9": Job("recommend --library trl", 0, 'loss_type="sigmoid"', "surplus"),
    "P10": Job("align dpo", 2, "--reference FILE"),
    # teacher
    "C1": Job(f"show {HINGE} --plot plane.svg", 0, "", "plane.svg"),
    "C2": Job("explore", 0, "explorer.html"),
    "C6": Job("list samples", 0, "votes come with the package", "burlington.toc"),
    "C3": Job(f"show {HINGE} --format latex", 0, "", "end{document}"),
    "C4": Job("exercises 3 --answers", 0, "", "Best:"),
    "C5": Job("explain calibration", 0, "calibration"),
    "C7": Job(f"audit pizza.csv {DRAWS}", 0, "Margherita leads in", "Margherita beats everybody"),
    "C8": Job(
        f"audit burlington.toc {DRAWS}", 0, "Montroll leads in every resample", "Montroll beats everybody"
    ),
    "C9": Job(f"verify {HINGE}", 0, "accepted"),
    "C10": Job("check square --no-save", 1, "square is right", "Certified"),
}


def test_there_are_fifty_jobs_and_the_thirty_of_before() -> None:
    """Two of the fifty, E8 and E9, are asked in Python below."""
    assert (len({name.rstrip("bc") for name in FIFTY}), len(THIRTY)) == (48, 30)


#: What is asked for as a whole: a program, a document, a help, or what --details has.
WHOLE = ("--script", "--format", "--formal", "--details", "help", "reproduce", "--library xgboost > ")


@pytest.mark.parametrize("name", [*THIRTY, *FIFTY])
def test_a_job_is_done_on_one_screen(cli, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for file, text in FILES.items():
        Path(file).write_text(text, encoding="utf-8")
    job = {**THIRTY, **FIFTY}[name]
    ran = cli(*shlex.split(job.command))
    assert ran.code == job.code, ran.err
    if job.code == 2:
        assert len(ran.err.strip().splitlines()) == 1 and job.first in ran.err
        return
    assert job.first in (ran.said if name in THIRTY else " ".join(ran.out.partition("\n\n")[0].split()))
    assert job.says in f"{ran.said} {ran.err}"
    if not any(word in job.command for word in WHOLE):
        assert ran.screen


def test_losses_of_libraries_are_asserted_in_a_test() -> None:
    """E8: a test of one's own fails where the loss that it trains is wrong."""
    lab.assert_consistent("logistic", condition="bradley-terry")
    with pytest.raises(AssertionError, match="lambdarank"):
        lab.assert_consistent("lambdarank", target="ndcg")


def test_a_frame_of_judgments_is_audited() -> None:
    """E9: the columns are those that the reader of files knows."""
    frame = pandas.DataFrame({"model_a": [*"ABA"] * 20, "model_b": [*"BCC"] * 20, "winner": ["model_a"] * 60})
    report = lab.audit(frame, resamples=99, simulations=19)
    assert next(iter(report.to_frame()["item"])) == "A"
