"""A message is one sentence that can be read, however long the thing is that it names."""

import pickle

import pytest

from consistency_lab import surrogate
from consistency_lab.errors import (
    InputError,
    RejectedError,
    UnsupportedError,
    did_you_mean,
    nearest,
    printed,
    reason,
    shortened,
)

LONG = "a" * 10_000


@pytest.mark.parametrize("kind", [InputError, RejectedError, UnsupportedError])
@pytest.mark.parametrize("name", [LONG, LONG.replace("aa", " a")], ids=["one word", "many words"])
def test_a_long_name_is_shortened_and_the_rest_of_the_sentence_kept(kind, name):
    error = kind(f"there is no surrogate called {name!r}; consistency-lab list names all")
    assert len(str(error)) < 900
    assert str(error).startswith("there is no surrogate called")
    assert str(error).endswith("a'; consistency-lab list names all")
    assert " characters) …" in str(error)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_words_in_messages():
    assert printed("files/a-1.json") == "files/a-1.json"
    assert printed("x: recomputed and equal") == "'x: recomputed and equal'"
    assert reason(ZeroDivisionError("division by zero")) == "ZeroDivisionError: division by zero"
    assert did_you_mean("nddg", ("ndcg", "map"), "they are") == "did you mean 'ndcg'?"
    assert did_you_mean("x", ("ndcg", "map"), "they are") == "they are ndcg, map"


def test_what_is_not_long_stays():
    text = "there is no item 'Bob' in " + "/folder" * 40 + "; the items are " + "Ann, " * 100
    assert shortened(text) == text


@pytest.mark.parametrize(
    "arguments",
    [
        (LONG,),
        *(("check", LONG), ("verify", LONG), ("verify", "--json", LONG), ("show", LONG), ("list", LONG)),
        *(("reproduce", LONG), ("atlas", LONG), ("gallery", LONG), ("measure", "--surrogates", LONG)),
        ("check", "logistic", "--condition", LONG),
        ("check", "regression", "--target", LONG),
        ("check", "logistic", "--" + LONG),
        ("check", "logistic", "--profile", LONG),
        ("check", "logistic", "--out", LONG),
        ("measure", "--surrogates", "hinge", "--scheduler", LONG),
        ("calibration", "hinge", "--plot", LONG + ".svg"),
    ],
    ids=lambda words: " ".join(word[:12] for word in words),
)
def test_no_command_echoes_a_long_name_whole(capsys, arguments):
    from consistency_lab.cli.running import run

    assert run(arguments) == 2
    err = capsys.readouterr().err
    assert 0 < len(err) < 1000
    assert err.count("\n") == 1


def test_a_guess_is_much_like_the_name():
    assert nearest("lambdarnk", ("lambdarank", "ranknet")) == ["lambdarank"]
    assert nearest("marginrankinglos", ("margin-hinge", "hinge")) == ["margin-hinge"]
    with pytest.raises(InputError, match=r"called 'MarginRankingLos' \(see"):  # of losses, more alike ones
        surrogate("MarginRankingLos")
