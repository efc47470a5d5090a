"""A witness as a proof in plain text: every number in it can be checked by hand."""

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from consistency_lab.certify.proofs.record import VerifiedProof
from consistency_lab.certify.proofs.task_proof import LabelQuestion
from consistency_lab.certify.witness import MAX_WITNESS_ITEMS, Witness
from consistency_lab.core.certificates import KnownMean, Minimum, Separation
from consistency_lab.core.document import CONSISTENT_AT_P, WRONG_EQUILIBRIUM, Proof
from consistency_lab.errors import InputError, printed
from consistency_lab.model.conditions import CONDITIONS
from consistency_lab.numbers.balls import Real, ball, rational, times, total
from consistency_lab.numbers.exact import LogRational
from consistency_lab.show.frontier import MAX_DRAWN, example_lines, labeled, matrix_lines, rank
from consistency_lab.show.graph_proof import ON_GRAPHS, GraphWitness
from consistency_lab.show.labels import certified
from consistency_lab.show.labels import example_lines as labels_example
from consistency_lab.show.task_proof import ON_TASKS
from consistency_lab.show.text import (
    Heading,
    Line,
    chain,
    compact,
    guarded,
    listed,
    paragraph,
    quoted,
    short,
    tabular,
    ticked,
    typed,
    unticked,
)
from consistency_lab.show.verification import claim_words, names_words
from consistency_lab.show.witness import certificate_line

# --- A proof on one screen -------------------------------------------------------------------------------


def proof_screen(document: Mapping[str, Any], verified: VerifiedProof, name: str) -> Iterator[Line]:
    """What is proved, the example with its scores, and why that is certain; for what, as `explicit_proof`."""
    witness = _witness(document, verified)
    yield from paragraph(first_line(document, verified), 0, 0)
    yield ""
    if witness is None:
        yield from paragraph(f"{verified.sentence[0].upper()}{verified.sentence[1:]}.", 1, 1)
    elif not verified.about_preferences:
        yield from _on_labels(witness, document)
    else:
        shown = witness.distribution.m <= MAX_DRAWN
        if verified.claim != CONSISTENT_AT_P:
            yield from example_lines(witness, _narrowest(verified))
        elif shown:
            yield from (" Comparisons (row beats column):", *matrix_lines(witness))
        yield ""
        told = certificate_line(witness).removeprefix("Certificate: ").replace("; ", ": ", 1)
        yield from paragraph(f"{told[0].upper()}{told[1:]}", 1, 1)
    yield from paragraph(f"{names_words(verified, listed) or 'The file names nothing'}.", 1, 1)
    yield ""
    drawn = verified.about is not None or "features" in document["named"]
    more = "   --plot FILE   --script torch" if drawn else ""
    yield from labeled("more:", f"--details (the proof)   --format latex{more}")


def _on_labels(witness: Witness, document: Mapping[str, Any]) -> Iterator[Line]:
    """The same of labels; without words of ours for the names, the costs alone."""
    if isinstance(witness.about, LabelQuestion) and witness.verified.claim != CONSISTENT_AT_P:
        yield from labels_example(witness)
        yield ""
        yield from paragraph(certified(witness), 1, 1)
    else:
        yield from _conclusion(witness.verified, document["proof"])


def _witness(document: Mapping[str, Any], verified: VerifiedProof) -> Witness | None:
    """What an example is drawn from, where one screen can show it."""
    if verified.about is None or verified.m > MAX_WITNESS_ITEMS or "features" in document["named"]:
        return None
    return Witness.of(document, verified)


def first_line(document: Mapping[str, Any], verified: VerifiedProof) -> str:
    """The claim in the words of all answers."""
    called, about, witness = verified.called, "", _witness(document, verified)
    if "features" in document["named"]:
        about = " within the features of the file"
    elif witness is not None and isinstance(witness.about, LabelQuestion):
        about = f" for {witness.about.task.title}"
    elif verified.stated_decoder:
        about = " with the stated decoder"
    elif verified.about_preferences and _narrowest(verified) != "any":
        about = f" under {_narrowest(verified)}"
    if verified.proof is None:
        return f"{called}: certified by cases, without an example."
    if verified.claim == CONSISTENT_AT_P:
        return f"{called} is right at these data: near its least risk every order is a best one."
    if verified.claim == WRONG_EQUILIBRIUM:
        return f"{called} can train to a wrong order{about}; the example is certified."
    if verified.universal:
        return (
            f"Every convex phi that falls at 0 is wrong{about}, and {called} too; the example is certified."
        )
    return f"{called} is wrong{about}; the example is certified."


