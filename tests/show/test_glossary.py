"""The words that `explain` knows."""

import ast
import re
from pathlib import Path

import pytest

from consistency_lab.cli.known import explain
from consistency_lab.errors import InputError
from consistency_lab.show.glossary import TERMS, facts, glossary, glossary_table
from consistency_lab.show.text import rendered

ROOT = Path(__file__).parents[2]
REPORT = ROOT / "consistency_lab" / "show"
APPS = ROOT / "consistency_lab" / "apps"
PAGE = ROOT / "consistency_lab/show/glossary.md"

VOCABULARY = """
right; wrong; can be wrong; open; preferences; pairs compared; any; any number of times; equally often; by
popularity; each at least once; without a cycle; Bradley-Terry; net order; net wins; margin; strongly
transitive; additive noise; low noise; acyclic; majority; comparison; ballot; items; score; best order; goes
against; higher score; tie; example; certified; theorem; floats; risk; near the least risk; rest point; as
shipped; lost; resample; leads; level; noise; above noise; by chance; surplus; instead; Condorcet; strict
inversion; exchange argument; infimum; calibration; Theorem R; gradient field; design; core; witness;
decoder; regret; target; surrogate; forest; cluster; slack; agree on one order; convex; rows in order; AUC;
Kemeny; Borda; query; misfit; half-space; p-value; log-odds; schedule; bracket; minimizer; Kendall distance;
subgradient; exact infeasibility; radius; power; profile; excess risk; disagreement; DMJ10 Theorem 13;
Forests; Two items; Product designs; Balanced counts; Bounded stand-ins; NDCG; logistic; dpo
"""


def said(word):
    return " ".join(explain(word).split())


def test_the_words_are_sorted_and_point_to_sections_of_documents():
    words = [term.name for term in TERMS]
    assert words == sorted(words, key=str.lower)
    assert len(words) == PAGE.read_text("utf-8").count("## ")  # none is misread
    for term in TERMS:
        name, _, sections = term.see.partition(", ")
        heads = re.findall(r"^## (.+)$", (ROOT / "docs" / name).read_text("utf-8"), re.MULTILINE)
        assert set(sections.split(", ")) <= set(heads), term.name
    rows = glossary_table().splitlines()[2:]
    assert [row.split(" | ")[0] for row in rows] == [f"| {word}" for word in words]
    everything = " ".join(" ".join(rendered(glossary())).split())
    assert all(f"{term.name}: {term.meaning}" in everything for term in TERMS)


@pytest.mark.long
def test_every_word_is_explained_however_it_is_spelled():
    spellings = [name.lower() for term in TERMS for name in (term.name, *term.others)]
    assert len(spellings) == len(set(spellings))
    for term in TERMS:
        for name in (term.name, *term.others, *([term.name.upper()] if term in TERMS[:9] else ())):
            assert said(name).startswith(f"{term.name}: ")
            assert len(explain(name).splitlines()) <= 24


@pytest.mark.parametrize("word", [" ".join(word.split()) for word in VOCABULARY.split(";")])
def test_a_word_of_the_answers_is_explained(word):
    assert said(word)


def words_of(path):
    """The words with hyphens in what a module of the reports prints."""
    tree = ast.parse(path.read_text("utf-8"))
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent
    ]
    return {
        word
        for text in texts
        if " " in text
        for word in re.findall(r"(?<![\w/.-])[A-Za-z]+(?:-[a-z]+)+(?![\w.=/(-])", text)
    }


#: They are names of others or usual English.
USUAL = {"a-z", "consistency-lab", "low-rank", "log-sum-exp", "s-v"}


def test_the_words_with_hyphens_of_all_templates_are_explained():
    apps = [path for path in APPS.rglob("*.py") if path.stem in ("report", "words", "screen", "page")]
    words = {word for path in (*REPORT.glob("*.py"), *apps) for word in words_of(path)} - USUAL
    assert {"half-space", "low-noise", "p-value"} <= words
    assert all(said(word) for word in words)


def test_every_fact_is_told_and_every_example_filled():
    used = {name for term in TERMS for name in re.findall(r"{(\w+)}", term.example)}
    unused = {name for name in facts() if len(name) > 3 and not name.startswith("share")} - used
    assert (used - facts().keys(), unused) == (set(), set())


@pytest.mark.parametrize(
    ("word", "fact"),
    [
        ("low noise", "3 + 1 ≤ 4"),  # DMJ10 Definition 8
        ("low noise", "narrower: additive noise wider: rows in order, net order, acyclic, any"),
        ("regret", "a regret of 1 of 16, 6.25%"),
        ("kemeny", "A > B > C goes against 4, A > C > B goes against 5"),
        ("consistent", "orders A > C > B"),
        ("Borda", "N_A = 7, N_B = -2, N_C = -5"),
        ("by popularity", "A = 6.0, B = 0.5, C = 2.0"),  # 6 · 0.5 = 3, 6 · 2 = 12, 0.5 · 2 = 1
        ("rest point", "A won 11 comparisons, and the logistic scores expect 11.00"),
        ("noise condition", "additive noise, low noise, rows in order, net order and acyclic"),
        ("p-value", "p = 39%"),  # 2 Pr[Bin(12, 1/2) <= 4] = 1588/4096
    ],
)
def test_the_example_is_computed(word, fact):
    text = re.sub(r" +", " ", re.sub(r" (A|B|C) (\.|\d+) +(\.|\d+) +(\.|\d+)", "", said(word)))
    assert fact in text.replace(" A B C ", " ")


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("lownois", "did you mean 'lownoise', 'low noise' or 'noise'? "),
        ("regrt", "'regret', 'rest'"),
        ("zzz", ""),
    ],
)
def test_of_a_word_that_is_not_known_the_nearest_are_told(word, hint):
    with pytest.raises(InputError) as caught:
        explain(word)
    assert str(caught.value).startswith(f"there is no explanation of {word!r}; ")
    assert hint in str(caught.value) and str(caught.value).endswith("explain alone lists all words")


def test_conditions_and_targets_are_explained_from_their_tables():
    assert said("reinforce").startswith("reinforce: ")
    assert said("NDCG").startswith("ndcg (NDCG, a target): 1 - (1/Z(s))")
    assert said("theorem 13").startswith("DMJ10 Theorem 13: ")


def test_no_answer_speaks_of_conditions_as_places():
    for path in (ROOT / "consistency_lab").rglob("*.py"):
        text = " ".join(re.findall(r'f?"[^"\n]+"', path.read_text("utf-8")))
        for words in ("which lies inside", ", as there", "so many weights that", "everywhere inside A"):
            assert words not in text, (path, words)
