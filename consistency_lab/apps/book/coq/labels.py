"""Proofs about labels with listed losses as theorems for Coq: minima, and surrogates that estimate a mean."""

from dataclasses import replace
from fractions import Fraction
from typing import Final

from consistency_lab.apps.book.coq.source import Source, comment, listed, rational, table
from consistency_lab.core.certificates import KnownMean, Minimum
from consistency_lab.core.document import STRICT
from consistency_lab.core.orders import Sort
from consistency_lab.core.risk import Atom, Linear, LogSumExp, PhiAtom, Slope
from consistency_lab.numbers.expression import Expression

#: The scalar losses that formal/check/Atoms.v knows.
SCALARS: Final = {
    "log(1+exp(-x))": "Logistic",
    "max(0,1-x)": "Hinge",
    "max(0,1-x)**2": "SquaredHinge",
    "(1-x)**2": "Square",
    "abs(x)": "Absolute",
}
_SIGNS: Final = {"add": "+", "subtract": "-", "multiply": "*", "divide": "/"}

HEAD = """\
(* {title}
   Written by consistency-lab export from {source}. Its items are
   {items}. *)
From Coq Require Import Reals Lia Arith List ZArith QArith.
From ConsistencyLab.base Require Import Sums Ranking Scalars Orders Labels.
From ConsistencyLab.theorems Require Import Means Luce.
From ConsistencyLab.check Require Import {checks}.
Import ListNotations.
Open Scope R_scope.

Definition m : nat := {m}.
(* The probability of each label, and what the predictions lose there. The theorem is about every loss with
   these values; that the target of the file has them is not proved here. *)
Definition ps : list Q := {probabilities}%Q.
Definition n : nat := length ps.
Definition p : nat -> R := at_label ps.
Definition predictions : list (list nat) := {predictions}.
Definition losses : list (list number) := {losses}.
Lemma p_probabilities : probabilities n p.
Proof. apply probabilities_sound; vm_compute; reflexivity. Qed.
"""

MINIMUM = """
(* The surrogate at each label: atoms, with the slopes of scalar losses at the minimizer. *)
Definition terms : list (list (atom * Q)) := {terms}.
Definition psi : nat -> scores -> R := atoms_loss m terms.
Definition minimizer : point := {minimizer}.
Lemma least : reached m (fun u => u) (label_risk n p psi) (fun k => Q2R (numbers minimizer k)).
Proof. apply (minimum_reached m ps terms minimizer p_probabilities); vm_compute; reflexivity. Qed.
"""

MEAN = """
(* The features f of each label, whose mean decides: psi is {risk}. *)
Definition features : list (list number) := {features}.
Definition psi : nat -> scores -> R := fun y => {psi} m (entry features y).
Lemma least : reached m (fun u => u) (label_risk n p psi) (mean_of n p (entry features)).
Proof. {how} Qed.
"""

CHANCES = """
(* The grades of each label, from 0 to N: v k n is the score of "the grade of item k is above n". *)
Definition grades : list (list nat) := {grades}.
Definition N : nat := {most}.
Definition psi : nat -> (nat -> scores) -> R := fun y => chances m N (grade grades y).
Lemma least : reached m (mean_grade N) (label_risk n p psi) (mean_of n p (fun y k => INR (grade grades y k))).
Proof. apply (chances_sound m N ps grades p_probabilities); vm_compute; reflexivity. Qed.
"""

POSITIONS = """
(* Approximate positions with any discount g, such as 1/r or 1/log2(1+r), at any temperature T. *)
Section EveryDiscount.
Variables (T : R) (g : R -> R).
Hypothesis warm : 0 < T.
Hypothesis discounted : discount g.
(* The features f of each label. *)
Definition features : list (list number) := {features}.
Definition psi : nat -> scores -> R := fun y => positions m T g (entry features y).
(* The mean goes down along this order; scores far apart in it come near the infimum. *)
Definition best : list nat := {best}%nat.
Lemma least : reached m (fun u => u) (label_risk n p psi) (ranked best).
Proof.
  apply (positions_sound m ps features best p_probabilities);
    [vm_compute; reflexivity .. | exact warm | exact discounted].
Qed.
"""

SIGNED = """
(* Squares or squared hinges of signed scores. *)
Section BothLosses.
Variable phi : R -> R.
Hypothesis square_or_hinge : phi = square \\/ phi = squared_hinge.
(* The features f of each label, whose mean decides. *)
Definition features : list (list number) := {features}.
Definition psi : nat -> scores -> R := fun y => signed phi m (entry features y).
Lemma least : reached m (fun u => u) (label_risk n p psi) (mean_of n p (entry features)).
Proof. apply (signed_sound m ps features p_probabilities phi square_or_hinge); vm_compute; reflexivity. Qed.
"""

