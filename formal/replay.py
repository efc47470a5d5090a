"""Replays the gallery in Coq, and compares Coq with the core on changed proofs.

`python formal/replay.py` exports every file of counterexamples/ that is covered, compiles it beside formal/,
and prints a table; `--sample N --seed TEXT` takes N of them, the same for the same text. `python
formal/replay.py compare` changes one entry of a proof at a time and asks the core and Coq about each: where
the core rejects, Coq must fail. They share the reader of the file and no check.
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from fractions import Fraction
from itertools import islice
from os import cpu_count
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

from consistency_lab.apps.book.coq.export import coq, theorem
from consistency_lab.apps.book.coq.source import Source
from consistency_lab.certify.proofs.file import sealed, verify
from consistency_lab.certify.proofs.names import GraphNames
from consistency_lab.core.certificates import Separation
from consistency_lab.core.risk import merged
from consistency_lab.core.verify import read_proof, verify_proof
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.files import read_json
from consistency_lab.numbers.balls import BITS
from consistency_lab.numbers.exact import working_precision

FORMAL = Path(__file__).resolve().parent
GALLERY = FORMAL.parent / "counterexamples"
LIBRARY = ("-Q", str(FORMAL), "ConsistencyLab")
MUTANTS = 200
#: What the gallery has no file of: made by the program, with the number of its systems that are kept.
EXAMPLES = (
    ("check", "logistic", "--profile", "san-francisco.csv"),
    ("check", "logistic", "--profile", "vermont.toc", "--select", "Beck,Fay,South"),
    ("check", "exponential", "--profile", "vermont.toc", "--select", "Beck,Fay,South"),
    ("check", "logistic", "--profile", "vermont.toc", "--select", "Beck,Willhoit,South"),
    ("check", "linear", "--condition", "low-noise"),
)
SYSTEMS = 12
#: Certificates whose theorem says that Definition 2 fails; the entries of OF_CORE are left to the core.
ALONE = ("minimum", "separation", "mean")
OF_CORE = ("prediction", "better", "regret", "failure")
ACCEPTED, CERTIFICATE, REJECTED = "accepted", "accepted but for its prediction or gap", "rejected"
#: The core's lines lie a little below those of Coq, which touch the losses, and may prove less of a gap.
OF_GAP = Fraction(99, 100)
OTHER_WORDS = {"gap": "domination", "domination": "gap", "strict": "tie", "tie": "strict"}


def say(text: str) -> None:
    """One line at once, since each file takes seconds."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


# --- Replay ----------------------------------------------------------------------------------------------


def compiled(file: Path) -> tuple[float, str]:
    """How long Coq took, in seconds of processor time, and what it said against the file."""
    before = getrusage(RUSAGE_CHILDREN)
    done = subprocess.run(
        ["coqc", *LIBRARY, file.name], cwd=file.parent, capture_output=True, check=False, text=True
    )
    after = getrusage(RUSAGE_CHILDREN)
    taken = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return taken, "" if done.returncode == 0 else done.stderr or "failed"


def replay(paths: Sequence[Path]) -> int:
    """Export and compile the files; 1 if Coq rejects one that the core accepts."""
    left_out: dict[str, list[str]] = {}
    failed, total = 0, 0.0
    with tempfile.TemporaryDirectory() as folder:
        for number, path in enumerate(paths):
            proof = json.loads(path.read_text(encoding="utf-8"))["proof"]
            kind = proof.get("certificate", {}).get("kind", "multipliers")
            try:
                text = coq(path)
            except InputError as error:
                name, _, why = str(error).partition(" is not exported: ")
                left_out.setdefault(why, []).append(name)
                continue
            file = Path(folder) / f"Replay{number}.v"
            file.write_text(text, encoding="utf-8")
            taken, against = compiled(file)
            total += taken
            failed += bool(against)
            where = path.relative_to(GALLERY)
            say(f"{where!s:70} {kind:12} {taken:5.1f} s  {'rejected' if against else 'proved'}")
            if against:
                say(against)
    missing = sum(map(len, left_out.values()))
    say(f"{len(paths) - missing - failed} of {len(paths)} files proved by Coq in {total:.0f} s")
    for why, names in left_out.items():
        say(f"not covered, {len(names)} such as {names[0]}: {why}")
    return 1 if failed else 0


# --- Two checkers on changed proofs ----------------------------------------------------------------------

Place = tuple[list[Any] | dict[str, Any], Any, str]


