"""Each parameter of each public name meets every wrong value."""

import pytest

from tests.test_python_calls import ROWS, deep_errors


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")
@pytest.mark.parametrize("name", ROWS)
def test_every_call_ends_in_an_answer_or_in_a_sentence(name):
    assert not deep_errors(name, 1)
