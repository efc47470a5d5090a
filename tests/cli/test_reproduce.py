"""`reproduce` and `list theorems`: outcomes, exit codes, proofs, processes and interruptions."""

import re
from dataclasses import replace
from operator import is_
from types import MappingProxyType

import pytest

from consistency_lab import InputError, processes
from consistency_lab.apps.book import book as theorem_run
from consistency_lab.apps.book import command as workers
from consistency_lab.apps.book import report as theorem_book
from consistency_lab.apps.book import statement as book
from consistency_lab.apps.book.book import examine, titles

QUICK = ("lemma-16", "lemma-14")
"""Two statements of the book, not in its order, that take less than a second each."""

FOUND = book.Finding("Two is even", book.Kind.MACHINE, "m = 2", "by division", ("2 = 2 · 1", "", "so 2 | 2"))


def checked(outcome, *remarks):
    return lambda: book.Checked(outcome, "m = 2", (FOUND,), remarks)


def broken():
    raise ValueError("no multipliers")


def interrupted():
    raise KeyboardInterrupt


BASE = book.Statement(
    name="good",
    title="Paper Lemma 1",
    latex=r"\(2 \mid 2\)",
    plain="Two is even.",
    hypotheses=(r"\(2 > 0\)",),
    citation="Paper Lemma 1",
    check=checked(book.Outcome.HOLDS, "The paper prints 3 for 2."),
    variants=(book.FalseVariant("Two is odd.", lambda: book.Refutation(True, "2 = 2 · 1")),),
    files=("two.json",),
    symbols={"2": "the successor of 1"},
)

FAKES = MappingProxyType(
    {
        fake.name: fake
        for fake in (
            BASE,
            replace(
                BASE, name="as-feared", check=checked(book.Outcome.REFUTED), claimed=book.Outcome.REFUTED
            ),
            replace(BASE, name="unsettled", check=checked(book.Outcome.OPEN), claimed=book.Outcome.OPEN),
            replace(BASE, name="surprise", check=checked(book.Outcome.REFUTED)),
            replace(BASE, name="broken", check=broken),
            replace(BASE, name="interrupted", check=interrupted),
            replace(
                BASE,
                name="too-weak",
                variants=(
                    book.FalseVariant("Two is odd.", lambda: book.Refutation(False, "nothing was found")),
                ),
            ),
            replace(BASE, name="stumbling", variants=(book.FalseVariant("Two is odd.", broken),)),
        )
    }
)


@pytest.fixture
def fakes(monkeypatch):

    def fake(name):
        if name not in FAKES:
            raise InputError(f"there is no statement {name!r}")
        return FAKES[name]

    monkeypatch.setattr(theorem_run, "statement", fake)
    monkeypatch.setattr(theorem_book, "statement", fake)
    monkeypatch.setattr(
        theorem_book,
        "statements",
        lambda names: [fake(name) for name in dict.fromkeys(names or ("good", "as-feared", "unsettled"))],
    )


# --- The real book --------------------------------------------------------------------------------


def test_two_statements_in_two_processes(cli):
    ran = cli("reproduce", *QUICK, "--jobs", "2", "--json")
    assert ran.code == 0
    document = ran.document
    assert (document["as_claimed"], document["interrupted"]) == (True, False)
    assert [row["name"] for row in document["statements"]] == list(QUICK)
    for row in document["statements"]:
        assert (row["outcome"], row["claimed"], row["error"]) == ("holds", "holds", None)
        assert row["kind"] in list(book.Kind)
        assert row["findings"]
        found = examine(row["name"]).checked  # what the site makes its table from
        assert found and (row["label"], row["scope"]) == (found.label, found.scope)
        assert row["citation"].startswith("DMJ10")
    assert ran.err.startswith("checked 2 of 2 in ")


def test_what_coq_proves_is_printed_as_coq_prints_it(cli):
    ran = cli("reproduce lemma-14 lemma-7 --formal --jobs 1")
    assert ran.code == 0
    for line in (
        "  Coq proves the statement, from the definitions; compiled from these sources.",
        "  theorem   lemma_14",
        "  file      formal/theorems/Domination.v",
        "      forall (m : nat) (a : matrix), low_noise m a -> net_order m a",
        "  Coq proves nothing about it.",
        "By evidence: 1 formal, 1 hand.",
    ):
        assert line in ran.out.splitlines()
    (row,) = cli("reproduce unequal-counts --json").document["statements"]
    assert (row["kind"], row["part"]) == ("hand", "for u constant")
    assert row["label"].endswith("checked; formal: for u constant")
    assert [one["theorem"] for one in row["formal"]] == ["three_items_ratio", "three_items_ratio_reached"]


@pytest.mark.parametrize("jobs", ["0", "1000"])
def test_a_wrong_number_of_jobs(refused, jobs):
    said = refused("reproduce", QUICK[0], "--jobs", jobs)
    assert said == f"--jobs is {jobs}; it must be a number from 1 to 64\n"


def test_the_statements_are_listed_with_their_sources(cli):
    records = cli("list theorems --json").document["theorems"]
    assert [(row["name"], row["title"]) for row in records] == list(titles().items())
    assert len(records) > 20
    for row in records:
        assert row["citation"]
        assert row["statement"].endswith(".")


# --- Outcomes and exit codes ----------------------------------------------------------------------