def examples(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each covered file of the gallery, and what the program makes."""
    for path in sorted(GALLERY.rglob("*.json")):
        if covered(path):
            yield path.stem, read_json(path)
    for command in EXAMPLES:
        out = folder / "-".join(command).replace("/", "")
        arguments = [*command, "--budget", "2", "--out", str(out)]
        subprocess.run(
            [sys.executable, "-m", "consistency_lab", *arguments], capture_output=True, check=False
        )
        for path in sorted(out.glob("*.json")):
            document = read_json(path)
            if "systems" in document["proof"]:
                kept = {**document["proof"], "systems": document["proof"]["systems"][-SYSTEMS:]}
                document = sealed(kept, {}, {})
            yield path.stem, document


def places(value: Any, where: str = "") -> Iterator[Place]:
    """Every entry of a proof that says something of its own."""
    keys = value.items() if isinstance(value, dict) else enumerate(value)
    for key, entry in keys:
        here = f"{where}.{key}" if isinstance(value, dict) else f"{where}[{key}]"
        # Coq finds its own points where a line of a given slope lies below a loss, and needs no brackets.
        if (
            key in ("claim", "kind", "decoder", "coordinates", "psi", "brackets")
            or here == ".labels[0].probability"
        ):
            continue
        if isinstance(entry, dict | list):
            yield from places(entry, here)
        elif entry is not None:
            yield value, key, here


def changed(document: dict[str, Any], chance: random.Random) -> str:
    """Change one entry of the proof, in place; what was changed, or nothing."""
    proof, groups = document["proof"], dict[str, list[Place]]()
    for place in places(proof):
        groups.setdefault(re.split(r"[.\[]", place[2])[1], []).append(place)
    if proof.get("certificate", {}).get("kind") in ALONE:
        groups = {key: some for key, some in groups.items() if key not in OF_CORE}
    container, key, where = chance.choice(groups[chance.choice(list(groups))])
    old, names = container[key], proof.get("coordinates", [])
    if where.startswith((".prediction[", ".better[")):
        other = (key + chance.randrange(1, len(container))) % len(container)
        container[key], container[other] = container[other], old
        return f"{where[1:]} and [{other}] exchanged"
    if old in names:
        new = old if ".prefers[" in where else chance.choice(names)
    elif old in OTHER_WORDS:
        new = OTHER_WORDS[old]
    else:
        try:
            x = Fraction(old)
        except ValueError:
            return ""
        step = Fraction(1, chance.choice((1, 2, 3, 1000)))
        new = str(chance.choice((-x, x + step, x - step, 2 * x, x / 2, Fraction(0))))
        if ".prefers[" in where and not reweighted(document, container, new):
            return ""
    container[key] = new
    return "" if new == old else f"{where[1:]}: {old} -> {new}"


def reweighted(document: dict[str, Any], entry: Sequence[str], new: str) -> bool:
    """Give a preference its new weight in the graph and in the surrogate; whether there is one of each."""
    i, j, weight = entry
    labels, graphs = document["proof"]["labels"], document["named"].get("graphs", [])
    edges = [(one, edge) for one in graphs for edge in one["edges"] if edge[:2] == [i, j]]
    terms = [term for label in labels for part in label["psi"] for term in part.get("terms", ())]
    found = [term for term in terms if term == [weight, {i: "1", j: "-1"}]]
    if len(labels) > 1 or len(found) != 1 or len(edges) != min(1, len(graphs)):
        return False
    found[0][0] = new
    for one, edge in edges:
        edge[2] = str(Fraction(new) / Fraction(one["probability"]))
    return True


def unchecked(source: Source, document: Mapping[str, Any]) -> str:
    """The theorem of a changed proof, which nobody has checked."""
    proof, verified = document["proof"], source.verified
    if "systems" not in proof:
        with working_precision(BITS):
            read = read_proof(proof)
        verified = replace(verified, proof=read, scores=read.scores or ())
        if verified.about_preferences:
            verified = replace(verified, about=GraphNames(document["named"], read, None).distribution)
    return theorem(replace(source, named=document["named"], document=proof, verified=verified))


def asked_of_the_core(proof: Mapping[str, Any]) -> str:
    """What the core accepts: the proof; or the certificate alone, of the kinds in ALONE; or nothing."""
    with suppress(InputError, RejectedError):
        verify_proof(proof)
        return ACCEPTED
    if proof.get("certificate", {}).get("kind") in ALONE:
        with suppress(InputError, RejectedError), working_precision(BITS):
            read = read_proof(proof)
            atoms = (atom.times(label.probability) for label in read.labels for atom in label.atoms)
            certificate = read.certificate
            if isinstance(certificate, Separation):
                certificate = replace(certificate, gap=certificate.gap * OF_GAP)
            certificate.near(read, merged(atoms))
            return CERTIFICATE
    return REJECTED


def accepted_by_coq(texts: Sequence[str]) -> set[int]:
    """Which of the theorems Coq proves: a run for each processor and the same imports, which take long.

    After an error Coq goes on with the next line, so a theorem counts if its name is known at the end.
    """
    alike: dict[str, list[str]] = {}
    for number, text in enumerate(texts):
        lines = text.splitlines()
        imports = "\n".join(line for line in lines if line.startswith("From "))
        rest = [line for line in lines if not line.startswith("From ")]
        asked = ["Abort All.", f"Definition accepted_{number} := replayed.", "Reset start."]
        alike.setdefault(imports, []).append("\n".join(["Definition start := tt.", *rest, *asked]))
    count = cpu_count() or 1
    parts = [(imports, some[k::count]) for imports, some in alike.items() for k in range(count)]
    with ThreadPoolExecutor(count) as pool:
        told = "".join(pool.map(told_by_coq, ((imports, *some) for imports, some in parts if some)))
    return set(map(int, re.findall(r"^accepted_(\d+) is defined$", told, re.MULTILINE)))


def told_by_coq(lines: Sequence[str]) -> str:
    """What Coq answers to these lines."""
    done = subprocess.run(
        ["coqtop", "-quiet", *LIBRARY], input="\n".join(lines), capture_output=True, check=True, text=True
    )
    return done.stdout


def compare(seed: str) -> int:
    """Change proofs and ask both; 1 if Coq accepts what the core rejects."""
    chance, tried, refused = random.Random(seed), [], 0
    with tempfile.TemporaryDirectory() as folder:
        found = list(examples(Path(folder)))
    sources = [Source(name, one["named"], one["proof"], verify(one)) for name, one in found]
    while len(tried) < MUTANTS:
        number = chance.randrange(len(sources))
        document = deepcopy(found[number][1])
        what = changed(document, chance)
        if not what:
            continue
        try:
            text = unchecked(sources[number], document)
        except (ArithmeticError, AssertionError, LookupError, RejectedError, StopIteration, ValueError):
            refused += 1
            continue
        tried.append((f"{found[number][0]}: {what}", asked_of_the_core(document["proof"]), text))
    proved = accepted_by_coq([*map(theorem, sources), *(text for *_, text in tried)])
    counts = Counter[tuple[str, bool]]()
    for number, (what, core, _) in enumerate(tried, start=len(sources)):
        counts[core, number in proved] += 1
        if core != REJECTED or number in proved:
            say(f"{what}: {core} by the core, {'proved' if number in proved else 'not proved'} by Coq")
    say(f"{MUTANTS} changed proofs from {len(sources)} files; {refused} more were not exported")
    for core in (ACCEPTED, CERTIFICATE, REJECTED):
        say(f"{core} by the core: {counts[core, True]} proved by Coq, {counts[core, False]} not")
    wrong = [name for number, (name, _) in enumerate(found) if number not in proved]
    if wrong:
        say(f"Coq does not prove the unchanged {', '.join(wrong)}")
    return 1 if wrong or counts[REJECTED, True] else 0


def main() -> int:
    """Run one of the two."""
    parser = argparse.ArgumentParser(description="Replay the gallery in Coq.")
    parser.add_argument("command", nargs="?", default="replay", choices=("replay", "compare"))
    parser.add_argument("--sample", type=int, metavar="N", help="replay N files")
    parser.add_argument("--seed", default="0", metavar="TEXT", help="which ones, or which changes")
    given = parser.parse_args()
    if given.command == "compare":
        return compare(given.seed)
    paths = sorted(GALLERY.rglob("*.json"))
    return replay(paths if given.sample is None else sample(paths, given.sample, given.seed))


def sample(paths: Sequence[Path], number: int, seed: str) -> list[Path]:
    """Some of the files that are covered, the same for the same seed."""
    shuffled = random.Random(seed).sample(paths, len(paths))
    return list(islice(filter(covered, shuffled), number))


def covered(path: Path) -> bool:
    """Whether there is a template for the file."""
    try:
        coq(path)
    except InputError:
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
