"""What formal/ holds, as far as it can be seen without Coq; `make formal` compiles it."""

import json
import re
import runpy
import shutil
import subprocess
import sys
from fractions import Fraction
from math import exp
from pathlib import Path

import pytest

from consistency_lab.apps.book.coq.export import coq
from consistency_lab.apps.book.coq.preferences import exp_low
from consistency_lab.apps.book.coq.source import comment
from consistency_lab.apps.book.formal import COVERED, RECORD, assumed, theorem, unread
from consistency_lab.apps.book.statement import FOLDER, stored
from consistency_lab.errors import InputError, RejectedError
from consistency_lab.numbers.exact import enclose, working_precision

ROOT = Path(__file__).resolve().parents[2]
FORMAL = ROOT / "formal"
SOURCES = {str(path.relative_to(FORMAL)): path.read_text("utf-8") for path in FORMAL.glob("*/*.v")}
AXIOMS_V = (FORMAL / "Axioms.v").read_text("utf-8")
RESTS_ON, _, DEFINED = (FORMAL / "axioms.txt").read_text("utf-8").partition("Definitions:\n")
AXIOMS = (
    "ClassicalDedekindReals.sig_forall_dec",
    "FunctionalExtensionality.functional_extensionality_dep",
    "ClassicalDedekindReals.sig_not_dec",
    "Classical_Prop.classic",
)
UNPROVED = re.compile(r"\b(Admitted|admit|Abort|Axioms?|Parameters?|Conjecture|Unset|bypass_check)\b")


def without_comments(text):
    return re.sub(r"\(\*.*?\*\)", "", text, flags=re.DOTALL)


def asked():
    """The headline theorems in each group, as formal/Axioms.v has them."""
    text = without_comments(AXIOMS_V)
    checked = re.findall(r"^Check @(\S+)\.$", text, re.MULTILINE)
    groups = {
        name: re.findall(r"[\w.]+", body)
        for name, body in re.findall(r"^Definition (\w+) :=\s+\(?([^()]+?)\)?\.$", text, re.MULTILINE)
    }
    assert sorted(checked) == sorted(name for group in groups.values() for name in group)
    assert list(groups) == re.findall(r"^Print Assumptions (\w+)\.$", text, re.MULTILINE)
    return groups


def rests_on():
    """The axioms of each headline theorem, or more, as stored."""
    parts = RESTS_ON.split("Axioms:\n")[1:]
    found = [set(re.findall(r"^([\w.]+)(?: :|$)", part, re.MULTILINE)) for part in parts]
    return {name: axioms for group, axioms in zip(asked().values(), found, strict=True) for name in group}


def test_nothing_is_left_unproved():
    assert len(SOURCES) >= 20
    assert [name for name, text in SOURCES.items() if UNPROVED.search(without_comments(text))] == []


def test_every_file_says_what_it_is_about_and_is_compiled():
    listed = (FORMAL / "_CoqProject").read_text("utf-8").splitlines()[1:]
    assert sorted(listed) == sorted(SOURCES)
    assert all(text.startswith("(* ") for text in SOURCES.values())


def test_the_theorems_rest_on_the_axioms_of_the_reals_alone():
    assert sorted(rests_on()) == sorted(stored(RECORD, FOLDER))
    assert all(found <= set(AXIOMS) for found in rests_on().values())


def test_the_page_has_every_theorem_in_words_with_its_first_axioms():
    assert "<!-- table: formal -->" in (ROOT / "docs" / "formal.md").read_text("utf-8").splitlines()
    assert all(axioms == {*AXIOMS[: len(axioms)]} for axioms in rests_on().values())
    words = re.findall(r"^\(\* (.*(?:\n   .*)?) \*\)\nCheck @(\S+)\.$", AXIOMS_V, re.MULTILINE)
    assert sorted(name for text, name in words if text.strip()) == sorted(rests_on())