def _narrowest(verified: VerifiedProof) -> str:
    """The best known condition that the example meets, in words."""
    held = [name for name, holds in verified.conditions.items() if holds and name in CONDITIONS]
    return CONDITIONS[min(held, key=rank, default="any")].title


# --- A proof in plain text -------------------------------------------------------------------------------
# Its numbers, its certificate, its names; every number can be checked by hand.

_SHOWN_ENTRIES: Final = 12
"""More entries than this are left to the file."""


def explicit_proof(document: Mapping[str, Any], verified: VerifiedProof, name: str) -> Iterator[Line]:
    """The lines of the proof."""
    return unticked(ticked_proof(document, verified, name))


def ticked_proof(document: Mapping[str, Any], verified: VerifiedProof, name: str) -> Iterator[Line]:
    """The same with its formulas between backticks, to be typeset."""
    yield Heading(f"{guarded(printed(name))}: proof accepted", 0)
    yield from paragraph(f"{_with_formulas(claim_words(verified))}.")
    proof = verified.proof
    if proof is not None:
        number = 0
        for title, section in _sections(document, verified, proof):
            lines = list(section)
            if lines:
                number += 1
                yield from (Heading(f"{number}. {title}", 1), *lines)
    elif verified.systems:
        yield from _systems(verified, document["proof"]["systems"])
    else:
        yield from _link(document["proof"])
    yield Heading("Names", 1)
    yield from paragraph(guarded(names_words(verified, listed)) or "the file names nothing", 3)
    yield from source(document)


_IN_CLAIMS: Final = re.compile(r"A\(p\)|phi'\(0\) < 0|(?<=convex )phi|\bW\b")


def _with_formulas(claim: str) -> str:
    """What is proved, in words that other reports print too."""
    return _IN_CLAIMS.sub(r"`\g<0>`", guarded(claim))


def _sections(
    document: Mapping[str, Any], verified: VerifiedProof, proof: Proof
) -> list[tuple[str, Iterator[Line]]]:
    """The sections, some of which may have nothing to say."""
    features = document["named"].get("features")
    if (
        verified.about_preferences and features is None and verified.m <= MAX_WITNESS_ITEMS
    ):  # all optimal orders are spoken of
        case = GraphWitness(Witness.of(document, verified))
        try:
            if case.witness.terms:
                return [(title, section(case)) for title, section in ON_GRAPHS]
        except InputError:
            pass  # maxima and the like in the risk, which have no table here
    entry, question = document["proof"], verified.about
    if isinstance(question, LabelQuestion) and verified.claim != CONSISTENT_AT_P:
        witness = Witness(document, verified, question)
        sections = [(title, section(witness)) for title, section in ON_TASKS]
        if isinstance(proof.certificate, Separation):
            sections.insert(-1, ("The certificate", _certificate(proof, entry)))
        return sections
    return [
        *([] if features is None else [("Scores linear in features", _features(features))]),
        ("What orders cost", _costs(entry))
        if verified.about_preferences
        else ("What predictions cost", listed_losses(proof, entry)),
        ("The risk `W`", _risk(entry)),
        ("The certificate", _certificate(proof, entry)),
        ("What follows", _conclusion(verified, entry)),
    ]


def _features(features: Mapping[str, Any]) -> Iterator[Line]:
    """The features of the items, what is asked, and what the rest of the proof is about."""
    for item, row in features["rows"].items():
        yield from paragraph(f"`x({quoted(item)}) = ({', '.join(row)})`", 3)
    if "right" in features:
        asked = (
            f"Asked: {guarded(features['axiom'])}. The weights `({', '.join(features['right'])})` are right. "
        )
    else:
        asked = "Asked: what the order of the minimizer is. "
    yield from paragraph(
        f"{asked}The risk `W` below has penalties `N |⟨q, u⟩|`, which are 0 for all scores `Xw`, and the "
        "stated scores are such. So what holds of all `u` with `W(u)` at most `W(scores)` holds of the "
        "scores `Xw` near the infimum of `W` among them (docs/theory.md, Scores from features).",
        3,
    )


