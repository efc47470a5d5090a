"""Tries false variants of the proofs: each must fail to compile.

`make -C formal mutants` runs it after everything is compiled. Each variant changes one place of one
file, in a copy. Last, a theorem is left without a proof, which compiles, but shows among the axioms that it
rests on.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

FORMAL = Path(__file__).resolve().parent
#: File, what stands there, what stands there instead, and what the variant says.
FALSE = (
    (
        "base/Aggregate.v",
        "is_distribution m p -> acyclic_differences m (aggregate p) ->\n  forall alpha, A p",
        "is_distribution m p ->\n  forall alpha, A p",
        "Lemma 16 with cycles",
    ),
    ("theorems/Lemma10.v", "Hypothesis F : falls phi.", "", "Lemma 10 for every convex phi"),
    (
        "theorems/Lemma10.v",
        "h23 < h31 * h12 / (h13 + h12)",
        "h31 * h12 / (h13 + h12) < h23",
        "Condition 1 reversed",
    ),
    ("theorems/Lemma10.v", "h12 < h31 * h23 / (h13 + h23)", "h12 < h31 * h23 / h13", "a weaker Condition 2"),
    (
        "theorems/Theorems11and12.v",
        "(4/16, [Edge 2 0 a])",
        "(4/16, [Edge 0 2 a])",
        "Theorem 11 without a cycle of edges",
    ),
    (
        "theorems/Theorems11and12.v",
        "theorem_12 h phi : convex phi ->",
        "theorem_12 h phi :",
        "Theorem 12 for every phi",
    ),
    ("theorems/Theorem13.v", "Hypothesis coerc : coercive r.", "", "Theorem 13 for every strictly convex r"),
    (
        "theorems/Theorem13.v",
        "Hypothesis acyc : acyclic_differences m (aggregate p).",
        "",
        "Theorem 13 with cycles",
    ),
    (
        "theorems/Theorem13.v",
        "x * x / 2 + Rabs x.",
        "x * x / 2.",
        "Theorem 13 as printed refuted by r(x) = x^2/2",
    ),
    (
        "theorems/Domination.v",
        "lam * a k i <= a k j.",
        "lam * a k j <= a k i.",
        "Theorem D with losses exchanged",
    ),
    (
        "theorems/Domination.v",
        "(both low_noise balanced)",
        "low_noise",
        "edge-consistency under low noise, any counts",
    ),
    ("theorems/Addition.v", "Hypothesis U : even_plus_line g.", "", "Theorem R for every regular phi"),
    (
        "theorems/Addition.v",
        "(both net_order balanced)",
        "net_order",
        "edge-consistency in net order, any counts",
    ),
    (
        "theorems/BradleyTerry.v",
        "Hypothesis link : log_odds_link kappa g.",
        "",
        "Bradley-Terry for every regular phi",
    ),
    (
        "theorems/Hinge.v",
        "< 16 -> alpha 0%nat < alpha 1%nat",
        "< 18 -> alpha 0%nat < alpha 1%nat",
        "the hinge further from its minimum",
    ),
    (
        "theorems/HingeThreeItems.v",
        "acyclic_differences 3%nat a ->",
        "",
        "the hinge at three items with cycles",
    ),
    ("theorems/Differences.v", "low < phi 0 ->", "", "the difference loss with phi least at 0"),
    (
        "theorems/Gains.v",
        "l : falling F ->",
        "l : not_rising F ->",
        "only sorting is best though the discount is level",
    ),
    ("theorems/Gains.v", "0 <= theta i.", "theta i <= 0.", "Zhang's loss with negative gains"),
    (
        "data/SanFrancisco.v",
        "[0; 14166; 17068; 16996; 13214;",
        "[0; 14166; 17068; 16996; 12214;",
        "Mar loses the majority",
    ),
    ("data/SanFrancisco.v", "[12782; 13622;", "[12282; 13622;", "Lee wins fewer comparisons"),
    (
        "data/SanFrancisco.v",
        "learned : list nat := [4; 0; 1;",
        "learned : list nat := [4; 1; 0;",
        "another ranking is learned",
    ),
    (
        "data/HingeTie.v",
        "learned : list Q := [1; 1; 0]",
        "learned : list Q := [2; 1; 0]",
        "other scores minimize the hinge",
    ),
    (
        "data/HingeTie.v",
        "learned : list Q := [1; 1; 0]%Q.\nDefinition best : list Q := [3; 2; 1]",
        "learned : list Q := [1; 1; 0]%Q.\nDefinition best : list Q := [3; 3; 1]",
        "a tie is as good as the best order",
    ),
    (
        "data/HingeInversion.v",
        "slopes : list Q := [",
        "slopes : list Q := [(-1); ",
        "a slope too many",
    ),
    ("data/SquaredHinge.v", "Prefer 1 2 4", "Prefer 1 2 5", "the squared hinge at other weights"),
    ("data/LogisticInversion.v", "(143259 # 2500000)", "(153259 # 2500000)", "a larger gap"),
    ("data/LogisticInversion.v", "Bound 2 1 [", "Bound 1 2 [", "a bound for the other order"),
    (
        "check/Risks.v",
        "else if qlt 0 t then if Qle_bool t (exp_low n (first u)) then",
        "else if qlt 0 t then if Qle_bool (exp_low n (first u)) t then",
        "a number below a logarithm",
    ),
    (
        "check/Risks.v",
        "if Qle_bool 0 x then if every m",
        "if every m",
        "bounds on the other half-space",
    ),
    (
        "check/Rationals.v",
        "if (i =? j)%nat then 0%Q else if has l j i then a i j",
        "if (i =? j)%nat then 0%Q else if has l i j then a i j",
        "forced pairs that cost nothing",
    ),
)


def compiles(folder: Path, file: str) -> bool:
    """Whether Coq accepts a file of the copy."""
    command = ["coqc", "-Q", ".", "ConsistencyLab", file]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0


def assumed(folder: Path) -> str:
    """What Theorem 12 rests on in the copy."""
    question = folder / "Question.v"
    question.write_text(
        "From ConsistencyLab.theorems Require Import Theorems11and12.\nPrint Assumptions theorem_12.\n"
    )
    command = ["coqc", "-Q", ".", "ConsistencyLab", question.name]
    return subprocess.run(command, cwd=folder, capture_output=True, check=True, text=True).stdout


def say(outcome: str, file: str, variant: str) -> None:
    """One line at once, since each variant takes seconds."""
    sys.stdout.write(f"{outcome} {file}: {variant}\n")
    sys.stdout.flush()


def main() -> int:
    """Try them all; 1 if one is accepted."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "formal"
        shutil.copytree(FORMAL, folder)
        accepted = []
        for file, old, new, variant in FALSE:
            original = (folder / file).read_text(encoding="utf-8")
            if original.count(old) != 1:
                sys.exit(f"{file} has {old!r} {original.count(old)} times; a variant changes one place")
            (folder / file).write_text(original.replace(old, new), encoding="utf-8")
            if compiles(folder, file):
                accepted.append(variant)
            (folder / file).write_text(original, encoding="utf-8")
            say("accepted" if variant in accepted else "rejected", file, variant)
        file, before = "theorems/Theorems11and12.v", assumed(folder)
        original = (folder / file).read_text(encoding="utf-8")
        head, _, tail = original.rpartition("Qed.")
        (folder / file).write_text(f"{head}Admitted.{tail}", encoding="utf-8")
        if not compiles(folder, file) or assumed(folder) == before:
            accepted.append("Theorem 12 without a proof")
        else:
            say("rejected", file, "Theorem 12 without a proof")
    return 1 if accepted else 0


if __name__ == "__main__":
    sys.exit(main())
