"""Proofs by addition as theorems for Coq: certified pairs decide Definition 2 at a distribution."""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import inf, lcm

from consistency_lab.apps.book.coq.preferences import CONDITIONS, evidence, ranks
from consistency_lab.apps.book.coq.source import Source, comment, listed, rational, table
from consistency_lab.core.addition import Addition, comparisons
from consistency_lab.core.document import STRICT, StatedLabel
from consistency_lab.core.orders import NO_CYCLES, Evidence, Pair
from consistency_lab.numbers.phi import Expression, parse

#: For each phi its name, slope, lower bound 0, and what allows its rules (see formal/base/Scalars.v).
REGULAR: dict[Expression, str] = {
    parse("log(1+exp(-x))"): "logistic dlogistic 0 logistic_declining logistic_positive\n"
    "  (or_intror logistic_even_plus_line)",
    parse("exp(-x)"): "exponential (fun x => - exponential x) 0 exponential_declining exponential_positive\n"
    "  (or_introl eq_refl)",
    parse("max(0,1-x)**2"): "squared_hinge dsquared_hinge 0 squared_hinge_declining squared_hinge_positive\n"
    "  (or_introl eq_refl)",
}

HEAD = """\
(* {title}
   Written by consistency-lab export from {source}. Its items are
   {items}. *)
From Coq Require Import Reals List ZArith QArith Qreals.
From ConsistencyLab.base Require Import Ranking Scalars Near.
From ConsistencyLab.check Require Import Counts Stated Pairs.
From ConsistencyLab.check Require Rationals.
Import ListNotations.
Open Scope R_scope.

Definition m : nat := {m}.
(* Each probability, and the preferences of i to j with their weights. *)
Definition labels : list label := {labels}%Q.
(* The aggregate as whole numbers, in a unit; every majority goes up in rank. *)
Definition unit : Z := {unit}%Z.
Definition c : nat -> nat -> Z := table {rows}.
Definition rank : list nat := {rank}%nat.
(* The pairs that are certified, each by a rule and a factor. *)
Definition pairs : list pair := {pairs}%Z.
Lemma checked : addition_check m labels unit c rank pairs = true.
Proof. vm_compute; reflexivity. Qed.
Definition proved i j : bool := has (closure m pairs) i j.
Definition a i j : Q := (c i j # Z.to_pos unit)%Q.
Lemma same p : described m labels p ->
  forall i j, (i < m)%nat -> (j < m)%nat -> Q2R (a i j) = aggregate p i j.
Proof. exact (replay_aggregate m labels unit c rank pairs checked p). Qed.
"""

CONDITION = """\
Lemma is_{condition} p : described m labels p -> {condition} m (aggregate p).
Proof. intros D; apply (Rationals.{sound} m a _ (same p D){evidence}); vm_compute; reflexivity. Qed.
"""

CONSISTENT = """\
Lemma all_majorities : all_proved m c pairs = true.
Proof. vm_compute; reflexivity. Qed.
(* Whatever p has this aggregate: the loss orders every majority right, near its infimum too. *)
Theorem replayed : (exists p, described m labels p) /\\ forall p, described m labels p ->{stated}
  acyclic_differences m (aggregate p) /\\
  (forall i j, proved i j = true -> separated m (aggregate p) {phi} i j) /\\
  consistent_at (edge_loss identity {phi} m p) p.
Proof.
  destruct (replay_consistent m labels unit c rank pairs {facts} checked all_majorities) as [E F].
  split; [exact E | intros p D].
  {split}exact (F p D).
Qed.
"""

INCONSISTENT = """\
Definition prediction : list nat := {prediction}%nat.
Definition better : list nat := {better}%nat.
Definition regret : Q := {regret}%Q.
(* {first} is above {second}, and that contradicts majorities. *)
Lemma contradicted : against_majority m c pairs {i} {j} {path}%nat = true.
Proof. vm_compute; reflexivity. Qed.
Lemma regret_checked : regret_check m c unit prediction better regret = true.
Proof. vm_compute; reflexivity. Qed.
Lemma prediction_checked : extends_check m pairs prediction = true.
Proof. vm_compute; reflexivity. Qed.
(* Whatever p has this aggregate: the loss contradicts a majority, and everything near its infimum does. *)
Theorem replayed : (exists p, described m labels p) /\\ forall p, described m labels p ->{stated}
  acyclic_differences m (aggregate p) /\\
  (forall i j, proved i j = true -> separated m (aggregate p) {phi} i j) /\\
  in_order m proved (sorted prediction) /\\
  0 < Q2R regret <= loss p (sorted prediction) - loss p (sorted better) /\\
  ~ consistent_at (edge_loss identity {phi} m p) p.
Proof.
  destruct (replay_inconsistent m labels unit c rank pairs {facts} checked
    {i} {j} {path}%nat prediction better regret contradicted regret_checked prediction_checked) as [E F].
  split; [exact E | intros p D].
  {split}exact (F p D).
Qed.
"""