def _link(proof: Mapping[str, Any]) -> Iterator[Line]:
    """The scores of a link with their predictions, or those at which none is possible."""
    names = list(map(guarded, proof["coordinates"]))

    def told(scores: Sequence[str]) -> str:
        return ", ".join(f"`{name} = {x}`" for name, x in zip(names, scores, strict=True))

    if "reports" in proof:
        for report in proof["reports"]:
            yield from paragraph(f"At {told(report['scores'])}: {guarded(report['prediction'])}.", 3, 2)
        return
    yield from paragraph(f"The scores {told(proof['scores'])} minimize `W` for each of these distributions.")
    for prediction, one in zip(proof["predictions"], proof["at"], strict=True):
        p = ", ".join(f"`{q}`" for q in one["probabilities"])
        better, worse = guarded(one["better"]), guarded(prediction)
        yield from paragraph(f"For {p}: {better} is better than {worse}.", 3, 2)


def _systems(verified: VerifiedProof, systems: Sequence[Mapping[str, Any]]) -> Iterator[Line]:
    """What systems say, the first ones as examples."""
    yield ""
    yield from paragraph(
        f"{verified.systems} systems `A x <= b`, `E x = f`, `x >= 0`. Multipliers `y >= 0` of `A` and `z` of "
        "`E` with `yA + zE >= 0` and `yb + zf < 0` refute each, for a solution would give "
        "`0 <= (yA + zE)x <= yb + zf < 0`. "
        "The first ones:"
    )
    for place, system in enumerate(systems[:3], start=1):
        yield from paragraph(f"System {place}:", 3)
        lines = (("<=", "rows", "right", "y"), ("=", "equal_rows", "equal_right", "z"))
        for sign, rows, right, multipliers in lines:
            parts = zip(system[rows], system[right], system[multipliers], strict=True)
            yield from tabular(
                [
                    [*map(ticked, row), f"`{sign}`", ticked(b), f"times {ticked(multiplier)}"]
                    for row, b, multiplier in parts
                ],
                5,
                head=False,
            )
    yield ""
    yield from paragraph(f"{_with_formulas(verified.sentence[0].upper() + verified.sentence[1:])}.")


def _costs(entry: Mapping[str, Any]) -> Iterator[Line]:
    for label in entry["labels"]:
        some = [
            f"`{quoted(i)} → {quoted(j)}` ({ticked(weight)})"
            for i, j, weight in label["prefers"][:_SHOWN_ENTRIES]
        ]
        more = len(label["prefers"]) - len(some)
        rest = f", and {more} more in the file" if more > 0 else ""
        yield from paragraph(
            "An order pays the weight of each preference that it turns round: " + ", ".join(some) + rest + "."
        )


def _risk(entry: Mapping[str, Any]) -> Iterator[Line]:
    for label in entry["labels"]:
        for block in label["psi"] if isinstance(label["psi"], list) else ():
            if not isinstance(block, dict) or "phi" not in block:
                continue
            offset = "" if block["offset"] == "0" else f" - ({block['offset']})"
            yield from paragraph(
                f"The sum of `c φ(⟨v, u⟩{offset})` with `φ(x) = {typed(block['phi'])}` over:"
            )
            rows = [
                [ticked(short(Fraction(c))), f"`{_direction(v)}`"] for c, v in block["terms"][:_SHOWN_ENTRIES]
            ]
            yield from tabular([["`c`", "`⟨v, u⟩`"], *rows], indent=5)
            if len(block["terms"]) > _SHOWN_ENTRIES:
                yield from paragraph(f"and {len(block['terms']) - _SHOWN_ENTRIES} more terms in the file.", 5)


def _direction(v: Mapping[str, str]) -> str:
    parts = []
    for name, n in v.items():
        size = n.removeprefix("-")
        parts.append(f"{'+' if size == n else '-'} {'' if size == '1' else f'{size} '}u({quoted(name)})")
    return " ".join(parts).removeprefix("+ ")


def _certificate(proof: Proof, entry: Mapping[str, Any]) -> Iterator[Line]:
    certificate = proof.certificate
    if entry["scores"] is not None:
        scores = (
            f"{guarded(name)} {ticked(score)}"
            for name, score in zip(entry["coordinates"], entry["scores"], strict=True)
        )
        yield from paragraph(f"Scores: {', '.join(scores)}.")
    if isinstance(certificate, Minimum) and any(proof.direction):
        way = ", ".join(
            f"{guarded(name)} {ticked(str(d))}"
            for name, d in zip(proof.coordinates, proof.direction, strict=True)
        )
        yield from paragraph(
            f"From these scores `W` falls to its infimum along the direction {way}: the terms that move fall "
            "to theirs, and the slopes of the others add up to zero at every item."
        )
    elif isinstance(certificate, Minimum):
        yield from paragraph(
            f"The slopes {_some([ticked(str(x)) for x in entry['certificate']['slopes']])} of the terms at "
            "these scores are subgradients and add up to zero at every item, so the scores minimize `W`."
        )
    elif isinstance(certificate, Separation):
        pairs = [
            guarded(f"{proof.coordinates[b.above]} above {proof.coordinates[b.below]}")
            for b in certificate.bounds
        ]
        yield from paragraph(
            f"Wherever one of {_some(pairs)} does not hold, `W` is larger than at these scores, by at least "
            f"{entry['certificate']['gap']}: tangents of the terms add up to a bound there. So whatever "
            "comes near the infimum of `W` ranks these pairs so."
        )
    elif isinstance(certificate, KnownMean):
        yield from known_mean(proof, certificate)
    else:
        yield from paragraph(f"The certificate is of the kind {entry['certificate']['kind']}.")


