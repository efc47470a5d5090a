"""What people type first works, or says what to type."""

import pytest

from consistency_lab.show.glossary import TERMS


@pytest.mark.parametrize("word", ["RankNet", "bradley-terry", "BPR", "dpo", "RankSVM", "rankboost"])
def test_a_name_of_the_field_is_a_loss(cli, word: str) -> None:
    assert cli("check", word, "--condition", "low-noise", "--items", "3", "--no-save").code == 1


@pytest.mark.parametrize("phi", ["softplus(-x)", "-logsigmoid(x)", "log1p(exp(-x))", "log(1+1/exp(x))"])
def test_functions_of_frameworks_are_written_out(cli, phi: str) -> None:
    ran = cli("check", "--phi", phi, "--condition", "low-noise", "--items", "3", "--no-save")
    assert ran.code == 1
    assert cli("check", "--phi", "relu(1 - x)", "--condition", "additive", "--no-save").out.startswith(
        "relu(1 - x) can be wrong under additive noise.\nIt is the hinge loss"
    )


@pytest.mark.parametrize(
    ("name", "objective"),
    [("lambdarank", "LightGBM's lambdarank"), ("ApproxNDCG", "tf-ranking's approx_ndcg_loss")],
)
def test_an_objective_of_one_library_needs_no_library_and_no_target(cli, name: str, objective: str) -> None:
    ran = cli("check", name, "--labels", "0..1", "--no-save", "--budget", "2")
    assert ran.said.startswith(f"{name} ") and "for NDCG" in ran.said.partition(".")[0]
    assert f"Read as {objective}, version" in ran.said and "since no --target was named" in ran.said


def test_help_has_three_spellings(cli) -> None:
    said = {cli(*words).out for words in (("help", "check"), ("check", "-h"), ("check", "--help"))}
    assert len(said) == 1
    assert cli("help").out == cli("--help").out


def test_explain_names_every_term_on_one_screen(cli) -> None:
    lines = cli("explain").screen
    said = " ".join(" ".join(lines).split())
    assert [term.name for term in TERMS if term.name not in said] == []
    assert cli("explain", "--details").said.count(": ") >= len(TERMS)


@pytest.mark.parametrize("term", [name for term in TERMS for name in (term.name, *term.others)])
def test_a_term_is_explained_on_one_screen(cli, term: str) -> None:
    lines = cli("explain", term).out.splitlines()
    assert 1 < len(lines) <= 24 and max(map(len, lines)) <= 80


def test_a_word_is_explained(cli) -> None:
    ran = cli("explain", "low", "noise")
    assert ran.code == 0
    assert "DMJ10 Definition 8" in ran.said


@pytest.mark.parametrize("command", ["check logistic", "measure logistic --rate", "experiment judges"])
def test_a_seed_below_zero_is_refused(refused, command):
    assert refused(*command.split(), "--seed", "-1") == "--seed is -1; it must be at least 0\n"
