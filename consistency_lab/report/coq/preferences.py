"""Proofs about preference graphs as theorems for Coq: each family of losses at one distribution."""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

from consistency_lab.core.certificates import Minimum
from consistency_lab.exact import integer_multiple
from consistency_lab.report.coq.source import Source, comment, listed, table

#: The losses with a checker of slopes in formal/check/Counts.v.
LOSSES = {"hinge": "hinge", "squared-hinge": "squared_hinge", "square": "square"}

HEAD = """\
(* {title}
   Written by consistency-lab export from {source}. Its items are
   {items}. *)
From Coq Require Import Reals Lra Lia Arith List ZArith Bool.
From ConsistencyLab.base Require Import Ranking Convex Scalars Descent Aggregate Consistency.
From ConsistencyLab.check Require Import Counts.
Import ListNotations.
Open Scope R_scope.

Definition m : nat := {m}.
Definition rows : list (list Z) := {rows}.
Definition c : nat -> nat -> Z := table rows.
Definition p : distribution := of_counts m c.
Lemma valid : counts_check m c = true.
Proof. vm_compute; reflexivity. Qed.
Lemma p_distribution : is_distribution m p.
Proof. apply of_counts_distribution. Qed.
(* Every majority goes up in rank. *)
Definition rank : list nat := {rank}%nat.
Lemma order : order_check m c rank = true.
Proof. vm_compute; reflexivity. Qed.
"""

MINIMUM = """\
Lemma differences : {condition} m (aggregate p).
Proof. {how} Qed.

(* The scores, and the slopes of the loss at their differences, all over q. *)
Definition q : Z := {q}.
Definition scores_q : list Z := {scores}%Z.
Definition slopes_q : list (list Z) := {slopes}.
Lemma minimal : minimum_check m c {phi}_slope scores_q q (table slopes_q) = true.
Proof. vm_compute; reflexivity. Qed.
(* They minimize the risk, and are wrong about the edge from {i} to {j}. *)
Theorem replayed : is_distribution m p /\\ {condition} m (aggregate p) /\\
  minimizer m (aggregate p) {phi} (point scores_q q) /\\ ~ consistent_at (edge_loss identity {phi} m p) p.
Proof.
  split; [exact p_distribution | split; [exact differences | split]].
  - apply (minimum_sound m c valid {phi} {phi}_slope {phi}_slope_sound scores_q q _ minimal).
  - apply (minimum_inconsistent m c valid {phi} {phi}_slope {phi}_slope_sound rank scores_q q _ {i} {j} order
      minimal); [unfold m; lia .. | reflexivity | reflexivity].
Qed.
"""

SHOWN = {
    "additive": "apply (additive_sound m c valid); [unfold m; lia | vm_compute; reflexivity].",
    "acyclic_differences": "exact (order_sound m c valid rank order).",
}


def ranks(c: Sequence[Sequence[int]]) -> list[int]:
    """The length of the longest path of majorities to each item."""
    m = range(len(c))
    found = [0 for _ in m]
    for _ in m:
        for i in m:
            for j in m:
                if c[i][j] > c[j][i]:
                    found[j] = max(found[j], found[i] + 1)
    return found


def head(title: str, source: str, items: Sequence[str], c: Sequence[Sequence[int]]) -> str:
    """The counts, the distribution made from them, and that the difference graph has no cycle."""
    named = ",\n   ".join(f"{number} = {comment(item)}" for number, item in enumerate(items))
    return HEAD.format(
        title=comment(title),
        source=comment(source),
        items=named,
        m=len(items),
        rows=table(c),
        rank=listed(ranks(c)),
    )


def minimum(source: Source) -> str:
    """Scores that minimize an edge loss and are wrong about an edge, from preferences, scores and slopes."""
    verified = source.verified
    proof, phi = verified.proof, LOSSES.get(verified.surrogate)
    if phi is None or verified.surrogate not in verified.recomputed:
        raise source.refused(f"it is about {verified.called}; covered are {', '.join(LOSSES)}")
    assert proof is not None and isinstance(proof.certificate, Minimum)
    if not verified.conditions["acyclic"]:
        raise source.refused("its difference graph has a cycle")
    m = len(proof.coordinates)
    weights = {pair: Fraction(0) for pair in ((i, j) for i in range(m) for j in range(m))}
    for label in proof.labels:
        for pair, weight in label.prefers or ():
            weights[pair] += label.probability * weight
    slopes = dict.fromkeys(weights, Fraction(0))
    terms = dict.fromkeys(weights, Fraction(0))
    for atom, slope in zip(verified.atoms, proof.certificate.slopes, strict=True):
        i, j = (item for item, _ in sorted(atom.v, key=lambda entry: -entry[1]))
        slopes[i, j], terms[i, j] = slope, atom.c
    assert terms == weights
    whole, _ = integer_multiple(weights.values())
    c = [whole[i * m : (i + 1) * m] for i in range(m)]
    scores = [score.a for score in verified.scores]
    q = lcm(*(x.denominator for x in (*scores, *slopes.values())))
    i, j = next(
        (i, j)
        for i, j in slopes
        if c[i][j] > c[j][i] and (scores[i] < scores[j] or (scores[i] == scores[j] and i < j))
    )
    condition = "additive" if verified.conditions["additive"] else "acyclic_differences"
    title = f"{source.name}: {verified.sentence}."
    return head(title, source.name, proof.coordinates, c) + MINIMUM.format(
        condition=condition,
        how=SHOWN[condition],
        q=q,
        scores=listed(int(q * x) for x in scores),
        slopes=table([[int(q * slopes[i, j]) for j in range(m)] for i in range(m)]),
        phi=phi,
        i=i,
        j=j,
    )