SOFT_PAIRS = """
(* The features of each label: what having l above k costs, for k = 0, ..., m-1 and the other items l. *)
Definition features : list (list number) := {features}.
Definition psi : nat -> scores -> R := fun y => soft_pairs m 1 (pair_entry m features y).
(* No order costs less in the mean than this one; scores far apart in it come near the infimum. *)
Definition best : list nat := {best}%nat.
Lemma least : reached m (fun u => u) (label_risk n p psi) (ranked best).
Proof. apply (soft_pairs_sound m ps features best p_probabilities); vm_compute; reflexivity. Qed.
"""

STRICTLY = """
(* Near the infimum every order that sorting may return costs more than {better}. *)
Theorem replayed : probabilities n p /\\ forall L, stated n predictions losses L ->
  forall decode, sorting m {show} decode -> ~ calibrated_at n m p L psi decode.
Proof.
  split; [exact p_probabilities |].
  apply (strict_sound _ m ps predictions losses {b} {ranges} {show} psi _ p_probabilities
    {known} least); vm_compute; reflexivity.
Qed.
"""

TIE = """
(* At the minimizer sorting may return {prediction}, which costs more than {better}. *)
Theorem replayed : probabilities n p /\\ forall L, stated n predictions losses L ->
  ~ calibrated_at n m p L psi (fun u => sorts m u).
Proof.
  split; [exact p_probabilities |].
  apply (tie_sound _ m ps predictions losses {b} (fun u => u) psi _ p_probabilities least
    (numbers minimizer) {k}); [reflexivity | vm_compute; reflexivity].
Qed.
"""

#: By the name of a risk: its loss in formal/theorems/Means.v, and how its infimum is proved.
MEANS: Final = {
    "squares": ("squares", "apply squares_reached, p_probabilities."),
    "pair-squares": ("pair_squares", "apply pair_squares_reached, p_probabilities."),
    "softmax": (
        "softmax",
        "apply (softmax_sound m ps features p_probabilities); [unfold m; lia | vm_compute; reflexivity].",
    ),
    "sigmoids": (
        "sigmoids",
        "apply (sigmoids_sound m ps features p_probabilities); vm_compute; reflexivity.",
    ),
}

#: The other risks: template, what the scores near the infimum are sorted like, and how the section ends.
OTHERS: Final = {
    "signed": (SIGNED, "mean", "End BothLosses.\n"),
    "positions": (POSITIONS, "rank", "End EveryDiscount.\n"),
    "soft-pairs": (SOFT_PAIRS, "rank", ""),
}
#: Ranges of the numbers that the scores near the infimum are sorted like, and their proof.
KNOWN: Final = {
    "mean": ("(mean_at ps features)", "(fun k _ => mean_known ps features k p_probabilities)"),
    "mean_grade": ("(mean_grade_at ps grades)", "(fun k _ => mean_grade_known ps grades k p_probabilities)"),
    "rank": ("(rank_range best)", "(fun k _ => rank_known best k)"),
}


def number(source: Source, e: Expression) -> str:
    """A number of a table, in the scope of formal/check/Tables.v."""
    if e.value is not None:
        return f"Num {rational(e.value)}"
    if e.op == "divide" and all(x.op == "log" and _whole(x.args[0], 2) for x in e.args):
        return f"Log {e.args[0].args[0]} {e.args[1].args[0]}"
    if e.op == "exp" and _whole(e.args[0], 0):
        return f"Exp {e.args[0]}"
    if e.op not in _SIGNS:
        raise source.refused(
            f"the number {e} is not made of rationals, quotients of logarithms and exponentials"
        )
    left, right = (f"({text})" if x.op in _SIGNS else text for x in e.args for text in [number(source, x)])
    return f"{left} {_SIGNS[e.op]} {right}"


def _whole(e: Expression, least: int) -> bool:
    return e.value is not None and e.value.denominator == 1 and e.value >= least


def numbers(source: Source, key: str) -> str:
    """The numbers that the labels state, a line for each label."""
    return table([[number(source, x) for x in row] for row in source.numbers(key)], "number")


