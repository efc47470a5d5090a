"""Tries false variants of the proofs: each must fail to compile.

`make -C formal mutants` runs it after everything is compiled. Each variant changes one place of one file. A
theorem is left without a proof, which compiles, but shows among the axioms that it rests on. Last, each
definition of base/ is changed: if its file still compiles, what axioms.txt has of it must differ.

Coq reads a file once, up to each sentence that a variant changes. There `Fail Load` reads the rest of the
variant, which ends in an error, and takes it back.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
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
        "h23 < h31 * h12 / (h13 + h12) \\/ h12 < h31 * h23 / (h13 + h23) ->\n  (forall",
        "h31 * h12 / (h13 + h12) < h23 \\/ h12 < h31 * h23 / (h13 + h23) ->\n  (forall",
        "Condition 1 reversed",
    ),
    (
        "theorems/Lemma10.v",
        "h12 < h31 * h23 / (h13 + h23) ->\n  (forall",
        "h12 < h31 * h23 / h13 ->\n  (forall",
        "a weaker Condition 2",
    ),
    (
        "theorems/Lemma10.v",
        "  aggregate p 2%nat 0%nat < aggregate p 0%nat 2%nat ->\n",
        "",
        "Lemma 10 without a13 > a31",
    ),
    (
        "theorems/Lemma10.v",
        "0 <= h31 -> 0 <= h32 <= h23 -> (h23 - h32) * (h13 + h12) <= h31 * h12 - h21 * h13",
        "0 <= h31 -> 0 <= h32 <= h23 -> (h23 - h32) * (h13 + h12) <= h31 * h12",
        "Condition 1 for six edges without h13 h21",
    ),
    (
        "theorems/ExactSets.v",
        "let wrong := h23 <= h31 * h12 / (h13 + h12)",
        "let wrong := h23 < h31 * h12 / (h13 + h12)",
        "Condition 1 with < is necessary on four edges",
    ),
    (
        "theorems/ExactSets.v",
        "(~ right -> forall phi, convex phi -> falls phi ->",
        "(~ right -> forall phi, convex phi ->",
        "no convex phi is right off the exact set, falling or not",
    ),
    (
        "theorems/ExactSets.v",
        "0 < a 2%nat 1%nat /\\ 0 < a 1%nat 0%nat ->\n  let right",
        "0 < a 2%nat 1%nat ->\n  let right",
        "three items that are not strongly connected",
    ),
    ("theorems/ExactSets.v", "3%nat, 0%nat => 4", "3%nat, 0%nat => 1", "four items with 1 on the pair 4, 1"),
    (
        "theorems/Theorems11and12.v",
        "(w / T, [Edge j 0 a])",
        "(w / T, [Edge 0 j a])",
        "Theorem 11 without a cycle of edges",
    ),
    (
        "theorems/Theorems11and12.v",
        "theorem_12 h phi : convex phi ->",
        "theorem_12 h phi :",
        "Theorem 12 for every phi",
    ),
    (
        "theorems/Queries.v",
        "f (t * x + (1 - t) * y) <= t * f x + (1 - t) * f y.",
        "t * f x + (1 - t) * f y <= f (t * x + (1 - t) * y).",
        "Lemma 1 for concave zeta",
    ),
    (
        "base/Near.v",
        "exists b, forall x, b <= F x.",
        "exists b, exists x, b <= F x.",
        "Theorem 6 for risks that are not bounded below",
    ),
    (
        "theorems/Queries.v",
        "is_distribution m p -> continuous m V -> ~ consistent_at",
        "is_distribution m p -> continuous m V -> consistent_at",
        "scores near the infimum keep a regret where Definition 2 holds",
    ),
    (
        "theorems/TwoItems.v",
        "phi a : convex phi -> falls phi ->",
        "phi a : convex phi ->",
        "positive weights, any convex phi",
    ),
    (
        "theorems/TwoItems.v",
        "Hypothesis linear : forall a, 0 < a -> h a = c * a.",
        "Hypothesis linear : forall a, 0 < a -> c * a <= h a.",
        "two items with other weights than linear ones",
    ),
    (
        "theorems/TwoItems.v",
        "Hypothesis Pl : l < 0.",
        "Hypothesis Pl : l <= 0.",
        "two items with phi level at 0",
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
        "lam * a k i <= mu * a k j.",
        "mu * a k j <= lam * a k i.",
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
        "theorems/LogOdds.v",
        "1 < P * Q * S -> x + y + z <= 0 ->",
        "1 < P * Q * S -> 0 <= x + y + z ->",
        "a ring goes wrong with its items in order",
    ),
    ("theorems/LogOdds.v", "k, 0 <= k /\\ forall x", "k, 0 < k /\\ forall x", "a line has a log-odds link"),
    (
        "theorems/Designs.v",
        "i <> k -> j <> k -> 0 < G * (n i k - n j k) ->",
        "i <> k -> j <> k ->",
        "additive differences wrong at balanced counts",
    ),
    (
        "theorems/Designs.v",
        "C m a -> net_order m a)",
        "C m a -> acyclic_differences m a)",
        "balanced counts harmless where no cycles are",
    ),
    (
        "theorems/Products.v",
        "Hypothesis unequal : n i k * n j l <> n i l * n j k.",
        "",
        "strong transitivity wrong at a product",
    ),
    (
        "theorems/Products.v",
        "Hypothesis rises : forall x y, 0 <= x < y -> y < eta -> link g x < link g y.",
        "Hypothesis rises : forall x y, 0 <= x < y -> y < eta -> link g x <= link g y.",
        "a level link",
    ),
    (
        "theorems/UnequalCounts.v",
        "D <= (1/2 - 1 / sqrt 6) * (A + B + C).",
        "D <= (1/2 - 1 / sqrt 5) * (A + B + C).",
        "a smaller cost of any counts",
    ),
    (
        "theorems/UnequalCounts.v",
        "r * r <= 3 * r + 1 -> 0 < A",
        "r * r <= 4 * r + 1 -> 0 < A",
        "the cost of small ratios for larger ones",
    ),
    (
        "theorems/UnequalCounts.v",
        "1 <= comparisons (aggregate p) i j <= r",
        "1 < comparisons (aggregate p) i j <= r",
        "the cost of a ratio reached below it",
    ),
    ("theorems/Hinge.v", "hat + 1 ->", "hat + 3 ->", "the hinge further from its minimum"),
    (
        "theorems/Hinge.v",
        "Hypothesis M : (4 <= m)%nat.",
        "Hypothesis M : (3 <= m)%nat.",
        "an inversion at three items",
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
        "theorems/Domination.v",
        "pushes g /\\ proportional",
        "proportional",
        "domination where u may be negative",
    ),
    ("theorems/Addition.v", "total (ind j i) G = 1.", "total (ind j i) G <= 1.", "incomplete rankings"),
    ("theorems/Products.v", "p : (m <= 3)%nat", "p : (m <= 4)%nat", "any counts of four items"),
    (
        "theorems/Bipartite.v",
        "eta j < eta i -> separated",
        "eta j <= eta i -> separated",
        "AUC keeps items of one chance apart",
    ),
    (
        "theorems/Continuity.v",
        "(forall k x, b <= F k x) -> ",
        "",
        "DMJ10 Lemma 3 for losses that are not bounded below",
    ),
    (
        "theorems/Queries.v",
        "is_queries (loss_at_most B P) q m p ->\n  forall l w,",
        "is_queries P q m p ->\n  forall l w,",
        "a small excess forces a small regret though losses are not bounded",
    ),
    (
        "theorems/Queries.v",
        "forall e, 0 < e -> exists d, 0 < d /\\ forall f r, surrogate_risk",
        "exists d, 0 < d /\\ forall e f r, 0 < e -> surrogate_risk",
        "a small excess leaves no regret at infinitely many queries",
    ),
    (
        "theorems/Queries.v",
        "forall S T : O -> Prop, (forall o, S o -> T o) -> P S <= P T.",
        "forall S T : O -> Prop, (forall o, S o <-> T o) -> P S <= P T.",
        "convergence in probability for a measure that is not monotone",
    ),
    (
        "theorems/Queries.v",
        "(forall y u, 0 <= psi y u) -> calibrated loss (fun _ => True) P psi pred <->",
        "calibrated loss (fun _ => True) P psi pred <->",
        "RAT13 Theorem 2 for surrogates that are not bounded below",
    ),
    (
        "theorems/Queries.v",
        "(forall a, 0 < a -> 0 <= h a) ->\n  keeps_a_gap",
        "(forall a, 0 < a -> h a <= 0) ->\n  keeps_a_gap",
        "DMJ10 Theorem 11 for risks with weights that are not positive",
    ),
    (
        "theorems/Queries.v",
        "theorem_12_risks h phi : convex phi -> bounded_below phi ->",
        "theorem_12_risks h phi : bounded_below phi ->",
        "DMJ10 Theorem 12 for risks, for every phi",
    ),
    (
        "theorems/Queries.v",
        "(exists a, 0 < a /\\ 0 <= h a) ->\n  ~ structure",
        "(exists a, 0 < a) ->\n  ~ structure",
        "edge losses of any weights",
    ),
    (
        "theorems/Orderings.v",
        "psi : falling F ->\n  calibrated_for (ndcg_loss F G Z)",
        "psi : not_rising F ->\n  calibrated_for (ndcg_loss F G Z)",
        "DMJ13 on NDCG, only if, with a level discount",
    ),
    ("theorems/Votes.v", "exists q, 1/2 < q <= 1 /\\", "exists q, q = 1 /\\", "no weight at one order alone"),
    ("theorems/Votes.v", "Rabs (y i - y j) <= 1) ->", "Rabs (y i - y j) <= 2) ->", "shares above 1"),
    (
        "theorems/Votes.v",
        "s k < s j < s i.\nProof.",
        "s k < s j <= s i.\nProof.",
        "two grades violate low noise",
    ),
    (
        "theorems/Classes.v",
        "{u : scores | sum u m = 0}.",
        "{u : scores | sum u m <= 0}.",
        "Lee, Lin and Wahba's loss of scores that sum to less",
    ),
    ("theorems/Classes.v", "Hypothesis weights : forall S, 0 <= w S.", "", "the ranking loss of any weights"),
    (
        "theorems/ReciprocalRank.v",
        "not_rising F -> Forall (fun i => g i <= 1) l -> sorted_by g l",
        "not_rising F -> Forall (fun i => g i <= 2) l -> sorted_by g l",
        "sorting for ERR with chances above 1",
    ),
    (
        "theorems/ReciprocalRank.v",
        "falling F -> Forall (fun i => g i < 1) l",
        "falling F -> Forall (fun i => g i <= 1) l",
        "only sorting is best for ERR though a chance is 1",
    ),
    (
        "theorems/ReciprocalRank.v",
        "NoDup l -> Forall (fun i => (i < r)%nat) l ->\n",
        "NoDup l -> (length l <= 1)%nat ->\n",
        "sorting for ERR with dependent grades",
    ),
    (
        "theorems/LowRank.v",
        "dot ks u (beta (pred u)) + b (pred u) <= dot ks u (beta t) + b t)",
        "dot ks u (beta (pred u)) <= dot ks u (beta t))",
        "RAT13 Theorem 3 with a decoder that ignores b",
    ),
    ("theorems/LowRank.v", "pred : 1 < w ->", "pred :", "expected rank utility with any half-life"),
    (
        "theorems/AveragePrecision.v",
        "then 0 else Rmax 0 (u j g - u i g)) r <= u i i.",
        "then 0 else u j g - u i g) r <= u i i.",
        "RAT13 Theorem 4 without positive parts in P_reinforce",
    ),
    (
        "theorems/AveragePrecision.v",
        "(ranking r) (P_reinforce r)\n",
        "(ranking r) (fun _ => True)\n",
        "RAT13 Theorem 4 for every p",
    ),
    (
        "theorems/Disagreement.v",
        "mean p (fun y => f y j) < mean p (fun y => f y i).",
        "mean p (fun y => f y j) <= mean p (fun y => f y i).",
        "RAT13 Theorem 6 with ties of the means of f along edges",
    ),
    (
        "theorems/Disagreement.v",
        "(forall p, P p -> P_DAG r p) ->\n  calibrated_for",
        "\n  calibrated_for",
        "sorting is right on P_f alone, cycles or not",
    ),
    (
        "theorems/Disagreement.v",
        "(fun j => y i j - y j i) r / nu) y in",
        "(fun j => y i j + y j i) r / nu) y in",
        "psi_DMJ is psi_f for f = wins and losses together",
    ),
    (
        "theorems/ConvexScores.v",
        "(4 <= m)%nat \\/ (3 <= m)%nat /\\",
        "(3 <= m)%nat \\/ (3 <= m)%nat /\\",
        "no convex surrogate of three scores that shifts change",
    ),
    (
        "theorems/ConvexScores.v",
        "0 <= t <= 1 -> f (fun",
        "0 <= t <= 0 -> f (fun",
        "no surrogate of m scores, convex or not",
    ),
    (
        "theorems/Disagreement.v",
        "(forall before e, deleted = before ++ [e] -> ~ no_cycle (e :: rest)) /\\",
        "True /\\",
        "RAT13 Theorem 7 with more edges deleted than cycles need",
    ),
    (
        "theorems/Disagreement.v",
        "weight u e <= weight u e') (deleted ++ rest) /\\",
        "weight u e' <= weight u e) (deleted ++ rest) /\\",
        "RAT13 Theorem 7 with the heaviest edges deleted first",
    ),
    (
        "theorems/Means.v",
        "softmax_reached : (0 < m)%nat -> (forall k, (k < m)%nat -> 0 <= mean_of k) ->",
        "softmax_reached : (0 < m)%nat ->",
        "the softmax with negative features",
    ),
    (
        "theorems/Means.v",
        "0 <= mean_of k <= 1) ->\n  reached m (fun u => u) (label_risk n p (fun y => sigmoids",
        "0 <= mean_of k) ->\n  reached m (fun u => u) (label_risk n p (fun y => sigmoids",
        "logistic regression of any mean",
    ),
    (
        "theorems/Luce.v",
        "w j / (w j + w k).\nProof.",
        "w k / (w j + w k).\nProof.",
        "Luce's chances exchanged",
    ),
    (
        "check/Tables.v",
        "else if (x <=? Zpos b ^ Z.of_nat (S k))%Z",
        "else if (x <=? Zpos b ^ Z.of_nat (S (S k)))%Z",
        "a logarithm above its range",
    ),
    (
        "check/Atoms.v",
        "(between (-1) s 1) (Qeq_bool s 1) end%Q",
        "(between (-2) s 1) (Qeq_bool s 1) end%Q",
        "a slope that |x| does not have",
    ),
    (
        "check/Risks.v",
        "else if qlt 0 t then if Qle_bool t (exp_low n (first u)) then",
        "else if qlt 0 t then if Qle_bool (exp_low n (first u)) t then",
        "a number below a logarithm",
    ),
    (
        "check/Risks.v",
        "if Qle_bool 0 x then if every m",
        "if Qle_bool x x then if every m",
        "bounds on the other half-space",
    ),
    (
        "check/Rationals.v",
        "if (i =? j)%nat then 0%Q else if has l j i then a i j",
        "if (i =? j)%nat then 0%Q else if has l i j then a i j",
        "forced pairs that cost nothing",
    ),
)

#: File and name of a definition, what stands there, and what stands there instead.
DEFINED = (
    ("base/Ranking.v", "simple", "NoDup (map (fun e => (src e, dst e)) G).", "True."),
    ("base/Ranking.v", "acyclic", "(rank (src e) < rank (dst e))%nat) G.", "True) G."),
    ("base/Labels.v", "sorting", "decode x t -> sorts m (show x) t.", "decode x t <-> sorts m (show x) t."),
    (
        "theorems/AveragePrecision.v",
        "P_reinforce",
        "(u j g - u i g)) r <= u i i.",
        "(u j g - u i g)) r < u i i.",
    ),
)
#: What replaces what in definitions of base/, the first that is there.
SWAPS = (
    ("- 2 * g 0", "- 3 * g 0"),
    ("- / (1", "/ (1"),
    ("then 1%nat", "then 0%nat"),
    ("total (ind i j)", "total (ind j i)"),
    ("total (miss alpha)", "total (miss (fun i => alpha (S i)))"),
    ("(net_wins m a) m a", "(a 0%nat) m a"),
    ("<=? ", "<? "),
    ("<? ", "<=? "),
    (" <= ", " < "),
    (" < ", " <= "),
    (" /\\ ", " \\/ "),
    ("exists ", "forall "),
    (" - ", " + "),
    (" + ", " - "),
    (" * ", " + "),
    ("/ ", ""),
    (" = ", " <> "),
    ("seq 0", "seq 1"),
    ("- x", "x"),
    ("C m (aggregate p) -> ", ""),
    ("sum (difference a i)", "sum (a i)"),
    ("=? i)%nat then t", "=? i)%nat then []"),
    ("wt e else 0", "0 else wt e"),
    (" a.\n", " - a.\n"),
    ("src e, dst e", "dst e, dst e"),
    ("nat -> matrix", "matrix"),
    ("list edge", "list nat"),
    ("list (R * graph)", "list (nat * graph)"),
    ("-> R", "-> nat"),
    ("wt : R", "wt : nat"),
    ("=> ~ A p", "=> A p"),
    ("=> ~ best p", "=> best p"),
)


def definitions() -> Iterator[tuple[str, str, str, str]]:
    """Each definition of base/ that the statements rest on: its file, name and text, and another text."""
    stored = (FORMAL / "axioms.txt").read_text("utf-8").partition("Definitions:\n")[2]
    for path in sorted((FORMAL / "base").glob("*.v")):
        text = path.read_text("utf-8")
        kinds = r"^(?:Definition|Fixpoint|Record) (\w+).*?\.\n"
        for match in re.finditer(kinds, text, re.DOTALL | re.MULTILINE):
            if re.search(rf"^@?({path.stem}\.)?{match[1]}\n", stored, re.MULTILINE):
                head, sign, body = match[0].partition(":=")
                swap = next(((old, new) for old, new in SWAPS if old in body), ("", ""))
                yield f"base/{path.name}", match[1], match[0], head + sign + body.replace(*swap, 1)
    yield from DEFINED


@dataclass(frozen=True)
class Variant:
    """A file with one place changed, and what Coq is asked at its end."""

    file: str
    name: str
    old: str
    new: str
    question: str = "Check tt"

    def start(self, text: str) -> int:
        """Where the sentence begins that is changed."""
        if text.count(self.old) != 1:
            sys.exit(
                f"{self.file} has {self.old!r} {text.count(self.old)} times; a variant changes one place"
            )
        ends = (match.end() for match in re.finditer(r"\.\n|\*\)\n", text[: text.index(self.old)]))
        return max((end for end in ends if text.count("(*", 0, end) == text.count("*)", 0, end)), default=0)

    def asked(self, answer: str) -> str:
        """What Coq is asked, with the file of its answer."""
        return f'From Ltac2 Require Import Ltac2.\nRedirect "{answer}" {self.question}.\n'


def variants() -> Iterator[Variant]:
    """All that must be rejected."""
    for file, old, new, name in FALSE:
        yield Variant(file, name, old, new)
    file = "theorems/Theorems11and12.v"
    proof = (FORMAL / file).read_text(encoding="utf-8").rpartition("\nProof.\n")[2]
    admitted = proof.replace("Qed.", "Admitted.")
    yield Variant(file, "Theorem 12 without a proof", proof, admitted, "Print Assumptions theorem_12")
    for file, name, old, new in definitions():
        yield Variant(file, f"another {name}", old, new, f"Ltac2 Eval define [] '@{name}")


def accepted(file: str, variants: Sequence[Variant]) -> list[Variant]:
    """Those variants of a file that compile and have the same answer as the file itself."""
    text, position = (FORMAL / file).read_text(encoding="utf-8"), 0
    lines = ["From ConsistencyLab.base Require Import Definitions.", "From Ltac2 Require Ltac2."]
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for start, number, variant in sorted((one.start(text), k, one) for k, one in enumerate(variants)):
            rest = text[start:].replace(variant.old, variant.new)
            asked = variant.asked(f"changed{number}")
            (folder / f"changed{number}.v").write_text(f"{rest}\n{asked}Abort.\n", encoding="utf-8")
            lines += [text[position:start], f'Fail Load "changed{number}".']
            position = start
        lines += [text[position:], *(one.asked(f"same{k}") for k, one in enumerate(variants))]
        (folder / "Variants.v").write_text("\n".join(lines), encoding="utf-8")
        # Without the option, Coq does not say what failed.
        command = ["coqc", "-test-mode", "-w", "none", "-Q", str(FORMAL), "ConsistencyLab", "Variants.v"]
        ran = subprocess.run(command, cwd=folder, capture_output=True, check=False, text=True)
        if ran.returncode or "Syntax error" in ran.stdout:
            sys.exit(f"a variant of {file} is not written in Coq: {ran.stderr}{ran.stdout}")
        told = {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.out")}
    return [one for k, one in enumerate(variants) if told.get(f"changed{k}") == told[f"same{k}"]]


def main() -> int:
    """Try them all, a file on each processor at a time; 1 if one is accepted."""
    of_file: dict[str, list[Variant]] = {}
    for variant in variants():
        of_file.setdefault(variant.file, []).append(variant)
    failed = False
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for own, wrong in zip(of_file.values(), pool.map(accepted, of_file, of_file.values()), strict=True):
            failed |= bool(wrong)
            for one in own:
                sys.stdout.write(f"{'accepted' if one in wrong else 'rejected'} {one.file}: {one.name}\n")
            sys.stdout.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