def addition(source: Source) -> str:
    """Certified pairs, which contradict a majority or prove all of them."""
    proof = source.verified.proof
    assert proof is not None and isinstance(proof.certificate, Addition)
    phi, terms = comparisons(source.verified.atoms)
    if phi not in REGULAR:
        raise source.refused(f"phi(x) = {phi} is not one of those with a proof in Coq that it is regular")
    weights = aggregated(proof.labels)
    if {pair: x for pair, x in terms.items() if x} != weights:
        raise source.refused("the loss is no edge loss with h(a) = a")
    rests_on: Iterable[Evidence | None] = (proof.orders, proof.extensions)
    if any(part not in (None, NO_CYCLES) for part in rests_on) or proof.failure not in (None, STRICT):
        raise source.refused("it rests on cycles of majorities, or claims a tie")
    m = len(proof.coordinates)
    # A unit that is a whole number, also where the weights have a common divisor.
    unit = lcm(*(x.denominator for x in weights.values()))
    whole = {pair: int(x * unit) for pair, x in weights.items()}
    c = [[whole.get((i, j), 0) for j in range(m)] for i in range(m)]
    a = [[Fraction(x, unit) for x in row] for row in c]
    # That the difference graph has no cycle is proved anyhow.
    conditions = [key for key in CONDITIONS if key != "acyclic" and source.verified.conditions.get(key)]
    stated = {
        "stated": "".join(f"\n  {CONDITIONS[key][0]} m (aggregate p) /\\" for key in conditions),
        "split": "".join(f"split; [exact (is_{CONDITIONS[key][0]} p D) |].\n  " for key in conditions),
    }
    facts = REGULAR[phi]
    head = HEAD.format(
        title=comment(f"{source.name}: {source.verified.sentence}."),
        source=comment(source.name),
        items=",\n   ".join(f"{number} = {comment(item)}" for number, item in enumerate(proof.coordinates)),
        m=m,
        labels=listed(
            f"\n  ({rational(label.probability)}, "
            + listed(f"prefer {i} {j} {rational(x)}" for (i, j), x in label.prefers or ())
            + ")"
            for label in proof.labels
        ),
        unit=unit,
        rows=table(c),
        rank=listed(ranks(c)),
        pairs=listed(
            f"\n  Pair {pair.above} {pair.below} {pair.rule.capitalize()} "
            + ("1 0" if pair.factor == inf else "({}) {}".format(*pair.factor.as_integer_ratio()))
            for pair in proof.certificate.pairs
        ),
    )
    for key in conditions:
        condition, sound = CONDITIONS[key]
        head += CONDITION.format(condition=condition, sound=sound, evidence=evidence(key, a))
    name = facts.split()[0]
    if proof.prediction is None:
        return head + CONSISTENT.format(phi=name, facts=facts, **stated)
    if proof.better is None or proof.regret is None or isinstance(proof.prediction, int):
        raise source.refused("a failure needs a prediction, a better one and the regret")
    assert not isinstance(proof.better, int)
    cycle = contradiction(c, [(pair.above, pair.below) for pair in proof.certificate.pairs])
    if cycle is None:
        raise source.refused("its pairs and the majorities form no cycle")
    first, second, *path = cycle
    return head + INCONSISTENT.format(
        phi=name,
        facts=facts,
        prediction=listed(proof.prediction),
        better=listed(proof.better),
        regret=rational(proof.regret),
        first=comment(proof.coordinates[first]),
        second=comment(proof.coordinates[second]),
        i=first,
        j=second,
        path=listed(path),
        **stated,
    )


def aggregated(labels: Sequence[StatedLabel]) -> dict[Pair, Fraction]:
    """The mean weight of each preference."""
    found: dict[Pair, Fraction] = {}
    for label in labels:
        for pair, weight in label.prefers or ():
            found[pair] = found.get(pair, Fraction(0)) + label.probability * weight
    return found


def contradiction(c: Sequence[Sequence[int]], pairs: Sequence[Pair]) -> list[int] | None:
    """A cycle of items that begins with one of the pairs, and goes on along pairs and majorities."""
    items = range(len(c))
    steps = [[j for j in items if c[i][j] > c[j][i] or (i, j) in pairs] for i in items]
    found = None
    for i, j in pairs:
        ways, fresh = {j: [i, j]}, [j]
        while fresh and i not in ways:
            here = fresh.pop(0)
            for new in steps[here]:
                if new not in ways:
                    ways[new] = [*ways[here], new]
                    fresh.append(new)
        if i != j and i in ways and (found is None or len(ways[i]) <= len(found)):
            found = ways[i][:-1]
    return found