@pytest.mark.usefixtures("fakes")
@pytest.mark.parametrize("option", ["--json", "--explain"])
def test_how_long_it_took_is_told_beside_the_answer(cli, option):
    ran = cli("reproduce good as-feared --jobs 1", option)
    assert re.search(r"checked 2 of 2 in [\d.]+ s; longest: [a-z-]+, [\d.]+ s", ran.err)
    assert not re.search(r"\d s\b|seconds", ran.out)


@pytest.mark.usefixtures("fakes")
def test_the_whole_book_if_none_is_named(cli):
    short = cli("reproduce --jobs 1").said
    assert short.startswith("3 statements checked: 1 holds, 1 is refuted and 1 is open;")
    ran = cli("reproduce --jobs 1 --details")
    assert ran.code == 0
    found = [name for line in ran.out.splitlines() for name in FAKES if line.split()[:1] == [name]]
    assert found[:3] == ["good", "as-feared", "unsettled"]
    assert (
        "3 statements checked: 1 holds, 1 is refuted and 1 is open; every outcome is as the book claims."
    ) in ran.said
    assert ran.out.endswith("\nRemarks\n  good  The paper prints 3 for 2.\n")


@pytest.mark.usefixtures("fakes")
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("good good", 0, "good holds: Two is even."),
        ("good surprise", 1, "2 statements checked: 1 holds and 1 is refuted; not as claimed: surprise."),
        ("good surprise --details", 1, "(claimed: holds)"),
        ("broken good", 1, "1 holds and 1 ended in an error; not as claimed: broken."),
        ("broken good", 1, "broken ended in an error: ValueError: no multipliers"),
        ("too-weak", 0, ""),  # variants are tried with --explain only
        ("too-weak --explain", 1, "- Two is odd. NOT REFUTED: "),
        ("too-weak --explain", 1, "a false variant is not refuted (Two is odd.): nothing was found"),
        ("stumbling --explain", 1, "not refuted (Two is odd.): ValueError: no multipliers"),
        ("good interrupted unsettled", 130, "1 of 3 statements checked: 1 holds;"),
        ("interrupted", 130, ""),
    ],
)
def test_the_exit_code_is_1_where_the_book_claims_otherwise(cli, words, code, said):
    ran = cli("reproduce", *words.split(), "--jobs", "1")
    assert ran.code == code and said in ran.said


@pytest.mark.usefixtures("fakes")
def test_json_tells_errors_and_interruptions(cli):
    document = cli("reproduce broken --json").document
    (row,) = document["statements"]
    assert (row["outcome"], row["error"]) == (None, "ValueError: no multipliers")
    assert document["as_claimed"] is False
    ran = cli("reproduce good interrupted --jobs 1 --json")
    assert ran.err.endswith("interrupted: these statements were finished\n")
    assert (ran.document["as_claimed"], ran.document["interrupted"]) == (False, True)
    assert [row["name"] for row in ran.document["statements"]] == ["good"]


@pytest.mark.usefixtures("fakes")
def test_an_explanation_is_complete(cli):
    ran = cli("reproduce good --explain")
    assert ran.code == 0
    for line in (
        *("good: Paper Lemma 1", "  in words  Two is even.", r"  in LaTeX  \(2 \mid 2\)"),
        *(r"  assuming  \(2 > 0\)", "  where     2: the successor of 1", "  source    Paper Lemma 1"),
        *("  evidence  two.json", "1. Two is even", "  [machine; m = 2] by division", "  2 = 2 · 1"),
        *("  so 2 | 2", "  - The paper prints 3 for 2.", "  - Two is odd. Refuted: 2 = 2 · 1"),
    ):
        assert line in ran.out.splitlines()


@pytest.mark.usefixtures("fakes")
def test_json_holds_everything(cli):
    ran = cli("reproduce good --json --explain")
    (row,) = ran.document["statements"]
    (found,) = row["findings"]
    assert (found["claim"], found["kind"], found["how"]) == ("Two is even", "machine", "by division")
    assert (found["details"], found["needed"]) == (["2 = 2 · 1", "", "so 2 | 2"], True)
    assert (row["plain"], row["hypotheses"], row["files"]) == ("Two is even.", [r"\(2 > 0\)"], ["two.json"])
    assert (row["outcome"], row["claimed"], row["as_claimed"], row["error"]) == ("holds", "holds", True, None)
    assert (row["label"], row["scope"], row["remarks"]) == ("machine", "m = 2", ["The paper prints 3 for 2."])
    assert row["variants"] == [{"statement": "Two is odd.", "refuted": True, "witness": "2 = 2 · 1"}]


# --- Interruptions and processes ------------------------------------------------------------------


def test_a_process_that_dies_is_an_error_of_its_statement(monkeypatch):
    monkeypatch.setattr(processes, "_serve", is_)  # ends at once and answers nothing
    found = list(workers.examine_all(QUICK, 2))
    assert {one.name for one in found} == set(QUICK)
    for one in found:
        assert one.checked is None
        assert one.error == "its process ended without a result (exit code 0)"
        assert not one.as_claimed


def test_ctrl_c_ends_the_processes(monkeypatch):
    new_process = processes._new_process
    begun = []

    def noted(work):
        made = new_process(work)
        begun.append(made[1])
        return made

    monkeypatch.setattr(processes, "_new_process", noted)
    found = workers.examine_all(QUICK, 2)
    next(found)
    with pytest.raises(KeyboardInterrupt):
        found.throw(KeyboardInterrupt)
    assert len(begun) == 2
    assert not any(process.is_alive() for process in begun)