def _some(words: Sequence[str]) -> str:
    """The first words as a list."""
    return listed(words) if len(words) <= _SHOWN_ENTRIES else f"{', '.join(words[:_SHOWN_ENTRIES])}, ..."


def _conclusion(verified: VerifiedProof, entry: Mapping[str, Any]) -> Iterator[Line]:
    if verified.claim != CONSISTENT_AT_P:
        prediction, better = (_order(entry[key]) for key in ("prediction", "better"))
        yield from paragraph(f"{prediction} costs {entry['regret']} more than {better}.")
    yield from paragraph(f"{_with_formulas(verified.sentence[0].upper() + verified.sentence[1:])}.")


def _order(value: Sequence[str] | str) -> str:
    """A prediction of a file."""
    if isinstance(value, str):
        return guarded(value)
    return f"`{chain([*map(quoted, value)], range(len(value)))}`"


# --- Proofs whose names are not known here: losses, features and cells as the file lists them ------------


def listed_losses(proof: Proof, entry: Mapping[str, Any]) -> Iterator[Line]:
    """The loss of each prediction at each label, and the means."""
    words = [*map(_order, entry["predictions"])]
    rows = [label.losses or () for label in proof.labels]
    yield from paragraph("Each label lists what predictions lose there:")
    yield from _table("loss of", words, rows, proof)


def known_mean(proof: Proof, certificate: KnownMean) -> Iterator[Line]:
    """The numbers of the labels, and their means, which say where the risk is least."""
    rows = [label.features for label in proof.labels]
    yield from paragraph(
        f"The risk is that of the row {certificate.risk!r} in core/certificates.py; where it is least "
        "follows from the means of numbers `f` that the labels state:"
    )
    names = [str(k + 1) for k in range(len(rows[0]))]
    yield from _table("`f`", names, rows, proof)


def _table(what: str, heads: Sequence[str], rows: Sequence[Sequence[Any]], proof: Proof) -> Iterator[Line]:
    """A column a label, a row a number; the last column has the means."""
    shown = min(len(rows), _SHOWN_ENTRIES)
    probabilities = [LogRational(label.probability) for label in proof.labels]
    lines = [["label", *(str(n + 1) for n in range(shown)), ""]]
    lines.append(["probability", *(ticked(_real(p)) for p in probabilities[:shown]), "mean"])
    for k, head in enumerate(heads[:_SHOWN_ENTRIES]):
        column = [row[k] for row in rows]
        mean = total(map(times, probabilities, column))
        lines.append([f"{what} {head}", *(ticked(_real(x)) for x in (*column[:shown], mean))])
    yield from tabular(lines, 5, range(1, shown + 2))
    if len(rows) > shown or len(heads) > _SHOWN_ENTRIES:
        yield from paragraph("The file has more of them.", 5)


def _real(x: Real) -> str:
    """An exact number if it is short, and else six decimals."""
    exact = rational(x)
    return f"≈{float(ball(x).mid()):.6f}" if exact is None else compact(exact)


# --- Where a witness comes from, in its own words --------------------------------------------------------


def source(document: Mapping[str, Any]) -> Iterator[Line]:
    """The texts of its provenance that are not empty, and its digest."""
    yield Heading("Source", 1)
    provenance = document["provenance"]
    entries = {
        "illustrates": provenance["citation"],
        "made by": f"{provenance['tool']} {provenance['version']}".strip(),
        "with": provenance["command"],
        "note": provenance["note"],
        "digest": document["digest"],
    }
    width = max(map(len, entries))
    for key, value in entries.items():
        if value:
            yield from paragraph(f"{key.ljust(width)}  {guarded(value)}", 3, width + 2)
