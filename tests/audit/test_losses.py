"""What people type for a loss or a rule, and what each rule orders by."""

import numpy as np
import pytest

from consistency_lab import InputError, UnsupportedError, surrogate, surrogate_names, task_surrogate
from consistency_lab.apps.audit.losses import ALIASES, KEMENY, canonical, rule
from consistency_lab.model.surrogates.catalogue import NO_LOSS, RULES

ELECTION = np.array([[0, 3, 3, 3], [2, 0, 5, 5], [2, 0, 0, 4], [2, 0, 1, 0]], dtype=float)
"""Five voters: 3 say A > B > C > D, 1 says B > C > D > A, 1 says B > D > C > A."""


@pytest.mark.parametrize("alias", ALIASES)
def test_an_alias_stands_for_something_that_is_known(alias):
    meant = canonical(alias)
    assert canonical(meant) == meant
    assert meant in (KEMENY, "sigmoid", "ramp") or rule(alias) == rule(meant)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("Bradley Terry", "logistic"), ("WIN_RATE", "winrate"), (" Squared_Hinge ", "squared-hinge")],
)
def test_case_spaces_and_underscores_do_not_matter(typed, meant):
    assert rule(typed).name == meant


@pytest.mark.parametrize("name", NO_LOSS)
def test_what_is_no_function_of_the_wins_is_refused_and_something_else_named(name):
    with pytest.raises(InputError, match=rf"^{name} .*bradley-terry") as caught:
        rule(name)
    assert str(caught.value).count(". ") == 0
    with pytest.raises(InputError, match=rf"^{name} .*bradley-terry"):
        surrogate(name)


@pytest.mark.parametrize("name", [*ALIASES, *surrogate_names()])
def test_one_name_is_one_loss_everywhere(name):
    meant = canonical(name)
    if meant in RULES:
        with pytest.raises(InputError, match=rf"^{name} is a rule .* audit compares"):
            surrogate(name)
        return
    assert surrogate(name) == surrogate(meant)
    if name in ALIASES and meant not in ("sigmoid", "ramp"):
        assert rule(name).surrogate == surrogate(name)
        assert task_surrogate(name) == task_surrogate(meant)


@pytest.mark.parametrize(
    ("typed", "hint"),
    [("bordda", "did you mean 'borda'?"), ("difference-logistc", "did you mean 'difference-logistic'?")],
)
def test_a_misspelled_name_is_guessed(typed, hint):
    with pytest.raises(InputError, match=r"^there is no loss or rule called") as caught:
        rule(typed)
    assert str(caught.value).endswith(hint)


def test_a_name_like_no_other_gets_the_list():
    with pytest.raises(InputError, match=r"called 'xyz'; try one of logistic, .*borda, copeland, winrate"):
        rule("xyz")


def test_copeland_counts_majorities_and_borda_counts_votes():
    """A beats each other item by 3 : 2, so Copeland's rule has A first; Borda's has B first."""
    assert list(rule("copeland").scores(ELECTION[None])[0]) == [3, 1, -1, -3]
    assert np.argmax(rule("borda").scores(ELECTION[None])[0]) == 1


@pytest.mark.parametrize("name", ["sigmoid", "difference-ramp"])
def test_a_loss_that_is_not_convex_is_refused_before_anything_is_computed(name):
    with pytest.raises(InputError, match=rf"^{name} is not convex; an audit needs convex losses"):
        rule(name)


def test_a_loss_with_kinks_is_for_few_items():
    with pytest.raises(UnsupportedError, match=r"^hinge has kinks, .* at most 20 items; there are 21; keep"):
        rule("hinge").scores(np.ones((1, 21, 21)))
    assert rule("hinge").scores(ELECTION[None]).shape == (1, 4)