def atom(source: Source, found: Atom, slope: Slope) -> str:
    """An atom with its slope, as formal/check/Atoms.v has it."""
    c = rational(found.c)
    if type(found) is PhiAtom and str(found.phi) in SCALARS and found.b.as_rational() is not None:
        pair = sorted(found.v, key=lambda entry: -entry[1])
        if [factor for _, factor in pair] == [1, -1] and type(slope) is Fraction:
            (i, _), (j, _) = pair
            return f"(Pair {c} {SCALARS[str(found.phi)]} {i} {j} {rational(found.b.a)}, {rational(slope)})"
    if type(found) is LogSumExp:
        return f"(LogSumExp {c} {listed(found.over)}%nat, 0)"
    if type(found) is Linear:
        v = dict(found.v)
        return f"(Linear {listed(rational(found.c * v.get(k, Fraction(0))) for k in range(max(v) + 1))}, 0)"
    raise source.refused(f"covered are losses {', '.join(SCALARS)} of pairs, log-sum-exp and linear parts")


def minimum(source: Source) -> str:
    """Scores that minimize a sum of convex atoms, from atoms, scores and slopes."""
    verified, proof = source.verified, source.proof
    assert isinstance(proof.certificate, Minimum)
    if any(proof.direction):
        raise source.refused("the risk falls along a direction, without a minimum")
    slopes = {
        replace(found, c=Fraction(1)): slope
        for found, slope in zip(verified.atoms, proof.certificate.slopes, strict=True)
    }
    terms = [
        [atom(source, x, slopes[replace(x, c=Fraction(1))]) for x in label.atoms if x.c]
        for label in proof.labels
    ]
    scores = proof.scores or ()
    if all(x.q == 1 for x in scores):
        minimizer = f"Rational {listed(rational(x.a) for x in scores)}%Q"
    elif all(x.a == 0 for x in scores):
        minimizer = f"Logarithms {listed(rational(x.q) for x in scores)}%Q"
    else:
        raise source.refused("its scores are neither all rational nor all logarithms of rationals")
    stated = MINIMUM.format(terms=table(terms, "Q"), minimizer=minimizer)
    theorem = _theorem(source, "(fun u => u)", "(exactly minimizer)", "(exactly_known minimizer m)")
    return _head(source, "Tables Atoms") + stated + theorem


def mean(source: Source) -> str:
    """A surrogate that estimates a mean, from the features of the labels."""
    proof, certificate = source.proof, source.proof.certificate
    assert isinstance(certificate, KnownMean) and proof.prediction is not None
    risk, show, close = certificate.risk, "(fun u => u)", ""
    if proof.failure != STRICT:
        raise source.refused("it shows a tie of means, and covered are strict failures")
    if risk == "chances":
        rows = [[int(x.value or 0) for x in row] for row in source.numbers("psi")]
        stated = CHANCES.format(grades=table(rows, "nat"), most=max(map(max, rows)))
        show, known = "(mean_grade N)", "mean_grade"
    elif risk in MEANS:
        psi, how = MEANS[risk]
        stated = MEAN.format(risk=risk, features=numbers(source, "psi"), psi=psi, how=how)
        known = "mean"
    else:
        best = _order(source, proof.predictions.index(proof.prediction))
        template, known, close = OTHERS[risk]
        stated = template.format(features=numbers(source, "psi"), best=best)
    ranges, proved = KNOWN[known]
    theorem = _theorem(source, show, ranges, proved)
    return _head(source, "Tables MeansOfTables") + stated + theorem + close


def _head(source: Source, checks: str) -> str:
    proof = source.proof
    if type(proof.decoder) is not Sort:
        raise source.refused("its predictions are cells of the scores; covered are orders that sort them")
    named = (f"{number} = {comment(item)}" for number, item in enumerate(proof.coordinates))
    return HEAD.format(
        title=comment(f"{source.name}: {source.verified.sentence}."),
        source=comment(source.name),
        items=",\n   ".join(named),
        checks=checks,
        m=len(proof.coordinates),
        probabilities=listed(rational(label.probability) for label in proof.labels),
        predictions=table([list(t) for t in proof.predictions if not isinstance(t, int)], "nat"),
        losses=numbers(source, "losses"),
    )


def _theorem(source: Source, show: str, ranges: str, known: str) -> str:
    proof = source.proof
    assert proof.better is not None and proof.prediction is not None
    b, k = map(proof.predictions.index, (proof.better, proof.prediction))
    if proof.failure == STRICT:
        return STRICTLY.format(better=_order(source, b), show=show, b=b, ranges=ranges, known=known)
    return TIE.format(prediction=_order(source, k), better=_order(source, b), b=b, k=k)


def _order(source: Source, k: int) -> str:
    """A prediction for a comment."""
    found = source.proof.predictions[k]
    return listed(found) if not isinstance(found, int) else str(found)