def test_the_record_of_the_book_is_what_was_compiled():
    # File, statement, axioms and digest of the sources of each theorem; `make -C formal accept` writes them.
    recorded = stored(RECORD, FOLDER)
    said = {name: one["statement"] for name, one in recorded.items()}
    found = runpy.run_path(str(FORMAL / "record.py"))["record"](said)
    assert found == recorded
    assert {name: set(one["axioms"]) for name, one in found.items()} == rests_on()
    assert {name for one in COVERED.values() for name in one.theorems.split()} <= set(found)


# --- Definitions: what the statements rest on is printed, and nothing that is printed hides a name --------


def test_every_definition_that_a_statement_rests_on_is_printed():
    definitions = re.findall(r"^(\S+)\n {5}[=:] ", DEFINED, re.MULTILINE)
    rests = dict(re.findall(r"^(\S+) rests on ?(.*)$", DEFINED, re.MULTILINE))
    assert sorted(rests) == sorted(rests_on())
    used = re.findall(r"rests on (.+)$", DEFINED, re.MULTILINE)
    assert set(definitions) == {name for names in used for name in names.split()}
    assert len(definitions) == len(set(definitions)) >= 300
    assert {"acyclic", "simple", "@sorting", "P_reinforce", "consistent_at", "A"} <= set(definitions)


def test_no_notation_hides_what_it_stands_for():
    notations = [
        line
        for text in SOURCES.values()
        for line in text.splitlines()
        if re.match(r"(Notation|Infix)\b", line)
    ]
    assert notations
    assert [line for line in notations if "(only parsing)" not in line] == []
    assert not any(re.search(r"^\s*(Local )?Coercion\b", text, re.MULTILINE) for text in SOURCES.values())


@pytest.mark.parametrize(
    ("name", "old", "new", "theorem"),
    [
        ("acyclic", "rank (src e) < rank (dst e)", "True", "theorem_11"),
        ("@sorting", "decode x t -> sorts", "decode x t <-> sorts", "strictly_wrong"),
        ("P_reinforce", "        u i i)\n", "        u i i + 1)\n", "rat13_theorem_4"),
    ],
)
def test_another_definition_is_another_theorem(name, old, new, theorem):
    bodies = runpy.run_path(str(FORMAL / "record.py"))["bodies"]
    definitions = dict(re.findall(r"^(\S+)\n((?: {5}.*\n)+)", DEFINED, re.MULTILINE))
    (names,) = re.findall(rf"^{re.escape(theorem)} rests on (.*)$", DEFINED, re.MULTILINE)
    recorded = stored(RECORD, FOLDER)[theorem]
    assert bodies(names.split(), definitions) == recorded["definitions"]
    changed = {**definitions, name: definitions[name].replace(old, new)}
    assert changed != definitions
    assert bodies(names.split(), changed) != recorded["definitions"]


def test_another_statement_is_a_difference(tmp_path):
    copy = tmp_path / "formal"
    copy.mkdir()
    for name in ("record.py", "axioms.txt"):
        shutil.copy(FORMAL / name, copy / name)
    data = tmp_path / "consistency_lab" / "apps" / "book" / "data"
    data.mkdir(parents=True)
    shutil.copy(FOLDER / RECORD, data / RECORD)
    said = {
        name: one["statement"].replace("\n", "\n" + 7 * " ") for name, one in stored(RECORD, FOLDER).items()
    }
    printed = "".join(f"{name}\n     : {one}\n" for name, one in said.items())
    printed += (copy / "axioms.txt").read_text("utf-8")
    for old, new, code in (("", "", 0), ("zeta (s - l) <= r", "zeta (s - l) < r", 1), (": Set", ": Prop", 1)):
        (copy / "axioms.log").write_text(printed.replace(old, new, 1), "utf-8")
        command = [sys.executable, copy / "record.py"]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (ran.returncode, new in ran.stdout) == (code, True)
        assert ("make -C formal accept" in ran.stderr) is bool(code)


def test_the_words_of_every_theorem_were_read_with_what_it_says():
    assert unread() == ()


# --- The table of docs/formal.md: no words without the hypotheses that Coq has ------------------------------

