"""Thirty everyday jobs, each with the command that people type first and what it must say."""

import shlex
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
GALLERY = ROOT / "counterexamples"
FILES = {
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
HINGE = str(GALLERY / "hinge-additive-3items-578dc29e.json")
LAMBDARANK = str(GALLERY / "libraries" / "ndcg-012-lightgbm-lambdarank.json")
PAIRWISE = str(GALLERY / "libraries" / "pairwise-012-logistic.json")
QUICK = "--items 3 --no-save"


class Job(NamedTuple):
    """A command, its exit code, and words of its answer."""

    command: str
    code: int
    says: str


JOBS = {
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
    "my-labels": Job("check softmax --target ndcg --at labels.csv --no-save", 0, "CONSISTENT here"),
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


def test_there_are_thirty() -> None:
    assert len(JOBS) == 30


@pytest.mark.parametrize("name", JOBS)
def test_a_job_is_done_at_once(cli, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for file, text in FILES.items():
        Path(file).write_text(text, encoding="utf-8")
    job = JOBS[name]
    ran = cli(*shlex.split(job.command))
    assert ran.code == job.code, ran.err
    said = ran.out if job.code != 2 else ran.err
    assert job.says in " ".join(said.split())
    if job.code == 2:
        assert len(ran.err.strip().splitlines()) == 1
