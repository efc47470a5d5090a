"""The evidence for DMJ10 Lemma 10, which Theorems 11 and 12 and their stronger forms use again."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from consistency_lab.book.every_phi import every_phi_step, from_weights
from consistency_lab.book.polynomials import Polynomial
from consistency_lab.book.slopes import FOUR_EDGES, Contradiction, contradictions
from consistency_lab.book.smt import all_confirmed, question
from consistency_lab.book.statement import Finding, Kind
from consistency_lab.book.steps import Step
from consistency_lab.book.stored import FOLDER, stored
from consistency_lab.model.surrogates import surrogate

MULTIPLIERS: Final = "lemma_10.json"
QUESTIONS: Final[Mapping[str, str]] = {
    "Condition 1": "lemma_10_condition_1.smt2",
    "Condition 2": "lemma_10_condition_2.smt2",
}
CONDITIONS: Final[Mapping[str, str]] = {
    "Condition 1": "h31*h12-h23*(h13+h12)",
    "Condition 2": "h31*h23-h12*(h13+h23)",
}
"""What each condition of the lemma says is positive."""

EVERY_H: Final = "three items, every h, every convex φ with φ'(0) < 0"

_EXAMPLES: Final[tuple[Mapping[str, int | str], ...]] = (
    {"12": 3, "13": 8, "23": 1, "31": 4},
    {"12": 1, "13": 8, "23": 3, "31": 4},
    {"12": 25, "13": 50, "23": 1, "31": 24},
    {"12": 1000, "13": 2000, "23": 249, "31": 750},
    {"12": 2, "13": 1, "23": 1, "31": "8/5"},
    {"12": 10, "13": 11, "23": 9, "31": 19},
)
"""Weights with a13 > a31 or a31 < a13 + min(a12, a23); the last three are close to the boundary."""


def proofs(folder: Path = FOLDER) -> tuple[Contradiction, ...]:
    """The stored multipliers, in the order of the conditions.

    Raises
    ------
    InputError, RejectedError
        If the file is not there, or not of the right form.
    """
    return contradictions(stored(MULTIPLIERS, folder))


def derived_question(proof: Contradiction) -> str:
    """The system that the multipliers contradict, as a question in SMT-LIB."""
    return question(
        f"DMJ10 Lemma 10, {proof.name}: slopes g of a convex phi at a minimizer alpha_1 > alpha_2 > alpha_3\n"
        "of W, the sum of h_ij phi(alpha_i - alpha_j) over the edges 12, 13, 23, 31; g0 = phi'(0)",
        proof.claims(),
    )


def are_about_the_lemma(found: tuple[Contradiction, ...]) -> bool:
    """Whether the multipliers are for the two conditions as the paper has them, without other assumptions."""
    return [proof.name for proof in found] == list(CONDITIONS) and all(
        proof.edges == FOUR_EDGES
        and len(proof.assumptions) == 1
        and proof.factor == Polynomial.parse(CONDITIONS[proof.name])
        for proof in found
    )


def smt_step(folder: Path = FOLDER) -> Step:
    """The step that z3 finds no slopes under either condition."""
    found = proofs(folder)
    asked = [(QUESTIONS[proof.name], derived_question(proof)) for proof in found if proof.name in QUESTIONS]
    lines = []
    for proof in found:
        lines.append(f"{proof.name}, {QUESTIONS.get(proof.name, 'no file')}: no real numbers with")
        lines += [f"    {claim}" for claim in proof.claims()]
    return Step(
        are_about_the_lemma(found) and all_confirmed(asked, folder),
        Finding(
            "Under Condition 1, or 2, no convex φ has a minimizer with α₁ > α₂ > α₃",
            Kind.PROOF_THIS_M,
            EVERY_H,
            "z3: two questions of real arithmetic with h unknown, both unsat",
            tuple(lines),
        ),
    )


def multipliers_step(folder: Path = FOLDER) -> Step:
    """The step that the stored multipliers, polynomials in h, prove the same without z3."""
    found = proofs(folder)
    return Step(
        are_about_the_lemma(found) and all(proof.holds() for proof in found),
        Finding(
            "The same by multipliers that are polynomials in h",
            Kind.PROOF_THIS_M,
            EVERY_H,
            "two identities of polynomials, expanded exactly; the signs of all multipliers are evident",
            (
                *(line for proof in found for line in proof.lines()),
                "A minimizer exists (DMJ10 Lemma 9), so it lies outside A(p): W* = inf {W : α ∉ A(p)}.",
            ),
        ),
    )


def accepted_step() -> Step:
    """The step that the core accepts Farkas multipliers at some rational h."""
    cases = [
        (", ".join(f"h{edge} = {value}" for edge, value in h.items()), from_weights(h), surrogate("logistic"))
        for h in _EXAMPLES
    ]
    return every_phi_step(
        "At given rational h, by the core", f"{len(cases)} rational h, every convex φ with φ'(0) < 0", cases
    )


def core_steps() -> tuple[Step, Step]:
    """The two independent proofs of the lemma, for statements that rest on it."""
    return smt_step(), multipliers_step()
