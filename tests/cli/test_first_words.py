"""What people type first works, and what is recommended to them is proved."""

import shlex
from itertools import product

import pytest

import consistency_lab as lab
from consistency_lab import CONDITIONS, Effort, surrogate, surrogate_names
from consistency_lab.decide.answers import lies_inside
from consistency_lab.decide.remedies import remedies, where_right
from consistency_lab.decide.theorems.catalogue import consistency_theorem
from consistency_lab.model.designs import DESIGNS
from consistency_lab.show.glossary import TERMS


@pytest.mark.parametrize("word", ["RankNet", "RankSVM", "rankboost"])
def test_a_name_of_the_field_is_a_loss(cli, word):
    assert cli("check", word, "--condition", "low-noise", "--items", "3", "--no-save").code == 1


@pytest.mark.parametrize("phi", ["softplus(-x)", "-logsigmoid(x)", "log1p(exp(-x))", "log(1+1/exp(x))"])
def test_functions_of_frameworks_are_written_out(cli, phi):
    ran = cli("check --phi", phi, "--condition", "low-noise", "--items", "3", "--no-save")
    assert ran.code == 1


def test_a_function_with_a_name_is_called_by_it(cli):
    said = cli("check --phi 'relu(1 - x)' --condition additive --no-save").out
    assert said.startswith("relu(1 - x) can be wrong under additive noise.\nIt is the hinge loss")


def test_help_has_three_spellings(cli):
    said = {cli(*words).out for words in (("help", "check"), ("check", "-h"), ("check", "--help"))}
    assert len(said) == 1
    assert cli("help").out == cli("--help").out


def test_explain_names_every_term_on_one_screen(cli):
    lines = cli("explain").screen
    said = " ".join(" ".join(lines).split())
    assert [term.name for term in TERMS if term.name not in said] == []
    assert cli("explain --details").said.count(": ") >= len(TERMS)


@pytest.mark.parametrize("command", ["check logistic", "measure logistic --rate", "experiment judges"])
def test_a_seed_below_zero_is_refused(refused, command):
    assert refused(*command.split(), "--seed", "-1") == "--seed is -1; it must be at least 0\n"


def test_an_inconsistent_surrogate_comes_with_its_remedies():
    decision = lab.check("logistic", effort=Effort(2))
    assert decision.verdict is lab.Verdict.INCONSISTENT
    assert [(r.condition, r.surrogate.name) for r in decision.prescriptions] == [
        ("net-order", "regression"),
        ("acyclic", "difference-logistic"),
        ("any", "pd-least-squares"),
    ]


def test_what_is_consistent_needs_none():
    assert lab.check("linear", "low-noise", effort=Effort(5)).prescriptions == ()
    assert lab.check("logistic", "additive", effort=Effort(1), prescribe=False).prescriptions == ()


def test_no_remedy_is_the_surrogate_itself():
    for name in surrogate_names():
        assert name not in {one.surrogate.name for one in remedies(surrogate(name), tuple(CONDITIONS))}


@pytest.mark.parametrize(
    "remedy", remedies(surrogate("logistic"), tuple(CONDITIONS)), ids=lambda r: r.surrogate.name
)
def test_the_command_of_a_remedy_ends_with_consistent(cli, remedy):
    assert cli(*shlex.split(remedy.command)[1:], "--no-save").code == 0


def test_the_answer_shows_the_remedies(cli):
    asked = ["check", "hinge", "--condition", "low-noise", "--no-save", "--budget", "1"]
    ran = cli(*asked, "--details")
    assert ran.code == 1
    text = ran.said
    assert (
        "Use instead: regression, sum_i (alpha_i - f_i)^2 with f_i = sum_j (a_ij - a_ji); sort by score."
        in text
    )
    assert "Check: consistency-lab check regression --condition low-noise" in text
    found = cli(*asked, "--json").document
    assert [entry["surrogate"]["name"] for entry in found["prescriptions"]] == ["regression"]


@pytest.mark.parametrize(
    ("asked", "opening"),
    [
        ("ndcg --library xgboost", "For NDCG with XGBoost train reg:squarederror on other labels"),
        ("ndcg@10 --labels 0..4", "For NDCG@10 with LightGBM train regression on other labels"),
        ("ndcg --library catboost", "For NDCG with CatBoost train RMSE on other labels"),
        ("pairwise --library pytorch", "For pairwise disagreement with PyTorch train regression-net as a"),
        ("map", "For MAP with LightGBM no program is known; map-full is right whatever the"),
        ("kendall", "For Kendall tau with LightGBM no program is known; pd-least-squares is right"),
        ("err", "For ERR with LightGBM no program is known; constructed is right whatever the"),
        ("eru", "For expected rank utility with LightGBM train regression on other labels"),
        ("precision@2", "For precision@2 with LightGBM train regression on other labels (regression):"),
    ],
)
def test_what_to_train_for_a_target_is_on_one_screen(cli, asked, opening):
    ran = cli("recommend --target", *asked.split())
    assert (ran.code, ran.err) == (0, "")
    assert ran.screen[0].startswith(opening)
    document = cli("recommend --target", *asked.split(), "--json").document
    assert document["line1"].startswith(opening)
    if asked.startswith("ndcg "):
        details = cli("recommend --target", *asked.split(), "--details").out
        assert all(row["command"] in details for row in document["rows"])


def test_positions_beyond_the_cut_count_in_longer_lists_only(cli):
    listed = cli("recommend --target ndcg@10").said
    assert "Z = sum of the list's first 10 gains" in listed
    command = "recommend regression-gain-over-z --target ndcg --k 10 --library lightgbm"
    assert command in listed
    assert "[:10].sum()" in cli(*command.split()).out


def test_a_program_compiles_and_a_target_is_needed(cli):
    printed = cli("recommend zhang --target ndcg")
    compile(printed.out, "recommended.py", "exec")
    assert "needs a target" in cli("recommend").err
    assert "--json does not fit a program" in cli("recommend zhang --target ndcg --json").err


def test_a_loss_type_of_trl_and_what_the_pairs_have_to_be_like(cli):
    ran = cli("recommend --library trl")
    lines, said = ran.screen, ran.said
    assert 'DPOConfig(loss_type="sigmoid")' in said
    assert "surplus (3 : 1 becomes 2 : 0)" in said and "rewards may grow without bound" in said
    document = cli("recommend --library trl --json").document
    assert document["line1"] == " ".join(lines[:2])
    rows = {(row["condition"], row["design"]): row["losses"].split(", ") for row in document["rows"]}
    assert rows["bradley-terry", "any"] == ["sigmoid"]
    assert rows["any", "forest"] == ["sigmoid", "hinge", "ipo", "alphapo"]
    assert {one for row in rows.values() for one in row}.isdisjoint({"apo_down", "orpo"})
    assert [pair for pair, row in rows.items() if "simpo" in row] == [("row-dominated", "balanced")]
    assert "leave out --target" in cli("recommend --library trl --target ndcg").err
    assert "list --library trl" in cli("recommend trl").err


def test_the_rows_are_those_of_the_theorems():
    names = ("dpo", "hinge", "exo")
    found = where_right(names)
    for pair in product(CONDITIONS, DESIGNS):
        right = {name for name in names if consistency_theorem(surrogate(name), pair[0], design=pair[1])}
        wider = [row for at, row in found.items() if lies_inside(pair, at)]
        assert right == {name for row in wider for name in row}