#: What the words say where Coq assumes it; a row "the same" has it from those above.
SAID = {
    "even_plus_line": "a line plus an even function",
    "log_odds_link": "e^(kx)",
    "complete": "compare every pair",
    "(exists a : R, 0 < a /\\ 0 < h a)": "h(a) > 0 for some a",
    "falls": "falls",
}


def test_words_name_the_hypotheses_that_coq_has():
    above = []
    seen = set()
    for name, one in stored(RECORD, FOLDER).items():
        same = re.match(r"(the same|so|and|but|only|another)\b", one["words"])
        above = [*above, one["words"]] if same else [one["words"]]
        for hypothesis in assumed(one["statement"]):
            head = hypothesis if hypothesis.startswith("(") else hypothesis.split()[0]
            if head in SAID:
                seen.add(head)
                assert any(SAID[head] in words for words in above), f"{name}: {hypothesis}"
    assert seen == set(SAID)


def test_hypotheses_are_cut_from_the_statement():
    assert assumed(theorem("consistent_net_order_balanced")[0].statement) == (
        "regular phi g",
        "even_plus_line g",
        "(forall x : R, b <= phi x)",
    )
    assert "complete m n" in assumed(theorem("product_designs")[0].statement)
    assert assumed(theorem("linear_low_noise")[0].statement) == ()
    assert not any("|" in "".join(assumed(theorem(name)[0].statement)) for name in rests_on())


def test_every_file_of_the_gallery_is_written_as_a_theorem():
    families = {}
    for path in sorted((ROOT / "counterexamples").glob("*.json")):
        text = coq(path)
        said = text[text.index("Theorem replayed") :]
        loss = json.loads(path.read_text("utf-8"))["named"]["surrogate"]["family"]
        assert re.search(rf"~ consistent_at \({loss}_loss .*m \(real p\)\) \(real p\)\.\n", said)
        families[loss] = families.get(loss, 0) + 1
        conditions = json.loads(path.read_text("utf-8"))["named"]["conditions"]
        stated = sum(holds for key, holds in conditions.items() if key != "any")
        assert said.count(" m (aggregate (real p)) ") >= stated
    assert families == {"edge": 16, "margin": 8, "difference": 8, "linear": 1, "regression": 1}


def test_what_is_not_covered_is_refused():
    features = next((ROOT / "counterexamples" / "features").glob("*.json"))
    with pytest.raises(InputError, match="is not exported: its scores are linear in features"):
        coq(features)


def test_a_changed_file_is_rejected(tmp_path):
    text = next((ROOT / "counterexamples").glob("squared-hinge-*.json")).read_text("utf-8")
    changed = tmp_path / "changed.json"
    changed.write_text(text.replace('"14/29"', '"15/29"'), encoding="utf-8")
    with pytest.raises(RejectedError, match=r"changed\.json: the digest"):
        coq(changed)


def test_bounds_of_exponentials_are_below_them():
    for x in (Fraction(0), Fraction(1), Fraction(-7, 3), Fraction(9, 2)):
        low = exp_low(32, x)
        assert float(low) == pytest.approx(exp(x), rel=1e-8)
        with working_precision(200):
            assert enclose(low) <= enclose(x).exp()


def test_a_name_in_a_file_stays_in_its_comment():
    assert comment('*) Axiom a : False. (* "') == "* ) Axiom a : False. ( * "


def test_every_false_variant_changes_one_place():
    variants = runpy.run_path(str(FORMAL / "mutants.py"))["FALSE"]
    assert len(variants) >= 20
    assert [old for file, old, new, _ in variants if SOURCES[file].count(old) != 1 or old == new] == []


def test_every_definition_of_base_has_a_false_variant():
    variants = list(runpy.run_path(str(FORMAL / "mutants.py"))["definitions"]())
    assert len(variants) >= 80
    assert [name for file, name, old, new in variants if SOURCES[file].count(old) != 1 or old == new] == []


def test_make_formal_says_what_is_missing(tmp_path):
    make = shutil.which("make")
    assert make is not None
    answer = subprocess.run(
        [make, "formal"], cwd=ROOT, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 2
    assert "Coq is not installed: make formal needs coqc, in Debian's package coq" in answer.stderr
